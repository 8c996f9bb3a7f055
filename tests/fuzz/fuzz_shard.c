/* Items of the bus into a shard with players in its world: as a gateway, as the coordinator, as nobody, in
 * any order and with any numbers. Nothing may stop it or contradict its tables, and whatever it sends is a
 * packet that a client takes.
 *
 * An input is a script: an operation, then what it needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/wire.h"
#include "shard/core.h"
#include "tests/fuzz/items.h"

enum { COORDINATOR = 0, GATEWAY = 1, PEERS = 2, PLAYERS = 3, VEHICLES = 2, OPERATIONS_MAX = 200 };
enum { ARENA_BLOCK = 64 << 10, ARENA_MAX = 64 << 20, BODY_MAX = 300, PASS_MAX_MS = 12000 };

enum operation {
    OP_ITEM,   /* of any kind, from a peer */
    OP_PACKET, /* of a player, its next one */
    OP_TIME,
    OP_PEER, /* goes, or comes back */
    OP_ACK,  /* a player acks so many events */
    OPERATIONS,
};

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

struct fuzz {
    struct shard *shard;
    struct arena arena;
    uint64_t now_ms;
    uint64_t numbers[PLAYERS]; /* of their reliable items */
    uint32_t event_ids[PLAYERS];
    bool is_up[PEERS];
};

/* ---- what comes out */

static void check_send(const Bus__Send *send)
{
    union wire_any any;
    struct wire_error error;
    const struct wire_packet *packet =
        wire_decode(WIRE_S2C, send->packet.data, send->packet.len, &any, &error);

    REQUIRE(packet != NULL);
    REQUIRE((packet->lane == WIRE_RELIABLE) == (send->class_ != BUS__SEND__CLASS__UNRELIABLE));
}

static void gather(struct fuzz *fuzz)
{
    struct outbox *outbox = shard_outbox(fuzz->shard);

    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__Item *item = outbox->entries[i].item;
        size_t size = bus__item__get_packed_size(item);
        uint8_t *packed = malloc(size + 1);

        REQUIRE(packed != NULL);
        REQUIRE(bus__item__pack(item, packed) == size);
        free(packed);
        if (item->item_case == BUS__ITEM__ITEM_SEND)
            check_send(item->send);
    }
    outbox_clear(outbox);
    shard_check(fuzz->shard);
}

/* ---- what goes in */

static void give(struct fuzz *fuzz, uint16_t peer, const Bus__Item *item)
{
    shard_on_item(fuzz->shard, fuzz->now_ms, peer, item);
    gather(fuzz);
}

static void toggle(struct fuzz *fuzz, uint16_t peer)
{
    fuzz->is_up[peer] = !fuzz->is_up[peer];
    if (!fuzz->is_up[peer])
        shard_peer_down(fuzz->shard, fuzz->now_ms, peer);
    else if (peer == COORDINATOR)
        shard_peer_up(fuzz->shard, fuzz->now_ms, peer, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 1);
    else
        shard_peer_up(fuzz->shard, fuzz->now_ms, peer, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 2);
    gather(fuzz);
}

static void pass(struct fuzz *fuzz, uint64_t ms)
{
    uint64_t end_ms = fuzz->now_ms + ms;

    while (fuzz->now_ms < end_ms) {
        uint64_t wakes_ms = shard_wakes_at(fuzz->shard);

        fuzz->now_ms = wakes_ms > fuzz->now_ms && wakes_ms < end_ms ? wakes_ms : end_ms;
        shard_tick(fuzz->shard, fuzz->now_ms);
        gather(fuzz);
    }
}

static void packet(struct fuzz *fuzz, uint32_t player, struct span bytes)
{
    struct wire_error error;
    const struct wire_packet *kind = wire_identify(WIRE_C2S, bytes.data, bytes.size, &error);
    bool is_event = kind != NULL && kind->lane == WIRE_RELIABLE;
    Bus__Player ref = BUS__PLAYER__INIT;
    Bus__ClientPacket packet = BUS__CLIENT_PACKET__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ref.id = player;
    ref.token = player + 1;
    packet.player = &ref;
    packet.packet = (ProtobufCBinaryData){ .len = bytes.size, .data = (uint8_t *)bytes.data };
    packet.event_id = is_event ? ++fuzz->event_ids[player] : 0;
    packet.number = is_event ? ++fuzz->numbers[player] : 0;
    packet.barriers_seen = 1;
    item.item_case = BUS__ITEM__ITEM_CLIENT_PACKET;
    item.client_packet = &packet;
    give(fuzz, GATEWAY, &item);
}

static void ack(struct fuzz *fuzz, uint32_t player, uint32_t event_id)
{
    Bus__Player ref = BUS__PLAYER__INIT;
    Bus__EventsAcked acked = BUS__EVENTS_ACKED__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ref.id = player;
    ref.token = player + 1;
    acked.player = &ref;
    acked.event_id = event_id;
    item.item_case = BUS__ITEM__ITEM_EVENTS_ACKED;
    item.events_acked = &acked;
    give(fuzz, GATEWAY, &item);
}

/* ---- the start: both peers, its worlds, and players who have spawned */

static void own_worlds(struct fuzz *fuzz)
{
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__Slot slot = BUS__SLOT__INIT;
    Bus__Slot *slots[] = { &slot };
    Bus__IdLease lease = BUS__ID_LEASE__INIT;
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    map.revision = 1;
    map.whole = true;
    slot.shard = "shard-1";
    slot.fence = 1;
    map.slots = slots;
    map.n_slots = 1;
    item.item_case = BUS__ITEM__ITEM_MAP;
    item.map = &map;
    give(fuzz, COORDINATOR, &item);
    lease.first = 1;
    lease.count = 1024;
    item.item_case = BUS__ITEM__ITEM_ID_LEASE;
    item.id_lease = &lease;
    give(fuzz, COORDINATOR, &item);
    update.revision = 2;
    update.whole = true;
    item.item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    item.game_update = &update;
    give(fuzz, COORDINATOR, &item);
}

static void join(struct fuzz *fuzz, uint32_t player)
{
    static uint8_t address[16] = { [10] = 0xFF, [11] = 0xFF, [12] = 10, [15] = 1 };
    static const char *const names[PLAYERS] = { "Alice", "Bob", "Carol" };
    static const uint8_t request_spawn[] = { PACKET_REQUEST_SPAWN };
    Bus__Player ref = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__PlayerJoin message = BUS__PLAYER_JOIN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ref.id = player;
    ref.token = player + 1;
    spawn.scope = &scope;
    spawn.z = 3;
    spawn.x = (float)player;
    message.player = &ref;
    message.fence = 1;
    message.number = ++fuzz->numbers[player];
    message.name = (char *)names[player];
    message.spawn = &spawn;
    message.address = (ProtobufCBinaryData){ .len = sizeof address, .data = address };
    item.item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
    item.player_join = &message;
    give(fuzz, GATEWAY, &item);
    packet(fuzz, player, (struct span){ request_spawn, sizeof request_spawn });
}

static void start(struct fuzz *fuzz)
{
    static const struct shard_vehicle vehicles[VEHICLES] = { { .model = 411, .x = 2, .z = 3 },
                                                             { .model = 525, .x = 8, .z = 3 } };
    const struct shard_config config = { .name = "shard-1",
                                         .bus_endpoint = "tcp://127.0.0.1:7701",
                                         .players_max = 8,
                                         .vehicles_max = 8,
                                         .player_ids_max = 16,
                                         .jacking = true,
                                         .vehicles = vehicles,
                                         .vehicles_count = VEHICLES };

    *fuzz = (struct fuzz){ .now_ms = UINT32_MAX - 5000 };
    arena_init(&fuzz->arena, ARENA_BLOCK, ARENA_MAX);
    fuzz->shard = shard_new(&config);
    REQUIRE(fuzz->shard != NULL);
    toggle(fuzz, COORDINATOR);
    toggle(fuzz, GATEWAY);
    own_worlds(fuzz);
    pass(fuzz, 200);
    for (uint32_t i = 0; i < PLAYERS; i++)
        join(fuzz, i);
    pass(fuzz, 200);
}

static void operate(struct fuzz *fuzz, struct reader *in)
{
    uint8_t operation = read_u8(in);
    uint32_t player = operation / OPERATIONS % PLAYERS;
    size_t size;

    switch ((enum operation)(operation % OPERATIONS)) {
    case OP_ITEM:
        arena_reset(&fuzz->arena);
        give(fuzz, operation / OPERATIONS % (PEERS + 1), items_make(&fuzz->arena, in));
        break;
    case OP_PACKET:
        size = read_u8(in);
        packet(fuzz, player, read_span(in, size < reader_left(in) ? size : reader_left(in)));
        break;
    case OP_TIME:
        pass(fuzz, read_u16(in) % PASS_MAX_MS);
        break;
    case OP_PEER:
        toggle(fuzz, operation / OPERATIONS % PEERS);
        break;
    case OP_ACK:
        ack(fuzz, player, read_u8(in));
        break;
    case OPERATIONS:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz fuzz;
    struct reader in;

    start(&fuzz);
    reader_init(&in, data, size);
    for (int i = 0; i < OPERATIONS_MAX && reader_left(&in) > 0; i++)
        operate(&fuzz, &in);
    pass(&fuzz, 1000);
    shard_free(&fuzz.shard);
    arena_fini(&fuzz.arena);
    return 0;
}
