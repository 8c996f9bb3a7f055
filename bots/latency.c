#include "bots/latency.h"

#include <math.h>

static uint32_t bucket_of(uint64_t us)
{
    uint32_t shift = 0;

    while (us >> shift >= 2 * LATENCY_PER_OCTAVE)
        shift++;

    uint64_t bucket = (uint64_t)shift * LATENCY_PER_OCTAVE + (us >> shift);

    return bucket < LATENCY_BUCKETS ? (uint32_t)bucket : LATENCY_BUCKETS - 1;
}

/* The largest time that falls into the bucket. */
static uint64_t top_us(uint32_t bucket)
{
    uint32_t shift = bucket < 2 * LATENCY_PER_OCTAVE ? 0 : bucket / LATENCY_PER_OCTAVE - 1;

    return (((uint64_t)bucket - (uint64_t)shift * LATENCY_PER_OCTAVE + 1) << shift) - 1;
}

void latency_add(struct latency *latency, uint64_t us)
{
    latency->buckets[bucket_of(us)]++;
    latency->count++;
    if (us > latency->max_us)
        latency->max_us = us;
}

uint64_t latency_quantile_us(const struct latency *latency, double share)
{
    uint64_t wanted = (uint64_t)ceil(share * (double)latency->count);
    uint64_t seen = 0;

    if (latency->count == 0)
        return 0;
    for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
        seen += latency->buckets[i];
        if (seen >= wanted && seen > 0)
            return top_us(i) < latency->max_us ? top_us(i) : latency->max_us;
    }
    return latency->max_us;
}
