#include "tests/unit/bots_rig.h"

#include <string.h>

static void on_send(void *context, struct span datagram)
{
    struct bots_rig *rig = context;
    struct bots_rig_sent *sent = &rig->sent[rig->sent_count++ % BOTS_RIG_SENT_MAX];

    ck_assert_uint_le(datagram.size, sizeof sent->data);
    sent->size = (uint16_t)datagram.size;
    memcpy(sent->data, datagram.data, datagram.size);
}

void bots_rig_start(struct bots_rig *rig)
{
    const struct client_config config = {
        .name = "Ann", .password = "", .frame_ms = 33, .send = on_send, .context = rig
    };

    *rig = (struct bots_rig){ .now_ms = BOTS_RIG_START_MS };
    rng_init_seeded(&rig->rng, 1);
    client_init(&rig->client, &config, &rig->rng);
    client_connect(&rig->client, rig->now_ms);
}

void bots_rig_connect(struct bots_rig *rig)
{
    struct wire_server_hello hello = {
        .session_token = 99,
        .player_id = BOTS_RIG_ID,
        .player_token = BOTS_RIG_TOKEN,
        .max_players = 100,
        .heartbeat_ms = 100,
    };

    bots_rig_start(rig);
    hello.client_nonce = rig->client.nonce;
    bots_rig_say(rig, &wire_server_hello_packet, &hello);
    ck_assert_int_eq(rig->client.state, CLIENT_CONNECTED);
}

void bots_rig_spawn(struct bots_rig *rig)
{
    bots_rig_connect(rig);
    bots_rig_ack(rig, 1);
    bots_rig_event(rig, &wire_spawn_player_packet,
                   &(struct wire_spawn_player){ .life = 1, .pose_rev = 5, .weapon_rev = 6 });
    ck_assert_int_eq(rig->client.state, CLIENT_SPAWNED);
    bots_rig_forget(rig);
}

void bots_rig_stop(struct bots_rig *rig)
{
    client_fini(&rig->client);
}

void bots_rig_forget(struct bots_rig *rig)
{
    rig->sent_count = 0;
}

void bots_rig_datagram(struct bots_rig *rig, const void *data, size_t size)
{
    client_on_datagram(&rig->client, rig->now_ms, (struct span){ data, size });
    client_tick(&rig->client, rig->now_ms);
}

void bots_rig_say(struct bots_rig *rig, const struct wire_packet *packet, const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    bots_rig_datagram(rig, buffer, packet->put(value, buffer, sizeof buffer));
}

void bots_rig_event_as(struct bots_rig *rig, uint32_t event_id, const struct wire_packet *packet,
                       const void *value)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    size_t size = packet->put(value, buffer, sizeof buffer);

    store_u32(buffer + packet->event_id_at, event_id);
    bots_rig_datagram(rig, buffer, size);
}

void bots_rig_event(struct bots_rig *rig, const struct wire_packet *packet, const void *value)
{
    bots_rig_event_as(rig, ++rig->event_id, packet, value);
}

void bots_rig_ack(struct bots_rig *rig, uint32_t event_id)
{
    bots_rig_say(rig, &wire_server_ack_packet, &(struct wire_server_ack){ .ack = event_id });
}

static void pass(struct bots_rig *rig, uint64_t ms, bool is_silent)
{
    uint64_t end_ms = rig->now_ms + ms;
    uint64_t keepalive_ms = is_silent ? UINT64_MAX : rig->now_ms + 1000;

    while (rig->now_ms < end_ms) {
        uint64_t next_ms = client_wakes_at(&rig->client);

        next_ms = next_ms < keepalive_ms ? next_ms : keepalive_ms;
        next_ms = next_ms > rig->now_ms ? next_ms : rig->now_ms + 1;
        rig->now_ms = next_ms < end_ms ? next_ms : end_ms;
        if (rig->now_ms >= keepalive_ms) {
            keepalive_ms += 1000;
            bots_rig_say(rig, &wire_server_keepalive_packet, &(struct wire_server_keepalive){ .stamp = 1 });
        }
        client_tick(&rig->client, rig->now_ms);
    }
}

void bots_rig_pass(struct bots_rig *rig, uint64_t ms)
{
    pass(rig, ms, false);
}

void bots_rig_pass_silent(struct bots_rig *rig, uint64_t ms)
{
    pass(rig, ms, true);
}

size_t bots_rig_count(const struct bots_rig *rig, const struct wire_packet *packet)
{
    size_t count = 0;

    ck_assert_uint_le(rig->sent_count, BOTS_RIG_SENT_MAX);
    for (size_t i = 0; i < rig->sent_count; i++)
        count += rig->sent[i].data[0] == packet->id;
    return count;
}

void bots_rig_last(const struct bots_rig *rig, const struct wire_packet *packet, void *value)
{
    struct wire_error error;

    for (size_t i = rig->sent_count; i-- > 0;) {
        if (rig->sent[i].data[0] != packet->id)
            continue;
        ck_assert(packet->decode(value, rig->sent[i].data, rig->sent[i].size, &error));
        return;
    }
    ck_abort_msg("no %s was sent", packet->layout->name);
}

struct wire_remote_player_sync bots_rig_frame(uint32_t id, uint32_t token, uint32_t seq, float x)
{
    return (struct wire_remote_player_sync){
        .player_id = id,
        .player_token = token,
        .seq = seq,
        .frame = { .pos = { x, 0, 0 }, .hp = 100, .vehicle_id = WIRE_NONE, .life = 1 },
    };
}

struct wire_vehicle_sync bots_rig_show(uint32_t id, uint32_t relay_seq, float x)
{
    return (struct wire_vehicle_sync){
        .vehicle_id = id,
        .active = 1,
        .model = 411,
        .x = x,
        .health = 1000,
        .epoch = 1,
        .relay_seq = relay_seq,
        .health_rev = 2,
        .siren_rev = 3,
        .pose_rev = 4,
        .tractor_id = WIRE_NONE,
        .lifter_id = WIRE_NONE,
    };
}

struct wire_remote_vehicle_frame bots_rig_vehicle_frame(uint32_t id, uint32_t relay_seq, float x)
{
    return (struct wire_remote_vehicle_frame){
        .source_id = 3,
        .source_token = 30,
        .seq = relay_seq,
        .vehicle_id = id,
        .state = { .pos = { x, 0, 0 }, .rot = { 0, 0, 0, 1 }, .health = 900, .epoch = 1, .nitro = 1 },
    };
}
