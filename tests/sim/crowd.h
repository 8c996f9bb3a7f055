/* crowd.h - the clients of the simulated cluster, and what each of them must and must not be told.
 *
 * The bots' client core plays each of them and checks what one client can see by itself. Here is what takes
 * the truth about all: tokens are nobody's twice and only grow, a player leaves for a reason that it had, and
 * each client's list of players is who is there.
 *
 * Clients leave, die, come back from the same port or another one, at the same gateway or another one, and
 * die hard: such a one neither says nor hears anything, until it comes back as a new process. */
#ifndef DLMP_TESTS_SIM_CROWD_H
#define DLMP_TESTS_SIM_CROWD_H

#include "bots/behaviour.h"
#include "bots/client.h"
#include "tests/sim/cluster.h"

enum {
    CROWD_COMPLAINT_SIZE = 200,
    CROWD_LIST_MAX = 1024, /* player ids that a list is kept of */
    CROWD_SENT = 64,
};

/* As a bit of a stay's reasons. */
#define CROWD_MAY(reason) ((uint8_t)(1U << (reason)))

struct crowd;

struct actor {
    struct crowd *crowd;
    struct client client;
    struct behaviour behaviour;
    uint16_t number;
    uint16_t port;
    uint16_t gateway;               /* its node */
    bool is_gone;                   /* its process has died */
    uint32_t sent_seqs[CROWD_SENT]; /* frames, and when they left */
    uint64_t sent_ms[CROWD_SENT];
    bool is_driver;   /* behaviour.h plays it; the others jump about */
    uint64_t acts_ms; /* when it does the next thing */
    char name[24];
    const struct way *way; /* NULL: as all others */
    bool acks_nothing;

    uint64_t hello_order;  /* of the ServerHello that it came in with */
    uint32_t floor;        /* the highest token that anybody had when it knocked */
    uint32_t player_token; /* of its last stay; 0: none yet */
    size_t stay;           /* in crowd.stays */
    uint32_t *list;        /* player tokens by id, as told; NULL: not kept */
};

/* A player that somebody was. */
struct stay {
    uint32_t id;
    uint32_t token;
    uint16_t actor;
    uint8_t may;  /* reasons to leave that it has had, as bits */
    uint8_t told; /* the reason that somebody was told, as a bit */
    uint64_t told_ms;
};

struct crowd {
    struct cluster *cluster;
    struct rng *rng;
    struct way way;
    struct actor *actors;
    uint32_t count;
    struct stay *stays; /* by rising token, nearly */
    size_t stays_count;
    size_t stays_capacity;
    uint32_t highest_token;
    uint32_t joins;
    uint8_t may_always;   /* reasons that any player may leave for: there are faults */
    bool ids_are_shared;  /* faults may leave an id with two clients for a while */
    bool tells_unalike;   /* a coordinator that dies may tell some one reason, the next one others another */
    bool rehearses_wraps; /* sequences begin shortly before they wrap */
    bool dies_when_in;    /* each dies hard with its ServerHello */
    bool measures;
    uint64_t
        latency_max_ms; /* from a frame's leaving to its relay's coming, among those with the usual way */
    char complaint[CROWD_COMPLAINT_SIZE];
};

/* As many clients, spread over the gateways. The cluster's config must have crowd_arrived and crowd_way, with
 * the crowd as context. */
void crowd_init(struct crowd *crowd, struct cluster *cluster, struct rng *rng, uint32_t count, bool has_lists,
                bool rehearses_wraps);
void crowd_fini(struct crowd *crowd);

void crowd_arrived(void *context, const struct message *message);
const struct way *crowd_way(void *context, uint16_t client);

/* Knocks at its gateway, from a new port or the former one. */
void actor_knock(struct actor *actor, bool new_port);
void actor_leave(struct actor *actor);
void actor_die_hard(struct actor *actor);
bool actor_is_in(const struct actor *actor); /* spawned and alive */
bool actor_is_open(const struct actor *actor);

/* Everybody's time passes; with `acts` they do things of their own accord. */
void crowd_run(struct crowd *crowd, bool acts);
uint64_t crowd_wakes_at(const struct crowd *crowd, bool acts);
/* Whoever is out and could come in knocks. True: all are in. */
bool crowd_gather(struct crowd *crowd);

/* NULL: nobody has seen anything that a correct cluster never does. */
const char *crowd_complaint(struct crowd *crowd);

#endif
