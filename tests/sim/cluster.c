#include "tests/sim/cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/shard.h"

enum { MESSAGE_BUS, MESSAGE_UP, MESSAGE_DOWN }; /* UP: a client's datagram */
enum { LIMIT_MICRO = 1000 * 1000, LIMIT_PER_MS = 1000, IP_CLIENT_AT = 13, IP_V4_AT = 12 };

/* ---- the cores' faces, without their types */

#define FACE(name)                                                                                  \
    static void name##_face_up(void *core, uint64_t now_ms, uint16_t peer, Bus__Role role,          \
                               const char *peer_name, uint64_t boot)                                \
    {                                                                                               \
        name##_peer_up(core, now_ms, peer, role, peer_name, boot);                                  \
    }                                                                                               \
    static void name##_face_down(void *core, uint64_t now_ms, uint16_t peer)                        \
    {                                                                                               \
        name##_peer_down(core, now_ms, peer);                                                       \
    }                                                                                               \
    static void name##_face_item(void *core, uint64_t now_ms, uint16_t peer, const Bus__Item *item) \
    {                                                                                               \
        name##_on_item(core, now_ms, peer, item);                                                   \
    }                                                                                               \
    static void name##_face_tick(void *core, uint64_t now_ms)                                       \
    {                                                                                               \
        name##_tick(core, now_ms);                                                                  \
    }                                                                                               \
    static uint64_t name##_face_wakes(const void *core)                                             \
    {                                                                                               \
        return name##_wakes_at(core);                                                               \
    }                                                                                               \
    static struct outbox *name##_face_outbox(void *core)                                            \
    {                                                                                               \
        return name##_outbox(core);                                                                 \
    }                                                                                               \
    static void name##_face_check(const void *core)                                                 \
    {                                                                                               \
        name##_check(core);                                                                         \
    }

FACE(coordinator)
FACE(gateway)
FACE(shard)
#undef FACE

static void gateway_face_backlogged(void *core, uint16_t peer, bool backlogged)
{
    gateway_set_backlogged(core, peer, backlogged);
}

#define FACE_OF(name)                                                                        \
    name##_face_up, name##_face_down, name##_face_item, name##_face_tick, name##_face_wakes, \
        name##_face_outbox, name##_face_check

static const struct core_face coordinator_face = { FACE_OF(coordinator), NULL };
static const struct core_face shard_face = { FACE_OF(shard), NULL };
static const struct core_face gateway_face = { FACE_OF(gateway), gateway_face_backlogged };

/* ---- who is who */

static bool cluster_is_gateway(const struct cluster *cluster, uint16_t node)
{
    return node >= cluster->first_gateway && node < cluster->nodes_count;
}

static bool cluster_is_shard(const struct cluster *cluster, uint16_t node)
{
    return node > COORDINATOR_NODE && node < cluster->first_gateway;
}

static Bus__Role role_of(const struct cluster *cluster, uint16_t node)
{
    if (node == COORDINATOR_NODE)
        return BUS__ROLE__ROLE_COORDINATOR;
    return cluster_is_shard(cluster, node) ? BUS__ROLE__ROLE_SHARD : BUS__ROLE__ROLE_GATEWAY;
}

bool cluster_is_alive(const struct cluster *cluster, uint16_t node)
{
    return cluster->nodes[node].core != NULL;
}

static bool is_stopped(const struct cluster *cluster, uint16_t node)
{
    return cluster->now_ms < cluster->stopped_until_ms[node];
}

/* ---- starting and dying */

static struct shard *new_shard(const struct cluster *cluster, uint16_t node)
{
    /* clang-format off: a vehicle a line */
    static const struct shard_vehicle vehicles[CLUSTER_VEHICLES] = {
        { 411, 5.0, 5.0, 3.0, 0.0, 1, 1, 0, 0, true },   { 560, -8.0, 4.0, 3.0, 90.0, 1, 1, 0, 0, true },
        { 522, 80.0, 16.0, 3.0, 0.0, 1, 1, 0, 0, true }, { 411, 400.0, 5.0, 3.0, 0.0, 1, 1, 0, 0, true },
        { 525, 20.0, 8.0, 3.0, 0.0, 1, 1, 0, 0, true },  { 403, 40.0, 12.0, 3.0, 0.0, 1, 1, 0, 0, true },
        { 435, 52.0, 12.0, 3.0, 0.0, 1, 1, 0, 0, true }, { 487, 75.0, 6.0, 3.0, 0.0, 1, 1, 0, 0, true },
        { 441, 10.0, -6.0, 3.0, 0.0, 1, 1, 0, 0, true }, { 564, 84.0, -4.0, 3.0, 0.0, 1, 1, 0, 0, true },
        { 432, 110.0, 6.0, 3.0, 0.0, 1, 1, 0, 0, true }, { 537, 150.0, 8.0, 3.0, 0.0, 1, 1, 0, 0, true },
        { 411, 5.0, 5.0, 3.0, 0.0, 1, 1, 1, 0, true },   { 560, -8.0, 4.0, 3.0, 90.0, 1, 1, 1, 0, true },
        { 522, 80.0, 16.0, 3.0, 0.0, 1, 1, 1, 0, true }, { 411, 180.0, 5.0, 3.0, 0.0, 1, 1, 1, 0, true },
        { 525, 20.0, 8.0, 3.0, 0.0, 1, 1, 1, 0, true },  { 403, 40.0, 12.0, 3.0, 0.0, 1, 1, 1, 0, true },
        { 435, 52.0, 12.0, 3.0, 0.0, 1, 1, 1, 0, true }, { 487, 75.0, 6.0, 3.0, 0.0, 1, 1, 1, 0, true },
        { 441, 10.0, -6.0, 3.0, 0.0, 1, 1, 1, 0, true }, { 564, 84.0, -4.0, 3.0, 0.0, 1, 1, 1, 0, true },
        { 432, 110.0, 6.0, 3.0, 0.0, 1, 1, 1, 0, true }, { 537, 150.0, 8.0, 3.0, 0.0, 1, 1, 1, 0, true },
    };
    /* clang-format on */
    struct shard_config config = {
        .name = cluster->names[node],
        .bus_endpoint = "sim",
        .players_max = cluster->config.players_max,
        .vehicles_max = 256,
        .player_ids_max = cluster->config.ids_max,
        .jacking = true,
        .vehicles = vehicles,
        .vehicles_count = CLUSTER_VEHICLES,
    };

    assert(shard_config_check(&config, stderr) == 0);
    return shard_new(&config);
}

void cluster_start(struct cluster *cluster, uint16_t node)
{
    const struct core_face *face = &gateway_face;
    uint64_t boot = rng_token(cluster->rng);
    void *core;

    assert(!cluster_is_alive(cluster, node));
    if (node == COORDINATOR_NODE) {
        face = &coordinator_face;
        core = cluster->coordinator = coordinator_new(&cluster->coordinator_config, cluster->now_ms);
    } else if (cluster_is_shard(cluster, node)) {
        face = &shard_face;
        core = cluster->shards[node] = new_shard(cluster, node);
        if (cluster->config.has_gamemodes)
            gamemode_open(&cluster->gamemodes[node], cluster->shards[node], cluster->rng);
        cluster->gamemodes[node].rests = cluster->gamemodes_rest;
    } else {
        const struct gateway_config config = { .endpoint = "sim",
                                               .sessions_max = cluster->config.players_max };

        core = cluster->gateways[node] = gateway_new(&config, cluster->rng);
    }
    if (core == NULL)
        abort();
    node_start(&cluster->nodes[node], face, core, role_of(cluster, node), cluster->names[node], boot);
    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        /* As the programs do: whoever is found at the coordinator's endpoint is it. */
        const char *name = i == COORDINATOR_NODE ? NULL : cluster->names[i];

        if (role_of(cluster, i) != role_of(cluster, node))
            node_connect(&cluster->nodes[node], i, role_of(cluster, i), name);
    }
}

void cluster_kill(struct cluster *cluster, uint16_t node)
{
    assert(cluster_is_alive(cluster, node));
    node_stop(&cluster->nodes[node]);
    shard_free(&cluster->shards[node]);
    gateway_free(&cluster->gateways[node]);
    if (node == COORDINATOR_NODE) {
        coordinator_free(&cluster->coordinator);
        redis_hang_up(&cluster->redis);
    }
    cluster->stopped_until_ms[node] = 0;
}

static void set_settings(struct cluster *cluster)
{
    static char name[] = "simulated";
    static char nothing[] = "";
    struct cluster_settings *settings = &cluster->settings;
    struct limits limits;

    *settings = (struct cluster_settings){ .name = name,
                                           .gamemode = nothing,
                                           .language = nothing,
                                           .password = nothing,
                                           .max_players = cluster->config.ids_max / 2,
                                           .heartbeat_ms = 100,
                                           .connections_per_address = 8 };
    /* The page's own numbers, all enforced. */
    limits_init(&limits);
    for (int i = 0; i < CLUSTER_LIMITS; i++) {
        settings->limits[i].rate = (double)limits.rules[i].rate_micro_per_ms / LIMIT_PER_MS;
        settings->limits[i].burst = (double)limits.rules[i].burst_micro / LIMIT_MICRO;
    }
}

static void set_coordinator(struct cluster *cluster)
{
    static struct coordinator_spawn spawns[CLUSTER_SPAWNS];

    for (int i = 0; i < CLUSTER_SPAWNS; i++)
        spawns[i] = (struct coordinator_spawn){
            .x = i * 37 % 300, .z = 3, .skin = 7, .virtual_world = i % (int)cluster->config.shards
        };
    cluster->coordinator_config = (struct coordinator_config){ .name = "coordinator",
                                                               .slots = cluster->config.shards,
                                                               .spawns = spawns,
                                                               .spawns_count = CLUSTER_SPAWNS,
                                                               .settings = &cluster->settings };
}

static void fill_redis(struct cluster *cluster)
{
    struct redis *redis = &cluster->redis;

    redis->counters[STORAGE_TOKENS] = cluster->config.first_token;
    redis->counters[STORAGE_VEHICLES] = cluster->config.first_vehicle;
    for (uint32_t i = 0; i < cluster->config.shards && cluster->config.first_fence > 0; i++)
        redis->slots[i] = (struct stored_slot){ .slot = i, .fence = cluster->config.first_fence };
}

void cluster_open(struct cluster *cluster, const struct cluster_config *config, struct rng *rng)
{
    *cluster = (struct cluster){ .config = *config, .rng = rng, .now_ms = config->start_ms };
    assert(1 + config->shards + config->gateways <= NODES_MAX && config->shards <= REDIS_SLOTS);
    cluster->nodes_count = (uint16_t)(1 + config->shards + config->gateways);
    cluster->first_gateway = (uint16_t)(1 + config->shards);
    network_init(&cluster->network, rng);
    redis_init(&cluster->redis, rng);
    /* Most of them is never touched, and takes no memory then. */
    cluster->order_up_ms = calloc(UINT16_MAX + 1, sizeof cluster->order_up_ms[0]);
    cluster->order_down_ms = calloc(UINT16_MAX + 1, sizeof cluster->order_down_ms[0]);
    if (cluster->order_up_ms == NULL || cluster->order_down_ms == NULL)
        abort();
    set_settings(cluster);
    set_coordinator(cluster);
    fill_redis(cluster);
    (void)snprintf(cluster->names[COORDINATOR_NODE], sizeof cluster->names[0], "coordinator");
    for (uint16_t i = 1; i < cluster->nodes_count; i++) {
        bool is_shard = cluster_is_shard(cluster, i);

        (void)snprintf(cluster->names[i], sizeof cluster->names[i], "%s-%u", is_shard ? "shard" : "gateway",
                       is_shard ? i : i - cluster->first_gateway + 1U);
    }
    for (uint16_t i = 0; i < cluster->nodes_count; i++)
        cluster_start(cluster, i);
}

void cluster_close(struct cluster *cluster)
{
    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        if (cluster_is_alive(cluster, i))
            cluster_kill(cluster, i);
    }
    free(cluster->order_up_ms);
    free(cluster->order_down_ms);
    redis_fini(&cluster->redis);
    network_fini(&cluster->network);
}

/* ---- moving bytes */

static struct address cluster_address(uint16_t client, uint16_t port)
{
    struct address address;

    (void)address_parse(&address, "10.1.0.0", port);
    address.ip[IP_CLIENT_AT + 1] = (uint8_t)(client >> 8);
    address.ip[IP_CLIENT_AT + 2] = (uint8_t)client;
    return address;
}

static uint16_t client_of(const struct address *address)
{
    return (uint16_t)(address->ip[IP_CLIENT_AT + 1] << 8 | address->ip[IP_CLIENT_AT + 2]);
}

struct emit {
    struct cluster *cluster;
    uint16_t from;
};

static bool is_cut(const struct cluster *cluster, uint16_t a, uint16_t b)
{
    return cluster->now_ms < cluster->cut_until_ms[a][b];
}

static bool emit_bus(void *context, uint16_t to, struct span data)
{
    const struct emit *emit = context;
    struct cluster *cluster = emit->cluster;
    uint64_t *order_ms = &cluster->order_ms[emit->from][to];
    const struct message message = { .from = emit->from,
                                     .to = to,
                                     .kind = MESSAGE_BUS,
                                     .size = (uint32_t)data.size,
                                     .data = (uint8_t *)data.data };
    uint64_t arrives_ms = 0;

    if (!is_cut(cluster, emit->from, to))
        arrives_ms = network_send(&cluster->network, cluster->now_ms, &cluster->bus, &message, *order_ms);
    if (arrives_ms != 0)
        *order_ms = arrives_ms;
    return true;
}

static void send_datagram(struct cluster *cluster, const struct way *way, const struct message *message,
                          uint64_t *order_ms)
{
    uint64_t arrives_ms =
        network_send(&cluster->network, cluster->now_ms, way, message, way->keeps_order ? *order_ms : 0);

    if (arrives_ms != 0)
        *order_ms = arrives_ms;
}

static void send_egress(struct cluster *cluster, uint16_t node)
{
    struct egress *egress = gateway_take_egress(cluster->gateways[node]);
    struct egress_run run;

    while (egress_take(egress, &run)) {
        uint16_t client = client_of(&run.to);
        const struct way *way = cluster->config.way(cluster->config.context, client);

        for (size_t i = 0; i < run.count; i++) {
            const struct message message = { .from = node,
                                             .to = client,
                                             .port = run.to.port,
                                             .kind = MESSAGE_DOWN,
                                             .size = (uint32_t)run.size,
                                             .data = (uint8_t *)run.data[i] };

            cluster->datagrams++;
            send_datagram(cluster, way, &message, &cluster->order_down_ms[client]);
        }
    }
    egress_clear(egress);
}

void cluster_send(struct cluster *cluster, uint16_t client, uint16_t port, uint16_t gateway,
                  struct span datagram)
{
    const struct message message = { .from = client,
                                     .to = gateway,
                                     .port = port,
                                     .kind = MESSAGE_UP,
                                     .size = (uint32_t)datagram.size,
                                     .data = (uint8_t *)datagram.data };

    send_datagram(cluster, cluster->config.way(cluster->config.context, client), &message,
                  &cluster->order_up_ms[client]);
}

static void note_backlogs(struct cluster *cluster, const struct node *node)
{
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        size_t backlog = node->peers[i].is_peer ? link_backlog(&node->peers[i].link) : 0;

        if (backlog > cluster->backlog_max)
            cluster->backlog_max = backlog;
    }
}

static void run_node(struct cluster *cluster, uint16_t node)
{
    struct emit emit = { cluster, node };
    const struct node_wire wire = { emit_bus, &emit };

    if (!cluster_is_alive(cluster, node) || is_stopped(cluster, node))
        return;
    if (node == COORDINATOR_NODE)
        redis_run(&cluster->redis, cluster->now_ms, cluster->coordinator);
    node_run(&cluster->nodes[node], cluster->now_ms, &wire);
    if (cluster->now_ms >= cluster->check_at_ms[node]) {
        cluster->check_at_ms[node] = cluster->now_ms + cluster->config.check_ms;
        cluster->nodes[node].face->check(cluster->nodes[node].core);
    }
    note_backlogs(cluster, &cluster->nodes[node]);
    if (cluster_is_gateway(cluster, node))
        send_egress(cluster, node);
}

/* For a process: one that is dead hears nothing. */
static void deliver_to_node(struct cluster *cluster, const struct message *message)
{
    struct span data = { message->data, message->size };
    struct emit emit = { cluster, message->to };
    const struct node_wire wire = { emit_bus, &emit };

    if (!cluster_is_alive(cluster, message->to))
        return;
    if (message->kind == MESSAGE_BUS) {
        if (is_cut(cluster, message->from, message->to))
            return;
        node_receive(&cluster->nodes[message->to], cluster->now_ms, message->from, data, &wire);
    } else {
        struct address from = cluster_address(message->from, message->port);

        gateway_on_datagram(cluster->gateways[message->to], cluster->now_ms, &from, data);
    }
    run_node(cluster, message->to);
}

static void deliver(struct cluster *cluster)
{
    struct message message = network_take(&cluster->network);

    if (message.kind == MESSAGE_DOWN) {
        cluster->config.arrived(cluster->config.context, &message);
    } else if (is_stopped(cluster, message.to)) {
        network_put_back(&cluster->network, message, cluster->stopped_until_ms[message.to]);
        return;
    } else {
        deliver_to_node(cluster, &message);
    }
    free(message.data);
}

/* ---- time */

static uint64_t node_due(const struct cluster *cluster, uint16_t node)
{
    uint64_t due_ms = UINT64_MAX;

    if (!cluster_is_alive(cluster, node))
        return due_ms;
    due_ms = node_wakes_at(&cluster->nodes[node]);
    if (node == COORDINATOR_NODE && redis_wakes_at(&cluster->redis) < due_ms)
        due_ms = redis_wakes_at(&cluster->redis);
    return due_ms > cluster->stopped_until_ms[node] ? due_ms : cluster->stopped_until_ms[node];
}

uint64_t cluster_wakes_at(const struct cluster *cluster)
{
    uint64_t next_ms = network_due(&cluster->network);

    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        uint64_t due_ms = node_due(cluster, i);

        next_ms = due_ms < next_ms ? due_ms : next_ms;
    }
    return next_ms > cluster->now_ms ? next_ms : cluster->now_ms + 1;
}

void cluster_run(struct cluster *cluster, uint64_t now_ms)
{
    cluster->now_ms = now_ms;
    while (network_due(&cluster->network) <= now_ms)
        deliver(cluster);
    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        if (node_due(cluster, i) <= now_ms)
            run_node(cluster, i);
    }
}

/* ---- faults */

void cluster_stop(struct cluster *cluster, uint16_t node, uint64_t until_ms)
{
    if (cluster_is_alive(cluster, node))
        cluster->stopped_until_ms[node] = until_ms;
}

void cluster_cut(struct cluster *cluster, uint16_t a, uint16_t b, uint64_t until_ms)
{
    cluster->cut_until_ms[a][b] = until_ms;
    cluster->cut_until_ms[b][a] = until_ms;
}

void cluster_cut_redis(struct cluster *cluster, uint64_t until_ms)
{
    redis_cut(&cluster->redis, cluster->now_ms, until_ms, cluster->coordinator);
}

void cluster_heal(struct cluster *cluster)
{
    memset(cluster->cut_until_ms, 0, sizeof cluster->cut_until_ms);
    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        if (cluster->stopped_until_ms[i] > cluster->now_ms) {
            network_release(&cluster->network, cluster->now_ms, cluster->stopped_until_ms[i]);
            cluster->stopped_until_ms[i] = cluster->now_ms;
        }
        if (!cluster_is_alive(cluster, i))
            cluster_start(cluster, i);
    }
    if (cluster->redis.away_until_ms > cluster->now_ms)
        cluster->redis.away_until_ms = cluster->now_ms;
}

/* ---- how it stands */

void cluster_rest_gamemodes(struct cluster *cluster)
{
    cluster->gamemodes_rest = true;
    for (uint16_t i = 0; i < cluster->nodes_count; i++)
        cluster->gamemodes[i].rests = true;
}

static uint32_t configured_vehicles(const struct world *world)
{
    uint32_t count = 0;

    for (uint32_t slot = pool_next(&world->vehicles, 0); slot != POOL_END;
         slot = pool_next(&world->vehicles, slot + 1))
        count += world_vehicle_at(world, slot)->owner == 0;
    return count;
}

uint32_t cluster_vehicles(const struct cluster *cluster)
{
    uint32_t count = 0;

    for (uint16_t i = 0; i < cluster->nodes_count; i++)
        count += cluster->shards[i] == NULL ? 0 : configured_vehicles(&cluster->shards[i]->world);
    return count;
}

uint32_t cluster_players(const struct cluster *cluster)
{
    uint32_t count = 0;

    for (uint16_t i = 0; i < cluster->nodes_count; i++)
        count += cluster->shards[i] == NULL ? 0 : shard_stats(cluster->shards[i])->players;
    return count;
}

uint32_t cluster_sessions(const struct cluster *cluster)
{
    uint32_t count = 0;

    for (uint16_t i = 0; i < cluster->nodes_count; i++)
        count += cluster->gateways[i] == NULL ? 0 : (uint32_t)gateway_stats(cluster->gateways[i])->sessions;
    return count;
}
