#include "gateway/lane.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANE_CAPACITY_MIN = 8 }; /* ours: a quiet connection */

void lane_init(struct lane *lane)
{
    *lane = (struct lane){ 0 };
}

static struct lane_event *event_at(const struct lane *lane, uint32_t event_id)
{
    return &lane->events[event_id & (lane->capacity - 1)];
}

void lane_fini(struct lane *lane, struct frames *frames)
{
    for (uint32_t i = 1; i <= lane->count; i++)
        frames_release(frames, event_at(lane, lane->acked_id + i)->frame);
    free(lane->events);
    *lane = (struct lane){ 0 };
}

/* Events lie where their number says, so they move when the ring grows. */
static void grow(struct lane *lane)
{
    uint32_t capacity = lane->capacity > 0 ? lane->capacity * 2 : LANE_CAPACITY_MIN;
    struct lane_event *events = calloc(capacity, sizeof *events);

    if (events == NULL) {
        (void)fputs("no memory left for a lane\n", stderr);
        abort();
    }
    for (uint32_t i = 1; i <= lane->count; i++)
        events[(lane->acked_id + i) & (capacity - 1)] = *event_at(lane, lane->acked_id + i);
    free(lane->events);
    lane->events = events;
    lane->capacity = capacity;
}

enum lane_push lane_push(struct lane *lane, enum lane_delivery delivery, struct frame *frame, uint64_t tag,
                         uint64_t now_ms)
{
    if (delivery == LANE_DROPPABLE && lane->count - lane->own_unacked >= LANE_DROPPABLE_MAX)
        return LANE_DROPPED;
    /* A lane whose numbers are used up, after years, ends as one that is full: it cannot go on. */
    if (lane->count + 1 >= LANE_UNACKED_MAX || lane->last_id == UINT32_MAX)
        return LANE_FULL;
    if (lane->count == lane->capacity)
        grow(lane);
    if (lane->count == 0)
        lane->progress_ms = now_ms;
    lane->last_id++;
    lane->count++;
    lane->own_unacked += delivery == LANE_OWN;
    *event_at(lane, lane->last_id) = (struct lane_event){ .frame = frames_hold(frame),
                                                          .sent_ms = now_ms,
                                                          .tag = tag,
                                                          .event_id = lane->last_id,
                                                          .own = delivery == LANE_OWN };
    assert(lane->acked_id + lane->count == lane->last_id);
    return LANE_QUEUED;
}

enum lane_ack lane_ack(struct lane *lane, struct frames *frames, uint32_t event_id, uint64_t now_ms,
                       void (*on_tag)(void *arg, uint64_t tag), void *arg)
{
    if (event_id > lane->last_id)
        return LANE_ACK_AHEAD;
    if (event_id <= lane->acked_id)
        return LANE_ACK_OLD;
    while (lane->acked_id < event_id) {
        struct lane_event *event = event_at(lane, lane->acked_id + 1);

        assert(event->event_id == lane->acked_id + 1);
        lane->acked_id++;
        lane->count--;
        lane->own_unacked -= event->own;
        lane->own_acked += event->own;
        frames_release(frames, event->frame);
        if (event->tag != 0)
            on_tag(arg, event->tag);
    }
    lane->progress_ms = now_ms;
    return LANE_ACK_MOVED;
}

size_t lane_due(struct lane *lane, uint64_t now_ms, const struct lane_event *due[LANE_RESENDS_MAX])
{
    size_t count = 0;

    for (uint32_t i = 1; i <= lane->count && count < LANE_RESENDS_MAX; i++) {
        struct lane_event *event = event_at(lane, lane->acked_id + i);

        if (now_ms - event->sent_ms < LANE_RTO_MS)
            continue;
        event->sent_ms = now_ms;
        due[count++] = event;
    }
    return count;
}

uint32_t lane_pending(const struct lane *lane)
{
    return lane->count;
}

uint32_t lane_acked_of_shard(const struct lane *lane)
{
    return lane->acked_id - lane->own_acked;
}

bool lane_is_stuck(const struct lane *lane, uint64_t now_ms)
{
    return lane->count > 0 && now_ms - lane->progress_ms >= LANE_NO_PROGRESS_MS;
}

enum lane_receipt lane_receipt(const struct lane_receiver *receiver, uint32_t event_id)
{
    if (event_id <= receiver->delivered_id)
        return LANE_REPEATED;
    return event_id - receiver->delivered_id == 1 ? LANE_NEXT : LANE_AHEAD;
}

void lane_delivered(struct lane_receiver *receiver, uint32_t event_id)
{
    assert(lane_receipt(receiver, event_id) == LANE_NEXT);
    receiver->delivered_id = event_id;
}
