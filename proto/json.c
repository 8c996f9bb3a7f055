#include "proto/json.h"

#include <assert.h>
#include <float.h>
#include <json-c/json.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/arena.h"
#include "common/text.h"
#include "proto/decimal.h"
#include "proto/hex.h"

/* ---- printing ---- */

static void print_unsigned(FILE *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    fwrite(digits + at, 1, sizeof digits - at, out);
}

static void print_signed(FILE *out, int64_t value)
{
    if (value < 0)
        putc('-', out);
    print_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void print_escape(FILE *out, uint8_t character)
{
    switch (character) {
    case '"':
    case '\\':
        putc('\\', out);
        putc(character, out);
        break;
    case '\n':
        fputs("\\n", out);
        break;
    case '\t':
        fputs("\\t", out);
        break;
    default:
        fprintf(out, "\\u%04x", character);
    }
}

/* Control characters, those above U+007F as well, are escaped: a terminal may show what a player wrote. */
static void print_text(FILE *out, struct span text)
{
    size_t from = 0; /* what is not yet printed */
    size_t size;

    putc('"', out);
    for (size_t at = 0; at < text.size; at += size) {
        uint8_t byte = text.data[at];
        bool is_c1;

        size = text_char_size((struct span){ text.data + at, text.size - at });
        is_c1 = size == 2 && byte == 0xC2 && text.data[at + 1] < 0xA0;
        if (size != 0 && byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F && !is_c1)
            continue;
        if (at > from)
            fwrite(text.data + from, 1, at - from, out);
        if (size == 0) {
            fputs("\\ufffd", out);
            size = 1;
        } else {
            print_escape(out, is_c1 ? text.data[at + 1] : byte);
        }
        from = at + size;
    }
    if (text.size > from)
        fwrite(text.data + from, 1, text.size - from, out);
    putc('"', out);
}

static void print_value(FILE *out, enum wire_type type, const struct wire_struct *of, const void *at)
{
    switch (type) {
    case WIRE_U8:
        print_unsigned(out, *(const uint8_t *)at);
        break;
    case WIRE_U16:
        print_unsigned(out, *(const uint16_t *)at);
        break;
    case WIRE_U32:
        print_unsigned(out, *(const uint32_t *)at);
        break;
    case WIRE_U64:
        print_unsigned(out, *(const uint64_t *)at);
        break;
    case WIRE_I8:
        print_signed(out, *(const int8_t *)at);
        break;
    case WIRE_I16:
        print_signed(out, *(const int16_t *)at);
        break;
    case WIRE_I32:
        print_signed(out, *(const int32_t *)at);
        break;
    case WIRE_I64:
        print_signed(out, *(const int64_t *)at);
        break;
    case WIRE_F32:
        decimal_print(out, *(const float *)at);
        break;
    case WIRE_STR8:
    case WIRE_STR16:
        print_text(out, *(const struct span *)at);
        break;
    case WIRE_BYTES16:
        putc('"', out);
        hex_print(out, *(const struct span *)at);
        putc('"', out);
        break;
    case WIRE_STRUCT:
        packet_json_print_fields(out, of, at);
        break;
    case WIRE_LIST: /* its items are printed one by one */
        break;
    }
}

void packet_json_print_fields(FILE *out, const struct wire_struct *layout, const void *value)
{
    putc('{', out);
    for (size_t i = 0; i < layout->fields_count; i++) {
        const struct wire_field *field = &layout->fields[i];
        bool is_list = field->type == WIRE_LIST;
        enum wire_type type = is_list ? field->item : field->type;
        const char *at = (const char *)value + field->offset;
        size_t count = 1;

        if (is_list)
            count = *(const uint16_t *)(const void *)((const char *)value + field->count_offset);
        else if (field->count > 0)
            count = field->count;
        fputs(i == 0 ? "\"" : ",\"", out);
        fputs(field->name, out);
        fputs(is_list || field->count > 0 ? "\":[" : "\":", out);
        for (size_t j = 0; j < count; j++, at += field->stride) {
            if (j > 0)
                putc(',', out);
            print_value(out, type, field->of, at);
        }
        if (is_list || field->count > 0)
            putc(']', out);
    }
    putc('}', out);
}

void packet_json_print(FILE *out, const struct wire_packet *packet, const void *value)
{
    fprintf(out, "{\"packet\":\"%s\",\"fields\":", packet->layout->name);
    packet_json_print_fields(out, packet->layout, value);
    putc('}', out);
}

/* ---- reading ---- */

struct reading {
    struct arena *arena;
    locale_t plain; /* the "C" locale, whose point is a point */
    char *message;
    size_t room;
    size_t used;
};

/* Where a value stands; an index is -1 where there is none. */
struct place {
    const struct place *within;
    const struct wire_field *field;
    int index;
};

static void add_arguments(struct reading *in, const char *format, va_list arguments)
{
    int added = vsnprintf(in->message + in->used, in->room - in->used, format, arguments);

    if (added > 0)
        in->used += (size_t)added;
    if (in->used >= in->room)
        in->used = in->room - 1;
}

__attribute__((format(printf, 2, 3))) static void add(struct reading *in, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_arguments(in, format, arguments);
    va_end(arguments);
}

static void add_place(struct reading *in, const struct place *place)
{
    if (place->within != NULL) {
        add_place(in, place->within);
        add(in, ".");
    }
    add(in, "%s", place->field->name);
    if (place->index >= 0)
        add(in, "[%d]", place->index);
}

/* "state.pos[1]: expected a number, got a string". No place: the fields as a whole. */
__attribute__((format(printf, 3, 4), cold)) static bool refuse(struct reading *in, const struct place *place,
                                                               const char *format, ...)
{
    va_list arguments;

    if (place != NULL)
        add_place(in, place);
    else
        add(in, "fields");
    add(in, ": ");
    va_start(arguments, format);
    add_arguments(in, format, arguments);
    va_end(arguments);
    return false;
}

/* What the message says was found: a number itself, otherwise what it is. */
static const char *found(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        return "null";
    case json_type_boolean:
        return "a boolean";
    case json_type_double:
    case json_type_int:
        return json_object_get_string(value);
    case json_type_string:
        return "a string";
    case json_type_array:
        return "a list";
    case json_type_object:
        return "an object";
    }
    return "something else";
}

static bool read_integer(struct reading *in, const struct place *place, enum wire_type type,
                         struct json_object *value, void *at)
{
    static const struct range {
        int64_t min;
        uint64_t max;
    } ranges[] = {
        [WIRE_U8] = { 0, UINT8_MAX },          [WIRE_U16] = { 0, UINT16_MAX },
        [WIRE_U32] = { 0, UINT32_MAX },        [WIRE_U64] = { 0, UINT64_MAX },
        [WIRE_I8] = { INT8_MIN, INT8_MAX },    [WIRE_I16] = { INT16_MIN, INT16_MAX },
        [WIRE_I32] = { INT32_MIN, INT32_MAX }, [WIRE_I64] = { INT64_MIN, INT64_MAX },
    };
    const struct range *range = &ranges[type];
    bool fits = json_object_is_type(value, json_type_int);
    int64_t low = fits ? json_object_get_int64(value) : 0;
    uint64_t bits = low < 0 ? (uint64_t)low : fits ? json_object_get_uint64(value) : 0;

    if (!fits || (low < 0 ? low < range->min : bits > range->max))
        return refuse(in, place, "expected an integer %lld..=%llu, got %.40s", (long long)range->min,
                      (unsigned long long)range->max, found(value));
    switch (type) {
    case WIRE_U8:
    case WIRE_I8:
        *(uint8_t *)at = (uint8_t)bits;
        break;
    case WIRE_U16:
    case WIRE_I16:
        *(uint16_t *)at = (uint16_t)bits;
        break;
    case WIRE_U32:
    case WIRE_I32:
        *(uint32_t *)at = (uint32_t)bits;
        break;
    default:
        *(uint64_t *)at = bits;
    }
    return true;
}

/* From the number's own text: json-c made a double of it, and rounding that again may give a neighbour. */
static bool read_number(struct reading *in, const struct place *place, struct json_object *value, float *at)
{
    if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
        return refuse(in, place, "expected a number, got %s", found(value));
    *at = strtof_l(json_object_get_string(value), NULL, in->plain);
    if (!wire_is_finite(*at))
        return refuse(in, place, "expected a number within %.9g either way, got %.40s", (double)FLT_MAX,
                      found(value));
    return true;
}

/* A copy of the text, or the bytes that its digits stand for, in the arena. */
static bool read_text(struct reading *in, const struct place *place, struct json_object *value,
                      struct span *at)
{
    bool is_bytes = place->field->type == WIRE_BYTES16;
    const char *expected = is_bytes ? "an even number of hexadecimal digits" : "text";
    size_t size_max = place->field->prefix == 1 ? UINT8_MAX : UINT16_MAX;
    struct span text;
    uint8_t *copy;

    if (!json_object_is_type(value, json_type_string))
        return refuse(in, place, "expected %s, got %.40s", expected, found(value));
    text.data = (const uint8_t *)json_object_get_string(value);
    text.size = (size_t)json_object_get_string_len(value);
    *at = (struct span){ NULL, is_bytes ? text.size / 2 : text.size };
    if (at->size > size_max)
        return refuse(in, place, "expected at most %zu bytes, got %zu", size_max, at->size);
    copy = arena_alloc(in->arena, at->size);
    if (copy == NULL)
        return refuse(in, place, "no memory for its %zu bytes", at->size);
    if (!is_bytes)
        memcpy(copy, text.data, text.size);
    else if (!hex_read(text, copy))
        return refuse(in, place, "expected %s", expected);
    at->data = copy;
    return true;
}

static bool read_struct(struct reading *in, const struct place *place, const struct wire_struct *layout,
                        struct json_object *object, char *base);

static bool read_value(struct reading *in, const struct place *place, enum wire_type type,
                       struct json_object *value, char *at)
{
    switch (type) {
    case WIRE_F32:
        return read_number(in, place, value, (float *)(void *)at);
    case WIRE_STR8:
    case WIRE_STR16:
    case WIRE_BYTES16:
        return read_text(in, place, value, (struct span *)(void *)at);
    case WIRE_STRUCT:
        return read_struct(in, place, place->field->of, value, at);
    default:
        return read_integer(in, place, type, value, at);
    }
}

static bool read_field(struct reading *in, struct place *place, struct json_object *value, char *base)
{
    const struct wire_field *field = place->field;
    bool is_list = field->type == WIRE_LIST;
    char *at = base + field->offset;
    size_t count;

    if (!is_list && field->count == 0)
        return read_value(in, place, field->type, value, at);
    if (!json_object_is_type(value, json_type_array))
        return refuse(in, place, "expected a list, got %.40s", found(value));
    count = json_object_array_length(value);
    if (is_list && count > (size_t)field->max)
        return refuse(in, place, "expected at most %.0f items, got %zu", field->max, count);
    if (!is_list && count != field->count)
        return refuse(in, place, "expected %u items, got %zu", (unsigned)field->count, count);
    if (is_list)
        *(uint16_t *)(void *)(base + field->count_offset) = (uint16_t)count;
    for (size_t i = 0; i < count; i++, at += field->stride) {
        place->index = (int)i;
        if (!read_value(in, place, is_list ? field->item : field->type, json_object_array_get_idx(value, i),
                        at))
            return false;
    }
    return true;
}

/* A misspelled field is both unknown and missing; the name that was written helps more. */
__attribute__((cold)) static bool refuse_members(struct reading *in, const struct place *place,
                                                 const struct wire_struct *layout, struct json_object *object)
{
    struct json_object_iterator at = json_object_iter_begin(object), end = json_object_iter_end(object);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);

        if (wire_field_by_name(layout, name, strlen(name)) == NULL)
            return refuse(in, place, "unknown field \"%.60s\", %s has none of this name", name, layout->name);
    }
    for (size_t i = 0; i < layout->fields_count; i++) {
        const struct wire_field *field = &layout->fields[i];

        if (!json_object_object_get_ex(object, field->name, NULL))
            return refuse(in, &(struct place){ place, field, -1 }, "missing");
    }
    return false;
}

static bool read_struct(struct reading *in, const struct place *place, const struct wire_struct *layout,
                        struct json_object *object, char *base)
{
    if (!json_object_is_type(object, json_type_object))
        return refuse(in, place, "expected an object, got %.40s", found(object));
    for (size_t i = 0; i < layout->fields_count; i++) {
        struct place inner = { place, &layout->fields[i], -1 };
        struct json_object *value;

        if (!json_object_object_get_ex(object, inner.field->name, &value))
            return refuse_members(in, place, layout, object);
        if (!read_field(in, &inner, value, base))
            return false;
    }
    if (json_object_object_length(object) != layout->fields_count)
        return refuse_members(in, place, layout, object);
    return true;
}

bool packet_json_read(const struct wire_packet *packet, struct json_object *fields, void *value,
                      struct arena *arena, char *message, size_t room)
{
    struct reading in = {
        .arena = arena,
        .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
        .message = message,
        .room = room,
    };
    bool ok;

    assert(room > 0);
    message[0] = '\0';
    if (in.plain == (locale_t)0)
        return refuse(&in, NULL, "no memory");
    memset(value, 0, packet->layout->size);
    ok = read_struct(&in, NULL, packet->layout, fields, value);
    freelocale(in.plain);
    return ok;
}
