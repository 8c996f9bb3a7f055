/* event_log.h - a gamemode to test with: it notes what it hears, refuses what it is told to, and may do
 * something in the middle of an event. */
#ifndef DLMP_TESTS_UNIT_EVENT_LOG_H
#define DLMP_TESTS_UNIT_EVENT_LOG_H

#include "tests/unit/shard_stage.h"

enum { EVENT_LOG_MAX = 256, EVENT_LINE_SIZE = 600 };

struct event_log {
    char lines[EVENT_LOG_MAX][EVENT_LINE_SIZE]; /* "player_spawn 1", "scope_start 4 0" */
    size_t count;
    uint64_t refuses; /* bits by event */
    /* Called with each event after it was noted. */
    void (*then)(void *context, enum event event);
    void *context;
};

/* Listens to every event of the shard but `tick`. */
void event_log_open(struct event_log *log, struct shard *shard);
/* How many lines are there that begin so? */
size_t event_log_count(const struct event_log *log, const char *start);
/* The last line; "" when there is none. */
const char *event_log_last(const struct event_log *log);

#endif
