/* vehicle_control.h - who controls a vehicle: its driver or, without one that counts, its syncer.
 *
 * Spec: Vehicles: VehicleFrame, Acceptance; VehicleSyncer. */
#ifndef DLMP_SHARD_VEHICLE_CONTROL_H
#define DLMP_SHARD_VEHICLE_CONTROL_H

#include "shard/shard.h"

enum vehicle_control {
    CONTROL_NONE,
    CONTROL_PILOT,        /* in seat 0 and not paused */
    CONTROL_PAUSED_PILOT, /* its frames count, its keys do not */
    CONTROL_SYNCER,
};

/* Who the player is to the vehicle. The page has a frame of the syncer accepted while the driver is paused
 * and gives a vehicle a syncer while its driver is frozen as well: either way the vehicle is the syncer's
 * (RULES.md, D-12). The driver's own frames are accepted by the letter all the time. */
enum vehicle_control vehicle_control_of(const struct shard *shard, const struct player *player,
                                        const struct vehicle *vehicle);
/* The driver, if it counts (neither paused nor frozen), else the syncer; NULL: nobody. */
struct player *vehicle_controller(const struct shard *shard, const struct vehicle *vehicle);
/* The player in the seat; NULL: it is empty. */
struct player *vehicle_occupant(const struct shard *shard, const struct vehicle *vehicle, uint8_t seat);

#endif
