/* chat.h - what players type, and the lines that the server and the gamemode show them.
 *
 * A chat line goes to all players of the cluster by the coordinator, which gives it to every shard in one
 * order, this one too. A command is the gamemode's to take.
 *
 * Spec: Chat, "Text", "Limits on what players send", "Chat and commands". */
#ifndef DLMP_SHARD_CHAT_H
#define DLMP_SHARD_CHAT_H

#include "shard/shard.h"

enum {
    CHAT_TEXT_MAX = 255,           /* Chat: ChatMessage, ClientChat, ClientCommand */
    CHAT_TOO_FAST_EVERY_MS = 5000, /* Chat, "Limits on what players send" */
    CHAT_MESSAGE_MAX = 512,        /* Chat: ServerMessage */
    CHAT_MESSAGE_TOTAL_MAX = 8192, /* ours: of a text that is split into several */
};
#define CHAT_WHITE UINT32_C(0xFFFFFFFF)

void on_client_chat(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_client_command(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
/* From the coordinator: to every player of this shard. */
void chat_on_broadcast(struct shard *shard, const Bus__Broadcast *broadcast);
/* The sender is over a limit of this page, and is told so at most once in 5 s. */
void chat_tell_too_fast(struct shard *shard, struct player *player, uint64_t now_ms);

/* Chat: ServerMessage. A text that is longer than one is split at the last space before the limit. */
enum reason player_message(struct shard *shard, struct player *player, struct span text, uint32_t color);
/* Likewise to every player of the cluster. */
enum reason chat_message_all(struct shard *shard, struct span text, uint32_t color);
/* Chat: ChatMessage in the name of `from`. `to` NULL: to every player of this shard. */
enum reason chat_say(struct shard *shard, struct player *to, const struct player *from, struct span text);

/* How much of the text, which is not empty, goes into the next ServerMessage. */
size_t chat_piece(struct span text);

/* Removes color codes until none is left, and outer spaces. `text` has room for CHAT_TEXT_MAX bytes;
 * returns its size. */
size_t chat_clean(uint8_t *text, size_t size);

#endif
