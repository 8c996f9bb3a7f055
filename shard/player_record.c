#include "shard/player_record.h"

#include <string.h>

#include "common/address.h"
#include "common/text.h"
#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/player_sync.h"
#include "shard/stream.h"

enum { ASKS_IN_MAX_MS = PLAYER_RESPAWN_AFTER_MS };

_Static_assert(PLAYER_ASK_AGAIN_MS <= PLAYER_RESPAWN_AFTER_MS, "the longer of both");

/* ---- writing */

static ProtobufCBinaryData write_text(struct outbox *outbox, const char *text, size_t size)
{
    return outbox_bytes(outbox, text, size);
}

static Bus__AnimationState *write_animation(struct outbox *outbox, const struct player_animation *animation,
                                            uint64_t now_ms)
{
    Bus__AnimationState *state = outbox_alloc(outbox, sizeof *state);

    bus__animation_state__init(state);
    state->applied = animation->applied;
    state->library = write_text(outbox, animation->library, animation->library_size);
    state->name = write_text(outbox, animation->name, animation->name_size);
    state->flags = animation->flags;
    state->speed = animation->speed;
    state->progress = animation->progress;
    state->time_ms = animation->time_ms;
    state->age_ms = record_age(now_ms, animation->applied_at_ms);
    return state;
}

static uint32_t *write_skills(struct outbox *outbox, const uint16_t *skills, size_t *written)
{
    uint32_t *copy = outbox_alloc(outbox, PLAYER_SKILLS * sizeof *copy);

    for (size_t i = 0; i < PLAYER_SKILLS; i++)
        copy[i] = skills[i];
    *written = PLAYER_SKILLS;
    return copy;
}

static Bus__PlayerSetState *write_set(struct outbox *outbox, const struct player_state *set, uint64_t now_ms)
{
    Bus__PlayerSetState *state = outbox_alloc(outbox, sizeof *state);
    const float bounds[4] = { set->bounds.min_x, set->bounds.min_y, set->bounds.max_x, set->bounds.max_y };

    bus__player_set_state__init(state);
    state->skin = set->skin;
    state->life_skin = set->life_skin;
    state->spawn_skin = set->spawn_skin;
    state->skills = write_skills(outbox, set->skills, &state->n_skills);
    state->fighting_style = set->fighting_style;
    state->walking_style = set->walking_style;
    state->headless = set->headless;
    state->animation = write_animation(outbox, &set->animation, now_ms);
    state->wanted = set->wanted;
    state->money = set->money;
    state->on_fire = set->on_fire;
    state->special_action = set->special_action;
    state->gravity = set->gravity;
    state->drunk_level = set->drunk_level;
    state->muted = set->muted;
    state->bounds_active = set->bounds.active;
    state->bounds = record_write_floats(outbox, bounds, 4, &state->n_bounds);
    state->camera_active = set->camera.active;
    state->camera_pos = record_write_floats(outbox, set->camera.pos, 3, &state->n_camera_pos);
    state->camera_target = record_write_floats(outbox, set->camera.target, 3, &state->n_camera_target);
    state->camera_move_ms = set->camera.move_ms;
    return state;
}

static void write_stats(struct outbox *outbox, const struct player_stats *stats, Bus__PlayerState *state)
{
    state->stats = outbox_alloc(outbox, PLAYER_STATS * sizeof(Bus__PlayerStatState *));
    for (uint32_t stat = 0; stat < PLAYER_STATS; stat++) {
        Bus__PlayerStatState *one;

        if ((stats->set[stat / 64] >> stat % 64 & 1) == 0)
            continue;
        one = outbox_alloc(outbox, sizeof *one);
        bus__player_stat_state__init(one);
        one->stat = stat;
        one->value = stats->values[stat];
        one->owed = (stats->owed[stat / 64] >> stat % 64 & 1) != 0;
        state->stats[state->n_stats++] = one;
    }
}

static void write_life(struct outbox *outbox, const struct player *player, uint64_t now_ms,
                       Bus__PlayerState *state)
{
    state->spawn = record_write_place(outbox, &player->spawn);
    state->state = player->state;
    state->framed = player->framed;
    state->life = player->life;
    state->respawns = player->respawns;
    state->asks_in_ms = record_age(player->asks_from_ms, now_ms);
    state->pose_rev = player->pose_rev;
    state->weapon_rev = player->weapon_rev;
    state->killer = record_write_ref(outbox, player->killer);
    state->death_weapon = player->death_weapon;
    state->death_pose = outbox_alloc(outbox, 3 * sizeof *state->death_pose);
    for (size_t i = 0; i < 3; i++)
        state->death_pose[state->n_death_pose++] = player->death_pose[i];
}

static void write_motion(struct outbox *outbox, const struct player *player, uint64_t now_ms,
                         Bus__PlayerState *state)
{
    state->place = record_write_place(outbox, &player->place);
    state->placed_age_ms = record_age(now_ms, player->placed_at_ms);
    state->movement_strikes = player->movement_strikes;
    state->paused = player->paused;
    state->frozen = player->frozen;
    state->has_seq = player->has_seq;
    state->seq = player->seq;
    if (player->framed)
        state->relay = outbox_bytes(outbox, player->relay, sizeof player->relay);
    state->barrier = outbox_alloc(outbox, sizeof *state->barrier);
    bus__barrier_state__init(state->barrier);
    state->barrier->pending = player->barrier.pending;
    state->barrier->grant = player->barrier.grant;
    state->barrier->teleport = player->barrier.teleport;
    state->barrier->scope = player->barrier.scope;
}

static void write_hide(struct outbox *outbox, const struct owed_hide *hide, Bus__PlayerState *state)
{
    Bus__HideState *one;

    if (state->n_hides == PLAYER_OWED_HIDES_MAX)
        return;
    one = outbox_alloc(outbox, sizeof *one);
    bus__hide_state__init(one);
    one->kind = hide->kind;
    one->id = hide->id;
    one->token = hide->token;
    one->last_seq = hide->last_seq;
    one->synced = hide->synced;
    state->hides[state->n_hides++] = one;
}

static void write_hides(struct shard *shard, struct outbox *outbox, const struct player *player,
                        Bus__PlayerState *state)
{
    state->hides = outbox_alloc(outbox, PLAYER_OWED_HIDES_MAX * sizeof(Bus__HideState *));
    for (uint16_t i = 0; i < player->owed_hides_count; i++)
        write_hide(outbox, &player->owed_hides[i], state);
    for (uint32_t id = 0; id < shard->list.end; id++) {
        struct owed_hide hide;

        if (list_owes_hide(&shard->list, player, id, &hide))
            write_hide(outbox, &hide, state);
    }
}

static Bus__RayState *write_ray(struct outbox *outbox, const struct combat_ray *ray, uint64_t now_ms)
{
    Bus__RayState *state = outbox_alloc(outbox, sizeof *state);

    bus__ray_state__init(state);
    state->age_ms = record_age(now_ms, ray->at_ms);
    state->order = ray->order;
    state->weapon = ray->weapon;
    state->start = record_write_floats(outbox, ray->start, 3, &state->n_start);
    state->end = record_write_floats(outbox, ray->end, 3, &state->n_end);
    return state;
}

static Bus__CauseState *write_cause(struct outbox *outbox, const struct combat_cause *cause, uint64_t now_ms)
{
    Bus__CauseState *state = outbox_alloc(outbox, sizeof *state);

    bus__cause_state__init(state);
    state->age_ms = record_age(now_ms, cause->at_ms);
    state->scope = record_write_scope(outbox, cause->scope);
    state->kind = cause->kind;
    state->weapon = cause->weapon;
    state->from = record_write_floats(outbox, cause->from, 3, &state->n_from);
    state->to = record_write_floats(outbox, cause->to, 3, &state->n_to);
    state->flight_m = cause->flight_m;
    state->target_id = cause->target_id;
    state->target_epoch = cause->target_epoch;
    return state;
}

static void write_combat(struct outbox *outbox, const struct player *player, uint64_t now_ms,
                         Bus__PlayerState *state)
{
    const struct combat_rays *rays = &player->rays;
    const struct combat_causes *causes = &player->causes;

    state->rays = outbox_alloc(outbox, COMBAT_RAYS_MAX * sizeof(Bus__RayState *));
    for (unsigned i = rays->count; i > 0; i--)
        state->rays[state->n_rays++] =
            write_ray(outbox, &rays->ring[(rays->next + COMBAT_RAYS_MAX - i) % COMBAT_RAYS_MAX], now_ms);
    state->causes = outbox_alloc(outbox, COMBAT_CAUSES_MAX * sizeof(Bus__CauseState *));
    for (unsigned i = causes->count; i > 0; i--)
        state->causes[state->n_causes++] = write_cause(
            outbox, &causes->ring[(causes->next + COMBAT_CAUSES_MAX - i) % COMBAT_CAUSES_MAX], now_ms);
    state->shot_order = player->shot_order;
    state->has_shot = player->has_shot;
    state->shot_age_ms = record_age(now_ms, player->shot_at_ms);
    state->has_props_rev = player->has_props_rev;
    state->props_rev = player->props_rev;
    state->exploded_by = record_write_ref(outbox, player->exploded_by);
    state->exploded_age_ms = record_age(now_ms, player->exploded_at_ms);
}

static void write_limits(struct outbox *outbox, const struct player *player, uint64_t now_ms,
                         Bus__PlayerState *state)
{
    state->chat = record_write_bucket(outbox, &player->chat, now_ms);
    state->commands = record_write_bucket(outbox, &player->commands, now_ms);
    state->vehicle_events = record_write_bucket(outbox, &player->vehicle_events, now_ms);
    state->frames = record_write_bucket(outbox, &player->frames, now_ms);
    state->siren = record_write_bucket(outbox, &player->siren, now_ms);
    state->too_fast_told = player->too_fast_told;
    state->too_fast_told_age_ms = record_age(now_ms, player->too_fast_told_at_ms);
    state->has_old_marks = player->has_old_marks;
    state->old_marks_seq = player->old_marks_seq;
    state->marks = outbox_alloc(outbox, PLAYER_MARKS * sizeof(Bus__MarkState *));
    for (uint8_t i = 0; i < player->marks_count; i++) {
        Bus__MarkState *mark = outbox_alloc(outbox, sizeof *mark);

        bus__mark_state__init(mark);
        mark->vehicle_id = player->marks[i].vehicle_id;
        mark->seq = player->marks[i].seq;
        mark->driven = record_write_bucket(outbox, &player->marks[i].driven, now_ms);
        mark->synced = record_write_bucket(outbox, &player->marks[i].synced, now_ms);
        state->marks[state->n_marks++] = mark;
    }
}

/* The ids whose bits are set in all of `bits` and `mask`. */
static uint32_t *write_ids(struct outbox *outbox, const uint64_t *bits, const uint64_t *mask, uint32_t end,
                           size_t *written)
{
    size_t count = 0;
    uint32_t *ids;

    for (uint32_t word = 0; word < (end + 63) / 64; word++)
        count += (size_t)__builtin_popcountll(bits[word] & mask[word]);
    ids = outbox_alloc(outbox, count * sizeof *ids);
    *written = 0;
    for (uint32_t word = 0; word < (end + 63) / 64; word++)
        for (uint64_t left = bits[word] & mask[word]; left != 0; left &= left - 1)
            ids[(*written)++] = word * 64 + (uint32_t)__builtin_ctzll(left);
    return ids;
}

static void write_standing(struct shard *shard, struct outbox *outbox, const struct player *player,
                           Bus__PlayerState *state)
{
    const struct game_team *team = team_get(shard, player->team);
    Bus__SkyState *sky = outbox_alloc(outbox, sizeof *sky);

    state->account_id = player->account.id;
    state->account_name = outbox_text(outbox, player->account.name);
    state->team_resource = outbox_text(outbox, team != NULL ? team->resource : "");
    state->team_name = outbox_text(outbox, team != NULL ? team->name : "");
    bus__sky_state__init(sky);
    sky->has_time = player->sky.has_time;
    sky->hour = player->sky.hour;
    sky->minute = player->sky.minute;
    sky->has_weather = player->sky.has_weather;
    sky->weather = player->sky.weather;
    sky->told_age_ms = record_age(shard->now_ms, player->sky.told_at_ms);
    state->sky = sky;
}

Bus__PlayerState *player_record_write(struct shard *shard, struct outbox *outbox, const struct player *player)
{
    Bus__PlayerState *state = outbox_alloc(outbox, sizeof *state);
    uint32_t end = shard->world.player_ids;

    bus__player_state__init(state);
    state->player = record_write_ref(outbox, player->ref);
    state->fence = player->fence;
    state->gateway = outbox_text(outbox, shard->gateways[player->gateway].name);
    state->last_item = player->last_item;
    state->lane_sent = player->lane.sent;
    state->lane_acked = player->lane.acked;
    state->rtt_ms = player->rtt_ms;
    state->name = outbox_text(outbox, player->name);
    state->address = outbox_bytes(outbox, player->ip, sizeof player->ip);
    state->set = write_set(outbox, &player->set, shard->now_ms);
    write_stats(outbox, &player->stats, state);
    state->fields_owed = player->fields_owed;
    write_life(outbox, player, shard->now_ms, state);
    write_motion(outbox, player, shard->now_ms, state);
    write_hides(shard, outbox, player, state);
    write_combat(outbox, player, shard->now_ms, state);
    write_limits(outbox, player, shard->now_ms, state);
    write_standing(shard, outbox, player, state);
    state->data = record_write_notes(outbox, &player->notes, &state->n_data);
    state->entries_owed =
        write_ids(outbox, player->entries_owed, player->entries_owed, end, &state->n_entries_owed);
    state->leaves_owed =
        write_ids(outbox, player->leaves_owed, player->leaves_owed, end, &state->n_leaves_owed);
    state->leaves_shown =
        write_ids(outbox, player->leaves_shown, player->leaves_owed, end, &state->n_leaves_shown);
    return state;
}

/* ---- reading: into a player that is in no world yet */

static bool read_text(char *text, size_t room, uint8_t *size, ProtobufCBinaryData from)
{
    if (from.len > room)
        return false;
    if (from.len > 0)
        memcpy(text, from.data, from.len);
    *size = (uint8_t)from.len;
    return true;
}

static bool read_animation(struct player_animation *animation, const Bus__AnimationState *state,
                           uint64_t now_ms)
{
    if (state == NULL ||
        !read_text(animation->library, sizeof animation->library, &animation->library_size, state->library) ||
        !read_text(animation->name, sizeof animation->name, &animation->name_size, state->name) ||
        !record_read_u8(&animation->flags, state->flags) ||
        !record_read_floats(&animation->speed, 1, &state->speed, 1) ||
        !record_read_floats(&animation->progress, 1, &state->progress, 1))
        return false;
    animation->applied = state->applied;
    animation->time_ms = state->time_ms;
    animation->applied_at_ms = record_time(now_ms, state->age_ms);
    return true;
}

static bool read_skin(uint16_t *skin, uint32_t from)
{
    *skin = (uint16_t)from;
    return from <= PLAYER_SKIN_MAX;
}

static bool read_skills(uint16_t *skills, const Bus__PlayerSetState *state)
{
    if (state->n_skills != PLAYER_SKILLS)
        return false;
    for (size_t i = 0; i < PLAYER_SKILLS; i++)
        if (!record_read_u16(&skills[i], state->skills[i]))
            return false;
    return true;
}

static bool read_bounds_and_camera(struct player_state *set, const Bus__PlayerSetState *state)
{
    float bounds[4];

    if (!record_read_floats(bounds, 4, state->bounds, state->n_bounds) ||
        !record_read_floats(set->camera.pos, 3, state->camera_pos, state->n_camera_pos) ||
        !record_read_floats(set->camera.target, 3, state->camera_target, state->n_camera_target))
        return false;
    set->bounds = (struct world_bounds){ .active = state->bounds_active,
                                         .min_x = bounds[0],
                                         .min_y = bounds[1],
                                         .max_x = bounds[2],
                                         .max_y = bounds[3] };
    set->camera.active = state->camera_active;
    set->camera.move_ms = state->camera_move_ms;
    return true;
}

static bool read_set(struct player_state *set, const Bus__PlayerSetState *state, uint64_t now_ms)
{
    if (state == NULL || !read_skin(&set->skin, state->skin) ||
        !read_skin(&set->life_skin, state->life_skin) || !read_skin(&set->spawn_skin, state->spawn_skin) ||
        !read_skills(set->skills, state) || !record_read_u8(&set->fighting_style, state->fighting_style) ||
        !record_read_u16(&set->walking_style, state->walking_style) ||
        !read_animation(&set->animation, state->animation, now_ms) ||
        !record_read_u8(&set->wanted, state->wanted) ||
        !record_read_u8(&set->special_action, state->special_action) ||
        !record_read_floats(&set->gravity, 1, &state->gravity, 1) ||
        !record_read_u16(&set->drunk_level, state->drunk_level) || !read_bounds_and_camera(set, state))
        return false;
    set->headless = state->headless;
    set->money = state->money;
    set->on_fire = state->on_fire;
    set->muted = state->muted;
    return true;
}

static bool read_stats(struct player_stats *stats, const Bus__PlayerState *state)
{
    for (size_t i = 0; i < state->n_stats; i++) {
        const Bus__PlayerStatState *one = state->stats[i];
        uint64_t bit = UINT64_C(1) << one->stat % 64;

        if (one->stat >= PLAYER_STATS || (stats->set[one->stat / 64] & bit) != 0)
            return false;
        stats->values[one->stat] = one->value;
        stats->set[one->stat / 64] |= bit;
        stats->owed[one->stat / 64] |= one->owed ? bit : 0;
    }
    return true;
}

static bool death_is_valid(const struct player *player)
{
    const struct wire_player_wasted wasted = {
        .player_id = player->ref.id,
        .player_token = player->ref.token,
        .killer_id = player->killer.id,
        .killer_token = player->killer.token,
        .weapon = player->death_weapon,
        .pose_weapon = player->death_pose[0],
        .pose_anim_group = player->death_pose[1],
        .pose_anim = player->death_pose[2],
    };
    struct wire_error error;

    return player->state != LIFE_DEAD || wire_player_wasted_check(&wasted, &error);
}

static bool read_life(struct player *player, const Bus__PlayerState *state, uint64_t now_ms)
{
    if (!record_read_place(&player->spawn, state->spawn) || state->state > LIFE_DEAD ||
        !record_read_u8(&player->life, state->life) || !record_read_u16(&player->pose_rev, state->pose_rev) ||
        !record_read_u16(&player->weapon_rev, state->weapon_rev) ||
        !record_read_ref(&player->killer, state->killer) ||
        !record_read_u8(&player->death_weapon, state->death_weapon) || state->n_death_pose != 3 ||
        state->asks_in_ms > ASKS_IN_MAX_MS)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!record_read_u16(&player->death_pose[i], state->death_pose[i]))
            return false;
    player->state = (enum life)state->state;
    player->framed = state->framed;
    player->respawns = state->respawns;
    player->asks_from_ms = now_ms + state->asks_in_ms;
    if ((player->state == LIFE_CONNECTED) != (player->life == 0) ||
        (player->state == LIFE_ALIVE && !player->framed) ||
        (player->state == LIFE_CONNECTED && (player->framed || player->respawns)))
        return false;
    return death_is_valid(player);
}

/* The last frame as it was relayed: this player's, and nothing that would not have been accepted. */
static bool read_relay(struct player *player, ProtobufCBinaryData relay)
{
    struct wire_remote_player_sync sync;
    struct wire_error error;

    if (!player->framed)
        return relay.len == 0;
    if (relay.len != sizeof player->relay ||
        !wire_remote_player_sync_decode(&sync, relay.data, relay.len, &error) ||
        sync.player_id != player->ref.id || sync.player_token != player->ref.token ||
        !player_frame_is_within_bounds(&sync.frame))
        return false;
    memcpy(player->relay, relay.data, sizeof player->relay);
    return true;
}

static bool read_motion(struct player *player, const Bus__PlayerState *state, uint64_t now_ms)
{
    const Bus__BarrierState *barrier = state->barrier;

    if (!record_read_place(&player->place, state->place) || state->movement_strikes > PLAYER_STRIKES_MAX ||
        barrier == NULL || (!barrier->pending && (barrier->grant || barrier->teleport || barrier->scope)) ||
        !read_relay(player, state->relay))
        return false;
    player->placed_at_ms = record_time(now_ms, state->placed_age_ms);
    player->movement_strikes = (uint8_t)state->movement_strikes;
    player->paused = state->paused;
    player->frozen = state->frozen;
    player->has_seq = state->has_seq;
    player->seq = state->seq;
    player->barrier = (struct barrier){ .pending = barrier->pending,
                                        .grant = barrier->grant,
                                        .teleport = barrier->teleport,
                                        .scope = barrier->scope };
    return true;
}

static bool read_rays(struct combat_rays *rays, const Bus__PlayerState *state, uint64_t now_ms)
{
    if (state->n_rays > COMBAT_RAYS_MAX)
        return false;
    for (size_t i = 0; i < state->n_rays; i++) {
        const Bus__RayState *from = state->rays[i];
        struct combat_ray ray = { .at_ms = record_time(now_ms, from->age_ms), .order = from->order };

        if (!record_read_u8(&ray.weapon, from->weapon) ||
            !record_read_floats(ray.start, 3, from->start, from->n_start) ||
            !record_read_floats(ray.end, 3, from->end, from->n_end))
            return false;
        combat_rays_add(rays, &ray);
    }
    return true;
}

static bool read_causes(struct combat_causes *causes, const Bus__PlayerState *state, uint64_t now_ms)
{
    if (state->n_causes > COMBAT_CAUSES_MAX)
        return false;
    for (size_t i = 0; i < state->n_causes; i++) {
        const Bus__CauseState *from = state->causes[i];
        struct combat_cause cause = { .at_ms = record_time(now_ms, from->age_ms),
                                      .target_id = from->target_id };

        if (from->kind >= CAUSE_KINDS || !record_read_scope(&cause.scope, from->scope) ||
            !record_read_u8(&cause.weapon, from->weapon) ||
            !record_read_floats(cause.from, 3, from->from, from->n_from) ||
            !record_read_floats(cause.to, 3, from->to, from->n_to) ||
            !record_read_floats(&cause.flight_m, 1, &from->flight_m, 1) || cause.flight_m < 0 ||
            !record_read_u8(&cause.target_epoch, from->target_epoch))
            return false;
        cause.kind = (uint8_t)from->kind;
        combat_causes_add(causes, &cause);
    }
    return true;
}

static bool read_combat(struct player *player, const Bus__PlayerState *state, uint64_t now_ms)
{
    if (!read_rays(&player->rays, state, now_ms) || !read_causes(&player->causes, state, now_ms) ||
        !record_read_ref(&player->exploded_by, state->exploded_by))
        return false;
    player->shot_order = state->shot_order;
    player->has_shot = state->has_shot;
    player->shot_at_ms = record_time(now_ms, state->shot_age_ms);
    player->has_props_rev = state->has_props_rev;
    player->props_rev = state->props_rev;
    player->exploded_at_ms = record_time(now_ms, state->exploded_age_ms);
    return true;
}

static bool read_marks(struct player *player, const Bus__PlayerState *state, uint64_t now_ms)
{
    if (state->n_marks > PLAYER_MARKS)
        return false;
    for (size_t i = 0; i < state->n_marks; i++) {
        struct frame_mark *mark = &player->marks[player->marks_count++];

        mark->vehicle_id = state->marks[i]->vehicle_id;
        mark->seq = state->marks[i]->seq;
        if (!record_read_bucket(&mark->driven, state->marks[i]->driven, now_ms) ||
            !record_read_bucket(&mark->synced, state->marks[i]->synced, now_ms))
            return false;
        for (size_t other = 0; other < i; other++)
            if (player->marks[other].vehicle_id == mark->vehicle_id)
                return false;
    }
    player->has_old_marks = state->has_old_marks;
    player->old_marks_seq = state->old_marks_seq;
    return true;
}

static bool read_limits(struct player *player, const Bus__PlayerState *state, uint64_t now_ms)
{
    player->too_fast_told = state->too_fast_told;
    player->too_fast_told_at_ms = record_time(now_ms, state->too_fast_told_age_ms);
    return record_read_bucket(&player->chat, state->chat, now_ms) &&
           record_read_bucket(&player->commands, state->commands, now_ms) &&
           record_read_bucket(&player->vehicle_events, state->vehicle_events, now_ms) &&
           record_read_bucket(&player->frames, state->frames, now_ms) &&
           record_read_bucket(&player->siren, state->siren, now_ms) && read_marks(player, state, now_ms);
}

static bool read_name(struct player *player, const char *name)
{
    struct span text = { .data = (const uint8_t *)name, .size = strlen(name) };

    if (text.size == 0 || text.size > PLAYER_NAME_MAX || !text_is_line(text))
        return false;
    memcpy(player->name, name, text.size + 1);
    return true;
}

static bool read_account(struct player_account *account, const Bus__PlayerState *state)
{
    struct span name = { .data = (const uint8_t *)state->account_name, .size = strlen(state->account_name) };

    if ((state->account_id == 0) != (name.size == 0) || name.size > ACCOUNT_NAME_MAX || !text_is_utf8(name))
        return false;
    account->id = state->account_id;
    memcpy(account->name, state->account_name, name.size + 1);
    return true;
}

static bool read_sky(struct player_sky *sky, const Bus__SkyState *state, uint64_t now_ms)
{
    if (state == NULL || !sky_is_valid(state->hour, state->minute, state->weather))
        return false;
    *sky = (struct player_sky){ .has_time = state->has_time,
                                .hour = (uint8_t)state->hour,
                                .minute = (uint8_t)state->minute,
                                .has_weather = state->has_weather,
                                .weather = (uint8_t)state->weather,
                                .told_at_ms = record_time(now_ms, state->told_age_ms) };
    return true;
}

static bool read_player(const struct shard *shard, struct player *player, const Bus__PlayerState *state)
{
    if (!record_read_ref(&player->ref, state->player) || player->ref.token == 0 ||
        state->address.len != sizeof player->ip || !read_name(player, state->name) ||
        state->fields_owed >> FIELD_COUNT != 0 || !read_set(&player->set, state->set, shard->now_ms) ||
        !read_stats(&player->stats, state) || !read_life(player, state, shard->now_ms) ||
        !read_motion(player, state, shard->now_ms) || !read_combat(player, state, shard->now_ms) ||
        !read_limits(player, state, shard->now_ms) || !read_account(&player->account, state) ||
        !read_sky(&player->sky, state->sky, shard->now_ms))
        return false;
    /* A team that nobody here knows is none. */
    player->team = team_find(shard, state->team_resource, state->team_name);
    player->fence = state->fence;
    player->last_item = state->last_item;
    player->lane = (struct lane){ .sent = state->lane_sent, .acked = state->lane_acked };
    player->rtt_ms = state->rtt_ms;
    memcpy(player->ip, state->address.data, sizeof player->ip);
    player->fields_owed = state->fields_owed;
    return player_state_is_valid(shard, player);
}

static bool hides_are_valid(const struct shard *shard, const Bus__PlayerState *state)
{
    if (state->n_hides > PLAYER_OWED_HIDES_MAX)
        return false;
    for (size_t i = 0; i < state->n_hides; i++)
        if ((state->hides[i]->kind != ENTITY_PLAYER && state->hides[i]->kind != ENTITY_VEHICLE) ||
            (state->hides[i]->kind == ENTITY_PLAYER && state->hides[i]->id >= shard->world.player_ids))
            return false;
    return true;
}

static bool ids_are_valid(const struct shard *shard, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] >= shard->list.end || (i > 0 && ids[i] <= ids[i - 1]))
            return false;
    return true;
}

static uint8_t find_gateway(const struct shard *shard, const char *name)
{
    uint8_t gateway = 0;

    while (gateway < WORLD_GATEWAYS_MAX &&
           !(shard->gateways[gateway].used && strcmp(shard->gateways[gateway].name, name) == 0))
        gateway++;
    return gateway;
}

/* ---- reading: the part that lives in the world's rows */

/* Only what this shard's list has something to say of; how many there are. */
static uint32_t put_bits(uint64_t *bits, const uint32_t *ids, size_t count, const struct list *list,
                         bool leaves)
{
    uint32_t put = 0;

    for (size_t i = 0; i < count; i++) {
        const struct listing *listing = &list->listings[ids[i]];

        if ((leaves ? listing->left_token : listing->token) == 0)
            continue;
        bits[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
        put++;
    }
    return put;
}

static void put_owed(const struct list *list, struct player *player, const Bus__PlayerState *state)
{
    for (size_t i = 0; i < state->n_hides; i++)
        player->owed_hides[i] = (struct owed_hide){ .kind = (enum entity_kind)state->hides[i]->kind,
                                                    .id = state->hides[i]->id,
                                                    .token = state->hides[i]->token,
                                                    .last_seq = state->hides[i]->last_seq,
                                                    .synced = state->hides[i]->synced };
    player->owed_hides_count = (uint16_t)state->n_hides;
    player->entries_owed_count =
        put_bits(player->entries_owed, state->entries_owed, state->n_entries_owed, list, false);
    player->leaves_owed_count =
        put_bits(player->leaves_owed, state->leaves_owed, state->n_leaves_owed, list, true);
    put_bits(player->leaves_shown, state->leaves_shown, state->n_leaves_shown, list, true);
    for (uint32_t word = 0; word < (list->capacity + 63) / 64; word++)
        player->leaves_shown[word] &= player->leaves_owed[word];
}

/* What the world has made of the row stays. */
static void put_player(struct player *player, const struct player *read)
{
    struct player row = *player;

    *player = *read;
    player->skills_owed = row.skills_owed;
    player->vehicle = row.vehicle;
    player->remote_id = row.remote_id;
    player->shown_players = row.shown_players;
    player->shown_vehicles = row.shown_vehicles;
    player->observers = row.observers;
    player->owed_hides = row.owed_hides;
    player->entries_owed = row.entries_owed;
    player->leaves_owed = row.leaves_owed;
    player->leaves_shown = row.leaves_shown;
}

enum reason player_record_read(struct shard *shard, const Bus__PlayerState *state, struct player **made)
{
    struct player read = { 0 };
    uint8_t gateway = find_gateway(shard, state->gateway);
    enum reason refused;

    *made = NULL;
    if (!read_player(shard, &read, state) || !hides_are_valid(shard, state) ||
        read.ref.id >= shard->world.player_ids ||
        !ids_are_valid(shard, state->entries_owed, state->n_entries_owed) ||
        !ids_are_valid(shard, state->leaves_owed, state->n_leaves_owed) ||
        !ids_are_valid(shard, state->leaves_shown, state->n_leaves_shown))
        return REASON_BUS_MALFORMED;
    if (gateway == WORLD_GATEWAYS_MAX || world_player_by_id(&shard->world, read.ref.id) != NULL)
        return REASON_BUS_STALE;
    refused = record_read_notes(&read.notes, state->data, state->n_data);
    if (refused != REASON_NONE)
        return refused;
    *made = world_add_player(&shard->world, read.ref);
    if (*made == NULL) {
        notes_fini(&read.notes);
        return REASON_TABLE_FULL;
    }
    read.gateway = gateway;
    put_player(*made, &read);
    put_owed(&shard->list, *made, state);
    group_add(shard, &shard->world.everyone, *made);
    stream_place_player(shard, *made);
    return REASON_NONE;
}
