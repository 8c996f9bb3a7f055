/* bus.h - the bus of one process: ZeroMQ sockets in libevent's loop, and a link for each peer.
 *
 * A process binds one endpoint or none (a ROUTER, where peers find it) and connects to any number (a DEALER
 * each). What arrives goes through the peer's link (proto/link.h) to the handler; what the handler's core has
 * left in its outbox goes out with bus_flush, one message a peer:
 *
 *     while (running) {
 *         event_base_loop(base, EVLOOP_ONCE);
 *         ...the core's tick...
 *         bus_flush(bus, clock_ms());
 *     }
 *
 * Nobody waits for the bus: what libzmq does not take at once stays with the link. Peers are small numbers,
 * which stay the same while the peer is up or only silent (LINK_DOWN).
 *
 * Without CURVE keys only ipc and loopback endpoints are used.
 *
 * Spec: design.md, "The bus"; docs/bus.md. */
#ifndef DLMP_COMMON_BUS_H
#define DLMP_COMMON_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bus_keys.h"
#include "common/bus_socket.h"
#include "proto/link.h"
#include "proto/outbox.h"

/* All of these are ours. */
enum {
    BUS_PEERS_MAX = 256,   /* processes of a cluster */
    BUS_QUEUE_MAX = 256,   /* messages that libzmq holds, a peer and direction */
    BUS_PUMP_MS = 100,     /* an idle socket is looked after so often */
    BUS_RECONNECT_MS = 50, /* doubled each time, up to the next */
    BUS_RECONNECT_MAX_MS = 500,
    BUS_HANDSHAKE_MS = 3000,    /* who connects and says nothing is cut off */
    BUS_PING_MS = 1000,         /* finds connections that are dead and do not know it */
    BUS_PING_TIMEOUT_MS = 3000, /* above LINK_DEAD_MS: who was stopped keeps its connections so long */
    BUS_REPORT_MS = 1000,       /* a refusal is logged once in so long */
};

struct bus_config {
    struct link_self self;    /* the name is copied */
    const char *endpoint;     /* to bind; NULL: none */
    unsigned accepts;         /* who may connect there, as LINK_ROLE bits */
    struct bus_curve curve;   /* copied; in use when any key is given */
    uint64_t (*now_ms)(void); /* NULL: clock_ms */
};

/* Called from the loop and from bus_flush, never from bus_connect. */
struct bus_handler {
    void *context;
    /* `boot` as link_peer_boot: the same as before means that all that was said since is still to come. */
    void (*peer_up)(void *context, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                    uint64_t boot);
    void (*peer_down)(void *context, uint64_t now_ms, uint16_t peer);
    void (*item)(void *context, uint64_t now_ms, uint16_t peer, const Bus__Item *item);
    /* The backlog of a peer that is up rose over the high-water mark, or fell again; NULL: of no interest. */
    void (*backlogged)(void *context, uint16_t peer, bool backlogged);
    /* Where the core leaves what it has to say; NULL: nothing. */
    struct outbox *(*outbox)(void *context);
};

struct bus_stats {
    uint64_t messages_in;
    uint64_t messages_out;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t malformed;  /* messages that do not parse or have a wrong number of frames */
    uint64_t refused;    /* messages of processes that are not accepted */
    uint64_t denied;     /* connections without a key that may connect */
    uint64_t items_lost; /* for peers that are not there */
};

/* Nothing but the kernel carries what is said there: ipc, inproc, tcp on a loopback address. */
bool bus_endpoint_is_local(const char *endpoint);

/* NULL: `error` says why, in a sentence. */
struct bus *bus_new(struct event_base *base, const struct bus_config *config,
                    const struct bus_handler *handler, char error[BUS_ERROR_SIZE]);
void bus_free(struct bus **bus);

/* What is bound, with the port that was chosen if the configured one is `*`; "" nothing. */
const char *bus_endpoint(const struct bus *bus);

/* Keeps a connection to the peer there. `name` may be NULL: whoever answers with that role is the peer. A
 * peer that is connected already is left alone if its endpoint is the same. False: `error` says why. */
bool bus_connect(struct bus *bus, Bus__Role role, const char *name, const char *endpoint,
                 char error[BUS_ERROR_SIZE]);
/* Ends it; the peer is down if it was up. Not to be called by the handler. */
void bus_disconnect(struct bus *bus, uint64_t now_ms, const char *name);

/* Sends what is due to each peer, and finds out who is silent. After each iteration of the loop. */
void bus_flush(struct bus *bus, uint64_t now_ms);

/* Bytes that peers who are up have not yet acked: whoever ends waits for 0, for a while. */
size_t bus_backlog(const struct bus *bus);
/* NULL: no such peer. */
const struct link *bus_link(const struct bus *bus, uint16_t peer);
struct bus_stats bus_stats(const struct bus *bus);

#endif
