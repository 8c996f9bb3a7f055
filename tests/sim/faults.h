/* faults.h - what goes wrong with the servers in a run, drawn from its seed: the bus between two of them cut,
 * one that dies and starts again under its name, one that is stopped, Redis out of reach. Each is shorter
 * than a peer's silence may be, or longer, or longer than its players are kept. */
#ifndef DLMP_TESTS_SIM_FAULTS_H
#define DLMP_TESTS_SIM_FAULTS_H

#include "tests/sim/cluster.h"

enum { FAULTS_MAX = 6 };

struct faults {
    struct fault {
        enum fault_kind { FAULT_CUT, FAULT_DEATH, FAULT_STOP, FAULT_REDIS } kind;
        uint64_t at_ms;
        uint64_t for_ms;
        uint16_t a;
        uint16_t b;     /* of a cut */
    } list[FAULTS_MAX]; /* by rising at_ms */
    size_t count;
    size_t next;
    uint64_t starts_ms[NODES_MAX]; /* when a dead process starts again; 0: it is not dead */
};

/* So many of them, between the two moments. */
void faults_draw(struct faults *faults, struct rng *rng, const struct cluster *cluster, size_t count,
                 uint64_t from_ms, uint64_t to_ms);

void faults_run(struct faults *faults, struct cluster *cluster);
uint64_t faults_wake_at(const struct faults *faults);
/* For people, times since `start_ms`. */
void faults_print(const struct faults *faults, const struct cluster *cluster, FILE *out);

#endif
