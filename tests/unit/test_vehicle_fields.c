#include <math.h>
#include <string.h>

#include "shard/vehicle_params.h"
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

enum { HANDBRAKE = 1, HORN = 2, SIREN = 4, HOP = 8, CANNON = 16, DERAILED = 32, SEARCHLIGHT = 64 };

static struct wire_vehicle_state relayed_part(uint16_t part)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.part = part;
    return scene_relayed(&scene, &frame);
}

static uint8_t relayed_flags(uint8_t flags)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.flags = flags;
    return scene_relayed(&scene, &frame).flags;
}

/* A frame of the syncer, as the driver is relayed it. */
static struct wire_vehicle_state relayed_of(struct stage_client *syncer, uint16_t part, uint8_t flags)
{
    struct stage_client *other = syncer == scene.driver ? scene.watcher : scene.driver;
    struct wire_vehicle_frame frame;
    struct wire_remote_vehicle_frame relay;
    struct wire_error error;
    const struct stage_packet *packet;

    scene.stage->now_ms += 200;
    stage_forget(scene.stage);
    frame = stage_frame(scene.stage, syncer, scene.vehicle);
    frame.state.part = part;
    frame.state.flags = flags;
    stage_send_frame(scene.stage, syncer, &frame);
    packet = stage_take(other, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&relay, packet->bytes, packet->size, &error));
    return relay.state;
}

START_TEST(v_field_1_undefined_flags_are_cleared)
{
    ck_assert_uint_eq(relayed_flags(0xFF), HANDBRAKE | HORN | HOP);
}
END_TEST

START_TEST(v_field_2_3_only_three_models_have_a_turret_and_two_a_cannon)
{
    for (uint32_t id = MODEL_MIN; id <= MODEL_MAX; id++) {
        struct wire_vehicle_frame frame;
        struct wire_vehicle_state state;
        bool cannon = id == 407 || id == 601;
        bool turret = cannon || id == 432;

        if (model_find(id)->seats == 0)
            continue;
        scene.vehicle->model = model_find(id);
        scene.stage->now_ms += 40;
        frame = scene_frame(&scene);
        frame.state.flags = CANNON;
        frame.state.turret_yaw = 1;
        frame.state.turret_pitch = -0.5f;
        state = scene_relayed(&scene, &frame);
        ck_assert_msg(state.flags == (cannon ? CANNON : 0), "model %u", id);
        ck_assert_msg(state.turret_yaw == (turret ? 1 : 0), "model %u", id);
        ck_assert_msg(state.turret_pitch == (turret ? -0.5f : 0), "model %u", id);
    }
}
END_TEST

START_TEST(v_field_4_5_7_parts_that_move_at_once_are_clamped_by_the_model)
{
    static const struct {
        uint16_t model, most;
    } cases[] = { { 520, 5000 }, { 525, 20000 }, { 531, 20000 }, { 411, 0 }, { 432, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene.vehicle->model = model_find(cases[i].model);
        scene.vehicle->part = 0;
        ck_assert_uint_eq(relayed_part(20000).part, cases[i].most);
        ck_assert_uint_eq(scene.vehicle->part, cases[i].most);
    }
}
END_TEST

START_TEST(v_field_6_slow_parts_are_clamped_to_2500)
{
    static const uint16_t models[] = { 406, 443, 486, 530, 592 };

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        scene.stage->now_ms += 60000;
        scene.vehicle->model = model_find(models[i]);
        scene.vehicle->part = 2400;
        ck_assert_uint_eq(relayed_part(20000).part, 2500);
    }
}
END_TEST

START_TEST(v_field_8_10_14_a_syncer_does_not_move_a_part_but_lets_it_catch_up)
{
    struct stage_client *syncer;

    reopen(406);
    ck_assert_uint_eq(relayed_part(1000).part, 250);
    syncer = scene_abandon(&scene);
    ck_assert_uint_eq(relayed_of(syncer, 0, 0).part, 350);
}
END_TEST

START_TEST(v_field_8_a_paused_pilot_does_not_move_a_part)
{
    reopen(520);
    scene_pause(&scene, true);
    ck_assert_uint_eq(relayed_part(3000).part, 0);
}
END_TEST

START_TEST(v_field_9_the_boom_moves_for_any_controlling_player)
{
    static const uint16_t models[] = { 525, 531 };

    for (size_t i = 0; i < 2; i++) {
        reopen(models[i]);
        ck_assert_uint_eq(relayed_of(scene_abandon(&scene), 15000, 0).part, 15000);
    }
}
END_TEST

START_TEST(v_field_11_12_13_slow_parts_move_at_the_games_rate_with_half_a_second_of_margin)
{
    static const struct {
        uint16_t model, from, to, at_once, after_100_ms, after_a_minute;
    } cases[] = {
        { 406, 0, 2500, 250, 300, 550 },  { 443, 2500, 0, 2250, 2200, 1950 },
        { 486, 0, 20000, 250, 300, 550 }, { 592, 0, 100, 100, 100, 100 },
        { 530, 0, 2500, 250, 300, 550 },  { 530, 2500, 0, 2000, 1900, 1400 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene.stage->now_ms += 60000;
        scene.vehicle->model = model_find(cases[i].model);
        scene.vehicle->part = cases[i].from;
        ck_assert_uint_eq(relayed_part(cases[i].to).part, cases[i].at_once);
        scene.stage->now_ms += 100;
        ck_assert_uint_eq(relayed_part(cases[i].to).part, cases[i].after_100_ms);
        scene.stage->now_ms += 60000;
        ck_assert_uint_eq(relayed_part(cases[i].to).part, cases[i].after_a_minute);
    }
}
END_TEST

START_TEST(v_field_11_no_time_is_lost_between_frames)
{
    reopen(406);
    ck_assert_uint_eq(relayed_part(2500).part, 250);
    for (int i = 0; i < 10; i++) {
        scene.stage->now_ms += 33; /* half a step is left over of each */
        relayed_part(2500);
    }
    ck_assert_uint_eq(scene.vehicle->part, 250 + 165);
}
END_TEST

START_TEST(v_field_15_a_show_carries_the_part_that_was_relayed)
{
    reopen(406);
    relayed_part(2500);
    ck_assert_uint_eq(scene_show(&scene, NULL).part, 250);
}
END_TEST

START_TEST(v_field_16_only_a_police_maverick_has_a_searchlight)
{
    ck_assert_uint_eq(relayed_flags(SEARCHLIGHT), 0);
    reopen(487);
    ck_assert_uint_eq(relayed_flags(SEARCHLIGHT), 0);
    reopen(497);
    ck_assert_uint_eq(relayed_flags(SEARCHLIGHT), SEARCHLIGHT);
}
END_TEST

START_TEST(v_field_17_18_the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it)
{
    reopen(497);
    relayed_flags(SEARCHLIGHT);
    scene_pause(&scene, true);
    ck_assert_uint_eq(relayed_flags(0), SEARCHLIGHT); /* a paused pilot's own frame switches nothing */
    ck_assert_uint_eq(relayed_of(scene.watcher, 0, 0).flags, SEARCHLIGHT);
    ck_assert_uint_eq(relayed_of(scene_abandon(&scene), 0, SEARCHLIGHT).flags, 0);
}
END_TEST

START_TEST(v_field_19_20_the_rope_is_0_without_a_winch_and_at_most_0_84_with_one)
{
    struct wire_vehicle_frame frame;

    reopen(487);
    frame = scene_frame(&scene);
    frame.state.rope = 0.5f;
    ck_assert_float_eq(scene_relayed(&scene, &frame).rope, 0);
    vehicle_set_winch(scene.shard, scene.vehicle, WINCH_MAGNET);
    frame = scene_frame(&scene);
    frame.state.rope = 0.83f;
    ck_assert_float_eq(scene_relayed(&scene, &frame).rope, 0.83f);
    frame = scene_frame(&scene);
    frame.state.rope = 1;
    ck_assert_float_eq(scene_relayed(&scene, &frame).rope, 0.84f);
}
END_TEST

START_TEST(v_field_21_what_is_no_train_has_nothing_of_a_train)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);
    struct wire_vehicle_state state;

    frame.state.rail = 10;
    frame.state.rail_speed = 1;
    frame.state.track = 2;
    frame.state.flags = DERAILED;
    state = scene_relayed(&scene, &frame);
    ck_assert_float_eq(state.rail, 0);
    ck_assert_float_eq(state.rail_speed, 0);
    ck_assert_uint_eq(state.track, 0);
    ck_assert_uint_eq(state.flags, 0);
}
END_TEST

/* ---- the siren */

START_TEST(v_siren_1_3_only_a_live_pilot_switches_it)
{
    reopen(596);
    ck_assert_uint_eq(relayed_flags(SIREN), SIREN);
    scene_pause(&scene, true);
    ck_assert_uint_eq(relayed_flags(0), SIREN);
    ck_assert_uint_eq(relayed_of(scene_abandon(&scene), 0, 0).flags, SIREN);
}
END_TEST

START_TEST(v_siren_2_without_one_the_bit_is_cleared)
{
    ck_assert_uint_eq(relayed_flags(SIREN), 0);
    vehicle_set_has_siren(scene.shard, scene.vehicle, true);
    ck_assert_uint_eq(relayed_flags(SIREN), SIREN);
}
END_TEST

START_TEST(v_siren_4_5_9_a_frame_from_before_the_command_does_not_undo_it)
{
    struct wire_vehicle_frame early;
    struct wire_vehicle_state state;

    reopen(596);
    early = scene_frame(&scene);
    vehicle_set_siren(scene.shard, scene.vehicle, true);
    state = scene_relayed(&scene, &early);
    ck_assert_uint_eq(state.flags, SIREN);
    ck_assert_uint_eq(state.siren_rev, 1);
}
END_TEST

START_TEST(v_siren_6_a_pilot_switches_2_at_once_and_4_a_second)
{
    unsigned switched = 0;

    reopen(596);
    for (int i = 0; i < 6; i++) {
        bool before = scene.vehicle->params.siren;

        relayed_flags(before ? 0 : SIREN);
        switched += scene.vehicle->params.siren != before;
    }
    ck_assert_uint_eq(switched, 2);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_LIMIT_SIREN), 4);
}
END_TEST

START_TEST(v_siren_6_frames_that_switch_nothing_do_not_count)
{
    reopen(596);
    for (int i = 0; i < 12; i++) {
        ck_assert_uint_eq(relayed_flags(SIREN), SIREN);
        scene.stage->now_ms += 40;
    }
    ck_assert_uint_eq(relayed_flags(0), 0);
}
END_TEST

START_TEST(v_siren_7_a_switch_past_the_limit_is_taken_once_it_allows)
{
    reopen(596);
    relayed_flags(SIREN);
    relayed_flags(0);
    ck_assert_uint_eq(relayed_flags(SIREN), 0);
    scene.stage->now_ms += 249;
    ck_assert_uint_eq(relayed_flags(SIREN), 0);
    scene.stage->now_ms += 1;
    ck_assert_uint_eq(relayed_flags(SIREN), SIREN);
}
END_TEST

START_TEST(v_siren_8_the_command_is_a_switch_and_no_ban)
{
    reopen(596);
    vehicle_set_siren(scene.shard, scene.vehicle, false);
    ck_assert_uint_eq(relayed_flags(SIREN), SIREN);
    vehicle_set_has_siren(scene.shard, scene.vehicle, false);
    scene.stage->now_ms += 1000;
    ck_assert_uint_eq(relayed_flags(SIREN), 0);
}
END_TEST

Suite *vehicle_fields_suite(void)
{
    Suite *suite = suite_create("vehicle_fields");
    TCase *tcase = tcase_create("fields");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_field_1_undefined_flags_are_cleared);
    tcase_add_test(tcase, v_field_2_3_only_three_models_have_a_turret_and_two_a_cannon);
    tcase_add_test(tcase, v_field_4_5_7_parts_that_move_at_once_are_clamped_by_the_model);
    tcase_add_test(tcase, v_field_6_slow_parts_are_clamped_to_2500);
    tcase_add_test(tcase, v_field_8_10_14_a_syncer_does_not_move_a_part_but_lets_it_catch_up);
    tcase_add_test(tcase, v_field_8_a_paused_pilot_does_not_move_a_part);
    tcase_add_test(tcase, v_field_9_the_boom_moves_for_any_controlling_player);
    tcase_add_test(tcase, v_field_11_12_13_slow_parts_move_at_the_games_rate_with_half_a_second_of_margin);
    tcase_add_test(tcase, v_field_11_no_time_is_lost_between_frames);
    tcase_add_test(tcase, v_field_15_a_show_carries_the_part_that_was_relayed);
    tcase_add_test(tcase, v_field_16_only_a_police_maverick_has_a_searchlight);
    tcase_add_test(tcase, v_field_17_18_the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it);
    tcase_add_test(tcase, v_field_19_20_the_rope_is_0_without_a_winch_and_at_most_0_84_with_one);
    tcase_add_test(tcase, v_field_21_what_is_no_train_has_nothing_of_a_train);
    tcase_add_test(tcase, v_siren_1_3_only_a_live_pilot_switches_it);
    tcase_add_test(tcase, v_siren_2_without_one_the_bit_is_cleared);
    tcase_add_test(tcase, v_siren_4_5_9_a_frame_from_before_the_command_does_not_undo_it);
    tcase_add_test(tcase, v_siren_6_a_pilot_switches_2_at_once_and_4_a_second);
    tcase_add_test(tcase, v_siren_6_frames_that_switch_nothing_do_not_count);
    tcase_add_test(tcase, v_siren_7_a_switch_past_the_limit_is_taken_once_it_allows);
    tcase_add_test(tcase, v_siren_8_the_command_is_a_switch_and_no_ban);
    suite_add_tcase(suite, tcase);
    return suite;
}
