/* document.h - JSON text read strictly, into json-c's objects.
 *
 * json-c's own reader takes more than JSON, and mends it: of two equal keys it keeps the last, it makes
 * 18446744073709551615 of 18446744073709551616 and 0 of -0, ends a key at its \u0000, puts U+FFFD for half a
 * surrogate pair, and lets NaN, 'quotes', -01, control characters and broken UTF-8 pass. A tool that is asked
 * whether a packet is right must not answer another question. This reads RFC 8259, a key once, and nothing
 * besides.
 *
 * A number that is no 64-bit integer becomes a double that keeps its text, as json-c's own reader does it. */
#ifndef DLMP_PROTO_DOCUMENT_H
#define DLMP_PROTO_DOCUMENT_H

#include <stddef.h>

#include "common/cursor.h"

struct json_object;

/* ours: no packet takes 10,000, not even one of escaped characters only */
enum { DOCUMENT_SIZE_MAX = 65536 };
/* ours: the document, its fields, a list, an item and an array in the item are 5 deep */
enum { DOCUMENT_DEPTH_MAX = 8 };

/* The object that the text is, for the caller to put. NULL: `message` says what was expected, and where. */
struct json_object *document_read(struct span text, char *message, size_t room);

#endif
