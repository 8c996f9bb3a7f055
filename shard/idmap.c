#include "shard/idmap.h"

#include <assert.h>
#include <stdlib.h>

int idmap_init(struct idmap *map, uint32_t capacity)
{
    uint32_t places = 16;

    *map = (struct idmap){ 0 };
    assert(capacity < UINT32_C(1) << 30);
    while (places < capacity * 2)
        places *= 2;
    map->entries = malloc(places * sizeof *map->entries);
    if (map->entries == NULL)
        return -1;
    for (uint32_t i = 0; i < places; i++)
        map->entries[i] = (struct idmap_entry){ .index = IDMAP_NONE };
    map->mask = places - 1;
    map->capacity = capacity;
    return 0;
}

void idmap_fini(struct idmap *map)
{
    free(map->entries);
    *map = (struct idmap){ 0 };
}

static uint32_t home(const struct idmap *map, uint32_t id)
{
    uint32_t mixed = id * UINT32_C(0x9E3779B1);

    return (mixed ^ mixed >> 15) & map->mask;
}

static uint32_t find(const struct idmap *map, uint32_t id)
{
    uint32_t at = home(map, id);

    while (map->entries[at].index != IDMAP_NONE && map->entries[at].id != id)
        at = (at + 1) & map->mask;
    return at;
}

void idmap_put(struct idmap *map, uint32_t id, uint32_t index)
{
    uint32_t at = find(map, id);

    assert(index != IDMAP_NONE);
    assert(map->count < map->capacity);
    assert(map->entries[at].index == IDMAP_NONE);
    map->entries[at] = (struct idmap_entry){ .id = id, .index = index };
    map->count++;
}

uint32_t idmap_get(const struct idmap *map, uint32_t id)
{
    return map->entries[find(map, id)].index;
}

/* Closes the gap: what stands behind it moves up when its home is not past the gap. */
void idmap_remove(struct idmap *map, uint32_t id)
{
    uint32_t gap = find(map, id);

    if (map->entries[gap].index == IDMAP_NONE)
        return;
    for (uint32_t at = (gap + 1) & map->mask; map->entries[at].index != IDMAP_NONE;
         at = (at + 1) & map->mask) {
        uint32_t distance = (at - home(map, map->entries[at].id)) & map->mask;

        if (distance >= ((at - gap) & map->mask)) {
            map->entries[gap] = map->entries[at];
            gap = at;
        }
    }
    map->entries[gap] = (struct idmap_entry){ .index = IDMAP_NONE };
    map->count--;
}
