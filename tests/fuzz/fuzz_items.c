/* Items of the bus into a coordinator and a shard that know each other: records of an operation, a u16 size
 * and so many bytes. Whatever comes, neither stops or contradicts itself, what one of them says of settings,
 * teams and storage the other can read, and both have the same settings in the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "coordinator/core.h"
#include "coordinator/state.h"
#include "proto/link.h"
#include "shard/core.h"
#include "shard/settings.h"
#include "shard/shard.h"

enum { GATEWAY = 1, SHARD = 2, COORDINATOR = 3, RECORDS_MAX = 200, ROUNDS_MAX = 64, DOUBLES = 8 };

enum operation {
    OP_BY_SHARD,
    OP_BY_GATEWAY,
    OP_BY_COORDINATOR,
    OP_TO_SHARD,
    OP_SET,
    OP_TIME,
    OP_REDIS,
    OPERATIONS
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

static struct arena arena;
static struct coordinator *coordinator;
static struct shard *shard;
static uint64_t now_ms;
static bool redis_is_up;

/* ---- Redis: it has nothing and does everything */

static void answer(const struct storage_command *command)
{
    static uint64_t reserved;
    const struct storage_loaded nothing = { 0 };
    struct storage_result result = { .is_ok = true, .error = "" };

    switch (command->kind) {
    case STORAGE_LOAD:
        result.loaded = &nothing;
        break;
    case STORAGE_RESERVE:
        if (reserved < command->reserve.floor)
            reserved = command->reserve.floor;
        result.number = reserved + 1;
        reserved += command->reserve.count;
        break;
    case STORAGE_SLOT:
        result.number = command->slot.fence;
        break;
    case STORAGE_TICKET:
        result.number = 1;
        break;
    default:
        break;
    }
    coordinator_on_store(coordinator, now_ms, &result);
}

static void run_redis(void)
{
    struct storage_command command;

    while (redis_is_up && coordinator_take_command(coordinator, now_ms, &command))
        answer(&command);
}

static void switch_redis(void)
{
    redis_is_up = !redis_is_up;
    if (redis_is_up)
        coordinator_store_up(coordinator, now_ms);
    else
        coordinator_store_down(coordinator, now_ms);
}

/* ---- the two */

static bool is_of_gamemodes(const Bus__Item *item)
{
    return item->item_case == BUS__ITEM__ITEM_GAME_ASK || item->item_case == BUS__ITEM__ITEM_GAME_ANSWER ||
           item->item_case == BUS__ITEM__ITEM_GAME_UPDATE ||
           item->item_case == BUS__ITEM__ITEM_SCRIPT_EVENT || item->item_case == BUS__ITEM__ITEM_KV_ASK ||
           item->item_case == BUS__ITEM__ITEM_KV_ANSWER;
}

static void carry_to_shard(const Bus__Item *item)
{
    uint64_t before = shard_stats(shard)->reasons[REASON_BUS_MALFORMED];

    shard_on_item(shard, now_ms, COORDINATOR, item);
    REQUIRE(!is_of_gamemodes(item) || shard_stats(shard)->reasons[REASON_BUS_MALFORMED] == before);
}

static void carry_to_coordinator(const Bus__Item *item)
{
    uint64_t before = coordinator_stats(coordinator)->drops[REASON_BUS_MALFORMED];

    coordinator_on_item(coordinator, now_ms, SHARD, item);
    REQUIRE(!is_of_gamemodes(item) || coordinator_stats(coordinator)->drops[REASON_BUS_MALFORMED] == before);
}

/* What the one has said goes to the other, until both are silent. */
static void carry(void)
{
    struct outbox *from_coordinator = coordinator_outbox(coordinator);
    struct outbox *from_shard = shard_outbox(shard);

    for (int round = 0; round < ROUNDS_MAX; round++) {
        run_redis();
        for (size_t i = 0; i < from_coordinator->count; i++) {
            if (from_coordinator->entries[i].peer == SHARD)
                carry_to_shard(from_coordinator->entries[i].item);
        }
        outbox_clear(from_coordinator);
        for (size_t i = 0; i < from_shard->count; i++) {
            if (from_shard->entries[i].peer == COORDINATOR)
                carry_to_coordinator(from_shard->entries[i].item);
        }
        outbox_clear(from_shard);
        if (from_coordinator->count == 0)
            break;
    }
}

static void begin(void)
{
    static char text[] = "fuzz";
    static char empty[] = "";
    static struct cluster_settings settings;
    const struct coordinator_config config = { .name = "coordinator", .slots = 1, .settings = &settings };
    const struct shard_config world = { .name = "shard-1",
                                        .bus_endpoint = "ipc://shard",
                                        .players_max = 4,
                                        .vehicles_max = 4,
                                        .player_ids_max = 16,
                                        .jacking = true };

    settings = (struct cluster_settings){ .name = text,
                                          .gamemode = empty,
                                          .language = empty,
                                          .password = empty,
                                          .max_players = 4,
                                          .heartbeat_ms = 100,
                                          .connections_per_address = 8 };
    now_ms = 1000000;
    redis_is_up = false;
    coordinator = coordinator_new(&config, now_ms);
    shard = shard_new(&world);
    REQUIRE(coordinator != NULL && shard != NULL);
    switch_redis();
    shard_tick(shard, now_ms);
    shard_peer_up(shard, now_ms, COORDINATOR, BUS__ROLE__ROLE_COORDINATOR, "coordinator", 1);
    shard_peer_up(shard, now_ms, GATEWAY, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 2);
    coordinator_peer_up(coordinator, now_ms, GATEWAY, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 2);
    coordinator_peer_up(coordinator, now_ms, SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 3);
    carry();
}

/* ---- operations */

static Bus__Item *unpack(struct span bytes)
{
    Bus__Batch *batch;

    arena_reset(&arena);
    batch = link_unpack(&arena, bytes);
    return batch != NULL && batch->n_items > 0 ? batch->items[0] : NULL;
}

/* A change as a gamemode asks for it. */
static void set(struct reader *in)
{
    uint8_t kind = read_u8(in);
    uint32_t weapon = read_u8(in);
    uint32_t index = read_u8(in);
    uint32_t tier = index >> 6;
    double value;
    uint16_t team;

    memcpy(&value,
           (const uint8_t[DOUBLES]){ read_u8(in), read_u8(in), read_u8(in), read_u8(in), read_u8(in),
                                     read_u8(in), read_u8(in), read_u8(in) },
           sizeof value);
    if (kind >= 128)
        value = weapon; /* often within the bounds */
    switch (kind % 10) {
    case 0:
        (void)settings_set_weapon_property(shard, "a", weapon, tier, index & 63, kind < 20 ? NULL : &value);
        break;
    case 1:
        (void)settings_set_weapon_allowed(shard, "a", weapon, index & 1);
        break;
    case 2:
        (void)settings_set_driveby_interval(shard, "a", weapon, value);
        break;
    case 3:
        (void)settings_set_damage_multiplier(shard, "a", weapon, value);
        break;
    case 4:
        (void)settings_set_jacking(shard, "a", index & 1);
        break;
    case 5:
        (void)settings_set_time(shard, "a", weapon, index, index);
        break;
    case 6:
        (void)settings_set_clock(shard, "a", kind < 20 ? NULL : &value);
        break;
    case 7:
        (void)settings_set_weather(shard, "a", value, index);
        break;
    case 8:
        (void)settings_set_weather_value(shard, "a", index, kind < 20 ? NULL : &value);
        break;
    default:
        if (team_create(shard, "a", (const char[]){ (char)weapon, '\0' }, &team) == REASON_NONE)
            (void)team_set_friendly_fire(shard, team, index & 1);
        break;
    }
}

static void step(enum operation operation, struct span bytes)
{
    struct reader in;
    const Bus__Item *item;

    reader_init(&in, bytes.data, bytes.size);
    switch (operation) {
    case OP_SET:
        set(&in);
        return;
    case OP_TIME:
        now_ms += read_u16(&in);
        coordinator_tick(coordinator, now_ms);
        shard_tick(shard, now_ms);
        return;
    case OP_REDIS:
        switch_redis();
        return;
    default:
        break;
    }
    item = unpack(bytes);
    if (item == NULL)
        return;
    if (operation == OP_BY_SHARD)
        coordinator_on_item(coordinator, now_ms, SHARD, item);
    else if (operation == OP_BY_GATEWAY)
        coordinator_on_item(coordinator, now_ms, GATEWAY, item);
    else
        shard_on_item(shard, now_ms, operation == OP_BY_COORDINATOR ? COORDINATOR : GATEWAY, item);
}

/* Time, jacking and weapons: what the coordinator has, the shard has, unless somebody has posed as one of
 * them. */
static void require_same_settings(void)
{
    const struct game_settings *one = &coordinator->game.settings;
    const struct game_settings *other = &shard->settings.now;

    if (coordinator->game.revision != shard->settings.revision)
        return;
    for (size_t i = 0; i < GAME_RECORDS; i++)
        REQUIRE(game_same_record(&one->records[i], &other->records[i]));
    REQUIRE(game_same_floats(one->multipliers, other->multipliers, GAME_CLASSES));
    REQUIRE(memcmp(one->driveby_ms, other->driveby_ms, sizeof one->driveby_ms) == 0);
    REQUIRE(one->weapon_revision == other->weapon_revision);
    REQUIRE(one->disallowed == other->disallowed);
    REQUIRE(one->jacking == other->jacking);
    REQUIRE(game_same_weather(&one->weather, &other->weather));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reader in;
    bool is_honest = true;
    int records = 0;

    if (arena.block_size == 0)
        arena_init(&arena, 1 << 16, 1 << 22);
    begin();
    reader_init(&in, data, size);
    while (!in.bad && reader_left(&in) > 0 && records++ < RECORDS_MAX) {
        enum operation operation = (enum operation)(read_u8(&in) % OPERATIONS);
        size_t left = read_u16(&in);
        struct span bytes = read_span(&in, left < reader_left(&in) ? left : reader_left(&in));

        is_honest = is_honest && operation != OP_BY_COORDINATOR;
        step(operation, bytes);
        carry();
    }
    coordinator_check(coordinator);
    shard_check(shard);
    if (is_honest)
        require_same_settings();
    coordinator_free(&coordinator);
    shard_free(&shard);
    arena_fini(&arena);
    return 0;
}
