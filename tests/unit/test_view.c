#include "bots/view.h"

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"

static struct view view;

static void teardown(void)
{
    view_fini(&view);
}

static enum view_verdict frame(uint32_t token, uint32_t seq)
{
    struct wire_remote_player_sync sync = bots_rig_frame(3, token, seq, (float)seq);

    return view_on_player_frame(&view, 1000, &sync);
}

static void leave(uint32_t token)
{
    view_on_player_leave(&view, &(struct wire_player_leave){ .player_id = 3, .player_token = token });
}

static void stream_out(uint32_t token, uint32_t last_seq)
{
    view_on_player_stream_out(&view, &(struct wire_player_stream_out){
                                         .player_id = 3, .player_token = token, .last_seq = last_seq });
}

/* ---- players: Protocol, "Sequence and generation" */

START_TEST(a_newer_frame_is_applied_and_an_older_one_is_not)
{
    ck_assert_int_eq(frame(30, 5), VIEW_BEGUN);
    ck_assert_int_eq(frame(30, 6), VIEW_APPLIED);
    ck_assert_int_eq(frame(30, 6), VIEW_STALE);
    ck_assert_int_eq(frame(30, 4), VIEW_STALE);
    ck_assert_float_eq(view_player(&view, 3)->pos[0], 6);
}
END_TEST

START_TEST(seq_wraps)
{
    ck_assert_int_eq(frame(30, UINT32_MAX), VIEW_BEGUN);
    ck_assert_int_eq(frame(30, 0), VIEW_APPLIED);
    ck_assert_int_eq(frame(30, UINT32_MAX), VIEW_STALE);
    ck_assert_int_eq(frame(30, 0x80000000), VIEW_STALE);
    ck_assert_int_eq(frame(30, 0x7FFFFFFF), VIEW_APPLIED);
}
END_TEST

START_TEST(a_later_generation_is_adopted_whatever_its_seq)
{
    frame(30, 100);
    ck_assert_int_eq(frame(31, 1), VIEW_BEGUN);
    ck_assert(view_shows_player(&view, 3, 31));
    ck_assert(!view_shows_player(&view, 3, 30));
    ck_assert_int_eq(frame(30, 101), VIEW_STRAGGLER);
}
END_TEST

START_TEST(generations_wrap)
{
    frame(UINT32_MAX, 1);
    ck_assert_int_eq(frame(1, 1), VIEW_BEGUN);
    ck_assert_int_eq(frame(UINT32_MAX, 2), VIEW_STRAGGLER);
}
END_TEST

START_TEST(who_has_left_is_not_resurrected)
{
    frame(30, 1);
    leave(30);
    ck_assert_int_eq(frame(30, 2), VIEW_STRAGGLER);
    ck_assert(!view_shows_player(&view, 3, 30));
    ck_assert(!view_on_player_event(&view, 3, 30));
    ck_assert(!view_on_player_spawned(&view, 3, 30));
}
END_TEST

START_TEST(the_leave_of_another_generation_is_ignored)
{
    frame(30, 1);
    leave(29);
    leave(31);
    ck_assert(view_shows_player(&view, 3, 30));
}
END_TEST

START_TEST(a_new_generation_clears_the_tombstone)
{
    frame(30, 1);
    leave(30);
    ck_assert_int_eq(frame(31, 1), VIEW_BEGUN);
    ck_assert_uint_eq(view_player(&view, 3)->tombstone, 0);
}
END_TEST

START_TEST(the_tombstone_covers_only_the_last_generation)
{
    frame(30, 1);
    leave(30);
    frame(31, 1);
    leave(31);
    ck_assert_int_eq(frame(31, 2), VIEW_STRAGGLER);
    ck_assert_int_eq(frame(30, 2), VIEW_BEGUN);
    ck_assert_int_eq(frame(32, 1), VIEW_BEGUN);
}
END_TEST

START_TEST(who_was_introduced_can_leave_before_the_first_frame)
{
    ck_assert(view_on_player_spawned(&view, 3, 30));
    ck_assert(!view_shows_player(&view, 3, 30));
    leave(30);
    ck_assert_int_eq(frame(30, 1), VIEW_STRAGGLER);
}
END_TEST

START_TEST(an_introduction_keeps_the_frames_of_its_generation)
{
    frame(30, 5);
    ck_assert(view_on_player_spawned(&view, 3, 30));
    ck_assert(view_shows_player(&view, 3, 30));
    ck_assert_int_eq(frame(30, 5), VIEW_STALE);
}
END_TEST

START_TEST(a_hidden_player_is_shown_again_by_a_newer_frame_only)
{
    frame(30, 5);
    stream_out(30, 8);
    ck_assert(!view_shows_player(&view, 3, 30));
    ck_assert_int_eq(frame(30, 7), VIEW_STALE);
    ck_assert_int_eq(frame(30, 8), VIEW_STALE);
    ck_assert_int_eq(frame(30, 9), VIEW_BEGUN);
    ck_assert(view_shows_player(&view, 3, 30));
}
END_TEST

START_TEST(a_hide_that_was_overtaken_by_the_next_show_changes_nothing)
{
    frame(30, 9);
    stream_out(30, 8);
    ck_assert(view_shows_player(&view, 3, 30));
}
END_TEST

START_TEST(a_hide_of_another_generation_is_ignored)
{
    frame(30, 5);
    stream_out(29, 8);
    ck_assert(view_shows_player(&view, 3, 30));
}
END_TEST

START_TEST(many_players_find_room)
{
    for (uint32_t id = 0; id < 5000; id++) {
        struct wire_remote_player_sync sync = bots_rig_frame(id * 3, 1, 1, (float)id);

        ck_assert_int_eq(view_on_player_frame(&view, 0, &sync), VIEW_BEGUN);
    }
    for (uint32_t id = 0; id < 5000; id++)
        ck_assert_float_eq(view_player(&view, id * 3)->pos[0], (float)id);
    ck_assert_ptr_null(view_player(&view, 1));
}
END_TEST

/* ---- vehicles */

static bool show(uint32_t relay_seq, float x)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, relay_seq, x);

    return view_on_vehicle_sync(&view, &sync);
}

static bool hide(void)
{
    return view_on_vehicle_sync(&view, &(struct wire_vehicle_sync){ .vehicle_id = 5 });
}

static enum view_verdict vehicle_frame(uint32_t relay_seq, float x)
{
    struct wire_remote_vehicle_frame remote = bots_rig_vehicle_frame(5, relay_seq, x);

    return view_on_vehicle_frame(&view, 1000, &remote);
}

START_TEST(a_vehicles_frames_apply_in_the_order_of_its_serial)
{
    ck_assert(show(10, 1));
    ck_assert_int_eq(vehicle_frame(10, 2), VIEW_STALE);
    ck_assert_int_eq(vehicle_frame(12, 3), VIEW_APPLIED);
    ck_assert_int_eq(vehicle_frame(11, 4), VIEW_STALE);
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 3);
}
END_TEST

START_TEST(the_relay_serial_wraps)
{
    ck_assert(show(UINT32_MAX - 1, 1));
    ck_assert_int_eq(vehicle_frame(UINT32_MAX, 2), VIEW_APPLIED);
    ck_assert_int_eq(vehicle_frame(0, 3), VIEW_APPLIED);
    ck_assert_int_eq(vehicle_frame(UINT32_MAX, 4), VIEW_STALE);
}
END_TEST

START_TEST(a_frame_of_another_life_is_not_applied)
{
    struct wire_remote_vehicle_frame remote = bots_rig_vehicle_frame(5, 11, 9);

    ck_assert(show(10, 1));
    remote.state.epoch = 2;
    ck_assert_int_eq(view_on_vehicle_frame(&view, 1000, &remote), VIEW_STALE);
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 1);
}
END_TEST

START_TEST(a_frame_that_came_before_a_newer_show_is_forgotten)
{
    ck_assert_int_eq(vehicle_frame(9, 2), VIEW_APPLIED);
    ck_assert_ptr_null(view_vehicle(&view, 5));
    ck_assert(show(10, 1));
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 1);
}
END_TEST

START_TEST(a_frame_newer_than_the_show_that_came_before_it_stays)
{
    vehicle_frame(11, 2);
    ck_assert(show(10, 1));
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 2);
    ck_assert_int_eq(vehicle_frame(11, 3), VIEW_STALE);
}
END_TEST

START_TEST(a_frame_of_a_driver_who_has_left_is_a_straggler)
{
    frame(30, 1);
    ck_assert(show(10, 1));
    leave(30);
    ck_assert_int_eq(vehicle_frame(11, 2), VIEW_STRAGGLER);
}
END_TEST

START_TEST(shows_and_hides_take_turns_but_for_a_new_life)
{
    struct wire_vehicle_sync respawn = bots_rig_show(5, 12, 0);

    ck_assert(!hide());
    ck_assert(show(10, 1));
    ck_assert(!show(11, 1));
    respawn.epoch = 2;
    ck_assert(view_on_vehicle_sync(&view, &respawn));
    ck_assert(hide());
    ck_assert(!hide());
}
END_TEST

static bool seat(uint32_t player, uint8_t place, uint8_t kind)
{
    return view_on_vehicle_occupancy(
        &view,
        &(struct wire_vehicle_occupancy){
            .vehicle_id = 5, .player_id = player, .player_token = player * 10, .seat = place, .kind = kind });
}

static uint32_t sits(size_t place)
{
    return view_vehicle(&view, 5)->seats[place].player_token;
}

START_TEST(seats_are_taken_and_freed)
{
    ck_assert(!seat(3, 0, VIEW_ENTER));
    ck_assert(show(10, 1));
    ck_assert(seat(3, 0, VIEW_ENTER));
    ck_assert(seat(4, 1, VIEW_WARP));
    ck_assert_uint_eq(sits(0), 30);
    ck_assert_uint_eq(sits(1), 40);
    ck_assert(seat(4, 2, VIEW_ENTER));
    ck_assert_uint_eq(sits(1), 0);
    ck_assert_uint_eq(sits(2), 40);
    ck_assert(seat(9, 0, VIEW_DENY));
    ck_assert_uint_eq(sits(0), 30);
    ck_assert(seat(3, 0, VIEW_JACKED));
    ck_assert(seat(9, 0, VIEW_ENTER));
    ck_assert_uint_eq(sits(0), 90);
    ck_assert(seat(9, 0, VIEW_EXIT));
    ck_assert_uint_eq(sits(0), 0);
}
END_TEST

START_TEST(a_seat_that_no_model_has_changes_nothing)
{
    ck_assert(show(10, 1));
    ck_assert(seat(3, 255, VIEW_ENTER));
    for (size_t place = 0; place < VIEW_SEATS; place++)
        ck_assert_uint_eq(sits(place), 0);
}
END_TEST

START_TEST(a_hide_forgets_the_seats)
{
    ck_assert(show(10, 1));
    ck_assert(seat(3, 0, VIEW_ENTER));
    ck_assert(hide());
    ck_assert(show(11, 1));
    ck_assert_uint_eq(sits(0), 0);
}
END_TEST

START_TEST(whoever_leaves_frees_a_seat)
{
    ck_assert(show(10, 1));
    ck_assert(seat(3, 0, VIEW_ENTER));
    leave(30);
    ck_assert_uint_eq(sits(0), 0);
}
END_TEST

START_TEST(commands_apply_to_their_life_alone)
{
    struct view_vehicle *vehicle;

    ck_assert(show(10, 1));
    vehicle = view_vehicle(&view, 5);
    ck_assert(view_on_vehicle_health(
        &view, &(struct wire_vehicle_health){ .vehicle_id = 5, .epoch = 2, .health = 5, .health_rev = 9 }));
    ck_assert(view_on_vehicle_death(&view, &(struct wire_vehicle_death){ .vehicle_id = 5, .epoch = 2 }));
    ck_assert_uint_eq(vehicle->health_rev, 2);
    ck_assert(!vehicle->is_wrecked);
    ck_assert(view_on_vehicle_health(
        &view, &(struct wire_vehicle_health){ .vehicle_id = 5, .epoch = 1, .health = 5, .health_rev = 9 }));
    ck_assert(view_on_vehicle_params(
        &view, &(struct wire_vehicle_params){ .vehicle_id = 5, .params = 4, .siren_rev = 8 }));
    ck_assert(view_on_vehicle_death(&view, &(struct wire_vehicle_death){ .vehicle_id = 5, .epoch = 1 }));
    ck_assert_uint_eq(vehicle->health_rev, 9);
    ck_assert_uint_eq(vehicle->siren_rev, 8);
    ck_assert_uint_eq(vehicle->params, 4);
    ck_assert(vehicle->is_wrecked);
}
END_TEST

START_TEST(a_transform_does_not_undo_a_newer_frame)
{
    struct wire_vehicle_transform transform = {
        .vehicle_id = 5, .epoch = 1, .relay_seq = 12, .pose_rev = 9, .flags = 1, .pos = { 50, 0, 0 }
    };

    ck_assert(show(10, 1));
    vehicle_frame(13, 3);
    ck_assert(view_on_vehicle_transform(&view, &transform));
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 3);
    ck_assert_uint_eq(view_vehicle(&view, 5)->pose_rev, 9);
    transform.relay_seq = 14;
    ck_assert(view_on_vehicle_transform(&view, &transform));
    ck_assert_float_eq(view_vehicle(&view, 5)->pos[0], 50);
    ck_assert_int_eq(vehicle_frame(14, 4), VIEW_STALE);
}
END_TEST

START_TEST(hidden_vehicles_make_room_for_others)
{
    for (uint32_t id = 1; id <= 20000; id++) {
        struct wire_vehicle_sync sync = bots_rig_show(id, 1, (float)id);

        ck_assert(view_on_vehicle_sync(&view, &sync));
        if (id > 10)
            ck_assert(view_on_vehicle_sync(&view, &(struct wire_vehicle_sync){ .vehicle_id = id - 10 }));
    }
    ck_assert_uint_lt(view.vehicles_capacity, 100);
    ck_assert_float_eq(view_vehicle(&view, 19995)->pos[0], 19995);
    ck_assert_ptr_null(view_vehicle(&view, 19990));
}
END_TEST

Suite *view_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *players = tcase_create("players");
    TCase *vehicles = tcase_create("vehicles");

    tcase_add_checked_fixture(players, NULL, teardown);
    tcase_add_test(players, a_newer_frame_is_applied_and_an_older_one_is_not);
    tcase_add_test(players, seq_wraps);
    tcase_add_test(players, a_later_generation_is_adopted_whatever_its_seq);
    tcase_add_test(players, generations_wrap);
    tcase_add_test(players, who_has_left_is_not_resurrected);
    tcase_add_test(players, the_leave_of_another_generation_is_ignored);
    tcase_add_test(players, a_new_generation_clears_the_tombstone);
    tcase_add_test(players, the_tombstone_covers_only_the_last_generation);
    tcase_add_test(players, who_was_introduced_can_leave_before_the_first_frame);
    tcase_add_test(players, an_introduction_keeps_the_frames_of_its_generation);
    tcase_add_test(players, a_hidden_player_is_shown_again_by_a_newer_frame_only);
    tcase_add_test(players, a_hide_that_was_overtaken_by_the_next_show_changes_nothing);
    tcase_add_test(players, a_hide_of_another_generation_is_ignored);
    tcase_add_test(players, many_players_find_room);
    suite_add_tcase(suite, players);
    tcase_add_checked_fixture(vehicles, NULL, teardown);
    tcase_add_test(vehicles, a_vehicles_frames_apply_in_the_order_of_its_serial);
    tcase_add_test(vehicles, the_relay_serial_wraps);
    tcase_add_test(vehicles, a_frame_of_another_life_is_not_applied);
    tcase_add_test(vehicles, a_frame_that_came_before_a_newer_show_is_forgotten);
    tcase_add_test(vehicles, a_frame_newer_than_the_show_that_came_before_it_stays);
    tcase_add_test(vehicles, a_frame_of_a_driver_who_has_left_is_a_straggler);
    tcase_add_test(vehicles, shows_and_hides_take_turns_but_for_a_new_life);
    tcase_add_test(vehicles, seats_are_taken_and_freed);
    tcase_add_test(vehicles, a_seat_that_no_model_has_changes_nothing);
    tcase_add_test(vehicles, a_hide_forgets_the_seats);
    tcase_add_test(vehicles, whoever_leaves_frees_a_seat);
    tcase_add_test(vehicles, commands_apply_to_their_life_alone);
    tcase_add_test(vehicles, a_transform_does_not_undo_a_newer_frame);
    tcase_add_test(vehicles, hidden_vehicles_make_room_for_others);
    suite_add_tcase(suite, vehicles);
    return suite;
}
