#include "tests/sim/scene.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"

enum {
    QUIET_MS = 16 * 1000, /* ours: for what was lost to come again, and for what has left to time out */
    GATHER_MS = 1000,
    GATHERS_MAX = 90,
    IDS_MAX = 1024,
    BACKLOG_MAX = 1 << 20, /* ours: of a few clients' cluster; a thousandth of it is usual */
    FEW_CLIENTS = 64,
};

/* The log asks for the time without saying whose. */
static uint64_t log_now_ms;

static uint64_t now_for_log(void)
{
    return log_now_ms;
}

void scene_log(void)
{
    const struct log_config config = { .process = "sim",
                                       .level = LOG_LEVEL_INFO,
                                       .fd = STDERR_FILENO,
                                       .repeats_max = UINT32_MAX,
                                       .now_ms = now_for_log,
                                       .wall_ms = now_for_log };

    if (log_open(&config) != 0)
        abort();
}

void scene_init(struct scene *scene, const struct scene_config *config)
{
    uint32_t players_max = config->clients < FEW_CLIENTS ? 4 * FEW_CLIENTS : config->clients;
    struct cluster_config cluster = { .start_ms = config->start_ms == 0 ? 1000 : config->start_ms,
                                      .shards = config->shards,
                                      .gateways = config->gateways,
                                      .players_max = players_max,
                                      .ids_max = config->ids_max == 0 ? IDS_MAX : config->ids_max,
                                      .has_gamemodes = config->has_gamemodes,
                                      .check_ms = config->check_ms,
                                      .first_token = config->first_token,
                                      .first_vehicle = config->first_vehicle,
                                      .first_fence = config->first_fence,
                                      .arrived = crowd_arrived,
                                      .way = crowd_way,
                                      .context = &scene->crowd };

    *scene = (struct scene){ 0 };
    rng_init_seeded(&scene->rng, config->seed);
    cluster_open(&scene->cluster, &cluster, &scene->rng);
    scene->cluster.bus = (struct way){ .loss = 0.002, .delay_max_ms = 3 };
    crowd_init(&scene->crowd, &scene->cluster, &scene->rng, config->clients, config->has_lists,
               config->rehearses_wraps);
    scene->crowd.way = config->way;
}

void scene_fini(struct scene *scene)
{
    crowd_fini(&scene->crowd);
    cluster_close(&scene->cluster);
}

uint64_t scene_age_ms(const struct scene *scene)
{
    return scene->cluster.now_ms - scene->cluster.config.start_ms;
}

static uint64_t next_moment(const struct scene *scene)
{
    uint64_t next_ms = cluster_wakes_at(&scene->cluster);
    uint64_t crowd_ms = crowd_wakes_at(&scene->crowd, scene->acts);
    uint64_t fault_ms = scene->acts ? faults_wake_at(&scene->faults) : UINT64_MAX;

    next_ms = crowd_ms < next_ms ? crowd_ms : next_ms;
    next_ms = fault_ms < next_ms ? fault_ms : next_ms;
    return next_ms > scene->cluster.now_ms ? next_ms : scene->cluster.now_ms + 1;
}

const char *scene_run(struct scene *scene, uint64_t ms)
{
    uint64_t end_ms = scene->cluster.now_ms + ms;

    while (scene->cluster.now_ms < end_ms) {
        uint64_t next_ms = next_moment(scene);
        const char *complaint;

        cluster_run(&scene->cluster, next_ms < end_ms ? next_ms : end_ms);
        log_now_ms = scene_age_ms(scene);
        if (scene->acts)
            faults_run(&scene->faults, &scene->cluster);
        crowd_run(&scene->crowd, scene->acts);
        scene->steps++;
        complaint = crowd_complaint(&scene->crowd);
        if (complaint != NULL)
            return complaint;
        if (scene->crowd.count <= FEW_CLIENTS && scene->cluster.backlog_max > BACKLOG_MAX)
            return "the queue of a link grows without need";
    }
    return NULL;
}

const char *scene_fill(struct scene *scene, uint64_t within_ms)
{
    const char *complaint = scene_run(scene, SCENE_FIRST_MS);

    for (uint64_t ms = 0; complaint == NULL && !crowd_gather(&scene->crowd); ms += GATHER_MS / 4) {
        if (ms >= within_ms)
            return "not all are in the world in time";
        complaint = scene_run(scene, GATHER_MS / 4);
    }
    return complaint;
}

const char *scene_settle(struct scene *scene)
{
    const char *complaint = NULL;
    int rounds = 0;

    cluster_rest_gamemodes(&scene->cluster);
    cluster_heal(&scene->cluster);
    scene->cluster.bus.loss = 0.0;
    scene->crowd.way = (struct way){ .delay_min_ms = 5, .delay_max_ms = 20, .keeps_order = true };
    scene->acts = false;
    do {
        for (; complaint == NULL && rounds < GATHERS_MAX && !crowd_gather(&scene->crowd); rounds++)
            complaint = scene_run(scene, GATHER_MS);
        if (complaint == NULL)
            complaint = scene_run(scene, QUIET_MS);
    } while (complaint == NULL && !crowd_gather(&scene->crowd) && rounds < GATHERS_MAX);
    if (complaint == NULL && !truth_holds(&scene->truth, &scene->crowd))
        complaint = scene->truth.wrong;
    return complaint;
}
