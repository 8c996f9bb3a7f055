/* team.h - teams, and who is whose teammate.
 *
 * A team is its resource's, by its name, in the whole cluster. A script has it at once; the coordinator makes
 * it for everybody and gives it its id. Whether its friendly fire is off is the coordinator's to say, who is
 * in it this shard's. Players are teammates while they are in the same team and its friendly fire is off;
 * each change of that, of anybody, is one more relation revision.
 *
 * Spec: Combat, "Damage groups and relations"; design.md, "Identity and time". */
#ifndef DLMP_SHARD_TEAM_H
#define DLMP_SHARD_TEAM_H

#include "common/reason.h"
#include "proto/game.h"
#include "shard/world.h"

struct shard;

/* A team is named by a number of this shard's own, which it keeps; this one is none. */
enum { TEAM_NONE = 0 };

struct teams {
    struct game_team *teams; /* team 1 is the first */
    uint16_t count;
    uint32_t relation_revision;
};

/* -1: no memory. */
int teams_init(struct teams *teams);
void teams_fini(struct teams *teams);

/* The resource's team of this name; one that is there already is the same. */
enum reason team_create(struct shard *shard, const char *resource, const char *name, uint16_t *team);
/* Holds when the coordinator has told everybody. */
enum reason team_set_friendly_fire(struct shard *shard, uint16_t team, bool on);
/* TEAM_NONE: there is none of that name. */
uint16_t team_find(const struct shard *shard, const char *resource, const char *name);
/* NULL: there is no such team. */
const struct game_team *team_get(const struct shard *shard, uint16_t team);

/* TEAM_NONE: leaves its team. */
enum reason player_set_team(struct shard *shard, struct player *player, uint16_t team);
bool team_has_mates(const struct shard *shard, const struct player *player);
bool team_are_mates(const struct shard *shard, const struct player *one, const struct player *other);
/* The resource has stopped: its teams are empty on this shard. */
void team_empty_all_of(struct shard *shard, const char *resource);

/* As the coordinator has it. False: there is no room. */
bool team_take(struct shard *shard, const struct game_team *told);
/* No older one holds. */
void team_see_revision(struct shard *shard, uint32_t revision);

#endif
