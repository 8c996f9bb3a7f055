/* net.h - the swarm's sockets: one a bot, as real clients have, on as many local addresses as asked for.
 *
 * The loop sleeps until a socket is readable or the swarm wakes. Datagrams are received in batches with the
 * moment the kernel took them in; what was sent is stamped by the same clock right before. Nothing is merged
 * or held back: bots that made it easy for the server would make it look better than it is. */
#ifndef DLMP_BOTS_NET_H
#define DLMP_BOTS_NET_H

#include <stdint.h>

#include "bots/report.h"
#include "bots/swarm.h"

struct sockets;

struct sockets_config {
    const char *servers; /* HOST:PORT, several with commas; bots are dealt out to them in turn */
    uint32_t bots;
    uint32_t addresses; /* 0: one for every OPTIONS_PER_ADDRESS bots, if the server is on this machine */
    double loss;
    uint64_t seed; /* of what is lost */
};

struct sockets_hooks {
    void *context;
    void (*on_phase)(void *context, uint64_t now_ms, enum swarm_phase phase);
    void (*on_second)(void *context, uint64_t now_ms);
};

/* NULL, with the reason in `why`: something needed is not there. */
struct sockets *sockets_open(const struct sockets_config *config, char *why, size_t why_size);
void sockets_close(struct sockets **net);

/* All servers are on this machine, and nothing is lost on purpose: datagrams keep their order. */
bool sockets_keep_order(const struct sockets *net);
/* What the swarm sends through. */
struct swarm_io sockets_io(struct sockets *net);
/* Until the swarm is done. The first SIGINT or SIGTERM stops it early, the second at once. */
void sockets_run(struct sockets *net, struct swarm *swarm, const struct sockets_hooks *hooks);
/* Fills in what only the sockets know. */
void sockets_report(const struct sockets *net, struct report *report);

#endif
