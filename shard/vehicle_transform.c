#include "shard/vehicle_transform.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/stream.h"

/* Vehicles: VehicleTransform, Server checks; the wire has them per physics step. */
#define VELOCITY_MAX_M_PER_S 200.0f
#define TURN_MAX_RAD_PER_S 25.0f
#define STEPS_PER_S 50.0f

/* Ours: farther from length 1 a rotation is told as the unit quaternion that it stands for. What the bounds
 * of a frame let through, as floats, this packet may not carry. */
#define ABOUT_UNIT 0.05f

static void store_rotation(float to[4], const float rot[4])
{
    float length = vector_length(rot, 4);

    for (int i = 0; i < 4; i++)
        to[i] = fabsf(length - 1) < ABOUT_UNIT ? rot[i] : rot[i] / length;
}

static size_t encode_transform(const struct vehicle *vehicle, unsigned flags, uint8_t *packet, size_t room)
{
    struct wire_vehicle_transform transform = {
        .vehicle_id = vehicle->id,
        .epoch = vehicle->epoch,
        .relay_seq = vehicle->relay_seq,
        .pose_rev = vehicle->pose_rev,
        .flags = (uint8_t)flags,
    };
    struct wire_error error;
    size_t size;

    if ((flags & TRANSFORM_POSITION) != 0)
        memcpy(transform.pos, vehicle->pos, sizeof transform.pos);
    if ((flags & TRANSFORM_ROTATION) != 0)
        store_rotation(transform.rot, vehicle->rot);
    if ((flags & TRANSFORM_VELOCITY) != 0)
        memcpy(transform.move_speed, vehicle->move_speed, sizeof transform.move_speed);
    if ((flags & TRANSFORM_TURN) != 0)
        memcpy(transform.turn_speed, vehicle->turn_speed, sizeof transform.turn_speed);
    size = wire_vehicle_transform_encode(&transform, packet, room, &error);
    assert(size > 0);
    return size;
}

void vehicle_send_transform(struct shard *shard, struct player *observer, const struct vehicle *vehicle,
                            unsigned flags)
{
    uint8_t packet[WIRE_VEHICLE_TRANSFORM_SIZE];

    send_critical(shard, observer, packet, encode_transform(vehicle, flags, packet, sizeof packet));
}

/* The parts that a command has set, as a new revision, to everyone it is streamed to. */
static void tell(struct shard *shard, struct vehicle *vehicle, unsigned flags)
{
    uint8_t packet[WIRE_VEHICLE_TRANSFORM_SIZE];

    vehicle->pose_rev++;
    combat_path_restart(&vehicle->path);
    send_group_critical(shard, &vehicle->observers, packet,
                        encode_transform(vehicle, flags, packet, sizeof packet));
}

static enum reason transform_check(const struct vehicle *vehicle)
{
    if (vehicle->model->vehicle_class == MODEL_TRAIN)
        return REASON_WRONG_MODEL;
    if (vehicle->wrecked)
        return REASON_WRECKED;
    return REASON_NONE;
}

static void stop(struct vehicle *vehicle)
{
    memset(vehicle->move_speed, 0, sizeof vehicle->move_speed);
    memset(vehicle->turn_speed, 0, sizeof vehicle->turn_speed);
}

/* Everyone in it comes along: until their next frame they are where the vehicle is. */
static void carry_occupants(struct shard *shard, struct vehicle *vehicle)
{
    for (uint8_t seat = 0; seat < vehicle->model->seats; seat++) {
        struct player *player;

        if (vehicle->seats[seat] == SLOT_NONE)
            continue;
        player = world_player_at(&shard->world, vehicle->seats[seat]);
        memcpy(player->place.pos, vehicle->pos, sizeof player->place.pos);
        player->placed_at_ms = shard->now_ms;
        stream_place_player(shard, player);
        stream_update(shard, player);
        stream_update_subject(shard, player);
    }
}

static void move_to(struct shard *shard, struct vehicle *vehicle, const float pos[3])
{
    memcpy(vehicle->pos, pos, sizeof vehicle->pos);
    combat_path_restart(&vehicle->path);
    stop(vehicle);
    grid_put(&shard->world.vehicle_grid, world_vehicle_slot(&shard->world, vehicle), vehicle->scope,
             vehicle->pos);
}

enum reason vehicle_set_position(struct shard *shard, struct vehicle *vehicle, const float pos[3])
{
    enum reason refused = transform_check(vehicle);

    if (refused == REASON_NONE && !inside_world(pos))
        refused = REASON_OUT_OF_BOUNDS;
    if (refused != REASON_NONE)
        return refused;
    vehicle_links_release(shard, vehicle, LINKS_TRANSFORM);
    move_to(shard, vehicle, pos);
    tell(shard, vehicle, vehicle->frozen ? TRANSFORM_HELD : TRANSFORM_POSITION);
    carry_occupants(shard, vehicle);
    stream_update_vehicle(shard, vehicle);
    return REASON_NONE;
}

enum reason vehicle_set_rotation(struct shard *shard, struct vehicle *vehicle, const float rot[4])
{
    enum reason refused = transform_check(vehicle);

    if (refused == REASON_NONE && !between(vector_length(rot, 4), 0.9f, 1.1f))
        refused = REASON_OUT_OF_BOUNDS;
    if (refused != REASON_NONE)
        return refused;
    vehicle_links_release(shard, vehicle, LINKS_TRANSFORM);
    memcpy(vehicle->rot, rot, sizeof vehicle->rot);
    tell(shard, vehicle, vehicle->frozen ? TRANSFORM_HELD : TRANSFORM_ROTATION);
    return REASON_NONE;
}

/* `most` is the greatest length, a second; the vehicle has it per step. */
static enum reason set_speed(struct shard *shard, struct vehicle *vehicle, float speed[3], const float to[3],
                             float most, unsigned flag)
{
    enum reason refused = transform_check(vehicle);

    if (refused == REASON_NONE && vehicle->frozen)
        refused = REASON_FROZEN;
    if (refused == REASON_NONE && !between(vector_length(to, 3), 0, most))
        refused = REASON_OUT_OF_BOUNDS;
    if (refused != REASON_NONE)
        return refused;
    for (int axis = 0; axis < 3; axis++)
        speed[axis] = to[axis] / STEPS_PER_S;
    tell(shard, vehicle, flag);
    return REASON_NONE;
}

enum reason vehicle_set_velocity(struct shard *shard, struct vehicle *vehicle, const float velocity[3])
{
    return set_speed(shard, vehicle, vehicle->move_speed, velocity, VELOCITY_MAX_M_PER_S, TRANSFORM_VELOCITY);
}

enum reason vehicle_set_turn_velocity(struct shard *shard, struct vehicle *vehicle, const float velocity[3])
{
    return set_speed(shard, vehicle, vehicle->turn_speed, velocity, TURN_MAX_RAD_PER_S, TRANSFORM_TURN);
}

enum reason vehicle_set_frozen(struct shard *shard, struct vehicle *vehicle, bool frozen)
{
    enum reason refused = transform_check(vehicle);

    if (refused != REASON_NONE || vehicle->frozen == frozen)
        return refused;
    if (frozen)
        vehicle_links_release(shard, vehicle, LINKS_TRANSFORM);
    vehicle->frozen = frozen;
    stop(vehicle);
    tell(shard, vehicle, frozen ? TRANSFORM_HELD : 0);
    return REASON_NONE;
}

void vehicle_put_back(struct shard *shard, struct vehicle *vehicle)
{
    assert(!vehicle->frozen);
    vehicle_links_release(shard, vehicle, LINKS_TRANSFORM);
    move_to(shard, vehicle, vehicle->spawn.pos);
    rotation_from_heading(vehicle->spawn.heading, vehicle->rot);
    tell(shard, vehicle, TRANSFORM_POSITION | TRANSFORM_ROTATION);
}
