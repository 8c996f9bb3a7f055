#include "common/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

int pool_init(struct pool *pool, size_t item_size, uint32_t capacity)
{
    assert(item_size > 0);
    assert(capacity > 0 && capacity <= POOL_CAPACITY_MAX);
    *pool = (struct pool){ .item_size = item_size };
    pool->items = calloc(capacity, item_size);
    pool->generations = calloc(capacity, sizeof pool->generations[0]);
    pool->taken = calloc(capacity / WORD_BITS + 1, sizeof pool->taken[0]);
    if (pool->items == NULL || pool->generations == NULL || pool->taken == NULL)
        goto fail;
    pool->capacity = capacity;
    return 0;

fail:
    pool_fini(pool);
    return -1;
}

void pool_fini(struct pool *pool)
{
    free(pool->items);
    free(pool->generations);
    free(pool->taken);
    *pool = (struct pool){ 0 };
}

static bool is_taken(const struct pool *pool, uint32_t index)
{
    return index < pool->capacity && (pool->taken[index / WORD_BITS] >> index % WORD_BITS & 1) != 0;
}

static uint8_t *item_at(const struct pool *pool, uint32_t index)
{
    return pool->items + index * pool->item_size;
}

/* The first index from `index` on whose bit is `taken`, or any at or above the capacity. */
static uint32_t find(const struct pool *pool, uint32_t index, bool taken)
{
    while (index < pool->capacity) {
        uint64_t word = pool->taken[index / WORD_BITS];
        uint64_t wanted = (taken ? word : ~word) >> index % WORD_BITS;

        if (wanted != 0)
            return index + (uint32_t)__builtin_ctzll(wanted);
        index = (index / WORD_BITS + 1) * WORD_BITS;
    }
    return index;
}

void *pool_take(struct pool *pool, struct pool_ref *ref)
{
    uint32_t index = find(pool, pool->lowest, false);

    *ref = (struct pool_ref){ 0 };
    if (pool->count == pool->capacity)
        return NULL;
    assert(index < pool->capacity);
    pool->taken[index / WORD_BITS] |= UINT64_C(1) << index % WORD_BITS;
    pool->lowest = index + 1;
    pool->count++;

    /* Past the wrap 0 is left out: it is the generation of a reference of zeros. */
    if (++pool->generations[index] == 0)
        pool->generations[index] = 1;
    *ref = pool_ref_at(pool, index);
    return memset(item_at(pool, index), 0, pool->item_size);
}

void pool_release(struct pool *pool, struct pool_ref ref)
{
    assert(pool_get(pool, ref) != NULL);
    pool->taken[ref.index / WORD_BITS] &= ~(UINT64_C(1) << ref.index % WORD_BITS);
    if (ref.index < pool->lowest)
        pool->lowest = ref.index;
    pool->count--;
}

void *pool_get(const struct pool *pool, struct pool_ref ref)
{
    if (!is_taken(pool, ref.index) || pool->generations[ref.index] != ref.generation)
        return NULL;
    return item_at(pool, ref.index);
}

void *pool_at(const struct pool *pool, uint32_t index)
{
    return is_taken(pool, index) ? item_at(pool, index) : NULL;
}

struct pool_ref pool_ref_at(const struct pool *pool, uint32_t index)
{
    assert(is_taken(pool, index));
    return (struct pool_ref){ .index = index, .generation = pool->generations[index] };
}

uint32_t pool_next(const struct pool *pool, uint32_t index)
{
    uint32_t next = find(pool, index, true);

    return next < pool->capacity ? next : POOL_END;
}
