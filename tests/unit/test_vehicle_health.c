#include <math.h>
#include <string.h>

#include "shard/vehicle_damage.h"
#include "shard/vehicle_health.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(411);
}

static void teardown(void)
{
    scene_close(&scene);
}

/* Whatever the core left in its outbox arrives. */
static void deliver(void)
{
    stage_pump(scene.stage);
}

static struct wire_vehicle_health take_health(struct stage_client *client)
{
    struct wire_vehicle_health taken;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_VEHICLE_HEALTH);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_vehicle_health_decode(&taken, packet->bytes, packet->size, &error));
    return taken;
}

static float relayed_health(float health)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.health = health;
    return scene_relayed(&scene, &frame).health;
}

START_TEST(v_state_3_a_frame_lowers_the_health_and_never_raises_it)
{
    ck_assert_float_eq(relayed_health(800), 800);
    ck_assert_float_eq(relayed_health(900), 800);
    ck_assert_float_eq(relayed_health(nextafterf(800, 0)), nextafterf(800, 0));
    ck_assert_float_eq(relayed_health(-5), 0);
}
END_TEST

START_TEST(v_state_4_a_wrecks_health_stays)
{
    scene.vehicle->wrecked = true;
    ck_assert_float_eq(relayed_health(100), 1000);
}
END_TEST

START_TEST(v_state_5_a_frame_from_before_the_command_does_not_lower_it)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.health = 100;
    vehicle_set_health(scene.shard, scene.vehicle, 900);
    ck_assert_float_eq(scene_relayed(&scene, &frame).health, 900);
    ck_assert_float_eq(relayed_health(100), 100);
}
END_TEST

START_TEST(v_health_1_6_a_command_goes_to_everyone_the_driver_included)
{
    struct wire_vehicle_health health;

    ck_assert_int_eq(vehicle_set_health(scene.shard, scene.vehicle, 500), REASON_NONE);
    health = take_health(scene.driver);
    ck_assert_float_eq(health.health, 500);
    ck_assert_uint_eq(health.health_rev, 1);
    ck_assert_uint_eq(health.epoch, scene.vehicle->epoch);
    ck_assert_float_eq(take_health(scene.watcher).health, 500);
}
END_TEST

START_TEST(v_health_1_a_repair_is_full_health_and_no_damage)
{
    scene.vehicle->damage.wheels[1] = 1;
    relayed_health(300);
    ck_assert_int_eq(vehicle_repair(scene.shard, scene.vehicle), REASON_NONE);
    ck_assert_float_eq(take_health(scene.watcher).health, 1000);
    ck_assert_uint_eq(scene.vehicle->damage.wheels[1], 0);
    ck_assert_uint_eq(scene.vehicle->damage_rev, 1);
    deliver();
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_REMOTE_VEHICLE_DAMAGE), 1);
}
END_TEST

START_TEST(v_health_1_a_boat_is_repaired_without_a_damage_status)
{
    scene.vehicle->model = model_find(473);
    ck_assert_int_eq(vehicle_repair(scene.shard, scene.vehicle), REASON_NONE);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_DAMAGE), 0);
    scene.vehicle->model = model_find(411);
}
END_TEST

START_TEST(v_health_2_never_for_a_wreck)
{
    scene.vehicle->wrecked = true;
    ck_assert_int_eq(vehicle_set_health(scene.shard, scene.vehicle, 500), REASON_WRECKED);
    ck_assert_int_eq(vehicle_repair(scene.shard, scene.vehicle), REASON_WRECKED);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_HEALTH), 0);
}
END_TEST

START_TEST(v_health_3_it_is_0_to_100000)
{
    static const float bad[] = { -0.001f, 100008, NAN, INFINITY };

    ck_assert_int_eq(vehicle_set_health(scene.shard, scene.vehicle, 0), REASON_NONE);
    ck_assert_int_eq(vehicle_set_health(scene.shard, scene.vehicle, 100000), REASON_NONE);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_eq(vehicle_set_health(scene.shard, scene.vehicle, bad[i]), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(scene.vehicle->health.rev, 2);
}
END_TEST

START_TEST(v_health_4_the_revision_wraps)
{
    scene.vehicle->health.rev = UINT16_MAX;
    vehicle_set_health(scene.shard, scene.vehicle, 700);
    ck_assert_uint_eq(take_health(scene.watcher).health_rev, 0);
    ck_assert_float_eq(relayed_health(600), 600);
}
END_TEST

START_TEST(v_health_5_a_show_carries_the_health_and_its_revision)
{
    struct wire_vehicle_sync show;

    vehicle_set_health(scene.shard, scene.vehicle, 700);
    show = scene_show(&scene, NULL);
    ck_assert_float_eq(show.health, 700);
    ck_assert_uint_eq(show.health_rev, 1);
}
END_TEST

Suite *vehicle_health_suite(void)
{
    Suite *suite = suite_create("vehicle_health");
    TCase *tcase = tcase_create("health");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_state_3_a_frame_lowers_the_health_and_never_raises_it);
    tcase_add_test(tcase, v_state_4_a_wrecks_health_stays);
    tcase_add_test(tcase, v_state_5_a_frame_from_before_the_command_does_not_lower_it);
    tcase_add_test(tcase, v_health_1_6_a_command_goes_to_everyone_the_driver_included);
    tcase_add_test(tcase, v_health_1_a_repair_is_full_health_and_no_damage);
    tcase_add_test(tcase, v_health_1_a_boat_is_repaired_without_a_damage_status);
    tcase_add_test(tcase, v_health_2_never_for_a_wreck);
    tcase_add_test(tcase, v_health_3_it_is_0_to_100000);
    tcase_add_test(tcase, v_health_4_the_revision_wraps);
    tcase_add_test(tcase, v_health_5_a_show_carries_the_health_and_its_revision);
    suite_add_tcase(suite, tcase);
    return suite;
}
