#include "bots/client.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/serial.h"

#define STEPS_PER_S 50.0f    /* Player: physics steps, the unit of time of a speed */
#define CLIENT_BESIDE_M 2.5f /* ours: where one stands after getting out */

void client_init(struct client *client, const struct client_config *config, struct rng *rng)
{
    size_t size = strlen(config->name);

    assert(size <= CLIENT_NAME_MAX);
    *client = (struct client){ .config = *config, .rng = rng };
    memcpy(client->name, config->name, size + 1);
    client->config.name = client->name;
}

void client_fini(struct client *client)
{
    events_out_fini(&client->out);
    view_fini(&client->view);
}

bool client_is_open(const struct client *client)
{
    return client->state == CLIENT_CONNECTED || client->state == CLIENT_SPAWNED ||
           client->state == CLIENT_DEAD;
}

bool client_is_in_world(const struct client *client)
{
    return client->state == CLIENT_SPAWNED || client->state == CLIENT_DEAD;
}

struct view_vehicle *client_vehicle(const struct client *client)
{
    return client->frame.vehicle_id == WIRE_NONE ? NULL
                                                 : view_vehicle(&client->view, client->frame.vehicle_id);
}

bool client_drives(const struct client *client)
{
    return client->state == CLIENT_SPAWNED && client->frame.seat == 0 && client_vehicle(client) != NULL;
}

static struct span span_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static void violate(struct client *client, enum violation violation)
{
    client->stats.violations[violation]++;
}

const char *client_complaint(const struct client *client)
{
    for (int i = 0; i < VIOLATIONS; i++) {
        if (client->stats.violations[i] > 0)
            return violation_says((enum violation)i);
    }
    return NULL;
}

static void close_for(struct client *client, enum client_end end)
{
    client->state = CLIENT_CLOSED;
    client->end = end;
}

/* ---- sending */

static void send_bytes(struct client *client, const struct wire_packet *packet, struct span datagram)
{
    client->stats.packets_out[packet->index]++;
    client->stats.bytes_out += datagram.size;
    client->config.send(client->config.context, datagram);
}

/* What cannot be encoded is a fault of ours. */
static size_t encode(const struct wire_packet *packet, const void *value,
                     uint8_t buffer[WIRE_PACKET_SIZE_MAX])
{
    struct wire_error error;
    size_t size = packet->encode(value, buffer, WIRE_PACKET_SIZE_MAX, &error);

    assert(size > 0);
    return size;
}

static void send_packet(struct client *client, const struct wire_packet *packet, const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    send_bytes(client, packet, (struct span){ buffer, encode(packet, value, buffer) });
}

static bool takes_events(const struct client *client)
{
    return client_is_open(client) && events_out_has_room(&client->out);
}

/* The number that the next event has to carry. */
static uint32_t next_event(const struct client *client)
{
    return client->out.last_id + 1;
}

static void send_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                       const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct span datagram = { buffer, encode(packet, value, buffer) };

    events_out_push(&client->out, now_ms, datagram);
    client->stats.events_out++;
    send_bytes(client, packet, datagram);
}

static void resend_due(struct client *client, uint64_t now_ms)
{
    const struct events_out_item *due[EVENTS_RESENDS_MAX];
    size_t count = events_out_due(&client->out, now_ms, due);

    for (size_t i = 0; i < count; i++) {
        struct wire_error error;
        const struct wire_packet *packet = wire_identify(WIRE_C2S, due[i]->data, due[i]->size, &error);

        client->stats.resends++;
        send_bytes(client, packet, (struct span){ due[i]->data, due[i]->size });
    }
}

static void flush_ack(struct client *client)
{
    if (!client->ack_is_due)
        return;
    client->ack_is_due = false;
    send_packet(client, &wire_client_ack_packet,
                &(struct wire_client_ack){ .token = client->token, .ack = client->in.delivered_id });
}

/* ---- opening and closing */

static void say_hello(struct client *client, uint64_t now_ms)
{
    struct wire_client_hello hello = {
        .protocol_version = WIRE_VERSION,
        .client_nonce = client->nonce,
        .cookie = client->cookie,
        .name = span_of(client->config.name),
        .password = span_of(client->config.password),
    };

    client->hello_ms = now_ms;
    client->hellos++;
    send_packet(client, &wire_client_hello_packet, &hello);
}

void client_connect(struct client *client, uint64_t now_ms)
{
    events_out_clear(&client->out);
    view_clear(&client->view);
    client->in = (struct events_in){ 0 };
    client->ack_is_due = false;
    client->state = CLIENT_GREETING;
    client->end = CLIENT_END_NONE;
    client->reject = 0;
    client->kicked = 0;
    client->token = 0;
    client->cookie = 0;
    client->hellos = 0;
    client->challenges = 0;
    client->nonce = rng_token(client->rng);
    client->frame = (struct wire_frame){ .vehicle_id = WIRE_NONE };
    say_hello(client, now_ms);
}

void client_leave(struct client *client, uint64_t now_ms)
{
    (void)now_ms;
    for (int i = 0; i < 3 && client_is_open(client); i++)
        send_packet(client, &wire_client_bye_packet, &(struct wire_client_bye){ .token = client->token });
    close_for(client, CLIENT_END_LEFT);
}

static void ask_for_spawn(struct client *client, uint64_t now_ms)
{
    if (!takes_events(client))
        return;
    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    if (client->state == CLIENT_DEAD)
        send_event(client, now_ms, &wire_respawn_request_packet,
                   &(struct wire_respawn_request){ .token = client->token, .event_id = next_event(client) });
    else
        send_event(client, now_ms, &wire_request_spawn_packet,
                   &(struct wire_request_spawn){ .token = client->token, .event_id = next_event(client) });
}

static void on_connect_challenge(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_connect_challenge *challenge = &any->connect_challenge;

    if (client->state != CLIENT_GREETING || challenge->client_nonce != client->nonce)
        return;
    if (client->cookie == 0)
        client->hellos = 0;
    client->cookie = challenge->cookie;
    if (client->challenges++ < CLIENT_CHALLENGES_MAX)
        say_hello(client, now_ms);
}

static void on_connect_reject(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    if (client->state != CLIENT_GREETING || any->connect_reject.client_nonce != client->nonce)
        return;
    client->reject = any->connect_reject.reason;
    close_for(client, CLIENT_END_REJECTED);
}

static void on_server_hello(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_server_hello *hello = &any->server_hello;

    if (hello->client_nonce != client->nonce)
        return;
    if (client->state != CLIENT_GREETING) {
        if (client_is_open(client) &&
            (hello->session_token != client->token || hello->player_token != client->player_token))
            violate(client, VIOLATION_HELLO_CHANGED);
        return;
    }
    client->state = CLIENT_CONNECTED;
    client->token = hello->session_token;
    client->player_id = hello->player_id;
    client->player_token = hello->player_token;
    client->heartbeat_ms = hello->heartbeat_ms;
    /* The first packet that carries the token: the server need not repeat itself. */
    if (client->config.stays_out)
        client->ack_is_due = true;
    else
        ask_for_spawn(client, now_ms);
}

static void on_server_keepalive(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    if (!client_is_open(client))
        return;
    client->rtt = any->server_keepalive.rtt;
    send_packet(client, &wire_client_pong_packet,
                &(struct wire_client_pong){ .token = client->token, .stamp = any->server_keepalive.stamp });
}

static void on_server_ack(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    if (events_out_ack(&client->out, any->server_ack.ack) == EVENTS_ACK_AHEAD)
        violate(client, VIOLATION_ACK_AHEAD);
}

static void on_kick_notify(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    client->kicked = any->kick_notify.reason;
    close_for(client, CLIENT_END_KICKED);
}

/* ---- its own life */

static bool is_self(const struct client *client, uint32_t player_id, uint32_t player_token)
{
    return player_id == client->player_id && player_token == client->player_token;
}

static void set_pos(struct client *client, const float pos[3])
{
    memcpy(client->frame.pos, pos, sizeof client->frame.pos);
    client->moved = true;
}

static void unseat(struct client *client)
{
    client->frame.vehicle_id = WIRE_NONE;
    client->frame.seat = 0;
    client->moved = true;
}

static void take_grant(struct client *client, const struct wire_spawn_player *grant)
{
    uint16_t vital_rev = client->frame.vital_rev;

    client->state = CLIENT_SPAWNED;
    client->frame = (struct wire_frame){
        .heading = grant->heading,
        .hp = 100.0f,
        .vehicle_id = WIRE_NONE,
        .life = grant->life,
        .pose_rev = grant->pose_rev,
        .weapon_rev = grant->weapon_rev,
        .vital_rev = vital_rev,
    };
    client->interior = grant->interior;
    client->virtual_world = grant->virtual_world;
    client->is_frozen = false;
    client->grants++;
    client->framed_ms = 0;
    set_pos(client, grant->pos);
}

static void on_spawn_player(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_grant(client, &any->spawn_player);
}

static void on_respawn_player(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_respawn_player *grant = &any->respawn_player;

    (void)now_ms;
    take_grant(client, &(struct wire_spawn_player){
                           .life = grant->life,
                           .pos = { grant->pos[0], grant->pos[1], grant->pos[2] },
                           .heading = grant->heading,
                           .interior = grant->interior,
                           .virtual_world = grant->virtual_world,
                           .pose_rev = grant->pose_rev,
                           .weapon_rev = grant->weapon_rev,
                       });
}

static void on_teleport_player(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    client->frame.pose_rev = any->teleport_player.pose_rev;
    client->frame.heading = any->teleport_player.heading;
    client->interior = any->teleport_player.interior;
    client->grants++;
    set_pos(client, any->teleport_player.pos);
}

/* Player, Scope changes: what does not come along has been hidden before the barrier. */
static bool is_left_behind(const struct client *client)
{
    const struct view *view = &client->view;
    const struct view_vehicle *own = client_vehicle(client);

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        if (view->vehicles[i].is_shown && own == NULL)
            return true;
    }
    for (uint32_t i = 0; i < view->players_count; i++) {
        if (view->players[i].is_shown && own == NULL)
            return true;
    }
    return false;
}

static void on_scope_changed(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    /* Whoever drives takes others along: which of them, only the server knows. */
    if (is_left_behind(client))
        violate(client, VIOLATION_BARRIER);
    client->interior = any->scope_changed.interior;
    client->virtual_world = any->scope_changed.virtual_world;
}

static void on_set_frozen(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    client->is_frozen = any->set_frozen.frozen != 0;
}

static void set_vitals(struct client *client, uint64_t now_ms, float hp, float armor, uint16_t rev)
{
    client->frame.hp = fminf(fmaxf(hp, 0.0f), 200.0f);
    client->frame.armor = fminf(fmaxf(armor, 0.0f), 200.0f);
    client->frame.vital_rev = rev;
    client->moved = true;
    if (client->frame.hp <= 0.0f && client->state == CLIENT_SPAWNED)
        (void)client_die(client, now_ms);
}

static void on_set_health(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    set_vitals(client, now_ms, any->set_health.value, client->frame.armor, any->set_health.rev);
}

static void on_set_armor(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    set_vitals(client, now_ms, client->frame.hp, any->set_armor.value, any->set_armor.rev);
}

/* What is there, raised to at most `max`. */
static float given(float value, float amount, float max)
{
    return value >= max ? value : fminf(value + amount, max);
}

static void on_give_health(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    set_vitals(client, now_ms, given(client->frame.hp, any->give_health.amount, any->give_health.max),
               client->frame.armor, any->give_health.rev);
}

static void on_give_armor(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    set_vitals(client, now_ms, client->frame.hp,
               given(client->frame.armor, any->give_armor.amount, any->give_armor.max), any->give_armor.rev);
}

/* A client without weapons of its own takes every inventory command, and fights with its fists. */
static void take_inventory(struct client *client, uint16_t rev)
{
    client->frame.weapon_rev = rev;
    client->moved = true;
}

static void on_give_weapon(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_inventory(client, any->give_weapon.rev);
}

static void on_take_weapon(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_inventory(client, any->take_weapon.rev);
}

static void on_set_weapon_ammo(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_inventory(client, any->set_weapon_ammo.rev);
}

static void on_clear_weapons(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_inventory(client, any->clear_weapons.rev);
}

static void on_set_armed_weapon(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    take_inventory(client, any->set_armed_weapon.rev);
}

/* ---- other players */

static void count_verdict(struct client *client, enum view_verdict verdict)
{
    client->stats.stale += verdict == VIEW_STALE;
    client->stats.stragglers += verdict == VIEW_STRAGGLER;
}

static void on_remote_player_sync(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_remote_player_sync *sync = &any->remote_player_sync;

    if (is_self(client, sync->player_id, sync->player_token))
        violate(client, VIOLATION_OWN_FRAME);
    else
        count_verdict(client, view_on_player_frame(&client->view, now_ms, sync));
}

static bool is_of_living(struct client *client, uint32_t player_id, uint32_t player_token)
{
    if (view_on_player_event(&client->view, player_id, player_token))
        return true;
    violate(client, VIOLATION_LEFT_PLAYER);
    return false;
}

static void on_player_spawned(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_player_spawned *spawned = &any->player_spawned;

    (void)now_ms;
    if (!view_on_player_spawned(&client->view, spawned->player_id, spawned->player_token))
        violate(client, VIOLATION_LEFT_PLAYER);
}

static void on_player_wasted(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_player_wasted *wasted = &any->player_wasted;

    (void)now_ms;
    if (is_of_living(client, wasted->player_id, wasted->player_token))
        view_on_player_wasted(&client->view, wasted->player_id, wasted->player_token);
}

static void on_player_list_entry(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    (void)is_of_living(client, any->player_list_entry.player_id, any->player_list_entry.player_token);
}

static void on_player_stream_out(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    view_on_player_stream_out(&client->view, &any->player_stream_out);
}

static void on_player_leave(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    view_on_player_leave(&client->view, &any->player_leave);
}

/* ---- vehicles */

static bool is_shown(struct client *client, bool told)
{
    if (!told)
        violate(client, VIOLATION_UNKNOWN_VEHICLE);
    return told;
}

static void on_vehicle_sync(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    if (!view_on_vehicle_sync(&client->view, now_ms, &any->vehicle_sync))
        violate(client, VIOLATION_SHOWN_TWICE);
    if (any->vehicle_sync.active == 0 && client->frame.vehicle_id == any->vehicle_sync.vehicle_id)
        unseat(client);
}

static void sit_down(struct client *client, const struct view_vehicle *vehicle, uint8_t seat)
{
    client->frame.vehicle_id = vehicle->id;
    client->frame.seat = seat;
    client->drive = (struct wire_vehicle_state){ .nitro = 1.0f };
    memcpy(client->drive.pos, vehicle->pos, sizeof client->drive.pos);
    memcpy(client->drive.rot, vehicle->rot, sizeof client->drive.rot);
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    set_pos(client, vehicle->pos);
}

static void get_out(struct client *client)
{
    float pos[3] = { client->frame.pos[0] + CLIENT_BESIDE_M, client->frame.pos[1], client->frame.pos[2] };

    unseat(client);
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    set_pos(client, pos);
}

static void on_vehicle_occupancy(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_vehicle_occupancy *occupancy = &any->vehicle_occupancy;
    bool is_own = is_self(client, occupancy->player_id, occupancy->player_token);

    (void)now_ms;
    if (occupancy->kind == VIEW_DENY) { /* also the answer about a vehicle that has gone */
        client->denied += is_own;
        return;
    }
    if (!is_of_living(client, occupancy->player_id, occupancy->player_token) ||
        !is_shown(client, view_on_vehicle_occupancy(&client->view, occupancy)) || !is_own)
        return;
    if (occupancy->kind == VIEW_ENTER || occupancy->kind == VIEW_WARP)
        sit_down(client, view_vehicle(&client->view, occupancy->vehicle_id), occupancy->seat);
    else if (client->frame.vehicle_id == occupancy->vehicle_id)
        get_out(client);
}

static void on_remote_vehicle_frame(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct wire_remote_vehicle_frame *frame = &any->remote_vehicle_frame;
    enum view_verdict verdict;

    if (is_self(client, frame->source_id, frame->source_token)) {
        violate(client, VIOLATION_OWN_FRAME);
        return;
    }
    verdict = view_on_vehicle_frame(&client->view, now_ms, frame);
    count_verdict(client, verdict);
    /* A passenger is where its vehicle is. */
    if (verdict == VIEW_APPLIED && client->frame.vehicle_id == frame->vehicle_id && client->frame.seat != 0)
        set_pos(client, frame->state.pos);
}

static void on_vehicle_transform(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    const struct view_vehicle *vehicle = client_vehicle(client);

    if (!is_shown(client, view_on_vehicle_transform(&client->view, now_ms, &any->vehicle_transform)) ||
        vehicle == NULL || vehicle->id != any->vehicle_transform.vehicle_id)
        return;
    memcpy(client->drive.pos, vehicle->pos, sizeof client->drive.pos);
    memcpy(client->drive.rot, vehicle->rot, sizeof client->drive.rot);
    set_pos(client, vehicle->pos);
}

static void on_vehicle_health(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    (void)is_shown(client, view_on_vehicle_health(&client->view, &any->vehicle_health));
}

static void on_vehicle_params(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    (void)is_shown(client, view_on_vehicle_params(&client->view, &any->vehicle_params));
}

static void on_vehicle_death(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    (void)now_ms;
    (void)is_shown(client, view_on_vehicle_death(&client->view, &any->vehicle_death));
}

static void on_vehicle_syncer(struct client *client, uint64_t now_ms, const union wire_any *any)
{
    struct view_vehicle *vehicle = view_vehicle(&client->view, any->vehicle_syncer.vehicle_id);

    if (!is_shown(client, vehicle != NULL))
        return;
    vehicle->is_synced = any->vehicle_syncer.active != 0;
    vehicle->sync_until_ms = vehicle->is_synced ? now_ms + CLIENT_SYNC_MORE_MS : 0;
    if (vehicle->is_synced)
        client->synced_ms = 0;
}

/* ---- receiving */

/* What is not here a client shows, plays or stores; to a server it makes no difference. */
static void (*const handlers[256])(struct client *client, uint64_t now_ms, const union wire_any *any) = {
    [PACKET_CONNECT_CHALLENGE] = on_connect_challenge,
    [PACKET_CONNECT_REJECT] = on_connect_reject,
    [PACKET_SERVER_HELLO] = on_server_hello,
    [PACKET_SERVER_KEEPALIVE] = on_server_keepalive,
    [PACKET_SERVER_ACK] = on_server_ack,
    [PACKET_KICK_NOTIFY] = on_kick_notify,
    [PACKET_SPAWN_PLAYER] = on_spawn_player,
    [PACKET_RESPAWN_PLAYER] = on_respawn_player,
    [PACKET_TELEPORT_PLAYER] = on_teleport_player,
    [PACKET_SCOPE_CHANGED] = on_scope_changed,
    [PACKET_SET_FROZEN] = on_set_frozen,
    [PACKET_SET_HEALTH] = on_set_health,
    [PACKET_SET_ARMOR] = on_set_armor,
    [PACKET_GIVE_HEALTH] = on_give_health,
    [PACKET_GIVE_ARMOR] = on_give_armor,
    [PACKET_GIVE_WEAPON] = on_give_weapon,
    [PACKET_TAKE_WEAPON] = on_take_weapon,
    [PACKET_SET_WEAPON_AMMO] = on_set_weapon_ammo,
    [PACKET_CLEAR_WEAPONS] = on_clear_weapons,
    [PACKET_SET_ARMED_WEAPON] = on_set_armed_weapon,
    [PACKET_REMOTE_PLAYER_SYNC] = on_remote_player_sync,
    [PACKET_PLAYER_SPAWNED] = on_player_spawned,
    [PACKET_PLAYER_WASTED] = on_player_wasted,
    [PACKET_PLAYER_LIST_ENTRY] = on_player_list_entry,
    [PACKET_PLAYER_STREAM_OUT] = on_player_stream_out,
    [PACKET_PLAYER_LEAVE] = on_player_leave,
    [PACKET_VEHICLE_SYNC] = on_vehicle_sync,
    [PACKET_VEHICLE_OCCUPANCY] = on_vehicle_occupancy,
    [PACKET_REMOTE_VEHICLE_FRAME] = on_remote_vehicle_frame,
    [PACKET_VEHICLE_TRANSFORM] = on_vehicle_transform,
    [PACKET_VEHICLE_HEALTH] = on_vehicle_health,
    [PACKET_VEHICLE_PARAMS] = on_vehicle_params,
    [PACKET_VEHICLE_DEATH] = on_vehicle_death,
    [PACKET_VEHICLE_SYNCER] = on_vehicle_syncer,
};

/* Whether the event is to be delivered. Every one is answered. */
static bool take_event(struct client *client, const struct wire_packet *packet, struct span datagram)
{
    enum events_receipt receipt =
        events_in_take(&client->in, load_u32(datagram.data + packet->event_id_at), datagram);

    client->ack_is_due = true;
    switch (receipt) {
    case EVENTS_NEXT:
        client->stats.events_in++;
        return true;
    case EVENTS_REPEATED:
        client->stats.duplicates++;
        return false;
    case EVENTS_AHEAD:
        client->stats.ahead++;
        return false;
    case EVENTS_CHANGED:
        violate(client, VIOLATION_EVENT_CHANGED);
        return false;
    case EVENTS_OVERRUN:
        violate(client, VIOLATION_EVENT_OVERRUN);
        return false;
    case EVENTS_ZERO:
        break;
    }
    violate(client, VIOLATION_EVENT_ZERO);
    return false;
}

void client_on_datagram(struct client *client, uint64_t now_ms, struct span datagram)
{
    const struct wire_packet *packet;
    struct wire_error error;
    union wire_any any;

    if (client->state == CLIENT_NEW)
        return;
    client->stats.bytes_in += datagram.size;
    packet = wire_decode(WIRE_S2C, datagram.data, datagram.size, &any, &error);
    if (packet == NULL || datagram.size > WIRE_PACKET_SIZE_MAX) {
        violate(client, VIOLATION_MALFORMED);
        return;
    }
    client->stats.packets_in[packet->index]++;
    /* Whoever was kicked goes on answering: the ack may have been lost. */
    if (client->state == CLIENT_CLOSED && client->end != CLIENT_END_KICKED)
        return;
    client->heard_ms = now_ms;
    if (packet->lane == WIRE_RELIABLE && (client->token == 0 || !take_event(client, packet, datagram)))
        return;
    if (handlers[packet->id] != NULL && client->state != CLIENT_CLOSED)
        handlers[packet->id](client, now_ms, &any);
    if (client->config.heard != NULL)
        client->config.heard(client->config.context, packet, &any);
}

/* ---- frames */

static void send_frame(struct client *client, uint64_t now_ms)
{
    struct wire_player_sync sync = { .session_token = client->token,
                                     .seq = ++client->seq,
                                     .frame = client->frame };

    client->framed_ms = now_ms;
    client->moved = false;
    send_packet(client, &wire_player_sync_packet, &sync);
}

static void send_vehicle_frame(struct client *client, const struct view_vehicle *vehicle,
                               const struct wire_vehicle_state *state)
{
    struct wire_vehicle_frame frame = {
        .token = client->token,
        .seq = ++client->vehicle_seq,
        .vehicle_id = vehicle->id,
        .state = *state,
    };

    frame.state.health = vehicle->health;
    frame.state.epoch = vehicle->epoch;
    frame.state.health_rev = vehicle->health_rev;
    frame.state.siren_rev = vehicle->siren_rev;
    frame.state.pose_rev = vehicle->pose_rev;
    send_packet(client, &wire_vehicle_frame_packet, &frame);
}

static void send_driven(struct client *client, uint64_t now_ms)
{
    struct view_vehicle *vehicle = client_vehicle(client);

    client->driven_ms = now_ms;
    if (memcmp(vehicle->pos, client->drive.pos, sizeof vehicle->pos) != 0)
        vehicle->moved_ms = now_ms;
    memcpy(vehicle->pos, client->drive.pos, sizeof vehicle->pos);
    memcpy(vehicle->rot, client->drive.rot, sizeof vehicle->rot);
    send_vehicle_frame(client, vehicle, &client->drive);
}

/* The vehicles that it syncs stand still: each gets its frames right after the client was made its syncer. The longest
 * waiting first: it goes on where it stopped. */
static void send_synced(struct client *client, uint64_t now_ms)
{
    const struct view *view = &client->view;
    uint32_t sent = 0;

    client->synced_ms = now_ms;
    for (uint32_t i = 0; i < view->vehicles_count && sent < CLIENT_SYNCED_MAX; i++) {
        uint32_t index = (client->synced_next + i) % view->vehicles_count;
        const struct view_vehicle *vehicle = &view->vehicles[index];
        struct wire_vehicle_state state = { .nitro = 1.0f };

        if (!vehicle->is_shown || !vehicle->is_synced || now_ms > vehicle->sync_until_ms)
            continue;
        memcpy(state.pos, vehicle->pos, sizeof state.pos);
        memcpy(state.rot, vehicle->rot, sizeof state.rot);
        send_vehicle_frame(client, vehicle, &state);
        client->synced_next = index + 1;
        sent++;
    }
}

static uint64_t sync_ends_ms(const struct client *client)
{
    uint64_t ends_ms = 0;

    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && vehicle->is_synced && vehicle->sync_until_ms > ends_ms)
            ends_ms = vehicle->sync_until_ms;
    }
    return ends_ms;
}

/* ---- time */

static uint64_t frame_at_ms(const struct client *client)
{
    uint64_t heartbeat_ms = client->framed_ms + client->heartbeat_ms;
    uint64_t moves_ms = client->framed_ms + client->config.frame_ms;

    return client->moved && moves_ms < heartbeat_ms ? moves_ms : heartbeat_ms;
}

uint64_t client_moves_at(const struct client *client)
{
    return client->framed_ms + client->config.frame_ms;
}

static void tick_greeting(struct client *client, uint64_t now_ms)
{
    uint32_t hellos_max = client->cookie == 0 ? CLIENT_HELLOS_MAX : CLIENT_PROVEN_HELLOS_MAX;

    if (now_ms - client->hello_ms < CLIENT_HELLO_MS)
        return;
    if (client->hellos >= hellos_max)
        close_for(client, CLIENT_END_NO_ANSWER);
    else
        say_hello(client, now_ms);
}

static bool waits_for_spawn(const struct client *client)
{
    return (client->state == CLIENT_CONNECTED && !client->config.stays_out) || client->state == CLIENT_DEAD;
}

void client_tick(struct client *client, uint64_t now_ms)
{
    flush_ack(client);
    if (client->state == CLIENT_GREETING)
        tick_greeting(client, now_ms);
    if (!client_is_open(client))
        return;
    if (now_ms - client->heard_ms >= CLIENT_SILENCE_MS) {
        close_for(client, CLIENT_END_SILENCE);
        return;
    }
    resend_due(client, now_ms);
    if (waits_for_spawn(client) && now_ms >= client->spawn_at_ms)
        ask_for_spawn(client, now_ms);
    if (!client_is_in_world(client))
        return;
    if (client_drives(client) && now_ms >= client->driven_ms + client->config.frame_ms)
        send_driven(client, now_ms);
    if (now_ms >= frame_at_ms(client))
        send_frame(client, now_ms);
    if (client->state == CLIENT_SPAWNED && now_ms >= client->synced_ms + CLIENT_SYNC_MS &&
        now_ms <= sync_ends_ms(client))
        send_synced(client, now_ms);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t client_wakes_at(const struct client *client)
{
    uint64_t wakes_ms = UINT64_MAX;

    if (client->ack_is_due)
        return 0;
    if (client->state == CLIENT_GREETING)
        return client->hello_ms + CLIENT_HELLO_MS;
    if (!client_is_open(client))
        return UINT64_MAX;
    wakes_ms = earlier(client->heard_ms + CLIENT_SILENCE_MS, events_out_wakes_at(&client->out));
    if (waits_for_spawn(client))
        wakes_ms = earlier(wakes_ms, client->spawn_at_ms);
    if (!client_is_in_world(client))
        return wakes_ms;
    wakes_ms = earlier(wakes_ms, frame_at_ms(client));
    if (client_drives(client))
        wakes_ms = earlier(wakes_ms, client->driven_ms + client->config.frame_ms);
    if (client->state == CLIENT_SPAWNED && client->synced_ms + CLIENT_SYNC_MS <= sync_ends_ms(client))
        wakes_ms = earlier(wakes_ms, client->synced_ms + CLIENT_SYNC_MS);
    return wakes_ms;
}

/* ---- doing things */

void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading)
{
    if (client->state != CLIENT_SPAWNED || client->is_frozen || client->frame.vehicle_id != WIRE_NONE)
        return;
    memcpy(client->frame.move_speed, move_speed, sizeof client->frame.move_speed);
    client->frame.heading = heading;
    set_pos(client, pos);
}

void client_drive(struct client *client, const float pos[3], float heading, float speed_m_per_s, float steer)
{
    const struct view_vehicle *vehicle = client_vehicle(client);
    float angle = heading * (float)M_PI / 180.0f;
    float speed = speed_m_per_s / STEPS_PER_S;

    if (!client_drives(client) || client->is_frozen || vehicle->is_frozen)
        return;
    memcpy(client->drive.pos, pos, sizeof client->drive.pos);
    view_level_rotation(heading, client->drive.rot);
    client->drive.move_speed[0] = -sinf(angle) * speed;
    client->drive.move_speed[1] = cosf(angle) * speed;
    client->drive.raw_steer = steer;
    client->drive.steer = steer * 0.5f;
    client->drive.gas = speed_m_per_s > 0.0f ? 0.6f : 0.0f;
    client->drive.brake = speed_m_per_s > 0.0f ? 0.0f : 1.0f;
    memcpy(client->frame.move_speed, client->drive.move_speed, sizeof client->frame.move_speed);
    client->frame.heading = heading;
    set_pos(client, pos);
}

bool client_chat(struct client *client, uint64_t now_ms, const char *text)
{
    if (!takes_events(client))
        return false;
    send_event(client, now_ms, &wire_client_chat_packet,
               &(struct wire_client_chat){
                   .token = client->token, .event_id = next_event(client), .text = span_of(text) });
    return true;
}

bool client_command(struct client *client, uint64_t now_ms, const char *text)
{
    if (!takes_events(client))
        return false;
    send_event(client, now_ms, &wire_client_command_packet,
               &(struct wire_client_command){
                   .token = client->token, .event_id = next_event(client), .text = span_of(text) });
    return true;
}

bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat)
{
    if (!takes_events(client))
        return false;
    send_event(
        client, now_ms, &wire_vehicle_enter_packet,
        &(struct wire_vehicle_enter){
            .token = client->token, .event_id = next_event(client), .vehicle_id = vehicle_id, .seat = seat });
    return true;
}

bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id)
{
    if (!takes_events(client))
        return false;
    send_event(client, now_ms, &wire_vehicle_exit_packet,
               &(struct wire_vehicle_exit){
                   .token = client->token, .event_id = next_event(client), .vehicle_id = vehicle_id });
    if (client->frame.vehicle_id == vehicle_id)
        get_out(client);
    return true;
}

bool client_die(struct client *client, uint64_t now_ms)
{
    if (client->state != CLIENT_SPAWNED || !takes_events(client))
        return false;
    send_event(client, now_ms, &wire_death_report_packet,
               &(struct wire_death_report){
                   .token = client->token, .event_id = next_event(client), .life = client->frame.life });
    client->state = CLIENT_DEAD;
    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    client->frame.hp = 0.0f;
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    unseat(client);
    return true;
}

bool client_sees(const struct client *client, uint32_t player_id, uint32_t player_token)
{
    return view_shows_player(&client->view, player_id, player_token);
}

bool client_sees_vehicle(const struct client *client, uint32_t vehicle_id)
{
    return view_vehicle(&client->view, vehicle_id) != NULL;
}

void client_stats_add(struct client_stats *sum, const struct client_stats *stats)
{
    /* Counters alone, all of one type. */
    const uint64_t *from = (const uint64_t *)stats;
    uint64_t *to = (uint64_t *)sum;

    for (size_t i = 0; i < sizeof *stats / sizeof *from; i++)
        to[i] += from[i];
}
