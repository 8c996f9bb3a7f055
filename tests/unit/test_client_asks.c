#include "bots/client.h"

#include <string.h>

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"

static struct bots_rig rig;

static void setup(void)
{
    bots_rig_spawn(&rig);
    rig.client.config.is_honest = true;
}

static void teardown(void)
{
    bots_rig_stop(&rig);
}

static uint64_t violations(enum violation violation)
{
    return rig.client.stats.violations[violation];
}

static void show(uint32_t id, uint16_t model, float x)
{
    struct wire_vehicle_sync sync = bots_rig_show(id, 1, x);

    sync.model = model;
    sync.params = model == 487 ? 1 << 3 : 0;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &sync);
}

static void seat(uint32_t vehicle_id, uint8_t place, uint8_t kind)
{
    bots_rig_event(&rig, &wire_vehicle_occupancy_packet,
                   &(struct wire_vehicle_occupancy){ .vehicle_id = vehicle_id,
                                                     .player_id = BOTS_RIG_ID,
                                                     .player_token = BOTS_RIG_TOKEN,
                                                     .seat = place,
                                                     .kind = kind });
}

static void trailer(uint32_t trailer_id, uint32_t tractor_id)
{
    bots_rig_event(&rig, &wire_vehicle_trailer_packet,
                   &(struct wire_vehicle_trailer){ .trailer_id = trailer_id, .tractor_id = tractor_id });
}

static void remote(uint32_t vehicle_id)
{
    bots_rig_event(&rig, &wire_vehicle_remote_packet,
                   &(struct wire_vehicle_remote){ .vehicle_id = vehicle_id });
}

/* ---- what comes of requests */

START_TEST(a_seat_that_is_given_is_accepted)
{
    show(5, 411, 3);
    (void)client_enter(&rig.client, rig.now_ms, 5, 0);
    seat(5, 0, VIEW_ENTER);
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_ENTER], 1);
    (void)client_exit(&rig.client, rig.now_ms, 5);
    seat(5, 0, VIEW_EXIT);
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_EXIT], 1);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_deny_without_a_cause_is_a_violation)
{
    show(5, 411, 3);
    (void)client_enter(&rig.client, rig.now_ms, 5, 0);
    seat(5, 0, VIEW_DENY);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_ENTER], 1);
    ck_assert_uint_eq(violations(VIOLATION_REFUSED), 1);
}
END_TEST

START_TEST(a_deny_of_a_gamemode_that_may_refuse_is_none)
{
    rig.client.config.is_honest = false;
    show(5, 411, 3);
    (void)client_enter(&rig.client, rig.now_ms, 5, 0);
    seat(5, 0, VIEW_DENY);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_ENTER], 1);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_deny_that_the_copies_explain_is_none)
{
    show(5, 411, 3);
    (void)client_enter(&rig.client, rig.now_ms, 5, 0);
    bots_rig_event(&rig, &wire_vehicle_occupancy_packet,
                   &(struct wire_vehicle_occupancy){
                       .vehicle_id = 5, .player_id = 3, .player_token = 30, .kind = VIEW_ENTER });
    seat(5, 0, VIEW_DENY);
    show(6, 411, 12); /* maybe too far by now */
    (void)client_enter(&rig.client, rig.now_ms, 6, 0);
    seat(6, 0, VIEW_DENY);
    (void)client_enter(&rig.client, rig.now_ms, 99, 0); /* gone */
    seat(99, 0, VIEW_DENY);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_ENTER], 3);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

static void drive(uint16_t model)
{
    show(5, model, 0);
    show(6, 411, 6);
    seat(5, 0, VIEW_WARP);
}

START_TEST(a_hitch_that_is_told_is_accepted_and_so_is_its_end)
{
    struct wire_vehicle_tow tow;

    drive(525);
    (void)client_tow(&rig.client, rig.now_ms, 6, 5);
    bots_rig_last(&rig, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(tow.trailer_id, 6);
    ck_assert_uint_eq(tow.trailer_epoch, 1);
    ck_assert_uint_eq(tow.tractor_epoch, 1);
    trailer(6, 5);
    (void)client_tow(&rig.client, rig.now_ms, 6, WIRE_NONE);
    bots_rig_last(&rig, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(tow.tractor_epoch, 0);
    trailer(6, WIRE_NONE);
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_TOW], 1);
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_UNTOW], 1);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_hitch_that_comes_back_unchanged_is_refused)
{
    drive(525);
    (void)client_tow(&rig.client, rig.now_ms, 6, 5);
    trailer(6, WIRE_NONE);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_TOW], 1);
    ck_assert_uint_eq(violations(VIOLATION_REFUSED), 1);
}
END_TEST

START_TEST(the_answer_about_a_trailer_that_is_gone_is_no_violation)
{
    drive(525);
    (void)client_tow(&rig.client, rig.now_ms, 77, 5);
    trailer(77, WIRE_NONE);
    ck_assert_ptr_null(client_complaint(&rig.client));
    trailer(78, WIRE_NONE);
    ck_assert_uint_eq(violations(VIOLATION_UNKNOWN_VEHICLE), 1);
}
END_TEST

START_TEST(a_load_is_lifted_and_let_go)
{
    drive(487);
    (void)client_winch(&rig.client, rig.now_ms, 6, 5);
    bots_rig_event(&rig, &wire_vehicle_lift_packet,
                   &(struct wire_vehicle_lift){ .vehicle_id = 6, .heli_id = 5 });
    (void)client_winch(&rig.client, rig.now_ms, 6, WIRE_NONE);
    bots_rig_event(&rig, &wire_vehicle_lift_packet,
                   &(struct wire_vehicle_lift){ .vehicle_id = 6, .heli_id = WIRE_NONE });
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_WINCH], 1);
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_RELEASE], 1);
}
END_TEST

START_TEST(a_request_without_an_answer_is_refused_after_five_seconds)
{
    show(5, 441, 2);
    (void)client_remote_enter(&rig.client, rig.now_ms, 5);
    bots_rig_ack(&rig, rig.client.out.last_id);
    bots_rig_pass(&rig, CLIENT_ANSWER_MS - 200);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_REMOTE], 0);
    bots_rig_pass(&rig, 400);
    ck_assert_uint_eq(rig.client.stats.refused[ASK_REMOTE], 1);
    ck_assert_uint_eq(violations(VIOLATION_REFUSED), 1);
}
END_TEST

START_TEST(a_key_is_answered_by_the_parameter)
{
    drive(411);
    (void)client_control(&rig.client, rig.now_ms, 5, 1, true);
    bots_rig_event(&rig, &wire_vehicle_params_packet,
                   &(struct wire_vehicle_params){ .vehicle_id = 5, .params = 1 << 1, .siren_rev = 3 });
    ck_assert_uint_eq(rig.client.stats.accepted[ASK_CONTROL], 1);
}
END_TEST

/* ---- what it drives from outside, and what it syncs */

START_TEST(an_RC_is_driven_from_where_one_stands)
{
    const float to[3] = { 9, 0, 0 };
    struct wire_vehicle_frame frame;

    show(5, 441, 2);
    remote(5);
    ck_assert_ptr_eq(client_driven(&rig.client), view_vehicle(&rig.client.view, 5));
    ck_assert(!client_drives(&rig.client));
    client_drive(&rig.client, to, 0, 5, 0);
    bots_rig_forget(&rig);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_vehicle_frame_packet), 29);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_float_eq(frame.state.pos[0], 9);
    ck_assert_float_eq(rig.client.frame.pos[0], 0);
    remote(WIRE_NONE);
    ck_assert_ptr_null(client_driven(&rig.client));
}
END_TEST

START_TEST(an_RC_that_is_not_shown_is_a_violation)
{
    remote(5);
    ck_assert_uint_eq(violations(VIOLATION_UNKNOWN_VEHICLE), 1);
    ck_assert_ptr_null(client_driven(&rig.client));
}
END_TEST

START_TEST(what_it_syncs_and_moves_is_told_until_300_ms_after)
{
    const float to[3] = { 8, 0, 0 };
    struct wire_vehicle_frame frame;

    show(5, 411, 2);
    client_push(&rig.client, rig.now_ms, 5, to);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 5, .active = 1 });
    bots_rig_pass(&rig, 1000);
    ck_assert_float_eq(view_vehicle(&rig.client.view, 5)->pos[0], 2);
    bots_rig_forget(&rig);
    client_push(&rig.client, rig.now_ms, 5, to);
    bots_rig_pass(&rig, 2000);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_vehicle_frame_packet), 4);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_float_eq(frame.state.pos[0], 8);
}
END_TEST

START_TEST(health_is_only_lowered_and_of_what_it_controls)
{
    show(5, 411, 2);
    client_hurt(&rig.client, rig.now_ms, 5, 100);
    ck_assert_float_eq(view_vehicle(&rig.client.view, 5)->health, 1000);
    seat(5, 0, VIEW_WARP);
    client_hurt(&rig.client, rig.now_ms, 5, 100);
    client_hurt(&rig.client, rig.now_ms, 5, 900);
    ck_assert_float_eq(view_vehicle(&rig.client.view, 5)->health, 100);
}
END_TEST

START_TEST(the_rays_of_salvos_are_numbered_on)
{
    const float start[3] = { 0 }, end[3] = { 50, 0, 0 };
    struct wire_vehicle_shot shot;

    show(5, 476, 0);
    client_shoot(&rig.client, start, end, 2);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_shot_packet), 0);
    seat(5, 0, VIEW_WARP);
    client_shoot(&rig.client, start, end, 2);
    client_shoot(&rig.client, start, end, 2);
    bots_rig_last(&rig, &wire_vehicle_shot_packet, &shot);
    ck_assert_uint_eq(shot.order, 3);
    ck_assert_uint_eq(shot.count, 2);
}
END_TEST

/* ---- what a correct server never does */

START_TEST(an_old_frame_on_a_way_that_keeps_its_order_is_a_violation)
{
    struct wire_remote_vehicle_frame frame = bots_rig_vehicle_frame(5, 1, 2);

    show(5, 411, 2);
    bots_rig_say(&rig, &wire_remote_vehicle_frame_packet, &frame);
    ck_assert_ptr_null(client_complaint(&rig.client));
    rig.client.config.is_in_order = true;
    bots_rig_say(&rig, &wire_remote_vehicle_frame_packet, &frame);
    ck_assert_uint_eq(violations(VIOLATION_OLD_SERIAL), 1);
}
END_TEST

START_TEST(a_revision_that_goes_back_is_a_violation)
{
    show(5, 411, 2);
    bots_rig_event(&rig, &wire_vehicle_health_packet,
                   &(struct wire_vehicle_health){ .vehicle_id = 5, .epoch = 1, .health_rev = 1 });
    ck_assert_uint_eq(violations(VIOLATION_REVISION_BACK), 1);
}
END_TEST

START_TEST(frames_of_what_is_never_shown_are_a_violation_in_the_end)
{
    rig.client.config.is_in_order = true;
    for (uint32_t seq = 1; seq <= 85; seq++) {
        struct wire_remote_vehicle_frame frame = bots_rig_vehicle_frame(5, seq, 2);

        bots_rig_say(&rig, &wire_remote_vehicle_frame_packet, &frame);
        ck_assert_uint_eq(violations(VIOLATION_UNSHOWN_FRAME), seq > 81 ? seq - 81 : 0);
        bots_rig_pass(&rig, 100);
    }
}
END_TEST

START_TEST(a_new_life_begins_with_empty_seats)
{
    struct wire_vehicle_sync respawn = bots_rig_show(5, 1, 0);

    show(5, 411, 0);
    respawn.epoch = 2;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &respawn);
    ck_assert_ptr_null(client_complaint(&rig.client));
    seat(5, 0, VIEW_WARP);
    respawn.epoch = 3;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &respawn);
    ck_assert_uint_eq(violations(VIOLATION_KEPT_SEAT), 1);
}
END_TEST

static void change_scope(void)
{
    bots_rig_event(&rig, &wire_scope_changed_packet, &(struct wire_scope_changed){ .virtual_world = 5 });
}

START_TEST(what_hangs_on_ones_vehicle_comes_along_into_another_scope_and_nothing_else)
{
    drive(525);
    trailer(6, 5);
    change_scope();
    ck_assert_ptr_null(client_complaint(&rig.client));
    trailer(6, WIRE_NONE);
    change_scope();
    ck_assert_uint_eq(violations(VIOLATION_BARRIER), 1);
}
END_TEST

START_TEST(whom_the_server_still_has_in_its_seat_is_taken_along)
{
    drive(525);
    trailer(6, 5);
    (void)client_exit(&rig.client, rig.now_ms, 5);
    change_scope();
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

Suite *client_asks_suite(void)
{
    Suite *suite = suite_create("client_asks");
    TCase *asks = tcase_create("asks");
    TCase *drives = tcase_create("drives");
    TCase *judges = tcase_create("judges");

    tcase_add_checked_fixture(asks, setup, teardown);
    tcase_add_test(asks, a_seat_that_is_given_is_accepted);
    tcase_add_test(asks, a_deny_without_a_cause_is_a_violation);
    tcase_add_test(asks, a_deny_of_a_gamemode_that_may_refuse_is_none);
    tcase_add_test(asks, a_deny_that_the_copies_explain_is_none);
    tcase_add_test(asks, a_hitch_that_is_told_is_accepted_and_so_is_its_end);
    tcase_add_test(asks, a_hitch_that_comes_back_unchanged_is_refused);
    tcase_add_test(asks, the_answer_about_a_trailer_that_is_gone_is_no_violation);
    tcase_add_test(asks, a_load_is_lifted_and_let_go);
    tcase_add_test(asks, a_request_without_an_answer_is_refused_after_five_seconds);
    tcase_add_test(asks, a_key_is_answered_by_the_parameter);
    suite_add_tcase(suite, asks);
    tcase_add_checked_fixture(drives, setup, teardown);
    tcase_add_test(drives, an_RC_is_driven_from_where_one_stands);
    tcase_add_test(drives, an_RC_that_is_not_shown_is_a_violation);
    tcase_add_test(drives, what_it_syncs_and_moves_is_told_until_300_ms_after);
    tcase_add_test(drives, health_is_only_lowered_and_of_what_it_controls);
    tcase_add_test(drives, the_rays_of_salvos_are_numbered_on);
    suite_add_tcase(suite, drives);
    tcase_add_checked_fixture(judges, setup, teardown);
    tcase_add_test(judges, an_old_frame_on_a_way_that_keeps_its_order_is_a_violation);
    tcase_add_test(judges, a_revision_that_goes_back_is_a_violation);
    tcase_add_test(judges, frames_of_what_is_never_shown_are_a_violation_in_the_end);
    tcase_add_test(judges, a_new_life_begins_with_empty_seats);
    tcase_add_test(judges, what_hangs_on_ones_vehicle_comes_along_into_another_scope_and_nothing_else);
    tcase_add_test(judges, whom_the_server_still_has_in_its_seat_is_taken_along);
    suite_add_tcase(suite, judges);
    return suite;
}
