#include "common/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/unit/suites.h"

START_TEST(the_monotonic_clock_never_goes_back)
{
    uint64_t last = clock_ns();

    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_ns();
        ck_assert_uint_ge(now, last);
        last = now;
    }
}
END_TEST

START_TEST(all_units_show_one_clock)
{
    uint64_t before_ns = clock_ns();
    uint64_t us = clock_us();
    uint64_t ms = clock_ms();
    uint64_t after_ns = clock_ns();

    ck_assert_uint_ge(us, before_ns / 1000);
    ck_assert_uint_le(us, after_ns / 1000);
    ck_assert_uint_ge(ms, before_ns / 1000000);
    ck_assert_uint_le(ms, after_ns / 1000000);
}
END_TEST

START_TEST(the_wall_clock_is_the_system_clock)
{
    uint64_t before_s = (uint64_t)time(NULL);
    uint64_t wall_ms = clock_wall_ms();

    /* time() may read a coarser clock, which lags by a tick of the kernel. */
    ck_assert_uint_ge(wall_ms / 1000 + 1, before_s);
    ck_assert_uint_le(wall_ms / 1000, before_s + 60);
}
END_TEST

START_TEST(stamps_of_known_moments)
{
    static const struct {
        uint64_t wall_ms;
        const char *stamp;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1, "1970-01-01T00:00:00.001Z" },
        { 951782399999, "2000-02-28T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 951868800000, "2000-03-01T00:00:00.000Z" },
        { 1772366400250, "2026-03-01T12:00:00.250Z" },
        { 2147483648000, "2038-01-19T03:14:08.000Z" },
        { 4107542399999, "2100-02-28T23:59:59.999Z" },
        { 4107542400000, "2100-03-01T00:00:00.000Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
        { 253402300800000, "9999-12-31T23:59:59.999Z" },
        { UINT64_MAX, "9999-12-31T23:59:59.999Z" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char stamp[CLOCK_STAMP_SIZE];
        clock_stamp(cases[i].wall_ms, stamp);
        ck_assert_str_eq(stamp, cases[i].stamp);
    }
}
END_TEST

/* gmtime_r as the second opinion: every day of five centuries, each at another time of day. */
START_TEST(stamps_of_every_day_of_five_centuries)
{
    for (uint64_t day = 0; day < 183000; day++) {
        uint64_t wall_ms = day * 86400000 + day * 7919 % 86400000;
        time_t wall_s = (time_t)(wall_ms / 1000);
        struct tm tm;
        char expected[CLOCK_STAMP_SIZE + 40];
        char stamp[CLOCK_STAMP_SIZE];

        gmtime_r(&wall_s, &tm);
        (void)snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
                       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(wall_ms % 1000));
        clock_stamp(wall_ms, stamp);
        if (strcmp(stamp, expected) != 0)
            ck_abort_msg("%s, not %s", stamp, expected);
    }
}
END_TEST

Suite *clock_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tcase = tcase_create("clock");

    tcase_add_test(tcase, the_monotonic_clock_never_goes_back);
    tcase_add_test(tcase, all_units_show_one_clock);
    tcase_add_test(tcase, the_wall_clock_is_the_system_clock);
    tcase_add_test(tcase, stamps_of_known_moments);
    tcase_add_test(tcase, stamps_of_every_day_of_five_centuries);
    suite_add_tcase(suite, tcase);
    return suite;
}
