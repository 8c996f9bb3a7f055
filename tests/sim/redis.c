#include "tests/sim/redis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MAX = STORAGE_QUEUE_MAX };

void redis_init(struct redis *redis, struct rng *rng)
{
    *redis = (struct redis){ .rng = rng };
    /* Most of both is never touched, and takes no memory then. */
    redis->players = calloc(DIRECTORY_IDS, sizeof redis->players[0]);
    redis->commands = calloc(COMMANDS_MAX, sizeof redis->commands[0]);
    if (redis->players == NULL || redis->commands == NULL)
        abort();
}

void redis_fini(struct redis *redis)
{
    for (; redis->count > 0; redis->count--)
        free(redis->commands[(redis->first + redis->count - 1) % COMMANDS_MAX].game);
    free(redis->players);
    free(redis->commands);
    free(redis->game);
    *redis = (struct redis){ 0 };
}

/* ---- what the commands do */

static void reserve(struct redis *redis, const struct storage_reserve *reserve, struct storage_result *result)
{
    uint64_t *counter = &redis->counters[reserve->counter];

    if (*counter < reserve->floor)
        *counter = reserve->floor;
    result->number = *counter + 1;
    *counter += reserve->count;
}

static void store_player(struct redis *redis, const struct storage_command *command)
{
    uint32_t id = command->player.ref.id;

    redis->players[id] = command->is_delete ? (struct stored_player){ 0 } : command->player;
    if (id >= redis->players_end)
        redis->players_end = id + 1;
}

static void store_process(struct redis *redis, const struct storage_command *command)
{
    size_t i = 0;

    while (i < redis->processes_count && strcmp(redis->processes[i].name, command->process.name) != 0)
        i++;
    if (command->is_delete && i < redis->processes_count)
        redis->processes[i] = redis->processes[--redis->processes_count];
    if (command->is_delete)
        return;
    if (i == REDIS_PROCESSES)
        abort();
    redis->processes[i] = command->process;
    redis->processes_count += i == redis->processes_count;
}

/* Only over a lower fence; what is there already, by the same owner, was written by a try before. */
static void store_slot(struct redis *redis, const struct stored_slot *slot, struct storage_result *result)
{
    struct stored_slot *found = &redis->slots[slot->slot];
    bool is_others = found->boot != slot->boot || strcmp(found->shard, slot->shard) != 0;

    if (found->fence == slot->fence && is_others) {
        result->number = slot->fence + 1;
        return;
    }
    if (found->fence < slot->fence)
        *found = *slot;
    result->number = found->fence;
}

static void store_ban(struct redis *redis, const struct storage_command *command)
{
    enum storage_list list = command->ban.list;
    struct stored_ban *bans = redis->bans[list];
    size_t i = 0;

    while (i < redis->bans_count[list] &&
           memcmp(&bans[i].subject, &command->ban.ban.subject, sizeof bans[i].subject) != 0)
        i++;
    if (command->is_delete && i < redis->bans_count[list])
        bans[i] = bans[--redis->bans_count[list]];
    if (command->is_delete)
        return;
    if (i == REDIS_BANS)
        abort();
    bans[i] = command->ban.ban;
    redis->bans_count[list] += i == redis->bans_count[list];
}

static void store_record(struct redis *redis, const struct record *record)
{
    size_t i = 0;

    while (i < redis->game_count && strcmp(redis->game[i].field, record->field) != 0)
        i++;
    if (i == redis->game_count) {
        redis->game = realloc(redis->game, (redis->game_count + 1) * sizeof redis->game[0]);
        if (redis->game == NULL)
            abort();
        redis->game_count++;
    }
    redis->game[i] = *record;
}

static void store_game(struct redis *redis, const struct redis_command *under_way)
{
    if (under_way->command.game.is_all)
        redis->game_count = 0;
    for (size_t i = 0; i < under_way->game_count; i++)
        store_record(redis, &under_way->game[i]);
}

static struct storage_result execute(struct redis *redis, const struct redis_command *under_way)
{
    const struct storage_command *command = &under_way->command;
    struct storage_result result = { .is_ok = true };

    switch (command->kind) {
    case STORAGE_LOAD:
        break; /* the driver hands out the tables */
    case STORAGE_RESERVE:
        reserve(redis, &command->reserve, &result);
        break;
    case STORAGE_PLAYER:
        store_player(redis, command);
        break;
    case STORAGE_PROCESS:
        store_process(redis, command);
        break;
    case STORAGE_SLOT:
        store_slot(redis, &command->slot, &result);
        break;
    case STORAGE_BAN:
        store_ban(redis, command);
        break;
    case STORAGE_TICKET:
        result.number = 1; /* no client of the simulator has an account */
        break;
    case STORAGE_GAME:
        store_game(redis, under_way);
        break;
    case STORAGE_WISH:
    case STORAGE_KV:
    case STORAGE_KINDS:
        abort(); /* no gamemode of the simulator asks for it */
    }
    return result;
}

static struct span span_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static void answer_load(struct redis *redis, uint64_t now_ms, struct coordinator *coordinator)
{
    struct stored_player *players = calloc(redis->players_end + 1, sizeof *players);
    struct stored_game *game = calloc(redis->game_count + 1, sizeof *game);
    struct stored_slot slots[REDIS_SLOTS];
    struct storage_loaded loaded = { .players = players, .slots = slots };

    if (players == NULL || game == NULL)
        abort();
    memcpy(loaded.counters, redis->counters, sizeof loaded.counters);
    for (uint32_t i = 0; i < redis->players_end; i++) {
        if (redis->players[i].ref.token != 0)
            players[loaded.players_count++] = redis->players[i];
    }
    for (uint32_t i = 0; i < REDIS_SLOTS; i++) {
        if (redis->slots[i].fence != 0)
            slots[loaded.slots_count++] = redis->slots[i];
    }
    for (size_t i = 0; i < redis->game_count; i++) {
        if (!record_read_game(&game[i], span_of(redis->game[i].field), span_of(redis->game[i].value), now_ms))
            abort(); /* the coordinator has written it itself */
    }
    loaded.game = game;
    loaded.game_count = redis->game_count;
    loaded.processes = redis->processes;
    loaded.processes_count = redis->processes_count;
    for (int i = 0; i < STORAGE_LISTS; i++) {
        loaded.bans[i] = redis->bans[i];
        loaded.bans_count[i] = redis->bans_count[i];
    }
    coordinator_on_store(coordinator, now_ms, &(struct storage_result){ .is_ok = true, .loaded = &loaded });
    free(players);
    free(game);
}

/* ---- commands under way */

static struct redis_command *oldest(const struct redis *redis)
{
    return redis->count == 0 ? NULL : &redis->commands[redis->first];
}

/* Its settings are the caller's to free. */
static struct redis_command take_oldest(struct redis *redis)
{
    struct redis_command command = redis->commands[redis->first];

    redis->first = (redis->first + 1) % COMMANDS_MAX;
    redis->count--;
    return command;
}

/* The entries of a command of settings are borrowed: they are written down at once. */
static struct redis_command write_down(const struct storage_command *command, uint64_t now_ms,
                                       uint64_t due_ms)
{
    struct redis_command under_way = { .command = *command, .due_ms = due_ms };

    if (command->kind != STORAGE_GAME || command->game.count == 0)
        return under_way;
    under_way.game_count = command->game.count;
    under_way.game = calloc(under_way.game_count, sizeof under_way.game[0]);
    if (under_way.game == NULL)
        abort();
    for (size_t i = 0; i < under_way.game_count; i++)
        record_write_game(&under_way.game[i], &command->game.entries[i], now_ms);
    return under_way;
}

static void take_commands(struct redis *redis, uint64_t now_ms, struct coordinator *coordinator)
{
    struct storage_command command;

    while (coordinator_take_command(coordinator, now_ms, &command)) {
        const struct redis_command *last = &redis->commands[(redis->first + redis->count - 1) % COMMANDS_MAX];
        uint64_t due_ms = now_ms + rng_below(redis->rng, REDIS_DELAY_MAX_MS + 1);

        if (redis->count > 0 && due_ms < last->due_ms)
            due_ms = last->due_ms;
        redis->commands[(redis->first + redis->count++) % COMMANDS_MAX] =
            write_down(&command, now_ms, due_ms);
    }
}

void redis_run(struct redis *redis, uint64_t now_ms, struct coordinator *coordinator)
{
    if (!redis->is_connected) {
        if (now_ms < redis->away_until_ms)
            return;
        redis->is_connected = true;
        coordinator_store_up(coordinator, now_ms);
    }
    take_commands(redis, now_ms, coordinator);
    while (redis->count > 0 && oldest(redis)->due_ms <= now_ms) {
        struct redis_command oldest_command = take_oldest(redis);
        struct storage_result result = execute(redis, &oldest_command);

        free(oldest_command.game);
        if (oldest_command.command.kind == STORAGE_LOAD)
            answer_load(redis, now_ms, coordinator);
        else
            coordinator_on_store(coordinator, now_ms, &result);
        take_commands(redis, now_ms, coordinator);
    }
}

uint64_t redis_wakes_at(const struct redis *redis)
{
    if (!redis->is_connected)
        return redis->away_until_ms;
    return redis->count == 0 ? UINT64_MAX : oldest(redis)->due_ms;
}

/* ---- faults */

void redis_hang_up(struct redis *redis)
{
    uint64_t reached = rng_below(redis->rng, redis->count + 1);

    for (; redis->count > 0; reached -= reached > 0) {
        struct redis_command command = take_oldest(redis);

        if (reached > 0)
            (void)execute(redis, &command);
        free(command.game);
    }
    redis->is_connected = false;
}

void redis_cut(struct redis *redis, uint64_t now_ms, uint64_t until_ms, struct coordinator *coordinator)
{
    bool was_connected = redis->is_connected;

    redis_hang_up(redis);
    redis->away_until_ms = until_ms;
    if (was_connected && coordinator != NULL)
        coordinator_store_down(coordinator, now_ms);
}

uint32_t redis_players(const struct redis *redis)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < redis->players_end; i++)
        count += redis->players[i].ref.token != 0;
    return count;
}
