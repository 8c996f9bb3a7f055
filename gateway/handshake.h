/* handshake.h - how a stranger becomes a connection.
 *
 * A stranger proves its address before anything is remembered of it: the first hello is answered with a
 * cookie that only its address could receive, computed, not stored. A hello with a good cookie becomes a join
 * that waits for the cluster's decision; one (address, nonce) has one at a time.
 *
 * Spec: Connection, "Opening a connection". */
#ifndef DLMP_GATEWAY_HANDSHAKE_H
#define DLMP_GATEWAY_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/address.h"
#include "common/cursor.h"
#include "common/pool.h"
#include "common/random.h"
#include "gateway/index.h"

/* ---- cookies */

enum { COOKIE_ROTATION_MS = 60 * 1000, COOKIE_KEY_SIZE = 16 };

struct cookie_secret {
    uint8_t key[COOKIE_KEY_SIZE];
    uint64_t number;
};

struct cookies {
    struct cookie_secret current;
    struct cookie_secret previous;
    uint64_t rotated_ms;
};

void cookies_init(struct cookies *cookies, struct rng *rng, uint64_t now_ms);
/* Changes the secret when it is time; to be called before the two below. */
void cookies_advance(struct cookies *cookies, struct rng *rng, uint64_t now_ms);
/* Never 0. */
uint64_t cookie_make(const struct cookies *cookies, const struct address *from, uint64_t nonce);
/* Made under the present secret or the one before. */
bool cookie_is_good(const struct cookies *cookies, const struct address *from, uint64_t nonce,
                    uint64_t cookie);

/* ---- what a hello says */

/* A-Z a-z 0-9 and _ . - [ ] ( ) $ @ =, with a letter or digit among them. */
bool player_name_is_valid(struct span name);
/* In a time that does not tell how much of it was right. No password set: every one is. */
bool password_is_right(struct span given, struct span set);

/* ---- joins: attempts the cluster is deciding on */

enum {
    JOINS_MAX = 4096,           /* ours: several seconds' worth of a whole evening's rush */
    JOIN_TIMEOUT_MS = 5 * 1000, /* ours: the client has tried ten times by then */
    PLAYER_NAME_MAX = 24,
    PLAYER_NAME_SIZE = PLAYER_NAME_MAX + 1,
};

struct join {
    struct address address;
    uint64_t nonce;
    uint64_t asked_ms;
    char name[PLAYER_NAME_SIZE];
    bool has_auth;
    bool superseded; /* the address has begun a newer attempt */
};

struct joins {
    struct pool pool;
    struct index by_address;
    uint64_t key;
};

/* -1: no memory. */
int joins_init(struct joins *joins, struct rng *rng);
void joins_fini(struct joins *joins);

struct join *joins_find(const struct joins *joins, const struct address *address, uint64_t nonce);
/* Supersedes older attempts of the address. NULL: too many wait. `request` is the number to ask the
 * coordinator with. */
struct join *joins_add(struct joins *joins, const struct address *address, uint64_t nonce, uint64_t *request);
/* NULL: answered, or forgotten. */
struct join *joins_get(const struct joins *joins, uint64_t request);
void joins_remove(struct joins *joins, uint64_t request);
/* Forgets one that has waited too long. False: there is none. */
bool joins_expire(struct joins *joins, uint64_t now_ms);
void joins_clear(struct joins *joins);

#endif
