#include <math.h>

#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "shard/vehicle_remote.h"
#include "tests/unit/event_log.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* An RC Bandit and an RC Tiger near two players, and a car. */
enum { RC, OTHER_RC, CAR, FAR_RC, VEHICLES };

static struct stage *stage;
static struct event_log events;
static struct stage_client *owner;
static struct stage_client *watcher;

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES] = { [RC] = stage_car(441, 5, 0),
                                                [OTHER_RC] = stage_car(564, 0, 5),
                                                [CAR] = stage_car(411, 0, 0),
                                                [FAR_RC] = stage_car(441, 500, 0) };

    stage = stage_new(vehicles, VEHICLES);
    owner = stage_spawn(stage, 2, 2, 0);
    watcher = stage_spawn(stage, 3, 8, 0);
    stage_run(stage, 100);
    event_log_open(&events, stage->shard);
    stage_forget(stage);
}

static void teardown(void)
{
    stage_free(stage);
}

static enum reason give(struct stage_client *client, size_t rc, bool detonation)
{
    enum reason refused = vehicle_set_remote(stage->shard, stage_player(stage, client), the(rc), detonation);

    stage_pump(stage);
    return refused;
}

static bool drives(struct stage_client *client, size_t rc)
{
    return vehicle_remote_driver(stage->shard, the(rc)) == stage_player(stage, client) &&
           vehicle_remote_of(stage->shard, stage_player(stage, client)) == the(rc);
}

static void given(bool detonation)
{
    ck_assert_uint_eq(give(owner, RC, detonation), REASON_NONE);
    ck_assert(drives(owner, RC));
    stage_run(stage, 100);
    stage_forget(stage);
    event_log_open(&events, stage->shard);
}

/* The owner is told so once, nobody else hears of it, and the gamemode hears of those lines. */
static void is_released(size_t exits)
{
    struct wire_vehicle_remote told = link_take_remote(owner);

    ck_assert_uint_eq(told.vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(told.detonation, 0);
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(stage_player(stage, owner)->remote_id, WIRE_NONE);
    if (the(RC) != NULL)
        ck_assert_uint_eq(the(RC)->remote.driver, SLOT_NONE);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit"), exits);
}

static struct wire_vehicle_frame frame_at(struct stage_client *client, size_t rc, float x)
{
    struct wire_vehicle_frame frame = stage_frame(stage, client, the(rc));

    stage->now_ms += 100;
    frame.state.pos[0] = x;
    frame.state.pos[1] = 0;
    return frame;
}

static void frame_from(size_t rc, float x)
{
    struct wire_vehicle_frame frame = frame_at(owner, rc, x);

    stage_send_frame(stage, owner, &frame);
}

/* ---- VehicleRemote: grant */

START_TEST(v_remote_1_a_grant_is_told_to_the_player_alone)
{
    struct wire_vehicle_remote told;

    ck_assert_uint_eq(give(owner, RC, true), REASON_NONE);
    told = link_take_remote(owner);
    ck_assert_uint_eq(told.vehicle_id, the(RC)->id);
    ck_assert_uint_eq(told.detonation, 1);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_remote_2_only_an_rc_is_given)
{
    static const uint16_t models[] = { 441, 464, 465, 501, 564, 594 };

    ck_assert_uint_eq(give(owner, CAR, false), REASON_NOT_RC);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        link_model(the(RC), models[i]);
        ck_assert_uint_eq(give(owner, RC, false), REASON_NONE);
        vehicle_remove_remote(stage->shard, stage_player(stage, owner));
    }
    stage_pump(stage);
}
END_TEST

START_TEST(v_remote_3_the_player_is_alive_and_on_foot)
{
    struct stage_client *waiting = stage_join(stage, 4, 3, 0);

    ck_assert_uint_eq(give(waiting, RC, false), REASON_NOT_ALIVE);
    stage_enter(stage, owner, the(CAR)->id, 1);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NOT_ON_FOOT);
    stage_exit(stage, owner, the(CAR)->id);
    stage_die(stage, owner);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NOT_ALIVE);
    ck_assert_uint_eq(give(watcher, RC, false), REASON_NONE);
}
END_TEST

START_TEST(v_remote_4_the_rc_is_in_the_players_scope_and_streamed_to_it)
{
    ck_assert_uint_eq(give(owner, FAR_RC, false), REASON_NOT_STREAMED);
    the(RC)->scope.virtual_world = 2;
    ck_assert_uint_eq(vehicle_set_remote(stage->shard, stage_player(stage, owner), the(RC), false),
                      REASON_OTHER_SCOPE);
    the(RC)->scope = (struct scope){ .interior = 1 };
    ck_assert_uint_eq(vehicle_set_remote(stage->shard, stage_player(stage, owner), the(RC), false),
                      REASON_OTHER_SCOPE);
    the(RC)->scope = (struct scope){ 0 };
    ck_assert_uint_eq(give(owner, RC, false), REASON_NONE);
}
END_TEST

START_TEST(v_remote_5_the_rc_is_no_wreck_and_nobody_drives_it)
{
    the(RC)->wrecked = true;
    ck_assert_uint_eq(give(owner, RC, false), REASON_WRECKED);
    the(RC)->wrecked = false;
    given(false);
    ck_assert_uint_eq(give(watcher, RC, false), REASON_DRIVEN);
    ck_assert(drives(owner, RC));
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_remote_6_who_drives_it_syncs_it_and_nobody_sits_in_it)
{
    struct stage_client *late;

    stage_walk(stage, owner, 2, 0);
    link_put(stage, the(RC), 8, 0); /* beside the watcher */
    the(RC)->syncer = SLOT_NONE;
    given(false);
    ck_assert_uint_eq(the(RC)->syncer, link_slot(stage, owner));
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    late = stage_spawn(stage, 4, 8, 0);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_OCCUPANCY), 0);
    stage_run(stage, 100);
    ck_assert_uint_eq(the(RC)->syncer, link_slot(stage, owner));
}
END_TEST

START_TEST(v_frame_12_an_rc_is_framed_by_who_drives_it_and_by_nobody_else)
{
    struct wire_vehicle_frame frame;
    struct wire_remote_vehicle_frame relayed;
    struct wire_error error;
    const struct stage_packet *packet;

    given(false);
    frame_from(RC, 5.5f);
    packet = stage_take(watcher, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&relayed, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(relayed.source_id, owner->id);
    ck_assert_float_eq(the(RC)->pos[0], 5.5f);
    frame = frame_at(watcher, RC, 6);
    stage_send_frame(stage, watcher, &frame);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_CONTROLLING), 1);
    ck_assert_float_eq(the(RC)->pos[0], 5.5f);
}
END_TEST

START_TEST(v_remote_6_its_frames_are_limited_as_those_of_a_driver)
{
    size_t accepted = 0;

    given(false);
    stage->now_ms += 1000;
    for (int i = 0; i < 30; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, owner, the(RC));
        uint32_t serial = the(RC)->relay_seq;

        stage_send_frame(stage, owner, &frame);
        accepted += the(RC)->relay_seq != serial;
    }
    ck_assert_uint_eq(accepted, 15); /* half a second of 31; of a synced vehicle it would be 5 */
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_DRIVEN), 15);
}
END_TEST

START_TEST(v_remote_7_it_is_told_again_when_the_detonation_changes)
{
    struct wire_vehicle_remote told;

    given(false);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NONE);
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(give(owner, RC, true), REASON_NONE);
    told = link_take_remote(owner);
    ck_assert_uint_eq(told.vehicle_id, the(RC)->id);
    ck_assert_uint_eq(told.detonation, 1);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NONE);
    told = link_take_remote(owner);
    ck_assert_uint_eq(told.vehicle_id, the(RC)->id);
    ck_assert_uint_eq(told.detonation, 0);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_remote_8_another_rc_takes_the_place_of_the_first)
{
    given(true);
    ck_assert_uint_eq(give(owner, OTHER_RC, false), REASON_NONE);
    ck_assert_uint_eq(link_take_remote(owner).vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_remote(owner).vehicle_id, the(OTHER_RC)->id);
    ck_assert_uint_eq(the(RC)->remote.driver, SLOT_NONE);
    ck_assert(drives(owner, OTHER_RC));
    ck_assert_uint_eq(events.count, 0);
}
END_TEST

/* ---- VehicleRemote: release */

START_TEST(v_remote_8_9_the_gamemode_takes_it_away)
{
    given(true);
    ck_assert_uint_eq(vehicle_remove_remote(stage->shard, stage_player(stage, owner)), REASON_NONE);
    stage_pump(stage);
    is_released(0);
    ck_assert_uint_eq(vehicle_remove_remote(stage->shard, stage_player(stage, owner)), REASON_NOT_DRIVING);
}
END_TEST

START_TEST(v_remote_10_an_rc_farther_than_150_m_is_released)
{
    given(false);
    frame_from(RC, 152); /* the body stands at 2 */
    ck_assert(drives(owner, RC));
    frame_from(RC, nextafterf(152, 200));
    is_released(1);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit 2 1 'range'"), 1);
}
END_TEST

START_TEST(v_remote_10_the_range_is_the_gamemodes_up_to_180_m)
{
    struct shard *shard = stage->shard;

    ck_assert_float_eq(vehicle_remote_range(shard), 150);
    ck_assert_uint_eq(vehicle_set_remote_range(shard, nextafterf(180, 200)), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_remote_range(shard, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_remote_range(shard, -1), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(vehicle_set_remote_range(shard, NAN), REASON_OUT_OF_BOUNDS);
    ck_assert_float_eq(vehicle_remote_range(shard), 150);
    ck_assert_uint_eq(vehicle_set_remote_range(shard, 180), REASON_NONE);
    given(false);
    frame_from(RC, 182);
    ck_assert(drives(owner, RC));
    ck_assert_uint_eq(vehicle_set_remote_range(shard, 50), REASON_NONE);
    stage_run(stage, 200);
    ck_assert(drives(owner, RC)); /* by its next frame */
    frame_from(RC, 52);
    ck_assert(drives(owner, RC));
    frame_from(RC, nextafterf(52, 60));
    is_released(1);
}
END_TEST

START_TEST(v_remote_10_a_frame_that_is_refused_releases_nothing)
{
    struct wire_vehicle_frame frame;

    given(false);
    frame = frame_at(owner, RC, 400);
    frame.state.epoch++;
    stage_send_frame(stage, owner, &frame);
    frame = frame_at(watcher, RC, 400);
    stage_send_frame(stage, watcher, &frame);
    ck_assert(drives(owner, RC));
}
END_TEST

static void destroy_rc(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_REMOTE_EXIT)
        vehicle_destroy(stage->shard, the(RC));
}

START_TEST(v_remote_10_the_handler_of_a_release_may_destroy_the_rc)
{
    given(false);
    events.then = destroy_rc;
    frame_from(RC, 160);
    is_released(1);
    ck_assert_ptr_null(the(RC));
}
END_TEST

START_TEST(v_remote_10_who_loses_sight_of_the_rc_loses_it)
{
    struct place there = { .pos = { 400, 0, 10 } };

    given(false);
    player_teleport(stage->shard, stage_player(stage, owner), stage->now_ms, &there);
    stage_pump(stage);
    stage_run(stage, 200);
    is_released(1);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit 2 1 'range'"), 1);
}
END_TEST

START_TEST(v_remote_11_the_death_of_the_player_releases_it)
{
    given(false);
    stage_die(stage, owner);
    is_released(0);
}
END_TEST

START_TEST(v_remote_11_so_does_a_new_life_without_a_death)
{
    given(false);
    ck_assert_int_eq(player_spawn(stage->shard, stage_player(stage, owner)), REASON_NONE);
    stage_pump(stage);
    is_released(0);
}
END_TEST

START_TEST(v_remote_11_a_change_of_the_players_scope_releases_it)
{
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 2, 0, 10 } };

    given(false);
    player_teleport(stage->shard, stage_player(stage, owner), stage->now_ms, &there);
    stage_pump(stage);
    is_released(0);
    ck_assert_uint_lt(stage_order(owner, PACKET_VEHICLE_REMOTE), stage_order(owner, PACKET_SCOPE_CHANGED));
}
END_TEST

START_TEST(v_remote_11_getting_into_a_vehicle_releases_it)
{
    given(false);
    stage_enter(stage, owner, the(CAR)->id, 1);
    is_released(0);
}
END_TEST

START_TEST(v_remote_12_its_explosion_releases_it)
{
    given(true);
    link_wreck(stage, the(RC));
    is_released(0);
}
END_TEST

START_TEST(v_remote_12_its_respawn_releases_it_and_ends_its_detonation)
{
    given(true);
    vehicle_respawn(stage->shard, the(RC));
    stage_pump(stage);
    is_released(0);
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert_uint_eq(link_take_remote(owner).detonation, 0);
}
END_TEST

START_TEST(v_remote_12_its_removal_releases_it)
{
    given(true);
    vehicle_destroy(stage->shard, the(RC));
    stage_pump(stage);
    is_released(0);
}
END_TEST

START_TEST(v_remote_12_a_new_scope_of_the_rc_releases_it)
{
    given(true);
    vehicle_set_scope(stage->shard, the(RC), (struct scope){ .interior = 1 });
    stage_pump(stage);
    is_released(0);
}
END_TEST

START_TEST(who_leaves_drives_nothing_any_more)
{
    given(false);
    stage_gone(stage, owner);
    ck_assert_uint_eq(the(RC)->remote.driver, SLOT_NONE);
    ck_assert_uint_eq(the(RC)->syncer, link_slot(stage, watcher));
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit"), 0);
    ck_assert_uint_eq(give(watcher, RC, false), REASON_NONE);
}
END_TEST

START_TEST(a_player_who_was_out_of_reach_is_told_again_what_it_drives)
{
    struct wire_vehicle_remote told;

    given(true);
    stage_gateway_down(stage, owner->gateway);
    stage_gateway_up(stage, owner->gateway, 1);
    told = link_take_remote(owner);
    ck_assert_uint_eq(told.vehicle_id, the(RC)->id);
    ck_assert_uint_eq(told.detonation, 1);
    ck_assert(drives(owner, RC));
    stage_gateway_down(stage, owner->gateway);
    link_wreck(stage, the(RC)); /* it is not told of that */
    stage_gateway_up(stage, owner->gateway, 1);
    ck_assert_uint_eq(link_take_remote(owner).vehicle_id, WIRE_NONE);
}
END_TEST

START_TEST(v_remote_13_an_rc_detonates_for_its_driver_while_it_is_set_to)
{
    const struct player *player = stage_player(stage, owner);

    ck_assert(!vehicle_remote_detonates(stage->shard, player, the(RC)));
    given(true);
    ck_assert(vehicle_remote_detonates(stage->shard, player, the(RC)));
    ck_assert(!vehicle_remote_detonates(stage->shard, stage_player(stage, watcher), the(RC)));
    give(owner, RC, false);
    ck_assert(!vehicle_remote_detonates(stage->shard, player, the(RC)));
    ck_assert_uint_eq(link_take_remote(owner).vehicle_id,
                      the(RC)->id); /* returns it to who has blown it up */
}
END_TEST

/* ---- VehicleExplode, RC detonation */

static void explode(struct stage_client *client)
{
    struct wire_vehicle_explode report = {
        .vehicle_id = the(RC)->id,
        .epoch = the(RC)->epoch,
        .has_attacker = 1,
        .attacker_id = watcher->id,
        .attacker_token = watcher->token,
    };

    stage_explode(stage, client, &report);
}

START_TEST(v_rcdet_1_2_3_its_driver_blows_it_up_at_once)
{
    struct wire_vehicle_death death;
    struct wire_error error;
    const struct stage_packet *packet;

    given(true);
    explode(owner);
    ck_assert(the(RC)->wrecked);
    is_released(0);
    packet = stage_take(watcher, PACKET_VEHICLE_DEATH);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_death_decode(&death, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(death.has_killer, 1);
    ck_assert_uint_eq(death.killer_id, owner->id); /* not the attacker it names */
    ck_assert_uint_eq(death.killer_token, owner->token);
}
END_TEST

START_TEST(v_rcdet_1_a_paused_driver_blows_it_up_as_well)
{
    given(true);
    link_pause(stage, owner, true);
    stage_run(stage, 100);
    explode(owner);
    ck_assert(the(RC)->wrecked);
}
END_TEST

START_TEST(v_rcdet_1_v_remote_13_without_the_detonation_it_has_to_burn)
{
    given(true);
    give(owner, RC, false); /* the server has changed it meanwhile */
    explode(owner);
    ck_assert(!the(RC)->wrecked);
    ck_assert(drives(owner, RC));
}
END_TEST

START_TEST(v_rcdet_1_nobody_but_its_driver_blows_it_up)
{
    given(true);
    explode(watcher);
    ck_assert(!the(RC)->wrecked);
    link_remote_exit(stage, owner, the(RC)->id);
    explode(owner); /* its syncer by now */
    ck_assert(!the(RC)->wrecked);
}
END_TEST

/* ---- VehicleShot */

static bool fires(struct stage_client *client, size_t rc, uint32_t order)
{
    struct wire_vehicle_shot shot = { .order = order, .vehicle_id = the(rc)->id, .count = 1 };
    size_t before = stage_count(watcher, PACKET_REMOTE_VEHICLE_SHOT);

    stage->now_ms += 1000;
    shot.rays[0].start_x = shot.rays[0].end_x = the(rc)->pos[0];
    shot.rays[0].start_y = shot.rays[0].end_y = the(rc)->pos[1];
    shot.rays[0].start_z = the(rc)->pos[2];
    shot.rays[0].end_z = the(rc)->pos[2] + 40;
    stage_shoot(stage, client, &shot);
    return stage_count(watcher, PACKET_REMOTE_VEHICLE_SHOT) > before;
}

START_TEST(v_shot_2_an_rc_fires_for_who_drives_it_remotely)
{
    link_model(the(RC), 464);
    stage_run(stage, 100);
    ck_assert_uint_eq(the(RC)->syncer, link_slot(stage, owner));
    ck_assert(!fires(owner, RC, 1)); /* only its syncer */
    given(true);
    ck_assert(fires(owner, RC, 2));
    link_remote_exit(stage, owner, the(RC)->id);
    ck_assert(!fires(owner, RC, 3));
}
END_TEST

START_TEST(v_shot_3_an_rc_tiger_fires_while_its_detonation_is_off)
{
    ck_assert_uint_eq(give(owner, OTHER_RC, true), REASON_NONE);
    ck_assert(!fires(owner, OTHER_RC, 1));
    ck_assert_uint_eq(stage_reason(stage, REASON_DETONATES), 1);
    ck_assert_uint_eq(give(owner, OTHER_RC, false), REASON_NONE);
    ck_assert(fires(owner, OTHER_RC, 2));
}
END_TEST

START_TEST(v_remote_14_a_grant_starts_no_engine)
{
    given(false);
    ck_assert(!the(RC)->params.engine);
}
END_TEST

/* ---- VehicleRemoteExit */

START_TEST(v_rexit_1_only_of_the_rc_that_one_drives)
{
    given(false);
    link_remote_exit(stage, owner, the(OTHER_RC)->id);
    link_remote_exit(stage, owner, WIRE_NONE);
    ck_assert(drives(owner, RC));
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    link_remote_exit(stage, owner, the(RC)->id);
    is_released(1);
}
END_TEST

START_TEST(v_rexit_2_anothers_rc_or_a_second_exit_is_a_no_op)
{
    given(false);
    link_remote_exit(stage, watcher, the(RC)->id);
    ck_assert(drives(owner, RC));
    link_remote_exit(stage, owner, the(RC)->id);
    stage_forget(stage);
    link_remote_exit(stage, owner, the(RC)->id);
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit"), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_DRIVING), 2);
    link_remote_exit(stage, watcher, WIRE_NONE); /* who drives none does not drive that */
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_rexit_3_an_exit_is_told_to_the_gamemode)
{
    given(false);
    link_remote_exit(stage, owner, the(RC)->id);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_exit 2 1 'exit'"), 1);
}
END_TEST

START_TEST(v_rexit_4_it_counts_against_the_limit_of_events)
{
    given(false);
    link_use_up_events(stage, owner);
    link_remote_exit(stage, owner, the(RC)->id);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    ck_assert(drives(owner, RC));
}
END_TEST

/* ---- VehicleRemoteEnter */

static void enter_is_refused(struct stage_client *client, uint32_t vehicle_id, enum reason why)
{
    uint64_t counted = stage_reason(stage, why);

    stage_forget(stage);
    link_remote_enter(stage, client, vehicle_id);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not refused: %s", reason_name(why));
    ck_assert_uint_eq(client->log_count, 0);
}

START_TEST(v_renter_1_7_the_checks_of_a_grant_hold_and_a_refusal_is_silent)
{
    enter_is_refused(owner, 999999, REASON_NO_VEHICLE);
    enter_is_refused(owner, WIRE_NONE, REASON_NO_VEHICLE);
    enter_is_refused(owner, the(CAR)->id, REASON_NOT_RC);
    enter_is_refused(owner, the(FAR_RC)->id, REASON_NOT_STREAMED);
    the(RC)->wrecked = true;
    enter_is_refused(owner, the(RC)->id, REASON_WRECKED);
    the(RC)->wrecked = false;
    the(RC)->scope.virtual_world = 2;
    enter_is_refused(owner, the(RC)->id, REASON_OTHER_SCOPE);
    the(RC)->scope.virtual_world = 0;
    stage_enter(stage, owner, the(CAR)->id, 1);
    enter_is_refused(owner, the(RC)->id, REASON_NOT_ON_FOOT);
    stage_exit(stage, owner, the(CAR)->id);
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert(drives(owner, RC));
    enter_is_refused(watcher, the(RC)->id, REASON_DRIVEN);
    link_remote_exit(stage, owner, the(RC)->id);
    stage_die(stage, owner);
    enter_is_refused(owner, the(RC)->id, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(v_renter_2_a_locked_rc_is_not_taken)
{
    the(RC)->params.locked = true;
    enter_is_refused(owner, the(RC)->id, REASON_LOCKED);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NONE); /* the gamemode gives it all the same */
}
END_TEST

START_TEST(v_renter_3_who_drives_an_rc_leaves_it_first)
{
    given(false);
    enter_is_refused(owner, the(OTHER_RC)->id, REASON_DRIVES_RC);
    enter_is_refused(owner, the(RC)->id, REASON_DRIVES_RC);
    ck_assert(drives(owner, RC));
}
END_TEST

START_TEST(v_renter_4_a_frozen_player_takes_none)
{
    stage_player(stage, owner)->frozen = true;
    enter_is_refused(owner, the(RC)->id, REASON_FROZEN);
    ck_assert_uint_eq(give(owner, RC, false), REASON_NONE); /* but it may be given one */
}
END_TEST

START_TEST(v_renter_5_from_10_m_away_but_no_farther)
{
    link_put(stage, the(RC), nextafterf(12, 20), 0);
    enter_is_refused(owner, the(RC)->id, REASON_OUT_OF_RANGE);
    link_put(stage, the(RC), 12, 0);
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert(drives(owner, RC));
}
END_TEST

START_TEST(v_renter_6_the_gamemode_is_asked)
{
    events.refuses = UINT64_C(1) << EVENT_PLAYER_REMOTE_ENTER;
    enter_is_refused(owner, the(RC)->id, REASON_HANDLER);
    ck_assert_uint_eq(event_log_count(&events, "player_remote_enter 2 1"), 1);
    events.refuses = 0;
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert(drives(owner, RC));
    ck_assert_uint_eq(link_take_remote(owner).vehicle_id, the(RC)->id);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

static void destroy_asked(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_REMOTE_ENTER)
        vehicle_destroy(stage->shard, the(RC));
}

static void give_to_another(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_REMOTE_ENTER)
        vehicle_set_remote(stage->shard, stage_player(stage, watcher), the(RC), false);
}

START_TEST(v_renter_6_an_rc_that_the_handler_destroyed_is_not_granted)
{
    events.then = destroy_asked;
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_NO_VEHICLE), 1);
}
END_TEST

START_TEST(v_renter_6_everything_is_checked_again_after_the_handlers)
{
    events.then = give_to_another;
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert_uint_eq(stage_reason(stage, REASON_DRIVEN), 1);
    ck_assert(drives(watcher, RC));
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
}
END_TEST

START_TEST(v_renter_8_it_counts_against_the_limit_of_events)
{
    link_use_up_events(stage, owner);
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    ck_assert_uint_eq(stage_count(owner, PACKET_VEHICLE_REMOTE), 0);
    ck_assert_uint_eq(the(RC)->remote.driver, SLOT_NONE);
}
END_TEST

START_TEST(who_takes_an_rc_again_by_key_finds_its_detonation_as_it_was)
{
    given(true);
    link_remote_exit(stage, owner, the(RC)->id);
    stage_forget(stage);
    link_remote_enter(stage, owner, the(RC)->id);
    ck_assert_uint_eq(link_take_remote(owner).detonation, 1);
}
END_TEST

Suite *vehicle_remote_suite(void)
{
    Suite *suite = suite_create("vehicle_remote");
    TCase *tcase = tcase_create("remote");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_remote_1_a_grant_is_told_to_the_player_alone);
    tcase_add_test(tcase, v_remote_2_only_an_rc_is_given);
    tcase_add_test(tcase, v_remote_3_the_player_is_alive_and_on_foot);
    tcase_add_test(tcase, v_remote_4_the_rc_is_in_the_players_scope_and_streamed_to_it);
    tcase_add_test(tcase, v_remote_5_the_rc_is_no_wreck_and_nobody_drives_it);
    tcase_add_test(tcase, v_remote_6_who_drives_it_syncs_it_and_nobody_sits_in_it);
    tcase_add_test(tcase, v_remote_6_its_frames_are_limited_as_those_of_a_driver);
    tcase_add_test(tcase, v_remote_7_it_is_told_again_when_the_detonation_changes);
    tcase_add_test(tcase, v_remote_8_another_rc_takes_the_place_of_the_first);
    tcase_add_test(tcase, v_remote_8_9_the_gamemode_takes_it_away);
    tcase_add_test(tcase, v_remote_10_an_rc_farther_than_150_m_is_released);
    tcase_add_test(tcase, v_remote_10_the_range_is_the_gamemodes_up_to_180_m);
    tcase_add_test(tcase, v_remote_10_a_frame_that_is_refused_releases_nothing);
    tcase_add_test(tcase, v_remote_10_the_handler_of_a_release_may_destroy_the_rc);
    tcase_add_test(tcase, v_remote_10_who_loses_sight_of_the_rc_loses_it);
    tcase_add_test(tcase, v_remote_11_the_death_of_the_player_releases_it);
    tcase_add_test(tcase, v_remote_11_so_does_a_new_life_without_a_death);
    tcase_add_test(tcase, v_remote_11_a_change_of_the_players_scope_releases_it);
    tcase_add_test(tcase, v_remote_11_getting_into_a_vehicle_releases_it);
    tcase_add_test(tcase, v_remote_12_its_explosion_releases_it);
    tcase_add_test(tcase, v_remote_12_its_respawn_releases_it_and_ends_its_detonation);
    tcase_add_test(tcase, v_remote_12_its_removal_releases_it);
    tcase_add_test(tcase, v_remote_12_a_new_scope_of_the_rc_releases_it);
    tcase_add_test(tcase, who_leaves_drives_nothing_any_more);
    tcase_add_test(tcase, a_player_who_was_out_of_reach_is_told_again_what_it_drives);
    tcase_add_test(tcase, v_remote_13_an_rc_detonates_for_its_driver_while_it_is_set_to);
    tcase_add_test(tcase, v_rcdet_1_2_3_its_driver_blows_it_up_at_once);
    tcase_add_test(tcase, v_rcdet_1_a_paused_driver_blows_it_up_as_well);
    tcase_add_test(tcase, v_rcdet_1_v_remote_13_without_the_detonation_it_has_to_burn);
    tcase_add_test(tcase, v_rcdet_1_nobody_but_its_driver_blows_it_up);
    tcase_add_test(tcase, v_shot_2_an_rc_fires_for_who_drives_it_remotely);
    tcase_add_test(tcase, v_shot_3_an_rc_tiger_fires_while_its_detonation_is_off);
    tcase_add_test(tcase, v_remote_14_a_grant_starts_no_engine);
    tcase_add_test(tcase, v_rexit_1_only_of_the_rc_that_one_drives);
    tcase_add_test(tcase, v_rexit_2_anothers_rc_or_a_second_exit_is_a_no_op);
    tcase_add_test(tcase, v_rexit_3_an_exit_is_told_to_the_gamemode);
    tcase_add_test(tcase, v_rexit_4_it_counts_against_the_limit_of_events);
    tcase_add_test(tcase, v_renter_1_7_the_checks_of_a_grant_hold_and_a_refusal_is_silent);
    tcase_add_test(tcase, v_renter_2_a_locked_rc_is_not_taken);
    tcase_add_test(tcase, v_renter_3_who_drives_an_rc_leaves_it_first);
    tcase_add_test(tcase, v_renter_4_a_frozen_player_takes_none);
    tcase_add_test(tcase, v_renter_5_from_10_m_away_but_no_farther);
    tcase_add_test(tcase, v_renter_6_the_gamemode_is_asked);
    tcase_add_test(tcase, v_renter_6_an_rc_that_the_handler_destroyed_is_not_granted);
    tcase_add_test(tcase, v_renter_6_everything_is_checked_again_after_the_handlers);
    tcase_add_test(tcase, v_renter_8_it_counts_against_the_limit_of_events);
    tcase_add_test(tcase, who_takes_an_rc_again_by_key_finds_its_detonation_as_it_was);
    tcase_add_test(tcase, v_frame_12_an_rc_is_framed_by_who_drives_it_and_by_nobody_else);
    suite_add_tcase(suite, tcase);
    return suite;
}
