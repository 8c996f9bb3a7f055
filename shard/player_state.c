#include "shard/player_state.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"

enum { PACKET_SIZE_MAX = WIRE_SET_PLAYER_STATS_SIZE_MAX };

_Static_assert(FIELD_COUNT <= 32, "a bit each in player.fields_owed");
_Static_assert((int)WIRE_APPLY_ANIMATION_SIZE_MAX <= (int)PACKET_SIZE_MAX, "room for the longest");

/* Player: ApplyAnimation.flags. */
enum { ANIMATION_LOOP = 1 << 0, ANIMATION_FREEZE = 1 << 3 };

void player_state_init(struct player_state *state, uint16_t skin)
{
    *state = (struct player_state){ .skin = skin,
                                    .life_skin = skin,
                                    .spawn_skin = skin,
                                    .fighting_style = PLAYER_FIGHTING_DEFAULT,
                                    .gravity = PLAYER_GRAVITY_DEFAULT };
    for (size_t i = 0; i < PLAYER_SKILLS; i++)
        state->skills[i] = PLAYER_SKILL_DEFAULT;
}

void player_state_start_life(struct player_state *state)
{
    state->skin = state->spawn_skin;
    state->life_skin = state->spawn_skin;
    state->animation.applied = false;
}

static bool animation_is_running(const struct player_animation *animation, uint64_t now_ms)
{
    uint64_t age_ms = now_ms - animation->applied_at_ms;

    if (!animation->applied)
        return false;
    if (animation->time_ms != 0)
        return age_ms < animation->time_ms;
    if ((animation->flags & (ANIMATION_LOOP | ANIMATION_FREEZE)) != 0 || animation->speed == 0)
        return true;
    return age_ms < ANIMATION_ONCE_MS;
}

/* ---- the packet of each field; 0: the layout has no such value */

static size_t encode_skin(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_skin skin = { .player_id = player->ref.id,
                                  .player_token = player->ref.token,
                                  .skin = player->set.skin };
    struct wire_error error;

    (void)shard;
    return wire_set_skin_encode(&skin, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_skills(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_player_skills skills = { .player_id = player->ref.id, .player_token = player->ref.token };
    struct wire_error error;

    (void)shard;
    memcpy(skills.skills, player->set.skills, sizeof skills.skills);
    return wire_player_skills_encode(&skills, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_fighting_style(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_fighting_style style = { .player_id = player->ref.id,
                                             .player_token = player->ref.token,
                                             .style = player->set.fighting_style };
    struct wire_error error;

    (void)shard;
    return wire_set_fighting_style_encode(&style, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_walking_style(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_walking_style style = { .player_id = player->ref.id,
                                            .player_token = player->ref.token,
                                            .style = player->set.walking_style };
    struct wire_error error;

    (void)shard;
    return wire_set_walking_style_encode(&style, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_headless(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_headless headless = { .player_id = player->ref.id,
                                          .player_token = player->ref.token,
                                          .headless = player->set.headless };
    struct wire_error error;

    (void)shard;
    return wire_set_headless_encode(&headless, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_animation(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    const struct player_animation *animation = &player->set.animation;
    struct wire_clear_animations clear = { .player_id = player->ref.id, .player_token = player->ref.token };
    struct wire_apply_animation apply = {
        .player_id = player->ref.id,
        .player_token = player->ref.token,
        .library = { .data = (const uint8_t *)animation->library, .size = animation->library_size },
        .name = { .data = (const uint8_t *)animation->name, .size = animation->name_size },
        .speed = animation->speed,
        .flags = animation->flags,
        .time_ms = animation->time_ms,
    };
    struct wire_error error;

    if (!animation_is_running(animation, shard->now_ms))
        return wire_clear_animations_encode(&clear, packet, PACKET_SIZE_MAX, &error);
    /* Whoever hears of it later sees the rest. */
    if (apply.time_ms != 0)
        apply.time_ms -= (uint32_t)(shard->now_ms - animation->applied_at_ms);
    return wire_apply_animation_encode(&apply, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_animation_speed(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_animation_speed speed = { .player_id = player->ref.id,
                                              .player_token = player->ref.token,
                                              .speed = player->set.animation.speed };
    struct wire_error error;

    (void)shard;
    return wire_set_animation_speed_encode(&speed, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_animation_progress(const struct shard *shard, const struct player *player,
                                        uint8_t *packet)
{
    struct wire_set_animation_progress progress = { .player_id = player->ref.id,
                                                    .player_token = player->ref.token,
                                                    .progress = player->set.animation.progress };
    struct wire_error error;

    (void)shard;
    return wire_set_animation_progress_encode(&progress, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_wanted(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_wanted wanted = { .level = player->set.wanted };
    struct wire_error error;

    (void)shard;
    return wire_set_wanted_encode(&wanted, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_money(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_money money = { .money = player->set.money };
    struct wire_error error;

    (void)shard;
    return wire_set_money_encode(&money, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_on_fire(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_on_fire on_fire = { .on_fire = player->set.on_fire };
    struct wire_error error;

    (void)shard;
    return wire_set_on_fire_encode(&on_fire, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_special_action(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_special_action action = { .action = player->set.special_action };
    struct wire_error error;

    (void)shard;
    return wire_set_special_action_encode(&action, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_frozen(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_frozen frozen = { .frozen = player->frozen };
    struct wire_error error;

    (void)shard;
    return wire_set_frozen_encode(&frozen, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_gravity(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_gravity gravity = { .gravity = player->set.gravity };
    struct wire_error error;

    (void)shard;
    return wire_set_gravity_encode(&gravity, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_drunk_level(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    struct wire_set_drunk_level drunk = { .level = player->set.drunk_level };
    struct wire_error error;

    (void)shard;
    return wire_set_drunk_level_encode(&drunk, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_world_bounds(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    const struct world_bounds *bounds = &player->set.bounds;
    struct wire_set_world_bounds set = { .active = bounds->active,
                                         .min_x = bounds->min_x,
                                         .min_y = bounds->min_y,
                                         .max_x = bounds->max_x,
                                         .max_y = bounds->max_y };
    struct wire_error error;

    (void)shard;
    return wire_set_world_bounds_encode(&set, packet, PACKET_SIZE_MAX, &error);
}

static size_t encode_camera(const struct shard *shard, const struct player *player, uint8_t *packet)
{
    const struct player_camera *camera = &player->set.camera;
    struct wire_set_camera set = { .active = camera->active, .move_ms = camera->move_ms };
    struct wire_error error;

    (void)shard;
    memcpy(set.pos, camera->pos, sizeof set.pos);
    memcpy(set.target, camera->target, sizeof set.target);
    return wire_set_camera_encode(&set, packet, PACKET_SIZE_MAX, &error);
}

/* clang-format off: columns */
static const struct field_rule {
    size_t (*encode)(const struct shard *shard, const struct player *player, uint8_t *packet);
    bool observers; /* see it too */
    bool droppable;
} field_rules[FIELD_COUNT] = {
    /*  field                       packet                    to observers  droppable */
    [FIELD_SKIN] = { encode_skin, true, false },
    [FIELD_SKILLS] = { encode_skills, true, true },
    [FIELD_FIGHTING_STYLE] = { encode_fighting_style, true, false },
    [FIELD_WALKING_STYLE] = { encode_walking_style, true, false },
    [FIELD_HEADLESS] = { encode_headless, true, false },
    [FIELD_ANIMATION] = { encode_animation, true, false },
    [FIELD_ANIMATION_SPEED] = { encode_animation_speed, true, false },
    [FIELD_ANIMATION_PROGRESS] = { encode_animation_progress, true, false },
    [FIELD_WANTED] = { encode_wanted, false, true },
    [FIELD_MONEY] = { encode_money, false, false },
    [FIELD_ON_FIRE] = { encode_on_fire, false, false },
    [FIELD_SPECIAL_ACTION] = { encode_special_action, false, false },
    [FIELD_FROZEN] = { encode_frozen, false, false },
    [FIELD_GRAVITY] = { encode_gravity, false, false },
    [FIELD_DRUNK_LEVEL] = { encode_drunk_level, false, false },
    [FIELD_STATS] = { NULL, false, false }, /* a packet for every 64 */
    [FIELD_WORLD_BOUNDS] = { encode_world_bounds, false, false },
    [FIELD_CAMERA] = { encode_camera, false, false },
};
/* clang-format on */

static bool stats_are_valid(const struct player_stats *stats)
{
    for (uint16_t stat = 0; stat < PLAYER_STATS; stat++) {
        const struct wire_set_player_stats one = {
            .stats_count = 1, .stats = { { .stat = stat, .value = stats->values[stat] } }
        };
        struct wire_error error;

        if ((stats->set[stat / 64] >> stat % 64 & 1) != 0 && !wire_set_player_stats_check(&one, &error))
            return false;
    }
    return true;
}

static bool animation_is_valid(const struct player *player)
{
    const struct player_animation *animation = &player->set.animation;
    const struct wire_apply_animation apply = {
        .player_id = player->ref.id,
        .player_token = player->ref.token,
        .library = { .data = (const uint8_t *)animation->library, .size = animation->library_size },
        .name = { .data = (const uint8_t *)animation->name, .size = animation->name_size },
        .speed = animation->speed,
        .flags = animation->flags,
        .time_ms = animation->time_ms,
    };
    struct wire_error error;

    return !animation->applied || wire_apply_animation_check(&apply, &error);
}

bool player_state_is_valid(const struct shard *shard, const struct player *player)
{
    uint8_t packet[PACKET_SIZE_MAX];

    for (enum player_field field = 0; field < FIELD_COUNT; field++)
        if (field_rules[field].encode != NULL && field_rules[field].encode(shard, player, packet) == 0)
            return false;
    return animation_is_valid(player) && stats_are_valid(&player->stats);
}

/* ---- to the player itself */

/* As many as one packet takes. False: the player cannot be reached. */
static bool send_some_stats(struct shard *shard, struct player *player)
{
    struct player_stats *stats = &player->stats;
    struct wire_set_player_stats set = { 0 };
    uint8_t packet[PACKET_SIZE_MAX];
    struct wire_error error;

    for (uint16_t stat = 0; stat < PLAYER_STATS && set.stats_count < PLAYER_STATS_AT_ONCE; stat++)
        if ((stats->owed[stat / 64] >> stat % 64 & 1) != 0)
            set.stats[set.stats_count++] =
                (struct wire_player_stat){ .stat = stat, .value = stats->values[stat] };

    size_t size = wire_set_player_stats_encode(&set, packet, sizeof packet, &error);

    assert(size > 0);
    if (!send_critical(shard, player, packet, size))
        return false;
    for (uint16_t i = 0; i < set.stats_count; i++)
        stats->owed[set.stats[i].stat / 64] &= ~(UINT64_C(1) << set.stats[i].stat % 64);
    return true;
}

static bool owes_stats(const struct player_stats *stats)
{
    uint64_t owed = 0;

    for (size_t word = 0; word < PLAYER_STAT_WORDS; word++)
        owed |= stats->owed[word];
    return owed != 0;
}

static bool send_stats(struct shard *shard, struct player *player)
{
    while (owes_stats(&player->stats))
        if (!send_some_stats(shard, player))
            return false;
    return true;
}

static bool send_field(struct shard *shard, struct player *player, enum player_field field)
{
    uint8_t packet[PACKET_SIZE_MAX];
    size_t size;

    if (field == FIELD_STATS)
        return send_stats(shard, player);
    size = field_rules[field].encode(shard, player, packet);
    assert(size > 0);
    return field_rules[field].droppable ? send_droppable(shard, player, packet, size)
                                        : send_critical(shard, player, packet, size);
}

static void tell_player(struct shard *shard, struct player *player, enum player_field field)
{
    uint32_t bit = UINT32_C(1) << field;

    if (send_field(shard, player, field))
        player->fields_owed &= ~bit;
    else
        player->fields_owed |= bit;
}

/* ---- to observers */

static void owe_skills(struct player *observer, uint16_t subject_slot, bool owed)
{
    uint64_t *word = &observer->skills_owed[subject_slot / 64];
    uint64_t bit = UINT64_C(1) << subject_slot % 64;

    if (((*word & bit) != 0) == owed)
        return;
    *word ^= bit;
    observer->skills_owed_count = owed ? observer->skills_owed_count + 1 : observer->skills_owed_count - 1;
}

void player_state_forget(struct player *observer, uint16_t subject_slot)
{
    owe_skills(observer, subject_slot, false);
}

static void tell_observers(struct shard *shard, struct player *player, enum player_field field)
{
    uint8_t packet[PACKET_SIZE_MAX];
    size_t size = field_rules[field].encode(shard, player, packet);
    uint16_t slot = world_player_slot(&shard->world, player);

    assert(size > 0);
    if (!field_rules[field].droppable) {
        send_group_critical(shard, &player->observers, packet, size);
        return;
    }
    for (uint16_t i = 0; i < player->observers.count; i++) {
        struct player *observer = world_player_at(&shard->world, player->observers.observers[i]);

        owe_skills(observer, slot, !lane_takes_droppable(shard, observer));
    }
    send_group_droppable(shard, &player->observers, packet, size);
}

void player_state_tell(struct shard *shard, struct player *player, enum player_field field)
{
    tell_player(shard, player, field);
    if (field_rules[field].observers)
        tell_observers(shard, player, field);
}

enum reason player_state_change(struct shard *shard, struct player *player, const struct player_state *next,
                                enum player_field field)
{
    const struct player_state before = player->set;
    uint8_t packet[PACKET_SIZE_MAX];

    player->set = *next;
    if (field_rules[field].encode(shard, player, packet) == 0) {
        player->set = before;
        return REASON_OUT_OF_BOUNDS;
    }
    player_state_tell(shard, player, field);
    return REASON_NONE;
}

/* ---- what is owed */

/* The skills of others that the player is shown. */
static void send_owed_skills(struct shard *shard, struct player *observer)
{
    uint32_t words = (shard->world.players.capacity + 63) / 64;

    for (uint32_t word = 0; word < words && observer->skills_owed_count > 0; word++)
        while (observer->skills_owed[word] != 0) {
            uint16_t slot = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(observer->skills_owed[word]));
            uint8_t packet[PACKET_SIZE_MAX];
            size_t size = encode_skills(shard, world_player_at(&shard->world, slot), packet);

            if (!lane_takes_droppable(shard, observer))
                return;
            send_droppable(shard, observer, packet, size);
            owe_skills(observer, slot, false);
        }
}

void player_state_send_owed(struct shard *shard, struct player *player)
{
    if ((player->fields_owed == 0 && player->skills_owed_count == 0) || !lane_is_reachable(shard, player))
        return;
    for (uint32_t owed = player->fields_owed; owed != 0; owed &= owed - 1) {
        enum player_field field = (enum player_field)__builtin_ctz(owed);

        if (!field_rules[field].droppable || lane_takes_droppable(shard, player))
            tell_player(shard, player, field);
    }
    send_owed_skills(shard, player);
}

/* ---- shows */

static bool skills_are_default(const struct player_state *state)
{
    for (size_t i = 0; i < PLAYER_SKILLS; i++)
        if (state->skills[i] != PLAYER_SKILL_DEFAULT)
            return false;
    return true;
}

static void show_field(struct shard *shard, struct player *observer, const struct player *subject,
                       enum player_field field)
{
    uint8_t packet[PACKET_SIZE_MAX];
    size_t size = field_rules[field].encode(shard, subject, packet);

    assert(size > 0);
    if (!field_rules[field].droppable)
        send_critical(shard, observer, packet, size);
    else if (!send_droppable(shard, observer, packet, size))
        owe_skills(observer, world_player_slot(&shard->world, subject), true);
}

void player_state_show(struct shard *shard, struct player *observer, const struct player *subject)
{
    const struct player_state *state = &subject->set;
    bool animated = animation_is_running(&state->animation, shard->now_ms);
    const struct {
        enum player_field field;
        bool differs;
    } fields[] = {
        { FIELD_SKIN, state->skin != state->life_skin },
        { FIELD_SKILLS, !skills_are_default(state) },
        { FIELD_FIGHTING_STYLE, state->fighting_style != PLAYER_FIGHTING_DEFAULT },
        { FIELD_WALKING_STYLE, state->walking_style != 0 },
        { FIELD_HEADLESS, state->headless },
        { FIELD_ANIMATION, animated },
        { FIELD_ANIMATION_PROGRESS, animated && state->animation.speed == 0 },
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].differs)
            show_field(shard, observer, subject, fields[i].field);
}
