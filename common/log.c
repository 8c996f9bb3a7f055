#include "common/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"

_Static_assert(LOG_LINE_MAX <= PIPE_BUF, "a pipe takes a line whole or not at all");
_Static_assert(LOG_LINE_MAX <= LOG_BUFFER_SIZE / 4, "a report finds room in a buffer that is half empty");

/* How often one event was logged in its present window. */
struct repeats {
    const char *event; /* NULL: an unused entry */
    uint64_t since_ms;
    uint32_t count;
    uint64_t suppressed;
    enum log_level level; /* the highest of the suppressed lines */
};

static struct log {
    struct log_config config;
    char process[LOG_PROCESS_MAX + 1];
    int fd;       /* -1: not open */
    bool is_ours; /* fd is not the caller's */
    bool is_socket;

    char buffer[LOG_BUFFER_SIZE];
    size_t start; /* what is not yet written lies from start to end, in whole lines but for the first */
    size_t end;

    struct repeats repeats[LOG_EVENTS_MAX]; /* a hash table with linear probing; names never leave it */
    struct repeats others;                  /* of all events that found it full */
    uint64_t unreported_drops;
    struct log_stats stats;
} the_log = { .fd = -1 };

/* ---- the output ---- */

/* A descriptor for the same file that does not block. O_NONBLOCK belongs to the open file, and a terminal or
 * a pipe is shared with programs that are not prepared for it: hence an open file of our own, where the
 * system lets us have one. */
static int open_nonblocking(int fd)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int open_output(struct log *log, int fd)
{
    struct stat stat;
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || fstat(fd, &stat) != 0)
        return -1;
    if ((flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    log->fd = fd;
    log->is_socket = S_ISSOCK(stat.st_mode);
    if (log->is_socket)
        return 0;

    int own = open_nonblocking(fd);

    log->is_ours = own >= 0;
    if (log->is_ours)
        log->fd = own;
    else if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return -1;
    return 0;
}

static size_t waiting(const struct log *log)
{
    return log->end - log->start;
}

/* Whatever the error is, the lines stay where they are: a full disk or pipe may have room the next time. */
static ssize_t write_some(const struct log *log, const char *data, size_t size)
{
    if (log->is_socket)
        return send(log->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return write(log->fd, data, size);
}

/* Writes what the output takes now. Whole lines of at most PIPE_BUF bytes, so that those of several processes
 * on one pipe do not mix. */
static void drain(struct log *log)
{
    while (waiting(log) > 0) {
        const char *from = log->buffer + log->start;
        size_t most = waiting(log) < PIPE_BUF ? waiting(log) : PIPE_BUF;
        const char *last = memrchr(from, '\n', most);

        assert(last != NULL);
        ssize_t written = write_some(log, from, (size_t)(last + 1 - from));
        if (written <= 0)
            return;
        log->start += (size_t)written;
    }
    log->start = 0;
    log->end = 0;
}

/* Ends when all is written, when the output takes nothing for LOG_CLOSE_WAIT_MS, or when it fails: each round
 * but the last makes the buffer shorter. */
static void drain_patiently(struct log *log)
{
    size_t before;

    do {
        struct pollfd output = { .fd = log->fd, .events = POLLOUT };

        before = waiting(log);
        if (before > 0 && poll(&output, 1, LOG_CLOSE_WAIT_MS) > 0)
            drain(log);
    } while (waiting(log) < before);
}

static bool append(struct log *log, const char *line, size_t size)
{
    if (LOG_BUFFER_SIZE - waiting(log) < size)
        drain(log);
    if (LOG_BUFFER_SIZE - waiting(log) < size)
        return false;
    if (LOG_BUFFER_SIZE - log->end < size) {
        log->end = waiting(log);
        memmove(log->buffer, log->buffer + log->start, log->end);
        log->start = 0;
    }
    memcpy(log->buffer + log->end, line, size);
    log->end += size;
    log->stats.written++;
    return true;
}

/* ---- a line ---- */

static struct span span_of(const char *text)
{
    return (struct span){ .data = (const uint8_t *)text, .size = strlen(text) };
}

static void put(struct writer *out, const char *text)
{
    write_span(out, span_of(text));
}

static const char ellipsis[] = "\xE2\x80\xA6";
static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static uint32_t code_point(struct span character)
{
    const uint8_t *at = character.data;

    switch (character.size) {
    case 1:
        return at[0];
    case 2:
        return (at[0] & 0x1FU) << 6 | (at[1] & 0x3FU);
    case 3:
        return (at[0] & 0x0FU) << 12 | (at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
    default:
        return (at[0] & 0x07U) << 18 | (at[1] & 0x3FU) << 12 | (at[2] & 0x3FU) << 6 | (at[3] & 0x3FU);
    }
}

/* What a terminal obeys instead of showing it: control characters, line and paragraph separators, marks that
 * turn the direction of writing. All of them are below U+10000. */
static bool is_obeyed(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

enum { PIECE_SIZE = 7 }; /* "\u001f" and its terminator */

/* Writes the first character of the text the way it stands between quotes. Gives how many bytes of the text
 * it was. */
static size_t escape(struct span text, char piece[PIECE_SIZE])
{
    size_t size = text_char_size(text);

    if (size == 0) {
        memcpy(piece, replacement, sizeof replacement);
        return 1;
    }

    uint32_t c = code_point((struct span){ .data = text.data, .size = size });

    if (c == '\n')
        memcpy(piece, "\\n", 3);
    else if (c == '\r')
        memcpy(piece, "\\r", 3);
    else if (c == '\t')
        memcpy(piece, "\\t", 3);
    else if (c == '"' || c == '\\')
        memcpy(piece, (const char[]){ '\\', (char)c, '\0' }, 3);
    else if (is_obeyed(c))
        (void)snprintf(piece, PIECE_SIZE, "\\u%04x", c & 0xFFFF);
    else {
        memcpy(piece, text.data, size);
        piece[size] = '\0';
    }
    return size;
}

static bool needs_no_quotes(struct span text)
{
    if (text.size == 0 || text.size > LOG_TEXT_MAX)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte <= ' ' || byte >= 0x7F || byte == '"' || byte == '=' || byte == '\\')
            return false;
    }
    return true;
}

static void put_text(struct writer *out, enum log_format format, struct span text)
{
    uint8_t room[LOG_TEXT_MAX];
    uint8_t *cut = room; /* the end of the last character that leaves room for the ellipsis */
    struct writer escaped;

    if (format == LOG_FORMAT_LOGFMT && needs_no_quotes(text)) {
        write_span(out, text);
        return;
    }
    writer_init(&escaped, room, sizeof room);
    for (size_t at = 0; at < text.size;) {
        char piece[PIECE_SIZE];

        at += escape((struct span){ .data = text.data + at, .size = text.size - at }, piece);
        put(&escaped, piece);
        if (escaped.bad) {
            escaped.at = cut;
            escaped.bad = false;
            put(&escaped, ellipsis);
            break;
        }
        if ((size_t)(escaped.end - escaped.at) >= strlen(ellipsis))
            cut = escaped.at;
    }
    put(out, "\"");
    write_span(out, (struct span){ .data = room, .size = writer_size(&escaped) });
    put(out, "\"");
}

/* JSON has no number for what is not finite: there it becomes a text. */
static void put_real(struct writer *out, enum log_format format, double value, int digits)
{
    char number[32];

    if (isnan(value))
        put_text(out, format, span_of("nan"));
    else if (isinf(value))
        put_text(out, format, span_of(value > 0 ? "inf" : "-inf"));
    else {
        (void)snprintf(number, sizeof number, "%.*g", digits, value);
        put(out, number);
    }
}

static void put_value(struct writer *out, enum log_format format, const struct log_field *field)
{
    char number[32];

    switch (field->type) {
    case LOG_BOOL:
        put(out, field->as.boolean ? "true" : "false");
        break;
    case LOG_INT:
        (void)snprintf(number, sizeof number, "%lld", (long long)field->as.integer);
        put(out, number);
        break;
    case LOG_UINT:
        (void)snprintf(number, sizeof number, "%llu", (unsigned long long)field->as.natural);
        put(out, number);
        break;
    case LOG_FLOAT: /* as many digits as show 0.1 as 0.1 */
        put_real(out, format, field->as.real, 7);
        break;
    case LOG_DOUBLE:
        put_real(out, format, field->as.real, 15);
        break;
    case LOG_TEXT:
        put_text(out, format, field->as.text);
        break;
    case LOG_NULL:
        put(out, "null");
        break;
    }
}

static void put_head(struct writer *out, const struct log *log, enum log_level level, const char *event)
{
    static const char *const level_names[] = { "debug", "info", "warn", "error" };
    bool json = log->config.format == LOG_FORMAT_JSON;
    char stamp[CLOCK_STAMP_SIZE];

    clock_stamp(log->config.wall_ms(), stamp);
    put(out, json ? "{\"time\":\"" : "");
    put(out, stamp);
    put(out, json ? "\",\"level\":\"" : " ");
    put(out, level_names[level]);
    put(out, json ? "\",\"process\":" : " ");
    put_text(out, log->config.format, span_of(log->process));
    put(out, json ? ",\"event\":" : " ");
    put_text(out, log->config.format, span_of(event));
}

static void put_field(struct writer *out, enum log_format format, const struct log_field *field)
{
    bool json = format == LOG_FORMAT_JSON;

    put(out, json ? ",\"" : " ");
    put(out, field->key);
    put(out, json ? "\":" : "=");
    put_value(out, format, field);
}

/* Room that is kept free for the end of a line: ,"truncated":true} and the line feed. */
enum { END_MAX = 19 };

static bool emit(struct log *log, enum log_level level, const char *event, const struct log_field *fields,
                 size_t count)
{
    enum log_format format = log->config.format;
    bool truncated = false;
    char line[LOG_LINE_MAX];
    struct writer out;

    writer_init(&out, (uint8_t *)line, sizeof line - END_MAX);
    put_head(&out, log, level, event);
    assert(!out.bad);
    for (size_t i = 0; i < count && !truncated; i++) {
        uint8_t *before = out.at;

        put_field(&out, format, &fields[i]);
        truncated = out.bad;
        if (truncated) {
            out.at = before;
            out.bad = false;
        }
    }
    out.end += END_MAX;
    if (truncated)
        put_field(&out, format, &(struct log_field){ "truncated", LOG_BOOL, { .boolean = true } });
    put(&out, format == LOG_FORMAT_JSON ? "}\n" : "\n");
    assert(!out.bad);

    bool appended = append(log, line, writer_size(&out));

    log->stats.truncated += appended && truncated ? 1 : 0;
    return appended;
}

/* ---- reports ---- */

static void report_drops(struct log *log)
{
    struct log_field count = log_uint("count", log->unreported_drops);

    if (log->unreported_drops > 0 && emit(log, LOG_LEVEL_WARN, "log_lines_dropped", &count, 1))
        log->unreported_drops = 0;
}

static void report_repeats(struct log *log, struct repeats *repeats)
{
    struct log_field fields[] = {
        log_text("name", repeats->event),
        log_uint("count", repeats->suppressed),
    };

    if (repeats->suppressed > 0 && emit(log, repeats->level, "log_repeats_suppressed", fields, 2)) {
        repeats->suppressed = 0;
        repeats->level = LOG_LEVEL_DEBUG;
    }
}

static bool window_is_over(const struct log *log, const struct repeats *repeats, uint64_t now_ms)
{
    return now_ms - repeats->since_ms >= log->config.repeats_window_ms;
}

static struct repeats *repeats_of(struct log *log, const char *event)
{
    uint32_t hash = 2166136261; /* FNV-1a */

    for (const char *at = event; *at != '\0'; at++)
        hash = (hash ^ (uint8_t)*at) * 16777619;
    for (uint32_t i = 0; i < LOG_EVENTS_MAX; i++) {
        struct repeats *repeats = &log->repeats[(hash + i) % LOG_EVENTS_MAX];

        if (repeats->event == NULL)
            repeats->event = event;
        if (strcmp(repeats->event, event) == 0)
            return repeats;
    }
    return &log->others;
}

/* False when the line is one too many, and only counted. */
static bool count_repeat(struct log *log, enum log_level level, const char *event)
{
    struct repeats *repeats = repeats_of(log, event);
    uint64_t now_ms = log->config.now_ms();

    if (repeats->count == 0 || window_is_over(log, repeats, now_ms)) {
        report_repeats(log, repeats);
        repeats->since_ms = now_ms;
        repeats->count = 0;
    }
    if (repeats->count < log->config.repeats_max) {
        repeats->count++;
        return true;
    }
    if (repeats->level < level)
        repeats->level = level;
    repeats->suppressed++;
    log->stats.suppressed++;
    return false;
}

/* ---- what the header offers ---- */

int log_open(const struct log_config *config)
{
    struct log *log = &the_log;

    assert(log->fd < 0);
    assert(config->process != NULL);
    *log = (struct log){ .config = *config, .fd = -1, .others = { .event = "other_events" } };
    if (open_output(log, config->fd) != 0) {
        log->fd = -1;
        return -1;
    }
    (void)snprintf(log->process, sizeof log->process, "%s", config->process);
    log->config.process = log->process;
    if (log->config.repeats_max == 0)
        log->config.repeats_max = LOG_REPEATS_MAX;
    if (log->config.repeats_window_ms == 0)
        log->config.repeats_window_ms = LOG_REPEATS_WINDOW_MS;
    if (log->config.now_ms == NULL)
        log->config.now_ms = clock_ms;
    if (log->config.wall_ms == NULL)
        log->config.wall_ms = clock_wall_ms;
    return 0;
}

void log_close(void)
{
    struct log *log = &the_log;

    if (log->fd < 0)
        return;
    drain_patiently(log);
    if (waiting(log) == 0) {
        for (size_t i = 0; i < LOG_EVENTS_MAX; i++)
            report_repeats(log, &log->repeats[i]);
        report_repeats(log, &log->others);
        report_drops(log);
        drain_patiently(log);
    }
    if (log->is_ours)
        close(log->fd);
    log->fd = -1;
}

void log_tick(void)
{
    struct log *log = &the_log;

    if (log->fd < 0)
        return;
    drain(log);

    uint64_t now_ms = log->config.now_ms();

    for (size_t i = 0; i < LOG_EVENTS_MAX; i++) {
        if (window_is_over(log, &log->repeats[i], now_ms))
            report_repeats(log, &log->repeats[i]);
    }
    if (window_is_over(log, &log->others, now_ms))
        report_repeats(log, &log->others);
    /* Not before the buffer is half empty, or each line that finds room would be followed by a report on the
     * next. */
    if (waiting(log) <= LOG_BUFFER_SIZE / 2)
        report_drops(log);
    drain(log);
}

void log_set_level(enum log_level level)
{
    the_log.config.level = level;
}

bool log_wants(enum log_level level)
{
    return the_log.fd >= 0 && level >= the_log.config.level;
}

struct log_stats log_stats(void)
{
    return the_log.stats;
}

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
    struct log *log = &the_log;

    assert(level < LOG_LEVEL_OFF);
    if (!log_wants(level) || !count_repeat(log, level, event))
        return;
    if (waiting(log) <= LOG_BUFFER_SIZE / 2)
        report_drops(log);
    if (!emit(log, level, event, fields, count)) {
        log->unreported_drops++;
        log->stats.dropped++;
    }
    drain(log);
}

struct log_field log_bool(const char *key, bool value)
{
    return (struct log_field){ key, LOG_BOOL, { .boolean = value } };
}

struct log_field log_int(const char *key, int64_t value)
{
    return (struct log_field){ key, LOG_INT, { .integer = value } };
}

struct log_field log_uint(const char *key, uint64_t value)
{
    return (struct log_field){ key, LOG_UINT, { .natural = value } };
}

struct log_field log_float(const char *key, float value)
{
    return (struct log_field){ key, LOG_FLOAT, { .real = (double)value } };
}

struct log_field log_double(const char *key, double value)
{
    return (struct log_field){ key, LOG_DOUBLE, { .real = value } };
}

struct log_field log_text(const char *key, const char *value)
{
    return value != NULL ? log_span(key, span_of(value)) : (struct log_field){ .key = key, .type = LOG_NULL };
}

struct log_field log_span(const char *key, struct span value)
{
    return (struct log_field){ key, LOG_TEXT, { .text = value } };
}
