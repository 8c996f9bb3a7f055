/* vehicle_handling.h - the handling properties that a gamemode has set on a vehicle, over its model's.
 *
 * Spec: Vehicles: VehicleHandling. */
#ifndef DLMP_SHARD_VEHICLE_HANDLING_H
#define DLMP_SHARD_VEHICLE_HANDLING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"

struct player;
struct shard;
struct vehicle;

enum { HANDLING_PROPERTIES = 21 };

struct vehicle_handling {
    uint32_t mask; /* a bit for each that is set */
    float values[HANDLING_PROPERTIES];
};

/* The page's names, in the order of their numbers: "mass", "turn_mass", … Ends with NULL. */
extern const char *const handling_names[HANDLING_PROPERTIES + 1];
/* HANDLING_PROPERTIES: none has the name. */
uint32_t handling_find(const char *name);

/* Are all in their ranges? Of one that comes from elsewhere. */
bool vehicle_handling_is_valid(const struct vehicle_handling *handling);

/* To one observer after a show, if any is set. */
void vehicle_send_handling(struct shard *shard, struct player *observer, const struct vehicle *vehicle);

/* In HANDLING.CFG's units; NULL: the model's again. REASON_OUT_OF_BOUNDS: not in the page's range. */
enum reason vehicle_set_handling(struct shard *shard, struct vehicle *vehicle, uint32_t property,
                                 const float *value);

#endif
