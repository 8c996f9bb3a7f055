/* shard.h - the state of a shard, for the modules of its core. */
#ifndef DLMP_SHARD_SHARD_H
#define DLMP_SHARD_SHARD_H

#include "common/serial.h"
#include "shard/ask.h"
#include "shard/core.h"
#include "shard/event.h"
#include "shard/list.h"
#include "shard/scopes.h"
#include "shard/settings.h"
#include "shard/team.h"
#include "shard/world.h"

enum {
    SHARD_PEERS_MAX = 64,           /* ours: gateways that are up or just died, and the coordinator */
    SHARD_SLOTS_MAX = 1024,         /* ours: far more slots than shards */
    SHARD_TICK_MS = 100,            /* Player, Streaming */
    SHARD_REPORT_MS = 1000,         /* ShardState */
    SHARD_GATEWAY_GRACE_MS = 10000, /* design.md: the players of a dead gateway leave after that */
    SHARD_LEASE_COUNT = 1024,       /* design.md: vehicle ids are leased in blocks of that */
};

/* No peer. */
enum { PEER_NONE = 0xFFFF };

struct gateway_link {
    bool used; /* players may still refer to it */
    bool up;
    uint16_t peer;
    uint64_t boot;
    uint64_t down_at_ms;
    char name[64];
};

struct owned_slot {
    bool owned;
    uint64_t fence;
    char shard[64]; /* whose it is */
};

/* A vehicle of the configuration: made once for each time that its slot comes to this shard. */
struct configured_vehicle {
    struct shard_vehicle what;
    bool made; /* and there since, unless the gamemode has destroyed it */
    uint32_t id;
};

/* Somebody got in or out: the gamemode is to be told (vehicle_seat.h). */
struct seat_news {
    struct player_ref player;
    uint32_t vehicle_id;
    uint8_t seat;
    bool entered;
};

struct id_lease {
    uint32_t next;
    uint32_t end;
    uint32_t spare_first; /* the next block; 0 and 0: none */
    uint32_t spare_end;
    bool asked;
};

struct shard {
    struct shard_config config; /* its texts are the two below */
    char *name;
    char *bus_endpoint;
    struct configured_vehicle *vehicles;
    uint64_t now_ms; /* of the input that is being handled */
    struct event_hooks hooks;
    uint64_t heard;       /* a bit for each event that the hooks want */
    float remote_range_m; /* dlmp.rc_range() */
    struct world world;
    struct list list;
    struct settings settings;
    struct teams teams;
    struct asking asking;
    bool require_account; /* nobody spawns without one */
    struct outbox outbox;

    struct gateway_link gateways[WORLD_GATEWAYS_MAX];
    uint16_t coordinator; /* peer */
    uint64_t map_revision;
    struct owned_slot slots[SHARD_SLOTS_MAX];
    uint32_t slots_count;
    struct id_lease lease;
    struct scopes scopes;

    uint64_t tick_at_ms;
    uint64_t ticked_at_ms; /* 0: not yet */
    uint64_t report_at_ms;
    float longest_tick_ms;

    /* Scratch memory of a streaming pass (stream.h) and of the syncers that are due (vehicle_syncer.h). */
    struct grid_hit *hits;
    struct stream_show *shows;
    uint64_t *player_stamps;
    uint64_t *vehicle_stamps;
    uint64_t stamp; /* of 64 bits: it never comes round to one that an old pass left behind */
    uint16_t *syncers_due;
    uint32_t syncers_due_count;
    struct seat_news *seat_news; /* oldest first */
    uint32_t seat_news_count;
    uint16_t *syncers_news;
    uint32_t syncers_news_count;

    struct shard_stats stats;
};

static inline void shard_count(struct shard *shard, enum reason reason)
{
    shard->stats.reasons[reason]++;
}

/* The gateway has decoded the packet strictly already: a malformed one says that the two disagree. */
static inline void shard_count_malformed(struct shard *shard, const struct wire_error *error)
{
    static const enum reason reasons[WIRE_WHYS] = {
        [WIRE_EMPTY] = REASON_MALFORMED_EMPTY,
        [WIRE_UNKNOWN] = REASON_MALFORMED_UNKNOWN,
        [WIRE_SHORT] = REASON_MALFORMED_SHORT,
        [WIRE_LONG] = REASON_MALFORMED_LONG,
        [WIRE_NOT_FINITE] = REASON_MALFORMED_NOT_FINITE,
        [WIRE_RANGE] = REASON_MALFORMED_RANGE,
        [WIRE_VALUE] = REASON_MALFORMED_VALUE,
        [WIRE_BITS] = REASON_MALFORMED_BITS,
        [WIRE_TEXT] = REASON_MALFORMED_TEXT,
        [WIRE_RULE] = REASON_MALFORMED_RULE,
    };

    shard_count(shard, reasons[error->why]);
}

#endif
