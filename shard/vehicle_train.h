/* vehicle_train.h - trains on their rails and off them.
 *
 * A train derails by a frame of its driver or by the gamemode; only the gamemode puts it back. Its speed is
 * what the last frame on rails said, or the gamemode since.
 *
 * Spec: Vehicles: VehicleSync, Trains; VehicleFrame, Field rules; TrainState. */
#ifndef DLMP_SHARD_VEHICLE_TRAIN_H
#define DLMP_SHARD_VEHICLE_TRAIN_H

#include <stdbool.h>

#include "common/reason.h"

#define TRAIN_DERAIL_SPEED 0.9f /* Vehicles: VehicleFrame, Field rules */
#define TRAIN_SPEED_MAX 4.0f    /* TrainState; units per physics step */
#define TRAIN_STEPS_PER_S 50.0f /* Vehicles: VehicleTransform, Server checks: on the wire per step */

struct shard;
struct player;
struct vehicle;
struct wire_vehicle_state;

/* Of a vehicle; all zeros on one that is no train. Speeds are along the track, per physics step. */
struct vehicle_train {
    float speed;       /* on rails */
    float frame_speed; /* of the last accepted frame */
    bool put_back;     /* on its rails by the gamemode, and no frame without the bit has come since */
    bool commanded;    /* the speed is the gamemode's, and no frame has come since */
};

/* Takes over what an accepted frame says of rails and derailment, and tells everyone when it derails the
 * train. `piloted`: it is from the driver, who is not paused. */
void vehicle_train_take(struct shard *shard, struct vehicle *vehicle, bool piloted,
                        const struct wire_vehicle_state *state);

/* dlmp.set_train_direction, set_train_derailed, set_train_speed. What is so already is done. */
enum reason vehicle_set_train_direction(struct shard *shard, struct vehicle *vehicle, bool clockwise);
enum reason vehicle_set_train_derailed(struct shard *shard, struct vehicle *vehicle, bool derailed);
enum reason vehicle_set_train_speed(struct shard *shard, struct vehicle *vehicle, float m_per_s);
float vehicle_train_speed(const struct vehicle *vehicle); /* m/s */

/* A new life: on its rails, standing; it faces where it faced. */
void vehicle_train_respawn(struct vehicle *vehicle);
/* After a show: the speed that the gamemode has set and no frame carries yet. */
void vehicle_train_send_speed(struct shard *shard, struct player *observer, const struct vehicle *vehicle);

#endif
