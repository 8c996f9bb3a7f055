#include "gateway/handshake.h"

#include <stdio.h>
#include <string.h>

#include "gateway/lane.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

static struct rng rng;
static struct cookies cookies;
static struct joins joins;
static struct rig rig;

static void setup(void)
{
    rng_init_seeded(&rng, 5);
    cookies_init(&cookies, &rng, 1000);
    ck_assert_int_eq(joins_init(&joins, &rng), 0);
}

static void teardown(void)
{
    joins_fini(&joins);
}

static void rig_setup(void)
{
    rig_start(&rig);
}

static void rig_teardown(void)
{
    rig_stop(&rig);
}

static struct span text(const char *characters)
{
    return (struct span){ (const uint8_t *)characters, strlen(characters) };
}

static struct address at(const char *ip, uint16_t port)
{
    struct address address;

    ck_assert(address_parse(&address, ip, port));
    return address;
}

/* ---- cookies */

START_TEST(a_cookie_is_good_for_its_address_port_and_nonce_only)
{
    const struct address from = at("192.0.2.1", 5000);
    const struct address other_ip = at("192.0.2.2", 5000);
    const struct address other_port = at("192.0.2.1", 5001);
    uint64_t cookie = cookie_make(&cookies, &from, 77);

    ck_assert(cookie_is_good(&cookies, &from, 77, cookie));
    ck_assert(!cookie_is_good(&cookies, &other_ip, 77, cookie));
    ck_assert(!cookie_is_good(&cookies, &other_port, 77, cookie));
    ck_assert(!cookie_is_good(&cookies, &from, 78, cookie));
    ck_assert(!cookie_is_good(&cookies, &from, 77, cookie ^ 1));
    ck_assert(!cookie_is_good(&cookies, &from, 77, 0));
}
END_TEST

START_TEST(a_cookie_outlives_one_change_of_the_secret)
{
    const struct address from = at("192.0.2.1", 5000);
    uint64_t cookie = cookie_make(&cookies, &from, 77);

    cookies_advance(&cookies, &rng, 1000 + COOKIE_ROTATION_MS - 1);
    ck_assert_uint_eq(cookie_make(&cookies, &from, 77), cookie);
    cookies_advance(&cookies, &rng, 1000 + COOKIE_ROTATION_MS);
    ck_assert_uint_ne(cookie_make(&cookies, &from, 77), cookie);
    ck_assert(cookie_is_good(&cookies, &from, 77, cookie));
    cookies_advance(&cookies, &rng, 1000 + 2 * COOKIE_ROTATION_MS - 1);
    ck_assert(cookie_is_good(&cookies, &from, 77, cookie));
    cookies_advance(&cookies, &rng, 1000 + 2 * COOKIE_ROTATION_MS);
    ck_assert(!cookie_is_good(&cookies, &from, 77, cookie));
}
END_TEST

START_TEST(after_a_long_silence_no_old_cookie_is_good)
{
    const struct address from = at("192.0.2.1", 5000);
    uint64_t cookie = cookie_make(&cookies, &from, 77);

    cookies_advance(&cookies, &rng, 1000 + 50 * COOKIE_ROTATION_MS + 5);
    ck_assert(!cookie_is_good(&cookies, &from, 77, cookie));
    ck_assert_uint_eq(cookies.current.number, cookies.previous.number + 1);
    ck_assert_uint_eq(cookies.rotated_ms, 1000 + 50 * COOKIE_ROTATION_MS);
}
END_TEST

START_TEST(two_gateways_make_different_cookies)
{
    const struct address from = at("192.0.2.1", 5000);
    struct cookies other;

    cookies_init(&other, &rng, 1000);
    ck_assert_uint_ne(cookie_make(&cookies, &from, 77), cookie_make(&other, &from, 77));
}
END_TEST

/* ---- names and passwords */

START_TEST(a_name_has_certain_characters_and_a_letter_or_digit_among_them)
{
    static const struct {
        const char *name;
        bool valid;
    } cases[] = {
        { "Bob", true },
        { "a", true },
        { "7", true },
        { "_.-[]()$@=x", true },
        { "[CLAN]Bob", true },
        { "", false },
        { "_.-[]()$@=", false },
        { "Bob Smith", false },
        { "B\xC3\xB6"
          "b",
          false },
        { "Bob!", false },
        { "Bob/x", false },
        { "Bob\\x", false },
        { "Bob,x", false },
        { "Bob`", false },
        { "{FF0000}", false },
        { "abcdefghijklmnopqrstuvwx", true },
        { "abcdefghijklmnopqrstuvwxy", false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(player_name_is_valid(text(cases[i].name)) == cases[i].valid, "%s", cases[i].name);
}
END_TEST

START_TEST(a_password_is_right_only_as_a_whole)
{
    ck_assert(password_is_right(text("secret"), text("secret")));
    ck_assert(!password_is_right(text("secre"), text("secret")));
    ck_assert(!password_is_right(text("secrets"), text("secret")));
    ck_assert(!password_is_right(text("Secret"), text("secret")));
    ck_assert(!password_is_right(text(""), text("secret")));
    ck_assert(!password_is_right((struct span){ NULL, 0 }, text("secret")));
}
END_TEST

START_TEST(without_a_password_every_one_is_right)
{
    ck_assert(password_is_right(text(""), text("")));
    ck_assert(password_is_right(text("whatever"), text("")));
}
END_TEST

/* ---- joins */

START_TEST(a_join_is_found_by_its_address_and_nonce_and_by_its_number)
{
    const struct address from = at("192.0.2.1", 5000);
    const struct address other = at("192.0.2.1", 5001);
    uint64_t request;
    struct join *join = joins_add(&joins, &from, 77, &request);

    ck_assert_ptr_nonnull(join);
    ck_assert_ptr_eq(joins_find(&joins, &from, 77), join);
    ck_assert_ptr_eq(joins_get(&joins, request), join);
    ck_assert_ptr_null(joins_find(&joins, &from, 78));
    ck_assert_ptr_null(joins_find(&joins, &other, 77));
    joins_remove(&joins, request);
    ck_assert_ptr_null(joins_get(&joins, request));
    ck_assert_ptr_null(joins_find(&joins, &from, 77));
}
END_TEST

START_TEST(the_number_of_an_answered_join_is_not_given_again)
{
    const struct address from = at("192.0.2.1", 5000);
    uint64_t first;
    uint64_t second;

    (void)joins_add(&joins, &from, 77, &first);
    joins_remove(&joins, first);
    (void)joins_add(&joins, &from, 78, &second);
    ck_assert_uint_ne(first, second);
    ck_assert_ptr_null(joins_get(&joins, first));
}
END_TEST

START_TEST(a_newer_attempt_of_an_address_supersedes_its_older_ones)
{
    const struct address from = at("192.0.2.1", 5000);
    const struct address other = at("192.0.2.2", 5000);
    uint64_t requests[3];

    (void)joins_add(&joins, &from, 77, &requests[0]);
    (void)joins_add(&joins, &other, 77, &requests[1]);
    (void)joins_add(&joins, &from, 78, &requests[2]);
    ck_assert(joins_get(&joins, requests[0])->superseded);
    ck_assert(!joins_get(&joins, requests[1])->superseded);
    ck_assert(!joins_get(&joins, requests[2])->superseded);
}
END_TEST

START_TEST(a_join_is_forgotten_after_5_s)
{
    const struct address from = at("192.0.2.1", 5000);
    uint64_t request;

    joins_add(&joins, &from, 77, &request)->asked_ms = 1000;
    ck_assert(!joins_expire(&joins, 1000 + JOIN_TIMEOUT_MS - 1));
    ck_assert(joins_expire(&joins, 1000 + JOIN_TIMEOUT_MS));
    ck_assert(!joins_expire(&joins, 1000 + JOIN_TIMEOUT_MS));
    ck_assert_ptr_null(joins_get(&joins, request));
}
END_TEST

START_TEST(joins_beyond_their_limit_are_refused)
{
    uint64_t request;

    for (uint32_t i = 0; i < JOINS_MAX; i++) {
        const struct address from = at("192.0.2.1", (uint16_t)i);

        ck_assert_ptr_nonnull(joins_add(&joins, &from, 1, &request));
    }
    const struct address from = at("192.0.2.9", 1);

    ck_assert_ptr_null(joins_add(&joins, &from, 1, &request));
    joins_clear(&joins);
    ck_assert_ptr_nonnull(joins_add(&joins, &from, 1, &request));
}
END_TEST

/* ---- the door of a gateway */

static const Bus__JoinRequest *asked(void)
{
    const Bus__Item *item = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_JOIN_REQUEST);

    return item != NULL ? item->join_request : NULL;
}

static size_t asked_count(void)
{
    return rig_count_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_JOIN_REQUEST);
}

static size_t hellos(const struct rig_client *client)
{
    return rig_count_got(&rig, &client->address, &wire_server_hello_packet);
}

/* The reason of the last ConnectReject; 0: none. */
static uint8_t rejected(const struct rig_client *client)
{
    const struct rig_datagram *reject = rig_got(&rig, &client->address, &wire_connect_reject_packet);

    if (reject == NULL)
        return 0;
    ck_assert_uint_eq(load_u64(reject->data + WIRE_CONNECT_REJECT_CLIENT_NONCE_AT), client->nonce);
    return reject->data[WIRE_CONNECT_REJECT_REASON_AT];
}

START_TEST(a_hello_without_a_cookie_is_challenged_and_nothing_is_kept)
{
    const struct rig_client client = rig_client(1);

    ck_assert_uint_ne(rig_cookie(&rig, &client), 0);
    ck_assert_uint_eq(asked_count(), 0);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(a_challenge_is_no_longer_than_the_shortest_hello)
{
    struct rig_client client = rig_client(1);

    memcpy(client.name, "x", 2);
    rig_hello(&rig, &client, 0);
    ck_assert_uint_le(rig.datagrams[0].size, WIRE_CLIENT_HELLO_SIZE_MIN);
}
END_TEST

START_TEST(a_wrong_cookie_is_challenged_like_none)
{
    struct rig_client client = rig_client(1);
    const struct rig_client other = rig_client(2);
    uint64_t cookie = rig_cookie(&rig, &client);

    rig_forget(&rig);
    rig_hello(&rig, &client, cookie ^ 1);
    rig_hello(&rig, &other, cookie);
    client.nonce++;
    rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(rig_count_got(&rig, &client.address, &wire_connect_challenge_packet), 2);
    ck_assert_uint_eq(rig_count_got(&rig, &other.address, &wire_connect_challenge_packet), 1);
    ck_assert_uint_eq(asked_count(), 0);
}
END_TEST

START_TEST(an_expired_cookie_is_challenged_like_none)
{
    const struct rig_client client = rig_client(1);
    uint64_t cookie = rig_cookie(&rig, &client);

    rig_pass(&rig, 2 * COOKIE_ROTATION_MS);
    rig_forget(&rig);
    rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(rig_count_got(&rig, &client.address, &wire_connect_challenge_packet), 1);
    ck_assert_uint_eq(asked_count(), 0);
}
END_TEST

START_TEST(another_version_gets_no_answer_whatever_follows)
{
    const struct rig_client client = rig_client(1);
    const uint8_t short_hello[] = { PACKET_CLIENT_HELLO, 145, 0 };
    uint8_t long_hello[WIRE_PACKET_SIZE_MAX] = { PACKET_CLIENT_HELLO, 147, 0 };

    rig_datagram(&rig, &client.address, short_hello, sizeof short_hello);
    rig_datagram(&rig, &client.address, long_hello, sizeof long_hello);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_VERSION), 2);
}
END_TEST

START_TEST(a_malformed_hello_of_our_version_is_dropped)
{
    const struct rig_client client = rig_client(1);
    const uint8_t cut[] = { PACKET_CLIENT_HELLO, WIRE_VERSION, 0 };
    const uint8_t cut_in_version[] = { PACKET_CLIENT_HELLO, WIRE_VERSION };

    rig_datagram(&rig, &client.address, cut, sizeof cut);
    rig_datagram(&rig, &client.address, cut_in_version, sizeof cut_in_version);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_SHORT), 2);
}
END_TEST

START_TEST(the_coordinator_is_asked_with_what_the_hello_says)
{
    struct rig_client client = rig_client(1);

    client.auth = true;
    rig_ask(&rig, &client);
    ck_assert_ptr_nonnull(asked());
    ck_assert_str_eq(asked()->name, client.name);
    ck_assert(asked()->name_valid);
    ck_assert(asked()->password_valid);
    ck_assert(asked()->has_auth);
    ck_assert_ptr_null(asked()->replaces);
    ck_assert_uint_eq(asked()->address.len, 16);
    ck_assert_int_eq(memcmp(asked()->address.data, client.address.ip, 16), 0);
}
END_TEST

START_TEST(a_bad_name_is_asked_about_as_such)
{
    struct rig_client client = rig_client(1);

    memcpy(client.name, "no spaces", 10);
    rig_ask(&rig, &client);
    ck_assert(!asked()->name_valid);
}
END_TEST

static void set_password(Bus__ClusterSettings *settings)
{
    settings->password = "open sesame";
}

START_TEST(a_wrong_password_is_asked_about_as_such)
{
    struct rig_client client = rig_client(1);

    rig_settings(&rig, set_password);
    rig_ask(&rig, &client);
    ck_assert(!asked()->password_valid);
}
END_TEST

START_TEST(while_the_cluster_decides_repeats_are_dropped)
{
    struct rig_client client = rig_client(1);

    rig_ask(&rig, &client);
    rig_hello(&rig, &client, rig_cookie(&rig, &client));
    ck_assert_uint_eq(asked_count(), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_JOIN_PENDING), 1);
}
END_TEST

START_TEST(a_decision_that_does_not_come_is_asked_for_again_after_5_s)
{
    struct rig_client client = rig_client(1);

    rig_ask(&rig, &client);
    rig_pass(&rig, JOIN_TIMEOUT_MS + LANE_CHECK_MS);
    ck_assert_uint_eq(rig_drops(&rig, REASON_JOIN_TIMEOUT), 1);
    rig_hello(&rig, &client, rig_cookie(&rig, &client));
    ck_assert_uint_eq(asked_count(), 2);
}
END_TEST

START_TEST(a_decision_that_comes_too_late_is_taken_back)
{
    struct rig_client client = rig_client(1);
    const Bus__Item *left;

    rig_ask(&rig, &client);
    rig_pass(&rig, JOIN_TIMEOUT_MS + LANE_CHECK_MS);
    rig_answer_join(&rig, 0);
    left = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT);
    ck_assert_ptr_nonnull(left);
    ck_assert_uint_eq(left->player_left->player->token, 100);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
    ck_assert_uint_eq(hellos(&client), 0);
}
END_TEST

START_TEST(each_refusal_reaches_the_client_with_its_reason)
{
    struct rig_client client = rig_client((uint32_t)_i);

    rig_ask(&rig, &client);
    rig_answer_join(&rig, (uint32_t)_i);
    ck_assert_int_eq(rejected(&client), _i);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

START_TEST(a_refusal_is_decided_anew_for_each_repeat)
{
    struct rig_client client = rig_client(1);

    rig_ask(&rig, &client);
    rig_answer_join(&rig, 4);
    rig_ask(&rig, &client);
    ck_assert_uint_eq(asked_count(), 2);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(hellos(&client), 1);
}
END_TEST

START_TEST(a_join_opens_a_session_and_tells_the_shard)
{
    struct rig_client client = rig_client(1);
    const Bus__Item *item;

    rig_ask(&rig, &client);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    item = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN);
    ck_assert_ptr_nonnull(item);
    ck_assert_uint_eq(item->player_join->player->token, 100);
    ck_assert_uint_eq(item->player_join->fence, RIG_FENCE);
    ck_assert_uint_eq(item->player_join->number, 1);
    ck_assert_str_eq(item->player_join->name, client.name);
    ck_assert_uint_eq(item->player_join->spawn->skin, 7);
    ck_assert_float_eq(item->player_join->spawn->x, 1.5F);
    ck_assert_uint_eq(item->player_join->address.len, sizeof client.address.ip);
    ck_assert_mem_eq(item->player_join->address.data, client.address.ip, sizeof client.address.ip);
}
END_TEST

START_TEST(the_server_hello_says_what_the_settings_say)
{
    struct rig_client client = rig_client(1);
    const struct rig_datagram *datagram;
    struct wire_server_hello hello;
    struct wire_error error;

    rig_ask(&rig, &client);
    rig_answer_join(&rig, 0);
    datagram = rig_got(&rig, &client.address, &wire_server_hello_packet);
    ck_assert_ptr_nonnull(datagram);
    ck_assert(wire_server_hello_decode(&hello, datagram->data, datagram->size, &error));
    ck_assert_uint_eq(hello.max_players, 1000);
    ck_assert_uint_eq(hello.heartbeat_ms, 100);
    ck_assert_uint_eq(hello.server_time, (uint32_t)rig.now_ms);
    ck_assert_uint_eq(hello.server_name.size, strlen("Test server"));
    ck_assert_uint_eq(hello.player_id, 0);
    ck_assert_uint_eq(hello.player_token, 100);
    ck_assert_uint_ne(hello.session_token, 0);
}
END_TEST

START_TEST(the_server_hello_is_repeated_until_the_token_is_used)
{
    struct rig_client client = rig_client(1);
    uint64_t cookie = rig_cookie(&rig, &client);
    const struct rig_datagram *again;

    rig_join(&rig, &client);
    rig_hello(&rig, &client, cookie);
    again = rig_got(&rig, &client.address, &wire_server_hello_packet);
    ck_assert_ptr_nonnull(again);
    ck_assert_uint_eq(load_u64(again->data + WIRE_SERVER_HELLO_SESSION_TOKEN_AT), client.token);
    ck_assert_uint_eq(load_u32(again->data + WIRE_SERVER_HELLO_PLAYER_TOKEN_AT), client.player_token);
    rig_frame(&rig, &client, 1);
    rig_forget(&rig);
    rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_HELLO_REPEATED), 1);
    ck_assert_uint_eq(asked_count(), 0);
}
END_TEST

START_TEST(a_new_nonce_from_the_same_address_is_a_reconnect)
{
    struct rig_client client = rig_client(1);
    struct rig_client again = client;
    const Bus__Item *gone;
    const Bus__Item *left;

    rig_join(&rig, &client);
    rig_frame(&rig, &client, 1);
    again.nonce++;
    rig_ask(&rig, &again);
    ck_assert_ptr_nonnull(asked()->replaces);
    ck_assert_uint_eq(asked()->replaces->token, client.player_token);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    gone = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_GONE);
    left = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT);
    ck_assert(gone != NULL && left != NULL);
    ck_assert_uint_eq(gone->player_gone->player->token, client.player_token);
    ck_assert_uint_eq(gone->player_gone->reason, 0);
    ck_assert_uint_eq(left->player_left->reason, 0);
    rig_forget(&rig);
    rig_frame(&rig, &client, 2);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_SESSION), 1);
}
END_TEST

START_TEST(after_a_refused_reconnect_the_old_connection_lives_on)
{
    struct rig_client client = rig_client(1);
    struct rig_client again = client;

    rig_join(&rig, &client);
    again.nonce++;
    rig_ask(&rig, &again);
    rig_answer_join(&rig, 1);
    ck_assert_uint_eq(rejected(&again), 1);
    rig_forget(&rig);
    rig_frame(&rig, &client, 1);
    ck_assert_uint_eq(rig_count_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET), 1);
}
END_TEST

START_TEST(of_two_attempts_at_once_the_newer_gets_in)
{
    struct rig_client client = rig_client(1);
    struct rig_client newer = client;
    Bus__JoinRequest first;
    uint64_t first_request;

    rig_ask(&rig, &client);
    first = *asked();
    first_request = first.request;
    newer.nonce++;
    rig_ask(&rig, &newer);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(hellos(&newer), 1);

    Bus__JoinAnswer answer = BUS__JOIN_ANSWER__INIT;
    Bus__Player player = { PROTOBUF_C_MESSAGE_INIT(&bus__player__descriptor), 55, 555 };
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    spawn.scope = &scope;
    answer.request = first_request;
    answer.player = &player;
    answer.spawn = &spawn;
    answer.shard = "shard-1";
    item.item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    item.join_answer = &answer;
    rig_item(&rig, RIG_COORDINATOR, &item);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    ck_assert_uint_eq(
        rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->player->token, 555);
    ck_assert_uint_eq(rig_drops(&rig, REASON_JOIN_SUPERSEDED), 1);
}
END_TEST

START_TEST(without_a_coordinator_a_hello_waits_for_one)
{
    struct rig_client client = rig_client(1);
    uint64_t cookie = rig_cookie(&rig, &client);

    rig_forget(&rig);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(rig.datagrams_count, 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_NO_COORDINATOR), 1);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 9);
    rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(asked_count(), 1);
}
END_TEST

START_TEST(a_draining_gateway_lets_nobody_in)
{
    struct rig_client client = rig_client(1);

    gateway_drain(rig.gateway, rig.now_ms, "Restart.");
    rig_ask(&rig, &client);
    ck_assert_uint_eq(rejected(&client), 8);
    ck_assert_uint_eq(asked_count(), 0);
}
END_TEST

START_TEST(an_answer_without_its_parts_is_refused_as_no_world)
{
    struct rig_client client = rig_client(1);
    Bus__JoinAnswer answer = BUS__JOIN_ANSWER__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    rig_ask(&rig, &client);
    answer.request = asked()->request;
    item.item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    item.join_answer = &answer;
    rig_item(&rig, RIG_COORDINATOR, &item);
    ck_assert_uint_eq(rejected(&client), 10);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 1);
}
END_TEST

START_TEST(a_full_gateway_refuses_and_gives_the_player_back)
{
    struct rig_client client;

    for (uint32_t i = 0; i < 600; i++) {
        client = rig_client(i);
        rig_join(&rig, &client);
    }
    client = rig_client(600);
    rig_ask(&rig, &client);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(rejected(&client), 1);
    ck_assert_uint_eq(rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_PLAYER_LEFT)->player_left->player->id,
                      600);
}
END_TEST

START_TEST(hellos_with_a_good_cookie_are_limited_per_address)
{
    struct rig_client client = rig_client(1);
    uint64_t cookie = rig_cookie(&rig, &client);

    for (int i = 0; i < 21; i++)
        rig_hello(&rig, &client, cookie);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_HELLO), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_JOIN_PENDING), 19);
}
END_TEST

/* Trap 3: a limit fed by unproven addresses locks out the victim whose address was forged. */
START_TEST(a_flood_of_hellos_from_a_victims_address_does_not_lock_it_out)
{
    struct rig_client victim = rig_client(1);

    for (uint64_t cookie = 1; cookie < 5000; cookie++)
        rig_hello(&rig, &victim, cookie);
    rig_join(&rig, &victim);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_HELLO), 0);
}
END_TEST

/* Trap 1: state before the address is proven; trap 2: answers larger than their request. */
START_TEST(a_flood_of_forged_hellos_takes_no_slot_and_lets_a_real_client_in)
{
    struct rig_client real = rig_client(700);
    size_t requested = 0;
    size_t answered = 0;
    int tries = 0;

    for (int second = 0; second < 6 && rig_sessions(&rig) == 0; second++) {
        for (uint32_t i = 0; i < 30000; i++) {
            const struct rig_client forged = rig_client(i % 10000);
            uint64_t before = gateway_stats(rig.gateway)->bytes_in;

            gateway_on_datagram(
                rig.gateway, rig.now_ms, &forged.address,
                (struct span){ (const uint8_t[WIRE_CLIENT_HELLO_SIZE_MIN]){ PACKET_CLIENT_HELLO,
                                                                            WIRE_VERSION,
                                                                            0,
                                                                            (uint8_t)(i | 1),
                                                                            1,
                                                                            2,
                                                                            3,
                                                                            4,
                                                                            5,
                                                                            6,
                                                                            7,
                                                                            8,
                                                                            9,
                                                                            10,
                                                                            11,
                                                                            12,
                                                                            13,
                                                                            14,
                                                                            15,
                                                                            1,
                                                                            'x',
                                                                            0,
                                                                            0 },
                               WIRE_CLIENT_HELLO_SIZE_MIN });
            requested += gateway_stats(rig.gateway)->bytes_in - before;
            if (second > 0 && i % 15000 == 14999 && rig_sessions(&rig) == 0) {
                rig_forget(&rig);
                rig_hello(&rig, &real, 0);
                tries++;
                if (rig_got(&rig, &real.address, &wire_connect_challenge_packet) != NULL)
                    rig_join(&rig, &real);
            }
            if (i % 1000 == 0)
                egress_clear(gateway_take_egress(rig.gateway));
        }
        answered = gateway_stats(rig.gateway)->bytes_out;
        rig_pass(&rig, 1000);
    }
    ck_assert_uint_eq(rig_sessions(&rig), 1);
    ck_assert_int_le(tries, 10);
    ck_assert_uint_lt(answered, requested);
}
END_TEST

Suite *handshake_suite(void)
{
    Suite *suite = suite_create("handshake");
    TCase *parts = tcase_create("cookies and joins");
    TCase *door = tcase_create("door");

    tcase_add_checked_fixture(parts, setup, teardown);
    tcase_add_test(parts, a_cookie_is_good_for_its_address_port_and_nonce_only);
    tcase_add_test(parts, a_cookie_outlives_one_change_of_the_secret);
    tcase_add_test(parts, after_a_long_silence_no_old_cookie_is_good);
    tcase_add_test(parts, two_gateways_make_different_cookies);
    tcase_add_test(parts, a_name_has_certain_characters_and_a_letter_or_digit_among_them);
    tcase_add_test(parts, a_password_is_right_only_as_a_whole);
    tcase_add_test(parts, without_a_password_every_one_is_right);
    tcase_add_test(parts, a_join_is_found_by_its_address_and_nonce_and_by_its_number);
    tcase_add_test(parts, the_number_of_an_answered_join_is_not_given_again);
    tcase_add_test(parts, a_newer_attempt_of_an_address_supersedes_its_older_ones);
    tcase_add_test(parts, a_join_is_forgotten_after_5_s);
    tcase_add_test(parts, joins_beyond_their_limit_are_refused);
    suite_add_tcase(suite, parts);
    tcase_add_checked_fixture(door, rig_setup, rig_teardown);
    tcase_add_test(door, a_hello_without_a_cookie_is_challenged_and_nothing_is_kept);
    tcase_add_test(door, a_challenge_is_no_longer_than_the_shortest_hello);
    tcase_add_test(door, a_wrong_cookie_is_challenged_like_none);
    tcase_add_test(door, an_expired_cookie_is_challenged_like_none);
    tcase_add_test(door, another_version_gets_no_answer_whatever_follows);
    tcase_add_test(door, a_malformed_hello_of_our_version_is_dropped);
    tcase_add_test(door, the_coordinator_is_asked_with_what_the_hello_says);
    tcase_add_test(door, a_bad_name_is_asked_about_as_such);
    tcase_add_test(door, a_wrong_password_is_asked_about_as_such);
    tcase_add_test(door, while_the_cluster_decides_repeats_are_dropped);
    tcase_add_test(door, a_decision_that_does_not_come_is_asked_for_again_after_5_s);
    tcase_add_test(door, a_decision_that_comes_too_late_is_taken_back);
    tcase_add_loop_test(door, each_refusal_reaches_the_client_with_its_reason, 1, 11);
    tcase_add_test(door, a_refusal_is_decided_anew_for_each_repeat);
    tcase_add_test(door, a_join_opens_a_session_and_tells_the_shard);
    tcase_add_test(door, the_server_hello_says_what_the_settings_say);
    tcase_add_test(door, the_server_hello_is_repeated_until_the_token_is_used);
    tcase_add_test(door, a_new_nonce_from_the_same_address_is_a_reconnect);
    tcase_add_test(door, after_a_refused_reconnect_the_old_connection_lives_on);
    tcase_add_test(door, of_two_attempts_at_once_the_newer_gets_in);
    tcase_add_test(door, without_a_coordinator_a_hello_waits_for_one);
    tcase_add_test(door, a_draining_gateway_lets_nobody_in);
    tcase_add_test(door, an_answer_without_its_parts_is_refused_as_no_world);
    tcase_add_test(door, a_full_gateway_refuses_and_gives_the_player_back);
    tcase_add_test(door, hellos_with_a_good_cookie_are_limited_per_address);
    tcase_add_test(door, a_flood_of_hellos_from_a_victims_address_does_not_lock_it_out);
    tcase_add_test(door, a_flood_of_forged_hellos_takes_no_slot_and_lets_a_real_client_in);
    suite_add_tcase(suite, door);
    return suite;
}
