/* values.h - Lua values as bytes: what broadcasts, the cluster's storage and `set_data` carry.
 *
 * nil, booleans, numbers, strings and plain tables of these: no functions, no objects, nothing with a
 * metatable, no NaN or infinity (one that gets into a world does not leave it), no table within itself. The
 * bytes come back from other processes and from Redis, so the way in is as strict as that of a packet: whole
 * or nothing.
 *
 *     u8 count, then each value: u8 kind, then
 *       integer: i64     number: u64, the bits of a double     text: u16 size, bytes
 *       table: u16 pairs, each a key (boolean, integer, number, text) and a value that is not nil
 *
 * Spec: gamemode API, data, broadcast, kv_…. */
#ifndef DLMP_SHARD_SCRIPT_VALUES_H
#define DLMP_SHARD_SCRIPT_VALUES_H

#include <lua5.4/lua.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

enum {
    VALUES_BROADCAST_MAX = 8 << 10, /* gamemode API, Resources: bytes */
    VALUES_DATA_MAX = 4 << 10,      /* likewise */
    VALUES_COUNT_MAX = 32,          /* ours: of a list */
    VALUES_DEPTH_MAX = 16,          /* ours: of tables within tables */
};

/* Writes the `count` values from stack index `first` on. NULL: done; otherwise why it cannot be. */
const char *values_encode(lua_State *L, int first, int count, struct writer *out);

/* Pushes the values; their count, or -1: malformed, and nothing is pushed. May raise an error when there is
 * no memory. */
int values_decode(lua_State *L, struct span bytes);

#endif
