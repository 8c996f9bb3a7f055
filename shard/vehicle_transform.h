/* vehicle_transform.h - a vehicle's pose and velocities as a gamemode sets them, and freezing.
 *
 * Each command raises `pose_rev`: a frame from before it does not undo it. A frozen vehicle is held at
 * the server's pose by every copy.
 *
 * Spec: Vehicles: VehicleTransform. */
#ifndef DLMP_SHARD_VEHICLE_TRANSFORM_H
#define DLMP_SHARD_VEHICLE_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"

struct player;
struct shard;
struct vehicle;

/* VehicleTransform.flags. */
enum {
    TRANSFORM_POSITION = 1,
    TRANSFORM_ROTATION = 2,
    TRANSFORM_VELOCITY = 4,
    TRANSFORM_TURN = 8,
    TRANSFORM_FROZEN = 16,
    TRANSFORM_HELD = TRANSFORM_FROZEN | TRANSFORM_POSITION | TRANSFORM_ROTATION,
};

/* Commands. REASON_WRONG_MODEL: a train; REASON_WRECKED; REASON_OUT_OF_BOUNDS: outside the world, too
 * fast or not of length 1; REASON_FROZEN: a velocity of a frozen vehicle. */
enum reason vehicle_set_position(struct shard *shard, struct vehicle *vehicle, const float pos[3]);
enum reason vehicle_set_rotation(struct shard *shard, struct vehicle *vehicle, const float rot[4]);
/* m/s */
enum reason vehicle_set_velocity(struct shard *shard, struct vehicle *vehicle, const float velocity[3]);
/* radians a second */
enum reason vehicle_set_turn_velocity(struct shard *shard, struct vehicle *vehicle, const float velocity[3]);
enum reason vehicle_set_frozen(struct shard *shard, struct vehicle *vehicle, bool frozen);

/* To one observer, after a show: these parts of the pose as it is, without a new revision. */
void vehicle_send_transform(struct shard *shard, struct player *observer, const struct vehicle *vehicle,
                            unsigned flags);
/* To where it was made: nobody controls it and nobody can, out of sight of everyone on the map above. It is
 * not frozen. */
void vehicle_put_back(struct shard *shard, struct vehicle *vehicle);

#endif
