/* table.h - things found by what they are called: a hash table that grows with them.
 *
 * The things are the caller's; the table holds pointers, and knows keys only as the bytes it is asked for.
 * Nothing in it is in any order. */
#ifndef DLMP_COORDINATOR_TABLE_H
#define DLMP_COORDINATOR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
    struct table_slot {
        void *item; /* NULL: free */
        uint32_t hash;
    } * slots;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
    bool (*has_key)(const void *item, const void *key); /* is the item called so */
};

/* Takes no memory yet. */
void table_init(struct table *table, bool (*has_key)(const void *item, const void *key));
void table_fini(struct table *table);

/* NULL: there is none. */
void *table_find(const struct table *table, const void *key, size_t key_size);
/* The key must not be there. False: no memory. */
bool table_put(struct table *table, const void *key, size_t key_size, void *item);
/* The item must be there, under this key. */
void table_remove(struct table *table, const void *key, size_t key_size);

/* The next item at `at` or after it, whose place becomes `at`; NULL: no more. Whoever removes it goes on
 * from the same place, everybody else from the one after. */
void *table_next(const struct table *table, uint32_t *at);

#endif
