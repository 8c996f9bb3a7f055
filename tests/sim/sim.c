#include "tests/sim/sim.h"

#include <assert.h>
#include <stdlib.h>

#include "tests/sim/scene.h"

enum { FIRST_WITHIN_MS = 2000, FAULTS_UP_TO = 5 };

/* Clocks and counters as the seed has them: fresh, or shortly before they wrap or change their sign. */
static void draw_start(struct rng *rng, const struct sim_options *options, struct scene_config *config)
{
    static const uint64_t wraps[] = { UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 33 };
    uint64_t wrap = wraps[rng_below(rng, sizeof wraps / sizeof wraps[0])];

    if (rng_chance(rng, 0.5))
        return;
    config->rehearses_wraps = true;
    config->start_ms = wrap - SCENE_FIRST_MS - rng_below(rng, options->busy_ms);
    /* Tokens and vehicle ids have no wrap: they end there, and nothing is handed out then. */
    config->first_token = (UINT64_C(1) << 31) - rng_below(rng, 20);
    config->first_vehicle = (UINT64_C(1) << 31) - rng_below(rng, 20);
    config->first_fence = (UINT64_C(1) << 32) - rng_below(rng, 4);
}

static bool touches_coordinator(const struct faults *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        if (faults->list[i].kind != FAULT_REDIS && faults->list[i].a == COORDINATOR_NODE)
            return true;
    }
    return false;
}

static void draw_faults(struct scene *scene, const struct sim_options *options)
{
    uint64_t from_ms = scene->cluster.now_ms + SCENE_FIRST_MS;
    size_t count = (size_t)rng_below(&scene->rng, FAULTS_UP_TO);

    if (options->is_calm || rng_chance(&scene->rng, 0.25))
        count = 0;
    faults_draw(&scene->faults, &scene->rng, &scene->cluster, count, from_ms, from_ms + options->busy_ms);
    if (count == 0)
        return;
    scene->crowd.may_always = CROWD_MAY(1) | CROWD_MAY(4);
    scene->crowd.ids_are_shared = true;
    scene->crowd.tells_unalike = touches_coordinator(&scene->faults);
}

static void build(struct scene *scene, const struct sim_options *options)
{
    struct scene_config config = {
        .seed = options->seed,
        .shards = options->shards,
        .gateways = options->gateways,
        .clients = options->clients,
        .has_lists = true,
        .has_gamemodes = true,
        .way = { .loss = options->loss, .duplicate = 0.01, .delay_min_ms = 5, .delay_max_ms = 80 },
    };
    struct rng rng;

    rng_init_seeded(&rng, ~options->seed);
    draw_start(&rng, options, &config);
    config.way.keeps_order = rng_chance(&rng, 0.75);
    scene_init(scene, &config);
    draw_faults(scene, options);
    for (uint32_t i = 0; i < options->clients; i++)
        scene->crowd.actors[i].acts_ms =
            scene->cluster.now_ms + SCENE_FIRST_MS + rng_below(&scene->rng, FIRST_WITHIN_MS);
    scene->acts = true;
}

static void count_deeds(const struct scene *scene, struct sim_result *result)
{
    for (uint16_t i = 0; i < scene->cluster.nodes_count; i++) {
        result->deeds += scene->cluster.gamemodes[i].deeds;
        result->refusals += scene->cluster.gamemodes[i].refusals;
    }
    for (uint32_t i = 0; i < scene->crowd.count; i++) {
        const struct client_stats *stats = &scene->crowd.actors[i].client.stats;

        for (int ask = 0; ask < CLIENT_ASKS; ask++) {
            result->asked[ask] += stats->asked[ask];
            result->accepted[ask] += stats->accepted[ask];
        }
    }
}

int sim_run(const struct sim_options *options, struct sim_result *result, FILE *out)
{
    struct scene *scene = calloc(1, sizeof *scene);
    const char *complaint;

    assert(options->shards > 0 && options->gateways > 0);
    if (scene == NULL)
        return -1;
    build(scene, options);
    complaint = scene_run(scene, SCENE_FIRST_MS + options->busy_ms);
    if (complaint == NULL)
        complaint = scene_settle(scene);
    *result = (struct sim_result){ .virtual_ms = scene_age_ms(scene),
                                   .steps = scene->steps,
                                   .datagrams = scene->cluster.datagrams,
                                   .joins = scene->crowd.joins,
                                   .faults = scene->faults.count,
                                   .pairs = scene->truth.pairs,
                                   .vehicles = scene->truth.vehicles };
    count_deeds(scene, result);
    if (complaint != NULL) {
        (void)fprintf(out, "seed %llu at %llu ms: %s\n", (unsigned long long)options->seed,
                      (unsigned long long)result->virtual_ms, complaint);
        faults_print(&scene->faults, &scene->cluster, out);
    }
    scene_fini(scene);
    free(scene);
    return complaint == NULL ? 0 : -1;
}
