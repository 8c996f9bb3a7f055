/* player_sync.h - a player's own frames: acceptance, what they change, the relay.
 *
 * A frame is refused whole, or accepted; an accepted one may be held: it counts, but does not move the
 * player, and its relay carries the last accepted position.
 *
 * Spec: Player, "Own state: PlayerSync", "Relay: RemotePlayerSync". */
#ifndef DLMP_SHARD_PLAYER_SYNC_H
#define DLMP_SHARD_PLAYER_SYNC_H

#include "shard/shard.h"

/* Player, Own state. */
#define PLAYER_MOVE_SLACK_M 4.0f
#define PLAYER_MOVE_M_PER_S 60.0f
#define PLAYER_FROM_VEHICLE_M 60.0f
enum { PLAYER_MOVE_TIME_MAX_MS = 2000, PLAYER_STRIKES_MAX = 20 };

void on_player_sync(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

/* The page's bounds of a frame's values. */
bool player_frame_is_within_bounds(const struct wire_frame *frame);

#endif
