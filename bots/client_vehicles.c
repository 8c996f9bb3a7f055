#include "bots/client_inside.h"

#include <string.h>

#define BESIDE_M 2.5f /* ours: where one stands after getting out */

static bool is_shown(struct client *client, bool told)
{
    if (!told)
        client_violate(client, VIOLATION_UNKNOWN_VEHICLE);
    return told;
}

static bool is_in(const struct client *client, const struct view_vehicle *vehicle)
{
    for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
        const struct view_seat *held = &vehicle->seats[seat];

        if (held->player_token != 0 && client_is_self(client, held->player_id, held->player_token))
            return true;
    }
    return client->remote_id == vehicle->id;
}

/* Vehicles: VehicleSync, Life: the next life comes after an exit for everyone who sat there, and RCs are
 * taken away. Of others the leave may be on its way, which frees their seats without an exit. */
static void judge_respawn(struct client *client, const struct wire_vehicle_sync *sync)
{
    const struct view_vehicle *vehicle = view_vehicle(&client->view, sync->vehicle_id);

    if (sync->active != 0 && vehicle != NULL && vehicle->epoch != sync->epoch && is_in(client, vehicle))
        client_violate(client, VIOLATION_KEPT_SEAT);
}

void client_on_vehicle_sync(struct client *client, const union wire_any *any)
{
    judge_respawn(client, &any->vehicle_sync);
    if (!view_on_vehicle_sync(&client->view, &any->vehicle_sync))
        client_violate(client, VIOLATION_SHOWN_TWICE);
    if (any->vehicle_sync.active == 0 && client->frame.vehicle_id == any->vehicle_sync.vehicle_id)
        client_unseat(client);
}

static void restart_drive(struct client *client, const struct view_vehicle *vehicle)
{
    client->drive = (struct wire_vehicle_state){ .nitro = 1.0f };
    memcpy(client->drive.pos, vehicle->pos, sizeof client->drive.pos);
    memcpy(client->drive.rot, vehicle->rot, sizeof client->drive.rot);
}

static void sit_down(struct client *client, const struct view_vehicle *vehicle, uint8_t seat)
{
    client->frame.vehicle_id = vehicle->id;
    client->frame.seat = seat;
    restart_drive(client, vehicle);
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

static void answer_seat(struct client *client, const struct wire_vehicle_occupancy *occupancy)
{
    if (occupancy->kind == VIEW_ENTER && client_waits(client, ASK_ENTER, occupancy->vehicle_id))
        client_answer(client, ASK_ENTER, true);
    if (occupancy->kind == VIEW_EXIT && client_waits(client, ASK_EXIT, occupancy->vehicle_id))
        client_answer(client, ASK_EXIT, true);
}

void client_on_vehicle_occupancy(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_occupancy *occupancy = &any->vehicle_occupancy;
    bool is_own = client_is_self(client, occupancy->player_id, occupancy->player_token);

    if (occupancy->kind == VIEW_DENY) { /* also the answer about a vehicle that has gone */
        client->denied += is_own;
        if (is_own && client_waits(client, ASK_ENTER, occupancy->vehicle_id))
            client_answer(client, ASK_ENTER, false);
        return;
    }
    if (!client_is_of_living(client, occupancy->player_id, occupancy->player_token) ||
        !is_shown(client, view_on_vehicle_occupancy(&client->view, occupancy)) || !is_own)
        return;
    answer_seat(client, occupancy);
    if (occupancy->kind == VIEW_ENTER || occupancy->kind == VIEW_WARP)
        sit_down(client, view_vehicle(&client->view, occupancy->vehicle_id), occupancy->seat);
    else if (client->frame.vehicle_id == occupancy->vehicle_id)
        client_get_out(client);
}

/* A frame may come before the show that was lost on its way, but not for ever; and on a way that keeps its
 * order never after what it is older than. */
static void judge_frame(struct client *client, enum view_verdict verdict, const struct view_vehicle *vehicle)
{
    if (verdict == VIEW_STALE && client->config.is_in_order)
        client_violate(client, VIOLATION_OLD_SERIAL);
    if (client->config.is_in_order && vehicle != NULL && !vehicle->is_shown && vehicle->early_ms != 0 &&
        client->heard_ms - vehicle->early_ms > CLIENT_EARLY_MS)
        client_violate(client, VIOLATION_UNSHOWN_FRAME);
}

void client_on_remote_vehicle_frame(struct client *client, const union wire_any *any)
{
    const struct wire_remote_vehicle_frame *frame = &any->remote_vehicle_frame;
    enum view_verdict verdict;

    if (client_is_self(client, frame->source_id, frame->source_token)) {
        client_violate(client, VIOLATION_OWN_FRAME);
        return;
    }
    verdict = view_on_vehicle_frame(&client->view, client->heard_ms, frame);
    client_count_verdict(client, verdict);
    judge_frame(client, verdict, view_known_vehicle(&client->view, frame->vehicle_id));
    /* A passenger is where its vehicle is. */
    if (verdict == VIEW_APPLIED && client->frame.vehicle_id == frame->vehicle_id && client->frame.seat != 0)
        client_set_pos(client, frame->state.pos);
}

void client_on_vehicle_transform(struct client *client, const union wire_any *any)
{
    const struct view_vehicle *vehicle;

    if (!is_shown(client, view_on_vehicle_transform(&client->view, &any->vehicle_transform)))
        return;
    vehicle = view_vehicle(&client->view, any->vehicle_transform.vehicle_id);
    if (vehicle == client_driven(client))
        restart_drive(client, vehicle);
    if (vehicle == client_vehicle(client))
        client_set_pos(client, vehicle->pos);
}

void client_on_vehicle_health(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_health(&client->view, &any->vehicle_health));
}

void client_on_vehicle_params(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_params *params = &any->vehicle_params;
    const struct client_request *request = &client->requests[ASK_CONTROL];

    if (is_shown(client, view_on_vehicle_params(&client->view, params)) &&
        client_waits(client, ASK_CONTROL, params->vehicle_id) &&
        (params->params >> request->detail & 1) == request->on)
        client_answer(client, ASK_CONTROL, true);
}

void client_on_vehicle_death(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_death *death = &any->vehicle_death;

    if (is_shown(client, view_on_vehicle_death(&client->view, death)) &&
        client_waits(client, ASK_EXPLODE, death->vehicle_id))
        client_answer(client, ASK_EXPLODE, true);
}

void client_on_remote_vehicle_damage(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_damage(&client->view, &any->remote_vehicle_damage));
}

void client_on_remote_vehicle_shot(struct client *client, const union wire_any *any)
{
    const struct wire_remote_vehicle_shot *shot = &any->remote_vehicle_shot;

    if (client_is_self(client, shot->id, shot->player_token))
        client_violate(client, VIOLATION_OWN_FRAME);
    else
        client->stats.salvos_heard++;
}

void client_on_vehicle_tuning(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_tuning(&client->view, &any->vehicle_tuning));
}

void client_on_vehicle_handling(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_handling(&client->view, &any->vehicle_handling));
}

void client_on_vehicle_colors(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_vehicle_colors(&client->view, &any->vehicle_colors));
}

void client_on_train_state(struct client *client, const union wire_any *any)
{
    (void)is_shown(client, view_on_train_state(&client->view, &any->train_state));
}

/* What hangs on what: told to whoever sees it, and to whoever has asked, also about a vehicle that has
 * gone. */
static void answer_link(struct client *client, bool told, uint32_t vehicle_id, uint32_t holder_id,
                        enum client_ask hang, enum client_ask undo)
{
    if (!told && !client_has_towed(client, vehicle_id))
        client_violate(client, VIOLATION_UNKNOWN_VEHICLE);
    if (client_waits(client, hang, vehicle_id))
        client_answer(client, hang, client->requests[hang].other_id == holder_id);
    if (client_waits(client, undo, vehicle_id))
        client_answer(client, undo, holder_id == WIRE_NONE);
}

void client_on_vehicle_trailer(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_trailer *trailer = &any->vehicle_trailer;

    answer_link(client, view_on_vehicle_trailer(&client->view, trailer), trailer->trailer_id,
                trailer->tractor_id, ASK_TOW, ASK_UNTOW);
}

void client_on_vehicle_lift(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_lift *lift = &any->vehicle_lift;

    answer_link(client, view_on_vehicle_lift(&client->view, lift), lift->vehicle_id, lift->heli_id, ASK_WINCH,
                ASK_RELEASE);
}

void client_on_vehicle_remote(struct client *client, const union wire_any *any)
{
    const struct wire_vehicle_remote *remote = &any->vehicle_remote;
    const struct view_vehicle *vehicle =
        remote->vehicle_id == WIRE_NONE ? NULL : view_vehicle(&client->view, remote->vehicle_id);

    if (remote->vehicle_id != WIRE_NONE && !is_shown(client, vehicle != NULL))
        return;
    if (vehicle != NULL && client->remote_id != vehicle->id)
        restart_drive(client, vehicle);
    client->remote_id = remote->vehicle_id;
    client->detonates = remote->detonation != 0;
    if (vehicle != NULL && client_waits(client, ASK_REMOTE, vehicle->id))
        client_answer(client, ASK_REMOTE, true);
    if (vehicle == NULL)
        client_answer(client, ASK_REMOTE_EXIT, true);
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
