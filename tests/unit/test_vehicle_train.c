#include <math.h>

#include "shard/vehicle_life.h"
#include "shard/vehicle_train.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

enum { TRAIN, CAR, VEHICLES };

enum { BIT_DERAILED = 1 << 5 };                                    /* VehicleState.flags */
enum { STATE_CLOCKWISE = 1, STATE_DERAILED = 2, STATE_SPEED = 4 }; /* TrainState.flags */
enum { SHOW_CLOCKWISE = 1 << 2, SHOW_DERAILED = 1 << 3 };          /* VehicleSync.flags */

static struct stage *stage;
static struct stage_client *driver;
static struct stage_client *watcher;

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static struct vehicle *train(void)
{
    return the(TRAIN);
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES] = {
        [TRAIN] = stage_car(537, 0, 0), [CAR] = stage_car(411, 0, 8)
    };

    stage = stage_new(vehicles, VEHICLES);
    driver = stage_spawn(stage, 2, 2, 0);
    watcher = stage_spawn(stage, 3, 8, 0);
    stage_enter(stage, driver, train()->id, 0);
    stage_forget(stage);
}

static void teardown(void)
{
    stage_free(stage);
}

static struct wire_vehicle_state relayed(struct stage_client *client, const struct wire_vehicle_frame *frame,
                                         struct stage_client *to)
{
    struct wire_remote_vehicle_frame relay = { 0 };
    struct wire_error error;
    const struct stage_packet *packet;

    stage->now_ms += 100;
    stage_send_frame(stage, client, frame);
    packet = stage_take(to, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&relay, packet->bytes, packet->size, &error));
    return relay.state;
}

/* A frame of the driver's; what the relay of it says. */
static struct wire_vehicle_state drives(float speed, uint8_t flags)
{
    struct wire_vehicle_frame frame = stage_frame(stage, driver, train());

    frame.state.rail = 10;
    frame.state.track = 2;
    frame.state.rail_speed = speed;
    frame.state.flags = flags;
    return relayed(driver, &frame, watcher);
}

static struct wire_vehicle_state syncs(struct stage_client *syncer, float speed, uint8_t flags)
{
    struct wire_vehicle_frame frame = stage_frame(stage, syncer, train());

    frame.state.rail_speed = speed;
    frame.state.flags = flags;
    return relayed(syncer, &frame, syncer == driver ? watcher : driver);
}

static void derail(void)
{
    drives(1, BIT_DERAILED);
    ck_assert(train()->derailed);
    stage_forget(stage);
}

/* ---- VehicleFrame, Field rules */

START_TEST(v_field_21_only_a_train_is_on_rails)
{
    struct wire_vehicle_frame frame;
    struct wire_vehicle_state state;

    stage_exit(stage, driver, train()->id);
    stage_enter(stage, driver, the(CAR)->id, 0);
    frame = stage_frame(stage, driver, the(CAR));
    frame.state.rail = 10;
    frame.state.rail_speed = 2;
    frame.state.track = 3;
    frame.state.flags = BIT_DERAILED;
    state = relayed(driver, &frame, watcher);
    ck_assert_float_eq(state.rail, 0);
    ck_assert_float_eq(state.rail_speed, 0);
    ck_assert_uint_eq(state.track, 0);
    ck_assert_uint_eq(state.flags, 0);
    ck_assert(!the(CAR)->derailed);
}
END_TEST

START_TEST(v_field_22_the_speed_is_the_frames_while_on_rails)
{
    drives(0.5f, 0);
    ck_assert_float_eq(vehicle_train_speed(train()), 25);
    drives(-1, 0);
    ck_assert_float_eq(vehicle_train_speed(train()), -50);
    derail();
    drives(0.25f, BIT_DERAILED);
    ck_assert_float_eq(vehicle_train_speed(train()), 50);
}
END_TEST

START_TEST(v_field_23_a_syncer_derails_nothing)
{
    stage_exit(stage, driver, train()->id);
    stage_run(stage, 100);
    ck_assert_uint_eq(train()->syncer, link_slot(stage, driver));
    ck_assert_uint_eq(syncs(driver, 2, BIT_DERAILED).flags, 0);
    ck_assert(!train()->derailed);
}
END_TEST

START_TEST(v_field_23_a_paused_driver_derails_nothing)
{
    link_pause(stage, driver, true);
    ck_assert_uint_eq(drives(2, BIT_DERAILED).flags, 0);
    ck_assert_uint_eq(syncs(watcher, 2, BIT_DERAILED).flags, 0);
    ck_assert(!train()->derailed);
    link_pause(stage, driver, false);
    ck_assert_uint_eq(drives(2, BIT_DERAILED).flags, BIT_DERAILED);
}
END_TEST

START_TEST(v_field_24_it_derails_at_a_speed_of_nine_tenths)
{
    ck_assert_uint_eq(drives(nextafterf(0.9f, 0), BIT_DERAILED).flags, 0);
    ck_assert_uint_eq(drives(0.9f, BIT_DERAILED).flags, BIT_DERAILED);
}
END_TEST

START_TEST(v_field_24_it_derails_as_well_when_it_drives_the_other_way)
{
    ck_assert_uint_eq(drives(-nextafterf(0.9f, 0), BIT_DERAILED).flags, 0);
    ck_assert_uint_eq(drives(-0.9f, BIT_DERAILED).flags, BIT_DERAILED);
}
END_TEST

START_TEST(v_field_24_the_speed_of_the_frame_before_counts)
{
    drives(0.9f, 0);
    ck_assert_uint_eq(drives(0, BIT_DERAILED).flags, BIT_DERAILED);
}
END_TEST

START_TEST(v_field_24_the_speed_of_two_frames_ago_does_not_count)
{
    drives(0.9f, 0);
    drives(0.1f, 0);
    ck_assert_uint_eq(drives(0, BIT_DERAILED).flags, 0);
}
END_TEST

START_TEST(v_field_24_the_speed_of_a_refused_frame_does_not_count)
{
    struct wire_vehicle_frame frame = stage_frame(stage, driver, train());

    frame.state.rail_speed = 1;
    frame.state.epoch++;
    stage_send_frame(stage, driver, &frame);
    ck_assert_uint_eq(drives(0, BIT_DERAILED).flags, 0);
}
END_TEST

START_TEST(v_field_25_frames_from_before_it_was_put_back_do_not_derail_it_again)
{
    derail();
    ck_assert_uint_eq(vehicle_set_train_derailed(stage->shard, train(), false), REASON_NONE);
    ck_assert_uint_eq(drives(2, BIT_DERAILED).flags, 0);
    ck_assert_uint_eq(drives(2, BIT_DERAILED).flags, 0);
    ck_assert_uint_eq(drives(2, 0).flags, 0); /* the driver's copy has taken it */
    ck_assert_uint_eq(drives(2, BIT_DERAILED).flags, BIT_DERAILED);
}
END_TEST

START_TEST(v_field_26_27_a_frame_never_puts_it_back_on_its_rails)
{
    derail();
    ck_assert_uint_eq(drives(0, 0).flags, BIT_DERAILED);
    ck_assert(train()->derailed);
    ck_assert_uint_eq(stage_count(watcher, PACKET_TRAIN_STATE), 0);
}
END_TEST

/* ---- TrainState */

START_TEST(v_train_1_2_5_a_derailment_is_told_to_everyone_who_sees_the_train)
{
    struct stage_client *away = stage_spawn(stage, 4, 700, 0);
    struct wire_train_state told;

    stage_forget(stage);
    drives(1, BIT_DERAILED);
    told = link_take_train(driver); /* its copy waits for it */
    ck_assert_uint_eq(told.vehicle_id, train()->id);
    ck_assert_uint_eq(told.flags, STATE_DERAILED);
    ck_assert_float_eq(told.speed, 0);
    ck_assert_uint_eq(link_take_train(watcher).flags, STATE_DERAILED);
    ck_assert_uint_eq(stage_count(away, PACKET_TRAIN_STATE), 0);
    drives(1, BIT_DERAILED);
    ck_assert_uint_eq(stage_count(watcher, PACKET_TRAIN_STATE), 0); /* no change */
}
END_TEST

START_TEST(v_train_1_2_the_gamemode_turns_derails_and_speeds_a_train)
{
    struct shard *shard = stage->shard;
    struct wire_train_state told;

    ck_assert_uint_eq(vehicle_set_train_direction(shard, train(), true), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(link_take_train(driver).flags, STATE_CLOCKWISE);
    ck_assert_uint_eq(vehicle_set_train_direction(shard, train(), true), REASON_NONE);
    ck_assert_uint_eq(vehicle_set_train_derailed(shard, train(), false), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(driver, PACKET_TRAIN_STATE), 0); /* no change */
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), -50), REASON_NONE);
    stage_pump(stage);
    told = link_take_train(driver);
    ck_assert_uint_eq(told.flags, STATE_CLOCKWISE | STATE_SPEED);
    ck_assert_float_eq(told.speed, -1);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), -50), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(link_take_train(driver).flags, STATE_CLOCKWISE | STATE_SPEED); /* each time */
    ck_assert_uint_eq(vehicle_set_train_derailed(shard, train(), true), REASON_NONE);
    stage_pump(stage);
    told = link_take_train(driver);
    ck_assert_uint_eq(told.flags, STATE_CLOCKWISE | STATE_DERAILED);
    ck_assert_float_eq(told.speed, 0);
    ck_assert_uint_eq(stage_count(watcher, PACKET_TRAIN_STATE), 4);
}
END_TEST

START_TEST(v_train_2_only_trains_are_on_rails)
{
    ck_assert_uint_eq(vehicle_set_train_direction(stage->shard, the(CAR), true), REASON_NOT_TRAIN);
    ck_assert_uint_eq(vehicle_set_train_derailed(stage->shard, the(CAR), true), REASON_NOT_TRAIN);
    ck_assert_uint_eq(vehicle_set_train_speed(stage->shard, the(CAR), 1), REASON_NOT_TRAIN);
}
END_TEST

START_TEST(v_train_3_the_command_puts_it_back_and_there_it_stands)
{
    derail();
    ck_assert_uint_eq(vehicle_set_train_speed(stage->shard, train(), 10), REASON_DERAILED);
    ck_assert_uint_eq(vehicle_set_train_derailed(stage->shard, train(), false), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(link_take_train(driver).flags, 0);
    ck_assert_uint_eq(link_take_train(watcher).flags, 0);
    ck_assert_float_eq(vehicle_train_speed(train()), 0);
}
END_TEST

START_TEST(v_train_4_a_speed_is_at_most_4_a_step)
{
    struct shard *shard = stage->shard;

    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), nextafterf(200, 300)), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), -nextafterf(200, 300)), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), NAN), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), INFINITY), REASON_OUT_OF_BOUNDS);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(driver, PACKET_TRAIN_STATE), 0);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), 200), REASON_NONE);
    ck_assert_uint_eq(vehicle_set_train_speed(shard, train(), -200), REASON_NONE);
    stage_pump(stage);
    ck_assert_float_eq(link_take_train(driver).speed, 4);
    ck_assert_float_eq(link_take_train(driver).speed, -4);
}
END_TEST

START_TEST(a_show_carries_the_trains_direction_and_derailment)
{
    train()->clockwise = true;
    ck_assert_uint_eq(link_take_show(stage_spawn(stage, 4, 3, 0), train()->id).flags, SHOW_CLOCKWISE);
    train()->derailed = true;
    ck_assert_uint_eq(link_take_show(stage_spawn(stage, 5, 3, 0), train()->id).flags,
                      SHOW_CLOCKWISE | SHOW_DERAILED);
}
END_TEST

START_TEST(a_copy_of_a_later_show_takes_the_set_speed_until_a_frame_carries_it)
{
    struct stage_client *late;

    vehicle_set_train_speed(stage->shard, train(), 50);
    stage_pump(stage);
    late = stage_spawn(stage, 4, 3, 0);
    ck_assert_float_eq(link_take_train(late).speed, 1);
    ck_assert_uint_lt(stage_order(late, PACKET_VEHICLE_SYNC), stage_order(late, PACKET_TRAIN_STATE));
    drives(1, 0);
    ck_assert_uint_eq(stage_count(stage_spawn(stage, 5, 3, 0), PACKET_TRAIN_STATE), 0);
}
END_TEST

START_TEST(nobody_gets_into_a_derailed_train)
{
    vehicle_set_train_derailed(stage->shard, train(), true);
    stage_enter(stage, watcher, train()->id, 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_DERAILED), 1);
    ck_assert_uint_eq(train()->seats[1], SLOT_NONE);
    vehicle_set_train_derailed(stage->shard, train(), false);
    stage_enter(stage, watcher, train()->id, 1);
    ck_assert_uint_eq(train()->seats[1], link_slot(stage, watcher));
}
END_TEST

START_TEST(a_new_life_stands_on_its_rails_and_faces_where_it_faced)
{
    train()->clockwise = true;
    derail();
    vehicle_respawn(stage->shard, train());
    stage_enter(stage, driver, train()->id, 0);
    ck_assert(!train()->derailed);
    ck_assert(train()->clockwise);
    ck_assert_float_eq(vehicle_train_speed(train()), 0);
    ck_assert_uint_eq(drives(0, BIT_DERAILED).flags, 0); /* the speed before does not count */
}
END_TEST

Suite *vehicle_train_suite(void)
{
    Suite *suite = suite_create("vehicle_train");
    TCase *tcase = tcase_create("trains");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_field_21_only_a_train_is_on_rails);
    tcase_add_test(tcase, v_field_22_the_speed_is_the_frames_while_on_rails);
    tcase_add_test(tcase, v_field_23_a_syncer_derails_nothing);
    tcase_add_test(tcase, v_field_23_a_paused_driver_derails_nothing);
    tcase_add_test(tcase, v_field_24_it_derails_at_a_speed_of_nine_tenths);
    tcase_add_test(tcase, v_field_24_it_derails_as_well_when_it_drives_the_other_way);
    tcase_add_test(tcase, v_field_24_the_speed_of_the_frame_before_counts);
    tcase_add_test(tcase, v_field_24_the_speed_of_two_frames_ago_does_not_count);
    tcase_add_test(tcase, v_field_24_the_speed_of_a_refused_frame_does_not_count);
    tcase_add_test(tcase, v_field_25_frames_from_before_it_was_put_back_do_not_derail_it_again);
    tcase_add_test(tcase, v_field_26_27_a_frame_never_puts_it_back_on_its_rails);
    tcase_add_test(tcase, v_train_1_2_5_a_derailment_is_told_to_everyone_who_sees_the_train);
    tcase_add_test(tcase, v_train_1_2_the_gamemode_turns_derails_and_speeds_a_train);
    tcase_add_test(tcase, v_train_2_only_trains_are_on_rails);
    tcase_add_test(tcase, v_train_3_the_command_puts_it_back_and_there_it_stands);
    tcase_add_test(tcase, v_train_4_a_speed_is_at_most_4_a_step);
    tcase_add_test(tcase, a_show_carries_the_trains_direction_and_derailment);
    tcase_add_test(tcase, a_copy_of_a_later_show_takes_the_set_speed_until_a_frame_carries_it);
    tcase_add_test(tcase, nobody_gets_into_a_derailed_train);
    tcase_add_test(tcase, a_new_life_stands_on_its_rails_and_faces_where_it_faced);
    suite_add_tcase(suite, tcase);
    return suite;
}
