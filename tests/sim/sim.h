/* sim.h - a whole cluster in one process: the real cores on a virtual clock, over a network that loses,
 * doubles and delays.
 *
 * One seed gives one run, to the last datagram. Clients walk, drive, chat, die, leave, die hard and come
 * back; they tow, lift, jack, wreck and sync vehicles while a gamemode changes those (gamemode.h,
 * motorist.h); in three runs of four the seed also draws what goes wrong with the servers (faults.h), and
 * in half of them clocks and counters start shortly before they wrap. After every step the cores' own
 * checks must hold and no client may have a complaint. Then everything heals, everybody stands still, and
 * the truth must hold (truth.h). */
#ifndef DLMP_TESTS_SIM_SIM_H
#define DLMP_TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bots/client.h"

struct sim_options {
    uint64_t seed;
    uint32_t shards;
    uint32_t gateways;
    uint32_t clients;
    uint32_t busy_ms; /* of virtual time, before everything heals */
    double loss;      /* of datagrams */
    bool is_calm;     /* nothing goes wrong with the servers */
};

struct sim_result {
    uint64_t virtual_ms;
    uint64_t steps;
    uint64_t datagrams;
    uint64_t joins;
    uint64_t faults;
    uint64_t pairs;    /* of players that see each other at the end */
    uint64_t vehicles; /* that players see at the end */
    uint64_t deeds;    /* of the gamemodes */
    uint64_t refusals;
    uint64_t asked[CLIENT_ASKS]; /* by those who are in at the end, since they came */
    uint64_t accepted[CLIENT_ASKS];
};

/* 0; or -1, with what went wrong to `out`. */
int sim_run(const struct sim_options *options, struct sim_result *result, FILE *out);

#endif
