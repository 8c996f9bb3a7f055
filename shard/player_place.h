/* player_place.h - the server's position commands: grants, teleports, changes of scope.
 *
 * A change of scope is a barrier on the player's lane: first the hides of the old scope, all of them (and
 * the leaves of those it was shown), then the command and ScopeChanged, then the shows of the new one.
 * While hides are owed, because the lane is full, the barrier is pending: the player is in its new scope
 * already, is shown nothing and to nobody. Each command raises `pose_rev`, so that frames from before it
 * do not move the player.
 *
 * Spec: Player, "Spawn and death", "Scope changes". */
#ifndef DLMP_SHARD_PLAYER_PLACE_H
#define DLMP_SHARD_PLAYER_PLACE_H

#include "shard/shard.h"

enum place_command {
    PLACE_TELEPORT, /* TeleportPlayer if the position or the interior changes */
    PLACE_BACK,     /* TeleportPlayer in any case: the client is somewhere else than the server has it */
    PLACE_GRANT,    /* SpawnPlayer or RespawnPlayer */
};

/* REASON_NONE: done; a seated player has left its seat first. A place outside the world or of another shard,
 * and a player who has not spawned, are refused. Whoever wants to keep a part of the present place finds it
 * in `player->place`. */
enum reason player_teleport(struct shard *shard, struct player *player, uint64_t now_ms,
                            const struct place *to);
/* To the same position there. To the scope that it has: nothing happens. */
enum reason player_set_scope(struct shard *shard, struct player *player, struct scope scope);

/* What must hold before a player may be put there: the place is one, its scope this shard's and started, and
 * the player on foot, for which it leaves its seat. Handlers may have run. */
enum reason player_prepare(struct shard *shard, struct player *player, const struct place *to);

/* The player is there from now on, as far as the server goes. For a grant its `life` must be the new one
 * already. Raises `player_scope` as the last thing it does. */
void player_put(struct shard *shard, struct player *player, uint64_t now_ms, enum place_command command,
                const struct place *to);
/* Goes on with a barrier, as far as the lane allows. */
void player_pass_barrier(struct shard *shard, struct player *player);

bool place_is_valid(const struct place *place);

#endif
