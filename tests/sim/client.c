#include "tests/sim/client.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/serial.h"

int client_init(struct client *client, const struct client_config *config, struct rng *rng)
{
    *client = (struct client){ .config = *config, .rng = rng };
    assert(strlen(config->name) < sizeof client->name);
    memcpy(client->name, config->name, strlen(config->name) + 1);
    client->config.name = client->name;
    client->others = calloc(CLIENT_OTHERS_MAX, sizeof *client->others);
    client->vehicles = calloc(CLIENT_OTHERS_MAX, sizeof *client->vehicles);
    if (client->others != NULL && client->vehicles != NULL)
        return 0;
    client_fini(client);
    return -1;
}

void client_fini(struct client *client)
{
    free(client->others);
    free(client->vehicles);
    client->others = NULL;
    client->vehicles = NULL;
}

static struct span span_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static void violate(struct client *client, enum client_violation violation)
{
    client->counts[violation]++;
}

const char *client_complaint(const struct client *client)
{
    static const char *const words[CLIENT_VIOLATIONS] = {
        [CLIENT_MALFORMED] = "the server sent a malformed packet",
        [CLIENT_EVENT_CHANGED] = "an event id came again with other bytes",
        [CLIENT_LEFT_PLAYER] = "an event shows a player that has left",
        [CLIENT_UNKNOWN_VEHICLE] = "an event is about a vehicle that is not shown",
        [CLIENT_SHOWN_TWICE] = "what is shown was shown again, or what is not shown was hidden",
    };

    for (size_t i = 0; i < CLIENT_VIOLATIONS; i++) {
        if (words[i] != NULL && client->counts[i] > 0)
            return words[i];
    }
    return NULL;
}

/* ---- sending */

/* Encodes and sends. What cannot be encoded is a fault of ours. */
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
    size_t size = encode(packet, value, buffer);

    client->packets_out[packet->index]++;
    client->config.send(client->config.context, (struct span){ buffer, size });
}

/* Room for the next event, numbered; NULL: too many wait. */
static struct client_event *next_event(struct client *client, uint64_t now_ms)
{
    struct client_event *event = &client->events[client->events_count];

    if (client->events_count == CLIENT_EVENTS_MAX)
        return NULL;
    event->event_id = ++client->event_id;
    event->sent_ms = now_ms;
    client->events_count++;
    return event;
}

static void send_event(struct client *client, const struct wire_packet *packet, const void *value,
                       struct client_event *event)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    size_t size = encode(packet, value, buffer);

    assert(size <= sizeof event->data);
    memcpy(event->data, buffer, size);
    event->size = (uint16_t)size;
    client->packets_out[packet->index]++;
    client->config.send(client->config.context, (struct span){ event->data, size });
}

static void resend_due(struct client *client, uint64_t now_ms)
{
    for (uint32_t i = 0; i < client->events_count; i++) {
        struct client_event *event = &client->events[i];

        if (now_ms - event->sent_ms < CLIENT_RTO_MS)
            continue;
        event->sent_ms = now_ms;
        client->resends++;
        client->config.send(client->config.context, (struct span){ event->data, event->size });
    }
}

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
    client->state = CLIENT_GREETING;
    client->nonce = rng_token(client->rng);
    client->cookie = 0;
    client->hellos = 0;
    say_hello(client, now_ms);
}

void client_leave(struct client *client, uint64_t now_ms)
{
    (void)now_ms;
    for (int i = 0; i < 3 && client->token != 0; i++)
        send_packet(client, &wire_client_bye_packet, &(struct wire_client_bye){ .token = client->token });
    client->state = CLIENT_CLOSED;
}

/* ---- the view */

static struct client_other *other_of(struct client *client, uint32_t player_id)
{
    return player_id < CLIENT_OTHERS_MAX ? &client->others[player_id] : NULL;
}

static struct client_vehicle *vehicle_of(const struct client *client, uint32_t vehicle_id)
{
    struct client_vehicle *vehicle = &client->vehicles[vehicle_id % CLIENT_OTHERS_MAX];

    return vehicle->is_shown && vehicle->id == vehicle_id ? vehicle : NULL;
}

bool client_sees(const struct client *client, uint32_t player_id, uint32_t player_token)
{
    return player_id < CLIENT_OTHERS_MAX && client->others[player_id].is_shown &&
           client->others[player_id].generation == player_token;
}

/* Protocol, "Sequence and generation": the rules for RemotePlayerSync. */
static void on_remote_player_sync(struct client *client, uint64_t now_ms,
                                  const struct wire_remote_player_sync *sync)
{
    struct client_other *other = other_of(client, sync->player_id);

    if (other == NULL || (other->tombstone != 0 && sync->player_token == other->tombstone) ||
        (other->generation != 0 && serial32_newer(other->generation, sync->player_token))) {
        violate(client, CLIENT_OLD_GENERATION);
        return;
    }
    if (other->generation == sync->player_token && other->has_seq &&
        !serial32_newer(sync->seq, other->last_seq))
        return;
    if (other->generation != sync->player_token)
        *other = (struct client_other){ .generation = sync->player_token };
    other->last_seq = sync->seq;
    other->has_seq = true;
    other->is_shown = true;
    other->seen_ms = now_ms;
    memcpy(other->pos, sync->frame.pos, sizeof other->pos);
}

static void on_player_stream_out(struct client *client, const struct wire_player_stream_out *out)
{
    struct client_other *other = other_of(client, out->player_id);

    if (other == NULL || other->generation != out->player_token)
        return;
    other->is_shown = false;
    if (!other->has_seq || serial32_newer(out->last_seq, other->last_seq))
        other->last_seq = out->last_seq;
    other->has_seq = true;
}

static void on_player_leave(struct client *client, const struct wire_player_leave *leave)
{
    struct client_other *other = other_of(client, leave->player_id);

    if (other != NULL && other->generation == leave->player_token)
        *other = (struct client_other){ .tombstone = leave->player_token };
}

static void on_player_spawned(struct client *client, const struct wire_player_spawned *spawned)
{
    struct client_other *other = other_of(client, spawned->player_id);

    if (other == NULL)
        return;
    if (other->tombstone == spawned->player_token) {
        violate(client, CLIENT_LEFT_PLAYER);
        return;
    }
    if (other->generation != spawned->player_token)
        *other = (struct client_other){ .generation = spawned->player_token };
}

static void on_vehicle_sync(struct client *client, const struct wire_vehicle_sync *sync)
{
    struct client_vehicle *vehicle = &client->vehicles[sync->vehicle_id % CLIENT_OTHERS_MAX];
    bool was_shown = vehicle->is_shown && vehicle->id == sync->vehicle_id;

    if (was_shown != (sync->active == 0) && !(was_shown && vehicle->epoch != sync->epoch))
        violate(client, CLIENT_SHOWN_TWICE);
    *vehicle = (struct client_vehicle){ .id = sync->vehicle_id,
                                        .is_shown = sync->active == 1,
                                        .epoch = sync->epoch,
                                        .relay_mark = sync->relay_seq,
                                        .pos = { sync->x, sync->y, sync->z } };
}

static void on_vehicle_occupancy(struct client *client, const struct wire_vehicle_occupancy *occupancy)
{
    struct client_vehicle *vehicle = vehicle_of(client, occupancy->vehicle_id);
    bool is_own =
        occupancy->player_id == client->player_id && occupancy->player_token == client->player_token;

    if (vehicle == NULL) {
        if (occupancy->kind != 3) /* a deny also answers a request for what is gone */
            violate(client, CLIENT_UNKNOWN_VEHICLE);
        return;
    }
    if (occupancy->kind == 1 || occupancy->kind == 2)
        vehicle->occupants |= UINT32_C(1) << (occupancy->seat & 31);
    else if (occupancy->kind == 0)
        vehicle->occupants &= ~(UINT32_C(1) << (occupancy->seat & 31));
    if (!is_own)
        return;
    if (occupancy->kind == 1 || occupancy->kind == 2) {
        client->frame.vehicle_id = occupancy->vehicle_id;
        client->frame.seat = occupancy->seat;
    } else if (client->frame.vehicle_id == occupancy->vehicle_id && occupancy->kind != 3) {
        client->frame.vehicle_id = WIRE_NONE;
        client->frame.seat = 0;
    }
    client->moved = true;
}

static void on_remote_vehicle_frame(struct client *client, const struct wire_remote_vehicle_frame *remote)
{
    struct client_vehicle *vehicle = vehicle_of(client, remote->vehicle_id);

    if (vehicle == NULL || remote->state.epoch != vehicle->epoch ||
        !serial32_newer(remote->seq, vehicle->relay_mark))
        return;
    vehicle->relay_mark = remote->seq;
    memcpy(vehicle->pos, remote->state.pos, sizeof vehicle->pos);
}

/* ---- its own life */

static void spawn(struct client *client, uint8_t life, const float pos[3], float heading, uint16_t pose_rev,
                  uint16_t weapon_rev)
{
    client->state = CLIENT_SPAWNED;
    client->frame = (struct wire_frame){ .heading = heading,
                                         .hp = 100.0f,
                                         .vehicle_id = WIRE_NONE,
                                         .life = life,
                                         .pose_rev = pose_rev,
                                         .weapon_rev = weapon_rev };
    memcpy(client->frame.pos, pos, sizeof client->frame.pos);
    client->moved = true;
    client->frame_at_ms = 0;
}

static void on_event(struct client *client, const struct wire_packet *packet, const union wire_any *any)
{
    switch ((int)packet->id) {
    case PACKET_SPAWN_PLAYER:
        client->virtual_world = any->spawn_player.virtual_world;
        client->interior = any->spawn_player.interior;
        spawn(client, any->spawn_player.life, any->spawn_player.pos, any->spawn_player.heading,
              any->spawn_player.pose_rev, any->spawn_player.weapon_rev);
        break;
    case PACKET_RESPAWN_PLAYER:
        spawn(client, any->respawn_player.life, any->respawn_player.pos, any->respawn_player.heading,
              any->respawn_player.pose_rev, any->respawn_player.weapon_rev);
        break;
    case PACKET_TELEPORT_PLAYER:
        memcpy(client->frame.pos, any->teleport_player.pos, sizeof client->frame.pos);
        client->frame.pose_rev = any->teleport_player.pose_rev;
        client->moved = true;
        break;
    case PACKET_KICK_NOTIFY:
        client->kicked = any->kick_notify.reason;
        break;
    case PACKET_PLAYER_STREAM_OUT:
        on_player_stream_out(client, &any->player_stream_out);
        break;
    case PACKET_PLAYER_LEAVE:
        on_player_leave(client, &any->player_leave);
        break;
    case PACKET_PLAYER_SPAWNED:
        on_player_spawned(client, &any->player_spawned);
        break;
    case PACKET_VEHICLE_SYNC:
        on_vehicle_sync(client, &any->vehicle_sync);
        break;
    case PACKET_VEHICLE_OCCUPANCY:
        on_vehicle_occupancy(client, &any->vehicle_occupancy);
        break;
    case PACKET_VEHICLE_SYNCER: {
        struct client_vehicle *vehicle = vehicle_of(client, any->vehicle_syncer.vehicle_id);

        if (vehicle != NULL)
            vehicle->is_syncer = any->vehicle_syncer.active == 1;
        break;
    }
    default:
        break; /* what a client only shows */
    }
}

/* ---- receiving */

/* FNV-1a: enough to see that a repeat is not the same packet. */
static uint64_t checksum(struct span data)
{
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; i < data.size; i++)
        sum = (sum ^ data.data[i]) * 1099511628211u;
    return sum;
}

/* Delivers only the next event; every one is answered with the highest delivered. */
static void on_lane(struct client *client, const struct wire_packet *packet, const union wire_any *any,
                    struct span datagram)
{
    enum { REMEMBERED = sizeof client->delivered_sum / sizeof client->delivered_sum[0] };
    uint32_t event_id = load_u32(datagram.data + packet->event_id_at);
    uint64_t *sum = &client->delivered_sum[event_id % REMEMBERED];

    if (event_id == client->delivered_id + 1) {
        client->delivered_id = event_id;
        *sum = checksum(datagram);
        on_event(client, packet, any);
    } else if (event_id <= client->delivered_id) {
        client->duplicates++;
        if (client->delivered_id - event_id < REMEMBERED && *sum != checksum(datagram))
            violate(client, CLIENT_EVENT_CHANGED);
    } else {
        violate(client, CLIENT_EVENT_AHEAD);
    }
    send_packet(client, &wire_client_ack_packet,
                &(struct wire_client_ack){ .token = client->token, .ack = client->delivered_id });
    if (client->kicked != 0)
        client->state = CLIENT_CLOSED;
}

static void on_server_ack(struct client *client, uint32_t ack)
{
    uint32_t done = 0;

    while (done < client->events_count && client->events[done].event_id <= ack)
        done++;
    client->events_count -= done;
    memmove(client->events, client->events + done, client->events_count * sizeof client->events[0]);
}

static void request_spawn(struct client *client, uint64_t now_ms)
{
    struct client_event *event = next_event(client, now_ms);

    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    if (event == NULL)
        return;
    if (client->state == CLIENT_DEAD)
        send_event(client, &wire_respawn_request_packet,
                   &(struct wire_respawn_request){ .token = client->token, .event_id = event->event_id },
                   event);
    else
        send_event(client, &wire_request_spawn_packet,
                   &(struct wire_request_spawn){ .token = client->token, .event_id = event->event_id },
                   event);
}

static void on_server_hello(struct client *client, uint64_t now_ms, const struct wire_server_hello *hello)
{
    if (client->state != CLIENT_GREETING || hello->client_nonce != client->nonce)
        return;
    client->state = CLIENT_CONNECTED;
    client->token = hello->session_token;
    client->player_id = hello->player_id;
    client->player_token = hello->player_token;
    client->heartbeat_ms = hello->heartbeat_ms;
    request_spawn(client, now_ms);
}

void client_on_datagram(struct client *client, uint64_t now_ms, struct span datagram)
{
    const struct wire_packet *packet;
    struct wire_error error;
    union wire_any any;

    if (client->state == CLIENT_NEW || client->state == CLIENT_CLOSED)
        return;
    packet = wire_decode(WIRE_S2C, datagram.data, datagram.size, &any, &error);
    if (packet == NULL) {
        violate(client, CLIENT_MALFORMED);
        return;
    }
    client->packets_in[packet->index]++;
    client->heard_ms = now_ms;
    if (packet->lane == WIRE_RELIABLE) {
        if (client->token != 0)
            on_lane(client, packet, &any, datagram);
        return;
    }
    switch ((int)packet->id) {
    case PACKET_CONNECT_CHALLENGE:
        if (client->state == CLIENT_GREETING && any.connect_challenge.client_nonce == client->nonce) {
            client->cookie = any.connect_challenge.cookie;
            say_hello(client, now_ms);
        }
        break;
    case PACKET_CONNECT_REJECT:
        if (client->state == CLIENT_GREETING && any.connect_reject.client_nonce == client->nonce) {
            client->reject = any.connect_reject.reason;
            client->state = CLIENT_CLOSED;
        }
        break;
    case PACKET_SERVER_HELLO:
        on_server_hello(client, now_ms, &any.server_hello);
        break;
    case PACKET_SERVER_ACK:
        on_server_ack(client, any.server_ack.ack);
        break;
    case PACKET_SERVER_KEEPALIVE:
        send_packet(
            client, &wire_client_pong_packet,
            &(struct wire_client_pong){ .token = client->token, .stamp = any.server_keepalive.stamp });
        break;
    case PACKET_REMOTE_PLAYER_SYNC:
        on_remote_player_sync(client, now_ms, &any.remote_player_sync);
        break;
    case PACKET_REMOTE_VEHICLE_FRAME:
        on_remote_vehicle_frame(client, &any.remote_vehicle_frame);
        break;
    default:
        break;
    }
}

/* ---- time */

static void send_frame(struct client *client, uint64_t now_ms)
{
    struct wire_player_sync sync = { .session_token = client->token,
                                     .seq = ++client->seq,
                                     .frame = client->frame };
    uint64_t quiet_ms = client->heartbeat_ms;

    send_packet(client, &wire_player_sync_packet, &sync);
    client->frame_at_ms =
        now_ms + (client->moved && client->config.frame_ms < quiet_ms ? client->config.frame_ms : quiet_ms);
    client->moved = false;
}

void client_tick(struct client *client, uint64_t now_ms)
{
    if (client->state == CLIENT_GREETING) {
        if (now_ms - client->hello_ms < CLIENT_HELLO_MS)
            return;
        if (client->hellos >= CLIENT_HELLOS_MAX)
            client->state = CLIENT_CLOSED;
        else
            say_hello(client, now_ms);
        return;
    }
    if (client->state == CLIENT_NEW || client->state == CLIENT_CLOSED)
        return;
    if (now_ms - client->heard_ms >= CLIENT_SILENCE_MS) {
        client->state = CLIENT_CLOSED;
        return;
    }
    resend_due(client, now_ms);
    if ((client->state == CLIENT_CONNECTED || client->state == CLIENT_DEAD) && now_ms >= client->spawn_at_ms)
        request_spawn(client, now_ms);
    if (client->state == CLIENT_SPAWNED && now_ms >= client->frame_at_ms)
        send_frame(client, now_ms);
}

uint64_t client_wakes_at(const struct client *client)
{
    uint64_t wakes_ms = client->heard_ms + CLIENT_SILENCE_MS;

    if (client->state == CLIENT_NEW || client->state == CLIENT_CLOSED)
        return UINT64_MAX;
    if (client->state == CLIENT_GREETING)
        return client->hello_ms + CLIENT_HELLO_MS;
    for (uint32_t i = 0; i < client->events_count; i++) {
        if (client->events[i].sent_ms + CLIENT_RTO_MS < wakes_ms)
            wakes_ms = client->events[i].sent_ms + CLIENT_RTO_MS;
    }
    if (client->state != CLIENT_SPAWNED && client->spawn_at_ms < wakes_ms)
        wakes_ms = client->spawn_at_ms;
    if (client->state == CLIENT_SPAWNED && client->frame_at_ms < wakes_ms)
        wakes_ms = client->frame_at_ms;
    return wakes_ms;
}

/* ---- doing things */

void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading)
{
    memcpy(client->frame.pos, pos, sizeof client->frame.pos);
    memcpy(client->frame.move_speed, move_speed, sizeof client->frame.move_speed);
    client->frame.heading = heading;
    client->moved = true;
}

bool client_chat(struct client *client, uint64_t now_ms, const char *text)
{
    struct client_event *event = next_event(client, now_ms);
    struct wire_client_chat chat = { .token = client->token, .text = span_of(text) };

    if (event == NULL)
        return false;
    chat.event_id = event->event_id;
    send_event(client, &wire_client_chat_packet, &chat, event);
    return true;
}

bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat)
{
    struct client_event *event = next_event(client, now_ms);

    if (event == NULL)
        return false;
    send_event(
        client, &wire_vehicle_enter_packet,
        &(struct wire_vehicle_enter){
            .token = client->token, .event_id = event->event_id, .vehicle_id = vehicle_id, .seat = seat },
        event);
    return true;
}

bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id)
{
    struct client_event *event = next_event(client, now_ms);

    if (event == NULL)
        return false;
    client->frame.vehicle_id = WIRE_NONE;
    client->frame.seat = 0;
    send_event(client, &wire_vehicle_exit_packet,
               &(struct wire_vehicle_exit){
                   .token = client->token, .event_id = event->event_id, .vehicle_id = vehicle_id },
               event);
    return true;
}

bool client_die(struct client *client, uint64_t now_ms)
{
    struct client_event *event = next_event(client, now_ms);

    if (event == NULL)
        return false;
    client->state = CLIENT_DEAD;
    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    client->frame.vehicle_id = WIRE_NONE;
    client->frame.seat = 0;
    send_event(client, &wire_death_report_packet,
               &(struct wire_death_report){
                   .token = client->token, .event_id = event->event_id, .life = client->frame.life },
               event);
    return true;
}
