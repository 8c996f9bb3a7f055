/* The Vehicles page over real UDP, its seats and frames: two and three clients on two gateways, one cluster
 * for all scenarios. Each has a car of its own among those of the town. */
#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

/* The car of a scenario, shown to both. */
static uint32_t car_at(float x, float y)
{
    uint32_t id = town_vehicle_at(anna, x, y);

    TOWN_UNTIL(town_vehicle(boris, id) != NULL);
    return id;
}

START_TEST(v_sync_13_who_joins_is_shown_the_vehicles_around)
{
    struct resident *clara = town_join("clara");

    TOWN_UNTIL(clara->client.view.vehicles_count == 14);
    ck_assert_uint_eq(town_vehicle(clara, town_vehicle_at(clara, 0, 100))->model, 411);
}
END_TEST

START_TEST(v_sync_11_a_car_that_drives_off_is_hidden_and_shown_with_its_driver_when_it_is_back)
{
    uint32_t car = car_at(-8, 4);

    scene_sit(anna, car, 0);
    scene_drive(anna, -8, 400);
    TOWN_UNTIL(town_vehicle(boris, car) == NULL);
    ck_assert_ptr_nonnull(town_vehicle(anna, car));
    town_forget();
    scene_drive(anna, -8, 5);
    TOWN_UNTIL(town_sees_seated(boris, car, 0, anna));
    ck_assert_uint_eq(scene_take_seat(boris).kind, KIND_WARP);
}
END_TEST

START_TEST(v_enter_18_an_entry_is_seen_by_everyone_near)
{
    struct resident *clara = town_join("clara");
    uint32_t car = car_at(-4, 4);
    struct wire_vehicle_occupancy seen;

    TOWN_UNTIL(town_vehicle(clara, car) != NULL);
    town_forget();
    scene_enter(anna, car, 1);
    seen = scene_take_seat(clara);
    ck_assert_uint_eq(seen.kind, KIND_ENTER);
    ck_assert_uint_eq(seen.seat, 1);
    ck_assert_uint_eq(seen.player_token, anna->client.player_token);
    ck_assert_uint_eq(scene_take_seat(boris).kind, KIND_ENTER);
    ck_assert_uint_eq(scene_take_seat(anna).kind, KIND_ENTER);
    TOWN_UNTIL(anna->client.frame.vehicle_id == car);
}
END_TEST

START_TEST(v_enter_15_a_refusal_reaches_the_requester_alone)
{
    uint32_t car = car_at(0, 4);
    uint32_t far = town_vehicle_at(anna, 0, 100);

    scene_sit(anna, car, 1);
    scene_enter(boris, car, 1); /* taken */
    scene_enter(boris, car, 2); /* no such seat */
    scene_enter(boris, far, 0); /* too far away */
    TOWN_UNTIL(boris->client.denied == 3);
    scene_enter(boris, car, 0);
    TOWN_UNTIL(town_sees_seated(anna, car, 0, boris)); /* after which a deny would have come */
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_OCCUPANCY), 1);
    ck_assert(town_sees_free(anna, far, 0));
}
END_TEST

START_TEST(v_jack_5_the_wheel_changes_hands)
{
    struct resident *clara = town_join("clara");
    uint32_t car = car_at(4, 4);
    struct wire_vehicle_occupancy jacked;
    struct wire_vehicle_occupancy entered;

    TOWN_UNTIL(town_vehicle(clara, car) != NULL);
    scene_sit(anna, car, 0);
    TOWN_UNTIL(town_sees_seated(clara, car, 0, anna));
    town_forget();
    scene_enter(boris, car, 0);
    jacked = scene_take_seat(clara);
    entered = scene_take_seat(clara);
    ck_assert_uint_eq(jacked.kind, KIND_JACKED);
    ck_assert_uint_eq(jacked.player_id, anna->client.player_id);
    ck_assert_uint_eq(entered.kind, KIND_ENTER);
    ck_assert_uint_eq(entered.player_id, boris->client.player_id);
    TOWN_UNTIL(boris->client.frame.vehicle_id == car && anna->client.frame.vehicle_id == WIRE_NONE);
}
END_TEST

START_TEST(v_exit_3_an_exit_frees_the_seat_and_the_car_gets_a_syncer)
{
    uint32_t car = car_at(8, 4);

    scene_sit(anna, car, 0);
    ck_assert(client_exit(&anna->client, clock_ms(), car));
    ck_assert(client_exit(&anna->client, clock_ms(), car)); /* again: nothing */
    TOWN_UNTIL(town_sees_free(boris, car, 0));
    TOWN_UNTIL(town_vehicle(anna, car)->is_synced || town_vehicle(boris, car)->is_synced);
    scene_enter(boris, car, 0);
    TOWN_UNTIL(town_sees_seated(anna, car, 0, boris));
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_OCCUPANCY), 2);
}
END_TEST

START_TEST(v_occ_2_a_death_frees_the_seat)
{
    uint32_t car = car_at(-8, -4);

    scene_sit(anna, car, 0);
    ck_assert(client_die(&anna->client, clock_ms()));
    ck_assert_uint_eq(scene_take_seat(boris).kind, KIND_EXIT);
    TOWN_UNTIL(anna->client.state == CLIENT_SPAWNED);
    scene_sit(anna, car, 0);
}
END_TEST

START_TEST(v_occ_9_a_disconnect_frees_the_seat_without_a_word)
{
    uint32_t car = car_at(-4, -4);

    scene_sit(anna, car, 0);
    town_leave(anna);
    (void)town_take(boris, PACKET_PLAYER_LEAVE);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_OCCUPANCY), 0);
    scene_enter(boris, car, 0);
    TOWN_UNTIL(boris->client.frame.vehicle_id == car);
    ck_assert_uint_eq(scene_take_seat(boris).kind, KIND_ENTER);
}
END_TEST

START_TEST(v_relay_1_a_driven_car_moves_for_everyone_and_carries_its_passenger)
{
    struct resident *clara = town_join("clara");
    uint32_t car = car_at(0, -4);
    uint32_t mark;

    TOWN_UNTIL(town_vehicle(clara, car) != NULL);
    scene_sit(anna, car, 0);
    scene_sit(boris, car, 1);
    mark = town_vehicle(clara, car)->mark;
    for (int i = 1; i <= 5; i++) {
        float y = -4 - (float)i;

        scene_drive(anna, 0, y);
        TOWN_UNTIL(scene_sees_at(clara, car, 0, y) && scene_sees_at(boris, car, 0, y));
    }
    ck_assert_int_gt((int32_t)(town_vehicle(clara, car)->mark - mark), 4);
    ck_assert_float_eq(boris->client.frame.pos[1], -9);
    ck_assert_uint_eq(anna->client.stats.packets_in[wire_remote_vehicle_frame_packet.index], 0);
}
END_TEST

START_TEST(v_frame_2_a_paused_driver_hands_the_car_to_a_syncer_and_takes_it_back)
{
    uint32_t car = car_at(4, -4);

    scene_sit(anna, car, 0);
    anna->client.frame.flags |= 8; /* Player: Frame.flags, paused */
    anna->client.moved = true;
    TOWN_UNTIL(town_vehicle(boris, car)->is_synced);
    anna->client.frame.flags &= (uint8_t)~8U;
    anna->client.moved = true;
    TOWN_UNTIL(!town_vehicle(boris, car)->is_synced);
    scene_drive(anna, 5, -4);
    TOWN_UNTIL(scene_sees_at(boris, car, 5, -4));
}
END_TEST

START_TEST(v_limit_2_a_burst_of_requests_is_answered_as_far_as_the_limit_goes)
{
    uint32_t car = car_at(8, -4);

    for (int i = 0; i < 60; i++)
        scene_enter(anna, car, 9);
    TOWN_UNTIL(anna->client.denied >= 30);
    TOWN_UNTIL(anna->client.out.count == 0); /* the rest was acknowledged */
    ck_assert_uint_lt(anna->client.denied, 60);
}
END_TEST

START_TEST(v_enter_18_seats_agree_over_a_bad_line)
{
    uint32_t car = car_at(8, -4);

    anna->loss = boris->loss = 0.25;
    for (int i = 0; i < 4; i++) {
        struct resident *who = i % 2 == 0 ? anna : boris;

        scene_enter(who, car, 0);
        TOWN_UNTIL(town_sees_seated(anna, car, 0, who) && town_sees_seated(boris, car, 0, who));
        ck_assert(client_exit(&who->client, clock_ms(), car));
        TOWN_UNTIL(town_sees_free(anna, car, 0) && town_sees_free(boris, car, 0));
    }
    anna->loss = boris->loss = 0;
}
END_TEST

START_TEST(v_ctrl_6_a_drivers_key_switches_the_lights_for_everyone)
{
    uint32_t car = car_at(-8, -4);

    scene_sit(anna, car, 0);
    scene_say(anna, &wire_vehicle_control_packet,
              &(struct wire_vehicle_control){ .vehicle_id = car, .control = 1, .value = 1 });
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_PARAMS)->vehicle_params.params & 2, 2);
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_PARAMS)->vehicle_params.params & 2, 2);
}
END_TEST

START_TEST(v_rdmg_1_damage_is_told_to_the_others_and_shown_to_who_comes_later)
{
    uint32_t car = car_at(-4, 4);
    struct wire_vehicle_damage report = { .vehicle_id = car };
    struct resident *clara;

    scene_sit(anna, car, 0);
    report.epoch = scene_copy(anna, car)->epoch;
    report.status.panels = 2;
    scene_say(anna, &wire_vehicle_damage_packet, &report);
    ck_assert_uint_eq(town_take(boris, PACKET_REMOTE_VEHICLE_DAMAGE)->remote_vehicle_damage.status.panels, 2);
    ck_assert_uint_eq(town_count(anna, PACKET_REMOTE_VEHICLE_DAMAGE), 0);
    clara = town_join("clara");
    ck_assert_uint_eq(scene_take_show(clara, car).damage.panels, 2);
}
END_TEST

START_TEST(v_tow_20_a_tow_truck_hitches_a_car_and_lets_it_go)
{
    uint32_t truck = car_at(0, 8);
    uint32_t car = car_at(0, 4);
    struct wire_vehicle_tow tow = { .trailer_id = car, .tractor_id = truck };

    scene_sit(anna, truck, 0);
    scene_say(anna, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_TRAILER)->vehicle_trailer.tractor_id, truck);
    TOWN_UNTIL(town_vehicle(anna, car)->is_synced);
    tow.tractor_id = WIRE_NONE;
    scene_say(boris, &wire_vehicle_tow_packet, &tow); /* who drives nothing gets the server's hitch */
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_TRAILER)->vehicle_trailer.tractor_id, truck);
    scene_say(anna, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_TRAILER)->vehicle_trailer.tractor_id, WIRE_NONE);
}
END_TEST

START_TEST(v_renter_6_an_rc_is_taken_by_key_and_given_back)
{
    uint32_t rc = car_at(0, -8);

    scene_say(anna, &wire_vehicle_remote_enter_packet,
              &(struct wire_vehicle_remote_enter){ .vehicle_id = rc });
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_REMOTE)->vehicle_remote.vehicle_id, rc);
    TOWN_UNTIL(town_vehicle(anna, rc)->is_synced);
    scene_say(anna, &wire_vehicle_remote_exit_packet, &(struct wire_vehicle_remote_exit){ .vehicle_id = rc });
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_REMOTE)->vehicle_remote.vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_train_1_a_train_that_leaves_its_rails_is_derailed_for_everyone_and_takes_nobody)
{
    uint32_t train = car_at(12, 0);

    scene_sit(anna, train, 0);
    scene_drive(anna, 12, 1);
    anna->client.drive.rail_speed = 1;
    anna->client.drive.flags = 1 << 5;
    ck_assert_uint_eq(town_take(boris, PACKET_TRAIN_STATE)->train_state.flags & 2, 2);
    scene_enter(boris, train, 1);
    TOWN_UNTIL(boris->client.denied == 1);
}
END_TEST

Suite *vehicles_suite(void)
{
    Suite *suite = suite_create("vehicles");
    TCase *tcase = scene_case();

    tcase_add_test(tcase, v_sync_13_who_joins_is_shown_the_vehicles_around);
    tcase_add_test(tcase,
                   v_sync_11_a_car_that_drives_off_is_hidden_and_shown_with_its_driver_when_it_is_back);
    tcase_add_test(tcase, v_enter_18_an_entry_is_seen_by_everyone_near);
    tcase_add_test(tcase, v_enter_15_a_refusal_reaches_the_requester_alone);
    tcase_add_test(tcase, v_jack_5_the_wheel_changes_hands);
    tcase_add_test(tcase, v_exit_3_an_exit_frees_the_seat_and_the_car_gets_a_syncer);
    tcase_add_test(tcase, v_occ_2_a_death_frees_the_seat);
    tcase_add_test(tcase, v_occ_9_a_disconnect_frees_the_seat_without_a_word);
    tcase_add_test(tcase, v_relay_1_a_driven_car_moves_for_everyone_and_carries_its_passenger);
    tcase_add_test(tcase, v_frame_2_a_paused_driver_hands_the_car_to_a_syncer_and_takes_it_back);
    tcase_add_test(tcase, v_limit_2_a_burst_of_requests_is_answered_as_far_as_the_limit_goes);
    tcase_add_test(tcase, v_enter_18_seats_agree_over_a_bad_line);
    tcase_add_test(tcase, v_ctrl_6_a_drivers_key_switches_the_lights_for_everyone);
    tcase_add_test(tcase, v_rdmg_1_damage_is_told_to_the_others_and_shown_to_who_comes_later);
    tcase_add_test(tcase, v_tow_20_a_tow_truck_hitches_a_car_and_lets_it_go);
    tcase_add_test(tcase, v_renter_6_an_rc_is_taken_by_key_and_given_back);
    tcase_add_test(tcase, v_train_1_a_train_that_leaves_its_rails_is_derailed_for_everyone_and_takes_nobody);
    suite_add_tcase(suite, tcase);
    return suite;
}
