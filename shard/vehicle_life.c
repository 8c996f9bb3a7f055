#include "shard/vehicle_life.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/ownership.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"

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
    vehicle_health_reset(vehicle);
    memcpy(vehicle->pos, vehicle->spawn.pos, sizeof vehicle->pos);
    rotation_from_heading(vehicle->spawn.heading, vehicle->rot);
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), vehicle->scope,
             vehicle->pos);
    return vehicle;
}

enum reason vehicle_create_owned(struct shard *shard, uint16_t owner, const struct shard_vehicle *what,
                                 struct vehicle **made)
{
    struct scope scope;
    enum reason refused = shard_vehicle_check(what);
    uint32_t id;

    assert(owner != 0);
    *made = NULL;
    if (refused != REASON_NONE)
        return refused;
    scope =
        (struct scope){ .virtual_world = (uint32_t)what->virtual_world, .interior = (uint8_t)what->interior };
    if (!ownership_has(shard, scope))
        return REASON_OTHER_SHARD;
    if (shard->world.vehicles.count == shard->world.vehicles.capacity)
        return REASON_TABLE_FULL;
    if (!ownership_take_id(shard, &id))
        return REASON_NO_IDS;
    *made = vehicle_create(shard, id, what);
    (*made)->owner = owner;
    return REASON_NONE;
}

void vehicle_respawn(struct shard *shard, struct vehicle *vehicle)
{
    if (vehicle->leaving)
        return;
    vehicle_unseat_all(shard, vehicle);
    vehicle_links_release(shard, vehicle, LINKS_RESPAWN);
    vehicle->epoch++;
    combat_path_restart(&vehicle->path);
    vehicle->wrecked = false;
    vehicle->drowned = false;
    vehicle_health_reset(vehicle);
    vehicle->damage = (struct vehicle_damage){ 0 };
    vehicle->part = vehicle->part_wanted = 0;
    vehicle->searchlight = false;
    vehicle->hydraulics = (struct vehicle_hydraulics){ 0 };
    vehicle_params_respawn(vehicle);
    vehicle_tuning_respawn(vehicle);
    memset(vehicle->shooters, 0, sizeof vehicle->shooters);
    memcpy(vehicle->pos, vehicle->spawn.pos, sizeof vehicle->pos);
    memset(vehicle->move_speed, 0, sizeof vehicle->move_speed);
    memset(vehicle->turn_speed, 0, sizeof vehicle->turn_speed);
    rotation_from_heading(vehicle->spawn.heading, vehicle->rot);
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), vehicle->scope,
             vehicle->pos);
    stream_show_again(shard, vehicle);
    stream_update_vehicle(shard, vehicle);
    vehicle_syncer_due(shard, vehicle);
    vehicle_raise_seats(shard);
}

void vehicle_destroy(struct shard *shard, struct vehicle *vehicle)
{
    if (vehicle->leaving)
        return;
    vehicle->leaving = true;
    vehicle_unseat_all(shard, vehicle);
    vehicle_raise_seats(shard); /* while the handlers can still look at it */
    vehicle_links_release(shard, vehicle, LINKS_REMOVAL);
    stream_hide_vehicle(shard, vehicle);
    vehicle_syncer_cancel(shard, vehicle);
    grid_remove(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle));
    vehicle_params_fini(vehicle);
    world_remove_vehicle(&shard->world, vehicle);
}

void vehicle_destroy_owned(struct shard *shard, uint16_t owner)
{
    const struct pool *vehicles = &shard->world.vehicles;

    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        if (world_vehicle_at(&shard->world, slot)->owner == owner)
            vehicle_destroy(shard, world_vehicle_at(&shard->world, slot));
}
