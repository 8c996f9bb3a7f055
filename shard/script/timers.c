#include "shard/script/timers.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>

#include "shard/script/state.h"

/* ---- the heap */

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void sift_up(struct timer *heap, size_t at)
{
    struct timer moved = heap[at];

    while (at > 0 && is_before(&moved, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

static void sift_down(struct timer *heap, size_t count, size_t at)
{
    struct timer moved = heap[at];

    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static bool put(struct timers *timers, struct timer timer)
{
    if (timers->count == timers->capacity) {
        size_t capacity = timers->capacity > 0 ? timers->capacity * 2 : 16;
        struct timer *heap = realloc(timers->heap, capacity * sizeof *heap);

        if (heap == NULL)
            return false;
        timers->heap = heap;
        timers->capacity = capacity;
    }
    timer.order = ++timers->last_order;
    timers->heap[timers->count++] = timer;
    sift_up(timers->heap, timers->count - 1);
    return true;
}

static struct timer take(struct timers *timers, size_t at)
{
    struct timer taken = timers->heap[at];

    timers->heap[at] = timers->heap[--timers->count];
    if (at < timers->count) {
        sift_down(timers->heap, timers->count, at);
        sift_up(timers->heap, at);
    }
    return taken;
}

/* ---- a resource's */

uint32_t timers_add(lua_State *L, uint64_t after_ms, uint64_t every_ms)
{
    struct resource *resource = resource_of(L);
    struct script *script = resource->script;
    struct timer timer = { .due_ms = script->shard->now_ms + after_ms,
                           .every_ms = every_ms,
                           .id = script->timers.last_id + 1,
                           .resource = resource };

    if (resource->timers == TIMERS_MAX)
        return 0;
    timer.handler = luaL_ref(L, LUA_REGISTRYINDEX);
    if (!put(&script->timers, timer)) {
        luaL_unref(L, LUA_REGISTRYINDEX, timer.handler);
        return 0;
    }
    script->timers.last_id++;
    resource->timers++;
    return timer.id;
}

static void forget(struct timers *timers, size_t at)
{
    struct timer timer = take(timers, at);

    timer.resource->timers--;
    luaL_unref(timer.resource->L, LUA_REGISTRYINDEX, timer.handler);
}

bool timers_cancel(struct resource *resource, uint32_t id)
{
    struct timers *timers = &resource->script->timers;

    for (size_t i = 0; i < timers->count; i++) {
        if (timers->heap[i].id == id && timers->heap[i].resource == resource) {
            forget(timers, i);
            return true;
        }
    }
    return false;
}

void timers_remove_all(struct resource *resource)
{
    struct timers *timers = &resource->script->timers;
    size_t kept = 0;

    for (size_t i = 0; i < timers->count; i++) {
        if (timers->heap[i].resource == resource)
            luaL_unref(resource->L, LUA_REGISTRYINDEX, timers->heap[i].handler);
        else
            timers->heap[kept++] = timers->heap[i];
    }
    timers->count = kept;
    resource->timers = 0;
    for (size_t at = kept / 2; at-- > 0;)
        sift_down(timers->heap, kept, at);
}

void timers_fini(struct timers *timers)
{
    free(timers->heap);
    *timers = (struct timers){ 0 };
}

/* ---- time */

static int call_handler(lua_State *L)
{
    const int *handler = lua_touserdata(L, 1);

    lua_rawgeti(L, LUA_REGISTRYINDEX, *handler);
    lua_call(L, 0, 0);
    return 0;
}

/* It is set again before it runs, so that its handler can cancel it. Late ones make up for nothing. */
static void run_first(struct script *script, uint64_t now_ms)
{
    struct timers *timers = &script->timers;
    struct timer timer = take(timers, 0);

    if (timer.every_ms > 0) {
        struct timer next = timer;

        next.due_ms += timer.every_ms;
        if (next.due_ms <= now_ms)
            next.due_ms = now_ms + timer.every_ms;
        (void)put(timers, next); /* there is the room that it had */
        (void)script_run(timer.resource, "timer", call_handler, &timer.handler, 0);
        return;
    }
    timer.resource->timers--;
    (void)script_run(timer.resource, "timer", call_handler, &timer.handler, 0);
    luaL_unref(timer.resource->L, LUA_REGISTRYINDEX, timer.handler);
}

void timers_run(struct script *script, uint64_t now_ms)
{
    struct timers *timers = &script->timers;
    uint64_t last_order = timers->last_order;

    while (timers->count > 0 && timers->heap[0].due_ms <= now_ms && timers->heap[0].order <= last_order)
        run_first(script, now_ms);
}

uint64_t timers_due_at(const struct timers *timers)
{
    return timers->count > 0 ? timers->heap[0].due_ms : UINT64_MAX;
}
