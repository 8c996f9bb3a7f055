/* The settings of the whole cluster that a gamemode changes: weapons, damage, jacking, clock and weather. */
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/script/resource.h"
#include "shard/shard.h"

static int set_weapon_property(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      settings_set_weapon_property(shard, resource_of(L)->name, (uint32_t)values[0].integer,
                                                   (uint32_t)values[1].integer, (uint32_t)values[2].integer,
                                                   values[3].given ? &values[3].number : NULL));
}

static int set_weapon_allowed(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_weapon_allowed(shard, resource_of(L)->name, (uint32_t)values[0].integer,
                                                     values[1].boolean));
}

static int set_driveby_interval(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      settings_set_driveby_interval(shard, resource_of(L)->name, (uint32_t)values[0].integer,
                                                    (double)values[1].integer));
}

static int set_damage_multiplier(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_damage_multiplier(shard, resource_of(L)->name,
                                                        (uint32_t)values[0].integer, values[1].number));
}

static int set_jacking(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_jacking(shard, resource_of(L)->name, values[0].boolean));
}

static int set_time(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_time(shard, resource_of(L)->name, (uint32_t)values[0].integer,
                                           (uint32_t)values[1].integer, (uint32_t)values[2].integer));
}

static int ask_time(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct settings_time time = settings_time(shard);

    (void)values;
    return api_answer_integer(L, time.hour) + api_answer_integer(L, time.minute) +
           api_answer_integer(L, time.second);
}

static int set_clock(lua_State *L, struct shard *shard, const struct api_value *values)
{
    double minute_ms = (double)values[0].integer;

    return api_answer(L,
                      settings_set_clock(shard, resource_of(L)->name, values[0].given ? &minute_ms : NULL));
}

static int set_weather(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_weather(shard, resource_of(L)->name, (double)values[0].integer,
                                              (uint32_t)values[1].integer));
}

static int set_weather_value(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, settings_set_weather_value(shard, resource_of(L)->name, (uint32_t)values[0].integer,
                                                    values[1].given ? &values[1].number : NULL));
}

static int ask_weather(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)values;
    return api_answer_integer(L, shard->settings.now.weather.type);
}

/* clang-format off */
static const struct api_function functions[] = {
    { "dlmp.set_weapon_property", set_weapon_property,
      .parameters = { API_A_INTEGER("weapon", 0, GAME_WEAPON_MAX), API_A_WORD("tier", game_tier_names),
                      API_A_WORD("name", game_property_names),
                      API_A_NUMBER("value", -1000000, 1000000, .optional = true, .otherwise = "the game's") },
      .returns = "true",
      .about = "A property of a hitscan weapon, 22 to 34 and 38, for players whose skill is at the tier; "
               "weapons 33 and up have `std` alone.",
      .refusals = "a weapon or tier without properties, a value that is not in the property's range" },
    { "dlmp.set_weapon_allowed", set_weapon_allowed,
      .parameters = { API_A_INTEGER("weapon", 1, GAME_WEAPON_MAX), API_A_BOOLEAN("allowed") },
      .returns = "true", .about = "Whether players may have the weapon.",
      .refusals = "what cannot be given: 19 to 21" },
    { "dlmp.set_driveby_interval", set_driveby_interval,
      .parameters = { API_A_INTEGER("weapon", GAME_DRIVEBY_FIRST,
                      GAME_DRIVEBY_FIRST + GAME_DRIVEBY_COUNT - 1),
                      API_A_INTEGER("ms", 0, 5000, .unit = "ms") },
      .returns = "true", .about = "How far apart the shots from a vehicle are; 0 is as the game has it.",
      .refusals = "less than 30 ms that is not 0" },
    { "dlmp.set_damage_multiplier", set_damage_multiplier,
      .parameters = { API_A_INTEGER("class", 0, 255), API_A_NUMBER("value", 0, 10) },
      .returns = "true", .about = "What damage of the class counts; the class is named by the weapon that "
                                  "the damage arrives with.",
      .refusals = "what names no class" },
    { "dlmp.set_vehicle_jacking", set_jacking,
      .parameters = { API_A_BOOLEAN("on") },
      .returns = "true", .about = "Whether players may pull others from the wheel." },
    { "dlmp.set_time", set_time,
      .parameters = { API_A_INTEGER("hour", 0, 23), API_A_INTEGER("minute", 0, 59),
                      API_A_INTEGER("second", 0, 59, .optional = true) },
      .returns = "true", .about = "Sets the clock of the game." },
    { "dlmp.time", ask_time, .returns = "hour, minute, second", .about = "What the clock of the game says." },
    { "dlmp.set_clock", set_clock,
      .parameters = { API_A_INTEGER("minute_ms", 10, 3600000, .unit = "ms", .optional = true,
                      .otherwise = "the clock stands still") },
      .returns = "true", .about = "How long a minute of the game takes; 1000 at the start." },
    { "dlmp.set_weather", set_weather,
      .parameters = { API_A_INTEGER("weather", 0, 45), API_A_INTEGER("blend_ms", 0, 600000, .unit = "ms",
                      .optional = true) },
      .returns = "true", .about = "Changes the weather, over so long." },
    { "dlmp.set_weather_value", set_weather_value,
      .parameters = { API_A_WORD("name", game_weather_names),
                      API_A_NUMBER("value", -1000, 3000, .optional = true,
                        .otherwise = "as the weather has it") },
      .returns = "true", .about = "Changes one thing of the weather.",
      .refusals = "a value that is not in its range" },
    { "dlmp.weather", ask_weather, .returns = "weather", .about = "The weather there is." },
};
/* clang-format on */

const struct api_noun api_settings = {
    .prefix = "dlmp.",
    .title = "Settings of the whole cluster",
    .about =
        "A change is made by the coordinator and holds, in the same order everywhere, as soon as that has "
        "told it: not yet "
        "when the function returns.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
