/* wire.h - what is known about every packet, and what the generated codecs share.
 *
 * proto/gen/ writes a struct and four functions a packet from proto/schema/ (see gen/wire_vehicles.h and its
 * like):
 *
 *   bool   wire_vehicle_enter_decode(out, data, size, error)   strict: a malformed packet is refused whole
 *   size_t wire_vehicle_enter_encode(in, buffer, room, error)  bytes written, 0 when the struct breaks a rule
 *   bool   wire_vehicle_enter_check(in, error)                 the rules alone, as both of them judge
 *   size_t wire_vehicle_enter_put(in, buffer, room)            the layout alone, unchecked: how tests make
 *                                                              what no honest peer sends
 *
 * This header has the same by table: packets by number, fields by name, for dispatch, counters and printers.
 * Nothing here allocates, and decoding reads no byte outside the given size. A decoded text, and bytes,
 * borrow from the datagram.
 *
 * Spec: Protocol, "Packet IDs" and "Strict decoding". */
#ifndef DLMP_PROTO_WIRE_H
#define DLMP_PROTO_WIRE_H

#include "common/cursor.h"

/* Protocol: the wire revision; connection.md: no packet is longer, a longer datagram is dropped unread. */
enum { WIRE_VERSION = 146, WIRE_PACKET_SIZE_MAX = 1200 };

/* "None" in a field that holds an id. */
#define WIRE_NONE UINT32_C(0xFFFFFFFF)

enum wire_direction { WIRE_C2S, WIRE_S2C };
enum wire_lane { WIRE_UNRELIABLE, WIRE_RELIABLE };
enum wire_delivery { WIRE_DELIVERY_NONE, WIRE_DROPPABLE, WIRE_CRITICAL }; /* none: not on the S→C lane */

/* Why a packet is malformed. */
enum wire_why {
    WIRE_ACCEPTED,
    WIRE_EMPTY,      /* a datagram without a packet id */
    WIRE_UNKNOWN,    /* an id that no packet of this direction has */
    WIRE_SHORT,      /* shorter than its layout */
    WIRE_LONG,       /* bytes left over */
    WIRE_NOT_FINITE, /* a NaN or an infinity */
    WIRE_RANGE,      /* a value, a length or a count outside its range */
    WIRE_VALUE,      /* none of the values allowed, or one that is excluded */
    WIRE_BITS,       /* a bit outside the mask */
    WIRE_TEXT,       /* not UTF-8, or a character that does not belong there */
    WIRE_RULE,       /* a rule over several fields */
    WIRE_NO_ROOM,    /* encode only: the buffer is too small */
    WIRE_WHYS,
};

enum wire_type {
    WIRE_U8,
    WIRE_U16,
    WIRE_U32,
    WIRE_U64,
    WIRE_I8,
    WIRE_I16,
    WIRE_I32,
    WIRE_I64,
    WIRE_F32,
    WIRE_STR8,
    WIRE_STR16,
    WIRE_BYTES16,
    WIRE_LIST,
    WIRE_STRUCT,
};

enum wire_text {
    WIRE_TEXT_ANY,
    WIRE_TEXT_PLAIN,
    WIRE_TEXT_LINE,
    WIRE_TEXT_BLOCK,
    WIRE_TEXT_DATA,
    WIRE_TEXT_IDENTIFIER,
    WIRE_TEXT_RESOURCE,
    WIRE_TEXT_PATH,
    WIRE_TEXT_URL
};

/* Bits of wire_field.rules: which of the value rules the field has. */
enum { WIRE_HAS_MIN = 1, WIRE_HAS_MAX = 2, WIRE_HAS_MASK = 4, WIRE_FINITE = 8, WIRE_NONZERO = 16 };

enum { WIRE_VARIES = 0xFFFF }; /* a wire_offset that depends on the lengths before it */

struct wire_struct;

/* A field, as the schema has it. */
struct wire_field {
    const char *name;
    const char *doc; /* one line: meaning and unit; empty when the name says it */
    enum wire_type type;
    enum wire_type item;          /* of a list: what its items are */
    const struct wire_struct *of; /* of a struct and of a list of structs */
    uint16_t count;               /* elements of a fixed array, 0 for a single value */
    uint16_t offset;              /* in the C struct */
    uint16_t count_offset;        /* of a list: where the C struct has its number of items, a uint16_t */
    uint16_t stride;              /* bytes from one element or item to the next in the C struct */
    uint16_t wire_offset;         /* from the packet id, or from the start of the struct */
    uint8_t prefix;               /* bytes of the length or count before a text, bytes or a list */
    uint8_t rules;
    double min; /* inclusive; of a text the bytes, of a list the items */
    double max;
    uint64_t mask;
    const int64_t *values; /* the only ones allowed */
    const int64_t *exclude;
    uint16_t values_count;
    uint16_t exclude_count;
    enum wire_text text;
};

/* A rule over several fields. */
struct wire_rule {
    const char *name;
    const char *says;
    const char *field; /* the one that is blamed */
};

struct wire_struct {
    const char *name;
    const struct wire_field *fields; /* in wire order */
    const struct wire_rule *rules;
    uint16_t fields_count;
    uint16_t rules_count;
    uint16_t min_size; /* bytes on the wire */
    uint16_t max_size;
    uint16_t size; /* of the C struct */
};

/* What was refused. `within` is the struct or list that holds the field; no index is -1. */
struct wire_error {
    enum wire_why why;
    const struct wire_field *within;
    const struct wire_field *field; /* NULL when the packet as a whole is at fault */
    const struct wire_rule *rule;   /* of WIRE_RULE */
    int within_index;
    int index;
};

struct wire_packet {
    const struct wire_struct *layout;
    uint8_t id;
    uint8_t index; /* in wire_packets: dense, for counters */
    enum wire_direction direction;
    enum wire_lane lane;
    enum wire_delivery delivery;
    uint16_t event_id_at; /* where the event_id is on the wire, 0 for a packet without one */
    bool has_token;       /* the session token follows the packet id */
    bool published;       /* the layout is the published page's, otherwise our profile's */
    const char *page;
    const char *doc;
    bool (*decode)(void *out, const uint8_t *data, size_t size, struct wire_error *error);
    size_t (*encode)(const void *in, uint8_t *buffer, size_t room, struct wire_error *error);
    bool (*check)(const void *in, struct wire_error *error);
    size_t (*put)(const void *in, uint8_t *buffer, size_t room);
};

/* All packets, ordered by id; there are WIRE_PACKETS (gen/wire.h) of them. */
extern const struct wire_packet *const wire_packets[];

/* The packet that a datagram claims to be: by its id, and by `kind` for the server query. NULL with the
 * reason in `error`: empty, or unknown in this direction. Judges nothing behind the id. */
const struct wire_packet *wire_identify(enum wire_direction direction, const uint8_t *data, size_t size,
                                        struct wire_error *error);

/* By the page's name ("VehicleEnter"), NULL when there is none. */
const struct wire_packet *wire_packet_by_name(const char *name);
const struct wire_field *wire_field_by_name(const struct wire_struct *layout, const char *name, size_t size);

/* A short fixed word for counters: "malformed_short", "malformed_range"… */
const char *wire_why_name(enum wire_why why);

/* The refusal as one line, without the packet's name: "seat: expected 0..=31". Returns `buffer`. */
char *wire_error_format(const struct wire_error *error, char *buffer, size_t room);

/* What the field allows: "0..=31", "one of 4, 5, 6", "bits 0x1F only". Returns `buffer`. */
char *wire_field_expects(const struct wire_field *field, char *buffer, size_t room);

/* ---- for the generated code ---- */

/* Fills `error` and returns false. The index is that of the element, -1 for a single value. */
bool wire_refuse(struct wire_error *error, enum wire_why why, const struct wire_field *field, int index);
bool wire_refuse_rule(struct wire_error *error, const struct wire_struct *layout, size_t rule);
/* Adds where the refused struct stands. */
bool wire_refuse_within(struct wire_error *error, const struct wire_field *within, int index);

static inline bool wire_is_finite(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7F800000) != 0x7F800000;
}

/* clang-format off */
#define WIRE_ALL_ZERO(name, type)                                           \
    static inline bool wire_all_zero_##name(const type *values, size_t count) \
    {                                                                       \
        for (size_t i = 0; i < count; i++) {                                \
            if (values[i] != (type)0)                                       \
                return false;                                               \
        }                                                                   \
        return true;                                                        \
    }
WIRE_ALL_ZERO(u8, uint8_t)
WIRE_ALL_ZERO(u16, uint16_t)
WIRE_ALL_ZERO(u32, uint32_t)
WIRE_ALL_ZERO(f32, float)
#undef WIRE_ALL_ZERO
/* clang-format on */

/* The length of a vector. */
double wire_norm(const float *values, size_t count);

#endif
