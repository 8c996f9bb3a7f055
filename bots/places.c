#include "bots/places.h"

#include <math.h>

#define GOLDEN_RAD 2.3999632f

/* How likely two random points of a disc are within x radii of each other. */
static double share_within(double x)
{
    if (x >= 2.0)
        return 1.0;
    return 1.0 + 2.0 / M_PI * (x * x - 1.0) * acos(x / 2.0) -
           x / M_PI * (1.0 + x * x / 2.0) * sqrt(1.0 - x * x / 4.0);
}

float places_radius_m(uint32_t count, uint32_t neighbours)
{
    double low = PLACES_CLUSTER_M;
    double high = PLACES_WORLD_M;

    if (count < 2 || neighbours >= count - 1)
        return PLACES_CLUSTER_M;
    for (int i = 0; i < 60; i++) {
        double radius = (low + high) / 2.0;

        if ((count - 1) * share_within(PLACES_RANGE_M / radius) > neighbours)
            low = radius;
        else
            high = radius;
    }
    return (float)low;
}

static float inside(float value, float radius)
{
    float most = PLACES_WORLD_M - radius;

    return fminf(fmaxf(value, -most), most);
}

void places_on_disc(const float center[3], float radius_m, uint32_t count, uint32_t n, float place[3])
{
    float far_m = radius_m * sqrtf(((float)n + 0.5f) / (float)count);
    float angle = fmodf((float)n * GOLDEN_RAD, 2.0f * (float)M_PI);

    place[0] = inside(center[0], radius_m) + far_m * cosf(angle);
    place[1] = inside(center[1], radius_m) + far_m * sinf(angle);
    place[2] = center[2];
}

void places_in_cluster(struct rng *rng, const float center[3], float place[3])
{
    float angle = 2.0f * (float)M_PI * rng_unit(rng);
    float far_m = PLACES_CLUSTER_M * sqrtf(rng_unit(rng));

    place[0] = center[0] + far_m * cosf(angle);
    place[1] = center[1] + far_m * sinf(angle);
    place[2] = center[2];
}
