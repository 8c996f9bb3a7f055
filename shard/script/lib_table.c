#include <limits.h>
#include <lua5.4/lualib.h>

#include "shard/script/call.h"
#include "shard/script/lib.h"

/* The list at index 1, and its length. */
static lua_Integer check_list(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return luaL_len(L, 1);
}

/* list[to] = list[from] */
static void shift(lua_State *L, lua_Integer from, lua_Integer to)
{
    call_spend(L, 1);
    (void)lua_geti(L, 1, from);
    lua_seti(L, 1, to);
}

static int table_insert(lua_State *L)
{
    lua_Integer end = (lua_Integer)((lua_Unsigned)check_list(L) + 1);
    lua_Integer at = end;

    switch (lua_gettop(L)) {
    case 2:
        break;
    case 3:
        at = luaL_checkinteger(L, 2);
        luaL_argcheck(L, (lua_Unsigned)at - 1 < (lua_Unsigned)end, 2, "position out of bounds");
        for (lua_Integer i = end; i > at; i--)
            shift(L, i - 1, i);
        break;
    default:
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_seti(L, 1, at);
    return 0;
}

static int table_remove(lua_State *L)
{
    lua_Integer size = check_list(L);
    lua_Integer at = luaL_optinteger(L, 2, size);

    if (at != size)
        luaL_argcheck(L, (lua_Unsigned)at - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
    (void)lua_geti(L, 1, at);
    for (; at < size; at++)
        shift(L, at + 1, at);
    lua_pushnil(L);
    lua_seti(L, 1, at);
    return 1;
}

static int table_move(lua_State *L)
{
    lua_Integer from = luaL_checkinteger(L, 2);
    lua_Integer end = luaL_checkinteger(L, 3);
    lua_Integer to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    bool overlaps = to > from && to <= end && (target == 1 || lua_compare(L, 1, target, LUA_OPEQ) != 0);

    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, target, LUA_TTABLE);
    if (end >= from) {
        luaL_argcheck(L, from > 0 || end < LUA_MAXINTEGER + from, 3, "too many elements to move");
        luaL_argcheck(L, to <= LUA_MAXINTEGER - (end - from), 4, "destination wrap around");
        for (lua_Integer i = 0; i <= end - from; i++) {
            lua_Integer at = overlaps ? end - from - i : i;

            call_spend(L, 1);
            (void)lua_geti(L, 1, from + at);
            lua_seti(L, target, to + at);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

static void add_piece(lua_State *L, luaL_Buffer *buffer, lua_Integer at)
{
    call_spend(L, 1);
    (void)lua_geti(L, 1, at);
    if (lua_isstring(L, -1) == 0)
        luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1),
                   (LUAI_UACINT)at);
    luaL_addvalue(buffer);
}

static int table_concat(lua_State *L)
{
    lua_Integer size = check_list(L);
    size_t separator_size;
    const char *separator = luaL_optlstring(L, 2, "", &separator_size);
    lua_Integer at = luaL_optinteger(L, 3, 1);
    lua_Integer last = luaL_optinteger(L, 4, size);
    luaL_Buffer buffer;

    luaL_buffinit(L, &buffer);
    for (; at < last; at++) {
        add_piece(L, &buffer, at);
        luaL_addlstring(&buffer, separator, separator_size);
    }
    if (at == last)
        add_piece(L, &buffer, at);
    luaL_pushresult(&buffer);
    return 1;
}

static int table_unpack(lua_State *L)
{
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = luaL_opt(L, luaL_checkinteger, 3, luaL_len(L, 1));

    if (first > last)
        return 0;
    lib_check_results(L, first, last);
    luaL_checkstack(L, (int)(last - first) + 1, "too many results to unpack");
    call_spend(L, (size_t)(last - first) + 1);
    for (lua_Integer i = first; i < last; i++)
        (void)lua_geti(L, 1, i);
    (void)lua_geti(L, 1, last);
    return (int)(last - first) + 1;
}

/* ---- sort: by a heap, whose number of steps no order function can raise */

static size_t size_on_top(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TSTRING ? (size_t)lua_rawlen(L, index) / 16 : 0;
}

/* Whether the value at index a comes before the one at b; both are above the list. */
static bool is_before(lua_State *L, int a, int b)
{
    bool before;

    call_spend(L, 2 + size_on_top(L, a));
    if (lua_isnil(L, 2))
        return lua_compare(L, a, b, LUA_OPLT) != 0;
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a);
    lua_pushvalue(L, b);
    lua_call(L, 2, 1);
    before = lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return before;
}

/* The value at index 3 sinks from `at` to where it belongs. */
static void sink(lua_State *L, lua_Integer at, lua_Integer count)
{
    for (lua_Integer child = 2 * at; child <= count; child = 2 * at) {
        (void)lua_geti(L, 1, child);
        if (child < count) {
            (void)lua_geti(L, 1, child + 1);
            if (is_before(L, 4, 5)) {
                lua_replace(L, 4);
                child++;
            } else {
                lua_pop(L, 1);
            }
        }
        if (!is_before(L, 3, 4)) {
            lua_pop(L, 1);
            break;
        }
        lua_seti(L, 1, at);
        at = child;
    }
    lua_seti(L, 1, at);
}

static int table_sort(lua_State *L)
{
    lua_Integer count = check_list(L);

    luaL_argcheck(L, count < INT_MAX, 1, "array too big");
    if (count > 1 && !lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    for (lua_Integer at = count / 2; at >= 1; at--) {
        (void)lua_geti(L, 1, at);
        sink(L, at, count);
    }
    for (lua_Integer last = count; last > 1; last--) {
        (void)lua_geti(L, 1, last);
        (void)lua_geti(L, 1, 1);
        lua_seti(L, 1, last);
        sink(L, 1, last - 1);
    }
    return 0;
}

void lib_table_open(lua_State *L)
{
    static const char *const kept[] = { "pack", NULL };
    static const luaL_Reg ours[] = {
        { "concat", table_concat },
        { "insert", table_insert },
        { "move", table_move },
        { "remove", table_remove },
        { "sort", table_sort },
        { "unpack", table_unpack },
        { NULL, NULL },
    };

    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
    lib_keep(L, kept);
    luaL_setfuncs(L, ours, 0);
    lua_setglobal(L, LUA_TABLIBNAME);
}
