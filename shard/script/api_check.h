/* api_check.h - a call from Lua, checked by the row of its function.
 *
 * A wrong Lua type, a missing argument and a field that the row does not have are faults of the script and
 * raise an error that names them. A value that is out of place (NaN, out of range, not whole where a whole
 * number is meant, too long, not UTF-8, a player who has left, a vehicle that is gone) is refused:
 * `nil, "message"`.
 *
 * Tables are read without their metamethods, so that nothing of the script runs between the first check
 * and the call. */
#ifndef DLMP_SHARD_SCRIPT_API_CHECK_H
#define DLMP_SHARD_SCRIPT_API_CHECK_H

#include "shard/script/api_table.h"

/* Pushes the function as Lua calls it. The row is borrowed. */
void api_push_function(lua_State *L, const struct api_noun *noun, const struct api_function *function);

/* "number", as error messages and documents call it. */
const char *api_kind_name(enum api_kind kind);

#endif
