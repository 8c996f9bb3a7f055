/* Faults that servers of this kind have had in public, each in a small form. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/lane.h"
#include "gateway/session.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

static struct rig rig;
static struct rng luck;

static void setup(void)
{
    rng_init_seeded(&luck, 11);
    rig_start(&rig);
}

static void teardown(void)
{
    rig_stop(&rig);
}

/* A client's side of the server-to-client lane. */
struct listener {
    struct rig_client client;
    uint32_t delivered;
    uint8_t kicked; /* the reason it was told; 0: none */
    bool is_deaf;   /* never acks */
};

/* What arrived at the listener since rig_forget, less what is lost; it acks each event, as far as those get
 * through. */
static void hear(struct listener *listener, double loss)
{
    size_t count = rig.datagrams_count;

    for (size_t i = 0; i < count; i++) {
        struct rig_datagram datagram = rig.datagrams[i];
        const struct wire_packet *packet;
        struct wire_error error;

        if (!address_equal(&datagram.to, &listener->client.address) || rng_chance(&luck, loss))
            continue;
        packet = wire_identify(WIRE_S2C, datagram.data, datagram.size, &error);
        ck_assert_ptr_nonnull(packet);
        if (packet->lane != WIRE_RELIABLE || listener->is_deaf)
            continue;
        if (load_u32(datagram.data + 1) == listener->delivered + 1) {
            listener->delivered++;
            if (packet == &wire_kick_notify_packet)
                listener->kicked = datagram.data[WIRE_KICK_NOTIFY_REASON_AT];
        }
        if (!rng_chance(&luck, loss))
            rig_ack(&rig, &listener->client, listener->delivered);
    }
}

/* Joins over a network that loses datagrams: the hello every 500 ms, ten times at most. */
static bool join_at_loss(struct rig_client *client, double loss)
{
    for (int tries = 0; tries < 10 && client->token == 0; tries++) {
        const struct rig_datagram *hello;

        rig_forget(&rig);
        if (!rng_chance(&luck, loss))
            rig_hello(&rig, client, rig_cookie(&rig, client));
        if (rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_JOIN_REQUEST) != NULL)
            rig_answer_join(&rig, 0);
        hello = rig_got(&rig, &client->address, &wire_server_hello_packet);
        if (hello == NULL || rng_chance(&luck, loss))
            continue;
        client->token = load_u64(hello->data + WIRE_SERVER_HELLO_SESSION_TOKEN_AT);
        client->id = load_u32(hello->data + WIRE_SERVER_HELLO_PLAYER_ID_AT);
        client->player_token = load_u32(hello->data + WIRE_SERVER_HELLO_PLAYER_TOKEN_AT);
    }
    return client->token != 0;
}

/* Trap 1: state before the address is proven. */
START_TEST(memory_stays_flat_under_hellos_from_anywhere)
{
    uint8_t hello[WIRE_CLIENT_HELLO_SIZE_MIN] = { PACKET_CLIENT_HELLO, WIRE_VERSION, 0, 7 };
    size_t before = 0;

    hello[19] = 1;
    hello[20] = 'x';
    for (uint32_t i = 0; i < 100000; i++) {
        struct address from = { .ip = { [10] = 0xFF, [11] = 0xFF, [12] = 10 }, .port = (uint16_t)i };

        store_u32(from.ip + 12, rig.now_ms % 2 == 0 ? i : i * 2654435761U);
        store_u64(hello + 11, i % 3 == 0 ? 0 : rng_u64(&luck));
        gateway_on_datagram(rig.gateway, rig.now_ms, &from, (struct span){ hello, sizeof hello });
        if (i % 500 == 0)
            egress_clear(gateway_take_egress(rig.gateway));
        if (i == 5000)
            before = mallinfo2().uordblks;
    }
    egress_clear(gateway_take_egress(rig.gateway));
    ck_assert_uint_le(mallinfo2().uordblks, before);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
    ck_assert_uint_eq(rig_count_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_JOIN_REQUEST), 0);
}
END_TEST

/* Trap 2: an answer larger than its request. */
START_TEST(no_stranger_gets_more_bytes_than_it_sends)
{
    const struct rig_client client = rig_client(1);

    for (uint32_t i = 0; i < 50000; i++) {
        static const uint8_t ids[] = { PACKET_CLIENT_HELLO, 0xFF, PACKET_CLIENT_PONG, PACKET_CLIENT_BYE };
        uint8_t data[WIRE_QUERY_REQUEST_SIZE] = { 0 };
        size_t size = rng_chance(&luck, 0.5) ? sizeof data : 1 + rng_below(&luck, 120);
        const struct gateway_stats *stats = gateway_stats(rig.gateway);
        uint64_t in = stats->bytes_in;
        uint64_t out = stats->bytes_out;

        rng_bytes(&luck, data, rng_below(&luck, 24));
        data[0] = ids[i % sizeof ids];
        if (data[0] == PACKET_CLIENT_HELLO)
            store_u16(data + 1, WIRE_VERSION);
        if (data[0] == 0xFF)
            memset(data + 8, 0, sizeof data - 8);
        data[1] = data[0] == 0xFF ? (uint8_t)(i % 3) : data[1];
        rig_datagram(&rig, &client.address, data, size);
        ck_assert_uint_le(stats->bytes_out - out, stats->bytes_in - in);
        if (i % 1000 == 0) {
            rig_forget(&rig);
            rig_pass(&rig, 1000);
        }
    }
    ck_assert_uint_gt(gateway_stats(rig.gateway)->bytes_out, 0);
}
END_TEST

/* Trap 4: a limit tuned on steady play, when a join is a burst. */
START_TEST(many_joins_at_once_at_3_percent_loss_kick_nobody)
{
    enum { JOINERS = 200, EVENTS = 128 };
    struct listener *joiners = calloc(JOINERS, sizeof *joiners);
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    ck_assert_ptr_nonnull(joiners);
    for (uint32_t i = 0; i < JOINERS; i++) {
        joiners[i].client = rig_client(i);
        ck_assert(join_at_loss(&joiners[i].client, 0.03));
    }
    for (uint32_t i = 0; i < JOINERS; i++) {
        rig_forget(&rig);
        for (uint32_t event = 0; event < EVENTS; event++)
            rig_send_one(&rig, BUS__SEND__CLASS__DROPPABLE, rig_server_message(buffer, "a line"),
                         &joiners[i].client);
        hear(&joiners[i], 0.03);
    }
    for (int round = 0; round < 50; round++) {
        rig_forget(&rig);
        rig_pass(&rig, 100);
        for (uint32_t i = 0; i < JOINERS; i++) {
            rig_frame(&rig, &joiners[i].client, (uint32_t)round);
            hear(&joiners[i], 0.03);
        }
    }
    for (uint32_t i = 0; i < JOINERS; i++)
        ck_assert_uint_eq(joiners[i].delivered, EVENTS);
    ck_assert_uint_eq(rig_sessions(&rig), JOINERS);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->sessions_closed[LEAVE_KICKED], 0);
    ck_assert_uint_eq(rig_drops(&rig, REASON_LIMIT_DATAGRAMS), 0);
    free(joiners);
}
END_TEST

/* Trap 9: two validators that disagree; silent drops. */
START_TEST(what_is_refused_is_routed_to_nobody_and_counted_once)
{
    struct rig_client client = rig_client(1);
    uint64_t refused = 0;

    rig_join(&rig, &client);
    for (uint32_t i = 0; i < 2000; i++) {
        struct wire_player_sync sync = { .session_token = client.token, .seq = i };
        uint8_t data[WIRE_PACKET_SIZE_MAX];
        size_t size = wire_player_sync_put(&sync, data, sizeof data);
        struct wire_error error;
        const struct gateway_stats *stats = gateway_stats(rig.gateway);
        uint64_t before = 0;
        uint64_t after = 0;
        bool is_well_formed;

        data[9 + rng_below(&luck, size - 9)] ^= (uint8_t)(1U << rng_below(&luck, 8));
        is_well_formed = wire_player_sync_decode(&sync, data, size, &error);
        rig_forget(&rig);
        for (int reason = 0; reason < REASON_COUNT; reason++)
            before += stats->drops[reason];
        rig_datagram(&rig, &client.address, data, size);
        for (int reason = 0; reason < REASON_COUNT; reason++)
            after += stats->drops[reason];
        ck_assert_uint_eq(rig_count_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_CLIENT_PACKET), is_well_formed);
        ck_assert_uint_eq(after - before, !is_well_formed);
        refused += !is_well_formed;
        rig_pass(&rig, 30);
    }
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* Trap 13: layers disagree on who is alive. */
START_TEST(a_session_that_ends_while_the_bus_is_cut_is_in_no_later_report)
{
    struct rig_client client = rig_client(1);
    struct rig_client other = rig_client(2);
    const struct wire_client_bye bye = { .token = 0 };
    struct wire_client_bye ended = bye;
    const Bus__GatewayState *state;

    rig_join(&rig, &client);
    rig_join(&rig, &other);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_COORDINATOR);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    ended.token = client.token;
    rig_packet(&rig, &client, &wire_client_bye_packet, &ended);
    ck_assert_uint_eq(rig.items_count, 0);
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 5);
    rig_gather(&rig);
    state = rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_GATEWAY_STATE)->gateway_state;
    ck_assert_uint_eq(state->n_players, 1);
    ck_assert_uint_eq(state->players[0]->player->token, other.player_token);
}
END_TEST

/* Trap 14: messages queued at the end of something. */
START_TEST(a_kick_behind_many_events_keeps_the_stream_without_gaps)
{
    static const uint32_t counts[] = { 0, 1, 255, 510 };
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct listener listener = { .client = rig_client(1) };

    rig_join(&rig, &listener.client);
    for (uint32_t i = 0; i < counts[_i]; i++)
        rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, i), &listener.client);
    gateway_drain(rig.gateway, rig.now_ms, "");
    rig_gather(&rig);
    hear(&listener, 0);
    ck_assert_uint_eq(listener.delivered, counts[_i] + 1);
    ck_assert_uint_eq(listener.kicked, 4);
    rig_pass(&rig, SESSION_KICK_MS + LANE_CHECK_MS);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
}
END_TEST

/* Trap 18: closing before the lane has flushed. */
START_TEST(at_20_percent_loss_nearly_every_kicked_client_sees_why)
{
    enum { KICKED = 400 };
    struct listener *listeners = calloc(KICKED, sizeof *listeners);
    uint32_t saw = 0;

    ck_assert_ptr_nonnull(listeners);
    for (uint32_t i = 0; i < KICKED; i++) {
        listeners[i].client = rig_client(i);
        rig_join(&rig, &listeners[i].client);
    }
    gateway_drain(rig.gateway, rig.now_ms, "The server restarts.");
    for (uint64_t passed = 0; passed < SESSION_KICK_MS + LANE_CHECK_MS; passed += 50) {
        rig_gather(&rig);
        for (uint32_t i = 0; i < KICKED; i++)
            hear(&listeners[i], 0.2);
        rig_forget(&rig);
        rig_pass(&rig, 50);
    }
    for (uint32_t i = 0; i < KICKED; i++)
        saw += listeners[i].kicked == 4;
    ck_assert_uint_ge(saw, KICKED * 99 / 100);
    ck_assert_uint_eq(rig_sessions(&rig), 0);
    free(listeners);
}
END_TEST

/* Trap 22: one slow client, everyone waits. */
START_TEST(one_client_that_never_acks_holds_up_nobody_else)
{
    enum { LISTENERS = 20, EVENTS = 600 };
    struct listener listeners[LISTENERS] = { 0 };
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    for (uint32_t i = 0; i < LISTENERS; i++) {
        listeners[i].client = rig_client(i);
        rig_join(&rig, &listeners[i].client);
    }
    listeners[0].is_deaf = true;
    for (uint32_t event = 1; event <= EVENTS; event++) {
        const struct rig_client *to[LISTENERS];

        for (uint32_t i = 0; i < LISTENERS; i++)
            to[i] = &listeners[i].client;
        rig_forget(&rig);
        rig_send(&rig, RIG_SHARD, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, event), to, LISTENERS,
                 0);
        for (uint32_t i = 0; i < LISTENERS; i++)
            hear(&listeners[i], 0);
        for (uint32_t i = 1; i < LISTENERS; i++)
            ck_assert_uint_eq(listeners[i].delivered, event);
        rig_pass(&rig, 10);
    }
    ck_assert_uint_eq(rig_sessions(&rig), LISTENERS - 1);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->sessions_closed[LEAVE_TIMEOUT], 1);
}
END_TEST

/* Trap 25: signed or narrow milliseconds. The rig starts 60 s before the wire's clock wraps. */
START_TEST(a_connection_lives_over_the_wrap_of_the_clock)
{
    struct listener listener = { .client = rig_client(1) };
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    uint32_t pongs = 0;

    rig_join(&rig, &listener.client);
    for (uint32_t i = 0; i < 1200; i++) {
        const struct rig_datagram *keepalive;

        rig_forget(&rig);
        rig_pass(&rig, 100);
        keepalive = rig_got(&rig, &listener.client.address, &wire_server_keepalive_packet);
        if (keepalive != NULL) {
            ck_assert_uint_eq(load_u32(keepalive->data + 1), (uint32_t)rig.now_ms);
            rig_pong(&rig, &listener.client, &listener.client.address, load_u32(keepalive->data + 1));
            pongs++;
        }
        if (i % 10 == 0)
            rig_send_one(&rig, BUS__SEND__CLASS__CRITICAL, rig_player_leave(buffer, i), &listener.client);
        hear(&listener, 0);
        rig_frame(&rig, &listener.client, i);
    }
    ck_assert_uint_gt(rig.now_ms, UINT32_MAX);
    ck_assert_uint_eq(pongs, 120);
    ck_assert_uint_eq(listener.delivered, 120);
    ck_assert_uint_eq(rig_drops(&rig, REASON_STAMP_UNKNOWN), 0);
    ck_assert_uint_eq(gateway_stats(rig.gateway)->resends, 0);
    ck_assert_uint_eq(rig_sessions(&rig), 1);
}
END_TEST

Suite *gateway_traps_suite(void)
{
    Suite *suite = suite_create("gateway_traps");
    TCase *traps = tcase_create("traps");

    tcase_set_timeout(traps, 60);
    tcase_add_checked_fixture(traps, setup, teardown);
    tcase_add_test(traps, memory_stays_flat_under_hellos_from_anywhere);
    tcase_add_test(traps, no_stranger_gets_more_bytes_than_it_sends);
    tcase_add_test(traps, many_joins_at_once_at_3_percent_loss_kick_nobody);
    tcase_add_test(traps, what_is_refused_is_routed_to_nobody_and_counted_once);
    tcase_add_test(traps, a_session_that_ends_while_the_bus_is_cut_is_in_no_later_report);
    tcase_add_loop_test(traps, a_kick_behind_many_events_keeps_the_stream_without_gaps, 0, 4);
    tcase_add_test(traps, at_20_percent_loss_nearly_every_kicked_client_sees_why);
    tcase_add_test(traps, one_client_that_never_acks_holds_up_nobody_else);
    tcase_add_test(traps, a_connection_lives_over_the_wrap_of_the_clock);
    suite_add_tcase(suite, traps);
    return suite;
}
