/* random.h - random numbers, good or repeatable.
 *
 * A core is handed a `struct rng` and does not know which kind it is. A shell gives it a secure one, which
 * asks libsodium for every number and is fit for tokens, cookies and keys. The simulator, the bots and the
 * tests give a seeded one (xoshiro256**): the same seed gives the same numbers on every machine, so a failing
 * run can be repeated, and anybody can foresee them. */
#ifndef DLMP_COMMON_RANDOM_H
#define DLMP_COMMON_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    enum rng_kind { RNG_NONE, RNG_SECURE, RNG_SEEDED } kind;
    uint64_t state[4]; /* of a seeded one */
};

/* Stops the process when the system has no randomness to give: rather no server than tokens one can guess. */
void rng_init_secure(struct rng *rng);
void rng_init_seeded(struct rng *rng, uint64_t seed);

uint64_t rng_u64(struct rng *rng);
/* Never 0: for tokens, where 0 says that there is none. */
uint64_t rng_token(struct rng *rng);
void rng_bytes(struct rng *rng, void *bytes, size_t size);

/* 0 to n - 1, each as likely as the others; n is not 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/* 0 to below 1. */
float rng_unit(struct rng *rng);
/* True with the probability p: never at 0 or below, always at 1 or above, never for NaN. */
bool rng_chance(struct rng *rng, double p);

#endif
