#include "common/pool.h"

#include <string.h>

#include "common/random.h"
#include "tests/unit/suites.h"

enum { CAPACITY = 130 }; /* two words of bits and a bit */

static struct pool pool;

static void setup(void)
{
    ck_assert_int_eq(pool_init(&pool, sizeof(uint64_t), CAPACITY), 0);
}

static void teardown(void)
{
    pool_fini(&pool);
}

static struct pool_ref take(void)
{
    struct pool_ref ref;

    ck_assert_ptr_nonnull(pool_take(&pool, &ref));
    return ref;
}

static void take_all(void)
{
    while (pool.count < CAPACITY)
        take();
}

START_TEST(the_lowest_free_index_is_taken_first)
{
    for (uint32_t index = 0; index < CAPACITY; index++)
        ck_assert_uint_eq(take().index, index);
    pool_release(&pool, pool_ref_at(&pool, 129));
    pool_release(&pool, pool_ref_at(&pool, 64));
    pool_release(&pool, pool_ref_at(&pool, 3));
    pool_release(&pool, pool_ref_at(&pool, 63));
    ck_assert_uint_eq(take().index, 3);
    ck_assert_uint_eq(take().index, 63);
    ck_assert_uint_eq(take().index, 64);
    ck_assert_uint_eq(take().index, 129);
}
END_TEST

START_TEST(a_full_pool_refuses_and_keeps_what_it_has)
{
    struct pool_ref ref = { 1, 1 };

    take_all();
    ck_assert_ptr_null(pool_take(&pool, &ref));
    ck_assert_uint_eq(ref.index, 0);
    ck_assert_uint_eq(ref.generation, 0);
    ck_assert_uint_eq(pool.count, CAPACITY);
    pool_release(&pool, pool_ref_at(&pool, 100));
    ck_assert_uint_eq(take().index, 100);
    ck_assert_ptr_null(pool_take(&pool, &ref));
}
END_TEST

START_TEST(an_old_reference_finds_nothing)
{
    struct pool_ref old = take();

    ck_assert_ptr_nonnull(pool_get(&pool, old));
    pool_release(&pool, old);
    ck_assert_ptr_null(pool_get(&pool, old));

    struct pool_ref new = take();
    ck_assert_uint_eq(new.index, old.index);
    ck_assert_uint_ne(new.generation, old.generation);
    ck_assert_ptr_null(pool_get(&pool, old));
    ck_assert_ptr_nonnull(pool_get(&pool, new));
}
END_TEST

START_TEST(generations_go_on_across_the_wrap_without_zero)
{
    pool.generations[0] = UINT32_MAX - 1;

    struct pool_ref last = take();
    ck_assert_uint_eq(last.generation, UINT32_MAX);
    pool_release(&pool, last);
    struct pool_ref first = take();
    ck_assert_uint_eq(first.generation, 1);
    ck_assert_ptr_null(pool_get(&pool, last));
}
END_TEST

START_TEST(any_numbers_may_be_asked_for)
{
    static const uint32_t indices[] = { 0, 1, 127, 128, CAPACITY - 1, CAPACITY, CAPACITY + 64, UINT32_MAX };

    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        ck_assert_ptr_null(pool_get(&pool, (struct pool_ref){ indices[i], 0 }));
        ck_assert_ptr_null(pool_get(&pool, (struct pool_ref){ indices[i], 1 }));
        ck_assert_ptr_null(pool_at(&pool, indices[i]));
        ck_assert_uint_eq(pool_next(&pool, indices[i]), POOL_END);
    }
    take_all();
    ck_assert_ptr_null(pool_get(&pool, (struct pool_ref){ 0 }));
    ck_assert_ptr_null(pool_get(&pool, (struct pool_ref){ CAPACITY, 1 }));
    ck_assert_ptr_null(pool_at(&pool, CAPACITY));
}
END_TEST

START_TEST(each_slot_has_memory_of_its_own)
{
    for (uint64_t i = 0; i < CAPACITY; i++) {
        struct pool_ref ref;
        uint64_t *item = pool_take(&pool, &ref);
        *item = i;
    }
    for (uint32_t i = 0; i < CAPACITY; i++)
        ck_assert_uint_eq(*(uint64_t *)pool_at(&pool, i), i);
}
END_TEST

START_TEST(a_taken_item_is_zeroed)
{
    struct pool_ref ref;
    uint64_t *item = pool_take(&pool, &ref);

    ck_assert_uint_eq(*item, 0);
    *item = UINT64_MAX;
    pool_release(&pool, ref);
    item = pool_take(&pool, &ref);
    ck_assert_uint_eq(*item, 0);
}
END_TEST

START_TEST(a_walk_meets_the_taken_in_order)
{
    static const uint32_t kept[] = { 0, 5, 63, 64, 127, 128, 129 };
    size_t met = 0;

    ck_assert_uint_eq(pool_next(&pool, 0), POOL_END);
    take_all();
    for (uint32_t i = 0, k = 0; i < CAPACITY; i++) {
        if (i == kept[k])
            k++;
        else
            pool_release(&pool, pool_ref_at(&pool, i));
    }
    for (uint32_t i = pool_next(&pool, 0); i != POOL_END; i = pool_next(&pool, i + 1))
        ck_assert_uint_eq(i, kept[met++]);
    ck_assert_uint_eq(met, sizeof kept / sizeof kept[0]);
}
END_TEST

START_TEST(a_walk_may_release_what_it_stands_on)
{
    uint32_t met = 0;

    take_all();
    for (uint32_t i = pool_next(&pool, 0); i != POOL_END; i = pool_next(&pool, i + 1)) {
        pool_release(&pool, pool_ref_at(&pool, i));
        met++;
    }
    ck_assert_uint_eq(met, CAPACITY);
    ck_assert_uint_eq(pool.count, 0);
}
END_TEST

/* A table of bools that is searched from the start is the second opinion. */
START_TEST(a_long_life_of_takes_and_releases)
{
    bool taken[CAPACITY] = { false };
    struct rng rng;

    rng_init_seeded(&rng, 1);
    for (int step = 0; step < 20000; step++) {
        uint32_t index = (uint32_t)rng_below(&rng, CAPACITY);
        struct pool_ref ref;

        if (rng_chance(&rng, step / 5000 % 2 == 0 ? 0.6 : 0.4)) {
            bool *lowest = memchr(taken, 0, sizeof taken);
            void *item = pool_take(&pool, &ref);
            if ((item != NULL) != (lowest != NULL) || (lowest != NULL && ref.index != lowest - taken))
                ck_abort_msg("step %d took %u", step, ref.index);
            if (lowest != NULL)
                *lowest = true;
        } else if (taken[index]) {
            pool_release(&pool, pool_ref_at(&pool, index));
            taken[index] = false;
        }
        if ((pool_at(&pool, index) != NULL) != taken[index])
            ck_abort_msg("step %d index %u", step, index);
    }
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
START_TEST(without_memory_a_pool_is_full_and_empty)
{
    struct pool none;
    struct pool_ref ref;

    ck_assert_int_eq(pool_init(&none, SIZE_MAX / 2, 4), -1);
    ck_assert_ptr_null(pool_take(&none, &ref));
    ck_assert_ptr_null(pool_at(&none, 0));
    ck_assert_uint_eq(pool_next(&none, 0), POOL_END);
    pool_fini(&none);
}
END_TEST
#endif

Suite *pool_suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *tcase = tcase_create("pool");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_lowest_free_index_is_taken_first);
    tcase_add_test(tcase, a_full_pool_refuses_and_keeps_what_it_has);
    tcase_add_test(tcase, an_old_reference_finds_nothing);
    tcase_add_test(tcase, generations_go_on_across_the_wrap_without_zero);
    tcase_add_test(tcase, any_numbers_may_be_asked_for);
    tcase_add_test(tcase, each_slot_has_memory_of_its_own);
    tcase_add_test(tcase, a_taken_item_is_zeroed);
    tcase_add_test(tcase, a_walk_meets_the_taken_in_order);
    tcase_add_test(tcase, a_walk_may_release_what_it_stands_on);
    tcase_add_test(tcase, a_long_life_of_takes_and_releases);
#if MALLOC_MAY_FAIL
    tcase_add_test(tcase, without_memory_a_pool_is_full_and_empty);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
