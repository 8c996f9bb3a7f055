#include "bots/ids.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_CAPACITY_MIN = 16, IDS_ITEMS_MIN = 4 }; /* ours */

void ids_fini(struct ids *ids)
{
    free(ids->cells);
    *ids = (struct ids){ 0 };
}

void ids_clear(struct ids *ids)
{
    if (ids->capacity > 0)
        memset(ids->cells, 0xFF, ids->capacity * sizeof *ids->cells); /* IDS_NONE in every cell */
    ids->count = 0;
}

/* The cell of the id, or the free one where it belongs. */
static struct ids_cell *find(const struct ids *ids, uint32_t id)
{
    uint32_t mask = ids->capacity - 1;
    uint32_t place = (id * UINT32_C(0x9E3779B1)) >> 7 & mask;

    while (ids->cells[place].index != IDS_NONE && ids->cells[place].id != id)
        place = (place + 1) & mask;
    return &ids->cells[place];
}

static void grow(struct ids *ids)
{
    struct ids old = *ids;

    ids->capacity = old.capacity > 0 ? old.capacity * 2 : IDS_CAPACITY_MIN;
    ids->cells = malloc(ids->capacity * sizeof *ids->cells);
    if (ids->cells == NULL)
        abort();
    ids_clear(ids);
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.cells[i].index != IDS_NONE)
            *find(ids, old.cells[i].id) = old.cells[i];
    }
    ids->count = old.count;
    free(old.cells);
}

void ids_put(struct ids *ids, uint32_t id, uint32_t index)
{
    assert(index != IDS_NONE);
    if (ids->count >= ids->capacity / 2)
        grow(ids);

    struct ids_cell *cell = find(ids, id);

    assert(cell->index == IDS_NONE);
    *cell = (struct ids_cell){ id, index };
    ids->count++;
}

uint32_t ids_get(const struct ids *ids, uint32_t id)
{
    return ids->capacity == 0 ? IDS_NONE : find(ids, id)->index;
}

void *ids_grow(void *items, size_t item_size, uint32_t count, uint32_t *capacity)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity > 0 ? *capacity * 2 : IDS_ITEMS_MIN;
    items = reallocarray(items, *capacity, item_size);
    if (items == NULL)
        abort();
    return items;
}
