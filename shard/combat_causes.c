#include "shard/combat_causes.h"

#include <math.h>
#include <stddef.h>

#include "shard/combat_rays.h"
#include "shard/geometry.h"

/* A window of 0: the cause does not explain that effect. */
struct window {
    uint32_t ms;
    float m;
};

#define ANYWHERE INFINITY

/* The tables of both pages, side by side. */
/* clang-format off */
static const struct window windows[CAUSE_KINDS][EFFECTS] = {
    /*                            a vehicle's explosion  51                  37            41, 42     */
    [CAUSE_GRENADE]           = { { 20000, 60 },         { 3000, 60 },       { 0, 0 },     { 0, 0 } },
    [CAUSE_SATCHELS]          = { { 20000, ANYWHERE },   { 1000, ANYWHERE }, { 0, 0 },     { 0, 0 } },
    [CAUSE_MOLOTOV]           = { { 85000, 80 },         { 0, 0 },           { 65000, 80 }, { 0, 0 } },
    [CAUSE_ROCKET]            = { { 85000, 200 },        { 4000, 120 },      { 65000, 80 }, { 0, 0 } },
    [CAUSE_SEEKER]            = { { 85000, 200 },        { 11000, 120 },     { 65000, 80 }, { 0, 0 } },
    [CAUSE_FLAMETHROWER]      = { { 85000, 80 },         { 0, 0 },           { 65000, 80 }, { 0, 0 } },
    [CAUSE_VEHICLE_EXPLOSION] = { { 85000, 80 },         { 1000, 30 },       { 65000, 80 }, { 0, 0 } },
    [CAUSE_CREATED_EXPLOSION] = { { 85000, 80 },         { 1000, 30 },       { 65000, 80 }, { 0, 0 } },
    [CAUSE_CREATED_FIRE]      = { { 0, 0 },              { 0, 0 },           { 65000, 80 }, { 0, 0 } },
    [CAUSE_CANNON]            = { { 0, 0 },              { 1000, 30 },       { 65000, 80 }, { 0, 0 } },
    [CAUSE_SPRAY]             = { { 0, 0 },              { 0, 0 },           { 0, 0 },     { 2000, 15 } },
};
/* clang-format on */

void combat_causes_add(struct combat_causes *causes, const struct combat_cause *cause)
{
    causes->ring[causes->next] = *cause;
    causes->next = (uint8_t)((causes->next + 1) % COMBAT_CAUSES_MAX);
    if (causes->count < COMBAT_CAUSES_MAX)
        causes->count++;
}

static bool explains(const struct combat_cause *cause, uint64_t now_ms, enum cause_effect effect,
                     const struct cause_place *place)
{
    const struct window *window = &windows[cause->kind][effect];

    if (window->ms == 0 || now_ms - cause->at_ms > window->ms || !scope_equal(cause->scope, place->scope))
        return false;
    /* A seeker follows its target: of that vehicle it is the cause at any distance. */
    if (effect == EFFECT_VEHICLE_EXPLOSION && cause->kind == CAUSE_SEEKER &&
        cause->target_id == place->vehicle_id && cause->target_epoch == place->vehicle_epoch)
        return true;
    return combat_ray_distance(cause->from, cause->to, place->pos) <= window->m + cause->flight_m;
}

const struct combat_cause *combat_causes_find(const struct combat_causes *causes, uint64_t now_ms,
                                              enum cause_effect effect, const struct cause_place *place)
{
    const struct combat_cause *newest = NULL;

    for (uint8_t i = 0; i < causes->count; i++) {
        const struct combat_cause *cause = &causes->ring[i];

        if (explains(cause, now_ms, effect, place) && (newest == NULL || cause->at_ms >= newest->at_ms))
            newest = cause;
    }
    return newest;
}
