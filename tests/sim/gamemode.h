/* gamemode.h - the gamemode of a simulated shard: it does to vehicles all that a script could, at random.
 *
 * It listens to the events of the shard (shard/event.h). With each tick it may change a vehicle: move,
 * freeze, tune, damage, repair, lock, hitch, respawn, destroy and create it, seat players in it, give RCs
 * away. Of what it is asked it refuses some, and now and then it changes the world while it is being asked.
 * What it may do and what not is the shard's to say: most of its commands are refused there.
 *
 * The vehicles of the configuration it leaves in the world. */
#ifndef DLMP_TESTS_SIM_GAMEMODE_H
#define DLMP_TESTS_SIM_GAMEMODE_H

#include "common/random.h"
#include "shard/core.h"

enum {
    GAMEMODE_OWNER = 1,
    GAMEMODE_VEHICLES_MAX = 12
}; /* its number as a resource; what it makes at a time */

struct gamemode {
    struct shard *shard;
    struct rng *rng;
    bool rests;        /* it changes nothing more */
    uint32_t made;     /* vehicles of its own that are there */
    uint64_t deeds;    /* commands that the shard has carried out */
    uint64_t refusals; /* of requests */
    unsigned depth;    /* events within events */
};

/* Installs itself in the shard, which must outlive it. */
void gamemode_open(struct gamemode *gamemode, struct shard *shard, struct rng *rng);

#endif
