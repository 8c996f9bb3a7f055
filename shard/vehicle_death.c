#include "shard/vehicle_death.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/vehicle_control.h"

#define RAY_PASSES_WITHIN_M 8.0f  /* Vehicles: VehicleExplode, "The vehicle's killer" */
#define AIRCRAFT_CRASH_SPEED 0.2f /* per step: VehicleExplode */

enum { CAUSE_EXPLODED = 0, CAUSE_DROWNED = 1 }; /* VehicleExplode.cause */
enum { WEAPON_EXPLOSION = 51 };

/* ---- who is credited */

static void note_shooter(struct vehicle *vehicle, struct player_ref ref, uint64_t at_ms)
{
    struct vehicle_shooter *oldest = &vehicle->shooters[0];

    for (size_t i = 0; i < VEHICLE_SHOOTERS; i++) {
        struct vehicle_shooter *shooter = &vehicle->shooters[i];

        if (shooter->at_ms != 0 && shooter->ref.id == ref.id && shooter->ref.token == ref.token) {
            shooter->at_ms = at_ms;
            return;
        }
        if (shooter->at_ms < oldest->at_ms)
            oldest = shooter;
    }
    *oldest = (struct vehicle_shooter){ .ref = ref, .at_ms = at_ms };
}

void vehicle_note_ray(struct shard *shard, const struct player *shooter, const struct combat_ray *ray)
{
    float middle[3];
    float reach = sqrtf(distance_squared(ray->start, ray->end)) / 2 + RAY_PASSES_WITHIN_M;
    size_t count;

    for (int axis = 0; axis < 3; axis++)
        middle[axis] = (ray->start[axis] + ray->end[axis]) / 2;
    if (reach > GRID_CELL_M)
        reach = GRID_CELL_M;
    count = grid_near(&shard->world.vehicle_grid, shooter->place.scope, middle, reach, shard->hits);
    for (size_t i = 0; i < count; i++) {
        struct vehicle *vehicle = world_vehicle_at(&shard->world, shard->hits[i].index);

        if (combat_ray_distance(ray->start, ray->end, vehicle->pos) <= RAY_PASSES_WITHIN_M)
            note_shooter(vehicle, shooter->ref, ray->at_ms);
    }
}

static bool has_shot(const struct vehicle *vehicle, struct player_ref ref, uint64_t now_ms)
{
    for (size_t i = 0; i < VEHICLE_SHOOTERS; i++) {
        const struct vehicle_shooter *shooter = &vehicle->shooters[i];

        if (shooter->at_ms != 0 && shooter->ref.id == ref.id && shooter->ref.token == ref.token)
            return now_ms - shooter->at_ms <= VEHICLE_SHOOTER_AGE_MS;
    }
    return false;
}

/* The attacker of the report, if an accepted action of its explains the explosion. */
static struct player *credited(const struct shard *shard, const struct player *sender,
                               const struct vehicle *vehicle, const struct wire_vehicle_explode *report,
                               uint64_t now_ms)
{
    const struct cause_place place = { .scope = vehicle->scope,
                                       .pos = { vehicle->pos[0], vehicle->pos[1], vehicle->pos[2] },
                                       .vehicle_id = vehicle->id,
                                       .vehicle_epoch = vehicle->epoch };
    struct player *attacker;

    if (report->cause != CAUSE_EXPLODED || report->has_attacker == 0)
        return NULL;
    attacker =
        world_player(&shard->world, (struct player_ref){ report->attacker_id, report->attacker_token });
    if (attacker == NULL || attacker == sender || !scope_equal(attacker->place.scope, vehicle->scope))
        return NULL;
    if (!has_shot(vehicle, attacker->ref, now_ms) &&
        combat_causes_find(&attacker->causes, now_ms, EFFECT_VEHICLE_EXPLOSION, &place) == NULL)
        return NULL;
    return attacker;
}

struct player *vehicle_killer_of(const struct shard *shard, const struct player *occupant, uint64_t now_ms)
{
    if (occupant->exploded_by.token == 0 || now_ms - occupant->exploded_at_ms > VEHICLE_KILLER_WINDOW_MS)
        return NULL;
    return world_player(&shard->world, occupant->exploded_by);
}

void vehicle_killer_forget(struct player *occupant)
{
    occupant->exploded_by = (struct player_ref){ 0 };
}

/* ---- the wreck */

static void send_death(struct shard *shard, struct vehicle *vehicle, uint8_t cause,
                       const struct player *killer)
{
    struct wire_vehicle_death death = {
        .vehicle_id = vehicle->id,
        .epoch = vehicle->epoch,
        .cause = cause,
        .has_killer = killer != NULL,
        .killer_id = killer != NULL ? killer->ref.id : 0,
        .killer_token = killer != NULL ? killer->ref.token : 0,
    };
    uint8_t packet[WIRE_VEHICLE_DEATH_SIZE];
    struct wire_error error;
    size_t size = wire_vehicle_death_encode(&death, packet, sizeof packet, &error);

    assert(size > 0);
    send_group_critical(shard, &vehicle->observers, packet, size);
}

/* What the explosion makes of its killer: the cause of later damage, and the killer of who sits inside. */
static void credit(struct shard *shard, struct vehicle *vehicle, struct player *killer, uint64_t now_ms)
{
    struct combat_cause cause = {
        .at_ms = now_ms, .scope = vehicle->scope, .kind = CAUSE_VEHICLE_EXPLOSION, .weapon = WEAPON_EXPLOSION
    };

    for (int axis = 0; axis < 3; axis++)
        cause.from[axis] = cause.to[axis] = vehicle->pos[axis];
    combat_causes_add(&killer->causes, &cause);
    for (uint8_t seat = 0; seat < vehicle->model->seats; seat++) {
        struct player *occupant = vehicle_occupant(shard, vehicle, seat);

        if (occupant == NULL || !player_is_alive(occupant))
            continue;
        occupant->exploded_by = killer->ref;
        occupant->exploded_at_ms = now_ms;
    }
}

static void die(struct shard *shard, struct vehicle *vehicle, uint8_t cause, struct player *killer,
                uint64_t now_ms)
{
    vehicle->wrecked = true;
    vehicle->drowned = cause == CAUSE_DROWNED;
    if (cause == CAUSE_EXPLODED)
        vehicle->health.value = 0;
    vehicle_links_release(shard, vehicle, LINKS_WRECK);
    send_death(shard, vehicle, cause, killer);
    if (killer != NULL)
        credit(shard, vehicle, killer, now_ms);
    (void)EVENT_RAISE(shard, EVENT_VEHICLE_DEATH, event_vehicle(vehicle),
                      event_text(cause == CAUSE_EXPLODED ? "explosion" : "water"), event_player(killer));
}

/* ---- reports */

static bool is_aircraft(const struct model *model)
{
    return model->vehicle_class == MODEL_PLANE || model->vehicle_class == MODEL_HELICOPTER;
}

/* Does the server's own health of the vehicle allow it to explode now? */
static bool may_explode(const struct vehicle *vehicle, const struct player *killer, uint64_t now_ms)
{
    if (vehicle_has_burnt(vehicle, now_ms, VEHICLE_BURNS_FOR_MS))
        return true;
    return is_aircraft(vehicle->model) && vehicle->health.burning &&
           (killer != NULL || vector_length(vehicle->move_speed, 3) > AIRCRAFT_CRASH_SPEED);
}

/* From who drives the RC, controlling or not: it may be paused. Drowning is nobody's doing. */
static bool is_detonation(const struct shard *shard, const struct player *player,
                          const struct vehicle *vehicle, const struct wire_vehicle_explode *report)
{
    return report->cause == CAUSE_EXPLODED && vehicle_remote_detonates(shard, player, vehicle);
}

/* clang-format off: a line for each condition of the page */
static enum reason vehicle_explode_check(const struct shard *shard, const struct player *player,
                                         const struct vehicle *vehicle,
                                         const struct wire_vehicle_explode *report)
{
    if (vehicle == NULL)
        return REASON_NO_VEHICLE;
    if (report->epoch != vehicle->epoch)
        return REASON_OLD_EPOCH;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (!player_is_alive(player))
        return REASON_NOT_ALIVE;
    if (vehicle_controller(shard, vehicle) != player && !is_detonation(shard, player, vehicle, report))
        return REASON_NOT_CONTROLLING;
    if (vehicle->model->vehicle_class == MODEL_TRAIN)
        return REASON_WRONG_MODEL;
    return REASON_NONE;
}
/* clang-format on */

/* Vehicles: VehicleExplode. */
void on_vehicle_explode(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_explode report;
    struct wire_error error;
    struct vehicle *vehicle;
    struct player *killer = NULL;
    enum reason refused;

    if (!wire_vehicle_explode_decode(&report, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    vehicle = world_vehicle(&shard->world, report.vehicle_id);
    refused = vehicle_explode_check(shard, player, vehicle, &report);
    /* Vehicles: VehicleExplode, RC detonation: at once, and the sender's own doing. */
    if (refused == REASON_NONE && is_detonation(shard, player, vehicle, &report)) {
        killer = player;
    } else if (refused == REASON_NONE) {
        killer = credited(shard, player, vehicle, &report, now_ms);
        if (report.cause == CAUSE_EXPLODED && !may_explode(vehicle, killer, now_ms))
            refused = REASON_NOT_BURNING;
    }
    if (refused != REASON_NONE)
        shard_count(shard, refused);
    else
        die(shard, vehicle, report.cause, killer, now_ms);
}
