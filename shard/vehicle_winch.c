#include "shard/vehicle_winch.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/tables/couplings.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_syncer.h"

static size_t encode_lift(uint32_t vehicle_id, uint32_t heli_id, uint8_t *packet, size_t room)
{
    struct wire_vehicle_lift lift = { .vehicle_id = vehicle_id, .heli_id = heli_id };
    struct wire_error error;
    size_t size = wire_vehicle_lift_encode(&lift, packet, room, &error);

    assert(size > 0);
    return size;
}

static void tell_everyone(struct shard *shard, struct vehicle *load)
{
    uint8_t packet[WIRE_VEHICLE_LIFT_SIZE];

    send_group_critical(shard, &load->observers, packet,
                        encode_lift(load->id, load->links.lifter_id, packet, sizeof packet));
}

/* The sender's copy returns to the server's state. Of a vehicle that is gone that is no winch. */
static void answer(struct shard *shard, struct player *player, uint32_t load_id)
{
    const struct vehicle *load = world_vehicle(&shard->world, load_id);
    uint32_t heli_id = load == NULL ? WIRE_NONE : load->links.lifter_id;
    uint8_t packet[WIRE_VEHICLE_LIFT_SIZE];

    send_critical(shard, player, packet, encode_lift(load_id, heli_id, packet, sizeof packet));
}

static void refuse(struct shard *shard, struct player *player, uint32_t load_id, enum reason why)
{
    shard_count(shard, why);
    answer(shard, player, load_id);
}

/* ---- changes */

static void hang(struct shard *shard, struct vehicle *load, struct vehicle *heli)
{
    load->links.lifter_id = heli->id;
    heli->links.load_id = load->id;
    tell_everyone(shard, load);
    vehicle_syncer_due(shard, load);
}

void vehicle_drop_from_winch(struct shard *shard, struct vehicle *load)
{
    struct vehicle *heli = vehicle_lifter(&shard->world, load);

    if (heli == NULL)
        return;
    assert(heli->links.load_id == load->id);
    heli->links.load_id = WIRE_NONE;
    load->links.lifter_id = WIRE_NONE;
    tell_everyone(shard, load);
    vehicle_syncer_due(shard, load);
}

/* ---- checks */

static bool is_occupied(const struct vehicle *vehicle)
{
    for (uint8_t seat = 0; seat < vehicle->model->seats; seat++)
        if (vehicle->seats[seat] != SLOT_NONE)
            return true;
    return false;
}

/* clang-format off: a line for each condition of the page */
/* Of the two vehicles, whoever asks. */
static enum reason load_check(const struct shard *shard, const struct vehicle *load,
                              const struct vehicle *heli)
{
    if (heli->params.winch == WINCH_NONE)
        return REASON_NO_WINCH;
    if (!coupling_lifts((enum winch)heli->params.winch, load->model))
        return REASON_MAGNET;
    if (is_occupied(load))
        return REASON_OCCUPIED;
    if (load->remote.driver != SLOT_NONE)
        return REASON_DRIVEN;
    if (vehicle_is_hitched(load) || vehicle_is_hitched(heli))
        return REASON_HITCHED;
    if (vehicle_load(&shard->world, heli) != NULL)
        return REASON_CARRIES;
    if (vehicle_lifter(&shard->world, load) != NULL)
        return REASON_HANGS;
    if (!within(load->pos, heli->pos, VEHICLE_WINCH_RANGE_M))
        return REASON_OUT_OF_RANGE;
    if (load->frozen || heli->frozen)
        return REASON_FROZEN;
    return REASON_NONE;
}

static enum reason winch_check(const struct shard *shard, const struct player *player,
                               const struct vehicle *load, const struct vehicle *heli,
                               const struct wire_vehicle_winch *winch)
{
    if (load == NULL || heli == NULL)
        return REASON_NO_VEHICLE;
    if (!player_is_alive(player) || !player_is_spawned(player))
        return REASON_NOT_ALIVE;
    if (vehicle_controller(shard, heli) != player)
        return REASON_NOT_CONTROLLING;
    if (load->epoch != winch->vehicle_epoch || heli->epoch != winch->heli_epoch)
        return REASON_OLD_EPOCH;
    if (load->wrecked || heli->wrecked)
        return REASON_WRECKED;
    if (!stream_has_vehicle(shard, player, load) || !stream_has_vehicle(shard, player, heli))
        return REASON_NOT_STREAMED;
    if (!scope_equal(load->scope, player->place.scope) || !scope_equal(heli->scope, player->place.scope))
        return REASON_OTHER_SCOPE;
    return load_check(shard, load, heli);
}
/* clang-format on */

/* ---- VehicleWinch */

/* The same again changes nothing, whoever sends it. */
static bool hangs_so(const struct shard *shard, const struct wire_vehicle_winch *winch)
{
    const struct vehicle *load = world_vehicle(&shard->world, winch->vehicle_id);

    if (load == NULL || load->epoch != winch->vehicle_epoch || load->links.lifter_id != winch->heli_id)
        return false;
    return winch->heli_id == WIRE_NONE || vehicle_lifter(&shard->world, load)->epoch == winch->heli_epoch;
}

static void on_pick_up(struct shard *shard, struct player *player, const struct wire_vehicle_winch *winch)
{
    struct vehicle *load = world_vehicle(&shard->world, winch->vehicle_id);
    struct vehicle *heli = world_vehicle(&shard->world, winch->heli_id);
    enum reason refused = winch_check(shard, player, load, heli, winch);

    if (refused == REASON_NONE) {
        bool allowed = EVENT_RAISE(shard, EVENT_WINCH_ATTACH, event_vehicle(load), event_vehicle(heli),
                                   event_player(player));

        load = world_vehicle(&shard->world, winch->vehicle_id);
        heli = world_vehicle(&shard->world, winch->heli_id);
        refused = allowed ? winch_check(shard, player, load, heli, winch) : REASON_HANDLER;
    }
    if (refused != REASON_NONE)
        refuse(shard, player, winch->vehicle_id, refused);
    else
        hang(shard, load, heli);
}

static void on_release(struct shard *shard, struct player *player, const struct wire_vehicle_winch *winch)
{
    struct vehicle *load = world_vehicle(&shard->world, winch->vehicle_id);
    const struct vehicle *heli = load == NULL ? NULL : vehicle_lifter(&shard->world, load);

    if (load == NULL) {
        refuse(shard, player, winch->vehicle_id, REASON_NO_VEHICLE);
    } else if (load->epoch != winch->vehicle_epoch || heli == NULL) {
        refuse(shard, player, winch->vehicle_id, REASON_OLD_EPOCH);
    } else if (vehicle_controller(shard, heli) != player) {
        refuse(shard, player, winch->vehicle_id, REASON_NOT_CONTROLLING);
    } else {
        vehicle_drop_from_winch(shard, load);
        (void)EVENT_RAISE(shard, EVENT_WINCH_DETACH, event_vehicle(load), event_vehicle(heli),
                          event_player(player));
    }
}

/* Vehicles: VehicleWinch. */
void on_vehicle_winch(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_winch winch;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_winch_decode(&winch, packet.data, packet.size, &error))
        shard_count_malformed(shard, &error);
    else if (hangs_so(shard, &winch))
        shard_count(shard, REASON_UNCHANGED);
    else if (winch.heli_id == WIRE_NONE)
        on_release(shard, player, &winch);
    else
        on_pick_up(shard, player, &winch);
}

void vehicle_winch_dropped(struct shard *shard, struct player *player, struct span packet)
{
    struct wire_vehicle_winch winch;
    struct wire_error error;

    if (!wire_vehicle_winch_decode(&winch, packet.data, packet.size, &error))
        shard_count_malformed(shard, &error);
    else
        answer(shard, player, winch.vehicle_id);
}
