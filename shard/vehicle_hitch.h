/* vehicle_hitch.h - trailers and towed vehicles: hitched and unhitched by who controls the tractor, by the
 * gamemode, and unhitched by the server itself (vehicle_links.h).
 *
 * Spec: Vehicles: VehicleTow, VehicleTrailer. */
#ifndef DLMP_SHARD_VEHICLE_HITCH_H
#define DLMP_SHARD_VEHICLE_HITCH_H

#include "shard/shard.h"

#define VEHICLE_HITCH_RANGE_M 25.0f /* Vehicles: VehicleTow */

void on_vehicle_tow(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
/* One over the limit of vehicle events: the sender is told the server's hitch. */
void vehicle_tow_dropped(struct shard *shard, struct player *player, struct span packet);

/* dlmp.attach_trailer, detach_trailer: no event is raised. What is so already is done. */
enum reason vehicle_attach_trailer(struct shard *shard, struct vehicle *trailer, struct vehicle *tractor);
enum reason vehicle_detach_trailer(struct shard *shard, struct vehicle *trailer);

/* Takes the vehicle off its tractor, if it has one, and tells everyone it is streamed to. */
void vehicle_unhitch(struct shard *shard, struct vehicle *trailer);

#endif
