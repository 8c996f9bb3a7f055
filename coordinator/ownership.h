/* ownership.h - which shard owns which worlds.
 *
 * Virtual world v belongs to slot v modulo the number of slots, with all its interiors, and each slot to
 * one shard, or to none for a moment. Each change of owner has a fence of its own, one higher than any
 * before: what a former owner still says carries an older one. A change is claimed first, in Redis by
 * compare-and-set, and holds once it is granted.
 *
 * Slot i is preferably that of the shard named shard-(i+1). Its restart gets it before anybody else does;
 * when another one has had to take it meanwhile, it goes back once nobody plays there, since its players
 * cannot move with it yet.
 *
 * Spec: design.md, "Ownership and fences". */
#ifndef DLMP_COORDINATOR_OWNERSHIP_H
#define DLMP_COORDINATOR_OWNERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/registry.h"

enum {
    SLOTS_MAX = 256, /* ours: as many shards */
    OWNERSHIP_START_MS =
        2000, /* ours: a shard that has just come up, or is expected to, gets so long to report */
};

struct slot {
    enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_OWNED } state;
    uint16_t owner; /* in the registry; PROCESS_NONE: nobody. While it is claimed, still the owner before */
    uint16_t claimant; /* while it is claimed */
    uint64_t fence;    /* of the owner */
    uint64_t tried;    /* the highest fence that was ever claimed: the next one is above it */
};

struct ownership {
    struct slot slots[SLOTS_MAX];
    uint32_t count;
};

void ownership_init(struct ownership *ownership, uint32_t count);

uint32_t ownership_slot_of(const struct ownership *ownership, uint32_t virtual_world);
/* The shard that owns the slot now and can take players; PROCESS_NONE: none. */
uint16_t ownership_taker(const struct ownership *ownership, uint32_t slot);

/* What Redis says: the owner before this coordinator was. PROCESS_NONE: nobody that one can name. */
void ownership_restore(struct ownership *ownership, uint32_t slot, uint16_t owner, uint64_t fence);
/* Its slots are nobody's. False: it had none, and claimed none. */
bool ownership_lose(struct ownership *ownership, uint16_t shard);

/* The next slot that should change hands: it is claimed from here on, with the fence `tried`. False: none.
 * Shards that are expected to take their own slots, and have not yet, are waited for when `is_starting`. */
bool ownership_claim(struct ownership *ownership, const struct registry *registry, uint64_t now_ms,
                     bool is_starting, uint32_t *slot);
/* The claim of this fence holds. False: it is not wanted any more. */
bool ownership_grant(struct ownership *ownership, uint32_t slot, uint64_t fence);
/* Another fence was found instead, which is no lower: the claim must be made anew, above it. */
void ownership_refuse(struct ownership *ownership, uint32_t slot, uint64_t fence, uint64_t found);

/* Redis has another owner, under a higher fence than this one: the slot is nobody's until it is claimed
 * above it. */
void ownership_overtake(struct ownership *ownership, uint32_t slot, uint64_t found);

/* Asserts what must hold. */
void ownership_check(const struct ownership *ownership);

#endif
