/* vehicle_shot.h - salvos of the weapons that vehicles carry.
 *
 * Spec: Vehicles: VehicleShot, RemoteVehicleShot. */
#ifndef DLMP_SHARD_VEHICLE_SHOT_H
#define DLMP_SHARD_VEHICLE_SHOT_H

#include "shard/shard.h"

#define VEHICLE_SHOT_START_M 25.0f /* Vehicles: VehicleShot */

/* The weapon of a model. */
struct vehicle_gun {
    uint16_t model;
    uint8_t rays;
    uint8_t weapon;       /* of the hit */
    uint16_t interval_ms; /* the game's */
    float length_m;       /* the longest ray */
};

/* NULL: the model carries none. */
const struct vehicle_gun *vehicle_gun_of(const struct model *model);

void on_vehicle_shot(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
