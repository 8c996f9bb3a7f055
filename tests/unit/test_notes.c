#include <stdio.h>
#include <string.h>

#include "shard/notes.h"
#include "tests/unit/suites.h"

static struct notes notes;

static void setup(void)
{
    notes = (struct notes){ 0 };
}

static void teardown(void)
{
    notes_fini(&notes);
}

static struct span text(const char *bytes)
{
    return (struct span){ .data = (const uint8_t *)bytes, .size = strlen(bytes) };
}

static enum reason set(const char *resource, const char *key, const char *value)
{
    return notes_set(&notes, resource, text(key), text(value));
}

static void has(const char *resource, const char *key, const char *value)
{
    struct span got = notes_get(&notes, resource, text(key));

    ck_assert_uint_eq(got.size, strlen(value));
    ck_assert(got.size == 0 || memcmp(got.data, value, got.size) == 0);
}

START_TEST(a_note_is_kept_changed_and_removed)
{
    ck_assert_int_eq(set("race", "lap", "1"), REASON_NONE);
    ck_assert_int_eq(set("race", "team", "red"), REASON_NONE);
    ck_assert_int_eq(set("race", "lap", "22"), REASON_NONE);
    has("race", "lap", "22");
    has("race", "team", "red");
    ck_assert_int_eq(set("race", "lap", ""), REASON_NONE);
    has("race", "lap", "");
    has("race", "team", "red");
}
END_TEST

START_TEST(each_resource_has_its_own)
{
    ck_assert_int_eq(set("race", "lap", "1"), REASON_NONE);
    ck_assert_int_eq(set("other", "lap", "2"), REASON_NONE);
    has("race", "lap", "1");
    has("other", "lap", "2");
    has("third", "lap", "");
}
END_TEST

START_TEST(a_page_is_full_to_the_byte)
{
    static const uint8_t value[NOTES_PAGE_MAX] = { 0 };
    struct span key = text("k");
    struct span fits = { .data = value, .size = NOTES_PAGE_MAX - 4 };
    struct span one_more = { .data = value, .size = NOTES_PAGE_MAX - 3 };

    ck_assert_int_eq(set("race", "k", "old"), REASON_NONE);
    ck_assert_int_eq(notes_set(&notes, "race", key, one_more), REASON_TOO_LARGE);
    has("race", "k", "old");
    ck_assert_int_eq(notes_set(&notes, "race", key, fits), REASON_NONE);
    ck_assert_uint_eq(notes_get(&notes, "race", key).size, fits.size);
    ck_assert_int_eq(set("race", "l", ""), REASON_NONE);
    ck_assert_int_eq(set("race", "l", "x"), REASON_TOO_LARGE);
    ck_assert_int_eq(set("other", "l", "x"), REASON_NONE);
}
END_TEST

START_TEST(only_so_many_resources_note_something)
{
    char name[16];

    for (int i = 0; i < NOTES_PAGES_MAX; i++) {
        (void)snprintf(name, sizeof name, "r%d", i);
        ck_assert_int_eq(set(name, "k", "v"), REASON_NONE);
    }
    ck_assert_int_eq(set("last", "k", "v"), REASON_TOO_LARGE);
    ck_assert_int_eq(set("r0", "k", "w"), REASON_NONE);
}
END_TEST

Suite *notes_suite(void)
{
    Suite *suite = suite_create("notes");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_note_is_kept_changed_and_removed);
    tcase_add_test(tcase, each_resource_has_its_own);
    tcase_add_test(tcase, a_page_is_full_to_the_byte);
    tcase_add_test(tcase, only_so_many_resources_note_something);
    suite_add_tcase(suite, tcase);
    return suite;
}
