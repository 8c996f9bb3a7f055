/* cluster.h - the servers of the simulated cluster: one coordinator with its Redis, shards, gateways, and the
 * bus between them, all on one virtual clock.
 *
 * Clients are numbers from 0 and have an address each; a datagram for one is handed to `arrived` when it is
 * due, and one of its own is given to cluster_send. Processes can be killed, started again under their names
 * with new boot ids, and stopped for a while; the bus between two of them can be cut.
 *
 * Node 0 is the coordinator, then come the shards, then the gateways. */
#ifndef DLMP_TESTS_SIM_CLUSTER_H
#define DLMP_TESTS_SIM_CLUSTER_H

#include "common/address.h"
#include "coordinator/core.h"
#include "gateway/core.h"
#include "shard/core.h"
#include "tests/sim/gamemode.h"
#include "tests/sim/network.h"
#include "tests/sim/node.h"
#include "tests/sim/redis.h"

enum { CLUSTER_VEHICLES = 24, CLUSTER_SPAWNS = 8, COORDINATOR_NODE = 0 };

struct cluster_config {
    uint64_t start_ms;
    uint32_t shards;
    uint32_t gateways;
    uint32_t players_max; /* of each gateway and shard */
    uint32_t ids_max;     /* of players */
    bool has_gamemodes;   /* each shard one */
    uint32_t check_ms;    /* between two walks through a core's state; 0: one after each step */
    /* What the cluster has counted before: Redis has them. */
    uint64_t first_token;
    uint64_t first_vehicle;
    uint64_t first_fence;
    /* A datagram has come for the client `message->to`, at its port. */
    void (*arrived)(void *context, const struct message *message);
    /* How bad the client's way is at the moment. */
    const struct way *(*way)(void *context, uint16_t client);
    void *context;
};

struct cluster {
    struct cluster_config config;
    struct rng *rng;
    struct network network;
    struct way bus;
    uint64_t now_ms;

    struct cluster_settings settings;
    struct coordinator_config coordinator_config;
    struct redis redis;

    struct node nodes[NODES_MAX];
    uint16_t nodes_count;
    uint16_t first_gateway;
    char names[NODES_MAX][16];
    struct coordinator *coordinator; /* NULL: dead */
    struct shard *shards[NODES_MAX]; /* by node; NULL: another process, or dead */
    struct gamemode gamemodes[NODES_MAX];
    bool gamemodes_rest;
    struct gateway *gateways[NODES_MAX];
    uint64_t check_at_ms[NODES_MAX];
    uint64_t stopped_until_ms[NODES_MAX];
    uint64_t cut_until_ms[NODES_MAX][NODES_MAX];
    uint64_t order_ms[NODES_MAX][NODES_MAX]; /* ZeroMQ keeps the order of what it does not lose */
    uint64_t *order_up_ms;                   /* by client */
    uint64_t *order_down_ms;

    uint64_t datagrams; /* that gateways have sent */
    size_t backlog_max; /* of a link, so far */
};

/* The rng stays the caller's. */
void cluster_open(struct cluster *cluster, const struct cluster_config *config, struct rng *rng);
void cluster_close(struct cluster *cluster);

void cluster_send(struct cluster *cluster, uint16_t client, uint16_t port, uint16_t gateway,
                  struct span datagram);

/* When something is due; at least a millisecond away. */
uint64_t cluster_wakes_at(const struct cluster *cluster);
/* It is that time: whatever is due happens. */
void cluster_run(struct cluster *cluster, uint64_t now_ms);

/* ---- faults */

bool cluster_is_alive(const struct cluster *cluster, uint16_t node);
void cluster_kill(struct cluster *cluster, uint16_t node);
void cluster_start(struct cluster *cluster, uint16_t node);
/* It does nothing until then, and what it is sent waits. */
void cluster_stop(struct cluster *cluster, uint16_t node, uint64_t until_ms);
/* Nothing gets through between the two until then. */
void cluster_cut(struct cluster *cluster, uint16_t a, uint16_t b, uint64_t until_ms);
void cluster_cut_redis(struct cluster *cluster, uint64_t until_ms);
/* Every cut is mended, everybody runs. */
void cluster_heal(struct cluster *cluster);

/* ---- how it stands */

/* The gamemodes change nothing any more. */
void cluster_rest_gamemodes(struct cluster *cluster);
/* The configured vehicles that are in slots of the shards that are there. */
uint32_t cluster_vehicles(const struct cluster *cluster);
uint32_t cluster_sessions(const struct cluster *cluster);
uint32_t cluster_players(const struct cluster *cluster);

#endif
