#include "shard/idmap.h"

#include <stdlib.h>

#include "common/random.h"
#include "tests/unit/suites.h"

enum { CAPACITY = 100 };

static struct idmap map;

static void setup(void)
{
    ck_assert_int_eq(idmap_init(&map, CAPACITY), 0);
}

static void teardown(void)
{
    idmap_fini(&map);
}

START_TEST(any_id_can_be_put_and_found_and_removed)
{
    static const uint32_t ids[] = { 0, 1, 0x80000000, UINT32_MAX };

    for (uint32_t i = 0; i < 4; i++)
        idmap_put(&map, ids[i], i);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(idmap_get(&map, ids[i]), i);
    ck_assert_uint_eq(idmap_get(&map, 2), IDMAP_NONE);
    idmap_remove(&map, 0);
    idmap_remove(&map, 2);
    ck_assert_uint_eq(idmap_get(&map, 0), IDMAP_NONE);
    ck_assert_uint_eq(map.count, 3);
}
END_TEST

START_TEST(a_full_map_finds_all_of_its_ids)
{
    for (uint32_t i = 0; i < CAPACITY; i++)
        idmap_put(&map, i * 16, i);
    for (uint32_t i = 0; i < CAPACITY; i++)
        ck_assert_uint_eq(idmap_get(&map, i * 16), i);
    ck_assert_uint_eq(idmap_get(&map, 5), IDMAP_NONE);
}
END_TEST

START_TEST(removing_leaves_no_gap_in_front_of_others)
{
    uint32_t held[CAPACITY] = { 0 };
    struct rng rng;

    rng_init_seeded(&rng, 3);
    for (int round = 0; round < 20000; round++) {
        uint32_t index = (uint32_t)rng_below(&rng, CAPACITY);

        if (held[index] != 0) {
            idmap_remove(&map, held[index]);
            held[index] = 0;
        } else {
            held[index] = 1 + index + CAPACITY * (uint32_t)rng_below(&rng, 50);
            idmap_put(&map, held[index], index);
        }
        if (round % 100 != 0)
            continue;
        for (uint32_t i = 0; i < CAPACITY; i++)
            if (held[i] != 0 && idmap_get(&map, held[i]) != i)
                ck_abort_msg("round %d: %u is lost", round, held[i]);
    }
}
END_TEST

Suite *idmap_suite(void)
{
    Suite *suite = suite_create("idmap");
    TCase *tcase = tcase_create("idmap");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, any_id_can_be_put_and_found_and_removed);
    tcase_add_test(tcase, a_full_map_finds_all_of_its_ids);
    tcase_add_test(tcase, removing_leaves_no_gap_in_front_of_others);
    suite_add_tcase(suite, tcase);
    return suite;
}
