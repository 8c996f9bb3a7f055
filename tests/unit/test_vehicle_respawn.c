#include <math.h>
#include <string.h>

#include "shard/vehicle_colors.h"
#include "shard/vehicle_handling.h"
#include "shard/vehicle_health.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_transform.h"
#include "shard/vehicle_tuning.h"
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

static struct wire_vehicle_sync respawned(void)
{
    struct wire_vehicle_sync show;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    stage_forget(scene.stage);
    vehicle_respawn(scene.shard, scene.vehicle);
    deliver();
    packet = stage_take(scene.watcher, PACKET_VEHICLE_SYNC);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
    return show;
}

START_TEST(v_sync_20_a_respawn_is_a_show_of_the_next_epoch_to_everyone)
{
    struct wire_vehicle_sync show;

    scene.vehicle->epoch = UINT8_MAX;
    show = respawned();
    ck_assert_uint_eq(show.active, 1);
    ck_assert_uint_eq(show.epoch, 0);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_VEHICLE_SYNC), 1);
}
END_TEST

START_TEST(v_sync_21_who_sat_in_it_is_told_to_get_out_before)
{
    respawned();
    ck_assert_uint_eq(scene.vehicle->seats[0], SLOT_NONE);
    ck_assert_uint_lt(stage_order(scene.driver, PACKET_VEHICLE_OCCUPANCY),
                      stage_order(scene.driver, PACKET_VEHICLE_SYNC));
}
END_TEST

START_TEST(v_sync_22_26_it_has_no_damage_and_no_moved_part)
{
    struct wire_vehicle_sync show;

    scene.vehicle->damage.panels = 3;
    scene.vehicle->part = 100;
    scene.vehicle->health.value = 10;
    show = respawned();
    ck_assert_uint_eq(show.damage.panels, 0);
    ck_assert_uint_eq(show.part, 0);
    ck_assert_float_eq(show.health, 1000);
}
END_TEST

START_TEST(v_sync_22_v_expl_3_it_does_not_burn_any_more)
{
    vehicle_set_health(scene.shard, scene.vehicle, 100);
    stage_run(scene.stage, 5000);
    respawned();
    ck_assert(!vehicle_has_burnt(scene.vehicle, scene.stage->now_ms, 0));
}
END_TEST

START_TEST(v_sync_23_24_serials_and_revisions_go_on)
{
    struct wire_vehicle_sync show;

    scene.vehicle->relay_seq = 77;
    scene.vehicle->health.rev = 3;
    scene.vehicle->damage_rev = 4;
    scene.vehicle->params.siren_rev = 5;
    scene.vehicle->pose_rev = 6;
    show = respawned();
    ck_assert_uint_eq(show.relay_seq, 77);
    ck_assert_uint_eq(show.health_rev, 3);
    ck_assert_uint_eq(show.damage_rev, 4);
    ck_assert_uint_eq(show.siren_rev, 5);
    ck_assert_uint_eq(show.pose_rev, 6);
}
END_TEST

START_TEST(v_sync_17_18_a_wreck_is_whole_again)
{
    scene.vehicle->wrecked = true;
    ck_assert_uint_eq(scene_show(&scene, NULL).flags, 1);
    scene.vehicle->drowned = true;
    ck_assert_uint_eq(scene_show(&scene, NULL).flags, 3);
    ck_assert_uint_eq(respawned().flags, 0);
}
END_TEST

START_TEST(v_color_4_a_respawn_keeps_the_colors)
{
    vehicle_set_colors(scene.shard, scene.vehicle, 9, 8);
    ck_assert_uint_eq(respawned().color1, 9);
}
END_TEST

START_TEST(v_handl_3_4_a_respawn_keeps_the_handling_and_its_show_tells_it)
{
    const float mass = 900;

    vehicle_set_handling(scene.shard, scene.vehicle, 0, &mass);
    respawned();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_HANDLING), 1);
    ck_assert_uint_eq(scene.vehicle->handling.mask, 1);
}
END_TEST

START_TEST(v_tune_3_4_the_show_of_a_respawn_is_followed_by_the_tuning_with_its_charges_full)
{
    struct wire_vehicle_tuning tuning;
    struct wire_error error;
    const struct stage_packet *packet;

    vehicle_add_component(scene.shard, scene.vehicle, 1010);
    vehicle_set_nitro_charges(scene.shard, scene.vehicle, 0);
    respawned();
    packet = stage_take(scene.watcher, PACKET_VEHICLE_TUNING);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_tuning_decode(&tuning, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(tuning.nitro, 10);
}
END_TEST

START_TEST(it_stands_where_it_was_made)
{
    static const float away[] = { 50, 60, 70 };
    struct wire_vehicle_sync show;

    memcpy(scene.vehicle->pos, away, sizeof away);
    show = respawned();
    ck_assert_float_eq(show.x, 0);
    ck_assert_float_eq(show.y, 0);
}
END_TEST

START_TEST(who_cannot_be_told_now_is_hidden_it_and_shown_it_later)
{
    struct player *watcher = stage_player(scene.stage, scene.watcher);

    scene.watcher->silent = true;
    watcher->lane.sent += 300;
    vehicle_respawn(scene.shard, scene.vehicle);
    deliver();
    ck_assert_uint_eq(watcher->owed_hides_count, 1);
    watcher->lane.acked = watcher->lane.sent;
    stage_run(scene.stage, 300);
    ck_assert(stage_sees_vehicle(scene.watcher, scene.vehicle->id));
}
END_TEST

START_TEST(v_sync_10_11_who_is_near_its_place_is_shown_it_at_once)
{
    static const float far[] = { 3000, 0, 10 };

    vehicle_set_position(scene.shard, scene.vehicle, far);
    deliver();
    ck_assert(!stage_sees_vehicle(scene.watcher, scene.vehicle->id));
    respawned();
    ck_assert(stage_sees_vehicle(scene.watcher, scene.vehicle->id));
}
END_TEST

START_TEST(v_expl_14_a_wreck_is_not_respawned_by_the_server)
{
    uint8_t epoch = scene.vehicle->epoch;

    scene.vehicle->wrecked = true;
    stage_run(scene.stage, 60000);
    ck_assert(scene.vehicle->wrecked);
    ck_assert_uint_eq(scene.vehicle->epoch, epoch);
}
END_TEST

START_TEST(its_searchlight_is_off_and_its_hydraulics_and_parts_are_at_rest)
{
    scene.vehicle->searchlight = true;
    scene.vehicle->hydraulics.state = 60;
    scene.vehicle->part_wanted = 1000;
    respawned();
    ck_assert(!scene.vehicle->searchlight);
    ck_assert_uint_eq(scene.vehicle->hydraulics.state, 0);
    ck_assert_uint_eq(scene.vehicle->part_wanted, 0);
}
END_TEST

START_TEST(it_stands_still)
{
    scene.vehicle->move_speed[0] = 1;
    scene.vehicle->turn_speed[2] = 1;
    respawned();
    ck_assert_float_eq(scene.vehicle->move_speed[0], 0);
    ck_assert_float_eq(scene.vehicle->turn_speed[2], 0);
}
END_TEST

Suite *vehicle_respawn_suite(void)
{
    Suite *suite = suite_create("vehicle_respawn");
    TCase *tcase = tcase_create("respawn");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_sync_20_a_respawn_is_a_show_of_the_next_epoch_to_everyone);
    tcase_add_test(tcase, v_sync_21_who_sat_in_it_is_told_to_get_out_before);
    tcase_add_test(tcase, v_sync_22_26_it_has_no_damage_and_no_moved_part);
    tcase_add_test(tcase, v_sync_22_v_expl_3_it_does_not_burn_any_more);
    tcase_add_test(tcase, v_sync_23_24_serials_and_revisions_go_on);
    tcase_add_test(tcase, v_sync_17_18_a_wreck_is_whole_again);
    tcase_add_test(tcase, v_color_4_a_respawn_keeps_the_colors);
    tcase_add_test(tcase, v_handl_3_4_a_respawn_keeps_the_handling_and_its_show_tells_it);
    tcase_add_test(tcase, v_tune_3_4_the_show_of_a_respawn_is_followed_by_the_tuning_with_its_charges_full);
    tcase_add_test(tcase, its_searchlight_is_off_and_its_hydraulics_and_parts_are_at_rest);
    tcase_add_test(tcase, it_stands_still);
    tcase_add_test(tcase, it_stands_where_it_was_made);
    tcase_add_test(tcase, who_cannot_be_told_now_is_hidden_it_and_shown_it_later);
    tcase_add_test(tcase, v_sync_10_11_who_is_near_its_place_is_shown_it_at_once);
    tcase_add_test(tcase, v_expl_14_a_wreck_is_not_respawned_by_the_server);
    suite_add_tcase(suite, tcase);
    return suite;
}
