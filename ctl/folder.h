/* folder.h - the folder that a cluster on one machine keeps everything in: settings, sockets, Redis' data.
 *
 * Either a private one below $TMPDIR, which is removed with all that is in it at the end, or one that the
 * operator has named, which is made if it is not there, and kept. One cluster at a time has it: the lock is
 * the kernel's and ends with the process, however it ends. */
#ifndef DLMP_CTL_FOLDER_H
#define DLMP_CTL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum {
    FOLDER_PATH_SIZE = 4096,
    FOLDER_SOCKET_MAX = 24, /* ours: bytes of a socket's name in it */
};

struct folder {
    char path[FOLDER_PATH_SIZE]; /* absolute */
    int lock;                    /* the lock file, -1: none */
    bool is_locked;
    bool is_private;
};

/* `path` NULL: a private one. -1: it cannot be had; that was said on stderr, in one sentence. */
int folder_open(struct folder *folder, const char *path);
/* Removes the sockets, or all of a private one. */
void folder_close(struct folder *folder);

/* The path of something in it. Returns `path`. */
char *folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH_SIZE]);

#endif
