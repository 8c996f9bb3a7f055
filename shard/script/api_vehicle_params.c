/* What a gamemode sets on a vehicle: switches, parts, handling and colors. */
#include "common/text.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/shard.h"
#include "shard/vehicle_colors.h"
#include "shard/vehicle_handling.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_tuning.h"

/* ---- switches ---- */

static int set_engine(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_engine(shard, values[0].vehicle, values[1].boolean));
}

static int set_lights(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_lights(shard, values[0].vehicle, values[1].boolean));
}

static int set_locked(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_locked(shard, values[0].vehicle, values[1].boolean));
}

static int set_locked_for(lua_State *L, struct shard *shard, const struct api_value *values)
{
    enum own_lock own = values[2].boolean ? OWN_LOCK_LOCKED : OWN_LOCK_OPEN;

    return api_answer(L, vehicle_set_locked_for(shard, values[0].vehicle, values[1].player,
                                                values[2].given ? own : OWN_LOCK_NONE));
}

static int set_objective(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L,
                      vehicle_set_objective(shard, values[0].vehicle, values[1].player, values[2].boolean));
}

static int set_alarm(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_alarm(shard, values[0].vehicle, values[1].boolean));
}

static int set_siren(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_siren(shard, values[0].vehicle, values[1].boolean));
}

static int set_has_siren(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_has_siren(shard, values[0].vehicle, values[1].boolean));
}

static int set_door(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(
        L, vehicle_set_door(shard, values[0].vehicle, (uint8_t)values[1].integer, values[2].boolean));
}

static const char *const winches[] = { "magnet", "small", NULL };

static int set_winch(lua_State *L, struct shard *shard, const struct api_value *values)
{
    static const enum winch kinds[] = { WINCH_MAGNET, WINCH_SMALL_MAGNET };

    return api_answer(L, vehicle_set_winch(shard, values[0].vehicle,
                                           values[1].given ? kinds[values[1].integer] : WINCH_NONE));
}

/* ---- parts ---- */

static int add_component(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_add_component(shard, values[0].vehicle, (uint32_t)values[1].integer));
}

static int remove_component(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_remove_component(shard, values[0].vehicle, (uint32_t)values[1].integer));
}

static int set_paintjob(lua_State *L, struct shard *shard, const struct api_value *values)
{
    uint8_t paintjob = values[1].given ? (uint8_t)values[1].integer : TUNING_NO_PAINTJOB;

    return api_answer(L, vehicle_set_paintjob(shard, values[0].vehicle, paintjob));
}

static int set_plate(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_plate(shard, values[0].vehicle,
                                           values[1].given ? (const char *)values[1].text.data : NULL));
}

static int set_dirt(lua_State *L, struct shard *shard, const struct api_value *values)
{
    uint8_t dirt = values[1].given ? (uint8_t)values[1].integer : TUNING_NO_DIRT;

    return api_answer(L, vehicle_set_dirt(shard, values[0].vehicle, dirt));
}

static int set_taxi_light(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_taxi_light(shard, values[0].vehicle, values[1].boolean));
}

static int set_nitro_charges(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_nitro_charges(shard, values[0].vehicle, (uint8_t)values[1].integer));
}

static int set_handling(lua_State *L, struct shard *shard, const struct api_value *values)
{
    float value = (float)values[2].number;

    return api_answer(L, vehicle_set_handling(shard, values[0].vehicle, (uint32_t)values[1].integer,
                                              values[2].given ? &value : NULL));
}

static int set_colors(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_colors(shard, values[0].vehicle, (uint8_t)values[1].integer,
                                            (uint8_t)values[2].integer));
}

/* clang-format off */
static const struct api_function functions[] = {
    { "dlmp.set_vehicle_engine", set_engine,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Starts or stops the engine." },
    { "dlmp.set_vehicle_lights", set_lights,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Switches its lights." },
    { "dlmp.set_vehicle_locked", set_locked,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("locked") },
      .returns = "true", .about = "Whether nobody gets in who has no lock of its own." },
    { "dlmp.set_vehicle_locked_for", set_locked_for,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_PLAYER("player"),
                      API_A_BOOLEAN("locked", .optional = true, .otherwise = "the lock of the vehicle holds "
                          "again") },
      .returns = "true", .about = "A lock for this player alone, which stands for the vehicle's." },
    { "dlmp.set_vehicle_objective", set_objective,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_PLAYER("player"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Whether this player sees an arrow above it." },
    { "dlmp.set_vehicle_alarm", set_alarm,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Switches its alarm." },
    { "dlmp.set_vehicle_siren", set_siren,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Switches its siren.", .refusals = "a vehicle that has none" },
    { "dlmp.set_vehicle_has_siren", set_has_siren,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("has") },
      .returns = "true", .about = "Gives it a siren or takes it, over its respawns as well.",
      .refusals = "a model on which it would be mute" },
    { "dlmp.set_vehicle_door", set_door,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("door", 0, VEHICLE_DOORS - 1),
                      API_A_BOOLEAN("open") },
      .returns = "true",
      .about = "Opens or closes a door: 0 bonnet, 1 boot, 2 front left, 3 front right, 4 rear left, 5 rear "
               "right." },
    { "dlmp.set_vehicle_winch", set_winch,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_WORD("winch", winches, .optional = true,
                      .otherwise = "none") },
      .returns = "true", .about = "The winch of a helicopter; what hangs on the former one is let go.",
      .refusals = "other models" },
    { "dlmp.add_vehicle_component", add_component,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("component", COMPONENT_MIN, COMPONENT_MAX) },
      .returns = "true", .about = "Fits a part, in the place of the one of its kind.",
      .refusals = "a part that the model does not take" },
    { "dlmp.remove_vehicle_component", remove_component,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("component", COMPONENT_MIN, COMPONENT_MAX) },
      .returns = "true", .about = "Takes a part off.", .refusals = "a part that it does not have" },
    { "dlmp.set_vehicle_paintjob", set_paintjob,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("paintjob", 0, 2, .optional = true,
                      .otherwise = "plain colors") },
      .returns = "true", .about = "Its paintjob.", .refusals = "one that the model does not have" },
    { "dlmp.set_vehicle_plate", set_plate,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_TEXT("text", 1, TUNING_PLATE_SIZE, text_is_line,
                      .optional = true, .otherwise = "one of the game's own") },
      .returns = "true", .about = "Its number plate, of A-Z, 0-9 and spaces." ,
      .refusals = "other characters" },
    { "dlmp.set_vehicle_dirt", set_dirt,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("dirt", 0, 15, .optional = true,
                      .otherwise = "each client's own") },
      .returns = "true", .about = "How dirty it is." },
    { "dlmp.set_vehicle_taxi_light", set_taxi_light,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("on") },
      .returns = "true", .about = "Switches the light of a taxi.", .refusals = "other models" },
    { "dlmp.set_vehicle_nitro_charges", set_nitro_charges,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("charges", 0, 100) },
      .returns = "true", .about = "How often its nitro can still be lit.",
      .refusals = "a vehicle without nitro" },
    { "dlmp.set_vehicle_handling", set_handling,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_WORD("name", handling_names),
                      API_A_NUMBER("value", -100, 10000000, .optional = true, .otherwise = "the model's") },
      .returns = "true", .about = "A property of how it drives, in the units of HANDLING.CFG.",
      .refusals = "a value that is not in the property's range" },
    { "dlmp.set_vehicle_colors", set_colors,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_INTEGER("color1", 0, VEHICLE_COLOR_MAX),
                      API_A_INTEGER("color2", 0, VEHICLE_COLOR_MAX) },
      .returns = "true", .about = "Repaints it, with colors of the game's palette.", .refusals = "a wreck" },
};
/* clang-format on */

const struct api_noun api_vehicle_params = {
    .prefix = "dlmp.",
    .title = "Vehicles: switches, parts and paint",
    .about = "A respawn brings back the switches and locks of the model; parts, handling and paint stay.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
