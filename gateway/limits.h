/* limits.h - how much a connection, an address and the whole world may ask of a gateway.
 *
 * Token buckets for connections and addresses, budgets a second for the whole gateway. Each limit has a mode:
 * enforced, observed (only counted) or off. Whoever takes from a limit is told whether it passes and counts
 * for himself.
 *
 * Addresses are kept in tables of fixed size: when one is full, the address that was quiet longest is
 * forgotten. Only addresses that are proven, or whose answers are bounded by a budget anyway, get into one: a
 * limit that unproven addresses feed would lock their owners out.
 *
 * Spec: Connection, "Rate limits". */
#ifndef DLMP_GATEWAY_LIMITS_H
#define DLMP_GATEWAY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/address.h"
#include "common/random.h"

/* Of a connection first, then those of addresses, then the gateway's own. */
enum limit {
    LIMIT_DATAGRAMS,
    LIMIT_PLAYER_SYNC,
    LIMIT_VEHICLE_FRAME,
    LIMIT_SHOTS,
    LIMIT_DAMAGE_REPORT,
    LIMIT_RELIABLE,
    LIMIT_ACKS,
    LIMITS_OF_SESSION,
    LIMIT_HELLO = LIMITS_OF_SESSION,
    LIMIT_QUERY,
    LIMIT_CHALLENGES,
    LIMIT_QUERIES,
    LIMITS,
};

enum limit_mode { LIMIT_ENFORCE, LIMIT_OBSERVE, LIMIT_OFF };
enum limit_verdict { LIMIT_PASSED, LIMIT_OBSERVED, LIMIT_OVER };

/* In millionths, so that no rounding ever moves a boundary. */
struct limit_rule {
    uint64_t rate_micro_per_ms; /* a thousandth of what comes back a second */
    uint64_t burst_micro;
    enum limit_mode mode;
};

struct limits {
    struct limit_rule rules[LIMITS];
};

/* The table of the page. */
void limits_init(struct limits *limits);
/* "player_sync", as in the settings `limits.player_sync.rate`. */
const char *limit_name(enum limit limit);
/* Changes one by its name. False: no such limit, mode or number; nothing is changed. */
bool limits_set(struct limits *limits, const char *name, double rate, double burst, const char *mode);

/* ---- buckets */

struct limit_bucket {
    uint64_t micro; /* what is left */
    uint64_t at_ms;
};

void limit_bucket_fill(struct limit_bucket *bucket, const struct limit_rule *rule, uint64_t now_ms);
/* What is over the limit takes nothing. */
enum limit_verdict limit_bucket_take(struct limit_bucket *bucket, const struct limit_rule *rule,
                                     uint64_t now_ms);

/* ---- a connection that floods */

enum { FLOOD_FACTOR = 10, FLOOD_WINDOW_MS = 1000, FLOOD_WINDOWS = 5 };

struct flood {
    uint64_t window_ms; /* when the present window began */
    uint32_t datagrams; /* in it */
    uint32_t windows;   /* in a row that were over */
};

/* Counts a datagram. True: more than FLOOD_FACTOR times the limit for FLOOD_WINDOWS windows in a row. */
bool flood_count(struct flood *flood, const struct limit_rule *total, uint64_t now_ms);

/* ---- addresses */

struct sources {
    struct source *table;
    uint64_t key;
};

/* -1: no memory. */
int sources_init(struct sources *sources, struct rng *rng);
void sources_fini(struct sources *sources);

/* An IPv4 address counts by itself, an IPv6 address with its /64. */
enum limit_verdict sources_take(struct sources *sources, const struct limit_rule *rule,
                                const struct address *from, uint64_t now_ms);

/* ---- the whole gateway */

struct budget {
    uint64_t second_ms; /* when the present second began */
    uint32_t asked;     /* in it */
    uint32_t passed;
    uint32_t asked_before; /* in the one before */
};

/* So many a second, the first ones of it. */
enum limit_verdict budget_take(struct budget *budget, const struct limit_rule *rule, uint64_t now_ms);
/* So many a second; above that a random share, by what the second before asked: nobody who comes early in a
 * second, or often, shuts the others out. */
enum limit_verdict budget_take_share(struct budget *budget, const struct limit_rule *rule, uint64_t now_ms,
                                     struct rng *rng);

#endif
