/* vehicle_record.h - a vehicle as it goes to another shard, or into a checkpoint.
 *
 * The one writer and the one reader of Bus__VehicleState: with who sits in it, who drives it remotely, what
 * is one player's own, and what it hangs on. So players are read first, then all vehicles, then the links
 * are settled. Players who are not there (any more) have no seat and nothing of their own. The syncer is
 * chosen anew; who is shown the vehicle is not in the record. */
#ifndef DLMP_SHARD_VEHICLE_RECORD_H
#define DLMP_SHARD_VEHICLE_RECORD_H

#include "shard/record.h"

/* Lives in the outbox until that is cleared. The vehicle is not being destroyed. */
Bus__VehicleState *vehicle_record_write(struct shard *shard, struct outbox *outbox,
                                        const struct vehicle *vehicle,
                                        const struct record_resources *resources);

/* Brings the vehicle into the world. Anything else than REASON_NONE has changed nothing:
 * REASON_BUS_MALFORMED, REASON_BUS_STALE (it is here already, or its resource is not), REASON_TABLE_FULL,
 * REASON_NO_MEMORY. */
enum reason vehicle_record_read(struct shard *shard, const Bus__VehicleState *state,
                                const struct record_resources *resources, struct vehicle **made);

/* When all vehicles that belong together are there: undoes links whose other end is missing or could not be
 * so. */
void vehicle_record_settle_links(struct shard *shard);

#endif
