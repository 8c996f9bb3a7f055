/* groups.h - the lists of recipients that shards have named.
 *
 * A shard names the observers of an entity once and changes them by deltas; its packets then name the group.
 * A member is a session, so a group holds nobody twice and nobody who has left for longer than until it is
 * walked next.
 *
 * Spec: design.md, "The bus". */
#ifndef DLMP_GATEWAY_GROUPS_H
#define DLMP_GATEWAY_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pool.h"
#include "gateway/index.h"

enum { GROUPS_MAX = 64 * 1024 }; /* ours: every player and vehicle that a gateway's players can be near */

struct group_member {
    uint32_t player_id;
    struct pool_ref session;
};

struct group {
    uint64_t id;   /* the shard's name for it */
    uint16_t peer; /* the shard */
    struct group_member *members;
    uint32_t count;
    uint32_t capacity;
};

struct groups {
    struct pool pool;
    struct index by_id;
};

/* -1: no memory. */
int groups_init(struct groups *groups);
void groups_fini(struct groups *groups);

/* NULL: nobody is in it. */
struct group *groups_find(const struct groups *groups, uint16_t peer, uint64_t id);
/* A member again: it is this session from now on. False: there is no room for another group. */
bool groups_add(struct groups *groups, uint16_t peer, uint64_t id, uint32_t player_id,
                struct pool_ref session);
/* One who is no member changes nothing. */
void groups_remove(struct groups *groups, uint16_t peer, uint64_t id, uint32_t player_id);
/* Empties one group, or all that the peer has named. */
void groups_reset(struct groups *groups, uint16_t peer, uint64_t id);
void groups_forget_peer(struct groups *groups, uint16_t peer);

#endif
