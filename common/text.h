/* text.h - what a text on the wire may hold.
 *
 * One predicate for each `text` class of a packet's field, and one function for each form that a packet's
 * rules may use on a text. All of them take bytes as they arrived: no terminator, not yet known to be UTF-8,
 * `data` may be NULL when `size` is 0. Nothing outside the span is read.
 *
 * Spec: proto/schema/README.md, "What is refused, by field" and "Rules over several fields". */
#ifndef DLMP_COMMON_TEXT_H
#define DLMP_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

/* Size in bytes (1 to 4) of the character that the text begins with; 0 when it is empty or begins with
 * anything that is not UTF-8: an overlong form, a surrogate, a value above U+10FFFF, a stray or missing
 * continuation byte. */
size_t text_char_size(struct span text);

/* The classes. Each asks for valid UTF-8 as well; the first five accept the empty text. */
bool text_is_utf8(struct span text);       /* any character */
bool text_is_plain(struct span text);      /* no U+0000..=U+001F, no U+007F..=U+009F */
bool text_is_line(struct span text);       /* no U+0000..=U+001F, no U+007F */
bool text_is_block(struct span text);      /* a line, and LF and TAB */
bool text_is_data(struct span text);       /* a line, and LF, TAB and CR */
bool text_is_identifier(struct span text); /* a-z, 0-9, _; the first is a letter */
bool text_is_resource(struct span text);   /* a-z, 0-9, _, -; the first is a letter */
bool text_is_path(struct span text);       /* relative, no empty component, no "." and no ".." */
bool text_is_url(struct span text);        /* empty, or http:// or https:// and printable ASCII, no space */

/* The text begins with one of the ASCII characters in `chars`. */
bool text_starts_with(struct span text, const char *chars);

/* A decimal integer of at most 10 digits: a '-' may come first, no zero before other digits. */
bool text_is_integer(struct span text);
/* Its value; 0 when it is none. */
int64_t text_integer(struct span text);

/* How many lines, separated by LF, the text has; 0 when one of them is empty, so 0 for the empty text. */
size_t text_lines(struct span text);

/* Exactly `rows` rows separated by LF, each of exactly `columns` cells separated by TAB, each cell at most
 * `cell_max` bytes of a text_is_line. No rows: the empty text. */
bool text_is_table(struct span text, size_t rows, size_t columns, size_t cell_max);

/* Every byte is in `set`, which lists ASCII characters and ranges of them: "A-Z0-9 ". A '-' that is first or
 * last, or follows a range, stands for itself. */
bool text_is_chars(const uint8_t *bytes, size_t size, const char *set);

#endif
