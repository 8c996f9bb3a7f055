#include <stdlib.h>

#include "tests/sim/scene.h"
#include "tests/sim/trap.h"

/* Nodes of a cluster with two shards and two gateways. */
enum { SHARD_1 = 1, GATEWAY_1 = 3 };
enum { CLIENTS = 8 };

static const struct way good = { .delay_min_ms = 5, .delay_max_ms = 40, .keeps_order = true };

static struct scene *open_scene(uint64_t seed, uint32_t clients, const struct way *way)
{
    const struct scene_config config = {
        .seed = seed, .shards = 2, .gateways = 2, .clients = clients, .has_lists = true, .way = *way
    };
    struct scene *scene = calloc(1, sizeof *scene);

    if (scene == NULL)
        abort();
    scene_init(scene, &config);
    return scene;
}

static void close_scene(struct scene *scene)
{
    scene_fini(scene);
    free(scene);
}

static uint16_t shard_of(const struct actor *actor)
{
    return (uint16_t)(SHARD_1 + actor->client.virtual_world % 2);
}

/* ---- who is alive, by whom: every reason to leave, with the bus cut at that moment */

enum cut { CUT_GATEWAY_SHARD, CUT_GATEWAY_COORDINATOR, CUT_SHARD_COORDINATOR, CUTS };
static const char *const cut_names[] = { "gateway and shard", "gateway and coordinator",
                                         "shard and coordinator" };
static const uint64_t cut_ms[] = { 1000, 5000, 12000 };
enum { LENGTHS = sizeof cut_ms / sizeof cut_ms[0] };
enum {
    LEASE_MS = 14 * 1000, /* 10 s of silence, 2 s until a process is missed, and the bus */
    DEAF_MS = 15 * 1000 - 100,
    SILENT_MS = 2100,
};

static void quit(struct scene *scene, struct actor *actor)
{
    (void)scene;
    actor_leave(actor);
}

static void die(struct scene *scene, struct actor *actor)
{
    (void)scene;
    actor_die_hard(actor);
}

static void reconnect(struct scene *scene, struct actor *actor)
{
    (void)scene;
    actor_knock(actor, false);
}

static void return_from_elsewhere(struct scene *scene, struct actor *actor)
{
    (void)scene;
    actor_knock(actor, true);
}

static void kick(struct scene *scene, struct actor *actor)
{
    (void)coordinator_kick(scene->cluster.coordinator, scene->cluster.now_ms,
                           (struct member_ref){ actor->client.player_id, 0 }, "out");
}

static void ban(struct scene *scene, struct actor *actor)
{
    struct ban_subject subject;

    (void)ban_subject_of_name(&subject, actor->name);
    (void)coordinator_list_add(scene->cluster.coordinator, scene->cluster.now_ms, STORAGE_BANNED, &subject,
                               LEASE_MS, "out");
}

static void drain(struct scene *scene, struct actor *actor)
{
    gateway_drain(scene->cluster.gateways[actor->gateway], scene->cluster.now_ms, "down");
}

static void kill_shard(struct scene *scene, struct actor *actor)
{
    cluster_kill(&scene->cluster, shard_of(actor));
}

static void wait(struct scene *scene, struct actor *actor)
{
    (void)scene;
    (void)actor; /* the server has had enough of its silence about acks */
}

static const struct ending {
    const char *name;
    void (*end)(struct scene *scene, struct actor *actor);
    uint64_t silent_ms; /* before the end the client has died, for so long */
    uint64_t deaf_ms;   /* it has acked nothing for so long */
} endings[] = {
    { "a goodbye", quit, 0, 0 },
    { "a hard death", die, 0, 0 },
    { "a reconnect", reconnect, 0, 0 },
    { "a return", return_from_elsewhere, SILENT_MS, 0 },
    { "a kick", kick, 0, 0 },
    { "a ban", ban, 0, 0 },
    { "a drain", drain, 0, 0 },
    { "its shard's death", kill_shard, 0, 0 },
    { "no ack for 15 s", wait, 0, DEAF_MS },
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

static bool is_seen(const struct crowd *crowd, const struct stay *stay)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct actor *viewer = &crowd->actors[i];

        if (!actor_is_in(viewer))
            continue;
        if (client_sees(&viewer->client, stay->id, stay->token) || viewer->list[stay->id] == stay->token)
            return true;
    }
    return false;
}

static bool is_member(const struct cluster *cluster, const struct stay *stay, const char *name)
{
    const struct member *member = coordinator_find(cluster->coordinator, name);

    return member != NULL && member->ref.token == stay->token;
}

static void cut_at(struct cluster *cluster, const struct actor *actor, enum cut cut, uint64_t ms)
{
    static const bool has_gateway[CUTS] = { true, true, false };
    uint16_t a = has_gateway[cut] ? actor->gateway : shard_of(actor);
    uint16_t b = cut == CUT_GATEWAY_SHARD ? shard_of(actor) : COORDINATOR_NODE;

    cluster_cut(cluster, a, b, cluster->now_ms + ms);
}

static const char *run_ending(struct scene *scene, const struct ending *ending, enum cut cut, uint64_t ms)
{
    struct crowd *crowd = &scene->crowd;
    struct actor *actor = &crowd->actors[0];
    struct stay stay;
    uint16_t gateway;
    const char *complaint = scene_fill(scene, 10000);

    gateway = actor->gateway;
    stay = crowd->stays[actor->stay];
    if (ending->silent_ms > 0)
        actor_die_hard(actor);
    actor->acks_nothing = ending->deaf_ms > 0;
    if (actor->acks_nothing)
        (void)client_chat(&actor->client, scene->cluster.now_ms, "hello");
    if (complaint == NULL && ending->silent_ms + ending->deaf_ms > 0)
        complaint = scene_run(scene, ending->silent_ms + ending->deaf_ms);
    cut_at(&scene->cluster, actor, cut, ms);
    ending->end(scene, actor);
    /* Nobody acts meanwhile: whoever is sent away stays out. */
    if (complaint == NULL)
        complaint = scene_run(scene, (ms > 2000 ? ms : 0) + LEASE_MS);
    if (complaint == NULL && is_seen(crowd, &stay))
        complaint = "somebody still sees or lists the player";
    if (complaint == NULL && is_member(&scene->cluster, &stay, actor->name))
        complaint = "the coordinator still has the player";
    actor->acks_nothing = false;
    /* A gateway that has drained lets nobody in any more: it starts anew. */
    if (ending->end == drain)
        cluster_kill(&scene->cluster, gateway);
    return complaint == NULL ? scene_settle(scene) : complaint;
}

bool trap_ends(struct trap_run *run)
{
    uint64_t count = 0;

    for (size_t i = 0; i < ENDINGS; i++) {
        for (int cut = 0; cut < CUTS; cut++) {
            for (size_t length = 0; length < LENGTHS; length++) {
                struct scene *scene;
                const char *complaint;

                if (!run->is_whole && (i + (size_t)cut + run->seed) % LENGTHS != length)
                    continue;
                scene = open_scene(run->seed + i, CLIENTS, &good);
                scene->crowd.may_always = 0x1F;
                scene->crowd.ids_are_shared = true;
                complaint = run_ending(scene, &endings[i], (enum cut)cut, cut_ms[length]);
                count++;
                if (complaint != NULL)
                    (void)trap_fails(run, "%s while %s are cut off for %llu ms: %s", endings[i].name,
                                     cut_names[cut], (unsigned long long)cut_ms[length], complaint);
                close_scene(scene);
                if (run->wrong[0] != '\0')
                    return false;
            }
        }
    }
    (void)snprintf(run->figures, sizeof run->figures, "%llu endings", (unsigned long long)count);
    return true;
}

/* ---- closing before the lane has flushed */

enum {
    KICKED_AT_ONCE = 4,
    KICK_MS = 2000, /* Connection, "Disconnect": for the ack of KickNotify */
    KICK_GRAIN_MS = 150,
    BACK_MS = 3000,
};

bool trap_kicks(struct trap_run *run)
{
    static const struct way bad = {
        .loss = 0.2, .duplicate = 0.01, .delay_min_ms = 5, .delay_max_ms = 80, .keeps_order = true
    };
    struct scene *scene = open_scene(run->seed, 16, &bad);
    uint32_t kicks = run->is_whole ? 1000 : 100;
    uint32_t seen = 0, done = 0;
    const char *complaint;

    scene->crowd.may_always = CROWD_MAY(2) | CROWD_MAY(1);
    complaint = scene_fill(scene, 60000);
    while (complaint == NULL && done < kicks && run->wrong[0] == '\0') {
        struct actor *victims[KICKED_AT_ONCE];

        for (uint32_t i = 0; i < KICKED_AT_ONCE; i++) {
            victims[i] = &scene->crowd.actors[(done + i) % scene->crowd.count];
            kick(scene, victims[i]);
        }
        complaint = scene_run(scene, KICK_MS + KICK_GRAIN_MS);
        for (uint32_t i = 0; complaint == NULL && i < KICKED_AT_ONCE; i++) {
            seen += victims[i]->client.kicked == 2;
            done++;
            if (coordinator_find(scene->cluster.coordinator, victims[i]->name) != NULL)
                (void)trap_fails(run, "%s holds its place for longer than 2 s", victims[i]->name);
            /* One that did not hear of it would find out by the silence. */
            if (actor_is_open(victims[i]))
                actor_die_hard(victims[i]);
        }
        for (int i = 0; complaint == NULL && i < 60 && !crowd_gather(&scene->crowd); i++)
            complaint = scene_run(scene, BACK_MS / 3);
    }
    (void)snprintf(run->figures, sizeof run->figures, "%u of %u saw why", seen, done);
    if (complaint != NULL)
        (void)trap_fails(run, "%s", complaint);
    else if (run->wrong[0] == '\0' && seen * 100 < done * 99)
        (void)trap_fails(run, "only %u of %u saw why", seen, done);
    close_scene(scene);
    return run->wrong[0] == '\0';
}

/* ---- who dies of what */

/* What a fault does to a player of that process, and to the others. */
enum fate {
    FATE_KEPT,   /* notices nothing */
    FATE_KICKED, /* reason 4, at once */
    FATE_SILENT, /* its gateway is gone: it leaves with reason 1 */
};

static const struct death {
    const char *name;
    enum fault_kind kind;
    uint16_t a;
    uint16_t b; /* of a cut */
    uint64_t for_ms;
    enum fate fate; /* of players of both a and b, as far as they are gateways and shards */
} deaths[] = {
    { "a dead shard", FAULT_DEATH, SHARD_1, 0, 20000, FATE_KICKED },
    { "a shard that dies and starts at once", FAULT_DEATH, SHARD_1, 0, 50, FATE_KICKED },
    { "a stopped shard, for less than 2 s", FAULT_STOP, SHARD_1, 0, 1400, FATE_KEPT },
    { "a stopped shard", FAULT_STOP, SHARD_1, 0, 4000, FATE_KICKED },
    { "a dead gateway", FAULT_DEATH, GATEWAY_1, 0, 30000, FATE_SILENT },
    { "a gateway that dies and starts again", FAULT_DEATH, GATEWAY_1, 0, 3000, FATE_SILENT },
    { "a gateway that is stopped for less than 2 s", FAULT_STOP, GATEWAY_1, 0, 1400, FATE_KEPT },
    { "a gateway that is stopped for less than 10 s", FAULT_STOP, GATEWAY_1, 0, 7000, FATE_KEPT },
    { "a dead coordinator", FAULT_DEATH, COORDINATOR_NODE, 0, 5000, FATE_KEPT },
    { "a coordinator that is dead for long", FAULT_DEATH, COORDINATOR_NODE, 0, 15000, FATE_KEPT },
    { "a stopped coordinator", FAULT_STOP, COORDINATOR_NODE, 0, 7000, FATE_KEPT },
    { "a Redis that is away", FAULT_REDIS, 0, 0, 15000, FATE_KEPT },
    { "a short cut of a gateway from a shard", FAULT_CUT, GATEWAY_1, SHARD_1, 1400, FATE_KEPT },
    { "a cut of a gateway from a shard", FAULT_CUT, GATEWAY_1, SHARD_1, 4000, FATE_KICKED },
    { "a short cut of a gateway from the coordinator", FAULT_CUT, GATEWAY_1, COORDINATOR_NODE, 1400,
      FATE_KEPT },
    { "a cut of a gateway from the coordinator", FAULT_CUT, GATEWAY_1, COORDINATOR_NODE, 8000, FATE_KEPT },
    { "a short cut of a shard from the coordinator", FAULT_CUT, SHARD_1, COORDINATOR_NODE, 1400, FATE_KEPT },
    { "a cut of a shard from the coordinator", FAULT_CUT, SHARD_1, COORDINATOR_NODE, 4000, FATE_KICKED },
};
enum {
    DEATHS = sizeof deaths / sizeof deaths[0],
    AFTER_MS = 14 * 1000, /* long enough for a dead gateway's players to have left */
    GONE_MIN_MS = 9 * 1000,
    GONE_MAX_MS = 13 * 1000,
};

static bool concerns(uint16_t node, const struct actor *actor)
{
    return node == COORDINATOR_NODE || node == actor->gateway || node == shard_of(actor);
}

static bool is_hit(const struct death *death, const struct actor *actor)
{
    return death->fate != FATE_KEPT && concerns(death->a, actor) &&
           (death->kind != FAULT_CUT || concerns(death->b, actor));
}

/* NULL: as it should be. */
static const char *judge(const struct death *death, const struct actor *actor, const struct stay *stay,
                         bool was_hit, uint64_t death_ms)
{
    bool is_kept = actor_is_in(actor) && actor->client.player_token == stay->token;

    if (!was_hit)
        return is_kept && stay->told == 0 ? NULL : "a player that it does not concern has not stayed";
    if (death->fate == FATE_KICKED)
        return actor->client.kicked == 4 ? NULL : "a player was not sent away with reason 4";
    if (stay->told != CROWD_MAY(1))
        return "the others were not told of a timeout";
    /* A gateway that is back, without its players, says so at once. */
    if (death->for_ms >= GONE_MAX_MS &&
        (stay->told_ms < death_ms + GONE_MIN_MS || stay->told_ms > death_ms + GONE_MAX_MS))
        return "a dead gateway's player has not left after 10 s";
    return NULL;
}

static const char *run_death(struct scene *scene, const struct death *death)
{
    struct crowd *crowd = &scene->crowd;
    bool hit[CLIENTS];
    size_t stays[CLIENTS];
    uint64_t death_ms;
    const char *complaint = scene_fill(scene, 10000);

    if (complaint == NULL)
        complaint = scene_run(scene, 1000);
    death_ms = scene->cluster.now_ms;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        hit[i] = is_hit(death, &crowd->actors[i]);
        stays[i] = crowd->actors[i].stay;
    }
    scene->faults.list[0] = (struct fault){ death->kind, death_ms, death->for_ms, death->a, death->b };
    scene->faults.count = 1;
    for (uint32_t i = 0; i < CLIENTS; i++)
        crowd->actors[i].acts_ms = UINT64_MAX;
    scene->acts = true;
    if (complaint == NULL)
        complaint = scene_run(scene, (death->for_ms < AFTER_MS ? death->for_ms : 0) + AFTER_MS);
    for (uint32_t i = 0; complaint == NULL && i < CLIENTS; i++)
        complaint = judge(death, &crowd->actors[i], &crowd->stays[stays[i]], hit[i], death_ms);
    scene->acts = false;
    return complaint == NULL ? scene_settle(scene) : complaint;
}

bool trap_deaths(struct trap_run *run)
{
    for (size_t i = 0; i < DEATHS; i++) {
        for (uint64_t seed = 0; seed < (run->is_whole ? 20 : 1); seed++) {
            unsigned long long seed_of_run = run->seed + seed;
            struct scene *scene = open_scene(seed_of_run, CLIENTS, &good);
            const char *complaint;

            scene->crowd.may_always = CROWD_MAY(1) | CROWD_MAY(4);
            complaint = run_death(scene, &deaths[i]);
            if (complaint != NULL)
                (void)trap_fails(run, "%s, seed %llu: %s", deaths[i].name, seed_of_run, complaint);
            close_scene(scene);
            if (run->wrong[0] != '\0')
                return false;
        }
    }
    (void)snprintf(run->figures, sizeof run->figures, "%d kinds", (int)DEATHS);
    return true;
}
