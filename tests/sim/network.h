/* network.h - a network that is not there: messages that are due at a moment, on a virtual clock.
 *
 * Whoever sends says how bad the way is; a seeded generator draws what is lost, doubled and late. The same
 * seed gives the same run. Messages due at the same moment arrive in the order they were sent. */
#ifndef DLMP_TESTS_SIM_NETWORK_H
#define DLMP_TESTS_SIM_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/random.h"

struct way {
    double loss; /* shares of 1 */
    double duplicate;
    uint32_t delay_min_ms;
    uint32_t delay_max_ms;
    bool keeps_order; /* of datagrams, as most do; one that comes twice comes at once */
};

struct message {
    uint64_t due_ms;
    uint64_t order;
    uint16_t from; /* numbers that the simulator gave */
    uint16_t to;
    uint16_t port; /* of the client's end, of a datagram */
    uint8_t kind;
    uint32_t size;
    uint8_t *data;
};

struct network {
    struct rng *rng;
    struct message *heap;
    size_t count;
    size_t capacity;
    uint64_t order;
};

void network_init(struct network *network, struct rng *rng);
void network_fini(struct network *network);

/* Sends a copy of the data, which is borrowed; when it is due is drawn. With `after_ms` above 0 it does not
 * arrive before that moment: a way that keeps its order. Returns when it arrives; 0: it was lost. */
uint64_t network_send(struct network *network, uint64_t now_ms, const struct way *way,
                      const struct message *message, uint64_t after_ms);
/* A message that was taken arrives at that moment instead. */
void network_put_back(struct network *network, struct message message, uint64_t due_ms);
/* What was put back to `due_ms` or later arrives now, in its order. */
void network_release(struct network *network, uint64_t now_ms, uint64_t due_ms);
/* When the next message arrives; UINT64_MAX: none is on its way. */
uint64_t network_due(const struct network *network);
/* Takes it; its data is the caller's to free. */
struct message network_take(struct network *network);

#endif
