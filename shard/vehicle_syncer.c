#include "shard/vehicle_syncer.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/vehicle_transform.h"

void vehicle_send_syncer(struct shard *shard, struct player *player, uint32_t vehicle_id, bool active)
{
    struct wire_vehicle_syncer syncer = { .vehicle_id = vehicle_id, .active = active };
    uint8_t packet[WIRE_VEHICLE_SYNCER_SIZE];
    struct wire_error error;
    size_t size = wire_vehicle_syncer_encode(&syncer, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

/* A paused player, a frozen one and a dead one are never syncers. */
static bool can_sync(const struct player *player)
{
    return player_is_alive(player) && !player->paused && !player->frozen;
}

static bool keeps_syncing(const struct shard *shard, const struct vehicle *vehicle)
{
    if (vehicle->syncer == SLOT_NONE)
        return false;

    const struct player *syncer = world_player_at(&shard->world, vehicle->syncer);

    return can_sync(syncer) && distance_squared(syncer->place.pos, vehicle->pos) <
                                   VEHICLE_SYNCER_RANGE_M * VEHICLE_SYNCER_RANGE_M;
}

static uint16_t nearest_observer(const struct shard *shard, const struct vehicle *vehicle)
{
    float nearest = VEHICLE_SYNCER_RANGE_M * VEHICLE_SYNCER_RANGE_M;
    uint16_t found = SLOT_NONE;

    for (uint16_t i = 0; i < vehicle->observers.count; i++) {
        uint16_t slot = vehicle->observers.observers[i];
        const struct player *player = world_player_at(&shard->world, slot);
        float distance = distance_squared(player->place.pos, vehicle->pos);

        /* Of two at the same distance the one with the lower id: the order of the observers means nothing. */
        if (can_sync(player) &&
            (distance < nearest ||
             (distance == nearest &&
              (found == SLOT_NONE || player->ref.id < world_player_at(&shard->world, found)->ref.id)))) {
            nearest = distance;
            found = slot;
        }
    }
    return found;
}

/* In the page's order; hitches and winches are before these. */
static uint16_t choose(const struct shard *shard, const struct vehicle *vehicle)
{
    if (vehicle->seats[0] != SLOT_NONE && can_sync(world_player_at(&shard->world, vehicle->seats[0])))
        return SLOT_NONE;
    for (uint8_t seat = 1; seat < vehicle->model->seats; seat++)
        if (vehicle->seats[seat] != SLOT_NONE &&
            can_sync(world_player_at(&shard->world, vehicle->seats[seat])))
            return vehicle->seats[seat];
    if (keeps_syncing(shard, vehicle))
        return vehicle->syncer;
    return nearest_observer(shard, vehicle);
}

static void update(struct shard *shard, struct vehicle *vehicle)
{
    uint16_t before = vehicle->syncer;
    uint16_t after = choose(shard, vehicle);

    if (before != after) {
        vehicle->syncer = after;
        if (before != SLOT_NONE)
            vehicle_send_syncer(shard, world_player_at(&shard->world, before), vehicle->id, false);
        if (after != SLOT_NONE)
            vehicle_send_syncer(shard, world_player_at(&shard->world, after), vehicle->id, true);
    }
    if (after == SLOT_NONE && vehicle->seats[0] == SLOT_NONE && vehicle->pos[2] < VEHICLE_FALLEN_Z_M)
        vehicle_put_back(shard, vehicle);
}

void vehicle_syncer_due(struct shard *shard, struct vehicle *vehicle)
{
    if (vehicle->syncer_due)
        return;
    vehicle->syncer_due = true;
    assert(shard->syncers_due_count < shard->world.vehicles.capacity);
    shard->syncers_due[shard->syncers_due_count++] = world_vehicle_slot(&shard->world, vehicle);
}

void vehicle_syncer_cancel(struct shard *shard, struct vehicle *vehicle)
{
    uint16_t slot = world_vehicle_slot(&shard->world, vehicle);
    uint32_t at = 0;

    if (!vehicle->syncer_due)
        return;
    vehicle->syncer_due = false;
    while (shard->syncers_due[at] != slot)
        at++;
    shard->syncers_due[at] = shard->syncers_due[--shard->syncers_due_count];
}

void vehicle_syncer_run(struct shard *shard)
{
    for (uint32_t i = 0; i < shard->syncers_due_count; i++) {
        struct vehicle *vehicle = world_vehicle_at(&shard->world, shard->syncers_due[i]);

        assert(vehicle->syncer_due);
        vehicle->syncer_due = false;
        update(shard, vehicle);
    }
    shard->syncers_due_count = 0;
}

void vehicle_syncer_tick(struct shard *shard)
{
    const struct pool *vehicles = &shard->world.vehicles;

    vehicle_syncer_run(shard);
    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        update(shard, world_vehicle_at(&shard->world, slot));
}

bool vehicle_syncer_drop(struct shard *shard, struct vehicle *vehicle, const struct player *player)
{
    if (vehicle->syncer != world_player_slot(&shard->world, player))
        return false;
    vehicle->syncer = SLOT_NONE;
    vehicle_syncer_due(shard, vehicle);
    return true;
}
