/* player_show.h - the packets that show a player to an observer, and hide it.
 *
 * There is no show packet: what an observer must know goes on its lane, and the last frame follows at once.
 *
 * Spec: Player, "Streaming". */
#ifndef DLMP_SHARD_PLAYER_SHOW_H
#define DLMP_SHARD_PLAYER_SHOW_H

#include "shard/shard.h"

void player_send_show(struct shard *shard, struct player *observer, const struct player *subject);
/* False: the observer cannot be reached. */
bool player_send_stream_out(struct shard *shard, struct player *observer, const struct owed_hide *hide);
/* To everyone it is shown to. */
void player_send_wasted(struct shard *shard, struct player *subject);

#endif
