/* resource.h - one resource: a Lua state, and what it has made.
 *
 * Its `number` is what the world's things note as their owner; 0 is nobody. `L` is the thread of the state
 * that runs now: the main one, or the coroutine that is being resumed. Whatever calls into the state does it
 * there, by script_run (call.h). */
#ifndef DLMP_SHARD_SCRIPT_RESOURCE_H
#define DLMP_SHARD_SCRIPT_RESOURCE_H

#include <lua5.4/lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "shard/script/call.h"
#include "shard/script/errors.h"
#include "shard/script/listeners.h"
#include "shard/script/memory.h"
#include "shard/script/said.h"
#include "shard/script/script.h"

struct shard;

enum { RESOURCE_NOBODY = 0 };

enum resource_wish { RESOURCE_STAYS, RESOURCE_STOPS, RESOURCE_RESTARTS, RESOURCE_RELOADS };

struct resource {
    struct script *script;
    char name[SCRIPT_NAME_MAX + 1];
    uint16_t number;
    int folder; /* a file descriptor */
    lua_State *main;
    lua_State *L;

    struct memory memory;
    struct call_state calls;
    struct listeners listeners;
    struct errors errors;
    struct said asked; /* of the coordinator, to tell everybody */
    uint32_t timers;
    uint32_t files;          /* open ones */
    enum resource_wish wish; /* carried out when no call is under way */
};

/* Loads main.lua and runs it, then raises resource_start. NULL: `error` says why. */
struct resource *resource_new(struct script *script, const char *name, uint16_t number,
                              char error[SCRIPT_ERROR_SIZE]);
/* Raises resource_stop, then removes all that it has made. None of its calls may be under way. */
void resource_free(struct resource **where);

/* Whose state it is; any of its threads will do. */
struct resource *resource_of(lua_State *L);
struct shard *resource_shard(lua_State *L);

#endif
