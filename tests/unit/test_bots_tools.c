#include <math.h>

#include "bots/ids.h"
#include "bots/latency.h"
#include "bots/places.h"
#include "tests/unit/suites.h"

/* ---- ids */

START_TEST(ids_are_found_however_many_there_are)
{
    struct ids ids = { 0 };

    ck_assert_uint_eq(ids_get(&ids, 1), IDS_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        ids_put(&ids, i * 4096, i);
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(ids_get(&ids, i * 4096), i);
    ck_assert_uint_eq(ids_get(&ids, 1), IDS_NONE);
    ids_clear(&ids);
    ck_assert_uint_eq(ids_get(&ids, 4096), IDS_NONE);
    ids_put(&ids, UINT32_MAX, 5);
    ck_assert_uint_eq(ids_get(&ids, UINT32_MAX), 5);
    ids_fini(&ids);
}
END_TEST

/* ---- latency */

START_TEST(without_samples_there_is_no_latency)
{
    static struct latency latency;

    ck_assert_uint_eq(latency_quantile_us(&latency, 0.99), 0);
}
END_TEST

START_TEST(quantiles_are_near_the_truth)
{
    static struct latency latency;

    for (uint64_t us = 1; us <= 100000; us++)
        latency_add(&latency, us);
    ck_assert_uint_ge(latency_quantile_us(&latency, 0.5), 50000);
    ck_assert_uint_le(latency_quantile_us(&latency, 0.5), 50000 + 50000 / 64);
    ck_assert_uint_ge(latency_quantile_us(&latency, 0.99), 99000);
    ck_assert_uint_le(latency_quantile_us(&latency, 0.99), 100000);
    ck_assert_uint_eq(latency_quantile_us(&latency, 1.0), 100000);
    ck_assert_uint_eq(latency.max_us, 100000);
}
END_TEST

START_TEST(short_times_are_exact_and_long_ones_have_a_place)
{
    static struct latency latency;

    latency_add(&latency, 0);
    latency_add(&latency, 127);
    ck_assert_uint_eq(latency_quantile_us(&latency, 0.5), 0);
    ck_assert_uint_eq(latency_quantile_us(&latency, 1.0), 127);
    latency_add(&latency, UINT64_MAX);
    ck_assert_uint_eq(latency.max_us, UINT64_MAX);
    ck_assert_uint_gt(latency_quantile_us(&latency, 1.0), UINT64_C(3600) * 1000 * 1000);
}
END_TEST

/* ---- places */

enum { COUNT = 500 };

static double mean_neighbours(float radius, uint32_t count)
{
    static float places[COUNT][3];
    const float center[3] = { 100, -50, 3 };
    uint64_t pairs = 0;

    for (uint32_t i = 0; i < count; i++)
        places_on_disc(center, radius, count, i, places[i]);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++)
            pairs +=
                i != j && hypotf(places[i][0] - places[j][0], places[i][1] - places[j][1]) <= PLACES_RANGE_M;
    }
    return (double)pairs / count;
}

START_TEST(each_place_sees_as_many_others_as_asked_for)
{
    static const uint32_t wanted[] = { 5, 30, 100, 300 };

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        double found = mean_neighbours(places_radius_m(COUNT, wanted[i]), COUNT);

        ck_assert_double_ge(found, wanted[i] * 0.93);
        ck_assert_double_le(found, wanted[i] * 1.07);
    }
}
END_TEST

START_TEST(few_enough_are_all_together)
{
    ck_assert_double_eq(mean_neighbours(places_radius_m(20, 30), 20), 19);
    ck_assert_float_eq(places_radius_m(1, 30), PLACES_CLUSTER_M);
}
END_TEST

START_TEST(places_stay_within_the_world)
{
    const float corner[3] = { 5990, -5990, 3 };

    for (uint32_t i = 0; i < COUNT; i++) {
        float place[3];

        places_on_disc(corner, 2000, COUNT, i, place);
        ck_assert_float_le(fabsf(place[0]), PLACES_WORLD_M);
        ck_assert_float_le(fabsf(place[1]), PLACES_WORLD_M);
    }
}
END_TEST

START_TEST(a_cluster_is_small)
{
    const float center[3] = { 5, 6, 7 };
    struct rng rng;

    rng_init_seeded(&rng, 1);
    for (int i = 0; i < 1000; i++) {
        float place[3];

        places_in_cluster(&rng, center, place);
        ck_assert_float_le(hypotf(place[0] - 5, place[1] - 6), PLACES_CLUSTER_M + 0.01f);
        ck_assert_float_eq(place[2], 7);
    }
}
END_TEST

Suite *bots_tools_suite(void)
{
    Suite *suite = suite_create("bots_tools");
    TCase *all = tcase_create("all");

    tcase_add_test(all, ids_are_found_however_many_there_are);
    tcase_add_test(all, without_samples_there_is_no_latency);
    tcase_add_test(all, quantiles_are_near_the_truth);
    tcase_add_test(all, short_times_are_exact_and_long_ones_have_a_place);
    tcase_add_test(all, each_place_sees_as_many_others_as_asked_for);
    tcase_add_test(all, few_enough_are_all_together);
    tcase_add_test(all, places_stay_within_the_world);
    tcase_add_test(all, a_cluster_is_small);
    suite_add_tcase(suite, all);
    return suite;
}
