#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "gateway/state.h"

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

Bus__Player *gateway_bus_player(struct gateway *gateway, struct player_ref player)
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
    player->player = gateway_bus_player(gateway, session->player);
    player->fence = session->fence;
    player->rtt_ms = session_rtt_ms(session);
    player->name = outbox_text(&gateway->outbox, session->name);
    player->shard = outbox_text(&gateway->outbox, gateway->shards[session->shard].name);
    player->address = outbox_bytes(&gateway->outbox, session->address.ip, sizeof session->address.ip);
    return player;
}

void gateway_send_state(struct gateway *gateway)
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
    state->highest_revision = gateway->settings.revision > gateway->settings.game_revision
                                  ? gateway->settings.revision
                                  : gateway->settings.game_revision;
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
    gateway_send_state(gateway);
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

    gateway_advance(gateway, now_ms);
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

    gateway_advance(gateway, now_ms);
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
    size_t refused = gateway_settings_apply(&gateway->settings, settings);

    gateway->stats.drops[REASON_BUS_MALFORMED] += refused;
    if (refused > 0)
        LOG(WARN, "settings_refused", KV("parts", refused), KV("revision", settings->revision));
}

static void on_game_update(struct gateway *gateway, const Bus__GameUpdate *update)
{
    if (gateway_settings_update(&gateway->settings, update, gateway->now_ms))
        return;
    gateway_drop(gateway, REASON_BUS_MALFORMED);
    LOG(ERROR, "settings_malformed", KV("revision", update->revision));
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
    case BUS__ITEM__ITEM_PLAYERS_BEGIN:
        /* All who are here are told anew; those who have left meanwhile are not. */
        if (item->players_begin != NULL)
            roster_clear(&gateway->roster);
        return item->players_begin != NULL;
    case BUS__ITEM__ITEM_GAME_UPDATE:
        if (item->game_update != NULL)
            on_game_update(gateway, item->game_update);
        return item->game_update != NULL;
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

    gateway_advance(gateway, now_ms);
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
