#include "tests/sim/crowd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/motorist.h"

enum {
    ACT_MS = 300, /* between two things that a client does */
    GONE_MIN_MS = 100,
    GONE_MAX_MS = 20 * 1000, /* trap 12 */
    FIRST_PORT = 20000,
    FRAME_MS = 100,
    WRAP_WITHIN = 200, /* frames */
};

static void complain(struct crowd *crowd, const struct actor *actor, const char *what)
{
    if (crowd->complaint[0] == '\0')
        (void)snprintf(crowd->complaint, sizeof crowd->complaint, "%s: %s", actor->name, what);
}

/* ---- what they are told */

/* The stay of this token; NULL: nobody here was it. */
static struct stay *find_stay(const struct crowd *crowd, uint32_t token)
{
    for (size_t i = crowd->stays_count; i > 0; i--) {
        if (crowd->stays[i - 1].token == token)
            return &crowd->stays[i - 1];
    }
    return NULL;
}

static struct stay *stay_of(const struct actor *actor)
{
    return actor->player_token == 0 ? NULL : &actor->crowd->stays[actor->stay];
}

static void may_leave(const struct actor *actor, uint8_t reasons)
{
    struct stay *stay = stay_of(actor);

    if (stay != NULL)
        stay->may |= reasons;
}

static void add_stay(struct crowd *crowd, struct actor *actor)
{
    const struct client *client = &actor->client;

    if (crowd->stays_count == crowd->stays_capacity) {
        crowd->stays_capacity = crowd->stays_capacity == 0 ? 64 : 2 * crowd->stays_capacity;
        crowd->stays = realloc(crowd->stays, crowd->stays_capacity * sizeof crowd->stays[0]);
        if (crowd->stays == NULL)
            abort();
    }
    actor->stay = crowd->stays_count++;
    actor->player_token = client->player_token;
    crowd->stays[actor->stay] = (struct stay){ .id = client->player_id,
                                               .token = client->player_token,
                                               .actor = actor->number,
                                               .may = crowd->may_always };
    if (actor->list != NULL)
        memset(actor->list, 0, CROWD_LIST_MAX * sizeof actor->list[0]);
}

static void on_hello(struct crowd *crowd, struct actor *actor)
{
    const struct client *client = &actor->client;

    if (client->player_token == actor->player_token)
        return; /* a repeat */
    if (find_stay(crowd, client->player_token) != NULL)
        complain(crowd, actor, "has the token of another player");
    if (client->player_token <= actor->floor)
        complain(crowd, actor, "has a token below one that was there before it knocked");
    for (uint32_t i = 0; i < crowd->count && !crowd->ids_are_shared; i++) {
        const struct actor *other = &crowd->actors[i];

        if (other != actor && actor_is_open(other) && other->client.player_id == client->player_id)
            complain(crowd, actor, "has the id of somebody who is here");
    }
    if (client->player_token > crowd->highest_token)
        crowd->highest_token = client->player_token;
    add_stay(crowd, actor);
    if (crowd->dies_when_in)
        actor_die_hard(actor);
}

static void on_left(struct crowd *crowd, struct actor *actor, const struct wire_player_leave *leave)
{
    struct stay *stay = find_stay(crowd, leave->player_token);
    uint8_t reason = CROWD_MAY(leave->reason);

    if (actor->list != NULL && leave->player_id < CROWD_LIST_MAX &&
        actor->list[leave->player_id] == leave->player_token)
        actor->list[leave->player_id] = 0;
    if (stay == NULL)
        return; /* let in, and gone before its client heard of it */
    if (stay->id != leave->player_id)
        complain(crowd, actor, "is told that a player left under another id than it had");
    if ((stay->may & reason) == 0)
        complain(crowd, actor, "is told that a player left for a reason that it did not have");
    if (stay->told != 0 && stay->told != reason && !crowd->tells_unalike)
        complain(crowd, actor, "is told another reason of a leave than somebody else");
    if (stay->told == 0)
        stay->told_ms = crowd->cluster->now_ms;
    stay->told = reason;
}

static void on_listed(struct actor *actor, const struct wire_player_list_entry *entry)
{
    if (actor->list != NULL && entry->player_id < CROWD_LIST_MAX)
        actor->list[entry->player_id] = entry->active ? entry->player_token : 0;
}

static void on_frame(struct crowd *crowd, const struct actor *actor,
                     const struct wire_remote_player_sync *sync)
{
    const struct stay *stay = find_stay(crowd, sync->player_token);
    const struct actor *sender = stay == NULL ? NULL : &crowd->actors[stay->actor];
    uint32_t at = sync->seq % CROWD_SENT;

    if (actor->way != NULL || sender == NULL || sender->way != NULL || sender->sent_seqs[at] != sync->seq ||
        actor->client.verdict != VIEW_APPLIED)
        return;
    if (crowd->cluster->now_ms - sender->sent_ms[at] > crowd->latency_max_ms)
        crowd->latency_max_ms = crowd->cluster->now_ms - sender->sent_ms[at];
}

static void heard(void *context, const struct wire_packet *packet, const union wire_any *any)
{
    struct actor *actor = context;

    if (packet->id == PACKET_SERVER_HELLO && client_is_open(&actor->client))
        on_hello(actor->crowd, actor);
    else if (packet->id == PACKET_KICK_NOTIFY)
        may_leave(actor, CROWD_MAY(any->kick_notify.reason));
    else if (packet->id == PACKET_PLAYER_LEAVE)
        on_left(actor->crowd, actor, &any->player_leave);
    else if (packet->id == PACKET_PLAYER_LIST_ENTRY)
        on_listed(actor, &any->player_list_entry);
    else if (packet->id == PACKET_REMOTE_PLAYER_SYNC && actor->crowd->measures)
        on_frame(actor->crowd, actor, &any->remote_player_sync);
}

/* Nothing on the way to a client has a token, so what was meant for its former connection, on the same port,
 * could not be told apart: frames that ServerHello has overtaken are lost here. */
static bool is_of_former(const struct actor *actor, const struct message *message)
{
    if (actor->client.state == CLIENT_GREETING)
        return message->data[0] != PACKET_CONNECT_CHALLENGE && message->data[0] != PACKET_CONNECT_REJECT &&
               message->data[0] != PACKET_SERVER_HELLO;
    return message->order < actor->hello_order;
}

void crowd_arrived(void *context, const struct message *message)
{
    struct crowd *crowd = context;
    struct actor *actor = &crowd->actors[message->to];
    bool was_open = client_is_open(&actor->client);

    /* Another port: nobody listens there any more. */
    if (actor->is_gone || actor->port != message->port || is_of_former(actor, message))
        return;
    client_on_datagram(&actor->client, crowd->cluster->now_ms, (struct span){ message->data, message->size });
    if (!was_open && client_is_open(&actor->client))
        actor->hello_order = message->order;
}

const struct way *crowd_way(void *context, uint16_t client)
{
    const struct crowd *crowd = context;

    static const struct way nowhere = { .loss = 1.0 };
    const struct actor *actor = &crowd->actors[client];

    if (actor->is_gone)
        return &nowhere;
    return actor->way != NULL ? actor->way : &crowd->way;
}

/* ---- coming and going */

static void send_up(void *context, struct span datagram)
{
    struct actor *actor = context;
    uint8_t id = datagram.data[0];

    if (actor->acks_nothing && id == PACKET_CLIENT_ACK)
        return;
    if (id == PACKET_PLAYER_SYNC) {
        uint32_t seq = load_u32(datagram.data + WIRE_PLAYER_SYNC_SEQ_AT);

        actor->sent_seqs[seq % CROWD_SENT] = seq;
        actor->sent_ms[seq % CROWD_SENT] = actor->crowd->cluster->now_ms;
    }
    cluster_send(actor->crowd->cluster, actor->number, actor->port, actor->gateway, datagram);
}

static void start_client(struct actor *actor)
{
    const struct client_config config = { .name = actor->name,
                                          .password = "",
                                          .frame_ms = FRAME_MS,
                                          .send = send_up,
                                          .context = actor,
                                          .heard = heard };

    client_init(&actor->client, &config, actor->crowd->rng);
    if (actor->crowd->rehearses_wraps) {
        actor->client.seq = (uint32_t)(0 - rng_below(actor->crowd->rng, WRAP_WITHIN));
        actor->client.vehicle_seq = (uint32_t)(0 - rng_below(actor->crowd->rng, WRAP_WITHIN));
    }
    behaviour_init(&actor->behaviour, BEHAVIOUR_MIXED, rng_u64(actor->crowd->rng), 5000);
}

void crowd_init(struct crowd *crowd, struct cluster *cluster, struct rng *rng, uint32_t count, bool has_lists,
                bool rehearses_wraps)
{
    *crowd =
        (struct crowd){ .cluster = cluster, .rng = rng, .count = count, .rehearses_wraps = rehearses_wraps };
    crowd->actors = calloc(count, sizeof crowd->actors[0]);
    if (crowd->actors == NULL)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        struct actor *actor = &crowd->actors[i];

        (void)snprintf(actor->name, sizeof actor->name, "client_%u", i);
        actor->crowd = crowd;
        actor->number = (uint16_t)i;
        actor->port = FIRST_PORT;
        actor->gateway = (uint16_t)(cluster->first_gateway + i % cluster->config.gateways);
        actor->acts_ms = UINT64_MAX;
        actor->is_driver = i % 3 == 0;
        actor->list = has_lists ? calloc(CROWD_LIST_MAX, sizeof actor->list[0]) : NULL;
        if (has_lists && actor->list == NULL)
            abort();
        start_client(actor);
    }
}

void crowd_fini(struct crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        client_fini(&crowd->actors[i].client);
        free(crowd->actors[i].list);
    }
    free(crowd->actors);
    free(crowd->stays);
    *crowd = (struct crowd){ 0 };
}

bool actor_is_open(const struct actor *actor)
{
    return !actor->is_gone && client_is_open(&actor->client);
}

bool actor_is_in(const struct actor *actor)
{
    return !actor->is_gone && actor->client.state == CLIENT_SPAWNED;
}

void actor_knock(struct actor *actor, bool new_port)
{
    struct crowd *crowd = actor->crowd;

    if (actor->is_gone) {
        client_fini(&actor->client);
        start_client(actor);
        actor->is_gone = false;
    }
    /* Its former connection is replaced, or found silent. */
    may_leave(actor, CROWD_MAY(0) | CROWD_MAY(1));
    if (new_port)
        actor->port++;
    actor->floor = crowd->highest_token;
    crowd->joins++;
    client_connect(&actor->client, crowd->cluster->now_ms);
}

void actor_leave(struct actor *actor)
{
    may_leave(actor, CROWD_MAY(0) | CROWD_MAY(1));
    client_leave(&actor->client, actor->crowd->cluster->now_ms);
}

void actor_die_hard(struct actor *actor)
{
    may_leave(actor, CROWD_MAY(1));
    actor->is_gone = true;
}

/* ---- what they do */

static void walk(struct actor *actor)
{
    struct rng *rng = actor->crowd->rng;
    float turn = rng_unit(rng) * 6.28f;
    float step = rng_unit(rng) * 12.0f;
    const float still[3] = { 0 };
    float pos[3];

    memcpy(pos, actor->client.frame.pos, sizeof pos);
    pos[0] = fminf(fmaxf(pos[0] + step * cosf(turn), -3000.0f), 3000.0f);
    pos[1] = fminf(fmaxf(pos[1] + step * sinf(turn), -3000.0f), 3000.0f);
    client_move(&actor->client, pos, still, 0.0f);
}

static void come_back(struct actor *actor)
{
    const struct cluster *cluster = actor->crowd->cluster;
    struct rng *rng = actor->crowd->rng;
    bool new_port = rng_chance(rng, 0.5);

    if (rng_chance(rng, 0.2)) {
        actor->gateway = (uint16_t)(cluster->first_gateway + rng_below(rng, cluster->config.gateways));
        new_port = true;
    }
    actor_knock(actor, new_port);
}

static void act_in_world(struct actor *actor, uint64_t dice)
{
    struct client *client = &actor->client;
    struct crowd *crowd = actor->crowd;
    uint64_t now_ms = crowd->cluster->now_ms;

    if (dice < 10)
        (void)client_chat(client, now_ms, "good morning");
    else if (dice < 80 && motorist_act(client, crowd->rng, now_ms))
        return;
    else if (client->frame.vehicle_id == WIRE_NONE)
        walk(actor);
}

static void act(struct actor *actor)
{
    struct crowd *crowd = actor->crowd;
    struct client *client = &actor->client;
    uint64_t dice = rng_below(crowd->rng, 100);

    actor->acts_ms = crowd->cluster->now_ms + ACT_MS / 2 + rng_below(crowd->rng, ACT_MS);
    if (actor->is_gone || client->state == CLIENT_CLOSED || client->state == CLIENT_NEW) {
        come_back(actor);
    } else if (dice < 2 && client_is_open(client)) {
        actor_leave(actor);
    } else if (dice == 2 && client->state != CLIENT_GREETING) {
        actor_die_hard(actor);
        actor->acts_ms =
            crowd->cluster->now_ms + GONE_MIN_MS + rng_below(crowd->rng, GONE_MAX_MS - GONE_MIN_MS);
    } else if (dice < 5) {
        (void)client_die(client, crowd->cluster->now_ms);
    } else if (client->state == CLIENT_SPAWNED && !actor->is_driver) {
        act_in_world(actor, dice);
    }
}

void crowd_run(struct crowd *crowd, bool acts)
{
    uint64_t now_ms = crowd->cluster->now_ms;

    for (uint32_t i = 0; i < crowd->count; i++) {
        struct actor *actor = &crowd->actors[i];

        if (acts && now_ms >= actor->acts_ms)
            act(actor);
        if (actor->is_gone)
            continue;
        if (acts && actor->is_driver)
            behaviour_tick(&actor->behaviour, &actor->client, now_ms);
        client_tick(&actor->client, now_ms);
    }
}

uint64_t crowd_wakes_at(const struct crowd *crowd, bool acts)
{
    uint64_t next_ms = UINT64_MAX;

    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct actor *actor = &crowd->actors[i];
        uint64_t wakes_ms = actor->is_gone ? UINT64_MAX : client_wakes_at(&actor->client);

        if (acts && actor->acts_ms < wakes_ms)
            wakes_ms = actor->acts_ms;
        if (acts && actor->is_driver && !actor->is_gone) {
            uint64_t moves_ms = behaviour_wakes_at(&actor->behaviour, &actor->client);

            wakes_ms = moves_ms < wakes_ms ? moves_ms : wakes_ms;
        }
        next_ms = wakes_ms < next_ms ? wakes_ms : next_ms;
    }
    return next_ms;
}

bool crowd_gather(struct crowd *crowd)
{
    bool all_in = true;

    for (uint32_t i = 0; i < crowd->count; i++) {
        struct actor *actor = &crowd->actors[i];

        all_in = all_in && actor_is_in(actor);
        if (actor->is_gone || actor->client.state == CLIENT_CLOSED || actor->client.state == CLIENT_NEW)
            come_back(actor);
    }
    return all_in;
}

const char *crowd_complaint(struct crowd *crowd)
{
    for (uint32_t i = 0; i < crowd->count && crowd->complaint[0] == '\0'; i++) {
        const struct actor *actor = &crowd->actors[i];

        if (actor->client.stats.complaints > 0)
            complain(crowd, actor, client_complaint(&actor->client));
    }
    return crowd->complaint[0] == '\0' ? NULL : crowd->complaint;
}
