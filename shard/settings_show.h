/* settings_show.h - the settings of weapons and damage, as clients are told them.
 *
 * Spec: Combat, DriveByIntervals, DamageMultipliers and WeaponProperties; Connection, "Opening a connection",
 * 6. */
#ifndef DLMP_SHARD_SETTINGS_SHOW_H
#define DLMP_SHARD_SETTINGS_SHOW_H

#include "proto/game.h"

struct player;
struct shard;

/* A new connection: all that is not as its game has it. `driveby_ms`: as its ServerHello had them;
 * `driveby_count` 0: all 0. */
void settings_greet(struct shard *shard, struct player *player, const uint32_t *driveby_ms,
                    size_t driveby_count);
/* Everybody: what is not as before. */
void settings_show_changes(struct shard *shard, const struct game_settings *before);

#endif
