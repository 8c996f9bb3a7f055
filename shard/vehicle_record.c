#include "shard/vehicle_record.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/vehicle_syncer.h"

/* Vehicles: VehicleColors; VehicleFrame, Bounds. */
enum {
    COLOR_MAX = 127,
    PART_MAX = 20000,
    HYDRAULICS_MAX = 60,
    HYDRAULICS_STICK_MIN = 500,
    HYDRAULICS_STICK_MAX = 504
};
enum { HYDRAULICS_SHIFT_MAX = 128 };
#define MOVE_SPEED_MAX 5.0f
#define TURN_SPEED_MAX 1.0f
#define NITRO_LEVEL_MAX 1.01f

/* ---- writing */

static void write_health(struct outbox *outbox, const struct vehicle *vehicle, uint64_t now_ms,
                         Bus__VehicleState *state)
{
    state->health = vehicle->health.value;
    state->health_rev = vehicle->health.rev;
    state->burning = vehicle->health.burning;
    state->burning_age_ms = record_age(now_ms, vehicle->health.burning_since_ms);
    state->shooters = outbox_alloc(outbox, VEHICLE_SHOOTERS * sizeof(Bus__ShooterState *));
    for (size_t i = 0; i < VEHICLE_SHOOTERS; i++) {
        Bus__ShooterState *shooter;

        if (vehicle->shooters[i].at_ms == 0)
            continue;
        shooter = outbox_alloc(outbox, sizeof *shooter);
        bus__shooter_state__init(shooter);
        shooter->player = record_write_ref(outbox, vehicle->shooters[i].ref);
        shooter->age_ms = record_age(now_ms, vehicle->shooters[i].at_ms);
        state->shooters[state->n_shooters++] = shooter;
    }
}

static Bus__VehicleDamageState *write_damage(struct outbox *outbox, const struct vehicle_damage *damage)
{
    Bus__VehicleDamageState *state = outbox_alloc(outbox, sizeof *state);

    bus__vehicle_damage_state__init(state);
    state->panels = damage->panels;
    state->doors = record_write_bytes(outbox, damage->doors, DAMAGE_DOORS, &state->n_doors);
    state->lights = damage->lights;
    state->wheels = record_write_bytes(outbox, damage->wheels, DAMAGE_WHEELS, &state->n_wheels);
    return state;
}

static Bus__OwnParamsState *write_own(struct shard *shard, struct outbox *outbox,
                                      const struct own_params *own)
{
    Bus__OwnParamsState *state = outbox_alloc(outbox, sizeof *state);

    bus__own_params_state__init(state);
    state->player = record_write_ref(outbox, world_player_at(&shard->world, own->player)->ref);
    state->lock = own->lock;
    state->objective = own->objective;
    return state;
}

static Bus__VehicleParamsState *write_params(struct shard *shard, struct outbox *outbox,
                                             const struct vehicle_params *params)
{
    Bus__VehicleParamsState *state = outbox_alloc(outbox, sizeof *state);

    bus__vehicle_params_state__init(state);
    state->engine = params->engine;
    state->lights = params->lights;
    state->locked = params->locked;
    state->alarm = params->alarm;
    state->siren = params->siren;
    state->has_siren = params->has_siren;
    state->winch = params->winch;
    state->doors = params->doors;
    state->siren_rev = params->siren_rev;
    state->own = outbox_alloc(outbox, params->own_count * sizeof(Bus__OwnParamsState *));
    for (uint16_t i = 0; i < params->own_count; i++)
        state->own[state->n_own++] = write_own(shard, outbox, &params->own[i]);
    return state;
}

static Bus__VehicleTuningState *write_tuning(struct outbox *outbox, const struct vehicle_tuning *tuning)
{
    Bus__VehicleTuningState *state = outbox_alloc(outbox, sizeof *state);

    bus__vehicle_tuning_state__init(state);
    state->components = outbox_alloc(outbox, COMPONENT_KINDS * sizeof *state->components);
    for (size_t kind = 0; kind < COMPONENT_KINDS; kind++)
        state->components[state->n_components++] = tuning->components[kind];
    state->paintjob = tuning->paintjob;
    state->plate = outbox_bytes(outbox, tuning->plate, sizeof tuning->plate);
    state->dirt = tuning->dirt;
    state->taxi_light = tuning->taxi_light;
    state->nitro_charges = tuning->nitro_charges;
    return state;
}

static Bus__NitroState *write_nitro(struct outbox *outbox, const struct vehicle_nitro *nitro, uint64_t now_ms)
{
    Bus__NitroState *state = outbox_alloc(outbox, sizeof *state);

    bus__nitro_state__init(state);
    state->level = nitro->level;
    state->burning = nitro->burning;
    state->burnt = nitro->burnt;
    state->lit_age_ms = record_age(now_ms, nitro->lit_at_ms);
    state->burnt_age_ms = record_age(now_ms, nitro->burnt_at_ms);
    return state;
}

static void write_fields(struct shard *shard, struct outbox *outbox, const struct vehicle *vehicle,
                         Bus__VehicleState *state)
{
    state->params = write_params(shard, outbox, &vehicle->params);
    state->tuning = write_tuning(outbox, &vehicle->tuning);
    state->nitro = write_nitro(outbox, &vehicle->nitro, shard->now_ms);
    state->hydraulics = outbox_alloc(outbox, sizeof *state->hydraulics);
    bus__hydraulics_state__init(state->hydraulics);
    state->hydraulics->state = vehicle->hydraulics.state;
    state->hydraulics->left_right = vehicle->hydraulics.left_right;
    state->hydraulics->up_down = vehicle->hydraulics.up_down;
    state->handling = outbox_alloc(outbox, sizeof *state->handling);
    bus__handling_state__init(state->handling);
    state->handling->mask = vehicle->handling.mask;
    state->handling->values = record_write_floats(outbox, vehicle->handling.values, HANDLING_PROPERTIES,
                                                  &state->handling->n_values);
    state->train = outbox_alloc(outbox, sizeof *state->train);
    bus__train_motion_state__init(state->train);
    state->train->speed = vehicle->train.speed;
    state->train->frame_speed = vehicle->train.frame_speed;
    state->train->put_back = vehicle->train.put_back;
    state->train->commanded = vehicle->train.commanded;
}

/* Who sits in it or drives it, and what it hangs on. */
static void write_relations(struct shard *shard, struct outbox *outbox, const struct vehicle *vehicle,
                            Bus__VehicleState *state)
{
    state->seats = outbox_alloc(outbox, MODEL_SEATS_MAX * sizeof(Bus__SeatState *));
    for (uint32_t seat = 0; seat < MODEL_SEATS_MAX; seat++) {
        Bus__SeatState *taken;

        if (vehicle->seats[seat] == SLOT_NONE)
            continue;
        taken = outbox_alloc(outbox, sizeof *taken);
        bus__seat_state__init(taken);
        taken->seat = seat;
        taken->player = record_write_ref(outbox, world_player_at(&shard->world, vehicle->seats[seat])->ref);
        state->seats[state->n_seats++] = taken;
    }
    state->tractor_id = vehicle->links.tractor_id;
    state->trailer_id = vehicle->links.trailer_id;
    state->lifter_id = vehicle->links.lifter_id;
    state->load_id = vehicle->links.load_id;
    if (vehicle->remote.driver != SLOT_NONE)
        state->remote_driver =
            record_write_ref(outbox, world_player_at(&shard->world, vehicle->remote.driver)->ref);
    state->remote_detonation = vehicle->remote.detonation;
    state->syncer_told = record_write_ref(outbox, vehicle->syncer_told);
}

static void write_pose(struct outbox *outbox, const struct vehicle *vehicle, uint64_t now_ms,
                       Bus__VehicleState *state)
{
    state->pos = record_write_floats(outbox, vehicle->pos, 3, &state->n_pos);
    state->rot = record_write_floats(outbox, vehicle->rot, 4, &state->n_rot);
    state->move_speed = record_write_floats(outbox, vehicle->move_speed, 3, &state->n_move_speed);
    state->turn_speed = record_write_floats(outbox, vehicle->turn_speed, 3, &state->n_turn_speed);
    state->part = vehicle->part;
    state->part_wanted = vehicle->part_wanted;
    state->part_age_ms = record_age(now_ms, vehicle->part_paid_ms);
}

Bus__VehicleState *vehicle_record_write(struct shard *shard, struct outbox *outbox,
                                        const struct vehicle *vehicle,
                                        const struct record_resources *resources)
{
    Bus__VehicleState *state = outbox_alloc(outbox, sizeof *state);
    const char *owner = NULL;

    assert(!vehicle->leaving);
    if (vehicle->owner != 0)
        owner = resources->name(resources->context, vehicle->owner);
    bus__vehicle_state__init(state);
    state->id = vehicle->id;
    state->model = vehicle->model->id;
    state->scope = record_write_scope(outbox, vehicle->scope);
    state->spawn = record_write_place(outbox, &vehicle->spawn);
    state->color1 = vehicle->color1;
    state->color2 = vehicle->color2;
    state->epoch = vehicle->epoch;
    state->relay_seq = vehicle->relay_seq;
    state->pose_rev = vehicle->pose_rev;
    write_pose(outbox, vehicle, shard->now_ms, state);
    write_health(outbox, vehicle, shard->now_ms, state);
    state->damage = write_damage(outbox, &vehicle->damage);
    state->damage_rev = vehicle->damage_rev;
    state->wrecked = vehicle->wrecked;
    state->drowned = vehicle->drowned;
    state->frozen = vehicle->frozen;
    state->derailed = vehicle->derailed;
    state->clockwise = vehicle->clockwise;
    state->owner = outbox_text(outbox, owner == NULL ? "" : owner);
    state->data = record_write_notes(outbox, &vehicle->notes, &state->n_data);
    state->searchlight = vehicle->searchlight;
    write_fields(shard, outbox, vehicle, state);
    write_relations(shard, outbox, vehicle, state);
    return state;
}

/* ---- reading: into a vehicle that is in no world yet */

static bool read_pose(struct vehicle *vehicle, const Bus__VehicleState *state, uint64_t now_ms)
{
    if (!record_read_floats(vehicle->pos, 3, state->pos, state->n_pos) ||
        !record_read_floats(vehicle->rot, 4, state->rot, state->n_rot) ||
        !record_read_floats(vehicle->move_speed, 3, state->move_speed, state->n_move_speed) ||
        !record_read_floats(vehicle->turn_speed, 3, state->turn_speed, state->n_turn_speed) ||
        state->part > PART_MAX || state->part_wanted > PART_MAX)
        return false;
    vehicle->part = (uint16_t)state->part;
    vehicle->part_wanted = (uint16_t)state->part_wanted;
    vehicle->part_paid_ms = record_time(now_ms, state->part_age_ms);
    return inside_world(vehicle->pos) && between(vector_length(vehicle->rot, 4), 0.9f, 1.1f) &&
           vector_length(vehicle->move_speed, 3) <= MOVE_SPEED_MAX &&
           vector_length(vehicle->turn_speed, 3) <= TURN_SPEED_MAX;
}

static bool read_health(struct vehicle *vehicle, const Bus__VehicleState *state, uint64_t now_ms)
{
    if (!between(state->health, 0, VEHICLE_HEALTH_MAX) ||
        !record_read_u16(&vehicle->health.rev, state->health_rev) || state->n_shooters > VEHICLE_SHOOTERS)
        return false;
    vehicle->health.value = state->health;
    vehicle->health.burning = state->burning;
    vehicle->health.burning_since_ms = record_time(now_ms, state->burning_age_ms);
    for (size_t i = 0; i < state->n_shooters; i++) {
        if (!record_read_ref(&vehicle->shooters[i].ref, state->shooters[i]->player))
            return false;
        vehicle->shooters[i].at_ms = record_time(now_ms, state->shooters[i]->age_ms);
    }
    return true;
}

static bool read_damage(struct vehicle *vehicle, const Bus__VehicleDamageState *state)
{
    struct vehicle_damage *damage = &vehicle->damage;

    if (state == NULL || !record_read_bytes(damage->doors, DAMAGE_DOORS, state->doors, state->n_doors) ||
        !record_read_bytes(damage->wheels, DAMAGE_WHEELS, state->wheels, state->n_wheels))
        return false;
    damage->panels = state->panels;
    damage->lights = state->lights;
    return vehicle_damage_is_valid(damage, vehicle->model);
}

static bool read_params(struct vehicle *vehicle, const Bus__VehicleParamsState *state)
{
    struct vehicle_params *params = &vehicle->params;

    if (state == NULL || state->winch > WINCH_SMALL_MAGNET || state->doors >> VEHICLE_DOORS != 0 ||
        !record_read_u16(&params->siren_rev, state->siren_rev) || (state->siren && !state->has_siren) ||
        (state->winch != WINCH_NONE && vehicle->model->vehicle_class != MODEL_HELICOPTER))
        return false;
    params->engine = state->engine;
    params->lights = state->lights;
    params->locked = state->locked;
    params->alarm = state->alarm;
    params->siren = state->siren;
    params->has_siren = state->has_siren;
    params->winch = (uint8_t)state->winch;
    params->doors = (uint8_t)state->doors;
    for (size_t i = 0; i < state->n_own; i++)
        if (state->own[i]->player == NULL || state->own[i]->lock > OWN_LOCK_LOCKED)
            return false;
    return true;
}

static bool read_tuning(struct vehicle *vehicle, const Bus__VehicleTuningState *state)
{
    struct vehicle_tuning *tuning = &vehicle->tuning;

    if (state == NULL || state->n_components != COMPONENT_KINDS || state->plate.len != sizeof tuning->plate ||
        !record_read_u8(&tuning->paintjob, state->paintjob) || !record_read_u8(&tuning->dirt, state->dirt) ||
        !record_read_u8(&tuning->nitro_charges, state->nitro_charges))
        return false;
    for (size_t kind = 0; kind < COMPONENT_KINDS; kind++)
        if (!record_read_u16(&tuning->components[kind], state->components[kind]))
            return false;
    memcpy(tuning->plate, state->plate.data, sizeof tuning->plate);
    tuning->taxi_light = state->taxi_light;
    return vehicle_tuning_is_valid(tuning, vehicle->model);
}

static bool read_nitro(struct vehicle_nitro *nitro, const Bus__NitroState *state, uint64_t now_ms)
{
    if (state == NULL || !between(state->level, -NITRO_LEVEL_MAX, NITRO_LEVEL_MAX))
        return false;
    *nitro = (struct vehicle_nitro){ .level = state->level,
                                     .burning = state->burning,
                                     .burnt = state->burnt,
                                     .lit_at_ms = record_time(now_ms, state->lit_age_ms),
                                     .burnt_at_ms = record_time(now_ms, state->burnt_age_ms) };
    return true;
}

static bool is_shift(int32_t value)
{
    return value >= -HYDRAULICS_SHIFT_MAX && value <= HYDRAULICS_SHIFT_MAX;
}

static bool read_hydraulics(struct vehicle_hydraulics *hydraulics, const Bus__HydraulicsState *state)
{
    if (state == NULL || !is_shift(state->left_right) || !is_shift(state->up_down) ||
        !(state->state <= HYDRAULICS_MAX ||
          (state->state >= HYDRAULICS_STICK_MIN && state->state <= HYDRAULICS_STICK_MAX)))
        return false;
    *hydraulics = (struct vehicle_hydraulics){ .state = (uint16_t)state->state,
                                               .left_right = (int16_t)state->left_right,
                                               .up_down = (int16_t)state->up_down };
    return true;
}

static bool read_handling(struct vehicle_handling *handling, const Bus__HandlingState *state)
{
    if (state == NULL ||
        !record_read_floats(handling->values, HANDLING_PROPERTIES, state->values, state->n_values))
        return false;
    handling->mask = state->mask;
    return vehicle_handling_is_valid(handling);
}

/* A vehicle that is none has nothing of a train. */
static bool read_train(struct vehicle *vehicle, const Bus__VehicleState *state)
{
    const Bus__TrainMotionState *train = state->train;

    if (train == NULL || !between(train->speed, -TRAIN_SPEED_MAX, TRAIN_SPEED_MAX) ||
        !between(train->frame_speed, -TRAIN_SPEED_MAX, TRAIN_SPEED_MAX))
        return false;
    if (vehicle->model->vehicle_class != MODEL_TRAIN &&
        (state->derailed || state->clockwise || train->speed != 0 || train->frame_speed != 0 ||
         train->put_back || train->commanded))
        return false;
    vehicle->derailed = state->derailed;
    vehicle->clockwise = state->clockwise;
    vehicle->train = (struct vehicle_train){ .speed = train->speed,
                                             .frame_speed = train->frame_speed,
                                             .put_back = train->put_back,
                                             .commanded = train->commanded };
    return true;
}

static bool seats_are_valid(const struct vehicle *vehicle, const Bus__VehicleState *state)
{
    uint32_t taken = 0;

    for (size_t i = 0; i < state->n_seats; i++) {
        const Bus__SeatState *seat = state->seats[i];

        if (seat->player == NULL || seat->seat >= vehicle->model->seats || (taken >> seat->seat & 1) != 0)
            return false;
        taken |= UINT32_C(1) << seat->seat;
    }
    return true;
}

static bool read_links(struct vehicle *vehicle, const Bus__VehicleState *state)
{
    const struct vehicle_links links = { .tractor_id = state->tractor_id,
                                         .trailer_id = state->trailer_id,
                                         .lifter_id = state->lifter_id,
                                         .load_id = state->load_id };

    vehicle->links = links;
    return (links.tractor_id == WIRE_NONE || links.lifter_id == WIRE_NONE) &&
           (links.trailer_id == WIRE_NONE || links.load_id == WIRE_NONE);
}

static bool read_life(struct vehicle *vehicle, const Bus__VehicleState *state)
{
    vehicle->wrecked = state->wrecked;
    vehicle->drowned = state->drowned;
    vehicle->frozen = state->frozen;
    vehicle->searchlight = state->searchlight;
    vehicle->relay_seq = state->relay_seq;
    return (state->wrecked || !state->drowned) && record_read_u8(&vehicle->epoch, state->epoch) &&
           record_read_u16(&vehicle->pose_rev, state->pose_rev) &&
           record_read_u16(&vehicle->damage_rev, state->damage_rev) &&
           record_read_ref(&vehicle->syncer_told, state->syncer_told);
}

static bool read_kind(struct vehicle *vehicle, const Bus__VehicleState *state)
{
    vehicle->model = model_find(state->model);
    if (vehicle->model == NULL || !vehicle->model->spawnable || state->id == 0 || state->id == WIRE_NONE ||
        state->color1 > COLOR_MAX || state->color2 > COLOR_MAX)
        return false;
    vehicle->id = state->id;
    vehicle->color1 = (uint8_t)state->color1;
    vehicle->color2 = (uint8_t)state->color2;
    return record_read_scope(&vehicle->scope, state->scope) &&
           record_read_place(&vehicle->spawn, state->spawn);
}

static bool read_vehicle(struct vehicle *vehicle, const Bus__VehicleState *state, uint64_t now_ms)
{
    return read_kind(vehicle, state) && read_life(vehicle, state) && read_pose(vehicle, state, now_ms) &&
           read_health(vehicle, state, now_ms) && read_damage(vehicle, state->damage) &&
           read_params(vehicle, state->params) && read_tuning(vehicle, state->tuning) &&
           read_nitro(&vehicle->nitro, state->nitro, now_ms) &&
           read_hydraulics(&vehicle->hydraulics, state->hydraulics) &&
           read_handling(&vehicle->handling, state->handling) && read_train(vehicle, state) &&
           seats_are_valid(vehicle, state) && read_links(vehicle, state);
}

/* ---- reading: what ties it to others who are there */

static struct player *find_player(const struct shard *shard, const Bus__Player *ref)
{
    return world_player(&shard->world, (struct player_ref){ .id = ref->id, .token = ref->token });
}

static bool may_board(const struct player *player, const struct vehicle *vehicle)
{
    return player != NULL && player_is_alive(player) && player->vehicle == SLOT_NONE &&
           player->remote_id == WIRE_NONE && scope_equal(player->place.scope, vehicle->scope);
}

static void put_seats(struct shard *shard, struct vehicle *vehicle, const Bus__VehicleState *state)
{
    for (size_t i = 0; i < state->n_seats; i++) {
        struct player *player = find_player(shard, state->seats[i]->player);

        if (!may_board(player, vehicle))
            continue;
        vehicle->seats[state->seats[i]->seat] = world_player_slot(&shard->world, player);
        player->vehicle = world_vehicle_slot(&shard->world, vehicle);
        player->seat = (uint8_t)state->seats[i]->seat;
    }
}

static void put_remote(struct shard *shard, struct vehicle *vehicle, const Bus__VehicleState *state)
{
    struct player *driver = state->remote_driver == NULL ? NULL : find_player(shard, state->remote_driver);

    vehicle->remote.detonation = state->remote_detonation;
    if (!may_board(driver, vehicle) || vehicle->model->vehicle_class != MODEL_RC || vehicle->wrecked)
        return;
    vehicle->remote.driver = world_player_slot(&shard->world, driver);
    driver->remote_id = vehicle->id;
}

static bool put_own(struct shard *shard, struct vehicle *vehicle, const Bus__VehicleParamsState *state)
{
    for (size_t i = 0; i < state->n_own; i++) {
        const Bus__OwnParamsState *own = state->own[i];
        const struct player *player = find_player(shard, own->player);

        if (player != NULL && (own->lock != OWN_LOCK_NONE || own->objective) &&
            !vehicle_params_put_own(vehicle,
                                    (struct own_params){ .player = world_player_slot(&shard->world, player),
                                                         .lock = (uint8_t)own->lock,
                                                         .objective = own->objective }))
            return false;
    }
    return true;
}

/* What the world has made of the row stays. */
static void put_vehicle(struct vehicle *vehicle, const struct vehicle *read)
{
    struct vehicle row = *vehicle;

    *vehicle = *read;
    vehicle->observers = row.observers;
    vehicle->remote = row.remote;
    vehicle->syncer = row.syncer;
    memcpy(vehicle->seats, row.seats, sizeof vehicle->seats);
}

/* 0: the configuration's; of a resource that is not here `known` is false. */
static uint16_t find_owner(const char *name, const struct record_resources *resources, bool *known)
{
    uint16_t owner = name[0] == '\0' ? 0 : resources->number(resources->context, name);

    *known = name[0] == '\0' || owner != 0;
    return owner;
}

enum reason vehicle_record_read(struct shard *shard, const Bus__VehicleState *state,
                                const struct record_resources *resources, struct vehicle **made)
{
    struct vehicle read = { 0 };
    struct world *world = &shard->world;
    enum reason refused;
    bool known;

    *made = NULL;
    if (!read_vehicle(&read, state, shard->now_ms))
        return REASON_BUS_MALFORMED;
    read.owner = find_owner(state->owner, resources, &known);
    if (!known || world_vehicle(world, read.id) != NULL)
        return REASON_BUS_STALE;
    refused = record_read_notes(&read.notes, state->data, state->n_data);
    if (refused == REASON_NONE && !put_own(shard, &read, state->params))
        refused = REASON_NO_MEMORY;
    *made = refused == REASON_NONE ? world_add_vehicle(world, read.id) : NULL;
    if (*made == NULL) {
        vehicle_params_fini(&read);
        notes_fini(&read.notes);
        return refused == REASON_NONE ? REASON_TABLE_FULL : refused;
    }
    put_vehicle(*made, &read);
    put_seats(shard, *made, state);
    put_remote(shard, *made, state);
    grid_put(&world->vehicle_grid, world_vehicle_slot(world, *made), (*made)->scope, (*made)->pos);
    vehicle_syncer_due(shard, *made);
    return REASON_NONE;
}

/* ---- links */

static bool may_hang(const struct vehicle *hanging, const struct vehicle *holder, bool lifted)
{
    if (!scope_equal(hanging->scope, holder->scope) || hanging->wrecked || holder->wrecked ||
        hanging->frozen || holder->frozen || hanging->remote.driver != SLOT_NONE ||
        hanging->seats[0] != SLOT_NONE)
        return false;
    for (size_t seat = 0; lifted && seat < MODEL_SEATS_MAX; seat++)
        if (hanging->seats[seat] != SLOT_NONE)
            return false;
    return true;
}

/* Keeps a link only if both ends name each other and it could be. */
static void settle(struct world *world, struct vehicle *vehicle)
{
    struct vehicle_links *links = &vehicle->links;
    const struct vehicle *tractor = world_vehicle(world, links->tractor_id);
    const struct vehicle *trailer = world_vehicle(world, links->trailer_id);
    const struct vehicle *lifter = world_vehicle(world, links->lifter_id);
    const struct vehicle *load = world_vehicle(world, links->load_id);

    if (tractor == NULL || tractor->links.trailer_id != vehicle->id || !may_hang(vehicle, tractor, false))
        links->tractor_id = WIRE_NONE;
    if (trailer == NULL || trailer->links.tractor_id != vehicle->id || !may_hang(trailer, vehicle, false))
        links->trailer_id = WIRE_NONE;
    if (lifter == NULL || lifter->links.load_id != vehicle->id || !may_hang(vehicle, lifter, true))
        links->lifter_id = WIRE_NONE;
    if (load == NULL || load->links.lifter_id != vehicle->id || !may_hang(load, vehicle, true))
        links->load_id = WIRE_NONE;
}

/* A ring, or more links than there may be: it hangs on nothing any more. */
static void cut(struct world *world, struct vehicle *vehicle)
{
    struct vehicle *holder = vehicle_holder(world, vehicle);
    unsigned links = 0;

    for (const struct vehicle *at = holder; at != NULL && links <= VEHICLE_CHAIN_MAX; links++)
        at = vehicle_holder(world, at);
    if (links <= VEHICLE_CHAIN_MAX)
        return;
    if (holder->links.trailer_id == vehicle->id)
        holder->links.trailer_id = WIRE_NONE;
    else
        holder->links.load_id = WIRE_NONE;
    vehicle->links.tractor_id = vehicle->links.lifter_id = WIRE_NONE;
}

void vehicle_record_settle_links(struct shard *shard)
{
    const struct pool *vehicles = &shard->world.vehicles;

    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        settle(&shard->world, world_vehicle_at(&shard->world, slot));
    for (uint32_t slot = pool_next(vehicles, 0); slot != POOL_END; slot = pool_next(vehicles, slot + 1))
        cut(&shard->world, world_vehicle_at(&shard->world, slot));
}
