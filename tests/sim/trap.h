/* trap.h - kinds of faults that servers of this kind have had, each played in the simulated cluster: small
 * for `make test`, whole for `make soak`.
 *
 *     trap_join.c   joining: ids, bursts, coming back from the dead
 *     trap_end.c    leaving: every reason while the bus is cut, kicks that are seen, who dies of what
 *     trap_slow.c   one slow client among many */
#ifndef DLMP_TESTS_SIM_TRAP_H
#define DLMP_TESTS_SIM_TRAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TRAP_TEXT_SIZE = 256 };

struct trap_run {
    uint64_t seed;
    bool is_whole;
    char figures[TRAP_TEXT_SIZE]; /* for people */
    char wrong[TRAP_TEXT_SIZE];   /* "": nothing */
};

/* Each returns true when all was right. */
bool trap_joins(struct trap_run *run);
bool trap_burst(struct trap_run *run);
bool trap_rejoin(struct trap_run *run);
bool trap_ends(struct trap_run *run);
bool trap_kicks(struct trap_run *run);
bool trap_deaths(struct trap_run *run);
bool trap_slow(struct trap_run *run);

struct trap {
    const char *name;
    bool (*run)(struct trap_run *run);
};

extern const struct trap traps[]; /* ends with a name of NULL */

/* Writes it to `wrong` and returns false. */
__attribute__((format(printf, 2, 3))) bool trap_fails(struct trap_run *run, const char *format, ...);

#endif
