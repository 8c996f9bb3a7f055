#include "coordinator/counter.h"

#include "tests/unit/suites.h"

static struct counter counter;

static void setup(void)
{
    counter_init(&counter, 100, 1000);
}

START_TEST(nothing_is_given_before_a_block_is_granted)
{
    ck_assert_uint_eq(counter_take(&counter, 1), 0);
    ck_assert(counter_wants(&counter));
    ck_assert(counter_grant(&counter, 1, 100));
    ck_assert_uint_eq(counter_take(&counter, 1), 1);
    ck_assert_uint_eq(counter_take(&counter, 10), 2);
    ck_assert_uint_eq(counter_take(&counter, 1), 12);
}
END_TEST

START_TEST(the_next_block_is_wanted_when_half_is_used)
{
    ck_assert(counter_grant(&counter, 1, 100));
    ck_assert_uint_eq(counter_take(&counter, 49), 1);
    ck_assert(!counter_wants(&counter));
    ck_assert_uint_eq(counter_take(&counter, 1), 50);
    ck_assert(counter_wants(&counter));
    counter.is_asked = true;
    ck_assert(!counter_wants(&counter));
    ck_assert(counter_grant(&counter, 101, 100));
    ck_assert_uint_eq(counter_left(&counter), 150);
}
END_TEST

START_TEST(a_block_follows_the_other_without_a_gap)
{
    ck_assert(counter_grant(&counter, 1, 100));
    ck_assert(counter_grant(&counter, 101, 100));
    for (uint64_t i = 1; i <= 200; i++)
        ck_assert_uint_eq(counter_take(&counter, 1), i);
    ck_assert_uint_eq(counter_take(&counter, 1), 0);
}
END_TEST

START_TEST(numbers_in_a_row_are_never_of_two_blocks)
{
    ck_assert(counter_grant(&counter, 1, 100));
    ck_assert(counter_grant(&counter, 301, 100));
    ck_assert_uint_eq(counter_take(&counter, 60), 1);
    ck_assert_uint_eq(counter_take(&counter, 60), 301);
    ck_assert_uint_eq(counter_take(&counter, 60), 0);
}
END_TEST

START_TEST(what_somebody_was_seen_with_is_never_given)
{
    ck_assert(counter_grant(&counter, 1, 100));
    ck_assert(counter_grant(&counter, 101, 100));
    counter_see(&counter, 40);
    ck_assert_uint_eq(counter_take(&counter, 1), 41);
    counter_see(&counter, 20);
    ck_assert_uint_eq(counter_take(&counter, 1), 42);
    counter_see(&counter, 150);
    ck_assert_uint_eq(counter_take(&counter, 1), 151);
    counter_see(&counter, 5000);
    ck_assert_uint_eq(counter_take(&counter, 1), 0);
}
END_TEST

/* Redis was restored from yesterday: what it reserves now was handed out already. */
START_TEST(a_block_below_what_is_known_is_refused)
{
    ck_assert(counter_grant(&counter, 101, 100));
    ck_assert_uint_eq(counter_floor(&counter), 200);
    ck_assert(!counter_grant(&counter, 1, 100));
    ck_assert(!counter_grant(&counter, 200, 100));
    ck_assert(counter_grant(&counter, 201, 100));
    counter_see(&counter, 700);
    ck_assert_uint_eq(counter_floor(&counter), 700);
    ck_assert(!counter_grant(&counter, 700, 100));
}
END_TEST

START_TEST(nothing_is_given_above_the_highest_number)
{
    ck_assert(!counter_grant(&counter, 902, 100));
    ck_assert(!counter_grant(&counter, UINT64_MAX, 100));
    ck_assert(!counter_grant(&counter, 5, UINT64_MAX));
    ck_assert(!counter_grant(&counter, 0, 100));
    ck_assert(counter_grant(&counter, 901, 100));
    ck_assert_uint_eq(counter_take(&counter, 100), 901);
}
END_TEST

Suite *coordinator_counter_suite(void)
{
    Suite *suite = suite_create("coordinator_counter");
    TCase *tcase = tcase_create("counter");

    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, nothing_is_given_before_a_block_is_granted);
    tcase_add_test(tcase, the_next_block_is_wanted_when_half_is_used);
    tcase_add_test(tcase, a_block_follows_the_other_without_a_gap);
    tcase_add_test(tcase, numbers_in_a_row_are_never_of_two_blocks);
    tcase_add_test(tcase, what_somebody_was_seen_with_is_never_given);
    tcase_add_test(tcase, a_block_below_what_is_known_is_refused);
    tcase_add_test(tcase, nothing_is_given_above_the_highest_number);
    suite_add_tcase(suite, tcase);
    return suite;
}
