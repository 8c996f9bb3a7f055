/* motorist.h - what a client of the simulator does with vehicles: everything that a client can, at random.
 *
 * It takes seats and wheels from others, tows, lifts, drives RCs and trains, shoots, damages, burns, blows
 * up and drowns what it drives or syncs, and moves what it syncs. It only speaks the protocol: whether
 * anything of it is allowed is the server's to say. */
#ifndef DLMP_TESTS_SIM_MOTORIST_H
#define DLMP_TESTS_SIM_MOTORIST_H

#include "bots/client.h"
#include "common/random.h"

/* One thing; the client must be in the world and alive. False: it has found nothing to do with vehicles. */
bool motorist_act(struct client *client, struct rng *rng, uint64_t now_ms);
#endif
