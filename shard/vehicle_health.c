#include "shard/vehicle_health.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/vehicle_damage.h"

static void set_value(struct vehicle *vehicle, float value, uint64_t now_ms)
{
    struct vehicle_health *health = &vehicle->health;
    bool burns = value < VEHICLE_BURNS_BELOW;

    if (burns && !health->burning)
        health->burning_since_ms = now_ms;
    health->burning = burns;
    health->value = value;
}

void vehicle_health_reset(struct vehicle *vehicle)
{
    vehicle->health.value = VEHICLE_HEALTH_FULL;
    vehicle->health.burning = false;
}

void vehicle_health_take(struct vehicle *vehicle, const struct wire_vehicle_state *state, uint64_t now_ms)
{
    /* The bounds let a copy report less than nothing. */
    float value = state->health > 0 ? state->health : 0;

    if (!vehicle->wrecked && state->health_rev == vehicle->health.rev && value < vehicle->health.value)
        set_value(vehicle, value, now_ms);
}

bool vehicle_has_burnt(const struct vehicle *vehicle, uint64_t now_ms, uint64_t for_ms)
{
    return vehicle->health.burning && now_ms - vehicle->health.burning_since_ms >= for_ms;
}

enum reason vehicle_set_health(struct shard *shard, struct vehicle *vehicle, float health)
{
    struct wire_vehicle_health command = { .vehicle_id = vehicle->id, .epoch = vehicle->epoch };
    uint8_t packet[WIRE_VEHICLE_HEALTH_SIZE];
    struct wire_error error;
    size_t size;

    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (!between(health, 0, VEHICLE_HEALTH_MAX))
        return REASON_OUT_OF_BOUNDS;
    set_value(vehicle, health, shard->now_ms);
    command.health = health;
    command.health_rev = ++vehicle->health.rev;
    size = wire_vehicle_health_encode(&command, packet, sizeof packet, &error);
    assert(size > 0);
    send_group_critical(shard, &vehicle->observers, packet, size);
    return REASON_NONE;
}

enum reason vehicle_repair(struct shard *shard, struct vehicle *vehicle)
{
    static const struct vehicle_damage intact;
    enum reason refused = vehicle_set_health(shard, vehicle, VEHICLE_HEALTH_FULL);

    if (refused == REASON_NONE && vehicle_has_damage_status(vehicle->model))
        refused = vehicle_set_damage(shard, vehicle, &intact);
    return refused;
}
