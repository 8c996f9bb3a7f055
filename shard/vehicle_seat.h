/* vehicle_seat.h - who sits where: requests, refusals, jacking, getting out.
 *
 * Spec: Vehicles: VehicleEnter, VehicleExit, VehicleOccupancy. */
#ifndef DLMP_SHARD_VEHICLE_SEAT_H
#define DLMP_SHARD_VEHICLE_SEAT_H

#include "shard/shard.h"

#define VEHICLE_ENTER_RANGE_M 15.0f /* Vehicles: VehicleEnter */
#define TRAIN_CARRIAGE_M 25.0f      /* likewise: for every carriage up to the seat's */

/* REASON_NONE: the player may take the seat; when somebody else drives, as a jacker. */
enum reason vehicle_enter_check(const struct shard *shard, const struct player *player,
                                const struct vehicle *vehicle, uint8_t seat);

void on_vehicle_enter(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_vehicle_exit(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

/* Frees the player's seat, if it has one, and tells everyone the vehicle is streamed to. */
void vehicle_unseat(struct shard *shard, struct player *player);
/* Likewise without a word: the player is leaving, and PlayerLeave says so. */
void vehicle_unseat_silently(struct shard *shard, struct player *player);

/* How much farther from the vehicle's position the seat is than the locomotive, in a train. */
float vehicle_seat_distance(const struct model *model, uint8_t seat);
/* To one observer: who sits there. */
void vehicle_send_seated(struct shard *shard, struct player *observer, const struct vehicle *vehicle,
                         uint8_t seat);

#endif
