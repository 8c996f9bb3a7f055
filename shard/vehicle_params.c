#include "shard/vehicle_params.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/stream.h"

/* Vehicles: VehicleParams.params. */
enum {
    PARAM_ENGINE = 1 << 0,
    PARAM_LIGHTS = 1 << 1,
    PARAM_LOCKED = 1 << 2,
    PARAM_MAGNET = 1 << 3,
    PARAM_SMALL_MAGNET = 1 << 4,
    PARAM_ALARM = 1 << 5,
    PARAM_SIREN = 1 << 6,
    PARAM_OBJECTIVE = 1 << 7,
    PARAM_HAS_SIREN = 1 << 8,
};

/* Vehicles: VehicleControl.control. */
enum { KEY_ENGINE = 0, KEY_LIGHTS = 1 };

enum { MODEL_VORTEX = 539 };

void vehicle_params_init(struct vehicle *vehicle, bool engine)
{
    vehicle->params = (struct vehicle_params){ .engine = engine, .has_siren = vehicle->model->has_siren };
}

void vehicle_params_fini(struct vehicle *vehicle)
{
    free(vehicle->params.own);
    vehicle->params.own = NULL;
    vehicle->params.own_count = vehicle->params.own_capacity = 0;
}

void vehicle_params_respawn(struct vehicle *vehicle)
{
    struct vehicle_params *params = &vehicle->params;
    bool has_siren = params->has_siren;
    uint16_t siren_rev = params->siren_rev;

    vehicle_params_fini(vehicle);
    *params = (struct vehicle_params){ .has_siren = has_siren, .siren_rev = siren_rev };
}

/* ---- one player's own */

/* Where the player's stands, or would stand. */
static uint16_t own_place(const struct vehicle_params *params, uint16_t player)
{
    uint16_t at = 0;

    while (at < params->own_count && params->own[at].player < player)
        at++;
    return at;
}

static const struct own_params *own_find(const struct vehicle_params *params, uint16_t player)
{
    uint16_t at = own_place(params, player);

    return at < params->own_count && params->own[at].player == player ? &params->own[at] : NULL;
}

static void own_remove(struct vehicle_params *params, uint16_t player)
{
    uint16_t at = own_place(params, player);

    if (at == params->own_count || params->own[at].player != player)
        return;
    params->own_count--;
    memmove(params->own + at, params->own + at + 1, (params->own_count - at) * sizeof *params->own);
}

/* NULL: no memory. */
static struct own_params *own_take(struct vehicle_params *params, uint16_t player)
{
    uint16_t at = own_place(params, player);

    if (at < params->own_count && params->own[at].player == player)
        return &params->own[at];
    if (params->own_count == params->own_capacity) {
        uint16_t capacity = (uint16_t)(params->own_capacity + 8);
        struct own_params *grown = realloc(params->own, capacity * sizeof *grown);

        if (grown == NULL)
            return NULL;
        params->own = grown;
        params->own_capacity = capacity;
    }
    memmove(params->own + at + 1, params->own + at, (params->own_count - at) * sizeof *params->own);
    params->own_count++;
    params->own[at] = (struct own_params){ .player = player };
    return &params->own[at];
}

bool vehicle_params_put_own(struct vehicle *vehicle, struct own_params own)
{
    struct own_params *place = own_take(&vehicle->params, own.player);

    if (place != NULL)
        *place = own;
    return place != NULL;
}

void vehicle_params_forget_player(struct shard *shard, const struct player *player)
{
    const struct pool *vehicles = &shard->world.vehicles;
    uint16_t player_slot = world_player_slot(&shard->world, player);

    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        own_remove(&world_vehicle_at(&shard->world, slot)->params, player_slot);
}

bool vehicle_is_locked_for(const struct shard *shard, const struct vehicle *vehicle,
                           const struct player *player)
{
    const struct own_params *own = own_find(&vehicle->params, world_player_slot(&shard->world, player));

    if (own != NULL && own->lock != OWN_LOCK_NONE)
        return own->lock == OWN_LOCK_LOCKED;
    return vehicle->params.locked;
}

bool vehicle_has_objective_for(const struct shard *shard, const struct vehicle *vehicle,
                               const struct player *player)
{
    const struct own_params *own = own_find(&vehicle->params, world_player_slot(&shard->world, player));

    return own != NULL && own->objective;
}

/* ---- the packet */

/* Without what is a recipient's own. */
static unsigned shared_bits(const struct vehicle_params *params)
{
    unsigned bits = 0;

    bits |= params->engine ? PARAM_ENGINE : 0;
    bits |= params->lights ? PARAM_LIGHTS : 0;
    bits |= params->winch == WINCH_MAGNET ? PARAM_MAGNET : 0;
    bits |= params->winch == WINCH_SMALL_MAGNET ? PARAM_SMALL_MAGNET : 0;
    bits |= params->alarm ? PARAM_ALARM : 0;
    bits |= params->siren ? PARAM_SIREN : 0;
    bits |= params->has_siren ? PARAM_HAS_SIREN : 0;
    return bits;
}

uint16_t vehicle_params_for(const struct shard *shard, const struct vehicle *vehicle,
                            const struct player *recipient)
{
    unsigned bits = shared_bits(&vehicle->params);

    bits |= vehicle_is_locked_for(shard, vehicle, recipient) ? PARAM_LOCKED : 0;
    bits |= vehicle_has_objective_for(shard, vehicle, recipient) ? PARAM_OBJECTIVE : 0;
    return (uint16_t)bits;
}

static size_t encode_params(const struct vehicle *vehicle, unsigned bits, uint8_t doors_set, uint8_t *packet,
                            size_t room)
{
    struct wire_vehicle_params params = {
        .vehicle_id = vehicle->id,
        .params = (uint16_t)bits,
        .doors = vehicle->params.doors,
        .doors_set = doors_set,
        .siren_rev = vehicle->params.siren_rev,
    };
    struct wire_error error;
    size_t size = wire_vehicle_params_encode(&params, packet, room, &error);

    assert(size > 0);
    return size;
}

static void send_to(struct shard *shard, struct player *player, const struct vehicle *vehicle,
                    uint8_t doors_set)
{
    uint8_t packet[WIRE_VEHICLE_PARAMS_SIZE];

    send_critical(
        shard, player, packet,
        encode_params(vehicle, vehicle_params_for(shard, vehicle, player), doors_set, packet, sizeof packet));
}

static void send_to_all(struct shard *shard, struct vehicle *vehicle, uint8_t doors_set)
{
    struct group *observers = &vehicle->observers;

    if (vehicle->params.own_count == 0) {
        uint8_t packet[WIRE_VEHICLE_PARAMS_SIZE];
        unsigned bits = shared_bits(&vehicle->params) | (vehicle->params.locked ? PARAM_LOCKED : 0);

        send_group_critical(shard, observers, packet,
                            encode_params(vehicle, bits, doors_set, packet, sizeof packet));
        return;
    }
    for (uint16_t i = 0; i < observers->count; i++)
        send_to(shard, world_player_at(&shard->world, observers->observers[i]), vehicle, doors_set);
}

/* ---- commands */

static enum reason set_flag(struct shard *shard, struct vehicle *vehicle, bool *flag, bool on)
{
    if (*flag != on) {
        *flag = on;
        send_to_all(shard, vehicle, 0);
    }
    return REASON_NONE;
}

enum reason vehicle_set_engine(struct shard *shard, struct vehicle *vehicle, bool on)
{
    return set_flag(shard, vehicle, &vehicle->params.engine, on);
}

enum reason vehicle_set_lights(struct shard *shard, struct vehicle *vehicle, bool on)
{
    return set_flag(shard, vehicle, &vehicle->params.lights, on);
}

enum reason vehicle_set_locked(struct shard *shard, struct vehicle *vehicle, bool locked)
{
    return set_flag(shard, vehicle, &vehicle->params.locked, locked);
}

enum reason vehicle_set_alarm(struct shard *shard, struct vehicle *vehicle, bool on)
{
    return set_flag(shard, vehicle, &vehicle->params.alarm, on);
}

/* The siren commands are told even when they change no bit: the pilot may have switched meanwhile, and
 * its copy has to take the new revision. */
enum reason vehicle_set_siren(struct shard *shard, struct vehicle *vehicle, bool on)
{
    if (!vehicle->params.has_siren)
        return REASON_NO_SIREN;
    vehicle->params.siren = on;
    vehicle->params.siren_rev++;
    send_to_all(shard, vehicle, 0);
    return REASON_NONE;
}

/* Vehicles: VehicleParams, Defaults: on boats, aircraft, trains, trailers and RCs it is mute. */
static bool model_can_have_siren(const struct model *model)
{
    switch (model->vehicle_class) {
    case MODEL_CAR:
    case MODEL_MONSTER_TRUCK:
    case MODEL_QUAD:
    case MODEL_MOTORBIKE:
    case MODEL_BICYCLE:
        return true;
    default:
        return model->id == MODEL_VORTEX;
    }
}

enum reason vehicle_set_has_siren(struct shard *shard, struct vehicle *vehicle, bool has)
{
    if (has && !model_can_have_siren(vehicle->model))
        return REASON_WRONG_MODEL;
    vehicle->params.has_siren = has;
    vehicle->params.siren &= has;
    vehicle->params.siren_rev++;
    send_to_all(shard, vehicle, 0);
    return REASON_NONE;
}

enum reason vehicle_set_door(struct shard *shard, struct vehicle *vehicle, uint8_t door, bool open)
{
    uint8_t bit = (uint8_t)(1U << door);

    if (door >= VEHICLE_DOORS)
        return REASON_OUT_OF_BOUNDS;
    vehicle->params.doors = (uint8_t)(open ? vehicle->params.doors | bit : vehicle->params.doors & ~bit);
    send_to_all(shard, vehicle, bit);
    return REASON_NONE;
}

enum reason vehicle_set_winch(struct shard *shard, struct vehicle *vehicle, enum winch winch)
{
    if (winch != WINCH_NONE && vehicle->model->vehicle_class != MODEL_HELICOPTER)
        return REASON_WRONG_MODEL;
    if (vehicle->params.winch == (uint8_t)winch)
        return REASON_NONE;
    vehicle->params.winch = (uint8_t)winch;
    vehicle_links_release(shard, vehicle, LINKS_WINCH);
    send_to_all(shard, vehicle, 0);
    return REASON_NONE;
}

/* What holds nothing any more goes. `before`: what the player has been told. */
static void own_settle(struct shard *shard, struct vehicle *vehicle, struct player *player,
                       struct own_params *own, uint16_t before)
{
    if (own->lock == OWN_LOCK_NONE && !own->objective)
        own_remove(&vehicle->params, own->player);
    if (vehicle_params_for(shard, vehicle, player) != before && stream_has_vehicle(shard, player, vehicle))
        send_to(shard, player, vehicle, 0);
}

enum reason vehicle_set_locked_for(struct shard *shard, struct vehicle *vehicle, struct player *player,
                                   enum own_lock lock)
{
    uint16_t before = vehicle_params_for(shard, vehicle, player);
    struct own_params *own = own_take(&vehicle->params, world_player_slot(&shard->world, player));

    if (own == NULL)
        return REASON_NO_MEMORY;
    own->lock = (uint8_t)lock;
    own_settle(shard, vehicle, player, own, before);
    return REASON_NONE;
}

enum reason vehicle_set_objective(struct shard *shard, struct vehicle *vehicle, struct player *player,
                                  bool on)
{
    uint16_t before = vehicle_params_for(shard, vehicle, player);
    struct own_params *own = own_take(&vehicle->params, world_player_slot(&shard->world, player));

    if (own == NULL)
        return REASON_NO_MEMORY;
    own->objective = on;
    own_settle(shard, vehicle, player, own, before);
    return REASON_NONE;
}

/* ---- keys */

/* clang-format off: a line for each condition of the page */
static enum reason vehicle_control_check(const struct shard *shard, const struct player *player,
                                         const struct vehicle *vehicle, uint8_t control)
{
    if (vehicle == NULL)
        return REASON_NO_VEHICLE;
    if (vehicle->seats[0] != world_player_slot(&shard->world, player))
        return REASON_NOT_CONTROLLING;
    if (player->frozen)
        return REASON_FROZEN;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (control != KEY_ENGINE && control != KEY_LIGHTS)
        return REASON_NOT_A_KEY;
    return REASON_NONE;
}
/* clang-format on */

/* Vehicles: VehicleControl. */
void on_vehicle_control(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_control request;
    struct wire_error error;
    struct vehicle *vehicle;
    enum reason refused;

    (void)now_ms;
    if (!wire_vehicle_control_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    vehicle = world_vehicle(&shard->world, request.vehicle_id);
    refused = vehicle_control_check(shard, player, vehicle, request.control);
    if (refused == REASON_NONE &&
        !EVENT_RAISE(shard, EVENT_VEHICLE_CONTROL, event_vehicle(vehicle), event_player(player),
                     event_text(request.control == KEY_ENGINE ? "engine" : "lights"),
                     event_boolean(request.value != 0)))
        refused = REASON_HANDLER;
    if (refused == REASON_NONE) {
        vehicle = world_vehicle(&shard->world, request.vehicle_id);
        refused = vehicle_control_check(shard, player, vehicle, request.control);
    }
    if (refused != REASON_NONE)
        shard_count(shard, refused);
    else if (request.control == KEY_ENGINE)
        vehicle_set_engine(shard, vehicle, request.value != 0);
    else
        vehicle_set_lights(shard, vehicle, request.value != 0);
}
