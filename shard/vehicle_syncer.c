#include "shard/vehicle_syncer.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_transform.h"

void vehicle_send_syncer(struct shard *shard, struct player *player, uint32_t vehicle_id, bool active)
{
    struct wire_vehicle_syncer syncer = { .vehicle_id = vehicle_id, .active = active };
    uint8_t packet[WIRE_VEHICLE_SYNCER_SIZE];
    struct wire_error error;
    size_t size = wire_vehicle_syncer_encode(&syncer, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

/* A paused player, a frozen one and a dead one are never syncers. */
static bool can_sync(const struct player *player)
{
    return player_is_alive(player) && !player->paused && !player->frozen;
}

static bool may_sync(const struct shard *shard, const struct player *player, const struct vehicle *vehicle)
{
    return player != NULL && can_sync(player) && stream_has_vehicle(shard, player, vehicle);
}

static bool keeps_syncing(const struct shard *shard, const struct vehicle *vehicle)
{
    if (vehicle->syncer == SLOT_NONE)
        return false;

    const struct player *syncer = world_player_at(&shard->world, vehicle->syncer);

    return may_sync(shard, syncer, vehicle) && distance_squared(syncer->place.pos, vehicle->pos) <
                                                   VEHICLE_SYNCER_RANGE_M * VEHICLE_SYNCER_RANGE_M;
}

static uint16_t nearest_observer(const struct shard *shard, const struct vehicle *vehicle)
{
    float nearest = VEHICLE_SYNCER_RANGE_M * VEHICLE_SYNCER_RANGE_M;
    uint16_t found = SLOT_NONE;

    for (uint16_t i = 0; i < vehicle->observers.count; i++) {
        uint16_t slot = vehicle->observers.observers[i];
        const struct player *player = world_player_at(&shard->world, slot);
        float distance = distance_squared(player->place.pos, vehicle->pos);

        /* Of two at the same distance the one with the lower id: the order of the observers means nothing. */
        if (can_sync(player) &&
            (distance < nearest ||
             (distance == nearest &&
              (found == SLOT_NONE || player->ref.id < world_player_at(&shard->world, found)->ref.id)))) {
            nearest = distance;
            found = slot;
        }
    }
    return found;
}

static uint16_t first_passenger(const struct shard *shard, const struct vehicle *vehicle)
{
    for (uint8_t seat = 1; seat < vehicle->model->seats; seat++)
        if (may_sync(shard, vehicle_occupant(shard, vehicle, seat), vehicle))
            return vehicle->seats[seat];
    return SLOT_NONE;
}

/* In the page's order. A chain is chosen for from its top down: who controls a trailer's tractor may be the
 * tractor's syncer. */
static uint16_t choose(const struct shard *shard, const struct vehicle *vehicle)
{
    const struct player *driver = vehicle_occupant(shard, vehicle, 0);
    const struct vehicle *holder = vehicle_holder(&shard->world, vehicle);
    const struct player *other;
    uint16_t passenger;

    if (driver != NULL && player_counts(driver))
        return SLOT_NONE;
    other = holder != NULL ? vehicle_controller(shard, holder) : vehicle_remote_driver(shard, vehicle);
    if (may_sync(shard, other, vehicle))
        return world_player_slot(&shard->world, other);
    passenger = holder != NULL ? SLOT_NONE : first_passenger(shard, vehicle);
    if (passenger != SLOT_NONE)
        return passenger;
    if (keeps_syncing(shard, vehicle))
        return vehicle->syncer;
    return nearest_observer(shard, vehicle);
}

/* What the gamemode is told waits until the pass is over. */
static void note_news(struct shard *shard, struct vehicle *vehicle)
{
    struct player_ref now = vehicle->syncer == SLOT_NONE
                                ? (struct player_ref){ 0 }
                                : world_player_at(&shard->world, vehicle->syncer)->ref;

    if (vehicle->syncer_news ||
        (now.id == vehicle->syncer_told.id && now.token == vehicle->syncer_told.token))
        return;
    vehicle->syncer_news = true;
    assert(shard->syncers_news_count < shard->world.vehicles.capacity);
    shard->syncers_news[shard->syncers_news_count++] = world_vehicle_slot(&shard->world, vehicle);
}

/* A frozen one does not fall, nor has one that was made that deep: the gamemode wants it there. */
static bool has_fallen(const struct vehicle *vehicle)
{
    return !vehicle->frozen && vehicle->pos[2] < VEHICLE_FALLEN_Z_M &&
           vehicle->pos[2] < vehicle->spawn.pos[2];
}

static void update(struct shard *shard, struct vehicle *vehicle)
{
    uint16_t before = vehicle->syncer;
    uint16_t after = choose(shard, vehicle);

    if (before != after) {
        vehicle->syncer = after;
        if (before != SLOT_NONE)
            vehicle_send_syncer(shard, world_player_at(&shard->world, before), vehicle->id, false);
        if (after != SLOT_NONE)
            vehicle_send_syncer(shard, world_player_at(&shard->world, after), vehicle->id, true);
    }
    note_news(shard, vehicle);
    if (after == SLOT_NONE && vehicle->seats[0] == SLOT_NONE && has_fallen(vehicle))
        vehicle_put_back(shard, vehicle);
}

static void update_chain(struct shard *shard, struct vehicle *top)
{
    struct vehicle *below[VEHICLE_CHAIN_MAX];
    size_t count = vehicle_chain_below(&shard->world, top, below);

    update(shard, top);
    for (size_t i = 0; i < count; i++)
        update(shard, below[i]);
}

/* ---- passes */

void vehicle_syncer_due(struct shard *shard, struct vehicle *vehicle)
{
    if (vehicle->syncer_due)
        return;
    vehicle->syncer_due = true;
    assert(shard->syncers_due_count < shard->world.vehicles.capacity);
    shard->syncers_due[shard->syncers_due_count++] = world_vehicle_slot(&shard->world, vehicle);
}

static void forget_slot(uint16_t *slots, uint32_t *count, uint16_t slot)
{
    uint32_t at = 0;

    while (slots[at] != slot)
        at++;
    slots[at] = slots[--*count];
}

void vehicle_syncer_cancel(struct shard *shard, struct vehicle *vehicle)
{
    uint16_t slot = world_vehicle_slot(&shard->world, vehicle);

    if (vehicle->syncer_due)
        forget_slot(shard->syncers_due, &shard->syncers_due_count, slot);
    if (vehicle->syncer_news)
        forget_slot(shard->syncers_news, &shard->syncers_news_count, slot);
    vehicle->syncer_due = false;
    vehicle->syncer_news = false;
}

static void update_due(struct shard *shard)
{
    while (shard->syncers_due_count > 0) {
        struct vehicle *vehicle =
            world_vehicle_at(&shard->world, shard->syncers_due[--shard->syncers_due_count]);

        assert(vehicle->syncer_due);
        vehicle->syncer_due = false;
        update_chain(shard, vehicle_chain_top(&shard->world, vehicle));
    }
}

static void raise_news(struct shard *shard)
{
    while (shard->syncers_news_count > 0) {
        struct vehicle *vehicle =
            world_vehicle_at(&shard->world, shard->syncers_news[--shard->syncers_news_count]);
        const struct player *previous = world_player(&shard->world, vehicle->syncer_told);
        const struct player *syncer =
            vehicle->syncer == SLOT_NONE ? NULL : world_player_at(&shard->world, vehicle->syncer);
        struct player_ref now = syncer == NULL ? (struct player_ref){ 0 } : syncer->ref;
        bool same = now.id == vehicle->syncer_told.id && now.token == vehicle->syncer_told.token;

        assert(vehicle->syncer_news);
        vehicle->syncer_news = false;
        vehicle->syncer_told = now;
        if (!same)
            (void)EVENT_RAISE(shard, EVENT_VEHICLE_SYNCER, event_vehicle(vehicle), event_player(syncer),
                              event_player(previous));
    }
}

/* What the handlers change is chosen for at once, but told with the next pass: once a vehicle and pass. */
static void finish_pass(struct shard *shard)
{
    raise_news(shard);
    update_due(shard);
}

void vehicle_syncer_run(struct shard *shard)
{
    update_due(shard);
    finish_pass(shard);
}

void vehicle_syncer_tick(struct shard *shard)
{
    const struct pool *vehicles = &shard->world.vehicles;

    update_due(shard);
    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1)) {
        struct vehicle *vehicle = world_vehicle_at(&shard->world, slot);

        if (vehicle_holder(&shard->world, vehicle) == NULL)
            update_chain(shard, vehicle);
    }
    finish_pass(shard);
}

bool vehicle_syncer_drop(struct shard *shard, struct vehicle *vehicle, const struct player *player)
{
    if (vehicle->syncer != world_player_slot(&shard->world, player))
        return false;
    vehicle->syncer = SLOT_NONE;
    vehicle_syncer_due(shard, vehicle);
    return true;
}
