/* node.h - a process of the simulated cluster: a core, and a link to each peer.
 *
 * It does what the process's shell does, over the simulated network: messages go through the links into the
 * core, what the core leaves in its outbox goes out through them. */
#ifndef DLMP_TESTS_SIM_NODE_H
#define DLMP_TESTS_SIM_NODE_H

#include "proto/link.h"
#include "proto/outbox.h"

enum { NODES_MAX = 8 };

/* The bus face that all cores have. */
struct core_face {
    void (*peer_up)(void *core, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                    uint64_t boot);
    void (*peer_down)(void *core, uint64_t now_ms, uint16_t peer);
    void (*on_item)(void *core, uint64_t now_ms, uint16_t peer, const Bus__Item *item);
    void (*tick)(void *core, uint64_t now_ms);
    uint64_t (*wakes_at)(const void *core);
    struct outbox *(*outbox)(void *core);
    void (*check)(const void *core);
    void (*backlogged)(void *core, uint16_t peer, bool backlogged); /* NULL: nothing depends on it */
};

struct node {
    const struct core_face *face;
    void *core; /* NULL: the process is dead */
    char name[16];
    struct link_self self;
    struct node_peer {
        bool is_peer;
        bool is_up; /* as the core knows it */
        bool is_backlogged;
        struct link link;
    } peers[NODES_MAX];
    struct arena arena;
};

/* Starts the process: `boot` tells this life from the ones before. */
void node_start(struct node *node, const struct core_face *face, void *core, Bus__Role role, const char *name,
                uint64_t boot);
/* `name` may be NULL: whoever answers with that role is the peer. */
void node_connect(struct node *node, uint16_t peer, Bus__Role role, const char *name);
/* The process is gone; the core is the caller's. */
void node_stop(struct node *node);

/* Sends to a peer; false: it cannot be taken now. */
struct node_wire {
    bool (*emit)(void *context, uint16_t to, struct span data);
    void *context;
};

void node_receive(struct node *node, uint64_t now_ms, uint16_t from, struct span data,
                  const struct node_wire *wire);
/* Ticks what is due and flushes the links. */
void node_run(struct node *node, uint64_t now_ms, const struct node_wire *wire);
uint64_t node_wakes_at(const struct node *node);

#endif
