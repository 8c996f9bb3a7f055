#include "common/reason.h"

#include <string.h>

#include "proto/wire.h"
#include "tests/unit/suites.h"

START_TEST(every_reason_has_a_name_of_its_own)
{
    for (int i = 0; i < REASON_COUNT; i++) {
        const char *name = reason_name((enum reason)i);

        ck_assert_uint_gt(strlen(name), 0);
        ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789"), strlen(name));
        for (int other = 0; other < i; other++)
            ck_assert_str_ne(name, reason_name((enum reason)other));
    }
}
END_TEST

START_TEST(a_name_is_what_the_reason_says)
{
    ck_assert_str_eq(reason_name(REASON_NONE), "none");
    ck_assert_str_eq(reason_name(REASON_MALFORMED_SHORT), "malformed_short");
    ck_assert_str_eq(reason_name(REASON_TABLE_FULL), "table_full");
}
END_TEST

/* What the codec refuses is counted under the codec's own word. */
START_TEST(the_decoders_reasons_are_in_the_decoders_order)
{
    for (int why = WIRE_EMPTY; why <= WIRE_RULE; why++)
        ck_assert_str_eq(reason_name((enum reason)(REASON_MALFORMED_EMPTY + why - WIRE_EMPTY)),
                         wire_why_name((enum wire_why)why));
}
END_TEST

Suite *reason_suite(void)
{
    Suite *suite = suite_create("reason");
    TCase *names = tcase_create("names");

    tcase_add_test(names, every_reason_has_a_name_of_its_own);
    tcase_add_test(names, a_name_is_what_the_reason_says);
    tcase_add_test(names, the_decoders_reasons_are_in_the_decoders_order);
    suite_add_tcase(suite, names);
    return suite;
}
