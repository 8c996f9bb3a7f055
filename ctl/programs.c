#include "ctl/programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/tool.h"

static bool is_program(const char *path)
{
    struct stat stat_of;

    return stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && access(path, X_OK) == 0;
}

int program_find_ours(const char *name, char path[PROGRAM_PATH_SIZE])
{
    char own[PROGRAM_PATH_SIZE / 2];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);

    own[size > 0 ? size : 0] = '\0';
    if (strrchr(own, '/') != NULL)
        *strrchr(own, '/') = '\0';
    (void)snprintf(path, PROGRAM_PATH_SIZE, "%s/%s", own, name);
    if (is_program(path))
        return 0;
    (void)tool_fail("%s is not there: it belongs beside dlmpctl, and `make` builds it", path);
    return -1;
}

int program_find(const char *name, const char *package, char path[PROGRAM_PATH_SIZE])
{
    const char *list = getenv("PATH");

    for (const char *at = list != NULL ? list : "/usr/bin:/bin"; *at != '\0';) {
        size_t size = strcspn(at, ":");

        (void)snprintf(path, PROGRAM_PATH_SIZE, "%.*s/%s", (int)(size < 2048 ? size : 0), at, name);
        if (path[0] == '/' && size > 0 && is_program(path))
            return 0;
        at += size + (at[size] == ':');
    }
    (void)tool_fail("%s is not in $PATH: install the package %s", name, package);
    return -1;
}
