/* lib.h - the parts of Lua's library that are ours, each with the meaning of Lua 5.4's manual.
 *
 * Ours, since Lua's own would run for as long as a script likes within one call of C, where no hook comes,
 * or catch what ends a call (call.h). The others are Lua's, some of them measured: they are charged by the
 * size of their arguments. */
#ifndef DLMP_SHARD_SCRIPT_LIB_H
#define DLMP_SHARD_SCRIPT_LIB_H

#include <lua5.4/lauxlib.h>
#include <stddef.h>

enum {
    LIB_RESULTS_MAX = 8000,   /* ours: of string.byte, table.unpack and their like */
    LIB_LOAD_MAX = 64 << 10,  /* ours: bytes of Lua that `load` takes */
    LIB_PIECE_SIZE = 256,     /* ours: bytes that are parsed between two looks at the clock */
    LIB_DATE_MAX = 256,       /* ours: bytes of a format of os.date */
    LIB_FILES_MAX = 16,       /* ours: files that a resource has open; the shard needs some, too */
    LIB_CLOSE_DEPTH_MAX = 16, /* ours: coroutine.close within coroutine.close; Lua does not count them */
};

/* Each changes the global table of its name, or makes it; the first works on the globals. */
void lib_base_open(lua_State *L);
void lib_coroutine_open(lua_State *L);
void lib_string_open(lua_State *L);
void lib_table_open(lua_State *L);
void lib_io_open(lua_State *L);

/* luaL_loadbufferx for text. To parse is out of hooks' reach, and takes the square of the text's size for
 * some: the parser gets it in pieces, and the error that ends a call may come between two. */
int lib_load(lua_State *L, const char *text, size_t size, const char *name);
/* Has the functions of these names in the table on top charged by what they are given; NULL ends the list. */
void lib_measure(lua_State *L, const char *const *names);
/* Leaves only these fields in the table on top. */
void lib_keep(lua_State *L, const char *const *names);
/* Raises an error when a function is asked for more results than LIB_RESULTS_MAX. */
void lib_check_results(lua_State *L, lua_Integer first, lua_Integer last);

#endif
