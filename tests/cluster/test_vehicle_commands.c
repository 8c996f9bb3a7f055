/* The Vehicles page over real UDP: what the gamemode sets on a vehicle, and what its driver may. */
#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { CAR = 411, ELEGY = 562, BIKE = 522, HELI = 487, TRAIN = 537 };
enum { /* VehicleParams.params */
       PARAM_ENGINE = 1 << 0,
       PARAM_LIGHTS = 1 << 1,
       PARAM_LOCKED = 1 << 2,
       PARAM_ALARM = 1 << 5,
       PARAM_SIREN = 1 << 6,
       PARAM_OBJECTIVE = 1 << 7,
       PARAM_HAS_SIREN = 1 << 8,
};
enum { XFORM_POSITION = 1, XFORM_ROTATION = 2, XFORM_VELOCITY = 4, XFORM_TURN = 8, XFORM_FROZEN = 16 };
enum { FRAME_SIREN = 1 << 2 }; /* VehicleState.flags */

static unsigned id_of(const struct resident *who)
{
    return who->client.player_id;
}

/* ---- VehicleParams */

START_TEST(v_params_2_3_5_a_parameter_that_changes_is_told_to_everyone_and_shown_to_who_comes_later)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara;
    struct wire_vehicle_params params;
    struct wire_vehicle_sync show;

    scene_do(anna, "dlmp.set_vehicle_engine v%u true; dlmp.set_vehicle_engine v%u true", car, car);
    scene_do(anna, "dlmp.set_vehicle_alarm v%u true", car);
    ck_assert_uint_eq(scene_take_params(boris, car).params, PARAM_ENGINE);
    ck_assert_uint_eq(scene_take_params(boris, car).params, PARAM_ENGINE | PARAM_ALARM); /* once each */
    scene_do(anna, "dlmp.set_vehicle_door v%u 1 true; dlmp.set_vehicle_door v%u 1 true", car, car);
    for (int i = 0; i < 2; i++) { /* always */
        params = scene_take_params(boris, car);
        ck_assert_uint_eq(params.doors, 2);
        ck_assert_uint_eq(params.doors_set, 2);
    }
    clara = scene_join("clara", car);
    show = scene_take_show(clara, car);
    ck_assert_uint_eq(show.params, PARAM_ENGINE | PARAM_ALARM);
    ck_assert_uint_eq(show.doors, 2);
}
END_TEST

START_TEST(v_params_4_6_7_a_lock_and_an_arrow_for_one_concern_nobody_else)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_do(anna, "dlmp.set_vehicle_locked_for v%u p%u true", car, id_of(boris));
    ck_assert_uint_eq(scene_take_params(boris, car).params, PARAM_LOCKED);
    scene_do(anna, "dlmp.set_vehicle_objective v%u p%u true", car, id_of(boris));
    ck_assert_uint_eq(scene_take_params(boris, car).params, PARAM_LOCKED | PARAM_OBJECTIVE);
    scene_enter(boris, car, 1);
    TOWN_UNTIL(boris->client.denied == 1);
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_PARAMS), 0);
    scene_do(anna, "dlmp.set_vehicle_locked v%u true; dlmp.set_vehicle_locked_for v%u p%u false", car, car,
             id_of(boris));
    ck_assert_uint_eq(scene_take_params(anna, car).params, PARAM_LOCKED);
    scene_enter(anna, car, 0);
    TOWN_UNTIL(anna->client.denied == 1);
    scene_enter(boris, car, 1); /* his own lock stands for the vehicle's */
    TOWN_UNTIL(town_sees_seated(anna, car, 1, boris));
    scene_do(anna, "dlmp.put_player_in_vehicle p%u v%u 0", id_of(anna), car); /* does not look at it */
    TOWN_UNTIL(town_sees_seated(boris, car, 0, anna));
}
END_TEST

START_TEST(v_siren_2_4_5_a_siren_that_was_given_is_switched_by_the_driver_but_not_over_a_command)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint16_t rev;

    scene_refused(boris, "dlmp.set_vehicle_siren v%u true", car);
    scene_sit(anna, car, 0);
    anna->client.drive.flags = FRAME_SIREN;
    TOWN_UNTIL(town_frame(boris, car) != NULL);
    ck_assert_uint_eq(town_frame(boris, car)->flags & FRAME_SIREN, 0); /* has none */
    scene_do(boris, "dlmp.set_vehicle_has_siren v%u true", car);
    ck_assert_uint_eq(scene_take_params(anna, car).params, PARAM_HAS_SIREN);
    TOWN_UNTIL((town_frame(boris, car)->flags & FRAME_SIREN) != 0);
    scene_do(boris, "dlmp.set_vehicle_siren v%u false", car);
    rev = scene_take_params(anna, car).siren_rev;
    scene_copy(anna, car)->siren_rev = (uint16_t)(rev - 1); /* as if she had not taken it yet */
    scene_drive(anna, 0, 5);
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 5));
    ck_assert_uint_eq(town_frame(boris, car)->flags & FRAME_SIREN, 0);
    ck_assert_uint_eq(town_frame(boris, car)->siren_rev, rev);
    scene_copy(anna, car)->siren_rev = rev;
    TOWN_UNTIL((town_frame(boris, car)->flags & FRAME_SIREN) != 0); /* a switch, no ban */
    scene_do(boris, "dlmp.set_vehicle_has_siren v%u false", car);
    TOWN_UNTIL((town_frame(boris, car)->flags & FRAME_SIREN) == 0);
}
END_TEST

/* ---- VehicleControl */

static void control(struct resident *who, uint32_t vehicle_id, uint8_t what, uint8_t value)
{
    scene_say(who, &wire_vehicle_control_packet,
              &(struct wire_vehicle_control){ .vehicle_id = vehicle_id, .control = what, .value = value });
}

START_TEST(v_ctrl_4_5_a_handler_may_refuse_the_drivers_key_and_nobody_locks_by_key)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "watch vehicle_control");
    scene_sit(anna, car, 0);
    scene_sit(boris, car, 1);
    scene_tell(anna, "refuse vehicle_control v%u", car);
    control(anna, car, 0, 1);
    scene_raised(boris, "vehicle_control v%u p%u engine true", car, id_of(anna));
    scene_tell(anna, "allow");
    control(anna, car, 2, 1);  /* the lock */
    control(boris, car, 1, 1); /* no driver */
    (void)scene_ask(boris, "v%u:engine", car);
    control(anna, car, 0, 1);
    scene_raised(boris, "vehicle_control v%u p%u engine true", car, id_of(anna));
    ck_assert_uint_eq(scene_take_params(boris, car).params, PARAM_ENGINE); /* the first there is */
    ck_assert_uint_eq(scene_take_params(anna, car).params, PARAM_ENGINE);
    control(anna, car, 0, 0);
    scene_raised(boris, "vehicle_control v%u p%u engine false", car, id_of(anna));
    ck_assert_uint_eq(town_count_lines(boris, "! "), 0);
}
END_TEST

/* ---- VehicleTuning, VehicleHandling, VehicleColors */

static struct wire_vehicle_tuning next_tuning(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_TUNING)->vehicle_tuning;
}

START_TEST(v_tune_2_3_the_whole_tuning_goes_to_everyone_and_follows_a_show)
{
    uint32_t car = scene_make(ELEGY, 0, 4);
    struct resident *clara;
    struct wire_vehicle_tuning tuning;

    scene_do(anna, "dlmp.set_vehicle_plate v%u DLMP", car);
    ck_assert_mem_eq(next_tuning(boris).plate, "DLMP    ", 4);
    scene_do(anna, "dlmp.set_vehicle_paintjob v%u 1; dlmp.set_vehicle_dirt v%u 15", car, car);
    ck_assert_uint_eq(next_tuning(boris).paintjob, 1);
    ck_assert_uint_eq(next_tuning(boris).dirt, 15);
    scene_do(anna, "dlmp.add_vehicle_component v%u 1087", car); /* hydraulics */
    clara = scene_join("clara", car);
    tuning = next_tuning(clara);
    ck_assert_uint_eq(tuning.vehicle_id, car);
    ck_assert_uint_eq(tuning.components[9], 1087);
    ck_assert_uint_eq(tuning.paintjob, 1);
    ck_assert_uint_eq(tuning.dirt, 15);
    ck_assert_mem_eq(tuning.plate, "DLMP", 4);
    ck_assert_int_lt((int32_t)(scene_take_show(clara, car).event_id - tuning.event_id), 0);
    scene_do(anna, "dlmp.remove_vehicle_component v%u 1087; dlmp.set_vehicle_paintjob v%u", car, car);
    ck_assert_uint_eq(next_tuning(clara).components[9], 0);
    ck_assert_uint_eq(next_tuning(clara).paintjob, 0xFF);
}
END_TEST

START_TEST(v_tune_7_8_11_12_13_a_vehicle_takes_what_the_games_data_lets_it)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint32_t bike = scene_make(BIKE, 4, 4);

    scene_refused(anna, "dlmp.add_vehicle_component v%u 1010", bike);
    scene_refused(anna, "dlmp.add_vehicle_component v%u 1034", car); /* an exhaust of the Elegy */
    scene_refused(anna, "dlmp.set_vehicle_paintjob v%u 0", car);
    scene_refused(anna, "dlmp.set_vehicle_taxi_light v%u true", car);
    scene_refused(anna, "dlmp.set_vehicle_plate v%u lower", car);
    scene_refused(anna, "dlmp.set_vehicle_nitro_charges v%u 5", car);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_TUNING), 0);
}
END_TEST

START_TEST(v_nitro_4_9_a_driver_burns_the_charges_and_everyone_is_told_of_each)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_do(boris, "dlmp.add_vehicle_component v%u 1009", car);
    ck_assert_uint_eq(next_tuning(boris).nitro, 2);
    scene_sit(anna, car, 0);
    anna->client.drive.nitro = -0.5F;
    ck_assert_uint_eq(next_tuning(boris).nitro, 1);
    ck_assert_uint_eq(next_tuning(anna).nitro, 1);
    TOWN_UNTIL(town_frame(boris, car) != NULL && town_frame(boris, car)->nitro < 0);
    anna->client.drive.nitro = 1;
    TOWN_UNTIL(town_frame(boris, car)->nitro > 0);
    anna->client.drive.nitro = -1; /* not within 18 s */
    scene_drive(anna, 0, 5);
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 5));
    ck_assert_float_eq(town_frame(boris, car)->nitro, 1);
    scene_do(boris, "dlmp.remove_vehicle_component v%u 1009", car);
    ck_assert_uint_eq(next_tuning(boris).nitro, 0);
}
END_TEST

static struct wire_vehicle_handling next_handling(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_HANDLING)->vehicle_handling;
}

START_TEST(v_handl_2_3_15_the_whole_handling_goes_to_everyone_and_follows_a_show)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara;
    struct wire_vehicle_handling handling;

    scene_do(anna, "dlmp.set_vehicle_handling v%u max_velocity 300", car);
    ck_assert_uint_eq(next_handling(boris).mask, 1U << 17);
    scene_do(anna, "dlmp.set_vehicle_handling v%u number_of_gears 4", car);
    scene_refused(anna, "dlmp.set_vehicle_handling v%u number_of_gears 4.5", car);
    scene_refused(anna, "dlmp.set_vehicle_handling v%u mass 0", car);
    clara = scene_join("clara", car);
    handling = next_handling(clara);
    ck_assert_uint_eq(handling.mask, 1U << 17 | 1U << 20);
    ck_assert_float_eq(handling.values[17], 300);
    ck_assert_float_eq(handling.values[20], 4);
    ck_assert_int_lt((int32_t)(scene_take_show(clara, car).event_id - handling.event_id), 0);
    scene_do(anna, "dlmp.set_vehicle_handling v%u max_velocity", car);
    handling = next_handling(clara);
    ck_assert_uint_eq(handling.mask, 1U << 20);
    ck_assert_float_eq(handling.values[17], 0);
}
END_TEST

START_TEST(v_color_1_3_a_repaint_goes_to_everyone_and_the_same_again_to_nobody)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara;
    struct wire_vehicle_colors colors;
    struct wire_vehicle_sync show;

    scene_do(anna, "dlmp.set_vehicle_colors v%u 3 127; dlmp.set_vehicle_colors v%u 3 127", car, car);
    scene_refused(anna, "dlmp.set_vehicle_colors v%u 128 0", car);
    scene_do(anna, "dlmp.set_vehicle_colors v%u 4 5", car);
    colors = town_take(boris, PACKET_VEHICLE_COLORS)->vehicle_colors;
    ck_assert_uint_eq(colors.color1, 3);
    ck_assert_uint_eq(colors.color2, 127);
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_COLORS)->vehicle_colors.color1, 4);
    clara = scene_join("clara", car);
    show = scene_take_show(clara, car);
    ck_assert_uint_eq(show.color1, 4);
    ck_assert_uint_eq(show.color2, 5);
}
END_TEST

/* ---- VehicleTransform */

static struct wire_vehicle_transform next_transform(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_TRANSFORM)->vehicle_transform;
}

START_TEST(v_xform_1_3_6_a_driven_car_is_placed_and_a_frame_from_before_does_not_undo_it)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct wire_vehicle_transform transform;

    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_position v%u 20 40 12", car);
    transform = next_transform(anna); /* the driver as well */
    ck_assert_uint_eq(transform.flags, XFORM_POSITION);
    ck_assert_float_eq(transform.pos[1], 40);
    ck_assert_float_eq(transform.rot[3], 0);
    ck_assert_uint_eq(next_transform(boris).pose_rev, transform.pose_rev);
    TOWN_UNTIL(scene_sees_at(boris, car, 20, 40));
    scene_copy(anna, car)->pose_rev--; /* as if she had not taken it yet */
    for (int i = 0; i < 3; i++) {
        uint64_t sent = anna->client.stats.packets_out[wire_vehicle_frame_packet.index];

        scene_drive(anna, 0, 5);
        TOWN_UNTIL(anna->client.stats.packets_out[wire_vehicle_frame_packet.index] > sent);
    }
    ck_assert_str_eq(scene_ask(anna, "v%u:position", car), "20 40 12");
    ck_assert(scene_sees_at(boris, car, 20, 40));
    scene_copy(anna, car)->pose_rev++;
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 5));
    scene_do(boris, "dlmp.set_vehicle_velocity v%u 10 0 0", car);
    transform = next_transform(boris);
    ck_assert_uint_eq(transform.flags, XFORM_VELOCITY);
    ck_assert_float_eq_tol(transform.move_speed[0], 0.2F, 1e-6F); /* per step */
    scene_do(boris, "dlmp.set_vehicle_turn_velocity v%u 0 0 5", car);
    ck_assert_float_eq_tol(next_transform(boris).turn_speed[2], 0.1F, 1e-6F);
}
END_TEST

START_TEST(v_xform_20_21_a_car_that_is_placed_far_away_takes_its_people_along_and_is_hidden)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_position v%u 0 1000 10", car);
    TOWN_UNTIL(town_vehicle(boris, car) == NULL);
    ck_assert_ptr_nonnull(town_vehicle(anna, car));
    TOWN_UNTIL(!client_sees(&boris->client, anna->client.player_id, anna->client.player_token));
    scene_do(boris, "dlmp.set_vehicle_position v%u 0 6 10", car);
    TOWN_UNTIL(town_sees_seated(boris, car, 0, anna));
}
END_TEST

START_TEST(v_xform_7_8_10_12_a_frozen_car_stays_whatever_its_driver_says)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint32_t train = scene_make(TRAIN, 8, 0);
    struct resident *clara;
    struct wire_vehicle_transform transform;
    const struct wire_vehicle_state *frame;

    scene_refused(boris, "dlmp.set_vehicle_frozen v%u true", train);
    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_frozen v%u true", car);
    transform = next_transform(anna);
    ck_assert_uint_eq(transform.flags, XFORM_POSITION | XFORM_ROTATION | XFORM_FROZEN);
    ck_assert_float_eq(transform.pos[1], 4);
    scene_refused(boris, "dlmp.set_vehicle_velocity v%u 1 0 0", car);
    anna->client.drive.pos[1] = 50; /* drives on */
    anna->client.drive.move_speed[1] = 1;
    anna->client.drive.steer = 0.25F;
    TOWN_UNTIL((frame = town_frame(boris, car)) != NULL && frame->steer == 0.25F);
    ck_assert_float_eq(frame->pos[1], 4);
    ck_assert_float_eq(frame->move_speed[1], 0);
    clara = scene_join("clara", car);
    transform = next_transform(clara);
    ck_assert_uint_eq(transform.flags, XFORM_POSITION | XFORM_ROTATION | XFORM_FROZEN);
    ck_assert_uint_eq(transform.pose_rev, scene_take_show(clara, car).pose_rev);
    scene_do(boris, "dlmp.set_vehicle_frozen v%u false", car);
    transform = next_transform(clara);
    ck_assert_uint_eq(transform.flags, 0);
    ck_assert_float_eq(transform.pos[1], 0);
    TOWN_UNTIL(town_frame(boris, car)->pos[1] == 50);
}
END_TEST

START_TEST(v_xform_13_a_car_on_its_roof_is_turned_over_for_who_comes_later)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara;
    struct wire_vehicle_transform transform;

    scene_do(anna, "dlmp.set_vehicle_rotation v%u 0 1 0 0", car);
    ck_assert_uint_eq(next_transform(boris).flags, XFORM_ROTATION);
    clara = scene_join("clara", car);
    transform = next_transform(clara);
    ck_assert_uint_eq(transform.flags, XFORM_ROTATION);
    ck_assert_float_eq(transform.rot[1], 1);
}
END_TEST

Suite *vehicle_commands_suite(void)
{
    Suite *suite = suite_create("vehicle_commands");
    TCase *tcase = scene_case();

    tcase_add_test(tcase,
                   v_params_2_3_5_a_parameter_that_changes_is_told_to_everyone_and_shown_to_who_comes_later);
    tcase_add_test(tcase, v_params_4_6_7_a_lock_and_an_arrow_for_one_concern_nobody_else);
    tcase_add_test(tcase,
                   v_siren_2_4_5_a_siren_that_was_given_is_switched_by_the_driver_but_not_over_a_command);
    tcase_add_test(tcase, v_ctrl_4_5_a_handler_may_refuse_the_drivers_key_and_nobody_locks_by_key);
    tcase_add_test(tcase, v_tune_2_3_the_whole_tuning_goes_to_everyone_and_follows_a_show);
    tcase_add_test(tcase, v_tune_7_8_11_12_13_a_vehicle_takes_what_the_games_data_lets_it);
    tcase_add_test(tcase, v_nitro_4_9_a_driver_burns_the_charges_and_everyone_is_told_of_each);
    tcase_add_test(tcase, v_handl_2_3_15_the_whole_handling_goes_to_everyone_and_follows_a_show);
    tcase_add_test(tcase, v_color_1_3_a_repaint_goes_to_everyone_and_the_same_again_to_nobody);
    tcase_add_test(tcase, v_xform_1_3_6_a_driven_car_is_placed_and_a_frame_from_before_does_not_undo_it);
    tcase_add_test(tcase, v_xform_20_21_a_car_that_is_placed_far_away_takes_its_people_along_and_is_hidden);
    tcase_add_test(tcase, v_xform_7_8_10_12_a_frozen_car_stays_whatever_its_driver_says);
    tcase_add_test(tcase, v_xform_13_a_car_on_its_roof_is_turned_over_for_who_comes_later);
    suite_add_tcase(suite, tcase);
    return suite;
}
