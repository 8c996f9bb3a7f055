/* geometry.h - points, distances and headings.
 *
 * "Within N" includes exactly N (RULES.md, D-38). Bounds are compared as the floats of the wire are:
 * rounded to f32. */
#ifndef DLMP_SHARD_GEOMETRY_H
#define DLMP_SHARD_GEOMETRY_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Vehicles: VehicleFrame, "inside the world"; the Player page has the same. */
#define WORLD_XY_MAX 6000.0f
#define WORLD_Z_MIN (-200.0f)
#define WORLD_Z_MAX 4000.0f

#define GEOMETRY_PI 3.14159265358979323846f

static inline float distance_squared(const float a[3], const float b[3])
{
    float x = a[0] - b[0];
    float y = a[1] - b[1];
    float z = a[2] - b[2];

    return x * x + y * y + z * z;
}

static inline bool within(const float a[3], const float b[3], float range)
{
    return distance_squared(a, b) <= range * range;
}

static inline float vector_length(const float *v, int count)
{
    float sum = 0;

    for (int i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrtf(sum);
}

/* False for a NaN as well. */
static inline bool between(float value, float low, float high)
{
    return value >= low && value <= high;
}

static inline bool inside_world(const float pos[3])
{
    return fabsf(pos[0]) <= WORLD_XY_MAX && fabsf(pos[1]) <= WORLD_XY_MAX &&
           between(pos[2], WORLD_Z_MIN, WORLD_Z_MAX);
}

/* The rotation (x, y, z, w) of something that stands level; headings are degrees, counter-clockwise from
 * +y. */
static inline void rotation_from_heading(float heading, float rot[4])
{
    float half = heading * (GEOMETRY_PI / 360);

    rot[0] = 0;
    rot[1] = 0;
    rot[2] = sinf(half);
    rot[3] = cosf(half);
}

/* Where the y axis points to, 0 to 360; 0 when it points straight up or down. The rotation need not be of
 * length 1. */
static inline float heading_from_rotation(const float rot[4])
{
    float x = 2 * (rot[0] * rot[1] - rot[2] * rot[3]);
    float y = rot[3] * rot[3] - rot[0] * rot[0] + rot[1] * rot[1] - rot[2] * rot[2];
    float heading = x == 0 && y == 0 ? 0 : atan2f(-x, y) * (180 / GEOMETRY_PI);

    return heading < 0 ? heading + 360 : heading;
}

#endif
