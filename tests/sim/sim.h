/* sim.h - a whole cluster in one process: the real cores on a virtual clock, over a network that loses,
 * doubles and delays.
 *
 * One seed gives one run, to the last datagram. Clients walk, chat, enter vehicles, die, leave and come
 * back; after every step the cores' own checks must hold and no client may have a complaint. Then the
 * network heals, everybody stands still, and what each client sees must be exactly what the streaming rules
 * say. */
#ifndef DLMP_TESTS_SIM_SIM_H
#define DLMP_TESTS_SIM_SIM_H

#include <stdint.h>
#include <stdio.h>

struct sim_options {
    uint64_t seed;
    uint32_t shards;
    uint32_t gateways;
    uint32_t clients;
    uint32_t busy_ms; /* of virtual time, before the network heals */
    double loss;      /* of datagrams */
};

struct sim_result {
    uint64_t virtual_ms;
    uint64_t steps;
    uint64_t datagrams;
    uint64_t joins;
    uint64_t spawns; /* clients that were in the world at the end */
    uint64_t pairs;  /* of players that see each other at the end */
};

/* 0; or -1, with what went wrong in one line to `out`. */
int sim_run(const struct sim_options *options, struct sim_result *result, FILE *out);

#endif
