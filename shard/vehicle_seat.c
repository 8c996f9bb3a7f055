#include "shard/vehicle_seat.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_syncer.h"

/* Vehicles: VehicleOccupancy.kind. */
enum occupancy { OCCUPANCY_EXIT, OCCUPANCY_ENTER, OCCUPANCY_WARP, OCCUPANCY_DENY, OCCUPANCY_JACKED };

/* Vehicles: VehicleSync, Trains: the locomotive's own seats, then so many a carriage. */
enum { LOCOMOTIVE_SEATS = 6, CARRIAGE_SEATS = 5 };

static size_t encode_occupancy(uint32_t vehicle_id, const struct player *player, uint8_t seat,
                               enum occupancy kind, uint8_t *packet, size_t room)
{
    struct wire_vehicle_occupancy occupancy = {
        .vehicle_id = vehicle_id,
        .player_id = player->ref.id,
        .player_token = player->ref.token,
        .seat = seat,
        .kind = (uint8_t)kind,
    };
    struct wire_error error;
    size_t size = wire_vehicle_occupancy_encode(&occupancy, packet, room, &error);

    assert(size > 0);
    return size;
}

static void tell_everyone(struct shard *shard, struct vehicle *vehicle, const struct player *player,
                          uint8_t seat, enum occupancy kind)
{
    uint8_t packet[WIRE_VEHICLE_OCCUPANCY_SIZE];

    send_group_critical(shard, &vehicle->observers, packet,
                        encode_occupancy(vehicle->id, player, seat, kind, packet, sizeof packet));
}

static void deny(struct shard *shard, struct player *player, uint32_t vehicle_id, uint8_t seat,
                 enum reason why)
{
    uint8_t packet[WIRE_VEHICLE_OCCUPANCY_SIZE];

    shard_count(shard, why);
    send_critical(shard, player, packet,
                  encode_occupancy(vehicle_id, player, seat, OCCUPANCY_DENY, packet, sizeof packet));
}

void vehicle_send_seated(struct shard *shard, struct player *observer, const struct vehicle *vehicle,
                         uint8_t seat)
{
    const struct player *occupant = world_player_at(&shard->world, vehicle->seats[seat]);
    uint8_t packet[WIRE_VEHICLE_OCCUPANCY_SIZE];

    send_critical(shard, observer, packet,
                  encode_occupancy(vehicle->id, occupant, seat, OCCUPANCY_WARP, packet, sizeof packet));
}

float vehicle_seat_distance(const struct model *model, uint8_t seat)
{
    if (model->vehicle_class != MODEL_TRAIN || seat < LOCOMOTIVE_SEATS)
        return 0;

    int carriage = (seat - LOCOMOTIVE_SEATS) / CARRIAGE_SEATS + 1;

    return TRAIN_CARRIAGE_M * (float)carriage;
}

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

    if (!stream_has_vehicle(shard, player, vehicle))
        return REASON_NOT_STREAMED;
    if (!scope_equal(player->place.scope, vehicle->scope))
        return REASON_OTHER_SCOPE;
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
    if (is_jack(shard, player, vehicle, seat) && !shard->config.jacking)
        return REASON_JACKING_OFF;
    return REASON_NONE;
}
/* clang-format on */

/* Empties the seat of the player; what follows from it is the caller's. */
static struct vehicle *leave_seat(struct shard *shard, struct player *player)
{
    struct vehicle *vehicle = world_vehicle_at(&shard->world, player->vehicle);

    assert(vehicle->seats[player->seat] == world_player_slot(&shard->world, player));
    vehicle->seats[player->seat] = SLOT_NONE;
    player->vehicle = SLOT_NONE;
    player->seat = 0;
    vehicle_syncer_due(shard, vehicle);
    return vehicle;
}

static void free_seat(struct shard *shard, struct player *player, enum occupancy kind)
{
    uint8_t seat = player->seat;

    tell_everyone(shard, leave_seat(shard, player), player, seat, kind);
}

void vehicle_unseat(struct shard *shard, struct player *player)
{
    if (player->vehicle != SLOT_NONE)
        free_seat(shard, player, OCCUPANCY_EXIT);
}

void vehicle_unseat_silently(struct shard *shard, struct player *player)
{
    if (player->vehicle != SLOT_NONE)
        leave_seat(shard, player);
}

static void take_seat(struct shard *shard, struct player *player, struct vehicle *vehicle, uint8_t seat)
{
    if (vehicle->seats[seat] != SLOT_NONE)
        free_seat(shard, world_player_at(&shard->world, vehicle->seats[seat]), OCCUPANCY_JACKED);
    vehicle_unseat(shard, player);
    vehicle->seats[seat] = world_player_slot(&shard->world, player);
    player->vehicle = world_vehicle_slot(&shard->world, vehicle);
    player->seat = seat;
    tell_everyone(shard, vehicle, player, seat, OCCUPANCY_ENTER);
    vehicle_remote_release(shard, player, REMOTE_BOARDED);
    vehicle_links_release(shard, vehicle, LINKS_OCCUPIED);
    if (seat == 0)
        vehicle_links_release(shard, vehicle, LINKS_DRIVEN);
    vehicle_syncer_due(shard, vehicle);
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

    struct vehicle *vehicle = world_vehicle(&shard->world, enter.vehicle_id);
    enum reason refused =
        vehicle == NULL ? REASON_NO_VEHICLE : vehicle_enter_check(shard, player, vehicle, enter.seat);

    if (refused != REASON_NONE) {
        deny(shard, player, enter.vehicle_id, enter.seat, refused);
        return;
    }
    take_seat(shard, player, vehicle, enter.seat);
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
