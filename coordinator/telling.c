#include <assert.h>
#include <string.h>

#include "coordinator/state.h"

Bus__Item *tell(struct coordinator *coordinator, uint16_t place)
{
    const struct process *process = place == PROCESS_NONE ? NULL : process_at(coordinator, place);

    if (process == NULL || process->state != PROCESS_UP)
        return NULL;
    return outbox_add(&coordinator->outbox, process->peer);
}

Bus__Player *tell_player(struct coordinator *coordinator, struct member_ref ref)
{
    Bus__Player *player = outbox_alloc(&coordinator->outbox, sizeof *player);

    bus__player__init(player);
    player->id = ref.id;
    player->token = ref.token;
    return player;
}

void tell_everybody(struct coordinator *coordinator, const Bus__Item *what, bool gateways_too)
{
    struct registry *registry = &coordinator->registry;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        Bus__Item *item;

        if (registry->processes[i].role != BUS__ROLE__ROLE_SHARD && !gateways_too)
            continue;
        item = tell(coordinator, i);
        if (item != NULL)
            *item = *what;
    }
}

void tell_kick(struct coordinator *coordinator, uint16_t gateway, struct member_ref ref,
               enum leave_reason reason, const char *text)
{
    Bus__Item *item = tell(coordinator, gateway);

    if (item == NULL)
        return;
    item->kick = outbox_alloc(&coordinator->outbox, sizeof *item->kick);
    bus__kick__init(item->kick);
    item->kick->player = tell_player(coordinator, ref);
    item->kick->reason = reason;
    item->kick->text = outbox_text(&coordinator->outbox, text);
    item->item_case = BUS__ITEM__ITEM_KICK;
    coordinator->stats.kicks++;
}

static const char *name_of(struct coordinator *coordinator, uint16_t place)
{
    return place == PROCESS_NONE ? "" : process_at(coordinator, place)->name;
}

static void fill_listed(struct coordinator *coordinator, Bus__Item *item, const struct member *member)
{
    struct outbox *outbox = &coordinator->outbox;

    item->player_listed = outbox_alloc(outbox, sizeof *item->player_listed);
    bus__player_listed__init(item->player_listed);
    item->player_listed->player = tell_player(coordinator, member->ref);
    item->player_listed->name = outbox_text(outbox, member->name);
    item->player_listed->gateway = outbox_text(outbox, name_of(coordinator, member->gateway));
    item->player_listed->shard = outbox_text(outbox, name_of(coordinator, member->shard));
    item->item_case = BUS__ITEM__ITEM_PLAYER_LISTED;
}

void tell_listed(struct coordinator *coordinator, const struct member *member)
{
    Bus__Item item = BUS__ITEM__INIT;

    fill_listed(coordinator, &item, member);
    tell_everybody(coordinator, &item, true);
}

void tell_left(struct coordinator *coordinator, struct member_ref ref, enum leave_reason reason)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.player_left = outbox_alloc(&coordinator->outbox, sizeof *item.player_left);
    bus__player_left__init(item.player_left);
    item.player_left->player = tell_player(coordinator, ref);
    item.player_left->reason = reason;
    item.item_case = BUS__ITEM__ITEM_PLAYER_LEFT;
    tell_everybody(coordinator, &item, true);
}

void tell_broadcast(struct coordinator *coordinator, struct span packet, Bus__Send__Class delivery)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.broadcast = outbox_alloc(&coordinator->outbox, sizeof *item.broadcast);
    bus__broadcast__init(item.broadcast);
    item.broadcast->packet = outbox_bytes(&coordinator->outbox, packet.data, packet.size);
    item.broadcast->class_ = delivery;
    item.item_case = BUS__ITEM__ITEM_BROADCAST;
    tell_everybody(coordinator, &item, false);
    coordinator->stats.broadcasts++;
}

/* ---- the map ---- */

static Bus__Process *process_message(struct coordinator *coordinator, const struct process *process)
{
    struct outbox *outbox = &coordinator->outbox;
    Bus__Process *message = outbox_alloc(outbox, sizeof *message);

    bus__process__init(message);
    message->role = process->role;
    message->name = outbox_text(outbox, process->name);
    message->boot = process->boot;
    message->alive = process->state == PROCESS_UP;
    if (process->role == BUS__ROLE__ROLE_SHARD)
        message->bus_endpoint = outbox_text(outbox, process->endpoint);
    return message;
}

static Bus__Slot *slot_message(struct coordinator *coordinator, const struct slot *slot)
{
    Bus__Slot *message = outbox_alloc(&coordinator->outbox, sizeof *message);

    bus__slot__init(message);
    message->shard = outbox_text(&coordinator->outbox, name_of(coordinator, slot->owner));
    message->fence = slot->fence;
    return message;
}

static Bus__Scope *scope_message(struct coordinator *coordinator, const struct coordinator_spawn *spawn)
{
    Bus__Scope *message = outbox_alloc(&coordinator->outbox, sizeof *message);

    bus__scope__init(message);
    message->virtual_world = (uint32_t)spawn->virtual_world;
    message->interior = (uint32_t)spawn->interior;
    return message;
}

static Bus__Item map_item(struct coordinator *coordinator)
{
    struct outbox *outbox = &coordinator->outbox;
    const struct registry *registry = &coordinator->registry;
    const struct ownership *ownership = &coordinator->ownership;
    Bus__ClusterMap *map = outbox_alloc(outbox, sizeof *map);
    Bus__Item item = BUS__ITEM__INIT;

    bus__cluster_map__init(map);
    map->revision = coordinator->map_revision;
    map->players = coordinator->directory.count;
    map->whole = coordinator->phase == PHASE_SERVING;
    map->processes = outbox_alloc(outbox, PROCESSES_MAX * sizeof(Bus__Process *));
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1)))
        map->processes[map->n_processes++] = process_message(coordinator, &registry->processes[i]);
    map->slots = outbox_alloc(outbox, ownership->count * sizeof(Bus__Slot *));
    for (uint32_t i = 0; i < ownership->count; i++)
        map->slots[map->n_slots++] = slot_message(coordinator, &ownership->slots[i]);
    map->spawns = outbox_alloc(outbox, coordinator->spawns_count * sizeof(Bus__Scope *));
    for (size_t i = 0; i < coordinator->spawns_count; i++)
        map->spawns[map->n_spawns++] = scope_message(coordinator, &coordinator->spawns[i]);
    item.item_case = BUS__ITEM__ITEM_MAP;
    item.map = map;
    return item;
}

static bool has_new_player_count(const struct coordinator *coordinator)
{
    return coordinator->map_players != coordinator->directory.count &&
           coordinator->now_ms - coordinator->map_ms >= MAP_PLAYERS_MS;
}

void tell_map(struct coordinator *coordinator)
{
    uint64_t revision;
    Bus__Item item;

    if (coordinator->settings_revision == 0 ||
        (!coordinator->is_map_due && !has_new_player_count(coordinator)))
        return;
    revision = counter_take(&coordinator->counters[STORAGE_REVISIONS], 1);
    if (revision == 0)
        return; /* it stays due until there is one */
    coordinator->map_revision = revision;
    coordinator->is_map_due = false;
    coordinator->map_ms = coordinator->now_ms;
    coordinator->map_players = coordinator->directory.count;
    coordinator->stats.maps++;
    item = map_item(coordinator);
    tell_everybody(coordinator, &item, true);
}

/* ---- who has just come ---- */

void tell_all(struct coordinator *coordinator, uint16_t place)
{
    const struct directory *directory = &coordinator->directory;
    Bus__Item *item;

    if (coordinator->settings_revision == 0)
        return;
    item = tell(coordinator, place);
    if (item == NULL)
        return;
    item->settings =
        cluster_settings_message(coordinator->settings, coordinator->settings_revision, &coordinator->outbox);
    item->item_case = BUS__ITEM__ITEM_SETTINGS;
    item = tell(coordinator, place);
    item->players_begin = outbox_alloc(&coordinator->outbox, sizeof *item->players_begin);
    bus__players_begin__init(item->players_begin);
    item->item_case = BUS__ITEM__ITEM_PLAYERS_BEGIN;
    game_tell_all(coordinator, place);
    if (process_at(coordinator, place)->role == BUS__ROLE__ROLE_SHARD)
        resources_tell_all(coordinator, place);
    for (const struct member *member = directory_next(directory, 0); member != NULL;
         member = directory_next(directory, member->ref.id + 1))
        fill_listed(coordinator, tell(coordinator, place), member);
}
