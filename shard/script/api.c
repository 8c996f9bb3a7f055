#include "shard/script/api.h"

#include <string.h>

#include "shard/script/api_check.h"
#include "shard/script/api_object.h"

void api_open(lua_State *L)
{
    api_object_open(L);
    lua_newtable(L);
    for (size_t n = 0; n < api_nouns_count; n++) {
        const struct api_noun *noun = api_nouns[n];

        for (size_t i = 0; noun->self == API_NONE && i < noun->count; i++) {
            api_push_function(L, noun, &noun->functions[i]);
            lua_setfield(L, -2, noun->functions[i].name + strlen(noun->prefix));
        }
    }
    lua_setglobal(L, "dlmp");
}

void api_push_value(lua_State *L, const struct event_value *value)
{
    switch (value->kind) {
    case EVENT_NIL:
        lua_pushnil(L);
        break;
    case EVENT_PLAYER:
        api_push_player(L, (struct player_ref){ value->player.id, value->player.token });
        break;
    case EVENT_VEHICLE:
        api_push_vehicle(L, value->vehicle);
        break;
    case EVENT_BOOLEAN:
        lua_pushboolean(L, value->boolean);
        break;
    case EVENT_INTEGER:
        lua_pushinteger(L, value->integer);
        break;
    case EVENT_NUMBER:
        lua_pushnumber(L, value->number);
        break;
    case EVENT_TEXT:
        lua_pushstring(L, value->text);
        break;
    }
}
