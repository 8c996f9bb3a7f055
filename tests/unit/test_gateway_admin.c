/* The gateway's routes, over the loopback. What every process answers is tested with common/http. */
#include "gateway/admin.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

enum { ANSWER_MAX = 256 * 1024 };

static struct rig rig;
static struct event_base *base;
static struct net *net;
static struct gateway_admin admin;
static struct http *http;
static char text[ANSWER_MAX];

static void setup(void)
{
    const struct net_config config = { .address = "127.0.0.1" };

    rig_start(&rig);
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    net = net_open(&config, rig.gateway, base);
    ck_assert_ptr_nonnull(net);
    admin = (struct gateway_admin){ rig.gateway, net };
    http = gateway_admin_open("127.0.0.1", 0, &admin, base);
    ck_assert_ptr_nonnull(http);
}

static void teardown(void)
{
    http_close(&http);
    net_close(&net);
    event_base_free(base);
    rig_stop(&rig);
}

static const char *get(const char *path)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(http_port(http)) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    size_t size = 0;
    int length;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    length =
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
    ck_assert_int_eq(send(fd, text, (size_t)length, MSG_NOSIGNAL), length);
    while (size < sizeof text - 1) {
        ssize_t got = recv(fd, text + size, sizeof text - 1 - size, 0);

        if (got == 0)
            break;
        if (got > 0)
            size += (size_t)got;
        else
            ck_assert_int_ge(event_base_loop(base, EVLOOP_ONCE), 0);
    }
    text[size] = '\0';
    (void)close(fd);
    return text;
}

static bool answers(const char *path, int status)
{
    char line[32];

    (void)snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
    return strncmp(get(path), line, strlen(line)) == 0;
}

START_TEST(the_metrics_are_the_gateways_and_the_sockets_counts)
{
    const struct rig_client client = rig_client(1);

    rig_datagram(&rig, &client.address, "", 0);
    ck_assert(answers("/metrics", 200));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_datagrams_in_total 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "\ndlmp_gateway_sends_total 0\n"));
}
END_TEST

START_TEST(it_is_ready_when_clients_can_join)
{
    ck_assert(answers("/readyz", 200));
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    ck_assert(answers("/readyz", 503));
    ck_assert(answers("/healthz", 200));
}
END_TEST

START_TEST(a_players_refusals_are_told)
{
    struct rig_client client = rig_client(1);
    char path[64];

    rig_join(&rig, &client);
    rig_ack(&rig, &client, 99);
    (void)snprintf(path, sizeof path, "/api/refusals/%u", client.id);
    ck_assert(answers(path, 200));
    ck_assert_ptr_nonnull(
        strstr(text, "{\"refusals\":[{\"age_ms\":0,\"packet\":14,\"reason\":\"ack_ahead\"}]}\n"));
    ck_assert(answers("/api/refusals/77", 200));
    ck_assert_ptr_nonnull(strstr(text, "{\"refusals\":[]}\n"));
}
END_TEST

START_TEST(what_is_no_id_is_not_found)
{
    static const char *const wrong[] = { "", "x", "1x", "-1", "4294967296", "99999999999999999999" };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char path[64];

        (void)snprintf(path, sizeof path, "/api/refusals/%s", wrong[i]);
        ck_assert_msg(answers(path, 404), "%s", path);
    }
}
END_TEST

START_TEST(an_address_that_is_none_is_refused)
{
    ck_assert_ptr_null(gateway_admin_open("nowhere", 0, &admin, base));
}
END_TEST

Suite *gateway_admin_suite(void)
{
    Suite *suite = suite_create("gateway_admin");
    TCase *requests = tcase_create("requests");

    tcase_add_checked_fixture(requests, setup, teardown);
    tcase_add_test(requests, the_metrics_are_the_gateways_and_the_sockets_counts);
    tcase_add_test(requests, it_is_ready_when_clients_can_join);
    tcase_add_test(requests, a_players_refusals_are_told);
    tcase_add_test(requests, what_is_no_id_is_not_found);
    tcase_add_test(requests, an_address_that_is_none_is_refused);
    suite_add_tcase(suite, requests);
    return suite;
}
