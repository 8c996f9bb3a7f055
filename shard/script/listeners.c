#include "shard/script/listeners.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/api.h"
#include "shard/script/state.h"

static bool make_room(struct listener_list *list)
{
    size_t capacity = list->capacity > 0 ? list->capacity * 2 : 4;
    struct listener *items;

    if (list->count < list->capacity)
        return true;
    items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

uint32_t listeners_add(lua_State *L, const char *name)
{
    struct resource *resource = resource_of(L);
    struct listeners *listeners = &resource->listeners;
    enum event event = event_find(name);
    struct listener_list *list = &listeners->lists[event];
    struct listener listener = { .handler = LUA_NOREF };

    if (listeners->count == LISTENERS_MAX || !make_room(list))
        return 0;
    if (event == EVENT_COUNT) {
        listener.name = strdup(name);
        if (listener.name == NULL)
            return 0;
        list->items[list->count++] = listener; /* so that it is freed, should the next line raise an error */
        listeners->has_removed = true;
        list->items[list->count - 1].handler = luaL_ref(L, LUA_REGISTRYINDEX);
    } else {
        listener.handler = luaL_ref(L, LUA_REGISTRYINDEX);
        list->items[list->count++] = listener;
        listeners->heard |= UINT64_C(1) << event;
        script_update_heard(resource->script, event);
    }
    listeners->count++;
    list->items[list->count - 1].id = ++resource->script->last_listener;
    return resource->script->last_listener;
}

static struct listener *find(struct listeners *listeners, uint32_t id, enum event *event)
{
    for (*event = 0; *event <= EVENT_COUNT; (*event)++) {
        struct listener_list *list = &listeners->lists[*event];

        for (size_t i = 0; i < list->count; i++)
            if (list->items[i].id == id && list->items[i].handler != LUA_NOREF)
                return &list->items[i];
    }
    return NULL;
}

static bool is_empty(const struct listener_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].handler != LUA_NOREF)
            return false;
    return true;
}

bool listeners_remove(struct resource *resource, uint32_t id)
{
    struct listeners *listeners = &resource->listeners;
    enum event event;
    struct listener *listener = find(listeners, id, &event);

    if (listener == NULL)
        return false;
    luaL_unref(resource->L, LUA_REGISTRYINDEX, listener->handler);
    listener->handler = LUA_NOREF;
    listeners->has_removed = true;
    listeners->count--;
    if (event != EVENT_COUNT && is_empty(&listeners->lists[event])) {
        listeners->heard &= ~(UINT64_C(1) << event);
        script_update_heard(resource->script, event);
    }
    return true;
}

void listeners_tidy(struct resource *resource)
{
    struct listeners *listeners = &resource->listeners;

    if (!listeners->has_removed)
        return;
    listeners->has_removed = false;
    for (size_t event = 0; event <= EVENT_COUNT; event++) {
        struct listener_list *list = &listeners->lists[event];
        size_t kept = 0;

        for (size_t i = 0; i < list->count; i++) {
            if (list->items[i].handler != LUA_NOREF)
                list->items[kept++] = list->items[i];
            else
                free(list->items[i].name);
        }
        list->count = kept;
    }
}

void listeners_fini(struct resource *resource)
{
    struct listeners *listeners = &resource->listeners;

    listeners->heard = 0;
    for (enum event event = 0; event <= EVENT_COUNT; event++) {
        struct listener_list *list = &listeners->lists[event];

        for (size_t i = 0; i < list->count; i++)
            free(list->items[i].name);
        free(list->items);
        *list = (struct listener_list){ 0 };
        if (event < EVENT_COUNT)
            script_update_heard(resource->script, event);
    }
}

/* ---- raising */

struct raise {
    int handler;
    const struct event_value *arguments;
    size_t count;
};

static int call_handler(lua_State *L)
{
    const struct raise *raise = lua_touserdata(L, 1);

    lua_rawgeti(L, LUA_REGISTRYINDEX, raise->handler);
    for (size_t i = 0; i < raise->count; i++)
        api_push_value(L, &raise->arguments[i]);
    lua_call(L, (int)raise->count, 1);
    return 1;
}

/* Only `false` itself refuses; whatever else a handler gives back says nothing. */
static bool refuses(struct resource *resource, const char *name, const struct raise *raise)
{
    lua_State *L = resource->L;
    bool refused;

    if (!script_run(resource, name, call_handler, (void *)raise, 1))
        return false;
    refused = lua_isboolean(L, -1) && lua_toboolean(L, -1) == 0;
    lua_pop(L, 1);
    return refused;
}

bool listeners_raise(struct resource *resource, enum event event, const struct event_value *arguments,
                     size_t count)
{
    const struct event_info *info = event_info(event);
    const struct listener_list *list = &resource->listeners.lists[event];
    size_t listeners = list->count; /* those that are added meanwhile hear the next one */

    for (size_t i = 0; i < listeners; i++) {
        const struct raise raise = { list->items[i].handler, arguments, count };

        if (raise.handler == LUA_NOREF)
            continue;
        if (refuses(resource, info->name, &raise) && info->refusable)
            return false;
    }
    return true;
}
