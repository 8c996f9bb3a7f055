/* places.h - where bots are to be, so that each sees as many others as asked for.
 *
 * Places are handed out one by one, each as the next seed of a sunflower's head: however many there are, they
 * lie evenly around the center, at a density that the total and the neighbours wanted set. So every bot can
 * go to its place right after its spawn, before anybody knows how many will come.
 *
 * Spec: Player, Streaming: players see each other within 200 m. */
#ifndef DLMP_BOTS_PLACES_H
#define DLMP_BOTS_PLACES_H

#include <stdint.h>

#include "common/random.h"

#define PLACES_RANGE_M 200.0f  /* Player, Streaming */
#define PLACES_CLUSTER_M 30.0f /* ours: whatever the bots of a cluster do, they stay within range */
#define PLACES_WORLD_M 5800.0f /* Player: |x|, |y| of at most 6000, less the walks around a place */

/* The radius of the disc on which `count` bots see `neighbours` others each, on average. */
float places_radius_m(uint32_t count, uint32_t neighbours);
/* The place number `n`, from 0, of the `count` on a disc around the center, moved to where the disc lies
 * within the world. */
void places_on_disc(const float center[3], float radius_m, uint32_t count, uint32_t n, float place[3]);
/* Somewhere within PLACES_CLUSTER_M of the center. */
void places_in_cluster(struct rng *rng, const float center[3], float place[3]);

#endif
