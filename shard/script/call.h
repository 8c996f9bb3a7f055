/* call.h - a call into a resource: protected, timed, and stopped when it takes too long.
 *
 * Time is measured by a hook that Lua calls every CALL_HOOK_STEPS instructions, and by call_spend, which
 * functions in C call with what they have done, since the hook never comes in there. What other resources
 * use of it, in events within events, is theirs. A call may take as long as the configuration says, and as
 * long as there is something left of the second's budgets.
 *
 * A call that is stopped cannot go on by catching the error: every function that catches errors (pcall,
 * coroutine.resume and their like are ours, guard.h) throws it again, and what runs on the way out, such as a
 * __close, is stopped at its first instruction. Running out of memory ends the call in the same way.
 *
 * Where the time stands still in the clock that is handed in (a test), nothing is ever stopped. */
#ifndef DLMP_SHARD_SCRIPT_CALL_H
#define DLMP_SHARD_SCRIPT_CALL_H

#include <lua5.4/lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct resource;
struct script;

enum {
    CALL_DEPTH_MAX = 8,        /* ours: calls within calls */
    CALL_HOOK_STEPS = 500,     /* ours: instructions between two looks at the clock */
    CALL_SPEND_STEPS = 10000,  /* ours: steps of C likewise; a step is some nanoseconds */
    CALL_UNSEEN_US_MAX = 1000, /* ours: what a call counts for that was over before the first look */
    CALL_TRACE_SIZE = 250,     /* ours: fits a field of a log line */
};

enum call_stop { CALL_GOES_ON, CALL_OVER_TIME, CALL_OVER_BUDGET, CALL_OVER_MEMORY, CALL_OVER_SAID };

/* What has been used of this second. */
struct budget {
    uint64_t since_ms;
    uint64_t used_us;
};

/* One that is under way. On the C stack of whoever makes it. */
struct call {
    struct call *outer;
    struct resource *resource;
    const char *what;
    uint64_t start_us;
    uint64_t nested_us;  /* used by calls within */
    uint64_t charged_us; /* of its own, to the budgets */
    bool has_cpu;        /* it has lasted long enough to be measured exactly */
    uint64_t cpu_start_us;
    uint64_t cpu_before_us;
    uint64_t cpu_nested_us;
    char trace[CALL_TRACE_SIZE];   /* where it failed */
    char refused[CALL_TRACE_SIZE]; /* where it was last refused memory: Lua does not tell of that */
};

/* Of a resource. */
struct call_state {
    enum call_stop stop; /* the innermost call is on its way out */
    uint32_t steps;      /* spent since the last look */
    uint32_t c_depth;    /* of C functions that Lua does not count (guard.h) */
    struct budget budget;
};

/* Calls `function` with the pointer as its argument; what it pushes may fail in there. False: it has failed
 * or was not made, which was logged and counted, and nothing is left on the stack. `what` names the handler
 * in the log: "player_chat". */
bool script_run(struct resource *resource, const char *what, lua_CFunction function, void *argument,
                int nresults);

/* The same, and the message of a failure is written to `error`. */
bool script_try(struct resource *resource, const char *what, lua_CFunction function, void *argument,
                char *error, size_t error_size);

/* Makes a new state's main thread subject to all this. */
void call_watch(lua_State *L);
/* The allocator's: look at the clock with the next instruction. */
void call_look_soon(struct resource *resource);
/* The allocator's: is the time over? Then everything to come is refused until the call has ended. */
bool call_is_over(struct resource *resource);
/* The allocator's: it has refused something. */
void call_note_refusal(struct resource *resource);
/* Ends the call, for a reason that is not the clock's. */
_Noreturn void call_break(lua_State *L, enum call_stop stop);
/* Looks at the clock; raises an error when the time is over. */
void call_look(lua_State *L);
/* C code has done so many steps. Raises an error when the time is over. */
void call_spend(lua_State *L, size_t steps);
/* After an error was caught with this status: throws it again if the call is to end. */
void call_pass_on(lua_State *L, int status);

#endif
