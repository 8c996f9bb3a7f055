/* player_spawn.h - lives: spawn grants, deaths, respawns.
 *
 * Spec: Player, "Spawn and death". */
#ifndef DLMP_SHARD_PLAYER_SPAWN_H
#define DLMP_SHARD_PLAYER_SPAWN_H

#include "shard/shard.h"

enum { PLAYER_RESPAWN_AFTER_MS = 1000 }; /* Player, Spawn and death */

void on_request_spawn(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_death_report(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_respawn_request(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
