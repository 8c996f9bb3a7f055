#include <lua5.4/lualib.h>

#include "shard/script/lib.h"
#include "shard/script/resource.h"

static lua_State *check_coroutine(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);

    luaL_argexpected(L, co != NULL, 1, "thread");
    return co;
}

/* Runs it with the `nargs` values on top. The number of results, now on top; -1: the message is. */
static int run(lua_State *L, lua_State *co, int nargs)
{
    struct resource *resource = resource_of(L);
    int count;
    int status;

    if (lua_checkstack(co, nargs) == 0) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, nargs);
    resource->L = co;
    status = lua_resume(co, L, nargs, &count);
    resource->L = L;
    if (status != LUA_OK && status != LUA_YIELD) {
        call_pass_on(L, status);
        lua_xmove(co, L, 1);
        return -1;
    }
    if (lua_checkstack(L, count + 1) == 0) {
        lua_pop(co, count);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, count);
    return count;
}

/* Ends it: its variables are closed. Lua 5.4.4 does not count these calls of C within each other. */
static int end(lua_State *L, lua_State *co)
{
    struct resource *resource = resource_of(L);
    int status;

    if (resource->calls.c_depth == LIB_CLOSE_DEPTH_MAX)
        return luaL_error(L, "too many coroutines closed within each other");
    resource->calls.c_depth++;
    resource->L = co;
    status = lua_resetthread(co);
    resource->L = L;
    resource->calls.c_depth--;
    if (status != LUA_OK)
        call_pass_on(L, status);
    return status;
}

static int coroutine_resume(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    int count = run(L, co, lua_gettop(L) - 1);

    lua_pushboolean(L, count >= 0);
    if (count < 0)
        count = 1;
    lua_insert(L, -count - 1);
    return count + 1;
}

/* Upvalue: the coroutine. */
static int resume_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int count = run(L, co, lua_gettop(L));
    int status;

    if (count >= 0)
        return count;
    status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) {
        (void)end(L, co);
        lua_xmove(co, L, 1);
    }
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int coroutine_wrap(lua_State *L)
{
    lua_State *co;

    luaL_checktype(L, 1, LUA_TFUNCTION);
    co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, resume_wrapped, 1);
    return 1;
}

/* Dead or suspended, as the manual has it. */
static bool can_be_closed(const lua_State *L, lua_State *co)
{
    lua_Debug at;

    return co != L && (lua_status(co) != LUA_OK || lua_getstack(co, 0, &at) == 0);
}

static int coroutine_close(lua_State *L)
{
    lua_State *co = check_coroutine(L);

    if (!can_be_closed(L, co))
        return luaL_error(L, "cannot close a coroutine that runs");
    if (end(L, co) == LUA_OK) {
        lua_pushboolean(L, true);
        return 1;
    }
    lua_pushboolean(L, false);
    lua_xmove(co, L, 1);
    return 2;
}

void lib_coroutine_open(lua_State *L)
{
    static const char *const kept[] = { "create", "isyieldable", "running", "status", "yield", NULL };
    static const luaL_Reg ours[] = { { "close", coroutine_close },
                                     { "resume", coroutine_resume },
                                     { "wrap", coroutine_wrap },
                                     { NULL, NULL } };

    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 0);
    lib_keep(L, kept);
    luaL_setfuncs(L, ours, 0);
    lua_setglobal(L, LUA_COLIBNAME);
}
