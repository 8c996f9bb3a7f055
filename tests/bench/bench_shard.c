/* What the shard's rules cost: CPU time of an accepted frame with 50 observers, and of a streaming tick.
 *
 * The core is driven as the bus would drive it, on virtual time; what it leaves in its outbox is thrown
 * away. A frame is measured from the bus item to the Send items of its relay. The tick is that of 1,000
 * players who walk among 2,000 vehicles, spread so that each sees about 30 others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/random.h"
#include "shard/player_sync.h"
#include "shard/shard.h"
#include "shard/vehicle_seat.h"

/* ours: a repetition takes some milliseconds */
enum { FRAMES = 2000, REPETITIONS = 15, WATCHERS = 50, CROWD = 1000, CARS = 2000, TICKS = 30, GATEWAYS = 2 };

/* The figures the shard is held to. */
#define FRAME_TARGET_US 1.5
#define TICK_TARGET_MS 2.0

/* Metres: 1,000 players on such a square have about 30 others within 200 m. */
#define SQUARE_M 2000.0f

enum { PEER_COORDINATOR = 1, PEER_GATEWAY = 2 };

static const char *const help =
    "usage: bench-shard [--help]\n"
    "\n"
    "Prints what the rules of a shard cost, best and median of 15 repetitions: an accepted PlayerSync and\n"
    "an accepted VehicleFrame with 50 observers behind 2 gateways, and a streaming tick of 1,000 players\n"
    "and 2,000 vehicles, standing and walking. Each line says whether its target holds.\n";

struct bench {
    struct shard *shard;
    uint64_t now_ms;
    uint64_t numbers[CROWD];
    uint32_t seqs[CROWD];
    float pos[CROWD][2];
};

struct timing {
    double best;
    double median;
};

__attribute__((noreturn)) static void die(const char *what)
{
    (void)fprintf(stderr, "bench-shard: %s\n", what);
    exit(EXIT_FAILURE);
}

static double cpu_us(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static struct timing timing_of(double *costs)
{
    qsort(costs, REPETITIONS, sizeof *costs, by_size);
    return (struct timing){ .best = costs[0], .median = costs[REPETITIONS / 2] };
}

/* ---- a shard and its clients */

static void give(struct bench *bench, uint16_t peer, Bus__Item__ItemCase what, void *part)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = what;
    item.player_join = part;
    shard_on_item(bench->shard, bench->now_ms, peer, &item);
}

static struct bench bench_new(const struct shard_vehicle *cars, size_t count)
{
    struct bench bench = { .now_ms = 1000000 };
    struct shard_config config = {
        .name = "shard-1",
        .bus_endpoint = "ipc://bench",
        .players_max = CROWD,
        .vehicles_max = CARS,
        .player_ids_max = CROWD,
        .vehicles = cars,
        .vehicles_count = count,
    };
    static char name[] = "shard-1";
    Bus__Slot slot = BUS__SLOT__INIT;
    Bus__Slot *slots[] = { &slot };
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__IdLease lease = BUS__ID_LEASE__INIT;

    if (shard_config_check(&config, stderr) != 0)
        die("its own configuration is wrong");
    bench.shard = shard_new(&config);
    if (bench.shard == NULL)
        die("no memory");
    shard_peer_up(bench.shard, bench.now_ms, PEER_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 1);
    shard_peer_up(bench.shard, bench.now_ms, PEER_GATEWAY, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 1);
    shard_peer_up(bench.shard, bench.now_ms, PEER_GATEWAY + 1, BUS__ROLE__ROLE_GATEWAY, "gateway-2", 1);
    slot.shard = name;
    map.n_slots = 1;
    map.slots = slots;
    lease.first = 1;
    lease.count = 1000000;
    give(&bench, PEER_COORDINATOR, BUS__ITEM__ITEM_ID_LEASE, &lease);
    give(&bench, PEER_COORDINATOR, BUS__ITEM__ITEM_MAP, &map);
    outbox_clear(shard_outbox(bench.shard));
    return bench;
}

static uint16_t peer_of(uint32_t id)
{
    return (uint16_t)(PEER_GATEWAY + id % GATEWAYS);
}

/* The rest of a packet: what follows its token, and its event_id. */
static void send_packet(struct bench *bench, uint32_t id, uint8_t *packet, size_t size, size_t head,
                        bool reliable)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__ClientPacket item = BUS__CLIENT_PACKET__INIT;

    player.id = id;
    player.token = id + 1;
    packet[head - 1] = packet[0];
    item.player = &player;
    item.packet.data = packet + head - 1;
    item.packet.len = size - head + 1;
    item.number = reliable ? ++bench->numbers[id] : 0;
    give(bench, peer_of(id), BUS__ITEM__ITEM_CLIENT_PACKET, &item);
}

static struct wire_player_sync sync_of(struct bench *bench, uint32_t id)
{
    struct wire_player_sync sync = { .seq = ++bench->seqs[id] };

    sync.frame.pos[0] = bench->pos[id][0];
    sync.frame.pos[1] = bench->pos[id][1];
    sync.frame.vehicle_id = WIRE_NONE;
    sync.frame.life = 1;
    sync.frame.pose_rev = 1;
    return sync;
}

static void send_sync(struct bench *bench, uint32_t id)
{
    struct wire_player_sync sync = sync_of(bench, id);
    uint8_t packet[WIRE_PLAYER_SYNC_SIZE];

    wire_player_sync_put(&sync, packet, sizeof packet);
    send_packet(bench, id, packet, sizeof packet, 9, false);
}

static void spawn(struct bench *bench, uint32_t id, float x, float y)
{
    static char name[] = "somebody";
    static uint8_t address[16];
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn place = BUS__SPAWN__INIT;
    Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
    uint8_t request[WIRE_REQUEST_SPAWN_SIZE] = { PACKET_REQUEST_SPAWN };

    player.id = id;
    player.token = id + 1;
    place.scope = &scope;
    place.x = x;
    place.y = y;
    join.player = &player;
    join.fence = 1;
    join.number = bench->numbers[id] = 1;
    join.name = name;
    join.spawn = &place;
    join.address = (ProtobufCBinaryData){ .len = sizeof address, .data = address };
    bench->pos[id][0] = x;
    bench->pos[id][1] = y;
    give(bench, peer_of(id), BUS__ITEM__ITEM_PLAYER_JOIN, &join);
    send_packet(bench, id, request, sizeof request, 13, true);
    send_sync(bench, id);
}

static void ack_everything(struct bench *bench)
{
    for (uint32_t id = 0; id < CROWD; id++) {
        struct player *player = world_player_by_id(&bench->shard->world, id);
        Bus__Player ref = BUS__PLAYER__INIT;
        Bus__EventsAcked acked = BUS__EVENTS_ACKED__INIT;

        if (player == NULL)
            continue;
        ref.id = id;
        ref.token = id + 1;
        acked.player = &ref;
        acked.event_id = player->lane.sent;
        give(bench, peer_of(id), BUS__ITEM__ITEM_EVENTS_ACKED, &acked);
    }
}

static void tick(struct bench *bench)
{
    bench->now_ms += SHARD_TICK_MS;
    shard_tick(bench->shard, bench->now_ms);
}

static void settle(struct bench *bench)
{
    for (int i = 0; i < 20; i++) {
        tick(bench);
        ack_everything(bench);
        outbox_clear(shard_outbox(bench->shard));
    }
}

/* ---- frames */

static struct shard_vehicle car_at(double x, double y)
{
    return (struct shard_vehicle){ .model = 411, .x = x, .y = y };
}

static struct bench frame_bench(void)
{
    static struct shard_vehicle car;
    struct bench bench;

    car = car_at(0, 0);
    bench = bench_new(&car, 1);
    for (uint32_t id = 0; id <= WATCHERS; id++)
        spawn(&bench, id, (float)(id % 10), floorf((float)id / 10.0f));
    settle(&bench);
    if (world_player_by_id(&bench.shard->world, 0)->observers.count != WATCHERS)
        die("not everybody watches");
    return bench;
}

static void expect_accepted(const struct bench *bench, uint64_t before)
{
    if (shard_stats(bench->shard)->frames_accepted - before != FRAMES)
        die("a frame was refused");
}

static struct timing time_player_sync(struct bench *bench)
{
    double costs[REPETITIONS];

    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        uint64_t before = shard_stats(bench->shard)->frames_accepted;
        double start = cpu_us();

        for (int i = 0; i < FRAMES; i++) {
            bench->pos[0][0] = (float)(i % 2);
            send_sync(bench, 0);
            if (i % 50 == 49)
                outbox_clear(shard_outbox(bench->shard));
        }
        costs[repetition] = (cpu_us() - start) / FRAMES;
        expect_accepted(bench, before);
    }
    return timing_of(costs);
}

static struct timing time_vehicle_frame(struct bench *bench)
{
    uint8_t enter[WIRE_VEHICLE_ENTER_SIZE];
    struct wire_vehicle_enter seat = { .vehicle_id = 1 };
    struct wire_vehicle_frame frame = { .vehicle_id = 1 };
    double costs[REPETITIONS];

    wire_vehicle_enter_put(&seat, enter, sizeof enter);
    send_packet(bench, 0, enter, sizeof enter, 13, true);
    frame.state.rot[3] = 1;
    frame.state.health = 1000;
    frame.state.nitro = 1;
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        uint64_t before = shard_stats(bench->shard)->frames_accepted;
        double start = cpu_us();

        for (int i = 0; i < FRAMES; i++) {
            uint8_t packet[WIRE_VEHICLE_FRAME_SIZE];

            bench->now_ms += 33;
            frame.seq++;
            frame.state.pos[0] = (float)(i % 3);
            wire_vehicle_frame_put(&frame, packet, sizeof packet);
            send_packet(bench, 0, packet, sizeof packet, 9, false);
            if (i % 50 == 49)
                outbox_clear(shard_outbox(bench->shard));
        }
        costs[repetition] = (cpu_us() - start) / FRAMES;
        expect_accepted(bench, before);
    }
    return timing_of(costs);
}

/* ---- ticks */

static struct timing time_ticks(struct bench *bench, bool walking)
{
    double costs[REPETITIONS];

    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        costs[repetition] = 0;
        for (int i = 0; i < TICKS; i++) {
            for (uint32_t id = 0; walking && id < CROWD; id++) {
                bench->pos[id][id % 2] += repetition % 2 == 0 ? 0.7f : -0.7f; /* 7 m/s */
                send_sync(bench, id);
            }
            outbox_clear(shard_outbox(bench->shard));

            double start = cpu_us();

            tick(bench);
            costs[repetition] += (cpu_us() - start) / 1000 / TICKS;
            ack_everything(bench);
        }
    }
    return timing_of(costs);
}

static struct bench tick_bench(void)
{
    static struct shard_vehicle cars[CARS];
    struct bench bench;
    struct rng rng;

    rng_init_seeded(&rng, 1);
    for (size_t i = 0; i < CARS; i++)
        cars[i] = car_at((double)(rng_unit(&rng) * SQUARE_M), (double)(rng_unit(&rng) * SQUARE_M));
    bench = bench_new(cars, CARS);
    for (uint32_t id = 0; id < CROWD; id++)
        spawn(&bench, id, rng_unit(&rng) * SQUARE_M, rng_unit(&rng) * SQUARE_M);
    settle(&bench);
    return bench;
}

static double mean_shown(const struct bench *bench)
{
    size_t shown = 0;

    for (uint32_t id = 0; id < CROWD; id++)
        shown += world_player_by_id(&bench->shard->world, id)->shown_players.count;
    return (double)shown / CROWD;
}

static bool report(const char *what, struct timing timing, const char *unit, double target)
{
    (void)printf("%-44s best %7.3f  median %7.3f %s  (target %.1f: %s)\n", what, timing.best, timing.median,
                 unit, target, timing.median < target ? "holds" : "MISSED");
    return timing.median < target;
}

int main(int argc, char **argv)
{
    struct bench bench;
    bool holds = true;

    if (argc > 1) {
        bool asked = strcmp(argv[1], "--help") == 0;

        (void)fputs(help, asked ? stdout : stderr);
        return asked ? EXIT_SUCCESS : 2;
    }
    bench = frame_bench();
    holds &= report("PlayerSync, 50 observers", time_player_sync(&bench), "us", FRAME_TARGET_US);
    holds &= report("VehicleFrame, 50 observers", time_vehicle_frame(&bench), "us", FRAME_TARGET_US);
    shard_free(&bench.shard);

    bench = tick_bench();
    (void)printf("1,000 players and 2,000 vehicles; each sees %.1f others\n", mean_shown(&bench));
    holds &= report("a tick, everybody stands", time_ticks(&bench, false), "ms", TICK_TARGET_MS);
    holds &= report("a tick, everybody walks", time_ticks(&bench, true), "ms", TICK_TARGET_MS);
    shard_free(&bench.shard);
    return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
