#include "shard/script/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEW_FILE_MODE = 0644 };

static bool is_plain(const char *part)
{
    return part[0] != '\0' && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

/* O_NONBLOCK: to open a FIFO would wait for its other end. */
static int open_regular(int folder, const char *name, int flags)
{
    struct stat stat;
    int fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, NEW_FILE_MODE);

    if (fd < 0)
        return -1;
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
        return fd;
    (void)close(fd);
    errno = EACCES;
    return -1;
}

int files_open(int folder, const char *path, int flags)
{
    char parts[FILES_PATH_MAX + 1];
    size_t size = strlen(path);
    char *part = parts;
    int at = dup(folder);
    int fd = -1;

    if (size > FILES_PATH_MAX) {
        errno = ENAMETOOLONG;
        part = NULL;
    } else {
        memcpy(parts, path, size + 1);
    }
    while (at >= 0 && part != NULL) {
        char *slash = strchr(part, '/');
        int next;

        if (slash != NULL)
            *slash = '\0';
        if (!is_plain(part)) {
            errno = EACCES;
            break;
        }
        if (slash == NULL) {
            fd = open_regular(at, part, flags);
            break;
        }
        next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            break;
        (void)close(at);
        at = next;
        part = slash + 1;
    }
    if (at >= 0) {
        int why = errno;

        (void)close(at);
        errno = why;
    }
    return fd;
}
