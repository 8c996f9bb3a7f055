#include <stdio.h>
#include <string.h>

#include "tests/unit/api_stage.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* Handlers that do the worst they can in the middle of each event that concerns them. The stage walks the
 * whole world after every step and looks at what each client relies on, so here it is enough that the event
 * came and the shard goes on. */

static struct api_stage api;

/* ---- what brings an event about ---- */

static void join(void)
{
    (void)stage_join(api.stage, 4, 1, 1);
}

static void ask_for_spawn(void)
{
    join();
    stage_request_spawn(api.stage, &api.stage->clients[4]);
}

static void spawn(void)
{
    (void)stage_spawn(api.stage, 4, 1, 1);
}

static void die(void)
{
    stage_die(api.stage, api.alice);
}

static void die_in_the_car(void)
{
    stage_enter(api.stage, api.alice, api.car, 0);
    die();
}

static void ask_for_respawn(void)
{
    die();
    stage_run(api.stage, 1500);
    stage_request_respawn(api.stage, api.alice);
}

static void leave(void)
{
    stage_enter(api.stage, api.alice, api.car, 0);
    stage_gone(api.stage, api.alice);
}

static void change_scope(void)
{
    api_run(&api, "alice:set_scope(0, 3)");
}

static void change_scope_in_the_car(void)
{
    stage_enter(api.stage, api.alice, api.car, 0);
    stage_enter(api.stage, api.bob, api.car, 1);
    api_run(&api, "dlmp.set_vehicle_scope(car, 0, 3)");
}

static void chat(void)
{
    stage_chat(api.stage, api.alice, "hello");
}

static void command(void)
{
    stage_command(api.stage, api.alice, "v 411");
}

static void jump(void)
{
    stage_walk(api.stage, api.alice, 900, 900);
}

static void enter(void)
{
    stage_enter(api.stage, api.alice, api.car, 0);
}

static void jack(void)
{
    stage_enter(api.stage, api.bob, api.car, 0);
    stage_enter(api.stage, api.alice, api.car, 0);
}

static void leave_the_car(void)
{
    enter();
    stage_exit(api.stage, api.alice, api.car);
}

static void be_put_into_the_car(void)
{
    api_run(&api, "dlmp.put_player_in_vehicle(alice, car, 0)");
}

static void be_taken_out_of_the_car(void)
{
    enter();
    api_run(&api, "dlmp.remove_player_from_vehicle(alice)");
}

static void lose_the_car(void)
{
    enter();
    api_run(&api, "dlmp.destroy_vehicle(car)");
}

static void lose_the_syncer(void)
{
    stage_run(api.stage, 300);
    api_run(&api, "assert(alice:teleport{x = 3000} and bob:teleport{x = 3000})");
    stage_run(api.stage, 300);
}

static void switch_the_engine(void)
{
    struct wire_vehicle_control control = { .vehicle_id = api.car, .control = 0, .value = 1 };
    uint8_t packet[WIRE_VEHICLE_CONTROL_SIZE];
    struct wire_error error;

    enter();
    stage_send(api.stage, api.alice, packet,
               wire_vehicle_control_encode(&control, packet, sizeof packet, &error));
}

static struct vehicle *the_car(void)
{
    return world_vehicle(&api.shard->world, api.car);
}

/* The second that was made. */
static struct vehicle *the_other(void)
{
    return world_vehicle(&api.shard->world, api.car + 1);
}

/* Alice at the wheel of the one, the other behind it. */
static void come_together(uint16_t model, uint16_t other)
{
    link_model(the_car(), model);
    link_model(the_other(), other);
    link_put(api.stage, the_other(), 0, -8);
    stage_run(api.stage, 300);
    enter();
}

static void hook_up(void)
{
    come_together(515, 435);
    link_tow(api.stage, api.alice, the_other(), the_car());
}

static void unhook(void)
{
    hook_up();
    link_tow(api.stage, api.alice, the_other(), NULL);
}

static void winch_up(void)
{
    link_model(the_car(), 417);
    api_run(&api, "assert(dlmp.set_vehicle_winch(car, 'magnet'))");
    come_together(417, 411);
    link_winch(api.stage, api.alice, the_other(), the_car());
}

static void let_go(void)
{
    winch_up();
    link_winch(api.stage, api.alice, the_other(), NULL);
}

static void steer(void)
{
    link_model(the_car(), 441);
    stage_run(api.stage, 300);
    link_remote_enter(api.stage, api.alice, api.car);
}

static void steer_no_more(void)
{
    steer();
    link_remote_exit(api.stage, api.alice, api.car);
}

static void wait_a_tick(void)
{
    lab_run(api.lab, 300);
}

static const struct provocation {
    const char *event;
    void (*provoke)(void);
} provocations[] = {
    { "player_connect", join },
    { "player_request_spawn", ask_for_spawn },
    { "player_spawn", spawn },
    { "player_death", die },
    { "player_death", die_in_the_car },
    { "player_exit_vehicle", die_in_the_car },
    { "player_request_respawn", ask_for_respawn },
    { "player_disconnect", leave },
    { "player_scope", change_scope },
    { "player_scope", change_scope_in_the_car },
    { "player_chat", chat },
    { "player_command", command },
    { "player_movement_violation", jump },
    { "vehicle_start_enter", enter },
    { "vehicle_start_enter", jack },
    { "vehicle_jack", jack },
    { "player_enter_vehicle", enter },
    { "player_enter_vehicle", be_put_into_the_car },
    { "player_exit_vehicle", jack },
    { "player_exit_vehicle", leave_the_car },
    { "player_exit_vehicle", be_taken_out_of_the_car },
    { "player_exit_vehicle", lose_the_car },
    { "vehicle_syncer", lose_the_syncer },
    { "vehicle_control", switch_the_engine },
    { "trailer_attach", hook_up },
    { "trailer_detach", unhook },
    { "winch_attach", winch_up },
    { "winch_detach", let_go },
    { "player_remote_enter", steer },
    { "player_remote_exit", steer_no_more },
    { "tick", wait_a_tick },
};
enum { PROVOCATIONS = sizeof provocations / sizeof provocations[0] };

/* ---- what the handler does then ---- */

static const char *const deeds[] = {
    "for _, v in ipairs(dlmp.vehicles()) do dlmp.destroy_vehicle(v) end",
    "for _, p in ipairs(dlmp.players()) do p:set_scope(0, 7) end",
    "for _, p in ipairs(dlmp.players()) do p:teleport{x = 1000, y = 1000, z = 5} end",
    "for _, p in ipairs(dlmp.players()) do p:spawn() end",
    "for _, p in ipairs(dlmp.players()) do dlmp.remove_player_from_vehicle(p) end",
    "for i, p in ipairs(dlmp.players()) do dlmp.put_player_in_vehicle(p, dlmp.vehicles()[1], i - 1) end",
    "for _, v in ipairs(dlmp.vehicles()) do dlmp.set_vehicle_scope(v, 0, 9) end",
    "for _, p in ipairs(dlmp.players()) do p:set_frozen(true) end",
    "for _, p in ipairs(dlmp.players()) do p:kick('go') end",
    "for _, p in ipairs(dlmp.players()) do p:ban('go', 60) end",
    "for i = 1, 20 do dlmp.create_vehicle{model = 400, x = i, y = 0, z = 10} end",
    "stop_me()",
    "stop_me() for _, v in ipairs(dlmp.vehicles()) do dlmp.destroy_vehicle(v) end",
    "return false",
    "error('on purpose')",
};
enum { DEEDS = sizeof deeds / sizeof deeds[0] };

static int stop_me(lua_State *L)
{
    char error[SCRIPT_ERROR_SIZE];

    ck_assert_int_eq(script_stop(resource_of(L)->script, "test", error), 0);
    return 0;
}

static int install_stop(lua_State *L)
{
    lua_pushcfunction(L, stop_me);
    lua_setglobal(L, "stop_me");
    return 0;
}

static void listen(const char *event, const char *deed)
{
    char lua[512];

    (void)snprintf(lua, sizeof lua,
                   "raised = 0\n"
                   "dlmp.on('%s', function(...)\n"
                   "    raised = raised + 1\n"
                   "    if raised > 1 then return end\n"
                   "    dlmp.log('info', 'it was raised')\n"
                   "    %s\n"
                   "end)",
                   event, deed);
    api_run(&api, lua);
}

START_TEST(a_handler_may_do_anything)
{
    for (size_t d = 0; d < DEEDS; d++) {
        const struct provocation *provocation = &provocations[_i];
        bool sends_away = strstr(deeds[d], ":kick") != NULL || strstr(deeds[d], ":ban") != NULL;

        /* Who has gone cannot be sent away; the gateways that the stage plays do not overlook it. */
        if (sends_away && provocation->provoke == leave)
            continue;
        api_stage_open(&api, "");
        ck_assert(script_run(api.resource, "test", install_stop, NULL, 0));
        listen(provocation->event, deeds[d]);
        provocation->provoke();
        ck_assert_msg(strstr(lab_log(api.lab), "it was raised") != NULL, "%s was not raised",
                      provocation->event);
        lab_run(api.lab, 300);
        ck_assert_int_eq(script_runs(api.lab->script, "test"), strstr(deeds[d], "stop_me") == NULL);
        api_stage_close(&api);
    }
}
END_TEST

Suite *script_api_events_suite(void)
{
    Suite *suite = suite_create("script_api_events");
    TCase *tcase = tcase_create("all");

    tcase_add_loop_test(tcase, a_handler_may_do_anything, 0, PROVOCATIONS);
    suite_add_tcase(suite, tcase);
    return suite;
}
