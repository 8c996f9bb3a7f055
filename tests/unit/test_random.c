#include "common/random.h"

#include <math.h>

#include "common/cursor.h"
#include "tests/unit/suites.h"

static struct rng seeded(uint64_t seed)
{
    struct rng rng;

    rng_init_seeded(&rng, seed);
    return rng;
}

/* Computed from the published algorithms by another program. A change of these numbers would make every seed
 * that stands in a bug report useless. */
START_TEST(a_seed_gives_these_numbers_for_ever)
{
    static const uint64_t of_0[] = { UINT64_C(0x99EC5F36CB75F2B4), UINT64_C(0xBF6E1F784956452A),
                                     UINT64_C(0x1A5F849D4933E6E0), UINT64_C(0x6AA594F1262D2D2C) };
    static const uint64_t of_42[] = { UINT64_C(0x15780B2E0C2EC716), UINT64_C(0x6104D9866D113A7E),
                                      UINT64_C(0xAE17533239E499A1), UINT64_C(0xECB8AD4703B360A1) };
    struct rng a = seeded(0);
    struct rng b = seeded(42);

    for (size_t i = 0; i < sizeof of_0 / sizeof of_0[0]; i++) {
        ck_assert_uint_eq(rng_u64(&a), of_0[i]);
        ck_assert_uint_eq(rng_u64(&b), of_42[i]);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_stream)
{
    struct rng a = seeded(7);
    struct rng b = seeded(7);

    for (int i = 0; i < 1000; i++) {
        uint8_t bytes_a[5];
        uint8_t bytes_b[5];

        ck_assert_uint_eq(rng_u64(&a), rng_u64(&b));
        ck_assert_uint_eq(rng_below(&a, 1000), rng_below(&b, 1000));
        ck_assert(rng_unit(&a) == rng_unit(&b));
        ck_assert(rng_chance(&a, 0.5) == rng_chance(&b, 0.5));
        rng_bytes(&a, bytes_a, sizeof bytes_a);
        rng_bytes(&b, bytes_b, sizeof bytes_b);
        ck_assert_mem_eq(bytes_a, bytes_b, sizeof bytes_a);
    }
}
END_TEST

START_TEST(neighboring_seeds_share_nothing)
{
    struct rng a = seeded(1);
    struct rng b = seeded(2);

    for (int i = 0; i < 1000; i++)
        ck_assert_uint_ne(rng_u64(&a), rng_u64(&b));
}
END_TEST

START_TEST(bytes_are_the_numbers_of_the_stream)
{
    struct rng a = seeded(3);
    struct rng b = seeded(3);
    uint8_t bytes[19] = { [17] = 0xEE, [18] = 0xEE };

    rng_bytes(&a, bytes, 17);
    ck_assert_uint_eq(load_u64(bytes), rng_u64(&b));
    ck_assert_uint_eq(load_u64(bytes + 8), rng_u64(&b));
    ck_assert_uint_eq(bytes[16], rng_u64(&b) & 0xFF);
    ck_assert_uint_eq(load_u16(bytes + 17), 0xEEEE);
    rng_bytes(&a, bytes, 0);
    ck_assert_uint_eq(rng_u64(&a), rng_u64(&b));
}
END_TEST

START_TEST(below_stays_below)
{
    struct rng rng = seeded(4);
    static const uint64_t limits[] = { 1, 2, 3, 1000, UINT32_MAX, (UINT64_C(1) << 63) + 1, UINT64_MAX };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        for (int j = 0; j < 1000; j++)
            ck_assert_uint_lt(rng_below(&rng, limits[i]), limits[i]);
    }
}
END_TEST

/* With n = 3 * 2^62, value % n alone would give the lowest third twice as often as the others. */
START_TEST(below_has_no_modulo_bias)
{
    struct rng rng = seeded(5);
    const uint64_t third = UINT64_C(1) << 62;
    int counts[3] = { 0 };

    for (int i = 0; i < 30000; i++)
        counts[rng_below(&rng, 3 * third) / third]++;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_gt(counts[i], 9600);
        ck_assert_int_lt(counts[i], 10400);
    }
}
END_TEST

START_TEST(unit_fills_its_range_and_no_more)
{
    struct rng rng = seeded(6);
    float low = 1;
    float high = 0;
    double sum = 0;

    for (int i = 0; i < 100000; i++) {
        float unit = rng_unit(&rng);
        if (!(unit >= 0.0f && unit < 1.0f))
            ck_abort_msg("%g", (double)unit);
        low = fminf(low, unit);
        high = fmaxf(high, unit);
        sum += (double)unit;
    }
    ck_assert(low < 0.001f && high > 0.999f);
    ck_assert(fabs(sum / 100000 - 0.5) < 0.005);
}
END_TEST

START_TEST(a_chance_is_what_it_says)
{
    struct rng rng = seeded(8);
    int hits = 0;

    for (int i = 0; i < 100000; i++)
        hits += rng_chance(&rng, 0.03) ? 1 : 0;
    ck_assert_int_gt(hits, 2800);
    ck_assert_int_lt(hits, 3200);
    for (int i = 0; i < 1000; i++) {
        ck_assert(!rng_chance(&rng, 0));
        ck_assert(!rng_chance(&rng, -1));
        ck_assert(!rng_chance(&rng, (double)NAN));
        ck_assert(rng_chance(&rng, 1));
        ck_assert(rng_chance(&rng, 2));
    }
}
END_TEST

/* The state from which xoshiro256** gives 0 next: its second word is 0. */
START_TEST(a_token_is_never_zero)
{
    struct rng rng = { .kind = RNG_SEEDED, .state = { 1, 0, 2, 3 } };
    struct rng same = rng;

    ck_assert_uint_eq(rng_u64(&same), 0);
    ck_assert_uint_eq(rng_token(&rng), rng_u64(&same));
}
END_TEST

START_TEST(secure_numbers_do_not_repeat)
{
    struct rng a;
    struct rng b;
    uint64_t seen[200];

    rng_init_secure(&a);
    rng_init_secure(&b);
    for (size_t i = 0; i < 200; i++) {
        seen[i] = rng_token(i % 2 == 0 ? &a : &b);
        ck_assert_uint_ne(seen[i], 0);
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_ne(seen[i], seen[j]);
    }
}
END_TEST

START_TEST(secure_bytes_fill_the_whole_buffer)
{
    struct rng rng;
    uint8_t bytes[32] = { 0 };
    uint8_t changed[32] = { 0 };

    rng_init_secure(&rng);
    for (int i = 0; i < 20; i++) {
        rng_bytes(&rng, bytes, 31);
        for (size_t j = 0; j < 31; j++)
            changed[j] |= bytes[j];
    }
    for (size_t j = 0; j < 31; j++)
        ck_assert_uint_ne(changed[j], 0);
    ck_assert_uint_eq(bytes[31], 0);
}
END_TEST

Suite *random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *tcase = tcase_create("random");

    tcase_add_test(tcase, a_seed_gives_these_numbers_for_ever);
    tcase_add_test(tcase, the_same_seed_gives_the_same_stream);
    tcase_add_test(tcase, neighboring_seeds_share_nothing);
    tcase_add_test(tcase, bytes_are_the_numbers_of_the_stream);
    tcase_add_test(tcase, below_stays_below);
    tcase_add_test(tcase, below_has_no_modulo_bias);
    tcase_add_test(tcase, unit_fills_its_range_and_no_more);
    tcase_add_test(tcase, a_chance_is_what_it_says);
    tcase_add_test(tcase, a_token_is_never_zero);
    tcase_add_test(tcase, secure_numbers_do_not_repeat);
    tcase_add_test(tcase, secure_bytes_fill_the_whole_buffer);
    suite_add_tcase(suite, tcase);
    return suite;
}
