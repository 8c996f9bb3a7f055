/* The Vehicles page over real UDP: what hangs on what, trains, remote control, and who syncs what. */
#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { CAR = 411, TOW_TRUCK = 525, HELI = 487, RC_BANDIT = 441, FREIGHT_TRAIN = 537 };
enum { PARAM_LOCKED = 1 << 2, PARAM_MAGNET = 1 << 3 };                            /* VehicleParams.params */
enum { TRAIN_CLOCKWISE = 1 << 0, TRAIN_DERAILED = 1 << 1, TRAIN_SPEED = 1 << 2 }; /* TrainState.flags */
enum { SHOW_CLOCKWISE = 1 << 2, SHOW_DERAILED = 1 << 3 };                         /* VehicleSync.flags */
enum { FRAME_DERAILED = 1 << 5 };                                                 /* VehicleState.flags */

static unsigned id_of(const struct resident *who)
{
    return who->client.player_id;
}

static bool syncs(struct resident *who, uint32_t vehicle_id)
{
    return scene_copy(who, vehicle_id)->is_synced;
}

/* ---- trailers */

static void tow(struct resident *who, uint32_t trailer, uint32_t tractor)
{
    const struct wire_vehicle_tow report = {
        .trailer_id = trailer,
        .trailer_epoch = scene_copy(who, trailer)->epoch,
        .tractor_id = tractor,
        .tractor_epoch = tractor == WIRE_NONE ? 0 : scene_copy(who, tractor)->epoch,
    };

    scene_say(who, &wire_vehicle_tow_packet, &report);
}

static uint32_t next_tractor(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_TRAILER)->vehicle_trailer.tractor_id;
}

START_TEST(v_tow_20_24_a_handler_may_refuse_a_hitch_and_is_asked_no_second_time_for_the_same)
{
    uint32_t truck = scene_make(TOW_TRUCK, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);

    scene_tell(boris, "watch trailer_attach trailer_detach");
    scene_sit(anna, truck, 0);
    scene_tell(anna, "refuse trailer_attach v%u", car);
    tow(anna, car, truck);
    ck_assert_uint_eq(next_tractor(anna), WIRE_NONE); /* her copy returns to it */
    scene_raised(boris, "trailer_attach v%u v%u p%u", car, truck, id_of(anna));
    scene_tell(anna, "allow");
    tow(anna, car, truck);
    ck_assert_uint_eq(next_tractor(anna), truck);
    ck_assert_uint_eq(next_tractor(boris), truck); /* nothing of the refusal */
    scene_raised(boris, "trailer_attach v%u v%u p%u", car, truck, id_of(anna));
    tow(anna, car, truck);
    tow(anna, car, WIRE_NONE);
    ck_assert_uint_eq(next_tractor(boris), WIRE_NONE);
    scene_raised(boris, "trailer_detach v%u v%u p%u", car, truck, id_of(anna));
    ck_assert_uint_eq(town_count_lines(boris, "! "), 0);
}
END_TEST

START_TEST(v_tow_27_28_who_drives_the_tractor_drives_the_trailer_until_somebody_takes_its_wheel)
{
    uint32_t truck = scene_make(TOW_TRUCK, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);

    scene_tell(anna, "watch trailer_detach");
    scene_sit(anna, truck, 0);
    tow(anna, car, truck);
    TOWN_UNTIL(syncs(anna, car) && !syncs(boris, car));
    ck_assert_uint_eq(next_tractor(boris), truck);
    scene_enter(boris, car, 0);
    ck_assert_uint_eq(next_tractor(boris), WIRE_NONE);
    TOWN_UNTIL(!syncs(anna, car));
    scene_do(anna, "dlmp.set_vehicle_lights v%u true", car);
    ck_assert_uint_eq(town_count_lines(anna, "! "), 0);
}
END_TEST

START_TEST(v_tow_26_30_the_gamemode_hitches_by_the_same_rules_and_a_respawn_ends_it)
{
    uint32_t truck = scene_make(TOW_TRUCK, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    uint32_t bike = scene_make(522, 8, 4);
    uint32_t far = scene_make(CAR, 0, 30);
    struct resident *clara;
    struct wire_vehicle_trailer trailer;

    scene_tell(anna, "watch trailer_attach trailer_detach");
    scene_refused(anna, "dlmp.attach_trailer v%u v%u", bike, truck);
    scene_refused(anna, "dlmp.attach_trailer v%u v%u", far, truck);
    scene_do(anna, "dlmp.attach_trailer v%u v%u", car, truck);
    trailer = town_take(boris, PACKET_VEHICLE_TRAILER)->vehicle_trailer;
    ck_assert_uint_eq(trailer.trailer_id, car);
    ck_assert_uint_eq(trailer.tractor_id, truck);
    ck_assert_uint_eq(trailer.place, 1);
    clara = scene_join("clara", car);
    ck_assert_uint_eq(scene_take_show(clara, car).tractor_id, truck);
    scene_do(anna, "dlmp.respawn_vehicle v%u", truck);
    ck_assert_uint_eq(next_tractor(clara), WIRE_NONE);
    ck_assert_uint_eq(next_tractor(boris), WIRE_NONE);
    ck_assert_uint_eq(town_count_lines(anna, "! "), 0);
}
END_TEST

START_TEST(v_sync_15_people_and_a_trailer_go_along_into_another_world_and_back)
{
    uint32_t truck = scene_make(TOW_TRUCK, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    struct resident *clara = scene_join("clara", car);

    scene_sit(anna, truck, 0);
    scene_sit(boris, truck, 1);
    tow(anna, car, truck);
    ck_assert_uint_eq(next_tractor(clara), truck);
    scene_do(clara, "dlmp.set_vehicle_scope v%u 5 0", truck);
    TOWN_UNTIL(town_vehicle(clara, truck) == NULL && town_vehicle(clara, car) == NULL);
    TOWN_UNTIL(anna->client.virtual_world == 5 && boris->client.virtual_world == 5);
    TOWN_UNTIL(town_sees_seated(boris, truck, 0, anna) && town_sees_seated(anna, truck, 1, boris));
    TOWN_UNTIL(town_vehicle(boris, car) != NULL && syncs(anna, car));
    town_forget();
    scene_do(clara, "dlmp.set_vehicle_scope v%u 0 0", truck);
    ck_assert_uint_eq(scene_take_show(clara, car).tractor_id, truck);
    TOWN_UNTIL(town_sees_seated(clara, truck, 0, anna) && town_sees_seated(clara, truck, 1, boris));
    TOWN_UNTIL(anna->client.virtual_world == 0 && syncs(anna, car));
    ck_assert_uint_eq(town_count(clara, PACKET_VEHICLE_TRAILER), 0);
}
END_TEST

/* ---- winches */

static void winch(struct resident *who, uint32_t load, uint32_t heli)
{
    const struct wire_vehicle_winch report = {
        .vehicle_id = load,
        .vehicle_epoch = scene_copy(who, load)->epoch,
        .heli_id = heli,
        .heli_epoch = heli == WIRE_NONE ? 0 : scene_copy(who, heli)->epoch,
    };

    scene_say(who, &wire_vehicle_winch_packet, &report);
}

static uint32_t next_lifter(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_LIFT)->vehicle_lift.heli_id;
}

START_TEST(v_winch_18_21_a_magnet_takes_a_car_unless_a_handler_refuses_and_lets_it_go)
{
    uint32_t heli = scene_make(HELI, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    struct resident *clara;

    scene_tell(boris, "watch winch_attach winch_detach");
    scene_sit(anna, heli, 0);
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(anna), WIRE_NONE); /* no winch yet */
    scene_do(anna, "dlmp.set_vehicle_winch v%u magnet", heli);
    ck_assert_uint_eq(scene_take_params(boris, heli).params & PARAM_MAGNET, PARAM_MAGNET);
    scene_tell(anna, "refuse winch_attach v%u", car);
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(anna), WIRE_NONE);
    scene_raised(boris, "winch_attach v%u v%u p%u", car, heli, id_of(anna));
    scene_tell(anna, "allow");
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(boris), heli); /* nothing of the refusals */
    ck_assert_uint_eq(next_lifter(anna), heli);
    TOWN_UNTIL(syncs(anna, car));
    clara = scene_join("clara", car);
    ck_assert_uint_eq(scene_take_show(clara, car).lifter_id, heli);
    winch(boris, car, WIRE_NONE);
    ck_assert_uint_eq(next_lifter(boris), heli); /* not his */
    winch(anna, car, WIRE_NONE);
    ck_assert_uint_eq(next_lifter(clara), WIRE_NONE);
    scene_raised(boris, "winch_detach v%u v%u p%u", car, heli, id_of(anna));
}
END_TEST

START_TEST(v_winch_25_28_a_load_is_let_go_by_itself_without_an_event)
{
    uint32_t heli = scene_make(HELI, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);

    scene_sit(anna, heli, 0);
    scene_do(anna, "dlmp.set_vehicle_winch v%u magnet", heli);
    scene_tell(anna, "watch winch_detach");
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(boris), heli);
    scene_enter(boris, car, 1);
    ck_assert_uint_eq(next_lifter(boris), WIRE_NONE);
    TOWN_UNTIL(town_sees_seated(anna, car, 1, boris) && town_sees_seated(boris, car, 1, boris));
    ck_assert(client_exit(&boris->client, clock_ms(), car));
    TOWN_UNTIL(town_sees_free(anna, car, 1));
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(boris), heli);
    scene_do(anna, "dlmp.set_vehicle_winch v%u small", heli);
    ck_assert_uint_eq(next_lifter(boris), WIRE_NONE);
    ck_assert_uint_eq(town_count_lines(anna, "! "), 0);
}
END_TEST

START_TEST(v_winch_17_a_frozen_vehicle_is_neither_towed_nor_lifted)
{
    uint32_t heli = scene_make(HELI, 0, 4);
    uint32_t truck = scene_make(TOW_TRUCK, 4, 4);
    uint32_t car = scene_make(CAR, 8, 4);

    scene_do(anna, "dlmp.set_vehicle_winch v%u magnet; dlmp.set_vehicle_frozen v%u true", heli, car);
    scene_refused(anna, "dlmp.attach_trailer v%u v%u", car, truck);
    scene_sit(anna, heli, 0);
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(anna), WIRE_NONE);
    scene_do(anna, "dlmp.set_vehicle_frozen v%u false", car);
    winch(anna, car, heli);
    ck_assert_uint_eq(next_lifter(anna), heli);
    scene_do(anna, "dlmp.set_vehicle_frozen v%u true", car); /* releases it first */
    ck_assert_uint_eq(next_lifter(boris), heli);
    ck_assert_uint_eq(next_lifter(boris), WIRE_NONE);
}
END_TEST

/* ---- trains */

static struct wire_train_state next_train_state(struct resident *who)
{
    return town_take(who, PACKET_TRAIN_STATE)->train_state;
}

START_TEST(v_train_2_the_gamemode_turns_a_train_takes_it_off_its_rails_and_gives_it_speed)
{
    uint32_t train = scene_make(FREIGHT_TRAIN, 8, 0);
    struct resident *clara;
    struct wire_train_state state;

    scene_do(anna, "dlmp.set_train_direction v%u true", train);
    ck_assert_uint_eq(next_train_state(boris).flags, TRAIN_CLOCKWISE);
    scene_do(anna, "dlmp.set_train_speed v%u 10", train);
    state = next_train_state(boris);
    ck_assert_uint_eq(state.flags, TRAIN_CLOCKWISE | TRAIN_SPEED);
    ck_assert_float_eq_tol(state.speed, 0.2F, 1e-6F); /* per step */
    scene_do(anna, "dlmp.set_train_derailed v%u true", train);
    ck_assert_uint_eq(next_train_state(boris).flags, TRAIN_CLOCKWISE | TRAIN_DERAILED);
    clara = scene_join("clara", train);
    ck_assert_uint_eq(scene_take_show(clara, train).flags, SHOW_CLOCKWISE | SHOW_DERAILED);
    scene_refused(anna, "dlmp.set_train_speed v%u 10", train);
    scene_enter(boris, train, 0);
    TOWN_UNTIL(boris->client.denied == 1);
    scene_do(anna, "dlmp.put_player_in_vehicle p%u v%u 0", id_of(boris), train); /* may */
    TOWN_UNTIL(town_sees_seated(clara, train, 0, boris));
    scene_do(anna, "dlmp.set_train_derailed v%u false", train);
    ck_assert_uint_eq(next_train_state(clara).flags, TRAIN_CLOCKWISE);
}
END_TEST

START_TEST(v_field_25_27_a_train_put_back_on_its_rails_stays_there_until_a_frame_has_shown_it_so)
{
    uint32_t train = scene_make(FREIGHT_TRAIN, 8, 0);

    scene_sit(anna, train, 0);
    anna->client.drive.rail_speed = 1;
    anna->client.drive.flags = FRAME_DERAILED;
    ck_assert_uint_eq(next_train_state(boris).flags & TRAIN_DERAILED, TRAIN_DERAILED);
    TOWN_UNTIL(town_frame(boris, train) != NULL && (town_frame(boris, train)->flags & FRAME_DERAILED) != 0);
    scene_do(boris, "dlmp.set_train_derailed v%u false", train);
    ck_assert_uint_eq(next_train_state(boris).flags & TRAIN_DERAILED, 0);
    for (int i = 1; i <= 3; i++) { /* she still says that it is derailed */
        scene_drive(anna, 8, (float)i);
        TOWN_UNTIL(scene_sees_at(boris, train, 8, (float)i));
    }
    ck_assert_uint_eq(town_frame(boris, train)->flags & FRAME_DERAILED, 0);
    ck_assert_uint_eq(town_count(boris, PACKET_TRAIN_STATE), 0);
    anna->client.drive.flags = 0;
    scene_drive(anna, 8, 5);
    TOWN_UNTIL(scene_sees_at(boris, train, 8, 5));
    anna->client.drive.flags = FRAME_DERAILED;
    ck_assert_uint_eq(next_train_state(boris).flags & TRAIN_DERAILED, TRAIN_DERAILED);
}
END_TEST

/* ---- remote control */

static struct wire_vehicle_remote next_remote(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_REMOTE)->vehicle_remote;
}

START_TEST(v_remote_7_9_the_gamemode_gives_an_rc_with_and_without_detonation_and_takes_it_back)
{
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);
    struct wire_vehicle_remote remote;

    scene_refused(anna, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), car);
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u true", id_of(anna), rc);
    remote = next_remote(anna);
    ck_assert_uint_eq(remote.vehicle_id, rc);
    ck_assert_uint_eq(remote.detonation, 1);
    TOWN_UNTIL(syncs(anna, rc) && !syncs(boris, rc));
    ck_assert(town_sees_free(boris, rc, 0));
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc);
    remote = next_remote(anna);
    ck_assert_uint_eq(remote.vehicle_id, rc);
    ck_assert_uint_eq(remote.detonation, 0);
    scene_refused(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(boris), rc); /* it is driven */
    scene_do(boris, "dlmp.remove_remote_vehicle p%u", id_of(anna));
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_rexit_3_an_rc_that_goes_too_far_is_released_and_the_gamemode_told_why)
{
    static const float near[] = { 0, 149, 10 };
    static const float beyond[] = { 0, 151, 10 };
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);

    scene_tell(boris, "watch player_remote_exit");
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc);
    (void)next_remote(anna);
    TOWN_UNTIL(syncs(anna, rc));
    client_drive(&anna->client, near, 0, 0, 0);
    TOWN_UNTIL(scene_sees_at(boris, rc, 0, 149));
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_REMOTE), 0);
    client_drive(&anna->client, beyond, 0, 0, 0);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
    scene_raised(boris, "player_remote_exit p%u v%u range", id_of(anna), rc);
}
END_TEST

START_TEST(v_remote_11_an_rc_is_released_by_a_seat_a_death_and_another_world)
{
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);
    uint32_t car = scene_make(CAR, 4, 4);

    scene_tell(boris, "watch player_spawn");
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, rc);
    scene_enter(anna, car, 0);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
    TOWN_UNTIL(client_drives(&anna->client));
    scene_refused(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc); /* not on foot */
    ck_assert(client_exit(&anna->client, clock_ms(), car));
    scene_do(boris, "p%u:teleport x=0 y=0 z=10; dlmp.set_remote_vehicle p%u v%u false", id_of(anna),
             id_of(anna), rc);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, rc);
    ck_assert(client_die(&anna->client, clock_ms()));
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
    scene_raised(boris, "player_spawn p%u", id_of(anna));
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, rc);
    scene_do(boris, "p%u:teleport x=0 y=0 z=10 virtual_world=7", id_of(anna));
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
}
END_TEST

START_TEST(v_renter_2_6_7_a_locked_rc_and_a_refused_one_are_taken_by_nobody)
{
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);
    const struct wire_vehicle_remote_enter ask = { .vehicle_id = rc };
    const struct wire_vehicle_remote_exit leave = { .vehicle_id = rc };

    scene_tell(boris, "watch player_remote_enter player_remote_exit");
    scene_do(anna, "dlmp.set_vehicle_locked_for v%u p%u true", rc, id_of(anna));
    scene_say(anna, &wire_vehicle_remote_enter_packet, &ask);
    scene_do(anna, "dlmp.set_vehicle_locked_for v%u p%u", rc, id_of(anna));
    scene_tell(anna, "refuse player_remote_enter v%u", rc);
    scene_say(anna, &wire_vehicle_remote_enter_packet, &ask);
    scene_raised(boris, "player_remote_enter p%u v%u", id_of(anna), rc);
    scene_tell(anna, "allow");
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_REMOTE), 0);
    scene_say(anna, &wire_vehicle_remote_enter_packet, &ask);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, rc);
    scene_raised(boris, "player_remote_enter p%u v%u", id_of(anna), rc); /* the locked one was not asked */
    scene_say(boris, &wire_vehicle_remote_exit_packet, &leave);          /* not his */
    scene_say(boris, &wire_vehicle_remote_enter_packet, &ask);           /* driven */
    (void)scene_ask(boris, "v%u:engine", rc);                            /* and he has been heard */
    scene_say(anna, &wire_vehicle_remote_exit_packet, &leave);
    scene_raised(boris, "player_remote_exit p%u v%u exit", id_of(anna), rc);
    ck_assert_uint_eq(next_remote(anna).vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

/* ---- syncers */

START_TEST(v_syncer_12_13_a_car_is_handed_from_one_syncer_to_the_next)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "watch vehicle_syncer");
    TOWN_UNTIL(syncs(anna, car) || syncs(boris, car));
    scene_sit(anna, car, 1); /* the first passenger, whoever it was before */
    TOWN_UNTIL(syncs(anna, car) && !syncs(boris, car));
    ck_assert(client_exit(&anna->client, clock_ms(), car));
    TOWN_UNTIL(town_sees_free(anna, car, 1));
    ck_assert(syncs(anna, car)); /* the previous one */
    town_forget();
    scene_do(boris, "p%u:teleport x=500 y=0 z=10", id_of(anna));
    scene_raised(boris, "vehicle_syncer v%u p%u p%u", car, id_of(boris), id_of(anna));
    TOWN_UNTIL(syncs(boris, car));
}
END_TEST

START_TEST(v_syncer_5_10_a_passenger_syncs_before_others_unless_it_is_frozen)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_sit(boris, car, 1);
    TOWN_UNTIL(syncs(boris, car) && !syncs(anna, car));
    scene_do(anna, "p%u:set_frozen true", id_of(boris));
    TOWN_UNTIL(syncs(anna, car) && !syncs(boris, car));
    scene_do(anna, "p%u:set_frozen false", id_of(boris));
    TOWN_UNTIL(syncs(boris, car) && !syncs(anna, car));
}
END_TEST

START_TEST(v_syncer_8_a_frozen_driver_hands_its_car_to_a_syncer)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "watch vehicle_syncer");
    scene_sit(anna, car, 0);
    scene_do(boris, "p%u:set_frozen true", id_of(anna));
    scene_raised(boris, "vehicle_syncer v%u p%u nil", car, id_of(boris));
    TOWN_UNTIL(syncs(boris, car));
    scene_do(boris, "p%u:set_frozen false", id_of(anna));
    scene_raised(boris, "vehicle_syncer v%u nil p%u", car, id_of(boris));
    TOWN_UNTIL(!syncs(boris, car) && !anna->client.is_frozen);
    scene_drive(anna, 0, 6);
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 6));
}
END_TEST

Suite *vehicle_links_suite(void)
{
    Suite *suite = suite_create("vehicle_links");
    TCase *tcase = scene_case();

    tcase_add_test(tcase, v_tow_20_24_a_handler_may_refuse_a_hitch_and_is_asked_no_second_time_for_the_same);
    tcase_add_test(tcase,
                   v_tow_27_28_who_drives_the_tractor_drives_the_trailer_until_somebody_takes_its_wheel);
    tcase_add_test(tcase, v_tow_26_30_the_gamemode_hitches_by_the_same_rules_and_a_respawn_ends_it);
    tcase_add_test(tcase, v_sync_15_people_and_a_trailer_go_along_into_another_world_and_back);
    tcase_add_test(tcase, v_winch_18_21_a_magnet_takes_a_car_unless_a_handler_refuses_and_lets_it_go);
    tcase_add_test(tcase, v_winch_25_28_a_load_is_let_go_by_itself_without_an_event);
    tcase_add_test(tcase, v_winch_17_a_frozen_vehicle_is_neither_towed_nor_lifted);
    tcase_add_test(tcase, v_train_2_the_gamemode_turns_a_train_takes_it_off_its_rails_and_gives_it_speed);
    tcase_add_test(tcase,
                   v_field_25_27_a_train_put_back_on_its_rails_stays_there_until_a_frame_has_shown_it_so);
    tcase_add_test(tcase,
                   v_remote_7_9_the_gamemode_gives_an_rc_with_and_without_detonation_and_takes_it_back);
    tcase_add_test(tcase, v_rexit_3_an_rc_that_goes_too_far_is_released_and_the_gamemode_told_why);
    tcase_add_test(tcase, v_remote_11_an_rc_is_released_by_a_seat_a_death_and_another_world);
    tcase_add_test(tcase, v_renter_2_6_7_a_locked_rc_and_a_refused_one_are_taken_by_nobody);
    tcase_add_test(tcase, v_syncer_12_13_a_car_is_handed_from_one_syncer_to_the_next);
    tcase_add_test(tcase, v_syncer_5_10_a_passenger_syncs_before_others_unless_it_is_frozen);
    tcase_add_test(tcase, v_syncer_8_a_frozen_driver_hands_its_car_to_a_syncer);
    suite_add_tcase(suite, tcase);
    return suite;
}
