#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/vehicle_enter.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_params.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(596);
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

static struct wire_vehicle_params take_params(struct stage_client *client)
{
    struct wire_vehicle_params params;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_VEHICLE_PARAMS);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_params_decode(&params, packet->bytes, packet->size, &error));
    return params;
}

static size_t params_count(struct stage_client *client)
{
    deliver();
    return stage_count(client, PACKET_VEHICLE_PARAMS);
}

static struct player *watcher(void)
{
    return stage_player(scene.stage, scene.watcher);
}

enum {
    ENGINE = 1,
    LIGHTS = 2,
    LOCKED = 4,
    MAGNET = 8,
    SMALL_MAGNET = 16,
    ALARM = 32,
    SIREN = 64,
    OBJECTIVE = 128,
    HAS_SIREN = 256,
};

START_TEST(v_params_1_2_each_command_is_told_to_everyone_it_is_streamed_to)
{
    static const struct {
        enum reason (*command)(struct shard *, struct vehicle *, bool);
        uint16_t bit;
    } cases[] = {
        { vehicle_set_engine, ENGINE }, { vehicle_set_lights, LIGHTS }, { vehicle_set_locked, LOCKED },
        { vehicle_set_alarm, ALARM },   { vehicle_set_siren, SIREN },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(cases[i].command(scene.shard, scene.vehicle, true), REASON_NONE);
        ck_assert_uint_eq(take_params(scene.driver).params, HAS_SIREN | cases[i].bit);
        ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | cases[i].bit);
        ck_assert_int_eq(cases[i].command(scene.shard, scene.vehicle, false), REASON_NONE);
        ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN);
        stage_forget(scene.stage);
    }
}
END_TEST

START_TEST(v_params_2_a_command_that_changes_nothing_is_not_told)
{
    vehicle_set_engine(scene.shard, scene.vehicle, false);
    ck_assert_uint_eq(params_count(scene.watcher), 0);
}
END_TEST

START_TEST(v_params_2_4_neither_is_one_players_that_changes_nothing_for_it)
{
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), false);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_OPEN);
    ck_assert_uint_eq(params_count(scene.watcher), 0);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_LOCKED);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_LOCKED);
    ck_assert_uint_eq(params_count(scene.watcher), 1);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LOCKED);
}
END_TEST

START_TEST(v_params_3_a_door_command_is_told_even_if_it_changes_nothing)
{
    ck_assert_int_eq(vehicle_set_door(scene.shard, scene.vehicle, 0, false), REASON_NONE);
    ck_assert_uint_eq(take_params(scene.watcher).doors_set, 1);
}
END_TEST

START_TEST(v_params_4_what_is_one_players_goes_to_that_player_only)
{
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), true);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | OBJECTIVE);
    ck_assert_uint_eq(params_count(scene.driver), 0);
}
END_TEST

START_TEST(v_params_4_a_player_who_does_not_see_it_is_told_with_the_show)
{
    struct stage_client *far = stage_spawn(scene.stage, 9, 2000, 0);

    vehicle_set_objective(scene.shard, scene.vehicle, stage_player(scene.stage, far), true);
    ck_assert_uint_eq(params_count(far), 0);
}
END_TEST

START_TEST(v_params_5_doors_is_the_whole_state_and_doors_set_the_command)
{
    struct wire_vehicle_params params;

    vehicle_set_door(scene.shard, scene.vehicle, 1, true);
    take_params(scene.watcher);
    vehicle_set_door(scene.shard, scene.vehicle, 5, true);
    params = take_params(scene.watcher);
    ck_assert_uint_eq(params.doors, 1 << 1 | 1 << 5);
    ck_assert_uint_eq(params.doors_set, 1 << 5);
    ck_assert_int_eq(vehicle_set_door(scene.shard, scene.vehicle, 6, true), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_params_6_an_own_lock_stands_for_the_vehicles)
{
    vehicle_set_locked(scene.shard, scene.vehicle, true);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LOCKED);
    ck_assert_uint_eq(take_params(scene.driver).params, HAS_SIREN | LOCKED);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_OPEN);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_NONE);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LOCKED);
    vehicle_set_locked(scene.shard, scene.vehicle, false);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_LOCKED);
    take_params(scene.watcher);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LOCKED);
}
END_TEST

START_TEST(v_params_7_the_objective_is_only_the_recipients_own)
{
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), true);
    take_params(scene.watcher);
    vehicle_set_lights(scene.shard, scene.vehicle, true);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LIGHTS | OBJECTIVE);
    ck_assert_uint_eq(take_params(scene.driver).params, HAS_SIREN | LIGHTS);
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), false);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LIGHTS);
    ck_assert_uint_eq(scene.vehicle->params.own_count, 0); /* what holds nothing takes no room */
}
END_TEST

START_TEST(v_params_8_a_helicopter_has_at_most_one_of_the_magnets)
{
    reopen(487);
    ck_assert_int_eq(vehicle_set_winch(scene.shard, scene.vehicle, WINCH_MAGNET), REASON_NONE);
    ck_assert_uint_eq(take_params(scene.watcher).params, MAGNET);
    ck_assert_int_eq(vehicle_set_winch(scene.shard, scene.vehicle, WINCH_SMALL_MAGNET), REASON_NONE);
    ck_assert_uint_eq(take_params(scene.watcher).params, SMALL_MAGNET);
    ck_assert_int_eq(vehicle_set_winch(scene.shard, scene.vehicle, WINCH_NONE), REASON_NONE);
    ck_assert_uint_eq(take_params(scene.watcher).params, 0);
}
END_TEST

START_TEST(v_params_8_nothing_but_a_helicopter_has_a_winch)
{
    ck_assert_int_eq(vehicle_set_winch(scene.shard, scene.vehicle, WINCH_MAGNET), REASON_WRONG_MODEL);
    ck_assert_uint_eq(params_count(scene.watcher), 0);
}
END_TEST

START_TEST(v_params_9_10_the_models_with_a_siren_have_it_from_the_start)
{
    static const uint16_t with[] = { 407, 416, 423, 427, 433, 490, 523, 528, 596, 597, 598, 599, 601 };
    size_t found = 0;

    for (uint32_t id = MODEL_MIN; id <= MODEL_MAX; id++) {
        struct vehicle vehicle = { .model = model_find(id) };

        vehicle_params_init(&vehicle, false);
        if (!vehicle.params.has_siren)
            continue;
        ck_assert_uint_lt(found, sizeof with / sizeof with[0]);
        ck_assert_uint_eq(id, with[found++]);
    }
    ck_assert_uint_eq(found, sizeof with / sizeof with[0]);
}
END_TEST

START_TEST(v_params_9_everything_is_off_in_a_show_of_a_new_vehicle)
{
    struct wire_vehicle_sync show = scene_show(&scene, NULL);

    ck_assert_uint_eq(show.params, HAS_SIREN);
    ck_assert_uint_eq(show.doors, 0);
    ck_assert_uint_eq(show.siren_rev, 0);
}
END_TEST

START_TEST(v_params_11_a_siren_can_be_given_to_cars_bikes_and_the_vortex_only)
{
    static const struct {
        uint16_t model;
        enum reason reason;
    } cases[] = {
        { 411, REASON_NONE },        { 444, REASON_NONE },        { 471, REASON_NONE },
        { 522, REASON_NONE },        { 509, REASON_NONE },        { 539, REASON_NONE },
        { 473, REASON_WRONG_MODEL }, { 487, REASON_WRONG_MODEL }, { 520, REASON_WRONG_MODEL },
        { 537, REASON_WRONG_MODEL }, { 435, REASON_WRONG_MODEL }, { 441, REASON_WRONG_MODEL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene.vehicle->model = model_find(cases[i].model);
        vehicle_params_init(scene.vehicle, false);
        ck_assert_int_eq(vehicle_set_has_siren(scene.shard, scene.vehicle, true), cases[i].reason);
    }
}
END_TEST

START_TEST(v_params_11_what_would_be_mute_may_be_taken_away)
{
    reopen(430);
    scene.vehicle->params.has_siren = true;
    ck_assert_int_eq(vehicle_set_has_siren(scene.shard, scene.vehicle, true), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_has_siren(scene.shard, scene.vehicle, false), REASON_NONE);
    ck_assert(!scene.vehicle->params.has_siren);
}
END_TEST

START_TEST(v_params_12_getting_in_starts_no_engine)
{
    reopen(411);
    ck_assert(!scene.vehicle->params.engine);
    ck_assert_uint_eq(params_count(scene.watcher), 0);
}
END_TEST

START_TEST(v_params_13_14_15_a_respawn_brings_the_defaults_but_keeps_a_given_siren)
{
    reopen(411);
    vehicle_set_engine(scene.shard, scene.vehicle, true);
    vehicle_set_lights(scene.shard, scene.vehicle, true);
    vehicle_set_alarm(scene.shard, scene.vehicle, true);
    vehicle_set_has_siren(scene.shard, scene.vehicle, true);
    vehicle_set_siren(scene.shard, scene.vehicle, true);
    vehicle_set_door(scene.shard, scene.vehicle, 2, true);
    vehicle_set_locked(scene.shard, scene.vehicle, true);
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), true);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_OPEN);
    vehicle_respawn(scene.shard, scene.vehicle);
    ck_assert_uint_eq(vehicle_params_for(scene.shard, scene.vehicle, watcher()), HAS_SIREN);
    ck_assert_uint_eq(scene.vehicle->params.doors, 0);
    ck_assert_uint_eq(scene.vehicle->params.siren_rev, 2);
}
END_TEST

START_TEST(v_params_14_a_respawn_takes_the_winch_away)
{
    reopen(487);
    vehicle_set_winch(scene.shard, scene.vehicle, WINCH_MAGNET);
    vehicle_respawn(scene.shard, scene.vehicle);
    ck_assert_uint_eq(vehicle_params_for(scene.shard, scene.vehicle, watcher()), 0);
}
END_TEST

START_TEST(v_params_15_a_siren_that_was_removed_stays_removed)
{
    vehicle_set_has_siren(scene.shard, scene.vehicle, false);
    vehicle_respawn(scene.shard, scene.vehicle);
    ck_assert(!scene.vehicle->params.has_siren);
}
END_TEST

START_TEST(v_params_16_who_leaves_takes_its_own_parameters_along)
{
    vehicle_set_objective(scene.shard, scene.vehicle, watcher(), true);
    vehicle_set_objective(scene.shard, scene.vehicle, stage_player(scene.stage, scene.driver), true);
    stage_gone(scene.stage, scene.watcher);
    scene.watcher = stage_spawn(scene.stage, 3, 8, 0);
    ck_assert(!vehicle_has_objective_for(scene.shard, scene.vehicle, watcher()));
    ck_assert(vehicle_has_objective_for(scene.shard, scene.vehicle, stage_player(scene.stage, scene.driver)));
}
END_TEST

START_TEST(v_params_17_each_siren_command_raises_the_revision_over_its_wrap)
{
    scene.vehicle->params.siren_rev = UINT16_MAX;
    vehicle_set_siren(scene.shard, scene.vehicle, true);
    ck_assert_uint_eq(take_params(scene.watcher).siren_rev, 0);
    vehicle_set_has_siren(scene.shard, scene.vehicle, false);
    ck_assert_uint_eq(take_params(scene.watcher).siren_rev, 1);
    ck_assert_uint_eq(scene_show(&scene, NULL).siren_rev, 1);
}
END_TEST

START_TEST(v_params_18_it_is_critical)
{
    vehicle_set_engine(scene.shard, scene.vehicle, true);
    deliver();
    ck_assert_int_eq(stage_take(scene.watcher, PACKET_VEHICLE_PARAMS)->delivery, BUS__SEND__CLASS__CRITICAL);
}
END_TEST

START_TEST(v_enter_14_the_lock_is_the_senders_own_or_the_vehicles)
{
    struct stage_client *client = scene.watcher;

    vehicle_set_locked(scene.shard, scene.vehicle, true);
    ck_assert_int_eq(vehicle_enter_check(scene.shard, watcher(), scene.vehicle, 1), REASON_LOCKED);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_OPEN);
    ck_assert_int_eq(vehicle_enter_check(scene.shard, watcher(), scene.vehicle, 1), REASON_NONE);
    vehicle_set_locked(scene.shard, scene.vehicle, false);
    vehicle_set_locked_for(scene.shard, scene.vehicle, watcher(), OWN_LOCK_LOCKED);
    stage_enter(scene.stage, client, scene.vehicle->id, 1);
    ck_assert_uint_eq(scene.vehicle->seats[1], SLOT_NONE);
}
END_TEST

START_TEST(v_siren_2_a_siren_cannot_be_switched_on_where_there_is_none)
{
    vehicle_set_has_siren(scene.shard, scene.vehicle, false);
    ck_assert_int_eq(vehicle_set_siren(scene.shard, scene.vehicle, true), REASON_NO_SIREN);
    ck_assert(!scene.vehicle->params.siren);
}
END_TEST

/* ---- keys */

START_TEST(v_ctrl_1_only_the_one_in_seat_0_has_the_keys)
{
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, true);
    ck_assert(scene.vehicle->params.engine);
    stage_enter(scene.stage, scene.watcher, scene.vehicle->id, 1);
    stage_control(scene.stage, scene.watcher, scene.vehicle->id, 0, false);
    ck_assert(scene.vehicle->params.engine);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_CONTROLLING), 1);
}
END_TEST

START_TEST(v_ctrl_2_a_frozen_driver_turns_no_key)
{
    stage_player(scene.stage, scene.driver)->frozen = true;
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, true);
    ck_assert(!scene.vehicle->params.engine);
}
END_TEST

START_TEST(v_ctrl_3_a_wreck_has_no_keys)
{
    scene.vehicle->wrecked = true;
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, true);
    ck_assert(!scene.vehicle->params.engine);
}
END_TEST

START_TEST(v_ctrl_4_a_driver_cannot_lock)
{
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 2, true);
    ck_assert(!scene.vehicle->params.locked);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_A_KEY), 1);
}
END_TEST

START_TEST(v_ctrl_5_a_handler_may_refuse)
{
    struct scene_events events = { .refuse = true };

    scene_listen(&scene, &events, EVENT_VEHICLE_CONTROL);
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 1, true);
    ck_assert(!scene.vehicle->params.lights);
    ck_assert_uint_eq(events.count, 1);
    ck_assert_str_eq(events.text, "lights");
    ck_assert(events.arguments[3].boolean);
    events.refuse = false;
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, true);
    ck_assert(scene.vehicle->params.engine);
    ck_assert_str_eq(events.text, "engine");
}
END_TEST

static void wreck_it(struct scene *in)
{
    in->vehicle->wrecked = true;
}

START_TEST(v_ctrl_3_5_what_the_handler_did_is_looked_at_again)
{
    struct scene_events events = { .then = wreck_it };

    scene_listen(&scene, &events, EVENT_VEHICLE_CONTROL);
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, true);
    ck_assert(!scene.vehicle->params.engine);
}
END_TEST

START_TEST(v_ctrl_6_it_is_told_to_everyone_as_a_command_is)
{
    stage_control(scene.stage, scene.driver, scene.vehicle->id, 1, true);
    ck_assert_uint_eq(take_params(scene.driver).params, HAS_SIREN | LIGHTS);
    ck_assert_uint_eq(take_params(scene.watcher).params, HAS_SIREN | LIGHTS);
}
END_TEST

START_TEST(v_ctrl_7_what_is_refused_is_not_answered)
{
    stage_control(scene.stage, scene.watcher, scene.vehicle->id, 1, true);
    stage_control(scene.stage, scene.watcher, 4000, 1, true);
    ck_assert_uint_eq(params_count(scene.watcher) + params_count(scene.driver), 0);
}
END_TEST

START_TEST(v_ctrl_8_keys_count_against_the_limit_of_vehicle_events)
{
    for (int i = 0; i < 40; i++)
        stage_control(scene.stage, scene.driver, scene.vehicle->id, 0, i % 2 == 0);
    ck_assert_uint_ge(stage_reason(scene.stage, REASON_LIMIT_VEHICLE_EVENTS), 9);
}
END_TEST

/* The show to somebody who comes from afar. */
static struct wire_vehicle_sync shown_to(struct stage_client *client)
{
    const struct place beside = { .pos = { 12, 9, 10 } };
    struct wire_vehicle_sync show;
    struct wire_error error;
    const struct stage_packet *packet;

    ck_assert_int_eq(
        player_teleport(scene.shard, stage_player(scene.stage, client), scene.stage->now_ms, &beside),
        REASON_NONE);
    deliver();
    packet = stage_take(client, PACKET_VEHICLE_SYNC);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
    return show;
}

START_TEST(v_sync_27_a_show_has_what_is_the_recipients_own_and_the_doors_of_the_commands)
{
    struct stage_client *far = stage_spawn(scene.stage, 9, 2000, 0);
    struct wire_vehicle_sync show = scene_show(&scene, NULL);

    ck_assert_uint_eq(show.params, HAS_SIREN);
    ck_assert_uint_eq(show.doors, 0);
    vehicle_set_locked_for(scene.shard, scene.vehicle, stage_player(scene.stage, far), OWN_LOCK_LOCKED);
    vehicle_set_objective(scene.shard, scene.vehicle, stage_player(scene.stage, far), true);
    vehicle_set_door(scene.shard, scene.vehicle, 1, true);
    vehicle_set_door(scene.shard, scene.vehicle, 4, true);
    vehicle_set_door(scene.shard, scene.vehicle, 1, false);
    show = scene_show(&scene, NULL);
    ck_assert_uint_eq(show.params, HAS_SIREN); /* another's lock and marker are not its own */
    ck_assert_uint_eq(show.doors, 1 << 4);
    show = shown_to(far);
    ck_assert_uint_eq(show.params, HAS_SIREN | LOCKED | OBJECTIVE);
    ck_assert_uint_eq(show.doors, 1 << 4);
}
END_TEST

Suite *vehicle_params_suite(void)
{
    Suite *suite = suite_create("vehicle_params");
    TCase *tcase = tcase_create("params");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_params_1_2_each_command_is_told_to_everyone_it_is_streamed_to);
    tcase_add_test(tcase, v_params_2_a_command_that_changes_nothing_is_not_told);
    tcase_add_test(tcase, v_params_2_4_neither_is_one_players_that_changes_nothing_for_it);
    tcase_add_test(tcase, v_params_3_a_door_command_is_told_even_if_it_changes_nothing);
    tcase_add_test(tcase, v_params_4_what_is_one_players_goes_to_that_player_only);
    tcase_add_test(tcase, v_params_4_a_player_who_does_not_see_it_is_told_with_the_show);
    tcase_add_test(tcase, v_params_5_doors_is_the_whole_state_and_doors_set_the_command);
    tcase_add_test(tcase, v_params_6_an_own_lock_stands_for_the_vehicles);
    tcase_add_test(tcase, v_params_7_the_objective_is_only_the_recipients_own);
    tcase_add_test(tcase, v_params_8_a_helicopter_has_at_most_one_of_the_magnets);
    tcase_add_test(tcase, v_params_8_nothing_but_a_helicopter_has_a_winch);
    tcase_add_test(tcase, v_params_9_10_the_models_with_a_siren_have_it_from_the_start);
    tcase_add_test(tcase, v_params_9_everything_is_off_in_a_show_of_a_new_vehicle);
    tcase_add_test(tcase, v_params_11_a_siren_can_be_given_to_cars_bikes_and_the_vortex_only);
    tcase_add_test(tcase, v_params_11_what_would_be_mute_may_be_taken_away);
    tcase_add_test(tcase, v_params_12_getting_in_starts_no_engine);
    tcase_add_test(tcase, v_params_13_14_15_a_respawn_brings_the_defaults_but_keeps_a_given_siren);
    tcase_add_test(tcase, v_params_14_a_respawn_takes_the_winch_away);
    tcase_add_test(tcase, v_params_15_a_siren_that_was_removed_stays_removed);
    tcase_add_test(tcase, v_params_16_who_leaves_takes_its_own_parameters_along);
    tcase_add_test(tcase, v_params_17_each_siren_command_raises_the_revision_over_its_wrap);
    tcase_add_test(tcase, v_params_18_it_is_critical);
    tcase_add_test(tcase, v_enter_14_the_lock_is_the_senders_own_or_the_vehicles);
    tcase_add_test(tcase, v_siren_2_a_siren_cannot_be_switched_on_where_there_is_none);
    tcase_add_test(tcase, v_ctrl_1_only_the_one_in_seat_0_has_the_keys);
    tcase_add_test(tcase, v_ctrl_2_a_frozen_driver_turns_no_key);
    tcase_add_test(tcase, v_ctrl_3_a_wreck_has_no_keys);
    tcase_add_test(tcase, v_ctrl_4_a_driver_cannot_lock);
    tcase_add_test(tcase, v_ctrl_5_a_handler_may_refuse);
    tcase_add_test(tcase, v_ctrl_3_5_what_the_handler_did_is_looked_at_again);
    tcase_add_test(tcase, v_ctrl_6_it_is_told_to_everyone_as_a_command_is);
    tcase_add_test(tcase, v_ctrl_7_what_is_refused_is_not_answered);
    tcase_add_test(tcase, v_ctrl_8_keys_count_against_the_limit_of_vehicle_events);
    tcase_add_test(tcase, v_sync_27_a_show_has_what_is_the_recipients_own_and_the_doors_of_the_commands);
    suite_add_tcase(suite, tcase);
    return suite;
}
