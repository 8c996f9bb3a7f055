#include "proto/wire.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/wire.h"
#include "gen/wire_table.h"

const struct wire_packet *wire_identify(enum wire_direction direction, const uint8_t *data, size_t size,
                                        struct wire_error *error)
{
    uint8_t entry;

    if (size == 0) {
        (void)wire_refuse(error, WIRE_EMPTY, NULL, -1);
        return NULL;
    }
    entry = wire_by_id[direction][data[0]];
    if (entry != 0 && entry != WIRE_BY_KIND)
        return wire_packets[entry - 1];
    for (size_t i = 0; entry == WIRE_BY_KIND && size > 1 && i < wire_by_kind_count; i++) {
        const struct wire_kind *row = &wire_by_kind[i];

        if (row->direction == direction && row->id == data[0] && row->kind == data[1])
            return wire_packets[row->index];
    }
    (void)wire_refuse(error, entry == WIRE_BY_KIND && size == 1 ? WIRE_SHORT : WIRE_UNKNOWN, NULL, -1);
    return NULL;
}

const struct wire_packet *wire_decode(enum wire_direction direction, const uint8_t *data, size_t size,
                                      union wire_any *out, struct wire_error *error)
{
    const struct wire_packet *packet = wire_identify(direction, data, size, error);

    return packet != NULL && packet->decode(out, data, size, error) ? packet : NULL;
}

const struct wire_packet *wire_packet_by_name(const char *name)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        if (strcmp(wire_packets[i]->layout->name, name) == 0)
            return wire_packets[i];
    }
    return NULL;
}

const struct wire_field *wire_field_by_name(const struct wire_struct *layout, const char *name, size_t size)
{
    for (size_t i = 0; i < layout->fields_count; i++) {
        const struct wire_field *field = &layout->fields[i];

        if (strlen(field->name) == size && memcmp(field->name, name, size) == 0)
            return field;
    }
    return NULL;
}

const char *wire_why_name(enum wire_why why)
{
    static const char *const names[WIRE_WHYS] = {
        [WIRE_ACCEPTED] = "accepted",         [WIRE_EMPTY] = "malformed_empty",
        [WIRE_UNKNOWN] = "malformed_unknown", [WIRE_SHORT] = "malformed_short",
        [WIRE_LONG] = "malformed_long",       [WIRE_NOT_FINITE] = "malformed_not_finite",
        [WIRE_RANGE] = "malformed_range",     [WIRE_VALUE] = "malformed_value",
        [WIRE_BITS] = "malformed_bits",       [WIRE_TEXT] = "malformed_text",
        [WIRE_RULE] = "malformed_rule",       [WIRE_NO_ROOM] = "no_room",
    };

    return names[why];
}

/* Text that grows by printf and is cut at the end of its room. */
struct line {
    char *start;
    size_t size;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;
    int added;

    va_start(arguments, format);
    added = vsnprintf(line->start + line->size, line->room - line->size, format, arguments);
    va_end(arguments);
    if (added > 0)
        line->size += (size_t)added;
    if (line->size >= line->room)
        line->size = line->room - 1;
}

static void line_add_list(struct line *line, const char *before, const int64_t *values, size_t count)
{
    line_add(line, "%s", before);
    for (size_t i = 0; i < count; i++)
        line_add(line, "%s%lld", i == 0 ? "" : ", ", (long long)values[i]);
}

static const char *text_class_words(enum wire_text text)
{
    switch (text) {
    case WIRE_TEXT_ANY:
        return "UTF-8 text";
    case WIRE_TEXT_PLAIN:
        return "UTF-8 text without control characters";
    case WIRE_TEXT_LINE:
        return "one line of UTF-8 text without control characters";
    case WIRE_TEXT_BLOCK:
        return "UTF-8 text without control characters but LF and TAB";
    case WIRE_TEXT_DATA:
        return "UTF-8 text without control characters but LF, TAB and CR";
    case WIRE_TEXT_IDENTIFIER:
        return "a name of a-z, 0-9 and _ that starts with a letter";
    case WIRE_TEXT_RESOURCE:
        return "a name of a-z, 0-9, _ and - that starts with a letter";
    case WIRE_TEXT_PATH:
        return "a path of A-Z a-z 0-9 . _ - between single slashes, none of them . or ..";
    case WIRE_TEXT_URL:
        return "empty, or printable ASCII that starts with http:// or https://";
    }
    return "";
}

static const char *type_words(const struct wire_field *field)
{
    static const char *const words[] = {
        [WIRE_U8] = "an integer 0..=255",
        [WIRE_U16] = "an integer 0..=65535",
        [WIRE_U32] = "an integer 0..=4294967295",
        [WIRE_U64] = "an integer 0..=18446744073709551615",
        [WIRE_I8] = "an integer -128..=127",
        [WIRE_I16] = "an integer -32768..=32767",
        [WIRE_I32] = "an integer -2147483648..=2147483647",
        [WIRE_I64] = "an integer -9223372036854775808..=9223372036854775807",
        [WIRE_F32] = "a number",
        [WIRE_STR8] = "text",
        [WIRE_STR16] = "text",
        [WIRE_BYTES16] = "hexadecimal digits",
        [WIRE_LIST] = "a list",
        [WIRE_STRUCT] = "an object",
    };

    return words[field->type];
}

static bool is_sized(const struct wire_field *field)
{
    return field->type == WIRE_STR8 || field->type == WIRE_STR16 || field->type == WIRE_BYTES16 ||
           field->type == WIRE_LIST;
}

/* A bound as the schema has it: 0.1, not the f32 next to it in full; 6000, not 6e+03. */
static void bound_text(const struct wire_field *field, double bound, char text[32])
{
    if (field->type != WIRE_F32)
        (void)snprintf(text, 32, "%.0f", bound);
    for (int places = 0; field->type == WIRE_F32 && places <= 9; places++) {
        (void)snprintf(text, 32, "%.*f", places, bound);
        if (strtof(text, NULL) == (float)bound)
            break;
    }
}

/* "0..=31", "at least 1", "at most 24 bytes". */
static void line_add_range(struct line *line, const struct wire_field *field)
{
    const char *unit = field->type == WIRE_LIST ? " items" : is_sized(field) ? " bytes" : "";
    bool has_min = (field->rules & WIRE_HAS_MIN) != 0;
    bool has_max = (field->rules & WIRE_HAS_MAX) != 0;
    char min[32];
    char max[32];

    bound_text(field, field->min, min);
    bound_text(field, field->max, max);
    if (has_min && has_max)
        line_add(line, "%s..=%s%s", min, max, unit);
    else if (has_max)
        line_add(line, field->type == WIRE_F32 || is_sized(field) ? "at most %s%s" : "0..=%s%s", max, unit);
    else if (has_min)
        line_add(line, "at least %s%s", min, unit);
}

char *wire_field_expects(const struct wire_field *field, char *buffer, size_t room)
{
    struct line line = { .start = buffer, .room = room };

    if (field->values_count > 0)
        line_add_list(&line, field->values_count == 1 ? "" : "one of ", field->values, field->values_count);
    else if ((field->rules & (WIRE_HAS_MIN | WIRE_HAS_MAX)) != 0)
        line_add_range(&line, field);
    else
        line_add(&line, "%s", type_words(field));
    if ((field->rules & WIRE_HAS_MASK) != 0)
        line_add(&line, ", only bits of 0x%llX", (unsigned long long)field->mask);
    if (field->exclude_count > 0)
        line_add_list(&line, ", not ", field->exclude, field->exclude_count);
    if ((field->rules & WIRE_NONZERO) != 0)
        line_add(&line, ", not 0");
    if (field->type == WIRE_STR8 || field->type == WIRE_STR16)
        line_add(&line, ", %s", text_class_words(field->text));
    return buffer;
}

static void line_add_place(struct line *line, const struct wire_field *field, int index)
{
    line_add(line, "%s", field->name);
    if (index >= 0)
        line_add(line, "[%d]", index);
}

char *wire_error_format(const struct wire_error *error, char *buffer, size_t room)
{
    static const char *const whole[WIRE_WHYS] = {
        [WIRE_EMPTY] = "empty, expected a packet id",
        [WIRE_UNKNOWN] = "no packet of this direction has this id",
        [WIRE_SHORT] = "too short for its layout",
        [WIRE_LONG] = "too long, bytes are left over",
        [WIRE_NO_ROOM] = "does not fit the buffer",
    };
    struct line line = { .start = buffer, .room = room };
    char expects[256];

    if (error->field == NULL) {
        line_add(&line, "%s", whole[error->why]);
        return buffer;
    }
    if (error->within != NULL) {
        line_add_place(&line, error->within, error->within_index);
        line_add(&line, ".");
    }
    line_add_place(&line, error->field, error->index);
    if (error->why == WIRE_RULE)
        line_add(&line, ": broken rule %s: %s", error->rule->name, error->rule->says);
    else if (error->why == WIRE_NOT_FINITE)
        line_add(&line, ": NaN or infinite, expected a finite number");
    else
        line_add(&line, ": expected %s", wire_field_expects(error->field, expects, sizeof expects));
    return buffer;
}

/* Cold on purpose: honest peers never get here, and the checks stay short. */
__attribute__((cold, noinline)) bool wire_refuse(struct wire_error *error, enum wire_why why,
                                                 const struct wire_field *field, int index)
{
    *error = (struct wire_error){ .why = why, .field = field, .within_index = -1, .index = index };
    return false;
}

__attribute__((cold, noinline)) bool wire_refuse_rule(struct wire_error *error,
                                                      const struct wire_struct *layout, size_t rule)
{
    const char *blamed = layout->rules[rule].field;

    *error = (struct wire_error){
        .why = WIRE_RULE,
        .field = wire_field_by_name(layout, blamed, strlen(blamed)),
        .rule = &layout->rules[rule],
        .within_index = -1,
        .index = -1,
    };
    return false;
}

__attribute__((cold, noinline)) bool wire_refuse_within(struct wire_error *error,
                                                        const struct wire_field *within, int index)
{
    error->within = within;
    error->within_index = index;
    return false;
}

double wire_norm(const float *values, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}
