#include <inttypes.h>
#include <math.h>

#include "shard/core.h"
#include "shard/geometry.h"
#include "shard/world.h"

enum { COLOR_MAX = 127 }; /* Vehicles: VehicleSync */

struct complaints {
    FILE *errors;
    size_t count;
};

static void complain_range(struct complaints *complaints, const char *key, int64_t value, int64_t min,
                           int64_t max)
{
    if (value >= min && value <= max)
        return;
    (void)fprintf(complaints->errors, "%s is %" PRId64 ", not %" PRId64 "..=%" PRId64 "\n", key, value, min,
                  max);
    complaints->count++;
}

static void complain_whole(struct complaints *complaints, size_t index, const char *key, int64_t value,
                           int64_t min, int64_t max)
{
    char name[64];

    (void)snprintf(name, sizeof name, "vehicles[%zu].%s", index, key);
    complain_range(complaints, name, value, min, max);
}

/* A NaN is in no range. */
static void complain_real(struct complaints *complaints, size_t index, const char *key, double value,
                          double min, double max)
{
    if (value >= min && value <= max)
        return;
    (void)fprintf(complaints->errors, "vehicles[%zu].%s is %g, not %g..=%g\n", index, key, value, min, max);
    complaints->count++;
}

static void check_vehicle(struct complaints *complaints, size_t index, const struct shard_vehicle *vehicle)
{
    const struct model *model = vehicle->model >= MODEL_MIN && vehicle->model <= MODEL_MAX
                                    ? model_find((uint32_t)vehicle->model)
                                    : NULL;

    complain_whole(complaints, index, "model", vehicle->model, MODEL_MIN, MODEL_MAX);
    if (model != NULL && !model->spawnable) {
        (void)fprintf(complaints->errors,
                      "vehicles[%zu].model is %" PRId64 ", a carriage, which comes with its train\n", index,
                      vehicle->model);
        complaints->count++;
    }
    complain_real(complaints, index, "x", vehicle->x, -(double)WORLD_XY_MAX, (double)WORLD_XY_MAX);
    complain_real(complaints, index, "y", vehicle->y, -(double)WORLD_XY_MAX, (double)WORLD_XY_MAX);
    complain_real(complaints, index, "z", vehicle->z, (double)WORLD_Z_MIN, (double)WORLD_Z_MAX);
    complain_real(complaints, index, "heading", vehicle->heading, -360, 360);
    complain_whole(complaints, index, "color1", vehicle->color1, 0, COLOR_MAX);
    complain_whole(complaints, index, "color2", vehicle->color2, 0, COLOR_MAX);
    complain_whole(complaints, index, "virtual_world", vehicle->virtual_world, 0, UINT32_MAX);
    complain_whole(complaints, index, "interior", vehicle->interior, 0, UINT8_MAX);
}

size_t shard_config_check(const struct shard_config *config, FILE *errors)
{
    struct complaints complaints = { .errors = errors };

    complain_range(&complaints, "players_max", config->players_max, 1, WORLD_PLAYERS_MAX);
    complain_range(&complaints, "vehicles_max", config->vehicles_max, 1, WORLD_VEHICLES_MAX);
    complain_range(&complaints, "player_ids_max", config->player_ids_max, 1, WORLD_PLAYER_IDS_MAX);
    complain_range(&complaints, "the number of vehicles", (int64_t)config->vehicles_count, 0,
                   config->vehicles_max);
    for (size_t i = 0; i < config->vehicles_count; i++)
        check_vehicle(&complaints, i, &config->vehicles[i]);
    return complaints.count;
}
