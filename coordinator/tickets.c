#include "coordinator/tickets.h"

#include <stdlib.h>
#include <string.h>

static bool has_id(const void *item, const void *key)
{
    const struct used_ticket *ticket = item;

    return memcmp(ticket->id, key, sizeof ticket->id) == 0;
}

void tickets_init(struct tickets *tickets)
{
    table_init(&tickets->used, has_id);
}

void tickets_fini(struct tickets *tickets)
{
    struct used_ticket *ticket;

    for (uint32_t at = 0; (ticket = tickets_next(tickets, &at)) != NULL; at++)
        free(ticket);
    table_fini(&tickets->used);
}

struct used_ticket *tickets_add(struct tickets *tickets, const uint8_t id[STORAGE_TICKET_SIZE])
{
    struct used_ticket *ticket = tickets->used.count < TICKETS_MAX ? calloc(1, sizeof *ticket) : NULL;

    if (ticket == NULL)
        return NULL;
    memcpy(ticket->id, id, sizeof ticket->id);
    if (!table_put(&tickets->used, ticket->id, sizeof ticket->id, ticket)) {
        free(ticket);
        return NULL;
    }
    return ticket;
}

struct used_ticket *tickets_find(const struct tickets *tickets, const uint8_t id[STORAGE_TICKET_SIZE])
{
    return table_find(&tickets->used, id, STORAGE_TICKET_SIZE);
}

void tickets_remove(struct tickets *tickets, struct used_ticket *ticket)
{
    table_remove(&tickets->used, ticket->id, sizeof ticket->id);
    free(ticket);
}

void tickets_expire(struct tickets *tickets, uint64_t now_ms)
{
    struct used_ticket *ticket;
    uint32_t at = 0;

    while ((ticket = tickets_next(tickets, &at)) != NULL) {
        if (ticket->expires_ms <= now_ms)
            tickets_remove(tickets, ticket);
        else
            at++;
    }
}

struct used_ticket *tickets_next(const struct tickets *tickets, uint32_t *at)
{
    return table_next(&tickets->used, at);
}
