/* lane.h - the reliable event stream of a connection, both directions.
 *
 * Go-Back-N with a cumulative ack. Events are numbered 1, 2, 3, …; a refused event takes no number, so the
 * stream has no gaps. A lane reads no clock and sends nothing: it is told the time, and hands out what is
 * due.
 *
 * Spec: Protocol, "Reliable event lane". */
#ifndef DLMP_GATEWAY_LANE_H
#define DLMP_GATEWAY_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/frames.h"

/* Protocol, "Reliable event lane": the server's queue limits and resend timing. */
enum {
    LANE_DROPPABLE_MAX = 256,
    LANE_UNACKED_MAX = 512,
    LANE_RTO_MS = 250,
    LANE_CHECK_MS = 100,
    LANE_RESENDS_MAX = 32,
    LANE_NO_PROGRESS_MS = 15 * 1000,
};
_Static_assert(LANE_DROPPABLE_MAX < LANE_UNACKED_MAX, "critical events need room above the droppable ones");

/* ---- server to client: the sender */

/* OWN: as CRITICAL, but the gateway's. The shard counts the lane too and does not know of these: they are no
 * part of the count that droppable events are refused by, nor of what is reported to the shard. */
enum lane_delivery { LANE_DROPPABLE, LANE_CRITICAL, LANE_OWN };
enum lane_push { LANE_QUEUED, LANE_DROPPED, LANE_FULL };
enum lane_ack { LANE_ACK_MOVED, LANE_ACK_OLD, LANE_ACK_AHEAD };

struct lane_event {
    struct frame *frame;
    uint64_t sent_ms;
    uint64_t tag; /* 0: nobody waits for its ack */
    uint32_t event_id;
    bool own;
};

struct lane {
    struct lane_event *events; /* a ring of unacked ones; its capacity, a power of two, grows with them */
    uint32_t capacity;
    uint32_t count;
    uint32_t last_id;  /* of the last event queued; 0: none */
    uint32_t acked_id; /* highest acked */
    uint32_t own_unacked;
    uint32_t own_acked;
    uint64_t progress_ms; /* since when the oldest event waits without an ack that moves the queue */
};

void lane_init(struct lane *lane);
void lane_fini(struct lane *lane, struct frames *frames);

/* Queues the event and holds its frame; the caller sends it at once, as number last_id. LANE_DROPPED:
 * refused, takes no number. LANE_FULL: the peer has stopped acking, disconnect it. */
enum lane_push lane_push(struct lane *lane, enum lane_delivery delivery, struct frame *frame, uint64_t tag,
                         uint64_t now_ms);

/* Drops the events up to this one. Those that have a tag are told, in order. */
enum lane_ack lane_ack(struct lane *lane, struct frames *frames, uint32_t event_id, uint64_t now_ms,
                       void (*on_tag)(void *arg, uint64_t tag), void *arg);

/* The events to send again now, oldest first, at most LANE_RESENDS_MAX, to be asked for every LANE_CHECK_MS.
 * Borrowed until the next call on this lane. */
size_t lane_due(struct lane *lane, uint64_t now_ms, const struct lane_event *due[LANE_RESENDS_MAX]);

uint32_t lane_pending(const struct lane *lane);
/* How many of the shard's events have been acked. */
uint32_t lane_acked_of_shard(const struct lane *lane);
/* Events have waited LANE_NO_PROGRESS_MS without an ack that moved the queue: disconnect. */
bool lane_is_stuck(const struct lane *lane, uint64_t now_ms);

/* ---- client to server: the receiver */

enum lane_receipt { LANE_NEXT, LANE_REPEATED, LANE_AHEAD };

struct lane_receiver {
    uint32_t delivered_id; /* highest delivered without a gap: what each ack carries */
};

enum lane_receipt lane_receipt(const struct lane_receiver *receiver, uint32_t event_id);
/* Only after LANE_NEXT, when the event has been taken. */
void lane_delivered(struct lane_receiver *receiver, uint32_t event_id);

#endif
