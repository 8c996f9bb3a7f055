#include "shard/core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shard/chat.h"
#include "shard/lanes.h"
#include "shard/ownership.h"
#include "shard/player_join.h"
#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/player_sync.h"
#include "shard/settings.h"
#include "shard/shard.h"
#include "shard/stream.h"
#include "shard/vehicle_damage.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_enter.h"
#include "shard/vehicle_frame.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_nitro.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_shot.h"
#include "shard/vehicle_syncer.h"
#include "shard/vehicle_winch.h"

/* ---- packets */

enum limit { LIMIT_NONE, LIMIT_CHAT, LIMIT_COMMANDS, LIMIT_VEHICLE_EVENTS };

/* Chat, "Limits on what players send"; Vehicles: VehicleControl, Vehicle event rate limit. */
static const struct bucket_limit chat_limit = { .burst = 4, .per_second = 2 };
static const struct bucket_limit commands_limit = { .burst = 8, .per_second = 4 };
static const struct bucket_limit vehicle_events_limit = { .burst = 30, .per_second = 15 };

/* clang-format off: columns */
static const struct packet_rule {
    void (*handle)(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
    enum limit limit;
} packet_rules[UINT8_MAX + 1] = {
    /*  handler             shares the limit     */
    [PACKET_PLAYER_SYNC] = { on_player_sync, LIMIT_NONE },
    [PACKET_REQUEST_SPAWN] = { on_request_spawn, LIMIT_NONE },
    [PACKET_DEATH_REPORT] = { on_death_report, LIMIT_NONE },
    [PACKET_RESPAWN_REQUEST] = { on_respawn_request, LIMIT_NONE },
    [PACKET_CLIENT_CHAT] = { on_client_chat, LIMIT_CHAT },
    [PACKET_CLIENT_COMMAND] = { on_client_command, LIMIT_COMMANDS },
    [PACKET_VEHICLE_ENTER] = { on_vehicle_enter, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_EXIT] = { on_vehicle_exit, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_FRAME] = { on_vehicle_frame, LIMIT_NONE },
    [PACKET_VEHICLE_CONTROL] = { on_vehicle_control, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_TOW] = { on_vehicle_tow, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_WINCH] = { on_vehicle_winch, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_REMOTE_EXIT] = { on_vehicle_remote_exit, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_REMOTE_ENTER] = { on_vehicle_remote_enter, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_DAMAGE] = { on_vehicle_damage, LIMIT_VEHICLE_EVENTS },
    [PACKET_VEHICLE_EXPLODE] = { on_vehicle_explode, LIMIT_NONE },
    [PACKET_VEHICLE_SHOT] = { on_vehicle_shot, LIMIT_NONE },
};
/* clang-format on */

/* Whose sender is told how it stands when one is over the limit. */
static void (*const dropped_rules[UINT8_MAX + 1])(struct shard *shard, struct player *player,
                                                  struct span packet) = {
    [PACKET_VEHICLE_TOW] = vehicle_tow_dropped,
    [PACKET_VEHICLE_WINCH] = vehicle_winch_dropped,
};

/* False: over the limit, and the sender has been told where the page says so. */
static bool take_limit(struct shard *shard, struct player *player, uint64_t now_ms, enum limit limit)
{
    switch (limit) {
    case LIMIT_NONE:
        return true;
    case LIMIT_CHAT:
        if (bucket_take(&player->chat, chat_limit, now_ms))
            return true;
        shard_count(shard, REASON_LIMIT_CHAT);
        chat_tell_too_fast(shard, player, now_ms);
        return false;
    case LIMIT_COMMANDS:
        if (bucket_take(&player->commands, commands_limit, now_ms))
            return true;
        shard_count(shard, REASON_LIMIT_COMMANDS);
        chat_tell_too_fast(shard, player, now_ms);
        return false;
    case LIMIT_VEHICLE_EVENTS:
        if (bucket_take(&player->vehicle_events, vehicle_events_limit, now_ms))
            return true;
        shard_count(shard, REASON_LIMIT_VEHICLE_EVENTS);
        return false;
    }
    return false;
}

/* The packet as the client sent it, but for the token, which is not this process's to know. */
static struct span rebuild(const Bus__ClientPacket *item, const struct wire_packet *packet, uint8_t *scratch)
{
    size_t head = 1;

    scratch[0] = item->packet.data[0];
    if (packet->has_token) {
        memset(scratch + head, 0, sizeof(uint64_t));
        head += sizeof(uint64_t);
    }
    if (packet->event_id_at != 0) {
        store_u32(scratch + head, item->event_id);
        head += sizeof(uint32_t);
    }
    memcpy(scratch + head, item->packet.data + 1, item->packet.len - 1);
    return (struct span){ .data = scratch, .size = head + item->packet.len - 1 };
}

/* Is it the next of the player's reliable items? Each is applied once and in order. */
static bool take_item(struct shard *shard, struct player *player, uint64_t number)
{
    if (number == player->last_item + 1) {
        player->last_item = number;
        return true;
    }
    shard_count(shard, number <= player->last_item ? REASON_ITEM_REPEATED : REASON_ITEM_GAP);
    return false;
}

static void on_packet(struct shard *shard, struct player *player, uint64_t now_ms,
                      const Bus__ClientPacket *item)
{
    uint8_t scratch[WIRE_PACKET_SIZE_MAX + sizeof(uint64_t) + sizeof(uint32_t)];
    struct wire_error error;
    const struct wire_packet *packet;
    const struct packet_rule *rule;

    if (item->packet.len == 0 || item->packet.len > WIRE_PACKET_SIZE_MAX) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    packet = wire_identify(WIRE_C2S, item->packet.data, item->packet.len, &error);
    if (packet == NULL) {
        shard_count_malformed(shard, &error);
        return;
    }
    if ((packet->lane == WIRE_RELIABLE) != (item->number != 0)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    rule = &packet_rules[packet->id];
    if (rule->handle == NULL)
        shard_count(shard, REASON_NO_HANDLER);
    else if (take_limit(shard, player, now_ms, rule->limit))
        rule->handle(shard, player, now_ms, rebuild(item, packet, scratch));
    else if (dropped_rules[packet->id] != NULL)
        dropped_rules[packet->id](shard, player, rebuild(item, packet, scratch));
}

/* ---- items of a gateway */

/* The player that an item is about, if it is there and the gateway's. NULL: counted. */
static struct player *player_of(struct shard *shard, uint8_t gateway, const Bus__Player *ref)
{
    struct player *player;

    if (ref == NULL) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return NULL;
    }
    player = world_player(&shard->world, (struct player_ref){ .id = ref->id, .token = ref->token });
    if (player == NULL)
        shard_count(shard, REASON_BUS_STALE);
    else if (player->gateway != gateway)
        shard_count(shard, REASON_BUS_FORBIDDEN);
    return player != NULL && player->gateway == gateway ? player : NULL;
}

static void on_client_packet(struct shard *shard, uint64_t now_ms, uint8_t gateway,
                             const Bus__ClientPacket *item)
{
    struct player *player = player_of(shard, gateway, item->player);

    if (player == NULL || (item->number != 0 && !take_item(shard, player, item->number)))
        return;
    if (item->number != 0)
        asking_begin(&shard->asking, player->ref, item->number);
    player->rtt_ms = item->rtt_ms;
    on_packet(shard, player, now_ms, item);
}

static void on_events_acked(struct shard *shard, uint8_t gateway, const Bus__EventsAcked *acked)
{
    struct player *player = player_of(shard, gateway, acked->player);

    if (player == NULL)
        return;
    lane_on_acked(&player->lane, acked->event_id);
    player->rtt_ms = acked->rtt_ms;
    player_state_send_owed(shard, player);
    if (player->barrier.pending)
        player_pass_barrier(shard, player);
    else if (player->owed_hides_count > 0)
        stream_send_owed(shard, player);
}

static void on_tag_acked(struct shard *shard, uint8_t gateway, const Bus__TagAcked *acked)
{
    struct player *player = player_of(shard, gateway, acked->player);

    if (player != NULL)
        take_item(shard, player, acked->number);
}

/* A leave is the last of a player's items and is never waited for: nobody may stay behind because of a
 * gap. */
static void on_player_gone(struct shard *shard, uint8_t gateway, const Bus__PlayerGone *gone)
{
    struct player *player = player_of(shard, gateway, gone->player);

    if (player == NULL)
        return;
    asking_begin(&shard->asking, player->ref, gone->number);
    if (gone->reason >= LEAVE_REASONS) {
        shard_count(shard, REASON_BUS_MALFORMED);
        player_leave(shard, player, LEAVE_SERVER);
        return;
    }
    player_leave(shard, player, (enum leave_reason)gone->reason);
}

static void on_player_auth(struct shard *shard, uint8_t gateway, const Bus__PlayerAuth *auth)
{
    struct player *player = player_of(shard, gateway, auth->player);

    if (player == NULL || !take_item(shard, player, auth->number))
        return;
    asking_begin(&shard->asking, player->ref, auth->number);
    account_on_auth(shard, player, auth);
}

static void on_gateway_item(struct shard *shard, uint64_t now_ms, uint8_t gateway, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_PLAYER_JOIN:
        player_on_join(shard, now_ms, gateway, item->player_join);
        break;
    case BUS__ITEM__ITEM_CLIENT_PACKET:
        on_client_packet(shard, now_ms, gateway, item->client_packet);
        break;
    case BUS__ITEM__ITEM_EVENTS_ACKED:
        on_events_acked(shard, gateway, item->events_acked);
        break;
    case BUS__ITEM__ITEM_TAG_ACKED:
        on_tag_acked(shard, gateway, item->tag_acked);
        break;
    case BUS__ITEM__ITEM_PLAYER_GONE:
        on_player_gone(shard, gateway, item->player_gone);
        break;
    case BUS__ITEM__ITEM_PLAYER_AUTH:
        on_player_auth(shard, gateway, item->player_auth);
        break;
    default:
        shard_count(shard, REASON_BUS_FORBIDDEN);
    }
}

static bool order_is_valid(const Bus__ResourceOrder *order)
{
    switch (order->op) {
    case BUS__RESOURCE_ORDER__OP__OP_START:
    case BUS__RESOURCE_ORDER__OP__OP_STOP:
        return game_resource_is_valid(order->resource);
    case BUS__RESOURCE_ORDER__OP__OP_RESTART:
    case BUS__RESOURCE_ORDER__OP__OP_RELOAD:
        return order->number != 0 && game_resource_is_valid(order->resource);
    default:
        return false;
    }
}

static void on_resource_order(struct shard *shard, const Bus__ResourceOrder *order)
{
    if (!order_is_valid(order))
        shard_count(shard, REASON_BUS_MALFORMED);
    else if (shard->hooks.on_order != NULL)
        shard->hooks.on_order(shard->hooks.context, order);
}

static void on_coordinator_item(struct shard *shard, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_MAP:
        ownership_on_map(shard, item->map);
        break;
    case BUS__ITEM__ITEM_ID_LEASE:
        ownership_on_lease(shard, item->id_lease);
        break;
    case BUS__ITEM__ITEM_PLAYERS_BEGIN:
        list_on_begin(&shard->list);
        break;
    case BUS__ITEM__ITEM_PLAYER_LISTED:
        list_on_listed(shard, item->player_listed);
        break;
    case BUS__ITEM__ITEM_PLAYER_LEFT:
        list_on_left(shard, item->player_left);
        break;
    case BUS__ITEM__ITEM_BROADCAST:
        chat_on_broadcast(shard, item->broadcast);
        break;
    case BUS__ITEM__ITEM_SETTINGS:
        shard->require_account = item->settings->require_account;
        break;
    case BUS__ITEM__ITEM_GAME_UPDATE:
        settings_on_update(shard, item->game_update);
        break;
    case BUS__ITEM__ITEM_GAME_ANSWER:
        settings_on_answer(shard, item->game_answer);
        break;
    case BUS__ITEM__ITEM_SCRIPT_EVENT:
        ask_on_event(shard, item->script_event);
        break;
    case BUS__ITEM__ITEM_KV_ANSWER:
        ask_on_kv(shard, item->kv_answer);
        break;
    case BUS__ITEM__ITEM_RESOURCE_ORDER:
        on_resource_order(shard, item->resource_order);
        break;
    default:
        shard_count(shard, REASON_BUS_FORBIDDEN);
    }
}

static struct gateway_link *gateway_of(struct shard *shard, uint16_t peer)
{
    for (size_t i = 0; i < WORLD_GATEWAYS_MAX; i++)
        if (shard->gateways[i].up && shard->gateways[i].peer == peer)
            return &shard->gateways[i];
    return NULL;
}

void shard_settle(struct shard *shard)
{
    vehicle_raise_seats(shard);
    vehicle_syncer_run(shard);
}

void shard_on_item(struct shard *shard, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    const struct gateway_link *gateway = gateway_of(shard, peer);

    shard->now_ms = now_ms;
    /* All members of the item's union are pointers. */
    if (item->item_case == BUS__ITEM__ITEM__NOT_SET || item->player_join == NULL)
        shard_count(shard, REASON_BUS_MALFORMED);
    else if (gateway != NULL)
        on_gateway_item(shard, now_ms, (uint8_t)(gateway - shard->gateways), item);
    else if (peer == shard->coordinator)
        on_coordinator_item(shard, item);
    else
        shard_count(shard, REASON_BUS_FORBIDDEN);
    vehicle_raise_seats(shard);
    asking_end(&shard->asking);
    shard_settle(shard);
}

/* ---- peers */

static void report(struct shard *shard, uint64_t now_ms)
{
    struct outbox *outbox = &shard->outbox;

    shard->report_at_ms = now_ms + SHARD_REPORT_MS;
    if (shard->coordinator == PEER_NONE)
        return;

    Bus__Item *item = outbox_add(outbox, shard->coordinator);
    Bus__ShardState *state = outbox_alloc(outbox, sizeof *state);

    bus__shard_state__init(state);
    state->bus_endpoint = outbox_text(outbox, shard->config.bus_endpoint);
    state->pid = shard->config.pid;
    state->players = shard->world.players.count;
    state->vehicles = shard->world.vehicles.count;
    state->tick_ms = shard->longest_tick_ms;
    state->highest_player_token = shard->world.highest_token;
    state->highest_vehicle_id = shard->world.highest_vehicle_id;
    state->highest_revision =
        shard->map_revision > shard->settings.revision ? shard->map_revision : shard->settings.revision;
    state->weapon_revision = shard->settings.now.weapon_revision;
    state->relation_revision = shard->teams.relation_revision;
    item->item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item->shard_state = state;
    shard->longest_tick_ms = 0;
}

/* Everybody who came by it leaves. */
static void lose_gateway(struct shard *shard, struct gateway_link *gateway)
{
    const struct pool *players = &shard->world.players;
    uint8_t index = (uint8_t)(gateway - shard->gateways);

    for (uint32_t slot = pool_next(players, 0); slot != POOL_END; slot = pool_next(players, slot + 1)) {
        struct player *player = world_player_at(&shard->world, slot);

        if (player->gateway == index)
            player_leave(shard, player, LEAVE_TIMEOUT);
    }
    *gateway = (struct gateway_link){ 0 };
}

/* The gateway gets its part of all groups anew. It may not have noticed that it was away: then it has the
 * groups of before, with members that they have lost since, and of entities that are no more. */
static void resend_groups(struct shard *shard, uint8_t gateway)
{
    const struct pool *players = &shard->world.players;
    const struct pool *vehicles = &shard->world.vehicles;

    group_reset_all(shard, gateway);
    if (shard->world.everyone.members[gateway] > 0)
        group_resend(shard, &shard->world.everyone, gateway);
    for (uint32_t slot = pool_next(players, 0); slot != POOL_END; slot = pool_next(players, slot + 1))
        if (world_player_at(&shard->world, slot)->observers.members[gateway] > 0)
            group_resend(shard, &world_player_at(&shard->world, slot)->observers, gateway);
    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        if (world_vehicle_at(&shard->world, slot)->observers.members[gateway] > 0)
            group_resend(shard, &world_vehicle_at(&shard->world, slot)->observers, gateway);
}

/* It was away for less than the grace and has kept its players. What they were to be told meanwhile is
 * lost, so they are shown everything anew. */
static void regain_gateway(struct shard *shard, struct gateway_link *gateway)
{
    const struct pool *players = &shard->world.players;
    uint8_t index = (uint8_t)(gateway - shard->gateways);

    resend_groups(shard, index);
    for (uint32_t slot = pool_next(players, 0); slot != POOL_END; slot = pool_next(players, slot + 1)) {
        struct player *player = world_player_at(&shard->world, slot);

        if (player->gateway != index)
            continue;
        if (player->owed_hides_count == PLAYER_OWED_HIDES_MAX) {
            player_send_away(shard, index, player->ref, "out of reach for too long");
            continue;
        }
        stream_start_again(shard, player);
        vehicle_remote_tell_again(shard, player);
    }
}

static struct gateway_link *gateway_by_name(struct shard *shard, const char *name)
{
    for (size_t i = 0; i < WORLD_GATEWAYS_MAX; i++)
        if (shard->gateways[i].used && strcmp(shard->gateways[i].name, name) == 0)
            return &shard->gateways[i];
    return NULL;
}

static struct gateway_link *free_gateway(struct shard *shard)
{
    for (size_t i = 0; i < WORLD_GATEWAYS_MAX; i++)
        if (!shard->gateways[i].used)
            return &shard->gateways[i];
    return NULL;
}

static void gateway_up(struct shard *shard, uint16_t peer, const char *name, uint64_t boot)
{
    struct gateway_link *gateway = gateway_by_name(shard, name);

    if (gateway != NULL && gateway->boot == boot) {
        gateway->up = true;
        gateway->peer = peer;
        regain_gateway(shard, gateway);
        return;
    }
    if (gateway != NULL)
        lose_gateway(shard, gateway);
    gateway = free_gateway(shard);
    if (gateway == NULL || strlen(name) >= sizeof gateway->name) {
        shard_count(shard, REASON_TABLE_FULL);
        return;
    }
    *gateway = (struct gateway_link){ .used = true, .up = true, .peer = peer, .boot = boot };
    memcpy(gateway->name, name, strlen(name) + 1);
}

/* Whoever comes next knows nothing of what this one was asked. */
static void lose_coordinator(struct shard *shard)
{
    shard->coordinator = PEER_NONE;
    settings_on_coordinator(shard);
    ask_on_coordinator_lost(shard);
}

void shard_peer_up(struct shard *shard, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                   uint64_t boot)
{
    shard->now_ms = now_ms;
    if (role == BUS__ROLE__ROLE_GATEWAY) {
        gateway_up(shard, peer, name, boot);
    } else if (role == BUS__ROLE__ROLE_COORDINATOR) {
        lose_coordinator(shard);
        shard->coordinator = peer;
        report(shard, now_ms);
        ownership_on_coordinator(shard);
        if (shard->hooks.on_coordinator != NULL)
            shard->hooks.on_coordinator(shard->hooks.context);
    }
    shard_settle(shard);
}

void shard_peer_down(struct shard *shard, uint64_t now_ms, uint16_t peer)
{
    struct gateway_link *gateway = gateway_of(shard, peer);

    shard->now_ms = now_ms;
    if (peer == shard->coordinator)
        lose_coordinator(shard);
    if (gateway != NULL) {
        gateway->up = false;
        gateway->down_at_ms = now_ms;
    }
}

/* ---- time */

static void lose_dead_gateways(struct shard *shard, uint64_t now_ms)
{
    for (size_t i = 0; i < WORLD_GATEWAYS_MAX; i++) {
        struct gateway_link *gateway = &shard->gateways[i];

        if (gateway->used && !gateway->up && now_ms - gateway->down_at_ms >= SHARD_GATEWAY_GRACE_MS)
            lose_gateway(shard, gateway);
    }
}

/* What a gateway that was away, or a full lane, has held up. */
static void go_on(struct shard *shard)
{
    const struct group *everyone = &shard->world.everyone;

    for (uint16_t i = 0; i < everyone->count; i++) {
        struct player *player = world_player_at(&shard->world, everyone->observers[i]);

        player_state_send_owed(shard, player);
        player_pass_barrier(shard, player);
    }
}

static void raise_tick(struct shard *shard, uint64_t now_ms)
{
    uint64_t dt_ms = shard->ticked_at_ms == 0 ? SHARD_TICK_MS : now_ms - shard->ticked_at_ms;

    shard->ticked_at_ms = now_ms;
    (void)EVENT_RAISE(shard, EVENT_TICK, event_integer((int64_t)dt_ms));
}

void shard_tick(struct shard *shard, uint64_t now_ms)
{
    if (now_ms < shard->tick_at_ms)
        return;
    shard->now_ms = now_ms;
    /* Whoever slept too long makes up for nothing: the next tick is a whole one away. */
    shard->tick_at_ms += SHARD_TICK_MS;
    if (shard->tick_at_ms <= now_ms)
        shard->tick_at_ms = now_ms + SHARD_TICK_MS;

    lose_dead_gateways(shard, now_ms);
    ownership_populate(shard);
    raise_tick(shard, now_ms);
    go_on(shard);
    vehicle_remote_tick(shard);
    stream_tick(shard);
    vehicle_nitro_tick(shard, now_ms);
    list_tick(shard, now_ms);
    settings_tick(shard);
    shard_settle(shard);
    if (now_ms >= shard->report_at_ms)
        report(shard, now_ms);
}

uint64_t shard_wakes_at(const struct shard *shard)
{
    return shard->tick_at_ms;
}

void shard_set_hooks(struct shard *shard, const struct event_hooks *hooks)
{
    shard->hooks = *hooks;
}

struct outbox *shard_outbox(struct shard *shard)
{
    return &shard->outbox;
}

void shard_note_tick(struct shard *shard, float tick_ms)
{
    if (tick_ms > shard->longest_tick_ms)
        shard->longest_tick_ms = tick_ms;
}

const struct shard_stats *shard_stats(struct shard *shard)
{
    shard->stats.players = shard->world.players.count;
    shard->stats.vehicles = shard->world.vehicles.count;
    return &shard->stats;
}

void shard_check(const struct shard *shard)
{
    world_check(&shard->world);
}

/* ---- life */

struct shard *shard_new(const struct shard_config *config)
{
    struct shard *shard = calloc(1, sizeof *shard);
    struct world_size size = { .players = config->players_max,
                               .vehicles = config->vehicles_max,
                               .player_ids = config->player_ids_max };

    if (shard == NULL)
        return NULL;
    outbox_init(&shard->outbox);
    shard->config = *config;
    shard->config.vehicles = NULL;
    shard->name = strdup(config->name);
    shard->bus_endpoint = strdup(config->bus_endpoint);
    shard->config.name = shard->name;
    shard->config.bus_endpoint = shard->bus_endpoint;
    shard->coordinator = PEER_NONE;
    shard->remote_range_m = REMOTE_RANGE_M;
    shard->vehicles = calloc(config->vehicles_count + 1, sizeof *shard->vehicles);
    shard->hits = calloc((size_t)size.players + size.vehicles + 1, sizeof *shard->hits);
    shard->shows = calloc((size_t)size.players + size.vehicles + 1, sizeof *shard->shows);
    shard->player_stamps = calloc(size.players, sizeof *shard->player_stamps);
    shard->vehicle_stamps = calloc((size_t)size.vehicles + 1, sizeof *shard->vehicle_stamps);
    shard->syncers_due = calloc((size_t)size.vehicles + 1, sizeof *shard->syncers_due);
    shard->seat_news = calloc((size_t)size.players + SEAT_NEWS_OF_ONE, sizeof *shard->seat_news);
    shard->syncers_news = calloc((size_t)size.vehicles + 1, sizeof *shard->syncers_news);
    if (shard->name == NULL || shard->bus_endpoint == NULL || shard->vehicles == NULL ||
        shard->hits == NULL || shard->shows == NULL || shard->player_stamps == NULL ||
        shard->vehicle_stamps == NULL || shard->syncers_due == NULL || shard->seat_news == NULL ||
        shard->syncers_news == NULL || world_init(&shard->world, size) != 0 ||
        scopes_init(&shard->scopes) != 0 || list_init(&shard->list, size.player_ids) != 0 ||
        settings_open(&shard->settings, 0) != 0 || teams_init(&shard->teams) != 0 ||
        asking_init(&shard->asking) != 0) {
        shard_free(&shard);
        return NULL;
    }
    for (size_t i = 0; i < config->vehicles_count; i++)
        shard->vehicles[i].what = config->vehicles[i];
    return shard;
}

void shard_free(struct shard **where)
{
    struct shard *shard = *where;

    *where = NULL;
    if (shard == NULL)
        return;
    list_fini(&shard->list);
    scopes_fini(&shard->scopes);
    settings_close(&shard->settings);
    teams_fini(&shard->teams);
    asking_fini(&shard->asking);
    world_fini(&shard->world);
    outbox_fini(&shard->outbox);
    free(shard->name);
    free(shard->bus_endpoint);
    free(shard->vehicles);
    free(shard->hits);
    free(shard->shows);
    free(shard->player_stamps);
    free(shard->vehicle_stamps);
    free(shard->syncers_due);
    free(shard->seat_news);
    free(shard->syncers_news);
    free(shard);
}
