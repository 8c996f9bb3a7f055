#include <inttypes.h>
#include <stddef.h>
#include <string.h>

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

/* Vehicles: VehicleSync; VehicleFrame, "inside the world". */
static const struct whole {
    const char *key;
    size_t at;
    int64_t min, max;
} wholes[] = {
    { "model", offsetof(struct shard_vehicle, model), MODEL_MIN, MODEL_MAX },
    { "color1", offsetof(struct shard_vehicle, color1), 0, COLOR_MAX },
    { "color2", offsetof(struct shard_vehicle, color2), 0, COLOR_MAX },
    { "virtual_world", offsetof(struct shard_vehicle, virtual_world), 0, UINT32_MAX },
    { "interior", offsetof(struct shard_vehicle, interior), 0, UINT8_MAX },
};
static const struct real {
    const char *key;
    size_t at;
    double min, max;
} reals[] = {
    { "x", offsetof(struct shard_vehicle, x), -(double)WORLD_XY_MAX, (double)WORLD_XY_MAX },
    { "y", offsetof(struct shard_vehicle, y), -(double)WORLD_XY_MAX, (double)WORLD_XY_MAX },
    { "z", offsetof(struct shard_vehicle, z), (double)WORLD_Z_MIN, (double)WORLD_Z_MAX },
    { "heading", offsetof(struct shard_vehicle, heading), -360, 360 },
};
enum { WHOLES = sizeof wholes / sizeof wholes[0], REALS = sizeof reals / sizeof reals[0] };

static int64_t whole_of(const struct shard_vehicle *vehicle, const struct whole *whole)
{
    int64_t value;

    memcpy(&value, (const char *)vehicle + whole->at, sizeof value);
    return value;
}

static double real_of(const struct shard_vehicle *vehicle, const struct real *real)
{
    double value;

    memcpy(&value, (const char *)vehicle + real->at, sizeof value);
    return value;
}

/* A NaN is in no range. */
static bool is_in(const struct real *real, double value)
{
    return value >= real->min && value <= real->max;
}

static bool is_carriage(int64_t model)
{
    return model >= MODEL_MIN && model <= MODEL_MAX && !model_find((uint32_t)model)->spawnable;
}

enum reason shard_vehicle_check(const struct shard_vehicle *vehicle)
{
    if (vehicle->model < MODEL_MIN || vehicle->model > MODEL_MAX || is_carriage(vehicle->model))
        return REASON_NO_MODEL;
    for (size_t i = 0; i < WHOLES; i++)
        if (whole_of(vehicle, &wholes[i]) < wholes[i].min || whole_of(vehicle, &wholes[i]) > wholes[i].max)
            return REASON_OUT_OF_BOUNDS;
    for (size_t i = 0; i < REALS; i++)
        if (!is_in(&reals[i], real_of(vehicle, &reals[i])))
            return REASON_OUT_OF_BOUNDS;
    return REASON_NONE;
}

static void check_vehicle(struct complaints *complaints, size_t index, const struct shard_vehicle *vehicle)
{
    for (size_t i = 0; i < WHOLES; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "vehicles[%zu].%s", index, wholes[i].key);
        complain_range(complaints, name, whole_of(vehicle, &wholes[i]), wholes[i].min, wholes[i].max);
    }
    if (is_carriage(vehicle->model)) {
        (void)fprintf(complaints->errors,
                      "vehicles[%zu].model is %" PRId64 ", a carriage, which comes with its train\n", index,
                      vehicle->model);
        complaints->count++;
    }
    for (size_t i = 0; i < REALS; i++) {
        double value = real_of(vehicle, &reals[i]);

        if (is_in(&reals[i], value))
            continue;
        (void)fprintf(complaints->errors, "vehicles[%zu].%s is %g, not %g..=%g\n", index, reals[i].key, value,
                      reals[i].min, reals[i].max);
        complaints->count++;
    }
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
