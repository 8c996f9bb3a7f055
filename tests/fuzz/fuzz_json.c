/* Any text as a packet in JSON: {"packet":"VehicleEnter","fields":{…}}. What the reader takes is a packet
 * that encode and decode judge alike; a valid one prints as JSON that is the same packet again.
 *
 * Inputs grow out of the golden examples that are built in, so the target needs no corpus to start from. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/arena.h"
#include "gen/wire.h"
#include "proto/document.h"
#include "proto/examples.h"
#include "proto/json.h"

enum { PUT_MAX = 1 << 20, ARENA_MAX = 1 << 22, FRESH_STARTS = 16 };

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* By the strict reader of dlmp-packet. NULL when the text is no object. */
static struct json_object *document_of(const uint8_t *data, size_t size)
{
    char message[256];

    return document_read((struct span){ data, size }, message, sizeof message);
}

static void prints_as_itself(const struct wire_packet *packet, const union wire_any *value)
{
    char *text = NULL;
    size_t text_size;
    FILE *out = open_memstream(&text, &text_size);
    uint8_t before[WIRE_PACKET_SIZE_MAX];
    uint8_t after[WIRE_PACKET_SIZE_MAX];
    struct json_object *document;
    struct arena arena;
    union wire_any again;
    struct wire_error error;
    char message[256];
    size_t size = packet->encode(value, before, sizeof before, &error);

    REQUIRE(out != NULL);
    packet_json_print(out, packet, value);
    REQUIRE(fclose(out) == 0);
    document = document_of((const uint8_t *)text, text_size);
    arena_init(&arena, 4096, ARENA_MAX);
    REQUIRE(packet_json_read(packet, json_object_object_get(document, "fields"), &again, &arena, message,
                             sizeof message));
    REQUIRE(packet->encode(&again, after, sizeof after, &error) == size && memcmp(before, after, size) == 0);
    arena_fini(&arena);
    json_object_put(document);
    free(text);
}

/* Where it may break a rule, it breaks the same one on both sides of the wire. */
static void both_sides_agree(const struct wire_packet *packet, const union wire_any *value)
{
    static uint8_t bytes[PUT_MAX];
    union wire_any decoded;
    struct wire_error encoding = { .why = WIRE_ACCEPTED };
    struct wire_error decoding = { .why = WIRE_ACCEPTED };
    size_t size = packet->put(value, bytes, sizeof bytes);
    bool valid = packet->check(value, &encoding);
    bool decodes;

    REQUIRE(size > 0);
    decodes = packet->decode(&decoded, bytes, size, &decoding);
    REQUIRE(valid == decodes);
    if (valid) {
        prints_as_itself(packet, value);
        return;
    }
    REQUIRE(encoding.why == decoding.why && encoding.field == decoding.field &&
            encoding.rule == decoding.rule);
    REQUIRE(encoding.within == decoding.within && encoding.index == decoding.index);
    REQUIRE(packet->encode(value, bytes, sizeof bytes, &encoding) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_object *document = document_of(data, size);
    struct json_object *name = NULL;
    struct json_object *fields = NULL;
    const struct wire_packet *packet = NULL;
    struct arena arena;
    union wire_any value;
    char message[256] = "";

    if (json_object_is_type(document, json_type_object)) {
        json_object_object_get_ex(document, "packet", &name);
        json_object_object_get_ex(document, "fields", &fields);
    }
    if (json_object_is_type(name, json_type_string))
        packet = wire_packet_by_name(json_object_get_string(name));
    arena_init(&arena, 4096, ARENA_MAX);
    if (packet != NULL) {
        if (packet_json_read(packet, fields, &value, &arena, message, sizeof message))
            both_sides_agree(packet, &value);
        else
            REQUIRE(strlen(message) > 0 && strlen(message) < sizeof message);
    }
    arena_fini(&arena);
    json_object_put(document);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    const struct wire_example *example = &wire_examples[seed / FRESH_STARTS % wire_examples_count];
    int printed;

    if (size > 8 && seed % FRESH_STARTS != 0)
        return LLVMFuzzerMutate(data, size, room);
    printed =
        snprintf((char *)data, room, "{\"packet\":\"%s\",\"fields\":%s}", example->packet, example->fields);
    return printed > 0 && (size_t)printed < room ? (size_t)printed : LLVMFuzzerMutate(data, size, room);
}
