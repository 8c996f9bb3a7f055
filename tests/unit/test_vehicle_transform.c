#include <math.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_transform.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(411);
}

static void teardown(void)
{
    scene_close(&scene);
}

/* Whatever the core left in its outbox arrives. */
static void deliver(void)
{
    stage_pump(scene.stage);
}

static struct wire_vehicle_transform take_transform(struct stage_client *client)
{
    struct wire_vehicle_transform taken;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_VEHICLE_TRANSFORM);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_vehicle_transform_decode(&taken, packet->bytes, packet->size, &error));
    return taken;
}

static const float there[] = { 100, 20, 30 };
static const float zero[4];

static enum reason position(float x, float y, float z)
{
    const float pos[] = { x, y, z };

    return vehicle_set_position(scene.shard, scene.vehicle, pos);
}

START_TEST(v_xform_1_2_4_5_a_position_is_told_to_everyone_with_the_relay_serial)
{
    struct wire_vehicle_transform transform;

    scene.vehicle->relay_seq = 41;
    ck_assert_int_eq(position(100, 20, 30), REASON_NONE);
    take_transform(scene.driver);
    transform = take_transform(scene.watcher);
    ck_assert_uint_eq(transform.flags, TRANSFORM_POSITION);
    ck_assert_mem_eq(transform.pos, there, sizeof there);
    ck_assert_mem_eq(transform.rot, zero, sizeof transform.rot);
    ck_assert_mem_eq(transform.move_speed, zero, sizeof transform.move_speed);
    ck_assert_uint_eq(transform.relay_seq, 41);
    ck_assert_uint_eq(transform.epoch, scene.vehicle->epoch);
}
END_TEST

START_TEST(v_xform_3_a_frame_from_before_the_command_is_dropped_over_the_wrap)
{
    struct wire_vehicle_frame frame;

    scene.vehicle->pose_rev = UINT16_MAX;
    frame = scene_frame(&scene);
    ck_assert_int_eq(position(100, 20, 30), REASON_NONE);
    ck_assert_uint_eq(take_transform(scene.watcher).pose_rev, 0);
    stage_send_frame(scene.stage, scene.driver, &frame);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_FRAME), 0);
    frame = scene_frame(&scene);
    stage_send_frame(scene.stage, scene.driver, &frame);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_FRAME), 1);
}
END_TEST

START_TEST(v_xform_6_a_position_stops_it_and_a_rotation_does_not)
{
    static const float fast[] = { 50, 0, 0 };
    static const float upside_down[] = { 1, 0, 0, 0 };

    vehicle_set_velocity(scene.shard, scene.vehicle, fast);
    vehicle_set_rotation(scene.shard, scene.vehicle, upside_down);
    ck_assert_float_eq(scene.vehicle->move_speed[0], 1);
    position(100, 20, 30);
    ck_assert_float_eq(scene.vehicle->move_speed[0], 0);
}
END_TEST

START_TEST(v_xform_7_a_freezing_packet_carries_position_and_rotation)
{
    struct wire_vehicle_transform transform;

    ck_assert_int_eq(vehicle_set_frozen(scene.shard, scene.vehicle, true), REASON_NONE);
    transform = take_transform(scene.watcher);
    ck_assert_uint_eq(transform.flags, TRANSFORM_HELD);
    ck_assert_mem_eq(transform.pos, scene.vehicle->pos, sizeof transform.pos);
    ck_assert_mem_eq(transform.rot, scene.vehicle->rot, sizeof transform.rot);
}
END_TEST

START_TEST(v_xform_7_v_state_2_a_frozen_vehicle_has_no_velocity)
{
    static const float fast[] = { 5, 0, 0 };

    vehicle_set_velocity(scene.shard, scene.vehicle, fast);
    vehicle_set_turn_velocity(scene.shard, scene.vehicle, fast);
    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    ck_assert_mem_eq(scene.vehicle->move_speed, zero, sizeof scene.vehicle->move_speed);
    ck_assert_mem_eq(scene.vehicle->turn_speed, zero, sizeof scene.vehicle->turn_speed);
}
END_TEST

START_TEST(v_xform_8_unfreezing_is_a_packet_without_anything)
{
    struct wire_vehicle_transform transform;

    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    take_transform(scene.watcher);
    vehicle_set_frozen(scene.shard, scene.vehicle, false);
    transform = take_transform(scene.watcher);
    ck_assert_uint_eq(transform.flags, 0);
    ck_assert_mem_eq(transform.pos, zero, sizeof transform.pos);
    ck_assert_mem_eq(transform.rot, zero, sizeof transform.rot);
    ck_assert_uint_eq(transform.pose_rev, 2);
}
END_TEST

START_TEST(v_xform_9_a_frozen_vehicle_is_moved_with_the_freeze)
{
    static const float upside_down[] = { 1, 0, 0, 0 };

    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    take_transform(scene.watcher);
    position(100, 20, 30);
    ck_assert_uint_eq(take_transform(scene.watcher).flags, TRANSFORM_HELD);
    vehicle_set_rotation(scene.shard, scene.vehicle, upside_down);
    ck_assert_uint_eq(take_transform(scene.watcher).flags, TRANSFORM_HELD);
}
END_TEST

START_TEST(v_xform_10_a_frozen_vehicle_gets_no_velocity)
{
    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    ck_assert_int_eq(vehicle_set_velocity(scene.shard, scene.vehicle, zero), REASON_FROZEN);
    ck_assert_int_eq(vehicle_set_turn_velocity(scene.shard, scene.vehicle, zero), REASON_FROZEN);
}
END_TEST

START_TEST(v_xform_11_12_a_respawn_keeps_the_freeze_and_its_show_tells_it)
{
    struct wire_vehicle_transform transform;

    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    deliver();
    stage_forget(scene.stage);
    vehicle_respawn(scene.shard, scene.vehicle);
    transform = take_transform(scene.watcher);
    ck_assert_uint_eq(transform.flags, TRANSFORM_HELD);
    ck_assert_uint_eq(transform.pose_rev, 1);
    ck_assert_uint_lt(stage_order(scene.driver, PACKET_VEHICLE_SYNC),
                      stage_order(scene.driver, PACKET_VEHICLE_TRANSFORM));
}
END_TEST

START_TEST(v_xform_12_13_14_a_show_is_followed_by_what_it_cannot_say)
{
    static const float on_its_roof[] = { 1, 0, 0, 0 };
    static const float fast[] = { 50, 0, 0 };
    struct stage_client *late;
    struct wire_vehicle_transform transform;

    vehicle_set_velocity(scene.shard, scene.vehicle, fast);
    scene_show(&scene, &late);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_TRANSFORM), 0);
    vehicle_set_rotation(scene.shard, scene.vehicle, on_its_roof);
    scene_show(&scene, &late);
    transform = take_transform(late);
    ck_assert_uint_eq(transform.flags, TRANSFORM_ROTATION);
    ck_assert_mem_eq(transform.move_speed, zero, sizeof transform.move_speed);
    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    scene_show(&scene, &late);
    ck_assert_uint_eq(take_transform(late).flags, TRANSFORM_HELD);
}
END_TEST

/* A bound of a frame is as the float of the wire has it, which is a little beyond what this packet may carry;
 * a frame at the bound once ended the shard with the next show. */
START_TEST(v_xform_13_v_bound_3_a_rotation_at_the_bound_is_told_as_a_unit_quaternion)
{
    static const float bounds[] = { 0.9f, 1.1f };

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct wire_vehicle_frame frame = scene_frame(&scene);
        struct wire_vehicle_transform transform;
        struct stage_client *late;

        memset(frame.state.rot, 0, sizeof frame.state.rot);
        frame.state.rot[0] = bounds[i];
        stage_send_frame(scene.stage, scene.driver, &frame);
        ck_assert_float_eq(scene.vehicle->rot[0], bounds[i]);
        scene_show(&scene, &late);
        transform = take_transform(late);
        ck_assert_float_eq(transform.rot[0], 1);
        ck_assert_mem_eq(transform.rot + 1, zero, 3 * sizeof(float));
        vehicle_set_frozen(scene.shard, scene.vehicle, true);
        ck_assert_float_eq(take_transform(scene.watcher).rot[0], 1);
        vehicle_set_frozen(scene.shard, scene.vehicle, false);
        deliver();
        stage_forget(scene.stage);
    }
}
END_TEST

START_TEST(v_xform_15_17_a_position_is_inside_the_world)
{
    ck_assert_int_eq(position(6000, -6000, 4000), REASON_NONE);
    ck_assert_int_eq(position(0, 0, -200), REASON_NONE);
    ck_assert_int_eq(position(nextafterf(6000, 7000), 0, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(position(0, nextafterf(-6000, -7000), 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(position(0, 0, nextafterf(4000, 5000)), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(position(0, 0, nextafterf(-200, -201)), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(position(NAN, 0, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(position(0, INFINITY, 0), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_xform_16_17_velocities_have_a_bound_and_go_out_per_step)
{
    static const float most[] = { 0, 200, 0 };
    static const float turn_most[] = { 0, 0, -25 };
    const float above[] = { 0, nextafterf(200, 300), 0 };
    const float turn_above[] = { 0, 0, nextafterf(25, 26) };
    const float no_number[] = { NAN, 0, 0 };

    ck_assert_int_eq(vehicle_set_velocity(scene.shard, scene.vehicle, most), REASON_NONE);
    ck_assert_float_eq(take_transform(scene.watcher).move_speed[1], 4);
    ck_assert_int_eq(vehicle_set_turn_velocity(scene.shard, scene.vehicle, turn_most), REASON_NONE);
    ck_assert_float_eq(take_transform(scene.watcher).turn_speed[2], -0.5f);
    ck_assert_int_eq(vehicle_set_velocity(scene.shard, scene.vehicle, above), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(vehicle_set_turn_velocity(scene.shard, scene.vehicle, turn_above), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(vehicle_set_velocity(scene.shard, scene.vehicle, no_number), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_xform_17_a_rotation_is_of_length_1)
{
    static const float good[] = { 0, 0, 0, 1.09f };
    static const float bad[][4] = { { 0, 0, 0, 1.11f }, { 0, 0, 0, 0.89f }, { 0, 0, 0, NAN } };

    ck_assert_int_eq(vehicle_set_rotation(scene.shard, scene.vehicle, good), REASON_NONE);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(vehicle_set_rotation(scene.shard, scene.vehicle, bad[i]), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_xform_18_a_train_and_a_wreck_are_refused)
{
    static const float level[] = { 0, 0, 0, 1 };

    scene.vehicle->wrecked = true;
    ck_assert_int_eq(position(0, 0, 0), REASON_WRECKED);
    ck_assert_int_eq(vehicle_set_frozen(scene.shard, scene.vehicle, true), REASON_WRECKED);
    scene.vehicle->wrecked = false;
    scene.vehicle->model = model_find(537);
    ck_assert_int_eq(position(0, 0, 0), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_rotation(scene.shard, scene.vehicle, level), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_velocity(scene.shard, scene.vehicle, zero), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_turn_velocity(scene.shard, scene.vehicle, zero), REASON_WRONG_MODEL);
    ck_assert_int_eq(vehicle_set_frozen(scene.shard, scene.vehicle, true), REASON_WRONG_MODEL);
    ck_assert_uint_eq(scene.vehicle->pose_rev, 0);
    scene.vehicle->model = model_find(411);
}
END_TEST

START_TEST(v_xform_20_a_position_carries_the_occupants_along)
{
    stage_enter(scene.stage, scene.watcher, scene.vehicle->id, 1);
    stage_run(scene.stage, 500);
    position(100, 20, 30);
    ck_assert_uint_eq(stage_player(scene.stage, scene.driver)->placed_at_ms, scene.shard->now_ms);
    ck_assert_mem_eq(stage_player(scene.stage, scene.driver)->place.pos, there, sizeof there);
    ck_assert_mem_eq(stage_player(scene.stage, scene.watcher)->place.pos, there, sizeof there);
}
END_TEST

START_TEST(v_xform_21_streaming_follows_in_the_same_response)
{
    struct stage_client *far = stage_spawn(scene.stage, 9, 3000, 0);

    ck_assert_int_eq(position(3000, 10, 10), REASON_NONE);
    deliver();
    ck_assert(stage_sees_vehicle(far, scene.vehicle->id));
    ck_assert(stage_sees_player(far, scene.driver));
    ck_assert(stage_sees_vehicle(scene.driver, scene.vehicle->id));
    ck_assert(!stage_sees_vehicle(scene.watcher, scene.vehicle->id));
    ck_assert(!stage_sees_player(scene.watcher, scene.driver));
}
END_TEST

START_TEST(freezing_what_is_frozen_is_not_told)
{
    vehicle_set_frozen(scene.shard, scene.vehicle, false);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_TRANSFORM), 0);
}
END_TEST

/* A tow truck's hitch, made by hand: both ends of it. */
static struct vehicle *hang_something(void)
{
    struct vehicle *trailer;
    const struct shard_vehicle what = stage_car(411, 0, -6);

    scene.vehicle->model = model_find(525);
    trailer = vehicle_create(scene.shard, 900, &what);
    ck_assert_ptr_nonnull(trailer);
    stage_run(scene.stage, 100);
    ck_assert_int_eq(vehicle_attach_trailer(scene.shard, trailer, scene.vehicle), REASON_NONE);
    return trailer;
}

START_TEST(v_xform_19_a_new_pose_or_a_freeze_releases_it_first)
{
    static const float turned[] = { 0, 0, 0, 1 };
    struct vehicle *trailer = hang_something();

    position(0, 0, 10);
    ck_assert_ptr_null(vehicle_tractor(&scene.shard->world, trailer));
    ck_assert_int_eq(vehicle_attach_trailer(scene.shard, trailer, scene.vehicle), REASON_NONE);
    vehicle_set_rotation(scene.shard, trailer, turned);
    ck_assert_ptr_null(vehicle_tractor(&scene.shard->world, trailer));
    ck_assert_int_eq(vehicle_attach_trailer(scene.shard, trailer, scene.vehicle), REASON_NONE);
    vehicle_set_velocity(scene.shard, trailer, zero);
    ck_assert_ptr_nonnull(vehicle_tractor(&scene.shard->world, trailer));
    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    ck_assert_ptr_null(vehicle_tractor(&scene.shard->world, trailer));
}
END_TEST

START_TEST(v_xform_22_a_frozen_vehicle_is_hitched_as_neither_end)
{
    struct vehicle *trailer = hang_something();

    vehicle_set_frozen(scene.shard, trailer, true);
    ck_assert_int_eq(vehicle_attach_trailer(scene.shard, trailer, scene.vehicle), REASON_FROZEN);
    vehicle_set_frozen(scene.shard, trailer, false);
    vehicle_set_frozen(scene.shard, scene.vehicle, true);
    ck_assert_int_eq(vehicle_attach_trailer(scene.shard, trailer, scene.vehicle), REASON_FROZEN);
}
END_TEST

Suite *vehicle_transform_suite(void)
{
    Suite *suite = suite_create("vehicle_transform");
    TCase *tcase = tcase_create("transform");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_xform_1_2_4_5_a_position_is_told_to_everyone_with_the_relay_serial);
    tcase_add_test(tcase, v_xform_3_a_frame_from_before_the_command_is_dropped_over_the_wrap);
    tcase_add_test(tcase, v_xform_6_a_position_stops_it_and_a_rotation_does_not);
    tcase_add_test(tcase, v_xform_7_a_freezing_packet_carries_position_and_rotation);
    tcase_add_test(tcase, v_xform_7_v_state_2_a_frozen_vehicle_has_no_velocity);
    tcase_add_test(tcase, v_xform_8_unfreezing_is_a_packet_without_anything);
    tcase_add_test(tcase, v_xform_9_a_frozen_vehicle_is_moved_with_the_freeze);
    tcase_add_test(tcase, v_xform_10_a_frozen_vehicle_gets_no_velocity);
    tcase_add_test(tcase, v_xform_11_12_a_respawn_keeps_the_freeze_and_its_show_tells_it);
    tcase_add_test(tcase, v_xform_12_13_14_a_show_is_followed_by_what_it_cannot_say);
    tcase_add_test(tcase, v_xform_13_v_bound_3_a_rotation_at_the_bound_is_told_as_a_unit_quaternion);
    tcase_add_test(tcase, v_xform_15_17_a_position_is_inside_the_world);
    tcase_add_test(tcase, v_xform_16_17_velocities_have_a_bound_and_go_out_per_step);
    tcase_add_test(tcase, v_xform_17_a_rotation_is_of_length_1);
    tcase_add_test(tcase, v_xform_18_a_train_and_a_wreck_are_refused);
    tcase_add_test(tcase, v_xform_20_a_position_carries_the_occupants_along);
    tcase_add_test(tcase, v_xform_21_streaming_follows_in_the_same_response);
    tcase_add_test(tcase, freezing_what_is_frozen_is_not_told);
    tcase_add_test(tcase, v_xform_19_a_new_pose_or_a_freeze_releases_it_first);
    tcase_add_test(tcase, v_xform_22_a_frozen_vehicle_is_hitched_as_neither_end);
    suite_add_tcase(suite, tcase);
    return suite;
}
