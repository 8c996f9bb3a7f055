/* listeners.h - a resource's handlers: of the shard's events, and of its own, which broadcasts raise. */
#ifndef DLMP_SHARD_SCRIPT_LISTENERS_H
#define DLMP_SHARD_SCRIPT_LISTENERS_H

#include <lua5.4/lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shard/event.h"

enum {
    LISTENERS_MAX = 1024,    /* ours: of a resource */
    LISTENERS_NAME_MAX = 64, /* ours: bytes of an event's name */
};

struct listener {
    uint32_t id;
    int handler; /* in the registry; LUA_NOREF: it has been removed */
    char *name;  /* of an event of the resource's own */
};

struct listener_list {
    struct listener *items; /* in the order they were added */
    size_t count;
    size_t capacity;
};

struct listeners {
    uint64_t heard;                              /* a bit for each of the shard's events */
    struct listener_list lists[EVENT_COUNT + 1]; /* the last: events of its own */
    size_t count;
    bool has_removed;
};

struct resource;

/* Takes the function on top of the stack. 0: there are too many, or no memory. May raise an error. */
uint32_t listeners_add(lua_State *L, const char *name);
/* False: there is none. */
bool listeners_remove(struct resource *resource, uint32_t id);
void listeners_fini(struct resource *resource);
/* Forgets what was removed; not while a loop over them is under way. */
void listeners_tidy(struct resource *resource);

/* Runs the resource's handlers of an event of the shard. False: one has refused. */
bool listeners_raise(struct resource *resource, enum event event, const struct event_value *arguments,
                     size_t count);

#endif
