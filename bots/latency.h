/* latency.h - how long things took: a histogram of microseconds in constant memory.
 *
 * Exact below 128 µs, within 1/64 above, up to more than an hour. */
#ifndef DLMP_BOTS_LATENCY_H
#define DLMP_BOTS_LATENCY_H

#include <stdint.h>

enum {
    LATENCY_PER_OCTAVE = 64,
    LATENCY_OCTAVES = 26,
    LATENCY_BUCKETS = LATENCY_PER_OCTAVE * (LATENCY_OCTAVES + 1)
};

struct latency {
    uint64_t buckets[LATENCY_BUCKETS];
    uint64_t count;
    uint64_t max_us;
};

void latency_add(struct latency *latency, uint64_t us);
/* The time that a share of the samples did not exceed: 0.99 for p99; 0 without samples. */
uint64_t latency_quantile_us(const struct latency *latency, double share);

#endif
