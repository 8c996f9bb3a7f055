#include "bots/view.h"

#include <string.h>

#include "common/serial.h"

enum { NO_PAINTJOB = 0xFF, NO_DIRT = 0xFF };      /* VehicleTuning */
enum { TRAIN_CLOCKWISE = 1, TRAIN_DERAILED = 2 }; /* TrainState.flags */
enum { CAUSE_EXPLODED = 0 };                      /* VehicleDeath.cause */

struct view_tuning view_no_tuning(void)
{
    return (struct view_tuning){ .paintjob = NO_PAINTJOB, .dirt = NO_DIRT };
}

/* ---- what the server counts */

static bool epoch_is_older(uint8_t epoch, uint8_t than)
{
    return (int8_t)(uint8_t)(epoch - than) < 0;
}

void view_tell(struct view *view, struct view_vehicle *vehicle, uint8_t epoch, uint32_t relay_seq,
               struct view_revisions revisions)
{
    const struct view_revisions *told = &vehicle->told;

    if (vehicle->was_shown)
        view->gone_back += (uint64_t)(epoch_is_older(epoch, vehicle->told_epoch) +
                                      serial32_newer(vehicle->told_seq, relay_seq) +
                                      serial16_newer(told->health, revisions.health) +
                                      serial16_newer(told->damage, revisions.damage) +
                                      serial16_newer(told->siren, revisions.siren) +
                                      serial16_newer(told->pose, revisions.pose));
    vehicle->was_shown = true;
    vehicle->told_epoch = epoch;
    vehicle->told_seq = relay_seq;
    vehicle->told = revisions;
}

/* A command of the vehicle's present life raises one of its revisions. */
static void tell_revisions(struct view *view, struct view_vehicle *vehicle, struct view_revisions revisions)
{
    view_tell(view, vehicle, vehicle->told_epoch, vehicle->told_seq, revisions);
}

/* ---- commands and reports */

bool view_on_vehicle_health(struct view *view, const struct wire_vehicle_health *health)
{
    struct view_vehicle *vehicle = view_vehicle(view, health->vehicle_id);
    struct view_revisions told;

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch != health->epoch)
        return true;
    told = vehicle->told;
    told.health = health->health_rev;
    tell_revisions(view, vehicle, told);
    vehicle->health = health->health;
    vehicle->health_rev = health->health_rev;
    return true;
}

bool view_on_vehicle_damage(struct view *view, const struct wire_remote_vehicle_damage *damage)
{
    struct view_vehicle *vehicle = view_vehicle(view, damage->vehicle_id);
    struct view_revisions told;

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch != damage->epoch)
        return true;
    told = vehicle->told;
    told.damage = damage->damage_rev;
    tell_revisions(view, vehicle, told);
    vehicle->damage = damage->status;
    /* A report of its own may still be under way and be added to this: only a command, with a revision of its
     * own, says again what the server has. */
    vehicle->has_damaged = vehicle->has_damaged && damage->damage_rev == vehicle->damage_rev;
    vehicle->damage_rev = damage->damage_rev;
    return true;
}

bool view_on_vehicle_params(struct view *view, const struct wire_vehicle_params *params)
{
    struct view_vehicle *vehicle = view_vehicle(view, params->vehicle_id);
    struct view_revisions told;

    if (vehicle == NULL)
        return false;
    told = vehicle->told;
    told.siren = params->siren_rev;
    tell_revisions(view, vehicle, told);
    vehicle->params = params->params;
    vehicle->doors = params->doors;
    vehicle->siren_rev = params->siren_rev;
    return true;
}

/* A drowned one keeps its health. */
bool view_on_vehicle_death(struct view *view, const struct wire_vehicle_death *death)
{
    struct view_vehicle *vehicle = view_vehicle(view, death->vehicle_id);

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch != death->epoch)
        return true;
    vehicle->is_wrecked = true;
    vehicle->is_drowned = death->cause != CAUSE_EXPLODED;
    if (death->cause == CAUSE_EXPLODED)
        vehicle->health = 0.0f;
    return true;
}

/* ---- the whole of something, each time */

bool view_on_vehicle_tuning(struct view *view, const struct wire_vehicle_tuning *tuning)
{
    struct view_vehicle *vehicle = view_vehicle(view, tuning->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->tuning = (struct view_tuning){
        .paintjob = tuning->paintjob, .dirt = tuning->dirt, .flags = tuning->flags, .nitro = tuning->nitro
    };
    memcpy(vehicle->tuning.components, tuning->components, sizeof vehicle->tuning.components);
    memcpy(vehicle->tuning.plate, tuning->plate, sizeof vehicle->tuning.plate);
    return true;
}

bool view_on_vehicle_handling(struct view *view, const struct wire_vehicle_handling *handling)
{
    struct view_vehicle *vehicle = view_vehicle(view, handling->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->handling.mask = handling->mask;
    memcpy(vehicle->handling.values, handling->values, sizeof vehicle->handling.values);
    return true;
}

bool view_on_vehicle_colors(struct view *view, const struct wire_vehicle_colors *colors)
{
    struct view_vehicle *vehicle = view_vehicle(view, colors->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->color1 = colors->color1;
    vehicle->color2 = colors->color2;
    return true;
}

bool view_on_vehicle_trailer(struct view *view, const struct wire_vehicle_trailer *trailer)
{
    struct view_vehicle *vehicle = view_vehicle(view, trailer->trailer_id);

    if (vehicle == NULL)
        return false;
    vehicle->tractor_id = trailer->tractor_id;
    return true;
}

bool view_on_vehicle_lift(struct view *view, const struct wire_vehicle_lift *lift)
{
    struct view_vehicle *vehicle = view_vehicle(view, lift->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->lifter_id = lift->heli_id;
    return true;
}

bool view_on_train_state(struct view *view, const struct wire_train_state *state)
{
    struct view_vehicle *vehicle = view_vehicle(view, state->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->is_clockwise = (state->flags & TRAIN_CLOCKWISE) != 0;
    vehicle->is_derailed = (state->flags & TRAIN_DERAILED) != 0;
    return true;
}
