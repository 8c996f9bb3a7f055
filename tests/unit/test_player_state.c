#include <float.h>
#include <math.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/player_set.h"
#include "shard/player_spawn.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static struct stage_client *own;      /* who is set something */
static struct stage_client *observer; /* who is shown it */
static struct stage_client *far;      /* who is not */
static struct player *player;

static void setup(void)
{
    stage = stage_new(NULL, 0);
    own = stage_spawn(stage, 1, 0, 0);
    observer = stage_spawn(stage, 2, 10, 0);
    far = stage_spawn(stage, 3, 3000, 0);
    player = stage_player(stage, own);
    stage_run(stage, 200);
    stage_forget(stage);
}

static void teardown(void)
{
    stage_free(stage);
}

/* ---- the packets, as one client got them */

static union wire_any taken(struct stage_client *client, uint8_t id)
{
    const struct stage_packet *packet = stage_take(client, id);
    union wire_any any;
    struct wire_error error;

    ck_assert_msg(packet != NULL, "packet 0x%02X did not come", id);
    ck_assert_ptr_nonnull(wire_decode(WIRE_S2C, packet->bytes, packet->size, &any, &error));
    return any;
}

static size_t packets(const struct stage_client *client)
{
    return client->log_count;
}

/* ---- setting */

static struct span span_of(const char *text)
{
    return (struct span){ .data = (const uint8_t *)text, .size = strlen(text) };
}

static struct animation_request dance(void)
{
    return (
        struct animation_request){ .library = span_of("DANCING"), .name = span_of("dnce_M_a"), .speed = 4 };
}

static enum reason animate(struct shard *shard, struct player *who)
{
    struct animation_request request = dance();

    return player_apply_animation(shard, who, &request);
}

static enum reason skin_at_most(struct shard *shard, struct player *who)
{
    return player_set_skin(shard, who, 311);
}

static enum reason skill_of_a_pistol(struct shard *shard, struct player *who)
{
    return player_set_skill(shard, who, 22, 0);
}

static enum reason money_below_zero(struct shard *shard, struct player *who)
{
    return player_set_money(shard, who, INT32_MIN);
}

static enum reason wanted_most(struct shard *shard, struct player *who)
{
    return player_set_wanted(shard, who, 6);
}

static enum reason walk_otherwise(struct shard *shard, struct player *who)
{
    return player_set_walking_style(shard, who, 138);
}

static enum reason fight_otherwise(struct shard *shard, struct player *who)
{
    return player_set_fighting_style(shard, who, 16);
}

static enum reason behead(struct shard *shard, struct player *who)
{
    return player_set_headless(shard, who, true);
}

static enum reason burn(struct shard *shard, struct player *who)
{
    return player_set_on_fire(shard, who, true);
}

static enum reason act(struct shard *shard, struct player *who)
{
    return player_set_special_action(shard, who, 25);
}

static enum reason freeze(struct shard *shard, struct player *who)
{
    return player_set_frozen(shard, who, true);
}

static enum reason fall_up(struct shard *shard, struct player *who)
{
    return player_set_gravity(shard, who, -0.1F);
}

static enum reason drink(struct shard *shard, struct player *who)
{
    return player_set_drunk_level(shard, who, 50000);
}

static enum reason push(struct shard *shard, struct player *who)
{
    return player_set_velocity(shard, who, (const float[3]){ 200, -200, 0 });
}

static enum reason train_up(struct shard *shard, struct player *who)
{
    return player_set_stats(shard, who, &(const struct wire_player_stat){ .stat = 342, .value = 1e6F }, 1);
}

static enum reason fence_in(struct shard *shard, struct player *who)
{
    return player_set_world_bounds(
        shard, who, &(const struct world_bounds){ .min_x = -10, .min_y = -10, .max_x = 10, .max_y = 10 });
}

static enum reason film(struct shard *shard, struct player *who)
{
    return player_set_camera(
        shard, who,
        &(const struct player_camera){ .pos = { 0, 0, 100 }, .target = { 1, 0, 0 }, .move_ms = 600000 });
}

static enum reason stand_still(struct shard *shard, struct player *who)
{
    return player_clear_animations(shard, who);
}

static enum reason half_way(struct shard *shard, struct player *who)
{
    return player_set_animation_progress(shard, who, 0.5F);
}

static enum reason faster(struct shard *shard, struct player *who)
{
    return player_set_animation_speed(shard, who, 10);
}

static const struct setting {
    const char *what;
    enum reason (*set)(struct shard *shard, struct player *who);
    uint8_t packet;
    bool observers;
} settings[] = {
    { "skin", skin_at_most, PACKET_SET_SKIN, true },
    { "skill", skill_of_a_pistol, PACKET_PLAYER_SKILLS, true },
    { "money", money_below_zero, PACKET_SET_MONEY, false },
    { "wanted", wanted_most, PACKET_SET_WANTED, false },
    { "walking style", walk_otherwise, PACKET_SET_WALKING_STYLE, true },
    { "fighting style", fight_otherwise, PACKET_SET_FIGHTING_STYLE, true },
    { "headless", behead, PACKET_SET_HEADLESS, true },
    { "on fire", burn, PACKET_SET_ON_FIRE, false },
    { "special action", act, PACKET_SET_SPECIAL_ACTION, false },
    { "frozen", freeze, PACKET_SET_FROZEN, false },
    { "gravity", fall_up, PACKET_SET_GRAVITY, false },
    { "drunk level", drink, PACKET_SET_DRUNK_LEVEL, false },
    { "velocity", push, PACKET_SET_VELOCITY, false },
    { "stats", train_up, PACKET_SET_PLAYER_STATS, false },
    { "world bounds", fence_in, PACKET_SET_WORLD_BOUNDS, false },
    { "camera", film, PACKET_SET_CAMERA, false },
    { "animation", animate, PACKET_APPLY_ANIMATION, true },
    { "no animation", stand_still, PACKET_CLEAR_ANIMATIONS, true },
    { "animation progress", half_way, PACKET_SET_ANIMATION_PROGRESS, true },
    { "animation speed", faster, PACKET_SET_ANIMATION_SPEED, true },
};

START_TEST(what_is_set_goes_to_whom_the_table_says)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const struct setting *setting = &settings[i];

        stage_forget(stage);
        ck_assert_msg(setting->set(stage->shard, player) == REASON_NONE, "%s", setting->what);
        stage_pump(stage);
        ck_assert_msg(stage_count(own, setting->packet) == 1, "%s", setting->what);
        ck_assert_msg(stage_count(observer, setting->packet) == setting->observers, "%s", setting->what);
        ck_assert_msg(packets(own) == 1 && packets(observer) == setting->observers && packets(far) == 0, "%s",
                      setting->what);
    }
}
END_TEST

START_TEST(what_is_set_to_what_it_is_goes_out_again)
{
    player_set_money(stage->shard, player, 5);
    player_set_money(stage->shard, player, 5);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_MONEY), 2);
}
END_TEST

START_TEST(the_values_are_those_that_were_set)
{
    union wire_any any;

    player_set_skill(stage->shard, player, 32, 500);
    player_set_money(stage->shard, player, -7);
    push(stage->shard, player);
    fence_in(stage->shard, player);
    film(stage->shard, player);
    stage_pump(stage);

    any = taken(observer, PACKET_PLAYER_SKILLS);
    ck_assert_uint_eq(any.player_skills.player_id, 1);
    ck_assert_uint_eq(any.player_skills.player_token, own->token);
    ck_assert_uint_eq(any.player_skills.skills[0], 999);
    ck_assert_uint_eq(any.player_skills.skills[10], 500);
    ck_assert_int_eq(player_skill(player, 32), 500);
    ck_assert_int_eq(player_skill(player, 22), 999);
    ck_assert_int_eq(player_skill(player, 21), -1);
    ck_assert_int_eq(player_skill(player, 33), -1);
    ck_assert_int_eq(taken(own, PACKET_SET_MONEY).set_money.money, -7);
    any = taken(own, PACKET_SET_VELOCITY);
    ck_assert_float_eq(any.set_velocity.velocity[0], 4); /* 200 m/s in units a step */
    ck_assert_float_eq(any.set_velocity.velocity[1], -4);
    any = taken(own, PACKET_SET_WORLD_BOUNDS);
    ck_assert_uint_eq(any.set_world_bounds.active, 1);
    ck_assert_float_eq(any.set_world_bounds.max_y, 10);
    any = taken(own, PACKET_SET_CAMERA);
    ck_assert_uint_eq(any.set_camera.active, 1);
    ck_assert_float_eq(any.set_camera.pos[2], 100);
    ck_assert_uint_eq(any.set_camera.move_ms, 600000);
}
END_TEST

START_TEST(bounds_and_camera_are_given_back)
{
    union wire_any any;

    fence_in(stage->shard, player);
    film(stage->shard, player);
    stage_forget(stage);
    ck_assert_uint_eq(player_set_world_bounds(stage->shard, player, NULL), REASON_NONE);
    ck_assert_uint_eq(player_set_camera(stage->shard, player, NULL), REASON_NONE);
    stage_pump(stage);
    (void)taken(own, PACKET_SET_WORLD_BOUNDS);
    any = taken(own, PACKET_SET_WORLD_BOUNDS);
    ck_assert_uint_eq(any.set_world_bounds.active, 0);
    ck_assert_float_eq(any.set_world_bounds.max_x, 0);
    (void)taken(own, PACKET_SET_CAMERA);
    ck_assert_uint_eq(taken(own, PACKET_SET_CAMERA).set_camera.active, 0);
}
END_TEST

/* Each is the value next to a bound. */
START_TEST(what_the_layout_does_not_have_is_refused_and_nothing_is_sent)
{
    struct shard *shard = stage->shard;
    struct animation_request request;
    const struct wire_player_stat no_stat = { .stat = 343 };
    const struct wire_player_stat too_much = { .stat = 0, .value = nextafterf(1e6F, INFINITY) };
    const struct wire_player_stat nan_stat = { .stat = 0, .value = NAN };
    struct wire_player_stat many[65] = { { 0 } };
    char long_name[26];
    enum reason refused[64];
    size_t count = 0;

    memset(long_name, 'x', sizeof long_name - 1);
    long_name[25] = 0;
    refused[count++] = player_set_skin(shard, player, 312);
    refused[count++] = player_set_skin(shard, player, -1);
    refused[count++] = player_set_skin(shard, player, 65536);
    refused[count++] = player_set_skill(shard, player, 22, 1001);
    refused[count++] = player_set_skill(shard, player, 22, -1);
    refused[count++] = player_set_skill(shard, player, 22, 65536);
    refused[count++] = player_set_skill(shard, player, 21, 5);
    refused[count++] = player_set_skill(shard, player, 33, 5);
    refused[count++] = player_set_money(shard, player, (int64_t)INT32_MAX + 1);
    refused[count++] = player_set_money(shard, player, (int64_t)INT32_MIN - 1);
    refused[count++] = player_set_wanted(shard, player, 7);
    refused[count++] = player_set_wanted(shard, player, 256);
    refused[count++] = player_set_walking_style(shard, player, 139);
    refused[count++] = player_set_fighting_style(shard, player, 8);
    refused[count++] = player_set_fighting_style(shard, player, 260);
    refused[count++] = player_set_special_action(shard, player, 26);
    refused[count++] = player_set_gravity(shard, player, nextafterf(0.1F, 1));
    refused[count++] = player_set_gravity(shard, player, nextafterf(-0.1F, -1));
    refused[count++] = player_set_gravity(shard, player, NAN);
    refused[count++] = player_set_drunk_level(shard, player, 50001);
    refused[count++] = player_set_velocity(shard, player, (const float[3]){ nextafterf(200, 300), 0, 0 });
    refused[count++] = player_set_velocity(shard, player, (const float[3]){ 0, 0, -INFINITY });
    refused[count++] = player_set_velocity(shard, player, (const float[3]){ 0, NAN, 0 });
    refused[count++] = player_set_stats(shard, player, &no_stat, 1);
    refused[count++] = player_set_stats(shard, player, &too_much, 1);
    refused[count++] = player_set_stats(shard, player, &nan_stat, 1);
    refused[count++] = player_set_stats(shard, player, many, 0);
    refused[count++] = player_set_stats(shard, player, many, 65);
    refused[count++] =
        player_set_world_bounds(shard, player, &(const struct world_bounds){ .max_x = 0, .max_y = 1 });
    refused[count++] = player_set_world_bounds(
        shard, player, &(const struct world_bounds){ .min_x = -INFINITY, .max_x = 1, .max_y = 1 });
    refused[count++] =
        player_set_camera(shard, player, &(const struct player_camera){ .pos = { 6001, 0, 0 } });
    refused[count++] =
        player_set_camera(shard, player, &(const struct player_camera){ .target = { 0, 0, NAN } });
    refused[count++] = player_set_camera(shard, player, &(const struct player_camera){ .move_ms = 600001 });
    refused[count++] = player_set_animation_progress(shard, player, nextafterf(1, 2));
    refused[count++] = player_set_animation_progress(shard, player, -FLT_MIN);
    refused[count++] = player_set_animation_speed(shard, player, nextafterf(10, 11));
    request = dance();
    request.library = span_of("");
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.name = span_of("");
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.library = (struct span){ .data = (const uint8_t *)long_name, .size = 24 };
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.name = span_of(long_name);
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.name = span_of("\xC3(");
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.speed = NAN;
    refused[count++] = player_apply_animation(shard, player, &request);
    request = dance();
    request.time_ms = 3600001;
    refused[count++] = player_apply_animation(shard, player, &request);
    request.time_ms = -1;
    refused[count++] = player_apply_animation(shard, player, &request);

    for (size_t i = 0; i < count; i++)
        ck_assert_msg(refused[i] == REASON_OUT_OF_BOUNDS, "call %zu", i);
    stage_pump(stage);
    ck_assert_uint_eq(packets(own), 0);
    ck_assert_uint_eq(packets(observer), 0);
    ck_assert_uint_eq(player->set.skin, 0);
    ck_assert_uint_eq(player->set.skills[0], 999);
    ck_assert_uint_eq(player->set.fighting_style, 4);
    ck_assert_float_eq(player->set.gravity, 0.008F);
    ck_assert(!player->set.animation.applied && !player->set.camera.active && !player->set.bounds.active);
    ck_assert_uint_eq(player->stats.set[0], 0);
}
END_TEST

START_TEST(values_at_the_bounds_are_taken)
{
    struct shard *shard = stage->shard;
    struct animation_request request = dance();

    request.library = span_of("xxxxxxxxxxxxxxxxxxxxxxx");
    request.name = span_of("xxxxxxxxxxxxxxxxxxxxxxxx");
    request.speed = 0;
    request.time_ms = 3600000;
    ck_assert_uint_eq(player_apply_animation(shard, player, &request), REASON_NONE);
    ck_assert_uint_eq(player_set_skin(shard, player, 0), REASON_NONE);
    ck_assert_uint_eq(player_set_skill(shard, player, 22, 1000), REASON_NONE);
    ck_assert_uint_eq(player_set_skill(shard, player, 32, 0), REASON_NONE);
    ck_assert_uint_eq(player_set_money(shard, player, INT32_MAX), REASON_NONE);
    ck_assert_uint_eq(player_set_gravity(shard, player, 0.1F), REASON_NONE);
    ck_assert_uint_eq(player_set_animation_progress(shard, player, 1), REASON_NONE);
    ck_assert_uint_eq(player_set_animation_speed(shard, player, 0), REASON_NONE);
    ck_assert_uint_eq(player_set_camera(shard, player,
                                        &(const struct player_camera){ .pos = { 6000, -6000, 4000 },
                                                                       .target = { 0, 0, -200 } }),
                      REASON_NONE);
}
END_TEST

START_TEST(sixty_four_stats_go_into_one_packet)
{
    struct wire_player_stat stats[64];
    union wire_any any;

    for (uint16_t i = 0; i < 64; i++)
        stats[i] = (struct wire_player_stat){ .stat = (uint16_t)(i * 5), .value = i };
    ck_assert_uint_eq(player_set_stats(stage->shard, player, stats, 64), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_PLAYER_STATS), 1);
    any = taken(own, PACKET_SET_PLAYER_STATS);
    ck_assert_uint_eq(any.set_player_stats.stats_count, 64);
    ck_assert_uint_eq(any.set_player_stats.stats[63].stat, 315);
    ck_assert_float_eq(any.set_player_stats.stats[63].value, 63);
}
END_TEST

/* ---- new observers */

START_TEST(a_new_observer_gets_what_is_not_the_default_before_the_first_frame)
{
    static const uint8_t order[] = {
        PACKET_PLAYER_SPAWNED,    PACKET_SET_SKIN,     PACKET_PLAYER_SKILLS,   PACKET_SET_FIGHTING_STYLE,
        PACKET_SET_WALKING_STYLE, PACKET_SET_HEADLESS, PACKET_APPLY_ANIMATION, PACKET_REMOTE_PLAYER_SYNC,
    };
    struct stage_client *late;
    size_t last = 0;

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (settings[i].set != stand_still && settings[i].set != freeze)
            settings[i].set(stage->shard, player);
    animate(stage->shard, player);
    stage_pump(stage);
    late = stage_spawn(stage, 4, 0, 10);
    for (size_t i = 0; i < sizeof order; i++) {
        size_t at = SIZE_MAX;

        for (size_t k = 0; k < late->log_count; k++)
            if (late->log[k].bytes[0] == order[i] &&
                load_u32(late->log[k].bytes + (order[i] == PACKET_REMOTE_PLAYER_SYNC ? 1 : 5)) == 1) {
                at = k;
                break;
            }
        ck_assert_msg(at != SIZE_MAX && (i == 0 || at > last), "packet %zu", i);
        last = at;
    }
    ck_assert_uint_eq(stage_count(late, PACKET_SET_MONEY), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_WANTED), 0);
}
END_TEST

START_TEST(a_new_observer_of_somebody_plain_gets_nothing_more)
{
    struct stage_client *late = stage_spawn(stage, 4, 0, 10);

    ck_assert_uint_eq(stage_count(late, PACKET_PLAYER_SPAWNED), 2);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_SKIN), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_PLAYER_SKILLS), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_FIGHTING_STYLE), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_WALKING_STYLE), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_HEADLESS), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_APPLY_ANIMATION), 0);
}
END_TEST

START_TEST(what_was_set_back_to_the_default_is_not_shown)
{
    struct stage_client *late;

    behead(stage->shard, player);
    animate(stage->shard, player);
    player_set_headless(stage->shard, player, false);
    player_clear_animations(stage->shard, player);
    late = stage_spawn(stage, 4, 0, 10);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_HEADLESS), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_APPLY_ANIMATION), 0);
}
END_TEST

/* Whether somebody who comes now is shown the animation. */
static bool animation_is_shown(uint32_t id)
{
    return stage_count(stage_spawn(stage, id, 0, 10), PACKET_APPLY_ANIMATION) == 1;
}

START_TEST(an_animation_with_a_time_runs_until_it_is_over)
{
    struct animation_request request = dance();

    request.time_ms = 5000;
    request.loop = true;
    player_apply_animation(stage->shard, player, &request);
    stage_run(stage, 4000);
    ck_assert_uint_eq(taken(stage_spawn(stage, 4, 0, 10), PACKET_APPLY_ANIMATION).apply_animation.time_ms,
                      1000);
    stage_run(stage, 999);
    ck_assert(animation_is_shown(5));
    stage->now_ms += 1;
    ck_assert(!animation_is_shown(6));
}
END_TEST

START_TEST(an_animation_that_loops_or_freezes_runs_until_it_is_cleared)
{
    struct animation_request request = dance();

    request.loop = true;
    player_apply_animation(stage->shard, player, &request);
    stage_run(stage, 60000);
    ck_assert(animation_is_shown(4));
    request.loop = false;
    request.freeze = true;
    player_apply_animation(stage->shard, player, &request);
    stage_run(stage, 60000);
    ck_assert(animation_is_shown(5));
}
END_TEST

START_TEST(an_animation_that_plays_once_counts_as_running_for_10_s)
{
    animate(stage->shard, player);
    stage_run(stage, ANIMATION_ONCE_MS - 1);
    ck_assert(animation_is_shown(4));
    stage->now_ms += 1;
    ck_assert(!animation_is_shown(5));
}
END_TEST

START_TEST(an_animation_that_stands_still_is_shown_with_its_progress)
{
    struct stage_client *late;

    animate(stage->shard, player);
    player_set_animation_speed(stage->shard, player, 0);
    player_set_animation_progress(stage->shard, player, 0.25F);
    stage_run(stage, 60000);
    late = stage_spawn(stage, 4, 0, 10);
    ck_assert_float_eq(taken(late, PACKET_APPLY_ANIMATION).apply_animation.speed, 0);
    ck_assert_float_eq(taken(late, PACKET_SET_ANIMATION_PROGRESS).set_animation_progress.progress, 0.25F);
}
END_TEST

START_TEST(a_death_ends_the_animation_and_nothing_else)
{
    struct stage_client *late;

    animate(stage->shard, player);
    behead(stage->shard, player);
    player_set_money(stage->shard, player, 9);
    stage_die(stage, own);
    late = stage_spawn(stage, 4, 0, 10);
    ck_assert_uint_eq(stage_count(late, PACKET_APPLY_ANIMATION), 0);
    ck_assert_uint_lt(stage_order(late, PACKET_SET_HEADLESS), stage_order(late, PACKET_PLAYER_WASTED));
    stage_run(stage, 1000);
    stage_request_respawn(stage, own);
    stage_walk(stage, own, 0, 0);
    ck_assert(player->set.headless);
    ck_assert_int_eq(player->set.money, 9);
}
END_TEST

START_TEST(a_skin_is_shown_beside_that_of_the_life_and_stays_over_a_respawn)
{
    struct stage_client *late;
    union wire_any any;

    player_set_skin(stage->shard, player, 50);
    late = stage_spawn(stage, 4, 0, 10);
    (void)taken(late, PACKET_PLAYER_SPAWNED);
    ck_assert_uint_eq(taken(late, PACKET_SET_SKIN).set_skin.skin, 50);
    ck_assert_uint_eq(player_spawn(stage->shard, player), REASON_NONE);
    stage_forget(stage);
    stage_pump(stage);
    ck_assert_uint_eq(taken(own, PACKET_RESPAWN_PLAYER).spawn_player.skin, 50);
    stage_walk(stage, own, 0, 0);
    any = taken(late, PACKET_PLAYER_SPAWNED);
    ck_assert_uint_eq(any.player_spawned.skin, 50);
    ck_assert_uint_eq(stage_count(late, PACKET_SET_SKIN), 0);
}
END_TEST

/* ---- what the lane refused */

static void fill_lane(struct stage_client *client)
{
    client->silent = true;
    while (lane_takes_droppable(stage->shard, stage_player(stage, client)))
        player_set_money(stage->shard, stage_player(stage, client), 1);
    stage_pump(stage);
    stage_forget(stage);
}

START_TEST(a_full_lane_owes_wanted_and_skills_as_they_are_when_there_is_room)
{
    fill_lane(own);
    player_set_wanted(stage->shard, player, 2);
    player_set_wanted(stage->shard, player, 3);
    player_set_skill(stage->shard, player, 24, 10);
    player_set_skill(stage->shard, player, 24, 20);
    stage_pump(stage);
    ck_assert_uint_eq(packets(own), 0);
    ck_assert_uint_eq(stage_count(observer, PACKET_PLAYER_SKILLS), 2);
    stage_run(stage, 1000);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_WANTED), 0);
    stage_ack(stage, own);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_WANTED), 1);
    ck_assert_uint_eq(stage_count(own, PACKET_PLAYER_SKILLS), 1);
    ck_assert_uint_eq(taken(own, PACKET_SET_WANTED).set_wanted.level, 3);
    ck_assert_uint_eq(taken(own, PACKET_PLAYER_SKILLS).player_skills.skills[2], 20);
    stage_ack(stage, own);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_WANTED), 0);
}
END_TEST

START_TEST(an_observer_whose_lane_is_full_is_owed_the_skills)
{
    fill_lane(observer);
    player_set_skill(stage->shard, player, 24, 10);
    player_set_skill(stage->shard, player, 24, 20);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(observer, PACKET_PLAYER_SKILLS), 0);
    ck_assert_uint_eq(stage_count(own, PACKET_PLAYER_SKILLS), 2);
    ck_assert_uint_eq(stage_player(stage, observer)->skills_owed_count, 1);
    stage_ack(stage, observer);
    ck_assert_uint_eq(stage_count(observer, PACKET_PLAYER_SKILLS), 1);
    ck_assert_uint_eq(taken(observer, PACKET_PLAYER_SKILLS).player_skills.skills[2], 20);
    ck_assert_uint_eq(stage_player(stage, observer)->skills_owed_count, 0);
}
END_TEST

START_TEST(nothing_is_owed_of_somebody_who_is_hidden_or_has_left)
{
    struct stage_client *leaver = stage_spawn(stage, 4, 0, 10);

    stage_run(stage, 200);
    fill_lane(observer);
    skill_of_a_pistol(stage->shard, player);
    skill_of_a_pistol(stage->shard, stage_player(stage, leaver));
    ck_assert_uint_eq(stage_player(stage, observer)->skills_owed_count, 2);
    stage_gone(stage, leaver);
    ck_assert_uint_eq(stage_player(stage, observer)->skills_owed_count, 1);
    player->placed_at_ms -= 2000;
    for (int i = 1; i <= 5; i++) {
        stage_walk(stage, own, 0, (float)(100 * i));
        player->placed_at_ms -= 2000;
    }
    stage_run(stage, 100);
    ck_assert(!stage_sees_player(observer, own) || stage_player(stage, observer)->owed_hides_count > 0);
    ck_assert_uint_eq(stage_player(stage, observer)->skills_owed_count, 0);
    stage_ack(stage, observer);
    ck_assert_uint_eq(stage_count(observer, PACKET_PLAYER_SKILLS), 0);
}
END_TEST

START_TEST(a_critical_one_is_queued_on_a_lane_with_256_unacked)
{
    fill_lane(own);
    player_set_drunk_level(stage->shard, player, 5);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_DRUNK_LEVEL), 1);
}
END_TEST

START_TEST(what_is_set_while_the_gateway_is_away_goes_out_when_it_is_back)
{
    struct wire_player_stat stats[64];

    stage_gateway_down(stage, own->gateway);
    player_set_money(stage->shard, player, 1);
    player_set_money(stage->shard, player, 2);
    player_set_frozen(stage->shard, player, true);
    animate(stage->shard, player);
    player_clear_animations(stage->shard, player);
    for (uint16_t first = 0; first < 128; first += 64) {
        for (uint16_t i = 0; i < 64; i++)
            stats[i] = (struct wire_player_stat){ .stat = (uint16_t)(first + i), .value = 1 };
        player_set_stats(stage->shard, player, stats, 64);
    }
    stage_run(stage, 1000);
    stage_gateway_up(stage, own->gateway, 1);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_MONEY), 1);
    ck_assert_int_eq(taken(own, PACKET_SET_MONEY).set_money.money, 2);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_FROZEN), 1);
    ck_assert_uint_eq(stage_count(own, PACKET_APPLY_ANIMATION), 0);
    ck_assert_uint_eq(stage_count(own, PACKET_CLEAR_ANIMATIONS), 1);
    ck_assert_uint_eq(stage_count(own, PACKET_SET_PLAYER_STATS), 2);
}
END_TEST

START_TEST(before_the_first_spawn_too_a_player_is_told)
{
    struct stage_client *waiting = stage_join(stage, 5, 0, 0);

    stage_forget(stage);
    ck_assert_uint_eq(player_set_money(stage->shard, stage_player(stage, waiting), 100), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(waiting, PACKET_SET_MONEY), 1);
}
END_TEST

/* ---- what is known of a player */

START_TEST(velocity_and_weapon_are_those_of_the_last_frame)
{
    struct wire_player_sync sync = stage_sync(own);
    float velocity[3];

    sync.frame.move_speed[1] = 0.5F;
    sync.frame.weapon = 31;
    stage_send_sync(stage, own, &sync);
    player_velocity(player, velocity);
    ck_assert_float_eq(velocity[0], 0);
    ck_assert_float_eq(velocity[1], 25);
    ck_assert_uint_eq(player_weapon(player), 31);
    player_spawn(stage->shard, player);
    player_velocity(player, velocity);
    ck_assert_float_eq(velocity[1], 0);
    ck_assert_uint_eq(player_weapon(player), 0);
}
END_TEST

START_TEST(the_address_is_that_of_the_join)
{
    char text[ADDRESS_TEXT_SIZE];

    ck_assert_str_eq(player_ip(player, text), "192.0.2.1");
}
END_TEST

Suite *player_state_suite(void)
{
    Suite *suite = suite_create("player_state");
    TCase *tcase = tcase_create("player_state");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_is_set_goes_to_whom_the_table_says);
    tcase_add_test(tcase, what_is_set_to_what_it_is_goes_out_again);
    tcase_add_test(tcase, the_values_are_those_that_were_set);
    tcase_add_test(tcase, bounds_and_camera_are_given_back);
    tcase_add_test(tcase, what_the_layout_does_not_have_is_refused_and_nothing_is_sent);
    tcase_add_test(tcase, values_at_the_bounds_are_taken);
    tcase_add_test(tcase, sixty_four_stats_go_into_one_packet);
    tcase_add_test(tcase, a_new_observer_gets_what_is_not_the_default_before_the_first_frame);
    tcase_add_test(tcase, a_new_observer_of_somebody_plain_gets_nothing_more);
    tcase_add_test(tcase, what_was_set_back_to_the_default_is_not_shown);
    tcase_add_test(tcase, an_animation_with_a_time_runs_until_it_is_over);
    tcase_add_test(tcase, an_animation_that_loops_or_freezes_runs_until_it_is_cleared);
    tcase_add_test(tcase, an_animation_that_plays_once_counts_as_running_for_10_s);
    tcase_add_test(tcase, an_animation_that_stands_still_is_shown_with_its_progress);
    tcase_add_test(tcase, a_death_ends_the_animation_and_nothing_else);
    tcase_add_test(tcase, a_skin_is_shown_beside_that_of_the_life_and_stays_over_a_respawn);
    tcase_add_test(tcase, a_full_lane_owes_wanted_and_skills_as_they_are_when_there_is_room);
    tcase_add_test(tcase, an_observer_whose_lane_is_full_is_owed_the_skills);
    tcase_add_test(tcase, nothing_is_owed_of_somebody_who_is_hidden_or_has_left);
    tcase_add_test(tcase, a_critical_one_is_queued_on_a_lane_with_256_unacked);
    tcase_add_test(tcase, what_is_set_while_the_gateway_is_away_goes_out_when_it_is_back);
    tcase_add_test(tcase, before_the_first_spawn_too_a_player_is_told);
    tcase_add_test(tcase, velocity_and_weapon_are_those_of_the_last_frame);
    tcase_add_test(tcase, the_address_is_that_of_the_join);
    return suite;
}
