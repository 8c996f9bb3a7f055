#include "tests/unit/coordinator_hall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "coordinator/record.h"

/* ---- Redis ---- */

static void reserve(struct hall_redis *redis, const struct storage_reserve *reserve,
                    struct storage_result *result)
{
    uint64_t *counter = &redis->counters[reserve->counter];

    if (*counter < reserve->floor)
        *counter = reserve->floor;
    result->number = *counter + 1;
    *counter += reserve->count;
}

static void store_process(struct hall_redis *redis, const struct storage_command *command)
{
    size_t i = 0;

    while (i < redis->processes_count && strcmp(redis->processes[i].name, command->process.name) != 0)
        i++;
    if (command->is_delete && i < redis->processes_count)
        redis->processes[i] = redis->processes[--redis->processes_count];
    if (command->is_delete)
        return;
    ck_assert_uint_lt(i, sizeof redis->processes / sizeof redis->processes[0]);
    redis->processes[i] = command->process;
    redis->processes_count += i == redis->processes_count;
}

static void store_wish(struct hall_redis *redis, const struct storage_command *command)
{
    size_t i = 0;

    while (i < redis->wishes_count && strcmp(redis->wishes[i].name, command->wish.name) != 0)
        i++;
    if (command->is_delete && i < redis->wishes_count)
        redis->wishes[i] = redis->wishes[--redis->wishes_count];
    if (command->is_delete)
        return;
    ck_assert_uint_lt(i, sizeof redis->wishes / sizeof redis->wishes[0]);
    redis->wishes[i] = command->wish;
    redis->wishes_count += i == redis->wishes_count;
}

static void store_ban(struct hall_redis *redis, const struct storage_command *command)
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
    ck_assert_uint_lt(i, HALL_BANS);
    bans[i] = command->ban.ban;
    redis->bans_count[list] += i == redis->bans_count[list];
}

/* Only over a lower fence; what is there already, by the same owner, was written by a try before. */
static void store_slot(struct hall_redis *redis, const struct stored_slot *slot,
                       struct storage_result *result)
{
    struct stored_slot *found = &redis->slots[slot->slot];
    bool is_same = found->boot == slot->boot && strcmp(found->shard, slot->shard) == 0;

    if (found->fence < slot->fence)
        *found = *slot;
    else if (found->fence == slot->fence && !is_same)
        result->number = found->fence + 1;
    if (result->number == 0)
        result->number = found->fence;
}

static void use_ticket(struct hall_redis *redis, const struct storage_ticket *ticket,
                       struct storage_result *result)
{
    for (size_t i = 0; i < redis->tickets_count; i++) {
        const struct hall_ticket *used = &redis->tickets[i];

        if (memcmp(used->id, ticket->id, sizeof used->id) != 0)
            continue;
        result->number = used->user.id == ticket->user.id && used->user.token == ticket->user.token;
        return;
    }
    ck_assert_uint_lt(redis->tickets_count, HALL_TICKETS);
    memcpy(redis->tickets[redis->tickets_count].id, ticket->id, sizeof ticket->id);
    redis->tickets[redis->tickets_count++].user = ticket->user;
    result->number = 1;
}

static size_t game_place(const struct hall_redis *redis, const char *field)
{
    size_t i = 0;

    for (; i < redis->game_count; i++) {
        struct record found;

        record_write_game(&found, &redis->game[i], 0);
        if (strcmp(found.field, field) == 0)
            break;
    }
    return i;
}

static void store_game(struct hall_redis *redis, const struct storage_game *game)
{
    if (game->is_all)
        redis->game_count = 0;
    for (size_t i = 0; i < game->count; i++) {
        struct record record;
        size_t at;

        record_write_game(&record, &game->entries[i], 0);
        at = game_place(redis, record.field);
        ck_assert_uint_lt(at, HALL_GAME);
        redis->game[at] = game->entries[i];
        redis->game_count += at == redis->game_count;
    }
}

const struct stored_game *hall_stored_game(const struct hall *hall, const char *field)
{
    size_t at = game_place(&hall->redis, field);

    return at < hall->redis.game_count ? &hall->redis.game[at] : NULL;
}

static void keep_value(struct hall_kv *entry, const struct kv_value *value)
{
    entry->value = *value;
    ck_assert_uint_le(value->bytes.size, sizeof entry->bytes);
    if (value->bytes.size > 0)
        memcpy(entry->bytes, value->bytes.data, value->bytes.size);
    entry->value.bytes.data = entry->bytes;
}

static void do_kv(struct hall_redis *redis, const struct storage_kv *kv, struct storage_result *result)
{
    char key[64];
    size_t at = 0;

    (void)snprintf(key, sizeof key, "%s:%.*s", kv->resource, (int)kv->key.size, (const char *)kv->key.data);
    while (at < redis->kv_count && strcmp(redis->kv[at].key, key) != 0)
        at++;
    ck_assert_uint_lt(at, HALL_KEYS);
    if (at == redis->kv_count && kv->op != BUS__KV_ASK__OP__OP_GET && kv->op != BUS__KV_ASK__OP__OP_DEL) {
        redis->kv[redis->kv_count++] = (struct hall_kv){ .value = { .is_number = true } };
        memcpy(redis->kv[at].key, key, sizeof key);
    }
    switch ((int)kv->op) {
    case BUS__KV_ASK__OP__OP_GET:
        result->has_value = at < redis->kv_count;
        break;
    case BUS__KV_ASK__OP__OP_SET:
        keep_value(&redis->kv[at], &kv->value);
        break;
    case BUS__KV_ASK__OP__OP_INCR:
        result->is_ok = redis->kv[at].value.is_number;
        result->error = "not a number";
        redis->kv[at].value.number += result->is_ok ? kv->value.number : 0;
        result->has_value = result->is_ok;
        break;
    case BUS__KV_ASK__OP__OP_DEL:
        if (at < redis->kv_count)
            redis->kv[at] = redis->kv[--redis->kv_count];
        break;
    default:
        ck_abort_msg("no such operation");
    }
    if (result->has_value)
        result->value = redis->kv[at].value;
}

static void answer_load(struct hall *hall)
{
    struct hall_redis *redis = &hall->redis;
    struct stored_player *players = calloc(DIRECTORY_IDS, sizeof *players);
    struct stored_slot slots[8];
    struct storage_loaded loaded = { .players = players, .slots = slots };

    ck_assert_ptr_nonnull(players);
    memcpy(loaded.counters, redis->counters, sizeof loaded.counters);
    for (uint32_t i = 0; i < DIRECTORY_IDS; i++) {
        if (redis->players[i].ref.token != 0)
            players[loaded.players_count++] = redis->players[i];
    }
    for (uint32_t i = 0; i < 8; i++) {
        if (redis->slots[i].fence != 0)
            slots[loaded.slots_count++] = redis->slots[i];
    }
    loaded.processes = redis->processes;
    loaded.processes_count = redis->processes_count;
    for (int i = 0; i < STORAGE_LISTS; i++) {
        loaded.bans[i] = redis->bans[i];
        loaded.bans_count[i] = redis->bans_count[i];
    }
    loaded.game = redis->game;
    loaded.game_count = redis->game_count;
    loaded.wishes = redis->wishes;
    loaded.wishes_count = redis->wishes_count;
    coordinator_on_store(hall->coordinator, hall->now_ms,
                         &(struct storage_result){ .is_ok = true, .loaded = &loaded });
    free(players);
}

static void answer(struct hall *hall, const struct storage_command *command)
{
    struct hall_redis *redis = &hall->redis;
    struct storage_result result = { .is_ok = true };

    redis->commands[command->kind]++;
    if (redis->is_wrong) {
        result = (struct storage_result){ .error = "dlmp:slots is of the wrong type" };
    } else if (command->kind == STORAGE_LOAD) {
        answer_load(hall);
        return;
    } else if (command->kind == STORAGE_RESERVE) {
        reserve(redis, &command->reserve, &result);
    } else if (command->kind == STORAGE_PLAYER) {
        redis->players[command->player.ref.id] =
            command->is_delete ? (struct stored_player){ 0 } : command->player;
    } else if (command->kind == STORAGE_PROCESS) {
        store_process(redis, command);
    } else if (command->kind == STORAGE_WISH) {
        store_wish(redis, command);
    } else if (command->kind == STORAGE_SLOT) {
        store_slot(redis, &command->slot, &result);
    } else if (command->kind == STORAGE_BAN) {
        store_ban(redis, command);
    } else if (command->kind == STORAGE_TICKET) {
        use_ticket(redis, &command->ticket, &result);
    } else if (command->kind == STORAGE_GAME) {
        store_game(redis, &command->game);
    } else if (command->kind == STORAGE_KV) {
        do_kv(redis, &command->kv, &result);
    }
    coordinator_on_store(hall->coordinator, hall->now_ms, &result);
}

void hall_pump(struct hall *hall)
{
    struct storage_command command;

    while (hall->redis.is_up && !hall->redis.is_slow &&
           coordinator_take_command(hall->coordinator, hall->now_ms, &command))
        answer(hall, &command);
    coordinator_check(hall->coordinator);
}

void hall_redis_up(struct hall *hall)
{
    hall->redis.is_up = true;
    coordinator_store_up(hall->coordinator, hall->now_ms);
    hall_pump(hall);
}

void hall_redis_down(struct hall *hall)
{
    hall->redis.is_up = false;
    coordinator_store_down(hall->coordinator, hall->now_ms);
    coordinator_check(hall->coordinator);
}

/* ---- life and time ---- */

static struct coordinator_spawn spawns[] = {
    { .x = 1, .virtual_world = 0, .skin = 7 },
    { .x = 2, .virtual_world = 1, .interior = 3, .heading = 90 },
};

static char server_name[] = "test";
static char nothing[] = "";

void hall_start_alone(struct hall *hall)
{
    *hall = (struct hall){ .now_ms = UINT64_C(0x100000000) - 60 * 1000 };
    hall->settings = (struct cluster_settings){ .name = server_name,
                                                .gamemode = nothing,
                                                .language = nothing,
                                                .password = nothing,
                                                .max_players = 1000,
                                                .heartbeat_ms = 100,
                                                .connections_per_address = 8 };
    hall->config = (struct coordinator_config){
        .name = "coordinator", .slots = 2, .spawns = spawns, .spawns_count = 2, .settings = &hall->settings
    };
    hall->redis.players = calloc(DIRECTORY_IDS, sizeof hall->redis.players[0]);
    ck_assert_ptr_nonnull(hall->redis.players);
    hall->redis.game = calloc(HALL_GAME, sizeof hall->redis.game[0]);
    ck_assert_ptr_nonnull(hall->redis.game);
    hall->coordinator = coordinator_new(&hall->config, hall->now_ms);
    ck_assert_ptr_nonnull(hall->coordinator);
}

void hall_start(struct hall *hall)
{
    hall_start_alone(hall);
    hall_redis_up(hall);
    hall_gateway_up(hall, HALL_GATEWAY_1, "gateway-1", 101);
    hall_gateway_up(hall, HALL_GATEWAY_2, "gateway-2", 102);
    hall_gateway_state(hall, HALL_GATEWAY_1, NULL, 0);
    hall_gateway_state(hall, HALL_GATEWAY_2, NULL, 0);
    hall_shard_up(hall, HALL_SHARD_1, "shard-1", 111);
    hall_shard_up(hall, HALL_SHARD_2, "shard-2", 112);
    hall_pass(hall, COORDINATOR_SETTLE_MS + 500);
    ck_assert_msg(coordinator_unready(hall->coordinator) == NULL, "%s",
                  coordinator_unready(hall->coordinator));
    hall_forget(hall);
}

void hall_stop(struct hall *hall)
{
    coordinator_free(&hall->coordinator);
    free(hall->redis.players);
    free(hall->redis.game);
}

void hall_restart(struct hall *hall)
{
    coordinator_free(&hall->coordinator);
    hall->redis.is_up = false;
    hall->coordinator = coordinator_new(&hall->config, hall->now_ms);
    ck_assert_ptr_nonnull(hall->coordinator);
}

void hall_pass(struct hall *hall, uint64_t ms)
{
    uint64_t end_ms = hall->now_ms + ms;

    while (coordinator_wakes_at(hall->coordinator) <= end_ms) {
        if (coordinator_wakes_at(hall->coordinator) > hall->now_ms)
            hall->now_ms = coordinator_wakes_at(hall->coordinator);
        coordinator_tick(hall->coordinator, hall->now_ms);
        hall_pump(hall);
    }
    hall->now_ms = end_ms;
    coordinator_tick(hall->coordinator, hall->now_ms);
    hall_pump(hall);
}

void hall_forget(struct hall *hall)
{
    outbox_clear(coordinator_outbox(hall->coordinator));
}

/* ---- peers ---- */

void hall_item(struct hall *hall, uint16_t peer, const Bus__Item *item)
{
    coordinator_on_item(hall->coordinator, hall->now_ms, peer, item);
    hall_pump(hall);
}

void hall_gateway_up(struct hall *hall, uint16_t peer, const char *name, uint64_t boot)
{
    coordinator_peer_up(hall->coordinator, hall->now_ms, peer, BUS__ROLE__ROLE_GATEWAY, name, boot);
    hall_pump(hall);
}

void hall_shard_up(struct hall *hall, uint16_t peer, const char *name, uint64_t boot)
{
    coordinator_peer_up(hall->coordinator, hall->now_ms, peer, BUS__ROLE__ROLE_SHARD, name, boot);
    hall_shard_state(hall, peer, 0, 0);
}

void hall_down(struct hall *hall, uint16_t peer)
{
    coordinator_peer_down(hall->coordinator, hall->now_ms, peer);
    hall_pump(hall);
}

void hall_shard_state(struct hall *hall, uint16_t peer, uint64_t highest_token, uint32_t highest_vehicle)
{
    Bus__ShardState state = BUS__SHARD_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char endpoint[] = "ipc://shard";

    state.bus_endpoint = endpoint;
    state.highest_player_token = highest_token;
    state.highest_vehicle_id = highest_vehicle;
    item.item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item.shard_state = &state;
    hall_item(hall, peer, &item);
}

/* A copy that lives for a while: the bus' structs have no const. */
static char *name_copy(const char *name)
{
    static char names[32][64];
    static size_t next;
    char *copy = names[next++ % 32];

    (void)snprintf(copy, sizeof names[0], "%s", name);
    return copy;
}

static ProtobufCBinaryData ip_bytes(const char *text)
{
    static struct address addresses[8];
    static size_t next;
    struct address *address = &addresses[next++ % 8];

    ck_assert(address_parse(address, text, 0));
    return (ProtobufCBinaryData){ .len = sizeof address->ip, .data = address->ip };
}

void hall_gateway_state(struct hall *hall, uint16_t peer, const struct hall_player *players, size_t count)
{
    Bus__GatewayState state = BUS__GATEWAY_STATE__INIT;
    Bus__GatewayPlayer listed[16];
    Bus__GatewayPlayer *list[16];
    Bus__Player refs[16];
    Bus__Item item = BUS__ITEM__INIT;
    char shard[] = "shard-1";

    ck_assert_uint_le(count, 16);
    for (size_t i = 0; i < count; i++) {
        bus__player__init(&refs[i]);
        refs[i].id = players[i].ref.id;
        refs[i].token = players[i].ref.token;
        bus__gateway_player__init(&listed[i]);
        listed[i].player = &refs[i];
        listed[i].fence = 1;
        listed[i].name = name_copy(players[i].name);
        listed[i].shard = shard;
        listed[i].address = ip_bytes("10.0.0.1");
        list[i] = &listed[i];
    }
    state.players = list;
    state.n_players = count;
    state.connections = (uint32_t)count;
    item.item_case = BUS__ITEM__ITEM_GATEWAY_STATE;
    item.gateway_state = &state;
    hall_item(hall, peer, &item);
}

/* ---- players ---- */

Bus__JoinRequest hall_request(struct hall *hall, const char *name, const char *ip)
{
    Bus__JoinRequest request = BUS__JOIN_REQUEST__INIT;

    request.request = ++hall->request;
    request.name = name_copy(name);
    request.name_valid = true;
    request.password_valid = true;
    request.address = ip_bytes(ip);
    return request;
}

void hall_ask(struct hall *hall, uint16_t peer, const Bus__JoinRequest *request)
{
    Bus__Item item = BUS__ITEM__INIT;
    Bus__JoinRequest copy = *request;

    item.item_case = BUS__ITEM__ITEM_JOIN_REQUEST;
    item.join_request = &copy;
    hall_item(hall, peer, &item);
}

const Bus__JoinAnswer *hall_try(struct hall *hall, uint16_t peer, const Bus__JoinRequest *request)
{
    hall_ask(hall, peer, request);
    return hall_answer(hall, peer, request->request);
}

struct member_ref hall_join(struct hall *hall, uint16_t peer, const char *name, const char *ip)
{
    Bus__JoinRequest request = hall_request(hall, name, ip);
    const Bus__JoinAnswer *joined = hall_try(hall, peer, &request);

    ck_assert_ptr_nonnull(joined);
    ck_assert_uint_eq(joined->reject, 0);
    ck_assert_ptr_nonnull(joined->player);
    return (struct member_ref){ joined->player->id, joined->player->token };
}

void hall_leave(struct hall *hall, uint16_t peer, struct member_ref ref, uint32_t reason)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = ref.id;
    player.token = ref.token;
    left.player = &player;
    left.reason = reason;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    item.player_left = &left;
    hall_item(hall, peer, &item);
}

void hall_displaced(struct hall *hall, uint16_t peer, struct member_ref ref, bool gone)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Displaced displaced = BUS__DISPLACED__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = ref.id;
    player.token = ref.token;
    displaced.player = &player;
    displaced.gone = gone;
    item.item_case = BUS__ITEM__ITEM_DISPLACED;
    item.displaced = &displaced;
    hall_item(hall, peer, &item);
}

void hall_ticket(struct hall *hall, uint16_t peer, struct member_ref ref, uint8_t ticket, uint64_t account_id)
{
    uint8_t id[STORAGE_TICKET_SIZE] = { ticket, 1 };
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__TicketUse use = BUS__TICKET_USE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = ref.id;
    player.token = ref.token;
    use.request = ++hall->request;
    use.player = &player;
    use.ticket_id = (ProtobufCBinaryData){ .len = sizeof id, .data = id };
    use.valid_ms = 60 * 1000;
    use.account_id = account_id;
    item.item_case = BUS__ITEM__ITEM_TICKET_USE;
    item.ticket_use = &use;
    hall_item(hall, peer, &item);
}

/* ---- what it said ---- */

const Bus__Item *hall_last(const struct hall *hall, uint16_t peer, Bus__Item__ItemCase item_case)
{
    const struct outbox *outbox = coordinator_outbox(hall->coordinator);

    for (size_t i = outbox->count; i-- > 0;) {
        if (outbox->entries[i].peer == peer && outbox->entries[i].item->item_case == item_case)
            return outbox->entries[i].item;
    }
    return NULL;
}

size_t hall_count(const struct hall *hall, uint16_t peer, Bus__Item__ItemCase item_case)
{
    const struct outbox *outbox = coordinator_outbox(hall->coordinator);
    size_t count = 0;

    for (size_t i = 0; i < outbox->count; i++)
        count += outbox->entries[i].peer == peer && outbox->entries[i].item->item_case == item_case;
    return count;
}

const Bus__JoinAnswer *hall_answer(const struct hall *hall, uint16_t peer, uint64_t request)
{
    const struct outbox *outbox = coordinator_outbox(hall->coordinator);

    for (size_t i = outbox->count; i-- > 0;) {
        const Bus__Item *item = outbox->entries[i].item;

        if (outbox->entries[i].peer == peer && item->item_case == BUS__ITEM__ITEM_JOIN_ANSWER &&
            item->join_answer->request == request)
            return item->join_answer;
    }
    return NULL;
}

static const Bus__Slot *slot_of(const struct hall *hall, uint32_t slot)
{
    const struct outbox *outbox = coordinator_outbox(hall->coordinator);

    for (size_t i = outbox->count; i-- > 0;) {
        const Bus__Item *item = outbox->entries[i].item;

        if (item->item_case == BUS__ITEM__ITEM_MAP && slot < item->map->n_slots)
            return item->map->slots[slot];
    }
    return NULL;
}

const char *hall_owner(const struct hall *hall, uint32_t slot)
{
    const Bus__Slot *found = slot_of(hall, slot);

    return found == NULL ? "no map" : found->shard;
}

uint64_t hall_fence(const struct hall *hall, uint32_t slot)
{
    const Bus__Slot *found = slot_of(hall, slot);

    return found == NULL ? 0 : found->fence;
}
