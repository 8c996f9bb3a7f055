/* ticket.h - an account ticket, signed by the operator's account service.
 *
 * Spec: Connection, "Authentication". */
#ifndef DLMP_GATEWAY_TICKET_H
#define DLMP_GATEWAY_TICKET_H

#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/reason.h"

enum {
    TICKET_VERSION = 1,
    TICKET_ID_SIZE = 16,
    TICKET_KEY_SIZE = 32,
    TICKET_SIGNATURE_SIZE = 64,
    TICKET_NAME_MAX = 32,
    TICKET_AHEAD_MAX_S = 10 * 60,
};

struct ticket {
    uint64_t account_id;
    uint64_t cluster_id;
    int64_t expires_s; /* unix */
    uint8_t id[TICKET_ID_SIZE];
    char account_name[TICKET_NAME_MAX + 1];
};

/* REASON_NONE: the ticket is good, as far as one can tell without asking whether it was used before. Signed
 * with any of the keys will do. */
enum reason ticket_check(struct ticket *ticket, struct span bytes, const uint8_t (*keys)[TICKET_KEY_SIZE],
                         size_t keys_count, uint64_t cluster_id, int64_t unix_s);

#endif
