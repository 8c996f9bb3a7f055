/* api_object.h - players, vehicles and teams as Lua sees them.
 *
 * A handle holds a name, never a pointer: the id and token of a player, the id of a vehicle, the
 * number of a team. Each is made
 * once and kept in a weak table, so two handles of the same thing are the same Lua value and may be keys of
 * tables. */
#ifndef DLMP_SHARD_SCRIPT_API_OBJECT_H
#define DLMP_SHARD_SCRIPT_API_OBJECT_H

#include <lua5.4/lua.h>

#include "shard/script/api_table.h"
#include "shard/world.h"

/* Makes the metatables, with the methods of the nouns. */
void api_object_open(lua_State *L);

void api_push_player(lua_State *L, struct player_ref ref);
void api_push_vehicle(lua_State *L, uint32_t id);
void api_push_team(lua_State *L, uint16_t team);

/* What the handle names; NULL: the value is no such handle. */
const struct player_ref *api_player_ref(lua_State *L, int index);
const uint32_t *api_vehicle_id(lua_State *L, int index);
const uint16_t *api_team_number(lua_State *L, int index);

#endif
