/* vehicle_colors.h - the repainting of a vehicle.
 *
 * Spec: Vehicles: VehicleColors. */
#ifndef DLMP_SHARD_VEHICLE_COLORS_H
#define DLMP_SHARD_VEHICLE_COLORS_H

#include <stdint.h>

#include "common/reason.h"

struct shard;
struct vehicle;

enum { VEHICLE_COLOR_MAX = 127 };

/* REASON_WRECKED, REASON_OUT_OF_BOUNDS. Colors that it has already are not sent. */
enum reason vehicle_set_colors(struct shard *shard, struct vehicle *vehicle, uint8_t color1, uint8_t color2);

#endif
