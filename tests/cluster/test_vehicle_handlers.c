/* The Vehicles page over real UDP: requests that wait for a handler, which does something to the world, so
 * that what was checked before holds no longer. */
#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { CAR = 411, TOW_TRUCK = 525, HELI = 487, RC_BANDIT = 441 };

static unsigned id_of(const struct resident *who)
{
    return who->client.player_id;
}

START_TEST(v_enter_16_an_entry_that_a_handler_refuses_is_denied)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "watch vehicle_start_enter player_enter_vehicle player_exit_vehicle");
    scene_tell(anna, "refuse vehicle_start_enter v%u", car);
    scene_enter(anna, car, 1);
    scene_raised(boris, "vehicle_start_enter v%u p%u 1 nil", car, id_of(anna));
    TOWN_UNTIL(anna->client.denied == 1);
    scene_tell(anna, "allow");
    scene_enter(anna, car, 1);
    scene_raised(boris, "player_enter_vehicle p%u v%u 1", id_of(anna), car);
    TOWN_UNTIL(town_sees_seated(anna, car, 1, anna));
    ck_assert(client_exit(&anna->client, clock_ms(), car));
    scene_raised(boris, "player_exit_vehicle p%u v%u 1", id_of(anna), car);
}
END_TEST

START_TEST(v_enter_17_a_seat_that_is_taken_in_the_handler_is_denied)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "when vehicle_start_enter v%u dlmp.put_player_in_vehicle p%u v%u 0", car, id_of(boris),
               car);
    scene_enter(anna, car, 0);
    TOWN_UNTIL(anna->client.denied == 1 && town_sees_seated(anna, car, 0, boris));
}
END_TEST

START_TEST(v_enter_17_a_vehicle_that_is_gone_after_the_handler_is_denied)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "when vehicle_start_enter v%u dlmp.destroy_vehicle v%u", car, car);
    scene_enter(anna, car, 0);
    TOWN_UNTIL(anna->client.denied == 1 && town_vehicle(anna, car) == NULL);
}
END_TEST

START_TEST(v_jack_4_a_handler_keeps_the_driver_at_the_wheel)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(anna, "watch vehicle_start_enter vehicle_jack");
    scene_sit(anna, car, 0);
    scene_tell(anna, "refuse vehicle_jack v%u", car);
    scene_enter(boris, car, 0);
    scene_raised(anna, "vehicle_start_enter v%u p%u 0 p%u", car, id_of(boris), id_of(anna));
    scene_raised(anna, "vehicle_jack v%u p%u p%u", car, id_of(boris), id_of(anna));
    TOWN_UNTIL(boris->client.denied == 1);
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_OCCUPANCY), 0);
    scene_tell(anna, "allow");
    scene_enter(boris, car, 0);
    TOWN_UNTIL(town_sees_seated(anna, car, 0, boris));
}
END_TEST

START_TEST(v_jack_7_a_wheel_that_the_handler_frees_is_a_plain_entry)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_sit(anna, car, 0);
    scene_tell(anna, "when vehicle_jack v%u dlmp.remove_player_from_vehicle p%u", car, id_of(anna));
    scene_enter(boris, car, 0);
    ck_assert_uint_eq(scene_take_seat(anna).kind, KIND_EXIT);
    ck_assert_uint_eq(scene_take_seat(anna).kind, KIND_ENTER);
}
END_TEST

/* A setting of the cluster holds once the coordinator has told it, which a message to all comes after. */
static void set_jacking(bool on)
{
    scene_do(anna, "dlmp.set_vehicle_jacking %s; dlmp.message_all done", on ? "true" : "false");
    (void)town_read(boris, "done");
}

START_TEST(v_jack_2_where_jacking_is_off_nobody_is_pulled_out)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(anna, "watch vehicle_start_enter");
    scene_sit(anna, car, 0);
    set_jacking(false);
    scene_enter(boris, car, 0);
    TOWN_UNTIL(boris->client.denied == 1);
    ck_assert_uint_eq(town_count_lines(anna, "! "), 0);
    set_jacking(true);
}
END_TEST

START_TEST(v_tow_20_a_trailer_that_is_gone_after_the_handler_is_hitched_to_nothing)
{
    uint32_t truck = scene_make(TOW_TRUCK, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    uint32_t other = scene_make(CAR, 8, 4);
    struct wire_vehicle_tow tow = { .tractor_id = truck };

    scene_sit(anna, truck, 0);
    scene_tell(anna, "when trailer_attach v%u dlmp.destroy_vehicle v%u", car, car);
    tow.trailer_id = car;
    scene_say(anna, &wire_vehicle_tow_packet, &tow);
    TOWN_UNTIL(town_vehicle(anna, car) == NULL);
    scene_tell(anna, "when trailer_attach v%u dlmp.set_vehicle_frozen v%u true", other, truck);
    tow.trailer_id = other;
    scene_say(anna, &wire_vehicle_tow_packet, &tow);
    TOWN_UNTIL(town_count(boris, PACKET_VEHICLE_TRANSFORM) == 1);
    ck_assert_str_eq(scene_ask(anna, "v%u:trailer", truck), "nil");
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_TRAILER), 0);
}
END_TEST

START_TEST(v_winch_18_a_winch_that_the_handler_takes_away_lifts_nothing)
{
    uint32_t heli = scene_make(HELI, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    const struct wire_vehicle_winch winch = { .vehicle_id = car, .heli_id = heli };

    scene_do(anna, "dlmp.set_vehicle_winch v%u magnet", heli);
    scene_sit(anna, heli, 0);
    scene_tell(anna, "when winch_attach v%u dlmp.set_vehicle_winch v%u", car, heli);
    scene_say(anna, &wire_vehicle_winch_packet, &winch);
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_LIFT)->vehicle_lift.heli_id, WIRE_NONE);
    ck_assert_str_eq(scene_ask(anna, "v%u:load", heli), "nil");
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_LIFT), 0);
}
END_TEST

START_TEST(v_renter_6_an_rc_that_somebody_else_gets_in_the_handler_is_not_granted)
{
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);

    scene_tell(boris, "when player_remote_enter v%u dlmp.set_remote_vehicle p%u v%u false", rc, id_of(boris),
               rc);
    scene_say(anna, &wire_vehicle_remote_enter_packet,
              &(struct wire_vehicle_remote_enter){ .vehicle_id = rc });
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_REMOTE)->vehicle_remote.vehicle_id, rc);
    (void)scene_ask(anna, "v%u:syncer", rc);
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_ctrl_5_a_driver_who_is_out_after_the_handler_has_switched_nothing)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_sit(anna, car, 0);
    scene_tell(boris, "when vehicle_control v%u dlmp.destroy_vehicle v%u", car, car);
    scene_say(anna, &wire_vehicle_control_packet,
              &(struct wire_vehicle_control){ .vehicle_id = car, .control = 0, .value = 1 });
    TOWN_UNTIL(town_vehicle(anna, car) == NULL && anna->client.frame.vehicle_id == WIRE_NONE);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_PARAMS), 0);
}
END_TEST

START_TEST(v_expl_10_a_wreck_may_respawn_or_go_in_the_handler)
{
    uint32_t first = scene_make(CAR, 0, 4);
    uint32_t second = scene_make(CAR, 4, 4);
    const uint32_t cars[] = { first, second };

    scene_tell(boris, "when vehicle_death v%u dlmp.respawn_vehicle v%u", first, first);
    scene_tell(boris, "when vehicle_death v%u dlmp.destroy_vehicle v%u", second, second);
    for (int i = 0; i < 2; i++) {
        const struct wire_vehicle_explode drowned = { .vehicle_id = cars[i], .cause = 1 };

        scene_sit(anna, cars[i], 0);
        scene_say(anna, &wire_vehicle_explode_packet, &drowned);
        TOWN_UNTIL(anna->client.frame.vehicle_id == WIRE_NONE);
    }
    TOWN_UNTIL(town_vehicle(boris, second) == NULL);
    ck_assert_uint_eq(town_vehicle(boris, first)->epoch, 1);
    ck_assert(!town_vehicle(boris, first)->is_wrecked);
}
END_TEST

START_TEST(v_enter_17_a_player_who_is_kicked_in_the_handler_sits_nowhere)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara = scene_join("clara", car);

    scene_tell(boris, "when vehicle_start_enter v%u p%u:kick Enough", car, id_of(clara));
    scene_enter(clara, car, 0);
    TOWN_UNTIL(clara->client.end == CLIENT_END_KICKED);
    (void)town_take(boris, PACKET_PLAYER_LEAVE);
    scene_sit(anna, car, 0);
}
END_TEST

START_TEST(v_syncer_14_changes_within_one_pass_are_told_as_one)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_sit(anna, car, 1); /* so she syncs it */
    TOWN_UNTIL(scene_copy(anna, car)->is_synced);
    scene_tell(boris, "watch vehicle_syncer");
    scene_do(boris, "p%u:set_frozen true; p%u:set_frozen false", id_of(anna), id_of(anna));
    (void)scene_ask(boris, "v%u:health", car);
    ck_assert_uint_eq(town_count_lines(boris, "! "), 0);
}
END_TEST

Suite *vehicle_handlers_suite(void)
{
    Suite *suite = suite_create("vehicle_handlers");
    TCase *tcase = scene_case();

    tcase_add_test(tcase, v_enter_16_an_entry_that_a_handler_refuses_is_denied);
    tcase_add_test(tcase, v_enter_17_a_seat_that_is_taken_in_the_handler_is_denied);
    tcase_add_test(tcase, v_enter_17_a_vehicle_that_is_gone_after_the_handler_is_denied);
    tcase_add_test(tcase, v_jack_4_a_handler_keeps_the_driver_at_the_wheel);
    tcase_add_test(tcase, v_jack_7_a_wheel_that_the_handler_frees_is_a_plain_entry);
    tcase_add_test(tcase, v_jack_2_where_jacking_is_off_nobody_is_pulled_out);
    tcase_add_test(tcase, v_tow_20_a_trailer_that_is_gone_after_the_handler_is_hitched_to_nothing);
    tcase_add_test(tcase, v_winch_18_a_winch_that_the_handler_takes_away_lifts_nothing);
    tcase_add_test(tcase, v_renter_6_an_rc_that_somebody_else_gets_in_the_handler_is_not_granted);
    tcase_add_test(tcase, v_ctrl_5_a_driver_who_is_out_after_the_handler_has_switched_nothing);
    tcase_add_test(tcase, v_expl_10_a_wreck_may_respawn_or_go_in_the_handler);
    tcase_add_test(tcase, v_enter_17_a_player_who_is_kicked_in_the_handler_sits_nowhere);
    tcase_add_test(tcase, v_syncer_14_changes_within_one_pass_are_told_as_one);
    suite_add_tcase(suite, tcase);
    return suite;
}
