/* What a gamemode sets on a vehicle: health, damage, where it is and how it moves. */
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/shard.h"
#include "shard/vehicle_damage.h"
#include "shard/vehicle_health.h"
#include "shard/vehicle_transform.h"

/* Vehicles: VehicleTransform, Server checks; m/s and rad/s. */
#define VELOCITY_MAX 200
#define TURN_MAX 25

static int set_health(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_health(shard, values[0].vehicle, (float)values[1].number));
}

static int repair(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_repair(shard, values[0].vehicle));
}

static void read_list(lua_State *L, const struct api_value *list, uint8_t *items, lua_Integer count)
{
    for (lua_Integer i = 0; list->given && i < count; i++) {
        lua_rawgeti(L, list->index, i + 1);
        items[i] = (uint8_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
}

static int set_damage_status(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct vehicle_damage damage = values[0].vehicle->damage;

    if (values[2].given)
        damage.panels = (uint32_t)values[2].integer;
    read_list(L, &values[3], damage.doors, DAMAGE_DOORS);
    if (values[4].given)
        damage.lights = (uint32_t)values[4].integer;
    read_list(L, &values[5], damage.wheels, DAMAGE_WHEELS);
    return api_answer(L, vehicle_set_damage(shard, values[0].vehicle, &damage));
}

static int set_position(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const float pos[3] = { (float)values[1].number, (float)values[2].number, (float)values[3].number };

    return api_answer(L, vehicle_set_position(shard, values[0].vehicle, pos));
}

static int set_rotation(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const float rot[4] = { (float)values[1].number, (float)values[2].number, (float)values[3].number,
                           (float)values[4].number };

    return api_answer(L, vehicle_set_rotation(shard, values[0].vehicle, rot));
}

static int set_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const float velocity[3] = { (float)values[1].number, (float)values[2].number, (float)values[3].number };

    return api_answer(L, vehicle_set_velocity(shard, values[0].vehicle, velocity));
}

static int set_turn_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const float velocity[3] = { (float)values[1].number, (float)values[2].number, (float)values[3].number };

    return api_answer(L, vehicle_set_turn_velocity(shard, values[0].vehicle, velocity));
}

static int set_frozen(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, vehicle_set_frozen(shard, values[0].vehicle, values[1].boolean));
}

/* clang-format off */
static const struct api_parameter door_item[] = { API_A_INTEGER("door", 0, 4) };
static const struct api_parameter wheel_item[] = { API_A_INTEGER("wheel", 0, 2) };

#define AS_IT_IS .optional = true, .otherwise = "as it is"

static const struct api_parameter damage_fields[] = {
    API_A_INTEGER("panels", 0, 4294967295.0, AS_IT_IS),
    API_A_LIST("doors", DAMAGE_DOORS, DAMAGE_DOORS, door_item, AS_IT_IS),
    API_A_INTEGER("lights", 0, 255, AS_IT_IS),
    API_A_LIST("wheels", DAMAGE_WHEELS, DAMAGE_WHEELS, wheel_item, AS_IT_IS),
    { 0 },
};

static const struct api_function functions[] = {
    { "dlmp.set_vehicle_health", set_health,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_NUMBER("health", 0, 100000) },
      .returns = "true", .about = "1000 is full; below 250 it burns, and explodes some seconds later.",
      .refusals = "a wreck" },
    { "dlmp.repair_vehicle", repair,
      .parameters = { API_A_VEHICLE("vehicle") },
      .returns = "true", .about = "Full health and no damage.", .refusals = "a wreck" },
    { "dlmp.set_vehicle_damage_status", set_damage_status,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_TABLE("status", damage_fields) },
      .returns = "true",
      .about = "What is dented and gone: panels 4 bits each (0 to 3), doors 0 whole, 2 damaged, 4 missing, "
               "lights bits 0, 2, 4 and 6, wheels 0 whole, 1 burst, 2 gone.",
      .refusals = "a wreck; a model that has no such damage; any other value" },
    { "dlmp.set_vehicle_position", set_position,
      .parameters = { API_A_VEHICLE("vehicle"), API_POSITION() },
      .returns = "true", .about = "Puts it there, with all who sit in it.", .refusals = "a train; a wreck" },
    { "dlmp.set_vehicle_rotation", set_rotation,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_NUMBER("x", -1, 1), API_A_NUMBER("y", -1, 1),
                      API_A_NUMBER("z", -1, 1), API_A_NUMBER("w", -1, 1) },
      .returns = "true", .about = "Turns it, by a unit quaternion.",
      .refusals = "a train; a wreck; a quaternion that is not of length 1" },
    { "dlmp.set_vehicle_velocity", set_velocity,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_NUMBER("x", -VELOCITY_MAX, VELOCITY_MAX, .unit = "m/s"),
                      API_A_NUMBER("y", -VELOCITY_MAX, VELOCITY_MAX, .unit = "m/s"),
                      API_A_NUMBER("z", -VELOCITY_MAX, VELOCITY_MAX, .unit = "m/s") },
      .returns = "true", .about = "Pushes it, once.", .refusals = "a train; a wreck; a frozen vehicle" },
    { "dlmp.set_vehicle_turn_velocity", set_turn_velocity,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_NUMBER("x", -TURN_MAX, TURN_MAX, .unit = "rad/s"),
                      API_A_NUMBER("y", -TURN_MAX, TURN_MAX, .unit = "rad/s"),
                      API_A_NUMBER("z", -TURN_MAX, TURN_MAX, .unit = "rad/s") },
      .returns = "true", .about = "Spins it, once.", .refusals = "a train; a wreck; a frozen vehicle" },
    { "dlmp.set_vehicle_frozen", set_frozen,
      .parameters = { API_A_VEHICLE("vehicle"), API_A_BOOLEAN("frozen") },
      .returns = "true", .about = "Holds it where it is, over its respawns as well.",
      .refusals = "a train; a wreck" },
};
/* clang-format on */

const struct api_noun api_vehicle_state = {
    .prefix = "dlmp.",
    .title = "Vehicles: health, place and motion",
    .about = "Each holds at once, whoever drives: what a client says from before it does not undo it.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
