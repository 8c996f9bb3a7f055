/* chat.h - what players type: chat lines for everybody, commands for nobody yet.
 *
 * A chat line goes to all players of the cluster by the coordinator, which gives it to every shard in one
 * order, this one too.
 *
 * Spec: Chat, "Text", "Limits on what players send", "Chat and commands". */
#ifndef DLMP_SHARD_CHAT_H
#define DLMP_SHARD_CHAT_H

#include "shard/shard.h"

enum { CHAT_TEXT_MAX = 255, CHAT_TOO_FAST_EVERY_MS = 5000 }; /* Chat */

void on_client_chat(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_client_command(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
/* From the coordinator: to every player of this shard. */
void chat_on_broadcast(struct shard *shard, const Bus__Broadcast *broadcast);
/* The sender is over a limit of this page, and is told so at most once in 5 s. */
void chat_tell_too_fast(struct shard *shard, struct player *player, uint64_t now_ms);

/* Removes color codes until none is left, and outer spaces. `text` has room for CHAT_TEXT_MAX bytes;
 * returns its size. */
size_t chat_clean(uint8_t *text, size_t size);

#endif
