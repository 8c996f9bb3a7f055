/* registry.h - the gateways and shards of the cluster: who is there, since when, and what it last said of
 * itself.
 *
 * A process is known by its name, which only one living process can have, and keeps its place in the table
 * for as long as it is remembered; players and slots name it by that place. One that is not heard any more
 * is lost, and may come back with all it had; one that did not is gone.
 *
 * Spec: design.md, "The bus" and the table of what dies. */
#ifndef DLMP_COORDINATOR_REGISTRY_H
#define DLMP_COORDINATOR_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/bus.pb-c.h"

enum {
    PROCESSES_MAX = 512, /* ours: a gateway or a shard a core, and the dead ones still shown */
    PROCESS_NAME_SIZE = 64,
    PROCESS_ENDPOINT_SIZE = 256,         /* as long as the bus takes them */
    PROCESS_GATEWAY_KEPT_MS = 10 * 1000, /* design.md: a gateway's players leave 10 s after it was lost */
    PROCESS_SHOWN_MS = 10 * 60 * 1000,   /* ours: how long a dead process is still told of */
};

#define PROCESS_NONE UINT16_MAX

enum process_state {
    PROCESS_FREE,
    PROCESS_UP,
    PROCESS_LOST, /* may come back: silent, or not heard yet by a coordinator that has just started */
    PROCESS_GONE, /* given up */
};

struct process {
    enum process_state state;
    Bus__Role role;
    char name[PROCESS_NAME_SIZE];
    uint64_t boot;
    uint16_t peer;      /* while it is up */
    uint64_t since_ms;  /* of the state */
    bool is_remembered; /* from Redis or from before we were stopped, and not heard since: its boot id says
                         * nothing about its players */
    bool has_reported;  /* since it is up */
    uint64_t reported_ms;
    char endpoint[PROCESS_ENDPOINT_SIZE]; /* a shard's on the bus, a gateway's for clients */
    uint32_t pid;
    uint32_t members; /* players of the directory at this gateway, or on this shard */
    /* A gateway. */
    uint32_t connections;
    uint64_t packets_in;
    uint64_t packets_out;
    double rate_in; /* packets a second */
    double rate_out;
    bool is_draining;
    /* A shard, as it says itself. */
    uint32_t players;
    uint32_t vehicles;
    float tick_ms;
    uint32_t lease_wanted; /* vehicle ids that it has asked for and not been given */
    uint64_t compared;     /* the comparison with Redis that saw it last */
};

struct registry {
    struct process processes[PROCESSES_MAX];
};

/* Letters, digits, '.', '_' and '-', 1 to 63 of them. */
bool process_name_is_valid(const char *name);

/* PROCESS_NONE: there is none. */
uint16_t registry_find(const struct registry *registry, const char *name);
uint16_t registry_find_peer(const struct registry *registry, uint16_t peer);
/* The place of this name, a new one if need be; the longest gone make room. PROCESS_NONE: the table is
 * full. */
uint16_t registry_place(struct registry *registry, Bus__Role role, const char *name);
void registry_forget(struct registry *registry, uint16_t place);
/* The next place that is not free, not below `place`; PROCESS_NONE: none. */
uint16_t registry_next(const struct registry *registry, uint16_t place);

/* What a process may say of where it is: it goes to gateways and to people. */
bool process_endpoint_is_valid(const char *endpoint);
void process_set_endpoint(struct process *process, const char *endpoint);
/* A shard that slots can be given to: it is up, and has said where it is. */
bool process_is_ready(const struct process *process);
/* "up", "starting", "lost", "dead", "draining" */
const char *process_state_name(const struct process *process);

#endif
