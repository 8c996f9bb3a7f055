/* bots_rig.h - a client to test with: its server is the test's, and so is the time.
 *
 * What the server says is put down without judging it, so that a test can also say what no correct server
 * would. */
#ifndef DLMP_TESTS_UNIT_BOTS_RIG_H
#define DLMP_TESTS_UNIT_BOTS_RIG_H

#include <check.h>

#include "bots/client.h"

enum { BOTS_RIG_SENT_MAX = 4096, BOTS_RIG_ID = 7, BOTS_RIG_TOKEN = 70 };

/* 20 s before 32 bits of milliseconds wrap. */
#define BOTS_RIG_START_MS (UINT64_C(0x100000000) - 20 * 1000)

struct bots_rig {
    struct client client;
    struct rng rng;
    uint64_t now_ms;
    uint32_t event_id; /* of the server's last event */
    size_t sent_count; /* since bots_rig_forget */
    struct bots_rig_sent {
        uint16_t size;
        uint8_t data[256];
    } sent[BOTS_RIG_SENT_MAX];
};

/* A client that has said its first hello; one that is connected; one that is in the world, at the origin. */
void bots_rig_start(struct bots_rig *rig);
void bots_rig_connect(struct bots_rig *rig);
void bots_rig_spawn(struct bots_rig *rig);
void bots_rig_stop(struct bots_rig *rig);
void bots_rig_forget(struct bots_rig *rig);

/* The server says it, and the client answers: bytes; a packet; an event with the next number, and with
 * another one. */
void bots_rig_datagram(struct bots_rig *rig, const void *data, size_t size);
void bots_rig_say(struct bots_rig *rig, const struct wire_packet *packet, const void *value);
void bots_rig_event(struct bots_rig *rig, const struct wire_packet *packet, const void *value);
void bots_rig_event_as(struct bots_rig *rig, uint32_t event_id, const struct wire_packet *packet,
                       const void *value);
/* The server acks the client's events up to this one. */
void bots_rig_ack(struct bots_rig *rig, uint32_t event_id);

/* Lets time pass, in the steps that the client asks for. A silent server says nothing meanwhile, otherwise
 * there is a keepalive each second. */
void bots_rig_pass(struct bots_rig *rig, uint64_t ms);
void bots_rig_pass_silent(struct bots_rig *rig, uint64_t ms);

/* What the client has sent: how many of a kind; the last of them, which there must be. */
size_t bots_rig_count(const struct bots_rig *rig, const struct wire_packet *packet);
void bots_rig_last(const struct bots_rig *rig, const struct wire_packet *packet, void *value);

/* Common things to say. */
struct wire_remote_player_sync bots_rig_frame(uint32_t id, uint32_t token, uint32_t seq, float x);
struct wire_vehicle_sync bots_rig_show(uint32_t id, uint32_t relay_seq, float x);
struct wire_remote_vehicle_frame bots_rig_vehicle_frame(uint32_t id, uint32_t relay_seq, float x);

#endif
