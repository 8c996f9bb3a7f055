#include "shard/vehicle_enter.h"

#include "shard/geometry.h"
#include "shard/stream.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_seat.h"

/* A request, by what stays true while handlers run. */
struct entry {
    struct player *player; /* does not go away while it is handled */
    uint32_t vehicle_id;
    uint8_t epoch;
    uint8_t seat;
    uint16_t driver; /* player slot: who is to be jacked */
};

static bool is_jack(const struct shard *shard, const struct player *player, const struct vehicle *vehicle,
                    uint8_t seat)
{
    return seat == 0 && vehicle->seats[0] != SLOT_NONE &&
           vehicle->seats[0] != world_player_slot(&shard->world, player);
}

/* clang-format off: a line for each condition of the page */
enum reason vehicle_enter_check(const struct shard *shard, const struct player *player,
                                const struct vehicle *vehicle, uint8_t seat)
{
    float range = VEHICLE_ENTER_RANGE_M + vehicle_seat_distance(vehicle->model, seat);

    if (vehicle->leaving)
        return REASON_NO_VEHICLE;
    if (!stream_has_vehicle(shard, player, vehicle))
        return REASON_NOT_STREAMED;
    if (!scope_equal(player->place.scope, vehicle->scope))
        return REASON_OTHER_SCOPE;
    if (!player_is_spawned(player))
        return REASON_NOT_SPAWNED;
    if (!player_is_alive(player))
        return REASON_NOT_ALIVE;
    if (player->frozen)
        return REASON_FROZEN;
    if (!within(player->place.pos, vehicle->pos, range))
        return REASON_OUT_OF_RANGE;
    if (seat >= vehicle->model->seats)
        return REASON_NO_SEAT;
    if (vehicle->seats[seat] != SLOT_NONE && !is_jack(shard, player, vehicle, seat))
        return REASON_SEAT_TAKEN;
    if (player->vehicle != SLOT_NONE && player->vehicle != world_vehicle_slot(&shard->world, vehicle))
        return REASON_SEATED_ELSEWHERE;
    if (vehicle->derailed)
        return REASON_DERAILED;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    if (vehicle_is_locked_for(shard, vehicle, player))
        return REASON_LOCKED;
    if (is_jack(shard, player, vehicle, seat) && !settings_jacking(shard))
        return REASON_JACKING_OFF;
    return REASON_NONE;
}
/* clang-format on */

/* The check again, with what must not have changed since the request. */
static enum reason entry_check(const struct shard *shard, const struct entry *entry)
{
    const struct vehicle *vehicle = world_vehicle(&shard->world, entry->vehicle_id);
    enum reason refused;

    if (vehicle == NULL)
        return REASON_NO_VEHICLE;
    if (vehicle->epoch != entry->epoch)
        return REASON_OLD_EPOCH;
    refused = vehicle_enter_check(shard, entry->player, vehicle, entry->seat);
    if (refused != REASON_NONE)
        return refused;
    /* A driver who has changed is a deny; a seat that has become free is a plain enter. */
    if (is_jack(shard, entry->player, vehicle, entry->seat) && vehicle->seats[0] != entry->driver)
        return REASON_SEAT_TAKEN;
    return REASON_NONE;
}

static struct event_value driver_of(const struct shard *shard, const struct entry *entry)
{
    return event_player(entry->driver == SLOT_NONE ? NULL : world_player_at(&shard->world, entry->driver));
}

/* The gamemode's handlers are asked, and everything is checked again. */
static enum reason entry_ask(struct shard *shard, const struct entry *entry)
{
    const struct vehicle *vehicle = world_vehicle(&shard->world, entry->vehicle_id);
    enum reason refused;

    if (!EVENT_RAISE(shard, EVENT_VEHICLE_START_ENTER, event_vehicle(vehicle), event_player(entry->player),
                     event_integer(entry->seat), driver_of(shard, entry)))
        return REASON_HANDLER;
    refused = entry_check(shard, entry);
    if (refused != REASON_NONE)
        return refused;

    vehicle = world_vehicle(&shard->world, entry->vehicle_id);
    if (!is_jack(shard, entry->player, vehicle, entry->seat))
        return REASON_NONE;
    if (!EVENT_RAISE(shard, EVENT_VEHICLE_JACK, event_vehicle(vehicle), event_player(entry->player),
                     driver_of(shard, entry)))
        return REASON_HANDLER;
    return entry_check(shard, entry);
}

/* Vehicles: VehicleEnter. */
void on_vehicle_enter(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_enter enter;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_enter_decode(&enter, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    const struct vehicle *vehicle = world_vehicle(&shard->world, enter.vehicle_id);
    enum reason refused =
        vehicle == NULL ? REASON_NO_VEHICLE : vehicle_enter_check(shard, player, vehicle, enter.seat);

    if (refused == REASON_NONE) {
        struct entry entry = {
            .player = player,
            .vehicle_id = vehicle->id,
            .epoch = vehicle->epoch,
            .seat = enter.seat,
            .driver = is_jack(shard, player, vehicle, enter.seat) ? vehicle->seats[0] : SLOT_NONE,
        };

        refused = entry_ask(shard, &entry);
    }
    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        vehicle_send_deny(shard, player, enter.vehicle_id, enter.seat);
        return;
    }
    vehicle_seat_player(shard, player, world_vehicle(&shard->world, enter.vehicle_id), enter.seat,
                        SEAT_ENTERED);
    stream_update(shard, player);
}

/* Vehicles: VehicleExit. */
void on_vehicle_exit(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_exit request;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_exit_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    if (player->vehicle == SLOT_NONE ||
        world_vehicle_at(&shard->world, player->vehicle)->id != request.vehicle_id) {
        shard_count(shard, REASON_SEAT_NOT_HELD);
        return;
    }
    vehicle_killer_forget(player);
    vehicle_unseat(shard, player);
    stream_update(shard, player);
}
