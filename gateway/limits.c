#include "gateway/limits.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MICRO = 1000 * 1000,
    LIMIT_NUMBER_MAX = 1000 * 1000, /* ours: far above any sensible limit, and no sum of them overflows */
    BUDGET_WINDOW_MS = 1000,
    SOURCE_SETS = 1024, /* ours: with the ways, 8,192 addresses at a time */
    SOURCE_WAYS = 8,
};

#define RULE(rate, burst)                                               \
    {                                                                   \
        (uint64_t)(rate) * 1000, (uint64_t)(burst)*MICRO, LIMIT_ENFORCE \
    }

/* Connection, "Rate limits". */
/* clang-format off */
static const struct limit_row {
    const char *name;
    struct limit_rule rule;
} limit_rows[LIMITS] = {
    [LIMIT_DATAGRAMS]     = { "datagrams",     RULE(400, 200)     },
    [LIMIT_PLAYER_SYNC]   = { "player_sync",   RULE(40, 20)       },
    [LIMIT_VEHICLE_FRAME] = { "vehicle_frame", RULE(125, 63)      },
    [LIMIT_SHOTS]         = { "shots",         RULE(80, 40)       },
    [LIMIT_DAMAGE_REPORT] = { "damage_report", RULE(100, 50)      },
    [LIMIT_RELIABLE]      = { "reliable",      RULE(60, 60)       },
    [LIMIT_ACKS]          = { "acks",          RULE(150, 150)     },
    [LIMIT_HELLO]         = { "hello",         RULE(10, 20)       },
    [LIMIT_QUERY]         = { "query",         RULE(5, 10)        },
    [LIMIT_CHALLENGES]    = { "challenges",    RULE(20000, 20000) },
    [LIMIT_QUERIES]       = { "queries",       RULE(1000, 1000)   },
};
/* clang-format on */
#undef RULE

static const char *const mode_names[] = {
    [LIMIT_ENFORCE] = "enforce", [LIMIT_OBSERVE] = "observe", [LIMIT_OFF] = "off"
};

void limits_init(struct limits *limits)
{
    for (int i = 0; i < LIMITS; i++)
        limits->rules[i] = limit_rows[i].rule;
}

const char *limit_name(enum limit limit)
{
    assert(limit < LIMITS);
    return limit_rows[limit].name;
}

static bool is_number(double number)
{
    return number >= 0 && number <= LIMIT_NUMBER_MAX;
}

bool limits_set(struct limits *limits, const char *name, double rate, double burst, const char *mode)
{
    int limit = 0;
    int number = LIMIT_ENFORCE;

    while (limit < LIMITS && strcmp(limit_rows[limit].name, name) != 0)
        limit++;
    while (number <= LIMIT_OFF && strcmp(mode_names[number], mode) != 0)
        number++;
    if (limit == LIMITS || number > LIMIT_OFF || !is_number(rate) || !is_number(burst))
        return false;
    limits->rules[limit] = (struct limit_rule){ .rate_micro_per_ms = (uint64_t)llround(rate * 1000),
                                                .burst_micro = (uint64_t)llround(burst * MICRO),
                                                .mode = (enum limit_mode)number };
    return true;
}

static enum limit_verdict verdict(const struct limit_rule *rule, bool passed)
{
    if (passed || rule->mode == LIMIT_OFF)
        return LIMIT_PASSED;
    return rule->mode == LIMIT_OBSERVE ? LIMIT_OBSERVED : LIMIT_OVER;
}

void limit_bucket_fill(struct limit_bucket *bucket, const struct limit_rule *rule, uint64_t now_ms)
{
    *bucket = (struct limit_bucket){ .micro = rule->burst_micro, .at_ms = now_ms };
}

static void refill(struct limit_bucket *bucket, const struct limit_rule *rule, uint64_t now_ms)
{
    uint64_t elapsed_ms = now_ms - bucket->at_ms;
    uint64_t room = rule->burst_micro > bucket->micro ? rule->burst_micro - bucket->micro : 0;

    bucket->at_ms = now_ms;
    /* Asked this way round, a long silence does not overflow. */
    if (rule->rate_micro_per_ms > 0 && elapsed_ms > room / rule->rate_micro_per_ms)
        bucket->micro = rule->burst_micro;
    else
        bucket->micro += elapsed_ms * rule->rate_micro_per_ms;
}

enum limit_verdict limit_bucket_take(struct limit_bucket *bucket, const struct limit_rule *rule,
                                     uint64_t now_ms)
{
    refill(bucket, rule, now_ms);
    if (bucket->micro < MICRO)
        return verdict(rule, false);
    bucket->micro -= MICRO;
    return LIMIT_PASSED;
}

bool flood_count(struct flood *flood, const struct limit_rule *total, uint64_t now_ms)
{
    uint64_t elapsed_ms = now_ms - flood->window_ms;

    if (elapsed_ms >= FLOOD_WINDOW_MS) {
        bool over = flood->datagrams > total->rate_micro_per_ms / 1000 * FLOOD_FACTOR;

        flood->windows = over && elapsed_ms < 2 * (uint64_t)FLOOD_WINDOW_MS ? flood->windows + 1 : 0;
        flood->window_ms =
            elapsed_ms < 2 * (uint64_t)FLOOD_WINDOW_MS ? flood->window_ms + FLOOD_WINDOW_MS : now_ms;
        flood->datagrams = 0;
    }
    if (flood->datagrams < UINT32_MAX)
        flood->datagrams++;
    return total->mode == LIMIT_ENFORCE && flood->windows >= FLOOD_WINDOWS;
}

struct source {
    uint8_t ip[16];
    bool used;
    struct limit_bucket bucket;
};

int sources_init(struct sources *sources, struct rng *rng)
{
    *sources = (struct sources){ .key = rng_u64(rng) };
    sources->table = calloc((size_t)SOURCE_SETS * SOURCE_WAYS, sizeof sources->table[0]);
    return sources->table != NULL ? 0 : -1;
}

void sources_fini(struct sources *sources)
{
    free(sources->table);
    *sources = (struct sources){ 0 };
}

enum limit_verdict sources_take(struct sources *sources, const struct limit_rule *rule,
                                const struct address *from, uint64_t now_ms)
{
    struct address source = { 0 };
    struct source *set;
    struct source *taken;

    memcpy(source.ip, from->ip, address_is_ipv4(from) ? 16 : 8);
    set = &sources->table[(size_t)(address_hash(&source, sources->key) % SOURCE_SETS) * SOURCE_WAYS];
    taken = set;
    for (struct source *at = set; at < set + SOURCE_WAYS; at++) {
        if (at->used && memcmp(at->ip, source.ip, sizeof at->ip) == 0)
            return limit_bucket_take(&at->bucket, rule, now_ms);
        if (taken->used && (!at->used || at->bucket.at_ms < taken->bucket.at_ms))
            taken = at;
    }
    *taken = (struct source){ .used = true };
    memcpy(taken->ip, source.ip, sizeof taken->ip);
    limit_bucket_fill(&taken->bucket, rule, now_ms);
    return limit_bucket_take(&taken->bucket, rule, now_ms);
}

static void budget_advance(struct budget *budget, uint64_t now_ms)
{
    uint64_t elapsed_ms = now_ms - budget->second_ms;

    if (elapsed_ms < BUDGET_WINDOW_MS)
        return;
    budget->asked_before = elapsed_ms < 2 * (uint64_t)BUDGET_WINDOW_MS ? budget->asked : 0;
    budget->second_ms =
        elapsed_ms < 2 * (uint64_t)BUDGET_WINDOW_MS ? budget->second_ms + BUDGET_WINDOW_MS : now_ms;
    budget->asked = 0;
    budget->passed = 0;
}

static enum limit_verdict budget_judge(struct budget *budget, const struct limit_rule *rule, bool chosen)
{
    bool passed = chosen && budget->passed < rule->rate_micro_per_ms / 1000;

    budget->asked += budget->asked < UINT32_MAX;
    budget->passed += passed;
    return verdict(rule, passed);
}

enum limit_verdict budget_take(struct budget *budget, const struct limit_rule *rule, uint64_t now_ms)
{
    budget_advance(budget, now_ms);
    return budget_judge(budget, rule, true);
}

enum limit_verdict budget_take_share(struct budget *budget, const struct limit_rule *rule, uint64_t now_ms,
                                     struct rng *rng)
{
    double rate = (double)rule->rate_micro_per_ms / 1000;

    budget_advance(budget, now_ms);
    return budget_judge(budget, rule,
                        budget->asked_before <= rate || rng_chance(rng, rate / budget->asked_before));
}
