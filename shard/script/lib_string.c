#include <lua5.4/lualib.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/lib.h"
#include "shard/script/memory.h"
#include "shard/script/pattern.h"
#include "shard/script/resource.h"

/* ---- positions: counted from 1, or from the end backwards from -1 */

static size_t first_position(lua_Integer position, size_t size)
{
    if (position > 0)
        return (size_t)position;
    if (position == 0 || position < -(lua_Integer)size)
        return 1;
    return size + (size_t)position + 1;
}

static size_t last_position(lua_Integer position, size_t size)
{
    if (position > (lua_Integer)size)
        return size;
    if (position >= 0)
        return (size_t)position;
    return position < -(lua_Integer)size ? 0 : size + (size_t)position + 1;
}

static struct pattern check_pattern(lua_State *L, int subject, int pattern)
{
    size_t subject_size;
    size_t size;
    struct pattern checked = { .L = L };

    checked.subject = luaL_checklstring(L, subject, &subject_size);
    checked.subject_end = checked.subject + subject_size;
    checked.start = luaL_checklstring(L, pattern, &size);
    checked.end = checked.start + size;
    return checked;
}

/* Goes on behind a '^' at the pattern's start. True: there was one. */
static bool take_anchor(struct pattern *pattern)
{
    if (pattern->start == pattern->end || *pattern->start != '^')
        return false;
    pattern->start++;
    return true;
}

/* ---- find, match */

static bool is_plain(const struct pattern *pattern)
{
    for (const char *p = pattern->start; p < pattern->end; p++)
        if (*p != '\0' && strchr("^$*+?.([%-", *p) != NULL)
            return false;
    return true;
}

static int find_plain(lua_State *L, const struct pattern *pattern, const char *from)
{
    size_t size = (size_t)(pattern->end - pattern->start);
    const char *found;

    call_spend(L, 1 + (size_t)(pattern->subject_end - from) / 8 + size / 8);
    found = memmem(from, (size_t)(pattern->subject_end - from), pattern->start, size);
    if (found == NULL) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, found - pattern->subject + 1);
    lua_pushinteger(L, found - pattern->subject + (lua_Integer)size);
    return 2;
}

static int find_or_match(lua_State *L, bool finds)
{
    struct pattern pattern = check_pattern(L, 1, 2);
    size_t size = (size_t)(pattern.subject_end - pattern.subject);
    size_t from = first_position(luaL_optinteger(L, 3, 1), size) - 1;
    const char *at = pattern.subject + from;
    bool is_anchored;

    if (from > size) {
        lua_pushnil(L);
        return 1;
    }
    if (finds && (lua_toboolean(L, 4) != 0 || is_plain(&pattern)))
        return find_plain(L, &pattern, at);
    is_anchored = take_anchor(&pattern);
    do {
        const char *end = pattern_match(&pattern, at);

        if (end == NULL)
            continue;
        if (!finds)
            return pattern_push_captures(&pattern, true, at, end);
        lua_pushinteger(L, at - pattern.subject + 1);
        lua_pushinteger(L, end - pattern.subject);
        return 2 + pattern_push_captures(&pattern, false, at, end);
    } while (at++ < pattern.subject_end && !is_anchored);
    lua_pushnil(L);
    return 1;
}

static int string_find(lua_State *L)
{
    return find_or_match(L, true);
}

static int string_match(lua_State *L)
{
    return find_or_match(L, false);
}

/* ---- gmatch */

/* An iteration: where it goes on, and where the last match ended, which no empty match may follow. */
struct walk {
    size_t from;
    size_t last_end; /* SIZE_MAX: there was none */
};

/* Upvalues: subject, pattern, struct walk. */
static int next_match(lua_State *L)
{
    struct walk *walk = lua_touserdata(L, lua_upvalueindex(3));
    struct pattern pattern = check_pattern(L, lua_upvalueindex(1), lua_upvalueindex(2));
    size_t size = (size_t)(pattern.subject_end - pattern.subject);

    for (; walk->from <= size; walk->from++) {
        const char *at = pattern.subject + walk->from;
        const char *end = pattern_match(&pattern, at);

        if (end == NULL || (size_t)(end - pattern.subject) == walk->last_end)
            continue;
        walk->from = walk->last_end = (size_t)(end - pattern.subject);
        return pattern_push_captures(&pattern, true, at, end);
    }
    return 0;
}

static int string_gmatch(lua_State *L)
{
    size_t size;
    struct walk *walk;
    size_t from;

    (void)luaL_checklstring(L, 1, &size);
    (void)luaL_checkstring(L, 2);
    from = first_position(luaL_optinteger(L, 3, 1), size) - 1;
    lua_settop(L, 2);
    walk = lua_newuserdatauv(L, sizeof *walk, 0);
    *walk = (struct walk){ .from = from > size ? size + 1 : from, .last_end = SIZE_MAX };
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

/* ---- gsub */

static void add_replacement_text(struct pattern *pattern, luaL_Buffer *buffer, const char *start,
                                 const char *end)
{
    lua_State *L = pattern->L;
    size_t size;
    const char *text = lua_tolstring(L, 3, &size);
    const char *text_end = text + size;
    const char *escape;

    call_spend(L, 1 + size / 8);
    while ((escape = memchr(text, '%', (size_t)(text_end - text))) != NULL) {
        luaL_addlstring(buffer, text, (size_t)(escape - text));
        text = escape + 2;
        if (escape + 1 < text_end && escape[1] == '%') {
            luaL_addchar(buffer, '%');
        } else if (escape + 1 < text_end && escape[1] == '0') {
            luaL_addlstring(buffer, start, (size_t)(end - start));
        } else if (escape + 1 < text_end && escape[1] >= '1' && escape[1] <= '9') {
            pattern_push_capture(pattern, escape[1] - '1', start, end);
            luaL_addvalue(buffer);
        } else {
            luaL_error(L, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(buffer, text, (size_t)(text_end - text));
}

/* False: the match stays as it is. */
static bool add_replacement(struct pattern *pattern, luaL_Buffer *buffer, const char *start, const char *end)
{
    lua_State *L = pattern->L;

    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, pattern_push_captures(pattern, true, start, end), 1);
        break;
    case LUA_TTABLE:
        pattern_push_capture(pattern, 0, start, end);
        (void)lua_gettable(L, 3);
        break;
    default:
        add_replacement_text(pattern, buffer, start, end);
        return true;
    }
    if (lua_toboolean(L, -1) == 0) {
        lua_pop(L, 1);
        luaL_addlstring(buffer, start, (size_t)(end - start));
        return false;
    }
    if (lua_isstring(L, -1) == 0)
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(buffer);
    return true;
}

static int string_gsub(lua_State *L)
{
    struct pattern pattern = check_pattern(L, 1, 2);
    int type = lua_type(L, 3);
    lua_Integer most = luaL_optinteger(L, 4, pattern.subject_end - pattern.subject + 1);
    const char *at = pattern.subject;
    const char *last_end = NULL;
    bool is_anchored = take_anchor(&pattern);
    bool has_changed = false;
    lua_Integer count = 0;
    luaL_Buffer buffer;

    luaL_argexpected(
        L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
        "string/function/table");
    if (type == LUA_TNUMBER)
        (void)lua_tolstring(L, 3, NULL);
    luaL_buffinit(L, &buffer);
    while (count < most) {
        const char *end = pattern_match(&pattern, at);

        if (end != NULL && end != last_end) {
            count++;
            has_changed |= add_replacement(&pattern, &buffer, at, end);
            at = last_end = end;
        } else if (at < pattern.subject_end) {
            luaL_addchar(&buffer, *at);
            at++;
        } else {
            break;
        }
        if (is_anchored)
            break;
    }
    if (!has_changed) {
        lua_pushvalue(L, 1);
    } else {
        luaL_addlstring(&buffer, at, (size_t)(pattern.subject_end - at));
        luaL_pushresult(&buffer);
    }
    lua_pushinteger(L, count);
    return 2;
}

/* ---- rep, byte */

static int string_rep(lua_State *L)
{
    size_t size;
    size_t separator_size;
    const char *text = luaL_checklstring(L, 1, &size);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &separator_size);
    luaL_Buffer buffer;

    if (count <= 0 || size + separator_size == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if ((lua_Unsigned)count > MEMORY_STRING_MAX / (size + separator_size))
        return luaL_error(L, "resulting string too large");
    call_spend(L, (size_t)count);
    (void)luaL_buffinitsize(L, &buffer, (size_t)count * (size + separator_size));
    for (; count > 1; count--) {
        luaL_addlstring(&buffer, text, size);
        luaL_addlstring(&buffer, separator, separator_size);
    }
    luaL_addlstring(&buffer, text, size);
    luaL_pushresult(&buffer);
    return 1;
}

static int string_byte(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    lua_Integer position = luaL_optinteger(L, 2, 1);
    size_t first = first_position(position, size);
    size_t last = last_position(luaL_optinteger(L, 3, position), size);

    if (first > last)
        return 0;
    lib_check_results(L, (lua_Integer)first, (lua_Integer)last);
    luaL_checkstack(L, (int)(last - first) + 1, "string slice too long");
    for (size_t i = first; i <= last; i++)
        lua_pushinteger(L, (unsigned char)text[i - 1]);
    return (int)(last - first) + 1;
}

/* ---- utf8 */

/* Upvalue: Lua's function. */
static int utf8_codepoint(lua_State *L)
{
    lua_Integer first;
    size_t size;

    (void)luaL_checklstring(L, 1, &size);
    first = luaL_optinteger(L, 2, 1);
    first = (lua_Integer)first_position(first, size);
    lib_check_results(L, first, (lua_Integer)last_position(luaL_optinteger(L, 3, first), size));
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static void open_utf8(lua_State *L)
{
    static const char *const charged[] = { "char", "codes", "len", "offset", NULL };

    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 0);
    lib_measure(L, charged);
    (void)lua_getfield(L, -1, "codepoint");
    lua_pushcclosure(L, utf8_codepoint, 1);
    lua_setfield(L, -2, "codepoint");
    lua_setglobal(L, LUA_UTF8LIBNAME);
}

void lib_string_open(lua_State *L)
{
    static const char *const charged[] = { "format",  "lower",  "pack",  "packsize",
                                           "reverse", "unpack", "upper", NULL };
    static const luaL_Reg ours[] = {
        { "byte", string_byte }, { "find", string_find },   { "gmatch", string_gmatch },
        { "gsub", string_gsub }, { "match", string_match }, { "rep", string_rep },
        { NULL, NULL },
    };

    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lib_measure(L, charged);
    luaL_setfuncs(L, ours, 0); /* in Lua's own table, which the methods of strings come from */
    lua_setglobal(L, LUA_STRLIBNAME);
    open_utf8(L);
}
