/* combat_rays.h - the rays that a player has fired, for the hits that are reported of them.
 *
 * Spec: Combat: DamageReport, bullet; Vehicles: VehicleShot. */
#ifndef DLMP_SHARD_COMBAT_RAYS_H
#define DLMP_SHARD_COMBAT_RAYS_H

#include <stdint.h>

enum {
    COMBAT_RAYS_MAX = 32,    /* Combat: DamageReport, bullet: the last 32 */
    COMBAT_RAY_AGE_MS = 500, /* likewise */
};

struct combat_ray {
    uint64_t at_ms;
    uint32_t order;
    uint8_t weapon; /* the hit's */
    float start[3];
    float end[3];
};

struct combat_rays {
    struct combat_ray ring[COMBAT_RAYS_MAX];
    uint8_t next;
    uint8_t count;
};

void combat_rays_add(struct combat_rays *rays, const struct combat_ray *ray);
/* The ray of that weapon and number, if it is recent enough to have hit now; else NULL. */
const struct combat_ray *combat_rays_find(const struct combat_rays *rays, uint64_t now_ms, uint8_t weapon,
                                          uint32_t order);

/* How far the point is from the ray, at its nearest. */
float combat_ray_distance(const float start[3], const float end[3], const float point[3]);

#endif
