/* vehicle_show.h - the packets that show a vehicle to an observer, and hide it.
 *
 * The show is droppable, what must follow it is critical: it goes out only with the show.
 *
 * Spec: Vehicles: VehicleSync, VehicleTransform, VehicleOccupancy. */
#ifndef DLMP_SHARD_VEHICLE_SHOW_H
#define DLMP_SHARD_VEHICLE_SHOW_H

#include "shard/shard.h"

/* False: the lane has no room, and nothing was sent. */
bool vehicle_send_show(struct shard *shard, struct player *observer, const struct vehicle *vehicle);
/* Whether the lane has room or not; an observer that was the syncer is told first that it is no more. */
void vehicle_push_hide(struct shard *shard, struct player *observer, const struct owed_hide *hide);

#endif
