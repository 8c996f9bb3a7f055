/* Datagrams and bus items into a gateway with live sessions. Nothing that arrives may stop it, contradict
 * its tables, or give a stranger more bytes than it sent.
 *
 * An input that does not begin with 0 is one datagram: it comes from a stranger, from the session's own
 * address with its token and next event id written in, and as a shard's packet. One that does is a script:
 * records of an operation, a u16 length and so many bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/core.h"

enum {
    FUZZ_SESSIONS = 4,
    FUZZ_PLAYERS = 3,
    COORDINATOR = 0,
    SHARD = 1,
    TOKEN_AT = 1,
    EVENT_ID_AT = 9,
    EVENT_ID_END = 13,
    RECORDS_MAX = 100, /* of a script: an input is to take milliseconds */
    PASS_MAX_MS = 12000,
};

enum operation {
    OP_DATAGRAM,  /* as it is, from a stranger */
    OP_TOKEN,     /* from a session's address, with its token */
    OP_EVENT,     /* the same, with its next event id */
    OP_ELSEWHERE, /* with a session's token, from another address */
    OP_ITEM,      /* a packed item, from the coordinator */
    OP_SHARD,     /* a packed item, from the shard */
    OP_SEND,      /* a packet of the shard, to all */
    OP_ACK,       /* a session acks all it was sent */
    OP_TIME,      /* so many ms pass; in one leap if odd */
    OP_PEERS,     /* the coordinator or the shard goes, or comes back */
    OP_DRAIN,
    OPERATIONS,
};

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

struct player {
    struct address address;
    uint32_t id;
    uint32_t player_token;
    uint64_t token;
    uint32_t event_id; /* the gateway's last ack */
    uint32_t seen;     /* the highest event it was sent */
};

struct fuzz {
    struct gateway *gateway;
    struct rng rng;
    uint64_t now_ms;
    struct player players[FUZZ_PLAYERS];
    uint64_t join_request;
    uint64_t cookie;
    bool has_peer[2];
};

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct address address_of(uint8_t number)
{
    return (struct address){ .ip = { [10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = number }, .port = 5000 };
}

/* ---- what comes out */

static void on_out(struct fuzz *fuzz, const struct egress_run *run, const uint8_t *data)
{
    struct wire_error error;
    const struct wire_packet *packet = wire_identify(WIRE_S2C, data, run->size, &error);

    REQUIRE(packet != NULL);
    if (packet == &wire_connect_challenge_packet)
        fuzz->cookie = load_u64(data + WIRE_CONNECT_CHALLENGE_COOKIE_AT);
    for (int i = 0; i < FUZZ_PLAYERS; i++) {
        struct player *player = &fuzz->players[i];

        if (!address_equal(&run->to, &player->address))
            continue;
        if (packet == &wire_server_hello_packet) {
            player->token = load_u64(data + WIRE_SERVER_HELLO_SESSION_TOKEN_AT);
            player->id = load_u32(data + WIRE_SERVER_HELLO_PLAYER_ID_AT);
            player->player_token = load_u32(data + WIRE_SERVER_HELLO_PLAYER_TOKEN_AT);
            player->event_id = 0;
            player->seen = 0;
        } else if (packet == &wire_server_ack_packet) {
            player->event_id = load_u32(data + WIRE_SERVER_ACK_ACK_AT);
        } else if (packet->event_id_at != 0 && load_u32(data + packet->event_id_at) > player->seen) {
            REQUIRE(load_u32(data + packet->event_id_at) == player->seen + 1);
            player->seen++;
        }
    }
}

static void gather(struct fuzz *fuzz)
{
    struct egress *egress = gateway_take_egress(fuzz->gateway);
    struct outbox *outbox = gateway_outbox(fuzz->gateway);
    struct egress_run run;

    while (egress_take(egress, &run)) {
        for (size_t i = 0; i < run.count; i++)
            on_out(fuzz, &run, run.data[i]);
    }
    egress_clear(egress);
    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__Item *item = outbox->entries[i].item;
        size_t size = bus__item__get_packed_size(item);
        uint8_t *packed = malloc(size + 1);

        REQUIRE(packed != NULL);
        REQUIRE(bus__item__pack(item, packed) == size);
        free(packed);
        if (item->item_case == BUS__ITEM__ITEM_JOIN_REQUEST)
            fuzz->join_request = item->join_request->request;
    }
    outbox_clear(outbox);
    gateway_check(fuzz->gateway);
}

/* ---- what goes in */

/* In memory of its own size, so that AddressSanitizer sees the end. */
static void datagram(struct fuzz *fuzz, const struct address *from, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));

    REQUIRE(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    gateway_on_datagram(fuzz->gateway, fuzz->now_ms, from, (struct span){ copy, size });
    free(copy);
    gather(fuzz);
}

static void stranger_datagram(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    const struct address from = address_of(99);
    uint64_t out = gateway_stats(fuzz->gateway)->bytes_out;

    datagram(fuzz, &from, data, size);
    REQUIRE(gateway_stats(fuzz->gateway)->bytes_out - out <= size);
}

static void session_datagram(struct fuzz *fuzz, const struct player *player, const struct address *from,
                             const uint8_t *data, size_t size, bool is_event)
{
    uint8_t patched[WIRE_PACKET_SIZE_MAX + 1];

    if (size > sizeof patched)
        size = sizeof patched;
    if (size > 0)
        memcpy(patched, data, size);
    if (size >= EVENT_ID_AT)
        store_u64(patched + TOKEN_AT, player->token);
    if (is_event && size >= EVENT_ID_END)
        store_u32(patched + EVENT_ID_AT, player->event_id + 1);
    datagram(fuzz, from, patched, size);
}

static void bus_item(struct fuzz *fuzz, uint16_t peer, const Bus__Item *item)
{
    if (!fuzz->has_peer[peer])
        return;
    gateway_on_item(fuzz->gateway, fuzz->now_ms, peer, item);
    gather(fuzz);
}

static void packed_item(struct fuzz *fuzz, uint16_t peer, const uint8_t *data, size_t size)
{
    Bus__Item *item = bus__item__unpack(NULL, size, data);

    if (item == NULL)
        return;
    bus_item(fuzz, peer, item);
    bus__item__free_unpacked(item, NULL);
}

static void send_to_all(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    Bus__Send send = BUS__SEND__INIT;
    Bus__Recipient recipients[FUZZ_PLAYERS];
    Bus__Recipient *list[FUZZ_PLAYERS];
    uint32_t teammates[] = { fuzz->players[1].id };
    Bus__Item item = BUS__ITEM__INIT;
    struct wire_error error;
    const struct wire_packet *packet = wire_identify(WIRE_S2C, data, size, &error);

    for (size_t i = 0; i < FUZZ_PLAYERS; i++) {
        bus__recipient__init(&recipients[i]);
        recipients[i].id = fuzz->players[i].id;
        recipients[i].token = fuzz->players[i].player_token;
        recipients[i].fence = 1;
        list[i] = &recipients[i];
    }
    send.packet = (ProtobufCBinaryData){ .len = size, .data = (uint8_t *)data };
    send.class_ = packet != NULL && packet->lane == WIRE_RELIABLE ? BUS__SEND__CLASS__CRITICAL
                                                                  : BUS__SEND__CLASS__UNRELIABLE;
    send.to = list;
    send.n_to = FUZZ_PLAYERS;
    send.teammates = teammates;
    send.n_teammates = 1;
    item.item_case = BUS__ITEM__ITEM_SEND;
    item.send = &send;
    bus_item(fuzz, SHARD, &item);
}

static void ack_all(struct fuzz *fuzz, const struct player *player)
{
    const struct wire_client_ack ack = { .token = player->token, .ack = player->seen };
    uint8_t data[WIRE_CLIENT_ACK_SIZE];

    datagram(fuzz, &player->address, data, wire_client_ack_put(&ack, data, sizeof data));
}

static void pass(struct fuzz *fuzz, uint32_t ms)
{
    uint64_t end_ms = fuzz->now_ms + ms;

    while (fuzz->now_ms < end_ms) {
        uint64_t wakes_ms = gateway_wakes_at(fuzz->gateway);

        fuzz->now_ms = wakes_ms < end_ms && ms % 2 == 0 ? wakes_ms : end_ms;
        gateway_tick(fuzz->gateway, fuzz->now_ms);
        gather(fuzz);
    }
}

static void toggle_peer(struct fuzz *fuzz, uint16_t peer)
{
    fuzz->has_peer[peer] = !fuzz->has_peer[peer];
    if (!fuzz->has_peer[peer])
        gateway_peer_down(fuzz->gateway, fuzz->now_ms, peer);
    else if (peer == COORDINATOR)
        gateway_peer_up(fuzz->gateway, fuzz->now_ms, peer, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 1);
    else
        gateway_peer_up(fuzz->gateway, fuzz->now_ms, peer, BUS__ROLE__ROLE_SHARD, "shard-1", 2);
    gather(fuzz);
}

/* ---- the start: a gateway with its peers and its players */

static void hello(struct fuzz *fuzz, const struct player *player, uint64_t cookie)
{
    const struct wire_client_hello fields = { .protocol_version = WIRE_VERSION,
                                              .client_nonce = 7,
                                              .cookie = cookie,
                                              .name = { (const uint8_t *)"Bob", 3 } };
    uint8_t data[WIRE_CLIENT_HELLO_SIZE_MAX];

    datagram(fuzz, &player->address, data, wire_client_hello_put(&fields, data, sizeof data));
}

static void join(struct fuzz *fuzz, uint8_t number)
{
    Bus__JoinAnswer answer = BUS__JOIN_ANSWER__INIT;
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    fuzz->players[number].address = address_of(number);
    hello(fuzz, &fuzz->players[number], 0);
    hello(fuzz, &fuzz->players[number], fuzz->cookie);
    player.id = number;
    player.token = 100 + number;
    spawn.scope = &scope;
    answer.request = fuzz->join_request;
    answer.player = &player;
    answer.fence = 1;
    answer.shard = "shard-1";
    answer.spawn = &spawn;
    item.item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    item.join_answer = &answer;
    bus_item(fuzz, COORDINATOR, &item);
    REQUIRE(fuzz->players[number].token != 0);
}

static void start(struct fuzz *fuzz)
{
    const struct gateway_config config = { .endpoint = "", .sessions_max = FUZZ_SESSIONS };
    Bus__ClusterSettings settings = BUS__CLUSTER_SETTINGS__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    *fuzz = (struct fuzz){ .now_ms = UINT32_MAX - 5000 };
    rng_init_seeded(&fuzz->rng, 1);
    fuzz->gateway = gateway_new(&config, &fuzz->rng);
    REQUIRE(fuzz->gateway != NULL);
    toggle_peer(fuzz, COORDINATOR);
    toggle_peer(fuzz, SHARD);
    settings.max_players = 1000;
    settings.heartbeat_ms = 100;
    item.item_case = BUS__ITEM__ITEM_SETTINGS;
    item.settings = &settings;
    bus_item(fuzz, COORDINATOR, &item);
    for (uint8_t i = 0; i < FUZZ_PLAYERS; i++)
        join(fuzz, i);
}

static void operate(struct fuzz *fuzz, uint8_t operation, const uint8_t *data, size_t size)
{
    struct player *player = &fuzz->players[operation / OPERATIONS % FUZZ_PLAYERS];
    const struct address elsewhere = address_of(50);

    switch ((enum operation)(operation % OPERATIONS)) {
    case OP_DATAGRAM:
        stranger_datagram(fuzz, data, size);
        break;
    case OP_TOKEN:
        session_datagram(fuzz, player, &player->address, data, size, false);
        break;
    case OP_EVENT:
        session_datagram(fuzz, player, &player->address, data, size, true);
        break;
    case OP_ELSEWHERE:
        session_datagram(fuzz, player, &elsewhere, data, size, false);
        break;
    case OP_ITEM:
        packed_item(fuzz, COORDINATOR, data, size);
        break;
    case OP_SHARD:
        packed_item(fuzz, SHARD, data, size);
        break;
    case OP_SEND:
        send_to_all(fuzz, data, size);
        break;
    case OP_ACK:
        ack_all(fuzz, player);
        break;
    case OP_TIME:
        pass(fuzz, size > 1 ? load_u16(data) % PASS_MAX_MS : 100);
        break;
    case OP_PEERS:
        toggle_peer(fuzz, size % 2);
        break;
    case OP_DRAIN:
        gateway_drain(fuzz->gateway, fuzz->now_ms, "");
        gather(fuzz);
        break;
    case OPERATIONS:
        break;
    }
}

static void run_script(struct fuzz *fuzz, const uint8_t *data, size_t size)
{
    struct reader in;

    reader_init(&in, data, size);
    for (int record = 0; record < RECORDS_MAX && reader_left(&in) > 0; record++) {
        uint8_t operation = read_u8(&in);
        size_t length = read_u16(&in);
        struct span bytes = read_span(&in, length < reader_left(&in) ? length : reader_left(&in));

        if (in.bad) /* the last record has no whole header */
            break;
        operate(fuzz, operation, bytes.data, bytes.size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz fuzz;

    if (size == 0)
        return 0;
    start(&fuzz);
    if (data[0] == 0) {
        run_script(&fuzz, data + 1, size - 1);
    } else {
        stranger_datagram(&fuzz, data, size);
        session_datagram(&fuzz, &fuzz.players[0], &fuzz.players[0].address, data, size, false);
        session_datagram(&fuzz, &fuzz.players[1], &fuzz.players[1].address, data, size, true);
        send_to_all(&fuzz, data, size);
    }
    pass(&fuzz, 1000);
    gateway_free(&fuzz.gateway);
    return 0;
}
