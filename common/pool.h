/* pool.h - a table of a fixed number of slots, each with a generation.
 *
 * A taken slot is named by its index and its generation together: when it is released, the next taker of the
 * same index gets another generation, so a reference that somebody kept finds nothing instead of a stranger.
 * The lowest free index is taken first. A reference of zeros is never valid. All memory is taken once.
 *
 *     for (uint32_t i = pool_next(pool, 0); i != POOL_END; i = pool_next(pool, i + 1))
 *         vehicle_tick(pool_at(pool, i), now_ms);
 *
 * The slot that the loop stands on, and any other, may be released meanwhile; one that is taken meanwhile is
 * visited when its index is still ahead. */
#ifndef DLMP_COMMON_POOL_H
#define DLMP_COMMON_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_CAPACITY_MAX = 1 << 24 }; /* ours: far above any table of ours, far below POOL_END */

#define POOL_END UINT32_MAX

struct pool_ref {
    uint32_t index;
    uint32_t generation;
};

struct pool {
    uint8_t *items;
    uint32_t *generations; /* of the slot's present or last taker */
    uint64_t *taken;       /* a bit a slot */
    size_t item_size;
    uint32_t capacity;
    uint32_t count;
    uint32_t lowest; /* no index below it is free */
};

/* -1: no memory. The pool then has a capacity of 0 and may be used and closed as any other. */
int pool_init(struct pool *pool, size_t item_size, uint32_t capacity);
void pool_fini(struct pool *pool);

/* Takes the lowest free slot, its item zeroed. NULL: all are taken, and `ref` is zeros. */
void *pool_take(struct pool *pool, struct pool_ref *ref);
/* The reference must be valid. The item's memory stays readable until the slot is taken again. */
void pool_release(struct pool *pool, struct pool_ref ref);

/* NULL: it was released since, or never taken. Any numbers may be asked for, those of a peer too. */
void *pool_get(const struct pool *pool, struct pool_ref ref);
/* Whoever has the index now. NULL: nobody. */
void *pool_at(const struct pool *pool, uint32_t index);
struct pool_ref pool_ref_at(const struct pool *pool, uint32_t index);
/* The first taken index that is not below `index`; POOL_END when there is none. */
uint32_t pool_next(const struct pool *pool, uint32_t index);

#endif
