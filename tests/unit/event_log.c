#include "tests/unit/event_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void append(char *line, const struct event_value *value)
{
    size_t at = strlen(line);
    char *end = line + at;
    size_t room = EVENT_LINE_SIZE - at;

    switch (value->kind) {
    case EVENT_NIL:
        (void)snprintf(end, room, " nil");
        break;
    case EVENT_PLAYER:
        (void)snprintf(end, room, " %" PRIu32, value->player.id);
        break;
    case EVENT_VEHICLE:
        (void)snprintf(end, room, " %" PRIu32, value->vehicle);
        break;
    case EVENT_BOOLEAN:
        (void)snprintf(end, room, " %s", value->boolean ? "true" : "false");
        break;
    case EVENT_INTEGER:
        (void)snprintf(end, room, " %" PRId64, value->integer);
        break;
    case EVENT_NUMBER:
        (void)snprintf(end, room, " %g", value->number);
        break;
    case EVENT_TEXT:
        (void)snprintf(end, room, " '%s'", value->text);
        break;
    }
}

static bool on_event(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    struct event_log *log = context;
    char *line = log->lines[log->count];

    ck_assert_uint_lt(log->count, EVENT_LOG_MAX);
    log->count++;
    (void)snprintf(line, EVENT_LINE_SIZE, "%s", event_info(event)->name);
    for (size_t i = 0; i < count; i++)
        append(line, &arguments[i]);
    if (log->then != NULL)
        log->then(log->context, event);
    return (log->refuses >> event & 1) == 0;
}

void event_log_open(struct event_log *log, struct shard *shard)
{
    const struct event_hooks hooks = { .context = log, .raise = on_event };

    memset(log, 0, sizeof *log);
    shard_set_hooks(shard, &hooks);
    for (enum event event = 0; event < EVENT_COUNT; event++)
        event_listen(shard, event, event != EVENT_TICK);
}

size_t event_log_count(const struct event_log *log, const char *start)
{
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++)
        count += strncmp(log->lines[i], start, strlen(start)) == 0;
    return count;
}

const char *event_log_last(const struct event_log *log)
{
    return log->count == 0 ? "" : log->lines[log->count - 1];
}
