#include "common/arena.h"

#include <stdint.h>
#include <string.h>

#include "tests/unit/suites.h"

enum { BLOCK = 1024, LIMIT = 16 * 1024 };

static struct arena arena;

static void setup(void)
{
    arena_init(&arena, BLOCK, LIMIT);
}

static void teardown(void)
{
    arena_fini(&arena);
}

START_TEST(a_new_arena_holds_nothing)
{
    ck_assert_uint_eq(arena.held, 0);
    ck_assert_uint_eq(arena.taken, 0);
    arena_reset(&arena);
    ck_assert_uint_eq(arena.held, 0);
}
END_TEST

START_TEST(memory_is_writable_and_does_not_overlap)
{
    uint8_t *parts[100];

    for (size_t i = 0; i < 100; i++) {
        parts[i] = arena_alloc(&arena, i);
        ck_assert_ptr_nonnull(parts[i]);
        memset(parts[i], (int)i, i);
    }
    for (size_t i = 0; i < 100; i++) {
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_eq(parts[i][j], i);
    }
}
END_TEST

START_TEST(alignment_is_kept)
{
    for (size_t align = 1; align <= ARENA_ALIGN_MAX; align *= 2) {
        ck_assert_ptr_nonnull(arena_alloc(&arena, 3));
        void *at = arena_alloc_aligned(&arena, 5, align);
        ck_assert_ptr_nonnull(at);
        ck_assert_uint_eq((uintptr_t)at % align, 0);
        memset(at, 0xEE, 5);
    }
    for (size_t size = 1; size < 40; size++)
        ck_assert_uint_eq((uintptr_t)arena_alloc(&arena, size) % ARENA_ALIGN, 0);
}
END_TEST

START_TEST(the_limit_is_exact)
{
    for (size_t taken = 0; taken < LIMIT; taken += 256)
        ck_assert_ptr_nonnull(arena_alloc(&arena, 256));
    ck_assert_uint_eq(arena.taken, LIMIT);
    ck_assert_ptr_null(arena_alloc(&arena, 1));
    ck_assert_ptr_null(arena_alloc(&arena, 0));
    ck_assert_ptr_null(arena_alloc_zeroed(&arena, 1, 1));
    ck_assert_ptr_null(arena_copy(&arena, (struct span){ 0 }));
}
END_TEST

START_TEST(one_allocation_may_be_the_whole_limit)
{
    ck_assert_ptr_null(arena_alloc(&arena, LIMIT + 1));
    ck_assert_ptr_nonnull(arena_alloc(&arena, LIMIT));
    ck_assert_ptr_null(arena_alloc(&arena, 1));
}
END_TEST

START_TEST(a_refused_allocation_leaves_room_for_a_smaller_one)
{
    ck_assert_ptr_nonnull(arena_alloc(&arena, LIMIT - 64));
    ck_assert_ptr_null(arena_alloc(&arena, 65));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 64));
}
END_TEST

START_TEST(alignment_counts_against_the_limit)
{
    ck_assert_ptr_null(arena_alloc_aligned(&arena, LIMIT, 32));
    ck_assert_ptr_nonnull(arena_alloc_aligned(&arena, LIMIT - 16, 32));
    ck_assert_uint_eq(arena.taken, LIMIT);
}
END_TEST

START_TEST(sizes_that_would_wrap_are_refused)
{
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc_aligned(&arena, SIZE_MAX - 8, ARENA_ALIGN_MAX));
    ck_assert_ptr_null(arena_alloc_zeroed(&arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(arena_copy(&arena, (struct span){ .data = (const uint8_t *)"", .size = SIZE_MAX }));
    ck_assert_uint_eq(arena.taken, 0);
}
END_TEST

START_TEST(a_reset_gives_everything_back)
{
    for (int batch = 0; batch < 100; batch++) {
        ck_assert_ptr_nonnull(arena_alloc(&arena, LIMIT));
        ck_assert_ptr_null(arena_alloc(&arena, 1));
        arena_reset(&arena);
    }
    ck_assert_uint_eq(arena.taken, 0);
}
END_TEST

START_TEST(a_second_batch_like_the_first_needs_no_new_block)
{
    for (int i = 0; i < 10; i++)
        ck_assert_ptr_nonnull(arena_alloc(&arena, 600));
    arena_reset(&arena);

    struct arena_block *kept = arena.block;
    size_t held = arena.held;
    for (int i = 0; i < 10; i++)
        ck_assert_ptr_nonnull(arena_alloc(&arena, 600));
    ck_assert_ptr_eq(arena.block, kept);
    ck_assert_uint_eq(arena.held, held);
    arena_reset(&arena);
    ck_assert_ptr_eq(arena.block, kept);
}
END_TEST

/* Batches of any shape: what fits is decided by the batch alone, and what is held stays in bounds. */
START_TEST(earlier_batches_do_not_change_what_fits)
{
    static const size_t sizes[] = { 16, 5000, 48, 900, 1024, 3008, 1040, 16, 2048 };
    enum { SIZES = sizeof sizes / sizeof sizes[0] };

    for (size_t batch = 0; batch < 200; batch++) {
        size_t left = LIMIT;

        for (size_t i = 0; i < 40; i++) {
            size_t size = sizes[(batch * 7 + i * (batch % 5 + 1)) % SIZES];
            size_t cost = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
            void *at = arena_alloc(&arena, size);

            ck_assert((at != NULL) == (cost <= left));
            left -= at != NULL ? cost : 0;
            ck_assert_uint_lt(arena.held, 2 * LIMIT + BLOCK);
        }
        arena_reset(&arena);
        ck_assert_uint_le(arena.held, LIMIT);
    }
}
END_TEST

START_TEST(zeroed_memory_is_zero_after_reuse_too)
{
    memset(arena_alloc(&arena, 500), 0xEE, 500);
    arena_reset(&arena);

    uint8_t *at = arena_alloc_zeroed(&arena, 100, 5);
    for (size_t i = 0; i < 500; i++)
        ck_assert_uint_eq(at[i], 0);
    ck_assert_ptr_nonnull(arena_alloc_zeroed(&arena, 0, 5));
    ck_assert_ptr_nonnull(arena_alloc_zeroed(&arena, 5, 0));
}
END_TEST

START_TEST(a_copy_is_terminated)
{
    const char *copy = arena_copy(&arena, (struct span){ .data = (const uint8_t *)"shard-17", .size = 5 });

    ck_assert_str_eq(copy, "shard");
    ck_assert_str_eq(arena_copy(&arena, (struct span){ 0 }), "");
}
END_TEST

START_TEST(a_closed_arena_may_be_closed_again)
{
    ck_assert_ptr_nonnull(arena_alloc(&arena, 1));
    arena_fini(&arena);
    arena_fini(&arena);
    ck_assert_uint_eq(arena.held, 0);
}
END_TEST

Suite *arena_suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tcase = tcase_create("arena");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_new_arena_holds_nothing);
    tcase_add_test(tcase, memory_is_writable_and_does_not_overlap);
    tcase_add_test(tcase, alignment_is_kept);
    tcase_add_test(tcase, the_limit_is_exact);
    tcase_add_test(tcase, one_allocation_may_be_the_whole_limit);
    tcase_add_test(tcase, a_refused_allocation_leaves_room_for_a_smaller_one);
    tcase_add_test(tcase, alignment_counts_against_the_limit);
    tcase_add_test(tcase, sizes_that_would_wrap_are_refused);
    tcase_add_test(tcase, a_reset_gives_everything_back);
    tcase_add_test(tcase, a_second_batch_like_the_first_needs_no_new_block);
    tcase_add_test(tcase, earlier_batches_do_not_change_what_fits);
    tcase_add_test(tcase, zeroed_memory_is_zero_after_reuse_too);
    tcase_add_test(tcase, a_copy_is_terminated);
    tcase_add_test(tcase, a_closed_arena_may_be_closed_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
