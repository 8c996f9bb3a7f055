#include "shard/vehicle_colors.h"

#include <assert.h>

#include "shard/lanes.h"
#include "shard/shard.h"

enum reason vehicle_set_colors(struct shard *shard, struct vehicle *vehicle, uint8_t color1, uint8_t color2)
{
    struct wire_vehicle_colors colors = { .vehicle_id = vehicle->id, .color1 = color1, .color2 = color2 };
    uint8_t packet[WIRE_VEHICLE_COLORS_SIZE];
    struct wire_error error;
    size_t size;

    if (vehicle->wrecked)
        return REASON_WRECKED;
    size = wire_vehicle_colors_encode(&colors, packet, sizeof packet, &error);
    if (size == 0)
        return REASON_OUT_OF_BOUNDS;
    if (vehicle->color1 == color1 && vehicle->color2 == color2)
        return REASON_NONE;
    vehicle->color1 = color1;
    vehicle->color2 = color2;
    send_group_droppable(shard, &vehicle->observers, packet, size);
    return REASON_NONE;
}
