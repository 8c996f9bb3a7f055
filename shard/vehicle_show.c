#include "shard/vehicle_show.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"
#include "shard/vehicle_transform.h"

/* Vehicles: VehicleSync.flags. */
enum { SHOW_WRECKED = 1, SHOW_DROWNED = 1 << 1, SHOW_CLOCKWISE = 1 << 2, SHOW_DERAILED = 1 << 3 };

/* Ours: half a degree; what a car has on a flat road is nobody's to see. */
#define LEVEL_DOT_MIN 0.99999f

/* A show places the vehicle level at its heading. */
static bool stands_level(const struct vehicle *vehicle)
{
    float level[4];
    float dot = 0;

    rotation_from_heading(heading_from_rotation(vehicle->rot), level);
    for (int i = 0; i < 4; i++)
        dot += level[i] * vehicle->rot[i];
    return fabsf(dot) / vector_length(vehicle->rot, 4) >= LEVEL_DOT_MIN;
}

static uint8_t show_flags(const struct vehicle *vehicle)
{
    unsigned flags = 0;

    if (vehicle->wrecked)
        flags |= SHOW_WRECKED | (vehicle->drowned ? SHOW_DROWNED : 0);
    if (vehicle->model->vehicle_class == MODEL_TRAIN)
        flags |= (vehicle->clockwise ? SHOW_CLOCKWISE : 0) | (vehicle->derailed ? SHOW_DERAILED : 0);
    return (uint8_t)flags;
}

static size_t encode_show(const struct shard *shard, const struct player *observer,
                          const struct vehicle *vehicle, uint8_t *packet, size_t room)
{
    struct wire_vehicle_sync show = {
        .vehicle_id = vehicle->id,
        .active = 1,
        .model = vehicle->model->id,
        .x = vehicle->pos[0],
        .y = vehicle->pos[1],
        .z = vehicle->pos[2],
        .heading = heading_from_rotation(vehicle->rot),
        .color1 = vehicle->color1,
        .color2 = vehicle->color2,
        .health = vehicle->health.value,
        .flags = show_flags(vehicle),
        .epoch = vehicle->epoch,
        .damage = vehicle_damage_status(vehicle),
        .params = vehicle_params_for(shard, vehicle, observer),
        .doors = vehicle->params.doors,
        .relay_seq = vehicle->relay_seq,
        .tractor_id = vehicle->links.tractor_id,
        .lifter_id = vehicle->links.lifter_id,
        .part = vehicle->part,
        .health_rev = vehicle->health.rev,
        .damage_rev = vehicle->damage_rev,
        .siren_rev = vehicle->params.siren_rev,
        .pose_rev = vehicle->pose_rev,
    };
    struct wire_error error;
    size_t size = wire_vehicle_sync_encode(&show, packet, room, &error);

    assert(size > 0);
    return size;
}

bool vehicle_send_show(struct shard *shard, struct player *observer, const struct vehicle *vehicle)
{
    uint8_t packet[WIRE_VEHICLE_SYNC_SIZE];

    if (!send_droppable(shard, observer, packet,
                        encode_show(shard, observer, vehicle, packet, sizeof packet)))
        return false;
    if (vehicle->frozen)
        vehicle_send_transform(shard, observer, vehicle, TRANSFORM_HELD);
    else if (!stands_level(vehicle))
        vehicle_send_transform(shard, observer, vehicle, TRANSFORM_ROTATION);
    vehicle_send_tuning(shard, observer, vehicle);
    vehicle_send_handling(shard, observer, vehicle);
    vehicle_train_send_speed(shard, observer, vehicle);
    for (uint8_t seat = 0; seat < vehicle->model->seats; seat++)
        if (vehicle->seats[seat] != SLOT_NONE)
            vehicle_send_seated(shard, observer, vehicle, seat);
    return true;
}

void vehicle_push_hide(struct shard *shard, struct player *observer, const struct owed_hide *hide)
{
    struct wire_vehicle_sync sync = { .vehicle_id = hide->id };
    uint8_t packet[WIRE_VEHICLE_SYNC_SIZE];
    struct wire_error error;
    size_t size = wire_vehicle_sync_encode(&sync, packet, sizeof packet, &error);

    assert(size > 0);
    if (hide->synced)
        vehicle_send_syncer(shard, observer, hide->id, false);
    /* Within its room a hide is droppable like a show; past it, it is what ends a client that owes too
     * many. */
    if (!send_droppable(shard, observer, packet, size))
        send_critical(shard, observer, packet, size);
}
