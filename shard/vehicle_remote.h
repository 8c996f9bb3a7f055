/* vehicle_remote.h - players who drive a remote-controlled vehicle.
 *
 * The player's body stays on foot; the RC has no driver and no occupant, and the player is its syncer. The
 * detonation is the RC's: it stays as the gamemode has set it for whoever takes the RC by key, until the RC
 * has a new life.
 *
 * Spec: Vehicles: VehicleRemote, VehicleRemoteExit, VehicleRemoteEnter. */
#ifndef DLMP_SHARD_VEHICLE_REMOTE_H
#define DLMP_SHARD_VEHICLE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/reason.h"

#define REMOTE_RANGE_M 150.0f      /* Vehicles: VehicleRemote: dlmp.rc_range() by default */
#define REMOTE_RANGE_MAX_M 180.0f  /* likewise: at most */
#define REMOTE_ENTER_RANGE_M 10.0f /* Vehicles: VehicleRemoteEnter */

struct shard;
struct player;
struct vehicle;

/* Of a vehicle. The player has the other end: player.remote_id. */
struct vehicle_remote {
    uint16_t driver; /* player slot */
    bool detonation;
};

/* Why a player drives its RC no more. */
enum remote_why {
    REMOTE_EXIT,  /* by key; raises player_remote_exit */
    REMOTE_RANGE, /* likewise */
    REMOTE_DEATH,
    REMOTE_SCOPE,   /* the player changes its scope, or begins a new life */
    REMOTE_BOARDED, /* the player gets into a vehicle */
    REMOTE_GONE,    /* the RC exploded, has a new life, was removed, or goes to another scope */
    REMOTE_COMMAND, /* dlmp.remove_remote_vehicle, or another RC in its place */
};

/* NULL: nobody drives it; the player drives none. */
struct player *vehicle_remote_driver(const struct shard *shard, const struct vehicle *vehicle);
struct vehicle *vehicle_remote_of(const struct shard *shard, const struct player *player);
/* Does an explosion that the player reports blow the RC up at once? */
bool vehicle_remote_detonates(const struct shard *shard, const struct player *player,
                              const struct vehicle *vehicle);

/* dlmp.set_remote_vehicle, remove_remote_vehicle, rc_range. */
enum reason vehicle_set_remote(struct shard *shard, struct player *player, struct vehicle *vehicle,
                               bool detonation);
enum reason vehicle_remove_remote(struct shard *shard, struct player *player);
enum reason vehicle_set_remote_range(struct shard *shard, float range_m);
float vehicle_remote_range(const struct shard *shard);

void on_vehicle_remote_exit(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);
void on_vehicle_remote_enter(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

/* To the player, who has been out of reach: what it drives by now. */
void vehicle_remote_tell_again(struct shard *shard, struct player *player);
/* The player drives its RC, if any, no more, and is told so. */
void vehicle_remote_release(struct shard *shard, struct player *player, enum remote_why why);
/* Likewise whoever drives the vehicle: it is gone, or goes to another scope. */
void vehicle_remote_take_away(struct shard *shard, struct vehicle *vehicle);
/* Likewise without a word: the player is leaving. */
void vehicle_remote_forget(struct shard *shard, struct player *player);

/* After the vehicle's frame has been taken: an RC too far from its driver's body is released. */
void vehicle_remote_on_frame(struct shard *shard, struct vehicle *vehicle);
/* Whoever has lost sight of its RC cannot drive it: released as by distance. */
void vehicle_remote_tick(struct shard *shard);

#endif
