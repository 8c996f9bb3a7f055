/* arena.h - memory that lives for one batch.
 *
 * Allocations are cut off the end of a block and are all given up together by `arena_reset`; there is no way
 * to free a single one, which is why its functions fit allocator interfaces whose free does nothing
 * (protobuf-c's). Blocks are kept across resets: a batch that needed several leaves one of their size behind,
 * so after a few batches nothing calls malloc any more.
 *
 * The limit is on the bytes handed out between two resets, each allocation rounded up as described below:
 * whether an allocation fits depends on the batch alone, never on addresses or on earlier batches. What the
 * arena itself holds from malloc stays below twice the limit plus a block.
 *
 * Under AddressSanitizer what was not handed out, or was given up by a reset, is poisoned. */
#ifndef DLMP_COMMON_ARENA_H
#define DLMP_COMMON_ARENA_H

#include <stddef.h>

#include "common/cursor.h"

enum {
    ARENA_ALIGN = 16,       /* ours: what malloc promises, enough for every type */
    ARENA_ALIGN_MAX = 4096, /* ours: a page */
};

struct arena {
    struct arena_block *block; /* the newest; linked to the older ones */
    size_t block_size;
    size_t limit;
    size_t taken; /* handed out since the reset, counted against `limit` */
    size_t held;  /* from malloc */
};

/* Takes no memory yet. `block_size` is the least that is asked of malloc at once. */
void arena_init(struct arena *arena, size_t block_size, size_t limit);
void arena_fini(struct arena *arena);

/* Ends everything that was allocated. */
void arena_reset(struct arena *arena);

/* NULL: at the limit, or malloc has none left; a smaller allocation may still succeed. A size of 0 is counted
 * and answered as 1. Memory is aligned to ARENA_ALIGN and its size counted in multiples of it. */
void *arena_alloc(struct arena *arena, size_t size);
/* `align` is a power of two up to ARENA_ALIGN_MAX; its excess over ARENA_ALIGN is counted as well. */
void *arena_alloc_aligned(struct arena *arena, size_t size, size_t align);
/* `count` items of `size` bytes, all zero. */
void *arena_alloc_zeroed(struct arena *arena, size_t count, size_t size);
/* A copy of the bytes with a terminator after them. */
char *arena_copy(struct arena *arena, struct span text);

#endif
