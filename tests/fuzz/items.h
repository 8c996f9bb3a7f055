/* items.h - bytes of a fuzzer into an item of the bus, whole and of any kind.
 *
 * Random bytes seldom parse as nested messages, and what parses seldom names a player who is there. So the
 * bytes choose: which item, which of its parts are there, and small numbers and known names more often than
 * others. Where they end, nothing more is there. All that protobuf can carry can come out, but for unknown
 * fields. */
#ifndef DLMP_TESTS_FUZZ_ITEMS_H
#define DLMP_TESTS_FUZZ_ITEMS_H

#include "common/arena.h"
#include "common/cursor.h"
#include "gen/bus.pb-c.h"

/* Lives in the arena. */
const Bus__Item *items_make(struct arena *arena, struct reader *in);

#endif
