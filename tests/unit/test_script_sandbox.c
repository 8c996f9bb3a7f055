/* What a resource cannot reach, and what it can. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const char *const left_out[] = {
    "debug",    "package",    "dofile",    "loadfile",   "warn",         "os.execute",
    "os.exit",  "os.remove",  "os.rename", "os.tmpname", "os.setlocale", "os.getenv",
    "io.popen", "io.tmpfile", "io.stdout", "io.stderr",  "io.stdin",     "io.output",
    "io.input", "io.read",    "io.write",  "io.close",   "string.dump",
};

START_TEST(what_reaches_beyond_the_resource_is_not_there)
{
    char main[128];

    (void)snprintf(main, sizeof main, "assert(%s == nil)", left_out[_i]);
    lab_passes(lab, main);
}
END_TEST

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): programs of several lines among those of one */
static const char *const there[] = {
    "assert(os.time() > 0 and os.date('%Y') and os.clock() and os.difftime(2, 1) == 1)",
    "assert(math.floor(1.5) == 1 and math.type(1) == 'integer' and math.random(3) <= 3)",
    "assert(select('#', 1, nil) == 2 and rawlen({ 1 }) == 1 and next({}) == nil and _G._G == _G)",
    "assert(#_VERSION > 0 and tostring(nil) == 'nil' and tonumber('0x10') == 16 and tonumber('z', 36) "
    "== 35)",
    "local t = setmetatable({}, { __index = { a = 1 } }) assert(t.a == 1 and getmetatable(t))",
    "assert(('x'):rep(3) == 'xxx' and ('%d'):format(4) == '4' and ('a,b'):find(',', 1, true) == 2)",
    "local f = assert(io.open('note', 'w')) assert(f:write('a\\n', 'b\\n')) assert(f:close())\n"
    "local t = {} for l in io.lines('note') do t[#t + 1] = l end assert(table.concat(t) == 'ab')\n"
    "local f <close> = io.open('note') assert(f:read('a') == 'a\\nb\\n' and io.type(f) == 'file')",
    "local f = io.open('note', 'a+') f:write('x') f:seek('set', 0) assert(f:read(1) == 'x') f:close() "
    "assert(io.type(f) == 'closed file')",
    "assert(collectgarbage('count') > 0 and collectgarbage() == 0)",
    "print('a\\0b', '\\xFF\\xFE', nil, {}) dlmp.log('warn', 'a\\0b\\xFF')",
    "assert(utf8.char(228) == '\\u{e4}' and utf8.len('\\u{e4}x') == 2)",
};

/* NOLINTEND(bugprone-suspicious-missing-comma) */

START_TEST(what_a_resource_needs_is_there)
{
    lab_passes(lab, there[_i]);
}
END_TEST

static const char *const refused[] = {
    "load('\\27LuaS')",
    "load(string.format('%s', '\\27Lua'), 'x', 'b')",
    "load('return 1', 'x', 'b') and nil or nil",
    "io.open('/etc/passwd')",
    "io.open('../other/main.lua')",
    "io.open('sub/../../other/main.lua')",
    "io.open('./main.lua')",
    "io.open('')",
    "io.open('sub')",
    "io.open('sub/')",
    "io.open('link')",
    "io.open('away/main.lua')",
    "io.open('pipe')",
    "io.open('pipe', 'w')",
    "io.open('nowhere/new', 'w')",
    "io.open(('x'):rep(300))",
};

START_TEST(what_is_beyond_the_resource_is_refused)
{
    char main[512];
    char path[256];

    lab_write(lab, "other", "main.lua", "");
    lab_write(lab, "passes", "sub/x.lua", "");
    (void)snprintf(path, sizeof path, "%s/passes/link", lab->folder);
    ck_assert_int_eq(symlink("../other/main.lua", path), 0);
    (void)snprintf(path, sizeof path, "%s/passes/away", lab->folder);
    ck_assert_int_eq(symlink("../other", path), 0);
    (void)snprintf(path, sizeof path, "%s/passes/pipe", lab->folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    (void)snprintf(main, sizeof main, "local r = %s assert(r == nil)", refused[_i]);
    lab_passes(lab, main);
}
END_TEST

static const char *const errors[] = {
    "setmetatable({}, { __gc = function() end })",
    "setmetatable({}, { __gc = true })",
    "getmetatable(io.open('main.lua')).x = 1",
    "setmetatable(io.open('main.lua'), {})",
    "require('..other')",
    "require('/etc/passwd')",
    "require('../other/main')",
    "require('link')",
    "require('a\\0b')",
    "require('')",
    "require('nothing')",
    "io.lines('../other/main.lua')",
    "io.open('main.lua', 'rw')",
    "io.open('a\\0b')",
    "string.rep('x', 1 << 30)",
    "string.byte(('x'):rep(10000), 1, -1)",
    "table.unpack({}, 1, 10000)",
    "utf8.codepoint(('x'):rep(10000), 1, -1)",
    "os.date(('x'):rep(300))",
    "collectgarbage('stop')",
    "collectgarbage('generational')",
    "dlmp.on('tick')",
    "dlmp.on(nil, print)",
    "dlmp.after('x', print)",
    "dlmp.after(1)",
    "dlmp.log('info')",
    "dlmp.off('x')",
    "dlmp.no_such_function()",
};

START_TEST(misuse_is_an_error_that_can_be_caught)
{
    char main[512];
    char path[256];

    lab_write(lab, "passes", "x.lua", "");
    (void)snprintf(path, sizeof path, "%s/passes/link.lua", lab->folder);
    ck_assert_int_eq(symlink("../other/main.lua", path), 0);
    (void)snprintf(main, sizeof main, "assert(not pcall(function() %s end))", errors[_i]);
    lab_passes(lab, main);
}
END_TEST

static const char *const answers[] = {
    "dlmp.log('loud', 'x')",
    "dlmp.on('', print)",
    "dlmp.on(('x'):rep(65), print)",
    "dlmp.on('a\\0b', print)",
    "dlmp.after(-1, print)",
    "dlmp.after(0/0, print)",
    "dlmp.after(1/0, print)",
    "dlmp.every(0, print)",
    "dlmp.every(-1/0, print)",
    "dlmp.after(1e300, print)",
    "dlmp.every(0/0, print)",
    "dlmp.off(0)",
    "dlmp.off(-1)",
    "dlmp.off(1.5)",
    "dlmp.off(1 << 40)",
    "dlmp.off(0/0)",
    "dlmp.cancel(99)",
    "dlmp.log('loud', 'x')",
    "dlmp.cancel(-5)",
    "dlmp.cancel(math.huge)",
};

START_TEST(bad_values_are_answered_with_nil_and_why)
{
    char main[256];

    (void)snprintf(main, sizeof main, "local ok, why = %s assert(ok == nil and type(why) == 'string')",
                   answers[_i]);
    lab_passes(lab, main);
}
END_TEST

START_TEST(modules_come_from_the_own_folder_once_each)
{
    lab_write(lab, "passes", "lib.lua", "loads = (loads or 0) + 1 return { name = ... }");
    lab_write(lab, "passes", "sub/part.lua", "return require('lib')");
    lab_write(lab, "passes", "none.lua", "");
    lab_write(lab, "passes", "circle.lua", "return require('circle')");
    lab_write(lab, "passes", "bad.lua", "x = = 1");
    lab_passes(lab,
               "assert(require('lib').name == 'lib')\n"
               "assert(require('sub.part') == require('lib') and loads == 1)\n"
               "assert(require('none') == true)\n"
               "local ok, why = pcall(require, 'circle') assert(not ok and why:find('requires itself'))\n"
               "local ok, why = pcall(require, 'bad') assert(not ok and why:find('bad.lua:1'))\n"
               "local ok, why = pcall(require, 'circle') assert(not ok)");
}
END_TEST

START_TEST(a_resource_sees_nothing_of_another)
{
    lab_start(lab, "one", "secret = 1 string.stolen = 1 getmetatable('').__index.taken = 1 math.pi = 3");
    lab_start(lab, "two",
              "assert(secret == nil and string.stolen == nil and ('').taken == nil and math.pi > 3.1)");
}
END_TEST

START_TEST(sixteen_files_may_be_open)
{
    lab_passes(lab, "local open = {} for i = 1, 16 do open[i] = assert(io.open('main.lua')) end\n"
                    "assert(not io.open('main.lua')) open[1]:close() assert(io.open('main.lua'))\n"
                    "open = nil for i = 1, 100 do assert(io.open('main.lua')) end");
}
END_TEST

Suite *script_sandbox_suite(void)
{
    Suite *suite = suite_create("script_sandbox");
    TCase *tcase = tcase_create("script_sandbox");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, what_reaches_beyond_the_resource_is_not_there, 0,
                        sizeof left_out / sizeof left_out[0]);
    tcase_add_loop_test(tcase, what_a_resource_needs_is_there, 0, sizeof there / sizeof there[0]);
    tcase_add_loop_test(tcase, what_is_beyond_the_resource_is_refused, 0, sizeof refused / sizeof refused[0]);
    tcase_add_loop_test(tcase, misuse_is_an_error_that_can_be_caught, 0, sizeof errors / sizeof errors[0]);
    tcase_add_loop_test(tcase, bad_values_are_answered_with_nil_and_why, 0,
                        sizeof answers / sizeof answers[0]);
    tcase_add_test(tcase, modules_come_from_the_own_folder_once_each);
    tcase_add_test(tcase, a_resource_sees_nothing_of_another);
    tcase_add_test(tcase, sixteen_files_may_be_open);
    suite_add_tcase(suite, tcase);
    return suite;
}
