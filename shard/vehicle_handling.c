#include "shard/vehicle_handling.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/shard.h"

const char *const handling_names[HANDLING_PROPERTIES + 1] = {
    "mass",
    "turn_mass",
    "drag_coeff",
    "center_of_mass_x",
    "center_of_mass_y",
    "center_of_mass_z",
    "traction_multiplier",
    "traction_loss",
    "traction_bias",
    "brake_deceleration",
    "brake_bias",
    "abs",
    "steering_lock",
    "suspension_force_level",
    "suspension_damping",
    "suspension_high_speed_damping",
    "collision_damage_multiplier",
    "max_velocity",
    "engine_acceleration",
    "engine_inertia",
    "number_of_gears",
    NULL,
};

uint32_t handling_find(const char *name)
{
    uint32_t property = 0;

    while (property < HANDLING_PROPERTIES && strcmp(handling_names[property], name) != 0)
        property++;
    return property;
}

/* 0: a value is not in its range. The ranges are the schema's. */
static size_t encode_handling(uint32_t vehicle_id, const struct vehicle_handling *handling, uint8_t *packet,
                              size_t room)
{
    struct wire_vehicle_handling wire = { .vehicle_id = vehicle_id, .mask = handling->mask };
    struct wire_error error;

    memcpy(wire.values, handling->values, sizeof wire.values);
    return wire_vehicle_handling_encode(&wire, packet, room, &error);
}

bool vehicle_handling_is_valid(const struct vehicle_handling *handling)
{
    uint8_t packet[WIRE_VEHICLE_HANDLING_SIZE];

    return encode_handling(0, handling, packet, sizeof packet) > 0;
}

void vehicle_send_handling(struct shard *shard, struct player *observer, const struct vehicle *vehicle)
{
    uint8_t packet[WIRE_VEHICLE_HANDLING_SIZE];
    size_t size = encode_handling(vehicle->id, &vehicle->handling, packet, sizeof packet);

    assert(size > 0);
    if (vehicle->handling.mask != 0)
        send_critical(shard, observer, packet, size);
}

enum reason vehicle_set_handling(struct shard *shard, struct vehicle *vehicle, uint32_t property,
                                 const float *value)
{
    struct vehicle_handling handling = vehicle->handling;
    uint8_t packet[WIRE_VEHICLE_HANDLING_SIZE];
    size_t size;

    if (property >= HANDLING_PROPERTIES)
        return REASON_OUT_OF_BOUNDS;
    handling.mask &= ~(UINT32_C(1) << property);
    handling.mask |= value != NULL ? UINT32_C(1) << property : 0;
    handling.values[property] = value != NULL ? *value : 0;
    size = encode_handling(vehicle->id, &handling, packet, sizeof packet);
    if (size == 0)
        return REASON_OUT_OF_BOUNDS;
    if (handling.mask == vehicle->handling.mask &&
        handling.values[property] == vehicle->handling.values[property])
        return REASON_NONE;
    vehicle->handling = handling;
    send_group_critical(shard, &vehicle->observers, packet, size);
    return REASON_NONE;
}
