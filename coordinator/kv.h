/* kv.h - what resources keep in Redis: asked by shards, answered when Redis has.
 *
 * Each resource has a namespace of its own. What is asked goes to Redis in the order in which it came and
 * waits for nothing else; while Redis is away it is answered at once that it could not be done.
 *
 * Spec: gamemode API, kv_get, kv_set, kv_incr, kv_del. */
#ifndef DLMP_COORDINATOR_KV_H
#define DLMP_COORDINATOR_KV_H

#include "common/pool.h"
#include "coordinator/storage.h"

struct coordinator;

enum { KV_WAITING_MAX = 4096 }; /* ours: what all shards together may have asked for and not been told */

/* Something that Redis has been asked for. */
struct kv_ask {
    uint16_t shard; /* in the registry */
    uint64_t boot;  /* of it: another life has not asked */
    uint64_t request;
    Bus__KvAsk__Op op;
    char resource[GAME_RESOURCE_MAX + 1];
    struct kv_value value;
    uint8_t *bytes; /* of key and value: the ask's own */
    size_t key_size;
};

struct kv {
    struct pool asks; /* struct kv_ask */
};

/* -1: no memory. */
int kv_open(struct kv *kv);
void kv_close(struct kv *kv);

void kv_on_ask(struct coordinator *coordinator, uint16_t shard, const Bus__KvAsk *from);
/* What Redis is asked; the ask must be waiting. */
void kv_fill(struct coordinator *coordinator, struct pool_ref ref, struct storage_kv *command);
/* `result`: NULL when Redis has gone away. */
void kv_on_result(struct coordinator *coordinator, struct pool_ref ref, const struct storage_result *result);

#endif
