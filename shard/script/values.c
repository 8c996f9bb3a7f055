#include "shard/script/values.h"

#include <lua5.4/lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Part of what is stored: a new one goes to the end. */
enum kind { KIND_NIL, KIND_FALSE, KIND_TRUE, KIND_INTEGER, KIND_NUMBER, KIND_TEXT, KIND_TABLE };

/* What a level of tables needs of the stack: the table, a key, a value. */
enum { LEVEL_SLOTS = 3, STACK_SLOTS = (VALUES_DEPTH_MAX + 2) * LEVEL_SLOTS };

/* ---- writing */

static const char *encode_number(lua_State *L, int index, struct writer *out)
{
    lua_Number number = lua_tonumber(L, index);
    uint64_t bits;

    if (lua_isinteger(L, index)) {
        write_u8(out, KIND_INTEGER);
        write_i64(out, lua_tointeger(L, index));
        return NULL;
    }
    if (!isfinite(number))
        return "a number that is not finite";
    memcpy(&bits, &number, sizeof bits);
    write_u8(out, KIND_NUMBER);
    write_u64(out, bits);
    return NULL;
}

static const char *encode_text(lua_State *L, int index, struct writer *out)
{
    size_t size;
    const char *text = lua_tolstring(L, index, &size);

    if (size > UINT16_MAX)
        return "too long";
    write_u8(out, KIND_TEXT);
    write_u16(out, (uint16_t)size);
    write_span(out, (struct span){ .data = (const uint8_t *)text, .size = size });
    return NULL;
}

static const char *encode_value(lua_State *L, int index, struct writer *out, int depth);

/* The number of pairs is written last, in its place. */
static const char *encode_table(lua_State *L, int index, struct writer *out, int depth)
{
    uint16_t pairs = 0;
    uint8_t *count_at;
    const char *why = NULL;

    if (depth == VALUES_DEPTH_MAX)
        return "tables nested too deeply, or one within itself";
    if (lua_getmetatable(L, index)) {
        lua_pop(L, 1);
        return "a table with a metatable";
    }
    write_u8(out, KIND_TABLE);
    count_at = write_room(out, sizeof pairs);
    lua_pushnil(L);
    while (!out->bad && lua_next(L, index) != 0) { /* it has an end: each pair takes some of the room */
        int value = lua_gettop(L);

        if (lua_type(L, value - 1) == LUA_TTABLE)
            why = "a table as a key";
        if (why == NULL)
            why = encode_value(L, value - 1, out, depth + 1);
        if (why == NULL)
            why = encode_value(L, value, out, depth + 1);
        lua_pop(L, 1);
        if (why != NULL)
            return why;
        pairs++;
    }
    if (count_at != NULL)
        store_u16(count_at, pairs);
    return NULL;
}

static const char *encode_value(lua_State *L, int index, struct writer *out, int depth)
{
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        write_u8(out, KIND_NIL);
        return NULL;
    case LUA_TBOOLEAN:
        write_u8(out, lua_toboolean(L, index) != 0 ? KIND_TRUE : KIND_FALSE);
        return NULL;
    case LUA_TNUMBER:
        return encode_number(L, index, out);
    case LUA_TSTRING:
        return encode_text(L, index, out);
    case LUA_TTABLE:
        return encode_table(L, index, out, depth);
    default:
        return "a value that is no nil, boolean, number, string or table";
    }
}

const char *values_encode(lua_State *L, int first, int count, struct writer *out)
{
    int top = lua_gettop(L);
    const char *why = NULL;

    if (count > VALUES_COUNT_MAX)
        return "too many values";
    if (lua_checkstack(L, STACK_SLOTS) == 0)
        return "not enough memory";
    write_u8(out, (uint8_t)count);
    for (int i = 0; i < count && why == NULL; i++)
        why = encode_value(L, first + i, out, 0);
    lua_settop(L, top);
    return why == NULL && out->bad ? "too long" : why;
}

/* ---- reading */

static bool decode_number(lua_State *L, struct reader *in)
{
    uint64_t bits = read_u64(in);
    lua_Number number;

    memcpy(&number, &bits, sizeof number);
    lua_pushnumber(L, number);
    return isfinite(number);
}

static bool decode_text(lua_State *L, struct reader *in)
{
    struct span text = read_span(in, read_u16(in));

    lua_pushlstring(L, text.data != NULL ? (const char *)text.data : "", text.size);
    return !in->bad;
}

static bool decode_value(lua_State *L, struct reader *in, int depth);

/* The key and the value on top, into the table below them. */
static bool set_pair(lua_State *L)
{
    bool is_new;

    lua_pushvalue(L, -2);
    is_new = lua_rawget(L, -4) == LUA_TNIL;
    lua_pop(L, 1);
    if (!is_new || lua_isnil(L, -1) || lua_isnil(L, -2) || lua_istable(L, -2))
        return false;
    lua_rawset(L, -3);
    return true;
}

static bool decode_table(lua_State *L, struct reader *in, int depth)
{
    uint16_t pairs = read_u16(in);

    lua_newtable(L); /* no larger than it turns out to be: the count is only a claim */
    if (depth == VALUES_DEPTH_MAX)
        return false;
    for (uint16_t i = 0; i < pairs; i++) {
        bool has_key = decode_value(L, in, depth + 1);

        if (!has_key || !decode_value(L, in, depth + 1) || !set_pair(L))
            return false;
    }
    return !in->bad;
}

static bool decode_value(lua_State *L, struct reader *in, int depth)
{
    uint8_t kind = read_u8(in);

    switch (kind) {
    case KIND_NIL:
        lua_pushnil(L);
        break;
    case KIND_FALSE:
    case KIND_TRUE:
        lua_pushboolean(L, kind == KIND_TRUE);
        break;
    case KIND_INTEGER:
        lua_pushinteger(L, read_i64(in));
        break;
    case KIND_NUMBER:
        return decode_number(L, in) && !in->bad;
    case KIND_TEXT:
        return decode_text(L, in);
    case KIND_TABLE:
        return decode_table(L, in, depth);
    default:
        return false;
    }
    return !in->bad;
}

int values_decode(lua_State *L, struct span bytes)
{
    int top = lua_gettop(L);
    struct reader in;
    uint8_t count;
    bool is_whole;

    reader_init(&in, bytes.data, bytes.size);
    count = read_u8(&in);
    is_whole = count <= VALUES_COUNT_MAX && lua_checkstack(L, STACK_SLOTS + count) != 0;
    for (int i = 0; i < count && is_whole; i++)
        is_whole = decode_value(L, &in, 0);
    if (is_whole && read_end(&in))
        return count;
    lua_settop(L, top);
    return -1;
}
