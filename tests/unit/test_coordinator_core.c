/* The coordinator's core with its peers and a Redis that is the test's: joins, deaths, restarts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/wire.h"
#include "tests/unit/coordinator_hall.h"
#include "tests/unit/suites.h"

static struct hall hall;

static void setup(void)
{
    hall_start(&hall);
}

static void teardown(void)
{
    hall_stop(&hall);
}

static uint64_t drops(enum reason reason)
{
    return coordinator_stats(hall.coordinator)->drops[reason];
}

static uint32_t reject_of(uint16_t peer, const Bus__JoinRequest *request)
{
    const Bus__JoinAnswer *answer = hall_try(&hall, peer, request);

    ck_assert_ptr_nonnull(answer);
    return answer->reject;
}

/* ---- joining ---- */

START_TEST(who_joins_is_given_an_id_a_token_a_world_and_is_listed_to_all)
{
    Bus__JoinRequest request = hall_request(&hall, "Alice", "10.0.0.1");
    const Bus__JoinAnswer *answer = hall_try(&hall, HALL_GATEWAY_1, &request);
    static const uint16_t peers[] = { HALL_GATEWAY_1, HALL_GATEWAY_2, HALL_SHARD_1, HALL_SHARD_2 };

    ck_assert_ptr_nonnull(answer);
    ck_assert_uint_eq(answer->reject, 0);
    ck_assert_uint_eq(answer->player->id, 0);
    ck_assert_uint_ne(answer->player->token, 0);
    ck_assert_uint_eq(answer->fence, 1);
    ck_assert_str_eq(answer->shard, "shard-1");
    ck_assert_uint_eq(answer->spawn->skin, 7);
    for (size_t i = 0; i < 4; i++) {
        const Bus__Item *item = hall_last(&hall, peers[i], BUS__ITEM__ITEM_PLAYER_LISTED);

        ck_assert_ptr_nonnull(item);
        ck_assert_str_eq(item->player_listed->name, "Alice");
        ck_assert_str_eq(item->player_listed->gateway, "gateway-1");
        ck_assert_str_eq(item->player_listed->shard, "shard-1");
        ck_assert_uint_eq(item->player_listed->player->token, answer->player->token);
    }
}
END_TEST

START_TEST(spawns_are_handed_out_in_turn)
{
    Bus__JoinRequest request = hall_request(&hall, "a", "10.0.0.1");
    const Bus__JoinAnswer *answer;

    ck_assert_uint_eq(hall_try(&hall, HALL_GATEWAY_1, &request)->spawn->scope->virtual_world, 0);
    request = hall_request(&hall, "b", "10.0.0.1");
    answer = hall_try(&hall, HALL_GATEWAY_1, &request);
    ck_assert_uint_eq(answer->spawn->scope->virtual_world, 1);
    ck_assert_uint_eq(answer->spawn->scope->interior, 3);
    ck_assert_str_eq(answer->shard, "shard-2");
    request = hall_request(&hall, "c", "10.0.0.1");
    ck_assert_uint_eq(hall_try(&hall, HALL_GATEWAY_1, &request)->spawn->scope->virtual_world, 0);
}
END_TEST

START_TEST(tokens_of_both_gateways_come_from_one_counter)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct member_ref b = hall_join(&hall, HALL_GATEWAY_2, "b", "10.0.0.1");
    struct member_ref c = hall_join(&hall, HALL_GATEWAY_1, "c", "10.0.0.1");

    ck_assert_uint_eq(b.token, a.token + 1);
    ck_assert_uint_eq(c.token, b.token + 1);
    ck_assert_uint_eq(c.id, 2);
}
END_TEST

START_TEST(a_name_is_unique_over_the_gateways)
{
    Bus__JoinRequest request = hall_request(&hall, "ALICE", "10.0.0.9");
    struct member_ref alice = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");

    ck_assert_uint_eq(reject_of(HALL_GATEWAY_2, &request), JOIN_NAME_TAKEN);
    hall_leave(&hall, HALL_GATEWAY_1, alice, 0);
    request = hall_request(&hall, "ALICE", "10.0.0.9");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_2, &request), 0);
}
END_TEST

START_TEST(a_refusal_tells_reason_and_detail)
{
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");
    struct ban_subject subject;
    const Bus__JoinAnswer *answer;

    ck_assert(ban_subject_read(&subject, "10.0.0.0/8"));
    ck_assert_int_eq(
        coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, 60000, "Cheating."),
        COORDINATOR_DONE);
    answer = hall_try(&hall, HALL_GATEWAY_1, &request);
    ck_assert_uint_eq(answer->reject, JOIN_BANNED);
    ck_assert_str_eq(answer->detail, "Cheating.");
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LISTED), 0);
}
END_TEST

START_TEST(an_id_is_free_5_s_after_its_player_has_left)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_leave(&hall, HALL_GATEWAY_1, a, 0);
    hall_pass(&hall, 4999);
    ck_assert_uint_eq(hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1").id, 1);
    hall_pass(&hall, 1);
    ck_assert_uint_eq(hall_join(&hall, HALL_GATEWAY_1, "c", "10.0.0.1").id, 0);
}
END_TEST

START_TEST(who_leaves_is_told_to_all_once)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_leave(&hall, HALL_GATEWAY_1, a, 2);
    hall_leave(&hall, HALL_GATEWAY_1, a, 2);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_PLAYER_LEFT), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_PLAYER_LEFT), 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 2);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->leaves[2], 1);
}
END_TEST

START_TEST(only_its_own_gateway_can_say_that_a_player_has_left)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_leave(&hall, HALL_GATEWAY_2, a, 0);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

/* ---- replaced and displaced ---- */

START_TEST(a_reconnect_replaces_the_old_connection_in_this_order)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "Alice", "10.0.0.1");
    Bus__Player replaces = BUS__PLAYER__INIT;
    const struct outbox *outbox = coordinator_outbox(hall.coordinator);
    Bus__Item__ItemCase cases[3];
    size_t count = 0;

    hall.settings.connections_per_address = 1;
    replaces.id = old.id;
    replaces.token = old.token;
    request.replaces = &replaces;
    hall_forget(&hall);
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), 0);
    for (size_t i = 0; i < outbox->count && count < 3; i++) {
        if (outbox->entries[i].peer == HALL_GATEWAY_1)
            cases[count++] = outbox->entries[i].item->item_case;
    }
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(cases[0], BUS__ITEM__ITEM_JOIN_ANSWER);
    ck_assert_int_eq(cases[1], BUS__ITEM__ITEM_PLAYER_LEFT);
    ck_assert_int_eq(cases[2], BUS__ITEM__ITEM_PLAYER_LISTED);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    hall_leave(&hall, HALL_GATEWAY_1, old, 0); /* as its gateway says too */
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

START_TEST(after_a_refusal_the_connection_it_would_replace_lives_on)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");
    Bus__Player replaces = BUS__PLAYER__INIT;

    replaces.id = old.id;
    replaces.token = old.token;
    request.replaces = &replaces;
    request.password_valid = false;
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), JOIN_WRONG_PASSWORD);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT), 0);
}
END_TEST

START_TEST(nobody_replaces_a_connection_of_another_gateway)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");
    Bus__Player replaces = BUS__PLAYER__INIT;

    replaces.id = old.id;
    replaces.token = old.token;
    request.replaces = &replaces;
    ck_assert_ptr_null(hall_try(&hall, HALL_GATEWAY_2, &request));
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

START_TEST(a_silent_holder_of_the_name_leaves_and_the_new_one_joins)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "Alice", "10.0.0.1");
    const Bus__Item *asked;

    ck_assert_ptr_null(hall_try(&hall, HALL_GATEWAY_2, &request));
    asked = hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_DISPLACE);
    ck_assert_ptr_nonnull(asked);
    ck_assert_uint_eq(asked->displace->player->token, old.token);
    ck_assert_uint_eq(asked->displace->silent_ms, 2000);
    hall_displaced(&hall, HALL_GATEWAY_1, old, true);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 1);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, request.request)->reject, 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

START_TEST(a_holder_that_is_not_silent_keeps_its_name)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");

    hall_ask(&hall, HALL_GATEWAY_2, &request);
    hall_displaced(&hall, HALL_GATEWAY_1, old, false);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, request.request)->reject, JOIN_NAME_TAKEN);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

/* The gateway's PlayerLeft for it may come before its Displaced, and after. */
START_TEST(a_displaced_holder_leaves_once)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");

    hall_ask(&hall, HALL_GATEWAY_2, &request);
    hall_leave(&hall, HALL_GATEWAY_1, old, 1);
    hall_displaced(&hall, HALL_GATEWAY_1, old, true);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, request.request)->reject, 0);
    hall_leave(&hall, HALL_GATEWAY_1, old, 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT), 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

START_TEST(of_two_attempts_for_a_silent_holders_name_one_gets_it)
{
    struct member_ref old = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    Bus__JoinRequest first = hall_request(&hall, "alice", "10.0.0.1");
    Bus__JoinRequest second = hall_request(&hall, "ALICE", "10.0.0.1");

    hall_ask(&hall, HALL_GATEWAY_2, &first);
    hall_ask(&hall, HALL_GATEWAY_2, &second);
    hall_displaced(&hall, HALL_GATEWAY_1, old, true);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, first.request)->reject, 0);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, second.request)->reject, JOIN_NAME_TAKEN);
}
END_TEST

START_TEST(a_gateway_that_does_not_say_whether_the_holder_is_silent_means_no)
{
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_ask(&hall, HALL_GATEWAY_2, &request);
    hall_pass(&hall, 1900);
    ck_assert_ptr_null(hall_answer(&hall, HALL_GATEWAY_2, request.request));
    hall_pass(&hall, 200);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_2, request.request)->reject, JOIN_NAME_TAKEN);
}
END_TEST

/* A client dies together with its gateway, and comes back through another one. */
START_TEST(a_holder_whose_gateway_is_not_heard_is_silent)
{
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_down(&hall, HALL_GATEWAY_1);
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_2, &request), 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 1);
}
END_TEST

/* ---- many at once ---- */

/* Trap 11: ids handed out twice. */
START_TEST(ten_thousand_parallel_joins_over_four_gateways_are_all_different)
{
    enum { JOINS = 10000 };
    static bool ids[JOINS];
    uint32_t last_token = 0;
    uint64_t first;
    uint32_t answers = 0;
    const struct outbox *outbox = coordinator_outbox(hall.coordinator);

    hall.settings.max_players = JOINS;
    hall.settings.connections_per_address = JOINS;
    hall_gateway_up(&hall, 3, "gateway-3", 103);
    hall_gateway_up(&hall, 4, "gateway-4", 104);
    hall.redis.is_slow = true;
    first = hall.request + 1;
    for (uint32_t i = 0; i < JOINS; i++) {
        char name[16];
        Bus__JoinRequest request;

        (void)snprintf(name, sizeof name, "p%u", i);
        request = hall_request(&hall, name, "10.0.0.1");
        hall_ask(&hall, (uint16_t)(i % 4 + 1), &request);
        if (i % 50 == 0) {
            /* Redis answers now and then only; the order of what gets an answer stays that of the tokens. */
            hall.redis.is_slow = false;
            hall_pump(&hall);
            hall.redis.is_slow = true;
        }
    }
    hall.redis.is_slow = false;
    hall_pass(&hall, 1000);
    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__JoinAnswer *answer = outbox->entries[i].item->join_answer;

        if (outbox->entries[i].item->item_case != BUS__ITEM__ITEM_JOIN_ANSWER)
            continue;
        ck_assert_uint_eq(answer->reject, 0);
        ck_assert_uint_ge(answer->request, first);
        ck_assert_uint_lt(answer->player->id, JOINS);
        ck_assert(!ids[answer->player->id]);
        ids[answer->player->id] = true;
        ck_assert_uint_gt(answer->player->token, last_token);
        last_token = answer->player->token;
        answers++;
    }
    ck_assert_uint_eq(answers, JOINS);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, JOINS);
}
END_TEST

/* ---- tokens ---- */

START_TEST(tokens_grow_over_a_restart)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    ck_assert_uint_gt(hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1").token, a.token);
}
END_TEST

START_TEST(tokens_grow_over_a_redis_that_was_restored_from_before)
{
    struct member_ref a;

    hall.redis.counters[STORAGE_TOKENS] = 50000;
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    ck_assert_uint_gt(a.token, 50000);
    hall_redis_down(&hall);
    hall.redis.counters[STORAGE_TOKENS] = 10;
    hall_redis_up(&hall);
    ck_assert_uint_gt(hall.redis.counters[STORAGE_TOKENS], a.token);
    for (uint32_t i = 0; i < 3000; i++) {
        struct member_ref b = hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1");

        ck_assert_uint_gt(b.token, a.token);
        a = b;
        hall_leave(&hall, HALL_GATEWAY_1, b, 0);
        hall_forget(&hall);
    }
}
END_TEST

START_TEST(tokens_grow_past_what_gateways_and_shards_have_seen)
{
    static const struct hall_player players[] = { { { 5, 70000 }, "old" } };

    memset(hall.redis.counters, 0, sizeof hall.redis.counters); /* Redis has lost everything */
    memset(hall.redis.players, 0, DIRECTORY_IDS * sizeof hall.redis.players[0]);
    hall_restart(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_shard_state(&hall, HALL_SHARD_1, 90000, 12345);
    hall_redis_up(&hall);
    hall_pass(&hall, 2500);
    ck_assert_uint_gt(hall_join(&hall, HALL_GATEWAY_1, "new", "10.0.0.1").token, 90000);
    ck_assert_uint_gt(hall.redis.counters[STORAGE_TOKENS], 90000);
}
END_TEST

START_TEST(tokens_grow_past_those_of_a_gateways_players_alone)
{
    static const struct hall_player players[] = { { { 5, 70000 }, "old" } };

    memset(hall.redis.counters, 0, sizeof hall.redis.counters);
    hall_restart(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    hall_redis_up(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    ck_assert_uint_gt(hall_join(&hall, HALL_GATEWAY_1, "new", "10.0.0.1").token, 70000);
}
END_TEST

START_TEST(a_token_that_cannot_be_is_not_believed)
{
    hall_shard_state(&hall, HALL_SHARD_1, UINT64_MAX, 0);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 1);
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
}
END_TEST

/* It would stand in the status, which is JSON, and in what gateways are told. */
START_TEST(a_state_that_cannot_be_printed_is_not_taken)
{
    static const float no_times[] = { NAN, INFINITY, -INFINITY, -1 };
    static char *const no_endpoints[] = { "", "tcp://\x1b[2J", "tcp://\xff\xfe" };
    char too_long[PROCESS_ENDPOINT_SIZE + 1];
    Bus__ShardState state = BUS__SHARD_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item.shard_state = &state;
    state.bus_endpoint = "ipc://a shard";
    for (size_t i = 0; i < 4; i++) {
        state.tick_ms = no_times[i];
        hall_item(&hall, HALL_SHARD_1, &item);
    }
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 4);
    state.tick_ms = 0;
    for (size_t i = 0; i < 3; i++) {
        state.bus_endpoint = no_endpoints[i];
        hall_item(&hall, HALL_SHARD_1, &item);
    }
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 7);
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    state.bus_endpoint = too_long;
    hall_item(&hall, HALL_SHARD_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 8);
    too_long[sizeof too_long - 2] = '\0';
    hall_item(&hall, HALL_SHARD_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 8);
}
END_TEST

START_TEST(a_gateways_address_that_cannot_be_printed_is_not_taken)
{
    Bus__GatewayState state = BUS__GATEWAY_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    state.endpoint = "10.0.0.1:\n7777";
    item.item_case = BUS__ITEM__ITEM_GATEWAY_STATE;
    item.gateway_state = &state;
    hall_item(&hall, HALL_GATEWAY_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 1);
}
END_TEST

/* ---- stopped ---- */

/* All have given it up, and come back in the next life of their links. */
static void stop_for(uint64_t ms)
{
    hall_forget(&hall);
    hall.now_ms += ms;
    for (uint16_t i = 0; i < 2; i++) {
        hall_down(&hall, (uint16_t)(HALL_SHARD_1 + i));
        hall_down(&hall, (uint16_t)(HALL_GATEWAY_1 + i));
    }
}

START_TEST(a_coordinator_that_was_stopped_finds_its_cluster_as_it_was)
{
    const struct hall_player player = { hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1"), "a" };

    stop_for(15000);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 112);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 113);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_1, &player, 1);
    hall_pass(&hall, 3000);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK), 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_str_eq(hall_owner(&hall, 0), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 0), 1);
    ck_assert_uint_eq(hall_fence(&hall, 1), 1);
}
END_TEST

START_TEST(who_died_while_the_coordinator_was_stopped_is_missed_2_s_later)
{
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    stop_for(15000);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 103);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 113);
    hall_pass(&hall, COORDINATOR_SETTLE_MS - 1);
    ck_assert_str_eq(hall_owner(&hall, 0), "shard-1");
    hall_pass(&hall, 300);
    ck_assert_str_eq(hall_owner(&hall, 0), "shard-2");
    hall_pass(&hall, 10000);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(a_shard_that_started_anew_while_the_coordinator_was_stopped_has_lost_its_worlds)
{
    stop_for(15000);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", UINT64_MAX / 2);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 113);
    hall_pass(&hall, 300);
    ck_assert_str_eq(hall_owner(&hall, 0), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 0), 2);
    ck_assert_uint_eq(hall_fence(&hall, 1), 1);
}
END_TEST

/* ---- starting ---- */

START_TEST(without_redis_at_the_start_nobody_is_let_in_and_nothing_is_told)
{
    Bus__JoinRequest request;

    hall_stop(&hall);
    hall_start_alone(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    request = hall_request(&hall, "a", "10.0.0.1");
    ck_assert_ptr_null(hall_try(&hall, HALL_GATEWAY_1, &request));
    hall_pass(&hall, 3000);
    ck_assert_ptr_null(hall_answer(&hall, HALL_GATEWAY_1, request.request));
    ck_assert_ptr_nonnull(strstr(coordinator_unready(hall.coordinator), "Redis"));
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP), 0);
    hall_redis_up(&hall);
    hall_pass(&hall, 200);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_1, request.request)->reject, 0);
    ck_assert_ptr_nonnull(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_SETTINGS));
}
END_TEST

START_TEST(an_attempt_waits_no_longer_than_its_gateway)
{
    Bus__JoinRequest request;

    hall_stop(&hall);
    hall_start_alone(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    request = hall_request(&hall, "a", "10.0.0.1");
    hall_ask(&hall, HALL_GATEWAY_1, &request);
    hall_pass(&hall, 5100);
    ck_assert_uint_eq(drops(REASON_JOIN_TIMEOUT), 1);
    hall_redis_up(&hall);
    hall_pass(&hall, 3000);
    ck_assert_ptr_null(hall_answer(&hall, HALL_GATEWAY_1, request.request));
}
END_TEST

START_TEST(a_first_start_waits_for_nobody)
{
    Bus__JoinRequest request;

    hall_stop(&hall);
    hall_start_alone(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 112);
    hall_pass(&hall, 100);
    request = hall_request(&hall, "a", "10.0.0.1");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), 0);
}
END_TEST

START_TEST(a_restart_waits_2_s_for_those_it_does_not_hear)
{
    Bus__JoinRequest request;

    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    request = hall_request(&hall, "a", "10.0.0.1");
    ck_assert_ptr_null(hall_try(&hall, HALL_GATEWAY_1, &request));
    hall_pass(&hall, 1900);
    ck_assert_ptr_null(hall_answer(&hall, HALL_GATEWAY_1, request.request));
    hall_pass(&hall, 200);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_1, request.request)->reject, 0);
}
END_TEST

START_TEST(a_restart_that_hears_everybody_waits_no_longer)
{
    Bus__JoinRequest request;

    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_2, NULL, 0);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 112);
    hall_pass(&hall, 100);
    request = hall_request(&hall, "a", "10.0.0.1");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), 0);
}
END_TEST

START_TEST(a_restart_keeps_players_owners_and_fences)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    const struct hall_player players[] = { { a, "alice" } };
    uint64_t fence = hall.redis.slots[1].fence;
    Bus__JoinRequest request;

    hall_restart(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_2, NULL, 0);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 112);
    hall_redis_up(&hall);
    hall_pass(&hall, 200);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
    ck_assert_uint_eq(hall_fence(&hall, 1), fence);
    request = hall_request(&hall, "Alice", "10.9.9.9");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_2, &request), JOIN_NAME_TAKEN);
    ck_assert_uint_eq(hall_join(&hall, HALL_GATEWAY_2, "bob", "10.0.0.1").id, 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK), 0);
}
END_TEST

/* The map of the first moment must be right, or shards would drop worlds that are still theirs. */
START_TEST(a_restart_never_tells_a_map_without_the_owners_of_before)
{
    const struct outbox *outbox;

    hall_restart(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_redis_up(&hall);
    hall_pass(&hall, 500);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 112);
    hall_pass(&hall, 1600);
    outbox = coordinator_outbox(hall.coordinator);
    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__Item *item = outbox->entries[i].item;

        if (item->item_case != BUS__ITEM__ITEM_MAP)
            continue;
        ck_assert_str_eq(item->map->slots[0]->shard, "shard-1");
        ck_assert_str_eq(item->map->slots[1]->shard, "shard-2");
        ck_assert_uint_eq(item->map->slots[1]->fence, 1);
    }
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
}
END_TEST

START_TEST(who_left_while_the_coordinator_was_away_has_left)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");

    hall_restart(&hall);
    hall_redis_up(&hall);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->player->token,
                      a.token);
    hall_pass(&hall, 5000);
    ck_assert_uint_eq(hall.redis.players[a.id].ref.token, 0);
}
END_TEST

/* Until then gateways may still name players whom Redis has missed. */
START_TEST(a_map_is_whole_when_all_have_been_heard)
{
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    ck_assert(!hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP)->map->whole);
    hall_pass(&hall, COORDINATOR_SETTLE_MS + 100);
    ck_assert(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP)->map->whole);
}
END_TEST

/* It was given up by a shard that plays on. */
START_TEST(a_shard_that_gave_up_its_link_to_a_dead_coordinator_keeps_its_worlds)
{
    uint64_t fence = hall.redis.slots[0].fence;

    hall_restart(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111 + 1); /* another life of the link */
    hall_redis_up(&hall);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 112 + 1); /* the same, after Redis */
    hall_pass(&hall, COORDINATOR_SETTLE_MS + 500);
    ck_assert_str_eq(hall_owner(&hall, 0), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 0), fence);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
    ck_assert_uint_eq(hall_fence(&hall, 1), fence);
}
END_TEST

/* Redis keeps the first for as long as its id cools. */
START_TEST(of_one_who_came_back_before_a_restart_the_later_is_taken_over)
{
    struct member_ref first = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    struct member_ref second;

    hall_leave(&hall, HALL_GATEWAY_1, first, 0);
    second = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    ck_assert_uint_ne(second.id, first.id);
    hall_restart(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_redis_up(&hall);
    ck_assert_uint_eq(coordinator_find(hall.coordinator, "alice")->ref.token, second.token);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->player->token,
                      first.token);
}
END_TEST

START_TEST(an_id_cools_over_a_restart)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");

    hall_leave(&hall, HALL_GATEWAY_1, a, 0);
    hall_pass(&hall, 1000);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    ck_assert_uint_ne(hall_join(&hall, HALL_GATEWAY_1, "bob", "10.0.0.1").id, a.id);
}
END_TEST

START_TEST(players_of_a_gateway_that_never_comes_back_leave_after_10_s)
{
    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 9900);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    hall_pass(&hall, 200);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 1);
}
END_TEST

START_TEST(players_that_only_their_gateway_knows_are_taken_over)
{
    static const struct hall_player players[] = { { { 4, 900 }, "alice" } };

    memset(hall.redis.players, 0, DIRECTORY_IDS * sizeof hall.redis.players[0]);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_uint_eq(hall.redis.players[4].ref.token, 900);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK), 0);
}
END_TEST

/* Two cut-off halves may each have let somebody in. */
START_TEST(of_two_players_with_one_id_or_name_the_later_reported_is_sent_away)
{
    static const struct hall_player one[] = { { { 4, 900 }, "alice" } };
    static const struct hall_player two[] = { { { 4, 901 }, "bob" },
                                              { { 5, 902 }, "ALICE" },
                                              { { 6, 903 }, "carol" } };

    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_1, one, 1);
    hall_gateway_state(&hall, HALL_GATEWAY_2, two, 3);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_2, BUS__ITEM__ITEM_KICK), 2);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 2);
}
END_TEST

START_TEST(what_only_an_old_redis_knows_gives_way_to_what_a_gateway_has)
{
    static const struct hall_player now[] = { { { 0, 90000 }, "alice" } };

    hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1"); /* id 0, an older token */
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_2, now, 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_2, BUS__ITEM__ITEM_KICK), 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_uint_eq(hall.redis.players[0].ref.token, 90000);
}
END_TEST

/* ---- gateways die ---- */

START_TEST(a_silent_gateways_players_stay_for_10_s)
{
    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_down(&hall, HALL_GATEWAY_1);
    hall_pass(&hall, 9900);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    hall_pass(&hall, 200);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 1);
}
END_TEST

START_TEST(a_gateway_that_comes_back_keeps_its_players)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    const struct hall_player players[] = { { a, "alice" } };

    hall_down(&hall, HALL_GATEWAY_1);
    hall_pass(&hall, 9000);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    hall_pass(&hall, 20000);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
}
END_TEST

/* What it said just before the cut may have been lost. */
START_TEST(who_left_a_gateway_while_it_was_cut_off_has_left)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    struct member_ref b = hall_join(&hall, HALL_GATEWAY_1, "bob", "10.0.0.1");
    const struct hall_player players[] = { { b, "bob" } };

    hall_down(&hall, HALL_GATEWAY_1);
    hall_pass(&hall, 3000);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->player->token,
                      a.token);
}
END_TEST

START_TEST(a_gateway_that_starts_anew_has_none_of_its_players)
{
    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_down(&hall, HALL_GATEWAY_1);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 201);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(a_player_that_its_gateway_never_names_is_gone_in_10_s)
{
    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 1);
    hall_pass(&hall, 10000);
    hall_gateway_state(&hall, HALL_GATEWAY_1, NULL, 0);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(a_player_that_only_its_gateway_still_has_is_sent_away)
{
    static const struct hall_player ghosts[] = { { { 4, 1 }, "ghost" } };

    hall_gateway_state(&hall, HALL_GATEWAY_1, ghosts, 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 4);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(a_dead_gateways_attempts_die_with_it)
{
    Bus__JoinRequest request = hall_request(&hall, "alice", "10.0.0.1");

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_ask(&hall, HALL_GATEWAY_2, &request);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->waiting, 1);
    hall_down(&hall, HALL_GATEWAY_2);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->waiting, 0);
}
END_TEST

/* ---- shards die ---- */

START_TEST(a_dead_shards_slot_goes_to_another_and_its_players_are_sent_away)
{
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1"); /* on shard-2 */
    hall_forget(&hall);
    hall_down(&hall, HALL_SHARD_2);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK), 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 4);
    hall_pass(&hall, 100);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 1), 2);
    ck_assert_uint_eq(hall.redis.slots[1].fence, 2);
    ck_assert_str_eq(hall.redis.slots[1].shard, "shard-1");
}
END_TEST

/* Trap 15: joins go elsewhere, and the restart under the same name works. */
START_TEST(joins_go_to_the_living_and_to_the_restart)
{
    Bus__JoinRequest request;

    hall_down(&hall, HALL_SHARD_2);
    hall_pass(&hall, 100);
    for (int i = 0; i < 4; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "p%d", i);
        request = hall_request(&hall, name, "10.0.0.1");
        ck_assert_str_eq(hall_try(&hall, HALL_GATEWAY_1, &request)->shard, "shard-1");
        hall_leave(&hall, HALL_GATEWAY_1,
                   (struct member_ref){ hall_answer(&hall, HALL_GATEWAY_1, request.request)->player->id,
                                        hall_answer(&hall, HALL_GATEWAY_1, request.request)->player->token },
                   0);
    }
    hall_shard_up(&hall, 22, "shard-2", 212);
    hall_pass(&hall, 100);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
    ck_assert_uint_eq(hall_fence(&hall, 1), 3);
}
END_TEST

START_TEST(a_shard_that_starts_anew_at_once_gets_its_slot_back_under_a_new_fence)
{
    hall_down(&hall, HALL_SHARD_2);
    hall_shard_up(&hall, HALL_SHARD_2, "shard-2", 212);
    hall_pass(&hall, 100);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
    ck_assert_uint_eq(hall_fence(&hall, 1), 2);
}
END_TEST

START_TEST(without_any_shard_there_is_no_world_to_join)
{
    Bus__JoinRequest request = hall_request(&hall, "a", "10.0.0.1");

    hall_down(&hall, HALL_SHARD_1);
    hall_down(&hall, HALL_SHARD_2);
    hall_pass(&hall, 100);
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), JOIN_NO_WORLD);
    ck_assert_ptr_nonnull(coordinator_unready(hall.coordinator));
}
END_TEST

START_TEST(an_attempt_waits_for_a_shard_that_is_about_to_report)
{
    Bus__JoinRequest request = hall_request(&hall, "a", "10.0.0.1");

    hall_down(&hall, HALL_SHARD_1);
    hall_down(&hall, HALL_SHARD_2);
    coordinator_peer_up(hall.coordinator, hall.now_ms, 21, BUS__ROLE__ROLE_SHARD, "shard-1", 211);
    ck_assert_ptr_null(hall_try(&hall, HALL_GATEWAY_1, &request));
    hall_shard_state(&hall, 21, 0, 0);
    hall_pass(&hall, 200);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_1, request.request)->reject, 0);
}
END_TEST

START_TEST(a_fence_that_redis_has_already_is_gone_past)
{
    hall.redis.slots[1] = (struct stored_slot){ .slot = 1, .fence = 40, .shard = "shard-9", .boot = 9 };
    hall_down(&hall, HALL_SHARD_2);
    hall_pass(&hall, 300);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 1), 41);
    ck_assert_uint_eq(hall.redis.slots[1].fence, 41);
}
END_TEST

/* ---- Redis goes away ---- */

START_TEST(joins_go_on_without_redis_from_reserved_blocks)
{
    hall_redis_down(&hall);
    for (int i = 0; i < 500; i++) {
        struct member_ref ref = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

        hall_leave(&hall, HALL_GATEWAY_1, ref, 0);
        hall_forget(&hall);
    }
    ck_assert_ptr_null(coordinator_unready(hall.coordinator));
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->store_is_connected, 0);
}
END_TEST

START_TEST(joins_wait_when_the_blocks_are_used_up_and_go_on_when_redis_is_back)
{
    Bus__JoinRequest request;
    uint32_t joined = 0;

    hall_redis_down(&hall);
    for (;;) {
        request = hall_request(&hall, "a", "10.0.0.1");
        if (hall_try(&hall, HALL_GATEWAY_1, &request) == NULL)
            break;
        hall_leave(&hall, HALL_GATEWAY_1,
                   (struct member_ref){ hall_answer(&hall, HALL_GATEWAY_1, request.request)->player->id,
                                        hall_answer(&hall, HALL_GATEWAY_1, request.request)->player->token },
                   0);
        hall_forget(&hall);
        joined++;
        ck_assert_uint_lt(joined, 5000);
    }
    ck_assert_uint_ge(joined, 512);
    ck_assert_ptr_nonnull(strstr(coordinator_unready(hall.coordinator), "token"));
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall_answer(&hall, HALL_GATEWAY_1, request.request)->reject, 0);
}
END_TEST

START_TEST(what_changed_while_redis_was_away_is_stored_when_it_is_back)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct member_ref b;
    struct ban_subject banned;
    struct ban_subject unbanned;

    ck_assert(ban_subject_read(&unbanned, "name old"));
    ck_assert(ban_subject_read(&banned, "10.7.0.0/16"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &unbanned, BAN_FOREVER, "");
    hall_pump(&hall);
    hall_redis_down(&hall);
    hall_leave(&hall, HALL_GATEWAY_1, a, 0);
    b = hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1");
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &banned, 60000, "x");
    coordinator_list_remove(hall.coordinator, hall.now_ms, STORAGE_BANNED, &unbanned);
    hall_down(&hall, HALL_SHARD_2);
    hall_pass(&hall, 6000);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-1");
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.players[a.id].ref.token, 0);
    ck_assert_uint_eq(hall.redis.players[b.id].ref.token, b.token);
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_BANNED], 1);
    ck_assert_mem_eq(&hall.redis.bans[STORAGE_BANNED][0].subject, &banned, sizeof banned);
    ck_assert_uint_eq(hall.redis.bans[STORAGE_BANNED][0].left_ms, 54000);
    ck_assert_str_eq(hall.redis.slots[1].shard, "shard-1");
    ck_assert_uint_eq(hall.redis.slots[1].fence, 2);
}
END_TEST

START_TEST(a_redis_that_comes_back_empty_gets_everything_again)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct stored_player *players = hall.redis.players;

    hall_redis_down(&hall);
    memset(players, 0, DIRECTORY_IDS * sizeof players[0]);
    hall.redis = (struct hall_redis){ .players = players, .game = hall.redis.game };
    hall_redis_up(&hall);
    ck_assert_uint_eq(players[a.id].ref.token, a.token);
    ck_assert_str_eq(hall.redis.slots[0].shard, "shard-1");
    ck_assert_uint_eq(hall.redis.processes_count, 4);
    ck_assert_uint_gt(hall.redis.counters[STORAGE_TOKENS], a.token);
    ck_assert_uint_gt(hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1").token, a.token);
}
END_TEST

START_TEST(what_is_alike_is_not_written_again)
{
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    hall_redis_down(&hall);
    memset(hall.redis.commands, 0, sizeof hall.redis.commands);
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_LOAD], 1);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_PLAYER], 0);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_SLOT], 0);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_PROCESS], 0);
}
END_TEST

/* Somebody else has written an owner meanwhile: what this one says now must count as newer everywhere. */
START_TEST(a_redis_that_comes_back_with_a_higher_fence_is_gone_past)
{
    hall_redis_down(&hall);
    hall.redis.slots[1] = (struct stored_slot){ .slot = 1, .fence = 70, .shard = "shard-9", .boot = 9 };
    hall_redis_up(&hall);
    hall_pass(&hall, 200);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-2");
    ck_assert_uint_eq(hall_fence(&hall, 1), 71);
    ck_assert_uint_eq(hall.redis.slots[1].fence, 71);
}
END_TEST

/* A command was sent, and the connection broke before its answer: whether it was done is not known. */
START_TEST(what_was_under_way_when_redis_went_is_done_once)
{
    struct storage_command command;

    hall.redis.is_slow = true;
    hall_down(&hall, HALL_SHARD_2);
    hall_pass(&hall, 100);
    while (coordinator_take_command(hall.coordinator, hall.now_ms, &command)) {
        if (command.kind == STORAGE_SLOT)
            hall.redis.slots[1] = command.slot;
    }
    ck_assert_str_eq(hall_owner(&hall, 1), "");
    hall_redis_down(&hall);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-1");
    hall.redis.is_slow = false;
    hall_redis_up(&hall);
    hall_pass(&hall, 200);
    ck_assert_str_eq(hall_owner(&hall, 1), "shard-1");
    ck_assert_uint_eq(hall_fence(&hall, 1), 2);
}
END_TEST

START_TEST(what_redis_refuses_is_tried_again_and_told)
{
    struct member_ref a;

    hall.redis.is_wrong = true;
    a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    ck_assert_uint_eq(hall.redis.players[a.id].ref.token, 0);
    ck_assert_uint_ge(coordinator_stats(hall.coordinator)->store_errors, 1);
    hall_pass(&hall, 4900);
    hall.redis.is_wrong = false;
    hall_pass(&hall, 5200);
    ck_assert_uint_eq(hall.redis.players[a.id].ref.token, a.token);
}
END_TEST

START_TEST(a_redis_that_refuses_to_load_is_asked_again)
{
    hall_stop(&hall);
    hall_start_alone(&hall);
    hall.redis.is_wrong = true;
    hall_redis_up(&hall);
    hall_pass(&hall, 11000);
    ck_assert_uint_ge(hall.redis.commands[STORAGE_LOAD], 3);
    ck_assert_uint_le(hall.redis.commands[STORAGE_LOAD], 4);
    hall.redis.is_wrong = false;
    hall_pass(&hall, 5000);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 100);
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
}
END_TEST

/* ---- bans ---- */

START_TEST(a_ban_sends_away_who_is_here)
{
    struct ban_subject subject;

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.1.0.1");
    hall_join(&hall, HALL_GATEWAY_2, "bob", "10.2.0.1");
    ck_assert(ban_subject_read(&subject, "10.1.0.0/16"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, BAN_FOREVER, "Out.");
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_2, BUS__ITEM__ITEM_KICK), 0);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 3);
    ck_assert_str_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->text, "Out.");
}
END_TEST

START_TEST(a_ban_holds_over_a_restart_and_until_its_end)
{
    struct ban_subject subject;
    Bus__JoinRequest request;

    ck_assert(ban_subject_read(&subject, "2001:db8::/32"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, 60000, "");
    hall_pump(&hall);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    request = hall_request(&hall, "a", "2001:db8::1");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), JOIN_BANNED);
    hall_pass(&hall, 57500);
    request = hall_request(&hall, "a", "2001:db8::1");
    ck_assert_uint_eq(reject_of(HALL_GATEWAY_1, &request), 0);
    hall_pass(&hall, 10100);
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_BANNED], 0);
}
END_TEST

START_TEST(an_entry_of_the_settings_file_is_neither_stored_nor_removed)
{
    static char entry[] = "10.0.0.0/8";
    static char *entries[] = { entry };
    struct ban_subject subject;

    hall.settings.allowed = entries;
    hall.settings.allowed_count = 1;
    hall.settings.allow_list = true;
    hall_restart(&hall);
    hall_redis_up(&hall);
    ck_assert(ban_subject_read(&subject, entry));
    ck_assert_int_eq(coordinator_list_remove(hall.coordinator, hall.now_ms, STORAGE_ALLOWED, &subject),
                     COORDINATOR_FIXED);
    ck_assert_int_eq(coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_ALLOWED, &subject, 1, ""),
                     COORDINATOR_FIXED);
    hall_pump(&hall);
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_ALLOWED], 0);
}
END_TEST

/* ---- tickets ---- */

static const Bus__TicketAnswer *ticket_answer(uint16_t peer)
{
    const Bus__Item *item = hall_last(&hall, peer, BUS__ITEM__ITEM_TICKET_ANSWER);

    return item == NULL || item->ticket_answer->request != hall.request ? NULL : item->ticket_answer;
}

START_TEST(a_ticket_is_good_once)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct member_ref b = hall_join(&hall, HALL_GATEWAY_2, "b", "10.0.0.1");

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert(ticket_answer(HALL_GATEWAY_1)->accepted);
    hall_ticket(&hall, HALL_GATEWAY_2, b, 1, 17);
    ck_assert(!ticket_answer(HALL_GATEWAY_2)->accepted);
    hall_ticket(&hall, HALL_GATEWAY_2, b, 2, 17);
    ck_assert(ticket_answer(HALL_GATEWAY_2)->accepted);
}
END_TEST

/* A gateway asks again when its coordinator was away meanwhile. */
START_TEST(the_same_player_may_ask_for_its_ticket_again)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert(ticket_answer(HALL_GATEWAY_1)->accepted);
}
END_TEST

/* Trap 16. */
START_TEST(a_used_ticket_stays_used_over_a_restart)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct member_ref b;

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    hall_pass(&hall, 2500);
    b = hall_join(&hall, HALL_GATEWAY_2, "b", "10.0.0.1");
    hall_ticket(&hall, HALL_GATEWAY_2, b, 1, 17);
    ck_assert(!ticket_answer(HALL_GATEWAY_2)->accepted);
}
END_TEST

START_TEST(a_ticket_is_taken_on_trust_while_redis_is_away_and_not_twice)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct member_ref b = hall_join(&hall, HALL_GATEWAY_1, "b", "10.0.0.1");

    hall_redis_down(&hall);
    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert(ticket_answer(HALL_GATEWAY_1)->accepted);
    hall_ticket(&hall, HALL_GATEWAY_1, b, 1, 17);
    ck_assert(!ticket_answer(HALL_GATEWAY_1)->accepted);
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.tickets_count, 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK), 0);
}
END_TEST

START_TEST(trust_in_a_used_ticket_ends_when_redis_is_back)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall.redis.tickets[0] = (struct hall_ticket){ .id = { 1, 1 }, .user = { 9, 9 } };
    hall.redis.tickets_count = 1;
    hall_redis_down(&hall);
    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert(ticket_answer(HALL_GATEWAY_1)->accepted);
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 2);
}
END_TEST

START_TEST(a_banned_account_is_sent_away)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct ban_subject subject;

    ck_assert(ban_subject_read(&subject, "account 17"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, BAN_FOREVER, "No.");
    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 3);
    ck_assert(!ticket_answer(HALL_GATEWAY_1)->accepted);
}
END_TEST

START_TEST(an_account_that_is_banned_later_is_sent_away_too)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    struct ban_subject subject;

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ck_assert(ban_subject_read(&subject, "account 17"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, BAN_FOREVER, "No.");
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 3);
}
END_TEST

/* A gateway does not tell of accounts; a ban of one must find its player after a restart too. */
START_TEST(an_account_is_known_over_a_restart)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    const struct hall_player players[] = { { a, "a" } };
    struct ban_subject subject;

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    hall_restart(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 1);
    hall_redis_up(&hall);
    ck_assert(ban_subject_read(&subject, "account 17"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_BANNED, &subject, BAN_FOREVER, "No.");
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 3);
}
END_TEST

START_TEST(who_was_let_in_for_its_account_must_have_one_on_the_allow_list)
{
    struct ban_subject subject;
    Bus__JoinRequest request = hall_request(&hall, "a", "10.0.0.1");
    const Bus__JoinAnswer *answer;

    hall.settings.allow_list = true;
    request.has_auth = true;
    ck_assert(ban_subject_read(&subject, "account 17"));
    coordinator_list_add(hall.coordinator, hall.now_ms, STORAGE_ALLOWED, &subject, BAN_FOREVER, "");
    answer = hall_try(&hall, HALL_GATEWAY_1, &request);
    ck_assert_uint_eq(answer->reject, 0);
    hall_ticket(&hall, HALL_GATEWAY_1, (struct member_ref){ answer->player->id, answer->player->token }, 1,
                18);
    ck_assert(!ticket_answer(HALL_GATEWAY_1)->accepted);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->reason, 2);
    hall_ticket(&hall, HALL_GATEWAY_1, (struct member_ref){ answer->player->id, answer->player->token }, 2,
                17);
    ck_assert(ticket_answer(HALL_GATEWAY_1)->accepted);
}
END_TEST

START_TEST(tickets_of_others_players_and_malformed_ones_are_dropped)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");

    hall_ticket(&hall, HALL_GATEWAY_2, a, 1, 17);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
    hall_ticket(&hall, HALL_GATEWAY_1, (struct member_ref){ 99, 99 }, 1, 17);
    ck_assert_uint_eq(drops(REASON_BUS_STALE), 1);
    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 0);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 1);
}
END_TEST

/* ---- leases, broadcasts, map ---- */

static const Bus__IdLease *ask_lease(uint16_t peer, uint32_t count)
{
    Bus__IdLease lease = BUS__ID_LEASE__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    const Bus__Item *answer;

    lease.count = count;
    item.item_case = BUS__ITEM__ITEM_ID_LEASE;
    item.id_lease = &lease;
    hall_forget(&hall);
    hall_item(&hall, peer, &item);
    answer = hall_last(&hall, peer, BUS__ITEM__ITEM_ID_LEASE);
    return answer == NULL ? NULL : answer->id_lease;
}

START_TEST(vehicle_ids_are_leased_in_blocks_that_are_never_shared)
{
    uint32_t end = 1;

    for (int i = 0; i < 100; i++) {
        const Bus__IdLease *lease = ask_lease(i % 2 == 0 ? HALL_SHARD_1 : HALL_SHARD_2, 1024);

        ck_assert_ptr_nonnull(lease);
        ck_assert_uint_eq(lease->count, 1024);
        ck_assert_uint_ge(lease->first, end);
        end = lease->first + lease->count;
    }
    ck_assert_uint_ge(hall.redis.counters[STORAGE_VEHICLES], end - 1);
}
END_TEST

START_TEST(vehicle_ids_go_on_without_redis_and_past_what_shards_have_seen)
{
    hall_shard_state(&hall, HALL_SHARD_2, 0, 5000000);
    hall_pass(&hall, 100);
    hall_redis_down(&hall);
    ck_assert_uint_gt(ask_lease(HALL_SHARD_1, 1024)->first, 5000000);
    for (int i = 0; i < 7; i++)
        ck_assert_ptr_nonnull(ask_lease(HALL_SHARD_1, 1024));
}
END_TEST

START_TEST(a_lease_that_has_to_wait_is_given_when_there_are_ids)
{
    hall_redis_down(&hall);
    for (int i = 0; i < 100; i++) {
        if (ask_lease(HALL_SHARD_1, 1024) == NULL)
            break;
        ck_assert_int_lt(i, 50);
    }
    hall_redis_up(&hall);
    ck_assert_ptr_nonnull(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_ID_LEASE));
}
END_TEST

START_TEST(a_lease_of_none_or_of_too_many_is_malformed)
{
    ck_assert_ptr_null(ask_lease(HALL_SHARD_1, 0));
    ck_assert_ptr_null(ask_lease(HALL_SHARD_1, UINT32_MAX));
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 2);
}
END_TEST

START_TEST(a_broadcast_goes_to_every_shard_the_origin_too_and_to_no_gateway)
{
    uint8_t packet[] = { 8, 0, 0, 0, 0 };
    Bus__Broadcast broadcast = BUS__BROADCAST__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    broadcast.packet = (ProtobufCBinaryData){ .len = sizeof packet, .data = packet };
    broadcast.class_ = BUS__SEND__CLASS__DROPPABLE;
    item.item_case = BUS__ITEM__ITEM_BROADCAST;
    item.broadcast = &broadcast;
    hall_item(&hall, HALL_SHARD_1, &item);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_BROADCAST), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_BROADCAST), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_BROADCAST), 0);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_BROADCAST)->broadcast->packet.len,
                      sizeof packet);
}
END_TEST

START_TEST(say_is_a_server_message_for_everybody)
{
    struct wire_server_message message;
    struct wire_error error;
    const Bus__Broadcast *broadcast;

    ck_assert_int_eq(coordinator_say(hall.coordinator, hall.now_ms, "Restart in 5 minutes."),
                     COORDINATOR_DONE);
    broadcast = hall_last(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_BROADCAST)->broadcast;
    ck_assert(wire_server_message_decode(&message, broadcast->packet.data, broadcast->packet.len, &error));
    ck_assert_uint_eq(message.color, 0xFFFFFFFF);
    ck_assert_uint_eq(message.text.size, 21);
    ck_assert_int_eq(coordinator_say(hall.coordinator, hall.now_ms, ""), COORDINATOR_BAD_TEXT);
    ck_assert_int_eq(coordinator_say(hall.coordinator, hall.now_ms, "two\nlines"), COORDINATOR_BAD_TEXT);
}
END_TEST

START_TEST(kick_goes_to_the_players_gateway)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_2, "a", "10.0.0.1");

    ck_assert_int_eq(coordinator_kick(hall.coordinator, hall.now_ms, (struct member_ref){ a.id, 0 }, "Bye."),
                     COORDINATOR_DONE);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_2, BUS__ITEM__ITEM_KICK)->kick->player->token, a.token);
    ck_assert_int_eq(
        coordinator_kick(hall.coordinator, hall.now_ms, (struct member_ref){ a.id, a.token + 1 }, ""),
        COORDINATOR_NOT_FOUND);
    ck_assert_int_eq(coordinator_kick(hall.coordinator, hall.now_ms, (struct member_ref){ 77, 0 }, ""),
                     COORDINATOR_NOT_FOUND);
    ck_assert_int_eq(coordinator_kick(hall.coordinator, hall.now_ms, a, "a\001b"), COORDINATOR_BAD_TEXT);
}
END_TEST

START_TEST(who_is_kicked_while_its_gateway_is_not_heard_is_gone_for_good)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_2, "a", "10.0.0.1");
    const struct hall_player players[] = { { a, "a" } };

    hall_down(&hall, HALL_GATEWAY_2);
    ck_assert_int_eq(coordinator_kick(hall.coordinator, hall.now_ms, a, "Bye."), COORDINATOR_DONE);
    ck_assert_uint_eq(hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->reason, 2);
    hall_pass(&hall, 6000);
    hall_gateway_up(&hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(&hall, HALL_GATEWAY_2, players, 1);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_2, BUS__ITEM__ITEM_KICK)->kick->player->token, a.token);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(the_count_of_players_makes_a_new_map_once_a_second_at_most)
{
    uint64_t revision;

    hall_pass(&hall, 2000);
    hall_forget(&hall);
    for (int i = 0; i < 50; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "p%d", i);
        hall.settings.connections_per_address = 100;
        hall_join(&hall, HALL_GATEWAY_1, name, "10.0.0.1");
    }
    ck_assert_uint_le(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP), 1);
    hall_pass(&hall, 1100);
    ck_assert_uint_le(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP), 2);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP)->map->players, 50);
    revision = hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP)->map->revision;
    hall_forget(&hall);
    hall_pass(&hall, 5000);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP), 0);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    ck_assert_uint_gt(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP)->map->revision, revision);
}
END_TEST

START_TEST(who_comes_up_is_told_settings_map_and_players)
{
    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    hall_join(&hall, HALL_GATEWAY_2, "b", "10.0.0.1");
    hall_forget(&hall);
    hall_gateway_up(&hall, 5, "gateway-5", 105);
    ck_assert_uint_eq(hall_count(&hall, 5, BUS__ITEM__ITEM_SETTINGS), 1);
    ck_assert_uint_eq(hall_count(&hall, 5, BUS__ITEM__ITEM_MAP), 1);
    ck_assert_uint_eq(hall_count(&hall, 5, BUS__ITEM__ITEM_PLAYERS_BEGIN), 1);
    ck_assert_uint_eq(hall_count(&hall, 5, BUS__ITEM__ITEM_PLAYER_LISTED), 2);
    ck_assert_uint_eq(hall_last(&hall, 5, BUS__ITEM__ITEM_MAP)->map->n_processes, 5);
    ck_assert_uint_eq(hall_last(&hall, 5, BUS__ITEM__ITEM_MAP)->map->n_spawns, 2);
    ck_assert_uint_eq(hall_last(&hall, 5, BUS__ITEM__ITEM_MAP)->map->spawns[1]->virtual_world, 1);
    ck_assert_uint_eq(hall_last(&hall, 5, BUS__ITEM__ITEM_MAP)->map->spawns[1]->interior, 3);
    ck_assert(hall_last(&hall, 5, BUS__ITEM__ITEM_MAP)->map->whole);
    ck_assert_uint_eq(hall_last(&hall, 5, BUS__ITEM__ITEM_SETTINGS)->settings->max_players, 1000);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_MAP), 1);
}
END_TEST

/* ---- what must not hurt ---- */

START_TEST(an_item_without_its_part_is_dropped)
{
    static const Bus__Item__ItemCase cases[] = {
        BUS__ITEM__ITEM_PLAYER_JOIN, BUS__ITEM__ITEM_CLIENT_PACKET, BUS__ITEM__ITEM_SEND,
        BUS__ITEM__ITEM_KICK,        BUS__ITEM__ITEM_JOIN_REQUEST,  BUS__ITEM__ITEM_TICKET_USE,
        BUS__ITEM__ITEM_PLAYER_LEFT, BUS__ITEM__ITEM_DISPLACED,     BUS__ITEM__ITEM_GATEWAY_STATE,
        BUS__ITEM__ITEM_JOIN_ANSWER, BUS__ITEM__ITEM_SETTINGS,      BUS__ITEM__ITEM_MAP,
        BUS__ITEM__ITEM_SHARD_STATE, BUS__ITEM__ITEM_ID_LEASE,      BUS__ITEM__ITEM_BROADCAST,
    };
    static const uint16_t peers[] = { HALL_GATEWAY_1, HALL_SHARD_1, 99 };
    uint64_t count = 0;

    for (size_t p = 0; p < 3; p++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            Bus__Item item = BUS__ITEM__INIT;

            item.item_case = cases[i];
            hall_item(&hall, peers[p], &item);
            count++;
        }
    }
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), count);
}
END_TEST

START_TEST(an_item_with_an_empty_part_is_dropped)
{
    Bus__JoinRequest join = BUS__JOIN_REQUEST__INIT;
    Bus__TicketUse use = BUS__TICKET_USE__INIT;
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Displaced displaced = BUS__DISPLACED__INIT;
    Bus__ShardState shard = BUS__SHARD_STATE__INIT;
    Bus__Broadcast broadcast = BUS__BROADCAST__INIT;
    Bus__Item items[6];

    for (size_t i = 0; i < 6; i++)
        bus__item__init(&items[i]);
    items[0].item_case = BUS__ITEM__ITEM_JOIN_REQUEST;
    items[0].join_request = &join;
    items[1].item_case = BUS__ITEM__ITEM_TICKET_USE;
    items[1].ticket_use = &use;
    items[2].item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    items[2].player_left = &left;
    items[3].item_case = BUS__ITEM__ITEM_DISPLACED;
    items[3].displaced = &displaced;
    items[4].item_case = BUS__ITEM__ITEM_SHARD_STATE;
    items[4].shard_state = &shard;
    items[5].item_case = BUS__ITEM__ITEM_BROADCAST;
    items[5].broadcast = &broadcast;
    for (size_t i = 0; i < 6; i++)
        hall_item(&hall, i < 4 ? HALL_GATEWAY_1 : HALL_SHARD_1, &items[i]);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 6);
}
END_TEST

START_TEST(what_is_not_the_senders_to_say_is_dropped)
{
    Bus__ShardState state = BUS__SHARD_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item.shard_state = &state;
    hall_item(&hall, HALL_GATEWAY_1, &item);
    hall_item(&hall, 99, &item);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 2);
}
END_TEST

START_TEST(players_that_cannot_be_are_not_taken_over)
{
    static const struct hall_player players[] = {
        { { DIRECTORY_IDS, 1 }, "a" },
        { { 1, 0 }, "b" },
        { { 2, 5 }, "" },
        { { 3, 6 }, "two words" },
        { { 4, 7 }, "a_name_of_twenty_five_byte" },
        { { UINT32_MAX, 8 }, "c" },
    };

    hall_restart(&hall);
    hall_gateway_up(&hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_state(&hall, HALL_GATEWAY_1, players, 6);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 6);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->players, 0);
}
END_TEST

START_TEST(a_process_with_an_impossible_name_is_not_taken_up)
{
    coordinator_peer_up(hall.coordinator, hall.now_ms, 50, BUS__ROLE__ROLE_GATEWAY, "", 1);
    coordinator_peer_up(hall.coordinator, hall.now_ms, 51, BUS__ROLE__ROLE_GATEWAY, "a b", 1);
    coordinator_peer_up(hall.coordinator, hall.now_ms, 52, BUS__ROLE__ROLE_COORDINATOR, "coordinator-2", 1);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 3);
    coordinator_peer_down(hall.coordinator, hall.now_ms, 50);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->gateways, 2);
}
END_TEST

START_TEST(the_table_of_processes_has_an_end)
{
    for (uint32_t i = 0; i < PROCESSES_MAX + 10; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "g%u", i);
        coordinator_peer_up(hall.coordinator, hall.now_ms, (uint16_t)(1000 + i), BUS__ROLE__ROLE_GATEWAY,
                            name, 1);
        hall_forget(&hall);
        hall_pump(&hall);
        hall.redis.processes_count = 0;
    }
    ck_assert_uint_eq(drops(REASON_TABLE_FULL), 14);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->gateways, PROCESSES_MAX - 2);
}
END_TEST

Suite *coordinator_core_suite(void)
{
    Suite *suite = suite_create("coordinator_core");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, who_joins_is_given_an_id_a_token_a_world_and_is_listed_to_all);
    tcase_add_test(tcase, spawns_are_handed_out_in_turn);
    tcase_add_test(tcase, tokens_of_both_gateways_come_from_one_counter);
    tcase_add_test(tcase, a_name_is_unique_over_the_gateways);
    tcase_add_test(tcase, a_refusal_tells_reason_and_detail);
    tcase_add_test(tcase, an_id_is_free_5_s_after_its_player_has_left);
    tcase_add_test(tcase, who_leaves_is_told_to_all_once);
    tcase_add_test(tcase, only_its_own_gateway_can_say_that_a_player_has_left);
    tcase_add_test(tcase, a_reconnect_replaces_the_old_connection_in_this_order);
    tcase_add_test(tcase, after_a_refusal_the_connection_it_would_replace_lives_on);
    tcase_add_test(tcase, nobody_replaces_a_connection_of_another_gateway);
    tcase_add_test(tcase, a_silent_holder_of_the_name_leaves_and_the_new_one_joins);
    tcase_add_test(tcase, a_holder_that_is_not_silent_keeps_its_name);
    tcase_add_test(tcase, a_displaced_holder_leaves_once);
    tcase_add_test(tcase, of_two_attempts_for_a_silent_holders_name_one_gets_it);
    tcase_add_test(tcase, a_gateway_that_does_not_say_whether_the_holder_is_silent_means_no);
    tcase_add_test(tcase, a_holder_whose_gateway_is_not_heard_is_silent);
    tcase_add_test(tcase, ten_thousand_parallel_joins_over_four_gateways_are_all_different);
    tcase_add_test(tcase, tokens_grow_over_a_restart);
    tcase_add_test(tcase, tokens_grow_over_a_redis_that_was_restored_from_before);
    tcase_add_test(tcase, tokens_grow_past_what_gateways_and_shards_have_seen);
    tcase_add_test(tcase, tokens_grow_past_those_of_a_gateways_players_alone);
    tcase_add_test(tcase, a_token_that_cannot_be_is_not_believed);
    tcase_add_test(tcase, a_state_that_cannot_be_printed_is_not_taken);
    tcase_add_test(tcase, a_gateways_address_that_cannot_be_printed_is_not_taken);
    tcase_add_test(tcase, a_coordinator_that_was_stopped_finds_its_cluster_as_it_was);
    tcase_add_test(tcase, who_died_while_the_coordinator_was_stopped_is_missed_2_s_later);
    tcase_add_test(tcase, a_shard_that_started_anew_while_the_coordinator_was_stopped_has_lost_its_worlds);
    tcase_add_test(tcase, without_redis_at_the_start_nobody_is_let_in_and_nothing_is_told);
    tcase_add_test(tcase, an_attempt_waits_no_longer_than_its_gateway);
    tcase_add_test(tcase, a_first_start_waits_for_nobody);
    tcase_add_test(tcase, a_restart_waits_2_s_for_those_it_does_not_hear);
    tcase_add_test(tcase, a_restart_that_hears_everybody_waits_no_longer);
    tcase_add_test(tcase, a_restart_keeps_players_owners_and_fences);
    tcase_add_test(tcase, a_restart_never_tells_a_map_without_the_owners_of_before);
    tcase_add_test(tcase, who_left_while_the_coordinator_was_away_has_left);
    tcase_add_test(tcase, a_map_is_whole_when_all_have_been_heard);
    tcase_add_test(tcase, a_shard_that_gave_up_its_link_to_a_dead_coordinator_keeps_its_worlds);
    tcase_add_test(tcase, of_one_who_came_back_before_a_restart_the_later_is_taken_over);
    tcase_add_test(tcase, an_id_cools_over_a_restart);
    tcase_add_test(tcase, players_of_a_gateway_that_never_comes_back_leave_after_10_s);
    tcase_add_test(tcase, players_that_only_their_gateway_knows_are_taken_over);
    tcase_add_test(tcase, of_two_players_with_one_id_or_name_the_later_reported_is_sent_away);
    tcase_add_test(tcase, what_only_an_old_redis_knows_gives_way_to_what_a_gateway_has);
    tcase_add_test(tcase, a_silent_gateways_players_stay_for_10_s);
    tcase_add_test(tcase, a_gateway_that_comes_back_keeps_its_players);
    tcase_add_test(tcase, who_left_a_gateway_while_it_was_cut_off_has_left);
    tcase_add_test(tcase, a_gateway_that_starts_anew_has_none_of_its_players);
    tcase_add_test(tcase, a_player_that_its_gateway_never_names_is_gone_in_10_s);
    tcase_add_test(tcase, a_player_that_only_its_gateway_still_has_is_sent_away);
    tcase_add_test(tcase, a_dead_gateways_attempts_die_with_it);
    tcase_add_test(tcase, a_dead_shards_slot_goes_to_another_and_its_players_are_sent_away);
    tcase_add_test(tcase, joins_go_to_the_living_and_to_the_restart);
    tcase_add_test(tcase, a_shard_that_starts_anew_at_once_gets_its_slot_back_under_a_new_fence);
    tcase_add_test(tcase, without_any_shard_there_is_no_world_to_join);
    tcase_add_test(tcase, an_attempt_waits_for_a_shard_that_is_about_to_report);
    tcase_add_test(tcase, a_fence_that_redis_has_already_is_gone_past);
    tcase_add_test(tcase, joins_go_on_without_redis_from_reserved_blocks);
    tcase_add_test(tcase, joins_wait_when_the_blocks_are_used_up_and_go_on_when_redis_is_back);
    tcase_add_test(tcase, what_changed_while_redis_was_away_is_stored_when_it_is_back);
    tcase_add_test(tcase, a_redis_that_comes_back_empty_gets_everything_again);
    tcase_add_test(tcase, what_is_alike_is_not_written_again);
    tcase_add_test(tcase, a_redis_that_comes_back_with_a_higher_fence_is_gone_past);
    tcase_add_test(tcase, what_was_under_way_when_redis_went_is_done_once);
    tcase_add_test(tcase, what_redis_refuses_is_tried_again_and_told);
    tcase_add_test(tcase, a_redis_that_refuses_to_load_is_asked_again);
    tcase_add_test(tcase, a_ban_sends_away_who_is_here);
    tcase_add_test(tcase, a_ban_holds_over_a_restart_and_until_its_end);
    tcase_add_test(tcase, an_entry_of_the_settings_file_is_neither_stored_nor_removed);
    tcase_add_test(tcase, a_ticket_is_good_once);
    tcase_add_test(tcase, the_same_player_may_ask_for_its_ticket_again);
    tcase_add_test(tcase, a_used_ticket_stays_used_over_a_restart);
    tcase_add_test(tcase, a_ticket_is_taken_on_trust_while_redis_is_away_and_not_twice);
    tcase_add_test(tcase, trust_in_a_used_ticket_ends_when_redis_is_back);
    tcase_add_test(tcase, a_banned_account_is_sent_away);
    tcase_add_test(tcase, an_account_that_is_banned_later_is_sent_away_too);
    tcase_add_test(tcase, an_account_is_known_over_a_restart);
    tcase_add_test(tcase, who_was_let_in_for_its_account_must_have_one_on_the_allow_list);
    tcase_add_test(tcase, tickets_of_others_players_and_malformed_ones_are_dropped);
    tcase_add_test(tcase, vehicle_ids_are_leased_in_blocks_that_are_never_shared);
    tcase_add_test(tcase, vehicle_ids_go_on_without_redis_and_past_what_shards_have_seen);
    tcase_add_test(tcase, a_lease_that_has_to_wait_is_given_when_there_are_ids);
    tcase_add_test(tcase, a_lease_of_none_or_of_too_many_is_malformed);
    tcase_add_test(tcase, a_broadcast_goes_to_every_shard_the_origin_too_and_to_no_gateway);
    tcase_add_test(tcase, say_is_a_server_message_for_everybody);
    tcase_add_test(tcase, kick_goes_to_the_players_gateway);
    tcase_add_test(tcase, who_is_kicked_while_its_gateway_is_not_heard_is_gone_for_good);
    tcase_add_test(tcase, the_count_of_players_makes_a_new_map_once_a_second_at_most);
    tcase_add_test(tcase, who_comes_up_is_told_settings_map_and_players);
    tcase_add_test(tcase, an_item_without_its_part_is_dropped);
    tcase_add_test(tcase, an_item_with_an_empty_part_is_dropped);
    tcase_add_test(tcase, what_is_not_the_senders_to_say_is_dropped);
    tcase_add_test(tcase, players_that_cannot_be_are_not_taken_over);
    tcase_add_test(tcase, a_process_with_an_impossible_name_is_not_taken_up);
    tcase_add_test(tcase, the_table_of_processes_has_an_end);
    suite_add_tcase(suite, tcase);
    return suite;
}
