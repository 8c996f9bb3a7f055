#include "gateway/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/suites.h"

static struct limits limits;
static struct sources sources;
static struct rng rng;

static void setup(void)
{
    limits_init(&limits);
    rng_init_seeded(&rng, 1);
    ck_assert_int_eq(sources_init(&sources, &rng), 0);
}

static void teardown(void)
{
    sources_fini(&sources);
}

static struct address address(const char *text)
{
    struct address parsed;

    ck_assert(address_parse(&parsed, text, 5000));
    return parsed;
}

/* How many of `asked` at one moment pass. */
static uint32_t pass(struct limit_bucket *bucket, const struct limit_rule *rule, uint64_t now_ms,
                     uint32_t asked)
{
    uint32_t passed = 0;

    for (uint32_t i = 0; i < asked; i++)
        passed += limit_bucket_take(bucket, rule, now_ms) == LIMIT_PASSED;
    return passed;
}

static uint32_t pass_source(const char *from, enum limit limit, uint64_t now_ms, uint32_t asked)
{
    const struct address at = address(from);
    uint32_t passed = 0;

    for (uint32_t i = 0; i < asked; i++)
        passed += sources_take(&sources, &limits.rules[limit], &at, now_ms) == LIMIT_PASSED;
    return passed;
}

/* The page's table. */
static const struct {
    enum limit limit;
    uint32_t rate;
    uint32_t burst;
} rows[] = {
    { LIMIT_DATAGRAMS, 400, 200 }, { LIMIT_PLAYER_SYNC, 40, 20 },    { LIMIT_VEHICLE_FRAME, 125, 63 },
    { LIMIT_SHOTS, 80, 40 },       { LIMIT_DAMAGE_REPORT, 100, 50 }, { LIMIT_RELIABLE, 60, 60 },
    { LIMIT_ACKS, 150, 150 },      { LIMIT_HELLO, 10, 20 },          { LIMIT_QUERY, 5, 10 },
};

START_TEST(each_row_lets_its_burst_through_and_no_more)
{
    struct limit_bucket bucket;
    const struct limit_rule *rule = &limits.rules[rows[_i].limit];

    limit_bucket_fill(&bucket, rule, 1000);
    ck_assert_uint_eq(pass(&bucket, rule, 1000, 1000), rows[_i].burst);
}
END_TEST

START_TEST(each_row_gives_back_its_rate)
{
    struct limit_bucket bucket;
    const struct limit_rule *rule = &limits.rules[rows[_i].limit];
    uint32_t passed = 0;

    limit_bucket_fill(&bucket, rule, 0);
    (void)pass(&bucket, rule, 0, 1000);
    for (uint64_t now_ms = 1; now_ms <= 10000; now_ms++)
        passed += pass(&bucket, rule, now_ms, 10);
    ck_assert_uint_eq(passed, rows[_i].rate * 10);
}
END_TEST

START_TEST(a_long_silence_fills_the_bucket_no_further_than_its_burst)
{
    struct limit_bucket bucket;
    const struct limit_rule *rule = &limits.rules[rows[_i].limit];

    limit_bucket_fill(&bucket, rule, 0);
    (void)pass(&bucket, rule, 0, 1000);
    ck_assert_uint_eq(pass(&bucket, rule, UINT64_MAX / 2, 1000), rows[_i].burst);
}
END_TEST

START_TEST(a_token_comes_back_at_its_millisecond)
{
    struct limit_bucket bucket;
    const struct limit_rule *rule = &limits.rules[LIMIT_PLAYER_SYNC]; /* one in 25 ms */

    limit_bucket_fill(&bucket, rule, 0);
    (void)pass(&bucket, rule, 0, 20);
    ck_assert_uint_eq(pass(&bucket, rule, 24, 1), 0);
    ck_assert_uint_eq(pass(&bucket, rule, 25, 2), 1);
}
END_TEST

START_TEST(an_observed_limit_lets_everything_through_and_says_so)
{
    struct limit_bucket bucket;
    struct limit_rule *rule = &limits.rules[LIMIT_PLAYER_SYNC];

    ck_assert(limits_set(&limits, "player_sync", 40, 20, "observe"));
    limit_bucket_fill(&bucket, rule, 0);
    ck_assert_uint_eq(pass(&bucket, rule, 0, 20), 20);
    ck_assert_int_eq(limit_bucket_take(&bucket, rule, 0), LIMIT_OBSERVED);
}
END_TEST

START_TEST(a_limit_that_is_off_lets_everything_through)
{
    struct limit_bucket bucket;
    struct limit_rule *rule = &limits.rules[LIMIT_PLAYER_SYNC];

    ck_assert(limits_set(&limits, "player_sync", 40, 20, "off"));
    limit_bucket_fill(&bucket, rule, 0);
    ck_assert_uint_eq(pass(&bucket, rule, 0, 1000), 1000);
}
END_TEST

START_TEST(every_limit_has_a_name_to_set_it_by)
{
    for (int i = 0; i < LIMITS; i++) {
        ck_assert(limits_set(&limits, limit_name((enum limit)i), 1.5, 2, "observe"));
        ck_assert_uint_eq(limits.rules[i].rate_micro_per_ms, 1500);
        ck_assert_uint_eq(limits.rules[i].burst_micro, 2000000);
        ck_assert_int_eq(limits.rules[i].mode, LIMIT_OBSERVE);
    }
}
END_TEST

START_TEST(what_is_no_limit_is_refused)
{
    struct limits before = limits;

    ck_assert(!limits_set(&limits, "jumps", 1, 1, "enforce"));
    ck_assert(!limits_set(&limits, "shots", 1, 1, "perhaps"));
    ck_assert(!limits_set(&limits, "shots", -1, 1, "enforce"));
    ck_assert(!limits_set(&limits, "shots", 1, NAN, "enforce"));
    ck_assert(!limits_set(&limits, "shots", INFINITY, 1, "enforce"));
    ck_assert(!limits_set(&limits, "shots", 1e9, 1, "enforce"));
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a copy has the same bytes, padding too */
    ck_assert_int_eq(memcmp(&before, &limits, sizeof limits), 0);
}
END_TEST

START_TEST(a_smaller_burst_holds_at_once)
{
    struct limit_bucket bucket;

    limit_bucket_fill(&bucket, &limits.rules[LIMIT_SHOTS], 0);
    ck_assert(limits_set(&limits, "shots", 80, 5, "enforce"));
    ck_assert_uint_eq(pass(&bucket, &limits.rules[LIMIT_SHOTS], 100, 100), 5);
}
END_TEST

/* ---- floods */

/* Sends so many datagrams a second, evenly, for so long; true when they were called a flood. */
static bool floods(struct flood *flood, uint32_t per_second, uint64_t from_ms, uint64_t for_ms)
{
    uint64_t sent = 0;

    for (uint64_t ms = 0; ms < for_ms; ms++) {
        for (; sent * 1000 < (ms + 1) * per_second; sent++) {
            if (flood_count(flood, &limits.rules[LIMIT_DATAGRAMS], from_ms + ms))
                return true;
        }
    }
    return false;
}

START_TEST(ten_times_the_limit_is_no_flood_and_more_for_5_s_is)
{
    struct flood flood = { 0 };
    struct flood worse = { 0 };

    ck_assert(!floods(&flood, 4000, 100000, 10000));
    ck_assert(floods(&worse, 4010, 100000, 6010));
}
END_TEST

START_TEST(four_seconds_above_ten_times_the_limit_are_no_flood)
{
    struct flood flood = { 0 };

    for (uint64_t start_ms = 100000; start_ms < 160000; start_ms += 6000)
        ck_assert(!floods(&flood, 5000, start_ms, 4000));
}
END_TEST

START_TEST(a_limit_that_is_not_enforced_kicks_nobody)
{
    struct flood flood = { 0 };

    ck_assert(limits_set(&limits, "datagrams", 400, 200, "observe"));
    ck_assert(!floods(&flood, 8000, 100000, 10000));
}
END_TEST

/* ---- addresses */

START_TEST(each_address_has_a_bucket_of_its_own)
{
    ck_assert_uint_eq(pass_source("192.0.2.1", LIMIT_HELLO, 0, 30), 20);
    ck_assert_uint_eq(pass_source("192.0.2.2", LIMIT_HELLO, 0, 30), 20);
    ck_assert_uint_eq(pass_source("192.0.2.1", LIMIT_HELLO, 1000, 30), 10);
}
END_TEST

START_TEST(the_port_does_not_count)
{
    struct address from = address("192.0.2.1");

    (void)pass_source("192.0.2.1", LIMIT_HELLO, 0, 20);
    from.port = 6000;
    ck_assert_int_eq(sources_take(&sources, &limits.rules[LIMIT_HELLO], &from, 0), LIMIT_OVER);
}
END_TEST

START_TEST(an_ipv6_address_counts_with_its_64)
{
    ck_assert_uint_eq(pass_source("2001:db8:0:1::1", LIMIT_HELLO, 0, 30), 20);
    ck_assert_uint_eq(pass_source("2001:db8:0:1:ffff::2", LIMIT_HELLO, 0, 30), 0);
    ck_assert_uint_eq(pass_source("2001:db8:0:2::1", LIMIT_HELLO, 0, 30), 20);
}
END_TEST

START_TEST(an_active_address_is_not_forgotten_for_quiet_ones)
{
    uint32_t passed = pass_source("192.0.2.1", LIMIT_QUERY, 0, 100);

    for (uint32_t i = 0; i < 20000; i++) {
        char text[32];

        (void)snprintf(text, sizeof text, "10.%u.%u.%u", i >> 16 & 0xFF, i >> 8 & 0xFF, i & 0xFF);
        (void)pass_source(text, LIMIT_QUERY, 1 + i / 20, 1);
        if (i % 20 == 0)
            passed += pass_source("192.0.2.1", LIMIT_QUERY, 1 + i / 20, 1);
    }
    ck_assert_uint_eq(passed, 10 + 5);
}
END_TEST

/* ---- the whole gateway */

START_TEST(a_budget_is_per_second)
{
    struct budget budget = { 0 };
    uint32_t passed = 0;

    for (uint32_t i = 0; i < 3000; i++)
        passed += budget_take(&budget, &limits.rules[LIMIT_QUERIES], 5000) == LIMIT_PASSED;
    ck_assert_uint_eq(passed, 1000);
    ck_assert_int_eq(budget_take(&budget, &limits.rules[LIMIT_QUERIES], 5999), LIMIT_OVER);
    ck_assert_int_eq(budget_take(&budget, &limits.rules[LIMIT_QUERIES], 6000), LIMIT_PASSED);
}
END_TEST

START_TEST(challenges_below_the_budget_are_all_answered)
{
    struct budget budget = { 0 };

    for (uint64_t ms = 0; ms < 5000; ms++) {
        for (int i = 0; i < 20; i++)
            ck_assert_int_eq(budget_take_share(&budget, &limits.rules[LIMIT_CHALLENGES], 10000 + ms, &rng),
                             LIMIT_PASSED);
    }
}
END_TEST

START_TEST(a_flood_of_hellos_leaves_an_honest_one_its_chance_at_every_moment)
{
    struct budget budget = { 0 };
    uint32_t passed_by_tenth[10] = { 0 };
    uint32_t passed = 0;

    for (uint64_t ms = 0; ms < 3000; ms++) {
        for (int i = 0; i < 100; i++) {
            bool answered =
                budget_take_share(&budget, &limits.rules[LIMIT_CHALLENGES], 10000 + ms, &rng) == LIMIT_PASSED;

            if (ms >= 2000) {
                passed += answered;
                passed_by_tenth[(ms - 2000) / 100] += answered;
            }
        }
    }
    ck_assert_uint_le(passed, 20000);
    ck_assert_uint_gt(passed, 19000);
    for (int i = 0; i < 10; i++)
        ck_assert_uint_gt(passed_by_tenth[i], 1000);
}
END_TEST

Suite *limits_suite(void)
{
    Suite *suite = suite_create("limits");
    TCase *buckets = tcase_create("buckets");
    TCase *gateway = tcase_create("addresses and the gateway");
    int rows_count = sizeof rows / sizeof rows[0];

    tcase_add_checked_fixture(buckets, setup, teardown);
    tcase_add_loop_test(buckets, each_row_lets_its_burst_through_and_no_more, 0, rows_count);
    tcase_add_loop_test(buckets, each_row_gives_back_its_rate, 0, rows_count);
    tcase_add_loop_test(buckets, a_long_silence_fills_the_bucket_no_further_than_its_burst, 0, rows_count);
    tcase_add_test(buckets, a_token_comes_back_at_its_millisecond);
    tcase_add_test(buckets, an_observed_limit_lets_everything_through_and_says_so);
    tcase_add_test(buckets, a_limit_that_is_off_lets_everything_through);
    tcase_add_test(buckets, every_limit_has_a_name_to_set_it_by);
    tcase_add_test(buckets, what_is_no_limit_is_refused);
    tcase_add_test(buckets, a_smaller_burst_holds_at_once);
    tcase_add_test(buckets, ten_times_the_limit_is_no_flood_and_more_for_5_s_is);
    tcase_add_test(buckets, four_seconds_above_ten_times_the_limit_are_no_flood);
    tcase_add_test(buckets, a_limit_that_is_not_enforced_kicks_nobody);
    suite_add_tcase(suite, buckets);
    tcase_add_checked_fixture(gateway, setup, teardown);
    tcase_add_test(gateway, each_address_has_a_bucket_of_its_own);
    tcase_add_test(gateway, the_port_does_not_count);
    tcase_add_test(gateway, an_ipv6_address_counts_with_its_64);
    tcase_add_test(gateway, an_active_address_is_not_forgotten_for_quiet_ones);
    tcase_add_test(gateway, a_budget_is_per_second);
    tcase_add_test(gateway, challenges_below_the_budget_are_all_answered);
    tcase_add_test(gateway, a_flood_of_hellos_leaves_an_honest_one_its_chance_at_every_moment);
    suite_add_tcase(suite, gateway);
    return suite;
}
