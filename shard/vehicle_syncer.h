/* vehicle_syncer.h - the player who syncs a vehicle without a driver.
 *
 * It is chosen again on every streaming tick, and for the vehicles that are due when an item has been
 * handled: a seat, a link or an observer of theirs has changed. What hangs on a vehicle is chosen for
 * together with it. The gamemode is told once a pass, of what has come of it. A vehicle that nobody can sync
 * and that has fallen under the world would stay there for ever: the server puts it back.
 *
 * Spec: Vehicles: VehicleSyncer. */
#ifndef DLMP_SHARD_VEHICLE_SYNCER_H
#define DLMP_SHARD_VEHICLE_SYNCER_H

#include "shard/shard.h"

#define VEHICLE_SYNCER_RANGE_M 130.0f /* Vehicles: VehicleSyncer */
#define VEHICLE_FALLEN_Z_M (-100.0f)  /* ours: deeper than any place of the game's map */

/* The syncer is to be chosen again. */
void vehicle_syncer_due(struct shard *shard, struct vehicle *vehicle);
/* The vehicle is about to be removed. */
void vehicle_syncer_cancel(struct shard *shard, struct vehicle *vehicle);
/* Chooses for all that are due. */
void vehicle_syncer_run(struct shard *shard);
/* Chooses for all vehicles. */
void vehicle_syncer_tick(struct shard *shard);

/* The player loses sight of the vehicle and syncs it no more. True: it did, and is to be told so before
 * the hide. */
bool vehicle_syncer_drop(struct shard *shard, struct vehicle *vehicle, const struct player *player);
/* VehicleSyncer. */
void vehicle_send_syncer(struct shard *shard, struct player *player, uint32_t vehicle_id, bool active);

#endif
