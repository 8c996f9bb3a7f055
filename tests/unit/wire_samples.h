/* wire_samples.h - packets to test with: the golden examples as structs and as bytes, a packet taken apart
 * into the values it holds, and random valid packets.
 *
 * All of it goes by reflection, so a packet that the schema gains is tested by everything that uses this. */
#ifndef DLMP_TESTS_UNIT_WIRE_SAMPLES_H
#define DLMP_TESTS_UNIT_WIRE_SAMPLES_H

#include <check.h>

#include "common/arena.h"
#include "common/random.h"
#include "gen/wire.h"
#include "proto/examples.h"

/* ck_assert_msg for loops: Check writes a line to its log for each assert that holds, this one only when
 * it fails. */
#define REQUIRE(condition, ...)        \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* A golden example. Its texts live until samples_free. */
struct sample {
    const char *name;
    const struct wire_packet *packet;
    union wire_any value;
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    size_t size;
};

/* Unchecked fixtures of a test case: all its tests share the samples. */
void samples_load(void);
void samples_free(void);

/* Ordered by name. An example that cannot be read or encoded fails the test that loads it. */
size_t samples_count(void);
const struct sample *sample_at(size_t number);
const struct sample *sample_by_name(const char *name);
/* The examples of one packet, at least one. */
size_t samples_of(const struct wire_packet *packet, const struct sample **found, size_t max);

/* DLMP_ROOT, or the current folder: where fixtures/ and tests/vectors/ are. */
char *root_path(const char *path, char *buffer, size_t room);

/* DLMP_SEED, or a fixed one. */
uint64_t test_seed(void);

/* One value of a packet: a scalar, a text, raw bytes, or the number of items of a list. */
struct place {
    const struct wire_field *within; /* the struct or list it stands in, NULL at the top */
    const struct wire_field *field;
    int within_index;
    int index; /* of the element of an array, -1 for a single value */
    void *at;  /* in the C struct: the scalar, a struct span, or the list's uint16_t count */
};

enum { PLACES_MAX = 640 };

/* All values that the packet holds now, in wire order. */
size_t places_of(const struct wire_packet *packet, void *value, struct place places[PLACES_MAX]);
bool place_is_text(const struct place *place);
bool place_is_span(const struct place *place);
/* "state.pos[1]". Returns `buffer`. */
char *place_format(const struct place *place, char *buffer, size_t room);
bool place_is_blamed(const struct place *place, const struct wire_error *error);
/* The first of the items that a list has room for. */
uint8_t *place_items(const struct place *place, void *value);

/* Scalars of every type as numbers: a long double holds each of them exactly. */
void number_set(enum wire_type type, void *at, long double number);
bool number_fits(enum wire_type type, long double number);
size_t number_size(enum wire_type type);

/* The same bits, the same text, or as many items. */
bool places_are_equal(const struct place *a, const struct place *b);
/* The same fields with the same bits, whatever lies between them. */
bool values_are_equal(const struct wire_struct *layout, const void *a, const void *b);

/* A valid text of exactly `size` bytes, of plain letters. False: the class has none of this size. */
bool text_fill(enum wire_text text, uint8_t *bytes, size_t size);

/* A random valid packet that grew out of one of the examples, which is returned; texts live in the arena. */
const struct sample *random_packet(struct rng *rng, const struct wire_packet *packet, union wire_any *value,
                                   struct arena *arena);

#endif
