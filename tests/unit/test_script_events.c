#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
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

START_TEST(handlers_run_in_the_order_of_resources_then_of_their_adding)
{
    lab_start(lab, "one",
              "dlmp.on('scope_start', function(w) dlmp.log('info', 'a' .. w) end)\n"
              "dlmp.on('scope_start', function(w) dlmp.log('info', 'b' .. w) end)");
    lab_start(lab, "two", "dlmp.on('scope_start', function(w) dlmp.log('info', 'c' .. w) end)");
    (void)lab_log(lab);
    ck_assert(EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(4), event_integer(0)));

    const char *log = lab_log(lab);
    const char *a = strstr(log, "text=a4");
    const char *b = strstr(log, "text=b4");
    const char *c = strstr(log, "text=c4");

    ck_assert(a != NULL && b > a && c > b);
}
END_TEST

START_TEST(an_event_is_raised_only_while_somebody_listens)
{
    lab_start(lab, "one",
              "local h = dlmp.on('tick', function() end)\n"
              "dlmp.on('player_chat', function() end)\n"
              "dlmp.after(50, function() assert(dlmp.off(h)) end)");
    ck_assert(event_is_heard(lab->stage->shard, EVENT_TICK));
    ck_assert(event_is_heard(lab->stage->shard, EVENT_PLAYER_CHAT));
    ck_assert(!event_is_heard(lab->stage->shard, EVENT_PLAYER_COMMAND));
    lab_run(lab, 100);
    ck_assert(!event_is_heard(lab->stage->shard, EVENT_TICK));

    char error[SCRIPT_ERROR_SIZE];

    ck_assert_int_eq(script_stop(lab->script, "one", error), 0);
    ck_assert_uint_eq(lab->stage->shard->heard, 0);
}
END_TEST

START_TEST(timers_run_when_they_are_due_in_the_order_of_their_time)
{
    lab_start(
        lab, "one",
        "local function say(what) return function() dlmp.log('info', what .. '@' .. dlmp.now()) end end\n"
        "dlmp.after(30, say 'c') dlmp.after(10, say 'a') dlmp.after(20, say 'b') dlmp.after(10, say 'a2')\n"
        "local n, t = 0 t = dlmp.every(20, function() n = n + 1 say('every' .. n)() if n == 2 then "
        "assert(dlmp.cancel(t)) end end)\n"
        "local gone = dlmp.after(10, say 'gone') assert(dlmp.cancel(gone)) assert(not dlmp.cancel(gone))");
    (void)lab_log(lab);
    lab_run(lab, 100);

    static const char *const order[] = { "a@10", "a2@10", "b@20", "every1@20", "c@30", "every2@40" };
    const char *log = lab_log(lab);
    const char *at = log;

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const char *found = strstr(at, order[i]);

        ck_assert_msg(found != NULL, "%s in %s", order[i], log);
        at = found;
    }
    ck_assert(strstr(log, "gone") == NULL && strstr(log, "every3") == NULL);
    ck_assert_uint_eq(script_stats(lab->script)->timers, 0);
}
END_TEST

START_TEST(a_timer_that_sets_another_for_now_waits_for_the_next_tick)
{
    lab_start(lab, "one",
              "n = 0 local function again() n = n + 1 dlmp.after(0, again) end dlmp.after(0, again)\n"
              "dlmp.on('scope_start', function() dlmp.log('info', 'n=' .. n) end)");
    lab_run(lab, 50);
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
    lab_logs(lab, "n=5");
}
END_TEST

START_TEST(late_timers_make_up_for_nothing)
{
    lab_start(lab, "one", "dlmp.every(10, function() dlmp.log('info', 'run') end)");
    (void)lab_log(lab);
    lab->stage->now_ms += 1000;
    script_tick(lab->script, lab->stage->now_ms);

    const char *first = strstr(lab_log(lab), "text=run");

    ck_assert(first != NULL && strstr(first + 1, "text=run") == NULL);
    ck_assert_uint_eq(script_wakes_at(lab->script), lab->stage->now_ms + 10);
}
END_TEST

START_TEST(there_is_a_limit_to_timers_and_handlers)
{
    lab_passes(lab,
               "for i = 1, 4096 do assert(dlmp.after(1000, print)) end assert(not dlmp.after(1000, "
               "print))\n"
               "for i = 1, 1024 do assert(dlmp.on('tick', print)) end assert(not dlmp.on('tick', print))");
}
END_TEST

/* The others' were looked through anew for each of a resource's: with a dozen resources, a second and
 * more. */
START_TEST(the_timers_of_a_resource_go_with_it_and_the_others_stay_in_order)
{
    enum { OTHERS = 10 };
    char error[SCRIPT_ERROR_SIZE];
    uint64_t start_us;

    for (int i = 0; i < OTHERS; i++) {
        char name[8] = { 'r', (char)('0' + i) };

        lab_start(lab, name,
                  "for i = 1, 4095 do dlmp.after(5000 + (i * 7919) % 4096, function() end) end\n"
                  "dlmp.after(6000, function() dlmp.log('info', 'still there') end)");
    }
    lab_start(lab, "late", "for i = 1, 4096 do dlmp.after(20000, function() error('late') end) end");
    start_us = clock_cpu_us();
    ck_assert_int_eq(script_stop(lab->script, "late", error), 0);
    ck_assert_uint_lt(clock_cpu_us() - start_us, 30000);
    ck_assert_uint_eq(script_stats(lab->script)->timers, OTHERS * 4096);
    for (size_t i = 1; i < lab->script->timers.count; i++)
        ck_assert_uint_ge(lab->script->timers.heap[i].due_ms, lab->script->timers.heap[(i - 1) / 2].due_ms);
    ck_assert_int_eq(script_stop(lab->script, "r0", error), 0);
    lab_run(lab, 25000);
    lab_logs(lab, "still there");
    ck_assert_uint_eq(script_stats(lab->script)->timers, 0);
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
}
END_TEST

START_TEST(tick_comes_every_100_ms)
{
    lab_start(lab, "one", "dlmp.on('tick', function(dt) dlmp.log('info', 'dt=' .. dt) end)");
    lab_run(lab, 300);

    const char *log = lab_log(lab);
    int ticks = 0;

    while ((log = strstr(log, "dt=100")) != NULL) {
        ticks++;
        log++;
    }
    ck_assert_int_eq(ticks, 3);
}
END_TEST

START_TEST(handlers_that_come_and_go_within_an_event_are_minded)
{
    lab_start(lab, "one",
              "local h\n"
              "dlmp.on('scope_start', function() if h then dlmp.off(h) h = nil end\n"
              "  dlmp.on('scope_start', function() dlmp.log('info', 'late') end) end)\n"
              "h = dlmp.on('scope_start', function() dlmp.log('info', 'removed') end)");
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
    ck_assert_ptr_null(strstr(lab_log(lab), "text="));
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
    lab_logs(lab, "late");
}
END_TEST

START_TEST(the_first_false_refuses_and_an_error_says_nothing)
{
    lab_start(
        lab, "one",
        "dlmp.on('player_chat', function(_, text) if text == 'e' then error('x') end return text ~= 'n' "
        "end)");
    lab_start(lab, "two",
              "dlmp.on('player_chat', function(_, text) dlmp.log('info', 'two heard ' .. text) end)");
    ck_assert(EVENT_RAISE(lab->stage->shard, EVENT_PLAYER_CHAT, event_integer(1), event_text("e")));
    lab_logs(lab, "two heard e");
    ck_assert(EVENT_RAISE(lab->stage->shard, EVENT_PLAYER_CHAT, event_integer(1), event_text("y")));
    lab_logs(lab, "two heard y");
    ck_assert(!EVENT_RAISE(lab->stage->shard, EVENT_PLAYER_CHAT, event_integer(1), event_text("n")));
    ck_assert_ptr_null(strstr(lab_log(lab), "two heard n"));
}
END_TEST

static int spend(lua_State *L)
{
    (void)L;
    lab_spend_ms(SCRIPT_CALL_MS);
    return 0;
}

static int raise_again(lua_State *L)
{
    (void)EVENT_RAISE(resource_shard(L), EVENT_SCOPE_START, event_integer(0), event_integer(0));
    return 0;
}

START_TEST(a_call_on_its_way_out_raises_nothing_that_would_keep_it)
{
    lab_start(lab, "one",
              "local depth = 0\n"
              "dlmp.on('scope_start', function()\n"
              "  depth = depth + 1 if depth > 1 then dlmp.log('info', 'nested') return end\n"
              "  local x <close> = setmetatable({}, { __close = again })\n"
              "  spend() while true do end\n"
              "end)");
    lua_register(lab->script->resources[0]->main, "again", raise_again);
    lua_register(lab->script->resources[0]->main, "spend", spend);
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));

    const char *log = lab_log(lab);

    ck_assert(strstr(log, "it ran longer") != NULL && strstr(log, "nested") == NULL);
    ck_assert_uint_eq(script_stats(lab->script)->over_time, 1);
}
END_TEST

START_TEST(events_within_events_end_at_some_depth)
{
    lab_start(lab, "one",
              "n = 0 dlmp.on('scope_start', function() n = n + 1 again() coroutine.wrap(again)() end)\n"
              "dlmp.on('scope_taken', function() dlmp.log('info', 'n=' .. n) end)");
    lua_register(lab->script->resources[0]->main, "again", raise_again);
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_TAKEN, event_integer(0), event_integer(0));
    lab_logs(lab, "n=255"); /* two each, eight deep */
    ck_assert_uint_eq(script_stats(lab->script)->too_deep, 256);
}
END_TEST

/* Player, Scope changes. Handlers may have moved a vehicle ahead: it comes along with who sits in it, not
 * with who walks there or is put into another one. The stage looks at each client's view at the barrier. */
static const char *const ways_after[] = {
    "assert(b:teleport{ virtual_world = 2 })",
    "assert(dlmp.put_player_in_vehicle(b, other, 0))",
};

START_TEST(a_vehicle_that_is_there_first_comes_along_with_its_occupants_alone)
{
    char main[1024];

    (void)stage_spawn(lab->stage, 1, 0, 0);
    (void)stage_spawn(lab->stage, 2, 1, 0);
    (void)snprintf(
        main, sizeof main,
        "local a, b = dlmp.player(1), dlmp.player(2)\n"
        "local v = dlmp.create_vehicle{ model = 411, x = 0, y = 0, z = 10 }\n"
        "local other = dlmp.create_vehicle{ model = 411, x = 5, y = 0, z = 10, virtual_world = 2 }\n"
        "dlmp.on('player_scope', function(p) if p == a then %s end end)\n"
        "dlmp.after(200, function() for seat, p in pairs{ [0] = a, b } do\n"
        "  assert(dlmp.put_player_in_vehicle(p, v, seat)) end end)\n"
        "dlmp.after(400, function() assert(dlmp.set_vehicle_scope(v, 2, 0)) end)\n"
        "dlmp.after(600, function() assert(b:virtual_world() == 2) dlmp.log('info', 'moved') end)\n",
        ways_after[_i]);
    lab_start(lab, "mover", main);
    lab_run(lab, 800);
    lab_logs(lab, "moved");
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
    ck_assert_uint_eq(lab->stage->clients[2].vehicles_count, 2);
}
END_TEST

Suite *script_events_suite(void)
{
    Suite *suite = suite_create("script_events");
    TCase *tcase = tcase_create("script_events");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, handlers_run_in_the_order_of_resources_then_of_their_adding);
    tcase_add_test(tcase, an_event_is_raised_only_while_somebody_listens);
    tcase_add_test(tcase, timers_run_when_they_are_due_in_the_order_of_their_time);
    tcase_add_test(tcase, a_timer_that_sets_another_for_now_waits_for_the_next_tick);
    tcase_add_test(tcase, late_timers_make_up_for_nothing);
    tcase_add_test(tcase, there_is_a_limit_to_timers_and_handlers);
    tcase_add_test(tcase, the_timers_of_a_resource_go_with_it_and_the_others_stay_in_order);
    tcase_add_test(tcase, tick_comes_every_100_ms);
    tcase_add_test(tcase, handlers_that_come_and_go_within_an_event_are_minded);
    tcase_add_test(tcase, the_first_false_refuses_and_an_error_says_nothing);
    tcase_add_test(tcase, a_call_on_its_way_out_raises_nothing_that_would_keep_it);
    tcase_add_test(tcase, events_within_events_end_at_some_depth);
    tcase_add_loop_test(tcase, a_vehicle_that_is_there_first_comes_along_with_its_occupants_alone, 0,
                        sizeof ways_after / sizeof ways_after[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
