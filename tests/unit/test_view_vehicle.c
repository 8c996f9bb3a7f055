#include "bots/view.h"

#include <string.h>

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"

static struct view view;

static void teardown(void)
{
    view_fini(&view);
}

static void show(const struct wire_vehicle_sync *sync)
{
    ck_assert(view_on_vehicle_sync(&view, sync));
}

static void show_car(void)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, 10, 0);

    show(&sync);
}

static void hide(void)
{
    ck_assert(view_on_vehicle_sync(&view, &(struct wire_vehicle_sync){ .vehicle_id = 5 }));
}

static const struct view_vehicle *car(void)
{
    return view_vehicle(&view, 5);
}

/* ---- what is told is kept */

START_TEST(a_show_tells_everything_that_it_carries)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, 10, 0);

    sync.flags = 1 | 2 | 4 | 8;
    sync.doors = 9;
    sync.color1 = 3;
    sync.color2 = 4;
    sync.tractor_id = 6;
    sync.lifter_id = 7;
    sync.damage.wheels[2] = 1;
    sync.damage_rev = 11;
    show(&sync);
    ck_assert(car()->is_wrecked && car()->is_drowned && car()->is_clockwise && car()->is_derailed);
    ck_assert_uint_eq(car()->doors, 9);
    ck_assert_uint_eq(car()->color1, 3);
    ck_assert_uint_eq(car()->color2, 4);
    ck_assert_uint_eq(car()->tractor_id, 6);
    ck_assert_uint_eq(car()->lifter_id, 7);
    ck_assert_uint_eq(car()->damage.wheels[2], 1);
    ck_assert_uint_eq(car()->damage_rev, 11);
}
END_TEST

START_TEST(what_is_about_a_vehicle_that_is_not_shown_is_told_apart)
{
    ck_assert(!view_on_vehicle_damage(&view, &(struct wire_remote_vehicle_damage){ .vehicle_id = 5 }));
    ck_assert(!view_on_vehicle_tuning(&view, &(struct wire_vehicle_tuning){ .vehicle_id = 5 }));
    ck_assert(!view_on_vehicle_handling(&view, &(struct wire_vehicle_handling){ .vehicle_id = 5 }));
    ck_assert(!view_on_vehicle_colors(&view, &(struct wire_vehicle_colors){ .vehicle_id = 5 }));
    ck_assert(!view_on_vehicle_trailer(&view, &(struct wire_vehicle_trailer){ .trailer_id = 5 }));
    ck_assert(!view_on_vehicle_lift(&view, &(struct wire_vehicle_lift){ .vehicle_id = 5 }));
    ck_assert(!view_on_train_state(&view, &(struct wire_train_state){ .vehicle_id = 5 }));
}
END_TEST

START_TEST(tuning_and_handling_are_forgotten_with_the_copy)
{
    struct wire_vehicle_tuning tuning = { .vehicle_id = 5,
                                          .components = { [8] = 1010 },
                                          .paintjob = 1,
                                          .plate = "ABC 1234",
                                          .dirt = 3,
                                          .nitro = 10 };
    struct wire_vehicle_handling handling = { .vehicle_id = 5, .mask = 1, .values = { 1500 } };
    struct wire_vehicle_sync respawn = bots_rig_show(5, 10, 0);

    show_car();
    ck_assert_uint_eq(car()->tuning.paintjob, 0xFF);
    ck_assert(view_on_vehicle_tuning(&view, &tuning));
    ck_assert(view_on_vehicle_handling(&view, &handling));
    ck_assert_uint_eq(car()->tuning.components[8], 1010);
    ck_assert_mem_eq(car()->tuning.plate, "ABC 1234", 8);
    ck_assert_uint_eq(car()->tuning.nitro, 10);
    ck_assert_float_eq(car()->handling.values[0], 1500);
    respawn.epoch = 2;
    show(&respawn);
    ck_assert_uint_eq(car()->tuning.components[8], 0);
    ck_assert_uint_eq(car()->handling.mask, 0);
}
END_TEST

START_TEST(links_rails_and_colors_follow_what_is_told)
{
    show_car();
    (void)view_on_vehicle_trailer(&view, &(struct wire_vehicle_trailer){ .trailer_id = 5, .tractor_id = 6 });
    (void)view_on_vehicle_lift(&view, &(struct wire_vehicle_lift){ .vehicle_id = 5, .heli_id = 7 });
    (void)view_on_train_state(&view, &(struct wire_train_state){ .vehicle_id = 5, .flags = 2 });
    (void)view_on_vehicle_colors(&view,
                                 &(struct wire_vehicle_colors){ .vehicle_id = 5, .color1 = 8, .color2 = 9 });
    ck_assert_uint_eq(car()->tractor_id, 6);
    ck_assert_uint_eq(car()->lifter_id, 7);
    ck_assert(car()->is_derailed && !car()->is_clockwise);
    ck_assert_uint_eq(car()->color2, 9);
}
END_TEST

START_TEST(a_drowned_one_keeps_its_health_and_an_exploded_one_has_none)
{
    show_car();
    (void)view_on_vehicle_death(&view,
                                &(struct wire_vehicle_death){ .vehicle_id = 5, .epoch = 1, .cause = 1 });
    ck_assert(car()->is_wrecked && car()->is_drowned);
    ck_assert_float_eq(car()->health, 1000);
    (void)view_on_vehicle_death(&view, &(struct wire_vehicle_death){ .vehicle_id = 5, .epoch = 1 });
    ck_assert_float_eq(car()->health, 0);
}
END_TEST

START_TEST(the_damage_of_another_life_is_not_applied)
{
    struct wire_remote_vehicle_damage damage = { .vehicle_id = 5, .epoch = 2, .damage_rev = 9 };

    show_car();
    damage.status.lights = 1;
    ck_assert(view_on_vehicle_damage(&view, &damage));
    ck_assert_uint_eq(car()->damage.lights, 0);
    damage.epoch = 1;
    ck_assert(view_on_vehicle_damage(&view, &damage));
    ck_assert_uint_eq(car()->damage.lights, 1);
    ck_assert_uint_eq(car()->damage_rev, 9);
}
END_TEST

/* ---- no counter goes back */

static void tell_health(uint16_t rev)
{
    (void)view_on_vehicle_health(
        &view, &(struct wire_vehicle_health){ .vehicle_id = 5, .epoch = 1, .health_rev = rev });
}

START_TEST(a_revision_goes_on_over_its_wrap_and_never_back)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, 10, 0);

    sync.health_rev = UINT16_MAX;
    show(&sync);
    tell_health(0);
    tell_health(1);
    ck_assert_uint_eq(view.gone_back, 0);
    tell_health(UINT16_MAX);
    ck_assert_uint_eq(view.gone_back, 1);
}
END_TEST

START_TEST(each_revision_is_looked_at)
{
    show_car();
    (void)view_on_vehicle_params(&view, &(struct wire_vehicle_params){ .vehicle_id = 5, .siren_rev = 3 });
    ck_assert_uint_eq(view.gone_back, 0);
    (void)view_on_vehicle_params(&view, &(struct wire_vehicle_params){ .vehicle_id = 5, .siren_rev = 2 });
    ck_assert_uint_eq(view.gone_back, 1);
    (void)view_on_vehicle_damage(
        &view, &(struct wire_remote_vehicle_damage){ .vehicle_id = 5, .epoch = 1, .damage_rev = UINT16_MAX });
    ck_assert_uint_eq(view.gone_back, 2);
    (void)view_on_vehicle_transform(&view, &(struct wire_vehicle_transform){
                                               .vehicle_id = 5, .epoch = 1, .pose_rev = 4, .relay_seq = 9 });
    ck_assert_uint_eq(view.gone_back, 3); /* the serial */
}
END_TEST

START_TEST(counters_do_not_go_back_while_the_vehicle_is_hidden)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, 10, 0);

    show(&sync);
    hide();
    show(&sync);
    ck_assert_uint_eq(view.gone_back, 0);
    hide();
    sync.pose_rev--;
    show(&sync);
    ck_assert_uint_eq(view.gone_back, 1);
}
END_TEST

START_TEST(lives_go_on_over_their_wrap_and_never_back)
{
    struct wire_vehicle_sync sync = bots_rig_show(5, 10, 0);

    sync.epoch = UINT8_MAX;
    show(&sync);
    sync.epoch = 0;
    show(&sync);
    ck_assert_uint_eq(view.gone_back, 0);
    sync.epoch = UINT8_MAX;
    show(&sync);
    ck_assert_uint_eq(view.gone_back, 1);
}
END_TEST

static void frame(uint32_t seq, uint16_t health_rev, uint16_t siren_rev, uint16_t pose_rev)
{
    struct wire_remote_vehicle_frame remote = bots_rig_vehicle_frame(5, seq, 1);

    remote.state.health_rev = health_rev;
    remote.state.siren_rev = siren_rev;
    remote.state.pose_rev = pose_rev;
    (void)view_on_vehicle_frame(&view, 1000, &remote);
}

START_TEST(a_newer_frame_carries_no_older_revision)
{
    show_car(); /* 2, 3, 4 */
    frame(11, 2, 3, 4);
    frame(13, 3, 3, 5);
    frame(12, 2, 3, 4); /* it was overtaken */
    ck_assert_uint_eq(view.gone_back, 0);
    frame(14, 2, 3, 5);
    ck_assert_uint_eq(view.gone_back, 1);
}
END_TEST

START_TEST(frames_that_come_before_the_show_are_remembered_since_when)
{
    frame(11, 2, 3, 4);
    ck_assert_uint_eq(view_known_vehicle(&view, 5)->early_ms, 1000);
    ck_assert_ptr_null(view_vehicle(&view, 5));
    show_car();
    ck_assert_uint_eq(car()->early_ms, 0);
}
END_TEST

Suite *view_vehicle_suite(void)
{
    Suite *suite = suite_create("view_vehicle");
    TCase *told = tcase_create("told");
    TCase *counters = tcase_create("counters");

    tcase_add_checked_fixture(told, NULL, teardown);
    tcase_add_test(told, a_show_tells_everything_that_it_carries);
    tcase_add_test(told, what_is_about_a_vehicle_that_is_not_shown_is_told_apart);
    tcase_add_test(told, tuning_and_handling_are_forgotten_with_the_copy);
    tcase_add_test(told, links_rails_and_colors_follow_what_is_told);
    tcase_add_test(told, a_drowned_one_keeps_its_health_and_an_exploded_one_has_none);
    tcase_add_test(told, the_damage_of_another_life_is_not_applied);
    suite_add_tcase(suite, told);
    tcase_add_checked_fixture(counters, NULL, teardown);
    tcase_add_test(counters, a_revision_goes_on_over_its_wrap_and_never_back);
    tcase_add_test(counters, each_revision_is_looked_at);
    tcase_add_test(counters, counters_do_not_go_back_while_the_vehicle_is_hidden);
    tcase_add_test(counters, lives_go_on_over_their_wrap_and_never_back);
    tcase_add_test(counters, a_newer_frame_carries_no_older_revision);
    tcase_add_test(counters, frames_that_come_before_the_show_are_remembered_since_when);
    suite_add_tcase(suite, counters);
    return suite;
}
