#include "shard/script/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shard/script/files.h"
#include "shard/script/lib.h"
#include "shard/script/resource.h"

void sandbox_load_file(lua_State *L, const char *path)
{
    char *text = lua_newuserdatauv(L, SANDBOX_SOURCE_MAX + 1, 0); /* first: it may raise an error */
    int fd = files_open(resource_of(L)->folder, path, O_RDONLY);
    ssize_t size;

    if (fd < 0) {
        (void)luaL_error(L, "%s: %s", path, strerror(errno));
        return;
    }
    size = read(fd, text, SANDBOX_SOURCE_MAX + 1);
    (void)close(fd);
    if (size < 0 || size > SANDBOX_SOURCE_MAX)
        luaL_error(L, "%s: more than %d KiB, or unreadable", path, SANDBOX_SOURCE_MAX >> 10);
    call_spend(L, (size_t)size);
    lua_pushfstring(L, "@%s", path);
    if (lib_load(L, text, (size_t)size, lua_tostring(L, -1)) != LUA_OK)
        lua_error(L);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

void sandbox_open(lua_State *L)
{
    lib_base_open(L);
    lib_coroutine_open(L);
    lib_string_open(L);
    lib_table_open(L);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    lib_io_open(L);

    /* Where Lua looks names up for its messages: nothing there for a script to fill with millions of them. */
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_settop(L, 0);
}
