#include "shard/vehicle_control.h"

enum vehicle_control vehicle_control_of(const struct shard *shard, const struct player *player,
                                        const struct vehicle *vehicle)
{
    uint16_t slot = world_player_slot(&shard->world, player);
    uint16_t driver = vehicle->seats[0];

    if (driver == slot)
        return player->paused ? CONTROL_PAUSED_PILOT : CONTROL_PILOT;
    if (vehicle->syncer == slot && player_is_alive(player) &&
        (driver == SLOT_NONE || !player_counts(world_player_at(&shard->world, driver))))
        return CONTROL_SYNCER;
    return CONTROL_NONE;
}

struct player *vehicle_controller(const struct shard *shard, const struct vehicle *vehicle)
{
    struct player *driver = vehicle_occupant(shard, vehicle, 0);

    if (driver != NULL && player_counts(driver))
        return driver;
    return vehicle->syncer == SLOT_NONE ? NULL : world_player_at(&shard->world, vehicle->syncer);
}

struct player *vehicle_occupant(const struct shard *shard, const struct vehicle *vehicle, uint8_t seat)
{
    if (seat >= MODEL_SEATS_MAX || vehicle->seats[seat] == SLOT_NONE)
        return NULL;
    return world_player_at(&shard->world, vehicle->seats[seat]);
}
