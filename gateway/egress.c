#include "gateway/egress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    EGRESS_BLOCK_SIZE = 256 * 1024, /* ours */
    EGRESS_CAPACITY_MIN = 1024,     /* ours */
    EGRESS_PERIOD_MS = 100,         /* ours: three frames of everybody */
    EGRESS_WORTH = 2,               /* performance.md: below this a window costs more than it gains */
    EGRESS_WORTH_US = 5000,         /* in so long */
    EGRESS_ENOUGH = 10,             /* performance.md: twice as many save another 0.07 of a datagram's cost */
    US_PER_MS = 1000,
};

struct egress_datagram {
    const uint8_t *data;
    uint32_t next; /* of the same recipient; EGRESS_NOBODY: the last one */
    uint16_t size;
    bool ordered;
};

struct egress_recipient {
    struct address to;
    uint32_t first; /* EGRESS_NOBODY: nothing for it in this round */
    uint32_t last;
    uint64_t period_number; /* that the next two are of */
    uint32_t period_datagrams;
    uint32_t period_bursts;
    uint64_t burst; /* the last that it had a datagram in */
};

int egress_init(struct egress *egress, uint32_t sessions)
{
    size_t recipients = (size_t)sessions + EGRESS_STRANGERS_MAX;

    *egress = (struct egress){ .sessions = sessions, .burst = 1 }; /* no recipient was in it */
    arena_init(&egress->arena, EGRESS_BLOCK_SIZE, EGRESS_BYTES_MAX);
    egress->recipients = calloc(recipients, sizeof egress->recipients[0]);
    egress->active = calloc(recipients, sizeof egress->active[0]);
    if (egress->recipients == NULL || egress->active == NULL) {
        egress_fini(egress);
        return -1;
    }
    for (size_t i = 0; i < recipients; i++)
        egress->recipients[i].first = EGRESS_NOBODY;
    return 0;
}

void egress_fini(struct egress *egress)
{
    arena_fini(&egress->arena);
    free(egress->recipients);
    free(egress->active);
    free(egress->datagrams);
    *egress = (struct egress){ 0 };
}

uint8_t *egress_alloc(struct egress *egress, size_t size)
{
    return arena_alloc(&egress->arena, size);
}

static bool grow(struct egress *egress)
{
    uint32_t capacity = egress->capacity > 0 ? egress->capacity * 2 : EGRESS_CAPACITY_MIN;
    struct egress_datagram *datagrams;

    if (capacity > EGRESS_DATAGRAMS_MAX)
        return false;
    datagrams = reallocarray(egress->datagrams, capacity, sizeof *datagrams);
    if (datagrams == NULL)
        return false;
    egress->datagrams = datagrams;
    egress->capacity = capacity;
    return true;
}

/* (n + 1)² - n²: the sum over recipients of their counts' squares, which is the view of each that is
 * counted. */
static void count_one(struct egress_crowd *crowd, uint32_t *recipients)
{
    crowd->together += 2 * (uint64_t)*recipients + 1;
    crowd->count++;
    (*recipients)++;
}

/* After a pause nothing is known. */
static void end_period(struct egress_crowd *crowd, uint64_t elapsed_ms)
{
    uint32_t last = 0;

    if (elapsed_ms < 2 * (uint64_t)EGRESS_PERIOD_MS && crowd->count > 0)
        last = (uint32_t)(crowd->together * EGRESS_PERIOD_MS / elapsed_ms / crowd->count);
    *crowd = (struct egress_crowd){ .last = last };
}

static void measure(struct egress *egress, struct egress_recipient *recipient, uint64_t now_ms)
{
    uint64_t elapsed_ms = now_ms - egress->period_ms;

    if (elapsed_ms >= EGRESS_PERIOD_MS) {
        end_period(&egress->datagrams_seen, elapsed_ms);
        end_period(&egress->bursts_seen, elapsed_ms);
        egress->period_ms = now_ms;
        egress->period_number++;
    }
    if (recipient->period_number != egress->period_number) {
        recipient->period_number = egress->period_number;
        recipient->period_datagrams = 0;
        recipient->period_bursts = 0;
    }
    count_one(&egress->datagrams_seen, &recipient->period_datagrams);
    if (recipient->burst != egress->burst) {
        recipient->burst = egress->burst;
        count_one(&egress->bursts_seen, &recipient->period_bursts);
    }
}

bool egress_add(struct egress *egress, uint32_t slot, const struct address *to, const uint8_t *data,
                size_t size, bool ordered, uint64_t now_ms)
{
    struct egress_recipient *recipient;
    uint32_t number = egress->count;

    assert(slot < egress->sessions || slot == EGRESS_NOBODY);
    assert(size > 0 && size <= UINT16_MAX);
    if (slot == EGRESS_NOBODY && egress->strangers == EGRESS_STRANGERS_MAX)
        return false;
    if (egress->count == egress->capacity && !grow(egress))
        return false;
    if (slot == EGRESS_NOBODY)
        slot = egress->sessions + egress->strangers++;
    recipient = &egress->recipients[slot];
    if (recipient->first == EGRESS_NOBODY) {
        egress->active[egress->active_count++] = slot;
        recipient->first = number;
    } else {
        egress->datagrams[recipient->last].next = number;
    }
    recipient->to = *to;
    recipient->last = number;
    egress->datagrams[number] = (struct egress_datagram){ data, EGRESS_NOBODY, (uint16_t)size, ordered };
    egress->count++;
    egress->queued++;
    measure(egress, recipient, now_ms);
    return true;
}

bool egress_is_pending(const struct egress *egress)
{
    return egress->count > 0;
}

void egress_end_burst(struct egress *egress)
{
    egress->burst++;
}

/* More than two in so long. */
static bool is_crowded(const struct egress_crowd *crowd, uint32_t us)
{
    return (uint64_t)crowd->last * us > (uint64_t)EGRESS_WORTH * EGRESS_PERIOD_MS * US_PER_MS;
}

uint32_t egress_gathers_in_us(const struct egress *egress)
{
    if (!is_crowded(&egress->datagrams_seen, EGRESS_WORTH_US))
        return 0;
    return EGRESS_ENOUGH * EGRESS_PERIOD_MS * US_PER_MS / egress->datagrams_seen.last;
}

bool egress_is_scattered(const struct egress *egress, uint32_t window_us)
{
    return is_crowded(&egress->bursts_seen, window_us);
}

/* The first datagram left, and those behind it that are as long. A lane's datagram stays behind one that
 * stayed. */
static void take_run(struct egress *egress, struct egress_recipient *recipient, struct egress_run *run)
{
    uint32_t *link = &recipient->first;
    bool lane_stays = false;
    size_t count_max;

    run->to = recipient->to;
    run->size = egress->datagrams[recipient->first].size;
    run->count = 0;
    count_max = EGRESS_RUN_BYTES_MAX / run->size;
    if (count_max > EGRESS_RUN_MAX)
        count_max = EGRESS_RUN_MAX;
    while (*link != EGRESS_NOBODY && run->count < count_max) {
        struct egress_datagram *datagram = &egress->datagrams[*link];

        if (datagram->size == run->size && !(datagram->ordered && lane_stays)) {
            run->data[run->count++] = datagram->data;
            *link = datagram->next;
        } else {
            lane_stays = lane_stays || datagram->ordered;
            link = &datagram->next;
        }
    }
}

bool egress_take(struct egress *egress, struct egress_run *run)
{
    while (egress->active_done < egress->active_count) {
        struct egress_recipient *recipient = &egress->recipients[egress->active[egress->active_done]];

        if (recipient->first != EGRESS_NOBODY) {
            take_run(egress, recipient, run);
            return true;
        }
        egress->active_done++;
    }
    return false;
}

void egress_clear(struct egress *egress)
{
    for (uint32_t i = egress->active_done; i < egress->active_count; i++)
        egress->recipients[egress->active[i]].first = EGRESS_NOBODY;
    arena_reset(&egress->arena);
    egress->strangers = 0;
    egress->active_count = 0;
    egress->active_done = 0;
    egress->count = 0;
    egress->round++;
}
