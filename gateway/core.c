#include "gateway/core.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "gateway/state.h"

_Static_assert((int)REASON_MALFORMED_EMPTY == (int)WIRE_EMPTY && (int)REASON_MALFORMED_RULE == (int)WIRE_RULE,
               "the decoder's reasons stand in its order");
_Static_assert(sizeof((struct gateway_stats){ 0 }.sessions_closed) / sizeof(uint64_t) == LEAVE_REASONS,
               "one count a reason");

enum reason reason_of_wire(enum wire_why why)
{
    assert(why >= WIRE_EMPTY && why <= WIRE_RULE);
    return (enum reason)why;
}

struct gateway *gateway_new(const struct gateway_config *config, struct rng *rng)
{
    struct gateway *gateway = calloc(1, sizeof *gateway);

    if (gateway == NULL)
        return NULL;
    assert(config->sessions_max > 0 && config->sessions_max <= SESSIONS_MAX);
    gateway->rng = rng;
    gateway->pid = config->pid;
    gateway->coordinator = PEER_NONE;
    (void)snprintf(gateway->endpoint, sizeof gateway->endpoint, "%s", config->endpoint);
    frames_init(&gateway->frames);
    roster_init(&gateway->roster);
    gateway_settings_init(&gateway->settings);
    outbox_init(&gateway->outbox);
    route_learn_shapes(gateway->shapes);
    gateway->acked_due = calloc(config->sessions_max, sizeof gateway->acked_due[0]);
    if (gateway->acked_due == NULL || joins_init(&gateway->joins, rng) != 0 ||
        sessions_init(&gateway->sessions, config->sessions_max, rng) != 0 ||
        groups_init(&gateway->groups) != 0 || sources_init(&gateway->hello_sources, rng) != 0 ||
        sources_init(&gateway->query_sources, rng) != 0 ||
        egress_init(&gateway->egress, config->sessions_max) != 0)
        gateway_free(&gateway);
    return gateway;
}

void gateway_free(struct gateway **gateway)
{
    struct gateway *freed = *gateway;

    if (freed == NULL)
        return;
    *gateway = NULL;
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&freed->sessions, &i);

        if (session == NULL)
            break;
        lane_fini(&session->lane, &freed->frames);
    }
    egress_fini(&freed->egress);
    outbox_fini(&freed->outbox);
    sources_fini(&freed->query_sources);
    sources_fini(&freed->hello_sources);
    groups_fini(&freed->groups);
    sessions_fini(&freed->sessions);
    joins_fini(&freed->joins);
    roster_fini(&freed->roster);
    frames_fini(&freed->frames);
    free(freed->acked_due);
    free(freed);
}

void gateway_drop(struct gateway *gateway, enum reason reason)
{
    gateway->stats.drops[reason]++;
    LOG(DEBUG, "packet_dropped", KV("reason", reason_name(reason)));
}

void gateway_refuse(struct gateway *gateway, struct session *session, uint8_t packet_id, enum reason reason)
{
    gateway->stats.drops[reason]++;
    session_add_refusal(session, packet_id, reason, gateway->now_ms);
    LOG(DEBUG, "packet_refused", KV("player", session->player.id), KV("packet", packet_id),
        KV("reason", reason_name(reason)));
}

static void count_out(struct gateway *gateway, const struct wire_packet *packet, size_t size, bool sent)
{
    if (!sent) {
        gateway_drop(gateway, REASON_EGRESS_FULL);
        return;
    }
    gateway->stats.datagrams_out++;
    gateway->stats.bytes_out += size;
    gateway->stats.packets_out[packet->index]++;
}

void gateway_send(struct gateway *gateway, const struct session *session, const struct wire_packet *packet,
                  const uint8_t *data, size_t size)
{
    count_out(gateway, packet, size,
              egress_add(&gateway->egress, session->ref.index, &session->address, data, size,
                         packet->lane == WIRE_RELIABLE, gateway->now_ms));
}

void gateway_send_stranger(struct gateway *gateway, const struct address *to,
                           const struct wire_packet *packet, const uint8_t *data, size_t size)
{
    uint8_t *copy = egress_alloc(&gateway->egress, size);

    if (copy != NULL)
        memcpy(copy, data, size);
    count_out(gateway, packet, size,
              copy != NULL &&
                  egress_add(&gateway->egress, EGRESS_NOBODY, to, copy, size, false, gateway->now_ms));
}

/* ---- the clock */

uint64_t gateway_wakes_at(const struct gateway *gateway)
{
    uint64_t wakes_ms = gateway->coordinator != PEER_NONE ? gateway->state_ms : UINT64_MAX;

    if ((gateway->sessions.pool.count > 0 || gateway->joins.pool.count > 0) && gateway->check_ms < wakes_ms)
        wakes_ms = gateway->check_ms;
    return wakes_ms;
}

void gateway_advance(struct gateway *gateway, uint64_t now_ms)
{
    uint64_t elapsed_ms = now_ms - gateway->now_ms;
    uint64_t planned_ms = gateway_wakes_at(gateway);
    uint64_t late_ms = 0;

    if (!gateway->started) {
        gateway->started = true;
        gateway->now_ms = now_ms;
        gateway->awake_ms = now_ms;
        gateway->check_ms = now_ms + LANE_CHECK_MS;
        gateway->state_ms = now_ms + STATE_PERIOD_MS;
        cookies_init(&gateway->cookies, gateway->rng, now_ms);
        return;
    }
    if (now_ms <= gateway->now_ms)
        return;
    if (planned_ms < gateway->now_ms)
        planned_ms = gateway->now_ms;
    if (now_ms > planned_ms)
        late_ms = now_ms - planned_ms;
    if (late_ms < STALL_MIN_MS)
        late_ms = 0;
    gateway->now_ms = now_ms;
    gateway->awake_ms += elapsed_ms - late_ms;
    gateway->stats.stalled_ms += late_ms;
    if (gateway->sessions.pool.count == 0 && gateway->joins.pool.count == 0)
        gateway->check_ms = now_ms + LANE_CHECK_MS;
}

void gateway_set_wall_clock(struct gateway *gateway, uint64_t now_ms, int64_t unix_s)
{
    gateway->unix_ms = unix_s * 1000 - (int64_t)now_ms;
}

/* ---- datagrams */

void gateway_on_datagram(struct gateway *gateway, uint64_t now_ms, const struct address *from,
                         struct span data)
{
    const struct wire_packet *packet;
    struct wire_error error;

    gateway_advance(gateway, now_ms);
    gateway->stats.datagrams_in++;
    gateway->stats.bytes_in += data.size;
    if (data.size > WIRE_PACKET_SIZE_MAX) {
        gateway_drop(gateway, REASON_OVERSIZE);
        return;
    }
    packet = wire_identify(WIRE_C2S, data.data, data.size, &error);
    if (packet != NULL)
        gateway->stats.packets_in[packet->index]++;
    if (packet == &wire_client_hello_packet)
        door_on_hello(gateway, from, data);
    else if (packet == &wire_query_request_packet)
        door_on_query(gateway, from, data);
    else if (data.size > 0)
        inbound_on_datagram(gateway, from, data);
    else
        gateway_drop(gateway, REASON_MALFORMED_EMPTY);
}

struct egress *gateway_take_egress(struct gateway *gateway)
{
    return &gateway->egress;
}

void gateway_count_unsent(struct gateway *gateway, enum reason reason, uint64_t datagrams)
{
    gateway->stats.drops[reason] += datagrams;
}

/* ---- time */

static void send_keepalive(struct gateway *gateway, struct session *session)
{
    uint32_t rtt_ms = session_rtt_ms(session);
    struct wire_server_keepalive keepalive = { .stamp = (uint32_t)gateway->now_ms,
                                               .rtt = rtt_ms < UINT16_MAX ? (uint16_t)rtt_ms : UINT16_MAX };
    uint8_t *data = egress_alloc(&gateway->egress, WIRE_SERVER_KEEPALIVE_SIZE);
    struct wire_error error;

    session->keepalive_ms += SESSION_KEEPALIVE_MS;
    if (data == NULL) {
        gateway_drop(gateway, REASON_EGRESS_FULL);
        return;
    }
    session_stamp(session, keepalive.stamp, gateway->awake_ms);
    gateway_send(gateway, session, &wire_server_keepalive_packet, data,
                 wire_server_keepalive_encode(&keepalive, data, WIRE_SERVER_KEEPALIVE_SIZE, &error));
}

static void resend(struct gateway *gateway, struct session *session)
{
    const struct lane_event *due[LANE_RESENDS_MAX];
    size_t count = lane_due(&session->lane, gateway->awake_ms, due);

    gateway->stats.resends += count;
    for (size_t i = 0; i < count; i++)
        route_transmit(gateway, session, due[i]);
}

/* Connection, "Disconnect". False: it has ended. */
static bool check_end(struct gateway *gateway, struct session *session)
{
    uint64_t awake_ms = gateway->awake_ms;
    bool kicked = session->state == SESSION_CLOSING;

    if ((kicked && awake_ms - session->kicked_ms >= SESSION_KICK_MS) ||
        awake_ms - session->heard_ms >= SESSION_TIMEOUT_MS || lane_is_stuck(&session->lane, awake_ms)) {
        door_end(gateway, session, LEAVE_TIMEOUT);
        return false;
    }
    if (kicked)
        return true;
    if (session->auth == AUTH_AWAITED && awake_ms - session->opened_ms >= SESSION_AUTH_MS) {
        gateway_refuse(gateway, session, PACKET_AUTH_ASSERTION, REASON_TICKET_MISSING);
        door_kick(gateway, session, LEAVE_KICKED, "authentication failed");
    } else if (!session->joined && awake_ms - session->opened_ms >= SHARD_WAIT_MS) {
        door_kick(gateway, session, LEAVE_SERVER, "The world you were to join cannot be reached.");
    }
    return true;
}

static void check_sessions(struct gateway *gateway)
{
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        if (!check_end(gateway, session))
            continue;
        resend(gateway, session);
        if (gateway->awake_ms >= session->keepalive_ms)
            send_keepalive(gateway, session);
    }
}

void gateway_tick(struct gateway *gateway, uint64_t now_ms)
{
    gateway_advance(gateway, now_ms);
    if (gateway->now_ms >= gateway->check_ms) {
        gateway->check_ms += LANE_CHECK_MS;
        if (gateway->check_ms <= gateway->now_ms)
            gateway->check_ms = gateway->now_ms + LANE_CHECK_MS;
        check_sessions(gateway);
        while (joins_expire(&gateway->joins, gateway->awake_ms))
            gateway_drop(gateway, REASON_JOIN_TIMEOUT);
    }
    if (gateway->coordinator != PEER_NONE && gateway->now_ms >= gateway->state_ms)
        gateway_send_state(gateway);
}

/* ---- the operator's side */

void gateway_drain(struct gateway *gateway, uint64_t now_ms, const char *text)
{
    gateway_advance(gateway, now_ms);
    gateway->draining = true;
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        door_kick(gateway, session, LEAVE_SERVER, text);
    }
}

bool gateway_is_ready(const struct gateway *gateway)
{
    bool has_shard = false;

    for (uint16_t i = 0; i < gateway->shards_count; i++)
        has_shard = has_shard || gateway->shards[i].peer != PEER_NONE;
    return has_shard && gateway->coordinator != PEER_NONE && gateway->settings.known && !gateway->draining;
}

const struct gateway_stats *gateway_stats(const struct gateway *gateway)
{
    return &gateway->stats;
}

size_t gateway_refusals(const struct gateway *gateway, uint32_t player_id, struct gateway_refusal *refusals,
                        size_t max)
{
    const struct session *session = sessions_find_by_id(&gateway->sessions, player_id);
    size_t count = 0;

    while (session != NULL && count < max && count < SESSION_REFUSALS && count < session->refusals_count) {
        const struct refusal *refusal =
            &session->refusals[(session->refusals_count - 1 - count) % SESSION_REFUSALS];

        refusals[count++] = (struct gateway_refusal){ .age_ms = gateway->now_ms - refusal->at_ms,
                                                      .packet_id = refusal->packet_id,
                                                      .reason = refusal->reason };
    }
    return count;
}

void gateway_check(const struct gateway *gateway)
{
    size_t events = 0;
    uint32_t sessions = 0;

    for (uint32_t i = 0;; i++) {
        const struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        sessions++;
        events += session->lane.count;
        assert(session->state >= SESSION_GREETED && session->state < SESSION_ENDED);
        assert(session->lane.count < LANE_UNACKED_MAX);
        assert(session->lane.acked_id + session->lane.count == session->lane.last_id);
        assert(session->shard < gateway->shards_count);
        assert(session->heard_ms <= gateway->awake_ms);
        assert(sessions_find_by_player(&gateway->sessions, session->player) == session);
        assert(sessions_find_by_token(&gateway->sessions, session->token) == session);
    }
    assert(sessions == gateway->sessions.pool.count);
    assert(gateway->stats.sessions == sessions);
    assert(gateway->frames.used <= events);
    assert(gateway->awake_ms <= gateway->now_ms);
}
