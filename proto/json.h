/* json.h - packets as JSON, by reflection: one reader and one printer for all of them.
 *
 * {"packet":"VehicleEnter","fields":{"token":1,"event_id":7,"vehicle_id":12,"seat":0}}
 *
 * Fields have the schema's names, in wire order. Arrays and lists are lists, structs are objects, texts are
 * strings and raw bytes are lowercase hex. A float is printed with the fewest digits that read back as the
 * same float, always with a point or an exponent; a u64 is printed as the integer it is. */
#ifndef DLMP_PROTO_JSON_H
#define DLMP_PROTO_JSON_H

#include <stdio.h>

#include "proto/wire.h"

struct arena;
struct json_object;

/* Prints a decoded packet on one line, without a line end. */
void packet_json_print(FILE *out, const struct wire_packet *packet, const void *value);

/* The "fields" object alone. */
void packet_json_print_fields(FILE *out, const struct wire_struct *layout, const void *value);

/* Reads a "fields" object into the packet's C struct. Every field must be there, none besides, each of its
 * type and within what the type can hold. The packet's own rules are not judged: that is `check`'s. Texts and
 * bytes live in the arena. False: `message` says which field and what was expected. */
bool packet_json_read(const struct wire_packet *packet, struct json_object *fields, void *value,
                      struct arena *arena, char *message, size_t room);

#endif
