#include <string.h>

#include "shard/ask.h"
#include "shard/script/cluster.h"
#include "tests/unit/script_lab.h"
#include "tests/unit/suites.h"

static struct script_lab *lab;

static void setup(void)
{
    lab = lab_new();
}

static void teardown(void)
{
    lab_free(lab);
}

static void hear(const char *resource, const char *name, const uint8_t *bytes, size_t size)
{
    const struct event_hooks *hooks = &lab->stage->shard->hooks;

    hooks->on_broadcast(hooks->context, resource, name, (struct span){ .data = bytes, .size = size });
}

/* The oldest ask that waits is answered. */
static void answer(struct kv_result result)
{
    const struct event_hooks *hooks = &lab->stage->shard->hooks;

    ck_assert_uint_gt(lab->script->asks.count, 0);
    hooks->on_kv(hooks->context, lab->script->asks.items[0].request, &result);
}

static const struct kv_result none = { .is_ok = true };
static const struct kv_result away = { .is_ok = false };

START_TEST(a_broadcast_reaches_the_handlers_of_its_resource_alone)
{
    static const uint8_t bytes[] = { 3, 2, 0, 5, 2, 0, 'h', 'i' }; /* true, nil, "hi" */

    lab_start(lab, "one",
              "dlmp.on('news', function(...) dlmp.log('info', 'one: ' .. select('#', ...) .. (select(3, "
              "...))) end)\n"
              "dlmp.on('other', function() dlmp.log('info', 'other') end)");
    lab_start(lab, "two", "dlmp.on('news', function() dlmp.log('info', 'two') end)");
    (void)lab_log(lab);
    hear("one", "news", bytes, sizeof bytes);
    hear("gone", "news", bytes, sizeof bytes);

    const char *log = lab_log(lab);

    ck_assert_ptr_nonnull(strstr(log, "one: 3hi"));
    ck_assert(strstr(log, "two") == NULL && strstr(log, "text=other") == NULL);
    hear("one", "news", bytes, sizeof bytes - 1);
    lab_logs(lab, "malformed arguments");
}
END_TEST

START_TEST(what_cannot_be_broadcast_is_refused)
{
    lab_passes(
        lab, "local function no(...) local ok, why = dlmp.broadcast(...) assert(ok == nil and #why > 0) end\n"
             "no('player_chat') no('') no(('x'):rep(65)) no('a\\0b') no('x', print) no('x', 0/0) no('x', "
             "('x'):rep(9000))\n"
             "assert(not pcall(dlmp.broadcast)) assert(dlmp.broadcast('x', { a = { 1, 2 } }, nil, 'y'))");
}
END_TEST

/* As everywhere else: the runtime's own functions refused what the table lets through. */
START_TEST(a_text_that_reads_as_a_number_will_do_as_one)
{
    lab_passes(lab, "assert(dlmp.cancel(tostring(dlmp.after('100', print)))) assert(dlmp.off(dlmp.on('x', "
                    "print) .. ''))\n"
                    "assert(dlmp.kv_incr('n', '5', print))\n"
                    "local ok, why = pcall(dlmp.kv_incr, 'n', 'five', print)\n"
                    "assert(not ok and why:find(\"bad argument 'by' to 'dlmp.kv_incr'\", 1, true), why)");
}
END_TEST

START_TEST(an_optional_handler_may_be_nil)
{
    lab_passes(lab, "assert(dlmp.kv_set('a', 1, nil)) assert(dlmp.kv_del('a', nil))\n"
                    "assert(not pcall(dlmp.kv_set, 'a', 1, 2)) assert(not pcall(dlmp.kv_del, 'a', false))");
}
END_TEST

START_TEST(answers_of_the_storage_come_to_who_asked)
{
    static const uint8_t text[] = { 1, 5, 2, 0, 'h', 'i' };

    lab_start(lab, "one",
              "local function say(...) dlmp.log('info', table.concat({ tostring(select(1, ...)), "
              "tostring(select(2, ...)) }, '/')) end\n"
              "assert(dlmp.kv_get('a', say)) assert(dlmp.kv_get('b', say)) assert(dlmp.kv_get('c', say)) "
              "assert(dlmp.kv_get('d', say))\n"
              "assert(dlmp.kv_set('a', { 1 }, say)) assert(dlmp.kv_set('a', 2)) assert(dlmp.kv_incr('n', 5, "
              "say)) assert(dlmp.kv_del('a', say))");
    answer(
        (struct kv_result){ .is_ok = true, .has_value = true, .value = { .bytes = { text, sizeof text } } });
    lab_logs(lab, "text=hi/nil");
    answer(
        (struct kv_result){ .is_ok = true, .has_value = true, .value = { .is_number = true, .number = 7 } });
    lab_logs(lab, "text=7/nil");
    answer(none);
    lab_logs(lab, "text=nil/nil");
    answer(away);
    lab_logs(lab, "nil/the storage is away");
    answer(none);
    lab_logs(lab, "text=true/nil");
    answer(none);
    answer(
        (struct kv_result){ .is_ok = true, .has_value = true, .value = { .is_number = true, .number = 12 } });
    lab_logs(lab, "text=12/nil");
    answer(away);
    lab_logs(lab, "false/the storage is away");
    lab_start(lab, "two",
              "assert(dlmp.kv_incr('n', 5, function(n, why) dlmp.log('info', tostring(n) .. why) end))");
    answer(away);
    lab_logs(lab, "nilthe storage is away, or what it has is no whole number");
    ck_assert_uint_eq(lab->script->asks.count, 0);
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
}
END_TEST

START_TEST(what_was_stored_by_others_and_is_none_of_ours_is_an_error)
{
    static const uint8_t bytes[] = { 9, 9, 9 };

    lab_start(lab, "one", "dlmp.kv_get('a', print)");
    answer((struct kv_result){
        .is_ok = true, .has_value = true, .value = { .bytes = { bytes, sizeof bytes } } });
    lab_logs(lab, "what is stored is no value of ours");
}
END_TEST

START_TEST(nobody_waits_for_answers_of_a_resource_that_has_stopped)
{
    char error[SCRIPT_ERROR_SIZE];
    uint64_t request;

    lab_start(lab, "one", "dlmp.kv_get('a', print)");
    request = lab->script->asks.items[0].request;
    ck_assert_int_eq(script_stop(lab->script, "one", error), 0);
    ck_assert_uint_eq(lab->script->asks.count, 0);
    script_on_kv(lab->script, request, &none);
}
END_TEST

START_TEST(bad_keys_and_values_are_refused)
{
    lab_passes(
        lab, "local function no(ok, why) assert(ok == nil and #why > 0) end\n"
             "no(dlmp.kv_get('', print)) no(dlmp.kv_get(('x'):rep(129), print)) "
             "no(dlmp.kv_set('a', nil)) no(dlmp.kv_set('a', print))\n"
             "no(dlmp.kv_set('a', ('x'):rep(8190))) no(dlmp.kv_incr('a', 1.5, print)) no(dlmp.kv_incr('a', 1 "
             "/ 0, print))\n"
             "assert(not pcall(dlmp.kv_get, 'a')) assert(not pcall(dlmp.kv_set, 'a')) assert(not "
             "pcall(dlmp.kv_set, 'a', 1, 2))\n"
             "assert(not pcall(dlmp.kv_incr, 'a', 'x', print)) assert(not pcall(dlmp.kv_del, {}))\n"
             "local asked = 0 while dlmp.kv_get('a', print) do asked = asked + 1 end assert(asked == 1024)");
}
END_TEST

Suite *script_cluster_suite(void)
{
    Suite *suite = suite_create("script_cluster");
    TCase *tcase = tcase_create("script_cluster");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_broadcast_reaches_the_handlers_of_its_resource_alone);
    tcase_add_test(tcase, what_cannot_be_broadcast_is_refused);
    tcase_add_test(tcase, a_text_that_reads_as_a_number_will_do_as_one);
    tcase_add_test(tcase, an_optional_handler_may_be_nil);
    tcase_add_test(tcase, answers_of_the_storage_come_to_who_asked);
    tcase_add_test(tcase, what_was_stored_by_others_and_is_none_of_ours_is_an_error);
    tcase_add_test(tcase, nobody_waits_for_answers_of_a_resource_that_has_stopped);
    tcase_add_test(tcase, bad_keys_and_values_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
