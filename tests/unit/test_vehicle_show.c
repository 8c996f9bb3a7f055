#include <math.h>
#include <stddef.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "tests/unit/seats.h"
#include "tests/unit/suites.h"

static struct seats seats;

static void setup(void)
{
    seats_open(&seats);
}

static void teardown(void)
{
    seats_close(&seats);
}

/* What somebody is shown of the car who comes by now. */
static struct wire_vehicle_sync show_of(struct vehicle *vehicle)
{
    struct stage_client *late = stage_spawn(seats.stage, 9, vehicle->pos[0] + 20, vehicle->pos[1]);
    struct wire_vehicle_sync show = seats_take_sync(late, vehicle->id);

    ck_assert_uint_eq(show.active, 1);
    stage_gone(seats.stage, late);
    return show;
}

static struct wire_vehicle_transform take_transform(struct stage_client *client)
{
    struct wire_vehicle_transform transform;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_VEHICLE_TRANSFORM);

    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_vehicle_transform_decode(&transform, packet->bytes, packet->size, &error));
    return transform;
}

static void go(struct stage_client *client, float x, float y, struct scope scope)
{
    struct place there = { .scope = scope, .pos = { x, y, 10 } };

    ck_assert_uint_eq(
        player_teleport(seats.stage->shard, stage_player(seats.stage, client), seats.stage->now_ms, &there),
        REASON_NONE);
    seats_handled(&seats);
}

/* ---- streaming */

START_TEST(v_sync_7_shows_and_hides_travel_on_the_reliable_stream)
{
    uint32_t received = seats.watcher->received;

    go(seats.watcher, 3000, 0, (struct scope){ 0 });
    ck_assert_uint_gt(seats.watcher->received, received); /* numbered with the other events */
    ck_assert_uint_eq(wire_packet_by_name("VehicleSync")->lane, WIRE_RELIABLE);
}
END_TEST

START_TEST(v_sync_8_a_show_that_a_full_lane_refused_is_repeated)
{
    struct player *watcher = stage_player(seats.stage, seats.watcher);
    struct shard_vehicle what = stage_car(411, 10, 10);
    struct vehicle *made;
    const struct stage_packet *packet;

    seats.watcher->silent = true;
    watcher->lane.sent = watcher->lane.acked + LANE_DROPPABLE_MAX;
    ck_assert_uint_eq(vehicle_create_owned(seats.stage->shard, 1, &what, &made), REASON_NONE);
    stage_run(seats.stage, 300);
    ck_assert(!stage_sees_vehicle(seats.watcher, made->id));
    watcher->lane.acked = watcher->lane.sent;
    stage_run(seats.stage, 100);
    packet = stage_take(seats.watcher, PACKET_VEHICLE_SYNC);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__DROPPABLE);
    ck_assert(stage_sees_vehicle(seats.watcher, made->id));
}
END_TEST

START_TEST(v_sync_8_a_hide_that_a_full_lane_refused_is_repeated)
{
    struct player *watcher = stage_player(seats.stage, seats.watcher);
    uint32_t id = seats.car->id;

    seats.watcher->silent = true;
    watcher->lane.sent = watcher->lane.acked + LANE_DROPPABLE_MAX;
    vehicle_destroy(seats.stage->shard, seats.car);
    seats_handled(&seats);
    ck_assert(stage_sees_vehicle(seats.watcher, id));
    watcher->lane.acked = watcher->lane.sent;
    stage_run(seats.stage, 100);
    ck_assert(!stage_sees_vehicle(seats.watcher, id));
}
END_TEST

START_TEST(v_sync_9_each_player_has_its_own_streamed_set)
{
    struct stage_client *far = stage_spawn(seats.stage, 5, 1000, 1000);

    ck_assert(stage_sees_vehicle(far, seats_vehicle(&seats, SEATS_FAR_CAR)->id));
    ck_assert(!stage_sees_vehicle(far, seats.car->id));
    ck_assert(stage_sees_vehicle(seats.driver, seats.car->id));
    ck_assert(!stage_sees_vehicle(seats.driver, seats_vehicle(&seats, SEATS_FAR_CAR)->id));
}
END_TEST

START_TEST(v_sync_10_a_vehicle_is_shown_within_two_hundred_m)
{
    struct stage_client *client = stage_spawn(seats.stage, 5, nextafterf(200, 300), 0);

    stage_run(seats.stage, 100);
    ck_assert(!stage_sees_vehicle(client, seats.car->id));
    stage_walk(seats.stage, client, 200, 0);
    stage_run(seats.stage, 100);
    ck_assert(stage_sees_vehicle(client, seats.car->id));
}
END_TEST

START_TEST(v_sync_10_it_is_shown_in_its_virtual_world_and_interior_alone)
{
    go(seats.watcher, 8, 0, (struct scope){ .interior = 1 });
    ck_assert(!stage_sees_vehicle(seats.watcher, seats.car->id));
    go(seats.watcher, 8, 0, (struct scope){ .virtual_world = 2 });
    ck_assert(!stage_sees_vehicle(seats.watcher, seats.car->id));
    go(seats.watcher, 8, 0, (struct scope){ 0 });
    ck_assert(stage_sees_vehicle(seats.watcher, seats.car->id));
}
END_TEST

START_TEST(v_sync_11_it_is_hidden_when_it_leaves_that_distance)
{
    struct stage_client *client = stage_spawn(seats.stage, 5, 200, 0);

    ck_assert(stage_sees_vehicle(client, seats.car->id));
    stage_walk(seats.stage, client, nextafterf(200, 300), 0);
    stage_run(seats.stage, 100);
    ck_assert(!stage_sees_vehicle(client, seats.car->id));
}
END_TEST

START_TEST(v_sync_11_it_is_hidden_when_its_own_scope_changes)
{
    vehicle_set_scope(seats.stage->shard, seats.car, (struct scope){ .interior = 4 });
    seats_handled(&seats);
    ck_assert_uint_eq(seats_take_sync(seats.watcher, seats.car->id).active, 0);
}
END_TEST

START_TEST(v_sync_11_it_is_hidden_when_it_is_removed)
{
    uint32_t id = seats.car->id;

    vehicle_destroy(seats.stage->shard, seats.car);
    seats_handled(&seats);
    ck_assert_uint_eq(seats_take_sync(seats.watcher, id).active, 0);
}
END_TEST

START_TEST(v_sync_13_a_connection_gets_what_is_visible_from_its_spawn_point)
{
    struct stage_client *client = stage_join(seats.stage, 5, 199, 0);

    ck_assert(stage_sees_vehicle(client, seats.car->id)); /* before it has spawned */
    ck_assert(!stage_sees_vehicle(client, seats_vehicle(&seats, SEATS_FAR_CAR)->id));
}
END_TEST

START_TEST(v_sync_14_a_hide_is_zeros_but_for_the_id)
{
    static const uint8_t zeros[WIRE_VEHICLE_SYNC_SIZE];
    size_t rest = WIRE_VEHICLE_SYNC_VEHICLE_ID_AT + sizeof(uint32_t);
    const struct stage_packet *hide;

    seats.car->relay_seq = 5;
    seats.car->part = 6;
    seats.car->pose_rev = 7;
    go(seats.watcher, 3000, 0, (struct scope){ 0 });
    do {
        hide = stage_take(seats.watcher, PACKET_VEHICLE_SYNC);
        ck_assert_ptr_nonnull(hide);
    } while (load_u32(hide->bytes + WIRE_VEHICLE_SYNC_VEHICLE_ID_AT) != seats.car->id);
    ck_assert_uint_eq(hide->size, WIRE_VEHICLE_SYNC_SIZE);
    ck_assert_mem_eq(hide->bytes + rest, zeros, WIRE_VEHICLE_SYNC_SIZE - rest);
}
END_TEST

START_TEST(v_sync_15_a_vehicle_is_streamed_to_its_occupants_however_far_they_seem)
{
    seats_drive(&seats);
    seats_set_pos(&seats, seats.driver, 5000, 0, 10);
    stage_run(seats.stage, 300);
    ck_assert(stage_sees_vehicle(seats.driver, seats.car->id));
    ck_assert(!stage_sees_vehicle(seats.driver, seats_vehicle(&seats, SEATS_OTHER_CAR)->id));
    seats_set_pos(&seats, seats.driver, 2, 0, 10);
}
END_TEST

START_TEST(v_sync_15_an_occupant_is_in_the_vehicles_scope)
{
    seats_drive(&seats);
    vehicle_set_scope(seats.stage->shard, seats.car, (struct scope){ .virtual_world = 4, .interior = 5 });
    seats_handled(&seats);
    ck_assert(scope_equal(stage_player(seats.stage, seats.driver)->place.scope, seats.car->scope));
}
END_TEST

/* ---- what a show carries */

START_TEST(v_sync_16_the_last_health_accepted_from_who_controls_it)
{
    struct wire_vehicle_frame frame;

    seats_drive(&seats);
    frame = stage_frame(seats.stage, seats.driver, seats.car);
    frame.state.health = 812.5f;
    stage_send_frame(seats.stage, seats.driver, &frame);
    ck_assert_float_eq(show_of(seats.car).health, 812.5f);
}
END_TEST

START_TEST(v_sync_17_an_exploded_wreck)
{
    seats.car->wrecked = true;
    seats.car->health.value = 0;
    ck_assert_uint_eq(show_of(seats.car).flags, 1);
    ck_assert_float_eq(show_of(seats.car).health, 0);
}
END_TEST

START_TEST(v_sync_18_drowned_is_told_of_a_wreck_alone)
{
    seats.car->drowned = true;
    ck_assert_uint_eq(show_of(seats.car).flags, 0);
    seats.car->wrecked = true;
    ck_assert_uint_eq(show_of(seats.car).flags, 3);
}
END_TEST

START_TEST(v_sync_19_only_trains_face_along_the_track_or_are_derailed)
{
    struct vehicle *train = seats_vehicle(&seats, SEATS_TRAIN);

    seats.car->clockwise = train->clockwise = true;
    ck_assert_uint_eq(show_of(seats.car).flags, 0);
    ck_assert_uint_eq(show_of(train).flags, 4);
    seats.car->derailed = train->derailed = true;
    ck_assert_uint_eq(show_of(seats.car).flags, 0);
    ck_assert_uint_eq(show_of(train).flags, 12);
}
END_TEST

START_TEST(v_sync_23_the_relay_serial_of_the_moment)
{
    struct wire_vehicle_frame frame;

    seats.car->relay_seq = UINT32_MAX - 1;
    seats_drive(&seats);
    frame = stage_frame(seats.stage, seats.driver, seats.car);
    stage_send_frame(seats.stage, seats.driver, &frame);
    ck_assert_uint_eq(show_of(seats.car).relay_seq, UINT32_MAX);
    frame = stage_frame(seats.stage, seats.driver, seats.car);
    stage_send_frame(seats.stage, seats.driver, &frame);
    ck_assert_uint_eq(show_of(seats.car).relay_seq, 0);
}
END_TEST

START_TEST(v_sync_24_the_revisions_of_the_last_commands)
{
    seats.car->health.rev = UINT16_MAX;
    seats.car->pose_rev = 12;
    ck_assert_uint_eq(show_of(seats.car).health_rev, UINT16_MAX);
    ck_assert_uint_eq(show_of(seats.car).pose_rev, 12);
}
END_TEST

START_TEST(v_sync_25_nothing_tows_or_lifts_it)
{
    ck_assert_uint_eq(show_of(seats.car).tractor_id, 0xFFFFFFFF);
    ck_assert_uint_eq(show_of(seats.car).lifter_id, 0xFFFFFFFF);
}
END_TEST

START_TEST(v_sync_26_the_last_position_of_its_moving_part)
{
    seats.car->model = model_find(520);
    seats.car->part = 4321;
    ck_assert_uint_eq(show_of(seats.car).part, 4321);
}
END_TEST

START_TEST(v_sync_27_the_recipients_own_lock_and_marker_and_the_open_doors)
{
    struct shard *shard = seats.stage->shard;
    struct stage_client *late = stage_join(seats.stage, 5, 500, 0);
    struct wire_vehicle_sync show;

    ck_assert_uint_eq(
        vehicle_set_locked_for(shard, seats.car, stage_player(seats.stage, late), OWN_LOCK_LOCKED),
        REASON_NONE);
    ck_assert_uint_eq(vehicle_set_objective(shard, seats.car, stage_player(seats.stage, late), true),
                      REASON_NONE);
    ck_assert_uint_eq(vehicle_set_door(shard, seats.car, 2, true), REASON_NONE);
    seats_handled(&seats);
    stage_gone(seats.stage, seats.watcher);
    show = show_of(seats.car);
    ck_assert_uint_eq(show.params, 0);
    ck_assert_uint_eq(show.doors, 1 << 2);
    stage_request_spawn(seats.stage, late);
    stage_walk(seats.stage, late, 500, 0);
    go(late, 20, 0, (struct scope){ 0 });
    show = seats_take_sync(late, seats.car->id);
    ck_assert_uint_eq(show.params, 1 << 2 | 1 << 7);
    ck_assert_uint_eq(show.doors, 1 << 2);
}
END_TEST

/* ---- what follows a show */

START_TEST(v_sync_29_the_rotation_of_a_vehicle_that_does_not_stand_level)
{
    static const float on_its_roof[4] = { 0, 1, 0, 0 };
    struct stage_client *late;
    struct wire_vehicle_transform transform;

    memcpy(seats.car->rot, on_its_roof, sizeof seats.car->rot);
    seats.car->relay_seq = 9;
    late = stage_spawn(seats.stage, 5, 20, 0);
    transform = take_transform(late);
    ck_assert_uint_eq(transform.vehicle_id, seats.car->id);
    ck_assert_uint_eq(transform.flags, 2);
    ck_assert_mem_eq(transform.rot, on_its_roof, sizeof transform.rot);
    ck_assert_float_eq(transform.pos[0], 0);
    ck_assert_uint_eq(transform.relay_seq, 9);
    ck_assert_uint_eq(transform.pose_rev, 0);
    ck_assert_uint_lt(stage_order(late, PACKET_VEHICLE_SYNC), stage_order(late, PACKET_VEHICLE_TRANSFORM));
}
END_TEST

START_TEST(v_sync_29_the_pose_of_a_frozen_vehicle)
{
    struct stage_client *late;
    struct wire_vehicle_transform transform;

    seats.car->frozen = true;
    seats.car->pos[0] = 1;
    seats.car->pose_rev = 3;
    late = stage_spawn(seats.stage, 5, 20, 0);
    transform = take_transform(late);
    ck_assert_uint_eq(transform.flags, 1 | 2 | 16);
    ck_assert_float_eq(transform.pos[0], 1);
    ck_assert_mem_eq(transform.rot, seats.car->rot, sizeof transform.rot);
    ck_assert_uint_eq(transform.pose_rev, 3);
}
END_TEST

START_TEST(v_sync_29_a_level_vehicle_needs_no_transform)
{
    ck_assert_uint_eq(stage_count(stage_spawn(seats.stage, 5, 20, 0), PACKET_VEHICLE_TRANSFORM), 0);
}
END_TEST

START_TEST(v_sync_30_tuning_and_handling_as_far_as_there_are_any)
{
    struct stage_client *before = stage_spawn(seats.stage, 5, 20, 0);
    struct stage_client *after;

    ck_assert_uint_eq(stage_count(before, PACKET_VEHICLE_TUNING), 0);
    ck_assert_uint_eq(stage_count(before, PACKET_VEHICLE_HANDLING), 0);
    ck_assert_uint_eq(vehicle_add_component(seats.stage->shard, seats.car, 1010), REASON_NONE);
    ck_assert_uint_eq(vehicle_set_handling(seats.stage->shard, seats.car, 0, &(float){ 2000 }), REASON_NONE);
    after = stage_spawn(seats.stage, 6, 20, 0);
    ck_assert_uint_eq(stage_count(after, PACKET_VEHICLE_TUNING), 1);
    ck_assert_uint_eq(stage_count(after, PACKET_VEHICLE_HANDLING), 1);
    ck_assert_uint_lt(stage_order(after, PACKET_VEHICLE_SYNC), stage_order(after, PACKET_VEHICLE_TUNING));
    ck_assert_uint_lt(stage_order(after, PACKET_VEHICLE_SYNC), stage_order(after, PACKET_VEHICLE_HANDLING));
    stage_forget(seats.stage);
    vehicle_respawn(seats.stage->shard, seats.car);
    seats_handled(&seats);
    ck_assert_uint_eq(stage_count(after, PACKET_VEHICLE_TUNING), 1);
    ck_assert_uint_eq(stage_count(after, PACKET_VEHICLE_HANDLING), 1);
}
END_TEST

START_TEST(v_sync_31_who_sits_there_follows_the_show)
{
    struct stage_client *late;

    seats_drive(&seats);
    late = stage_spawn(seats.stage, 5, 20, 0);
    ck_assert_uint_eq(seats_take_occupancy(late).kind, KIND_WARP);
    ck_assert_uint_lt(stage_order(late, PACKET_VEHICLE_SYNC), stage_order(late, PACKET_VEHICLE_OCCUPANCY));
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

Suite *vehicle_show_suite(void)
{
    Suite *suite = suite_create("vehicle_show");
    TCase *tcase = tcase_create("shows");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_sync_7_shows_and_hides_travel_on_the_reliable_stream);
    tcase_add_test(tcase, v_sync_8_a_show_that_a_full_lane_refused_is_repeated);
    tcase_add_test(tcase, v_sync_8_a_hide_that_a_full_lane_refused_is_repeated);
    tcase_add_test(tcase, v_sync_9_each_player_has_its_own_streamed_set);
    tcase_add_test(tcase, v_sync_10_a_vehicle_is_shown_within_two_hundred_m);
    tcase_add_test(tcase, v_sync_10_it_is_shown_in_its_virtual_world_and_interior_alone);
    tcase_add_test(tcase, v_sync_11_it_is_hidden_when_it_leaves_that_distance);
    tcase_add_test(tcase, v_sync_11_it_is_hidden_when_its_own_scope_changes);
    tcase_add_test(tcase, v_sync_11_it_is_hidden_when_it_is_removed);
    tcase_add_test(tcase, v_sync_13_a_connection_gets_what_is_visible_from_its_spawn_point);
    tcase_add_test(tcase, v_sync_14_a_hide_is_zeros_but_for_the_id);
    tcase_add_test(tcase, v_sync_15_a_vehicle_is_streamed_to_its_occupants_however_far_they_seem);
    tcase_add_test(tcase, v_sync_15_an_occupant_is_in_the_vehicles_scope);
    tcase_add_test(tcase, v_sync_16_the_last_health_accepted_from_who_controls_it);
    tcase_add_test(tcase, v_sync_17_an_exploded_wreck);
    tcase_add_test(tcase, v_sync_18_drowned_is_told_of_a_wreck_alone);
    tcase_add_test(tcase, v_sync_19_only_trains_face_along_the_track_or_are_derailed);
    tcase_add_test(tcase, v_sync_23_the_relay_serial_of_the_moment);
    tcase_add_test(tcase, v_sync_24_the_revisions_of_the_last_commands);
    tcase_add_test(tcase, v_sync_25_nothing_tows_or_lifts_it);
    tcase_add_test(tcase, v_sync_26_the_last_position_of_its_moving_part);
    tcase_add_test(tcase, v_sync_27_the_recipients_own_lock_and_marker_and_the_open_doors);
    tcase_add_test(tcase, v_sync_29_the_rotation_of_a_vehicle_that_does_not_stand_level);
    tcase_add_test(tcase, v_sync_29_the_pose_of_a_frozen_vehicle);
    tcase_add_test(tcase, v_sync_29_a_level_vehicle_needs_no_transform);
    tcase_add_test(tcase, v_sync_30_tuning_and_handling_as_far_as_there_are_any);
    tcase_add_test(tcase, v_sync_31_who_sits_there_follows_the_show);
    suite_add_tcase(suite, tcase);
    return suite;
}
