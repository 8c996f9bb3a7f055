/* What a hostile client can send, over real UDP to a whole cluster: nothing of it reaches anybody, and who it
 * was to hurt plays on. */
#include <ctype.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { TOKEN_AT = 1, EVENT_ID_AT = 9, EVENT_ID_END = 13, WAIT_MS = 2000, NAME_TAKEN = 4, TOO_LONG = 9000 };

static int stranger; /* a socket to anna's gateway */

static void setup(void)
{
    struct sockaddr_storage gateway;
    socklen_t size = sizeof gateway;

    stranger = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(stranger, 0);
    ck_assert_int_eq(getpeername(anna->fd, (struct sockaddr *)&gateway, &size), 0);
    ck_assert_int_eq(connect(stranger, (const struct sockaddr *)&gateway, size), 0);
}

static void teardown(void)
{
    (void)close(stranger);
}

/* The size of what the stranger is sent next; 0: nothing for a while. */
static size_t answer(uint8_t *data, size_t size, int wait_ms)
{
    struct pollfd readable = { .fd = stranger, .events = POLLIN };
    ssize_t got = poll(&readable, 1, wait_ms) == 1 ? recv(stranger, data, size, 0) : 0;

    return got > 0 ? (size_t)got : 0;
}

/* She asks for a seat that no car has, is refused, and was seen to be there all the time. */
static void assert_she_plays(void)
{
    uint32_t car = town_vehicle_at(anna, 4, 4);
    uint64_t denied = anna->client.denied;

    ck_assert(client_enter(&anna->client, clock_ms(), car, 9));
    TOWN_UNTIL(anna->client.denied == denied + 1);
    ck_assert_int_eq(anna->client.state, CLIENT_SPAWNED);
    ck_assert_int_eq(boris->client.state, CLIENT_SPAWNED);
    ck_assert_uint_eq(town_count(boris, PACKET_PLAYER_STREAM_OUT), 0);
}

static void throw(int fd, uint8_t id, uint64_t token, uint32_t event_id, size_t size)
{
    static uint8_t data[TOO_LONG];

    memset(data, 0xFF, sizeof data); /* no number is in range, no float finite, no text UTF-8 */
    data[0] = id;
    store_u64(data + TOKEN_AT, token);
    store_u32(data + EVENT_ID_AT, event_id);
    (void)send(fd, data, size, 0);
}

START_TEST(malformed_and_foreign_datagrams_get_no_answer)
{
    static const size_t sizes[] = { 0, 1, 8, 9, 12, 90, 173, 1200, 1201, TOO_LONG };
    uint8_t data[WIRE_PACKET_SIZE_MAX];

    for (int id = 0; id <= UINT8_MAX; id++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            throw(stranger, (uint8_t)id, anna->client.token ^ 1, 1, sizes[i]);
        town_step();
    }
    assert_she_plays();
    ck_assert_uint_eq(answer(data, sizeof data, 0), 0);
}
END_TEST

START_TEST(her_token_from_another_address_steals_and_ends_nothing)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX];

    for (int i = 0; i < 100; i++) {
        throw(stranger, PACKET_CLIENT_BYE, anna->client.token, 0, EVENT_ID_AT);
        throw(stranger, PACKET_CLIENT_ACK, anna->client.token, UINT32_MAX, EVENT_ID_END);
    }
    assert_she_plays();
    ck_assert_uint_eq(answer(data, sizeof data, WAIT_MS), WIRE_SERVER_KEEPALIVE_SIZE);
    ck_assert_uint_eq(data[0], PACKET_SERVER_KEEPALIVE);
}
END_TEST

START_TEST(malformed_packets_of_a_connection_are_not_applied)
{
    for (int id = 0; id < UINT8_MAX; id++) {
        if (id != PACKET_CLIENT_BYE && id != PACKET_CLIENT_HELLO)
            throw(anna->fd, (uint8_t)id, anna->client.token, 0, 90);
        if (id % 64 == 0)
            assert_she_plays(); /* and her limits fill up meanwhile */
    }
    assert_she_plays();
}
END_TEST

START_TEST(events_of_the_past_and_from_far_ahead_are_not_delivered)
{
    for (uint32_t i = 0; i < 20; i++) {
        throw(anna->fd, PACKET_REQUEST_SPAWN, anna->client.token, i % 2, EVENT_ID_END);
        throw(anna->fd, PACKET_RESPAWN_REQUEST, anna->client.token, UINT32_MAX - i, EVENT_ID_END);
        throw(anna->fd, PACKET_REQUEST_SPAWN, anna->client.token, 1000 + i, EVENT_ID_END);
    }
    assert_she_plays();
    ck_assert_uint_eq(town_count(anna, PACKET_RESPAWN_PLAYER), 0);
}
END_TEST

START_TEST(acks_of_events_that_were_never_sent_cover_none)
{
    for (uint32_t i = 0; i < 20; i++)
        throw(anna->fd, PACKET_CLIENT_ACK, anna->client.token, UINT32_MAX - i, EVENT_ID_END);
    /* Those that are sent from now on still reach her, once and in order: her client would complain. */
    for (int i = 0; i < 5; i++)
        assert_she_plays();
}
END_TEST

START_TEST(a_second_client_of_the_same_name_is_refused)
{
    struct wire_client_hello hello = { .protocol_version = WIRE_VERSION, .client_nonce = 7 };
    uint8_t name[CLIENT_NAME_MAX];
    uint8_t data[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;
    size_t size = strlen(anna->client.name);

    for (size_t i = 0; i < size; i++)
        name[i] = (uint8_t)toupper((unsigned char)anna->client.name[i]);
    hello.name = (struct span){ name, size };
    size = wire_client_hello_encode(&hello, data, sizeof data, &error);
    ck_assert_int_eq(send(stranger, data, size, 0), (ssize_t)size);
    ck_assert_uint_eq(answer(data, sizeof data, WAIT_MS), WIRE_CONNECT_CHALLENGE_SIZE);
    hello.cookie = load_u64(data + WIRE_CONNECT_CHALLENGE_COOKIE_AT);
    size = wire_client_hello_encode(&hello, data, sizeof data, &error);
    ck_assert_int_eq(send(stranger, data, size, 0), (ssize_t)size);
    while (answer(data, sizeof data, 0) == 0)
        town_step(); /* whoever is silent for 2 s loses the name */
    ck_assert_uint_eq(data[0], PACKET_CONNECT_REJECT);
    ck_assert_uint_eq(data[WIRE_CONNECT_REJECT_REASON_AT], NAME_TAKEN);
    assert_she_plays();
}
END_TEST

Suite *bad_input_suite(void)
{
    Suite *suite = suite_create("bad_input");
    TCase *tcase = scene_case();

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, malformed_and_foreign_datagrams_get_no_answer);
    tcase_add_test(tcase, her_token_from_another_address_steals_and_ends_nothing);
    tcase_add_test(tcase, malformed_packets_of_a_connection_are_not_applied);
    tcase_add_test(tcase, events_of_the_past_and_from_far_ahead_are_not_delivered);
    tcase_add_test(tcase, acks_of_events_that_were_never_sent_cover_none);
    tcase_add_test(tcase, a_second_client_of_the_same_name_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
