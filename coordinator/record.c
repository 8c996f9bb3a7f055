#include "coordinator/record.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "common/text.h"
#include "coordinator/number.h"

/* ---- writing ---- */

__attribute__((format(printf, 3, 4))) static void put(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(to, room, format, arguments);
    va_end(arguments);
    assert(size >= 0 && (size_t)size < room);
}

/* Names of processes have no spaces; one that is not set is written as a dash. */
static const char *word_of(const char *name)
{
    return name[0] == '\0' ? "-" : name;
}

void record_write_player(struct record *record, const struct stored_player *player)
{
    char ip[BAN_SUBJECT_TEXT_SIZE];
    struct ban_subject subject = { .kind = BAN_ADDRESS, .bits = BAN_BITS_MAX };

    memcpy(subject.ip, player->ip, sizeof subject.ip);
    ban_subject_format(&subject, ip);
    put(record->field, sizeof record->field, "%u", player->ref.id);
    put(record->value, sizeof record->value, "%u %llu %s %s %s %llu %s", player->ref.token,
        (unsigned long long)player->fence, word_of(player->gateway), word_of(player->shard),
        strchr(ip, ' ') + 1, (unsigned long long)player->account_id, player->name);
}

void record_write_slot(struct record *record, const struct stored_slot *slot)
{
    put(record->field, sizeof record->field, "%u", slot->slot);
    put(record->value, sizeof record->value, "%llu %s %016llx", (unsigned long long)slot->fence,
        word_of(slot->shard), (unsigned long long)slot->boot);
}

void record_write_process(struct record *record, const struct stored_process *process)
{
    put(record->field, sizeof record->field, "%s", process->name);
    put(record->value, sizeof record->value, "%s %016llx",
        process->role == BUS__ROLE__ROLE_SHARD ? "shard" : "gateway", (unsigned long long)process->boot);
}

void record_write_wish(struct record *record, const struct stored_wish *wish)
{
    put(record->field, sizeof record->field, "%s", wish->name);
    put(record->value, sizeof record->value, "%s", wish->runs ? "start" : "stop");
}

void record_write_ban(struct record *record, const struct stored_ban *ban, uint64_t wall_ms)
{
    uint64_t expires_ms = 0;

    if (ban->left_ms != BAN_FOREVER)
        expires_ms =
            ban->left_ms < STORAGE_NUMBER_MAX - wall_ms ? wall_ms + ban->left_ms : STORAGE_NUMBER_MAX;
    ban_subject_format(&ban->subject, record->field);
    put(record->value, sizeof record->value, "%llu %s", (unsigned long long)expires_ms, ban->text);
}

/* "property 24 std clip" */
static void name_change(char field[RECORD_FIELD_SIZE], const struct game_change *change)
{
    switch (change->kind) {
    case GAME_DRIVEBY:
        put(field, RECORD_FIELD_SIZE, "driveby %u", change->weapon);
        break;
    case GAME_MULTIPLIER:
        put(field, RECORD_FIELD_SIZE, "multiplier %u", change->weapon);
        break;
    case GAME_PROPERTY:
        put(field, RECORD_FIELD_SIZE, "property %u %s %s", change->weapon, game_tier_names[change->tier],
            game_property_names[change->index]);
        break;
    case GAME_ALLOWED:
        put(field, RECORD_FIELD_SIZE, "allowed %u", change->weapon);
        break;
    case GAME_JACKING:
        put(field, RECORD_FIELD_SIZE, "jacking");
        break;
    case GAME_CLOCK:
        put(field, RECORD_FIELD_SIZE, "clock");
        break;
    case GAME_TIME:
        put(field, RECORD_FIELD_SIZE, "time");
        break;
    case GAME_WEATHER:
        put(field, RECORD_FIELD_SIZE, "weather");
        break;
    case GAME_WEATHER_VALUE:
        put(field, RECORD_FIELD_SIZE, "weather %s", game_weather_names[change->index]);
        break;
    case GAME_NONE:
    case GAME_KINDS:
        assert(false);
    }
}

static void write_change(struct record *record, const struct stored_game *game, uint64_t wall_ms)
{
    const struct game_change *change = &game->change;

    name_change(record->field, change);
    if (change->unset)
        put(record->value, sizeof record->value, "-");
    else if (change->kind == GAME_TIME)
        put(record->value, sizeof record->value, "%u %llu", (uint32_t)change->value,
            (unsigned long long)(wall_ms > game->age_ms ? wall_ms - game->age_ms : 0));
    else if (change->kind == GAME_WEATHER)
        put(record->value, sizeof record->value, "%u %u", (uint32_t)change->value, change->blend_ms);
    else
        put(record->value, sizeof record->value, "%.9g", change->value);
}

void record_write_game(struct record *record, const struct stored_game *game, uint64_t wall_ms)
{
    switch (game->what) {
    case STORED_CHANGE:
        write_change(record, game, wall_ms);
        return;
    case STORED_TEAM:
        put(record->field, sizeof record->field, "team %u", game->team.id);
        put(record->value, sizeof record->value, "%s %s %s", game->team.friendly_fire_off ? "off" : "on",
            game->team.resource, game->team.name);
        return;
    case STORED_REVISION:
        put(record->field, sizeof record->field, "revision");
        break;
    case STORED_WEAPON_REVISION:
        put(record->field, sizeof record->field, "weapon_revision");
        break;
    case STORED_RELATION_REVISION:
        put(record->field, sizeof record->field, "relation_revision");
        break;
    }
    put(record->value, sizeof record->value, "%llu", (unsigned long long)game->number);
}

size_t record_write_kv(const struct kv_value *value, uint8_t text[RECORD_KV_SIZE])
{
    if (value->is_number) {
        put((char *)text, RECORD_KV_SIZE, "%lld", (long long)value->number);
        return strlen((char *)text);
    }
    assert(value->bytes.size < RECORD_KV_SIZE);
    text[0] = ':';
    if (value->bytes.size > 0)
        memcpy(text + 1, value->bytes.data, value->bytes.size);
    return value->bytes.size + 1;
}

/* ---- reading ---- */

/* Words one after the other, each behind a single space; goes bad on the first that is not there. */
struct words {
    struct span left;
    bool is_open; /* a space came last */
    bool is_bad;
};

static struct span next_word(struct words *words)
{
    const uint8_t *space = words->left.size > 0 ? memchr(words->left.data, ' ', words->left.size) : NULL;
    size_t size = space == NULL ? words->left.size : (size_t)(space - words->left.data);
    struct span word = { words->left.data, size };

    if (size == 0)
        words->is_bad = true;
    words->is_open = space != NULL;
    if (space != NULL)
        size++;
    if (size > 0)
        words->left = (struct span){ words->left.data + size, words->left.size - size };
    return word;
}

static uint64_t next_number(struct words *words, uint64_t max)
{
    uint64_t number;

    if (!number_read(next_word(words), max, &number))
        words->is_bad = true;
    return number;
}

/* Sixteen hexadecimal digits. */
static uint64_t next_boot(struct words *words)
{
    struct span word = next_word(words);
    uint64_t boot = 0;

    if (word.size != 16 || !text_is_chars(word.data, word.size, "0-9a-f"))
        words->is_bad = true;
    for (size_t i = 0; i < word.size; i++)
        boot = boot << 4 | (uint64_t)(word.data[i] <= '9' ? word.data[i] - '0' : word.data[i] - 'a' + 10);
    return boot;
}

/* Copies the word with a terminator. */
static void take_text(struct words *words, struct span word, char *to, size_t room)
{
    to[0] = '\0';
    if (word.size >= room || !text_is_chars(word.data, word.size, "!-~")) {
        words->is_bad = true;
        return;
    }
    memcpy(to, word.data, word.size);
    to[word.size] = '\0';
}

static void take_name(struct words *words, struct span word, char name[PROCESS_NAME_SIZE])
{
    take_text(words, word, name, PROCESS_NAME_SIZE);
    if (strcmp(name, "-") == 0)
        name[0] = '\0';
    else if (!process_name_is_valid(name))
        words->is_bad = true;
}

static void next_ip(struct words *words, uint8_t ip[16])
{
    char text[BAN_SUBJECT_TEXT_SIZE];
    struct address address = { .port = 0 };

    take_text(words, next_word(words), text, sizeof text);
    if (!address_parse(&address, text, 0))
        words->is_bad = true;
    memcpy(ip, address.ip, 16);
}

static bool words_end(const struct words *words)
{
    return !words->is_bad && !words->is_open && words->left.size == 0;
}

bool record_read_player(struct stored_player *player, struct span field, struct span value)
{
    struct words words = { .left = value };
    uint64_t id;

    *player = (struct stored_player){ 0 };
    if (!number_read(field, DIRECTORY_IDS - 1, &id))
        return false;
    player->ref.id = (uint32_t)id;
    player->ref.token = (uint32_t)next_number(&words, UINT32_MAX);
    player->fence = next_number(&words, STORAGE_NUMBER_MAX);
    take_name(&words, next_word(&words), player->gateway);
    take_name(&words, next_word(&words), player->shard);
    next_ip(&words, player->ip);
    player->account_id = next_number(&words, UINT64_MAX);
    take_text(&words, next_word(&words), player->name, sizeof player->name);
    return words_end(&words) && player->ref.token != 0;
}

bool record_read_slot(struct stored_slot *slot, struct span field, struct span value)
{
    struct words words = { .left = value };
    uint64_t number;

    *slot = (struct stored_slot){ 0 };
    if (!number_read(field, UINT32_MAX, &number))
        return false;
    slot->slot = (uint32_t)number;
    slot->fence = next_number(&words, STORAGE_NUMBER_MAX);
    take_name(&words, next_word(&words), slot->shard);
    slot->boot = next_boot(&words);
    return words_end(&words);
}

bool record_read_process(struct stored_process *process, struct span field, struct span value)
{
    struct words words = { .left = value };
    struct span role = next_word(&words);

    *process = (struct stored_process){ .role = BUS__ROLE__ROLE_NONE };
    take_name(&words, field, process->name);
    if (role.size == 5 && memcmp(role.data, "shard", 5) == 0)
        process->role = BUS__ROLE__ROLE_SHARD;
    else if (role.size == 7 && memcmp(role.data, "gateway", 7) == 0)
        process->role = BUS__ROLE__ROLE_GATEWAY;
    process->boot = next_boot(&words);
    return words_end(&words) && process->name[0] != '\0' && process->role != BUS__ROLE__ROLE_NONE;
}

bool record_read_ban(struct stored_ban *ban, struct span field, struct span value, uint64_t wall_ms)
{
    struct words words = { .left = value };
    char subject[BAN_SUBJECT_TEXT_SIZE];
    uint64_t expires_ms = next_number(&words, STORAGE_NUMBER_MAX);

    *ban = (struct stored_ban){ .left_ms = BAN_FOREVER };
    if (words.is_bad || !words.is_open || field.size >= sizeof subject ||
        words.left.size >= sizeof ban->text || !text_is_plain(field) || !text_is_plain(words.left))
        return false;
    memcpy(subject, field.data, field.size);
    subject[field.size] = '\0';
    if (words.left.size > 0)
        memcpy(ban->text, words.left.data, words.left.size);
    if (expires_ms != 0)
        ban->left_ms = expires_ms > wall_ms ? expires_ms - wall_ms : 0;

    /* Written in any other way, it would not be found again to be removed. */
    char canonical[BAN_SUBJECT_TEXT_SIZE];

    return ban_subject_read(&ban->subject, subject) &&
           strcmp(ban_subject_format(&ban->subject, canonical), subject) == 0;
}

static bool is_word(struct span span, const char *word)
{
    return span.size == strlen(word) && memcmp(span.data, word, span.size) == 0;
}

/* The place of the word in a list that ends with NULL. */
static uint32_t next_name(struct words *words, const char *const names[])
{
    struct span word = next_word(words);
    uint32_t at = 0;

    while (names[at] != NULL && !is_word(word, names[at]))
        at++;
    if (names[at] == NULL)
        words->is_bad = true;
    return at;
}

bool record_read_wish(struct stored_wish *wish, struct span field, struct span value)
{
    static const char *const names[] = { "stop", "start", NULL };
    struct words words = { .left = value };

    *wish = (struct stored_wish){ .runs = next_name(&words, names) == 1 };
    take_text(&words, field, wish->name, sizeof wish->name);
    return words_end(&words) && game_resource_is_valid(wish->name);
}

/* Which setting, team or revision it is. */
static void read_game_field(struct stored_game *game, struct words *words)
{
    static const char *const kinds[] = {
        "driveby", "multiplier", "property", "allowed",         "jacking",           "clock", "time",
        "weather", "team",       "revision", "weapon_revision", "relation_revision", NULL
    };
    enum { TEAM = GAME_WEATHER, REVISIONS };
    struct game_change *change = &game->change;
    uint32_t kind = next_name(words, kinds);

    if (words->is_bad)
        return;
    if (kind >= REVISIONS) {
        game->what = (enum stored_game_what)(STORED_REVISION + (int)(kind - REVISIONS));
        return;
    }
    if (kind == TEAM) {
        game->what = STORED_TEAM;
        game->team.id = (uint32_t)next_number(words, UINT32_MAX);
        return;
    }
    change->kind = (enum game_kind)(kind + GAME_DRIVEBY);
    if (change->kind <= GAME_ALLOWED)
        change->weapon = (uint32_t)next_number(words, UINT8_MAX);
    if (change->kind == GAME_PROPERTY) {
        change->tier = next_name(words, game_tier_names);
        change->index = next_name(words, game_property_names);
    }
    if (change->kind == GAME_WEATHER && words->is_open) {
        change->kind = GAME_WEATHER_VALUE;
        change->index = next_name(words, game_weather_names);
    }
}

/* As "%.9g" writes it, and no other way. */
static double next_real(struct words *words)
{
    char text[32];
    char again[32];
    double value;

    take_text(words, next_word(words), text, sizeof text);
    if (words->is_bad || !text_is_chars((const uint8_t *)text, strlen(text), "0-9.e+-"))
        words->is_bad = true;
    value = strtod(text, NULL);
    (void)snprintf(again, sizeof again, "%.9g", value);
    if (strcmp(text, again) != 0)
        words->is_bad = true;
    return value;
}

static void read_change(struct stored_game *game, struct words *words, uint64_t wall_ms)
{
    struct game_change *change = &game->change;
    uint64_t at_ms;

    if (is_word(words->left, "-")) {
        (void)next_word(words);
        change->unset = change->kind == GAME_PROPERTY || change->kind == GAME_JACKING ||
                        change->kind == GAME_CLOCK || change->kind == GAME_WEATHER_VALUE;
        words->is_bad = !change->unset;
    } else if (change->kind == GAME_TIME) {
        change->value = (double)next_number(words, GAME_DAY_MS - 1);
        at_ms = next_number(words, STORAGE_NUMBER_MAX);
        game->age_ms = wall_ms > at_ms ? wall_ms - at_ms : 0;
    } else if (change->kind == GAME_WEATHER) {
        change->value = (double)next_number(words, UINT8_MAX);
        change->blend_ms = (uint32_t)next_number(words, UINT32_MAX);
    } else {
        change->value = next_real(words);
    }
}

static void read_team(struct game_team *team, struct words *words)
{
    static const char *const fire[] = { "on", "off", NULL };

    team->friendly_fire_off = next_name(words, fire) == 1;
    take_text(words, next_word(words), team->resource, sizeof team->resource);
    if (words->is_bad || !words->is_open || words->left.size >= sizeof team->name ||
        memchr(words->left.data, '\0', words->left.size) != NULL) {
        words->is_bad = true;
        return;
    }
    memcpy(team->name, words->left.data, words->left.size);
    words->left.size = 0;
    words->is_open = false;
    if (team->id == 0 || !game_resource_is_valid(team->resource) || !game_team_name_is_valid(team->name))
        words->is_bad = true;
}

bool record_read_game(struct stored_game *game, struct span field, struct span value, uint64_t wall_ms)
{
    struct words name = { .left = field };
    struct words words = { .left = value };

    *game = (struct stored_game){ .what = STORED_CHANGE };
    read_game_field(game, &name);
    if (!words_end(&name) || value.size == 0)
        return false;
    if (game->what == STORED_CHANGE)
        read_change(game, &words, wall_ms);
    else if (game->what == STORED_TEAM)
        read_team(&game->team, &words);
    else
        game->number = next_number(&words, game->what == STORED_REVISION ? STORAGE_NUMBER_MAX : UINT32_MAX);
    return words_end(&words);
}

bool record_read_kv(struct kv_value *value, struct span text)
{
    bool is_negative = text.size > 0 && text.data[0] == '-';
    struct span digits = is_negative ? (struct span){ text.data + 1, text.size - 1 } : text;
    uint64_t number;

    *value = (struct kv_value){ .is_number = true };
    if (text.size > 0 && text.data[0] == ':') {
        *value = (struct kv_value){ .bytes = { text.data + 1, text.size - 1 } };
        return value->bytes.size <= GAME_KV_VALUE_MAX;
    }
    if (!number_read(digits, (uint64_t)INT64_MAX + is_negative, &number) || (is_negative && number == 0))
        return false;
    value->number = is_negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}
