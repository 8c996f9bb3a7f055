/* timers.h - what the resources want to be called for later: a heap by due time. */
#ifndef DLMP_SHARD_SCRIPT_TIMERS_H
#define DLMP_SHARD_SCRIPT_TIMERS_H

#include <lua5.4/lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TIMERS_MAX = 4096, /* ours: of a resource */
};

struct timer {
    uint64_t due_ms;
    uint64_t order; /* those due in the same millisecond run in the order they were set */
    uint64_t every_ms;
    uint32_t id;
    int handler;               /* in the registry */
    struct resource *resource; /* NULL: cancelled */
};

struct timers {
    struct timer *heap;
    size_t count;
    size_t capacity;
    uint64_t last_order;
    uint32_t last_id;
};

struct script;
struct resource;

/* Takes the function on top of the stack. 0: the resource has too many, or no memory. May raise an error. */
uint32_t timers_add(lua_State *L, uint64_t after_ms, uint64_t every_ms);
/* False: there is none, or it has run. */
bool timers_cancel(struct resource *resource, uint32_t id);
void timers_remove_all(struct resource *resource);
void timers_fini(struct timers *timers);

/* Runs those that are due, each once: one that sets another for now waits for the next tick. */
void timers_run(struct script *script, uint64_t now_ms);
/* UINT64_MAX: there are none. */
uint64_t timers_due_at(const struct timers *timers);

#endif
