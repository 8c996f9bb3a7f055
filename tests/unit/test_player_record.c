#include <math.h>
#include <string.h>

#include "common/random.h"
#include "shard/player_join.h"
#include "shard/player_record.h"
#include "shard/player_set.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

/* A player goes from one shard to another whose clock shows something else. */

enum { TRIPS = 40, CLOCKS_APART_MS = 77000000 };

/* Whoever adds a field sees this: it goes into the record, the record's reader, and arrives_whole below. */
_Static_assert(sizeof(struct player) == 9368, "a field of struct player is new: does its record have it?");
_Static_assert(sizeof(struct player_state) == 184, "likewise of struct player_state");
_Static_assert(sizeof(struct combat_cause) == 56 && sizeof(struct combat_ray) == 40, "likewise of these");

static struct stage *from;
static struct stage *to;
static struct stage_client *client;
static struct outbox outbox;
static struct rng rng;

/* The coordinator has told both shards of them. */
static void both_have_teams(void)
{
    static const struct game_team teams[] = { { .id = 1, .resource = "mode", .name = "red" },
                                              { .id = 2, .resource = "mode", .name = "blue" } };

    for (size_t i = 0; i < 2; i++) {
        ck_assert(team_take(to->shard, &teams[1 - i]));
        ck_assert(team_take(from->shard, &teams[i]));
    }
}

static void setup(void)
{
    from = stage_new(NULL, 0);
    to = stage_new(NULL, 0);
    to->shard->now_ms = from->shard->now_ms + CLOCKS_APART_MS;
    outbox_init(&outbox);
    rng_init_seeded(&rng, 45);
    both_have_teams();
    client = stage_spawn(from, 2, 5, 6);
    from->shard->now_ms = from->now_ms;
}

static void teardown(void)
{
    outbox_fini(&outbox);
    stage_free(from);
    stage_free(to);
}

static uint32_t below(uint32_t end)
{
    return (uint32_t)rng_below(&rng, end);
}

static uint8_t byte(void)
{
    return (uint8_t)below(256);
}

static uint16_t word(void)
{
    return (uint16_t)below(65536);
}

static bool coin(void)
{
    return below(2) == 0;
}

static float real(float low, float high)
{
    return low + rng_unit(&rng) * (high - low);
}

static uint64_t past(void)
{
    return from->shard->now_ms - below(100000);
}

static struct player_ref someone(void)
{
    return (struct player_ref){ .id = below(400), .token = below(UINT32_MAX) };
}

static struct bucket some_bucket(void)
{
    return (struct bucket){ .used = (double)real(0, 57), .at_ms = past() };
}

static struct scope some_scope(void)
{
    return (struct scope){ .virtual_world = below(UINT32_MAX), .interior = byte() };
}

static struct place some_place(void)
{
    return (struct place){ .scope = some_scope(),
                           .pos = { real(-6000, 6000), real(-6000, 6000), real(-200, 4000) },
                           .heading = real(-360, 360) };
}

static void some_vector(float vector[3])
{
    for (int axis = 0; axis < 3; axis++)
        vector[axis] = real(-1000, 1000);
}

static void set_something(struct player *player)
{
    struct shard *shard = from->shard;
    struct world_bounds bounds = {
        .min_x = real(-500, 0), .min_y = real(-500, 0), .max_x = real(1, 500), .max_y = real(1, 500)
    };
    struct player_camera camera = { .move_ms = below(5000) };
    const struct animation_request animation = {
        .library = { (const uint8_t *)"PED", 3 },
        .name = { (const uint8_t *)"WALK_player", 11 },
        .speed = real(0, 4),
        .loop = coin(),
        .keep_x = coin(),
        .freeze = coin(),
        .time_ms = below(90000),
    };

    some_vector(camera.pos);
    some_vector(camera.target);
    player_set_skin(shard, player, below(312));
    for (uint32_t weapon = 22; weapon <= 32; weapon++)
        player_set_skill(shard, player, weapon, below(1001));
    player_set_money(shard, player, (int64_t)below(UINT32_MAX) - 2147483647);
    player_set_wanted(shard, player, below(7));
    player_set_walking_style(shard, player, 54 + below(20));
    player_set_fighting_style(shard, player, 4 + below(4));
    player_set_headless(shard, player, coin());
    player_set_on_fire(shard, player, coin());
    player_set_special_action(shard, player, below(5));
    player_set_frozen(shard, player, coin());
    player_set_gravity(shard, player, real(0.001f, 0.01f));
    player_set_drunk_level(shard, player, below(50000));
    player_set_muted(shard, player, coin());
    for (int i = 0; i < 20; i++) {
        const struct wire_player_stat stat = { .stat = (uint16_t)below(PLAYER_STATS), .value = real(0, 999) };

        player_set_stats(shard, player, &stat, 1);
        if (coin())
            player->stats.owed[stat.stat / 64] |= UINT64_C(1) << stat.stat % 64;
    }
    player_set_world_bounds(shard, player, coin() ? &bounds : NULL);
    player_set_camera(shard, player, coin() ? &camera : NULL);
    ck_assert_int_eq(player_apply_animation(shard, player, &animation), REASON_NONE);
    player_set_animation_progress(shard, player, real(0, 1));
    player->set.animation.applied_at_ms = past();
    player->set.life_skin = (uint16_t)below(312);
    player->set.spawn_skin = (uint16_t)below(312);
    player->fields_owed = below(1U << FIELD_COUNT);
    outbox_clear(&from->shard->outbox);
}

static void live_somehow(struct player *player)
{
    player->spawn = some_place();
    player->place = some_place();
    player->place.scope = (struct scope){ .virtual_world = 2 * below(1000), .interior = byte() };
    player->state = coin() ? LIFE_ALIVE : LIFE_DEAD;
    player->life = (uint8_t)(1 + below(255));
    player->respawns = coin();
    player->asks_from_ms = from->shard->now_ms + below(1001);
    player->pose_rev = word();
    player->weapon_rev = word();
    player->killer = someone();
    player->death_weapon = (uint8_t)below(40);
    for (int i = 0; i < 3; i++)
        player->death_pose[i] = (uint16_t)below(40);
    player->placed_at_ms = past();
    player->movement_strikes = (uint8_t)below(20);
    player->paused = coin();
    player->has_seq = true;
    player->seq = below(UINT32_MAX);
    store_u32(player->relay + WIRE_REMOTE_PLAYER_SYNC_SEQ_AT, player->seq);
    player->barrier =
        (struct barrier){ .pending = true, .grant = coin(), .teleport = coin(), .scope = coin() };
    player->lane = (struct lane){ .sent = below(UINT32_MAX), .acked = below(UINT32_MAX) };
    player->last_item = rng_u64(&rng);
    player->fence = rng_u64(&rng);
    player->rtt_ms = below(1000);
    rng_bytes(&rng, player->ip, sizeof player->ip);
    memset(player->name, 0, sizeof player->name);
    memset(player->name, 'a' + (int)below(26), 1 + below(PLAYER_NAME_MAX));
}

static void fight_somehow(struct player *player)
{
    for (uint32_t i = below(80); i > 0; i--) {
        struct combat_ray ray = { .at_ms = past(), .order = below(UINT32_MAX), .weapon = byte() };

        some_vector(ray.start);
        some_vector(ray.end);
        combat_rays_add(&player->rays, &ray);
    }
    for (uint32_t i = below(80); i > 0; i--) {
        struct combat_cause cause = { .at_ms = past(),
                                      .scope = some_scope(),
                                      .kind = (uint8_t)below(CAUSE_KINDS),
                                      .weapon = byte(),
                                      .flight_m = real(0, 300),
                                      .target_id = below(UINT32_MAX),
                                      .target_epoch = byte() };

        some_vector(cause.from);
        some_vector(cause.to);
        combat_causes_add(&player->causes, &cause);
    }
    player->shot_order = below(UINT32_MAX);
    player->has_props_rev = coin();
    player->props_rev = below(UINT32_MAX);
    player->has_shot = coin();
    player->shot_at_ms = past();
    player->exploded_by = someone();
    player->exploded_at_ms = past();
}

static void owe_something(struct player *player)
{
    player->chat = some_bucket();
    player->commands = some_bucket();
    player->vehicle_events = some_bucket();
    player->frames = some_bucket();
    player->siren = some_bucket();
    player->too_fast_told = coin();
    player->too_fast_told_at_ms = past();
    player->has_old_marks = coin();
    player->old_marks_seq = below(UINT32_MAX);
    player->marks_count = (uint8_t)below(PLAYER_MARKS + 1);
    for (uint8_t i = 0; i < player->marks_count; i++)
        player->marks[i] = (struct frame_mark){ .vehicle_id = i * 1000U + below(1000),
                                                .seq = below(UINT32_MAX),
                                                .driven = some_bucket(),
                                                .synced = some_bucket() };
    player->owed_hides_count = (uint16_t)below(50);
    for (uint16_t i = 0; i < player->owed_hides_count; i++)
        player->owed_hides[i] = (struct owed_hide){ .kind = coin() ? ENTITY_PLAYER : ENTITY_VEHICLE,
                                                    .id = below(400),
                                                    .token = below(UINT32_MAX),
                                                    .last_seq = below(UINT32_MAX),
                                                    .synced = coin() };
}

static void stand_somehow(struct player *player)
{
    static const struct span key = { (const uint8_t *)"score", 5 };
    uint8_t value[] = { byte(), byte(), byte() };
    uint16_t team;

    player->account = (struct player_account){ .id = 1 + below(UINT32_MAX), .name = "an account" };
    player->sky = (struct player_sky){ .has_time = coin(),
                                       .hour = (uint8_t)below(24),
                                       .minute = (uint8_t)below(60),
                                       .has_weather = coin(),
                                       .weather = (uint8_t)below(20),
                                       .told_at_ms = past() };
    ck_assert_int_eq(team_create(from->shard, "mode", coin() ? "red" : "blue", &team), REASON_NONE);
    player->team = team;
    ck_assert_int_eq(notes_set(&player->notes, "mode", key, (struct span){ value, sizeof value }),
                     REASON_NONE);
}

static void same_standing(const struct player *before, const struct player *after)
{
    static const struct span key = { (const uint8_t *)"score", 5 };
    struct span left = notes_get(&before->notes, "mode", key);
    struct span right = notes_get(&after->notes, "mode", key);
    const struct game_team *team = team_get(to->shard, after->team);

    ck_assert_uint_eq(before->account.id, after->account.id);
    ck_assert_str_eq(before->account.name, after->account.name);
    ck_assert(before->sky.has_time == after->sky.has_time && before->sky.hour == after->sky.hour &&
              before->sky.minute == after->sky.minute && before->sky.has_weather == after->sky.has_weather &&
              before->sky.weather == after->sky.weather);
    ck_assert(before->sky.told_at_ms - from->shard->now_ms == after->sky.told_at_ms - to->shard->now_ms);
    ck_assert_ptr_nonnull(team);
    ck_assert_str_eq(team->name, team_get(from->shard, before->team)->name);
    ck_assert_uint_eq(before->notes.count, after->notes.count);
    ck_assert_uint_eq(left.size, right.size);
    ck_assert_mem_eq(left.data, right.data, left.size);
}

static struct player *random_player(void)
{
    struct player *player = stage_player(from, client);

    set_something(player);
    live_somehow(player);
    fight_somehow(player);
    stand_somehow(player);
    owe_something(player);
    return player;
}

/* Through the bytes that Redis would have. NULL: they do not unpack. */
static Bus__PlayerState *through_bytes(const Bus__PlayerState *state)
{
    size_t size = bus__player_state__get_packed_size(state);
    uint8_t *bytes = outbox_alloc(&outbox, size);

    ck_assert_uint_eq(bus__player_state__pack(state, bytes), size);
    return bus__player_state__unpack(NULL, size, bytes);
}

static bool same_time(uint64_t before_ms, uint64_t after_ms)
{
    return before_ms + CLOCKS_APART_MS == after_ms;
}

static void same_bucket(const struct bucket *before, const struct bucket *after)
{
    ck_assert(before->used == after->used);
    ck_assert(same_time(before->at_ms, after->at_ms));
}

static void same_place(const struct place *before, const struct place *after)
{
    ck_assert(scope_equal(before->scope, after->scope));
    ck_assert_mem_eq(before->pos, after->pos, sizeof before->pos);
    ck_assert(before->heading == after->heading);
}

#define SAME(field) ck_assert_mem_eq(&before->field, &after->field, sizeof before->field)

static void same_set(const struct player_state *before, const struct player_state *after)
{
    SAME(skin);
    SAME(life_skin);
    SAME(spawn_skin);
    SAME(skills);
    SAME(fighting_style);
    SAME(walking_style);
    SAME(headless);
    SAME(wanted);
    SAME(money);
    SAME(on_fire);
    SAME(special_action);
    SAME(gravity);
    SAME(drunk_level);
    SAME(muted);
    SAME(bounds.active);
    SAME(bounds.min_x);
    SAME(bounds.min_y);
    SAME(bounds.max_x);
    SAME(bounds.max_y);
    SAME(camera.active);
    SAME(camera.pos);
    SAME(camera.target);
    SAME(camera.move_ms);
    SAME(animation.applied);
    SAME(animation.library_size);
    SAME(animation.name_size);
    ck_assert_mem_eq(before->animation.library, after->animation.library, before->animation.library_size);
    ck_assert_mem_eq(before->animation.name, after->animation.name, before->animation.name_size);
    SAME(animation.flags);
    SAME(animation.speed);
    SAME(animation.progress);
    SAME(animation.time_ms);
    ck_assert(same_time(before->animation.applied_at_ms, after->animation.applied_at_ms));
}

static void same_life(const struct player *before, const struct player *after)
{
    SAME(ref);
    SAME(fence);
    SAME(gateway); /* both stages have the same, in the same order */
    SAME(lane);
    SAME(last_item);
    SAME(rtt_ms);
    ck_assert_str_eq(before->name, after->name);
    SAME(ip);
    SAME(stats);
    SAME(fields_owed);
    same_place(&before->spawn, &after->spawn);
    SAME(state);
    SAME(framed);
    SAME(life);
    SAME(respawns);
    ck_assert(same_time(before->asks_from_ms, after->asks_from_ms));
    SAME(pose_rev);
    SAME(weapon_rev);
    SAME(killer);
    SAME(death_weapon);
    SAME(death_pose);
    same_place(&before->place, &after->place);
    ck_assert(same_time(before->placed_at_ms, after->placed_at_ms));
    SAME(movement_strikes);
    SAME(paused);
    SAME(frozen);
    SAME(has_seq);
    SAME(seq);
    SAME(relay);
    SAME(barrier);
}

/* The newest first, whatever the ring's place is. */
static void same_combat(const struct player *before, const struct player *after)
{
    ck_assert_uint_eq(before->rays.count, after->rays.count);
    for (unsigned i = 1; i <= before->rays.count; i++) {
        const struct combat_ray *left =
            &before->rays.ring[(before->rays.next + COMBAT_RAYS_MAX - i) % COMBAT_RAYS_MAX];
        const struct combat_ray *right =
            &after->rays.ring[(after->rays.next + COMBAT_RAYS_MAX - i) % COMBAT_RAYS_MAX];

        ck_assert(same_time(left->at_ms, right->at_ms));
        ck_assert(left->order == right->order && left->weapon == right->weapon);
        ck_assert_mem_eq(left->start, right->start, sizeof left->start);
        ck_assert_mem_eq(left->end, right->end, sizeof left->end);
    }
    ck_assert_uint_eq(before->causes.count, after->causes.count);
    for (unsigned i = 1; i <= before->causes.count; i++) {
        const struct combat_cause *left =
            &before->causes.ring[(before->causes.next + COMBAT_CAUSES_MAX - i) % COMBAT_CAUSES_MAX];
        const struct combat_cause *right =
            &after->causes.ring[(after->causes.next + COMBAT_CAUSES_MAX - i) % COMBAT_CAUSES_MAX];

        ck_assert(same_time(left->at_ms, right->at_ms));
        ck_assert(scope_equal(left->scope, right->scope));
        ck_assert(left->kind == right->kind && left->weapon == right->weapon);
        ck_assert_mem_eq(left->from, right->from, sizeof left->from);
        ck_assert_mem_eq(left->to, right->to, sizeof left->to);
        ck_assert(left->flight_m == right->flight_m);
        ck_assert(left->target_id == right->target_id && left->target_epoch == right->target_epoch);
    }
    SAME(shot_order);
    SAME(has_props_rev);
    SAME(props_rev);
    SAME(has_shot);
    ck_assert(same_time(before->shot_at_ms, after->shot_at_ms));
    SAME(exploded_by);
    ck_assert(same_time(before->exploded_at_ms, after->exploded_at_ms));
}

static void same_limits(const struct player *before, const struct player *after)
{
    same_bucket(&before->chat, &after->chat);
    same_bucket(&before->commands, &after->commands);
    same_bucket(&before->vehicle_events, &after->vehicle_events);
    same_bucket(&before->frames, &after->frames);
    same_bucket(&before->siren, &after->siren);
    SAME(too_fast_told);
    ck_assert(same_time(before->too_fast_told_at_ms, after->too_fast_told_at_ms));
    SAME(marks_count);
    for (uint8_t i = 0; i < before->marks_count; i++) {
        SAME(marks[i].vehicle_id);
        SAME(marks[i].seq);
        same_bucket(&before->marks[i].driven, &after->marks[i].driven);
        same_bucket(&before->marks[i].synced, &after->marks[i].synced);
    }
    SAME(has_old_marks);
    SAME(old_marks_seq);
    SAME(owed_hides_count);
    for (uint16_t i = 0; i < before->owed_hides_count; i++) {
        ck_assert_int_eq(before->owed_hides[i].kind, after->owed_hides[i].kind);
        ck_assert_uint_eq(before->owed_hides[i].id, after->owed_hides[i].id);
        ck_assert_uint_eq(before->owed_hides[i].token, after->owed_hides[i].token);
        ck_assert_uint_eq(before->owed_hides[i].last_seq, after->owed_hides[i].last_seq);
        ck_assert(before->owed_hides[i].synced == after->owed_hides[i].synced);
    }
}

START_TEST(a_player_arrives_whole_whatever_the_clocks_show)
{
    for (int trip = 0; trip < TRIPS; trip++) {
        const struct player *before = random_player();
        Bus__PlayerState *state = through_bytes(player_record_write(from->shard, &outbox, before));
        struct player *after;

        ck_assert_ptr_nonnull(state);
        ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_NONE);
        same_set(&before->set, &after->set);
        same_life(before, after);
        same_combat(before, after);
        same_limits(before, after);
        same_standing(before, after);
        world_check(&to->shard->world);
        bus__player_state__free_unpacked(state, NULL);
        player_remove(to->shard, after);
        stage_pump(to);
        outbox_clear(&outbox);
    }
}
END_TEST

/* Nothing that is in the message is lost, be it in a place that the comparison above does not look at. */
START_TEST(written_again_it_is_the_same_to_the_byte)
{
    for (int trip = 0; trip < TRIPS; trip++) {
        const Bus__PlayerState *there = player_record_write(from->shard, &outbox, random_player());
        const Bus__PlayerState *back;
        struct player *after;
        size_t size = bus__player_state__get_packed_size(there);
        uint8_t *bytes = outbox_alloc(&outbox, 2 * size);

        ck_assert_int_eq(player_record_read(to->shard, there, &after), REASON_NONE);
        back = player_record_write(to->shard, &outbox, after);
        ck_assert_uint_eq(bus__player_state__get_packed_size(back), size);
        bus__player_state__pack(there, bytes);
        bus__player_state__pack(back, bytes + size);
        ck_assert_mem_eq(bytes, bytes + size, size);
        player_remove(to->shard, after);
        stage_pump(to);
        outbox_clear(&outbox);
    }
}
END_TEST

START_TEST(the_end_of_a_revision_s_range_is_no_end)
{
    struct player *player = stage_player(from, client);
    struct player *after;

    player->pose_rev = player->weapon_rev = UINT16_MAX;
    player->life = UINT8_MAX;
    player->seq = player->old_marks_seq = player->shot_order = UINT32_MAX;
    player->lane = (struct lane){ .sent = 3, .acked = UINT32_MAX - 2 };
    ck_assert_int_eq(player_record_read(to->shard, player_record_write(from->shard, &outbox, player), &after),
                     REASON_NONE);
    ck_assert_uint_eq(after->pose_rev, UINT16_MAX);
    ck_assert_uint_eq(after->life, UINT8_MAX);
    ck_assert_uint_eq(after->shot_order, UINT32_MAX);
    ck_assert_uint_eq(lane_unacked(&after->lane), 6);
}
END_TEST

START_TEST(an_age_beyond_the_clock_s_beginning_is_its_beginning)
{
    struct player *player = stage_player(from, client);
    struct player *after;

    player->placed_at_ms = 1;
    to->shard->now_ms = 5000;
    ck_assert_int_eq(player_record_read(to->shard, player_record_write(from->shard, &outbox, player), &after),
                     REASON_NONE);
    ck_assert_uint_eq(after->placed_at_ms, 1);
}
END_TEST

START_TEST(who_has_left_while_it_was_shown_goes_along_as_a_hide)
{
    struct stage_client *near = stage_spawn(from, 4, 8, 6);
    struct player *after;

    stage_run(from, 200);
    stage_gone(from, near);
    ck_assert(stage_sees_player(client, near));
    ck_assert_int_eq(player_record_read(to->shard,
                                        player_record_write(from->shard, &outbox, stage_player(from, client)),
                                        &after),
                     REASON_NONE);
    ck_assert_uint_eq(after->owed_hides_count, 1);
    ck_assert_uint_eq(after->owed_hides[0].id, near->id);
    ck_assert_uint_eq(after->owed_hides[0].token, near->token);
}
END_TEST

START_TEST(what_the_list_owes_it_goes_along_as_far_as_it_is_known_there)
{
    struct player *player = stage_player(from, client);
    struct player *after;

    for (uint32_t id = 10; id < 14; id++)
        stage_listed(from, id, 1000 + id, "somebody");
    stage_listed(to, 10, 1010, "somebody");
    stage_listed(to, 13, 1013, "somebody");
    stage_left(to, 13, 1013, 0);
    stage_left(from, 13, 1013, 0);
    player->entries_owed[0] = UINT64_C(3) << 10;
    player->entries_owed_count = 2;
    player->leaves_owed[0] = player->leaves_shown[0] = UINT64_C(1) << 13;
    player->leaves_owed_count = 1;
    ck_assert_int_eq(player_record_read(to->shard, player_record_write(from->shard, &outbox, player), &after),
                     REASON_NONE);
    ck_assert_uint_eq(after->entries_owed_count, 1);
    ck_assert_uint_eq(after->entries_owed[0], UINT64_C(1) << 10);
    ck_assert_uint_eq(after->leaves_owed_count, 1);
    ck_assert_uint_eq(after->leaves_shown[0], UINT64_C(1) << 13);
}
END_TEST

/* ---- what is refused */

static void no_place(Bus__PlayerState *state)
{
    state->place = NULL;
}
static void nan_place(Bus__PlayerState *state)
{
    state->place->pos[1] = NAN;
}
static void far_place(Bus__PlayerState *state)
{
    state->place->pos[2] = 1e9f;
}
static void flat_place(Bus__PlayerState *state)
{
    state->place->n_pos = 2;
}
static void inf_gravity(Bus__PlayerState *state)
{
    state->set->gravity = INFINITY;
}
static void no_set(Bus__PlayerState *state)
{
    state->set = NULL;
}
static void no_skin(Bus__PlayerState *state)
{
    state->set->life_skin = 312;
}
static void no_style(Bus__PlayerState *state)
{
    state->set->fighting_style = 200;
}
static void few_skills(Bus__PlayerState *state)
{
    state->set->n_skills = 10;
}
static void no_stat(Bus__PlayerState *state)
{
    state->stats[0]->stat = PLAYER_STATS;
}
static void nan_stat(Bus__PlayerState *state)
{
    state->stats[0]->value = NAN;
}
static void stat_twice(Bus__PlayerState *state)
{
    state->stats[1]->stat = state->stats[0]->stat;
}
static void no_life(Bus__PlayerState *state)
{
    state->life = 0;
}
static void long_life(Bus__PlayerState *state)
{
    state->life = 256;
}
static void no_state(Bus__PlayerState *state)
{
    state->state = 4;
}
static void no_frame(Bus__PlayerState *state)
{
    state->framed = false;
}
static void short_relay(Bus__PlayerState *state)
{
    state->relay.len--;
}
static void foreign_relay(Bus__PlayerState *state)
{
    store_u32(state->relay.data + WIRE_REMOTE_PLAYER_SYNC_PLAYER_ID_AT, 77);
}
static void far_relay(Bus__PlayerState *state)
{
    store_f32(state->relay.data + WIRE_REMOTE_PLAYER_SYNC_FRAME_AT + WIRE_FRAME_POS_AT, 1e9f);
}
static void late_asking(Bus__PlayerState *state)
{
    state->asks_in_ms = 1001;
}
static void many_strikes(Bus__PlayerState *state)
{
    state->movement_strikes = 21;
}
static void idle_barrier(Bus__PlayerState *state)
{
    state->barrier->pending = false;
    state->barrier->scope = true;
}
static void no_cause(Bus__PlayerState *state)
{
    state->causes[0]->kind = CAUSE_KINDS;
}
static void nan_ray(Bus__PlayerState *state)
{
    state->rays[0]->end[2] = NAN;
}
static void many_rays(Bus__PlayerState *state)
{
    state->n_rays = COMBAT_RAYS_MAX + 1;
}
static void nan_bucket(Bus__PlayerState *state)
{
    state->siren->used = (double)NAN;
}
static void deep_bucket(Bus__PlayerState *state)
{
    state->chat->used = 64.5;
}
static void mark_twice(Bus__PlayerState *state)
{
    state->marks[1]->vehicle_id = state->marks[0]->vehicle_id;
}
static void no_hide(Bus__PlayerState *state)
{
    state->hides[0]->kind = ENTITY_EVERYONE;
}
static void no_name(Bus__PlayerState *state)
{
    state->name[0] = '\0';
}
static void bad_name(Bus__PlayerState *state)
{
    state->name[0] = '\n';
}
static void no_token(Bus__PlayerState *state)
{
    state->player->token = 0;
}
static void no_id(Bus__PlayerState *state)
{
    state->player->id = 400;
}
static void short_address(Bus__PlayerState *state)
{
    state->address.len = 4;
}
static void no_field(Bus__PlayerState *state)
{
    state->fields_owed = 1U << FIELD_COUNT;
}
static void no_entry(Bus__PlayerState *state)
{
    static uint32_t ids[] = { 399 };

    state->entries_owed = ids;
    state->n_entries_owed = 1;
}

static void (*const damages[])(Bus__PlayerState *state) = {
    no_place,    nan_place,     far_place,   flat_place,  inf_gravity,  no_set,       no_skin,  no_style,
    few_skills,  no_stat,       nan_stat,    stat_twice,  no_life,      long_life,    no_state, no_frame,
    short_relay, foreign_relay, far_relay,   late_asking, many_strikes, idle_barrier, no_cause, nan_ray,
    many_rays,   nan_bucket,    deep_bucket, mark_twice,  no_hide,      no_name,      bad_name, no_token,
    no_id,       short_address, no_field,    no_entry,
};

START_TEST(a_damaged_record_is_refused_whole)
{
    struct player *player = random_player();
    Bus__PlayerState *state;
    struct player *after;

    while (player->rays.count == 0 || player->causes.count == 0 || player->marks_count < 2 ||
           player->owed_hides_count == 0)
        player = random_player();
    state = player_record_write(from->shard, &outbox, player);
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_NONE);
    player_remove(to->shard, after);
    damages[_i](state);
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_MALFORMED);
    ck_assert_ptr_null(after);
    ck_assert_uint_eq(to->shard->world.players.count, 0);
    world_check(&to->shard->world);
}
END_TEST

START_TEST(who_is_there_already_or_came_by_an_unknown_gateway_is_refused)
{
    Bus__PlayerState *state = player_record_write(from->shard, &outbox, stage_player(from, client));
    struct player *after;

    state->gateway[0] = 'x';
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_STALE);
    state->gateway[0] = 'g';
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_NONE);
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_STALE);
    ck_assert_uint_eq(to->shard->world.players.count, 1);
}
END_TEST

START_TEST(what_was_noted_is_refused_unless_every_note_is_whole)
{
    static const struct {
        uint8_t bytes[12];
        size_t size;
    } bad[] = {
        { { 1, 'a', 1 }, 3 },                             /* cut in the size of the value */
        { { 1, 'a', 2, 0, 'x' }, 5 },                     /* and in the value */
        { { 0, 1, 0, 'x' }, 4 },                          /* no key */
        { { 1, 'a', 0, 0 }, 4 },                          /* no value */
        { { 65, 'a', 1, 0, 'x' }, 5 },                    /* a key longer than the page */
        { { 1, 'a', 1, 0, 'x', 1, 'a', 1, 0, 'y' }, 10 }, /* twice */
        { { 1, 'a', 1, 0, 'x', 7 }, 6 },                  /* something behind */
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Bus__PlayerState *state = player_record_write(from->shard, &outbox, random_player());
        struct player *after;

        state->data[0]->page = outbox_bytes(&outbox, bad[i].bytes, bad[i].size);
        ck_assert_msg(player_record_read(to->shard, state, &after) == REASON_BUS_MALFORMED, "case %zu", i);
        ck_assert_ptr_null(after);
    }
}
END_TEST

START_TEST(two_pages_of_one_resource_are_refused)
{
    Bus__PlayerState *state = player_record_write(from->shard, &outbox, random_player());
    Bus__DataState *twice[] = { state->data[0], state->data[0] };
    struct player *after;

    state->data = twice;
    state->n_data = 2;
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_MALFORMED);
}
END_TEST

START_TEST(an_account_a_sky_and_a_team_that_could_not_be_are_refused)
{
    Bus__PlayerState *state = player_record_write(from->shard, &outbox, random_player());
    struct player *after;
    char nobody[] = "nobody's";

    state->account_id = 0;
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_MALFORMED);
    state->account_id = 1;
    state->sky->hour = 24;
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_MALFORMED);
    state->sky->hour = 23;
    state->sky->minute = 60;
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_BUS_MALFORMED);
    state->sky->minute = 59;
    state->team_name = nobody; /* no fault of the record's: the team is not known here */
    ck_assert_int_eq(player_record_read(to->shard, state, &after), REASON_NONE);
    ck_assert_uint_eq(after->team, TEAM_NONE);
}
END_TEST

Suite *player_record_suite(void)
{
    Suite *suite = suite_create("player_record");
    TCase *tcase = tcase_create("player_record");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_player_arrives_whole_whatever_the_clocks_show);
    tcase_add_test(tcase, what_was_noted_is_refused_unless_every_note_is_whole);
    tcase_add_test(tcase, two_pages_of_one_resource_are_refused);
    tcase_add_test(tcase, an_account_a_sky_and_a_team_that_could_not_be_are_refused);
    tcase_add_test(tcase, written_again_it_is_the_same_to_the_byte);
    tcase_add_test(tcase, the_end_of_a_revision_s_range_is_no_end);
    tcase_add_test(tcase, an_age_beyond_the_clock_s_beginning_is_its_beginning);
    tcase_add_test(tcase, who_has_left_while_it_was_shown_goes_along_as_a_hide);
    tcase_add_test(tcase, what_the_list_owes_it_goes_along_as_far_as_it_is_known_there);
    tcase_add_loop_test(tcase, a_damaged_record_is_refused_whole, 0, sizeof damages / sizeof damages[0]);
    tcase_add_test(tcase, who_is_there_already_or_came_by_an_unknown_gateway_is_refused);
    return suite;
}
