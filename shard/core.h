/* core.h - a world shard: the rules of the game for the scopes it owns.
 *
 * A core: it has no socket, no clock and no thread. It is told what peers came, went and said, and the
 * time; what it has to tell them it leaves in its outbox. In between it owns players, vehicles, streaming,
 * chat and the player list of its scopes, and knows neither addresses nor event ids: those are the
 * gateways'.
 *
 * Where to read on: world.h (what there is), lanes.h (how anything is sent), stream.h (who is shown what),
 * then player_sync.h and vehicle_frame.h (the packets that come 30 times a second). */
#ifndef DLMP_SHARD_CORE_H
#define DLMP_SHARD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/reason.h"
#include "proto/outbox.h"

/* A vehicle that is there from the start, in the scope that it names. */
struct shard_vehicle {
    int64_t model;
    double x;
    double y;
    double z;
    double heading; /* degrees */
    int64_t color1;
    int64_t color2;
    int64_t virtual_world;
    int64_t interior;
    bool engine;
};

struct shard_config {
    const char *name;         /* "shard-1" */
    const char *bus_endpoint; /* where gateways find it */
    uint32_t pid;             /* for people */
    uint32_t players_max;     /* of this shard */
    uint32_t vehicles_max;
    uint32_t player_ids_max; /* of the cluster: no id is as high */
    bool jacking;            /* may a player take the wheel from another one */
    const struct shard_vehicle *vehicles;
    size_t vehicles_count;
};

struct shard;

/* What is wrong with the configuration, one a line, is written to `errors`; the number of lines is
 * returned. */
size_t shard_config_check(const struct shard_config *config, FILE *errors);
/* Likewise for one vehicle: REASON_NONE, REASON_NO_MODEL or REASON_OUT_OF_BOUNDS. */
enum reason shard_vehicle_check(const struct shard_vehicle *vehicle);

/* The configuration must have passed the check; what it points to is copied. NULL: no memory. */
struct shard *shard_new(const struct shard_config *config);
void shard_free(struct shard **where);

/* The bus. A peer number stays the same while the peer is up. */
void shard_peer_up(struct shard *shard, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                   uint64_t boot);
void shard_peer_down(struct shard *shard, uint64_t now_ms, uint16_t peer);
void shard_on_item(struct shard *shard, uint64_t now_ms, uint16_t peer, const Bus__Item *item);

void shard_tick(struct shard *shard, uint64_t now_ms);
uint64_t shard_wakes_at(const struct shard *shard);
struct outbox *shard_outbox(struct shard *shard);

/* Tells the gamemode of seats and chooses syncers, as far as they have changed since: every input ends with
 * it, and so does what a gamemode does of itself, by a timer. */
void shard_settle(struct shard *shard);

/* How long a tick took, as the shell has measured it: the longest of a second is reported. */
void shard_note_tick(struct shard *shard, float tick_ms);

/* Who is told what happens, and asked (event.h). The hooks are copied. */
struct event_hooks;
void shard_set_hooks(struct shard *shard, const struct event_hooks *hooks);

struct shard_stats {
    uint32_t players;
    uint32_t vehicles;
    uint32_t slots;                 /* owned */
    uint64_t frames_accepted;       /* PlayerSync and VehicleFrame */
    uint64_t reasons[REASON_COUNT]; /* what was dropped, refused, held or rewritten */
};

/* As of now. */
const struct shard_stats *shard_stats(struct shard *shard);

/* Walks the whole shard and asserts what must hold. For tests and the simulator. */
void shard_check(const struct shard *shard);

#endif
