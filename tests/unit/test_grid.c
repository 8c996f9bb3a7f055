#include "shard/grid.h"

#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "shard/geometry.h"
#include "tests/unit/suites.h"

enum { POINTS = 300 };

static struct grid grid;
static struct grid_hit hits[POINTS];
static const struct scope here = { 0 };

static void setup(void)
{
    ck_assert_int_eq(grid_init(&grid, POINTS), 0);
}

static void teardown(void)
{
    grid_fini(&grid);
}

static void put(uint32_t index, float x, float y, float z)
{
    grid_put(&grid, index, here, (float[3]){ x, y, z });
}

static size_t near(float x, float y, float z, float range)
{
    return grid_near(&grid, here, (float[3]){ x, y, z }, range, hits);
}

START_TEST(a_point_is_found_at_exactly_the_range_and_not_past_it)
{
    put(1, 200, 0, 0);
    ck_assert_uint_eq(near(0, 0, 0, 200), 1);
    ck_assert_uint_eq(hits[0].index, 1);
    ck_assert_float_eq(hits[0].distance_squared, 40000);
    put(1, nextafterf(200, 300), 0, 0);
    ck_assert_uint_eq(near(0, 0, 0, 200), 0);
}
END_TEST

START_TEST(height_counts)
{
    put(1, 0, 0, 200);
    put(2, 0, 0, 201);
    ck_assert_uint_eq(near(0, 0, 0, 200), 1);
}
END_TEST

START_TEST(scopes_do_not_see_each_other)
{
    const struct scope others[] = { { .virtual_world = 1 },
                                    { .interior = 1 },
                                    { .virtual_world = 1U << 16 },
                                    { .virtual_world = UINT32_MAX, .interior = 255 } };

    for (uint32_t i = 0; i < 4; i++)
        grid_put(&grid, i, others[i], (float[3]){ 0, 0, 0 });
    ck_assert_uint_eq(near(0, 0, 0, 200), 0);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(grid_near(&grid, others[i], (float[3]){ 0, 0, 0 }, 200, hits), 1);
        ck_assert_uint_eq(hits[0].index, i);
    }
}
END_TEST

START_TEST(the_corners_of_the_world_are_cells_too)
{
    static const float corners[4][2] = { { -6000, -6000 }, { -6000, 6000 }, { 6000, -6000 }, { 6000, 6000 } };

    for (uint32_t i = 0; i < 4; i++)
        put(i, corners[i][0], corners[i][1], 0);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(near(corners[i][0], corners[i][1], 0, 200), 1);
        ck_assert_uint_eq(hits[0].index, i);
    }
}
END_TEST

START_TEST(a_removed_point_is_found_no_more)
{
    put(1, 0, 0, 0);
    put(2, 0, 0, 0);
    grid_remove(&grid, 1);
    grid_remove(&grid, 1);
    ck_assert(!grid_has(&grid, 1));
    ck_assert_uint_eq(near(0, 0, 0, 200), 1);
    ck_assert_uint_eq(hits[0].index, 2);
}
END_TEST

START_TEST(it_finds_what_a_search_of_everything_finds)
{
    float at[POINTS][3] = { 0 };
    bool there[POINTS] = { false };
    struct rng rng;

    rng_init_seeded(&rng, 7);
    for (int round = 0; round < 3000; round++) {
        uint32_t index = (uint32_t)rng_below(&rng, POINTS);

        if (rng_chance(&rng, 0.1)) {
            grid_remove(&grid, index);
            there[index] = false;
        } else {
            for (int axis = 0; axis < 3; axis++)
                at[index][axis] = (rng_unit(&rng) - 0.5f) * (axis == 2 ? 100 : 1500);
            put(index, at[index][0], at[index][1], at[index][2]);
            there[index] = true;
        }
        if (round % 10 != 0)
            continue;

        float from[3] = { (rng_unit(&rng) - 0.5f) * 1500, (rng_unit(&rng) - 0.5f) * 1500, 0 };
        size_t expected = 0;

        for (uint32_t i = 0; i < POINTS; i++)
            expected += there[i] && within(at[i], from, 200);
        if (near(from[0], from[1], from[2], 200) != expected)
            ck_abort_msg("round %d: not %zu", round, expected);
    }
}
END_TEST

Suite *grid_suite(void)
{
    Suite *suite = suite_create("grid");
    TCase *tcase = tcase_create("grid");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_point_is_found_at_exactly_the_range_and_not_past_it);
    tcase_add_test(tcase, height_counts);
    tcase_add_test(tcase, scopes_do_not_see_each_other);
    tcase_add_test(tcase, the_corners_of_the_world_are_cells_too);
    tcase_add_test(tcase, a_removed_point_is_found_no_more);
    tcase_add_test(tcase, it_finds_what_a_search_of_everything_finds);
    suite_add_tcase(suite, tcase);
    return suite;
}
