#include "common/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

struct arena_block {
    struct arena_block *older;
    size_t size; /* of data */
    size_t used;
    alignas(ARENA_ALIGN) uint8_t data[];
};

_Static_assert(offsetof(struct arena_block, data) % ARENA_ALIGN == 0,
               "data is aligned as malloc's memory is");
_Static_assert(alignof(max_align_t) <= ARENA_ALIGN, "ARENA_ALIGN is enough for every type");

void arena_init(struct arena *arena, size_t block_size, size_t limit)
{
    assert(block_size > 0 && block_size <= SIZE_MAX / 4);
    assert(limit <= SIZE_MAX / 4);
    *arena = (struct arena){ .block_size = block_size, .limit = limit };
}

static void free_blocks(struct arena *arena)
{
    while (arena->block != NULL) {
        struct arena_block *block = arena->block;

        arena->block = block->older;
        ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
        free(block);
    }
    arena->held = 0;
}

void arena_fini(struct arena *arena)
{
    free_blocks(arena);
    *arena = (struct arena){ 0 };
}

static struct arena_block *add_block(struct arena *arena, size_t size)
{
    struct arena_block *block = malloc(sizeof *block + size);

    if (block == NULL)
        return NULL;
    *block = (struct arena_block){ .older = arena->block, .size = size };
    ASAN_POISON_MEMORY_REGION(block->data, size);
    arena->block = block;
    arena->held += size;
    return block;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *block = arena->block;

    arena->taken = 0;
    if (block == NULL)
        return;
    if (block->older == NULL) {
        block->used = 0;
        ASAN_POISON_MEMORY_REGION(block->data, block->size);
        return;
    }

    /* One block instead of many. More than the limit is never asked of it, and when malloc has none left the
     * next allocation tries again. */
    size_t most = arena->limit > arena->block_size ? arena->limit : arena->block_size;
    size_t size = arena->held < most ? arena->held : most;

    free_blocks(arena);
    add_block(arena, size);
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return arena_alloc_aligned(arena, size, ARENA_ALIGN);
}

void *arena_alloc_aligned(struct arena *arena, size_t size, size_t align)
{
    assert(align > 0 && (align & (align - 1)) == 0 && align <= ARENA_ALIGN_MAX);
    if (align < ARENA_ALIGN)
        align = ARENA_ALIGN;
    if (size == 0)
        size = 1;
    if (size > arena->limit)
        return NULL;

    size_t cost = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN + (align - ARENA_ALIGN);
    struct arena_block *block = arena->block;

    if (cost > arena->limit - arena->taken)
        return NULL;
    if (block == NULL || cost > block->size - block->used)
        block = add_block(arena, cost > arena->block_size ? cost : arena->block_size);
    if (block == NULL)
        return NULL;

    uint8_t *at = block->data + block->used;
    size_t past = (uintptr_t)at % align;

    if (past > 0)
        at += align - past;
    block->used += cost;
    arena->taken += cost;
    assert(at + size <= block->data + block->used && block->used <= block->size);
    ASAN_UNPOISON_MEMORY_REGION(at, size);
    return at;
}

void *arena_alloc_zeroed(struct arena *arena, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        return NULL;

    void *memory = arena_alloc(arena, count * size);

    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

char *arena_copy(struct arena *arena, struct span text)
{
    char *copy = text.size < SIZE_MAX ? arena_alloc(arena, text.size + 1) : NULL;

    if (copy == NULL)
        return NULL;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return copy;
}
