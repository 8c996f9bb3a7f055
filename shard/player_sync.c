#include "shard/player_sync.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/serial.h"
#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"

enum { FLAG_PAUSED = 1 << 3 }; /* Player: Frame.flags */

static bool aim_is_valid(const float aim[3])
{
    float length = vector_length(aim, 3);

    return length == 0 || between(length, 0.9f, 1.1f);
}

bool player_frame_is_within_bounds(const struct wire_frame *frame)
{
    return inside_world(frame->pos) && between(frame->heading, -360, 360) &&
           fabsf(frame->move_speed[0]) <= 5 && fabsf(frame->move_speed[1]) <= 5 &&
           fabsf(frame->move_speed[2]) <= 5 && aim_is_valid(frame->aim) && between(frame->hp, -1, 1000) &&
           between(frame->armor, -1, 1000);
}

static bool is_near_vehicle(const struct player *player, const struct vehicle *vehicle, const float pos[3])
{
    return within(pos, vehicle->pos,
                  PLAYER_FROM_VEHICLE_M + vehicle_seat_distance(vehicle->model, player->seat));
}

/* clang-format off: a line for each condition of the page */
/* `vehicle`: the one that the frame says the player sits in, if the server holds it there too; else NULL. */
static enum reason player_sync_check(const struct player *player, const struct vehicle *vehicle,
                                     const struct wire_player_sync *sync)
{
    const struct wire_frame *frame = &sync->frame;

    if (player->state == LIFE_CONNECTED)
        return REASON_NOT_SPAWNED;
    if (frame->life != player->life || player->barrier.grant)
        return REASON_OLD_LIFE;
    if (player->has_seq && !serial32_newer(sync->seq, player->seq))
        return REASON_OLD_SEQ;
    if (!player_frame_is_within_bounds(frame))
        return REASON_OUT_OF_BOUNDS;
    if (vehicle != NULL && !is_near_vehicle(player, vehicle, frame->pos))
        return REASON_VEHICLE_TOO_FAR;
    return REASON_NONE;
}
/* clang-format on */

/* REASON_NONE: the frame moves the player. Otherwise why it is held. */
static enum reason player_sync_holds(const struct player *player, const struct vehicle *vehicle,
                                     const struct wire_player_sync *sync, uint64_t now_ms)
{
    uint64_t time_ms = now_ms - player->placed_at_ms;

    if (sync->frame.pose_rev != player->pose_rev)
        return REASON_OLD_POSE_REV;
    if (vehicle != NULL)
        return REASON_NONE;
    if (time_ms > PLAYER_MOVE_TIME_MAX_MS)
        time_ms = PLAYER_MOVE_TIME_MAX_MS;
    if (!within(sync->frame.pos, player->place.pos,
                PLAYER_MOVE_SLACK_M + PLAYER_MOVE_M_PER_S * (float)time_ms / 1000))
        return REASON_MOVED_TOO_FAR;
    return REASON_NONE;
}

/* The vehicle of the frame, if it names the seat that the server holds the player in. */
static struct vehicle *seat_of_frame(const struct shard *shard, const struct player *player,
                                     const struct wire_frame *frame)
{
    if (player->vehicle == SLOT_NONE || frame->seat != player->seat)
        return NULL;

    struct vehicle *vehicle = world_vehicle_at(&shard->world, player->vehicle);

    return vehicle->id == frame->vehicle_id ? vehicle : NULL;
}

static void make_relay(const struct shard *shard, struct player *player, const struct wire_player_sync *sync,
                       const uint8_t *frame, bool held, bool seated)
{
    uint8_t *packet = player->relay;
    uint8_t *relayed = packet + WIRE_REMOTE_PLAYER_SYNC_FRAME_AT;

    store_u8(packet, PACKET_REMOTE_PLAYER_SYNC);
    store_u32(packet + WIRE_REMOTE_PLAYER_SYNC_PLAYER_ID_AT, player->ref.id);
    store_u32(packet + WIRE_REMOTE_PLAYER_SYNC_PLAYER_TOKEN_AT, player->ref.token);
    store_u32(packet + WIRE_REMOTE_PLAYER_SYNC_SEQ_AT, sync->seq);
    memcpy(relayed, frame, WIRE_FRAME_SIZE);
    store_u32(packet + WIRE_REMOTE_PLAYER_SYNC_RELATION_REV_AT, shard->teams.relation_revision);
    store_u8(packet + WIRE_REMOTE_PLAYER_SYNC_TEAMMATE_AT, 0);
    for (size_t axis = 0; held && axis < 3; axis++)
        store_f32(relayed + WIRE_FRAME_POS_AT + 4 * axis, player->place.pos[axis]);
    if (!seated) {
        store_u32(relayed + WIRE_FRAME_VEHICLE_ID_AT, WIRE_NONE);
        store_u8(relayed + WIRE_FRAME_SEAT_AT, 0);
    }
}

static void set_paused(struct shard *shard, struct player *player, bool paused)
{
    if (player->paused == paused)
        return;
    player->paused = paused;
    if (player->vehicle != SLOT_NONE)
        vehicle_syncer_due(shard, world_vehicle_at(&shard->world, player->vehicle));
}

/* What the frame of somebody alive changes. */
static void apply(struct shard *shard, struct player *player, const struct wire_frame *frame,
                  enum reason held, uint64_t now_ms)
{
    set_paused(shard, player, (frame->flags & FLAG_PAUSED) != 0);
    player->place.heading = frame->heading;
    if (held == REASON_NONE) {
        memcpy(player->place.pos, frame->pos, sizeof player->place.pos);
        player->placed_at_ms = now_ms;
        player->movement_strikes = 0;
        if (player->vehicle == SLOT_NONE)
            combat_path_add(&player->path, now_ms, player->place.pos, NULL);
    } else if (held == REASON_MOVED_TOO_FAR && player->vehicle == SLOT_NONE) {
        /* One who was put into a far vehicle has frames on the way from where it was. */
        player->movement_strikes++;
    }
}

/* The last of a frame: handlers may move the player. */
static void raise_events(struct shard *shard, struct player *player, bool starts, float too_far_m)
{
    bool violates = player->state == LIFE_ALIVE && too_far_m > 0;

    if (starts)
        (void)EVENT_RAISE(shard, EVENT_PLAYER_SPAWN, event_player(player));
    if (violates)
        (void)EVENT_RAISE(shard, EVENT_PLAYER_MOVEMENT_VIOLATION, event_player(player),
                          event_number((double)too_far_m));
}

/* Player: PlayerSync. */
void on_player_sync(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_player_sync sync;
    struct wire_error error;

    if (!wire_player_sync_decode(&sync, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    const struct vehicle *vehicle = seat_of_frame(shard, player, &sync.frame);
    enum reason refused = player_sync_check(player, vehicle, &sync);

    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }

    enum reason held = player_sync_holds(player, vehicle, &sync, now_ms);
    float distance = sqrtf(distance_squared(sync.frame.pos, player->place.pos));
    bool first = !player->framed;
    bool starts = player->state == LIFE_GRANTED;

    if (held != REASON_NONE)
        shard_count(shard, held);
    if (vehicle == NULL && sync.frame.vehicle_id != WIRE_NONE)
        shard_count(shard, REASON_SEAT_NOT_HELD);
    player->has_seq = true;
    player->seq = sync.seq;
    player->framed = true;
    if (starts)
        player->state = LIFE_ALIVE;
    if (player->state == LIFE_ALIVE)
        apply(shard, player, &sync.frame, held, now_ms);
    make_relay(shard, player, &sync, packet.data + WIRE_PLAYER_SYNC_FRAME_AT, held != REASON_NONE,
               vehicle != NULL);
    shard->stats.frames_accepted++;
    stream_place_player(shard, player);
    send_group_relay(shard, &player->observers, player, NULL, player->relay, sizeof player->relay);

    if (first && player_is_spawned(player)) {
        stream_update(shard, player);
        stream_update_subject(shard, player);
    }
    raise_events(shard, player, starts, held == REASON_MOVED_TOO_FAR ? distance : 0);
    if (player->movement_strikes == PLAYER_STRIKES_MAX) {
        struct place back = player->place;

        player_put(shard, player, now_ms, PLACE_BACK, &back);
    }
}
