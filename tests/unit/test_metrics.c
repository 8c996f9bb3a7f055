#include "common/metrics.h"

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/reason.h"
#include "tests/unit/suites.h"

struct stats {
    uint64_t sent;
    uint32_t players;
    float load;
    double ratio;
    uint64_t stalled_ms;
    uint64_t cpu_us;
    float tick_ms;
    uint64_t drops[REASON_COUNT];
    uint32_t rejects[3];
};

static struct stats stats;
static char *text;

static const char *drop_name(size_t index)
{
    return index == REASON_NONE ? NULL : reason_name((enum reason)index);
}

static const char *reject_name(size_t index)
{
    static const char *const names[] = { "full", "banned", "bad_name" };

    return names[index];
}

static const struct metric_label by_reason = { "reason", REASON_COUNT, drop_name };
static const struct metric_label by_answer = { "answer", 3, reject_name };

static const struct metric table[] = {
    { "dlmp_test_sent_total", COUNTER, "Datagrams sent.", offsetof(struct stats, sent), METRIC_U64, NULL },
    { "dlmp_test_players", GAUGE, "Players.", offsetof(struct stats, players), METRIC_U32, NULL },
    { "dlmp_test_load", GAUGE, "Load.", offsetof(struct stats, load), METRIC_F32, NULL },
    { "dlmp_test_ratio", GAUGE, "Ratio.", offsetof(struct stats, ratio), METRIC_F64, NULL },
    { "dlmp_test_stalled_seconds_total", COUNTER, "Stalled.", offsetof(struct stats, stalled_ms), METRIC_MS,
      NULL },
    { "dlmp_test_cpu_seconds_total", COUNTER, "CPU.", offsetof(struct stats, cpu_us), METRIC_US, NULL },
    { "dlmp_test_tick_seconds", GAUGE, "Tick.", offsetof(struct stats, tick_ms), METRIC_F32_MS, NULL },
    { "dlmp_test_drops_total", COUNTER, "Drops.", offsetof(struct stats, drops), METRIC_U64, &by_reason },
    { "dlmp_test_rejects_total", COUNTER, "Rejects.", offsetof(struct stats, rejects), METRIC_U32,
      &by_answer },
    { .name = NULL },
};

static void setup(void)
{
    stats = (struct stats){ 0 };
    text = NULL;
}

static void teardown(void)
{
    free(text);
}

static const char *print(const struct metric *metrics)
{
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    metrics_print(metrics, &stats, out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static void assert_has(const char *line)
{
    const char *at = strstr(text, line);

    ck_assert_msg(at != NULL && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n', "%s in\n%s", line,
                  text);
}

START_TEST(a_counter_has_help_type_and_value)
{
    const struct metric one[] = { table[0], { .name = NULL } };

    stats.sent = UINT64_MAX;
    ck_assert_str_eq(print(one), "# HELP dlmp_test_sent_total Datagrams sent.\n"
                                 "# TYPE dlmp_test_sent_total counter\n"
                                 "dlmp_test_sent_total 18446744073709551615\n");
}
END_TEST

START_TEST(an_array_is_printed_with_a_label_each)
{
    const struct metric one[] = { table[8], { .name = NULL } };

    stats.rejects[1] = 7;
    stats.rejects[2] = UINT32_MAX;
    ck_assert_str_eq(print(one), "# HELP dlmp_test_rejects_total Rejects.\n"
                                 "# TYPE dlmp_test_rejects_total counter\n"
                                 "dlmp_test_rejects_total{answer=\"full\"} 0\n"
                                 "dlmp_test_rejects_total{answer=\"banned\"} 7\n"
                                 "dlmp_test_rejects_total{answer=\"bad_name\"} 4294967295\n");
}
END_TEST

START_TEST(every_type_prints_its_value)
{
    stats.players = 17;
    stats.load = 0.1F;
    stats.ratio = 0.25;
    stats.stalled_ms = 61007;
    stats.cpu_us = 5000042;
    stats.tick_ms = 12.5F;
    print(table);
    assert_has("dlmp_test_players 17");
    assert_has("dlmp_test_load 0.100000001");
    assert_has("dlmp_test_ratio 0.25");
    assert_has("dlmp_test_stalled_seconds_total 61.007");
    assert_has("dlmp_test_cpu_seconds_total 5.000042");
    assert_has("dlmp_test_tick_seconds 0.0125");
}
END_TEST

START_TEST(what_is_not_finite_is_printed_as_prometheus_reads_it)
{
    stats.load = NAN;
    stats.ratio = INFINITY;
    stats.tick_ms = -INFINITY;
    print(table);
    assert_has("dlmp_test_load NaN");
    assert_has("dlmp_test_ratio +Inf");
    assert_has("dlmp_test_tick_seconds -Inf");
}
END_TEST

START_TEST(an_index_without_a_name_is_left_out)
{
    stats.drops[REASON_NONE] = 1;
    stats.drops[REASON_MALFORMED_SHORT] = 3;
    print(table);
    assert_has("dlmp_test_drops_total{reason=\"malformed_short\"} 3");
    ck_assert_ptr_null(strstr(text, "reason=\"none\""));
}
END_TEST

START_TEST(a_process_tells_what_it_uses)
{
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *resident;

    ck_assert_ptr_nonnull(out);
    metrics_print_process(out);
    ck_assert_int_eq(fclose(out), 0);
    resident = strstr(text, "\nprocess_resident_memory_bytes ");
    ck_assert_ptr_nonnull(resident);
    ck_assert_uint_gt(strtoull(strchr(resident, ' '), NULL, 10), 100000);
    ck_assert_ptr_nonnull(strstr(text, "\nprocess_cpu_seconds_total "));
    ck_assert_ptr_nonnull(strstr(text, "\nprocess_open_fds "));
}
END_TEST

/* What a table must not hold stops the process. */
static void print_with(const char *name, enum metric_kind kind, const char *help)
{
    const struct metric wrong[] = {
        { name, kind, help, offsetof(struct stats, sent), METRIC_U64, NULL },
        { .name = NULL },
    };

    print(wrong);
}

START_TEST(a_counter_must_end_in_total)
{
    print_with("dlmp_test_sent", COUNTER, "Sent.");
}
END_TEST

START_TEST(a_gauge_must_not_end_in_total)
{
    print_with("dlmp_test_sent_total", GAUGE, "Sent.");
}
END_TEST

START_TEST(a_name_is_made_of_small_letters)
{
    print_with("dlmp_Test_total", COUNTER, "Sent.");
}
END_TEST

START_TEST(help_is_one_line)
{
    print_with("dlmp_test_total", COUNTER, "Sent.\nfake 1");
}
END_TEST

Suite *metrics_suite(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tcase = tcase_create("print");
    TCase *wrong = tcase_create("wrong tables");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_counter_has_help_type_and_value);
    tcase_add_test(tcase, an_array_is_printed_with_a_label_each);
    tcase_add_test(tcase, every_type_prints_its_value);
    tcase_add_test(tcase, what_is_not_finite_is_printed_as_prometheus_reads_it);
    tcase_add_test(tcase, an_index_without_a_name_is_left_out);
    tcase_add_test(tcase, a_process_tells_what_it_uses);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(wrong, setup, teardown);
    tcase_add_test_raise_signal(wrong, a_counter_must_end_in_total, SIGABRT);
    tcase_add_test_raise_signal(wrong, a_gauge_must_not_end_in_total, SIGABRT);
    tcase_add_test_raise_signal(wrong, a_name_is_made_of_small_letters, SIGABRT);
    tcase_add_test_raise_signal(wrong, help_is_one_line, SIGABRT);
    suite_add_tcase(suite, wrong);
    return suite;
}
