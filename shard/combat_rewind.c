#include "shard/combat_rewind.h"

#include <math.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/shard.h"

/* Combat: ShotRewind. */
#define RAY_EXTENDED_M 10.0f
#define BODY_NEAR_RAY_M 3.0f
#define VEHICLE_NEAR_RAY_M 30.0f

#define NEARLY_SAME 0.9995f /* the cosine from which on an arc is a line */

enum { REWOUND_BODY = 1, REWOUND_VEHICLE = 2 };

/* ---- paths */

void combat_path_add(struct combat_path *path, uint64_t at_ms, const float pos[3], const float rot[4])
{
    struct combat_step *step = &path->ring[path->next];

    step->at_ms = at_ms;
    memcpy(step->pos, pos, sizeof step->pos);
    if (rot != NULL)
        memcpy(step->rot, rot, sizeof step->rot);
    path->next = (uint8_t)((path->next + 1) % COMBAT_PATH_STEPS);
    if (path->count < COMBAT_PATH_STEPS)
        path->count++;
}

void combat_path_restart(struct combat_path *path)
{
    path->next = path->count = 0;
}

/* 1: the newest. */
static const struct combat_step *step_back(const struct combat_path *path, unsigned steps)
{
    return &path->ring[(path->next + COMBAT_PATH_STEPS - steps) % COMBAT_PATH_STEPS];
}

static void mix(float pos[3], const float from[3], const float to[3], float share)
{
    for (int axis = 0; axis < 3; axis++)
        pos[axis] = from[axis] + (to[axis] - from[axis]) * share;
}

/* Along the shortest arc. */
static void turn(float rot[4], const float from[4], const float to[4], float share)
{
    float lengths = vector_length(from, 4) * vector_length(to, 4);
    float dot = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    float sign = dot < 0 ? -1 : 1;
    float left = 1 - share;
    float right = share;
    float length;

    dot *= lengths > 0 ? sign / lengths : 0; /* they are nearly of length 1, or a body's: zeros */
    if (dot < NEARLY_SAME) {
        float angle = acosf(dot);

        left = sinf(left * angle) / sinf(angle);
        right = sinf(right * angle) / sinf(angle);
    }
    for (int i = 0; i < 4; i++)
        rot[i] = left * from[i] + right * sign * to[i];
    length = vector_length(rot, 4);
    for (int i = 0; i < 4 && length > 0; i++)
        rot[i] /= length;
}

static void go_on(const struct combat_path *path, uint64_t ahead_ms, float pos[3])
{
    const struct combat_step *last = step_back(path, 1);
    const struct combat_step *before = step_back(path, 2);

    memcpy(pos, last->pos, sizeof last->pos);
    if (path->count < 2 || last->at_ms == before->at_ms)
        return;
    if (ahead_ms > COMBAT_AHEAD_MAX_MS)
        ahead_ms = COMBAT_AHEAD_MAX_MS;
    mix(pos, before->pos, last->pos, 1 + (float)ahead_ms / (float)(last->at_ms - before->at_ms));
}

bool combat_path_at(const struct combat_path *path, uint64_t at_ms, float pos[3], float rot[4])
{
    const struct combat_step *newer = step_back(path, 1);

    if (path->count == 0)
        return false;
    if (at_ms >= newer->at_ms) {
        go_on(path, at_ms - newer->at_ms, pos);
        turn(rot, newer->rot, newer->rot, 0);
        return true;
    }
    for (unsigned steps = 2; steps <= path->count; steps++) {
        const struct combat_step *older = step_back(path, steps);

        if (older->at_ms <= at_ms) {
            float share = (float)(at_ms - older->at_ms) / (float)(newer->at_ms - older->at_ms);

            mix(pos, older->pos, newer->pos, share);
            turn(rot, older->rot, newer->rot, share);
            return true;
        }
        newer = older;
    }
    return false;
}

/* ---- the block of a recipient */

static bool is_near(const struct combat_ray *rays, size_t count, const float pos[3], float range)
{
    for (size_t i = 0; i < count; i++) {
        float length = sqrtf(distance_squared(rays[i].start, rays[i].end));
        float end[3];

        memcpy(end, rays[i].end, sizeof end);
        if (length > 0)
            mix(end, rays[i].start, rays[i].end, 1 + RAY_EXTENDED_M / length);
        if (combat_ray_distance(rays[i].start, end, pos) <= range)
            return true;
    }
    return false;
}

static void fill(struct wire_shot_rewind *rewind, uint8_t rewound, const float pos[3])
{
    rewind->rewound = rewound;
    rewind->x = pos[0];
    rewind->y = pos[1];
    rewind->z = pos[2];
}

bool combat_rewind_find(const struct shard *shard, const struct player *shooter,
                        const struct player *recipient, const struct combat_ray *rays, size_t rays_count,
                        struct wire_shot_rewind *rewind)
{
    uint32_t back_ms = shooter->rtt_ms < COMBAT_REWIND_MAX_MS ? shooter->rtt_ms : COMBAT_REWIND_MAX_MS;
    uint64_t at_ms = shard->now_ms - back_ms;
    const struct vehicle *vehicle;
    float pos[3];
    float rot[4];

    *rewind = (struct wire_shot_rewind){ 0 };
    if (!player_is_alive(recipient) || !player_is_spawned(recipient))
        return false;
    if (recipient->vehicle == SLOT_NONE) {
        if (!combat_path_at(&recipient->path, at_ms, pos, rot) ||
            !is_near(rays, rays_count, pos, BODY_NEAR_RAY_M))
            return false;
        fill(rewind, REWOUND_BODY, pos);
        return true;
    }
    vehicle = world_vehicle_at(&shard->world, recipient->vehicle);
    if (recipient->vehicle == shooter->vehicle || vehicle->frozen || vehicle->wrecked ||
        !combat_path_at(&vehicle->path, at_ms, pos, rot) ||
        !is_near(rays, rays_count, pos, VEHICLE_NEAR_RAY_M))
        return false;
    fill(rewind, REWOUND_VEHICLE, pos);
    rewind->vehicle_id = vehicle->id;
    rewind->vehicle_epoch = vehicle->epoch;
    memcpy(rewind->rot, rot, sizeof rewind->rot);
    return true;
}
