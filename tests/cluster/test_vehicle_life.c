/* The Vehicles page over real UDP: guns, what ends a vehicle, damage, health, and the next life. */
#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { CAR = 411, HUNTER = 425, RHINO = 432, HELI = 487, RC_BANDIT = 441, TRAIN = 537 };
enum { EXPLODED, DROWNED };                            /* VehicleExplode.cause */
enum { SHOW_WRECKED = 1 << 0, SHOW_DROWNED = 1 << 1 }; /* VehicleSync.flags */
enum { NITRO_10 = 1010, KIND_NITRO = 8 };

static unsigned id_of(const struct resident *who)
{
    return who->client.player_id;
}

/* ---- guns */

static void shoot(struct resident *who, uint32_t vehicle_id, uint32_t order, const float to[3])
{
    const float *from = who->client.drive.pos;
    const struct wire_vehicle_shot shot = {
        .token = who->client.token,
        .order = order,
        .vehicle_id = vehicle_id,
        .count = 1,
        .rays = { { from[0], from[1], from[2], to[0], to[1], to[2] } },
    };

    town_send(who, &wire_vehicle_shot_packet, &shot);
}

static struct wire_remote_vehicle_shot next_shot(struct resident *who)
{
    return town_take(who, PACKET_REMOTE_VEHICLE_SHOT)->remote_vehicle_shot;
}

START_TEST(v_shot_26_a_salvo_is_relayed_and_one_out_of_order_is_not)
{
    uint32_t hunter = scene_make(HUNTER, 0, 4);
    struct wire_remote_vehicle_shot shot;
    uint64_t since_ms;

    scene_sit(anna, hunter, 0);
    shoot(anna, hunter, 5, (const float[]){ 0, 60, 10 });
    shot = next_shot(boris);
    ck_assert_uint_eq(shot.id, id_of(anna));
    ck_assert_uint_eq(shot.player_token, anna->client.player_token);
    ck_assert_uint_eq(shot.order, 5);
    ck_assert_uint_eq(shot.vehicle_id, hunter);
    ck_assert_uint_eq(shot.count, 1);
    ck_assert_float_eq(shot.rays[0].end_y, 60);
    since_ms = clock_ms();
    TOWN_UNTIL(clock_ms() > since_ms + 60);                /* the gun's interval */
    shoot(anna, hunter, 5, (const float[]){ 0, 60, 10 });  /* again */
    shoot(anna, hunter, 6, (const float[]){ 0, 200, 10 }); /* too long */
    shoot(boris, hunter, 7, (const float[]){ 0, 60, 10 }); /* not his */
    (void)scene_ask(anna, "v%u:health", hunter);
    (void)scene_ask(boris, "v%u:health", hunter);
    shoot(anna, hunter, 8, (const float[]){ 0, 60, 10 });
    ck_assert_uint_eq(next_shot(boris).order, 8);
    ck_assert_uint_eq(town_count(anna, PACKET_REMOTE_VEHICLE_SHOT), 0);
}
END_TEST

START_TEST(v_rshot_3_the_cannons_shot_has_no_rewind)
{
    uint32_t rhino = scene_make(RHINO, 0, 4);
    struct wire_remote_vehicle_shot shot;

    scene_sit(anna, rhino, 0);
    shoot(anna, rhino, 1, (const float[]){ 0, 90, 10 });
    shot = next_shot(boris);
    ck_assert_uint_eq(shot.order, 1);
    ck_assert_uint_eq(shot.rewind.rewound, 0);
}
END_TEST

/* A setting of the cluster holds once the coordinator has told it, which a message to all comes after. */
static void allow_weapon(unsigned weapon, bool allowed)
{
    scene_do(anna, "dlmp.set_weapon_allowed %u %s; dlmp.message_all done", weapon,
             allowed ? "true" : "false");
    (void)town_read(boris, "done");
}

START_TEST(v_shot_25_a_weapon_that_players_may_not_have_is_still_the_helicopters)
{
    uint32_t hunter = scene_make(HUNTER, 0, 4);

    scene_sit(anna, hunter, 0);
    allow_weapon(38, false);
    shoot(anna, hunter, 1, (const float[]){ 0, 60, 10 });
    ck_assert_uint_eq(next_shot(boris).order, 1);
    allow_weapon(38, true);
}
END_TEST

/* ---- ends */

static void explode(struct resident *who, uint32_t vehicle_id, uint8_t cause, const struct resident *attacker)
{
    struct wire_vehicle_explode report = {
        .vehicle_id = vehicle_id,
        .epoch = scene_copy(who, vehicle_id)->epoch,
        .cause = cause,
    };

    if (attacker != NULL) {
        report.has_attacker = 1;
        report.attacker_id = attacker->client.player_id;
        report.attacker_token = attacker->client.player_token;
    }
    scene_say(who, &wire_vehicle_explode_packet, &report);
}

static struct wire_vehicle_death next_death(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_DEATH)->vehicle_death;
}

START_TEST(v_killer_13_14_who_shot_a_burning_helicopter_down_has_killed_it_and_its_pilot)
{
    uint32_t heli = scene_make(HELI, 0, 4);
    uint32_t hunter = scene_make(HUNTER, 8, 4);
    struct resident *clara = scene_join("clara", heli);
    struct wire_vehicle_death death;

    scene_tell(boris, "watch vehicle_death player_death");
    scene_sit(anna, heli, 0);
    scene_sit(boris, hunter, 0);
    shoot(boris, hunter, 1, (const float[]){ -40, 4, 10 }); /* through the helicopter */
    (void)next_shot(clara);
    explode(anna, heli, EXPLODED, boris); /* it does not burn */
    scene_do(anna, "dlmp.set_vehicle_health v%u 200", heli);
    ck_assert_uint_eq(town_count(clara, PACKET_VEHICLE_DEATH), 0);
    explode(anna, heli, EXPLODED, boris);
    death = next_death(clara);
    ck_assert_uint_eq(death.vehicle_id, heli);
    ck_assert_uint_eq(death.cause, EXPLODED);
    ck_assert_uint_eq(death.has_killer, 1);
    ck_assert_uint_eq(death.killer_id, id_of(boris));
    ck_assert_uint_eq(death.killer_token, boris->client.player_token);
    ck_assert_uint_eq(next_death(anna).killer_id, id_of(boris)); /* the sender as well */
    scene_raised(boris, "vehicle_death v%u explosion p%u", heli, id_of(boris));
    ck_assert(client_die(&anna->client, clock_ms()));
    scene_raised(boris, "player_death p%u p%u 51", id_of(anna), id_of(boris));
}
END_TEST

START_TEST(v_killer_11_12_a_helicopter_that_crashes_burning_has_no_killer_but_who_has_done_something)
{
    uint32_t heli = scene_make(HELI, 0, 4);

    scene_tell(boris, "watch vehicle_death");
    scene_sit(anna, heli, 0);
    scene_do(boris, "dlmp.set_vehicle_health v%u 200", heli);
    client_drive(&anna->client, (const float[]){ 0, 5, 10 }, 0, 15, 0); /* 0.3 per step */
    TOWN_UNTIL(scene_sees_at(boris, heli, 0, 5));
    explode(anna, heli, EXPLODED, boris);
    ck_assert_uint_eq(next_death(boris).has_killer, 0);
    scene_raised(boris, "vehicle_death v%u explosion nil", heli);
    ck_assert_str_eq(scene_ask(boris, "v%u:health", heli), "0");
}
END_TEST

START_TEST(v_drown_4_5_6_a_drowned_car_keeps_its_health_and_its_people_and_takes_nobody)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint32_t train = scene_make(TRAIN, 8, 0);
    struct resident *clara;
    struct wire_vehicle_sync show;

    scene_tell(boris, "watch vehicle_death");
    scene_sit(anna, train, 0);
    explode(anna, train, DROWNED, NULL); /* refused */
    ck_assert(client_exit(&anna->client, clock_ms(), train));
    TOWN_UNTIL(town_sees_free(boris, train, 0));
    scene_sit(anna, car, 0);
    explode(boris, car, DROWNED, NULL); /* not his */
    explode(anna, car, DROWNED, NULL);
    ck_assert_uint_eq(next_death(boris).cause, DROWNED);
    scene_raised(boris, "vehicle_death v%u water nil", car);
    ck_assert_str_eq(scene_ask(boris, "v%u:health", car), "1000");
    scene_enter(boris, car, 1);
    TOWN_UNTIL(boris->client.denied == 1);
    scene_refused(boris, "dlmp.put_player_in_vehicle p%u v%u 1", id_of(boris), car);
    clara = scene_join("clara", car);
    show = scene_take_show(clara, car);
    ck_assert_uint_eq(show.flags, SHOW_WRECKED | SHOW_DROWNED);
    ck_assert_float_eq(show.health, 1000);
    TOWN_UNTIL(town_sees_seated(clara, car, 0, anna));
    ck_assert_uint_eq(town_count(boris, PACKET_VEHICLE_DEATH), 0);
}
END_TEST

START_TEST(v_rcdet_1_2_3_who_detonates_an_rc_has_killed_it_and_drives_it_no_more)
{
    uint32_t rc = scene_make(RC_BANDIT, 0, 4);

    scene_tell(boris, "watch vehicle_death player_remote_exit");
    scene_do(boris, "dlmp.set_remote_vehicle p%u v%u false", id_of(anna), rc);
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_REMOTE)->vehicle_remote.vehicle_id, rc);
    explode(anna, rc, EXPLODED, NULL); /* detonation is off, and it does not burn */
    scene_do(anna, "dlmp.set_remote_vehicle p%u v%u true", id_of(anna), rc);
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_REMOTE)->vehicle_remote.detonation, 1);
    ck_assert_uint_eq(town_count(anna, PACKET_VEHICLE_DEATH), 0);
    explode(anna, rc, EXPLODED, boris);
    ck_assert_uint_eq(next_death(boris).killer_id, id_of(anna));
    ck_assert_uint_eq(town_take(anna, PACKET_VEHICLE_REMOTE)->vehicle_remote.vehicle_id, WIRE_NONE);
    scene_raised(boris, "vehicle_death v%u explosion p%u", rc, id_of(anna));
    ck_assert_uint_eq(town_count_lines(boris, "! "), 0); /* an explosion is no exit */
}
END_TEST

/* ---- damage and health */

static void report_damage(struct resident *who, uint32_t vehicle_id, uint16_t damage_rev,
                          struct wire_vehicle_damage_status status)
{
    const struct wire_vehicle_damage report = { .vehicle_id = vehicle_id,
                                                .epoch = scene_copy(who, vehicle_id)->epoch,
                                                .status = status,
                                                .damage_rev = damage_rev };

    scene_say(who, &wire_vehicle_damage_packet, &report);
}

static struct wire_remote_vehicle_damage next_damage(struct resident *who)
{
    return town_take(who, PACKET_REMOTE_VEHICLE_DAMAGE)->remote_vehicle_damage;
}

START_TEST(v_dmg_10_reports_add_up_and_a_report_from_before_a_repair_is_dropped)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct wire_remote_vehicle_damage damage;

    scene_sit(anna, car, 0);
    report_damage(anna, car, 0, (struct wire_vehicle_damage_status){ .panels = 0x21, .wheels = { 1 } });
    ck_assert_uint_eq(next_damage(boris).status.panels, 0x21);
    report_damage(anna, car, 0, (struct wire_vehicle_damage_status){ .panels = 0x12, .doors = { 0, 3 } });
    damage = next_damage(boris);
    ck_assert_uint_eq(damage.status.panels, 0x22);
    ck_assert_uint_eq(damage.status.doors[1], 2); /* whether it is open is no damage */
    ck_assert_uint_eq(damage.status.wheels[0], 1);
    ck_assert_uint_eq(damage.damage_rev, 0);
    ck_assert_uint_eq(town_count(anna, PACKET_REMOTE_VEHICLE_DAMAGE), 0);
    scene_do(anna, "dlmp.repair_vehicle v%u", car);
    damage = next_damage(anna); /* the driver as well */
    ck_assert_uint_eq(damage.status.panels, 0);
    ck_assert_uint_eq(damage.damage_rev, 1);
    ck_assert_uint_eq(next_damage(boris).damage_rev, 1);
    report_damage(anna, car, 0, (struct wire_vehicle_damage_status){ .panels = 0x3 });
    report_damage(anna, car, 1, (struct wire_vehicle_damage_status){ .panels = 0x10 });
    ck_assert_uint_eq(next_damage(boris).status.panels, 0x10);
}
END_TEST

START_TEST(v_rdmg_2_the_gamemode_dents_a_car_for_everyone_and_only_as_cars_can_be)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint32_t heli = scene_make(HELI, 8, 4);
    struct resident *clara;
    struct wire_remote_vehicle_damage damage;

    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_damage_status v%u panels=3 wheels=0,2,0,0", car);
    damage = next_damage(anna);
    ck_assert_uint_eq(damage.status.panels, 3);
    ck_assert_uint_eq(damage.status.wheels[1], 2);
    ck_assert_uint_eq(damage.damage_rev, 1);
    ck_assert_uint_eq(next_damage(boris).damage_rev, 1);
    scene_refused(boris, "dlmp.set_vehicle_damage_status v%u panels=4", car);
    scene_refused(boris, "dlmp.set_vehicle_damage_status v%u wheels=1,0,0,0", heli);
    clara = scene_join("clara", car);
    ck_assert_uint_eq(scene_take_show(clara, car).damage_rev, 1);
}
END_TEST

START_TEST(v_health_1_5_the_gamemodes_health_holds_for_everyone_and_no_older_frame_undoes_it)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct wire_vehicle_health health;
    struct resident *clara;

    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_health v%u 500", car);
    health = town_take(anna, PACKET_VEHICLE_HEALTH)->vehicle_health; /* the driver as well */
    ck_assert_float_eq(health.health, 500);
    ck_assert_uint_eq(health.health_rev, 1);
    ck_assert_float_eq(town_take(boris, PACKET_VEHICLE_HEALTH)->vehicle_health.health, 500);
    scene_copy(anna, car)->health_rev = 0; /* as if she had not taken it yet */
    scene_copy(anna, car)->health = 100;
    scene_drive(anna, 0, 5);
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 5));
    ck_assert_float_eq(town_vehicle(boris, car)->health, 500);
    scene_copy(anna, car)->health_rev = 1;
    scene_copy(anna, car)->health = 900;
    scene_drive(anna, 0, 6);
    TOWN_UNTIL(scene_sees_at(boris, car, 0, 6));
    ck_assert_float_eq(town_vehicle(boris, car)->health, 500); /* a frame repairs nothing */
    scene_copy(anna, car)->health = 400;
    TOWN_UNTIL(town_vehicle(boris, car)->health == 400);
    scene_do(boris, "dlmp.repair_vehicle v%u", car);
    clara = scene_join("clara", car);
    health.health_rev = scene_take_show(clara, car).health_rev;
    ck_assert_uint_eq(health.health_rev, 2);
}
END_TEST

/* ---- the next life */

START_TEST(v_sync_20_21_a_respawn_is_told_after_the_seats_are_free_and_undoes_what_a_life_has_done)
{
    uint32_t car = scene_make(CAR, 0, 4);
    uint8_t epoch = town_vehicle(anna, car)->epoch;
    struct wire_vehicle_occupancy seat;
    struct wire_vehicle_sync show;

    scene_sit(anna, car, 0);
    scene_do(boris, "dlmp.set_vehicle_engine v%u true; dlmp.set_vehicle_locked v%u true", car, car);
    scene_do(boris, "dlmp.set_vehicle_door v%u 1 true; dlmp.set_vehicle_damage_status v%u panels=3", car,
             car);
    scene_drive(anna, 30, 40);
    TOWN_UNTIL(scene_sees_at(boris, car, 30, 40));
    town_forget();
    scene_do(boris, "dlmp.respawn_vehicle v%u", car);
    seat = scene_take_seat(boris);
    ck_assert_uint_eq(seat.kind, KIND_EXIT);
    ck_assert_uint_eq(seat.player_id, id_of(anna));
    show = scene_take_show(boris, car);
    ck_assert_int_lt((int32_t)(seat.event_id - show.event_id), 0);
    ck_assert_uint_eq(show.epoch, (uint8_t)(epoch + 1));
    ck_assert_float_eq(show.x, 0);
    ck_assert_float_eq(show.y, 4);
    ck_assert_uint_eq(show.params, 0);
    ck_assert_uint_eq(show.doors, 0);
    ck_assert_uint_eq(show.damage.panels, 0);
    TOWN_UNTIL(town_vehicle(anna, car)->epoch == show.epoch);
    ck_assert_uint_eq(anna->client.frame.vehicle_id, WIRE_NONE);
}
END_TEST

START_TEST(v_sync_29_30_parts_paint_handling_siren_and_freeze_outlast_a_respawn)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct wire_vehicle_sync show;
    struct wire_vehicle_tuning tuning;
    struct wire_vehicle_handling handling;
    struct wire_vehicle_transform transform;

    scene_do(boris, "dlmp.add_vehicle_component v%u %d; dlmp.set_vehicle_nitro_charges v%u 3", car, NITRO_10,
             car);
    scene_do(boris, "dlmp.set_vehicle_handling v%u mass 2000; dlmp.set_vehicle_colors v%u 3 4", car, car);
    scene_do(boris, "dlmp.set_vehicle_has_siren v%u true; dlmp.set_vehicle_frozen v%u true", car, car);
    (void)scene_ask(anna, "v%u:health", car);
    town_forget();
    scene_do(boris, "dlmp.respawn_vehicle v%u", car);
    show = scene_take_show(anna, car);
    ck_assert_uint_eq(show.params, 1 << 8);
    ck_assert_uint_eq(show.color1, 3);
    ck_assert_uint_eq(show.color2, 4);
    tuning = town_take(anna, PACKET_VEHICLE_TUNING)->vehicle_tuning;
    ck_assert_uint_eq(tuning.components[KIND_NITRO], NITRO_10);
    ck_assert_uint_eq(tuning.nitro, 10); /* full again */
    handling = town_take(anna, PACKET_VEHICLE_HANDLING)->vehicle_handling;
    ck_assert_uint_eq(handling.mask, 1);
    ck_assert_float_eq(handling.values[0], 2000);
    transform = town_take(anna, PACKET_VEHICLE_TRANSFORM)->vehicle_transform;
    ck_assert_uint_eq(transform.flags & 16, 16);
    ck_assert_uint_eq(transform.epoch, show.epoch);
    ck_assert_int_lt((int32_t)(show.event_id - tuning.event_id), 0);
    ck_assert_int_lt((int32_t)(show.event_id - handling.event_id), 0);
    ck_assert_int_lt((int32_t)(show.event_id - transform.event_id), 0);
}
END_TEST

START_TEST(v_enter_17_a_vehicle_that_respawns_in_the_handler_takes_nobody)
{
    uint32_t car = scene_make(CAR, 0, 4);

    scene_tell(boris, "watch vehicle_start_enter player_enter_vehicle");
    scene_tell(boris, "when vehicle_start_enter v%u dlmp.respawn_vehicle v%u", car, car);
    scene_enter(anna, car, 0);
    TOWN_UNTIL(anna->client.denied == 1);
    scene_raised(boris, "vehicle_start_enter v%u p%u 0 nil", car, id_of(anna));
    scene_enter(anna, car, 0);
    scene_raised(boris, "player_enter_vehicle p%u v%u 0", id_of(anna), car);
}
END_TEST

Suite *vehicle_life_suite(void)
{
    Suite *suite = suite_create("vehicle_life");
    TCase *tcase = scene_case();

    tcase_add_test(tcase, v_shot_26_a_salvo_is_relayed_and_one_out_of_order_is_not);
    tcase_add_test(tcase, v_rshot_3_the_cannons_shot_has_no_rewind);
    tcase_add_test(tcase, v_shot_25_a_weapon_that_players_may_not_have_is_still_the_helicopters);
    tcase_add_test(tcase, v_killer_13_14_who_shot_a_burning_helicopter_down_has_killed_it_and_its_pilot);
    tcase_add_test(tcase,
                   v_killer_11_12_a_helicopter_that_crashes_burning_has_no_killer_but_who_has_done_something);
    tcase_add_test(tcase, v_drown_4_5_6_a_drowned_car_keeps_its_health_and_its_people_and_takes_nobody);
    tcase_add_test(tcase, v_rcdet_1_2_3_who_detonates_an_rc_has_killed_it_and_drives_it_no_more);
    tcase_add_test(tcase, v_dmg_10_reports_add_up_and_a_report_from_before_a_repair_is_dropped);
    tcase_add_test(tcase, v_rdmg_2_the_gamemode_dents_a_car_for_everyone_and_only_as_cars_can_be);
    tcase_add_test(tcase, v_health_1_5_the_gamemodes_health_holds_for_everyone_and_no_older_frame_undoes_it);
    tcase_add_test(tcase,
                   v_sync_20_21_a_respawn_is_told_after_the_seats_are_free_and_undoes_what_a_life_has_done);
    tcase_add_test(tcase, v_sync_29_30_parts_paint_handling_siren_and_freeze_outlast_a_respawn);
    tcase_add_test(tcase, v_enter_17_a_vehicle_that_respawns_in_the_handler_takes_nobody);
    suite_add_tcase(suite, tcase);
    return suite;
}
