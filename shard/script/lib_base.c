#include <fcntl.h>
#include <lua5.4/lualib.h>
#include <string.h>

#include "common/log.h"
#include "shard/script/lib.h"
#include "shard/script/sandbox.h"
#include "shard/script/state.h"

/* ---- errors */

/* What pcall and xpcall leave after the call: true and the results, or false and the message. */
static int finish_call(lua_State *L, int status, lua_KContext below)
{
    if (status == LUA_OK || status == LUA_YIELD)
        return lua_gettop(L) - (int)below;
    call_pass_on(L, status);
    lua_pushboolean(L, false);
    lua_insert(L, -2);
    return 2;
}

static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, true);
    lua_insert(L, 1);
    return finish_call(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call), 0);
}

/* A script's message handler is not asked about what ends the call. */
static int handle_message(lua_State *L)
{
    if (resource_of(L)->calls.stop != CALL_GOES_ON)
        return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    int nargs = lua_gettop(L) - 2;

    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle_message, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, true);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* function, handler, true, function, arguments */
    return finish_call(L, lua_pcallk(L, nargs, LUA_MULTRET, 2, 2, finish_call), 2);
}

/* ---- tables and memory */

static int base_setmetatable(lua_State *L)
{
    int type = lua_type(L, 2);

    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (type == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "there are no finalizers (__gc) in resources");
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

static int base_collectgarbage(lua_State *L)
{
    static const char *const options[] = { "collect", "count", "step", NULL };

    switch (luaL_checkoption(L, 1, "collect", options)) {
    case 0:
        (void)lua_gc(L, LUA_GCCOLLECT);
        lua_pushinteger(L, 0);
        break;
    case 1:
        lua_pushnumber(L, (lua_Number)resource_of(L)->memory.used / 1024);
        break;
    default:
        lua_pushboolean(L, lua_gc(L, LUA_GCSTEP, 0));
    }
    call_look(L);
    return 1;
}

/* ---- text */

static int base_print(lua_State *L)
{
    int count = lua_gettop(L);
    luaL_Buffer buffer;
    size_t size;
    const char *text;

    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&buffer, '\t');
        (void)luaL_tolstring(L, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    text = lua_tolstring(L, -1, &size);
    LOG(INFO, "resource_said", KV("resource", (const char *)resource_of(L)->name),
        KV("text", ((struct span){ .data = (const uint8_t *)text, .size = size })));
    return 0;
}

/* ---- code */

struct source {
    const char *rest;
    size_t size;
};

static const char *next_piece(lua_State *L, void *context, size_t *size)
{
    struct source *source = context;
    const char *piece = source->rest;

    call_look(L);
    *size = source->size < LIB_PIECE_SIZE ? source->size : LIB_PIECE_SIZE;
    source->rest += *size;
    source->size -= *size;
    return piece;
}

int lib_load(lua_State *L, const char *text, size_t size, const char *name)
{
    struct source source = { text, size };

    return lua_load(L, next_piece, &source, name, "t");
}

/* A reader function's pieces as one string. */
static int read_pieces(lua_State *L)
{
    luaL_Buffer buffer;
    size_t all = 0;

    luaL_buffinit(L, &buffer);
    for (;;) {
        size_t size = 0;

        lua_pushvalue(L, 1);
        lua_call(L, 0, 1);
        if (!lua_isnil(L, -1) && lua_isstring(L, -1) == 0)
            luaL_error(L, "reader function must return a string");
        (void)lua_tolstring(L, -1, &size);
        if (size == 0)
            break;
        all += size;
        call_spend(L, 1 + size);
        if (all > LIB_LOAD_MAX)
            luaL_error(L, "the chunk is too long");
        luaL_addvalue(&buffer);
    }
    lua_pop(L, 1);
    luaL_pushresult(&buffer);
    return 1;
}

static int refuse_chunk(lua_State *L, int status)
{
    call_pass_on(L, status);
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

static int base_load(lua_State *L)
{
    bool has_environment = !lua_isnone(L, 4);
    bool is_text = lua_isstring(L, 1) != 0;
    const char *name = luaL_optstring(L, 2, is_text ? lua_tostring(L, 1) : "=(load)");
    const char *text;
    size_t size;
    int status;

    if (!is_text)
        luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 4);
    lua_pushcfunction(L, read_pieces);
    lua_pushvalue(L, 1);
    status = is_text ? LUA_OK : lua_pcall(L, 1, 1, 0);
    if (status != LUA_OK)
        return refuse_chunk(L, status);
    text = lua_tolstring(L, -1, &size);
    if (size > LIB_LOAD_MAX) {
        lua_pushliteral(L, "the chunk is too long");
        return refuse_chunk(L, LUA_ERRSYNTAX);
    }
    call_spend(L, size);
    status = lib_load(L, text, size, name);
    if (status != LUA_OK)
        return refuse_chunk(L, status);
    if (has_environment) {
        lua_pushvalue(L, 4);
        if (lua_setupvalue(L, -2, 1) == NULL)
            lua_pop(L, 1);
    }
    return 1;
}

/* "a.b" is a/b.lua. False: no name of a module. */
static bool module_path(const char *name, char *path, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t length = strlen(name);

    if (length == 0 || length + sizeof ".lua" > size || strspn(name, allowed) != length)
        return false;
    for (size_t i = 0; i <= length; i++)
        path[i] = name[i] == '.' ? '/' : name[i];
    memcpy(path + length, ".lua", sizeof ".lua");
    return true;
}

/* Upvalue: a table of what the modules have given; `false` while one is loading. */
static int base_require(lua_State *L)
{
    size_t size;
    const char *name = luaL_checklstring(L, 1, &size);
    char path[128];

    if (strlen(name) != size || !module_path(name, path, sizeof path))
        return luaL_error(L, "'%s' is no name of a module", name);
    lua_settop(L, 1);
    if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) {
        if (lua_isboolean(L, -1) && lua_toboolean(L, -1) == 0)
            return luaL_error(L, "module '%s' requires itself", name);
        return 1;
    }
    sandbox_load_file(L, path);
    lua_pushboolean(L, false);
    lua_setfield(L, lua_upvalueindex(1), name);
    lua_pushvalue(L, 1);

    int status = lua_pcall(L, 1, 1, 0); /* no coroutine yields out of a module */

    if (status != LUA_OK) {
        call_pass_on(L, status);
        lua_pushnil(L);
        lua_setfield(L, lua_upvalueindex(1), name);
        return lua_error(L);
    }
    if (lua_isnil(L, -1) || (lua_isboolean(L, -1) && lua_toboolean(L, -1) == 0))
        lua_pushboolean(L, true);
    lua_pushvalue(L, -1);
    lua_setfield(L, lua_upvalueindex(1), name);
    return 1;
}

/* ---- what is Lua's, and charged by the size of its arguments */

/* Upvalue: the function. */
static int measured(lua_State *L)
{
    size_t steps = 4;

    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING)
            steps += (size_t)lua_rawlen(L, i) / 16;
    call_spend(L, steps);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void lib_measure(lua_State *L, const char *const *names)
{
    for (; *names != NULL; names++) {
        (void)lua_getfield(L, -1, *names);
        lua_pushcclosure(L, measured, 1);
        lua_setfield(L, -2, *names);
    }
}

void lib_keep(lua_State *L, const char *const *names)
{
    lua_newtable(L);
    for (const char *const *name = names; *name != NULL; name++) {
        (void)lua_getfield(L, -2, *name);
        lua_setfield(L, -2, *name);
    }
    lua_replace(L, -2);
}

void lib_check_results(lua_State *L, lua_Integer first, lua_Integer last)
{
    if (first <= last && (lua_Unsigned)last - (lua_Unsigned)first >= LIB_RESULTS_MAX)
        luaL_error(L, "too many results: %d is the most", LIB_RESULTS_MAX);
}

void lib_base_open(lua_State *L)
{
    static const char *const kept[] = { "assert",   "error",  "getmetatable", "ipairs", "next",   "pairs",
                                        "rawequal", "rawget", "rawlen",       "rawset", "select", "tonumber",
                                        "tostring", "type",   "_VERSION",     NULL };
    static const char *const charged[] = { "tonumber", NULL };
    static const luaL_Reg ours[] = {
        { "collectgarbage", base_collectgarbage },
        { "load", base_load },
        { "pcall", base_pcall },
        { "print", base_print },
        { "setmetatable", base_setmetatable },
        { "xpcall", base_xpcall },
        { NULL, NULL },
    };

    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    lib_keep(L, kept);
    lib_measure(L, charged);
    luaL_setfuncs(L, ours, 0);
    lua_newtable(L);
    lua_pushcclosure(L, base_require, 1);
    lua_setfield(L, -2, "require");
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, LUA_GNAME);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
