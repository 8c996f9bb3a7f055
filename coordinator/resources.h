/* resources.h - what operators want of the gamemode's resources, and how these stand on each shard.
 *
 * An order goes to every shard that is up, at once, and each answers when it has carried it out or says why
 * not; the last orders are kept with their answers, for the operator to ask about. Once a shard has done what
 * a start or a stop wanted, that is the cluster's wish: whichever shard comes later is told it, since its own
 * settings know nothing of it. */
#ifndef DLMP_COORDINATOR_RESOURCES_H
#define DLMP_COORDINATOR_RESOURCES_H

#include "coordinator/core.h"

enum {
    RESOURCES_WISHES_MAX = 256, /* ours: more than a shard can run */
    RESOURCES_ORDERS_MAX = 16,  /* ours: whose answers are kept; a command waits 5 s for them */
};

struct resource_wish {
    char name[GAME_RESOURCE_MAX + 1];
    bool runs;
    uint64_t order;    /* that wished it last; 0: one of a former coordinator */
    uint64_t compared; /* the comparison with Redis that saw it last */
};

struct resource_answer {
    uint16_t shard; /* in the registry */
    uint64_t boot;  /* of it */
    enum resource_answer_state { ANSWER_AWAITED, ANSWER_DONE, ANSWER_REFUSED } state;
    char error[GAME_RESOURCE_ERROR_MAX + 1];
};

struct resource_order {
    uint64_t number; /* 0: none */
    Bus__ResourceOrder__Op op;
    char name[GAME_RESOURCE_MAX + 1];
    struct resource_answer *answers;
    size_t answers_count;
};

/* All resources of a shard, as it has said last. */
struct resource_report {
    uint64_t boot; /* of the shard */
    size_t count;
    struct resource_state {
        char name[GAME_RESOURCE_MAX + 1];
        Bus__ResourceState__Stands stands;
        char error[GAME_RESOURCE_ERROR_MAX + 1];
    } resources[];
};

struct resources {
    struct resource_wish wishes[RESOURCES_WISHES_MAX]; /* by their age */
    size_t wishes_count;
    struct resource_order orders[RESOURCES_ORDERS_MAX];
    uint64_t last_order;
    struct resource_report *reports[PROCESSES_MAX]; /* NULL: it has said nothing */
};

void resources_fini(struct resources *resources);

/* NULL: there was none, or it was long ago. */
const struct resource_order *resources_find_order(const struct resources *resources, uint64_t number);
/* What a shard that is up has said of its resources; NULL: nothing. */
const struct resource_report *resources_report_of(const struct coordinator *coordinator, uint16_t shard);

/* From a shard. */
void resources_on_report(struct coordinator *coordinator, uint16_t shard, const Bus__ResourceReport *from);
/* The wishes, for a shard that has just come up. */
void resources_tell_all(struct coordinator *coordinator, uint16_t shard);

/* What is stored of the wish, and whether there is none. */
bool resources_fill(const struct coordinator *coordinator, const char *name, struct stored_wish *wish);
void resources_restore(struct coordinator *coordinator, const struct storage_loaded *loaded);
void resources_compare(struct coordinator *coordinator, const struct storage_loaded *loaded);

#endif
