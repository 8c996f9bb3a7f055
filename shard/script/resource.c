#include "shard/script/resource.h"

#include <errno.h>
#include <fcntl.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "shard/script/api.h"
#include "shard/script/cleanup.h"
#include "shard/script/sandbox.h"
#include "shard/script/state.h"
#include "shard/team.h"

struct resource *resource_of(lua_State *L)
{
    struct resource *resource;

    memcpy(&resource, lua_getextraspace(L), sizeof(void *));
    return resource;
}

struct shard *resource_shard(lua_State *L)
{
    return resource_of(L)->script->shard;
}

static int open_folder(const char *folder, const char *name)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_libraries(lua_State *L)
{
    sandbox_open(L);
    api_open(L);
    return 0;
}

static int run_main(lua_State *L)
{
    sandbox_load_file(L, "main.lua");
    lua_call(L, 0, 0);
    return 0;
}

static bool open_state(struct resource *resource, char error[SCRIPT_ERROR_SIZE])
{
    (void)snprintf(error, SCRIPT_ERROR_SIZE, "not enough memory");
    resource->main = lua_newstate(memory_alloc, resource);
    if (resource->main == NULL)
        return false;
    resource->L = resource->main;
    memcpy(lua_getextraspace(resource->main), &resource, sizeof(void *));
    call_watch(resource->main);
    return script_try(resource, "start", open_libraries, NULL, error, SCRIPT_ERROR_SIZE) &&
           script_try(resource, "main.lua", run_main, NULL, error, SCRIPT_ERROR_SIZE);
}

/* Also of one that did not come to run: it may have made something before it failed. */
static void close_state(struct resource *resource)
{
    timers_remove_all(resource);
    script_forget(resource);
    cleanup_run(resource->script->shard, resource->number);
    team_empty_all_of(resource->script->shard, resource->name);
    listeners_fini(resource);
    if (resource->main != NULL)
        lua_close(resource->main);
    if (resource->folder >= 0)
        (void)close(resource->folder);
    free(resource);
}

struct resource *resource_new(struct script *script, const char *name, uint16_t number,
                              char error[SCRIPT_ERROR_SIZE])
{
    struct resource *resource = calloc(1, sizeof *resource);

    if (resource == NULL) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "not enough memory");
        return NULL;
    }
    resource->script = script;
    (void)snprintf(resource->name, sizeof resource->name, "%s", name);
    resource->number = number;
    resource->memory.max = script->config.memory_max;
    resource->folder = open_folder(script->folder, name);
    if (resource->folder < 0) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "its folder: %s", strerror(errno));
        close_state(resource);
        return NULL;
    }
    if (!open_state(resource, error)) {
        close_state(resource);
        return NULL;
    }
    (void)listeners_raise(resource, EVENT_RESOURCE_START, NULL, 0);
    LOG(INFO, "resource_started", KV("resource", (const char *)resource->name));
    return resource;
}

void resource_free(struct resource **where)
{
    struct resource *resource = *where;

    *where = NULL;
    if (resource == NULL)
        return;
    (void)listeners_raise(resource, EVENT_RESOURCE_STOP, NULL, 0);
    LOG(INFO, "resource_stopped", KV("resource", (const char *)resource->name));
    close_state(resource);
}
