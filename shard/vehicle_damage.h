/* vehicle_damage.h - what of a vehicle is dented, burst or gone.
 *
 * The controlling player's reports only add to it; a gamemode's command and a respawn repair. Reports
 * from before the last command are told by its revision.
 *
 * Spec: Vehicles: VehicleDamage, RemoteVehicleDamage. */
#ifndef DLMP_SHARD_VEHICLE_DAMAGE_H
#define DLMP_SHARD_VEHICLE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/reason.h"
#include "shard/tables/models.h"

struct player;
struct shard;
struct vehicle;
struct wire_vehicle_damage_status;

enum { DAMAGE_PANELS = 7, DAMAGE_DOORS = 6, DAMAGE_WHEELS = 4 };

struct vehicle_damage {
    uint32_t panels;               /* 4 bits each, 0 to 3 */
    uint8_t doors[DAMAGE_DOORS];   /* 0 intact, 2 damaged, 4 missing */
    uint32_t lights;               /* mask 0x55 */
    uint8_t wheels[DAMAGE_WHEELS]; /* 0 intact, 1 burst, 2 fallen off */
};

/* Cars, quad bikes, monster trucks and motorbikes. */
bool vehicle_has_damage_status(const struct model *model);
/* Could a vehicle of the model look so? Of one that comes from elsewhere. */
bool vehicle_damage_is_valid(const struct vehicle_damage *damage, const struct model *model);
struct wire_vehicle_damage_status vehicle_damage_status(const struct vehicle *vehicle);

/* A gamemode's command, told to everyone with a new revision. REASON_WRONG_MODEL: it has no status;
 * REASON_WRECKED; REASON_OUT_OF_BOUNDS. */
enum reason vehicle_set_damage(struct shard *shard, struct vehicle *vehicle,
                               const struct vehicle_damage *damage);

void on_vehicle_damage(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet);

#endif
