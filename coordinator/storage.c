#include "coordinator/storage.h"

#include <assert.h>

int storage_init(struct storage *storage)
{
    *storage = (struct storage){ 0 };
    return ring_init(&storage->queue, sizeof(struct storage_key), STORAGE_QUEUE_MAX);
}

void storage_fini(struct storage *storage)
{
    ring_fini(&storage->queue);
}

bool storage_push(struct storage *storage, const struct storage_key *key)
{
    struct storage_key *place = storage->is_connected ? ring_push(&storage->queue) : NULL;

    if (place == NULL) {
        storage->has_overflowed = storage->has_overflowed || storage->is_connected;
        return false;
    }
    *place = *key;
    return true;
}

const struct storage_key *storage_take(struct storage *storage)
{
    const struct storage_key *key = ring_at(&storage->queue, storage->taken);

    if (key != NULL)
        storage->taken++;
    return key;
}

const struct storage_key *storage_taken(const struct storage *storage)
{
    return storage->taken > 0 ? ring_oldest(&storage->queue) : NULL;
}

void storage_done(struct storage *storage)
{
    assert(storage->taken > 0);
    storage->taken--;
    ring_pop(&storage->queue);
}

const struct storage_key *storage_drop(struct storage *storage)
{
    const struct storage_key *key = ring_oldest(&storage->queue);

    storage->taken = 0;
    if (key != NULL)
        ring_pop(&storage->queue); /* its bytes stay until the next push */
    return key;
}
