/* frames.h - packets that wait in lanes, each kept once for all its recipients.
 *
 * A frame is a packet as it was given, its event_id still unset: that differs per recipient. Each lane that
 * holds it has a reference. Frames come in a few sizes out of larger blocks and are used again, so a packet
 * costs no malloc once the first crowd has been served. */
#ifndef DLMP_GATEWAY_FRAMES_H
#define DLMP_GATEWAY_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

enum { FRAME_CLASSES = 6 };

struct frame {
    struct frame *next_free;
    uint32_t references;
    uint16_t size;
    uint8_t size_class;
    uint8_t data[];
};

struct frames {
    struct frame *free[FRAME_CLASSES];
    struct frames_block *blocks;
    size_t used; /* frames that somebody holds */
};

void frames_init(struct frames *frames);
void frames_fini(struct frames *frames);

/* A copy of the packet, with one reference: the caller's. Never NULL: a process without memory stops here. */
struct frame *frames_new(struct frames *frames, struct span packet);
struct frame *frames_hold(struct frame *frame);
void frames_release(struct frames *frames, struct frame *frame);

#endif
