#include "gateway/egress.h"

#include "tests/unit/suites.h"

enum { SESSIONS = 200 };

static struct egress egress;
static uint8_t bytes[2000];

static void setup(void)
{
    ck_assert_int_eq(egress_init(&egress, SESSIONS), 0);
}

static void teardown(void)
{
    egress_fini(&egress);
}

static struct address of(uint32_t slot)
{
    struct address address;

    ck_assert(address_parse(&address, "192.0.2.1", (uint16_t)(5000 + slot)));
    return address;
}

/* A datagram that is known by where its bytes lie. */
static void add(uint32_t slot, size_t mark, size_t size, bool ordered)
{
    const struct address to = of(slot);

    ck_assert(egress_add(&egress, slot, &to, bytes + mark, size, ordered, 1000));
}

static size_t mark_of(const struct egress_run *run, size_t i)
{
    return (size_t)(run->data[i] - bytes);
}

START_TEST(equally_long_datagrams_of_a_recipient_are_one_run)
{
    struct egress_run run;
    const struct address first = of(1);

    add(1, 0, 95, false);
    add(2, 1, 95, false);
    add(1, 2, 95, false);
    ck_assert(egress_take(&egress, &run));
    ck_assert(address_equal(&run.to, &first));
    ck_assert_uint_eq(run.size, 95);
    ck_assert_uint_eq(run.count, 2);
    ck_assert_uint_eq(mark_of(&run, 0), 0);
    ck_assert_uint_eq(mark_of(&run, 1), 2);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 1);
    ck_assert(!egress_take(&egress, &run));
}
END_TEST

START_TEST(frames_of_two_sizes_make_two_runs)
{
    struct egress_run run;

    for (size_t i = 0; i < 10; i++)
        add(1, i, i % 2 == 0 ? 95 : 178, false);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 5);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 5);
    ck_assert(!egress_take(&egress, &run));
}
END_TEST

START_TEST(events_of_a_lane_keep_their_order)
{
    static const size_t sizes[] = { 20, 30, 20, 20, 30, 20 };
    struct egress_run run;
    size_t next = 0;

    for (size_t i = 0; i < 6; i++)
        add(1, i, sizes[i], true);
    while (egress_take(&egress, &run)) {
        for (size_t i = 0; i < run.count; i++)
            ck_assert_uint_eq(mark_of(&run, i), next++);
    }
    ck_assert_uint_eq(next, 6);
}
END_TEST

START_TEST(frames_join_a_run_over_events_in_between)
{
    struct egress_run run;

    add(1, 0, 95, false);
    add(1, 1, 30, true);
    add(1, 2, 95, false);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 2);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 1);
    ck_assert_uint_eq(mark_of(&run, 0), 1);
}
END_TEST

START_TEST(a_run_has_at_most_64_datagrams)
{
    struct egress_run run;

    for (size_t i = 0; i < EGRESS_RUN_MAX + 6; i++)
        add(1, i, 95, false);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, EGRESS_RUN_MAX);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 6);
}
END_TEST

START_TEST(a_run_of_long_datagrams_fits_one_send)
{
    struct egress_run run;
    size_t count = 0;

    for (size_t i = 0; i < EGRESS_RUN_MAX; i++)
        add(1, i, 1200, false);
    while (egress_take(&egress, &run)) {
        ck_assert_uint_le(run.count * run.size, EGRESS_RUN_BYTES_MAX);
        count += run.count;
    }
    ck_assert_uint_eq(count, EGRESS_RUN_MAX);
}
END_TEST

START_TEST(strangers_are_recipients_of_their_own)
{
    struct egress_run run;
    const struct address to = of(7);

    ck_assert(egress_add(&egress, EGRESS_NOBODY, &to, bytes, 17, false, 1000));
    ck_assert(egress_add(&egress, EGRESS_NOBODY, &to, bytes, 17, false, 1000));
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 1);
    ck_assert(address_equal(&run.to, &to));
    ck_assert(egress_take(&egress, &run));
}
END_TEST

START_TEST(strangers_beyond_the_limit_of_a_round_are_refused)
{
    const struct address to = of(7);

    for (uint32_t i = 0; i < EGRESS_STRANGERS_MAX; i++)
        ck_assert(egress_add(&egress, EGRESS_NOBODY, &to, bytes, 17, false, 1000));
    ck_assert(!egress_add(&egress, EGRESS_NOBODY, &to, bytes, 17, false, 1000));
    add(1, 0, 95, false);
    egress_clear(&egress);
    ck_assert(egress_add(&egress, EGRESS_NOBODY, &to, bytes, 17, false, 1000));
}
END_TEST

START_TEST(a_round_beyond_its_bytes_is_refused)
{
    size_t given = 0;

    while (egress_alloc(&egress, 1200) != NULL)
        given++;
    ck_assert_uint_gt(given, EGRESS_BYTES_MAX / 1300);
    egress_clear(&egress);
    ck_assert_ptr_nonnull(egress_alloc(&egress, 1200));
}
END_TEST

START_TEST(a_cleared_round_leaves_nothing_behind)
{
    struct egress_run run;

    add(1, 0, 95, false);
    add(2, 1, 95, false);
    ck_assert(egress_take(&egress, &run));
    egress_clear(&egress);
    ck_assert(!egress_is_pending(&egress));
    ck_assert(!egress_take(&egress, &run));
    add(2, 5, 40, false);
    ck_assert(egress_take(&egress, &run));
    ck_assert_uint_eq(run.count, 1);
    ck_assert_uint_eq(mark_of(&run, 0), 5);
}
END_TEST

START_TEST(a_recipient_that_moves_gets_the_round_at_its_new_address)
{
    struct egress_run run;
    const struct address to = of(9);

    add(1, 0, 95, false);
    ck_assert(egress_add(&egress, 1, &to, bytes, 95, false, 1000));
    ck_assert(egress_take(&egress, &run));
    ck_assert(address_equal(&run.to, &to));
}
END_TEST

/* Everybody within sight of everybody: n players send n - 1 datagrams each, 30 times a second. */
static void crowd_of(uint32_t n)
{
    for (uint64_t ms = 0; ms < 500; ms++) {
        if (ms % 33 != 0)
            continue;
        for (uint32_t from = 0; from < n; from++) {
            for (uint32_t to = 0; to < n; to++) {
                const struct address address = of(to);

                if (from != to)
                    ck_assert(egress_add(&egress, to, &address, bytes, 95, false, 5000 + ms));
            }
            egress_clear(&egress);
        }
    }
}

START_TEST(a_crowd_is_worth_a_window)
{
    crowd_of(20);
    ck_assert_uint_gt(egress_gathers_in_us(&egress), 0);
}
END_TEST

START_TEST(a_larger_crowd_needs_a_shorter_window)
{
    crowd_of(50); /* each gets 49 datagrams 30 times a second: ten come in 6.8 ms */
    ck_assert_uint_ge(egress_gathers_in_us(&egress), 6000);
    ck_assert_uint_le(egress_gathers_in_us(&egress), 7500);
    crowd_of(100);
    ck_assert_uint_ge(egress_gathers_in_us(&egress), 3000);
    ck_assert_uint_le(egress_gathers_in_us(&egress), 3700);
}
END_TEST

START_TEST(ten_players_are_sent_at_once)
{
    crowd_of(10);
    ck_assert_uint_eq(egress_gathers_in_us(&egress), 0);
}
END_TEST

/* A hundred milliseconds in which every recipient gets `each` datagrams in each of so many bursts. */
static void bursts_of(uint32_t bursts, uint32_t each)
{
    for (uint32_t burst = 0; burst <= bursts; burst++) {
        const uint64_t now_ms = 5000 + burst * (uint64_t)100 / bursts;

        for (uint32_t i = 0; i < 10 * each; i++) {
            const struct address address = of(i % 10);

            ck_assert(egress_add(&egress, i % 10, &address, bytes, 95, false, now_ms));
        }
        egress_end_burst(&egress);
        egress_clear(&egress);
    }
}

START_TEST(frames_that_come_one_by_one_are_scattered)
{
    bursts_of(50, 1);
    ck_assert(egress_is_scattered(&egress, 5000));
    ck_assert(!egress_is_scattered(&egress, 0));
}
END_TEST

/* That they were waited for elsewhere is enough. */
START_TEST(frames_that_come_together_are_not_scattered)
{
    bursts_of(20, 10);
    ck_assert_uint_gt(egress_gathers_in_us(&egress), 0);
    ck_assert(!egress_is_scattered(&egress, 5000));
}
END_TEST

START_TEST(more_than_two_bursts_a_window_are_scattered)
{
    bursts_of(40, 5);
    ck_assert(!egress_is_scattered(&egress, 5000));
    ck_assert(egress_is_scattered(&egress, 5100));
}
END_TEST

START_TEST(a_thousand_idle_connections_do_not_hide_a_crowd)
{
    crowd_of(50);
    for (uint64_t ms = 500; ms < 700; ms++) {
        const struct address idle = of(100 + (uint32_t)ms % 100);

        ck_assert(egress_add(&egress, 100 + (uint32_t)ms % 100, &idle, bytes, 7, false, 5000 + ms));
        for (uint32_t to = 0; to < 50; to++) {
            const struct address address = of(to);

            ck_assert(egress_add(&egress, to, &address, bytes, 95, false, 5000 + ms));
        }
        egress_clear(&egress);
    }
    ck_assert_uint_gt(egress_gathers_in_us(&egress), 0);
}
END_TEST

START_TEST(when_the_crowd_has_gone_nothing_waits)
{
    const struct address to = of(1);

    crowd_of(50);
    ck_assert(egress_add(&egress, 1, &to, bytes, 95, false, 9000));
    ck_assert_uint_eq(egress_gathers_in_us(&egress), 0);
}
END_TEST

Suite *egress_suite(void)
{
    Suite *suite = suite_create("egress");
    TCase *runs = tcase_create("runs");
    TCase *window = tcase_create("window");

    tcase_add_checked_fixture(runs, setup, teardown);
    tcase_add_test(runs, equally_long_datagrams_of_a_recipient_are_one_run);
    tcase_add_test(runs, frames_of_two_sizes_make_two_runs);
    tcase_add_test(runs, events_of_a_lane_keep_their_order);
    tcase_add_test(runs, frames_join_a_run_over_events_in_between);
    tcase_add_test(runs, a_run_has_at_most_64_datagrams);
    tcase_add_test(runs, a_run_of_long_datagrams_fits_one_send);
    tcase_add_test(runs, strangers_are_recipients_of_their_own);
    tcase_add_test(runs, strangers_beyond_the_limit_of_a_round_are_refused);
    tcase_add_test(runs, a_round_beyond_its_bytes_is_refused);
    tcase_add_test(runs, a_cleared_round_leaves_nothing_behind);
    tcase_add_test(runs, a_recipient_that_moves_gets_the_round_at_its_new_address);
    suite_add_tcase(suite, runs);
    tcase_add_checked_fixture(window, setup, teardown);
    tcase_add_test(window, a_crowd_is_worth_a_window);
    tcase_add_test(window, a_larger_crowd_needs_a_shorter_window);
    tcase_add_test(window, ten_players_are_sent_at_once);
    tcase_add_test(window, frames_that_come_one_by_one_are_scattered);
    tcase_add_test(window, frames_that_come_together_are_not_scattered);
    tcase_add_test(window, more_than_two_bursts_a_window_are_scattered);
    tcase_add_test(window, a_thousand_idle_connections_do_not_hide_a_crowd);
    tcase_add_test(window, when_the_crowd_has_gone_nothing_waits);
    suite_add_tcase(suite, window);
    return suite;
}
