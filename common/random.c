#include "common/random.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

#include "common/cursor.h"

void rng_init_secure(struct rng *rng)
{
    if (sodium_init() < 0)
        abort();
    *rng = (struct rng){ .kind = RNG_SECURE };
}

/* splitmix64, which xoshiro's authors advise for filling its state: four numbers of it are never all 0. */
static uint64_t next_of_seed(uint64_t *seed)
{
    uint64_t mixed = *seed += UINT64_C(0x9E3779B97F4A7C15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

void rng_init_seeded(struct rng *rng, uint64_t seed)
{
    *rng = (struct rng){ .kind = RNG_SEEDED };
    for (size_t i = 0; i < 4; i++)
        rng->state[i] = next_of_seed(&seed);
}

static uint64_t rotate_left(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

/* xoshiro256** 1.0 of Blackman and Vigna, in the public domain. */
static uint64_t next_of_state(uint64_t state[4])
{
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;

    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

uint64_t rng_u64(struct rng *rng)
{
    uint64_t value;

    assert(rng->kind != RNG_NONE);
    if (rng->kind == RNG_SEEDED)
        return next_of_state(rng->state);
    randombytes_buf(&value, sizeof value);
    return value;
}

uint64_t rng_token(struct rng *rng)
{
    uint64_t token;

    do
        token = rng_u64(rng);
    while (token == 0);
    return token;
}

void rng_bytes(struct rng *rng, void *bytes, size_t size)
{
    uint8_t *at = bytes;

    assert(rng->kind != RNG_NONE);
    if (rng->kind == RNG_SECURE) {
        randombytes_buf(bytes, size);
        return;
    }
    while (size > 0) {
        uint8_t eight[8];
        size_t now = size < sizeof eight ? size : sizeof eight;

        store_u64(eight, next_of_state(rng->state));
        memcpy(at, eight, now);
        at += now;
        size -= now;
    }
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
    assert(n > 0);

    /* 2^64 is not a multiple of most n: the first 2^64 mod n numbers, less than half of all, are drawn again.
     */
    uint64_t drawn_again = (0 - n) % n;
    uint64_t value;

    do
        value = rng_u64(rng);
    while (value < drawn_again);
    return value % n;
}

float rng_unit(struct rng *rng)
{
    return (float)(rng_u64(rng) >> 40) * 0x1p-24f;
}

bool rng_chance(struct rng *rng, double p)
{
    return (double)(rng_u64(rng) >> 11) * 0x1p-53 < p;
}
