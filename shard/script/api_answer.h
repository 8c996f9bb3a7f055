/* api_answer.h - what a function of the gamemode API hands back.
 *
 * Each returns the number of results, as a C function of Lua does. */
#ifndef DLMP_SHARD_SCRIPT_API_ANSWER_H
#define DLMP_SHARD_SCRIPT_API_ANSWER_H

#include <lua5.4/lua.h>

#include "common/reason.h"
#include "shard/world.h"

struct shard;

int api_answer(lua_State *L, enum reason reason); /* true; or nil and the sentence */
/* Likewise of what was to be in the scope: of another shard's the answer names the shard. */
int api_answer_scope(lua_State *L, const struct shard *shard, enum reason reason, struct scope scope);
int api_refuse(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));

int api_answer_player(lua_State *L, const struct player *player);    /* NULL: nil */
int api_answer_vehicle(lua_State *L, const struct vehicle *vehicle); /* likewise */
int api_answer_boolean(lua_State *L, bool boolean);
int api_answer_integer(lua_State *L, int64_t integer);
int api_answer_number(lua_State *L, double number);
int api_answer_numbers(lua_State *L, const float *numbers, int count);

#endif
