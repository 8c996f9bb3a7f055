/* What the coordinator answers over HTTP: each route over a real socket on a free loopback port. */
#include "coordinator/admin.h"

#include <event2/event.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coordinator/metrics.h"
#include "tests/unit/coordinator_hall.h"
#include "tests/unit/suites.h"

enum { ANSWER_MAX = 64 * 1024 };

static struct hall hall;
static struct event_base *base;
static struct http *http;
static char answer[ANSWER_MAX]; /* the body */

static void setup(void)
{
    hall_start(&hall);
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    http = coordinator_admin_open("127.0.0.1", 0, hall.coordinator, base);
    ck_assert_ptr_nonnull(http);
}

static void teardown(void)
{
    http_close(&http);
    event_base_free(base);
    hall_stop(&hall);
}

/* Sends the request and gives the status; the body is in `answer`. */
static int ask(const char *method, const char *path, const char *body)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(http_port(http)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char request[4096];
    size_t size = 0;
    ssize_t got;
    char *end;
    int written = snprintf(request, sizeof request,
                           "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                           "Content-Length: %zu\r\n\r\n%s",
                           method, path, strlen(body), body);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    ck_assert_int_lt(written, (int)sizeof request);
    ck_assert_int_eq(send(fd, request, (size_t)written, 0), written);
    for (;;) {
        ck_assert_int_ge(event_base_loop(base, EVLOOP_NONBLOCK), 0);
        got = recv(fd, answer + size, sizeof answer - 1 - size, MSG_DONTWAIT);
        if (got == 0)
            break;
        if (got > 0)
            size += (size_t)got;
    }
    (void)close(fd);
    answer[size] = '\0';
    ck_assert_uint_gt(size, 12);

    int status = (int)strtol(answer + 9, &end, 10);
    const char *start = strstr(answer, "\r\n\r\n");
    ck_assert_ptr_nonnull(start);
    memmove(answer, start + 4, strlen(start + 4) + 1);
    return status;
}

static int post(const char *path, const char *body)
{
    return ask("POST", path, body);
}

/* The answer as JSON, for the caller to put. */
static struct json_object *get(const char *path)
{
    struct json_object *object;

    ck_assert_int_eq(ask("GET", path, ""), 200);
    object = json_tokener_parse(answer);
    ck_assert_ptr_nonnull(object);
    return object;
}

static struct json_object *member_of(struct json_object *object, const char *key)
{
    struct json_object *value;

    ck_assert_msg(json_object_object_get_ex(object, key, &value), "%s", key);
    return value;
}

static const char *text_of(struct json_object *object, const char *key)
{
    return json_object_get_string(member_of(object, key));
}

static int64_t number_of(struct json_object *object, const char *key)
{
    return json_object_get_int64(member_of(object, key));
}

/* The entry of the ban list that has this subject. */
static struct json_object *entry_of(struct json_object *lists, const char *subject)
{
    struct json_object *banned = member_of(lists, "banned");

    for (size_t i = 0; i < json_object_array_length(banned); i++) {
        struct json_object *entry = json_object_array_get_idx(banned, i);

        if (strcmp(text_of(entry, "subject"), subject) == 0)
            return entry;
    }
    ck_abort_msg("no entry %s", subject);
}

static size_t banned_count(void)
{
    return coordinator_stats(hall.coordinator)->bans;
}

/* ---- status ---- */

START_TEST(status_tells_processes_shards_gateways_redis_and_map)
{
    struct json_object *status;
    struct json_object *shard;
    struct json_object *gateway;

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    status = get("/api/status");
    ck_assert(json_object_get_boolean(member_of(status, "ready")));
    ck_assert_int_eq(number_of(status, "players"), 1);
    ck_assert_uint_eq(json_object_array_length(member_of(status, "processes")), 5);
    ck_assert_str_eq(text_of(json_object_array_get_idx(member_of(status, "processes"), 0), "role"),
                     "coordinator");
    shard = json_object_array_get_idx(member_of(status, "shards"), 1);
    ck_assert_str_eq(text_of(shard, "name"), "shard-2");
    ck_assert_str_eq(text_of(shard, "state"), "up");
    ck_assert_str_eq(text_of(shard, "slots"), "[ 1 ]");
    gateway = json_object_array_get_idx(member_of(status, "gateways"), 0);
    ck_assert_str_eq(text_of(gateway, "name"), "gateway-1");
    ck_assert_int_eq(number_of(gateway, "players"), 1);
    ck_assert(json_object_get_boolean(member_of(member_of(status, "redis"), "connected")));
    ck_assert_int_gt(number_of(member_of(status, "map"), "revision"), 0);
    ck_assert_uint_eq(json_object_array_length(member_of(member_of(status, "map"), "slots")), 2);
    json_object_put(status);
}
END_TEST

START_TEST(status_tells_that_redis_is_away_and_what_is_dead)
{
    struct json_object *status;

    hall_redis_down(&hall);
    hall_down(&hall, HALL_SHARD_2);
    hall_down(&hall, HALL_GATEWAY_2);
    status = get("/api/status");
    ck_assert(!json_object_get_boolean(member_of(member_of(status, "redis"), "connected")));
    ck_assert_int_gt(number_of(member_of(status, "redis"), "unsaved"), 0);
    ck_assert_str_eq(text_of(json_object_array_get_idx(member_of(status, "shards"), 1), "state"), "dead");
    ck_assert_str_eq(text_of(json_object_array_get_idx(member_of(status, "gateways"), 1), "state"), "lost");
    json_object_put(status);
}
END_TEST

START_TEST(status_counts_packets_a_second)
{
    Bus__GatewayState state = BUS__GATEWAY_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    struct json_object *status;
    struct json_object *gateway;

    item.item_case = BUS__ITEM__ITEM_GATEWAY_STATE;
    item.gateway_state = &state;
    state.packets_in = 1000;
    state.packets_out = 5000;
    hall_item(&hall, HALL_GATEWAY_1, &item);
    hall_pass(&hall, 2000);
    state.packets_in = 1300;
    state.packets_out = 9000;
    hall_item(&hall, HALL_GATEWAY_1, &item);
    status = get("/api/status");
    gateway = json_object_array_get_idx(member_of(status, "gateways"), 0);
    ck_assert_double_eq_tol(json_object_get_double(member_of(gateway, "packets_in_per_s")), 150, 0.01);
    ck_assert_double_eq_tol(json_object_get_double(member_of(gateway, "packets_out_per_s")), 2000, 0.01);
    json_object_put(status);
}
END_TEST

START_TEST(players_tells_everybody_who_is_here)
{
    struct json_object *object;
    struct json_object *player;

    hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1");
    hall_join(&hall, HALL_GATEWAY_2, "Bob", "2001:db8::1");
    object = get("/api/players");
    ck_assert_uint_eq(json_object_array_length(member_of(object, "players")), 2);
    player = json_object_array_get_idx(member_of(object, "players"), 1);
    ck_assert_int_eq(number_of(player, "id"), 1);
    ck_assert_str_eq(text_of(player, "name"), "Bob");
    ck_assert_str_eq(text_of(player, "address"), "2001:db8::1");
    ck_assert_str_eq(text_of(player, "gateway"), "gateway-2");
    ck_assert_str_eq(text_of(player, "shard"), "shard-2");
    json_object_put(object);
}
END_TEST

START_TEST(readiness_tells_what_is_missing)
{
    ck_assert_int_eq(ask("GET", "/readyz", ""), 200);
    hall_down(&hall, HALL_GATEWAY_1);
    hall_down(&hall, HALL_GATEWAY_2);
    ck_assert_int_eq(ask("GET", "/readyz", ""), 503);
    ck_assert_ptr_nonnull(strstr(answer, "no gateway is up"));
    ck_assert_int_eq(ask("GET", "/healthz", ""), 200);
}
END_TEST

START_TEST(metrics_count_what_happens)
{
    Bus__JoinRequest request = hall_request(&hall, "x", "10.0.0.1");

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    request.password_valid = false;
    hall_ask(&hall, HALL_GATEWAY_1, &request);
    ck_assert_int_eq(ask("GET", "/metrics", ""), 200);
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_coordinator_players 1\n"));
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_coordinator_joins_total{reason=\"accepted\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_coordinator_joins_total{reason=\"wrong_password\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_coordinator_store_connected 1\n"));
}
END_TEST

/* ---- commands ---- */

START_TEST(kick_takes_an_id_or_a_name)
{
    hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1");
    hall_join(&hall, HALL_GATEWAY_1, "Bob", "10.0.0.1");
    ck_assert_int_eq(post("/api/kick", "{\"player\": 0, \"text\": \"Bye.\"}"), 200);
    ck_assert_str_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->text, "Bye.");
    ck_assert_int_eq(post("/api/kick", "{\"name\": \"BOB\"}"), 200);
    ck_assert_uint_eq(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick->player->id, 1);
    ck_assert_int_eq(post("/api/kick", "{\"name\": \"carol\"}"), 404);
    ck_assert_int_eq(post("/api/kick", "{\"player\": 9}"), 404);
}
END_TEST

START_TEST(ban_and_unban_change_the_list)
{
    struct json_object *lists;

    ck_assert_int_eq(post("/api/ban", "{\"address\": \"10.1.2.3/8\", \"seconds\": 60, \"text\": \"Out.\"}"),
                     200);
    ck_assert_int_eq(post("/api/ban", "{\"name\": \"Alice\"}"), 200);
    ck_assert_int_eq(post("/api/ban", "{\"account\": 18446744073709551615}"), 200);
    lists = get("/api/bans");
    ck_assert_uint_eq(json_object_array_length(member_of(lists, "banned")), 3);
    ck_assert_int_eq(number_of(entry_of(lists, "address 10.0.0.0/8"), "seconds_left"), 60);
    ck_assert_str_eq(text_of(entry_of(lists, "address 10.0.0.0/8"), "text"), "Out.");
    ck_assert_ptr_null(member_of(entry_of(lists, "name alice"), "seconds_left"));
    json_object_put(lists);
    ck_assert_int_eq(post("/api/unban", "{\"address\": \"10.0.0.0/8\"}"), 200);
    ck_assert_int_eq(post("/api/unban", "{\"address\": \"10.0.0.0/8\"}"), 404);
    ck_assert_int_eq(post("/api/unban", "{\"name\": \"ALICE\"}"), 200);
    ck_assert_uint_eq(banned_count(), 1);
}
END_TEST

START_TEST(allow_and_disallow_change_the_other_list)
{
    struct json_object *lists;

    ck_assert_int_eq(post("/api/allow", "{\"name\": \"Alice\"}"), 200);
    lists = get("/api/bans");
    ck_assert_uint_eq(json_object_array_length(member_of(lists, "allowed")), 1);
    ck_assert_uint_eq(json_object_array_length(member_of(lists, "banned")), 0);
    json_object_put(lists);
    ck_assert_int_eq(post("/api/disallow", "{\"name\": \"alice\"}"), 200);
}
END_TEST

START_TEST(say_reaches_every_shard)
{
    ck_assert_int_eq(post("/api/say", "{\"text\": \"Restart in 5 minutes.\"}"), 200);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_BROADCAST), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_BROADCAST), 1);
}
END_TEST

START_TEST(an_order_for_a_resource_is_asked_about_by_its_number)
{
    Bus__ResourceReport report = BUS__RESOURCE_REPORT__INIT;
    Bus__ResourceState state = BUS__RESOURCE_STATE__INIT;
    Bus__ResourceState *states[] = { &state };
    Bus__Item item = BUS__ITEM__INIT;
    char name[] = "race";
    char error[] = "main.lua:3: \"no\"";

    ck_assert_int_eq(post("/api/resource", "{\"op\": \"reload\", \"name\": \"race\"}"), 200);
    ck_assert_str_eq(answer, "{\"order\":1}\n");
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_RESOURCE_ORDER), 1);
    ck_assert_int_eq(ask("GET", "/api/orders/1", ""), 200);
    ck_assert_str_eq(answer,
                     "{\"order\":1,\"op\":\"reload\",\"resource\":\"race\",\"done\":false,\"ok\":false,"
                     "\"shards\":[{\"shard\":\"shard-1\",\"state\":\"awaited\",\"error\":\"\"},"
                     "{\"shard\":\"shard-2\",\"state\":\"awaited\",\"error\":\"\"}]}\n");
    report.number = 1;
    report.refused = true;
    report.error = error;
    report.resources = states;
    report.n_resources = 1;
    state.name = name;
    state.stands = BUS__RESOURCE_STATE__STANDS__FAILED;
    state.error = error;
    item.item_case = BUS__ITEM__ITEM_RESOURCE_REPORT;
    item.resource_report = &report;
    hall_item(&hall, HALL_SHARD_1, &item);
    hall_down(&hall, HALL_SHARD_2);
    ck_assert_int_eq(ask("GET", "/api/orders/1", ""), 200);
    ck_assert_ptr_nonnull(strstr(answer, "\"done\":true,\"ok\":false"));
    ck_assert_ptr_nonnull(strstr(answer, "\"state\":\"failed\",\"error\":\"main.lua:3: \\\"no\\\"\""));
    ck_assert_ptr_nonnull(strstr(answer, "\"state\":\"gone\""));
    ck_assert_int_eq(ask("GET", "/api/resources", ""), 200);
    ck_assert_str_eq(answer, "{\"resources\":[{\"shard\":\"shard-1\",\"name\":\"race\",\"state\":\"failed\","
                             "\"error\":\"main.lua:3: \\\"no\\\"\"}],\"wishes\":[]}\n");
}
END_TEST

START_TEST(an_order_that_nobody_can_carry_out_is_refused)
{
    static const char *const numbers[] = { "1", "", "0", "x", "-1", "01", "1/2", "18446744073709551616" };
    char path[64];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        (void)snprintf(path, sizeof path, "/api/orders/%s", numbers[i]);
        ck_assert_msg(ask("GET", path, "") == 404, "%s", path);
    }
    hall_down(&hall, HALL_SHARD_1);
    hall_down(&hall, HALL_SHARD_2);
    ck_assert_int_eq(post("/api/resource", "{\"op\": \"start\", \"name\": \"race\"}"), 409);
    ck_assert_ptr_nonnull(strstr(answer, "no shard is up"));
}
END_TEST

static const struct refusal {
    const char *path;
    const char *body;
} refusals[] = {
    { "/api/kick", "" },
    { "/api/kick", "{}" },
    { "/api/kick", "[]" },
    { "/api/kick", "{\"player\": 0, \"name\": \"a\"}" },
    { "/api/kick", "{\"player\": -1}" },
    { "/api/kick", "{\"player\": 1.5}" },
    { "/api/kick", "{\"player\": \"0\"}" },
    { "/api/kick", "{\"player\": 131072}" },
    { "/api/kick", "{\"player\": 0, \"player\": 1}" },
    { "/api/kick", "{\"player\": 0} x" },
    { "/api/kick", "{\"player\": 0, \"reason\": 2}" },
    { "/api/kick", "{\"player\": 0, \"text\": \"a\\nb\"}" },
    { "/api/kick", "{\"player\": 0, \"text\": \"a\\u0000b\"}" },
    { "/api/ban", "{}" },
    { "/api/ban", "{\"player\": 0}" },
    { "/api/ban", "{\"address\": \"10.0.0.0/33\"}" },
    { "/api/ban", "{\"address\": \"everywhere\"}" },
    { "/api/ban", "{\"address\": \"10.0.0.1\", \"name\": \"a\"}" },
    { "/api/ban", "{\"name\": \"two words\"}" },
    { "/api/ban", "{\"name\": \"\"}" },
    { "/api/ban", "{\"account\": 0}" },
    { "/api/ban", "{\"account\": -1}" },
    { "/api/ban", "{\"account\": 18446744073709551616}" },
    { "/api/ban", "{\"name\": \"a\", \"seconds\": 0}" },
    { "/api/ban", "{\"name\": \"a\", \"seconds\": -5}" },
    { "/api/ban", "{\"name\": \"a\", \"seconds\": 1e9}" },
    { "/api/ban", "{\"name\": \"a\", \"seconds\": 99999999999}" },
    { "/api/ban", "{\"name\": \"a\", \"text\": \"a\\tb\"}" },
    { "/api/unban", "{\"name\": \"a\", \"text\": \"\"}" },
    { "/api/say", "{}" },
    { "/api/say", "{\"text\": \"\"}" },
    { "/api/say", "{\"text\": 5}" },
    { "/api/say", "{\"text\": \"a\\nb\"}" },
    { "/api/resource", "{}" },
    { "/api/resource", "{\"op\": \"start\"}" },
    { "/api/resource", "{\"name\": \"race\"}" },
    { "/api/resource", "{\"op\": \"hop\", \"name\": \"race\"}" },
    { "/api/resource", "{\"op\": \"\", \"name\": \"race\"}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": \"\"}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": \"../race\"}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": \"Race\"}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": \"race\\u0000x\"}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": 5}" },
    { "/api/resource", "{\"op\": \"start\", \"name\": \"race\", \"text\": \"\"}" },
    { "/api/kick", "{\"player\": 0, \"op\": \"start\"}" },
};

START_TEST(a_body_that_is_not_right_is_refused_and_changes_nothing)
{
    const struct refusal *refusal = &refusals[_i];

    hall_join(&hall, HALL_GATEWAY_1, "alice", "10.0.0.1");
    hall_forget(&hall);
    ck_assert_msg(post(refusal->path, refusal->body) == 400, "%s %s", refusal->path, refusal->body);
    ck_assert_ptr_nonnull(strstr(answer, "{\"error\":\""));
    ck_assert_uint_eq(banned_count(), 0);
    ck_assert_uint_eq(coordinator_outbox(hall.coordinator)->count, 0);
}
END_TEST

START_TEST(a_command_is_no_question)
{
    ck_assert_int_eq(ask("GET", "/api/kick", ""), 405);
    ck_assert_int_eq(post("/api/status", "{}"), 405);
    ck_assert_int_eq(ask("GET", "/api/nothing", ""), 404);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

Suite *coordinator_admin_suite(void)
{
    Suite *suite = suite_create("coordinator_admin");
    TCase *tcase = tcase_create("admin");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, status_tells_processes_shards_gateways_redis_and_map);
    tcase_add_test(tcase, status_tells_that_redis_is_away_and_what_is_dead);
    tcase_add_test(tcase, status_counts_packets_a_second);
    tcase_add_test(tcase, players_tells_everybody_who_is_here);
    tcase_add_test(tcase, readiness_tells_what_is_missing);
    tcase_add_test(tcase, metrics_count_what_happens);
    tcase_add_test(tcase, kick_takes_an_id_or_a_name);
    tcase_add_test(tcase, ban_and_unban_change_the_list);
    tcase_add_test(tcase, allow_and_disallow_change_the_other_list);
    tcase_add_test(tcase, say_reaches_every_shard);
    tcase_add_test(tcase, an_order_for_a_resource_is_asked_about_by_its_number);
    tcase_add_test(tcase, an_order_that_nobody_can_carry_out_is_refused);
    tcase_add_loop_test(tcase, a_body_that_is_not_right_is_refused_and_changes_nothing, 0, COUNT(refusals));
    tcase_add_test(tcase, a_command_is_no_question);
    suite_add_tcase(suite, tcase);
    return suite;
}
