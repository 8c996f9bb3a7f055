#include "shard/vehicle_put.h"

#include <string.h>

#include "shard/geometry.h"
#include "shard/player_place.h"
#include "shard/scopes.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"

static bool sits_there(const struct shard *shard, const struct player *player, const struct vehicle *vehicle,
                       uint8_t seat)
{
    return player->vehicle == world_vehicle_slot(&shard->world, vehicle) && player->seat == seat;
}

/* clang-format off: a line for each condition */
static enum reason put_check(const struct player *player, const struct vehicle *vehicle, uint8_t seat)
{
    if (vehicle->leaving)
        return REASON_NO_VEHICLE;
    if (!player_is_alive(player))
        return REASON_NOT_ALIVE;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (seat >= vehicle->model->seats)
        return REASON_NO_SEAT;
    if (vehicle->seats[seat] != SLOT_NONE)
        return REASON_SEAT_TAKEN;
    return REASON_NONE;
}
/* clang-format on */

/* The player is where its vehicle is until its next frame. */
static void place_at_vehicle(struct shard *shard, struct player *player, const struct vehicle *vehicle)
{
    struct place to = { .scope = vehicle->scope, .heading = heading_from_rotation(vehicle->rot) };

    memcpy(to.pos, vehicle->pos, sizeof to.pos);
    if (!scope_equal(player->place.scope, to.scope)) {
        player_put(shard, player, shard->now_ms, PLACE_TELEPORT, &to);
        return;
    }
    player->place = to;
    player->placed_at_ms = shard->now_ms;
    player->movement_strikes = 0;
    stream_place_player(shard, player);
    stream_update_subject(shard, player);
    stream_update(shard, player);
}

/* A scope that is new to the gamemode is told to it first, which may do anything: the vehicle is still there
 * and not about to go? */
static bool is_still_there(const struct shard *shard, const struct vehicle *vehicle, uint32_t id)
{
    return world_vehicle(&shard->world, id) == vehicle && !vehicle->leaving;
}

enum reason vehicle_put_player(struct shard *shard, struct player *player, struct vehicle *vehicle,
                               uint8_t seat)
{
    uint32_t id = vehicle->id;
    enum reason refused = put_check(player, vehicle, seat);

    if (sits_there(shard, player, vehicle, seat))
        return REASON_NONE;
    if (refused == REASON_NONE)
        refused = scopes_need(shard, vehicle->scope);
    if (refused == REASON_NONE)
        refused = is_still_there(shard, vehicle, id) ? put_check(player, vehicle, seat) : REASON_NO_VEHICLE;
    if (refused != REASON_NONE)
        return refused;
    vehicle_seat_player(shard, player, vehicle, seat, SEAT_WARPED);
    place_at_vehicle(shard, player, vehicle);
    vehicle_raise_seats(shard);
    return REASON_NONE;
}

enum reason vehicle_remove_player(struct shard *shard, struct player *player)
{
    if (player->vehicle == SLOT_NONE)
        return REASON_SEAT_NOT_HELD;
    vehicle_unseat(shard, player);
    stream_update(shard, player);
    vehicle_raise_seats(shard);
    return REASON_NONE;
}

/* ---- scopes */

static void change_scope(struct shard *shard, struct vehicle *vehicle, struct scope scope)
{
    vehicle->scope = scope;
    vehicle->spawn.scope = scope;
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), scope, vehicle->pos);
}

/* The vehicle itself and all that hangs on it. */
enum { ALONG_MAX = 1 + VEHICLE_CHAIN_MAX };

static size_t occupants_of(const struct shard *shard, struct vehicle *const along[], size_t count,
                           struct player_ref occupants[ALONG_MAX * MODEL_SEATS_MAX])
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
            if (along[i]->seats[seat] != SLOT_NONE)
                occupants[found++] = world_player_at(&shard->world, along[i]->seats[seat])->ref;
    return found;
}

/* Whoever still sits in a vehicle of that scope when its turn comes: handlers may hear of those before it. */
static void take_along(struct shard *shard, struct player_ref ref, struct scope scope)
{
    struct player *player = world_player(&shard->world, ref);
    struct place to;

    if (player == NULL || player->vehicle == SLOT_NONE ||
        !scope_equal(world_vehicle_at(&shard->world, player->vehicle)->scope, scope) ||
        scope_equal(player->place.scope, scope))
        return;
    to = player->place;
    to.scope = scope;
    player_put(shard, player, shard->now_ms, PLACE_TELEPORT, &to);
}

enum reason vehicle_set_scope(struct shard *shard, struct vehicle *vehicle, struct scope scope)
{
    struct vehicle *along[ALONG_MAX];
    struct player_ref occupants[ALONG_MAX * MODEL_SEATS_MAX];
    uint32_t id = vehicle->id;
    enum reason refused = vehicle->leaving ? REASON_NO_VEHICLE : scopes_need(shard, scope);
    size_t vehicles;
    size_t players;

    if (refused != REASON_NONE)
        return refused;
    if (!is_still_there(shard, vehicle, id))
        return REASON_NO_VEHICLE;
    if (scope_equal(vehicle->scope, scope))
        return REASON_NONE;
    vehicle_links_release(shard, vehicle, LINKS_SCOPE);
    along[0] = vehicle;
    vehicles = 1 + vehicle_chain_below(&shard->world, vehicle, along + 1);
    players = occupants_of(shard, along, vehicles, occupants);
    for (size_t i = 0; i < vehicles; i++)
        change_scope(shard, along[i], scope);
    for (size_t i = 0; i < vehicles; i++)
        stream_hide_left_behind(shard, along[i]);
    for (size_t i = 0; i < players; i++)
        take_along(shard, occupants[i], scope);
    return REASON_NONE;
}
