#include "tests/unit/wire_samples.h"

#include <check.h>
#include <float.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"
#include "proto/json.h"

enum { SAMPLES_MAX = 1024 };

static struct sample *samples;
static struct arena samples_arena;

static void sample_load(struct sample *sample, const struct wire_example *example)
{
    struct json_object *fields = json_tokener_parse(example->fields);
    char message[256] = "not JSON";
    struct wire_error error;

    sample->name = example->name;
    sample->packet = wire_packet_by_name(example->packet);
    ck_assert_msg(sample->packet != NULL, "%s: no packet %s", example->name, example->packet);
    if (!packet_json_read(sample->packet, fields, &sample->value, &samples_arena, message, sizeof message))
        ck_abort_msg("%s: %s", example->name, message);
    json_object_put(fields);
    sample->size = sample->packet->encode(&sample->value, sample->bytes, sizeof sample->bytes, &error);
    if (sample->size == 0)
        ck_abort_msg("%s: %s", example->name, wire_error_format(&error, message, sizeof message));
}

void samples_load(void)
{
    ck_assert_uint_le(wire_examples_count, SAMPLES_MAX);
    arena_init(&samples_arena, 1 << 16, 1 << 24);
    samples = calloc(wire_examples_count, sizeof *samples);
    ck_assert_ptr_nonnull(samples);
    for (size_t i = 0; i < wire_examples_count; i++)
        sample_load(&samples[i], &wire_examples[i]);
}

void samples_free(void)
{
    free(samples);
    samples = NULL;
    arena_fini(&samples_arena);
}

size_t samples_count(void)
{
    return wire_examples_count;
}

const struct sample *sample_at(size_t number)
{
    REQUIRE(number < wire_examples_count, "no sample %zu", number);
    return &samples[number];
}

const struct sample *sample_by_name(const char *name)
{
    for (size_t i = 0; i < wire_examples_count; i++) {
        if (strcmp(samples[i].name, name) == 0)
            return &samples[i];
    }
    return NULL;
}

size_t samples_of(const struct wire_packet *packet, const struct sample **found, size_t max)
{
    size_t count = 0;

    for (size_t i = 0; i < wire_examples_count && count < max; i++) {
        if (samples[i].packet == packet)
            found[count++] = &samples[i];
    }
    REQUIRE(count > 0, "%s has no example", packet->layout->name);
    return count;
}

char *root_path(const char *path, char *buffer, size_t room)
{
    const char *root = getenv("DLMP_ROOT");

    ck_assert_int_lt(snprintf(buffer, room, "%s/%s", root != NULL ? root : ".", path), (int)room);
    return buffer;
}

uint64_t test_seed(void)
{
    const char *seed = getenv("DLMP_SEED");

    return seed != NULL ? strtoull(seed, NULL, 0) : 146;
}

/* ---- a packet taken apart ---- */

struct places {
    struct place *place;
    size_t count;
};

static void place_add(struct places *places, struct place place)
{
    REQUIRE(places->count < PLACES_MAX, "more than %d values in a packet", PLACES_MAX);
    places->place[places->count++] = place;
}

/* The values of a field that is no list and no struct. */
static void places_add_field(struct places *places, const struct wire_field *within, int within_index,
                             const struct wire_field *field, uint8_t *base)
{
    for (int i = 0; i < (field->count > 0 ? field->count : 1); i++) {
        place_add(places, (struct place){ .within = within,
                                          .field = field,
                                          .within_index = within_index,
                                          .index = field->count > 0 ? i : -1,
                                          .at = base + field->offset + (size_t)i * field->stride });
    }
}

static void places_add_struct(struct places *places, const struct wire_field *within, int within_index,
                              uint8_t *base)
{
    for (size_t i = 0; i < within->of->fields_count; i++)
        places_add_field(places, within, within_index, &within->of->fields[i], base);
}

static size_t count_of(const struct wire_field *list, const uint8_t *value)
{
    uint16_t count;

    memcpy(&count, value + list->count_offset, sizeof count);
    return count;
}

static void places_add_list(struct places *places, const struct wire_field *list, uint8_t *value)
{
    size_t count = count_of(list, value);

    /* A list of scalars would need a place for each item, as an array has. */
    REQUIRE(list->item == WIRE_STRUCT, "%s: a list of scalars", list->name);
    place_add(places, (struct place){
                          .field = list, .within_index = -1, .index = -1, .at = value + list->count_offset });
    for (size_t i = 0; i < count; i++)
        places_add_struct(places, list, (int)i, value + list->offset + i * list->stride);
}

size_t places_of(const struct wire_packet *packet, void *value, struct place place[PLACES_MAX])
{
    struct places places = { .place = place };

    for (size_t f = 0; f < packet->layout->fields_count; f++) {
        const struct wire_field *field = &packet->layout->fields[f];
        int elements = field->count > 0 ? field->count : 1;

        if (field->type == WIRE_LIST) {
            places_add_list(&places, field, value);
        } else if (field->type == WIRE_STRUCT) {
            for (int i = 0; i < elements; i++)
                places_add_struct(&places, field, field->count > 0 ? i : -1,
                                  (uint8_t *)value + field->offset + (size_t)i * field->stride);
        } else {
            places_add_field(&places, NULL, -1, field, value);
        }
    }
    return places.count;
}

bool place_is_text(const struct place *place)
{
    return place->field->type == WIRE_STR8 || place->field->type == WIRE_STR16;
}

bool place_is_span(const struct place *place)
{
    return place_is_text(place) || place->field->type == WIRE_BYTES16;
}

/* Returns how many characters it took. */
static size_t format_step(char *buffer, size_t room, const struct wire_field *field, int index,
                          const char *end)
{
    int size = index >= 0 ? snprintf(buffer, room, "%s[%d]%s", field->name, index, end)
                          : snprintf(buffer, room, "%s%s", field->name, end);

    REQUIRE(size > 0 && (size_t)size < room, "no room for the name of %s", field->name);
    return (size_t)size;
}

char *place_format(const struct place *place, char *buffer, size_t room)
{
    size_t used = 0;

    if (place->within != NULL)
        used = format_step(buffer, room, place->within, place->within_index, ".");
    (void)format_step(buffer + used, room - used, place->field, place->index, "");
    return buffer;
}

bool place_is_blamed(const struct place *place, const struct wire_error *error)
{
    return error->field == place->field && error->index == place->index && error->within == place->within &&
           error->within_index == place->within_index;
}

uint8_t *place_items(const struct place *place, void *value)
{
    return (uint8_t *)value + place->field->offset;
}

/* ---- numbers ---- */

static const struct number_kind {
    size_t size;
    long double min;
    long double max;
} number_kinds[] = {
    [WIRE_U8] = { 1, 0, UINT8_MAX },          [WIRE_U16] = { 2, 0, UINT16_MAX },
    [WIRE_U32] = { 4, 0, UINT32_MAX },        [WIRE_U64] = { 8, 0, (long double)UINT64_MAX },
    [WIRE_I8] = { 1, INT8_MIN, INT8_MAX },    [WIRE_I16] = { 2, INT16_MIN, INT16_MAX },
    [WIRE_I32] = { 4, INT32_MIN, INT32_MAX }, [WIRE_I64] = { 8, INT64_MIN, (long double)INT64_MAX },
    [WIRE_F32] = { 4, -INFINITY, INFINITY },
};
_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every u64");

size_t number_size(enum wire_type type)
{
    return number_kinds[type].size;
}

bool number_fits(enum wire_type type, long double number)
{
    if (type == WIRE_F32)
        return isnan(number) || isinf(number) || (long double)(float)number == number;
    return number >= number_kinds[type].min && number <= number_kinds[type].max && number == rintl(number);
}

void number_set(enum wire_type type, void *at, long double number)
{
    switch (type) {
    case WIRE_U8:
        *(uint8_t *)at = (uint8_t)number;
        break;
    case WIRE_U16:
        *(uint16_t *)at = (uint16_t)number;
        break;
    case WIRE_U32:
        *(uint32_t *)at = (uint32_t)number;
        break;
    case WIRE_U64:
        *(uint64_t *)at = (uint64_t)number;
        break;
    case WIRE_I8:
        *(int8_t *)at = (int8_t)number;
        break;
    case WIRE_I16:
        *(int16_t *)at = (int16_t)number;
        break;
    case WIRE_I32:
        *(int32_t *)at = (int32_t)number;
        break;
    case WIRE_I64:
        *(int64_t *)at = (int64_t)number;
        break;
    case WIRE_F32:
        *(float *)at = (float)number;
        break;
    default:
        ck_abort_msg("type %d is no scalar", type);
    }
}

/* ---- equality ---- */

static bool fields_are_equal(const struct wire_field *field, const uint8_t *a, const uint8_t *b)
{
    switch (field->type) {
    case WIRE_STR8:
    case WIRE_STR16:
    case WIRE_BYTES16: {
        struct span left;
        struct span right;

        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
    }
    case WIRE_STRUCT:
    case WIRE_LIST:
        return values_are_equal(field->of, a, b);
    default:
        return memcmp(a, b, number_kinds[field->type].size) == 0;
    }
}

bool values_are_equal(const struct wire_struct *layout, const void *a, const void *b)
{
    const uint8_t *left = a;
    const uint8_t *right = b;

    for (size_t f = 0; f < layout->fields_count; f++) {
        const struct wire_field *field = &layout->fields[f];
        size_t elements = field->count > 0 ? field->count : 1;

        if (field->type == WIRE_LIST) {
            elements = count_of(field, left);
            if (count_of(field, right) != elements)
                return false;
        }
        for (size_t i = 0; i < elements; i++) {
            size_t at = field->offset + i * field->stride;

            if (!fields_are_equal(field, left + at, right + at))
                return false;
        }
    }
    return true;
}

bool places_are_equal(const struct place *a, const struct place *b)
{
    if (a->field != b->field)
        return false;
    return a->field->type == WIRE_LIST ? memcmp(a->at, b->at, sizeof(uint16_t)) == 0
                                       : fields_are_equal(a->field, a->at, b->at);
}

/* ---- texts ---- */

bool text_fill(enum wire_text text, uint8_t *bytes, size_t size)
{
    static const char scheme[] = "http://";

    memset(bytes, 'a', size);
    if (text == WIRE_TEXT_URL && size > 0) {
        if (size < strlen(scheme))
            return false;
        memcpy(bytes, scheme, strlen(scheme));
    }
    return size > 0 || (text != WIRE_TEXT_IDENTIFIER && text != WIRE_TEXT_RESOURCE && text != WIRE_TEXT_PATH);
}

static uint8_t one_of(struct rng *rng, const char *chars)
{
    return (uint8_t)chars[rng_below(rng, strlen(chars))];
}

static void fill_name(struct rng *rng, enum wire_text text, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = one_of(rng, i == 0                         ? "abcxyz"
                               : text == WIRE_TEXT_IDENTIFIER ? "abcxyz0189_"
                                                              : "abcxyz0189_-");
}

/* Dots stand only behind a letter, so no component is "." or "..". */
static void fill_path(struct rng *rng, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool starts = i == 0 || bytes[i - 1] == '/';

        bytes[i] = one_of(rng, starts || i + 1 == size ? "abzABZ09_-" : "abzABZ09_-./");
    }
}

static void fill_url(struct rng *rng, uint8_t *bytes, size_t size)
{
    const char *scheme = size >= strlen("https://") && rng_chance(rng, 0.5) ? "https://" : "http://";

    for (size_t i = 0; i < size; i++)
        bytes[i] = i < strlen(scheme) ? (uint8_t)scheme[i] : (uint8_t)(0x21 + rng_below(rng, 0x7F - 0x21));
}

static uint8_t ascii_random(struct rng *rng, enum wire_text text)
{
    if (rng_chance(rng, 0.1)) {
        if (text == WIRE_TEXT_ANY)
            return (uint8_t)rng_below(rng, 0x80);
        if (text == WIRE_TEXT_BLOCK)
            return one_of(rng, "\n\t");
        if (text == WIRE_TEXT_DATA)
            return one_of(rng, "\n\t\r");
    }
    return (uint8_t)(0x20 + rng_below(rng, 0x7F - 0x20));
}

/* A character of exactly `size` bytes. */
static void put_char(struct rng *rng, enum wire_text text, uint8_t *at, size_t size)
{
    static const uint32_t first[] = { [2] = 0x80, [3] = 0x800, [4] = 0x10000 };
    static const uint32_t end[] = { [2] = 0x800, [3] = 0x10000, [4] = 0x110000 };
    static const uint8_t lead[] = { [2] = 0xC0, [3] = 0xE0, [4] = 0xF0 };
    uint32_t code;

    if (size == 1) {
        at[0] = ascii_random(rng, text);
        return;
    }
    do
        code = first[size] + (uint32_t)rng_below(rng, end[size] - first[size]);
    while ((code >= 0xD800 && code <= 0xDFFF) || (code <= 0x9F && text == WIRE_TEXT_PLAIN));
    for (size_t i = size; i-- > 1; code >>= 6)
        at[i] = (uint8_t)(0x80 | (code & 0x3F));
    at[0] = (uint8_t)(lead[size] | code);
}

static void fill_utf8(struct rng *rng, enum wire_text text, uint8_t *bytes, size_t size)
{
    /* Some texts are all of one size of characters, so that a limit in bytes meets the limit in
     * characters. */
    bool mixed = rng_chance(rng, 0.7);
    size_t wanted = 1 + rng_below(rng, 4);

    for (size_t at = 0; at < size;) {
        size_t char_size = mixed ? 1 + rng_below(rng, 4) : wanted;

        if (char_size > size - at)
            char_size = 1;
        put_char(rng, text, bytes + at, char_size);
        at += char_size;
    }
}

/* As text_fill, of all the characters that the class allows. */
static bool text_random(struct rng *rng, enum wire_text text, uint8_t *bytes, size_t size)
{
    if (!text_fill(text, bytes, size))
        return false;
    switch (text) {
    case WIRE_TEXT_IDENTIFIER:
    case WIRE_TEXT_RESOURCE:
        fill_name(rng, text, bytes, size);
        break;
    case WIRE_TEXT_PATH:
        fill_path(rng, bytes, size);
        break;
    case WIRE_TEXT_URL:
        fill_url(rng, bytes, size);
        break;
    default:
        fill_utf8(rng, text, bytes, size);
    }
    return true;
}

/* ---- random packets ---- */

struct growing {
    struct rng *rng;
    struct arena *arena;
    const struct wire_packet *packet;
    union wire_any *value;
};

static bool grew(const struct growing *growing)
{
    struct wire_error error;

    return growing->packet->check(growing->value, &error);
}

static long double integer_candidate(struct rng *rng, const struct wire_field *field)
{
    const struct number_kind *kind = &number_kinds[field->type];
    long double min = (field->rules & WIRE_HAS_MIN) != 0 ? (long double)field->min : kind->min;
    long double max = (field->rules & WIRE_HAS_MAX) != 0 ? (long double)field->max : kind->max;
    long double span = max - min;

    switch (rng_below(rng, 8)) {
    case 0:
        return 0;
    case 1:
        return min + (long double)rng_below(rng, 3);
    case 2:
        return max - (long double)rng_below(rng, 3);
    case 3:
        return WIRE_NONE;
    case 4:
        return min + (long double)rng_below(rng, 40);
    default:
        return span >= (long double)UINT64_MAX ? min + (long double)rng_u64(rng)
                                               : min + (long double)rng_below(rng, (uint64_t)span + 1);
    }
}

static long double float_candidate(struct rng *rng, const struct wire_field *field)
{
    float min = (field->rules & WIRE_HAS_MIN) != 0 ? (float)field->min : -FLT_MAX;
    float max = (field->rules & WIRE_HAS_MAX) != 0 ? (float)field->max : FLT_MAX;
    uint32_t bits = (uint32_t)rng_u64(rng);
    float any;

    switch (rng_below(rng, 10)) {
    case 0:
        return rng_chance(rng, 0.5) ? 0.0L : -0.0L;
    case 1:
        return rng_chance(rng, 0.5) ? min : nextafterf(min, max);
    case 2:
        return rng_chance(rng, 0.5) ? max : nextafterf(max, min);
    case 3:
        memcpy(&any, &bits, sizeof any);
        return any;
    case 4:
        return rng_unit(rng);
    case 5:
        return 2.0F * rng_unit(rng) - 1.0F;
    case 6:
        return (long double)rng_below(rng, 1000);
    case 7:
        return 6000.0F * (2.0F * rng_unit(rng) - 1.0F);
    default:
        return (float)((double)min + ((double)max - (double)min) * (double)rng_unit(rng));
    }
}

static long double number_candidate(struct rng *rng, const struct wire_field *field)
{
    if (field->values_count > 0)
        return (long double)field->values[rng_below(rng, field->values_count)];
    if ((field->rules & WIRE_HAS_MASK) != 0)
        return (long double)(rng_chance(rng, 0.3) ? field->mask : rng_u64(rng) & field->mask);
    return field->type == WIRE_F32 ? float_candidate(rng, field) : integer_candidate(rng, field);
}

/* The shape of a text kept, its letters and digits drawn anew: how a table of rows and cells stays one. */
static void reletter(struct rng *rng, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] >= 'a' && bytes[i] <= 'z')
            bytes[i] = (uint8_t)('a' + rng_below(rng, 26));
        else if (bytes[i] >= '1' && bytes[i] <= '9')
            bytes[i] = (uint8_t)('1' + rng_below(rng, 9));
    }
}

static size_t span_size_candidate(struct rng *rng, const struct wire_field *field)
{
    size_t min = (size_t)field->min;
    size_t max = (size_t)field->max;

    switch (rng_below(rng, 6)) {
    case 0:
        return min;
    case 1:
        return max - rng_below(rng, max - min < 4 ? max - min + 1 : 4);
    case 2:
        return min + rng_below(rng, max - min < 12 ? max - min + 1 : 12);
    default:
        return min + rng_below(rng, max - min + 1);
    }
}

static struct span span_candidate(const struct growing *growing, const struct wire_field *field,
                                  struct span old)
{
    struct rng *rng = growing->rng;
    bool keeps_shape = old.size > 0 && rng_chance(rng, 0.3);
    size_t size = keeps_shape ? old.size : span_size_candidate(rng, field);
    uint8_t *bytes = arena_alloc(growing->arena, size);
    struct span fresh = { .data = bytes, .size = size };

    REQUIRE(bytes != NULL, "the arena is full");
    if (keeps_shape) {
        memcpy(bytes, old.data, size);
        reletter(rng, bytes, size);
    } else if (field->type == WIRE_BYTES16) {
        rng_bytes(rng, bytes, size);
    } else if (rng_chance(rng, 0.15)) {
        fresh.size = (size_t)snprintf((char *)bytes, size, "%d", (int)rng_below(rng, 2000) - 1000);
        fresh.size = fresh.size < size ? fresh.size : 0;
    } else if (!text_random(rng, field->text, bytes, size)) {
        fresh.size = 0;
    }
    return fresh;
}

enum { CANDIDATES = 4 };

static void grow_span(const struct growing *growing, const struct place *place)
{
    struct span old;

    memcpy(&old, place->at, sizeof old);
    for (int i = 0; i < CANDIDATES; i++) {
        struct span fresh = span_candidate(growing, place->field, old);

        memcpy(place->at, &fresh, sizeof fresh);
        if (grew(growing))
            return;
    }
    memcpy(place->at, &old, sizeof old);
}

static void grow_number(const struct growing *growing, const struct place *place)
{
    enum wire_type type = place->field->type;
    uint8_t old[8];

    memcpy(old, place->at, number_kinds[type].size);
    for (int i = 0; i < CANDIDATES; i++) {
        long double fresh = number_candidate(growing->rng, place->field);

        if (!number_fits(type, fresh))
            continue;
        number_set(type, place->at, fresh);
        if (grew(growing))
            return;
    }
    memcpy(place->at, old, number_kinds[type].size);
}

/* A random direction of random length: most vectors of the protocol are bounded by their length, and
 * rotations are unit quaternions, which no change of a single element can give. */
static void grow_vector(const struct growing *growing, const struct wire_field *field, float *at)
{
    float old[4];
    float fresh[4];
    double sum = 0.0;
    float length = rng_chance(growing->rng, 0.5) ? 1.0F : (float)rng_below(growing->rng, 1000) / 256.0F;

    memcpy(old, at, field->count * sizeof *at);
    for (size_t i = 0; i < field->count; i++) {
        fresh[i] = 2.0F * rng_unit(growing->rng) - 1.0F;
        sum += (double)fresh[i] * (double)fresh[i];
    }
    for (size_t i = 0; i < field->count; i++)
        at[i] = sum > 0.0 ? length * (float)((double)fresh[i] / sqrt(sum)) : 0.0F;
    if (!grew(growing))
        memcpy(at, old, field->count * sizeof *at);
}

/* Longer by copies of items that are there, or shorter. An empty list stays empty: an example that has
 * items is where packets with items grow from. */
static void grow_list(const struct growing *growing, const struct place *place)
{
    const struct wire_field *field = place->field;
    uint8_t *items = place_items(place, growing->value);
    uint16_t old = *(uint16_t *)place->at;
    uint16_t fresh =
        (uint16_t)(rng_chance(growing->rng, 0.2) ? (uint64_t)field->max
                                                 : rng_below(growing->rng, (uint64_t)field->max + 1));

    if (old == 0)
        return;
    for (size_t i = old; i < fresh; i++)
        memcpy(items + i * field->stride, items + rng_below(growing->rng, old) * field->stride,
               field->stride);
    *(uint16_t *)place->at = fresh;
    if (!grew(growing))
        *(uint16_t *)place->at = old;
}

static void grow_place(const struct growing *growing, const struct place *place)
{
    const struct wire_field *field = place->field;

    if (field->type == WIRE_LIST)
        return;
    if (place_is_span(place))
        grow_span(growing, place);
    else if (field->type == WIRE_F32 && place->index == 0 && field->count <= 4)
        grow_vector(growing, field, place->at);
    else
        grow_number(growing, place);
}

static void shuffle(struct rng *rng, struct place *places, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = rng_below(rng, i);
        struct place place = places[i - 1];

        places[i - 1] = places[other];
        places[other] = place;
    }
}

const struct sample *random_packet(struct rng *rng, const struct wire_packet *packet, union wire_any *value,
                                   struct arena *arena)
{
    struct growing growing = { .rng = rng, .arena = arena, .packet = packet, .value = value };
    const struct sample *found[SAMPLES_MAX];
    const struct sample *from;
    struct place places[PLACES_MAX];
    size_t count;

    count = samples_of(packet, found, SAMPLES_MAX);
    from = found[rng_below(rng, count)];
    *value = from->value;
    count = places_of(packet, value, places);
    for (size_t i = 0; i < count; i++) {
        if (places[i].field->type == WIRE_LIST)
            grow_list(&growing, &places[i]);
    }
    count = places_of(packet, value, places);
    shuffle(rng, places, count);
    for (size_t i = 0; i < count; i++)
        grow_place(&growing, &places[i]);
    return from;
}
