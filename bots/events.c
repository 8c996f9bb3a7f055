#include "bots/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bots/ids.h"

void events_out_fini(struct events_out *out)
{
    free(out->items);
    *out = (struct events_out){ 0 };
}

void events_out_clear(struct events_out *out)
{
    out->count = 0;
    out->last_id = 0;
    out->check_ms = 0;
}

bool events_out_has_room(const struct events_out *out)
{
    return out->count < EVENTS_OUT_MAX;
}

void events_out_push(struct events_out *out, uint64_t now_ms, struct span packet)
{
    assert(events_out_has_room(out));
    assert(packet.size <= EVENTS_OUT_SIZE_MAX);
    out->items = ids_grow(out->items, sizeof *out->items, out->count, &out->capacity);

    struct events_out_item *item = &out->items[out->count++];

    item->event_id = ++out->last_id;
    item->size = (uint16_t)packet.size;
    item->sent_ms = now_ms;
    memcpy(item->data, packet.data, packet.size);
}

enum events_ack events_out_ack(struct events_out *out, uint32_t event_id)
{
    uint32_t done = 0;

    if (event_id > out->last_id)
        return EVENTS_ACK_AHEAD;
    while (done < out->count && out->items[done].event_id <= event_id)
        done++;
    if (done == 0)
        return EVENTS_ACK_OLD;
    out->count -= done;
    memmove(out->items, out->items + done, out->count * sizeof *out->items);
    return EVENTS_ACK_MOVED;
}

size_t events_out_due(struct events_out *out, uint64_t now_ms,
                      const struct events_out_item *due[EVENTS_RESENDS_MAX])
{
    size_t count = 0;

    if (now_ms < out->check_ms)
        return 0;
    for (uint32_t i = 0; i < out->count && count < EVENTS_RESENDS_MAX; i++) {
        struct events_out_item *item = &out->items[i];

        if (now_ms - item->sent_ms < EVENTS_RTO_MS)
            continue;
        item->sent_ms = now_ms;
        due[count++] = item;
    }
    if (count > 0)
        out->check_ms = now_ms + EVENTS_CHECK_MS;
    return count;
}

uint64_t events_out_wakes_at(const struct events_out *out)
{
    uint64_t wakes_ms = UINT64_MAX;

    for (uint32_t i = 0; i < out->count; i++) {
        if (out->items[i].sent_ms + EVENTS_RTO_MS < wakes_ms)
            wakes_ms = out->items[i].sent_ms + EVENTS_RTO_MS;
    }
    return wakes_ms < out->check_ms ? out->check_ms : wakes_ms;
}

/* FNV-1a: enough to see that a repeat is not the same packet. */
static uint32_t checksum(struct span packet)
{
    uint32_t sum = UINT32_C(2166136261);

    for (size_t i = 0; i < packet.size; i++)
        sum = (sum ^ packet.data[i]) * UINT32_C(16777619);
    return sum;
}

enum events_receipt events_in_take(struct events_in *in, uint32_t event_id, struct span packet)
{
    uint32_t *sum = &in->sums[event_id % EVENTS_UNACKED_MAX];

    if (event_id == 0)
        return EVENTS_ZERO;
    if (event_id == in->delivered_id + 1) {
        in->delivered_id = event_id;
        *sum = checksum(packet);
        return EVENTS_NEXT;
    }
    if (event_id > in->delivered_id)
        return event_id - in->delivered_id > EVENTS_UNACKED_MAX ? EVENTS_OVERRUN : EVENTS_AHEAD;
    if (in->delivered_id - event_id < EVENTS_UNACKED_MAX && *sum != checksum(packet))
        return EVENTS_CHANGED;
    return EVENTS_REPEATED;
}
