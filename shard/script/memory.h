/* memory.h - the allocator of a resource's Lua state: it counts, and has a cap.
 *
 * It is also where the time that a call takes is noticed where nothing else can: one instruction of Lua can
 * copy a megabyte, or grow its stack for seconds without ever coming to the next, and an allocation near the
 * cap costs a whole garbage collection. So after much has been allocated, or when something was refused, the
 * clock is looked at with the next instruction, and where none comes a call that is over gets no more. */
#ifndef DLMP_SHARD_SCRIPT_MEMORY_H
#define DLMP_SHARD_SCRIPT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MEMORY_STRING_MAX = 1 << 20, /* ours: bytes of a string; instructions that look at all of it stay short */
    MEMORY_LOOK_EVERY = 1 << 18, /* ours: bytes between two looks at the clock */
};

struct memory {
    size_t used;
    size_t max;
    size_t since_look;   /* bytes */
    bool string_refused; /* the last refusal was of a string over MEMORY_STRING_MAX */
};

/* A lua_Alloc; `context` is the struct resource. */
void *memory_alloc(void *context, void *block, size_t old_size, size_t new_size);

#endif
