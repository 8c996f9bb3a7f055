#include <math.h>

#include "shard/tables/couplings.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_syncer.h"
#include "tests/unit/event_log.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* A car near the place where players come in; 60 m away a semi, two trailers behind it and a helicopter. */
enum { CAR, SEMI, FIRST, SECOND, HELI, LOAD, VEHICLES };

static struct stage *stage;
static struct event_log events;

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES] = {
        [CAR] = stage_car(411, 0, 0),     [SEMI] = stage_car(515, 60, 0), [FIRST] = stage_car(606, 66, 0),
        [SECOND] = stage_car(606, 72, 0), [HELI] = stage_car(548, 60, 9), [LOAD] = stage_car(411, 66, 9),
    };

    stage = stage_new(vehicles, VEHICLES);
    event_log_open(&events, stage->shard);
}

static void teardown(void)
{
    stage_free(stage);
}

static bool syncs(struct stage_client *client, size_t vehicle)
{
    return the(vehicle)->syncer == link_slot(stage, client);
}

static bool has_no_syncer(size_t vehicle)
{
    return the(vehicle)->syncer == SLOT_NONE;
}

/* What the gamemode is told of the car from here on. */
static void listen(void)
{
    event_log_open(&events, stage->shard);
}

static size_t news_of(size_t vehicle, const char *syncer, const char *previous)
{
    char line[64];

    (void)snprintf(line, sizeof line, "vehicle_syncer %u %s %s", the(vehicle)->id, syncer, previous);
    return event_log_count(&events, line);
}

static size_t all_news_of(size_t vehicle)
{
    char line[64];

    (void)snprintf(line, sizeof line, "vehicle_syncer %u ", the(vehicle)->id);
    return event_log_count(&events, line);
}

static void freeze(struct stage_client *client, bool frozen)
{
    struct player *player = stage_player(stage, client);

    player->frozen = frozen;
    if (player->vehicle != SLOT_NONE)
        vehicle_syncer_due(stage->shard, world_vehicle_at(&stage->shard->world, player->vehicle));
    vehicle_syncer_run(stage->shard);
    stage_pump(stage);
}

/* How many of the frames of the client are accepted, of one. */
static size_t frames_accepted(struct stage_client *client, size_t vehicle)
{
    struct wire_vehicle_frame frame = stage_frame(stage, client, the(vehicle));
    uint32_t serial = the(vehicle)->relay_seq;

    stage_send_frame(stage, client, &frame);
    return the(vehicle)->relay_seq - serial;
}

START_TEST(v_syncer_1_12_only_the_syncers_are_told)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct stage_client *second = stage_spawn(stage, 3, 110, 0);
    struct stage_client *third = stage_spawn(stage, 4, 120, 0);

    stage_run(stage, 100);
    ck_assert_uint_eq(link_take_syncer(first, the(CAR)->id).active, 1);
    ck_assert_uint_eq(link_take_syncer(second, the(CAR)->id).vehicle_id, LINK_NO_PACKET);
    stage_run(stage, 2000);
    stage_walk(stage, first, 131, 0);
    stage_forget(stage);
    stage_run(stage, 100);
    ck_assert_uint_eq(link_take_syncer(first, the(CAR)->id).active, 0);
    ck_assert_uint_eq(link_take_syncer(second, the(CAR)->id).active, 1);
    ck_assert_uint_eq(link_take_syncer(third, the(CAR)->id).vehicle_id, LINK_NO_PACKET);
}
END_TEST

START_TEST(v_syncer_2_a_vehicle_with_a_driver_has_none)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 1, 0);

    stage_run(stage, 100);
    stage_enter(stage, driver, the(CAR)->id, 0);
    ck_assert(has_no_syncer(CAR));
    stage_run(stage, 500);
    ck_assert(has_no_syncer(CAR));
    ck_assert_uint_eq(frames_accepted(near, CAR), 0);
}
END_TEST

START_TEST(v_syncer_3_a_trailer_is_its_tractors)
{
    struct stage_client *near = stage_spawn(stage, 2, 66, 0);
    struct stage_client *driver = stage_spawn(stage, 3, 58, 0);

    stage_run(stage, 100);
    ck_assert(syncs(near, FIRST));
    stage_enter(stage, driver, the(SEMI)->id, 0);
    stage_forget(stage);
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert(syncs(driver, FIRST));
    ck_assert_uint_eq(link_take_syncer(near, the(FIRST)->id).active, 0);
    ck_assert_uint_eq(link_take_syncer(driver, the(FIRST)->id).active, 1);
    stage_run(stage, 500);
    ck_assert(syncs(driver, FIRST));
    ck_assert_uint_eq(frames_accepted(driver, FIRST), 1);
}
END_TEST

START_TEST(v_syncer_3_the_tractors_syncer_counts_when_nobody_drives_it)
{
    struct stage_client *at_semi = stage_spawn(stage, 2, 58, 0);
    struct stage_client *at_trailer;

    stage_run(stage, 100);
    ck_assert(syncs(at_semi, SEMI));
    vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI));
    vehicle_attach_trailer(stage->shard, the(SECOND), the(FIRST));
    at_trailer = stage_spawn(stage, 3, 72, 0);
    stage_run(stage, 100);
    ck_assert(syncs(at_semi, FIRST));
    ck_assert(syncs(at_semi, SECOND));
    stage_gone(stage, at_semi);
    ck_assert(syncs(at_trailer, SEMI));
    ck_assert(syncs(at_trailer, FIRST));
    ck_assert(syncs(at_trailer, SECOND));
}
END_TEST

START_TEST(v_syncer_3_a_whole_chain_follows_the_driver_of_its_tractor)
{
    struct stage_client *near = stage_spawn(stage, 2, 72, 0);
    struct stage_client *driver = stage_spawn(stage, 3, 58, 0);
    struct stage_client *jacker = stage_spawn(stage, 4, 58, 3);

    vehicle_attach_trailer(stage->shard, the(SECOND), the(FIRST));
    vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI));
    stage_run(stage, 100);
    stage_enter(stage, driver, the(SEMI)->id, 0);
    ck_assert(syncs(driver, FIRST));
    ck_assert(syncs(driver, SECOND));
    stage_enter(stage, jacker, the(SEMI)->id, 0);
    ck_assert(syncs(jacker, FIRST));
    ck_assert(syncs(jacker, SECOND));
    stage_exit(stage, jacker, the(SEMI)->id);
    ck_assert(the(SEMI)->syncer == the(FIRST)->syncer);
    ck_assert(the(SEMI)->syncer == the(SECOND)->syncer);
    (void)near;
}
END_TEST

START_TEST(v_syncer_3_its_passengers_do_not_sync_it)
{
    struct stage_client *driver = stage_spawn(stage, 2, 58, 0);
    struct stage_client *passenger = stage_spawn(stage, 3, 66, 4);

    link_model(the(SEMI), 525);
    stage_enter(stage, driver, the(SEMI)->id, 0);
    stage_enter(stage, passenger, the(LOAD)->id, 1);
    ck_assert(syncs(passenger, LOAD));
    link_tow(stage, driver, the(LOAD), the(SEMI));
    ck_assert_uint_eq(the(LOAD)->links.tractor_id, the(SEMI)->id);
    ck_assert(syncs(driver, LOAD));
    link_tow(stage, driver, the(LOAD), NULL);
    ck_assert(syncs(passenger, LOAD));
}
END_TEST

START_TEST(v_syncer_3_only_if_the_trailer_is_streamed_to_that_player)
{
    struct stage_client *driver = stage_spawn(stage, 2, 58, 0);
    struct stage_client *near = stage_spawn(stage, 3, 66, 0);

    stage_enter(stage, driver, the(SEMI)->id, 0);
    vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI));
    stage_run(stage, 100);
    ck_assert(syncs(driver, FIRST));
    stage_run(stage, 1000);
    link_put(stage, the(FIRST), 260, 0); /* 202 m from the driver */
    stage_walk(stage, near, 130, 0);
    stage_run(stage, 2000);
    stage_walk(stage, near, 250, 0);
    stage_run(stage, 200);
    ck_assert(!stage_sees_vehicle(driver, the(FIRST)->id));
    ck_assert(syncs(near, FIRST));
}
END_TEST

START_TEST(v_syncer_4_a_load_is_the_helicopters)
{
    struct stage_client *near = stage_spawn(stage, 2, 66, 9);
    struct stage_client *pilot = stage_spawn(stage, 3, 58, 9);

    the(HELI)->params.winch = WINCH_MAGNET;
    stage_run(stage, 100);
    ck_assert(syncs(near, LOAD));
    stage_enter(stage, pilot, the(HELI)->id, 0);
    link_winch(stage, pilot, the(LOAD), the(HELI));
    ck_assert(syncs(pilot, LOAD));
    link_pause(stage, pilot, true); /* the helicopter goes to its syncer, and the load with it */
    ck_assert(!has_no_syncer(HELI));
    ck_assert(the(LOAD)->syncer == the(HELI)->syncer);
    link_pause(stage, pilot, false);
    ck_assert(syncs(pilot, LOAD));
    link_winch(stage, pilot, the(LOAD), NULL);
    stage_run(stage, 100);
    ck_assert(syncs(pilot, LOAD)); /* the previous one */
}
END_TEST

START_TEST(v_syncer_5_the_first_passenger)
{
    struct stage_client *near = stage_spawn(stage, 2, 1, 0);
    struct stage_client *second = stage_spawn(stage, 3, 3, 0);
    struct stage_client *first = stage_spawn(stage, 4, 4, 0);

    link_model(the(CAR), 400);
    stage_run(stage, 100);
    ck_assert(syncs(near, CAR));
    stage_enter(stage, second, the(CAR)->id, 3);
    ck_assert(syncs(second, CAR));
    stage_enter(stage, first, the(CAR)->id, 1);
    ck_assert(syncs(first, CAR));
    link_pause(stage, first, true);
    ck_assert(syncs(second, CAR));
}
END_TEST

START_TEST(v_syncer_6_the_previous_one_while_it_is_closer_than_130_m)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);

    stage_run(stage, 100);
    stage_spawn(stage, 3, 5, 0);
    stage_run(stage, 2000);
    ck_assert(syncs(first, CAR));
    stage_walk(stage, first, nextafterf(130, 0), 0);
    stage_run(stage, 100);
    ck_assert(syncs(first, CAR));
    stage_walk(stage, first, 130, 0);
    stage_run(stage, 100);
    ck_assert(!syncs(first, CAR));
}
END_TEST

START_TEST(v_syncer_6_a_driver_ends_the_previous_sync)
{
    struct stage_client *before = stage_spawn(stage, 2, 50, 0);
    struct stage_client *driver;

    stage_run(stage, 100);
    ck_assert(syncs(before, CAR));
    driver = stage_spawn(stage, 3, 5, 0);
    stage_enter(stage, driver, the(CAR)->id, 0);
    stage_exit(stage, driver, the(CAR)->id);
    ck_assert(syncs(driver, CAR)); /* the nearest, not the one before the driver */
}
END_TEST

START_TEST(v_syncer_7_the_nearest_spawned_player_within_130_m)
{
    struct stage_client *out = stage_spawn(stage, 2, nextafterf(130, 200), 0);
    struct stage_client *at;

    stage_run(stage, 100);
    ck_assert(stage_sees_vehicle(out, the(CAR)->id));
    ck_assert(has_no_syncer(CAR));
    stage_join(stage, 5, 1, 0); /* has not spawned */
    at = stage_spawn(stage, 3, 130, 0);
    stage_run(stage, 100);
    ck_assert(syncs(at, CAR));
    stage_gone(stage, at);
    stage_spawn(stage, 6, 100, 0);
    at = stage_spawn(stage, 4, 90, 0);
    stage_run(stage, 100);
    ck_assert(syncs(at, CAR) || syncs(&stage->clients[6], CAR));
}
END_TEST

START_TEST(v_syncer_8_a_paused_driver_does_not_count)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 8, 0);

    stage_enter(stage, driver, the(CAR)->id, 0);
    link_pause(stage, driver, true);
    ck_assert(syncs(near, CAR));
    ck_assert_uint_eq(frames_accepted(near, CAR), 1);
    ck_assert_ptr_eq(vehicle_controller(stage->shard, the(CAR)), stage_player(stage, near));
}
END_TEST

START_TEST(v_syncer_8_a_frozen_driver_does_not_count)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 8, 0);

    stage_enter(stage, driver, the(CAR)->id, 0);
    freeze(driver, true);
    ck_assert(syncs(near, CAR));
    ck_assert_uint_eq(frames_accepted(near, CAR), 1);
    ck_assert_ptr_eq(vehicle_controller(stage->shard, the(CAR)), stage_player(stage, near));
    freeze(driver, false);
    ck_assert(has_no_syncer(CAR));
    ck_assert_uint_eq(frames_accepted(near, CAR), 0);
}
END_TEST

START_TEST(v_syncer_9_after_the_pause_the_driver_takes_over_from_where_the_vehicle_is)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 8, 0);
    struct wire_vehicle_frame frame;

    stage_enter(stage, driver, the(CAR)->id, 0);
    link_pause(stage, driver, true);
    frame = stage_frame(stage, near, the(CAR));
    frame.state.pos[0] = 4;
    stage_send_frame(stage, near, &frame);
    stage_forget(stage);
    link_pause(stage, driver, false);
    ck_assert(has_no_syncer(CAR));
    ck_assert_uint_eq(link_take_syncer(near, the(CAR)->id).active, 0);
    ck_assert_float_eq(the(CAR)->pos[0], 4);
    ck_assert_uint_eq(frames_accepted(driver, CAR), 1);
    ck_assert_uint_eq(frames_accepted(near, CAR), 0);
}
END_TEST

START_TEST(v_syncer_10_the_paused_and_the_frozen_are_never_syncers)
{
    struct stage_client *near = stage_spawn(stage, 2, 2, 0);
    struct stage_client *far = stage_spawn(stage, 3, 50, 0);

    stage_run(stage, 100);
    ck_assert(syncs(near, CAR));
    freeze(near, true);
    stage_run(stage, 100);
    ck_assert(syncs(far, CAR));
    freeze(near, false);
    link_pause(stage, far, true);
    stage_run(stage, 100);
    ck_assert(syncs(near, CAR));
    link_pause(stage, near, true);
    stage_run(stage, 100);
    ck_assert(has_no_syncer(CAR));
}
END_TEST

START_TEST(v_syncer_10_a_paused_driver_of_an_rc_does_not_sync_it)
{
    struct stage_client *owner = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 8, 0);

    link_model(the(CAR), 441);
    stage_run(stage, 100);
    ck_assert_uint_eq(vehicle_set_remote(stage->shard, stage_player(stage, near), the(CAR), false),
                      REASON_NONE);
    stage_run(stage, 100);
    ck_assert(syncs(near, CAR));
    link_pause(stage, near, true);
    stage_run(stage, 100);
    ck_assert(syncs(owner, CAR));
    link_pause(stage, near, false);
    stage_run(stage, 100);
    ck_assert(syncs(near, CAR)); /* it drives it all the time */
}
END_TEST

START_TEST(v_syncer_11_the_choice_follows_a_seat_at_once_and_a_walk_with_the_tick)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct stage_client *second = stage_spawn(stage, 3, 10, 0);

    ck_assert(syncs(first, CAR)); /* it was the first who saw it */
    stage_enter(stage, second, the(CAR)->id, 1);
    ck_assert(syncs(second, CAR));
    stage_exit(stage, second, the(CAR)->id);
    stage_run(stage, 2000);
    stage_walk(stage, second, 75, 0);
    stage_run(stage, 2000);
    stage_walk(stage, second, 135, 0);
    ck_assert(syncs(second, CAR));
    stage_run(stage, 100);
    ck_assert(syncs(first, CAR));
}
END_TEST

START_TEST(v_syncer_13_the_gamemode_is_told_of_a_change)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct stage_client *second = stage_spawn(stage, 3, 10, 0);

    ck_assert_uint_eq(news_of(CAR, "2", "nil"), 1);
    listen();
    stage_enter(stage, second, the(CAR)->id, 1);
    ck_assert_uint_eq(news_of(CAR, "3", "2"), 1);
    listen();
    stage_gone(stage, second); /* the previous one has left */
    ck_assert_uint_eq(news_of(CAR, "2", "nil"), 1);
    listen();
    stage_gone(stage, first);
    ck_assert_uint_eq(news_of(CAR, "nil", "nil"), 1);
}
END_TEST

START_TEST(v_syncer_13_a_driver_is_told_as_no_syncer)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);

    stage_run(stage, 100);
    listen();
    stage_enter(stage, driver, the(CAR)->id, 0);
    ck_assert_uint_eq(news_of(CAR, "nil", "2"), 1);
    ck_assert_uint_eq(all_news_of(CAR), 1);
}
END_TEST

START_TEST(v_syncer_14_changes_within_one_item_collapse)
{
    struct stage_client *first = stage_spawn(stage, 2, 2, 0);
    struct stage_client *second = stage_spawn(stage, 3, 8, 0);

    stage_run(stage, 100);
    listen();
    /* In and out at once: the syncer ends where it was. */
    the(CAR)->seats[1] = link_slot(stage, second);
    vehicle_syncer_due(stage->shard, the(CAR));
    the(CAR)->seats[1] = SLOT_NONE;
    vehicle_syncer_due(stage->shard, the(CAR));
    vehicle_syncer_run(stage->shard);
    stage_pump(stage);
    ck_assert_uint_eq(all_news_of(CAR), 0);
    ck_assert(syncs(first, CAR));
}
END_TEST

START_TEST(v_syncer_14_a_return_to_the_previous_one_is_not_reported)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);

    stage_run(stage, 100);
    listen();
    stage_forget(stage);
    /* Its gateway comes back: everything is hidden and shown anew. */
    stage_gateway_down(stage, client->gateway);
    stage_gateway_up(stage, client->gateway, 1);
    ck_assert_uint_eq(stage_count(client, PACKET_VEHICLE_SYNCER), 2 * VEHICLES); /* the client was told */
    ck_assert(syncs(client, CAR));
    ck_assert_uint_eq(all_news_of(CAR), 0);
}
END_TEST

static void take_the_seat(void *context, enum event event)
{
    struct player *player = stage_player(stage, context);

    /* A handler that seats somebody changes the syncer again. */
    if (event != EVENT_VEHICLE_SYNCER || player->vehicle != SLOT_NONE)
        return;
    player->vehicle = world_vehicle_slot(&stage->shard->world, the(CAR));
    player->seat = 1;
    the(CAR)->seats[1] = world_player_slot(&stage->shard->world, player);
    vehicle_syncer_due(stage->shard, the(CAR));
}

START_TEST(v_syncer_14_what_a_handler_changes_is_told_once_with_the_next_pass)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct stage_client *second = stage_spawn(stage, 3, 110, 0);
    struct stage_client *rider = stage_spawn(stage, 4, 120, 0);

    stage_run(stage, 2000);
    ck_assert(syncs(first, CAR));
    listen();
    events.context = rider;
    events.then = take_the_seat;
    stage_gone(stage, first);
    ck_assert_uint_eq(news_of(CAR, "3", "nil"), 1);
    ck_assert_uint_eq(all_news_of(CAR), 1);
    ck_assert(syncs(rider, CAR)); /* chosen at once */
    stage_run(stage, 100);
    ck_assert_uint_eq(news_of(CAR, "4", "3"), 1);
    ck_assert_uint_eq(all_news_of(CAR), 2);
    (void)second;
}
END_TEST

static void destroy_all(void *context, enum event event)
{
    (void)context;
    for (size_t i = 0; event == EVENT_VEHICLE_SYNCER && i < VEHICLES; i++)
        if (the(i) != NULL)
            vehicle_destroy(stage->shard, the(i));
}

START_TEST(v_syncer_14_a_handler_may_destroy_what_has_news_of_its_own)
{
    stage_spawn(stage, 2, 40, 0);
    stage_run(stage, 100);
    listen();
    events.then = destroy_all;
    stage_gone(stage, &stage->clients[2]);
    ck_assert_uint_eq(events.count, 2); /* the leave, and the first of the news */
    ck_assert_uint_eq(stage->shard->world.vehicles.count, 0);
}
END_TEST

/* It was put back with every tick, to where it was. */
START_TEST(a_vehicle_that_was_made_deep_under_the_map_is_not_put_back_there_again_and_again)
{
    the(CAR)->spawn.pos[2] = the(CAR)->pos[2] = VEHICLE_FALLEN_Z_M - 50;
    stage_run(stage, 1000);
    ck_assert_uint_eq(the(CAR)->pose_rev, 0);
    the(CAR)->pos[2] -= 10;
    stage_run(stage, 1000);
    ck_assert_uint_eq(the(CAR)->pose_rev, 1);
    ck_assert_float_eq(the(CAR)->pos[2], VEHICLE_FALLEN_Z_M - 50);
}
END_TEST

START_TEST(a_trailer_that_fell_out_of_everyones_reach_is_put_back_without_its_tractor)
{
    vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI));
    the(FIRST)->pos[2] = VEHICLE_FALLEN_Z_M - 1;
    stage_run(stage, 200);
    ck_assert_float_eq(the(FIRST)->pos[2], 10);
    ck_assert_uint_eq(the(FIRST)->links.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
}
END_TEST

START_TEST(v_syncer_7_of_two_at_the_same_distance_the_one_with_the_lower_id)
{
    struct stage_client *near = stage_spawn(stage, 9, 1, 0);
    struct stage_client *fifth = stage_spawn(stage, 5, 0, 50);
    struct stage_client *fourth = stage_spawn(stage, 4, 0, -50);

    stage_run(stage, 200);
    ck_assert(syncs(near, CAR));
    stage_gone(stage, near);
    ck_assert(syncs(fourth, CAR));
    (void)fifth;
}
END_TEST

/* The change that a handler made is undone before the pass that would have told it. */
START_TEST(v_syncer_14_what_a_handler_changes_and_the_next_pass_undoes_is_not_reported)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct stage_client *rider = stage_spawn(stage, 4, 120, 0);

    stage_spawn(stage, 3, 110, 0);
    stage_run(stage, 2000);
    ck_assert(syncs(first, CAR));
    listen();
    events.context = rider;
    events.then = take_the_seat;
    stage_gone(stage, first);
    ck_assert(syncs(rider, CAR));
    stage_gone(stage, rider); /* the third is the nearest again, as the gamemode was told */
    stage_run(stage, 100);
    ck_assert_uint_eq(all_news_of(CAR), 1);
}
END_TEST

START_TEST(a_vehicle_with_a_paused_driver_is_not_put_back)
{
    struct stage_client *driver = stage_spawn(stage, 2, 1, 0);

    stage_enter(stage, driver, the(CAR)->id, 0);
    link_pause(stage, driver, true);
    the(CAR)->pos[2] = VEHICLE_FALLEN_Z_M - 1;
    stage_run(stage, 200);
    ck_assert(has_no_syncer(CAR));
    ck_assert_float_eq(the(CAR)->pos[2], VEHICLE_FALLEN_Z_M - 1);
}
END_TEST

/* It does not fall: the gamemode has put it there. */
START_TEST(a_frozen_vehicle_deep_under_the_map_stays_where_it_is)
{
    the(CAR)->frozen = true;
    the(CAR)->pos[2] = VEHICLE_FALLEN_Z_M - 1;
    stage_run(stage, 200);
    ck_assert_float_eq(the(CAR)->pos[2], VEHICLE_FALLEN_Z_M - 1);
    the(CAR)->frozen = false;
    stage_run(stage, 200);
    ck_assert_float_eq(the(CAR)->pos[2], 10);
}
END_TEST

Suite *vehicle_syncer_suite(void)
{
    Suite *suite = suite_create("vehicle_syncer");
    TCase *tcase = tcase_create("syncers");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_syncer_1_12_only_the_syncers_are_told);
    tcase_add_test(tcase, v_syncer_2_a_vehicle_with_a_driver_has_none);
    tcase_add_test(tcase, v_syncer_3_a_trailer_is_its_tractors);
    tcase_add_test(tcase, v_syncer_3_the_tractors_syncer_counts_when_nobody_drives_it);
    tcase_add_test(tcase, v_syncer_3_a_whole_chain_follows_the_driver_of_its_tractor);
    tcase_add_test(tcase, v_syncer_3_its_passengers_do_not_sync_it);
    tcase_add_test(tcase, v_syncer_3_only_if_the_trailer_is_streamed_to_that_player);
    tcase_add_test(tcase, v_syncer_4_a_load_is_the_helicopters);
    tcase_add_test(tcase, v_syncer_5_the_first_passenger);
    tcase_add_test(tcase, v_syncer_6_the_previous_one_while_it_is_closer_than_130_m);
    tcase_add_test(tcase, v_syncer_6_a_driver_ends_the_previous_sync);
    tcase_add_test(tcase, v_syncer_7_the_nearest_spawned_player_within_130_m);
    tcase_add_test(tcase, v_syncer_8_a_paused_driver_does_not_count);
    tcase_add_test(tcase, v_syncer_8_a_frozen_driver_does_not_count);
    tcase_add_test(tcase, v_syncer_9_after_the_pause_the_driver_takes_over_from_where_the_vehicle_is);
    tcase_add_test(tcase, v_syncer_10_the_paused_and_the_frozen_are_never_syncers);
    tcase_add_test(tcase, v_syncer_10_a_paused_driver_of_an_rc_does_not_sync_it);
    tcase_add_test(tcase, v_syncer_11_the_choice_follows_a_seat_at_once_and_a_walk_with_the_tick);
    tcase_add_test(tcase, v_syncer_13_the_gamemode_is_told_of_a_change);
    tcase_add_test(tcase, v_syncer_13_a_driver_is_told_as_no_syncer);
    tcase_add_test(tcase, v_syncer_14_changes_within_one_item_collapse);
    tcase_add_test(tcase, v_syncer_14_a_return_to_the_previous_one_is_not_reported);
    tcase_add_test(tcase, v_syncer_14_what_a_handler_changes_is_told_once_with_the_next_pass);
    tcase_add_test(tcase, v_syncer_14_a_handler_may_destroy_what_has_news_of_its_own);
    tcase_add_test(tcase, v_syncer_7_of_two_at_the_same_distance_the_one_with_the_lower_id);
    tcase_add_test(tcase, v_syncer_14_what_a_handler_changes_and_the_next_pass_undoes_is_not_reported);
    tcase_add_test(tcase, a_vehicle_with_a_paused_driver_is_not_put_back);
    tcase_add_test(tcase, a_frozen_vehicle_deep_under_the_map_stays_where_it_is);
    tcase_add_test(tcase, a_vehicle_that_was_made_deep_under_the_map_is_not_put_back_there_again_and_again);
    tcase_add_test(tcase, a_trailer_that_fell_out_of_everyones_reach_is_put_back_without_its_tractor);
    suite_add_tcase(suite, tcase);
    return suite;
}
