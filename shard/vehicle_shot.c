#include "shard/vehicle_shot.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/vehicle_death.h"

enum { WEAPON_CANNON = 51 };
enum { MODEL_RC_TIGER = 564 };

/* Ours, by the page's words: a WeaponShot's limit is conservative, the game's range (90 m and 75 m at the std
 * tier) and 10 m for where in the vehicle the ray starts. */
#define RANGE_31_M 100.0f
#define RANGE_38_M 85.0f

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

static bool rays_are_possible(const struct vehicle *vehicle, const struct vehicle_gun *gun,
                              const struct wire_vehicle_shot *shot)
{
    for (uint8_t i = 0; i < gun->rays; i++) {
        struct combat_ray ray = ray_of(&shot->rays[i]);

        if (!within(ray.start, vehicle->pos, VEHICLE_SHOT_START_M) ||
            !within(ray.start, ray.end, gun->length_m))
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
    if (!rays_are_possible(vehicle, gun, shot))
        return REASON_OUT_OF_RANGE;
    if (shot->order <= player->shot_order)
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

/* Vehicles: RemoteVehicleShot. */
static void relay(struct shard *shard, struct player *player, const struct wire_vehicle_shot *shot)
{
    struct wire_remote_vehicle_shot remote = {
        .id = player->ref.id,
        .player_token = player->ref.token,
        .order = shot->order,
        .vehicle_id = shot->vehicle_id,
        .count = shot->count,
        .props_rev = shot->props_rev,
    };
    uint8_t packet[WIRE_REMOTE_VEHICLE_SHOT_SIZE];
    struct wire_error error;
    size_t size;

    memcpy(remote.rays, shot->rays, sizeof remote.rays);
    size = wire_remote_vehicle_shot_encode(&remote, packet, sizeof packet, &error);
    assert(size > 0);
    send_group_unreliable(shard, &player->observers, NULL, packet, size);
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
        shard_count(shard, REASON_NO_VEHICLE);
        return;
    }
    gun = vehicle_gun_of(vehicle->model);
    refused = vehicle_shot_check(shard, player, vehicle, gun, &shot, now_ms);
    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    player->has_shot = true;
    player->shot_at_ms = now_ms;
    player->shot_order = shot.order + gun->rays - 1U;
    if (gun->weapon == WEAPON_CANNON)
        remember_cannon(player, &shot, now_ms);
    else
        remember_rays(shard, player, gun, &shot, now_ms);
    relay(shard, player, &shot);
}
