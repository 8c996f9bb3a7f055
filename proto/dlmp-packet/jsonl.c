#include "proto/dlmp-packet/jsonl.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "common/tool.h"
#include "proto/dlmp-packet/input.h"
#include "proto/hex.h"
#include "proto/json.h"

static void answer_error(char *message)
{
    struct json_object *text;

    tool_clean(message);
    text = json_object_new_string(message);
    printf("{\"error\":%s}\n", json_object_to_json_string_ext(text, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(text);
}

static bool read_request(struct json_object *request, enum side *side, uint8_t *bytes, size_t *size,
                         char *message)
{
    struct json_object_iterator at = json_object_iter_begin(request), end = json_object_iter_end(request);
    struct json_object *hex = NULL, *direction = NULL;

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);

        if (strcmp(key, "hex") == 0) {
            hex = json_object_iter_peek_value(&at);
        } else if (strcmp(key, "direction") == 0) {
            direction = json_object_iter_peek_value(&at);
            if (!json_object_is_type(direction, json_type_string) ||
                json_object_get_string_len(direction) != 3 ||
                !side_read(json_object_get_string(direction), side)) {
                snprintf(message, MESSAGE_ROOM, "direction: expected \"c2s\" or \"s2c\"");
                return false;
            }
        } else {
            snprintf(message, MESSAGE_ROOM, "unknown key \"%.60s\", expected \"hex\" and \"direction\"", key);
            return false;
        }
    }
    if (!json_object_is_type(hex, json_type_string)) {
        snprintf(message, MESSAGE_ROOM, "hex: expected the packet's bytes as a string of hexadecimal digits");
        return false;
    }
    return convert_hex((struct span){ (const uint8_t *)json_object_get_string(hex),
                                      (size_t)json_object_get_string_len(hex) },
                       bytes, size, message);
}

static bool answer_decode(struct span line, enum side side, char *message)
{
    struct json_object *request = document_read(line, message, MESSAGE_ROOM);
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    const struct wire_packet *packet = NULL;
    union wire_any value;
    size_t size;

    if (request != NULL && read_request(request, &side, bytes, &size, message))
        packet = convert_decode(side, (struct span){ bytes, size }, &value, message);
    json_object_put(request);
    if (packet == NULL)
        return false;
    packet_json_print(stdout, packet, &value);
    putchar('\n');
    return true;
}

static bool answer_encode(struct span line, char *message)
{
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    size_t size = convert_encode(line, bytes, message);

    if (size == 0)
        return false;
    fputs("{\"hex\":\"", stdout);
    hex_print(stdout, (struct span){ bytes, size });
    fputs("\"}\n", stdout);
    return true;
}

enum { OUTPUT_SIZE = 65536 }; /* ours: one write for some hundred answers */

static int answer_lines(bool is_encode, enum side side)
{
    char message[MESSAGE_ROOM];
    struct lines lines;
    struct span line;
    enum line result;

    lines_init(&lines);
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
    while ((result = lines_next(&lines, &line)) == LINE_READ && !ferror(stdout)) {
        if (!(is_encode ? answer_encode(line, message) : answer_decode(line, side, message)))
            answer_error(message);
    }
    return result == LINE_FAILED ? tool_fail("stdin: %s", strerror(errno)) : TOOL_OK;
}

int jsonl_decode(enum side side)
{
    return answer_lines(false, side);
}

int jsonl_encode(void)
{
    return answer_lines(true, SIDE_EITHER);
}
