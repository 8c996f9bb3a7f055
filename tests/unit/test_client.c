#include "bots/client.h"

#include <string.h>

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"

static struct bots_rig rig;

static void teardown(void)
{
    bots_rig_stop(&rig);
}

static uint64_t violations(enum violation violation)
{
    return rig.client.stats.violations[violation];
}

static void say_message(uint32_t event_id, const char *text)
{
    struct wire_server_message message = { .text = { (const uint8_t *)text, strlen(text) } };

    bots_rig_event_as(&rig, event_id, &wire_server_message_packet, &message);
}

static uint32_t last_ack(void)
{
    struct wire_client_ack ack;

    bots_rig_last(&rig, &wire_client_ack_packet, &ack);
    return ack.ack;
}

/* ---- opening */

START_TEST(a_hello_without_an_answer_is_repeated_ten_times)
{
    bots_rig_start(&rig);
    bots_rig_pass_silent(&rig, 60 * 1000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_hello_packet), CLIENT_HELLOS_MAX);
    ck_assert_int_eq(rig.client.state, CLIENT_CLOSED);
    ck_assert_int_eq(rig.client.end, CLIENT_END_NO_ANSWER);
    ck_assert_uint_eq(client_wakes_at(&rig.client), UINT64_MAX);
}
END_TEST

START_TEST(a_challenge_is_answered_at_once_with_its_cookie)
{
    struct wire_client_hello hello;

    bots_rig_start(&rig);
    bots_rig_say(&rig, &wire_connect_challenge_packet,
                 &(struct wire_connect_challenge){ .client_nonce = rig.client.nonce, .cookie = 5 });
    bots_rig_last(&rig, &wire_client_hello_packet, &hello);
    ck_assert_uint_eq(hello.cookie, 5);
    ck_assert_uint_eq(hello.client_nonce, rig.client.nonce);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_hello_packet), 2);
}
END_TEST

START_TEST(a_server_that_only_challenges_is_given_up)
{
    bots_rig_start(&rig);
    for (uint64_t cookie = 1; rig.client.state == CLIENT_GREETING && cookie < 1000; cookie++) {
        bots_rig_say(&rig, &wire_connect_challenge_packet,
                     &(struct wire_connect_challenge){ .client_nonce = rig.client.nonce, .cookie = cookie });
        bots_rig_pass_silent(&rig, 100);
    }
    ck_assert_int_eq(rig.client.end, CLIENT_END_NO_ANSWER);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_client_hello_packet), CLIENT_PROVEN_HELLOS_MAX + 1);
}
END_TEST

START_TEST(answers_to_another_attempt_are_ignored)
{
    uint64_t other;

    bots_rig_start(&rig);
    other = rig.client.nonce + 1;
    bots_rig_say(&rig, &wire_connect_challenge_packet,
                 &(struct wire_connect_challenge){ .client_nonce = other, .cookie = 5 });
    bots_rig_say(&rig, &wire_connect_reject_packet,
                 &(struct wire_connect_reject){ .client_nonce = other, .reason = 1 });
    bots_rig_say(&rig, &wire_server_hello_packet,
                 &(struct wire_server_hello){ .client_nonce = other,
                                              .session_token = 1,
                                              .player_token = 1,
                                              .max_players = 1,
                                              .heartbeat_ms = 100 });
    ck_assert_int_eq(rig.client.state, CLIENT_GREETING);
    ck_assert_uint_eq(rig.client.cookie, 0);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_reject_ends_the_attempt_with_its_reason)
{
    bots_rig_start(&rig);
    bots_rig_say(&rig, &wire_connect_reject_packet,
                 &(struct wire_connect_reject){ .client_nonce = rig.client.nonce, .reason = 4 });
    ck_assert_int_eq(rig.client.end, CLIENT_END_REJECTED);
    ck_assert_uint_eq(rig.client.reject, 4);
}
END_TEST

START_TEST(the_server_hello_is_answered_with_the_token)
{
    struct wire_request_spawn request;

    bots_rig_connect(&rig);
    bots_rig_last(&rig, &wire_request_spawn_packet, &request);
    ck_assert_uint_eq(request.token, 99);
    ck_assert_uint_eq(request.event_id, 1);
}
END_TEST

START_TEST(a_repeated_server_hello_must_not_change)
{
    struct wire_server_hello hello = { .session_token = 99,
                                       .player_id = BOTS_RIG_ID,
                                       .player_token = BOTS_RIG_TOKEN,
                                       .max_players = 1,
                                       .heartbeat_ms = 100 };

    bots_rig_connect(&rig);
    hello.client_nonce = rig.client.nonce;
    bots_rig_say(&rig, &wire_server_hello_packet, &hello);
    ck_assert_ptr_null(client_complaint(&rig.client));
    hello.player_token++;
    bots_rig_say(&rig, &wire_server_hello_packet, &hello);
    ck_assert_uint_eq(violations(VIOLATION_HELLO_CHANGED), 1);
}
END_TEST

START_TEST(one_that_stays_out_proves_itself_and_asks_for_no_spawn)
{
    bots_rig_start(&rig);
    rig.client.config.stays_out = true;
    bots_rig_say(&rig, &wire_server_hello_packet,
                 &(struct wire_server_hello){ .client_nonce = rig.client.nonce,
                                              .session_token = 99,
                                              .player_token = 1,
                                              .max_players = 1,
                                              .heartbeat_ms = 100 });
    bots_rig_pass(&rig, 5000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_ack_packet), 1);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_request_spawn_packet), 0);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_player_sync_packet), 0);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_pong_packet), 5);
}
END_TEST

/* ---- staying and leaving */

START_TEST(a_keepalive_is_answered_at_once)
{
    struct wire_client_pong pong;

    bots_rig_connect(&rig);
    bots_rig_say(&rig, &wire_server_keepalive_packet,
                 &(struct wire_server_keepalive){ .stamp = 4711, .rtt = 20 });
    bots_rig_last(&rig, &wire_client_pong_packet, &pong);
    ck_assert_uint_eq(pong.stamp, 4711);
    ck_assert_uint_eq(pong.token, 99);
}
END_TEST

START_TEST(a_silent_server_is_given_up_after_ten_seconds)
{
    bots_rig_spawn(&rig);
    bots_rig_pass_silent(&rig, CLIENT_SILENCE_MS - 1);
    ck_assert_int_eq(rig.client.state, CLIENT_SPAWNED);
    bots_rig_pass_silent(&rig, 1);
    ck_assert_int_eq(rig.client.end, CLIENT_END_SILENCE);
}
END_TEST

START_TEST(leaving_says_goodbye_three_times)
{
    bots_rig_spawn(&rig);
    client_leave(&rig.client, rig.now_ms);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_bye_packet), 3);
    ck_assert_int_eq(rig.client.end, CLIENT_END_LEFT);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_eq(rig.sent_count, 3);
}
END_TEST

START_TEST(a_kick_is_acked_however_often_it_comes)
{
    struct wire_kick_notify kick = { .reason = 3, .text = { (const uint8_t *)"out", 3 } };

    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_kick_notify_packet, &kick);
    ck_assert_int_eq(rig.client.end, CLIENT_END_KICKED);
    ck_assert_uint_eq(rig.client.kicked, 3);
    bots_rig_event_as(&rig, rig.event_id, &wire_kick_notify_packet, &kick);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_ack_packet), 2);
    ck_assert_uint_eq(last_ack(), rig.event_id);
}
END_TEST

/* ---- the lane in */

START_TEST(events_are_delivered_in_order_and_acked)
{
    bots_rig_connect(&rig);
    say_message(1, "a");
    say_message(2, "b");
    ck_assert_uint_eq(rig.client.stats.events_in, 2);
    ck_assert_uint_eq(last_ack(), 2);
}
END_TEST

START_TEST(an_event_ahead_of_a_gap_is_discarded_and_the_ack_stays)
{
    bots_rig_connect(&rig);
    say_message(1, "a");
    say_message(3, "c");
    ck_assert_uint_eq(rig.client.stats.events_in, 1);
    ck_assert_uint_eq(rig.client.stats.ahead, 1);
    ck_assert_uint_eq(last_ack(), 1);
    say_message(2, "b");
    say_message(3, "c");
    ck_assert_uint_eq(rig.client.stats.events_in, 3);
    ck_assert_uint_eq(last_ack(), 3);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_repeat_is_acked_again_and_not_applied)
{
    struct wire_set_frozen frozen = { .frozen = 1 };

    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_set_frozen_packet, &frozen);
    rig.client.is_frozen = false;
    bots_rig_forget(&rig);
    bots_rig_event_as(&rig, rig.event_id, &wire_set_frozen_packet, &frozen);
    ck_assert(!rig.client.is_frozen);
    ck_assert_uint_eq(rig.client.stats.duplicates, 1);
    ck_assert_uint_eq(last_ack(), rig.event_id);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_number_used_twice_is_a_violation)
{
    bots_rig_connect(&rig);
    say_message(1, "a");
    say_message(1, "b");
    ck_assert_uint_eq(violations(VIOLATION_EVENT_CHANGED), 1);
    ck_assert_uint_eq(rig.client.stats.events_in, 1);
}
END_TEST

START_TEST(event_0_is_a_violation)
{
    bots_rig_connect(&rig);
    say_message(0, "a");
    ck_assert_uint_eq(violations(VIOLATION_EVENT_ZERO), 1);
    ck_assert_uint_eq(rig.client.stats.events_in, 0);
}
END_TEST

START_TEST(a_server_has_at_most_512_events_unacked)
{
    bots_rig_connect(&rig);
    say_message(EVENTS_UNACKED_MAX, "a");
    ck_assert_ptr_null(client_complaint(&rig.client));
    say_message(EVENTS_UNACKED_MAX + 1, "b");
    ck_assert_uint_eq(violations(VIOLATION_EVENT_OVERRUN), 1);
}
END_TEST

START_TEST(a_batch_of_events_is_answered_with_one_ack)
{
    uint8_t packet[64];
    struct wire_server_message message = { .text = { (const uint8_t *)"a", 1 } };

    bots_rig_connect(&rig);
    bots_rig_forget(&rig);
    for (message.event_id = 1; message.event_id <= 20; message.event_id++) {
        size_t size = wire_server_message_put(&message, packet, sizeof packet);

        client_on_datagram(&rig.client, rig.now_ms, (struct span){ packet, size });
    }
    ck_assert_uint_eq(client_wakes_at(&rig.client), 0);
    client_tick(&rig.client, rig.now_ms);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_ack_packet), 1);
    ck_assert_uint_eq(last_ack(), 20);
}
END_TEST

START_TEST(a_malformed_packet_is_counted_and_not_acked)
{
    const uint8_t short_kick[] = { 0x14, 1, 0, 0, 0 };
    const uint8_t unknown[] = { 0xEE };
    const uint8_t own[] = { 0x03 };

    bots_rig_connect(&rig);
    bots_rig_forget(&rig);
    bots_rig_datagram(&rig, short_kick, sizeof short_kick);
    bots_rig_datagram(&rig, unknown, sizeof unknown);
    bots_rig_datagram(&rig, own, sizeof own);
    bots_rig_datagram(&rig, NULL, 0);
    ck_assert_uint_eq(violations(VIOLATION_MALFORMED), 4);
    ck_assert_uint_eq(rig.sent_count, 0);
    ck_assert_str_eq(client_complaint(&rig.client), violation_says(VIOLATION_MALFORMED));
}
END_TEST

/* ---- the lane out */

START_TEST(an_unacked_event_is_sent_again_after_250_ms)
{
    bots_rig_connect(&rig);
    bots_rig_pass(&rig, EVENTS_RTO_MS - 1);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_request_spawn_packet), 1);
    bots_rig_pass(&rig, 1);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_request_spawn_packet), 2);
    ck_assert_uint_eq(rig.client.stats.resends, 1);
    bots_rig_ack(&rig, 1);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_eq(rig.client.stats.resends, 1);
}
END_TEST

START_TEST(a_spawn_that_does_not_come_is_asked_for_again)
{
    struct wire_request_spawn request;

    bots_rig_connect(&rig);
    bots_rig_ack(&rig, 1);
    bots_rig_pass(&rig, CLIENT_SPAWN_AGAIN_MS);
    bots_rig_last(&rig, &wire_request_spawn_packet, &request);
    ck_assert_uint_eq(request.event_id, 2);
}
END_TEST

START_TEST(an_ack_removes_all_up_to_it_and_a_repeat_changes_nothing)
{
    bots_rig_spawn(&rig);
    ck_assert(client_chat(&rig.client, rig.now_ms, "one"));
    ck_assert(client_chat(&rig.client, rig.now_ms, "two"));
    ck_assert(client_chat(&rig.client, rig.now_ms, "three"));
    bots_rig_ack(&rig, 3);
    bots_rig_ack(&rig, 3);
    bots_rig_ack(&rig, 1);
    ck_assert_uint_eq(rig.client.out.count, 1);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(an_ack_of_what_was_never_sent_is_a_violation)
{
    bots_rig_connect(&rig);
    bots_rig_ack(&rig, 2);
    ck_assert_uint_eq(violations(VIOLATION_ACK_AHEAD), 1);
    ck_assert_uint_eq(rig.client.out.count, 1);
}
END_TEST

START_TEST(a_refused_event_takes_no_number)
{
    struct wire_client_chat chat;
    uint32_t queued = 0;

    bots_rig_spawn(&rig);
    while (client_chat(&rig.client, rig.now_ms, "again"))
        queued++;
    ck_assert_uint_eq(queued, EVENTS_OUT_MAX);
    bots_rig_ack(&rig, rig.client.out.last_id);
    ck_assert(client_chat(&rig.client, rig.now_ms, "next"));
    bots_rig_last(&rig, &wire_client_chat_packet, &chat);
    ck_assert_uint_eq(chat.event_id, queued + 2);
}
END_TEST

START_TEST(at_most_32_events_are_sent_again_at_a_time)
{
    bots_rig_spawn(&rig);
    for (int i = 0; i < 40; i++)
        ck_assert(client_chat(&rig.client, rig.now_ms, "again"));
    bots_rig_forget(&rig);
    rig.now_ms += EVENTS_RTO_MS;
    client_tick(&rig.client, rig.now_ms);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_chat_packet), EVENTS_RESENDS_MAX);
    bots_rig_pass(&rig, EVENTS_CHECK_MS);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_client_chat_packet), 40);
}
END_TEST

/* ---- frames */

START_TEST(a_client_at_rest_sends_heartbeats)
{
    bots_rig_spawn(&rig);
    bots_rig_pass(&rig, 10 * 1000);
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_player_sync_packet), 99);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_player_sync_packet), 101);
}
END_TEST

START_TEST(a_moving_client_sends_thirty_frames_a_second)
{
    const float speed[3] = { 0.1f, 0, 0 };

    bots_rig_spawn(&rig);
    for (int i = 0; i < 1000; i++) {
        const float pos[3] = { (float)i, 0, 0 };

        client_move(&rig.client, pos, speed, 90);
        bots_rig_pass(&rig, 1);
    }
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_player_sync_packet), 29);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_player_sync_packet), 31);
}
END_TEST

START_TEST(the_frame_echoes_what_the_server_last_commanded)
{
    struct wire_player_sync sync;

    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_teleport_player_packet,
                   &(struct wire_teleport_player){ .pos = { 1, 2, 3 }, .heading = 45, .pose_rev = 0xFFFF });
    bots_rig_event(&rig, &wire_set_health_packet, &(struct wire_set_health){ .value = 55, .rev = 9 });
    bots_rig_event(&rig, &wire_give_armor_packet,
                   &(struct wire_give_armor){ .amount = 30, .max = 20, .rev = 10 });
    bots_rig_event(&rig, &wire_give_weapon_packet, &(struct wire_give_weapon){ .weapon_type = 31, .rev = 8 });
    bots_rig_pass(&rig, 200);
    bots_rig_last(&rig, &wire_player_sync_packet, &sync);
    ck_assert_uint_eq(sync.frame.life, 1);
    ck_assert_uint_eq(sync.frame.pose_rev, 0xFFFF);
    ck_assert_uint_eq(sync.frame.weapon_rev, 8);
    ck_assert_uint_eq(sync.frame.vital_rev, 10);
    ck_assert_float_eq(sync.frame.hp, 55);
    ck_assert_float_eq(sync.frame.armor, 20);
    ck_assert_float_eq(sync.frame.pos[2], 3);
    ck_assert_float_eq(sync.frame.heading, 45);
}
END_TEST

START_TEST(a_frame_counts_across_the_wrap_of_seq)
{
    struct wire_player_sync sync;

    bots_rig_spawn(&rig);
    rig.client.seq = UINT32_MAX - 1;
    bots_rig_pass(&rig, 200);
    bots_rig_last(&rig, &wire_player_sync_packet, &sync);
    ck_assert_uint_lt(sync.seq, 3);
}
END_TEST

START_TEST(a_frozen_client_stays_where_it_is)
{
    const float pos[3] = { 5, 5, 5 };

    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_set_frozen_packet, &(struct wire_set_frozen){ .frozen = 1 });
    client_move(&rig.client, pos, pos, 0);
    ck_assert_float_eq(rig.client.frame.pos[0], 0);
}
END_TEST

START_TEST(the_dead_report_it_and_ask_for_their_next_life)
{
    struct wire_death_report report;

    bots_rig_spawn(&rig);
    ck_assert(client_die(&rig.client, rig.now_ms));
    ck_assert(!client_die(&rig.client, rig.now_ms));
    bots_rig_last(&rig, &wire_death_report_packet, &report);
    ck_assert_uint_eq(report.life, 1);
    bots_rig_ack(&rig, report.event_id);
    bots_rig_pass(&rig, CLIENT_SPAWN_AGAIN_MS);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_respawn_request_packet), 1);
    bots_rig_event(&rig, &wire_respawn_player_packet,
                   &(struct wire_respawn_player){ .life = 2, .pos = { 9, 0, 0 } });
    ck_assert_int_eq(rig.client.state, CLIENT_SPAWNED);
    ck_assert_uint_eq(rig.client.frame.life, 2);
    ck_assert_float_eq(rig.client.frame.pos[0], 9);
    ck_assert_float_eq(rig.client.frame.hp, 100);
}
END_TEST

START_TEST(health_of_0_from_the_server_is_a_death)
{
    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_set_health_packet, &(struct wire_set_health){ .value = 0, .rev = 1 });
    ck_assert_int_eq(rig.client.state, CLIENT_DEAD);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_death_report_packet), 1);
}
END_TEST

/* ---- others */

START_TEST(its_own_frame_is_not_relayed_to_it)
{
    struct wire_remote_player_sync frame = bots_rig_frame(BOTS_RIG_ID, BOTS_RIG_TOKEN, 1, 0);

    bots_rig_spawn(&rig);
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    ck_assert_uint_eq(violations(VIOLATION_OWN_FRAME), 1);
}
END_TEST

START_TEST(nobody_is_introduced_after_leaving)
{
    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_player_spawned_packet,
                   &(struct wire_player_spawned){ .player_id = 3, .player_token = 30 });
    bots_rig_event(&rig, &wire_player_leave_packet,
                   &(struct wire_player_leave){ .player_id = 3, .player_token = 30 });
    ck_assert_ptr_null(client_complaint(&rig.client));
    bots_rig_event(&rig, &wire_player_spawned_packet,
                   &(struct wire_player_spawned){ .player_id = 3, .player_token = 30 });
    ck_assert_uint_eq(violations(VIOLATION_LEFT_PLAYER), 1);
}
END_TEST

START_TEST(what_the_old_scope_showed_is_hidden_before_the_barrier)
{
    struct wire_remote_player_sync frame = bots_rig_frame(3, 30, 1, 0);
    struct wire_scope_changed changed = { .virtual_world = 5 };

    bots_rig_spawn(&rig);
    rig.client.config.is_in_order = true;
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    bots_rig_event(&rig, &wire_player_stream_out_packet,
                   &(struct wire_player_stream_out){ .player_id = 3, .player_token = 30, .last_seq = 1 });
    bots_rig_event(&rig, &wire_scope_changed_packet, &changed);
    ck_assert_ptr_null(client_complaint(&rig.client));
    ck_assert_uint_eq(rig.client.virtual_world, 5);
    bots_rig_event(&rig, &wire_player_spawned_packet,
                   &(struct wire_player_spawned){ .player_id = 3, .player_token = 30 });
    frame.seq = 2;
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    bots_rig_event(&rig, &wire_scope_changed_packet, &changed);
    ck_assert_uint_eq(violations(VIOLATION_BARRIER), 1);
}
END_TEST

/* Of two changes in a row: the frame of who is shown after the second comes before the hide ahead of the
 * first. */
START_TEST(a_frame_that_overtakes_its_events_is_not_of_the_old_scope)
{
    struct wire_remote_player_sync frame = bots_rig_frame(3, 30, 1, 0);
    struct wire_scope_changed changed = { .virtual_world = 5 };

    bots_rig_spawn(&rig);
    bots_rig_event(&rig, &wire_player_spawned_packet,
                   &(struct wire_player_spawned){ .player_id = 3, .player_token = 30 });
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    frame.seq = 2;
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    bots_rig_event(&rig, &wire_player_stream_out_packet,
                   &(struct wire_player_stream_out){ .player_id = 3, .player_token = 30, .last_seq = 1 });
    bots_rig_event(&rig, &wire_scope_changed_packet, &changed);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

/* ---- vehicles */

static void show(uint32_t id)
{
    struct wire_vehicle_sync sync = bots_rig_show(id, 10, 4);

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

START_TEST(a_driver_sends_its_vehicles_frames)
{
    const float pos[3] = { 20, 1, 2 };
    struct wire_vehicle_frame frame;
    struct wire_player_sync sync;

    bots_rig_spawn(&rig);
    show(5);
    ck_assert(client_enter(&rig.client, rig.now_ms, 5, 0));
    seat(5, 0, VIEW_ENTER);
    ck_assert(client_drives(&rig.client));
    ck_assert_float_eq(rig.client.frame.pos[0], 4);
    client_drive(&rig.client, pos, 90, 10, 0.5f);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_vehicle_frame_packet), 29);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_vehicle_frame_packet), 31);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_uint_eq(frame.vehicle_id, 5);
    ck_assert_uint_eq(frame.state.epoch, 1);
    ck_assert_uint_eq(frame.state.health_rev, 2);
    ck_assert_uint_eq(frame.state.siren_rev, 3);
    ck_assert_uint_eq(frame.state.pose_rev, 4);
    ck_assert_float_eq(frame.state.pos[0], 20);
    bots_rig_last(&rig, &wire_player_sync_packet, &sync);
    ck_assert_uint_eq(sync.frame.vehicle_id, 5);
    ck_assert_uint_eq(sync.frame.seat, 0);
    ck_assert_float_eq(sync.frame.pos[0], 20);
}
END_TEST

START_TEST(a_passenger_is_carried_along)
{
    struct wire_remote_vehicle_frame frame = bots_rig_vehicle_frame(5, 11, 50);

    bots_rig_spawn(&rig);
    show(5);
    seat(5, 1, VIEW_WARP);
    ck_assert(!client_drives(&rig.client));
    bots_rig_say(&rig, &wire_remote_vehicle_frame_packet, &frame);
    ck_assert_float_eq(rig.client.frame.pos[0], 50);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 0);
}
END_TEST

START_TEST(getting_out_ends_the_frames)
{
    bots_rig_spawn(&rig);
    show(5);
    seat(5, 0, VIEW_ENTER);
    ck_assert(client_exit(&rig.client, rig.now_ms, 5));
    bots_rig_forget(&rig);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 0);
    ck_assert_ptr_null(client_vehicle(&rig.client));
    seat(5, 0, VIEW_EXIT);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(a_jacked_driver_is_on_foot)
{
    bots_rig_spawn(&rig);
    show(5);
    seat(5, 0, VIEW_ENTER);
    seat(5, 0, VIEW_JACKED);
    ck_assert(!client_drives(&rig.client));
    ck_assert_uint_eq(rig.client.frame.vehicle_id, WIRE_NONE);
}
END_TEST

START_TEST(a_deny_seats_nobody_and_may_be_about_what_is_gone)
{
    bots_rig_spawn(&rig);
    seat(5, 0, VIEW_DENY);
    ck_assert_uint_eq(rig.client.denied, 1);
    ck_assert_uint_eq(rig.client.frame.vehicle_id, WIRE_NONE);
    ck_assert_ptr_null(client_complaint(&rig.client));
}
END_TEST

START_TEST(an_event_about_a_hidden_vehicle_is_a_violation)
{
    bots_rig_spawn(&rig);
    seat(5, 0, VIEW_ENTER);
    ck_assert_uint_eq(violations(VIOLATION_UNKNOWN_VEHICLE), 1);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 5, .active = 1 });
    ck_assert_uint_eq(violations(VIOLATION_UNKNOWN_VEHICLE), 2);
}
END_TEST

START_TEST(what_is_shown_is_not_shown_again)
{
    struct wire_vehicle_sync hide = { .vehicle_id = 5, .tractor_id = WIRE_NONE, .lifter_id = WIRE_NONE };
    struct wire_vehicle_sync respawn = bots_rig_show(5, 12, 0);

    bots_rig_spawn(&rig);
    show(5);
    respawn.epoch = 2;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &respawn);
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &hide);
    ck_assert_ptr_null(client_complaint(&rig.client));
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &hide);
    ck_assert_uint_eq(violations(VIOLATION_SHOWN_TWICE), 1);
}
END_TEST

START_TEST(a_syncer_says_at_once_and_for_300_ms_where_the_vehicle_stands)
{
    struct wire_vehicle_frame frame;

    bots_rig_spawn(&rig);
    show(5);
    bots_rig_forget(&rig);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 5, .active = 1 });
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 1);
    bots_rig_pass(&rig, 5000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 4);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_float_eq(frame.state.pos[0], 4);
    ck_assert_float_eq(frame.state.rot[3], 1);
}
END_TEST

START_TEST(one_who_stops_syncing_says_no_more)
{
    bots_rig_spawn(&rig);
    show(5);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 5, .active = 1 });
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 5, .active = 0 });
    bots_rig_forget(&rig);
    bots_rig_pass(&rig, 1000);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 0);
}
END_TEST

START_TEST(at_most_eight_synced_vehicles_get_a_frame_at_a_time)
{
    bots_rig_spawn(&rig);
    for (uint32_t id = 1; id <= 12; id++)
        show(id);
    for (uint32_t id = 1; id <= 12; id++) {
        uint8_t packet[16];
        size_t size = wire_vehicle_syncer_put(
            &(struct wire_vehicle_syncer){ .event_id = ++rig.event_id, .vehicle_id = id, .active = 1 },
            packet, sizeof packet);

        client_on_datagram(&rig.client, rig.now_ms, (struct span){ packet, size });
    }
    bots_rig_forget(&rig);
    client_tick(&rig.client, rig.now_ms);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), CLIENT_SYNCED_MAX);
    bots_rig_pass(&rig, CLIENT_SYNC_MS);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_frame_packet), 2 * CLIENT_SYNCED_MAX);
}
END_TEST

START_TEST(a_transform_moves_the_vehicle_under_its_driver)
{
    struct wire_vehicle_frame frame;

    bots_rig_spawn(&rig);
    show(5);
    seat(5, 0, VIEW_ENTER);
    bots_rig_event(
        &rig, &wire_vehicle_transform_packet,
        &(struct wire_vehicle_transform){
            .vehicle_id = 5, .epoch = 1, .relay_seq = 10, .pose_rev = 9, .flags = 1, .pos = { 77, 0, 0 } });
    bots_rig_pass(&rig, 100);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_float_eq(frame.state.pos[0], 77);
    ck_assert_uint_eq(frame.state.pose_rev, 9);
    ck_assert_float_eq(rig.client.frame.pos[0], 77);
}
END_TEST

START_TEST(a_client_connects_again_with_nothing_of_before)
{
    struct wire_remote_player_sync frame = bots_rig_frame(3, 30, 1, 0);

    bots_rig_spawn(&rig);
    show(5);
    bots_rig_say(&rig, &wire_remote_player_sync_packet, &frame);
    client_leave(&rig.client, rig.now_ms);
    client_connect(&rig.client, rig.now_ms);
    ck_assert_int_eq(rig.client.state, CLIENT_GREETING);
    ck_assert(!client_sees(&rig.client, 3, 30));
    ck_assert(!client_sees_vehicle(&rig.client, 5));
    ck_assert_uint_eq(rig.client.out.count, 0);
    ck_assert_uint_eq(rig.client.in.delivered_id, 0);
}
END_TEST

Suite *client_suite(void)
{
    Suite *suite = suite_create("client");
    TCase *opening = tcase_create("opening");
    TCase *lanes = tcase_create("lanes");
    TCase *frames = tcase_create("frames");
    TCase *vehicles = tcase_create("vehicles");

    tcase_add_checked_fixture(opening, NULL, teardown);
    tcase_add_test(opening, a_hello_without_an_answer_is_repeated_ten_times);
    tcase_add_test(opening, a_challenge_is_answered_at_once_with_its_cookie);
    tcase_add_test(opening, a_server_that_only_challenges_is_given_up);
    tcase_add_test(opening, answers_to_another_attempt_are_ignored);
    tcase_add_test(opening, a_reject_ends_the_attempt_with_its_reason);
    tcase_add_test(opening, the_server_hello_is_answered_with_the_token);
    tcase_add_test(opening, a_repeated_server_hello_must_not_change);
    tcase_add_test(opening, one_that_stays_out_proves_itself_and_asks_for_no_spawn);
    tcase_add_test(opening, a_keepalive_is_answered_at_once);
    tcase_add_test(opening, a_silent_server_is_given_up_after_ten_seconds);
    tcase_add_test(opening, leaving_says_goodbye_three_times);
    tcase_add_test(opening, a_kick_is_acked_however_often_it_comes);
    tcase_add_test(opening, a_client_connects_again_with_nothing_of_before);
    suite_add_tcase(suite, opening);
    tcase_add_checked_fixture(lanes, NULL, teardown);
    tcase_add_test(lanes, events_are_delivered_in_order_and_acked);
    tcase_add_test(lanes, an_event_ahead_of_a_gap_is_discarded_and_the_ack_stays);
    tcase_add_test(lanes, a_repeat_is_acked_again_and_not_applied);
    tcase_add_test(lanes, a_number_used_twice_is_a_violation);
    tcase_add_test(lanes, event_0_is_a_violation);
    tcase_add_test(lanes, a_server_has_at_most_512_events_unacked);
    tcase_add_test(lanes, a_batch_of_events_is_answered_with_one_ack);
    tcase_add_test(lanes, a_malformed_packet_is_counted_and_not_acked);
    tcase_add_test(lanes, an_unacked_event_is_sent_again_after_250_ms);
    tcase_add_test(lanes, a_spawn_that_does_not_come_is_asked_for_again);
    tcase_add_test(lanes, an_ack_removes_all_up_to_it_and_a_repeat_changes_nothing);
    tcase_add_test(lanes, an_ack_of_what_was_never_sent_is_a_violation);
    tcase_add_test(lanes, a_refused_event_takes_no_number);
    tcase_add_test(lanes, at_most_32_events_are_sent_again_at_a_time);
    suite_add_tcase(suite, lanes);
    tcase_add_checked_fixture(frames, NULL, teardown);
    tcase_add_test(frames, a_client_at_rest_sends_heartbeats);
    tcase_add_test(frames, a_moving_client_sends_thirty_frames_a_second);
    tcase_add_test(frames, the_frame_echoes_what_the_server_last_commanded);
    tcase_add_test(frames, a_frame_counts_across_the_wrap_of_seq);
    tcase_add_test(frames, a_frozen_client_stays_where_it_is);
    tcase_add_test(frames, the_dead_report_it_and_ask_for_their_next_life);
    tcase_add_test(frames, health_of_0_from_the_server_is_a_death);
    tcase_add_test(frames, its_own_frame_is_not_relayed_to_it);
    tcase_add_test(frames, nobody_is_introduced_after_leaving);
    tcase_add_test(frames, what_the_old_scope_showed_is_hidden_before_the_barrier);
    tcase_add_test(frames, a_frame_that_overtakes_its_events_is_not_of_the_old_scope);
    suite_add_tcase(suite, frames);
    tcase_add_checked_fixture(vehicles, NULL, teardown);
    tcase_add_test(vehicles, a_driver_sends_its_vehicles_frames);
    tcase_add_test(vehicles, a_passenger_is_carried_along);
    tcase_add_test(vehicles, getting_out_ends_the_frames);
    tcase_add_test(vehicles, a_jacked_driver_is_on_foot);
    tcase_add_test(vehicles, a_deny_seats_nobody_and_may_be_about_what_is_gone);
    tcase_add_test(vehicles, an_event_about_a_hidden_vehicle_is_a_violation);
    tcase_add_test(vehicles, what_is_shown_is_not_shown_again);
    tcase_add_test(vehicles, a_syncer_says_at_once_and_for_300_ms_where_the_vehicle_stands);
    tcase_add_test(vehicles, one_who_stops_syncing_says_no_more);
    tcase_add_test(vehicles, at_most_eight_synced_vehicles_get_a_frame_at_a_time);
    tcase_add_test(vehicles, a_transform_moves_the_vehicle_under_its_driver);
    suite_add_tcase(suite, vehicles);
    return suite;
}
