/* grid.h - who is near: points in scopes, found by cells of 200 m.
 *
 * The cells of all scopes share one hash table of buckets, so a scope costs nothing until somebody is in
 * it. Points are named by their index in somebody else's table. All memory is taken once. */
#ifndef DLMP_SHARD_GRID_H
#define DLMP_SHARD_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Player, Streaming: nothing is looked for farther away than this, so a point's own cell and its 8
 * neighbours do. */
#define GRID_CELL_M 200.0f

struct scope {
    uint32_t virtual_world;
    uint8_t interior;
};

static inline bool scope_equal(struct scope a, struct scope b)
{
    return a.virtual_world == b.virtual_world && a.interior == b.interior;
}

struct grid {
    struct grid_point {
        uint64_t cell; /* scope and cell in one; GRID_NOWHERE: the index is not in the grid */
        float pos[3];
        uint32_t next; /* in the bucket; GRID_END ends it */
        uint32_t previous;
    } * points;
    uint32_t *buckets; /* the first point */
    uint32_t mask;
    uint32_t capacity;
};

struct grid_hit {
    float distance_squared;
    uint32_t index;
};

/* -1: no memory; it may be closed as any other. */
int grid_init(struct grid *grid, uint32_t capacity);
void grid_fini(struct grid *grid);

/* Puts the point there, or moves it. The position must be inside the world. */
void grid_put(struct grid *grid, uint32_t index, struct scope scope, const float pos[3]);
void grid_remove(struct grid *grid, uint32_t index);
bool grid_has(const struct grid *grid, uint32_t index);

/* All points of the scope within `range`, at most GRID_CELL_M, in no order; itself too when it is one of
 * them. `hits` has room for the grid's capacity. */
size_t grid_near(const struct grid *grid, struct scope scope, const float pos[3], float range,
                 struct grid_hit *hits);

#endif
