/* Real ZeroMQ sockets, several buses in one loop, and a clock that the tests may hurry. */
#include "common/bus.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "common/clock.h"
#include "tests/unit/suites.h"

enum { PATIENCE_MS = 5000, NODES = 4, PEERS = 8, HEARD_MAX = 50000 };

/* A process: its bus, and what its core would be told. */
struct node {
    struct bus *bus;
    struct outbox outbox;
    bool is_stopped; /* it does not run */
    struct {
        bool is_up;
        unsigned ups;
        unsigned downs;
        uint64_t boot;
        Bus__Role role;
        char name[LINK_NAME_MAX + 1];
    } peers[PEERS];
    uint32_t heard[HEARD_MAX];
    size_t heard_count;
    unsigned backlogged;
};

static struct event_base *base;
static struct node nodes[NODES];
static struct node *const coordinator = &nodes[0];
static struct node *const shard = &nodes[1];
static struct node *const gateway = &nodes[2];
static struct node *const other = &nodes[3];
static char folder[] = "/tmp/test-bus-XXXXXX";
static char ipc_endpoint[64];
static char error[BUS_ERROR_SIZE];
static uint64_t hurried_ms;

static uint64_t now_ms(void)
{
    return clock_ms() + hurried_ms;
}

/* ---- what a core would do ---- */

static void on_peer_up(void *context, uint64_t at_ms, uint16_t peer, Bus__Role role, const char *name,
                       uint64_t boot)
{
    struct node *node = context;

    ck_assert_uint_gt(at_ms, 0);
    ck_assert_uint_lt(peer, PEERS);
    ck_assert(!node->peers[peer].is_up);
    node->peers[peer].is_up = true;
    node->peers[peer].ups++;
    node->peers[peer].boot = boot;
    node->peers[peer].role = role;
    (void)snprintf(node->peers[peer].name, sizeof node->peers[peer].name, "%s", name);
}

static void on_peer_down(void *context, uint64_t at_ms, uint16_t peer)
{
    struct node *node = context;

    ck_assert_uint_gt(at_ms, 0);
    ck_assert(node->peers[peer].is_up);
    node->peers[peer].is_up = false;
    node->peers[peer].downs++;
}

static void on_item(void *context, uint64_t at_ms, uint16_t peer, const Bus__Item *item)
{
    struct node *node = context;

    ck_assert_uint_gt(at_ms, 0);
    ck_assert(node->peers[peer].is_up);
    ck_assert_int_eq(item->item_case, BUS__ITEM__ITEM_KICK);
    ck_assert_uint_lt(node->heard_count, HEARD_MAX);
    node->heard[node->heard_count++] = item->kick->reason;
}

static void on_backlogged(void *context, uint16_t peer, bool backlogged)
{
    struct node *node = context;

    ck_assert(node->peers[peer].is_up);
    node->backlogged += backlogged;
}

static struct outbox *node_outbox(void *context)
{
    return &((struct node *)context)->outbox;
}

static void say_sized(struct node *node, uint16_t peer, uint32_t reason, size_t size)
{
    Bus__Item *item = outbox_add(&node->outbox, peer);
    Bus__Kick *kick = outbox_alloc(&node->outbox, sizeof *kick);

    bus__kick__init(kick);
    kick->reason = reason;
    kick->text = outbox_alloc(&node->outbox, size + 1);
    memset(kick->text, 'x', size);
    item->item_case = BUS__ITEM__ITEM_KICK;
    item->kick = kick;
}

static void say(struct node *node, uint32_t reason)
{
    say_sized(node, 0, reason, 10);
}

/* ---- running ---- */

static void run_once(int flags)
{
    ck_assert_int_ge(event_base_loop(base, flags), 0);
    for (size_t i = 0; i < NODES; i++) {
        if (nodes[i].bus != NULL && !nodes[i].is_stopped)
            bus_flush(nodes[i].bus, now_ms());
    }
}

static void run_for(uint64_t ms)
{
    for (uint64_t end_ms = clock_ms() + ms; clock_ms() < end_ms;)
        run_once(EVLOOP_ONCE);
}

#define RUN_UNTIL(condition)                                                         \
    do {                                                                             \
        for (uint64_t end_ms = clock_ms() + PATIENCE_MS; !(condition);) {            \
            ck_assert_msg(clock_ms() < end_ms, "waited in vain for %s", #condition); \
            run_once(EVLOOP_ONCE);                                                   \
        }                                                                            \
    } while (0)

/* 100 ms are over in 2: what is sent meanwhile arrives. */
static void hurry(uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        hurried_ms += 100;
        for (uint64_t end_ms = clock_ms() + 2; clock_ms() < end_ms;)
            run_once(EVLOOP_NONBLOCK);
    }
}

/* As above, but the node hears its peer all the time, however busy the machine is. */
static void hurry_alive(uint64_t ms, const struct node *node, uint16_t peer)
{
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        hurry(100);
        RUN_UNTIL(now_ms() - bus_link(node->bus, peer)->heard_ms < LINK_HOLDER_MS);
    }
}

static bool has_heard(const struct node *node, size_t count)
{
    ck_assert_uint_le(node->heard_count, count);
    for (size_t i = 0; i < node->heard_count; i++)
        ck_assert_uint_eq(node->heard[i], i);
    return node->heard_count == count;
}

static const struct bus_curve no_curve;

static bool start(struct node *node, Bus__Role role, const char *name, uint64_t boot, const char *endpoint,
                  const struct bus_curve *curve)
{
    const struct bus_config config = {
        .self = { role, name, boot },
        .endpoint = endpoint,
        .accepts = role == BUS__ROLE__ROLE_COORDINATOR
                       ? LINK_ROLE(BUS__ROLE__ROLE_GATEWAY) | LINK_ROLE(BUS__ROLE__ROLE_SHARD)
                       : LINK_ROLE(BUS__ROLE__ROLE_GATEWAY),
        .curve = *curve,
        .now_ms = now_ms,
    };
    const struct bus_handler handler = {
        node, on_peer_up, on_peer_down, on_item, on_backlogged, node_outbox
    };

    outbox_init(&node->outbox);
    node->bus = bus_new(base, &config, &handler, error);
    return node->bus != NULL;
}

static void stop(struct node *node)
{
    bus_free(&node->bus);
    outbox_fini(&node->outbox);
    memset(node, 0, sizeof *node);
}

static void start_shard_at(const char *endpoint, uint64_t boot)
{
    ck_assert_msg(start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", boot, endpoint, &no_curve), "%s", error);
}

static void start_gateway_to(const char *endpoint, uint64_t boot)
{
    ck_assert_msg(start(gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", boot, NULL, &no_curve), "%s", error);
    ck_assert_msg(bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", endpoint, error), "%s", error);
}

static void meet_at(const char *endpoint)
{
    start_shard_at(endpoint, 0xB1);
    start_gateway_to(bus_endpoint(shard->bus), 0xA1);
    RUN_UNTIL(gateway->peers[0].is_up && shard->peers[0].is_up);
}

static void setup(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/test-bus-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(ipc_endpoint, sizeof ipc_endpoint, "ipc://%s/shard", folder);
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    hurried_ms = 1000;
    error[0] = '\0';
}

static void teardown(void)
{
    for (size_t i = 0; i < NODES; i++)
        stop(&nodes[i]);
    event_base_free(base);
    (void)unlink(ipc_endpoint + 6);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* ---- meeting and talking ---- */

static const char *const kinds[] = { "ipc", "tcp", "tcp6" };

static const char *endpoint_of(const char *kind)
{
    if (strcmp(kind, "ipc") == 0)
        return ipc_endpoint;
    return strcmp(kind, "tcp") == 0 ? "tcp://127.0.0.1:*" : "tcp://[::1]:*";
}

START_TEST(peers_meet_and_talk_both_ways)
{
    meet_at(endpoint_of(kinds[_i]));
    ck_assert_str_eq(gateway->peers[0].name, "shard-1");
    ck_assert_int_eq(gateway->peers[0].role, BUS__ROLE__ROLE_SHARD);
    ck_assert_uint_eq(gateway->peers[0].boot, 0xB1);
    ck_assert_str_eq(shard->peers[0].name, "gateway-1");
    ck_assert_uint_eq(shard->peers[0].boot, 0xA1);

    for (uint32_t i = 0; i < 1000; i++) {
        say(gateway, i);
        say(shard, i);
        if (i % 10 == 0)
            run_once(EVLOOP_NONBLOCK);
    }
    RUN_UNTIL(has_heard(gateway, 1000) && has_heard(shard, 1000));
    RUN_UNTIL(bus_backlog(gateway->bus) == 0 && bus_backlog(shard->bus) == 0);
    ck_assert_uint_eq(bus_link(gateway->bus, 0)->stats.repeats, 0);
}
END_TEST

START_TEST(a_shard_has_peers_on_both_of_its_sides)
{
    char coordinator_endpoint[128];

    ck_assert_msg(
        start(coordinator, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 0xC1, "tcp://127.0.0.1:*", &no_curve),
        "%s", error);
    (void)snprintf(coordinator_endpoint, sizeof coordinator_endpoint, "%s", bus_endpoint(coordinator->bus));
    meet_at(ipc_endpoint);
    ck_assert(bus_connect(shard->bus, BUS__ROLE__ROLE_COORDINATOR, NULL, coordinator_endpoint, error));
    ck_assert(bus_connect(gateway->bus, BUS__ROLE__ROLE_COORDINATOR, NULL, coordinator_endpoint, error));
    RUN_UNTIL(coordinator->peers[0].is_up && coordinator->peers[1].is_up && shard->peers[1].is_up &&
              gateway->peers[1].is_up);
    ck_assert_str_eq(shard->peers[1].name, "coordinator");
    ck_assert_int_eq(gateway->peers[1].role, BUS__ROLE__ROLE_COORDINATOR);
}
END_TEST

START_TEST(connecting_twice_is_connecting_once)
{
    meet_at("tcp://127.0.0.1:*");
    ck_assert(bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", bus_endpoint(shard->bus), error));
    ck_assert_ptr_null(bus_link(gateway->bus, 1));
    run_for(50);
    ck_assert(gateway->peers[0].is_up);
    ck_assert_uint_eq(gateway->peers[0].downs, 0);
}
END_TEST

START_TEST(a_peer_may_be_bound_before_or_after_somebody_connects)
{
    start_gateway_to(ipc_endpoint, 0xA1);
    run_for(100);
    start_shard_at(ipc_endpoint, 0xB1);
    RUN_UNTIL(gateway->peers[0].is_up && shard->peers[0].is_up);
}
END_TEST

START_TEST(a_peer_that_is_disconnected_is_down)
{
    meet_at(ipc_endpoint);
    bus_disconnect(gateway->bus, now_ms(), "shard-1");
    ck_assert(!gateway->peers[0].is_up);
    ck_assert_ptr_null(bus_link(gateway->bus, 0));
    say(gateway, 0);
    run_for(20);
    ck_assert_uint_eq(bus_stats(gateway->bus).items_lost, 1);
    ck_assert_uint_eq(shard->heard_count, 0);
    bus_disconnect(gateway->bus, now_ms(), "shard-9");
}
END_TEST

START_TEST(a_message_of_many_items_is_one)
{
    meet_at(ipc_endpoint);
    uint64_t before = bus_stats(gateway->bus).messages_out;

    for (uint32_t i = 0; i < 200; i++)
        say(gateway, i);
    bus_flush(gateway->bus, now_ms());
    ck_assert_uint_eq(bus_stats(gateway->bus).messages_out, before + 1);
    RUN_UNTIL(has_heard(shard, 200));
}
END_TEST

START_TEST(the_largest_items_pass)
{
    meet_at("tcp://127.0.0.1:*");
    say(gateway, 0);
    for (uint32_t i = 1; i < 5; i++)
        say_sized(gateway, 0, i, LINK_ITEM_SIZE_MAX - 64);
    say(gateway, 5);
    RUN_UNTIL(has_heard(shard, 6));
}
END_TEST

/* ---- when something breaks ---- */

START_TEST(a_restarted_peer_is_another_and_hears_only_what_is_for_it)
{
    meet_at(endpoint_of(kinds[_i]));
    char endpoint[128];
    (void)snprintf(endpoint, sizeof endpoint, "%s", bus_endpoint(shard->bus));

    stop(shard);
    for (uint32_t i = 0; i < 10; i++)
        say(gateway, 77);
    run_once(EVLOOP_NONBLOCK);
    start_shard_at(endpoint, 0xB2);
    hurry(LINK_HOLDER_MS + LINK_HEARTBEAT_MS);
    RUN_UNTIL(gateway->peers[0].boot == 0xB2 && shard->peers[0].is_up);
    ck_assert_uint_eq(gateway->peers[0].downs, 1);
    for (uint32_t i = 0; i < 10; i++) {
        say(gateway, i);
        say(shard, i);
    }
    RUN_UNTIL(has_heard(gateway, 10) && has_heard(shard, 10));
}
END_TEST

START_TEST(a_restarted_client_is_another)
{
    meet_at(ipc_endpoint);
    stop(gateway);
    start_gateway_to(ipc_endpoint, 0xA2);
    hurry(LINK_HOLDER_MS + LINK_HEARTBEAT_MS);
    RUN_UNTIL(shard->peers[0].boot == 0xA2 && gateway->peers[0].is_up);
    ck_assert_uint_eq(shard->peers[0].downs, 1);
    say(shard, 0);
    RUN_UNTIL(has_heard(gateway, 1));
}
END_TEST

START_TEST(a_peer_that_stands_still_is_down_and_comes_back_with_all_that_was_said)
{
    meet_at(ipc_endpoint);
    shard->is_stopped = true;
    say(gateway, 0);
    hurry(LINK_DEAD_MS + 200);
    ck_assert(!gateway->peers[0].is_up);
    for (uint32_t i = 1; i < 100; i++)
        say(gateway, i);
    hurry(1000);
    shard->is_stopped = false;
    RUN_UNTIL(gateway->peers[0].is_up && has_heard(shard, 100));
    ck_assert_uint_eq(gateway->peers[0].boot, 0xB1);
    ck_assert_uint_eq(gateway->peers[0].ups, 2);
    ck_assert_uint_eq(shard->peers[0].ups, 1); /* it was stopped itself */
}
END_TEST

START_TEST(a_process_that_was_stopped_does_not_take_its_peers_for_dead)
{
    meet_at(ipc_endpoint);
    hurried_ms += 5000;
    run_for(100);
    ck_assert(gateway->peers[0].is_up && shard->peers[0].is_up);
    ck_assert_uint_eq(gateway->peers[0].downs + shard->peers[0].downs, 0);
}
END_TEST

START_TEST(a_backlog_over_the_mark_is_told_and_its_end_as_well)
{
    meet_at(ipc_endpoint);
    shard->is_stopped = true;
    for (uint32_t i = 0; i < 9; i++)
        say_sized(gateway, 0, i, 1 << 20);
    run_once(EVLOOP_NONBLOCK);
    ck_assert_uint_eq(gateway->backlogged, 1);
    ck_assert_uint_ge(bus_backlog(gateway->bus), 9 << 20);
    shard->is_stopped = false;
    RUN_UNTIL(has_heard(shard, 9) && bus_backlog(gateway->bus) == 0);
}
END_TEST

START_TEST(a_peer_that_stands_still_does_not_hold_up_the_others)
{
    meet_at(ipc_endpoint);
    ck_assert(start(other, BUS__ROLE__ROLE_GATEWAY, "gateway-2", 0xA2, NULL, &no_curve));
    ck_assert(bus_connect(other->bus, BUS__ROLE__ROLE_SHARD, "shard-1", ipc_endpoint, error));
    RUN_UNTIL(other->peers[0].is_up && shard->peers[1].is_up);

    gateway->is_stopped = true;
    for (uint32_t i = 0; i < 100; i++) {
        for (size_t j = 0; j < 10; j++)
            say_sized(shard, 0, 0, 20000);
        say_sized(shard, 1, i, 10);
        RUN_UNTIL(has_heard(other, i + 1));
    }
    ck_assert_uint_eq(shard->backlogged, 1);

    /* And is given up in the end. */
    hurry_alive(LINK_OVER_MS + 1000, shard, 1);
    ck_assert(!shard->peers[0].is_up);
    ck_assert_uint_eq(bus_backlog(shard->bus), 0);
    ck_assert(shard->peers[1].is_up);
    gateway->is_stopped = false;
    RUN_UNTIL(shard->peers[0].is_up && gateway->peers[0].ups == 2);
    ck_assert_uint_ne(shard->peers[0].boot, 0xA1);
}
END_TEST

/* A pipe between the two that breaks whenever it is told to, with whatever is under way in it. */
struct proxy {
    int listener;
    int sides[2]; /* the client's and the server's */
    uint16_t server_port;
    struct event *accepts;
    struct event *reads[2];
    unsigned connections;
};

static void proxy_cut(struct proxy *proxy)
{
    for (size_t i = 0; i < 2; i++) {
        if (proxy->reads[i] != NULL)
            event_free(proxy->reads[i]);
        if (proxy->sides[i] >= 0)
            (void)close(proxy->sides[i]);
        proxy->reads[i] = NULL;
        proxy->sides[i] = -1;
    }
}

static void proxy_forward(evutil_socket_t fd, short what, void *context)
{
    struct proxy *proxy = context;
    int to = fd == proxy->sides[0] ? proxy->sides[1] : proxy->sides[0];
    uint8_t bytes[4096];
    ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

    (void)what;
    if (size <= 0 || send(to, bytes, (size_t)size, MSG_NOSIGNAL) != size)
        proxy_cut(proxy);
}

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons(port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void proxy_accept(evutil_socket_t fd, short what, void *context)
{
    struct proxy *proxy = context;
    struct sockaddr_in address = loopback(proxy->server_port);

    (void)what;
    proxy_cut(proxy);
    proxy->sides[0] = accept(fd, NULL, NULL);
    proxy->sides[1] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(proxy->sides[0], 0);
    ck_assert_int_eq(connect(proxy->sides[1], (struct sockaddr *)&address, sizeof address), 0);
    for (size_t i = 0; i < 2; i++) {
        proxy->reads[i] = event_new(base, proxy->sides[i], EV_READ | EV_PERSIST, proxy_forward, proxy);
        ck_assert_int_eq(event_add(proxy->reads[i], NULL), 0);
    }
    proxy->connections++;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in address = { 0 };
    socklen_t size = sizeof address;

    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static void proxy_open(struct proxy *proxy, const char *server_endpoint)
{
    struct sockaddr_in address = loopback(0);

    *proxy = (struct proxy){ .sides = { -1, -1 } };
    proxy->server_port = (uint16_t)strtoul(strrchr(server_endpoint, ':') + 1, NULL, 10);
    proxy->listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(proxy->listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(proxy->listener, 8), 0);
    proxy->accepts = event_new(base, proxy->listener, EV_READ | EV_PERSIST, proxy_accept, proxy);
    ck_assert_int_eq(event_add(proxy->accepts, NULL), 0);
}

static void proxy_close(struct proxy *proxy)
{
    proxy_cut(proxy);
    event_free(proxy->accepts);
    (void)close(proxy->listener);
}

/* libzmq loses what was in flight when it reconnects, and says nothing. */
START_TEST(nothing_is_lost_or_doubled_over_reconnects)
{
    struct proxy proxy;
    char endpoint[64];
    uint32_t said = 0;

    start_shard_at("tcp://127.0.0.1:*", 0xB1);
    proxy_open(&proxy, bus_endpoint(shard->bus));
    (void)snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%u", (unsigned)port_of(proxy.listener));
    start_gateway_to(endpoint, 0xA1);
    RUN_UNTIL(gateway->peers[0].is_up && shard->peers[0].is_up);

    for (unsigned cut = 1; cut <= 5; cut++) {
        for (size_t i = 0; i < 200; i++) {
            for (size_t j = 0; j < 5; j++, said++) {
                say(gateway, said);
                say(shard, said);
            }
            run_once(EVLOOP_NONBLOCK);
        }
        proxy_cut(&proxy);
        RUN_UNTIL(proxy.connections > cut);
    }
    RUN_UNTIL(has_heard(gateway, said) && has_heard(shard, said));
    ck_assert_uint_eq(gateway->peers[0].downs + shard->peers[0].downs, 0);
    ck_assert_uint_gt(bus_link(gateway->bus, 0)->stats.repeats + bus_link(shard->bus, 0)->stats.repeats, 0);
    proxy_close(&proxy);
}
END_TEST

/* ---- strangers ---- */

/* Another program that speaks ZeroMQ, and does with it what it likes. */
struct stranger {
    void *context;
    void *socket;
};

static void stranger_connect(struct stranger *stranger, const char *endpoint, const char *identity)
{
    int none = 0;

    stranger->context = zmq_ctx_new();
    stranger->socket = zmq_socket(stranger->context, ZMQ_DEALER);
    ck_assert_ptr_nonnull(stranger->socket);
    ck_assert_int_eq(zmq_setsockopt(stranger->socket, ZMQ_LINGER, &none, sizeof none), 0);
    if (identity != NULL)
        ck_assert_int_eq(zmq_setsockopt(stranger->socket, ZMQ_ROUTING_ID, identity, strlen(identity)), 0);
    ck_assert_int_eq(zmq_connect(stranger->socket, endpoint), 0);
}

static void stranger_leave(struct stranger *stranger)
{
    ck_assert_int_eq(zmq_close(stranger->socket), 0);
    ck_assert_int_eq(zmq_ctx_term(stranger->context), 0);
}

static void stranger_say(struct stranger *stranger, const void *data, size_t size, bool more)
{
    ck_assert_int_eq(zmq_send(stranger->socket, data, size, more ? ZMQ_SNDMORE : 0), (int)size);
}

START_TEST(garbage_is_counted_and_hurts_nobody)
{
    struct stranger stranger;
    uint8_t noise[300];

    meet_at(endpoint_of(kinds[_i]));
    stranger_connect(&stranger, bus_endpoint(shard->bus), NULL);
    memset(noise, 0xFF, sizeof noise);
    stranger_say(&stranger, noise, sizeof noise, false);
    stranger_say(&stranger, "one frame", 9, true);
    stranger_say(&stranger, "too many", 8, false);
    for (size_t i = 0; i < 20; i++)
        stranger_say(&stranger, "x", 1, i < 19);
    RUN_UNTIL(bus_stats(shard->bus).malformed == 3);

    /* An empty message is a batch of nobody. */
    stranger_say(&stranger, "", 0, false);
    RUN_UNTIL(bus_stats(shard->bus).refused == 1);

    say(gateway, 0);
    say(shard, 0);
    RUN_UNTIL(has_heard(gateway, 1) && has_heard(shard, 1));
    ck_assert_uint_eq(shard->peers[0].downs, 0);
    stranger_leave(&stranger);
}
END_TEST

START_TEST(a_message_that_is_too_large_ends_the_connection_it_came_over)
{
    struct stranger stranger;
    size_t size = LINK_MESSAGE_SIZE_MAX + 1;
    uint8_t *large = calloc(1, size);

    ck_assert_ptr_nonnull(large);
    meet_at("tcp://127.0.0.1:*");
    stranger_connect(&stranger, bus_endpoint(shard->bus), NULL);
    stranger_say(&stranger, large, size, false);
    run_for(200);
    ck_assert_uint_eq(bus_stats(shard->bus).malformed, 0);
    say(gateway, 0);
    RUN_UNTIL(has_heard(shard, 1));
    ck_assert_uint_eq(shard->peers[0].downs, 0);
    stranger_leave(&stranger);
    free(large);
}
END_TEST

START_TEST(a_connection_that_does_not_speak_zeromq_hurts_nobody)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fds[20];
    struct sockaddr_in address;

    meet_at("tcp://127.0.0.1:*");
    address = loopback((uint16_t)strtoul(strrchr(bus_endpoint(shard->bus), ':') + 1, NULL, 10));
    for (size_t i = 0; i < 20; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        ck_assert_int_eq(connect(fds[i], (struct sockaddr *)&address, sizeof address), 0);
        if (i % 2 == 0)
            ck_assert_int_eq(send(fds[i], request, sizeof request - 1, MSG_NOSIGNAL),
                             (int)sizeof request - 1);
    }
    run_for(50);
    say(gateway, 0);
    RUN_UNTIL(has_heard(shard, 1));
    for (size_t i = 0; i < 20; i++)
        (void)close(fds[i]);
}
END_TEST

static Bus__Batch hello(void)
{
    Bus__Batch batch = BUS__BATCH__INIT;

    batch.version = BUS_VERSION;
    batch.role = BUS__ROLE__ROLE_GATEWAY;
    batch.name = (char *)"gateway-2";
    batch.boot = 0xD1;
    batch.life = 1;
    return batch;
}

static Bus__Refused__Why answer_to(struct stranger *stranger, const Bus__Batch *batch)
{
    uint8_t bytes[1024];
    Bus__Batch *answer;
    Bus__Refused__Why why;
    int size = -1;

    stranger_say(stranger, bytes, bus__batch__pack(batch, bytes), false);
    RUN_UNTIL((size = zmq_recv(stranger->socket, bytes, sizeof bytes, ZMQ_DONTWAIT)) >= 0);
    answer = bus__batch__unpack(NULL, (size_t)size, bytes);
    ck_assert_ptr_nonnull(answer);
    why = answer->refused != NULL ? answer->refused->why : BUS__REFUSED__WHY__WHY_NONE;
    bus__batch__free_unpacked(answer, NULL);
    return why;
}

START_TEST(who_is_not_accepted_is_told_why)
{
    struct stranger stranger;
    Bus__Batch batch = hello();

    meet_at(ipc_endpoint);
    stranger_connect(&stranger, ipc_endpoint, NULL);
    batch.version = 2;
    ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_VERSION);
    batch = hello();
    batch.role = BUS__ROLE__ROLE_COORDINATOR;
    ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_ROLE);
    batch = hello();
    batch.name = (char *)"gateway 2";
    ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_NAME);
    batch = hello();
    batch.name = (char *)"gateway-1";
    ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_NAME_TAKEN);
    ck_assert_uint_eq(bus_stats(shard->bus).refused, 4);
    ck_assert_ptr_null(bus_link(shard->bus, 1));

    batch = hello();
    ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_NONE);
    ck_assert_ptr_nonnull(bus_link(shard->bus, 1));
    stranger_leave(&stranger);
}
END_TEST

START_TEST(more_names_than_there_is_room_for_push_out_those_that_never_came)
{
    struct stranger stranger;
    Bus__Batch batch = hello();
    char name[32];

    meet_at(ipc_endpoint);
    stranger_connect(&stranger, ipc_endpoint, NULL);
    for (unsigned i = 0; i < 2 * BUS_PEERS_MAX; i++) {
        (void)snprintf(name, sizeof name, "nobody-%u", i);
        batch.name = name;
        batch.boot++;
        ck_assert_int_eq(answer_to(&stranger, &batch), BUS__REFUSED__WHY__WHY_NONE);
    }
    ck_assert(shard->peers[0].is_up);
    say(shard, 0);
    RUN_UNTIL(has_heard(gateway, 1));
    stranger_leave(&stranger);
}
END_TEST

START_TEST(a_second_process_of_the_same_name_waits_while_the_first_lives)
{
    meet_at(ipc_endpoint);
    ck_assert(start(other, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA9, NULL, &no_curve));
    ck_assert(bus_connect(other->bus, BUS__ROLE__ROLE_SHARD, "shard-1", ipc_endpoint, error));
    for (uint32_t i = 0; i < 100; i++) {
        say(gateway, i);
        hurry_alive(100, shard, 0);
    }
    RUN_UNTIL(has_heard(shard, 100));
    ck_assert_uint_gt(bus_stats(shard->bus).refused, 5);
    ck_assert_uint_eq(other->peers[0].ups, 0);
    ck_assert_uint_eq(shard->peers[0].downs, 0);
    ck_assert_uint_eq(shard->peers[0].boot, 0xA1);

    stop(gateway);
    hurry(LINK_DEAD_MS);
    RUN_UNTIL(other->peers[0].is_up && shard->peers[0].boot == 0xA9);
}
END_TEST

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_IS_KEPT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_IS_KEPT 1
#endif
#endif
#ifndef MEMORY_IS_KEPT
#define MEMORY_IS_KEPT 0 /* by the sanitizer, which wants to know who uses it after it was freed */
#endif

/* Of the process, all threads. */
static size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    char line[128];
    char *pages;

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_int_eq(fclose(file), 0);
    pages = strchr(line, ' ');
    ck_assert_ptr_nonnull(pages);
    return (size_t)strtoul(pages, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static void connect_and_leave(unsigned round)
{
    void *context = zmq_ctx_new();
    char identity[32];
    int none = 0;

    ck_assert_ptr_nonnull(context);
    for (unsigned i = 0; i < 5; i++) {
        void *socket = zmq_socket(context, ZMQ_DEALER);

        (void)snprintf(identity, sizeof identity, "%u/%u", round, i);
        ck_assert_int_eq(zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none), 0);
        ck_assert_int_eq(zmq_setsockopt(socket, ZMQ_ROUTING_ID, identity, strlen(identity)), 0);
        ck_assert_int_eq(zmq_connect(socket, ipc_endpoint), 0);
        ck_assert_int_eq(zmq_send(socket, "", 0, 0), 0);
        ck_assert_int_eq(zmq_close(socket), 0);
    }
    ck_assert_int_eq(zmq_ctx_term(context), 0);
}

/* libzmq frees what belonged to a connection only when its socket is used. */
START_TEST(an_idle_socket_that_many_connect_to_does_not_grow)
{
    enum { WARM_UP = 100, ROUNDS = 1000 };
    size_t before = 0;

    start_shard_at(ipc_endpoint, 0xB1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round == WARM_UP)
            before = resident_bytes();
        connect_and_leave(round);
        run_once(EVLOOP_NONBLOCK);
    }
    run_for(2 * BUS_PUMP_MS);
    if (!MEMORY_IS_KEPT)
        ck_assert_uint_lt(resident_bytes(), before + (2 << 20));
    ck_assert_ptr_null(bus_link(shard->bus, 0));
}
END_TEST

/* ---- keys ---- */

struct pair {
    char public_key[BUS_KEY_TEXT_SIZE];
    char secret_key[BUS_KEY_TEXT_SIZE];
};

static struct pair server_pair;
static struct pair gateway_pair;
static struct pair stranger_pair;

static void make_pairs(void)
{
    ck_assert_int_eq(zmq_curve_keypair(server_pair.public_key, server_pair.secret_key), 0);
    ck_assert_int_eq(zmq_curve_keypair(gateway_pair.public_key, gateway_pair.secret_key), 0);
    ck_assert_int_eq(zmq_curve_keypair(stranger_pair.public_key, stranger_pair.secret_key), 0);
}

static void start_guarded_shard(void)
{
    static const char *keys[1];
    struct bus_curve curve = { .client_keys = keys, .client_key_count = 1 };

    make_pairs();
    keys[0] = gateway_pair.public_key;
    curve.server_secret_key = server_pair.secret_key;
    ck_assert_msg(start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "tcp://127.0.0.1:*", &curve), "%s",
                  error);
}

static void connect_with(const struct bus_curve *curve)
{
    ck_assert_msg(start(gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA1, NULL, curve), "%s", error);
    ck_assert_msg(
        bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", bus_endpoint(shard->bus), error), "%s",
        error);
}

START_TEST(a_known_key_may_connect)
{
    start_guarded_shard();
    connect_with(
        &(struct bus_curve){ .server_key = server_pair.public_key, .secret_key = gateway_pair.secret_key });
    RUN_UNTIL(gateway->peers[0].is_up && shard->peers[0].is_up);
    say(gateway, 0);
    say(shard, 0);
    RUN_UNTIL(has_heard(gateway, 1) && has_heard(shard, 1));
    ck_assert_uint_eq(bus_stats(shard->bus).denied, 0);
}
END_TEST

START_TEST(an_unknown_key_may_not)
{
    start_guarded_shard();
    connect_with(
        &(struct bus_curve){ .server_key = server_pair.public_key, .secret_key = stranger_pair.secret_key });
    RUN_UNTIL(bus_stats(shard->bus).denied > 0);
    run_for(100);
    ck_assert_uint_eq(bus_stats(shard->bus).messages_in, 0);
    ck_assert_ptr_null(bus_link(shard->bus, 0));
}
END_TEST

START_TEST(who_has_no_key_or_takes_another_server_for_ours_may_not_either)
{
    start_guarded_shard();
    if (_i == 0)
        connect_with(&no_curve);
    else
        connect_with(&(struct bus_curve){ .server_key = stranger_pair.public_key,
                                          .secret_key = gateway_pair.secret_key });
    run_for(300);
    ck_assert_uint_eq(bus_stats(shard->bus).messages_in, 0);
    ck_assert_uint_eq(gateway->peers[0].ups, 0);
}
END_TEST

/* ---- what cannot start ---- */

static const struct {
    const char *endpoint;
    bool is_local;
} endpoints[] = {
    { "ipc:///run/dlmp/bus", true },
    { "ipc://@dlmp", true },
    { "tcp://127.0.0.1:7800", true },
    { "tcp://127.200.0.9:*", true },
    { "tcp://localhost:7800", true },
    { "tcp://[::1]:7800", true },
    { "tcp://*:7800", false },
    { "tcp://0.0.0.0:7800", false },
    { "tcp://[::]:7800", false },
    { "tcp://10.0.0.1:7800", false },
    { "tcp://127.0.0.1.example.org:7800", false },
    { "tcp://localhost.example.org:7800", false },
    { "tcp://eth0:7800", false },
    { "tcp://127.0.0.1", false },
    { "tcp://10.0.0.1:0;127.0.0.1:7800", false },
    { "pgm://127.0.0.1:7800", false },
    { "", false },
};

START_TEST(an_endpoint_is_local_or_not)
{
    ck_assert_msg(bus_endpoint_is_local(endpoints[_i].endpoint) == endpoints[_i].is_local, "%s",
                  endpoints[_i].endpoint);
}
END_TEST

START_TEST(without_keys_only_local_endpoints_are_used)
{
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "tcp://0.0.0.0:7800", &no_curve));
    ck_assert_ptr_nonnull(strstr(error, "tcp://0.0.0.0:7800"));
    ck_assert_ptr_nonnull(strstr(error, "CURVE"));
    ck_assert(start(gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA1, NULL, &no_curve));
    ck_assert(!bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", "tcp://10.0.0.1:7800", error));
    ck_assert_ptr_nonnull(strstr(error, "CURVE"));
    ck_assert_ptr_null(bus_link(gateway->bus, 0));
}
END_TEST

START_TEST(an_endpoint_that_somebody_has_cannot_be_bound)
{
    start_shard_at(endpoint_of(kinds[_i]), 0xB1);
    ck_assert(!start(other, BUS__ROLE__ROLE_SHARD, "shard-2", 0xB2, bus_endpoint(shard->bus), &no_curve));
    ck_assert_ptr_nonnull(strstr(error, bus_endpoint(shard->bus)));
    start_gateway_to(bus_endpoint(shard->bus), 0xA1);
    RUN_UNTIL(gateway->peers[0].is_up);
}
END_TEST

START_TEST(what_a_dead_process_left_at_an_ipc_endpoint_is_no_hindrance)
{
    start_shard_at(ipc_endpoint, 0xB1);
    char kept[96];

    (void)snprintf(kept, sizeof kept, "%s.kept", ipc_endpoint + 6);
    ck_assert_int_eq(rename(ipc_endpoint + 6, kept), 0);
    stop(shard);
    ck_assert_int_eq(rename(kept, ipc_endpoint + 6), 0);
    meet_at(ipc_endpoint);
}
END_TEST

START_TEST(keys_that_are_wrong_or_missing_are_told)
{
    const char *bad_keys[] = { "short" };
    const char *good_keys[] = { gateway_pair.public_key };
    struct bus_curve curve;

    make_pairs();
    curve = (struct bus_curve){ .server_secret_key = "too short" };
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, ipc_endpoint, &curve));
    ck_assert_ptr_nonnull(strstr(error, "server secret key"));
    ck_assert_ptr_null(strstr(error, "too short"));

    curve = (struct bus_curve){ .server_secret_key = server_pair.secret_key };
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, ipc_endpoint, &curve));
    ck_assert_ptr_nonnull(strstr(error, "client key"));

    curve.client_keys = bad_keys;
    curve.client_key_count = 1;
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, ipc_endpoint, &curve));
    ck_assert_ptr_nonnull(strstr(error, "client key"));

    curve.client_keys = good_keys;
    curve.server_key = stranger_pair.public_key;
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, ipc_endpoint, &curve));
    ck_assert_ptr_nonnull(strstr(error, "pair"));

    curve = (struct bus_curve){ .secret_key = gateway_pair.secret_key };
    ck_assert(start(gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA1, NULL, &curve));
    ck_assert(!bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", "tcp://127.0.0.1:9", error));
    ck_assert_ptr_nonnull(strstr(error, "server key"));
}
END_TEST

START_TEST(names_and_endpoints_that_are_none_are_told)
{
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard one", 0xB1, ipc_endpoint, &no_curve));
    ck_assert_ptr_nonnull(strstr(error, "shard one"));
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "tcp://127.0.0.1:99999", &no_curve));
    ck_assert_ptr_nonnull(strstr(error, "99999"));
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "tcp://127.0.0.1", &no_curve));
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "", &no_curve));
    ck_assert(!start(shard, BUS__ROLE__ROLE_SHARD, "shard-1", 0xB1, "ipc:///nowhere/at/all", &no_curve));
    ck_assert_ptr_nonnull(strstr(error, "/nowhere"));
    ck_assert(start(gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA1, NULL, &no_curve));
    ck_assert(!bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "", ipc_endpoint, error));
    ck_assert(!bus_connect(gateway->bus, BUS__ROLE__ROLE_SHARD, "shard-1", "tcp://127.0.0.1:99999", error));
    ck_assert_ptr_null(bus_link(gateway->bus, 0));
    ck_assert_str_eq(bus_endpoint(gateway->bus), "");
}
END_TEST

static TCase *talk_tcase(void)
{
    TCase *tcase = tcase_create("talk");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, peers_meet_and_talk_both_ways, 0, 3);
    tcase_add_test(tcase, a_shard_has_peers_on_both_of_its_sides);
    tcase_add_test(tcase, connecting_twice_is_connecting_once);
    tcase_add_test(tcase, a_peer_may_be_bound_before_or_after_somebody_connects);
    tcase_add_test(tcase, a_peer_that_is_disconnected_is_down);
    tcase_add_test(tcase, a_message_of_many_items_is_one);
    tcase_add_test(tcase, the_largest_items_pass);
    tcase_add_loop_test(tcase, a_restarted_peer_is_another_and_hears_only_what_is_for_it, 0, 2);
    tcase_add_test(tcase, a_restarted_client_is_another);
    tcase_add_test(tcase, a_peer_that_stands_still_is_down_and_comes_back_with_all_that_was_said);
    tcase_add_test(tcase, a_process_that_was_stopped_does_not_take_its_peers_for_dead);
    tcase_add_test(tcase, a_backlog_over_the_mark_is_told_and_its_end_as_well);
    tcase_add_test(tcase, a_peer_that_stands_still_does_not_hold_up_the_others);
    tcase_add_test(tcase, nothing_is_lost_or_doubled_over_reconnects);
    return tcase;
}

static TCase *strangers_tcase(void)
{
    TCase *tcase = tcase_create("strangers");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, garbage_is_counted_and_hurts_nobody, 0, 2);
    tcase_add_test(tcase, a_message_that_is_too_large_ends_the_connection_it_came_over);
    tcase_add_test(tcase, a_connection_that_does_not_speak_zeromq_hurts_nobody);
    tcase_add_test(tcase, who_is_not_accepted_is_told_why);
    tcase_add_test(tcase, more_names_than_there_is_room_for_push_out_those_that_never_came);
    tcase_add_test(tcase, a_second_process_of_the_same_name_waits_while_the_first_lives);
    tcase_add_test(tcase, an_idle_socket_that_many_connect_to_does_not_grow);
    tcase_add_test(tcase, a_known_key_may_connect);
    tcase_add_test(tcase, an_unknown_key_may_not);
    tcase_add_loop_test(tcase, who_has_no_key_or_takes_another_server_for_ours_may_not_either, 0, 2);
    return tcase;
}

static TCase *start_tcase(void)
{
    TCase *tcase = tcase_create("start");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, an_endpoint_is_local_or_not, 0, sizeof endpoints / sizeof endpoints[0]);
    tcase_add_test(tcase, without_keys_only_local_endpoints_are_used);
    tcase_add_loop_test(tcase, an_endpoint_that_somebody_has_cannot_be_bound, 0, 2);
    tcase_add_test(tcase, what_a_dead_process_left_at_an_ipc_endpoint_is_no_hindrance);
    tcase_add_test(tcase, keys_that_are_wrong_or_missing_are_told);
    tcase_add_test(tcase, names_and_endpoints_that_are_none_are_told);
    return tcase;
}

Suite *bus_suite(void)
{
    Suite *suite = suite_create("bus");

    suite_add_tcase(suite, talk_tcase());
    suite_add_tcase(suite, strangers_tcase());
    suite_add_tcase(suite, start_tcase());
    return suite;
}
