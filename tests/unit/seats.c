#include "tests/unit/seats.h"

#include <string.h>

#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"

struct vehicle *seats_vehicle(const struct seats *seats, size_t index)
{
    return stage_vehicle(seats->stage, index);
}

/* ---- the gamemode */

static bool hear(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    struct ear *ear = context;
    struct ear_event *heard = &ear->events[ear->count];

    ck_assert_uint_lt(ear->count, EAR_EVENTS);
    ear->count++;
    heard->event = event;
    heard->count = count;
    memcpy(heard->arguments, arguments, count * sizeof *arguments);
    if (event == ear->acts_on) {
        ear->acts_on = EVENT_COUNT;
        ear->act(ear, arguments);
    }
    return event != ear->refused;
}

void ear_listen(struct seats *seats, enum event event)
{
    struct event_hooks hooks = { .context = &seats->ear, .raise = hear };

    shard_set_hooks(seats->stage->shard, &hooks);
    event_listen(seats->stage->shard, event, true);
}

size_t ear_count(const struct ear *ear, enum event event)
{
    size_t count = 0;

    for (size_t i = 0; i < ear->count; i++)
        count += ear->events[i].event == event;
    return count;
}

const struct ear_event *ear_first(const struct ear *ear, enum event event)
{
    for (size_t i = 0; i < ear->count; i++)
        if (ear->events[i].event == event)
            return &ear->events[i];
    ck_abort_msg("%s was not raised", event_info(event)->name);
}

static void ear_forget(struct ear *ear)
{
    ear->count = 0;
}

/* ---- the stage */

void seats_open(struct seats *seats)
{
    struct shard_vehicle vehicles[SEATS_VEHICLES] = {
        [SEATS_CAR] = stage_car(411, 0, 0),           [SEATS_RC] = stage_car(441, 0, 5),
        [SEATS_OTHER_CAR] = stage_car(411, 0, 20),    [SEATS_TRAIN] = stage_car(537, 0, 300),
        [SEATS_FAR_CAR] = stage_car(411, 1000, 1000),
    };

    *seats = (struct seats){ .stage = stage_new(vehicles, SEATS_VEHICLES) };
    seats->ear = (struct ear){ .stage = seats->stage, .refused = EVENT_COUNT, .acts_on = EVENT_COUNT };
    seats->driver = stage_spawn(seats->stage, 2, 2, 0);
    seats->watcher = stage_spawn(seats->stage, 3, 8, 0);
    seats->car = seats_vehicle(seats, SEATS_CAR);
    stage_forget(seats->stage);
}

void seats_drive(struct seats *seats)
{
    stage_enter(seats->stage, seats->driver, seats->car->id, 0);
    ck_assert_uint_eq(stage_player(seats->stage, seats->driver)->vehicle,
                      world_vehicle_slot(&seats->stage->shard->world, seats->car));
    stage_forget(seats->stage);
    ear_forget(&seats->ear);
}

void seats_close(struct seats *seats)
{
    stage_free(seats->stage);
}

void seats_handled(struct seats *seats)
{
    vehicle_raise_seats(seats->stage->shard);
    vehicle_syncer_run(seats->stage->shard);
    stage_pump(seats->stage);
}

void seats_pause(struct seats *seats, struct stage_client *client, bool paused)
{
    struct wire_player_sync sync = stage_sync(client);

    sync.frame.flags = paused ? 8 : 0;
    stage_send_sync(seats->stage, client, &sync);
}

void seats_set_pos(struct seats *seats, const struct stage_client *client, float x, float y, float z)
{
    struct player *player = stage_player(seats->stage, client);

    player->place.pos[0] = x;
    player->place.pos[1] = y;
    player->place.pos[2] = z;
}

/* ---- what clients were told */

struct wire_vehicle_occupancy seats_take_occupancy(struct stage_client *client)
{
    struct wire_vehicle_occupancy occupancy = { .kind = KIND_NONE };
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_VEHICLE_OCCUPANCY);

    if (packet != NULL)
        ck_assert(wire_vehicle_occupancy_decode(&occupancy, packet->bytes, packet->size, &error));
    return occupancy;
}

struct wire_vehicle_sync seats_take_sync(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_sync sync;
    struct wire_error error;
    const struct stage_packet *packet;

    while ((packet = stage_take(client, PACKET_VEHICLE_SYNC)) != NULL) {
        ck_assert(wire_vehicle_sync_decode(&sync, packet->bytes, packet->size, &error));
        if (sync.vehicle_id == vehicle_id)
            return sync;
    }
    ck_abort_msg("no VehicleSync of vehicle %u", vehicle_id);
}

struct wire_remote_vehicle_frame seats_take_frame(struct stage_client *client)
{
    struct wire_remote_vehicle_frame frame;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_REMOTE_VEHICLE_FRAME);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&frame, packet->bytes, packet->size, &error));
    return frame;
}

void seats_deny_is(struct seats *seats, struct stage_client *client, uint32_t vehicle_id, uint8_t seat,
                   enum reason why)
{
    struct stage *stage = seats->stage;
    uint64_t counted = stage_reason(stage, why);
    struct wire_vehicle_occupancy occupancy;

    stage_forget(stage);
    stage_enter(stage, client, vehicle_id, seat);
    occupancy = seats_take_occupancy(client);
    ck_assert_msg(occupancy.kind == KIND_DENY, "kind %u, no deny for %s", occupancy.kind, reason_name(why));
    ck_assert_uint_eq(occupancy.vehicle_id, vehicle_id);
    ck_assert_uint_eq(occupancy.seat, seat);
    ck_assert_uint_eq(occupancy.player_id, client->id);
    ck_assert_uint_eq(occupancy.player_token, client->token);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not counted under %s", reason_name(why));
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        ck_assert_uint_eq(stage_count(&stage->clients[i], PACKET_VEHICLE_OCCUPANCY), 0);
}

void seats_enters(struct seats *seats, struct stage_client *client, uint32_t vehicle_id, uint8_t seat)
{
    struct wire_vehicle_occupancy occupancy;

    stage_forget(seats->stage);
    stage_enter(seats->stage, client, vehicle_id, seat);
    occupancy = seats_take_occupancy(client);
    ck_assert_uint_eq(occupancy.kind, KIND_ENTER);
    ck_assert_uint_eq(occupancy.player_id, client->id);
    ck_assert_uint_eq(occupancy.seat, seat);
}
