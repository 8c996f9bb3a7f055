/* convert.h - a packet from bytes to its struct, or from JSON to bytes, or one line that says why not.
 *
 * A `message` has room for MESSAGE_ROOM bytes. */
#ifndef DLMP_PACKET_CONVERT_H
#define DLMP_PACKET_CONVERT_H

#include "gen/wire.h"

/* Room for one line that says why not. */
enum { MESSAGE_ROOM = 512 };

/* Which way a packet goes. An id, or a server query's kind, has one direction, so it need not be told. */
enum side { SIDE_C2S = WIRE_C2S, SIDE_S2C = WIRE_S2C, SIDE_EITHER };

/* "c2s" or "s2c". */
bool side_read(const char *word, enum side *side);
const char *direction_name(enum wire_direction direction);

/* NULL: malformed. The value borrows from the bytes. */
const struct wire_packet *convert_decode(enum side side, struct span bytes, union wire_any *value,
                                         char *message);

/* The packet that {"packet":"…","fields":{…}} tells of. Bytes written to `buffer`, which has room for
 * WIRE_PACKET_SIZE_MAX; 0: refused. */
size_t convert_encode(struct span text, uint8_t *buffer, char *message);

/* False: not an even number of hexadecimal digits, or more bytes than the room, WIRE_PACKET_SIZE_MAX. */
bool convert_hex(struct span text, uint8_t *bytes, size_t *size, char *message);

#endif
