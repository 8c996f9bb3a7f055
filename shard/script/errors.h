/* errors.h - a resource's errors on their way to the log: repeats are counted, not written. */
#ifndef DLMP_SHARD_SCRIPT_ERRORS_H
#define DLMP_SHARD_SCRIPT_ERRORS_H

#include <stdint.h>

enum {
    ERRORS_KINDS_MAX = 16,    /* ours: different errors of a resource in a window; more are only counted */
    ERRORS_WINDOW_MS = 10000, /* ours */
};

struct errors {
    uint64_t since_ms;
    struct {
        uint64_t hash;
        uint32_t repeats;
    } kinds[ERRORS_KINDS_MAX];
    uint32_t kinds_count;
    uint32_t others;
};

struct resource;

void errors_log(struct resource *resource, const char *what, const char *error, const char *trace);
/* Writes what was counted once its window is over. */
void errors_tick(struct resource *resource, uint64_t now_ms);

#endif
