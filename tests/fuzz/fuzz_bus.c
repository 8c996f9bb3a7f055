/* Two things in one, as the first byte says. Any bytes into a link, as messages of a peer that is known,
 * unknown or up: nothing breaks, and what is refused is refused in a message that parses. Or a script of
 * what two links and the network between them do: all that is applied is applied once and in order. */
#include <stdio.h>
#include <stdlib.h>

#include "common/arena.h"
#include "common/cursor.h"
#include "proto/link.h"

enum { FLIGHTS_MAX = 16, GATEWAY_BOOT = 1, SHARD_BOOT = 2, LIFE_SHIFT = 16 };

/* NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

struct side {
    struct link_self self;
    struct link link;
    struct side *other;
    struct flight {
        uint8_t *data;
        size_t size;
    } flights[FLIGHTS_MAX]; /* what it has sent and the network has not done with */
    size_t flight_count;
    uint32_t next;  /* its life, and the number of the item that it says next */
    uint32_t heard; /* the last one */
    uint64_t lives;
};

static uint64_t now_ms;
static struct arena arena;

static void start(struct side *side, struct side *other, Bus__Role role, const char *name, uint64_t boot)
{
    link_fini(&side->link);
    side->self = (struct link_self){ role, name, boot };
    side->other = other;
    side->heard = 0;
    side->lives = 0;
    link_init(&side->link, &side->self,
              role == BUS__ROLE__ROLE_SHARD ? BUS__ROLE__ROLE_GATEWAY : BUS__ROLE__ROLE_SHARD, NULL);
}

static void push(struct side *side, size_t text_size)
{
    static char text[LINK_BATCH_SIZE_MAX + 1];
    Bus__Kick kick = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    memset(text, 'x', text_size);
    text[text_size] = '\0';
    kick.reason = side->next;
    kick.text = text;
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &kick;
    if (link_push(&side->link, &item))
        side->next++;
    else
        REQUIRE(link_state(&side->link) == LINK_SILENT);
}

/* A message that finds no room is lost. */
static bool launch(void *context, struct span message)
{
    struct side *side = context;
    struct flight *flight = &side->flights[side->flight_count];

    if (side->flight_count == FLIGHTS_MAX)
        return true;
    flight->data = malloc(message.size);
    flight->size = message.size;
    REQUIRE(flight->data != NULL);
    memcpy(flight->data, message.data, message.size);
    side->flight_count++;
    return true;
}

static bool refuse_all(void *context, struct span message)
{
    (void)context;
    (void)message;
    return false;
}

static void apply(struct side *side, const Bus__Batch *batch)
{
    for (size_t i = 0; i < batch->n_items; i++) {
        uint32_t said = batch->items[i]->kick->reason;
        bool goes_on = side->heard >> LIFE_SHIFT == said >> LIFE_SHIFT;

        REQUIRE(batch->items[i]->item_case == BUS__ITEM__ITEM_KICK);
        REQUIRE(said == (goes_on ? side->heard + 1 : said >> LIFE_SHIFT << LIFE_SHIFT));
        side->heard = said;
    }
}

static void receive(struct side *side, struct span message)
{
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
    const Bus__Batch *batch;
    struct link_verdict verdict;

    arena_reset(&arena);
    batch = link_unpack(&arena, message);
    REQUIRE(batch != NULL);
    verdict = link_receive(&side->link, now_ms, batch);
    link_check(&side->link);
    if (verdict.refuse != BUS__REFUSED__WHY__WHY_NONE)
        (void)launch(side,
                     (struct span){ refusal, link_refusal(&side->self, batch, verdict.refuse, refusal) });
    if (side->link.stats.lives != side->lives) {
        side->lives = side->link.stats.lives;
        side->next = ((side->next >> LIFE_SHIFT) + 1) << LIFE_SHIFT;
    }
    if (verdict.apply)
        apply(side, batch);
}

static void deliver(struct side *from, size_t index, bool again)
{
    struct flight flight;

    if (from->flight_count == 0)
        return;
    index %= from->flight_count;
    flight = from->flights[index];
    if (!again) {
        from->flight_count--;
        memmove(&from->flights[index], &from->flights[index + 1],
                (from->flight_count - index) * sizeof from->flights[0]);
    }
    receive(from->other, (struct span){ flight.data, flight.size });
    if (!again)
        free(flight.data);
}

static void lose(struct side *side)
{
    while (side->flight_count > 0)
        free(side->flights[--side->flight_count].data);
}

static void step(struct side *side, uint8_t operation, uint8_t operand)
{
    static uint64_t boot = 100;

    switch (operation % 10) {
    case 0:
    case 1:
        push(side, operand);
        break;
    case 2:
        push(side, (size_t)operand * 256);
        break;
    case 3:
        link_flush(&side->link, now_ms, launch, side);
        break;
    case 4:
    case 5:
        deliver(side, operand, false);
        break;
    case 6:
        deliver(side, operand, true);
        break;
    case 7:
        if (operand < 64)
            lose(side);
        else
            link_flush(&side->link, now_ms, refuse_all, NULL);
        break;
    case 8:
        now_ms += operand < 200 ? operand * 4 : operand * 40;
        (void)link_tick(&side->link, now_ms);
        break;
    default:
        if (operand < 16)
            start(side, side->other, side->self.role, side->self.name, ++boot);
        else
            (void)link_tick(&side->link, now_ms);
        break;
    }
    link_check(&side->link);
}

/* In a quiet network the two find each other, and all that is kept arrives. */
static void calm_down(struct side sides[2])
{
    for (size_t round = 0; round < 400; round++) {
        now_ms += 50;
        for (size_t i = 0; i < 2; i++) {
            (void)link_tick(&sides[i].link, now_ms);
            link_flush(&sides[i].link, now_ms, launch, &sides[i]);
        }
        for (size_t i = 0; i < 2; i++) {
            while (sides[i].flight_count > 0)
                deliver(&sides[i], 0, false);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        REQUIRE(link_state(&sides[i].link) == LINK_UP);
        REQUIRE(sides[i].link.peer_boot == sides[i].other->self.boot);
        REQUIRE(link_backlog(&sides[i].link) == 0);
    }
}

static void run_script(struct reader *in)
{
    struct side sides[2] = { 0 };

    start(&sides[0], &sides[1], BUS__ROLE__ROLE_GATEWAY, "gateway-1", GATEWAY_BOOT);
    start(&sides[1], &sides[0], BUS__ROLE__ROLE_SHARD, "shard-1", SHARD_BOOT);
    while (reader_left(in) >= 2) {
        uint8_t operation = read_u8(in);

        step(&sides[operation >> 7], operation & 0x7F, read_u8(in));
    }
    calm_down(sides);
    for (size_t i = 0; i < 2; i++) {
        lose(&sides[i]);
        link_fini(&sides[i].link);
    }
}

static bool swallow(void *context, struct span message)
{
    arena_reset(&arena);
    REQUIRE(link_unpack(&arena, message) != NULL);
    (void)context;
    return true;
}

/* One that both know of each other, with something in flight. */
static void be_up(struct link *link)
{
    Bus__Batch hello = BUS__BATCH__INIT;
    Bus__Kick kick = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    hello.version = BUS_VERSION;
    hello.role = BUS__ROLE__ROLE_SHARD;
    hello.name = (char *)"s";
    hello.boot = SHARD_BOOT;
    hello.life = 1;
    hello.to_boot = GATEWAY_BOOT;
    hello.to_life = 1;
    REQUIRE(link_receive(link, now_ms, &hello).up);
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &kick;
    for (size_t i = 0; i < 3; i++) {
        REQUIRE(link_push(link, &item));
        link_flush(link, now_ms, swallow, NULL);
    }
}

/* Messages one after the other, each behind its size and the time that passes before it. */
static void take_bytes(struct reader *in, bool is_up)
{
    const struct link_self self = { BUS__ROLE__ROLE_GATEWAY, "g", GATEWAY_BOOT };
    struct link link;

    link_init(&link, &self, BUS__ROLE__ROLE_SHARD, NULL);
    if (is_up)
        be_up(&link);
    while (!in->bad && reader_left(in) > 0) {
        uint8_t passes = read_u8(in);
        size_t size = read_u16(in);
        struct span message = read_span(in, size < reader_left(in) ? size : reader_left(in));
        uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
        const Bus__Batch *batch;

        now_ms += (uint64_t)passes * 16;
        (void)link_tick(&link, now_ms);
        arena_reset(&arena);
        batch = link_unpack(&arena, message);
        if (batch != NULL) {
            bool goes_on = link_goes_on(&link, batch);
            struct link_verdict verdict = link_receive(&link, now_ms, batch);

            REQUIRE(!goes_on || !verdict.up);
            REQUIRE(!verdict.apply || link_state(&link) == LINK_UP);
            if (verdict.refuse != BUS__REFUSED__WHY__WHY_NONE)
                (void)swallow(NULL,
                              (struct span){ refusal, link_refusal(&self, batch, verdict.refuse, refusal) });
        }
        link_check(&link);
        link_flush(&link, now_ms, swallow, NULL);
        link_check(&link);
    }
    link_fini(&link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reader in;
    uint8_t kind;

    if (arena.block_size == 0)
        arena_init(&arena, 1 << 16, 1 << 22);
    now_ms = 1000000;
    reader_init(&in, data, size);
    kind = read_u8(&in);
    if (kind % 4 < 2)
        run_script(&in);
    else
        take_bytes(&in, kind % 4 == 3);
    arena_fini(&arena);
    return 0;
}
