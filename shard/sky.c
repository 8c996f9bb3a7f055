#include "shard/sky.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"

enum { TIME_TOLERANCE_MS = 60 * 1000 }; /* ours, game ms: what the bus may take on its way */

static void send(struct shard *shard, struct player *player, const uint8_t *packet, size_t size)
{
    assert(size > 0);
    (void)send_critical(shard, player, packet, size);
}

/* ---- the clock ---- */

static void send_run_clock(struct shard *shard, struct player *player)
{
    uint32_t minute_ms = player->sky.has_time ? 0 : shard->settings.now.clock.minute_ms;
    struct wire_run_clock clock = { .running = minute_ms != 0, .minute_ms = minute_ms };
    uint8_t packet[WIRE_RUN_CLOCK_SIZE];
    struct wire_error error;

    send(shard, player, packet, wire_run_clock_encode(&clock, packet, sizeof packet, &error));
}

static void send_time(struct shard *shard, struct player *player)
{
    struct settings_time now = settings_time(shard);
    struct wire_set_time time = { .hour = now.hour, .minute = now.minute, .second = now.second };
    uint8_t packet[WIRE_SET_TIME_SIZE];
    struct wire_error error;

    if (player->sky.has_time)
        time = (struct wire_set_time){ .hour = player->sky.hour, .minute = player->sky.minute };
    player->sky.told_at_ms = shard->now_ms;
    send(shard, player, packet, wire_set_time_encode(&time, packet, sizeof packet, &error));
}

static void send_clock(struct shard *shard, struct player *player)
{
    send_run_clock(shard, player);
    send_time(shard, player);
}

/* ---- the weather ---- */

/* What the player sees changes in so many ms. */
static void send_weather(struct shard *shard, struct player *player, uint32_t blend_ms)
{
    const struct game_weather *cluster = &shard->settings.now.weather;
    struct wire_set_weather weather = { .weather = cluster->type,
                                        .blend_ms = blend_ms,
                                        .mask = cluster->mask };
    uint8_t packet[WIRE_SET_WEATHER_SIZE];
    struct wire_error error;

    if (player->sky.has_weather)
        weather = (struct wire_set_weather){ .weather = player->sky.weather, .blend_ms = blend_ms };
    else
        memcpy(weather.values, cluster->values, sizeof weather.values);
    send(shard, player, packet, wire_set_weather_encode(&weather, packet, sizeof packet, &error));
}

/* ---- everybody ---- */

void sky_greet(struct shard *shard, struct player *player)
{
    send_clock(shard, player);
    send_weather(shard, player, 0);
}

static bool time_differs(const struct shard *shard, const struct game_settings *before)
{
    uint32_t was_ms = game_time_ms(before, shard->now_ms);
    uint32_t is_ms = game_time_ms(&shard->settings.now, shard->now_ms);
    uint32_t apart_ms = (is_ms + GAME_DAY_MS - was_ms) % GAME_DAY_MS;

    return apart_ms > TIME_TOLERANCE_MS && GAME_DAY_MS - apart_ms > TIME_TOLERANCE_MS;
}

void sky_show_changes(struct shard *shard, const struct game_settings *before, bool sets_time, bool is_whole)
{
    const struct game_settings *settings = &shard->settings.now;
    const struct group *everyone = &shard->world.everyone;
    bool runs_otherwise = settings->clock.minute_ms != before->clock.minute_ms;
    bool has_other_time = is_whole ? time_differs(shard, before) : sets_time;
    bool has_other_weather = !game_same_weather(&settings->weather, &before->weather);

    if (!runs_otherwise && !has_other_time && !has_other_weather)
        return;
    for (uint16_t i = 0; i < everyone->count; i++) {
        struct player *player = world_player_at(&shard->world, everyone->observers[i]);

        if (runs_otherwise && !player->sky.has_time)
            send_run_clock(shard, player);
        if ((runs_otherwise || has_other_time) && !player->sky.has_time)
            send_time(shard, player);
        if (has_other_weather && !player->sky.has_weather)
            send_weather(shard, player, is_whole ? 0 : settings->weather.blend_ms);
    }
}

void sky_tick(struct shard *shard)
{
    const struct group *everyone = &shard->world.everyone;

    if (shard->settings.now.clock.minute_ms == 0)
        return;
    for (uint16_t i = 0; i < everyone->count; i++) {
        struct player *player = world_player_at(&shard->world, everyone->observers[i]);

        if (!player->sky.has_time && shard->now_ms - player->sky.told_at_ms >= SKY_TIME_AGAIN_MS &&
            lane_is_reachable(shard, player) && lane_unacked(&player->lane) < SKY_TIME_UNACKED_MAX)
            send_time(shard, player);
    }
}

/* ---- one player ---- */

static bool weather_is_valid(uint32_t weather, uint32_t blend_ms)
{
    struct wire_set_weather packet = { .weather = (uint8_t)weather, .blend_ms = blend_ms };
    struct wire_error error;

    return weather <= UINT8_MAX && wire_set_weather_check(&packet, &error);
}

static bool time_is_valid(uint32_t hour, uint32_t minute)
{
    return hour < 24 && minute < 60;
}

bool sky_is_valid(uint32_t hour, uint32_t minute, uint32_t weather)
{
    return time_is_valid(hour, minute) && weather_is_valid(weather, 0);
}

enum reason player_set_time(struct shard *shard, struct player *player, uint32_t hour, uint32_t minute)
{
    if (!time_is_valid(hour, minute))
        return REASON_OUT_OF_BOUNDS;
    player->sky.has_time = true;
    player->sky.hour = (uint8_t)hour;
    player->sky.minute = (uint8_t)minute;
    send_clock(shard, player);
    return REASON_NONE;
}

void player_clear_time(struct shard *shard, struct player *player)
{
    if (!player->sky.has_time)
        return;
    player->sky.has_time = false;
    send_clock(shard, player);
}

enum reason player_set_weather(struct shard *shard, struct player *player, uint32_t weather,
                               uint32_t blend_ms)
{
    if (!weather_is_valid(weather, blend_ms))
        return REASON_OUT_OF_BOUNDS;
    player->sky.has_weather = true;
    player->sky.weather = (uint8_t)weather;
    send_weather(shard, player, blend_ms);
    return REASON_NONE;
}

enum reason player_clear_weather(struct shard *shard, struct player *player, uint32_t blend_ms)
{
    if (!weather_is_valid(player->sky.weather, blend_ms))
        return REASON_OUT_OF_BOUNDS;
    if (!player->sky.has_weather)
        return REASON_NONE;
    player->sky.has_weather = false;
    send_weather(shard, player, blend_ms);
    return REASON_NONE;
}
