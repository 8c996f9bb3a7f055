/* Where a gamemode puts a player, and what it tells one. */
#include "common/text.h"
#include "shard/ask.h"
#include "shard/chat.h"
#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/script/resource.h"

/* The place that six values of a table make of one that there is: what is left out stays. In the order x, y,
 * z, heading, virtual_world, interior. */
static struct place change_place(struct place place, const struct api_value *values)
{
    for (size_t i = 0; i < 3; i++)
        if (values[i].given)
            place.pos[i] = (float)values[i].number;
    if (values[3].given)
        place.heading = (float)values[3].number;
    if (values[4].given)
        place.scope.virtual_world = (uint32_t)values[4].integer;
    if (values[5].given)
        place.scope.interior = (uint8_t)values[5].integer;
    return place;
}

static int set_spawn_info(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct spawn_info info = player_spawn_info(values[0].player);

    info.place = change_place(info.place, &values[2]);
    if (values[8].given)
        info.skin = (uint16_t)values[8].integer;
    return api_answer_scope(L, shard, player_set_spawn_info(shard, values[0].player, &info),
                            info.place.scope);
}

static int spawn(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct spawn_info info = player_spawn_info(values[0].player);

    return api_answer_scope(L, shard, player_spawn(shard, values[0].player), info.place.scope);
}

static int teleport(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct place to = change_place(values[0].player->place, &values[2]);

    return api_answer_scope(L, shard, player_teleport(shard, values[0].player, shard->now_ms, &to), to.scope);
}

static int set_scope(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct scope scope = { .virtual_world = (uint32_t)values[1].integer,
                                 .interior = (uint8_t)values[2].integer };

    return api_answer_scope(L, shard, player_set_scope(shard, values[0].player, scope), scope);
}

static int message(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      player_message(shard, values[0].player, values[1].text, (uint32_t)values[2].integer));
}

static int kick(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      player_kick(shard, values[0].player, KICK_KICKED, (const char *)values[1].text.data));
}

static int ban(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_ban(shard, resource_of(L)->name, values[0].player,
                                    (const char *)values[1].text.data, (uint64_t)values[2].integer));
}

/* clang-format off */
#define PRESENT .optional = true, .otherwise = "its present value"
#define AS_SET .optional = true, .otherwise = "the value it has"

static const struct api_parameter teleport_fields[] = {
    API_POSITION(PRESENT), API_HEADING(PRESENT), API_SCOPE(PRESENT), { 0 },
};

static const struct api_parameter spawn_fields[] = {
    API_POSITION(AS_SET), API_HEADING(AS_SET), API_SCOPE(AS_SET),
    API_A_INTEGER("skin", 0, PLAYER_SKIN_MAX, AS_SET), { 0 },
};

static const struct api_function functions[] = {
    { "player:set_spawn_info", set_spawn_info,
      .parameters = { API_A_TABLE("info", spawn_fields) },
      .returns = "true",
      .about = "Where its next lives begin, and as whom. A scope of another shard is taken, but "
               "no life begins "
               "there: `spawn` refuses, and so does the server when the player asks." },
    { "player:spawn", spawn, .returns = "true",
      .about = "Grants it a life at once, whatever it does.", .refusals = "a spawn in a scope of another "
          "shard" },
    { "player:teleport", teleport,
      .parameters = { API_A_TABLE("place", teleport_fields) },
      .returns = "true", .about = "Puts it there. One who sits in a vehicle leaves its seat first.",
      .refusals = "a player who has not spawned, a scope of another shard" },
    { "player:set_scope", set_scope,
      .parameters = { API_SCOPE() },
      .returns = "true", .about = "Puts it at the same position of another virtual world or interior.",
      .refusals = "a player who has not spawned, a scope of another shard" },
    { "player:message", message,
      .parameters = { API_A_TEXT("text", 1, CHAT_MESSAGE_TOTAL_MAX, text_is_line),
                      API_COLOR("color", .optional = true, .preset = CHAT_WHITE) },
      .returns = "true",
      .about = "Shows it a line in the chat box; a long one is split at spaces. `{RRGGBB}` in the text "
               "colors what follows." },
    { "player:kick", kick,
      .parameters = { API_A_TEXT("reason", 1, ASK_KICK_TEXT_MAX, text_is_line) },
      .returns = "true",
      .about = "Sends it away, once it has been told why. It is there until its gateway has done so: "
               "`player_disconnect` says when." },
    { "player:ban", ban,
      .parameters = { API_A_TEXT("reason", 1, ASK_KICK_TEXT_MAX, text_is_line),
                      API_A_INTEGER("seconds", 1, (double)GAME_BAN_SECONDS_MAX, .unit = "s", .optional = true,
                        .otherwise = "for good") },
      .returns = "true",
      .about = "Sends it away, and lets its address, its name and, if it has one, its account in no more.",
      .asks = true },
};
/* clang-format on */

const struct api_noun api_player_place = {
    .prefix = "player:",
    .title = "Players: where they are put, and what they are told",
    .about =
        "A place is in the world: x and y -6000 to 6000, z -200 to 4000. A virtual world and an interior "
        "together are "
        "a scope; players see only what is in their own.",
    .self = API_PLAYER,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
