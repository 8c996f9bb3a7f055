/* Every value rule of every field, broken one at a time in every example: below, at and above each bound,
 * each bit, NaN, texts too short and too long, and so on. What is refused is refused for the right reason
 * at the right place, by check, encode and decode alike; what is not is accepted, unless a rule over
 * several fields forbids it there. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

enum { PUT_MAX = 100000, NUMBERS_MAX = 1024, SAMPLES = 64 };

#define WHY(why) (1U << (why))
#define VALUE_WHYS \
    (WHY(WIRE_NOT_FINITE) | WHY(WIRE_RANGE) | WHY(WIRE_VALUE) | WHY(WIRE_BITS) | WHY(WIRE_TEXT))

/* A packet with one value of it changed. */
struct broken {
    const struct sample *sample;
    union wire_any value;
    struct place places[PLACES_MAX];
    size_t count;
    const struct place *place;
    char what[160]; /* for messages */
};

static void broken_start(struct broken *broken, const struct sample *sample)
{
    broken->sample = sample;
    broken->value = sample->value;
    broken->count = places_of(sample->packet, &broken->value, broken->places);
}

static const char *broken_place(struct broken *broken, size_t number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static const char *broken_place(struct broken *broken, size_t number, const char *format, ...)
{
    va_list arguments;
    char place[64];
    char change[64];

    broken->place = &broken->places[number];
    va_start(arguments, format);
    (void)vsnprintf(change, sizeof change, format, arguments);
    va_end(arguments);
    (void)snprintf(broken->what, sizeof broken->what, "%s: %s = %s", broken->sample->name,
                   place_format(broken->place, place, sizeof place), change);
    return broken->what;
}

/* `whys`: the rules that the value breaks. */
static void require_error(const struct broken *broken, const char *by, unsigned whys,
                          const struct wire_error *error)
{
    char text[512];

    wire_error_format(error, text, sizeof text);
    REQUIRE((whys & WHY(error->why)) != 0, "%s: %s refuses it as %s, %s", broken->what, by,
            wire_why_name(error->why), text);
    REQUIRE(place_is_blamed(broken->place, error), "%s: %s blames another: %s", broken->what, by, text);
    REQUIRE(strstr(text, broken->place->field->name) != NULL, "%s: %s says \"%s\"", broken->what, by, text);
}

static bool is_all(const uint8_t *bytes, size_t size, uint8_t byte)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != byte)
            return false;
    }
    return true;
}

/* Refused by all three. `fits`: the wire can hold the value, so that there are bytes to decode. */
static void require_refused(const struct broken *broken, unsigned whys, bool fits)
{
    static uint8_t bytes[PUT_MAX];
    const struct wire_packet *packet = broken->sample->packet;
    union wire_any before = broken->value;
    union wire_any decoded;
    uint8_t untouched[WIRE_PACKET_SIZE_MAX];
    struct wire_error error = { .why = WIRE_ACCEPTED };
    size_t size;

    REQUIRE(!packet->check(&broken->value, &error), "%s: check accepts it", broken->what);
    require_error(broken, "check", whys, &error);
    memset(untouched, 0xA5, sizeof untouched);
    REQUIRE(packet->encode(&broken->value, untouched, sizeof untouched, &error) == 0, "%s: encoded",
            broken->what);
    require_error(broken, "encode", whys, &error);
    REQUIRE(is_all(untouched, sizeof untouched, 0xA5), "%s: encode wrote all the same", broken->what);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the padding counts as well */
    REQUIRE(memcmp(&before, &broken->value, sizeof before) == 0, "%s: encode changed the struct",
            broken->what);
    if (!fits)
        return;
    size = packet->put(&broken->value, bytes, sizeof bytes);
    REQUIRE(size > 0, "%s: cannot be put", broken->what);
    REQUIRE(!packet->decode(&decoded, bytes, size, &error), "%s: decoded", broken->what);
    require_error(broken, "decode", whys, &error);
}

/* Accepted, or refused by a rule over several fields. Returns which. */
static bool require_allowed(const struct broken *broken)
{
    const struct wire_packet *packet = broken->sample->packet;
    union wire_any decoded;
    uint8_t bytes[4 * WIRE_PACKET_SIZE_MAX];
    struct wire_error error = { .why = WIRE_ACCEPTED };
    char text[512];
    bool accepted = packet->check(&broken->value, &error);
    size_t size = packet->put(&broken->value, bytes, sizeof bytes);

    REQUIRE(accepted || error.why == WIRE_RULE, "%s: %s", broken->what,
            wire_error_format(&error, text, sizeof text));
    REQUIRE(size > 0 && packet->decode(&decoded, bytes, size, &error) == accepted,
            "%s: check and decode disagree", broken->what);
    REQUIRE(!accepted || values_are_equal(packet->layout, &broken->value, &decoded),
            "%s: decoded to something else", broken->what);
    return accepted;
}

/* ---- scalars ---- */

static bool is_among(const int64_t *numbers, size_t count, long double number)
{
    for (size_t i = 0; i < count; i++) {
        if ((long double)numbers[i] == number)
            return true;
    }
    return false;
}

/* The schema's README, "What is refused, by field", once more and independently of the generator. */
static unsigned rules_broken_by(const struct wire_field *field, long double number)
{
    unsigned whys = 0;

    if (isnan(number) || isinf(number))
        return WHY(WIRE_NOT_FINITE);
    if ((field->rules & WIRE_NONZERO) != 0 && number == 0.0L)
        whys |= WHY(WIRE_VALUE);
    if ((field->rules & WIRE_HAS_MIN) != 0 && number < (long double)field->min)
        whys |= WHY(WIRE_RANGE);
    if ((field->rules & WIRE_HAS_MAX) != 0 && number > (long double)field->max)
        whys |= WHY(WIRE_RANGE);
    if ((field->rules & WIRE_HAS_MASK) != 0 && ((uint64_t)number & ~field->mask) != 0)
        whys |= WHY(WIRE_BITS);
    if (field->values_count > 0 && !is_among(field->values, field->values_count, number))
        whys |= WHY(WIRE_VALUE);
    if (is_among(field->exclude, field->exclude_count, number))
        whys |= WHY(WIRE_VALUE);
    return whys;
}

struct numbers {
    long double number[NUMBERS_MAX];
    size_t count;
};

static void numbers_add(struct numbers *numbers, enum wire_type type, long double number)
{
    if (!number_fits(type, number))
        return;
    REQUIRE(numbers->count < NUMBERS_MAX, "too many numbers");
    numbers->number[numbers->count++] = number;
}

/* A number and its neighbours: the next integers, or the next floats. */
static void numbers_add_around(struct numbers *numbers, enum wire_type type, long double number)
{
    if (type == WIRE_F32) {
        numbers_add(numbers, type, nextafterf((float)number, -INFINITY));
        numbers_add(numbers, type, (float)number);
        numbers_add(numbers, type, nextafterf((float)number, INFINITY));
        return;
    }
    numbers_add(numbers, type, number - 1);
    numbers_add(numbers, type, number);
    numbers_add(numbers, type, number + 1);
}

static void numbers_of(struct numbers *numbers, const struct wire_field *field)
{
    enum wire_type type = field->type;
    long double top = powl(2.0L, (long double)(8 * number_size(type)));

    numbers->count = 0;
    numbers_add_around(numbers, type, 0.0L);
    if ((field->rules & WIRE_HAS_MIN) != 0)
        numbers_add_around(numbers, type, (long double)field->min);
    if ((field->rules & WIRE_HAS_MAX) != 0)
        numbers_add_around(numbers, type, (long double)field->max);
    for (size_t i = 0; i < field->values_count; i++)
        numbers_add_around(numbers, type, (long double)field->values[i]);
    for (size_t i = 0; i < field->exclude_count; i++)
        numbers_add_around(numbers, type, (long double)field->exclude[i]);
    if (type == WIRE_F32) {
        static const float odd[] = { NAN,     -NAN,     INFINITY, -INFINITY, -0.0F,
                                     FLT_MAX, -FLT_MAX, FLT_MIN,  1.0F,      -1.0F };

        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
            numbers_add(numbers, type, odd[i]);
        return;
    }
    numbers_add(numbers, type, top - 1);
    numbers_add(numbers, type, top / 2 - 1);
    numbers_add(numbers, type, -top / 2);
    if ((field->rules & WIRE_HAS_MASK) != 0) {
        numbers_add(numbers, type, (long double)field->mask);
        for (size_t bit = 0; bit < 8 * number_size(type); bit++)
            numbers_add(numbers, type, (long double)(UINT64_C(1) << bit));
    }
}

struct tally {
    size_t refused;
    size_t accepted;
    size_t ruled_out; /* allowed in itself, but not together with the packet's other fields */
};

static void scalar_is_judged(struct broken *broken, size_t number, struct tally *tally)
{
    const struct place *place = &broken->places[number];
    struct numbers numbers;
    uint8_t old[8];

    memcpy(old, place->at, number_size(place->field->type));
    numbers_of(&numbers, place->field);
    for (size_t i = 0; i < numbers.count; i++) {
        unsigned whys = rules_broken_by(place->field, numbers.number[i]);

        number_set(place->field->type, place->at, numbers.number[i]);
        broken_place(broken, number, "%.12Lg", numbers.number[i]);
        if (whys != 0) {
            require_refused(broken, whys, true);
            tally->refused++;
        } else if (require_allowed(broken)) {
            tally->accepted++;
        } else {
            tally->ruled_out++;
        }
    }
    memcpy(place->at, old, number_size(place->field->type));
}

/* A long array is judged at both ends and in the middle. */
static bool is_worth_judging(const struct place *place)
{
    int count = place->field->count;

    return count <= 64 || place->index < 2 || place->index == count / 2 || place->index == count - 1;
}

START_TEST(each_scalar_is_refused_outside_its_rules_and_only_there)
{
    const struct sample *found[SAMPLES];
    size_t count = samples_of(wire_packets[_i], found, SAMPLES);
    struct tally tally = { 0 };

    for (size_t s = 0; s < count; s++) {
        struct broken broken;

        broken_start(&broken, found[s]);
        for (size_t p = 0; p < broken.count; p++) {
            const struct place *place = &broken.places[p];

            if (place->field->type != WIRE_LIST && !place_is_span(place) && is_worth_judging(place))
                scalar_is_judged(&broken, p, &tally);
        }
    }
    ck_assert_uint_gt(tally.accepted, 0);
}
END_TEST

/* Protocol, "Strict decoding": no float of any packet may be other than finite. */
START_TEST(every_float_must_be_finite)
{
    for (size_t i = 0; i < samples_count(); i++) {
        struct broken broken;

        broken_start(&broken, sample_at(i));
        for (size_t p = 0; p < broken.count; p++) {
            const struct wire_field *field = broken.places[p].field;

            REQUIRE(field->type != WIRE_F32 || (field->rules & WIRE_FINITE) != 0, "%s: %s may be NaN",
                    broken.sample->name, field->name);
        }
    }
}
END_TEST

/* ---- bounds that some example accepts ---- */

/* Bounds that hold only when another field changes with them, and so in no example. */
/* clang-format off */
static const struct narrower {
    const char *packet;
    const char *field;
    bool max;
} narrower[] = {
    { "ExtinguishFire", "radius", false },                                     /* above 0 */
    { "GangZone", "min_x", true },        { "GangZone", "min_y", true },       /* below the max */
    { "GangZone", "max_x", false },       { "GangZone", "max_y", false },      /* above the min */
    { "DialogTableRows", "first", true }, { "DialogTableRows", "count", false }, /* as the text has them */
    { "DialogTableRows", "columns", true },
    { "ObjectState", "move_elapsed", true },                                   /* at most move_ms */
    { "ViewOpen", "x", true },            { "ViewOpen", "y", true },           /* with the size, at most 1 */
    { "ViewOpen", "width", false },       { "ViewOpen", "height", false },     /* above 0 */
};
/* clang-format on */

static bool is_narrower(const struct wire_packet *packet, const struct wire_field *field, bool max)
{
    for (size_t i = 0; i < sizeof narrower / sizeof narrower[0]; i++) {
        if (narrower[i].max == max && strcmp(narrower[i].packet, packet->layout->name) == 0 &&
            strcmp(narrower[i].field, field->name) == 0)
            return true;
    }
    return false;
}

static bool is_accepted_in(const struct sample *sample, const struct wire_field *field, long double bound)
{
    struct broken broken;

    broken_start(&broken, sample);
    for (size_t p = 0; p < broken.count; p++) {
        uint8_t old[8];
        struct wire_error error;
        bool accepted;

        if (broken.places[p].field != field)
            continue;
        memcpy(old, broken.places[p].at, number_size(field->type));
        number_set(field->type, broken.places[p].at, bound);
        accepted = sample->packet->check(&broken.value, &error);
        memcpy(broken.places[p].at, old, number_size(field->type));
        if (accepted)
            return true;
    }
    return false;
}

static void bound_is_accepted(const struct wire_packet *packet, const struct wire_field *field, bool max)
{
    const struct sample *found[SAMPLES];
    size_t count = samples_of(packet, found, SAMPLES);
    double bound = max ? field->max : field->min;
    bool accepted = is_narrower(packet, field, max);

    for (size_t s = 0; s < count && !accepted; s++)
        accepted = is_accepted_in(found[s], field, (long double)bound);
    REQUIRE(accepted, "%s: %s = %.9g is refused in every example", packet->layout->name, field->name, bound);
}

static void bounds_are_accepted(const struct wire_packet *packet, const struct wire_struct *layout)
{
    for (size_t f = 0; f < layout->fields_count; f++) {
        const struct wire_field *field = &layout->fields[f];

        if (field->of != NULL) {
            bounds_are_accepted(packet, field->of);
            continue;
        }
        if (field->type >= WIRE_STR8)
            continue;
        if ((field->rules & WIRE_HAS_MIN) != 0)
            bound_is_accepted(packet, field, false);
        if ((field->rules & WIRE_HAS_MAX) != 0)
            bound_is_accepted(packet, field, true);
    }
}

/* A bound that no packet can reach would be a wrong one. */
START_TEST(each_bound_is_accepted_in_some_example)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++)
        bounds_are_accepted(wire_packets[i], wire_packets[i]->layout);
}
END_TEST

/* ---- texts and bytes ---- */

static void span_set(const struct place *place, const uint8_t *data, size_t size)
{
    struct span span = { data, size };

    memcpy(place->at, &span, sizeof span);
}

static size_t prefix_max(const struct wire_field *field)
{
    return field->prefix == 1 ? UINT8_MAX : UINT16_MAX;
}

static bool span_fill(const struct wire_field *field, uint8_t *bytes, size_t size)
{
    memset(bytes, 'a', size);
    return field->type == WIRE_BYTES16 || text_fill(field->text, bytes, size);
}

static void span_sizes_are_judged(struct broken *broken, size_t number)
{
    static uint8_t bytes[70000];
    const struct place *place = &broken->places[number];
    size_t min = (size_t)place->field->min;
    size_t max = (size_t)place->field->max;
    const size_t sizes[] = { 0,       min - 1, min, min + 1, max - 1, max,
                             max + 1, 255,     256, 65535,   65536,   sizeof bytes };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t size = sizes[i];
        bool valid = size <= sizeof bytes && span_fill(place->field, bytes, size);
        bool in_range = size >= min && size <= max;

        if (size > sizeof bytes || (in_range && !valid))
            continue; /* min - 1 of 0, or a size that the class has no text of */
        broken_place(broken, number, "%zu bytes", size);
        span_set(place, bytes, size);
        if (in_range)
            (void)require_allowed(broken);
        else
            require_refused(broken, WHY(WIRE_RANGE), size <= prefix_max(place->field));
    }
}

START_TEST(each_text_is_refused_outside_its_length_and_only_there)
{
    const struct sample *found[SAMPLES];
    size_t count = samples_of(wire_packets[_i], found, SAMPLES);

    for (size_t s = 0; s < count; s++) {
        struct broken broken;

        broken_start(&broken, found[s]);
        for (size_t p = 0; p < broken.count; p++) {
            struct span old;

            if (!place_is_span(&broken.places[p]))
                continue;
            memcpy(&old, broken.places[p].at, sizeof old);
            span_sizes_are_judged(&broken, p);
            memcpy(broken.places[p].at, &old, sizeof old);
        }
    }
}
END_TEST

#define ONLY(text) (1U << (text))
#define UTF8_TEXTS                                                                                \
    (ONLY(WIRE_TEXT_ANY) | ONLY(WIRE_TEXT_PLAIN) | ONLY(WIRE_TEXT_LINE) | ONLY(WIRE_TEXT_BLOCK) | \
     ONLY(WIRE_TEXT_DATA))
#define NAME_TEXTS (ONLY(WIRE_TEXT_IDENTIFIER) | ONLY(WIRE_TEXT_RESOURCE))

/* A text, and the classes that have it. */
/* clang-format off */
static const struct text_case {
    const char *text;
    unsigned classes;
} text_cases[] = {
    /* not UTF-8 */
    { "a\xFF", 0 }, { "a\xC0\x80", 0 }, { "a\xC1\xBF", 0 }, { "a\xE0\x80\x80", 0 }, { "a\xE0\x9F\xBF", 0 },
    { "a\xF0\x80\x80\x80", 0 }, { "a\xF0\x8F\xBF\xBF", 0 }, { "a\xED\xA0\x80", 0 }, { "a\xED\xBF\xBF", 0 },
    { "a\xF4\x90\x80\x80", 0 }, { "a\xF5\x80\x80\x80", 0 }, { "a\x80", 0 }, { "\xBF", 0 }, { "a\xC2", 0 },
    { "a\xE2\x82", 0 }, { "a\xF0\x9F\x98", 0 }, { "\xC2""a", 0 }, { "a\xE2\x82""a", 0 }, { "a\xFE\xFE", 0 },
    /* control characters */
    { "a\x01", ONLY(WIRE_TEXT_ANY) }, { "a\x1F""a", ONLY(WIRE_TEXT_ANY) }, { "\x1B[0m", ONLY(WIRE_TEXT_ANY) },
    { "a\x7F", ONLY(WIRE_TEXT_ANY) },
    { "a\t", ONLY(WIRE_TEXT_ANY) | ONLY(WIRE_TEXT_BLOCK) | ONLY(WIRE_TEXT_DATA) },
    { "a\na", ONLY(WIRE_TEXT_ANY) | ONLY(WIRE_TEXT_BLOCK) | ONLY(WIRE_TEXT_DATA) },
    { "a\ra", ONLY(WIRE_TEXT_ANY) | ONLY(WIRE_TEXT_DATA) },
    { "a\xC2\x80", UTF8_TEXTS & ~ONLY(WIRE_TEXT_PLAIN) },
    { "a\xC2\x9F", UTF8_TEXTS & ~ONLY(WIRE_TEXT_PLAIN) },
    /* the ends of what is allowed */
    { "a\xC2\xA0", UTF8_TEXTS }, { "a ~", UTF8_TEXTS }, { "a\xDF\xBF", UTF8_TEXTS },
    { "a\xE0\xA0\x80", UTF8_TEXTS },
    { "a\xED\x9F\xBF", UTF8_TEXTS }, { "a\xEE\x80\x80", UTF8_TEXTS }, { "a\xEF\xBF\xBF", UTF8_TEXTS },
    { "a\xF0\x90\x80\x80", UTF8_TEXTS }, { "a\xF4\x8F\xBF\xBF", UTF8_TEXTS },
    /* names */
    { "az09_", UTF8_TEXTS | NAME_TEXTS | ONLY(WIRE_TEXT_PATH) },
    { "a-b-", UTF8_TEXTS | ONLY(WIRE_TEXT_RESOURCE) | ONLY(WIRE_TEXT_PATH) },
    { "aB", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) }, { "Ab", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) },
    { "0ab", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) }, { "_ab", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) },
    { "-ab", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) }, { "a b", UTF8_TEXTS }, { "a\xC3\xA4", UTF8_TEXTS },
    /* paths */
    { "a/b.c", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) }, { "...", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) },
    { ".a/..b", UTF8_TEXTS | ONLY(WIRE_TEXT_PATH) }, { "/ab", UTF8_TEXTS }, { "ab/", UTF8_TEXTS },
    { "a//b", UTF8_TEXTS }, { "../a", UTF8_TEXTS }, { "a/..", UTF8_TEXTS }, { "a/../b", UTF8_TEXTS },
    { "./a", UTF8_TEXTS }, { "a/./b", UTF8_TEXTS }, { "a\\b", UTF8_TEXTS }, { "a:b", UTF8_TEXTS },
    /* addresses */
    { "http://a", UTF8_TEXTS | ONLY(WIRE_TEXT_URL) }, { "https://a/?b#~", UTF8_TEXTS | ONLY(WIRE_TEXT_URL) },
    { "http:/a", UTF8_TEXTS }, { "ftp://a", UTF8_TEXTS }, { "HTTP://a", UTF8_TEXTS },
    { " http://a", UTF8_TEXTS },
    { "http://a b", UTF8_TEXTS }, { "http://\xC3\xA4", UTF8_TEXTS }, { "http://a\x7F", ONLY(WIRE_TEXT_ANY) },
    { "javascript:a", UTF8_TEXTS },
};
/* clang-format on */
enum { TEXT_CASES = sizeof text_cases / sizeof text_cases[0] };

/* The case as it is, and again with what fills the text up to its greatest length in front. */
static void text_is_judged(struct broken *broken, size_t number, const struct text_case *text)
{
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    const struct place *place = &broken->places[number];
    const struct wire_field *field = place->field;
    size_t size = strlen(text->text);
    bool has_text = (text->classes & ONLY(field->text)) != 0;
    size_t max = (size_t)field->max;

    broken_place(broken, number, "text case %d", (int)(text - text_cases));
    if (size >= (size_t)field->min && size <= max) {
        memcpy(bytes, text->text, size);
        span_set(place, bytes, size);
        if (has_text)
            (void)require_allowed(broken);
        else
            require_refused(broken, WHY(WIRE_TEXT), true);
    }
    /* Behind other letters a name's first character, a path's and an address's is no longer first. */
    if ((ONLY(field->text) & UTF8_TEXTS) == 0 || size > max)
        return;
    memset(bytes, 'x', max - size);
    memcpy(bytes + max - size, text->text, size);
    span_set(place, bytes, max);
    if (has_text)
        (void)require_allowed(broken);
    else
        require_refused(broken, WHY(WIRE_TEXT), true);
}

START_TEST(each_text_has_the_characters_of_its_class_and_no_others)
{
    const struct sample *found[SAMPLES];
    size_t count = samples_of(wire_packets[_i], found, SAMPLES);

    for (size_t s = 0; s < count; s++) {
        struct broken broken;

        broken_start(&broken, found[s]);
        for (size_t p = 0; p < broken.count; p++) {
            struct span old;

            if (!place_is_text(&broken.places[p]))
                continue;
            memcpy(&old, broken.places[p].at, sizeof old);
            for (size_t i = 0; i < TEXT_CASES; i++)
                text_is_judged(&broken, p, &text_cases[i]);
            memcpy(broken.places[p].at, &old, sizeof old);
        }
    }
}
END_TEST

/* A NUL is a control character like the others, and not the end of a text. */
START_TEST(a_nul_is_refused_wherever_control_characters_are)
{
    for (size_t i = 0; i < samples_count(); i++) {
        struct broken broken;

        broken_start(&broken, sample_at(i));
        for (size_t p = 0; p < broken.count; p++) {
            const struct place *place = &broken.places[p];
            struct span old;

            if (!place_is_text(place) || place->field->max < 2 || place->field->text == WIRE_TEXT_ANY)
                continue;
            memcpy(&old, place->at, sizeof old);
            broken_place(&broken, p, "a text with a NUL");
            span_set(place, (const uint8_t *)"a\0b", place->field->max < 3 ? 2 : 3);
            require_refused(&broken, WHY(WIRE_TEXT) | (place->field->min > 3 ? WHY(WIRE_RANGE) : 0), true);
            memcpy(place->at, &old, sizeof old);
        }
    }
}
END_TEST

/* ---- lists ---- */

/* An item of the list: of the example, or of another one of the packet; NULL when they are all empty. */
static const uint8_t *item_of(const struct broken *broken, const struct place *place)
{
    const struct sample *found[SAMPLES];
    size_t count = samples_of(broken->sample->packet, found, SAMPLES);

    for (size_t s = 0; s < count; s++) {
        const uint8_t *value = (const uint8_t *)&found[s]->value;
        uint16_t items;

        memcpy(&items, value + place->field->count_offset, sizeof items);
        if (items > 0)
            return value + place->field->offset;
    }
    return NULL;
}

static void list_counts_are_judged(struct broken *broken, size_t number)
{
    const struct place *place = &broken->places[number];
    const struct wire_field *field = place->field;
    uint8_t *items = place_items(place, &broken->value);
    const uint8_t *item = item_of(broken, place);

    REQUIRE(item != NULL, "%s: no example has items", broken->sample->name);
    for (size_t count = 0; count <= (size_t)field->max + 1; count++) {
        if (count > 0 && count <= (size_t)field->max)
            memmove(items + (count - 1) * field->stride, item, field->stride);
        *(uint16_t *)place->at = (uint16_t)count;
        broken_place(broken, number, "%zu items", count);
        if (count < (size_t)field->min || count > (size_t)field->max)
            require_refused(broken, WHY(WIRE_RANGE), count <= (size_t)field->max);
        else
            (void)require_allowed(broken);
    }
}

START_TEST(each_list_is_refused_outside_its_number_of_items_and_only_there)
{
    for (size_t i = 0; i < samples_count(); i++) {
        struct broken broken;

        broken_start(&broken, sample_at(i));
        for (size_t p = 0; p < broken.count; p++) {
            if (broken.places[p].field->type == WIRE_LIST)
                list_counts_are_judged(&broken, p);
        }
    }
}
END_TEST

/* Where the count of a list is on the wire: behind the sizes of what comes before it. */
static size_t wire_size_of(const struct wire_field *field, const uint8_t *at)
{
    struct span span;

    if (field->type >= WIRE_STR8 && field->type <= WIRE_BYTES16) {
        memcpy(&span, at, sizeof span);
        return field->prefix + span.size;
    }
    return (field->type == WIRE_STRUCT ? field->of->max_size : number_size(field->type)) *
           (field->count > 0 ? field->count : 1);
}

/* The bytes that announce more items than the struct has room for: with all of those items behind the
 * count, so that nothing else is wrong with the packet. */
static void an_overlong_list_is_refused(const struct sample *sample, const struct wire_field *list)
{
    static uint8_t bytes[PUT_MAX];
    struct broken broken;
    size_t count_at = 1;
    size_t most = list->prefix == 1 ? UINT8_MAX : UINT16_MAX;
    const struct wire_field *last = &sample->packet->layout->fields[sample->packet->layout->fields_count - 1];

    REQUIRE(list == last, "%s: %s is followed by %s", sample->name, list->name, last->name);
    broken_start(&broken, sample);
    for (const struct wire_field *field = sample->packet->layout->fields; field < list; field++)
        count_at += wire_size_of(field, (const uint8_t *)&sample->value + field->offset);
    for (size_t count = (size_t)list->max + 1; count <= most;
         count = count < most - 1 ? most - 1 : count + 1) {
        size_t items_at = count_at + list->prefix;
        size_t size = items_at + count * list->of->max_size;
        struct wire_error error = { .why = WIRE_ACCEPTED };
        union wire_any decoded;
        uint8_t *exact = malloc(size);

        ck_assert_uint_le(size, sizeof bytes);
        memset(bytes, 0, size);
        memcpy(bytes, sample->bytes, count_at);
        bytes[count_at] = (uint8_t)count;
        if (list->prefix == 2)
            bytes[count_at + 1] = (uint8_t)(count >> 8);
        memcpy(exact, bytes, size);
        REQUIRE(!sample->packet->decode(&decoded, exact, size, &error), "%s: %zu items", sample->name, count);
        REQUIRE(error.why == WIRE_RANGE && error.field == list && error.within == NULL, "%s: %zu items: %s",
                sample->name, count, wire_why_name(error.why));
        free(exact);
    }
}

START_TEST(a_list_longer_than_its_limit_is_refused_before_its_items_are_read)
{
    size_t lists = 0;

    for (size_t i = 0; i < samples_count(); i++) {
        const struct wire_struct *layout = sample_at(i)->packet->layout;

        for (size_t f = 0; f < layout->fields_count; f++) {
            if (layout->fields[f].type != WIRE_LIST)
                continue;
            an_overlong_list_is_refused(sample_at(i), &layout->fields[f]);
            lists++;
        }
    }
    ck_assert_uint_ge(lists, 10);
}
END_TEST

Suite *wire_values_suite(void)
{
    Suite *suite = suite_create("wire_values");
    TCase *tcase = tcase_create("values");

    tcase_add_unchecked_fixture(tcase, samples_load, samples_free);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, each_scalar_is_refused_outside_its_rules_and_only_there, 0, WIRE_PACKETS);
    tcase_add_test(tcase, every_float_must_be_finite);
    tcase_add_test(tcase, each_bound_is_accepted_in_some_example);
    tcase_add_loop_test(tcase, each_text_is_refused_outside_its_length_and_only_there, 0, WIRE_PACKETS);
    tcase_add_loop_test(tcase, each_text_has_the_characters_of_its_class_and_no_others, 0, WIRE_PACKETS);
    tcase_add_test(tcase, a_nul_is_refused_wherever_control_characters_are);
    tcase_add_test(tcase, each_list_is_refused_outside_its_number_of_items_and_only_there);
    tcase_add_test(tcase, a_list_longer_than_its_limit_is_refused_before_its_items_are_read);
    suite_add_tcase(suite, tcase);
    return suite;
}
