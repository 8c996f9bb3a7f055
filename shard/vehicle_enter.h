/* vehicle_enter.h - a player asks for a seat, another one's among them, and gets out again.
 *
 * All conditions of the page are checked before the gamemode's handlers are asked and again after them, for a
 * handler may have changed any of them.
 *
 * Spec: Vehicles: VehicleEnter, Jacking; VehicleExit. */
#ifndef DLMP_SHARD_VEHICLE_ENTER_H
#define DLMP_SHARD_VEHICLE_ENTER_H

#include "shard/shard.h"

#define VEHICLE_ENTER_RANGE_M 15.0f /* Vehicles: VehicleEnter */

/* REASON_NONE: the player may take the seat; when somebody else drives, as a jacker. */
enum reason vehicle_enter_check(const struct shard *shard, const struct player *player,
                                const struct vehicle *vehicle, uint8_t seat);

void on_vehicle_enter(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_vehicle_exit(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
