#include "shard/script/api_object.h"

#include <lua5.4/lauxlib.h>
#include <string.h>

#include "shard/script/api_check.h"
#include "shard/script/resource.h"
#include "shard/shard.h"

/* A kind of handle. Its name is that of its metatable, and its address is where the registry has the
 * weak table of its handles. */
struct kind {
    enum api_kind kind;
    const char *name;
    size_t size; /* of what names the thing */
    lua_CFunction to_text;
};

static int player_to_text(lua_State *L)
{
    const struct player_ref *ref = luaL_checkudata(L, 1, "player");

    lua_pushfstring(L, "player %I", (lua_Integer)ref->id);
    return 1;
}

static int vehicle_to_text(lua_State *L)
{
    const uint32_t *id = luaL_checkudata(L, 1, "vehicle");

    lua_pushfstring(L, "vehicle %I", (lua_Integer)*id);
    return 1;
}

static int team_to_text(lua_State *L)
{
    const uint16_t *team = luaL_checkudata(L, 1, "team");

    lua_pushfstring(L, "team %s", team_get(resource_shard(L), *team)->name);
    return 1;
}

static const struct kind player_kind = { API_PLAYER, "player", sizeof(struct player_ref), player_to_text };
static const struct kind vehicle_kind = { API_VEHICLE, "vehicle", sizeof(uint32_t), vehicle_to_text };
static const struct kind team_kind = { API_TEAM, "team", sizeof(uint16_t), team_to_text };

static void push_methods(lua_State *L, enum api_kind self)
{
    lua_newtable(L);
    for (size_t n = 0; n < api_nouns_count; n++) {
        const struct api_noun *noun = api_nouns[n];

        for (size_t i = 0; noun->self == self && i < noun->count; i++) {
            api_push_function(L, noun, &noun->functions[i]);
            lua_setfield(L, -2, noun->functions[i].name + strlen(noun->prefix));
        }
    }
}

static void make_kind(lua_State *L, const struct kind *kind)
{
    luaL_newmetatable(L, kind->name);
    lua_pushcfunction(L, kind->to_text);
    lua_setfield(L, -2, "__tostring");
    lua_pushstring(L, kind->name); /* so that a script can neither read nor change the metatable */
    lua_setfield(L, -2, "__metatable");
    push_methods(L, kind->kind);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);

    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, kind);
}

void api_object_open(lua_State *L)
{
    make_kind(L, &player_kind);
    make_kind(L, &vehicle_kind);
    make_kind(L, &team_kind);
}

/* Pushes the one handle with the key; made anew, it holds what names the thing. */
static void push_handle(lua_State *L, const struct kind *kind, uint64_t key, const void *name)
{
    luaL_checkstack(L, 4, "a handle");
    lua_rawgetp(L, LUA_REGISTRYINDEX, kind);
    if (lua_rawgeti(L, -1, (lua_Integer)key) == LUA_TNIL) {
        lua_pop(L, 1);
        memcpy(lua_newuserdatauv(L, kind->size, 0), name, kind->size);
        luaL_setmetatable(L, kind->name);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, (lua_Integer)key);
    }
    lua_remove(L, -2);
}

void api_push_player(lua_State *L, struct player_ref ref)
{
    push_handle(L, &player_kind, (uint64_t)ref.token << 32 | ref.id, &ref);
}

void api_push_vehicle(lua_State *L, uint32_t id)
{
    push_handle(L, &vehicle_kind, id, &id);
}

void api_push_team(lua_State *L, uint16_t team)
{
    push_handle(L, &team_kind, team, &team);
}

const struct player_ref *api_player_ref(lua_State *L, int index)
{
    return luaL_testudata(L, index, player_kind.name);
}

const uint32_t *api_vehicle_id(lua_State *L, int index)
{
    return luaL_testudata(L, index, vehicle_kind.name);
}

const uint16_t *api_team_number(lua_State *L, int index)
{
    return luaL_testudata(L, index, team_kind.name);
}
