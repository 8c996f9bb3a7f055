#include "shard/script/api_answer.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <stdarg.h>
#include <stdio.h>

#include "shard/ownership.h"
#include "shard/script/api_object.h"

/* A reason without a sentence is one that no function of the API answers with: it goes by its name. */
/* "the vehicle is wrecked": what a script is told. */
static const char *reason_sentence(enum reason reason)
{
    static const char *const sentences[REASON_COUNT] = {
        [REASON_TABLE_FULL] = "there is no room for more of it",
        [REASON_NOT_SPAWNED] = "the player has not spawned",
        [REASON_OUT_OF_BOUNDS] = "a value is out of its range",
        [REASON_ALREADY_SPAWNED] = "the player has spawned already",
        [REASON_NOT_DEAD] = "the player is alive",
        [REASON_OTHER_SHARD] = "the scope is on another shard",
        [REASON_NO_VEHICLE] = "there is no such vehicle",
        [REASON_NOT_STREAMED] = "the vehicle is not shown to the player",
        [REASON_OTHER_SCOPE] = "it is in another virtual world or interior",
        [REASON_NOT_ALIVE] = "the player is not alive",
        [REASON_OUT_OF_RANGE] = "it is too far away",
        [REASON_NO_SEAT] = "the model has no such seat",
        [REASON_SEAT_TAKEN] = "the seat is taken",
        [REASON_SEATED_ELSEWHERE] = "the player sits in another vehicle",
        [REASON_FROZEN] = "it is frozen",
        [REASON_WRECKED] = "the vehicle is a wreck",
        [REASON_HANDLER] = "a handler has refused it",
        [REASON_WRONG_MODEL] = "it is not for vehicles of that model",
        [REASON_NO_SIREN] = "the vehicle has no siren",
        [REASON_NO_COMPONENT] = "there is no such part, or not on this vehicle",
        [REASON_NO_MEMORY] = "there is no memory for more of it",
        [REASON_LOCKED] = "the vehicle is locked",
        [REASON_DERAILED] = "the train is off its rails",
        [REASON_NO_MODEL] = "no vehicle can be made of the model",
        [REASON_NO_IDS] = "the shard has just used up its ids: try again in a moment",
        [REASON_SEAT_NOT_HELD] = "the player sits in no vehicle",
        [REASON_DRIVEN] = "somebody drives it",
        [REASON_HANGS] = "it hangs on another vehicle",
        [REASON_TOWS] = "it tows another one already",
        [REASON_CHAIN_LOOP] = "the two would tow each other",
        [REASON_CHAIN_LONG] = "no more than four vehicles are towed",
        [REASON_NO_PAIR] = "the game does not hitch these models",
        [REASON_NO_WINCH] = "it has no winch",
        [REASON_MAGNET] = "the winch does not take the model",
        [REASON_OCCUPIED] = "somebody sits in it",
        [REASON_HITCHED] = "it is hitched",
        [REASON_CARRIES] = "it carries another one already",
        [REASON_NOT_RC] = "it has no remote control",
        [REASON_NOT_ON_FOOT] = "the player does not stand on foot",
        [REASON_DRIVES_RC] = "the player steers another one already",
        [REASON_NOT_DRIVING] = "the player steers none",
        [REASON_NOT_TRAIN] = "it is no train",
        [REASON_NO_WEAPON] = "the weapon has no such setting",
        [REASON_NO_TIER] = "the weapon does not have it at this tier",
        [REASON_NO_PROPERTY] = "there is no such property",
        [REASON_LOOP_BACKWARDS] = "the loop of firing would end before it starts",
        [REASON_BAD_NAME] = "the name is empty, too long, or has characters that it may not have",
        [REASON_TOO_LARGE] = "it is too large",
        [REASON_NO_TEAM] = "there is no such team",
        [REASON_EMPTY_LINE] = "nothing is left of the text",
        [REASON_MUTED] = "the player is muted",
        [REASON_BAD_TEXT] = "the text is not UTF-8, or has control characters",
        [REASON_TEXT_TOO_LONG] = "the text is too long",
    };

    assert(reason > REASON_NONE && reason < REASON_COUNT);
    return sentences[reason] != NULL ? sentences[reason] : reason_name(reason);
}

int api_answer(lua_State *L, enum reason reason)
{
    if (reason != REASON_NONE)
        return api_refuse(L, "%s", reason_sentence(reason));
    lua_pushboolean(L, 1);
    return 1;
}

int api_answer_scope(lua_State *L, const struct shard *shard, enum reason reason, struct scope scope)
{
    if (reason == REASON_OTHER_SHARD)
        return api_refuse(L, "scope is on %s", ownership_shard(shard, scope));
    return api_answer(L, reason);
}

int api_refuse(lua_State *L, const char *format, ...)
{
    char message[API_WORDS_SIZE + 128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    lua_pushnil(L);
    lua_pushstring(L, message);
    return 2;
}

int api_answer_player(lua_State *L, const struct player *player)
{
    if (player == NULL)
        lua_pushnil(L);
    else
        api_push_player(L, player->ref);
    return 1;
}

int api_answer_vehicle(lua_State *L, const struct vehicle *vehicle)
{
    if (vehicle == NULL)
        lua_pushnil(L);
    else
        api_push_vehicle(L, vehicle->id);
    return 1;
}

int api_answer_boolean(lua_State *L, bool boolean)
{
    lua_pushboolean(L, boolean);
    return 1;
}

int api_answer_integer(lua_State *L, int64_t integer)
{
    lua_pushinteger(L, integer);
    return 1;
}

int api_answer_number(lua_State *L, double number)
{
    lua_pushnumber(L, number);
    return 1;
}

int api_answer_numbers(lua_State *L, const float *numbers, int count)
{
    luaL_checkstack(L, count, "numbers");
    for (int i = 0; i < count; i++)
        lua_pushnumber(L, (double)numbers[i]);
    return count;
}
