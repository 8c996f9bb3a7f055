/* Bytes into the decoder of Lua values: what it takes must come out of the encoder as the same values. */
#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As deep equality, since pairs have no order. */
static void assert_same(lua_State *L, int a, int b)
{
    assert(lua_type(L, a) == lua_type(L, b));
    if (lua_type(L, a) != LUA_TTABLE) {
        assert(lua_rawequal(L, a, b));
        return;
    }
    luaL_checkstack(L, 4, NULL);
    lua_pushnil(L);
    while (lua_next(L, a) != 0) {
        int value = lua_gettop(L);

        lua_pushvalue(L, value - 1);
        lua_rawget(L, b);
        assert_same(L, value, value + 1);
        lua_settop(L, value - 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lua_State *L;
    static uint8_t again[VALUES_BROADCAST_MAX * 2];
    struct writer out;
    int count;

    if (L == NULL)
        L = luaL_newstate();
    lua_settop(L, 0);
    if (size > VALUES_BROADCAST_MAX)
        return 0;
    count = values_decode(L, (struct span){ .data = data, .size = size });
    assert(lua_gettop(L) == (count < 0 ? 0 : count));
    if (count < 0)
        return 0;
    writer_init(&out, again, sizeof again);
    assert(values_encode(L, 1, count, &out) == NULL);
    assert(writer_size(&out) == size);
    assert(values_decode(L, (struct span){ .data = again, .size = writer_size(&out) }) == count);
    for (int i = 1; i <= count; i++)
        assert_same(L, i, count + i);
    return 0;
}
