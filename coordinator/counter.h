/* counter.h - a number of the whole cluster that only grows: player tokens, vehicle ids, revisions.
 *
 * Its highest value is kept in Redis and raised there a block at a time, ahead of need: what is handed out
 * comes from blocks that are reserved already, so Redis may go away for a while. What somebody has seen is
 * never handed out again, not even when Redis comes back with an older value: each reservation asks for
 * numbers above all that is known here. */
#ifndef DLMP_COORDINATOR_COUNTER_H
#define DLMP_COORDINATOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct counter {
    uint64_t max;   /* the highest number it may give */
    uint64_t block; /* how many are reserved at once */
    struct counter_range {
        uint64_t next;
        uint64_t end; /* the first number after it */
    } now, then;      /* the block in use, and the one after it */
    uint64_t seen;    /* the highest that anybody has been seen with */
    bool is_asked;    /* a reservation is on its way */
};

void counter_init(struct counter *counter, uint64_t block, uint64_t max);

/* The first of `count` numbers in a row. 0: none are reserved. */
uint64_t counter_take(struct counter *counter, uint64_t count);
/* Numbers up to this one are in use. */
void counter_see(struct counter *counter, uint64_t number);
uint64_t counter_left(const struct counter *counter);

/* Less than half a block is left, and no reservation is on its way. */
bool counter_wants(const struct counter *counter);
/* A new block must lie above this one. */
uint64_t counter_floor(const struct counter *counter);
/* The answer to a reservation. False: the block does not lie above the floor, or over the highest number. */
bool counter_grant(struct counter *counter, uint64_t first, uint64_t count);

#endif
