/* vehicle_nitro.h - the burning of nitro, and the hydraulics: what a frame changes of them.
 *
 * A charge is spent when a pilot's frame turns to burning, and burns until a frame says that it does not,
 * for at most 25 s. Frames that burn without a charge are relayed with the level of before.
 *
 * Spec: Vehicles: VehicleFrame, "Nitro and hydraulics". */
#ifndef DLMP_SHARD_VEHICLE_NITRO_H
#define DLMP_SHARD_VEHICLE_NITRO_H

#include <stdbool.h>
#include <stdint.h>

struct shard;
struct vehicle;
struct wire_vehicle_state;

struct vehicle_nitro {
    float level; /* as it was relayed last */
    bool burning;
    bool burnt; /* a charge has burnt out since the tank was filled */
    uint64_t lit_at_ms;
    uint64_t burnt_at_ms;
};

/* As the server has them and relays them. */
struct vehicle_hydraulics {
    uint16_t state;
    int16_t left_right;
    int16_t up_down;
};

/* A full tank, which may be lit at once. */
void vehicle_nitro_refill(struct vehicle *vehicle);

/* `pilot`: the frame is a live pilot's. */
void vehicle_nitro_take(struct shard *shard, struct vehicle *vehicle, bool pilot, float level,
                        uint64_t now_ms);
void vehicle_hydraulics_take(struct vehicle *vehicle, bool pilot, const struct wire_vehicle_state *state);

/* Charges that have burnt for their time are burnt out, though no frame says so. */
void vehicle_nitro_tick(struct shard *shard, uint64_t now_ms);

#endif
