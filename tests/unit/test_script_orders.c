/* What operators want of resources, as a shard is told it, and what it says of them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"
#include "shard/script/off.h"
#include "shard/script/orders.h"
#include "tests/unit/script_lab.h"
#include "tests/unit/suites.h"

enum {
    START = BUS__RESOURCE_ORDER__OP__OP_START,
    STOP = BUS__RESOURCE_ORDER__OP__OP_STOP,
    RESTART = BUS__RESOURCE_ORDER__OP__OP_RESTART,
    RELOAD = BUS__RESOURCE_ORDER__OP__OP_RELOAD
};

static struct script_lab *lab;
static char off_file[64];

static void setup(void)
{
    (void)snprintf(off_file, sizeof off_file, "/tmp/dlmp-orders-%d", (int)getpid());
    lab = lab_new_with(&(struct script_config){ .off_file = off_file });
}

static void teardown(void)
{
    lab_free(lab);
    (void)remove(off_file);
}

static void send(uint64_t number, int op, const char *name)
{
    Bus__ResourceOrder order = BUS__RESOURCE_ORDER__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char copy[80];

    (void)snprintf(copy, sizeof copy, "%s", name);
    order.number = number;
    order.op = (Bus__ResourceOrder__Op)op;
    order.resource = copy;
    item.item_case = BUS__ITEM__ITEM_RESOURCE_ORDER;
    item.resource_order = &order;
    shard_on_item(lab->stage->shard, lab->stage->now_ms, STAGE_PEER_COORDINATOR, &item);
    stage_pump(lab->stage);
}

/* The answer to an order; NULL: there is none. */
static const Bus__ResourceReport *order(uint64_t number, int op, const char *name)
{
    uint32_t before = lab->stage->asked_count;

    send(number, op, name);
    if (lab->stage->asked_count == before)
        return NULL;
    return stage_asked(lab->stage, BUS__ITEM__ITEM_RESOURCE_REPORT)->resource_report;
}

static void is_done(const Bus__ResourceReport *report)
{
    ck_assert_ptr_nonnull(report);
    ck_assert_msg(!report->refused, "%s", report->error);
    ck_assert_str_eq(report->error, "");
}

static void is_refused(const Bus__ResourceReport *report, const char *error)
{
    ck_assert_ptr_nonnull(report);
    ck_assert(report->refused);
    ck_assert_msg(strstr(report->error, error) != NULL, "%s", report->error);
}

static const Bus__ResourceState *state_of(const Bus__ResourceReport *report, const char *name)
{
    for (size_t i = 0; i < report->n_resources; i++)
        if (strcmp(report->resources[i]->name, name) == 0)
            return report->resources[i];
    ck_abort_msg("%s is not told of", name);
}

static void stands(const Bus__ResourceReport *report, const char *name, Bus__ResourceState__Stands stands)
{
    ck_assert_int_eq(state_of(report, name)->stands, stands);
}

START_TEST(an_order_is_carried_out_and_answered)
{
    const Bus__ResourceReport *report;

    lab_write(lab, "one", "main.lua", "dlmp.log('info', 'old')");
    report = order(1, START, "one");
    is_done(report);
    ck_assert_uint_eq(report->number, 1);
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__RUNNING);
    lab_write(lab, "one", "main.lua", "dlmp.log('info', 'new')");
    is_done(order(2, RELOAD, "one"));
    lab_logs(lab, "text=new");
    is_done(order(3, RESTART, "one"));
    report = order(4, STOP, "one");
    is_done(report);
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__STOPPED);
    ck_assert(!script_runs(lab->script, "one"));
}
END_TEST

START_TEST(an_order_that_makes_no_sense_here_is_refused)
{
    lab_start(lab, "one", "");
    is_refused(order(1, START, "one"), "it runs already");
    is_refused(order(2, STOP, "other"), "it does not run");
    is_refused(order(3, RESTART, "other"), "it does not run");
    is_refused(order(4, RELOAD, "other"), "it does not run");
    is_refused(order(5, START, "other"), "its folder: No such file or directory");
}
END_TEST

START_TEST(a_mistake_is_told_with_file_and_line_and_the_rest_goes_on)
{
    const Bus__ResourceReport *report;

    lab_start(lab, "other", "");
    lab_start(lab, "one", "");
    lab_write(lab, "one", "main.lua", "\nlocal x = = 1");
    report = order(1, RELOAD, "one");
    is_refused(report, "main.lua:2: unexpected symbol near '='");
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__RUNNING); /* the old one */
    ck_assert_str_eq(state_of(report, "one")->error, report->error);
    stands(report, "other", BUS__RESOURCE_STATE__STANDS__RUNNING);
    report = order(2, RESTART, "one");
    is_refused(report, "main.lua:2: ");
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__FAILED);
    is_refused(order(3, START, "one"), "main.lua:2: ");
    report = order(4, STOP, "one"); /* nobody wants it any more */
    is_done(report);
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__STOPPED);
    ck_assert_str_eq(state_of(report, "one")->error, "");
}
END_TEST

START_TEST(a_sentence_is_one_line_of_plain_text_whatever_the_script_says)
{
    const Bus__ResourceReport *report;

    lab_write(lab, "one", "main.lua", "error('a\\nb\\27[31m\\255\\xC3\\xA9' .. ('\\xC3\\xA9'):rep(600), 0)");
    report = order(1, START, "one");
    is_refused(report, "a b?[31m?\xC3\xA9");
    ck_assert_uint_le(strlen(report->error), GAME_RESOURCE_ERROR_MAX);
    ck_assert(text_is_plain((struct span){ (const uint8_t *)report->error, strlen(report->error) }));
}
END_TEST

START_TEST(what_was_wished_before_changes_nothing_that_is_so_already)
{
    lab_start(lab, "one", "dlmp.log('info', 'starts')");
    (void)lab_log(lab);
    ck_assert_ptr_null(order(0, START, "one"));
    ck_assert_ptr_null(strstr(lab_log(lab), "starts"));
    ck_assert_ptr_null(order(0, STOP, "other"));
    is_done(order(0, STOP, "one"));
    ck_assert(!script_runs(lab->script, "one"));
    is_done(order(0, START, "one"));
    ck_assert(script_runs(lab->script, "one"));
}
END_TEST

START_TEST(what_the_watchdog_has_turned_off_only_an_operator_turns_on)
{
    const Bus__ResourceReport *report;
    FILE *file = fopen(off_file, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_gt(fputs("one\n", file), 0);
    ck_assert_int_eq(fclose(file), 0);
    lab_write(lab, "one", "main.lua", "");
    known_note(lab->script, "one", "");
    ck_assert_ptr_null(order(0, START, "one"));
    report = order(1, RELOAD, "one");
    is_refused(report, "it does not run");
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__OFF);
    is_done(order(2, START, "one"));
    ck_assert(!off_names(off_file, "one"));
}
END_TEST

START_TEST(a_coordinator_that_comes_is_told_how_all_stand)
{
    const Bus__ResourceReport *report;
    struct stage *stage = lab->stage;

    lab_start(lab, "one", "");
    lab_start_fails(lab, "two", "(", "main.lua:1: ");
    shard_peer_down(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR);
    shard_peer_up(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR,
                  "coordinator", 8);
    stage_pump(stage);
    report = stage_asked(stage, BUS__ITEM__ITEM_RESOURCE_REPORT)->resource_report;
    ck_assert_uint_eq(report->number, 0);
    ck_assert_uint_eq(report->n_resources, 2);
    stands(report, "one", BUS__RESOURCE_STATE__STANDS__RUNNING);
    stands(report, "two", BUS__RESOURCE_STATE__STANDS__FAILED);
}
END_TEST

START_TEST(bad_orders_are_dropped)
{
    static const struct {
        uint64_t number;
        int op;
        const char *name;
    } bad[] = { { 1, START, "" },
                { 1, START, "../one" },
                { 1, START, "One" },
                { 1, START, "one\n" },
                { 1, 0, "one" },
                { 1, 5, "one" },
                { 0, RESTART, "one" },
                { 0, RELOAD, "one" },
                { 1, START, "a234567890123456789012345678901234567890123456789" } };
    const uint64_t *dropped = &shard_stats(lab->stage->shard)->reasons[REASON_BUS_MALFORMED];

    lab_write(lab, "one", "main.lua", "");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_ptr_null(order(bad[i].number, bad[i].op, bad[i].name));
        ck_assert_uint_eq(*dropped, i + 1);
    }
    ck_assert_uint_eq(script_stats(lab->script)->resources, 0);
}
END_TEST

START_TEST(of_many_resources_those_that_run_are_remembered)
{
    char name[32];

    lab_start(lab, "one", "");
    for (int i = 0; i < GAME_RESOURCES_MAX + 10; i++) {
        (void)snprintf(name, sizeof name, "r%d", i);
        is_refused(order((uint64_t)i + 1, START, name), "its folder");
    }
    ck_assert_uint_eq(lab->script->known.count, GAME_RESOURCES_MAX);
    ck_assert_ptr_nonnull(known_find(&lab->script->known, "one"));
    ck_assert_ptr_nonnull(known_find(&lab->script->known, name));
    ck_assert_ptr_null(known_find(&lab->script->known, "r0"));
}
END_TEST

Suite *script_orders_suite(void)
{
    Suite *suite = suite_create("script_orders");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_order_is_carried_out_and_answered);
    tcase_add_test(tcase, an_order_that_makes_no_sense_here_is_refused);
    tcase_add_test(tcase, a_mistake_is_told_with_file_and_line_and_the_rest_goes_on);
    tcase_add_test(tcase, a_sentence_is_one_line_of_plain_text_whatever_the_script_says);
    tcase_add_test(tcase, what_was_wished_before_changes_nothing_that_is_so_already);
    tcase_add_test(tcase, what_the_watchdog_has_turned_off_only_an_operator_turns_on);
    tcase_add_test(tcase, a_coordinator_that_comes_is_told_how_all_stand);
    tcase_add_test(tcase, bad_orders_are_dropped);
    tcase_add_test(tcase, of_many_resources_those_that_run_are_remembered);
    suite_add_tcase(suite, tcase);
    return suite;
}
