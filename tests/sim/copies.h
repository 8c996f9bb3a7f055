/* copies.h - a client's copies of the vehicles that it is shown, against what the shard has of them.
 *
 * Once all is quiet they are the same: life, wreck, seats, links, parameters as they are for this player,
 * tuning, handling, colors, damage, revisions, rails, who syncs it and who drives it remotely. What only
 * frames carry (place, health) is not looked at: the last of them may have been lost.
 *
 * Spec: Vehicles: VehicleSync and all that changes what it shows. */
#ifndef DLMP_TESTS_SIM_COPIES_H
#define DLMP_TESTS_SIM_COPIES_H

#include "bots/client.h"
#include "tests/sim/cluster.h"

/* False: `wrong` says what differs. */
bool copies_agree(const struct cluster *cluster, const struct client *client, char *wrong, size_t size);

#endif
