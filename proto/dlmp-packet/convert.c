#include "proto/dlmp-packet/convert.h"

#include <json-c/json.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/tool.h"
#include "proto/document.h"
#include "proto/hex.h"
#include "proto/json.h"

static const char *const direction_names[] = { [WIRE_C2S] = "c2s", [WIRE_S2C] = "s2c" };

bool side_read(const char *word, enum side *side)
{
    bool is_c2s = strcmp(word, "c2s") == 0;

    if (!is_c2s && strcmp(word, "s2c") != 0)
        return false;
    *side = is_c2s ? SIDE_C2S : SIDE_S2C;
    return true;
}

const char *direction_name(enum wire_direction direction)
{
    return direction_names[direction];
}

/* S→C first: there the kind of a server query is told apart, C→S has but one. */
static const struct wire_packet *identify(enum side side, struct span bytes, struct wire_error *error)
{
    const struct wire_packet *packet;

    if (side != SIDE_EITHER)
        return wire_identify((enum wire_direction)side, bytes.data, bytes.size, error);
    packet = wire_identify(WIRE_S2C, bytes.data, bytes.size, error);
    return packet != NULL ? packet : wire_identify(WIRE_C2S, bytes.data, bytes.size, error);
}

static void explain_unknown(enum side side, struct span bytes, const struct wire_error *error, char *message)
{
    struct wire_error ignored;
    const struct wire_packet *other = identify(SIDE_EITHER, bytes, &ignored);
    char reason[MESSAGE_ROOM / 2];

    wire_error_format(error, reason, sizeof reason);
    if (bytes.size == 0)
        snprintf(message, MESSAGE_ROOM, "%s", reason);
    else if (side == SIDE_EITHER)
        snprintf(message, MESSAGE_ROOM, "id 0x%02X: no packet has this id", bytes.data[0]);
    else if (error->why == WIRE_UNKNOWN && other != NULL)
        snprintf(message, MESSAGE_ROOM, "id 0x%02X: %s (%s goes %s)", bytes.data[0], reason,
                 other->layout->name, direction_name(other->direction));
    else
        snprintf(message, MESSAGE_ROOM, "id 0x%02X: %s", bytes.data[0], reason);
}

static void explain_malformed(const struct wire_packet *packet, size_t size, const struct wire_error *error,
                              char *message)
{
    const struct wire_struct *layout = packet->layout;
    char reason[MESSAGE_ROOM / 2], expected[32];

    wire_error_format(error, reason, sizeof reason);
    if (error->field != NULL) {
        snprintf(message, MESSAGE_ROOM, "%s: %s", layout->name, reason);
        return;
    }
    if (layout->min_size == layout->max_size)
        snprintf(expected, sizeof expected, "%u", (unsigned)layout->min_size);
    else
        snprintf(expected, sizeof expected, "%u..=%u", (unsigned)layout->min_size,
                 (unsigned)layout->max_size);
    snprintf(message, MESSAGE_ROOM, "%s: %s (%zu bytes, expected %s)", layout->name, reason, size, expected);
}

const struct wire_packet *convert_decode(enum side side, struct span bytes, union wire_any *value,
                                         char *message)
{
    struct wire_error error;
    const struct wire_packet *packet = identify(side, bytes, &error);

    if (packet == NULL) {
        explain_unknown(side, bytes, &error, message);
        return NULL;
    }
    if (!packet->decode(value, bytes.data, bytes.size, &error)) {
        explain_malformed(packet, bytes.size, &error, message);
        return NULL;
    }
    return packet;
}

/* The document's members; a missing one is left as it is. */
static bool split(struct json_object *document, struct json_object **name, struct json_object **fields,
                  char *message)
{
    struct json_object_iterator at = json_object_iter_begin(document), end = json_object_iter_end(document);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);

        if (strcmp(key, "packet") == 0) {
            *name = json_object_iter_peek_value(&at);
        } else if (strcmp(key, "fields") == 0) {
            *fields = json_object_iter_peek_value(&at);
        } else {
            snprintf(message, MESSAGE_ROOM, "unknown key \"%.60s\", expected \"packet\" and \"fields\"", key);
            return false;
        }
    }
    return true;
}

static const struct wire_packet *named(struct json_object *name, char *message)
{
    const struct wire_packet *packet;

    if (!json_object_is_type(name, json_type_string)) {
        snprintf(message, MESSAGE_ROOM, "packet: expected the name of a packet as a string");
        return NULL;
    }
    /* A \u0000 would end the name for C. */
    packet = strlen(json_object_get_string(name)) == (size_t)json_object_get_string_len(name)
                 ? wire_packet_by_name(json_object_get_string(name))
                 : NULL;
    if (packet == NULL)
        snprintf(message, MESSAGE_ROOM, "packet: no packet is called \"%.60s\", see dlmp-packet list",
                 json_object_get_string(name));
    return packet;
}

/* ours: the texts of the longest document, each rounded up to the arena's step */
enum { ARENA_BLOCK = 4096, ARENA_MAX = 4 * DOCUMENT_SIZE_MAX };

static size_t encode(const struct wire_packet *packet, struct json_object *fields, uint8_t *buffer,
                     char *message)
{
    struct arena arena;
    struct wire_error error;
    union wire_any value;
    char reason[MESSAGE_ROOM / 2];
    size_t size = 0;

    arena_init(&arena, ARENA_BLOCK, ARENA_MAX);
    if (packet_json_read(packet, fields, &value, &arena, reason, sizeof reason)) {
        size = packet->encode(&value, buffer, WIRE_PACKET_SIZE_MAX, &error);
        if (size == 0)
            wire_error_format(&error, reason, sizeof reason);
    }
    arena_fini(&arena);
    if (size == 0)
        snprintf(message, MESSAGE_ROOM, "%s: %s", packet->layout->name, reason);
    return size;
}

size_t convert_encode(struct span text, uint8_t *buffer, char *message)
{
    struct json_object *document = document_read(text, message, MESSAGE_ROOM);
    struct json_object *name = NULL, *fields = NULL;
    const struct wire_packet *packet = NULL;
    size_t size = 0;

    if (document != NULL && split(document, &name, &fields, message))
        packet = named(name, message);
    if (packet != NULL)
        size = encode(packet, fields, buffer, message);
    json_object_put(document);
    return size;
}

bool convert_hex(struct span text, uint8_t *bytes, size_t *size, char *message)
{
    if (text.size / 2 > WIRE_PACKET_SIZE_MAX) {
        snprintf(message, MESSAGE_ROOM, "hex: expected at most %d bytes, no packet is longer, got %zu",
                 WIRE_PACKET_SIZE_MAX, text.size / 2);
        return false;
    }
    if (!hex_read(text, bytes)) {
        snprintf(message, MESSAGE_ROOM,
                 "hex: expected an even number of hexadecimal digits and nothing else");
        return false;
    }
    *size = text.size / 2;
    return true;
}
