#include "gateway/frames.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/wire.h"

enum { FRAMES_BLOCK_SIZE = 64 * 1024 }; /* ours: some hundred events */

/* ours: the sizes events have, from a revision to a list of files */
static const uint16_t class_sizes[FRAME_CLASSES] = { 32, 64, 128, 256, 560, WIRE_PACKET_SIZE_MAX };

struct frames_block {
    struct frames_block *older;
    _Alignas(struct frame) uint8_t memory[FRAMES_BLOCK_SIZE];
};

void frames_init(struct frames *frames)
{
    *frames = (struct frames){ 0 };
}

void frames_fini(struct frames *frames)
{
    while (frames->blocks != NULL) {
        struct frames_block *block = frames->blocks;

        frames->blocks = block->older;
        free(block);
    }
    *frames = (struct frames){ 0 };
}

static size_t class_stride(uint8_t size_class)
{
    size_t align = _Alignof(struct frame);

    return (sizeof(struct frame) + class_sizes[size_class] + align - 1) / align * align;
}

/* A new block, cut into free frames of the class. */
static void grow(struct frames *frames, uint8_t size_class)
{
    struct frames_block *block = malloc(sizeof *block);
    size_t stride = class_stride(size_class);

    if (block == NULL) {
        (void)fputs("no memory left for events\n", stderr);
        abort();
    }
    block->older = frames->blocks;
    frames->blocks = block;
    for (size_t at = 0; at + stride <= sizeof block->memory; at += stride) {
        struct frame *frame = (struct frame *)(void *)(block->memory + at);

        *frame = (struct frame){ .next_free = frames->free[size_class], .size_class = size_class };
        frames->free[size_class] = frame;
    }
}

struct frame *frames_new(struct frames *frames, struct span packet)
{
    uint8_t size_class = 0;
    struct frame *frame;

    assert(packet.size > 0 && packet.size <= WIRE_PACKET_SIZE_MAX);
    while (class_sizes[size_class] < packet.size)
        size_class++;
    if (frames->free[size_class] == NULL)
        grow(frames, size_class);
    frame = frames->free[size_class];
    frames->free[size_class] = frame->next_free;
    frame->next_free = NULL;
    frame->references = 1;
    frame->size = (uint16_t)packet.size;
    memcpy(frame->data, packet.data, packet.size);
    frames->used++;
    return frame;
}

struct frame *frames_hold(struct frame *frame)
{
    assert(frame->references > 0 && frame->references < UINT32_MAX);
    frame->references++;
    return frame;
}

void frames_release(struct frames *frames, struct frame *frame)
{
    assert(frame->references > 0);
    if (--frame->references > 0)
        return;
    frame->next_free = frames->free[frame->size_class];
    frames->free[frame->size_class] = frame;
    frames->used--;
}
