/* sky.h - clock and weather, as clients are told them: the cluster's, or a player's own.
 *
 * Spec: World, SetTime, RunClock and SetWeather. */
#ifndef DLMP_SHARD_SKY_H
#define DLMP_SHARD_SKY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"

struct game_settings;
struct player;
struct shard;

enum {
    SKY_TIME_AGAIN_MS = 5 * 60 * 1000, /* World, SetTime: against drift */
    SKY_TIME_UNACKED_MAX = 64,         /* likewise: not to a connection that has as many */
};

/* What a player has been given of its own. */
struct player_sky {
    bool has_time; /* standing still */
    uint8_t hour;
    uint8_t minute;
    bool has_weather;
    uint8_t weather;
    uint64_t told_at_ms; /* when it was last sent the time */
};

/* Whether a player may have these of its own. */
bool sky_is_valid(uint32_t hour, uint32_t minute, uint32_t weather);
void sky_greet(struct shard *shard, struct player *player);
/* Everybody who has not its own: what is not as before. `sets_time`: it was set; `is_whole`: not by anybody
 * now, so that only a difference counts. */
void sky_show_changes(struct shard *shard, const struct game_settings *before, bool sets_time, bool is_whole);
void sky_tick(struct shard *shard);

/* ---- for gamemodes */

enum reason player_set_time(struct shard *shard, struct player *player, uint32_t hour, uint32_t minute);
/* The cluster's again. */
void player_clear_time(struct shard *shard, struct player *player);
/* With no values set. */
enum reason player_set_weather(struct shard *shard, struct player *player, uint32_t weather,
                               uint32_t blend_ms);
enum reason player_clear_weather(struct shard *shard, struct player *player, uint32_t blend_ms);

#endif
