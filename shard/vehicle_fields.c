#include "shard/vehicle_fields.h"

#include <stdlib.h>

/* Vehicles: VehicleState.flags. */
enum {
    FLAG_SIREN = 1 << 2,
    FLAG_WATER_CANNON = 1 << 4,
    FLAG_DERAILED = 1 << 5,
    FLAG_SEARCHLIGHT = 1 << 6,
    FLAGS_DEFINED = 0x7F,
};

enum {
    MODEL_DUMPER = 406,
    MODEL_FIRETRUCK = 407,
    MODEL_RHINO = 432,
    MODEL_PACKER = 443,
    MODEL_DOZER = 486,
    MODEL_POLICE_MAVERICK = 497,
    MODEL_HYDRA = 520,
    MODEL_TOW_TRUCK = 525,
    MODEL_FORKLIFT = 530,
    MODEL_TRACTOR = 531,
    MODEL_ANDROMADA = 592,
    MODEL_SWAT = 601,
};

/* Vehicles: VehicleFrame, Siren: 4 a second over all of a pilot's vehicles, 2 at once. */
static const struct bucket_limit siren_limit = { .burst = 2, .per_second = 4 };

#define ROPE_MAX 0.84f /* Vehicles: VehicleFrame, Field rules */

/* Vehicles: VehicleFrame, Field rules. The margin of half a second is all that a resting part has saved
 * up. */
enum { PART_MARGIN_MS = 500 };
struct part_rule {
    uint16_t max;
    uint16_t up_per_second; /* 0: at once */
    uint16_t down_per_second;
    bool anybody; /* moves it, not only a live pilot */
};

static struct part_rule part_rule_of(uint16_t model)
{
    switch (model) {
    case MODEL_HYDRA:
        return (struct part_rule){ .max = 5000 };
    case MODEL_TOW_TRUCK:
    case MODEL_TRACTOR:
        return (struct part_rule){ .max = 20000, .anybody = true };
    case MODEL_DUMPER:
    case MODEL_PACKER:
    case MODEL_DOZER:
    case MODEL_ANDROMADA:
        return (struct part_rule){ .max = 2500, .up_per_second = 500, .down_per_second = 500 };
    case MODEL_FORKLIFT:
        return (struct part_rule){ .max = 2500, .up_per_second = 500, .down_per_second = 1000 };
    default:
        return (struct part_rule){ 0 };
    }
}

static bool has_water_cannon(const struct model *model)
{
    return model->id == MODEL_FIRETRUCK || model->id == MODEL_SWAT;
}

static bool has_turret(const struct model *model)
{
    return model->id == MODEL_RHINO || has_water_cannon(model);
}

/* Moves the part toward where the pilot wants it, as far as the time allows. */
static void move_part(struct vehicle *vehicle, struct part_rule rule, uint64_t now_ms)
{
    int distance = (int)vehicle->part_wanted - (int)vehicle->part;
    unsigned per_second = distance > 0 ? rule.up_per_second : rule.down_per_second;

    if (distance == 0)
        return;
    if (per_second == 0) {
        vehicle->part = vehicle->part_wanted;
        return;
    }
    if (vehicle->part_paid_ms + PART_MARGIN_MS < now_ms)
        vehicle->part_paid_ms = now_ms - PART_MARGIN_MS;

    unsigned most = (unsigned)(now_ms - vehicle->part_paid_ms) * per_second / 1000;
    unsigned step = (unsigned)abs(distance);

    if (step > most)
        step = most;
    vehicle->part_paid_ms += step * 1000 / per_second;
    vehicle->part = (uint16_t)(distance > 0 ? vehicle->part + step : vehicle->part - step);
}

static void take_part(struct vehicle *vehicle, enum vehicle_control control, uint16_t part, uint64_t now_ms)
{
    struct part_rule rule = part_rule_of(vehicle->model->id);

    if (control == CONTROL_PILOT || rule.anybody)
        vehicle->part_wanted = part < rule.max ? part : rule.max;
    move_part(vehicle, rule, now_ms);
}

static bool take_siren(struct vehicle *vehicle, const struct wire_vehicle_state *state, struct bucket *siren,
                       uint64_t now_ms)
{
    bool on = (state->flags & FLAG_SIREN) != 0;

    if (!vehicle->params.has_siren || state->siren_rev != vehicle->params.siren_rev ||
        on == vehicle->params.siren)
        return true;
    if (!bucket_take(siren, siren_limit, now_ms))
        return false;
    vehicle->params.siren = on;
    return true;
}

static void take_searchlight(struct vehicle *vehicle, enum vehicle_control control, uint8_t flags)
{
    if (control == CONTROL_PILOT)
        vehicle->searchlight = vehicle->model->id == MODEL_POLICE_MAVERICK && (flags & FLAG_SEARCHLIGHT) != 0;
    else if (vehicle->seats[0] == SLOT_NONE)
        vehicle->searchlight = false;
}

bool vehicle_fields_take(struct shard *shard, struct vehicle *vehicle, enum vehicle_control control,
                         const struct wire_vehicle_state *state, struct bucket *siren, uint64_t now_ms)
{
    take_part(vehicle, control, state->part, now_ms);
    vehicle_health_take(vehicle, state, now_ms);
    take_searchlight(vehicle, control, state->flags);
    vehicle_nitro_take(shard, vehicle, control == CONTROL_PILOT, state->nitro, now_ms);
    vehicle_hydraulics_take(vehicle, control == CONTROL_PILOT, state);
    return control != CONTROL_PILOT || take_siren(vehicle, state, siren, now_ms);
}

static uint8_t rewritten_flags(const struct vehicle *vehicle, uint8_t flags)
{
    unsigned kept = flags & FLAGS_DEFINED & ~(FLAG_SIREN | FLAG_DERAILED | FLAG_SEARCHLIGHT);

    if (!has_water_cannon(vehicle->model))
        kept &= ~(unsigned)FLAG_WATER_CANNON;
    if (vehicle->params.siren)
        kept |= FLAG_SIREN;
    if (vehicle->derailed)
        kept |= FLAG_DERAILED;
    if (vehicle->searchlight)
        kept |= FLAG_SEARCHLIGHT;
    return (uint8_t)kept;
}

static float rewritten_rope(const struct vehicle *vehicle, float rope)
{
    if (vehicle->params.winch == WINCH_NONE)
        return 0;
    return rope < ROPE_MAX ? rope : ROPE_MAX;
}

void vehicle_fields_rewrite(const struct vehicle *vehicle, uint8_t *state)
{
    store_u8(state + WIRE_VEHICLE_STATE_FLAGS_AT,
             rewritten_flags(vehicle, load_u8(state + WIRE_VEHICLE_STATE_FLAGS_AT)));
    store_f32(state + WIRE_VEHICLE_STATE_HEALTH_AT, vehicle->health.value);
    store_u16(state + WIRE_VEHICLE_STATE_HEALTH_REV_AT, vehicle->health.rev);
    store_u16(state + WIRE_VEHICLE_STATE_SIREN_REV_AT, vehicle->params.siren_rev);
    store_u16(state + WIRE_VEHICLE_STATE_POSE_REV_AT, vehicle->pose_rev);
    store_u16(state + WIRE_VEHICLE_STATE_PART_AT, vehicle->part);
    store_f32(state + WIRE_VEHICLE_STATE_ROPE_AT,
              rewritten_rope(vehicle, load_f32(state + WIRE_VEHICLE_STATE_ROPE_AT)));
    store_f32(state + WIRE_VEHICLE_STATE_NITRO_AT, vehicle->nitro.level);
    store_u16(state + WIRE_VEHICLE_STATE_HYDRAULICS_AT, vehicle->hydraulics.state);
    store_i16(state + WIRE_VEHICLE_STATE_HYDRAULIC_LR_AT, vehicle->hydraulics.left_right);
    store_i16(state + WIRE_VEHICLE_STATE_HYDRAULIC_UD_AT, vehicle->hydraulics.up_down);
    if (!has_turret(vehicle->model)) {
        store_f32(state + WIRE_VEHICLE_STATE_TURRET_YAW_AT, 0);
        store_f32(state + WIRE_VEHICLE_STATE_TURRET_PITCH_AT, 0);
    }
    if (vehicle->model->vehicle_class != MODEL_TRAIN) {
        store_f32(state + WIRE_VEHICLE_STATE_RAIL_AT, 0);
        store_f32(state + WIRE_VEHICLE_STATE_RAIL_SPEED_AT, 0);
        store_u8(state + WIRE_VEHICLE_STATE_TRACK_AT, 0);
    }
}
