#include <math.h>
#include <string.h>

#include "shard/vehicle_colors.h"
#include "shard/vehicle_handling.h"
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

static struct wire_vehicle_handling take_handling(struct stage_client *client)
{
    struct wire_vehicle_handling handling;
    struct wire_error error;
    const struct stage_packet *packet;

    deliver();
    packet = stage_take(client, PACKET_VEHICLE_HANDLING);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_handling_decode(&handling, packet->bytes, packet->size, &error));
    return handling;
}

static enum reason set(uint32_t property, float value)
{
    return vehicle_set_handling(scene.shard, scene.vehicle, property, &value);
}

START_TEST(v_handl_1_2_a_change_is_told_whole_to_everyone_it_is_streamed_to)
{
    struct wire_vehicle_handling handling;

    ck_assert_int_eq(set(0, 1500), REASON_NONE);
    take_handling(scene.driver);
    take_handling(scene.watcher);
    ck_assert_int_eq(set(17, 300), REASON_NONE);
    handling = take_handling(scene.watcher);
    ck_assert_uint_eq(handling.mask, 1 | 1 << 17);
    ck_assert_float_eq(handling.values[0], 1500);
    ck_assert_float_eq(handling.values[17], 300);
    ck_assert_uint_eq(take_handling(scene.driver).mask, handling.mask);
}
END_TEST

START_TEST(v_handl_2_it_is_critical_and_not_told_without_a_change)
{
    set(0, 1400);
    set(0, 1500);
    set(0, 1500);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_HANDLING), 2);
    ck_assert_int_eq(stage_take(scene.watcher, PACKET_VEHICLE_HANDLING)->delivery,
                     BUS__SEND__CLASS__CRITICAL);
}
END_TEST

START_TEST(v_handl_2_a_property_that_is_set_to_0_is_a_change_and_so_is_its_end)
{
    uint32_t brakes = handling_find("abs");

    ck_assert_int_eq(set(brakes, 0), REASON_NONE);
    ck_assert_uint_eq(take_handling(scene.watcher).mask, UINT32_C(1) << brakes);
    ck_assert_int_eq(vehicle_set_handling(scene.shard, scene.vehicle, brakes, NULL), REASON_NONE);
    ck_assert_uint_eq(take_handling(scene.watcher).mask, 0);
}
END_TEST

START_TEST(v_handl_3_it_follows_the_show_of_a_vehicle_with_a_property_set_only)
{
    struct stage_client *late;

    scene_show(&scene, &late);
    ck_assert_uint_eq(stage_count(late, PACKET_VEHICLE_HANDLING), 0);
    set(20, 4);
    scene_show(&scene, &late);
    ck_assert_uint_eq(take_handling(late).mask, 1 << 20);
}
END_TEST

START_TEST(v_handl_5_6_7_8_9_10_11_12_13_each_property_has_its_range)
{
    static const struct {
        float low, high;
    } ranges[] = {
        { 1, 100000 }, { 1, 10000000 }, { 0, 200 },     { -10, 10 }, { -10, 10 },
        { -10, 10 },   { -100, 100 },   { 0, 100 },     { 0, 1 },    { 0, 1000 },
        { 0, 1 },      { 0, 1 },        { 0, 360 },     { 0, 100 },  { 0, 100 },
        { 0, 600 },    { 0, 10 },       { 0.1f, 1000 }, { 0, 1000 }, { 0.01f, 1000 },
    };

    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        ck_assert_msg(set(i, ranges[i].low) == REASON_NONE, "%s at its least", handling_names[i]);
        ck_assert_msg(set(i, ranges[i].high) == REASON_NONE, "%s at its most", handling_names[i]);
        ck_assert_msg(set(i, nextafterf(ranges[i].low, -INFINITY)) == REASON_OUT_OF_BOUNDS, "%s below",
                      handling_names[i]);
        ck_assert_msg(set(i, nextafterf(ranges[i].high, INFINITY)) == REASON_OUT_OF_BOUNDS, "%s above",
                      handling_names[i]);
        ck_assert_msg(set(i, NAN) == REASON_OUT_OF_BOUNDS, "%s NaN", handling_names[i]);
    }
}
END_TEST

START_TEST(v_handl_9_14_abs_and_gears_are_whole)
{
    ck_assert_int_eq(set(11, 0.5f), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(set(20, 1), REASON_NONE);
    ck_assert_int_eq(set(20, 5), REASON_NONE);
    ck_assert_int_eq(set(20, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(set(20, 6), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(set(20, 2.5f), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_handl_15_a_property_that_is_given_back_is_0)
{
    struct wire_vehicle_handling handling;

    set(0, 1500);
    take_handling(scene.watcher);
    ck_assert_int_eq(vehicle_set_handling(scene.shard, scene.vehicle, 0, NULL), REASON_NONE);
    handling = take_handling(scene.watcher);
    ck_assert_uint_eq(handling.mask, 0);
    ck_assert_float_eq(handling.values[0], 0);
    ck_assert_int_eq(set(21, 1), REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_handl_16_what_the_page_does_not_name_has_no_number)
{
    ck_assert_uint_eq(handling_find("mass"), 0);
    ck_assert_uint_eq(handling_find("number_of_gears"), 20);
    ck_assert_uint_eq(handling_find("drive_type"), HANDLING_PROPERTIES);
    ck_assert_uint_eq(handling_find("suspension_upper_limit"), HANDLING_PROPERTIES);
}
END_TEST

/* ---- colors */

START_TEST(v_color_1_repainting_is_told_to_everyone_it_is_streamed_to)
{
    struct wire_vehicle_colors colors;
    struct wire_error error;
    const struct stage_packet *packet;

    ck_assert_int_eq(vehicle_set_colors(scene.shard, scene.vehicle, 5, 127), REASON_NONE);
    deliver();
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_VEHICLE_COLORS), 1);
    packet = stage_take(scene.watcher, PACKET_VEHICLE_COLORS);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_colors_decode(&colors, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(colors.color1, 5);
    ck_assert_uint_eq(colors.color2, 127);
    ck_assert_uint_eq(scene_show(&scene, NULL).color1, 5);
}
END_TEST

START_TEST(v_color_2_a_wreck_is_not_repainted)
{
    scene.vehicle->wrecked = true;
    ck_assert_int_eq(vehicle_set_colors(scene.shard, scene.vehicle, 5, 6), REASON_WRECKED);
}
END_TEST

START_TEST(v_color_3_the_same_colors_are_not_sent)
{
    vehicle_set_colors(scene.shard, scene.vehicle, scene.vehicle->color1, scene.vehicle->color2);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_COLORS), 0);
}
END_TEST

START_TEST(v_color_3_either_color_alone_is_a_change)
{
    uint8_t color1 = scene.vehicle->color1;
    uint8_t color2 = scene.vehicle->color2;

    vehicle_set_colors(scene.shard, scene.vehicle, color1 + 1, color2);
    vehicle_set_colors(scene.shard, scene.vehicle, color1 + 1, color2 + 1);
    deliver();
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_VEHICLE_COLORS), 2);
}
END_TEST

START_TEST(v_color_5_a_color_is_at_most_127)
{
    ck_assert_int_eq(vehicle_set_colors(scene.shard, scene.vehicle, 128, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(vehicle_set_colors(scene.shard, scene.vehicle, 0, 128), REASON_OUT_OF_BOUNDS);
}
END_TEST

Suite *vehicle_handling_suite(void)
{
    Suite *suite = suite_create("vehicle_handling");
    TCase *tcase = tcase_create("handling");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_handl_1_2_a_change_is_told_whole_to_everyone_it_is_streamed_to);
    tcase_add_test(tcase, v_handl_2_it_is_critical_and_not_told_without_a_change);
    tcase_add_test(tcase, v_handl_2_a_property_that_is_set_to_0_is_a_change_and_so_is_its_end);
    tcase_add_test(tcase, v_handl_3_it_follows_the_show_of_a_vehicle_with_a_property_set_only);
    tcase_add_test(tcase, v_handl_5_6_7_8_9_10_11_12_13_each_property_has_its_range);
    tcase_add_test(tcase, v_handl_9_14_abs_and_gears_are_whole);
    tcase_add_test(tcase, v_handl_15_a_property_that_is_given_back_is_0);
    tcase_add_test(tcase, v_handl_16_what_the_page_does_not_name_has_no_number);
    tcase_add_test(tcase, v_color_1_repainting_is_told_to_everyone_it_is_streamed_to);
    tcase_add_test(tcase, v_color_2_a_wreck_is_not_repainted);
    tcase_add_test(tcase, v_color_3_the_same_colors_are_not_sent);
    tcase_add_test(tcase, v_color_3_either_color_alone_is_a_change);
    tcase_add_test(tcase, v_color_5_a_color_is_at_most_127);
    suite_add_tcase(suite, tcase);
    return suite;
}
