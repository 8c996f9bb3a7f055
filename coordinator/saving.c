#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "coordinator/record.h"
#include "coordinator/state.h"
#include "proto/link.h"

/* ---- what waits to be stored ---- */

static bool push(struct coordinator *coordinator, const struct storage_key *key)
{
    if (storage_push(&coordinator->storage, key))
        return true;
    coordinator->unsaved++;
    return false;
}

void save_player(struct coordinator *coordinator, uint32_t id)
{
    (void)push(coordinator, &(struct storage_key){ .kind = STORAGE_PLAYER, .player_id = id });
}

void save_process(struct coordinator *coordinator, const char *name)
{
    struct storage_key key = { .kind = STORAGE_PROCESS };

    (void)snprintf(key.process, sizeof key.process, "%s", name);
    (void)push(coordinator, &key);
}

void save_ban(struct coordinator *coordinator, enum storage_list list, const struct ban_subject *subject)
{
    (void)push(coordinator, &(struct storage_key){ .kind = STORAGE_BAN, .ban = { list, *subject } });
}

void save_wish(struct coordinator *coordinator, const char *resource)
{
    struct storage_key key = { .kind = STORAGE_WISH };

    (void)snprintf(key.resource, sizeof key.resource, "%s", resource);
    (void)push(coordinator, &key);
}

bool save_slot(struct coordinator *coordinator, uint32_t slot, uint64_t fence)
{
    return push(coordinator, &(struct storage_key){ .kind = STORAGE_SLOT, .slot = { slot, fence } });
}

void save_game(struct coordinator *coordinator, const struct storage_game_key *game)
{
    (void)push(coordinator, &(struct storage_key){ .kind = STORAGE_GAME, .game = *game });
}

bool save_kv(struct coordinator *coordinator, struct pool_ref ref)
{
    return storage_push(&coordinator->storage, &(struct storage_key){ .kind = STORAGE_KV, .kv = ref });
}

bool save_ticket(struct coordinator *coordinator, const uint8_t id[STORAGE_TICKET_SIZE])
{
    struct storage_key key = { .kind = STORAGE_TICKET };

    memcpy(key.ticket, id, sizeof key.ticket);
    return push(coordinator, &key);
}

/* ---- as it stands now ---- */

static const char *name_of(const struct coordinator *coordinator, uint16_t place)
{
    return place == PROCESS_NONE ? "" : coordinator->registry.processes[place].name;
}

static struct stored_player player_as_stored(const struct coordinator *coordinator,
                                             const struct member *member)
{
    struct stored_player stored = { .ref = member->ref,
                                    .fence = member->fence,
                                    .account_id = member->account_id };

    (void)snprintf(stored.gateway, sizeof stored.gateway, "%s", name_of(coordinator, member->gateway));
    (void)snprintf(stored.shard, sizeof stored.shard, "%s", name_of(coordinator, member->shard));
    memcpy(stored.ip, member->ip, sizeof stored.ip);
    memcpy(stored.name, member->name, sizeof stored.name);
    return stored;
}

static struct stored_process process_as_stored(const struct process *process)
{
    struct stored_process stored = { .role = process->role, .boot = process->boot };

    memcpy(stored.name, process->name, sizeof stored.name);
    return stored;
}

static struct stored_slot slot_as_stored(const struct coordinator *coordinator, uint32_t index,
                                         uint64_t fence)
{
    const struct slot *slot = &coordinator->ownership.slots[index];
    struct stored_slot stored = { .slot = index, .fence = fence };
    uint16_t owner = PROCESS_NONE;

    if (slot->state == SLOT_CLAIMED && slot->tried == fence)
        owner = slot->claimant;
    else if (slot->state == SLOT_OWNED && slot->fence == fence)
        owner = slot->owner;
    if (owner == PROCESS_NONE)
        return stored; /* not wanted any more; the fence is used up all the same */
    (void)snprintf(stored.shard, sizeof stored.shard, "%s", name_of(coordinator, owner));
    stored.boot = coordinator->registry.processes[owner].boot;
    return stored;
}

static struct stored_ban ban_as_stored(const struct ban *ban, uint64_t now_ms)
{
    struct stored_ban stored = { .subject = ban->subject, .left_ms = BAN_FOREVER };

    if (ban->expires_ms != BAN_FOREVER)
        stored.left_ms = ban->expires_ms > now_ms ? ban->expires_ms - now_ms : 0;
    memcpy(stored.text, ban->text, sizeof stored.text);
    return stored;
}

/* Who is expected to be there after a restart. */
static bool is_stored(const struct process *process)
{
    return process->state == PROCESS_UP || process->state == PROCESS_LOST;
}

/* ---- commands ---- */

static void fill_player(const struct coordinator *coordinator, struct storage_command *command, uint32_t id)
{
    const struct member *member = directory_find_id(&coordinator->directory, id);

    command->is_delete = member == NULL;
    command->player.ref.id = id;
    if (member != NULL)
        command->player = player_as_stored(coordinator, member);
}

static void fill_process(const struct coordinator *coordinator, struct storage_command *command,
                         const char *name)
{
    uint16_t place = registry_find(&coordinator->registry, name);

    command->is_delete = place == PROCESS_NONE || !is_stored(&coordinator->registry.processes[place]);
    if (command->is_delete)
        (void)snprintf(command->process.name, sizeof command->process.name, "%s", name);
    else
        command->process = process_as_stored(&coordinator->registry.processes[place]);
}

static void fill_ban(const struct coordinator *coordinator, struct storage_command *command,
                     const struct storage_ban_key *key)
{
    const struct ban *ban = ban_list_find(&coordinator->lists[key->list], &key->subject);

    command->is_delete = ban == NULL || ban->is_fixed;
    command->ban.list = key->list;
    command->ban.ban.subject = key->subject;
    if (!command->is_delete)
        command->ban.ban = ban_as_stored(ban, coordinator->now_ms);
}

static void fill_ticket(const struct coordinator *coordinator, struct storage_command *command,
                        const uint8_t id[STORAGE_TICKET_SIZE])
{
    const struct used_ticket *ticket = tickets_find(&coordinator->tickets, id);

    memcpy(command->ticket.id, id, sizeof command->ticket.id);
    command->ticket.valid_ms = 1;
    if (ticket == NULL)
        return; /* expired meanwhile: whoever it was for, it is used up */
    command->ticket.user = ticket->user;
    if (ticket->expires_ms > coordinator->now_ms)
        command->ticket.valid_ms = ticket->expires_ms - coordinator->now_ms;
}

bool coordinator_take_command(struct coordinator *coordinator, uint64_t now_ms,
                              struct storage_command *command)
{
    const struct storage_key *key = storage_take(&coordinator->storage);
    const struct counter *counter;

    if (key == NULL)
        return false;
    if (now_ms > coordinator->now_ms)
        coordinator->now_ms = now_ms;
    *command = (struct storage_command){ .kind = key->kind };
    switch (key->kind) {
    case STORAGE_LOAD:
        break;
    case STORAGE_RESERVE:
        counter = &coordinator->counters[key->counter];
        command->reserve = (struct storage_reserve){ key->counter, counter_floor(counter), counter->block };
        break;
    case STORAGE_PLAYER:
        fill_player(coordinator, command, key->player_id);
        break;
    case STORAGE_PROCESS:
        fill_process(coordinator, command, key->process);
        break;
    case STORAGE_SLOT:
        command->slot = slot_as_stored(coordinator, key->slot.slot, key->slot.fence);
        break;
    case STORAGE_BAN:
        fill_ban(coordinator, command, &key->ban);
        break;
    case STORAGE_TICKET:
        fill_ticket(coordinator, command, key->ticket);
        break;
    case STORAGE_GAME:
        game_fill(coordinator, &key->game, &command->game);
        break;
    case STORAGE_WISH:
        command->is_delete = !resources_fill(coordinator, key->resource, &command->wish);
        break;
    case STORAGE_KV:
        kv_fill(coordinator, key->kv, &command->kv);
        break;
    case STORAGE_KINDS:
        assert(false);
    }
    return true;
}

/* ---- loading: the first time ---- */

static void restore_processes(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    for (size_t i = 0; i < loaded->processes_count; i++) {
        const struct stored_process *stored = &loaded->processes[i];
        uint16_t place = registry_place(&coordinator->registry, stored->role, stored->name);
        struct process *process = place == PROCESS_NONE ? NULL : process_at(coordinator, place);

        if (process == NULL || process->state != PROCESS_GONE)
            continue; /* it is here already */
        process->state = PROCESS_LOST;
        process->is_remembered = true;
        process->boot = stored->boot;
        process->since_ms = coordinator->now_ms;
    }
}

static void restore_slots(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    for (size_t i = 0; i < loaded->slots_count; i++) {
        const struct stored_slot *stored = &loaded->slots[i];
        uint16_t owner =
            stored->shard[0] == '\0' ? PROCESS_NONE : registry_find(&coordinator->registry, stored->shard);

        if (stored->slot >= coordinator->ownership.count)
            continue; /* there were more of them once */
        /* A shard that has started anew since has nothing of its former life, and gets a new fence. One that
         * has only given up its link to the coordinator before has everything. */
        if (owner != PROCESS_NONE &&
            (coordinator->registry.processes[owner].role != BUS__ROLE__ROLE_SHARD ||
             !link_is_same_process(coordinator->registry.processes[owner].boot, stored->boot)))
            owner = PROCESS_NONE;
        ownership_restore(&coordinator->ownership, stored->slot, owner, stored->fence);
    }
}

static void restore_bans(struct coordinator *coordinator, const struct storage_loaded *loaded,
                         enum storage_list list)
{
    for (size_t i = 0; i < loaded->bans_count[list]; i++) {
        const struct stored_ban *stored = &loaded->bans[list][i];
        uint64_t expires_ms =
            stored->left_ms == BAN_FOREVER ? BAN_FOREVER : coordinator->now_ms + stored->left_ms;

        if (ban_list_add(&coordinator->lists[list], &stored->subject, expires_ms, stored->text) == NULL)
            LOG(WARN, "ban_left_out", KV("list", (int)list),
                KV("count", ban_list_count(&coordinator->lists[list])));
    }
}

static void restore(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    restore_bans(coordinator, loaded, STORAGE_BANNED);
    restore_bans(coordinator, loaded, STORAGE_ALLOWED);
    restore_processes(coordinator, loaded);
    restore_slots(coordinator, loaded);
    for (size_t i = 0; i < loaded->players_count; i++) {
        counter_see(&coordinator->counters[STORAGE_TOKENS], loaded->players[i].ref.token);
        people_restore(coordinator, &loaded->players[i]);
    }
    game_restore(coordinator, loaded);
    resources_restore(coordinator, loaded);
    coordinator->is_loaded = true;
    coordinator->phase = PHASE_SETTLING;
    LOG(INFO, "state_loaded", KV("players", loaded->players_count), KV("slots", loaded->slots_count),
        KV("processes", loaded->processes_count), KV("bans", loaded->bans_count[STORAGE_BANNED]),
        KV("unreadable", loaded->unreadable));
}

/* ---- loading: what differs is written ---- */

static void compare_players(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    for (size_t i = 0; i < loaded->players_count; i++) {
        const struct stored_player *stored = &loaded->players[i];
        struct member *member = directory_find_id(&coordinator->directory, stored->ref.id);
        struct stored_player now;
        struct record was;
        struct record is;

        if (member == NULL) {
            if (!directory_is_cooling(&coordinator->directory, stored->ref))
                save_player(coordinator, stored->ref.id);
            continue;
        }
        now = player_as_stored(coordinator, member);
        record_write_player(&was, stored);
        record_write_player(&is, &now);
        if (strcmp(was.value, is.value) == 0)
            member->compared = coordinator->compares;
    }
    for (const struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        if (member->compared != coordinator->compares)
            save_player(coordinator, member->ref.id);
    }
}

static void compare_processes(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    struct registry *registry = &coordinator->registry;

    for (size_t i = 0; i < loaded->processes_count; i++) {
        const struct stored_process *stored = &loaded->processes[i];
        uint16_t place = registry_find(registry, stored->name);
        struct process *process = place == PROCESS_NONE ? NULL : process_at(coordinator, place);

        if (process == NULL || !is_stored(process))
            save_process(coordinator, stored->name);
        else if (process->boot == stored->boot && process->role == stored->role)
            process->compared = coordinator->compares;
    }
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        if (is_stored(&registry->processes[i]) && registry->processes[i].compared != coordinator->compares)
            save_process(coordinator, registry->processes[i].name);
    }
}

static void compare_slots(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    struct ownership *ownership = &coordinator->ownership;
    uint64_t found[SLOTS_MAX] = { 0 };

    for (size_t i = 0; i < loaded->slots_count; i++) {
        if (loaded->slots[i].slot < ownership->count)
            found[loaded->slots[i].slot] = loaded->slots[i].fence;
    }
    for (uint32_t i = 0; i < ownership->count; i++) {
        const struct slot *slot = &ownership->slots[i];

        if (found[i] > slot->tried) {
            LOG(WARN, "slot_overtaken", KV("slot", i), KV("fence", slot->fence), KV("found", found[i]));
            ownership_overtake(ownership, i, found[i]);
            coordinator->is_map_due = true;
        } else if (slot->state == SLOT_OWNED && found[i] < slot->fence) {
            (void)save_slot(coordinator, i, slot->fence);
        }
    }
}

/* Redis keeps the wall clock's time, which may have been set since. */
static bool ends_alike(const struct coordinator *coordinator, const struct ban *ban,
                       const struct stored_ban *stored)
{
    uint64_t left_ms = ban_as_stored(ban, coordinator->now_ms).left_ms;
    uint64_t apart_ms = left_ms > stored->left_ms ? left_ms - stored->left_ms : stored->left_ms - left_ms;

    return apart_ms <= BAN_END_TOLERANCE_MS;
}

static void compare_bans(struct coordinator *coordinator, const struct storage_loaded *loaded,
                         enum storage_list list)
{
    struct ban_list *bans = &coordinator->lists[list];

    for (size_t i = 0; i < loaded->bans_count[list]; i++) {
        const struct stored_ban *stored = &loaded->bans[list][i];
        struct ban *ban = ban_list_find(bans, &stored->subject);

        if (ban == NULL || ban->is_fixed)
            save_ban(coordinator, list, &stored->subject);
        else if (strcmp(ban->text, stored->text) == 0 && ends_alike(coordinator, ban, stored))
            ban->compared = coordinator->compares;
    }

    const struct ban *ban;

    for (uint32_t at = 0; (ban = ban_list_next(bans, &at)) != NULL; at++) {
        if (!ban->is_fixed && ban->compared != coordinator->compares)
            save_ban(coordinator, list, &ban->subject);
    }
}

static void compare(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    const struct used_ticket *ticket;

    coordinator->compares++;
    compare_bans(coordinator, loaded, STORAGE_BANNED);
    compare_bans(coordinator, loaded, STORAGE_ALLOWED);
    compare_processes(coordinator, loaded);
    compare_slots(coordinator, loaded);
    compare_players(coordinator, loaded);
    game_compare(coordinator, loaded);
    resources_compare(coordinator, loaded);
    for (uint32_t at = 0; (ticket = tickets_next(&coordinator->tickets, &at)) != NULL; at++) {
        if (!ticket->is_stored)
            (void)save_ticket(coordinator, ticket->id);
    }
    /* Redis may have come back with older counts than what was reserved: they are raised before they are
     * needed. */
    for (int i = 0; i < STORAGE_COUNTERS; i++) {
        if (loaded->counters[i] < counter_floor(&coordinator->counters[i]) &&
            !coordinator->counters[i].is_asked)
            coordinator->counters[i].is_asked =
                push(coordinator,
                     &(struct storage_key){ .kind = STORAGE_RESERVE, .counter = (enum storage_counter)i });
    }
    coordinator->unsaved = 0;
    coordinator->store_error[0] = '\0';
}

static void on_loaded(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    coordinator->stats.store_unreadable += loaded->unreadable;
    if (!coordinator->is_loaded)
        restore(coordinator, loaded);
    compare(coordinator, loaded);
}

/* ---- results ---- */

static void on_reserved(struct coordinator *coordinator, enum storage_counter which, uint64_t first)
{
    struct counter *counter = &coordinator->counters[which];

    if (!counter_grant(counter, first, counter->block)) {
        LOG(ERROR, "block_refused", KV("counter", (int)which), KV("first", first),
            KV("floor", counter_floor(counter)));
        (void)snprintf(coordinator->store_error, sizeof coordinator->store_error,
                       "a reserved block begins at %llu, which is in use or too high",
                       (unsigned long long)first);
        coordinator->reserve_at_ms = coordinator->now_ms + STORE_RETRY_MS;
        return;
    }
    coordinator->store_error[0] = '\0';
    coordinator->is_waiting_due = true;
}

static void on_slot(struct coordinator *coordinator, uint32_t slot, uint64_t fence, uint64_t found)
{
    if (found != fence) {
        LOG(WARN, "slot_refused", KV("slot", slot), KV("fence", fence), KV("found", found));
        ownership_refuse(&coordinator->ownership, slot, fence, found);
    } else if (ownership_grant(&coordinator->ownership, slot, fence)) {
        LOG(INFO, "slot_given", KV("slot", slot), KV("fence", fence),
            KV("shard", name_of(coordinator, coordinator->ownership.slots[slot].owner)));
        coordinator->stats.slot_changes++;
        coordinator->is_map_due = true;
        coordinator->is_waiting_due = true;
    }
}

void saving_on_slot_unsaved(struct coordinator *coordinator, uint32_t slot, uint64_t fence)
{
    on_slot(coordinator, slot, fence, fence);
}

/* Redis did not do it, or nobody knows whether it did. The memory goes on as if it had. */
static void on_undone(struct coordinator *coordinator, const struct storage_key *key)
{
    switch (key->kind) {
    case STORAGE_RESERVE:
        coordinator->counters[key->counter].is_asked = false;
        break;
    case STORAGE_SLOT:
        on_slot(coordinator, key->slot.slot, key->slot.fence, key->slot.fence);
        break;
    case STORAGE_TICKET:
        if (coordinator->is_loaded)
            people_on_ticket(coordinator, key->ticket, true, false);
        break;
    case STORAGE_KV:
        kv_on_result(coordinator, key->kv, NULL);
        break;
    case STORAGE_LOAD:
    case STORAGE_PLAYER:
    case STORAGE_PROCESS:
    case STORAGE_BAN:
    case STORAGE_GAME:
    case STORAGE_WISH:
    case STORAGE_KINDS:
        break;
    }
}

static void on_failed(struct coordinator *coordinator, const struct storage_key *key,
                      const struct storage_result *result)
{
    /* A value that does not fit what a resource has asked for is the resource's to hear of. */
    if (key->kind == STORAGE_KV) {
        kv_on_result(coordinator, key->kv, result);
        return;
    }
    coordinator->stats.store_errors++;
    if (result->is_again && storage_push(&coordinator->storage, key))
        return;
    LOG(ERROR, "store_failed", KV("command", (int)key->kind), KV("err", result->error));
    (void)snprintf(coordinator->store_error, sizeof coordinator->store_error, "%s", result->error);
    on_undone(coordinator, key);
    if (key->kind == STORAGE_RESERVE)
        coordinator->reserve_at_ms = coordinator->now_ms + STORE_RETRY_MS;
    else if (coordinator->load_at_ms == UINT64_MAX)
        coordinator->load_at_ms = coordinator->now_ms + STORE_RETRY_MS;
}

static void on_done(struct coordinator *coordinator, const struct storage_key *key,
                    const struct storage_result *result)
{
    switch (key->kind) {
    case STORAGE_LOAD:
        on_loaded(coordinator, result->loaded);
        break;
    case STORAGE_RESERVE:
        on_reserved(coordinator, key->counter, result->number);
        break;
    case STORAGE_SLOT:
        on_slot(coordinator, key->slot.slot, key->slot.fence, result->number);
        break;
    case STORAGE_TICKET:
        people_on_ticket(coordinator, key->ticket, result->number != 0, true);
        break;
    case STORAGE_KV:
        kv_on_result(coordinator, key->kv, result);
        break;
    case STORAGE_PLAYER:
    case STORAGE_PROCESS:
    case STORAGE_BAN:
    case STORAGE_GAME:
    case STORAGE_WISH:
    case STORAGE_KINDS:
        break;
    }
}

void saving_on_result(struct coordinator *coordinator, const struct storage_result *result)
{
    const struct storage_key *taken = storage_taken(&coordinator->storage);
    struct storage_key key;

    assert(taken != NULL);
    key = *taken;
    storage_done(&coordinator->storage);
    coordinator->stats.store_commands++;
    if (result->is_ok)
        on_done(coordinator, &key, result);
    else
        on_failed(coordinator, &key, result);
}

/* ---- Redis comes and goes ---- */

void saving_on_up(struct coordinator *coordinator)
{
    coordinator->storage.is_connected = true;
    coordinator->store_since_ms = coordinator->now_ms;
    coordinator->load_at_ms = coordinator->now_ms;
    coordinator->reserve_at_ms = coordinator->now_ms;
    LOG(INFO, "store_up", KV("unsaved", coordinator->unsaved));
}

void saving_on_down(struct coordinator *coordinator)
{
    const struct storage_key *dropped;
    size_t count = coordinator->storage.queue.count;

    if (coordinator->storage.is_connected)
        coordinator->stats.store_losses++;
    coordinator->storage.is_connected = false;
    coordinator->storage.has_overflowed = false;
    coordinator->store_since_ms = coordinator->now_ms;
    coordinator->load_at_ms = UINT64_MAX;
    for (dropped = storage_drop(&coordinator->storage); dropped != NULL;
         dropped = storage_drop(&coordinator->storage)) {
        struct storage_key key = *dropped;

        coordinator->unsaved += key.kind != STORAGE_KV; /* who asked is told */
        on_undone(coordinator, &key);
    }
    LOG(WARN, "store_down", KV("under_way", count));
}

void saving_run(struct coordinator *coordinator)
{
    struct storage *storage = &coordinator->storage;

    if (!storage->is_connected)
        return;
    if (storage->has_overflowed && storage->queue.count == 0) {
        storage->has_overflowed = false;
        coordinator->load_at_ms = coordinator->now_ms;
    }
    if (coordinator->now_ms >= coordinator->load_at_ms &&
        storage_push(storage, &(struct storage_key){ .kind = STORAGE_LOAD }))
        coordinator->load_at_ms = UINT64_MAX;
    /* Not before what is in use is known: the block must lie above it. */
    if (!coordinator->is_loaded || coordinator->now_ms < coordinator->reserve_at_ms)
        return;
    for (int i = 0; i < STORAGE_COUNTERS; i++) {
        struct counter *counter = &coordinator->counters[i];

        if (counter_wants(counter))
            counter->is_asked =
                push(coordinator,
                     &(struct storage_key){ .kind = STORAGE_RESERVE, .counter = (enum storage_counter)i });
    }
}
