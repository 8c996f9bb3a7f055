#include "coordinator/ownership.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void ownership_init(struct ownership *ownership, uint32_t count)
{
    assert(count > 0 && count <= SLOTS_MAX);
    *ownership = (struct ownership){ .count = count };
    for (uint32_t i = 0; i < count; i++) {
        ownership->slots[i].owner = PROCESS_NONE;
        ownership->slots[i].claimant = PROCESS_NONE;
    }
}

uint32_t ownership_slot_of(const struct ownership *ownership, uint32_t virtual_world)
{
    return virtual_world % ownership->count;
}

uint16_t ownership_taker(const struct ownership *ownership, uint32_t slot)
{
    assert(slot < ownership->count);
    return ownership->slots[slot].state == SLOT_OWNED ? ownership->slots[slot].owner : PROCESS_NONE;
}

static void set_free(struct slot *slot)
{
    slot->state = SLOT_FREE;
    slot->owner = PROCESS_NONE;
    slot->claimant = PROCESS_NONE;
}

void ownership_restore(struct ownership *ownership, uint32_t slot, uint16_t owner, uint64_t fence)
{
    struct slot *restored = &ownership->slots[slot];

    assert(slot < ownership->count);
    assert(restored->state == SLOT_FREE);
    restored->fence = fence;
    restored->tried = fence;
    if (owner == PROCESS_NONE)
        return;
    restored->owner = owner;
    restored->state = SLOT_OWNED;
}

bool ownership_lose(struct ownership *ownership, uint16_t shard)
{
    bool has_lost = false;

    for (uint32_t i = 0; i < ownership->count; i++) {
        struct slot *slot = &ownership->slots[i];

        if (slot->owner != shard && slot->claimant != shard)
            continue;
        set_free(slot);
        has_lost = true;
    }
    return has_lost;
}

/* ---- who should have it ---- */

static uint16_t preferred(const struct registry *registry, uint32_t slot)
{
    char name[PROCESS_NAME_SIZE];

    (void)snprintf(name, sizeof name, "shard-%u", (unsigned)slot + 1);

    uint16_t place = registry_find(registry, name);

    return place != PROCESS_NONE && registry->processes[place].role == BUS__ROLE__ROLE_SHARD ? place
                                                                                             : PROCESS_NONE;
}

static uint32_t load_of(const struct ownership *ownership, uint16_t shard)
{
    uint32_t load = 0;

    for (uint32_t i = 0; i < ownership->count; i++) {
        const struct slot *slot = &ownership->slots[i];

        load += slot->state == SLOT_CLAIMED ? slot->claimant == shard : slot->owner == shard;
    }
    return load;
}

static uint16_t least_loaded(const struct ownership *ownership, const struct registry *registry)
{
    uint16_t least = PROCESS_NONE;
    uint32_t least_load = 0;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        uint32_t load;

        if (!process_is_ready(&registry->processes[i]))
            continue;
        load = load_of(ownership, i);
        if (least == PROCESS_NONE || load < least_load) {
            least = i;
            least_load = load;
        }
    }
    return least;
}

/* PROCESS_NONE: leave it as it is. */
static uint16_t heir(const struct ownership *ownership, const struct registry *registry, uint32_t index,
                     uint64_t now_ms, bool is_starting)
{
    const struct slot *slot = &ownership->slots[index];
    uint16_t first = preferred(registry, index);
    const struct process *process = first == PROCESS_NONE ? NULL : &registry->processes[first];

    if (slot->state == SLOT_CLAIMED || (slot->state == SLOT_OWNED && slot->owner == first))
        return PROCESS_NONE;
    if (slot->state == SLOT_OWNED) {
        bool is_played = registry->processes[slot->owner].members > 0;

        return process != NULL && process_is_ready(process) && !is_played ? first : PROCESS_NONE;
    }
    if (process != NULL && process_is_ready(process))
        return first;
    if (is_starting ||
        (process != NULL && process->state == PROCESS_UP && now_ms - process->since_ms < OWNERSHIP_START_MS))
        return PROCESS_NONE;
    return least_loaded(ownership, registry);
}

bool ownership_claim(struct ownership *ownership, const struct registry *registry, uint64_t now_ms,
                     bool is_starting, uint32_t *slot)
{
    for (uint32_t i = 0; i < ownership->count; i++) {
        uint16_t claimant = heir(ownership, registry, i, now_ms, is_starting);

        if (claimant == PROCESS_NONE)
            continue;
        ownership->slots[i].state = SLOT_CLAIMED;
        ownership->slots[i].claimant = claimant;
        ownership->slots[i].tried++;
        *slot = i;
        return true;
    }
    return false;
}

bool ownership_grant(struct ownership *ownership, uint32_t slot, uint64_t fence)
{
    struct slot *granted = &ownership->slots[slot];

    assert(slot < ownership->count);
    if (granted->state != SLOT_CLAIMED || granted->tried != fence)
        return false;
    granted->state = SLOT_OWNED;
    granted->owner = granted->claimant;
    granted->claimant = PROCESS_NONE;
    granted->fence = fence;
    return true;
}

void ownership_refuse(struct ownership *ownership, uint32_t slot, uint64_t fence, uint64_t found)
{
    struct slot *refused = &ownership->slots[slot];

    assert(slot < ownership->count);
    if (refused->state == SLOT_CLAIMED && refused->tried == fence)
        set_free(refused);
    if (found > refused->tried)
        refused->tried = found;
}

void ownership_overtake(struct ownership *ownership, uint32_t slot, uint64_t found)
{
    struct slot *overtaken = &ownership->slots[slot];

    assert(slot < ownership->count);
    if (found <= overtaken->tried)
        return;
    set_free(overtaken);
    overtaken->tried = found;
}

void ownership_check(const struct ownership *ownership)
{
    for (uint32_t i = 0; i < ownership->count; i++) {
        const struct slot *slot = &ownership->slots[i];

        assert((slot->claimant != PROCESS_NONE) == (slot->state == SLOT_CLAIMED));
        assert((slot->owner != PROCESS_NONE) == (slot->state == SLOT_OWNED) || slot->state == SLOT_CLAIMED);
        assert(slot->fence <= slot->tried);
    }
}
