/* ownership.h - which scopes are this shard's, and what they hold from the start.
 *
 * The map of scopes is total: virtual world v belongs to slot v modulo the number of slots, with all its
 * interiors. A slot that is given to the shard brings its configured vehicles, under ids that the
 * coordinator leases in blocks; one that is taken away, or comes back with another fence, takes everything
 * in it along.
 *
 * Spec: design.md, "Identity and time", "Ownership and fences". */
#ifndef DLMP_SHARD_OWNERSHIP_H
#define DLMP_SHARD_OWNERSHIP_H

#include "shard/shard.h"

bool ownership_has(const struct shard *shard, struct scope scope);
/* The name of the shard that has it; "" before there is a map. */
const char *ownership_shard(const struct shard *shard, struct scope scope);
/* Could something be made now? */
bool ownership_has_ids(const struct shard *shard);

/* False: none is left until the coordinator leases more, which it has been asked for. */
bool ownership_take_id(struct shard *shard, uint32_t *id);

void ownership_on_map(struct shard *shard, const Bus__ClusterMap *map);
void ownership_on_lease(struct shard *shard, const Bus__IdLease *lease);
/* The coordinator has come: what was asked of its predecessor is asked again. */
void ownership_on_coordinator(struct shard *shard);
/* Creates what is missing, as far as there are ids. */
void ownership_populate(struct shard *shard);

#endif
