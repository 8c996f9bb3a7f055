#include "common/ring.h"

#include <stdbool.h>

#include "tests/unit/suites.h"

struct item {
    uint64_t number;
    char pad[5];
};

enum { CAPACITY = 5 };

static struct ring ring;

static void setup(void)
{
    ck_assert_int_eq(ring_init(&ring, sizeof(struct item), CAPACITY), 0);
}

static void teardown(void)
{
    ring_fini(&ring);
}

static bool push(uint64_t number)
{
    struct item *item = ring_push(&ring);

    if (item != NULL)
        item->number = number;
    return item != NULL;
}

static uint64_t number_at(size_t index)
{
    const struct item *item = ring_at(&ring, index);

    ck_assert_ptr_nonnull(item);
    return item->number;
}

START_TEST(a_new_ring_is_empty)
{
    ck_assert_uint_eq(ring.count, 0);
    ck_assert_ptr_null(ring_oldest(&ring));
    ck_assert_ptr_null(ring_at(&ring, 0));
}
END_TEST

START_TEST(items_come_out_in_the_order_they_went_in)
{
    for (uint64_t number = 1; number <= 3; number++)
        ck_assert(push(number));
    for (uint64_t number = 1; number <= 3; number++) {
        ck_assert_uint_eq(((struct item *)ring_oldest(&ring))->number, number);
        ring_pop(&ring);
    }
    ck_assert_uint_eq(ring.count, 0);
}
END_TEST

START_TEST(a_full_ring_refuses_and_keeps_what_it_has)
{
    for (uint64_t number = 1; number <= CAPACITY; number++)
        ck_assert(push(number));
    ck_assert(!push(99));
    ck_assert_uint_eq(ring.count, CAPACITY);
    for (uint64_t number = 1; number <= CAPACITY; number++)
        ck_assert_uint_eq(number_at(number - 1), number);
    ck_assert_ptr_null(ring_at(&ring, CAPACITY));
}
END_TEST

START_TEST(one_pop_makes_room_for_one_push)
{
    for (uint64_t number = 1; number <= CAPACITY; number++)
        ck_assert(push(number));
    ring_pop(&ring);
    ck_assert(push(6));
    ck_assert(!push(7));
    ck_assert_uint_eq(number_at(0), 2);
    ck_assert_uint_eq(number_at(CAPACITY - 1), 6);
}
END_TEST

START_TEST(order_goes_on_round_and_round)
{
    uint64_t pushed = 0;
    uint64_t popped = 0;

    for (int step = 0; step < 1000; step++) {
        if (step % 7 < 4 && push(pushed + 1))
            pushed++;
        if (step % 3 == 0 && ring.count > 0) {
            ck_assert_uint_eq(number_at(0), ++popped);
            ring_pop(&ring);
        }
        ck_assert_uint_eq(ring.count, pushed - popped);
        for (size_t i = 0; i < ring.count; i++)
            ck_assert_uint_eq(number_at(i), popped + 1 + i);
    }
    ck_assert_uint_gt(popped / CAPACITY, 10);
}
END_TEST

START_TEST(a_pushed_item_is_zeroed)
{
    for (int i = 0; i < 3 * CAPACITY; i++) {
        struct item *item = ring_push(&ring);
        ck_assert_uint_eq(item->number, 0);
        ck_assert_int_eq(item->pad[4], 0);
        *item = (struct item){ .number = UINT64_MAX, .pad = "full" };
        item->pad[4] = 1;
        ring_pop(&ring);
    }
}
END_TEST

START_TEST(a_cleared_ring_is_as_new)
{
    for (uint64_t number = 1; number <= CAPACITY; number++)
        ck_assert(push(number));
    ring_pop(&ring);
    ring_clear(&ring);
    ck_assert_uint_eq(ring.count, 0);
    ck_assert_ptr_null(ring_oldest(&ring));
    for (uint64_t number = 1; number <= CAPACITY; number++)
        ck_assert(push(number));
    ck_assert_uint_eq(number_at(0), 1);
}
END_TEST

START_TEST(a_ring_of_one)
{
    struct ring one;

    ck_assert_int_eq(ring_init(&one, 1, 1), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_nonnull(ring_push(&one));
        ck_assert_ptr_null(ring_push(&one));
        ring_pop(&one);
    }
    ring_fini(&one);
}
END_TEST

/* AddressSanitizer stops at a malloc that cannot succeed instead of letting it fail. */
#if defined(__SANITIZE_ADDRESS__)
#define MALLOC_MAY_FAIL 0
#elif defined(__has_feature)
#define MALLOC_MAY_FAIL !__has_feature(address_sanitizer)
#else
#define MALLOC_MAY_FAIL 1
#endif

#if MALLOC_MAY_FAIL
START_TEST(without_memory_a_ring_is_full_and_empty)
{
    struct ring none;

    ck_assert_int_eq(ring_init(&none, SIZE_MAX / 2, 4), -1);
    ck_assert_ptr_null(ring_push(&none));
    ck_assert_ptr_null(ring_oldest(&none));
    ring_fini(&none);
}
END_TEST
#endif

Suite *ring_suite(void)
{
    Suite *suite = suite_create("ring");
    TCase *tcase = tcase_create("ring");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_new_ring_is_empty);
    tcase_add_test(tcase, items_come_out_in_the_order_they_went_in);
    tcase_add_test(tcase, a_full_ring_refuses_and_keeps_what_it_has);
    tcase_add_test(tcase, one_pop_makes_room_for_one_push);
    tcase_add_test(tcase, order_goes_on_round_and_round);
    tcase_add_test(tcase, a_pushed_item_is_zeroed);
    tcase_add_test(tcase, a_cleared_ring_is_as_new);
    tcase_add_test(tcase, a_ring_of_one);
#if MALLOC_MAY_FAIL
    tcase_add_test(tcase, without_memory_a_ring_is_full_and_empty);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
