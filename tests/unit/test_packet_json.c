#include <float.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "common/arena.h"
#include "gen/wire.h"
#include "proto/examples.h"
#include "proto/json.h"
#include "tests/unit/suites.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define TEXT(literal) ((struct span){ .data = (const uint8_t *)(literal), .size = sizeof(literal) - 1 })

/* A packet that has every type of field, each once as it comes in the schema. */
struct inner {
    int16_t low;
    float reals[2];
};

struct kinds {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    uint8_t three[3];
    struct inner one;
    struct inner two[2];
    struct span str8;
    struct span str16;
    struct span bytes;
    uint16_t items_count;
    struct inner items[2];
    uint16_t numbers_count;
    uint16_t numbers[4];
};

static const struct wire_field inner_fields[] = {
    { .name = "low", .type = WIRE_I16, .offset = offsetof(struct inner, low) },
    { .name = "reals",
      .type = WIRE_F32,
      .count = 2,
      .offset = offsetof(struct inner, reals),
      .stride = sizeof(float) },
};
static const struct wire_struct inner_layout = {
    .name = "Inner", .fields = inner_fields, .fields_count = COUNT(inner_fields), .size = sizeof(struct inner)
};

/* clang-format off */
#define AT(member) .offset = offsetof(struct kinds, member)
static const struct wire_field kinds_fields[] = {
    { .name = "u8",    .type = WIRE_U8,  AT(u8) },
    { .name = "u16",   .type = WIRE_U16, AT(u16) },
    { .name = "u32",   .type = WIRE_U32, AT(u32) },
    { .name = "u64",   .type = WIRE_U64, AT(u64) },
    { .name = "i8",    .type = WIRE_I8,  AT(i8) },
    { .name = "i16",   .type = WIRE_I16, AT(i16) },
    { .name = "i32",   .type = WIRE_I32, AT(i32) },
    { .name = "i64",   .type = WIRE_I64, AT(i64) },
    { .name = "f32",   .type = WIRE_F32, AT(f32) },
    { .name = "three", .type = WIRE_U8,  AT(three), .count = 3, .stride = 1 },
    { .name = "one",   .type = WIRE_STRUCT, .of = &inner_layout, AT(one) },
    { .name = "two",   .type = WIRE_STRUCT, .of = &inner_layout, AT(two), .count = 2,
      .stride = sizeof(struct inner) },
    { .name = "str8",  .type = WIRE_STR8,    .prefix = 1, AT(str8) },
    { .name = "str16", .type = WIRE_STR16,   .prefix = 2, AT(str16) },
    { .name = "bytes", .type = WIRE_BYTES16, .prefix = 2, AT(bytes) },
    { .name = "items", .type = WIRE_LIST, .item = WIRE_STRUCT, .of = &inner_layout, .prefix = 1, .max = 2,
      AT(items), .count_offset = offsetof(struct kinds, items_count), .stride = sizeof(struct inner) },
    { .name = "numbers", .type = WIRE_LIST, .item = WIRE_U16, .prefix = 1, .max = 4,
      AT(numbers), .count_offset = offsetof(struct kinds, numbers_count), .stride = sizeof(uint16_t) },
};
#undef AT
/* clang-format on */

static const struct wire_struct kinds_layout = {
    .name = "Kinds", .fields = kinds_fields, .fields_count = COUNT(kinds_fields), .size = sizeof(struct kinds)
};
static const struct wire_packet kinds_packet = { .layout = &kinds_layout };

static const char kinds_json[] =
    "{\"u8\":255,\"u16\":65535,\"u32\":4294967295,\"u64\":18446744073709551615,\"i8\":-128,\"i16\":-32768,"
    "\"i32\":-2147483648,\"i64\":-9223372036854775808,\"f32\":-0.0,\"three\":[1,2,3],"
    "\"one\":{\"low\":-1,\"reals\":[0.5,-1.25]},"
    "\"two\":[{\"low\":2,\"reals\":[0.0,0.1]},{\"low\":3,\"reals\":[1e-5,1e16]}],"
    "\"str8\":\"a \\\"b\\\" \\\\ \\n\\t\\u0000\\u007f\\u0085 é 😀\",\"str16\":\"\",\"bytes\":\"00ff7a\","
    "\"items\":[{\"low\":4,\"reals\":[2.0,3.0]}],\"numbers\":[]}";

/* What a test reads into; tests run one by one. */
static struct kinds kinds;
static struct arena arena;
static char message[256];

static void set_up(void)
{
    arena_init(&arena, 4096, 65536);
    message[0] = '\0';
}

static void tear_down(void)
{
    arena_fini(&arena);
}

static char *print_fields(const struct wire_struct *layout, const void *value)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    packet_json_print_fields(out, layout, value);
    fclose(out);
    return text;
}

static bool read_kinds(const char *json)
{
    struct json_object *fields = json_tokener_parse(json);
    bool ok = packet_json_read(&kinds_packet, fields, &kinds, &arena, message, sizeof message);

    json_object_put(fields);
    return ok;
}

/* kinds_json with one part of it replaced. */
static bool read_kinds_with(const char *from, const char *to)
{
    const char *at = strstr(kinds_json, from);
    char *json = NULL;
    bool ok;

    ck_assert_ptr_nonnull(at);
    ck_assert_int_gt(asprintf(&json, "%.*s%s%s", (int)(at - kinds_json), kinds_json, to, at + strlen(from)),
                     0);
    ok = read_kinds(json);
    free(json);
    return ok;
}

START_TEST(every_type_reads_and_prints_the_same)
{
    char *printed;

    ck_assert_msg(read_kinds(kinds_json), "%s", message);
    printed = print_fields(&kinds_layout, &kinds);
    ck_assert_str_eq(printed, kinds_json);
    free(printed);
}
END_TEST

START_TEST(what_is_read_stands_in_the_struct)
{
    ck_assert_msg(read_kinds(kinds_json), "%s", message);
    ck_assert_uint_eq(kinds.u64, UINT64_MAX);
    ck_assert_int_eq(kinds.i8, INT8_MIN);
    ck_assert_int_eq(kinds.i64, INT64_MIN);
    ck_assert(signbit(kinds.f32));
    ck_assert_uint_eq(kinds.three[2], 3);
    ck_assert(kinds.two[1].reals[1] == 1e16f);
    ck_assert_uint_eq(kinds.bytes.size, 3);
    ck_assert_mem_eq(kinds.bytes.data, "\x00\xff\x7a", 3);
    ck_assert_uint_eq(kinds.items_count, 1);
    ck_assert(kinds.items[0].reals[1] == 3.0f);
    ck_assert_uint_eq(kinds.numbers_count, 0);
}
END_TEST

START_TEST(a_packet_prints_with_its_name)
{
    const struct wire_vehicle_enter enter = { .token = 1, .event_id = 7, .vehicle_id = 12, .seat = 0 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    packet_json_print(out, &wire_vehicle_enter_packet, &enter);
    fclose(out);
    ck_assert_str_eq(text, "{\"packet\":\"VehicleEnter\",\"fields\":"
                           "{\"token\":1,\"event_id\":7,\"vehicle_id\":12,\"seat\":0}}");
    free(text);
}
END_TEST

START_TEST(every_example_reads_encodes_decodes_and_prints_the_same)
{
    for (size_t i = 0; i < wire_examples_count; i++) {
        const struct wire_example *example = &wire_examples[i];
        const struct wire_packet *packet = wire_packet_by_name(example->packet);
        struct json_object *fields = json_tokener_parse(example->fields);
        uint8_t once[WIRE_PACKET_SIZE_MAX], twice[WIRE_PACKET_SIZE_MAX];
        union wire_any value;
        struct wire_error error;
        char *printed;
        size_t size;

        ck_assert_msg(packet_json_read(packet, fields, &value, &arena, message, sizeof message), "%s: %s",
                      example->name, message);
        size = packet->encode(&value, once, sizeof once, &error);
        ck_assert_msg(size > 0, "%s: %s", example->name, wire_error_format(&error, message, sizeof message));
        json_object_put(fields);

        ck_assert(packet->decode(&value, once, size, &error));
        printed = print_fields(packet->layout, &value);
        fields = json_tokener_parse(printed);
        ck_assert(packet_json_read(packet, fields, &value, &arena, message, sizeof message));
        ck_assert_uint_eq(packet->encode(&value, twice, sizeof twice, &error), size);
        ck_assert_mem_eq(once, twice, size);
        json_object_put(fields);
        free(printed);
        arena_reset(&arena);
    }
}
END_TEST

START_TEST(texts_and_bytes_outlive_the_json)
{
    ck_assert(read_kinds_with("\"str16\":\"\"", "\"str16\":\"kept\"")); /* the JSON is freed by now */
    ck_assert_uint_eq(kinds.str16.size, 4);
    ck_assert_mem_eq(kinds.str16.data, "kept", 4);
}
END_TEST

/* ---- floats ---- */

/* Borrowed until the next call. */
static const char *print_float(float real)
{
    static const char before[] = "{\"event_id\":1,\"gravity\":";
    static char text[64];
    struct wire_set_gravity gravity = { .event_id = 1, .gravity = real };
    char *printed = print_fields(wire_set_gravity_packet.layout, &gravity);
    size_t size = strlen(printed) - strlen(before) - 1;

    ck_assert_mem_eq(printed, before, strlen(before));
    ck_assert_uint_lt(size, sizeof text);
    memcpy(text, printed + strlen(before), size);
    text[size] = '\0';
    free(printed);
    return text;
}

START_TEST(a_float_prints_with_the_fewest_digits)
{
    static const struct {
        float real;
        const char *text;
    } cases[] = {
        { 0.0f, "0.0" },
        { -0.0f, "-0.0" },
        { 1.0f, "1.0" },
        { -1.5f, "-1.5" },
        { 0.1f, "0.1" },
        { 0.3f, "0.3" },
        { 2495.25f, "2495.25" },
        { 0.008f, "0.008" },
        { 0.0001f, "0.0001" },
        { 0.00001f, "1e-5" },
        { 1e-5f / 3, "3.3333333e-6" },
        { 999999.94f, "999999.94" },
        { 1000000.0f, "1000000.0" },
        { 16777216.0f, "16777216.0" },
        { 16777218.0f, "16777218.0" },
        { 1e15f, "1000000000000000.0" },
        { 1e16f, "1e16" },
        { FLT_MAX, "3.4028235e38" },
        { FLT_MIN, "1.1754944e-38" },
        { FLT_TRUE_MIN, "1e-45" },
        { 0x1p-146f, "1.1e-44" },
        /* The decimals below these powers of two are too far away. */
        { 0x1p-96f, "1.2621775e-29" },
        { 0x1p87f, "1.5474251e26" },
        { 0x1p90f, "1.2379401e27" },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_str_eq(print_float(cases[i].real), cases[i].text);
}
END_TEST

static int count_digits(const char *text)
{
    int count = 0, zeros = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '0' && count > 0)
            zeros++;
        else if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

START_TEST(any_float_reads_back_and_has_no_shorter_form)
{
    uint32_t random = 1;

    for (int i = 0; i < 100000; i++) {
        float real, again;
        uint32_t bits;
        const char *text;
        char shorter[32];

        random = random * 1664525 + 1013904223;
        bits = i % 2 == 0 ? random : (random & 0x80FFFFFF) + 0x3A000000 + (random & 0xF000000) / 2;
        memcpy(&real, &bits, sizeof real);
        if (!wire_is_finite(real))
            continue;
        text = print_float(real);
        again = strtof(text, NULL);
        ck_assert_msg(again == real && signbit(again) == signbit(real), "%a prints as %s", (double)real,
                      text);
        snprintf(shorter, sizeof shorter, "%.*e", count_digits(text) < 2 ? 0 : count_digits(text) - 2,
                 (double)real);
        ck_assert_msg(count_digits(text) <= 1 || strtof(shorter, NULL) != real, "%s is shorter than %s",
                      shorter, text);
    }
}
END_TEST

START_TEST(a_float_is_rounded_once)
{
    /* Just above the middle between two floats; the nearest double is the middle, and would go down. */
    ck_assert_msg(read_kinds_with("\"f32\":-0.0", "\"f32\":1.00000005960464477540"), "%s", message);
    ck_assert(kinds.f32 == 1.00000012f);
}
END_TEST

START_TEST(a_float_may_be_written_as_an_integer)
{
    ck_assert(read_kinds_with("\"f32\":-0.0", "\"f32\":-3"));
    ck_assert(kinds.f32 == -3.0f);
}
END_TEST

START_TEST(json_made_without_text_is_read_as_well)
{
    struct json_object *fields = json_tokener_parse("{\"event_id\":1}");
    struct wire_set_gravity gravity;

    json_object_object_add(fields, "gravity", json_object_new_double(0.1));
    ck_assert(packet_json_read(&wire_set_gravity_packet, fields, &gravity, &arena, message, sizeof message));
    ck_assert(gravity.gravity == 0.1f);
    json_object_object_add(fields, "gravity", json_object_new_double((double)INFINITY));
    ck_assert(!packet_json_read(&wire_set_gravity_packet, fields, &gravity, &arena, message, sizeof message));
    ck_assert_str_eq(message, "gravity: expected a number within 3.40282347e+38 either way, got Infinity");
    json_object_put(fields);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(what_is_wrong_is_named_with_its_place)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        { "\"u8\":255", "\"u8\":256", "u8: expected an integer 0..=255, got 256" },
        { "\"u8\":255", "\"u8\":-1", "u8: expected an integer 0..=255, got -1" },
        { "\"u16\":65535", "\"u16\":65536", "u16: expected an integer 0..=65535, got 65536" },
        { "\"u32\":4294967295", "\"u32\":4294967296",
          "u32: expected an integer 0..=4294967295, got 4294967296" },
        { "\"u64\":18446744073709551615", "\"u64\":-1",
          "u64: expected an integer 0..=18446744073709551615, got -1" },
        { "\"i8\":-128", "\"i8\":-129", "i8: expected an integer -128..=127, got -129" },
        { "\"i8\":-128", "\"i8\":128", "i8: expected an integer -128..=127, got 128" },
        { "\"i16\":-32768", "\"i16\":32768", "i16: expected an integer -32768..=32767, got 32768" },
        { "\"i32\":-2147483648", "\"i32\":2147483648",
          "i32: expected an integer -2147483648..=2147483647, got 2147483648" },
        { "\"i64\":-9223372036854775808", "\"i64\":9223372036854775808",
          "i64: expected an integer -9223372036854775808..=9223372036854775807, got 9223372036854775808" },
        { "\"u8\":255", "\"u8\":1.5", "u8: expected an integer 0..=255, got 1.5" },
        { "\"u8\":255", "\"u8\":1.0", "u8: expected an integer 0..=255, got 1.0" },
        { "\"u8\":255", "\"u8\":1e2", "u8: expected an integer 0..=255, got 1e2" },
        { "\"u8\":255", "\"u8\":\"1\"", "u8: expected an integer 0..=255, got a string" },
        { "\"u8\":255", "\"u8\":true", "u8: expected an integer 0..=255, got a boolean" },
        { "\"u8\":255", "\"u8\":null", "u8: expected an integer 0..=255, got null" },
        { "\"f32\":-0.0", "\"f32\":\"0\"", "f32: expected a number, got a string" },
        { "\"f32\":-0.0", "\"f32\":NaN", "f32: expected a number within 3.40282347e+38 either way, got NaN" },
        { "\"f32\":-0.0", "\"f32\":1e39",
          "f32: expected a number within 3.40282347e+38 either way, got 1e39" },
        { "\"f32\":-0.0", "\"f32\":-1e400",
          "f32: expected a number within 3.40282347e+38 either way, got -1e400" },
        { "[1,2,3]", "[1,2]", "three: expected 3 items, got 2" },
        { "[1,2,3]", "[1,2,3,4]", "three: expected 3 items, got 4" },
        { "[1,2,3]", "[1,2,[]]", "three[2]: expected an integer 0..=255, got a list" },
        { "[1,2,3]", "7", "three: expected a list, got 7" },
        { "[0.5,-1.25]", "[0.5,\"x\"]", "one.reals[1]: expected a number, got a string" },
        { "{\"low\":-1,", "{", "one.low: missing" },
        { "{\"low\":-1,", "{\"lwo\":-1,", "one: unknown field \"lwo\", Inner has none of this name" },
        { "{\"low\":-1,", "{\"low\":-1,\"more\":0,",
          "one: unknown field \"more\", Inner has none of this name" },
        { "{\"low\":2,", "{", "two[0].low: missing" },
        { "[1e-5,1e16]", "[1e-5]", "two[1].reals: expected 2 items, got 1" },
        { "[1e-5,1e16]", "[1e-5,{}]", "two[1].reals[1]: expected a number, got an object" },
        { "\"str16\":\"\"", "\"str16\":5", "str16: expected text, got 5" },
        { "\"00ff7a\"", "\"00f\"", "bytes: expected an even number of hexadecimal digits" },
        { "\"00ff7a\"", "\"0g\"", "bytes: expected an even number of hexadecimal digits" },
        { "\"00ff7a\"", "7", "bytes: expected an even number of hexadecimal digits, got 7" },
        { "\"items\":[{\"low\":4,\"reals\":[2.0,3.0]}]", "\"items\":[{},{},{}]",
          "items: expected at most 2 items, got 3" },
        { "\"items\":[{\"low\":4", "\"items\":[{\"low\":40000",
          "items[0].low: expected an integer -32768..=32767, got 40000" },
        { "\"items\":[{\"low\":4,\"reals\":[2.0,3.0]}]", "\"items\":[null]",
          "items[0]: expected an object, got null" },
        { "\"numbers\":[]", "\"numbers\":[1,2,3,65536]",
          "numbers[3]: expected an integer 0..=65535, got 65536" },
        { "\"numbers\":[]", "\"numbers\":{}", "numbers: expected a list, got an object" },
        { ",\"numbers\":[]", "", "numbers: missing" },
        { "\"u8\":255,", "", "u8: missing" },
        { "\"u8\":255,", "\"U8\":255,", "fields: unknown field \"U8\", Kinds has none of this name" },
        { "\"numbers\":[]", "\"numbers\":[],\"x\":1",
          "fields: unknown field \"x\", Kinds has none of this name" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        ck_assert_msg(!read_kinds_with(cases[i].from, cases[i].to), "%s was accepted", cases[i].to);
        ck_assert_str_eq(message, cases[i].message);
    }
}
END_TEST

START_TEST(fields_are_an_object)
{
    ck_assert(!read_kinds("[]"));
    ck_assert_str_eq(message, "fields: expected an object, got a list");
    ck_assert(!read_kinds("null"));
    ck_assert_str_eq(message, "fields: expected an object, got null");
}
END_TEST

START_TEST(a_text_fits_its_length)
{
    char json[600];

    snprintf(json, sizeof json, "\"str8\":\"%0255d\"", 0);
    ck_assert(read_kinds_with("\"str8\":\"a \\\"b\\\" \\\\ \\n\\t\\u0000\\u007f\\u0085 é 😀\"", json));
    snprintf(json, sizeof json, "\"str8\":\"%0256d\"", 0);
    ck_assert(!read_kinds_with("\"str8\":\"a \\\"b\\\" \\\\ \\n\\t\\u0000\\u007f\\u0085 é 😀\"", json));
    ck_assert_str_eq(message, "str8: expected at most 255 bytes, got 256");
}
END_TEST

START_TEST(a_full_arena_is_told)
{
    arena_fini(&arena);
    arena_init(&arena, 32, 32);
    ck_assert(!read_kinds_with("\"str16\":\"\"", "\"str16\":\"longer than the arena has room for\""));
    ck_assert_ptr_nonnull(strstr(message, "no memory for its"));
}
END_TEST

START_TEST(a_message_is_cut_at_its_room)
{
    struct json_object *fields = json_tokener_parse("{}");

    for (size_t room = 1; room < 12; room++) {
        memset(message, '#', sizeof message);
        ck_assert(!packet_json_read(&kinds_packet, fields, &kinds, &arena, message, room));
        ck_assert_uint_eq(strlen(message),
                          room - 1 < strlen("u8: missing") ? room - 1 : strlen("u8: missing"));
        ck_assert_int_eq(message[room], '#');
    }
    json_object_put(fields);
}
END_TEST

/* What no packet can hold, in a struct that nobody checked, still prints as JSON. */
START_TEST(what_was_never_decoded_prints_as_json)
{
    const struct kinds broken = { .f32 = NAN, .str8 = TEXT("a\xFF\"\xC3") };
    char *printed = print_fields(&kinds_layout, &broken);

    ck_assert_ptr_nonnull(strstr(printed, "\"f32\":null,"));
    ck_assert_ptr_nonnull(strstr(printed, "\"str8\":\"a\\ufffd\\\"\\ufffd\","));
    free(printed);
}
END_TEST

Suite *packet_json_suite(void)
{
    Suite *suite = suite_create("packet_json");
    TCase *tcase = tcase_create("packet_json");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, every_type_reads_and_prints_the_same);
    tcase_add_test(tcase, what_is_read_stands_in_the_struct);
    tcase_add_test(tcase, a_packet_prints_with_its_name);
    tcase_add_test(tcase, every_example_reads_encodes_decodes_and_prints_the_same);
    tcase_add_test(tcase, texts_and_bytes_outlive_the_json);
    tcase_add_test(tcase, a_float_prints_with_the_fewest_digits);
    tcase_add_test(tcase, any_float_reads_back_and_has_no_shorter_form);
    tcase_add_test(tcase, a_float_is_rounded_once);
    tcase_add_test(tcase, a_float_may_be_written_as_an_integer);
    tcase_add_test(tcase, json_made_without_text_is_read_as_well);
    tcase_add_test(tcase, what_is_wrong_is_named_with_its_place);
    tcase_add_test(tcase, fields_are_an_object);
    tcase_add_test(tcase, a_text_fits_its_length);
    tcase_add_test(tcase, a_full_arena_is_told);
    tcase_add_test(tcase, a_message_is_cut_at_its_room);
    tcase_add_test(tcase, what_was_never_decoded_prints_as_json);
    suite_add_tcase(suite, tcase);
    return suite;
}
