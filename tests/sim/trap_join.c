#include <stdlib.h>

#include "tests/sim/scene.h"
#include "tests/sim/trap.h"

static const struct way lossy = {
    .loss = 0.03, .duplicate = 0.01, .delay_min_ms = 5, .delay_max_ms = 80, .keeps_order = true
};

/* ---- two joins, one id */

static int by_id(const void *a, const void *b)
{
    const struct stay *first = a, *second = b;

    return (first->id > second->id) - (first->id < second->id);
}

/* Nobody has left yet, so no id can be anybody's twice; that tokens are not, and grow, the crowd sees. */
static bool ids_are_unique(struct trap_run *run, const struct crowd *crowd)
{
    qsort(crowd->stays, crowd->stays_count, sizeof crowd->stays[0], by_id);
    for (size_t i = 1; i < crowd->stays_count; i++) {
        if (crowd->stays[i].id == crowd->stays[i - 1].id)
            return trap_fails(run, "the id %u is two players'", crowd->stays[i].id);
    }
    return true;
}

/* Everybody knocks at the same moment, at four gateways, and hears no more than its ServerHello. */
bool trap_joins(struct trap_run *run)
{
    const struct scene_config config = { .seed = run->seed,
                                         .shards = 2,
                                         .gateways = 4,
                                         .clients = run->is_whole ? 10000 : 400,
                                         .ids_max = 32768,
                                         .check_ms = 1000,
                                         .way = lossy };
    struct scene *scene = calloc(1, sizeof *scene);
    const char *complaint;
    bool is_right;

    if (scene == NULL)
        abort();
    scene_init(scene, &config);
    scene->crowd.dies_when_in = true;
    complaint = scene_run(scene, SCENE_FIRST_MS);
    for (uint32_t i = 0; i < config.clients; i++)
        actor_knock(&scene->crowd.actors[i], false);
    for (int i = 0; complaint == NULL && i < 80 && scene->crowd.stays_count < config.clients; i++)
        complaint = scene_run(scene, 100);
    (void)snprintf(run->figures, sizeof run->figures, "%zu players of %u in %llu ms",
                   scene->crowd.stays_count, config.clients,
                   (unsigned long long)(scene_age_ms(scene) - SCENE_FIRST_MS));
    if (complaint != NULL)
        is_right = trap_fails(run, "%s", complaint);
    else if (scene->crowd.stays_count < config.clients)
        is_right = trap_fails(run, "only %zu have come in", scene->crowd.stays_count);
    else
        is_right = ids_are_unique(run, &scene->crowd);
    scene_fini(scene);
    free(scene);
    return is_right;
}

/* ---- a join is a burst */

static uint64_t limited(const struct cluster *cluster)
{
    static const enum reason reasons[] = { REASON_LIMIT_DATAGRAMS, REASON_LIMIT_PLAYER_SYNC,
                                           REASON_LIMIT_RELIABLE,  REASON_LIMIT_ACKS,
                                           REASON_LIMIT_HELLO,     REASON_CHALLENGE_BUDGET };
    uint64_t count = 0;

    for (uint16_t i = cluster->first_gateway; i < cluster->nodes_count; i++) {
        for (size_t j = 0; j < sizeof reasons / sizeof reasons[0]; j++)
            count += gateway_stats(cluster->gateways[i])->drops[reasons[j]];
    }
    return count;
}

static uint64_t ended(const struct cluster *cluster)
{
    uint64_t count = 0;

    for (uint16_t i = cluster->first_gateway; i < cluster->nodes_count; i++) {
        const struct gateway_stats *stats = gateway_stats(cluster->gateways[i]);

        for (size_t j = 0; j < sizeof stats->sessions_closed / sizeof stats->sessions_closed[0]; j++)
            count += stats->sessions_closed[j];
    }
    return count;
}

bool trap_burst(struct trap_run *run)
{
    const struct scene_config config = { .seed = run->seed,
                                         .shards = 2,
                                         .gateways = 2,
                                         .clients = run->is_whole ? 500 : 100,
                                         .ids_max = 4096,
                                         .check_ms = 500,
                                         .way = lossy };
    struct scene *scene = calloc(1, sizeof *scene);
    const char *complaint;

    if (scene == NULL)
        abort();
    scene_init(scene, &config);
    complaint = scene_fill(scene, 15000);
    if (complaint == NULL)
        complaint = scene_run(scene, run->is_whole ? 4000 : 2000);
    (void)snprintf(run->figures, sizeof run->figures, "%u in the world in %llu ms, %llu datagrams limited",
                   config.clients, (unsigned long long)(scene_age_ms(scene) - SCENE_FIRST_MS),
                   (unsigned long long)limited(&scene->cluster));
    if (complaint != NULL)
        (void)trap_fails(run, "%s", complaint);
    else if (ended(&scene->cluster) != 0)
        (void)trap_fails(run, "%llu connections were ended", (unsigned long long)ended(&scene->cluster));
    else if (limited(&scene->cluster) != 0)
        (void)trap_fails(run, "a limit holds honest clients back");
    scene_fini(scene);
    free(scene);
    return run->wrong[0] == '\0';
}

/* ---- the old session lives on */

/* How long each is gone, and how it comes back: from its port, from another, at another gateway. */
static const uint64_t gone_ms[] = {
    100, 500, 1000, 1900, 2100, 4000, 9000, 9900, 10100, 11000, 15000, 20000
};
enum { DELAYS = sizeof gone_ms / sizeof gone_ms[0], MANNERS = 3, WATCHERS = 4, ONCE_MS = 4000, STEP_MS = 50 };

struct returner {
    uint64_t back_ms;
    uint64_t in_ms; /* 0: not yet */
};

static uint32_t times_seen(const struct crowd *crowd, const struct client *viewer, uint16_t actor)
{
    uint32_t count = 0;

    for (size_t i = 0; i < crowd->stays_count; i++) {
        const struct stay *stay = &crowd->stays[i];

        count += stay->actor == actor && client_sees(viewer, stay->id, stay->token);
    }
    return count;
}

static void come_back(struct actor *actor, uint32_t manner)
{
    const struct cluster *cluster = actor->crowd->cluster;

    uint32_t gateway = actor->gateway - cluster->first_gateway + 1U;

    if (manner == 2 && actor->is_gone)
        actor->gateway = (uint16_t)(cluster->first_gateway + gateway % cluster->config.gateways);
    actor_knock(actor, manner != 0 && actor->is_gone);
}

/* Once it has been back for a while nobody sees it twice. */
static const char *step(struct scene *scene, struct returner *returners)
{
    struct crowd *crowd = &scene->crowd;
    uint64_t now_ms = scene->cluster.now_ms;

    for (uint32_t i = 0; i < crowd->count - WATCHERS; i++) {
        struct actor *actor = &crowd->actors[i];
        struct returner *returner = &returners[i];
        bool is_out = actor->is_gone || actor->client.state == CLIENT_CLOSED;

        if (is_out && now_ms >= returner->back_ms) {
            come_back(actor, i % MANNERS);
            returner->back_ms = now_ms + 400;
        }
        if (returner->in_ms == 0 && actor_is_in(actor) && now_ms >= returner->back_ms)
            returner->in_ms = now_ms;
        for (uint32_t j = 0; returner->in_ms != 0 && now_ms >= returner->in_ms + ONCE_MS && j < crowd->count;
             j++) {
            const struct actor *viewer = &crowd->actors[j];

            if (viewer != actor && actor_is_in(viewer) &&
                times_seen(crowd, &viewer->client, actor->number) > 1)
                return "one who died and came back is there twice";
        }
    }
    return scene_run(scene, STEP_MS);
}

bool trap_rejoin(struct trap_run *run)
{
    const struct scene_config config = { .seed = run->seed,
                                         .shards = 2,
                                         .gateways = 2,
                                         .clients = DELAYS * MANNERS + WATCHERS,
                                         .check_ms = run->is_whole ? 0 : 200,
                                         .has_lists = true,
                                         .way = lossy };
    struct returner returners[DELAYS * MANNERS] = { 0 };
    struct scene *scene = calloc(1, sizeof *scene);
    const char *complaint;
    uint64_t end_ms;

    if (scene == NULL)
        abort();
    scene_init(scene, &config);
    complaint = scene_fill(scene, 15000);
    for (uint32_t i = 0; i < DELAYS * MANNERS; i++) {
        actor_die_hard(&scene->crowd.actors[i]);
        returners[i].back_ms = scene->cluster.now_ms + gone_ms[i / MANNERS];
    }
    for (end_ms = scene->cluster.now_ms + gone_ms[DELAYS - 1] + 8000;
         complaint == NULL && scene->cluster.now_ms < end_ms;)
        complaint = step(scene, returners);
    if (complaint == NULL)
        complaint = scene_settle(scene);
    (void)snprintf(run->figures, sizeof run->figures, "%d died hard, %zu players in all", DELAYS * MANNERS,
                   scene->crowd.stays_count);
    if (complaint != NULL)
        (void)trap_fails(run, "%s", complaint);
    scene_fini(scene);
    free(scene);
    return complaint == NULL;
}
