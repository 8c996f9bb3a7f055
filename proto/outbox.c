#include "proto/outbox.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUTBOX_BLOCK_SIZE = 64 * 1024, /* ours: what a busy loop iteration says */
    OUTBOX_BYTES_MAX = 1 << 30,    /* ours: far above all that one loop iteration can have to say */
    OUTBOX_ENTRIES_MIN = 256,      /* ours */
};

static void stop_without_memory(void)
{
    (void)fputs("the outbox has no memory left\n", stderr);
    abort();
}

void outbox_init(struct outbox *outbox)
{
    *outbox = (struct outbox){ 0 };
    arena_init(&outbox->arena, OUTBOX_BLOCK_SIZE, OUTBOX_BYTES_MAX);
}

void outbox_fini(struct outbox *outbox)
{
    arena_fini(&outbox->arena);
    free(outbox->entries);
    *outbox = (struct outbox){ 0 };
}

static void grow(struct outbox *outbox)
{
    size_t capacity = outbox->capacity > 0 ? outbox->capacity * 2 : OUTBOX_ENTRIES_MIN;
    struct outbox_entry *entries = reallocarray(outbox->entries, capacity, sizeof *entries);

    if (entries == NULL)
        stop_without_memory();
    outbox->entries = entries;
    outbox->capacity = capacity;
}

static void *alloc(struct outbox *outbox, size_t size)
{
    void *memory = arena_alloc(&outbox->arena, size);

    if (memory == NULL)
        stop_without_memory();
    return memory;
}

Bus__Item *outbox_add(struct outbox *outbox, uint16_t peer)
{
    Bus__Item *item = alloc(outbox, sizeof *item);

    if (outbox->count == outbox->capacity)
        grow(outbox);
    bus__item__init(item);
    outbox->entries[outbox->count] = (struct outbox_entry){ .peer = peer, .item = item };
    outbox->count++;
    return item;
}

void *outbox_alloc(struct outbox *outbox, size_t size)
{
    return memset(alloc(outbox, size), 0, size);
}

ProtobufCBinaryData outbox_bytes(struct outbox *outbox, const void *data, size_t size)
{
    ProtobufCBinaryData bytes = { .len = size };

    if (size == 0)
        return bytes;
    assert(data != NULL);
    bytes.data = memcpy(alloc(outbox, size), data, size);
    return bytes;
}

char *outbox_text(struct outbox *outbox, const char *text)
{
    assert(text != NULL);
    size_t size = strlen(text) + 1;

    return memcpy(alloc(outbox, size), text, size);
}

void outbox_clear(struct outbox *outbox)
{
    arena_reset(&outbox->arena);
    outbox->count = 0;
}
