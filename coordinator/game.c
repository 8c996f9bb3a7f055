#include "coordinator/game.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/serial.h"
#include "coordinator/record.h"
#include "coordinator/state.h"

enum { TIME_TOLERANCE_MS = 60 * 1000 }; /* ours, game ms: clocks of machines are set now and then */

int game_open(struct game *game, uint64_t now_ms)
{
    *game = (struct game){ .teams = calloc(GAME_TEAMS_MAX, sizeof(struct game_team)),
                           .entries = calloc(GAME_ENTRIES_MAX, sizeof(struct stored_game)) };
    game_init(&game->settings, now_ms);
    return game->teams != NULL && game->entries != NULL ? 0 : -1;
}

void game_close(struct game *game)
{
    free(game->teams);
    free(game->entries);
    *game = (struct game){ 0 };
}

/* ---- telling ---- */

static Bus__GameUpdate *update_message(struct coordinator *coordinator)
{
    const struct game *game = &coordinator->game;
    Bus__GameUpdate *update = outbox_alloc(&coordinator->outbox, sizeof *update);

    bus__game_update__init(update);
    update->revision = game->revision;
    update->weapon_revision = game->settings.weapon_revision;
    update->relation_revision = game->relation_revision;
    return update;
}

static void add_change(struct coordinator *coordinator, Bus__GameUpdate *update,
                       const struct game_change *change)
{
    update->changes[update->n_changes++] = game_change_message(change, &coordinator->outbox);
}

static void tell_update(struct coordinator *coordinator, Bus__GameUpdate *update)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    item.game_update = update;
    tell_everybody(coordinator, &item, true);
    coordinator->stats.game_changes++;
}

void game_tell_all(struct coordinator *coordinator, uint16_t place)
{
    struct outbox *outbox = &coordinator->outbox;
    const struct game *game = &coordinator->game;
    struct game_change changes[GAME_CHANGES_MAX];
    size_t count = game_list(&game->settings, coordinator->now_ms, changes);
    Bus__Item *item = tell(coordinator, place);
    Bus__GameUpdate *update;

    if (item == NULL)
        return;
    update = update_message(coordinator);
    update->whole = true;
    update->changes = outbox_alloc(outbox, (count + 1) * sizeof(Bus__GameChange *));
    for (size_t i = 0; i < count; i++)
        add_change(coordinator, update, &changes[i]);
    update->teams = outbox_alloc(outbox, (game->teams_count + 1) * sizeof(Bus__GameTeam *));
    for (size_t i = 0; i < game->teams_count; i++)
        update->teams[update->n_teams++] = game_team_message(&game->teams[i], outbox);
    item->item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    item->game_update = update;
}

static void answer(struct coordinator *coordinator, uint16_t shard, const Bus__GameAsk *ask, bool is_refused)
{
    Bus__Item *item = tell(coordinator, shard);

    if (item == NULL)
        return;
    item->game_answer = outbox_alloc(&coordinator->outbox, sizeof *item->game_answer);
    bus__game_answer__init(item->game_answer);
    item->game_answer->request = ask->request;
    item->game_answer->refused = is_refused;
    item->item_case = BUS__ITEM__ITEM_GAME_ANSWER;
}

/* ---- changing ---- */

/* The number of the next change. False: none is reserved, and nothing may change. */
static bool number(struct game *game, struct counter *counter)
{
    uint64_t revision = counter_take(counter, 1);

    if (revision == 0)
        return false;
    game->revision = revision;
    return true;
}

static enum reason change_settings(struct coordinator *coordinator, const struct game_change *change)
{
    struct game *game = &coordinator->game;
    struct game_settings settings = game->settings;
    struct game_change stands = *change;
    Bus__GameUpdate *update;
    bool changed;
    enum reason refused = game_apply(&settings, change, coordinator->now_ms, &changed);

    if (refused != REASON_NONE || !changed)
        return refused;
    if (!number(game, &coordinator->counters[STORAGE_REVISIONS]))
        return REASON_TABLE_FULL;
    game->settings = settings;
    (void)game_now(&game->settings, coordinator->now_ms, &stands);
    update = update_message(coordinator);
    update->changes = outbox_alloc(&coordinator->outbox, sizeof(Bus__GameChange *));
    add_change(coordinator, update, &stands);
    tell_update(coordinator, update);
    save_game(coordinator, &(struct storage_game_key){ .which = STORAGE_GAME_CHANGE, .change = stands });
    return REASON_NONE;
}

static struct game_team *find_team(struct game *game, const struct game_team *like)
{
    for (size_t i = 0; i < game->teams_count; i++) {
        if (game_team_is(&game->teams[i], like->resource, like->name))
            return &game->teams[i];
    }
    return NULL;
}

static struct game_team *find_team_id(struct game *game, uint32_t id)
{
    for (size_t i = 0; i < game->teams_count; i++) {
        if (game->teams[i].id == id)
            return &game->teams[i];
    }
    return NULL;
}

/* The last one's is the highest. */
static struct game_team *add_team(struct game *game, const struct game_team *like)
{
    struct game_team *team = &game->teams[game->teams_count];

    *team = *like;
    if (team->id == 0)
        team->id = game->teams_count == 0 ? 1 : game->teams[game->teams_count - 1].id + 1;
    game->teams_count++;
    return team;
}

static enum reason change_team(struct coordinator *coordinator, const struct game_team *wanted, bool makes)
{
    struct game *game = &coordinator->game;
    struct game_team *team = find_team(game, wanted);
    Bus__GameUpdate *update;

    if (team == NULL && game->teams_count == GAME_TEAMS_MAX)
        return REASON_TABLE_FULL;
    if (team != NULL && (makes || team->friendly_fire_off == wanted->friendly_fire_off))
        return REASON_NONE;
    if (!number(game, &coordinator->counters[STORAGE_REVISIONS]))
        return REASON_TABLE_FULL;
    if (team == NULL) {
        team = add_team(game, wanted);
        LOG(INFO, "team_made", KV("team", team->id), KV("name", team->name), KV("resource", team->resource));
    } else {
        team->friendly_fire_off = wanted->friendly_fire_off;
        game->relation_revision++;
    }
    update = update_message(coordinator);
    update->teams = outbox_alloc(&coordinator->outbox, sizeof(Bus__GameTeam *));
    update->teams[update->n_teams++] = game_team_message(team, &coordinator->outbox);
    tell_update(coordinator, update);
    save_game(coordinator, &(struct storage_game_key){ .which = STORAGE_GAME_TEAM, .team = team->id });
    return REASON_NONE;
}

void game_on_ask(struct coordinator *coordinator, uint16_t shard, const Bus__GameAsk *ask)
{
    struct game_change change;
    struct game_team team;
    enum reason refused;

    if (ask->request == 0 || !game_resource_is_valid(ask->resource) ||
        (ask->change != NULL) == (ask->team != NULL) ||
        (ask->change != NULL && !game_change_read(&change, ask->change)) ||
        (ask->team != NULL && !game_team_read(&team, ask->team))) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    if (coordinator->game.revision == 0) {
        coordinator_drop(coordinator, REASON_BUS_STALE); /* it will ask again when it has been told */
        return;
    }
    if (ask->change != NULL) {
        refused = change_settings(coordinator, &change);
    } else {
        team.id = 0;
        refused = change_team(coordinator, &team, ask->makes);
    }
    answer(coordinator, shard, ask, refused != REASON_NONE);
    if (refused == REASON_NONE)
        return;
    coordinator_drop(coordinator, refused);
    LOG(WARN, "game_change_refused", KV("shard", process_at(coordinator, shard)->name),
        KV("resource", ask->resource), KV("reason", reason_name(refused)));
}

void game_see(struct coordinator *coordinator, const Bus__ShardState *state)
{
    struct game *game = &coordinator->game;

    if (serial32_newer(state->relation_revision, game->relation_revision))
        game->relation_revision = state->relation_revision;
    if (!serial32_newer(state->weapon_revision, game->settings.weapon_revision))
        return;
    /* Clients have seen it with other properties than there are now. */
    game->settings.weapon_revision = state->weapon_revision + 1;
    coordinator->is_renewal_due = true;
}

/* ---- Redis ---- */

static bool restore_entry(struct game *game, const struct stored_game *stored, uint64_t now_ms)
{
    bool changed;

    switch (stored->what) {
    case STORED_CHANGE:
        return stored->change.kind == GAME_TIME ||
               game_apply(&game->settings, &stored->change, now_ms, &changed) == REASON_NONE;
    case STORED_TEAM:
        if (game->teams_count == GAME_TEAMS_MAX || find_team(game, &stored->team) != NULL ||
            find_team_id(game, stored->team.id) != NULL)
            return false;
        (void)add_team(game, &stored->team);
        return true;
    case STORED_REVISION:
    case STORED_WEAPON_REVISION:
    case STORED_RELATION_REVISION:
        return true;
    }
    return false;
}

static void restore_number(struct game *game, const struct stored_game *stored)
{
    uint32_t value = (uint32_t)stored->number;

    if (stored->what == STORED_WEAPON_REVISION && serial32_newer(value, game->settings.weapon_revision))
        game->settings.weapon_revision = value;
    if (stored->what == STORED_RELATION_REVISION && serial32_newer(value, game->relation_revision))
        game->relation_revision = value;
}

/* The clock has gone on meanwhile. */
static void restore_time(struct game *game, const struct stored_game *stored, uint64_t now_ms)
{
    uint32_t minute_ms = game->settings.clock.minute_ms;
    uint64_t passed_ms =
        minute_ms == 0 ? 0 : stored->age_ms % ((uint64_t)minute_ms * 24 * 60) * (60 * 1000) / minute_ms;

    game->settings.clock.day_ms = (uint32_t)(((uint64_t)stored->change.value + passed_ms) % GAME_DAY_MS);
    game->settings.clock.at_ms = now_ms;
}

static int by_id(const void *a, const void *b)
{
    const struct game_team *left = a;
    const struct game_team *right = b;

    return (left->id > right->id) - (left->id < right->id);
}

void game_restore(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    struct game *game = &coordinator->game;
    uint32_t weapon_revision = game->settings.weapon_revision; /* as shards have said */

    for (size_t i = 0; i < loaded->game_count; i++) {
        const struct stored_game *stored = &loaded->game[i];
        struct record record;

        if (stored->what == STORED_REVISION)
            counter_see(&coordinator->counters[STORAGE_REVISIONS], stored->number);
        if (restore_entry(game, stored, coordinator->now_ms))
            continue;
        record_write_game(&record, stored, 0);
        LOG(ERROR, "record_unreadable", KV("key", "game"), KV("field", record.field));
        coordinator->stats.store_unreadable++;
    }
    game->settings.weapon_revision = weapon_revision;
    for (size_t i = 0; i < loaded->game_count; i++) {
        const struct stored_game *stored = &loaded->game[i];

        restore_number(game, stored);
        if (stored->what == STORED_CHANGE && stored->change.kind == GAME_TIME)
            restore_time(game, stored, coordinator->now_ms);
    }
    qsort(game->teams, game->teams_count, sizeof game->teams[0], by_id);
}

/* All there is, into the entries. */
static size_t list_entries(struct game *game, uint64_t now_ms)
{
    struct game_change changes[GAME_CHANGES_MAX];
    size_t changes_count = game_list(&game->settings, now_ms, changes);
    size_t count = 0;

    for (size_t i = 0; i < changes_count; i++)
        game->entries[count++] = (struct stored_game){ .what = STORED_CHANGE, .change = changes[i] };
    for (size_t i = 0; i < game->teams_count; i++)
        game->entries[count++] = (struct stored_game){ .what = STORED_TEAM, .team = game->teams[i] };
    return count;
}

static size_t add_numbers(struct game *game, size_t count)
{
    game->entries[count++] = (struct stored_game){ .what = STORED_REVISION, .number = game->revision };
    game->entries[count++] =
        (struct stored_game){ .what = STORED_WEAPON_REVISION, .number = game->settings.weapon_revision };
    game->entries[count++] =
        (struct stored_game){ .what = STORED_RELATION_REVISION, .number = game->relation_revision };
    return count;
}

void game_fill(struct coordinator *coordinator, const struct storage_game_key *key,
               struct storage_game *command)
{
    struct game *game = &coordinator->game;
    struct stored_game entry = { .what = STORED_CHANGE, .change = key->change };
    const struct game_team *team;
    size_t count = 0;

    switch (key->which) {
    case STORAGE_GAME_ALL:
        count = list_entries(game, coordinator->now_ms);
        break;
    case STORAGE_GAME_TEAM:
        team = find_team_id(game, key->team);
        assert(team != NULL);
        game->entries[count++] = (struct stored_game){ .what = STORED_TEAM, .team = *team };
        break;
    case STORAGE_GAME_CHANGE:
        (void)game_now(&game->settings, coordinator->now_ms, &entry.change);
        game->entries[count++] = entry;
        if (entry.change.kind != GAME_CLOCK)
            break;
        /* How late it is means something only with how fast the clock runs. */
        entry.change = (struct game_change){ .kind = GAME_TIME };
        (void)game_now(&game->settings, coordinator->now_ms, &entry.change);
        game->entries[count++] = entry;
        break;
    }
    count = add_numbers(game, count);
    *command = (struct storage_game){ game->entries, count, key->which == STORAGE_GAME_ALL };
}

static bool is_same_time(const struct game *game, const struct stored_game *stored, uint64_t now_ms)
{
    struct game then = *game;
    uint32_t apart_ms;

    restore_time(&then, stored, now_ms);
    apart_ms =
        (then.settings.clock.day_ms + GAME_DAY_MS - game_time_ms(&game->settings, now_ms)) % GAME_DAY_MS;
    return apart_ms <= TIME_TOLERANCE_MS || GAME_DAY_MS - apart_ms <= TIME_TOLERANCE_MS;
}

static bool is_same_setting(const struct game_change *a, const struct game_change *b)
{
    return a->kind == b->kind && a->weapon == b->weapon && a->tier == b->tier && a->index == b->index;
}

/* Is what Redis has as it stands? */
static bool is_current(struct game *game, const struct stored_game *stored, uint64_t now_ms)
{
    struct game_change stands = stored->change;
    const struct game_team *team;

    switch (stored->what) {
    case STORED_CHANGE:
        if (stored->change.kind == GAME_TIME)
            return is_same_time(game, stored, now_ms);
        (void)game_now(&game->settings, now_ms, &stands);
        return stands.unset == stored->change.unset &&
               (stands.unset || (float)stands.value == (float)stored->change.value);
    case STORED_TEAM:
        team = find_team_id(game, stored->team.id);
        return team != NULL && team->friendly_fire_off == stored->team.friendly_fire_off &&
               game_team_is(team, stored->team.resource, stored->team.name);
    case STORED_REVISION:
    case STORED_WEAPON_REVISION:
    case STORED_RELATION_REVISION:
        return true;
    }
    return false;
}

static bool is_there(const struct stored_game *entry, const struct storage_loaded *loaded)
{
    for (size_t i = 0; i < loaded->game_count; i++) {
        const struct stored_game *stored = &loaded->game[i];

        if (stored->what == entry->what &&
            (entry->what == STORED_TEAM ? stored->team.id == entry->team.id
                                        : is_same_setting(&stored->change, &entry->change)))
            return true;
    }
    return false;
}

static bool is_all_stored(struct game *game, const struct storage_loaded *loaded, uint64_t now_ms)
{
    size_t count = list_entries(game, now_ms);

    for (size_t i = 0; i < loaded->game_count; i++) {
        if (!is_current(game, &loaded->game[i], now_ms))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_there(&game->entries[i], loaded))
            return false;
    }
    return true;
}

void game_compare(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    if (!is_all_stored(&coordinator->game, loaded, coordinator->now_ms))
        save_game(coordinator, &(struct storage_game_key){ .which = STORAGE_GAME_ALL });
}
