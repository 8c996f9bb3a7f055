#include "coordinator/table.h"

#include <assert.h>
#include <stdlib.h>

enum { CAPACITY_MIN = 64 };

void table_init(struct table *table, bool (*has_key)(const void *item, const void *key))
{
    *table = (struct table){ .has_key = has_key };
}

void table_fini(struct table *table)
{
    free(table->slots);
    table_init(table, table->has_key);
}

/* FNV-1a, its upper bits mixed into the lower ones that choose the slot. */
static uint32_t hash_of(const void *key, size_t size)
{
    const uint8_t *bytes = key;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot of the key, or the free one where it would go. */
static uint32_t place_of(const struct table *table, const void *key, uint32_t hash)
{
    uint32_t at = hash & (table->capacity - 1);

    while (table->slots[at].item != NULL &&
           (table->slots[at].hash != hash || !table->has_key(table->slots[at].item, key)))
        at = (at + 1) & (table->capacity - 1);
    return at;
}

void *table_find(const struct table *table, const void *key, size_t key_size)
{
    if (table->count == 0)
        return NULL;
    return table->slots[place_of(table, key, hash_of(key, key_size))].item;
}

/* Twice as many slots. */
static bool grow(struct table *table)
{
    uint32_t capacity = table->capacity == 0 ? CAPACITY_MIN : table->capacity * 2;
    struct table_slot *slots = calloc(capacity, sizeof slots[0]);

    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < table->capacity; i++) {
        uint32_t at = table->slots[i].hash & (capacity - 1);

        if (table->slots[i].item == NULL)
            continue;
        while (slots[at].item != NULL)
            at = (at + 1) & (capacity - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

bool table_put(struct table *table, const void *key, size_t key_size, void *item)
{
    uint32_t hash = hash_of(key, key_size);
    uint32_t at;

    /* At most half full: chains stay short. */
    if (table->count >= table->capacity / 2 && !grow(table))
        return false;
    at = place_of(table, key, hash);
    assert(table->slots[at].item == NULL);
    table->slots[at] = (struct table_slot){ .item = item, .hash = hash };
    table->count++;
    return true;
}

void table_remove(struct table *table, const void *key, size_t key_size)
{
    uint32_t mask = table->capacity - 1;
    uint32_t hole;

    assert(table->count > 0);
    hole = place_of(table, key, hash_of(key, key_size));
    assert(table->slots[hole].item != NULL);
    table->count--;
    /* What follows moves up, unless it would stand before the slot that it belongs to. */
    for (uint32_t at = (hole + 1) & mask; table->slots[at].item != NULL; at = (at + 1) & mask) {
        uint32_t home = table->slots[at].hash & mask;

        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        table->slots[hole] = table->slots[at];
        hole = at;
    }
    table->slots[hole] = (struct table_slot){ 0 };
}

void *table_next(const struct table *table, uint32_t *at)
{
    while (*at < table->capacity && table->slots[*at].item == NULL)
        (*at)++;
    return *at < table->capacity ? table->slots[*at].item : NULL;
}
