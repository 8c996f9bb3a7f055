#include "shard/vehicle_train.h"

#include <assert.h>
#include <math.h>

#include "shard/lanes.h"
#include "shard/shard.h"

enum { STATE_DERAILED = 1 << 5 }; /* VehicleState.flags */

/* TrainState.flags. */
enum { TRAIN_CLOCKWISE = 1, TRAIN_DERAILED = 1 << 1, TRAIN_SETS_SPEED = 1 << 2 };

static bool is_train(const struct vehicle *vehicle)
{
    return vehicle->model->vehicle_class == MODEL_TRAIN;
}

static size_t encode_state(const struct vehicle *vehicle, bool sets_speed, uint8_t *packet, size_t room)
{
    struct wire_train_state state = {
        .vehicle_id = vehicle->id,
        .flags = (uint8_t)((vehicle->clockwise ? TRAIN_CLOCKWISE : 0) |
                           (vehicle->derailed ? TRAIN_DERAILED : 0) | (sets_speed ? TRAIN_SETS_SPEED : 0)),
        .speed = sets_speed ? vehicle->train.speed : 0,
    };
    struct wire_error error;
    size_t size = wire_train_state_encode(&state, packet, room, &error);

    assert(size > 0);
    return size;
}

static void tell_everyone(struct shard *shard, struct vehicle *vehicle, bool sets_speed)
{
    uint8_t packet[WIRE_TRAIN_STATE_SIZE];

    send_group_critical(shard, &vehicle->observers, packet,
                        encode_state(vehicle, sets_speed, packet, sizeof packet));
}

void vehicle_train_send_speed(struct shard *shard, struct player *observer, const struct vehicle *vehicle)
{
    uint8_t packet[WIRE_TRAIN_STATE_SIZE];

    if (vehicle->train.commanded)
        send_critical(shard, observer, packet, encode_state(vehicle, true, packet, sizeof packet));
}

/* ---- frames */

/* A frame with the derailed bit. The page: "the speed of this or the previous accepted frame". */
static bool derails(const struct vehicle_train *train, bool piloted, float speed)
{
    return piloted && !train->put_back &&
           (fabsf(speed) >= TRAIN_DERAIL_SPEED || fabsf(train->frame_speed) >= TRAIN_DERAIL_SPEED);
}

void vehicle_train_take(struct shard *shard, struct vehicle *vehicle, bool piloted,
                        const struct wire_vehicle_state *state)
{
    struct vehicle_train *train = &vehicle->train;
    bool bit = (state->flags & STATE_DERAILED) != 0;

    if (!is_train(vehicle))
        return;
    if (!bit)
        train->put_back = false;
    if (!vehicle->derailed)
        train->speed = state->rail_speed;
    train->commanded = false;
    if (bit && !vehicle->derailed && derails(train, piloted, state->rail_speed)) {
        vehicle->derailed = true;
        tell_everyone(shard, vehicle, false);
    }
    train->frame_speed = state->rail_speed;
}

/* ---- the gamemode's */

enum reason vehicle_set_train_direction(struct shard *shard, struct vehicle *vehicle, bool clockwise)
{
    if (!is_train(vehicle))
        return REASON_NOT_TRAIN;
    if (vehicle->clockwise != clockwise) {
        vehicle->clockwise = clockwise;
        tell_everyone(shard, vehicle, false);
    }
    return REASON_NONE;
}

enum reason vehicle_set_train_derailed(struct shard *shard, struct vehicle *vehicle, bool derailed)
{
    if (!is_train(vehicle))
        return REASON_NOT_TRAIN;
    if (vehicle->derailed == derailed)
        return REASON_NONE;
    vehicle->derailed = derailed;
    /* Back on its rails it stands, and what its driver sent before it was put there does not undo it. */
    vehicle->train = (struct vehicle_train){ .put_back = !derailed };
    tell_everyone(shard, vehicle, false);
    return REASON_NONE;
}

enum reason vehicle_set_train_speed(struct shard *shard, struct vehicle *vehicle, float m_per_s)
{
    float speed = m_per_s / TRAIN_STEPS_PER_S;

    if (!is_train(vehicle))
        return REASON_NOT_TRAIN;
    if (vehicle->derailed)
        return REASON_DERAILED;
    if (!(fabsf(speed) <= TRAIN_SPEED_MAX))
        return REASON_OUT_OF_BOUNDS;
    vehicle->train.speed = speed;
    vehicle->train.commanded = true;
    tell_everyone(shard, vehicle, true);
    return REASON_NONE;
}

float vehicle_train_speed(const struct vehicle *vehicle)
{
    return vehicle->train.speed * TRAIN_STEPS_PER_S;
}

void vehicle_train_respawn(struct vehicle *vehicle)
{
    vehicle->derailed = false;
    vehicle->train = (struct vehicle_train){ 0 };
}
