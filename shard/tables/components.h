/* components.h - facts about the game's tuning parts: which kind each is, and which models take it.
 *
 * Spec: Vehicles: VehicleTuning. */
#ifndef DLMP_SHARD_TABLES_COMPONENTS_H
#define DLMP_SHARD_TABLES_COMPONENTS_H

#include "shard/tables/models.h"

/* Vehicles: VehicleTuning. */
enum {
    COMPONENT_MIN = 1000,
    COMPONENT_MAX = 1193,
    COMPONENTS = COMPONENT_MAX - COMPONENT_MIN + 1,
    COMPONENT_KINDS = 17,
};

/* Kinds that a rule names; the rest are only indices. */
enum {
    COMPONENT_NITRO = 8,
    COMPONENT_HYDRAULICS = 9,
    COMPONENT_STEREO = 10,
    COMPONENT_WHEELS = 12,
};

bool component_exists(uint32_t component);

/* The others take a part that exists. */
uint8_t component_kind(uint16_t component);
bool component_fits(uint16_t component, const struct model *model);
/* What it is installed with; 0 for a part that is no nitro. */
uint8_t component_nitro_charges(uint16_t component);

/* Paintjobs are 0 up to this number. */
uint8_t model_paintjobs(const struct model *model);

#endif
