#include <math.h>
#include <string.h>

#include "shard/vehicle_damage.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(411);
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

/* Whatever the core left in its outbox arrives. */
static void deliver(void)
{
    stage_pump(scene.stage);
}

static struct wire_remote_vehicle_damage take_damage(struct stage_client *client)
{
    struct wire_remote_vehicle_damage taken;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_REMOTE_VEHICLE_DAMAGE);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_remote_vehicle_damage_decode(&taken, packet->bytes, packet->size, &error));
    return taken;
}

static struct wire_vehicle_damage report(void)
{
    return (struct wire_vehicle_damage){ .vehicle_id = scene.vehicle->id,
                                         .epoch = scene.vehicle->epoch,
                                         .damage_rev = scene.vehicle->damage_rev };
}

/* Whether the server took it. */
static bool takes(const struct wire_vehicle_damage *damage)
{
    size_t before = stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_DAMAGE);

    stage_damage(scene.stage, scene.driver, damage);
    return stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_DAMAGE) > before;
}

START_TEST(v_dmg_1_a_report_of_another_epoch_is_dropped)
{
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    damage.epoch++;
    ck_assert(!takes(&damage));
    damage.epoch--;
    ck_assert(takes(&damage));
}
END_TEST

START_TEST(v_dmg_2_only_the_live_controlling_player_reports)
{
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    stage_damage(scene.stage, scene.watcher, &damage);
    ck_assert_uint_eq(scene.vehicle->damage.wheels[0], 0);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_CONTROLLING), 1);
}
END_TEST

START_TEST(v_dmg_2_without_a_driver_the_syncer_reports)
{
    struct stage_client *syncer = scene_abandon(&scene);
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    stage_damage(scene.stage, syncer, &damage);
    ck_assert_uint_eq(scene.vehicle->damage.wheels[0], 1);
}
END_TEST

/* Until the next tick it still is the syncer. */
START_TEST(v_dmg_2_a_dead_syncer_reports_nothing)
{
    struct stage_client *syncer = scene_abandon(&scene);
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    stage_die(scene.stage, syncer);
    ck_assert_uint_ne(scene.vehicle->syncer, SLOT_NONE);
    stage_damage(scene.stage, syncer, &damage);
    ck_assert_uint_eq(scene.vehicle->damage.wheels[0], 0);
}
END_TEST

START_TEST(v_dmg_3_a_wreck_is_not_dented)
{
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    scene.vehicle->wrecked = true;
    ck_assert(!takes(&damage));
}
END_TEST

START_TEST(v_dmg_4_5_6_8_a_value_out_of_range_drops_the_whole_report)
{
    for (int panel = 0; panel < 7; panel++) {
        struct wire_vehicle_damage damage = report();

        damage.status.panels = UINT32_C(4) << 4 * panel;
        ck_assert(!takes(&damage));
        damage.status.panels = UINT32_C(3) << 4 * panel;
        ck_assert(takes(&damage));
    }
    for (int door = 0; door < 6; door++) {
        struct wire_vehicle_damage damage = report();

        damage.status.doors[door] = 5;
        ck_assert(!takes(&damage));
        damage.status.doors[door] = 4;
        ck_assert(takes(&damage));
    }
    for (int wheel = 0; wheel < 4; wheel++) {
        struct wire_vehicle_damage damage = report();

        damage.status.wheels[wheel] = 3;
        ck_assert(!takes(&damage));
        damage.status.wheels[wheel] = 2;
        ck_assert(takes(&damage));
        scene.stage->now_ms += 2000;
    }
}
END_TEST

START_TEST(v_dmg_4_the_top_nibble_is_0)
{
    struct wire_vehicle_damage damage = report();

    damage.status.panels = UINT32_C(0x10000001);
    ck_assert(!takes(&damage));
    damage.status.panels = UINT32_C(0x00000001);
    ck_assert(takes(&damage));
}
END_TEST

START_TEST(v_dmg_7_a_report_from_before_the_command_is_dropped)
{
    static const struct vehicle_damage dented = { .panels = 1 };
    struct wire_vehicle_damage damage = report();

    scene.vehicle->damage_rev = UINT16_MAX;
    vehicle_set_damage(scene.shard, scene.vehicle, &dented);
    ck_assert_uint_eq(scene.vehicle->damage_rev, 0);
    damage.damage_rev = UINT16_MAX;
    damage.status.wheels[0] = 1;
    deliver();
    ck_assert(!takes(&damage));
    ck_assert_uint_eq(scene.vehicle->damage.wheels[0], 0);
    damage.damage_rev = 0;
    ck_assert(takes(&damage));
}
END_TEST

START_TEST(v_dmg_9_whether_a_door_is_open_is_no_damage)
{
    struct wire_vehicle_damage damage = report();

    damage.status.doors[2] = 3;
    damage.status.doors[3] = 1;
    ck_assert(takes(&damage));
    ck_assert_uint_eq(scene.vehicle->damage.doors[2], 2);
    ck_assert_uint_eq(scene.vehicle->damage.doors[3], 0);
}
END_TEST

START_TEST(v_dmg_10_11_12_a_report_only_adds)
{
    struct wire_vehicle_damage damage = report();

    damage.status.panels = 0x0000321;
    damage.status.doors[0] = 4;
    damage.status.lights = 0x55 & 0x11;
    damage.status.wheels[3] = 2;
    takes(&damage);
    damage.status.panels = 0x3000112;
    damage.status.doors[0] = 2;
    damage.status.lights = 0xFFFFFF44;
    damage.status.wheels[3] = 1;
    ck_assert(takes(&damage));
    ck_assert_uint_eq(scene.vehicle->damage.panels, 0x3000322);
    ck_assert_uint_eq(scene.vehicle->damage.doors[0], 4);
    ck_assert_uint_eq(scene.vehicle->damage.lights, 0x55);
    ck_assert_uint_eq(scene.vehicle->damage.wheels[3], 2);
}
END_TEST

START_TEST(v_dmg_13_what_changes_nothing_is_not_relayed)
{
    struct wire_vehicle_damage damage = report();

    damage.status.wheels[0] = 1;
    ck_assert(takes(&damage));
    ck_assert(!takes(&damage));
}
END_TEST

START_TEST(v_dmg_14_bicycles_boats_aircraft_and_the_rest_have_no_status)
{
    static const struct {
        uint16_t model;
        bool has;
    } cases[] = { { 411, true },  { 444, true },  { 471, true },  { 522, true },
                  { 509, false }, { 473, false }, { 487, false }, { 520, false },
                  { 537, false }, { 441, false }, { 435, false } };
    static const struct vehicle_damage intact;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vehicle vehicle = { .model = model_find(cases[i].model) };

        ck_assert(vehicle_has_damage_status(vehicle.model) == cases[i].has);
        if (!cases[i].has)
            ck_assert_int_eq(vehicle_set_damage(scene.shard, &vehicle, &intact), REASON_WRONG_MODEL);
    }
}
END_TEST

START_TEST(v_dmg_14_a_report_for_a_boat_is_dropped)
{
    struct wire_vehicle_damage damage;

    reopen(473);
    damage = report();
    damage.status.wheels[0] = 1;
    ck_assert(!takes(&damage));
}
END_TEST

START_TEST(v_dmg_15_a_motorbike_has_two_wheels_that_may_burst)
{
    struct wire_vehicle_damage damage;

    reopen(522);
    damage = report();
    damage.status.wheels[0] = 2;
    ck_assert(!takes(&damage));
    damage = report();
    damage.status.wheels[0] = damage.status.wheels[1] = 1;
    ck_assert(takes(&damage));
}
END_TEST

START_TEST(v_dmg_15_what_a_motorbike_does_not_have_is_left_out_of_its_report)
{
    struct wire_vehicle_damage damage;
    struct wire_remote_vehicle_damage told;

    reopen(522);
    damage = report();
    damage.status.panels = 1;
    damage.status.lights = 1;
    damage.status.doors[0] = damage.status.wheels[2] = damage.status.wheels[3] = 2;
    ck_assert_msg(!takes(&damage), "nothing that counts has changed");
    damage.status.wheels[1] = 1;
    ck_assert(takes(&damage));
    told = take_damage(scene.watcher);
    ck_assert_uint_eq(told.status.panels, 0);
    ck_assert_uint_eq(told.status.lights, 0);
    ck_assert_uint_eq(told.status.doors[0], 0);
    ck_assert_mem_eq(told.status.wheels, ((const uint8_t[4]){ 0, 1, 0, 0 }), 4);
}
END_TEST

START_TEST(v_dmg_15_a_gamemode_sets_nothing_that_a_motorbike_does_not_have)
{
    struct vehicle_damage damage = { .wheels = { 1, 1, 0, 0 } };

    reopen(522);
    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &damage), REASON_NONE);
    damage.wheels[3] = 1;
    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &damage), REASON_OUT_OF_BOUNDS);
    damage = (struct vehicle_damage){ .panels = 1 };
    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &damage), REASON_OUT_OF_BOUNDS);
    damage = (struct vehicle_damage){ .wheels = { 2, 0, 0, 0 } };
    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &damage), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_dmg_16_reports_count_against_the_limit_of_vehicle_events)
{
    struct wire_vehicle_damage damage = report();

    for (int i = 0; i < 40; i++)
        stage_damage(scene.stage, scene.driver, &damage);
    ck_assert_uint_ge(stage_reason(scene.stage, REASON_LIMIT_VEHICLE_EVENTS), 9);
}
END_TEST

START_TEST(v_rdmg_1_3_a_report_goes_to_everyone_but_its_sender)
{
    struct wire_vehicle_damage damage = report();
    struct wire_remote_vehicle_damage relay;

    scene.vehicle->damage_rev = damage.damage_rev = 7;
    damage.status.wheels[0] = 1;
    ck_assert(takes(&damage));
    relay = take_damage(scene.watcher);
    ck_assert_uint_eq(relay.status.wheels[0], 1);
    ck_assert_uint_eq(relay.damage_rev, 7);
    ck_assert_uint_eq(relay.epoch, scene.vehicle->epoch);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_REMOTE_VEHICLE_DAMAGE), 0);
}
END_TEST

START_TEST(v_rdmg_1_the_sender_is_left_out_of_the_lane_counts)
{
    struct wire_vehicle_damage damage = report();
    uint32_t sent = stage_player(scene.stage, scene.driver)->lane.sent;

    damage.status.wheels[0] = 1;
    takes(&damage);
    ck_assert_uint_eq(stage_player(scene.stage, scene.driver)->lane.sent, sent);
}
END_TEST

START_TEST(v_rdmg_2_a_command_goes_to_everyone_with_a_new_revision)
{
    static const struct vehicle_damage dented = {
        .panels = 0x2, .doors = { 4 }, .lights = 0x4, .wheels = { 1 }
    };

    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &dented), REASON_NONE);
    ck_assert_uint_eq(take_damage(scene.driver).damage_rev, 1);
    ck_assert_uint_eq(take_damage(scene.watcher).status.panels, 2);
    ck_assert_uint_eq(scene_show(&scene, NULL).damage.panels, 2);
    ck_assert_uint_eq(scene_show(&scene, NULL).damage_rev, 1);
}
END_TEST

START_TEST(v_rdmg_2_a_command_out_of_range_is_refused)
{
    const struct vehicle_damage bad[] = {
        { .panels = 4 }, { .doors = { 1 } }, { .doors = { 3 } }, { .lights = 2 }, { .wheels = { 0, 0, 0, 3 } }
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &bad[i]), REASON_OUT_OF_BOUNDS);
    scene.vehicle->wrecked = true;
    ck_assert_int_eq(vehicle_set_damage(scene.shard, scene.vehicle, &(struct vehicle_damage){ 0 }),
                     REASON_WRECKED);
}
END_TEST

Suite *vehicle_damage_suite(void)
{
    Suite *suite = suite_create("vehicle_damage");
    TCase *tcase = tcase_create("damage");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_dmg_1_a_report_of_another_epoch_is_dropped);
    tcase_add_test(tcase, v_dmg_2_only_the_live_controlling_player_reports);
    tcase_add_test(tcase, v_dmg_2_without_a_driver_the_syncer_reports);
    tcase_add_test(tcase, v_dmg_2_a_dead_syncer_reports_nothing);
    tcase_add_test(tcase, v_dmg_3_a_wreck_is_not_dented);
    tcase_add_test(tcase, v_dmg_4_5_6_8_a_value_out_of_range_drops_the_whole_report);
    tcase_add_test(tcase, v_dmg_4_the_top_nibble_is_0);
    tcase_add_test(tcase, v_dmg_7_a_report_from_before_the_command_is_dropped);
    tcase_add_test(tcase, v_dmg_9_whether_a_door_is_open_is_no_damage);
    tcase_add_test(tcase, v_dmg_10_11_12_a_report_only_adds);
    tcase_add_test(tcase, v_dmg_13_what_changes_nothing_is_not_relayed);
    tcase_add_test(tcase, v_dmg_14_bicycles_boats_aircraft_and_the_rest_have_no_status);
    tcase_add_test(tcase, v_dmg_14_a_report_for_a_boat_is_dropped);
    tcase_add_test(tcase, v_dmg_15_a_motorbike_has_two_wheels_that_may_burst);
    tcase_add_test(tcase, v_dmg_15_what_a_motorbike_does_not_have_is_left_out_of_its_report);
    tcase_add_test(tcase, v_dmg_15_a_gamemode_sets_nothing_that_a_motorbike_does_not_have);
    tcase_add_test(tcase, v_dmg_16_reports_count_against_the_limit_of_vehicle_events);
    tcase_add_test(tcase, v_rdmg_1_3_a_report_goes_to_everyone_but_its_sender);
    tcase_add_test(tcase, v_rdmg_1_the_sender_is_left_out_of_the_lane_counts);
    tcase_add_test(tcase, v_rdmg_2_a_command_goes_to_everyone_with_a_new_revision);
    tcase_add_test(tcase, v_rdmg_2_a_command_out_of_range_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
