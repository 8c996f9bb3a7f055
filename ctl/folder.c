#include "ctl/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/tool.h"

enum { PATH_MAX_FOR_SOCKETS = sizeof((struct sockaddr_un *)NULL)->sun_path - 1 - 1 - FOLDER_SOCKET_MAX };

static const char lock_name[] = "lock";

enum { REMOVE_FOLDERS_OPEN = 16 };

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat;
    (void)type;
    (void)place;
    (void)remove(path);
    return 0;
}

static void remove_sockets(const struct folder *folder)
{
    DIR *entries = opendir(folder->path);
    const struct dirent *entry;

    if (entries == NULL)
        return;
    /* cppcheck-suppress readdirCalled ; one thread, one folder */
    while ((entry = readdir(entries)) != NULL) {
        struct stat stat;

        if (fstatat(dirfd(entries), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(stat.st_mode))
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    (void)closedir(entries);
}

char *folder_join(const struct folder *folder, const char *name, char path[FOLDER_PATH_SIZE])
{
    (void)snprintf(path, FOLDER_PATH_SIZE, "%.*s/%s", FOLDER_PATH_SIZE / 2, folder->path, name);
    return path;
}

static int make_private(struct folder *folder)
{
    const char *parent = getenv("TMPDIR");

    if (parent == NULL || parent[0] != '/' || strlen(parent) > FOLDER_PATH_SIZE / 2)
        parent = "/tmp";
    (void)snprintf(folder->path, sizeof folder->path, "%s/dlmp-XXXXXX", parent);
    if (mkdtemp(folder->path) == NULL) {
        (void)tool_fail("cannot make a folder in %s: %s", parent, strerror(errno));
        return -1;
    }
    folder->is_private = true;
    return 0;
}

static int make_named(struct folder *folder, const char *path)
{
    char absolute[PATH_MAX];

    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || realpath(path, absolute) == NULL) {
        (void)tool_fail("cannot make the state folder %s: %s", path, strerror(errno));
        return -1;
    }
    (void)snprintf(folder->path, sizeof folder->path, "%s", absolute);
    return 0;
}

/* Whoever has the lock has written its process number into it. */
static void say_locked(const struct folder *folder)
{
    char pid[16] = "";
    ssize_t size = pread(folder->lock, pid, sizeof pid - 1, 0);

    pid[size > 0 ? size : 0] = '\0';
    pid[strcspn(pid, "\n")] = '\0';
    (void)tool_fail(
        "another cluster runs in %s (dlmpctl up, process %s): stop it, or name another --state folder",
        folder->path, pid[0] != '\0' ? pid : "unknown");
}

static int lock(struct folder *folder)
{
    char path[FOLDER_PATH_SIZE];
    char pid[16];
    int size = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());

    folder->lock =
        open(folder_join(folder, lock_name, path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (folder->lock < 0) {
        (void)tool_fail("cannot write to the state folder %s: %s", folder->path, strerror(errno));
        return -1;
    }
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0) {
        say_locked(folder);
        return -1;
    }
    if (ftruncate(folder->lock, 0) != 0 || pwrite(folder->lock, pid, (size_t)size, 0) != size) {
        (void)tool_fail("cannot write to the state folder %s: %s", folder->path, strerror(errno));
        return -1;
    }
    return 0;
}

/* What is in a private one goes with it; a named one loses its sockets, which are of no use any more. */
static void leave(struct folder *folder)
{
    if (folder->is_private)
        (void)nftw(folder->path, remove_entry, REMOVE_FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
    else if (folder->is_locked)
        remove_sockets(folder);
    if (folder->lock >= 0)
        close(folder->lock);
    *folder = (struct folder){ .lock = -1 };
}

int folder_open(struct folder *folder, const char *path)
{
    *folder = (struct folder){ .lock = -1 };
    if ((path == NULL ? make_private(folder) : make_named(folder, path)) != 0)
        return -1;
    if (strlen(folder->path) > PATH_MAX_FOR_SOCKETS)
        (void)tool_fail("the path of the state folder %s is too long for the sockets in it: at most %d bytes",
                        folder->path, PATH_MAX_FOR_SOCKETS);
    else
        folder->is_locked = lock(folder) == 0;
    if (folder->is_locked)
        return 0;
    leave(folder);
    return -1;
}

void folder_close(struct folder *folder)
{
    if (folder->is_locked)
        leave(folder);
}
