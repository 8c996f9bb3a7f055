#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "gateway/query.h"
#include "gateway/state.h"

enum {
    REJECT_FULL = 1,
    REJECT_SHUTTING_DOWN = 8,
    REJECT_NO_WORLD = 10,
    REJECT_MAX = 10,
    KICK_TEXT_MAX = 127,
};

static struct span text_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

/* ---- in: hellos */

static void challenge(struct gateway *gateway, const struct address *from, uint64_t nonce)
{
    const struct limit_rule *rule = &gateway->settings.limits.rules[LIMIT_CHALLENGES];
    enum limit_verdict verdict = budget_take_share(&gateway->challenges, rule, gateway->now_ms, gateway->rng);
    struct wire_connect_challenge answer = { .client_nonce = nonce };
    uint8_t data[WIRE_CONNECT_CHALLENGE_SIZE];
    struct wire_error error;

    gateway->stats.observed[LIMIT_CHALLENGES] += verdict == LIMIT_OBSERVED;
    if (verdict == LIMIT_OVER) {
        gateway_drop(gateway, REASON_CHALLENGE_BUDGET);
        return;
    }
    answer.cookie = cookie_make(&gateway->cookies, from, nonce);
    gateway_send_stranger(gateway, from, &wire_connect_challenge_packet, data,
                          wire_connect_challenge_encode(&answer, data, sizeof data, &error));
}

static void reject(struct gateway *gateway, const struct address *to, uint64_t nonce, uint32_t reason,
                   const char *detail)
{
    struct wire_connect_reject answer = { .client_nonce = nonce, .detail = text_of(detail) };
    uint8_t data[WIRE_CONNECT_REJECT_SIZE_MAX];
    struct wire_error error;
    size_t size;

    answer.reason = (uint8_t)(reason >= 1 && reason <= REJECT_MAX ? reason : REJECT_NO_WORLD);
    gateway->stats.rejects[answer.reason]++;
    size = wire_connect_reject_encode(&answer, data, sizeof data, &error);
    if (size == 0) {
        /* A detail that the wire does not take: the reason says enough. */
        answer.detail.size = 0;
        size = wire_connect_reject_encode(&answer, data, sizeof data, &error);
    }
    gateway_send_stranger(gateway, to, &wire_connect_reject_packet, data, size);
}

static void greet(struct gateway *gateway, const struct session *session)
{
    const struct settings *settings = &gateway->settings;
    struct wire_server_hello hello = {
        .client_nonce = session->nonce,
        .session_token = session->token,
        .player_id = session->player.id,
        .player_token = session->player.token,
        .max_players = settings->max_players,
        .heartbeat_ms = settings->heartbeat_ms,
        .server_time = (uint32_t)gateway->now_ms,
        .server_name = text_of(settings->server_name),
    };
    uint8_t *data = egress_alloc(&gateway->egress, WIRE_SERVER_HELLO_SIZE_MAX);
    struct wire_error error;

    memcpy(hello.driveby_interval, session->driveby_ms, sizeof hello.driveby_interval);
    if (data == NULL) {
        gateway_drop(gateway, REASON_EGRESS_FULL);
        return;
    }
    gateway_send(gateway, session, &wire_server_hello_packet, data,
                 wire_server_hello_encode(&hello, data, WIRE_SERVER_HELLO_SIZE_MAX, &error));
}

static void ask(struct gateway *gateway, const struct address *from, const struct wire_client_hello *hello)
{
    const struct settings *settings = &gateway->settings;
    const struct session *replaced = sessions_find_by_address(&gateway->sessions, from);
    struct outbox *outbox = &gateway->outbox;
    uint64_t number;
    struct join *join = joins_add(&gateway->joins, from, hello->client_nonce, &number);
    Bus__JoinRequest *request;
    Bus__Item *item;

    if (join == NULL) {
        gateway_drop(gateway, REASON_JOINS_FULL);
        return;
    }
    join->asked_ms = gateway->awake_ms;
    join->has_auth = hello->auth != 0;
    memcpy(join->name, hello->name.data, hello->name.size);

    request = outbox_alloc(outbox, sizeof *request);
    bus__join_request__init(request);
    request->request = number;
    request->address = outbox_bytes(outbox, from->ip, sizeof from->ip);
    request->name = outbox_text(outbox, join->name);
    request->name_valid = player_name_is_valid(hello->name);
    request->password_valid = password_is_right(hello->password, text_of(settings->password));
    request->has_auth = join->has_auth;
    if (replaced != NULL)
        request->replaces = gateway_bus_player(gateway, replaced->player);
    item = outbox_add(outbox, gateway->coordinator);
    item->item_case = BUS__ITEM__ITEM_JOIN_REQUEST;
    item->join_request = request;
}

/* A hello from an address that has proven itself. */
static void on_proven_hello(struct gateway *gateway, const struct address *from,
                            const struct wire_client_hello *hello)
{
    const struct session *session = sessions_find_by_address(&gateway->sessions, from);
    enum limit_verdict verdict = sources_take(
        &gateway->hello_sources, &gateway->settings.limits.rules[LIMIT_HELLO], from, gateway->now_ms);

    gateway->stats.observed[LIMIT_HELLO] += verdict == LIMIT_OBSERVED;
    if (verdict == LIMIT_OVER)
        gateway_drop(gateway, REASON_LIMIT_HELLO);
    else if (session != NULL && session->nonce == hello->client_nonce && session->state == SESSION_GREETED)
        greet(gateway, session);
    else if (session != NULL && session->nonce == hello->client_nonce)
        gateway_drop(gateway, REASON_HELLO_REPEATED);
    else if (gateway->draining)
        reject(gateway, from, hello->client_nonce, REJECT_SHUTTING_DOWN, "");
    else if (joins_find(&gateway->joins, from, hello->client_nonce) != NULL)
        gateway_drop(gateway, REASON_JOIN_PENDING);
    else if (gateway->coordinator == PEER_NONE || !gateway->settings.known)
        gateway_drop(gateway, REASON_NO_COORDINATOR);
    else
        ask(gateway, from, hello);
}

void door_on_hello(struct gateway *gateway, const struct address *from, struct span data)
{
    struct wire_client_hello hello;
    struct wire_error error;

    /* The version is read before anything else is judged: what follows it may be of another revision. */
    if (data.size >= WIRE_CLIENT_HELLO_PROTOCOL_VERSION_AT + sizeof hello.protocol_version &&
        load_u16(data.data + WIRE_CLIENT_HELLO_PROTOCOL_VERSION_AT) != WIRE_VERSION) {
        gateway_drop(gateway, REASON_VERSION);
        return;
    }
    if (!wire_client_hello_decode(&hello, data.data, data.size, &error)) {
        gateway_drop(gateway, reason_of_wire(error.why));
        return;
    }
    cookies_advance(&gateway->cookies, gateway->rng, gateway->now_ms);
    if (cookie_is_good(&gateway->cookies, from, hello.client_nonce, hello.cookie))
        on_proven_hello(gateway, from, &hello);
    else
        challenge(gateway, from, hello.client_nonce);
}

/* ---- in: queries */

void door_on_query(struct gateway *gateway, const struct address *from, struct span data)
{
    const struct limit_rule *rules = gateway->settings.limits.rules;
    const struct query_source source = { &gateway->settings, &gateway->roster, &gateway->sessions };
    const struct wire_packet *packet;
    struct wire_query_request request;
    struct wire_error error;
    enum limit_verdict verdict;
    uint8_t answer[QUERY_ANSWER_MAX];
    size_t size;

    if (!wire_query_request_decode(&request, data.data, data.size, &error)) {
        gateway_drop(gateway, reason_of_wire(error.why));
        return;
    }
    if (!gateway->settings.known) {
        gateway_drop(gateway, REASON_NO_COORDINATOR);
        return;
    }
    verdict = sources_take(&gateway->query_sources, &rules[LIMIT_QUERY], from, gateway->now_ms);
    gateway->stats.observed[LIMIT_QUERY] += verdict == LIMIT_OBSERVED;
    if (verdict == LIMIT_OVER) {
        gateway_drop(gateway, REASON_LIMIT_QUERY);
        return;
    }
    verdict = budget_take(&gateway->queries, &rules[LIMIT_QUERIES], gateway->now_ms);
    gateway->stats.observed[LIMIT_QUERIES] += verdict == LIMIT_OBSERVED;
    if (verdict == LIMIT_OVER) {
        gateway_drop(gateway, REASON_QUERY_BUDGET);
        return;
    }
    size = query_answer(&source, &request, answer);
    packet = wire_identify(WIRE_S2C, answer, size, &error);
    assert(packet != NULL && size <= data.size);
    gateway_send_stranger(gateway, from, packet, answer, size);
}

/* ---- in: the cluster's decision */

static void tell_left(struct gateway *gateway, struct player_ref player, enum leave_reason reason)
{
    struct outbox *outbox = &gateway->outbox;
    Bus__PlayerLeft *left;
    Bus__Item *item;

    if (gateway->coordinator == PEER_NONE)
        return; /* the next GatewayState says it */
    left = outbox_alloc(outbox, sizeof *left);
    bus__player_left__init(left);
    left->player = gateway_bus_player(gateway, player);
    left->reason = reason;
    item = outbox_add(outbox, gateway->coordinator);
    item->item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item->player_left = left;
}

static void fill_buckets(struct gateway *gateway, struct session *session)
{
    for (int i = 0; i < LIMITS_OF_SESSION; i++)
        limit_bucket_fill(&session->buckets[i], &gateway->settings.limits.rules[i], gateway->now_ms);
}

/* A session token that no session has: 64 random bits, so the loop is for the simulator's seeds. */
static uint64_t draw_token(struct gateway *gateway)
{
    uint64_t token = rng_token(gateway->rng);

    while (sessions_find_by_token(&gateway->sessions, token) != NULL)
        token = rng_token(gateway->rng);
    return token;
}

static void open_session(struct gateway *gateway, const struct join *join, const Bus__JoinAnswer *answer,
                         uint16_t shard)
{
    const struct player_ref player = { answer->player->id, answer->player->token };
    const Bus__Spawn *spawn = answer->spawn;
    struct session *replaced = sessions_find_by_address(&gateway->sessions, &join->address);
    struct session *session;

    /* Connection, "Opening a connection", 5: a reconnect. */
    if (replaced != NULL)
        door_end(gateway, replaced, LEAVE_QUIT);
    /* The cluster has given the id to another: whoever had it is not its player any more. */
    replaced = sessions_find_by_id(&gateway->sessions, player.id);
    if (replaced != NULL)
        door_end(gateway, replaced, LEAVE_SERVER);

    session =
        sessions_open(&gateway->sessions, player, &join->address, draw_token(gateway), gateway->awake_ms);
    if (session == NULL) {
        gateway_drop(gateway, REASON_SESSIONS_FULL);
        tell_left(gateway, player, LEAVE_SERVER);
        reject(gateway, &join->address, join->nonce, REJECT_FULL, "");
        return;
    }
    gateway->stats.sessions++;
    gateway->stats.sessions_opened++;
    session->nonce = join->nonce;
    session->fence = answer->fence;
    session->shard = shard;
    session->number = 1; /* of PlayerJoin */
    session->auth = join->has_auth ? AUTH_AWAITED : AUTH_NONE;
    memcpy(session->name, join->name, sizeof session->name);
    memcpy(session->driveby_ms, gateway->settings.game.driveby_ms, sizeof session->driveby_ms);
    session->spawn = (struct session_spawn){ .virtual_world = spawn->scope->virtual_world,
                                             .interior = spawn->scope->interior,
                                             .pos = { spawn->x, spawn->y, spawn->z },
                                             .heading = spawn->heading,
                                             .skin = spawn->skin };
    fill_buckets(gateway, session);
    LOG(INFO, "session_opened", KV("player", player.id), KV("generation", player.token),
        KV("name", session->name), KV("shard", gateway->shards[shard].name));
    greet(gateway, session);
    route_join(gateway, session);
}

void door_on_join_answer(struct gateway *gateway, const Bus__JoinAnswer *answer)
{
    const struct join *waiting = joins_get(&gateway->joins, answer->request);
    bool accepted = answer->reject == 0;
    bool whole = answer->player != NULL && answer->player->id != WIRE_NONE && answer->player->token != 0 &&
                 answer->spawn != NULL && answer->spawn->scope != NULL;
    uint16_t shard = accepted ? gateway_shard(gateway, answer->shard) : SHARDS_MAX;
    struct join join;

    if (waiting == NULL || waiting->superseded)
        gateway_drop(gateway, waiting == NULL ? REASON_BUS_STALE : REASON_JOIN_SUPERSEDED);
    if (accepted && (waiting == NULL || waiting->superseded || !whole || shard == SHARDS_MAX) &&
        answer->player != NULL)
        tell_left(gateway, (struct player_ref){ answer->player->id, answer->player->token }, LEAVE_QUIT);
    if (waiting == NULL)
        return;
    join = *waiting;
    joins_remove(&gateway->joins, answer->request);
    if (join.superseded)
        return;
    if (!accepted) {
        reject(gateway, &join.address, join.nonce, answer->reject, answer->detail);
    } else if (!whole || shard == SHARDS_MAX) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        reject(gateway, &join.address, join.nonce, REJECT_NO_WORLD, "");
    } else {
        open_session(gateway, &join, answer, shard);
    }
}

/* ---- out */

void door_kick(struct gateway *gateway, struct session *session, enum leave_reason reason, const char *text)
{
    struct wire_kick_notify kick = { .reason = (uint8_t)reason, .text = text_of(text) };
    uint8_t data[WIRE_KICK_NOTIFY_SIZE_MAX];
    struct wire_error error;
    size_t size;

    assert(reason >= LEAVE_KICKED && reason <= LEAVE_SERVER);
    if (session->state == SESSION_CLOSING)
        return;
    if (kick.text.size > KICK_TEXT_MAX)
        kick.text.size = KICK_TEXT_MAX;
    size = wire_kick_notify_encode(&kick, data, sizeof data, &error);
    if (size == 0) {
        /* Not for the wire, or cut within a character: the reason alone has to do. */
        kick.text.size = 0;
        size = wire_kick_notify_encode(&kick, data, sizeof data, &error);
    }
    session->kick_reason = reason;
    session->kicked_ms = gateway->awake_ms;
    session_set_state(session, SESSION_CLOSING);
    LOG(INFO, "session_kicked", KV("player", session->player.id), KV("reason", (int)reason),
        KV("text", text));
    if (route_own_event(gateway, session, (struct span){ data, size }) == LANE_FULL)
        door_end(gateway, session, reason);
    else
        session->kick_event = session->lane.last_id;
}

void door_end(struct gateway *gateway, struct session *session, enum leave_reason reason)
{
    if (session->state == SESSION_CLOSING)
        reason = session->kick_reason;
    LOG(INFO, "session_closed", KV("player", session->player.id), KV("reason", (int)reason),
        KV("unacked", lane_pending(&session->lane)), KV("rtt_ms", session_rtt_ms(session)));
    route_gone(gateway, session, reason);
    tell_left(gateway, session->player, reason);
    gateway->stats.sessions--;
    gateway->stats.sessions_closed[reason]++;
    lane_fini(&session->lane, &gateway->frames);
    session_set_state(session, SESSION_ENDED);
    sessions_close(&gateway->sessions, session);
}

void door_on_displace(struct gateway *gateway, const Bus__Displace *displace)
{
    struct outbox *outbox = &gateway->outbox;
    struct player_ref player;
    struct session *session;
    Bus__Displaced *displaced;
    Bus__Item *item;
    bool gone;

    if (displace->player == NULL) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        return;
    }
    player = (struct player_ref){ displace->player->id, displace->player->token };
    session = sessions_find_by_player(&gateway->sessions, player);
    gone = session == NULL || gateway->awake_ms - session->heard_ms >= displace->silent_ms;
    if (session != NULL && gone)
        door_end(gateway, session, LEAVE_TIMEOUT);

    displaced = outbox_alloc(outbox, sizeof *displaced);
    bus__displaced__init(displaced);
    displaced->player = gateway_bus_player(gateway, player);
    displaced->gone = gone;
    displaced->request = displace->request;
    item = outbox_add(outbox, gateway->coordinator);
    item->item_case = BUS__ITEM__ITEM_DISPLACED;
    item->displaced = displaced;
}
