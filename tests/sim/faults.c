#include "tests/sim/faults.h"

#include <stdio.h>
#include <stdlib.h>

/* A peer is dead after 2 s, and given up, its players with it, after 10 s (design.md). */
static const struct span_ms {
    uint64_t min;
    uint64_t max;
} lengths[] = { { 50, 1900 }, { 2000, 9900 }, { 10100, 14000 } };

static uint64_t draw_length(struct rng *rng)
{
    const struct span_ms *length = &lengths[rng_below(rng, sizeof lengths / sizeof lengths[0])];

    return length->min + rng_below(rng, length->max - length->min + 1);
}

/* Two that talk to each other. */
static void draw_pair(struct fault *fault, struct rng *rng, const struct cluster *cluster)
{
    uint16_t shards = (uint16_t)(cluster->first_gateway - 1);
    uint16_t gateways = (uint16_t)(cluster->nodes_count - cluster->first_gateway);

    if (rng_chance(rng, 0.5)) {
        fault->a = (uint16_t)(cluster->first_gateway + rng_below(rng, gateways));
        fault->b = (uint16_t)(1 + rng_below(rng, shards));
    } else {
        fault->a = COORDINATOR_NODE;
        fault->b = (uint16_t)(1 + rng_below(rng, (uint64_t)shards + gateways));
    }
}

static int by_time(const void *a, const void *b)
{
    const struct fault *first = a, *second = b;

    return (first->at_ms > second->at_ms) - (first->at_ms < second->at_ms);
}

void faults_draw(struct faults *faults, struct rng *rng, const struct cluster *cluster, size_t count,
                 uint64_t from_ms, uint64_t to_ms)
{
    *faults = (struct faults){ .count = count < FAULTS_MAX ? count : FAULTS_MAX };
    for (size_t i = 0; i < faults->count; i++) {
        struct fault *fault = &faults->list[i];

        fault->kind = (enum fault_kind)rng_below(rng, FAULT_REDIS + 1);
        fault->at_ms = from_ms + rng_below(rng, to_ms - from_ms);
        fault->for_ms = draw_length(rng);
        fault->a = (uint16_t)rng_below(rng, cluster->nodes_count);
        if (fault->kind == FAULT_CUT)
            draw_pair(fault, rng, cluster);
    }
    qsort(faults->list, faults->count, sizeof faults->list[0], by_time);
}

static void begin(struct faults *faults, const struct fault *fault, struct cluster *cluster)
{
    uint64_t until_ms = cluster->now_ms + fault->for_ms;

    switch (fault->kind) {
    case FAULT_CUT:
        cluster_cut(cluster, fault->a, fault->b, until_ms);
        break;
    case FAULT_DEATH:
        if (!cluster_is_alive(cluster, fault->a))
            break;
        cluster_kill(cluster, fault->a);
        faults->starts_ms[fault->a] = until_ms;
        break;
    case FAULT_STOP:
        cluster_stop(cluster, fault->a, until_ms);
        break;
    case FAULT_REDIS:
        cluster_cut_redis(cluster, until_ms);
        break;
    }
}

void faults_run(struct faults *faults, struct cluster *cluster)
{
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (faults->starts_ms[i] == 0 || cluster->now_ms < faults->starts_ms[i])
            continue;
        faults->starts_ms[i] = 0;
        if (!cluster_is_alive(cluster, i))
            cluster_start(cluster, i);
    }
    for (; faults->next < faults->count && faults->list[faults->next].at_ms <= cluster->now_ms;
         faults->next++)
        begin(faults, &faults->list[faults->next], cluster);
}

uint64_t faults_wake_at(const struct faults *faults)
{
    uint64_t wakes_ms = faults->next < faults->count ? faults->list[faults->next].at_ms : UINT64_MAX;

    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (faults->starts_ms[i] != 0 && faults->starts_ms[i] < wakes_ms)
            wakes_ms = faults->starts_ms[i];
    }
    return wakes_ms;
}

void faults_print(const struct faults *faults, const struct cluster *cluster, FILE *out)
{
    static const char *const words[] = { "cut off from", "dead", "stopped", "Redis away" };

    for (size_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->list[i];

        (void)fprintf(
            out, "  at %llu ms for %llu ms: %s%s%s%s%s\n",
            (unsigned long long)(fault->at_ms - cluster->config.start_ms), (unsigned long long)fault->for_ms,
            fault->kind == FAULT_REDIS ? "" : cluster->names[fault->a], fault->kind == FAULT_REDIS ? "" : " ",
            words[fault->kind], fault->kind == FAULT_CUT ? " " : "",
            fault->kind == FAULT_CUT ? cluster->names[fault->b] : "");
    }
}
