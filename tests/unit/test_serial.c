#include "common/serial.h"

#include "tests/unit/suites.h"

START_TEST(the_same_number_is_not_newer)
{
    ck_assert(!serial16_newer(0, 0));
    ck_assert(!serial16_newer(UINT16_MAX, UINT16_MAX));
    ck_assert(!serial32_newer(0, 0));
    ck_assert(!serial32_newer(UINT32_MAX, UINT32_MAX));
}
END_TEST

START_TEST(order_goes_on_across_the_wrap)
{
    ck_assert(serial16_newer(0, 0xFFFF));
    ck_assert(!serial16_newer(0xFFFF, 0));
    ck_assert(serial16_newer(100, 0xFF00));
    ck_assert(serial32_newer(0, 0xFFFFFFFF));
    ck_assert(!serial32_newer(0xFFFFFFFF, 0));
    ck_assert(serial32_newer(100, 0xFFFFFF00));
}
END_TEST

/* Each distance from each of some starts, and back. Only at half the range neither is newer. */
START_TEST(half_the_range_u16)
{
    static const uint16_t starts[] = { 0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        for (uint32_t distance = 1; distance <= 0xFFFF; distance++) {
            uint16_t ahead = (uint16_t)(starts[i] + distance);
            if (serial16_newer(ahead, starts[i]) != (distance < 0x8000) ||
                serial16_newer(starts[i], ahead) != (distance > 0x8000))
                ck_abort_msg("%u and %u ahead of it", starts[i], distance);
        }
    }
}
END_TEST

START_TEST(half_the_range_u32)
{
    static const uint32_t starts[] = { 0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        uint32_t start = starts[i];

        ck_assert(serial32_newer(start + 1, start));
        ck_assert(serial32_newer(start + 0x7FFFFFFF, start));
        ck_assert(!serial32_newer(start + 0x80000000, start));
        ck_assert(!serial32_newer(start + 0x80000001, start));
        ck_assert(!serial32_newer(start, start + 1));
        ck_assert(!serial32_newer(start, start + 0x7FFFFFFF));
        ck_assert(!serial32_newer(start, start + 0x80000000));
        ck_assert(serial32_newer(start, start + 0x80000001));
    }
}
END_TEST

Suite *serial_suite(void)
{
    Suite *suite = suite_create("serial");
    TCase *tcase = tcase_create("serial");

    tcase_add_test(tcase, the_same_number_is_not_newer);
    tcase_add_test(tcase, order_goes_on_across_the_wrap);
    tcase_add_test(tcase, half_the_range_u16);
    tcase_add_test(tcase, half_the_range_u32);
    suite_add_tcase(suite, tcase);
    return suite;
}
