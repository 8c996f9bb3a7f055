#include "proto/game.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/text.h"
#include "gen/wire.h"

/* Combat: WeaponProperties. */
enum { TIER_STD = 1, TIERED_FIRST = 22, TIERED_LAST = 32, RECORD_33 = 33, RECORD_34 = 34, RECORD_38 = 35 };
enum { DRIVEBY_MIN_MS = 30, DRIVEBY_MAX_MS = 5000 };

const char *const game_property_names[] = { "damage",
                                            "range",
                                            "accuracy",
                                            "clip",
                                            "fire_loop_start",
                                            "fire_loop_end",
                                            "fire_time",
                                            "crouch_fire_loop_start",
                                            "crouch_fire_loop_end",
                                            "crouch_fire_time",
                                            "move_speed",
                                            "move_and_aim",
                                            "move_and_fire",
                                            "heavy",
                                            NULL };
const char *const game_weather_names[] = { "rain",   "fog_start", "far_clip", "wave_height",
                                           "wind_x", "wind_y",    NULL };
const char *const game_tier_names[] = { "poor", "std", "pro", NULL };

_Static_assert(sizeof game_property_names / sizeof(char *) == GAME_PROPERTIES + 1, "a name each");
_Static_assert(sizeof game_weather_names / sizeof(char *) == GAME_WEATHER_VALUES + 1, "a name each");
_Static_assert(GAME_WEAPON_MAX < 64, "a bit each in game_settings.disallowed");

void game_init(struct game_settings *settings, uint64_t now_ms)
{
    *settings = (struct game_settings){
        .clock = { .minute_ms = GAME_MINUTE_MS, .day_ms = GAME_NOON_MS, .at_ms = now_ms }
    };
    for (size_t i = 0; i < GAME_CLASSES; i++)
        settings->multipliers[i] = 1;
}

bool game_same_floats(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

bool game_same_weather(const struct game_weather *a, const struct game_weather *b)
{
    return a->type == b->type && a->mask == b->mask &&
           game_same_floats(a->values, b->values, GAME_WEATHER_VALUES);
}

bool game_same_record(const struct game_record *a, const struct game_record *b)
{
    return a->mask == b->mask && game_same_floats(a->values, b->values, GAME_PROPERTIES);
}

/* ---- what is there */

size_t game_record_of(uint32_t weapon, uint32_t tier)
{
    if (tier >= GAME_TIERS)
        return GAME_RECORDS;
    if (weapon >= TIERED_FIRST && weapon <= TIERED_LAST)
        return (size_t)(weapon - TIERED_FIRST) * GAME_TIERS + tier;
    if (tier != TIER_STD)
        return GAME_RECORDS;
    switch (weapon) {
    case 33:
        return RECORD_33;
    case 34:
        return RECORD_34;
    case 38:
        return RECORD_38;
    default:
        return GAME_RECORDS;
    }
}

void game_record_name(size_t record, uint8_t *weapon, uint8_t *tier)
{
    assert(record < GAME_RECORDS);
    *weapon = (uint8_t)(record < RECORD_33    ? TIERED_FIRST + record / GAME_TIERS
                        : record == RECORD_38 ? 38
                                              : record);
    *tier = (uint8_t)(record < RECORD_33 ? record % GAME_TIERS : TIER_STD);
}

/* Combat: DamageMultipliers. */
static const uint8_t class_weapons[GAME_CLASSES] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                     11, 12, 13, 14, 15, 46, 37, 41, 42, 51, 52 };

size_t game_class_of(uint32_t weapon)
{
    size_t class = 0;

    while (class < GAME_CLASSES && class_weapons[class] != weapon)
        class ++;
    return class;
}

/* Combat: GiveWeapon. What can be given can be disallowed. */
static bool is_grantable(uint32_t weapon)
{
    return weapon >= 1 && weapon <= GAME_WEAPON_MAX && (weapon < 19 || weapon > 21);
}

uint32_t game_time_ms(const struct game_settings *settings, uint64_t now_ms)
{
    const struct game_clock *clock = &settings->clock;
    uint64_t elapsed_ms = now_ms > clock->at_ms ? now_ms - clock->at_ms : 0;

    if (clock->minute_ms == 0)
        return clock->day_ms;
    return (uint32_t)((clock->day_ms + elapsed_ms * (60 * 1000) / clock->minute_ms) % GAME_DAY_MS);
}

/* ---- changes */

/* NaN is not. */
static bool is_whole_within(double value, double min, double max)
{
    return value >= min && value <= max && value == floor(value);
}

/* As f32, which the wire carries and its bounds are compared as; what does not fit is infinite. */
static float as_float(double value)
{
    return (float)value;
}

static enum reason apply_driveby(struct game_settings *settings, const struct game_change *change,
                                 bool *changed)
{
    size_t at = (size_t)change->weapon - GAME_DRIVEBY_FIRST;

    if (change->weapon < GAME_DRIVEBY_FIRST || at >= GAME_DRIVEBY_COUNT)
        return REASON_NO_WEAPON;
    if (change->value != 0 && !is_whole_within(change->value, DRIVEBY_MIN_MS, DRIVEBY_MAX_MS))
        return REASON_OUT_OF_BOUNDS;
    *changed = settings->driveby_ms[at] != (uint16_t)change->value;
    settings->driveby_ms[at] = (uint16_t)change->value;
    return REASON_NONE;
}

static enum reason apply_multiplier(struct game_settings *settings, const struct game_change *change,
                                    bool *changed)
{
    struct wire_damage_multipliers packet = { 0 };
    size_t at = game_class_of(change->weapon);
    struct wire_error error;

    if (at == GAME_CLASSES)
        return REASON_NO_WEAPON;
    memcpy(packet.multipliers, settings->multipliers, sizeof packet.multipliers);
    packet.multipliers[at] = as_float(change->value);
    if (!wire_damage_multipliers_check(&packet, &error))
        return REASON_OUT_OF_BOUNDS;
    *changed = settings->multipliers[at] != packet.multipliers[at];
    settings->multipliers[at] = packet.multipliers[at];
    return REASON_NONE;
}

static bool loop_is_backwards(const struct game_record *record, size_t start)
{
    uint16_t both = (uint16_t)(3U << start);

    return (record->mask & both) == both && record->values[start + 1] <= record->values[start];
}

static enum reason apply_property(struct game_settings *settings, const struct game_change *change,
                                  bool *changed)
{
    size_t at = game_record_of(change->weapon, change->tier);
    struct wire_weapon_properties packet = { .weapon = (uint8_t)change->weapon,
                                             .skill = (uint8_t)change->tier };
    struct game_record record;
    struct wire_error error;
    uint16_t bit;

    if (at == GAME_RECORDS)
        return game_record_of(change->weapon, TIER_STD) == GAME_RECORDS ? REASON_NO_WEAPON : REASON_NO_TIER;
    if (change->index >= GAME_PROPERTIES)
        return REASON_NO_PROPERTY;
    record = settings->records[at];
    bit = (uint16_t)(1U << change->index);
    record.mask = change->unset ? record.mask & (uint16_t)~bit : record.mask | bit;
    record.values[change->index] = change->unset ? 0 : as_float(change->value);
    if (loop_is_backwards(&record, 4) || loop_is_backwards(&record, 7))
        return REASON_LOOP_BACKWARDS;
    packet.mask = record.mask;
    memcpy(packet.values, record.values, sizeof packet.values);
    if (!wire_weapon_properties_check(&packet, &error))
        return change->index == GAME_PROPERTIES - 1 && change->tier != TIER_STD ? REASON_NO_TIER
                                                                                : REASON_OUT_OF_BOUNDS;
    *changed = record.mask != settings->records[at].mask ||
               record.values[change->index] != settings->records[at].values[change->index];
    settings->records[at] = record;
    settings->weapon_revision += *changed;
    return REASON_NONE;
}

static enum reason apply_allowed(struct game_settings *settings, const struct game_change *change,
                                 bool *changed)
{
    uint64_t bit = UINT64_C(1) << (change->weapon & 63);
    uint64_t disallowed = settings->disallowed;

    if (!is_grantable(change->weapon))
        return REASON_NO_WEAPON;
    disallowed = change->value == 0 ? disallowed | bit : disallowed & ~bit;
    *changed = settings->disallowed != disallowed;
    settings->disallowed = disallowed;
    return REASON_NONE;
}

static enum reason apply_jacking(struct game_settings *settings, const struct game_change *change,
                                 bool *changed)
{
    enum game_jacking jacking = change->value == 0 ? GAME_JACKING_OFF : GAME_JACKING_ON;

    if (change->unset)
        jacking = GAME_JACKING_UNSET;
    *changed = settings->jacking != jacking;
    settings->jacking = jacking;
    return REASON_NONE;
}

static enum reason apply_clock(struct game_settings *settings, const struct game_change *change,
                               uint64_t now_ms, bool *changed)
{
    struct wire_run_clock packet = { .running = !change->unset };
    struct wire_error error;

    if (!change->unset) {
        if (!is_whole_within(change->value, 0, UINT32_MAX))
            return REASON_OUT_OF_BOUNDS;
        packet.minute_ms = (uint32_t)change->value;
    }
    if (!wire_run_clock_check(&packet, &error))
        return REASON_OUT_OF_BOUNDS;
    *changed = settings->clock.minute_ms != packet.minute_ms;
    settings->clock = (struct game_clock){ .minute_ms = packet.minute_ms,
                                           .day_ms = game_time_ms(settings, now_ms),
                                           .at_ms = now_ms };
    return REASON_NONE;
}

static enum reason apply_time(struct game_settings *settings, const struct game_change *change,
                              uint64_t now_ms, bool *changed)
{
    if (!is_whole_within(change->value, 0, GAME_DAY_MS - 1))
        return REASON_OUT_OF_BOUNDS;
    *changed = true;
    settings->clock.day_ms = (uint32_t)change->value;
    settings->clock.at_ms = now_ms;
    return REASON_NONE;
}

/* The weather as the packet has it. */
static struct wire_set_weather weather_packet(const struct game_weather *weather)
{
    struct wire_set_weather packet = { .weather = weather->type,
                                       .blend_ms = weather->blend_ms,
                                       .mask = weather->mask };

    memcpy(packet.values, weather->values, sizeof packet.values);
    return packet;
}

static enum reason take_weather(struct game_settings *settings, const struct game_weather *weather,
                                bool *changed)
{
    struct wire_set_weather packet = weather_packet(weather);
    struct wire_error error;

    if (!wire_set_weather_check(&packet, &error))
        return REASON_OUT_OF_BOUNDS;
    *changed = !game_same_weather(&settings->weather, weather);
    settings->weather = *weather;
    return REASON_NONE;
}

static enum reason apply_weather(struct game_settings *settings, const struct game_change *change,
                                 bool *changed)
{
    struct game_weather weather = settings->weather;

    if (!is_whole_within(change->value, 0, UINT8_MAX))
        return REASON_OUT_OF_BOUNDS;
    weather.type = (uint8_t)change->value;
    weather.blend_ms = change->blend_ms;
    return take_weather(settings, &weather, changed);
}

/* A value changes at once. */
static enum reason apply_weather_value(struct game_settings *settings, const struct game_change *change,
                                       bool *changed)
{
    struct game_weather weather = settings->weather;
    uint8_t bit = (uint8_t)(1U << (change->index & 7));

    if (change->index >= GAME_WEATHER_VALUES)
        return REASON_NO_PROPERTY;
    weather.blend_ms = 0;
    weather.mask = change->unset ? weather.mask & (uint8_t)~bit : weather.mask | bit;
    weather.values[change->index] = change->unset ? 0 : as_float(change->value);
    return take_weather(settings, &weather, changed);
}

enum reason game_apply(struct game_settings *settings, const struct game_change *change, uint64_t now_ms,
                       bool *changed)
{
    *changed = false;
    switch (change->kind) {
    case GAME_DRIVEBY:
        return apply_driveby(settings, change, changed);
    case GAME_MULTIPLIER:
        return apply_multiplier(settings, change, changed);
    case GAME_PROPERTY:
        return apply_property(settings, change, changed);
    case GAME_ALLOWED:
        return apply_allowed(settings, change, changed);
    case GAME_JACKING:
        return apply_jacking(settings, change, changed);
    case GAME_CLOCK:
        return apply_clock(settings, change, now_ms, changed);
    case GAME_TIME:
        return apply_time(settings, change, now_ms, changed);
    case GAME_WEATHER:
        return apply_weather(settings, change, changed);
    case GAME_WEATHER_VALUE:
        return apply_weather_value(settings, change, changed);
    case GAME_NONE:
    case GAME_KINDS:
        break;
    }
    return REASON_NO_PROPERTY;
}

/* ---- all of them */

bool game_now(const struct game_settings *settings, uint64_t now_ms, struct game_change *change)
{
    size_t record = game_record_of(change->weapon, change->tier);

    switch (change->kind) {
    case GAME_DRIVEBY:
        change->value = settings->driveby_ms[change->weapon - GAME_DRIVEBY_FIRST];
        return change->value != 0;
    case GAME_MULTIPLIER:
        change->value = settings->multipliers[game_class_of(change->weapon)];
        return change->value != 1;
    case GAME_PROPERTY:
        change->value = settings->records[record].values[change->index];
        change->unset = (settings->records[record].mask >> change->index & 1) == 0;
        return !change->unset;
    case GAME_ALLOWED:
        change->value = (settings->disallowed >> change->weapon & 1) == 0;
        return change->value == 0;
    case GAME_JACKING:
        change->value = settings->jacking == GAME_JACKING_ON;
        change->unset = settings->jacking == GAME_JACKING_UNSET;
        return !change->unset;
    case GAME_CLOCK:
        change->value = settings->clock.minute_ms;
        change->unset = settings->clock.minute_ms == 0;
        return true;
    case GAME_TIME:
        change->value = game_time_ms(settings, now_ms);
        return true;
    case GAME_WEATHER:
        change->value = settings->weather.type;
        change->blend_ms = settings->weather.blend_ms;
        return settings->weather.type != 0;
    case GAME_WEATHER_VALUE:
        change->value = settings->weather.values[change->index];
        change->unset = (settings->weather.mask >> change->index & 1) == 0;
        return !change->unset;
    case GAME_NONE:
    case GAME_KINDS:
        break;
    }
    return false;
}

struct listing {
    const struct game_settings *settings;
    uint64_t now_ms;
    struct game_change *changes;
    size_t count;
};

static void list(struct listing *listing, struct game_change change)
{
    if (!game_now(listing->settings, listing->now_ms, &change))
        return;
    assert(listing->count < GAME_CHANGES_MAX);
    listing->changes[listing->count++] = change;
}

size_t game_list(const struct game_settings *settings, uint64_t now_ms,
                 struct game_change changes[GAME_CHANGES_MAX])
{
    struct listing listing = { settings, now_ms, changes, 0 };

    for (uint32_t i = 0; i < GAME_DRIVEBY_COUNT; i++)
        list(&listing, (struct game_change){ .kind = GAME_DRIVEBY, .weapon = GAME_DRIVEBY_FIRST + i });
    for (size_t i = 0; i < GAME_CLASSES; i++)
        list(&listing, (struct game_change){ .kind = GAME_MULTIPLIER, .weapon = class_weapons[i] });
    for (size_t record = 0; record < GAME_RECORDS; record++) {
        uint8_t weapon;
        uint8_t tier;

        game_record_name(record, &weapon, &tier);
        for (uint32_t i = 0; i < GAME_PROPERTIES; i++)
            list(&listing,
                 (struct game_change){ .kind = GAME_PROPERTY, .weapon = weapon, .tier = tier, .index = i });
    }
    for (uint32_t weapon = 1; weapon <= GAME_WEAPON_MAX; weapon++) {
        if (is_grantable(weapon))
            list(&listing, (struct game_change){ .kind = GAME_ALLOWED, .weapon = weapon });
    }
    list(&listing, (struct game_change){ .kind = GAME_JACKING });
    list(&listing, (struct game_change){ .kind = GAME_CLOCK });
    list(&listing, (struct game_change){ .kind = GAME_TIME });
    for (uint32_t i = 0; i < GAME_WEATHER_VALUES; i++)
        list(&listing, (struct game_change){ .kind = GAME_WEATHER_VALUE, .index = i });
    list(&listing, (struct game_change){ .kind = GAME_WEATHER });
    return listing.count;
}

/* ---- on the bus */

Bus__GameChange *game_change_message(const struct game_change *change, struct outbox *outbox)
{
    Bus__GameChange *message = outbox_alloc(outbox, sizeof *message);

    bus__game_change__init(message);
    message->kind = change->kind;
    message->weapon = change->weapon;
    message->tier = change->tier;
    message->index = change->index;
    message->unset = change->unset;
    message->value = change->value;
    message->blend_ms = change->blend_ms;
    return message;
}

bool game_change_read(struct game_change *change, const Bus__GameChange *from)
{
    if (from == NULL || from->kind == GAME_NONE || from->kind >= GAME_KINDS || !isfinite(from->value))
        return false;
    *change = (struct game_change){ .kind = (enum game_kind)from->kind,
                                    .weapon = from->weapon,
                                    .tier = from->tier,
                                    .index = from->index,
                                    .unset = from->unset,
                                    .value = from->value,
                                    .blend_ms = from->blend_ms };
    return true;
}

static bool is_text_of(const char *text, size_t max, bool (*is_valid)(struct span))
{
    struct span span;

    if (text == NULL)
        return false;
    span = (struct span){ (const uint8_t *)text, strlen(text) };
    return span.size > 0 && span.size <= max && is_valid(span);
}

bool game_resource_is_valid(const char *resource)
{
    return is_text_of(resource, GAME_RESOURCE_MAX, text_is_resource);
}

bool game_team_name_is_valid(const char *name)
{
    return is_text_of(name, GAME_TEAM_NAME_MAX, text_is_plain);
}

bool game_event_name_is_valid(const char *name)
{
    return is_text_of(name, GAME_EVENT_NAME_MAX, text_is_plain);
}

Bus__GameTeam *game_team_message(const struct game_team *team, struct outbox *outbox)
{
    Bus__GameTeam *message = outbox_alloc(outbox, sizeof *message);

    bus__game_team__init(message);
    message->id = team->id;
    message->friendly_fire_off = team->friendly_fire_off;
    message->resource = outbox_text(outbox, team->resource);
    message->name = outbox_text(outbox, team->name);
    return message;
}

bool game_team_read(struct game_team *team, const Bus__GameTeam *from)
{
    if (from == NULL || !game_resource_is_valid(from->resource) || !game_team_name_is_valid(from->name))
        return false;
    *team = (struct game_team){ .id = from->id, .friendly_fire_off = from->friendly_fire_off };
    memcpy(team->resource, from->resource, strlen(from->resource) + 1);
    memcpy(team->name, from->name, strlen(from->name) + 1);
    return true;
}

bool game_team_is(const struct game_team *team, const char *resource, const char *name)
{
    return strcmp(team->name, name) == 0 && strcmp(team->resource, resource) == 0;
}

bool game_update_is_new(const Bus__GameUpdate *update, uint64_t revision)
{
    return update->revision > revision || (update->whole && update->revision == revision && revision != 0);
}

bool game_update_apply(struct game_settings *settings, const Bus__GameUpdate *update, uint64_t now_ms,
                       bool *sets_time)
{
    struct game_settings next = *settings;
    struct game_team team;

    *sets_time = false;
    if (update->n_teams > GAME_TEAMS_MAX)
        return false;
    if (update->whole)
        game_init(&next, now_ms);
    for (size_t i = 0; i < update->n_changes; i++) {
        struct game_change change;
        bool changed;

        if (!game_change_read(&change, update->changes[i]) ||
            game_apply(&next, &change, now_ms, &changed) != REASON_NONE)
            return false;
        *sets_time = *sets_time || change.kind == GAME_TIME;
    }
    for (size_t i = 0; i < update->n_teams; i++) {
        if (!game_team_read(&team, update->teams[i]) || team.id == 0)
            return false;
    }
    next.weapon_revision = update->weapon_revision;
    *settings = next;
    return true;
}

/* ---- storage ---- */

Bus__KvValue *kv_value_message(const struct kv_value *value, struct outbox *outbox)
{
    Bus__KvValue *message = outbox_alloc(outbox, sizeof *message);

    bus__kv_value__init(message);
    if (value->is_number) {
        message->value_case = BUS__KV_VALUE__VALUE_NUMBER;
        message->number = value->number;
    } else {
        message->value_case = BUS__KV_VALUE__VALUE_BYTES;
        message->bytes = outbox_bytes(outbox, value->bytes.data, value->bytes.size);
    }
    return message;
}

bool kv_value_read(struct kv_value *value, const Bus__KvValue *from)
{
    *value = (struct kv_value){ .is_number = from->value_case == BUS__KV_VALUE__VALUE_NUMBER };
    if (value->is_number)
        value->number = from->number;
    else if (from->value_case == BUS__KV_VALUE__VALUE_BYTES)
        value->bytes = (struct span){ from->bytes.data, from->bytes.len };
    return from->value_case != BUS__KV_VALUE__VALUE__NOT_SET && value->bytes.size <= GAME_KV_VALUE_MAX;
}
