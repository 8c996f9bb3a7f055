/* The gateway's socket, over the loopback: with everything the kernel has, and with plain calls. */
#include "gateway/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum {
    RECEIVE_MAX = 256,
    WINDOW_US = 5000,
    FLOOD = 104, /* more than a batch; with plain calls what is left after the last full round is nothing */
};

static struct rig rig;
static struct event_base *base;
static struct net *net;
static int client_fd;
static struct rig_client client;

/* Each test runs twice: _i is 1 for plain calls. */
static void start(const char *address, bool plain, uint32_t window_us)
{
    const struct net_config config = {
        .address = address, .reading_us = window_us, .sending_us = window_us, .plain = plain
    };

    net = net_open(&config, rig.gateway, base);
    ck_assert_ptr_nonnull(net);
}

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int open_client(struct rig_client *as)
{
    struct sockaddr_in address = loopback(0);
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    int large = 1 << 20;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof large), 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&bound, &length), 0);
    ck_assert(address_from_sockaddr(&as->address, &bound));
    return fd;
}

static void setup(void)
{
    rig_start(&rig);
    client = rig_client(1);
    client_fd = open_client(&client);
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    net = NULL;
}

static void teardown(void)
{
    net_close(&net);
    event_base_free(base);
    (void)close(client_fd);
    rig_stop(&rig);
}

static void send_to_gateway(const void *data, size_t size)
{
    struct sockaddr_in to = loopback(net_port(net));

    ck_assert_int_eq(sendto(client_fd, data, size, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)size);
}

/* What is in the client's socket; its first datagrams' sizes and bytes. */
static size_t receive(struct rig_datagram *datagrams)
{
    size_t count = 0;

    while (count < RECEIVE_MAX) {
        ssize_t size = recv(client_fd, datagrams[count].data, sizeof datagrams[count].data, 0);

        if (size < 0)
            break;
        datagrams[count++].size = (size_t)size;
    }
    return count;
}

static struct rig_datagram received[RECEIVE_MAX];

static size_t hello_bytes(uint8_t *data, uint64_t nonce)
{
    const struct wire_client_hello hello = { .protocol_version = WIRE_VERSION,
                                             .client_nonce = nonce,
                                             .name = { (const uint8_t *)"Bob", 3 } };

    return wire_client_hello_put(&hello, data, WIRE_PACKET_SIZE_MAX);
}

/* A packet of the shard for the client, left in the gateway's egress. */
static void leave_packet(const struct rig_client *to, Bus__Send__Class delivery, struct span packet)
{
    Bus__Send send = BUS__SEND__INIT;
    Bus__Recipient recipient = BUS__RECIPIENT__INIT;
    Bus__Recipient *list[] = { &recipient };
    Bus__Item item = BUS__ITEM__INIT;

    recipient.id = to->id;
    recipient.token = to->player_token;
    recipient.fence = RIG_FENCE;
    send.packet = (ProtobufCBinaryData){ .len = packet.size, .data = (uint8_t *)packet.data };
    send.class_ = delivery;
    send.to = list;
    send.n_to = 1;
    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = &send;
    gateway_on_item(rig.gateway, rig.now_ms, RIG_SHARD, &item);
}

static void leave_frames(const struct rig_client *to, uint32_t count)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    for (uint32_t seq = 0; seq < count; seq++)
        leave_packet(to, BUS__SEND__CLASS__UNRELIABLE, rig_remote_frame(buffer, 5, seq));
}

static void loop_once(void)
{
    ck_assert_int_ge(event_base_loop(base, EVLOOP_ONCE), 0);
    net_flush(net);
}

START_TEST(a_hello_is_received_and_answered)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX];

    start("127.0.0.1", _i == 1, 0);
    send_to_gateway(data, hello_bytes(data, 77));
    loop_once();
    ck_assert_uint_eq(receive(received), 1);
    ck_assert_uint_eq(received[0].data[0], PACKET_CONNECT_CHALLENGE);
    ck_assert_uint_eq(load_u64(received[0].data + 1), 77);
}
END_TEST

START_TEST(every_datagram_of_a_burst_is_received)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX];
    size_t answers = 0;

    start("127.0.0.1", _i == 1, 0);
    for (uint64_t nonce = 1; nonce <= 200; nonce++)
        send_to_gateway(data, hello_bytes(data, nonce));
    while (gateway_stats(rig.gateway)->datagrams_in < 200)
        loop_once();
    answers = receive(received);
    ck_assert_uint_eq(answers, 200);
    for (uint64_t i = 0; i < answers; i++)
        ck_assert_uint_eq(load_u64(received[i].data + 1), i + 1);
}
END_TEST

START_TEST(a_train_of_datagrams_is_taken_apart)
{
    struct sockaddr_in to;
    uint8_t data[10 * WIRE_PACKET_SIZE_MAX];
    size_t size = 0;
    int segment;

    start("127.0.0.1", _i == 1, 0);
    for (uint64_t nonce = 1; nonce <= 10; nonce++)
        size += hello_bytes(data + size, nonce);
    segment = (int)(size / 10);
    size--; /* the last one is cut */
    to = loopback(net_port(net));
    if (setsockopt(client_fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0)
        return; /* a kernel without it has no trains */
    ck_assert_int_eq(sendto(client_fd, data, size, 0, (struct sockaddr *)&to, sizeof to), (ssize_t)size);
    while (gateway_stats(rig.gateway)->datagrams_in < 10)
        loop_once();
    ck_assert_uint_eq(receive(received), 9);
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_SHORT), 1);
}
END_TEST

START_TEST(a_datagram_longer_than_a_packet_is_counted_as_such)
{
    static const uint8_t data[9000] = { PACKET_CLIENT_HELLO };

    start("127.0.0.1", _i == 1, 0);
    send_to_gateway(data, WIRE_PACKET_SIZE_MAX + 1);
    send_to_gateway(data, sizeof data);
    while (gateway_stats(rig.gateway)->datagrams_in < 2)
        loop_once();
    ck_assert_uint_eq(rig_drops(&rig, REASON_OVERSIZE), 2);
}
END_TEST

START_TEST(an_empty_datagram_is_received_as_such)
{
    start("127.0.0.1", _i == 1, 0);
    send_to_gateway("", 0);
    loop_once();
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_EMPTY), 1);
}
END_TEST

START_TEST(many_frames_for_one_recipient_arrive_whole_and_in_order)
{
    size_t count;

    start("127.0.0.1", _i == 1, 0);
    rig_join(&rig, &client);
    leave_frames(&client, 150);
    net_flush(net);
    count = receive(received);
    ck_assert_uint_eq(count, 150);
    for (uint32_t seq = 0; seq < count; seq++) {
        ck_assert_uint_eq(received[seq].size, WIRE_REMOTE_PLAYER_SYNC_SIZE);
        ck_assert_uint_eq(load_u32(received[seq].data + WIRE_REMOTE_PLAYER_SYNC_SEQ_AT), seq);
    }
    if (_i == 1)
        ck_assert_uint_eq(net_stats(net)->segmented, 0);
    else if (net_stats(net)->segmented > 0)
        ck_assert_uint_eq(net_stats(net)->sends, 3);
}
END_TEST

START_TEST(events_of_mixed_lengths_arrive_in_order)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    uint32_t event_id = 0;
    size_t count;

    start("127.0.0.1", _i == 1, 0);
    rig_join(&rig, &client);
    for (uint32_t i = 0; i < 60; i++) {
        if (i % 7 < 3)
            leave_packet(&client, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, i));
        else
            leave_packet(&client, BUS__SEND__CLASS__DROPPABLE,
                         rig_server_message(buffer, i % 2 == 0 ? "a" : "bb"));
        leave_frames(&client, 1);
    }
    net_flush(net);
    count = receive(received);
    ck_assert_uint_eq(count, 120);
    for (size_t i = 0; i < count; i++) {
        if (received[i].data[0] != PACKET_REMOTE_PLAYER_SYNC)
            ck_assert_uint_eq(load_u32(received[i].data + 1), ++event_id);
    }
    ck_assert_uint_eq(event_id, 60);
}
END_TEST

START_TEST(a_recipient_that_has_gone_costs_nobody_else_anything)
{
    struct rig_client gone = rig_client(2);
    int gone_fd = open_client(&gone);

    start("127.0.0.1", _i == 1, 0);
    rig_join(&rig, &gone);
    rig_join(&rig, &client);
    ck_assert_int_eq(close(gone_fd), 0);
    for (int round = 0; round < 3; round++) {
        leave_frames(&gone, 3);
        leave_frames(&client, 3);
        net_flush(net);
    }
    ck_assert_uint_eq(receive(received), 9);
    send_to_gateway("", 0);
    loop_once();
    ck_assert_uint_eq(rig_drops(&rig, REASON_MALFORMED_EMPTY), 1);
}
END_TEST

START_TEST(an_address_that_cannot_be_reached_costs_nobody_else_anything)
{
    struct rig_client nowhere = rig_client(2);

    ck_assert(address_parse(&nowhere.address, "127.0.0.1", 0)); /* port 0 takes nothing */
    start("127.0.0.1", _i == 1, 0);
    rig_join(&rig, &nowhere);
    rig_join(&rig, &client);
    leave_frames(&nowhere, 3);
    leave_frames(&client, 3);
    net_flush(net);
    ck_assert_uint_eq(receive(received), 3);
    ck_assert_uint_eq(rig_drops(&rig, REASON_SOCKET_ERROR), 3);
}
END_TEST

START_TEST(a_socket_for_ipv6_serves_ipv4_as_well)
{
    const struct net_config config = { .address = "::", .plain = _i == 1 };
    uint8_t data[WIRE_PACKET_SIZE_MAX];

    net = net_open(&config, rig.gateway, base);
    if (net == NULL)
        return; /* a host without IPv6 */
    send_to_gateway(data, hello_bytes(data, 77));
    loop_once();
    ck_assert_uint_eq(receive(received), 1);
    ck_assert_uint_eq(received[0].data[0], PACKET_CONNECT_CHALLENGE);
}
END_TEST

/* ---- the window */

/* A hundred milliseconds of a crowd, which the client is in the middle of. What comes of a round comes
 * together or, `scattered`, each time that the loop goes round. */
static void crowd(bool scattered)
{
    struct egress *egress = gateway_take_egress(rig.gateway);

    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 15; i++) {
            leave_frames(&client, 1);
            if (scattered)
                egress_end_burst(egress);
        }
        egress_end_burst(egress);
        egress_clear(egress);
        rig_pass(&rig, 10);
    }
}

/* By the socket: the joins of the rig have none. */
static uint64_t datagrams_in(void)
{
    return rig_drops(&rig, REASON_MALFORMED_EMPTY);
}

START_TEST(in_a_crowd_receiving_waits_for_the_window)
{
    uint64_t started_us;

    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    crowd(false);
    started_us = clock_us();
    send_to_gateway("", 0);
    loop_once(); /* it has come, and is left where it is */
    ck_assert_uint_eq(net_stats(net)->windows, 1);
    ck_assert_uint_eq(datagrams_in(), 0);
    send_to_gateway("", 0);
    loop_once(); /* the end of the window is the only thing to wake for */
    ck_assert_uint_ge(clock_us() - started_us, WINDOW_US - 1000);
    ck_assert_uint_eq(datagrams_in(), 2);
    ck_assert_uint_eq(net_stats(net)->windows, 1);
}
END_TEST

START_TEST(after_a_window_the_next_datagram_opens_another)
{
    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    crowd(false);
    for (uint64_t round = 1; round <= 3; round++) {
        send_to_gateway("", 0);
        loop_once();
        ck_assert_uint_eq(datagrams_in(), round - 1);
        loop_once();
        ck_assert_uint_eq(datagrams_in(), round);
    }
    ck_assert_uint_eq(net_stats(net)->windows, 3);
}
END_TEST

START_TEST(what_came_together_is_sent_at_once)
{
    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    crowd(false);
    leave_frames(&client, 3);
    net_flush(net);
    ck_assert_uint_eq(receive(received), 3);
    ck_assert_uint_eq(net_stats(net)->windows, 0);
}
END_TEST

/* The buffer of a socket that nobody may enlarge would not hold what comes in a window. */
START_TEST(under_a_flood_receiving_does_not_wait)
{
    uint64_t windows;

    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    crowd(false);
    for (int i = 0; i < FLOOD; i++)
        send_to_gateway("", 0);
    while (datagrams_in() < FLOOD)
        loop_once();
    windows = net_stats(net)->windows;
    send_to_gateway("", 0);
    loop_once();
    ck_assert_uint_eq(datagrams_in(), FLOOD + 1);
    ck_assert_uint_eq(net_stats(net)->windows, windows);
}
END_TEST

START_TEST(in_a_crowd_of_many_bursts_sending_waits_for_the_window)
{
    uint64_t started_us;

    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    crowd(true);
    started_us = clock_us();
    leave_frames(&client, 3);
    net_flush(net);
    ck_assert_uint_eq(net_stats(net)->windows, 1);
    ck_assert_uint_eq(receive(received), 0);
    leave_frames(&client, 2);
    loop_once(); /* the end of the window is the only thing to wake for */
    ck_assert_uint_ge(clock_us() - started_us, WINDOW_US - 1000);
    ck_assert_uint_eq(receive(received), 5);
    ck_assert_uint_eq(net_stats(net)->windows, 1);
}
END_TEST

START_TEST(without_a_crowd_receiving_does_not_wait)
{
    start("127.0.0.1", _i == 1, WINDOW_US);
    send_to_gateway("", 0);
    loop_once();
    ck_assert_uint_eq(datagrams_in(), 1);
    ck_assert_uint_eq(net_stats(net)->windows, 0);
}
END_TEST

START_TEST(without_a_crowd_sending_does_not_wait)
{
    start("127.0.0.1", _i == 1, WINDOW_US);
    rig_join(&rig, &client);
    leave_frames(&client, 1);
    net_flush(net);
    ck_assert_uint_eq(receive(received), 1);
    ck_assert_uint_eq(net_stats(net)->windows, 0);
}
END_TEST

START_TEST(with_a_window_of_0_nothing_ever_waits)
{
    start("127.0.0.1", _i == 1, 0);
    rig_join(&rig, &client);
    crowd(true);
    leave_frames(&client, 3);
    net_flush(net);
    ck_assert_uint_eq(receive(received), 3);
    send_to_gateway("", 0);
    loop_once();
    ck_assert_uint_eq(datagrams_in(), 1);
}
END_TEST

/* ---- what cannot be opened */

START_TEST(a_port_in_use_is_refused)
{
    struct net_config config = { .address = "127.0.0.1" };

    start("127.0.0.1", false, 0);
    config.port = net_port(net);
    ck_assert_ptr_null(net_open(&config, rig.gateway, base));
}
END_TEST

START_TEST(an_address_that_is_none_is_refused)
{
    const struct net_config name = { .address = "localhost" };
    const struct net_config foreign = { .address = "192.0.2.1" };

    ck_assert_ptr_null(net_open(&name, rig.gateway, base));
    ck_assert_ptr_null(net_open(&foreign, rig.gateway, base));
}
END_TEST

Suite *net_suite(void)
{
    Suite *suite = suite_create("net");
    TCase *both = tcase_create("loopback");
    TCase *refused = tcase_create("refused");

    tcase_add_checked_fixture(both, setup, teardown);
    tcase_add_loop_test(both, a_hello_is_received_and_answered, 0, 2);
    tcase_add_loop_test(both, every_datagram_of_a_burst_is_received, 0, 2);
    tcase_add_loop_test(both, a_train_of_datagrams_is_taken_apart, 0, 2);
    tcase_add_loop_test(both, a_datagram_longer_than_a_packet_is_counted_as_such, 0, 2);
    tcase_add_loop_test(both, an_empty_datagram_is_received_as_such, 0, 2);
    tcase_add_loop_test(both, many_frames_for_one_recipient_arrive_whole_and_in_order, 0, 2);
    tcase_add_loop_test(both, events_of_mixed_lengths_arrive_in_order, 0, 2);
    tcase_add_loop_test(both, a_recipient_that_has_gone_costs_nobody_else_anything, 0, 2);
    tcase_add_loop_test(both, an_address_that_cannot_be_reached_costs_nobody_else_anything, 0, 2);
    tcase_add_loop_test(both, a_socket_for_ipv6_serves_ipv4_as_well, 0, 2);
    tcase_add_loop_test(both, in_a_crowd_receiving_waits_for_the_window, 0, 2);
    tcase_add_loop_test(both, after_a_window_the_next_datagram_opens_another, 0, 2);
    tcase_add_loop_test(both, what_came_together_is_sent_at_once, 0, 2);
    tcase_add_loop_test(both, under_a_flood_receiving_does_not_wait, 0, 2);
    tcase_add_loop_test(both, in_a_crowd_of_many_bursts_sending_waits_for_the_window, 0, 2);
    tcase_add_loop_test(both, without_a_crowd_receiving_does_not_wait, 0, 2);
    tcase_add_loop_test(both, without_a_crowd_sending_does_not_wait, 0, 2);
    tcase_add_loop_test(both, with_a_window_of_0_nothing_ever_waits, 0, 2);
    suite_add_tcase(suite, both);
    tcase_add_checked_fixture(refused, setup, teardown);
    tcase_add_test(refused, a_port_in_use_is_refused);
    tcase_add_test(refused, an_address_that_is_none_is_refused);
    suite_add_tcase(suite, refused);
    return suite;
}
