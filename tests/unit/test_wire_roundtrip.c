#include <check.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/json.h"
#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

enum { RANDOM_PACKETS = 1000, SHARE_PACKETS = 50, GUARD = 0xA5 };

/* ---- golden examples ---- */

static void assert_round_trip(const char *name, const struct wire_packet *packet, const union wire_any *value,
                              const uint8_t *bytes, size_t size)
{
    union wire_any decoded;
    uint8_t again[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;
    char why[512];

    memset(&decoded, GUARD, sizeof decoded);
    if (wire_decode(packet->direction, bytes, size, &decoded, &error) != packet)
        ck_abort_msg("%s: %s", name, wire_error_format(&error, why, sizeof why));
    REQUIRE(values_are_equal(packet->layout, value, &decoded), "%s: decoded to other fields", name);
    REQUIRE(packet->encode(&decoded, again, sizeof again, &error) == size, "%s: encoded to another size",
            name);
    REQUIRE(memcmp(again, bytes, size) == 0, "%s: encoded to other bytes", name);
    REQUIRE(packet->put(&decoded, again, sizeof again) == size, "%s", name);
    REQUIRE(memcmp(again, bytes, size) == 0, "%s: put other bytes than encode", name);
}

START_TEST(every_example_decodes_to_its_fields_and_encodes_to_its_bytes)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        assert_round_trip(sample->name, sample->packet, &sample->value, sample->bytes, sample->size);
    }
}
END_TEST

START_TEST(every_packet_has_an_example)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct sample *found[1];

        ck_assert_uint_eq(samples_of(wire_packets[i], found, 1), 1);
    }
}
END_TEST

START_TEST(every_fixture_is_its_examples_encoding)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);
        uint8_t bytes[WIRE_PACKET_SIZE_MAX + 1];
        char name[128];
        char path[1024];
        FILE *file;
        size_t size;

        (void)snprintf(name, sizeof name, "fixtures/protocol/%s.bin", sample->name);
        file = fopen(root_path(name, path, sizeof path), "rb");
        REQUIRE(file != NULL, "%s is missing", path);
        size = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        REQUIRE(size == sample->size && memcmp(bytes, sample->bytes, size) == 0, "%s is stale", path);
    }
}
END_TEST

static const char *text_of(struct json_object *row, const char *key)
{
    struct json_object *text = json_object_object_get(row, key);

    return text != NULL ? json_object_get_string(text) : "";
}

static void row_holds_sample(struct json_object *row, const struct sample *sample)
{
    const char *direction = sample->packet->direction == WIRE_C2S ? "c2s" : "s2c";
    struct arena arena;
    union wire_any value;
    char message[256];

    REQUIRE(strcmp(text_of(row, "name"), sample->name) == 0, "%s stands where %s belongs",
            text_of(row, "name"), sample->name);
    REQUIRE(strcmp(text_of(row, "packet"), sample->packet->layout->name) == 0, "%s: packet", sample->name);
    REQUIRE(strcmp(text_of(row, "direction"), direction) == 0, "%s: direction", sample->name);
    REQUIRE(json_object_get_uint64(json_object_object_get(row, "size")) == sample->size, "%s: size",
            sample->name);
    arena_init(&arena, 1 << 14, 1 << 20);
    if (!packet_json_read(sample->packet, json_object_object_get(row, "fields"), &value, &arena, message,
                          sizeof message))
        ck_abort_msg("%s: %s", sample->name, message);
    REQUIRE(values_are_equal(sample->packet->layout, &value, &sample->value), "%s: other fields",
            sample->name);
    arena_fini(&arena);
}

/* A list of {"name":…,"packet":…,"direction":…,"size":…,"fields":{…}}, ordered by name. */
START_TEST(the_index_of_the_fixtures_holds_the_fields)
{
    char path[1024];
    struct json_object *rows =
        json_object_from_file(root_path("fixtures/protocol/index.json", path, sizeof path));

    REQUIRE(json_object_is_type(rows, json_type_array), "%s is missing or no list", path);
    ck_assert_uint_eq(json_object_array_length(rows), samples_count());
    for (size_t i = 0; i < samples_count(); i++)
        row_holds_sample(json_object_array_get_idx(rows, i), sample_at(i));
    json_object_put(rows);
}
END_TEST

START_TEST(no_fixture_is_left_over)
{
    char path[1024];
    glob_t files;

    ck_assert_int_eq(glob(root_path("fixtures/protocol/*.bin", path, sizeof path), 0, NULL, &files), 0);
    ck_assert_uint_eq(files.gl_pathc, samples_count());
    globfree(&files);
}
END_TEST

/* ---- room ---- */

START_TEST(an_encoder_with_too_small_a_room_says_so_and_writes_nothing_behind_it)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        for (size_t room = 0; room < sample->size; room++) {
            uint8_t *buffer = malloc(room); /* a byte behind it is AddressSanitizer's to find */
            struct wire_error error = { .why = WIRE_ACCEPTED };

            REQUIRE(sample->packet->encode(&sample->value, buffer, room, &error) == 0, "%s", sample->name);
            REQUIRE(error.why == WIRE_NO_ROOM && error.field == NULL, "%s", sample->name);
            REQUIRE(sample->packet->put(&sample->value, buffer, room) == 0, "%s", sample->name);
            free(buffer);
        }
    }
}
END_TEST

START_TEST(an_encoder_writes_its_size_and_no_more)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);
        uint8_t buffer[WIRE_PACKET_SIZE_MAX + 16];
        struct wire_error error;

        memset(buffer, GUARD, sizeof buffer);
        REQUIRE(sample->packet->encode(&sample->value, buffer, sizeof buffer, &error) == sample->size, "%s",
                sample->name);
        for (size_t at = sample->size; at < sizeof buffer; at++)
            REQUIRE(buffer[at] == GUARD, "%s: byte %zu", sample->name, at);
        memset(buffer, GUARD, sizeof buffer);
        ck_assert_uint_eq(sample->packet->encode(&sample->value, buffer, sample->size, &error), sample->size);
        ck_assert_uint_eq(buffer[sample->size], GUARD);
    }
}
END_TEST

/* ---- random packets ---- */

struct random_run {
    struct rng rng;
    struct arena arena;
    uint64_t seed;
};

static void random_run_start(struct random_run *run, const struct wire_packet *packet)
{
    run->seed = test_seed();
    rng_init_seeded(&run->rng, run->seed + packet->index);
    arena_init(&run->arena, 1 << 16, 1 << 26);
}

START_TEST(random_packets_survive_the_round_trip)
{
    const struct wire_packet *packet = wire_packets[_i];
    struct random_run run;

    random_run_start(&run, packet);
    for (int i = 0; i < RANDOM_PACKETS; i++) {
        union wire_any value;
        uint8_t bytes[WIRE_PACKET_SIZE_MAX];
        struct wire_error error;
        char name[128];
        size_t size;

        (void)random_packet(&run.rng, packet, &value, &run.arena);
        (void)snprintf(name, sizeof name, "DLMP_SEED=%llu: %s number %d", (unsigned long long)run.seed,
                       packet->layout->name, i);
        size = packet->encode(&value, bytes, sizeof bytes, &error);
        REQUIRE(size >= packet->layout->min_size && size <= packet->layout->max_size, "%s: %zu bytes", name,
                size);
        assert_round_trip(name, packet, &value, bytes, size);
        arena_reset(&run.arena);
    }
    arena_fini(&run.arena);
}
END_TEST

/* The share of the packet's values that differ from the example's it grew from. */
static double share_changed(const struct sample *from, union wire_any *value)
{
    union wire_any start = from->value;
    struct place before[PLACES_MAX];
    struct place after[PLACES_MAX];
    size_t before_count = places_of(from->packet, &start, before);
    size_t count = places_of(from->packet, value, after);
    size_t changed = 0;

    for (size_t i = 0; i < count; i++) {
        if (i >= before_count || !places_are_equal(&before[i], &after[i]))
            changed++;
    }
    return (double)changed / (double)count;
}

/* A walk that changes nothing would prove nothing. */
START_TEST(most_values_of_a_random_packet_are_not_its_examples)
{
    double sum = 0.0;

    for (size_t p = 0; p < WIRE_PACKETS; p++) {
        struct random_run run;
        double share = 0.0;

        random_run_start(&run, wire_packets[p]);
        for (int i = 0; i < SHARE_PACKETS; i++) {
            union wire_any value;
            const struct sample *from = random_packet(&run.rng, wire_packets[p], &value, &run.arena);

            share += share_changed(from, &value) / SHARE_PACKETS;
        }
        arena_fini(&run.arena);
        REQUIRE(share > 0.0, "%s never changes", wire_packets[p]->layout->name);
        sum += share;
    }
    ck_assert_double_gt(sum / WIRE_PACKETS, 0.8);
}
END_TEST

Suite *wire_roundtrip_suite(void)
{
    Suite *suite = suite_create("wire_roundtrip");
    TCase *examples = tcase_create("examples");
    TCase *random = tcase_create("random");

    tcase_add_unchecked_fixture(examples, samples_load, samples_free);
    tcase_set_timeout(examples, 60);
    tcase_add_test(examples, every_example_decodes_to_its_fields_and_encodes_to_its_bytes);
    tcase_add_test(examples, every_packet_has_an_example);
    tcase_add_test(examples, every_fixture_is_its_examples_encoding);
    tcase_add_test(examples, the_index_of_the_fixtures_holds_the_fields);
    tcase_add_test(examples, no_fixture_is_left_over);
    tcase_add_test(examples, an_encoder_with_too_small_a_room_says_so_and_writes_nothing_behind_it);
    tcase_add_test(examples, an_encoder_writes_its_size_and_no_more);
    suite_add_tcase(suite, examples);

    tcase_add_unchecked_fixture(random, samples_load, samples_free);
    tcase_set_timeout(random, 60);
    tcase_add_loop_test(random, random_packets_survive_the_round_trip, 0, WIRE_PACKETS);
    tcase_add_test(random, most_values_of_a_random_packet_are_not_its_examples);
    suite_add_tcase(suite, random);
    return suite;
}
