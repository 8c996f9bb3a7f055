#include "shard/script/memory.h"

#include <lua5.4/lua.h>
#include <stdlib.h>

#include "shard/script/resource.h"
#include "shard/script/state.h"

static bool is_too_much(struct memory *memory, const void *block, size_t old_size, size_t grown,
                        size_t new_size)
{
    /* Lua says of a new block what it is for. */
    memory->string_refused = block == NULL && old_size == LUA_TSTRING && new_size > MEMORY_STRING_MAX + 64;
    return memory->string_refused || grown > memory->max - memory->used;
}

void *memory_alloc(void *context, void *block, size_t old_size, size_t new_size)
{
    struct resource *resource = context;
    struct memory *memory = &resource->memory;
    size_t had = block != NULL ? old_size : 0;
    void *got;

    if (new_size == 0) {
        memory->used -= had;
        resource->script->stats.memory_bytes -= had;
        free(block);
        return NULL;
    }
    if (new_size > had &&
        (is_too_much(memory, block, old_size, new_size - had, new_size) ||
         (memory->since_look + new_size - had >= MEMORY_LOOK_EVERY && call_is_over(resource)))) {
        call_note_refusal(resource);
        return NULL;
    }
    got = realloc(block, new_size);
    if (got == NULL)
        return NULL;
    memory->used += new_size - had; /* wraps back where it has shrunk */
    resource->script->stats.memory_bytes += new_size - had;
    if (new_size > had) {
        memory->since_look += new_size - had;
        if (memory->since_look >= MEMORY_LOOK_EVERY)
            call_look_soon(resource);
    }
    return got;
}
