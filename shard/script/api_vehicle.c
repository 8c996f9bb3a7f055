/* What a gamemode asks of a vehicle. */
#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"
#include "shard/shard.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_links.h"
#include "shard/vehicle_train.h"

/* Vehicles: VehicleFrame: speeds are per physics step, of which there are 50 a second. */
#define STEPS_A_SECOND 50.0f

static int ask_id(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->id);
}

static int ask_model(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->model->id);
}

static int ask_epoch(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->epoch);
}

static int ask_position(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_numbers(L, values[0].vehicle->pos, 3);
}

static int ask_heading(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_number(L, (double)heading_from_rotation(values[0].vehicle->rot));
}

static int ask_rotation(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_numbers(L, values[0].vehicle->rot, 4);
}

static int answer_speed(lua_State *L, const float speed[3])
{
    const float a_second[3] = { speed[0] * STEPS_A_SECOND, speed[1] * STEPS_A_SECOND,
                                speed[2] * STEPS_A_SECOND };

    return api_answer_numbers(L, a_second, 3);
}

static int ask_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return answer_speed(L, values[0].vehicle->move_speed);
}

static int ask_turn_velocity(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return answer_speed(L, values[0].vehicle->turn_speed);
}

static int ask_health(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_number(L, (double)values[0].vehicle->health.value);
}

static int ask_wrecked(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->wrecked);
}

static int ask_driver(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_player(L, vehicle_occupant(shard, values[0].vehicle, 0));
}

static int ask_occupant_of(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_player(L, vehicle_occupant(shard, values[0].vehicle, (uint8_t)values[1].integer));
}

static int ask_occupants(lua_State *L, struct shard *shard, const struct api_value *values)
{
    struct player_ref refs[MODEL_SEATS_MAX];
    uint8_t seats[MODEL_SEATS_MAX];
    size_t count = 0;

    for (uint8_t seat = 0; seat < MODEL_SEATS_MAX; seat++) {
        const struct player *player = vehicle_occupant(shard, values[0].vehicle, seat);

        if (player == NULL)
            continue;
        refs[count] = player->ref;
        seats[count++] = seat;
    }
    lua_createtable(L, 0, (int)count);
    for (size_t i = 0; i < count; i++) {
        api_push_player(L, refs[i]);
        lua_rawseti(L, -2, seats[i]);
    }
    return 1;
}

static int ask_syncer(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle *vehicle = values[0].vehicle;

    return api_answer_player(
        L, vehicle->syncer == SLOT_NONE ? NULL : world_player_at(&shard->world, vehicle->syncer));
}

static int ask_virtual_world(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->scope.virtual_world);
}

static int ask_interior(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->scope.interior);
}

static int ask_engine(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->params.engine);
}

static int ask_siren(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->params.siren);
}

static int ask_lights(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->params.lights);
}

static int ask_locked(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->params.locked);
}

static int ask_nitro_charges(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_integer(L, values[0].vehicle->tuning.nitro_charges);
}

/* A short one ends in spaces. */
static size_t plate_size(const struct vehicle_tuning *tuning)
{
    size_t size = TUNING_PLATE_SIZE;

    while (size > 0 && tuning->plate[size - 1] == ' ')
        size--;
    return size;
}

static int ask_tuning(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle_tuning tuning = values[0].vehicle->tuning;
    lua_Integer count = 0;

    (void)shard;
    lua_newtable(L);
    lua_newtable(L);
    for (size_t kind = 0; kind < COMPONENT_KINDS; kind++) {
        if (tuning.components[kind] == 0)
            continue;
        lua_pushinteger(L, tuning.components[kind]);
        lua_rawseti(L, -2, ++count);
    }
    lua_setfield(L, -2, "components");
    if (tuning.paintjob != TUNING_NO_PAINTJOB) {
        lua_pushinteger(L, tuning.paintjob);
        lua_setfield(L, -2, "paintjob");
    }
    if (tuning.plate[0] != '\0') {
        lua_pushlstring(L, tuning.plate, plate_size(&tuning));
        lua_setfield(L, -2, "plate");
    }
    if (tuning.dirt != TUNING_NO_DIRT) {
        lua_pushinteger(L, tuning.dirt);
        lua_setfield(L, -2, "dirt");
    }
    lua_pushboolean(L, tuning.taxi_light);
    lua_setfield(L, -2, "taxi_light");
    return 1;
}

static int ask_handling(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle_handling handling = values[0].vehicle->handling;

    (void)shard;
    lua_newtable(L);
    for (uint32_t i = 0; i < HANDLING_PROPERTIES; i++) {
        if ((handling.mask >> i & 1) == 0)
            continue;
        lua_pushnumber(L, (double)handling.values[i]);
        lua_setfield(L, -2, handling_names[i]);
    }
    return 1;
}

static int ask_colors(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    (void)api_answer_integer(L, values[0].vehicle->color1);
    return 1 + api_answer_integer(L, values[0].vehicle->color2);
}

static int ask_frozen(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return api_answer_boolean(L, values[0].vehicle->frozen);
}

static void push_list(lua_State *L, const uint8_t *items, lua_Integer count)
{
    lua_createtable(L, (int)count, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_pushinteger(L, items[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int ask_damage_status(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle_damage damage = values[0].vehicle->damage;

    (void)shard;
    lua_newtable(L);
    lua_pushinteger(L, damage.panels);
    lua_setfield(L, -2, "panels");
    push_list(L, damage.doors, DAMAGE_DOORS);
    lua_setfield(L, -2, "doors");
    lua_pushinteger(L, damage.lights);
    lua_setfield(L, -2, "lights");
    push_list(L, damage.wheels, DAMAGE_WHEELS);
    lua_setfield(L, -2, "wheels");
    return 1;
}

static int ask_trailer(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_vehicle(L, vehicle_trailer(&shard->world, values[0].vehicle));
}

static int ask_tractor(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_vehicle(L, vehicle_tractor(&shard->world, values[0].vehicle));
}

static int ask_lifter(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_vehicle(L, vehicle_lifter(&shard->world, values[0].vehicle));
}

static int ask_load(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_vehicle(L, vehicle_load(&shard->world, values[0].vehicle));
}

static int ask_train(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct vehicle *vehicle = values[0].vehicle;

    (void)shard;
    if (vehicle->model->vehicle_class != MODEL_TRAIN)
        return api_answer(L, REASON_NOT_TRAIN);
    (void)api_answer_boolean(L, vehicle->clockwise);
    (void)api_answer_boolean(L, vehicle->derailed);
    return 2 + api_answer_number(L, (double)vehicle_train_speed(vehicle));
}

/* clang-format off */
static const struct api_function functions[] = {
    { "vehicle:id", ask_id, .returns = "id", .about = "Its number in the whole cluster, never used again." },
    { "vehicle:model", ask_model, .returns = "model", .about = "Its model, 400 to 611." },
    { "vehicle:epoch", ask_epoch, .returns = "epoch",
      .about = "Counts its respawns: what came before one is of another epoch." },
    { "vehicle:position", ask_position, .returns = "x, y, z", .about = "Where it is, in m." },
    { "vehicle:heading", ask_heading, .returns = "degrees",
      .about = "Where it points to, counter-clockwise from north, 0 to 360." },
    { "vehicle:rotation", ask_rotation, .returns = "x, y, z, w", .about = "Its rotation as a unit "
        "quaternion." },
    { "vehicle:velocity", ask_velocity, .returns = "x, y, z", .about = "How it moves, in m/s." },
    { "vehicle:turn_velocity", ask_turn_velocity, .returns = "x, y, z", .about = "How it turns, in rad/s." },
    { "vehicle:health", ask_health, .returns = "health", .about = "1000 is full; below 250 it burns." },
    { "vehicle:is_wrecked", ask_wrecked, .returns = "boolean",
      .about = "Whether it has exploded or drowned, until it respawns." },
    { "vehicle:driver", ask_driver, .returns = "player or nil", .about = "Who sits in seat 0." },
    { "vehicle:occupant", ask_occupant_of,
      .parameters = { API_A_INTEGER("seat", 0, MODEL_SEATS_MAX - 1) },
      .returns = "player or nil", .about = "Who sits in the seat." },
    { "vehicle:occupants", ask_occupants, .returns = "table", .about = "Who sits in it, by seat." },
    { "vehicle:syncer", ask_syncer, .returns = "player or nil",
      .about = "Whose client tells how it moves while nobody drives it." },
    { "vehicle:virtual_world", ask_virtual_world, .returns = "virtual_world",
      .about = "The virtual world it is in." },
    { "vehicle:interior", ask_interior, .returns = "interior", .about = "The interior it is in; 0 is "
        "outside." },
    { "vehicle:engine", ask_engine, .returns = "boolean", .about = "Whether the engine runs." },
    { "vehicle:lights", ask_lights, .returns = "boolean", .about = "Whether its lights are on." },
    { "vehicle:locked", ask_locked, .returns = "boolean",
      .about = "Whether nobody gets in who has no lock of its own." },
    { "vehicle:nitro_charges", ask_nitro_charges, .returns = "charges",
      .about = "How often its nitro can still be lit." },
    { "vehicle:tuning", ask_tuning, .returns = "table",
      .about = "`components` (a list of parts), `paintjob`, `plate`, `dirt` (each nil if none was set) and "
               "`taxi_light`." },
    { "vehicle:handling", ask_handling, .returns = "table", .about = "The properties that were set, by "
                                                                     "name." },
    { "vehicle:siren", ask_siren, .returns = "boolean", .about = "Whether the siren is on." },
    { "vehicle:colors", ask_colors, .returns = "color1, color2", .about = "Its two colors, of the game's "
        "palette." },
    { "vehicle:damage_status", ask_damage_status, .returns = "table",
      .about = "What is dented and gone, as `dlmp.set_vehicle_damage_status` takes it." },
    { "vehicle:trailer", ask_trailer, .returns = "vehicle or nil", .about = "What it tows." },
    { "vehicle:tractor", ask_tractor, .returns = "vehicle or nil", .about = "What tows it." },
    { "vehicle:load", ask_load, .returns = "vehicle or nil", .about = "What hangs on its winch." },
    { "vehicle:lifter", ask_lifter, .returns = "vehicle or nil", .about = "The helicopter on whose winch it "
        "hangs." },
    { "vehicle:train", ask_train, .returns = "clockwise, derailed, speed",
      .about = "Which way along its track it faces, whether it is off its rails, and its speed in m/s.",
      .refusals = "what is no train" },
    { "vehicle:frozen", ask_frozen, .returns = "boolean", .about = "Whether `dlmp.set_vehicle_frozen` holds "
                                                                   "it." },
};
/* clang-format on */

const struct api_noun api_vehicle = {
    .prefix = "vehicle:",
    .title = "Vehicles: questions",
    .about =
        "A `vehicle` is one vehicle from its creation to its end, over all its respawns: two of them are "
        "equal for "
        "the same vehicle, and may be keys of tables. Once it is gone, every function answers "
        "`nil, \"vehicle is gone\"`.",
    .self = API_VEHICLE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
