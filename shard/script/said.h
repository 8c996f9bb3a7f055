/* said.h - how much resources may have their shard say in a second.
 *
 * What a function of the API has the shard tell others, a packet for players or an event for all shards,
 * waits in the shard's outbox until its loop comes round, and then on the links. A call may go on for 200
 * ms: that is time enough for a gigabyte, which the shard would not live to send, and the bus would take
 * it for dead. So what each function has added to the outbox is counted here. Whoever has had the
 * coordinator tell everybody too much is refused more of that until the second is over; beyond what the
 * links take at all, the call that says it is stopped (call.h). What time has passed is the shard's
 * clock's to say. */
#ifndef DLMP_SHARD_SCRIPT_SAID_H
#define DLMP_SHARD_SCRIPT_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resource;
struct script;

enum {
    SAID_WINDOW_MS = 1000,
    SAID_ASKED_MAX = 1 << 20, /* ours: bytes of a resource that go to every process of the cluster */
    SAID_ALL_MAX = 32 << 20,  /* ours: of all resources, to anybody: half of what waits for one slow peer */
};

/* Bytes in the outbox, of this second. */
struct said {
    uint64_t since_ms;
    size_t bytes;
};

/* Whether the resource may have the coordinator tell everybody something. */
bool said_may_ask(struct resource *resource);
/* A function has said so much; `asks`: for everybody. False: that is more than the shard can send. */
bool said_add(struct resource *resource, bool asks, size_t bytes);

#endif
