/* cursor.h - reading and writing little-endian bytes.
 *
 * `load_` and `store_` work on bytes the caller has already measured. A `reader` measures for itself: it goes
 * bad on the first read past the end and stays bad, every later read gives 0, so a decoder reads straight
 * through and asks `read_end` once. A `writer` does the same on the other side. Neither allocates, and no
 * address need be aligned. */
#ifndef DLMP_COMMON_CURSOR_H
#define DLMP_COMMON_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that somebody else owns. */
struct span {
    const uint8_t *data;
    size_t size;
};

static inline uint8_t load_u8(const uint8_t *at)
{
    return at[0];
}

/* Byte by byte: right on every byte order, and compilers make one load of it on a little-endian one. */
static inline uint16_t load_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t load_u64(const uint8_t *at)
{
    return (uint64_t)load_u32(at) | (uint64_t)load_u32(at + 4) << 32;
}

static inline int8_t load_i8(const uint8_t *at)
{
    return (int8_t)at[0];
}

static inline int16_t load_i16(const uint8_t *at)
{
    return (int16_t)load_u16(at);
}

static inline int32_t load_i32(const uint8_t *at)
{
    return (int32_t)load_u32(at);
}

static inline int64_t load_i64(const uint8_t *at)
{
    return (int64_t)load_u64(at);
}

static inline float load_f32(const uint8_t *at)
{
    uint32_t bits = load_u32(at);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void store_u8(uint8_t *at, uint8_t value)
{
    at[0] = value;
}

static inline void store_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static inline void store_u64(uint8_t *at, uint64_t value)
{
    store_u32(at, (uint32_t)value);
    store_u32(at + 4, (uint32_t)(value >> 32));
}

static inline void store_i8(uint8_t *at, int8_t value)
{
    at[0] = (uint8_t)value;
}

static inline void store_i16(uint8_t *at, int16_t value)
{
    store_u16(at, (uint16_t)value);
}

static inline void store_i32(uint8_t *at, int32_t value)
{
    store_u32(at, (uint32_t)value);
}

static inline void store_i64(uint8_t *at, int64_t value)
{
    store_u64(at, (uint64_t)value);
}

static inline void store_f32(uint8_t *at, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    store_u32(at, bits);
}

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

/* Nothing to read may come as {NULL, 0}, and C does not define NULL + 0: hence the tests of `size` here and
 * below. */
static inline void reader_init(struct reader *in, const uint8_t *data, size_t size)
{
    *in = (struct reader){ .at = data, .end = size > 0 ? data + size : data };
}

static inline size_t reader_left(const struct reader *in)
{
    return (size_t)(in->end - in->at);
}

/* The next `size` bytes, borrowed; {NULL, 0} and a bad reader when there are fewer. */
static inline struct span read_span(struct reader *in, size_t size)
{
    struct span span = { 0 };

    if (in->bad || reader_left(in) < size) {
        in->bad = true;
        return span;
    }
    span = (struct span){ .data = in->at, .size = size };
    if (size > 0)
        in->at += size;
    return span;
}

#define CURSOR_READ(name, type, bytes)                 \
    static inline type read_##name(struct reader *in)  \
    {                                                  \
        const uint8_t *at = read_span(in, bytes).data; \
        return at == NULL ? (type)0 : load_##name(at); \
    }

CURSOR_READ(u8, uint8_t, 1)
CURSOR_READ(u16, uint16_t, 2)
CURSOR_READ(u32, uint32_t, 4)
CURSOR_READ(u64, uint64_t, 8)
CURSOR_READ(i8, int8_t, 1)
CURSOR_READ(i16, int16_t, 2)
CURSOR_READ(i32, int32_t, 4)
CURSOR_READ(i64, int64_t, 8)
CURSOR_READ(f32, float, 4)
#undef CURSOR_READ

/* All was there and nothing is left. */
static inline bool read_end(const struct reader *in)
{
    return !in->bad && in->at == in->end;
}

struct writer {
    uint8_t *start;
    uint8_t *at;
    uint8_t *end;
    bool bad;
};

static inline void writer_init(struct writer *out, uint8_t *buffer, size_t size)
{
    out->start = buffer;
    out->at = buffer;
    out->end = size > 0 ? buffer + size : buffer;
    out->bad = false;
}

/* Room for `size` bytes, to be filled by the caller; NULL and a bad writer when there is none. */
static inline uint8_t *write_room(struct writer *out, size_t size)
{
    uint8_t *at = out->at;

    if (out->bad || (size_t)(out->end - at) < size) {
        out->bad = true;
        return NULL;
    }
    if (size > 0)
        out->at += size;
    return at;
}

static inline void write_span(struct writer *out, struct span span)
{
    uint8_t *at = write_room(out, span.size);

    if (at != NULL && span.size > 0)
        memcpy(at, span.data, span.size);
}

#define CURSOR_WRITE(name, type, bytes)                             \
    static inline void write_##name(struct writer *out, type value) \
    {                                                               \
        uint8_t *at = write_room(out, bytes);                       \
        if (at != NULL)                                             \
            store_##name(at, value);                                \
    }

CURSOR_WRITE(u8, uint8_t, 1)
CURSOR_WRITE(u16, uint16_t, 2)
CURSOR_WRITE(u32, uint32_t, 4)
CURSOR_WRITE(u64, uint64_t, 8)
CURSOR_WRITE(i8, int8_t, 1)
CURSOR_WRITE(i16, int16_t, 2)
CURSOR_WRITE(i32, int32_t, 4)
CURSOR_WRITE(i64, int64_t, 8)
CURSOR_WRITE(f32, float, 4)
#undef CURSOR_WRITE

/* Bytes written, 0 when they did not fit. */
static inline size_t writer_size(const struct writer *out)
{
    return out->bad ? 0 : (size_t)(out->at - out->start);
}

#endif
