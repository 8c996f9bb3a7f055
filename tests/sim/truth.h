/* truth.h - what must hold once all is quiet: the network is whole, everybody is in and stands still.
 *
 * Views are then exactly what the streaming rules say, lists of players are who is there, and all processes
 * and Redis count the same players, each once. */
#ifndef DLMP_TESTS_SIM_TRUTH_H
#define DLMP_TESTS_SIM_TRUTH_H

#include "tests/sim/crowd.h"

enum { TRUTH_SIZE = 200 };

struct truth {
    uint64_t pairs;    /* of players that see each other */
    uint64_t vehicles; /* that somebody sees, once for each who does */
    char wrong[TRUTH_SIZE];
    char copy[TRUTH_SIZE / 2];
};

/* False: `wrong` says what is. */
bool truth_holds(struct truth *truth, const struct crowd *crowd);

#endif
