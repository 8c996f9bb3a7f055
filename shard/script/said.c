#include "shard/script/said.h"

#include "shard/script/state.h"

static void roll(struct said *said, uint64_t now_ms)
{
    if (now_ms - said->since_ms < SAID_WINDOW_MS)
        return;
    *said = (struct said){ .since_ms = now_ms };
}

bool said_may_ask(struct resource *resource)
{
    roll(&resource->asked, resource->script->shard->now_ms);
    return resource->asked.bytes < SAID_ASKED_MAX;
}

bool said_add(struct resource *resource, bool asks, size_t bytes)
{
    struct said *all = &resource->script->said;

    if (bytes == 0)
        return true;
    roll(all, resource->script->shard->now_ms);
    all->bytes += bytes;
    if (asks)
        resource->asked.bytes += bytes;
    return all->bytes <= SAID_ALL_MAX;
}
