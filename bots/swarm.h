/* swarm.h - many bots at once: who joins when, where each lives, how long it goes on, and what came of it.
 *
 * A core: datagrams, the time and the moment of their receipt go in; datagrams go out through `send`. The
 * shell owns the sockets, one a bot.
 *
 * A run has four phases. The bots join at a rate, and go to their homes as soon as they are spawned. Once
 * each is in or has been turned away, the last ones are waited for. When all have arrived, the measured time
 * begins: latency and rates are taken then, violations always. At the end all say goodbye. */
#ifndef DLMP_BOTS_SWARM_H
#define DLMP_BOTS_SWARM_H

#include <stdbool.h>
#include <stdint.h>

#include "bots/behaviour.h"
#include "bots/check.h"
#include "bots/client.h"
#include "bots/report.h"

/* Ours. */
enum {
    SWARM_JOIN_WAIT_MS = 30 * 1000,    /* for the last ones, before the others go on without them */
    SWARM_SETTLE_WAIT_MS = 120 * 1000, /* likewise: across the whole map at 50 m/s and more */
    SWARM_SETTLED_MS = 1000,           /* from the last arrival to the measured time */
    SWARM_GOODBYE_MS = 300,            /* what is still under way is heard out */
};

enum swarm_spread {
    SWARM_SPREAD_NONE,    /* around where each was spawned */
    SWARM_SPREAD_CLUSTER, /* all of a scope within a few steps of each other */
    SWARM_SPREAD_AREA,    /* so that each sees `neighbours` others on average */
    SWARM_SPREADS,
};

struct swarm_config {
    uint32_t bots;
    double joins_per_s;
    uint64_t time_ms; /* measured; 0: until it is stopped */
    uint64_t seed;
    uint32_t frames_per_s;
    uint32_t shares[BEHAVIOUR_KINDS]; /* of each behaviour among the bots; not all 0 */
    enum swarm_spread spread;
    uint32_t neighbours;
    uint32_t chat_every_ms;
    uint32_t stay_ms; /* on average, until a bot leaves and comes back as somebody else; 0: to the end */
    bool is_lossy;    /* the shell loses datagrams on purpose */
    bool is_in_order; /* the way keeps the order of datagrams: client.h */
    bool allows_rejects;
    bool allows_refusals; /* the gamemode may refuse what clients ask for, as it likes */
    const char *name;     /* of each, before its number */
    const char *password;
};

struct swarm_io {
    void *context;
    /* Sends it. When it left, in ns of the clock that stamps what is received; 0: it did not. */
    uint64_t (*send)(void *context, uint32_t bot, struct span datagram);
    /* The bot goes on from another port. */
    void (*reopen)(void *context, uint32_t bot);
};

enum swarm_phase { SWARM_JOINING, SWARM_SETTLING, SWARM_MEASURING, SWARM_LEAVING, SWARM_DONE };

struct swarm;

struct swarm *swarm_new(const struct swarm_config *config, const struct swarm_io *io, uint64_t now_ms);
void swarm_free(struct swarm **swarm);

/* Hands a bot its datagrams, and then says that these were all for now. The stamp: when it was received; 0:
 * unknown. */
void swarm_on_datagram(struct swarm *swarm, uint64_t now_ms, uint32_t bot, struct span datagram,
                       uint64_t stamp_ns);
void swarm_flush(struct swarm *swarm, uint64_t now_ms, uint32_t bot);
void swarm_tick(struct swarm *swarm, uint64_t now_ms);
uint64_t swarm_wakes_at(const struct swarm *swarm);
/* Ends early: says goodbye. */
void swarm_stop(struct swarm *swarm, uint64_t now_ms);

enum swarm_phase swarm_phase(const struct swarm *swarm);
/* Fills in all that the swarm knows of; the shell adds what only it knows. */
void swarm_report(const struct swarm *swarm, uint64_t now_ms, struct report *report);

const char *swarm_phase_name(enum swarm_phase phase);
bool swarm_spread_parse(const char *name, enum swarm_spread *spread);

#endif
