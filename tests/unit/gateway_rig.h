/* gateway_rig.h - a gateway to test with: its coordinator, its shard and its clients are the test's, and so
 * is the time.
 *
 * The rig is driven as a shell drives a core: whatever goes in, what comes out is gathered right after, and
 * time passes in the steps that gateway_wakes_at asks for. */
#ifndef DLMP_TESTS_UNIT_GATEWAY_RIG_H
#define DLMP_TESTS_UNIT_GATEWAY_RIG_H

#include <check.h>

#include "gateway/core.h"

enum { RIG_COORDINATOR = 0, RIG_SHARD = 1, RIG_SHARD_2 = 2, RIG_FENCE = 7 };

/* 60 s before the wire's clock wraps: every test of a second or more that starts here runs over it. */
#define RIG_START_MS (UINT64_C(0x100000000) - 60 * 1000)

struct rig_datagram {
    struct address to;
    size_t size;
    uint8_t data[WIRE_PACKET_SIZE_MAX];
};

struct rig_item {
    uint16_t peer;
    Bus__Item *item;
};

struct rig {
    struct gateway *gateway;
    struct rng rng;
    uint64_t now_ms;
    struct rig_datagram *datagrams; /* what left since rig_forget, oldest first */
    size_t datagrams_count;
    size_t datagrams_capacity;
    struct rig_item *items; /* what was told since rig_forget */
    size_t items_count;
    size_t items_capacity;
    uint32_t players;  /* that the coordinator has let in */
    uint64_t revision; /* of the settings */
};

struct rig_client {
    struct address address;
    uint64_t nonce;
    uint64_t token;
    uint32_t id;
    uint32_t player_token;
    uint32_t event_id; /* of its last event */
    char name[25];
    bool auth;
};

/* A gateway without peers; with its coordinator, shard and settings. */
void rig_start_alone(struct rig *rig);
void rig_start(struct rig *rig);
void rig_stop(struct rig *rig);

/* Gathers what the gateway left. Every function below that hands it something calls it. */
void rig_gather(struct rig *rig);
void rig_forget(struct rig *rig);
/* Lets time pass. */
void rig_pass(struct rig *rig, uint64_t ms);
/* The gateway's process stood still for so long, and runs again. */
void rig_stall(struct rig *rig, uint64_t ms);

/* ---- peers */

void rig_item(struct rig *rig, uint16_t peer, const Bus__Item *item);
/* The settings with these limits changed: name, rate, burst, mode; NULL for none. */
void rig_settings(struct rig *rig, void (*change)(Bus__ClusterSettings *settings));
/* The last item of this kind that was told since rig_forget, NULL if none; how many there were. */
const Bus__Item *rig_told(const struct rig *rig, uint16_t peer, Bus__Item__ItemCase kind);
size_t rig_count_told(const struct rig *rig, uint16_t peer, Bus__Item__ItemCase kind);
/* The coordinator's answer to the last JoinRequest. */
void rig_answer_join(struct rig *rig, uint32_t reject);
/* A shard's packet to one client, or to several. */
void rig_send(struct rig *rig, uint16_t peer, Bus__Send__Class delivery, struct span packet,
              const struct rig_client *const *to, size_t to_count, uint64_t tag);
void rig_send_one(struct rig *rig, Bus__Send__Class delivery, struct span packet,
                  const struct rig_client *to);

/* ---- clients */

/* 10.0.0.1:5000 and up: a client has its own address. */
struct rig_client rig_client(uint32_t number);
void rig_datagram(struct rig *rig, const struct address *from, const void *data, size_t size);
/* Encodes unchecked, and sends from the client's address. */
void rig_packet(struct rig *rig, const struct rig_client *client, const struct wire_packet *packet,
                const void *fields);
void rig_hello(struct rig *rig, const struct rig_client *client, uint64_t cookie);
/* The cookie that the gateway gives the client now. */
uint64_t rig_cookie(struct rig *rig, const struct rig_client *client);
/* Hello, challenge, hello, and the coordinator's question is open. */
void rig_ask(struct rig *rig, struct rig_client *client);
/* The whole way in; the client has not yet used its token. */
void rig_join(struct rig *rig, struct rig_client *client);

/* A frame: unreliable, and routed. `seq` tells them apart. */
void rig_frame(struct rig *rig, const struct rig_client *client, uint32_t seq);
/* A RespawnRequest as the client's event of this number; the next one. */
void rig_event_numbered(struct rig *rig, const struct rig_client *client, uint32_t event_id);
void rig_event(struct rig *rig, struct rig_client *client);
void rig_ack(struct rig *rig, const struct rig_client *client, uint32_t event_id);
void rig_pong(struct rig *rig, const struct rig_client *client, const struct address *from, uint32_t stamp);

/* The last datagram of this packet to the address since rig_forget, NULL if none; how many there were. */
const struct rig_datagram *rig_got(const struct rig *rig, const struct address *to,
                                   const struct wire_packet *packet);
size_t rig_count_got(const struct rig *rig, const struct address *to, const struct wire_packet *packet);
/* The number that the last ServerAck to the client carried; UINT32_MAX: there was none. */
uint32_t rig_got_ack(const struct rig *rig, const struct rig_client *client);

/* ---- packets of a shard, encoded into the buffer */

struct span rig_server_message(uint8_t buffer[WIRE_PACKET_SIZE_MAX], const char *text);
struct span rig_player_leave(uint8_t buffer[WIRE_PACKET_SIZE_MAX], uint32_t player_id);
struct span rig_remote_frame(uint8_t buffer[WIRE_PACKET_SIZE_MAX], uint32_t player_id, uint32_t seq);

uint64_t rig_drops(const struct rig *rig, enum reason reason);
uint64_t rig_sessions(const struct rig *rig);

#endif
