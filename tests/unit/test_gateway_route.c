/* The lanes of a gateway's connections and its side of the bus: what goes to shards, what comes from them,
 * and what becomes of both when a peer is slow or dies. */
#include <stdio.h>
#include <string.h>

#include "gateway/core.h"
#include "gateway/lane.h"
#include "gateway/state.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

enum { CLIENTS = 3 };

static struct rig rig;
static struct rig_client clients[CLIENTS];
static struct rig_client *const client = &clients[0];

static void setup(void)
{
    rig_start(&rig);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        clients[i] = rig_client(i);
        rig_join(&rig, &clients[i]);
        rig_frame(&rig, &clients[i], 0);
    }
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

static const Bus__ClientPacket *routed_last(void)
{
    const Bus__Item *item = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET);

    ck_assert_ptr_nonnull(item);
    return item->client_packet;
}

static size_t got(const struct rig_client *who, const struct wire_packet *packet)
{
    return rig_count_got(&rig, &who->address, packet);
}

static void send_leave(const struct rig_client *to)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), to);
}

static void send_message(const struct rig_client *to)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    rig_send_one(&rig, BUS__SEND__CLASS__DROPPABLE, rig_server_message(buffer, "hello"), to);
}

static void keep_alive(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        for (size_t i = 0; i < CLIENTS; i++)
            rig_frame(&rig, &clients[i], (uint32_t)passed);
        rig_pass(&rig, 100);
    }
}

/* ---- client to server */

START_TEST(the_next_event_is_delivered_and_acked)
{
    rig_event(&rig, client);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 1);
    ck_assert_uint_eq(routed(), 1);
    ck_assert_uint_eq(routed_last()->event_id, 1);
    ck_assert_uint_eq(routed_last()->number, 2); /* the join was 1 */
    ck_assert_uint_eq(routed_last()->packet.len, 1);
    ck_assert_uint_eq(routed_last()->packet.data[0], PACKET_RESPAWN_REQUEST);
    rig_event(&rig, client);
    ck_assert_uint_eq(routed_last()->number, 3);
}
END_TEST

START_TEST(a_repeated_event_is_acked_again_and_not_delivered)
{
    rig_event(&rig, client);
    rig_event(&rig, client);
    rig_forget(&rig);
    rig_event_numbered(&rig, client, 1);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 2);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_EVENT_REPEATED), 1);
}
END_TEST

START_TEST(an_event_ahead_of_a_gap_is_discarded_and_the_ack_stays)
{
    rig_event(&rig, client);
    rig_event_numbered(&rig, client, 3);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 1);
    ck_assert_uint_eq(routed(), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_EVENT_AHEAD), 1);
    rig_event_numbered(&rig, client, 2);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 2);
    rig_event_numbered(&rig, client, 3);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 3);
}
END_TEST

START_TEST(an_event_far_ahead_is_discarded)
{
    rig_event_numbered(&rig, client, UINT32_MAX);
    rig_event_numbered(&rig, client, 0x80000000);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 0);
}
END_TEST

START_TEST(event_0_counts_as_delivered)
{
    rig_event_numbered(&rig, client, 0);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 0);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_EVENT_REPEATED), 1);
}
END_TEST

START_TEST(a_malformed_event_is_not_answered)
{
    uint8_t data[WIRE_RESPAWN_REQUEST_SIZE + 1] = { PACKET_RESPAWN_REQUEST };

    store_u64(data + 1, client->token);
    store_u32(data + 9, 1);
    rig_datagram(&rig, &client->address, data, sizeof data);
    rig_datagram(&rig, &client->address, data, sizeof data - 2);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(routed(), 0);
    rig_datagram(&rig, &client->address, data, sizeof data - 1);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 1);
}
END_TEST

START_TEST(acks_due_in_one_batch_are_merged_into_the_newest)
{
    for (uint32_t id = 1; id <= 5; id++) {
        const struct wire_respawn_request event = { .token = client->token, .event_id = id };
        uint8_t data[WIRE_RESPAWN_REQUEST_SIZE];

        (void)wire_respawn_request_put(&event, data, sizeof data);
        gateway_on_datagram(rig.gateway, rig.now_ms, &client->address, (struct span){ data, sizeof data });
    }
    rig_gather(&rig);
    ck_assert_uint_eq(got(client, &wire_server_ack_packet), 1);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 5);
}
END_TEST

START_TEST(each_connection_has_a_lane_of_its_own)
{
    rig_event(&rig, &clients[0]);
    rig_event(&rig, &clients[0]);
    rig_event(&rig, &clients[1]);
    ck_assert_uint_eq(rig_got_ack(&rig, &clients[0]), 2);
    ck_assert_uint_eq(rig_got_ack(&rig, &clients[1]), 1);
}
END_TEST

START_TEST(while_the_bus_is_full_events_wait_in_the_clients_lane)
{
    gateway_set_backlogged(rig.gateway, RIG_SHARD, true);
    rig_event(&rig, client);
    rig_frame(&rig, client, 1);
    ck_assert_uint_eq(routed(), 0);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FULL), 2);
    gateway_set_backlogged(rig.gateway, RIG_SHARD, false);
    rig_event_numbered(&rig, client, 1);
    ck_assert_uint_eq(rig_got_ack(&rig, client), 1);
    ck_assert_uint_eq(routed_last()->number, 2);
}
END_TEST

static void throw_having_seen(uint32_t seen_event)
{
    struct wire_projectile_create thrown = { .token = client->token,
                                             .event_id = ++client->event_id,
                                             .seen_event = seen_event };
    uint8_t data[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;
    size_t size;

    /* Whatever the page asks of a throw: the first values that pass. */
    thrown.weapon = 16;
    thrown.target_id = WIRE_NONE;
    size = wire_projectile_create_encode(&thrown, data, sizeof data, &error);
    ck_assert_msg(size > 0, "%s", error.field != NULL ? error.field->name : "?");
    rig_datagram(&rig, &client->address, data, size);
}

START_TEST(a_packet_tells_how_many_scope_barriers_its_sender_had_seen)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    const struct wire_scope_changed changed = { 0 };
    const struct span barrier = { buffer, wire_scope_changed_put(&changed, buffer, sizeof buffer) };

    send_leave(client);
    rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, barrier, client); /* event 2 */
    send_leave(client);
    throw_having_seen(1);
    ck_assert_uint_eq(routed_last()->barriers_seen, 0);
    ck_assert(!routed_last()->seen_past_end);
    throw_having_seen(2);
    ck_assert_uint_eq(routed_last()->barriers_seen, 1);
    throw_having_seen(3);
    ck_assert_uint_eq(routed_last()->barriers_seen, 1);
    ck_assert(!routed_last()->seen_past_end);
    throw_having_seen(4);
    ck_assert(routed_last()->seen_past_end);
}
END_TEST

/* ---- server to client */

START_TEST(events_of_a_shard_are_numbered_on_the_clients_lane)
{
    send_leave(client);
    send_message(client);
    ck_assert_uint_eq(load_u32(rig_got(&rig, &client->address, &wire_player_leave_packet)->data + 1), 1);
    ck_assert_uint_eq(load_u32(rig_got(&rig, &client->address, &wire_server_message_packet)->data + 1), 2);
}
END_TEST

START_TEST(an_unacked_event_is_sent_again_after_250_to_350_ms)
{
    send_leave(client);
    rig_forget(&rig);
    rig_pass(&rig, LANE_RTO_MS - 1);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), 0);
    rig_pass(&rig, LANE_CHECK_MS + 1);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), 1);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->resends, 1);
}
END_TEST

START_TEST(an_acked_event_is_not_sent_again)
{
    send_leave(client);
    rig_ack(&rig, client, 1);
    rig_forget(&rig);
    rig_pass(&rig, 1000);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), 0);
}
END_TEST

START_TEST(a_check_resends_at_most_32_events_of_a_connection)
{
    for (int i = 0; i < 50; i++)
        send_leave(client);
    rig_forget(&rig);
    rig_pass(&rig, LANE_RTO_MS + LANE_CHECK_MS - 1);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), LANE_RESENDS_MAX);
    rig_pass(&rig, LANE_CHECK_MS);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), 50);
}
END_TEST

START_TEST(the_shard_is_told_what_was_acked_once_a_batch)
{
    const Bus__EventsAcked *acked;

    for (int i = 0; i < 3; i++)
        send_leave(client);
    for (uint32_t id = 1; id <= 3; id++) {
        const struct wire_client_ack ack = { .token = client->token, .ack = id };
        uint8_t data[WIRE_CLIENT_ACK_SIZE];

        (void)wire_client_ack_put(&ack, data, sizeof data);
        gateway_on_datagram(rig.gateway, rig.now_ms, &client->address, (struct span){ data, sizeof data });
    }
    rig_gather(&rig);
    ck_assert_uint_eq(rig_count_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_EVENTS_ACKED), 1);
    acked = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_EVENTS_ACKED)->events_acked;
    ck_assert_uint_eq(acked->event_id, 3);
    ck_assert_uint_eq(acked->player->token, client->player_token);
}
END_TEST

START_TEST(an_ack_that_moves_nothing_is_not_told)
{
    send_leave(client);
    rig_ack(&rig, client, 1);
    rig_forget(&rig);
    rig_ack(&rig, client, 1);
    rig_ack(&rig, client, 0);
    ck_assert_uint_eq(rig.items_count, 0);
}
END_TEST

START_TEST(an_ack_for_an_event_never_sent_is_ignored_and_counted)
{
    send_leave(client);
    rig_ack(&rig, client, 2);
    rig_ack(&rig, client, UINT32_MAX);
    ck_assert_uint_eq(rig_drops(&rig, REASON_ACK_AHEAD), 2);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_EVENTS_ACKED));
}
END_TEST

START_TEST(a_tag_is_reported_when_its_event_is_acked)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    const struct rig_client *to = client;
    const Bus__TagAcked *tag;

    send_leave(client);
    rig_send(&rig, RIG_SHARD, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), &to, 1, 77);
    rig_ack(&rig, client, 1);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_TAG_ACKED));
    rig_event(&rig, client);
    rig_ack(&rig, client, 2);
    tag = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_TAG_ACKED)->tag_acked;
    ck_assert_uint_eq(tag->tag, 77);
    ck_assert_uint_eq(tag->player->id, client->id);
    ck_assert_uint_eq(tag->number, 3); /* after the join and the event */
}
END_TEST

START_TEST(droppable_events_are_dropped_from_256_unacked_on_and_critical_ones_are_not)
{
    for (int i = 0; i < LANE_DROPPABLE_MAX; i++)
        send_message(client);
    send_message(client);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LANE_DROPPABLE), 1);
    rig_forget(&rig);
    send_leave(client);
    ck_assert_uint_eq(load_u32(rig_got(&rig, &client->address, &wire_player_leave_packet)->data + 1),
                      LANE_DROPPABLE_MAX + 1);
}
END_TEST

START_TEST(an_unreliable_packet_goes_out_once_to_each_recipient_as_it_came)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    const struct span frame = rig_remote_frame(buffer, 5, 6);
    const struct rig_client *to[] = { &clients[0], &clients[2] };

    rig_send(&rig, RIG_SHARD, BUS__SEND__CLASS__UNRELIABLE, frame, to, 2, 0);
    ck_assert_uint_eq(got(&clients[0], &wire_remote_player_sync_packet), 1);
    ck_assert_uint_eq(got(&clients[1], &wire_remote_player_sync_packet), 0);
    ck_assert_uint_eq(got(&clients[2], &wire_remote_player_sync_packet), 1);
    ck_assert_int_eq(memcmp(rig.datagrams[0].data, frame.data, frame.size), 0);
    rig_pass(&rig, 500);
    ck_assert_uint_eq(got(&clients[0], &wire_remote_player_sync_packet), 1);
}
END_TEST

START_TEST(a_frame_for_many_is_held_once)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct egress_run run;
    const uint8_t *data = NULL;
    const struct rig_client *to[] = { &clients[0], &clients[1], &clients[2] };
    Bus__Send send = BUS__SEND__INIT;
    Bus__Recipient recipients[3];
    Bus__Recipient *list[3];
    Bus__Item item = BUS__ITEM__INIT;
    const struct span frame = rig_remote_frame(buffer, 5, 6);

    for (size_t i = 0; i < 3; i++) {
        bus__recipient__init(&recipients[i]);
        recipients[i].id = to[i]->id;
        recipients[i].token = to[i]->player_token;
        recipients[i].fence = RIG_FENCE;
        list[i] = &recipients[i];
    }
    send.packet = (ProtobufCBinaryData){ .len = frame.size, .data = buffer };
    send.to = list;
    send.n_to = 3;
    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = &send;
    gateway_on_item(rig.gateway, rig.now_ms, RIG_SHARD, &item);
    for (size_t i = 0; i < 3; i++) {
        ck_assert(egress_take(gateway_take_egress(rig.gateway), &run));
        ck_assert(data == NULL || run.data[0] == data);
        data = run.data[0];
    }
    egress_clear(gateway_take_egress(rig.gateway));
}
END_TEST

START_TEST(recipients_of_another_generation_or_fence_are_skipped)
{
    struct rig_client other = *client;
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = BUS__SEND__INIT;
    Bus__Recipient recipient = BUS__RECIPIENT__INIT;
    Bus__Recipient *list[] = { &recipient };
    Bus__Item item = BUS__ITEM__INIT;
    const struct span packet = rig_player_leave(buffer, 9);

    other.player_token++;
    send_leave(&other);
    other.id = 999;
    send_leave(&other);
    ck_assert_uint_eq(rig_drops(&rig, REASON_RECIPIENT_GONE), 2);

    recipient.id = client->id;
    recipient.token = client->player_token;
    recipient.fence = RIG_FENCE - 1;
    send.packet = (ProtobufCBinaryData){ .len = packet.size, .data = buffer };
    send.class_ = BUS__SEND__CLASS__CRITICAL;
    send.to = list;
    send.n_to = 1;
    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = &send;
    rig_item(&rig, RIG_SHARD, &item);
    ck_assert_uint_eq(rig_drops(&rig, REASON_RECIPIENT_FENCE), 1);
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

/* ---- groups and variants */

/* Adds and removes clients, by a bit each. */
static void update_group(uint16_t peer, uint64_t group, bool reset, unsigned add, unsigned remove)
{
    Bus__GroupUpdate update = BUS__GROUP_UPDATE__INIT;
    Bus__Recipient recipients[CLIENTS];
    Bus__Recipient *list[CLIENTS];
    uint32_t removed[CLIENTS];
    Bus__Item item = BUS__ITEM__INIT;

    update.group = group;
    update.reset = reset;
    update.add = list;
    update.remove = removed;
    for (size_t i = 0; i < CLIENTS; i++) {
        if ((add >> i & 1) != 0) {
            bus__recipient__init(&recipients[i]);
            recipients[i].id = clients[i].id;
            recipients[i].token = clients[i].player_token;
            recipients[i].fence = RIG_FENCE;
            list[update.n_add++] = &recipients[i];
        }
        if ((remove >> i & 1) != 0)
            removed[update.n_remove++] = clients[i].id;
    }
    item.item_case = BUS__ITEM__ITEM_GROUP_UPDATE;
    item.group_update = &update;
    rig_item(&rig, peer, &item);
}

static Bus__Send group_send(uint64_t group, struct span packet, Bus__Send__Class delivery)
{
    Bus__Send send = BUS__SEND__INIT;

    send.group = group;
    send.class_ = delivery;
    send.packet = (ProtobufCBinaryData){ .len = packet.size, .data = (uint8_t *)packet.data };
    return send;
}

static void send_item(uint16_t peer, Bus__Send *send)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = send;
    rig_item(&rig, peer, &item);
}

/* Who gets a frame for the group, a bit each. */
static unsigned reached(uint16_t peer, uint64_t group)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = group_send(group, rig_remote_frame(buffer, 5, 6), BUS__SEND__CLASS__UNRELIABLE);
    unsigned reached = 0;

    rig_forget(&rig);
    send_item(peer, &send);
    for (size_t i = 0; i < CLIENTS; i++)
        reached |= (unsigned)got(&clients[i], &wire_remote_player_sync_packet) << i;
    return reached;
}

enum { GROUP = 1 };
#define GROUP_ID (UINT64_C(1) << 32 | GROUP)

START_TEST(a_group_is_changed_by_deltas)
{
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 0);
    update_group(RIG_SHARD, GROUP_ID, true, 3, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 3);
    update_group(RIG_SHARD, GROUP_ID, false, 4, 1);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 6);
    update_group(RIG_SHARD, GROUP_ID, false, 4, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 6);
    update_group(RIG_SHARD, GROUP_ID, true, 1, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 1);
    update_group(RIG_SHARD, GROUP_ID, false, 0, 7);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 0);
}
END_TEST

START_TEST(a_reset_of_no_group_forgets_all_of_the_shard)
{
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD_2, BUS__ROLE__ROLE_SHARD, "shard-2", 3);
    update_group(RIG_SHARD, GROUP_ID, true, 3, 0);
    update_group(RIG_SHARD, GROUP_ID + 1, true, 1, 0);
    update_group(RIG_SHARD_2, GROUP_ID, true, 4, 0);
    update_group(RIG_SHARD, 0, false, 0, 0);
    update_group(RIG_SHARD, 0, true, 1, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 2);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 3);
    update_group(RIG_SHARD, 0, true, 0, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID + 1), 0);
    ck_assert_uint_eq(reached(RIG_SHARD_2, GROUP_ID), 4);
}
END_TEST

START_TEST(groups_of_two_shards_have_their_own_names)
{
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD_2, BUS__ROLE__ROLE_SHARD, "shard-2", 3);
    update_group(RIG_SHARD, GROUP_ID, true, 3, 0);
    update_group(RIG_SHARD_2, GROUP_ID, true, 4, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 3);
    ck_assert_uint_eq(reached(RIG_SHARD_2, GROUP_ID), 4);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD_2);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 3);
}
END_TEST

START_TEST(a_member_that_left_is_not_reached_and_its_place_is_not_the_next_ones)
{
    const struct wire_client_bye bye = { .token = client->token };
    struct rig_client next = rig_client(9);

    update_group(RIG_SHARD, GROUP_ID, true, 7, 0);
    rig_packet(&rig, client, &wire_client_bye_packet, &bye);
    rig_join(&rig, &next); /* takes the same place in the table */
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 6);
    ck_assert_uint_eq(got(&next, &wire_remote_player_sync_packet), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_RECIPIENT_GONE), 1);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 6);
    ck_assert_uint_eq(rig_drops(&rig, REASON_RECIPIENT_GONE), 1);
}
END_TEST

START_TEST(a_group_of_members_that_left_is_forgotten)
{
    const struct wire_client_bye bye = { .token = client->token };

    update_group(RIG_SHARD, GROUP_ID, true, 1, 0);
    rig_packet(&rig, client, &wire_client_bye_packet, &bye);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 0);
    update_group(RIG_SHARD, GROUP_ID, false, 2, 0);
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 2);
}
END_TEST

START_TEST(the_sender_of_a_frame_is_left_out)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = group_send(GROUP_ID, rig_remote_frame(buffer, 5, 6), BUS__SEND__CLASS__UNRELIABLE);

    update_group(RIG_SHARD, GROUP_ID, true, 7, 0);
    send.except = clients[1].id;
    send.has_except = true;
    send_item(RIG_SHARD, &send);
    ck_assert_uint_eq(got(&clients[0], &wire_remote_player_sync_packet), 1);
    ck_assert_uint_eq(got(&clients[1], &wire_remote_player_sync_packet), 0);
    ck_assert_uint_eq(got(&clients[2], &wire_remote_player_sync_packet), 1);
}
END_TEST

START_TEST(player_0_is_left_out_only_if_it_is_named)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = group_send(GROUP_ID, rig_remote_frame(buffer, 5, 6), BUS__SEND__CLASS__UNRELIABLE);

    ck_assert_uint_eq(clients[0].id, 0);
    update_group(RIG_SHARD, GROUP_ID, true, 1, 0);
    send_item(RIG_SHARD, &send);
    ck_assert_uint_eq(got(&clients[0], &wire_remote_player_sync_packet), 1);
}
END_TEST

START_TEST(teammates_get_the_teammate_byte)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = group_send(GROUP_ID, rig_remote_frame(buffer, 5, 6), BUS__SEND__CLASS__UNRELIABLE);
    uint32_t teammates[] = { clients[1].id, 999 };

    update_group(RIG_SHARD, GROUP_ID, true, 7, 0);
    send.teammates = teammates;
    send.n_teammates = 2;
    send_item(RIG_SHARD, &send);
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct rig_datagram *frame =
            rig_got(&rig, &clients[i].address, &wire_remote_player_sync_packet);

        ck_assert_uint_eq(frame->data[WIRE_REMOTE_PLAYER_SYNC_TEAMMATE_AT], i == 1);
    }
    ck_assert_uint_eq(reached(RIG_SHARD, GROUP_ID), 7);
    ck_assert_uint_eq(rig_got(&rig, &clients[1].address, &wire_remote_player_sync_packet)
                          ->data[WIRE_REMOTE_PLAYER_SYNC_TEAMMATE_AT],
                      0);
}
END_TEST

START_TEST(c_rewind_4_each_named_recipient_gets_its_rewind_block)
{
    const struct wire_remote_weapon_shot shot = { 0 };
    const struct wire_field *rewind =
        wire_field_by_name(wire_remote_weapon_shot_packet.layout, "rewind", strlen("rewind"));
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    const struct span packet = { buffer, wire_remote_weapon_shot_put(&shot, buffer, sizeof buffer) };
    uint8_t block[64];
    Bus__Rewind row = BUS__REWIND__INIT;
    Bus__Rewind *rows[] = { &row };
    uint32_t teammates[] = { clients[1].id };
    Bus__Send send = group_send(GROUP_ID, packet, BUS__SEND__CLASS__UNRELIABLE);

    memset(block, 0x5A, sizeof block);
    update_group(RIG_SHARD, GROUP_ID, true, 7, 0);
    row.id = clients[1].id;
    row.block = (ProtobufCBinaryData){ .len = rewind->of->max_size, .data = block };
    send.rewinds = rows;
    send.n_rewinds = 1;
    send.teammates = teammates;
    send.n_teammates = 1;
    send_item(RIG_SHARD, &send);
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct rig_datagram *got_shot =
            rig_got(&rig, &clients[i].address, &wire_remote_weapon_shot_packet);

        ck_assert_ptr_nonnull(got_shot);
        ck_assert_uint_eq(got_shot->data[rewind->wire_offset], i == 1 ? 0x5A : 0);
        ck_assert_uint_eq(got_shot->data[WIRE_REMOTE_WEAPON_SHOT_TEAMMATE_AT], i == 1);
    }
    row.block.len--;
    rig_forget(&rig);
    send_item(RIG_SHARD, &send);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 1);
}
END_TEST

START_TEST(an_event_for_a_group_takes_a_number_on_each_lane)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    Bus__Send send = group_send(GROUP_ID, rig_player_leave(buffer, 5), BUS__SEND__CLASS__CRITICAL);

    update_group(RIG_SHARD, GROUP_ID, true, 7, 0);
    send_leave(&clients[1]);
    rig_forget(&rig);
    send_item(RIG_SHARD, &send);
    for (size_t i = 0; i < CLIENTS; i++)
        ck_assert_uint_eq(load_u32(rig_got(&rig, &clients[i].address, &wire_player_leave_packet)->data + 1),
                          i == 1 ? 2 : 1);
    rig_ack(&rig, &clients[0], 1);
    rig_forget(&rig);
    rig_pass(&rig, 400);
    ck_assert_uint_eq(got(&clients[0], &wire_player_leave_packet), 0);
    ck_assert_uint_eq(got(&clients[2], &wire_player_leave_packet), 1);
}
END_TEST

START_TEST(what_a_shard_may_not_send_is_refused)
{
    static const struct {
        const char *name;
        uint8_t bytes[24];
        size_t size;
        Bus__Send__Class delivery;
        enum reason reason;
    } cases[] = {
        { "nothing", { 0 }, 0, BUS__SEND__CLASS__CRITICAL, REASON_BUS_MALFORMED },
        { "unknown", { 0xF0 }, 9, BUS__SEND__CLASS__CRITICAL, REASON_BUS_MALFORMED },
        { "the wrong way", { PACKET_PLAYER_SYNC }, 9, BUS__SEND__CLASS__UNRELIABLE, REASON_BUS_MALFORMED },
        { "short", { PACKET_PLAYER_LEAVE }, 13, BUS__SEND__CLASS__CRITICAL, REASON_BUS_MALFORMED },
        { "long", { PACKET_PLAYER_LEAVE }, 15, BUS__SEND__CLASS__CRITICAL, REASON_BUS_MALFORMED },
        { "an event as a frame",
          { PACKET_PLAYER_LEAVE },
          14,
          BUS__SEND__CLASS__UNRELIABLE,
          REASON_BUS_MALFORMED },
        { "no class", { PACKET_PLAYER_LEAVE }, 14, (Bus__Send__Class)3, REASON_BUS_MALFORMED },
        { "an ack", { PACKET_SERVER_ACK }, 5, BUS__SEND__CLASS__UNRELIABLE, REASON_BUS_FORBIDDEN },
        { "a kick", { PACKET_KICK_NOTIFY }, 7, BUS__SEND__CLASS__CRITICAL, REASON_BUS_FORBIDDEN },
        { "a keepalive", { PACKET_SERVER_KEEPALIVE }, 7, BUS__SEND__CLASS__UNRELIABLE, REASON_BUS_FORBIDDEN },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t before = rig_drops(&rig, cases[i].reason);

        rig_send_one(&rig, cases[i].delivery, (struct span){ cases[i].bytes, cases[i].size }, client);
        ck_assert_msg(rig_drops(&rig, cases[i].reason) == before + 1, "%s", cases[i].name);
    }
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

START_TEST(a_tag_is_for_a_critical_packet_to_one_player)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    const struct rig_client *to[] = { &clients[0], &clients[1] };

    rig_send(&rig, RIG_SHARD, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, 9), to, 2, 77);
    rig_send(&rig, RIG_SHARD, BUS__SEND__CLASS__UNRELIABLE, rig_remote_frame(buffer, 9, 1), to, 1, 77);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 2);
}
END_TEST

/* ---- peers */

START_TEST(items_without_their_part_are_refused)
{
    for (int kind = 0; kind <= 60; kind++) {
        for (uint16_t peer = RIG_COORDINATOR; peer <= RIG_SHARD_2; peer++) {
            Bus__Item item = BUS__ITEM__INIT;

            item.item_case = (Bus__Item__ItemCase)kind;
            rig_item(&rig, peer, &item);
        }
    }
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FORBIDDEN), 61 * 3);
    ck_assert_uint_eq(rig.datagrams_count, 0);
}
END_TEST

START_TEST(items_without_a_player_are_refused)
{
    Bus__PlayerListed listed = BUS__PLAYER_LISTED__INIT;
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Displace displace = BUS__DISPLACE__INIT;
    Bus__TicketAnswer ticket = BUS__TICKET_ANSWER__INIT;
    Bus__GroupUpdate update = BUS__GROUP_UPDATE__INIT;
    Bus__Item items[5];

    for (size_t i = 0; i < 5; i++)
        bus__item__init(&items[i]);
    items[0].item_case = BUS__ITEM__ITEM_PLAYER_LISTED;
    items[0].player_listed = &listed;
    items[1].item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    items[1].player_left = &left;
    items[2].item_case = BUS__ITEM__ITEM_DISPLACE;
    items[2].displace = &displace;
    items[3].item_case = BUS__ITEM__ITEM_TICKET_ANSWER;
    items[3].ticket_answer = &ticket;
    for (size_t i = 0; i < 4; i++)
        rig_item(&rig, RIG_COORDINATOR, &items[i]);
    items[4].item_case = BUS__ITEM__ITEM_GROUP_UPDATE;
    items[4].group_update = &update;
    rig_item(&rig, RIG_SHARD, &items[4]);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 5);
}
END_TEST

START_TEST(a_shard_does_not_speak_for_the_coordinator)
{
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), client->id,
                           client->player_token };
    Bus__Item item = BUS__ITEM__INIT;

    left.player = &player;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item.player_left = &left;
    rig_item(&rig, RIG_SHARD, &item);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FORBIDDEN), 1);
    rig_item(&rig, 200, &item);
    rig_item(&rig, UINT16_MAX, &item);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FORBIDDEN), 3);
}
END_TEST

START_TEST(the_coordinator_is_told_the_players_with_every_hello_and_once_a_second)
{
    const Bus__GatewayState *state;

    rig_pass(&rig, 1000);
    ck_assert_uint_eq(rig_count_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_GATEWAY_STATE), 1);
    rig_forget(&rig);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    rig_pass(&rig, 1500);
    ck_assert_uint_eq(rig.items_count, 0);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 9);
    rig_gather(&rig);
    ck_assert_int_eq(rig.items[0].item->item_case, BUS__ITEM__ITEM_GATEWAY_STATE);
    state = rig.items[0].item->gateway_state;
    ck_assert_str_eq(state->endpoint, "10.9.9.9:7777");
    ck_assert_uint_eq(state->pid, 42);
    ck_assert_uint_eq(state->connections, CLIENTS);
    ck_assert_uint_eq(state->n_players, CLIENTS);
    for (size_t i = 0; i < CLIENTS; i++) {
        ck_assert_uint_eq(state->players[i]->player->token, clients[i].player_token);
        ck_assert_uint_eq(state->players[i]->fence, RIG_FENCE);
        ck_assert_str_eq(state->players[i]->name, clients[i].name);
        ck_assert_str_eq(state->players[i]->shard, "shard-1");
        ck_assert_int_eq(memcmp(state->players[i]->address.data, clients[i].address.ip, 16), 0);
    }
}
END_TEST

START_TEST(play_goes_on_without_the_coordinator)
{
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    keep_alive(20000);
    rig_forget(&rig);
    rig_event(&rig, client);
    send_leave(client);
    ck_assert_uint_eq(routed(), 1);
    ck_assert_uint_eq(got(client, &wire_player_leave_packet), 1);
    ck_assert_uint_eq(rig_sessions(&rig), CLIENTS);
}
END_TEST

START_TEST(a_shards_death_sends_its_players_away_with_reason_4)
{
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    rig_gather(&rig);
    for (size_t i = 0; i < CLIENTS; i++)
        ck_assert_uint_eq(
            rig_got(&rig, &clients[i].address, &wire_kick_notify_packet)->data[WIRE_KICK_NOTIFY_REASON_AT],
            4);
    rig_ack(&rig, client, 1);
    ck_assert_uint_eq(rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 4);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_GONE));
    rig_pass(&rig, 2100);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(a_player_waits_for_the_link_to_its_shard)
{
    struct rig_client late = rig_client(9);
    const Bus__PlayerJoin *join;

    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    rig_join(&rig, &late);
    rig_event(&rig, &late);
    rig_frame(&rig, &late, 1);
    ck_assert_uint_eq(rig_got_ack(&rig, &late), 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_SHARD), 2);
    rig_pass(&rig, 500);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 77);
    rig_gather(&rig);
    ck_assert_uint_eq(rig_count_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN), 1);
    join = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN)->player_join;
    ck_assert_uint_eq(join->player->token, late.player_token);
    ck_assert_uint_eq(join->number, 1);
    rig_event_numbered(&rig, &late, 1);
    ck_assert_uint_eq(rig_got_ack(&rig, &late), 1);
    ck_assert_uint_eq(routed_last()->number, 2);
}
END_TEST

START_TEST(a_player_does_not_wait_for_its_shard_for_longer_than_10_s)
{
    struct rig_client late = rig_client(9);

    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    rig_pass(&rig, 2200);
    rig_join(&rig, &late);
    for (uint64_t passed = 0; passed < SHARD_WAIT_MS; passed += 100) {
        ck_assert_ptr_null(rig_got(&rig, &late.address, &wire_kick_notify_packet));
        rig_frame(&rig, &late, (uint32_t)passed);
        rig_pass(&rig, 100);
    }
    rig_pass(&rig, 100);
    ck_assert_ptr_nonnull(rig_got(&rig, &late.address, &wire_kick_notify_packet));
}
END_TEST

START_TEST(a_silent_connection_is_displaced_and_one_that_is_heard_is_not)
{
    Bus__Displace displace = BUS__DISPLACE__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), client->id,
                           client->player_token };
    Bus__Item item = BUS__ITEM__INIT;
    const Bus__Displaced *displaced;

    displace.player = &player;
    displace.silent_ms = 2000;
    displace.request = 55;
    item.item_case = BUS__ITEM__ITEM_DISPLACE;
    item.displace = &displace;
    rig_pass(&rig, 1999);
    rig_item(&rig, RIG_COORDINATOR, &item);
    displaced = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_DISPLACED)->displaced;
    ck_assert(!displaced->gone);
    ck_assert_uint_eq(displaced->request, 55);
    rig_pass(&rig, 1);
    rig_item(&rig, RIG_COORDINATOR, &item);
    ck_assert(rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_DISPLACED)->displaced->gone);
    ck_assert_uint_eq(rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 1);
    ck_assert_uint_eq(rig_sessions(&rig), CLIENTS - 1);
    rig_forget(&rig);
    rig_item(&rig, RIG_COORDINATOR, &item); /* whoever is not here is gone */
    ck_assert(rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_DISPLACED)->displaced->gone);
}
END_TEST

START_TEST(a_player_the_cluster_has_let_go_is_sent_away)
{
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), client->id,
                           client->player_token };
    Bus__Item item = BUS__ITEM__INIT;

    left.player = &player;
    left.reason = 1;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item.player_left = &left;
    rig_item(&rig, RIG_COORDINATOR, &item);
    ck_assert_ptr_nonnull(rig_got(&rig, &client->address, &wire_kick_notify_packet));
    rig_pass(&rig, 2100);
    ck_assert_uint_eq(rig_sessions(&rig), CLIENTS - 1);
}
END_TEST

START_TEST(a_gateway_is_ready_with_coordinator_settings_and_shard)
{
    ck_assert(gateway_is_ready(rig.gateway));
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    ck_assert(!gateway_is_ready(rig.gateway));
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 3);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    ck_assert(!gateway_is_ready(rig.gateway));
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 3);
    ck_assert(gateway_is_ready(rig.gateway));
    gateway_drain(rig.gateway, rig.now_ms, "");
    ck_assert(!gateway_is_ready(rig.gateway));
}
END_TEST

START_TEST(more_peers_than_the_table_holds_are_refused)
{
    gateway_peer_up(rig.gateway, rig.now_ms, PEERS_MAX, BUS__ROLE__ROLE_SHARD, "shard-9", 1);
    gateway_peer_down(rig.gateway, rig.now_ms, PEERS_MAX);
    gateway_set_backlogged(rig.gateway, PEERS_MAX, true);
    ck_assert_uint_eq(rig_drops(&rig, REASON_TABLE_FULL), 1);
}
END_TEST

static TCase *case_of(Suite *suite, const char *name)
{
    TCase *made = tcase_create(name);

    tcase_add_checked_fixture(made, setup, teardown);
    suite_add_tcase(suite, made);
    return made;
}

Suite *gateway_route_suite(void)
{
    Suite *suite = suite_create("gateway_route");
    TCase *in = case_of(suite, "client to server");
    TCase *out = case_of(suite, "server to client");
    TCase *groups = case_of(suite, "groups");
    TCase *peers = case_of(suite, "peers");

    tcase_add_test(in, the_next_event_is_delivered_and_acked);
    tcase_add_test(in, a_repeated_event_is_acked_again_and_not_delivered);
    tcase_add_test(in, an_event_ahead_of_a_gap_is_discarded_and_the_ack_stays);
    tcase_add_test(in, an_event_far_ahead_is_discarded);
    tcase_add_test(in, event_0_counts_as_delivered);
    tcase_add_test(in, a_malformed_event_is_not_answered);
    tcase_add_test(in, acks_due_in_one_batch_are_merged_into_the_newest);
    tcase_add_test(in, each_connection_has_a_lane_of_its_own);
    tcase_add_test(in, while_the_bus_is_full_events_wait_in_the_clients_lane);
    tcase_add_test(in, a_packet_tells_how_many_scope_barriers_its_sender_had_seen);
    tcase_add_test(out, events_of_a_shard_are_numbered_on_the_clients_lane);
    tcase_add_test(out, an_unacked_event_is_sent_again_after_250_to_350_ms);
    tcase_add_test(out, an_acked_event_is_not_sent_again);
    tcase_add_test(out, a_check_resends_at_most_32_events_of_a_connection);
    tcase_add_test(out, the_shard_is_told_what_was_acked_once_a_batch);
    tcase_add_test(out, an_ack_that_moves_nothing_is_not_told);
    tcase_add_test(out, an_ack_for_an_event_never_sent_is_ignored_and_counted);
    tcase_add_test(out, a_tag_is_reported_when_its_event_is_acked);
    tcase_add_test(out, droppable_events_are_dropped_from_256_unacked_on_and_critical_ones_are_not);
    tcase_add_test(out, an_unreliable_packet_goes_out_once_to_each_recipient_as_it_came);
    tcase_add_test(out, a_frame_for_many_is_held_once);
    tcase_add_test(out, recipients_of_another_generation_or_fence_are_skipped);
    tcase_add_test(groups, a_group_is_changed_by_deltas);
    tcase_add_test(groups, a_reset_of_no_group_forgets_all_of_the_shard);
    tcase_add_test(groups, groups_of_two_shards_have_their_own_names);
    tcase_add_test(groups, a_member_that_left_is_not_reached_and_its_place_is_not_the_next_ones);
    tcase_add_test(groups, a_group_of_members_that_left_is_forgotten);
    tcase_add_test(groups, the_sender_of_a_frame_is_left_out);
    tcase_add_test(groups, player_0_is_left_out_only_if_it_is_named);
    tcase_add_test(groups, teammates_get_the_teammate_byte);
    tcase_add_test(groups, c_rewind_4_each_named_recipient_gets_its_rewind_block);
    tcase_add_test(groups, an_event_for_a_group_takes_a_number_on_each_lane);
    tcase_add_test(groups, what_a_shard_may_not_send_is_refused);
    tcase_add_test(groups, a_tag_is_for_a_critical_packet_to_one_player);
    tcase_add_test(peers, items_without_their_part_are_refused);
    tcase_add_test(peers, items_without_a_player_are_refused);
    tcase_add_test(peers, a_shard_does_not_speak_for_the_coordinator);
    tcase_add_test(peers, the_coordinator_is_told_the_players_with_every_hello_and_once_a_second);
    tcase_add_test(peers, play_goes_on_without_the_coordinator);
    tcase_add_test(peers, a_shards_death_sends_its_players_away_with_reason_4);
    tcase_add_test(peers, a_player_waits_for_the_link_to_its_shard);
    tcase_add_test(peers, a_player_does_not_wait_for_its_shard_for_longer_than_10_s);
    tcase_add_test(peers, a_silent_connection_is_displaced_and_one_that_is_heard_is_not);
    tcase_add_test(peers, a_player_the_cluster_has_let_go_is_sent_away);
    tcase_add_test(peers, a_gateway_is_ready_with_coordinator_settings_and_shard);
    tcase_add_test(peers, more_peers_than_the_table_holds_are_refused);
    return suite;
}
