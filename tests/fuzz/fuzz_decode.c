/* Any bytes into the decoders, as a datagram of either direction. What decodes is valid, encodes to the
 * same bytes, and does so again after a detour through JSON; what does not is refused with words. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/arena.h"
#include "gen/wire.h"
#include "proto/json.h"

enum { SMALL_ROOM = 16 };

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

static void refusal_has_words(const struct wire_error *error)
{
    char text[512];
    char *small = malloc(SMALL_ROOM); /* a byte behind it is AddressSanitizer's to find */

    REQUIRE(small != NULL);
    REQUIRE(error->why > WIRE_ACCEPTED && error->why < WIRE_NO_ROOM);
    REQUIRE(strlen(wire_error_format(error, text, sizeof text)) > 0);
    REQUIRE(strlen(text) < sizeof text - 1);
    REQUIRE(error->field == NULL || strstr(text, error->field->name) != NULL);
    REQUIRE(strncmp(wire_error_format(error, small, SMALL_ROOM), text, SMALL_ROOM - 1) == 0);
    free(small);
}

static void survives_json(const struct wire_packet *packet, const union wire_any *value, const uint8_t *data,
                          size_t size)
{
    char *text = NULL;
    size_t text_size;
    FILE *out = open_memstream(&text, &text_size);
    struct json_object *fields;
    struct arena arena;
    union wire_any again;
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;
    char message[256];

    REQUIRE(out != NULL);
    packet_json_print_fields(out, packet->layout, value);
    REQUIRE(fclose(out) == 0);
    fields = json_tokener_parse(text);
    arena_init(&arena, 4096, 1 << 20);
    REQUIRE(packet_json_read(packet, fields, &again, &arena, message, sizeof message));
    REQUIRE(packet->encode(&again, bytes, sizeof bytes, &error) == size);
    REQUIRE(memcmp(bytes, data, size) == 0);
    arena_fini(&arena);
    json_object_put(fields);
    free(text);
}

static void is_sound(const struct wire_packet *packet, const union wire_any *value, const uint8_t *data,
                     size_t size)
{
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;

    REQUIRE(packet->id == data[0]);
    REQUIRE(size >= packet->layout->min_size && size <= packet->layout->max_size);
    REQUIRE(packet->check(value, &error));
    REQUIRE(packet->encode(value, bytes, sizeof bytes, &error) == size);
    REQUIRE(memcmp(bytes, data, size) == 0);
    REQUIRE(packet->encode(value, bytes, size - 1, &error) == 0 && error.why == WIRE_NO_ROOM);
}

static void arrives(enum wire_direction direction, const uint8_t *data, size_t size)
{
    union wire_any value;
    struct wire_error error = { .why = WIRE_ACCEPTED };
    const struct wire_packet *packet = wire_decode(direction, data, size, &value, &error);

    if (packet == NULL) {
        refusal_has_words(&error);
        return;
    }
    REQUIRE(packet->direction == direction);
    is_sound(packet, &value, data, size);
    survives_json(packet, &value, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arrives(WIRE_C2S, data, size);
    arrives(WIRE_S2C, data, size);
    return 0;
}
