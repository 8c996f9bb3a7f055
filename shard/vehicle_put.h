/* vehicle_put.h - the gamemode puts players into vehicles, takes them out, and moves vehicles with all that
 * belongs to them into another scope.
 *
 * Whoever is put into a vehicle that its client does not have is shown the vehicle first: who sits there goes
 * out with the show. A vehicle that changes its scope stays shown to those who come along; from all others it
 * is hidden.
 *
 * Spec: Vehicles: VehicleOccupancy, warp; Player, "Scope changes". */
#ifndef DLMP_SHARD_VEHICLE_PUT_H
#define DLMP_SHARD_VEHICLE_PUT_H

#include "shard/shard.h"

/* REASON_NONE: the player sits there, in the vehicle's scope, wherever it was before; the lock does not
 * matter, nor does a train off its rails. Refused: a wreck, a seat that the model does not have or that is
 * somebody else's, a player who is not alive. */
enum reason vehicle_put_player(struct shard *shard, struct player *player, struct vehicle *vehicle,
                               uint8_t seat);
/* REASON_SEAT_NOT_HELD: it sits nowhere. */
enum reason vehicle_remove_player(struct shard *shard, struct player *player);

/* Everyone who sits in it comes along, and it is respawned there from then on. REASON_OTHER_SHARD: the scope
 * is not this shard's. */
enum reason vehicle_set_scope(struct shard *shard, struct vehicle *vehicle, struct scope scope);

#endif
