#include <stdlib.h>

#include "tests/sim/scene.h"
#include "tests/sim/trap.h"

enum {
    WAY_MAX_MS = 60,
    SHARE_MS = 10, /* of the bus there and back, and a millisecond's grain */
    DEAF_MS = 16 * 1000,
};

/* One that loses most of what it is sent and one that never acks: nobody else notices, and the deaf one is
 * sent away for it. */
bool trap_slow(struct trap_run *run)
{
    static const struct way lossy = {
        .loss = 0.6, .delay_min_ms = 5, .delay_max_ms = WAY_MAX_MS, .keeps_order = true
    };
    const struct scene_config config = {
        .seed = run->seed,
        .shards = 2,
        .gateways = 2,
        .clients = run->is_whole ? 500 : 30,
        .ids_max = 4096,
        .check_ms = run->is_whole ? 1000 : 0,
        .way = { .delay_min_ms = 5, .delay_max_ms = WAY_MAX_MS, .keeps_order = true }
    };
    struct scene *scene = calloc(1, sizeof *scene);
    struct actor *slow, *deaf;
    size_t stays;
    const char *complaint;

    if (scene == NULL)
        abort();
    scene_init(scene, &config);
    scene->cluster.bus.loss = 0.0;
    scene->crowd.may_always = CROWD_MAY(1); /* the two; of the others it is looked at below */
    complaint = scene_fill(scene, 15000);
    slow = &scene->crowd.actors[0];
    deaf = &scene->crowd.actors[1];
    slow->way = &lossy;
    deaf->way = &config.way;
    deaf->acks_nothing = true;
    stays = scene->crowd.stays_count;
    scene->crowd.measures = true;
    /* The chat gives the deaf one something to ack. */
    for (uint32_t ms = 0; complaint == NULL && ms < DEAF_MS + 1000; ms += 1000) {
        (void)client_chat(&scene->crowd.actors[2].client, scene->cluster.now_ms, "is anybody there");
        complaint = scene_run(scene, 1000);
    }
    (void)snprintf(run->figures, sizeof run->figures,
                   "%u clients, the latest relay to the others after %llu ms, the deaf one out: %s",
                   config.clients, (unsigned long long)scene->crowd.latency_max_ms,
                   deaf->client.kicked != 0 || !actor_is_open(deaf) ? "told" : "silent");
    if (complaint != NULL)
        (void)trap_fails(run, "%s", complaint);
    else if (scene->crowd.latency_max_ms == 0 || scene->crowd.latency_max_ms > 2 * WAY_MAX_MS + SHARE_MS)
        (void)trap_fails(run, "a relay to a good client took %llu ms",
                         (unsigned long long)scene->crowd.latency_max_ms);
    else if (scene->crowd.stays_count != stays)
        (void)trap_fails(run, "somebody had to come in again");
    else if (coordinator_find(scene->cluster.coordinator, deaf->name) != NULL)
        (void)trap_fails(run, "the one that never acks is still there");
    for (uint32_t i = 2; i < config.clients && run->wrong[0] == '\0'; i++) {
        if (!actor_is_in(&scene->crowd.actors[i]))
            (void)trap_fails(run, "%s was sent away", scene->crowd.actors[i].name);
    }
    scene_fini(scene);
    free(scene);
    return run->wrong[0] == '\0';
}
