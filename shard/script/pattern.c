#include "shard/script/pattern.h"

#include <ctype.h>
#include <lua5.4/lauxlib.h>
#include <string.h>

#include "shard/script/call.h"

static const char *match(struct pattern *m, const char *at, const char *p);

/* ---- one character against one item: a letter, a class, a set */

static int ctype_of(unsigned char c, char class)
{
    switch (class) {
    case 'a':
        return isalpha(c);
    case 'c':
        return iscntrl(c);
    case 'd':
        return isdigit(c);
    case 'g':
        return isgraph(c);
    case 'l':
        return islower(c);
    case 'p':
        return ispunct(c);
    case 's':
        return isspace(c);
    case 'u':
        return isupper(c);
    case 'w':
        return isalnum(c);
    case 'x':
        return isxdigit(c);
    case 'z':
        return c == '\0'; /* of an older Lua, and still there */
    default:
        return -1;
    }
}

/* %a and its like; a capital letter is the opposite; after % anything else stands for itself. */
static bool is_of_class(unsigned char c, unsigned char class)
{
    int is = ctype_of(c, (char)tolower(class));

    if (is < 0)
        return c == class;
    return (is != 0) == (islower(class) != 0);
}

/* Behind the item that begins at `p`, where its repetition would stand. */
static const char *item_end(const struct pattern *m, const char *p)
{
    if (*p == '%') {
        if (p + 1 == m->end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p != '[')
        return p + 1;

    p++;
    if (p < m->end && *p == '^')
        p++;
    do { /* a ']' that comes first is an element */
        if (p == m->end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == '%' && p < m->end)
            p++;
    } while (p == m->end || *p != ']');
    return p + 1;
}

/* `set` is behind the bracket, `last` the closing one. */
static bool is_in_set(unsigned char c, const char *set, const char *last)
{
    bool is_negated = *set == '^';

    for (set += is_negated; set < last; set++) {
        if (*set == '%') {
            set++;
            if (is_of_class(c, (unsigned char)*set))
                return !is_negated;
        } else if (set + 2 < last && set[1] == '-') {
            if ((unsigned char)set[0] <= c && c <= (unsigned char)set[2])
                return !is_negated;
            set += 2;
        } else if ((unsigned char)*set == c) {
            return !is_negated;
        }
    }
    return is_negated;
}

static bool item_matches(const struct pattern *m, const char *at, const char *p, const char *p_end)
{
    call_spend(m->L, 1 + (size_t)(p_end - p) / 4);
    if (at >= m->subject_end)
        return false;
    switch (*p) {
    case '.':
        return true;
    case '%':
        return is_of_class((unsigned char)*at, (unsigned char)p[1]);
    case '[':
        return is_in_set((unsigned char)*at, p + 1, p_end - 1);
    default:
        return *p == *at;
    }
}

/* ---- repetition */

/* As many as there are, then fewer, until the rest matches. */
static const char *match_most(struct pattern *m, const char *at, const char *p, const char *p_end)
{
    ptrdiff_t count = 0;

    while (item_matches(m, at + count, p, p_end))
        count++;
    for (; count >= 0; count--) {
        const char *end = match(m, at + count, p_end + 1);

        if (end != NULL)
            return end;
    }
    return NULL;
}

static const char *match_least(struct pattern *m, const char *at, const char *p, const char *p_end)
{
    for (;; at++) {
        const char *end = match(m, at, p_end + 1);

        if (end != NULL || !item_matches(m, at, p, p_end))
            return end;
    }
}

/* ---- captures */

static const char *open_capture(struct pattern *m, const char *at, const char *p, ptrdiff_t kind)
{
    const char *end;

    if (m->captures_count == PATTERN_CAPTURES_MAX)
        luaL_error(m->L, "too many captures");
    m->captures[m->captures_count++] = (struct pattern_capture){ at, kind };
    end = match(m, at, p);
    if (end == NULL)
        m->captures_count--;
    return end;
}

static const char *close_capture(struct pattern *m, const char *at, const char *p)
{
    struct pattern_capture *capture = NULL;
    const char *end;

    for (int i = m->captures_count - 1; i >= 0 && capture == NULL; i--)
        if (m->captures[i].size == PATTERN_OPEN)
            capture = &m->captures[i];
    if (capture == NULL) {
        luaL_error(m->L, "invalid pattern capture");
        return NULL;
    }
    capture->size = at - capture->start;
    end = match(m, at, p);
    if (end == NULL)
        capture->size = PATTERN_OPEN;
    return end;
}

/* %1 to %9: the same text again. NULL: it is not there. */
static const char *match_again(const struct pattern *m, const char *at, char digit)
{
    int index = digit - '1';
    size_t size;

    if (index < 0 || index >= m->captures_count || m->captures[index].size == PATTERN_OPEN)
        luaL_error(m->L, "invalid capture index %%%d", index + 1);
    size = (size_t)m->captures[index].size;
    if ((size_t)(m->subject_end - at) < size)
        return NULL;
    call_spend(m->L, 1 + size / 16);
    return memcmp(m->captures[index].start, at, size) == 0 ? at + size : NULL;
}

/* ---- %b and %f */

static const char *match_balance(const struct pattern *m, const char *at, const char *p)
{
    int open = 1;

    if (m->end - p < 2)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (at >= m->subject_end || *at != p[0])
        return NULL;
    for (at++; at < m->subject_end; at++) {
        call_spend(m->L, 1);
        if (*at == p[1]) {
            if (--open == 0)
                return at + 1;
        } else if (*at == p[0]) {
            open++;
        }
    }
    return NULL;
}

/* `p` is behind %f. Behind the set if the frontier is here. */
static const char *match_frontier(const struct pattern *m, const char *at, const char *p)
{
    const char *set_end;
    unsigned char before = at == m->subject ? '\0' : (unsigned char)at[-1];
    unsigned char here = at == m->subject_end ? '\0' : (unsigned char)*at;

    if (p == m->end || *p != '[')
        luaL_error(m->L, "missing '[' after '%%f' in pattern");
    set_end = item_end(m, p);
    call_spend(m->L, 1 + (size_t)(set_end - p) / 2);
    if (is_in_set(before, p + 1, set_end - 1) || !is_in_set(here, p + 1, set_end - 1))
        return NULL;
    return set_end;
}

/* ---- the pattern */

/* An item and its repetition. True: the way goes on at *at and *p; false: *end is the answer. */
static bool match_item(struct pattern *m, const char **at, const char **p, const char **end)
{
    const char *p_end = item_end(m, *p);
    char repeats = p_end < m->end ? *p_end : '\0';

    *end = NULL;
    switch (repeats) {
    case '*':
        *end = match_most(m, *at, *p, p_end);
        return false;
    case '+':
        if (item_matches(m, *at, *p, p_end))
            *end = match_most(m, *at + 1, *p, p_end);
        return false;
    case '-':
        *end = match_least(m, *at, *p, p_end);
        return false;
    case '?':
        if (item_matches(m, *at, *p, p_end)) {
            *end = match(m, *at + 1, p_end + 1);
            if (*end != NULL)
                return false;
        }
        *p = p_end + 1;
        return true;
    default:
        if (!item_matches(m, *at, *p, p_end))
            return false;
        *at += 1;
        *p = p_end;
        return true;
    }
}

/* What % begins beside classes. True: it was one of these, and the way goes on unless *at is NULL. */
static bool match_special(const struct pattern *m, const char **at, const char **p)
{
    char what = *p + 1 < m->end ? (*p)[1] : '\0';
    const char *behind;

    switch (what) {
    case 'b':
        *at = match_balance(m, *at, *p + 2);
        *p += 4;
        return true;
    case 'f':
        behind = match_frontier(m, *at, *p + 2);
        if (behind == NULL)
            *at = NULL;
        *p = behind;
        return true;
    default:
        if (*p + 1 == m->end || isdigit((unsigned char)what) == 0)
            return false;
        *at = match_again(m, *at, what);
        *p += 2;
        return true;
    }
}

static const char *match_on(struct pattern *m, const char *at, const char *p)
{
    const char *end;

    while (p != m->end) {
        call_spend(m->L, 1);
        if (*p == '(') {
            bool is_position = p + 1 < m->end && p[1] == ')';

            return open_capture(m, at, p + 1 + is_position, is_position ? PATTERN_POSITION : PATTERN_OPEN);
        }
        if (*p == ')')
            return close_capture(m, at, p + 1);
        if (*p == '$' && p + 1 == m->end)
            return at == m->subject_end ? at : NULL;
        if (*p == '%' && match_special(m, &at, &p)) {
            if (at == NULL)
                return NULL;
        } else if (!match_item(m, &at, &p, &end)) {
            return end;
        }
    }
    return at;
}

static const char *match(struct pattern *m, const char *at, const char *p)
{
    const char *end;

    if (m->depth == PATTERN_DEPTH_MAX)
        luaL_error(m->L, "pattern too complex");
    m->depth++;
    end = match_on(m, at, p);
    m->depth--;
    return end;
}

const char *pattern_match(struct pattern *pattern, const char *at)
{
    pattern->depth = 0;
    pattern->captures_count = 0;
    return match(pattern, at, pattern->start);
}

void pattern_push_capture(struct pattern *pattern, int index, const char *start, const char *end)
{
    const struct pattern_capture *capture = &pattern->captures[index];

    if (index >= pattern->captures_count) {
        if (index != 0)
            luaL_error(pattern->L, "invalid capture index %%%d", index + 1);
        lua_pushlstring(pattern->L, start, (size_t)(end - start));
    } else if (capture->size == PATTERN_POSITION) {
        lua_pushinteger(pattern->L, capture->start - pattern->subject + 1);
    } else if (capture->size == PATTERN_OPEN) {
        luaL_error(pattern->L, "unfinished capture");
    } else {
        lua_pushlstring(pattern->L, capture->start, (size_t)capture->size);
    }
}

int pattern_push_captures(struct pattern *pattern, bool whole, const char *start, const char *end)
{
    int count = pattern->captures_count == 0 && whole ? 1 : pattern->captures_count;

    luaL_checkstack(pattern->L, count, "too many captures");
    for (int i = 0; i < count; i++)
        pattern_push_capture(pattern, i, start, end);
    return count;
}
