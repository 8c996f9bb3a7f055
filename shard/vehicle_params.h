/* vehicle_params.h - a vehicle's parameters: engine, lights, locks, doors, winch, alarm, siren.
 *
 * The server's alone: a gamemode sets them, or a driver's keys that it lets through. Two of them may be
 * one player's own: a lock that stands for the vehicle's, and the objective marker. So the packet differs
 * for who has such a one, and is shared by all others.
 *
 * Spec: Vehicles: VehicleParams, VehicleControl. */
#ifndef DLMP_SHARD_VEHICLE_PARAMS_H
#define DLMP_SHARD_VEHICLE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/reason.h"
#include "shard/tables/couplings.h"

struct player;
struct shard;
struct vehicle;

enum { VEHICLE_DOORS = 6 }; /* bonnet, boot, LF, RF, LR, RR */

enum own_lock { OWN_LOCK_NONE, OWN_LOCK_OPEN, OWN_LOCK_LOCKED };

/* What a gamemode has set for one player. */
struct own_params {
    uint16_t player; /* slot */
    uint8_t lock;    /* enum own_lock */
    bool objective;
};

struct vehicle_params {
    bool engine;
    bool lights;
    bool locked;
    bool alarm;
    bool siren;
    bool has_siren;
    uint8_t winch; /* enum winch */
    uint8_t doors; /* open by the last command, a bit each */
    uint16_t siren_rev;
    struct own_params *own; /* by player slot */
    uint16_t own_count;
    uint16_t own_capacity;
};

/* A new vehicle's: the model's defaults. */
void vehicle_params_init(struct vehicle *vehicle, bool engine);
void vehicle_params_fini(struct vehicle *vehicle);
/* A respawn: defaults again, but for a siren that was given or removed. */
void vehicle_params_respawn(struct vehicle *vehicle);
/* The player is leaving: what was its own goes with it. */
void vehicle_params_forget_player(struct shard *shard, const struct player *player);

/* Without a word, of a vehicle that comes from elsewhere. False: no memory. */
bool vehicle_params_put_own(struct vehicle *vehicle, struct own_params own);

/* As VehicleSync and VehicleParams have them for the recipient. */
uint16_t vehicle_params_for(const struct shard *shard, const struct vehicle *vehicle,
                            const struct player *recipient);
bool vehicle_is_locked_for(const struct shard *shard, const struct vehicle *vehicle,
                           const struct player *player);
bool vehicle_has_objective_for(const struct shard *shard, const struct vehicle *vehicle,
                               const struct player *player);

/* Commands of a gamemode. REASON_NONE: done; a command that changes nothing sends nothing, those for
 * doors and the siren aside. */
enum reason vehicle_set_engine(struct shard *shard, struct vehicle *vehicle, bool on);
enum reason vehicle_set_lights(struct shard *shard, struct vehicle *vehicle, bool on);
enum reason vehicle_set_locked(struct shard *shard, struct vehicle *vehicle, bool locked);
enum reason vehicle_set_alarm(struct shard *shard, struct vehicle *vehicle, bool on);
/* REASON_NO_SIREN: the vehicle has none. */
enum reason vehicle_set_siren(struct shard *shard, struct vehicle *vehicle, bool on);
/* REASON_WRONG_MODEL: it would be mute. Without one the siren is off. */
enum reason vehicle_set_has_siren(struct shard *shard, struct vehicle *vehicle, bool has);
enum reason vehicle_set_door(struct shard *shard, struct vehicle *vehicle, uint8_t door, bool open);
/* Helicopters. What hangs on the former winch is released. */
enum reason vehicle_set_winch(struct shard *shard, struct vehicle *vehicle, enum winch winch);
/* REASON_NO_MEMORY: too many players have something of their own. */
enum reason vehicle_set_locked_for(struct shard *shard, struct vehicle *vehicle, struct player *player,
                                   enum own_lock lock);
enum reason vehicle_set_objective(struct shard *shard, struct vehicle *vehicle, struct player *player,
                                  bool on);

/* VehicleControl: the driver's keys. */
void on_vehicle_control(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
