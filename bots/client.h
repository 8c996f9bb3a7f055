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
    CLIENT_ANSWER_MS = 5000, /* a request without an answer has been refused silently */
    CLIENT_EARLY_MS = 8000,  /* frames may come so long before the show that they belong to */
    CLIENT_TOWS = 64,        /* requests whose answers may be about a vehicle that is not shown */
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

/* What a client asks for, and is told whether it has got it. */
enum client_ask {
    ASK_ENTER,
    ASK_EXIT,
    ASK_TOW,
    ASK_UNTOW,
    ASK_WINCH,
    ASK_RELEASE,
    ASK_REMOTE,
    ASK_REMOTE_EXIT,
    ASK_CONTROL,
    ASK_EXPLODE,
    CLIENT_ASKS,
};

/* The last request of its kind, as long as it waits for its answer. */
struct client_request {
    bool waits;
    uint64_t asked_ms;
    uint32_t vehicle_id;
    uint32_t other_id; /* tractor or helicopter */
    uint8_t detail;    /* seat; or the bit of VehicleParams, and whether it is to be set */
    bool on;
    uint8_t epoch;
    uint8_t other_epoch;
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
    uint64_t asked[CLIENT_ASKS];
    uint64_t accepted[CLIENT_ASKS];
    uint64_t refused[CLIENT_ASKS]; /* or without an answer for CLIENT_ANSWER_MS */
    uint64_t salvos;
    uint64_t salvos_heard; /* of others */
    uint64_t driven_frames;
    uint64_t synced_frames;
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
    bool stays_out;   /* never asks to be spawned */
    bool is_in_order; /* the way neither loses nor overtakes: an old frame is the server's fault */
    bool is_honest; /* it asks for nothing that its own copies forbid: a refusal has to have a cause there */
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
    uint32_t remote_id;   /* the RC that it drives from outside; WIRE_NONE: none */
    bool detonates;       /* by its fire key */
    uint32_t shot_order;  /* of the last ray */
    struct client_request requests[CLIENT_ASKS];
    uint32_t towed_ids[CLIENT_TOWS]; /* that it has asked about, a ring */
    uint32_t towed_next;
    uint64_t gone_back; /* of the view, as far as complained of */

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
/* The vehicle that it drives, at the wheel or remotely; NULL: none. */
struct view_vehicle *client_driven(const struct client *client);
/* When the next frame may go out: the pace of whoever moves it. */
uint64_t client_moves_at(const struct client *client);

/* Where it is from now on, on foot; sent with the next frame. The speed is in units per physics step. */
void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading);
/* Where the vehicle that it drives is from now on, level, and it with it. */
void client_drive(struct client *client, const float pos[3], float heading, float speed_m_per_s, float steer);

/* Likewise a vehicle that it syncs: sent within CLIENT_SYNC_MS, as long as it changes and a little longer.
 * Its health, of one it drives or syncs: never raised. */
void client_push(struct client *client, uint64_t now_ms, uint32_t vehicle_id, const float pos[3]);
void client_hurt(struct client *client, uint64_t now_ms, uint32_t vehicle_id, float health);
/* A salvo of the vehicle that it drives: `rays` of them, all the same. */
void client_shoot(struct client *client, const float start[3], const float end[3], uint8_t rays);

/* Events. False: not connected, or too many wait for their ack. */
bool client_chat(struct client *client, uint64_t now_ms, const char *text);
bool client_command(struct client *client, uint64_t now_ms, const char *text);
bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat);
bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id);
/* WIRE_NONE for the other one: unhitched, released. */
bool client_tow(struct client *client, uint64_t now_ms, uint32_t trailer_id, uint32_t tractor_id);
bool client_winch(struct client *client, uint64_t now_ms, uint32_t load_id, uint32_t heli_id);
bool client_remote_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id);
bool client_remote_exit(struct client *client, uint64_t now_ms);
/* 0 exploded, 1 drowned */
bool client_explode(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t cause);
bool client_damage(struct client *client, uint64_t now_ms, uint32_t vehicle_id,
                   const struct wire_vehicle_damage_status *status);
/* 0 engine, 1 lights */
bool client_control(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t control, bool on);
bool client_die(struct client *client, uint64_t now_ms);
/* Any other event of the lane; its token and its number are filled in. */
bool client_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                  const void *value);

bool client_sees(const struct client *client, uint32_t player_id, uint32_t player_token);
bool client_sees_vehicle(const struct client *client, uint32_t vehicle_id);
/* The first thing that a correct server never does; NULL: none of it happened. */
const char *client_complaint(const struct client *client);

/* "remote_exit": a fixed word for counters. */
const char *client_ask_name(enum client_ask ask);
/* Adds what one counted to a sum. */
void client_stats_add(struct client_stats *sum, const struct client_stats *stats);

#endif
