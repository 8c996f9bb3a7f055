/* swarm_inside.h - what the parts of a swarm are to each other; nobody else's business.
 *
 * swarm.c has the phases and what the shell calls; swarm_bot.c has the life of one bot. */
#ifndef DLMP_BOTS_SWARM_INSIDE_H
#define DLMP_BOTS_SWARM_INSIDE_H

#include "bots/swarm.h"

enum { SCOPES_MAX = 64 }; /* ours: bots of further ones stay where they are spawned */

struct bot {
    struct swarm *swarm;
    struct client client;
    struct behaviour behaviour;
    uint32_t number;
    uint64_t starts_ms;
    uint64_t leaves_ms;  /* UINT64_MAX: when all do */
    uint64_t complaints; /* of its client, as far as noted */
    uint32_t lives;      /* how often it has joined */
    bool is_started;
    bool was_open;   /* as far as noticed, in this life */
    bool was_opened; /* in any */
    bool was_spawned;
    bool is_over; /* its end has been counted */
    char name[CLIENT_NAME_MAX + 1];
};

struct scope {
    uint32_t virtual_world;
    uint8_t interior;
    uint32_t homes; /* handed out */
    float center[3];
};

struct swarm {
    struct swarm_config config;
    struct swarm_io io;
    struct rng rng;
    enum swarm_phase phase;
    uint64_t begun_ms;
    uint64_t phase_ms;    /* when the phase began */
    uint64_t settled_ms;  /* when all were seen at home; 0: not yet */
    uint64_t measured_ms; /* how long, once it is over */
    bool was_stopped;
    bool is_unsettled;
    struct scope scopes[SCOPES_MAX];
    uint32_t scopes_count;
    float radius_m; /* of the disc they live on */
    struct bot *bots;
    uint64_t *wakes_ms; /* of each bot: the one array that every tick goes through */
    uint64_t next_ms;   /* not after the earliest of them */
    struct check check;

    uint64_t stamp_ns;        /* of the datagram that is being handed on */
    struct client_stats gone; /* of clients that are no more */
    struct client_stats from; /* of all, when the measured time began, and when it ended */
    struct client_stats to;
    uint64_t views_from;
    uint64_t observers_from;
    uint64_t joins;
    uint64_t rejected[REPORT_REJECTS];
    uint64_t kicked[REPORT_LEAVES];
    uint64_t no_answer;
    uint64_t silence;
};

/* Does what is due: begins, moves, leaves and comes back. */
void bot_tick(struct bot *bot, uint64_t now_ms);
/* What has become of the client since the last look: to be called whenever it has been handed something. */
void bot_notice(struct bot *bot, uint64_t now_ms);
/* Notes when it wakes. */
void bot_wakes(struct bot *bot);
/* Keeps for people what the client has just complained of. */
void bot_note_complaint(struct bot *bot, struct span datagram);

#endif
