/* cluster.h - what resources say to each other's copies on other shards, and keep in the cluster's storage.
 *
 * Both go by the coordinator (shard/ask.h). An answer finds the handler that waits for it by the number it
 * was asked under; when its resource has stopped meanwhile, nobody waits any more. */
#ifndef DLMP_SHARD_SCRIPT_CLUSTER_H
#define DLMP_SHARD_SCRIPT_CLUSTER_H

#include <lua5.4/lua.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

enum kv_operation { KV_GET, KV_SET, KV_INCR, KV_DEL };

struct kv_waiting {
    uint64_t request;
    struct resource *resource;
    int handler; /* in the registry; LUA_NOREF: nobody wants to know */
    enum kv_operation operation;
};

struct script_asks {
    struct kv_waiting *items;
    size_t count;
    size_t capacity;
};

struct script;
struct resource;
struct kv_result;

/* The answers of these come when they are there; all of them refuse with nil and why. */
int script_broadcast(lua_State *L); /* dlmp.broadcast(name, ...) -> true */
int script_kv_get(lua_State *L);    /* dlmp.kv_get(key, fn) -> true; fn(value or nil[, why]) */
int script_kv_set(lua_State *L);    /* dlmp.kv_set(key, value[, fn]) -> true; fn(ok) */
int script_kv_incr(lua_State *L);   /* dlmp.kv_incr(key, by, fn) -> true; fn(new_value or nil) */
int script_kv_del(lua_State *L);    /* dlmp.kv_del(key[, fn]) -> true; fn(ok) */

/* From the hooks. */
void script_on_broadcast(struct script *script, const char *resource, const char *name,
                         struct span arguments);
void script_on_kv(struct script *script, uint64_t request, const struct kv_result *result);

void script_forget(struct resource *resource);
void script_fini(struct script_asks *asks);

#endif
