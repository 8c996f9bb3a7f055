#include "shard/settings.h"

#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "shard/settings_show.h"
#include "shard/shard.h"
#include "shard/sky.h"
#include "shard/team.h"

enum { HOUR_MS = 60 * 60 * 1000, MINUTE_MS = 60 * 1000, HOURS = 24 };

/* Something that was asked for. */
struct settings_ask {
    uint64_t request;
    char resource[GAME_RESOURCE_MAX + 1];
    bool is_team;
    bool makes;
    union {
        struct game_change change;
        struct game_team team;
    };
};

static uint8_t hour_of(const struct game_settings *settings, uint64_t now_ms)
{
    return (uint8_t)(game_time_ms(settings, now_ms) / HOUR_MS);
}

int settings_open(struct settings *settings, uint64_t now_ms)
{
    *settings = (struct settings){ .is_told = false };
    game_init(&settings->now, now_ms);
    settings->wanted = settings->now;
    settings->hour = hour_of(&settings->now, now_ms);
    if (ring_init(&settings->asks, sizeof(struct settings_ask), SETTINGS_ASKS_MAX) != 0)
        return -1;
    return weapon_tables_init(&settings->tables);
}

void settings_close(struct settings *settings)
{
    ring_fini(&settings->asks);
    weapon_tables_fini(&settings->tables);
}

/* ---- asking ---- */

static void send(struct shard *shard, const struct settings_ask *ask)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Item *item = outbox_add(outbox, shard->coordinator);
    Bus__GameAsk *message = outbox_alloc(outbox, sizeof *message);

    bus__game_ask__init(message);
    message->request = ask->request;
    message->resource = outbox_text(outbox, ask->resource);
    if (ask->is_team) {
        message->team = game_team_message(&ask->team, outbox);
        message->makes = ask->makes;
    } else {
        message->change = game_change_message(&ask->change, outbox);
    }
    item->item_case = BUS__ITEM__ITEM_GAME_ASK;
    item->game_ask = message;
}

/* NULL: too much is undecided. */
static struct settings_ask *add(struct settings *settings, const char *resource)
{
    struct settings_ask *ask = ring_push(&settings->asks);

    assert(game_resource_is_valid(resource));
    if (ask == NULL)
        return NULL;
    ask->request = ++settings->request;
    memcpy(ask->resource, resource, strlen(resource) + 1);
    return ask;
}

static enum reason ask_change(struct shard *shard, const char *resource, struct game_change change)
{
    struct settings *settings = &shard->settings;
    struct game_settings wanted = settings->wanted;
    struct settings_ask *ask;
    bool changed;
    enum reason refused = game_apply(&wanted, &change, shard->now_ms, &changed);

    if (refused != REASON_NONE || !changed)
        return refused;
    ask = add(settings, resource);
    if (ask == NULL)
        return REASON_TABLE_FULL;
    ask->change = change;
    settings->wanted = wanted;
    if (settings->is_told)
        send(shard, ask);
    return REASON_NONE;
}

enum reason settings_ask_team(struct shard *shard, const struct game_team *team, bool makes)
{
    struct settings_ask *ask = add(&shard->settings, team->resource);

    if (ask == NULL)
        return REASON_TABLE_FULL;
    ask->is_team = true;
    ask->makes = makes;
    ask->team = *team;
    if (shard->settings.is_told)
        send(shard, ask);
    return REASON_NONE;
}

enum reason settings_set_weapon_property(struct shard *shard, const char *resource, uint32_t weapon,
                                         uint32_t tier, uint32_t property, const double *value)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_PROPERTY,
                                            .weapon = weapon,
                                            .tier = tier,
                                            .index = property,
                                            .unset = value == NULL,
                                            .value = value == NULL ? 0 : *value });
}

enum reason settings_set_weapon_allowed(struct shard *shard, const char *resource, uint32_t weapon,
                                        bool allowed)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_ALLOWED, .weapon = weapon, .value = allowed });
}

enum reason settings_set_driveby_interval(struct shard *shard, const char *resource, uint32_t weapon,
                                          double ms)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_DRIVEBY, .weapon = weapon, .value = ms });
}

enum reason settings_set_damage_multiplier(struct shard *shard, const char *resource, uint32_t class,
                                           double multiplier)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_MULTIPLIER, .weapon = class, .value = multiplier });
}

enum reason settings_set_jacking(struct shard *shard, const char *resource, bool on)
{
    return ask_change(shard, resource, (struct game_change){ .kind = GAME_JACKING, .value = on });
}

enum reason settings_set_time(struct shard *shard, const char *resource, uint32_t hour, uint32_t minute,
                              uint32_t second)
{
    if (hour >= HOURS || minute >= 60 || second >= 60)
        return REASON_OUT_OF_BOUNDS;
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_TIME,
                                            .value = hour * HOUR_MS + minute * MINUTE_MS + second * 1000 });
}

enum reason settings_set_clock(struct shard *shard, const char *resource, const double *minute_ms)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_CLOCK,
                                            .unset = minute_ms == NULL,
                                            .value = minute_ms == NULL ? 0 : *minute_ms });
}

enum reason settings_set_weather(struct shard *shard, const char *resource, double weather, uint32_t blend_ms)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_WEATHER, .value = weather, .blend_ms = blend_ms });
}

enum reason settings_set_weather_value(struct shard *shard, const char *resource, uint32_t index,
                                       const double *value)
{
    return ask_change(shard, resource,
                      (struct game_change){ .kind = GAME_WEATHER_VALUE,
                                            .index = index,
                                            .unset = value == NULL,
                                            .value = value == NULL ? 0 : *value });
}

/* ---- as they are ---- */

bool settings_jacking(const struct shard *shard)
{
    if (shard->settings.now.jacking == GAME_JACKING_UNSET)
        return shard->config.jacking;
    return shard->settings.now.jacking == GAME_JACKING_ON;
}

bool settings_weapon_is_allowed(const struct shard *shard, uint32_t weapon)
{
    return weapon >= 64 || (shard->settings.now.disallowed >> weapon & 1) == 0;
}

struct settings_time settings_time(const struct shard *shard)
{
    uint32_t day_ms = game_time_ms(&shard->settings.now, shard->now_ms);

    return (struct settings_time){ .hour = (uint8_t)(day_ms / HOUR_MS),
                                   .minute = (uint8_t)(day_ms / MINUTE_MS % 60),
                                   .second = (uint8_t)(day_ms / 1000 % 60) };
}

/* ---- as told ---- */

/* What is wanted is what is there and what is not decided yet. What has become impossible the coordinator
 * will refuse. */
static void want(struct shard *shard)
{
    struct settings *settings = &shard->settings;

    settings->wanted = settings->now;
    for (size_t i = 0; i < settings->asks.count; i++) {
        const struct settings_ask *ask = ring_at(&settings->asks, i);
        bool changed;

        if (!ask->is_team)
            (void)game_apply(&settings->wanted, &ask->change, shard->now_ms, &changed);
    }
}

/* A team that the coordinator has never heard of, or has lost, is as at the beginning, and made again. */
static void make_teams_again(struct shard *shard)
{
    struct teams *teams = &shard->teams;

    for (uint16_t i = 0; i < teams->count; i++) {
        struct game_team *team = &teams->teams[i];

        if (team->id != 0)
            continue;
        teams->relation_revision += team->friendly_fire_off;
        team->friendly_fire_off = false;
        if (shard->settings.asks.count < SETTINGS_ASKS_MAX)
            (void)settings_ask_team(shard, team, true);
    }
}

static void take_teams(struct shard *shard, const Bus__GameUpdate *update)
{
    for (uint16_t i = 0; update->whole && i < shard->teams.count; i++)
        shard->teams.teams[i].id = 0;
    for (size_t i = 0; i < update->n_teams; i++) {
        struct game_team team;

        (void)game_team_read(&team, update->teams[i]); /* it has been before */
        if (!team_take(shard, &team))
            shard_count(shard, REASON_TABLE_FULL);
    }
    team_see_revision(shard, update->relation_revision);
}

/* The coordinator knows nothing yet of what is undecided. */
static void ask_again(struct shard *shard)
{
    struct settings *settings = &shard->settings;

    if (settings->is_told)
        return;
    make_teams_again(shard);
    settings->is_told = true;
    for (size_t i = 0; i < settings->asks.count; i++)
        send(shard, ring_at(&settings->asks, i));
}

void settings_on_update(struct shard *shard, const Bus__GameUpdate *update)
{
    struct settings *settings = &shard->settings;
    const struct game_settings before = settings->now;
    bool sets_time;

    if (!game_update_is_new(update, settings->revision) || (!update->whole && !settings->is_told)) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    if (!game_update_apply(&settings->now, update, shard->now_ms, &sets_time)) {
        LOG(ERROR, "settings_malformed", KV("revision", update->revision));
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    settings->revision = update->revision;
    weapon_tables_replace(&settings->tables, &before, &settings->now, shard->now_ms);
    take_teams(shard, update);
    if (update->whole)
        ask_again(shard);
    want(shard);
    settings_show_changes(shard, &before);
    sky_show_changes(shard, &before, sets_time, update->whole);
    if (sets_time)
        settings->hour = hour_of(&settings->now, shard->now_ms);
}

void settings_on_answer(struct shard *shard, const Bus__GameAnswer *answer)
{
    struct settings *settings = &shard->settings;
    const struct settings_ask *ask = ring_oldest(&settings->asks);

    if (ask == NULL || answer->request < ask->request || answer->request > settings->request) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    while (ask != NULL && ask->request <= answer->request) {
        if (answer->refused && ask->request == answer->request)
            LOG(WARN, "settings_refused", KV("resource", ask->resource),
                KV("setting", ask->is_team ? -1 : (int)ask->change.kind));
        ring_pop(&settings->asks);
        ask = ring_oldest(&settings->asks);
    }
    if (answer->refused)
        want(shard);
}

void settings_on_coordinator(struct shard *shard)
{
    shard->settings.is_told = false;
}

void settings_tick(struct shard *shard)
{
    struct settings *settings = &shard->settings;
    uint8_t hour = hour_of(&settings->now, shard->now_ms);

    if (settings->revision == 0)
        settings->hour = hour; /* the cluster's time is not known yet */
    /* Whoever slept long missed some: each is told. */
    while (settings->hour != hour) {
        settings->hour = (uint8_t)((settings->hour + 1) % HOURS);
        (void)EVENT_RAISE(shard, EVENT_CLOCK_HOUR, event_integer(settings->hour));
        hour = hour_of(&settings->now, shard->now_ms);
    }
    sky_tick(shard);
}
