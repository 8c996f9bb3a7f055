/* scopes.h - the scopes that a gamemode has been asked to fill.
 *
 * A slot owns virtual worlds without end, with all their interiors, so `scope_start` cannot be raised for
 * each. It is raised once for a scope while its slot is owned, when it is first needed: for the scopes where
 * players start when the slot comes to the shard, for any other before the first player comes into it. Who
 * loses the slot forgets its scopes.
 *
 * Spec: gamemode API, Resources. */
#ifndef DLMP_SHARD_SCOPES_H
#define DLMP_SHARD_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"
#include "gen/bus.pb-c.h"
#include "shard/grid.h"

struct shard;

enum {
    SCOPES_MAX = 65536,      /* ours: half a MiB; a world for each of 16384 players, and their interiors */
    SCOPES_SPAWNS_MAX = 256, /* ours: as many as the coordinator has spawns */
};

struct scopes {
    struct scope *started; /* sorted */
    uint32_t count;
    struct scope spawns[SCOPES_SPAWNS_MAX]; /* where players start, in the whole cluster */
    uint32_t spawns_count;
};

/* -1: no memory; it may be closed as any other. */
int scopes_init(struct scopes *scopes);
void scopes_fini(struct scopes *scopes);

/* A player is about to come into the scope. REASON_NONE: it has been started, now or before. A scope of
 * another shard, and one too many, are refused. */
enum reason scopes_need(struct shard *shard, struct scope scope);

/* From the coordinator, with the map: where players start. False: it makes no sense. */
bool scopes_set_spawns(struct shard *shard, size_t count, Bus__Scope *const *spawns);
/* Starts those of them that the shard owns. Not before there are ids for what a gamemode makes there. */
void scopes_start_spawns(struct shard *shard);
/* The slot is no more the shard's. */
void scopes_forget_slot(struct shard *shard, uint32_t slot);

#endif
