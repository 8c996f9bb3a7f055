/* roster.h - who plays in the whole cluster, as the coordinator tells it.
 *
 * By player id, the lowest free of which is always taken first: an array as long as the highest one. */
#ifndef DLMP_GATEWAY_ROSTER_H
#define DLMP_GATEWAY_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "gateway/handshake.h"

enum { ROSTER_MAX = 1 << 18 }; /* ours: more players than any cluster has */

struct roster_entry {
    uint32_t token; /* 0: nobody has the id */
    char name[PLAYER_NAME_SIZE];
};

struct roster {
    struct roster_entry *entries;
    uint32_t capacity;
    uint32_t count;
};

void roster_init(struct roster *roster);
void roster_fini(struct roster *roster);

/* False: an id or a name that cannot be. */
bool roster_add(struct roster *roster, uint32_t player_id, uint32_t token, const char *name);
/* Only if the id still has this token. */
void roster_remove(struct roster *roster, uint32_t player_id, uint32_t token);
void roster_clear(struct roster *roster);

/* The first player whose id is not below `player_id`, which becomes its id. NULL: there is none. */
const struct roster_entry *roster_next(const struct roster *roster, uint32_t *player_id);

#endif
