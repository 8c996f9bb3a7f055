#include "shard/vehicle_tuning.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"
#include "shard/vehicle_nitro.h"

enum { FLAG_TAXI_LIGHT = 1 }; /* Vehicles: VehicleTuning.flags */
enum { CHARGES_MAX = 100, DIRT_MAX = 15 };
enum { MODEL_TAXI = 420, MODEL_CABBIE = 438 };

static const struct vehicle_tuning untuned = { .paintjob = TUNING_NO_PAINTJOB, .dirt = TUNING_NO_DIRT };

void vehicle_tuning_init(struct vehicle *vehicle)
{
    vehicle->tuning = untuned;
    vehicle_nitro_refill(vehicle);
}

void vehicle_tuning_respawn(struct vehicle *vehicle)
{
    uint16_t nitro = vehicle->tuning.components[COMPONENT_NITRO];

    if (nitro != 0)
        vehicle->tuning.nitro_charges = component_nitro_charges(nitro);
    vehicle_nitro_refill(vehicle);
}

bool vehicle_has_component(const struct vehicle *vehicle, uint8_t kind)
{
    return vehicle->tuning.components[kind] != 0;
}

static bool is_empty(const struct vehicle_tuning *tuning)
{
    for (size_t kind = 0; kind < COMPONENT_KINDS; kind++)
        if (tuning->components[kind] != 0)
            return false;
    return tuning->paintjob == TUNING_NO_PAINTJOB && tuning->plate[0] == 0 &&
           tuning->dirt == TUNING_NO_DIRT && !tuning->taxi_light;
}

static size_t encode_tuning(const struct vehicle *vehicle, uint8_t *packet, size_t room)
{
    const struct vehicle_tuning *tuning = &vehicle->tuning;
    struct wire_vehicle_tuning wire = {
        .vehicle_id = vehicle->id,
        .paintjob = tuning->paintjob,
        .dirt = tuning->dirt,
        .flags = tuning->taxi_light ? FLAG_TAXI_LIGHT : 0,
        .nitro = tuning->nitro_charges,
    };
    struct wire_error error;
    size_t size;

    memcpy(wire.components, tuning->components, sizeof wire.components);
    memcpy(wire.plate, tuning->plate, sizeof wire.plate);
    size = wire_vehicle_tuning_encode(&wire, packet, room, &error);
    assert(size > 0);
    return size;
}

void vehicle_send_tuning(struct shard *shard, struct player *observer, const struct vehicle *vehicle)
{
    uint8_t packet[WIRE_VEHICLE_TUNING_SIZE];

    if (!is_empty(&vehicle->tuning))
        send_critical(shard, observer, packet, encode_tuning(vehicle, packet, sizeof packet));
}

void vehicle_tell_tuning(struct shard *shard, struct vehicle *vehicle)
{
    uint8_t packet[WIRE_VEHICLE_TUNING_SIZE];

    send_group_critical(shard, &vehicle->observers, packet, encode_tuning(vehicle, packet, sizeof packet));
}

/* The tuning as it is to be, told if it is another one. */
static enum reason change(struct shard *shard, struct vehicle *vehicle, struct vehicle_tuning tuning)
{
    struct vehicle_tuning *now = &vehicle->tuning;
    bool same = memcmp(now->components, tuning.components, sizeof now->components) == 0 &&
                now->paintjob == tuning.paintjob && now->dirt == tuning.dirt &&
                memcmp(now->plate, tuning.plate, sizeof now->plate) == 0 &&
                now->taxi_light == tuning.taxi_light && now->nitro_charges == tuning.nitro_charges;

    *now = tuning;
    if (!same)
        vehicle_tell_tuning(shard, vehicle);
    return REASON_NONE;
}

enum reason vehicle_add_component(struct shard *shard, struct vehicle *vehicle, uint32_t component)
{
    struct vehicle_tuning tuning = vehicle->tuning;
    uint8_t kind;

    if (!component_exists(component))
        return REASON_NO_COMPONENT;
    if (!component_fits((uint16_t)component, vehicle->model))
        return REASON_WRONG_MODEL;
    kind = component_kind((uint16_t)component);
    tuning.components[kind] = (uint16_t)component;
    if (kind == COMPONENT_NITRO) {
        tuning.nitro_charges = component_nitro_charges((uint16_t)component);
        vehicle_nitro_refill(vehicle);
    }
    return change(shard, vehicle, tuning);
}

void vehicle_tuning_drop_nitro(struct vehicle *vehicle)
{
    vehicle->tuning.components[COMPONENT_NITRO] = 0;
    vehicle->tuning.nitro_charges = 0;
    vehicle_nitro_refill(vehicle);
}

enum reason vehicle_remove_component(struct shard *shard, struct vehicle *vehicle, uint32_t component)
{
    uint8_t kind;

    if (!component_exists(component))
        return REASON_NO_COMPONENT;
    kind = component_kind((uint16_t)component);
    if (vehicle->tuning.components[kind] != component)
        return REASON_NO_COMPONENT;
    if (kind == COMPONENT_NITRO)
        vehicle_tuning_drop_nitro(vehicle);
    vehicle->tuning.components[kind] = 0;
    vehicle_tell_tuning(shard, vehicle);
    return REASON_NONE;
}

enum reason vehicle_set_paintjob(struct shard *shard, struct vehicle *vehicle, uint8_t paintjob)
{
    struct vehicle_tuning tuning = vehicle->tuning;

    if (paintjob != TUNING_NO_PAINTJOB && paintjob >= model_paintjobs(vehicle->model))
        return REASON_WRONG_MODEL;
    tuning.paintjob = paintjob;
    return change(shard, vehicle, tuning);
}

static bool has_taxi_light(const struct model *model)
{
    return model->id == MODEL_TAXI || model->id == MODEL_CABBIE;
}

static bool is_plate_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ';
}

enum reason vehicle_set_plate(struct shard *shard, struct vehicle *vehicle, const char *plate)
{
    struct vehicle_tuning tuning = vehicle->tuning;
    size_t length = plate == NULL ? 0 : strlen(plate);

    if (plate != NULL && (length == 0 || length > sizeof tuning.plate))
        return REASON_OUT_OF_BOUNDS;
    for (size_t i = 0; i < length; i++)
        if (!is_plate_character(plate[i]))
            return REASON_OUT_OF_BOUNDS;
    /* A partly set plate is none: what is short ends in spaces. */
    memset(tuning.plate, plate == NULL ? 0 : ' ', sizeof tuning.plate);
    if (length > 0)
        memcpy(tuning.plate, plate, length);
    return change(shard, vehicle, tuning);
}

static bool plate_is_valid(const char plate[TUNING_PLATE_SIZE])
{
    static const char none[TUNING_PLATE_SIZE];

    if (memcmp(plate, none, sizeof none) == 0)
        return true;
    for (size_t i = 0; i < TUNING_PLATE_SIZE; i++)
        if (!is_plate_character(plate[i]))
            return false;
    return true;
}

bool vehicle_tuning_is_valid(const struct vehicle_tuning *tuning, const struct model *model)
{
    for (uint8_t kind = 0; kind < COMPONENT_KINDS; kind++) {
        uint16_t component = tuning->components[kind];

        if (component != 0 && (!component_exists(component) || component_kind(component) != kind ||
                               !component_fits(component, model)))
            return false;
    }
    return (tuning->paintjob == TUNING_NO_PAINTJOB || tuning->paintjob < model_paintjobs(model)) &&
           (tuning->dirt == TUNING_NO_DIRT || tuning->dirt <= DIRT_MAX) && plate_is_valid(tuning->plate) &&
           (!tuning->taxi_light || has_taxi_light(model)) &&
           tuning->nitro_charges <= (tuning->components[COMPONENT_NITRO] != 0 ? CHARGES_MAX : 0);
}

enum reason vehicle_set_dirt(struct shard *shard, struct vehicle *vehicle, uint8_t dirt)
{
    struct vehicle_tuning tuning = vehicle->tuning;

    if (dirt != TUNING_NO_DIRT && dirt > DIRT_MAX)
        return REASON_OUT_OF_BOUNDS;
    tuning.dirt = dirt;
    return change(shard, vehicle, tuning);
}

enum reason vehicle_set_taxi_light(struct shard *shard, struct vehicle *vehicle, bool on)
{
    struct vehicle_tuning tuning = vehicle->tuning;

    if (on && !has_taxi_light(vehicle->model))
        return REASON_WRONG_MODEL;
    tuning.taxi_light = on;
    return change(shard, vehicle, tuning);
}

enum reason vehicle_set_nitro_charges(struct shard *shard, struct vehicle *vehicle, uint8_t charges)
{
    struct vehicle_tuning tuning = vehicle->tuning;

    if (!vehicle_has_component(vehicle, COMPONENT_NITRO))
        return REASON_NO_COMPONENT;
    if (charges > CHARGES_MAX)
        return REASON_OUT_OF_BOUNDS;
    tuning.nitro_charges = charges;
    return change(shard, vehicle, tuning);
}
