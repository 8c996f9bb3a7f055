/* link.h - one peer on the bus: numbered batches in both directions, applied once and in order.
 *
 * libzmq loses what was in flight when it reconnects and says nothing. So each batch has a number, is kept
 * until the other side's ack covers it, and is sent again from the gap; the receiver applies number after
 * number and acks with whatever it sends next. Number 0 carries no items: a hello, a heartbeat, an ack.
 *
 * A life of a link is a pair of processes that know each other: the boot id of each, and a count that
 * either one raises when it gives the other up. In another life both directions start from 1, and what was
 * kept for the former one is dropped. A peer that is not heard for LINK_DEAD_MS is down, but its life goes
 * on: what is pushed meanwhile is kept, and when the peer is heard again all of it arrives, in order. After
 * LINK_GIVE_UP_MS the life is over.
 *
 *     a message came:       verdict = link_receive(link, now_ms, batch), acted on in its members' order
 *     now and then:         if (link_tick(link, now_ms)) the peer went down
 *     each loop iteration:  link_push(link, item)…, link_flush(link, now_ms, emit, context)
 *
 * What was meant for a former life must not be pushed into the next: before a batch that does not go on with
 * the life that is up (link_goes_on), what the core has left in its outbox is pushed.
 *
 * A link reads no clock and touches no socket: it is told the time and hands out messages.
 *
 * Spec: design.md, "The bus". */
#ifndef DLMP_PROTO_LINK_H
#define DLMP_PROTO_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/cursor.h"
#include "gen/bus.pb-c.h"

/* The first four are of design.md, "The bus". The others are ours. */
enum {
    BUS_VERSION = 1,
    LINK_HEARTBEAT_MS = 500,
    LINK_DEAD_MS = 2000,
    LINK_OVER_MS = 10 * 1000, /* over the high-water mark for so long: given up */

    LINK_GIVE_UP_MS = 10 * 1000, /* silent: as long as the players of a silent gateway are kept */
    LINK_HOLDER_MS = 1000,       /* who was heard that lately is alive and keeps its name: two heartbeats */
    LINK_STALL_MS = 1000,        /* not ticked for so long: it is we who were away */
    LINK_REPEAT_MS = 250,        /* without progress of the ack; doubled each time, up to the next */
    LINK_REPEAT_MAX_MS = 1000,
    LINK_GAP_MS = 50,         /* while the peer tells of the same gap */
    LINK_ACK_DELAY_MS = 50,   /* an ack waits for a batch to travel with: some windows of a gateway */
    LINK_RETRY_MS = 20,       /* after a message that was not taken */
    LINK_RETRY_IDLE_MS = 100, /* and while the peer is not up */

    LINK_NAME_MAX = 63,             /* bytes */
    LINK_BATCH_SIZE_MAX = 64 << 10, /* a batch is closed at it; a larger item has one for itself */
    LINK_ITEM_SIZE_MAX = 4 << 20,   /* the state of a gateway with 10,000 players is a quarter of it */
    LINK_WINDOW_MAX = 1024,         /* batches in flight; items then join the batches that wait */
    LINK_BACKLOG_HIGH = 8 << 20,    /* the high-water mark: some seconds of a full gateway */
    LINK_BACKLOG_LOW = 4 << 20,     /* no longer over it */
    LINK_BACKLOG_MAX = 64 << 20,    /* given up at once */
    LINK_ENVELOPE_SIZE_MAX = 256,   /* all of a batch but its items */
    LINK_MESSAGE_SIZE_MAX = (4 << 20) + 512, /* an item of the largest size and the rest of its batch */
    LINK_REFUSAL_SIZE_MAX = 512,
    LINK_UNPACKED_MAX = 64 << 20, /* what a message may become in memory */
    LINK_LIVES_MAX = 1 << 20,     /* that a process is told by; random ids lie further apart */
    LINK_FORMER_MAX = 8,          /* boots of a peer that are remembered, to know their stragglers */
    LINK_SPARES_MAX = 16,         /* buffers that wait for their next batch */
};

struct link_self {
    Bus__Role role;
    const char *name;
    uint64_t boot; /* random, not 0 */
};

enum link_state {
    LINK_SILENT, /* no life: the peer is not known, or not in agreement yet; nothing can be said to it */
    LINK_UP,
    LINK_DOWN, /* was up, and not heard for LINK_DEAD_MS; comes up again or is given up */
};

struct link_verdict {
    Bus__Refused__Why refuse; /* other than WHY_NONE: answer with link_refusal; nothing else happened */
    bool down;                /* the life that was up is over */
    bool up;                  /* one begins, or goes on after LINK_DOWN: link_peer_boot tells which */
    bool apply;               /* the batch's items, in order */
    bool refused;             /* the peer does not accept us: batch->refused says why */
};

struct link_stats {
    uint64_t batches_out;
    uint64_t batches_in;
    uint64_t repeats;         /* sent again */
    uint64_t duplicates;      /* received again */
    uint64_t ahead;           /* received before the one that is due */
    uint64_t stragglers;      /* of or for a former life */
    uint64_t malformed;       /* numbers that cannot be */
    uint64_t lives;           /* agreed on */
    uint64_t items_lost;      /* pushed while there was no life, too large, or over LINK_BACKLOG_MAX */
    uint64_t batches_dropped; /* kept for a life that ended */
};

struct link {
    const struct link_self *self;
    Bus__Role peer_role;
    char peer_name[LINK_NAME_MAX + 1]; /* "" not yet known */
    bool is_name_open;                 /* whoever answers is right */

    enum link_state state;
    uint32_t life;
    uint32_t peer_life;
    uint64_t peer_boot; /* 0 not yet known */
    struct link_life {
        uint64_t boot;
        uint32_t life;
    } former[LINK_FORMER_MAX];
    size_t former_next;

    /* The batches after `acked`, oldest first, in a ring. The first `emitted` have been sent at least once,
     * the next to send is the one at `cursor`. */
    struct link_batch *batches;
    size_t first;
    size_t count;
    size_t capacity;
    size_t emitted;
    size_t cursor;
    uint64_t acked;
    size_t backlog;
    struct link_spare {
        uint8_t *data;
        size_t capacity;
    } spares[LINK_SPARES_MAX];
    size_t spare_count;
    uint64_t repeat_at_ms;
    uint32_t repeat_after_ms;
    uint64_t gap_at_ms; /* a gap that is told before was answered already */
    bool is_repairing;  /* from a repeat until all is acked nothing new is sent: it could not be applied */
    bool is_over;       /* the high-water mark */
    bool is_full;
    uint64_t over_since_ms;

    uint64_t applied;
    bool has_gap;

    uint64_t heard_ms;
    uint64_t ticked_ms;
    uint64_t heartbeat_at_ms;
    uint64_t ack_at_ms; /* UINT64_MAX: none is owed */
    uint64_t blocked_until_ms;

    struct link_stats stats;
};

/* `self` is borrowed for the link's life. `peer_name` may be NULL: whoever answers with that role is the
 * peer. */
void link_init(struct link *link, const struct link_self *self, Bus__Role peer_role, const char *peer_name);
void link_fini(struct link *link);

/* Letters, digits, '.', '_' and '-', 1 to LINK_NAME_MAX of them. */
bool link_name_is_valid(const char *name);

/* A message as it arrived, in the arena. NULL: it does not parse, or became larger than the arena's limit. */
Bus__Batch *link_unpack(struct arena *arena, struct span message);

/* What speaks against a sender whom no link knows yet; `roles` are those that are welcome, as LINK_ROLE
 * bits. */
#define LINK_ROLE(role) (1U << (role))
Bus__Refused__Why link_objection(unsigned roles, const Bus__Batch *batch);
/* The message that refuses the sender of the batch. Returns its size. */
size_t link_refusal(const struct link_self *self, const Bus__Batch *batch, Bus__Refused__Why why,
                    uint8_t message[LINK_REFUSAL_SIZE_MAX]);

/* Whether the batch goes on with the life that is up, as nearly all of them do. */
bool link_goes_on(const struct link *link, const Bus__Batch *batch);
struct link_verdict link_receive(struct link *link, uint64_t now_ms, const Bus__Batch *batch);
/* True: the peer was up and is not any more, because it is silent or stays over its limit. To be called at
 * least every LINK_HEARTBEAT_MS. */
bool link_tick(struct link *link, uint64_t now_ms);

/* Packs the item into the batch under construction. False: there is no life to send it in, or it is too
 * large. */
bool link_push(struct link *link, const Bus__Item *item);

/* Sends what is due: new batches, repeats, or else a hello, a heartbeat, an ack. `emit` borrows the message
 * for the call; false: it cannot be taken now, and is due again later. */
void link_flush(struct link *link, uint64_t now_ms, bool (*emit)(void *context, struct span message),
                void *context);

/* When there is something to flush or to tick, if nothing else happens. */
uint64_t link_wakes_at(const struct link *link);

enum link_state link_state(const struct link *link);
/* The peer's boot id, and one more for each time that this link was given up: who compares it with the one
 * before knows whether what was said before still holds. What others call the peer's boot may differ. */
uint64_t link_peer_boot(const struct link *link);
/* Whether two such boot ids are of one process, whatever became of the link meanwhile. */
bool link_is_same_process(uint64_t boot, uint64_t other);
/* Bytes kept and not yet acked. */
size_t link_backlog(const struct link *link);
/* Over the high-water mark, as of the last flush: unreliable items are better left out. */
bool link_is_over(const struct link *link);

/* Asserts what must hold. */
void link_check(const struct link *link);

#endif
