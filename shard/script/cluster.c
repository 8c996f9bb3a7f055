#include "shard/script/cluster.h"

#include <lua5.4/lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "proto/game.h"
#include "shard/ask.h"
#include "shard/script/state.h"
#include "shard/script/values.h"

static int refuse(lua_State *L, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
}

static int answer(lua_State *L, enum reason reason)
{
    switch (reason) {
    case REASON_NONE:
        lua_pushboolean(L, true);
        return 1;
    case REASON_BAD_NAME:
        return refuse(L, "no such name can be");
    case REASON_TOO_LARGE:
        return refuse(L, "too long");
    case REASON_NO_COORDINATOR:
        return refuse(L, "the coordinator is away");
    case REASON_TABLE_FULL:
        return refuse(L, "too much is asked at once");
    default:
        return refuse(L, reason_name(reason));
    }
}

/* ---- events of the resource itself */

int script_broadcast(lua_State *L)
{
    const struct resource *resource = resource_of(L);
    uint8_t bytes[VALUES_BROADCAST_MAX];
    struct writer out;
    size_t size;
    const char *name = luaL_checklstring(L, 1, &size);
    const char *why;

    if (strlen(name) != size || event_find(name) != EVENT_COUNT)
        return refuse(L, "an event of this name is the shard's");
    writer_init(&out, bytes, sizeof bytes);
    why = values_encode(L, 2, lua_gettop(L) - 1, &out);
    if (why != NULL)
        return refuse(L, why);
    return answer(L, ask_broadcast(resource_shard(L), resource->name, name,
                                   (struct span){ .data = bytes, .size = writer_size(&out) }));
}

struct broadcast {
    int handler;
    struct span arguments;
};

static int call_broadcast(lua_State *L)
{
    const struct broadcast *broadcast = lua_touserdata(L, 1);
    int count;

    lua_rawgeti(L, LUA_REGISTRYINDEX, broadcast->handler);
    count = values_decode(L, broadcast->arguments);
    if (count < 0)
        return luaL_error(L, "malformed arguments");
    lua_call(L, count, 0);
    return 0;
}

static struct resource *find(const struct script *script, const char *name)
{
    for (size_t i = 0; i < script->resources_count; i++)
        if (strcmp(script->resources[i]->name, name) == 0)
            return script->resources[i];
    return NULL;
}

void script_on_broadcast(struct script *script, const char *name_of_resource, const char *name,
                         struct span arguments)
{
    struct resource *resource = find(script, name_of_resource);
    const struct listener_list *list = resource != NULL ? &resource->listeners.lists[EVENT_COUNT] : NULL;
    size_t count = list != NULL ? list->count : 0;

    script->busy++;
    for (size_t i = 0; i < count; i++) {
        struct broadcast broadcast = { list->items[i].handler, arguments };

        if (broadcast.handler != LUA_NOREF && strcmp(list->items[i].name, name) == 0)
            (void)script_run(resource, name, call_broadcast, &broadcast, 0);
    }
    script->busy--;
    script_settle(script);
}

/* ---- storage: asking */

static bool make_room(struct script_asks *asks)
{
    size_t capacity = asks->capacity > 0 ? asks->capacity * 2 : 16;
    struct kv_waiting *items;

    if (asks->count < asks->capacity)
        return true;
    items = realloc(asks->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    asks->items = items;
    asks->capacity = capacity;
    return true;
}

static struct span check_key(lua_State *L)
{
    size_t size;
    const char *key = luaL_checklstring(L, 1, &size);

    return (struct span){ .data = (const uint8_t *)key, .size = size };
}

/* The handler at `index` will be called with the answer. What can raise an error comes before the asking. */
static int ask(lua_State *L, enum kv_operation operation, const struct kv_value *value, int index)
{
    struct resource *resource = resource_of(L);
    struct script_asks *asks = &resource->script->asks;
    struct shard *shard = resource_shard(L);
    struct kv_waiting waiting = { .resource = resource, .handler = LUA_NOREF, .operation = operation };
    struct span key = check_key(L);
    enum reason reason = REASON_TABLE_FULL;

    if (!make_room(asks))
        return answer(L, reason);
    if (!lua_isnoneornil(L, index)) {
        lua_pushvalue(L, index);
        waiting.handler = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    switch (operation) {
    case KV_GET:
        reason = ask_kv_get(shard, resource->name, key, &waiting.request);
        break;
    case KV_SET:
        reason = ask_kv_set(shard, resource->name, key, value, &waiting.request);
        break;
    case KV_INCR:
        reason = ask_kv_incr(shard, resource->name, key, value->number, &waiting.request);
        break;
    case KV_DEL:
        reason = ask_kv_del(shard, resource->name, key, &waiting.request);
        break;
    }
    if (reason == REASON_NONE)
        asks->items[asks->count++] = waiting;
    else
        luaL_unref(L, LUA_REGISTRYINDEX, waiting.handler);
    return answer(L, reason);
}

int script_kv_get(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    return ask(L, KV_GET, NULL, 2);
}

/* Whole numbers are stored as such, so that kv_incr can count with them. */
int script_kv_set(lua_State *L)
{
    uint8_t bytes[GAME_KV_VALUE_MAX];
    struct kv_value value = { .is_number = lua_isinteger(L, 2) != 0 };
    struct writer out;
    const char *why = NULL;

    luaL_checkany(L, 2);
    if (!lua_isnoneornil(L, 3))
        luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua_isnil(L, 2))
        return refuse(L, "nothing to store: kv_del removes");
    if (value.is_number) {
        value.number = lua_tointeger(L, 2);
    } else {
        writer_init(&out, bytes, sizeof bytes);
        why = values_encode(L, 2, 1, &out);
        value.bytes = (struct span){ .data = bytes, .size = writer_size(&out) };
    }
    return why != NULL ? refuse(L, why) : ask(L, KV_SET, &value, 3);
}

int script_kv_incr(lua_State *L)
{
    int is_whole;
    struct kv_value by = { .is_number = true };

    luaL_checktype(L, 3, LUA_TFUNCTION);
    by.number = lua_tointegerx(L, 2, &is_whole);
    return is_whole != 0 ? ask(L, KV_INCR, &by, 3) : refuse(L, "a whole number is meant");
}

int script_kv_del(lua_State *L)
{
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    return ask(L, KV_DEL, NULL, 2);
}

/* ---- storage: answers */

struct kv_call {
    const struct kv_waiting *waiting;
    const struct kv_result *result;
};

/* What was stored, or nil. */
static void push_value(lua_State *L, const struct kv_result *result)
{
    if (!result->is_ok || !result->has_value)
        lua_pushnil(L);
    else if (result->value.is_number)
        lua_pushinteger(L, result->value.number);
    else if (values_decode(L, result->value.bytes) != 1)
        luaL_error(L, "what is stored is no value of ours");
}

static int call_answer(lua_State *L)
{
    const struct kv_call *call = lua_touserdata(L, 1);
    enum kv_operation operation = call->waiting->operation;

    lua_rawgeti(L, LUA_REGISTRYINDEX, call->waiting->handler);
    if (operation == KV_SET || operation == KV_DEL)
        lua_pushboolean(L, call->result->is_ok);
    else
        push_value(L, call->result);
    if (call->result->is_ok)
        lua_pushnil(L);
    else
        lua_pushstring(L, operation == KV_INCR ? "the storage is away, or what it has is no whole number"
                                               : "the storage is away");
    lua_call(L, 2, 0);
    return 0;
}

static bool take(struct script_asks *asks, uint64_t request, struct kv_waiting *taken)
{
    for (size_t i = 0; i < asks->count; i++) {
        if (asks->items[i].request != request)
            continue;
        *taken = asks->items[i];
        asks->count--;
        memmove(&asks->items[i], &asks->items[i + 1], (asks->count - i) * sizeof asks->items[0]);
        return true;
    }
    return false;
}

void script_on_kv(struct script *script, uint64_t request, const struct kv_result *result)
{
    struct kv_waiting waiting;
    struct kv_call call = { &waiting, result };

    if (!take(&script->asks, request, &waiting) || waiting.handler == LUA_NOREF)
        return;
    script->busy++;
    (void)script_run(waiting.resource, "kv answer", call_answer, &call, 0);
    luaL_unref(waiting.resource->L, LUA_REGISTRYINDEX, waiting.handler);
    script->busy--;
    script_settle(script);
}

void script_forget(struct resource *resource)
{
    struct script_asks *asks = &resource->script->asks;
    size_t kept = 0;

    for (size_t i = 0; i < asks->count; i++)
        if (asks->items[i].resource != resource)
            asks->items[kept++] = asks->items[i];
    asks->count = kept;
}

void script_fini(struct script_asks *asks)
{
    free(asks->items);
    *asks = (struct script_asks){ 0 };
}
