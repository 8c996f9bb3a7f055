/* document.h - JSON text read strictly, into json-c's objects.
 *
 * json-c's own reader takes more than JSON: of two equal keys it keeps the last, it makes 18446744073709551615 of
 * 18446744073709551616 and 0 of -0, ends a key at its \u0000, and lets NaN, 'quotes', -01, raw control characters and broken
 * UTF-8 pass. A tool that is asked whether a packet is right must not mend the question. This reads RFC 8259, a key
 * once, and nothing besides.
 *
 * A number that is no 64-bit integer becomes a double that keeps its text, as json-c's own reader does it. */
#ifndef DLMP_PACKET_DOCUMENT_H
#define DLMP_PACKET_DOCUMENT_H

#include <stddef.h>

#include "common/cursor.h"

struct json_object;

/* ours: the longest packet of control characters or small numbers takes a fifth of it */
enum { DOCUMENT_SIZE_MAX = 65536 };
/* ours: the document, its fields, a list, an item and an array in the item are 5 deep */
enum { DOCUMENT_DEPTH_MAX = 8 };

/* The object that the text is; json_object_put gives it back. NULL: `message` says in one line what was expected where. */
struct json_object *document_read(struct span text, char *message, size_t room);

#endif
