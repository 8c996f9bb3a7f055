#include "shard/combat_rays.h"

#include "shard/geometry.h"

void combat_rays_add(struct combat_rays *rays, const struct combat_ray *ray)
{
    rays->ring[rays->next] = *ray;
    rays->next = (uint8_t)((rays->next + 1) % COMBAT_RAYS_MAX);
    if (rays->count < COMBAT_RAYS_MAX)
        rays->count++;
}

const struct combat_ray *combat_rays_find(const struct combat_rays *rays, uint64_t now_ms, uint8_t weapon,
                                          uint32_t order)
{
    for (uint8_t i = 0; i < rays->count; i++) {
        const struct combat_ray *ray = &rays->ring[i];

        if (ray->order == order && ray->weapon == weapon && now_ms - ray->at_ms <= COMBAT_RAY_AGE_MS)
            return ray;
    }
    return NULL;
}

float combat_ray_distance(const float start[3], const float end[3], const float point[3])
{
    float along = 0;
    float length = distance_squared(start, end);
    float nearest[3];

    for (int axis = 0; axis < 3; axis++)
        along += (point[axis] - start[axis]) * (end[axis] - start[axis]);
    along = length > 0 ? along / length : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int axis = 0; axis < 3; axis++)
        nearest[axis] = start[axis] + along * (end[axis] - start[axis]);
    return sqrtf(distance_squared(nearest, point));
}
