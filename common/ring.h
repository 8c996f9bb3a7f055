/* ring.h - a queue of a fixed capacity.
 *
 * Items of one size lie in memory that is taken once. They are filled and read where they lie: a pointer to
 * one is good until that item is popped. Item 0 is the oldest. */
#ifndef DLMP_COMMON_RING_H
#define DLMP_COMMON_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *items;
    size_t item_size;
    size_t capacity;
    size_t first; /* where item 0 lies */
    size_t count;
};

/* -1: no memory. The ring then has a capacity of 0 and may be used and closed as any other. */
int ring_init(struct ring *ring, size_t item_size, size_t capacity);
void ring_fini(struct ring *ring);

/* The place of a new last item, zeroed, for the caller to fill; NULL when the ring is full. */
void *ring_push(struct ring *ring);
/* NULL: the ring has no such item. */
void *ring_at(const struct ring *ring, size_t index);
void *ring_oldest(const struct ring *ring);
/* Gives up the oldest item; there must be one. */
void ring_pop(struct ring *ring);
void ring_clear(struct ring *ring);

#endif
