#include <math.h>
#include <string.h>

#include "shard/vehicle_remote.h"
#include "shard/vehicle_shot.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(425);
}

static void reopen(uint16_t model)
{
    scene_close(&scene);
    scene = scene_open(model);
}

static void teardown(void)
{
    scene_close(&scene);
}

static struct wire_vehicle_shot salvo(uint32_t order, uint8_t count, float length)
{
    struct wire_vehicle_shot shot = { .order = order, .vehicle_id = scene.vehicle->id, .count = count };

    for (uint8_t i = 0; i < count; i++) {
        shot.rays[i].start_x = scene.vehicle->pos[0];
        shot.rays[i].start_y = scene.vehicle->pos[1];
        shot.rays[i].start_z = scene.vehicle->pos[2];
        shot.rays[i].end_x = shot.rays[i].start_x;
        shot.rays[i].end_y = shot.rays[i].start_y + length;
        shot.rays[i].end_z = shot.rays[i].start_z;
    }
    return shot;
}

/* Whether the watcher is relayed it. */
static bool fires(const struct wire_vehicle_shot *shot)
{
    size_t before = stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_SHOT);

    stage_shoot(scene.stage, scene.driver, shot);
    return stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_SHOT) > before;
}

START_TEST(v_shot_1_only_the_live_driver_fires)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    stage_shoot(scene.stage, scene.watcher, &shot);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_CONTROLLING), 1);
    ck_assert(fires(&shot));
    shot = salvo(2, 1, 50);
    scene.stage->now_ms += 100;
    stage_die(scene.stage, scene.driver);
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_4_a_wreck_does_not_fire)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    scene.vehicle->wrecked = true;
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_5_a_model_without_a_weapon_does_not_fire)
{
    struct wire_vehicle_shot shot;

    reopen(487);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_WRONG_MODEL), 1);
}
END_TEST

START_TEST(v_shot_6_7_8_9_10_11_12_each_model_has_its_weapon_rays_and_interval)
{
    static const struct vehicle_gun guns[] = {
        { 425, 1, 38, 60, 0 },   { 447, 1, 31, 40, 0 }, { 476, 2, 31, 80, 0 }, { 430, 2, 52, 150, 90 },
        { 432, 1, 51, 800, 90 }, { 464, 1, 31, 40, 0 }, { 564, 1, 38, 60, 0 },
    };
    size_t found = 0;

    for (uint32_t id = MODEL_MIN; id <= MODEL_MAX; id++)
        found += vehicle_gun_of(model_find(id)) != NULL;
    ck_assert_uint_eq(found, sizeof guns / sizeof guns[0]);
    for (size_t i = 0; i < found; i++) {
        const struct vehicle_gun *gun = vehicle_gun_of(model_find(guns[i].model));

        ck_assert_ptr_nonnull(gun);
        ck_assert_uint_eq(gun->rays, guns[i].rays);
        ck_assert_uint_eq(gun->weapon, guns[i].weapon);
        ck_assert_uint_eq(gun->interval_ms, guns[i].interval_ms);
    }
}
END_TEST

START_TEST(v_shot_5_the_count_is_the_weapons)
{
    struct wire_vehicle_shot shot;

    shot = salvo(1, 2, 50);
    ck_assert(!fires(&shot));
    reopen(476);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    shot = salvo(1, 2, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_13_every_ray_starts_within_25_of_the_vehicle)
{
    struct wire_vehicle_shot shot;

    reopen(476);
    shot = salvo(1, 2, 10);
    shot.rays[1].start_x += nextafterf(25, 26);
    ck_assert(!fires(&shot));
    shot.rays[1].start_x = scene.vehicle->pos[0] + 25;
    shot.rays[1].end_x = shot.rays[1].start_x;
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_14_15_a_ray_is_no_longer_than_the_weapon_reaches)
{
    static const uint16_t models[] = { 425, 447, 476, 430, 432 };

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const struct vehicle_gun *gun = vehicle_gun_of(model_find(models[i]));
        struct wire_vehicle_shot shot;

        reopen(models[i]);
        shot = salvo(1, gun->rays, nextafterf(gun->length_m, 1000));
        ck_assert(!fires(&shot));
        shot = salvo(1, gun->rays, gun->length_m);
        ck_assert(fires(&shot));
    }
}
END_TEST

START_TEST(v_shot_16_17_the_order_grows_past_the_last_ray)
{
    struct wire_vehicle_shot shot;

    reopen(476);
    shot = salvo(5, 2, 50);
    ck_assert(fires(&shot));
    scene.stage->now_ms += 100;
    shot = salvo(6, 2, 50);
    ck_assert(!fires(&shot));
    shot = salvo(7, 2, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_16_the_order_does_not_come_round)
{
    struct wire_vehicle_shot shot = salvo(UINT32_MAX, 1, 50);

    ck_assert(fires(&shot));
    scene.stage->now_ms += 100;
    shot = salvo(0, 1, 50);
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_18_at_least_half_the_interval_lies_between)
{
    struct wire_vehicle_shot shot;

    reopen(432);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
    scene.stage->now_ms += 399;
    shot = salvo(2, 1, 50);
    ck_assert(!fires(&shot));
    scene.stage->now_ms += 1;
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_20_21_a_malformed_salvo_is_dropped_and_counted)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    shot.rays[1].end_z = 1;
    ck_assert(!fires(&shot));
    shot = salvo(1, 1, NAN);
    ck_assert(!fires(&shot));
    shot = salvo(1, 1, 50);
    shot.count = 3;
    ck_assert(!fires(&shot));
    ck_assert(stage_reason(scene.stage, REASON_MALFORMED_NOT_FINITE) == 1);
}
END_TEST

START_TEST(v_shot_22_the_rays_are_remembered_with_the_hits_weapon)
{
    const struct player *driver = stage_player(scene.stage, scene.driver);
    struct wire_vehicle_shot shot;

    reopen(476);
    driver = stage_player(scene.stage, scene.driver);
    shot = salvo(8, 2, 50);
    ck_assert(fires(&shot));
    ck_assert_ptr_nonnull(combat_rays_find(&driver->rays, scene.stage->now_ms, 31, 8));
    ck_assert_ptr_nonnull(combat_rays_find(&driver->rays, scene.stage->now_ms + 500, 31, 9));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms + 501, 31, 9));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms, 38, 9));
}
END_TEST

START_TEST(v_shot_23_the_rays_count_as_shots_passing_by_vehicles)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    ck_assert(fires(&shot));
    ck_assert_uint_eq(scene.vehicle->shooters[0].ref.id, scene.driver->id);
}
END_TEST

START_TEST(v_shot_24_the_cannons_ray_is_a_cause_along_its_whole_length)
{
    const struct cause_place at_the_end = { .pos = { 0, 90 + 30, 10 }, .vehicle_id = WIRE_NONE };
    const struct cause_place beyond = { .pos = { 0, nextafterf(90 + 30, 200), 10 }, .vehicle_id = WIRE_NONE };
    const struct player *driver;
    struct wire_vehicle_shot shot;

    reopen(432);
    driver = stage_player(scene.stage, scene.driver);
    shot = salvo(1, 1, 90);
    ck_assert(fires(&shot));
    ck_assert_ptr_nonnull(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 1000, EFFECT_EXPLOSION, &at_the_end));
    ck_assert_ptr_null(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 1001, EFFECT_EXPLOSION, &at_the_end));
    ck_assert_ptr_null(combat_causes_find(&driver->causes, scene.stage->now_ms, EFFECT_EXPLOSION, &beyond));
    ck_assert_ptr_nonnull(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 65000, EFFECT_FIRE, &at_the_end));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms, 51, 1));
}
END_TEST

static struct wire_remote_vehicle_shot take_relayed(void)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(scene.watcher, PACKET_REMOTE_VEHICLE_SHOT);

    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__UNRELIABLE);
    ck_assert(wire_remote_vehicle_shot_decode(&remote, packet->bytes, packet->size, &error));
    return remote;
}

START_TEST(v_shot_26_it_is_relayed_to_whom_the_shooter_is_shown)
{
    struct wire_remote_vehicle_shot remote;
    struct stage_client *far = stage_spawn(scene.stage, 9, 3000, 0);
    struct wire_vehicle_shot shot = salvo(12, 1, 50);

    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.id, scene.driver->id);
    ck_assert_uint_eq(remote.player_token, scene.driver->token);
    ck_assert_uint_eq(remote.vehicle_id, scene.vehicle->id);
    ck_assert_uint_eq(stage_count(far, PACKET_REMOTE_VEHICLE_SHOT), 0);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_REMOTE_VEHICLE_SHOT), 0);
}
END_TEST

START_TEST(v_rshot_1_order_count_rays_and_props_rev_are_relayed_as_they_came)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_vehicle_shot shot;

    reopen(476); /* of two rays */
    shot = salvo(12, 2, 50);
    shot.rays[1].start_x += 1;
    shot.rays[1].end_z += 2;
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.order, 12);
    ck_assert_uint_eq(remote.count, 2);
    ck_assert_mem_eq(&remote.rays, &shot.rays, sizeof shot.rays);
    ck_assert_uint_eq(remote.props_rev, shot.props_rev);
}
END_TEST

START_TEST(v_rshot_3_the_cannon_is_never_rewound)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_vehicle_shot shot;

    reopen(432);
    shot = salvo(1, 1, 90);
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.rewind.rewound, 0);
    ck_assert_uint_eq(remote.rewind.vehicle_id, 0);
    ck_assert_float_eq(remote.rewind.x, 0);
}
END_TEST

static void take_rc(uint16_t model, bool detonation)
{
    reopen(model);
    ck_assert_int_eq(
        vehicle_set_remote(scene.shard, stage_player(scene.stage, scene.driver), scene.vehicle, detonation),
        REASON_NONE);
    stage_run(scene.stage, 100);
}

START_TEST(v_shot_2_an_rc_is_fired_by_who_drives_it)
{
    struct wire_vehicle_shot shot;

    reopen(464);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    take_rc(464, false);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_3_an_rc_tiger_with_detonation_on_does_not_fire)
{
    struct wire_vehicle_shot shot;

    take_rc(564, true);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    take_rc(464, true);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
    take_rc(564, false);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
}
END_TEST

Suite *vehicle_shot_suite(void)
{
    Suite *suite = suite_create("vehicle_shot");
    TCase *tcase = tcase_create("shot");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_shot_1_only_the_live_driver_fires);
    tcase_add_test(tcase, v_shot_4_a_wreck_does_not_fire);
    tcase_add_test(tcase, v_shot_5_a_model_without_a_weapon_does_not_fire);
    tcase_add_test(tcase, v_shot_6_7_8_9_10_11_12_each_model_has_its_weapon_rays_and_interval);
    tcase_add_test(tcase, v_shot_5_the_count_is_the_weapons);
    tcase_add_test(tcase, v_shot_13_every_ray_starts_within_25_of_the_vehicle);
    tcase_add_test(tcase, v_shot_14_15_a_ray_is_no_longer_than_the_weapon_reaches);
    tcase_add_test(tcase, v_shot_16_17_the_order_grows_past_the_last_ray);
    tcase_add_test(tcase, v_shot_16_the_order_does_not_come_round);
    tcase_add_test(tcase, v_shot_18_at_least_half_the_interval_lies_between);
    tcase_add_test(tcase, v_shot_20_21_a_malformed_salvo_is_dropped_and_counted);
    tcase_add_test(tcase, v_shot_22_the_rays_are_remembered_with_the_hits_weapon);
    tcase_add_test(tcase, v_shot_23_the_rays_count_as_shots_passing_by_vehicles);
    tcase_add_test(tcase, v_shot_24_the_cannons_ray_is_a_cause_along_its_whole_length);
    tcase_add_test(tcase, v_shot_26_it_is_relayed_to_whom_the_shooter_is_shown);
    tcase_add_test(tcase, v_rshot_1_order_count_rays_and_props_rev_are_relayed_as_they_came);
    tcase_add_test(tcase, v_rshot_3_the_cannon_is_never_rewound);
    tcase_add_test(tcase, v_shot_2_an_rc_is_fired_by_who_drives_it);
    tcase_add_test(tcase, v_shot_3_an_rc_tiger_with_detonation_on_does_not_fire);
    suite_add_tcase(suite, tcase);
    return suite;
}
