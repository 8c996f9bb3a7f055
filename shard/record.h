/* record.h - what the records of players and of vehicles have in common: places, vectors, times, limits,
 * resources.
 *
 * A record is what a move or a takeover carries of a player or a vehicle, as a message of the bus. Writing
 * one takes memory from an outbox. Reading one is strict: whatever comes from Redis or another process may
 * be damaged or hostile, so a value that this server could not have written refuses the whole record.
 *
 * No two machines share a clock: a time is written as its age. A process whose clock shows less than an age
 * (it counts from the machine's start) takes it as the beginning of its clock. */
#ifndef DLMP_SHARD_RECORD_H
#define DLMP_SHARD_RECORD_H

#include "proto/outbox.h"
#include "shard/shard.h"

#define RECORD_BUCKET_USED_MAX 64.0 /* ours: more than the largest burst of any limit */

/* Resources are numbers here and names everywhere else. */
struct record_resources {
    const char *(*name)(void *context, uint16_t number); /* NULL: none has the number */
    uint16_t (*number)(void *context, const char *name); /* 0: none here has the name */
    void *context;
};

static inline uint64_t record_age(uint64_t now_ms, uint64_t at_ms)
{
    return now_ms > at_ms ? now_ms - at_ms : 0;
}

/* Never 0, which is no time in some places. */
static inline uint64_t record_time(uint64_t now_ms, uint64_t age_ms)
{
    return age_ms < now_ms ? now_ms - age_ms : 1;
}

Bus__Player *record_write_ref(struct outbox *outbox, struct player_ref ref);
Bus__Scope *record_write_scope(struct outbox *outbox, struct scope scope);
Bus__PlaceState *record_write_place(struct outbox *outbox, const struct place *place);
Bus__BucketState *record_write_bucket(struct outbox *outbox, const struct bucket *bucket, uint64_t now_ms);
float *record_write_floats(struct outbox *outbox, const float *values, size_t count, size_t *written);
uint32_t *record_write_bytes(struct outbox *outbox, const uint8_t *values, size_t count, size_t *written);

Bus__DataState **record_write_notes(struct outbox *outbox, const struct notes *notes, size_t *written);

/* False: a part is missing, or out of its range. */
bool record_read_ref(struct player_ref *ref, const Bus__Player *from);
bool record_read_scope(struct scope *scope, const Bus__Scope *from);
bool record_read_place(struct place *place, const Bus__PlaceState *from);
bool record_read_bucket(struct bucket *bucket, const Bus__BucketState *from, uint64_t now_ms);
/* Exactly so many, and finite. */
bool record_read_floats(float *values, size_t count, const float *from, size_t from_count);
bool record_read_bytes(uint8_t *values, size_t count, const uint32_t *from, size_t from_count);
/* Into notes that are empty; they hold nothing when it is refused. */
enum reason record_read_notes(struct notes *notes, Bus__DataState *const *from, size_t count);
bool record_read_u8(uint8_t *value, uint32_t from);
bool record_read_u16(uint16_t *value, uint32_t from);

#endif
