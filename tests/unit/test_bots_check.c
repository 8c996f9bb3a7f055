#include "bots/check.h"

#include <string.h>

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"

enum { BOTS = 3, ID = 10, TOKEN = 100, VEHICLE = 5 };

static struct check check;
static struct client clients[BOTS];
static struct rng rng;
static uint64_t now_ms;
static uint32_t seqs[BOTS];

static void discard(void *context, struct span datagram)
{
    (void)context;
    (void)datagram;
}

static void join(uint32_t bot, uint32_t token, float x)
{
    const struct client_config config = { .name = "Ann", .password = "", .frame_ms = 33, .send = discard };
    struct client *client = &clients[bot];

    client_init(client, &config, &rng);
    client->state = CLIENT_SPAWNED;
    client->player_id = ID + bot;
    client->player_token = token;
    client->heard_ms = now_ms;
    client->grants = 1;
    client->frame = (struct wire_frame){ .pos = { x, 0, 0 }, .vehicle_id = WIRE_NONE };
    check_joined(&check, now_ms, bot, client);
}

/* Two who are near each other, and one who is far from both. */
static void setup(void)
{
    const struct check_config config = { .bots = BOTS, .window_ms = 3000, .left_ms = 3000 };

    now_ms = 1000 * 1000;
    rng_init_seeded(&rng, 1);
    check_init(&check, &config);
    check.measures = true;
    memset(seqs, 0, sizeof seqs);
    join(0, TOKEN, 0);
    join(1, TOKEN + 1, 100);
    join(2, TOKEN + 2, 1000);
}

static void teardown(void)
{
    for (uint32_t i = 0; i < BOTS; i++)
        client_fini(&clients[i]);
    check_fini(&check);
}

/* The observer is told of a frame that says the subject is at x. */
static void tell(uint32_t observer, uint32_t subject, float x)
{
    struct wire_remote_player_sync sync =
        bots_rig_frame(ID + subject, clients[subject].player_token, ++seqs[subject], x);

    check_sent(&check, subject, sync.seq, sync.frame.pos, now_ms);
    (void)view_on_player_frame(&clients[observer].view, now_ms, &sync);
    check_heard(&check, &sync, now_ms);
}

static void tell_truth(uint32_t observer, uint32_t subject)
{
    tell(observer, subject, clients[subject].frame.pos[0]);
}

static void hide(uint32_t observer, uint32_t subject)
{
    view_on_player_stream_out(&clients[observer].view,
                              &(struct wire_player_stream_out){ .player_id = ID + subject,
                                                                .player_token = clients[subject].player_token,
                                                                .last_seq = seqs[subject] });
}

static void pass(uint64_t ms, void (*each_sample)(void))
{
    for (uint64_t end_ms = now_ms + ms; now_ms < end_ms; now_ms += CHECK_SAMPLE_MS) {
        if (each_sample != NULL)
            each_sample();
        check_tick(&check, now_ms);
    }
}

static uint64_t all_violations(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < VIOLATIONS; i++)
        sum += check.violations[i];
    return sum;
}

static void as_it_should_be(void)
{
    tell_truth(0, 1);
    tell_truth(1, 0);
}

START_TEST(who_sees_what_is_near_and_nothing_else_is_right)
{
    pass(20 * 1000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
    ck_assert_uint_gt(check.views, 0);
}
END_TEST

static void only_0_sees(void)
{
    tell_truth(0, 1);
}

START_TEST(who_is_near_for_the_whole_window_must_be_shown)
{
    pass(3000, only_0_sees);
    ck_assert_uint_eq(all_violations(), 0);
    pass(1000, only_0_sees);
    ck_assert_uint_gt(check.violations[VIOLATION_UNSEEN_PLAYER], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_UNSEEN_PLAYER]);
    ck_assert_ptr_nonnull(strstr(check.notes[0], "unseen_player"));
}
END_TEST

START_TEST(who_has_just_come_near_need_not_be_shown_yet)
{
    clients[1].frame.pos[0] = 500;
    pass(5000, NULL);
    clients[1].frame.pos[0] = 100;
    pass(2500, NULL);
    ck_assert_uint_eq(all_violations(), 0);
    pass(1500, NULL);
    ck_assert_uint_gt(check.violations[VIOLATION_UNSEEN_PLAYER], 0);
}
END_TEST

START_TEST(who_stays_on_the_border_may_be_shown_or_not)
{
    clients[1].frame.pos[0] = 205;
    pass(10 * 1000, NULL);
    ck_assert_uint_eq(all_violations(), 0);
    pass(10 * 1000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

START_TEST(who_waits_behind_a_full_lane_need_not_be_shown)
{
    for (int i = 0; i < 20; i++) {
        clients[0].stats.duplicates += 200;
        clients[1].stats.ahead += 200;
        pass(1000, NULL);
    }
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

static void sees_2_as_well(void)
{
    as_it_should_be();
    tell_truth(0, 2);
}

START_TEST(who_is_far_for_the_whole_window_must_be_hidden)
{
    pass(5000, sees_2_as_well);
    ck_assert_uint_gt(check.violations[VIOLATION_FAR_PLAYER], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_FAR_PLAYER]);
}
END_TEST

START_TEST(who_is_hidden_again_in_time_is_right)
{
    pass(5000, as_it_should_be);
    tell_truth(0, 2);
    hide(0, 2);
    pass(5000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

START_TEST(another_scope_is_far)
{
    clients[1].virtual_world = 9;
    pass(5000, as_it_should_be);
    ck_assert_uint_gt(check.violations[VIOLATION_FAR_PLAYER], 0);
    ck_assert_uint_eq(check.violations[VIOLATION_UNSEEN_PLAYER], 0);
}
END_TEST

START_TEST(a_shown_player_goes_on_being_told_of)
{
    pass(1000, as_it_should_be);
    pass(5000, only_0_sees);
    ck_assert_uint_gt(check.violations[VIOLATION_STALE_PLAYER], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_STALE_PLAYER]);
}
END_TEST

static void moved(void)
{
    tell(0, 1, clients[1].frame.pos[0] + 60);
    tell_truth(1, 0);
}

START_TEST(a_player_is_shown_where_it_has_been)
{
    pass(5000, moved);
    ck_assert_uint_gt(check.violations[VIOLATION_MISPLACED_PLAYER], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_MISPLACED_PLAYER]);
}
END_TEST

static float was_at;

static void walks(void)
{
    clients[1].frame.pos[0] = was_at;
    was_at += 10;
    tell(0, 1, was_at - 30); /* where it was half a second ago */
    tell_truth(1, 0);
}

START_TEST(where_it_was_lately_is_where_it_has_been)
{
    was_at = 0;
    pass(4000, walks);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

START_TEST(who_has_been_placed_elsewhere_is_not_judged_by_where_it_was)
{
    pass(5000, as_it_should_be);
    clients[1].frame.pos[0] = 20;
    clients[1].grants++;
    pass(5000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

static void sees_who_left(void)
{
    tell_truth(0, 1);
    tell_truth(1, 0);
}

START_TEST(who_has_left_is_shown_no_more_after_a_while)
{
    pass(4000, as_it_should_be);
    check_left(&check, now_ms, 1);
    pass(3000, sees_who_left);
    ck_assert_uint_eq(all_violations(), 0);
    pass(1000, sees_who_left);
    ck_assert_uint_gt(check.violations[VIOLATION_GONE_PLAYER], 0);
}
END_TEST

START_TEST(the_former_owner_of_an_id_is_shown_no_more_after_a_while)
{
    uint32_t former = clients[1].player_token;
    struct wire_remote_player_sync sync = bots_rig_frame(ID + 1, former, 1000, 100);

    pass(4000, as_it_should_be);
    check_left(&check, now_ms, 1);
    client_fini(&clients[1]);
    clients[0].view.players_count = 0;
    ids_clear(&clients[0].view.player_ids);
    pass(5000, NULL);
    join(1, former + 10, 1000);
    (void)view_on_player_frame(&clients[0].view, now_ms, &sync);
    pass(3000, NULL);
    ck_assert_uint_eq(check.violations[VIOLATION_OLD_GENERATION], 0);
    pass(3000, NULL);
    ck_assert_uint_gt(check.violations[VIOLATION_OLD_GENERATION], 0);
}
END_TEST

START_TEST(two_bots_are_not_the_same_player)
{
    clients[2].player_id = ID;
    clients[2].player_token = TOKEN + 50;
    check_joined(&check, now_ms, 2, &clients[2]);
    ck_assert_uint_eq(check.violations[VIOLATION_SAME_PLAYER], 1);
}
END_TEST

START_TEST(an_id_goes_to_later_generations_only)
{
    check_left(&check, now_ms, 1);
    client_fini(&clients[1]);
    join(1, TOKEN, 0);
    ck_assert_uint_eq(check.violations[VIOLATION_SAME_PLAYER], 1);
}
END_TEST

START_TEST(strangers_are_not_judged)
{
    struct wire_remote_player_sync sync = bots_rig_frame(5000, 1, 1, 5000);

    (void)view_on_player_frame(&clients[0].view, now_ms, &sync);
    pass(5000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

/* ---- a late server */

START_TEST(the_window_grows_with_the_latency)
{
    struct wire_remote_player_sync sync = bots_rig_frame(ID + 1, TOKEN + 1, 7, 100);

    check_sent(&check, 1, 7, clients[1].frame.pos, 1000);
    for (int i = 0; i < 5; i++) {
        check_heard(&check, &sync, 1000 + UINT64_C(1000000000));
        pass(1000, NULL);
    }
    ck_assert_uint_eq(all_violations(), 0);
    check_heard(&check, &sync, 1000 + UINT64_C(1000000000));
    pass(1000, NULL);
    ck_assert_uint_gt(check.violations[VIOLATION_UNSEEN_PLAYER], 0);
}
END_TEST

START_TEST(a_server_that_is_much_too_late_is_not_judged)
{
    struct wire_remote_player_sync sync = bots_rig_frame(ID + 1, TOKEN + 1, 7, 100);

    for (int i = 0; i < 20; i++) {
        check_heard(&check, &sync, 1);
        pass(1000, NULL);
    }
    ck_assert_uint_eq(all_violations(), 0);
    ck_assert_uint_gt(check.late_sweeps, 0);
    ck_assert_uint_gt(check.unmatched, 0);
}
END_TEST

START_TEST(a_relay_is_timed_from_its_frames_departure)
{
    struct wire_remote_player_sync sync = bots_rig_frame(ID + 1, TOKEN + 1, UINT32_MAX, 100);

    check_sent(&check, 1, UINT32_MAX, clients[1].frame.pos, 1000000);
    check_heard(&check, &sync, 3500000);
    ck_assert_uint_eq(check.latency.count, 1);
    ck_assert_uint_eq(check.latency.max_us, 2500);
    ck_assert_uint_eq(check.held, 0);
    sync.frame.pos[0] = 99;
    check_heard(&check, &sync, 3500000);
    ck_assert_uint_eq(check.held, 1);
    sync.seq = 5;
    check_heard(&check, &sync, 3500000);
    ck_assert_uint_eq(check.unmatched, 1);
    sync.player_token = 1;
    check_heard(&check, &sync, 3500000);
    ck_assert_uint_eq(check.latency.count, 2);
}
END_TEST

/* ---- vehicles */

static void show_vehicle(uint32_t observer, float x)
{
    struct wire_vehicle_sync sync = bots_rig_show(VEHICLE, 1, x);

    (void)view_on_vehicle_sync(&clients[observer].view, &sync);
}

static void hide_vehicle(uint32_t observer)
{
    (void)view_on_vehicle_sync(&clients[observer].view, &(struct wire_vehicle_sync){ .vehicle_id = VEHICLE });
}

static uint32_t vehicle_serial;

static void drives(uint32_t observer, float x)
{
    struct wire_remote_vehicle_frame frame = bots_rig_vehicle_frame(VEHICLE, ++vehicle_serial, x);

    (void)view_on_vehicle_frame(&clients[observer].view, 1000, &frame);
}

/* Bot 1 drives it where it stands. */
static void take_wheel(void)
{
    show_vehicle(1, 100);
    clients[1].frame.vehicle_id = VEHICLE;
    clients[1].frame.seat = 0;
    clients[1].drive.pos[0] = 100;
    vehicle_serial = 1;
}

START_TEST(a_driven_vehicle_is_shown_to_whoever_is_near)
{
    take_wheel();
    pass(3000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
    pass(1500, as_it_should_be);
    ck_assert_uint_gt(check.violations[VIOLATION_UNSEEN_VEHICLE], 0);
}
END_TEST

static void sees_the_drive(void)
{
    as_it_should_be();
    drives(0, 100);
}

static void sees_it_elsewhere(void)
{
    as_it_should_be();
    drives(0, 180);
}

START_TEST(a_driven_vehicle_is_shown_where_its_driver_is)
{
    take_wheel();
    show_vehicle(0, 100);
    pass(6000, sees_the_drive);
    ck_assert_uint_eq(all_violations(), 0);
    pass(2000, sees_it_elsewhere);
    ck_assert_uint_gt(check.violations[VIOLATION_MISPLACED_VEHICLE], 0);
}
END_TEST

START_TEST(a_driven_vehicle_is_hidden_from_whoever_is_far)
{
    take_wheel();
    show_vehicle(0, 100);
    show_vehicle(2, 100);
    pass(6000, sees_the_drive);
    ck_assert_uint_gt(check.violations[VIOLATION_FAR_VEHICLE], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_FAR_VEHICLE]);
}
END_TEST

START_TEST(a_standing_vehicle_that_one_sees_is_shown_to_all_who_are_near)
{
    show_vehicle(0, 50);
    pass(9000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
    pass(2000, as_it_should_be);
    ck_assert_uint_gt(check.violations[VIOLATION_UNSEEN_VEHICLE], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_UNSEEN_VEHICLE]);
}
END_TEST

START_TEST(a_vehicle_that_was_removed_is_missed_by_nobody)
{
    show_vehicle(0, 50);
    show_vehicle(1, 50);
    pass(8000, as_it_should_be);
    hide_vehicle(0);
    pass(1000, as_it_should_be);
    hide_vehicle(1);
    pass(8000, as_it_should_be);
    ck_assert_uint_eq(all_violations(), 0);
}
END_TEST

START_TEST(a_standing_vehicle_that_is_far_is_hidden)
{
    show_vehicle(0, 50);
    show_vehicle(1, 50);
    show_vehicle(2, 50);
    pass(8000, as_it_should_be);
    ck_assert_uint_gt(check.violations[VIOLATION_FAR_VEHICLE], 0);
    ck_assert_uint_eq(all_violations(), check.violations[VIOLATION_FAR_VEHICLE]);
}
END_TEST

START_TEST(a_vehicle_of_another_scope_is_not_missed)
{
    clients[1].virtual_world = 9;
    show_vehicle(1, 50);
    pass(12 * 1000, NULL);
    ck_assert_uint_eq(all_violations(), 0);
    clients[2].virtual_world = 9;
    show_vehicle(2, 50);
    pass(12 * 1000, NULL);
    ck_assert_uint_gt(check.violations[VIOLATION_FAR_VEHICLE], 0);
}
END_TEST

Suite *bots_check_suite(void)
{
    Suite *suite = suite_create("bots_check");
    TCase *players = tcase_create("players");
    TCase *latency = tcase_create("latency");
    TCase *vehicles = tcase_create("vehicles");

    tcase_add_checked_fixture(players, setup, teardown);
    tcase_add_test(players, who_sees_what_is_near_and_nothing_else_is_right);
    tcase_add_test(players, who_is_near_for_the_whole_window_must_be_shown);
    tcase_add_test(players, who_has_just_come_near_need_not_be_shown_yet);
    tcase_add_test(players, who_stays_on_the_border_may_be_shown_or_not);
    tcase_add_test(players, who_waits_behind_a_full_lane_need_not_be_shown);
    tcase_add_test(players, who_is_far_for_the_whole_window_must_be_hidden);
    tcase_add_test(players, who_is_hidden_again_in_time_is_right);
    tcase_add_test(players, another_scope_is_far);
    tcase_add_test(players, a_shown_player_goes_on_being_told_of);
    tcase_add_test(players, a_player_is_shown_where_it_has_been);
    tcase_add_test(players, where_it_was_lately_is_where_it_has_been);
    tcase_add_test(players, who_has_been_placed_elsewhere_is_not_judged_by_where_it_was);
    tcase_add_test(players, who_has_left_is_shown_no_more_after_a_while);
    tcase_add_test(players, the_former_owner_of_an_id_is_shown_no_more_after_a_while);
    tcase_add_test(players, two_bots_are_not_the_same_player);
    tcase_add_test(players, an_id_goes_to_later_generations_only);
    tcase_add_test(players, strangers_are_not_judged);
    suite_add_tcase(suite, players);
    tcase_add_checked_fixture(latency, setup, teardown);
    tcase_add_test(latency, the_window_grows_with_the_latency);
    tcase_add_test(latency, a_server_that_is_much_too_late_is_not_judged);
    tcase_add_test(latency, a_relay_is_timed_from_its_frames_departure);
    suite_add_tcase(suite, latency);
    tcase_add_checked_fixture(vehicles, setup, teardown);
    tcase_add_test(vehicles, a_driven_vehicle_is_shown_to_whoever_is_near);
    tcase_add_test(vehicles, a_driven_vehicle_is_shown_where_its_driver_is);
    tcase_add_test(vehicles, a_driven_vehicle_is_hidden_from_whoever_is_far);
    tcase_add_test(vehicles, a_standing_vehicle_that_one_sees_is_shown_to_all_who_are_near);
    tcase_add_test(vehicles, a_vehicle_that_was_removed_is_missed_by_nobody);
    tcase_add_test(vehicles, a_standing_vehicle_that_is_far_is_hidden);
    tcase_add_test(vehicles, a_vehicle_of_another_scope_is_not_missed);
    suite_add_tcase(suite, vehicles);
    return suite;
}
