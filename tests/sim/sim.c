#include "tests/sim/sim.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/core.h"
#include "shard/core.h"
#include "tests/sim/client.h"
#include "tests/sim/coordinator_node.h"
#include "tests/sim/network.h"
#include "tests/sim/node.h"

enum {
    CLIENTS_MAX = 64,
    MESSAGE_BUS = 0,
    MESSAGE_UP = 1,   /* a client's datagram */
    MESSAGE_DOWN = 2, /* a gateway's */

    /* ours: shortly before the wire's clocks wrap, so every run crosses it */
    START_MS = 0xFFFFFFFF - 20 * 1000,
    ACT_MS = 400,     /* between two things that a client does */
    QUIET_MS = 12000, /* for what was lost to come again, and for what has left to time out */
    STREAM_M = 200,   /* Player, Streaming */
    MARGIN_M = 1,
};

struct actor {
    struct sim *sim;
    struct client client;
    struct address address;
    uint16_t number;
    uint16_t gateway; /* its node */
    uint64_t acts_ms;
    char name[24];
};

struct sim {
    const struct sim_options *options;
    struct sim_result *result;
    struct rng rng;
    struct network network;
    struct way bus;
    struct way internet;
    uint64_t now_ms;
    struct node nodes[NODES_MAX];
    uint16_t nodes_count;
    uint16_t first_gateway;
    struct coordinator_node *coordinator;
    struct shard *shards[NODES_MAX];
    struct gateway *gateways[NODES_MAX];
    struct actor actors[CLIENTS_MAX];
    uint64_t bus_order_ms[NODES_MAX][NODES_MAX]; /* ZeroMQ keeps the order of what it does not lose */
    bool is_quiet;
};

/* ---- the cores' faces, without their types */

#define FACE(name, type)                                                                            \
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
    }

FACE(gateway, struct gateway)
FACE(shard, struct shard)
#undef FACE

static void gateway_face_check(const void *core)
{
    gateway_check(core);
}

static const struct core_face gateway_face = { gateway_face_up,   gateway_face_down,  gateway_face_item,
                                               gateway_face_tick, gateway_face_wakes, gateway_face_outbox,
                                               gateway_face_check };
static const struct core_face shard_face = {
    shard_face_up, shard_face_down, shard_face_item, shard_face_tick, shard_face_wakes, shard_face_outbox,
    NULL
};

/* ---- moving bytes */

struct emit {
    struct sim *sim;
    uint16_t from;
};

static bool emit_bus(void *context, uint16_t to, struct span data)
{
    struct emit *emit = context;
    struct sim *sim = emit->sim;
    uint64_t *order_ms = &sim->bus_order_ms[emit->from][to];
    uint64_t arrives_ms =
        network_send(&sim->network, sim->now_ms, &sim->bus, emit->from, to, MESSAGE_BUS, data, *order_ms);

    if (arrives_ms != 0)
        *order_ms = arrives_ms;
    return true;
}

static struct actor *actor_at(struct sim *sim, const struct address *address)
{
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        if (address_equal(&sim->actors[i].address, address))
            return &sim->actors[i];
    }
    return NULL;
}

static void send_egress(struct sim *sim, uint16_t node)
{
    struct egress *egress = gateway_take_egress(sim->gateways[node]);
    struct egress_run run;

    while (egress_take(egress, &run)) {
        struct actor *actor = actor_at(sim, &run.to);

        for (size_t i = 0; actor != NULL && i < run.count; i++) {
            sim->result->datagrams++;
            (void)network_send(&sim->network, sim->now_ms, &sim->internet, node, actor->number, MESSAGE_DOWN,
                               (struct span){ run.data[i], run.size }, 0);
        }
    }
    egress_clear(egress);
}

static void client_send(void *context, struct span datagram)
{
    struct actor *actor = context;
    struct sim *sim = actor->sim;

    (void)network_send(&sim->network, sim->now_ms, &sim->internet, actor->number, actor->gateway, MESSAGE_UP,
                       datagram, 0);
}

static void run_node(struct sim *sim, uint16_t number)
{
    struct emit emit = { sim, number };

    node_run(&sim->nodes[number], sim->now_ms, emit_bus, &emit);
    if (sim->gateways[number] != NULL)
        send_egress(sim, number);
}

static void deliver(struct sim *sim)
{
    struct message message = network_take(&sim->network);
    struct span data = { message.data, message.size };

    if (message.kind == MESSAGE_BUS) {
        node_receive(&sim->nodes[message.to], sim->now_ms, message.from, data);
        run_node(sim, message.to);
    } else if (message.kind == MESSAGE_UP) {
        gateway_on_datagram(sim->gateways[message.to], sim->now_ms, &sim->actors[message.from].address, data);
        run_node(sim, message.to);
    } else {
        client_on_datagram(&sim->actors[message.to].client, sim->now_ms, data);
    }
    free(message.data);
}

/* ---- what clients do */

static void walk(struct sim *sim, struct actor *actor)
{
    float turn = rng_unit(&sim->rng) * 6.28f;
    float step = rng_unit(&sim->rng) * 12.0f;
    const float still[3] = { 0 };
    float pos[3];

    memcpy(pos, actor->client.frame.pos, sizeof pos);
    pos[0] = fminf(fmaxf(pos[0] + step * cosf(turn), -3000.0f), 3000.0f);
    pos[1] = fminf(fmaxf(pos[1] + step * sinf(turn), -3000.0f), 3000.0f);
    client_move(&actor->client, pos, still, 0.0f);
}

static void enter_near(struct sim *sim, struct actor *actor)
{
    for (uint32_t i = 0; i < CLIENT_OTHERS_MAX; i++) {
        const struct client_vehicle *vehicle = &actor->client.vehicles[i];
        const float *pos = actor->client.frame.pos;

        if (vehicle->is_shown && hypotf(vehicle->pos[0] - pos[0], vehicle->pos[1] - pos[1]) < 15.0f) {
            (void)client_enter(&actor->client, sim->now_ms, vehicle->id, (uint8_t)rng_below(&sim->rng, 3));
            return;
        }
    }
}

static void act(struct sim *sim, struct actor *actor)
{
    struct client *client = &actor->client;
    uint64_t dice = rng_below(&sim->rng, 100);

    actor->acts_ms = sim->now_ms + ACT_MS / 2 + rng_below(&sim->rng, ACT_MS);
    if (client->state == CLIENT_CLOSED || client->state == CLIENT_NEW) {
        const struct client_config config = { actor->name, "", 100, client_send, actor };

        client_fini(client);
        if (client_init(client, &config, &sim->rng) != 0)
            abort();
        /* A new socket: what the former connection was sent is nobody's any more. The protocol has no token
         * on the way to the client, so on the same socket a client could not tell. */
        network_lose(&sim->network, actor->number, MESSAGE_DOWN);
        client_connect(client, sim->now_ms);
        sim->result->joins++;
    } else if (client->state == CLIENT_SPAWNED && dice < 2) {
        client_leave(client, sim->now_ms);
    } else if (client->state == CLIENT_SPAWNED && dice < 5) {
        (void)client_die(client, sim->now_ms);
    } else if (client->state == CLIENT_SPAWNED && client->frame.vehicle_id != WIRE_NONE) {
        if (dice < 30)
            (void)client_exit(client, sim->now_ms, client->frame.vehicle_id);
    } else if (client->state == CLIENT_SPAWNED) {
        if (dice < 20)
            enter_near(sim, actor);
        else if (dice < 25)
            (void)client_chat(client, sim->now_ms, "good morning");
        else
            walk(sim, actor);
    }
}

static void run_clients(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        struct actor *actor = &sim->actors[i];

        if (!sim->is_quiet && sim->now_ms >= actor->acts_ms)
            act(sim, actor);
        client_tick(&actor->client, sim->now_ms);
    }
}

/* ---- what must hold */

static int complain(const struct sim *sim, FILE *out, const char *who, const char *what)
{
    (void)fprintf(out, "seed %llu at %llu ms: %s: %s\n", (unsigned long long)sim->options->seed,
                  (unsigned long long)(sim->now_ms - START_MS), who, what);
    return -1;
}

/* After every step. */
static int check(const struct sim *sim, FILE *out)
{
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        const struct client *client = &sim->actors[i].client;
        const char *complaint = client_complaint(client);

        if (complaint != NULL)
            return complain(sim, out, client->name, complaint);
        if (client->state == CLIENT_CLOSED || client->player_token == 0)
            continue;
        for (uint32_t j = 0; j < i; j++) {
            const struct client *other = &sim->actors[j].client;

            if (other->state != CLIENT_CLOSED && other->player_token == client->player_token)
                return complain(sim, out, client->name, "has the token of another player");
        }
    }
    return 0;
}

static bool should_see(const struct client *a, const struct client *b, float margin_m, bool *is_close_call)
{
    float distance = hypotf(hypotf(a->frame.pos[0] - b->frame.pos[0], a->frame.pos[1] - b->frame.pos[1]),
                            a->frame.pos[2] - b->frame.pos[2]);

    *is_close_call = fabsf(distance - (float)STREAM_M) <= margin_m;
    return a->virtual_world == b->virtual_world && a->interior == b->interior && distance < (float)STREAM_M;
}

/* At the end, when all is quiet: views are exactly what the streaming rules say. */
static int check_views(struct sim *sim, FILE *out)
{
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        const struct client *viewer = &sim->actors[i].client;

        if (viewer->state != CLIENT_SPAWNED)
            return complain(sim, out, viewer->name, "is not in the world at the end");
        sim->result->spawns++;
        for (uint32_t j = 0; j < sim->options->clients; j++) {
            const struct client *other = &sim->actors[j].client;
            bool is_close_call;
            bool should = should_see(viewer, other, MARGIN_M, &is_close_call);

            if (i == j || is_close_call)
                continue;
            if (client_sees(viewer, other->player_id, other->player_token) != should)
                return complain(sim, out, viewer->name,
                                should ? "does not see who is near" : "sees who is far or elsewhere");
            sim->result->pairs += should;
        }
        for (uint32_t id = 0; id < CLIENT_OTHERS_MAX; id++) {
            bool is_here = false;

            for (uint32_t j = 0; viewer->others[id].is_shown && j < sim->options->clients; j++)
                is_here |= sim->actors[j].client.player_id == id &&
                           sim->actors[j].client.player_token == viewer->others[id].generation;
            if (viewer->others[id].is_shown && !is_here)
                return complain(sim, out, viewer->name, "sees somebody who has left");
        }
    }
    return 0;
}

/* ---- the run */

static struct shard *new_shard(uint32_t number)
{
    static const struct shard_vehicle vehicles[] = {
        { 411, 5.0, 5.0, 3.0, 0.0, 1, 1, 0, 0, true },     { 560, -8.0, 4.0, 3.0, 90.0, 2, 2, 0, 0, true },
        { 522, 60.0, 10.0, 3.0, 0.0, 3, 3, 0, 0, true },   { 431, 5.0, 5.0, 3.0, 0.0, 1, 1, 1, 0, true },
        { 411, 180.0, -20.0, 3.0, 0.0, 1, 1, 1, 0, true }, { 411, 400.0, 5.0, 3.0, 0.0, 1, 1, 0, 0, true },
    };
    char name[24];
    struct shard_config config = {
        .name = name,
        .bus_endpoint = "sim",
        .players_max = 256,
        .vehicles_max = 256,
        .player_ids_max = CLIENT_OTHERS_MAX,
        .jacking = true,
        .vehicles = vehicles,
        .vehicles_count = sizeof vehicles / sizeof vehicles[0],
    };

    (void)snprintf(name, sizeof name, "shard-%u", number);
    return shard_new(&config);
}

static void build(struct sim *sim)
{
    const struct sim_options *options = sim->options;
    char name[24];

    assert(options->gateways > 0);
    sim->coordinator = coordinator_node_new(options->shards);
    node_start(&sim->nodes[0], coordinator_node_face(), sim->coordinator, BUS__ROLE__ROLE_COORDINATOR,
               "coordinator", rng_token(&sim->rng));
    sim->nodes_count = 1;
    for (uint32_t i = 1; i <= options->shards; i++) {
        uint16_t number = sim->nodes_count++;

        (void)snprintf(name, sizeof name, "shard-%u", i);
        sim->shards[number] = new_shard(i);
        node_start(&sim->nodes[number], &shard_face, sim->shards[number], BUS__ROLE__ROLE_SHARD, name,
                   rng_token(&sim->rng));
    }
    sim->first_gateway = sim->nodes_count;
    for (uint32_t i = 1; i <= options->gateways; i++) {
        struct gateway_config config = { .endpoint = "sim", .sessions_max = 256 };
        uint16_t number = sim->nodes_count++;

        (void)snprintf(name, sizeof name, "gateway-%u", i);
        sim->gateways[number] = gateway_new(&config, &sim->rng);
        node_start(&sim->nodes[number], &gateway_face, sim->gateways[number], BUS__ROLE__ROLE_GATEWAY, name,
                   rng_token(&sim->rng));
    }
    for (uint16_t a = 0; a < sim->nodes_count; a++) {
        for (uint16_t b = 0; b < sim->nodes_count; b++) {
            if (sim->nodes[a].self.role != sim->nodes[b].self.role)
                node_connect(&sim->nodes[a], b, sim->nodes[b].self.role, sim->nodes[b].name);
        }
    }
    for (uint32_t i = 0; i < options->clients; i++) {
        struct actor *actor = &sim->actors[i];
        const struct client_config config = { actor->name, "", 100, client_send, actor };
        char ip[24];

        (void)snprintf(actor->name, sizeof actor->name, "client_%u", i);
        (void)snprintf(ip, sizeof ip, "127.0.1.%u", i + 1);
        actor->sim = sim;
        actor->number = (uint16_t)i;
        actor->gateway = (uint16_t)(sim->first_gateway + i % options->gateways);
        (void)address_parse(&actor->address, ip, (uint16_t)(20000 + i));
        actor->acts_ms = START_MS + 3000 + rng_below(&sim->rng, 2000);
        if (client_init(&actor->client, &config, &sim->rng) != 0)
            abort();
    }
}

static void tear_down(struct sim *sim)
{
    for (uint16_t i = 0; i < sim->nodes_count; i++) {
        node_stop(&sim->nodes[i]);
        shard_free(&sim->shards[i]);
        gateway_free(&sim->gateways[i]);
    }
    coordinator_node_free(&sim->coordinator);
    for (uint32_t i = 0; i < sim->options->clients; i++)
        client_fini(&sim->actors[i].client);
    network_fini(&sim->network);
}

static uint64_t next_moment(const struct sim *sim)
{
    uint64_t next_ms = network_due(&sim->network);

    for (uint16_t i = 0; i < sim->nodes_count; i++) {
        uint64_t wakes_ms = node_wakes_at(&sim->nodes[i]);

        next_ms = wakes_ms < next_ms ? wakes_ms : next_ms;
    }
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        const struct actor *actor = &sim->actors[i];
        uint64_t wakes_ms = client_wakes_at(&actor->client);

        if (!sim->is_quiet && actor->acts_ms < wakes_ms)
            wakes_ms = actor->acts_ms;
        next_ms = wakes_ms < next_ms ? wakes_ms : next_ms;
    }
    return next_ms > sim->now_ms ? next_ms : sim->now_ms + 1;
}

static int run_until(struct sim *sim, uint64_t end_ms, FILE *out)
{
    while (sim->now_ms < end_ms) {
        sim->now_ms = next_moment(sim);
        while (network_due(&sim->network) <= sim->now_ms)
            deliver(sim);
        for (uint16_t i = 0; i < sim->nodes_count; i++)
            run_node(sim, i);
        run_clients(sim);
        sim->result->steps++;
        if (check(sim, out) != 0)
            return -1;
    }
    return 0;
}

/* Whoever is on the way out at the end of the busy time comes back, so that all are there to be compared. */
static bool all_are_in(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->options->clients; i++) {
        if (sim->actors[i].client.state != CLIENT_SPAWNED)
            return false;
    }
    return true;
}

static int settle(struct sim *sim, FILE *out)
{
    sim->bus.loss = 0.0;
    sim->internet = (struct way){ .delay_min_ms = 5, .delay_max_ms = 20 };
    for (int round = 0; round < 60 && !all_are_in(sim); round++) {
        for (uint32_t i = 0; i < sim->options->clients; i++) {
            enum client_state state = sim->actors[i].client.state;

            if (state == CLIENT_CLOSED || state == CLIENT_NEW)
                act(sim, &sim->actors[i]);
        }
        sim->is_quiet = true;
        if (run_until(sim, sim->now_ms + 1000, out) != 0)
            return -1;
    }
    sim->is_quiet = true;
    if (run_until(sim, sim->now_ms + QUIET_MS, out) != 0)
        return -1;
    return check_views(sim, out);
}

int sim_run(const struct sim_options *options, struct sim_result *result, FILE *out)
{
    struct sim *sim = calloc(1, sizeof *sim);
    int status;

    assert(options->shards > 0 && options->gateways > 0 && options->clients <= CLIENTS_MAX);
    if (sim == NULL)
        return -1;
    *result = (struct sim_result){ 0 };
    sim->options = options;
    sim->result = result;
    sim->now_ms = START_MS;
    sim->bus = (struct way){ .loss = 0.002, .delay_max_ms = 3 };
    sim->internet =
        (struct way){ .loss = options->loss, .duplicate = 0.01, .delay_min_ms = 5, .delay_max_ms = 80 };
    rng_init_seeded(&sim->rng, options->seed);
    network_init(&sim->network, &sim->rng);
    build(sim);
    status = run_until(sim, START_MS + options->busy_ms, out);
    if (status == 0)
        status = settle(sim, out);
    result->virtual_ms = sim->now_ms - START_MS;
    tear_down(sim);
    free(sim);
    return status;
}
