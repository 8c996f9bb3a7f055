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

uint64_t network_send(struct network *network, uint64_t now_ms, const struct way *way, uint16_t from,
                      uint16_t to, uint8_t kind, struct span data, uint64_t after_ms)
{
    uint64_t arrives_ms = 0;
    int copies = rng_chance(network->rng, way->loss) ? 0 : rng_chance(network->rng, way->duplicate) ? 2 : 1;

    for (; copies > 0; copies--) {
        uint64_t delay_ms =
            way->delay_min_ms + rng_below(network->rng, way->delay_max_ms - way->delay_min_ms + 1);
        struct message message = { .due_ms = now_ms + delay_ms,
                                   .order = network->order++,
                                   .from = from,
                                   .to = to,
                                   .kind = kind,
                                   .size = (uint32_t)data.size,
                                   .data = demand(malloc(data.size + 1)) };

        if (message.due_ms < after_ms)
            message.due_ms = after_ms;
        if (data.size > 0)
            memcpy(message.data, data.data, data.size);
        arrives_ms = message.due_ms;
        push(network, message);
    }
    return arrives_ms;
}

void network_lose(struct network *network, uint16_t to, uint8_t kind)
{
    size_t kept = 0;

    for (size_t i = 0; i < network->count; i++) {
        struct message message = network->heap[i];

        if (message.to == to && message.kind == kind)
            free(message.data);
        else
            network->heap[kept++] = message;
    }
    network->count = 0;
    for (size_t i = 0; i < kept; i++)
        push(network, network->heap[i]);
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
