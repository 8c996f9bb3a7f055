#include <stdio.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/list.h"
#include "shard/player_place.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;

static void setup(void)
{
    stage = stage_new(NULL, 0);
}

static void teardown(void)
{
    stage_free(stage);
}

static void list_many(uint32_t first, uint32_t count)
{
    for (uint32_t id = first; id < first + count; id++) {
        char name[32];

        (void)snprintf(name, sizeof name, "listed_%u", id);
        stage_listed(stage, id, 1000 + id, name);
    }
}

static struct wire_player_list_entry take_entry(struct stage_client *client)
{
    struct wire_player_list_entry entry;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_PLAYER_LIST_ENTRY);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_list_entry_decode(&entry, packet->bytes, packet->size, &error));
    return entry;
}

START_TEST(a_new_connection_gets_an_entry_for_each_player)
{
    struct stage_client *client;
    struct wire_player_list_entry entry;

    list_many(5, 3);
    client = stage_join(stage, 1, 0, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 3);
    entry = take_entry(client);
    ck_assert_uint_eq(entry.player_id, 5);
    ck_assert_uint_eq(entry.player_token, 1005);
    ck_assert_uint_eq(entry.active, 1);
    ck_assert_uint_eq(entry.color, list_color(5));
    ck_assert_int_eq(entry.score, 0);
    ck_assert_uint_eq(entry.ping, 0);
    ck_assert_uint_eq(entry.name.size, strlen("listed_5"));
    ck_assert_mem_eq(entry.name.data, "listed_5", entry.name.size);
    ck_assert_uint_eq(entry.info.size, 0);
}
END_TEST

START_TEST(at_once_as_many_as_keep_it_below_128_and_then_32_a_tick)
{
    struct stage_client *client;

    list_many(5, 300);
    client = stage_join(stage, 1, 0, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), LANE_SHOWS_MAX - STAGE_GREETING);
    client->silent = true;
    stage_run(stage, 300);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), LANE_SHOWS_MAX - STAGE_GREETING);
    stage_ack(stage, client);
    client->silent = false;
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), LANE_SHOWS_MAX - STAGE_GREETING + 32);
    stage_run(stage, 1000);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 300);
}
END_TEST

/* Thousands who are each told of thousands, in the ticks of one shard. */
START_TEST(a_tick_tells_no_more_than_its_share_and_the_next_goes_on_with_who_had_none)
{
    enum { CLIENTS = 300 };
    struct stage_client *clients[CLIENTS];
    size_t before[CLIENTS];
    size_t told = 0;

    for (uint32_t i = 0; i < CLIENTS; i++)
        clients[i] = stage_join(stage, 1 + i, 0, 0);
    stage_run(stage, 2000); /* all know each other */
    for (uint32_t i = 0; i < CLIENTS; i++)
        before[i] = stage_count(clients[i], PACKET_PLAYER_LIST_ENTRY);
    list_many(340, 40);
    stage_run(stage, 100);
    for (uint32_t i = 0; i < CLIENTS; i++)
        told += stage_count(clients[i], PACKET_PLAYER_LIST_ENTRY) - before[i];
    ck_assert_uint_eq(told, LIST_ENTRIES_IN_ALL);
    stage_run(stage, 100);
    for (uint32_t i = 0; i < CLIENTS; i++)
        ck_assert_uint_ge(stage_count(clients[i], PACKET_PLAYER_LIST_ENTRY) - before[i], LIST_ENTRIES_A_TICK);
    stage_run(stage, 200);
    for (uint32_t i = 0; i < CLIENTS; i++)
        ck_assert_uint_eq(stage_count(clients[i], PACKET_PLAYER_LIST_ENTRY) - before[i], 40);
}
END_TEST

START_TEST(who_comes_later_is_listed_at_the_next_tick)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    list_many(5, 1);
    stage_run(stage, 100);
    ck_assert_uint_eq(take_entry(client).player_id, 5);
    list_many(5, 1); /* said again: nothing has changed */
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 0);
    stage_listed(stage, 5, 1005, "renamed");
    stage_run(stage, 100);
    ck_assert_mem_eq(take_entry(client).name.data, "renamed", 7);
}
END_TEST

START_TEST(everybody_but_the_leaver_is_told_of_a_leave)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct wire_player_leave leave;
    struct wire_error error;
    const struct stage_packet *packet;

    list_many(5, 1);
    stage_left(stage, 5, 1005, 1);
    packet = stage_take(client, PACKET_PLAYER_LEAVE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_leave_decode(&leave, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(leave.player_id, 5);
    ck_assert_uint_eq(leave.player_token, 1005);
    ck_assert_uint_eq(leave.reason, 1);
    stage_run(stage, 200);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 0); /* it was not told that it came */
}
END_TEST

/* Its gateway is gone, or says so later. */
START_TEST(a_leave_by_the_coordinator_takes_the_player_out_of_the_world)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct stage_client *near = stage_spawn(stage, 2, 5, 0);

    client->used = false;
    stage_left(stage, 1, client->token, 1);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 1));
    ck_assert(!stage_sees_player(near, client));
}
END_TEST

static void begin_anew(void)
{
    Bus__PlayersBegin begin = BUS__PLAYERS_BEGIN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_PLAYERS_BEGIN;
    item.players_begin = &begin;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

/* The coordinator died, or the shard was cut off from it, and nobody says who left meanwhile. */
START_TEST(who_is_not_told_anew_has_left_once_the_map_is_whole)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct wire_player_leave leave;
    struct wire_error error;
    const struct stage_packet *packet;

    list_many(5, 3);
    stage_run(stage, 100);
    begin_anew();
    list_many(5, 2);
    stage_map(stage, 2, 1, 1); /* the coordinator may still hear of more */
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 0);
    stage->whole = true;
    stage_map(stage, 2, 1, 1);
    packet = stage_take(client, PACKET_PLAYER_LEAVE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_leave_decode(&leave, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(leave.player_id, 7);
    ck_assert_uint_eq(leave.player_token, 1007);
    ck_assert_uint_eq(leave.reason, 1);
    stage_map(stage, 2, 1, 1);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 0);
}
END_TEST

/* The shard was cut off from the coordinator, and the id went to somebody else meanwhile. */
START_TEST(whose_id_is_somebody_elses_has_left)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct stage_client *near = stage_spawn(stage, 3, 5, 0);
    struct wire_player_leave leave;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_listed(stage, 3, near->token, "near");
    stage_run(stage, 200);
    stage_gone(stage, near);
    stage_listed(stage, 3, near->token + 1, "next");
    packet = stage_take(client, PACKET_PLAYER_LEAVE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_leave_decode(&leave, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(leave.player_token, near->token);
    ck_assert_uint_eq(leave.reason, 1);
    stage_run(stage, 200);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 0);
}
END_TEST

START_TEST(who_is_not_told_anew_is_not_in_the_world_either)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);

    stage_listed(stage, 1, client->token, "client");
    begin_anew();
    client->used = false;
    stage->whole = true;
    stage_map(stage, 2, 1, 1);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 1));
}
END_TEST

/* The bus to its gateway was cut: the leave came first, by the coordinator. */
START_TEST(a_join_after_the_leave_is_stale)
{
    struct stage_client *client;

    stage_left(stage, 3, 1003, 1);
    client = stage_join(stage, 3, 0, 0);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 3));
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 1);
    client->token = 1003;
    client = stage_join(stage, 3, 0, 0);
    ck_assert_ptr_nonnull(stage_player(stage, client));
}
END_TEST

/* It was once shown beyond the barrier until the coordinator had told of its leave. */
START_TEST(who_has_left_is_hidden_before_the_next_scope_whether_or_not_its_leave_is_known)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct stage_client *near = stage_spawn(stage, 2, 5, 0);
    struct wire_player_stream_out out;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_run(stage, 200);
    stage_walk(stage, near, 6, 0);
    stage_gone(stage, near);
    ck_assert(stage_sees_player(client, near));
    ck_assert_int_eq(
        player_set_scope(stage->shard, stage_player(stage, client), (struct scope){ .virtual_world = 2 }),
        REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 1);
    ck_assert(stage_order(client, PACKET_PLAYER_STREAM_OUT) < stage_order(client, PACKET_SCOPE_CHANGED));
    packet = stage_take(client, PACKET_PLAYER_STREAM_OUT);
    ck_assert(wire_player_stream_out_decode(&out, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(out.player_id, near->id);
    ck_assert_uint_eq(out.player_token, near->token);
    ck_assert_uint_eq(out.last_seq, near->seq);
    stage_left(stage, near->id, near->token, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 1);
}
END_TEST

START_TEST(many_leaves_wait_for_the_lane_and_the_shown_ones_go_first)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct stage_client *near = stage_spawn(stage, 300, 5, 0);
    struct wire_player_leave leave;
    struct wire_error error;

    list_many(5, 290);
    stage_listed(stage, near->id, near->token, "near");
    stage_run(stage, 2000);
    ck_assert(stage_sees_player(client, near));
    client->silent = true;
    stage_player(stage, client)->lane.sent += 255;
    client->received += 255;
    stage_gone(stage, near);
    stage_forget(stage);
    for (uint32_t id = 5; id < 295; id++)
        stage_left(stage, id, 1000 + id, 1);
    stage_left(stage, near->id, near->token, 1);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 1);
    stage_forget(stage);
    stage_ack(stage, client);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 256);

    const struct stage_packet *packet = stage_take(client, PACKET_PLAYER_LEAVE);

    ck_assert(wire_player_leave_decode(&leave, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(leave.player_id, near->id);
    stage_ack(stage, client);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 290 - 1);
    ck_assert_uint_eq(stage_player(stage, client)->leaves_owed_count, 0);
}
END_TEST

START_TEST(a_leave_that_is_owed_goes_out_before_the_id_is_anybody_elses)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    list_many(5, 1);
    stage_run(stage, 200);
    client->silent = true;
    stage_player(stage, client)->lane.sent += 256;
    client->received += 256;
    stage_left(stage, 5, 1005, 1);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 0);
    stage_listed(stage, 5, 2005, "next");
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 1);
}
END_TEST

/* The leave went to a gateway that was away, and was told to nobody. */
START_TEST(whose_gateway_is_away_is_told_the_leave_later_and_still_before_the_id_is_anybody_elses)
{
    struct stage_client *away = stage_spawn(stage, 1, 0, 0);
    struct stage_client *gone = stage_spawn(stage, 2, 10, 0);

    stage_run(stage, 200);
    stage_gateway_down(stage, 1);
    stage_gone(stage, gone);
    stage_left(stage, 2, 1002, 0);
    stage_listed(stage, 2, 5002, "another");
    stage_forget(stage);
    stage_gateway_up(stage, 1, 1);
    stage_run(stage, 300);
    ck_assert_uint_eq(stage_count(away, PACKET_PLAYER_LEAVE), 1);
    ck_assert_uint_eq(take_entry(away).player_token, 5002);
}
END_TEST

START_TEST(what_is_older_than_what_is_known_is_stale)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_listed(stage, 5, 2005, "new");
    stage_left(stage, 5, 1005, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 0);
    stage_listed(stage, 5, 1005, "old");
    stage_left(stage, 5, 2005, 0);
    stage_listed(stage, 5, 2005, "new");
    stage_left(stage, 5, 2005, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LEAVE), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 4);
}
END_TEST

START_TEST(what_makes_no_sense_is_dropped)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerListed listed = BUS__PLAYER_LISTED__INIT;
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    stage_listed(stage, STAGE_CLIENTS, 5, "id too high");
    stage_listed(stage, 5, 0, "no token");
    stage_listed(stage, 5, 5, "");
    stage_listed(stage, 5, 5, "line\nfeed");
    item.item_case = BUS__ITEM__ITEM_PLAYER_LISTED;
    item.player_listed = &listed;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    stage_left(stage, STAGE_CLIENTS, 5, 0);
    stage_left(stage, 5, 5, 5);
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item.player_left = &left;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    left.player = &player;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 9);
}
END_TEST

static void set_rtt(struct stage_client *client, uint32_t rtt_ms)
{
    client->rtt_ms = rtt_ms;
    stage_player(stage, client)->rtt_ms = rtt_ms;
}

START_TEST(a_ping_is_told_from_10_ms_on_rounded_to_5)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_listed(stage, 1, client->token, "me");
    stage_run(stage, 500);
    stage_forget(stage);
    set_rtt(client, 7); /* rounds to 5 */
    stage_run(stage, 1000);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 0);
    set_rtt(client, 8);
    stage_run(stage, 1000);
    ck_assert_uint_eq(take_entry(client).ping, 10);
    set_rtt(client, 63);
    stage_run(stage, 1000);
    ck_assert_uint_eq(take_entry(client).ping, 65);
    set_rtt(client, UINT32_MAX);
    stage_run(stage, 1000);
    ck_assert_uint_gt(take_entry(client).ping, 10000);
}
END_TEST

START_TEST(pings_go_out_four_a_second_in_turn)
{
    struct stage_client *watcher = stage_join(stage, 0, 0, 0);

    for (uint32_t id = 1; id <= 20; id++) {
        stage_join(stage, id, 0, 0);
        stage_listed(stage, id, 1000 + id, "somebody");
    }
    stage_run(stage, 1000);
    stage_forget(stage);
    for (uint32_t id = 1; id <= 20; id++)
        set_rtt(&stage->clients[id], 100);
    stage_run(stage, 1000);
    ck_assert_uint_le(stage_count(watcher, PACKET_PLAYER_LIST_ENTRY), 4);
    ck_assert_uint_ge(stage_count(watcher, PACKET_PLAYER_LIST_ENTRY), 3);
    stage_run(stage, 8000);
    ck_assert_uint_eq(stage_count(watcher, PACKET_PLAYER_LIST_ENTRY), 20);
}
END_TEST

Suite *shard_list_suite(void)
{
    Suite *suite = suite_create("shard_list");
    TCase *tcase = tcase_create("list");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_new_connection_gets_an_entry_for_each_player);
    tcase_add_test(tcase, at_once_as_many_as_keep_it_below_128_and_then_32_a_tick);
    tcase_add_test(tcase, a_tick_tells_no_more_than_its_share_and_the_next_goes_on_with_who_had_none);
    tcase_add_test(tcase, who_comes_later_is_listed_at_the_next_tick);
    tcase_add_test(tcase, everybody_but_the_leaver_is_told_of_a_leave);
    tcase_add_test(tcase, a_leave_by_the_coordinator_takes_the_player_out_of_the_world);
    tcase_add_test(tcase, who_is_not_told_anew_has_left_once_the_map_is_whole);
    tcase_add_test(tcase, whose_id_is_somebody_elses_has_left);
    tcase_add_test(tcase, who_is_not_told_anew_is_not_in_the_world_either);
    tcase_add_test(tcase, a_join_after_the_leave_is_stale);
    tcase_add_test(tcase, who_has_left_is_hidden_before_the_next_scope_whether_or_not_its_leave_is_known);
    tcase_add_test(tcase, many_leaves_wait_for_the_lane_and_the_shown_ones_go_first);
    tcase_add_test(tcase, a_leave_that_is_owed_goes_out_before_the_id_is_anybody_elses);
    tcase_add_test(tcase,
                   whose_gateway_is_away_is_told_the_leave_later_and_still_before_the_id_is_anybody_elses);
    tcase_add_test(tcase, what_is_older_than_what_is_known_is_stale);
    tcase_add_test(tcase, what_makes_no_sense_is_dropped);
    tcase_add_test(tcase, a_ping_is_told_from_10_ms_on_rounded_to_5);
    tcase_add_test(tcase, pings_go_out_four_a_second_in_turn);
    suite_add_tcase(suite, tcase);
    return suite;
}
