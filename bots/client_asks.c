#include "bots/client_inside.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* VehicleParams.params. */
enum { PARAM_LOCKED = 1 << 2, PARAM_WINCHES = 1 << 3 | 1 << 4 };

/* Ours: the page's 15, 25, 30 and 10 m, less what a copy may be behind. */
#define ENTER_SURE_M 8.0f
#define TOW_SURE_M 18.0f
#define WINCH_SURE_M 20.0f
#define REMOTE_SURE_M 6.0f
enum { DRIVEN_LATELY_MS = 3000 }; /* ours: whoever drives an RC sends its frames all the time */

const char *client_ask_name(enum client_ask ask)
{
    static const char *const names[CLIENT_ASKS] = {
        "enter", "exit", "tow", "untow", "winch", "release", "remote", "remote_exit", "control", "explode"
    };

    assert(ask < CLIENT_ASKS);
    return names[ask];
}

static void client_ask(struct client *client, uint64_t now_ms, enum client_ask ask,
                       struct client_request request)
{
    request.waits = true;
    request.asked_ms = now_ms;
    client->requests[ask] = request;
    client->stats.asked[ask]++;
}

bool client_waits(const struct client *client, enum client_ask ask, uint32_t vehicle_id)
{
    return client->requests[ask].waits && client->requests[ask].vehicle_id == vehicle_id;
}

void client_note_towed(struct client *client, const struct wire_packet *packet, const uint8_t *bytes)
{
    if (packet->id == PACKET_VEHICLE_TOW)
        client->towed_ids[client->towed_next++ % CLIENT_TOWS] =
            load_u32(bytes + WIRE_VEHICLE_TOW_TRAILER_ID_AT);
    else if (packet->id == PACKET_VEHICLE_WINCH)
        client->towed_ids[client->towed_next++ % CLIENT_TOWS] =
            load_u32(bytes + WIRE_VEHICLE_WINCH_VEHICLE_ID_AT);
}

bool client_has_towed(const struct client *client, uint32_t vehicle_id)
{
    for (size_t i = 0; i < CLIENT_TOWS; i++) {
        if (client->towed_ids[i] == vehicle_id)
            return true;
    }
    return false;
}

/* ---- why a request may have been refused, by the client's own copies */

static float apart(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static bool is_taken(const struct view_vehicle *vehicle, size_t seat)
{
    return vehicle->seats[seat].player_token != 0;
}

static bool is_occupied(const struct view_vehicle *vehicle)
{
    for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
        if (is_taken(vehicle, seat))
            return true;
    }
    return false;
}

/* NULL: it is not there, or not what it was when it was asked for. */
static const struct view_vehicle *asked_about(const struct client *client, uint32_t id, uint8_t epoch)
{
    const struct view_vehicle *vehicle = view_vehicle(&client->view, id);

    return vehicle == NULL || vehicle->epoch != epoch || vehicle->is_wrecked ? NULL : vehicle;
}

static bool holds_something(const struct client *client, uint32_t id)
{
    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && (vehicle->tractor_id == id || vehicle->lifter_id == id))
            return true;
    }
    return false;
}

/* Which other seats than the driver's a model has, the client does not know. */
static bool could_enter(const struct client *client, const struct client_request *request)
{
    const struct view_vehicle *vehicle = asked_about(client, request->vehicle_id, request->epoch);

    return vehicle != NULL && request->detail == 0 && (vehicle->params & PARAM_LOCKED) == 0 &&
           !vehicle->is_derailed && !is_taken(vehicle, request->detail) &&
           client->frame.vehicle_id == WIRE_NONE && apart(vehicle->pos, client->frame.pos) <= ENTER_SURE_M;
}

/* Whatever hangs on another one, or carries one, is left out: chains have limits that one client does not
 * see. */
static bool could_hang(const struct client *client, const struct client_request *request, float within_m)
{
    const struct view_vehicle *hanging = asked_about(client, request->vehicle_id, request->epoch);
    const struct view_vehicle *holder = asked_about(client, request->other_id, request->other_epoch);

    return hanging != NULL && holder != NULL && holder == client_driven(client) && !hanging->is_frozen &&
           !holder->is_frozen && !is_occupied(hanging) && hanging->tractor_id == WIRE_NONE &&
           hanging->lifter_id == WIRE_NONE && holder->tractor_id == WIRE_NONE &&
           holder->lifter_id == WIRE_NONE && !holds_something(client, hanging->id) &&
           !holds_something(client, holder->id) && apart(hanging->pos, holder->pos) <= within_m;
}

static bool could_lift(const struct client *client, const struct client_request *request)
{
    const struct view_vehicle *heli = view_vehicle(&client->view, request->other_id);

    return heli != NULL && (heli->params & PARAM_WINCHES) != 0 && could_hang(client, request, WINCH_SURE_M);
}

/* Who drives an RC is told to nobody else: its frames show that somebody does. */
static bool could_take(const struct client *client, const struct client_request *request)
{
    const struct view_vehicle *vehicle = asked_about(client, request->vehicle_id, request->epoch);

    return vehicle != NULL && (vehicle->params & PARAM_LOCKED) == 0 &&
           client->frame.vehicle_id == WIRE_NONE && client->remote_id == WIRE_NONE &&
           (vehicle->framed_ms == 0 || client->heard_ms - vehicle->framed_ms > DRIVEN_LATELY_MS) &&
           apart(vehicle->pos, client->frame.pos) <= REMOTE_SURE_M;
}

static bool could_undo(const struct client *client, const struct client_request *request)
{
    const struct view_vehicle *hanging = asked_about(client, request->vehicle_id, request->epoch);

    return hanging != NULL && client_driven(client) != NULL &&
           (hanging->tractor_id == client_driven(client)->id ||
            hanging->lifter_id == client_driven(client)->id);
}

/* Nothing that the client can see forbids it. */
static bool should_have_it(const struct client *client, enum client_ask ask,
                           const struct client_request *request)
{
    if (client->state != CLIENT_SPAWNED || client->is_frozen)
        return false;
    switch (ask) {
    case ASK_ENTER:
        return could_enter(client, request);
    case ASK_TOW:
        return could_hang(client, request, TOW_SURE_M);
    case ASK_WINCH:
        return could_lift(client, request);
    case ASK_UNTOW:
    case ASK_RELEASE:
        return could_undo(client, request);
    case ASK_REMOTE:
        return could_take(client, request);
    case ASK_CONTROL:
        return client_drives(client) && client->frame.vehicle_id == request->vehicle_id &&
               asked_about(client, request->vehicle_id, request->epoch) != NULL;
    case ASK_EXIT: /* its seat may be gone already */
    case ASK_REMOTE_EXIT:
    case ASK_EXPLODE: /* the server has its own health of the vehicle */
    case CLIENT_ASKS:
        break;
    }
    return false;
}

void client_answer(struct client *client, enum client_ask ask, bool accepted)
{
    struct client_request *request = &client->requests[ask];

    if (!request->waits)
        return;
    request->waits = false;
    client->stats.accepted[ask] += accepted;
    client->stats.refused[ask] += !accepted;
    if (!accepted && client->config.is_honest && should_have_it(client, ask, request))
        client_violate(client, VIOLATION_REFUSED);
}

void client_asks_expire(struct client *client, uint64_t now_ms)
{
    for (int ask = 0; ask < CLIENT_ASKS; ask++) {
        if (client->requests[ask].waits && now_ms - client->requests[ask].asked_ms >= CLIENT_ANSWER_MS)
            client_answer(client, (enum client_ask)ask, false);
    }
}

/* ---- asking */

static uint8_t epoch_of(const struct client *client, uint32_t vehicle_id)
{
    const struct view_vehicle *vehicle =
        vehicle_id == WIRE_NONE ? NULL : view_vehicle(&client->view, vehicle_id);

    return vehicle == NULL ? 0 : vehicle->epoch;
}

bool client_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t seat)
{
    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, ASK_ENTER,
               (struct client_request){
                   .vehicle_id = vehicle_id, .detail = seat, .epoch = epoch_of(client, vehicle_id) });
    client_send_event(client, now_ms, &wire_vehicle_enter_packet,
                      &(struct wire_vehicle_enter){ .token = client->token,
                                                    .event_id = client_next_event(client),
                                                    .vehicle_id = vehicle_id,
                                                    .seat = seat });
    return true;
}

bool client_exit(struct client *client, uint64_t now_ms, uint32_t vehicle_id)
{
    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, ASK_EXIT, (struct client_request){ .vehicle_id = vehicle_id });
    client_send_event(client, now_ms, &wire_vehicle_exit_packet,
                      &(struct wire_vehicle_exit){ .token = client->token,
                                                   .event_id = client_next_event(client),
                                                   .vehicle_id = vehicle_id });
    if (client->frame.vehicle_id == vehicle_id)
        client_get_out(client);
    return true;
}

bool client_tow(struct client *client, uint64_t now_ms, uint32_t trailer_id, uint32_t tractor_id)
{
    struct client_request request = { .vehicle_id = trailer_id,
                                      .other_id = tractor_id,
                                      .epoch = epoch_of(client, trailer_id),
                                      .other_epoch = epoch_of(client, tractor_id) };

    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, tractor_id == WIRE_NONE ? ASK_UNTOW : ASK_TOW, request);
    client_send_event(client, now_ms, &wire_vehicle_tow_packet,
                      &(struct wire_vehicle_tow){ .token = client->token,
                                                  .event_id = client_next_event(client),
                                                  .trailer_id = trailer_id,
                                                  .trailer_epoch = request.epoch,
                                                  .tractor_id = tractor_id,
                                                  .tractor_epoch = request.other_epoch });
    return true;
}

bool client_winch(struct client *client, uint64_t now_ms, uint32_t load_id, uint32_t heli_id)
{
    struct client_request request = { .vehicle_id = load_id,
                                      .other_id = heli_id,
                                      .epoch = epoch_of(client, load_id),
                                      .other_epoch = epoch_of(client, heli_id) };

    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, heli_id == WIRE_NONE ? ASK_RELEASE : ASK_WINCH, request);
    client_send_event(client, now_ms, &wire_vehicle_winch_packet,
                      &(struct wire_vehicle_winch){ .token = client->token,
                                                    .event_id = client_next_event(client),
                                                    .vehicle_id = load_id,
                                                    .vehicle_epoch = request.epoch,
                                                    .heli_id = heli_id,
                                                    .heli_epoch = request.other_epoch });
    return true;
}

bool client_remote_enter(struct client *client, uint64_t now_ms, uint32_t vehicle_id)
{
    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, ASK_REMOTE,
               (struct client_request){ .vehicle_id = vehicle_id, .epoch = epoch_of(client, vehicle_id) });
    client_send_event(client, now_ms, &wire_vehicle_remote_enter_packet,
                      &(struct wire_vehicle_remote_enter){ .token = client->token,
                                                           .event_id = client_next_event(client),
                                                           .vehicle_id = vehicle_id });
    return true;
}

bool client_remote_exit(struct client *client, uint64_t now_ms)
{
    if (!client_takes_events(client) || client->remote_id == WIRE_NONE)
        return false;
    client_ask(client, now_ms, ASK_REMOTE_EXIT, (struct client_request){ .vehicle_id = client->remote_id });
    client_send_event(client, now_ms, &wire_vehicle_remote_exit_packet,
                      &(struct wire_vehicle_remote_exit){ .token = client->token,
                                                          .event_id = client_next_event(client),
                                                          .vehicle_id = client->remote_id });
    return true;
}

bool client_explode(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t cause)
{
    if (!client_takes_events(client))
        return false;
    client_ask(client, now_ms, ASK_EXPLODE,
               (struct client_request){ .vehicle_id = vehicle_id, .epoch = epoch_of(client, vehicle_id) });
    client_send_event(client, now_ms, &wire_vehicle_explode_packet,
                      &(struct wire_vehicle_explode){ .token = client->token,
                                                      .event_id = client_next_event(client),
                                                      .vehicle_id = vehicle_id,
                                                      .epoch = epoch_of(client, vehicle_id),
                                                      .cause = cause });
    return true;
}

bool client_damage(struct client *client, uint64_t now_ms, uint32_t vehicle_id,
                   const struct wire_vehicle_damage_status *status)
{
    struct view_vehicle *vehicle = view_vehicle(&client->view, vehicle_id);

    if (!client_takes_events(client) || vehicle == NULL)
        return false;
    vehicle->damage = *status;
    vehicle->has_damaged = true;
    client_send_event(client, now_ms, &wire_vehicle_damage_packet,
                      &(struct wire_vehicle_damage){ .token = client->token,
                                                     .event_id = client_next_event(client),
                                                     .vehicle_id = vehicle_id,
                                                     .epoch = vehicle->epoch,
                                                     .status = *status,
                                                     .damage_rev = vehicle->damage_rev });
    return true;
}

bool client_control(struct client *client, uint64_t now_ms, uint32_t vehicle_id, uint8_t control, bool on)
{
    if (!client_takes_events(client))
        return false;
    client_ask(
        client, now_ms, ASK_CONTROL,
        (struct client_request){
            .vehicle_id = vehicle_id, .detail = control, .on = on, .epoch = epoch_of(client, vehicle_id) });
    client_send_event(client, now_ms, &wire_vehicle_control_packet,
                      &(struct wire_vehicle_control){ .token = client->token,
                                                      .event_id = client_next_event(client),
                                                      .vehicle_id = vehicle_id,
                                                      .control = control,
                                                      .value = on });
    return true;
}

void client_shoot(struct client *client, const float start[3], const float end[3], uint8_t rays)
{
    const struct view_vehicle *vehicle = client_driven(client);
    struct wire_vehicle_shot shot = { .token = client->token,
                                      .order = client->shot_order + 1,
                                      .vehicle_id = vehicle == NULL ? 0 : vehicle->id,
                                      .count = rays };

    if (vehicle == NULL)
        return;
    for (uint8_t i = 0; i < rays; i++)
        shot.rays[i] = (struct wire_ray){ start[0], start[1], start[2], end[0], end[1], end[2] };
    client->shot_order += rays;
    client->stats.salvos++;
    client_send(client, &wire_vehicle_shot_packet, &shot);
}
