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
    settings_init(&gateway->settings);
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

/* Every input comes with its time, and the time passes here. */
static void advance(struct gateway *gateway, uint64_t now_ms)
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

    advance(gateway, now_ms);
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

/* ---- the bus */

static struct peer *peer_of(struct gateway *gateway, uint16_t peer)
{
    return peer < PEERS_MAX ? &gateway->peers[peer] : NULL;
}

uint16_t gateway_shard(struct gateway *gateway, const char *name)
{
    for (uint16_t i = 0; i < gateway->shards_count; i++) {
        if (strcmp(gateway->shards[i].name, name) == 0)
            return i;
    }
    if (gateway->shards_count == SHARDS_MAX || name[0] == '\0' || strlen(name) >= SHARD_NAME_SIZE)
        return SHARDS_MAX;
    struct shard_link *link = &gateway->shards[gateway->shards_count];

    link->peer = PEER_NONE;
    (void)snprintf(link->name, sizeof link->name, "%s", name);
    return gateway->shards_count++;
}

static Bus__Player *bus_player(struct gateway *gateway, struct player_ref player)
{
    Bus__Player *made = outbox_alloc(&gateway->outbox, sizeof *made);

    bus__player__init(made);
    made->id = player.id;
    made->token = player.token;
    return made;
}

static Bus__GatewayPlayer *state_of(struct gateway *gateway, const struct session *session)
{
    Bus__GatewayPlayer *player = outbox_alloc(&gateway->outbox, sizeof *player);

    bus__gateway_player__init(player);
    player->player = bus_player(gateway, session->player);
    player->fence = session->fence;
    player->rtt_ms = session_rtt_ms(session);
    player->name = outbox_text(&gateway->outbox, session->name);
    player->shard = outbox_text(&gateway->outbox, gateway->shards[session->shard].name);
    player->address = outbox_bytes(&gateway->outbox, session->address.ip, sizeof session->address.ip);
    return player;
}

static void send_state(struct gateway *gateway)
{
    Bus__GatewayState *state = outbox_alloc(&gateway->outbox, sizeof *state);
    Bus__Item *item = outbox_add(&gateway->outbox, gateway->coordinator);
    uint32_t sessions = gateway->sessions.pool.count;

    bus__gateway_state__init(state);
    state->endpoint = outbox_text(&gateway->outbox, gateway->endpoint);
    state->pid = gateway->pid;
    state->connections = sessions;
    state->packets_in = gateway->stats.datagrams_in;
    state->packets_out = gateway->stats.datagrams_out;
    state->draining = gateway->draining;
    state->players = outbox_alloc(&gateway->outbox, (sessions + 1) * sizeof(Bus__GatewayPlayer *));
    for (uint32_t i = 0;; i++) {
        const struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        state->players[state->n_players++] = state_of(gateway, session);
    }
    item->item_case = BUS__ITEM__ITEM_GATEWAY_STATE;
    item->gateway_state = state;
    gateway->state_ms = gateway->now_ms + STATE_PERIOD_MS;
}

static void coordinator_up(struct gateway *gateway, uint16_t peer)
{
    gateway->coordinator = peer;
    /* It tells the players anew, and those who left meanwhile it does not tell. */
    roster_clear(&gateway->roster);
    send_state(gateway);
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        if (session->auth == AUTH_ASKED)
            inbound_ask_ticket(gateway, session);
    }
}

static void shard_up(struct gateway *gateway, uint16_t peer, const char *name)
{
    uint16_t shard = gateway_shard(gateway, name);

    if (shard == SHARDS_MAX) {
        gateway_drop(gateway, REASON_TABLE_FULL);
        return;
    }
    gateway->peers[peer].shard = shard;
    gateway->shards[shard].peer = peer;
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        if (session->shard == shard && !session->joined && session->state != SESSION_CLOSING)
            route_join(gateway, session);
    }
}

void gateway_peer_up(struct gateway *gateway, uint64_t now_ms, uint16_t peer, Bus__Role role,
                     const char *name, uint64_t boot)
{
    struct peer *up = peer_of(gateway, peer);

    advance(gateway, now_ms);
    if (up == NULL) {
        gateway_drop(gateway, REASON_TABLE_FULL);
        return;
    }
    LOG(INFO, "peer_up", KV("peer", name), KV("boot", boot));
    *up = (struct peer){ .role = role, .shard = SHARDS_MAX };
    if (role == BUS__ROLE__ROLE_COORDINATOR)
        coordinator_up(gateway, peer);
    else if (role == BUS__ROLE__ROLE_SHARD)
        shard_up(gateway, peer, name);
}

static void shard_down(struct gateway *gateway, uint16_t peer, uint16_t shard)
{
    groups_forget_peer(&gateway->groups, peer);
    if (shard == SHARDS_MAX)
        return;
    gateway->shards[shard].peer = PEER_NONE;
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        if (session->shard == shard && session->joined)
            door_kick(gateway, session, LEAVE_SERVER, "The world you were in has gone down.");
    }
}

void gateway_peer_down(struct gateway *gateway, uint64_t now_ms, uint16_t peer)
{
    struct peer *down = peer_of(gateway, peer);
    struct peer was;

    advance(gateway, now_ms);
    if (down == NULL || down->role == BUS__ROLE__ROLE_NONE)
        return;
    was = *down;
    *down = (struct peer){ .role = BUS__ROLE__ROLE_NONE };
    if (was.role == BUS__ROLE__ROLE_COORDINATOR) {
        LOG(WARN, "coordinator_lost", KV("joins", gateway->joins.pool.count));
        gateway->coordinator = PEER_NONE;
        joins_clear(&gateway->joins);
    } else if (was.role == BUS__ROLE__ROLE_SHARD) {
        LOG(WARN, "shard_lost", KV("peer", peer));
        shard_down(gateway, peer, was.shard);
    }
}

void gateway_set_backlogged(struct gateway *gateway, uint16_t peer, bool backlogged)
{
    struct peer *at = peer_of(gateway, peer);

    if (at != NULL)
        at->backlogged = backlogged;
}

static void on_settings(struct gateway *gateway, const Bus__ClusterSettings *settings)
{
    size_t refused = settings_apply(&gateway->settings, settings);

    gateway->stats.drops[REASON_BUS_MALFORMED] += refused;
    if (refused > 0)
        LOG(WARN, "settings_refused", KV("parts", refused), KV("revision", settings->revision));
}

static void on_player_listed(struct gateway *gateway, const Bus__PlayerListed *listed)
{
    if (listed->player == NULL ||
        !roster_add(&gateway->roster, listed->player->id, listed->player->token, listed->name))
        gateway_drop(gateway, REASON_BUS_MALFORMED);
}

/* The cluster has let a player go. Of one that is still here, it thought that this gateway was dead. */
static void on_player_left(struct gateway *gateway, const Bus__PlayerLeft *left)
{
    struct session *session;

    if (left->player == NULL) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        return;
    }
    roster_remove(&gateway->roster, left->player->id, left->player->token);
    session = sessions_find_by_player(&gateway->sessions,
                                      (struct player_ref){ left->player->id, left->player->token });
    if (session != NULL)
        door_kick(gateway, session, LEAVE_SERVER, "The server has lost your connection.");
}

static void on_kick(struct gateway *gateway, uint16_t peer, const Bus__Kick *kick)
{
    struct session *session;

    if (kick->player == NULL || kick->reason < LEAVE_KICKED || kick->reason > LEAVE_SERVER) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        return;
    }
    session = sessions_find_by_player(&gateway->sessions,
                                      (struct player_ref){ kick->player->id, kick->player->token });
    if (session == NULL)
        gateway_drop(gateway, REASON_RECIPIENT_GONE);
    else if (peer != gateway->coordinator && gateway->shards[session->shard].peer != peer)
        gateway_drop(gateway, REASON_BUS_FORBIDDEN);
    else
        door_kick(gateway, session, (enum leave_reason)kick->reason, kick->text);
}

/* False: not the coordinator's to say, or a part is missing. */
static bool on_coordinator_item(struct gateway *gateway, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_JOIN_ANSWER:
        if (item->join_answer != NULL)
            door_on_join_answer(gateway, item->join_answer);
        return item->join_answer != NULL;
    case BUS__ITEM__ITEM_TICKET_ANSWER:
        if (item->ticket_answer != NULL)
            inbound_on_ticket_answer(gateway, item->ticket_answer);
        return item->ticket_answer != NULL;
    case BUS__ITEM__ITEM_DISPLACE:
        if (item->displace != NULL)
            door_on_displace(gateway, item->displace);
        return item->displace != NULL;
    case BUS__ITEM__ITEM_SETTINGS:
        if (item->settings != NULL)
            on_settings(gateway, item->settings);
        return item->settings != NULL;
    case BUS__ITEM__ITEM_PLAYER_LISTED:
        if (item->player_listed != NULL)
            on_player_listed(gateway, item->player_listed);
        return item->player_listed != NULL;
    case BUS__ITEM__ITEM_PLAYER_LEFT:
        if (item->player_left != NULL)
            on_player_left(gateway, item->player_left);
        return item->player_left != NULL;
    case BUS__ITEM__ITEM_KICK:
        if (item->kick != NULL)
            on_kick(gateway, gateway->coordinator, item->kick);
        return item->kick != NULL;
    case BUS__ITEM__ITEM_MAP:
        return item->map != NULL; /* the driver's: it connects the shards */
    default:
        return false;
    }
}

static bool on_shard_item(struct gateway *gateway, uint16_t peer, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_SEND:
        if (item->send != NULL)
            route_on_send(gateway, peer, item->send);
        return item->send != NULL;
    case BUS__ITEM__ITEM_GROUP_UPDATE:
        if (item->group_update != NULL)
            route_on_group_update(gateway, peer, item->group_update);
        return item->group_update != NULL;
    case BUS__ITEM__ITEM_KICK:
        if (item->kick != NULL)
            on_kick(gateway, peer, item->kick);
        return item->kick != NULL;
    default:
        return false;
    }
}

void gateway_on_item(struct gateway *gateway, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    const struct peer *from = peer_of(gateway, peer);
    bool taken = false;

    advance(gateway, now_ms);
    if (from != NULL && from->role == BUS__ROLE__ROLE_COORDINATOR)
        taken = on_coordinator_item(gateway, item);
    else if (from != NULL && from->role == BUS__ROLE__ROLE_SHARD)
        taken = on_shard_item(gateway, peer, item);
    if (!taken)
        gateway_drop(gateway, REASON_BUS_FORBIDDEN);
}

struct outbox *gateway_outbox(struct gateway *gateway)
{
    route_acks(gateway);
    return &gateway->outbox;
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
    advance(gateway, now_ms);
    if (gateway->now_ms >= gateway->check_ms) {
        gateway->check_ms += LANE_CHECK_MS;
        if (gateway->check_ms <= gateway->now_ms)
            gateway->check_ms = gateway->now_ms + LANE_CHECK_MS;
        check_sessions(gateway);
        while (joins_expire(&gateway->joins, gateway->awake_ms))
            gateway_drop(gateway, REASON_JOIN_TIMEOUT);
    }
    if (gateway->coordinator != PEER_NONE && gateway->now_ms >= gateway->state_ms)
        send_state(gateway);
}

/* ---- the operator's side */

void gateway_drain(struct gateway *gateway, uint64_t now_ms, const char *text)
{
    advance(gateway, now_ms);
    gateway->draining = true;
    for (uint32_t i = 0;; i++) {
        struct session *session = sessions_next(&gateway->sessions, &i);

        if (session == NULL)
            break;
        door_kick(gateway, session, LEAVE_SERVER, text);
    }
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
