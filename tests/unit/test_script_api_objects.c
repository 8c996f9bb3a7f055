#include <string.h>

#include "tests/unit/api_stage.h"
#include "tests/unit/suites.h"

static struct api_stage api;

static void setup(void)
{
    api_stage_open(&api, "");
}

static void teardown(void)
{
    api_stage_close(&api);
}

START_TEST(a_player_is_the_same_value_each_time)
{
    api_run(&api, "assert(dlmp.player(2) == dlmp.player(2) and dlmp.player(2) ~= dlmp.player(3))\n"
                  "scores = { [dlmp.player(2)] = 7 }\n"
                  "alice = nil");
    lua_gc(api.resource->L, LUA_GCCOLLECT);
    api_run(&api, "assert(scores[dlmp.player(2)] == 7)");
}
END_TEST

START_TEST(a_handle_says_what_it_is)
{
    api_run(&api, "assert(tostring(dlmp.player(2)) == 'player 2')\n"
                  "local v = dlmp.vehicles()[1]\n"
                  "assert(tostring(v) == 'vehicle ' .. v:id())");
}
END_TEST

START_TEST(a_script_cannot_reach_the_metatable_of_handles)
{
    api_run(&api, "assert(getmetatable(dlmp.player(2)) == 'player')");
    api_fails(&api, "setmetatable(dlmp.player(2), {})", "table expected");
}
END_TEST

START_TEST(a_method_that_is_called_without_its_player_raises)
{
    api_fails(&api, "dlmp.player(2).name()",
              "bad argument 'player' to 'player:name' (player expected, got nil)");
    api_fails(&api, "dlmp.player(2).name(dlmp.vehicles()[1])", "(player expected, got vehicle)");
}
END_TEST

START_TEST(a_player_who_comes_back_is_another_value)
{
    api_run(&api, "old = dlmp.player(2)");
    stage_gone(api.stage, api.alice);
    (void)stage_spawn(api.stage, ALICE, 5, 0);
    api_run(&api, "assert(old ~= dlmp.player(2))\n"
                  "local value, why = old:position()\n"
                  "assert(value == nil and why == 'player has left')\n"
                  "assert(tostring(old) == 'player 2')");
}
END_TEST

START_TEST(players_and_vehicles_are_listed)
{
    api_run(&api, "assert(#dlmp.players() == 2 and #dlmp.vehicles() == 2)\n"
                  "assert(dlmp.player(9) == nil and dlmp.vehicle(123456) == nil)\n"
                  "local v = dlmp.vehicles()[1]\n"
                  "assert(dlmp.vehicle(v:id()) == v)");
}
END_TEST

START_TEST(a_player_knows_its_seat)
{
    stage_enter(api.stage, api.alice, api.car, 0);
    api_run(&api, "local p = dlmp.player(2)\n"
                  "local v, seat = p:vehicle()\n"
                  "assert(v == dlmp.vehicles()[1] and seat == 0)\n"
                  "assert(v:driver() == p and v:occupant(0) == p and v:occupant(1) == nil)\n"
                  "local seats = v:occupants()\n"
                  "assert(seats[0] == p and next(seats, 0) == nil)\n"
                  "assert(dlmp.player(3):vehicle() == nil)");
}
END_TEST

START_TEST(a_player_answers_where_and_how_it_is)
{
    api_run(&api,
            "local p = dlmp.player(2)\n"
            "local x, y, z = p:position()\n"
            "assert(x == 5 and y == 0 and z == 10)\n"
            "assert(p:id() == 2 and p:token() == 1002 and p:virtual_world() == 0 and p:interior() == 0)\n"
            "assert(p:is_alive() and p:is_spawned() and not p:is_paused() and not p:is_frozen())\n"
            "assert(#p:name() > 0 and p:ping() >= 0)\n"
            "local vx, vy, vz = p:velocity()\n"
            "assert(vx == 0 and vy == 0 and vz == 0)");
}
END_TEST

START_TEST(a_vehicle_answers_where_and_how_it_is)
{
    api_run(&api, "local v = dlmp.vehicles()[1]\n"
                  "local x, y, z = v:position()\n"
                  "assert(x == 0 and y == 0 and v:model() == 411 and v:health() == 1000)\n"
                  "assert(v:heading() == 0 and not v:is_wrecked() and v:driver() == nil)\n"
                  "local i, j, k, w = v:rotation()\n"
                  "assert(i == 0 and j == 0 and k == 0 and w == 1)");
}
END_TEST

START_TEST(a_function_does_not_take_a_text_for_a_table)
{
    api_fails(&api, "dlmp.on('tick', 'text')",
              "bad argument 'handler' to 'dlmp.on' (function expected, got string)");
}
END_TEST

Suite *script_api_objects_suite(void)
{
    Suite *suite = suite_create("script_api_objects");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_player_is_the_same_value_each_time);
    tcase_add_test(tcase, a_handle_says_what_it_is);
    tcase_add_test(tcase, a_script_cannot_reach_the_metatable_of_handles);
    tcase_add_test(tcase, a_method_that_is_called_without_its_player_raises);
    tcase_add_test(tcase, a_player_who_comes_back_is_another_value);
    tcase_add_test(tcase, players_and_vehicles_are_listed);
    tcase_add_test(tcase, a_player_knows_its_seat);
    tcase_add_test(tcase, a_player_answers_where_and_how_it_is);
    tcase_add_test(tcase, a_vehicle_answers_where_and_how_it_is);
    tcase_add_test(tcase, a_function_does_not_take_a_text_for_a_table);
    suite_add_tcase(suite, tcase);
    return suite;
}
