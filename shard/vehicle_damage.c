#include "shard/vehicle_damage.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/vehicle_control.h"

/* Vehicles: VehicleDamageStatus. */
enum { PANEL_MAX = 3, DOOR_MAX = 4, DOOR_OPEN = 1, WHEEL_MAX = 2, LIGHTS_MASK = 0x55 };

static bool is_same(const struct vehicle_damage *a, const struct vehicle_damage *b)
{
    return a->panels == b->panels && a->lights == b->lights &&
           memcmp(a->doors, b->doors, sizeof a->doors) == 0 &&
           memcmp(a->wheels, b->wheels, sizeof a->wheels) == 0;
}

bool vehicle_has_damage_status(const struct model *model)
{
    return model->vehicle_class == MODEL_CAR || model->vehicle_class == MODEL_MONSTER_TRUCK ||
           model->vehicle_class == MODEL_QUAD || model->vehicle_class == MODEL_MOTORBIKE;
}

struct wire_vehicle_damage_status vehicle_damage_status(const struct vehicle *vehicle)
{
    const struct vehicle_damage *damage = &vehicle->damage;
    struct wire_vehicle_damage_status status = { .panels = damage->panels, .lights = damage->lights };

    memcpy(status.doors, damage->doors, sizeof status.doors);
    memcpy(status.wheels, damage->wheels, sizeof status.wheels);
    return status;
}

static bool is_within_range(const struct vehicle_damage *damage)
{
    for (unsigned panel = 0; panel < DAMAGE_PANELS; panel++)
        if ((damage->panels >> 4 * panel & 0xF) > PANEL_MAX)
            return false;
    for (size_t door = 0; door < DAMAGE_DOORS; door++)
        if (damage->doors[door] > DOOR_MAX)
            return false;
    for (size_t wheel = 0; wheel < DAMAGE_WHEELS; wheel++)
        if (damage->wheels[wheel] > WHEEL_MAX)
            return false;
    return damage->panels >> 4 * DAMAGE_PANELS == 0;
}

/* A motorbike's status is its two wheels only, which do not fall off. */
static struct vehicle_damage of_motorbike(const struct vehicle_damage *damage)
{
    return (struct vehicle_damage){ .wheels = { damage->wheels[0], damage->wheels[1] } };
}

static bool bursts_only(const struct vehicle_damage *damage)
{
    return damage->wheels[0] < WHEEL_MAX && damage->wheels[1] < WHEEL_MAX;
}

static bool is_valid(const struct vehicle_damage *damage, const struct model *model)
{
    return is_within_range(damage) && (model->vehicle_class != MODEL_MOTORBIKE || bursts_only(damage));
}

/* Whether it has nothing that the model does not have. */
static bool fits(const struct vehicle_damage *damage, const struct model *model)
{
    struct vehicle_damage wheels = of_motorbike(damage);

    return model->vehicle_class != MODEL_MOTORBIKE || is_same(damage, &wheels);
}

static bool doors_are_settled(const struct vehicle_damage *damage)
{
    for (size_t door = 0; door < DAMAGE_DOORS; door++)
        if ((damage->doors[door] & DOOR_OPEN) != 0)
            return false;
    return true;
}

bool vehicle_damage_is_valid(const struct vehicle_damage *damage, const struct model *model)
{
    static const struct vehicle_damage none;

    if (!vehicle_has_damage_status(model))
        return is_same(damage, &none);
    return is_valid(damage, model) && (damage->lights & ~(uint32_t)LIGHTS_MASK) == 0 &&
           doors_are_settled(damage);
}

static size_t encode_remote(const struct vehicle *vehicle, uint8_t *packet, size_t room)
{
    struct wire_remote_vehicle_damage relay = {
        .vehicle_id = vehicle->id,
        .epoch = vehicle->epoch,
        .status = vehicle_damage_status(vehicle),
        .damage_rev = vehicle->damage_rev,
    };
    struct wire_error error;
    size_t size = wire_remote_vehicle_damage_encode(&relay, packet, room, &error);

    assert(size > 0);
    return size;
}

enum reason vehicle_set_damage(struct shard *shard, struct vehicle *vehicle,
                               const struct vehicle_damage *damage)
{
    uint8_t packet[WIRE_REMOTE_VEHICLE_DAMAGE_SIZE];

    if (!vehicle_has_damage_status(vehicle->model))
        return REASON_WRONG_MODEL;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (!is_valid(damage, vehicle->model) || !fits(damage, vehicle->model) || !doors_are_settled(damage) ||
        (damage->lights & ~(uint32_t)LIGHTS_MASK) != 0)
        return REASON_OUT_OF_BOUNDS;
    vehicle->damage = *damage;
    vehicle->damage_rev++;
    send_group_critical(shard, &vehicle->observers, packet, encode_remote(vehicle, packet, sizeof packet));
    return REASON_NONE;
}

/* ---- reports */

static uint8_t higher(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* A report only adds. */
static struct vehicle_damage merged(struct vehicle_damage stored, const struct vehicle_damage *report)
{
    uint32_t panels = 0;

    for (unsigned panel = 0; panel < DAMAGE_PANELS; panel++)
        panels |= (uint32_t)higher(stored.panels >> 4 * panel & 0xF, report->panels >> 4 * panel & 0xF)
                  << 4 * panel;
    stored.panels = panels;
    for (size_t door = 0; door < DAMAGE_DOORS; door++)
        stored.doors[door] = higher(stored.doors[door], report->doors[door] & (uint8_t)~DOOR_OPEN);
    stored.lights |= report->lights & LIGHTS_MASK;
    for (size_t wheel = 0; wheel < DAMAGE_WHEELS; wheel++)
        stored.wheels[wheel] = higher(stored.wheels[wheel], report->wheels[wheel]);
    return stored;
}

/* clang-format off: a line for each condition of the page */
static enum reason vehicle_damage_check(const struct shard *shard, const struct player *player,
                                        const struct vehicle *vehicle,
                                        const struct wire_vehicle_damage *report,
                                        const struct vehicle_damage *damage)
{
    if (vehicle == NULL)
        return REASON_NO_VEHICLE;
    if (report->epoch != vehicle->epoch)
        return REASON_OLD_EPOCH;
    if (!player_is_alive(player))
        return REASON_NOT_ALIVE;
    if (vehicle_controller(shard, vehicle) != player)
        return REASON_NOT_CONTROLLING;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (!vehicle_has_damage_status(vehicle->model))
        return REASON_WRONG_MODEL;
    if (!is_valid(damage, vehicle->model))
        return REASON_OUT_OF_BOUNDS;
    if (report->damage_rev != vehicle->damage_rev)
        return REASON_OLD_DAMAGE_REV;
    return REASON_NONE;
}
/* clang-format on */

/* Vehicles: VehicleDamage. */
void on_vehicle_damage(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_damage report;
    struct wire_error error;
    struct vehicle *vehicle;
    struct vehicle_damage damage;
    enum reason refused;
    uint8_t relay[WIRE_REMOTE_VEHICLE_DAMAGE_SIZE];

    (void)now_ms;
    if (!wire_vehicle_damage_decode(&report, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    damage = (struct vehicle_damage){ .panels = report.status.panels, .lights = report.status.lights };
    memcpy(damage.doors, report.status.doors, sizeof damage.doors);
    memcpy(damage.wheels, report.status.wheels, sizeof damage.wheels);
    vehicle = world_vehicle(&shard->world, report.vehicle_id);
    refused = vehicle_damage_check(shard, player, vehicle, &report, &damage);
    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    /* What a motorbike's report has beyond its wheels is left out. */
    if (vehicle->model->vehicle_class == MODEL_MOTORBIKE)
        damage = of_motorbike(&damage);
    damage = merged(vehicle->damage, &damage);
    if (is_same(&damage, &vehicle->damage))
        return;
    vehicle->damage = damage;
    send_group_critical_except(shard, &vehicle->observers, player, relay,
                               encode_remote(vehicle, relay, sizeof relay));
}
