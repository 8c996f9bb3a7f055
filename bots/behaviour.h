/* behaviour.h - what a bot does with its client: goes home, walks about, drives a loop, chats, dies now and
 * then.
 *
 * All of it stays within what the server lets a player do (player.md: 60 m/s and 4 m on foot), so that
 * whatever is refused or set back is the server's fault. The same seed makes the same choices; what comes of
 * them depends on the server.
 *
 * A bot's home is the place where it was first spawned until it is given another; it walks and drives around
 * it. */
#ifndef DLMP_BOTS_BEHAVIOUR_H
#define DLMP_BOTS_BEHAVIOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "bots/client.h"
#include "common/random.h"

enum behaviour_kind {
    BEHAVIOUR_LOBBY,   /* connected and never spawned: keepalives alone */
    BEHAVIOUR_IDLE,    /* goes home and stands there: heartbeats alone */
    BEHAVIOUR_WALK,    /* always on its feet, so that every frame differs */
    BEHAVIOUR_DRIVE,   /* in a car whenever one is near and free, otherwise on foot */
    BEHAVIOUR_MIXED,   /* all of it, with rests, chat, commands, rides and deaths */
    BEHAVIOUR_TRAFFIC, /* on foot; the empty cars that it syncs move */
    BEHAVIOUR_TOW,     /* takes a tow truck, and a car on its hook */
    BEHAVIOUR_HELI,    /* takes a helicopter that has a magnet, and a car on it */
    BEHAVIOUR_TRAIN,
    BEHAVIOUR_RC,     /* takes RCs by key */
    BEHAVIOUR_GUNNER, /* takes what has a gun, and fires it */
    BEHAVIOUR_KINDS,
};

/* Ours. */
#define BEHAVIOUR_TRAVEL_M_PER_S 50.0f
#define BEHAVIOUR_RADIUS_M 15.0f /* of the walks around home */

enum behaviour_activity {
    ACTIVITY_GOING_HOME,
    ACTIVITY_WALKING,
    ACTIVITY_RESTING,
    ACTIVITY_APPROACHING, /* a vehicle */
    ACTIVITY_ASKING,      /* for a seat in it */
    ACTIVITY_DRIVING,
    ACTIVITY_STOPPING, /* at the end of the loop, before it gets out */
    ACTIVITY_RIDING,   /* as a passenger */
    ACTIVITY_FETCHING, /* on the way to something to tow or lift */
    ACTIVITY_HITCHING, /* it has asked for that */
    ACTIVITY_LETTING_GO,
};

struct behaviour {
    enum behaviour_kind kind;
    enum behaviour_activity activity;
    struct rng rng;
    uint64_t stepped_ms; /* 0: not yet in this life */
    uint64_t until_ms;   /* the end of what it is doing */
    uint64_t look_ms;    /* when it looks for a vehicle again */
    uint64_t chat_ms;
    uint64_t die_ms;
    uint32_t chat_every_ms; /* on average; 0: never */
    uint32_t grants;        /* of the client, as far as noticed */
    uint32_t denied;        /* of the client, when it asked */
    bool has_home;
    bool is_settled; /* has been home since it was given one */
    float home[3];
    float target[3];
    float speed;
    uint32_t vehicle_id;
    uint32_t load_id;
    uint64_t fires_ms; /* not before */
    uint8_t seat;
    /* The loop: a circle, driven from its start back to it. */
    float start[3];
    float center[2];
    float radius;
    float start_deg; /* heading */
    float turn;      /* +1 left, -1 right */
    float angle;     /* driven so far, radians */
    float angle_end;
};

/* The kind of the next of many, of which so many have been dealt: shared out evenly. */
enum behaviour_kind behaviour_deal(const uint32_t shares[BEHAVIOUR_KINDS], uint32_t dealt[BEHAVIOUR_KINDS]);

void behaviour_init(struct behaviour *behaviour, enum behaviour_kind kind, uint64_t seed,
                    uint32_t chat_every_ms);
void behaviour_set_home(struct behaviour *behaviour, const float home[3]);

/* Moves its client, when that is due. */
void behaviour_tick(struct behaviour *behaviour, struct client *client, uint64_t now_ms);
/* UINT64_MAX: not before the server has sent something. */
uint64_t behaviour_wakes_at(const struct behaviour *behaviour, const struct client *client);

/* "walk"; and the kind of a name. False: there is none. */
const char *behaviour_name(enum behaviour_kind kind);
bool behaviour_parse(const char *name, enum behaviour_kind *kind);

#endif
