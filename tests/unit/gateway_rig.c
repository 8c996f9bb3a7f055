#include "tests/unit/gateway_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/lane.h"

enum { RIG_SESSIONS = 600, RIG_FIRST_PORT = 5000, RIG_NAME_SIZE = 25 };

/* ---- the gateway */

void rig_start_alone(struct rig *rig)
{
    const struct gateway_config config = { .endpoint = "10.9.9.9:7777",
                                           .pid = 42,
                                           .sessions_max = RIG_SESSIONS };

    *rig = (struct rig){ .now_ms = RIG_START_MS };
    rng_init_seeded(&rig->rng, 1);
    rig->gateway = gateway_new(&config, &rig->rng);
    ck_assert_ptr_nonnull(rig->gateway);
    gateway_tick(rig->gateway, rig->now_ms);
}

void rig_start(struct rig *rig)
{
    rig_start_alone(rig);
    gateway_peer_up(rig->gateway, rig->now_ms, RIG_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator",
                    1);
    gateway_peer_up(rig->gateway, rig->now_ms, RIG_SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 2);
    rig_settings(rig, NULL);
    rig_forget(rig);
}

void rig_stop(struct rig *rig)
{
    gateway_check(rig->gateway);
    rig_forget(rig);
    gateway_free(&rig->gateway);
    free(rig->datagrams);
    free(rig->items);
}

static void gather_datagrams(struct rig *rig)
{
    struct egress *egress = gateway_take_egress(rig->gateway);
    struct egress_run run;

    while (egress_take(egress, &run)) {
        for (size_t i = 0; i < run.count; i++) {
            struct rig_datagram *datagram;

            if (rig->datagrams_count == rig->datagrams_capacity) {
                rig->datagrams_capacity = rig->datagrams_capacity * 2 + 64;
                rig->datagrams =
                    reallocarray(rig->datagrams, rig->datagrams_capacity, sizeof rig->datagrams[0]);
                ck_assert_ptr_nonnull(rig->datagrams);
            }
            datagram = &rig->datagrams[rig->datagrams_count++];
            datagram->to = run.to;
            datagram->size = run.size;
            memcpy(datagram->data, run.data[i], run.size);
        }
    }
    egress_clear(egress);
}

static void gather_items(struct rig *rig)
{
    struct outbox *outbox = gateway_outbox(rig->gateway);

    for (size_t i = 0; i < outbox->count; i++) {
        size_t size = bus__item__get_packed_size(outbox->entries[i].item);
        uint8_t *packed = malloc(size);

        ck_assert_ptr_nonnull(packed);
        (void)bus__item__pack(outbox->entries[i].item, packed);
        if (rig->items_count == rig->items_capacity) {
            rig->items_capacity = rig->items_capacity * 2 + 64;
            rig->items = reallocarray(rig->items, rig->items_capacity, sizeof rig->items[0]);
            ck_assert_ptr_nonnull(rig->items);
        }
        rig->items[rig->items_count++] = (struct rig_item){ .peer = outbox->entries[i].peer,
                                                            .item = bus__item__unpack(NULL, size, packed) };
        free(packed);
    }
    outbox_clear(outbox);
}

void rig_gather(struct rig *rig)
{
    gather_datagrams(rig);
    gather_items(rig);
}

void rig_forget(struct rig *rig)
{
    rig_gather(rig);
    for (size_t i = 0; i < rig->items_count; i++)
        bus__item__free_unpacked(rig->items[i].item, NULL);
    rig->items_count = 0;
    rig->datagrams_count = 0;
}

void rig_pass(struct rig *rig, uint64_t ms)
{
    uint64_t end_ms = rig->now_ms + ms;

    while (rig->now_ms < end_ms) {
        uint64_t wakes_ms = gateway_wakes_at(rig->gateway);

        rig->now_ms = wakes_ms < end_ms ? wakes_ms : end_ms;
        gateway_tick(rig->gateway, rig->now_ms);
        rig_gather(rig);
    }
    gateway_check(rig->gateway);
}

void rig_stall(struct rig *rig, uint64_t ms)
{
    rig->now_ms += ms;
}

/* ---- peers */

void rig_item(struct rig *rig, uint16_t peer, const Bus__Item *item)
{
    gateway_on_item(rig->gateway, rig->now_ms, peer, item);
    rig_gather(rig);
}

void rig_settings(struct rig *rig, void (*change)(Bus__ClusterSettings *settings))
{
    Bus__ClusterSettings settings = BUS__CLUSTER_SETTINGS__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    settings.revision = ++rig->revision;
    settings.server_name = "Test server";
    settings.gamemode = "freeroam";
    settings.language = "en";
    settings.max_players = 1000;
    settings.heartbeat_ms = 100;
    if (change != NULL)
        change(&settings);
    item.item_case = BUS__ITEM__ITEM_SETTINGS;
    item.settings = &settings;
    rig_item(rig, RIG_COORDINATOR, &item);
}

const Bus__Item *rig_told(const struct rig *rig, uint16_t peer, Bus__Item__ItemCase kind)
{
    for (size_t i = rig->items_count; i-- > 0;) {
        if (rig->items[i].peer == peer && rig->items[i].item->item_case == kind)
            return rig->items[i].item;
    }
    return NULL;
}

size_t rig_count_told(const struct rig *rig, uint16_t peer, Bus__Item__ItemCase kind)
{
    size_t count = 0;

    for (size_t i = 0; i < rig->items_count; i++)
        count += rig->items[i].peer == peer && rig->items[i].item->item_case == kind;
    return count;
}

void rig_answer_join(struct rig *rig, uint32_t reject)
{
    const Bus__Item *asked = rig_told(rig, RIG_COORDINATOR, BUS__ITEM__ITEM_JOIN_REQUEST);
    Bus__JoinAnswer answer = BUS__JOIN_ANSWER__INIT;
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ck_assert_ptr_nonnull(asked);
    answer.request = asked->join_request->request;
    answer.reject = reject;
    if (reject == 0) {
        player.id = rig->players;
        player.token = 100 + rig->players;
        rig->players++;
        spawn.scope = &scope;
        spawn.x = 1.5F;
        spawn.skin = 7;
        answer.player = &player;
        answer.fence = RIG_FENCE;
        answer.shard = "shard-1";
        answer.spawn = &spawn;
    }
    item.item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    item.join_answer = &answer;
    rig_item(rig, RIG_COORDINATOR, &item);
}

void rig_send(struct rig *rig, uint16_t peer, Bus__Send__Class delivery, struct span packet,
              const struct rig_client *const *to, size_t to_count, uint64_t tag)
{
    Bus__Send send = BUS__SEND__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    Bus__Recipient *recipients = calloc(to_count, sizeof *recipients);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): protobuf-c's lists are of pointers */
    Bus__Recipient **list = calloc(to_count, sizeof *list);

    ck_assert(recipients != NULL && list != NULL);
    for (size_t i = 0; i < to_count; i++) {
        bus__recipient__init(&recipients[i]);
        recipients[i].id = to[i]->id;
        recipients[i].token = to[i]->player_token;
        recipients[i].fence = RIG_FENCE;
        list[i] = &recipients[i];
    }
    send.packet = (ProtobufCBinaryData){ .len = packet.size, .data = (uint8_t *)packet.data };
    send.class_ = delivery;
    send.to = list;
    send.n_to = to_count;
    send.tag = tag;
    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = &send;
    rig_item(rig, peer, &item);
    free(recipients);
    free(list);
}

void rig_send_one(struct rig *rig, Bus__Send__Class delivery, struct span packet, const struct rig_client *to)
{
    rig_send(rig, RIG_SHARD, delivery, packet, &to, 1, 0);
}

/* ---- clients */

struct rig_client rig_client(uint32_t number)
{
    struct rig_client client = { .nonce = 1000 + number };
    char text[32];

    (void)snprintf(text, sizeof text, "10.0.%u.%u", number / 250, number % 250 + 1);
    ck_assert(address_parse(&client.address, text, (uint16_t)(RIG_FIRST_PORT + number)));
    (void)snprintf(client.name, RIG_NAME_SIZE, "Player_%u", number);
    return client;
}

void rig_datagram(struct rig *rig, const struct address *from, const void *data, size_t size)
{
    gateway_on_datagram(rig->gateway, rig->now_ms, from, (struct span){ data, size });
    rig_gather(rig);
}

void rig_packet(struct rig *rig, const struct rig_client *client, const struct wire_packet *packet,
                const void *fields)
{
    uint8_t data[WIRE_PACKET_SIZE_MAX];
    size_t size = packet->put(fields, data, sizeof data);

    ck_assert_uint_gt(size, 0);
    rig_datagram(rig, &client->address, data, size);
}

void rig_hello(struct rig *rig, const struct rig_client *client, uint64_t cookie)
{
    const struct wire_client_hello hello = {
        .protocol_version = WIRE_VERSION,
        .client_nonce = client->nonce,
        .cookie = cookie,
        .name = { (const uint8_t *)client->name, strlen(client->name) },
        .auth = client->auth,
    };

    rig_packet(rig, client, &wire_client_hello_packet, &hello);
}

uint64_t rig_cookie(struct rig *rig, const struct rig_client *client)
{
    const struct rig_datagram *answer;
    struct wire_connect_challenge challenge;
    struct wire_error error;

    rig_hello(rig, client, 0);
    answer = rig_got(rig, &client->address, &wire_connect_challenge_packet);
    ck_assert_ptr_nonnull(answer);
    ck_assert(wire_connect_challenge_decode(&challenge, answer->data, answer->size, &error));
    ck_assert_uint_eq(challenge.client_nonce, client->nonce);
    return challenge.cookie;
}

void rig_ask(struct rig *rig, struct rig_client *client)
{
    rig_hello(rig, client, rig_cookie(rig, client));
}

void rig_join(struct rig *rig, struct rig_client *client)
{
    const struct rig_datagram *answer;
    struct wire_server_hello hello;
    struct wire_error error;

    rig_ask(rig, client);
    rig_answer_join(rig, 0);
    answer = rig_got(rig, &client->address, &wire_server_hello_packet);
    ck_assert_ptr_nonnull(answer);
    ck_assert(wire_server_hello_decode(&hello, answer->data, answer->size, &error));
    ck_assert_uint_eq(hello.client_nonce, client->nonce);
    client->token = hello.session_token;
    client->id = hello.player_id;
    client->player_token = hello.player_token;
    client->event_id = 0;
    rig_forget(rig);
}

static struct wire_frame some_frame(void)
{
    return (struct wire_frame){ .pos = { 10, 20, 3 }, .hp = 100, .vehicle_id = WIRE_NONE, .life = 1 };
}

void rig_frame(struct rig *rig, const struct rig_client *client, uint32_t seq)
{
    const struct wire_player_sync sync = { .session_token = client->token,
                                           .seq = seq,
                                           .frame = some_frame() };

    rig_packet(rig, client, &wire_player_sync_packet, &sync);
}

void rig_event_numbered(struct rig *rig, const struct rig_client *client, uint32_t event_id)
{
    const struct wire_respawn_request event = { .token = client->token, .event_id = event_id };

    rig_packet(rig, client, &wire_respawn_request_packet, &event);
}

void rig_event(struct rig *rig, struct rig_client *client)
{
    rig_event_numbered(rig, client, ++client->event_id);
}

void rig_ack(struct rig *rig, const struct rig_client *client, uint32_t event_id)
{
    const struct wire_client_ack ack = { .token = client->token, .ack = event_id };

    rig_packet(rig, client, &wire_client_ack_packet, &ack);
}

void rig_pong(struct rig *rig, const struct rig_client *client, const struct address *from, uint32_t stamp)
{
    const struct wire_client_pong pong = { .token = client->token, .stamp = stamp };
    uint8_t data[WIRE_CLIENT_PONG_SIZE];

    rig_datagram(rig, from, data, wire_client_pong_put(&pong, data, sizeof data));
}

static bool is_packet(const struct rig_datagram *datagram, const struct address *to,
                      const struct wire_packet *packet)
{
    struct wire_error error;

    return address_equal(&datagram->to, to) &&
           wire_identify(WIRE_S2C, datagram->data, datagram->size, &error) == packet;
}

const struct rig_datagram *rig_got(const struct rig *rig, const struct address *to,
                                   const struct wire_packet *packet)
{
    for (size_t i = rig->datagrams_count; i-- > 0;) {
        if (is_packet(&rig->datagrams[i], to, packet))
            return &rig->datagrams[i];
    }
    return NULL;
}

size_t rig_count_got(const struct rig *rig, const struct address *to, const struct wire_packet *packet)
{
    size_t count = 0;

    for (size_t i = 0; i < rig->datagrams_count; i++)
        count += is_packet(&rig->datagrams[i], to, packet);
    return count;
}

uint32_t rig_got_ack(const struct rig *rig, const struct rig_client *client)
{
    const struct rig_datagram *datagram = rig_got(rig, &client->address, &wire_server_ack_packet);

    return datagram != NULL ? load_u32(datagram->data + WIRE_SERVER_ACK_ACK_AT) : UINT32_MAX;
}

/* ---- packets of a shard */

struct span rig_server_message(uint8_t buffer[WIRE_PACKET_SIZE_MAX], const char *text)
{
    const struct wire_server_message message = { .color = UINT32_MAX,
                                                 .text = { (const uint8_t *)text, strlen(text) } };

    return (struct span){ buffer, wire_server_message_put(&message, buffer, WIRE_PACKET_SIZE_MAX) };
}

struct span rig_player_leave(uint8_t buffer[WIRE_PACKET_SIZE_MAX], uint32_t player_id)
{
    const struct wire_player_leave leave = { .player_id = player_id, .player_token = 1 };

    return (struct span){ buffer, wire_player_leave_put(&leave, buffer, WIRE_PACKET_SIZE_MAX) };
}

struct span rig_remote_frame(uint8_t buffer[WIRE_PACKET_SIZE_MAX], uint32_t player_id, uint32_t seq)
{
    const struct wire_remote_player_sync sync = {
        .player_id = player_id, .player_token = 1, .seq = seq, .frame = some_frame()
    };

    return (struct span){ buffer, wire_remote_player_sync_put(&sync, buffer, WIRE_PACKET_SIZE_MAX) };
}

uint64_t rig_drops(const struct rig *rig, enum reason reason)
{
    return gateway_stats(rig->gateway)->drops[reason];
}

uint64_t rig_sessions(const struct rig *rig)
{
    return gateway_stats(rig->gateway)->sessions;
}
