/* ids.h - from ids to the places of a growing array.
 *
 * A hash table with linear probing that knows no removal: whoever drops items from the array clears the table
 * and puts in again what is left. Most clients are shown little, so it begins with nothing and grows with
 * what it is given. */
#ifndef DLMP_BOTS_IDS_H
#define DLMP_BOTS_IDS_H

#include <stddef.h>
#include <stdint.h>

#define IDS_NONE UINT32_MAX

struct ids {
    struct ids_cell {
        uint32_t id;
        uint32_t index; /* IDS_NONE: the cell is free */
    } * cells;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
};

/* One of zeros is empty. */
void ids_fini(struct ids *ids);
void ids_clear(struct ids *ids);

/* The id must not be there. A process without memory stops here. */
void ids_put(struct ids *ids, uint32_t id, uint32_t index);
/* IDS_NONE: there is no such id. */
uint32_t ids_get(const struct ids *ids, uint32_t id);

/* The array `items` of `capacity` items, with room for one more than `count`; the capacity is changed to what
 * it holds then. A process without memory stops here. */
void *ids_grow(void *items, size_t item_size, uint32_t count, uint32_t *capacity);

#endif
