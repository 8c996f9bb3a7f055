#include "shard/script/cleanup.h"

#include <stddef.h>

#include "shard/vehicle_life.h"

static void (*const cleanups[])(struct shard *shard, uint16_t owner) = {
    vehicle_destroy_owned,
};

void cleanup_run(struct shard *shard, uint16_t owner)
{
    for (size_t i = 0; i < sizeof cleanups / sizeof cleanups[0]; i++)
        cleanups[i](shard, owner);
}
