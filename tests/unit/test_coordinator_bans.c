#include "coordinator/bans.h"

#include <string.h>

#include "common/address.h"
#include "tests/unit/suites.h"

static struct ban_list list;

static void setup(void)
{
    ban_list_init(&list);
}

static void teardown(void)
{
    ban_list_fini(&list);
}

static struct ban_subject subject_of(const char *text)
{
    struct ban_subject subject;

    ck_assert_msg(ban_subject_read(&subject, text), "%s", text);
    return subject;
}

static void ban(const char *text, uint64_t expires_ms)
{
    struct ban_subject subject = subject_of(text);

    ck_assert_ptr_nonnull(ban_list_add(&list, &subject, expires_ms, "why"));
}

static bool is_banned(const char *ip, uint64_t now_ms)
{
    struct address address;

    ck_assert(address_parse(&address, ip, 0));
    return ban_list_match_address(&list, address.ip, now_ms) != NULL;
}

static const struct network_case {
    const char *network;
    const char *ip;
    bool holds;
} network_cases[] = {
    { "10.1.2.3", "10.1.2.3", true },
    { "10.1.2.3", "10.1.2.4", false },
    { "10.1.2.3/32", "10.1.2.3", true },
    { "10.1.0.0/16", "10.1.255.255", true },
    { "10.1.0.0/16", "10.2.0.0", false },
    { "10.1.2.3/16", "10.1.9.9", true },
    { "10.1.2.128/25", "10.1.2.127", false },
    { "10.1.2.128/25", "10.1.2.128", true },
    { "0.0.0.0/0", "203.0.113.9", true },
    { "0.0.0.0/0", "2001:db8::1", false },
    { "::/0", "2001:db8::1", true },
    { "::/0", "203.0.113.9", true },
    { "2001:db8::/32", "2001:db8:ffff::1", true },
    { "2001:db8::/32", "2001:db9::1", false },
    { "2001:db8::1", "2001:db8::1", true },
    { "2001:db8::1", "2001:db8::2", false },
    { "2001:db8::/127", "2001:db8::1", true },
    { "::ffff:10.0.0.0/104", "10.9.9.9", true },
    { "::ffff:10.0.0.0/104", "11.9.9.9", false },
};

START_TEST(a_network_holds_for_its_members)
{
    const struct network_case *row = &network_cases[_i];

    ban(row->network, BAN_FOREVER);
    ck_assert_msg(is_banned(row->ip, 0) == row->holds, "%s %s", row->network, row->ip);
}
END_TEST

static const char *const no_subjects[] = {
    "",
    "10.0.0",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8 ",
    "10.0.0.0/8/8",
    "2001:db8::/129",
    "2001:db8::/99999999999999999999999",
    "10.0.0.0/4294967304",
    "name ",
    "name two words",
    "name aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "name ä",
    "account ",
    "account 0",
    "account -1",
    "account 18446744073709551616",
    "account 1x",
    "address",
    "nobody",
};

START_TEST(what_is_no_subject_is_refused)
{
    struct ban_subject subject;

    ck_assert_msg(!ban_subject_read(&subject, no_subjects[_i]), "%s", no_subjects[_i]);
}
END_TEST

static const char *const written[][2] = {
    { "10.1.2.3/8", "address 10.0.0.0/8" },
    { "address 10.1.2.3", "address 10.1.2.3" },
    { "10.1.2.3/32", "address 10.1.2.3" },
    { "0.0.0.0/0", "address 0.0.0.0/0" },
    { "2001:DB8::1", "address 2001:db8::1" },
    { "2001:db8::1/64", "address 2001:db8::/64" },
    { "::/0", "address ::/0" },
    { "name Alice", "name alice" },
    { "account 17", "account 17" },
    { "account 18446744073709551615", "account 18446744073709551615" },
};

START_TEST(a_subject_is_written_one_way_and_reads_back)
{
    struct ban_subject subject = subject_of(written[_i][0]);
    struct ban_subject again;
    char text[BAN_SUBJECT_TEXT_SIZE];

    ck_assert_str_eq(ban_subject_format(&subject, text), written[_i][1]);
    again = subject_of(text);
    ck_assert_mem_eq(&again, &subject, sizeof subject);
}
END_TEST

START_TEST(names_count_without_regard_to_case)
{
    ban("name Alice", BAN_FOREVER);
    ck_assert_ptr_nonnull(ban_list_match_name(&list, "aLICE", 0));
    ck_assert_ptr_null(ban_list_match_name(&list, "Alice2", 0));
    ck_assert_ptr_null(ban_list_match_name(&list, "", 0));
}
END_TEST

START_TEST(accounts_are_found)
{
    ban("account 17", BAN_FOREVER);
    ck_assert_ptr_nonnull(ban_list_match_account(&list, 17, 0));
    ck_assert_ptr_null(ban_list_match_account(&list, 18, 0));
    ck_assert_ptr_null(ban_list_match_account(&list, 0, 0));
}
END_TEST

START_TEST(an_entry_ends_at_its_moment)
{
    ban("10.0.0.0/8", 5000);
    ck_assert(is_banned("10.0.0.1", 4999));
    ck_assert(!is_banned("10.0.0.1", 5000));
}
END_TEST

/* A short ban of an address must not end a longer one of its network. */
START_TEST(an_entry_that_has_ended_hides_no_other)
{
    ban("10.1.2.3", 1000);
    ban("10.0.0.0/8", 5000);
    ck_assert(is_banned("10.1.2.3", 2000));
}
END_TEST

START_TEST(a_second_entry_of_a_subject_replaces_the_first)
{
    ban("10.0.0.1", 1000);
    ban("10.0.0.1/32", 5000);
    ck_assert_uint_eq(ban_list_count(&list), 1);
    ck_assert(is_banned("10.0.0.1", 2000));
}
END_TEST

START_TEST(a_removed_entry_holds_no_longer)
{
    struct ban_subject subject = subject_of("10.0.0.0/8");

    ban("10.0.0.0/8", BAN_FOREVER);
    ban("10.1.0.0/16", BAN_FOREVER);
    ban_list_remove(&list, ban_list_find(&list, &subject));
    ck_assert(!is_banned("10.2.0.1", 0));
    ck_assert(is_banned("10.1.0.1", 0));
}
END_TEST

START_TEST(a_fixed_entry_is_not_changed)
{
    struct ban_subject subject = subject_of("10.0.0.1");

    ban("10.0.0.1", BAN_FOREVER);
    ban_list_find(&list, &subject)->is_fixed = true;
    ck_assert_ptr_null(ban_list_add(&list, &subject, 1, ""));
    ck_assert(is_banned("10.0.0.1", 2));
}
END_TEST

START_TEST(a_full_list_takes_no_more)
{
    for (uint64_t i = 1; i <= BANS_MAX; i++) {
        struct ban_subject subject;

        ck_assert(ban_subject_of_account(&subject, i));
        ck_assert_ptr_nonnull(ban_list_add(&list, &subject, BAN_FOREVER, ""));
    }

    struct ban_subject subject = subject_of("10.0.0.1");
    ck_assert_ptr_null(ban_list_add(&list, &subject, BAN_FOREVER, ""));
    subject = subject_of("account 7");
    ck_assert_ptr_nonnull(ban_list_add(&list, &subject, 1, ""));
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

Suite *coordinator_bans_suite(void)
{
    Suite *suite = suite_create("coordinator_bans");
    TCase *tcase = tcase_create("bans");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, a_network_holds_for_its_members, 0, COUNT(network_cases));
    tcase_add_loop_test(tcase, what_is_no_subject_is_refused, 0, COUNT(no_subjects));
    tcase_add_loop_test(tcase, a_subject_is_written_one_way_and_reads_back, 0, COUNT(written));
    tcase_add_test(tcase, names_count_without_regard_to_case);
    tcase_add_test(tcase, accounts_are_found);
    tcase_add_test(tcase, an_entry_ends_at_its_moment);
    tcase_add_test(tcase, an_entry_that_has_ended_hides_no_other);
    tcase_add_test(tcase, a_second_entry_of_a_subject_replaces_the_first);
    tcase_add_test(tcase, a_removed_entry_holds_no_longer);
    tcase_add_test(tcase, a_fixed_entry_is_not_changed);
    tcase_add_test(tcase, a_full_list_takes_no_more);
    suite_add_tcase(suite, tcase);
    return suite;
}
