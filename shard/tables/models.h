/* models.h - facts about the game's vehicle models.
 *
 * models.c is written from the table vehicles.csv (its README names the sources); where a page fixes a
 * value, the page has won there. The sets of models that a page names by number stand beside the rule that
 * uses them. */
#ifndef DLMP_SHARD_TABLES_MODELS_H
#define DLMP_SHARD_TABLES_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* Vehicles: VehicleSync. */
enum { MODEL_MIN = 400, MODEL_MAX = 611, MODELS = MODEL_MAX - MODEL_MIN + 1, MODEL_SEATS_MAX = 21 };

enum model_class {
    MODEL_CAR,
    MODEL_MONSTER_TRUCK,
    MODEL_QUAD,
    MODEL_MOTORBIKE,
    MODEL_BICYCLE,
    MODEL_BOAT,
    MODEL_HELICOPTER,
    MODEL_PLANE,
    MODEL_TRAIN,
    MODEL_TRAILER,
    MODEL_RC,
};

struct model {
    uint16_t id;
    uint8_t vehicle_class; /* enum model_class */
    uint8_t seats;         /* the driver's included; 0: nobody boards it */
    bool spawnable;        /* false for a train's carriages */
    bool has_siren;        /* until a gamemode says otherwise */
};

/* NULL: there is no such model. */
const struct model *model_find(uint32_t id);

#endif
