/* What a gamemode does with trailers, trains and remote-controlled vehicles. */
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/shard.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_remote.h"
#include "shard/vehicle_train.h"

static int attach_trailer(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_attach_trailer(shard, values[0].vehicle, values[1].vehicle));
}

static int detach_trailer(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_detach_trailer(shard, values[0].vehicle));
}

static int set_remote(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_remote(shard, values[0].player, values[1].vehicle, values[2].boolean));
}

static int remove_remote(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_remove_remote(shard, values[0].player));
}

static int rc_range(lua_State *L, struct shard *shard, const struct api_value *values)
{
    enum reason refused =
        values[0].given ? vehicle_set_remote_range(shard, (float)values[0].number) : REASON_NONE;

    return refused == REASON_NONE ? api_answer_number(L, (double)vehicle_remote_range(shard))
                                  : api_answer(L, refused);
}

static int set_train_direction(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_train_direction(shard, values[0].vehicle, values[1].boolean));
}

static int set_train_derailed(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_train_derailed(shard, values[0].vehicle, values[1].boolean));
}

static int set_train_speed(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_train_speed(shard, values[0].vehicle, (float)values[1].number));
}

/* clang-format off */
static const struct api_function functions[] = {
    { "dlmp.attach_trailer", attach_trailer,
      .parameters = { API_A_VEHICLE("trailer"), API_A_VEHICLE("tractor") },
      .returns = "true", .about = "Hooks the trailer up, without asking any handler.",
      .refusals = "a wreck; a frozen vehicle; models that the game does not hitch; a trailer with a driver, "
                  "or that hangs on something; a tractor that tows already; too far apart; another scope; a "
                  "chain of more than 4" },
    { "dlmp.detach_trailer", detach_trailer,
      .parameters = { API_A_VEHICLE("trailer") },
      .returns = "true", .about = "Takes the trailer off its tractor." },
    { "dlmp.set_remote_vehicle", set_remote,
      .parameters = { API_A_PLAYER("player"), API_A_VEHICLE("vehicle"), API_A_BOOLEAN("detonation") },
      .returns = "true",
      .about = "Has the player steer the vehicle while its body stays where it is. With `detonation` its "
               "fire key blows it up.",
      .refusals = "a model without remote control; a player who does not stand on foot; another scope; too "
                  "far away; a wreck; a vehicle that somebody else steers" },
    { "dlmp.remove_remote_vehicle", remove_remote,
      .parameters = { API_A_PLAYER("player") },
      .returns = "true", .about = "Ends that.", .refusals = "one who steers none" },
    { "dlmp.rc_range", rc_range,
      .parameters = { API_A_NUMBER("range", 1, REMOTE_RANGE_MAX_M, .unit = "m", .optional = true,
                      .otherwise = "it stays") },
      .returns = "range", .about = "How far a vehicle may be from the body of who steers it, on this "
                                   "shard." },
    { "dlmp.set_train_direction", set_train_direction,
      .parameters = { API_A_VEHICLE("train"), API_A_BOOLEAN("clockwise") },
      .returns = "true", .about = "Which way along its track it faces.", .refusals = "what is no train" },
    { "dlmp.set_train_derailed", set_train_derailed,
      .parameters = { API_A_VEHICLE("train"), API_A_BOOLEAN("derailed") },
      .returns = "true", .about = "Takes it off its rails, or puts it back.",
      .refusals = "what is no train" },
    { "dlmp.set_train_speed", set_train_speed,
      .parameters = { API_A_VEHICLE("train"),
                      API_A_NUMBER("speed", -TRAIN_SPEED_MAX * TRAIN_STEPS_PER_S,
                        TRAIN_SPEED_MAX * TRAIN_STEPS_PER_S, .unit = "m/s") },
      .returns = "true", .about = "How fast it goes along its track; negative is backwards.",
      .refusals = "what is no train, or is off its rails" },
};
/* clang-format on */

const struct api_noun api_vehicle_links = {
    .prefix = "dlmp.",
    .title = "Vehicles: trailers, trains, remote control",
    .about = "What hangs on a vehicle goes with it where the gamemode moves it.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
