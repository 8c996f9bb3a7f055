/* vehicle_fields.h - what the server rewrites in a vehicle's frame before it relays it.
 *
 * Some values are the server's (health and the revisions), some exist on certain models only, and some
 * only a live pilot moves: the last of these the vehicle remembers, and every other frame carries what it
 * remembers.
 *
 * Spec: Vehicles: VehicleFrame, "Field rules", "Siren", "Nitro and hydraulics". */
#ifndef DLMP_SHARD_VEHICLE_FIELDS_H
#define DLMP_SHARD_VEHICLE_FIELDS_H

#include "shard/vehicle_control.h"

/* Takes over what the frame changes of those values. False: a switch of the siren is over the pilot's
 * limit, and waits. */
bool vehicle_fields_take(struct shard *shard, struct vehicle *vehicle, enum vehicle_control control,
                         const struct wire_vehicle_state *state, struct bucket *siren, uint64_t now_ms);

/* Rewrites the state as it lies in a packet, by the vehicle as it is now. */
void vehicle_fields_rewrite(const struct vehicle *vehicle, uint8_t *state);

#endif
