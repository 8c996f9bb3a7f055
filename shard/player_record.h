/* player_record.h - a player as it goes to another shard, or into a checkpoint.
 *
 * The one writer and the one reader of Bus__PlayerState. It carries what the server knows of the player and
 * its client does not tell again. What it sits in and drives is its vehicle's (vehicle_record.h). What it is
 * shown, and who is shown it, are not in it: it arrives shown nothing and seen by nobody, and whoever
 * carries it sees to that. Somebody who has left while the player was shown it goes along as a hide that is
 * owed. */
#ifndef DLMP_SHARD_PLAYER_RECORD_H
#define DLMP_SHARD_PLAYER_RECORD_H

#include "shard/record.h"

/* Lives in the outbox until that is cleared. */
Bus__PlayerState *player_record_write(struct shard *shard, struct outbox *outbox,
                                      const struct player *player);

/* Brings the player into the world. Anything else than REASON_NONE has changed nothing: REASON_BUS_MALFORMED,
 * REASON_BUS_STALE (somebody has its id here, or there is no such gateway), REASON_TABLE_FULL. */
enum reason player_record_read(struct shard *shard, const Bus__PlayerState *state, struct player **made);

#endif
