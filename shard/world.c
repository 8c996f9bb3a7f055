#include "shard/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shard/geometry.h"

static size_t list_words(const struct world *world)
{
    return (world->player_ids + 63) / 64;
}

static size_t slot_words(const struct world *world)
{
    return (world->players.capacity + 63) / 64;
}

/* A player's row: what it is shown (players, vehicles), and its observers. A vehicle's: its observers. */
static size_t player_row(const struct world *world)
{
    return 2 * (size_t)world->players.capacity + world->vehicles.capacity;
}

int world_init(struct world *world, struct world_size size)
{
    *world = (struct world){ 0 };
    assert(size.players <= WORLD_PLAYERS_MAX && size.vehicles <= WORLD_VEHICLES_MAX);
    assert(size.player_ids <= WORLD_PLAYER_IDS_MAX);
    world->player_ids = size.player_ids;
    if (pool_init(&world->players, sizeof(struct player), size.players) != 0 ||
        pool_init(&world->vehicles, sizeof(struct vehicle), size.vehicles) != 0 ||
        idmap_init(&world->vehicle_slots, size.vehicles) != 0 ||
        grid_init(&world->player_grid, size.players) != 0 ||
        grid_init(&world->vehicle_grid, size.vehicles) != 0)
        goto fail;

    /* calloc: a row that nobody has used takes no memory yet. */
    world->player_slots = malloc(size.player_ids * sizeof *world->player_slots);
    world->player_rows = calloc(size.players, player_row(world) * sizeof *world->player_rows);
    world->vehicle_rows = calloc(size.vehicles, size.players * sizeof *world->vehicle_rows);
    world->list_rows = calloc(size.players, 3 * list_words(world) * sizeof *world->list_rows);
    world->skills_rows = calloc(size.players, slot_words(world) * sizeof *world->skills_rows);
    world->owed_rows = calloc(size.players, PLAYER_OWED_HIDES_MAX * sizeof *world->owed_rows);
    world->everyone.observers = calloc(size.players, sizeof *world->everyone.observers);
    if (world->player_slots == NULL || world->player_rows == NULL || world->vehicle_rows == NULL ||
        world->list_rows == NULL || world->skills_rows == NULL || world->owed_rows == NULL ||
        world->everyone.observers == NULL)
        goto fail;
    for (uint32_t id = 0; id < size.player_ids; id++)
        world->player_slots[id] = SLOT_NONE;
    world->everyone.id = (uint64_t)ENTITY_EVERYONE << 32;
    return 0;

fail:
    world_fini(world);
    return -1;
}

static void vehicle_fini(struct vehicle *vehicle)
{
    vehicle_params_fini(vehicle);
    notes_fini(&vehicle->notes);
}

void world_fini(struct world *world)
{
    for (uint32_t slot = pool_next(&world->vehicles, 0); slot != POOL_END;
         slot = pool_next(&world->vehicles, slot + 1))
        vehicle_fini(world_vehicle_at(world, slot));
    for (uint32_t slot = pool_next(&world->players, 0); slot != POOL_END;
         slot = pool_next(&world->players, slot + 1))
        notes_fini(&world_player_at(world, slot)->notes);
    pool_fini(&world->players);
    pool_fini(&world->vehicles);
    idmap_fini(&world->vehicle_slots);
    grid_fini(&world->player_grid);
    grid_fini(&world->vehicle_grid);
    free(world->player_slots);
    free(world->player_rows);
    free(world->vehicle_rows);
    free(world->list_rows);
    free(world->skills_rows);
    free(world->owed_rows);
    free(world->everyone.observers);
    *world = (struct world){ 0 };
}

struct player *world_add_player(struct world *world, struct player_ref ref)
{
    struct pool_ref slot;
    struct player *player;

    if (ref.id >= world->player_ids)
        return NULL;
    assert(world->player_slots[ref.id] == SLOT_NONE);
    player = pool_take(&world->players, &slot);
    if (player == NULL)
        return NULL;

    uint16_t *row = world->player_rows + slot.index * player_row(world);
    uint64_t *list = world->list_rows + (size_t)slot.index * 3 * list_words(world);

    memset(list, 0, 3 * list_words(world) * sizeof *list);
    player->skills_owed = world->skills_rows + slot.index * slot_words(world);
    memset(player->skills_owed, 0, slot_words(world) * sizeof *player->skills_owed);
    player->ref = ref;
    player->vehicle = SLOT_NONE;
    player->remote_id = WIRE_NONE;
    player->shown_players = (struct slot_set){ .slots = row, .capacity = (uint16_t)world->players.capacity };
    row += world->players.capacity;
    player->observers = (struct group){ .id = (uint64_t)ENTITY_PLAYER << 32 | ref.id, .observers = row };
    row += world->players.capacity;
    player->shown_vehicles =
        (struct slot_set){ .slots = row, .capacity = (uint16_t)world->vehicles.capacity };
    player->owed_hides = world->owed_rows + slot.index * (size_t)PLAYER_OWED_HIDES_MAX;
    player->entries_owed = list;
    player->leaves_owed = list + list_words(world);
    player->leaves_shown = list + 2 * list_words(world);
    world->player_slots[ref.id] = (uint16_t)slot.index;
    if (ref.token > world->highest_token)
        world->highest_token = ref.token;
    return player;
}

void world_remove_player(struct world *world, struct player *player)
{
    uint16_t slot = world_player_slot(world, player);

    assert(player->vehicle == SLOT_NONE);
    assert(player->remote_id == WIRE_NONE);
    assert(player->observers.count == 0);
    assert(player->shown_players.count == 0 && player->shown_vehicles.count == 0);
    assert(!grid_has(&world->player_grid, slot));
    notes_fini(&player->notes);
    world->player_slots[player->ref.id] = SLOT_NONE;
    pool_release(&world->players, pool_ref_at(&world->players, slot));
}

struct player *world_player_by_id(const struct world *world, uint32_t id)
{
    if (id >= world->player_ids || world->player_slots[id] == SLOT_NONE)
        return NULL;
    return world_player_at(world, world->player_slots[id]);
}

struct player *world_player(const struct world *world, struct player_ref ref)
{
    struct player *player = world_player_by_id(world, ref.id);

    return player != NULL && player->ref.token == ref.token ? player : NULL;
}

struct player *world_player_at(const struct world *world, uint32_t slot)
{
    return (struct player *)(void *)world->players.items + slot;
}

uint16_t world_player_slot(const struct world *world, const struct player *player)
{
    return (uint16_t)(player - (const struct player *)(const void *)world->players.items);
}

struct vehicle *world_add_vehicle(struct world *world, uint32_t id)
{
    struct pool_ref slot;
    struct vehicle *vehicle = pool_take(&world->vehicles, &slot);

    if (vehicle == NULL)
        return NULL;
    vehicle->id = id;
    vehicle->syncer = SLOT_NONE;
    vehicle->remote.driver = SLOT_NONE;
    vehicle_links_init(&vehicle->links);
    for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
        vehicle->seats[seat] = SLOT_NONE;
    vehicle->observers.id = (uint64_t)ENTITY_VEHICLE << 32 | id;
    vehicle->observers.observers = world->vehicle_rows + slot.index * (size_t)world->players.capacity;
    idmap_put(&world->vehicle_slots, id, slot.index);
    if (id > world->highest_vehicle_id)
        world->highest_vehicle_id = id;
    return vehicle;
}

void world_remove_vehicle(struct world *world, struct vehicle *vehicle)
{
    uint16_t slot = world_vehicle_slot(world, vehicle);

    assert(vehicle->observers.count == 0);
    assert(!grid_has(&world->vehicle_grid, slot));
    notes_fini(&vehicle->notes);
    idmap_remove(&world->vehicle_slots, vehicle->id);
    pool_release(&world->vehicles, pool_ref_at(&world->vehicles, slot));
}

struct vehicle *world_vehicle(const struct world *world, uint32_t id)
{
    uint32_t slot = idmap_get(&world->vehicle_slots, id);

    return slot == IDMAP_NONE ? NULL : world_vehicle_at(world, slot);
}

struct vehicle *world_vehicle_at(const struct world *world, uint32_t slot)
{
    return (struct vehicle *)(void *)world->vehicles.items + slot;
}

uint16_t world_vehicle_slot(const struct world *world, const struct vehicle *vehicle)
{
    return (uint16_t)(vehicle - (const struct vehicle *)(const void *)world->vehicles.items);
}

/* The first place whose slot is not below `slot`. */
static uint16_t slot_set_place(const struct slot_set *set, uint16_t slot)
{
    uint16_t low = 0;
    uint16_t high = set->count;

    while (low < high) {
        uint16_t middle = (uint16_t)((low + high) / 2);

        if (set->slots[middle] < slot)
            low = (uint16_t)(middle + 1);
        else
            high = middle;
    }
    return low;
}

bool slot_set_has(const struct slot_set *set, uint16_t slot)
{
    uint16_t at = slot_set_place(set, slot);

    return at < set->count && set->slots[at] == slot;
}

void slot_set_add(struct slot_set *set, uint16_t slot)
{
    uint16_t at = slot_set_place(set, slot);

    assert(set->count < set->capacity);
    assert(at == set->count || set->slots[at] != slot);
    memmove(set->slots + at + 1, set->slots + at, (size_t)(set->count - at) * sizeof *set->slots);
    set->slots[at] = slot;
    set->count++;
}

bool slot_set_remove(struct slot_set *set, uint16_t slot)
{
    uint16_t at = slot_set_place(set, slot);

    if (at == set->count || set->slots[at] != slot)
        return false;
    set->count--;
    memmove(set->slots + at, set->slots + at + 1, (size_t)(set->count - at) * sizeof *set->slots);
    return true;
}

/* ---- world_check */

static void check_group(const struct world *world, const struct group *group)
{
    uint16_t members[WORLD_GATEWAYS_MAX] = { 0 };

    for (uint16_t i = 0; i < group->count; i++) {
        assert(pool_at(&world->players, group->observers[i]) != NULL);
        members[world_player_at(world, group->observers[i])->gateway]++;
    }
    for (unsigned gateway = 0; gateway < WORLD_GATEWAYS_MAX; gateway++) {
        assert(members[gateway] == group->members[gateway]);
        assert((members[gateway] > 0) == ((group->gateways >> gateway & 1) != 0));
    }
}

static bool observes(const struct group *group, uint16_t slot)
{
    for (uint16_t i = 0; i < group->count; i++)
        if (group->observers[i] == slot)
            return true;
    return false;
}

static void check_sorted(const struct slot_set *set)
{
    for (uint16_t i = 1; i < set->count; i++)
        assert(set->slots[i - 1] < set->slots[i]);
}

static void check_owed_skills(const struct world *world, const struct player *player)
{
    uint32_t count = 0;

    for (uint32_t word = 0; word < slot_words(world); word++)
        for (uint64_t owed = player->skills_owed[word]; owed != 0; owed &= owed - 1) {
            assert(slot_set_has(&player->shown_players,
                                (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(owed))));
            count++;
        }
    assert(count == player->skills_owed_count);
}

static void check_player(const struct world *world, const struct player *player)
{
    uint16_t slot = world_player_slot(world, player);

    assert(world_player(world, player->ref) == player);
    assert(inside_world(player->place.pos));
    assert(grid_has(&world->player_grid, slot) == player_is_spawned(player));
    assert(player->state != LIFE_ALIVE || player->framed);
    assert((player->state == LIFE_CONNECTED) == (player->life == 0));
    assert(!player->barrier.pending || (player->shown_players.count == 0 && player->observers.count == 0));
    assert(player_is_spawned(player) || (player->shown_players.count == 0 && player->observers.count == 0));
    check_group(world, &player->observers);
    check_sorted(&player->shown_players);
    check_sorted(&player->shown_vehicles);
    for (uint16_t i = 0; i < player->shown_players.count; i++) {
        uint16_t other = player->shown_players.slots[i];

        assert(other != slot);
        assert(pool_at(&world->players, other) != NULL);
        assert(observes(&world_player_at(world, other)->observers, slot));
    }
    for (uint16_t i = 0; i < player->shown_vehicles.count; i++) {
        assert(pool_at(&world->vehicles, player->shown_vehicles.slots[i]) != NULL);
        assert(observes(&world_vehicle_at(world, player->shown_vehicles.slots[i])->observers, slot));
    }
    check_owed_skills(world, player);
    for (uint16_t i = 0; i < player->observers.count; i++)
        assert(slot_set_has(&world_player_at(world, player->observers.observers[i])->shown_players, slot));

    /* Vehicles: VehicleOccupancy. A vehicle is always streamed to its occupants, and they are in its
     * scope. */
    if (player->vehicle != SLOT_NONE) {
        const struct vehicle *vehicle = world_vehicle_at(world, player->vehicle);

        assert(pool_at(&world->vehicles, player->vehicle) == vehicle);
        assert(vehicle->seats[player->seat] == slot);
        assert(scope_equal(vehicle->scope, player->place.scope));
        assert(player->state == LIFE_ALIVE);
    }
    if (player->remote_id != WIRE_NONE) {
        assert(world_vehicle(world, player->remote_id)->remote.driver == slot);
        assert(player->vehicle == SLOT_NONE && player->state == LIFE_ALIVE);
        assert(scope_equal(world_vehicle(world, player->remote_id)->scope, player->place.scope));
    }
}

static void check_vehicle(const struct world *world, const struct vehicle *vehicle)
{
    uint16_t slot = world_vehicle_slot(world, vehicle);

    assert(world_vehicle(world, vehicle->id) == vehicle);
    assert(inside_world(vehicle->pos));
    assert(between(vector_length(vehicle->rot, 4), 0.9f, 1.1f));
    assert(grid_has(&world->vehicle_grid, slot));
    check_group(world, &vehicle->observers);
    for (uint16_t i = 0; i < vehicle->observers.count; i++)
        assert(slot_set_has(&world_player_at(world, vehicle->observers.observers[i])->shown_vehicles, slot));
    for (unsigned seat = 0; seat < MODEL_SEATS_MAX; seat++) {
        if (vehicle->seats[seat] == SLOT_NONE)
            continue;
        assert(seat < vehicle->model->seats);
        assert(world_player_at(world, vehicle->seats[seat])->vehicle == slot);
        assert(world_player_at(world, vehicle->seats[seat])->seat == seat);
    }
    vehicle_links_check(world, vehicle);
    if (vehicle->remote.driver != SLOT_NONE) {
        const struct player *driver = world_player_at(world, vehicle->remote.driver);

        assert(pool_at(&world->players, vehicle->remote.driver) == driver);
        assert(driver->remote_id == vehicle->id);
        assert(vehicle->model->vehicle_class == MODEL_RC && !vehicle->wrecked);
    }
    if (vehicle->syncer != SLOT_NONE) {
        const struct player *syncer = world_player_at(world, vehicle->syncer);

        assert(pool_at(&world->players, vehicle->syncer) == syncer);
        assert(slot_set_has(&syncer->shown_vehicles, slot));
        assert(vehicle->seats[0] == SLOT_NONE || !player_counts(world_player_at(world, vehicle->seats[0])));
    }
}

void world_check(const struct world *world)
{
    uint32_t ids = 0;

    for (uint32_t slot = pool_next(&world->players, 0); slot != POOL_END;
         slot = pool_next(&world->players, slot + 1))
        check_player(world, world_player_at(world, slot));
    for (uint32_t slot = pool_next(&world->vehicles, 0); slot != POOL_END;
         slot = pool_next(&world->vehicles, slot + 1))
        check_vehicle(world, world_vehicle_at(world, slot));
    for (uint32_t id = 0; id < world->player_ids; id++)
        if (world->player_slots[id] != SLOT_NONE)
            ids++;
    assert(ids == world->players.count);
    assert(world->everyone.count == world->players.count);
    assert(world->vehicle_slots.count == world->vehicles.count);
    check_group(world, &world->everyone);
}
