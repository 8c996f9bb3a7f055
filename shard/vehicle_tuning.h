/* vehicle_tuning.h - a vehicle's parts, paintjob, plate, dirt and taxi light.
 *
 * The gamemode sets them, and every change is told as the whole state. Nitro charges are spent by the pilot's
 * burning (vehicle_nitro.h).
 *
 * Spec: Vehicles: VehicleTuning. */
#ifndef DLMP_SHARD_VEHICLE_TUNING_H
#define DLMP_SHARD_VEHICLE_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"
#include "shard/tables/components.h"

struct player;
struct shard;
struct vehicle;

enum {
    TUNING_PLATE_SIZE = 8,
    TUNING_NO_PAINTJOB = 0xFF,
    TUNING_NO_DIRT = 0xFF,
};

struct vehicle_tuning {
    uint16_t components[COMPONENT_KINDS]; /* by kind; 0: none */
    uint8_t paintjob;
    char plate[TUNING_PLATE_SIZE]; /* zeros: the game's */
    uint8_t dirt;
    bool taxi_light;
    uint8_t nitro_charges;
};

void vehicle_tuning_init(struct vehicle *vehicle);
/* A respawn keeps the tuning and refills the nitro. */
void vehicle_tuning_respawn(struct vehicle *vehicle);
bool vehicle_has_component(const struct vehicle *vehicle, uint8_t kind);

/* Could the vehicle have been tuned so? Of one that comes from elsewhere. */
bool vehicle_tuning_is_valid(const struct vehicle_tuning *tuning, const struct model *model);

/* To one observer after a show, if there is anything to tell. */
void vehicle_send_tuning(struct shard *shard, struct player *observer, const struct vehicle *vehicle);
/* To everyone it is streamed to. */
void vehicle_tell_tuning(struct shard *shard, struct vehicle *vehicle);

/* Commands of a gamemode. REASON_NONE: done. */
/* It takes the place of the part of its kind. REASON_NO_COMPONENT, REASON_WRONG_MODEL. */
enum reason vehicle_add_component(struct shard *shard, struct vehicle *vehicle, uint32_t component);
/* REASON_NO_COMPONENT: the vehicle does not have it. */
enum reason vehicle_remove_component(struct shard *shard, struct vehicle *vehicle, uint32_t component);
/* TUNING_NO_PAINTJOB: plain colors. */
enum reason vehicle_set_paintjob(struct shard *shard, struct vehicle *vehicle, uint8_t paintjob);
/* Up to 8 of A-Z, 0-9 and space; NULL: the game's own. */
enum reason vehicle_set_plate(struct shard *shard, struct vehicle *vehicle, const char *plate);
/* 0 to 15; TUNING_NO_DIRT: as each copy has it. */
enum reason vehicle_set_dirt(struct shard *shard, struct vehicle *vehicle, uint8_t dirt);
enum reason vehicle_set_taxi_light(struct shard *shard, struct vehicle *vehicle, bool on);
/* At most 100; REASON_NO_COMPONENT: it has no nitro. */
enum reason vehicle_set_nitro_charges(struct shard *shard, struct vehicle *vehicle, uint8_t charges);
/* Without a word: the caller tells. */
void vehicle_tuning_drop_nitro(struct vehicle *vehicle);

#endif
