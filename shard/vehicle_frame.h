/* vehicle_frame.h - the state of a vehicle from who controls it: acceptance, and the relay to everyone who
 * sees it.
 *
 * The page's mark "per connection and vehicle" is kept for the PLAYER_MARKS vehicles with the newest
 * frames. One that has to go leaves its seq behind: the sender's seq is one counter over all its vehicles,
 * so a frame that is not newer than any mark that went is a straggler, and what an honest client sends
 * later always is.
 *
 * Spec: Vehicles: VehicleFrame, RemoteVehicleFrame. */
#ifndef DLMP_SHARD_VEHICLE_FRAME_H
#define DLMP_SHARD_VEHICLE_FRAME_H

#include "shard/shard.h"
#include "shard/vehicle_fields.h"

/* REASON_NONE: all conditions of the page hold, the rate limits aside. */
enum reason vehicle_frame_check(const struct vehicle *vehicle, enum vehicle_control control,
                                const struct player *player, const struct wire_vehicle_frame *frame);

void on_vehicle_frame(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
