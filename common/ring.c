#include "common/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int ring_init(struct ring *ring, size_t item_size, size_t capacity)
{
    assert(item_size > 0);
    assert(capacity > 0);
    *ring = (struct ring){ .item_size = item_size };
    ring->items = calloc(capacity, item_size);
    if (ring->items == NULL)
        return -1;
    ring->capacity = capacity;
    return 0;
}

void ring_fini(struct ring *ring)
{
    free(ring->items);
    *ring = (struct ring){ 0 };
}

static uint8_t *place(const struct ring *ring, size_t index)
{
    /* index <= capacity and first < capacity, so one subtraction brings the sum back; the sum itself cannot
     * wrap, since that many items would not fit into memory. */
    size_t at = ring->first + index;

    if (at >= ring->capacity)
        at -= ring->capacity;
    return ring->items + at * ring->item_size;
}

void *ring_push(struct ring *ring)
{
    if (ring->count == ring->capacity)
        return NULL;
    return memset(place(ring, ring->count++), 0, ring->item_size);
}

void *ring_at(const struct ring *ring, size_t index)
{
    return index < ring->count ? place(ring, index) : NULL;
}

void *ring_oldest(const struct ring *ring)
{
    return ring_at(ring, 0);
}

void ring_pop(struct ring *ring)
{
    assert(ring->count > 0);
    ring->first = ring->first + 1 == ring->capacity ? 0 : ring->first + 1;
    ring->count--;
}

void ring_clear(struct ring *ring)
{
    ring->first = 0;
    ring->count = 0;
}
