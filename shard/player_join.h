/* player_join.h - players come to the shard and leave it.
 *
 * Spec: Connection, "Opening a connection", "Disconnect". */
#ifndef DLMP_SHARD_PLAYER_JOIN_H
#define DLMP_SHARD_PLAYER_JOIN_H

#include "common/leave.h"
#include "shard/shard.h"

void player_on_join(struct shard *shard, uint64_t now_ms, uint8_t gateway, const Bus__PlayerJoin *join);
/* Takes the player out of the world: its seat is freed without a broadcast, its vehicles get other syncers.
 * Handlers of `player_disconnect` still find it. That it has left is told to all players when the
 * coordinator says so (list.h). */
void player_leave(struct shard *shard, struct player *player, enum leave_reason reason);
/* Likewise, and no event: the player lives on, but not on this shard. */
void player_remove(struct shard *shard, struct player *player);

#endif
