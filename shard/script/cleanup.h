/* cleanup.h - what a resource made goes when it stops.
 *
 * Things of the world note the number of the resource that made them as their owner. Each kind of thing has a
 * line in cleanup.c's table. */
#ifndef DLMP_SHARD_SCRIPT_CLEANUP_H
#define DLMP_SHARD_SCRIPT_CLEANUP_H

#include <stdint.h>

struct shard;

void cleanup_run(struct shard *shard, uint16_t owner);

#endif
