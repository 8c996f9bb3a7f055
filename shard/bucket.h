/* bucket.h - a limit of so many at once and so many a second.
 *
 * A bucket of zeros is full. It reads no clock; a time before the last one changes nothing. */
#ifndef DLMP_SHARD_BUCKET_H
#define DLMP_SHARD_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct bucket_limit {
    double burst;
    double per_second;
};

struct bucket {
    double used; /* of the burst */
    uint64_t at_ms;
};

/* What is left of the burst. */
static inline double bucket_left(struct bucket *bucket, struct bucket_limit limit, uint64_t now_ms)
{
    if (now_ms > bucket->at_ms) {
        bucket->used -= (double)(now_ms - bucket->at_ms) * limit.per_second / 1000;
        if (bucket->used < 0)
            bucket->used = 0;
        bucket->at_ms = now_ms;
    }
    return limit.burst - bucket->used;
}

/* False: over the limit, and nothing is taken. */
static inline bool bucket_take(struct bucket *bucket, struct bucket_limit limit, uint64_t now_ms)
{
    if (bucket_left(bucket, limit, now_ms) < 1)
        return false;
    bucket->used += 1;
    return true;
}

#endif
