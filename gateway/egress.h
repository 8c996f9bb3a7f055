/* egress.h - the datagrams that leave in one round, gathered per recipient.
 *
 * A packet for many is held once and named by each recipient. What one recipient gets comes out in runs of
 * equally long datagrams: a run is one system call and, with UDP_SEGMENT, one packet for most of the kernel.
 * Datagrams of a lane keep their order among themselves, and so do those of one size; a frame may overtake an
 * event, as on any network.
 *
 * A round lasts until `egress_clear`. The egress also tells whether waiting gathers anything: how many
 * datagrams a recipient of the last moments would get within a window, and in how many bursts.
 *
 * Spec: design.md, "Fan-out"; performance.md, point 3. */
#ifndef DLMP_GATEWAY_EGRESS_H
#define DLMP_GATEWAY_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/address.h"
#include "common/arena.h"
#include "common/cursor.h"

enum {
    EGRESS_RUN_MAX = 64,              /* UDP_MAX_SEGMENTS of every kernel that has UDP_SEGMENT */
    EGRESS_RUN_BYTES_MAX = 60 * 1000, /* ours: below 65,507 bytes of one UDP send */
    EGRESS_BYTES_MAX = 64 << 20,      /* ours: what a round may hold; far above 10,000 connections' due */
    EGRESS_DATAGRAMS_MAX = 1 << 20,   /* ours */
    EGRESS_STRANGERS_MAX = 16 * 1024, /* ours: answers to no connection in a round */
};

#define EGRESS_NOBODY UINT32_MAX

/* Of a period how many there were, and the sum of how many the recipient of each got in all. */
struct egress_crowd {
    uint64_t count;
    uint64_t together;
    uint32_t last; /* of the last period: how many a recipient got, as each of them sees it */
};

struct egress {
    struct arena arena;
    struct egress_recipient *recipients; /* the sessions' slots, then strangers in the order they came */
    uint32_t sessions;
    uint32_t strangers;
    uint32_t *active; /* who gets something */
    uint32_t active_count;
    uint32_t active_done;
    struct egress_datagram *datagrams;
    uint32_t count;
    uint32_t capacity;
    uint64_t round;  /* +1 with each clear */
    uint64_t queued; /* datagrams since the start */

    /* How crowded it is, period by period. */
    uint64_t period_ms;
    uint64_t period_number;
    uint64_t burst; /* which one it is, counted from the start */
    struct egress_crowd datagrams_seen;
    struct egress_crowd bursts_seen;
};

/* -1: no memory. */
int egress_init(struct egress *egress, uint32_t sessions);
void egress_fini(struct egress *egress);

/* Room for a packet of this round, to be filled and then given to recipients. NULL: the round is full. */
uint8_t *egress_alloc(struct egress *egress, size_t size);

/* The bytes must stay until the round ends. `slot` is the session's, EGRESS_NOBODY for a stranger. `ordered`:
 * of a lane. False: the round is full, the datagram is dropped. */
bool egress_add(struct egress *egress, uint32_t slot, const struct address *to, const uint8_t *data,
                size_t size, bool ordered, uint64_t now_ms);

/* Datagrams wait to be taken. */
bool egress_is_pending(const struct egress *egress);
/* What is added from here on comes later than what was added before: another iteration of the loop. */
void egress_end_burst(struct egress *egress);
/* How long it takes until as many datagrams a recipient have come as are worth waiting for. 0: so few come
 * that waiting gathers nothing. */
uint32_t egress_gathers_in_us(const struct egress *egress);
/* A recipient gets something in more than two bursts a window. One burst gathers without waiting. */
bool egress_is_scattered(const struct egress *egress, uint32_t window_us);

struct egress_run {
    struct address to;
    size_t size; /* of each */
    size_t count;
    const uint8_t *data[EGRESS_RUN_MAX];
};

/* Takes the next run out of the round. False: all have been taken. */
bool egress_take(struct egress *egress, struct egress_run *run);
/* Ends the round: gives up everything in it. */
void egress_clear(struct egress *egress);

#endif
