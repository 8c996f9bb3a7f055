#include "proto/document.h"

#include <json-c/json.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"
#include "proto/hex.h"

struct parser {
    struct span text;
    size_t at;
    locale_t plain;
    char *message;
    size_t room;
    /* The keys that lead to the value being read and the string being read, each with a terminator. They are
     * never longer than the text that they come from. */
    char strings[DOCUMENT_SIZE_MAX];
    size_t strings_used;
};

/* A member or an item on the way to the value. */
struct place {
    const struct place *within;
    const char *key; /* NULL: an item */
    size_t index;
    size_t depth;
};

static size_t format_place(const struct place *place, char *buffer, size_t room)
{
    size_t used = place->within == NULL ? 0 : format_place(place->within, buffer, room);
    int added = 0;

    if (place->key != NULL)
        added = snprintf(buffer + used, room - used, "%s%.60s", used > 0 ? "." : "", place->key);
    else if (place->within != NULL)
        added = snprintf(buffer + used, room - used, "[%zu]", place->index);
    used += added > 0 ? (size_t)added : 0;
    return used < room ? used : room - 1;
}

/* "fields.state.pos[1]: expected a digit (byte 104)". */
__attribute__((format(printf, 3, 4), cold)) static bool refuse(struct parser *in, const struct place *place,
                                                               const char *format, ...)
{
    char path[256] = "", what[128];
    va_list arguments;
    size_t size = format_place(place, path, sizeof path);

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(in->message, in->room, "%s%s%s (byte %zu%s)", path, size > 0 ? ": " : "", what, in->at,
             in->at == in->text.size ? ", the end" : "");
    return false;
}

/* The next byte, 0 at the end: no byte of JSON is 0. */
static uint8_t peek(const struct parser *in)
{
    return in->at < in->text.size ? in->text.data[in->at] : 0;
}

static bool take(struct parser *in, char byte)
{
    if (peek(in) != (uint8_t)byte)
        return false;
    in->at++;
    return true;
}

static void skip_space(struct parser *in)
{
    while (peek(in) == ' ' || peek(in) == '\t' || peek(in) == '\n' || peek(in) == '\r')
        in->at++;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- strings ---- */

static bool read_hex4(struct parser *in, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(peek(in));

        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
        in->at++;
    }
    return true;
}

static void put_utf8(struct parser *in, uint32_t character)
{
    char *out = in->strings + in->strings_used;

    if (character < 0x80) {
        in->strings_used += 1;
        out[0] = (char)character;
    } else if (character < 0x800) {
        in->strings_used += 2;
        out[0] = (char)(0xC0 | character >> 6);
        out[1] = (char)(0x80 | (character & 0x3F));
    } else if (character < 0x10000) {
        in->strings_used += 3;
        out[0] = (char)(0xE0 | character >> 12);
        out[1] = (char)(0x80 | (character >> 6 & 0x3F));
        out[2] = (char)(0x80 | (character & 0x3F));
    } else {
        in->strings_used += 4;
        out[0] = (char)(0xF0 | character >> 18);
        out[1] = (char)(0x80 | (character >> 12 & 0x3F));
        out[2] = (char)(0x80 | (character >> 6 & 0x3F));
        out[3] = (char)(0x80 | (character & 0x3F));
    }
}

/* Behind "\u". */
static bool read_unicode(struct parser *in, const struct place *place)
{
    uint32_t unit, low;

    if (!read_hex4(in, &unit))
        return refuse(in, place, "expected 4 hexadecimal digits");
    if (unit >= 0xD800 && unit < 0xE000) {
        if (unit >= 0xDC00 || !take(in, '\\') || !take(in, 'u') || !read_hex4(in, &low) || low < 0xDC00 ||
            low >= 0xE000)
            return refuse(in, place, "expected a surrogate pair, found half of one");
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    put_utf8(in, unit);
    return true;
}

static bool read_escape(struct parser *in, const struct place *place)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found;

    if (take(in, 'u'))
        return read_unicode(in, place);
    found = peek(in) == 0 ? NULL : strchr(from, peek(in));
    if (found == NULL)
        return refuse(in, place, "expected one of \"\\/bfnrtu behind the backslash");
    in->at++;
    in->strings[in->strings_used++] = to[found - from];
    return true;
}

/* Appends it to `strings`; the caller takes it away again. `size` is without the terminator. */
static bool read_string(struct parser *in, const struct place *place, size_t *size)
{
    size_t start = in->strings_used;

    if (!take(in, '"'))
        return refuse(in, place, "expected \"");
    while (!take(in, '"')) {
        struct span left = { in->text.data + in->at, in->text.size - in->at };

        if (take(in, '\\')) {
            if (!read_escape(in, place))
                return false;
            continue;
        }
        *size = text_char_size(left);
        if (left.size == 0 || left.data[0] < 0x20)
            return refuse(in, place, "expected \" or a character that is no control character");
        if (*size == 0)
            return refuse(in, place, "expected UTF-8");
        memcpy(in->strings + in->strings_used, left.data, *size);
        in->strings_used += *size;
        in->at += *size;
    }
    *size = in->strings_used - start;
    in->strings[in->strings_used++] = '\0';
    return true;
}

/* ---- values ---- */

static bool read_digits(struct parser *in)
{
    size_t start = in->at;

    while (is_digit(peek(in)))
        in->at++;
    return in->at > start;
}

/* Not an integer, or one of more than 64 bits, or -0, which an integer cannot hold. */
static struct json_object *real_of(struct parser *in, size_t start)
{
    char *text = in->strings + in->strings_used;

    memcpy(text, in->text.data + start, in->at - start);
    text[in->at - start] = '\0';
    return json_object_new_double_s(strtod_l(text, NULL, in->plain), text);
}

static struct json_object *integer_of(struct parser *in, size_t start)
{
    bool is_negative = in->text.data[start] == '-';
    uint64_t limit = is_negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    uint64_t value = 0;

    for (size_t i = start + is_negative; i < in->at; i++) {
        uint64_t digit = (uint64_t)(in->text.data[i] - '0');

        if (value > (limit - digit) / 10)
            return real_of(in, start);
        value = value * 10 + digit;
    }
    if (is_negative)
        return value == 0 ? real_of(in, start) : json_object_new_int64((int64_t)(0 - value));
    return json_object_new_uint64(value);
}

static bool read_number(struct parser *in, const struct place *place, struct json_object **value)
{
    size_t start = in->at;
    bool is_integer = true;

    take(in, '-');
    if (!take(in, '0') && !read_digits(in))
        return refuse(in, place, "expected a digit");
    if (take(in, '.')) {
        is_integer = false;
        if (!read_digits(in))
            return refuse(in, place, "expected a digit");
    }
    if (take(in, 'e') || take(in, 'E')) {
        is_integer = false;
        if (!take(in, '-'))
            take(in, '+');
        if (!read_digits(in))
            return refuse(in, place, "expected a digit");
    }
    *value = is_integer ? integer_of(in, start) : real_of(in, start);
    return true;
}

static bool read_value(struct parser *in, const struct place *place, struct json_object **value);

static bool read_members(struct parser *in, const struct place *place, struct json_object *object)
{
    do {
        struct place member = { .within = place,
                                .key = in->strings + in->strings_used,
                                .depth = place->depth + 1 };
        struct json_object *value = NULL;
        size_t start = in->strings_used;
        size_t size = 0;

        skip_space(in);
        if (peek(in) != '"')
            return refuse(in, place, "expected a key in \"");
        if (!read_string(in, place, &size))
            return false;
        if (strlen(member.key) != size)
            return refuse(in, place, "expected a key without \\u0000");
        if (json_object_object_get_ex(object, member.key, NULL))
            return refuse(in, &member, "the key stands twice");
        skip_space(in);
        if (!take(in, ':'))
            return refuse(in, &member, "expected :");
        if (!read_value(in, &member, &value))
            return false;
        if (json_object_object_add_ex(object, member.key, value, JSON_C_OBJECT_ADD_KEY_IS_NEW) != 0) {
            json_object_put(value);
            return refuse(in, &member, "no memory");
        }
        in->strings_used = start;
        skip_space(in);
    } while (take(in, ','));
    return take(in, '}') || refuse(in, place, "expected , or }");
}

static bool read_items(struct parser *in, const struct place *place, struct json_object *array)
{
    struct place item = { .within = place, .depth = place->depth + 1 };

    do {
        struct json_object *value = NULL;

        if (!read_value(in, &item, &value))
            return false;
        if (json_object_array_add(array, value) != 0) {
            json_object_put(value);
            return refuse(in, &item, "no memory");
        }
        item.index++;
        skip_space(in);
    } while (take(in, ','));
    return take(in, ']') || refuse(in, place, "expected , or ]");
}

static bool read_compound(struct parser *in, const struct place *place, struct json_object **value)
{
    bool is_object = take(in, '{');
    bool ok;

    if (place->depth >= DOCUMENT_DEPTH_MAX)
        return refuse(in, place, "expected at most %d lists and objects inside one another",
                      DOCUMENT_DEPTH_MAX);
    if (!is_object)
        take(in, '[');
    *value = is_object ? json_object_new_object() : json_object_new_array();
    skip_space(in);
    if (*value == NULL || take(in, is_object ? '}' : ']'))
        return true;
    ok = is_object ? read_members(in, place, *value) : read_items(in, place, *value);
    if (!ok) {
        json_object_put(*value);
        *value = NULL;
    }
    return ok;
}

static bool take_word(struct parser *in, const char *word)
{
    size_t size = strlen(word);

    if (in->text.size - in->at < size || memcmp(in->text.data + in->at, word, size) != 0)
        return false;
    in->at += size;
    return true;
}

/* A `null` is NULL, as everywhere in json-c. */
static bool read_value(struct parser *in, const struct place *place, struct json_object **value)
{
    uint8_t first;
    size_t size;

    skip_space(in);
    first = peek(in);
    if (first == '{' || first == '[') {
        if (!read_compound(in, place, value))
            return false;
    } else if (first == '"') {
        if (!read_string(in, place, &size))
            return false;
        in->strings_used -= size + 1;
        *value = json_object_new_string_len(in->strings + in->strings_used, (int)size);
    } else if (first == '-' || is_digit(first)) {
        if (!read_number(in, place, value))
            return false;
    } else if (take_word(in, "true") || take_word(in, "false")) {
        *value = json_object_new_boolean(first == 't');
    } else if (take_word(in, "null")) {
        return true;
    } else {
        return refuse(in, place, "expected a JSON value");
    }
    return *value != NULL || refuse(in, place, "no memory");
}

struct json_object *document_read(struct span text, char *message, size_t room)
{
    const struct place root = { .within = NULL };
    struct json_object *document = NULL;
    struct parser in;

    if (text.size > DOCUMENT_SIZE_MAX) {
        snprintf(message, room, "longer than %d bytes of JSON", DOCUMENT_SIZE_MAX);
        return NULL;
    }
    in.text = text;
    in.at = in.strings_used = 0;
    in.message = message;
    in.room = room;
    in.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    skip_space(&in);
    if (in.plain == (locale_t)0) {
        refuse(&in, &root, "no memory");
    } else if (peek(&in) != '{') {
        refuse(&in, &root, "expected a JSON object");
    } else if (read_value(&in, &root, &document)) {
        skip_space(&in);
        if (in.at < text.size) {
            refuse(&in, &root, "expected nothing behind the object");
            json_object_put(document);
            document = NULL;
        }
    }
    if (in.plain != (locale_t)0)
        freelocale(in.plain);
    return document;
}
