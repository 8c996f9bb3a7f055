/* idmap.h - from ids to the indexes of a table.
 *
 * A hash table of a fixed capacity with linear probing; all memory is taken once. Ids are what a peer may
 * choose, so they are mixed before they choose a place. */
#ifndef DLMP_SHARD_IDMAP_H
#define DLMP_SHARD_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
    struct idmap_entry {
        uint32_t id;
        uint32_t index; /* IDMAP_NONE: the place is free */
    } * entries;
    uint32_t mask;
    uint32_t count;
    uint32_t capacity;
};

/* -1: no memory. The map then has a capacity of 0 and may be closed as any other. */
int idmap_init(struct idmap *map, uint32_t capacity);
void idmap_fini(struct idmap *map);

/* The id must not be there, and there must be room. */
void idmap_put(struct idmap *map, uint32_t id, uint32_t index);
/* IDMAP_NONE: there is no such id. */
uint32_t idmap_get(const struct idmap *map, uint32_t id);
void idmap_remove(struct idmap *map, uint32_t id);

#endif
