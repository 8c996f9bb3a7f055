/* tickets.h - account tickets that have been used, until they expire.
 *
 * Each is good for one player, who may ask again. Redis keeps them as well, and decides when it is there;
 * this is what is known while it is not, and what it is told when it comes back.
 *
 * Spec: Connection, "Authentication". */
#ifndef DLMP_COORDINATOR_TICKETS_H
#define DLMP_COORDINATOR_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/storage.h"
#include "coordinator/table.h"

enum {
    TICKETS_MAX = 65536,                 /* ours: a hundred a second that each live their ten minutes */
    TICKET_LIFE_MAX_MS = 10 * 60 * 1000, /* Connection, "Authentication" */
};

struct used_ticket {
    uint8_t id[STORAGE_TICKET_SIZE];
    struct member_ref user;
    uint64_t account_id;
    char account_name[DIRECTORY_ACCOUNT_SIZE];
    uint64_t request; /* the gateway's number of the question; 0: answered */
    uint64_t expires_ms;
    bool is_stored;
};

struct tickets {
    struct table used;
};

void tickets_init(struct tickets *tickets);
void tickets_fini(struct tickets *tickets);

/* NULL: the table is full. The ticket must not be there. */
struct used_ticket *tickets_add(struct tickets *tickets, const uint8_t id[STORAGE_TICKET_SIZE]);
struct used_ticket *tickets_find(const struct tickets *tickets, const uint8_t id[STORAGE_TICKET_SIZE]);
void tickets_remove(struct tickets *tickets, struct used_ticket *ticket);
/* Forgets those that have expired. */
void tickets_expire(struct tickets *tickets, uint64_t now_ms);
/* The next one at `at` or after it, as table_next. */
struct used_ticket *tickets_next(const struct tickets *tickets, uint32_t *at);

#endif
