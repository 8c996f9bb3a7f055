#include "shard/vehicle_nitro.h"

#include "shard/shard.h"
#include "shard/vehicle_tuning.h"

/* Vehicles: VehicleFrame, Nitro and hydraulics. */
enum { NITRO_BURN_MAX_MS = 25000, NITRO_REFILL_MIN_MS = 18000 };
#define NITRO_FULL 1.0f

void vehicle_nitro_refill(struct vehicle *vehicle)
{
    vehicle->nitro = (struct vehicle_nitro){ .level = NITRO_FULL };
}

static void burn_out(struct shard *shard, struct vehicle *vehicle, uint64_t at_ms)
{
    vehicle->nitro.burning = false;
    vehicle->nitro.burnt = true;
    vehicle->nitro.burnt_at_ms = at_ms;
    if (vehicle->tuning.nitro_charges == 0) {
        vehicle_tuning_drop_nitro(vehicle);
        vehicle_tell_tuning(shard, vehicle);
    }
}

/* What has burnt for its time is out, whatever frames say. */
static void settle(struct shard *shard, struct vehicle *vehicle, uint64_t now_ms)
{
    if (vehicle->nitro.burning && now_ms - vehicle->nitro.lit_at_ms > NITRO_BURN_MAX_MS)
        burn_out(shard, vehicle, vehicle->nitro.lit_at_ms + NITRO_BURN_MAX_MS);
}

static bool may_light(const struct vehicle *vehicle, bool pilot, uint64_t now_ms)
{
    return pilot && !vehicle->wrecked && vehicle->tuning.nitro_charges > 0 &&
           (!vehicle->nitro.burnt || now_ms - vehicle->nitro.burnt_at_ms >= NITRO_REFILL_MIN_MS);
}

void vehicle_nitro_take(struct shard *shard, struct vehicle *vehicle, bool pilot, float level,
                        uint64_t now_ms)
{
    struct vehicle_nitro *nitro = &vehicle->nitro;
    bool burns = level < 0;

    settle(shard, vehicle, now_ms);
    if (!vehicle_has_component(vehicle, COMPONENT_NITRO))
        return;
    if (burns && !nitro->burning) {
        if (!may_light(vehicle, pilot, now_ms)) {
            shard_count(shard, REASON_NO_NITRO);
            return;
        }
        nitro->burning = true;
        nitro->lit_at_ms = now_ms;
        vehicle->tuning.nitro_charges--;
        vehicle_tell_tuning(shard, vehicle);
    } else if (!burns && nitro->burning) {
        burn_out(shard, vehicle, now_ms);
        if (!vehicle_has_component(vehicle, COMPONENT_NITRO))
            return;
    }
    nitro->level = level < -1 ? -1 : level > 1 ? 1 : level;
}

void vehicle_hydraulics_take(struct vehicle *vehicle, bool pilot, const struct wire_vehicle_state *state)
{
    struct vehicle_hydraulics *hydraulics = &vehicle->hydraulics;

    if (!vehicle_has_component(vehicle, COMPONENT_HYDRAULICS)) {
        *hydraulics = (struct vehicle_hydraulics){ 0 };
    } else if (pilot && !vehicle->wrecked) {
        *hydraulics = (struct vehicle_hydraulics){ .state = state->hydraulics,
                                                   .left_right = state->hydraulic_lr,
                                                   .up_down = state->hydraulic_ud };
    } else {
        hydraulics->left_right = 0;
        hydraulics->up_down = 0;
    }
}

void vehicle_nitro_tick(struct shard *shard, uint64_t now_ms)
{
    const struct pool *vehicles = &shard->world.vehicles;

    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        settle(shard, world_vehicle_at(&shard->world, slot), now_ms);
}
