/* Starting, stopping, restarting, reloading: also in the middle of what is going on. */
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shard/scopes.h"
#include "shard/script/off.h"
#include "shard/vehicle_life.h"
#include "shard/watchdog.h"
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

static void raise_scope(void)
{
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
}

static void give(const char *resource, const char *name, lua_CFunction function)
{
    for (size_t i = 0; i < lab->script->resources_count; i++)
        if (strcmp(lab->script->resources[i]->name, resource) == 0)
            lua_register(lab->script->resources[i]->main, name, function);
}

static int stop(lua_State *L)
{
    char error[SCRIPT_ERROR_SIZE];

    lua_pushboolean(L, script_stop(resource_of(L)->script, luaL_checkstring(L, 1), error) == 0);
    return 1;
}

static int reload(lua_State *L)
{
    char error[SCRIPT_ERROR_SIZE];

    lua_pushboolean(L, script_reload(resource_of(L)->script, luaL_checkstring(L, 1), error) == 0);
    return 1;
}

START_TEST(what_cannot_start_says_why)
{
    lab_start_fails(lab, "broken", "local x = = 1", "main.lua:1: unexpected symbol near '='");
    lab_start_fails(lab, "failing", "error('no thanks')", "main.lua:1: no thanks");
    lab_start_fails(lab, "endless", "local t = {} while true do t[#t + 1] = ('x'):rep(1 << 19) .. #t end",
                    "not enough memory");
    lab_write(lab, "empty", "other.lua", "");
    lab_start_fails(lab, "empty", NULL, "main.lua: No such file or directory");
    lab_start_fails(lab, "nowhere", NULL, "its folder: No such file or directory");
    lab_start_fails(lab, "../x", NULL, "no name of a resource");
    lab_start_fails(lab, "", NULL, "no name of a resource");
    lab_start_fails(lab, "binary", "\033Lua", "attempt to load a binary chunk");
    ck_assert_uint_eq(script_stats(lab->script)->resources, 0);
    ck_assert_uint_eq(script_stats(lab->script)->memory_bytes, 0);
    lab_start(lab, "fine", "");
    lab_start_fails(lab, "fine", NULL, "it runs already");
}
END_TEST

START_TEST(a_resource_hears_of_its_own_start_and_stop)
{
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one",
              "dlmp.on('resource_start', function() dlmp.log('info', 'up') end)\n"
              "dlmp.on('resource_stop', function() dlmp.log('info', 'down') end)");
    lab_logs(lab, "text=up");
    lab_start(lab, "two", "");
    ck_assert_ptr_null(strstr(lab_log(lab), "text=up"));
    ck_assert_int_eq(script_stop(lab->script, "one", error), 0);
    lab_logs(lab, "text=down");
    ck_assert_int_eq(script_stop(lab->script, "one", error), -1);
}
END_TEST

START_TEST(a_stop_removes_what_the_resource_has_made)
{
    const struct shard_vehicle what = stage_car(411, 0, 0);
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one", "dlmp.every(10, print) dlmp.after(1000, print) dlmp.on('tick', print)");
    vehicle_create(lab->stage->shard, 1, &what)->owner = lab->script->resources[0]->number;
    vehicle_create(lab->stage->shard, 2, &what)->owner = RESOURCE_NOBODY;
    ck_assert_uint_eq(script_stats(lab->script)->timers, 2);
    ck_assert_int_eq(script_stop(lab->script, "one", error), 0);
    ck_assert_ptr_null(world_vehicle(&lab->stage->shard->world, 1));
    ck_assert_ptr_nonnull(world_vehicle(&lab->stage->shard->world, 2));
    ck_assert_uint_eq(script_stats(lab->script)->timers, 0);
    ck_assert_uint_eq(script_stats(lab->script)->memory_bytes, 0);
    ck_assert_uint_eq(lab->stage->shard->heard, 0);
    vehicle_destroy(lab->stage->shard, world_vehicle(&lab->stage->shard->world, 2));
}
END_TEST

START_TEST(a_handler_may_stop_its_own_resource)
{
    lab_start(lab, "one",
              "dlmp.on('scope_start', function() stop('one') dlmp.log('info', 'still here') end)\n"
              "dlmp.on('scope_start', function() dlmp.log('info', 'not here') end)");
    lab_start(lab, "two", "dlmp.on('scope_start', function() dlmp.log('info', 'next') end)");
    give("one", "stop", stop);
    raise_scope();

    const char *log = lab_log(lab);

    ck_assert_ptr_nonnull(strstr(log, "still here"));
    ck_assert_ptr_null(strstr(log, "not here"));
    ck_assert_ptr_nonnull(strstr(log, "next"));
    ck_assert(!script_runs(lab->script, "one"));
    raise_scope();
    lab_logs(lab, "next");
}
END_TEST

START_TEST(a_timer_may_stop_its_own_resource_and_others)
{
    lab_start(lab, "one", "dlmp.every(10, function() stop('two') stop('one') end)");
    lab_start(lab, "two", "dlmp.every(10, function() dlmp.log('info', 'two ran') end)");
    give("one", "stop", stop);
    lab_run(lab, 30);
    ck_assert_uint_eq(script_stats(lab->script)->resources, 0);
    ck_assert_ptr_null(strstr(lab_log(lab), "two ran"));
}
END_TEST

START_TEST(a_resource_may_reload_itself_within_events_within_events)
{
    lab_start(lab, "one",
              "dlmp.on('scope_start', function() reload('one') end)\n"
              "dlmp.on('resource_start', function() dlmp.log('info', 'new') end)");
    give("one", "reload", reload);
    (void)lab_log(lab);
    raise_scope();
    lab_logs(lab, "text=new");
    ck_assert(script_runs(lab->script, "one"));
}
END_TEST

START_TEST(a_reload_that_fails_leaves_the_old_one)
{
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one", "dlmp.on('scope_start', function() dlmp.log('info', 'old') end)");
    lab_write(lab, "one", "main.lua", "dlmp.on('scope_start', print) error('new')");
    ck_assert_int_eq(script_reload(lab->script, "one", error), -1);
    ck_assert_str_eq(error, "main.lua:1: new");
    raise_scope();
    lab_logs(lab, "text=old");
    lab_write(lab, "one", "main.lua", "dlmp.on('scope_start', function() dlmp.log('info', 'third') end)");
    ck_assert_int_eq(script_reload(lab->script, "one", error), 0);
    raise_scope();

    const char *log = lab_log(lab);

    ck_assert(strstr(log, "text=third") != NULL && strstr(log, "text=old") == NULL);
    ck_assert_int_eq(script_restart(lab->script, "one", error), 0);
    raise_scope();
    lab_logs(lab, "text=third");
}
END_TEST

START_TEST(a_restart_that_fails_says_why)
{
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one", "");
    lab_write(lab, "one", "main.lua", "\n(");
    ck_assert_int_eq(script_restart(lab->script, "one", error), -1);
    ck_assert_ptr_nonnull(strstr(error, "main.lua:2: "));
    ck_assert(!script_runs(lab->script, "one"));
}
END_TEST

/* ---- scopes that started before it */

static const char *const fills = "dlmp.on('resource_start', function() dlmp.log('info', 'begins') end)\n"
                                 "dlmp.on('scope_start', function(world, interior)\n"
                                 "  dlmp.log('info', world .. '/' .. interior)\n"
                                 "end)";

static size_t count_of(const char *log, const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(log, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

static void start_scopes(void)
{
    ck_assert_int_eq(scopes_need(lab->stage->shard, (struct scope){ 0 }), REASON_NONE);
    ck_assert_int_eq(scopes_need(lab->stage->shard, (struct scope){ .virtual_world = 4, .interior = 3 }),
                     REASON_NONE);
}

static void must_have_filled(const char *log)
{
    const char *start = strstr(log, "text=begins");

    ck_assert_ptr_nonnull(start);
    ck_assert_uint_eq(count_of(log, "text=0/0"), 1);
    ck_assert_uint_eq(count_of(log, "text=4/3"), 1);
    ck_assert(start < strstr(log, "text=0/0") && strstr(log, "text=0/0") < strstr(log, "text=4/3"));
}

START_TEST(a_resource_that_starts_late_hears_of_the_scopes_that_have_started)
{
    char error[SCRIPT_ERROR_SIZE];

    start_scopes();
    lab_start(lab, "other", "dlmp.on('scope_start', function() dlmp.log('info', 'not mine') end)");
    (void)lab_log(lab);
    lab_start(lab, "one", fills);

    const char *log = lab_log(lab);

    must_have_filled(log);
    ck_assert_ptr_null(strstr(log, "not mine"));
    ck_assert_int_eq(script_restart(lab->script, "one", error), 0);
    must_have_filled(lab_log(lab));
    ck_assert_int_eq(script_reload(lab->script, "one", error), 0);
    must_have_filled(lab_log(lab));
}
END_TEST

START_TEST(a_reload_fills_the_scopes_once_what_was_there_is_gone)
{
    char error[SCRIPT_ERROR_SIZE];

    start_scopes();
    lab_start(lab, "one",
              "dlmp.on('scope_start', function(world) dlmp.log('info', 'before: ' .. #dlmp.vehicles())\n"
              "  assert(dlmp.create_vehicle{ model = 411, x = 0, y = 0, z = 3, virtual_world = world })\n"
              "end)");
    ck_assert_uint_eq(lab->stage->shard->world.vehicles.count, 2);
    (void)lab_log(lab);
    ck_assert_int_eq(script_reload(lab->script, "one", error), 0);
    ck_assert_uint_eq(lab->stage->shard->world.vehicles.count, 2);
    lab_logs(lab, "before: 0");
}
END_TEST

START_TEST(one_that_has_started_before_the_scopes_hears_of_them_once)
{
    lab_start(lab, "one", fills);
    start_scopes();
    must_have_filled(lab_log(lab));
}
END_TEST

START_TEST(an_error_in_one_scope_leaves_the_next_alone)
{
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one", "");
    start_scopes();
    lab_write(lab, "one", "main.lua",
              "dlmp.on('scope_start', function() dlmp.log('info', 'filled') error('full') end)");
    ck_assert_int_eq(script_reload(lab->script, "one", error), 0);
    ck_assert_uint_eq(count_of(lab_log(lab), "text=filled"), 2);
}
END_TEST

START_TEST(a_restart_keeps_its_place_in_the_order)
{
    char error[SCRIPT_ERROR_SIZE];

    lab_start(lab, "one", "dlmp.on('scope_start', function() dlmp.log('info', 'first') end)");
    lab_start(lab, "two", "dlmp.on('scope_start', function() dlmp.log('info', 'second') end)");
    ck_assert_int_eq(script_restart(lab->script, "one", error), 0);
    (void)lab_log(lab);
    raise_scope();

    const char *log = lab_log(lab);

    ck_assert(strstr(log, "first") < strstr(log, "second"));
}
END_TEST

/* ---- the watchdog */

static int hang(lua_State *L)
{
    volatile bool on = true;

    (void)L;
    while (on) { /* as no function of ours may */
    }
    return 0;
}

START_TEST(a_resource_that_hangs_the_shard_ends_it_and_is_off_from_then_on)
{
    char file[128];
    int status = 0;
    pid_t child;

    (void)snprintf(file, sizeof file, "%s/off", lab->folder);
    lab_start(lab, "good", "dlmp.on('tick', function() end)");
    lab_start(lab, "bad", "dlmp.on('tick', function() hang() end)");
    give("bad", "hang", hang);
    child = fork();
    if (child == 0) {
        const struct rlimit none = { 0, 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        if (watchdog_start(script_watch(lab->script), file, 120) == 0)
            shard_tick(lab->stage->shard, lab->stage->now_ms + 1000);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert(off_names(file, "bad"));
    ck_assert(!off_names(file, "good"));

    static const char *const start[] = { "good", "bad" };
    const struct script_config config = { .folder = lab->folder,
                                          .start = start,
                                          .start_count = 2,
                                          .off_file = file,
                                          .clock = lab->script->config.clock };
    struct stage *stage = stage_new(NULL, 0);
    struct script *again = script_new(stage->shard, &config);
    char error[SCRIPT_ERROR_SIZE];

    ck_assert(script_runs(again, "good"));
    ck_assert(!script_runs(again, "bad"));
    lab_logs(lab, "resource_is_off resource=bad");
    ck_assert_int_eq(script_start(again, "bad", error), 0); /* an operator has had a look */
    ck_assert(!off_names(file, "bad"));
    script_free(&again);
    stage_free(stage);
}
END_TEST

START_TEST(the_watchdog_leaves_calls_alone_that_come_to_an_end)
{
    char file[128];
    int status = 0;
    pid_t child;

    (void)snprintf(file, sizeof file, "%s/off", lab->folder);
    lab_start(lab, "busy", "dlmp.on('scope_start', function() for i = 1, 100000 do end end)");
    child = fork();
    if (child == 0) {
        if (watchdog_start(script_watch(lab->script), file, 24) != 0)
            _exit(1);
        for (int i = 0; i < 400; i++)
            raise_scope();
        watchdog_stop();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

Suite *script_lifecycle_suite(void)
{
    Suite *suite = suite_create("script_lifecycle");
    TCase *tcase = tcase_create("script_lifecycle");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_cannot_start_says_why);
    tcase_add_test(tcase, a_resource_hears_of_its_own_start_and_stop);
    tcase_add_test(tcase, a_stop_removes_what_the_resource_has_made);
    tcase_add_test(tcase, a_handler_may_stop_its_own_resource);
    tcase_add_test(tcase, a_timer_may_stop_its_own_resource_and_others);
    tcase_add_test(tcase, a_resource_may_reload_itself_within_events_within_events);
    tcase_add_test(tcase, a_reload_that_fails_leaves_the_old_one);
    tcase_add_test(tcase, a_restart_that_fails_says_why);
    tcase_add_test(tcase, a_resource_that_starts_late_hears_of_the_scopes_that_have_started);
    tcase_add_test(tcase, a_reload_fills_the_scopes_once_what_was_there_is_gone);
    tcase_add_test(tcase, one_that_has_started_before_the_scopes_hears_of_them_once);
    tcase_add_test(tcase, an_error_in_one_scope_leaves_the_next_alone);
    tcase_add_test(tcase, a_restart_keeps_its_place_in_the_order);
    tcase_add_test(tcase, a_resource_that_hangs_the_shard_ends_it_and_is_off_from_then_on);
    tcase_add_test(tcase, the_watchdog_leaves_calls_alone_that_come_to_an_end);
    suite_add_tcase(suite, tcase);
    return suite;
}
