/* session.h - the connections of a gateway, and what is known of each.
 *
 * A table of fixed size. A session is found by its token, its player or its address; the token is compared in
 * constant time, and where it is looked up cannot be foreseen. All its times are on the gateway's awake clock
 * (core.h), which stands still while the gateway does not read its socket.
 *
 *     GREETED   ServerHello is out; no packet with the token has come yet
 *     OPEN      the client has used its token
 *     CLOSING   KickNotify is out; the session ends with its ack, or after 2 s
 *     ENDED     out of the table
 *
 * Spec: Connection, "Opening a connection", "Tokens", "Acks and keepalive", "Disconnect". */
#ifndef DLMP_GATEWAY_SESSION_H
#define DLMP_GATEWAY_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/address.h"
#include "common/leave.h"
#include "common/pool.h"
#include "common/random.h"
#include "common/reason.h"
#include "gateway/handshake.h"
#include "gateway/index.h"
#include "gateway/lane.h"
#include "gateway/limits.h"
#include "gateway/migrate.h"
#include "gateway/ticket.h"
#include "gen/bus.pb-c.h"
#include "proto/game.h"

enum {
    SESSIONS_MAX = 100 * 1000, /* ours: of a process at most, however it is configured */
    SESSION_TIMEOUT_MS = 10 * 1000,
    SESSION_KEEPALIVE_MS = 1000,
    SESSION_STAMP_LIFE_MS = 10 * 1000,
    SESSION_STAMPS = SESSION_STAMP_LIFE_MS / SESSION_KEEPALIVE_MS + 2, /* all that can still count */
    SESSION_KICK_MS = 2000,
    SESSION_AUTH_MS = 10 * 1000,
    SESSION_REFUSALS = 64,
    SESSION_BARRIERS = 64, /* ours: scope changes that a client may lag behind and still be told apart */
};

enum session_state { SESSION_NONE, SESSION_GREETED, SESSION_OPEN, SESSION_CLOSING, SESSION_ENDED };

struct player_ref {
    uint32_t id;
    uint32_t token;
};

/* A packet that was dropped, refused, clamped or rewritten. */
struct refusal {
    uint64_t at_ms;
    uint8_t packet_id;
    enum reason reason;
};

struct session {
    enum session_state state;
    struct pool_ref ref;
    struct player_ref player;
    uint64_t fence;
    uint64_t token;
    uint64_t nonce; /* of the hello that opened it */
    struct address address;
    char name[PLAYER_NAME_SIZE];

    /* Where its items go. */
    uint16_t shard;  /* in the gateway's list of shards */
    bool joined;     /* the shard has been told */
    uint64_t number; /* of its last reliable item */
    struct session_spawn {
        uint32_t virtual_world;
        uint32_t interior;
        float pos[3];
        float heading;
        uint32_t skin;
    } spawn;

    /* Lanes. */
    struct lane lane;
    struct lane_receiver receiver;
    bool acked_due;                      /* the shard has not been told of the newest ack */
    uint32_t barriers[SESSION_BARRIERS]; /* event_ids of its last scope barriers, a ring */
    uint32_t barriers_count;             /* of all */

    /* Clocks. */
    uint64_t opened_ms;
    uint64_t heard_ms;     /* the last packet with the token */
    uint64_t keepalive_ms; /* when the next one is due */
    struct session_stamp {
        uint64_t sent_ms;
        uint32_t stamp;
        bool waiting; /* for its pong */
    } stamps[SESSION_STAMPS];
    uint32_t stamps_count; /* of all */
    uint32_t srtt_8;       /* eighths of ms */
    bool has_rtt;

    /* The end. */
    enum leave_reason kick_reason;
    uint32_t kick_event; /* KickNotify's */
    uint64_t kicked_ms;

    /* What it may. */
    struct limit_bucket buckets[LIMITS_OF_SESSION];
    struct flood flood;
    struct migrate migrate;
    uint16_t driveby_ms[GAME_DRIVEBY_COUNT]; /* as its ServerHello has them, each time that it is sent */
    enum session_auth { AUTH_NONE, AUTH_AWAITED, AUTH_ASKED, AUTH_ACCEPTED } auth;
    struct ticket ticket; /* from AUTH_ASKED on */

    /* The newest ack of the client's events in the present egress round; NULL or of an older round: none. */
    uint8_t *ack_packet;
    uint64_t ack_round;

    /* The parcels (route.h) that it was last named in as a teammate, and with a rewind block. */
    uint64_t teammate_in;
    uint64_t rewind_in;
    uint32_t rewind; /* which one */

    struct refusal refusals[SESSION_REFUSALS]; /* a ring */
    uint32_t refusals_count;                   /* of all */
};

struct sessions {
    struct pool pool;
    struct index by_address;
    struct index by_player;
    struct index by_token;
    uint64_t key;
};

/* -1: no memory. */
int sessions_init(struct sessions *sessions, uint32_t capacity, struct rng *rng);
/* Their lanes must have been closed. */
void sessions_fini(struct sessions *sessions);

/* A new session, GREETED. NULL: the table is full. */
struct session *sessions_open(struct sessions *sessions, struct player_ref player,
                              const struct address *address, uint64_t token, uint64_t now_ms);
/* The session must be ENDED. */
void sessions_close(struct sessions *sessions, struct session *session);

struct session *sessions_find_by_token(const struct sessions *sessions, uint64_t token);
/* NULL: no session has this id, or it has another token. */
struct session *sessions_find_by_player(const struct sessions *sessions, struct player_ref player);
struct session *sessions_find_by_id(const struct sessions *sessions, uint32_t player_id);
/* The newest, if several share the address. */
struct session *sessions_find_by_address(const struct sessions *sessions, const struct address *address);
struct session *sessions_get(const struct sessions *sessions, struct pool_ref ref);
/* To walk all of them: the first one not below `index`; INDEX_END is past the last. */
struct session *sessions_next(const struct sessions *sessions, uint32_t *index);

/* The only place that changes a state: stops at a step that is none. */
void session_set_state(struct session *session, enum session_state state);

void sessions_move(struct sessions *sessions, struct session *session, const struct address *to);

/* ---- round trips: ServerKeepalive and ClientPong */

/* Remembers a stamp that is sent now. */
void session_stamp(struct session *session, uint32_t stamp, uint64_t now_ms);
/* False: no such stamp was sent lately, or its pong has come before. */
bool session_pong(struct session *session, uint32_t stamp, uint64_t now_ms);
/* The smoothed round trip, 0 until the first answer. */
uint32_t session_rtt_ms(const struct session *session);

/* ---- scope barriers */

void session_add_barrier(struct session *session, uint32_t event_id);
/* How many of them lie at or below the event. */
uint32_t session_barriers_seen(const struct session *session, uint32_t seen_event);

/* ---- refusals */

void session_add_refusal(struct session *session, uint8_t packet_id, enum reason reason, uint64_t now_ms);

#endif
