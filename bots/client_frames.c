#include "bots/client_inside.h"

#include <math.h>
#include <string.h>

#define STEPS_PER_S 50.0f /* Player: physics steps, the unit of time of a speed */

/* When a frame that goes now was due. One that is late does not put off those after it: bots that were late
 * together in a busy moment would send together for ever. */
static uint64_t due_ms(const struct client *client, uint64_t last_ms, uint64_t now_ms)
{
    uint64_t at_ms = last_ms + client->config.frame_ms;

    return now_ms - at_ms < client->config.frame_ms ? at_ms : now_ms;
}

static void send_frame(struct client *client, uint64_t now_ms)
{
    struct wire_player_sync sync = { .session_token = client->token,
                                     .seq = ++client->seq,
                                     .frame = client->frame };

    client->framed_ms = due_ms(client, client->framed_ms, now_ms);
    client->moved = false;
    client_send(client, &wire_player_sync_packet, &sync);
}

static void send_vehicle_frame(struct client *client, const struct view_vehicle *vehicle,
                               const struct wire_vehicle_state *state)
{
    struct wire_vehicle_frame frame = {
        .token = client->token,
        .seq = ++client->vehicle_seq,
        .vehicle_id = vehicle->id,
        .state = *state,
    };

    frame.state.health = vehicle->health;
    frame.state.epoch = vehicle->epoch;
    frame.state.health_rev = vehicle->health_rev;
    frame.state.siren_rev = vehicle->siren_rev;
    frame.state.pose_rev = vehicle->pose_rev;
    client_send(client, &wire_vehicle_frame_packet, &frame);
}

static void send_driven(struct client *client, uint64_t now_ms)
{
    struct view_vehicle *vehicle = client_driven(client);

    client->stats.driven_frames++;
    client->driven_ms = due_ms(client, client->driven_ms, now_ms);
    memcpy(vehicle->pos, client->drive.pos, sizeof vehicle->pos);
    memcpy(vehicle->rot, client->drive.rot, sizeof vehicle->rot);
    send_vehicle_frame(client, vehicle, &client->drive);
}

/* The vehicles that it syncs stand still: each gets its frames right after the client was made its syncer.
 * The longest waiting first: it goes on where it stopped. */
static void send_synced(struct client *client, uint64_t now_ms)
{
    const struct view *view = &client->view;
    uint32_t sent = 0;

    client->synced_ms = now_ms;
    for (uint32_t i = 0; i < view->vehicles_count && sent < CLIENT_SYNCED_MAX; i++) {
        uint32_t index = (client->synced_next + i) % view->vehicles_count;
        const struct view_vehicle *vehicle = &view->vehicles[index];
        struct wire_vehicle_state state = { .nitro = 1.0f };

        if (!vehicle->is_shown || !vehicle->is_synced || now_ms > vehicle->sync_until_ms ||
            vehicle == client_driven(client))
            continue;
        client->stats.synced_frames++;
        memcpy(state.pos, vehicle->pos, sizeof state.pos);
        memcpy(state.rot, vehicle->rot, sizeof state.rot);
        send_vehicle_frame(client, vehicle, &state);
        client->synced_next = index + 1;
        sent++;
    }
}

static uint64_t sync_ends_ms(const struct client *client)
{
    uint64_t ends_ms = 0;

    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && vehicle->is_synced && vehicle->sync_until_ms > ends_ms)
            ends_ms = vehicle->sync_until_ms;
    }
    return ends_ms;
}

static uint64_t frame_at_ms(const struct client *client)
{
    uint64_t heartbeat_ms = client->framed_ms + client->heartbeat_ms;
    uint64_t moves_ms = client->framed_ms + client->config.frame_ms;

    return client->moved && moves_ms < heartbeat_ms ? moves_ms : heartbeat_ms;
}

uint64_t client_moves_at(const struct client *client)
{
    return client->framed_ms + client->config.frame_ms;
}

void client_send_frames(struct client *client, uint64_t now_ms)
{
    if (client_driven(client) != NULL && now_ms >= client->driven_ms + client->config.frame_ms)
        send_driven(client, now_ms);
    if (now_ms >= frame_at_ms(client))
        send_frame(client, now_ms);
    if (client->state == CLIENT_SPAWNED && now_ms >= client->synced_ms + CLIENT_SYNC_MS &&
        now_ms <= sync_ends_ms(client))
        send_synced(client, now_ms);
}

uint64_t client_frames_at(const struct client *client)
{
    uint64_t at_ms = frame_at_ms(client);
    uint64_t driven_ms = client->driven_ms + client->config.frame_ms;
    uint64_t synced_ms = client->synced_ms + CLIENT_SYNC_MS;

    if (client_driven(client) != NULL && driven_ms < at_ms)
        at_ms = driven_ms;
    if (client->state == CLIENT_SPAWNED && synced_ms <= sync_ends_ms(client) && synced_ms < at_ms)
        at_ms = synced_ms;
    return at_ms;
}

/* ---- moving */

/* A server may place a client where reckoning ends in an overflow. */
static bool is_finite(const float vector[3])
{
    return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]);
}

void client_move(struct client *client, const float pos[3], const float move_speed[3], float heading)
{
    if (client->state != CLIENT_SPAWNED || client->is_frozen || client->frame.vehicle_id != WIRE_NONE ||
        client->remote_id != WIRE_NONE || !is_finite(pos) || !is_finite(move_speed) || !isfinite(heading))
        return;
    memcpy(client->frame.move_speed, move_speed, sizeof client->frame.move_speed);
    client->frame.heading = heading;
    client_set_pos(client, pos);
}

void client_drive(struct client *client, const float pos[3], float heading, float speed_m_per_s, float steer)
{
    const struct view_vehicle *vehicle = client_driven(client);
    float angle = heading * (float)M_PI / 180.0f;
    float speed = speed_m_per_s / STEPS_PER_S;

    if (vehicle == NULL || client->is_frozen || vehicle->is_frozen || !is_finite(pos) || !isfinite(heading))
        return;
    memcpy(client->drive.pos, pos, sizeof client->drive.pos);
    view_level_rotation(heading, client->drive.rot);
    client->drive.move_speed[0] = -sinf(angle) * speed;
    client->drive.move_speed[1] = cosf(angle) * speed;
    client->drive.raw_steer = steer;
    client->drive.steer = steer * 0.5f;
    client->drive.gas = speed_m_per_s > 0.0f ? 0.6f : 0.0f;
    client->drive.brake = speed_m_per_s > 0.0f ? 0.0f : 1.0f;
    if (vehicle != client_vehicle(client))
        return; /* its body stands where it stood */
    memcpy(client->frame.move_speed, client->drive.move_speed, sizeof client->frame.move_speed);
    client->frame.heading = heading;
    client_set_pos(client, pos);
}

void client_push(struct client *client, uint64_t now_ms, uint32_t vehicle_id, const float pos[3])
{
    struct view_vehicle *vehicle = view_vehicle(&client->view, vehicle_id);

    if (vehicle == NULL || !vehicle->is_synced || vehicle->is_frozen || !is_finite(pos))
        return;
    memcpy(vehicle->pos, pos, sizeof vehicle->pos);
    vehicle->sync_until_ms = now_ms + CLIENT_SYNC_MORE_MS;
}

void client_hurt(struct client *client, uint64_t now_ms, uint32_t vehicle_id, float health)
{
    struct view_vehicle *vehicle = view_vehicle(&client->view, vehicle_id);

    if (vehicle == NULL || vehicle->is_wrecked || health >= vehicle->health ||
        (!vehicle->is_synced && vehicle != client_driven(client)))
        return;
    vehicle->health = health;
    if (vehicle->is_synced)
        vehicle->sync_until_ms = now_ms + CLIENT_SYNC_MORE_MS;
}
