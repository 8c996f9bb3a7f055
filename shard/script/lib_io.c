#include <errno.h>
#include <fcntl.h>
#include <lua5.4/lualib.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "shard/script/files.h"
#include "shard/script/lib.h"
#include "shard/script/resource.h"

/* ---- files: Lua's own methods, on files that we have opened */

static int close_file(lua_State *L)
{
    const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);

    resource_of(L)->files--;
    return luaL_fileresult(L, fclose(file->f) == 0, NULL);
}

/* What fopen makes of it. False: no mode. */
static bool flags_of(const char *mode, int *flags)
{
    bool updates = mode[0] != '\0' && strchr(mode, '+') != NULL;
    static const char *const modes[] = { "r",  "w",  "a",  "r+",  "w+",  "a+",
                                         "rb", "wb", "ab", "r+b", "w+b", "a+b" };
    bool known = false;

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        known |= strcmp(mode, modes[i]) == 0;
    if (!known)
        return false;
    *flags = updates ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (mode[0] == 'w')
        *flags |= O_CREAT | O_TRUNC;
    if (mode[0] == 'a')
        *flags |= O_CREAT | O_APPEND;
    return true;
}

/* Some of those that are open may only wait for the collector. */
static bool has_room(lua_State *L)
{
    if (resource_of(L)->files < LIB_FILES_MAX)
        return true;
    (void)lua_gc(L, LUA_GCCOLLECT);
    call_look(L);
    return resource_of(L)->files < LIB_FILES_MAX;
}

/* Pushes the file; false: errno says why not. */
static bool push_file(lua_State *L, const char *path, const char *mode)
{
    struct resource *resource = resource_of(L);
    luaL_Stream *file;
    int flags = 0;
    int fd;

    luaL_argcheck(L, flags_of(mode, &flags), 2, "invalid mode");
    if (!has_room(L)) {
        errno = EMFILE;
        return false;
    }
    file = lua_newuserdatauv(L, sizeof *file, 0);
    *file = (luaL_Stream){ 0 }; /* a closed one, should the next line raise an error */
    luaL_setmetatable(L, LUA_FILEHANDLE);
    fd = files_open(resource->folder, path, flags);
    if (fd < 0)
        return false;
    file->f = fdopen(fd, mode);
    if (file->f == NULL) {
        (void)close(fd);
        return false;
    }
    file->closef = close_file;
    resource->files++;
    return true;
}

static const char *check_path(lua_State *L)
{
    size_t size;
    const char *path = luaL_checklstring(L, 1, &size);

    luaL_argcheck(L, strlen(path) == size, 1, "a zero byte in a path");
    return path;
}

static int io_open(lua_State *L)
{
    const char *path = check_path(L);

    return push_file(L, path, luaL_optstring(L, 2, "r")) ? 1 : luaL_fileresult(L, 0, path);
}

/* io.lines(path, formats…): as its file's `lines` has it, and the file is closed with the loop. */
static int io_lines(lua_State *L)
{
    const char *path = check_path(L);
    int formats = lua_gettop(L) - 1;

    if (!push_file(L, path, "r"))
        return luaL_error(L, "%s: %s", path, strerror(errno));
    lua_insert(L, 2);
    (void)lua_getfield(L, 2, "lines");
    lua_pushvalue(L, 2);
    lua_rotate(L, 3, 2); /* the method and the file, below the formats */
    lua_call(L, formats + 1, 1);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_pushvalue(L, 2);
    return 4;
}

static void open_io(lua_State *L)
{
    static const char *const kept[] = { "type", NULL };
    static const luaL_Reg ours[] = { { "lines", io_lines }, { "open", io_open }, { NULL, NULL } };

    luaL_requiref(L, LUA_IOLIBNAME, luaopen_io, 0);
    lib_keep(L, kept);
    luaL_setfuncs(L, ours, 0);
    lua_setglobal(L, LUA_IOLIBNAME);

    /* The standard streams are the shard's. */
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "_IO_input");
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "_IO_output");
    luaL_getmetatable(L, LUA_FILEHANDLE);
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/* ---- os */

/* Upvalue: Lua's function. */
static int os_date(lua_State *L)
{
    size_t size = 0;

    (void)luaL_optlstring(L, 1, "", &size);
    luaL_argcheck(L, size <= LIB_DATE_MAX, 1, "format too long");
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static void open_os(lua_State *L)
{
    static const char *const kept[] = { "clock", "date", "difftime", "time", NULL };

    luaL_requiref(L, LUA_OSLIBNAME, luaopen_os, 0);
    lib_keep(L, kept);
    (void)lua_getfield(L, -1, "date");
    lua_pushcclosure(L, os_date, 1);
    lua_setfield(L, -2, "date");
    lua_setglobal(L, LUA_OSLIBNAME);
}

void lib_io_open(lua_State *L)
{
    open_io(L);
    open_os(L);
}
