/* vehicle_life.h - vehicles come into the world and leave it.
 *
 * Each belongs to the configuration or to the resource that made it: when that stops, its vehicles go.
 *
 * Spec: Vehicles: VehicleSync, Authority. */
#ifndef DLMP_SHARD_VEHICLE_LIFE_H
#define DLMP_SHARD_VEHICLE_LIFE_H

#include "shard/shard.h"

/* The configuration must have passed shard_config_check. NULL: the table is full. */
struct vehicle *vehicle_create(struct shard *shard, uint32_t id, const struct shard_vehicle *config);
/* For the resource with that number, at least 1. REASON_NONE: `made` is it, and whoever is near is shown it
 * with the next tick. Otherwise `made` is NULL: what it is to be is refused, it is another shard's scope, the
 * table is full, or there are no ids until the coordinator answers. */
enum reason vehicle_create_owned(struct shard *shard, uint16_t owner, const struct shard_vehicle *what,
                                 struct vehicle **made);
/* The next life of it, where it was made: with default parameters and without damage; tuning, handling,
 * colors and freeze are kept. Whoever sits in it is told to get out. */
void vehicle_respawn(struct shard *shard, struct vehicle *vehicle);
/* Whoever sits in it is told to get out, whoever sees it that it is gone. Within a handler as well: one that
 * is being destroyed already goes on being so. */
void vehicle_destroy(struct shard *shard, struct vehicle *vehicle);
/* All that the resource has made. */
void vehicle_destroy_owned(struct shard *shard, uint16_t owner);

#endif
