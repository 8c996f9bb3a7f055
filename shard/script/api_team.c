/* Teams of a gamemode, and who is in them. */
#include "common/text.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"
#include "shard/script/resource.h"
#include "shard/shard.h"

static int create_team(lua_State *L, struct shard *shard, const struct api_value *values)
{
    uint16_t team;
    enum reason refused = team_create(shard, resource_of(L)->name, (const char *)values[0].text.data, &team);

    if (refused != REASON_NONE)
        return api_answer(L, refused);
    api_push_team(L, team);
    return 1;
}

static int ask_name(lua_State *L, struct shard *shard, const struct api_value *values)
{
    lua_pushstring(L, team_get(shard, values[0].team)->name);
    return 1;
}

static int set_friendly_fire(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, team_set_friendly_fire(shard, values[0].team, values[1].boolean));
}

static int ask_team(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    if (values[0].player->team == TEAM_NONE)
        lua_pushnil(L);
    else
        api_push_team(L, values[0].player->team);
    return 1;
}

static int set_team(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      player_set_team(shard, values[0].player, values[1].given ? values[1].team : TEAM_NONE));
}

/* clang-format off */
static const struct api_function world_functions[] = {
    { "dlmp.create_team", create_team,
      .parameters = { API_A_TEXT("name", 1, GAME_TEAM_NAME_MAX, text_is_line) },
      .returns = "team", .about = "This resource's team with the name, which lives in the whole cluster; one "
                                  "that is there already is the same." },
};

static const struct api_function team_functions[] = {
    { "team:name", ask_name, .returns = "name", .about = "Its name." },
    { "team:set_friendly_fire", set_friendly_fire,
      .parameters = { API_A_BOOLEAN("on") },
      .returns = "true",
      .about = "Whether its members can hurt each other; they can until it is said otherwise. A setting of "
               "the whole cluster." },
};

static const struct api_function player_functions[] = {
    { "player:team", ask_team, .returns = "team or nil", .about = "The team it is in." },
    { "player:set_team", set_team,
      .parameters = { API_A_TEAM("team", .optional = true, .otherwise = "none") },
      .returns = "true", .about = "Puts it into the team." },
};
/* clang-format on */

const struct api_noun api_teams = {
    .prefix = "dlmp.",
    .title = "Teams",
    .about = "Players of a team whose friendly fire is off do not hurt each other.",
    .self = API_NONE,
    .functions = world_functions,
    .count = sizeof world_functions / sizeof world_functions[0],
};

const struct api_noun api_team = {
    .prefix = "team:",
    .title = "Teams: what is asked of them and set on them",
    .about = "Two `team` are equal for the same team.",
    .self = API_TEAM,
    .functions = team_functions,
    .count = sizeof team_functions / sizeof team_functions[0],
};

const struct api_noun api_player_team = {
    .prefix = "player:",
    .title = "Players: their team",
    .about = "A player is in one team at most.",
    .self = API_PLAYER,
    .functions = player_functions,
    .count = sizeof player_functions / sizeof player_functions[0],
};
