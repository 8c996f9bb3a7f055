#include "shard/player_set.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/vehicle_syncer.h"

/* Whether the wire's type holds the value; what the layout says beyond that, its encoder asks. */
static bool fits(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

enum reason player_set_skin(struct shard *shard, struct player *player, int64_t skin)
{
    struct player_state next = player->set;

    if (!fits(skin, 0, UINT16_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.skin = (uint16_t)skin;
    /* It stays over a respawn: nothing says that a life resets it. */
    next.spawn_skin = next.skin;
    return player_state_change(shard, player, &next, FIELD_SKIN);
}

enum reason player_set_skill(struct shard *shard, struct player *player, int64_t weapon, int64_t level)
{
    struct player_state next = player->set;

    if (!fits(weapon, PLAYER_SKILL_FIRST, PLAYER_SKILL_FIRST + PLAYER_SKILLS - 1) ||
        !fits(level, 0, UINT16_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.skills[weapon - PLAYER_SKILL_FIRST] = (uint16_t)level;
    return player_state_change(shard, player, &next, FIELD_SKILLS);
}

enum reason player_set_money(struct shard *shard, struct player *player, int64_t money)
{
    struct player_state next = player->set;

    if (!fits(money, INT32_MIN, INT32_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.money = (int32_t)money;
    return player_state_change(shard, player, &next, FIELD_MONEY);
}

enum reason player_set_wanted(struct shard *shard, struct player *player, int64_t level)
{
    struct player_state next = player->set;

    if (!fits(level, 0, UINT8_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.wanted = (uint8_t)level;
    return player_state_change(shard, player, &next, FIELD_WANTED);
}

enum reason player_set_walking_style(struct shard *shard, struct player *player, int64_t style)
{
    struct player_state next = player->set;

    if (!fits(style, 0, UINT16_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.walking_style = (uint16_t)style;
    return player_state_change(shard, player, &next, FIELD_WALKING_STYLE);
}

enum reason player_set_fighting_style(struct shard *shard, struct player *player, int64_t style)
{
    struct player_state next = player->set;

    if (!fits(style, 0, UINT8_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.fighting_style = (uint8_t)style;
    return player_state_change(shard, player, &next, FIELD_FIGHTING_STYLE);
}

enum reason player_set_headless(struct shard *shard, struct player *player, bool headless)
{
    player->set.headless = headless;
    player_state_tell(shard, player, FIELD_HEADLESS);
    return REASON_NONE;
}

enum reason player_set_on_fire(struct shard *shard, struct player *player, bool on_fire)
{
    player->set.on_fire = on_fire;
    player_state_tell(shard, player, FIELD_ON_FIRE);
    return REASON_NONE;
}

enum reason player_set_special_action(struct shard *shard, struct player *player, int64_t action)
{
    struct player_state next = player->set;

    if (!fits(action, 0, UINT8_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.special_action = (uint8_t)action;
    return player_state_change(shard, player, &next, FIELD_SPECIAL_ACTION);
}

enum reason player_set_frozen(struct shard *shard, struct player *player, bool frozen)
{
    player->frozen = frozen;
    player_state_tell(shard, player, FIELD_FROZEN);
    /* Vehicles: VehicleSyncer. A frozen driver does not count. */
    if (player->vehicle != SLOT_NONE)
        vehicle_syncer_due(shard, world_vehicle_at(&shard->world, player->vehicle));
    return REASON_NONE;
}

enum reason player_set_gravity(struct shard *shard, struct player *player, float gravity)
{
    struct player_state next = player->set;

    next.gravity = gravity;
    return player_state_change(shard, player, &next, FIELD_GRAVITY);
}

enum reason player_set_drunk_level(struct shard *shard, struct player *player, int64_t level)
{
    struct player_state next = player->set;

    if (!fits(level, 0, UINT16_MAX))
        return REASON_OUT_OF_BOUNDS;
    next.drunk_level = (uint16_t)level;
    return player_state_change(shard, player, &next, FIELD_DRUNK_LEVEL);
}

enum reason player_set_velocity(struct shard *shard, struct player *player, const float velocity[3])
{
    struct wire_set_velocity set = { 0 };
    uint8_t packet[WIRE_SET_VELOCITY_SIZE];
    struct wire_error error;

    for (size_t axis = 0; axis < 3; axis++)
        set.velocity[axis] = velocity[axis] / PLAYER_STEPS_PER_S;

    size_t size = wire_set_velocity_encode(&set, packet, sizeof packet, &error);

    if (size == 0)
        return REASON_OUT_OF_BOUNDS;
    send_critical(shard, player, packet, size);
    return REASON_NONE;
}

enum reason player_set_muted(struct shard *shard, struct player *player, bool muted)
{
    (void)shard;
    player->set.muted = muted;
    return REASON_NONE;
}

enum reason player_set_stats(struct shard *shard, struct player *player, const struct wire_player_stat *stats,
                             size_t count)
{
    struct wire_set_player_stats set = { .stats_count = (uint16_t)count };
    struct wire_error error;

    if (count == 0 || count > PLAYER_STATS_AT_ONCE)
        return REASON_OUT_OF_BOUNDS;
    memcpy(set.stats, stats, count * sizeof *stats);
    if (!wire_set_player_stats_check(&set, &error))
        return REASON_OUT_OF_BOUNDS;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << stats[i].stat % 64;

        player->stats.values[stats[i].stat] = stats[i].value;
        player->stats.set[stats[i].stat / 64] |= bit;
        player->stats.owed[stats[i].stat / 64] |= bit;
    }
    player_state_tell(shard, player, FIELD_STATS);
    return REASON_NONE;
}

enum reason player_set_world_bounds(struct shard *shard, struct player *player,
                                    const struct world_bounds *bounds)
{
    struct player_state next = player->set;

    next.bounds = bounds == NULL ? (struct world_bounds){ 0 } : *bounds;
    next.bounds.active = bounds != NULL;
    return player_state_change(shard, player, &next, FIELD_WORLD_BOUNDS);
}

enum reason player_set_camera(struct shard *shard, struct player *player, const struct player_camera *camera)
{
    struct player_state next = player->set;

    if (camera != NULL && (!inside_world(camera->pos) || !inside_world(camera->target)))
        return REASON_OUT_OF_BOUNDS;
    next.camera = camera == NULL ? (struct player_camera){ 0 } : *camera;
    next.camera.active = camera != NULL;
    return player_state_change(shard, player, &next, FIELD_CAMERA);
}

/* ---- animations */

/* Player: ApplyAnimation.flags. */
static uint8_t animation_flags(const struct animation_request *request)
{
    return (uint8_t)(request->loop | request->keep_x << 1 | request->keep_y << 2 | request->freeze << 3);
}

enum reason player_apply_animation(struct shard *shard, struct player *player,
                                   const struct animation_request *request)
{
    struct player_state next = player->set;
    struct player_animation *animation = &next.animation;

    if (request->library.size > ANIMATION_LIBRARY_MAX || request->name.size > ANIMATION_NAME_MAX ||
        !fits(request->time_ms, 0, UINT32_MAX))
        return REASON_OUT_OF_BOUNDS;
    *animation = (struct player_animation){ .applied = true,
                                            .library_size = (uint8_t)request->library.size,
                                            .name_size = (uint8_t)request->name.size,
                                            .flags = animation_flags(request),
                                            .speed = request->speed,
                                            .time_ms = (uint32_t)request->time_ms,
                                            .applied_at_ms = shard->now_ms };
    if (request->library.size == 0 || request->name.size == 0)
        return REASON_OUT_OF_BOUNDS;
    memcpy(animation->library, request->library.data, request->library.size);
    memcpy(animation->name, request->name.data, request->name.size);
    return player_state_change(shard, player, &next, FIELD_ANIMATION);
}

enum reason player_clear_animations(struct shard *shard, struct player *player)
{
    player->set.animation.applied = false;
    player_state_tell(shard, player, FIELD_ANIMATION);
    return REASON_NONE;
}

enum reason player_set_animation_progress(struct shard *shard, struct player *player, float progress)
{
    struct player_state next = player->set;

    next.animation.progress = progress;
    return player_state_change(shard, player, &next, FIELD_ANIMATION_PROGRESS);
}

enum reason player_set_animation_speed(struct shard *shard, struct player *player, float speed)
{
    struct player_state next = player->set;

    next.animation.speed = speed;
    return player_state_change(shard, player, &next, FIELD_ANIMATION_SPEED);
}

/* ---- what is known of it */

bool player_has_spawned(const struct player *player)
{
    return player->state == LIFE_ALIVE || player->state == LIFE_DEAD;
}

void player_velocity(const struct player *player, float velocity[3])
{
    const uint8_t *frame = player->relay + WIRE_REMOTE_PLAYER_SYNC_FRAME_AT;

    for (size_t axis = 0; axis < 3; axis++)
        velocity[axis] =
            player->framed ? load_f32(frame + WIRE_FRAME_MOVE_SPEED_AT + 4 * axis) * PLAYER_STEPS_PER_S : 0;
}

uint8_t player_weapon(const struct player *player)
{
    return player->framed ? player->relay[WIRE_REMOTE_PLAYER_SYNC_FRAME_AT + WIRE_FRAME_WEAPON_AT] : 0;
}

int32_t player_skill(const struct player *player, int64_t weapon)
{
    if (!fits(weapon, PLAYER_SKILL_FIRST, PLAYER_SKILL_FIRST + PLAYER_SKILLS - 1))
        return -1;
    return player->set.skills[weapon - PLAYER_SKILL_FIRST];
}

char *player_ip(const struct player *player, char text[ADDRESS_TEXT_SIZE])
{
    struct address address = { 0 };

    memcpy(address.ip, player->ip, sizeof address.ip);
    return address_format_ip(&address, text);
}

struct vehicle *player_vehicle(const struct shard *shard, const struct player *player)
{
    return player->vehicle == SLOT_NONE ? NULL : world_vehicle_at(&shard->world, player->vehicle);
}
