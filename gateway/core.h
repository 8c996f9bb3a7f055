/* core.h - the gateway: sockets' datagrams on one side, the bus on the other, no socket and no clock in
 * between.
 *
 * Whoever drives it (main.c, the simulator) hands it what arrives, takes what is to be sent from its egress
 * and its outbox after each round, and calls gateway_tick no later than gateway_wakes_at says. It knows
 * addresses, tokens, lanes and limits, and no game rules: a client's packet goes to the shard that owns its
 * player, a shard's packet to the recipients it names.
 *
 * `now_ms` is a monotonic clock. Who calls later than gateway_wakes_at has stalled: that time is taken off
 * every clock that counts against a client, since meanwhile nobody read what it sent.
 *
 * Spec: Connection. */
#ifndef DLMP_GATEWAY_CORE_H
#define DLMP_GATEWAY_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/address.h"
#include "common/cursor.h"
#include "common/random.h"
#include "common/reason.h"
#include "gateway/egress.h"
#include "gateway/limits.h"
#include "gen/bus.pb-c.h"
#include "gen/wire.h"
#include "proto/outbox.h"

struct gateway;

struct gateway_config {
    const char *endpoint;  /* where clients reach it, for people; copied */
    uint32_t pid;          /* of the process, for people */
    uint32_t sessions_max; /* connections at a time */
};

/* Counts since the start. */
struct gateway_stats {
    uint64_t sessions; /* connections that are open now */

    uint64_t datagrams_in;
    uint64_t bytes_in;
    uint64_t datagrams_out;
    uint64_t bytes_out;
    uint64_t packets_in[WIRE_PACKETS]; /* of connections and strangers, well-formed or not, by wire_packets */
    uint64_t packets_out[WIRE_PACKETS];
    uint64_t drops[REASON_COUNT];
    uint64_t observed[LIMITS]; /* what an observed limit would have dropped */

    uint64_t sessions_opened;
    uint64_t sessions_closed[5]; /* by PlayerLeave.reason */
    uint64_t rejects[11];        /* by ConnectReject.reason */
    uint64_t resends;            /* of events */
    uint64_t migrations;         /* connections that changed their address */
    uint64_t stalled_ms;         /* time taken off the clients' clocks */
};

/* The rng stays the caller's and is used until gateway_free. NULL: no memory. */
struct gateway *gateway_new(const struct gateway_config *config, struct rng *rng);
void gateway_free(struct gateway **gateway);

/* What the wall clock says at this moment, for tickets; once a second will do. */
void gateway_set_wall_clock(struct gateway *gateway, uint64_t now_ms, int64_t unix_s);

/* ---- the clients' side */

/* A datagram of the socket. One longer than a packet may be given cut. */
void gateway_on_datagram(struct gateway *gateway, uint64_t now_ms, const struct address *from,
                         struct span data);

/* What is to be sent since the last time. The driver takes its runs, then calls egress_clear. */
struct egress *gateway_take_egress(struct gateway *gateway);
/* The driver could not send so many datagrams of its runs. */
void gateway_count_unsent(struct gateway *gateway, enum reason reason, uint64_t datagrams);

/* ---- the bus */

void gateway_peer_up(struct gateway *gateway, uint64_t now_ms, uint16_t peer, Bus__Role role,
                     const char *name, uint64_t boot);
void gateway_peer_down(struct gateway *gateway, uint64_t now_ms, uint16_t peer);
void gateway_on_item(struct gateway *gateway, uint64_t now_ms, uint16_t peer, const Bus__Item *item);

/* What is to be told since the last time. The driver hands the items to the peers' links, then calls
 * outbox_clear. What may be merged until then, lane counts, is written now: ask for it when the batches go
 * out. */
struct outbox *gateway_outbox(struct gateway *gateway);
/* The link is over its high-water mark: until it is not, the peer is sent nothing unreliable, and no event of
 * a client is delivered to it. */
void gateway_set_backlogged(struct gateway *gateway, uint16_t peer, bool backlogged);

/* ---- time */

void gateway_tick(struct gateway *gateway, uint64_t now_ms);
uint64_t gateway_wakes_at(const struct gateway *gateway);

/* ---- the operator's side */

/* Lets nobody in from now on and sends everybody away, with reason 4 and this text. It has drained when no
 * sessions are left. */
void gateway_drain(struct gateway *gateway, uint64_t now_ms, const char *text);

/* Clients can join: there is a coordinator that has told its settings, a shard, and no drain. */
bool gateway_is_ready(const struct gateway *gateway);

const struct gateway_stats *gateway_stats(const struct gateway *gateway);

/* A packet of a player that did not take its way. */
struct gateway_refusal {
    uint64_t age_ms;
    uint8_t packet_id;
    enum reason reason;
};
/* The last ones of a player, newest first. Returns how many; 0 as well for one who is not here. */
size_t gateway_refusals(const struct gateway *gateway, uint32_t player_id, struct gateway_refusal *refusals,
                        size_t max);

/* Stops the process if anything in it contradicts itself: for the simulator and the tests. */
void gateway_check(const struct gateway *gateway);

#endif
