#include "common/text.h"

#include <string.h>

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Which control characters a class lets in. Bit c of `low` is set when U+00c, below U+0020, is allowed. */
struct text_class {
    uint32_t low;
    bool del; /* U+007F */
    bool c1;  /* U+0080..=U+009F */
};

#define LOW(c) (UINT32_C(1) << (c))

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The Unicode Standard, table 3-7: the second byte's range is what keeps out overlong forms, surrogates and
 * values above U+10FFFF. */
static size_t long_char_size(const uint8_t *at, size_t left)
{
    uint8_t lead = at[0];

    if (lead < 0xC2 || lead > 0xF4 || left < 2)
        return 0;
    if (lead < 0xE0)
        return is_continuation(at[1]) ? 2 : 0;
    if (lead < 0xF0) {
        uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
        uint8_t high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && at[1] >= low && at[1] <= high && is_continuation(at[2]) ? 3 : 0;
    }
    uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    if (left < 4 || at[1] < low || at[1] > high)
        return 0;
    return is_continuation(at[2]) && is_continuation(at[3]) ? 4 : 0;
}

size_t text_char_size(struct span text)
{
    if (text.size == 0)
        return 0;
    return text.data[0] < 0x80 ? 1 : long_char_size(text.data, text.size);
}

/* No byte of the eight is below 0x20, 0x7F or above it. A borrow or a carry can only leave a byte that
 * already fails. */
static inline bool all_printable(uint64_t eight)
{
    return ((eight | (eight - EACH_BYTE(0x20)) | (eight + EACH_BYTE(0x01))) & EACH_BYTE(0x80)) == 0;
}

static inline bool is_of_class(struct span text, struct text_class class)
{
    size_t at = 0;

    while (at < text.size) {
        if (text.size - at >= 8 && all_printable(load_u64(text.data + at))) {
            at += 8;
            continue;
        }
        uint8_t byte = text.data[at];
        size_t size = 1;
        if (byte < 0x20) {
            if ((class.low >> byte & 1) == 0)
                return false;
        } else if (byte == 0x7F) {
            if (!class.del)
                return false;
        } else if (byte >= 0x80) {
            size = long_char_size(text.data + at, text.size - at);
            if (size == 0 || (!class.c1 && byte == 0xC2 && text.data[at + 1] <= 0x9F))
                return false;
        }
        at += size;
    }
    return true;
}

bool text_is_utf8(struct span text)
{
    return is_of_class(text, (struct text_class){ .low = UINT32_MAX, .del = true, .c1 = true });
}

bool text_is_plain(struct span text)
{
    return is_of_class(text, (struct text_class){ .low = 0, .del = false, .c1 = false });
}

bool text_is_line(struct span text)
{
    return is_of_class(text, (struct text_class){ .low = 0, .del = false, .c1 = true });
}

bool text_is_block(struct span text)
{
    return is_of_class(text, (struct text_class){ .low = LOW('\n') | LOW('\t'), .del = false, .c1 = true });
}

bool text_is_data(struct span text)
{
    uint32_t low = LOW('\n') | LOW('\t') | LOW('\r');

    return is_of_class(text, (struct text_class){ .low = low, .del = false, .c1 = true });
}

static bool is_lower(uint8_t byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_name(struct span text, bool dash)
{
    if (text.size == 0 || !is_lower(text.data[0]))
        return false;
    for (size_t i = 1; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (!is_lower(byte) && !is_digit(byte) && byte != '_' && !(dash && byte == '-'))
            return false;
    }
    return true;
}

bool text_is_identifier(struct span text)
{
    return is_name(text, false);
}

bool text_is_resource(struct span text)
{
    return is_name(text, true);
}

static bool is_path_char(uint8_t byte)
{
    return is_lower(byte) || (byte >= 'A' && byte <= 'Z') || is_digit(byte) || byte == '.' || byte == '_' ||
           byte == '-';
}

bool text_is_path(struct span text)
{
    size_t start = 0; /* of the component */

    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != '/') {
            if (!is_path_char(text.data[i]))
                return false;
            continue;
        }
        size_t size = i - start;
        if (size == 0 || (size == 1 && text.data[start] == '.') ||
            (size == 2 && text.data[start] == '.' && text.data[start + 1] == '.'))
            return false;
        start = i + 1;
    }
    return true;
}

static bool begins(struct span text, const char *prefix)
{
    size_t size = strlen(prefix);

    return text.size >= size && memcmp(text.data, prefix, size) == 0;
}

bool text_is_url(struct span text)
{
    if (text.size == 0)
        return true;
    if (!begins(text, "http://") && !begins(text, "https://"))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] <= ' ' || text.data[i] >= 0x7F)
            return false;
    }
    return true;
}

bool text_starts_with(struct span text, const char *chars)
{
    /* strchr would find the terminator of `chars` in a text that begins with a NUL. */
    return text.size > 0 && text.data[0] != '\0' && strchr(chars, text.data[0]) != NULL;
}

enum { INTEGER_DIGITS_MAX = 10 };

bool text_is_integer(struct span text)
{
    size_t sign = text.size > 0 && text.data[0] == '-' ? 1 : 0;
    size_t digits = text.size - sign;

    if (digits < 1 || digits > INTEGER_DIGITS_MAX || (digits > 1 && text.data[sign] == '0'))
        return false;
    for (size_t i = sign; i < text.size; i++) {
        if (!is_digit(text.data[i]))
            return false;
    }
    return true;
}

int64_t text_integer(struct span text)
{
    int64_t value = 0;

    if (!text_is_integer(text))
        return 0;
    for (size_t i = text.data[0] == '-' ? 1 : 0; i < text.size; i++)
        value = value * 10 + (text.data[i] - '0');
    return text.data[0] == '-' ? -value : value;
}

size_t text_lines(struct span text)
{
    size_t lines = 0;
    size_t start = 0; /* of the line */

    for (size_t i = 0; i <= text.size; i++) {
        if (i < text.size && text.data[i] != '\n')
            continue;
        if (i == start)
            return 0;
        lines++;
        start = i + 1;
    }
    return lines;
}

bool text_is_table(struct span text, size_t rows, size_t columns, size_t cell_max)
{
    size_t row = 1;
    size_t column = 1;
    size_t cell = 0; /* bytes */

    if (rows == 0 || columns == 0)
        return rows == 0 && text.size == 0;
    if (!text_is_block(text))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        switch (text.data[i]) {
        case '\n':
            if (column != columns)
                return false;
            row++;
            column = 1;
            cell = 0;
            break;
        case '\t':
            column++;
            cell = 0;
            break;
        default:
            if (++cell > cell_max)
                return false;
        }
    }
    return row == rows && column == columns;
}

static bool set_has(const char *set, uint8_t byte)
{
    while (*set != '\0') {
        uint8_t low = (uint8_t)set[0];
        bool range = set[1] == '-' && set[2] != '\0';
        uint8_t high = range ? (uint8_t)set[2] : low;

        if (byte >= low && byte <= high)
            return true;
        set += range ? 3 : 1;
    }
    return false;
}

bool text_is_chars(const uint8_t *bytes, size_t size, const char *set)
{
    for (size_t i = 0; i < size; i++) {
        if (!set_has(set, bytes[i]))
            return false;
    }
    return true;
}
