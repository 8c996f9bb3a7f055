/* gamemode-docs - prints docs/gamemodes.md. For `make docs`. */
#include <stdio.h>
#include <stdlib.h>

#include "shard/script/api_docs.h"

int main(void)
{
    api_docs_write(stdout);
    if (ferror(stdout) == 0 && fflush(stdout) == 0)
        return EXIT_SUCCESS;
    (void)fputs("gamemode-docs: the document cannot be written\n", stderr);
    return EXIT_FAILURE;
}
