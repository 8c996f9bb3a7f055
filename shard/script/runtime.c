#include "shard/script/runtime.h"

#include <lua5.4/lauxlib.h>
#include <math.h>
#include <string.h>

#include "common/log.h"
#include "shard/script/state.h"

enum { TIMER_MS_MAX = 30 * 24 * 3600 * 1000U }; /* ours: 30 days */

static int refuse(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

static int answer_id(lua_State *L, uint32_t id, const char *why)
{
    if (id == 0)
        return refuse(L, why);
    lua_pushinteger(L, id);
    return 1;
}

int script_on(lua_State *L)
{
    size_t size;
    const char *name = luaL_checklstring(L, 1, &size);

    luaL_checktype(L, 2, LUA_TFUNCTION);
    if (size == 0 || size > LISTENERS_NAME_MAX || strlen(name) != size)
        return refuse(L, "an event's name has 1 to 64 bytes, none of them zero");
    lua_settop(L, 2);
    return answer_id(L, listeners_add(L, name), "too many handlers");
}

/* The id that stands at `index`. 0: it cannot be one. */
static uint32_t id_at(lua_State *L, int index)
{
    lua_Integer id;
    int is_whole;

    id = lua_tointegerx(L, index, &is_whole);
    return is_whole != 0 && id > 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

int script_off(lua_State *L)
{
    if (!listeners_remove(resource_of(L), id_at(L, 1)))
        return refuse(L, "no such handler");
    lua_pushboolean(L, true);
    return 1;
}

static int set_timer(lua_State *L, lua_Number least_ms, bool repeats)
{
    lua_Number ms = luaL_checknumber(L, 1);

    luaL_checktype(L, 2, LUA_TFUNCTION);
    if (!(ms >= least_ms && ms <= TIMER_MS_MAX)) /* NaN neither */
        return refuse(L, repeats ? "the time must be 1 ms to 30 days" : "the time must be 0 ms to 30 days");
    lua_settop(L, 2);
    uint64_t whole_ms = (uint64_t)ceil(ms);

    return answer_id(L, timers_add(L, whole_ms, repeats ? whole_ms : 0), "too many timers");
}

int script_after(lua_State *L)
{
    return set_timer(L, 0, false);
}

int script_every(lua_State *L)
{
    return set_timer(L, 1, true);
}

int script_cancel(lua_State *L)
{
    const struct resource *resource = resource_of(L);

    call_spend(L, resource->script->timers.count / 8);
    if (!timers_cancel(resource_of(L), id_at(L, 1)))
        return refuse(L, "no such timer");
    lua_pushboolean(L, true);
    return 1;
}

int script_now(lua_State *L)
{
    const struct script *script = resource_of(L)->script;

    lua_pushinteger(L, (lua_Integer)(script->shard->now_ms - script->started_at_ms));
    return 1;
}

int script_log(lua_State *L)
{
    static const char *const levels[] = { "debug", "info", "warn", "error", NULL };
    int level = luaL_checkoption(L, 1, NULL, levels);
    size_t size;
    const char *text = luaL_checklstring(L, 2, &size);
    const struct log_field fields[] = {
        KV("resource", (const char *)resource_of(L)->name),
        KV("text", ((struct span){ .data = (const uint8_t *)text, .size = size })),
    };

    if (log_wants((enum log_level)level))
        log_write((enum log_level)level, "resource_said", fields, sizeof fields / sizeof fields[0]);
    lua_pushboolean(L, true);
    return 1;
}
