/* api.h - the gamemode API in a resource's Lua state.
 *
 * Where to read on: api_table.h (the functions as data), api_check.h (how a call is checked), then a noun:
 * api_resource.c, api_player.c, api_vehicle.c. */
#ifndef DLMP_SHARD_SCRIPT_API_H
#define DLMP_SHARD_SCRIPT_API_H

#include <lua5.4/lua.h>

#include "shard/event.h"

/* Makes the global `dlmp` and the metatables of players and vehicles. */
void api_open(lua_State *L);

/* Pushes an event's argument. */
void api_push_value(lua_State *L, const struct event_value *value);

#endif
