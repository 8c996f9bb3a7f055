#include "bots/swarm_inside.h"

#include <stdio.h>
#include <string.h>

#include "bots/places.h"

static void bot_send(void *context, struct span datagram)
{
    struct bot *bot = context;
    struct swarm *swarm = bot->swarm;
    uint64_t stamp_ns = swarm->io.send(swarm->io.context, bot->number, datagram);

    if (datagram.data[0] == PACKET_PLAYER_SYNC)
        check_sent(&swarm->check, bot->number, bot->client.seq, bot->client.frame.pos, stamp_ns);
}

static void bot_heard(void *context, const struct wire_packet *packet, const union wire_any *any)
{
    struct bot *bot = context;

    if (packet->id == PACKET_REMOTE_PLAYER_SYNC && bot->client.verdict != VIEW_BEGUN)
        check_heard(&bot->swarm->check, &any->remote_player_sync, bot->swarm->stamp_ns);
}

/* About the mean; at least half of it. */
static uint64_t draw_ms(struct swarm *swarm, uint32_t mean_ms)
{
    return mean_ms / 2 + rng_below(&swarm->rng, (uint64_t)mean_ms + 1);
}

static void bot_start(struct bot *bot, uint64_t now_ms)
{
    struct swarm *swarm = bot->swarm;
    const struct client_config config = {
        .name = bot->name,
        .password = swarm->config.password,
        .frame_ms = 1000 / swarm->config.frames_per_s,
        .send = bot_send,
        .context = bot,
        .heard = bot_heard,
        .stays_out = bot->behaviour.kind == BEHAVIOUR_LOBBY,
        .is_in_order = swarm->config.is_in_order,
        .is_honest = !swarm->config.allows_refusals,
    };

    if (bot->lives++ > 0)
        swarm->io.reopen(swarm->io.context, bot->number);
    client_init(&bot->client, &config, &swarm->rng);
    bot->behaviour.stepped_ms = 0;
    bot->behaviour.grants = 0;
    bot->is_started = true;
    bot->was_open = false;
    bot->is_over = false;
    bot->complaints = 0;
    bot->leaves_ms = swarm->config.stay_ms > 0 ? now_ms + draw_ms(swarm, swarm->config.stay_ms) : UINT64_MAX;
    client_connect(&bot->client, now_ms);
}

/* Its client goes, what it counted stays. */
static void bot_retire(struct bot *bot)
{
    client_stats_add(&bot->swarm->gone, &bot->client.stats);
    client_fini(&bot->client);
    bot->is_started = false;
}

static void count_end(struct bot *bot)
{
    struct swarm *swarm = bot->swarm;
    const struct client *client = &bot->client;

    bot->is_over = true;
    switch (client->end) {
    case CLIENT_END_REJECTED:
        swarm->rejected[client->reject < REPORT_REJECTS ? client->reject : 0]++;
        break;
    case CLIENT_END_KICKED:
        swarm->kicked[client->kicked < REPORT_LEAVES ? client->kicked : 0]++;
        break;
    case CLIENT_END_NO_ANSWER:
        swarm->no_answer++;
        break;
    case CLIENT_END_SILENCE:
        swarm->silence++;
        break;
    case CLIENT_END_NONE:
    case CLIENT_END_LEFT:
    case CLIENT_ENDS:
        break;
    }
}

/* ---- homes */

/* NULL: there are more than we know how to hold. */
static struct scope *take_scope(struct swarm *swarm, const struct client *client)
{
    struct scope *scope;

    for (uint32_t i = 0; i < swarm->scopes_count; i++) {
        scope = &swarm->scopes[i];
        if (scope->virtual_world == client->virtual_world && scope->interior == client->interior)
            return scope;
    }
    if (swarm->scopes_count == SCOPES_MAX)
        return NULL;
    scope = &swarm->scopes[swarm->scopes_count++];
    *scope = (struct scope){ .virtual_world = client->virtual_world, .interior = client->interior };
    memcpy(scope->center, client->frame.pos, sizeof scope->center);
    return scope;
}

/* Around the place where the first bot of the scope was spawned. A bot that has had a home keeps it. */
static void give_home(struct bot *bot)
{
    struct swarm *swarm = bot->swarm;
    struct scope *scope;
    float place[3];

    if (bot->behaviour.has_home || swarm->config.spread == SWARM_SPREAD_NONE)
        return;
    scope = take_scope(swarm, &bot->client);
    if (scope == NULL)
        return;
    if (swarm->config.spread == SWARM_SPREAD_CLUSTER)
        places_in_cluster(&swarm->rng, scope->center, place);
    else
        places_on_disc(scope->center, swarm->radius_m, swarm->config.bots, scope->homes++, place);
    behaviour_set_home(&bot->behaviour, place);
}

/* What has become of the client since the last look. */
void bot_notice(struct bot *bot, uint64_t now_ms)
{
    struct swarm *swarm = bot->swarm;
    const struct client *client = &bot->client;

    if (!bot->was_open && client_is_open(client)) {
        bot->was_open = true;
        bot->was_opened = true;
        swarm->joins++;
        check_joined(&swarm->check, now_ms, bot->number, client);
    }
    if (client_is_in_world(client)) {
        bot->was_spawned = true;
        give_home(bot);
    }
    if (client->state == CLIENT_CLOSED && !bot->is_over) {
        if (bot->was_open)
            check_left(&swarm->check, now_ms, bot->number);
        count_end(bot);
    }
}

void bot_wakes(struct bot *bot)
{
    uint64_t client_ms = client_wakes_at(&bot->client);
    uint64_t behaviour_ms = behaviour_wakes_at(&bot->behaviour, &bot->client);
    uint64_t wakes_ms = client_ms < behaviour_ms ? client_ms : behaviour_ms;

    wakes_ms = bot->leaves_ms < wakes_ms ? bot->leaves_ms : wakes_ms;
    bot->swarm->wakes_ms[bot->number] = wakes_ms;
    if (wakes_ms < bot->swarm->next_ms)
        bot->swarm->next_ms = wakes_ms;
}

/* It leaves, and comes back as somebody else. */
static void bot_change(struct bot *bot, uint64_t now_ms)
{
    client_leave(&bot->client, now_ms);
    bot_notice(bot, now_ms);
    bot_retire(bot);
    bot_start(bot, now_ms);
}

void bot_tick(struct bot *bot, uint64_t now_ms)
{
    struct swarm *swarm = bot->swarm;

    if (!bot->is_started) {
        bot_start(bot, now_ms);
    } else {
        if (now_ms >= bot->leaves_ms && client_is_open(&bot->client) && swarm->phase != SWARM_LEAVING)
            bot_change(bot, now_ms);
        behaviour_tick(&bot->behaviour, &bot->client, now_ms);
        client_tick(&bot->client, now_ms);
        bot_notice(bot, now_ms);
        /* One that is gone before its time does not wake for that. */
        if (now_ms >= bot->leaves_ms)
            bot->leaves_ms = UINT64_MAX;
    }
    bot_wakes(bot);
}

void bot_note_complaint(struct bot *bot, struct span datagram)
{
    const struct client *client = &bot->client;
    struct wire_error error = { 0 };
    const struct wire_packet *packet = wire_identify(WIRE_S2C, datagram.data, datagram.size, &error);
    union wire_any any;
    char why[96] = "";
    char text[CHECK_NOTE_SIZE];

    bot->complaints = client->stats.complaints;
    if (client->last_violation == VIOLATION_MALFORMED &&
        wire_decode(WIRE_S2C, datagram.data, datagram.size, &any, &error) == NULL)
        (void)wire_error_format(&error, why, sizeof why);
    (void)snprintf(text, sizeof text, "%s: %s (player %u): %s, %zu bytes %s",
                   violation_name(client->last_violation), client->name, client->player_id,
                   packet != NULL ? packet->layout->name : "no known packet", datagram.size, why);
    check_note(&bot->swarm->check, text);
}
