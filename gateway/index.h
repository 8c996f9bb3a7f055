/* index.h - a way to find the items of a table by something other than their number.
 *
 * Chains of item numbers by hash. The index knows neither keys nor items: whoever asks walks the chain of a
 * hash and compares for himself. Several items may share a key. All memory is taken once.
 *
 *     for (uint32_t i = index_first(index, hash); i != INDEX_END; i = index_next(index, i))
 *         if (address_equal(&item(i)->address, address)) … */
#ifndef DLMP_GATEWAY_INDEX_H
#define DLMP_GATEWAY_INDEX_H

#include <stdint.h>

#define INDEX_END UINT32_MAX

struct index {
    uint32_t *heads; /* of the chains */
    uint32_t *next;  /* of each item in its chain */
    uint32_t mask;
    uint32_t capacity;
};

/* For items 0 to capacity - 1. -1: no memory. The index may then only be closed. */
int index_init(struct index *index, uint32_t capacity);
void index_fini(struct index *index);

void index_add(struct index *index, uint32_t hash, uint32_t item);
/* The item must be there, under this hash. */
void index_remove(struct index *index, uint32_t hash, uint32_t item);

uint32_t index_first(const struct index *index, uint32_t hash);
uint32_t index_next(const struct index *index, uint32_t item);

#endif
