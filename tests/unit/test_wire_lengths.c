/* Every length but the right one, and every single bit turned over. Each datagram lies in memory of just its
 * size, so that AddressSanitizer finds a byte read outside of it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

/* A copy that ends where its memory ends, and starts `shift` bytes behind an aligned address. */
struct exact {
    uint8_t *memory;
    uint8_t *data;
    size_t size;
};

static struct exact exact_of(const uint8_t *data, size_t size, size_t shift)
{
    struct exact exact = { .memory = calloc(1, shift + size), .size = size };

    exact.data = exact.memory + shift;
    if (size > 0)
        memcpy(exact.data, data, size);
    return exact;
}

/* Both ways in: by what the datagram claims to be, and straight to the packet's decoder. */
static void require_too(const struct sample *sample, const uint8_t *bytes, size_t size, enum wire_why why)
{
    struct exact exact = exact_of(bytes, size, 0);
    union wire_any value;
    struct wire_error error = { .why = WIRE_ACCEPTED };

    REQUIRE(wire_decode(sample->packet->direction, exact.data, size, &value, &error) == NULL,
            "%s: %zu bytes decode", sample->name, size);
    REQUIRE(error.why == (size == 0 ? WIRE_EMPTY : why) && error.field == NULL,
            "%s: %zu bytes are refused as %s", sample->name, size, wire_why_name(error.why));
    error.why = WIRE_ACCEPTED;
    REQUIRE(!sample->packet->decode(&value, exact.data, size, &error), "%s: %zu bytes decode", sample->name,
            size);
    REQUIRE(error.why == why && error.field == NULL, "%s: %zu bytes are refused as %s", sample->name, size,
            wire_why_name(error.why));
    free(exact.memory);
}

START_TEST(a_packet_cut_anywhere_is_too_short)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        for (size_t size = 0; size < sample->size; size++)
            require_too(sample, sample->bytes, size, WIRE_SHORT);
    }
}
END_TEST

START_TEST(bytes_left_over_are_too_long)
{
    static const uint8_t tails[] = { 0x00, 0x01, 0x7F, 0xFF };

    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);
        uint8_t bytes[WIRE_PACKET_SIZE_MAX + 300];

        memcpy(bytes, sample->bytes, sample->size);
        for (size_t t = 0; t < sizeof tails; t++) {
            memset(bytes + sample->size, tails[t], sizeof bytes - sample->size);
            require_too(sample, bytes, sample->size + 1, WIRE_LONG);
            require_too(sample, bytes, sample->size + 2, WIRE_LONG);
            require_too(sample, bytes, sample->size + 256, WIRE_LONG);
        }
    }
}
END_TEST

START_TEST(a_packet_decodes_wherever_it_starts)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        for (size_t shift = 0; shift < 8; shift++) {
            struct exact exact = exact_of(sample->bytes, sample->size, shift);
            union wire_any value;
            struct wire_error error;

            REQUIRE(sample->packet->decode(&value, exact.data, exact.size, &error), "%s at %zu", sample->name,
                    shift);
            REQUIRE(values_are_equal(sample->packet->layout, &value, &sample->value), "%s at %zu",
                    sample->name, shift);
            memset(exact.data, 0, exact.size);
            REQUIRE(sample->packet->encode(&sample->value, exact.data, exact.size, &error) == sample->size,
                    "%s at %zu", sample->name, shift);
            REQUIRE(memcmp(exact.data, sample->bytes, sample->size) == 0, "%s at %zu", sample->name, shift);
            free(exact.memory);
        }
    }
}
END_TEST

/* A text or a list that claims to go on past the end, in every byte that might be its length. */
START_TEST(no_length_on_the_wire_leads_past_the_end)
{
    static const uint8_t lengths[] = { 0x7F, 0x80, 0xFE, 0xFF };

    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        for (size_t at = 1; at < sample->size; at++) {
            struct exact exact = exact_of(sample->bytes, sample->size, 0);

            for (size_t n = 0; n < sizeof lengths; n++) {
                union wire_any value;
                struct wire_error error;

                exact.data[at] = lengths[n];
                (void)sample->packet->decode(&value, exact.data, exact.size, &error);
                if (at + 1 < sample->size) {
                    exact.data[at + 1] = 0xFF;
                    (void)sample->packet->decode(&value, exact.data, exact.size, &error);
                    exact.data[at + 1] = sample->bytes[at + 1];
                }
            }
            free(exact.memory);
        }
    }
}
END_TEST

/* ---- bits ---- */

static void require_said(const char *what, const struct wire_error *error)
{
    char text[512];

    REQUIRE(error->why > WIRE_ACCEPTED && error->why < WIRE_NO_ROOM, "%s: refused without a reason", what);
    REQUIRE(strncmp(wire_why_name(error->why), "malformed_", strlen("malformed_")) == 0, "%s: counted as %s",
            what, wire_why_name(error->why));
    wire_error_format(error, text, sizeof text);
    REQUIRE(strlen(text) > 0, "%s: no words", what);
    REQUIRE(error->field == NULL || strstr(text, error->field->name) != NULL, "%s: no field in: %s", what,
            text);
    REQUIRE(error->within == NULL || strstr(text, error->within->name) != NULL, "%s: no place in: %s", what,
            text);
    REQUIRE((error->why == WIRE_RULE) == (error->rule != NULL), "%s: %s", what, text);
    REQUIRE(error->rule == NULL || strstr(text, error->rule->says) != NULL, "%s: no rule in: %s", what, text);
}

/* Valid and the same bytes again, or refused with words. Returns whether it was valid. */
static bool require_sound(const char *what, enum wire_direction direction, const struct exact *exact)
{
    uint8_t again[WIRE_PACKET_SIZE_MAX];
    union wire_any value;
    struct wire_error error = { .why = WIRE_ACCEPTED };
    const struct wire_packet *packet = wire_decode(direction, exact->data, exact->size, &value, &error);

    if (packet == NULL) {
        require_said(what, &error);
        return false;
    }
    REQUIRE(packet->check(&value, &error), "%s: decoded, but not valid", what);
    REQUIRE(packet->encode(&value, again, sizeof again, &error) == exact->size &&
                memcmp(again, exact->data, exact->size) == 0,
            "%s: decoded, but encoded to other bytes", what);
    return true;
}

START_TEST(each_bit_turned_over_leaves_a_valid_packet_or_is_refused)
{
    size_t valid = 0;
    size_t refused = 0;

    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);
        struct exact exact = exact_of(sample->bytes, sample->size, 0);

        for (size_t bit = 0; bit < 8 * sample->size; bit++) {
            char what[128];

            (void)snprintf(what, sizeof what, "%s: bit %zu of byte %zu", sample->name, bit % 8, bit / 8);
            exact.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
            if (require_sound(what, sample->packet->direction, &exact))
                valid++;
            else
                refused++;
            exact.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(exact.memory);
    }
    ck_assert_uint_gt(valid, 1000);
    ck_assert_uint_gt(refused, 1000);
}
END_TEST

Suite *wire_lengths_suite(void)
{
    Suite *suite = suite_create("wire_lengths");
    TCase *tcase = tcase_create("lengths");

    tcase_add_unchecked_fixture(tcase, samples_load, samples_free);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_packet_cut_anywhere_is_too_short);
    tcase_add_test(tcase, bytes_left_over_are_too_long);
    tcase_add_test(tcase, a_packet_decodes_wherever_it_starts);
    tcase_add_test(tcase, no_length_on_the_wire_leads_past_the_end);
    tcase_add_test(tcase, each_bit_turned_over_leaves_a_valid_packet_or_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
