#include "proto/link.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "tests/unit/suites.h"

/* One side: its link, what it wants to say, what it was told. */
enum { MESSAGES_MAX = 4096, HEARD_MAX = 100000 };

struct message {
    uint8_t *data;
    size_t size;
};

struct side {
    struct link_self self;
    struct link link;
    struct message sent[MESSAGES_MAX]; /* since the last clear_sent */
    size_t sent_count;
    bool is_deaf;              /* nobody takes what it sends */
    uint32_t heard[HEARD_MAX]; /* the reasons of the Kick items that were applied */
    size_t heard_count;
    unsigned ups;
    unsigned downs;
    unsigned refusals;
    struct link_verdict verdict; /* the last one */
};

static struct side gateway;
static struct side shard;
static struct arena arena;
static uint64_t now_ms;

static void clear_sent(struct side *side)
{
    for (size_t i = 0; i < side->sent_count; i++)
        free(side->sent[i].data);
    side->sent_count = 0;
}

static bool keep_message(void *context, struct span message)
{
    struct side *side = context;

    if (side->is_deaf)
        return false;
    ck_assert_uint_lt(side->sent_count, MESSAGES_MAX);
    ck_assert_uint_le(message.size, LINK_MESSAGE_SIZE_MAX);

    struct message *kept = &side->sent[side->sent_count];

    kept->data = malloc(message.size);
    kept->size = message.size;
    ck_assert_ptr_nonnull(kept->data);
    memcpy(kept->data, message.data, message.size);
    side->sent_count++;
    return true;
}

static void start(struct side *side, Bus__Role role, const char *name, uint64_t boot, Bus__Role peer_role,
                  const char *peer_name)
{
    clear_sent(side);
    link_fini(&side->link);
    *side = (struct side){ .self = { role, name, boot } };
    link_init(&side->link, &side->self, peer_role, peer_name);
}

static void start_gateway(uint64_t boot)
{
    start(&gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", boot, BUS__ROLE__ROLE_SHARD, "shard-1");
}

static void start_shard(uint64_t boot)
{
    start(&shard, BUS__ROLE__ROLE_SHARD, "shard-1", boot, BUS__ROLE__ROLE_GATEWAY, "gateway-1");
}

static void setup(void)
{
    arena_init(&arena, 1 << 16, LINK_UNPACKED_MAX);
    now_ms = 1000 * 1000;
    start_gateway(0xA1);
    start_shard(0xB1);
}

static void teardown(void)
{
    clear_sent(&gateway);
    clear_sent(&shard);
    link_fini(&gateway.link);
    link_fini(&shard.link);
    arena_fini(&arena);
}

static void flush(struct side *side)
{
    link_check(&side->link);
    link_flush(&side->link, now_ms, keep_message, side);
    link_check(&side->link);
}

static void tick(struct side *side)
{
    side->downs += link_tick(&side->link, now_ms);
    link_check(&side->link);
}

static void apply(struct side *side, const Bus__Batch *batch)
{
    for (size_t i = 0; i < batch->n_items; i++) {
        ck_assert_int_eq(batch->items[i]->item_case, BUS__ITEM__ITEM_KICK);
        ck_assert_uint_lt(side->heard_count, HEARD_MAX);
        side->heard[side->heard_count++] = batch->items[i]->kick->reason;
    }
}

static void receive_batch(struct side *to, const Bus__Batch *batch)
{
    to->verdict = link_receive(&to->link, now_ms, batch);
    to->downs += to->verdict.down;
    to->ups += to->verdict.up;
    to->refusals += to->verdict.refused;
    if (to->verdict.apply)
        apply(to, batch);
    link_check(&to->link);
}

static const Bus__Batch *unpacked(const struct message *message)
{
    const Bus__Batch *batch;

    arena_reset(&arena);
    batch = link_unpack(&arena, (struct span){ message->data, message->size });
    ck_assert_ptr_nonnull(batch);
    return batch;
}

static void receive(struct side *to, const struct message *message)
{
    receive_batch(to, unpacked(message));
}

/* A refusal goes straight back to whoever is refused. */
static void receive_from(struct side *to, const struct message *message, struct side *from)
{
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
    const Bus__Batch *batch = unpacked(message);

    receive_batch(to, batch);
    if (to->verdict.refuse != BUS__REFUSED__WHY__WHY_NONE) {
        struct message answer = { refusal, 0 };

        answer.size = link_refusal(&to->self, batch, to->verdict.refuse, refusal);
        receive(from, &answer);
    }
}

/* All that `from` has to say arrives. */
static void deliver(struct side *from, struct side *to)
{
    flush(from);
    for (size_t i = 0; i < from->sent_count; i++)
        receive_from(to, &from->sent[i], from);
    clear_sent(from);
}

static void exchange(void)
{
    deliver(&gateway, &shard);
    deliver(&shard, &gateway);
}

/* Time passes in steps, as it does for a process that is not stopped. */
static void pass(uint64_t ms, bool connected)
{
    uint64_t until_ms = now_ms + ms;

    while (now_ms < until_ms) {
        now_ms += 50;
        tick(&gateway);
        tick(&shard);
        if (connected) {
            exchange();
        } else {
            flush(&gateway);
            flush(&shard);
            clear_sent(&gateway);
            clear_sent(&shard);
        }
    }
}

static void meet(void)
{
    for (size_t i = 0; i < 3; i++) {
        exchange();
        now_ms += LINK_ACK_DELAY_MS;
    }
    ck_assert_int_eq(link_state(&gateway.link), LINK_UP);
    ck_assert_int_eq(link_state(&shard.link), LINK_UP);
    clear_sent(&gateway);
    clear_sent(&shard);
}

/* A Kick, whose reason numbers it; its text makes it as large as is wanted. */
static bool push_sized(struct side *side, uint32_t reason, size_t text_size)
{
    Bus__Kick kick = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char *text = malloc(text_size + 1);
    bool pushed;

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', text_size);
    text[text_size] = '\0';
    kick.reason = reason;
    kick.text = text;
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &kick;
    pushed = link_push(&side->link, &item);
    free(text);
    return pushed;
}

static void push(struct side *side, uint32_t reason)
{
    ck_assert(push_sized(side, reason, 3));
}

static void heard_exactly(const struct side *side, uint32_t first, uint32_t count)
{
    ck_assert_uint_eq(side->heard_count, count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(side->heard[i], first + i);
}

/* ---- meeting ---- */

START_TEST(two_links_that_hear_each_other_are_up)
{
    ck_assert_int_eq(link_state(&gateway.link), LINK_SILENT);
    meet();
    ck_assert_uint_eq(gateway.ups, 1);
    ck_assert_uint_eq(shard.ups, 1);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB1);
    ck_assert_uint_eq(link_peer_boot(&shard.link), 0xA1);
    pass(10000, true);
    ck_assert_uint_eq(gateway.ups, 1);
    ck_assert_uint_eq(gateway.downs + shard.downs, 0);
}
END_TEST

START_TEST(a_link_says_hello_at_once_and_then_every_heartbeat)
{
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1);
    now_ms += LINK_HEARTBEAT_MS - 1;
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1);
    now_ms++;
    ck_assert_uint_eq(link_wakes_at(&gateway.link), now_ms);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 2);
}
END_TEST

START_TEST(nothing_can_be_said_to_a_peer_that_is_not_known)
{
    ck_assert(!push_sized(&gateway, 1, 3));
    ck_assert_uint_eq(gateway.link.stats.items_lost, 1);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
}
END_TEST

START_TEST(a_message_carries_whom_it_is_from_and_for)
{
    meet();
    push(&gateway, 1);
    flush(&gateway);
    const Bus__Batch *batch = unpacked(&gateway.sent[0]);
    ck_assert_uint_eq(batch->version, BUS_VERSION);
    ck_assert_int_eq(batch->role, BUS__ROLE__ROLE_GATEWAY);
    ck_assert_str_eq(batch->name, "gateway-1");
    ck_assert_uint_eq(batch->boot, 0xA1);
    ck_assert_uint_eq(batch->to_boot, 0xB1);
    ck_assert_uint_eq(batch->number, 1);
    ck_assert_uint_eq(batch->n_items, 1);
    ck_assert_uint_eq(batch->items[0]->kick->reason, 1);
}
END_TEST

START_TEST(whoever_answers_gives_an_open_link_its_name)
{
    start(&gateway, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 0xA1, BUS__ROLE__ROLE_SHARD, NULL);
    ck_assert_str_eq(gateway.link.peer_name, "");
    meet();
    ck_assert_str_eq(gateway.link.peer_name, "shard-1");
}
END_TEST

/* ---- numbers ---- */

START_TEST(all_items_of_a_flush_travel_in_one_message)
{
    meet();
    for (uint32_t i = 0; i < 100; i++)
        push(&gateway, i);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1);
    receive(&shard, &gateway.sent[0]);
    heard_exactly(&shard, 0, 100);
}
END_TEST

START_TEST(an_ack_travels_with_the_next_batch_and_frees_what_was_kept)
{
    meet();
    push(&gateway, 1);
    ck_assert_uint_gt(link_backlog(&gateway.link), 0);
    deliver(&gateway, &shard);
    push(&shard, 2);
    flush(&shard);
    ck_assert_uint_eq(shard.sent_count, 1);
    receive(&gateway, &shard.sent[0]);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
    heard_exactly(&gateway, 2, 1);
}
END_TEST

START_TEST(an_ack_goes_alone_when_nothing_else_is_due)
{
    meet();
    push(&gateway, 1);
    deliver(&gateway, &shard);
    flush(&shard);
    ck_assert_uint_eq(shard.sent_count, 0);
    now_ms += LINK_ACK_DELAY_MS;
    ck_assert_uint_eq(link_wakes_at(&shard.link), now_ms);
    deliver(&shard, &gateway);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 0); /* an ack is not acked */
}
END_TEST

START_TEST(a_lost_batch_is_sent_again_after_a_while)
{
    meet();
    push(&gateway, 1);
    flush(&gateway);
    clear_sent(&gateway);
    now_ms += LINK_REPEAT_MS - 1;
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 0);
    now_ms++;
    ck_assert_uint_eq(link_wakes_at(&gateway.link), now_ms);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 1);
    ck_assert_uint_eq(gateway.link.stats.repeats, 1);
}
END_TEST

START_TEST(repeats_without_an_answer_grow_rarer)
{
    size_t expected = 0;

    meet();
    push(&gateway, 1);
    flush(&gateway);
    for (uint64_t ms = 0; ms < 5000; ms += 50) {
        expected += ms == 250 || ms == 750 || ms == 1750 || ms == 2750 || ms == 3750 || ms == 4750;
        ck_assert_uint_eq(gateway.link.stats.repeats, expected);
        clear_sent(&gateway);
        now_ms += 50;
        gateway.link.heard_ms = now_ms;
        flush(&gateway);
        if (ms + 50 == 250 || ms + 50 == 750 || (ms + 50 - 750) % 1000 == 0)
            ck_assert_uint_eq(gateway.link.stats.repeats, expected + 1);
    }
}
END_TEST

START_TEST(a_gap_is_told_at_once_and_answered_at_once)
{
    meet();
    for (uint32_t i = 1; i <= 5; i++) {
        push(&gateway, i);
        flush(&gateway);
    }
    receive(&shard, &gateway.sent[0]);
    receive(&shard, &gateway.sent[2]);
    receive(&shard, &gateway.sent[3]);
    receive(&shard, &gateway.sent[4]);
    clear_sent(&gateway);
    heard_exactly(&shard, 1, 1);
    ck_assert_uint_eq(shard.link.stats.ahead, 3);

    deliver(&shard, &gateway);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 4);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 5);
}
END_TEST

START_TEST(a_gap_that_is_told_twice_is_answered_once_in_a_while)
{
    meet();
    push(&gateway, 1);
    flush(&gateway);
    clear_sent(&gateway);
    for (uint32_t i = 2; i <= 3; i++) {
        push(&gateway, i);
        flush(&gateway);
    }
    receive(&shard, &gateway.sent[0]);
    flush(&shard);
    receive(&shard, &gateway.sent[1]);
    flush(&shard);
    ck_assert_uint_eq(shard.sent_count, 2);
    clear_sent(&gateway);
    for (size_t i = 0; i < 2; i++) {
        receive(&gateway, &shard.sent[i]);
        flush(&gateway);
    }
    ck_assert_uint_eq(gateway.link.stats.repeats, 3);
    now_ms += LINK_GAP_MS;
    receive(&gateway, &shard.sent[1]);
    flush(&gateway);
    ck_assert_uint_eq(gateway.link.stats.repeats, 6);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 3);
}
END_TEST

/* It could not be applied, and is one large batch instead of many small ones afterwards. */
START_TEST(what_is_new_waits_until_the_gap_is_closed)
{
    meet();
    push(&gateway, 1);
    flush(&gateway);
    clear_sent(&gateway);
    now_ms += LINK_REPEAT_MS;
    for (uint32_t i = 2; i <= 9; i++) {
        flush(&gateway);
        push(&gateway, i);
    }
    ck_assert_uint_eq(gateway.sent_count, 1);
    deliver(&gateway, &shard);
    now_ms += LINK_ACK_DELAY_MS;
    deliver(&shard, &gateway);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 9);
}
END_TEST

START_TEST(a_duplicate_is_acked_and_applied_once)
{
    meet();
    push(&gateway, 1);
    flush(&gateway);
    receive(&shard, &gateway.sent[0]);
    receive(&shard, &gateway.sent[0]);
    receive(&shard, &gateway.sent[0]);
    heard_exactly(&shard, 1, 1);
    ck_assert_uint_eq(shard.link.stats.duplicates, 2);
    deliver(&shard, &gateway);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
}
END_TEST

START_TEST(batches_that_arrive_in_the_wrong_order_are_applied_in_the_right_one)
{
    meet();
    for (uint32_t i = 1; i <= 4; i++) {
        push(&gateway, i);
        flush(&gateway);
    }
    for (size_t i = 4; i > 0; i--)
        receive(&shard, &gateway.sent[i - 1]);
    clear_sent(&gateway);
    heard_exactly(&shard, 1, 1);
    for (size_t i = 0; i < 3; i++) {
        now_ms += LINK_REPEAT_MS;
        exchange();
    }
    heard_exactly(&shard, 1, 4);
}
END_TEST

START_TEST(an_older_ack_changes_nothing)
{
    meet();
    push(&gateway, 1);
    deliver(&gateway, &shard);
    now_ms += LINK_ACK_DELAY_MS;
    flush(&shard);
    push(&gateway, 2);
    deliver(&gateway, &shard);
    now_ms += LINK_ACK_DELAY_MS;
    flush(&shard);
    ck_assert_uint_eq(shard.sent_count, 2);
    receive(&gateway, &shard.sent[1]);
    ck_assert_uint_eq(gateway.link.acked, 2);
    receive(&gateway, &shard.sent[0]);
    ck_assert_uint_eq(gateway.link.acked, 2);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
}
END_TEST

START_TEST(a_message_that_nobody_takes_is_due_again)
{
    meet();
    gateway.is_deaf = true;
    push(&gateway, 1);
    flush(&gateway);
    ck_assert_uint_eq(link_wakes_at(&gateway.link), now_ms + LINK_RETRY_MS);
    push(&gateway, 2);
    gateway.is_deaf = false;
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 0);
    now_ms += LINK_RETRY_MS;
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1); /* both in the batch that waited */
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 2);
}
END_TEST

/* ---- sizes ---- */

START_TEST(a_large_batch_is_split_and_arrives_in_order)
{
    meet();
    for (uint32_t i = 0; i < 300; i++)
        ck_assert(push_sized(&gateway, i, 1000));
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 5);
    for (size_t i = 0; i < gateway.sent_count; i++)
        ck_assert_uint_le(gateway.sent[i].size, LINK_BATCH_SIZE_MAX + LINK_ENVELOPE_SIZE_MAX);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 0, 300);
}
END_TEST

START_TEST(an_item_larger_than_a_batch_has_one_for_itself)
{
    meet();
    push(&gateway, 0);
    ck_assert(push_sized(&gateway, 1, LINK_BATCH_SIZE_MAX + 1));
    push(&gateway, 2);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 3);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 0, 3);
}
END_TEST

START_TEST(the_largest_item_passes_and_one_byte_more_does_not)
{
    size_t overhead;
    Bus__Kick kick = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    meet();
    kick.reason = 1;
    kick.text = (char *)"x";
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &kick;
    overhead = bus__item__get_packed_size(&item) - 1 + 3 + 3; /* both lengths take three bytes more */
    ck_assert(push_sized(&gateway, 1, LINK_ITEM_SIZE_MAX - overhead));
    ck_assert_uint_eq(link_backlog(&gateway.link), LINK_ITEM_SIZE_MAX + 1 + 4);
    ck_assert(!push_sized(&gateway, 1, LINK_ITEM_SIZE_MAX - overhead + 1));
    deliver(&gateway, &shard);
    heard_exactly(&shard, 1, 1);
}
END_TEST

START_TEST(batches_in_flight_are_limited_and_the_rest_waits_in_few)
{
    meet();
    for (uint32_t i = 0; i < 3 * LINK_WINDOW_MAX; i++) {
        push(&gateway, i);
        flush(&gateway);
    }
    ck_assert_uint_eq(gateway.sent_count, LINK_WINDOW_MAX);
    ck_assert_uint_eq(gateway.link.count, LINK_WINDOW_MAX + 1);
    deliver(&gateway, &shard);
    for (size_t i = 0; i < 3; i++) {
        now_ms += LINK_ACK_DELAY_MS;
        exchange();
    }
    heard_exactly(&shard, 0, 3 * LINK_WINDOW_MAX);
}
END_TEST

START_TEST(a_steady_stream_takes_no_new_memory)
{
    meet();
    for (uint32_t i = 0; i < 1000; i++) {
        for (uint32_t j = 0; j < 10; j++)
            push(&gateway, i * 10 + j);
        deliver(&gateway, &shard);
        now_ms += LINK_ACK_DELAY_MS;
        deliver(&shard, &gateway);
    }
    ck_assert_uint_le(gateway.link.capacity, 16);
    ck_assert_uint_le(gateway.link.spare_count, 2);
    heard_exactly(&shard, 0, 10000);
}
END_TEST

/* ---- the high-water mark ---- */

static void push_bytes(struct side *side, size_t size)
{
    for (size_t pushed = 0; pushed < size; pushed += 60000)
        ck_assert(push_sized(side, 1, 60000));
}

START_TEST(a_backlog_over_the_mark_is_told_until_it_is_low_again)
{
    meet();
    push_bytes(&gateway, LINK_BACKLOG_HIGH);
    flush(&gateway);
    ck_assert(link_is_over(&gateway.link));
    ck_assert_uint_ge(link_backlog(&gateway.link), LINK_BACKLOG_HIGH);

    size_t half = gateway.sent_count / 4;
    for (size_t i = 0; i < half; i++)
        receive(&shard, &gateway.sent[i]);
    now_ms += LINK_ACK_DELAY_MS;
    deliver(&shard, &gateway);
    flush(&gateway);
    ck_assert(link_is_over(&gateway.link)); /* below the high mark, above the low one */
    deliver(&gateway, &shard);
    now_ms += LINK_ACK_DELAY_MS;
    deliver(&shard, &gateway);
    flush(&gateway);
    ck_assert(!link_is_over(&gateway.link));
}
END_TEST

/* It answers, but does not ack. */
START_TEST(a_peer_that_stays_over_the_mark_is_given_up)
{
    meet();
    push_bytes(&gateway, LINK_BACKLOG_HIGH);
    for (uint64_t ms = 0; ms < LINK_OVER_MS; ms += 100) {
        flush(&gateway);
        clear_sent(&gateway);
        tick(&gateway);
        ck_assert_uint_eq(gateway.downs, 0);
        now_ms += 100;
        deliver(&shard, &gateway);
    }
    tick(&gateway);
    ck_assert_uint_eq(gateway.downs, 1);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);

    /* Both begin another life, and the new one works. */
    gateway.verdict = (struct link_verdict){ 0 };
    pass(1000, true);
    ck_assert_uint_eq(shard.downs, 1);
    ck_assert_uint_eq(shard.ups, 2);
    ck_assert_uint_eq(gateway.ups, 2);
    ck_assert_uint_ne(link_peer_boot(&gateway.link), 0xB1);
    ck_assert_uint_ne(link_peer_boot(&shard.link), 0xA1);
    ck_assert(link_is_same_process(link_peer_boot(&shard.link), 0xA1));
    ck_assert(link_is_same_process(0xA1, link_peer_boot(&shard.link)));
    ck_assert(!link_is_same_process(0xA1, UINT64_C(0x7000000000000000)));
    push(&gateway, 7);
    deliver(&gateway, &shard);
    heard_exactly(&shard, 7, 1);
}
END_TEST

START_TEST(the_last_limit_of_a_backlog_ends_it_at_once)
{
    meet();
    for (size_t pushed = 0; pushed <= LINK_BACKLOG_MAX; pushed += 4000000)
        ck_assert(push_sized(&gateway, 1, 4000000));
    ck_assert(!push_sized(&gateway, 1, 1));
    ck_assert_uint_eq(link_wakes_at(&gateway.link), 0);
    tick(&gateway);
    ck_assert_uint_eq(gateway.downs, 1);
    ck_assert_uint_eq(link_backlog(&gateway.link), 0);
    ck_assert_int_eq(link_state(&gateway.link), LINK_SILENT);
}
END_TEST

/* ---- silence ---- */

START_TEST(a_peer_that_is_silent_for_two_seconds_is_down)
{
    meet();
    uint64_t heard_ms = gateway.link.heard_ms;

    while (now_ms + 50 < heard_ms + LINK_DEAD_MS)
        pass(50, false);
    ck_assert_uint_eq(gateway.downs, 0);
    now_ms = heard_ms + LINK_DEAD_MS;
    ck_assert_uint_le(link_wakes_at(&gateway.link), now_ms);
    tick(&gateway);
    ck_assert_uint_eq(gateway.downs, 1);
    ck_assert_int_eq(link_state(&gateway.link), LINK_DOWN);
    tick(&gateway);
    ck_assert_uint_eq(gateway.downs, 1);
}
END_TEST

START_TEST(a_peer_that_comes_back_finds_all_that_was_said_meanwhile)
{
    meet();
    push(&gateway, 0);
    flush(&gateway);
    clear_sent(&gateway);
    for (uint32_t i = 1; i < 100; i++) {
        pass(50, false);
        push(&gateway, i);
    }
    ck_assert_uint_eq(gateway.downs, 1);
    pass(1500, true);
    heard_exactly(&shard, 0, 100);
    ck_assert_uint_eq(gateway.ups, 2);
    ck_assert_uint_eq(shard.ups, 2);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB1); /* the same life */
}
END_TEST

START_TEST(a_peer_that_stays_away_is_given_up_and_what_was_kept_dropped)
{
    meet();
    push(&gateway, 1);
    pass(LINK_GIVE_UP_MS + 1000, false);
    ck_assert_int_eq(link_state(&gateway.link), LINK_SILENT);
    ck_assert_uint_eq(gateway.link.stats.batches_dropped, 1);
    ck_assert(!push_sized(&gateway, 2, 3));
    ck_assert_uint_eq(gateway.downs, 1);

    pass(1000, true);
    ck_assert_uint_eq(gateway.ups, 2);
    ck_assert_uint_ne(link_peer_boot(&gateway.link), 0xB1);
    ck_assert_uint_ne(link_peer_boot(&shard.link), 0xA1);
    push(&gateway, 3);
    push(&shard, 4);
    pass(100, true);
    heard_exactly(&shard, 3, 1);
    heard_exactly(&gateway, 4, 1);
}
END_TEST

/* One that hears but is not heard has given nobody up; the other has. */
START_TEST(one_that_was_given_up_learns_it)
{
    meet();
    for (uint64_t ms = 0; ms < LINK_GIVE_UP_MS + 1000; ms += 50) {
        now_ms += 50;
        tick(&gateway);
        tick(&shard);
        flush(&gateway);
        clear_sent(&gateway);
        deliver(&shard, &gateway);
    }
    ck_assert_uint_eq(shard.downs, 1);
    ck_assert_int_eq(link_state(&shard.link), LINK_SILENT);
    ck_assert_uint_eq(gateway.downs, 1);
    pass(1000, true);
    ck_assert_int_eq(link_state(&gateway.link), LINK_UP);
    ck_assert_int_eq(link_state(&shard.link), LINK_UP);
    push(&gateway, 3);
    push(&shard, 4);
    pass(100, true);
    heard_exactly(&shard, 3, 1);
    heard_exactly(&gateway, 4, 1);
}
END_TEST

START_TEST(a_process_that_was_stopped_takes_nobody_for_dead)
{
    meet();
    tick(&gateway);
    now_ms += 9000;
    tick(&gateway);
    ck_assert_uint_eq(gateway.downs, 0);
    ck_assert_int_eq(link_state(&gateway.link), LINK_UP);
}
END_TEST

/* ---- other lives ---- */

START_TEST(a_restarted_peer_starts_from_one_and_gets_nothing_of_its_former_life)
{
    meet();
    push(&shard, 1);
    push(&gateway, 2);
    flush(&gateway);
    flush(&shard);
    clear_sent(&gateway);
    clear_sent(&shard);

    start_shard(0xB2);
    pass(LINK_HOLDER_MS + LINK_HEARTBEAT_MS, true);
    ck_assert_uint_eq(gateway.downs, 1);
    ck_assert_uint_eq(gateway.ups, 2);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB2);
    ck_assert_uint_eq(gateway.link.stats.batches_dropped, 1);
    ck_assert_uint_eq(shard.heard_count, 0);
    push(&gateway, 3);
    push(&shard, 4);
    exchange();
    heard_exactly(&shard, 3, 1);
    heard_exactly(&gateway, 4, 1);
    ck_assert_uint_eq(gateway.link.applied, 1);
}
END_TEST

START_TEST(a_restart_is_noticed_before_the_former_life_is_dead)
{
    meet();
    start_shard(0xB2);
    uint64_t since_ms = now_ms;

    while (shard.ups == 0)
        pass(50, true);
    ck_assert_uint_lt(now_ms - since_ms, LINK_DEAD_MS);
    ck_assert_uint_eq(gateway.downs, 1);
}
END_TEST

START_TEST(both_may_restart_at_once)
{
    meet();
    push(&gateway, 1);
    start_gateway(0xA2);
    start_shard(0xB2);
    meet();
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB2);
    push(&gateway, 5);
    exchange();
    heard_exactly(&shard, 5, 1);
}
END_TEST

START_TEST(stragglers_of_a_former_life_are_ignored)
{
    struct message old;

    meet();
    push(&shard, 1);
    flush(&shard);
    old = shard.sent[0];
    shard.sent_count = 0;
    start_shard(0xB2);
    pass(LINK_HOLDER_MS + LINK_HEARTBEAT_MS, true);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB2);

    receive(&gateway, &old);
    ck_assert_int_eq(gateway.verdict.refuse, BUS__REFUSED__WHY__WHY_ENDED);
    ck_assert(!gateway.verdict.down && !gateway.verdict.up && !gateway.verdict.apply);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB2);
    ck_assert_uint_eq(gateway.heard_count, 0);
    free(old.data);
}
END_TEST

START_TEST(what_was_meant_for_our_former_life_is_ignored)
{
    struct message old;

    meet();
    push(&shard, 1);
    flush(&shard);
    old = shard.sent[0];
    shard.sent_count = 0;
    start_gateway(0xA2);
    receive(&gateway, &old);
    ck_assert(!gateway.verdict.apply && !gateway.verdict.up);
    pass(LINK_HOLDER_MS + LINK_HEARTBEAT_MS, true);
    ck_assert_uint_eq(gateway.ups, 1);
    receive(&gateway, &old);
    ck_assert(!gateway.verdict.apply);
    ck_assert_uint_eq(gateway.heard_count, 0);
    free(old.data);
}
END_TEST

/* A link that takes a straggler of an unknown former life for the peer must not shut out the living one. */
START_TEST(one_that_was_replaced_by_mistake_comes_back)
{
    struct message old;

    start_shard(0xB0);
    flush(&shard);
    old = shard.sent[0];
    shard.sent_count = 0;
    start_shard(0xB1);
    meet();
    pass(LINK_HOLDER_MS, false);
    receive(&gateway, &old);
    ck_assert_uint_eq(gateway.downs, 1);
    pass(4000, true);
    ck_assert_int_eq(link_state(&gateway.link), LINK_UP);
    ck_assert_int_eq(link_state(&shard.link), LINK_UP);
    ck_assert_uint_eq(gateway.link.peer_boot, 0xB1);
    push(&gateway, 3);
    pass(100, true);
    heard_exactly(&shard, 3, 1);
    free(old.data);
}
END_TEST

START_TEST(whether_a_batch_goes_on_with_the_life_is_known_before)
{
    struct message old;

    flush(&shard);
    ck_assert(!link_goes_on(&gateway.link, unpacked(&shard.sent[0])));
    meet();
    push(&shard, 1);
    flush(&shard);
    ck_assert(link_goes_on(&gateway.link, unpacked(&shard.sent[0])));
    old = shard.sent[0];
    shard.sent_count = 0;
    start_shard(0xB2);
    flush(&shard);
    ck_assert(!link_goes_on(&gateway.link, unpacked(&shard.sent[0])));
    pass(LINK_DEAD_MS, false);
    ck_assert(!link_goes_on(&gateway.link, unpacked(&old)));
    free(old.data);
}
END_TEST

/* ---- refusals ---- */

static Bus__Batch hello_of_the_shard(void)
{
    Bus__Batch hello = BUS__BATCH__INIT;

    hello.version = BUS_VERSION;
    hello.role = BUS__ROLE__ROLE_SHARD;
    hello.name = (char *)"shard-1";
    hello.boot = 0xC1;
    hello.life = 1;
    return hello;
}

START_TEST(another_version_is_refused_with_both_named)
{
    Bus__Batch hello = hello_of_the_shard();
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
    struct message message = { refusal, 0 };

    hello.version = 9;
    receive_batch(&gateway, &hello);
    ck_assert_int_eq(gateway.verdict.refuse, BUS__REFUSED__WHY__WHY_VERSION);
    ck_assert_int_eq(link_state(&gateway.link), LINK_SILENT);
    message.size = link_refusal(&gateway.self, &hello, gateway.verdict.refuse, refusal);

    const Bus__Batch *answer = unpacked(&message);
    ck_assert_uint_eq(answer->to_boot, 0xC1);
    ck_assert_int_eq(answer->refused->why, BUS__REFUSED__WHY__WHY_VERSION);
    ck_assert_uint_eq(answer->refused->version, BUS_VERSION);
    ck_assert_str_eq(answer->refused->detail, "shard-1 speaks bus version 9, gateway-1 version 1");
}
END_TEST

static const struct {
    const char *what;
    Bus__Role role;
    const char *name;
    Bus__Refused__Why why;
} strangers[] = {
    { "another role", BUS__ROLE__ROLE_GATEWAY, "shard-1", BUS__REFUSED__WHY__WHY_ROLE },
    { "no role", BUS__ROLE__ROLE_NONE, "shard-1", BUS__REFUSED__WHY__WHY_ROLE },
    { "a role that does not exist", (Bus__Role)77, "shard-1", BUS__REFUSED__WHY__WHY_ROLE },
    { "a role below zero", (Bus__Role)-1, "shard-1", BUS__REFUSED__WHY__WHY_ROLE },
    { "another name", BUS__ROLE__ROLE_SHARD, "shard-2", BUS__REFUSED__WHY__WHY_NAME },
    { "no name", BUS__ROLE__ROLE_SHARD, "", BUS__REFUSED__WHY__WHY_NAME },
    { "a name that is none", BUS__ROLE__ROLE_SHARD, "shard\n1", BUS__REFUSED__WHY__WHY_NAME },
};

/* A ROUTER's owner asks this before it has a link for the sender. */
START_TEST(who_is_not_welcome_is_told_before_there_is_a_link)
{
    Bus__Batch hello = hello_of_the_shard();

    ck_assert_int_eq(link_objection(LINK_ROLE(hello.role), &hello), BUS__REFUSED__WHY__WHY_NONE);
    ck_assert_int_eq(link_objection(LINK_ROLE(BUS__ROLE__ROLE_GATEWAY), &hello), BUS__REFUSED__WHY__WHY_ROLE);
    hello.version = BUS_VERSION + 1;
    ck_assert_int_eq(link_objection(LINK_ROLE(hello.role), &hello), BUS__REFUSED__WHY__WHY_VERSION);
}
END_TEST

START_TEST(a_stranger_is_refused)
{
    Bus__Batch hello = hello_of_the_shard();

    hello.role = strangers[_i].role;
    hello.name = (char *)strangers[_i].name;
    receive_batch(&gateway, &hello);
    ck_assert_msg(gateway.verdict.refuse == strangers[_i].why, "%s", strangers[_i].what);
    ck_assert_int_eq(link_state(&gateway.link), LINK_SILENT);
    ck_assert_uint_eq(gateway.link.peer_boot, 0);
}
END_TEST

START_TEST(every_refusal_fits_whatever_the_names_are)
{
    char long_name[LINK_NAME_MAX + 1];
    struct link_self self = { BUS__ROLE__ROLE_COORDINATOR, long_name, UINT64_MAX };
    Bus__Batch hello = hello_of_the_shard();
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];

    memset(long_name, 'n', LINK_NAME_MAX);
    long_name[LINK_NAME_MAX] = '\0';
    hello.name = long_name;
    hello.version = UINT32_MAX;
    hello.boot = UINT64_MAX;
    hello.life = UINT32_MAX;
    for (int why = BUS__REFUSED__WHY__WHY_VERSION; why <= BUS__REFUSED__WHY__WHY_ENDED; why++)
        ck_assert_uint_gt(link_refusal(&self, &hello, (Bus__Refused__Why)why, refusal), 0);
    hello.name = (char *)"\x1B[2J";
    for (int why = BUS__REFUSED__WHY__WHY_VERSION; why <= BUS__REFUSED__WHY__WHY_ENDED; why++) {
        struct message message = { refusal, link_refusal(&self, &hello, (Bus__Refused__Why)why, refusal) };

        ck_assert_ptr_null(strchr(unpacked(&message)->refused->detail, '\x1B'));
    }
}
END_TEST

START_TEST(a_name_that_a_living_peer_holds_is_refused)
{
    Bus__Batch hello = hello_of_the_shard();

    meet();
    for (size_t i = 0; i < 20; i++) {
        pass(200, true);
        receive_batch(&gateway, &hello);
        ck_assert_int_eq(gateway.verdict.refuse, BUS__REFUSED__WHY__WHY_NAME_TAKEN);
    }
    ck_assert_uint_eq(gateway.downs, 0);
    ck_assert_uint_eq(link_peer_boot(&gateway.link), 0xB1);
}
END_TEST

START_TEST(one_that_is_refused_says_only_hello)
{
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
    struct message message = { refusal, 0 };

    flush(&gateway);
    message.size =
        link_refusal(&shard.self, unpacked(&gateway.sent[0]), BUS__REFUSED__WHY__WHY_NAME_TAKEN, refusal);
    receive(&gateway, &message);
    ck_assert(gateway.verdict.refused);
    clear_sent(&gateway);
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 0);
    now_ms += LINK_HEARTBEAT_MS;
    flush(&gateway);
    ck_assert_uint_eq(gateway.sent_count, 1);
    ck_assert_uint_eq(unpacked(&gateway.sent[0])->number, 0);
    meet();
}
END_TEST

START_TEST(a_refusal_for_somebody_else_or_of_a_living_peer_is_ignored)
{
    uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
    struct message message = { refusal, 0 };
    Bus__Batch hello = hello_of_the_shard();

    message.size = link_refusal(&shard.self, &hello, BUS__REFUSED__WHY__WHY_NAME_TAKEN, refusal);
    receive(&gateway, &message);
    ck_assert(!gateway.verdict.refused);

    meet();
    push(&gateway, 1);
    flush(&gateway);
    message.size =
        link_refusal(&shard.self, unpacked(&gateway.sent[0]), BUS__REFUSED__WHY__WHY_NAME_TAKEN, refusal);
    receive(&gateway, &message);
    ck_assert(!gateway.verdict.refused);
    ck_assert_uint_eq(gateway.downs, 0);
}
END_TEST

/* ---- nonsense ---- */

START_TEST(numbers_that_cannot_be_are_counted_and_change_nothing)
{
    Bus__Batch batch = hello_of_the_shard();

    meet();
    push(&gateway, 1);
    flush(&gateway);
    size_t backlog = link_backlog(&gateway.link);

    batch.boot = 0xB1;
    batch.to_boot = 0xA1;
    batch.to_life = 1;
    batch.number = 1;
    batch.ack = 2; /* one was sent */
    receive_batch(&gateway, &batch);
    batch.ack = UINT64_MAX;
    receive_batch(&gateway, &batch);
    batch.ack = 0;
    batch.boot = 0;
    receive_batch(&gateway, &batch);
    batch.boot = 0xB1;
    batch.life = 0;
    receive_batch(&gateway, &batch);
    ck_assert_uint_eq(gateway.link.stats.malformed, 4);
    ck_assert_uint_eq(gateway.link.applied, 0);
    ck_assert_uint_eq(link_backlog(&gateway.link), backlog);
}
END_TEST

START_TEST(items_of_a_heartbeat_are_ignored)
{
    Bus__Batch batch = hello_of_the_shard();
    Bus__Kick kick = BUS__KICK__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    Bus__Item *items[] = { &item };

    meet();
    item.item_case = BUS__ITEM__ITEM_KICK;
    item.kick = &kick;
    batch.boot = 0xB1;
    batch.to_boot = 0xA1;
    batch.to_life = 1;
    batch.items = items;
    batch.n_items = 1;
    receive_batch(&gateway, &batch);
    ck_assert_uint_eq(gateway.heard_count, 0);
}
END_TEST

START_TEST(bytes_that_are_no_batch_do_not_parse)
{
    static const uint8_t bytes[] = { 0x4A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00 };
    struct arena small;

    ck_assert_ptr_null(link_unpack(&arena, (struct span){ bytes, sizeof bytes }));

    /* Empty items are two bytes in a message, and much more in memory. */
    uint8_t many[2000];
    for (size_t i = 0; i < sizeof many; i += 2)
        memcpy(many + i, ((const uint8_t[]){ 0x4A, 0x00 }), 2);
    arena_init(&small, 4096, 16384);
    ck_assert_ptr_null(link_unpack(&small, (struct span){ many, sizeof many }));
    arena_fini(&small);
    ck_assert_ptr_nonnull(link_unpack(&arena, (struct span){ many, sizeof many }));
}
END_TEST

START_TEST(names_are_short_and_plain)
{
    char name[LINK_NAME_MAX + 2];

    memset(name, 'a', sizeof name);
    name[LINK_NAME_MAX + 1] = '\0';
    ck_assert(!link_name_is_valid(name));
    name[LINK_NAME_MAX] = '\0';
    ck_assert(link_name_is_valid(name));
    ck_assert(link_name_is_valid("Shard_1.eu-west"));
    ck_assert(!link_name_is_valid(""));
    ck_assert(!link_name_is_valid("a b"));
    ck_assert(!link_name_is_valid("a\xC3\xA4"));
}
END_TEST

/* ---- whatever the network does ---- */

/* A message under way, for the side that it is for; one for a process that has ended since is lost. */
struct flight {
    struct message message;
    struct side *to;
    struct side *from;
    uint64_t at_ms;
};

enum { FLIGHTS_MAX = 2000 };

static struct flight flights[FLIGHTS_MAX];
static size_t flight_count;

static void launch(struct rng *rng, struct side *from, struct side *to, const void *data, size_t size)
{
    if (flight_count == FLIGHTS_MAX)
        return;

    struct flight *flight = &flights[flight_count];

    flight->message.data = malloc(size);
    ck_assert_ptr_nonnull(flight->message.data);
    memcpy(flight->message.data, data, size);
    flight->message.size = size;
    flight->from = from;
    flight->to = to;
    flight->at_ms = now_ms + (rng_chance(rng, 0.1) ? rng_below(rng, 400) : rng_below(rng, 20));
    flight_count++;
}

static void send_all(struct rng *rng, struct side *from, struct side *to, double loss)
{
    flush(from);
    for (size_t i = 0; i < from->sent_count; i++) {
        const struct message *message = &from->sent[i];

        if (!rng_chance(rng, loss))
            launch(rng, from, to, message->data, message->size);
        if (rng_chance(rng, 0.1))
            launch(rng, from, to, message->data, message->size);
    }
    clear_sent(from);
}

static void land(struct rng *rng)
{
    for (size_t i = flight_count; i > 0; i--) {
        struct flight flight = flights[i - 1];

        if (flight.at_ms > now_ms)
            continue;
        flight_count--;
        flights[i - 1] = flights[flight_count];
        receive_batch(flight.to, unpacked(&flight.message));
        if (flight.to->verdict.refuse != BUS__REFUSED__WHY__WHY_NONE) {
            uint8_t refusal[LINK_REFUSAL_SIZE_MAX];
            size_t size =
                link_refusal(&flight.to->self, unpacked(&flight.message), flight.to->verdict.refuse, refusal);

            launch(rng, flight.to, flight.from, refusal, size);
        }
        free(flight.message.data);
    }
}

static void drop_flights(void)
{
    for (size_t i = 0; i < flight_count; i++)
        free(flights[i].message.data);
    flight_count = 0;
}

/* Loss, duplicates and reordering, and cuts that are too short to be given up for. */
START_TEST(whatever_the_network_does_all_arrives_once_and_in_order)
{
    struct rng rng;
    uint32_t said[2] = { 0 };
    struct side *const sides[2] = { &gateway, &shard };

    rng_init_seeded(&rng, (uint64_t)_i);
    meet();
    for (size_t step = 0; step < 6000; step++) {
        bool calm = step > 5000;
        bool cut = !calm && step % 1500 > 1000; /* for 2.5 s: longer than it takes to be dead */

        now_ms += 5;
        for (size_t i = 0; i < 2; i++) {
            tick(sides[i]);
            for (uint64_t n = calm ? 0 : rng_below(&rng, 4); n > 0; n--)
                push(sides[i], said[i]++);
            send_all(&rng, sides[i], sides[1 - i], calm ? 0 : cut ? 1 : 0.3);
        }
        land(&rng);
    }
    drop_flights();
    heard_exactly(&shard, 0, said[0]);
    heard_exactly(&gateway, 0, said[1]);
    ck_assert_uint_eq(link_backlog(&gateway.link) + link_backlog(&shard.link), 0);
    ck_assert_uint_eq(gateway.link.stats.lives + shard.link.stats.lives, 2);
    ck_assert_uint_gt(gateway.link.stats.repeats, 0);
    ck_assert_uint_gt(shard.link.stats.duplicates, 0);
}
END_TEST

/* Restarts and long cuts as well. An item's reason is the sender's life and the item's number in it: within a
 * life nothing is missing, doubled or out of order. */
enum { LIFE_SHIFT = 16, NUMBER_MASK = 0xFFFF };

static void check_order(struct side *side)
{
    for (size_t i = 1; i < side->heard_count; i++) {
        bool goes_on = side->heard[i] >> LIFE_SHIFT == side->heard[i - 1] >> LIFE_SHIFT;

        ck_assert_uint_eq(side->heard[i] & NUMBER_MASK, goes_on ? (side->heard[i - 1] & NUMBER_MASK) + 1 : 0);
    }
    if (side->heard_count > 0)
        side->heard[0] = side->heard[side->heard_count - 1];
    side->heard_count = side->heard_count > 0;
}

static void restart_one(struct rng *rng, uint64_t boot)
{
    if (rng_chance(rng, 0.5))
        start_gateway(boot);
    else
        start_shard(boot);
}

START_TEST(restarts_and_cuts_never_mix_lives)
{
    struct rng rng;
    uint32_t next[2] = { 0 };
    struct side *const sides[2] = { &gateway, &shard };

    rng_init_seeded(&rng, (uint64_t)_i + 1000);
    for (size_t step = 0; step < 5000; step++) {
        bool calm = step > 4200;
        bool cut = !calm && step % 1000 > 900 - 300 * (step / 1000 % 3); /* for 2, 8 and 14 s */
        uint64_t lives[2];

        now_ms += 20;
        if (!calm && rng_chance(&rng, 0.002))
            restart_one(&rng, 0x1000 + step);
        for (size_t i = 0; i < 2; i++) {
            tick(sides[i]);
            if (link_state(&sides[i]->link) != LINK_SILENT && rng_chance(&rng, 0.5))
                push(sides[i], next[i]++);
            send_all(&rng, sides[i], sides[1 - i], calm ? 0 : cut ? 1 : 0.2);
            lives[i] = sides[i]->link.stats.lives;
        }
        land(&rng);
        for (size_t i = 0; i < 2; i++) {
            if (sides[i]->link.stats.lives != lives[i])
                next[i] = ((next[i] >> LIFE_SHIFT) + 1) << LIFE_SHIFT;
            check_order(sides[i]);
        }
    }
    drop_flights();
    ck_assert_int_eq(link_state(&gateway.link), LINK_UP);
    ck_assert_int_eq(link_state(&shard.link), LINK_UP);
    ck_assert_uint_eq(gateway.link.peer_boot, shard.self.boot);
    ck_assert_uint_eq(shard.link.peer_boot, gateway.self.boot);
    ck_assert_uint_lt(link_backlog(&gateway.link), 1000);
    ck_assert_uint_gt(gateway.heard_count + shard.heard_count, 0);
}
END_TEST

static TCase *meeting_tcase(void)
{
    TCase *tcase = tcase_create("meeting");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, two_links_that_hear_each_other_are_up);
    tcase_add_test(tcase, a_link_says_hello_at_once_and_then_every_heartbeat);
    tcase_add_test(tcase, nothing_can_be_said_to_a_peer_that_is_not_known);
    tcase_add_test(tcase, a_message_carries_whom_it_is_from_and_for);
    tcase_add_test(tcase, whoever_answers_gives_an_open_link_its_name);
    tcase_add_test(tcase, another_version_is_refused_with_both_named);
    tcase_add_test(tcase, who_is_not_welcome_is_told_before_there_is_a_link);
    tcase_add_loop_test(tcase, a_stranger_is_refused, 0, sizeof strangers / sizeof strangers[0]);
    tcase_add_test(tcase, every_refusal_fits_whatever_the_names_are);
    tcase_add_test(tcase, a_name_that_a_living_peer_holds_is_refused);
    tcase_add_test(tcase, one_that_is_refused_says_only_hello);
    tcase_add_test(tcase, a_refusal_for_somebody_else_or_of_a_living_peer_is_ignored);
    tcase_add_test(tcase, names_are_short_and_plain);
    return tcase;
}

static TCase *batches_tcase(void)
{
    TCase *tcase = tcase_create("batches");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, all_items_of_a_flush_travel_in_one_message);
    tcase_add_test(tcase, an_ack_travels_with_the_next_batch_and_frees_what_was_kept);
    tcase_add_test(tcase, an_ack_goes_alone_when_nothing_else_is_due);
    tcase_add_test(tcase, a_lost_batch_is_sent_again_after_a_while);
    tcase_add_test(tcase, repeats_without_an_answer_grow_rarer);
    tcase_add_test(tcase, a_gap_is_told_at_once_and_answered_at_once);
    tcase_add_test(tcase, a_gap_that_is_told_twice_is_answered_once_in_a_while);
    tcase_add_test(tcase, what_is_new_waits_until_the_gap_is_closed);
    tcase_add_test(tcase, a_duplicate_is_acked_and_applied_once);
    tcase_add_test(tcase, batches_that_arrive_in_the_wrong_order_are_applied_in_the_right_one);
    tcase_add_test(tcase, an_older_ack_changes_nothing);
    tcase_add_test(tcase, a_message_that_nobody_takes_is_due_again);
    tcase_add_test(tcase, a_large_batch_is_split_and_arrives_in_order);
    tcase_add_test(tcase, an_item_larger_than_a_batch_has_one_for_itself);
    tcase_add_test(tcase, the_largest_item_passes_and_one_byte_more_does_not);
    tcase_add_test(tcase, batches_in_flight_are_limited_and_the_rest_waits_in_few);
    tcase_add_test(tcase, a_steady_stream_takes_no_new_memory);
    tcase_add_test(tcase, a_backlog_over_the_mark_is_told_until_it_is_low_again);
    tcase_add_test(tcase, a_peer_that_stays_over_the_mark_is_given_up);
    tcase_add_test(tcase, the_last_limit_of_a_backlog_ends_it_at_once);
    tcase_add_test(tcase, numbers_that_cannot_be_are_counted_and_change_nothing);
    tcase_add_test(tcase, items_of_a_heartbeat_are_ignored);
    tcase_add_test(tcase, bytes_that_are_no_batch_do_not_parse);
    return tcase;
}

static TCase *lives_tcase(void)
{
    TCase *tcase = tcase_create("lives");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, a_peer_that_is_silent_for_two_seconds_is_down);
    tcase_add_test(tcase, a_peer_that_comes_back_finds_all_that_was_said_meanwhile);
    tcase_add_test(tcase, a_peer_that_stays_away_is_given_up_and_what_was_kept_dropped);
    tcase_add_test(tcase, one_that_was_given_up_learns_it);
    tcase_add_test(tcase, a_process_that_was_stopped_takes_nobody_for_dead);
    tcase_add_test(tcase, a_restarted_peer_starts_from_one_and_gets_nothing_of_its_former_life);
    tcase_add_test(tcase, a_restart_is_noticed_before_the_former_life_is_dead);
    tcase_add_test(tcase, both_may_restart_at_once);
    tcase_add_test(tcase, stragglers_of_a_former_life_are_ignored);
    tcase_add_test(tcase, what_was_meant_for_our_former_life_is_ignored);
    tcase_add_test(tcase, one_that_was_replaced_by_mistake_comes_back);
    tcase_add_test(tcase, whether_a_batch_goes_on_with_the_life_is_known_before);
    tcase_add_loop_test(tcase, whatever_the_network_does_all_arrives_once_and_in_order, 0, 6);
    tcase_add_loop_test(tcase, restarts_and_cuts_never_mix_lives, 0, 12);
    return tcase;
}

Suite *link_suite(void)
{
    Suite *suite = suite_create("link");

    suite_add_tcase(suite, meeting_tcase());
    suite_add_tcase(suite, batches_tcase());
    suite_add_tcase(suite, lives_tcase());
    return suite;
}
