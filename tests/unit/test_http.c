/* The admin server, over the loopback. The clients are plain sockets in the same process. */
#include "common/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/suites.h"

enum { CAP = 4, REQUEST_MS = 300, PATIENCE_MS = 5000, ANSWER_MAX = 256 * 1024 };

static struct event_base *base;
static struct http *http;
static bool is_ready;
static int context; /* its address is what handlers must be handed */

static struct {
    int calls;
    char body[HTTP_BODY_MAX + 1];
    char rest[64];
    char query[64];
    char from[64];
} got;

static char answer[ANSWER_MAX];

/* ---- a process with an admin server */

static bool process_is_ready(void *of, FILE *why)
{
    ck_assert_ptr_eq(of, &context);
    fputs("the \"shards\" are missing", why);
    return is_ready;
}

static void process_print_metrics(void *of, FILE *out)
{
    ck_assert_ptr_eq(of, &context);
    fputs("dlmp_test_things 42\n", out);
}

static void handle_thing(void *of, const struct http_request *request, struct http_reply *reply)
{
    ck_assert_ptr_eq(of, &context);
    got.calls++;
    ck_assert_uint_lt(request->body.size, sizeof got.body);
    memcpy(got.body, request->body.data, request->body.size + 1);
    (void)snprintf(got.rest, sizeof got.rest, "%s", request->rest);
    (void)snprintf(got.query, sizeof got.query, "%s", request->query);
    (void)snprintf(got.from, sizeof got.from, "%s", request->from);
    fputs("{\"thing\":1}\n", reply->body);
}

static void handle_refusal(void *of, const struct http_request *request, struct http_reply *reply)
{
    (void)of;
    (void)request;
    fputs("half an ans", reply->body);
    http_fail(reply, 409, "not \"%s\"\n", "now");
}

static const struct http_route routes[] = {
    { HTTP_GET, "/api/thing", handle_thing },
    { HTTP_POST, "/api/thing", handle_thing },
    { HTTP_POST, "/api/refused", handle_refusal },
    { HTTP_GET, "/api/players/*", handle_thing },
    { .path = NULL },
};

static void setup(void)
{
    const struct http_config config = {
        .address = "127.0.0.1",
        .context = &context,
        .is_ready = process_is_ready,
        .print_metrics = process_print_metrics,
        .routes = routes,
        .connections_max = CAP,
        .request_ms = REQUEST_MS,
    };

    memset(&got, 0, sizeof got);
    is_ready = true;
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    http = http_open(&config, base);
    ck_assert_ptr_nonnull(http);
}

static void teardown(void)
{
    http_close(&http);
    event_base_free(base);
}

/* ---- clients */

static int open_client(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(http_port(http)) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_ge(fd, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void send_text(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN)
            return; /* the server has heard enough */
        if (sent > 0) {
            text += sent;
            size -= (size_t)sent;
        }
        ck_assert_int_ge(event_base_loop(base, EVLOOP_NONBLOCK), 0);
    }
}

/* Runs the server until it has closed the connection, or for so long. True: it has closed it. */
static bool read_to_the_end(int fd, uint64_t patience_ms)
{
    uint64_t until_ms = clock_ms() + patience_ms;
    size_t size = 0;

    while (clock_ms() < until_ms) {
        struct pollfd readable = { .fd = fd, .events = POLLIN };
        ssize_t received;

        ck_assert_int_ge(event_base_loop(base, EVLOOP_NONBLOCK), 0);
        if (poll(&readable, 1, 1) == 0)
            continue;
        received = recv(fd, answer + size, sizeof answer - 1 - size, MSG_DONTWAIT);
        if (received <= 0) {
            answer[size] = '\0';
            return true;
        }
        size += (size_t)received;
    }
    answer[size] = '\0';
    return false;
}

static int status_of_answer(void)
{
    ck_assert_msg(strncmp(answer, "HTTP/1.", 7) == 0, "%s", answer);
    return (int)strtol(answer + 9, NULL, 10);
}

static const char *body_of_answer(void)
{
    const char *body = strstr(answer, "\r\n\r\n");

    ck_assert_ptr_nonnull(body);
    return body + 4;
}

static int ask(const char *request)
{
    int fd = open_client();

    send_text(fd, request, strlen(request));
    ck_assert(read_to_the_end(fd, PATIENCE_MS));
    close(fd);
    return status_of_answer();
}

static int get(const char *path)
{
    char request[512];

    (void)snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
    return ask(request);
}

static int post_as(const char *host, const char *content_type, const char *path, const char *body)
{
    char request[512];

    (void)snprintf(request, sizeof request,
                   "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s", path,
                   host, content_type, strlen(body), body);
    return ask(request);
}

/* ---- what every process has */

START_TEST(a_process_tells_that_it_is_alive)
{
    ck_assert_int_eq(get("/healthz"), 200);
    ck_assert_str_eq(body_of_answer(), "{\"alive\":true}\n");
}
END_TEST

START_TEST(a_process_tells_whether_it_is_ready)
{
    ck_assert_int_eq(get("/readyz"), 200);
    is_ready = false;
    ck_assert_int_eq(get("/readyz"), 503);
    ck_assert_str_eq(body_of_answer(), "{\"error\":\"the \\\"shards\\\" are missing\"}\n");
}
END_TEST

START_TEST(metrics_are_the_server_s_and_the_process_own)
{
    ck_assert_int_eq(get("/metrics"), 200);
    ck_assert_ptr_nonnull(strstr(answer, "Content-Type: text/plain; version=0.0.4"));
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_admin_requests_total 1\n"));
    ck_assert_ptr_nonnull(strstr(answer, "\nprocess_resident_memory_bytes "));
    ck_assert_ptr_nonnull(strstr(answer, "\ndlmp_test_things 42\n"));
}
END_TEST

START_TEST(a_server_without_routes_still_tells_its_health)
{
    const struct http_config config = { .address = "127.0.0.1" };

    http_close(&http);
    http = http_open(&config, base);
    ck_assert_ptr_nonnull(http);
    ck_assert_int_eq(get("/readyz"), 200);
    ck_assert_int_eq(get("/metrics"), 200);
    ck_assert_int_eq(get("/api/thing"), 404);
}
END_TEST

/* ---- routes */

START_TEST(a_request_reaches_its_route)
{
    ck_assert_int_eq(get("/api/thing?a=1&b=%20"), 200);
    ck_assert_str_eq(body_of_answer(), "{\"thing\":1}\n");
    ck_assert_ptr_nonnull(strstr(answer, "Content-Type: application/json\r\n"));
    ck_assert_ptr_nonnull(strstr(answer, "Connection: close\r\n"));
    ck_assert_str_eq(got.query, "a=1&b=%20");
    ck_assert_str_eq(got.body, "");
    ck_assert_str_eq(got.from, "127.0.0.1");
}
END_TEST

START_TEST(a_route_with_a_star_is_told_the_rest)
{
    ck_assert_int_eq(get("/api/players/17/log"), 200);
    ck_assert_str_eq(got.rest, "17/log");
}
END_TEST

START_TEST(a_body_reaches_its_route)
{
    ck_assert_int_eq(post_as("localhost", "application/json", "/api/thing", "{\"id\":17}"), 200);
    ck_assert_str_eq(got.body, "{\"id\":17}");
}
END_TEST

START_TEST(a_head_is_answered_without_a_body)
{
    ck_assert_int_eq(ask("HEAD /api/thing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 200);
    ck_assert_str_eq(body_of_answer(), "");
    ck_assert_int_eq(got.calls, 1);
}
END_TEST

START_TEST(an_unknown_path_is_not_found)
{
    static const char *const paths[] = { "/",         "/api",       "/api/thing/", "/api/players",
                                         "/healthz/", "/api//thing" };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        ck_assert_msg(get(paths[i]) == 404, "%s", paths[i]);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(a_wrong_method_is_told_the_right_ones)
{
    ck_assert_int_eq(ask("DELETE /api/thing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 405);
    ck_assert_ptr_nonnull(strstr(answer, "Allow: GET, HEAD, POST\r\n"));
    ck_assert_int_eq(post_as("127.0.0.1", "application/json", "/readyz", "{}"), 405);
    ck_assert_ptr_nonnull(strstr(answer, "Allow: GET, HEAD\r\n"));
    ck_assert_int_eq(ask("OPTIONS /api/thing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 405);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(a_refusal_replaces_what_was_written_before)
{
    ck_assert_int_eq(post_as("127.0.0.1", "application/json; charset=utf-8", "/api/refused", "{}"), 409);
    ck_assert_str_eq(body_of_answer(), "{\"error\":\"not \\\"now\\\"\\u000a\"}\n");
}
END_TEST

START_TEST(any_text_becomes_json_that_reads_back)
{
    static const char text[] = "a\"b\\c\x01\n\t\x7F\xC3\xA9</script>";
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    struct json_object *back;

    ck_assert_ptr_nonnull(out);
    http_put_text(out, text);
    ck_assert_int_eq(fclose(out), 0);
    back = json_tokener_parse(json);
    ck_assert_str_eq(json_object_get_string(back), text);
    json_object_put(back);
    free(json);
}
END_TEST

/* ---- what other people's pages make a browser send */

START_TEST(a_form_of_a_foreign_page_changes_nothing)
{
    static const char *const types[] = { "text/plain", "application/x-www-form-urlencoded",
                                         "application/jsonp", "multipart/form-data" };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        ck_assert_msg(post_as("127.0.0.1", types[i], "/api/thing", "{}") == 415, "%s", types[i]);
    ck_assert_int_eq(ask("POST /api/thing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}"), 415);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(a_domain_that_was_pointed_here_changes_nothing)
{
    ck_assert_int_eq(post_as("evil.example:8080", "application/json", "/api/thing", "{}"), 403);
    ck_assert_int_eq(post_as("127.0.0.1.evil.example", "application/json", "/api/thing", "{}"), 403);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(this_server_may_be_named_in_several_ways)
{
    static const char *const hosts[] = { "127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost",
                                         "coordinator:8080" };

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        ck_assert_msg(post_as(hosts[i], "application/json", "/api/thing", "{}") == 200, "%s", hosts[i]);
}
END_TEST

/* ---- limits */

/* Sends `head`, then filler, then `tail`; the status, 0 when the connection was closed without an answer. */
static int ask_long(const char *head, size_t filler, const char *tail)
{
    char *request = malloc(strlen(head) + filler + strlen(tail) + 1);
    int fd = open_client();
    size_t size = strlen(head);

    ck_assert_ptr_nonnull(request);
    memcpy(request, head, size);
    memset(request + size, 'a', filler);
    memcpy(request + size + filler, tail, strlen(tail) + 1);
    send_text(fd, request, strlen(request));
    ck_assert(read_to_the_end(fd, PATIENCE_MS));
    free(request);
    close(fd);
    return answer[0] == '\0' ? 0 : status_of_answer();
}

START_TEST(a_body_may_be_as_long_as_the_limit_and_no_longer)
{
    char head[256];

    (void)snprintf(head, sizeof head,
                   "POST /api/thing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Content-Length: %d\r\n\r\n",
                   HTTP_BODY_MAX);
    ck_assert_int_eq(ask_long(head, HTTP_BODY_MAX, ""), 200);
    ck_assert_uint_eq(strlen(got.body), HTTP_BODY_MAX);
    (void)snprintf(head, sizeof head,
                   "POST /api/thing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   "Content-Length: %d\r\n\r\n",
                   HTTP_BODY_MAX + 1);
    ck_assert_int_eq(ask_long(head, 0, ""), 413);
    ck_assert_int_eq(got.calls, 1);
}
END_TEST

START_TEST(a_body_in_chunks_has_the_same_limit)
{
    static const char head[] =
        "POST /api/thing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n20000\r\n";

    ck_assert_int_ne(ask_long(head, 0x20000, "\r\n0\r\n\r\n"), 200);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(a_head_that_is_too_long_is_refused)
{
    int status =
        ask_long("GET /api/thing HTTP/1.1\r\nHost: localhost\r\nX-Filler: ", HTTP_HEAD_MAX, "\r\n\r\n");

    ck_assert_msg(status == 400 || status == 413 || status == 0, "%d", status);
    status = ask_long("GET /", HTTP_HEAD_MAX, " HTTP/1.1\r\n\r\n");
    ck_assert_msg(status == 400 || status == 413 || status == 0, "%d", status);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(what_is_no_http_is_refused)
{
    static const char *const nonsense[] = { "\r\n\r\n",
                                            "hello\r\n\r\n",
                                            "GET\r\n\r\n",
                                            "FOO / HTTP/1.1\r\n\r\n",
                                            "GET /api/thing HTTP/9.9\r\n\r\n",
                                            "\x16\x03\x01\x02\r\n\r\n" };

    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        int fd = open_client();

        send_text(fd, nonsense[i], strlen(nonsense[i]));
        ck_assert_msg(read_to_the_end(fd, PATIENCE_MS), "%s", nonsense[i]);
        ck_assert_msg(strncmp(answer, "HTTP/1.1 200", 12) != 0, "%s", nonsense[i]);
        close(fd);
    }
    ck_assert_int_eq(get("/healthz"), 200);
    ck_assert_int_eq(got.calls, 0);
}
END_TEST

START_TEST(a_connection_over_the_cap_is_closed_at_once)
{
    int idle[CAP];
    int fd;

    for (size_t i = 0; i < CAP; i++)
        idle[i] = open_client();
    fd = open_client();
    ck_assert(read_to_the_end(fd, REQUEST_MS / 3)); /* long before any timeout */
    ck_assert_str_eq(answer, "");
    ck_assert_uint_eq(http_stats(http)->connections, CAP);
    ck_assert_uint_eq(http_stats(http)->refused, 1);
    close(fd);
    for (size_t i = 0; i < CAP; i++)
        close(idle[i]);
}
END_TEST

/* The clients do not wait for anything: what the server does is up to the server. */
START_TEST(a_flood_of_connections_holds_no_more_than_the_cap)
{
    enum { FLOOD = 300 };
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(http_port(http)) };
    uint64_t until_ms = clock_ms() + PATIENCE_MS;
    uint64_t refused = 0;
    int fds[FLOOD];

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < FLOOD; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        ck_assert(connect(fds[i], (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS);
    }
    while (refused < FLOOD - CAP && clock_ms() < until_ms) {
        ck_assert_int_ge(event_base_loop(base, EVLOOP_ONCE), 0);
        ck_assert_uint_le(http_stats(http)->refused - refused, 16); /* then it is the game's turn */
        ck_assert_uint_le(http_stats(http)->connections, CAP);
        refused = http_stats(http)->refused;
    }
    ck_assert_uint_ge(refused, FLOOD - CAP - CAP); /* idle ones may have been closed and replaced meanwhile */
    for (size_t i = 0; i < FLOOD; i++)
        close(fds[i]);
}
END_TEST

START_TEST(a_place_that_was_given_up_is_taken_again)
{
    int idle[CAP];

    for (size_t i = 0; i < CAP; i++)
        idle[i] = open_client();
    for (size_t i = 0; i < CAP; i++) {
        close(idle[i]);
        ck_assert_int_ge(event_base_loop(base, EVLOOP_NONBLOCK), 0);
    }
    for (int i = 0; i < 3 * CAP; i++) { /* the first may still find the door closed */
        int fd = open_client();

        send_text(fd, "GET /healthz HTTP/1.0\r\n\r\n", 25);
        ck_assert(read_to_the_end(fd, PATIENCE_MS));
        ck_assert(i == 0 || status_of_answer() == 200);
        close(fd);
    }
}
END_TEST

START_TEST(an_idle_connection_is_closed_in_time)
{
    uint64_t started_ms = clock_ms();
    int fd = open_client();

    ck_assert(read_to_the_end(fd, PATIENCE_MS));
    ck_assert_uint_ge(clock_ms() - started_ms, REQUEST_MS - 10);
    ck_assert_uint_lt(clock_ms() - started_ms, REQUEST_MS + 1000);
    close(fd);
}
END_TEST

/* Each byte starts the usual timeout anew; the request as a whole has one as well. */
START_TEST(a_request_that_drips_is_closed_in_time)
{
    uint64_t started_ms = clock_ms();
    int fd = open_client();

    send_text(fd, "GET /", 5);
    while (!read_to_the_end(fd, REQUEST_MS / 4)) {
        ck_assert_uint_lt(clock_ms() - started_ms, PATIENCE_MS);
        send_text(fd, "a", 1);
    }
    ck_assert_uint_lt(clock_ms() - started_ms, REQUEST_MS + 1000);
    ck_assert_uint_eq(http_stats(http)->timeouts, 1);
    close(fd);
}
END_TEST

START_TEST(a_second_request_of_a_connection_is_not_answered)
{
    ck_assert_int_eq(ask("GET /api/thing HTTP/1.1\r\nHost: localhost\r\n\r\n"
                         "GET /api/thing HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                     200);
    ck_assert_int_eq(got.calls, 1);
}
END_TEST

/* ---- opening */

START_TEST(an_address_in_use_cannot_be_listened_on)
{
    const struct http_config config = { .address = "127.0.0.1", .port = http_port(http) };

    ck_assert_ptr_null(http_open(&config, base));
}
END_TEST

START_TEST(what_is_no_address_cannot_be_listened_on)
{
    const struct http_config config = { .address = "localhost" };

    ck_assert_ptr_null(http_open(&config, base));
}
END_TEST

START_TEST(it_listens_on_an_ipv6_address)
{
    const struct http_config config = { .address = "::1" };
    struct http *second = http_open(&config, base);

    ck_assert_ptr_nonnull(second);
    ck_assert_uint_ne(http_port(second), 0);
    http_close(&second);
    ck_assert_ptr_null(second);
}
END_TEST

START_TEST(it_closes_with_connections_open)
{
    int fd = open_client();

    ck_assert_int_ge(event_base_loop(base, EVLOOP_NONBLOCK), 0);
    http_close(&http);
    ck_assert(read_to_the_end(fd, PATIENCE_MS));
    close(fd);
}
END_TEST

Suite *http_suite(void)
{
    Suite *suite = suite_create("http");
    TCase *tcase = tcase_create("requests");
    TCase *limits = tcase_create("limits");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_process_tells_that_it_is_alive);
    tcase_add_test(tcase, a_process_tells_whether_it_is_ready);
    tcase_add_test(tcase, metrics_are_the_server_s_and_the_process_own);
    tcase_add_test(tcase, a_server_without_routes_still_tells_its_health);
    tcase_add_test(tcase, a_request_reaches_its_route);
    tcase_add_test(tcase, a_route_with_a_star_is_told_the_rest);
    tcase_add_test(tcase, a_body_reaches_its_route);
    tcase_add_test(tcase, a_head_is_answered_without_a_body);
    tcase_add_test(tcase, an_unknown_path_is_not_found);
    tcase_add_test(tcase, a_wrong_method_is_told_the_right_ones);
    tcase_add_test(tcase, a_refusal_replaces_what_was_written_before);
    tcase_add_test(tcase, any_text_becomes_json_that_reads_back);
    tcase_add_test(tcase, a_form_of_a_foreign_page_changes_nothing);
    tcase_add_test(tcase, a_domain_that_was_pointed_here_changes_nothing);
    tcase_add_test(tcase, this_server_may_be_named_in_several_ways);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(limits, setup, teardown);
    tcase_add_test(limits, a_body_may_be_as_long_as_the_limit_and_no_longer);
    tcase_add_test(limits, a_body_in_chunks_has_the_same_limit);
    tcase_add_test(limits, a_head_that_is_too_long_is_refused);
    tcase_add_test(limits, what_is_no_http_is_refused);
    tcase_add_test(limits, a_connection_over_the_cap_is_closed_at_once);
    tcase_add_test(limits, a_flood_of_connections_holds_no_more_than_the_cap);
    tcase_add_test(limits, a_place_that_was_given_up_is_taken_again);
    tcase_add_test(limits, an_idle_connection_is_closed_in_time);
    tcase_add_test(limits, a_request_that_drips_is_closed_in_time);
    tcase_add_test(limits, a_second_request_of_a_connection_is_not_answered);
    tcase_add_test(limits, an_address_in_use_cannot_be_listened_on);
    tcase_add_test(limits, what_is_no_address_cannot_be_listened_on);
    tcase_add_test(limits, it_listens_on_an_ipv6_address);
    tcase_add_test(limits, it_closes_with_connections_open);
    suite_add_tcase(suite, limits);
    return suite;
}
