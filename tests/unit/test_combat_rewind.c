#include <math.h>
#include <string.h>

#include "shard/combat_rewind.h"
#include "shard/player_place.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_transform.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

/* ---- paths */

static const float level[4] = { 0, 0, 0, 1 };
static const float backward[4] = { 0, 0, 1, 0 };

static void add(struct combat_path *path, uint64_t at_ms, float x, const float rot[4])
{
    combat_path_add(path, at_ms, (const float[3]){ x, 0, 0 }, rot);
}

static float x_at(const struct combat_path *path, uint64_t at_ms)
{
    float pos[3];
    float rot[4];

    ck_assert(combat_path_at(path, at_ms, pos, rot));
    return pos[0];
}

START_TEST(c_rewind_2_a_path_is_linear_between_frames_and_turns_the_short_way)
{
    static const float over[4] = { 0, 0, 0, -1 }; /* the same rotation as level */
    struct combat_path path = { 0 };
    float pos[3];
    float rot[4];

    add(&path, 1000, 0, level);
    add(&path, 1100, 10, backward);
    add(&path, 1200, 10, over);
    ck_assert_float_eq_tol(x_at(&path, 1000), 0, 1e-5f);
    ck_assert_float_eq_tol(x_at(&path, 1030), 3, 1e-5f);
    ck_assert(combat_path_at(&path, 1050, pos, rot));
    ck_assert_float_eq_tol(rot[2], sqrtf(0.5f), 1e-5f);
    ck_assert_float_eq_tol(rot[3], sqrtf(0.5f), 1e-5f);
    ck_assert(combat_path_at(&path, 1199, pos, rot));
    ck_assert_float_eq_tol(fabsf(rot[3]), 1, 1e-3f);
}
END_TEST

START_TEST(c_rewind_3_after_the_last_frame_it_goes_on_for_150_ms_and_turns_no_more)
{
    struct combat_path path = { 0 };
    float pos[3];
    float rot[4];

    add(&path, 1000, 0, level);
    add(&path, 1100, 10, backward);
    ck_assert_float_eq_tol(x_at(&path, 1150), 15, 1e-4f);
    ck_assert_float_eq_tol(x_at(&path, 1250), 25, 1e-4f);
    ck_assert_float_eq_tol(x_at(&path, 1251), 25, 1e-4f);
    ck_assert(combat_path_at(&path, 1200, pos, rot));
    ck_assert_mem_eq(rot, backward, sizeof rot);
}
END_TEST

START_TEST(before_its_first_frame_and_after_a_new_start_there_is_no_path)
{
    struct combat_path path = { 0 };
    float pos[3];
    float rot[4];

    ck_assert(!combat_path_at(&path, 1000, pos, rot));
    add(&path, 1000, 1, level);
    ck_assert(!combat_path_at(&path, 999, pos, rot));
    ck_assert_float_eq(x_at(&path, 1100), 1); /* of one frame no velocity is known */
    combat_path_restart(&path);
    ck_assert(!combat_path_at(&path, 1000, pos, rot));
}
END_TEST

START_TEST(a_path_forgets_its_oldest_frames)
{
    struct combat_path path = { 0 };
    float pos[3];
    float rot[4];

    for (unsigned i = 0; i <= COMBAT_PATH_STEPS; i++)
        add(&path, 1000 + 10 * i, (float)i, level);
    ck_assert(!combat_path_at(&path, 1009, pos, rot));
    ck_assert_float_eq_tol(x_at(&path, 1015), 1.5f, 1e-5f);
}
END_TEST

/* ---- what a recipient gets: the driver of a Hunter at (0, 0, 10) fires along y, the watcher stands by */

static struct scene scene;
static struct wire_shot_rewind rewind_of;
static uint32_t rtt_ms; /* the driver's */

static void setup(void)
{
    scene = scene_open(425);
    rtt_ms = 100;
}

static void teardown(void)
{
    scene_close(&scene);
}

/* The watcher walks along x past the ray's end at (0, 50), 1 m in 100 ms, and is at `x` last. */
static void walk_to(float x, float y)
{
    for (int step = 5; step >= 0; step--) {
        stage_walk(scene.stage, scene.watcher, x - (float)step, y);
        if (step > 0)
            scene.stage->now_ms += 100;
    }
    scene.shard->now_ms = scene.stage->now_ms;
}

static void stand_at(float x, float y)
{
    struct place place = stage_player(scene.stage, scene.watcher)->place;

    place.pos[0] = x - 5;
    place.pos[1] = y;
    ck_assert_int_eq(
        player_teleport(scene.shard, stage_player(scene.stage, scene.watcher), scene.stage->now_ms, &place),
        REASON_NONE);
    stage_pump(scene.stage);
    walk_to(x, y);
}

static bool finds(const struct stage_client *recipient)
{
    const struct combat_ray ray = { .start = { 0, 0, 10 }, .end = { 0, 50, 10 } };

    stage_player(scene.stage, scene.driver)->rtt_ms = rtt_ms;
    return combat_rewind_find(scene.shard, stage_player(scene.stage, scene.driver),
                              stage_player(scene.stage, recipient), &ray, 1, &rewind_of);
}

START_TEST(c_rewind_1_5_a_body_is_where_it_was_a_round_trip_ago)
{
    stand_at(0.5f, 40);
    ck_assert(finds(scene.watcher));
    ck_assert_uint_eq(rewind_of.rewound, 1);
    ck_assert_float_eq_tol(rewind_of.x, -0.5f, 1e-4f);
    ck_assert_float_eq_tol(rewind_of.y, 40, 1e-4f);
    rtt_ms = 5000;                    /* 400 at most */
    ck_assert(!finds(scene.watcher)); /* it was at -3.5 then */
    stand_at(4, 40);
    ck_assert(finds(scene.watcher));
    ck_assert_float_eq_tol(rewind_of.x, 0, 1e-4f);
}
END_TEST

START_TEST(c_rewind_6_a_teleport_that_the_client_has_not_reached_hides_the_body)
{
    stand_at(1, 40);
    ck_assert(finds(scene.watcher));
    ck_assert_int_eq(player_teleport(scene.shard, stage_player(scene.stage, scene.watcher),
                                     scene.stage->now_ms, &(struct place){ .pos = { 0, 41, 10 } }),
                     REASON_NONE);
    ck_assert(!finds(scene.watcher));
}
END_TEST

START_TEST(c_rewind_7_13_a_body_3_m_from_the_ray_10_m_longer)
{
    static const struct wire_shot_rewind none;

    stand_at(1 + 2.9f, 40);
    ck_assert(finds(scene.watcher));
    stand_at(1 + 3.1f, 40);
    ck_assert(!finds(scene.watcher));
    ck_assert_uint_eq(rewind_of.rewound, none.rewound);
    ck_assert_float_eq(rewind_of.x, 0);
    stand_at(1, 62.9f);
    ck_assert(finds(scene.watcher));
    stand_at(1, 63.1f);
    ck_assert(!finds(scene.watcher));
}
END_TEST

START_TEST(c_rewind_5_12_the_dead_have_no_body_to_rewind)
{
    stand_at(1, 40);
    stage_die(scene.stage, scene.watcher);
    ck_assert(!finds(scene.watcher));
}
END_TEST

/* The watcher drives a car along y, 1 m in 100 ms, `aside` of the ray. */
static struct vehicle *drive_aside(float aside)
{
    const struct shard_vehicle what = stage_car(411, 8, 4);
    struct vehicle *car;

    ck_assert_int_eq(vehicle_create_owned(scene.shard, 1, &what, &car), REASON_NONE);
    stage_run(scene.stage, 200);
    stage_enter(scene.stage, scene.watcher, car->id, 0);
    ck_assert_uint_ne(stage_player(scene.stage, scene.watcher)->vehicle, SLOT_NONE);
    for (int step = 0; step < 5; step++) {
        struct wire_vehicle_frame frame = stage_frame(scene.stage, scene.watcher, car);

        scene.stage->now_ms += 100;
        frame.state.pos[0] = aside;
        frame.state.pos[1] = 20 + (float)step;
        frame.state.rot[2] = 0;
        frame.state.rot[3] = 1;
        stage_send_frame(scene.stage, scene.watcher, &frame);
    }
    scene.shard->now_ms = scene.stage->now_ms;
    return car;
}

START_TEST(c_rewind_8_11_a_vehicle_30_m_from_the_ray_is_where_it_was)
{
    const struct vehicle *car = drive_aside(29.9f);

    ck_assert(finds(scene.watcher));
    ck_assert_uint_eq(rewind_of.rewound, 2);
    ck_assert_uint_eq(rewind_of.vehicle_id, car->id);
    ck_assert_uint_eq(rewind_of.vehicle_epoch, car->epoch);
    ck_assert_float_eq_tol(rewind_of.x, 29.9f, 1e-3f);
    ck_assert_float_eq_tol(rewind_of.y, 23, 1e-3f);
    ck_assert_mem_eq(rewind_of.rot, level, sizeof level);
}
END_TEST

START_TEST(c_rewind_11_12_a_vehicle_farther_off_is_not_rewound)
{
    drive_aside(30.1f);
    ck_assert(!finds(scene.watcher));
    ck_assert_uint_eq(rewind_of.rewound, 0);
}
END_TEST

START_TEST(c_rewind_8_who_sits_beside_the_shooter_is_not_rewound)
{
    struct vehicle *car = drive_aside(5);

    ck_assert(finds(scene.watcher));
    stage_player(scene.stage, scene.driver)->vehicle = world_vehicle_slot(&scene.shard->world, car);
    ck_assert(!finds(scene.watcher));
    stage_player(scene.stage, scene.driver)->vehicle = world_vehicle_slot(&scene.shard->world, scene.vehicle);
}
END_TEST

START_TEST(c_rewind_9_a_wreck_and_a_frozen_vehicle_are_not_rewound)
{
    struct vehicle *car = drive_aside(5);

    car->wrecked = true;
    ck_assert(!finds(scene.watcher));
    car->wrecked = false;
    ck_assert(finds(scene.watcher));
    car->frozen = true;
    ck_assert(!finds(scene.watcher));
}
END_TEST

START_TEST(c_rewind_10_a_command_of_the_gamemode_starts_the_path_anew)
{
    struct vehicle *car = drive_aside(5);

    ck_assert(finds(scene.watcher));
    ck_assert_int_eq(vehicle_set_position(scene.shard, car, (const float[3]){ 5, 30, 10 }), REASON_NONE);
    ck_assert(!finds(scene.watcher));
}
END_TEST

Suite *combat_rewind_suite(void)
{
    Suite *suite = suite_create("combat_rewind");
    TCase *paths = tcase_create("paths");
    TCase *recipients = tcase_create("recipients");

    suite_add_tcase(suite, paths);
    tcase_add_test(paths, c_rewind_2_a_path_is_linear_between_frames_and_turns_the_short_way);
    tcase_add_test(paths, c_rewind_3_after_the_last_frame_it_goes_on_for_150_ms_and_turns_no_more);
    tcase_add_test(paths, before_its_first_frame_and_after_a_new_start_there_is_no_path);
    tcase_add_test(paths, a_path_forgets_its_oldest_frames);
    suite_add_tcase(suite, recipients);
    tcase_add_checked_fixture(recipients, setup, teardown);
    tcase_add_test(recipients, c_rewind_1_5_a_body_is_where_it_was_a_round_trip_ago);
    tcase_add_test(recipients, c_rewind_6_a_teleport_that_the_client_has_not_reached_hides_the_body);
    tcase_add_test(recipients, c_rewind_7_13_a_body_3_m_from_the_ray_10_m_longer);
    tcase_add_test(recipients, c_rewind_8_11_a_vehicle_30_m_from_the_ray_is_where_it_was);
    tcase_add_test(recipients, c_rewind_11_12_a_vehicle_farther_off_is_not_rewound);
    tcase_add_test(recipients, c_rewind_8_who_sits_beside_the_shooter_is_not_rewound);
    tcase_add_test(recipients, c_rewind_9_a_wreck_and_a_frozen_vehicle_are_not_rewound);
    tcase_add_test(recipients, c_rewind_10_a_command_of_the_gamemode_starts_the_path_anew);
    tcase_add_test(recipients, c_rewind_5_12_the_dead_have_no_body_to_rewind);
    return suite;
}
