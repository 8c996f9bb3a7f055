/* player_spawn.h - lives: spawn grants, deaths, respawns.
 *
 * Spec: Player, "Spawn and death"; gamemode API, Players. */
#ifndef DLMP_SHARD_PLAYER_SPAWN_H
#define DLMP_SHARD_PLAYER_SPAWN_H

#include "shard/shard.h"

enum {
    PLAYER_RESPAWN_AFTER_MS = 1000,  /* Player, Spawn and death: after the death */
    PLAYER_ASK_AGAIN_MS = 1000,      /* likewise: after a request that was refused */
    PLAYER_SKIN_MAX = 311,           /* Player: SpawnPlayer.skin */
    PLAYER_DEATH_BY_EXPLOSION = 51,  /* Vehicles: VehicleExplode, "The vehicle's killer" */
    PLAYER_DEATH_WITHOUT_CAUSE = 54, /* of any other death, as long as Combat knows of no cause */
};

void on_request_spawn(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_death_report(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_respawn_request(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

/* Grants a life at once, whatever the player does: SpawnPlayer the first time, RespawnPlayer from then on. A
 * scope of another shard is refused. */
enum reason player_spawn(struct shard *shard, struct player *player);

/* Where the next grants put the player, and as whom. */
struct spawn_info {
    struct place place;
    uint16_t skin;
};

struct spawn_info player_spawn_info(const struct player *player);
enum reason player_set_spawn_info(struct shard *shard, struct player *player, const struct spawn_info *info);

#endif
