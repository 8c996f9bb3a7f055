#include <math.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/ownership.h"
#include "shard/player_place.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "tests/unit/seats.h"
#include "tests/unit/suites.h"

static struct seats seats;

static void setup(void)
{
    seats_open(&seats);
}

static void teardown(void)
{
    seats_close(&seats);
}

static struct shard_vehicle what_of(int64_t model)
{
    struct shard_vehicle what = stage_car(411, 10, 10);

    what.model = model;
    return what;
}

static enum reason make(struct shard_vehicle what, uint16_t owner, struct vehicle **made)
{
    return vehicle_create_owned(seats.stage->shard, owner, &what, made);
}

static struct vehicle *made_of(int64_t model, uint16_t owner)
{
    struct vehicle *made;

    ck_assert_uint_eq(make(what_of(model), owner, &made), REASON_NONE);
    return made;
}

static void refused(struct shard_vehicle what, enum reason why)
{
    struct vehicle *made = seats.car;
    uint32_t before = seats.stage->shard->world.vehicles.count;

    ck_assert_uint_eq(make(what, 1, &made), why);
    ck_assert_ptr_null(made);
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, before);
}

static struct vehicle *find(uint32_t id)
{
    return world_vehicle(&seats.stage->shard->world, id);
}

static void destroy(struct vehicle *vehicle)
{
    vehicle_destroy(seats.stage->shard, vehicle);
    seats_handled(&seats);
}

/* ---- creation */

START_TEST(v_sync_1_a_vehicle_is_what_the_gamemode_made_it)
{
    struct shard_vehicle what = stage_car(522, 10, -20);
    struct wire_vehicle_sync show;
    struct vehicle *made;

    what.color1 = 127;
    what.color2 = 3;
    what.heading = -90;
    what.interior = 0;
    ck_assert_uint_eq(make(what, 1, &made), REASON_NONE);
    stage_run(seats.stage, 100);
    show = seats_take_sync(seats.driver, made->id);
    ck_assert_uint_eq(show.active, 1);
    ck_assert_uint_eq(show.model, 522);
    ck_assert_float_eq(show.x, 10);
    ck_assert_float_eq(show.y, -20);
    ck_assert_float_eq_tol(show.heading, 270, 0.01f);
    ck_assert_uint_eq(show.color1, 127);
    ck_assert_uint_eq(show.color2, 3);
    ck_assert_float_eq(show.health, 1000);
    ck_assert_uint_eq(show.epoch, 0);
}
END_TEST

START_TEST(v_sync_1_a_destroyed_one_is_gone_for_everybody)
{
    uint32_t id = seats.car->id;

    destroy(seats.car);
    ck_assert_ptr_null(find(id));
    ck_assert(!stage_sees_vehicle(seats.driver, id));
    ck_assert(!stage_sees_vehicle(seats.watcher, id));
    stage_run(seats.stage, 500); /* the configuration does not bring it back */
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, SEATS_VEHICLES - 1);
}
END_TEST

START_TEST(v_sync_2_a_resource_that_stops_takes_its_vehicles_along)
{
    uint32_t first = made_of(411, 7)->id;
    uint32_t other = made_of(411, 8)->id;
    uint32_t second = made_of(522, 7)->id;

    vehicle_destroy_owned(seats.stage->shard, 7);
    ck_assert_ptr_null(find(first));
    ck_assert_ptr_null(find(second));
    ck_assert_ptr_nonnull(find(other));
    ck_assert_ptr_nonnull(find(seats.car->id));
}
END_TEST

START_TEST(v_sync_3_a_model_outside_the_games_is_refused)
{
    refused(what_of(399), REASON_NO_MODEL);
    refused(what_of(612), REASON_NO_MODEL);
    refused(what_of(-1), REASON_NO_MODEL);
    refused(what_of(INT64_C(411) + (INT64_C(1) << 32)), REASON_NO_MODEL);
    ck_assert_ptr_nonnull(made_of(400, 1));
    ck_assert_ptr_nonnull(made_of(611, 1));
}
END_TEST

START_TEST(v_sync_4_carriages_are_not_made_on_their_own)
{
    refused(what_of(569), REASON_NO_MODEL);
    refused(what_of(570), REASON_NO_MODEL);
    refused(what_of(590), REASON_NO_MODEL);
}
END_TEST

START_TEST(v_sync_5_a_train_is_one_vehicle)
{
    struct vehicle *train;
    uint32_t before = seats.stage->shard->world.vehicles.count;

    stage_forget(seats.stage);
    train = made_of(538, 1);
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, before + 1);
    stage_run(seats.stage, 100);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_SYNC), 1);
    ck_assert_uint_eq(seats_take_sync(seats.driver, train->id).model, 538);
}
END_TEST

START_TEST(v_sync_6_the_seats_of_trains)
{
    ck_assert_uint_eq(model_find(537)->seats, 21);
    ck_assert_uint_eq(model_find(538)->seats, 21);
    ck_assert_uint_eq(model_find(449)->seats, 6);
}
END_TEST

START_TEST(v_sync_32_what_is_not_finite_is_refused)
{
    static const double values[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };

    for (size_t i = 0; i < 3; i++) {
        struct shard_vehicle what = what_of(411);

        what.x = values[i];
        refused(what, REASON_OUT_OF_BOUNDS);
        what = what_of(411);
        what.z = values[i];
        refused(what, REASON_OUT_OF_BOUNDS);
        what = what_of(411);
        what.heading = values[i];
        refused(what, REASON_OUT_OF_BOUNDS);
    }
}
END_TEST

START_TEST(a_vehicle_is_made_within_the_world_alone)
{
    struct shard_vehicle what = what_of(411);

    what.x = 6000;
    what.y = -6000;
    what.z = 4000;
    ck_assert_uint_eq(make(what, 1, &seats.car), REASON_NONE);
    what.x = nextafter(6000, 7000);
    refused(what, REASON_OUT_OF_BOUNDS);
    what = what_of(411);
    what.z = nextafter(-200, -300);
    refused(what, REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(v_sync_28_colors_are_those_of_the_games_palette)
{
    struct shard_vehicle what = what_of(411);

    what.color1 = 128;
    refused(what, REASON_OUT_OF_BOUNDS);
    what.color1 = 0;
    what.color2 = -1;
    refused(what, REASON_OUT_OF_BOUNDS);
    what.color2 = 127;
    ck_assert_uint_eq(make(what, 1, &seats.car), REASON_NONE);
    stage_run(seats.stage, 100);
    ck_assert_uint_eq(seats_take_sync(seats.driver, seats.car->id).color2, 127);
}
END_TEST

START_TEST(a_scope_of_another_shard_is_refused)
{
    struct shard_vehicle what = what_of(411);

    what.virtual_world = 1;
    refused(what, REASON_OTHER_SHARD);
    what.virtual_world = INT64_C(1) << 32;
    refused(what, REASON_OUT_OF_BOUNDS);
    what.virtual_world = 2;
    what.interior = 255;
    ck_assert_uint_eq(make(what, 1, &seats.car), REASON_NONE);
    what.interior = 256;
    refused(what, REASON_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(without_ids_nothing_is_made_until_the_coordinator_answers)
{
    struct id_lease *lease = &seats.stage->shard->lease;
    struct vehicle *made;

    seats.stage->leases = false;
    lease->next = lease->end - 1;
    lease->spare_first = lease->spare_end = 0;
    lease->asked = false;
    ck_assert_uint_eq(make(what_of(411), 1, &made), REASON_NONE);
    refused(what_of(411), REASON_NO_IDS);
    seats.stage->leases = true;
    lease->asked = false; /* what was asked of the one before is asked again */
    ownership_on_coordinator(seats.stage->shard);
    stage_pump(seats.stage);
    ck_assert_uint_eq(make(what_of(411), 1, &made), REASON_NONE);
}
END_TEST

START_TEST(a_full_table_is_told_and_costs_no_id)
{
    struct vehicle *made;
    uint32_t next;

    while (make(what_of(411), 1, &made) == REASON_NONE)
        stage_pump(seats.stage);
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, 512);
    next = seats.stage->shard->lease.next;
    refused(what_of(411), REASON_TABLE_FULL);
    ck_assert_uint_eq(seats.stage->shard->lease.next, next);
}
END_TEST

START_TEST(a_slot_that_is_taken_away_takes_the_gamemodes_vehicles_along)
{
    uint32_t id = made_of(411, 3)->id;

    stage_map(seats.stage, 2, 0, 2);
    ck_assert_ptr_null(find(id));
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, 0);
}
END_TEST

/* ---- destruction */

START_TEST(destroying_a_vehicle_frees_its_seats_first)
{
    uint32_t id = seats.car->id;

    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    destroy(seats.car);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_EXIT);
    ck_assert_uint_eq(seats_take_sync(seats.driver, id).active, 0);
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_VEHICLE_OCCUPANCY),
                      stage_order(seats.driver, PACKET_VEHICLE_SYNC));
    ck_assert_uint_eq(ear_first(&seats.ear, EVENT_PLAYER_EXIT_VEHICLE)->arguments[1].vehicle, id);
}
END_TEST

static void destroy_again(struct ear *ear, const struct event_value *arguments)
{
    struct vehicle *vehicle = world_vehicle(&ear->stage->shard->world, arguments[1].vehicle);

    ck_assert_ptr_nonnull(vehicle); /* the handler can still look at it */
    vehicle_destroy(ear->stage->shard, vehicle);
}

START_TEST(a_vehicle_is_destroyed_once_however_often_a_handler_asks)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    seats.ear.acts_on = EVENT_PLAYER_EXIT_VEHICLE;
    seats.ear.act = destroy_again;
    destroy(seats.car);
    ck_assert_uint_eq(seats.stage->shard->world.vehicles.count, SEATS_VEHICLES - 1);
}
END_TEST

static void board_it(struct ear *ear, const struct event_value *arguments)
{
    struct vehicle *vehicle = world_vehicle(&ear->stage->shard->world, arguments[1].vehicle);

    ck_assert_uint_eq(
        vehicle_put_player(ear->stage->shard, stage_player(ear->stage, ear->client), vehicle, 0),
        REASON_NO_VEHICLE);
    ck_assert_uint_eq(vehicle_set_scope(ear->stage->shard, vehicle, (struct scope){ .virtual_world = 2 }),
                      REASON_NO_VEHICLE);
}

START_TEST(nobody_gets_into_a_vehicle_that_is_being_destroyed)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    seats.ear.acts_on = EVENT_PLAYER_EXIT_VEHICLE;
    seats.ear.act = board_it;
    seats.ear.client = seats.driver;
    destroy(seats.car);
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

Suite *vehicle_life_suite(void)
{
    Suite *suite = suite_create("vehicle_life");
    TCase *tcase = tcase_create("lives");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_sync_1_a_vehicle_is_what_the_gamemode_made_it);
    tcase_add_test(tcase, v_sync_1_a_destroyed_one_is_gone_for_everybody);
    tcase_add_test(tcase, v_sync_2_a_resource_that_stops_takes_its_vehicles_along);
    tcase_add_test(tcase, v_sync_3_a_model_outside_the_games_is_refused);
    tcase_add_test(tcase, v_sync_4_carriages_are_not_made_on_their_own);
    tcase_add_test(tcase, v_sync_5_a_train_is_one_vehicle);
    tcase_add_test(tcase, v_sync_6_the_seats_of_trains);
    tcase_add_test(tcase, v_sync_32_what_is_not_finite_is_refused);
    tcase_add_test(tcase, a_vehicle_is_made_within_the_world_alone);
    tcase_add_test(tcase, v_sync_28_colors_are_those_of_the_games_palette);
    tcase_add_test(tcase, a_scope_of_another_shard_is_refused);
    tcase_add_test(tcase, without_ids_nothing_is_made_until_the_coordinator_answers);
    tcase_add_test(tcase, a_full_table_is_told_and_costs_no_id);
    tcase_add_test(tcase, a_slot_that_is_taken_away_takes_the_gamemodes_vehicles_along);
    tcase_add_test(tcase, destroying_a_vehicle_frees_its_seats_first);
    tcase_add_test(tcase, a_vehicle_is_destroyed_once_however_often_a_handler_asks);
    tcase_add_test(tcase, nobody_gets_into_a_vehicle_that_is_being_destroyed);
    suite_add_tcase(suite, tcase);
    return suite;
}
