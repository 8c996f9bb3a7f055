#include "bots/client_inside.h"

#include <string.h>

#define BESIDE_M 2.5f /* ours: where one stands after getting out */

static bool is_shown(struct client *client, bool told)
{
    if (!told)
        client_violate(client, VIOLATION_UNKNOWN_VEHICLE);
    return told;
}

void client_on_vehicle_sync(struct client *client, const union wire_any *any)
{
    if (!view_on_vehicle_sync(&client->view, &any->vehicle_sync))
        client_violate(client, VIOLATION_SHOWN_TWICE);
    if (any->vehicle_sync.active == 0 && client->frame.vehicle_id == any->vehicle_sync.vehicle_id)
        client_unseat(client);
}

static void sit_down(struct client *client, const struct view_vehicle *vehicle, uint8_t seat)
{
    client->frame.vehicle_id = vehicle->id;
    client->frame.seat = seat;
    client->drive = (struct wire_vehicle_state){ .nitro = 1.0f };
    memcpy(client->drive.pos, vehicle->pos, sizeof client->drive.pos);
    memcpy(client->drive.rot, vehicle->rot, sizeof client->drive.rot);
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    client_set_pos(client, vehicle->pos);
}

void client_get_out(struct client *client)
{
    float pos[3] = { client->frame.pos[0] + BESIDE_M, client->frame.pos[1], client->frame.pos[2] };

    client_unseat(client);
    memset(client->frame.move_speed, 0, sizeof client->frame.move_speed);
    client_set_pos(client, pos);
}

void client_on_vehicle_occupancy(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_occupancy *occupancy = &any->vehicle_occupancy;
    bool is_own = client_is_self(client, occupancy->player_id, occupancy->player_token);

    if (occupancy->kind == VIEW_DENY) { /* also the answer about a vehicle that has gone */
        client->denied += is_own;
        return;
    }
    if (!client_is_of_living(client, occupancy->player_id, occupancy->player_token) ||
        !is_shown(client, view_on_vehicle_occupancy(&client->view, occupancy)) || !is_own)
        return;
    if (occupancy->kind == VIEW_ENTER || occupancy->kind == VIEW_WARP)
        sit_down(client, view_vehicle(&client->view, occupancy->vehicle_id), occupancy->seat);
    else if (client->frame.vehicle_id == occupancy->vehicle_id)
        client_get_out(client);
}

void client_on_remote_vehicle_frame(struct client *client, const union wire_any *any)
{
    const struct wire_remote_vehicle_frame *frame = &any->remote_vehicle_frame;
    enum view_verdict verdict;

    if (client_is_self(client, frame->source_id, frame->source_token)) {
        client_violate(client, VIOLATION_OWN_FRAME);
        return;
    }
    verdict = view_on_vehicle_frame(&client->view, frame);
    client_count_verdict(client, verdict);
    /* A passenger is where its vehicle is. */
    if (verdict == VIEW_APPLIED && client->frame.vehicle_id == frame->vehicle_id && client->frame.seat != 0)
        client_set_pos(client, frame->state.pos);
}

void client_on_vehicle_transform(struct client *client, const union wire_any *any)
{
    const struct view_vehicle *vehicle = client_vehicle(client);

    if (!is_shown(client, view_on_vehicle_transform(&client->view, &any->vehicle_transform)) ||
        vehicle == NULL || vehicle->id != any->vehicle_transform.vehicle_id)
        return;
    memcpy(client->drive.pos, vehicle->pos, sizeof client->drive.pos);
    memcpy(client->drive.rot, vehicle->rot, sizeof client->drive.rot);
    client_set_pos(client, vehicle->pos);
}

void client_on_vehicle_health(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_health(&client->view, &any->vehicle_health));
}

void client_on_vehicle_params(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_params(&client->view, &any->vehicle_params));
}

void client_on_vehicle_death(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_death(&client->view, &any->vehicle_death));
}

void client_on_vehicle_syncer(struct client *client, const union wire_any *any)
{
    struct view_vehicle *vehicle = view_vehicle(&client->view, any->vehicle_syncer.vehicle_id);

    if (!is_shown(client, vehicle != NULL))
        return;
    vehicle->is_synced = any->vehicle_syncer.active != 0;
    vehicle->sync_until_ms = vehicle->is_synced ? client->heard_ms + CLIENT_SYNC_MORE_MS : 0;
    if (vehicle->is_synced)
        client->synced_ms = 0;
}
