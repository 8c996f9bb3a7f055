#include "gateway/migrate.h"

enum { SECOND_MS = 1000 };

static struct migrate_address *find(struct migrate *migrate, const struct address *from)
{
    for (int i = 0; i < MIGRATE_ADDRESSES; i++) {
        struct migrate_address *known = &migrate->addresses[i];

        if (known->used && address_equal(&known->address, from))
            return known;
    }
    return NULL;
}

/* In place of the one not heard for longest. */
static struct migrate_address *remember(struct migrate *migrate, const struct address *from)
{
    struct migrate_address *place = &migrate->addresses[0];

    for (int i = 1; i < MIGRATE_ADDRESSES; i++) {
        struct migrate_address *other = &migrate->addresses[i];

        if (place->used && (!other->used || other->heard_ms < place->heard_ms))
            place = other;
    }
    *place = (struct migrate_address){ .address = *from, .used = true };
    return place;
}

bool migrate_try(struct migrate *migrate, const struct address *from, struct rng *rng, uint64_t now_ms,
                 uint32_t *stamp)
{
    struct migrate_address *address = find(migrate, from);
    uint32_t place;

    if (address == NULL)
        address = remember(migrate, from);
    address->heard_ms = now_ms;
    if (address->sent >= MIGRATE_STAMPS_PER_S &&
        now_ms - address->sent_ms[(address->sent - MIGRATE_STAMPS_PER_S) % MIGRATE_STAMPS] < SECOND_MS)
        return false;
    place = address->sent % MIGRATE_STAMPS;
    *stamp = (uint32_t)rng_u64(rng);
    address->stamps[place] = *stamp;
    address->sent_ms[place] = now_ms;
    address->good[place] = true;
    address->sent++;
    return true;
}

bool migrate_pong(struct migrate *migrate, const struct address *from, uint32_t stamp, uint64_t now_ms)
{
    struct migrate_address *address = find(migrate, from);

    for (int i = 0; address != NULL && i < MIGRATE_STAMPS; i++) {
        if (!address->good[i] || address->stamps[i] != stamp)
            continue;
        address->good[i] = false;
        return now_ms - address->sent_ms[i] <= MIGRATE_STAMP_LIFE_MS;
    }
    return false;
}
