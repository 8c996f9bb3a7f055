#include "bots/swarm.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

enum { BOTS_MAX = 64, WAITING_MAX = 4096 };

/* A server that lets everybody in, spawns them and relays nothing. */
static struct {
    struct swarm *swarm;
    uint64_t now_ms;
    uint32_t last_token;
    uint32_t reject_from; /* bots from this number on are rejected */
    uint32_t hellos;
    uint32_t byes;
    uint32_t reopened;
    uint64_t first_hello_ms;
    uint64_t last_hello_ms;
    uint64_t chats;
    uint32_t event_ids[BOTS_MAX];
    size_t waiting_count;
    struct waiting {
        uint32_t bot;
        uint16_t size;
        uint8_t data[WIRE_PACKET_SIZE_MAX];
    } waiting[WAITING_MAX];
} server;

static void say(uint32_t bot, const struct wire_packet *packet, const void *value)
{
    struct waiting *waiting = &server.waiting[server.waiting_count++];

    ck_assert_uint_le(server.waiting_count, WAITING_MAX);
    waiting->bot = bot;
    waiting->size = (uint16_t)packet->put(value, waiting->data, sizeof waiting->data);
    if (packet->event_id_at != 0)
        store_u32(waiting->data + packet->event_id_at, ++server.event_ids[bot]);
}

static void on_hello(uint32_t bot, const struct wire_client_hello *hello)
{
    server.hellos++;
    server.last_hello_ms = server.now_ms;
    if (server.first_hello_ms == 0)
        server.first_hello_ms = server.now_ms;
    if (bot >= server.reject_from) {
        say(bot, &wire_connect_reject_packet,
            &(struct wire_connect_reject){ .client_nonce = hello->client_nonce, .reason = 1 });
        return;
    }
    server.event_ids[bot] = 0;
    say(bot, &wire_server_hello_packet,
        &(struct wire_server_hello){ .client_nonce = hello->client_nonce,
                                     .session_token = 1000 + bot,
                                     .player_id = ++server.last_token,
                                     .player_token = server.last_token,
                                     .max_players = 1000,
                                     .heartbeat_ms = 100 });
}

static uint64_t on_send(void *context, uint32_t bot, struct span datagram)
{
    struct wire_client_hello hello;
    struct wire_error error;

    (void)context;
    switch (datagram.data[0]) {
    case PACKET_CLIENT_HELLO:
        ck_assert(wire_client_hello_decode(&hello, datagram.data, datagram.size, &error));
        on_hello(bot, &hello);
        break;
    case PACKET_REQUEST_SPAWN:
        say(bot, &wire_server_ack_packet, &(struct wire_server_ack){ .ack = 1 });
        say(bot, &wire_spawn_player_packet,
            &(struct wire_spawn_player){ .life = 1, .pos = { 40, 50, 3 }, .virtual_world = bot % 2 });
        break;
    case PACKET_CLIENT_BYE:
        server.byes++;
        break;
    case PACKET_CLIENT_CHAT:
        server.chats++;
        break;
    default:
        break;
    }
    return server.now_ms * 1000000;
}

static void on_reopen(void *context, uint32_t bot)
{
    (void)context;
    (void)bot;
    server.reopened++;
}

static const struct swarm_io io = { .send = on_send, .reopen = on_reopen };

static struct swarm_config config(uint32_t bots)
{
    return (struct swarm_config){ .bots = bots,
                                  .joins_per_s = 100,
                                  .time_ms = 5000,
                                  .seed = 1,
                                  .frames_per_s = 30,
                                  .shares = { [BEHAVIOUR_WALK] = 1 },
                                  .neighbours = 5,
                                  .name = "bot",
                                  .password = "" };
}

static void start(const struct swarm_config *wanted)
{
    memset(&server, 0, sizeof server);
    server.now_ms = 1000;
    server.reject_from = UINT32_MAX;
    server.swarm = swarm_new(wanted, &io, server.now_ms);
}

static void teardown(void)
{
    swarm_free(&server.swarm);
}

static void deliver(void)
{
    static struct waiting waiting[WAITING_MAX];
    size_t count = server.waiting_count;

    memcpy(waiting, server.waiting, count * sizeof *waiting);
    server.waiting_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct span datagram = { waiting[i].data, waiting[i].size };

        swarm_on_datagram(server.swarm, server.now_ms, waiting[i].bot, datagram, server.now_ms * 1000000);
        swarm_flush(server.swarm, server.now_ms, waiting[i].bot);
    }
}

static void keep_alive(uint32_t bots)
{
    for (uint32_t i = 0; i < bots; i++)
        say(i, &wire_server_keepalive_packet, &(struct wire_server_keepalive){ .stamp = 1 });
}

/* Until the swarm has come to the phase, or the time is over. */
static void run_until(enum swarm_phase phase, uint64_t ms, uint32_t bots)
{
    for (uint64_t end_ms = server.now_ms + ms; server.now_ms < end_ms && swarm_phase(server.swarm) < phase;
         server.now_ms++) {
        if (server.now_ms % 1000 == 0)
            keep_alive(bots);
        deliver();
        if (server.now_ms >= swarm_wakes_at(server.swarm))
            swarm_tick(server.swarm, server.now_ms);
    }
}

static struct report report_of(void)
{
    struct report report;

    swarm_report(server.swarm, server.now_ms, &report);
    return report;
}

START_TEST(all_join_at_the_rate_and_are_measured_and_leave)
{
    struct swarm_config wanted = config(50);
    struct report report;
    uint64_t begun_ms;

    start(&wanted);
    run_until(SWARM_MEASURING, 60 * 1000, 50);
    ck_assert_int_eq(swarm_phase(server.swarm), SWARM_MEASURING);
    ck_assert_uint_eq(server.hellos, 50);
    ck_assert_uint_ge(server.last_hello_ms - server.first_hello_ms, 480);
    ck_assert_uint_le(server.last_hello_ms - server.first_hello_ms, 520);
    begun_ms = server.now_ms;
    run_until(SWARM_DONE, 60 * 1000, 50);
    ck_assert_uint_ge(server.now_ms - begun_ms, 5000);
    ck_assert_uint_le(server.now_ms - begun_ms, 6000);
    ck_assert_uint_eq(server.byes, 150);
    report = report_of();
    ck_assert_uint_eq(report.opened, 50);
    ck_assert_uint_eq(report.spawned, 50);
    ck_assert_uint_eq(report.open, 0);
    ck_assert_uint_ge(report.measured_ms, 5000);
    ck_assert_uint_le(report.measured_ms, 5300);
    ck_assert_uint_ge(report.datagrams_out, 50 * 29 * 5);
    ck_assert_uint_eq(report.stats.packets_out[WIRE_INDEX_CLIENT_BYE], 150);
}
END_TEST

/* The server relays nothing. */
START_TEST(bots_that_should_see_each_other_complain)
{
    struct swarm_config wanted = config(4);
    struct report report;

    wanted.spread = SWARM_SPREAD_CLUSTER;
    start(&wanted);
    run_until(SWARM_DONE, 60 * 1000, 4);
    report = report_of();
    ck_assert_uint_gt(report.violations[VIOLATION_UNSEEN_PLAYER], 0);
    ck_assert_int_eq(report_verdict(&report), REPORT_VIOLATIONS);
    ck_assert_uint_gt(report.notes_count, 0);
}
END_TEST

START_TEST(rejects_are_counted_by_reason_and_the_others_go_on)
{
    struct swarm_config wanted = config(10);
    struct report report;

    start(&wanted);
    server.reject_from = 7;
    run_until(SWARM_MEASURING, 60 * 1000, 7);
    report = report_of();
    ck_assert_uint_eq(report.open, 7);
    ck_assert_uint_eq(report.rejected[1], 3);
}
END_TEST

START_TEST(when_all_are_turned_away_it_is_over)
{
    struct swarm_config wanted = config(10);

    start(&wanted);
    server.reject_from = 0;
    run_until(SWARM_DONE, 3000, 0);
    ck_assert_int_eq(swarm_phase(server.swarm), SWARM_DONE);
}
END_TEST

START_TEST(a_server_that_goes_silent_is_a_failure)
{
    struct swarm_config wanted = config(2);
    struct report report;

    wanted.time_ms = 60 * 1000;
    start(&wanted);
    run_until(SWARM_MEASURING, 60 * 1000, 2);
    run_until(SWARM_DONE, 60 * 1000, 0);
    report = report_of();
    ck_assert_uint_eq(report.silence, 2);
    ck_assert_int_ne(report_verdict(&report), REPORT_OK);
}
END_TEST

START_TEST(those_who_stay_for_a_while_come_back_from_another_port)
{
    struct swarm_config wanted = config(10);
    struct report report;

    wanted.stay_ms = 2000;
    wanted.time_ms = 20 * 1000;
    start(&wanted);
    run_until(SWARM_DONE, 60 * 1000, 10);
    report = report_of();
    ck_assert_uint_ge(report.joins, 50);
    ck_assert_uint_eq(server.reopened, report.joins - 10);
    ck_assert_uint_eq(report.opened, 10);
    ck_assert_uint_eq(report.stats.packets_in[WIRE_INDEX_SERVER_HELLO], report.joins);
    ck_assert_uint_eq(report.violations[VIOLATION_SAME_PLAYER], 0);
}
END_TEST

START_TEST(it_can_be_stopped_early)
{
    struct swarm_config wanted = config(5);
    struct report report;

    start(&wanted);
    run_until(SWARM_MEASURING, 60 * 1000, 5);
    swarm_stop(server.swarm, server.now_ms);
    ck_assert_uint_eq(server.byes, 15);
    run_until(SWARM_DONE, 1000, 5);
    ck_assert_int_eq(swarm_phase(server.swarm), SWARM_DONE);
    report = report_of();
    ck_assert(report.was_stopped);
}
END_TEST

START_TEST(the_lobby_is_never_spawned)
{
    struct swarm_config wanted = config(20);
    struct report report;

    wanted.shares[BEHAVIOUR_WALK] = 0;
    wanted.shares[BEHAVIOUR_LOBBY] = 1;
    start(&wanted);
    run_until(SWARM_DONE, 60 * 1000, 20);
    report = report_of();
    ck_assert_uint_eq(report.opened, 20);
    ck_assert_uint_eq(report.spawned, 0);
    ck_assert_uint_eq(report.stats.packets_out[WIRE_INDEX_PLAYER_SYNC], 0);
    ck_assert_int_eq(report_verdict(&report), REPORT_OK);
}
END_TEST

START_TEST(a_malformed_packet_is_noted_with_what_is_wrong)
{
    const uint8_t packet[] = { PACKET_SERVER_ACK, 1 };
    struct swarm_config wanted = config(1);
    struct report report;

    start(&wanted);
    run_until(SWARM_MEASURING, 60 * 1000, 1);
    swarm_on_datagram(server.swarm, server.now_ms, 0, (struct span){ packet, sizeof packet }, 0);
    report = report_of();
    ck_assert_uint_eq(report.violations[VIOLATION_MALFORMED], 1);
    ck_assert_uint_eq(report.notes_count, 1);
    ck_assert_ptr_nonnull(strstr(report.notes[0], "ServerAck"));
    ck_assert_ptr_nonnull(strstr(report.notes[0], "too short"));
}
END_TEST

Suite *swarm_suite(void)
{
    Suite *suite = suite_create("swarm");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, teardown);
    tcase_set_timeout(all, 30);
    tcase_add_test(all, all_join_at_the_rate_and_are_measured_and_leave);
    tcase_add_test(all, bots_that_should_see_each_other_complain);
    tcase_add_test(all, rejects_are_counted_by_reason_and_the_others_go_on);
    tcase_add_test(all, when_all_are_turned_away_it_is_over);
    tcase_add_test(all, a_server_that_goes_silent_is_a_failure);
    tcase_add_test(all, those_who_stay_for_a_while_come_back_from_another_port);
    tcase_add_test(all, it_can_be_stopped_early);
    tcase_add_test(all, the_lobby_is_never_spawned);
    tcase_add_test(all, a_malformed_packet_is_noted_with_what_is_wrong);
    suite_add_tcase(suite, all);
    return suite;
}
