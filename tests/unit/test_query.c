#include <stdio.h>
#include <string.h>

#include "gateway/roster.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

enum { INFO, PLAYERS, RULES };

static struct rig rig;
static struct roster roster;

static void setup(void)
{
    rig_start(&rig);
}

static void teardown(void)
{
    rig_stop(&rig);
}

static void roster_setup(void)
{
    roster_init(&roster);
}

static void roster_teardown(void)
{
    roster_fini(&roster);
}

static void query(uint32_t from, uint8_t kind, uint16_t offset)
{
    const struct rig_client client = rig_client(from);
    const struct wire_query_request request = { .kind = kind, .nonce = 0xABCD, .offset = offset };

    rig_packet(&rig, &client, &wire_query_request_packet, &request);
}

/* The last datagram that left, decoded as this packet. */
static void answered(const struct wire_packet *packet, void *out)
{
    const struct rig_datagram *last = &rig.datagrams[rig.datagrams_count - 1];
    struct wire_error error;

    ck_assert_uint_gt(rig.datagrams_count, 0);
    ck_assert_uint_le(last->size, WIRE_QUERY_REQUEST_SIZE);
    ck_assert(packet->decode(out, last->data, last->size, &error));
}

static void list(uint32_t id, uint32_t token, const char *name)
{
    Bus__PlayerListed listed = BUS__PLAYER_LISTED__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), id, token };
    Bus__Item item = BUS__ITEM__INIT;
    char copy[64];

    (void)snprintf(copy, sizeof copy, "%s", name);
    listed.player = &player;
    listed.name = copy;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LISTED;
    item.player_listed = &listed;
    rig_item(&rig, RIG_COORDINATOR, &item);
}

static void leave(uint32_t id, uint32_t token)
{
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), id, token };
    Bus__Item item = BUS__ITEM__INIT;

    left.player = &player;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item.player_left = &left;
    rig_item(&rig, RIG_COORDINATOR, &item);
}

static bool is_text(struct span text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

START_TEST(info_tells_the_settings_and_the_players_of_the_cluster)
{
    struct wire_query_info info;

    list(0, 1, "Ann");
    list(7, 2, "Bob");
    query(1, INFO, 0);
    answered(&wire_query_info_packet, &info);
    ck_assert_uint_eq(info.nonce, 0xABCD);
    ck_assert_uint_eq(info.protocol_version, 146);
    ck_assert_uint_eq(info.players, 2);
    ck_assert_uint_eq(info.max_players, 1000);
    ck_assert_uint_eq(info.flags, 0);
    ck_assert(is_text(info.server_name, "Test server"));
    ck_assert(is_text(info.gamemode, "freeroam"));
    ck_assert(is_text(info.language, "en"));
}
END_TEST

static void locked(Bus__ClusterSettings *settings)
{
    settings->password = "x";
    settings->require_account = true;
}

START_TEST(info_tells_of_a_password_and_of_accounts)
{
    struct wire_query_info info;

    rig_settings(&rig, locked);
    query(1, INFO, 0);
    answered(&wire_query_info_packet, &info);
    ck_assert_uint_eq(info.flags, 3);
}
END_TEST

START_TEST(players_are_told_in_the_order_of_their_ids)
{
    struct wire_query_players players;

    list(7, 2, "Bob");
    list(2, 1, "Ann");
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.total, 2);
    ck_assert_uint_eq(players.players_count, 2);
    ck_assert_uint_eq(players.players[0].player_id, 2);
    ck_assert(is_text(players.players[0].name, "Ann"));
    ck_assert_uint_eq(players.players[1].player_id, 7);
}
END_TEST

START_TEST(players_from_an_offset_are_as_many_as_fit)
{
    struct wire_query_players players;
    char name[16];

    for (uint32_t id = 0; id < 40; id++) {
        (void)snprintf(name, sizeof name, "Player_%u", id);
        list(id, id + 1, name);
    }
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.players_count, 15);
    query(1, PLAYERS, 30);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.total, 40);
    ck_assert_uint_eq(players.offset, 30);
    ck_assert_uint_eq(players.players_count, 10);
    ck_assert_uint_eq(players.players[0].player_id, 30);
    query(1, PLAYERS, 40);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.players_count, 0);
    query(1, PLAYERS, UINT16_MAX);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.players_count, 0);
}
END_TEST

START_TEST(fifteen_longest_names_fit_the_answer)
{
    struct wire_query_players players;

    for (uint32_t id = 0; id < 15; id++)
        list(id, 1, "abcdefghijklmnopqrstuvwx");
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.players_count, 15);
}
END_TEST

START_TEST(a_player_of_this_gateway_has_its_ping)
{
    struct rig_client client = rig_client(2);
    struct wire_query_players players;

    rig_join(&rig, &client);
    rig_frame(&rig, &client, 1);
    list(client.id, client.player_token, client.name);
    rig_pass(&rig, 1100);
    rig_pass(&rig, 40);
    rig_pong(&rig, &client, &client.address,
             load_u32(rig_got(&rig, &client.address, &wire_server_keepalive_packet)->data + 1));
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_ge(players.players[0].ping, 40);
    ck_assert_uint_le(players.players[0].ping, 140);
}
END_TEST

START_TEST(a_player_that_left_is_not_told)
{
    struct wire_query_players players;

    list(0, 1, "Ann");
    list(1, 2, "Bob");
    leave(0, 1);
    leave(1, 1);
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.total, 1);
    ck_assert_uint_eq(players.players[0].player_id, 1);
}
END_TEST

START_TEST(a_coordinator_that_comes_back_tells_the_players_anew)
{
    struct wire_query_players players;
    Bus__PlayersBegin begin = BUS__PLAYERS_BEGIN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_PLAYERS_BEGIN;
    item.players_begin = &begin;

    list(0, 1, "Ann");
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 5);
    rig_item(&rig, RIG_COORDINATOR, &item);
    list(1, 2, "Bob");
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.total, 1);
}
END_TEST

/* What was said before still holds: it has not noticed that it was not heard, and tells nothing anew. */
START_TEST(a_coordinator_that_was_only_not_heard_for_a_while_left_the_players_as_they_are)
{
    struct wire_query_players players;

    list(0, 1, "Ann");
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 1);
    query(1, PLAYERS, 0);
    answered(&wire_query_players_packet, &players);
    ck_assert_uint_eq(players.total, 1);
}
END_TEST

static Bus__Rule some_rules[7];
static Bus__Rule *some_rules_list[7];

static void with_rules(Bus__ClusterSettings *settings)
{
    for (size_t i = 0; i < 7; i++) {
        bus__rule__init(&some_rules[i]);
        some_rules[i].key = "weather";
        some_rules[i].value = "10";
        some_rules_list[i] = &some_rules[i];
    }
    some_rules[6].key = "last";
    settings->rules = some_rules_list;
    settings->n_rules = 7;
}

START_TEST(rules_are_told_five_at_a_time)
{
    struct wire_query_rules rules;

    rig_settings(&rig, with_rules);
    query(1, RULES, 0);
    answered(&wire_query_rules_packet, &rules);
    ck_assert_uint_eq(rules.total, 7);
    ck_assert_uint_eq(rules.rules_count, 5);
    query(1, RULES, 5);
    answered(&wire_query_rules_packet, &rules);
    ck_assert_uint_eq(rules.rules_count, 2);
    ck_assert(is_text(rules.rules[1].key, "last"));
}
END_TEST

START_TEST(a_request_of_another_length_gets_no_answer)
{
    const struct rig_client client = rig_client(1);
    uint8_t request[WIRE_QUERY_REQUEST_SIZE + 1] = { 0xFF, 0 };

    rig_datagram(&rig, &client.address, request, WIRE_QUERY_REQUEST_SIZE - 1);
    rig_datagram(&rig, &client.address, request, WIRE_QUERY_REQUEST_SIZE + 1);
    request[300] = 1;
    rig_datagram(&rig, &client.address, request, WIRE_QUERY_REQUEST_SIZE);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    request[300] = 0;
    rig_datagram(&rig, &client.address, request, WIRE_QUERY_REQUEST_SIZE);
    ck_assert_uint_eq(rig.datagrams_count, 1);
}
END_TEST

START_TEST(queries_of_an_address_beyond_its_limit_get_no_answer)
{
    for (int i = 0; i < 11; i++)
        query(1, INFO, 0);
    ck_assert_uint_eq(rig.datagrams_count, 10);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_QUERY), 1);
    query(2, INFO, 0);
    ck_assert_uint_eq(rig.datagrams_count, 11);
}
END_TEST

START_TEST(queries_beyond_the_gateways_budget_get_no_answer)
{
    for (uint32_t i = 0; i < 1005; i++)
        query(i, INFO, 0);
    ck_assert_uint_eq(rig.datagrams_count, 1000);
    ck_assert_uint_eq(rig_drops(&rig, REASON_QUERY_BUDGET), 5);
}
END_TEST

START_TEST(before_the_settings_are_known_there_is_no_answer)
{
    rig_stop(&rig);
    rig_start_alone(&rig);
    query(1, INFO, 0);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_COORDINATOR), 1);
}
END_TEST

/* ---- the roster */

START_TEST(a_name_or_an_id_that_cannot_be_is_refused)
{
    ck_assert(!roster_add(&roster, ROSTER_MAX, 1, "Ann"));
    ck_assert(!roster_add(&roster, 1, 0, "Ann"));
    ck_assert(!roster_add(&roster, 1, 1, ""));
    ck_assert(!roster_add(&roster, 1, 1, "no spaces"));
    ck_assert(!roster_add(&roster, 1, 1, "abcdefghijklmnopqrstuvwxy"));
    ck_assert(roster_add(&roster, ROSTER_MAX - 1, 1, "Ann"));
    ck_assert_uint_eq(roster.count, 1);
}
END_TEST

START_TEST(an_id_told_again_is_its_new_owners)
{
    uint32_t id = 0;

    ck_assert(roster_add(&roster, 3, 1, "Ann"));
    ck_assert(roster_add(&roster, 3, 2, "Bob"));
    ck_assert_uint_eq(roster.count, 1);
    roster_remove(&roster, 3, 1);
    ck_assert_str_eq(roster_next(&roster, &id)->name, "Bob");
    ck_assert_uint_eq(id, 3);
    roster_remove(&roster, 3, 2);
    ck_assert_ptr_null(roster_next(&roster, &id));
    ck_assert_uint_eq(roster.count, 0);
}
END_TEST

Suite *query_suite(void)
{
    Suite *suite = suite_create("query");
    TCase *answers = tcase_create("answers");
    TCase *players = tcase_create("roster");

    tcase_add_checked_fixture(answers, setup, teardown);
    tcase_add_test(answers, info_tells_the_settings_and_the_players_of_the_cluster);
    tcase_add_test(answers, info_tells_of_a_password_and_of_accounts);
    tcase_add_test(answers, players_are_told_in_the_order_of_their_ids);
    tcase_add_test(answers, players_from_an_offset_are_as_many_as_fit);
    tcase_add_test(answers, fifteen_longest_names_fit_the_answer);
    tcase_add_test(answers, a_player_of_this_gateway_has_its_ping);
    tcase_add_test(answers, a_player_that_left_is_not_told);
    tcase_add_test(answers, a_coordinator_that_comes_back_tells_the_players_anew);
    tcase_add_test(answers, a_coordinator_that_was_only_not_heard_for_a_while_left_the_players_as_they_are);
    tcase_add_test(answers, rules_are_told_five_at_a_time);
    tcase_add_test(answers, a_request_of_another_length_gets_no_answer);
    tcase_add_test(answers, queries_of_an_address_beyond_its_limit_get_no_answer);
    tcase_add_test(answers, queries_beyond_the_gateways_budget_get_no_answer);
    tcase_add_test(answers, before_the_settings_are_known_there_is_no_answer);
    suite_add_tcase(suite, answers);
    tcase_add_checked_fixture(players, roster_setup, roster_teardown);
    tcase_add_test(players, a_name_or_an_id_that_cannot_be_is_refused);
    tcase_add_test(players, an_id_told_again_is_its_new_owners);
    suite_add_tcase(suite, players);
    return suite;
}
