#include "shard/vehicle_remote.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/vehicle_links.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_syncer.h"

/* VehicleRemote.vehicle_id WIRE_NONE: none any more. */
static void tell(struct shard *shard, struct player *player, uint32_t vehicle_id, bool detonation)
{
    struct wire_vehicle_remote remote = { .vehicle_id = vehicle_id, .detonation = detonation };
    uint8_t packet[WIRE_VEHICLE_REMOTE_SIZE];
    struct wire_error error;
    size_t size = wire_vehicle_remote_encode(&remote, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

struct player *vehicle_remote_driver(const struct shard *shard, const struct vehicle *vehicle)
{
    return vehicle->remote.driver == SLOT_NONE ? NULL
                                               : world_player_at(&shard->world, vehicle->remote.driver);
}

struct vehicle *vehicle_remote_of(const struct shard *shard, const struct player *player)
{
    return player->remote_id == WIRE_NONE ? NULL : world_vehicle(&shard->world, player->remote_id);
}

bool vehicle_remote_detonates(const struct shard *shard, const struct player *player,
                              const struct vehicle *vehicle)
{
    return vehicle_remote_driver(shard, vehicle) == player && vehicle->remote.detonation;
}

void vehicle_remote_tell_again(struct shard *shard, struct player *player)
{
    const struct vehicle *vehicle = vehicle_remote_of(shard, player);

    tell(shard, player, player->remote_id, vehicle != NULL && vehicle->remote.detonation);
}

/* ---- release */

/* Takes the two apart. NULL: the player drove none. */
static struct vehicle *part(struct shard *shard, struct player *player)
{
    struct vehicle *vehicle = vehicle_remote_of(shard, player);

    if (vehicle == NULL)
        return NULL;
    assert(vehicle_remote_driver(shard, vehicle) == player);
    vehicle->remote.driver = SLOT_NONE;
    player->remote_id = WIRE_NONE;
    vehicle_syncer_due(shard, vehicle);
    return vehicle;
}

void vehicle_remote_release(struct shard *shard, struct player *player, enum remote_why why)
{
    const struct vehicle *vehicle = part(shard, player);

    if (vehicle == NULL)
        return;
    tell(shard, player, WIRE_NONE, false);
    if (why == REMOTE_EXIT || why == REMOTE_RANGE)
        (void)EVENT_RAISE(shard, EVENT_PLAYER_REMOTE_EXIT, event_player(player), event_vehicle(vehicle),
                          event_text(why == REMOTE_EXIT ? "exit" : "range"));
}

void vehicle_remote_take_away(struct shard *shard, struct vehicle *vehicle)
{
    struct player *driver = vehicle_remote_driver(shard, vehicle);

    if (driver != NULL)
        vehicle_remote_release(shard, driver, REMOTE_GONE);
}

void vehicle_remote_forget(struct shard *shard, struct player *player)
{
    part(shard, player);
}

/* ---- grant */

/* clang-format off: a line for each condition of the page */
static enum reason grant_check(const struct shard *shard, const struct player *player,
                               const struct vehicle *vehicle)
{
    const struct player *driver = vehicle_remote_driver(shard, vehicle);

    if (vehicle->model->vehicle_class != MODEL_RC)
        return REASON_NOT_RC;
    if (!player_is_alive(player) || !player_is_spawned(player))
        return REASON_NOT_ALIVE;
    if (player->vehicle != SLOT_NONE)
        return REASON_NOT_ON_FOOT;
    if (!scope_equal(player->place.scope, vehicle->scope))
        return REASON_OTHER_SCOPE;
    if (!stream_has_vehicle(shard, player, vehicle))
        return REASON_NOT_STREAMED;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (driver != NULL && driver != player)
        return REASON_DRIVEN;
    return REASON_NONE;
}

static enum reason remote_enter_check(const struct shard *shard, const struct player *player,
                                      const struct vehicle *vehicle)
{
    enum reason refused = vehicle == NULL ? REASON_NO_VEHICLE : grant_check(shard, player, vehicle);

    if (refused != REASON_NONE)
        return refused;
    if (vehicle_is_locked_for(shard, vehicle, player))
        return REASON_LOCKED;
    if (player->remote_id != WIRE_NONE)
        return REASON_DRIVES_RC;
    if (player->frozen)
        return REASON_FROZEN;
    if (!within(player->place.pos, vehicle->pos, REMOTE_ENTER_RANGE_M))
        return REASON_OUT_OF_RANGE;
    return REASON_NONE;
}
/* clang-format on */

static void grant(struct shard *shard, struct player *player, struct vehicle *vehicle)
{
    vehicle_remote_release(shard, player, REMOTE_COMMAND);
    vehicle_links_release(shard, vehicle, LINKS_REMOTE);
    vehicle->remote.driver = world_player_slot(&shard->world, player);
    player->remote_id = vehicle->id;
    vehicle_syncer_due(shard, vehicle);
    tell(shard, player, vehicle->id, vehicle->remote.detonation);
}

enum reason vehicle_set_remote(struct shard *shard, struct player *player, struct vehicle *vehicle,
                               bool detonation)
{
    enum reason refused = grant_check(shard, player, vehicle);

    if (refused != REASON_NONE)
        return refused;
    if (player->remote_id != vehicle->id) {
        vehicle->remote.detonation = detonation;
        grant(shard, player, vehicle);
    } else if (vehicle->remote.detonation != detonation) {
        vehicle->remote.detonation = detonation;
        tell(shard, player, vehicle->id, detonation);
    }
    return REASON_NONE;
}

enum reason vehicle_remove_remote(struct shard *shard, struct player *player)
{
    if (player->remote_id == WIRE_NONE)
        return REASON_NOT_DRIVING;
    vehicle_remote_release(shard, player, REMOTE_COMMAND);
    return REASON_NONE;
}

/* ---- packets */

/* Vehicles: VehicleRemoteExit. */
void on_vehicle_remote_exit(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_remote_exit leave;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_remote_exit_decode(&leave, packet.data, packet.size, &error))
        shard_count_malformed(shard, &error);
    else if (leave.vehicle_id == WIRE_NONE || player->remote_id != leave.vehicle_id)
        shard_count(shard, REASON_NOT_DRIVING);
    else
        vehicle_remote_release(shard, player, REMOTE_EXIT);
}

/* Vehicles: VehicleRemoteEnter. */
void on_vehicle_remote_enter(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_remote_enter enter;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_remote_enter_decode(&enter, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    struct vehicle *vehicle = world_vehicle(&shard->world, enter.vehicle_id);
    enum reason refused = remote_enter_check(shard, player, vehicle);

    if (refused == REASON_NONE) {
        bool allowed =
            EVENT_RAISE(shard, EVENT_PLAYER_REMOTE_ENTER, event_player(player), event_vehicle(vehicle));

        vehicle = world_vehicle(&shard->world, enter.vehicle_id);
        refused = allowed ? remote_enter_check(shard, player, vehicle) : REASON_HANDLER;
    }
    if (refused != REASON_NONE)
        shard_count(shard, refused);
    else
        grant(shard, player, vehicle);
}

/* ---- range */

enum reason vehicle_set_remote_range(struct shard *shard, float range_m)
{
    if (!(range_m > 0 && range_m <= REMOTE_RANGE_MAX_M))
        return REASON_OUT_OF_BOUNDS;
    shard->remote_range_m = range_m;
    return REASON_NONE;
}

float vehicle_remote_range(const struct shard *shard)
{
    return shard->remote_range_m;
}

void vehicle_remote_on_frame(struct shard *shard, struct vehicle *vehicle)
{
    struct player *driver = vehicle_remote_driver(shard, vehicle);

    if (driver != NULL && !within(driver->place.pos, vehicle->pos, shard->remote_range_m))
        vehicle_remote_release(shard, driver, REMOTE_RANGE);
}

void vehicle_remote_tick(struct shard *shard)
{
    const struct pool *players = &shard->world.players;

    for (uint32_t slot = pool_next(players, 0); slot != POOL_END; slot = pool_next(players, slot + 1)) {
        struct player *player = world_player_at(&shard->world, slot);
        const struct vehicle *vehicle = vehicle_remote_of(shard, player);

        if (vehicle != NULL && !stream_has_vehicle(shard, player, vehicle))
            vehicle_remote_release(shard, player, REMOTE_RANGE);
    }
}
