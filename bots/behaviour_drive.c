#include "bots/behaviour_inside.h"

#include <math.h>
#include <string.h>

/* Ours: how a bot behaves with vehicles. */
#define REACH_M 100.0f /* those farther away are not gone for */
#define BOARD_M 4.0f
#define OFF_LOOP_M 5.0f
#define RUN_M_PER_S 8.0f
#define PASSENGER_SHARE 0.2
#define FETCH_M_PER_S 8.0f
#define FETCH_M 60.0f     /* how far for something to tow or lift */
#define TOW_BEHIND_M 6.0f /* where it stands behind the hook; and under the magnet */
#define LIFT_BELOW_M 8.0f
#define FIRES_AT_M 60.0f
#define PUSH_M_PER_S 2.0f
#define PUSH_MS 4000.0
#define ROPE_LOWERED 0.01f /* Vehicles: VehicleState.rope */
#define RAIL_END_M 50000.0f
enum {
    FIRE_PAUSE_MS = 100,
    LOOK_MS = 2000,
    STOP_MS = 600,
    DRIVEN_LATELY_MS = 3000,
    PARAM_LOCKED = 1 << 2, /* Vehicles: VehicleParams */
    PARAM_MAGNET = 1 << 3,
};

/* Trains, trailers, carriages and the RC models, which nobody boards: a request for one would only be
 * denied. */
static bool is_boarded(uint16_t model)
{
    static const uint16_t others[] = { 435, 441, 449, 450, 464, 465, 501, 537, 538, 564, 569,
                                       570, 584, 590, 591, 594, 606, 607, 608, 610, 611 };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i] == model)
            return false;
    }
    return true;
}

static bool is_one_of(const uint16_t *models, size_t count, uint16_t model)
{
    for (size_t i = 0; i < count; i++) {
        if (models[i] == model)
            return true;
    }
    return false;
}

#define IS_ONE_OF(models, model) is_one_of(models, sizeof(models) / sizeof(models)[0], model)

static const uint16_t tow_trucks[] = { 525, 531 };
static const uint16_t helicopters[] = { 417, 425, 447, 469, 487, 488, 497, 548, 563 };
static const uint16_t trains[] = { 449, 537, 538 };
static const uint16_t rcs[] = { 441, 464, 465, 501, 564, 594 };

/* Vehicles: VehicleShot, of what this one drives: the salvo, and the interval of the game. */
static const struct gun {
    uint16_t model;
    uint8_t rays;
    uint16_t interval_ms;
} guns[] = { { 425, 1, 60 },  { 447, 1, 40 }, { 476, 2, 80 }, { 430, 2, 150 },
             { 432, 1, 800 }, { 464, 1, 40 }, { 564, 1, 60 } };

static const struct gun *gun_of(uint16_t model)
{
    for (size_t i = 0; i < sizeof guns / sizeof guns[0]; i++) {
        if (guns[i].model == model)
            return &guns[i];
    }
    return NULL;
}

/* What a bot of the kind takes the wheel of. */
static bool is_wanted(enum behaviour_kind kind, const struct view_vehicle *vehicle)
{
    switch (kind) {
    case BEHAVIOUR_TOW:
        return IS_ONE_OF(tow_trucks, vehicle->model);
    case BEHAVIOUR_HELI:
        return IS_ONE_OF(helicopters, vehicle->model) && (vehicle->params & PARAM_MAGNET) != 0;
    case BEHAVIOUR_TRAIN:
        return IS_ONE_OF(trains, vehicle->model) && !vehicle->is_derailed;
    case BEHAVIOUR_RC:
        return IS_ONE_OF(rcs, vehicle->model);
    case BEHAVIOUR_GUNNER:
        return gun_of(vehicle->model) != NULL && !IS_ONE_OF(rcs, vehicle->model);
    case BEHAVIOUR_LOBBY:
    case BEHAVIOUR_IDLE:
    case BEHAVIOUR_WALK:
    case BEHAVIOUR_TRAFFIC:
    case BEHAVIOUR_DRIVE:
    case BEHAVIOUR_MIXED:
    case BEHAVIOUR_KINDS:
        break;
    }
    return is_boarded(vehicle->model);
}

/* Who drives an RC is told to nobody else: its frames show that somebody does. */
static bool is_free(enum behaviour_kind kind, const struct client *client, const struct view_vehicle *vehicle,
                    uint8_t seat)
{
    return vehicle->is_shown && !vehicle->is_wrecked && (vehicle->params & PARAM_LOCKED) == 0 &&
           is_wanted(kind, vehicle) && vehicle->seats[seat].player_token == 0 &&
           vehicle->tractor_id == WIRE_NONE && vehicle->lifter_id == WIRE_NONE &&
           (kind != BEHAVIOUR_RC || vehicle->framed_ms == 0 ||
            client->heard_ms - vehicle->framed_ms > DRIVEN_LATELY_MS);
}

static const struct view_vehicle *nearest_free(enum behaviour_kind kind, const struct client *client,
                                               uint8_t seat)
{
    const struct view *view = &client->view;
    const struct view_vehicle *nearest = NULL;
    float nearest_m = REACH_M;

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[i];
        float far_m = behaviour_distance(vehicle->pos, client->frame.pos);

        if (far_m < nearest_m && is_free(kind, client, vehicle, seat)) {
            nearest = vehicle;
            nearest_m = far_m;
        }
    }
    return nearest;
}

static bool wants_vehicle(struct behaviour *behaviour, uint64_t now_ms)
{
    if (behaviour->kind < BEHAVIOUR_DRIVE || behaviour->kind == BEHAVIOUR_TRAFFIC ||
        now_ms < behaviour->look_ms)
        return false;
    behaviour->look_ms = behaviour_later(behaviour, now_ms, LOOK_MS, LOOK_MS * 2);
    return behaviour->kind != BEHAVIOUR_MIXED || rng_chance(&behaviour->rng, 0.3);
}

bool behaviour_go_for_vehicle(struct behaviour *behaviour, const struct client *client, uint64_t now_ms)
{
    if (!wants_vehicle(behaviour, now_ms))
        return false;

    bool rides = behaviour->kind == BEHAVIOUR_MIXED && rng_chance(&behaviour->rng, PASSENGER_SHARE);
    const struct view_vehicle *vehicle = nearest_free(behaviour->kind, client, rides ? 1 : 0);

    if (vehicle == NULL)
        return false;
    behaviour->vehicle_id = vehicle->id;
    behaviour->seat = rides ? 1 : 0;
    behaviour->activity = ACTIVITY_APPROACHING;
    behaviour->until_ms = now_ms + 20 * 1000;
    return true;
}

void behaviour_approach(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    const struct view_vehicle *vehicle = view_vehicle(&client->view, behaviour->vehicle_id);

    if (vehicle == NULL || !is_free(behaviour->kind, client, vehicle, behaviour->seat) ||
        now_ms >= behaviour->until_ms) {
        behaviour_walk_on(behaviour);
        return;
    }

    float far_m = behaviour_distance(vehicle->pos, client->frame.pos);

    if (far_m > BOARD_M) {
        (void)behaviour_step_toward(client, vehicle->pos, far_m > 30.0f ? 3.0f * RUN_M_PER_S : RUN_M_PER_S,
                                    seconds);
        return;
    }
    behaviour_stand(client);
    behaviour->activity = ACTIVITY_ASKING;
    if (behaviour->kind == BEHAVIOUR_RC ? !client_remote_enter(client, now_ms, vehicle->id)
                                        : !client_enter(client, now_ms, vehicle->id, behaviour->seat))
        behaviour_walk_on(behaviour);
}

static void start_loop(struct behaviour *behaviour, const struct client *client)
{
    float heading = 2.0f * atan2f(client->drive.rot[2], client->drive.rot[3]);

    behaviour->activity = ACTIVITY_DRIVING;
    behaviour->speed = behaviour_between(behaviour, 8.0f, 16.0f);
    behaviour->radius = behaviour_between(behaviour, 15.0f, 30.0f);
    behaviour->turn = rng_chance(&behaviour->rng, 0.5) ? 1.0f : -1.0f;
    behaviour->angle = 0.0f;
    behaviour->angle_end = TURN_RAD * (float)(1 + rng_below(&behaviour->rng, 2));
    behaviour->start_deg = heading * 360.0f / TURN_RAD;
    memcpy(behaviour->start, client->drive.pos, sizeof behaviour->start);
    /* Forward is (-sin, cos) of the heading, left of it (-cos, -sin). */
    behaviour->center[0] = behaviour->start[0] - behaviour->turn * behaviour->radius * cosf(heading);
    behaviour->center[1] = behaviour->start[1] - behaviour->turn * behaviour->radius * sinf(heading);
}

static void loop_at(const struct behaviour *behaviour, float angle, float pos[3], float *heading_deg)
{
    float turned = behaviour->turn * angle;
    float heading = behaviour->start_deg * TURN_RAD / 360.0f + turned;

    pos[0] = behaviour->center[0] + behaviour->turn * behaviour->radius * cosf(heading);
    pos[1] = behaviour->center[1] + behaviour->turn * behaviour->radius * sinf(heading);
    pos[2] = behaviour->start[2];
    *heading_deg = remainderf(heading * 360.0f / TURN_RAD, 360.0f);
}

/* ---- what hangs on the vehicle */

static const struct view_vehicle *hanging_on(const struct client *client, uint32_t id)
{
    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && (vehicle->tractor_id == id || vehicle->lifter_id == id))
            return vehicle;
    }
    return NULL;
}

static bool is_occupied(const struct view_vehicle *vehicle)
{
    for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
        if (vehicle->seats[seat].player_token != 0)
            return true;
    }
    return false;
}

/* A car, bike or the like that stands about: a magnet takes no aircraft. */
static bool is_load(const struct client *client, const struct view_vehicle *vehicle, bool for_magnet)
{
    static const uint16_t cars[] = { 400, 401, 402, 404, 405, 410, 411, 412, 415, 418, 419, 420, 421,
                                     422, 426, 429, 436, 439, 445, 451, 458, 466, 467, 474, 475, 477,
                                     478, 479, 480, 489, 491, 492, 496, 500, 506, 507, 516, 517, 526,
                                     527, 529, 533, 534, 535, 536, 540, 541, 542, 545, 546, 547, 549,
                                     550, 551, 555, 558, 559, 560, 561, 562, 565, 566, 567, 575, 576,
                                     579, 580, 585, 587, 589, 600, 602, 603 };
    static const uint16_t bikes[] = { 461, 462, 463, 468, 521, 522, 581, 586 };

    return vehicle->is_shown && !vehicle->is_wrecked && !vehicle->is_frozen && !is_occupied(vehicle) &&
           vehicle->tractor_id == WIRE_NONE && vehicle->lifter_id == WIRE_NONE &&
           hanging_on(client, vehicle->id) == NULL &&
           (IS_ONE_OF(cars, vehicle->model) || (for_magnet && IS_ONE_OF(bikes, vehicle->model)));
}

static const struct view_vehicle *nearest_load(const struct client *client, bool for_magnet)
{
    const struct view_vehicle *nearest = NULL;
    float nearest_m = FETCH_M;

    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];
        float far_m = behaviour_distance(vehicle->pos, client->drive.pos);

        if (far_m < nearest_m && is_load(client, vehicle, for_magnet)) {
            nearest = vehicle;
            nearest_m = far_m;
        }
    }
    return nearest;
}

static bool carries_things(const struct behaviour *behaviour)
{
    return behaviour->kind == BEHAVIOUR_TOW || behaviour->kind == BEHAVIOUR_HELI;
}

/* Goes for the nearest load, if there is one. */
static bool fetch(struct behaviour *behaviour, const struct client *client, uint64_t now_ms)
{
    const struct view_vehicle *load =
        carries_things(behaviour) ? nearest_load(client, behaviour->kind == BEHAVIOUR_HELI) : NULL;

    if (load == NULL)
        return false;
    behaviour->load_id = load->id;
    behaviour->activity = ACTIVITY_FETCHING;
    behaviour->until_ms = now_ms + 20 * 1000;
    return true;
}

static void ask_to_hang(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    const struct view_vehicle *driven = client_driven(client);
    bool sent = behaviour->kind == BEHAVIOUR_TOW
                    ? client_tow(client, now_ms, behaviour->load_id, driven->id)
                    : client_winch(client, now_ms, behaviour->load_id, driven->id);

    behaviour->activity = sent ? ACTIVITY_HITCHING : ACTIVITY_DRIVING;
}

/* In a straight line to the place from where it can be taken. */
static void step_fetching(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    const struct view_vehicle *load = view_vehicle(&client->view, behaviour->load_id);
    float to[3], pos[3];
    float left, share;

    if (load == NULL || !is_load(client, load, behaviour->kind == BEHAVIOUR_HELI) ||
        now_ms >= behaviour->until_ms) {
        start_loop(behaviour, client);
        return;
    }
    memcpy(to, load->pos, sizeof to);
    if (behaviour->kind == BEHAVIOUR_TOW)
        to[1] += TOW_BEHIND_M;
    else
        to[2] += LIFT_BELOW_M;
    left = behaviour_distance(to, client->drive.pos);
    share = left > 0.0f ? fminf(FETCH_M_PER_S * seconds / left, 1.0f) : 1.0f;
    for (size_t axis = 0; axis < 3; axis++)
        pos[axis] = client->drive.pos[axis] + (to[axis] - client->drive.pos[axis]) * share;
    client_drive(client, pos, 0.0f, share < 1.0f ? FETCH_M_PER_S : 0.0f, 0.0f);
    if (share >= 1.0f)
        ask_to_hang(behaviour, client, now_ms);
}

/* The load follows what it hangs on, as long as it is this client that syncs it. */
static void pull(const struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    const struct view_vehicle *driven = client_driven(client);
    const struct view_vehicle *load = driven == NULL ? NULL : hanging_on(client, driven->id);
    float pos[3];

    if (load == NULL)
        return;
    memcpy(pos, client->drive.pos, sizeof pos);
    if (behaviour->kind == BEHAVIOUR_HELI)
        pos[2] -= LIFT_BELOW_M;
    else
        pos[1] -= TOW_BEHIND_M;
    client_push(client, now_ms, load->id, pos);
}

static bool let_go(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    const struct view_vehicle *driven = client_driven(client);
    const struct view_vehicle *load = driven == NULL ? NULL : hanging_on(client, driven->id);

    if (load == NULL || !carries_things(behaviour))
        return false;
    if (load->tractor_id == driven->id ? !client_tow(client, now_ms, load->id, WIRE_NONE)
                                       : !client_winch(client, now_ms, load->id, WIRE_NONE))
        return false;
    behaviour->activity = ACTIVITY_LETTING_GO;
    return true;
}

/* ---- driving */

/* Forward, from a place in the vehicle. */
static void fire(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    const struct view_vehicle *driven = client_driven(client);
    const struct gun *gun = gun_of(driven->model);
    float heading = 2.0f * atan2f(client->drive.rot[2], client->drive.rot[3]);
    float end[3];

    if (gun == NULL || now_ms < behaviour->fires_ms ||
        (behaviour->kind != BEHAVIOUR_GUNNER && behaviour->kind != BEHAVIOUR_RC) || client->detonates)
        return;
    memcpy(end, client->drive.pos, sizeof end);
    end[0] -= FIRES_AT_M * sinf(heading);
    end[1] += FIRES_AT_M * cosf(heading);
    client_shoot(client, client->drive.pos, end, gun->rays);
    behaviour->fires_ms = now_ms + gun->interval_ms + FIRE_PAUSE_MS;
}

/* What the vehicle's own frames say besides where it is. */
static void set_controls(const struct behaviour *behaviour, struct client *client, float seconds)
{
    const struct view_vehicle *driven = client_driven(client);

    if (IS_ONE_OF(trains, driven->model)) {
        client->drive.rail = fminf(client->drive.rail + behaviour->speed * seconds, RAIL_END_M);
        client->drive.rail_speed = behaviour->speed / STEPS_PER_S;
    }
    if (IS_ONE_OF(helicopters, driven->model)) {
        client->drive.rotor = 1.0f;
        client->drive.throttle = 0.5f;
        client->drive.rope = (driven->params & PARAM_MAGNET) != 0 ? ROPE_LOWERED : 0.0f;
    }
}

static void drive(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    float pos[3];
    float heading;

    loop_at(behaviour, behaviour->angle, pos, &heading);
    if (behaviour_distance(pos, client->drive.pos) >
        OFF_LOOP_M) /* the server has put the vehicle elsewhere */
        start_loop(behaviour, client);
    behaviour->angle += behaviour->speed * seconds / behaviour->radius;
    if (behaviour->angle >= behaviour->angle_end) {
        behaviour->angle = behaviour->angle_end;
        behaviour->activity = ACTIVITY_STOPPING;
        behaviour->until_ms = now_ms + STOP_MS;
    }
    loop_at(behaviour, behaviour->angle, pos, &heading);
    set_controls(behaviour, client, seconds);
    client_drive(client, pos, heading, behaviour->activity == ACTIVITY_DRIVING ? behaviour->speed : 0.0f,
                 behaviour->turn * 0.3f);
    pull(behaviour, client, now_ms);
    fire(behaviour, client, now_ms);
}

static void get_out(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (client->remote_id != WIRE_NONE ? client_remote_exit(client, now_ms)
                                       : client_exit(client, now_ms, client->frame.vehicle_id))
        behaviour_walk_on(behaviour);
}

static bool waits_for_an_answer(const struct client *client)
{
    return client->requests[ASK_TOW].waits || client->requests[ASK_WINCH].waits ||
           client->requests[ASK_UNTOW].waits || client->requests[ASK_RELEASE].waits;
}

/* It sits somewhere, whoever put it there. */
void behaviour_step_seated(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    bool drives = client_driven(client) != NULL;
    bool is_known = behaviour->activity >= ACTIVITY_DRIVING;

    if (!is_known && client->requests[ASK_REMOTE_EXIT].waits)
        return;
    if (!is_known && drives) {
        start_loop(behaviour, client);
        (void)fetch(behaviour, client, now_ms);
    } else if (!is_known) {
        behaviour->activity = ACTIVITY_RIDING;
        behaviour->until_ms = behaviour_later(behaviour, now_ms, 8 * 1000, 20 * 1000);
    }
    if (drives && behaviour->activity == ACTIVITY_DRIVING)
        drive(behaviour, client, now_ms, seconds);
    else if (drives && behaviour->activity == ACTIVITY_FETCHING)
        step_fetching(behaviour, client, now_ms, seconds);
    else if (drives && behaviour->activity == ACTIVITY_HITCHING && !waits_for_an_answer(client))
        start_loop(behaviour, client);
    else if (behaviour->activity == ACTIVITY_HITCHING ||
             (behaviour->activity == ACTIVITY_LETTING_GO && waits_for_an_answer(client)))
        return;
    else if (now_ms >= behaviour->until_ms && !let_go(behaviour, client, now_ms))
        get_out(behaviour, client, now_ms);
}

/* ---- traffic */

void behaviour_push_synced(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    double passed = (double)(now_ms % (uint64_t)PUSH_MS) / PUSH_MS;
    float step = (passed < 0.25 ? PUSH_M_PER_S : passed < 0.5 ? -PUSH_M_PER_S : 0.0f) * seconds;

    (void)behaviour;
    for (uint32_t i = 0; step != 0.0f && i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];
        float pos[3];

        if (!vehicle->is_shown || !vehicle->is_synced)
            continue;
        memcpy(pos, vehicle->pos, sizeof pos);
        pos[0] += step;
        client_push(client, now_ms, vehicle->id, pos);
    }
}
