/* runtime.h - the functions of `dlmp` that are the runtime's own. Arguments are checked here as well. */
#ifndef DLMP_SHARD_SCRIPT_RUNTIME_H
#define DLMP_SHARD_SCRIPT_RUNTIME_H

#include <lua5.4/lua.h>

int script_on(lua_State *L);     /* dlmp.on(event, fn) -> handle */
int script_off(lua_State *L);    /* dlmp.off(handle) -> true */
int script_after(lua_State *L);  /* dlmp.after(ms, fn) -> timer */
int script_every(lua_State *L);  /* dlmp.every(ms, fn) -> timer */
int script_cancel(lua_State *L); /* dlmp.cancel(timer) -> true */
int script_now(lua_State *L);    /* dlmp.now() -> ms since the shard started */
int script_log(lua_State *L);    /* dlmp.log(level, text) -> true */

#endif
