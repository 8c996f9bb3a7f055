/* settings.h - the settings of the game in the whole cluster, as this shard has been told them, and what its
 * gamemodes ask to be changed.
 *
 * A gamemode's change is checked here, sent to the coordinator, and holds when the coordinator tells it to
 * all shards in one order (proto/game.h). Until then it counts for the checks of what is asked next. What is
 * not decided yet is kept, and asked again when the coordinator is another one.
 *
 * Spec: gamemode API, "Combat, cluster-wide settings"; World, "Clock, weather, garages"; Combat,
 * DriveByIntervals, DamageMultipliers, WeaponProperties; Vehicles, Jacking. */
#ifndef DLMP_SHARD_SETTINGS_H
#define DLMP_SHARD_SETTINGS_H

#include "common/reason.h"
#include "common/ring.h"
#include "proto/game.h"
#include "shard/weapon_tables.h"

struct shard;

enum { SETTINGS_ASKS_MAX = 1024 }; /* ours: what a gamemode may change in one go */

struct settings {
    struct game_settings now;    /* as told */
    struct game_settings wanted; /* as it will be when all that was asked is granted */
    uint64_t revision;           /* 0: none was told yet */
    bool is_told;                /* by the coordinator that is up now */
    struct ring asks;            /* not decided yet, oldest first */
    uint64_t request;            /* the number of the last one */
    uint8_t hour;                /* of the clock, at the last tick */
    struct weapon_tables tables; /* what was replaced in the last seconds */
};

/* -1: no memory. */
int settings_open(struct settings *settings, uint64_t now_ms);
void settings_close(struct settings *settings);

/* ---- for gamemodes. `resource`: who asks. `value` NULL: the game's own again */

enum reason settings_set_weapon_property(struct shard *shard, const char *resource, uint32_t weapon,
                                         uint32_t tier, uint32_t property, const double *value);
enum reason settings_set_weapon_allowed(struct shard *shard, const char *resource, uint32_t weapon,
                                        bool allowed);
enum reason settings_set_driveby_interval(struct shard *shard, const char *resource, uint32_t weapon,
                                          double ms);
/* `class`: the weapon that names it. */
enum reason settings_set_damage_multiplier(struct shard *shard, const char *resource, uint32_t class,
                                           double multiplier);
enum reason settings_set_jacking(struct shard *shard, const char *resource, bool on);
enum reason settings_set_time(struct shard *shard, const char *resource, uint32_t hour, uint32_t minute,
                              uint32_t second);
/* Real ms of a game minute; NULL: the clock stands still. */
enum reason settings_set_clock(struct shard *shard, const char *resource, const double *minute_ms);
enum reason settings_set_weather(struct shard *shard, const char *resource, double weather,
                                 uint32_t blend_ms);
enum reason settings_set_weather_value(struct shard *shard, const char *resource, uint32_t index,
                                       const double *value);
/* Makes the team, or changes its friendly fire. For team.h. */
enum reason settings_ask_team(struct shard *shard, const struct game_team *team, bool makes);

/* ---- as they are now */

bool settings_jacking(const struct shard *shard);
bool settings_weapon_is_allowed(const struct shard *shard, uint32_t weapon);
struct settings_time {
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
};
struct settings_time settings_time(const struct shard *shard);

/* ---- the bus and time */

void settings_on_update(struct shard *shard, const Bus__GameUpdate *update);
void settings_on_answer(struct shard *shard, const Bus__GameAnswer *answer);
/* Another coordinator, or none: it has to tell everything first. */
void settings_on_coordinator(struct shard *shard);
/* Raises clock_hour. */
void settings_tick(struct shard *shard);

#endif
