/* vehicle_life.h - vehicles come into the world and leave it. */
#ifndef DLMP_SHARD_VEHICLE_LIFE_H
#define DLMP_SHARD_VEHICLE_LIFE_H

#include "shard/shard.h"

/* The configuration must have passed shard_config_check. NULL: the table is full. */
struct vehicle *vehicle_create(struct shard *shard, uint32_t id, const struct shard_vehicle *config);
/* The next life of it, where it was made: with default parameters and without damage, tuning, handling, colors and
 * freeze kept. Whoever sits in it is told to get out. */
void vehicle_respawn(struct shard *shard, struct vehicle *vehicle);
/* Whoever sits in it is told to get out, whoever sees it that it is gone. */
void vehicle_destroy(struct shard *shard, struct vehicle *vehicle);

#endif
