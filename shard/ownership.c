#include "shard/ownership.h"

#include <stdio.h>
#include <string.h>

#include "shard/player_join.h"
#include "shard/vehicle_life.h"

bool ownership_has(const struct shard *shard, struct scope scope)
{
    return shard->slots_count > 0 && shard->slots[scope.virtual_world % shard->slots_count].owned;
}

const char *ownership_shard(const struct shard *shard, struct scope scope)
{
    return shard->slots_count == 0 ? "" : shard->slots[scope.virtual_world % shard->slots_count].shard;
}

/* ---- ids */

static uint32_t ids_left(const struct id_lease *lease)
{
    return lease->end - lease->next + lease->spare_end - lease->spare_first;
}

bool ownership_has_ids(const struct shard *shard)
{
    return ids_left(&shard->lease) > 0;
}

static void ask_for_ids(struct shard *shard)
{
    struct outbox *outbox = &shard->outbox;

    if (shard->lease.asked || shard->coordinator == PEER_NONE ||
        ids_left(&shard->lease) > SHARD_LEASE_COUNT / 2)
        return;

    Bus__Item *item = outbox_add(outbox, shard->coordinator);
    Bus__IdLease *lease = outbox_alloc(outbox, sizeof *lease);

    bus__id_lease__init(lease);
    lease->count = SHARD_LEASE_COUNT;
    item->item_case = BUS__ITEM__ITEM_ID_LEASE;
    item->id_lease = lease;
    shard->lease.asked = true;
}

bool ownership_take_id(struct shard *shard, uint32_t *id)
{
    struct id_lease *lease = &shard->lease;

    if (lease->next == lease->end) {
        lease->next = lease->spare_first;
        lease->end = lease->spare_end;
        lease->spare_first = 0;
        lease->spare_end = 0;
    }
    if (lease->next == lease->end) {
        ask_for_ids(shard);
        return false;
    }
    *id = lease->next++;
    ask_for_ids(shard);
    return true;
}

void ownership_on_lease(struct shard *shard, const Bus__IdLease *lease)
{
    struct id_lease *own = &shard->lease;

    /* The last id there is means "none" on the wire. */
    if (lease->count == 0 || lease->first > UINT32_MAX - lease->count) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    if (own->spare_end != own->spare_first) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    own->asked = false;
    own->spare_first = lease->first;
    own->spare_end = lease->first + lease->count;
    ownership_populate(shard);
}

void ownership_on_coordinator(struct shard *shard)
{
    shard->map_revision = 0;
    shard->lease.asked = false;
    ask_for_ids(shard);
}

/* ---- slots */

static uint32_t slot_of(const struct shard *shard, uint32_t virtual_world)
{
    return virtual_world % shard->slots_count;
}

static void drop_players(struct shard *shard, uint32_t slot)
{
    const struct pool *players = &shard->world.players;

    for (uint32_t at = pool_next(players, 0); at != POOL_END; at = pool_next(players, at + 1)) {
        struct player *player = world_player_at(&shard->world, at);

        if (slot_of(shard, player->place.scope.virtual_world) != slot)
            continue;
        player_send_away(shard, player->gateway, player->ref,
                         "The world you were in has gone to another server.");
        player_remove(shard, player);
    }
}

/* The configuration's and the gamemode's alike. */
static void drop_vehicles(struct shard *shard, uint32_t slot)
{
    const struct pool *vehicles = &shard->world.vehicles;

    for (uint32_t at = pool_next(vehicles, 0); at != POOL_END; at = pool_next(vehicles, at + 1)) {
        struct vehicle *vehicle = world_vehicle_at(&shard->world, at);

        if (slot_of(shard, vehicle->scope.virtual_world) == slot)
            vehicle_destroy(shard, vehicle);
    }
}

static void drop_slot(struct shard *shard, uint32_t slot)
{
    drop_players(shard, slot);
    drop_vehicles(shard, slot);
    for (size_t i = 0; i < shard->config.vehicles_count; i++)
        if (slot_of(shard, (uint32_t)shard->vehicles[i].what.virtual_world) == slot)
            shard->vehicles[i].made = false;
    scopes_forget_slot(shard, slot);
    shard->slots[slot] = (struct owned_slot){ 0 };
}

static bool map_is_valid(const Bus__ClusterMap *map)
{
    if (map->n_slots == 0 || map->n_slots > SHARD_SLOTS_MAX)
        return false;
    for (size_t i = 0; i < map->n_slots; i++)
        if (map->slots[i] == NULL || map->slots[i]->shard == NULL)
            return false;
    return true;
}

static bool map_gives(const struct shard *shard, const Bus__ClusterMap *map, uint32_t slot)
{
    return slot < map->n_slots && map->n_slots == shard->slots_count &&
           strcmp(map->slots[slot]->shard, shard->config.name) == 0;
}

void ownership_on_map(struct shard *shard, const Bus__ClusterMap *map)
{
    if (!map_is_valid(map)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    if (map->revision < shard->map_revision) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    if (!scopes_set_spawns(shard, map->n_spawns, map->spawns)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    shard->map_revision = map->revision;
    for (uint32_t slot = 0; slot < shard->slots_count; slot++)
        if (shard->slots[slot].owned &&
            (!map_gives(shard, map, slot) || map->slots[slot]->fence != shard->slots[slot].fence))
            drop_slot(shard, slot);

    shard->slots_count = (uint32_t)map->n_slots;
    shard->stats.slots = 0;
    for (uint32_t slot = 0; slot < shard->slots_count; slot++) {
        bool owned = map_gives(shard, map, slot);

        shard->slots[slot] = (struct owned_slot){ .owned = owned, .fence = map->slots[slot]->fence };
        (void)snprintf(shard->slots[slot].shard, sizeof shard->slots[slot].shard, "%s",
                       map->slots[slot]->shard);
        shard->stats.slots += owned;
    }
    ownership_populate(shard);
    if (map->whole)
        list_on_whole(shard);
}

void ownership_populate(struct shard *shard)
{
    if (shard->slots_count == 0)
        return;
    for (size_t i = 0; i < shard->config.vehicles_count; i++) {
        struct configured_vehicle *configured = &shard->vehicles[i];

        if (configured->made || !shard->slots[slot_of(shard, (uint32_t)configured->what.virtual_world)].owned)
            continue;
        /* The check of the configuration has left room for all of them; the gamemode may have taken it. */
        if (shard->world.vehicles.count == shard->world.vehicles.capacity ||
            !ownership_take_id(shard, &configured->id))
            break;
        configured->made = vehicle_create(shard, configured->id, &configured->what) != NULL;
    }
    ask_for_ids(shard);
    scopes_start_spawns(shard);
}
