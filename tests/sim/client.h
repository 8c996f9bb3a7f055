/* client.h - a client of the game, as far as the server can tell: connects, spawns, moves, and checks what
 * comes back.
 *
 * A core: it is told the time and given datagrams, and hands out datagrams through `send`. It keeps the
 * protocol's rules for a client - both lanes, sequence and generation, streamed sets - and counts what a
 * correct server never does: an event out of order or twice with other bytes, a malformed packet, a player
 * of an older generation, a vehicle that was never shown.
 *
 * Spec: Protocol, "Reliable event lane", "Sequence and generation"; Connection; Player. */
#ifndef DLMP_TESTS_SIM_CLIENT_H
#define DLMP_TESTS_SIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/random.h"
#include "gen/wire.h"

/* The first two are Protocol's, the next ones Connection's; the rest is ours. */
enum {
    CLIENT_RTO_MS = 250,
    CLIENT_EVENTS_MAX = 64, /* unacked events; a client that has more waits */
    CLIENT_HELLO_MS = 500,
    CLIENT_HELLOS_MAX = 10,
    CLIENT_SILENCE_MS = 10 * 1000,
    CLIENT_SPAWN_AGAIN_MS = 1500,
    CLIENT_OTHERS_MAX = 4096, /* player ids and vehicle numbers it can be shown */
    CLIENT_EVENT_SIZE_MAX = 320,
};

enum client_state {
    CLIENT_NEW,
    CLIENT_GREETING,
    CLIENT_CONNECTED,
    CLIENT_SPAWNED,
    CLIENT_DEAD,
    CLIENT_CLOSED
};

enum client_violation {
    CLIENT_MALFORMED,       /* the server sent what a strict decoder refuses */
    CLIENT_EVENT_AHEAD,     /* counted, no violation: an event ahead of a gap, discarded */
    CLIENT_EVENT_CHANGED,   /* an event id came again with other bytes */
    CLIENT_OLD_GENERATION,  /* counted, no violation: a straggler, dropped */
    CLIENT_LEFT_PLAYER,     /* an event shows a player that has left */
    CLIENT_UNKNOWN_VEHICLE, /* an event about a vehicle that is not shown */
    CLIENT_SHOWN_TWICE,     /* a show of what is shown, in the same life; a hide of what is not */
    CLIENT_VIOLATIONS,
};

/* What the client holds of another player (Protocol, "Sequence and generation"). */
struct client_other {
    uint32_t generation; /* 0: nobody */
    uint32_t last_seq;
    uint32_t tombstone;
    bool is_shown;
    bool has_seq;
    float pos[3];
    uint64_t seen_ms;
};

struct client_vehicle {
    uint32_t id;
    bool is_shown;
    bool is_syncer;
    uint8_t epoch;
    uint32_t relay_mark;
    float pos[3];
    uint32_t occupants; /* bits of taken seats, as far as told */
};

struct client_event {
    uint32_t event_id;
    uint64_t sent_ms;
    uint16_t size;
    uint8_t data[CLIENT_EVENT_SIZE_MAX];
};

struct client_config {
    const char *name; /* copied */
    const char *password;
    uint32_t frame_ms; /* between two frames while it moves */
    void (*send)(void *context, struct span datagram);
    void *context;
};

struct client {
    struct client_config config;
    struct rng *rng;
    enum client_state state;
    char name[25];

    uint64_t nonce;
    uint64_t cookie;
    uint64_t hello_ms;
    uint32_t hellos;
    uint8_t reject; /* ConnectReject.reason, 0 none */
    uint8_t kicked; /* KickNotify.reason, 0 none */

    uint64_t token;
    uint32_t player_id;
    uint32_t player_token;
    uint32_t heartbeat_ms;
    uint64_t heard_ms;

    /* C→S */
    struct client_event events[CLIENT_EVENTS_MAX]; /* oldest first */
    uint32_t events_count;
    uint32_t event_id; /* of the last one queued */
    uint32_t seq;
    uint64_t frame_at_ms;
    uint64_t spawn_at_ms;

    /* S→C */
    uint32_t delivered_id;
    uint64_t delivered_sum[64]; /* checksums of the last events, to know a changed repeat */

    /* itself */
    struct wire_frame frame;
    bool moved;
    uint32_t virtual_world;
    uint8_t interior;

    struct client_other *others;     /* by player id */
    struct client_vehicle *vehicles; /* by id modulo CLIENT_OTHERS_MAX: ids are leased in a row */

    uint64_t packets_in[WIRE_PACKETS];
    uint64_t packets_out[WIRE_PACKETS];
    uint64_t resends;
    uint64_t duplicates;
    uint64_t counts[CLIENT_VIOLATIONS];
};

/* -1: no memory. */
int client_init(struct client *client, const struct client_config *config, struct rng *rng);
void client_fini(struct client *client);

void client_connect(struct client *client, uint64_t now_ms);
/* Says goodbye, three times as the page asks. */
void client_leave(struct client *client, uint64_t now_ms);

void client_on_datagram(struct client *client, uint64_t now_ms, struct span datagram);
void client_tick(struct client *client, uint64_t now_ms);
uint64_t client_wakes_at(const struct client *client);

/* Where it is from now on; sent with the next frame. Only while spawned. */
void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading);
/* Events. False: too many wait for their ack. */
bool client_chat(struct client *client, uint64_t now_ms, const char *text);
bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat);
bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id);
bool client_die(struct client *client, uint64_t now_ms);

/* Whether it sees this generation of the player. */
bool client_sees(const struct client *client, uint32_t player_id, uint32_t player_token);
/* The first thing that a correct server never does; NULL: none of it happened. */
const char *client_complaint(const struct client *client);

#endif
