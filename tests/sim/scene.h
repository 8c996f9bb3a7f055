/* scene.h - a cluster and a crowd on one clock, and what goes wrong with them. */
#ifndef DLMP_TESTS_SIM_SCENE_H
#define DLMP_TESTS_SIM_SCENE_H

#include "tests/sim/crowd.h"
#include "tests/sim/faults.h"
#include "tests/sim/truth.h"

enum { SCENE_FIRST_MS = 3000 }; /* the coordinator has settled by then */

struct scene {
    struct rng rng;
    struct cluster cluster;
    struct crowd crowd;
    struct faults faults; /* none but those that are drawn */
    bool acts;            /* clients do things of their own accord, and faults happen */
    uint64_t steps;
    struct truth truth; /* when it had settled */
};

struct scene_config {
    uint64_t seed;
    uint32_t shards;
    uint32_t gateways;
    uint32_t clients;
    uint32_t ids_max;  /* of players; 0: for some hundred */
    uint32_t check_ms; /* as cluster.h's */
    bool has_lists;
    bool has_gamemodes;
    struct way way; /* of every client */
    uint64_t start_ms;
    uint64_t first_token;
    uint64_t first_vehicle;
    uint64_t first_fence;
    bool rehearses_wraps;
};

/* The rng of `seed` has been used for nothing else. */
void scene_init(struct scene *scene, const struct scene_config *config);
void scene_fini(struct scene *scene);

/* NULL; or what went wrong meanwhile. */
const char *scene_run(struct scene *scene, uint64_t ms);
/* All knock at once, and are in the world; those who are refused try again. */
const char *scene_fill(struct scene *scene, uint64_t within_ms);
uint64_t scene_age_ms(const struct scene *scene);

/* Everything heals; whoever is out comes back; then all stand still. NULL: the truth holds. It is borrowed
 * until the scene goes. */
const char *scene_settle(struct scene *scene);

/* The log has the time of the scene that ran last. */
void scene_log(void);

#endif
