/* vehicle_winch.h - loads on the winches of helicopters: picked up and released by who controls the
 * helicopter, and released by the server itself (vehicle_links.h). The winch itself is a parameter.
 *
 * Spec: Vehicles: VehicleWinch, VehicleLift. */
#ifndef DLMP_SHARD_VEHICLE_WINCH_H
#define DLMP_SHARD_VEHICLE_WINCH_H

#include "shard/shard.h"

#define VEHICLE_WINCH_RANGE_M 30.0f /* Vehicles: VehicleWinch */

void on_vehicle_winch(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
/* One over the limit of vehicle events: the sender is told the server's state. */
void vehicle_winch_dropped(struct shard *shard, struct player *player, struct span packet);

/* Takes the vehicle off the winch, if it hangs on one, and tells everyone it is streamed to. */
void vehicle_drop_from_winch(struct shard *shard, struct vehicle *load);

#endif
