/* game.h - the settings of the game that gamemodes change for the whole cluster, and what a change does to
 * them.
 *
 * The coordinator holds them, numbers the changes and tells everybody in one order; shards and gateways apply
 * the same changes to the same beginning, so all of them have the same settings. What may be changed to what
 * is decided here alone, by the checks of the packets that carry them to clients.
 *
 * Spec: Combat, DriveByIntervals, DamageMultipliers and WeaponProperties; Vehicles, Jacking; World, "Clock,
 * weather, garages". */
#ifndef DLMP_PROTO_GAME_H
#define DLMP_PROTO_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"
#include "gen/bus.pb-c.h"
#include "proto/outbox.h"

enum {
    GAME_DRIVEBY_FIRST = 22, /* weapons 22..=33 */
    GAME_DRIVEBY_COUNT = 12,
    GAME_CLASSES = 22, /* of damage */
    GAME_TIERS = 3,
    GAME_RECORDS = 36, /* weapon and tier */
    GAME_PROPERTIES = 14,
    GAME_WEATHER_VALUES = 6,
    GAME_WEAPON_MAX = 46, /* the last one that can be given */
    GAME_DAY_MS = 24 * 60 * 60 * 1000,
    GAME_MINUTE_MS = 1000,         /* World: RunClock, at the start */
    GAME_NOON_MS = 43200000,       /* ours: the time at the start */
    GAME_CHANGES_MAX = 640,        /* more than there are settings */
    GAME_RESOURCE_MAX = 48,        /* Resource files and views: the name of a resource */
    GAME_RESOURCES_MAX = 128,      /* ours: whose state a shard tells */
    GAME_RESOURCE_ERROR_MAX = 511, /* ours: bytes of a sentence about one */
    GAME_TEAM_NAME_MAX = 32,       /* ours */
    GAME_TEAMS_MAX = 1024,         /* ours */
    GAME_EVENT_NAME_MAX = 64,      /* ours: of an event of a resource's own */
    GAME_EVENT_SIZE_MAX = 8192,    /* gamemode API, broadcast */
    GAME_KV_KEY_MAX = 128,         /* ours */
    GAME_KV_VALUE_MAX = 8192,      /* ours: as an event */
};

#define GAME_BAN_SECONDS_MAX UINT64_C(3153600000) /* ours: a hundred years */

enum game_kind {
    GAME_NONE,
    GAME_DRIVEBY,       /* weapon; ms */
    GAME_MULTIPLIER,    /* weapon: the class; value */
    GAME_PROPERTY,      /* weapon, tier, index; value, or unset */
    GAME_ALLOWED,       /* weapon; 0 or 1 */
    GAME_JACKING,       /* 0 or 1, or unset: as the shard's configuration says */
    GAME_CLOCK,         /* real ms of a game minute; unset: it stands still */
    GAME_TIME,          /* game ms since midnight */
    GAME_WEATHER,       /* type, blend_ms */
    GAME_WEATHER_VALUE, /* index; value, or unset */
    GAME_KINDS,
};

struct game_change {
    enum game_kind kind;
    uint32_t weapon;
    uint32_t tier;
    uint32_t index;
    bool unset;
    double value;
    uint32_t blend_ms;
};

enum game_jacking { GAME_JACKING_UNSET, GAME_JACKING_ON, GAME_JACKING_OFF };

struct game_settings {
    uint16_t driveby_ms[GAME_DRIVEBY_COUNT];
    float multipliers[GAME_CLASSES];
    struct game_record {
        uint16_t mask;
        float values[GAME_PROPERTIES];
    } records[GAME_RECORDS];
    uint32_t weapon_revision; /* of the records: one more with each change */
    uint64_t disallowed;      /* weapons, a bit each */
    enum game_jacking jacking;
    struct game_clock {
        uint32_t minute_ms; /* 0: it stands still */
        uint32_t day_ms;    /* game ms since midnight, at `at_ms` */
        uint64_t at_ms;
    } clock;
    struct game_weather {
        uint8_t type;
        uint32_t blend_ms;
        uint8_t mask;
        float values[GAME_WEATHER_VALUES];
    } weather;
};

/* "damage", "range", …; "rain", "fog_start", …; "poor", "std", "pro"; each ends with NULL. */
extern const char *const game_property_names[];
extern const char *const game_weather_names[];
extern const char *const game_tier_names[];

void game_init(struct game_settings *settings, uint64_t now_ms);
/* No value differs. */
bool game_same_floats(const float *a, const float *b, size_t count);
bool game_same_weather(const struct game_weather *a, const struct game_weather *b);
bool game_same_record(const struct game_record *a, const struct game_record *b);

/* REASON_NONE: applied, and `changed` says whether anything is different now. A set time always is. */
enum reason game_apply(struct game_settings *settings, const struct game_change *change, uint64_t now_ms,
                       bool *changed);
/* The changes that make these settings from the beginning. How many there are. */
size_t game_list(const struct game_settings *settings, uint64_t now_ms,
                 struct game_change changes[GAME_CHANGES_MAX]);
/* How the setting that the change is about stands; the change must be one that was applied. False: as at the
 * beginning. */
bool game_now(const struct game_settings *settings, uint64_t now_ms, struct game_change *change);

/* Game ms since midnight. */
uint32_t game_time_ms(const struct game_settings *settings, uint64_t now_ms);

/* The place of a weapon's record; GAME_RECORDS: it has none. And back. */
size_t game_record_of(uint32_t weapon, uint32_t tier);
void game_record_name(size_t record, uint8_t *weapon, uint8_t *tier);
/* The place of a class of damage, which is named by a weapon; GAME_CLASSES: there is none. */
size_t game_class_of(uint32_t weapon);

/* ---- on the bus */

Bus__GameChange *game_change_message(const struct game_change *change, struct outbox *outbox);
/* False: malformed. Whether it may be applied is game_apply's. */
bool game_change_read(struct game_change *change, const Bus__GameChange *from);

struct game_team {
    uint32_t id; /* 0: the coordinator has not given it yet */
    bool friendly_fire_off;
    char resource[GAME_RESOURCE_MAX + 1];
    char name[GAME_TEAM_NAME_MAX + 1];
};

Bus__GameTeam *game_team_message(const struct game_team *team, struct outbox *outbox);
bool game_team_read(struct game_team *team, const Bus__GameTeam *from);
bool game_team_is(const struct game_team *team, const char *resource, const char *name);

/* Is it newer than what is known under the revision? Everything may come again as it is, when the coordinator
 * was out of reach. */
bool game_update_is_new(const Bus__GameUpdate *update, uint64_t revision);
/* False: malformed, and nothing was applied. `sets_time`: the time of day is among it. Teams are checked
 * only. */
bool game_update_apply(struct game_settings *settings, const Bus__GameUpdate *update, uint64_t now_ms,
                       bool *sets_time);

/* What a resource keeps in the cluster's storage: a whole number, or bytes that mean something to it
 * alone. */
struct kv_value {
    bool is_number;
    int64_t number;
    struct span bytes;
};

Bus__KvValue *kv_value_message(const struct kv_value *value, struct outbox *outbox);
/* False: none, or too large. The bytes are borrowed. */
bool kv_value_read(struct kv_value *value, const Bus__KvValue *from);

/* Text of a gamemode. */
bool game_resource_is_valid(const char *resource);
bool game_team_name_is_valid(const char *name);
bool game_event_name_is_valid(const char *name);

#endif
