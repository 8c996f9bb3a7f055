#include "gateway/roster.h"

#include <stdlib.h>
#include <string.h>

enum { ROSTER_CAPACITY_MIN = 1024 }; /* ours */

void roster_init(struct roster *roster)
{
    *roster = (struct roster){ 0 };
}

void roster_fini(struct roster *roster)
{
    free(roster->entries);
    *roster = (struct roster){ 0 };
}

static bool grow(struct roster *roster, uint32_t player_id)
{
    uint32_t capacity = roster->capacity > 0 ? roster->capacity : ROSTER_CAPACITY_MIN;
    struct roster_entry *entries;

    while (capacity <= player_id)
        capacity *= 2;
    entries = reallocarray(roster->entries, capacity, sizeof *entries);
    if (entries == NULL)
        return false;
    memset(entries + roster->capacity, 0, (capacity - roster->capacity) * sizeof *entries);
    roster->entries = entries;
    roster->capacity = capacity;
    return true;
}

bool roster_add(struct roster *roster, uint32_t player_id, uint32_t token, const char *name)
{
    size_t size = strlen(name);
    struct roster_entry *entry;

    if (player_id >= ROSTER_MAX || token == 0 ||
        !player_name_is_valid((struct span){ (const uint8_t *)name, size }))
        return false;
    if (player_id >= roster->capacity && !grow(roster, player_id))
        return false;
    entry = &roster->entries[player_id];
    roster->count += entry->token == 0;
    *entry = (struct roster_entry){ .token = token };
    memcpy(entry->name, name, size);
    return true;
}

void roster_remove(struct roster *roster, uint32_t player_id, uint32_t token)
{
    if (player_id >= roster->capacity || token == 0 || roster->entries[player_id].token != token)
        return;
    roster->entries[player_id] = (struct roster_entry){ 0 };
    roster->count--;
}

void roster_clear(struct roster *roster)
{
    if (roster->capacity > 0)
        memset(roster->entries, 0, roster->capacity * sizeof roster->entries[0]);
    roster->count = 0;
}

const struct roster_entry *roster_next(const struct roster *roster, uint32_t *player_id)
{
    while (*player_id < roster->capacity && roster->entries[*player_id].token == 0)
        ++*player_id;
    return *player_id < roster->capacity ? &roster->entries[*player_id] : NULL;
}
