#include "shard/vehicle_shot.h"

#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/vehicle_death.h"

enum { WEAPON_CANNON = 51 };
enum { MODEL_RC_TIGER = 564, VEHICLE_GUN_RAYS_MAX = 2 };
enum { TIER_STD = 1, PROPERTY_RANGE = 1 }; /* Combat: WeaponProperties */

/* Ours, by the page's words: a WeaponShot's limit is conservative, the game's range (90 m and 75 m at the std
 * tier) and 10 m for where in the vehicle the ray starts. */
#define RANGE_SLACK_M 10.0f
#define RANGE_31_M (90 + RANGE_SLACK_M)
#define RANGE_38_M (75 + RANGE_SLACK_M)

/* Vehicles: VehicleShot. */
static const struct vehicle_gun guns[] = {
    /* model  rays  weapon          interval  length */
    { 425, 1, 38, 60, RANGE_38_M },     /* Hunter */
    { 447, 1, 31, 40, RANGE_31_M },     /* Sea Sparrow */
    { 476, 2, 31, 80, RANGE_31_M },     /* Rustler */
    { 430, 2, 52, 150, 90 },            /* Predator */
    { 432, 1, WEAPON_CANNON, 800, 90 }, /* Rhino */
    { 464, 1, 31, 40, RANGE_31_M },     /* RC Baron */
    { 564, 1, 38, 60, RANGE_38_M },     /* RC Tiger */
};

const struct vehicle_gun *vehicle_gun_of(const struct model *model)
{
    for (size_t i = 0; i < sizeof guns / sizeof guns[0]; i++)
        if (guns[i].model == model->id)
            return &guns[i];
    return NULL;
}

static struct combat_ray ray_of(const struct wire_ray *wire)
{
    return (struct combat_ray){ .start = { wire->start_x, wire->start_y, wire->start_z },
                                .end = { wire->end_x, wire->end_y, wire->end_z } };
}

static bool is_machine_gun(const struct vehicle_gun *gun)
{
    return gun->weapon != WEAPON_CANNON;
}

/* Longer or shorter as the gamemode's range of the hit weapon is, in the table that the shot was fired with;
 * the weapons of vehicles alone have no record there. The revision must be in force. */
static float longest_ray(const struct shard *shard, const struct vehicle_gun *gun, uint16_t props_rev)
{
    size_t index = game_record_of(gun->weapon, TIER_STD);
    struct game_record record;

    if (index == GAME_RECORDS || !weapon_tables_find(shard, props_rev, index, &record) ||
        (record.mask >> PROPERTY_RANGE & 1) == 0)
        return gun->length_m;
    return gun->length_m * (record.values[PROPERTY_RANGE] / (gun->length_m - RANGE_SLACK_M));
}

static bool rays_are_possible(const struct vehicle *vehicle, const struct vehicle_gun *gun,
                              const struct wire_vehicle_shot *shot, float length_m)
{
    for (uint8_t i = 0; i < gun->rays; i++) {
        struct combat_ray ray = ray_of(&shot->rays[i]);

        if (!within(ray.start, vehicle->pos, VEHICLE_SHOT_START_M) || !within(ray.start, ray.end, length_m))
            return false;
    }
    return true;
}

/* At the wheel, or remotely. */
static bool drives(const struct shard *shard, const struct player *player, const struct vehicle *vehicle)
{
    return vehicle->seats[0] == world_player_slot(&shard->world, player) ||
           vehicle_remote_driver(shard, vehicle) == player;
}

/* clang-format off: a line for each condition of the page */
static enum reason vehicle_shot_check(const struct shard *shard, const struct player *player,
                                      const struct vehicle *vehicle, const struct vehicle_gun *gun,
                                      const struct wire_vehicle_shot *shot, uint64_t now_ms)
{
    if (!player_is_alive(player))
        return REASON_NOT_ALIVE;
    if (!drives(shard, player, vehicle))
        return REASON_NOT_CONTROLLING;
    if (vehicle->model->id == MODEL_RC_TIGER && vehicle->remote.detonation)
        return REASON_DETONATES;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (gun == NULL || shot->count != gun->rays)
        return REASON_WRONG_MODEL;
    if (is_machine_gun(gun) && weapon_tables_check(shard, player, shot->props_rev) != REASON_NONE)
        return REASON_OLD_PROPS_REV;
    if (!rays_are_possible(vehicle, gun, shot, longest_ray(shard, gun, shot->props_rev)))
        return REASON_OUT_OF_RANGE;
    /* The numbers do not come round: the last ray has one, too. */
    if (shot->order <= player->shot_order || shot->order > UINT32_MAX - (gun->rays - 1U))
        return REASON_OLD_ORDER;
    if (player->has_shot && now_ms - player->shot_at_ms < gun->interval_ms / 2)
        return REASON_TOO_FAST;
    return REASON_NONE;
}
/* clang-format on */

/* Each ray has its number, in the counter shared with WeaponShot. */
static void remember_rays(struct shard *shard, struct player *player, const struct vehicle_gun *gun,
                          const struct wire_vehicle_shot *shot, uint64_t now_ms)
{
    for (uint8_t i = 0; i < gun->rays; i++) {
        struct combat_ray ray = ray_of(&shot->rays[i]);

        ray.at_ms = now_ms;
        ray.order = shot->order + i;
        ray.weapon = gun->weapon;
        combat_rays_add(&player->rays, &ray);
        vehicle_note_ray(shard, player, &ray);
    }
}

static void remember_cannon(struct player *player, const struct wire_vehicle_shot *shot, uint64_t now_ms)
{
    const struct combat_ray ray = ray_of(&shot->rays[0]);
    struct combat_cause cause = {
        .at_ms = now_ms, .scope = player->place.scope, .kind = CAUSE_CANNON, .weapon = WEAPON_CANNON
    };

    memcpy(cause.from, ray.start, sizeof cause.from);
    memcpy(cause.to, ray.end, sizeof cause.to);
    combat_causes_add(&player->causes, &cause);
}

static size_t encode_relay(const struct shard *shard, const struct player *player,
                           const struct wire_vehicle_shot *shot, const struct wire_shot_rewind *rewind,
                           uint8_t *packet)
{
    struct wire_remote_vehicle_shot remote = {
        .id = player->ref.id,
        .player_token = player->ref.token,
        .order = shot->order,
        .vehicle_id = shot->vehicle_id,
        .count = shot->count,
        .props_rev = shot->props_rev,
        .relation_rev = shard->teams.relation_revision,
        .rewind = *rewind,
    };
    struct wire_error error;
    size_t size;

    memcpy(remote.rays, shot->rays, sizeof remote.rays);
    size = wire_remote_vehicle_shot_encode(&remote, packet, WIRE_REMOTE_VEHICLE_SHOT_SIZE, &error);
    assert(size > 0);
    return size;
}

struct salvo {
    const struct shard *shard;
    const struct player *shooter;
    const struct wire_vehicle_shot *shot;
    struct combat_ray rays[VEHICLE_GUN_RAYS_MAX];
    size_t rays_count;
};

/* Where the observer was for the shooter. */
static bool rewind_observer(void *context, const struct player *observer, uint8_t *block)
{
    const struct salvo *salvo = context;
    struct wire_shot_rewind rewind;
    uint8_t packet[WIRE_REMOTE_VEHICLE_SHOT_SIZE];

    if (!combat_rewind_find(salvo->shard, salvo->shooter, observer, salvo->rays, salvo->rays_count, &rewind))
        return false;
    encode_relay(salvo->shard, salvo->shooter, salvo->shot, &rewind, packet);
    memcpy(block, packet + WIRE_REMOTE_VEHICLE_SHOT_REWIND_AT, WIRE_SHOT_REWIND_SIZE);
    return true;
}

/* Vehicles: RemoteVehicleShot. A cannon's shot is nobody's bullet: it has no rewind. */
static void relay(struct shard *shard, struct player *player, const struct vehicle_gun *gun,
                  const struct wire_vehicle_shot *shot)
{
    static const struct wire_shot_rewind none;
    struct salvo salvo = { .shard = shard, .shooter = player, .shot = shot, .rays_count = gun->rays };
    const struct send_block block = { .fill = rewind_observer,
                                      .context = &salvo,
                                      .size = WIRE_SHOT_REWIND_SIZE };
    uint8_t packet[WIRE_REMOTE_VEHICLE_SHOT_SIZE];
    size_t size = encode_relay(shard, player, shot, &none, packet);

    for (uint8_t i = 0; i < gun->rays; i++)
        salvo.rays[i] = ray_of(&shot->rays[i]);
    if (gun->weapon == WEAPON_CANNON)
        send_group_relay(shard, &player->observers, player, NULL, packet, size);
    else
        send_group_relay_each(shard, &player->observers, player, packet, size, &block);
}

/* "A drop plus a warning": counted, and a line of the log, which leaves out what repeats too often. */
static void refuse(struct shard *shard, const struct player *player, const struct wire_vehicle_shot *shot,
                   enum reason reason)
{
    shard_count(shard, reason);
    LOG(WARN, "vehicle_shot_refused", KV("player", player->ref.id), KV("vehicle", shot->vehicle_id),
        KV("order", shot->order), KV("reason", reason_name(reason)));
}

/* Vehicles: VehicleShot. */
void on_vehicle_shot(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_shot shot;
    struct wire_error error;
    const struct vehicle *vehicle;
    const struct vehicle_gun *gun;
    enum reason refused;

    if (!wire_vehicle_shot_decode(&shot, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    vehicle = world_vehicle(&shard->world, shot.vehicle_id);
    if (vehicle == NULL) {
        refuse(shard, player, &shot, REASON_NO_VEHICLE);
        return;
    }
    gun = vehicle_gun_of(vehicle->model);
    refused = vehicle_shot_check(shard, player, vehicle, gun, &shot, now_ms);
    if (refused != REASON_NONE) {
        refuse(shard, player, &shot, refused);
        return;
    }
    player->has_shot = true;
    player->shot_at_ms = now_ms;
    player->shot_order = shot.order + gun->rays - 1U;
    if (is_machine_gun(gun)) {
        weapon_tables_accept(shard, player, shot.props_rev);
        remember_rays(shard, player, gun, &shot, now_ms);
    } else {
        remember_cannon(player, &shot, now_ms);
    }
    relay(shard, player, gun, &shot);
}
