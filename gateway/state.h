/* state.h - the gateway from the inside, for the files that make up its core.
 *
 *     core.c      its clock, its tick, what it counts
 *     peers.c     who is on the bus, and what they say
 *     door.c      strangers: hellos and queries; how sessions open and end
 *     inbound.c   the datagrams of sessions
 *     route.c     items to shards, and their packets to sessions
 *
 * Nothing outside of these includes it. */
#ifndef DLMP_GATEWAY_STATE_H
#define DLMP_GATEWAY_STATE_H

#include "gateway/core.h"
#include "gateway/frames.h"
#include "gateway/groups.h"
#include "gateway/handshake.h"
#include "gateway/roster.h"
#include "gateway/session.h"
#include "gateway/settings.h"

enum {
    PEERS_MAX = 256,        /* ours: the bus numbers its peers from 0, and no cluster has so many */
    SHARDS_MAX = 256,       /* ours */
    SHARD_NAME_SIZE = 64,   /* ours */
    ENDPOINT_SIZE = 128,    /* ours */
    STALL_MIN_MS = 20,      /* ours: what a timer may be late without anything being wrong */
    STATE_PERIOD_MS = 1000, /* bus.proto, GatewayState */
    SHARD_WAIT_MS =
        10 * 1000, /* ours: how long a player waits for the link to its shard; no client waits longer */
};

#define PEER_NONE UINT16_MAX

struct peer {
    Bus__Role role; /* ROLE_NONE: not up */
    bool backlogged;
    uint16_t shard; /* of a shard: in gateway.shards */
};

/* A shard that was ever heard of, by its name: its number stays. */
struct shard_link {
    char name[SHARD_NAME_SIZE];
    uint16_t peer; /* PEER_NONE: no link */
};

/* Where the parts of a packet lie that differ per recipient, or that the gateway reads. 0: it has none. */
struct packet_shape {
    uint16_t teammate_at;
    uint16_t rewind_at;
    uint16_t rewind_size;
    uint16_t seen_event_at;
    bool is_barrier;
    bool is_gateways; /* only the gateway itself sends it */
};

struct gateway {
    struct rng *rng;
    char endpoint[ENDPOINT_SIZE];
    uint32_t pid;

    /* The clock as handed in, and the awake one: the same less all stalls. */
    bool started;
    uint64_t now_ms;
    uint64_t awake_ms;
    uint64_t check_ms; /* when the sessions are looked through next */
    uint64_t state_ms; /* when the coordinator is told next */
    int64_t unix_ms;   /* at now_ms = 0 */

    struct cookies cookies;
    struct joins joins;
    struct sessions sessions;
    struct frames frames;
    struct groups groups;
    struct roster roster;
    struct settings settings;
    struct sources hello_sources;
    struct sources query_sources;
    struct budget challenges;
    struct budget queries;

    struct peer peers[PEERS_MAX];
    uint16_t coordinator; /* PEER_NONE: no link */
    struct shard_link shards[SHARDS_MAX];
    uint16_t shards_count;

    struct egress egress;
    struct outbox outbox;
    struct pool_ref *acked_due; /* sessions whose shard has not been told of the newest ack */
    uint32_t acked_due_count;

    uint64_t parcels; /* packets sent for shards so far: marks sessions (route.c) */
    bool draining;
    struct packet_shape shapes[WIRE_PACKETS];
    struct gateway_stats stats;
};

/* ---- core.c */

/* Every input comes with its time, and the time passes here. */
void gateway_advance(struct gateway *gateway, uint64_t now_ms);
void gateway_drop(struct gateway *gateway, enum reason reason);
/* Something of a session's: counted, and kept with it. */
void gateway_refuse(struct gateway *gateway, struct session *session, uint8_t packet_id, enum reason reason);
/* Gives a packet to the egress; the bytes stay until the round ends. */
void gateway_send(struct gateway *gateway, const struct session *session, const struct wire_packet *packet,
                  const uint8_t *data, size_t size);
void gateway_send_stranger(struct gateway *gateway, const struct address *to,
                           const struct wire_packet *packet, const uint8_t *data, size_t size);
enum reason reason_of_wire(enum wire_why why);

/* ---- peers.c */

/* The shard's number in gateway.shards; SHARDS_MAX: no name, or the table is full. */
uint16_t gateway_shard(struct gateway *gateway, const char *name);
/* For an item of the outbox. */
Bus__Player *gateway_bus_player(struct gateway *gateway, struct player_ref player);
/* Tells the coordinator, to whom there is a link, how things stand. */
void gateway_send_state(struct gateway *gateway);

/* ---- door.c */

void door_on_hello(struct gateway *gateway, const struct address *from, struct span data);
void door_on_query(struct gateway *gateway, const struct address *from, struct span data);
void door_on_join_answer(struct gateway *gateway, const Bus__JoinAnswer *answer);
void door_on_displace(struct gateway *gateway, const Bus__Displace *displace);
/* Sends KickNotify and lets the session end when it is acked. */
void door_kick(struct gateway *gateway, struct session *session, enum leave_reason reason, const char *text);
/* Ends it now: tells the shard and the coordinator. One that was kicked leaves with the kick's reason. */
void door_end(struct gateway *gateway, struct session *session, enum leave_reason reason);

/* ---- inbound.c */

/* A datagram with a known packet id that is not a stranger's. */
void inbound_on_datagram(struct gateway *gateway, const struct address *from, struct span data);
void inbound_on_ticket_answer(struct gateway *gateway, const Bus__TicketAnswer *answer);
/* Asks the coordinator whether the session's ticket was used before. */
void inbound_ask_ticket(struct gateway *gateway, struct session *session);

/* ---- route.c */

void route_learn_shapes(struct packet_shape shapes[WIRE_PACKETS]);
/* Tells the shard of the player, if there is a link. */
void route_join(struct gateway *gateway, struct session *session);
/* Tells the shard of the account that the player has proven, if it knows the player; otherwise route_join
 * does. */
void route_auth(struct gateway *gateway, struct session *session);
/* Whether the shard takes something now; otherwise why not. */
enum reason route_check(const struct gateway *gateway, const struct session *session);
/* A well-formed packet to its shard; `event_id` 0: unreliable. */
void route_packet(struct gateway *gateway, struct session *session, const struct wire_packet *packet,
                  struct span data, uint32_t event_id);
void route_tag(struct gateway *gateway, struct session *session, uint64_t tag);
void route_gone(struct gateway *gateway, struct session *session, enum leave_reason reason);
/* What the shards have not been told of acks yet. */
void route_acks(struct gateway *gateway);
void route_on_send(struct gateway *gateway, uint16_t peer, const Bus__Send *send);
void route_on_group_update(struct gateway *gateway, uint16_t peer, const Bus__GroupUpdate *update);
/* Queues an event of the gateway's own and sends it. LANE_FULL: it was not queued. */
enum lane_push route_own_event(struct gateway *gateway, struct session *session, struct span packet);
/* Sends an event of the lane, for the first time or again. */
void route_transmit(struct gateway *gateway, struct session *session, const struct lane_event *event);

#endif
