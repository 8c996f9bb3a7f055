#include <math.h>
#include <string.h>

#include "common/random.h"
#include "shard/player_join.h"
#include "shard/player_record.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_record.h"
#include "shard/vehicle_seat.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

/* A vehicle goes from one shard to another whose clock shows something else, and so do the players around
 * it. */

enum { TRIPS = 200, CLOCKS_APART_MS = 77000000, PLAYERS = 5 };

/* Whoever adds a field sees this: it goes into the record, the record's reader, and arrives_whole below. */
_Static_assert(sizeof(struct vehicle) == 1984, "a field of struct vehicle is new: does its record have it?");

/* One of each kind that the record has rules of its own for. */
enum { SULTAN, TAXI, BIKE, HELI, TRAIN, RC, BOAT, SEMI, TRAILERS, VEHICLES = TRAILERS + 6 };

static struct stage *from;
static struct stage *to;
static struct stage_client *clients[PLAYERS];
static struct outbox outbox;
static struct rng rng;

static const char *name_of(void *context, uint16_t number)
{
    (void)context;
    return number == 3 ? "race" : number == 4 ? "freeroam" : NULL;
}

/* Under other numbers there. */
static uint16_t number_of(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "race") == 0 ? 30 : strcmp(name, "freeroam") == 0 ? 40 : 0;
}

static const struct record_resources resources = { .name = name_of, .number = number_of };

static void bring(struct stage_client *client)
{
    struct player *made;

    ck_assert_int_eq(player_record_read(to->shard,
                                        player_record_write(from->shard, &outbox, stage_player(from, client)),
                                        &made),
                     REASON_NONE);
}

static void setup(void)
{
    static const uint16_t models[VEHICLES] = { 560, 420, 463, 548, 537, 441, 446,
                                               515, 606, 606, 606, 606, 606, 606 };
    struct shard_vehicle vehicles[VEHICLES];

    for (size_t i = 0; i < VEHICLES; i++)
        vehicles[i] = stage_car(models[i], (double)i * 7, 30);
    from = stage_new(vehicles, VEHICLES);
    to = stage_new(NULL, 0);
    outbox_init(&outbox);
    rng_init_seeded(&rng, 46);
    for (uint32_t i = 0; i < PLAYERS; i++)
        clients[i] = stage_spawn(from, 2 + i, (float)i, 0);
    from->shard->now_ms = from->now_ms;
    to->shard->now_ms = from->shard->now_ms + CLOCKS_APART_MS;
    for (uint32_t i = 0; i < PLAYERS; i++)
        bring(clients[i]);
}

static void teardown(void)
{
    outbox_fini(&outbox);
    stage_free(from);
    stage_free(to);
}

static uint32_t below(uint32_t end)
{
    return (uint32_t)rng_below(&rng, end);
}

static uint8_t byte(void)
{
    return (uint8_t)below(256);
}

static uint16_t word(void)
{
    return (uint16_t)below(65536);
}

static bool coin(void)
{
    return below(2) == 0;
}

static float real(float low, float high)
{
    return low + rng_unit(&rng) * (high - low);
}

static uint64_t past(void)
{
    return from->shard->now_ms - below(100000);
}

static struct player_ref someone(void)
{
    return (struct player_ref){ .id = below(400), .token = below(UINT32_MAX) };
}

static uint16_t slot_of(size_t client)
{
    return world_player_slot(&from->shard->world, stage_player(from, clients[client]));
}

static void stand_somewhere(struct vehicle *vehicle)
{
    vehicle->spawn = (struct place){ .scope = { .virtual_world = below(UINT32_MAX), .interior = byte() },
                                     .pos = { real(-6000, 6000), real(-6000, 6000), real(-200, 4000) },
                                     .heading = real(-360, 360) };
    for (int axis = 0; axis < 3; axis++) {
        vehicle->pos[axis] = real(0, 3000);
        vehicle->move_speed[axis] = real(-2, 2);
        vehicle->turn_speed[axis] = real(-0.5f, 0.5f);
    }
    vehicle->rot[0] = vehicle->rot[1] = vehicle->rot[2] = vehicle->rot[3] = coin() ? 0.5f : -0.5f;
    vehicle->color1 = (uint8_t)below(128);
    vehicle->color2 = (uint8_t)below(128);
    vehicle->epoch = byte();
    vehicle->relay_seq = below(UINT32_MAX);
    vehicle->pose_rev = word();
    vehicle->frozen = coin();
    vehicle->owner = (uint16_t)(below(2) * (3 + below(2)));
    vehicle->searchlight = coin();
    vehicle->part = (uint16_t)below(20001);
    vehicle->part_wanted = (uint16_t)below(20001);
    vehicle->part_paid_ms = past();
}

static void suffer(struct vehicle *vehicle)
{
    vehicle->wrecked = coin();
    vehicle->drowned = vehicle->wrecked && coin();
    vehicle->health = (struct vehicle_health){
        .value = real(0, 100000), .rev = word(), .burning = coin(), .burning_since_ms = past()
    };
    vehicle->damage_rev = word();
    for (size_t i = 0; i < 3; i++)
        vehicle->shooters[i] = (struct vehicle_shooter){ .ref = someone(), .at_ms = past() };
    if (vehicle->model->vehicle_class == MODEL_MOTORBIKE) {
        vehicle->damage.wheels[0] = (uint8_t)below(2);
    } else if (vehicle_has_damage_status(vehicle->model)) {
        vehicle->damage.panels = below(4) | below(4) << 4 | below(4) << 24;
        vehicle->damage.lights = below(256) & 0x55;
        for (size_t door = 0; door < DAMAGE_DOORS; door++)
            vehicle->damage.doors[door] = (uint8_t)(2 * below(3));
        for (size_t wheel = 0; wheel < DAMAGE_WHEELS; wheel++)
            vehicle->damage.wheels[wheel] = (uint8_t)below(3);
    }
}

static void dress(struct vehicle *vehicle)
{
    struct vehicle_tuning *tuning = &vehicle->tuning;

    if (vehicle->model->id == 560) {
        tuning->components[COMPONENT_NITRO] = (uint16_t)(1008 + below(3));
        tuning->components[COMPONENT_WHEELS] = (uint16_t)(coin() ? 1025 : 0);
        tuning->components[COMPONENT_HYDRAULICS] = (uint16_t)(coin() ? 1087 : 0);
        tuning->nitro_charges = (uint8_t)below(101);
        tuning->paintjob = (uint8_t)below(3);
    }
    memcpy(tuning->plate, coin() ? "DLMP 1  " : "\0\0\0\0\0\0\0\0", sizeof tuning->plate);
    tuning->dirt = coin() ? TUNING_NO_DIRT : (uint8_t)below(16);
    tuning->taxi_light = vehicle->model->id == 420 && coin();
    vehicle->nitro = (struct vehicle_nitro){
        .level = real(-1, 1), .burning = coin(), .burnt = coin(), .lit_at_ms = past(), .burnt_at_ms = past()
    };
    vehicle->hydraulics =
        (struct vehicle_hydraulics){ .state = (uint16_t)(coin() ? below(61) : 500 + below(5)),
                                     .left_right = (int16_t)((int)below(257) - 128),
                                     .up_down = (int16_t)((int)below(257) - 128) };
    vehicle->handling = (struct vehicle_handling){ 0 };
    vehicle->handling.mask = 1U | 1U << 20;
    vehicle->handling.values[0] = real(1000, 2000);
    vehicle->handling.values[20] = (float)(1 + below(5));
}

static void set_params(struct vehicle *vehicle)
{
    struct vehicle_params *params = &vehicle->params;

    params->engine = coin();
    params->lights = coin();
    params->locked = coin();
    params->alarm = coin();
    params->has_siren = coin();
    params->siren = params->has_siren && coin();
    params->winch = (uint8_t)(vehicle->model->vehicle_class == MODEL_HELICOPTER ? below(3) : 0);
    params->doors = (uint8_t)below(64);
    params->siren_rev = word();
    params->own_count = 0;
    for (size_t i = 0; i < PLAYERS; i++)
        if (coin())
            ck_assert(vehicle_params_put_own(vehicle, (struct own_params){ .player = slot_of(i),
                                                                           .lock = (uint8_t)(1 + below(2)),
                                                                           .objective = coin() }));
}

static void take_seats(struct vehicle *vehicle)
{
    for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
        vehicle->seats[seat] = SLOT_NONE;
    for (size_t i = 0; i < PLAYERS && i < vehicle->model->seats; i++)
        if (coin())
            vehicle->seats[vehicle->model->seats - 1 - i] = slot_of(i);
    vehicle->remote.driver = SLOT_NONE;
    if (vehicle->model->vehicle_class == MODEL_RC && !vehicle->wrecked && coin())
        vehicle->remote.driver = slot_of(0);
    vehicle->remote.detonation = coin();
    vehicle->syncer_told = someone();
}

static const struct span noted = { (const uint8_t *)"owner", 5 };

static void note_something(struct vehicle *vehicle)
{
    uint8_t value[] = { (uint8_t)rng_below(&rng, 256), 7 };

    ck_assert_int_eq(notes_set(&vehicle->notes, "race", noted, (struct span){ value, sizeof value }),
                     REASON_NONE);
}

static struct vehicle *random_vehicle(size_t index)
{
    struct vehicle *vehicle = stage_vehicle(from, index);

    stand_somewhere(vehicle);
    suffer(vehicle);
    dress(vehicle);
    set_params(vehicle);
    note_something(vehicle);
    take_seats(vehicle);
    if (vehicle->model->vehicle_class == MODEL_TRAIN) {
        vehicle->derailed = coin();
        vehicle->clockwise = coin();
        vehicle->train = (struct vehicle_train){
            .speed = real(-4, 4), .frame_speed = real(-4, 4), .put_back = coin(), .commanded = coin()
        };
    }
    return vehicle;
}

static Bus__VehicleState *written(const struct vehicle *vehicle)
{
    return vehicle_record_write(from->shard, &outbox, vehicle, &resources);
}

/* ---- there and back */

#define SAME(field) ck_assert_mem_eq(&before->field, &after->field, sizeof before->field)

static bool same_time(uint64_t before_ms, uint64_t after_ms)
{
    return before_ms + CLOCKS_APART_MS == after_ms;
}

static bool same_player(uint16_t before, uint16_t after)
{
    if (before == SLOT_NONE || after == SLOT_NONE)
        return before == after;
    return world_player_at(&from->shard->world, before)->ref.id ==
           world_player_at(&to->shard->world, after)->ref.id;
}

static void same_body(const struct vehicle *before, const struct vehicle *after)
{
    SAME(id);
    ck_assert_ptr_eq(before->model, after->model);
    SAME(color1);
    SAME(color2);
    SAME(epoch);
    SAME(relay_seq);
    SAME(pose_rev);
    SAME(pos);
    SAME(rot);
    SAME(move_speed);
    SAME(turn_speed);
    SAME(health.value);
    SAME(health.rev);
    SAME(health.burning);
    ck_assert(same_time(before->health.burning_since_ms, after->health.burning_since_ms));
    for (size_t i = 0; i < VEHICLE_SHOOTERS; i++) {
        SAME(shooters[i].ref);
        ck_assert(before->shooters[i].at_ms == 0
                      ? after->shooters[i].at_ms == 0
                      : same_time(before->shooters[i].at_ms, after->shooters[i].at_ms));
    }
    SAME(damage.panels);
    SAME(damage.doors);
    SAME(damage.lights);
    SAME(damage.wheels);
    SAME(damage_rev);
    SAME(wrecked);
    SAME(drowned);
    SAME(frozen);
    SAME(derailed);
    SAME(clockwise);
    SAME(leaving);
    ck_assert_uint_eq(after->owner, 10 * before->owner);
    SAME(searchlight);
    SAME(part);
    SAME(part_wanted);
    ck_assert(same_time(before->part_paid_ms, after->part_paid_ms));
    ck_assert(scope_equal(before->scope, after->scope));
    ck_assert(scope_equal(before->spawn.scope, after->spawn.scope));
    SAME(spawn.pos);
    SAME(spawn.heading);
}

static void same_fields(const struct vehicle *before, const struct vehicle *after)
{
    SAME(params.engine);
    SAME(params.lights);
    SAME(params.locked);
    SAME(params.alarm);
    SAME(params.siren);
    SAME(params.has_siren);
    SAME(params.winch);
    SAME(params.doors);
    SAME(params.siren_rev);
    SAME(params.own_count);
    for (uint16_t i = 0; i < before->params.own_count; i++) {
        ck_assert(same_player(before->params.own[i].player, after->params.own[i].player));
        SAME(params.own[i].lock);
        SAME(params.own[i].objective);
    }
    SAME(tuning.components);
    SAME(tuning.paintjob);
    SAME(tuning.plate);
    SAME(tuning.dirt);
    SAME(tuning.taxi_light);
    SAME(tuning.nitro_charges);
    SAME(nitro.level);
    SAME(nitro.burning);
    SAME(nitro.burnt);
    ck_assert(same_time(before->nitro.lit_at_ms, after->nitro.lit_at_ms));
    ck_assert(same_time(before->nitro.burnt_at_ms, after->nitro.burnt_at_ms));
    SAME(hydraulics);
    SAME(handling);
    SAME(links);
    SAME(train.speed);
    SAME(train.frame_speed);
    SAME(train.put_back);
    SAME(train.commanded);
    SAME(remote.detonation);
    SAME(syncer_told);
}

static void same_people(const struct vehicle *before, const struct vehicle *after)
{
    for (size_t seat = 0; seat < MODEL_SEATS_MAX; seat++)
        ck_assert(same_player(before->seats[seat], after->seats[seat]));
    ck_assert(same_player(before->remote.driver, after->remote.driver));
    ck_assert_uint_eq(after->syncer, SLOT_NONE); /* chosen anew */
    ck_assert(after->syncer_due);
}

static void forget(struct vehicle *vehicle)
{
    vehicle_destroy(to->shard, vehicle);
    outbox_clear(&to->shard->outbox);
}

START_TEST(a_vehicle_arrives_whole_whatever_the_clocks_show)
{
    for (uint32_t trip = 0; trip < TRIPS; trip++) {
        const struct vehicle *before = random_vehicle(trip % SEMI);
        struct vehicle *after;

        ck_assert_int_eq(vehicle_record_read(to->shard, written(before), &resources, &after), REASON_NONE);
        same_body(before, after);
        same_fields(before, after);
        ck_assert_mem_eq(notes_get(&before->notes, "race", noted).data,
                         notes_get(&after->notes, "race", noted).data, 2);
        same_people(before, after);
        world_check(&to->shard->world);
        forget(after);
        outbox_clear(&outbox);
        memset(stage_vehicle(from, trip % SEMI)->seats, 0xFF, sizeof before->seats);
        stage_vehicle(from, trip % SEMI)->remote.driver = SLOT_NONE;
        for (size_t i = 0; i < PLAYERS; i++)
            stage_player(from, clients[i])->remote_id = WIRE_NONE;
    }
}
END_TEST

/* Nothing that is in the message is lost, through the bytes that Redis would have. */
START_TEST(written_again_it_is_the_same_to_the_byte)
{
    static const struct record_resources there = { .name = name_of, .number = number_of };

    for (uint32_t trip = 0; trip < TRIPS; trip++) {
        struct vehicle *before = random_vehicle(trip % SEMI);
        const Bus__VehicleState *first;
        const Bus__VehicleState *second;
        Bus__VehicleState *unpacked;
        struct vehicle *after;
        size_t size;
        uint8_t *bytes;

        before->owner = 0;
        first = written(before);
        size = bus__vehicle_state__get_packed_size(first);
        bytes = outbox_alloc(&outbox, 2 * size);
        bus__vehicle_state__pack(first, bytes);
        unpacked = bus__vehicle_state__unpack(NULL, size, bytes);
        ck_assert_ptr_nonnull(unpacked);
        ck_assert_int_eq(vehicle_record_read(to->shard, unpacked, &there, &after), REASON_NONE);
        bus__vehicle_state__free_unpacked(unpacked, NULL);
        second = vehicle_record_write(to->shard, &outbox, after, &there);
        ck_assert_uint_eq(bus__vehicle_state__get_packed_size(second), size);
        bus__vehicle_state__pack(second, bytes + size);
        ck_assert_mem_eq(bytes, bytes + size, size);
        forget(after);
        outbox_clear(&outbox);
        memset(before->seats, 0xFF, sizeof before->seats);
        before->remote.driver = SLOT_NONE;
    }
}
END_TEST

START_TEST(who_is_not_there_any_more_has_no_seat_and_nothing_of_its_own)
{
    struct vehicle *before = stage_vehicle(from, SULTAN);
    struct vehicle *after;

    before->seats[0] = slot_of(0);
    before->seats[1] = slot_of(1);
    before->seats[2] = slot_of(2);
    ck_assert(vehicle_params_put_own(before, (struct own_params){ .player = slot_of(0), .objective = true }));
    ck_assert(vehicle_params_put_own(before, (struct own_params){ .player = slot_of(1), .objective = true }));
    player_remove(to->shard, world_player_by_id(&to->shard->world, clients[0]->id));
    world_player_by_id(&to->shard->world, clients[2]->id)->state = LIFE_DEAD;
    ck_assert_int_eq(vehicle_record_read(to->shard, written(before), &resources, &after), REASON_NONE);
    ck_assert_uint_eq(after->seats[0], SLOT_NONE);
    ck_assert_uint_ne(after->seats[1], SLOT_NONE);
    ck_assert_uint_eq(after->seats[2], SLOT_NONE);
    ck_assert_uint_eq(after->params.own_count, 1);
    world_check(&to->shard->world);
    before->seats[0] = before->seats[1] = before->seats[2] = SLOT_NONE;
}
END_TEST

START_TEST(nobody_sits_in_two_vehicles)
{
    struct vehicle *first = stage_vehicle(from, SULTAN);
    struct vehicle *second = stage_vehicle(from, TAXI);
    struct vehicle *after;

    first->seats[0] = second->seats[0] = slot_of(0);
    ck_assert_int_eq(vehicle_record_read(to->shard, written(first), &resources, &after), REASON_NONE);
    ck_assert_int_eq(vehicle_record_read(to->shard, written(second), &resources, &after), REASON_NONE);
    ck_assert_uint_eq(after->seats[0], SLOT_NONE);
    world_check(&to->shard->world);
    first->seats[0] = second->seats[0] = SLOT_NONE;
}
END_TEST

/* ---- links */

static void hang(size_t trailer, size_t tractor)
{
    stage_vehicle(from, trailer)->links.tractor_id = stage_vehicle(from, tractor)->id;
    stage_vehicle(from, tractor)->links.trailer_id = stage_vehicle(from, trailer)->id;
}

/* All of the chain but `missing`. */
static void bring_chain(size_t missing)
{
    struct vehicle *after;

    for (size_t i = SEMI; i < VEHICLES; i++) {
        if (i != missing)
            ck_assert_int_eq(
                vehicle_record_read(to->shard, written(stage_vehicle(from, i)), &resources, &after),
                REASON_NONE);
        stage_vehicle(from, i)->links = (struct vehicle_links){ WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE };
    }
    vehicle_record_settle_links(to->shard);
    world_check(&to->shard->world);
}

static const struct vehicle_links *links_there(size_t index)
{
    return &world_vehicle(&to->shard->world, stage_vehicle(from, index)->id)->links;
}

START_TEST(a_chain_arrives_in_any_order)
{
    for (size_t i = 0; i < VEHICLE_CHAIN_MAX; i++)
        hang(TRAILERS + i, SEMI + i);
    bring_chain(VEHICLES);
    for (size_t i = 0; i < VEHICLE_CHAIN_MAX; i++)
        ck_assert_uint_eq(links_there(TRAILERS + i)->tractor_id, stage_vehicle(from, SEMI + i)->id);
}
END_TEST

START_TEST(a_link_without_its_other_end_is_undone)
{
    hang(TRAILERS, SEMI);
    hang(TRAILERS + 1, TRAILERS);
    bring_chain(TRAILERS);
    ck_assert_uint_eq(links_there(SEMI)->trailer_id, WIRE_NONE);
    ck_assert_uint_eq(links_there(TRAILERS + 1)->tractor_id, WIRE_NONE);
}
END_TEST

START_TEST(a_link_that_one_end_denies_is_undone)
{
    hang(TRAILERS, SEMI);
    stage_vehicle(from, SEMI)->links.trailer_id = stage_vehicle(from, TRAILERS + 1)->id;
    bring_chain(VEHICLES);
    ck_assert_uint_eq(links_there(SEMI)->trailer_id, WIRE_NONE);
    ck_assert_uint_eq(links_there(TRAILERS)->tractor_id, WIRE_NONE);
}
END_TEST

START_TEST(a_ring_is_cut)
{
    hang(TRAILERS, SEMI);
    hang(TRAILERS + 1, TRAILERS);
    hang(SEMI, TRAILERS + 1);
    bring_chain(VEHICLES);
}
END_TEST

START_TEST(a_chain_of_more_than_four_links_is_cut)
{
    for (size_t i = 0; i < VEHICLE_CHAIN_MAX + 2; i++)
        hang(TRAILERS + i, SEMI + i);
    bring_chain(VEHICLES);
    ck_assert_uint_eq(links_there(TRAILERS + 3)->tractor_id, stage_vehicle(from, TRAILERS + 2)->id);
}
END_TEST

START_TEST(a_frozen_vehicle_hangs_on_nothing)
{
    hang(TRAILERS, SEMI);
    stage_vehicle(from, TRAILERS)->frozen = true;
    bring_chain(VEHICLES);
    ck_assert_uint_eq(links_there(SEMI)->trailer_id, WIRE_NONE);
}
END_TEST

/* ---- what is refused */

static void no_model(Bus__VehicleState *state)
{
    state->model = 399;
}
static void carriage(Bus__VehicleState *state)
{
    state->model = 569;
}
static void no_scope(Bus__VehicleState *state)
{
    state->scope = NULL;
}
static void wide_scope(Bus__VehicleState *state)
{
    state->scope->interior = 256;
}
static void nan_pos(Bus__VehicleState *state)
{
    state->pos[0] = NAN;
}
static void far_pos(Bus__VehicleState *state)
{
    state->pos[0] = nextafterf(6000, 7000);
}
static void flat_rot(Bus__VehicleState *state)
{
    state->n_rot = 3;
}
static void short_rot(Bus__VehicleState *state)
{
    memset(state->rot, 0, 4 * sizeof *state->rot);
}
static void fast(Bus__VehicleState *state)
{
    state->move_speed[0] = 5.1f;
}
static void spinning(Bus__VehicleState *state)
{
    state->turn_speed[0] = 1.1f;
}
static void nan_health(Bus__VehicleState *state)
{
    state->health = NAN;
}
static void much_health(Bus__VehicleState *state)
{
    state->health = 100001;
}
static void no_color(Bus__VehicleState *state)
{
    state->color2 = 128;
}
static void long_epoch(Bus__VehicleState *state)
{
    state->epoch = 256;
}
static void no_door(Bus__VehicleState *state)
{
    state->damage->doors[0] = 3;
}
static void no_panel(Bus__VehicleState *state)
{
    state->damage->panels = 0xF;
}
static void no_light(Bus__VehicleState *state)
{
    state->damage->lights = 2;
}
static void no_wheel(Bus__VehicleState *state)
{
    state->damage->n_wheels = 3;
}
static void dry_drowned(Bus__VehicleState *state)
{
    state->wrecked = false;
    state->drowned = true;
}
static void no_part(Bus__VehicleState *state)
{
    state->part = 20001;
}
static void car_winch(Bus__VehicleState *state)
{
    state->params->winch = 1;
}
static void mute_siren(Bus__VehicleState *state)
{
    state->params->has_siren = false;
    state->params->siren = true;
}
static void seventh_door(Bus__VehicleState *state)
{
    state->params->doors = 64;
}
static void no_lock(Bus__VehicleState *state)
{
    state->params->own[0]->lock = 3;
}
static void foreign_part(Bus__VehicleState *state)
{
    state->tuning->components[0] = 1193;
}
static void no_paintjob(Bus__VehicleState *state)
{
    state->tuning->paintjob = 200;
}
static void bad_plate(Bus__VehicleState *state)
{
    state->tuning->plate.data[0] = '%';
}
static void much_nitro(Bus__VehicleState *state)
{
    state->tuning->nitro_charges = 101;
}
static void nan_nitro(Bus__VehicleState *state)
{
    state->nitro->level = NAN;
}
static void no_hydraulics(Bus__VehicleState *state)
{
    state->hydraulics->state = 61;
}
static void steep_hydraulics(Bus__VehicleState *state)
{
    state->hydraulics->up_down = -129;
}
static void nan_handling(Bus__VehicleState *state)
{
    state->handling->values[0] = NAN;
}
static void light_handling(Bus__VehicleState *state)
{
    state->handling->values[0] = -1;
}
static void wide_handling(Bus__VehicleState *state)
{
    state->handling->mask = UINT32_MAX;
}
static void car_on_rails(Bus__VehicleState *state)
{
    state->train->speed = 1;
}
static void no_train(Bus__VehicleState *state)
{
    state->train = NULL;
}
static void fifth_seat(Bus__VehicleState *state)
{
    state->seats[0]->seat = 4;
}
static void far_seat(Bus__VehicleState *state)
{
    state->seats[0]->seat = UINT32_MAX;
}
static void seat_twice(Bus__VehicleState *state)
{
    state->seats[1]->seat = state->seats[0]->seat;
}
static void nobody(Bus__VehicleState *state)
{
    state->seats[0]->player = NULL;
}
static void two_holders(Bus__VehicleState *state)
{
    state->tractor_id = state->lifter_id = 7;
}
static void no_id(Bus__VehicleState *state)
{
    state->id = WIRE_NONE;
}
static void many_shooters(Bus__VehicleState *state)
{
    state->n_shooters = VEHICLE_SHOOTERS + 1;
}

static void (*const damages[])(Bus__VehicleState *state) = {
    no_model,      carriage,      no_scope,         wide_scope,   nan_pos,        far_pos,       flat_rot,
    short_rot,     fast,          spinning,         nan_health,   much_health,    no_color,      long_epoch,
    no_door,       no_panel,      no_light,         no_wheel,     dry_drowned,    no_part,       car_winch,
    mute_siren,    seventh_door,  no_lock,          foreign_part, no_paintjob,    bad_plate,     much_nitro,
    nan_nitro,     no_hydraulics, steep_hydraulics, nan_handling, light_handling, wide_handling, car_on_rails,
    no_train,      fifth_seat,    far_seat,         seat_twice,   nobody,         two_holders,   no_id,
    many_shooters,
};

START_TEST(a_damaged_record_is_refused_whole)
{
    struct vehicle *vehicle = random_vehicle(SULTAN);
    Bus__VehicleState *state;
    struct vehicle *after;

    vehicle->seats[0] = slot_of(0);
    vehicle->seats[1] = slot_of(1);
    ck_assert(
        vehicle_params_put_own(vehicle, (struct own_params){ .player = slot_of(0), .objective = true }));
    state = written(vehicle);
    ck_assert_int_eq(vehicle_record_read(to->shard, state, &resources, &after), REASON_NONE);
    forget(after);
    damages[_i](state);
    ck_assert_int_eq(vehicle_record_read(to->shard, state, &resources, &after), REASON_BUS_MALFORMED);
    ck_assert_ptr_null(after);
    ck_assert_uint_eq(to->shard->world.vehicles.count, 0);
    world_check(&to->shard->world);
}
END_TEST

START_TEST(one_that_is_there_already_or_whose_resource_is_not_is_refused)
{
    struct vehicle *vehicle = stage_vehicle(from, SULTAN);
    Bus__VehicleState *state;
    struct vehicle *after;

    vehicle->owner = 3;
    state = written(vehicle);
    state->owner[0] = 'f';
    ck_assert_int_eq(vehicle_record_read(to->shard, state, &resources, &after), REASON_BUS_STALE);
    state->owner[0] = 'r';
    ck_assert_int_eq(vehicle_record_read(to->shard, state, &resources, &after), REASON_NONE);
    ck_assert_uint_eq(after->owner, 30);
    ck_assert_int_eq(vehicle_record_read(to->shard, state, &resources, &after), REASON_BUS_STALE);
    ck_assert_uint_eq(to->shard->world.vehicles.count, 1);
}
END_TEST

Suite *vehicle_record_suite(void)
{
    Suite *suite = suite_create("vehicle_record");
    TCase *tcase = tcase_create("vehicle_record");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_vehicle_arrives_whole_whatever_the_clocks_show);
    tcase_add_test(tcase, written_again_it_is_the_same_to_the_byte);
    tcase_add_test(tcase, who_is_not_there_any_more_has_no_seat_and_nothing_of_its_own);
    tcase_add_test(tcase, nobody_sits_in_two_vehicles);
    tcase_add_test(tcase, a_chain_arrives_in_any_order);
    tcase_add_test(tcase, a_link_without_its_other_end_is_undone);
    tcase_add_test(tcase, a_link_that_one_end_denies_is_undone);
    tcase_add_test(tcase, a_ring_is_cut);
    tcase_add_test(tcase, a_chain_of_more_than_four_links_is_cut);
    tcase_add_test(tcase, a_frozen_vehicle_hangs_on_nothing);
    tcase_add_loop_test(tcase, a_damaged_record_is_refused_whole, 0, sizeof damages / sizeof damages[0]);
    tcase_add_test(tcase, one_that_is_there_already_or_whose_resource_is_not_is_refused);
    return suite;
}
