#include "bots/client_inside.h"

#include <assert.h>
#include <string.h>

void client_init(struct client *client, const struct client_config *config, struct rng *rng)
{
    size_t size = strlen(config->name);

    assert(size <= CLIENT_NAME_MAX);
    *client = (struct client){ .config = *config, .rng = rng, .remote_id = WIRE_NONE };
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

struct view_vehicle *client_driven(const struct client *client)
{
    if (client_drives(client))
        return client_vehicle(client);
    return client->state != CLIENT_SPAWNED || client->remote_id == WIRE_NONE
               ? NULL
               : view_vehicle(&client->view, client->remote_id);
}

bool client_drives(const struct client *client)
{
    return client->state == CLIENT_SPAWNED && client->frame.seat == 0 && client_vehicle(client) != NULL;
}

static struct span span_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

void client_violate(struct client *client, enum violation violation)
{
    client->stats.violations[violation]++;
    client->stats.complaints++;
    client->last_violation = violation;
}

const char *client_complaint(const struct client *client)
{
    for (int i = 0; i < VIOLATIONS; i++) {
        if (client->stats.violations[i] > 0)
            return violation_says((enum violation)i);
    }
    return NULL;
}

void client_close(struct client *client, enum client_end end)
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

void client_send(struct client *client, const struct wire_packet *packet, const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    send_bytes(client, packet, (struct span){ buffer, encode(packet, value, buffer) });
}

bool client_takes_events(const struct client *client)
{
    return client_is_open(client) && events_out_has_room(&client->out);
}

uint32_t client_next_event(const struct client *client)
{
    return client->out.last_id + 1;
}

static void push_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                       struct span datagram)
{
    client_note_towed(client, packet, datagram.data);
    events_out_push(&client->out, now_ms, datagram);
    client->stats.events_out++;
    send_bytes(client, packet, datagram);
}

void client_send_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                       const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    push_event(client, now_ms, packet, (struct span){ buffer, encode(packet, value, buffer) });
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
    client_send(client, &wire_client_ack_packet,
                &(struct wire_client_ack){ .token = client->token, .ack = client->in.delivered_id });
}

/* ---- opening and closing */

void client_say_hello(struct client *client, uint64_t now_ms)
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
    client_send(client, &wire_client_hello_packet, &hello);
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
    client->remote_id = WIRE_NONE;
    memset(client->requests, 0, sizeof client->requests);
    client->gone_back = client->view.gone_back;
    client_say_hello(client, now_ms);
}

void client_leave(struct client *client, uint64_t now_ms)
{
    (void)now_ms;
    for (int i = 0; i < 3 && client_is_open(client); i++)
        client_send(client, &wire_client_bye_packet, &(struct wire_client_bye){ .token = client->token });
    client_close(client, CLIENT_END_LEFT);
}

void client_ask_for_spawn(struct client *client, uint64_t now_ms)
{
    if (!client_takes_events(client))
        return;
    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    if (client->state == CLIENT_DEAD)
        client_send_event(
            client, now_ms, &wire_respawn_request_packet,
            &(struct wire_respawn_request){ .token = client->token, .event_id = client_next_event(client) });
    else
        client_send_event(
            client, now_ms, &wire_request_spawn_packet,
            &(struct wire_request_spawn){ .token = client->token, .event_id = client_next_event(client) });
}

/* ---- time */

static void tick_greeting(struct client *client, uint64_t now_ms)
{
    uint32_t hellos_max = client->cookie == 0 ? CLIENT_HELLOS_MAX : CLIENT_PROVEN_HELLOS_MAX;

    if (now_ms - client->hello_ms < CLIENT_HELLO_MS)
        return;
    if (client->hellos >= hellos_max)
        client_close(client, CLIENT_END_NO_ANSWER);
    else
        client_say_hello(client, now_ms);
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
        client_close(client, CLIENT_END_SILENCE);
        return;
    }
    resend_due(client, now_ms);
    client_asks_expire(client, now_ms);
    if (waits_for_spawn(client) && now_ms >= client->spawn_at_ms)
        client_ask_for_spawn(client, now_ms);
    if (client_is_in_world(client))
        client_send_frames(client, now_ms);
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
    return client_is_in_world(client) ? earlier(wakes_ms, client_frames_at(client)) : wakes_ms;
}

/* ---- doing things */

bool client_chat(struct client *client, uint64_t now_ms, const char *text)
{
    if (!client_takes_events(client))
        return false;
    client_send_event(client, now_ms, &wire_client_chat_packet,
                      &(struct wire_client_chat){ .token = client->token,
                                                  .event_id = client_next_event(client),
                                                  .text = span_of(text) });
    return true;
}

bool client_command(struct client *client, uint64_t now_ms, const char *text)
{
    if (!client_takes_events(client))
        return false;
    client_send_event(client, now_ms, &wire_client_command_packet,
                      &(struct wire_client_command){ .token = client->token,
                                                     .event_id = client_next_event(client),
                                                     .text = span_of(text) });
    return true;
}

bool client_die(struct client *client, uint64_t now_ms)
{
    if (client->state != CLIENT_SPAWNED || !client_takes_events(client))
        return false;
    client_send_event(client, now_ms, &wire_death_report_packet,
                      &(struct wire_death_report){ .token = client->token,
                                                   .event_id = client_next_event(client),
                                                   .life = client->frame.life });
    client->state = CLIENT_DEAD;
    client->spawn_at_ms = now_ms + CLIENT_SPAWN_AGAIN_MS;
    client->frame.hp = 0.0f;
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    client_unseat(client);
    return true;
}

bool client_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet, const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct span datagram = { buffer, encode(packet, value, buffer) };

    assert(packet->has_token && packet->event_id_at != 0);
    if (!client_takes_events(client))
        return false;
    store_u64(buffer + 1, client->token);
    store_u32(buffer + packet->event_id_at, client_next_event(client));
    push_event(client, now_ms, packet, datagram);
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
