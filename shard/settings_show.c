#include "shard/settings_show.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/sky.h"

/* To the player, or to everybody. */
static void send(struct shard *shard, struct player *player, const uint8_t *packet, size_t size)
{
    assert(size > 0);
    if (player != NULL)
        (void)send_critical(shard, player, packet, size);
    else
        send_group_critical(shard, &shard->world.everyone, packet, size);
}

/* ---- weapons ---- */

static void send_record(struct shard *shard, struct player *player, size_t record, size_t following)
{
    const struct game_settings *settings = &shard->settings.now;
    struct wire_weapon_properties properties = { .mask = settings->records[record].mask,
                                                 .rev = (uint16_t)settings->weapon_revision,
                                                 .following = (uint8_t)following };
    uint8_t packet[WIRE_WEAPON_PROPERTIES_SIZE];
    struct wire_error error;

    game_record_name(record, &properties.weapon, &properties.skill);
    memcpy(properties.values, settings->records[record].values, sizeof properties.values);
    send(shard, player, packet, wire_weapon_properties_encode(&properties, packet, sizeof packet, &error));
}

/* All of the present revision, counting down to the last. Without one, (22, std) carries the revision. */
static void send_records(struct shard *shard, struct player *player, const bool is_due[GAME_RECORDS])
{
    size_t left = 0;

    for (size_t i = 0; i < GAME_RECORDS; i++)
        left += is_due[i];
    if (left == 0)
        send_record(shard, player, game_record_of(22, 1), 0);
    for (size_t i = 0; i < GAME_RECORDS; i++) {
        if (is_due[i])
            send_record(shard, player, i, --left);
    }
}

static void greet_weapons(struct shard *shard, struct player *player)
{
    const struct game_settings *settings = &shard->settings.now;
    bool is_due[GAME_RECORDS];
    bool is_any_due = (uint16_t)settings->weapon_revision != 0;

    for (size_t i = 0; i < GAME_RECORDS; i++) {
        is_due[i] = settings->records[i].mask != 0;
        is_any_due = is_any_due || is_due[i];
    }
    if (is_any_due)
        send_records(shard, player, is_due);
}

static void show_weapons(struct shard *shard, const struct game_settings *before)
{
    const struct game_settings *settings = &shard->settings.now;
    bool is_due[GAME_RECORDS];

    if (settings->weapon_revision == before->weapon_revision)
        return;
    for (size_t i = 0; i < GAME_RECORDS; i++)
        is_due[i] = !game_same_record(&settings->records[i], &before->records[i]);
    send_records(shard, NULL, is_due);
}

/* ---- damage and drive-by ---- */

static void send_multipliers(struct shard *shard, struct player *player)
{
    struct wire_damage_multipliers multipliers = { 0 };
    uint8_t packet[WIRE_DAMAGE_MULTIPLIERS_SIZE];
    struct wire_error error;

    memcpy(multipliers.multipliers, shard->settings.now.multipliers, sizeof multipliers.multipliers);
    send(shard, player, packet, wire_damage_multipliers_encode(&multipliers, packet, sizeof packet, &error));
}

static void greet_multipliers(struct shard *shard, struct player *player)
{
    for (size_t i = 0; i < GAME_CLASSES; i++) {
        if (shard->settings.now.multipliers[i] != 1) {
            send_multipliers(shard, player);
            return;
        }
    }
}

static void send_driveby(struct shard *shard, struct player *player)
{
    struct wire_drive_by_intervals intervals = { 0 };
    uint8_t packet[WIRE_DRIVE_BY_INTERVALS_SIZE];
    struct wire_error error;

    memcpy(intervals.driveby_interval, shard->settings.now.driveby_ms, sizeof intervals.driveby_interval);
    send(shard, player, packet, wire_drive_by_intervals_encode(&intervals, packet, sizeof packet, &error));
}

/* What has changed since its gateway wrote the ServerHello. */
static void greet_driveby(struct shard *shard, struct player *player, const uint32_t *driveby_ms,
                          size_t driveby_count)
{
    for (size_t i = 0; i < GAME_DRIVEBY_COUNT; i++) {
        if (shard->settings.now.driveby_ms[i] != (driveby_count == 0 ? 0 : driveby_ms[i])) {
            send_driveby(shard, player);
            return;
        }
    }
}

/* ---- all ---- */

void settings_greet(struct shard *shard, struct player *player, const uint32_t *driveby_ms,
                    size_t driveby_count)
{
    greet_weapons(shard, player);
    greet_multipliers(shard, player);
    greet_driveby(shard, player, driveby_ms, driveby_count);
    sky_greet(shard, player);
}

void settings_show_changes(struct shard *shard, const struct game_settings *before)
{
    const struct game_settings *settings = &shard->settings.now;

    show_weapons(shard, before);
    if (!game_same_floats(settings->multipliers, before->multipliers, GAME_CLASSES))
        send_multipliers(shard, NULL);
    if (memcmp(settings->driveby_ms, before->driveby_ms, sizeof before->driveby_ms) != 0)
        send_driveby(shard, NULL);
}
