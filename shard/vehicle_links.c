#include "shard/vehicle_links.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/shard.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_remote.h"
#include "shard/vehicle_winch.h"

static struct vehicle *find(const struct world *world, uint32_t id)
{
    return id == WIRE_NONE ? NULL : world_vehicle(world, id);
}

struct vehicle *vehicle_tractor(const struct world *world, const struct vehicle *vehicle)
{
    return find(world, vehicle->links.tractor_id);
}

struct vehicle *vehicle_trailer(const struct world *world, const struct vehicle *vehicle)
{
    return find(world, vehicle->links.trailer_id);
}

struct vehicle *vehicle_lifter(const struct world *world, const struct vehicle *vehicle)
{
    return find(world, vehicle->links.lifter_id);
}

struct vehicle *vehicle_load(const struct world *world, const struct vehicle *vehicle)
{
    return find(world, vehicle->links.load_id);
}

struct vehicle *vehicle_holder(const struct world *world, const struct vehicle *vehicle)
{
    struct vehicle *tractor = vehicle_tractor(world, vehicle);

    return tractor != NULL ? tractor : vehicle_lifter(world, vehicle);
}

struct vehicle *vehicle_hanging(const struct world *world, const struct vehicle *vehicle)
{
    struct vehicle *trailer = vehicle_trailer(world, vehicle);

    return trailer != NULL ? trailer : vehicle_load(world, vehicle);
}

bool vehicle_is_hitched(const struct vehicle *vehicle)
{
    return vehicle->links.tractor_id != WIRE_NONE || vehicle->links.trailer_id != WIRE_NONE;
}

/* ---- chains */

static unsigned links_above(const struct world *world, const struct vehicle *vehicle)
{
    unsigned links = 0;

    for (vehicle = vehicle_holder(world, vehicle); vehicle != NULL;
         vehicle = vehicle_holder(world, vehicle)) {
        links++;
        assert(links <= VEHICLE_CHAIN_MAX);
    }
    return links;
}

struct vehicle *vehicle_chain_top(const struct world *world, struct vehicle *vehicle)
{
    struct vehicle *holder = vehicle_holder(world, vehicle);

    while (holder != NULL) {
        vehicle = holder;
        holder = vehicle_holder(world, vehicle);
    }
    return vehicle;
}

size_t vehicle_chain_below(const struct world *world, const struct vehicle *vehicle,
                           struct vehicle *below[VEHICLE_CHAIN_MAX])
{
    struct vehicle *next = vehicle_hanging(world, vehicle);
    size_t count = 0;

    while (next != NULL) {
        assert(count < VEHICLE_CHAIN_MAX);
        below[count++] = next;
        next = vehicle_hanging(world, next);
    }
    return count;
}

bool vehicle_chain_would_loop(const struct world *world, const struct vehicle *holder,
                              const struct vehicle *hanging)
{
    while (holder != NULL && holder != hanging)
        holder = vehicle_holder(world, holder);
    return holder != NULL;
}

/* Ours: a winch counts as a link of the chain, too, or a chain of both kinds could be of any length. */
bool vehicle_chain_would_fit(const struct world *world, const struct vehicle *holder,
                             const struct vehicle *hanging)
{
    struct vehicle *below[VEHICLE_CHAIN_MAX];

    return links_above(world, holder) + 1 + vehicle_chain_below(world, hanging, below) <= VEHICLE_CHAIN_MAX;
}

/* ---- the server's own doing */

static void release_from_holder(struct shard *shard, struct vehicle *vehicle)
{
    vehicle_unhitch(shard, vehicle);
    vehicle_drop_from_winch(shard, vehicle);
}

static void release_both_ends(struct shard *shard, struct vehicle *vehicle)
{
    struct vehicle *hanging = vehicle_hanging(&shard->world, vehicle);

    release_from_holder(shard, vehicle);
    if (hanging != NULL)
        release_from_holder(shard, hanging);
}

void vehicle_links_release(struct shard *shard, struct vehicle *vehicle, enum links_why why)
{
    struct vehicle *load;

    switch (why) {
    case LINKS_DRIVEN:
        vehicle_unhitch(shard, vehicle);
        break;
    case LINKS_OCCUPIED:
        vehicle_drop_from_winch(shard, vehicle);
        break;
    case LINKS_REMOTE:
        release_from_holder(shard, vehicle);
        break;
    case LINKS_WINCH:
        load = vehicle_load(&shard->world, vehicle);
        if (load != NULL)
            vehicle_drop_from_winch(shard, load);
        break;
    case LINKS_SCOPE:
        release_from_holder(shard, vehicle);
        vehicle_remote_take_away(shard, vehicle);
        break;
    case LINKS_TRANSFORM:
        release_both_ends(shard, vehicle);
        break;
    case LINKS_RESPAWN:
        vehicle->remote.detonation = false;
        vehicle_train_respawn(vehicle);
        release_both_ends(shard, vehicle);
        vehicle_remote_take_away(shard, vehicle);
        break;
    case LINKS_WRECK:
    case LINKS_REMOVAL:
        release_both_ends(shard, vehicle);
        vehicle_remote_take_away(shard, vehicle);
        break;
    }
}

/* ---- life */

void vehicle_links_init(struct vehicle_links *links)
{
    *links = (struct vehicle_links){
        .tractor_id = WIRE_NONE, .trailer_id = WIRE_NONE, .lifter_id = WIRE_NONE, .load_id = WIRE_NONE
    };
}

void vehicle_links_check(const struct world *world, const struct vehicle *vehicle)
{
    const struct vehicle *tractor = vehicle_tractor(world, vehicle);
    const struct vehicle *trailer = vehicle_trailer(world, vehicle);
    const struct vehicle *lifter = vehicle_lifter(world, vehicle);
    const struct vehicle *load = vehicle_load(world, vehicle);
    unsigned links = 0;

    assert((tractor == NULL) == (vehicle->links.tractor_id == WIRE_NONE));
    assert((trailer == NULL) == (vehicle->links.trailer_id == WIRE_NONE));
    assert((lifter == NULL) == (vehicle->links.lifter_id == WIRE_NONE));
    assert((load == NULL) == (vehicle->links.load_id == WIRE_NONE));
    assert(tractor == NULL || tractor->links.trailer_id == vehicle->id);
    assert(trailer == NULL || trailer->links.tractor_id == vehicle->id);
    assert(lifter == NULL || lifter->links.load_id == vehicle->id);
    assert(load == NULL || load->links.lifter_id == vehicle->id);
    assert(tractor == NULL || lifter == NULL);
    assert(trailer == NULL || load == NULL);
    for (const struct vehicle *at = vehicle; at != NULL; at = vehicle_holder(world, at)) {
        assert(links <= VEHICLE_CHAIN_MAX);
        links++;
    }

    const struct vehicle *holder = tractor != NULL ? tractor : lifter;

    if (holder == NULL)
        return;
    assert(scope_equal(vehicle->scope, holder->scope));
    assert(!vehicle->wrecked && !holder->wrecked && !vehicle->frozen && !holder->frozen);
    assert(vehicle->seats[0] == SLOT_NONE);
    assert(vehicle->remote.driver == SLOT_NONE);
    for (unsigned seat = 0; lifter != NULL && seat < MODEL_SEATS_MAX; seat++)
        assert(vehicle->seats[seat] == SLOT_NONE);
}
