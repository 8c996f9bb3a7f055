/* record.h - how the values of the hashes in Redis are written: a few words on a line, for people with
 * redis-cli.
 *
 * Reading is strict. Whatever else is found is not ours, or has been damaged: it is refused whole, since
 * nothing may be guessed about a fence or a ban.
 *
 * docs/redis.md lists them all. */
#ifndef DLMP_COORDINATOR_RECORD_H
#define DLMP_COORDINATOR_RECORD_H

#include "common/cursor.h"
#include "coordinator/storage.h"

enum { RECORD_FIELD_SIZE = 80, RECORD_VALUE_SIZE = 320 };

/* A field of a hash and its value, each with a terminator. */
struct record {
    char field[RECORD_FIELD_SIZE];
    char value[RECORD_VALUE_SIZE];
};

void record_write_player(struct record *record, const struct stored_player *player);
void record_write_slot(struct record *record, const struct stored_slot *slot);
void record_write_process(struct record *record, const struct stored_process *process);
/* The wall clock is asked since the record outlives every other clock. */
void record_write_ban(struct record *record, const struct stored_ban *ban, uint64_t wall_ms);

bool record_read_player(struct stored_player *player, struct span field, struct span value);
bool record_read_slot(struct stored_slot *slot, struct span field, struct span value);
bool record_read_process(struct stored_process *process, struct span field, struct span value);
bool record_read_ban(struct stored_ban *ban, struct span field, struct span value, uint64_t wall_ms);

#endif
