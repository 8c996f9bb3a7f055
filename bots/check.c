#include "bots/check_inside.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/serial.h"

enum { HEARD_LATELY_MS = 2000, PLAYER_IDS_MAX = 1 << 20 }; /* ours */

void check_init(struct check *check, const struct check_config *config)
{
    assert(config->window_ms <= (CHECK_SAMPLES - 1) * CHECK_SAMPLE_MS);
    *check = (struct check){ .config = *config };
    check->bots = calloc(config->bots, sizeof *check->bots);
    check->latest = calloc(config->bots, sizeof *check->latest);
    check->seen_pass = calloc(config->bots, sizeof *check->seen_pass);
    if (check->bots == NULL || check->latest == NULL || check->seen_pass == NULL)
        abort();
}

void check_fini(struct check *check)
{
    free(check->bots);
    free(check->latest);
    free(check->seen_pass);
    free(check->owners);
    free(check->vehicles);
    ids_fini(&check->vehicle_ids);
    *check = (struct check){ 0 };
}

void check_note(struct check *check, const char *text)
{
    if (check->notes_count < CHECK_NOTES)
        (void)snprintf(check->notes[check->notes_count++], CHECK_NOTE_SIZE, "%s", text);
}

void check_violate(struct check *check, enum violation violation, const struct client *observer,
                   const char *what, uint32_t id)
{
    char text[CHECK_NOTE_SIZE];

    check->violations[violation]++;
    (void)snprintf(text, sizeof text, "%s: %s (player %u): %s %u", violation_name(violation), observer->name,
                   observer->player_id, what, id);
    check_note(check, text);
}

/* ---- who is who */

static struct check_owner *owner_of(const struct check *check, uint32_t player_id)
{
    return player_id < check->owners_capacity ? &check->owners[player_id] : NULL;
}

static struct check_owner *take_owner(struct check *check, uint32_t player_id)
{
    uint32_t capacity = check->owners_capacity > 0 ? check->owners_capacity : 64;

    while (capacity <= player_id)
        capacity *= 2;
    if (capacity > check->owners_capacity) {
        check->owners = reallocarray(check->owners, capacity, sizeof *check->owners);
        if (check->owners == NULL)
            abort();
        memset(check->owners + check->owners_capacity, 0,
               (capacity - check->owners_capacity) * sizeof *check->owners);
        check->owners_capacity = capacity;
    }
    return &check->owners[player_id];
}

/* The bot that is this player now; IDS_NONE: nobody of this process. */
static uint32_t bot_of(const struct check *check, uint32_t player_id, uint32_t player_token)
{
    const struct check_owner *owner = owner_of(check, player_id);

    return owner != NULL && owner->token == player_token && owner->left_ms == 0 ? owner->bot : IDS_NONE;
}

void check_joined(struct check *check, uint64_t now_ms, uint32_t bot, const struct client *client)
{
    struct check_owner *owner;

    if (client->player_id >= PLAYER_IDS_MAX)
        return;
    owner = take_owner(check, client->player_id);
    /* Another one that still hears the server has the id, or it goes to an older generation. */
    if (owner->token != 0 && ((owner->left_ms == 0 && owner->bot != bot &&
                               now_ms - check->bots[owner->bot].client->heard_ms < HEARD_LATELY_MS) ||
                              !serial32_newer(client->player_token, owner->token)))
        check_violate(check, VIOLATION_SAME_PLAYER, client, "was given the id of bot", owner->bot);
    *owner = (struct check_owner){ .token = client->player_token, .bot = bot, .joined_ms = now_ms };
    for (uint32_t i = check->missing_count; i-- > 0;) {
        if (check->missing[i].observer == bot)
            check->missing[i] = check->missing[--check->missing_count];
    }
    check->bots[bot] = (struct check_bot){ .client = client };
}

void check_left(struct check *check, uint64_t now_ms, uint32_t bot)
{
    const struct client *client = check->bots[bot].client;
    struct check_owner *owner;

    if (client == NULL)
        return;
    owner = owner_of(check, client->player_id);
    if (owner != NULL && owner->token == client->player_token)
        owner->left_ms = now_ms;
    check->bots[bot].client = NULL;
}

/* ---- frames */

void check_sent(struct check *check, uint32_t bot, uint32_t seq, const float pos[3], uint64_t stamp_ns)
{
    struct check_sent *sent = &check->bots[bot].sent[seq % CHECK_SENT];

    sent->seq = seq;
    sent->stamp_ns = stamp_ns;
    memcpy(sent->pos, pos, sizeof sent->pos);
}

static void note_lag(struct check *check, uint64_t lag_ms)
{
    uint32_t *worst_ms = &check->lags_ms[check->samples % CHECK_LAGS];

    if (lag_ms > *worst_ms)
        *worst_ms = lag_ms < CHECK_LATE_MS ? (uint32_t)lag_ms : CHECK_LATE_MS;
}

void check_heard(struct check *check, const struct wire_remote_player_sync *sync, uint64_t stamp_ns)
{
    uint32_t bot = bot_of(check, sync->player_id, sync->player_token);
    const struct check_sent *sent;
    uint64_t took_us = 0;

    if (bot == IDS_NONE)
        return;
    check->heard++;
    sent = &check->bots[bot].sent[sync->seq % CHECK_SENT];
    if (sent->seq != sync->seq || sent->stamp_ns == 0) {
        note_lag(check, CHECK_LATE_MS);
        check->unmatched += check->measures;
        return;
    }
    if (stamp_ns > sent->stamp_ns)
        took_us = (stamp_ns - sent->stamp_ns) / 1000;
    note_lag(check, took_us / 1000);
    if (!check->measures)
        return;
    check->held += !view_same_place(sent->pos, sync->frame.pos);
    if (stamp_ns != 0)
        latency_add(&check->latency, took_us);
}

/* ---- the truth, sampled */

static struct check_sample sample_of(const struct client *client)
{
    struct check_sample sample = { .drives = WIRE_NONE };

    if (client == NULL || !client_is_in_world(client))
        return sample;
    sample.in_world = true;
    memcpy(sample.pos, client->frame.pos, sizeof sample.pos);
    sample.virtual_world = client->virtual_world;
    sample.interior = client->interior;
    sample.grants = client->grants;
    sample.repeats = (uint32_t)(client->stats.duplicates + client->stats.ahead);
    if (client_drives(client))
        sample.drives = client->frame.vehicle_id;
    return sample;
}

static void note_delays(struct check *check, uint64_t now_ms)
{
    uint64_t passed_ms = now_ms - check->sampled_ms;

    if (check->samples == 0)
        return;
    /* When this process is late itself, so is all that it knows. */
    note_lag(check, passed_ms - CHECK_SAMPLE_MS);
    check->silent_ms = check->heard > 0 || check->shown == 0 ? 0 : check->silent_ms + passed_ms;
    note_lag(check, check->silent_ms);
    check->heard = 0;
}

static void take_samples(struct check *check, uint64_t now_ms)
{
    note_delays(check, now_ms);
    for (uint32_t i = 0; i < check->config.bots; i++) {
        struct check_bot *bot = &check->bots[i];

        check->latest[i] = sample_of(bot->client);
        bot->samples[check->samples % CHECK_SAMPLES] = check->latest[i];
        if (check->latest[i].drives != WIRE_NONE)
            check_note_driven(check, now_ms, i);
    }
    check->samples++;
    check->sampled_ms = now_ms;
    check->lags_ms[check->samples % CHECK_LAGS] = 0;
}

/* False: the server is too late, or there are too few samples yet. */
static bool choose_window(struct check *check)
{
    uint32_t lag_ms = 0;

    for (size_t i = 0; i < CHECK_LAGS; i++) {
        if (check->lags_ms[i] > lag_ms)
            lag_ms = check->lags_ms[i];
    }
    check->window = (check->config.window_ms + 2 * lag_ms) / CHECK_SAMPLE_MS + 1;
    check->left_ms = check->config.left_ms + 2 * lag_ms;
    check->late_sweeps += check->window > CHECK_SAMPLES;
    return check->window <= CHECK_SAMPLES && check->samples >= check->window;
}

uint64_t check_window_ms(const struct check *check)
{
    return (uint64_t)(check->window - 1) * CHECK_SAMPLE_MS;
}

/* The sample taken `back` samples before the last one. */
const struct check_sample *check_sample_at(const struct check *check, uint32_t bot, uint32_t back)
{
    return &check->bots[bot].samples[(check->samples - 1 - back) % CHECK_SAMPLES];
}

float check_distance(const float a[3], const float b[3])
{
    float x = a[0] - b[0];
    float y = a[1] - b[1];
    float z = a[2] - b[2];

    return sqrtf(x * x + y * y + z * z);
}

enum relation check_relation(const struct check_sample *a, const struct check_sample *b)
{
    float far_m;

    if (!a->in_world || !b->in_world)
        return RELATION_UNCLEAR;
    if (a->virtual_world != b->virtual_world || a->interior != b->interior)
        return RELATION_FAR;
    far_m = check_distance(a->pos, b->pos);
    if (far_m <= CHECK_RANGE_M - CHECK_MARGIN_M)
        return RELATION_NEAR;
    return far_m >= CHECK_RANGE_M + CHECK_MARGIN_M ? RELATION_FAR : RELATION_UNCLEAR;
}

/* How two bots have been to each other during the whole window. */
static enum relation relation_in_window(const struct check *check, uint32_t a, uint32_t b)
{
    enum relation relation = check_relation(&check->latest[a], &check->latest[b]);

    for (uint32_t back = 1; back < check->window; back++) {
        if (check_relation(check_sample_at(check, a, back), check_sample_at(check, b, back)) != relation)
            return RELATION_UNCLEAR;
    }
    return relation;
}

/* Where it has been in the window, within the margin of a sample; also when the server has just placed it
 * elsewhere. */
bool check_has_been_at(const struct check *check, uint32_t bot, const float pos[3])
{
    const struct check_sample *now = &check->latest[bot];

    for (uint32_t back = 0; back < check->window; back++) {
        const struct check_sample *then = check_sample_at(check, bot, back);

        if (!then->in_world || then->grants != now->grants || check_distance(then->pos, pos) <= CHECK_PLACE_M)
            return true;
    }
    return false;
}

/* ---- players */

static void judge_shown_bot(struct check *check, uint64_t now_ms, uint32_t observer, uint32_t subject,
                            const struct view_player *shown)
{
    const struct client *client = check->bots[observer].client;
    enum relation relation = check_relation(&check->latest[observer], &check->latest[subject]);

    check->views++;
    if (relation == RELATION_FAR && relation_in_window(check, observer, subject) == RELATION_FAR)
        check_violate(check, VIOLATION_FAR_PLAYER, client, "sees player", shown->id);
    else if (relation == RELATION_NEAR && now_ms - shown->framed_ms > check_window_ms(check) &&
             relation_in_window(check, observer, subject) == RELATION_NEAR)
        check_violate(check, VIOLATION_STALE_PLAYER, client, "has no new frame of player", shown->id);
    else if (relation == RELATION_NEAR && !check_has_been_at(check, subject, shown->pos))
        check_violate(check, VIOLATION_MISPLACED_PLAYER, client, "sees in another place player", shown->id);
}

static void judge_shown_player(struct check *check, uint64_t now_ms, uint32_t observer,
                               const struct view_player *shown)
{
    const struct client *client = check->bots[observer].client;
    const struct check_owner *owner = owner_of(check, shown->id);

    if (owner == NULL || owner->token == 0)
        return;
    if (owner->token != shown->generation) {
        if (serial32_newer(owner->token, shown->generation) && now_ms - owner->joined_ms > check->left_ms)
            check_violate(check, VIOLATION_OLD_GENERATION, client, "sees the former owner of id", shown->id);
        return;
    }
    if (owner->left_ms != 0) {
        if (now_ms - owner->left_ms > check->left_ms)
            check_violate(check, VIOLATION_GONE_PLAYER, client, "still sees player", shown->id);
        return;
    }
    check->seen_pass[owner->bot] = check->pass;
    judge_shown_bot(check, now_ms, observer, owner->bot, shown);
}

/* Player, Streaming: shows begin only below 128 unacked events. */
bool check_has_full_lane(const struct check *check, uint32_t observer)
{
    return check->latest[observer].repeats - check_sample_at(check, observer, check->window - 1)->repeats >
           CHECK_REPEATS_MAX;
}

static void judge_players(struct check *check, uint64_t now_ms, uint32_t observer)
{
    const struct client *client = check->bots[observer].client;
    const struct check_sample *own = &check->latest[observer];

    check->pass++;
    check->observers++;
    for (uint32_t i = 0; i < client->view.players_count; i++) {
        if (client->view.players[i].is_shown)
            judge_shown_player(check, now_ms, observer, &client->view.players[i]);
    }
    if (check_has_full_lane(check, observer))
        return;
    for (uint32_t i = 0; i < check->config.bots; i++) {
        const struct check_sample *other = &check->latest[i];

        if (i == observer || !other->in_world || check->seen_pass[i] == check->pass)
            continue;
        if (check_relation(own, other) == RELATION_NEAR &&
            relation_in_window(check, observer, i) == RELATION_NEAR)
            check_violate(check, VIOLATION_UNSEEN_PLAYER, client, "does not see player",
                          check->bots[i].client->player_id);
    }
}

/* ---- sweeps */

static void sweep(struct check *check, uint64_t now_ms)
{
    uint32_t bots = check->config.bots;
    uint64_t left = CHECK_PAIRS_MAX;
    uint64_t views = check->views;

    check_forget_drivers(check, now_ms);
    for (uint32_t i = 0; i < bots && left > 0; i++) {
        uint32_t observer = check->next_observer;
        uint64_t cost = bots + check->vehicles_count;

        check->next_observer = (observer + 1) % bots;
        if (!check->latest[observer].in_world)
            continue;
        judge_players(check, now_ms, observer);
        check_note_seen(check, now_ms, observer);
        for (uint32_t j = 0; j < check->vehicles_count; j++)
            check_judge_vehicle(check, now_ms, observer, &check->vehicles[j]);
        left -= cost < left ? cost : left;
    }
    check->shown = check->views - views;
}

void check_tick(struct check *check, uint64_t now_ms)
{
    if (now_ms < check_wakes_at(check))
        return;
    take_samples(check, now_ms);
    if (choose_window(check))
        sweep(check, now_ms);
}

uint64_t check_wakes_at(const struct check *check)
{
    return check->samples == 0 ? 0 : check->sampled_ms + CHECK_SAMPLE_MS;
}
