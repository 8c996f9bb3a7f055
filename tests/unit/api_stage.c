#include "tests/unit/api_stage.h"

#include <lua5.4/lauxlib.h>
#include <string.h>

#include "shard/vehicle_syncer.h"

void api_stage_open(struct api_stage *api, const char *main_lua)
{
    *api = (struct api_stage){ .lab = lab_new() };
    api->stage = api->lab->stage;
    api->shard = api->stage->shard;
    lab_start(api->lab, "test", main_lua);
    api->resource = api->lab->script->resources[0];
    api_run(api, "car = assert(dlmp.create_vehicle{model = 411, x = 0, y = 0, z = 10})\n"
                 "other = assert(dlmp.create_vehicle{model = 462, x = 20, y = 0, z = 10})");
    api->alice = stage_spawn(api->stage, ALICE, 5, 0);
    api->bob = stage_spawn(api->stage, BOB, 6, 0);
    api_run(api, "alice, bob = dlmp.player(2), dlmp.player(3)");
    api->car = world_vehicle_at(&api->shard->world, 0)->id; /* the first that was made */
    stage_forget(api->stage);
}

void api_stage_close(struct api_stage *api)
{
    lab_free(api->lab);
}

static int run_lines(lua_State *L)
{
    const char *lua = lua_touserdata(L, 1);

    if (luaL_loadbuffer(L, lua, strlen(lua), "=test") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

void api_run(struct api_stage *api, const char *lua)
{
    char error[SCRIPT_ERROR_SIZE] = "";

    /* The lines are only read: light userdata has no const. */
    if (!script_try(api->resource, "test", run_lines, (void *)lua, error, sizeof error))
        ck_abort_msg("%s\nin:\n%s", error, lua);
    vehicle_syncer_run(api->shard); /* as at the end of each input */
    stage_pump(api->stage);
}

void api_fails(struct api_stage *api, const char *lua, const char *expected)
{
    char error[SCRIPT_ERROR_SIZE] = "";

    ck_assert(!script_try(api->resource, "test", run_lines, (void *)lua, error, sizeof error));
    ck_assert_msg(strstr(error, expected) != NULL, "%s\nis not in:\n%s", expected, error);
}
