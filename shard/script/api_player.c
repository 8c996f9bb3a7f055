/* What a gamemode asks of a player. */
#include "shard/player_set.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"

/* ---- questions ---- */

static int ask_id(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->ref.id);
}

static int ask_token(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->ref.token);
}

static int ask_name(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    lua_pushstring(L, values[0].player->name);
    return 1;
}

static int ask_ping(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->rtt_ms);
}

static int ask_position(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_numbers(L, values[0].player->place.pos, 3);
}

static int ask_heading(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_number(L, (double)values[0].player->place.heading);
}

static int ask_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    float velocity[3];

    (void)shard;
    player_velocity(values[0].player, velocity);
    return api_answer_numbers(L, velocity, 3);
}

static int ask_virtual_world(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->place.scope.virtual_world);
}

static int ask_interior(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->place.scope.interior);
}

static int ask_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle *vehicle = player_vehicle(shard, values[0].player);
    uint8_t seat = values[0].player->seat;

    if (vehicle == NULL)
        return api_answer_vehicle(L, NULL);
    return api_answer_vehicle(L, vehicle) + api_answer_integer(L, seat);
}

static int ask_alive(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, player_is_alive(values[0].player));
}

static int ask_spawned(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].player->framed);
}

static int ask_paused(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].player->paused);
}

static int ask_frozen(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].player->frozen);
}

static int ask_ip(lua_State *L, struct shard *shard, const struct api_value *values)
{
    char text[ADDRESS_TEXT_SIZE];

    (void)shard;
    lua_pushstring(L, player_ip(values[0].player, text));
    return 1;
}

static int ask_weapon(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, player_weapon(values[0].player));
}

static int ask_account(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct player_account *account = &values[0].player->account;

    (void)shard;
    if (account->id == 0)
        return api_answer_player(L, NULL);
    (void)api_answer_integer(L, (int64_t)account->id);
    lua_pushstring(L, account->name);
    return 2;
}

static int ask_skin(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->set.skin);
}

static int ask_money(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->set.money);
}

static int ask_wanted(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].player->set.wanted);
}

static int ask_skill(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, player_skill(values[0].player, values[1].integer));
}

/* clang-format off */
static const struct api_function functions[] = {
    { "player:id", ask_id, .returns = "id",
      .about = "Its number, as the player list shows it. It is given to somebody else once the player has "
               "left." },
    { "player:token", ask_token, .returns = "token",
      .about = "The number of this connection, never used again: with the id it names the player for good." },
    { "player:name", ask_name, .returns = "name", .about = "The name it joined with." },
    { "player:ping", ask_ping, .returns = "ms", .about = "The round trip to its client." },
    { "player:position", ask_position, .returns = "x, y, z", .about = "Where it is, in m." },
    { "player:heading", ask_heading, .returns = "degrees",
      .about = "Where it faces, counter-clockwise from north." },
    { "player:velocity", ask_velocity, .returns = "x, y, z", .about = "How it moves, in m/s." },
    { "player:virtual_world", ask_virtual_world, .returns = "virtual_world",
      .about = "The virtual world it is in." },
    { "player:interior", ask_interior, .returns = "interior", .about = "The interior it is in; 0 is "
        "outside." },
    { "player:vehicle", ask_vehicle, .returns = "vehicle, seat",
      .about = "What it sits in; nil on foot. Seat 0 is the driver's." },
    { "player:is_alive", ask_alive, .returns = "boolean", .about = "Whether it has spawned and has not died "
                                                                   "since." },
    { "player:is_spawned", ask_spawned, .returns = "boolean",
      .about = "Whether it has spawned in this life, be it dead or alive." },
    { "player:is_paused", ask_paused, .returns = "boolean", .about = "Whether its game is paused." },
    { "player:is_frozen", ask_frozen, .returns = "boolean", .about = "Whether `set_frozen` holds it." },
    { "player:skin", ask_skin, .returns = "skin", .about = "The model of its character." },
    { "player:account", ask_account, .returns = "id, name", .about = "The account that it has proven; nil if "
                                                                     "none." },
    { "player:ip", ask_ip, .returns = "address", .about = "Where its client connects from." },
    { "player:weapon", ask_weapon, .returns = "weapon", .about = "What it holds; 0 are bare hands." },
    { "player:money", ask_money, .returns = "money", .about = "What its screen shows." },
    { "player:wanted", ask_wanted, .returns = "level", .about = "The stars that its screen shows." },
    { "player:skill", ask_skill,
      .parameters = { API_A_INTEGER("weapon", PLAYER_SKILL_FIRST, PLAYER_SKILL_FIRST + PLAYER_SKILLS - 1) },
      .returns = "level", .about = "How well it handles the weapon, 0 to 1000." },
};
/* clang-format on */

const struct api_noun api_player = {
    .prefix = "player:",
    .title = "Players: questions",
    .about =
        "A `player` is the player of one connection: two of them are equal for the same connection, and may "
        "be "
        "keys of tables. Once the player has left, every function answers `nil, \"player has left\"`.",
    .self = API_PLAYER,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
