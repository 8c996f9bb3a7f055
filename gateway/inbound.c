#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "gateway/state.h"

static enum limit_verdict take(struct gateway *gateway, struct session *session, enum limit limit)
{
    enum limit_verdict verdict =
        limit_bucket_take(&session->buckets[limit], &gateway->settings.limits.rules[limit], gateway->now_ms);

    gateway->stats.observed[limit] += verdict == LIMIT_OBSERVED;
    return verdict;
}

/* Answers a reliable packet. Several answers of one round are one: the newest. */
static void answer_event(struct gateway *gateway, struct session *session)
{
    struct wire_server_ack ack = { .ack = session->receiver.delivered_id };
    uint8_t *data = session->ack_packet;
    struct wire_error error;

    if (data == NULL || session->ack_round != gateway->egress.round) {
        data = egress_alloc(&gateway->egress, WIRE_SERVER_ACK_SIZE);
        if (data == NULL) {
            gateway_drop(gateway, REASON_EGRESS_FULL);
            return;
        }
        gateway_send(gateway, session, &wire_server_ack_packet, data, WIRE_SERVER_ACK_SIZE);
        session->ack_packet = data;
        session->ack_round = gateway->egress.round;
    }
    (void)wire_server_ack_encode(&ack, data, WIRE_SERVER_ACK_SIZE, &error);
}

/* ---- unreliable packets of the connection itself */

static void on_bye(struct gateway *gateway, struct session *session, const union wire_any *packet)
{
    (void)packet;
    door_end(gateway, session, LEAVE_QUIT);
}

struct tag_context {
    struct gateway *gateway;
    struct session *session;
};

static void on_tag(void *arg, uint64_t tag)
{
    struct tag_context *context = arg;

    route_tag(context->gateway, context->session, tag);
}

static void on_ack(struct gateway *gateway, struct session *session, const union wire_any *packet)
{
    uint32_t event_id = packet->client_ack.ack;
    struct tag_context context = { gateway, session };

    switch (lane_ack(&session->lane, &gateway->frames, event_id, gateway->awake_ms, on_tag, &context)) {
    case LANE_ACK_AHEAD:
        gateway_refuse(gateway, session, PACKET_CLIENT_ACK, REASON_ACK_AHEAD);
        return;
    case LANE_ACK_OLD:
        return;
    case LANE_ACK_MOVED:
        break;
    }
    if (session->state == SESSION_CLOSING && event_id >= session->kick_event) {
        door_end(gateway, session, session->kick_reason);
    } else if (!session->acked_due) {
        /* Sessions that ended in this round are still in the list. */
        if (gateway->acked_due_count == gateway->sessions.pool.capacity)
            route_acks(gateway);
        session->acked_due = true;
        gateway->acked_due[gateway->acked_due_count++] = session->ref;
    }
}

static void on_pong(struct gateway *gateway, struct session *session, const union wire_any *packet)
{
    if (!session_pong(session, packet->client_pong.stamp, gateway->awake_ms))
        gateway_refuse(gateway, session, PACKET_CLIENT_PONG, REASON_STAMP_UNKNOWN);
}

/* ---- events */

static void fail_authentication(struct gateway *gateway, struct session *session, enum reason reason)
{
    gateway_refuse(gateway, session, PACKET_AUTH_ASSERTION, reason);
    door_kick(gateway, session, LEAVE_KICKED, "authentication failed");
}

void inbound_ask_ticket(struct gateway *gateway, struct session *session)
{
    struct outbox *outbox = &gateway->outbox;
    const struct ticket *ticket = &session->ticket;
    int64_t left_ms = ticket->expires_s * 1000 - (gateway->unix_ms + (int64_t)gateway->now_ms);
    Bus__TicketUse *use = outbox_alloc(outbox, sizeof *use);
    Bus__Item *item = outbox_add(outbox, gateway->coordinator);

    bus__ticket_use__init(use);
    use->request = (uint64_t)session->ref.generation << 32 | session->ref.index;
    use->player = gateway_bus_player(gateway, session->player);
    use->ticket_id = outbox_bytes(outbox, ticket->id, sizeof ticket->id);
    use->valid_ms = left_ms > 0 ? (uint32_t)left_ms : 1;
    use->account_id = ticket->account_id;
    use->account_name = outbox_text(outbox, ticket->account_name);
    item->item_case = BUS__ITEM__ITEM_TICKET_USE;
    item->ticket_use = use;
}

static void on_assertion(struct gateway *gateway, struct session *session, const union wire_any *packet)
{
    const struct settings *settings = &gateway->settings;
    int64_t unix_s = (gateway->unix_ms + (int64_t)gateway->now_ms) / 1000;
    enum reason reason;

    if (session->auth == AUTH_ACCEPTED) {
        gateway_refuse(gateway, session, PACKET_AUTH_ASSERTION, REASON_AUTH_REPEATED);
        return;
    }
    reason = ticket_check(&session->ticket, packet->auth_assertion.ticket, settings->public_keys,
                          settings->public_keys_count, settings->cluster_id, unix_s);
    if (reason != REASON_NONE) {
        fail_authentication(gateway, session, reason);
        return;
    }
    session->auth = AUTH_ASKED;
    inbound_ask_ticket(gateway, session);
}

void inbound_on_ticket_answer(struct gateway *gateway, const Bus__TicketAnswer *answer)
{
    struct session *session = sessions_get(
        &gateway->sessions, (struct pool_ref){ .index = (uint32_t)answer->request,
                                               .generation = (uint32_t)(answer->request >> 32) });
    struct wire_auth_accepted accepted = { 0 };
    uint8_t data[WIRE_AUTH_ACCEPTED_SIZE_MAX];
    struct wire_error error;
    size_t size;

    if (answer->player == NULL) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        return;
    }
    if (session == NULL || session->player.id != answer->player->id ||
        session->player.token != answer->player->token || session->auth != AUTH_ASKED ||
        session->state == SESSION_CLOSING) {
        gateway_drop(gateway, REASON_BUS_STALE);
        return;
    }
    if (!answer->accepted) {
        fail_authentication(gateway, session, REASON_TICKET_REUSED);
        return;
    }
    session->auth = AUTH_ACCEPTED;
    accepted.account_id = session->ticket.account_id;
    accepted.account_name =
        (struct span){ (const uint8_t *)session->ticket.account_name, strlen(session->ticket.account_name) };
    size = wire_auth_accepted_encode(&accepted, data, sizeof data, &error);
    if (route_own_event(gateway, session, (struct span){ data, size }) == LANE_FULL) {
        door_end(gateway, session, LEAVE_TIMEOUT);
        return;
    }
    route_auth(gateway, session);
}

/* ---- the table */

/* What the gateway does itself; every other packet goes to the shard. */
/* clang-format off */
static const struct inbound_rule {
    void (*handle)(struct gateway *gateway, struct session *session, const union wire_any *packet);
    enum limit limit;    /* LIMIT_DATAGRAMS: only that of all datagrams; events have one more */
    enum reason over;
    bool while_closing;  /* taken from a client that has been told to go, too */
} inbound_rules[256] = {
    /*                          handler        limit                 over it                      closing */
    [PACKET_PLAYER_SYNC]    = { NULL,          LIMIT_PLAYER_SYNC,    REASON_LIMIT_PLAYER_SYNC,    false },
    [PACKET_VEHICLE_FRAME]  = { NULL,          LIMIT_VEHICLE_FRAME,  REASON_LIMIT_VEHICLE_FRAME,  false },
    [PACKET_WEAPON_SHOT]    = { NULL,          LIMIT_SHOTS,          REASON_LIMIT_SHOTS,          false },
    [PACKET_VEHICLE_SHOT]   = { NULL,          LIMIT_SHOTS,          REASON_LIMIT_SHOTS,          false },
    [PACKET_DAMAGE_REPORT]  = { NULL,          LIMIT_DAMAGE_REPORT,  REASON_LIMIT_DAMAGE_REPORT,  false },
    [PACKET_CLIENT_ACK]     = { on_ack,        LIMIT_ACKS,           REASON_LIMIT_ACKS,           true  },
    [PACKET_CLIENT_PONG]    = { on_pong,       LIMIT_ACKS,           REASON_LIMIT_ACKS,           true  },
    [PACKET_CLIENT_BYE]     = { on_bye,        LIMIT_DATAGRAMS,      REASON_NONE,                 true  },
    [PACKET_AUTH_ASSERTION] = { on_assertion,  LIMIT_DATAGRAMS,      REASON_NONE,                 false },
};
/* clang-format on */

/* ---- delivery */

/* Whether the next event can be taken now. One that cannot is treated as one ahead of a gap: the client's
 * lane keeps it. */
static enum reason check_event(const struct gateway *gateway, const struct session *session,
                               const struct wire_packet *packet)
{
    if (session->state == SESSION_CLOSING)
        return REASON_CLOSING;
    /* Whatever follows a ticket waits for its answer: a spawn must not be refused because the answer is on
     * its way. */
    if (session->auth == AUTH_ASKED)
        return REASON_NOT_AUTHENTICATED;
    if (packet == &wire_auth_assertion_packet)
        return gateway->coordinator != PEER_NONE ? REASON_NONE : REASON_NO_COORDINATOR;
    return route_check(gateway, session);
}

static void deliver_event(struct gateway *gateway, struct session *session, const struct wire_packet *packet,
                          struct span data, const union wire_any *decoded, uint32_t event_id)
{
    const struct inbound_rule *rule = &inbound_rules[packet->id];

    if (rule->handle != NULL)
        rule->handle(gateway, session, decoded);
    else if (packet == &wire_request_spawn_packet && gateway->settings.require_account &&
             session->auth != AUTH_ACCEPTED)
        gateway_refuse(gateway, session, packet->id, REASON_NOT_AUTHENTICATED);
    else
        route_packet(gateway, session, packet, data, event_id);
}

static void on_event(struct gateway *gateway, struct session *session, const struct wire_packet *packet,
                     struct span data, const union wire_any *decoded)
{
    uint32_t event_id = load_u32(data.data + packet->event_id_at);
    enum lane_receipt receipt = lane_receipt(&session->receiver, event_id);
    enum reason reason = REASON_NONE;

    if (receipt != LANE_NEXT)
        reason = receipt == LANE_REPEATED ? REASON_EVENT_REPEATED : REASON_EVENT_AHEAD;
    else if (take(gateway, session, LIMIT_RELIABLE) == LIMIT_OVER)
        reason = REASON_LIMIT_RELIABLE;
    else
        reason = check_event(gateway, session, packet);
    if (reason != REASON_NONE) {
        gateway_refuse(gateway, session, packet->id, reason);
        answer_event(gateway, session);
        return;
    }
    lane_delivered(&session->receiver, event_id);
    answer_event(gateway, session);
    deliver_event(gateway, session, packet, data, decoded, event_id);
}

static void on_frame(struct gateway *gateway, struct session *session, const struct wire_packet *packet,
                     struct span data, const union wire_any *decoded)
{
    const struct inbound_rule *rule = &inbound_rules[packet->id];
    enum reason reason = REASON_NONE;

    if (session->state == SESSION_CLOSING && !rule->while_closing)
        reason = REASON_CLOSING;
    else if (rule->handle == NULL)
        reason = route_check(gateway, session);
    if (reason != REASON_NONE)
        gateway_refuse(gateway, session, packet->id, reason);
    else if (rule->handle != NULL)
        rule->handle(gateway, session, decoded);
    else
        route_packet(gateway, session, packet, data, 0);
}

/* ---- every datagram of a session */

/* Over the limit of all datagrams nothing is decoded. An event is answered like one ahead of a gap. */
static void on_too_many(struct gateway *gateway, struct session *session, const struct wire_packet *packet)
{
    gateway_refuse(gateway, session, packet != NULL ? packet->id : 0, REASON_LIMIT_DATAGRAMS);
    if (packet != NULL && packet->lane == WIRE_RELIABLE)
        answer_event(gateway, session);
}

static void on_session_datagram(struct gateway *gateway, struct session *session, struct span data)
{
    const struct inbound_rule *rule = &inbound_rules[data.data[0]];
    const struct wire_packet *packet;
    union wire_any decoded;
    struct wire_error error;

    session->heard_ms = gateway->awake_ms;
    if (session->state == SESSION_GREETED)
        session_set_state(session, SESSION_OPEN);
    packet = wire_identify(WIRE_C2S, data.data, data.size, &error);
    if (flood_count(&session->flood, &gateway->settings.limits.rules[LIMIT_DATAGRAMS], gateway->now_ms) &&
        session->state != SESSION_CLOSING) {
        gateway_refuse(gateway, session, data.data[0], REASON_LIMIT_DATAGRAMS);
        door_kick(gateway, session, LEAVE_KICKED, "flood");
        return;
    }
    if (take(gateway, session, LIMIT_DATAGRAMS) == LIMIT_OVER) {
        on_too_many(gateway, session, packet);
        return;
    }
    if (packet == NULL) {
        gateway_refuse(gateway, session, data.data[0], reason_of_wire(error.why));
        return;
    }
    if (rule->limit != LIMIT_DATAGRAMS && take(gateway, session, rule->limit) == LIMIT_OVER) {
        gateway_refuse(gateway, session, packet->id, rule->over);
        return;
    }
    if (!packet->decode(&decoded, data.data, data.size, &error)) {
        gateway_refuse(gateway, session, packet->id, reason_of_wire(error.why));
        return;
    }
    if (packet->lane == WIRE_RELIABLE)
        on_event(gateway, session, packet, data, &decoded);
    else
        on_frame(gateway, session, packet, data, &decoded);
}

/* ---- the right token from another address */

static void on_other_address(struct gateway *gateway, struct session *session, const struct address *from,
                             struct span data)
{
    struct wire_server_keepalive keepalive = { 0 };
    uint8_t out[WIRE_SERVER_KEEPALIVE_SIZE];
    struct wire_client_pong pong;
    struct wire_error error;
    uint32_t rtt_ms = session_rtt_ms(session);

    gateway_refuse(gateway, session, data.data[0], REASON_OTHER_ADDRESS);
    if (session->state == SESSION_CLOSING)
        return;
    if (data.data[0] == PACKET_CLIENT_PONG && wire_client_pong_decode(&pong, data.data, data.size, &error) &&
        migrate_pong(&session->migrate, from, pong.stamp, gateway->awake_ms) &&
        gateway->awake_ms - session->heard_ms >= MIGRATE_SILENCE_MS) {
        LOG(INFO, "session_moved", KV("player", session->player.id));
        sessions_move(&gateway->sessions, session, from);
        session->migrate = (struct migrate){ 0 };
        session->heard_ms = gateway->awake_ms;
        gateway->stats.migrations++;
        return;
    }
    if (!migrate_try(&session->migrate, from, gateway->rng, gateway->awake_ms, &keepalive.stamp))
        return;
    keepalive.rtt = rtt_ms < UINT16_MAX ? (uint16_t)rtt_ms : UINT16_MAX;
    gateway_send_stranger(gateway, from, &wire_server_keepalive_packet, out,
                          wire_server_keepalive_encode(&keepalive, out, sizeof out, &error));
}

void inbound_on_datagram(struct gateway *gateway, const struct address *from, struct span data)
{
    struct session *session;

    if (data.size < WIRE_CLIENT_BYE_TOKEN_AT + sizeof session->token) {
        gateway_drop(gateway, REASON_MALFORMED_SHORT);
        return;
    }
    session = sessions_find_by_token(&gateway->sessions, load_u64(data.data + WIRE_CLIENT_BYE_TOKEN_AT));
    if (session == NULL)
        gateway_drop(gateway, REASON_NO_SESSION);
    else if (!address_equal(&session->address, from))
        on_other_address(gateway, session, from, data);
    else
        on_session_datagram(gateway, session, data);
}
