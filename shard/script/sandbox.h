/* sandbox.h - what of Lua's library a resource has.
 *
 * Left out is what reaches beyond the resource (processes, files elsewhere, the environment with its secrets,
 * C libraries, bytecode, debug) and what the limits of call.h could not hold (finalizers: Lua runs them
 * without hooks). Replaced is what could run for long within one call of C, or catch what ends a call.
 *
 * Spec: gamemode API, Resources. */
#ifndef DLMP_SHARD_SCRIPT_SANDBOX_H
#define DLMP_SHARD_SCRIPT_SANDBOX_H

#include <lua5.4/lua.h>

enum {
    SANDBOX_SOURCE_MAX = 256 << 10, /* ours: bytes of a file of Lua */
};

/* Makes the globals. May raise an error. */
void sandbox_open(lua_State *L);
/* Pushes the function that a file of the resource is. May raise an error. */
void sandbox_load_file(lua_State *L, const char *path);

#endif
