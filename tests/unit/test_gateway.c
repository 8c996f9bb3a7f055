/* Connections, as the Connection page has them: tokens, keepalive, disconnect, rate limits, a change of
 * address, authentication. The lanes and the bus are in test_gateway_route.c. */
#include "gateway/core.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "gateway/metrics.h"
#include "gateway/migrate.h"
#include "gateway/session.h"
#include "gateway/ticket.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

enum { UNIX_S = 1700000000 };

static struct rig rig;
static struct rig_client client;

static void setup(void)
{
    rig_start(&rig);
    client = rig_client(1);
}

static void joined_setup(void)
{
    setup();
    rig_join(&rig, &client);
    rig_frame(&rig, &client, 0);
    rig_forget(&rig);
}

static void teardown(void)
{
    rig_stop(&rig);
}

static size_t routed(void)
{
    return rig_count_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET);
}

/* The reason that shard and coordinator were told; -1: the session goes on. */
static int left(void)
{
    const Bus__Item *gone = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_GONE);
    const Bus__Item *told = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT);

    if (gone == NULL && told == NULL)
        return -1;
    ck_assert(gone != NULL && told != NULL);
    ck_assert_uint_eq(gone->player_gone->player->token, client.player_token);
    ck_assert_uint_eq(told->player_left->player->token, client.player_token);
    ck_assert_uint_eq(gone->player_gone->reason, told->player_left->reason);
    return (int)gone->player_gone->reason;
}

/* The client stays alive for so long, a frame every 100 ms. */
static void keep_alive(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        rig_frame(&rig, &client, (uint32_t)passed);
        rig_pass(&rig, ms - passed < 100 ? ms - passed : 100);
    }
}

/* ---- datagrams */

START_TEST(a_datagram_longer_than_any_packet_is_dropped_unread)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX + 1] = { PACKET_PLAYER_SYNC };

    store_u64(data + 1, client.token);
    rig_datagram(&rig, &client.address, data, sizeof data);
    ck_assert_uint_eq(rig_drops(&rig, REASON_OVERSIZE), 1);
    rig_datagram(&rig, &client.address, data, sizeof data - 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_OVERSIZE), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_LONG), 1);
}
END_TEST

START_TEST(an_empty_datagram_is_dropped)
{
    rig_datagram(&rig, &client.address, "", 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_EMPTY), 1);
}
END_TEST

START_TEST(a_datagram_too_short_for_a_token_is_dropped)
{
    uint8_t data[8] = { PACKET_CLIENT_BYE };

    rig_datagram(&rig, &client.address, data, sizeof data);
    rig_datagram(&rig, &client.address, data, 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_SHORT), 2);
}
END_TEST

START_TEST(an_unknown_packet_is_dropped_whatever_its_token)
{
    uint8_t data[9] = { 0xA3 };

    rig_datagram(&rig, &client.address, data, sizeof data);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_SESSION), 1);
    store_u64(data + 1, client.token);
    rig_datagram(&rig, &client.address, data, sizeof data);
    data[0] = PACKET_SERVER_HELLO; /* the wrong way */
    rig_datagram(&rig, &client.address, data, sizeof data);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_UNKNOWN), 2);
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

START_TEST(a_frame_goes_to_the_shard_without_its_token)
{
    const Bus__ClientPacket *packet;

    rig_frame(&rig, &client, 0x01020304);
    ck_assert_uint_eq(routed(), 1);
    packet = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET)->client_packet;
    ck_assert_uint_eq(packet->player->id, client.id);
    ck_assert_uint_eq(packet->player->token, client.player_token);
    ck_assert_uint_eq(packet->packet.len, WIRE_PLAYER_SYNC_SIZE - 8);
    ck_assert_uint_eq(packet->packet.data[0], PACKET_PLAYER_SYNC);
    ck_assert_uint_eq(load_u32(packet->packet.data + 1), 0x01020304);
    ck_assert_uint_eq(packet->event_id, 0);
    ck_assert_uint_eq(packet->number, 0);
}
END_TEST

START_TEST(a_foreign_token_gets_no_answer)
{
    struct rig_client stranger = rig_client(2);

    stranger.token = client.token ^ 1;
    rig_frame(&rig, &stranger, 1);
    stranger.address = client.address;
    rig_frame(&rig, &stranger, 1);
    stranger.token = 0;
    rig_frame(&rig, &stranger, 1);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_SESSION), 3);
}
END_TEST

START_TEST(a_malformed_packet_is_dropped_whole_and_kept_in_mind)
{
    struct gateway_refusal refusals[4];
    uint8_t data[WIRE_PLAYER_SYNC_SIZE] = { PACKET_PLAYER_SYNC };

    store_u64(data + 1, client.token);
    store_u32(data + 13, 0x7FC00000); /* a NaN */
    rig_datagram(&rig, &client.address, data, sizeof data);
    rig_pass(&rig, 50);
    rig_datagram(&rig, &client.address, data, sizeof data - 1);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_NOT_FINITE), 1);
    ck_assert_uint_eq(gateway_refusals(rig.gateway, client.id, refusals, 4), 2);
    ck_assert_int_eq(refusals[0].reason, REASON_MALFORMED_SHORT);
    ck_assert_int_eq(refusals[1].reason, REASON_MALFORMED_NOT_FINITE);
    ck_assert_uint_eq(refusals[1].packet_id, PACKET_PLAYER_SYNC);
    ck_assert_uint_eq(refusals[1].age_ms, 50);
    ck_assert_uint_eq(gateway_refusals(rig.gateway, 999, refusals, 4), 0);
}
END_TEST

START_TEST(the_last_64_refusals_of_a_player_are_kept)
{
    struct gateway_refusal refusals[100];

    for (uint32_t i = 0; i < 100; i++)
        rig_ack(&rig, &client, 1000 + i);
    ck_assert_uint_eq(gateway_refusals(rig.gateway, client.id, refusals, 100), SESSION_REFUSALS);
    ck_assert_uint_eq(gateway_refusals(rig.gateway, client.id, refusals, 10), 10);
}
END_TEST

START_TEST(the_counts_are_printed_under_their_names)
{
    char text[32 * 1024] = { 0 };
    FILE *out = fmemopen(text, sizeof text - 1, "w");

    ck_assert_ptr_nonnull(out);
    rig_frame(&rig, &client, 1);
    rig_datagram(&rig, &client.address, "", 0);
    metrics_print(gateway_metrics, gateway_stats(rig.gateway), out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_sessions 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_drops_total{reason=\"malformed_empty\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_packets_in_total{packet=\"PlayerSync\"} 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_rejects_total{reason=\"no_world\"} 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_observed_total{limit=\"queries\"} 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_sessions_closed_total{reason=\"server\"} 0\n"));
}
END_TEST

/* ---- keepalive */

START_TEST(a_keepalive_goes_out_once_a_second)
{
    keep_alive(10000);
    ck_assert_uint_eq(rig_count_got(&rig, &client.address, &wire_server_keepalive_packet), 10);
}
END_TEST

START_TEST(a_keepalive_carries_the_clock_and_the_round_trip)
{
    const struct rig_datagram *keepalive;

    keep_alive(1000);
    keepalive = rig_got(&rig, &client.address, &wire_server_keepalive_packet);
    ck_assert_ptr_nonnull(keepalive);
    ck_assert_uint_eq(load_u32(keepalive->data + WIRE_SERVER_KEEPALIVE_STAMP_AT), (uint32_t)rig.now_ms);
    ck_assert_uint_eq(load_u16(keepalive->data + WIRE_SERVER_KEEPALIVE_RTT_AT), 0);
    rig_pass(&rig, 80);
    rig_pong(&rig, &client, &client.address, (uint32_t)(rig.now_ms - 80));
    keep_alive(1000);
    keepalive = rig_got(&rig, &client.address, &wire_server_keepalive_packet);
    ck_assert_uint_eq(load_u16(keepalive->data + WIRE_SERVER_KEEPALIVE_RTT_AT), 80);
}
END_TEST

START_TEST(the_shard_hears_the_round_trip)
{
    keep_alive(1000);
    rig_pass(&rig, 80);
    rig_pong(&rig, &client, &client.address, (uint32_t)(rig.now_ms - 80));
    rig_frame(&rig, &client, 1);
    ck_assert_uint_eq(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET)->client_packet->rtt_ms, 80);
}
END_TEST

START_TEST(a_stamp_that_was_never_sent_is_ignored)
{
    rig_pong(&rig, &client, &client.address, (uint32_t)rig.now_ms);
    ck_assert_uint_eq(rig_drops(&rig, REASON_STAMP_UNKNOWN), 1);
}
END_TEST

START_TEST(a_stamp_older_than_10_s_is_ignored_by_the_gateway)
{
    uint32_t stamp;

    keep_alive(1000);
    stamp = (uint32_t)rig.now_ms;
    keep_alive(10000);
    rig_pong(&rig, &client, &client.address, stamp);
    ck_assert_uint_eq(rig_drops(&rig, REASON_STAMP_UNKNOWN), 0);
    rig_pass(&rig, 1);
    stamp += 1000;
    keep_alive(1000);
    rig_pong(&rig, &client, &client.address, stamp);
    ck_assert_uint_eq(rig_drops(&rig, REASON_STAMP_UNKNOWN), 1);
}
END_TEST

/* ---- disconnect */

START_TEST(a_bye_ends_the_connection_with_reason_0)
{
    const struct wire_client_bye bye = { .token = client.token };

    rig_packet(&rig, &client, &wire_client_bye_packet, &bye);
    ck_assert_int_eq(left(), 0);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
    rig_packet(&rig, &client, &wire_client_bye_packet, &bye);
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

START_TEST(after_10_s_of_silence_a_connection_ends_with_reason_1)
{
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    ck_assert_int_eq(left(), -1);
    rig_pass(&rig, 1 + LANE_CHECK_MS);
    ck_assert_int_eq(left(), 1);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(a_packet_with_the_token_starts_the_10_s_anew)
{
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    rig_frame(&rig, &client, 1);
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    ck_assert_int_eq(left(), -1);
    rig_pass(&rig, 1 + LANE_CHECK_MS);
    ck_assert_int_eq(left(), 1);
}
END_TEST

START_TEST(a_malformed_packet_with_the_token_starts_the_10_s_anew_as_well)
{
    uint8_t data[9] = { PACKET_PLAYER_SYNC };

    store_u64(data + 1, client.token);
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    rig_datagram(&rig, &client.address, data, sizeof data);
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    ck_assert_int_eq(left(), -1);
}
END_TEST

START_TEST(a_foreign_token_does_not_start_the_10_s_anew)
{
    struct rig_client stranger = client;

    stranger.token ^= 1;
    rig_pass(&rig, SESSION_TIMEOUT_MS - 1);
    rig_frame(&rig, &stranger, 1);
    rig_pass(&rig, 1 + LANE_CHECK_MS);
    ck_assert_int_eq(left(), 1);
}
END_TEST

START_TEST(a_client_that_never_uses_its_token_times_out)
{
    struct rig_client silent = rig_client(2);

    rig_join(&rig, &silent);
    rig_pass(&rig, SESSION_TIMEOUT_MS + LANE_CHECK_MS);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(a_stall_of_the_gateway_does_not_count_as_silence)
{
    rig_pass(&rig, 5000);
    rig_stall(&rig, 9000);
    gateway_tick(rig.gateway, rig.now_ms);
    rig_pass(&rig, 4500);
    ck_assert_int_eq(left(), -1);
    rig_pass(&rig, 1000);
    ck_assert_int_eq(left(), 1);
    ck_assert_uint_ge(gateway_stats(rig.gateway)->stalled_ms, 8900);
}
END_TEST

START_TEST(a_stall_of_the_gateway_does_not_count_as_missing_acks)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &client);
    keep_alive(10000);
    rig_stall(&rig, 6000);
    rig_frame(&rig, &client, 1);
    keep_alive(4000);
    ck_assert_int_eq(left(), -1);
    keep_alive(1500);
    ck_assert_int_eq(left(), 1);
}
END_TEST

START_TEST(fifteen_seconds_without_ack_progress_end_a_connection_that_is_alive)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &client);
    keep_alive(LANE_NO_PROGRESS_MS - 100);
    ck_assert_int_eq(left(), -1);
    keep_alive(200);
    ck_assert_int_eq(left(), 1);
}
END_TEST

START_TEST(the_512th_unacked_event_ends_the_connection)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    for (uint32_t i = 0; i < LANE_UNACKED_MAX - 1; i++)
        rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, i), &client);
    ck_assert_int_eq(left(), -1);
    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 600), &client);
    ck_assert_int_eq(left(), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LANE_FULL), 1);
}
END_TEST

static void kick(uint16_t peer, uint32_t reason, const char *text)
{
    Bus__Kick order = BUS__KICK__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), client.id,
                           client.player_token };
    Bus__Item item = BUS__ITEM__INIT;
    char copy[512];

    ck_assert_uint_lt(strlen(text), sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    order.player = &player;
    order.reason = reason;
    order.text = copy;
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &order;
    rig_item(&rig, peer, &item);
}

static const struct rig_datagram *kick_notify(struct wire_kick_notify *notify)
{
    const struct rig_datagram *datagram = rig_got(&rig, &client.address, &wire_kick_notify_packet);
    struct wire_error error;

    if (datagram != NULL)
        ck_assert(wire_kick_notify_decode(notify, datagram->data, datagram->size, &error));
    return datagram;
}

START_TEST(a_kicked_client_leaves_when_it_has_acked_the_notice)
{
    struct wire_kick_notify notify;

    kick(RIG_COORDINATOR, 3, "You are banned.");
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.reason, 3);
    ck_assert_uint_eq(notify.event_id, 1);
    ck_assert_uint_eq(notify.text.size, strlen("You are banned."));
    ck_assert_int_eq(left(), -1);
    rig_ack(&rig, &client, 1);
    ck_assert_int_eq(left(), 3);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(an_ack_of_earlier_events_does_not_end_a_kicked_connection)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &client);
    kick(RIG_SHARD, 2, "");
    rig_ack(&rig, &client, 1);
    ck_assert_int_eq(left(), -1);
    rig_ack(&rig, &client, 2);
    ck_assert_int_eq(left(), 2);
}
END_TEST

START_TEST(a_kicked_client_that_does_not_ack_leaves_after_2_s)
{
    kick(RIG_SHARD, 2, "Bye.");
    keep_alive(SESSION_KICK_MS - 100);
    ck_assert_int_eq(left(), -1);
    keep_alive(200);
    ck_assert_int_eq(left(), 2);
}
END_TEST

START_TEST(the_notice_of_a_kick_is_repeated)
{
    kick(RIG_SHARD, 2, "Bye.");
    rig_forget(&rig);
    keep_alive(SESSION_KICK_MS);
    ck_assert_uint_ge(rig_count_got(&rig, &client.address, &wire_kick_notify_packet), 4);
}
END_TEST

START_TEST(a_client_that_leaves_while_it_is_kicked_was_kicked)
{
    const struct wire_client_bye bye = { .token = client.token };

    kick(RIG_SHARD, 2, "Bye.");
    rig_packet(&rig, &client, &wire_client_bye_packet, &bye);
    ck_assert_int_eq(left(), 2);
}
END_TEST

START_TEST(nothing_of_a_kicked_client_reaches_the_shard)
{
    kick(RIG_SHARD, 2, "Bye.");
    rig_forget(&rig);
    rig_frame(&rig, &client, 2);
    rig_event(&rig, &client);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_CLOSING), 2);
}
END_TEST

START_TEST(nothing_of_the_shard_follows_the_notice_of_a_kick)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    kick(RIG_SHARD, 2, "Bye.");
    rig_forget(&rig);
    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &client);
    rig_send_one(&rig, BUS__SEND__CLASS__UNRELIABLE, rig_remote_frame(buffer, 9, 1), &client);
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

START_TEST(a_second_kick_changes_nothing)
{
    struct wire_kick_notify notify;

    kick(RIG_SHARD, 2, "First.");
    kick(RIG_COORDINATOR, 3, "Second.");
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.reason, 2);
    ck_assert_uint_eq(rig_count_got(&rig, &client.address, &wire_kick_notify_packet), 1);
}
END_TEST

START_TEST(a_text_that_the_wire_does_not_take_is_left_out)
{
    struct wire_kick_notify notify;

    kick(RIG_SHARD, 2, "a\nb");
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.text.size, 0);
}
END_TEST

START_TEST(a_text_that_is_too_long_is_cut)
{
    struct wire_kick_notify notify;
    char text[301] = { 0 };

    memset(text, 'x', 300);
    kick(RIG_SHARD, 2, text);
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.text.size, 127);
}
END_TEST

START_TEST(a_kick_with_full_lane_ends_at_once)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    for (uint32_t i = 0; i < LANE_UNACKED_MAX - 1; i++)
        rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, i), &client);
    kick(RIG_SHARD, 2, "Bye.");
    ck_assert_int_eq(left(), 2);
}
END_TEST

START_TEST(a_kick_with_another_reason_or_without_a_player_is_refused)
{
    Bus__Kick order = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    kick(RIG_SHARD, 1, "");
    kick(RIG_SHARD, 5, "");
    order.reason = 2;
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &order;
    rig_item(&rig, RIG_SHARD, &item);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 3);
    ck_assert_ptr_null(rig_got(&rig, &client.address, &wire_kick_notify_packet));
}
END_TEST

START_TEST(a_kick_by_a_shard_that_does_not_own_the_player_is_refused)
{
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD_2, BUS__ROLE__ROLE_SHARD, "shard-2", 3);
    kick(RIG_SHARD_2, 2, "");
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FORBIDDEN), 1);
    ck_assert_ptr_null(rig_got(&rig, &client.address, &wire_kick_notify_packet));
}
END_TEST

START_TEST(a_drain_sends_everybody_away_with_reason_4)
{
    struct wire_kick_notify notify;

    gateway_drain(rig.gateway, rig.now_ms, "The server restarts.");
    rig_gather(&rig);
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.reason, 4);
    rig_ack(&rig, &client, 1);
    ck_assert_int_eq(left(), 4);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

/* ---- rate limits */

START_TEST(frames_beyond_their_limit_are_dropped)
{
    for (uint32_t i = 0; i < 30; i++)
        rig_frame(&rig, &client, i);
    ck_assert_uint_eq(routed(), 19); /* and one before */
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_PLAYER_SYNC), 11);
    rig_pass(&rig, 1000);
    rig_forget(&rig);
    for (uint32_t i = 0; i < 60; i++)
        rig_frame(&rig, &client, i);
    ck_assert_uint_eq(routed(), 20);
}
END_TEST

/* Each packet with the number of them that pass at once. */
static const struct {
    const struct wire_packet *packet;
    uint32_t burst;
    enum reason reason;
} shared_limits[] = {
    { &wire_vehicle_frame_packet, 63, REASON_LIMIT_VEHICLE_FRAME },
    { &wire_weapon_shot_packet, 40, REASON_LIMIT_SHOTS },
    { &wire_vehicle_shot_packet, 40, REASON_LIMIT_SHOTS },
    { &wire_damage_report_packet, 50, REASON_LIMIT_DAMAGE_REPORT },
    { &wire_client_ack_packet, 150, REASON_LIMIT_ACKS },
    { &wire_client_pong_packet, 150, REASON_LIMIT_ACKS },
};

/* Limits hold before anything is decoded beyond the id: what stands behind the token does not matter. */
START_TEST(each_kind_of_packet_has_its_limit)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX] = { shared_limits[_i].packet->id };

    store_u64(data + 1, client.token);
    for (uint32_t i = 0; i < 160; i++)
        rig_datagram(&rig, &client.address, data, 9);
    ck_assert_uint_eq(rig_drops(&rig, shared_limits[_i].reason), 160 - shared_limits[_i].burst);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_SHORT), shared_limits[_i].burst);
}
END_TEST

START_TEST(both_kinds_of_shots_share_a_limit)
{
    uint8_t data[9] = { 0 };

    store_u64(data + 1, client.token);
    for (uint32_t i = 0; i < 50; i++) {
        data[0] = i % 2 == 0 ? PACKET_WEAPON_SHOT : PACKET_VEHICLE_SHOT;
        rig_datagram(&rig, &client.address, data, sizeof data);
    }
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_SHOTS), 10);
}
END_TEST

START_TEST(all_datagrams_of_a_connection_share_a_limit)
{
    uint8_t data[9] = { 0xA3 };

    store_u64(data + 1, client.token);
    for (uint32_t i = 0; i < 250; i++)
        rig_datagram(&rig, &client.address, data, sizeof data);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_DATAGRAMS), 51);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_UNKNOWN), 199);
}
END_TEST

START_TEST(events_beyond_their_limit_are_answered_and_not_delivered)
{
    for (uint32_t i = 0; i < 61; i++)
        rig_event(&rig, &client);
    ck_assert_uint_eq(routed(), 60);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 60);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_RELIABLE), 1);
    rig_pass(&rig, 17);
    rig_event_numbered(&rig, &client, 61);
    ck_assert_uint_eq(routed(), 61);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 61);
}
END_TEST

START_TEST(repeats_and_events_ahead_of_a_gap_do_not_count)
{
    rig_event(&rig, &client);
    for (uint32_t i = 0; i < 70; i++) {
        rig_event_numbered(&rig, &client, 1);
        rig_event_numbered(&rig, &client, 3 + i % 5);
    }
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_RELIABLE), 0);
    rig_event(&rig, &client);
    ck_assert_uint_eq(routed(), 2);
}
END_TEST

START_TEST(an_event_over_the_limit_of_all_datagrams_is_answered)
{
    uint8_t data[9] = { 0xA3 };

    store_u64(data + 1, client.token);
    for (uint32_t i = 0; i < 200; i++)
        rig_datagram(&rig, &client.address, data, sizeof data);
    rig_event(&rig, &client);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 0);
}
END_TEST

static Bus__Limit limit_row;
static Bus__Limit *limit_rows[] = { &limit_row };

static void with_limit(Bus__ClusterSettings *settings)
{
    settings->limits = limit_rows;
    settings->n_limits = 1;
}

static void set_limit(const char *name, double rate, double burst, const char *mode)
{
    static char copies[2][32];

    (void)snprintf(copies[0], sizeof copies[0], "%s", name);
    (void)snprintf(copies[1], sizeof copies[1], "%s", mode);
    bus__limit__init(&limit_row);
    limit_row.name = copies[0];
    limit_row.rate = rate;
    limit_row.burst = burst;
    limit_row.mode = copies[1];
    rig_settings(&rig, with_limit);
}

START_TEST(an_observed_limit_drops_nothing_and_counts)
{
    set_limit("player_sync", 40, 20, "observe");
    for (uint32_t i = 0; i < 30; i++)
        rig_frame(&rig, &client, i);
    ck_assert_uint_eq(routed(), 30);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->observed[LIMIT_PLAYER_SYNC], 11);
}
END_TEST

START_TEST(a_limit_that_is_off_drops_nothing)
{
    set_limit("player_sync", 40, 20, "off");
    for (uint32_t i = 0; i < 30; i++)
        rig_frame(&rig, &client, i);
    ck_assert_uint_eq(routed(), 30);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->observed[LIMIT_PLAYER_SYNC], 0);
}
END_TEST

START_TEST(a_limit_that_is_none_is_refused_and_the_other_settings_hold)
{
    set_limit("jumps", 40, 20, "enforce");
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 1);
}
END_TEST

static void flood(uint32_t per_ms, uint64_t ms)
{
    uint8_t data[9] = { PACKET_PLAYER_SYNC };

    store_u64(data + 1, client.token);
    for (uint64_t passed = 0; passed < ms; passed++) {
        for (uint32_t i = 0; i < per_ms; i++)
            gateway_on_datagram(rig.gateway, rig.now_ms, &client.address, (struct span){ data, sizeof data });
        rig_pass(&rig, 1);
    }
}

START_TEST(a_flood_of_5_s_is_kicked_with_its_reason)
{
    struct wire_kick_notify notify;

    flood(5, 4900);
    ck_assert_ptr_null(kick_notify(&notify));
    flood(5, 1200);
    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.reason, 2);
    ck_assert_uint_eq(notify.text.size, 5);
    ck_assert_int_eq(memcmp(notify.text.data, "flood", 5), 0);
}
END_TEST

START_TEST(ten_times_the_limit_is_dropped_but_not_kicked)
{
    struct wire_kick_notify notify;

    flood(4, 8000);
    ck_assert_ptr_null(kick_notify(&notify));
    ck_assert_uint_gt(rig_drops(&rig, REASON_LIMIT_DATAGRAMS), 20000);
}
END_TEST

/* ---- a client whose address changes */

static struct address elsewhere(uint16_t port)
{
    struct address address;

    ck_assert(address_parse(&address, "198.51.100.7", port));
    return address;
}

static void frame_from(const struct address *from)
{
    struct rig_client moved = client;

    moved.address = *from;
    rig_frame(&rig, &moved, 99);
}

/* The stamp of the last keepalive there. */
static uint32_t stamp_at(const struct address *to)
{
    const struct rig_datagram *keepalive = rig_got(&rig, to, &wire_server_keepalive_packet);

    ck_assert_ptr_nonnull(keepalive);
    return load_u32(keepalive->data + WIRE_SERVER_KEEPALIVE_STAMP_AT);
}

static size_t stamps_at(const struct address *to)
{
    return rig_count_got(&rig, to, &wire_server_keepalive_packet);
}

START_TEST(the_right_token_from_another_address_moves_nothing_by_itself)
{
    const struct address there = elsewhere(1);

    rig_pass(&rig, 2000);
    rig_forget(&rig);
    frame_from(&there);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_OTHER_ADDRESS), 1);
    ck_assert_uint_eq(rig.datagrams_count, 1);
    ck_assert_uint_eq(stamps_at(&there), 1);
    ck_assert_uint_ne(stamp_at(&there), (uint32_t)rig.now_ms);
}
END_TEST

START_TEST(the_stamp_from_the_new_address_moves_the_connection)
{
    const struct address there = elsewhere(1);

    rig_pass(&rig, MIGRATE_SILENCE_MS);
    frame_from(&there);
    rig_pong(&rig, &client, &there, stamp_at(&there));
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 1);
    rig_forget(&rig);
    frame_from(&there);
    ck_assert_uint_eq(routed(), 1);
    rig_frame(&rig, &client, 3);
    ck_assert_uint_eq(routed(), 1);
    rig_pass(&rig, 1000);
    ck_assert_uint_eq(stamps_at(&there), 1);
}
END_TEST

START_TEST(lanes_go_on_after_a_move)
{
    const struct address there = elsewhere(1);
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct rig_client moved;

    rig_event(&rig, &client);
    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &client);
    rig_pass(&rig, MIGRATE_SILENCE_MS);
    frame_from(&there);
    rig_pong(&rig, &client, &there, stamp_at(&there));
    rig_forget(&rig);
    rig_pass(&rig, 400);
    ck_assert_uint_ge(rig_count_got(&rig, &there, &wire_player_leave_packet), 1);
    moved = client;
    moved.address = there;
    rig_event(&rig, &moved);
    ck_assert_uint_eq(rig_got_ack(&rig, &moved), 2);
}
END_TEST

START_TEST(while_the_old_address_is_heard_a_pong_does_not_move)
{
    const struct address there = elsewhere(1);

    rig_pass(&rig, MIGRATE_SILENCE_MS - 1);
    frame_from(&there);
    rig_pong(&rig, &client, &there, stamp_at(&there));
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 0);
}
END_TEST

START_TEST(a_pong_that_came_too_early_does_not_count_later)
{
    const struct address there = elsewhere(1);
    uint32_t stamp;

    frame_from(&there);
    stamp = stamp_at(&there);
    rig_pong(&rig, &client, &there, stamp);
    rig_pass(&rig, 3000);
    rig_pong(&rig, &client, &there, stamp);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 0);
}
END_TEST

START_TEST(a_stamp_counts_only_from_the_address_it_was_sent_to)
{
    const struct address there = elsewhere(1);
    const struct address third = elsewhere(2);

    rig_pass(&rig, MIGRATE_SILENCE_MS);
    frame_from(&there);
    rig_pong(&rig, &client, &third, stamp_at(&there));
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 0);
    rig_pong(&rig, &client, &client.address, stamp_at(&there));
    ck_assert_uint_eq(rig_drops(&rig, REASON_STAMP_UNKNOWN), 1);
}
END_TEST

START_TEST(a_regular_stamp_does_not_move_the_connection)
{
    const struct address there = elsewhere(1);

    rig_pass(&rig, 2000);
    rig_pong(&rig, &client, &there, stamp_at(&client.address));
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 0);
}
END_TEST

START_TEST(a_stamp_of_another_address_is_good_for_10_s)
{
    const struct address there = elsewhere(1);
    uint32_t stamp;

    frame_from(&there);
    stamp = stamp_at(&there);
    for (int i = 0; i < 85; i++) {
        rig_frame(&rig, &client, 5);
        rig_pass(&rig, 100);
    }
    rig_pass(&rig, 1501);
    rig_pong(&rig, &client, &there, stamp);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 0);
}
END_TEST

START_TEST(another_address_gets_at_most_2_stamps_a_second)
{
    const struct address there = elsewhere(1);

    for (int i = 0; i < 20; i++)
        frame_from(&there);
    ck_assert_uint_eq(stamps_at(&there), 2);
    rig_pass(&rig, 999);
    frame_from(&there);
    ck_assert_uint_eq(stamps_at(&there), 2);
    rig_pass(&rig, 1);
    frame_from(&there);
    ck_assert_uint_eq(stamps_at(&there), 3);
}
END_TEST

START_TEST(a_strangers_tries_do_not_block_the_owners)
{
    const struct address stranger = elsewhere(1);
    const struct address owner = elsewhere(2);

    rig_pass(&rig, MIGRATE_SILENCE_MS);
    for (int i = 0; i < 10; i++)
        frame_from(&stranger);
    frame_from(&owner);
    for (int i = 0; i < 10; i++)
        frame_from(&stranger);
    rig_pong(&rig, &client, &owner, stamp_at(&owner));
    ck_assert_uint_eq(gateway_stats(rig.gateway)->migrations, 1);
}
END_TEST

START_TEST(another_address_does_not_keep_the_connection_alive)
{
    const struct address there = elsewhere(1);

    for (int i = 0; i < 101; i++) {
        frame_from(&there);
        rig_pass(&rig, 100);
    }
    ck_assert_int_eq(left(), 1);
}
END_TEST

START_TEST(a_bye_from_another_address_ends_nothing)
{
    const struct wire_client_bye bye = { .token = client.token };
    struct rig_client replayed = client;

    replayed.address = elsewhere(1);
    rig_packet(&rig, &replayed, &wire_client_bye_packet, &bye);
    ck_assert_int_eq(left(), -1);
}
END_TEST

/* ---- authentication */

static uint8_t account_key[TICKET_KEY_SIZE];
static uint8_t account_secret[crypto_sign_ed25519_SECRETKEYBYTES];
static ProtobufCBinaryData account_keys[1];
static bool account_required;

static void with_accounts(Bus__ClusterSettings *settings)
{
    account_keys[0] = (ProtobufCBinaryData){ .len = sizeof account_key, .data = account_key };
    settings->public_keys = account_keys;
    settings->n_public_keys = 1;
    settings->cluster_id = 5;
    settings->require_account = account_required;
}

static void accounts_setup(void)
{
    static const uint8_t seed[crypto_sign_ed25519_SEEDBYTES] = { 9 };

    setup();
    ck_assert_int_eq(crypto_sign_ed25519_seed_keypair(account_key, account_secret, seed), 0);
    account_required = true;
    rig_settings(&rig, with_accounts);
    gateway_set_wall_clock(rig.gateway, rig.now_ms, UNIX_S);
    client.auth = true;
    rig_join(&rig, &client);
}

/* Sends a ticket of account 4711 as the client's next event. */
static void assert_account(uint64_t cluster_id, int64_t expires_s)
{
    uint8_t ticket[256];
    struct wire_auth_assertion assertion = { .token = client.token, .event_id = ++client.event_id };
    struct writer out;
    size_t size;

    writer_init(&out, ticket, sizeof ticket);
    write_u8(&out, TICKET_VERSION);
    write_u64(&out, 4711);
    write_u64(&out, cluster_id);
    write_i64(&out, expires_s);
    write_span(&out, (struct span){ (const uint8_t *)"0123456789abcdef", TICKET_ID_SIZE });
    write_u8(&out, 3);
    write_span(&out, (struct span){ (const uint8_t *)"ann", 3 });
    size = writer_size(&out);
    ck_assert_int_eq(crypto_sign_ed25519_detached(ticket + size, NULL, ticket, size, account_secret), 0);
    assertion.ticket = (struct span){ ticket, size + TICKET_SIGNATURE_SIZE };
    rig_packet(&rig, &client, &wire_auth_assertion_packet, &assertion);
}

static const Bus__TicketUse *ticket_use(void)
{
    const Bus__Item *item = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_TICKET_USE);

    return item != NULL ? item->ticket_use : NULL;
}

static void answer_ticket(bool accepted)
{
    Bus__TicketAnswer answer = BUS__TICKET_ANSWER__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), client.id,
                           client.player_token };
    Bus__Item item = BUS__ITEM__INIT;

    ck_assert_ptr_nonnull(ticket_use());
    answer.request = ticket_use()->request;
    answer.player = &player;
    answer.accepted = accepted;
    item.item_case = BUS__ITEM__ITEM_TICKET_ANSWER;
    item.ticket_answer = &answer;
    rig_item(&rig, RIG_COORDINATOR, &item);
}

static void request_spawn(void)
{
    const struct wire_request_spawn spawn = { .token = client.token, .event_id = client.event_id + 1 };

    rig_packet(&rig, &client, &wire_request_spawn_packet, &spawn);
}

static void failed(enum reason reason)
{
    struct wire_kick_notify notify;

    ck_assert_ptr_nonnull(kick_notify(&notify));
    ck_assert_uint_eq(notify.reason, 2);
    ck_assert_uint_eq(notify.text.size, strlen("authentication failed"));
    ck_assert_int_eq(memcmp(notify.text.data, "authentication failed", notify.text.size), 0);
    ck_assert_uint_eq(rig_drops(&rig, reason), 1);
}

START_TEST(a_good_ticket_is_accepted_when_the_cluster_has_not_seen_it)
{
    const struct rig_datagram *datagram;
    struct wire_auth_accepted accepted;
    struct wire_error error;

    assert_account(5, UNIX_S + 60);
    ck_assert_ptr_nonnull(ticket_use());
    ck_assert_uint_eq(ticket_use()->account_id, 4711);
    ck_assert_str_eq(ticket_use()->account_name, "ann");
    ck_assert_uint_eq(ticket_use()->valid_ms, 60000);
    ck_assert_uint_eq(ticket_use()->ticket_id.len, TICKET_ID_SIZE);
    ck_assert_ptr_null(rig_got(&rig, &client.address, &wire_auth_accepted_packet));
    answer_ticket(true);
    datagram = rig_got(&rig, &client.address, &wire_auth_accepted_packet);
    ck_assert_ptr_nonnull(datagram);
    ck_assert(wire_auth_accepted_decode(&accepted, datagram->data, datagram->size, &error));
    ck_assert_uint_eq(accepted.event_id, 1);
    ck_assert_uint_eq(accepted.account_id, 4711);
    ck_assert_uint_eq(routed(), 0);
}
END_TEST

START_TEST(a_ticket_that_was_used_before_is_refused)
{
    assert_account(5, UNIX_S + 60);
    answer_ticket(false);
    failed(REASON_TICKET_REUSED);
}
END_TEST

START_TEST(a_foreign_ticket_is_refused)
{
    assert_account(6, UNIX_S + 60);
    failed(REASON_TICKET_FOREIGN);
    ck_assert_ptr_null(ticket_use());
}
END_TEST

START_TEST(an_expired_ticket_is_refused)
{
    rig_pass(&rig, 1000);
    assert_account(5, UNIX_S + 1);
    failed(REASON_TICKET_EXPIRED);
}
END_TEST

START_TEST(without_a_ticket_the_client_is_kicked_after_10_s)
{
    struct wire_kick_notify notify;

    keep_alive(SESSION_AUTH_MS - 100);
    ck_assert_ptr_null(kick_notify(&notify));
    keep_alive(200);
    failed(REASON_TICKET_MISSING);
}
END_TEST

START_TEST(a_client_that_announced_no_ticket_need_not_send_one)
{
    struct rig_client other = rig_client(2);

    rig_join(&rig, &other);
    client = other;
    keep_alive(SESSION_AUTH_MS + 1000);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    ck_assert_ptr_null(rig_got(&rig, &other.address, &wire_kick_notify_packet));
}
END_TEST

START_TEST(nobody_asks_for_a_spawn_before_its_account_is_accepted)
{
    request_spawn();
    client.event_id++;
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NOT_AUTHENTICATED), 1);
    assert_account(5, UNIX_S + 60);
    answer_ticket(true);
    request_spawn();
    ck_assert_uint_eq(routed(), 1);
}
END_TEST

START_TEST(without_required_accounts_anybody_may_ask_for_a_spawn)
{
    account_required = false;
    rig_settings(&rig, with_accounts);
    request_spawn();
    ck_assert_uint_eq(routed(), 1);
}
END_TEST

START_TEST(what_follows_a_ticket_waits_for_its_answer)
{
    assert_account(5, UNIX_S + 60);
    request_spawn();
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 1);
    ck_assert_uint_eq(routed(), 0);
    answer_ticket(true);
    request_spawn();
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 2);
    ck_assert_uint_eq(routed(), 1);
}
END_TEST

START_TEST(a_second_ticket_is_acknowledged_and_ignored)
{
    assert_account(5, UNIX_S + 60);
    answer_ticket(true);
    rig_forget(&rig);
    assert_account(5, UNIX_S + 60);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 2);
    ck_assert_ptr_null(ticket_use());
    ck_assert_uint_eq(rig_drops(&rig, REASON_AUTH_REPEATED), 1);
}
END_TEST

START_TEST(a_proven_account_is_the_shards_next_item)
{
    const Bus__Item *item;

    assert_account(5, UNIX_S + 60);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_AUTH));
    answer_ticket(true);
    item = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_AUTH);
    ck_assert_ptr_nonnull(item);
    ck_assert_uint_eq(item->player_auth->player->token, client.player_token);
    ck_assert_uint_eq(item->player_auth->number, 2); /* after the join */
    ck_assert_uint_eq(item->player_auth->account_id, 4711);
    ck_assert_str_eq(item->player_auth->account_name, "ann");
    request_spawn();
    ck_assert_uint_eq(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET)->client_packet->number, 3);
}
END_TEST

START_TEST(a_refused_account_is_told_to_no_shard)
{
    assert_account(5, UNIX_S + 60);
    answer_ticket(false);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_AUTH));
}
END_TEST

START_TEST(without_a_coordinator_a_ticket_waits)
{
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    assert_account(5, UNIX_S + 60);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 0);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 9);
    client.event_id--;
    assert_account(5, UNIX_S + 60);
    ck_assert_uint_eq(rig_got_ack(&rig, &client), 1);
    ck_assert_ptr_nonnull(ticket_use());
}
END_TEST

START_TEST(a_question_the_coordinator_died_over_is_asked_again)
{
    assert_account(5, UNIX_S + 60);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    rig_forget(&rig);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 9);
    rig_gather(&rig);
    ck_assert_ptr_nonnull(ticket_use());
    answer_ticket(true);
    ck_assert_ptr_nonnull(rig_got(&rig, &client.address, &wire_auth_accepted_packet));
}
END_TEST

START_TEST(an_answer_to_no_question_is_ignored)
{
    assert_account(5, UNIX_S + 60);
    answer_ticket(true);
    answer_ticket(false);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_STALE), 1);
    ck_assert_ptr_null(rig_got(&rig, &client.address, &wire_kick_notify_packet));
}
END_TEST

static TCase *case_of(Suite *suite, const char *name, void (*case_setup)(void))
{
    TCase *made = tcase_create(name);

    tcase_add_checked_fixture(made, case_setup, teardown);
    suite_add_tcase(suite, made);
    return made;
}

Suite *gateway_suite(void)
{
    Suite *suite = suite_create("gateway");
    TCase *datagrams = case_of(suite, "datagrams", joined_setup);
    TCase *keepalive = case_of(suite, "keepalive", joined_setup);
    TCase *disconnect = case_of(suite, "disconnect", joined_setup);
    TCase *limits = case_of(suite, "rate limits", joined_setup);
    TCase *migration = case_of(suite, "change of address", joined_setup);
    TCase *accounts = case_of(suite, "authentication", accounts_setup);

    tcase_add_test(datagrams, a_datagram_longer_than_any_packet_is_dropped_unread);
    tcase_add_test(datagrams, an_empty_datagram_is_dropped);
    tcase_add_test(datagrams, a_datagram_too_short_for_a_token_is_dropped);
    tcase_add_test(datagrams, an_unknown_packet_is_dropped_whatever_its_token);
    tcase_add_test(datagrams, a_frame_goes_to_the_shard_without_its_token);
    tcase_add_test(datagrams, a_foreign_token_gets_no_answer);
    tcase_add_test(datagrams, a_malformed_packet_is_dropped_whole_and_kept_in_mind);
    tcase_add_test(datagrams, the_last_64_refusals_of_a_player_are_kept);
    tcase_add_test(datagrams, the_counts_are_printed_under_their_names);
    tcase_add_test(keepalive, a_keepalive_goes_out_once_a_second);
    tcase_add_test(keepalive, a_keepalive_carries_the_clock_and_the_round_trip);
    tcase_add_test(keepalive, the_shard_hears_the_round_trip);
    tcase_add_test(keepalive, a_stamp_that_was_never_sent_is_ignored);
    tcase_add_test(keepalive, a_stamp_older_than_10_s_is_ignored_by_the_gateway);
    tcase_add_test(disconnect, a_bye_ends_the_connection_with_reason_0);
    tcase_add_test(disconnect, after_10_s_of_silence_a_connection_ends_with_reason_1);
    tcase_add_test(disconnect, a_packet_with_the_token_starts_the_10_s_anew);
    tcase_add_test(disconnect, a_malformed_packet_with_the_token_starts_the_10_s_anew_as_well);
    tcase_add_test(disconnect, a_foreign_token_does_not_start_the_10_s_anew);
    tcase_add_test(disconnect, a_client_that_never_uses_its_token_times_out);
    tcase_add_test(disconnect, a_stall_of_the_gateway_does_not_count_as_silence);
    tcase_add_test(disconnect, a_stall_of_the_gateway_does_not_count_as_missing_acks);
    tcase_add_test(disconnect, fifteen_seconds_without_ack_progress_end_a_connection_that_is_alive);
    tcase_add_test(disconnect, the_512th_unacked_event_ends_the_connection);
    tcase_add_test(disconnect, a_kicked_client_leaves_when_it_has_acked_the_notice);
    tcase_add_test(disconnect, an_ack_of_earlier_events_does_not_end_a_kicked_connection);
    tcase_add_test(disconnect, a_kicked_client_that_does_not_ack_leaves_after_2_s);
    tcase_add_test(disconnect, the_notice_of_a_kick_is_repeated);
    tcase_add_test(disconnect, a_client_that_leaves_while_it_is_kicked_was_kicked);
    tcase_add_test(disconnect, nothing_of_a_kicked_client_reaches_the_shard);
    tcase_add_test(disconnect, nothing_of_the_shard_follows_the_notice_of_a_kick);
    tcase_add_test(disconnect, a_second_kick_changes_nothing);
    tcase_add_test(disconnect, a_text_that_the_wire_does_not_take_is_left_out);
    tcase_add_test(disconnect, a_text_that_is_too_long_is_cut);
    tcase_add_test(disconnect, a_kick_with_full_lane_ends_at_once);
    tcase_add_test(disconnect, a_kick_with_another_reason_or_without_a_player_is_refused);
    tcase_add_test(disconnect, a_kick_by_a_shard_that_does_not_own_the_player_is_refused);
    tcase_add_test(disconnect, a_drain_sends_everybody_away_with_reason_4);
    tcase_add_test(limits, frames_beyond_their_limit_are_dropped);
    tcase_add_loop_test(limits, each_kind_of_packet_has_its_limit, 0,
                        sizeof shared_limits / sizeof shared_limits[0]);
    tcase_add_test(limits, both_kinds_of_shots_share_a_limit);
    tcase_add_test(limits, all_datagrams_of_a_connection_share_a_limit);
    tcase_add_test(limits, events_beyond_their_limit_are_answered_and_not_delivered);
    tcase_add_test(limits, repeats_and_events_ahead_of_a_gap_do_not_count);
    tcase_add_test(limits, an_event_over_the_limit_of_all_datagrams_is_answered);
    tcase_add_test(limits, an_observed_limit_drops_nothing_and_counts);
    tcase_add_test(limits, a_limit_that_is_off_drops_nothing);
    tcase_add_test(limits, a_limit_that_is_none_is_refused_and_the_other_settings_hold);
    tcase_add_test(limits, a_flood_of_5_s_is_kicked_with_its_reason);
    tcase_add_test(limits, ten_times_the_limit_is_dropped_but_not_kicked);
    tcase_add_test(migration, the_right_token_from_another_address_moves_nothing_by_itself);
    tcase_add_test(migration, the_stamp_from_the_new_address_moves_the_connection);
    tcase_add_test(migration, lanes_go_on_after_a_move);
    tcase_add_test(migration, while_the_old_address_is_heard_a_pong_does_not_move);
    tcase_add_test(migration, a_pong_that_came_too_early_does_not_count_later);
    tcase_add_test(migration, a_stamp_counts_only_from_the_address_it_was_sent_to);
    tcase_add_test(migration, a_regular_stamp_does_not_move_the_connection);
    tcase_add_test(migration, a_stamp_of_another_address_is_good_for_10_s);
    tcase_add_test(migration, another_address_gets_at_most_2_stamps_a_second);
    tcase_add_test(migration, a_strangers_tries_do_not_block_the_owners);
    tcase_add_test(migration, another_address_does_not_keep_the_connection_alive);
    tcase_add_test(migration, a_bye_from_another_address_ends_nothing);
    tcase_add_test(accounts, a_good_ticket_is_accepted_when_the_cluster_has_not_seen_it);
    tcase_add_test(accounts, a_ticket_that_was_used_before_is_refused);
    tcase_add_test(accounts, a_foreign_ticket_is_refused);
    tcase_add_test(accounts, an_expired_ticket_is_refused);
    tcase_add_test(accounts, without_a_ticket_the_client_is_kicked_after_10_s);
    tcase_add_test(accounts, a_client_that_announced_no_ticket_need_not_send_one);
    tcase_add_test(accounts, nobody_asks_for_a_spawn_before_its_account_is_accepted);
    tcase_add_test(accounts, without_required_accounts_anybody_may_ask_for_a_spawn);
    tcase_add_test(accounts, what_follows_a_ticket_waits_for_its_answer);
    tcase_add_test(accounts, a_second_ticket_is_acknowledged_and_ignored);
    tcase_add_test(accounts, a_proven_account_is_the_shards_next_item);
    tcase_add_test(accounts, a_refused_account_is_told_to_no_shard);
    tcase_add_test(accounts, without_a_coordinator_a_ticket_waits);
    tcase_add_test(accounts, a_question_the_coordinator_died_over_is_asked_again);
    tcase_add_test(accounts, an_answer_to_no_question_is_ignored);
    return suite;
}
