#include "coordinator/core.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "coordinator/state.h"
#include "gen/wire.h"
#include "proto/link.h"

enum { BANS_EXPIRE_MS = 10 * 1000 }; /* ours: nobody matches one that has ended; this is to be rid of it */

_Static_assert((int)JOIN_REASONS == 11, "one for each reason of ConnectReject, and accepted");
_Static_assert((int)VEHICLE_BLOCK >= VEHICLE_LEASE, "a block holds whole leases");

void coordinator_drop(struct coordinator *coordinator, enum reason reason)
{
    coordinator->stats.drops[reason]++;
}

/* ---- life ---- */

static const struct coordinator_spawn origin = { .z = 3 };

static int take_spawns(struct coordinator *coordinator, const struct coordinator_config *config)
{
    const struct coordinator_spawn *spawns = config->spawns_count > 0 ? config->spawns : &origin;

    coordinator->spawns_count = config->spawns_count > 0 ? config->spawns_count : 1;
    coordinator->spawns = calloc(coordinator->spawns_count, sizeof spawns[0]);
    if (coordinator->spawns == NULL)
        return -1;
    memcpy(coordinator->spawns, spawns, coordinator->spawns_count * sizeof spawns[0]);
    return 0;
}

static void take_allow_list(struct coordinator *coordinator, const struct cluster_settings *settings)
{
    for (size_t i = 0; i < settings->allowed_count; i++) {
        struct ban_subject subject;
        struct ban *entry;

        if (!ban_subject_read(&subject, settings->allowed[i]))
            continue; /* cluster_settings_check has named it */
        entry = ban_list_add(&coordinator->lists[STORAGE_ALLOWED], &subject, BAN_FOREVER, "");
        if (entry != NULL)
            entry->is_fixed = true;
    }
}

struct coordinator *coordinator_new(const struct coordinator_config *config, uint64_t now_ms)
{
    struct coordinator *coordinator = calloc(1, sizeof *coordinator);

    if (coordinator == NULL)
        return NULL;
    (void)snprintf(coordinator->name, sizeof coordinator->name, "%s", config->name);
    coordinator->pid = config->pid;
    coordinator->boot = config->boot;
    coordinator->settings = config->settings;
    coordinator->now_ms = now_ms;
    coordinator->started_ms = now_ms;
    coordinator->next_tick_ms = now_ms;
    coordinator->store_since_ms = now_ms;
    coordinator->load_at_ms = UINT64_MAX;
    coordinator->is_map_due = true;
    outbox_init(&coordinator->outbox);
    tickets_init(&coordinator->tickets);
    ownership_init(&coordinator->ownership, config->slots);
    for (int i = 0; i < STORAGE_LISTS; i++)
        ban_list_init(&coordinator->lists[i]);
    counter_init(&coordinator->counters[STORAGE_TOKENS], TOKEN_BLOCK, UINT32_MAX);
    counter_init(&coordinator->counters[STORAGE_VEHICLES], VEHICLE_BLOCK, UINT32_MAX - 1);
    counter_init(&coordinator->counters[STORAGE_REVISIONS], REVISION_BLOCK, STORAGE_NUMBER_MAX);
    if (game_open(&coordinator->game, now_ms) != 0 || kv_open(&coordinator->kv) != 0) {
        coordinator_free(&coordinator);
        return NULL;
    }
    coordinator->waiting = calloc(WAITING_MAX, sizeof coordinator->waiting[0]);
    if (coordinator->waiting == NULL || take_spawns(coordinator, config) != 0 ||
        directory_init(&coordinator->directory) != 0 || storage_init(&coordinator->storage) != 0) {
        coordinator_free(&coordinator);
        return NULL;
    }
    take_allow_list(coordinator, config->settings);
    return coordinator;
}

void coordinator_free(struct coordinator **coordinator)
{
    struct coordinator *freed = *coordinator;

    if (freed == NULL)
        return;
    *coordinator = NULL;
    storage_fini(&freed->storage);
    directory_fini(&freed->directory);
    for (int i = 0; i < STORAGE_LISTS; i++)
        ban_list_fini(&freed->lists[i]);
    tickets_fini(&freed->tickets);
    game_close(&freed->game);
    kv_close(&freed->kv);
    resources_fini(&freed->resources);
    outbox_fini(&freed->outbox);
    free(freed->waiting);
    free(freed->spawns);
    free(freed);
}

/* ---- after every input ---- */

/* Another revision for all settings: everybody who is there is told. The first time what was held back. */
static void begin(struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;

    uint64_t revision = counter_take(&coordinator->counters[STORAGE_REVISIONS], 2);

    if (revision == 0)
        return; /* it stays due until there is one */
    coordinator->is_renewal_due = false;
    coordinator->settings_revision = revision;
    coordinator->game.revision = revision + 1;
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1)))
        tell_all(coordinator, i);
}

static void lease(struct coordinator *coordinator, uint16_t place)
{
    struct process *shard = process_at(coordinator, place);
    uint64_t first;
    Bus__Item *item;

    if (shard->lease_wanted == 0 || shard->state != PROCESS_UP || coordinator->phase != PHASE_SERVING)
        return;
    first = counter_take(&coordinator->counters[STORAGE_VEHICLES], shard->lease_wanted);
    if (first == 0)
        return;
    item = tell(coordinator, place);
    assert(item != NULL);
    item->id_lease = outbox_alloc(&coordinator->outbox, sizeof *item->id_lease);
    bus__id_lease__init(item->id_lease);
    item->id_lease->first = (uint32_t)first;
    item->id_lease->count = shard->lease_wanted;
    item->item_case = BUS__ITEM__ITEM_ID_LEASE;
    coordinator->stats.vehicle_ids += shard->lease_wanted;
    shard->lease_wanted = 0;
}

static void lease_all(struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1)))
        lease(coordinator, i);
}

void coordinator_finish(struct coordinator *coordinator)
{
    saving_run(coordinator);
    if (coordinator->is_loaded && (coordinator->settings_revision == 0 || coordinator->is_renewal_due))
        begin(coordinator);
    if (coordinator->is_waiting_due) {
        lease_all(coordinator);
        lobby_run(coordinator);
        saving_run(coordinator);
    }
    tell_map(coordinator);
}

void coordinator_set_now(struct coordinator *coordinator, uint64_t now_ms)
{
    if (now_ms <= coordinator->now_ms)
        return;
    if (now_ms - coordinator->now_ms >= COORDINATOR_STALL_MS) {
        LOG(WARN, "coordinator_was_stopped", KV("ms", now_ms - coordinator->now_ms));
        coordinator->back_ms = now_ms;
    }
    coordinator->now_ms = now_ms;
}

/* ---- peers ---- */

static void lose_shard(struct coordinator *coordinator, uint16_t place)
{
    struct process *shard = process_at(coordinator, place);

    shard->state = PROCESS_GONE;
    shard->lease_wanted = 0;
    shard->since_ms = coordinator->now_ms;
    ownership_lose(&coordinator->ownership, place);
    people_kick_all_on(coordinator, place);
    save_process(coordinator, shard->name);
}

static void lose_gateway(struct coordinator *coordinator, uint16_t place)
{
    struct process *gateway = process_at(coordinator, place);

    gateway->state = PROCESS_LOST;
    gateway->since_ms = coordinator->now_ms;
    lobby_forget_gateway(coordinator, place);
}

static void give_up_gateway(struct coordinator *coordinator, uint16_t place)
{
    struct process *gateway = process_at(coordinator, place);

    LOG(WARN, "gateway_given_up", KV("gateway", gateway->name), KV("players", gateway->members));
    people_remove_all_of(coordinator, place, LEFT_TIMEOUT);
    gateway->state = PROCESS_GONE;
    gateway->since_ms = coordinator->now_ms;
    save_process(coordinator, gateway->name);
    coordinator->is_map_due = true;
}

/* It was this process that was away, and its peers have given it up: they come back in another life of
 * their links with all they had, as to a coordinator that has started anew. */
static bool is_just_back(const struct coordinator *coordinator)
{
    return coordinator->back_ms != 0 && coordinator->now_ms - coordinator->back_ms < COORDINATOR_SETTLE_MS;
}

static void lose(struct coordinator *coordinator, uint16_t place)
{
    struct process *process = process_at(coordinator, place);

    LOG(WARN, "process_lost", KV("process", process->name), KV("players", process->members));
    process->is_remembered = is_just_back(coordinator);
    if (process->role == BUS__ROLE__ROLE_GATEWAY) {
        lose_gateway(coordinator, place);
    } else if (process->is_remembered) {
        process->state = PROCESS_LOST;
        process->since_ms = coordinator->now_ms;
    } else {
        lose_shard(coordinator, place);
    }
    process->rate_in = 0;
    process->rate_out = 0;
    coordinator->is_map_due = true;
}

static void come_up(struct coordinator *coordinator, uint16_t place, uint16_t peer, uint64_t boot)
{
    struct process *process = process_at(coordinator, place);
    bool is_other = process->boot != boot && !process->is_remembered;

    /* A gateway that has started anew has none of its players; one that was silent still has them all. What
     * Redis remembers does not say which it is: its first report will. */
    if (is_other && process->role == BUS__ROLE__ROLE_GATEWAY)
        people_remove_all_of(coordinator, place, LEFT_TIMEOUT);
    /* Likewise of a shard; but one that Redis remembers may have given up its link to a coordinator that was
     * dead for long, and has its worlds still. */
    if (process->role == BUS__ROLE__ROLE_SHARD &&
        (process->is_remembered ? !link_is_same_process(process->boot, boot) : process->boot != boot))
        ownership_lose(&coordinator->ownership, place);
    process->state = PROCESS_UP;
    process->boot = boot;
    process->peer = peer;
    process->since_ms = coordinator->now_ms;
    process->is_remembered = false;
    process->has_reported = false;
    process->lease_wanted = 0;
    save_process(coordinator, process->name);
}

void coordinator_peer_up(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer, Bus__Role role,
                         const char *name, uint64_t boot)
{
    uint16_t place;

    coordinator_set_now(coordinator, now_ms);
    if ((role != BUS__ROLE__ROLE_GATEWAY && role != BUS__ROLE__ROLE_SHARD) || !process_name_is_valid(name)) {
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
        return;
    }
    place = registry_place(&coordinator->registry, role, name);
    if (place == PROCESS_NONE) {
        coordinator_drop(coordinator, REASON_TABLE_FULL);
        return;
    }
    if (process_at(coordinator, place)->state == PROCESS_UP)
        lose(coordinator, place);
    come_up(coordinator, place, peer, boot);
    LOG(INFO, "process_up", KV("process", name), KV("boot", boot));
    coordinator->is_map_due = true;
    tell_all(coordinator, place);
    coordinator_finish(coordinator);
}

void coordinator_peer_down(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer)
{
    uint16_t place = registry_find_peer(&coordinator->registry, peer);

    coordinator_set_now(coordinator, now_ms);
    if (place == PROCESS_NONE)
        return;
    lose(coordinator, place);
    coordinator_finish(coordinator);
}

/* ---- items ---- */

static void on_player_left(struct coordinator *coordinator, uint16_t gateway, const Bus__PlayerLeft *left)
{
    struct member_ref ref;
    struct member *member;

    if (left->player == NULL || left->reason >= LEFT_REASONS) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    ref = (struct member_ref){ left->player->id, left->player->token };
    member = directory_find(&coordinator->directory, ref);
    if (member == NULL) {
        /* Its gateway says at the same time what we have told it: not worth a count. */
        if (!directory_is_cooling(&coordinator->directory, ref))
            coordinator_drop(coordinator, REASON_BUS_STALE);
    } else if (member->gateway != gateway) {
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
    } else {
        people_remove(coordinator, member, (enum leave_reason)left->reason);
    }
}

void coordinator_see_revision(struct coordinator *coordinator, uint64_t revision)
{
    uint64_t highest = coordinator->map_revision;

    if (coordinator->settings_revision > highest)
        highest = coordinator->settings_revision;
    if (coordinator->game.revision > highest)
        highest = coordinator->game.revision;
    if (revision <= highest)
        return;
    /* Redis has lost count: what we have told since is taken for old. */
    counter_see(&coordinator->counters[STORAGE_REVISIONS], revision);
    coordinator->is_renewal_due = true;
    coordinator->is_map_due = true;
}

static void on_shard_state(struct coordinator *coordinator, uint16_t place, const Bus__ShardState *state)
{
    struct process *shard = process_at(coordinator, place);

    if (state->highest_player_token > UINT32_MAX || state->highest_revision > STORAGE_NUMBER_MAX / 2 ||
        state->bus_endpoint[0] == '\0' || !process_endpoint_is_valid(state->bus_endpoint) ||
        !isfinite(state->tick_ms) || state->tick_ms < 0) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    counter_see(&coordinator->counters[STORAGE_TOKENS], state->highest_player_token);
    counter_see(&coordinator->counters[STORAGE_VEHICLES], state->highest_vehicle_id);
    coordinator_see_revision(coordinator, state->highest_revision);
    game_see(coordinator, state);
    if (!shard->has_reported || strcmp(shard->endpoint, state->bus_endpoint) != 0)
        coordinator->is_map_due = true;
    process_set_endpoint(shard, state->bus_endpoint);
    shard->has_reported = true;
    shard->reported_ms = coordinator->now_ms;
    shard->pid = state->pid;
    shard->players = state->players;
    shard->vehicles = state->vehicles;
    shard->tick_ms = state->tick_ms;
}

static void on_id_lease(struct coordinator *coordinator, uint16_t place, const Bus__IdLease *asked)
{
    if (asked->count == 0 || asked->count > VEHICLE_LEASE) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    process_at(coordinator, place)->lease_wanted = asked->count;
    lease(coordinator, place);
}

static void on_broadcast(struct coordinator *coordinator, const Bus__Broadcast *broadcast)
{
    if (cause_take(coordinator, broadcast->cause) == CAUSE_IS_REPEATED) {
        coordinator_drop(coordinator, REASON_ITEM_REPEATED);
        return;
    }
    if (broadcast->packet.len == 0 || broadcast->packet.len > WIRE_PACKET_SIZE_MAX ||
        (unsigned)broadcast->class_ > BUS__SEND__CLASS__CRITICAL) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    tell_broadcast(coordinator, (struct span){ broadcast->packet.data, broadcast->packet.len },
                   broadcast->class_);
}

static void on_gateway_item(struct coordinator *coordinator, uint16_t place, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_JOIN_REQUEST:
        lobby_on_request(coordinator, place, item->join_request);
        break;
    case BUS__ITEM__ITEM_TICKET_USE:
        people_on_ticket_use(coordinator, place, item->ticket_use);
        break;
    case BUS__ITEM__ITEM_PLAYER_LEFT:
        on_player_left(coordinator, place, item->player_left);
        break;
    case BUS__ITEM__ITEM_DISPLACED:
        lobby_on_displaced(coordinator, place, item->displaced);
        break;
    case BUS__ITEM__ITEM_GATEWAY_STATE:
        people_on_gateway_state(coordinator, place, item->gateway_state);
        break;
    default:
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
    }
}

static void on_shard_item(struct coordinator *coordinator, uint16_t place, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_SHARD_STATE:
        on_shard_state(coordinator, place, item->shard_state);
        break;
    case BUS__ITEM__ITEM_ID_LEASE:
        on_id_lease(coordinator, place, item->id_lease);
        break;
    case BUS__ITEM__ITEM_BROADCAST:
        on_broadcast(coordinator, item->broadcast);
        break;
    case BUS__ITEM__ITEM_GAME_ASK:
        game_on_ask(coordinator, place, item->game_ask);
        break;
    case BUS__ITEM__ITEM_SCRIPT_EVENT:
        scripts_on_event(coordinator, item->script_event);
        break;
    case BUS__ITEM__ITEM_KV_ASK:
        kv_on_ask(coordinator, place, item->kv_ask);
        break;
    case BUS__ITEM__ITEM_BAN:
        scripts_on_ban(coordinator, place, item->ban);
        break;
    case BUS__ITEM__ITEM_RESOURCE_REPORT:
        resources_on_report(coordinator, place, item->resource_report);
        break;
    default:
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
    }
}

void coordinator_on_item(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer,
                         const Bus__Item *item)
{
    uint16_t place = registry_find_peer(&coordinator->registry, peer);

    coordinator_set_now(coordinator, now_ms);
    /* All members of the item's union are pointers. */
    if (item->item_case == BUS__ITEM__ITEM__NOT_SET || item->join_request == NULL)
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
    else if (place == PROCESS_NONE)
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
    else if (process_at(coordinator, place)->role == BUS__ROLE__ROLE_SHARD)
        on_shard_item(coordinator, place, item);
    else
        on_gateway_item(coordinator, place, item);
    coordinator_finish(coordinator);
}

struct outbox *coordinator_outbox(struct coordinator *coordinator)
{
    return &coordinator->outbox;
}

/* ---- Redis ---- */

void coordinator_store_up(struct coordinator *coordinator, uint64_t now_ms)
{
    coordinator_set_now(coordinator, now_ms);
    saving_on_up(coordinator);
    coordinator_finish(coordinator);
}

void coordinator_store_down(struct coordinator *coordinator, uint64_t now_ms)
{
    coordinator_set_now(coordinator, now_ms);
    saving_on_down(coordinator);
    coordinator_finish(coordinator);
}

void coordinator_on_store(struct coordinator *coordinator, uint64_t now_ms,
                          const struct storage_result *result)
{
    coordinator_set_now(coordinator, now_ms);
    saving_on_result(coordinator, result);
    coordinator_finish(coordinator);
}

/* ---- time ---- */

/* All that were there before this coordinator have been heard. */
static bool is_everybody_heard(const struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        const struct process *process = &registry->processes[i];

        if (process->state == PROCESS_LOST && process->is_remembered)
            return false;
        if (process->state == PROCESS_UP && !process->has_reported)
            return false;
    }
    return true;
}

static void settle(struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;

    if (coordinator->phase != PHASE_SETTLING || coordinator->settings_revision == 0)
        return;
    if (coordinator->now_ms - coordinator->started_ms < COORDINATOR_SETTLE_MS &&
        !is_everybody_heard(coordinator))
        return;
    coordinator->phase = PHASE_SERVING;
    coordinator->is_waiting_due = true;
    coordinator->is_map_due = true;
    LOG(INFO, "coordinator_serves", KV("players", coordinator->directory.count),
        KV("waiting", coordinator->waiting_count));
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        if (registry->processes[i].state == PROCESS_LOST &&
            registry->processes[i].role == BUS__ROLE__ROLE_SHARD)
            lose(coordinator, i);
    }
}

static void age_processes(struct coordinator *coordinator)
{
    struct registry *registry = &coordinator->registry;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        const struct process *process = &registry->processes[i];
        uint64_t age_ms = coordinator->now_ms - process->since_ms;

        if (process->state == PROCESS_LOST && process->role == BUS__ROLE__ROLE_GATEWAY &&
            age_ms >= PROCESS_GATEWAY_KEPT_MS)
            give_up_gateway(coordinator, i);
        else if (process->state == PROCESS_LOST && process->role == BUS__ROLE__ROLE_SHARD &&
                 coordinator->phase == PHASE_SERVING && age_ms >= COORDINATOR_SETTLE_MS)
            lose(coordinator, i);
        else if (process->state == PROCESS_GONE && process->members == 0 && age_ms >= PROCESS_SHOWN_MS) {
            registry_forget(registry, i);
            coordinator->is_map_due = true;
        }
    }
}

static void claim_slots(struct coordinator *coordinator)
{
    bool is_starting = coordinator->now_ms - coordinator->started_ms < COORDINATOR_SETTLE_MS;
    struct ownership *ownership = &coordinator->ownership;
    uint32_t slot;

    if (coordinator->phase != PHASE_SERVING)
        return;
    while (ownership_claim(ownership, &coordinator->registry, coordinator->now_ms, is_starting, &slot)) {
        uint64_t fence = ownership->slots[slot].tried;

        coordinator->is_map_due = true;
        if (!save_slot(coordinator, slot, fence))
            saving_on_slot_unsaved(coordinator, slot, fence);
    }
}

static void expire_list(struct coordinator *coordinator, enum storage_list list)
{
    struct ban_list *entries = &coordinator->lists[list];
    struct ban *entry;
    uint32_t at = 0;

    while ((entry = ban_list_next(entries, &at)) != NULL) {
        struct ban_subject subject = entry->subject;

        if (coordinator->now_ms < entry->expires_ms) {
            at++;
            continue;
        }
        ban_list_remove(entries, entry);
        save_ban(coordinator, list, &subject);
    }
}

static void expire(struct coordinator *coordinator)
{
    uint32_t id;

    for (id = directory_release(&coordinator->directory, coordinator->now_ms); id != DIRECTORY_NONE;
         id = directory_release(&coordinator->directory, coordinator->now_ms))
        save_player(coordinator, id);
    if (coordinator->now_ms < coordinator->expire_ms)
        return;
    coordinator->expire_ms = coordinator->now_ms + BANS_EXPIRE_MS;
    tickets_expire(&coordinator->tickets, coordinator->now_ms);
    for (int i = 0; i < STORAGE_LISTS; i++)
        expire_list(coordinator, (enum storage_list)i);
}

void coordinator_tick(struct coordinator *coordinator, uint64_t now_ms)
{
    coordinator_set_now(coordinator, now_ms);
    coordinator->next_tick_ms = now_ms + COORDINATOR_TICK_MS;
    settle(coordinator);
    age_processes(coordinator);
    claim_slots(coordinator);
    expire(coordinator);
    coordinator->is_waiting_due = true; /* some may have waited long enough */
    coordinator_finish(coordinator);
}

uint64_t coordinator_wakes_at(const struct coordinator *coordinator)
{
    return coordinator->next_tick_ms;
}

/* ---- how it stands ---- */

static uint64_t count_up(const struct coordinator *coordinator, Bus__Role role)
{
    const struct registry *registry = &coordinator->registry;
    uint64_t count = 0;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1)))
        count += registry->processes[i].role == role && registry->processes[i].state == PROCESS_UP;
    return count;
}

const struct coordinator_stats *coordinator_stats(struct coordinator *coordinator)
{
    struct coordinator_stats *stats = &coordinator->stats;

    stats->players = coordinator->directory.count;
    stats->gateways = count_up(coordinator, BUS__ROLE__ROLE_GATEWAY);
    stats->shards = count_up(coordinator, BUS__ROLE__ROLE_SHARD);
    stats->waiting = coordinator->waiting_count;
    stats->bans = ban_list_count(&coordinator->lists[STORAGE_BANNED]);
    stats->tokens_left = counter_left(&coordinator->counters[STORAGE_TOKENS]);
    stats->store_is_connected = coordinator->storage.is_connected;
    stats->store_waiting = coordinator->storage.queue.count;
    stats->is_ready = coordinator_unready(coordinator) == NULL;
    return stats;
}

const char *coordinator_unready(const struct coordinator *coordinator)
{
    if (coordinator->phase == PHASE_LOADING)
        return "nothing has been loaded from Redis yet";
    if (coordinator->phase == PHASE_SETTLING)
        return "it waits for the gateways and shards that were there before";
    if (counter_left(&coordinator->counters[STORAGE_TOKENS]) == 0)
        return "there are no player tokens to hand out, and Redis reserves none";
    if (count_up(coordinator, BUS__ROLE__ROLE_GATEWAY) == 0)
        return "no gateway is up";
    for (uint32_t i = 0; i < coordinator->ownership.count; i++) {
        if (ownership_taker(&coordinator->ownership, i) == PROCESS_NONE)
            return "some worlds have no shard";
    }
    return NULL;
}

const char *coordinator_store_error(const struct coordinator *coordinator)
{
    return coordinator->store_error;
}

void coordinator_check(const struct coordinator *coordinator)
{
    uint32_t at_gateways[PROCESSES_MAX] = { 0 };
    uint32_t on_shards[PROCESSES_MAX] = { 0 };

    directory_check(&coordinator->directory);
    ownership_check(&coordinator->ownership);
    assert(coordinator->waiting_count <= WAITING_MAX);
    for (const struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        assert(member->gateway < PROCESSES_MAX);
        at_gateways[member->gateway]++;
        if (member->shard != PROCESS_NONE)
            on_shards[member->shard]++;
    }
    for (uint16_t i = 0; i < PROCESSES_MAX; i++) {
        const struct process *process = &coordinator->registry.processes[i];

        assert(process->members == at_gateways[i] + on_shards[i]);
        assert(at_gateways[i] == 0 || process->state == PROCESS_UP || process->state == PROCESS_LOST);
        assert(process->members == 0 || process->state != PROCESS_FREE);
    }
    for (uint32_t i = 0; i < coordinator->ownership.count; i++) {
        const struct slot *slot = &coordinator->ownership.slots[i];

        if (slot->owner != PROCESS_NONE)
            assert(coordinator->registry.processes[slot->owner].state != PROCESS_GONE);
    }
}
