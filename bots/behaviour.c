#include "bots/behaviour.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define STEPS_PER_S 50.0f /* Player: physics steps, the unit of time of a speed */
#define TURN_RAD 6.2831853f

/* Ours: how a bot behaves. */
#define REACH_M 100.0f /* vehicles farther away are not gone for */
#define BOARD_M 4.0f
#define NEAR_HOME_M 1.0f
#define OFF_LOOP_M 5.0f
#define RUN_M_PER_S 8.0f
#define PASSENGER_SHARE 0.2
enum {
    STEP_MAX_MS = 200, /* a process that stood still makes no leaps */
    ANSWER_MS = 3000,
    LOOK_MS = 2000,
    STOP_MS = 600,
    PARAM_LOCKED = 1 << 2, /* Vehicles: VehicleParams */
};

static const char *const kind_names[BEHAVIOUR_KINDS] = { "lobby", "idle", "walk", "drive", "mixed" };

const char *behaviour_name(enum behaviour_kind kind)
{
    assert(kind < BEHAVIOUR_KINDS);
    return kind_names[kind];
}

bool behaviour_parse(const char *name, enum behaviour_kind *kind)
{
    for (int i = 0; i < BEHAVIOUR_KINDS; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (enum behaviour_kind)i;
            return true;
        }
    }
    return false;
}

void behaviour_init(struct behaviour *behaviour, enum behaviour_kind kind, uint64_t seed,
                    uint32_t chat_every_ms)
{
    *behaviour = (struct behaviour){ .kind = kind, .chat_every_ms = chat_every_ms };
    rng_init_seeded(&behaviour->rng, seed);
}

void behaviour_set_home(struct behaviour *behaviour, const float home[3])
{
    memcpy(behaviour->home, home, sizeof behaviour->home);
    behaviour->has_home = true;
    behaviour->is_settled = false;
    if (behaviour->activity < ACTIVITY_ASKING)
        behaviour->activity = ACTIVITY_GOING_HOME;
}

static float between(struct behaviour *behaviour, float low, float high)
{
    return low + (high - low) * rng_unit(&behaviour->rng);
}

static uint64_t later(struct behaviour *behaviour, uint64_t now_ms, uint32_t low_ms, uint32_t high_ms)
{
    return now_ms + low_ms + rng_below(&behaviour->rng, high_ms - low_ms + 1);
}

static float distance(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* ---- on foot */

/* A step toward the target. True: it is there. */
static bool step_toward(struct client *client, const float target[3], float speed, float seconds)
{
    const float *pos = client->frame.pos;
    float left = distance(pos, target);
    float share = left > 0.0f ? fminf(speed * seconds / left, 1.0f) : 1.0f;
    float heading =
        left > 0.0f ? atan2f(-(target[0] - pos[0]), target[1] - pos[1]) * 360.0f / TURN_RAD : 0.0f;
    float next[3];
    float move_speed[3];

    for (size_t axis = 0; axis < 3; axis++) {
        next[axis] = share >= 1.0f ? target[axis] : pos[axis] + (target[axis] - pos[axis]) * share;
        move_speed[axis] = left > 0.0f ? (target[axis] - pos[axis]) / left * speed / STEPS_PER_S : 0.0f;
    }
    client_move(client, next, move_speed, heading);
    return share >= 1.0f;
}

static void stand(struct client *client)
{
    const float still[3] = { 0 };
    float pos[3];

    memcpy(pos, client->frame.pos, sizeof pos);
    client_move(client, pos, still, client->frame.heading);
}

static void walk_on(struct behaviour *behaviour)
{
    float angle = between(behaviour, 0.0f, TURN_RAD);
    float radius = BEHAVIOUR_RADIUS_M * sqrtf(rng_unit(&behaviour->rng));

    behaviour->activity = ACTIVITY_WALKING;
    behaviour->speed = between(behaviour, 1.5f, 6.0f);
    behaviour->target[0] = behaviour->home[0] + radius * cosf(angle);
    behaviour->target[1] = behaviour->home[1] + radius * sinf(angle);
    behaviour->target[2] = behaviour->home[2];
}

static void rest(struct behaviour *behaviour, struct client *client, uint64_t until_ms)
{
    stand(client);
    behaviour->activity = ACTIVITY_RESTING;
    behaviour->until_ms = until_ms;
}

/* ---- vehicles */

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

static bool is_free(const struct view_vehicle *vehicle, uint8_t seat)
{
    return vehicle->is_shown && !vehicle->is_wrecked && (vehicle->params & PARAM_LOCKED) == 0 &&
           is_boarded(vehicle->model) && vehicle->seats[seat].player_token == 0;
}

static const struct view_vehicle *nearest_free(const struct client *client, uint8_t seat)
{
    const struct view *view = &client->view;
    const struct view_vehicle *nearest = NULL;
    float nearest_m = REACH_M;

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[i];
        float far_m = distance(vehicle->pos, client->frame.pos);

        if (far_m < nearest_m && is_free(vehicle, seat)) {
            nearest = vehicle;
            nearest_m = far_m;
        }
    }
    return nearest;
}

static bool wants_vehicle(struct behaviour *behaviour, uint64_t now_ms)
{
    if (behaviour->kind != BEHAVIOUR_DRIVE && behaviour->kind != BEHAVIOUR_MIXED)
        return false;
    if (now_ms < behaviour->look_ms)
        return false;
    behaviour->look_ms = later(behaviour, now_ms, LOOK_MS, LOOK_MS * 2);
    return behaviour->kind == BEHAVIOUR_DRIVE || rng_chance(&behaviour->rng, 0.3);
}

static bool go_for_vehicle(struct behaviour *behaviour, const struct client *client, uint64_t now_ms)
{
    if (!wants_vehicle(behaviour, now_ms))
        return false;

    bool rides = behaviour->kind == BEHAVIOUR_MIXED && rng_chance(&behaviour->rng, PASSENGER_SHARE);
    const struct view_vehicle *vehicle = nearest_free(client, rides ? 1 : 0);

    if (vehicle == NULL)
        return false;
    behaviour->vehicle_id = vehicle->id;
    behaviour->seat = rides ? 1 : 0;
    behaviour->activity = ACTIVITY_APPROACHING;
    behaviour->until_ms = now_ms + 20 * 1000;
    return true;
}

static void approach(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    const struct view_vehicle *vehicle = view_vehicle(&client->view, behaviour->vehicle_id);

    if (vehicle == NULL || !is_free(vehicle, behaviour->seat) || now_ms >= behaviour->until_ms) {
        walk_on(behaviour);
        return;
    }

    float far_m = distance(vehicle->pos, client->frame.pos);

    if (far_m > BOARD_M) {
        (void)step_toward(client, vehicle->pos, far_m > 30.0f ? 3.0f * RUN_M_PER_S : RUN_M_PER_S, seconds);
        return;
    }
    stand(client);
    behaviour->activity = ACTIVITY_ASKING;
    behaviour->until_ms = now_ms + ANSWER_MS;
    behaviour->denied = client->denied;
    if (!client_enter(client, now_ms, vehicle->id, behaviour->seat))
        walk_on(behaviour);
}

static void start_loop(struct behaviour *behaviour, const struct client *client)
{
    float heading = 2.0f * atan2f(client->drive.rot[2], client->drive.rot[3]);

    behaviour->activity = ACTIVITY_DRIVING;
    behaviour->speed = between(behaviour, 8.0f, 16.0f);
    behaviour->radius = between(behaviour, 15.0f, 30.0f);
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

static void drive(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    float pos[3];
    float heading;

    loop_at(behaviour, behaviour->angle, pos, &heading);
    if (distance(pos, client->drive.pos) > OFF_LOOP_M) /* the server has put the vehicle elsewhere */
        start_loop(behaviour, client);
    behaviour->angle += behaviour->speed * seconds / behaviour->radius;
    if (behaviour->angle >= behaviour->angle_end) {
        behaviour->angle = behaviour->angle_end;
        behaviour->activity = ACTIVITY_STOPPING;
        behaviour->until_ms = now_ms + STOP_MS;
    }
    loop_at(behaviour, behaviour->angle, pos, &heading);
    client_drive(client, pos, heading, behaviour->activity == ACTIVITY_DRIVING ? behaviour->speed : 0.0f,
                 behaviour->turn * 0.3f);
}

static void get_out(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (client_exit(client, now_ms, client->frame.vehicle_id))
        walk_on(behaviour);
}

/* It sits somewhere, whoever put it there. */
static void step_seated(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    bool is_known = behaviour->activity == ACTIVITY_DRIVING || behaviour->activity == ACTIVITY_STOPPING ||
                    behaviour->activity == ACTIVITY_RIDING;

    if (!is_known && client_drives(client)) {
        start_loop(behaviour, client);
    } else if (!is_known) {
        behaviour->activity = ACTIVITY_RIDING;
        behaviour->until_ms = later(behaviour, now_ms, 8 * 1000, 20 * 1000);
    }
    if (behaviour->activity == ACTIVITY_DRIVING)
        drive(behaviour, client, now_ms, seconds);
    else if (now_ms >= behaviour->until_ms)
        get_out(behaviour, client, now_ms);
}

/* ---- what next */

static void next_on_foot(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (behaviour->kind == BEHAVIOUR_IDLE)
        rest(behaviour, client, UINT64_MAX);
    else if (go_for_vehicle(behaviour, client, now_ms))
        return;
    else if (behaviour->kind == BEHAVIOUR_MIXED && rng_chance(&behaviour->rng, 0.3))
        rest(behaviour, client, later(behaviour, now_ms, 1000, 5000));
    else
        walk_on(behaviour);
}

static void step_on_foot(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    switch (behaviour->activity) {
    case ACTIVITY_GOING_HOME:
        if (!step_toward(client, behaviour->home, BEHAVIOUR_TRAVEL_M_PER_S, seconds))
            return;
        behaviour->is_settled = true;
        next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_WALKING:
        if (step_toward(client, behaviour->target, behaviour->speed, seconds))
            next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_RESTING:
        if (now_ms >= behaviour->until_ms)
            next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_APPROACHING:
        approach(behaviour, client, now_ms, seconds);
        return;
    case ACTIVITY_ASKING:
        if (client->denied != behaviour->denied || now_ms >= behaviour->until_ms)
            walk_on(behaviour);
        return;
    case ACTIVITY_DRIVING:
    case ACTIVITY_STOPPING:
    case ACTIVITY_RIDING:
        walk_on(behaviour); /* the server has taken it out */
        return;
    }
}

static void talk(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    static const char *const lines[] = { "good morning",           "anyone at the docks?", "nice car",
                                         "see you at the airport", "who took my bike",     "grüß dich" };

    if (behaviour->chat_every_ms == 0 || now_ms < behaviour->chat_ms)
        return;
    if (behaviour->chat_ms != 0) {
        if (rng_chance(&behaviour->rng, 0.25))
            (void)client_command(client, now_ms, "where am i");
        else
            (void)client_chat(client, now_ms,
                              lines[rng_below(&behaviour->rng, sizeof lines / sizeof lines[0])]);
    }
    behaviour->chat_ms = later(behaviour, now_ms, behaviour->chat_every_ms / 2,
                               behaviour->chat_every_ms + behaviour->chat_every_ms / 2);
}

/* True: it has just died. */
static bool dies(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (behaviour->kind != BEHAVIOUR_MIXED || now_ms < behaviour->die_ms)
        return false;

    bool is_first = behaviour->die_ms == 0;

    behaviour->die_ms = later(behaviour, now_ms, 60 * 1000, 240 * 1000);
    return !is_first && client_die(client, now_ms);
}

/* A life begins, or the server has put the player somewhere else. */
static void notice_grant(struct behaviour *behaviour, const struct client *client, uint64_t now_ms)
{
    if (behaviour->grants == client->grants)
        return;
    behaviour->grants = client->grants;
    behaviour->stepped_ms = now_ms;
    behaviour->activity = ACTIVITY_GOING_HOME;
    if (!behaviour->has_home)
        behaviour_set_home(behaviour, client->frame.pos);
}

void behaviour_tick(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    uint64_t passed_ms;
    float seconds;

    if (client_is_open(client))
        talk(behaviour, client, now_ms);
    if (client->state != CLIENT_SPAWNED)
        return;
    notice_grant(behaviour, client, now_ms);
    if (now_ms < client_moves_at(client) || dies(behaviour, client, now_ms))
        return;
    passed_ms = now_ms - behaviour->stepped_ms;
    behaviour->stepped_ms = now_ms;
    seconds = (float)(passed_ms < STEP_MAX_MS ? passed_ms : STEP_MAX_MS) / 1000.0f;
    if (client_vehicle(client) != NULL)
        step_seated(behaviour, client, now_ms, seconds);
    else
        step_on_foot(behaviour, client, now_ms, seconds);
}

uint64_t behaviour_wakes_at(const struct behaviour *behaviour, const struct client *client)
{
    uint64_t wakes_ms = UINT64_MAX;

    if (behaviour->chat_every_ms > 0 && client_is_open(client))
        wakes_ms = behaviour->chat_ms;
    if (client->state != CLIENT_SPAWNED)
        return wakes_ms;

    uint64_t moves_ms = client_moves_at(client);

    if (behaviour->activity == ACTIVITY_RESTING && behaviour->grants == client->grants &&
        behaviour->until_ms > moves_ms)
        moves_ms = behaviour->until_ms;
    return moves_ms < wakes_ms ? moves_ms : wakes_ms;
}
