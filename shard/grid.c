#include "shard/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shard/geometry.h"

#define GRID_NOWHERE UINT64_MAX
#define GRID_END UINT32_MAX

int grid_init(struct grid *grid, uint32_t capacity)
{
    uint32_t buckets = 64;

    *grid = (struct grid){ 0 };
    assert(capacity < UINT32_C(1) << 24);
    while (buckets < capacity * 2)
        buckets *= 2;
    grid->points = calloc(capacity > 0 ? capacity : 1, sizeof *grid->points);
    grid->buckets = malloc(buckets * sizeof *grid->buckets);
    if (grid->points == NULL || grid->buckets == NULL) {
        grid_fini(grid);
        return -1;
    }
    for (uint32_t i = 0; i < capacity; i++)
        grid->points[i].cell = GRID_NOWHERE;
    for (uint32_t i = 0; i < buckets; i++)
        grid->buckets[i] = GRID_END;
    grid->mask = buckets - 1;
    grid->capacity = capacity;
    return 0;
}

void grid_fini(struct grid *grid)
{
    free(grid->points);
    free(grid->buckets);
    *grid = (struct grid){ 0 };
}

static uint32_t cell_index(float coordinate)
{
    return (uint32_t)((coordinate + WORLD_XY_MAX) / GRID_CELL_M);
}

static uint64_t cell_of(struct scope scope, uint32_t x, uint32_t y)
{
    return (uint64_t)scope.virtual_world << 24 | (uint64_t)scope.interior << 16 | x << 8 | y;
}

static uint32_t *bucket_of(const struct grid *grid, uint64_t cell)
{
    uint64_t mixed = cell * UINT64_C(0x9E3779B97F4A7C15);

    return &grid->buckets[(uint32_t)(mixed >> 32) & grid->mask];
}

static void unlink_point(struct grid *grid, struct grid_point *point)
{
    if (point->next != GRID_END)
        grid->points[point->next].previous = point->previous;
    if (point->previous != GRID_END)
        grid->points[point->previous].next = point->next;
    else
        *bucket_of(grid, point->cell) = point->next;
    point->cell = GRID_NOWHERE;
}

void grid_put(struct grid *grid, uint32_t index, struct scope scope, const float pos[3])
{
    struct grid_point *point = &grid->points[index];

    assert(index < grid->capacity);
    assert(inside_world(pos));

    uint64_t cell = cell_of(scope, cell_index(pos[0]), cell_index(pos[1]));

    memcpy(point->pos, pos, sizeof point->pos);
    if (point->cell == cell)
        return;
    if (point->cell != GRID_NOWHERE)
        unlink_point(grid, point);

    uint32_t *first = bucket_of(grid, cell);

    point->cell = cell;
    point->previous = GRID_END;
    point->next = *first;
    if (*first != GRID_END)
        grid->points[*first].previous = index;
    *first = index;
}

void grid_remove(struct grid *grid, uint32_t index)
{
    assert(index < grid->capacity);
    if (grid->points[index].cell != GRID_NOWHERE)
        unlink_point(grid, &grid->points[index]);
}

bool grid_has(const struct grid *grid, uint32_t index)
{
    return grid->points[index].cell != GRID_NOWHERE;
}

static size_t near_in_cell(const struct grid *grid, uint64_t cell, const float pos[3], float range_squared,
                           struct grid_hit *hits)
{
    size_t count = 0;

    for (uint32_t at = *bucket_of(grid, cell); at != GRID_END; at = grid->points[at].next) {
        const struct grid_point *point = &grid->points[at];
        float distance = distance_squared(point->pos, pos);

        if (point->cell == cell && distance <= range_squared)
            hits[count++] = (struct grid_hit){ .index = at, .distance_squared = distance };
    }
    return count;
}

size_t grid_near(const struct grid *grid, struct scope scope, const float pos[3], float range,
                 struct grid_hit *hits)
{
    uint32_t x = cell_index(pos[0]);
    uint32_t y = cell_index(pos[1]);
    size_t count = 0;

    assert(range <= GRID_CELL_M);
    assert(inside_world(pos));
    for (uint32_t cx = x > 0 ? x - 1 : 0; cx <= x + 1; cx++)
        for (uint32_t cy = y > 0 ? y - 1 : 0; cy <= y + 1; cy++)
            count += near_in_cell(grid, cell_of(scope, cx, cy), pos, range * range, hits + count);
    return count;
}
