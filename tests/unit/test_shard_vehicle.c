#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/vehicle_fields.h"
#include "shard/vehicle_frame.h"
#include "shard/vehicle_seat.h"
#include "shard/vehicle_syncer.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

enum { CAR = 0, TRAIN = 1, FAR_CAR = 2, RC = 3 };

enum { KIND_EXIT, KIND_ENTER, KIND_WARP, KIND_DENY, KIND_JACKED };

static struct stage *stage;

static void setup(void)
{
    struct shard_vehicle vehicles[] = { stage_car(411, 0, 0), stage_car(537, 0, 300),
                                        stage_car(411, 1000, 1000), stage_car(441, 0, 5) };

    stage = stage_new(vehicles, sizeof vehicles / sizeof vehicles[0]);
}

static void teardown(void)
{
    stage_free(stage);
}

static struct wire_vehicle_occupancy take_occupancy(struct stage_client *client)
{
    struct wire_vehicle_occupancy occupancy = { .kind = 99 };
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_VEHICLE_OCCUPANCY);

    if (packet != NULL)
        ck_assert(wire_vehicle_occupancy_decode(&occupancy, packet->bytes, packet->size, &error));
    return occupancy;
}

static struct wire_remote_vehicle_frame take_frame(struct stage_client *client)
{
    struct wire_remote_vehicle_frame frame = { 0 };
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_REMOTE_VEHICLE_FRAME);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&frame, packet->bytes, packet->size, &error));
    return frame;
}

/* A driver in a car of that model, and somebody who watches. */
struct scene {
    struct stage_client *driver;
    struct stage_client *watcher;
    struct vehicle *vehicle;
};

static struct scene scene_of(uint16_t model)
{
    struct scene scene = { .driver = stage_spawn(stage, 2, 2, 0), .watcher = stage_spawn(stage, 3, 8, 0) };

    scene.vehicle = stage_vehicle(stage, CAR);
    scene.vehicle->model = model_find(model);
    vehicle_params_init(scene.vehicle, false);
    stage_enter(stage, scene.driver, scene.vehicle->id, 0);
    ck_assert_uint_ne(scene.vehicle->seats[0], SLOT_NONE);
    stage_forget(stage);
    return scene;
}

/* The server's relay of an honest frame that was changed. */
static struct wire_vehicle_state relayed(struct scene *scene, struct wire_vehicle_frame frame)
{
    stage_send_frame(stage, scene->driver, &frame);
    return take_frame(scene->watcher).state;
}

static void pause_player(struct stage_client *client, bool paused)
{
    struct wire_player_sync sync = stage_sync(client);

    sync.frame.flags = paused ? 8 : 0;
    stage_send_sync(stage, client, &sync);
}

/* ---- entering */

START_TEST(an_entry_is_told_to_everyone_the_vehicle_is_streamed_to)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 150, 0);
    struct stage_client *far = stage_spawn(stage, 4, 700, 0);
    struct wire_vehicle_occupancy occupancy;

    stage_enter(stage, client, stage_vehicle(stage, CAR)->id, 0);
    occupancy = take_occupancy(near);
    ck_assert_uint_eq(occupancy.kind, KIND_ENTER);
    ck_assert_uint_eq(occupancy.vehicle_id, stage_vehicle(stage, CAR)->id);
    ck_assert_uint_eq(occupancy.player_id, client->id);
    ck_assert_uint_eq(occupancy.player_token, client->token);
    ck_assert_uint_eq(occupancy.seat, 0);
    ck_assert_uint_eq(take_occupancy(client).kind, KIND_ENTER);
    ck_assert_uint_eq(stage_count(far, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

static void deny_is(struct stage_client *client, uint32_t vehicle_id, uint8_t seat, enum reason why)
{
    uint64_t counted = stage_reason(stage, why);
    struct wire_vehicle_occupancy occupancy;

    stage_forget(stage);
    stage_enter(stage, client, vehicle_id, seat);
    occupancy = take_occupancy(client);
    ck_assert_msg(occupancy.kind == KIND_DENY, "no deny for %s", reason_name(why));
    ck_assert_uint_eq(occupancy.vehicle_id, vehicle_id);
    ck_assert_uint_eq(occupancy.seat, seat);
    ck_assert_uint_eq(occupancy.player_id, client->id);
    ck_assert_uint_eq(stage_reason(stage, why), counted + 1);
}

START_TEST(each_condition_of_an_entry_is_a_deny_to_the_sender_alone)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct stage_client *near = stage_spawn(stage, 3, 8, 0);
    uint32_t car = stage_vehicle(stage, CAR)->id;

    deny_is(client, 999999, 2, REASON_NO_VEHICLE);
    deny_is(client, stage_vehicle(stage, FAR_CAR)->id, 0, REASON_NOT_STREAMED);
    deny_is(client, car, 2, REASON_NO_SEAT);
    deny_is(client, stage_vehicle(stage, RC)->id, 0, REASON_NO_SEAT);
    stage_enter(stage, near, car, 1);
    deny_is(client, car, 1, REASON_SEAT_TAKEN);
    deny_is(near, car, 1, REASON_SEAT_TAKEN);
    ck_assert_uint_eq(stage_count(client, PACKET_VEHICLE_OCCUPANCY), 0);
    stage_vehicle(stage, CAR)->scope.virtual_world = 2; /* the set lags behind */
    ck_assert_uint_eq(
        vehicle_enter_check(stage->shard, stage_player(stage, client), stage_vehicle(stage, CAR), 0),
        REASON_OTHER_SCOPE);
    stage_vehicle(stage, CAR)->scope.virtual_world = 0;
    stage_die(stage, client);
    deny_is(client, car, 0, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(who_has_not_spawned_is_denied)
{
    struct stage_client *client = stage_join(stage, 2, 2, 0);

    deny_is(client, stage_vehicle(stage, CAR)->id, 0, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(an_entry_is_allowed_from_15_m_and_a_carriage_adds_25_each)
{
    static const struct {
        size_t vehicle;
        uint8_t seat;
        float range;
    } cases[] = { { CAR, 1, 15 },    { TRAIN, 0, 15 },  { TRAIN, 5, 15 },  { TRAIN, 6, 40 },
                  { TRAIN, 10, 40 }, { TRAIN, 11, 65 }, { TRAIN, 16, 90 }, { TRAIN, 20, 90 } };
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vehicle *vehicle = stage_vehicle(stage, cases[i].vehicle);
        struct player *player = stage_player(stage, client);
        struct place there = { .pos = { vehicle->pos[0], vehicle->pos[1], 10 } };

        player_teleport(stage->shard, player, stage->now_ms, &there);
        stage_pump(stage);
        stage_run(stage, 100);
        player->place.pos[0] = cases[i].range;
        ck_assert_uint_eq(vehicle_enter_check(stage->shard, player, vehicle, cases[i].seat), REASON_NONE);
        player->place.pos[0] = nextafterf(cases[i].range, 1000);
        ck_assert_uint_eq(vehicle_enter_check(stage->shard, player, vehicle, cases[i].seat),
                          REASON_OUT_OF_RANGE);
        player->place.pos[0] = there.pos[0];
    }
    ck_assert_uint_eq(
        vehicle_enter_check(stage->shard, stage_player(stage, client), stage_vehicle(stage, TRAIN), 21),
        REASON_NO_SEAT);
}
END_TEST

START_TEST(who_sits_in_another_vehicle_is_denied)
{
    struct scene scene = scene_of(411);
    struct vehicle *other = stage_vehicle(stage, RC);

    other->model = model_find(411);
    deny_is(scene.driver, other->id, 0, REASON_SEATED_ELSEWHERE);
    ck_assert_uint_eq(stage_player(stage, scene.driver)->seat, 0);
}
END_TEST

START_TEST(another_seat_of_the_same_vehicle_is_taken_after_leaving_the_first)
{
    struct scene scene = scene_of(411);

    stage_enter(stage, scene.driver, scene.vehicle->id, 1);
    ck_assert_uint_eq(take_occupancy(scene.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(take_occupancy(scene.watcher).kind, KIND_ENTER);
    ck_assert_uint_eq(scene.vehicle->seats[0], SLOT_NONE);
    ck_assert_uint_ne(scene.vehicle->seats[1], SLOT_NONE);
}
END_TEST

START_TEST(a_jacker_takes_the_wheel_from_the_driver)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_occupancy jacked;
    struct wire_vehicle_occupancy entered;

    stage_enter(stage, scene.watcher, scene.vehicle->id, 0);
    jacked = take_occupancy(scene.driver);
    entered = take_occupancy(scene.driver);
    ck_assert_uint_eq(jacked.kind, KIND_JACKED);
    ck_assert_uint_eq(jacked.player_id, scene.driver->id);
    ck_assert_uint_eq(jacked.player_token, scene.driver->token);
    ck_assert_uint_eq(entered.kind, KIND_ENTER);
    ck_assert_uint_eq(entered.player_id, scene.watcher->id);
    ck_assert_uint_eq(stage_player(stage, scene.driver)->vehicle, SLOT_NONE);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_OCCUPANCY), 2);
}
END_TEST

START_TEST(nobody_jacks_when_jacking_is_off)
{
    struct shard_vehicle car = stage_car(411, 0, 0);

    stage_free(stage);
    stage = stage_new_sized(&car, 1, 100, 100, false);

    struct scene scene = scene_of(411);

    deny_is(scene.watcher, scene.vehicle->id, 0, REASON_JACKING_OFF);
    ck_assert_uint_ne(stage_player(stage, scene.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(a_passenger_is_nobodys_to_jack)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct stage_client *other = stage_spawn(stage, 3, 3, 0);

    stage_enter(stage, client, stage_vehicle(stage, CAR)->id, 1);
    deny_is(other, stage_vehicle(stage, CAR)->id, 1, REASON_SEAT_TAKEN);
}
END_TEST

/* ---- getting out */

START_TEST(an_exit_counts_only_for_the_vehicle_one_sits_in)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_occupancy occupancy;

    stage_exit(stage, scene.driver, scene.vehicle->id + 1);
    stage_exit(stage, scene.watcher, scene.vehicle->id);
    ck_assert_uint_eq(stage_reason(stage, REASON_SEAT_NOT_HELD), 2);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    stage_exit(stage, scene.driver, scene.vehicle->id);
    occupancy = take_occupancy(scene.watcher);
    ck_assert_uint_eq(occupancy.kind, KIND_EXIT);
    ck_assert_uint_eq(occupancy.player_id, scene.driver->id);
    ck_assert_uint_eq(take_occupancy(scene.driver).kind, KIND_EXIT);
    stage_exit(stage, scene.driver, scene.vehicle->id);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

START_TEST(a_death_frees_the_seat)
{
    struct scene scene = scene_of(411);

    stage_die(stage, scene.driver);
    ck_assert_uint_eq(take_occupancy(scene.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(scene.vehicle->seats[0], SLOT_NONE);
}
END_TEST

START_TEST(a_disconnect_frees_the_seat_without_a_word)
{
    struct scene scene = scene_of(411);

    stage_gone(stage, scene.driver);
    ck_assert_uint_eq(scene.vehicle->seats[0], SLOT_NONE);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_eq(scene.vehicle->syncer,
                      world_player_slot(&stage->shard->world, stage_player(stage, scene.watcher)));
}
END_TEST

START_TEST(a_seated_player_leaves_its_seat_before_a_teleport)
{
    struct scene scene = scene_of(411);
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 5, 5, 10 } };

    player_teleport(stage->shard, stage_player(stage, scene.driver), stage->now_ms, &there);
    stage_pump(stage);
    ck_assert_uint_eq(take_occupancy(scene.watcher).kind, KIND_EXIT);
    ck_assert(!stage_sees_vehicle(scene.driver, scene.vehicle->id));
    ck_assert_uint_lt(stage_order(scene.driver, PACKET_VEHICLE_OCCUPANCY),
                      stage_order(scene.driver, PACKET_SCOPE_CHANGED));
}
END_TEST

START_TEST(vehicle_events_share_a_limit_of_30_and_15_a_second)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);

    stage_forget(stage);
    for (int i = 0; i < 15; i++) {
        stage_enter(stage, client, 999999, 0);
        stage_exit(stage, client, 999999);
    }
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 0);
    stage_enter(stage, client, 999999, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_VEHICLE_OCCUPANCY),
                      15); /* over the limit there is no answer */
    stage->now_ms += 1000;
    for (int i = 0; i < 16; i++)
        stage_exit(stage, client, 999999);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 2);
}
END_TEST

START_TEST(a_seated_player_must_be_within_60_m_of_its_vehicle)
{
    struct scene scene = scene_of(411);
    struct wire_player_sync sync = stage_sync(scene.driver);

    sync.frame.vehicle_id = scene.vehicle->id;
    sync.frame.pos[0] = 60;
    sync.frame.pos[1] = 0;
    stage_send_sync(stage, scene.driver, &sync);
    ck_assert_float_eq(stage_player(stage, scene.driver)->place.pos[0], 60);
    sync.seq = ++scene.driver->seq;
    sync.frame.pos[0] = nextafterf(60, 100);
    stage_send_sync(stage, scene.driver, &sync);
    ck_assert_uint_eq(stage_reason(stage, REASON_VEHICLE_TOO_FAR), 1);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_REMOTE_PLAYER_SYNC), 1);
}
END_TEST

/* ---- frames */

START_TEST(a_drivers_frame_moves_the_vehicle_and_goes_to_everyone_else)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_remote_vehicle_frame relay;

    frame.state.pos[0] = 7;
    frame.state.move_speed[1] = 0.5f;
    frame.state.gas = 1;
    stage_send_frame(stage, scene.driver, &frame);
    ck_assert_float_eq(scene.vehicle->pos[0], 7);
    ck_assert_float_eq(scene.vehicle->move_speed[1], 0.5f);
    relay = take_frame(scene.watcher);
    ck_assert_uint_eq(relay.source_id, scene.driver->id);
    ck_assert_uint_eq(relay.source_token, scene.driver->token);
    ck_assert_uint_eq(relay.seq, 1);
    ck_assert_uint_eq(relay.vehicle_id, scene.vehicle->id);
    ck_assert_float_eq(relay.state.pos[0], 7);
    ck_assert_float_eq(relay.state.gas, 1);
    ck_assert_uint_eq(relay.relation_rev, 0);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_REMOTE_VEHICLE_FRAME), 0);
}
END_TEST

START_TEST(the_relay_serial_wraps)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    scene.vehicle->relay_seq = UINT32_MAX;
    stage_send_frame(stage, scene.driver, &frame);
    ck_assert_uint_eq(take_frame(scene.watcher).seq, 0);
}
END_TEST

static void frame_is_refused(struct stage_client *client, const struct wire_vehicle_frame *frame,
                             enum reason why)
{
    uint64_t counted = stage_reason(stage, why);
    uint64_t accepted = shard_stats(stage->shard)->frames_accepted;

    stage_send_frame(stage, client, frame);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not refused: %s", reason_name(why));
    ck_assert_uint_eq(shard_stats(stage->shard)->frames_accepted, accepted);
}

START_TEST(each_condition_of_a_frame_refuses_it_silently)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_frame wrong;

    stage_send_frame(stage, scene.driver, &frame);
    stage_forget(stage);
    frame_is_refused(scene.driver, &frame, REASON_OLD_SEQ);
    wrong = stage_frame(stage, scene.watcher, scene.vehicle);
    frame_is_refused(scene.watcher, &wrong, REASON_NOT_CONTROLLING);
    wrong = stage_frame(stage, scene.driver, scene.vehicle);
    wrong.state.epoch++;
    frame_is_refused(scene.driver, &wrong, REASON_OLD_EPOCH);
    wrong = stage_frame(stage, scene.driver, scene.vehicle);
    wrong.state.pose_rev++;
    frame_is_refused(scene.driver, &wrong, REASON_OLD_POSE_REV);
    wrong = stage_frame(stage, scene.driver, scene.vehicle);
    wrong.vehicle_id = 999999;
    frame_is_refused(scene.driver, &wrong, REASON_NO_VEHICLE);
    wrong = stage_frame(stage, scene.driver, scene.vehicle);
    wrong.state.pos[0] = NAN;
    frame_is_refused(scene.driver, &wrong, REASON_MALFORMED_NOT_FINITE);
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        ck_assert_uint_eq(stage->clients[i].log_count, 0);
}
END_TEST

struct bound {
    const char *what;
    size_t offset;
    float at;
    float beyond;
};

#define STATE_BOUND(field, value, toward)                                 \
    {                                                                     \
#field, offsetof(struct wire_vehicle_state, field), value, toward \
    }
#define BOTH_WAYS(field, value) STATE_BOUND(field, value, INFINITY), STATE_BOUND(field, -(value), -INFINITY)
#define PI_F 3.14159265358979323846f

START_TEST(each_bound_of_the_state_is_accepted_at_it_and_refused_past_it)
{
    static const struct bound bounds[] = {
        BOTH_WAYS(pos[0], 6000.0f),
        BOTH_WAYS(pos[1], 6000.0f),
        STATE_BOUND(pos[2], 4000, INFINITY),
        STATE_BOUND(pos[2], -200, -INFINITY),
        BOTH_WAYS(move_speed[0], 5.0f),
        BOTH_WAYS(turn_speed[2], 1.0f),
        BOTH_WAYS(raw_steer, 1.01f),
        BOTH_WAYS(gas, 1.01f),
        BOTH_WAYS(steer, PI_F / 2),
        STATE_BOUND(brake, 1.01f, INFINITY),
        STATE_BOUND(brake, 0, -INFINITY),
        BOTH_WAYS(health, 100000.0f),
        BOTH_WAYS(lean, 1.01f),
        BOTH_WAYS(lean_angle, PI_F / 2),
        STATE_BOUND(pedal, 100, INFINITY),
        STATE_BOUND(pedal, 0, -INFINITY),
        STATE_BOUND(hop, 25, INFINITY),
        STATE_BOUND(hop, 0, -INFINITY),
        BOTH_WAYS(yaw, 2.0f),
        BOTH_WAYS(pitch, 2.0f),
        BOTH_WAYS(roll, 2.0f),
        BOTH_WAYS(throttle, 2.0f),
        STATE_BOUND(rotor, 2, INFINITY),
        STATE_BOUND(rotor, 0, -INFINITY),
        BOTH_WAYS(turret_yaw, PI_F + 0.01f),
        BOTH_WAYS(turret_pitch, PI_F / 2),
        STATE_BOUND(rail, 100000, INFINITY),
        STATE_BOUND(rail, 0, -INFINITY),
        BOTH_WAYS(rail_speed, 4.0f),
        STATE_BOUND(rope, 1, INFINITY),
        STATE_BOUND(rope, 0, -INFINITY),
        BOTH_WAYS(nitro, 1.01f),
    };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
        struct player *player = stage_player(stage, scene.driver);
        float beyond = nextafterf(bounds[i].at, bounds[i].beyond);

        memcpy((char *)&frame.state + bounds[i].offset, &bounds[i].at, sizeof(float));
        ck_assert_msg(vehicle_frame_check(scene.vehicle, CONTROL_PILOT, player, &frame) == REASON_NONE,
                      "%s at its bound", bounds[i].what);
        memcpy((char *)&frame.state + bounds[i].offset, &beyond, sizeof(float));
        ck_assert_msg(vehicle_frame_check(scene.vehicle, CONTROL_PILOT, player, &frame) ==
                          REASON_OUT_OF_BOUNDS,
                      "%s past its bound", bounds[i].what);
    }
}
END_TEST

START_TEST(the_whole_numbers_of_the_state_have_their_bounds)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    const struct wire_vehicle_frame fine = frame;
    struct player *player = stage_player(stage, scene.driver);

#define STATE_WHOLE(field, value, verdict) \
    frame = fine;                          \
    frame.state.field = (value);           \
    ck_assert_uint_eq(vehicle_frame_check(scene.vehicle, CONTROL_PILOT, player, &frame), verdict)

    STATE_WHOLE(part, 20000, REASON_NONE);
    STATE_WHOLE(part, 20001, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(track, 3, REASON_NONE);
    STATE_WHOLE(track, 4, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulics, 60, REASON_NONE);
    STATE_WHOLE(hydraulics, 61, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulics, 499, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulics, 500, REASON_NONE);
    STATE_WHOLE(hydraulics, 504, REASON_NONE);
    STATE_WHOLE(hydraulics, 505, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulic_lr, 128, REASON_NONE);
    STATE_WHOLE(hydraulic_lr, 129, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulic_lr, -128, REASON_NONE);
    STATE_WHOLE(hydraulic_lr, -129, REASON_OUT_OF_BOUNDS);
    STATE_WHOLE(hydraulic_ud, 128, REASON_NONE);
    STATE_WHOLE(hydraulic_ud, -129, REASON_OUT_OF_BOUNDS);
#undef STATE_WHOLE
}
END_TEST

START_TEST(vectors_are_bounded_by_their_length)
{
    struct scene scene = scene_of(411);
    struct player *player = stage_player(stage, scene.driver);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    static const struct {
        float rot, move, turn;
        enum reason verdict;
    } cases[] = {
        { 1, 4, 0.5f, REASON_OUT_OF_BOUNDS },  { 1.1f, 3, 0.5f, REASON_NONE },
        { 0.9f, 3, 0.5f, REASON_NONE },        { 1.11f, 0, 0, REASON_OUT_OF_BOUNDS },
        { 0.89f, 0, 0, REASON_OUT_OF_BOUNDS }, { 1, 0, 0.9f, REASON_OUT_OF_BOUNDS },
        { 0, 0, 0, REASON_OUT_OF_BOUNDS },     { 1, 2.8f, 0.57f, REASON_NONE },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int axis = 0; axis < 3; axis++) {
            frame.state.move_speed[axis] = axis == 2 ? 0 : cases[i].move;
            frame.state.turn_speed[axis] = axis == 2 ? 0 : cases[i].turn;
        }
        memset(frame.state.rot, 0, sizeof frame.state.rot);
        frame.state.rot[3] = cases[i].rot;
        ck_assert_msg(vehicle_frame_check(scene.vehicle, CONTROL_PILOT, player, &frame) == cases[i].verdict,
                      "case %zu", i);
    }
}
END_TEST

START_TEST(the_seq_mark_is_kept_by_vehicle_and_survives_a_change_of_control)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame early = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_frame late;

    early.seq = UINT32_MAX;
    late = early;
    late.seq = 1;
    stage_send_frame(stage, scene.driver, &late); /* across the wrap */
    ck_assert_uint_eq(scene.vehicle->relay_seq, 1);
    frame_is_refused(scene.driver, &early, REASON_OLD_SEQ);
    stage_exit(stage, scene.driver, scene.vehicle->id);
    stage_enter(stage, scene.driver, scene.vehicle->id, 0);
    frame_is_refused(scene.driver, &early, REASON_OLD_SEQ);
    frame_is_refused(scene.driver, &late, REASON_OLD_SEQ);
    late.seq = 2;
    stage_send_frame(stage, scene.driver, &late);
    ck_assert_uint_eq(scene.vehicle->relay_seq, 2);
}
END_TEST

START_TEST(a_mark_that_had_to_go_still_keeps_stragglers_out)
{
    struct scene scene = scene_of(411);
    struct player *player = stage_player(stage, scene.driver);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.seq = 100;
    stage_send_frame(stage, scene.driver, &frame);
    for (uint8_t i = 0; i < PLAYER_MARKS - 1; i++)
        player->marks[i + 1] = (struct frame_mark){ .vehicle_id = 10000U + i, .seq = 200U + i };
    player->marks_count = PLAYER_MARKS;
    struct vehicle *other = stage_vehicle(stage, RC);
    other->syncer = world_player_slot(&stage->shard->world, player);
    struct wire_vehicle_frame synced = stage_frame(stage, scene.driver, other);
    synced.seq = 300;
    stage_send_frame(stage, scene.driver, &synced);
    ck_assert(player->has_old_marks);
    ck_assert_uint_eq(player->old_marks_seq, 100);
    frame.seq = 100;
    frame_is_refused(scene.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 301;
    stage_send_frame(stage, scene.driver, &frame);
    ck_assert_uint_eq(scene.vehicle->relay_seq, 2);
}
END_TEST

static uint64_t send_frames(struct stage_client *client, const struct vehicle *vehicle, int count)
{
    uint64_t before = shard_stats(stage->shard)->frames_accepted;

    for (int i = 0; i < count; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, client, vehicle);

        stage_send_frame(stage, client, &frame);
    }
    return shard_stats(stage->shard)->frames_accepted - before;
}

START_TEST(a_driver_sends_31_frames_a_second_with_half_a_second_of_burst)
{
    struct scene scene = scene_of(411);

    ck_assert_uint_eq(send_frames(scene.driver, scene.vehicle, 40), 15);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_DRIVEN), 25);
    stage->now_ms += 1000;
    ck_assert_uint_eq(send_frames(scene.driver, scene.vehicle, 40), 15);
    for (int i = 0, accepted = 0; i < 100; i++) {
        stage->now_ms += 10;
        accepted += (int)send_frames(scene.driver, scene.vehicle, 1);
        ck_assert_int_le(accepted, 32);
        if (i == 99)
            ck_assert_int_ge(accepted, 31);
    }
}
END_TEST

START_TEST(a_syncer_sends_10_and_a_half_frames_a_second)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);

    stage_run(stage, 200);
    ck_assert_uint_eq(send_frames(client, stage_vehicle(stage, CAR), 20), 5);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_SYNCED), 15);
    stage->now_ms += 100;
    ck_assert_uint_eq(send_frames(client, stage_vehicle(stage, CAR), 20), 1);
}
END_TEST

START_TEST(all_vehicles_of_a_sender_share_115_frames_a_second)
{
    struct shard_vehicle cars[20];
    struct stage_client *client;
    uint64_t accepted = 0;

    for (size_t i = 0; i < 20; i++)
        cars[i] = stage_car(411, (double)i, 0);
    stage_free(stage);
    stage = stage_new(cars, 20);
    client = stage_spawn(stage, 2, 2, 0);
    stage_run(stage, 200);
    for (size_t i = 0; i < 20; i++)
        accepted += send_frames(client, stage_vehicle(stage, i), 5);
    ck_assert_uint_eq(accepted, 57);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLES), 43);
}
END_TEST

/* ---- what is rewritten */

START_TEST(values_that_are_the_servers_are_rewritten)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.health = 1500;
    frame.state.health_rev = 9;
    frame.state.siren_rev = 8;
    frame.state.nitro = -0.5f;
    frame.state.hydraulics = 60;
    frame.state.hydraulic_lr = 5;
    frame.state.hydraulic_ud = -5;
    frame.state.rope = 0.5f;
    frame.state.rail = 10;
    frame.state.rail_speed = 1;
    frame.state.track = 2;
    frame.state.turret_yaw = 1;
    frame.state.turret_pitch = 1;
    frame.state.part = 100;
    frame.state.flags = 0xFF;
    state = relayed(&scene, frame);
    ck_assert_float_eq(state.health, 1000);
    ck_assert_uint_eq(state.health_rev, 0);
    ck_assert_uint_eq(state.siren_rev, 0);
    ck_assert_float_eq(state.nitro, 1);
    ck_assert_uint_eq(state.hydraulics, 0);
    ck_assert_int_eq(state.hydraulic_lr, 0);
    ck_assert_int_eq(state.hydraulic_ud, 0);
    ck_assert_float_eq(state.rope, 0);
    ck_assert_float_eq(state.rail, 0);
    ck_assert_float_eq(state.rail_speed, 0);
    ck_assert_uint_eq(state.track, 0);
    ck_assert_float_eq(state.turret_yaw, 0);
    ck_assert_float_eq(state.turret_pitch, 0);
    ck_assert_uint_eq(state.part, 0);
    ck_assert_uint_eq(state.flags, 0x0B); /* handbrake, horn, hop */
}
END_TEST

START_TEST(turrets_and_water_cannons_stay_where_the_model_has_them)
{
    static const struct {
        uint16_t model;
        bool turret, cannon;
    } cases[] = { { 432, true, false }, { 407, true, true }, { 601, true, true }, { 544, false, false } };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;
        struct wire_vehicle_state state;

        scene.vehicle->model = model_find(cases[i].model);
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.flags = 1 << 4;
        frame.state.turret_yaw = 1;
        frame.state.turret_pitch = 0.5f;
        state = relayed(&scene, frame);
        ck_assert_float_eq(state.turret_yaw, cases[i].turret ? 1 : 0);
        ck_assert_float_eq(state.turret_pitch, cases[i].turret ? 0.5f : 0);
        ck_assert_uint_eq(state.flags, cases[i].cannon ? 1 << 4 : 0);
    }
}
END_TEST

START_TEST(a_train_keeps_its_rails)
{
    struct scene scene = scene_of(537);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.rail = 10;
    frame.state.rail_speed = 1.5f;
    frame.state.track = 2;
    state = relayed(&scene, frame);
    ck_assert_float_eq(state.rail, 10);
    ck_assert_float_eq(state.rail_speed, 1.5f);
    ck_assert_uint_eq(state.track, 2);
}
END_TEST

START_TEST(a_frame_only_lowers_the_health)
{
    struct scene scene = scene_of(411);
    static const struct {
        float sent;
        uint16_t rev;
        float after;
    } cases[] = { { 900, 0, 900 }, { 950, 0, 900 }, { 500, 1, 900 },
                  { 899, 0, 899 }, { -5, 0, 0 },    { 10, 0, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

        frame.state.health = cases[i].sent;
        frame.state.health_rev = cases[i].rev;
        ck_assert_float_eq(relayed(&scene, frame).health, cases[i].after);
    }
}
END_TEST

START_TEST(parts_are_clamped_by_the_model)
{
    static const struct {
        uint16_t model, most;
    } cases[] = { { 520, 5000 }, { 525, 20000 }, { 531, 20000 }, { 411, 0 } };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;

        scene.vehicle->model = model_find(cases[i].model);
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.part = 20000;
        ck_assert_uint_eq(relayed(&scene, frame).part, cases[i].most);
        ck_assert_uint_eq(scene.vehicle->part, cases[i].most);
        stage->now_ms += 1000;
    }
}
END_TEST

START_TEST(slow_parts_move_at_the_games_rate_with_half_a_second_of_margin)
{
    static const struct {
        uint16_t model;
        uint16_t from, to;
        uint16_t at_once, after_100_ms, after_a_minute;
    } cases[] = {
        { 406, 0, 2500, 250, 300, 550 },  { 443, 2500, 0, 2250, 2200, 1950 },
        { 486, 0, 20000, 250, 300, 550 }, { 592, 0, 100, 100, 100, 100 },
        { 530, 0, 2500, 250, 300, 550 },  { 530, 2500, 0, 2000, 1900, 1400 },
    };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;

        stage->now_ms += 60000;
        scene.vehicle->model = model_find(cases[i].model);
        scene.vehicle->part = cases[i].from;
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.part = cases[i].to;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].at_once, "case %zu: at once", i);
        stage->now_ms += 100;
        frame.seq = ++scene.driver->vehicle_seq;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].after_100_ms, "case %zu: after 100 ms", i);
        stage->now_ms += 60000;
        frame.seq = ++scene.driver->vehicle_seq;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].after_a_minute, "case %zu: after a minute", i);
    }
}
END_TEST

START_TEST(a_syncers_frame_carries_the_servers_values_and_lets_a_part_catch_up)
{
    struct scene scene = scene_of(406);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.part = 1000;
    ck_assert_uint_eq(relayed(&scene, frame).part, 250);
    pause_player(scene.driver, true);
    ck_assert_uint_eq(scene.vehicle->syncer,
                      world_player_slot(&stage->shard->world, stage_player(stage, scene.watcher)));
    stage->now_ms += 100;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    frame.state.part = 0;
    frame.state.flags = 1 << 2;
    stage_send_frame(stage, scene.watcher, &frame);
    state = take_frame(scene.driver).state;
    ck_assert_uint_eq(state.part, 300);
    ck_assert_uint_eq(state.flags, 0);
}
END_TEST

START_TEST(the_boom_of_a_tow_truck_moves_for_its_syncer)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct stage_client *watcher = stage_spawn(stage, 3, 8, 0);
    struct wire_vehicle_frame frame;

    stage_run(stage, 100);
    stage_vehicle(stage, CAR)->model = model_find(525);
    frame = stage_frame(stage, client, stage_vehicle(stage, CAR));
    frame.state.part = 15000;
    stage_send_frame(stage, client, &frame);
    ck_assert_uint_eq(take_frame(watcher).state.part, 15000);
}
END_TEST

START_TEST(the_siren_is_the_pilots_and_switches_4_times_a_second)
{
    struct scene scene = scene_of(596);
    bool wanted = false;
    unsigned switched = 0;

    for (int i = 0; i < 6; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
        bool before = scene.vehicle->params.siren;

        wanted = !before;
        frame.state.flags = wanted ? 1 << 2 : 0;
        relayed(&scene, frame);
        switched += scene.vehicle->params.siren != before;
    }
    ck_assert_uint_eq(switched, 2);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_SIREN), 4);
    stage->now_ms += 250;

    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 2;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 2);
    stage->now_ms += 1000;
    frame.seq = ++scene.driver->vehicle_seq;
    frame.state.flags = 0;
    frame.state.siren_rev = 1; /* not the current revision */
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 2);
}
END_TEST

START_TEST(a_model_without_a_siren_stays_silent)
{
    struct scene scene = scene_of(432);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 2;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 0);
}
END_TEST

START_TEST(the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it)
{
    struct scene scene = scene_of(497);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 6;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 6);
    pause_player(scene.driver, true);
    stage->now_ms += 200;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    stage_send_frame(stage, scene.watcher, &frame);
    ck_assert_uint_eq(take_frame(scene.driver).state.flags, 1 << 6);
    frame = stage_frame(stage, scene.driver, scene.vehicle); /* a paused pilot's own */
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 6);
    stage_exit(stage, scene.driver, scene.vehicle->id);
    stage->now_ms += 200;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    frame.state.flags = 1 << 6;
    stage_send_frame(stage, scene.watcher, &frame);
    ck_assert_uint_eq(take_frame(scene.driver).state.flags, 0);
}
END_TEST

START_TEST(only_a_police_maverick_has_a_searchlight)
{
    struct scene scene = scene_of(487);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 6;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 0);
}
END_TEST

/* ---- syncers */

static uint16_t slot_of(struct stage_client *client)
{
    return world_player_slot(&stage->shard->world, stage_player(stage, client));
}

static struct wire_vehicle_syncer take_syncer(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_syncer syncer = { .active = 99 };
    struct wire_error error;
    const struct stage_packet *packet;

    while ((packet = stage_take(client, PACKET_VEHICLE_SYNCER)) != NULL) {
        ck_assert(wire_vehicle_syncer_decode(&syncer, packet->bytes, packet->size, &error));
        if (syncer.vehicle_id == vehicle_id)
            return syncer;
    }
    return (struct wire_vehicle_syncer){ .active = 99 };
}

START_TEST(the_nearest_player_within_130_m_is_told_to_sync)
{
    struct stage_client *far = stage_spawn(stage, 2, 130, 0);
    struct stage_client *near;
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(far));
    ck_assert_uint_eq(take_syncer(far, car->id).active, 1);
    near = stage_spawn(stage, 3, 20, 0);
    stage_run(stage, 100);
    /* 130 m is close enough to be chosen, but to stay one must be closer. */
    ck_assert_uint_eq(car->syncer, slot_of(near));
    ck_assert_uint_eq(take_syncer(far, car->id).active, 0);
    ck_assert_uint_eq(take_syncer(near, car->id).active, 1);
}
END_TEST

START_TEST(the_previous_syncer_stays_while_it_is_closer_than_130_m)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    stage_spawn(stage, 3, 5, 0);
    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(first));
    stage_run(stage, 2000);
    stage_walk(stage, first, nextafterf(130, 0), 0);
    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(first));
    stage_walk(stage, first, 130, 0);
    stage_run(stage, 100);
    ck_assert_uint_ne(car->syncer, slot_of(first));
}
END_TEST

START_TEST(nobody_farther_than_130_m_syncs)
{
    struct stage_client *client = stage_spawn(stage, 2, nextafterf(130, 200), 0);

    stage_run(stage, 100);
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, CAR)->id));
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
}
END_TEST

START_TEST(a_driver_ends_the_sync_and_a_passenger_takes_it_over)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *passenger = stage_spawn(stage, 3, 10, 0);
    struct stage_client *near = stage_spawn(stage, 4, 1, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    stage_enter(stage, driver, car->id, 0);
    ck_assert_uint_eq(car->syncer, SLOT_NONE);
    stage_enter(stage, passenger, car->id, 1);
    stage_forget(stage);
    stage_exit(stage, driver, car->id);
    ck_assert_uint_eq(car->syncer, slot_of(passenger));
    ck_assert_uint_eq(take_syncer(passenger, car->id).active, 1);
    stage_exit(stage, passenger, car->id);
    ck_assert_uint_eq(car->syncer, slot_of(passenger)); /* the previous one */
    stage_enter(stage, near, car->id, 0);
    ck_assert_uint_eq(take_syncer(passenger, car->id).active, 0);
}
END_TEST

START_TEST(a_paused_driver_does_not_count_and_takes_over_after_the_pause)
{
    struct scene scene = scene_of(411);

    pause_player(scene.driver, true);
    ck_assert_uint_eq(scene.vehicle->syncer, slot_of(scene.watcher));
    ck_assert_uint_eq(take_syncer(scene.watcher, scene.vehicle->id).active, 1);
    ck_assert_uint_eq(send_frames(scene.watcher, scene.vehicle, 1), 1);
    ck_assert_uint_eq(send_frames(scene.driver, scene.vehicle, 1), 1); /* by the letter */
    pause_player(scene.driver, false);
    ck_assert_uint_eq(scene.vehicle->syncer, SLOT_NONE);
    ck_assert_uint_eq(take_syncer(scene.watcher, scene.vehicle->id).active, 0);
    ck_assert_uint_eq(send_frames(scene.watcher, scene.vehicle, 1), 0);
}
END_TEST

START_TEST(the_paused_and_the_dead_never_sync)
{
    struct stage_client *paused = stage_spawn(stage, 2, 1, 0);
    struct stage_client *dead = stage_spawn(stage, 3, 2, 0);

    stage_run(stage, 100);
    pause_player(paused, true);
    stage_die(stage, dead);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
    ck_assert_uint_eq(send_frames(dead, stage_vehicle(stage, CAR), 1), 0);
    pause_player(paused, false);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, slot_of(paused));
}
END_TEST

START_TEST(a_syncer_that_loses_sight_of_the_vehicle_is_told_before_the_hide)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct place away = { .pos = { 3000, 0, 10 } };

    stage_run(stage, 100);
    stage_forget(stage);
    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &away);
    stage_pump(stage);
    ck_assert_uint_eq(take_syncer(client, stage_vehicle(stage, CAR)->id).active, 0);
    ck_assert_uint_lt(stage_order(client, PACKET_VEHICLE_SYNCER), stage_order(client, PACKET_VEHICLE_SYNC));
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
}
END_TEST

/* A stricter rule elsewhere left cars without a syncer under the map for ever. */
START_TEST(a_vehicle_that_fell_out_of_everyones_reach_is_put_back)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);
    struct wire_vehicle_frame frame;
    struct wire_vehicle_sync show;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_run(stage, 100);
    frame = stage_frame(stage, client, car);
    frame.state.pos[2] = -199;
    frame.state.move_speed[2] = -1;
    stage_send_frame(stage, client, &frame);
    stage_forget(stage);
    stage_run(stage, 200);
    ck_assert_float_eq(car->pos[2], 10);
    ck_assert_float_eq(car->move_speed[2], 0);
    ck_assert_uint_eq(car->pose_rev, 1);
    packet = stage_take(client, PACKET_VEHICLE_SYNC); /* hidden: it was out of range */
    ck_assert_ptr_nonnull(packet);
    packet = stage_take(client, PACKET_VEHICLE_SYNC);
    ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(show.active, 1);
    ck_assert_float_eq(show.z, 10);
    ck_assert_uint_eq(show.pose_rev, 1);
    ck_assert_uint_eq(car->syncer, slot_of(client));
    frame.seq = ++client->vehicle_seq; /* what its copy still sent does not take it back */
    frame_is_refused(client, &frame, REASON_OLD_POSE_REV);
}
END_TEST

/* ---- shows */

static struct wire_vehicle_sync take_show(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_sync show = { 0 };
    struct wire_error error;
    const struct stage_packet *packet;

    while ((packet = stage_take(client, PACKET_VEHICLE_SYNC)) != NULL) {
        ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
        if (show.vehicle_id == vehicle_id)
            return show;
    }
    ck_abort_msg("no show of vehicle %u", vehicle_id);
}

START_TEST(a_show_carries_the_vehicle_as_it_is)
{
    struct scene scene = scene_of(596);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_sync show;
    struct stage_client *late;

    frame.state.pos[0] = 6;
    frame.state.health = 800;
    frame.state.flags = 1 << 2;
    stage_send_frame(stage, scene.driver, &frame);
    scene.vehicle->params.engine = true;
    late = stage_spawn(stage, 5, 20, 0);
    show = take_show(late, scene.vehicle->id);
    ck_assert_uint_eq(show.active, 1);
    ck_assert_uint_eq(show.model, 596);
    ck_assert_float_eq(show.x, 6);
    ck_assert_float_eq_tol(show.heading, 90, 0.01f);
    ck_assert_uint_eq(show.color1, 1);
    ck_assert_uint_eq(show.color2, 2);
    ck_assert_float_eq(show.health, 800);
    ck_assert_uint_eq(show.flags, 0);
    ck_assert_uint_eq(show.relay_seq, 1);
    ck_assert_uint_eq(show.params, 1 | 1 << 6 | 1 << 8);
    ck_assert_uint_eq(show.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(show.lifter_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_TRANSFORM), 0);
}
END_TEST

START_TEST(a_show_is_followed_by_who_sits_there)
{
    struct scene scene = scene_of(411);
    struct stage_client *late;
    struct wire_vehicle_occupancy seated;

    stage_enter(stage, scene.watcher, scene.vehicle->id, 1);
    late = stage_spawn(stage, 5, 20, 0);
    seated = take_occupancy(late);
    ck_assert_uint_eq(seated.kind, KIND_WARP);
    ck_assert_uint_eq(seated.seat, 0);
    ck_assert_uint_eq(seated.player_id, scene.driver->id);
    seated = take_occupancy(late);
    ck_assert_uint_eq(seated.kind, KIND_WARP);
    ck_assert_uint_eq(seated.seat, 1);
    ck_assert_uint_eq(seated.player_id, scene.watcher->id);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

START_TEST(a_vehicle_that_does_not_stand_level_is_shown_with_its_rotation)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_transform transform;
    struct wire_error error;
    const struct stage_packet *packet;
    struct stage_client *late;

    frame.state.rot[0] = 0;
    frame.state.rot[1] = 1; /* on its roof */
    frame.state.rot[2] = 0;
    frame.state.rot[3] = 0;
    stage_send_frame(stage, scene.driver, &frame);
    late = stage_spawn(stage, 5, 20, 0);
    packet = stage_take(late, PACKET_VEHICLE_TRANSFORM);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_transform_decode(&transform, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(transform.flags, 2);
    ck_assert_float_eq(transform.rot[1], 1);
    ck_assert_uint_eq(transform.relay_seq, 1);
    ck_assert_uint_eq(transform.pose_rev, 0);
}
END_TEST

START_TEST(a_hide_is_zeros_but_for_the_id)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct place away = { .pos = { 3000, 0, 10 } };
    struct wire_vehicle_sync expected = { .vehicle_id = stage_vehicle(stage, CAR)->id };
    struct wire_vehicle_sync hide;

    stage_run(stage, 100);
    stage_forget(stage);
    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &away);
    stage_pump(stage);
    hide = take_show(client, expected.vehicle_id);
    ck_assert_mem_eq(&hide, &expected, offsetof(struct wire_vehicle_sync, damage));
    ck_assert_uint_eq(hide.tractor_id, 0);
    ck_assert_uint_eq(hide.relay_seq, 0);
}
END_TEST

Suite *shard_vehicle_suite(void)
{
    Suite *suite = suite_create("shard_vehicle");
    TCase *tcase = tcase_create("vehicles");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_entry_is_told_to_everyone_the_vehicle_is_streamed_to);
    tcase_add_test(tcase, each_condition_of_an_entry_is_a_deny_to_the_sender_alone);
    tcase_add_test(tcase, who_has_not_spawned_is_denied);
    tcase_add_test(tcase, an_entry_is_allowed_from_15_m_and_a_carriage_adds_25_each);
    tcase_add_test(tcase, who_sits_in_another_vehicle_is_denied);
    tcase_add_test(tcase, another_seat_of_the_same_vehicle_is_taken_after_leaving_the_first);
    tcase_add_test(tcase, a_jacker_takes_the_wheel_from_the_driver);
    tcase_add_test(tcase, nobody_jacks_when_jacking_is_off);
    tcase_add_test(tcase, a_passenger_is_nobodys_to_jack);
    tcase_add_test(tcase, an_exit_counts_only_for_the_vehicle_one_sits_in);
    tcase_add_test(tcase, a_death_frees_the_seat);
    tcase_add_test(tcase, a_disconnect_frees_the_seat_without_a_word);
    tcase_add_test(tcase, a_seated_player_leaves_its_seat_before_a_teleport);
    tcase_add_test(tcase, vehicle_events_share_a_limit_of_30_and_15_a_second);
    tcase_add_test(tcase, a_seated_player_must_be_within_60_m_of_its_vehicle);
    tcase_add_test(tcase, a_drivers_frame_moves_the_vehicle_and_goes_to_everyone_else);
    tcase_add_test(tcase, the_relay_serial_wraps);
    tcase_add_test(tcase, each_condition_of_a_frame_refuses_it_silently);
    tcase_add_test(tcase, each_bound_of_the_state_is_accepted_at_it_and_refused_past_it);
    tcase_add_test(tcase, the_whole_numbers_of_the_state_have_their_bounds);
    tcase_add_test(tcase, vectors_are_bounded_by_their_length);
    tcase_add_test(tcase, the_seq_mark_is_kept_by_vehicle_and_survives_a_change_of_control);
    tcase_add_test(tcase, a_mark_that_had_to_go_still_keeps_stragglers_out);
    tcase_add_test(tcase, a_driver_sends_31_frames_a_second_with_half_a_second_of_burst);
    tcase_add_test(tcase, a_syncer_sends_10_and_a_half_frames_a_second);
    tcase_add_test(tcase, all_vehicles_of_a_sender_share_115_frames_a_second);
    tcase_add_test(tcase, values_that_are_the_servers_are_rewritten);
    tcase_add_test(tcase, turrets_and_water_cannons_stay_where_the_model_has_them);
    tcase_add_test(tcase, a_train_keeps_its_rails);
    tcase_add_test(tcase, a_frame_only_lowers_the_health);
    tcase_add_test(tcase, parts_are_clamped_by_the_model);
    tcase_add_test(tcase, slow_parts_move_at_the_games_rate_with_half_a_second_of_margin);
    tcase_add_test(tcase, a_syncers_frame_carries_the_servers_values_and_lets_a_part_catch_up);
    tcase_add_test(tcase, the_boom_of_a_tow_truck_moves_for_its_syncer);
    tcase_add_test(tcase, the_siren_is_the_pilots_and_switches_4_times_a_second);
    tcase_add_test(tcase, a_model_without_a_siren_stays_silent);
    tcase_add_test(tcase, the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it);
    tcase_add_test(tcase, only_a_police_maverick_has_a_searchlight);
    tcase_add_test(tcase, the_nearest_player_within_130_m_is_told_to_sync);
    tcase_add_test(tcase, the_previous_syncer_stays_while_it_is_closer_than_130_m);
    tcase_add_test(tcase, nobody_farther_than_130_m_syncs);
    tcase_add_test(tcase, a_driver_ends_the_sync_and_a_passenger_takes_it_over);
    tcase_add_test(tcase, a_paused_driver_does_not_count_and_takes_over_after_the_pause);
    tcase_add_test(tcase, the_paused_and_the_dead_never_sync);
    tcase_add_test(tcase, a_syncer_that_loses_sight_of_the_vehicle_is_told_before_the_hide);
    tcase_add_test(tcase, a_vehicle_that_fell_out_of_everyones_reach_is_put_back);
    tcase_add_test(tcase, a_show_carries_the_vehicle_as_it_is);
    tcase_add_test(tcase, a_show_is_followed_by_who_sits_there);
    tcase_add_test(tcase, a_vehicle_that_does_not_stand_level_is_shown_with_its_rotation);
    tcase_add_test(tcase, a_hide_is_zeros_but_for_the_id);
    suite_add_tcase(suite, tcase);
    return suite;
}
