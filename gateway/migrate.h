/* migrate.h - a client whose address changes.
 *
 * The right token from another address does not move a connection by itself: it may be an old datagram that a
 * third party replays. The other address is sent a stamp; only who receives there and has the token can
 * return it, and even then the old address must have fallen silent. The last two such addresses are kept
 * apart, so that a stranger's tries do not block the owner's.
 *
 * Spec: Connection, "A client whose address changes". */
#ifndef DLMP_GATEWAY_MIGRATE_H
#define DLMP_GATEWAY_MIGRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/address.h"
#include "common/random.h"

enum {
    MIGRATE_ADDRESSES = 2,
    MIGRATE_STAMPS_PER_S = 2,
    MIGRATE_STAMPS = 8, /* ours: at two a second, a stamp is good for 4 s of round trip */
    MIGRATE_STAMP_LIFE_MS = 10 * 1000,
    MIGRATE_SILENCE_MS = 1500,
};

struct migrate {
    struct migrate_address {
        struct address address;
        bool used;
        uint64_t heard_ms;
        uint32_t sent; /* stamps in all; the last ones are kept in a ring */
        uint64_t sent_ms[MIGRATE_STAMPS];
        uint32_t stamps[MIGRATE_STAMPS];
        bool good[MIGRATE_STAMPS]; /* not yet returned */
    } addresses[MIGRATE_ADDRESSES];
};

/* The right token came from another address. True: send it this stamp. */
bool migrate_try(struct migrate *migrate, const struct address *from, struct rng *rng, uint64_t now_ms,
                 uint32_t *stamp);
/* A pong with the right token came from another address. True: its stamp was sent there lately. It does not
 * count again, whatever comes of it. */
bool migrate_pong(struct migrate *migrate, const struct address *from, uint32_t stamp, uint64_t now_ms);

#endif
