/* The records of a player and a vehicle, as Redis or another shard may hand them over: any bytes, or good
 * ones with some of them changed. What is accepted lives on in a shard that streams it, and can be written
 * and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/player_record.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_record.h"

enum { START_MS = 1000000, GATEWAY = 1, BYTES_MAX = 16384 };

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

static const char *name_of(void *context, uint16_t number)
{
    (void)context;
    return number == 1 ? "race" : NULL;
}

static uint16_t number_of(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "race") == 0;
}

static const struct record_resources resources = { .name = name_of, .number = number_of };

/* Good records, packed. */
static struct {
    bool made;
    uint8_t player[BYTES_MAX];
    size_t player_size;
    uint8_t vehicle[BYTES_MAX];
    size_t vehicle_size;
} good;

static struct shard *open_shard(void)
{
    const struct shard_config config = { .name = "shard-1",
                                         .bus_endpoint = "ipc:///shard-1",
                                         .players_max = 4,
                                         .vehicles_max = 4,
                                         .player_ids_max = 64 };
    struct shard *shard = shard_new(&config);

    REQUIRE(shard != NULL);
    shard_tick(shard, START_MS);
    shard_peer_up(shard, START_MS, GATEWAY, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 1);
    return shard;
}

static void join(struct shard *shard, uint32_t id)
{
    static char name[] = "somebody";
    static uint8_t address[16] = { 1 };
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__PlayerJoin joining = BUS__PLAYER_JOIN__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = id;
    player.token = 1000 + id;
    spawn.scope = &scope;
    joining.player = &player;
    joining.number = 1;
    joining.name = name;
    joining.spawn = &spawn;
    joining.address = (ProtobufCBinaryData){ .len = sizeof address, .data = address };
    item.item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
    item.player_join = &joining;
    shard_on_item(shard, START_MS, GATEWAY, &item);
}

/* Alive, with something in each part of its record. */
static struct player *make_player(struct shard *shard)
{
    struct wire_remote_player_sync relay = { .player_id = 2, .player_token = 1002 };
    const struct combat_ray ray = { .at_ms = START_MS, .order = 7, .weapon = 31 };
    const struct combat_cause cause = { .at_ms = START_MS, .kind = CAUSE_ROCKET, .weapon = 35 };
    struct wire_error error;
    struct player *player;

    join(shard, 2);
    player = world_player_by_id(&shard->world, 2);
    REQUIRE(player != NULL);
    REQUIRE(wire_remote_player_sync_encode(&relay, player->relay, sizeof player->relay, &error) > 0);
    player->state = LIFE_ALIVE;
    player->life = 1;
    player->framed = true;
    combat_rays_add(&player->rays, &ray);
    combat_causes_add(&player->causes, &cause);
    player->marks[player->marks_count++] = (struct frame_mark){ .vehicle_id = 1, .seq = 5 };
    player->owed_hides[player->owed_hides_count++] = (struct owed_hide){ .kind = ENTITY_VEHICLE, .id = 9 };
    player->stats.values[3] = 5;
    player->stats.set[0] = player->stats.owed[0] = 1U << 3;
    player->set.camera.active = true;
    return player;
}

static struct vehicle *make_vehicle(struct shard *shard, const struct player *driver)
{
    const struct shard_vehicle what = { .model = 560, .engine = true };
    struct vehicle *vehicle = vehicle_create(shard, 1, &what);

    REQUIRE(vehicle != NULL);
    vehicle->owner = 1;
    vehicle->tuning.components[COMPONENT_NITRO] = 1010;
    vehicle->tuning.nitro_charges = 3;
    vehicle->handling = (struct vehicle_handling){ .mask = 1, .values = { 1500 } };
    vehicle->shooters[0] = (struct vehicle_shooter){ .ref = driver->ref, .at_ms = START_MS };
    vehicle->seats[0] = world_player_slot(&shard->world, driver);
    REQUIRE(vehicle_params_put_own(vehicle,
                                   (struct own_params){ .player = vehicle->seats[0], .objective = true }));
    return vehicle;
}

static void make_good(void)
{
    struct shard *shard = open_shard();
    struct outbox *outbox = shard_outbox(shard);
    const struct player *player = make_player(shard);
    struct vehicle *vehicle = make_vehicle(shard, player);
    const Bus__PlayerState *player_state = player_record_write(shard, outbox, player);
    const Bus__VehicleState *vehicle_state = vehicle_record_write(shard, outbox, vehicle, &resources);

    good.player_size = bus__player_state__get_packed_size(player_state);
    good.vehicle_size = bus__vehicle_state__get_packed_size(vehicle_state);
    REQUIRE(good.player_size <= BYTES_MAX && good.vehicle_size <= BYTES_MAX);
    bus__player_state__pack(player_state, good.player);
    bus__vehicle_state__pack(vehicle_state, good.vehicle);
    good.made = true;
    shard_free(&shard);
}

/* Three bytes are one change: where, and what to. */
static void change(uint8_t *bytes, size_t bytes_size, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] << 8 | data[i + 1]) % bytes_size] = data[i + 2];
}

static void read_player(struct shard *shard, const uint8_t *bytes, size_t size)
{
    Bus__PlayerState *state = bus__player_state__unpack(NULL, size, bytes);
    struct player *player;

    if (state != NULL && player_record_read(shard, state, &player) == REASON_NONE) {
        struct shard *other = open_shard();
        struct player *copy;

        REQUIRE(player_record_read(other, player_record_write(shard, shard_outbox(shard), player), &copy) ==
                REASON_NONE);
        shard_free(&other);
    }
    if (state != NULL)
        bus__player_state__free_unpacked(state, NULL);
}

static void read_vehicle(struct shard *shard, const uint8_t *bytes, size_t size)
{
    Bus__VehicleState *state = bus__vehicle_state__unpack(NULL, size, bytes);
    struct vehicle *vehicle;

    if (state != NULL && vehicle_record_read(shard, state, &resources, &vehicle) == REASON_NONE) {
        struct shard *other = open_shard();
        struct vehicle *copy;

        REQUIRE(vehicle_record_read(other,
                                    vehicle_record_write(shard, shard_outbox(shard), vehicle, &resources),
                                    &resources, &copy) == REASON_NONE);
        shard_free(&other);
    }
    if (state != NULL)
        bus__vehicle_state__free_unpacked(state, NULL);
}

static void live_on(struct shard *shard)
{
    vehicle_record_settle_links(shard);
    shard_check(shard);
    for (uint64_t ms = 100; ms <= 6400; ms *= 2) {
        shard_tick(shard, START_MS + ms);
        shard_check(shard);
        outbox_clear(shard_outbox(shard));
    }
}

/* The first byte chooses: whether the bytes are a record or changes of a good one, and of which. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t player[BYTES_MAX];
    static uint8_t vehicle[BYTES_MAX];
    struct shard *shard;

    if (size == 0)
        return 0;
    if (!good.made)
        make_good();
    memcpy(player, good.player, good.player_size);
    memcpy(vehicle, good.vehicle, good.vehicle_size);
    shard = open_shard();
    if ((data[0] & 3) == 0) {
        read_player(shard, data + 1, size - 1);
        read_vehicle(shard, data + 1, size - 1);
    } else {
        if ((data[0] & 1) != 0)
            change(player, good.player_size, data + 1, size - 1);
        if ((data[0] & 2) != 0)
            change(vehicle, good.vehicle_size, data + 1, size - 1);
        read_player(shard, player, good.player_size);
        read_vehicle(shard, vehicle, good.vehicle_size);
    }
    live_on(shard);
    shard_free(&shard);
    return 0;
}
