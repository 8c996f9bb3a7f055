/* What a resource may try, and what becomes of it: the call ends, the resource and the shard go on. */
#include <fcntl.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "tests/unit/script_lab.h"
#include "tests/unit/suites.h"

static struct script_lab *lab;

static void setup(void)
{
    lab = lab_new();
}

/* Short limits, on the real clock: the tests take as long as they allow. */
static void setup_real(void)
{
    lab = lab_new_with(&(struct script_config){ .clock = { .wall_us = clock_us, .cpu_us = clock_cpu_us },
                                                .call_ms = 30,
                                                .budget_ms = 200,
                                                .budget_total_ms = 400,
                                                .memory_max = 8 << 20 });
}

static void teardown(void)
{
    lab_free(lab);
}

static bool raise_scope(void)
{
    return EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
}

/* The handler runs once, is stopped, and the resource's next one runs. */
static void is_stopped(const char *body, uint64_t longest_ms)
{
    char main[4096];
    uint64_t start_us;

    (void)snprintf(main, sizeof main,
                   "local first = true\n"
                   "dlmp.on('scope_start', function()\n"
                   "  if not first then dlmp.log('info', 'goes on') return end\n"
                   "  first = false\n  do %s end\n"
                   "  dlmp.log('info', 'was not stopped')\n"
                   "end)\n",
                   body);
    lab_start(lab, "bad", main);
    (void)lab_log(lab);
    start_us = clock_cpu_us(); /* others may have the machine meanwhile */
    (void)raise_scope();

    uint64_t took_ms = (clock_cpu_us() - start_us) / 1000;
    const char *log = lab_log(lab);

    ck_assert_msg(took_ms <= longest_ms, "%s: took %u ms", body, (unsigned)took_ms);
    ck_assert_msg(strstr(log, "was not stopped") == NULL, "%s", body);
    ck_assert_msg(strstr(log, "resource=bad handler=scope_start") != NULL, "%s: %s", body, log);
    ck_assert_msg(strstr(log, "main.lua:") != NULL, "%s", log);
    lab_run(lab, 1000);
    (void)raise_scope();
    lab_logs(lab, "goes on");
}

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): programs of several lines among those of one */
static const char *const endless[] = {
    "while true do end",
    "local function f() return f() end f()",
    "while true do pcall(function() while true do end end) end",
    "repeat xpcall(function() while true do end end, function(m) while true do end end) until false",
    "while true do coroutine.wrap(function() while true do end end)() end",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "while true do local x <close> = setmetatable({}, { __close = function() while true do end end }) "
    "while true do end end",
    "local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() "
    "while true do end end })\n"
    "  coroutine.yield() end) coroutine.resume(co) while true do coroutine.close(co) end",
    "local t = setmetatable({}, { __index = function(t, k) return t[k .. 'x'] end }) while true do "
    "pcall(function() return t.a end) end",
    "local s = ('a'):rep(30) while true do s:find(('a*'):rep(30) .. 'b') end",
    "(('a'):rep(1000000)):find(('.-'):rep(20) .. 'b')",
    "(('a'):rep(100000)):gsub('.-b', '')",
    "for _ in (('a'):rep(100000)):gmatch('.-b') do end",
    "local p = '[' .. ('a-b'):rep(100000) .. ']*x' while true do (('c'):rep(100000)):match(p) end",
    "(('('):rep(1000000)):match('%b()')  while true do (('('):rep(1000000)):match('%b()') end",
    "table.concat(setmetatable({}, { __index = table.concat }), '', 1, math.maxinteger)",
    "table.concat(setmetatable({}, { __index = rawlen }), '', 1, math.maxinteger)",
    "table.insert(setmetatable({}, { __len = function() return math.maxinteger - 1 end }), 1, 1)",
    "table.remove(setmetatable({}, { __len = function() return math.maxinteger end }), 1)",
    "table.move({}, 1, math.maxinteger - 1, 1)",
    "local t = {} for i = 1, 100000 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, "
    "1) end",
    "table.sort(setmetatable({}, { __len = function() return 1 << 30 end, __index = function() return 1 "
    "end, __newindex = rawlen }))",
    "local t = {} for i = 1, 200000 do t[i] = -i end while true do table.sort(t) end",
    "local s = ('x'):rep(1 << 19) local t = s .. 'y' while true do local u = s .. 'y' if u ~= t then "
    "error() end end",
    "local s = (' '):rep(1 << 20) while true do tonumber(s) end",
    "local s = (' '):rep((1 << 20) - 2) .. '1' while true do pcall(function() return s + 0 end) end",
    "local s = ('x'):rep(1 << 20) while true do utf8.len(s) end",
    "local s = ('x'):rep(1 << 20) while true do s:upper() end",
    "local s = ('x'):rep(1 << 20) while true do string.format('%s', s) end",
    "local s = ('%c'):rep(100) while true do os.date(s) end",
    "local s = 'x = 1 ' .. ('y = 2 '):rep(10000) while true do load(s) end",
    "while true do load(function() return 'x = 1 ' end) end",
    "while true do load(coroutine.wrap(function() while true do coroutine.yield(' ') end end)) end",
    "local t = {} for i = 1, 100000 do t[i] = i end for i = 1, 100000 do t[i] = nil end while true do "
    "next(t) end",
    "local function f(...) return f(1, ...) end f()",
    "while true do collectgarbage() end",
    "while true do pcall(string.rep) pcall(error) end",
    "while true do tostring(setmetatable({}, { __tostring = function() while true do end end })) end",
    "while true do dlmp.cancel(dlmp.after(1000, print)) end",
    "while true do dlmp.off(dlmp.on('tick', print)) end",
    "while true do pcall(require, 'nothing') end",
    "while true do io.open('none') end",
    "local f = io.open('f', 'w+') f:write(('x'):rep(1 << 19)) while true do f:seek('set') f:read('a') end",
    "local s = ('\\n'):rep(1 << 19) local f = io.open('g', 'w+') f:write(s) while true do for l in "
    "io.lines('g') do end end",
};

START_TEST(what_does_not_end_is_stopped)
{
    is_stopped(endless[_i], 400);
    ck_assert_msg(script_stats(lab->script)->over_time == 1, "%s: %u of %u", endless[_i],
                  (unsigned)script_stats(lab->script)->over_time,
                  (unsigned)script_stats(lab->script)->errors);
}
END_TEST

static const char *const greedy[] = {
    "local t = {} while true do t[#t + 1] = {} end",
    "local s = 'x' while true do s = s .. s end",
    "local t = {} while true do t[#t + 1] = ('x'):rep(1 << 19) .. #t end",
    "while true do pcall(function() local t = {} while true do t[#t + 1] = {} end end) end",
    "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "string.format(('%s'):rep(200), table.unpack(setmetatable({}, { __index = function() return "
    "('x'):rep(1 << 17) end }), 1, 200))",
    "local s = ('a'):rep(1 << 19) s:gsub('a', ('b'):rep(1000))",
    "table.concat(setmetatable({}, { __index = function() return ('x'):rep(1 << 18) end }), ',', 1, 1000)",
    "string.pack('c8000000', 'x')",
    "local f = io.open('f', 'w') for i = 1, 20 do f:write(('x'):rep(1 << 20)) end f:close() "
    "io.open('f'):read('a')",
};

START_TEST(what_wants_too_much_memory_is_stopped)
{
    is_stopped(greedy[_i], 600);
    ck_assert_uint_eq(script_stats(lab->script)->errors, 1);
    ck_assert_uint_lt(script_stats(lab->script)->memory_bytes, 9 << 20);
}
END_TEST

static const char *const deep[] = {
    "local function f() return 1 + f() end f()",
    "local function f() return pcall(f) end error(f())",
    "local function f() return 1 + (select(2, pcall(f)) or 0) end f() error('x')",
    "local function f() coroutine.wrap(f)() end f()",
    "local t = setmetatable({}, { __index = function(_, k) return t[k] end }) return t.x",
    "error(setmetatable({}, { __tostring = function() error('again') end }))",
    "xpcall(function() error('a') end, function() error('b') end) error('c')",
    "local t = {} setmetatable(t, { __call = t }) t()",
    "return ('x'):rep(200001):gsub(('(.-)'):rep(33), '')",
    "local function close(n) local co = coroutine.create(function() local x <close> = setmetatable({}, {\n"
    "  __close = function() close(n + 1) end }) coroutine.yield() end) coroutine.resume(co) "
    "assert(coroutine.close(co)) end\n"
    "close(1)",
    "local n = 0 local function nest(...) n = n + 1 return nest(table.unpack({ ... }), n) end local t = "
    "{} for i = 1, 7000 do t[i] = i end\n"
    "string.char(table.unpack(t))",
    "load(('('):rep(10000) .. ')') error(select(2, load(('{'):rep(10000))))",
    "error(('%s'):rep(10):format(nil))",
    "error()",
    "error({})",
};

START_TEST(what_goes_too_deep_or_fails_is_an_error)
{
    is_stopped(deep[_i], 400);
    ck_assert_uint_eq(script_stats(lab->script)->errors, 1);
}
END_TEST

/* NOLINTEND(bugprone-suspicious-missing-comma) */

/* Parsing takes the square of such a text's size: a file of the greatest size took half a second, out of
 * reach of every hook. */
START_TEST(to_parse_is_stopped_in_the_middle)
{
    enum { WORDS = 50000, WORD_SIZE = 5 };
    static const char head[] = "x = a";
    size_t size = sizeof head - 1;
    char *text = malloc(WORDS * WORD_SIZE + sizeof head);

    ck_assert_ptr_nonnull(text);
    memcpy(text, head, sizeof head);
    for (int i = 0; i < WORDS; i++, size += WORD_SIZE)
        memcpy(text + size, " or a", WORD_SIZE + 1);
    lab_write(lab, "bad", "long.lua", text);
    free(text);
    is_stopped("pcall(require, 'long')", 200);
    ck_assert_uint_eq(script_stats(lab->script)->over_time, 1);
}
END_TEST

static int open_files(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* A file that is required when there is no memory left must be closed all the same. */
START_TEST(what_runs_out_of_memory_leaves_no_file_open)
{
    int before = open_files();

    lab_write(lab, "bad", "small.lua", "return 1");
    is_stopped(
        "local t, x = {}, ('x'):rep(3000) while collectgarbage('count') < 7960 do t[#t + 1] = x .. #t end "
        "require 'small'",
        400);
    ck_assert_uint_eq(script_stats(lab->script)->over_memory, 1);
    lab_free(lab);
    lab = lab_new();
    ck_assert_int_eq(open_files(), before);
}
END_TEST

/* ---- what is said: packets and events wait in the outbox until the loop comes round */

START_TEST(who_tells_everybody_too_much_is_refused_until_the_second_is_over)
{
    lab_start(
        lab, "loud",
        "local text = ('x'):rep(8000)\n"
        "dlmp.on('scope_start', function()\n"
        "  local said, told, ok, why = 0, 0\n"
        "  repeat ok, why = dlmp.broadcast('e', text) if ok then said = said + 1 end until not ok or said "
        "> 1e5\n"
        "  assert(why == 'too much is told to everybody in this second' and said > 100 and said < 200)\n"
        "  assert(not dlmp.message_all('hello'))\n"
        "  dlmp.log('info', 'said so much')\n"
        "end)\n");
    lab_start(lab, "other", "dlmp.on('scope_start', function() assert(dlmp.broadcast('e')) end)");
    (void)raise_scope();
    lab_logs(lab, "said so much");
    lab_run(lab, 1000);
    (void)raise_scope();
    lab_logs(lab, "said so much");
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
    ck_assert_uint_eq(script_stats(lab->script)->over_said, 4);
}
END_TEST

START_TEST(a_storm_of_bans_is_refused_before_it_reaches_the_coordinator)
{
    (void)stage_spawn(lab->stage, 1, 0, 0);
    lab_passes(lab, "local player, count = dlmp.player(1), 0\n"
                    "while player:ban('x', 60) do count = count + 1 assert(count < 10000) end\n"
                    "assert(count > 100)");
    ck_assert_uint_eq(script_stats(lab->script)->over_said, 1);
}
END_TEST

START_TEST(a_call_that_says_more_than_the_shard_can_send_is_stopped)
{
    (void)stage_spawn(lab->stage, 1, 0, 0);
    lab_start(lab, "loud",
              "dlmp.on('scope_start', function()\n"
              "  local player = dlmp.player(1)\n"
              "  pcall(function() for i = 1, 1e7 do player:kick(('x'):rep(100)) end end)\n"
              "  dlmp.log('info', 'was not stopped')\n"
              "end)\n");

    const char *log = lab_log(lab);

    ck_assert_ptr_nonnull(strstr(log, "more than the shard can send"));
    ck_assert_ptr_null(strstr(log, "was not stopped"));
    ck_assert_uint_eq(script_stats(lab->script)->over_said, 1);
    ck_assert_uint_lt(lab->stage->shard->outbox.arena.taken, 40 << 20);
}
END_TEST

/* ---- time that stands still but for what the test says */

static int spend(lua_State *L)
{
    lab_spend_ms((uint64_t)luaL_checkinteger(L, 1));
    return 0;
}

static void give_spend(const char *resource)
{
    for (size_t i = 0; i < lab->script->resources_count; i++)
        if (strcmp(lab->script->resources[i]->name, resource) == 0)
            lua_register(lab->script->resources[i]->main, "spend", spend);
}

START_TEST(a_call_may_take_200_ms)
{
    lab_start(lab, "slow",
              "dlmp.on('scope_start', function(ms) spend(ms) for i = 1, 1000 do end dlmp.log('info', 'done') "
              "end)");
    give_spend("slow");
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(199), event_integer(0));
    lab_logs(lab, "done");
    lab_run(lab, 1000);
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(200), event_integer(0));
    lab_logs(lab, "it ran longer than a call may");
    ck_assert_uint_eq(script_stats(lab->script)->over_time, 1);
}
END_TEST

START_TEST(a_resource_may_use_250_ms_of_a_second)
{
    lab_start(
        lab, "slow",
        "dlmp.on('scope_start', function(ms) dlmp.log('info', 'begun') spend(ms) for i = 1, 1000 do end\n"
        "dlmp.log('info', 'done') end)");
    give_spend("slow");
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(150), event_integer(0));
    lab_logs(lab, "done");
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(100), event_integer(0));
    ck_assert_ptr_null(strstr(lab_log(lab), "done"));
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(1), event_integer(0));
    ck_assert_ptr_null(strstr(lab_log(lab), "begun"));
    ck_assert_uint_eq(script_stats(lab->script)->over_budget, 2);
    lab_run(lab, 1000);
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(1), event_integer(0));
    lab_logs(lab, "done");
}
END_TEST

START_TEST(what_a_resource_uses_is_not_charged_to_another)
{
    for (int i = 0; i < 2; i++) {
        char name[8] = { 'r', (char)('0' + i) };

        lab_start(lab, name,
                  "dlmp.on('scope_start', function(ms) spend(ms) for i = 1, 1000 do end dlmp.log('info', "
                  "'done') end)");
        give_spend(name);
    }
    (void)EVENT_RAISE(lab->stage->shard, EVENT_SCOPE_START, event_integer(150), event_integer(0));
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
}
END_TEST

START_TEST(an_error_that_repeats_is_written_once_and_counted)
{
    lab_start(lab, "bad", "dlmp.on('scope_start', function() error('again') end)");
    (void)lab_log(lab);
    for (int i = 0; i < 50; i++)
        (void)raise_scope();

    const char *log = lab_log(lab);
    const char *first = strstr(log, "again");

    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(strchr(first, '\n'), "again"));
    ck_assert_uint_eq(script_stats(lab->script)->errors, 50);
    lab_run(lab, 10000);
    lab_logs(lab, "resource_errors_repeated resource=bad count=49");
}
END_TEST

START_TEST(odd_answers_of_a_handler_say_nothing)
{
    static const char *const answers[] = { "nil",      "0",     "''",  "{}",     "true",
                                           "1, false", "print", "0/0", "'false'" };

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        char main[128];
        char error[SCRIPT_ERROR_SIZE];

        (void)snprintf(main, sizeof main, "dlmp.on('player_chat', function() return %s end)", answers[i]);
        lab_start(lab, "odd", main);
        ck_assert_msg(EVENT_RAISE(lab->stage->shard, EVENT_PLAYER_CHAT, event_integer(1), event_text("x")),
                      "%s", answers[i]);
        ck_assert_int_eq(script_stop(lab->script, "odd", error), 0);
    }
    lab_start(lab, "odd", "dlmp.on('player_chat', function() return false end)");
    ck_assert(!EVENT_RAISE(lab->stage->shard, EVENT_PLAYER_CHAT, event_integer(1), event_text("x")));
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
}
END_TEST

Suite *script_limits_suite(void)
{
    Suite *suite = suite_create("script_limits");
    TCase *real = tcase_create("real_time");
    TCase *still = tcase_create("still_time");

    tcase_set_timeout(real, 60);
    tcase_add_checked_fixture(real, setup_real, teardown);
    tcase_add_loop_test(real, what_does_not_end_is_stopped, 0, sizeof endless / sizeof endless[0]);
    tcase_add_loop_test(real, what_wants_too_much_memory_is_stopped, 0, sizeof greedy / sizeof greedy[0]);
    tcase_add_loop_test(real, what_goes_too_deep_or_fails_is_an_error, 0, sizeof deep / sizeof deep[0]);
    tcase_add_test(real, to_parse_is_stopped_in_the_middle);
    tcase_add_test(real, what_runs_out_of_memory_leaves_no_file_open);
    suite_add_tcase(suite, real);
    tcase_add_checked_fixture(still, setup, teardown);
    tcase_add_test(still, who_tells_everybody_too_much_is_refused_until_the_second_is_over);
    tcase_add_test(still, a_storm_of_bans_is_refused_before_it_reaches_the_coordinator);
    tcase_add_test(still, a_call_that_says_more_than_the_shard_can_send_is_stopped);
    tcase_add_test(still, a_call_may_take_200_ms);
    tcase_add_test(still, a_resource_may_use_250_ms_of_a_second);
    tcase_add_test(still, what_a_resource_uses_is_not_charged_to_another);
    tcase_add_test(still, an_error_that_repeats_is_written_once_and_counted);
    tcase_add_test(still, odd_answers_of_a_handler_say_nothing);
    suite_add_tcase(suite, still);
    return suite;
}
