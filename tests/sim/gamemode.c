#include "tests/sim/gamemode.h"

#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/player_set.h"
#include "shard/shard.h"
#include "shard/vehicle_colors.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "shard/vehicle_transform.h"

#define DEEDS_SHARE 0.4   /* of ticks */
#define REFUSED_SHARE 0.1 /* of what is asked */
#define MEDDLES_SHARE 0.1 /* of events: it changes something while it is told */
enum { DEPTH_MAX = 3, PARTS_FROM = 1000, PARTS = 194, DOORS = 6 };

/* NULL: there is none. */
static struct vehicle *any_vehicle(const struct gamemode *gamemode)
{
    const struct pool *vehicles = &gamemode->shard->world.vehicles;
    uint32_t slot = pool_next(vehicles, (uint32_t)rng_below(gamemode->rng, 48));

    if (slot == POOL_END)
        slot = pool_next(vehicles, 0);
    return slot == POOL_END ? NULL : world_vehicle_at(&gamemode->shard->world, slot);
}

static struct vehicle *one_of_class(const struct gamemode *gamemode, enum model_class vehicle_class,
                                    struct vehicle *otherwise)
{
    const struct pool *vehicles = &gamemode->shard->world.vehicles;

    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1)) {
        struct vehicle *vehicle = world_vehicle_at(&gamemode->shard->world, slot);

        if (vehicle->model->vehicle_class == vehicle_class && rng_chance(gamemode->rng, 0.7))
            return vehicle;
    }
    return otherwise;
}

static struct player *any_player(const struct gamemode *gamemode)
{
    const struct pool *players = &gamemode->shard->world.players;
    uint32_t slot = pool_next(players, (uint32_t)rng_below(gamemode->rng, 12));

    if (slot == POOL_END)
        slot = pool_next(players, 0);
    return slot == POOL_END ? NULL : world_player_at(&gamemode->shard->world, slot);
}

static bool coin(const struct gamemode *gamemode)
{
    return rng_chance(gamemode->rng, 0.5);
}

static float between_of(const struct gamemode *gamemode, float low, float high)
{
    return low + (high - low) * rng_unit(gamemode->rng);
}

/* ---- what it does to a vehicle, each as a script would */

static enum reason set_health(struct gamemode *gamemode, struct vehicle *vehicle)
{
    return vehicle_set_health(gamemode->shard, vehicle, between_of(gamemode, 0.0f, 1200.0f));
}

static enum reason repair(struct gamemode *gamemode, struct vehicle *vehicle)
{
    return vehicle_repair(gamemode->shard, vehicle);
}

static enum reason set_damage(struct gamemode *gamemode, struct vehicle *vehicle)
{
    const struct vehicle_damage damage = { .panels = (uint32_t)rng_below(gamemode->rng, 4),
                                           .doors = { (uint8_t)(2 * rng_below(gamemode->rng, 3)) },
                                           .lights = coin(gamemode),
                                           .wheels = { (uint8_t)rng_below(gamemode->rng, 3) } };

    return vehicle_set_damage(gamemode->shard, vehicle, &damage);
}

static enum reason set_position(struct gamemode *gamemode, struct vehicle *vehicle)
{
    const float pos[3] = { between_of(gamemode, -100.0f, 400.0f), between_of(gamemode, -50.0f, 50.0f), 3.0f };

    return vehicle_set_position(gamemode->shard, vehicle, pos);
}

static enum reason set_rotation(struct gamemode *gamemode, struct vehicle *vehicle)
{
    float angle = between_of(gamemode, 0.0f, 3.0f);
    const float rot[4] = { coin(gamemode) ? sinf(angle) : 0.0f, 0.0f, 0.0f, cosf(angle) };

    return vehicle_set_rotation(gamemode->shard, vehicle, rot);
}

static enum reason set_velocity(struct gamemode *gamemode, struct vehicle *vehicle)
{
    const float velocity[3] = { between_of(gamemode, -20.0f, 20.0f), 0.0f, 1.0f };

    return coin(gamemode) ? vehicle_set_velocity(gamemode->shard, vehicle, velocity)
                          : vehicle_set_turn_velocity(gamemode->shard, vehicle, velocity);
}

static enum reason set_frozen(struct gamemode *gamemode, struct vehicle *vehicle)
{
    return vehicle_set_frozen(gamemode->shard, vehicle, rng_chance(gamemode->rng, 0.3));
}

static enum reason switch_parts(struct gamemode *gamemode, struct vehicle *vehicle)
{
    bool on = coin(gamemode);

    switch (rng_below(gamemode->rng, 6)) {
    case 0:
        return vehicle_set_engine(gamemode->shard, vehicle, on);
    case 1:
        return vehicle_set_lights(gamemode->shard, vehicle, on);
    case 2:
        return vehicle_set_alarm(gamemode->shard, vehicle, on);
    case 3:
        return vehicle_set_siren(gamemode->shard, vehicle, on);
    case 4:
        return vehicle_set_has_siren(gamemode->shard, vehicle, on);
    default:
        return vehicle_set_door(gamemode->shard, vehicle, (uint8_t)rng_below(gamemode->rng, DOORS), on);
    }
}

static enum reason set_lock(struct gamemode *gamemode, struct vehicle *vehicle)
{
    return vehicle_set_locked(gamemode->shard, vehicle, rng_chance(gamemode->rng, 0.2));
}

static enum reason set_for_one(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct player *player = any_player(gamemode);

    if (player == NULL)
        return REASON_NOT_ALIVE;
    return coin(gamemode) ? vehicle_set_locked_for(gamemode->shard, vehicle, player,
                                                   (enum own_lock)rng_below(gamemode->rng, 3))
                          : vehicle_set_objective(gamemode->shard, vehicle, player, coin(gamemode));
}

static enum reason set_winch(struct gamemode *gamemode, struct vehicle *vehicle)
{
    vehicle = one_of_class(gamemode, MODEL_HELICOPTER, vehicle);
    return vehicle_set_winch(gamemode->shard, vehicle,
                             rng_chance(gamemode->rng, 0.8) ? WINCH_MAGNET : WINCH_SMALL_MAGNET);
}

static enum reason set_part(struct gamemode *gamemode, struct vehicle *vehicle)
{
    uint32_t component = PARTS_FROM + (uint32_t)rng_below(gamemode->rng, PARTS);

    return rng_chance(gamemode->rng, 0.8) ? vehicle_add_component(gamemode->shard, vehicle, component)
                                          : vehicle_remove_component(gamemode->shard, vehicle, component);
}

static enum reason set_looks(struct gamemode *gamemode, struct vehicle *vehicle)
{
    switch (rng_below(gamemode->rng, 5)) {
    case 0:
        return vehicle_set_paintjob(gamemode->shard, vehicle, (uint8_t)rng_below(gamemode->rng, 4));
    case 1:
        return vehicle_set_plate(gamemode->shard, vehicle, coin(gamemode) ? "SIM 4711" : NULL);
    case 2:
        return vehicle_set_dirt(gamemode->shard, vehicle, (uint8_t)rng_below(gamemode->rng, 16));
    case 3:
        return vehicle_set_nitro_charges(gamemode->shard, vehicle, (uint8_t)rng_below(gamemode->rng, 101));
    default:
        return vehicle_set_colors(gamemode->shard, vehicle, (uint8_t)rng_below(gamemode->rng, 128),
                                  (uint8_t)rng_below(gamemode->rng, 128));
    }
}

static enum reason set_handling(struct gamemode *gamemode, struct vehicle *vehicle)
{
    float value = between_of(gamemode, 0.0f, 5.0f);

    return vehicle_set_handling(gamemode->shard, vehicle,
                                (uint32_t)rng_below(gamemode->rng, HANDLING_PROPERTIES),
                                rng_chance(gamemode->rng, 0.7) ? &value : NULL);
}

static enum reason set_train(struct gamemode *gamemode, struct vehicle *vehicle)
{
    vehicle = one_of_class(gamemode, MODEL_TRAIN, vehicle);
    switch (rng_below(gamemode->rng, 3)) {
    case 0:
        return vehicle_set_train_direction(gamemode->shard, vehicle, coin(gamemode));
    case 1:
        return vehicle_set_train_derailed(gamemode->shard, vehicle, coin(gamemode));
    default:
        return vehicle_set_train_speed(gamemode->shard, vehicle, between_of(gamemode, -60.0f, 60.0f));
    }
}

static enum reason put_player(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct player *player = any_player(gamemode);

    if (player == NULL)
        return REASON_NOT_ALIVE;
    return rng_chance(gamemode->rng, 0.7)
               ? vehicle_put_player(gamemode->shard, player, vehicle, (uint8_t)rng_below(gamemode->rng, 3))
               : vehicle_remove_player(gamemode->shard, player);
}

static enum reason set_remote(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct player *player = any_player(gamemode);

    if (player == NULL)
        return REASON_NOT_ALIVE;
    vehicle = one_of_class(gamemode, MODEL_RC, vehicle);
    return rng_chance(gamemode->rng, 0.8)
               ? vehicle_set_remote(gamemode->shard, player, vehicle, coin(gamemode))
               : vehicle_remove_remote(gamemode->shard, player);
}

/* To whatever takes it; a try costs nothing. */
static enum reason attach(struct gamemode *gamemode, struct vehicle *vehicle)
{
    const struct pool *vehicles = &gamemode->shard->world.vehicles;

    if (rng_chance(gamemode->rng, 0.2))
        return vehicle_detach_trailer(gamemode->shard, vehicle);
    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1)) {
        struct vehicle *other = world_vehicle_at(&gamemode->shard->world, slot);

        if (other != vehicle && vehicle_attach_trailer(gamemode->shard, vehicle, other) == REASON_NONE)
            return REASON_NONE;
    }
    return REASON_NO_PAIR;
}

static enum reason change_scope(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct scope scope = vehicle->scope;

    scope.interior = (uint8_t)rng_below(gamemode->rng, 2);
    return vehicle_set_scope(gamemode->shard, vehicle, scope);
}

static enum reason respawn(struct gamemode *gamemode, struct vehicle *vehicle)
{
    if (rng_chance(gamemode->rng, 0.3))
        vehicle = one_of_class(gamemode, MODEL_RC, vehicle);
    vehicle_respawn(gamemode->shard, vehicle);
    return REASON_NONE;
}

static enum reason destroy(struct gamemode *gamemode, struct vehicle *vehicle)
{
    if (vehicle->owner != GAMEMODE_OWNER || vehicle->leaving)
        return REASON_HANDLER;
    gamemode->made--;
    vehicle_destroy(gamemode->shard, vehicle);
    return REASON_NONE;
}

static enum reason create(struct gamemode *gamemode, struct vehicle *near)
{
    static const int64_t models[] = { 411, 525, 560, 487, 403, 435, 537, 441, 432, 473, 522, 606 };
    const struct shard_vehicle what = {
        .model = models[rng_below(gamemode->rng, sizeof models / sizeof models[0])],
        .x = (double)near->pos[0] + 6.0,
        .y = (double)near->pos[1],
        .z = (double)near->pos[2],
        .virtual_world = near->scope.virtual_world,
        .interior = near->scope.interior,
        .engine = true,
    };
    struct vehicle *made = NULL;
    enum reason refused;

    if (gamemode->made >= GAMEMODE_VEHICLES_MAX)
        return REASON_HANDLER;
    refused = vehicle_create_owned(gamemode->shard, GAMEMODE_OWNER, &what, &made);
    gamemode->made += made != NULL;
    return refused;
}

/* ---- what it does to players on the way */

static enum reason freeze_player(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct player *player = any_player(gamemode);

    (void)vehicle;
    return player == NULL ? REASON_NOT_ALIVE
                          : player_set_frozen(gamemode->shard, player, rng_chance(gamemode->rng, 0.2));
}

static enum reason move_player(struct gamemode *gamemode, struct vehicle *vehicle)
{
    struct player *player = any_player(gamemode);
    struct place to = { .scope = vehicle->scope };

    if (player == NULL)
        return REASON_NOT_ALIVE;
    memcpy(to.pos, vehicle->pos, sizeof to.pos);
    return coin(gamemode) ? player_teleport(gamemode->shard, player, gamemode->shard->now_ms, &to)
                          : player_set_scope(gamemode->shard, player, to.scope);
}

static enum reason (*const deeds[])(struct gamemode *gamemode, struct vehicle *vehicle) = {
    set_health,   repair,       set_damage, set_position,  set_rotation, set_velocity, set_frozen,
    switch_parts, switch_parts, set_lock,   set_for_one,   set_winch,    set_winch,    set_part,
    set_part,     set_looks,    set_looks,  set_handling,  set_train,    put_player,   put_player,
    set_remote,   set_remote,   attach,     attach,        attach,       change_scope, respawn,
    destroy,      create,       create,     freeze_player, move_player,
};

static void do_something(struct gamemode *gamemode)
{
    struct vehicle *vehicle = any_vehicle(gamemode);
    size_t deed = (size_t)rng_below(gamemode->rng, sizeof deeds / sizeof deeds[0]);

    if (vehicle != NULL)
        gamemode->deeds += deeds[deed](gamemode, vehicle) == REASON_NONE;
}

/* ---- events */

/* A wreck that it is told of it respawns now and then, at once. */
static void on_death(struct gamemode *gamemode, const struct event_value *arguments)
{
    struct vehicle *vehicle = world_vehicle(&gamemode->shard->world, arguments[0].vehicle);

    if (vehicle != NULL && rng_chance(gamemode->rng, 0.5))
        vehicle_respawn(gamemode->shard, vehicle);
}

static bool on_event(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    struct gamemode *gamemode = context;

    (void)count;
    if (gamemode->rests || gamemode->depth >= DEPTH_MAX)
        return true;
    gamemode->depth++;
    if (event == EVENT_TICK ? rng_chance(gamemode->rng, DEEDS_SHARE)
                            : rng_chance(gamemode->rng, MEDDLES_SHARE))
        do_something(gamemode);
    if (event == EVENT_VEHICLE_DEATH)
        on_death(gamemode, arguments);
    gamemode->depth--;
    if (!event_info(event)->refusable || event == EVENT_PLAYER_REQUEST_SPAWN ||
        !rng_chance(gamemode->rng, REFUSED_SHARE))
        return true;
    gamemode->refusals++;
    return false;
}

void gamemode_open(struct gamemode *gamemode, struct shard *shard, struct rng *rng)
{
    const struct event_hooks hooks = { .context = gamemode, .raise = on_event };

    *gamemode = (struct gamemode){ .shard = shard, .rng = rng };
    shard_set_hooks(shard, &hooks);
    for (enum event event = 0; event < EVENT_COUNT; event++)
        event_listen(shard, event, true);
}
