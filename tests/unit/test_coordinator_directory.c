#include "coordinator/directory.h"

#include <stdio.h>
#include <string.h>

#include "common/address.h"
#include "common/random.h"
#include "tests/unit/suites.h"

static struct directory directory;
static uint32_t last_token;

static void setup(void)
{
    ck_assert_int_eq(directory_init(&directory), 0);
    last_token = 0;
}

static void teardown(void)
{
    directory_check(&directory);
    directory_fini(&directory);
}

static const uint8_t *ip_of(const char *text)
{
    static struct address address;

    ck_assert(address_parse(&address, text, 0));
    return address.ip;
}

static struct member *add(const char *name)
{
    return directory_add(&directory, ++last_token, name, ip_of("10.0.0.1"));
}

/* What has cooled is free. Returns how many ids that were. */
static uint32_t release_all(uint64_t now_ms)
{
    uint32_t count = 0;

    while (directory_release(&directory, now_ms) != DIRECTORY_NONE)
        count++;
    return count;
}

START_TEST(the_lowest_free_id_is_taken)
{
    ck_assert_uint_eq(add("a")->ref.id, 0);
    ck_assert_uint_eq(add("b")->ref.id, 1);
    ck_assert_uint_eq(add("c")->ref.id, 2);
    directory_remove(&directory, directory_find_name(&directory, "b"), 1000);
    directory_remove(&directory, directory_find_name(&directory, "a"), 1000);
    ck_assert_uint_eq(release_all(6000), 2);
    ck_assert_uint_eq(add("d")->ref.id, 0);
    ck_assert_uint_eq(add("e")->ref.id, 1);
    ck_assert_uint_eq(add("f")->ref.id, 3);
}
END_TEST

START_TEST(an_id_is_used_again_after_5_s_and_not_before)
{
    directory_remove(&directory, add("a"), 1000);
    ck_assert_uint_eq(release_all(5999), 0);
    ck_assert_uint_eq(add("b")->ref.id, 1);
    ck_assert_uint_eq(release_all(6000), 1);
    ck_assert_uint_eq(add("c")->ref.id, 0);
}
END_TEST

START_TEST(the_clock_of_cooling_may_pass_32_bits)
{
    uint64_t now_ms = UINT32_MAX - 2000;

    directory_remove(&directory, add("a"), now_ms);
    ck_assert_uint_eq(release_all(now_ms + 4999), 0);
    ck_assert_uint_eq(release_all(now_ms + 5000), 1);
}
END_TEST

START_TEST(names_are_found_without_regard_to_case)
{
    struct member *alice = add("Alice[1]");

    ck_assert_ptr_eq(directory_find_name(&directory, "aLICE[1]"), alice);
    ck_assert_ptr_null(add("ALICE[1]"));
    ck_assert_ptr_null(directory_find_name(&directory, "Alice{1}"));
    ck_assert_str_eq(alice->name, "Alice[1]");
}
END_TEST

START_TEST(a_name_is_free_at_once)
{
    directory_remove(&directory, add("a"), 1000);
    ck_assert_ptr_null(directory_find_name(&directory, "a"));
    ck_assert_ptr_nonnull(add("A"));
}
END_TEST

START_TEST(an_id_with_another_token_is_somebody_else)
{
    struct member_ref ref = add("a")->ref;

    ck_assert_ptr_nonnull(directory_find(&directory, ref));
    ref.token++;
    ck_assert_ptr_null(directory_find(&directory, ref));
    ck_assert_ptr_null(directory_find(&directory, (struct member_ref){ UINT32_MAX, 1 }));
    ck_assert_ptr_null(directory_find(&directory, (struct member_ref){ DIRECTORY_IDS, 1 }));
}
END_TEST

START_TEST(who_has_left_is_not_here_and_cools)
{
    struct member *member = add("a");
    struct member_ref ref = member->ref;

    directory_remove(&directory, member, 0);
    ck_assert_ptr_null(directory_find(&directory, ref));
    ck_assert(directory_is_cooling(&directory, ref));
    ref.token++;
    ck_assert(!directory_is_cooling(&directory, ref));
    ref.token--;
    ck_assert_uint_eq(release_all(5000), 1);
    ck_assert(!directory_is_cooling(&directory, ref));
}
END_TEST

START_TEST(connections_are_counted_by_address)
{
    struct member *first = directory_add(&directory, 1, "a", ip_of("10.0.0.1"));

    ck_assert_ptr_nonnull(directory_add(&directory, 2, "b", ip_of("10.0.0.1")));
    ck_assert_ptr_nonnull(directory_add(&directory, 3, "c", ip_of("10.0.0.2")));
    ck_assert_uint_eq(directory_count_from(&directory, ip_of("10.0.0.1")), 2);
    ck_assert_uint_eq(directory_count_from(&directory, ip_of("10.0.0.2")), 1);
    ck_assert_uint_eq(directory_count_from(&directory, ip_of("10.0.0.3")), 0);
    directory_remove(&directory, first, 0);
    ck_assert_uint_eq(directory_count_from(&directory, ip_of("10.0.0.1")), 1);
}
END_TEST

START_TEST(an_ipv6_network_of_64_bits_is_one_source)
{
    ck_assert_ptr_nonnull(directory_add(&directory, 1, "a", ip_of("2001:db8::1")));
    ck_assert_ptr_nonnull(directory_add(&directory, 2, "b", ip_of("2001:db8::ffff:1")));
    ck_assert_ptr_nonnull(directory_add(&directory, 3, "c", ip_of("2001:db8:0:1::1")));
    ck_assert_uint_eq(directory_count_from(&directory, ip_of("2001:db8::2")), 2);
}
END_TEST

START_TEST(who_was_here_before_keeps_id_and_token)
{
    ck_assert_ptr_nonnull(
        directory_restore(&directory, (struct member_ref){ 3, 77 }, "old", ip_of("10.0.0.1")));
    ck_assert_uint_eq(add("a")->ref.id, 0);
    ck_assert_uint_eq(add("b")->ref.id, 1);
    ck_assert_uint_eq(add("c")->ref.id, 2);
    ck_assert_uint_eq(add("d")->ref.id, 4);
    ck_assert_uint_eq(directory_find_name(&directory, "OLD")->ref.token, 77);
}
END_TEST

START_TEST(who_cannot_have_been_here_is_refused)
{
    const uint8_t *ip = ip_of("10.0.0.1");

    add("a");
    ck_assert_ptr_null(directory_restore(&directory, (struct member_ref){ 0, 9 }, "b", ip));
    ck_assert_ptr_null(directory_restore(&directory, (struct member_ref){ 1, 9 }, "A", ip));
    ck_assert_ptr_null(directory_restore(&directory, (struct member_ref){ 1, 0 }, "b", ip));
    ck_assert_ptr_null(directory_restore(&directory, (struct member_ref){ DIRECTORY_IDS, 9 }, "b", ip));
    ck_assert_ptr_null(directory_restore(&directory, (struct member_ref){ 1, 9 }, "", ip));
    ck_assert_ptr_null(
        directory_restore(&directory, (struct member_ref){ 1, 9 }, "a_name_of_twenty_five_byte", ip));
    ck_assert_ptr_nonnull(
        directory_restore(&directory, (struct member_ref){ 1, 9 }, "a_name_of_twenty_four_by", ip));
}
END_TEST

START_TEST(a_cooling_id_can_be_taken_back)
{
    struct member *a = add("a");
    struct member *b = add("b");
    struct member *c = add("c");

    directory_remove(&directory, a, 0);
    directory_remove(&directory, b, 0);
    directory_remove(&directory, c, 0);
    ck_assert_ptr_nonnull(directory_restore(&directory, (struct member_ref){ 1, 9 }, "x", ip_of("10.0.0.1")));
    ck_assert_ptr_nonnull(directory_restore(&directory, (struct member_ref){ 2, 9 }, "y", ip_of("10.0.0.1")));
    directory_check(&directory);
    directory_remove(&directory, directory_find_id(&directory, 1), 1);
    ck_assert_uint_eq(release_all(5000), 1);
    ck_assert_uint_eq(release_all(5001), 1);
    ck_assert_ptr_nonnull(directory_find_id(&directory, 2));
}
END_TEST

START_TEST(there_are_only_so_many_ids)
{
    char name[DIRECTORY_NAME_SIZE];

    for (uint32_t i = 0; i < DIRECTORY_IDS; i++) {
        (void)snprintf(name, sizeof name, "p%u", i);
        ck_assert_ptr_nonnull(add(name));
    }
    ck_assert(!directory_has_room(&directory));
    ck_assert_ptr_null(add("late"));
    directory_remove(&directory, directory_find_id(&directory, 500), 0);
    ck_assert_ptr_null(add("late"));
    ck_assert_uint_eq(release_all(5000), 1);
    ck_assert_uint_eq(add("late")->ref.id, 500);
}
END_TEST

START_TEST(all_who_are_here_are_met_in_order)
{
    const struct member *member;

    ck_assert_ptr_null(directory_next(&directory, 0));
    directory_restore(&directory, (struct member_ref){ 63, 1 }, "a", ip_of("10.0.0.1"));
    directory_restore(&directory, (struct member_ref){ 64, 2 }, "b", ip_of("10.0.0.1"));
    directory_restore(&directory, (struct member_ref){ DIRECTORY_IDS - 1, 3 }, "c", ip_of("10.0.0.1"));
    directory_restore(&directory, (struct member_ref){ 70, 4 }, "d", ip_of("10.0.0.1"));
    directory_remove(&directory, directory_find_id(&directory, 70), 0);
    member = directory_next(&directory, 0);
    ck_assert_uint_eq(member->ref.id, 63);
    member = directory_next(&directory, member->ref.id + 1);
    ck_assert_uint_eq(member->ref.id, 64);
    member = directory_next(&directory, member->ref.id + 1);
    ck_assert_uint_eq(member->ref.id, DIRECTORY_IDS - 1);
    ck_assert_ptr_null(directory_next(&directory, DIRECTORY_IDS));
}
END_TEST

static bool is_lowest(uint32_t id)
{
    for (uint32_t lower = 0; lower < id; lower++) {
        if (directory.members[lower].state == MEMBER_FREE)
            return false;
    }
    return true;
}

/* Whatever comes and goes, no id is shared, and none is given within 5 s of its last use. */
START_TEST(no_id_is_shared_whatever_comes_and_goes)
{
    static uint64_t left_ms[DIRECTORY_IDS];
    static bool has_left[DIRECTORY_IDS];
    struct rng rng;
    char name[DIRECTORY_NAME_SIZE];
    uint64_t now_ms = 0;

    rng_init_seeded(&rng, 7);
    for (uint32_t i = 0; i < 5000; i++) {
        struct member *member;

        now_ms += rng_below(&rng, 40);
        (void)release_all(now_ms);
        if (rng_chance(&rng, 0.45)) {
            member = directory_next(&directory, (uint32_t)rng_below(&rng, directory.count + 1));
            if (member == NULL)
                continue;
            left_ms[member->ref.id] = now_ms;
            has_left[member->ref.id] = true;
            directory_remove(&directory, member, now_ms);
            continue;
        }
        (void)snprintf(name, sizeof name, "n%u", i);
        member = add(name);
        ck_assert_ptr_nonnull(member);
        if (has_left[member->ref.id])
            ck_assert_uint_ge(now_ms - left_ms[member->ref.id], 5000);
        ck_assert(is_lowest(member->ref.id));
    }
}
END_TEST

Suite *coordinator_directory_suite(void)
{
    Suite *suite = suite_create("coordinator_directory");
    TCase *tcase = tcase_create("directory");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_lowest_free_id_is_taken);
    tcase_add_test(tcase, an_id_is_used_again_after_5_s_and_not_before);
    tcase_add_test(tcase, the_clock_of_cooling_may_pass_32_bits);
    tcase_add_test(tcase, names_are_found_without_regard_to_case);
    tcase_add_test(tcase, a_name_is_free_at_once);
    tcase_add_test(tcase, an_id_with_another_token_is_somebody_else);
    tcase_add_test(tcase, who_has_left_is_not_here_and_cools);
    tcase_add_test(tcase, connections_are_counted_by_address);
    tcase_add_test(tcase, an_ipv6_network_of_64_bits_is_one_source);
    tcase_add_test(tcase, who_was_here_before_keeps_id_and_token);
    tcase_add_test(tcase, who_cannot_have_been_here_is_refused);
    tcase_add_test(tcase, a_cooling_id_can_be_taken_back);
    tcase_add_test(tcase, there_are_only_so_many_ids);
    tcase_add_test(tcase, all_who_are_here_are_met_in_order);
    tcase_add_test(tcase, no_id_is_shared_whatever_comes_and_goes);
    suite_add_tcase(suite, tcase);
    return suite;
}
