#include "bots/client_inside.h"

#include <math.h>
#include <string.h>

enum { LINKS_MAX = 8 }; /* ours: more than any chain has */

/* ---- opening and closing */

static void on_connect_challenge(struct client *client, const union wire_any *any)
{
    const struct wire_connect_challenge *challenge = &any->connect_challenge;

    if (client->state != CLIENT_GREETING || challenge->client_nonce != client->nonce)
        return;
    if (client->cookie == 0)
        client->hellos = 0;
    client->cookie = challenge->cookie;
    if (client->challenges++ < CLIENT_CHALLENGES_MAX)
        client_say_hello(client, client->heard_ms);
}

static void on_connect_reject(struct client *client, const union wire_any *any)
{
    if (client->state != CLIENT_GREETING || any->connect_reject.client_nonce != client->nonce)
        return;
    client->reject = any->connect_reject.reason;
    client_close(client, CLIENT_END_REJECTED);
}

static void on_server_hello(struct client *client, const union wire_any *any)
{
    const struct wire_server_hello *hello = &any->server_hello;

    if (hello->client_nonce != client->nonce)
        return;
    if (client->state != CLIENT_GREETING) {
        if (client_is_open(client) &&
            (hello->session_token != client->token || hello->player_token != client->player_token))
            client_violate(client, VIOLATION_HELLO_CHANGED);
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
        client_ask_for_spawn(client, client->heard_ms);
}

static void on_server_keepalive(struct client *client, const union wire_any *any)
{
    if (!client_is_open(client))
        return;
    client_send(client, &wire_client_pong_packet,
                &(struct wire_client_pong){ .token = client->token, .stamp = any->server_keepalive.stamp });
}

static void on_server_ack(struct client *client, const union wire_any *any)
{
    if (events_out_ack(&client->out, any->server_ack.ack) == EVENTS_ACK_AHEAD)
        client_violate(client, VIOLATION_ACK_AHEAD);
}

static void on_kick_notify(struct client *client, const union wire_any *any)
{
    client->kicked = any->kick_notify.reason;
    client_close(client, CLIENT_END_KICKED);
}

/* ---- its own life */

bool client_is_self(const struct client *client, uint32_t player_id, uint32_t player_token)
{
    return player_id == client->player_id && player_token == client->player_token;
}

void client_set_pos(struct client *client, const float pos[3])
{
    memcpy(client->frame.pos, pos, sizeof client->frame.pos);
    client->moved = true;
}

void client_unseat(struct client *client)
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
    client_set_pos(client, grant->pos);
}

static void on_spawn_player(struct client *client, const union wire_any *any)
{
    take_grant(client, &any->spawn_player);
}

static void on_respawn_player(struct client *client, const union wire_any *any)
{
    const struct wire_respawn_player *grant = &any->respawn_player;

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

static void on_teleport_player(struct client *client, const union wire_any *any)
{
    client->frame.pose_rev = any->teleport_player.pose_rev;
    client->frame.heading = any->teleport_player.heading;
    client->interior = any->teleport_player.interior;
    client->grants++;
    client_set_pos(client, any->teleport_player.pos);
}

/* The seat of a player, as the server has told it: the client itself may have got out already. */
static const struct view_vehicle *seat_of(const struct view *view, uint32_t id, uint32_t token)
{
    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        for (size_t seat = 0; view->vehicles[i].is_shown && seat < VIEW_SEATS; seat++) {
            const struct view_seat *held = &view->vehicles[i].seats[seat];

            if (held->player_token == token && held->player_id == id)
                return &view->vehicles[i];
        }
    }
    return NULL;
}

/* What the vehicle hangs on in the end; itself if it hangs on nothing that is shown. */
static const struct view_vehicle *top_of(const struct view *view, const struct view_vehicle *vehicle)
{
    for (int links = 0; links < LINKS_MAX; links++) {
        uint32_t id = vehicle->tractor_id != WIRE_NONE ? vehicle->tractor_id : vehicle->lifter_id;
        const struct view_vehicle *holder = id == WIRE_NONE ? NULL : view_vehicle(view, id);

        if (holder == NULL)
            break;
        vehicle = holder;
    }
    return vehicle;
}

/* Player, Scope changes: what comes along with the client's vehicle stays shown, and all else was hidden. */
static bool shows_anything_else(const struct client *client)
{
    const struct view *view = &client->view;
    const struct view_vehicle *own = seat_of(view, client->player_id, client->player_token);

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[i];

        if (vehicle->is_shown && (own == NULL || top_of(view, vehicle) != top_of(view, own)))
            return true;
    }
    for (uint32_t i = 0; i < view->players_count; i++) {
        const struct view_player *player = &view->players[i];

        if (player->is_shown && (player->is_told || client->config.is_in_order) &&
            seat_of(view, player->id, player->generation) == NULL)
            return true;
    }
    return false;
}

/* A frame of a player who is shown after the barrier, or after the one after that, may have overtaken it. */
static void on_scope_changed(struct client *client, const union wire_any *any)
{
    if (shows_anything_else(client))
        client_violate(client, VIOLATION_BARRIER);
    client->interior = any->scope_changed.interior;
    client->virtual_world = any->scope_changed.virtual_world;
}

static void on_set_frozen(struct client *client, const union wire_any *any)
{
    client->is_frozen = any->set_frozen.frozen != 0;
}

static void set_vitals(struct client *client, float hp, float armor, uint16_t rev)
{
    client->frame.hp = fminf(fmaxf(hp, 0.0f), 200.0f);
    client->frame.armor = fminf(fmaxf(armor, 0.0f), 200.0f);
    client->frame.vital_rev = rev;
    client->moved = true;
    if (client->frame.hp <= 0.0f && client->state == CLIENT_SPAWNED)
        (void)client_die(client, client->heard_ms);
}

static void on_set_health(struct client *client, const union wire_any *any)
{
    set_vitals(client, any->set_health.value, client->frame.armor, any->set_health.rev);
}

static void on_set_armor(struct client *client, const union wire_any *any)
{
    set_vitals(client, client->frame.hp, any->set_armor.value, any->set_armor.rev);
}

/* What is there, raised to at most `max`. */
static float given(float value, float amount, float max)
{
    return value >= max ? value : fminf(value + amount, max);
}

static void on_give_health(struct client *client, const union wire_any *any)
{
    set_vitals(client, given(client->frame.hp, any->give_health.amount, any->give_health.max),
               client->frame.armor, any->give_health.rev);
}

static void on_give_armor(struct client *client, const union wire_any *any)
{
    set_vitals(client, client->frame.hp,
               given(client->frame.armor, any->give_armor.amount, any->give_armor.max), any->give_armor.rev);
}

/* A client without weapons of its own takes every inventory command, and fights with its fists. */
static void take_inventory(struct client *client, uint16_t rev)
{
    client->frame.weapon_rev = rev;
    client->moved = true;
}

static void on_give_weapon(struct client *client, const union wire_any *any)
{
    take_inventory(client, any->give_weapon.rev);
}

static void on_take_weapon(struct client *client, const union wire_any *any)
{
    take_inventory(client, any->take_weapon.rev);
}

static void on_set_weapon_ammo(struct client *client, const union wire_any *any)
{
    take_inventory(client, any->set_weapon_ammo.rev);
}

static void on_clear_weapons(struct client *client, const union wire_any *any)
{
    take_inventory(client, any->clear_weapons.rev);
}

static void on_set_armed_weapon(struct client *client, const union wire_any *any)
{
    take_inventory(client, any->set_armed_weapon.rev);
}

/* ---- other players */

void client_count_verdict(struct client *client, enum view_verdict verdict)
{
    client->stats.stale += verdict == VIEW_STALE;
    client->stats.stragglers += verdict == VIEW_STRAGGLER;
}

static void on_remote_player_sync(struct client *client, const union wire_any *any)
{
    const struct wire_remote_player_sync *sync = &any->remote_player_sync;

    if (client_is_self(client, sync->player_id, sync->player_token)) {
        client_violate(client, VIOLATION_OWN_FRAME);
        return;
    }
    client->verdict = view_on_player_frame(&client->view, client->heard_ms, sync);
    client_count_verdict(client, client->verdict);
}

bool client_is_of_living(struct client *client, uint32_t player_id, uint32_t player_token)
{
    if (view_on_player_event(&client->view, player_id, player_token))
        return true;
    client_violate(client, VIOLATION_LEFT_PLAYER);
    return false;
}

static void on_player_spawned(struct client *client, const union wire_any *any)
{
    const struct wire_player_spawned *spawned = &any->player_spawned;

    if (!view_on_player_spawned(&client->view, spawned->player_id, spawned->player_token))
        client_violate(client, VIOLATION_LEFT_PLAYER);
}

static void on_player_wasted(struct client *client, const union wire_any *any)
{
    const struct wire_player_wasted *wasted = &any->player_wasted;

    if (client_is_of_living(client, wasted->player_id, wasted->player_token))
        view_on_player_wasted(&client->view, wasted->player_id, wasted->player_token);
}

static void on_player_list_entry(struct client *client, const union wire_any *any)
{
    (void)client_is_of_living(client, any->player_list_entry.player_id, any->player_list_entry.player_token);
}

static void on_player_stream_out(struct client *client, const union wire_any *any)
{
    view_on_player_stream_out(&client->view, &any->player_stream_out);
}

static void on_player_leave(struct client *client, const union wire_any *any)
{
    view_on_player_leave(&client->view, &any->player_leave);
}

/* ---- receiving */

/* What is not here a client shows, plays or stores; to a server it makes no difference. */
static void (*const handlers[256])(struct client *client, const union wire_any *any) = {
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
    [PACKET_VEHICLE_SYNC] = client_on_vehicle_sync,
    [PACKET_VEHICLE_OCCUPANCY] = client_on_vehicle_occupancy,
    [PACKET_REMOTE_VEHICLE_FRAME] = client_on_remote_vehicle_frame,
    [PACKET_VEHICLE_TRANSFORM] = client_on_vehicle_transform,
    [PACKET_VEHICLE_HEALTH] = client_on_vehicle_health,
    [PACKET_VEHICLE_PARAMS] = client_on_vehicle_params,
    [PACKET_VEHICLE_DEATH] = client_on_vehicle_death,
    [PACKET_VEHICLE_SYNCER] = client_on_vehicle_syncer,
    [PACKET_REMOTE_VEHICLE_DAMAGE] = client_on_remote_vehicle_damage,
    [PACKET_REMOTE_VEHICLE_SHOT] = client_on_remote_vehicle_shot,
    [PACKET_VEHICLE_TUNING] = client_on_vehicle_tuning,
    [PACKET_VEHICLE_HANDLING] = client_on_vehicle_handling,
    [PACKET_VEHICLE_COLORS] = client_on_vehicle_colors,
    [PACKET_VEHICLE_TRAILER] = client_on_vehicle_trailer,
    [PACKET_VEHICLE_LIFT] = client_on_vehicle_lift,
    [PACKET_TRAIN_STATE] = client_on_train_state,
    [PACKET_VEHICLE_REMOTE] = client_on_vehicle_remote,
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
        client_violate(client, VIOLATION_EVENT_CHANGED);
        return false;
    case EVENTS_OVERRUN:
        client_violate(client, VIOLATION_EVENT_OVERRUN);
        return false;
    case EVENTS_ZERO:
        break;
    }
    client_violate(client, VIOLATION_EVENT_ZERO);
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
        client_violate(client, VIOLATION_MALFORMED);
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
        handlers[packet->id](client, &any);
    if (client->view.gone_back != client->gone_back)
        client_violate(client, VIOLATION_REVISION_BACK);
    client->gone_back = client->view.gone_back;
    if (client->config.heard != NULL)
        client->config.heard(client->config.context, packet, &any);
}
