/* Our parts of Lua's library against Lua's own: the same programs, the same results. */
#include <fcntl.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <stdlib.h>
#include <string.h>
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

/* What both are asked to do: `add` notes results, `draw(n)` gives 1..n, the same in both. */
static const char frame[] =
    "local out, state = {}, SEED\n"
    "local function draw(n) state = (state * 1103515245 + 12345) % 2147483648; return state // 65536 % "
    "n + 1 end\n"
    "local function show(v)\n"
    "  if type(v) == 'string' then return (string.format('%q', v:gsub(\"argument #%d to '.-'\", "
    "'argument'))) end\n"
    "  if type(v) == 'table' then local t = {}\n"
    "    for i = 1, #v do t[i] = show(v[i]) end return '{' .. table.concat(t, ',') .. '}' end\n"
    "  return tostring(v) end\n"
    "local function add(...)\n"
    "  local t = table.pack(...)\n"
    "  for i = 1, t.n do t[i] = show(t[i]) end\n"
    "  out[#out + 1] = table.concat(t, ' ', 1, t.n) end\n"
    "local function pick(list) return list[draw(#list)] end\n";

static const char patterns[] =
    "local letters = { 'a', 'b', 'A', '1', '.', ' ', '%', '-', ']', '[', '^', '\\0', 'z', '\\xE9' }\n"
    "local parts = { 'a', 'b', '.', '%a', '%d', '%s', '%W', '%x', '[ab]', '[^a]', '[a-z]', '[%a1]', "
    "'[]]', '[^]]',\n"
    "  '[a-]', '%%', '%.', '(', ')', '()', '%1', '%2', '%b()', '%bab', '%baa', '%f[a]', '%f[^%a]', '$', "
    "'^', '[%]]',\n"
    "  '[', '%', '%b', '%f', '%z', '%l', '%U', '%g', '%p', '%c', '%9', '\\0', '[\\0a]', '[z-a]', '-', "
    "'[^', '[%a-z]' }\n"
    "local repeats = { '', '', '', '', '*', '+', '-', '?', '**' }\n"
    "for i = 1, 12000 do\n"
    "  local subject, pattern = {}, {}\n"
    "  for k = 1, draw(12) - 1 do subject[k] = pick(letters) end\n"
    "  for k = 1, draw(6) - 1 do pattern[k] = pick(parts) .. pick(repeats) end\n"
    "  local s, p = table.concat(subject), table.concat(pattern)\n"
    "  if draw(4) == 1 then p = '^' .. p end\n"
    "  local from = draw(20) - 10\n"
    "  add(i, s, p, from)\n"
    "  add(pcall(string.find, s, p, from))\n"
    "  add(pcall(string.find, s, p, from, true))\n"
    "  add(pcall(string.match, s, p, from))\n"
    "  add(pcall(function() local n, t = 0, {}\n"
    "    for x, y in s.gmatch(s, p, from) do t[#t + 1] = tostring(x) .. tostring(y) end return t end))\n"
    "  add(pcall(string.gsub, s, p, pick { 'x', '<%0>', '%1', '%2%1', '%%', '%', '%x', '' }, pick { 1, "
    "2, 0, 1000 }))\n"
    "  add(pcall(string.gsub, s, p, { a = 'X', b = false, ab = 7, A = {} }))\n"
    "  add(pcall(string.gsub, s, p, function(x, y) return draw(3) == 1 and tostring(x) .. tostring(y) "
    "end))\n"
    "end\n";

static const char others[] =
    "for i = 1, 3000 do\n"
    "  local t, n = {}, draw(8) - 1\n"
    "  for k = 1, n do t[k] = draw(100) end\n"
    "  local a, b, c = draw(12) - 4, draw(12) - 4, draw(12) - 4\n"
    "  add(pcall(table.insert, t, a, b)) add(t)\n"
    "  add(pcall(table.insert, t, c)) add(t)\n"
    "  add(pcall(table.remove, t, a)) add(t)\n"
    "  add(pcall(table.remove, t)) add(t)\n"
    "  add(pcall(table.move, t, a, b, c)) add(t)\n"
    "  add(pcall(table.move, t, 1, #t, c, {}))\n"
    "  add(pcall(table.concat, t, ', ', a, b)) add(pcall(table.concat, t)) add(pcall(table.concat, t, "
    "'-', a))\n"
    "  add(pcall(table.unpack, t, a, b)) add(pcall(table.unpack, t)) add(select('#', table.unpack(t, c)))\n"
    "  if pcall(table.sort, t) then add(t) end\n"
    "  if pcall(table.sort, t, function(x, y) return x > y end) then add(t) end\n"
    "  local s = string.rep('aB3', draw(4) - 1, pick { '', ',', '--' })\n"
    "  add(s, pcall(string.byte, s, a, b)) add(pcall(string.byte, s, a)) add(pcall(string.byte, s))\n"
    "  add(pcall(string.rep, 'x', a)) add(pcall(string.rep, s, 2, 'y')) add(s:upper(), s:lower(), "
    "s:reverse(), s:sub(a, b))\n"
    "  add(pcall(string.format, '%5d|%-5s|%q', a, s, s)) add(pcall(utf8.codepoint, s, a, b)) "
    "add(pcall(utf8.len, s, a, b))\n"
    "end\n"
    "add(pcall(table.insert, {}, 1, 2, 3)) add(pcall(table.insert, {})) add(pcall(table.concat, { 1, "
    "{}, 2 }))\n"
    "add((pcall(table.sort, { 1, 'x' }))) add(pcall(table.sort, {}, 1)) add(pcall(table.move, {}, 1, "
    "math.maxinteger, 2))\n"
    "add(pcall(setmetatable, 1, {})) add(pcall(setmetatable, {}, 1)) add(pcall(setmetatable, {}))\n"
    "add(pcall(setmetatable, setmetatable({}, { __metatable = 1 }), {})) add(pcall(pcall)) "
    "add(pcall(xpcall, print))\n"
    "add(xpcall(function(...) return ... end, print, 1, nil, 3)) add(xpcall(error, function(m) return m "
    ".. '!' end, 'x', 0))\n"
    "add(pcall(error, { 1, 2 })) add(pcall(error)) add(pcall(load, 1)) add(load('x =')) "
    "add(load('return 1', 'n', 't')())\n"
    "add(load('return a', 'n', 't', { a = 5 })()) add(load('return a', 'n', 't', nil) ~= nil)\n"
    "local parts = { 'return ', '4', '2' } local at = 0 add(load(function() at = at + 1 return "
    "parts[at] end)())\n"
    "add(pcall(load, function() return {} end))\n"
    "local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) error('e' .. c, 0) end)\n"
    "add(coroutine.resume(co, 1, 2)) add(coroutine.status(co)) add(coroutine.resume(co, 'x')) "
    "add(coroutine.status(co))\n"
    "add(coroutine.resume(co)) add(coroutine.close(co)) add(pcall(coroutine.resume, 1)) "
    "add(pcall(coroutine.wrap, 1))\n"
    "local w = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i, i * i) end end)\n"
    "add(w()) add(w()) add(w()) add(w()) add(pcall(w))\n"
    "add(pcall(coroutine.wrap(function() error('inside', 0) end))) add(pcall(coroutine.wrap(function() "
    "error({}) end)))\n"
    "local closed = coroutine.create(function() local x <close> = setmetatable({}, { __close = "
    "function() add('closed') end })\n"
    "  coroutine.yield() end) coroutine.resume(closed) add(coroutine.close(closed)) "
    "add(coroutine.status(closed))\n"
    "local bad = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() "
    "error('c', 0) end })\n"
    "  coroutine.yield() end) coroutine.resume(bad) add(coroutine.close(bad))\n"
    "add(pcall(function() local y = coroutine.wrap(function() return pcall(function() "
    "coroutine.yield(1) error('z', 0) end) end)\n"
    "  add(y()) add(y()) end))\n"
    "add(coroutine.isyieldable()) add(select(2, coroutine.running()))\n";

static char *file_text(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = calloc(1, 1 << 24);

    ck_assert_ptr_nonnull(in);
    ck_assert_uint_gt(fread(text, 1, (1 << 24) - 1, in), 0);
    (void)fclose(in);
    return text;
}

static void both_give_the_same(const char *body, unsigned seed)
{
    char *program = malloc(1 << 16);
    char ours[128];
    char theirs[128];
    lua_State *L = luaL_newstate();

    (void)snprintf(ours, sizeof ours, "%s/same/ours", lab->folder);
    (void)snprintf(theirs, sizeof theirs, "%s/theirs", lab->folder);
    (void)snprintf(program, 1 << 16,
                   "local SEED = %u\n%s%s\nlocal f = assert(io.open(OUT or 'ours', 'w'))\n"
                   "for i = 1, #out do f:write(out[i], '\\n') end f:close()",
                   seed, frame, body);
    luaL_openlibs(L);
    lua_pushstring(L, theirs);
    lua_setglobal(L, "OUT");
    ck_assert_msg(luaL_loadbuffer(L, program, strlen(program), "@main.lua") == LUA_OK &&
                      lua_pcall(L, 0, 0, 0) == LUA_OK,
                  "%s", lua_tostring(L, -1));
    lua_close(L);
    lab_start(lab, "same", program);

    char *a = file_text(ours);
    char *b = file_text(theirs);
    size_t at = 0;

    while (a[at] != '\0' && a[at] == b[at])
        at++;
    ck_assert_msg(a[at] == b[at], "ours: %.600s\n----\ntheirs: %.300s", a + (at > 300 ? at - 300 : 0),
                  b + at);
    free(a);
    free(b);
    free(program);
}

START_TEST(patterns_match_what_those_of_lua_match)
{
    both_give_the_same(patterns, (unsigned)_i + 1);
}
END_TEST

START_TEST(what_is_ours_does_what_lua_does)
{
    both_give_the_same(others, 7);
}
END_TEST

Suite *script_library_suite(void)
{
    Suite *suite = suite_create("script_library");
    TCase *tcase = tcase_create("script_library");

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, patterns_match_what_those_of_lua_match, 0, 4);
    tcase_add_test(tcase, what_is_ours_does_what_lua_does);
    suite_add_tcase(suite, tcase);
    return suite;
}
