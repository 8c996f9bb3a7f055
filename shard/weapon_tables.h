/* weapon_tables.h - the weapon properties of each revision that a shot may have been fired with.
 *
 * A shot is checked against the table that its client had: the present one, or one that was replaced at most
 * 5 s ago. Kept is what each change has replaced, record by record; an older table is the present one with
 * the later changes undone. On the wire a revision is a u16, whose age counts from the present one; here it
 * is the u32 that this makes of it, so that nothing old comes round.
 *
 * Spec: Combat: WeaponShot, WeaponProperties, "Revision". */
#ifndef DLMP_SHARD_WEAPON_TABLES_H
#define DLMP_SHARD_WEAPON_TABLES_H

#include "common/ring.h"
#include "proto/game.h"

struct player;
struct shard;

enum {
    WEAPON_TABLE_AGE_MS = 5000, /* Combat: WeaponProperties, "Revision" */
    /* Ours: as many as a client keeps. Of more in 5 s the oldest are forgotten sooner. 80 kB. */
    WEAPON_CHANGES_MAX = 1024,
};

struct weapon_tables {
    struct ring replaced; /* struct weapon_replaced, the newest last */
};

/* -1: no memory. */
int weapon_tables_init(struct weapon_tables *tables);
void weapon_tables_fini(struct weapon_tables *tables);

/* The settings have become others. */
void weapon_tables_replace(struct weapon_tables *tables, const struct game_settings *before,
                           const struct game_settings *now, uint64_t now_ms);

/* May the player's next shot name this revision? One that is in force, and not older than that of the last
 * accepted shot, as long as that one is in force as well. REASON_NONE: yes. */
enum reason weapon_tables_check(const struct shard *shard, const struct player *player, uint16_t props_rev);
/* A shot with the revision, which must have passed the check, was accepted. */
void weapon_tables_accept(const struct shard *shard, struct player *player, uint16_t props_rev);
/* The record (game_record_of) as it was under the revision. False: the revision is not in force. */
bool weapon_tables_find(const struct shard *shard, uint16_t props_rev, size_t record,
                        struct game_record *found);

#endif
