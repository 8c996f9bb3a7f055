#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <math.h>
#include <string.h>

#include "shard/script/values.h"
#include "tests/unit/suites.h"

static lua_State *L;
static uint8_t bytes[VALUES_BROADCAST_MAX];

static void setup(void)
{
    L = luaL_newstate();
    luaL_openlibs(L);
}

static void teardown(void)
{
    lua_close(L);
}

/* Pushes what the expressions give. */
static int values_of(const char *expressions)
{
    char chunk[512];

    lua_settop(L, 0);
    (void)snprintf(chunk, sizeof chunk, "local t = {} t[1] = t return %s", expressions);
    ck_assert_msg(luaL_dostring(L, chunk) == LUA_OK, "%s", lua_tostring(L, -1));
    return lua_gettop(L);
}

static const char *encode(const char *expressions, size_t room, size_t *size)
{
    int count = values_of(expressions);
    struct writer out;
    const char *why;

    writer_init(&out, bytes, room);
    why = values_encode(L, 1, count, &out);
    ck_assert_int_eq(lua_gettop(L), count);
    *size = writer_size(&out);
    return why;
}

static const char *const kept[] = {
    "",
    "nil",
    "true, false",
    "0, -1, math.maxinteger, math.mininteger",
    "0.5, -0.0, 1e300, 3.0",
    "''",
    "'a\\0b\\xFF'",
    "{}",
    "{ 1, 2, 3 }",
    "{ a = 1, [true] = false, [2.5] = 'x', [-7] = { { {} } } }",
    "nil, nil",
    "{ {}, { { 'deep' } } }, 5",
};

START_TEST(what_is_written_comes_back)
{
    size_t size;
    int count;

    ck_assert_ptr_null(encode(kept[_i], sizeof bytes, &size));
    count = lua_gettop(L);
    ck_assert_int_eq(values_decode(L, (struct span){ .data = bytes, .size = size }), count);
    ck_assert_int_eq(
        luaL_dostring(
            L, "function same(a, b) if type(a) ~= 'table' then return rawequal(a, b) and math.type(a) == "
               "math.type(b) end\n"
               "for k, v in pairs(a) do if not same(v, b[k]) then return false end end\n"
               "for k in pairs(b) do if a[k] == nil then return false end end return true end"),
        LUA_OK);
    for (int i = 1; i <= count; i++) {
        lua_getglobal(L, "same");
        lua_pushvalue(L, i);
        lua_pushvalue(L, count + i);
        lua_call(L, 2, 1);
        ck_assert_msg(lua_toboolean(L, -1) != 0, "%s", kept[_i]);
        lua_pop(L, 1);
    }
}
END_TEST

static const struct {
    const char *expressions, *why;
} refused[] = {
    { "print", "a value that is no" },
    { "io.stdout", "a value that is no" },
    { "coroutine.create(print)", "a value that is no" },
    { "{ print }", "a value that is no" },
    { "0/0", "not finite" },
    { "1/0", "not finite" },
    { "{ x = -1/0 }", "not finite" },
    { "{ [1/0] = 1 }", "not finite" },
    { "t", "within itself" },
    { "{ {{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}} }", "nested too deeply" },
    { "{ [{}] = 1 }", "a table as a key" },
    { "setmetatable({}, {})", "metatable" },
    { "{ setmetatable({}, { __index = print }) }", "metatable" },
    { "('x'):rep(9000)", "too long" },
    { "('x'):rep(70000)", "too long" },
    { "(function() local l = {} for i = 1, 5000 do l[i] = i end return l end)()", "too long" },
    { "table.unpack({}, 1, 33)", "too many values" },
};

START_TEST(what_cannot_be_carried_is_refused)
{
    size_t size;
    const char *why = encode(refused[_i].expressions, sizeof bytes, &size);

    ck_assert_msg(why != NULL && strstr(why, refused[_i].why) != NULL, "%s: %s", refused[_i].expressions,
                  why != NULL ? why : "taken");
}
END_TEST

START_TEST(the_room_is_used_to_the_last_byte)
{
    size_t size;

    ck_assert_ptr_null(encode("('x'):rep(4092)", VALUES_DATA_MAX, &size));
    ck_assert_uint_eq(size, VALUES_DATA_MAX);
    ck_assert_str_eq(encode("('x'):rep(4093)", VALUES_DATA_MAX, &size), "too long");
}
END_TEST

START_TEST(bytes_that_are_cut_or_go_on_are_malformed)
{
    size_t size;

    ck_assert_ptr_null(encode("{ a = { 1, 2.5, 'text' } }, true", sizeof bytes, &size));
    lua_settop(L, 0);
    for (size_t cut = 0; cut < size; cut++)
        ck_assert_int_eq(values_decode(L, (struct span){ .data = bytes, .size = cut }), -1);
    bytes[size] = 0;
    ck_assert_int_eq(values_decode(L, (struct span){ .data = bytes, .size = size + 1 }), -1);
    ck_assert_int_eq(lua_gettop(L), 0);
}
END_TEST

static const struct {
    const char *what;
    size_t size;
    uint8_t data[32];
} malformed[] = {
    { "an unknown kind", 2, { 1, 7 } },
    { "too many values", 34, { 33 } },
    { "NaN", 10, { 1, 4, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F } },
    { "infinity", 10, { 1, 4, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F } },
    { "nil as a key", 6, { 1, 6, 1, 0, 0, 1 } },
    { "nil in a table", 6, { 1, 6, 1, 0, 1, 0 } },
    { "a table as a key", 8, { 1, 6, 1, 0, 6, 0, 0, 1 } },
    { "a key twice", 8, { 1, 6, 2, 0, 1, 1, 1, 2 } },
    { "more pairs than there are", 6, { 1, 6, 2, 0, 1, 1 } },
    { "a text longer than there is", 6, { 1, 5, 3, 0, 'a', 'b' } },
};

START_TEST(malformed_bytes_are_refused_whole)
{
    lua_settop(L, 0);
    ck_assert_msg(values_decode(L, (struct span){ .data = malformed[_i].data, .size = malformed[_i].size }) ==
                      -1,
                  "%s", malformed[_i].what);
    ck_assert_int_eq(lua_gettop(L), 0);
}
END_TEST

Suite *script_values_suite(void)
{
    Suite *suite = suite_create("script_values");
    TCase *tcase = tcase_create("script_values");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, what_is_written_comes_back, 0, sizeof kept / sizeof kept[0]);
    tcase_add_loop_test(tcase, what_cannot_be_carried_is_refused, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tcase, the_room_is_used_to_the_last_byte);
    tcase_add_test(tcase, bytes_that_are_cut_or_go_on_are_malformed);
    tcase_add_loop_test(tcase, malformed_bytes_are_refused_whole, 0, sizeof malformed / sizeof malformed[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
