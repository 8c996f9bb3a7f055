#include "shard/vehicle_seat.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
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

void vehicle_send_deny(struct shard *shard, struct player *player, uint32_t vehicle_id, uint8_t seat)
{
    uint8_t packet[WIRE_VEHICLE_OCCUPANCY_SIZE];

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

/* ---- what the gamemode is told */

static void note(struct shard *shard, enum event event, const struct player *player,
                 const struct vehicle *vehicle, uint8_t seat)
{
    if (!event_is_heard(shard, event))
        return;
    assert(shard->seat_news_count < shard->world.players.capacity + SEAT_NEWS_OF_ONE);
    shard->seat_news[shard->seat_news_count++] = (struct seat_news){
        .player = player->ref,
        .vehicle_id = vehicle->id,
        .seat = seat,
        .entered = event == EVENT_PLAYER_ENTER_VEHICLE,
    };
}

void vehicle_raise_seats(struct shard *shard)
{
    while (shard->seat_news_count > 0) {
        struct seat_news news = shard->seat_news[0];
        const struct player *player = world_player(&shard->world, news.player);
        const struct vehicle *vehicle = world_vehicle(&shard->world, news.vehicle_id);

        shard->seat_news_count--;
        memmove(shard->seat_news, shard->seat_news + 1, shard->seat_news_count * sizeof *shard->seat_news);
        if (player == NULL || vehicle == NULL)
            continue;
        (void)EVENT_RAISE(shard, news.entered ? EVENT_PLAYER_ENTER_VEHICLE : EVENT_PLAYER_EXIT_VEHICLE,
                          event_player(player), event_vehicle(vehicle), event_integer(news.seat));
    }
}

/* ---- seats */

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
    struct vehicle *vehicle = leave_seat(shard, player);

    tell_everyone(shard, vehicle, player, seat, kind);
    note(shard, EVENT_PLAYER_EXIT_VEHICLE, player, vehicle, seat);
}

void vehicle_unseat(struct shard *shard, struct player *player)
{
    if (player->vehicle != SLOT_NONE)
        free_seat(shard, player, OCCUPANCY_EXIT);
}

void vehicle_unseat_all(struct shard *shard, struct vehicle *vehicle)
{
    for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
        if (vehicle->seats[seat] != SLOT_NONE)
            vehicle_unseat(shard, world_player_at(&shard->world, vehicle->seats[seat]));
}

void vehicle_unseat_silently(struct shard *shard, struct player *player)
{
    if (player->vehicle != SLOT_NONE)
        leave_seat(shard, player);
}

void vehicle_seat_player(struct shard *shard, struct player *player, struct vehicle *vehicle, uint8_t seat,
                         enum seat_way way)
{
    if (vehicle->seats[seat] != SLOT_NONE)
        free_seat(shard, world_player_at(&shard->world, vehicle->seats[seat]), OCCUPANCY_JACKED);
    vehicle_unseat(shard, player);
    vehicle->seats[seat] = world_player_slot(&shard->world, player);
    player->vehicle = world_vehicle_slot(&shard->world, vehicle);
    player->seat = seat;
    combat_path_restart(&player->path);
    tell_everyone(shard, vehicle, player, seat, way == SEAT_ENTERED ? OCCUPANCY_ENTER : OCCUPANCY_WARP);
    note(shard, EVENT_PLAYER_ENTER_VEHICLE, player, vehicle, seat);
    vehicle_remote_release(shard, player, REMOTE_BOARDED);
    vehicle_links_release(shard, vehicle, LINKS_OCCUPIED);
    if (seat == 0)
        vehicle_links_release(shard, vehicle, LINKS_DRIVEN);
    vehicle_syncer_due(shard, vehicle);
}
