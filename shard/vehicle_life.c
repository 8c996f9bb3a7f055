#include "shard/vehicle_life.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"

/* Vehicles: VehicleSync.health: 1000 is full. */
#define VEHICLE_HEALTH_FULL 1000.0f

struct vehicle *vehicle_create(struct shard *shard, uint32_t id, const struct shard_vehicle *config)
{
    struct vehicle *vehicle = world_add_vehicle(&shard->world, id);

    if (vehicle == NULL)
        return NULL;
    vehicle->model = model_find((uint32_t)config->model);
    vehicle->spawn = (struct place){
        .scope = { .virtual_world = (uint32_t)config->virtual_world, .interior = (uint8_t)config->interior },
        .pos = { (float)config->x, (float)config->y, (float)config->z },
        .heading = (float)config->heading,
    };
    vehicle->scope = vehicle->spawn.scope;
    vehicle->color1 = (uint8_t)config->color1;
    vehicle->color2 = (uint8_t)config->color2;
    vehicle_params_init(vehicle, config->engine);
    vehicle_tuning_init(vehicle);
    vehicle->health = VEHICLE_HEALTH_FULL;
    memcpy(vehicle->pos, vehicle->spawn.pos, sizeof vehicle->pos);
    rotation_from_heading(vehicle->spawn.heading, vehicle->rot);
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), vehicle->scope,
             vehicle->pos);
    return vehicle;
}

void vehicle_destroy(struct shard *shard, struct vehicle *vehicle)
{
    for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
        if (vehicle->seats[seat] != SLOT_NONE)
            vehicle_unseat(shard, world_player_at(&shard->world, vehicle->seats[seat]));
    stream_hide_vehicle(shard, vehicle);
    vehicle_syncer_cancel(shard, vehicle);
    grid_remove(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle));
    vehicle_params_fini(vehicle);
    world_remove_vehicle(&shard->world, vehicle);
}
