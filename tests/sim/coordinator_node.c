#include "tests/sim/coordinator_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS_MAX = 256, SLOTS_MAX = 4, ID_REST_MS = 5000 };

struct listed {
    uint32_t token; /* 0: nobody has the id */
    uint64_t rests_until_ms;
    char name[32];
    char shard[24];
};

struct coordinator_node {
    struct outbox outbox;
    struct node_role {
        Bus__Role role; /* 0: not up */
        char name[24];
        uint64_t boot;
    } peers[NODES_MAX];
    struct listed players[PLAYERS_MAX];
    uint64_t now_ms;
    uint64_t revision;
    uint32_t slots;
    uint32_t last_token;
    uint32_t next_vehicle;
    uint32_t joins;
};

struct coordinator_node *coordinator_node_new(uint32_t slots)
{
    struct coordinator_node *node = calloc(1, sizeof *node);

    if (node == NULL)
        abort();
    outbox_init(&node->outbox);
    node->slots = slots;
    node->next_vehicle = 1;
    return node;
}

void coordinator_node_free(struct coordinator_node **node)
{
    outbox_fini(&(*node)->outbox);
    free(*node);
    *node = NULL;
}

static Bus__Player *player_of(struct coordinator_node *node, uint32_t id, uint32_t token)
{
    Bus__Player *player = outbox_alloc(&node->outbox, sizeof *player);

    bus__player__init(player);
    player->id = id;
    player->token = token;
    return player;
}

/* ---- what everybody is told */

static void tell_settings(struct coordinator_node *node, uint16_t peer)
{
    Bus__ClusterSettings *settings = outbox_alloc(&node->outbox, sizeof *settings);
    Bus__Item *item = outbox_add(&node->outbox, peer);

    bus__cluster_settings__init(settings);
    settings->revision = 1;
    settings->server_name = outbox_text(&node->outbox, "simulated");
    settings->gamemode = outbox_text(&node->outbox, "none");
    settings->language = outbox_text(&node->outbox, "en");
    settings->max_players = PLAYERS_MAX;
    settings->heartbeat_ms = 100;
    item->item_case = BUS__ITEM__ITEM_SETTINGS;
    item->settings = settings;
}

/* Slot i is shard-(i + 1)'s, whether it is up or not: nobody dies here. */
static void tell_map(struct coordinator_node *node, uint16_t peer)
{
    struct outbox *outbox = &node->outbox;
    Bus__ClusterMap *map = outbox_alloc(outbox, sizeof *map);
    Bus__Item *item = outbox_add(outbox, peer);

    bus__cluster_map__init(map);
    map->revision = node->revision;
    map->processes = outbox_alloc(outbox, NODES_MAX * sizeof(Bus__Process *));
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        Bus__Process *process = outbox_alloc(outbox, sizeof *process);

        if (node->peers[i].role == BUS__ROLE__ROLE_NONE)
            continue;
        bus__process__init(process);
        process->role = node->peers[i].role;
        process->name = outbox_text(outbox, node->peers[i].name);
        process->boot = node->peers[i].boot;
        process->bus_endpoint = outbox_text(outbox, "sim");
        process->alive = true;
        map->processes[map->n_processes++] = process;
    }
    map->slots = outbox_alloc(outbox, SLOTS_MAX * sizeof(Bus__Slot *));
    for (uint32_t i = 0; i < node->slots; i++) {
        Bus__Slot *slot = outbox_alloc(outbox, sizeof *slot);
        char name[24];

        (void)snprintf(name, sizeof name, "shard-%u", i + 1);
        bus__slot__init(slot);
        slot->shard = outbox_text(outbox, name);
        slot->fence = 1;
        map->slots[map->n_slots++] = slot;
    }
    item->item_case = BUS__ITEM__ITEM_MAP;
    item->map = map;
}

static void tell_listed(struct coordinator_node *node, uint16_t peer, uint32_t id)
{
    Bus__PlayerListed *listed = outbox_alloc(&node->outbox, sizeof *listed);
    Bus__Item *item = outbox_add(&node->outbox, peer);

    bus__player_listed__init(listed);
    listed->player = player_of(node, id, node->players[id].token);
    listed->name = outbox_text(&node->outbox, node->players[id].name);
    listed->gateway = outbox_text(&node->outbox, "");
    listed->shard = outbox_text(&node->outbox, node->players[id].shard);
    item->item_case = BUS__ITEM__ITEM_PLAYER_LISTED;
    item->player_listed = listed;
}

static void tell_left(struct coordinator_node *node, uint16_t peer, const Bus__PlayerLeft *from)
{
    Bus__PlayerLeft *left = outbox_alloc(&node->outbox, sizeof *left);
    Bus__Item *item = outbox_add(&node->outbox, peer);

    bus__player_left__init(left);
    left->player = player_of(node, from->player->id, from->player->token);
    left->reason = from->reason;
    item->item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item->player_left = left;
}

/* ---- the bus face */

static void on_peer_up(void *core, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                       uint64_t boot)
{
    struct coordinator_node *node = core;

    (void)now_ms;
    node->peers[peer].role = role;
    node->peers[peer].boot = boot;
    (void)snprintf(node->peers[peer].name, sizeof node->peers[peer].name, "%s", name);
    node->revision++;
    tell_settings(node, peer);
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].role != BUS__ROLE__ROLE_NONE)
            tell_map(node, i);
    }
    for (uint32_t id = 0; id < PLAYERS_MAX; id++) {
        if (node->players[id].token != 0)
            tell_listed(node, peer, id);
    }
}

static void on_peer_down(void *core, uint64_t now_ms, uint16_t peer)
{
    struct coordinator_node *node = core;

    (void)now_ms;
    node->peers[peer].role = BUS__ROLE__ROLE_NONE;
}

static Bus__Spawn *spawn_of(struct coordinator_node *node, uint32_t number)
{
    Bus__Spawn *spawn = outbox_alloc(&node->outbox, sizeof *spawn);

    bus__spawn__init(spawn);
    spawn->scope = outbox_alloc(&node->outbox, sizeof *spawn->scope);
    bus__scope__init(spawn->scope);
    spawn->scope->virtual_world = number % node->slots;
    spawn->x = (float)(number * 37 % 300);
    spawn->z = 3.0f;
    spawn->skin = 7;
    return spawn;
}

static bool name_is_taken(const struct coordinator_node *node, const Bus__JoinRequest *request)
{
    for (uint32_t id = 0; id < PLAYERS_MAX; id++) {
        const struct listed *listed = &node->players[id];
        bool is_replaced = request->replaces != NULL && request->replaces->id == id &&
                           request->replaces->token == listed->token;

        if (listed->token != 0 && !is_replaced && strcmp(listed->name, request->name) == 0)
            return true;
    }
    return false;
}

static uint32_t free_id(const struct coordinator_node *node)
{
    uint32_t id = 0;

    while (node->players[id].token != 0 || node->now_ms < node->players[id].rests_until_ms)
        id++; /* there are more ids than clients that come within ID_REST_MS */
    return id;
}

static void on_join(struct coordinator_node *node, uint16_t peer, const Bus__JoinRequest *request)
{
    Bus__JoinAnswer *answer = outbox_alloc(&node->outbox, sizeof *answer);
    Bus__Item *item = outbox_add(&node->outbox, peer);
    uint32_t id = free_id(node);
    struct listed *listed = &node->players[id];

    bus__join_answer__init(answer);
    item->item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    item->join_answer = answer;
    answer->request = request->request;
    answer->detail = outbox_text(&node->outbox, "");
    answer->shard = outbox_text(&node->outbox, "");
    if (name_is_taken(node, request)) {
        answer->reject = 4;
        return;
    }
    listed->token = ++node->last_token;
    (void)snprintf(listed->name, sizeof listed->name, "%s", request->name);
    answer->spawn = spawn_of(node, node->joins++);
    (void)snprintf(listed->shard, sizeof listed->shard, "shard-%u", answer->spawn->scope->virtual_world + 1);
    answer->shard = outbox_text(&node->outbox, listed->shard);
    answer->player = player_of(node, id, listed->token);
    answer->fence = 1;
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].role != BUS__ROLE__ROLE_NONE)
            tell_listed(node, i, id);
    }
}

static void on_left(struct coordinator_node *node, const Bus__PlayerLeft *left)
{
    struct listed *listed = &node->players[left->player->id];

    if (listed->token != left->player->token)
        return;
    *listed = (struct listed){ .rests_until_ms = node->now_ms + ID_REST_MS };
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].role != BUS__ROLE__ROLE_NONE)
            tell_left(node, i, left);
    }
}

static void on_broadcast(struct coordinator_node *node, const Bus__Broadcast *from)
{
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        Bus__Broadcast *broadcast;
        Bus__Item *item;

        if (node->peers[i].role != BUS__ROLE__ROLE_SHARD)
            continue;
        broadcast = outbox_alloc(&node->outbox, sizeof *broadcast);
        item = outbox_add(&node->outbox, i);
        bus__broadcast__init(broadcast);
        broadcast->packet = outbox_bytes(&node->outbox, from->packet.data, from->packet.len);
        broadcast->class_ = from->class_;
        item->item_case = BUS__ITEM__ITEM_BROADCAST;
        item->broadcast = broadcast;
    }
}

static void on_lease(struct coordinator_node *node, uint16_t peer, const Bus__IdLease *asked)
{
    Bus__IdLease *lease = outbox_alloc(&node->outbox, sizeof *lease);
    Bus__Item *item = outbox_add(&node->outbox, peer);

    bus__id_lease__init(lease);
    lease->first = node->next_vehicle;
    lease->count = asked->count;
    node->next_vehicle += asked->count;
    item->item_case = BUS__ITEM__ITEM_ID_LEASE;
    item->id_lease = lease;
}

static void on_item(void *core, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    struct coordinator_node *node = core;

    node->now_ms = now_ms;
    switch ((int)item->item_case) {
    case BUS__ITEM__ITEM_JOIN_REQUEST:
        on_join(node, peer, item->join_request);
        break;
    case BUS__ITEM__ITEM_PLAYER_LEFT:
        on_left(node, item->player_left);
        break;
    case BUS__ITEM__ITEM_BROADCAST:
        on_broadcast(node, item->broadcast);
        break;
    case BUS__ITEM__ITEM_ID_LEASE:
        on_lease(node, peer, item->id_lease);
        break;
    default:
        break; /* what only a real one acts on */
    }
}

static void on_tick(void *core, uint64_t now_ms)
{
    struct coordinator_node *node = core;

    node->now_ms = now_ms;
}

static uint64_t wakes_at(const void *core)
{
    (void)core;
    return UINT64_MAX;
}

static struct outbox *outbox_of(void *core)
{
    struct coordinator_node *node = core;

    return &node->outbox;
}

const struct core_face *coordinator_node_face(void)
{
    static const struct core_face face = { on_peer_up, on_peer_down, on_item, on_tick,
                                           wakes_at,   outbox_of,    NULL };

    return &face;
}
