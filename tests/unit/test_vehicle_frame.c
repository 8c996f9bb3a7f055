#include <math.h>
#include <string.h>

#include "shard/vehicle_frame.h"
#include "shard/vehicle_remote.h"
#include "tests/unit/seats.h"
#include "tests/unit/suites.h"

static struct seats seats;

/* A driver in a car, and somebody who watches. */
static void setup(void)
{
    seats_open(&seats);
    seats_drive(&seats);
}

static void teardown(void)
{
    seats_close(&seats);
}

static struct wire_vehicle_frame frame_of(struct stage_client *client)
{
    return stage_frame(seats.stage, client, seats.car);
}

static bool accepts(struct stage_client *client, const struct wire_vehicle_frame *frame)
{
    uint64_t before = shard_stats(seats.stage->shard)->frames_accepted;

    stage_send_frame(seats.stage, client, frame);
    return shard_stats(seats.stage->shard)->frames_accepted == before + 1;
}

static void refuses(struct stage_client *client, const struct wire_vehicle_frame *frame, enum reason why)
{
    uint64_t counted = stage_reason(seats.stage, why);

    ck_assert_msg(!accepts(client, frame), "accepted, not refused: %s", reason_name(why));
    ck_assert_msg(stage_reason(seats.stage, why) == counted + 1, "not counted under %s", reason_name(why));
}

static uint64_t send_frames(struct stage_client *client, const struct vehicle *vehicle, int count)
{
    uint64_t accepted = 0;

    for (int i = 0; i < count; i++) {
        struct wire_vehicle_frame frame = stage_frame(seats.stage, client, vehicle);

        accepted += accepts(client, &frame);
    }
    return accepted;
}

static uint16_t slot_of(const struct stage_client *client)
{
    return world_player_slot(&seats.stage->shard->world, stage_player(seats.stage, client));
}

/* The driver gets out; the client is the car's syncer. */
static void syncs(struct stage_client *client)
{
    stage_exit(seats.stage, seats.driver, seats.car->id);
    seats.car->syncer = slot_of(client);
    stage_forget(seats.stage);
}

/* ---- who may */

START_TEST(v_frame_1_the_player_in_seat_zero_is_accepted_and_a_passenger_is_not)
{
    struct wire_vehicle_frame frame;

    stage_enter(seats.stage, seats.watcher, seats.car->id, 1);
    frame = frame_of(seats.driver);
    ck_assert(accepts(seats.driver, &frame));
    frame = frame_of(seats.watcher);
    refuses(seats.watcher, &frame, REASON_NOT_CONTROLLING);
}
END_TEST

START_TEST(v_frame_1_a_vehicle_that_is_not_there_is_nobodys)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.vehicle_id = 999999;
    refuses(seats.driver, &frame, REASON_NO_VEHICLE);
}
END_TEST

START_TEST(v_frame_2_the_syncer_of_an_empty_vehicle_is_accepted_and_nobody_else)
{
    struct wire_vehicle_frame frame;

    syncs(seats.watcher);
    frame = frame_of(seats.watcher);
    ck_assert(accepts(seats.watcher, &frame));
    frame = frame_of(seats.driver);
    refuses(seats.driver, &frame, REASON_NOT_CONTROLLING);
}
END_TEST

START_TEST(v_frame_2_while_the_driver_is_paused_its_syncer_is_accepted)
{
    struct wire_vehicle_frame frame;

    seats_pause(&seats, seats.driver, true);
    ck_assert_uint_eq(seats.car->syncer, slot_of(seats.watcher));
    frame = frame_of(seats.watcher);
    ck_assert(accepts(seats.watcher, &frame));
    seats_pause(&seats, seats.driver, false);
    frame = frame_of(seats.watcher);
    refuses(seats.watcher, &frame, REASON_NOT_CONTROLLING);
    frame = frame_of(seats.driver);
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_3_a_dead_syncer_is_refused)
{
    struct wire_vehicle_frame frame;

    syncs(seats.watcher);
    stage_player(seats.stage, seats.watcher)->state = LIFE_DEAD;
    frame = frame_of(seats.watcher);
    refuses(seats.watcher, &frame, REASON_NOT_CONTROLLING);
    stage_player(seats.stage, seats.watcher)->state = LIFE_ALIVE;
    frame = frame_of(seats.watcher);
    ck_assert(accepts(seats.watcher, &frame));
}
END_TEST

/* ---- revisions and counters */

START_TEST(v_frame_4_a_frame_of_another_epoch_is_dropped)
{
    struct wire_vehicle_frame frame;

    seats.car->epoch = 7;
    frame = frame_of(seats.driver);
    frame.state.epoch = 6;
    refuses(seats.driver, &frame, REASON_OLD_EPOCH);
    frame.state.epoch = 8;
    refuses(seats.driver, &frame, REASON_OLD_EPOCH);
    frame.state.epoch = 7;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_4_the_epoch_wraps)
{
    struct wire_vehicle_frame before;

    seats.car->epoch = UINT8_MAX;
    before = frame_of(seats.driver);
    seats.car->epoch++;
    refuses(seats.driver, &before, REASON_OLD_EPOCH);
    before.state.epoch = 0;
    ck_assert(accepts(seats.driver, &before));
}
END_TEST

START_TEST(v_frame_5_a_frame_from_before_a_transform_is_dropped)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    seats.car->pose_rev++;
    refuses(seats.driver, &frame, REASON_OLD_POSE_REV);
    frame.state.pose_rev = 2;
    refuses(seats.driver, &frame, REASON_OLD_POSE_REV);
    frame.state.pose_rev = 1;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_5_the_pose_revision_wraps)
{
    struct wire_vehicle_frame frame;

    seats.car->pose_rev = UINT16_MAX;
    frame = frame_of(seats.driver);
    seats.car->pose_rev++;
    refuses(seats.driver, &frame, REASON_OLD_POSE_REV);
    frame.state.pose_rev = 0;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_6_a_repeated_or_older_frame_is_dropped)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = 100;
    ck_assert(accepts(seats.driver, &frame));
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 99;
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 101;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_6_newer_is_ahead_by_less_than_half_the_circle)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = 100;
    ck_assert(accepts(seats.driver, &frame));
    frame.seq = 100 + (UINT32_C(1) << 31);
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 99 + (UINT32_C(1) << 31);
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_6_the_counter_wraps)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = UINT32_MAX;
    ck_assert(accepts(seats.driver, &frame));
    frame.seq = 0;
    ck_assert(accepts(seats.driver, &frame));
    frame.seq = UINT32_MAX;
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
}
END_TEST

START_TEST(v_frame_6_a_refused_frame_moves_no_mark)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = 100;
    frame.state.gas = 5;
    refuses(seats.driver, &frame, REASON_OUT_OF_BOUNDS);
    frame.seq = 50;
    frame.state.gas = 0;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_7_gaps_in_the_counter_are_normal)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    for (uint32_t seq = 1; seq < 1000000; seq *= 10) {
        frame.seq = seq;
        ck_assert(accepts(seats.driver, &frame));
    }
}
END_TEST

START_TEST(v_frame_8_each_vehicle_of_a_connection_has_its_own_mark)
{
    struct vehicle *other = seats_vehicle(&seats, SEATS_OTHER_CAR);
    struct wire_vehicle_frame synced = stage_frame(seats.stage, seats.driver, other);
    struct wire_vehicle_frame driven = frame_of(seats.driver);

    other->syncer = slot_of(seats.driver);
    synced.seq = 200;
    ck_assert(accepts(seats.driver, &synced));
    driven.seq = 100; /* overtaken on the way, and of another vehicle */
    ck_assert(accepts(seats.driver, &driven));
}
END_TEST

START_TEST(v_frame_8_each_connection_has_its_own_mark)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = 5000;
    ck_assert(accepts(seats.driver, &frame));
    syncs(seats.watcher);
    frame.seq = 1;
    ck_assert(accepts(seats.watcher, &frame));
}
END_TEST

START_TEST(v_frame_8_the_mark_survives_a_change_of_controller)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = UINT32_MAX;
    ck_assert(accepts(seats.driver, &frame));
    frame.seq = 1;
    ck_assert(accepts(seats.driver, &frame));
    stage_exit(seats.stage, seats.driver, seats.car->id);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    stage_exit(seats.stage, seats.watcher, seats.car->id);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = UINT32_MAX;
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 2;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_8_a_mark_that_had_to_go_still_keeps_stragglers_out)
{
    struct player *player = stage_player(seats.stage, seats.driver);
    struct vehicle *other = seats_vehicle(&seats, SEATS_OTHER_CAR);
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    struct wire_vehicle_frame synced = stage_frame(seats.stage, seats.driver, other);

    frame.seq = 100;
    ck_assert(accepts(seats.driver, &frame));
    for (uint8_t i = 0; i < PLAYER_MARKS - 1; i++)
        player->marks[i + 1] = (struct frame_mark){ .vehicle_id = 10000U + i, .seq = 200U + i };
    player->marks_count = PLAYER_MARKS;
    other->syncer = slot_of(seats.driver);
    synced.seq = 300;
    ck_assert(accepts(seats.driver, &synced));
    ck_assert_uint_eq(player->old_marks_seq, 100);
    refuses(seats.driver, &frame, REASON_OLD_SEQ);
    frame.seq = 301;
    ck_assert(accepts(seats.driver, &frame));
}
END_TEST

START_TEST(v_frame_9_a_value_out_of_bounds_drops_the_frame)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.state.pos[0] = nextafterf(6000, INFINITY);
    refuses(seats.driver, &frame, REASON_OUT_OF_BOUNDS);
    ck_assert_float_eq(seats.car->pos[0], 0);
}
END_TEST

#define FLOAT(field) offsetof(struct wire_vehicle_state, field)

START_TEST(v_frame_10_a_nan_or_an_infinity_in_any_float_fails_the_decode)
{
    static const size_t floats[] = {
        FLOAT(pos[0]),        FLOAT(pos[1]),        FLOAT(pos[2]),        FLOAT(rot[0]),
        FLOAT(rot[1]),        FLOAT(rot[2]),        FLOAT(rot[3]),        FLOAT(move_speed[0]),
        FLOAT(move_speed[1]), FLOAT(move_speed[2]), FLOAT(turn_speed[0]), FLOAT(turn_speed[1]),
        FLOAT(turn_speed[2]), FLOAT(raw_steer),     FLOAT(steer),         FLOAT(gas),
        FLOAT(brake),         FLOAT(health),        FLOAT(lean),          FLOAT(lean_angle),
        FLOAT(pedal),         FLOAT(hop),           FLOAT(yaw),           FLOAT(pitch),
        FLOAT(roll),          FLOAT(throttle),      FLOAT(rotor),         FLOAT(turret_yaw),
        FLOAT(turret_pitch),  FLOAT(rail),          FLOAT(rail_speed),    FLOAT(rope),
        FLOAT(nitro),
    };
    static const float values[] = { NAN, INFINITY, -INFINITY };

    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        for (size_t j = 0; j < 3; j++) {
            struct wire_vehicle_frame frame = frame_of(seats.driver);

            memcpy((char *)&frame.state + floats[i], &values[j], sizeof(float));
            refuses(seats.driver, &frame, REASON_MALFORMED_NOT_FINITE);
        }
}
END_TEST

START_TEST(v_frame_11_a_rejected_frame_is_dropped_silently)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.state.epoch++;
    refuses(seats.driver, &frame, REASON_OLD_EPOCH);
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        ck_assert_uint_eq(seats.stage->clients[i].log_count, 0);
    ck_assert_uint_eq(seats.car->relay_seq, 0);
}
END_TEST

/* The watcher drives the RC of the scene remotely. */
static struct vehicle *drive_remotely(void)
{
    struct vehicle *rc = seats_vehicle(&seats, SEATS_RC);

    ck_assert_uint_eq(
        vehicle_set_remote(seats.stage->shard, stage_player(seats.stage, seats.watcher), rc, false),
        REASON_NONE);
    seats_handled(&seats);
    stage_forget(seats.stage);
    return rc;
}

START_TEST(v_frame_12_an_rc_is_framed_by_who_drives_it_remotely)
{
    struct vehicle *rc = drive_remotely();
    struct wire_vehicle_frame frame = stage_frame(seats.stage, seats.watcher, rc);

    ck_assert_uint_eq(rc->syncer, slot_of(seats.watcher));
    frame.state.pos[0] = 3;
    ck_assert(accepts(seats.watcher, &frame));
    ck_assert_float_eq(rc->pos[0], 3);
    ck_assert_uint_eq(seats_take_frame(seats.driver).source_id, seats.watcher->id);
    frame = stage_frame(seats.stage, seats.driver, rc);
    refuses(seats.driver, &frame, REASON_NOT_CONTROLLING);
}
END_TEST

START_TEST(v_rate_1_so_does_who_drives_an_rc)
{
    struct vehicle *rc = drive_remotely();

    ck_assert_uint_eq(send_frames(seats.watcher, rc, 40), 15);
}
END_TEST

/* ---- bounds */

static enum reason verdict(const struct wire_vehicle_frame *frame)
{
    return vehicle_frame_check(seats.car, CONTROL_PILOT, stage_player(seats.stage, seats.driver), frame);
}

/* Accepted at the value, refused at the next float beyond it. */
static void bound_is(size_t offset, float at, float toward)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    float beyond = nextafterf(at, toward);

    memcpy((char *)&frame.state + offset, &at, sizeof at);
    ck_assert_uint_eq(verdict(&frame), REASON_NONE);
    memcpy((char *)&frame.state + offset, &beyond, sizeof beyond);
    ck_assert_uint_eq(verdict(&frame), REASON_OUT_OF_BOUNDS);
}

static void magnitude_is(size_t offset, float most)
{
    bound_is(offset, most, INFINITY);
    bound_is(offset, -most, -INFINITY);
}

static void range_is(size_t offset, float low, float high)
{
    bound_is(offset, low, -INFINITY);
    bound_is(offset, high, INFINITY);
}

#define PI_F 3.14159265358979323846f

START_TEST(v_bound_1_the_world_ends_at_six_thousand)
{
    magnitude_is(FLOAT(pos[0]), 6000);
    magnitude_is(FLOAT(pos[1]), 6000);
}
END_TEST

START_TEST(v_bound_2_its_height)
{
    range_is(FLOAT(pos[2]), -200, 4000);
}
END_TEST

START_TEST(v_bound_3_a_rotation_is_about_of_length_one)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    memset(frame.state.rot, 0, sizeof frame.state.rot);
    refuses(seats.driver, &frame, REASON_OUT_OF_BOUNDS);
    for (int axis = 0; axis < 4; axis++) {
        float *value = &frame.state.rot[axis];

        memset(frame.state.rot, 0, sizeof frame.state.rot);
        *value = 1.1f;
        ck_assert_uint_eq(verdict(&frame), REASON_NONE);
        *value = nextafterf(1.1f, 2);
        ck_assert_uint_eq(verdict(&frame), REASON_OUT_OF_BOUNDS);
        *value = 0.9f;
        ck_assert_uint_eq(verdict(&frame), REASON_NONE);
        *value = nextafterf(0.9f, 0);
        ck_assert_uint_eq(verdict(&frame), REASON_OUT_OF_BOUNDS);
    }
}
END_TEST

START_TEST(v_bound_4_the_velocity_is_bounded_by_its_length)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    for (int axis = 0; axis < 3; axis++)
        magnitude_is(FLOAT(move_speed) + (size_t)axis * sizeof(float), 5);
    frame.state.move_speed[0] = 3;
    frame.state.move_speed[1] = 4;
    ck_assert_uint_eq(verdict(&frame), REASON_NONE);
    frame.state.move_speed[1] = nextafterf(4, 5);
    ck_assert_uint_eq(verdict(&frame), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_bound_5_the_angular_velocity_is_bounded_by_its_length)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    for (int axis = 0; axis < 3; axis++)
        magnitude_is(FLOAT(turn_speed) + (size_t)axis * sizeof(float), 1);
    frame.state.turn_speed[0] = 0.8f;
    frame.state.turn_speed[2] = 0.59f;
    ck_assert_uint_eq(verdict(&frame), REASON_NONE);
    frame.state.turn_speed[2] = 0.61f;
    ck_assert_uint_eq(verdict(&frame), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_bound_6_raw_steer)
{
    magnitude_is(FLOAT(raw_steer), 1.01f);
}
END_TEST

START_TEST(v_bound_7_gas)
{
    magnitude_is(FLOAT(gas), 1.01f);
}
END_TEST

START_TEST(v_bound_8_steer)
{
    magnitude_is(FLOAT(steer), PI_F / 2);
}
END_TEST

START_TEST(v_bound_9_brake)
{
    range_is(FLOAT(brake), 0, 1.01f);
}
END_TEST

START_TEST(v_bound_10_health)
{
    magnitude_is(FLOAT(health), 100000);
}
END_TEST

START_TEST(v_bound_11_lean)
{
    magnitude_is(FLOAT(lean), 1.01f);
}
END_TEST

START_TEST(v_bound_12_lean_angle)
{
    magnitude_is(FLOAT(lean_angle), PI_F / 2);
}
END_TEST

START_TEST(v_bound_13_pedal)
{
    range_is(FLOAT(pedal), 0, 100);
}
END_TEST

START_TEST(v_bound_14_hop)
{
    range_is(FLOAT(hop), 0, 25);
}
END_TEST

START_TEST(v_bound_15_flight_controls)
{
    magnitude_is(FLOAT(yaw), 2);
    magnitude_is(FLOAT(pitch), 2);
    magnitude_is(FLOAT(roll), 2);
    magnitude_is(FLOAT(throttle), 2);
}
END_TEST

START_TEST(v_bound_16_rotor)
{
    range_is(FLOAT(rotor), 0, 2);
}
END_TEST

START_TEST(v_bound_17_turret_yaw)
{
    magnitude_is(FLOAT(turret_yaw), PI_F + 0.01f);
}
END_TEST

START_TEST(v_bound_18_turret_pitch)
{
    magnitude_is(FLOAT(turret_pitch), PI_F / 2);
}
END_TEST

/* Of a whole number: the verdict on that value. */
#define WHOLE_IS(field, value, reason)                            \
    do {                                                          \
        struct wire_vehicle_frame whole = frame_of(seats.driver); \
        whole.state.field = (value);                              \
        ck_assert_uint_eq(verdict(&whole), reason);               \
    } while (0)

START_TEST(v_bound_19_part)
{
    WHOLE_IS(part, 20000, REASON_NONE);
    WHOLE_IS(part, 20001, REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_bound_20_rail)
{
    range_is(FLOAT(rail), 0, 100000);
}
END_TEST

START_TEST(v_bound_21_rail_speed)
{
    magnitude_is(FLOAT(rail_speed), 4);
}
END_TEST

START_TEST(v_bound_22_track)
{
    WHOLE_IS(track, 3, REASON_NONE);
    WHOLE_IS(track, 4, REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_bound_23_rope)
{
    range_is(FLOAT(rope), 0, 1);
}
END_TEST

START_TEST(v_bound_24_nitro)
{
    magnitude_is(FLOAT(nitro), 1.01f);
}
END_TEST

START_TEST(v_bound_25_hydraulics)
{
    WHOLE_IS(hydraulics, 0, REASON_NONE);
    WHOLE_IS(hydraulics, 60, REASON_NONE);
    WHOLE_IS(hydraulics, 61, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulics, 499, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulics, 500, REASON_NONE);
    WHOLE_IS(hydraulics, 504, REASON_NONE);
    WHOLE_IS(hydraulics, 505, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulics, UINT16_MAX, REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_bound_26_the_axes_of_hydraulics)
{
    WHOLE_IS(hydraulic_lr, 128, REASON_NONE);
    WHOLE_IS(hydraulic_lr, 129, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulic_lr, -128, REASON_NONE);
    WHOLE_IS(hydraulic_lr, -129, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulic_ud, 128, REASON_NONE);
    WHOLE_IS(hydraulic_ud, 129, REASON_OUT_OF_BOUNDS);
    WHOLE_IS(hydraulic_ud, -128, REASON_NONE);
    WHOLE_IS(hydraulic_ud, -129, REASON_OUT_OF_BOUNDS);
}
END_TEST

/* ---- what an accepted frame changes */

START_TEST(v_state_1_it_sets_position_rotation_and_velocities)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.state.pos[0] = 7;
    frame.state.rot[2] = 0;
    frame.state.rot[3] = 1;
    frame.state.move_speed[1] = 0.5f;
    frame.state.turn_speed[2] = 0.25f;
    ck_assert(accepts(seats.driver, &frame));
    ck_assert_float_eq(seats.car->pos[0], 7);
    ck_assert_float_eq(seats.car->rot[2], 0);
    ck_assert_float_eq(seats.car->rot[3], 1);
    ck_assert_float_eq(seats.car->move_speed[1], 0.5f);
    ck_assert_float_eq(seats.car->turn_speed[2], 0.25f);
}
END_TEST

START_TEST(v_state_1_streaming_goes_by_that_position)
{
    struct stage_client *far = stage_spawn(seats.stage, 5, 205, 0);
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    ck_assert(!stage_sees_vehicle(far, seats.car->id));
    frame.state.pos[0] = 6;
    ck_assert(accepts(seats.driver, &frame));
    stage_run(seats.stage, 100);
    ck_assert(stage_sees_vehicle(far, seats.car->id));
}
END_TEST

START_TEST(v_state_2_a_frozen_vehicle_stays_where_it_is)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    struct wire_vehicle_state relayed;

    seats.car->frozen = true;
    frame.state.pos[0] = 7;
    frame.state.rot[2] = 0;
    frame.state.rot[3] = 1;
    frame.state.move_speed[0] = 1;
    frame.state.turn_speed[0] = 0.5f;
    frame.state.gas = 1;
    ck_assert(accepts(seats.driver, &frame));
    ck_assert_float_eq(seats.car->pos[0], 0);
    ck_assert_float_eq(seats.car->move_speed[0], 0);
    relayed = seats_take_frame(seats.watcher).state;
    ck_assert_mem_eq(relayed.pos, seats.car->pos, sizeof relayed.pos);
    ck_assert_mem_eq(relayed.rot, seats.car->rot, sizeof relayed.rot);
    for (int axis = 0; axis < 3; axis++) {
        ck_assert_float_eq(relayed.move_speed[axis], 0);
        ck_assert_float_eq(relayed.turn_speed[axis], 0);
    }
    ck_assert_float_eq(relayed.gas, 1); /* the rest is relayed as ever */
}
END_TEST

/* The health after a frame with that one, of that revision. */
static float health_after(float sent, uint16_t rev)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.state.health = sent;
    frame.state.health_rev = rev;
    ck_assert(accepts(seats.driver, &frame));
    ck_assert_float_eq(seats_take_frame(seats.watcher).state.health, seats.car->health.value);
    return seats.car->health.value;
}

START_TEST(v_state_3_a_frame_lowers_the_health_and_never_raises_it)
{
    ck_assert_float_eq(health_after(900, 0), 900);
    ck_assert_float_eq(health_after(nextafterf(900, 1000), 0), 900);
    ck_assert_float_eq(health_after(nextafterf(900, 0), 0), nextafterf(900, 0));
    ck_assert_float_eq(health_after(-5, 0), 0);
    ck_assert_float_eq(health_after(10, 0), 0);
}
END_TEST

START_TEST(v_state_4_the_health_of_a_wreck_stays)
{
    seats.car->health.value = 300;
    seats.car->wrecked = true;
    ck_assert_float_eq(health_after(200, 0), 300);
}
END_TEST

START_TEST(v_state_5_only_a_copy_that_took_the_last_command_lowers_it)
{
    seats.car->health.rev = UINT16_MAX;
    ck_assert_float_eq(health_after(900, UINT16_MAX), 900);
    seats.car->health.rev++; /* across the wrap */
    ck_assert_float_eq(health_after(800, UINT16_MAX), 900);
    ck_assert_float_eq(health_after(800, 1), 900);
    ck_assert_float_eq(health_after(800, 0), 800);
}
END_TEST

/* ---- rates */

START_TEST(v_rate_1_a_driver_sends_thirty_one_a_second)
{
    uint64_t accepted = 0;

    send_frames(seats.driver, seats.car, 20);
    for (int i = 0; i < 1000; i++) {
        seats.stage->now_ms += 10;
        accepted += send_frames(seats.driver, seats.car, 1);
    }
    ck_assert_uint_ge(accepted, 309);
    ck_assert_uint_le(accepted, 311);
}
END_TEST

START_TEST(v_rate_2_a_syncer_sends_ten_and_a_half_a_second)
{
    uint64_t accepted = 0;

    syncs(seats.watcher);
    send_frames(seats.watcher, seats.car, 20);
    for (int i = 0; i < 1000; i++) {
        seats.stage->now_ms += 10;
        accepted += send_frames(seats.watcher, seats.car, 1);
    }
    ck_assert_uint_ge(accepted, 104);
    ck_assert_uint_le(accepted, 106);
}
END_TEST

START_TEST(v_rate_2_each_synced_vehicle_has_that_rate)
{
    struct vehicle *other = seats_vehicle(&seats, SEATS_OTHER_CAR);

    syncs(seats.watcher);
    other->syncer = slot_of(seats.watcher);
    ck_assert_uint_eq(send_frames(seats.watcher, seats.car, 20), 5);
    ck_assert_uint_eq(send_frames(seats.watcher, other, 20), 5);
}
END_TEST

START_TEST(v_rate_3_all_vehicles_of_a_connection_share_one_hundred_and_fifteen_a_second)
{
    struct shard_vehicle cars[20];
    struct stage_client *client;
    uint64_t accepted = 0;

    for (size_t i = 0; i < 20; i++)
        cars[i] = stage_car(411, (double)i, 0);
    stage_free(seats.stage);
    seats.stage = stage_new(cars, 20);
    client = stage_spawn(seats.stage, 2, 2, 0);
    stage_run(seats.stage, 200);
    for (size_t i = 0; i < 20; i++)
        accepted += send_frames(client, stage_vehicle(seats.stage, i), 5);
    ck_assert_uint_eq(accepted, 57);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLES), 43);
    seats.stage->now_ms += 5; /* 0.5 was left: 1.075 */
    ck_assert_uint_eq(send_frames(client, stage_vehicle(seats.stage, 19), 5), 1);
}
END_TEST

START_TEST(v_rate_4_half_a_second_of_them_may_come_at_once)
{
    ck_assert_uint_eq(send_frames(seats.driver, seats.car, 40), 15);
    seats.stage->now_ms += 16; /* 0.5 was left: 0.996 */
    ck_assert_uint_eq(send_frames(seats.driver, seats.car, 1), 0);
    seats.stage->now_ms += 1;
    ck_assert_uint_eq(send_frames(seats.driver, seats.car, 1), 1);
    seats.stage->now_ms += 60000;
    ck_assert_uint_eq(send_frames(seats.driver, seats.car, 40), 15);
}
END_TEST

START_TEST(v_rate_5_a_frame_past_a_limit_is_dropped_and_changes_nothing)
{
    struct wire_vehicle_frame frame;

    send_frames(seats.driver, seats.car, 15);
    frame = frame_of(seats.driver);
    frame.state.pos[0] = 9;
    refuses(seats.driver, &frame, REASON_LIMIT_DRIVEN);
    ck_assert_float_eq(seats.car->pos[0], 0);
    ck_assert_uint_eq(seats.car->relay_seq, 15);
    seats.stage->now_ms += 100;
    ck_assert(accepts(seats.driver, &frame)); /* its seq was not spent either */
}
END_TEST

/* ---- the relay */

START_TEST(v_relay_1_it_goes_to_everyone_the_vehicle_is_streamed_to_except_the_sender)
{
    struct stage_client *near = stage_spawn(seats.stage, 4, 150, 0);
    struct stage_client *far = stage_spawn(seats.stage, 5, 700, 0);
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    ck_assert(accepts(seats.driver, &frame));
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_REMOTE_VEHICLE_FRAME), 1);
    ck_assert_uint_eq(stage_count(near, PACKET_REMOTE_VEHICLE_FRAME), 1);
    ck_assert_uint_eq(stage_count(far, PACKET_REMOTE_VEHICLE_FRAME), 0);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_REMOTE_VEHICLE_FRAME), 0);
}
END_TEST

START_TEST(v_relay_2_it_names_the_sender_and_its_generation)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    struct wire_remote_vehicle_frame relay;

    ck_assert(accepts(seats.driver, &frame));
    relay = seats_take_frame(seats.watcher);
    ck_assert_uint_eq(relay.source_id, seats.driver->id);
    ck_assert_uint_eq(relay.source_token, seats.driver->token);
    ck_assert_uint_eq(relay.vehicle_id, seats.car->id);
}
END_TEST

START_TEST(v_relay_3_the_serial_is_the_vehicles_whoever_controls_it)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    frame.seq = 1000;
    ck_assert(accepts(seats.driver, &frame));
    ck_assert_uint_eq(seats_take_frame(seats.watcher).seq, 1);
    syncs(seats.watcher);
    frame = frame_of(seats.watcher);
    ck_assert(accepts(seats.watcher, &frame));
    ck_assert_uint_eq(seats_take_frame(seats.driver).seq, 2);
}
END_TEST

START_TEST(v_relay_3_the_serial_wraps)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);

    seats.car->relay_seq = UINT32_MAX;
    ck_assert(accepts(seats.driver, &frame));
    ck_assert_uint_eq(seats_take_frame(seats.watcher).seq, 0);
}
END_TEST

START_TEST(v_relay_4_revisions_and_health_are_the_servers)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    struct wire_vehicle_state relayed;

    seats.car->health.rev = 4;
    frame.state.health = 500;
    frame.state.health_rev = 3;
    frame.state.siren_rev = 9;
    frame.state.nitro = -0.5f;
    frame.state.hydraulics = 60;
    ck_assert(accepts(seats.driver, &frame));
    relayed = seats_take_frame(seats.watcher).state;
    ck_assert_float_eq(relayed.health, 1000);
    ck_assert_uint_eq(relayed.health_rev, 4);
    ck_assert_uint_eq(relayed.siren_rev, 0);
    ck_assert_uint_eq(relayed.pose_rev, seats.car->pose_rev);
    ck_assert_float_eq(relayed.nitro, 1);
    ck_assert_uint_eq(relayed.hydraulics, 0);
}
END_TEST

START_TEST(v_relay_5_without_damage_groups_nobody_is_a_teammate)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    struct wire_remote_vehicle_frame relay;

    ck_assert(accepts(seats.driver, &frame));
    relay = seats_take_frame(seats.watcher);
    ck_assert_uint_eq(relay.relation_rev, 0);
    ck_assert_uint_eq(relay.teammate, 0);
}
END_TEST

START_TEST(v_relay_6_it_is_unreliable)
{
    struct wire_vehicle_frame frame = frame_of(seats.driver);
    const struct stage_packet *packet;

    ck_assert(accepts(seats.driver, &frame));
    packet = stage_take(seats.watcher, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__UNRELIABLE);
    stage_run(seats.stage, 1000);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_REMOTE_VEHICLE_FRAME), 0);
}
END_TEST

Suite *vehicle_frame_suite(void)
{
    Suite *suite = suite_create("vehicle_frame");
    TCase *tcase = tcase_create("frames");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_frame_1_the_player_in_seat_zero_is_accepted_and_a_passenger_is_not);
    tcase_add_test(tcase, v_frame_1_a_vehicle_that_is_not_there_is_nobodys);
    tcase_add_test(tcase, v_frame_2_the_syncer_of_an_empty_vehicle_is_accepted_and_nobody_else);
    tcase_add_test(tcase, v_frame_2_while_the_driver_is_paused_its_syncer_is_accepted);
    tcase_add_test(tcase, v_frame_3_a_dead_syncer_is_refused);
    tcase_add_test(tcase, v_frame_4_a_frame_of_another_epoch_is_dropped);
    tcase_add_test(tcase, v_frame_4_the_epoch_wraps);
    tcase_add_test(tcase, v_frame_5_a_frame_from_before_a_transform_is_dropped);
    tcase_add_test(tcase, v_frame_5_the_pose_revision_wraps);
    tcase_add_test(tcase, v_frame_6_a_repeated_or_older_frame_is_dropped);
    tcase_add_test(tcase, v_frame_6_newer_is_ahead_by_less_than_half_the_circle);
    tcase_add_test(tcase, v_frame_6_the_counter_wraps);
    tcase_add_test(tcase, v_frame_6_a_refused_frame_moves_no_mark);
    tcase_add_test(tcase, v_frame_7_gaps_in_the_counter_are_normal);
    tcase_add_test(tcase, v_frame_8_each_vehicle_of_a_connection_has_its_own_mark);
    tcase_add_test(tcase, v_frame_8_each_connection_has_its_own_mark);
    tcase_add_test(tcase, v_frame_8_the_mark_survives_a_change_of_controller);
    tcase_add_test(tcase, v_frame_8_a_mark_that_had_to_go_still_keeps_stragglers_out);
    tcase_add_test(tcase, v_frame_9_a_value_out_of_bounds_drops_the_frame);
    tcase_add_test(tcase, v_frame_10_a_nan_or_an_infinity_in_any_float_fails_the_decode);
    tcase_add_test(tcase, v_frame_11_a_rejected_frame_is_dropped_silently);
    tcase_add_test(tcase, v_frame_12_an_rc_is_framed_by_who_drives_it_remotely);
    tcase_add_test(tcase, v_rate_1_so_does_who_drives_an_rc);
    tcase_add_test(tcase, v_bound_1_the_world_ends_at_six_thousand);
    tcase_add_test(tcase, v_bound_2_its_height);
    tcase_add_test(tcase, v_bound_3_a_rotation_is_about_of_length_one);
    tcase_add_test(tcase, v_bound_4_the_velocity_is_bounded_by_its_length);
    tcase_add_test(tcase, v_bound_5_the_angular_velocity_is_bounded_by_its_length);
    tcase_add_test(tcase, v_bound_6_raw_steer);
    tcase_add_test(tcase, v_bound_7_gas);
    tcase_add_test(tcase, v_bound_8_steer);
    tcase_add_test(tcase, v_bound_9_brake);
    tcase_add_test(tcase, v_bound_10_health);
    tcase_add_test(tcase, v_bound_11_lean);
    tcase_add_test(tcase, v_bound_12_lean_angle);
    tcase_add_test(tcase, v_bound_13_pedal);
    tcase_add_test(tcase, v_bound_14_hop);
    tcase_add_test(tcase, v_bound_15_flight_controls);
    tcase_add_test(tcase, v_bound_16_rotor);
    tcase_add_test(tcase, v_bound_17_turret_yaw);
    tcase_add_test(tcase, v_bound_18_turret_pitch);
    tcase_add_test(tcase, v_bound_19_part);
    tcase_add_test(tcase, v_bound_20_rail);
    tcase_add_test(tcase, v_bound_21_rail_speed);
    tcase_add_test(tcase, v_bound_22_track);
    tcase_add_test(tcase, v_bound_23_rope);
    tcase_add_test(tcase, v_bound_24_nitro);
    tcase_add_test(tcase, v_bound_25_hydraulics);
    tcase_add_test(tcase, v_bound_26_the_axes_of_hydraulics);
    tcase_add_test(tcase, v_state_1_it_sets_position_rotation_and_velocities);
    tcase_add_test(tcase, v_state_1_streaming_goes_by_that_position);
    tcase_add_test(tcase, v_state_2_a_frozen_vehicle_stays_where_it_is);
    tcase_add_test(tcase, v_state_3_a_frame_lowers_the_health_and_never_raises_it);
    tcase_add_test(tcase, v_state_4_the_health_of_a_wreck_stays);
    tcase_add_test(tcase, v_state_5_only_a_copy_that_took_the_last_command_lowers_it);
    tcase_add_test(tcase, v_rate_1_a_driver_sends_thirty_one_a_second);
    tcase_add_test(tcase, v_rate_2_a_syncer_sends_ten_and_a_half_a_second);
    tcase_add_test(tcase, v_rate_2_each_synced_vehicle_has_that_rate);
    tcase_add_test(tcase, v_rate_3_all_vehicles_of_a_connection_share_one_hundred_and_fifteen_a_second);
    tcase_add_test(tcase, v_rate_4_half_a_second_of_them_may_come_at_once);
    tcase_add_test(tcase, v_rate_5_a_frame_past_a_limit_is_dropped_and_changes_nothing);
    tcase_add_test(tcase, v_relay_1_it_goes_to_everyone_the_vehicle_is_streamed_to_except_the_sender);
    tcase_add_test(tcase, v_relay_2_it_names_the_sender_and_its_generation);
    tcase_add_test(tcase, v_relay_3_the_serial_is_the_vehicles_whoever_controls_it);
    tcase_add_test(tcase, v_relay_3_the_serial_wraps);
    tcase_add_test(tcase, v_relay_4_revisions_and_health_are_the_servers);
    tcase_add_test(tcase, v_relay_5_without_damage_groups_nobody_is_a_teammate);
    tcase_add_test(tcase, v_relay_6_it_is_unreliable);
    suite_add_tcase(suite, tcase);
    return suite;
}
