#include "tests/sim/network.h"

#include <stdio.h>
#include <stdlib.h>

void network_init(struct network *network, struct rng *rng)
{
    *network = (struct network){ .rng = rng };
}

void network_fini(struct network *network)
{
    for (size_t i = 0; i < network->count; i++)
        free(network->heap[i].data);
    free(network->heap);
}

static void *demand(void *memory)
{
    if (memory == NULL) {
        (void)fputs("no memory left for the simulated network\n", stderr);
        abort();
    }
    return memory;
}

static bool is_earlier(const struct message *a, const struct message *b)
{
    return a->due_ms < b->due_ms || (a->due_ms == b->due_ms && a->order < b->order);
}

static void swap(struct message *a, struct message *b)
{
    struct message kept = *a;

    *a = *b;
    *b = kept;
}

static void push(struct network *network, struct message message)
{
    size_t at = network->count++;

    if (network->count > network->capacity) {
        network->capacity = network->capacity == 0 ? 1024 : network->capacity * 2;
        network->heap = demand(realloc(network->heap, network->capacity * sizeof *network->heap));
    }
    network->heap[at] = message;
    for (; at > 0 && is_earlier(&network->heap[at], &network->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&network->heap[at], &network->heap[(at - 1) / 2]);
}

uint64_t network_send(struct network *network, uint64_t now_ms, const struct way *way,
                      const struct message *message, uint64_t after_ms)
{
    uint64_t arrives_ms = 0;
    int copies = rng_chance(network->rng, way->loss) ? 0 : rng_chance(network->rng, way->duplicate) ? 2 : 1;

    for (; copies > 0; copies--) {
        struct message copy = *message;

        copy.due_ms =
            now_ms + way->delay_min_ms + rng_below(network->rng, way->delay_max_ms - way->delay_min_ms + 1);
        if (copy.due_ms < after_ms)
            copy.due_ms = after_ms;
        copy.order = network->order++;
        copy.data = demand(malloc(message->size + 1));
        if (message->size > 0)
            memcpy(copy.data, message->data, message->size);
        arrives_ms = copy.due_ms;
        push(network, copy);
    }
    return arrives_ms;
}

void network_put_back(struct network *network, struct message message, uint64_t due_ms)
{
    message.due_ms = due_ms;
    push(network, message);
}

void network_release(struct network *network, uint64_t now_ms, uint64_t due_ms)
{
    size_t count = network->count;

    network->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct message message = network->heap[i];

        if (message.due_ms >= due_ms)
            message.due_ms = now_ms;
        push(network, message);
    }
}

uint64_t network_due(const struct network *network)
{
    return network->count == 0 ? UINT64_MAX : network->heap[0].due_ms;
}

struct message network_take(struct network *network)
{
    struct message first = network->heap[0];
    size_t at = 0;

    network->heap[0] = network->heap[--network->count];
    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < network->count; child++) {
            if (is_earlier(&network->heap[child], &network->heap[least]))
                least = child;
        }
        if (least == at)
            return first;
        swap(&network->heap[at], &network->heap[least]);
        at = least;
    }
}
