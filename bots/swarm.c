#include "bots/swarm_inside.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bots/places.h"

static const char *const spread_names[SWARM_SPREADS] = { "none", "cluster", "area" };

static const char *spread_name(enum swarm_spread spread)
{
    assert(spread < SWARM_SPREADS);
    return spread_names[spread];
}

bool swarm_spread_parse(const char *name, enum swarm_spread *spread)
{
    for (int i = 0; i < SWARM_SPREADS; i++) {
        if (strcmp(spread_names[i], name) == 0) {
            *spread = (enum swarm_spread)i;
            return true;
        }
    }
    return false;
}

const char *swarm_phase_name(enum swarm_phase phase)
{
    static const char *const names[] = { "joining", "settling", "measuring", "leaving", "done" };

    return names[phase];
}

enum swarm_phase swarm_phase(const struct swarm *swarm)
{
    return swarm->phase;
}

/* ---- the swarm's life */

static void name_bot(struct bot *bot, const char *prefix)
{
    int size = snprintf(bot->name, sizeof bot->name, "%s%u", prefix, bot->number + 1);

    assert(size > 0 && (size_t)size < sizeof bot->name);
    (void)size;
}

struct swarm *swarm_new(const struct swarm_config *config, const struct swarm_io *io, uint64_t now_ms)
{
    struct swarm *swarm = calloc(1, sizeof *swarm);
    struct check_config check = {
        .bots = config->bots,
        .window_ms = config->is_lossy ? CHECK_WINDOW_LOSSY_MS : CHECK_WINDOW_MS,
        .left_ms = config->is_lossy ? CHECK_LEFT_LOSSY_MS : CHECK_LEFT_MS,
    };

    assert(config->bots > 0 && config->joins_per_s > 0 && config->frames_per_s > 0);
    if (swarm == NULL)
        abort();
    swarm->config = *config;
    swarm->io = *io;
    swarm->begun_ms = now_ms;
    swarm->phase_ms = now_ms;
    swarm->radius_m = places_radius_m(config->bots, config->neighbours);
    rng_init_seeded(&swarm->rng, config->seed);
    check_init(&swarm->check, &check);
    swarm->bots = calloc(config->bots, sizeof *swarm->bots);
    swarm->wakes_ms = calloc(config->bots, sizeof *swarm->wakes_ms);
    if (swarm->bots == NULL || swarm->wakes_ms == NULL)
        abort();
    uint32_t dealt[BEHAVIOUR_KINDS] = { 0 };

    for (uint32_t i = 0; i < config->bots; i++) {
        struct bot *bot = &swarm->bots[i];

        bot->swarm = swarm;
        bot->number = i;
        bot->starts_ms = now_ms + (uint64_t)((double)i * 1000.0 / config->joins_per_s);
        name_bot(bot, config->name);
        behaviour_init(&bot->behaviour, behaviour_deal(config->shares, dealt), rng_u64(&swarm->rng),
                       config->chat_every_ms);
        swarm->wakes_ms[i] = bot->starts_ms;
    }
    return swarm;
}

void swarm_free(struct swarm **swarm)
{
    if (*swarm == NULL)
        return;
    for (uint32_t i = 0; i < (*swarm)->config.bots; i++) {
        if ((*swarm)->bots[i].is_started)
            client_fini(&(*swarm)->bots[i].client);
    }
    check_fini(&(*swarm)->check);
    free((*swarm)->bots);
    free((*swarm)->wakes_ms);
    free(*swarm);
    *swarm = NULL;
}

static struct client_stats stats_of(const struct swarm *swarm)
{
    struct client_stats sum = swarm->gone;

    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        if (swarm->bots[i].is_started)
            client_stats_add(&sum, &swarm->bots[i].client.stats);
    }
    return sum;
}

/* ---- phases */

static void set_phase(struct swarm *swarm, enum swarm_phase phase, uint64_t now_ms)
{
    assert(phase > swarm->phase);
    swarm->phase = phase;
    swarm->phase_ms = now_ms;
}

/* In, or turned away. */
static bool has_joined(const struct bot *bot)
{
    if (!bot->is_started)
        return false;
    if (bot->client.state == CLIENT_CLOSED)
        return true;
    return bot->behaviour.kind == BEHAVIOUR_LOBBY ? client_is_open(&bot->client)
                                                  : client_is_in_world(&bot->client);
}

static bool all_have_joined(const struct swarm *swarm, uint64_t now_ms)
{
    uint64_t last_ms = swarm->bots[swarm->config.bots - 1].starts_ms;

    if (now_ms >= last_ms + SWARM_JOIN_WAIT_MS)
        return true;
    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        if (!has_joined(&swarm->bots[i]))
            return false;
    }
    return true;
}

static bool all_are_home(const struct swarm *swarm)
{
    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        const struct bot *bot = &swarm->bots[i];

        if (bot->is_started && client_is_in_world(&bot->client) && !bot->behaviour.is_settled)
            return false;
    }
    return true;
}

static void begin_measuring(struct swarm *swarm, uint64_t now_ms)
{
    swarm->is_unsettled = !all_are_home(swarm);
    swarm->from = stats_of(swarm);
    swarm->views_from = swarm->check.views;
    swarm->observers_from = swarm->check.observers;
    swarm->check.measures = true;
    set_phase(swarm, SWARM_MEASURING, now_ms);
}

static void leave(struct swarm *swarm, uint64_t now_ms)
{
    if (swarm->phase == SWARM_MEASURING) {
        swarm->to = stats_of(swarm);
        swarm->measured_ms = now_ms - swarm->phase_ms;
        swarm->check.measures = false;
    }
    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        struct bot *bot = &swarm->bots[i];

        if (bot->is_started && bot->client.state != CLIENT_CLOSED) {
            client_leave(&bot->client, now_ms);
            bot_notice(bot, now_ms);
        }
        swarm->wakes_ms[i] = UINT64_MAX;
    }
    set_phase(swarm, SWARM_LEAVING, now_ms);
}

void swarm_stop(struct swarm *swarm, uint64_t now_ms)
{
    if (swarm->phase >= SWARM_LEAVING)
        return;
    swarm->was_stopped = swarm->config.time_ms > 0 || swarm->phase != SWARM_MEASURING;
    leave(swarm, now_ms);
}

static bool is_settled(struct swarm *swarm, uint64_t now_ms)
{
    if (now_ms >= swarm->phase_ms + SWARM_SETTLE_WAIT_MS)
        return true;
    if (!all_are_home(swarm))
        return false;
    if (swarm->settled_ms == 0)
        swarm->settled_ms = now_ms;
    return now_ms >= swarm->settled_ms + SWARM_SETTLED_MS;
}

/* Every one has been started and has come to its end. */
static bool all_are_over(const struct swarm *swarm)
{
    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        if (!swarm->bots[i].is_started || swarm->bots[i].client.state != CLIENT_CLOSED)
            return false;
    }
    return true;
}

static void go_on(struct swarm *swarm, uint64_t now_ms)
{
    if (swarm->phase < SWARM_LEAVING && all_are_over(swarm))
        leave(swarm, now_ms);
    switch (swarm->phase) {
    case SWARM_JOINING:
        if (all_have_joined(swarm, now_ms))
            set_phase(swarm, SWARM_SETTLING, now_ms);
        break;
    case SWARM_SETTLING:
        if (is_settled(swarm, now_ms))
            begin_measuring(swarm, now_ms);
        break;
    case SWARM_MEASURING:
        if (swarm->config.time_ms > 0 && now_ms >= swarm->phase_ms + swarm->config.time_ms)
            leave(swarm, now_ms);
        break;
    case SWARM_LEAVING:
        if (now_ms >= swarm->phase_ms + SWARM_GOODBYE_MS)
            set_phase(swarm, SWARM_DONE, now_ms);
        break;
    case SWARM_DONE:
        break;
    }
}

/* ---- what the shell calls */

void swarm_on_datagram(struct swarm *swarm, uint64_t now_ms, uint32_t bot_number, struct span datagram,
                       uint64_t stamp_ns)
{
    struct bot *bot = &swarm->bots[bot_number];

    if (!bot->is_started)
        return;
    swarm->stamp_ns = stamp_ns;
    client_on_datagram(&bot->client, now_ms, datagram);
    if (bot->client.stats.complaints != bot->complaints)
        bot_note_complaint(bot, datagram);
}

void swarm_flush(struct swarm *swarm, uint64_t now_ms, uint32_t bot_number)
{
    struct bot *bot = &swarm->bots[bot_number];

    if (!bot->is_started)
        return;
    client_tick(&bot->client, now_ms);
    bot_notice(bot, now_ms);
    if (swarm->phase < SWARM_LEAVING)
        bot_wakes(bot);
}

static void tick_bots(struct swarm *swarm, uint64_t now_ms)
{
    uint64_t next_ms = UINT64_MAX;

    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        if (now_ms >= swarm->wakes_ms[i])
            bot_tick(&swarm->bots[i], now_ms);
        if (swarm->wakes_ms[i] < next_ms)
            next_ms = swarm->wakes_ms[i];
    }
    swarm->next_ms = next_ms;
}

void swarm_tick(struct swarm *swarm, uint64_t now_ms)
{
    if (swarm->phase >= SWARM_LEAVING) {
        go_on(swarm, now_ms);
        return;
    }
    tick_bots(swarm, now_ms);
    if (now_ms >= check_wakes_at(&swarm->check)) {
        check_tick(&swarm->check, now_ms);
        go_on(swarm, now_ms);
    }
}

uint64_t swarm_wakes_at(const struct swarm *swarm)
{
    uint64_t check_ms = check_wakes_at(&swarm->check);

    if (swarm->phase == SWARM_LEAVING)
        return swarm->phase_ms + SWARM_GOODBYE_MS;
    if (swarm->phase == SWARM_DONE)
        return UINT64_MAX;
    return check_ms < swarm->next_ms ? check_ms : swarm->next_ms;
}

/* ---- the report */

static uint64_t sum_of(const uint64_t *counts)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < WIRE_PACKETS; i++)
        sum += counts[i];
    return sum;
}

static void report_measured(const struct swarm *swarm, uint64_t now_ms, struct report *report)
{
    const struct client_stats *from = &swarm->from;
    const struct client_stats *to = swarm->phase == SWARM_MEASURING ? &report->stats : &swarm->to;
    uint64_t observers = swarm->check.observers - swarm->observers_from;

    report->measured_ms = swarm->phase == SWARM_MEASURING ? now_ms - swarm->phase_ms : swarm->measured_ms;
    if (report->measured_ms == 0)
        return;
    report->datagrams_in = sum_of(to->packets_in) - sum_of(from->packets_in);
    report->datagrams_out = sum_of(to->packets_out) - sum_of(from->packets_out);
    report->bytes_in = to->bytes_in - from->bytes_in;
    report->bytes_out = to->bytes_out - from->bytes_out;
    report->player_relays =
        to->packets_in[WIRE_INDEX_REMOTE_PLAYER_SYNC] - from->packets_in[WIRE_INDEX_REMOTE_PLAYER_SYNC];
    report->vehicle_relays =
        to->packets_in[WIRE_INDEX_REMOTE_VEHICLE_FRAME] - from->packets_in[WIRE_INDEX_REMOTE_VEHICLE_FRAME];
    report->neighbours =
        observers > 0 ? (double)(swarm->check.views - swarm->views_from) / (double)observers : 0.0;
    report->latency_samples = swarm->check.latency.count;
    report->latency_p50_us = latency_quantile_us(&swarm->check.latency, 0.5);
    report->latency_p99_us = latency_quantile_us(&swarm->check.latency, 0.99);
    report->latency_max_us = swarm->check.latency.max_us;
    report->unmatched = swarm->check.unmatched;
    report->held = swarm->check.held;
}

void swarm_report(const struct swarm *swarm, uint64_t now_ms, struct report *report)
{
    *report = (struct report){
        .seed = swarm->config.seed,
        .bots = swarm->config.bots,
        .spread = spread_name(swarm->config.spread),
        .phase = swarm_phase_name(swarm->phase),
        .run_ms = now_ms - swarm->begun_ms,
        .was_stopped = swarm->was_stopped,
        .is_unsettled = swarm->is_unsettled,
        .allows_rejects = swarm->config.allows_rejects,
        .joins = swarm->joins,
        .no_answer = swarm->no_answer,
        .silence = swarm->silence,
        .stats = stats_of(swarm),
        .views = swarm->check.views,
        .late_sweeps = swarm->check.late_sweeps,
        .notes = swarm->check.notes,
        .notes_count = swarm->check.notes_count,
    };
    memcpy(report->shares, swarm->config.shares, sizeof report->shares);
    memcpy(report->rejected, swarm->rejected, sizeof report->rejected);
    memcpy(report->kicked, swarm->kicked, sizeof report->kicked);
    for (uint32_t i = 0; i < swarm->config.bots; i++) {
        const struct bot *bot = &swarm->bots[i];

        report->opened += bot->was_opened;
        report->spawned += bot->was_spawned;
        report->open += bot->is_started && client_is_open(&bot->client);
        report->in_world += bot->is_started && client_is_in_world(&bot->client);
    }
    for (size_t i = 0; i < VIOLATIONS; i++)
        report->violations[i] = swarm->check.violations[i] + report->stats.violations[i];
    report_measured(swarm, now_ms, report);
}
