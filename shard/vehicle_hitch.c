#include "shard/vehicle_hitch.h"

#include <assert.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/tables/couplings.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_syncer.h"

/* VehicleTrailer.place: only a gamemode's hitch puts the trailer at the hook. */
enum hitch_place { PLACE_AS_IT_STANDS, PLACE_AT_HOOK };

static size_t encode_trailer(uint32_t trailer_id, uint32_t tractor_id, enum hitch_place place,
                             uint8_t *packet, size_t room)
{
    struct wire_vehicle_trailer trailer = {
        .trailer_id = trailer_id,
        .tractor_id = tractor_id,
        .place = place == PLACE_AT_HOOK,
    };
    struct wire_error error;
    size_t size = wire_vehicle_trailer_encode(&trailer, packet, room, &error);

    assert(size > 0);
    return size;
}

static void tell_everyone(struct shard *shard, struct vehicle *trailer, enum hitch_place place)
{
    uint8_t packet[WIRE_VEHICLE_TRAILER_SIZE];

    send_group_critical(shard, &trailer->observers, packet,
                        encode_trailer(trailer->id, trailer->links.tractor_id, place, packet, sizeof packet));
}

/* The sender's copy returns to the server's hitch. Of a vehicle that is gone that is none. */
static void answer(struct shard *shard, struct player *player, uint32_t trailer_id)
{
    const struct vehicle *trailer = world_vehicle(&shard->world, trailer_id);
    uint32_t tractor_id = trailer == NULL ? WIRE_NONE : trailer->links.tractor_id;
    uint8_t packet[WIRE_VEHICLE_TRAILER_SIZE];

    send_critical(shard, player, packet,
                  encode_trailer(trailer_id, tractor_id, PLACE_AS_IT_STANDS, packet, sizeof packet));
}

static void refuse(struct shard *shard, struct player *player, uint32_t trailer_id, enum reason why)
{
    shard_count(shard, why);
    answer(shard, player, trailer_id);
}

/* ---- changes */

static void hitch(struct shard *shard, struct vehicle *trailer, struct vehicle *tractor,
                  enum hitch_place place)
{
    trailer->links.tractor_id = tractor->id;
    tractor->links.trailer_id = trailer->id;
    tell_everyone(shard, trailer, place);
    vehicle_syncer_due(shard, trailer);
}

void vehicle_unhitch(struct shard *shard, struct vehicle *trailer)
{
    struct vehicle *tractor = vehicle_tractor(&shard->world, trailer);

    if (tractor == NULL)
        return;
    assert(tractor->links.trailer_id == trailer->id);
    tractor->links.trailer_id = WIRE_NONE;
    trailer->links.tractor_id = WIRE_NONE;
    tell_everyone(shard, trailer, PLACE_AS_IT_STANDS);
    vehicle_syncer_due(shard, trailer);
}

/* ---- checks */

/* clang-format off: a line for each condition of the page */
/* Of the two vehicles, whoever asks. */
static enum reason hitch_check(const struct shard *shard, const struct vehicle *trailer,
                               const struct vehicle *tractor)
{
    const struct world *world = &shard->world;

    if (trailer->wrecked || tractor->wrecked)
        return REASON_WRECKED;
    if (!scope_equal(trailer->scope, tractor->scope))
        return REASON_OTHER_SCOPE;
    /* Ours: who drives it remotely is a driver here, or it would have two syncers. */
    if (trailer->seats[0] != SLOT_NONE || trailer->remote.driver != SLOT_NONE)
        return REASON_DRIVEN;
    if (vehicle_holder(world, trailer) != NULL)
        return REASON_HANGS;
    if (vehicle_trailer(world, tractor) != NULL)
        return REASON_TOWS;
    if (vehicle_chain_would_loop(world, tractor, trailer))
        return REASON_CHAIN_LOOP;
    if (!vehicle_chain_would_fit(world, tractor, trailer))
        return REASON_CHAIN_LONG;
    if (!coupling_hitches(tractor->model, trailer->model))
        return REASON_NO_PAIR;
    if (!within(trailer->pos, tractor->pos, VEHICLE_HITCH_RANGE_M))
        return REASON_OUT_OF_RANGE;
    if (trailer->frozen || tractor->frozen)
        return REASON_FROZEN;
    return REASON_NONE;
}

static enum reason tow_check(const struct shard *shard, const struct player *player,
                             const struct vehicle *trailer, const struct vehicle *tractor,
                             const struct wire_vehicle_tow *tow)
{
    if (trailer == NULL || tractor == NULL)
        return REASON_NO_VEHICLE;
    if (!player_is_alive(player) || !player_is_spawned(player))
        return REASON_NOT_ALIVE;
    if (vehicle_controller(shard, tractor) != player)
        return REASON_NOT_CONTROLLING;
    if (trailer->epoch != tow->trailer_epoch || tractor->epoch != tow->tractor_epoch)
        return REASON_OLD_EPOCH;
    if (!stream_has_vehicle(shard, player, trailer) || !stream_has_vehicle(shard, player, tractor))
        return REASON_NOT_STREAMED;
    if (!scope_equal(trailer->scope, player->place.scope) ||
        !scope_equal(tractor->scope, player->place.scope))
        return REASON_OTHER_SCOPE;
    return hitch_check(shard, trailer, tractor);
}
/* clang-format on */

/* ---- VehicleTow */

/* The same again changes nothing, whoever sends it. */
static bool is_hitched_so(const struct shard *shard, const struct wire_vehicle_tow *tow)
{
    const struct vehicle *trailer = world_vehicle(&shard->world, tow->trailer_id);

    if (trailer == NULL || trailer->epoch != tow->trailer_epoch ||
        trailer->links.tractor_id != tow->tractor_id)
        return false;
    return tow->tractor_id == WIRE_NONE ||
           vehicle_tractor(&shard->world, trailer)->epoch == tow->tractor_epoch;
}

static void on_hitch(struct shard *shard, struct player *player, const struct wire_vehicle_tow *tow)
{
    struct vehicle *trailer = world_vehicle(&shard->world, tow->trailer_id);
    struct vehicle *tractor = world_vehicle(&shard->world, tow->tractor_id);
    enum reason refused = tow_check(shard, player, trailer, tractor, tow);

    if (refused == REASON_NONE) {
        bool allowed = EVENT_RAISE(shard, EVENT_TRAILER_ATTACH, event_vehicle(trailer),
                                   event_vehicle(tractor), event_player(player));

        trailer = world_vehicle(&shard->world, tow->trailer_id);
        tractor = world_vehicle(&shard->world, tow->tractor_id);
        refused = allowed ? tow_check(shard, player, trailer, tractor, tow) : REASON_HANDLER;
    }
    if (refused != REASON_NONE)
        refuse(shard, player, tow->trailer_id, refused);
    else
        hitch(shard, trailer, tractor, PLACE_AS_IT_STANDS);
}

static void on_unhitch(struct shard *shard, struct player *player, const struct wire_vehicle_tow *tow)
{
    struct vehicle *trailer = world_vehicle(&shard->world, tow->trailer_id);
    const struct vehicle *tractor = trailer == NULL ? NULL : vehicle_tractor(&shard->world, trailer);

    if (trailer == NULL) {
        refuse(shard, player, tow->trailer_id, REASON_NO_VEHICLE);
    } else if (trailer->epoch != tow->trailer_epoch || tractor == NULL) {
        refuse(shard, player, tow->trailer_id, REASON_OLD_EPOCH);
    } else if (vehicle_controller(shard, tractor) != player) {
        refuse(shard, player, tow->trailer_id, REASON_NOT_CONTROLLING);
    } else {
        vehicle_unhitch(shard, trailer);
        (void)EVENT_RAISE(shard, EVENT_TRAILER_DETACH, event_vehicle(trailer), event_vehicle(tractor),
                          event_player(player));
    }
}

/* Vehicles: VehicleTow. */
void on_vehicle_tow(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_tow tow;
    struct wire_error error;

    (void)now_ms;
    if (!wire_vehicle_tow_decode(&tow, packet.data, packet.size, &error))
        shard_count_malformed(shard, &error);
    else if (is_hitched_so(shard, &tow))
        shard_count(shard, REASON_UNCHANGED);
    else if (tow.tractor_id == WIRE_NONE)
        on_unhitch(shard, player, &tow);
    else
        on_hitch(shard, player, &tow);
}

void vehicle_tow_dropped(struct shard *shard, struct player *player, struct span packet)
{
    struct wire_vehicle_tow tow;
    struct wire_error error;

    if (!wire_vehicle_tow_decode(&tow, packet.data, packet.size, &error))
        shard_count_malformed(shard, &error);
    else
        answer(shard, player, tow.trailer_id);
}

/* ---- the gamemode's */

enum reason vehicle_attach_trailer(struct shard *shard, struct vehicle *trailer, struct vehicle *tractor)
{
    if (trailer->links.tractor_id == tractor->id)
        return REASON_NONE;

    enum reason refused = hitch_check(shard, trailer, tractor);

    if (refused == REASON_NONE)
        hitch(shard, trailer, tractor, PLACE_AT_HOOK);
    return refused;
}

enum reason vehicle_detach_trailer(struct shard *shard, struct vehicle *trailer)
{
    vehicle_unhitch(shard, trailer);
    return REASON_NONE;
}
