/* lines.h - what many processes print, as lines on one output.
 *
 *     shard-1     | 2026-03-01T12:00:00.250Z info shard-1 scope_taken virtual_world=0
 *
 * Whoever reads the output may be slow, or stand still: nobody waits for it. Each source has its own buffer;
 * when that is full its lines are left out and counted, and the count is told once there is room again. The
 * sources take turns, so a source that floods costs the others nothing. A line that is too long is cut into
 * several. */
#ifndef DLMP_CTL_LINES_H
#define DLMP_CTL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINES_SIZE_MAX = 4096,         /* ours: bytes of a line as it is written; a pipe takes it whole */
    LINES_BUFFER_SIZE = 64 * 1024, /* ours: of a source */
    LINES_CLOSE_WAIT_MS = 200,     /* ours: how long closing waits for a reader that stands still */
};

struct lines;
struct lines_source;

/* The descriptor stays the caller's, and as it is: others may share it. NULL: no memory. */
struct lines *lines_open(int fd);
/* Writes what is left, the last line of each source too if it has no end. */
void lines_close(struct lines **lines);

/* NULL: no memory. It lives as long as the lines. */
struct lines_source *lines_add(struct lines *lines, const char *name);

/* Any bytes; a line is written when its end comes, at once if the output takes it. */
void lines_put(struct lines_source *source, const char *data, size_t size);
/* Ends a line that has no end yet: nothing more comes for now. */
void lines_end(struct lines_source *source);

/* Writes what had to wait, as far as the output takes it. True: something waits still. */
bool lines_drain(struct lines *lines);

#endif
