#include "proto/outbox.h"

#include <string.h>

#include "tests/unit/suites.h"

static struct outbox outbox;

static void setup(void)
{
    outbox_init(&outbox);
}

static void teardown(void)
{
    outbox_fini(&outbox);
}

static void add_kick(uint16_t peer, uint32_t reason)
{
    Bus__Item *item = outbox_add(&outbox, peer);

    item->item_case = BUS__ITEM__ITEM_KICK;
    item->kick = outbox_alloc(&outbox, sizeof *item->kick);
    bus__kick__init(item->kick);
    item->kick->reason = reason;
    item->kick->text = outbox_text(&outbox, "enough");
}

START_TEST(an_item_starts_initialized_and_without_a_case)
{
    Bus__Item *item = outbox_add(&outbox, 7);

    ck_assert_ptr_eq(item->base.descriptor, &bus__item__descriptor);
    ck_assert_int_eq(item->item_case, BUS__ITEM__ITEM__NOT_SET);
    ck_assert_uint_eq(outbox.count, 1);
    ck_assert_uint_eq(outbox.entries[0].peer, 7);
    ck_assert_ptr_eq(outbox.entries[0].item, item);
}
END_TEST

START_TEST(items_stay_in_order_however_many_there_are)
{
    for (uint32_t i = 0; i < 10000; i++)
        add_kick((uint16_t)(i % 300), i);
    ck_assert_uint_eq(outbox.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert_uint_eq(outbox.entries[i].peer, i % 300);
        ck_assert_uint_eq(outbox.entries[i].item->kick->reason, i);
        ck_assert_str_eq(outbox.entries[i].item->kick->text, "enough");
    }
}
END_TEST

START_TEST(bytes_and_texts_are_copies)
{
    char text[] = "shard-1";
    uint8_t bytes[] = { 1, 0, 3 };
    char *text_copy = outbox_text(&outbox, text);
    ProtobufCBinaryData bytes_copy = outbox_bytes(&outbox, bytes, sizeof bytes);

    memset(text, 'x', sizeof text - 1);
    memset(bytes, 9, sizeof bytes);
    ck_assert_str_eq(text_copy, "shard-1");
    ck_assert_uint_eq(bytes_copy.len, 3);
    ck_assert_mem_eq(bytes_copy.data, ((const uint8_t[]){ 1, 0, 3 }), 3);
}
END_TEST

START_TEST(no_bytes_are_an_empty_value)
{
    ProtobufCBinaryData bytes = outbox_bytes(&outbox, NULL, 0);

    ck_assert_uint_eq(bytes.len, 0);
    ck_assert_str_eq(outbox_text(&outbox, ""), "");
}
END_TEST

START_TEST(a_cleared_outbox_is_empty_and_its_memory_zeroed_when_used_again)
{
    memset(outbox_alloc(&outbox, 500), 0xEE, 500);
    add_kick(1, 1);
    outbox_clear(&outbox);
    ck_assert_uint_eq(outbox.count, 0);

    const uint8_t *at = outbox_alloc(&outbox, 500);
    for (size_t i = 0; i < 500; i++)
        ck_assert_uint_eq(at[i], 0);
    ck_assert_int_eq(outbox_add(&outbox, 1)->item_case, BUS__ITEM__ITEM__NOT_SET);
}
END_TEST

START_TEST(an_iteration_like_the_last_needs_no_new_memory)
{
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 5000; i++)
            add_kick(1, i);
        if (round < 2)
            outbox_clear(&outbox);
    }
    const struct arena_block *block = outbox.arena.block;
    size_t held = outbox.arena.held;
    size_t capacity = outbox.capacity;

    outbox_clear(&outbox);
    for (uint32_t i = 0; i < 5000; i++)
        add_kick(1, i);
    ck_assert_ptr_eq(outbox.arena.block, block);
    ck_assert_uint_eq(outbox.arena.held, held);
    ck_assert_uint_eq(outbox.capacity, capacity);
}
END_TEST

START_TEST(a_closed_outbox_may_be_closed_again)
{
    add_kick(1, 1);
    outbox_fini(&outbox);
    outbox_fini(&outbox);
    ck_assert_uint_eq(outbox.count, 0);
}
END_TEST

Suite *outbox_suite(void)
{
    Suite *suite = suite_create("outbox");
    TCase *tcase = tcase_create("outbox");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_item_starts_initialized_and_without_a_case);
    tcase_add_test(tcase, items_stay_in_order_however_many_there_are);
    tcase_add_test(tcase, bytes_and_texts_are_copies);
    tcase_add_test(tcase, no_bytes_are_an_empty_value);
    tcase_add_test(tcase, a_cleared_outbox_is_empty_and_its_memory_zeroed_when_used_again);
    tcase_add_test(tcase, an_iteration_like_the_last_needs_no_new_memory);
    tcase_add_test(tcase, a_closed_outbox_may_be_closed_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
