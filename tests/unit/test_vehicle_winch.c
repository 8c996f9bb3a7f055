#include <math.h>

#include "shard/tables/couplings.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_transform.h"
#include "shard/vehicle_winch.h"
#include "tests/unit/event_log.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* A helicopter with a magnet, what it may pick up, and another helicopter. */
enum { HELI, CAR, OTHER_CAR, OTHER_HELI, RC, VEHICLES };

static struct stage *stage;
static struct event_log events;
static struct stage_client *pilot;
static struct stage_client *watcher;

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES] = {
        [HELI] = stage_car(548, 0, 0),       [CAR] = stage_car(411, 6, 0),
        [OTHER_CAR] = stage_car(411, 12, 0), [OTHER_HELI] = stage_car(548, 6, 12),
        [RC] = stage_car(564, 0, 6),
    };

    stage = stage_new(vehicles, VEHICLES);
    pilot = stage_spawn(stage, 2, 2, 0);
    watcher = stage_spawn(stage, 3, 8, 0);
    the(HELI)->params.winch = WINCH_MAGNET;
    stage_enter(stage, pilot, the(HELI)->id, 0);
    event_log_open(&events, stage->shard);
    stage_forget(stage);
}

static void teardown(void)
{
    stage_free(stage);
}

static void hangs(size_t load, size_t heli)
{
    ck_assert_uint_eq(the(load)->links.lifter_id, the(heli)->id);
    ck_assert_uint_eq(the(heli)->links.load_id, the(load)->id);
}

static void picks_up(size_t load)
{
    link_winch(stage, pilot, the(load), the(HELI));
    hangs(load, HELI);
    stage_forget(stage);
}

/* The sender alone is told the server's state, and nothing else happens. */
static void refused(struct stage_client *client, size_t load, size_t heli, enum reason why)
{
    uint32_t before = the(load)->links.lifter_id;
    uint64_t counted = stage_reason(stage, why);
    struct wire_vehicle_lift answer;

    stage_forget(stage);
    link_winch(stage, client, the(load), the(heli));
    answer = link_take_lift(client);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not refused: %s", reason_name(why));
    ck_assert_uint_eq(answer.vehicle_id, the(load)->id);
    ck_assert_uint_eq(answer.heli_id, before);
    ck_assert_uint_eq(stage_count(client == watcher ? pilot : watcher, PACKET_VEHICLE_LIFT), 0);
    ck_assert_uint_eq(the(load)->links.lifter_id, before);
}

/* ---- VehicleWinch: pick-up */

START_TEST(v_winch_1_there_is_no_load_of_all_ones)
{
    link_send_winch(stage, pilot,
                    (struct wire_vehicle_winch){ .vehicle_id = WIRE_NONE, .heli_id = the(HELI)->id });
    ck_assert_uint_eq(stage_count(pilot, PACKET_VEHICLE_LIFT), 0);
    ck_assert_uint_eq(the(HELI)->links.load_id, WIRE_NONE);
}
END_TEST

START_TEST(v_winch_2_only_who_is_alive_picks_up)
{
    struct stage_client *waiting = stage_join(stage, 4, 3, 0);

    refused(waiting, CAR, HELI, REASON_NOT_ALIVE);
    stage_die(stage, pilot);
    refused(pilot, CAR, HELI, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(v_winch_3_only_who_controls_the_helicopter_picks_up)
{
    stage_enter(stage, watcher, the(HELI)->id, 1);
    refused(watcher, CAR, HELI, REASON_NOT_CONTROLLING);
    stage_exit(stage, pilot, the(HELI)->id);
    ck_assert_uint_eq(the(HELI)->syncer, link_slot(stage, watcher)); /* without a pilot its syncer */
    refused(pilot, CAR, HELI, REASON_NOT_CONTROLLING);
    link_winch(stage, watcher, the(CAR), the(HELI));
    hangs(CAR, HELI);
}
END_TEST

START_TEST(v_winch_4_both_epochs_must_be_the_current_ones)
{
    struct wire_vehicle_winch winch = { .vehicle_id = the(CAR)->id, .heli_id = the(HELI)->id };

    the(CAR)->epoch = 255;
    the(HELI)->epoch = 7;
    winch.vehicle_epoch = 0;
    winch.heli_epoch = 7;
    link_send_winch(stage, pilot, winch);
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, WIRE_NONE);
    winch.vehicle_epoch = 255;
    winch.heli_epoch = 6;
    link_send_winch(stage, pilot, winch);
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, WIRE_NONE);
    ck_assert_uint_eq(stage_reason(stage, REASON_OLD_EPOCH), 2);
    winch.heli_epoch = 7;
    link_send_winch(stage, pilot, winch);
    hangs(CAR, HELI);
}
END_TEST

START_TEST(v_winch_5_a_wreck_is_neither_load_nor_helicopter)
{
    the(CAR)->wrecked = true;
    refused(pilot, CAR, HELI, REASON_WRECKED);
    the(CAR)->wrecked = false;
    the(HELI)->wrecked = true;
    refused(pilot, CAR, HELI, REASON_WRECKED);
    the(HELI)->wrecked = false;
    picks_up(CAR);
}
END_TEST

START_TEST(v_winch_6_both_are_streamed_to_the_sender_and_in_its_scope)
{
    link_put(stage, the(CAR), 500, 0);
    stage_run(stage, 100);
    link_put(stage, the(CAR), 6, 0);
    refused(pilot, CAR, HELI, REASON_NOT_STREAMED);
    stage_run(stage, 100);
    the(CAR)->scope.virtual_world = 2; /* the streamed set lags behind */
    refused(pilot, CAR, HELI, REASON_OTHER_SCOPE);
    the(CAR)->scope = (struct scope){ .interior = 1 };
    refused(pilot, CAR, HELI, REASON_OTHER_SCOPE);
    the(CAR)->scope = (struct scope){ 0 };
    picks_up(CAR);
    link_winch(stage, pilot, the(CAR), NULL);
    stage_exit(stage, pilot, the(HELI)->id);
    the(HELI)->scope.virtual_world = 2;
    refused(pilot, CAR, HELI, REASON_OTHER_SCOPE);
    the(HELI)->scope.virtual_world = 0;
}
END_TEST

START_TEST(v_winch_7_only_a_winch_of_the_gamemodes_picks_up)
{
    the(HELI)->params.winch = WINCH_NONE;
    refused(pilot, CAR, HELI, REASON_NO_WINCH);
}
END_TEST

/* vehicles.csv: class motorbike, monster_truck, boat and so on. */
static const uint16_t never[] = {
    471,                                                   /* quad */
    481, 509, 510,                                         /* bicycles */
    435, 450, 584, 591, 606, 607, 608, 610, 611,           /* trailers */
    449, 537, 538, 569, 570, 590,                          /* trains */
    430, 446, 452, 453, 454, 472, 484, 493, 595,           /* boats */
    417, 425, 447, 469, 487, 488, 497, 548, 563,           /* helicopters */
    460, 476, 511, 512, 513, 519, 520, 553, 577, 592, 593, /* planes */
    441, 464, 465, 501, 564, 594,                          /* RC */
};

static bool is_never_lifted(uint16_t model)
{
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (never[i] == model)
            return true;
    return false;
}

START_TEST(v_winch_8_9_the_magnet_takes_what_drives_a_dinghy_and_a_vortex)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        ck_assert_msg(coupling_lifts(WINCH_MAGNET, model_find(model)) != is_never_lifted(model), "%u", model);
    ck_assert(coupling_lifts(WINCH_MAGNET, model_find(473)));
    ck_assert(coupling_lifts(WINCH_MAGNET, model_find(539)));
    ck_assert(coupling_lifts(WINCH_MAGNET, model_find(444))); /* a monster truck */
    ck_assert(coupling_lifts(WINCH_MAGNET, model_find(522))); /* a motorbike */
    refused(pilot, RC, HELI, REASON_MAGNET);
}
END_TEST

START_TEST(v_winch_10_the_small_magnet_takes_an_rc_tiger)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        ck_assert_msg(coupling_lifts(WINCH_SMALL_MAGNET, model_find(model)) == (model == 564), "%u", model);
    the(HELI)->params.winch = WINCH_SMALL_MAGNET;
    refused(pilot, CAR, HELI, REASON_MAGNET);
    picks_up(RC);
}
END_TEST

START_TEST(v_winch_11_nobody_sits_in_any_seat_of_the_load)
{
    stage_enter(stage, watcher, the(CAR)->id, 1);
    refused(pilot, CAR, HELI, REASON_OCCUPIED);
    stage_exit(stage, watcher, the(CAR)->id);
    stage_enter(stage, watcher, the(CAR)->id, 0);
    refused(pilot, CAR, HELI, REASON_OCCUPIED);
    stage_exit(stage, watcher, the(CAR)->id);
    picks_up(CAR);
}
END_TEST

START_TEST(v_winch_12_nobody_drives_the_load_remotely)
{
    the(HELI)->params.winch = WINCH_SMALL_MAGNET;
    ck_assert_uint_eq(vehicle_set_remote(stage->shard, stage_player(stage, watcher), the(RC), false),
                      REASON_NONE);
    stage_pump(stage);
    refused(pilot, RC, HELI, REASON_DRIVEN);
}
END_TEST

START_TEST(v_winch_13_neither_is_in_a_hitch)
{
    link_model(the(OTHER_CAR), 525);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(CAR), the(OTHER_CAR)), REASON_NONE);
    stage_pump(stage);
    refused(pilot, CAR, HELI, REASON_HITCHED);       /* as trailer */
    refused(pilot, OTHER_CAR, HELI, REASON_HITCHED); /* as tractor */
    ck_assert_uint_eq(vehicle_detach_trailer(stage->shard, the(CAR)), REASON_NONE);
    stage_exit(stage, pilot, the(HELI)->id);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(HELI), the(OTHER_CAR)), REASON_NONE);
    stage_run(stage, 100);
    refused(pilot, CAR, HELI, REASON_HITCHED); /* the helicopter */
}
END_TEST

START_TEST(v_winch_14_a_helicopter_carries_one)
{
    picks_up(CAR);
    refused(pilot, OTHER_CAR, HELI, REASON_CARRIES);
}
END_TEST

START_TEST(v_winch_15_the_load_hangs_on_no_other_helicopter)
{
    the(OTHER_HELI)->params.winch = WINCH_MAGNET;
    stage_enter(stage, watcher, the(OTHER_HELI)->id, 0);
    link_winch(stage, watcher, the(CAR), the(OTHER_HELI));
    hangs(CAR, OTHER_HELI);
    refused(pilot, CAR, HELI, REASON_HANGS);
}
END_TEST

START_TEST(v_winch_16_within_30_m_by_the_servers_positions)
{
    link_put(stage, the(CAR), nextafterf(30, 40), 0);
    refused(pilot, CAR, HELI, REASON_OUT_OF_RANGE);
    link_put(stage, the(CAR), 30, 0);
    picks_up(CAR);
}
END_TEST

START_TEST(v_winch_17_nothing_frozen_is_picked_up_or_picks_up)
{
    the(CAR)->frozen = true;
    refused(pilot, CAR, HELI, REASON_FROZEN);
    the(CAR)->frozen = false;
    the(HELI)->frozen = true;
    refused(pilot, CAR, HELI, REASON_FROZEN);
    the(HELI)->frozen = false;
    picks_up(CAR);
}
END_TEST

START_TEST(v_winch_18_the_gamemode_is_asked)
{
    char line[64];

    events.refuses = UINT64_C(1) << EVENT_WINCH_ATTACH;
    refused(pilot, CAR, HELI, REASON_HANDLER);
    (void)snprintf(line, sizeof line, "winch_attach %u %u 2", the(CAR)->id, the(HELI)->id);
    ck_assert_uint_eq(event_log_count(&events, line), 1);
    events.refuses = 0;
    picks_up(CAR);
    ck_assert_uint_eq(event_log_count(&events, line), 2);
}
END_TEST

static void take_the_winch(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_WINCH_ATTACH)
        the(HELI)->params.winch = WINCH_NONE;
}

static void destroy_load(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_WINCH_ATTACH)
        vehicle_destroy(stage->shard, the(CAR));
}

static void destroy_heli(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_WINCH_ATTACH)
        vehicle_destroy(stage->shard, the(HELI));
}

START_TEST(v_winch_18_everything_is_checked_again_after_the_handlers)
{
    events.then = take_the_winch;
    refused(pilot, CAR, HELI, REASON_NO_WINCH);
}
END_TEST

START_TEST(v_winch_18_a_load_that_the_handler_destroyed_is_not_picked_up)
{
    uint32_t load = the(CAR)->id;
    struct wire_vehicle_lift answer;

    events.then = destroy_load;
    link_winch(stage, pilot, the(CAR), the(HELI));
    answer = link_take_lift(pilot);
    ck_assert_uint_eq(answer.vehicle_id, load);
    ck_assert_uint_eq(answer.heli_id, WIRE_NONE);
    ck_assert_uint_eq(the(HELI)->links.load_id, WIRE_NONE);
}
END_TEST

START_TEST(v_winch_18_a_helicopter_that_the_handler_destroyed_carries_nothing)
{
    events.then = destroy_heli;
    link_winch(stage, pilot, the(CAR), the(HELI));
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, WIRE_NONE);
    ck_assert_uint_eq(the(CAR)->links.lifter_id, WIRE_NONE);
}
END_TEST

/* ---- VehicleWinch: release */

START_TEST(v_winch_19_only_who_controls_the_helicopter_releases)
{
    struct wire_vehicle_lift answer;

    picks_up(CAR);
    link_winch(stage, watcher, the(CAR), NULL);
    answer = link_take_lift(watcher);
    ck_assert_uint_eq(answer.vehicle_id, the(CAR)->id);
    ck_assert_uint_eq(answer.heli_id, the(HELI)->id);
    ck_assert_uint_eq(stage_count(pilot, PACKET_VEHICLE_LIFT), 0);
    hangs(CAR, HELI);
    link_winch(stage, pilot, the(CAR), NULL);
    ck_assert_uint_eq(the(CAR)->links.lifter_id, WIRE_NONE);
    ck_assert_uint_eq(the(HELI)->links.load_id, WIRE_NONE);
}
END_TEST

START_TEST(v_winch_20_a_release_is_of_the_loads_epoch)
{
    picks_up(CAR);
    link_send_winch(stage, pilot,
                    (struct wire_vehicle_winch){ .vehicle_id = the(CAR)->id,
                                                 .vehicle_epoch = (uint8_t)(the(CAR)->epoch + 1),
                                                 .heli_id = WIRE_NONE });
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, the(HELI)->id);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
    hangs(CAR, HELI);
}
END_TEST

START_TEST(v_winch_21_a_release_is_told_to_the_gamemode)
{
    char line[64];

    picks_up(CAR);
    link_winch(stage, pilot, the(CAR), NULL);
    (void)snprintf(line, sizeof line, "winch_detach %u %u 2", the(CAR)->id, the(HELI)->id);
    ck_assert_uint_eq(event_log_count(&events, line), 1);
}
END_TEST

START_TEST(v_winch_22_the_same_again_changes_nothing)
{
    picks_up(CAR);
    event_log_open(&events, stage->shard);
    link_winch(stage, pilot, the(CAR), the(HELI));
    ck_assert_uint_eq(stage_count(pilot, PACKET_VEHICLE_LIFT), 0);
    hangs(CAR, HELI);
    ck_assert_uint_eq(events.count, 0);
    link_winch(stage, pilot, the(CAR), NULL);
    event_log_open(&events, stage->shard);
    stage_forget(stage);
    link_winch(stage, pilot, the(CAR), NULL);
    ck_assert_uint_eq(stage_count(pilot, PACKET_VEHICLE_LIFT), 0);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
    ck_assert_uint_eq(events.count, 0);
}
END_TEST

START_TEST(v_winch_23_a_vehicle_that_nobody_knows_hangs_on_nothing)
{
    struct wire_vehicle_lift answer;

    link_send_winch(stage, pilot,
                    (struct wire_vehicle_winch){ .vehicle_id = 999999, .heli_id = the(HELI)->id });
    answer = link_take_lift(pilot);
    ck_assert_uint_eq(answer.vehicle_id, 999999);
    ck_assert_uint_eq(answer.heli_id, WIRE_NONE);
    link_send_winch(stage, pilot, (struct wire_vehicle_winch){ .vehicle_id = 999999, .heli_id = WIRE_NONE });
    ck_assert_uint_eq(link_take_lift(pilot).vehicle_id, 999999);
    link_send_winch(stage, pilot,
                    (struct wire_vehicle_winch){ .vehicle_id = the(CAR)->id, .heli_id = 999999 });
    ck_assert_uint_eq(link_take_lift(pilot).vehicle_id, the(CAR)->id);
}
END_TEST

START_TEST(v_winch_23_29_over_the_limit_of_events_the_sender_is_told_the_servers_state)
{
    picks_up(CAR);
    link_use_up_events(stage, pilot);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 2); /* the entry and the pick-up */
    link_winch(stage, pilot, the(CAR), NULL);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 3);
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, the(HELI)->id);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
    hangs(CAR, HELI);
}
END_TEST

START_TEST(v_limit_4_a_dropped_winch_is_answered)
{
    link_use_up_events(stage, pilot);
    link_winch(stage, pilot, the(CAR), the(HELI));
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
}
END_TEST

/* ---- the server's own */

START_TEST(v_winch_24_who_controls_the_helicopter_syncs_the_load)
{
    struct stage_client *near = stage_spawn(stage, 4, 30, 0);

    link_put(stage, the(CAR), 30, 0);
    the(CAR)->syncer = SLOT_NONE;
    link_winch(stage, pilot, the(CAR), the(HELI));
    ck_assert_uint_eq(the(CAR)->syncer, link_slot(stage, pilot));
    stage_exit(stage, pilot, the(HELI)->id);
    stage_enter(stage, watcher, the(HELI)->id, 0);
    ck_assert_uint_eq(the(CAR)->syncer, link_slot(stage, watcher));
    ck_assert_uint_ne(the(CAR)->syncer, link_slot(stage, near));
}
END_TEST

static void is_loose(size_t load)
{
    if (the(load) != NULL)
        ck_assert_uint_eq(the(load)->links.lifter_id, WIRE_NONE);
    if (the(HELI) != NULL)
        ck_assert_uint_eq(the(HELI)->links.load_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_lift(watcher).heli_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
    ck_assert_uint_eq(event_log_count(&events, "winch_detach"), 0);
}

START_TEST(v_winch_25_whoever_gets_into_any_seat_releases_the_load)
{
    picks_up(CAR);
    stage_enter(stage, watcher, the(CAR)->id, 1);
    is_loose(CAR);
    stage_exit(stage, watcher, the(CAR)->id);
    picks_up(CAR);
    stage_enter(stage, watcher, the(CAR)->id, 0);
    is_loose(CAR);
}
END_TEST

START_TEST(v_winch_25_whoever_takes_it_remotely_releases_the_load)
{
    the(HELI)->params.winch = WINCH_SMALL_MAGNET;
    picks_up(RC);
    ck_assert_uint_eq(vehicle_set_remote(stage->shard, stage_player(stage, watcher), the(RC), false),
                      REASON_NONE);
    stage_pump(stage);
    is_loose(RC);
}
END_TEST

START_TEST(v_winch_26_a_wreck_of_either_releases_the_load)
{
    picks_up(CAR);
    link_wreck(stage, the(CAR));
    is_loose(CAR);
    picks_up(OTHER_CAR);
    link_wreck(stage, the(HELI));
    is_loose(OTHER_CAR);
}
END_TEST

START_TEST(v_winch_27_a_respawn_or_the_removal_of_either_releases_the_load)
{
    picks_up(CAR);
    vehicle_respawn(stage->shard, the(CAR));
    stage_pump(stage);
    is_loose(CAR);
    picks_up(CAR);
    vehicle_respawn(stage->shard, the(HELI));
    stage_pump(stage);
    is_loose(CAR);
    vehicle_set_winch(stage->shard, the(HELI), WINCH_MAGNET); /* of the new life */
    stage_enter(stage, pilot, the(HELI)->id, 0);
    picks_up(CAR);
    vehicle_destroy(stage->shard, the(CAR));
    stage_pump(stage);
    is_loose(CAR);
    picks_up(OTHER_CAR);
    vehicle_destroy(stage->shard, the(HELI));
    stage_pump(stage);
    is_loose(OTHER_CAR);
}
END_TEST

START_TEST(v_winch_28_a_winch_that_is_removed_or_changed_releases_the_load)
{
    picks_up(CAR);
    vehicle_set_winch(stage->shard, the(HELI), WINCH_MAGNET); /* the same */
    stage_pump(stage);
    hangs(CAR, HELI);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_PARAMS), 0);
    vehicle_set_winch(stage->shard, the(HELI), WINCH_SMALL_MAGNET);
    stage_pump(stage);
    is_loose(CAR);
    vehicle_set_winch(stage->shard, the(HELI), WINCH_MAGNET); /* there is nothing to release */
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_LIFT), 0);
    picks_up(CAR);
    vehicle_set_winch(stage->shard, the(HELI), WINCH_NONE);
    stage_pump(stage);
    is_loose(CAR);
}
END_TEST

START_TEST(v_winch_17_what_is_put_or_frozen_leaves_the_winch)
{
    picks_up(CAR);
    vehicle_set_position(stage->shard, the(CAR), the(CAR)->pos);
    stage_pump(stage);
    is_loose(CAR);
    picks_up(CAR);
    vehicle_set_frozen(stage->shard, the(HELI), true);
    stage_pump(stage);
    is_loose(CAR);
}
END_TEST

/* ---- VehicleLift */

START_TEST(v_lift_1_3_every_change_goes_to_everyone_who_sees_the_load)
{
    struct stage_client *far = stage_spawn(stage, 4, 180, 0);
    struct stage_client *away = stage_spawn(stage, 5, 700, 0);
    struct wire_vehicle_lift told;

    stage_run(stage, 200);
    stage_forget(stage);
    link_winch(stage, pilot, the(CAR), the(HELI));
    told = link_take_lift(pilot);
    ck_assert_uint_eq(told.vehicle_id, the(CAR)->id);
    ck_assert_uint_eq(told.heli_id, the(HELI)->id);
    ck_assert_uint_eq(link_take_lift(far).heli_id, the(HELI)->id);
    ck_assert_uint_eq(stage_count(away, PACKET_VEHICLE_LIFT), 0);
    link_winch(stage, pilot, the(CAR), NULL);
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_lift(far).heli_id, WIRE_NONE);
}
END_TEST

START_TEST(v_lift_2_a_refusal_is_told_to_the_sender_alone)
{
    picks_up(CAR);
    refused(pilot, OTHER_CAR, HELI, REASON_CARRIES);
    refused(watcher, OTHER_CAR, HELI, REASON_NOT_CONTROLLING);
}
END_TEST

START_TEST(a_show_names_the_helicopter)
{
    struct stage_client *late;

    picks_up(CAR);
    late = stage_spawn(stage, 4, 3, 0);
    ck_assert_uint_eq(link_take_show(late, the(CAR)->id).lifter_id, the(HELI)->id);
    ck_assert_uint_eq(link_take_show(stage_spawn(stage, 5, 3, 0), the(HELI)->id).lifter_id, WIRE_NONE);
}
END_TEST

START_TEST(v_winch_22_23_the_same_of_a_helicopters_former_life_is_answered)
{
    struct wire_vehicle_winch winch = { .vehicle_id = the(CAR)->id, .heli_id = the(HELI)->id };

    picks_up(CAR);
    winch.vehicle_epoch = the(CAR)->epoch;
    winch.heli_epoch = (uint8_t)(the(HELI)->epoch - 1);
    link_send_winch(stage, pilot, winch);
    ck_assert_uint_eq(link_take_lift(pilot).heli_id, the(HELI)->id);
    hangs(CAR, HELI);
}
END_TEST

Suite *vehicle_winch_suite(void)
{
    Suite *suite = suite_create("vehicle_winch");
    TCase *tcase = tcase_create("winches");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_winch_1_there_is_no_load_of_all_ones);
    tcase_add_test(tcase, v_winch_2_only_who_is_alive_picks_up);
    tcase_add_test(tcase, v_winch_3_only_who_controls_the_helicopter_picks_up);
    tcase_add_test(tcase, v_winch_4_both_epochs_must_be_the_current_ones);
    tcase_add_test(tcase, v_winch_5_a_wreck_is_neither_load_nor_helicopter);
    tcase_add_test(tcase, v_winch_6_both_are_streamed_to_the_sender_and_in_its_scope);
    tcase_add_test(tcase, v_winch_7_only_a_winch_of_the_gamemodes_picks_up);
    tcase_add_test(tcase, v_winch_8_9_the_magnet_takes_what_drives_a_dinghy_and_a_vortex);
    tcase_add_test(tcase, v_winch_10_the_small_magnet_takes_an_rc_tiger);
    tcase_add_test(tcase, v_winch_11_nobody_sits_in_any_seat_of_the_load);
    tcase_add_test(tcase, v_winch_12_nobody_drives_the_load_remotely);
    tcase_add_test(tcase, v_winch_13_neither_is_in_a_hitch);
    tcase_add_test(tcase, v_winch_14_a_helicopter_carries_one);
    tcase_add_test(tcase, v_winch_15_the_load_hangs_on_no_other_helicopter);
    tcase_add_test(tcase, v_winch_16_within_30_m_by_the_servers_positions);
    tcase_add_test(tcase, v_winch_17_nothing_frozen_is_picked_up_or_picks_up);
    tcase_add_test(tcase, v_winch_18_the_gamemode_is_asked);
    tcase_add_test(tcase, v_winch_18_everything_is_checked_again_after_the_handlers);
    tcase_add_test(tcase, v_winch_18_a_load_that_the_handler_destroyed_is_not_picked_up);
    tcase_add_test(tcase, v_winch_18_a_helicopter_that_the_handler_destroyed_carries_nothing);
    tcase_add_test(tcase, v_winch_19_only_who_controls_the_helicopter_releases);
    tcase_add_test(tcase, v_winch_20_a_release_is_of_the_loads_epoch);
    tcase_add_test(tcase, v_winch_21_a_release_is_told_to_the_gamemode);
    tcase_add_test(tcase, v_winch_22_the_same_again_changes_nothing);
    tcase_add_test(tcase, v_winch_22_23_the_same_of_a_helicopters_former_life_is_answered);
    tcase_add_test(tcase, v_winch_23_a_vehicle_that_nobody_knows_hangs_on_nothing);
    tcase_add_test(tcase, v_winch_23_29_over_the_limit_of_events_the_sender_is_told_the_servers_state);
    tcase_add_test(tcase, v_limit_4_a_dropped_winch_is_answered);
    tcase_add_test(tcase, v_winch_24_who_controls_the_helicopter_syncs_the_load);
    tcase_add_test(tcase, v_winch_25_whoever_gets_into_any_seat_releases_the_load);
    tcase_add_test(tcase, v_winch_25_whoever_takes_it_remotely_releases_the_load);
    tcase_add_test(tcase, v_winch_26_a_wreck_of_either_releases_the_load);
    tcase_add_test(tcase, v_winch_27_a_respawn_or_the_removal_of_either_releases_the_load);
    tcase_add_test(tcase, v_winch_28_a_winch_that_is_removed_or_changed_releases_the_load);
    tcase_add_test(tcase, v_winch_17_what_is_put_or_frozen_leaves_the_winch);
    tcase_add_test(tcase, v_lift_1_3_every_change_goes_to_everyone_who_sees_the_load);
    tcase_add_test(tcase, v_lift_2_a_refusal_is_told_to_the_sender_alone);
    tcase_add_test(tcase, a_show_names_the_helicopter);
    suite_add_tcase(suite, tcase);
    return suite;
}
