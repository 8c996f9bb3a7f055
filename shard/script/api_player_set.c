/* What a gamemode does with a player. */
#include "common/text.h"
#include "shard/player_set.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"

/* ---- what it is, has and does ---- */

static int set_skin(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_skin(shard, values[0].player, values[1].integer));
}

static int set_skill(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_skill(shard, values[0].player, values[1].integer, values[2].integer));
}

static int set_money(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_money(shard, values[0].player, values[1].integer));
}

static int set_wanted(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_wanted(shard, values[0].player, values[1].integer));
}

static int set_walking_style(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_walking_style(shard, values[0].player, values[1].integer));
}

static int set_fighting_style(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_fighting_style(shard, values[0].player, values[1].integer));
}

static int set_headless(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_headless(shard, values[0].player, values[1].boolean));
}

static int set_on_fire(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_on_fire(shard, values[0].player, values[1].boolean));
}

static int set_special_action(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_special_action(shard, values[0].player, values[1].integer));
}

static int set_frozen(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_frozen(shard, values[0].player, values[1].boolean));
}

static int set_gravity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_gravity(shard, values[0].player, (float)values[1].number));
}

static int set_drunk_level(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_drunk_level(shard, values[0].player, values[1].integer));
}

static int set_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const float velocity[3] = { (float)values[1].number, (float)values[2].number, (float)values[3].number };

    return api_answer(L, player_set_velocity(shard, values[0].player, velocity));
}

static int set_muted(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_muted(shard, values[0].player, values[1].boolean));
}

/* The entries are in the order of Lua's table: it does not matter, each stat is there once. */
static int set_stats(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct wire_player_stat stats[PLAYER_STATS_AT_ONCE];
    size_t count = 0;

    lua_pushnil(L);
    while (lua_next(L, values[1].index) != 0) {
        stats[count++] = (struct wire_player_stat){ .stat = (uint16_t)lua_tointeger(L, -2),
                                                    .value = (float)lua_tonumber(L, -1) };
        lua_pop(L, 1);
    }
    return api_answer(L, player_set_stats(shard, values[0].player, stats, count));
}

static int set_world_bounds(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct world_bounds bounds = { .min_x = (float)values[1].number,
                                         .min_y = (float)values[2].number,
                                         .max_x = (float)values[3].number,
                                         .max_y = (float)values[4].number };
    int given = values[1].given + values[2].given + values[3].given + values[4].given;

    if (given != 0 && given != 4)
        return api_refuse(L, "all four bounds must be given, or none");
    return api_answer(L, player_set_world_bounds(shard, values[0].player, given == 0 ? NULL : &bounds));
}

static int set_camera(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct player_camera camera = {
        .pos = { (float)values[2].number, (float)values[3].number, (float)values[4].number },
        .target = { (float)values[5].number, (float)values[6].number, (float)values[7].number },
        .move_ms = (uint32_t)values[8].integer,
    };

    return api_answer(L, player_set_camera(shard, values[0].player, values[1].given ? &camera : NULL));
}

/* ---- animations ---- */

static int apply_animation(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct animation_request request = {
        .library = values[2].text,
        .name = values[3].text,
        .speed = (float)values[4].number,
        .loop = values[5].boolean,
        .keep_x = values[6].boolean,
        .keep_y = values[7].boolean,
        .freeze = values[8].boolean,
        .time_ms = values[9].integer,
    };

    return api_answer(L, player_apply_animation(shard, values[0].player, &request));
}

static int clear_animations(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_clear_animations(shard, values[0].player));
}

static int set_animation_progress(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_animation_progress(shard, values[0].player, (float)values[1].number));
}

static int set_animation_speed(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, player_set_animation_speed(shard, values[0].player, (float)values[1].number));
}

/* clang-format off */
static const struct api_parameter camera_fields[] = {
    API_POSITION(),
    API_A_NUMBER("target_x", -WORLD_XY_MAX, WORLD_XY_MAX, .unit = "m"),
    API_A_NUMBER("target_y", -WORLD_XY_MAX, WORLD_XY_MAX, .unit = "m"),
    API_A_NUMBER("target_z", WORLD_Z_MIN, WORLD_Z_MAX, .unit = "m"),
    API_A_INTEGER("move_ms", 0, 600000, .unit = "ms", .optional = true),
    { 0 },
};

static const struct api_parameter animation_fields[] = {
    API_A_TEXT("library", 1, ANIMATION_LIBRARY_MAX, text_is_line),
    API_A_TEXT("name", 1, ANIMATION_NAME_MAX, text_is_line),
    API_A_NUMBER("speed", 0, 10, .optional = true, .preset = 4),
    API_A_BOOLEAN("loop", .optional = true),
    API_A_BOOLEAN("keep_x", .optional = true),
    API_A_BOOLEAN("keep_y", .optional = true),
    API_A_BOOLEAN("freeze", .optional = true),
    API_A_INTEGER("time_ms", 0, 3600000, .unit = "ms", .optional = true),
    { 0 },
};

static const struct api_parameter stat_pair[] = {
    API_A_INTEGER("stat", 0, PLAYER_STATS - 1),
    API_A_NUMBER("value", -1000000, 1000000),
};

/* Player: SetVelocity, 4 units per physics step. */
#define VELOCITY(name) API_A_NUMBER(name, -200, 200, .unit = "m/s")
#define BOUND(name) \
    API_A_NUMBER(name, -WORLD_XY_MAX, WORLD_XY_MAX, .unit = "m", .optional = true, .otherwise = "no bounds")

static const struct api_function functions[] = {
    { "player:set_skin", set_skin,
      .parameters = { API_A_INTEGER("skin", 0, 311) },
      .returns = "true", .about = "Changes its character at once, and for its next lives." },
    { "player:set_skill", set_skill,
      .parameters = { API_A_INTEGER("weapon", PLAYER_SKILL_FIRST, PLAYER_SKILL_FIRST + PLAYER_SKILLS - 1),
                      API_A_INTEGER("level", 0, 1000) },
      .returns = "true", .about = "How well it handles the weapon; 999 if nothing else was set." },
    { "player:set_money", set_money,
      .parameters = { API_A_INTEGER("money", -2147483648.0, 2147483647.0) },
      .returns = "true", .about = "The amount that its screen shows." },
    { "player:set_wanted", set_wanted,
      .parameters = { API_A_INTEGER("level", 0, 6) },
      .returns = "true", .about = "The stars that its screen shows." },
    { "player:set_frozen", set_frozen,
      .parameters = { API_A_BOOLEAN("frozen") },
      .returns = "true", .about = "Holds it where it is. Its shots, throws, entries and switches are ignored "
                                  "meanwhile." },
    { "player:set_velocity", set_velocity,
      .parameters = { VELOCITY("x"), VELOCITY("y"), VELOCITY("z") },
      .returns = "true", .about = "Pushes it, once." },
    { "player:apply_animation", apply_animation,
      .parameters = { API_A_TABLE("animation", animation_fields) },
      .returns = "true",
      .about = "Plays an animation of the game; with `time_ms` 0 until it ends, with `loop` until it is "
               "cleared." },
    { "player:clear_animations", clear_animations, .returns = "true", .about = "Ends what it plays." },
    { "player:set_animation_progress", set_animation_progress,
      .parameters = { API_A_NUMBER("progress", 0, 1) },
      .returns = "true", .about = "Moves the animation to there, 0 being its beginning and 1 its end." },
    { "player:set_animation_speed", set_animation_speed,
      .parameters = { API_A_NUMBER("speed", 0, 10) },
      .returns = "true", .about = "How fast the animation goes; 0 holds it." },
    { "player:set_walking_style", set_walking_style,
      .parameters = { API_A_INTEGER("style", 0, 138) },
      .returns = "true", .about = "How it walks; 0 is its character's own way." },
    { "player:set_fighting_style", set_fighting_style,
      .parameters = { API_A_INTEGER("style", 4, 16) },
      .returns = "true", .about = "How it fights with bare hands: 4 normal, 5 boxing, 6 kung fu, 7 knee "
                                  "head, 15 grab and kick, 16 elbows.",
      .refusals = "any other style" },
    { "player:set_headless", set_headless,
      .parameters = { API_A_BOOLEAN("headless") },
      .returns = "true", .about = "Whether its character has no head." },
    { "player:set_special_action", set_special_action,
      .parameters = { API_A_INTEGER("action", 0, 25) },
      .returns = "true", .about = "0 none, 1 jetpack, 2 hands up, 3 phone, 4 carry, 5 parachute, 6 to 25 the "
                                  "gamemode's own." },
    { "player:set_on_fire", set_on_fire,
      .parameters = { API_A_BOOLEAN("on_fire") },
      .returns = "true", .about = "Sets it on fire, or puts it out." },
    { "player:set_gravity", set_gravity,
      .parameters = { API_A_NUMBER("gravity", -0.1, 0.1) },
      .returns = "true", .about = "What pulls it down, in m for each 1/50 s squared; the game's own is "
                                  "0.008." },
    { "player:set_drunk_level", set_drunk_level,
      .parameters = { API_A_INTEGER("level", 0, 50000) },
      .returns = "true", .about = "How much its view sways." },
    { "player:set_stats", set_stats,
      .parameters = { API_A_PAIRS("stats", 1, PLAYER_STATS_AT_ONCE, stat_pair) },
      .returns = "true", .about = "The game's own numbers of a player, such as 21 (fat) and 23 (muscle); "
                                  "those left out stay." },
    { "player:set_world_bounds", set_world_bounds,
      .parameters = { BOUND("min_x"), BOUND("min_y"), BOUND("max_x"), BOUND("max_y") },
      .returns = "true", .about = "Keeps it within a rectangle.",
      .refusals = "some of the four without the others; a rectangle without an inside" },
    { "player:set_camera", set_camera,
      .parameters = { API_A_TABLE("camera", camera_fields, .optional = true) },
      .returns = "true", .about = "Puts its camera there, looking at the target; nil gives it back. "
                                  "`move_ms` is how long it travels." },
    { "player:set_muted", set_muted,
      .parameters = { API_A_BOOLEAN("muted") },
      .returns = "true", .about = "Whether what it types in the chat is dropped." },
};
/* clang-format on */

const struct api_noun api_player_set = {
    .prefix = "player:",
    .title = "Players: what is done to them",
    .about =
        "The server remembers each value, over deaths and changes of scope, and gives it to whoever is shown "
        "the player.",
    .self = API_PLAYER,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
