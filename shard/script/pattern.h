/* pattern.h - Lua's patterns, matched in steps that are counted.
 *
 * A pattern can make a matcher try more ways than there is time for ("a*a*a*b"). This one has the language
 * and the error messages of Lua 5.4's, reports what it does to call_spend, and so ends when the call must.
 *
 * The subject and the pattern are borrowed: they stay on the stack while a match is under way. */
#ifndef DLMP_SHARD_SCRIPT_PATTERN_H
#define DLMP_SHARD_SCRIPT_PATTERN_H

#include <lua5.4/lua.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    PATTERN_CAPTURES_MAX = 32, /* as in Lua */
    PATTERN_DEPTH_MAX = 200,   /* as in Lua: of the matcher within itself */
};

struct pattern_capture {
    const char *start;
    ptrdiff_t size; /* or one of the two below */
};

enum { PATTERN_OPEN = -1, PATTERN_POSITION = -2 };

struct pattern {
    lua_State *L;
    const char *subject;
    const char *subject_end;
    const char *start;
    const char *end;
    int depth;
    int captures_count;
    struct pattern_capture captures[PATTERN_CAPTURES_MAX];
};

/* Where a match that begins at `at` ends. NULL: there is none. A malformed pattern raises an error. */
const char *pattern_match(struct pattern *pattern, const char *at);

/* Pushes capture `index`, from 0; of a match without captures the first is all of it. */
void pattern_push_capture(struct pattern *pattern, int index, const char *start, const char *end);
/* Pushes all, and gives their count; `whole`: all of the match if there are none. */
int pattern_push_captures(struct pattern *pattern, bool whole, const char *start, const char *end);

#endif
