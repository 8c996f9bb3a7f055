/* files.h - the files of a resource: nothing outside of its folder, no link out of it, no devices. */
#ifndef DLMP_SHARD_SCRIPT_FILES_H
#define DLMP_SHARD_SCRIPT_FILES_H

#include <stddef.h>

enum { FILES_PATH_MAX = 255 }; /* ours: bytes */

/* Opens a regular file below the folder; `path` has plain parts only: no "..", no link anywhere. -1: errno
 * says why. */
int files_open(int folder, const char *path, int flags);

#endif
