/* outbox.h - what a core has to tell its peers: bus items, in order, each for one peer.
 *
 * A core appends while it handles its inputs; whoever drives it (a shell, the simulator) then takes the
 * items, hands them to the peers' links and clears the outbox. Items and all they point to live in the
 * outbox's arena until then, so nothing is freed item by item. Peers are the small numbers under which the
 * driver announced them. */
#ifndef DLMP_PROTO_OUTBOX_H
#define DLMP_PROTO_OUTBOX_H

#include "common/arena.h"
#include "common/cursor.h"
#include "gen/bus.pb-c.h"

struct outbox_entry {
    uint16_t peer;
    Bus__Item *item;
};

struct outbox {
    struct arena arena;
    struct outbox_entry *entries;
    size_t count;
    size_t capacity;
};

void outbox_init(struct outbox *outbox);
void outbox_fini(struct outbox *outbox);

/* An initialized item for the peer, at the end; the caller sets its case. */
Bus__Item *outbox_add(struct outbox *outbox, uint16_t peer);
/* Zeroed memory for the parts of an item, and copies. Never NULL: a process without memory stops here. */
void *outbox_alloc(struct outbox *outbox, size_t size);
ProtobufCBinaryData outbox_bytes(struct outbox *outbox, const void *data, size_t size);
char *outbox_text(struct outbox *outbox, const char *text);

void outbox_clear(struct outbox *outbox);

#endif
