#include "shard/script/call.h"

#include <assert.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/state.h"

enum { US_PER_MS = 1000 };

static const char *const stop_texts[] = {
    [CALL_OVER_TIME] = "it ran longer than a call may",
    [CALL_OVER_BUDGET] = "the time that this second has for it is used up",
    [CALL_OVER_MEMORY] = "not enough memory",
    [CALL_OVER_SAID] = "what there is to tell in this second is more than the shard can send",
};

/* ---- time */

static uint64_t wall_us(const struct script *script)
{
    return script->config.clock.wall_us();
}

static uint64_t less(uint64_t value, uint64_t by)
{
    return value > by ? value - by : 0;
}

static uint64_t own_wall_us(const struct call *call, uint64_t now_us)
{
    return less(now_us, call->start_us + call->nested_us);
}

/* What the call has used itself, not counting the time in which other threads and processes ran. */
static uint64_t own_us(const struct script *script, const struct call *call, uint64_t now_us)
{
    uint64_t wall = own_wall_us(call, now_us);
    uint64_t cpu;

    if (script->config.clock.cpu_us == NULL)
        return wall;
    if (!call->has_cpu)
        return wall < CALL_UNSEEN_US_MAX ? wall : CALL_UNSEEN_US_MAX;
    cpu = call->cpu_before_us +
          less(script->config.clock.cpu_us() - call->cpu_start_us, call->nested_us - call->cpu_nested_us);
    return cpu < wall ? cpu : wall;
}

/* From here on it can be measured exactly; asking for the thread's time takes too long to do it always. */
static void measure_exactly(const struct script *script, struct call *call, uint64_t now_us)
{
    uint64_t before_us = own_wall_us(call, now_us);

    if (call->has_cpu || script->config.clock.cpu_us == NULL)
        return;
    call->has_cpu = true;
    call->cpu_start_us = script->config.clock.cpu_us();
    call->cpu_before_us = before_us < CALL_UNSEEN_US_MAX ? before_us : CALL_UNSEEN_US_MAX;
    call->cpu_nested_us = call->nested_us;
}

static void roll(struct budget *budget, uint64_t now_ms)
{
    if (now_ms - budget->since_ms < SCRIPT_BUDGET_WINDOW_MS)
        return;
    budget->since_ms = now_ms;
    budget->used_us = 0;
}

static void charge(struct script *script, struct call *call, uint64_t used_us)
{
    uint64_t more_us = less(used_us, call->charged_us);

    call->charged_us += more_us;
    call->resource->calls.budget.used_us += more_us;
    script->budget.used_us += more_us;
    script->stats.call_us += more_us;
}

static bool has_budget(const struct script *script, const struct resource *resource, uint64_t more_us)
{
    const struct script_config *config = &script->config;

    return resource->calls.budget.used_us + more_us < (uint64_t)config->budget_ms * US_PER_MS &&
           script->budget.used_us + more_us < (uint64_t)config->budget_total_ms * US_PER_MS;
}

static enum call_stop limit_passed(const struct script *script, const struct call *call, uint64_t used_us)
{
    if (used_us >= (uint64_t)script->config.call_ms * US_PER_MS)
        return CALL_OVER_TIME;
    return has_budget(script, call->resource, less(used_us, call->charged_us)) ? CALL_GOES_ON
                                                                               : CALL_OVER_BUDGET;
}

/* ---- stopping a call */

/* "main.lua:12 in give < main.lua:40", the innermost first. It allocates nothing. */
static void write_trace(lua_State *L, char *out, size_t size)
{
    lua_Debug at;
    size_t used = 0;

    out[0] = '\0';
    for (int level = 0; lua_getstack(L, level, &at) != 0 && used < size; level++) {
        if (lua_getinfo(L, "Sln", &at) == 0 || at.currentline < 0)
            continue;
        int wrote = snprintf(out + used, size - used, "%s%s:%d%s%s", used > 0 ? " < " : "", at.short_src,
                             at.currentline, at.name != NULL ? " in " : "", at.name != NULL ? at.name : "");

        used += wrote > 0 ? (size_t)wrote : size;
    }
}

static void on_steps(lua_State *L, lua_Debug *at);

static _Noreturn void unwind(lua_State *L)
{
    lua_sethook(L, on_steps, LUA_MASKCOUNT, 1);
    lua_pushnil(L);
    (void)lua_error(L);
    abort();
}

_Noreturn void call_break(lua_State *L, enum call_stop stop)
{
    struct resource *resource = resource_of(L);

    resource->calls.stop = stop;
    write_trace(L, resource->script->call->trace, CALL_TRACE_SIZE);
    unwind(L);
}

static void on_steps(lua_State *L, lua_Debug *at)
{
    (void)at;
    if (resource_of(L)->calls.stop != CALL_GOES_ON)
        unwind(L);
    if (lua_gethookcount(L) != CALL_HOOK_STEPS)
        lua_sethook(L, on_steps, LUA_MASKCOUNT, CALL_HOOK_STEPS);
    call_look(L);
}

void call_watch(lua_State *L)
{
    lua_sethook(L, on_steps, LUA_MASKCOUNT, CALL_HOOK_STEPS);
}

void call_look_soon(struct resource *resource)
{
    resource->calls.steps = CALL_SPEND_STEPS;
    if (resource->L != NULL)
        lua_sethook(resource->L, on_steps, LUA_MASKCOUNT, 1); /* may be set at any moment, the manual says */
}

/* Looks at the clock. */
static enum call_stop look(struct resource *resource)
{
    struct script *script = resource->script;
    struct call *call = script->call;
    uint64_t now_us = wall_us(script);
    enum call_stop stop = limit_passed(script, call, own_wall_us(call, now_us));

    resource->calls.steps = 0;
    resource->memory.since_look = 0;
    measure_exactly(script, call, now_us);
    return stop == CALL_GOES_ON ? stop : limit_passed(script, call, own_us(script, call, now_us));
}

void call_look(lua_State *L)
{
    enum call_stop stop = look(resource_of(L));

    if (stop != CALL_GOES_ON)
        call_break(L, stop);
}

static bool is_running(const struct resource *resource)
{
    return resource->L != NULL && resource->script->call != NULL &&
           resource->script->call->resource == resource;
}

bool call_is_over(struct resource *resource)
{
    if (!is_running(resource))
        return false;
    if (resource->calls.stop == CALL_GOES_ON)
        resource->calls.stop = look(resource);
    return resource->calls.stop != CALL_GOES_ON;
}

void call_note_refusal(struct resource *resource)
{
    char trace[CALL_TRACE_SIZE];

    call_look_soon(resource);
    if (!is_running(resource))
        return;
    write_trace(resource->L, trace, sizeof trace);
    /* While an error unwinds there may be no line of Lua any more: the one that asked stays. */
    if (trace[0] != '\0')
        memcpy(resource->script->call->refused, trace, sizeof trace);
}

void call_spend(lua_State *L, size_t steps)
{
    struct resource *resource = resource_of(L);

    if (resource->calls.stop != CALL_GOES_ON)
        unwind(L);
    if (steps < CALL_SPEND_STEPS - (size_t)resource->calls.steps)
        resource->calls.steps += (uint32_t)steps;
    else
        call_look(L);
}

void call_pass_on(lua_State *L, int status)
{
    struct resource *resource = resource_of(L);

    if (status == LUA_ERRMEM && resource->calls.stop == CALL_GOES_ON)
        resource->calls.stop = CALL_OVER_MEMORY;
    if (resource->calls.stop != CALL_GOES_ON)
        unwind(L);
}

/* ---- calls */

static bool refuse(struct resource *resource, const char *what, uint64_t *counter, const char *why)
{
    (*counter)++;
    resource->script->stats.errors++;
    errors_log(resource, what, why, "");
    return false;
}

static bool begin(struct call *call, struct resource *resource, const char *what)
{
    struct script *script = resource->script;

    /* It has only what is under way still to end: all of it, or the call that is on its way out. */
    if (resource->wish != RESOURCE_STAYS || resource->calls.stop != CALL_GOES_ON)
        return false;
    /* Not all of it: the trace is long, and only a failure writes it. */
    call->outer = script->call;
    call->resource = resource;
    call->what = what;
    call->start_us = wall_us(script);
    call->nested_us = 0;
    call->charged_us = 0;
    call->has_cpu = false;
    call->trace[0] = '\0';
    call->refused[0] = '\0';

    if (script->depth == CALL_DEPTH_MAX)
        return refuse(resource, what, &script->stats.too_deep, "too many events within events");
    if (call->outer != NULL)
        charge(script, call->outer, own_us(script, call->outer, call->start_us));
    roll(&script->budget, script->shard->now_ms);
    roll(&resource->calls.budget, script->shard->now_ms);
    if (!has_budget(script, resource, 0))
        return refuse(resource, what, &script->stats.over_budget, stop_texts[CALL_OVER_BUDGET]);
    script->call = call;
    script->depth++;
    script->watch.turn++;
    script->watch.resource = resource->name;
    script->stats.calls++;
    return true;
}

static void end(struct call *call)
{
    struct script *script = call->resource->script;
    uint64_t now_us = wall_us(script);

    charge(script, call, own_us(script, call, now_us));
    script->call = call->outer;
    script->depth--;
    script->watch.turn++;
    script->watch.resource = call->outer != NULL ? call->outer->resource->name : NULL;
    if (call->outer != NULL)
        call->outer->nested_us += less(now_us, call->start_us);
}

/* What Lua hands to whoever catches: the message, after the place was noted. */
static int on_error(lua_State *L)
{
    struct call *call = resource_of(L)->script->call;

    if (call->trace[0] == '\0')
        write_trace(L, call->trace, sizeof call->trace);
    return 1;
}

static const char *message_of(const struct resource *resource, lua_State *L, int status)
{
    if (status == LUA_ERRMEM && resource->memory.string_refused)
        return "not enough memory: a string of more than 1 MiB";
    if (resource->calls.stop != CALL_GOES_ON)
        return stop_texts[resource->calls.stop];
    if (lua_type(L, -1) == LUA_TSTRING)
        return lua_tostring(L, -1);
    return "an error that is no string";
}

static void count_failure(struct script_stats *stats, enum call_stop stop)
{
    stats->errors++;
    stats->over_time += stop == CALL_OVER_TIME;
    stats->over_budget += stop == CALL_OVER_BUDGET;
    stats->over_memory += stop == CALL_OVER_MEMORY;
    stats->over_said += stop == CALL_OVER_SAID;
}

/* The call has ended, the resource goes on. */
static void let_go_on(struct resource *resource)
{
    resource->calls.stop = CALL_GOES_ON;
    call_watch(resource->L);
}

/* The function and its arguments are on top; the message of a failure goes to `error`, if that is wanted. */
static bool run(struct resource *resource, const char *what, int nargs, int nresults, char *error,
                size_t error_size)
{
    lua_State *L = resource->L;
    int base = lua_gettop(L) - nargs;
    struct call call;
    int status;

    if (!begin(&call, resource, what)) {
        lua_settop(L, base - 1);
        if (error_size > 0)
            (void)snprintf(error, error_size, "%s", "no time is left for it");
        return false;
    }
    lua_pushcfunction(L, on_error);
    lua_insert(L, base);
    status = lua_pcall(L, nargs, nresults, base);
    end(&call);
    if (status == LUA_OK) {
        if (resource->calls.stop != CALL_GOES_ON) /* it has come to its end before it could be stopped */
            let_go_on(resource);
        lua_remove(L, base);
        return true;
    }

    if (status == LUA_ERRMEM && resource->calls.stop == CALL_GOES_ON)
        resource->calls.stop = CALL_OVER_MEMORY;
    count_failure(&resource->script->stats, resource->calls.stop);
    if (error_size > 0)
        (void)snprintf(error, error_size, "%s", message_of(resource, L, status));
    errors_log(resource, what, message_of(resource, L, status),
               call.trace[0] != '\0' ? call.trace : call.refused);
    let_go_on(resource);
    lua_settop(L, base - 1);
    return false;
}

static bool push(struct resource *resource, const char *what, lua_CFunction function, void *argument)
{
    lua_State *L = resource->L;

    /* Nothing may raise an error out here: asking for room does not, and pushing these allocates nothing. */
    if (lua_checkstack(L, LUA_MINSTACK) == 0)
        return refuse(resource, what, &resource->script->stats.over_memory, "no room on its stack");
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, argument);
    return true;
}

bool script_run(struct resource *resource, const char *what, lua_CFunction function, void *argument,
                int nresults)
{
    return push(resource, what, function, argument) && run(resource, what, 1, nresults, NULL, 0);
}

bool script_try(struct resource *resource, const char *what, lua_CFunction function, void *argument,
                char *error, size_t error_size)
{
    (void)snprintf(error, error_size, "%s", "not enough memory");
    return push(resource, what, function, argument) && run(resource, what, 1, 0, error, error_size);
}
