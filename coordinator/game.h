/* game.h - the settings of the game as the coordinator holds them, with their numbers and the teams.
 *
 * Shards ask for changes; each is checked (proto/game.h), numbered from the counter of revisions, stored with
 * its number, and told to all shards and gateways in one order. Whoever comes up is told all of them.
 *
 * Spec: gamemode API, "Combat, cluster-wide settings"; design.md, "Identity and time". */
#ifndef DLMP_COORDINATOR_GAME_H
#define DLMP_COORDINATOR_GAME_H

#include "coordinator/storage.h"

struct coordinator;

/* Entries of one command: everything there is. */
enum { GAME_ENTRIES_MAX = GAME_CHANGES_MAX + GAME_TEAMS_MAX + 3 };

struct game {
    struct game_settings settings;
    uint64_t revision; /* of the last change; 0: nobody has been told anything yet */
    uint32_t relation_revision;
    struct game_team *teams;
    size_t teams_count;
    struct stored_game *entries; /* of the command that was taken last */
};

/* -1: no memory. */
int game_open(struct game *game, uint64_t now_ms);
void game_close(struct game *game);

/* ---- from shards */

void game_on_ask(struct coordinator *coordinator, uint16_t shard, const Bus__GameAsk *ask);
/* How far a shard has come. What is ahead of this was handed out before Redis lost it. */
void game_see(struct coordinator *coordinator, const Bus__ShardState *state);

/* ---- to others */

/* Everything, for a process that has just come up. */
void game_tell_all(struct coordinator *coordinator, uint16_t place);

/* ---- Redis */

void game_restore(struct coordinator *coordinator, const struct storage_loaded *loaded);
/* Has everything written if anything differs. */
void game_compare(struct coordinator *coordinator, const struct storage_loaded *loaded);
/* What is to be written, as it stands now. */
void game_fill(struct coordinator *coordinator, const struct storage_game_key *key,
               struct storage_game *command);

#endif
