/* combat_causes.h - what a player has done that may explode, burn or hurt somebody later.
 *
 * Each accepted action that a page names is noted here, with when and where; a report of damage, or a
 * vehicle's explosion, is credited to a player only if one of its causes explains it. The windows and
 * distances of both pages stand in one table.
 *
 * Spec: Vehicles: VehicleExplode, "The vehicle's killer"; Combat: DamageReport, "Explosion, fire and
 * spray". */
#ifndef DLMP_SHARD_COMBAT_CAUSES_H
#define DLMP_SHARD_COMBAT_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "shard/grid.h"

enum { COMBAT_CAUSES_MAX = 32 }; /* ours, a player: the oldest goes */

enum cause_kind {
    CAUSE_GRENADE,
    CAUSE_SATCHELS,
    CAUSE_MOLOTOV,
    CAUSE_ROCKET,
    CAUSE_SEEKER, /* a rocket with a target */
    CAUSE_FLAMETHROWER,
    CAUSE_VEHICLE_EXPLOSION, /* credited to the player */
    CAUSE_CREATED_EXPLOSION, /* a gamemode's, with the player as its creator */
    CAUSE_CREATED_FIRE,
    CAUSE_CANNON, /* a Rhino's: along its ray */
    CAUSE_SPRAY,
    CAUSE_KINDS,
};

/* What is to be explained. */
enum cause_effect {
    EFFECT_VEHICLE_EXPLOSION, /* VehicleExplode */
    EFFECT_EXPLOSION,         /* DamageReport 51 */
    EFFECT_FIRE,              /* 37 */
    EFFECT_SPRAY,             /* 41, 42 */
    EFFECTS,
};

struct combat_cause {
    uint64_t at_ms;
    struct scope scope;
    uint8_t kind;   /* enum cause_kind */
    uint8_t weapon; /* for events and the last damage */
    float from[3];
    float to[3];        /* the end of a cannon's ray; else as `from` */
    float flight_m;     /* how much farther a rocket from a vehicle reaches */
    uint32_t target_id; /* of a seeker */
    uint8_t target_epoch;
};

struct combat_causes {
    struct combat_cause ring[COMBAT_CAUSES_MAX];
    uint8_t next;
    uint8_t count;
};

/* Where the effect was: a point of a scope, and the vehicle that it was on. */
struct cause_place {
    struct scope scope;
    float pos[3];
    uint32_t vehicle_id; /* WIRE_NONE: no vehicle */
    uint8_t vehicle_epoch;
};

void combat_causes_add(struct combat_causes *causes, const struct combat_cause *cause);
/* The newest cause that explains the effect; NULL: none does. */
const struct combat_cause *combat_causes_find(const struct combat_causes *causes, uint64_t now_ms,
                                              enum cause_effect effect, const struct cause_place *place);

#endif
