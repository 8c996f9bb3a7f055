#include "shard/chat.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "shard/lanes.h"

#define COLOR_WHITE UINT32_C(0xFFFFFFFF)

enum { COLOR_CODE_SIZE = 8 }; /* Chat, Text: {RRGGBB} */

static bool ends_in_code(const uint8_t *text, size_t size)
{
    const uint8_t *code = text + size - COLOR_CODE_SIZE;

    if (size < COLOR_CODE_SIZE || code[0] != '{' || code[COLOR_CODE_SIZE - 1] != '}')
        return false;
    for (size_t i = 1; i < COLOR_CODE_SIZE - 1; i++)
        if (!isxdigit(code[i]))
            return false;
    return true;
}

/* In one pass: a code that appears when an inner one goes is seen when its last byte is reached. */
static size_t remove_codes(uint8_t *text, size_t size)
{
    size_t kept = 0;

    for (size_t i = 0; i < size; i++) {
        text[kept++] = text[i];
        while (ends_in_code(text, kept))
            kept -= COLOR_CODE_SIZE;
    }
    return kept;
}

size_t chat_clean(uint8_t *text, size_t size)
{
    size_t first = 0;

    size = remove_codes(text, size);
    while (size > 0 && text[size - 1] == ' ')
        size--;
    while (first < size && text[first] == ' ')
        first++;
    memmove(text, text + first, size - first);
    return size - first;
}

static void send_message(struct shard *shard, struct player *player, const char *text)
{
    struct wire_server_message message = { .color = COLOR_WHITE,
                                           .text = { .data = (const uint8_t *)text, .size = strlen(text) } };
    uint8_t packet[WIRE_SERVER_MESSAGE_SIZE_MAX];
    struct wire_error error;
    size_t size = wire_server_message_encode(&message, packet, sizeof packet, &error);

    assert(size > 0);
    send_droppable(shard, player, packet, size);
}

void chat_tell_too_fast(struct shard *shard, struct player *player, uint64_t now_ms)
{
    if (player->too_fast_told && now_ms - player->too_fast_told_at_ms < CHAT_TOO_FAST_EVERY_MS)
        return;
    player->too_fast_told = true;
    player->too_fast_told_at_ms = now_ms;
    send_message(shard, player, "You are sending too fast.");
}

/* To the coordinator, for everybody. */
static void send_line(struct shard *shard, const uint8_t *packet, size_t size)
{
    struct outbox *outbox = &shard->outbox;

    if (shard->coordinator == PEER_NONE) {
        shard_count(shard, REASON_NO_COORDINATOR);
        return;
    }

    Bus__Item *item = outbox_add(outbox, shard->coordinator);
    Bus__Broadcast *line = outbox_alloc(outbox, sizeof *line);

    bus__broadcast__init(line);
    line->packet = outbox_bytes(outbox, packet, size);
    line->class_ = BUS__SEND__CLASS__DROPPABLE;
    item->item_case = BUS__ITEM__ITEM_BROADCAST;
    item->broadcast = line;
}

/* Chat: ClientChat. */
void on_client_chat(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_client_chat chat;
    struct wire_error error;
    uint8_t text[CHAT_TEXT_MAX];

    (void)now_ms;
    if (!wire_client_chat_decode(&chat, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    memcpy(text, chat.text.data, chat.text.size);

    size_t text_size = chat_clean(text, chat.text.size);
    struct wire_chat_message message = {
        .player_id = player->ref.id,
        .player_token = player->ref.token,
        .name_color = list_color(player->ref.id),
        .name = { .data = (const uint8_t *)player->name, .size = strlen(player->name) },
        .text = { .data = text, .size = text_size },
    };
    uint8_t line[WIRE_CHAT_MESSAGE_SIZE_MAX];

    if (text_size == 0) {
        shard_count(shard, REASON_EMPTY_LINE);
        return;
    }

    size_t size = wire_chat_message_encode(&message, line, sizeof line, &error);

    assert(size > 0);
    send_line(shard, line, size);
}

/* Chat: ClientCommand. The sender is answered: nobody takes commands. */
void on_client_command(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_client_command command;
    struct wire_error error;

    (void)now_ms;
    if (!wire_client_command_decode(&command, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    send_message(shard, player, "Unknown command.");
}

void chat_on_broadcast(struct shard *shard, const Bus__Broadcast *broadcast)
{
    union wire_any any;
    struct wire_error error;
    const struct wire_packet *packet =
        wire_decode(WIRE_S2C, broadcast->packet.data, broadcast->packet.len, &any, &error);

    if (packet == NULL || packet->lane != WIRE_RELIABLE) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    if (broadcast->class_ == BUS__SEND__CLASS__CRITICAL)
        send_group_critical(shard, &shard->world.everyone, broadcast->packet.data, broadcast->packet.len);
    else
        send_group_droppable(shard, &shard->world.everyone, broadcast->packet.data, broadcast->packet.len);
}
