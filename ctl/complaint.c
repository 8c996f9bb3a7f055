#include "ctl/complaint.h"

#include <stdlib.h>
#include <string.h>

/* An item ends with where it is from, "# line 33" (world.c). 0: the line of the file holds none. */
static size_t origin_of(const char *file, size_t number)
{
    FILE *in = fopen(file, "re");
    char *line = NULL;
    size_t room = 0;
    size_t origin = 0;
    const char *comment;
    char *end = NULL;

    if (in == NULL)
        return 0;
    for (size_t i = 0; i < number; i++) {
        if (getline(&line, &room, in) < 0)
            number = 0;
    }
    comment = number > 0 && strncmp(line, "  - {", 5) == 0 ? strrchr(line, '#') : NULL;
    if (comment != NULL && strncmp(comment, "# line ", 7) == 0)
        origin = strtoul(comment + 7, &end, 10);
    if (end == NULL || *end != '\n')
        origin = 0;
    free(line);
    (void)fclose(in);
    return origin;
}

/* What follows "FILE:9: ", and the 9; the line itself and 0 if it does not begin so. */
static const char *skip_place(const char *line, const char *file, size_t *number)
{
    size_t size = strlen(file);
    char *end;

    *number = 0;
    if (strncmp(line, file, size) != 0 || line[size] != ':')
        return line;
    *number = strtoul(line + size + 1, &end, 10);
    if (*number > 0 && strncmp(end, ": ", 2) == 0)
        return end + 2;
    *number = 0;
    return line;
}

void complaint_print(const char *listing, const char *file, const char *world, FILE *out)
{
    for (const char *line = listing; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t number;
        const char *text = skip_place(line, file, &number);
        size_t origin = number > 0 && world != NULL ? origin_of(file, number) : 0;

        if (origin > 0)
            fprintf(out, "%s:%zu: ", world, origin);
        fprintf(out, "%.*s\n", (int)strcspn(text, "\n"), text);
    }
}
