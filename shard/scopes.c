#include "shard/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "shard/ownership.h"

int scopes_init(struct scopes *scopes)
{
    *scopes = (struct scopes){ 0 };
    /* calloc: what nobody has used takes no memory yet. */
    scopes->started = calloc(SCOPES_MAX, sizeof *scopes->started);
    return scopes->started == NULL ? -1 : 0;
}

void scopes_fini(struct scopes *scopes)
{
    free(scopes->started);
    *scopes = (struct scopes){ 0 };
}

static bool scope_before(struct scope a, struct scope b)
{
    return a.virtual_world != b.virtual_world ? a.virtual_world < b.virtual_world : a.interior < b.interior;
}

/* The first place whose scope is not before it. */
static uint32_t place_of(const struct scopes *scopes, struct scope scope)
{
    uint32_t low = 0;
    uint32_t high = scopes->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (scope_before(scopes->started[middle], scope))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum reason scopes_need(struct shard *shard, struct scope scope)
{
    struct scopes *scopes = &shard->scopes;
    uint32_t at = place_of(scopes, scope);

    if (!ownership_has(shard, scope))
        return REASON_OTHER_SHARD;
    if (at < scopes->count && scope_equal(scopes->started[at], scope))
        return REASON_NONE;
    if (scopes->count == SCOPES_MAX)
        return REASON_TABLE_FULL;
    memmove(scopes->started + at + 1, scopes->started + at, (scopes->count - at) * sizeof *scopes->started);
    scopes->started[at] = scope;
    scopes->count++;
    (void)EVENT_RAISE(shard, EVENT_SCOPE_START, event_integer(scope.virtual_world),
                      event_integer(scope.interior));
    return REASON_NONE;
}

bool scopes_set_spawns(struct shard *shard, size_t count, Bus__Scope *const *spawns)
{
    struct scopes *scopes = &shard->scopes;

    if (count > SCOPES_SPAWNS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        if (spawns[i] == NULL || spawns[i]->interior > UINT8_MAX)
            return false;
    for (size_t i = 0; i < count; i++)
        scopes->spawns[i] = (struct scope){ .virtual_world = spawns[i]->virtual_world,
                                            .interior = (uint8_t)spawns[i]->interior };
    scopes->spawns_count = (uint32_t)count;
    return true;
}

void scopes_start_spawns(struct shard *shard)
{
    if (!ownership_has_ids(shard))
        return;
    for (uint32_t i = 0; i < shard->scopes.spawns_count; i++)
        if (ownership_has(shard, shard->scopes.spawns[i]))
            scopes_need(shard, shard->scopes.spawns[i]);
}

void scopes_forget_slot(struct shard *shard, uint32_t slot)
{
    struct scopes *scopes = &shard->scopes;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < scopes->count; i++)
        if (scopes->started[i].virtual_world % shard->slots_count != slot)
            scopes->started[kept++] = scopes->started[i];
    scopes->count = kept;
}
