/* Items of the bus into a coordinator, as gateways, as shards, as nobody, in any order and with any numbers;
 * peers that come and go, and a Redis that answers, refuses or is away. Nothing may stop it or contradict
 * its tables, and what it says of itself stays JSON.
 *
 * An input is a script: an operation, then what it needs. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/core.h"
#include "coordinator/status.h"
#include "tests/fuzz/items.h"

enum { PEERS = 4, OPERATIONS_MAX = 200, ARENA_BLOCK = 64 << 10, ARENA_MAX = 64 << 20, PASS_MAX_MS = 15000 };

enum operation {
    OP_ITEM, /* of any kind, from a peer */
    OP_TIME,
    OP_PEER, /* goes, or comes up in another life */
    OP_REDIS,
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
    struct coordinator *coordinator;
    struct cluster_settings settings;
    struct arena arena;
    uint64_t now_ms;
    uint64_t boots;
    bool is_up[PEERS];
    bool has_redis;
    bool redis_refuses;
    uint64_t counters[STORAGE_COUNTERS];
};

/* ---- Redis */

static void answer(struct fuzz *fuzz, const struct storage_command *command)
{
    struct storage_loaded loaded = { 0 };
    struct storage_result result = { .is_ok = !fuzz->redis_refuses, .error = "refused" };

    if (command->kind == STORAGE_RESERVE && result.is_ok) {
        uint64_t *counter = &fuzz->counters[command->reserve.counter];

        if (*counter < command->reserve.floor)
            *counter = command->reserve.floor;
        result.number = *counter + 1;
        *counter += command->reserve.count;
    } else if (command->kind == STORAGE_LOAD) {
        memcpy(loaded.counters, fuzz->counters, sizeof loaded.counters);
        result.loaded = &loaded;
    } else if (command->kind == STORAGE_SLOT) {
        result.number = command->slot.fence;
    } else if (command->kind == STORAGE_TICKET) {
        result.number = 1;
    }
    coordinator_on_store(fuzz->coordinator, fuzz->now_ms, &result);
}

static void pump(struct fuzz *fuzz)
{
    struct storage_command command;
    int left = OPERATIONS_MAX;

    while (fuzz->has_redis && left-- > 0 &&
           coordinator_take_command(fuzz->coordinator, fuzz->now_ms, &command))
        answer(fuzz, &command);
}

/* ---- what comes out */

static void gather(struct fuzz *fuzz)
{
    struct outbox *outbox = coordinator_outbox(fuzz->coordinator);

    pump(fuzz);
    for (size_t i = 0; i < outbox->count; i++) {
        size_t size = bus__item__get_packed_size(outbox->entries[i].item);
        uint8_t *packed = malloc(size + 1);

        REQUIRE(packed != NULL);
        REQUIRE(bus__item__pack(outbox->entries[i].item, packed) == size);
        free(packed);
    }
    outbox_clear(outbox);
}

static void check_status(struct fuzz *fuzz)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *object;

    REQUIRE(out != NULL && tokener != NULL);
    status_print(fuzz->coordinator, out);
    REQUIRE(fclose(out) == 0);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    object = json_tokener_parse_ex(tokener, text, (int)size + 1);
    REQUIRE(object != NULL);
    json_object_put(object);
    json_tokener_free(tokener);
    free(text);
}

/* ---- what goes in */

static void toggle_peer(struct fuzz *fuzz, uint16_t peer, bool same_life)
{
    static const char *const names[PEERS] = { "gateway-1", "gateway-2", "shard-1", "shard-2" };

    fuzz->is_up[peer] = !fuzz->is_up[peer];
    if (!fuzz->is_up[peer]) {
        coordinator_peer_down(fuzz->coordinator, fuzz->now_ms, peer);
    } else {
        fuzz->boots += !same_life;
        coordinator_peer_up(fuzz->coordinator, fuzz->now_ms, peer,
                            peer < 2 ? BUS__ROLE__ROLE_GATEWAY : BUS__ROLE__ROLE_SHARD, names[peer],
                            fuzz->boots << 32 | peer);
    }
    gather(fuzz);
}

static void toggle_redis(struct fuzz *fuzz, bool refuses)
{
    fuzz->redis_refuses = refuses;
    fuzz->has_redis = !fuzz->has_redis;
    if (fuzz->has_redis)
        coordinator_store_up(fuzz->coordinator, fuzz->now_ms);
    else
        coordinator_store_down(fuzz->coordinator, fuzz->now_ms);
    gather(fuzz);
}

static void pass(struct fuzz *fuzz, uint64_t ms)
{
    uint64_t end_ms = fuzz->now_ms + ms;

    while (fuzz->now_ms < end_ms) {
        uint64_t wakes_ms = coordinator_wakes_at(fuzz->coordinator);

        fuzz->now_ms = wakes_ms > fuzz->now_ms && wakes_ms < end_ms ? wakes_ms : end_ms;
        coordinator_tick(fuzz->coordinator, fuzz->now_ms);
        gather(fuzz);
    }
}

static void start(struct fuzz *fuzz)
{
    static char server_name[] = "a server";
    static char no_text[] = "";
    struct coordinator_config config = { .name = "coordinator", .slots = 2, .settings = &fuzz->settings };

    *fuzz = (struct fuzz){ .now_ms = UINT32_MAX - 5000, .boots = 1 };
    fuzz->settings = (struct cluster_settings){ .name = server_name,
                                                .gamemode = no_text,
                                                .language = no_text,
                                                .password = no_text,
                                                .max_players = 4,
                                                .heartbeat_ms = 100,
                                                .connections_per_address = 8 };
    arena_init(&fuzz->arena, ARENA_BLOCK, ARENA_MAX);
    fuzz->coordinator = coordinator_new(&config, fuzz->now_ms);
    REQUIRE(fuzz->coordinator != NULL);
    toggle_redis(fuzz, false);
    for (uint16_t i = 0; i < PEERS; i++)
        toggle_peer(fuzz, i, true);
    pass(fuzz, 2100);
}

static void operate(struct fuzz *fuzz, struct reader *in)
{
    uint8_t operation = read_u8(in);
    uint16_t number = operation / OPERATIONS;

    switch ((enum operation)(operation % OPERATIONS)) {
    case OP_ITEM:
        arena_reset(&fuzz->arena);
        coordinator_on_item(fuzz->coordinator, fuzz->now_ms, number % (PEERS + 1),
                            items_make(&fuzz->arena, in));
        gather(fuzz);
        break;
    case OP_TIME:
        pass(fuzz, read_u16(in) % PASS_MAX_MS);
        break;
    case OP_PEER:
        toggle_peer(fuzz, number % PEERS, number / PEERS % 2 == 0);
        break;
    case OP_REDIS:
        toggle_redis(fuzz, number % 2 == 1);
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
    coordinator_check(fuzz.coordinator); /* once: it walks all ids there can be */
    check_status(&fuzz);
    coordinator_free(&fuzz.coordinator);
    arena_fini(&fuzz.arena);
    return 0;
}
