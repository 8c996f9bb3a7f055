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

enum { RECORD_FIELD_SIZE = 80, RECORD_VALUE_SIZE = 320, RECORD_KV_SIZE = GAME_KV_VALUE_MAX + 1 };

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
/* The clock goes on while nobody looks: so it is written with the time when it was so. */
void record_write_game(struct record *record, const struct stored_game *game, uint64_t wall_ms);

void record_write_wish(struct record *record, const struct stored_wish *wish);

bool record_read_player(struct stored_player *player, struct span field, struct span value);
bool record_read_slot(struct stored_slot *slot, struct span field, struct span value);
bool record_read_process(struct stored_process *process, struct span field, struct span value);
bool record_read_ban(struct stored_ban *ban, struct span field, struct span value, uint64_t wall_ms);
bool record_read_wish(struct stored_wish *wish, struct span field, struct span value);
bool record_read_game(struct stored_game *game, struct span field, struct span value, uint64_t wall_ms);

/* A resource's value as Redis keeps it: a whole number in digits, or a colon and the bytes. The size; never
 * more than the room of RECORD_KV_SIZE. */
size_t record_write_kv(const struct kv_value *value, uint8_t text[RECORD_KV_SIZE]);
/* Bytes are borrowed from the text. */
bool record_read_kv(struct kv_value *value, struct span text);

#endif
