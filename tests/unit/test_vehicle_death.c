#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_enter.h"
#include "shard/vehicle_health.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_remote.h"
#include "shard/vehicle_seat.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(411);
}

static void reopen(uint16_t model)
{
    scene_close(&scene);
    scene = scene_open(model);
}

static void teardown(void)
{
    scene_close(&scene);
}

static struct player *player_of(struct stage_client *client)
{
    return stage_player(scene.stage, client);
}

static struct wire_vehicle_explode report(uint8_t cause)
{
    return (struct wire_vehicle_explode){ .vehicle_id = scene.vehicle->id,
                                          .epoch = scene.vehicle->epoch,
                                          .cause = cause };
}

static void explode_by(struct stage_client *sender, struct stage_client *attacker)
{
    struct wire_vehicle_explode explode = report(0);

    if (attacker != NULL) {
        explode.has_attacker = 1;
        explode.attacker_id = attacker->id;
        explode.attacker_token = attacker->token;
    }
    stage_explode(scene.stage, sender, &explode);
}

static void drown(struct stage_client *sender)
{
    struct wire_vehicle_explode explode = report(1);

    stage_explode(scene.stage, sender, &explode);
}

/* Below 250 since that long. */
static void burn(uint64_t for_ms)
{
    vehicle_set_health(scene.shard, scene.vehicle, 249);
    scene.vehicle->health.burning_since_ms = scene.stage->now_ms - for_ms;
}

static struct wire_vehicle_death take_death(struct stage_client *client)
{
    struct wire_vehicle_death death;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_VEHICLE_DEATH);

    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_vehicle_death_decode(&death, packet->bytes, packet->size, &error));
    return death;
}

static struct combat_cause cause_of(enum cause_kind kind, float x)
{
    return (struct combat_cause){
        .at_ms = scene.stage->now_ms, .kind = (uint8_t)kind, .from = { x, 0, 10 }, .to = { x, 0, 10 }
    };
}

/* The watcher has done it `age_ms` ago, so far from the vehicle. */
static void does(enum cause_kind kind, float x, uint64_t age_ms)
{
    struct combat_cause cause = cause_of(kind, x);

    cause.at_ms -= age_ms;
    combat_causes_add(&player_of(scene.watcher)->causes, &cause);
}

/* Whether the burnt vehicle's explosion is credited to the watcher. */
static bool is_credited(void)
{
    burn(4000);
    explode_by(scene.driver, scene.watcher);
    return take_death(scene.watcher).has_killer == 1;
}

START_TEST(v_expl_1_7_only_the_first_of_the_current_epoch_counts)
{
    struct wire_vehicle_explode explode = report(0);

    burn(4000);
    explode.epoch++;
    stage_explode(scene.stage, scene.driver, &explode);
    ck_assert(!scene.vehicle->wrecked);
    explode_by(scene.driver, NULL);
    explode_by(scene.driver, NULL);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_DEATH), 1);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_WRECKED), 1);
}
END_TEST

START_TEST(v_expl_2_7_only_the_live_controlling_player_counts)
{
    burn(4000);
    explode_by(scene.watcher, NULL);
    ck_assert(!scene.vehicle->wrecked);
    explode_by(scene_abandon(&scene), NULL);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_2_a_dead_driver_explodes_nothing)
{
    burn(4000);
    stage_die(scene.stage, scene.driver);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

/* Until the next tick it still is the syncer. */
START_TEST(v_expl_2_a_dead_syncer_explodes_nothing)
{
    struct stage_client *syncer = scene_abandon(&scene);

    burn(4000);
    stage_die(scene.stage, syncer);
    ck_assert_uint_eq(scene.vehicle->syncer, world_player_slot(&scene.shard->world, player_of(syncer)));
    explode_by(syncer, NULL);
    ck_assert(!scene.vehicle->wrecked);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_ALIVE), 1);
}
END_TEST

START_TEST(v_expl_3_it_has_burnt_for_4_s)
{
    burn(3999);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_BURNING), 1);
    scene.stage->now_ms += 1;
    explode_by(scene.driver, NULL);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_3_it_burns_from_the_first_frame_below_250_on)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.health = 249;
    stage_send_frame(scene.stage, scene.driver, &frame);
    stage_run(scene.stage, 3900);
    frame = scene_frame(&scene);
    frame.state.health = 100;
    stage_send_frame(scene.stage, scene.driver, &frame);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
    stage_run(scene.stage, 100);
    explode_by(scene.driver, NULL);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_3_at_250_it_does_not_burn)
{
    struct wire_vehicle_frame frame = scene_frame(&scene);

    frame.state.health = 250;
    stage_send_frame(scene.stage, scene.driver, &frame);
    ck_assert(!scene.vehicle->health.burning);
    frame = scene_frame(&scene);
    frame.state.health = nextafterf(250, 0);
    stage_send_frame(scene.stage, scene.driver, &frame);
    ck_assert(scene.vehicle->health.burning);
    ck_assert_uint_eq(scene.vehicle->health.burning_since_ms, scene.stage->now_ms);
}
END_TEST

START_TEST(v_expl_3_a_health_command_puts_the_fire_out)
{
    burn(4000);
    vehicle_set_health(scene.shard, scene.vehicle, 250);
    vehicle_set_health(scene.shard, scene.vehicle, 100);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_4_a_burning_aircraft_that_moves_may_crash)
{
    reopen(487);
    burn(0);
    scene.vehicle->move_speed[0] = 0.2f;
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
    scene.vehicle->move_speed[0] = nextafterf(0.2f, 1);
    explode_by(scene.driver, NULL);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_4_an_aircraft_that_does_not_burn_stays_whole)
{
    reopen(520);
    scene.vehicle->move_speed[0] = 3;
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_4_a_car_that_moves_must_have_burnt)
{
    burn(0);
    scene.vehicle->move_speed[0] = 3;
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_5_a_burning_aircraft_with_a_credited_killer_explodes)
{
    reopen(487);
    burn(0);
    does(CAUSE_ROCKET, 10, 0);
    explode_by(scene.driver, scene.watcher);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_6_a_train_does_not_explode)
{
    reopen(537);
    burn(10000);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_expl_8_11_12_it_is_a_wreck_with_health_0_and_everyone_is_told)
{
    struct wire_vehicle_death death;

    burn(4000);
    explode_by(scene.driver, NULL);
    ck_assert_float_eq(scene.vehicle->health.value, 0);
    take_death(scene.driver);
    death = take_death(scene.watcher);
    ck_assert_uint_eq(death.epoch, scene.vehicle->epoch);
    ck_assert_uint_eq(death.cause, 0);
    ck_assert(player_is_alive(player_of(scene.driver)));
    ck_assert_uint_eq(scene_show(&scene, NULL).flags, 1);
}
END_TEST

START_TEST(v_expl_9_nobody_enters_a_wreck)
{
    burn(4000);
    explode_by(scene.driver, NULL);
    ck_assert_int_eq(vehicle_enter_check(scene.shard, player_of(scene.watcher), scene.vehicle, 1),
                     REASON_WRECKED);
}
END_TEST

START_TEST(v_expl_10_the_gamemode_is_told_with_the_killer)
{
    struct scene_events events = { 0 };

    scene_listen(&scene, &events, EVENT_VEHICLE_DEATH);
    does(CAUSE_MOLOTOV, 0, 0);
    ck_assert(is_credited());
    ck_assert_uint_eq(events.count, 1);
    ck_assert_str_eq(events.text, "explosion");
    ck_assert_int_eq(events.arguments[2].kind, EVENT_PLAYER);
    ck_assert_uint_eq(events.arguments[2].player.id, scene.watcher->id);
}
END_TEST

static void destroy_it(struct scene *in)
{
    vehicle_destroy(in->shard, in->vehicle);
}

START_TEST(v_expl_10_a_handler_may_destroy_the_wreck)
{
    struct scene_events events = { .then = destroy_it };

    scene_listen(&scene, &events, EVENT_VEHICLE_DEATH);
    burn(4000);
    explode_by(scene.driver, NULL);
    ck_assert(!stage_sees_vehicle(scene.watcher, scene.vehicle->id));
}
END_TEST

START_TEST(v_expl_13_the_explosion_becomes_the_killers_cause)
{
    const struct cause_place near_it = { .pos = { 30, 0, 10 }, .vehicle_id = WIRE_NONE };
    const struct player *killer = player_of(scene.watcher);

    does(CAUSE_GRENADE, 0, 10000);
    ck_assert_ptr_null(combat_causes_find(&killer->causes, scene.stage->now_ms, EFFECT_EXPLOSION, &near_it));
    ck_assert(is_credited());
    ck_assert_ptr_nonnull(
        combat_causes_find(&killer->causes, scene.stage->now_ms, EFFECT_EXPLOSION, &near_it));
    ck_assert_ptr_nonnull(
        combat_causes_find(&killer->causes, scene.stage->now_ms + 65000, EFFECT_FIRE, &near_it));
}
END_TEST

/* ---- the killer */

START_TEST(v_killer_1_drowning_has_no_killer)
{
    struct wire_vehicle_explode explode = report(1);

    does(CAUSE_GRENADE, 0, 0);
    explode.has_attacker = 1;
    explode.attacker_id = scene.watcher->id;
    explode.attacker_token = scene.watcher->token;
    stage_explode(scene.stage, scene.driver, &explode);
    ck_assert_uint_eq(take_death(scene.watcher).has_killer, 0);
}
END_TEST

START_TEST(v_killer_2_the_sender_is_not_its_own_killer)
{
    struct combat_cause cause = cause_of(CAUSE_GRENADE, 0);

    combat_causes_add(&player_of(scene.driver)->causes, &cause);
    burn(4000);
    explode_by(scene.driver, scene.driver);
    ck_assert_uint_eq(take_death(scene.watcher).has_killer, 0);
}
END_TEST

START_TEST(v_killer_3_the_attacker_is_of_the_same_generation)
{
    struct stage_client other = *scene.watcher;

    does(CAUSE_GRENADE, 0, 0);
    other.token++;
    burn(4000);
    explode_by(scene.driver, &other);
    ck_assert_uint_eq(take_death(scene.watcher).has_killer, 0);
}
END_TEST

START_TEST(v_killer_4_the_action_was_in_the_vehicles_scope)
{
    struct combat_cause cause = cause_of(CAUSE_GRENADE, 0);

    cause.scope.interior = 1;
    combat_causes_add(&player_of(scene.watcher)->causes, &cause);
    ck_assert(!is_credited());
}
END_TEST

static void shoot_past(float y, uint64_t age_ms)
{
    struct combat_ray ray = {
        .at_ms = scene.stage->now_ms - age_ms, .weapon = 31, .start = { -50, y, 10 }, .end = { 50, y, 10 }
    };

    vehicle_note_ray(scene.shard, player_of(scene.watcher), &ray);
}

START_TEST(v_killer_5_a_ray_that_passed_within_8_in_the_last_20_s)
{
    shoot_past(8, 20000);
    ck_assert(is_credited());
}
END_TEST

START_TEST(v_killer_5_a_ray_that_passed_farther_is_none)
{
    shoot_past(nextafterf(8, 9), 0);
    ck_assert(!is_credited());
}
END_TEST

START_TEST(v_killer_5_a_ray_of_more_than_20_s_ago_is_none)
{
    shoot_past(0, 20001);
    ck_assert(!is_credited());
}
END_TEST

START_TEST(v_killer_5_a_ray_past_the_vehicles_former_life_is_none)
{
    shoot_past(0, 0);
    vehicle_respawn(scene.shard, scene.vehicle);
    stage_enter(scene.stage, scene.driver, scene.vehicle->id, 0);
    ck_assert(!is_credited());
}
END_TEST

START_TEST(v_killer_6_7_8_9_each_action_has_its_window_and_distance)
{
    static const struct {
        enum cause_kind kind;
        uint64_t ms;
        float m;
    } cases[] = {
        { CAUSE_GRENADE, 20000, 60 },           { CAUSE_SATCHELS, 20000, 5000 },
        { CAUSE_MOLOTOV, 85000, 80 },           { CAUSE_FLAMETHROWER, 85000, 80 },
        { CAUSE_VEHICLE_EXPLOSION, 85000, 80 }, { CAUSE_CREATED_EXPLOSION, 85000, 80 },
        { CAUSE_ROCKET, 85000, 200 },           { CAUSE_SEEKER, 85000, 200 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reopen(411);
        does(cases[i].kind, cases[i].m, cases[i].ms);
        ck_assert_msg(is_credited(), "case %zu", i);
        reopen(411);
        does(cases[i].kind, cases[i].m, cases[i].ms + 1);
        ck_assert_msg(!is_credited(), "case %zu: late", i);
        if (cases[i].kind == CAUSE_SATCHELS)
            continue;
        reopen(411);
        does(cases[i].kind, nextafterf(cases[i].m, INFINITY), 0);
        ck_assert_msg(!is_credited(), "case %zu: far", i);
    }
}
END_TEST

START_TEST(v_killer_9_a_rocket_from_a_vehicle_reaches_farther_by_its_flight)
{
    struct combat_cause cause = cause_of(CAUSE_ROCKET, 350);

    cause.flight_m = 150;
    combat_causes_add(&player_of(scene.watcher)->causes, &cause);
    ck_assert(is_credited());
}
END_TEST

START_TEST(v_killer_10_a_seeker_counts_for_its_target_at_any_distance)
{
    struct combat_cause cause = cause_of(CAUSE_SEEKER, 4000);

    cause.target_id = scene.vehicle->id;
    cause.target_epoch = (uint8_t)(scene.vehicle->epoch + 1);
    combat_causes_add(&player_of(scene.watcher)->causes, &cause);
    ck_assert(!is_credited());
    reopen(411);
    cause.at_ms = scene.stage->now_ms;
    cause.target_id = scene.vehicle->id;
    cause.target_epoch = scene.vehicle->epoch;
    combat_causes_add(&player_of(scene.watcher)->causes, &cause);
    ck_assert(is_credited());
}
END_TEST

START_TEST(v_killer_11_12_v_death_2_an_attacker_without_an_action_is_no_killer)
{
    struct wire_vehicle_death death;

    burn(4000);
    explode_by(scene.driver, scene.watcher);
    death = take_death(scene.watcher);
    ck_assert_uint_eq(death.has_killer, 0);
    ck_assert_uint_eq(death.killer_id, 0);
    ck_assert_uint_eq(death.killer_token, 0);
}
END_TEST

START_TEST(v_death_1_2_everyone_is_told_the_killer)
{
    struct wire_vehicle_death death;

    does(CAUSE_SATCHELS, 500, 0);
    burn(4000);
    explode_by(scene.driver, scene.watcher);
    death = take_death(scene.driver);
    ck_assert_uint_eq(death.has_killer, 1);
    ck_assert_uint_eq(death.killer_id, scene.watcher->id);
    ck_assert_uint_eq(death.killer_token, scene.watcher->token);
}
END_TEST

START_TEST(v_killer_13_the_credited_killer_is_in_the_packet_and_the_event)
{
    struct scene_events events = { 0 };
    struct wire_vehicle_death death;

    scene_listen(&scene, &events, EVENT_VEHICLE_DEATH);
    does(CAUSE_MOLOTOV, 0, 0);
    burn(4000);
    explode_by(scene.driver, scene.watcher);
    death = take_death(scene.driver);
    ck_assert_uint_eq(death.killer_id, scene.watcher->id);
    ck_assert_uint_eq(death.killer_token, scene.watcher->token);
    ck_assert_int_eq(events.arguments[2].kind, EVENT_PLAYER);
    ck_assert_uint_eq(events.arguments[2].player.id, scene.watcher->id);
    ck_assert_uint_eq(events.arguments[2].player.token, scene.watcher->token);
}
END_TEST

static struct wire_player_wasted wasted_after(uint64_t ms)
{
    struct wire_player_wasted wasted;
    struct wire_error error;
    const struct stage_packet *packet;

    does(CAUSE_GRENADE, 0, 0);
    ck_assert(is_credited());
    scene.stage->now_ms += ms;
    stage_die(scene.stage, scene.driver);
    packet = stage_take(scene.watcher, PACKET_PLAYER_WASTED);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_wasted_decode(&wasted, packet->bytes, packet->size, &error));
    return wasted;
}

START_TEST(v_killer_14_who_dies_in_it_within_5_s_was_killed_by_that_killer)
{
    struct wire_player_wasted wasted = wasted_after(5000);

    ck_assert_uint_eq(wasted.killer_id, scene.watcher->id);
    ck_assert_uint_eq(wasted.killer_token, scene.watcher->token);
    ck_assert_uint_eq(wasted.weapon, 51);
}
END_TEST

START_TEST(v_killer_14_a_killer_kills_once)
{
    struct player *driver = player_of(scene.driver);
    struct wire_player_sync sync;

    wasted_after(100);
    ck_assert_int_eq(player_spawn(scene.shard, driver), REASON_NONE);
    stage_pump(scene.stage);
    sync = stage_sync(scene.driver);
    stage_send_sync(scene.stage, scene.driver, &sync);
    ck_assert_int_eq(driver->state, LIFE_ALIVE);
    stage_die(scene.stage, scene.driver);
    ck_assert_uint_eq(driver->killer.id, WIRE_NONE);
}
END_TEST

START_TEST(v_killer_14_who_dies_later_was_not)
{
    struct wire_player_wasted wasted = wasted_after(5001);

    ck_assert_uint_eq(wasted.killer_id, WIRE_NONE);
    ck_assert_uint_eq(wasted.weapon, 54);
}
END_TEST

START_TEST(v_killer_15_another_damage_ends_the_window)
{
    does(CAUSE_GRENADE, 0, 0);
    ck_assert(is_credited());
    vehicle_killer_forget(player_of(scene.driver));
    ck_assert_ptr_null(vehicle_killer_of(scene.shard, player_of(scene.driver), scene.stage->now_ms));
}
END_TEST

START_TEST(v_killer_16_getting_out_ends_the_window)
{
    does(CAUSE_GRENADE, 0, 0);
    ck_assert(is_credited());
    ck_assert_ptr_nonnull(vehicle_killer_of(scene.shard, player_of(scene.driver), scene.stage->now_ms));
    stage_exit(scene.stage, scene.driver, scene.vehicle->id);
    ck_assert_ptr_null(vehicle_killer_of(scene.shard, player_of(scene.driver), scene.stage->now_ms));
}
END_TEST

/* ---- drowning */

START_TEST(v_drown_1_4_6_it_needs_no_burning_and_keeps_its_health_and_its_people)
{
    drown(scene.watcher);
    ck_assert(!scene.vehicle->wrecked);
    drown(scene.driver);
    drown(scene.driver);
    ck_assert(scene.vehicle->wrecked && scene.vehicle->drowned);
    ck_assert_float_eq(scene.vehicle->health.value, 1000);
    ck_assert_uint_ne(scene.vehicle->seats[0], SLOT_NONE);
    ck_assert_uint_eq(take_death(scene.watcher).cause, 1);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_DEATH), 0);
}
END_TEST

START_TEST(v_drown_2_a_train_does_not_drown)
{
    reopen(537);
    drown(scene.driver);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_drown_3_an_unknown_cause_is_dropped)
{
    struct wire_vehicle_explode explode = report(2);

    burn(4000);
    stage_explode(scene.stage, scene.driver, &explode);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_drown_5_the_gamemode_is_told_of_water_and_nobody)
{
    struct scene_events events = { 0 };

    scene_listen(&scene, &events, EVENT_VEHICLE_DEATH);
    drown(scene.driver);
    ck_assert_str_eq(events.text, "water");
    ck_assert_int_eq(events.arguments[2].kind, EVENT_NIL);
}
END_TEST

/* ---- detonations */

static void take_rc(bool detonation)
{
    reopen(441);
    ck_assert_int_eq(vehicle_set_remote(scene.shard, player_of(scene.driver), scene.vehicle, detonation),
                     REASON_NONE);
    stage_run(scene.stage, 100);
    stage_forget(scene.stage);
}

START_TEST(v_rcdet_1_2_3_who_drives_an_rc_with_detonation_blows_it_up_at_once)
{
    struct wire_vehicle_death death;

    take_rc(true);
    explode_by(scene.driver, scene.watcher);
    ck_assert(scene.vehicle->wrecked);
    death = take_death(scene.watcher);
    ck_assert_uint_eq(death.has_killer, 1);
    ck_assert_uint_eq(death.killer_id, scene.driver->id);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_VEHICLE_REMOTE), 1);
    ck_assert_ptr_null(vehicle_remote_of(scene.shard, player_of(scene.driver)));
}
END_TEST

START_TEST(v_rcdet_1_without_detonation_it_must_have_burnt)
{
    take_rc(false);
    explode_by(scene.driver, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

START_TEST(v_rcdet_1_it_is_no_matter_of_anybody_elses)
{
    take_rc(true);
    explode_by(scene.watcher, NULL);
    ck_assert(!scene.vehicle->wrecked);
}
END_TEST

/* A paused driver of an RC does not control it; what it may do is blow it up. */
START_TEST(v_rcdet_1_v_drown_1_a_paused_driver_may_blow_it_up_but_not_drown_it)
{
    take_rc(true);
    scene_pause(&scene, true);
    stage_run(scene.stage, 100);
    drown(scene.driver);
    ck_assert(!scene.vehicle->wrecked);
    explode_by(scene.driver, NULL);
    ck_assert(scene.vehicle->wrecked);
}
END_TEST

/* Drowned, it has no killer. */
START_TEST(v_rcdet_2_v_drown_5_an_rc_with_detonation_that_drowns_has_no_killer)
{
    take_rc(true);
    drown(scene.driver);
    ck_assert(scene.vehicle->drowned);
    ck_assert_uint_eq(take_death(scene.watcher).has_killer, 0);
}
END_TEST

START_TEST(v_killer_4_an_attacker_who_has_left_the_scope_is_no_killer)
{
    shoot_past(0, 0);
    ck_assert_int_eq(
        player_set_scope(scene.shard, player_of(scene.watcher), (struct scope){ .virtual_world = 2 }),
        REASON_NONE);
    burn(4000);
    explode_by(scene.driver, scene.watcher);
    ck_assert_uint_eq(take_death(scene.driver).has_killer, 0);
}
END_TEST

/* Of more than a vehicle remembers, whoever shot longest ago is forgotten. */
START_TEST(v_killer_5_the_shooters_of_late_are_remembered)
{
    struct vehicle_shooter *shooters = scene.vehicle->shooters;

    for (uint32_t i = 0; i < VEHICLE_SHOOTERS; i++)
        shooters[i] = (struct vehicle_shooter){ .ref = { .id = 100 + i, .token = 1 },
                                                .at_ms = scene.stage->now_ms - (i == 5 ? 9000 : 100 * i) };
    shoot_past(0, 0);
    ck_assert_uint_eq(shooters[5].ref.id, scene.watcher->id);
    ck_assert_uint_eq(shooters[0].ref.id, 100);
    ck_assert(is_credited());
}
END_TEST

Suite *vehicle_death_suite(void)
{
    Suite *suite = suite_create("vehicle_death");
    TCase *tcase = tcase_create("death");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_expl_1_7_only_the_first_of_the_current_epoch_counts);
    tcase_add_test(tcase, v_expl_2_7_only_the_live_controlling_player_counts);
    tcase_add_test(tcase, v_expl_2_a_dead_driver_explodes_nothing);
    tcase_add_test(tcase, v_expl_2_a_dead_syncer_explodes_nothing);
    tcase_add_test(tcase, v_expl_3_it_has_burnt_for_4_s);
    tcase_add_test(tcase, v_expl_3_it_burns_from_the_first_frame_below_250_on);
    tcase_add_test(tcase, v_expl_3_at_250_it_does_not_burn);
    tcase_add_test(tcase, v_expl_3_a_health_command_puts_the_fire_out);
    tcase_add_test(tcase, v_expl_4_a_burning_aircraft_that_moves_may_crash);
    tcase_add_test(tcase, v_expl_4_an_aircraft_that_does_not_burn_stays_whole);
    tcase_add_test(tcase, v_expl_4_a_car_that_moves_must_have_burnt);
    tcase_add_test(tcase, v_expl_5_a_burning_aircraft_with_a_credited_killer_explodes);
    tcase_add_test(tcase, v_expl_6_a_train_does_not_explode);
    tcase_add_test(tcase, v_expl_8_11_12_it_is_a_wreck_with_health_0_and_everyone_is_told);
    tcase_add_test(tcase, v_expl_9_nobody_enters_a_wreck);
    tcase_add_test(tcase, v_expl_10_the_gamemode_is_told_with_the_killer);
    tcase_add_test(tcase, v_expl_10_a_handler_may_destroy_the_wreck);
    tcase_add_test(tcase, v_expl_13_the_explosion_becomes_the_killers_cause);
    tcase_add_test(tcase, v_killer_1_drowning_has_no_killer);
    tcase_add_test(tcase, v_killer_2_the_sender_is_not_its_own_killer);
    tcase_add_test(tcase, v_killer_3_the_attacker_is_of_the_same_generation);
    tcase_add_test(tcase, v_killer_4_the_action_was_in_the_vehicles_scope);
    tcase_add_test(tcase, v_killer_5_a_ray_that_passed_within_8_in_the_last_20_s);
    tcase_add_test(tcase, v_killer_5_a_ray_that_passed_farther_is_none);
    tcase_add_test(tcase, v_killer_5_a_ray_of_more_than_20_s_ago_is_none);
    tcase_add_test(tcase, v_killer_5_a_ray_past_the_vehicles_former_life_is_none);
    tcase_add_test(tcase, v_killer_4_an_attacker_who_has_left_the_scope_is_no_killer);
    tcase_add_test(tcase, v_killer_5_the_shooters_of_late_are_remembered);
    tcase_add_test(tcase, v_killer_6_7_8_9_each_action_has_its_window_and_distance);
    tcase_add_test(tcase, v_killer_9_a_rocket_from_a_vehicle_reaches_farther_by_its_flight);
    tcase_add_test(tcase, v_killer_10_a_seeker_counts_for_its_target_at_any_distance);
    tcase_add_test(tcase, v_killer_11_12_v_death_2_an_attacker_without_an_action_is_no_killer);
    tcase_add_test(tcase, v_death_1_2_everyone_is_told_the_killer);
    tcase_add_test(tcase, v_killer_14_who_dies_in_it_within_5_s_was_killed_by_that_killer);
    tcase_add_test(tcase, v_killer_14_a_killer_kills_once);
    tcase_add_test(tcase, v_killer_14_who_dies_later_was_not);
    tcase_add_test(tcase, v_killer_15_another_damage_ends_the_window);
    tcase_add_test(tcase, v_killer_16_getting_out_ends_the_window);
    tcase_add_test(tcase, v_drown_1_4_6_it_needs_no_burning_and_keeps_its_health_and_its_people);
    tcase_add_test(tcase, v_drown_2_a_train_does_not_drown);
    tcase_add_test(tcase, v_drown_3_an_unknown_cause_is_dropped);
    tcase_add_test(tcase, v_drown_5_the_gamemode_is_told_of_water_and_nobody);
    tcase_add_test(tcase, v_rcdet_1_2_3_who_drives_an_rc_with_detonation_blows_it_up_at_once);
    tcase_add_test(tcase, v_rcdet_1_without_detonation_it_must_have_burnt);
    tcase_add_test(tcase, v_rcdet_1_v_drown_1_a_paused_driver_may_blow_it_up_but_not_drown_it);
    tcase_add_test(tcase, v_rcdet_2_v_drown_5_an_rc_with_detonation_that_drowns_has_no_killer);
    tcase_add_test(tcase, v_rcdet_1_it_is_no_matter_of_anybody_elses);
    tcase_add_test(tcase, v_killer_13_the_credited_killer_is_in_the_packet_and_the_event);
    suite_add_tcase(suite, tcase);
    return suite;
}
