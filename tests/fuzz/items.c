#include "tests/fuzz/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 6, LIST_MAX = 4, BYTES_MAX = 300 };

static uint8_t draw_u8(struct reader *in)
{
    return reader_left(in) > 0 ? read_u8(in) : 0;
}

static uint64_t draw_number(struct reader *in)
{
    uint8_t kind = draw_u8(in);
    uint64_t number = 0;

    if (kind < 0xE0)
        return kind % 32;
    if (kind < 0xF0)
        return (uint64_t)-1 >> (kind - 0xE0) * 4;
    for (size_t i = 0; i < sizeof number; i++)
        number = number << 8 | draw_u8(in);
    return number;
}

static float draw_float(struct reader *in)
{
    uint32_t bits = (uint32_t)draw_number(in);
    float number;

    if (bits < 32)
        return (float)bits;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static struct span draw_bytes(struct arena *arena, struct reader *in)
{
    size_t size = draw_u8(in);
    uint8_t *bytes;

    if (size == UINT8_MAX)
        size = BYTES_MAX;
    bytes = arena_alloc(arena, size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = draw_u8(in);
    bytes[size] = '\0';
    return (struct span){ bytes, size };
}

static char *draw_text(struct arena *arena, struct reader *in)
{
    static const char *const known[] = { "",          "shard-1", "shard-2",
                                         "gateway-1", "Bob",     "freeroam",
                                         "datagrams", "enforce", "tcp://127.0.0.1:7701",
                                         "Alice" };
    size_t kind = draw_u8(in);

    if (kind < 0xC0)
        kind %= sizeof known / sizeof known[0];
    if (kind < sizeof known / sizeof known[0])
        return arena_copy(arena, (struct span){ (const uint8_t *)known[kind], strlen(known[kind]) });
    return (char *)draw_bytes(arena, in).data;
}

static void *make(struct arena *arena, struct reader *in, const ProtobufCMessageDescriptor *kind, int depth);

/* What protobuf-c's structs have for a field of this type. */
static size_t size_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return sizeof(uint32_t);
    }
}

static void fill(struct arena *arena, struct reader *in, const ProtobufCFieldDescriptor *field, int depth,
                 void *member)
{
    uint64_t number;
    double real;
    float single;
    ProtobufCBinaryData bytes;
    void *pointer;

    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        pointer = draw_text(arena, in);
        memcpy(member, &pointer, sizeof(void *));
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        pointer = make(arena, in, field->descriptor, depth + 1);
        memcpy(member, &pointer, sizeof(void *));
        break;
    case PROTOBUF_C_TYPE_BYTES: {
        struct span drawn = draw_bytes(arena, in);

        bytes = (ProtobufCBinaryData){ .len = drawn.size, .data = (uint8_t *)drawn.data };
        memcpy(member, &bytes, sizeof bytes);
        break;
    }
    case PROTOBUF_C_TYPE_FLOAT:
        single = draw_float(in);
        memcpy(member, &single, sizeof single);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        real = (double)draw_float(in);
        memcpy(member, &real, sizeof real);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)member = draw_u8(in) % 2;
        break;
    default: /* little-endian: the lower half of it is the smaller number */
        number = draw_number(in);
        memcpy(member, &number, size_of(field));
    }
}

static void fill_list(struct arena *arena, struct reader *in, const ProtobufCFieldDescriptor *field,
                      int depth, uint8_t *message)
{
    size_t count = draw_u8(in) % (LIST_MAX + 1);
    size_t size = size_of(field);
    uint8_t *list = arena_alloc_zeroed(arena, count + 1, size);

    for (size_t i = 0; i < count; i++)
        fill(arena, in, field, depth, list + i * size);
    memcpy(message + field->quantifier_offset, &count, sizeof count);
    memcpy(message + field->offset, &list, sizeof(void *));
}

/* One of a union's members, or none. Each message has one union at most, and it is all of the message. */
static void fill_union(struct arena *arena, struct reader *in, const ProtobufCMessageDescriptor *kind,
                       int depth, uint8_t *message)
{
    size_t chosen = draw_u8(in) % (kind->n_fields + 1);
    const ProtobufCFieldDescriptor *field = &kind->fields[chosen % kind->n_fields];

    if (chosen == kind->n_fields)
        return;
    memcpy(message + field->quantifier_offset, &field->id, sizeof field->id);
    fill(arena, in, field, depth, message + field->offset);
}

static void *make(struct arena *arena, struct reader *in, const ProtobufCMessageDescriptor *kind, int depth)
{
    uint8_t *message = arena_alloc(arena, kind->sizeof_message);

    kind->message_init((ProtobufCMessage *)message);
    if (depth > DEPTH_MAX)
        return message;
    if (kind->n_fields > 0 && (kind->fields[0].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
        fill_union(arena, in, kind, depth, message);
        return message;
    }
    for (unsigned i = 0; i < kind->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &kind->fields[i];

        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            fill_list(arena, in, field, depth, message);
        else if (field->type != PROTOBUF_C_TYPE_MESSAGE || draw_u8(in) % 8 != 0)
            fill(arena, in, field, depth, message + field->offset);
    }
    return message;
}

const Bus__Item *items_make(struct arena *arena, struct reader *in)
{
    return make(arena, in, &bus__item__descriptor, 0);
}
