/* off.h - the file that names the resources that must not start, a line each. The watchdog adds to it. */
#ifndef DLMP_SHARD_SCRIPT_OFF_H
#define DLMP_SHARD_SCRIPT_OFF_H

#include <stdbool.h>

enum { OFF_FILE_MAX = 64 << 10 }; /* ours: bytes that are looked at */

/* "": there is none. A file that is not there names nobody. */
bool off_names(const char *file, const char *resource);
/* Leaves the others in it. False: it cannot be written. */
bool off_remove(const char *file, const char *resource);

#endif
