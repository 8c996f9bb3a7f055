#include "gateway/index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int index_init(struct index *index, uint32_t capacity)
{
    uint32_t chains = 1;

    assert(capacity > 0 && capacity <= UINT32_MAX / 4);
    while (chains < capacity)
        chains *= 2;
    *index = (struct index){ .mask = chains - 1, .capacity = capacity };
    index->heads = calloc(chains, sizeof index->heads[0]);
    index->next = calloc(capacity, sizeof index->next[0]);
    if (index->heads == NULL || index->next == NULL) {
        index_fini(index);
        return -1;
    }
    memset(index->heads, 0xFF, chains * sizeof index->heads[0]);
    return 0;
}

void index_fini(struct index *index)
{
    free(index->heads);
    free(index->next);
    *index = (struct index){ 0 };
}

void index_add(struct index *index, uint32_t hash, uint32_t item)
{
    uint32_t *head = &index->heads[hash & index->mask];

    assert(item < index->capacity);
    index->next[item] = *head;
    *head = item;
}

void index_remove(struct index *index, uint32_t hash, uint32_t item)
{
    uint32_t *at = &index->heads[hash & index->mask];

    while (*at != item) {
        assert(*at != INDEX_END);
        at = &index->next[*at];
    }
    *at = index->next[item];
}

uint32_t index_first(const struct index *index, uint32_t hash)
{
    return index->heads[hash & index->mask];
}

uint32_t index_next(const struct index *index, uint32_t item)
{
    assert(item < index->capacity);
    return index->next[item];
}
