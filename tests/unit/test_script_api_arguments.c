#include <float.h>
#include <lua5.4/lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/api_check.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"
#include "shard/vehicle_life.h"
#include "tests/unit/api_stage.h"
#include "tests/unit/suites.h"

/* Every parameter of every function of the gamemode API, from the table itself, with every kind of value that
 * a script can come up with. What holds for all: nothing crashes; a wrong Lua type raises an error that names
 * the argument and the function; a value out of place is refused with nil and a sentence that names it. */

static struct api_stage api;

static void setup(void)
{
    api_stage_open(&api, "dlmp.create_team('red')");
}

static void teardown(void)
{
    api_stage_close(&api);
}

/* ---- values ---- */

static int do_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

static const struct player_ref the_player = { ALICE, 1000 + ALICE };

static void push_text(lua_State *L, size_t size)
{
    char *text = lua_newuserdatauv(L, size + 1, 0);

    memset(text, 'a', size);
    lua_pushlstring(L, text, size);
    lua_remove(L, -2);
}

static void push_good(lua_State *L, const struct api_parameter *parameter);

static void push_good_fields(lua_State *L, const struct api_parameter *fields, const char *without)
{
    lua_newtable(L);
    for (; fields->kind != API_NONE; fields++) {
        if (without != NULL && strcmp(fields->name, without) == 0)
            continue;
        push_good(L, fields);
        lua_setfield(L, -2, fields->name);
    }
}

/* A whole number within the bounds, one that is likely to be a value of sense. */
static double good_number(const struct api_parameter *parameter)
{
    return ceil(fmax(parameter->min, fmin(parameter->max, 1)) * 1000) / 1000;
}

static void push_good(lua_State *L, const struct api_parameter *parameter)
{
    switch (parameter->kind) {
    case API_PLAYER:
        api_push_player(L, the_player);
        break;
    case API_VEHICLE:
        api_push_vehicle(L, api.car);
        break;
    case API_TEAM:
        api_push_team(L, 1); /* the first that was made */
        break;
    case API_BOOLEAN:
        lua_pushboolean(L, 1);
        break;
    case API_INTEGER:
    case API_NUMBER:
        lua_pushnumber(L, good_number(parameter));
        break;
    case API_TEXT:
        push_text(L, (size_t)fmax(parameter->min, 1));
        break;
    case API_WORD:
        lua_pushstring(L, parameter->words[0]);
        break;
    case API_FUNCTION:
        lua_pushcfunction(L, do_nothing);
        break;
    case API_TABLE:
        push_good_fields(L, parameter->fields, NULL);
        break;
    case API_LIST:
        lua_newtable(L);
        for (lua_Integer i = 1; i <= (lua_Integer)parameter->min; i++) {
            push_good(L, &parameter->fields[0]);
            lua_rawseti(L, -2, i);
        }
        break;
    case API_PAIRS:
        lua_newtable(L);
        push_good(L, &parameter->fields[0]);
        push_good(L, &parameter->fields[1]);
        lua_rawset(L, -3);
        break;
    default:
        lua_pushinteger(L, 1);
    }
}

/* What is wrong with a value for a kind: bits of `enum api_kind`. */
#define BIT(kind) (1u << (kind))

enum {
    NUMBERS = BIT(API_INTEGER) | BIT(API_NUMBER),
    TEXTS = BIT(API_TEXT) | BIT(API_WORD),
    TABLES = BIT(API_TABLE) | BIT(API_LIST) | BIT(API_PAIRS),
    HANDLES = BIT(API_PLAYER) | BIT(API_VEHICLE) | BIT(API_TEAM),
    /* Lua takes a number for a string. */
    NO_NUMBER = HANDLES | BIT(API_BOOLEAN) | BIT(API_FUNCTION) | TABLES,
    ALL = NUMBERS | TEXTS | NO_NUMBER,
};

static void push_nan(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnumber(L, (lua_Number)NAN);
}

static void push_infinity(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnumber(L, (lua_Number)INFINITY);
}

static void push_minus_infinity(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnumber(L, -(lua_Number)INFINITY);
}

static void push_huge(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnumber(L, DBL_MAX);
}

static void push_minus_huge(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnumber(L, -DBL_MAX);
}

static void push_greatest_integer(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushinteger(L, LUA_MAXINTEGER);
}

static void push_least_integer(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushinteger(L, LUA_MININTEGER);
}

static void push_below(lua_State *L, const struct api_parameter *parameter)
{
    if (parameter->kind == API_INTEGER)
        lua_pushnumber(L, parameter->min - 1);
    else
        lua_pushnumber(L, (lua_Number)nextafterf((float)parameter->min, -INFINITY));
}

static void push_above(lua_State *L, const struct api_parameter *parameter)
{
    if (parameter->kind == API_INTEGER)
        lua_pushnumber(L, parameter->max + 1);
    else
        lua_pushnumber(L, (lua_Number)nextafterf((float)parameter->max, INFINITY));
}

static void push_fraction(lua_State *L, const struct api_parameter *parameter)
{
    lua_pushnumber(L, good_number(parameter) + 0.5);
}

static void push_nil(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushnil(L);
}

static void push_true(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushboolean(L, 1);
}

static void push_one(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushinteger(L, 1);
}

static void push_word(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushliteral(L, "no number");
}

static void push_function(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushcfunction(L, do_nothing);
}

static void push_thread(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    (void)lua_newthread(L);
}

static void push_userdata(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    (void)lua_newuserdatauv(L, 0, 0);
}

static void push_other_handle(lua_State *L, const struct api_parameter *parameter)
{
    if (parameter->kind == API_PLAYER)
        api_push_vehicle(L, api.car);
    else
        api_push_player(L, the_player);
}

static void push_other_table(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_newtable(L);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "no such field");
}

static void push_too_long(lua_State *L, const struct api_parameter *parameter)
{
    push_text(L, parameter->kind == API_TEXT ? (size_t)parameter->max + 1 : 100000);
}

static void push_zero_bytes(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushlstring(L, "a\0b", 3);
}

static void push_no_utf8(lua_State *L, const struct api_parameter *parameter)
{
    (void)parameter;
    lua_pushliteral(L, "\xC3\x28\xFF");
}

static const struct bad_value {
    const char *name;
    void (*push)(lua_State *L, const struct api_parameter *parameter);
    unsigned refused; /* the kinds it is out of place for: nil, message */
    unsigned raised;  /* the kinds it has the wrong type for: an error */
} bad_values[] = {
    { "NaN", push_nan, NUMBERS, NO_NUMBER },
    { "infinity", push_infinity, NUMBERS, NO_NUMBER },
    { "-infinity", push_minus_infinity, NUMBERS, NO_NUMBER },
    { "1.8e308", push_huge, NUMBERS, NO_NUMBER },
    { "-1.8e308", push_minus_huge, NUMBERS, NO_NUMBER },
    { "2^63 - 1", push_greatest_integer, NUMBERS, NO_NUMBER },
    { "-2^63", push_least_integer, NUMBERS, NO_NUMBER },
    { "below", push_below, NUMBERS, 0 },
    { "above", push_above, NUMBERS, 0 },
    { "fraction", push_fraction, BIT(API_INTEGER), 0 },
    { "nil", push_nil, 0, ALL | BIT(API_ANY) },
    { "true", push_true, 0, ALL & ~BIT(API_BOOLEAN) },
    { "number", push_one, 0, NO_NUMBER },
    { "string", push_word, BIT(API_WORD), ALL & ~TEXTS },
    { "function", push_function, 0, ALL & ~BIT(API_FUNCTION) },
    { "thread", push_thread, 0, ALL },
    { "userdata", push_userdata, 0, ALL },
    { "other handle", push_other_handle, 0, ALL },
    { "table", push_other_table, 0, ALL & ~(BIT(API_LIST) | BIT(API_PAIRS)) },
    { "too long", push_too_long, TEXTS, 0 },
    { "zero bytes", push_zero_bytes, BIT(API_WORD), 0 },
    { "no UTF-8", push_no_utf8, BIT(API_WORD), 0 },
};
enum { BAD_VALUES = sizeof bad_values / sizeof bad_values[0] };

/* ---- calls ---- */

/* One value of a call: a parameter, or a field, item, key or value of one. */
struct spot {
    const struct api_noun *noun;
    const struct api_function *function;
    int parameter;                      /* -1: the self of a method */
    const struct api_parameter *within; /* NULL: the parameter itself */
    bool is_key;
};

static const struct api_parameter selves[] = {
    [API_PLAYER] = API_A_PLAYER("player"),
    [API_VEHICLE] = API_A_VEHICLE("vehicle"),
    [API_TEAM] = API_A_TEAM("team"),
};

static const struct api_parameter *parameter_of(const struct spot *spot)
{
    return spot->parameter < 0 ? &selves[spot->noun->self] : &spot->function->parameters[spot->parameter];
}

static const struct api_parameter *target_of(const struct spot *spot)
{
    return spot->within != NULL ? spot->within : parameter_of(spot);
}

/* The parameter of the spot, with the bad value there. */
static void push_spoilt(lua_State *L, const struct spot *spot, const struct bad_value *bad)
{
    const struct api_parameter *parameter = parameter_of(spot);

    if (spot->within == NULL) {
        bad->push(L, parameter);
        return;
    }
    if (parameter->kind == API_TABLE) {
        push_good_fields(L, parameter->fields, NULL);
        bad->push(L, spot->within);
        lua_setfield(L, -2, spot->within->name);
        return;
    }
    lua_newtable(L);
    if (parameter->kind == API_LIST) {
        for (lua_Integer i = 1; i < (lua_Integer)parameter->max; i++) {
            push_good(L, spot->within);
            lua_rawseti(L, -2, i);
        }
        bad->push(L, spot->within);
        lua_rawseti(L, -2, (lua_Integer)parameter->max);
        return;
    }
    if (spot->is_key) {
        bad->push(L, spot->within);
        push_good(L, &parameter->fields[1]);
    } else {
        push_good(L, &parameter->fields[0]);
        bad->push(L, spot->within);
    }
    lua_rawset(L, -3);
}

/* Pushes the function and its arguments; returns how many. */
static int push_call(lua_State *L, const struct spot *spot, const struct bad_value *bad)
{
    int count = 0;

    api_push_function(L, spot->noun, spot->function);
    for (int i = spot->noun->self == API_NONE ? 0 : -1; i < api_parameters_count(spot->function->parameters);
         i++) {
        const struct spot here = { .noun = spot->noun, .function = spot->function, .parameter = i };

        if (bad != NULL && i == spot->parameter)
            push_spoilt(L, spot, bad);
        else
            push_good(L, parameter_of(&here));
        count++;
    }
    return count;
}

enum outcome { NOT_BAD, IS_REFUSED, IS_RAISED };

static enum outcome expected(const struct api_parameter *parameter, const struct bad_value *bad)
{
    bool spoils_text = bad->push == push_zero_bytes || bad->push == push_no_utf8;

    if (bad->push == push_nil && parameter->optional)
        return NOT_BAD;
    if (parameter->kind == API_TEXT && parameter->is_text != NULL && spoils_text)
        return IS_REFUSED;
    if ((bad->refused & BIT(parameter->kind)) != 0)
        return IS_REFUSED;
    return (bad->raised & BIT(parameter->kind)) != 0 ? IS_RAISED : NOT_BAD;
}

static void require_named(const struct spot *spot, const struct bad_value *bad, const char *message)
{
    const struct api_parameter *parameter = target_of(spot);
    bool unknown = parameter->kind == API_TABLE && bad->push == push_other_table;
    const char *name = unknown ? "no such field" : parameter->name;

    ck_assert_msg(message != NULL && strstr(message, name) != NULL, "%s, %s, %s: %s", spot->function->name,
                  parameter->name, bad->name, message != NULL ? message : "no message");
}

static size_t tried; /* bad values */

static void try_bad(lua_State *L, const struct spot *spot, const struct bad_value *bad)
{
    enum outcome outcome = expected(target_of(spot), bad);
    int top = lua_gettop(L);
    int status;

    if (outcome == NOT_BAD)
        return;
    /* Lua itself lets neither be a key. */
    if (spot->is_key && (bad->push == push_nan || bad->push == push_nil))
        return;
    /* An entry of nil is none. */
    if (spot->within != NULL && parameter_of(spot)->kind != API_TABLE && bad->push == push_nil)
        return;
    tried++;
    status = lua_pcall(L, push_call(L, spot, bad), LUA_MULTRET, 0);
    if (outcome == IS_RAISED) {
        ck_assert_msg(status == LUA_ERRRUN, "%s, %s, %s: no error", spot->function->name,
                      target_of(spot)->name, bad->name);
        require_named(spot, bad, lua_tostring(L, -1));
        ck_assert_ptr_nonnull(strstr(lua_tostring(L, -1), spot->function->name));
    } else {
        ck_assert_msg(status == LUA_OK && lua_gettop(L) == top + 2 && lua_isnil(L, -2), "%s, %s, %s: %s",
                      spot->function->name, target_of(spot)->name, bad->name,
                      status == LUA_OK ? "it was not refused" : lua_tostring(L, -1));
        require_named(spot, bad, lua_tostring(L, -1));
    }
    lua_settop(L, top);
}

static void try_all_bad(lua_State *L, const struct spot *spot)
{
    for (size_t i = 0; i < BAD_VALUES; i++)
        try_bad(L, spot, &bad_values[i]);
}

static void try_parameter(lua_State *L, struct spot spot)
{
    const struct api_parameter *parameter = parameter_of(&spot);

    try_all_bad(L, &spot);
    if (parameter->kind == API_LIST || parameter->kind == API_PAIRS) {
        spot.within = &parameter->fields[0];
        spot.is_key = parameter->kind == API_PAIRS;
        try_all_bad(L, &spot);
        if (parameter->kind == API_LIST)
            return;
        spot.within = &parameter->fields[1];
        spot.is_key = false;
        try_all_bad(L, &spot);
    }
    for (int i = 0; parameter->kind == API_TABLE && parameter->fields[i].kind != API_NONE; i++) {
        spot.within = &parameter->fields[i];
        try_all_bad(L, &spot);
    }
}

static int try_every_parameter(lua_State *L)
{
    for (size_t n = 0; n < api_nouns_count; n++) {
        for (size_t f = 0; f < api_nouns[n]->count; f++) {
            const struct api_function *function = &api_nouns[n]->functions[f];

            for (int i = api_nouns[n]->self == API_NONE ? 0 : -1;
                 i < api_parameters_count(function->parameters); i++)
                try_parameter(L, (struct spot){ .noun = api_nouns[n], .function = function, .parameter = i });
        }
    }
    return 0;
}

START_TEST(every_parameter_of_every_function_refuses_what_is_out_of_place)
{
    uint32_t kept = api.shard->world.vehicles.count;

    ck_assert(script_run(api.resource, "test", try_every_parameter, NULL, 0));
    ck_assert_uint_gt(tried, 1000);
    ck_assert_uint_eq(api.shard->world.vehicles.count, kept);
    ck_assert_ptr_nonnull(world_player(&api.shard->world, the_player));
    stage_pump(api.stage);
    ck_assert_uint_eq(api.stage->sends, 0);
}
END_TEST

/* ---- handles of what is gone ---- */

static bool takes(const struct api_noun *noun, const struct api_function *function, enum api_kind kind)
{
    if (noun->self == kind)
        return true;
    for (int i = 0; i < api_parameters_count(function->parameters); i++)
        if (function->parameters[i].kind == kind && !function->parameters[i].optional)
            return true;
    return false;
}

static void require_gone(lua_State *L, const struct spot *spot, const char *sentence)
{
    int top = lua_gettop(L);

    ck_assert_msg(lua_pcall(L, push_call(L, spot, NULL), LUA_MULTRET, 0) == LUA_OK, "%s",
                  lua_tostring(L, -1));
    ck_assert_msg(lua_gettop(L) == top + 2 && lua_isnil(L, -2), "%s", spot->function->name);
    ck_assert_str_eq(lua_tostring(L, -1), sentence);
    lua_settop(L, top);
}

static int call_with_the_player_gone(lua_State *L)
{
    for (size_t n = 0; n < api_nouns_count; n++)
        for (size_t f = 0; f < api_nouns[n]->count; f++)
            if (takes(api_nouns[n], &api_nouns[n]->functions[f], API_PLAYER))
                require_gone(L,
                             &(struct spot){ .noun = api_nouns[n], .function = &api_nouns[n]->functions[f] },
                             "player has left");
    return 0;
}

START_TEST(every_function_says_so_of_a_player_who_has_left)
{
    stage_gone(api.stage, api.alice);
    ck_assert(script_run(api.resource, "test", call_with_the_player_gone, NULL, 0));
}
END_TEST

START_TEST(a_player_who_joins_again_under_its_id_is_another_one)
{
    stage_gone(api.stage, api.alice);
    (void)stage_spawn(api.stage, ALICE, 5, 0);
    ck_assert(script_run(api.resource, "test", call_with_the_player_gone, NULL, 0));
}
END_TEST

static int call_with_the_vehicle_gone(lua_State *L)
{
    for (size_t n = 0; n < api_nouns_count; n++)
        for (size_t f = 0; f < api_nouns[n]->count; f++)
            if (takes(api_nouns[n], &api_nouns[n]->functions[f], API_VEHICLE))
                require_gone(L,
                             &(struct spot){ .noun = api_nouns[n], .function = &api_nouns[n]->functions[f] },
                             "vehicle is gone");
    return 0;
}

START_TEST(every_function_says_so_of_a_vehicle_that_is_gone)
{
    vehicle_destroy(api.shard, world_vehicle(&api.shard->world, api.car));
    ck_assert(script_run(api.resource, "test", call_with_the_vehicle_gone, NULL, 0));
}
END_TEST

/* ---- good values ---- */

static int call_good(lua_State *L)
{
    const struct spot *spot = lua_touserdata(L, 1);
    int top = lua_gettop(L);

    ck_assert_msg(lua_pcall(L, push_call(L, spot, NULL), LUA_MULTRET, 0) == LUA_OK, "%s",
                  lua_tostring(L, -1));
    ck_assert_msg(lua_gettop(L) > top, "%s answers nothing", spot->function->name);
    return 0;
}

/* What comes of it is the business of each function's own tests. */
START_TEST(every_function_answers_when_all_is_in_place)
{
    for (size_t n = 0; n < api_nouns_count; n++) {
        for (size_t f = 0; f < api_nouns[n]->count; f++) {
            struct spot spot = { .noun = api_nouns[n], .function = &api_nouns[n]->functions[f] };

            ck_assert(script_run(api.resource, spot.function->name, call_good, &spot, 0));
            stage_pump(api.stage);
            teardown();
            setup();
        }
    }
}
END_TEST

Suite *script_api_arguments_suite(void)
{
    Suite *suite = suite_create("script_api_arguments");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, every_parameter_of_every_function_refuses_what_is_out_of_place);
    tcase_add_test(tcase, every_function_says_so_of_a_player_who_has_left);
    tcase_add_test(tcase, a_player_who_joins_again_under_its_id_is_another_one);
    tcase_add_test(tcase, every_function_says_so_of_a_vehicle_that_is_gone);
    tcase_add_test(tcase, every_function_answers_when_all_is_in_place);
    suite_add_tcase(suite, tcase);
    return suite;
}
