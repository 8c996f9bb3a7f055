#include "coordinator/table.h"

#include <stdlib.h>

#include "common/random.h"
#include "tests/unit/suites.h"

enum { ITEMS = 3000 };

static struct table table;
static uint32_t items[ITEMS];

static bool is_called(const void *item, const void *key)
{
    return *(const uint32_t *)item == *(const uint32_t *)key;
}

static void setup(void)
{
    table_init(&table, is_called);
    for (uint32_t i = 0; i < ITEMS; i++)
        items[i] = i;
}

static void teardown(void)
{
    table_fini(&table);
}

static void put(uint32_t item)
{
    ck_assert(table_put(&table, &items[item], sizeof items[item], &items[item]));
}

static bool has(uint32_t item)
{
    return table_find(&table, &item, sizeof item) == &items[item];
}

START_TEST(an_empty_table_has_nothing)
{
    uint32_t at = 0;

    ck_assert(!has(1));
    ck_assert_ptr_null(table_next(&table, &at));
}
END_TEST

START_TEST(what_was_put_is_found_until_it_is_removed)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        put(i);
    ck_assert_uint_eq(table.count, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i += 2)
        table_remove(&table, &items[i], sizeof items[i]);
    for (uint32_t i = 0; i < ITEMS; i++)
        ck_assert(has(i) == (i % 2 == 1));
}
END_TEST

START_TEST(every_item_is_met_once)
{
    bool met[ITEMS] = { false };
    const uint32_t *item;
    uint32_t count = 0;

    for (uint32_t i = 0; i < ITEMS; i++)
        put(i);
    for (uint32_t at = 0; (item = table_next(&table, &at)) != NULL; at++) {
        ck_assert(!met[*item]);
        met[*item] = true;
        count++;
    }
    ck_assert_uint_eq(count, ITEMS);
}
END_TEST

/* Removing moves others up: none of them may be missed. */
START_TEST(all_can_be_removed_on_the_way)
{
    const uint32_t *item;
    uint32_t at = 0;

    for (uint32_t i = 0; i < ITEMS; i++)
        put(i);
    while ((item = table_next(&table, &at)) != NULL) {
        if (*item % 3 == 0)
            at++;
        else
            table_remove(&table, item, sizeof *item);
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        ck_assert(has(i) == (i % 3 == 0));
}
END_TEST

START_TEST(whatever_comes_and_goes_the_table_knows)
{
    bool is_in[ITEMS] = { false };
    struct rng rng;

    rng_init_seeded(&rng, 11);
    for (int i = 0; i < 100000; i++) {
        uint32_t item = (uint32_t)rng_below(&rng, ITEMS);

        ck_assert(has(item) == is_in[item]);
        if (is_in[item])
            table_remove(&table, &items[item], sizeof items[item]);
        else
            put(item);
        is_in[item] = !is_in[item];
    }
}
END_TEST

Suite *coordinator_table_suite(void)
{
    Suite *suite = suite_create("coordinator_table");
    TCase *tcase = tcase_create("table");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_empty_table_has_nothing);
    tcase_add_test(tcase, what_was_put_is_found_until_it_is_removed);
    tcase_add_test(tcase, every_item_is_met_once);
    tcase_add_test(tcase, all_can_be_removed_on_the_way);
    tcase_add_test(tcase, whatever_comes_and_goes_the_table_knows);
    suite_add_tcase(suite, tcase);
    return suite;
}
