/* client.h - one client of the game, as far as a server can tell: connects, spawns, moves, drives, and checks
 * what it is told.
 *
 * A core: it is told the time and handed datagrams, and hands out datagrams through `send`. It keeps the
 * protocol's rules for a client (both lanes, the view of others, the revisions it has to echo, the pace of
 * its frames) and counts what a correct server never does (violation.h). What it does of its own accord is
 * what every client does: it asks for its spawn, and for the next one after a death. Where it goes and what
 * it says is behaviour.h's, or a test's.
 *
 * Acks and frames are sent by client_tick, to be called after each batch of datagrams and when
 * client_wakes_at says so: a batch is then answered with one ack. Whoever connects again should do so from
 * another port, since a late event of the former connection has nothing that tells it from one of the next.
 *
 * Spec: Protocol, "Reliable event lane", "Sequence and generation"; Connection; Player; Vehicles. */
#ifndef DLMP_BOTS_CLIENT_H
#define DLMP_BOTS_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "bots/events.h"
#include "bots/view.h"
#include "bots/violation.h"
#include "common/random.h"
#include "gen/wire.h"

/* Connection; Vehicles: VehicleFrame. */
enum {
    CLIENT_HELLO_MS = 500,
    CLIENT_HELLOS_MAX = 10,
    CLIENT_SYNC_MS = 100,      /* between two frames of a vehicle it syncs */
    CLIENT_SYNC_MORE_MS = 300, /* for so long after it stands still */
    CLIENT_SYNCED_MAX = 8,     /* synced vehicles that get a frame at a time */
};
/* Ours. */
enum {
    CLIENT_PROVEN_HELLOS_MAX =
        20, /* with the cookie: twice the 5 s that a gateway waits for the cluster's answer */
    CLIENT_CHALLENGES_MAX = 10,    /* answered at once; above that its next hello answers */
    CLIENT_SILENCE_MS = 10 * 1000, /* ten keepalives missed: the server is gone */
    CLIENT_SPAWN_AGAIN_MS = 1500,  /* the page's second, and some way */
    CLIENT_NAME_MAX = 24,
};

enum client_state {
    CLIENT_NEW,
    CLIENT_GREETING,
    CLIENT_CONNECTED,
    CLIENT_SPAWNED,
    CLIENT_DEAD,
    CLIENT_CLOSED
};

/* Why a closed one is closed. */
enum client_end {
    CLIENT_END_NONE,
    CLIENT_END_LEFT,      /* as it was told */
    CLIENT_END_REJECTED,  /* `reject` says why */
    CLIENT_END_NO_ANSWER, /* to its hellos */
    CLIENT_END_KICKED,    /* `kicked` says why */
    CLIENT_END_SILENCE,   /* of the server */
    CLIENT_ENDS,
};

struct client_stats {
    uint64_t packets_in[WIRE_PACKETS];
    uint64_t packets_out[WIRE_PACKETS]; /* resends included */
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t events_in;  /* delivered */
    uint64_t duplicates; /* events that came again */
    uint64_t ahead;      /* events discarded since one before them was missing */
    uint64_t events_out;
    uint64_t resends;
    uint64_t stragglers; /* frames of players who have left */
    uint64_t stale;      /* frames not newer than the last */
    uint64_t violations[VIOLATIONS];
    uint64_t complaints; /* all of them */
};

struct client_config {
    const char *name; /* copied */
    const char *password;
    uint32_t frame_ms; /* between two frames while something changes */
    void (*send)(void *context, struct span datagram);
    void *context;
    /* Every well-formed packet once it has been taken in; NULL: nobody listens. */
    void (*heard)(void *context, const struct wire_packet *packet, const union wire_any *any);
    bool stays_out; /* never asks to be spawned */
};

struct client {
    struct client_config config;
    struct rng *rng;
    enum client_state state;
    enum client_end end;
    uint8_t reject; /* ConnectReject.reason */
    uint8_t kicked; /* KickNotify.reason, as PlayerLeave.reason */
    char name[CLIENT_NAME_MAX + 1];

    uint64_t nonce;
    uint64_t cookie;
    uint64_t hello_ms;
    uint32_t hellos;
    uint32_t challenges;

    uint64_t token;
    uint32_t player_id;
    uint32_t player_token;
    uint32_t heartbeat_ms;
    uint64_t heard_ms;

    struct events_out out;
    struct events_in in;
    bool ack_is_due;

    /* Itself. */
    struct wire_frame frame;
    bool moved; /* something in the frame changed since it was sent */
    bool is_frozen;
    uint8_t interior;
    uint32_t virtual_world;
    uint32_t grants; /* spawns, respawns and teleports taken: how often the server has placed it */
    uint32_t seq;
    uint64_t framed_ms;
    uint64_t spawn_at_ms;

    /* The vehicle it drives, while frame.seat is 0. */
    struct wire_vehicle_state drive;
    uint32_t vehicle_seq;
    uint64_t driven_ms;
    uint64_t synced_ms;
    uint32_t synced_next; /* where among the vehicles to go on */
    uint32_t denied;      /* requests for a seat that were refused */

    struct view view;
    enum view_verdict verdict; /* on the last player's frame */
    struct client_stats stats;
    enum violation last_violation; /* when there was any */
};

void client_init(struct client *client, const struct client_config *config, struct rng *rng);
void client_fini(struct client *client);

void client_connect(struct client *client, uint64_t now_ms);
/* Says goodbye, three times as the page asks. */
void client_leave(struct client *client, uint64_t now_ms);

void client_on_datagram(struct client *client, uint64_t now_ms, struct span datagram);
void client_tick(struct client *client, uint64_t now_ms);
/* UINT64_MAX: nothing will happen by itself. */
uint64_t client_wakes_at(const struct client *client);

bool client_is_open(const struct client *client);
bool client_is_in_world(const struct client *client); /* spawned, alive or dead */
/* The vehicle it sits in; NULL on foot. */
struct view_vehicle *client_vehicle(const struct client *client);
bool client_drives(const struct client *client);
/* When the next frame may go out: the pace of whoever moves it. */
uint64_t client_moves_at(const struct client *client);

/* Where it is from now on, on foot; sent with the next frame. The speed is in units per physics step. */
void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading);
/* Where the vehicle that it drives is from now on, level, and it with it. */
void client_drive(struct client *client, const float pos[3], float heading, float speed_m_per_s, float steer);

/* Events. False: not connected, or too many wait for their ack. */
bool client_chat(struct client *client, uint64_t now_ms, const char *text);
bool client_command(struct client *client, uint64_t now_ms, const char *text);
bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat);
bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id);
bool client_die(struct client *client, uint64_t now_ms);
/* Any other event of the lane; its token and its number are filled in. */
bool client_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                  const void *value);

bool client_sees(const struct client *client, uint32_t player_id, uint32_t player_token);
bool client_sees_vehicle(const struct client *client, uint32_t vehicle_id);
/* The first thing that a correct server never does; NULL: none of it happened. */
const char *client_complaint(const struct client *client);

/* Adds what one counted to a sum. */
void client_stats_add(struct client_stats *sum, const struct client_stats *stats);

#endif
