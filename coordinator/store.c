#include "coordinator/store.h"

#include <assert.h>
#include <hiredis/adapters/libevent.h>
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "coordinator/number.h"
#include "coordinator/record.h"

enum {
    KEY_SIZE = STORE_PREFIX_MAX + 64,
    SHA_SIZE = 41,
    NUMBER_SIZE = 24,
    ERROR_SIZE = 256,
    ARGUMENTS_MAX = 8,
};

/* ---- keys and scripts ---- */

static const char *const counter_keys[STORAGE_COUNTERS] = {
    [STORAGE_TOKENS] = "tokens",
    [STORAGE_VEHICLES] = "vehicles",
    [STORAGE_REVISIONS] = "revisions",
};

static const char *const list_keys[STORAGE_LISTS] = {
    [STORAGE_BANNED] = "banned", [STORAGE_ALLOWED] = "allowed"
};

enum script { SCRIPT_RESERVE, SCRIPT_SLOT, SCRIPT_TICKET, SCRIPTS };

/* What Redis does at once, so that no other writer comes in between. Numbers go as text both ways: a
 * script's are doubles, and what it returns would be cut to 64 bits. */
static const char *const scripts[SCRIPTS] = {
    [SCRIPT_RESERVE] = "local value = redis.call('GET', KEYS[1]) or '0' "
                       "if not string.match(value, '^%d+$') or #value > 16 then "
                       "return redis.error_reply('ERR not a number') end "
                       "local last = math.max(tonumber(value), tonumber(ARGV[1])) "
                       "redis.call('SET', KEYS[1], string.format('%.0f', last + tonumber(ARGV[2]))) "
                       "return string.format('%.0f', last + 1)",
    [SCRIPT_SLOT] =
        "local value = redis.call('HGET', KEYS[1], ARGV[1]) "
        "local fence = tonumber(ARGV[2]) "
        "if value then "
        "local found = string.match(value, '^(%d+) ') "
        "if not found or #found > 16 then return redis.error_reply('ERR not an owner') end "
        "if found == ARGV[2] and value ~= ARGV[3] then return string.format('%.0f', fence + 1) end "
        "if tonumber(found) >= fence then return found end "
        "end "
        "redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) "
        "return ARGV[2]",
    [SCRIPT_TICKET] = "local user = redis.call('GET', KEYS[1]) "
                      "if user then return user == ARGV[1] and '1' or '0' end "
                      "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) "
                      "return '1'",
};

/* ---- the store ---- */

enum store_state { STORE_AWAY, STORE_CONNECTING, STORE_GREETING, STORE_UP };

/* A command that has been sent. */
struct under_way {
    enum storage_kind kind;
    Bus__KvAsk__Op op; /* of a resource's */
    bool is_transaction;
    uint64_t sent_ms;
    char key[KEY_SIZE]; /* for messages */
};

struct store {
    struct coordinator *coordinator;
    struct event_base *base;
    char *socket;
    char *host;
    uint16_t port;
    char *password;
    char prefix[STORE_PREFIX_MAX + 2]; /* with its colon */

    enum store_state state;
    redisAsyncContext *redis; /* while it is not away */
    uint64_t since_ms;        /* of the state */
    uint64_t pause_ms;
    char shas[SCRIPTS][SHA_SIZE];
    size_t scripts_loaded;
    struct ring under_way;
    char error[ERROR_SIZE];
};

static void set_state(struct store *store, enum store_state state)
{
    store->state = state;
    store->since_ms = clock_ms();
}

/* Texts of Redis go into logs and answers: what is not plain ASCII is replaced. */
__attribute__((format(printf, 2, 3))) static void set_error(struct store *store, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(store->error, sizeof store->error, format, arguments);
    va_end(arguments);
    for (char *at = store->error; *at != '\0'; at++) {
        if (*at < ' ' || *at > '~')
            *at = '?';
    }
}

/* The connection is over. The pause before the next one grows until one of them has worked. */
static void lose(struct store *store, const char *why)
{
    redisAsyncContext *redis = store->redis;
    bool was_up = store->state == STORE_UP;

    store->redis = NULL; /* from here on its callbacks find that they are not asked */
    set_state(store, STORE_AWAY);
    store->pause_ms = store->pause_ms == 0 ? STORE_PAUSE_MIN_MS : store->pause_ms * 2;
    if (store->pause_ms > STORE_PAUSE_MAX_MS)
        store->pause_ms = STORE_PAUSE_MAX_MS;
    ring_clear(&store->under_way);
    set_error(store, "%s", why);
    LOG(WARN, "store_lost", KV("was_up", was_up), KV("err", store->error), KV("pause_ms", store->pause_ms));
    if (redis != NULL)
        redisAsyncFree(redis);
    if (was_up)
        coordinator_store_down(store->coordinator, clock_ms());
}

/* ---- replies ---- */

static struct span span_of_reply(const redisReply *reply)
{
    return (struct span){ (const uint8_t *)reply->str, reply->len };
}

static const char *type_name(const redisReply *reply)
{
    switch (reply->type) {
    case REDIS_REPLY_STRING:
        return "a string";
    case REDIS_REPLY_ARRAY:
        return "an array";
    case REDIS_REPLY_INTEGER:
        return "an integer";
    case REDIS_REPLY_NIL:
        return "nothing";
    case REDIS_REPLY_STATUS:
        return "a status";
    default:
        return "something unknown";
    }
}

/* False, and the store's error says what was wrong about the key. */
static bool expect(struct store *store, const redisReply *reply, int type, const char *key)
{
    if (reply->type == type)
        return true;
    if (reply->type == REDIS_REPLY_ERROR)
        set_error(store, "%s: %s", key, reply->str);
    else
        set_error(store, "%s: Redis answered %s", key, type_name(reply));
    return false;
}

static bool read_number(struct store *store, const redisReply *reply, const char *key, uint64_t *number)
{
    if (!expect(store, reply, REDIS_REPLY_STRING, key))
        return false;
    if (number_read(span_of_reply(reply), STORAGE_NUMBER_MAX, number))
        return true;
    set_error(store, "%s: is not a number up to 2^53", key);
    return false;
}

/* ---- loading ---- */

/* What one load has read: arrays as long as the hashes. */
struct load {
    struct store *store;
    uint64_t wall_ms;
    struct stored_player *players;
    struct stored_slot *slots;
    struct stored_process *processes;
    struct stored_ban *bans[STORAGE_LISTS];
    struct stored_game *game;
    struct stored_wish *wishes;
    struct storage_loaded loaded;
};

static const char *key_of(const struct store *store, const char *name, char key[KEY_SIZE])
{
    (void)snprintf(key, KEY_SIZE, "%s%s", store->prefix, name);
    return key;
}

static bool load_counter(struct load *load, const redisReply *reply, enum storage_counter counter)
{
    char key[KEY_SIZE];

    load->loaded.counters[counter] = 0;
    return reply->type == REDIS_REPLY_NIL ||
           read_number(load->store, reply, key_of(load->store, counter_keys[counter], key),
                       &load->loaded.counters[counter]);
}

static bool take_player(struct load *load, size_t list, struct span field, struct span value)
{
    (void)list;
    if (!record_read_player(&load->players[load->loaded.players_count], field, value))
        return false;
    load->loaded.players_count++;
    return true;
}

static bool take_slot(struct load *load, size_t list, struct span field, struct span value)
{
    (void)list;
    if (!record_read_slot(&load->slots[load->loaded.slots_count], field, value))
        return false;
    load->loaded.slots_count++;
    return true;
}

static bool take_process(struct load *load, size_t list, struct span field, struct span value)
{
    (void)list;
    if (!record_read_process(&load->processes[load->loaded.processes_count], field, value))
        return false;
    load->loaded.processes_count++;
    return true;
}

static bool take_ban(struct load *load, size_t list, struct span field, struct span value)
{
    if (!record_read_ban(&load->bans[list][load->loaded.bans_count[list]], field, value, load->wall_ms))
        return false;
    load->loaded.bans_count[list]++;
    return true;
}

static bool take_game(struct load *load, size_t list, struct span field, struct span value)
{
    (void)list;
    if (!record_read_game(&load->game[load->loaded.game_count], field, value, load->wall_ms))
        return false;
    load->loaded.game_count++;
    return true;
}

static bool take_wish(struct load *load, size_t list, struct span field, struct span value)
{
    (void)list;
    if (!record_read_wish(&load->wishes[load->loaded.wishes_count], field, value))
        return false;
    load->loaded.wishes_count++;
    return true;
}

/* A hash, field by field. What cannot be read is left out, unless nothing of it may be: then nothing is
 * loaded at all. */
static bool load_hash(struct load *load, const redisReply *reply, const char *name, void *items,
                      bool must_be_whole, bool (*take)(struct load *, size_t, struct span, struct span),
                      size_t list)
{
    char key[KEY_SIZE];

    (void)key_of(load->store, name, key);
    if (!expect(load->store, reply, REDIS_REPLY_ARRAY, key))
        return false;
    if (items == NULL) {
        set_error(load->store, "%s: no memory for it", key);
        return false;
    }
    for (size_t i = 0; i + 1 < reply->elements; i += 2) {
        const redisReply *field = reply->element[i];
        const redisReply *value = reply->element[i + 1];

        if (!expect(load->store, field, REDIS_REPLY_STRING, key) ||
            !expect(load->store, value, REDIS_REPLY_STRING, key))
            return false;
        if (take(load, list, span_of_reply(field), span_of_reply(value)))
            continue;
        LOG(ERROR, "record_unreadable", KV("key", key), KV("field", span_of_reply(field)));
        load->loaded.unreadable++;
        if (must_be_whole) {
            set_error(load->store, "%s: the value of field %.60s cannot be read", key, field->str);
            return false;
        }
    }
    return true;
}

static void *room_for(const redisReply *reply, size_t size)
{
    return reply->type == REDIS_REPLY_ARRAY ? calloc(reply->elements / 2 + 1, size) : NULL;
}

enum load_part {
    LOAD_PLAYERS = STORAGE_COUNTERS,
    LOAD_SLOTS,
    LOAD_PROCESSES,
    LOAD_LISTS,
    LOAD_GAME = LOAD_LISTS + STORAGE_LISTS,
    LOAD_WISHES,
    LOAD_PARTS
};

static bool read_load(struct load *load, const redisReply *reply)
{
    redisReply **parts = reply->element;
    struct storage_loaded *loaded = &load->loaded;

    for (int i = 0; i < STORAGE_COUNTERS; i++) {
        if (!load_counter(load, parts[i], (enum storage_counter)i))
            return false;
    }
    load->players = room_for(parts[LOAD_PLAYERS], sizeof load->players[0]);
    load->slots = room_for(parts[LOAD_SLOTS], sizeof load->slots[0]);
    load->processes = room_for(parts[LOAD_PROCESSES], sizeof load->processes[0]);
    if (!load_hash(load, parts[LOAD_PLAYERS], "players", load->players, false, take_player, 0) ||
        !load_hash(load, parts[LOAD_SLOTS], "slots", load->slots, true, take_slot, 0) ||
        !load_hash(load, parts[LOAD_PROCESSES], "processes", load->processes, false, take_process, 0))
        return false;
    for (size_t i = 0; i < STORAGE_LISTS; i++) {
        load->bans[i] = room_for(parts[LOAD_LISTS + i], sizeof load->bans[i][0]);
        if (!load_hash(load, parts[LOAD_LISTS + i], list_keys[i], load->bans[i], false, take_ban, i))
            return false;
        loaded->bans[i] = load->bans[i];
    }
    load->game = room_for(parts[LOAD_GAME], sizeof load->game[0]);
    if (!load_hash(load, parts[LOAD_GAME], "game", load->game, false, take_game, 0))
        return false;
    load->wishes = room_for(parts[LOAD_WISHES], sizeof load->wishes[0]);
    if (!load_hash(load, parts[LOAD_WISHES], "resources", load->wishes, false, take_wish, 0))
        return false;
    loaded->players = load->players;
    loaded->slots = load->slots;
    loaded->processes = load->processes;
    loaded->game = load->game;
    loaded->wishes = load->wishes;
    return true;
}

static void finish_load(struct store *store, const redisReply *reply)
{
    struct load load = { .store = store, .wall_ms = clock_wall_ms() };
    struct storage_result result = { .error = store->error, .loaded = &load.loaded };

    if (expect(store, reply, REDIS_REPLY_ARRAY, "loading") && reply->elements == LOAD_PARTS)
        result.is_ok = read_load(&load, reply);
    else if (reply->type == REDIS_REPLY_ARRAY)
        set_error(store, "loading: Redis answered %zu parts", reply->elements);
    coordinator_on_store(store->coordinator, clock_ms(), &result);
    free(load.players);
    free(load.slots);
    free(load.processes);
    for (size_t i = 0; i < STORAGE_LISTS; i++)
        free(load.bans[i]);
    free(load.game);
    free(load.wishes);
}

/* ---- results ---- */

static void load_scripts(struct store *store);

/* Somebody has emptied Redis' cache of scripts. */
static bool is_script_missing(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "NOSCRIPT", 8) == 0;
}

/* HSET's answer; of a transaction it comes last in EXEC's. */
static bool expect_written(struct store *store, const redisReply *reply, const struct under_way *sent)
{
    if (!sent->is_transaction)
        return expect(store, reply, REDIS_REPLY_INTEGER, sent->key);
    return expect(store, reply, REDIS_REPLY_ARRAY, sent->key) && reply->elements > 0 &&
           expect(store, reply->element[reply->elements - 1], REDIS_REPLY_INTEGER, sent->key);
}

/* The answer to what a resource has asked for. */
static void finish_kv(struct store *store, const struct under_way *sent, const redisReply *reply,
                      struct storage_result *result)
{
    switch (sent->op) {
    case BUS__KV_ASK__OP__OP_GET:
        if (reply->type == REDIS_REPLY_NIL) {
            result->is_ok = true;
            return;
        }
        result->has_value = expect(store, reply, REDIS_REPLY_STRING, sent->key) &&
                            record_read_kv(&result->value, span_of_reply(reply));
        result->is_ok = result->has_value;
        if (reply->type == REDIS_REPLY_STRING && !result->is_ok)
            set_error(store, "%s: is neither a whole number nor ours", sent->key);
        break;
    case BUS__KV_ASK__OP__OP_SET:
        result->is_ok = expect(store, reply, REDIS_REPLY_STATUS, sent->key);
        break;
    case BUS__KV_ASK__OP__OP_INCR:
        result->is_ok = expect(store, reply, REDIS_REPLY_INTEGER, sent->key);
        result->has_value = result->is_ok;
        result->value = (struct kv_value){ .is_number = true, .number = reply->integer };
        break;
    default:
        result->is_ok = expect(store, reply, REDIS_REPLY_INTEGER, sent->key);
        break;
    }
}

static void finish_command(struct store *store, const struct under_way *sent, const redisReply *reply)
{
    struct storage_result result = { .error = store->error };

    switch (sent->kind) {
    case STORAGE_LOAD:
        finish_load(store, reply);
        return;
    case STORAGE_RESERVE:
    case STORAGE_SLOT:
    case STORAGE_TICKET:
        result.is_again = is_script_missing(reply);
        result.is_ok = read_number(store, reply, sent->key, &result.number);
        if (result.is_again)
            load_scripts(store);
        break;
    case STORAGE_PLAYER:
    case STORAGE_PROCESS:
    case STORAGE_BAN:
    case STORAGE_WISH:
        result.is_ok = expect(store, reply, REDIS_REPLY_INTEGER, sent->key);
        break;
    case STORAGE_GAME:
        result.is_ok = expect_written(store, reply, sent);
        break;
    case STORAGE_KV:
        finish_kv(store, sent, reply, &result);
        break;
    case STORAGE_KINDS:
        assert(false);
    }
    coordinator_on_store(store->coordinator, clock_ms(), &result);
}

static bool is_asked(const redisAsyncContext *redis)
{
    const struct store *store = redis->data;

    return store->redis == redis;
}

static void on_reply(redisAsyncContext *redis, void *reply, void *arg)
{
    struct store *store = arg;
    struct under_way *oldest;
    struct under_way sent;

    if (!is_asked(redis) || reply == NULL)
        return;
    oldest = ring_oldest(&store->under_way);
    assert(oldest != NULL);
    sent = *oldest;
    ring_pop(&store->under_way);
    finish_command(store, &sent, reply);
}

/* Within a transaction. What is wrong with a key comes in EXEC's answer. */
static void on_queued(redisAsyncContext *redis, void *reply, void *arg)
{
    const redisReply *queued = reply;

    (void)arg;
    if (is_asked(redis) && queued != NULL && queued->type == REDIS_REPLY_ERROR)
        LOG(ERROR, "store_load_refused", KV("err", span_of_reply(queued)));
}

/* ---- commands ---- */

/* A command under construction; texts are borrowed. */
struct arguments {
    const char *values[ARGUMENTS_MAX];
    int count;
};

static void add(struct arguments *arguments, const char *value)
{
    assert(arguments->count < ARGUMENTS_MAX);
    arguments->values[arguments->count++] = value;
}

static const char *number_text(uint64_t number, char text[NUMBER_SIZE])
{
    (void)snprintf(text, NUMBER_SIZE, "%llu", (unsigned long long)number);
    return text;
}

static void send_arguments(struct store *store, const struct arguments *arguments, redisCallbackFn *callback,
                           void *arg)
{
    /* Fails only for a connection that is closing, which on_disconnect tells. */
    (void)redisAsyncCommandArgv(store->redis, callback, arg, arguments->count,
                                (const char **)arguments->values, NULL);
}

static void add_script(struct store *store, struct arguments *arguments, enum script script, const char *key)
{
    add(arguments, "EVALSHA");
    add(arguments, store->shas[script]);
    add(arguments, "1");
    add(arguments, key);
}

/* One transaction: a state that was true at one moment. Its answer is EXEC's. */
static void send_load(struct store *store)
{
    static const char *const hashes[] = { "players", "slots", "processes" };
    char key[KEY_SIZE];

    (void)redisAsyncCommand(store->redis, on_queued, NULL, "MULTI");
    for (size_t i = 0; i < STORAGE_COUNTERS; i++)
        (void)redisAsyncCommand(store->redis, on_queued, NULL, "GET %s", key_of(store, counter_keys[i], key));
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
        (void)redisAsyncCommand(store->redis, on_queued, NULL, "HGETALL %s", key_of(store, hashes[i], key));
    for (size_t i = 0; i < STORAGE_LISTS; i++)
        (void)redisAsyncCommand(store->redis, on_queued, NULL, "HGETALL %s",
                                key_of(store, list_keys[i], key));
    (void)redisAsyncCommand(store->redis, on_queued, NULL, "HGETALL %s", key_of(store, "game", key));
    (void)redisAsyncCommand(store->redis, on_queued, NULL, "HGETALL %s", key_of(store, "resources", key));
    (void)redisAsyncCommand(store->redis, on_reply, store, "EXEC");
}

static void send_record(struct store *store, const char *key, const struct record *record, bool is_delete)
{
    struct arguments arguments = { 0 };

    add(&arguments, is_delete ? "HDEL" : "HSET");
    add(&arguments, key);
    add(&arguments, record->field);
    if (!is_delete)
        add(&arguments, record->value);
    send_arguments(store, &arguments, on_reply, store);
}

static void send_reserve(struct store *store, const char *key, const struct storage_reserve *reserve)
{
    struct arguments arguments = { 0 };
    char floor[NUMBER_SIZE];
    char count[NUMBER_SIZE];

    add_script(store, &arguments, SCRIPT_RESERVE, key);
    add(&arguments, number_text(reserve->floor, floor));
    add(&arguments, number_text(reserve->count, count));
    send_arguments(store, &arguments, on_reply, store);
}

static void send_slot(struct store *store, const char *key, const struct stored_slot *slot)
{
    struct arguments arguments = { 0 };
    struct record record;
    char fence[NUMBER_SIZE];

    record_write_slot(&record, slot);
    add_script(store, &arguments, SCRIPT_SLOT, key);
    add(&arguments, record.field);
    add(&arguments, number_text(slot->fence, fence));
    add(&arguments, record.value);
    send_arguments(store, &arguments, on_reply, store);
}

static void send_ticket(struct store *store, const char *key, const struct storage_ticket *ticket)
{
    struct arguments arguments = { 0 };
    char user[2 * NUMBER_SIZE];
    char valid_ms[NUMBER_SIZE];

    (void)snprintf(user, sizeof user, "%u %u", ticket->user.id, ticket->user.token);
    add_script(store, &arguments, SCRIPT_TICKET, key);
    add(&arguments, user);
    add(&arguments, number_text(ticket->valid_ms, valid_ms));
    send_arguments(store, &arguments, on_reply, store);
}

static const char *ticket_key(const struct store *store, const struct storage_ticket *ticket,
                              char key[KEY_SIZE])
{
    int size = snprintf(key, KEY_SIZE, "%sticket:", store->prefix);

    for (size_t i = 0; i < STORAGE_TICKET_SIZE; i++)
        size += snprintf(key + size, KEY_SIZE - (size_t)size, "%02x", ticket->id[i]);
    return key;
}

/* As it is, or in place of all that was there. */
static void send_hset(struct store *store, const char *key, const char **values, int count, bool is_all)
{
    if (is_all) {
        (void)redisAsyncCommand(store->redis, on_queued, NULL, "MULTI");
        (void)redisAsyncCommand(store->redis, on_queued, NULL, "DEL %s", key);
    }
    (void)redisAsyncCommandArgv(store->redis, is_all ? on_queued : on_reply, store, count, values, NULL);
    if (is_all)
        (void)redisAsyncCommand(store->redis, on_reply, store, "EXEC");
}

/* All fields in one HSET: either all of them are there or none. */
static bool send_game(struct store *store, const char *key, const struct storage_game *game)
{
    size_t count = 2 + 2 * game->count;
    struct record *records = calloc(game->count, sizeof records[0]);
    const char **values = calloc(count, sizeof values[0]);
    bool is_sent = records != NULL && values != NULL;
    uint64_t wall_ms = clock_wall_ms();

    for (size_t i = 0; is_sent && i < game->count; i++) {
        record_write_game(&records[i], &game->entries[i], wall_ms);
        values[2 + 2 * i] = records[i].field;
        values[3 + 2 * i] = records[i].value;
    }
    if (is_sent) {
        values[0] = "HSET";
        values[1] = key;
        send_hset(store, key, values, (int)count, game->is_all);
    }
    free(records);
    free((void *)values);
    return is_sent;
}

/* Keys of resources may hold any bytes; what is logged of them is the resource. */
static void send_kv(struct store *store, const struct storage_kv *kv, char key[KEY_SIZE])
{
    static const char *const words[] = {
        "", [BUS__KV_ASK__OP__OP_GET] = "GET", [BUS__KV_ASK__OP__OP_SET] = "SET",
        [BUS__KV_ASK__OP__OP_INCR] = "INCRBY", [BUS__KV_ASK__OP__OP_DEL] = "DEL"
    };
    char whole[KEY_SIZE + GAME_RESOURCE_MAX + GAME_KV_KEY_MAX];
    uint8_t text[RECORD_KV_SIZE];
    const char *arguments[3] = { words[kv->op], whole, (const char *)text };
    size_t sizes[3] = { strlen(words[kv->op]) };
    int size = snprintf(whole, sizeof whole, "%skv:%s:", store->prefix, kv->resource);

    (void)snprintf(key, KEY_SIZE, "%skv:%.40s", store->prefix, kv->resource);
    memcpy(whole + size, kv->key.data, kv->key.size);
    sizes[1] = (size_t)size + kv->key.size;
    if (kv->op == BUS__KV_ASK__OP__OP_SET || kv->op == BUS__KV_ASK__OP__OP_INCR)
        sizes[2] = record_write_kv(&kv->value, text);
    (void)redisAsyncCommandArgv(store->redis, on_reply, store, sizes[2] > 0 ? 3 : 2, arguments, sizes);
}

/* False: no memory for it; nothing was sent. */
static bool send_command(struct store *store, const struct storage_command *command, char key[KEY_SIZE])
{
    struct record record;

    switch (command->kind) {
    case STORAGE_LOAD:
        (void)key_of(store, "", key);
        send_load(store);
        break;
    case STORAGE_RESERVE:
        send_reserve(store, key_of(store, counter_keys[command->reserve.counter], key), &command->reserve);
        break;
    case STORAGE_PLAYER:
        record_write_player(&record, &command->player);
        send_record(store, key_of(store, "players", key), &record, command->is_delete);
        break;
    case STORAGE_PROCESS:
        record_write_process(&record, &command->process);
        send_record(store, key_of(store, "processes", key), &record, command->is_delete);
        break;
    case STORAGE_WISH:
        record_write_wish(&record, &command->wish);
        send_record(store, key_of(store, "resources", key), &record, command->is_delete);
        break;
    case STORAGE_SLOT:
        send_slot(store, key_of(store, "slots", key), &command->slot);
        break;
    case STORAGE_BAN:
        record_write_ban(&record, &command->ban.ban, clock_wall_ms());
        send_record(store, key_of(store, list_keys[command->ban.list], key), &record, command->is_delete);
        break;
    case STORAGE_TICKET:
        send_ticket(store, ticket_key(store, &command->ticket, key), &command->ticket);
        break;
    case STORAGE_GAME:
        return send_game(store, key_of(store, "game", key), &command->game);
    case STORAGE_KV:
        send_kv(store, &command->kv, key);
        break;
    case STORAGE_KINDS:
        assert(false);
    }
    return true;
}

/* ---- connecting ---- */

static void on_greeted(redisAsyncContext *redis, void *reply, void *arg)
{
    struct store *store = arg;

    if (is_asked(redis) && reply != NULL && !expect(store, reply, REDIS_REPLY_STATUS, "AUTH")) {
        char why[ERROR_SIZE];

        memcpy(why, store->error, sizeof why);
        lose(store, why);
    }
}

static void on_script(redisAsyncContext *redis, void *reply, void *arg)
{
    struct store *store = arg;
    const redisReply *loaded = reply;
    char why[ERROR_SIZE];

    if (!is_asked(redis) || reply == NULL)
        return;
    if (!expect(store, loaded, REDIS_REPLY_STRING, "SCRIPT LOAD") || loaded->len != SHA_SIZE - 1) {
        memcpy(why, store->error, sizeof why);
        lose(store, why);
        return;
    }
    memcpy(store->shas[store->scripts_loaded % SCRIPTS], loaded->str, SHA_SIZE);
    store->scripts_loaded++;
    if (store->state != STORE_GREETING || store->scripts_loaded < SCRIPTS)
        return;
    set_state(store, STORE_UP);
    store->pause_ms = 0;
    LOG(INFO, "store_connected", KV("socket", store->socket), KV("host", store->host),
        KV("port", store->port));
    coordinator_store_up(store->coordinator, clock_ms());
}

static void load_scripts(struct store *store)
{
    for (size_t i = 0; i < SCRIPTS; i++)
        (void)redisAsyncCommand(store->redis, on_script, store, "SCRIPT LOAD %s", scripts[i]);
}

static void on_connect(const redisAsyncContext *redis, int status)
{
    struct store *store = redis->data;

    if (!is_asked(redis))
        return;
    if (status != REDIS_OK) {
        store->redis = NULL; /* hiredis frees it itself */
        lose(store, redis->errstr);
        return;
    }
    set_state(store, STORE_GREETING);
    store->scripts_loaded = 0;
    if (store->password[0] != '\0')
        (void)redisAsyncCommand(store->redis, on_greeted, store, "AUTH %s", store->password);
    load_scripts(store);
}

static void on_disconnect(const redisAsyncContext *redis, int status)
{
    struct store *store = redis->data;

    (void)status;
    if (!is_asked(redis))
        return;
    store->redis = NULL;
    lose(store, redis->err != 0 ? redis->errstr : "Redis has closed the connection");
}

static void connect_redis(struct store *store)
{
    redisAsyncContext *redis = store->socket[0] != '\0' ? redisAsyncConnectUnix(store->socket)
                                                        : redisAsyncConnect(store->host, store->port);
    char why[ERROR_SIZE] = "no memory";

    set_state(store, STORE_CONNECTING);
    if (redis == NULL || redis->err != 0) {
        if (redis != NULL) {
            (void)snprintf(why, sizeof why, "%s", redis->errstr);
            redisAsyncFree(redis);
        }
        lose(store, why);
        return;
    }
    redis->data = store;
    store->redis = redis;
    if (redisLibeventAttach(redis, store->base) != REDIS_OK ||
        redisAsyncSetConnectCallback(redis, on_connect) != REDIS_OK ||
        redisAsyncSetDisconnectCallback(redis, on_disconnect) != REDIS_OK)
        lose(store, why);
}

/* ---- life ---- */

struct store *store_open(const struct store_config *config, struct event_base *base,
                         struct coordinator *coordinator)
{
    struct store *store = calloc(1, sizeof *store);

    if (store == NULL)
        return NULL;
    assert(strlen(config->prefix) <= STORE_PREFIX_MAX);
    store->coordinator = coordinator;
    store->base = base;
    store->port = config->port;
    store->socket = strdup(config->socket);
    store->host = strdup(config->host);
    store->password = strdup(config->password);
    (void)snprintf(store->prefix, sizeof store->prefix, "%s:", config->prefix);
    if (store->socket == NULL || store->host == NULL || store->password == NULL ||
        ring_init(&store->under_way, sizeof(struct under_way), STORE_PIPELINE_MAX) != 0)
        store_close(&store);
    return store;
}

void store_close(struct store **store)
{
    struct store *closed = *store;
    redisAsyncContext *redis;

    if (closed == NULL)
        return;
    *store = NULL;
    redis = closed->redis;
    closed->redis = NULL;
    if (redis != NULL)
        redisAsyncFree(redis);
    ring_fini(&closed->under_way);
    free(closed->socket);
    free(closed->host);
    free(closed->password);
    free(closed);
}

static void send_commands(struct store *store, uint64_t now_ms)
{
    struct storage_command command;

    while (store->under_way.count < STORE_PIPELINE_MAX &&
           coordinator_take_command(store->coordinator, now_ms, &command)) {
        struct under_way *sent = ring_push(&store->under_way);

        assert(sent != NULL);
        sent->kind = command.kind;
        sent->op = command.kind == STORAGE_KV ? command.kv.op : BUS__KV_ASK__OP__OP_NONE;
        sent->is_transaction = command.kind == STORAGE_GAME && command.game.is_all;
        sent->sent_ms = now_ms;
        if (!send_command(store, &command, sent->key)) {
            lose(store, "no memory for a command");
            return;
        }
    }
}

void store_run(struct store *store, uint64_t now_ms)
{
    const struct under_way *oldest = ring_oldest(&store->under_way);

    switch (store->state) {
    case STORE_AWAY:
        if (now_ms >= store->since_ms + store->pause_ms)
            connect_redis(store);
        break;
    case STORE_CONNECTING:
    case STORE_GREETING:
        if (now_ms >= store->since_ms + STORE_ANSWER_MS)
            lose(store, "Redis does not answer");
        break;
    case STORE_UP:
        if (oldest != NULL && now_ms >= oldest->sent_ms + STORE_ANSWER_MS)
            lose(store, "Redis does not answer");
        else
            send_commands(store, now_ms);
        break;
    }
}
