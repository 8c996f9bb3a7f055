/* log.h - one line an event, for people and for machines.
 *
 *     LOG(INFO, "session_closed", KV("player", id), KV("reason", "timeout"), KV("unacked", unacked));
 *
 *     2026-03-01T12:00:00.250Z info gateway-1 session_closed player=17 reason=timeout unacked=41
 *     {"time":"2026-03-01T12:00:00.250Z","level":"info","process":"gateway-1","event":"session_closed",
 *      "player":17,"reason":"timeout","unacked":41}                                   (on one line as well)
 *
 * The event is a literal `noun_verbed` to grep for, keys are literals, and values carry their type: integers,
 * floats, bool, strings, spans. Whatever is in a text, a line stays one line and a value stays in its place:
 * quotes, control characters, characters that end a line or turn the direction of writing are escaped, what
 * is not UTF-8 becomes U+FFFD.
 *
 * Logging never waits and never grows. Lines go through a buffer of LOG_BUFFER_SIZE to a file descriptor that
 * does not block; when it is full, lines are dropped, counted, and the count is logged as `log_lines_dropped`
 * once there is room again. An event that repeats more often than `repeats_max` in `repeats_window_ms` is
 * left out until the window ends, and then logged as `log_repeats_suppressed` with the count. Values and
 * lines that are too long are cut where one sees it: with "…", with `truncated=true`.
 *
 * A write to a regular file is the one that may wait, since O_NONBLOCK means nothing there: where the disk
 * can be slow, log to a pipe (journald, a container's runtime, a shipper) and let its reader have the disk.
 *
 * There is one log a process, the one global of this code base: any function may have something to tell, and
 * nothing can read it, so no rule can come to depend on it. Until `log_open` it is silent. It is not for
 * several threads, nor for signal handlers. Tokens, cookies and passwords are never logged. */
#ifndef DLMP_COMMON_LOG_H
#define DLMP_COMMON_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

enum {
    LOG_LINE_MAX = 1024,               /* ours: bytes with the line feed; four of them fit one pipe write */
    LOG_TEXT_MAX = 256,                /* ours: bytes of one value as it is written */
    LOG_PROCESS_MAX = 63,              /* ours: bytes of the process name */
    LOG_BUFFER_SIZE = 64 * 1024,       /* ours: a burst of some hundred lines */
    LOG_EVENTS_MAX = 256,              /* ours: names told apart by the limit on repeats */
    LOG_REPEATS_MAX = 200,             /* ours: as many as one reads, and 20 lines a second at most */
    LOG_REPEATS_WINDOW_MS = 10 * 1000, /* ours */
    LOG_CLOSE_WAIT_MS = 200,           /* ours: how long closing waits for a reader that stands still */
};

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR, LOG_LEVEL_OFF };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

struct log_config {
    const char *process;  /* copied, at most LOG_PROCESS_MAX bytes of it */
    enum log_level level; /* the least that is written */
    enum log_format format;
    int fd;                     /* stays the caller's, and open until log_close */
    uint32_t repeats_max;       /* 0: LOG_REPEATS_MAX */
    uint32_t repeats_window_ms; /* 0: LOG_REPEATS_WINDOW_MS */
    uint64_t (*now_ms)(void);   /* NULL: clock_ms */
    uint64_t (*wall_ms)(void);  /* NULL: clock_wall_ms */
};

/* What became of the lines that were of a wanted level. */
struct log_stats {
    uint64_t written;    /* into the buffer, reports of the log itself included */
    uint64_t dropped;    /* no room in the buffer */
    uint64_t suppressed; /* repeats */
    uint64_t truncated;  /* written without some of their fields */
};

/* -1: `fd` cannot be written to, errno says why. Whoever logs to a pipe or a socket ignores SIGPIPE. */
int log_open(const struct log_config *config);
/* Writes what is left, reports included. Does nothing when the log is not open. */
void log_close(void);

/* Once a second or so: reports ended windows and dropped lines, writes what had to wait. */
void log_tick(void);

void log_set_level(enum log_level level);
bool log_wants(enum log_level level);
/* Since log_open. */
struct log_stats log_stats(void);

/* The arguments are evaluated only when the level is wanted. */
#define LOG(level, event, ...)                                                                       \
    do {                                                                                             \
        if (log_wants(LOG_LEVEL_##level))                                                            \
            log_write(LOG_LEVEL_##level, "" event, (const struct log_field[]){ __VA_ARGS__ },        \
                      sizeof((const struct log_field[]){ __VA_ARGS__ }) / sizeof(struct log_field)); \
    } while (0)

#define KV(key, value) \
    _Generic((value),                   \
        bool: log_bool,                 \
        char: log_int,                  \
        signed char: log_int,           \
        short: log_int,                 \
        int: log_int,                   \
        long: log_int,                  \
        long long: log_int,             \
        unsigned char: log_uint,        \
        unsigned short: log_uint,       \
        unsigned int: log_uint,         \
        unsigned long: log_uint,        \
        unsigned long long: log_uint,   \
        float: log_float,               \
        double: log_double,             \
        char *: log_text,               \
        const char *: log_text,         \
        struct span: log_span)("" key, value)

/* What LOG and KV are made of. Keys and texts are borrowed for the call; the event's name is kept. */
struct log_field {
    const char *key;
    enum log_type { LOG_BOOL, LOG_INT, LOG_UINT, LOG_FLOAT, LOG_DOUBLE, LOG_TEXT, LOG_NULL } type;
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        struct span text;
    } as;
};

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count);

struct log_field log_bool(const char *key, bool value);
struct log_field log_int(const char *key, int64_t value);
struct log_field log_uint(const char *key, uint64_t value);
struct log_field log_float(const char *key, float value);
struct log_field log_double(const char *key, double value);
struct log_field log_text(const char *key, const char *value); /* NULL is written as null */
struct log_field log_span(const char *key, struct span value);

#endif
