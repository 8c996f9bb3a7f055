#include "tests/unit/link_stage.h"

#include <string.h>

#include "shard/vehicle_links.h"

enum { FLAG_PAUSED = 1 << 3 };

/* ---- what clients send */

void link_send_tow(struct stage *stage, struct stage_client *client, struct wire_vehicle_tow tow)
{
    uint8_t packet[WIRE_VEHICLE_TOW_SIZE];

    stage_send(stage, client, packet, wire_vehicle_tow_put(&tow, packet, sizeof packet));
}

void link_send_winch(struct stage *stage, struct stage_client *client, struct wire_vehicle_winch winch)
{
    uint8_t packet[WIRE_VEHICLE_WINCH_SIZE];

    stage_send(stage, client, packet, wire_vehicle_winch_put(&winch, packet, sizeof packet));
}

void link_tow(struct stage *stage, struct stage_client *client, const struct vehicle *trailer,
              const struct vehicle *tractor)
{
    link_send_tow(stage, client,
                  (struct wire_vehicle_tow){
                      .trailer_id = trailer->id,
                      .trailer_epoch = trailer->epoch,
                      .tractor_id = tractor == NULL ? WIRE_NONE : tractor->id,
                      .tractor_epoch = tractor == NULL ? 0 : tractor->epoch,
                  });
}

void link_winch(struct stage *stage, struct stage_client *client, const struct vehicle *load,
                const struct vehicle *heli)
{
    link_send_winch(stage, client,
                    (struct wire_vehicle_winch){
                        .vehicle_id = load->id,
                        .vehicle_epoch = load->epoch,
                        .heli_id = heli == NULL ? WIRE_NONE : heli->id,
                        .heli_epoch = heli == NULL ? 0 : heli->epoch,
                    });
}

void link_remote_exit(struct stage *stage, struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_remote_exit leave = { .vehicle_id = vehicle_id };
    uint8_t packet[WIRE_VEHICLE_REMOTE_EXIT_SIZE];

    stage_send(stage, client, packet, wire_vehicle_remote_exit_put(&leave, packet, sizeof packet));
}

void link_remote_enter(struct stage *stage, struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_remote_enter enter = { .vehicle_id = vehicle_id };
    uint8_t packet[WIRE_VEHICLE_REMOTE_ENTER_SIZE];

    stage_send(stage, client, packet, wire_vehicle_remote_enter_put(&enter, packet, sizeof packet));
}

void link_pause(struct stage *stage, struct stage_client *client, bool paused)
{
    struct wire_player_sync sync = stage_sync(client);

    sync.frame.flags = paused ? FLAG_PAUSED : 0;
    stage_send_sync(stage, client, &sync);
}

void link_use_up_events(struct stage *stage, struct stage_client *client)
{
    for (int i = 0; i < 30; i++)
        stage_exit(stage, client, WIRE_NONE);
    stage_forget(stage);
}

/* ---- what clients are sent */

static bool take(struct stage_client *client, uint8_t id, union wire_any *any)
{
    const struct stage_packet *packet = stage_take(client, id);
    struct wire_error error;

    if (packet == NULL)
        return false;
    ck_assert_ptr_nonnull(wire_decode(WIRE_S2C, packet->bytes, packet->size, any, &error));
    ck_assert(packet->delivery == BUS__SEND__CLASS__CRITICAL || id == PACKET_VEHICLE_SYNC);
    return true;
}

struct wire_vehicle_trailer link_take_trailer(struct stage_client *client)
{
    union wire_any any;

    if (!take(client, PACKET_VEHICLE_TRAILER, &any))
        return (struct wire_vehicle_trailer){ .trailer_id = LINK_NO_PACKET, .tractor_id = LINK_NO_PACKET };
    return any.vehicle_trailer;
}

struct wire_vehicle_lift link_take_lift(struct stage_client *client)
{
    union wire_any any;

    if (!take(client, PACKET_VEHICLE_LIFT, &any))
        return (struct wire_vehicle_lift){ .vehicle_id = LINK_NO_PACKET, .heli_id = LINK_NO_PACKET };
    return any.vehicle_lift;
}

struct wire_vehicle_remote link_take_remote(struct stage_client *client)
{
    union wire_any any;

    if (!take(client, PACKET_VEHICLE_REMOTE, &any))
        return (struct wire_vehicle_remote){ .vehicle_id = LINK_NO_PACKET };
    return any.vehicle_remote;
}

struct wire_train_state link_take_train(struct stage_client *client)
{
    union wire_any any;

    if (!take(client, PACKET_TRAIN_STATE, &any))
        return (struct wire_train_state){ .vehicle_id = LINK_NO_PACKET };
    return any.train_state;
}

struct wire_vehicle_syncer link_take_syncer(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_syncer newest = { .vehicle_id = LINK_NO_PACKET };
    union wire_any any;

    while (take(client, PACKET_VEHICLE_SYNCER, &any))
        if (any.vehicle_syncer.vehicle_id == vehicle_id)
            newest = any.vehicle_syncer;
    return newest;
}

struct wire_vehicle_sync link_take_show(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_sync newest = { .vehicle_id = LINK_NO_PACKET };
    union wire_any any;

    while (take(client, PACKET_VEHICLE_SYNC, &any))
        if (any.vehicle_sync.vehicle_id == vehicle_id && any.vehicle_sync.active == 1)
            newest = any.vehicle_sync;
    return newest;
}

/* ---- the world */

void link_put(struct stage *stage, struct vehicle *vehicle, float x, float y)
{
    struct world *world = &stage->shard->world;

    vehicle->pos[0] = x;
    vehicle->pos[1] = y;
    grid_put(&world->vehicle_grid, world_vehicle_slot(world, vehicle), vehicle->scope, vehicle->pos);
}

void link_model(struct vehicle *vehicle, uint16_t model)
{
    vehicle->model = model_find(model);
}

void link_wreck(struct stage *stage, struct vehicle *vehicle)
{
    vehicle->wrecked = true;
    vehicle_links_release(stage->shard, vehicle, LINKS_WRECK);
    stage_pump(stage);
}

uint16_t link_slot(struct stage *stage, const struct stage_client *client)
{
    return world_player_slot(&stage->shard->world, stage_player(stage, client));
}
