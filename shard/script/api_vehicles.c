/* What a gamemode does with vehicles. */
#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"
#include "shard/script/resource.h"
#include "shard/shard.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"

static int create_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct shard_vehicle what = {
        .model = values[1].integer,
        .x = values[2].number,
        .y = values[3].number,
        .z = values[4].number,
        .heading = values[5].number,
        .color1 = values[6].integer,
        .color2 = values[7].integer,
        .virtual_world = values[8].integer,
        .interior = values[9].integer,
    };
    const struct scope scope = { .virtual_world = (uint32_t)what.virtual_world,
                                 .interior = (uint8_t)what.interior };
    struct vehicle *vehicle;
    enum reason refused = vehicle_create_owned(shard, resource_of(L)->number, &what, &vehicle);

    return refused == REASON_NONE ? api_answer_vehicle(L, vehicle)
                                  : api_answer_scope(L, shard, refused, scope);
}

static int destroy_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    vehicle_destroy(shard, values[0].vehicle);
    return api_answer(L, REASON_NONE);
}

static int respawn_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    vehicle_respawn(shard, values[0].vehicle);
    return api_answer(L, REASON_NONE);
}

static int put_player_in_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(
        L, vehicle_put_player(shard, values[0].player, values[1].vehicle, (uint8_t)values[2].integer));
}

static int remove_player_from_vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_remove_player(shard, values[0].player));
}

static int set_vehicle_scope(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct scope scope = { .virtual_world = (uint32_t)values[1].integer,
                                 .interior = (uint8_t)values[2].integer };

    return api_answer_scope(L, shard, vehicle_set_scope(shard, values[0].vehicle, scope), scope);
}

/* clang-format off */
static const struct api_parameter create_fields[] = {
    API_A_INTEGER("model", MODEL_MIN, MODEL_MAX),
    API_POSITION(),
    API_HEADING(.optional = true),
    API_A_INTEGER("color1", 0, 127, .optional = true),
    API_A_INTEGER("color2", 0, 127, .optional = true),
    API_SCOPE(.optional = true),
    { 0 },
};

static const struct api_function functions[] = {
    { "dlmp.create_vehicle", create_vehicle,
      .parameters = { API_A_TABLE("vehicle", create_fields) },
      .returns = "vehicle",
      .about = "Makes one, which is this resource's: it goes when the resource stops. Whoever is near is "
               "shown it with the next tick.",
      .refusals = "a train's carriage as the model; a scope of another shard; a shard without room" },
    { "dlmp.destroy_vehicle", destroy_vehicle,
      .parameters = { API_A_VEHICLE("vehicle") },
      .returns = "true", .about = "Takes it out of the world; whoever sits in it gets out." },
    { "dlmp.respawn_vehicle", respawn_vehicle,
      .parameters = { API_A_VEHICLE("vehicle") },
      .returns = "true",
      .about = "Its next life, where it was made: whole, with the switches of its model; parts, handling and "
               "paint stay. Whoever sits in it gets out." },
    { "dlmp.put_player_in_vehicle", put_player_in_vehicle,
      .parameters = { API_A_PLAYER("player"), API_A_VEHICLE("vehicle"), API_A_INTEGER("seat", 0,
                      MODEL_SEATS_MAX - 1) },
      .returns = "true",
      .about = "Seats the player at once, wherever it is; it comes into the vehicle's virtual world and "
               "interior. Seat 0 is the driver's.",
      .refusals = "a wreck; a seat that the model does not have or that somebody else has; a player who is "
                  "not alive" },
    { "dlmp.remove_player_from_vehicle", remove_player_from_vehicle,
      .parameters = { API_A_PLAYER("player") },
      .returns = "true", .about = "Has it get out.", .refusals = "one who sits nowhere" },
    { "dlmp.set_vehicle_scope", set_vehicle_scope,
      .parameters = { API_A_VEHICLE("vehicle"), API_SCOPE() },
      .returns = "true",
      .about = "Moves it to the same position of another virtual world or interior, with all who sit in it.",
      .refusals = "a scope of another shard" },
};
/* clang-format on */

const struct api_noun api_vehicles = {
    .prefix = "dlmp.",
    .title = "Vehicles: what is done to them",
    .about = "What is done to a vehicle holds for everybody it is shown to, and whoever is shown it later.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
