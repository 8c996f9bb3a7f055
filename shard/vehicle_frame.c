#include "shard/vehicle_frame.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/serial.h"
#include "shard/geometry.h"
#include "shard/lanes.h"

/* Vehicles: VehicleFrame, Rate limits; each with half a second of burst. */
static const struct bucket_limit driven_limit = { .burst = 15.5, .per_second = 31 };
static const struct bucket_limit synced_limit = { .burst = 5.25, .per_second = 10.5 };
static const struct bucket_limit frames_limit = { .burst = 57.5, .per_second = 115 };

static bool at_most(float value, float bound)
{
    return fabsf(value) <= bound;
}

/* clang-format off: the page's table */
static bool state_is_within_bounds(const struct wire_vehicle_state *state)
{
    return inside_world(state->pos) && between(vector_length(state->rot, 4), 0.9f, 1.1f) &&
           vector_length(state->move_speed, 3) <= 5 && vector_length(state->turn_speed, 3) <= 1 &&
           at_most(state->raw_steer, 1.01f) && at_most(state->gas, 1.01f) &&
           at_most(state->steer, GEOMETRY_PI / 2) && between(state->brake, 0, 1.01f) &&
           at_most(state->health, 100000) && at_most(state->lean, 1.01f) &&
           at_most(state->lean_angle, GEOMETRY_PI / 2) && between(state->pedal, 0, 100) &&
           between(state->hop, 0, 25) && at_most(state->yaw, 2) && at_most(state->pitch, 2) &&
           at_most(state->roll, 2) && at_most(state->throttle, 2) && between(state->rotor, 0, 2) &&
           at_most(state->turret_yaw, GEOMETRY_PI + 0.01f) && at_most(state->turret_pitch, GEOMETRY_PI / 2) &&
           state->part <= 20000 && between(state->rail, 0, 100000) && at_most(state->rail_speed, 4) &&
           state->track <= 3 && between(state->rope, 0, 1) && at_most(state->nitro, 1.01f) &&
           (state->hydraulics <= 60 || (state->hydraulics >= 500 && state->hydraulics <= 504)) &&
           state->hydraulic_lr >= -128 && state->hydraulic_lr <= 128 && state->hydraulic_ud >= -128 &&
           state->hydraulic_ud <= 128;
}
/* clang-format on */

static const struct frame_mark *find_mark(const struct player *player, uint32_t vehicle_id)
{
    for (uint8_t i = 0; i < player->marks_count; i++)
        if (player->marks[i].vehicle_id == vehicle_id)
            return &player->marks[i];
    return NULL;
}

static bool seq_is_newer(const struct player *player, const struct wire_vehicle_frame *frame)
{
    const struct frame_mark *mark = find_mark(player, frame->vehicle_id);

    if (mark != NULL)
        return serial32_newer(frame->seq, mark->seq);
    return !player->has_old_marks || serial32_newer(frame->seq, player->old_marks_seq);
}

/* clang-format off: a line for each condition of the page */
enum reason vehicle_frame_check(const struct vehicle *vehicle, enum vehicle_control control,
                                const struct player *player, const struct wire_vehicle_frame *frame)
{
    if (control == CONTROL_NONE)
        return REASON_NOT_CONTROLLING;
    if (frame->state.epoch != vehicle->epoch)
        return REASON_OLD_EPOCH;
    if (frame->state.pose_rev != vehicle->pose_rev)
        return REASON_OLD_POSE_REV;
    if (!seq_is_newer(player, frame))
        return REASON_OLD_SEQ;
    if (!state_is_within_bounds(&frame->state))
        return REASON_OUT_OF_BOUNDS;
    return REASON_NONE;
}
/* clang-format on */

/* The mark of the vehicle; a new one takes the place of the oldest when there is no room. */
static struct frame_mark *take_mark(struct player *player, const struct wire_vehicle_frame *frame)
{
    struct frame_mark *mark = &player->marks[0];

    for (uint8_t i = 0; i < player->marks_count; i++) {
        if (player->marks[i].vehicle_id == frame->vehicle_id)
            return &player->marks[i];
        if (serial32_newer(mark->seq, player->marks[i].seq))
            mark = &player->marks[i];
    }
    if (player->marks_count < PLAYER_MARKS) {
        mark = &player->marks[player->marks_count++];
    } else if (!player->has_old_marks || serial32_newer(mark->seq, player->old_marks_seq)) {
        player->has_old_marks = true;
        player->old_marks_seq = mark->seq;
    }
    /* A mark that is new knows no frame yet; this one is newer than any before it. */
    *mark = (struct frame_mark){ .vehicle_id = frame->vehicle_id, .seq = frame->seq - 1 };
    return mark;
}

/* The limits of the vehicle and of all vehicles together. A frame past one counts against neither. */
static enum reason take_limits(struct player *player, struct frame_mark *mark, bool driven, uint64_t now_ms)
{
    struct bucket *own = driven ? &mark->driven : &mark->synced;
    struct bucket_limit limit = driven ? driven_limit : synced_limit;

    if (bucket_left(own, limit, now_ms) < 1)
        return driven ? REASON_LIMIT_DRIVEN : REASON_LIMIT_SYNCED;
    if (!bucket_take(&player->frames, frames_limit, now_ms))
        return REASON_LIMIT_VEHICLES;
    own->used += 1;
    return REASON_NONE;
}

/* A frozen one stays where the gamemode has put it. */
static void move_vehicle(struct shard *shard, struct vehicle *vehicle, const struct wire_vehicle_state *state)
{
    if (vehicle->frozen)
        return;
    memcpy(vehicle->pos, state->pos, sizeof vehicle->pos);
    memcpy(vehicle->rot, state->rot, sizeof vehicle->rot);
    memcpy(vehicle->move_speed, state->move_speed, sizeof vehicle->move_speed);
    memcpy(vehicle->turn_speed, state->turn_speed, sizeof vehicle->turn_speed);
    combat_path_add(&vehicle->path, shard->now_ms, vehicle->pos, vehicle->rot);
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), vehicle->scope,
             vehicle->pos);
}

static void store_vector(uint8_t *at, const float *vector, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_f32(at + i * sizeof(float), vector == NULL ? 0 : vector[i]);
}

/* Vehicles: VehicleFrame, What an accepted frame changes. The relay carries the frozen pose and no speed. */
static void rewrite_frozen(const struct vehicle *vehicle, uint8_t *state)
{
    store_vector(state + WIRE_VEHICLE_STATE_POS_AT, vehicle->pos, 3);
    store_vector(state + WIRE_VEHICLE_STATE_ROT_AT, vehicle->rot, 4);
    store_vector(state + WIRE_VEHICLE_STATE_MOVE_SPEED_AT, NULL, 3);
    store_vector(state + WIRE_VEHICLE_STATE_TURN_SPEED_AT, NULL, 3);
}

/* Vehicles: RemoteVehicleFrame. The state is copied as it came and patched. */
static void relay(struct shard *shard, const struct player *player, struct vehicle *vehicle,
                  const uint8_t *state)
{
    uint8_t packet[WIRE_REMOTE_VEHICLE_FRAME_SIZE];

    store_u8(packet, PACKET_REMOTE_VEHICLE_FRAME);
    store_u32(packet + WIRE_REMOTE_VEHICLE_FRAME_SOURCE_ID_AT, player->ref.id);
    store_u32(packet + WIRE_REMOTE_VEHICLE_FRAME_SOURCE_TOKEN_AT, player->ref.token);
    store_u32(packet + WIRE_REMOTE_VEHICLE_FRAME_SEQ_AT, vehicle->relay_seq);
    store_u32(packet + WIRE_REMOTE_VEHICLE_FRAME_VEHICLE_ID_AT, vehicle->id);
    memcpy(packet + WIRE_REMOTE_VEHICLE_FRAME_STATE_AT, state, WIRE_VEHICLE_STATE_SIZE);
    vehicle_fields_rewrite(vehicle, packet + WIRE_REMOTE_VEHICLE_FRAME_STATE_AT);
    if (vehicle->frozen)
        rewrite_frozen(vehicle, packet + WIRE_REMOTE_VEHICLE_FRAME_STATE_AT);
    store_u32(packet + WIRE_REMOTE_VEHICLE_FRAME_RELATION_REV_AT, shard->teams.relation_revision);
    store_u8(packet + WIRE_REMOTE_VEHICLE_FRAME_TEAMMATE_AT, 0);
    send_group_relay(shard, &vehicle->observers, player, player, packet, sizeof packet);
}

/* Vehicles: VehicleFrame. */
void on_vehicle_frame(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_vehicle_frame frame;
    struct wire_error error;

    if (!wire_vehicle_frame_decode(&frame, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    struct vehicle *vehicle = world_vehicle(&shard->world, frame.vehicle_id);

    if (vehicle == NULL) {
        shard_count(shard, REASON_NO_VEHICLE);
        return;
    }

    enum vehicle_control control = vehicle_control_of(shard, player, vehicle);
    enum reason refused = vehicle_frame_check(vehicle, control, player, &frame);
    struct frame_mark *mark = NULL;

    if (refused == REASON_NONE) {
        mark = take_mark(player, &frame);
        refused =
            take_limits(player, mark,
                        control != CONTROL_SYNCER || vehicle_remote_driver(shard, vehicle) == player, now_ms);
    }
    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }

    mark->seq = frame.seq;
    vehicle->relay_seq++;
    move_vehicle(shard, vehicle, &frame.state);
    if (!vehicle_fields_take(shard, vehicle, control, &frame.state, &player->siren, now_ms))
        shard_count(shard, REASON_LIMIT_SIREN);
    vehicle_train_take(shard, vehicle, control == CONTROL_PILOT, &frame.state);
    shard->stats.frames_accepted++;
    relay(shard, player, vehicle, packet.data + WIRE_VEHICLE_FRAME_STATE_AT);
    vehicle_remote_on_frame(shard, vehicle);
}
