/* account.h - the account that a player has proven to the gateway.
 *
 * Spec: Connection, "Authentication". */
#ifndef DLMP_SHARD_ACCOUNT_H
#define DLMP_SHARD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/bus.pb-c.h"

enum { ACCOUNT_NAME_MAX = 32 }; /* Connection, "Authentication" */

struct player_account {
    uint64_t id; /* 0: none */
    char name[ACCOUNT_NAME_MAX + 1];
};

struct player;
struct shard;

/* The item is the player's and in its turn. */
void account_on_auth(struct shard *shard, struct player *player, const Bus__PlayerAuth *auth);
/* With accounts required nobody spawns before it has one. */
bool account_lets_spawn(const struct shard *shard, const struct player *player);

#endif
