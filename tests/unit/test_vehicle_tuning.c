#include <math.h>
#include <string.h>

#include "shard/vehicle_handling.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_nitro.h"
#include "shard/vehicle_tuning.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(560);
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

static struct wire_vehicle_tuning take_tuning(struct stage_client *client)
{
    struct wire_vehicle_tuning tuning;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_VEHICLE_TUNING);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_tuning_decode(&tuning, packet->bytes, packet->size, &error));
    return tuning;
}

static size_t tunings(struct stage_client *client)
{
    deliver();
    return stage_count(client, PACKET_VEHICLE_TUNING);
}

static enum reason add(uint32_t component)
{
    return vehicle_add_component(scene.shard, scene.vehicle, component);
}

START_TEST(v_tune_1_2_a_change_is_told_whole_to_everyone_it_is_streamed_to)
{
    struct wire_vehicle_tuning tuning;

    ck_assert_int_eq(add(1010), REASON_NONE);
    take_tuning(scene.driver);
    take_tuning(scene.watcher);
    vehicle_set_dirt(scene.shard, scene.vehicle, 3);
    tuning = take_tuning(scene.watcher);
    ck_assert_uint_eq(tuning.components[8], 1010);
    ck_assert_uint_eq(tuning.nitro, 10);
    ck_assert_uint_eq(tuning.dirt, 3);
    ck_assert_uint_eq(tuning.paintjob, 0xFF);
    ck_assert_uint_eq(take_tuning(scene.driver).dirt, 3);
}
END_TEST

START_TEST(v_tune_2_what_changes_nothing_is_not_told)
{
    vehicle_set_dirt(scene.shard, scene.vehicle, TUNING_NO_DIRT);
    vehicle_set_plate(scene.shard, scene.vehicle, NULL);
    ck_assert_uint_eq(tunings(scene.watcher), 0);
}
END_TEST

START_TEST(v_tune_2_it_is_critical)
{
    add(1025);
    deliver();
    ck_assert_int_eq(stage_take(scene.watcher, PACKET_VEHICLE_TUNING)->delivery, BUS__SEND__CLASS__CRITICAL);
}
END_TEST

START_TEST(v_tune_3_it_follows_the_show_of_a_tuned_vehicle_only)
{
    struct stage_client *late;

    scene_show(&scene, &late);
    ck_assert_uint_eq(tunings(late), 0);
    vehicle_set_plate(scene.shard, scene.vehicle, "DLMP 1");
    scene_show(&scene, &late);
    ck_assert_mem_eq(take_tuning(late).plate, "DLMP 1  ", 8);
}
END_TEST

/* Each of what the client was sent by id: one, and after the show. */
static void follows_the_show(struct stage_client *client, uint8_t id)
{
    ck_assert_uint_eq(stage_count(client, id), 1);
    ck_assert(stage_order(client, PACKET_VEHICLE_SYNC) < stage_order(client, id));
}

START_TEST(v_sync_30_tuning_and_handling_follow_a_show_and_that_of_a_respawn)
{
    const float mass = 2000;
    struct stage_client *late;

    scene_show(&scene, &late);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_TUNING), 0);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_HANDLING), 0);
    add(1025);
    ck_assert_int_eq(vehicle_set_handling(scene.shard, scene.vehicle, handling_find("mass"), &mass),
                     REASON_NONE);
    deliver();
    scene_show(&scene, &late);
    follows_the_show(late, PACKET_VEHICLE_TUNING);
    follows_the_show(late, PACKET_VEHICLE_HANDLING);
    stage_forget(scene.stage);
    vehicle_respawn(scene.shard, scene.vehicle);
    deliver();
    follows_the_show(scene.watcher, PACKET_VEHICLE_TUNING);
    follows_the_show(scene.watcher, PACKET_VEHICLE_HANDLING);
}
END_TEST

START_TEST(v_tune_4_a_respawn_keeps_the_tuning_and_refills_the_nitro)
{
    add(1008);
    add(1025);
    vehicle_set_nitro_charges(scene.shard, scene.vehicle, 1);
    vehicle_tuning_respawn(scene.vehicle);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 5);
    ck_assert_uint_eq(scene.vehicle->tuning.components[12], 1025);
}
END_TEST

START_TEST(v_tune_5_nitro_comes_full_and_full_again)
{
    static const uint16_t parts[] = { 1008, 1009, 1010 };
    static const uint8_t charges[] = { 5, 2, 10 };

    for (size_t i = 0; i < 3; i++) {
        add(parts[i]);
        ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, charges[i]);
        vehicle_set_nitro_charges(scene.shard, scene.vehicle, 0);
        add(parts[i]);
        ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, charges[i]);
    }
}
END_TEST

START_TEST(v_tune_6_without_nitro_there_are_no_charges)
{
    ck_assert_int_eq(vehicle_set_nitro_charges(scene.shard, scene.vehicle, 1), REASON_NO_COMPONENT);
    add(1008);
    ck_assert_int_eq(vehicle_remove_component(scene.shard, scene.vehicle, 1008), REASON_NONE);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 0);
    take_tuning(scene.watcher);
    ck_assert_uint_eq(take_tuning(scene.watcher).nitro, 0);
}
END_TEST

START_TEST(v_tune_6_only_what_is_there_can_be_removed)
{
    add(1008);
    ck_assert_int_eq(vehicle_remove_component(scene.shard, scene.vehicle, 1010), REASON_NO_COMPONENT);
    ck_assert_int_eq(vehicle_remove_component(scene.shard, scene.vehicle, 999), REASON_NO_COMPONENT);
    ck_assert_uint_eq(scene.vehicle->tuning.components[8], 1008);
}
END_TEST

START_TEST(v_tune_7_9_the_universal_parts_fit_cars_monster_trucks_and_quads_only)
{
    static const struct {
        uint16_t model;
        enum reason reason;
    } cases[] = {
        { 411, REASON_NONE },        { 444, REASON_NONE },        { 471, REASON_NONE },
        { 522, REASON_WRONG_MODEL }, { 509, REASON_WRONG_MODEL }, { 473, REASON_WRONG_MODEL },
        { 487, REASON_WRONG_MODEL }, { 520, REASON_WRONG_MODEL }, { 537, REASON_WRONG_MODEL },
        { 435, REASON_WRONG_MODEL }, { 539, REASON_WRONG_MODEL },
    };
    static const uint16_t universal[] = { 1008, 1025, 1086, 1087 };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            scene.vehicle->model = model_find(cases[i].model);
            ck_assert_msg(add(universal[k]) == cases[i].reason, "%u on %u", universal[k], cases[i].model);
        }
}
END_TEST

START_TEST(v_tune_8_a_part_must_be_in_the_models_own_list_or_the_pair_of_one)
{
    ck_assert_int_eq(add(1026), REASON_NONE); /* a Sultan's side skirt */
    ck_assert_int_eq(add(1027), REASON_NONE); /* and its other side */
    ck_assert_int_eq(add(1007), REASON_WRONG_MODEL);
    scene.vehicle->model = model_find(400);
    ck_assert_int_eq(add(1013), REASON_NONE);
    ck_assert_int_eq(add(1026), REASON_WRONG_MODEL);
}
END_TEST

START_TEST(v_tune_10_a_part_exists_and_sits_at_its_kind)
{
    ck_assert_int_eq(add(999), REASON_NO_COMPONENT);
    ck_assert_int_eq(add(1194), REASON_NO_COMPONENT);
    ck_assert_int_eq(add(1087), REASON_NONE);
    ck_assert_uint_eq(take_tuning(scene.watcher).components[9], 1087);
    ck_assert_int_eq(add(1073), REASON_NONE);
    ck_assert_int_eq(add(1074), REASON_NONE); /* the other wheels go */
    take_tuning(scene.watcher);
    ck_assert_uint_eq(take_tuning(scene.watcher).components[12], 1074);
}
END_TEST

START_TEST(v_tune_11_a_paintjob_is_below_the_models_count)
{
    ck_assert_int_eq(vehicle_set_paintjob(scene.shard, scene.vehicle, 2), REASON_NONE);
    ck_assert_uint_eq(take_tuning(scene.watcher).paintjob, 2);
    ck_assert_int_eq(vehicle_set_paintjob(scene.shard, scene.vehicle, 3), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_paintjob(scene.shard, scene.vehicle, TUNING_NO_PAINTJOB), REASON_NONE);
    ck_assert_uint_eq(take_tuning(scene.watcher).paintjob, 0xFF);
    scene.vehicle->model = model_find(411);
    ck_assert_int_eq(vehicle_set_paintjob(scene.shard, scene.vehicle, 0), REASON_WRONG_MODEL);
}
END_TEST

START_TEST(v_tune_12_only_the_taxis_have_a_light)
{
    ck_assert_int_eq(vehicle_set_taxi_light(scene.shard, scene.vehicle, true), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_taxi_light(scene.shard, scene.vehicle, false), REASON_NONE);
    scene.vehicle->model = model_find(420);
    ck_assert_int_eq(vehicle_set_taxi_light(scene.shard, scene.vehicle, true), REASON_NONE);
    ck_assert_uint_eq(take_tuning(scene.watcher).flags, 1);
    scene.vehicle->model = model_find(438);
    ck_assert_int_eq(vehicle_set_taxi_light(scene.shard, scene.vehicle, false), REASON_NONE);
}
END_TEST

START_TEST(v_tune_13_a_plate_is_up_to_8_capitals_digits_and_spaces)
{
    static const char *const bad[] = { "", "ABCDEFGHI", "abc", "A-B", "A\x80", "A\nB" };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_eq(vehicle_set_plate(scene.shard, scene.vehicle, bad[i]), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(vehicle_set_plate(scene.shard, scene.vehicle, "AZ 09 XY"), REASON_NONE);
    ck_assert_mem_eq(take_tuning(scene.watcher).plate, "AZ 09 XY", 8);
    ck_assert_int_eq(vehicle_set_plate(scene.shard, scene.vehicle, NULL), REASON_NONE);
    ck_assert_mem_eq(take_tuning(scene.watcher).plate, "\0\0\0\0\0\0\0\0", 8);
}
END_TEST

START_TEST(v_tune_14_dirt_is_0_to_15_or_not_set)
{
    ck_assert_int_eq(vehicle_set_dirt(scene.shard, scene.vehicle, 15), REASON_NONE);
    ck_assert_int_eq(vehicle_set_dirt(scene.shard, scene.vehicle, 16), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(vehicle_set_dirt(scene.shard, scene.vehicle, 0), REASON_NONE);
    ck_assert_int_eq(vehicle_set_dirt(scene.shard, scene.vehicle, TUNING_NO_DIRT), REASON_NONE);
}
END_TEST

START_TEST(v_tune_15_charges_are_at_most_100)
{
    add(1008);
    ck_assert_int_eq(vehicle_set_nitro_charges(scene.shard, scene.vehicle, 100), REASON_NONE);
    ck_assert_int_eq(vehicle_set_nitro_charges(scene.shard, scene.vehicle, 101), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 100);
}
END_TEST

/* ---- nitro and hydraulics in frames */

/* The relayed level of a driver's frame with this one. */
static float burn(float level)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    scene.stage->now_ms += 40;
    frame.state.nitro = level;
    return scene_relayed(&scene, &frame).nitro;
}

static void pass(uint64_t ms)
{
    scene.stage->now_ms += ms;
}

START_TEST(v_nitro_1_without_the_part_the_level_is_1)
{
    ck_assert_float_eq(burn(-0.5f), 1);
    ck_assert_float_eq(burn(0.5f), 1);
}
END_TEST

START_TEST(v_nitro_2_without_the_part_there_are_no_hydraulics)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);
    struct wire_vehicle_state state;

    frame.state.hydraulics = 60;
    frame.state.hydraulic_lr = 5;
    frame.state.hydraulic_ud = -5;
    state = scene_relayed(&scene, &frame);
    ck_assert_uint_eq(state.hydraulics, 0);
    ck_assert_int_eq(state.hydraulic_lr, 0);
    ck_assert_int_eq(state.hydraulic_ud, 0);
}
END_TEST

START_TEST(v_nitro_3_a_paused_pilot_lights_nothing)
{
    add(1008);
    scene_pause(&scene, true);
    ck_assert_float_eq(burn(-0.5f), 1);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 5);
}
END_TEST

START_TEST(v_nitro_3_a_wreck_does_not_burn_nitro)
{
    add(1008);
    scene.vehicle->wrecked = true;
    ck_assert_float_eq(burn(-0.5f), 1);
}
END_TEST

START_TEST(v_nitro_3_a_syncer_lights_nothing)
{
    struct stage_client *syncer;
    struct wire_vehicle_frame frame;

    add(1008);
    syncer = scene_abandon(&scene);
    pass(200);
    frame = stage_frame(scene.stage, syncer, scene.vehicle);
    frame.state.nitro = -0.5f;
    stage_send_frame(scene.stage, syncer, &frame);
    ck_assert_float_eq(scene.vehicle->nitro.level, 1);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 5);
}
END_TEST

START_TEST(v_nitro_4_9_turning_to_burning_spends_one_charge_and_is_told)
{
    add(1008);
    deliver();
    stage_forget(scene.stage);
    ck_assert_float_eq(burn(-0.25f), -0.25f);
    ck_assert_float_eq(burn(-0.5f), -0.5f);
    ck_assert_uint_eq(tunings(scene.driver), 1);
    ck_assert_uint_eq(take_tuning(scene.watcher).nitro, 4);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 4);
}
END_TEST

START_TEST(v_nitro_5_without_charges_the_level_of_before_is_relayed)
{
    add(1008);
    vehicle_set_nitro_charges(scene.shard, scene.vehicle, 0);
    ck_assert_float_eq(burn(0.75f), 0.75f);
    ck_assert_float_eq(burn(-0.5f), 0.75f);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NO_NITRO), 1);
}
END_TEST

START_TEST(v_nitro_6_it_burns_again_18_s_after_it_burnt_out_and_no_earlier)
{
    add(1008);
    burn(-1);
    ck_assert_float_eq(burn(0.25f), 0.25f); /* burnt out now */
    pass(18000 - 41);
    ck_assert_float_eq(burn(-1), 0.25f);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 4);
    scene.stage->now_ms -= 39;
    ck_assert_float_eq(burn(-1), -1);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 3);
}
END_TEST

START_TEST(v_nitro_6_a_new_tank_or_a_new_life_needs_no_refill)
{
    add(1008);
    burn(-1);
    burn(0.25f); /* burnt out now */
    ck_assert_float_eq(burn(-1), 0.25f);
    add(1008);
    ck_assert_float_eq(burn(0.5f), 0.5f);
    ck_assert_float_eq(burn(-1), -1);
    burn(0.25f);
    vehicle_respawn(scene.shard, scene.vehicle);
    stage_enter(scene.stage, scene.driver, scene.vehicle->id, 0);
    stage_forget(scene.stage);
    ck_assert_float_eq(burn(-1), -1);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 4);
}
END_TEST

START_TEST(v_nitro_7_a_charge_burns_for_25_s_and_no_longer)
{
    add(1008);
    burn(-1);
    pass(25000 - 40);
    ck_assert_float_eq(burn(-0.5f), -0.5f);
    pass(1);
    ck_assert_float_eq(burn(-0.75f), -0.5f);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 4);
    pass(18000); /* since the 25 s were over */
    ck_assert_float_eq(burn(-0.75f), -0.75f);
    ck_assert_uint_eq(scene.vehicle->tuning.nitro_charges, 3);
}
END_TEST

START_TEST(v_nitro_6_7_the_refill_begins_when_the_25_s_are_over)
{
    add(1008);
    burn(-1);
    pass(25000 + 18000 - 41);
    ck_assert_float_eq(burn(-0.75f), -1);
    scene.stage->now_ms -= 39;
    ck_assert_float_eq(burn(-0.75f), -0.75f);
}
END_TEST

START_TEST(v_nitro_8_9_the_part_goes_when_the_last_charge_has_burnt_out)
{
    add(1008);
    vehicle_set_nitro_charges(scene.shard, scene.vehicle, 1);
    burn(-1);
    deliver();
    stage_forget(scene.stage);
    ck_assert_uint_eq(scene.vehicle->tuning.components[8], 1008);
    ck_assert_float_eq(burn(0.5f), 1);
    ck_assert_uint_eq(scene.vehicle->tuning.components[8], 0);
    ck_assert_uint_eq(take_tuning(scene.watcher).components[8], 0);
    ck_assert_uint_eq(tunings(scene.driver), 1);
}
END_TEST

START_TEST(v_nitro_7_8_the_last_charge_burns_out_without_a_frame_too)
{
    add(1008);
    vehicle_set_nitro_charges(scene.shard, scene.vehicle, 1);
    burn(-1);
    stage_run(scene.stage, 25200);
    ck_assert_uint_eq(scene.vehicle->tuning.components[8], 0);
}
END_TEST

/* The relayed hydraulics of a driver's frame with this state. */
static struct wire_vehicle_state lift(uint16_t to)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    scene.stage->now_ms += 40;
    frame.state.hydraulics = to;
    frame.state.hydraulic_lr = 7;
    return scene_relayed(&scene, &frame);
}

START_TEST(v_nitro_10_neither_a_paused_pilot_nor_that_of_a_wreck_moves_the_hydraulics)
{
    add(1087);
    ck_assert_uint_eq(lift(60).hydraulics, 60);
    scene_pause(&scene, true);
    ck_assert_uint_eq(lift(20).hydraulics, 60);
    ck_assert_int_eq(lift(20).hydraulic_lr, 0);
    scene_pause(&scene, false);
    scene.vehicle->wrecked = true;
    ck_assert_uint_eq(lift(20).hydraulics, 60);
}
END_TEST

START_TEST(v_nitro_2_hydraulics_that_were_taken_away_are_0)
{
    add(1087);
    lift(60);
    vehicle_remove_component(scene.shard, scene.vehicle, 1087);
    ck_assert_uint_eq(lift(60).hydraulics, 0);
    ck_assert_int_eq(lift(60).hydraulic_lr, 0);
}
END_TEST

START_TEST(v_nitro_10_11_only_a_live_pilot_moves_the_hydraulics)
{
    struct wire_vehicle_frame frame;
    struct wire_vehicle_state state;
    struct stage_client *syncer;

    add(1087);
    frame = scene_frame(&scene);
    frame.state.hydraulics = 60;
    frame.state.hydraulic_lr = -128;
    frame.state.hydraulic_ud = 128;
    state = scene_relayed(&scene, &frame);
    ck_assert_uint_eq(state.hydraulics, 60);
    ck_assert_int_eq(state.hydraulic_lr, -128);
    ck_assert_int_eq(state.hydraulic_ud, 128);
    syncer = scene_abandon(&scene);
    pass(200);
    frame = stage_frame(scene.stage, syncer, scene.vehicle);
    frame.state.hydraulics = 20;
    frame.state.hydraulic_lr = 7;
    stage_send_frame(scene.stage, syncer, &frame);
    ck_assert_uint_eq(scene.vehicle->hydraulics.state, 60);
    ck_assert_int_eq(scene.vehicle->hydraulics.left_right, 0);
    ck_assert_int_eq(scene.vehicle->hydraulics.up_down, 0);
}
END_TEST

START_TEST(v_nitro_10_a_wrecks_hydraulics_stand)
{
    struct wire_vehicle_frame frame;

    add(1087);
    scene.vehicle->wrecked = true;
    frame = scene_frame(&scene);
    frame.state.hydraulics = 60;
    ck_assert_uint_eq(scene_relayed(&scene, &frame).hydraulics, 0);
}
END_TEST

START_TEST(v_nitro_12_the_level_is_clamped)
{
    add(1008);
    ck_assert_float_eq(burn(1.01f), 1);
    ck_assert_float_eq(burn(-1.01f), -1);
}
END_TEST

Suite *vehicle_tuning_suite(void)
{
    Suite *suite = suite_create("vehicle_tuning");
    TCase *tcase = tcase_create("tuning");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_tune_1_2_a_change_is_told_whole_to_everyone_it_is_streamed_to);
    tcase_add_test(tcase, v_tune_2_what_changes_nothing_is_not_told);
    tcase_add_test(tcase, v_tune_2_it_is_critical);
    tcase_add_test(tcase, v_tune_3_it_follows_the_show_of_a_tuned_vehicle_only);
    tcase_add_test(tcase, v_tune_4_a_respawn_keeps_the_tuning_and_refills_the_nitro);
    tcase_add_test(tcase, v_tune_5_nitro_comes_full_and_full_again);
    tcase_add_test(tcase, v_tune_6_without_nitro_there_are_no_charges);
    tcase_add_test(tcase, v_tune_6_only_what_is_there_can_be_removed);
    tcase_add_test(tcase, v_tune_7_9_the_universal_parts_fit_cars_monster_trucks_and_quads_only);
    tcase_add_test(tcase, v_tune_8_a_part_must_be_in_the_models_own_list_or_the_pair_of_one);
    tcase_add_test(tcase, v_tune_10_a_part_exists_and_sits_at_its_kind);
    tcase_add_test(tcase, v_tune_11_a_paintjob_is_below_the_models_count);
    tcase_add_test(tcase, v_tune_12_only_the_taxis_have_a_light);
    tcase_add_test(tcase, v_tune_13_a_plate_is_up_to_8_capitals_digits_and_spaces);
    tcase_add_test(tcase, v_tune_14_dirt_is_0_to_15_or_not_set);
    tcase_add_test(tcase, v_tune_15_charges_are_at_most_100);
    tcase_add_test(tcase, v_nitro_1_without_the_part_the_level_is_1);
    tcase_add_test(tcase, v_nitro_2_without_the_part_there_are_no_hydraulics);
    tcase_add_test(tcase, v_nitro_3_a_paused_pilot_lights_nothing);
    tcase_add_test(tcase, v_nitro_3_a_wreck_does_not_burn_nitro);
    tcase_add_test(tcase, v_nitro_3_a_syncer_lights_nothing);
    tcase_add_test(tcase, v_nitro_4_9_turning_to_burning_spends_one_charge_and_is_told);
    tcase_add_test(tcase, v_nitro_5_without_charges_the_level_of_before_is_relayed);
    tcase_add_test(tcase, v_nitro_6_it_burns_again_18_s_after_it_burnt_out_and_no_earlier);
    tcase_add_test(tcase, v_nitro_6_a_new_tank_or_a_new_life_needs_no_refill);
    tcase_add_test(tcase, v_nitro_7_a_charge_burns_for_25_s_and_no_longer);
    tcase_add_test(tcase, v_nitro_6_7_the_refill_begins_when_the_25_s_are_over);
    tcase_add_test(tcase, v_nitro_8_9_the_part_goes_when_the_last_charge_has_burnt_out);
    tcase_add_test(tcase, v_nitro_7_8_the_last_charge_burns_out_without_a_frame_too);
    tcase_add_test(tcase, v_nitro_10_neither_a_paused_pilot_nor_that_of_a_wreck_moves_the_hydraulics);
    tcase_add_test(tcase, v_nitro_2_hydraulics_that_were_taken_away_are_0);
    tcase_add_test(tcase, v_nitro_10_11_only_a_live_pilot_moves_the_hydraulics);
    tcase_add_test(tcase, v_nitro_10_a_wrecks_hydraulics_stand);
    tcase_add_test(tcase, v_nitro_12_the_level_is_clamped);
    tcase_add_test(tcase, v_sync_30_tuning_and_handling_follow_a_show_and_that_of_a_respawn);
    suite_add_tcase(suite, tcase);
    return suite;
}
