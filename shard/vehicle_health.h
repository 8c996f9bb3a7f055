/* vehicle_health.h - a vehicle's health: what frames take from it, what a gamemode sets, and how long it
 * has burnt.
 *
 * Spec: Vehicles: VehicleHealth; VehicleFrame, "What an accepted frame changes"; VehicleExplode. */
#ifndef DLMP_SHARD_VEHICLE_HEALTH_H
#define DLMP_SHARD_VEHICLE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"

struct shard;
struct vehicle;
struct wire_vehicle_state;

#define VEHICLE_HEALTH_FULL 1000.0f
#define VEHICLE_HEALTH_MAX 100000.0f
#define VEHICLE_BURNS_BELOW 250.0f

struct vehicle_health {
    float value;
    uint16_t rev; /* of the last command */
    bool burning;
    uint64_t burning_since_ms;
};

/* A new life's. */
void vehicle_health_reset(struct vehicle *vehicle);
/* A frame only lowers it, and only if its copy has taken the last command. */
void vehicle_health_take(struct vehicle *vehicle, const struct wire_vehicle_state *state, uint64_t now_ms);
/* Whether it has burnt for at least that long. */
bool vehicle_has_burnt(const struct vehicle *vehicle, uint64_t now_ms, uint64_t for_ms);

/* Commands of a gamemode, told to everyone. REASON_WRECKED; REASON_OUT_OF_BOUNDS: not 0 to 100000. */
enum reason vehicle_set_health(struct shard *shard, struct vehicle *vehicle, float health);
/* Full health and no damage. */
enum reason vehicle_repair(struct shard *shard, struct vehicle *vehicle);

#endif
