#include "tests/sim/motorist.h"

#include <math.h>
#include <string.h>

enum { EXPLODED, DROWNED };                             /* VehicleExplode.cause */
enum { FRAME_DERAILED = 1 << 5, FRAME_SIREN = 1 << 2 }; /* VehicleState.flags */
enum {
    MODEL_LINERUNNER = 403,
    MODEL_RC_BANDIT = 441,
    MODEL_MAVERICK = 487,
    MODEL_TOW_TRUCK = 525,
    MODEL_RC_TIGER = 564
};
#define REACH_M 14.0f /* of a seat, and of what can be hitched */
#define BURNS 100.0f
#define DERAIL_SPEED 1.5f

static float apart(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* One of those within reach of the place; NULL: there is none. */
static const struct view_vehicle *one_near(const struct client *client, struct rng *rng, const float pos[3],
                                           uint32_t but_id)
{
    const struct view *view = &client->view;
    uint32_t first = view->vehicles_count == 0 ? 0 : (uint32_t)rng_below(rng, view->vehicles_count);

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[(first + i) % view->vehicles_count];

        if (vehicle->is_shown && vehicle->id != but_id && apart(vehicle->pos, pos) < REACH_M)
            return vehicle;
    }
    return NULL;
}

/* Those that can tow or lift something. */
static bool takes_others(const struct view_vehicle *vehicle)
{
    return vehicle->model == MODEL_TOW_TRUCK || vehicle->model == MODEL_LINERUNNER ||
           vehicle->model == MODEL_MAVERICK;
}

static bool is_rc(const struct view_vehicle *vehicle)
{
    return vehicle->model == MODEL_RC_BANDIT || vehicle->model == MODEL_RC_TIGER;
}

/* Likewise, one that can tow or lift rather than another. */
static const struct view_vehicle *one_to_board(const struct client *client, struct rng *rng)
{
    for (uint32_t i = 0; i < client->view.vehicles_count && rng_chance(rng, 0.8); i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && (takes_others(vehicle) || is_rc(vehicle)) && rng_chance(rng, 0.7) &&
            apart(vehicle->pos, client->frame.pos) < REACH_M)
            return vehicle;
    }
    return one_near(client, rng, client->frame.pos, WIRE_NONE);
}

static const struct view_vehicle *one_synced(const struct client *client, struct rng *rng)
{
    const struct view *view = &client->view;
    uint32_t first = view->vehicles_count == 0 ? 0 : (uint32_t)rng_below(rng, view->vehicles_count);

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[(first + i) % view->vehicles_count];

        if (vehicle->is_shown && vehicle->is_synced)
            return vehicle;
    }
    return NULL;
}

static uint32_t hanging_on(const struct client *client, uint32_t id, bool on_winch)
{
    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *vehicle = &client->view.vehicles[i];

        if (vehicle->is_shown && (on_winch ? vehicle->lifter_id : vehicle->tractor_id) == id)
            return vehicle->id;
    }
    return WIRE_NONE;
}

/* ---- with a vehicle that it controls */

static void step(const struct view_vehicle *vehicle, struct rng *rng, float to[3])
{
    memcpy(to, vehicle->pos, sizeof vehicle->pos);
    to[0] = fminf(fmaxf(to[0] + 8.0f * (rng_unit(rng) - 0.5f), -3000.0f), 3000.0f);
    to[1] = fminf(fmaxf(to[1] + 8.0f * (rng_unit(rng) - 0.5f), -3000.0f), 3000.0f);
}

static void hitch(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *holder)
{
    uint32_t hanging = hanging_on(client, holder->id, false);
    const struct view_vehicle *near = one_near(client, rng, holder->pos, holder->id);

    if (hanging != WIRE_NONE && rng_chance(rng, 0.5))
        (void)client_tow(client, now_ms, hanging, WIRE_NONE);
    else if (near != NULL)
        (void)client_tow(client, now_ms, near->id, holder->id);
}

static void lift(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *holder)
{
    uint32_t hanging = hanging_on(client, holder->id, true);
    const struct view_vehicle *near = one_near(client, rng, holder->pos, holder->id);

    if (hanging != WIRE_NONE && rng_chance(rng, 0.5))
        (void)client_winch(client, now_ms, hanging, WIRE_NONE);
    else if (near != NULL)
        (void)client_winch(client, now_ms, near->id, holder->id);
}

static void hang(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *holder)
{
    if ((holder->model == MODEL_MAVERICK) != rng_chance(rng, 0.1))
        lift(client, rng, now_ms, holder);
    else
        hitch(client, rng, now_ms, holder);
}

static void ruin(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *vehicle)
{
    const struct wire_vehicle_damage_status status = { .panels = (uint32_t)rng_below(rng, 4),
                                                       .doors = { 0, (uint8_t)(2 * rng_below(rng, 3)) },
                                                       .wheels = { (uint8_t)rng_below(rng, 3) } };

    switch (rng_below(rng, 4)) {
    case 0:
        (void)client_damage(client, now_ms, vehicle->id, &status);
        break;
    case 1:
        (void)client_explode(client, now_ms, vehicle->id, rng_chance(rng, 0.2) ? DROWNED : EXPLODED);
        break;
    default:
        client_hurt(client, now_ms, vehicle->id, BURNS);
        break;
    }
}

static void shoot(struct client *client, struct rng *rng, const struct view_vehicle *vehicle)
{
    float end[3];

    memcpy(end, vehicle->pos, sizeof end);
    end[0] += 60.0f;
    client_shoot(client, vehicle->pos, end, (uint8_t)(1 + rng_below(rng, 2)));
}

/* What only its frames say. */
static void touch_keys(struct client *client, struct rng *rng)
{
    client->drive.flags =
        (uint8_t)((rng_chance(rng, 0.2) ? FRAME_DERAILED : 0) | (rng_chance(rng, 0.5) ? FRAME_SIREN : 0));
    client->drive.rail_speed = rng_chance(rng, 0.5) ? DERAIL_SPEED : 0.0f;
    client->drive.nitro = rng_chance(rng, 0.3) ? -0.5f : 1.0f;
    client->drive.hydraulics = rng_chance(rng, 0.3) ? 20 : 0;
    client->drive.part = (uint16_t)rng_below(rng, 2500);
}

static void drive(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *vehicle)
{
    float to[3];

    switch (rng_below(rng, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        hang(client, rng, now_ms, vehicle);
        break;
    case 4:
    case 5:
        ruin(client, rng, now_ms, vehicle);
        break;
    case 6:
        shoot(client, rng, vehicle);
        break;
    case 7:
        touch_keys(client, rng);
        break;
    case 8:
        (void)client_control(client, now_ms, vehicle->id, (uint8_t)rng_below(rng, 3), rng_chance(rng, 0.5));
        break;
    default:
        step(vehicle, rng, to);
        client_drive(client, to, 0.0f, 5.0f, 0.0f);
        break;
    }
}

static void sync(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *vehicle)
{
    float to[3];

    switch (rng_below(rng, 5)) {
    case 0:
    case 1:
        hang(client, rng, now_ms, vehicle);
        break;
    case 2:
        ruin(client, rng, now_ms, vehicle);
        break;
    default:
        step(vehicle, rng, to);
        client_push(client, now_ms, vehicle->id, to);
        break;
    }
}

/* ---- on foot */

static void board(struct client *client, struct rng *rng, uint64_t now_ms, const struct view_vehicle *vehicle)
{
    if (is_rc(vehicle) != rng_chance(rng, 0.1))
        (void)client_remote_enter(client, now_ms, vehicle->id);
    else
        (void)client_enter(client, now_ms, vehicle->id,
                           rng_chance(rng, 0.6) ? 0 : (uint8_t)rng_below(rng, 5));
}

bool motorist_act(struct client *client, struct rng *rng, uint64_t now_ms)
{
    const struct view_vehicle *driven = client_driven(client);
    const struct view_vehicle *synced = one_synced(client, rng);
    const struct view_vehicle *near = one_to_board(client, rng);

    if (rng_chance(rng, 0.15) && client->frame.vehicle_id != WIRE_NONE)
        (void)client_exit(client, now_ms, client->frame.vehicle_id);
    else if (rng_chance(rng, 0.15) && client->remote_id != WIRE_NONE)
        (void)client_remote_exit(client, now_ms);
    else if (driven != NULL && rng_chance(rng, 0.8))
        drive(client, rng, now_ms, driven);
    else if (synced != NULL && rng_chance(rng, 0.6))
        sync(client, rng, now_ms, synced);
    else if (near != NULL)
        board(client, rng, now_ms, near);
    else
        return false;
    return true;
}
