/* vehicle_death.h - vehicles explode and drown: who may say so, who is credited, what is left.
 *
 * Spec: Vehicles: VehicleExplode, VehicleDeath. */
#ifndef DLMP_SHARD_VEHICLE_DEATH_H
#define DLMP_SHARD_VEHICLE_DEATH_H

#include "shard/shard.h"

enum {
    VEHICLE_BURNS_FOR_MS = 4000,     /* Vehicles: VehicleExplode */
    VEHICLE_SHOOTER_AGE_MS = 20000,  /* likewise, "The vehicle's killer" */
    VEHICLE_KILLER_WINDOW_MS = 5000, /* likewise */
};

void on_vehicle_explode(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

/* An accepted shot: the vehicles that its ray has passed remember the shooter. */
void vehicle_note_ray(struct shard *shard, const struct player *shooter, const struct combat_ray *ray);
/* Who the explosion of its vehicle is credited to, for a death that is reported now; NULL: nobody. */
struct player *vehicle_killer_of(const struct shard *shard, const struct player *occupant, uint64_t now_ms);
/* It got out, or something else has hurt it since. */
void vehicle_killer_forget(struct player *occupant);

#endif
