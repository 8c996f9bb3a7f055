#include "bots/report.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

static char *text;
static size_t text_size;

static void teardown(void)
{
    free(text);
    text = NULL;
}

static struct report good(void)
{
    return (struct report){ .seed = 1,
                            .bots = 10,
                            .shares = { [BEHAVIOUR_WALK] = 1 },
                            .spread = "none",
                            .phase = "measuring",
                            .run_ms = 12500,
                            .measured_ms = 10000,
                            .measured_from_unix_ms = 1,
                            .measured_to_unix_ms = 10001,
                            .opened = 10,
                            .spawned = 10,
                            .joins = 10 };
}

static const char *printed(void (*print)(const struct report *report, FILE *out), const struct report *report)
{
    FILE *out = open_memstream(&text, &text_size);

    ck_assert_ptr_nonnull(out);
    print(report, out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(all_in_and_nothing_wrong_is_ok)
{
    struct report report = good();

    ck_assert_int_eq(report_verdict(&report), REPORT_OK);
}
END_TEST

START_TEST(any_violation_decides)
{
    for (int i = 0; i < VIOLATIONS; i++) {
        struct report report = good();

        report.violations[i] = 1;
        report.allows_rejects = true;
        ck_assert_int_eq(report_verdict(&report), REPORT_VIOLATIONS);
    }
}
END_TEST

START_TEST(whoever_is_missing_makes_it_incomplete_unless_allowed)
{
    struct report not_in = good();
    struct report rejected = good();
    struct report kicked = good();
    struct report silence = good();
    struct report no_answer = good();
    struct report *cases[] = { &not_in, &rejected, &kicked, &silence, &no_answer };

    not_in.opened = 9;
    rejected.rejected[4] = 1;
    kicked.kicked[2] = 1;
    silence.silence = 1;
    no_answer.no_answer = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(report_verdict(cases[i]), REPORT_INCOMPLETE);
        cases[i]->allows_rejects = true;
        ck_assert_int_eq(report_verdict(cases[i]), REPORT_OK);
    }
}
END_TEST

START_TEST(the_table_tells_reasons_packets_latency_and_the_verdict)
{
    struct report report = good();

    report.rejected[1] = 3;
    report.kicked[4] = 2;
    report.stats.packets_in[WIRE_INDEX_REMOTE_PLAYER_SYNC] = 4711;
    report.latency_samples = 100;
    report.latency_p99_us = 12340;
    printed(report_print, &report);
    ck_assert_ptr_nonnull(strstr(text, "rejected full"));
    ck_assert_ptr_nonnull(strstr(text, "ended server"));
    ck_assert_ptr_nonnull(strstr(text, "RemotePlayerSync                 4711            0"));
    ck_assert_ptr_nonnull(strstr(text, "12.34 p99"));
    ck_assert_ptr_null(strstr(text, "VehicleFrame"));
    ck_assert_ptr_nonnull(strstr(text, "verdict: incomplete\n"));
}
END_TEST

START_TEST(the_table_tells_who_saw_what)
{
    static const char notes[1][CHECK_NOTE_SIZE] = { "unseen_player: Ann (player 1): does not see player 2" };
    struct report report = good();

    report.violations[VIOLATION_UNSEEN_PLAYER] = 5;
    report.notes = notes;
    report.notes_count = 1;
    printed(report_print, &report);
    ck_assert_ptr_nonnull(strstr(text, violation_says(VIOLATION_UNSEEN_PLAYER)));
    ck_assert_ptr_nonnull(strstr(text, notes[0]));
    ck_assert_ptr_nonnull(strstr(text, "verdict: violations\n"));
}
END_TEST

START_TEST(a_run_without_a_measured_time_says_so)
{
    struct report report = good();

    report.measured_from_unix_ms = 0;
    printed(report_print, &report);
    ck_assert_ptr_nonnull(strstr(text, "never were all there"));
}
END_TEST

static struct json_object *field(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;

    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no %s", key);
    return value;
}

START_TEST(the_json_holds_the_same_figures)
{
    static const char notes[1][CHECK_NOTE_SIZE] = { "a note" };
    struct report report = good();
    struct json_object *json;

    report.rejected[9] = 4;
    report.stats.packets_out[WIRE_INDEX_PLAYER_SYNC] = 300;
    report.stats.resends = 7;
    report.player_relays = UINT64_C(5000000000);
    report.latency_p50_us = 150;
    report.violations[VIOLATION_MALFORMED] = 2;
    report.notes = notes;
    report.notes_count = 1;
    json = json_tokener_parse(printed(report_print_json, &report));
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(
        json_object_get_int64(field(field(field(json, "connections"), "rejected"), "too_many_from_address")),
        4);
    ck_assert_int_eq(json_object_get_int64(field(field(json, "packets_out"), "PlayerSync")), 300);
    ck_assert_int_eq(json_object_get_int64(field(field(json, "lanes"), "resends")), 7);
    ck_assert_int_eq(json_object_get_int64(field(field(json, "measured"), "player_relays")), 5000000000);
    ck_assert_int_eq(json_object_get_int64(field(field(json, "latency_us"), "p50")), 150);
    ck_assert_int_eq(json_object_get_int64(field(field(json, "violations"), "malformed")), 2);
    ck_assert_str_eq(json_object_get_string(json_object_array_get_idx(field(json, "notes"), 0)), "a note");
    ck_assert_str_eq(json_object_get_string(field(json, "verdict")), "violations");
    json_object_put(json);
}
END_TEST

START_TEST(the_status_is_one_line_with_the_rates_since_the_last)
{
    struct report before = good();
    struct report report = good();
    FILE *out = open_memstream(&text, &text_size);

    report.open = 9;
    report.rejected[1] = 1;
    report.stats.packets_in[WIRE_INDEX_REMOTE_PLAYER_SYNC] = 10000;
    report_print_status(&report, &before, 2000, out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "9/10 connected"));
    ck_assert_ptr_nonnull(strstr(text, "1 turned away"));
    ck_assert_ptr_nonnull(strstr(text, "5000/s in"));
    ck_assert_ptr_null(strchr(text, '\n'));
}
END_TEST

START_TEST(every_violation_has_a_name_of_its_own)
{
    for (int i = 0; i < VIOLATIONS; i++) {
        ck_assert_ptr_nonnull(violation_name((enum violation)i));
        ck_assert_ptr_nonnull(violation_says((enum violation)i));
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(violation_name((enum violation)i), violation_name((enum violation)j));
    }
}
END_TEST

Suite *report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, teardown);
    tcase_add_test(all, all_in_and_nothing_wrong_is_ok);
    tcase_add_test(all, any_violation_decides);
    tcase_add_test(all, whoever_is_missing_makes_it_incomplete_unless_allowed);
    tcase_add_test(all, the_table_tells_reasons_packets_latency_and_the_verdict);
    tcase_add_test(all, the_table_tells_who_saw_what);
    tcase_add_test(all, a_run_without_a_measured_time_says_so);
    tcase_add_test(all, the_json_holds_the_same_figures);
    tcase_add_test(all, the_status_is_one_line_with_the_rates_since_the_last);
    tcase_add_test(all, every_violation_has_a_name_of_its_own);
    suite_add_tcase(suite, all);
    return suite;
}
