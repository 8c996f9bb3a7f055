#include "shard/chat.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "common/text.h"
#include "shard/lanes.h"

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
    line->cause = asking_cause(shard);
    item->item_case = BUS__ITEM__ITEM_BROADCAST;
    item->broadcast = line;
}

/* ---- lines of the server */

size_t chat_piece(struct span text)
{
    size_t size = CHAT_MESSAGE_MAX;

    if (text.size <= CHAT_MESSAGE_MAX)
        return text.size;
    while (size > 0 && text.data[size] != ' ')
        size--;
    if (size > 0)
        return size;
    /* One long word: at the last whole character. */
    size = CHAT_MESSAGE_MAX;
    while ((text.data[size] & 0xC0) == 0x80)
        size--;
    return size;
}

static enum reason message_check(struct span text)
{
    if (text.size == 0)
        return REASON_EMPTY_LINE;
    if (text.size > CHAT_MESSAGE_TOTAL_MAX)
        return REASON_TEXT_TOO_LONG;
    return text_is_line(text) ? REASON_NONE : REASON_BAD_TEXT;
}

static size_t encode_message(struct span text, uint32_t color, uint8_t *packet, size_t room)
{
    struct wire_server_message message = { .color = color, .text = text };
    struct wire_error error;
    size_t size = wire_server_message_encode(&message, packet, room, &error);

    assert(size > 0);
    return size;
}

/* To the player, or, NULL, to every player of the cluster. */
static enum reason send_pieces(struct shard *shard, struct player *player, struct span text, uint32_t color)
{
    enum reason refused = message_check(text);
    uint8_t packet[WIRE_SERVER_MESSAGE_SIZE_MAX];

    while (refused == REASON_NONE && text.size > 0) {
        struct span piece = { .data = text.data, .size = chat_piece(text) };
        size_t size = encode_message(piece, color, packet, sizeof packet);

        if (player != NULL)
            send_droppable(shard, player, packet, size);
        else
            send_line(shard, packet, size);
        text.data += piece.size;
        text.size -= piece.size;
        /* The space at which it was split. */
        if (text.size > 0 && text.data[0] == ' ') {
            text.data++;
            text.size--;
        }
    }
    return refused;
}

enum reason player_message(struct shard *shard, struct player *player, struct span text, uint32_t color)
{
    return send_pieces(shard, player, text, color);
}

enum reason chat_message_all(struct shard *shard, struct span text, uint32_t color)
{
    return send_pieces(shard, NULL, text, color);
}

static void tell(struct shard *shard, struct player *player, const char *text)
{
    player_message(shard, player, (struct span){ .data = (const uint8_t *)text, .size = strlen(text) },
                   CHAT_WHITE);
}

void chat_tell_too_fast(struct shard *shard, struct player *player, uint64_t now_ms)
{
    if (player->too_fast_told && now_ms - player->too_fast_told_at_ms < CHAT_TOO_FAST_EVERY_MS)
        return;
    player->too_fast_told = true;
    player->too_fast_told_at_ms = now_ms;
    tell(shard, player, "You are sending too fast.");
}

/* ---- lines of players */

/* 0: the text is no line. */
static size_t encode_line(const struct player *from, struct span text, uint8_t *packet, size_t room)
{
    struct wire_chat_message message = {
        .player_id = from->ref.id,
        .player_token = from->ref.token,
        .name_color = list_color(from->ref.id),
        .name = { .data = (const uint8_t *)from->name, .size = strlen(from->name) },
        .text = text,
    };
    struct wire_error error;

    return wire_chat_message_encode(&message, packet, room, &error);
}

enum reason chat_say(struct shard *shard, struct player *to, const struct player *from, struct span text)
{
    uint8_t packet[WIRE_CHAT_MESSAGE_SIZE_MAX];
    size_t size;

    if (text.size == 0)
        return REASON_EMPTY_LINE;
    if (text.size > CHAT_TEXT_MAX)
        return REASON_TEXT_TOO_LONG;
    size = encode_line(from, text, packet, sizeof packet);
    if (size == 0)
        return REASON_BAD_TEXT;
    if (to != NULL)
        send_droppable(shard, to, packet, size);
    else
        send_group_droppable(shard, &shard->world.everyone, packet, size);
    return REASON_NONE;
}

/* REASON_NONE: everybody hears it. `text` has a terminator. */
static enum reason chat_check(struct shard *shard, const struct player *player, const char *text)
{
    if (text[0] == 0)
        return REASON_EMPTY_LINE;
    if (player->set.muted)
        return REASON_MUTED;
    if (!EVENT_RAISE(shard, EVENT_PLAYER_CHAT, event_player(player), event_text(text)))
        return REASON_HANDLER;
    return REASON_NONE;
}

/* Chat: ClientChat. */
void on_client_chat(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_client_chat chat;
    struct wire_error error;
    uint8_t text[CHAT_TEXT_MAX + 1];
    uint8_t line[WIRE_CHAT_MESSAGE_SIZE_MAX];
    enum reason refused;

    (void)now_ms;
    if (!wire_client_chat_decode(&chat, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    memcpy(text, chat.text.data, chat.text.size);

    size_t size = chat_clean(text, chat.text.size);

    text[size] = 0;
    refused = chat_check(shard, player, (const char *)text);
    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    size = encode_line(player, (struct span){ .data = text, .size = size }, line, sizeof line);
    assert(size > 0);
    send_line(shard, line, size);
}

/* ---- commands */

/* Both with a terminator; `line` becomes the command. Returns the arguments. */
static char *split_command(char *line)
{
    char *at = line;

    for (; *at != 0 && *at != ' '; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    while (*at == ' ')
        *at++ = 0;
    for (size_t size = strlen(at); size > 0 && at[size - 1] == ' ';)
        at[--size] = 0;
    return at;
}

/* Chat: ClientCommand. */
void on_client_command(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_client_command command;
    struct wire_error error;
    char line[CHAT_TEXT_MAX + 1];

    (void)now_ms;
    if (!wire_client_command_decode(&command, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    memcpy(line, command.text.data, command.text.size);
    line[command.text.size] = 0;

    const char *arguments = split_command(line);

    /* False: a handler has taken it. */
    if (EVENT_RAISE(shard, EVENT_PLAYER_COMMAND, event_player(player), event_text(line),
                    event_text(arguments)))
        tell(shard, player, "Unknown command.");
}

/* ---- from the coordinator */

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
