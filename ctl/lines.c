#include "ctl/lines.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)LINES_SIZE_MAX <= PIPE_BUF, "a pipe takes a line whole or not at all");

enum {
    HEAD_SIZE = 64,    /* of the name and what follows it */
    NAME_COLUMNS = 11, /* "coordinator" */
    REPORT_SIZE = 128,
};

struct lines_source {
    struct lines *lines;
    struct lines_source *next;
    char head[HEAD_SIZE];
    size_t head_size;
    char line[LINES_SIZE_MAX]; /* begun with the head, no end yet */
    size_t line_size;
    char buffer[LINES_BUFFER_SIZE]; /* whole lines: start to end */
    size_t start;
    size_t end;
    uint64_t left_out;
};

struct lines {
    int fd;
    bool is_ours; /* fd is not the caller's */
    bool is_socket;
    size_t count; /* of sources */
    struct lines_source *sources;
    struct lines_source *turn; /* whose lines come next */
    bool is_inside;            /* a line of `turn` has been written in part */
};

/* The same file, but with its own flags. It fails for sockets. */
static int open_nonblocking(int fd)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

struct lines *lines_open(int fd)
{
    struct lines *lines = calloc(1, sizeof *lines);
    struct stat stat;

    if (lines == NULL)
        return NULL;
    lines->is_socket = fstat(fd, &stat) == 0 && S_ISSOCK(stat.st_mode);
    lines->fd = lines->is_socket ? -1 : open_nonblocking(fd);
    lines->is_ours = lines->fd >= 0;
    if (!lines->is_ours)
        lines->fd = fd;
    return lines;
}

struct lines_source *lines_add(struct lines *lines, const char *name)
{
    struct lines_source *source = calloc(1, sizeof *source);
    struct lines_source **last = &lines->sources;
    int size;

    if (source == NULL)
        return NULL;
    source->lines = lines;
    size = snprintf(source->head, sizeof source->head, "%-*.32s | ", NAME_COLUMNS, name);
    assert(size > 0 && size < HEAD_SIZE);
    source->head_size = (size_t)size;
    while (*last != NULL)
        last = &(*last)->next;
    *last = source;
    if (lines->count++ == 0)
        lines->turn = source;
    return source;
}

/* ---- writing */

static ssize_t write_some(const struct lines *lines, const char *data, size_t size)
{
    struct pollfd output = { .fd = lines->fd, .events = POLLOUT };

    if (lines->is_socket)
        return send(lines->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (!lines->is_ours && poll(&output, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(lines->fd, data, size);
}

/* As many whole lines as a pipe takes at once, or the rest of the line that was begun. */
static size_t next_piece(const struct lines_source *source)
{
    const char *from = source->buffer + source->start;
    size_t waiting = source->end - source->start;
    const char *last = source->lines->is_inside
                           ? memchr(from, '\n', waiting)
                           : memrchr(from, '\n', waiting < PIPE_BUF ? waiting : PIPE_BUF);

    assert(last != NULL);
    return (size_t)(last + 1 - from);
}

static bool append(struct lines_source *source, const char *line, size_t size)
{
    if (LINES_BUFFER_SIZE - source->end < size) {
        source->end -= source->start;
        memmove(source->buffer, source->buffer + source->start, source->end);
        source->start = 0;
    }
    if (LINES_BUFFER_SIZE - source->end < size)
        return false;
    memcpy(source->buffer + source->end, line, size);
    source->end += size;
    return true;
}

static void report_left_out(struct lines_source *source)
{
    char line[HEAD_SIZE + REPORT_SIZE];
    int size;

    if (source->left_out == 0)
        return;
    size = snprintf(line, sizeof line, "%s(%llu lines were left out: the output is not read fast enough)\n",
                    source->head, (unsigned long long)source->left_out);
    if (append(source, line, (size_t)size))
        source->left_out = 0;
}

/* False: the output takes no more for now. */
static bool write_piece(struct lines *lines)
{
    struct lines_source *source = lines->turn;
    size_t size = next_piece(source);
    ssize_t written = write_some(lines, source->buffer + source->start, size);

    if (written < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (written < 0) /* a full disk, a reader that has gone: nobody will ever read it */
        written = (ssize_t)size;
    source->start += (size_t)written;
    lines->is_inside = (size_t)written < size && source->buffer[source->start - 1] != '\n';
    if (source->start == source->end) {
        source->start = 0;
        source->end = 0;
        report_left_out(source);
    }
    return true;
}

bool lines_drain(struct lines *lines)
{
    size_t idle = 0; /* sources in a row that have nothing to write */

    while (idle < lines->count) {
        struct lines_source *source = lines->turn;

        assert(source != NULL);
        if (source->start == source->end)
            idle++;
        else if (write_piece(lines))
            idle = 0;
        else
            return true;
        if (!lines->is_inside)
            lines->turn = source->next != NULL ? source->next : lines->sources;
    }
    return false;
}

/* ---- taking */

static void begin_line(struct lines_source *source)
{
    memcpy(source->line, source->head, source->head_size);
    source->line_size = source->head_size;
}

/* Before the first line that finds no room, it is tried to make some. */
static void queue_line(struct lines_source *source)
{
    source->line[source->line_size++] = '\n';
    report_left_out(source);
    if (source->left_out > 0) {
        source->left_out++;
    } else if (!append(source, source->line, source->line_size)) {
        (void)lines_drain(source->lines);
        if (!append(source, source->line, source->line_size))
            source->left_out = 1;
    }
    source->line_size = 0;
}

void lines_end(struct lines_source *source)
{
    if (source->line_size > 0)
        queue_line(source);
    (void)lines_drain(source->lines);
}

/* How much of the text fits in the line; a character is not cut in two where that can be told. */
static size_t cut(const struct lines_source *source, const char *text, size_t size)
{
    size_t room = LINES_SIZE_MAX - 1 - source->line_size;

    if (size <= room)
        return size;
    for (size_t back = 0; back < 4 && back < room; back++) {
        if (((unsigned char)text[room - back] & 0xC0) != 0x80)
            return room - back;
    }
    return room;
}

static void put_text(struct lines_source *source, const char *text, size_t size)
{
    while (size > 0) {
        size_t fits;

        if (source->line_size == 0)
            begin_line(source);
        fits = cut(source, text, size);
        memcpy(source->line + source->line_size, text, fits);
        source->line_size += fits;
        if (fits < size)
            queue_line(source);
        text += fits;
        size -= fits;
    }
}

void lines_put(struct lines_source *source, const char *data, size_t size)
{
    const char *end;

    while ((end = memchr(data, '\n', size)) != NULL) {
        put_text(source, data, (size_t)(end - data));
        if (source->line_size == 0)
            begin_line(source);
        queue_line(source);
        size -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    put_text(source, data, size);
    (void)lines_drain(source->lines);
}

/* ---- closing */

/* Goes on while the output takes something at least every LINES_CLOSE_WAIT_MS. */
static void drain_patiently(struct lines *lines)
{
    struct pollfd output = { .fd = lines->fd, .events = POLLOUT };

    while (lines_drain(lines)) {
        if (poll(&output, 1, LINES_CLOSE_WAIT_MS) <= 0)
            return;
    }
}

void lines_close(struct lines **lines)
{
    struct lines *closing = *lines;

    if (closing == NULL)
        return;
    *lines = NULL;
    for (struct lines_source *source = closing->sources; source != NULL; source = source->next)
        lines_end(source);
    drain_patiently(closing);
    if (closing->is_ours)
        close(closing->fd);
    while (closing->sources != NULL) {
        struct lines_source *source = closing->sources;

        closing->sources = source->next;
        free(source);
    }
    free(closing);
}
