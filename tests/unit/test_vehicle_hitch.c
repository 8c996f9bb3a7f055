#include <math.h>

#include "shard/tables/couplings.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "shard/vehicle_transform.h"
#include "tests/unit/event_log.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* A Roadtrain and five baggage trailers in a row, 6 m apart; a tow truck and a helicopter beside it. */
enum { SEMI, FIRST, SECOND, THIRD, FOURTH, FIFTH, TOW_TRUCK, HELI, CAR, VEHICLES };

static struct stage *stage;
static struct event_log events;
static struct stage_client *driver; /* of the semi */
static struct stage_client *watcher;

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES] = {
        [SEMI] = stage_car(515, 0, 0),       [FIRST] = stage_car(606, 6, 0),
        [SECOND] = stage_car(606, 12, 0),    [THIRD] = stage_car(606, 18, 0),
        [FOURTH] = stage_car(606, 24, 0),    [FIFTH] = stage_car(606, 30, 0),
        [TOW_TRUCK] = stage_car(525, 0, 12), [HELI] = stage_car(548, 6, 12),
        [CAR] = stage_car(411, 0, 6),
    };

    stage = stage_new(vehicles, VEHICLES);
    driver = stage_spawn(stage, 2, 2, 0);
    watcher = stage_spawn(stage, 3, 8, 0);
    stage_enter(stage, driver, the(SEMI)->id, 0);
    event_log_open(&events, stage->shard);
    stage_forget(stage);
}

static void teardown(void)
{
    stage_free(stage);
}

static void hitched(size_t trailer, size_t tractor)
{
    ck_assert_uint_eq(the(trailer)->links.tractor_id, the(tractor)->id);
    ck_assert_uint_eq(the(tractor)->links.trailer_id, the(trailer)->id);
}

static void hitches(size_t trailer, size_t tractor)
{
    link_tow(stage, driver, the(trailer), the(tractor));
    hitched(trailer, tractor);
    stage_forget(stage);
}

/* The semi tows the first, which tows the second, and so on. */
static void make_chain(size_t links)
{
    for (size_t i = 0; i < links; i++)
        hitches(FIRST + i, SEMI + i);
}

/* The sender alone is told the server's hitch, and nothing else happens. */
static void refused(struct stage_client *client, size_t trailer, size_t tractor, enum reason why)
{
    uint32_t before = the(trailer)->links.tractor_id;
    uint64_t counted = stage_reason(stage, why);
    struct wire_vehicle_trailer answer;

    stage_forget(stage);
    link_tow(stage, client, the(trailer), the(tractor));
    answer = link_take_trailer(client);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not refused: %s", reason_name(why));
    ck_assert_uint_eq(answer.trailer_id, the(trailer)->id);
    ck_assert_uint_eq(answer.tractor_id, before);
    ck_assert_uint_eq(answer.place, 0);
    ck_assert_uint_eq(stage_count(client == watcher ? driver : watcher, PACKET_VEHICLE_TRAILER), 0);
    ck_assert_uint_eq(the(trailer)->links.tractor_id, before);
}

/* ---- VehicleTow: hitch */

START_TEST(v_tow_1_there_is_no_trailer_of_all_ones)
{
    link_send_tow(stage, driver,
                  (struct wire_vehicle_tow){ .trailer_id = WIRE_NONE, .tractor_id = the(SEMI)->id });
    ck_assert_uint_eq(stage_count(driver, PACKET_VEHICLE_TRAILER), 0);
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
}
END_TEST

START_TEST(v_tow_2_only_who_is_alive_hitches)
{
    struct stage_client *waiting = stage_join(stage, 4, 3, 0);

    refused(waiting, FIRST, SEMI, REASON_NOT_ALIVE);
    stage_die(stage, driver);
    refused(driver, FIRST, SEMI, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(v_tow_3_only_who_controls_the_tractor_hitches)
{
    refused(watcher, FIRST, SEMI, REASON_NOT_CONTROLLING);
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_3_the_syncer_of_an_empty_tractor_controls_it)
{
    stage_exit(stage, driver, the(SEMI)->id);
    stage_gone(stage, driver);
    ck_assert_uint_eq(the(SEMI)->syncer, link_slot(stage, watcher));
    link_tow(stage, watcher, the(FIRST), the(SEMI));
    hitched(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_3_a_paused_driver_does_not_control_the_tractor)
{
    link_pause(stage, driver, true);
    refused(driver, FIRST, SEMI, REASON_NOT_CONTROLLING);
    link_tow(stage, watcher, the(FIRST), the(SEMI));
    hitched(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_4_both_epochs_must_be_the_current_ones)
{
    struct wire_vehicle_tow tow = { .trailer_id = the(FIRST)->id, .tractor_id = the(SEMI)->id };

    the(FIRST)->epoch = 255;
    the(SEMI)->epoch = 7;
    tow.trailer_epoch = 0;
    tow.tractor_epoch = 7;
    link_send_tow(stage, driver, tow);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
    tow.trailer_epoch = 255;
    tow.tractor_epoch = 8;
    link_send_tow(stage, driver, tow);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
    ck_assert_uint_eq(stage_reason(stage, REASON_OLD_EPOCH), 2);
    tow.tractor_epoch = 7;
    link_send_tow(stage, driver, tow);
    hitched(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_5_a_wreck_is_neither_trailer_nor_tractor)
{
    the(FIRST)->wrecked = true;
    refused(driver, FIRST, SEMI, REASON_WRECKED);
    the(FIRST)->wrecked = false;
    the(SEMI)->wrecked = true;
    refused(driver, FIRST, SEMI, REASON_WRECKED);
    the(SEMI)->wrecked = false;
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_6_both_are_streamed_to_the_sender)
{
    link_put(stage, the(FIRST), 500, 0);
    stage_run(stage, 100);
    link_put(stage, the(FIRST), 6, 0); /* near again, and not shown yet */
    refused(driver, FIRST, SEMI, REASON_NOT_STREAMED);
    stage_run(stage, 100);
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_7_both_are_in_the_senders_scope)
{
    /* The streamed set may lag behind. */
    the(FIRST)->scope.virtual_world = 2;
    refused(driver, FIRST, SEMI, REASON_OTHER_SCOPE);
    the(FIRST)->scope = (struct scope){ .interior = 1 };
    refused(driver, FIRST, SEMI, REASON_OTHER_SCOPE);
    the(FIRST)->scope = (struct scope){ 0 };
    stage_exit(stage, driver, the(SEMI)->id);
    stage_run(stage, 100);
    ck_assert_uint_eq(the(SEMI)->syncer, link_slot(stage, driver));
    the(SEMI)->scope.virtual_world = 2;
    refused(driver, FIRST, SEMI, REASON_OTHER_SCOPE);
    the(SEMI)->scope.virtual_world = 0;
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_8_a_driven_vehicle_is_no_trailer)
{
    link_model(the(SEMI), 525);
    stage_enter(stage, watcher, the(CAR)->id, 0);
    refused(driver, CAR, SEMI, REASON_DRIVEN);
    stage_exit(stage, watcher, the(CAR)->id);
    stage_enter(stage, watcher, the(CAR)->id, 1); /* a passenger is no driver */
    hitches(CAR, SEMI);
}
END_TEST

START_TEST(v_tow_9_what_hangs_on_something_is_no_trailer)
{
    link_model(the(FIFTH), 515);
    link_put(stage, the(FIFTH), 2, 6);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(FIRST), the(FIFTH)), REASON_NONE);
    stage_pump(stage);
    refused(driver, FIRST, SEMI, REASON_HANGS);
    ck_assert_uint_eq(vehicle_detach_trailer(stage->shard, the(FIRST)), REASON_NONE);
    link_model(the(SEMI), 525);
    the(HELI)->params.winch = WINCH_MAGNET;
    stage_run(stage, 100);
    link_winch(stage, watcher, the(CAR), the(HELI));
    link_winch(stage, driver, the(CAR), the(HELI)); /* whoever syncs it */
    ck_assert_uint_eq(the(CAR)->links.lifter_id, the(HELI)->id);
    refused(driver, CAR, SEMI, REASON_HANGS);
}
END_TEST

START_TEST(v_tow_10_a_tractor_tows_one)
{
    hitches(FIRST, SEMI);
    refused(driver, SECOND, SEMI, REASON_TOWS);
}
END_TEST

START_TEST(v_tow_11_a_chain_has_no_loop)
{
    stage_exit(stage, driver, the(SEMI)->id);
    link_model(the(SEMI), 606);
    stage_run(stage, 100);
    refused(driver, SEMI, SEMI, REASON_CHAIN_LOOP);
    make_chain(2);
    refused(driver, SEMI, SECOND, REASON_CHAIN_LOOP);
    refused(driver, SEMI, FIRST, REASON_TOWS);
}
END_TEST

START_TEST(v_tow_11_a_winch_closes_no_loop_either)
{
    stage_exit(stage, driver, the(SEMI)->id);
    the(HELI)->params.winch = WINCH_MAGNET;
    stage_run(stage, 100);
    link_winch(stage, driver, the(TOW_TRUCK), the(HELI));
    ck_assert_uint_eq(the(HELI)->links.load_id, the(TOW_TRUCK)->id);
    stage_run(stage, 100);
    refused(driver, HELI, TOW_TRUCK, REASON_CHAIN_LOOP);
}
END_TEST

START_TEST(v_tow_12_a_chain_has_4_links_and_no_fifth)
{
    make_chain(4);
    refused(driver, FIFTH, FOURTH, REASON_CHAIN_LONG);
}
END_TEST

START_TEST(v_tow_12_two_chains_make_no_chain_of_5)
{
    make_chain(2);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(FOURTH), the(THIRD)), REASON_NONE);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(FIFTH), the(FOURTH)), REASON_NONE);
    stage_pump(stage);
    refused(driver, THIRD, SECOND, REASON_CHAIN_LONG);
    ck_assert_uint_eq(vehicle_detach_trailer(stage->shard, the(FIFTH)), REASON_NONE);
    hitches(THIRD, SECOND);
}
END_TEST

/* ---- VehicleTow: pairs */

static bool pair(uint16_t tractor, uint16_t trailer)
{
    return coupling_hitches(model_find(tractor), model_find(trailer));
}

static bool is_any_of(uint16_t model, const uint16_t *models, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (models[i] == model)
            return true;
    return false;
}

/* vehicles.csv */
static const uint16_t trailers[] = { 435, 450, 584, 591, 606, 607, 608, 610, 611 };
static const uint16_t motorbikes[] = { 448, 461, 462, 463, 468, 521, 522, 523, 581, 586 };
static const uint16_t boats[] = { 430, 446, 452, 453, 454, 472, 473, 484, 493, 595 };

static bool tow_truck_may(uint16_t model)
{
    return !is_any_of(model, trailers, sizeof trailers / sizeof trailers[0]) &&
           !is_any_of(model, motorbikes, sizeof motorbikes / sizeof motorbikes[0]) &&
           !is_any_of(model, boats, sizeof boats / sizeof boats[0]);
}

START_TEST(v_tow_13_a_tow_truck_takes_all_but_trailers_motorbikes_and_boats)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        ck_assert_msg(pair(525, model) == tow_truck_may(model), "%u", model);
    ck_assert(pair(525, 510)); /* a bicycle is no motorbike */
    link_model(the(SEMI), 525);
    refused(driver, FIRST, SEMI, REASON_NO_PAIR);
    hitches(CAR, SEMI);
}
END_TEST

START_TEST(v_tow_14_a_tractor_takes_a_farm_trailer_as_well)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        ck_assert_msg(pair(531, model) == (model == 610 || tow_truck_may(model)), "%u", model);
}
END_TEST

START_TEST(v_tow_15_semis_and_baggage_trailers_take_trailers)
{
    static const uint16_t tractors[] = { 403, 514, 515, 606, 607 };

    for (size_t i = 0; i < sizeof tractors / sizeof tractors[0]; i++)
        for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
            ck_assert_msg(pair(tractors[i], model) ==
                              is_any_of(model, trailers, sizeof trailers / sizeof trailers[0]),
                          "%u %u", tractors[i], model);
}
END_TEST

START_TEST(v_tow_16_a_utility_van_takes_a_street_cleaner)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        ck_assert_msg(pair(552, model) == (model == 611), "%u", model);
}
END_TEST

START_TEST(v_tow_17_baggage_and_tug_take_what_stands_on_an_airport)
{
    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++) {
        ck_assert_msg(pair(485, model) == (model >= 606 && model <= 608), "%u", model);
        ck_assert_msg(pair(583, model) == (model >= 606 && model <= 608), "%u", model);
    }
}
END_TEST

START_TEST(v_tow_13_14_15_16_17_no_other_model_tows)
{
    static const uint16_t tractors[] = { 403, 485, 514, 515, 525, 531, 552, 583, 606, 607 };

    for (uint16_t model = MODEL_MIN; model <= MODEL_MAX; model++)
        for (uint16_t trailer = MODEL_MIN; trailer <= MODEL_MAX; trailer++)
            ck_assert(!pair(model, trailer) ||
                      is_any_of(model, tractors, sizeof tractors / sizeof tractors[0]));
}
END_TEST

/* ---- VehicleTow: the rest of a hitch */

START_TEST(v_tow_18_within_25_m_by_the_servers_positions)
{
    link_put(stage, the(FIRST), nextafterf(25, 30), 0);
    refused(driver, FIRST, SEMI, REASON_OUT_OF_RANGE);
    link_put(stage, the(FIRST), 25, 0);
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_19_nothing_frozen_is_hitched)
{
    the(FIRST)->frozen = true;
    refused(driver, FIRST, SEMI, REASON_FROZEN);
    the(FIRST)->frozen = false;
    the(SEMI)->frozen = true;
    refused(driver, FIRST, SEMI, REASON_FROZEN);
    the(SEMI)->frozen = false;
    hitches(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_20_the_gamemode_is_asked)
{
    char line[64];

    (void)snprintf(line, sizeof line, "trailer_attach %u %u 2", the(FIRST)->id, the(SEMI)->id);
    hitches(FIRST, SEMI);
    ck_assert_uint_eq(event_log_count(&events, line), 1);
}
END_TEST

START_TEST(v_tow_20_a_handler_refuses)
{
    events.refuses = UINT64_C(1) << EVENT_TRAILER_ATTACH;
    refused(driver, FIRST, SEMI, REASON_HANDLER);
}
END_TEST

static void destroy_trailer(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_TRAILER_ATTACH)
        vehicle_destroy(stage->shard, the(FIRST));
}

static void destroy_tractor(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_TRAILER_ATTACH)
        vehicle_destroy(stage->shard, the(SEMI));
}

static void pull_away(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_TRAILER_ATTACH)
        link_put(stage, the(FIRST), 60, 0);
}

static void attach_another(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_TRAILER_ATTACH)
        ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(SECOND), the(SEMI)), REASON_NONE);
}

static void attach_the_same(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_TRAILER_ATTACH)
        ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI)), REASON_NONE);
}

START_TEST(v_tow_20_a_trailer_that_the_handler_destroyed_is_not_hitched)
{
    uint32_t trailer = the(FIRST)->id;
    struct wire_vehicle_trailer answer;

    events.then = destroy_trailer;
    link_tow(stage, driver, the(FIRST), the(SEMI));
    answer = link_take_trailer(driver);
    ck_assert_uint_eq(answer.trailer_id, trailer);
    ck_assert_uint_eq(answer.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
}
END_TEST

START_TEST(v_tow_20_a_tractor_that_the_handler_destroyed_tows_nothing)
{
    events.then = destroy_tractor;
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
    ck_assert_uint_eq(the(FIRST)->links.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(stage_reason(stage, REASON_NO_VEHICLE), 1);
}
END_TEST

START_TEST(v_tow_20_everything_is_checked_again_after_the_handlers)
{
    events.then = pull_away;
    refused(driver, FIRST, SEMI, REASON_OUT_OF_RANGE);
    link_put(stage, the(FIRST), 6, 0);
    events.then = attach_another;
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert_uint_eq(stage_reason(stage, REASON_TOWS), 1);
    hitched(SECOND, SEMI);
    ck_assert_uint_eq(link_take_trailer(driver).trailer_id, the(SECOND)->id);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
}
END_TEST

START_TEST(v_tow_20_a_handler_may_hitch_the_same_itself)
{
    events.then = attach_the_same;
    link_tow(stage, driver, the(FIRST), the(SEMI));
    hitched(FIRST, SEMI);
    ck_assert_uint_eq(link_take_trailer(watcher).place, 1);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
}
END_TEST

/* ---- VehicleTow: unhitch */

START_TEST(v_tow_21_only_who_controls_the_tractor_unhitches)
{
    struct wire_vehicle_trailer answer;

    hitches(FIRST, SEMI);
    link_tow(stage, watcher, the(FIRST), NULL);
    answer = link_take_trailer(watcher);
    ck_assert_uint_eq(answer.trailer_id, the(FIRST)->id);
    ck_assert_uint_eq(answer.tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(stage_count(driver, PACKET_VEHICLE_TRAILER), 0);
    hitched(FIRST, SEMI);
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_uint_eq(the(FIRST)->links.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
}
END_TEST

START_TEST(v_tow_22_an_unhitch_is_of_the_trailers_epoch)
{
    hitches(FIRST, SEMI);
    link_send_tow(stage, driver,
                  (struct wire_vehicle_tow){ .trailer_id = the(FIRST)->id,
                                             .trailer_epoch = (uint8_t)(the(FIRST)->epoch + 1),
                                             .tractor_id = WIRE_NONE });
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
    hitched(FIRST, SEMI);
    ck_assert_uint_eq(event_log_count(&events, "trailer_detach"), 0);
}
END_TEST

START_TEST(v_tow_23_an_unhitch_is_told_to_the_gamemode)
{
    char line[64];

    hitches(FIRST, SEMI);
    (void)snprintf(line, sizeof line, "trailer_detach %u %u 2", the(FIRST)->id, the(SEMI)->id);
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_uint_eq(event_log_count(&events, line), 1);
}
END_TEST

static void destroy_both(void *context, enum event event)
{
    (void)context;
    if (event != EVENT_TRAILER_DETACH)
        return;
    vehicle_destroy(stage->shard, the(FIRST));
    vehicle_destroy(stage->shard, the(SEMI));
}

START_TEST(v_tow_23_the_handler_of_an_unhitch_may_destroy_both)
{
    hitches(FIRST, SEMI);
    events.then = destroy_both;
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_ptr_null(the(FIRST));
    ck_assert_ptr_null(the(SEMI));
}
END_TEST

START_TEST(v_tow_24_the_same_again_changes_nothing)
{
    hitches(FIRST, SEMI);
    event_log_open(&events, stage->shard);
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert_uint_eq(events.count, 0);
    ck_assert_uint_eq(stage_count(driver, PACKET_VEHICLE_TRAILER), 0);
    hitched(FIRST, SEMI);
    link_tow(stage, driver, the(FIRST), NULL);
    event_log_open(&events, stage->shard);
    stage_forget(stage);
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_uint_eq(events.count, 0);
    ck_assert_uint_eq(stage_count(driver, PACKET_VEHICLE_TRAILER), 0);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
}
END_TEST

START_TEST(v_tow_24_25_the_same_of_a_tractors_former_life_is_answered)
{
    struct wire_vehicle_tow tow = { .trailer_id = the(FIRST)->id, .tractor_id = the(SEMI)->id };

    make_chain(1);
    tow.trailer_epoch = the(FIRST)->epoch;
    tow.tractor_epoch = (uint8_t)(the(SEMI)->epoch - 1);
    stage_forget(stage);
    link_send_tow(stage, driver, tow);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, the(SEMI)->id);
    hitched(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_25_a_vehicle_that_nobody_knows_hangs_on_nothing)
{
    struct wire_vehicle_trailer answer;

    link_send_tow(stage, driver,
                  (struct wire_vehicle_tow){ .trailer_id = 999999, .tractor_id = the(SEMI)->id });
    answer = link_take_trailer(driver);
    ck_assert_uint_eq(answer.trailer_id, 999999);
    ck_assert_uint_eq(answer.tractor_id, WIRE_NONE);
    link_send_tow(stage, driver,
                  (struct wire_vehicle_tow){ .trailer_id = the(FIRST)->id, .tractor_id = 999999 });
    answer = link_take_trailer(driver);
    ck_assert_uint_eq(answer.trailer_id, the(FIRST)->id);
    ck_assert_uint_eq(answer.tractor_id, WIRE_NONE);
    link_send_tow(stage, driver, (struct wire_vehicle_tow){ .trailer_id = 999999, .tractor_id = WIRE_NONE });
    ck_assert_uint_eq(link_take_trailer(driver).trailer_id, 999999);
}
END_TEST

START_TEST(v_tow_25_31_over_the_limit_of_events_the_sender_is_told_the_servers_hitch)
{
    hitches(FIRST, SEMI);
    link_use_up_events(stage, driver);
    /* The entry and the hitch count as well. */
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 2);
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_VEHICLE_EVENTS), 3);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
    hitched(FIRST, SEMI);
}
END_TEST

START_TEST(v_limit_4_a_dropped_tow_is_answered_and_a_dropped_key_or_entry_is_not)
{
    hitches(FIRST, SEMI);
    link_use_up_events(stage, driver);
    link_tow(stage, driver, the(SECOND), the(FIRST));
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
    stage_forget(stage);
    stage_control(stage, driver, the(SEMI)->id, 0, true);
    stage_exit(stage, driver, the(SEMI)->id);
    stage_enter(stage, driver, the(CAR)->id, 0);
    ck_assert_uint_eq(driver->log_count, 0);
    ck_assert_uint_eq(watcher->log_count, 0);
}
END_TEST

/* ---- the gamemode's and the server's own */

START_TEST(v_tow_26_the_gamemode_hitches_by_the_same_checks_but_the_players)
{
    struct shard *shard = stage->shard;

    link_put(stage, the(FIRST), nextafterf(25, 30), 0);
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(FIRST), the(SEMI)), REASON_OUT_OF_RANGE);
    link_put(stage, the(FIRST), 25, 0);
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(CAR), the(SEMI)), REASON_NO_PAIR);
    the(FIRST)->frozen = true;
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(FIRST), the(SEMI)), REASON_FROZEN);
    the(FIRST)->frozen = false;
    the(FIRST)->wrecked = true;
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(FIRST), the(SEMI)), REASON_WRECKED);
    the(FIRST)->wrecked = false;
    the(FIRST)->scope.virtual_world = 2;
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(FIRST), the(SEMI)), REASON_OTHER_SCOPE);
    the(FIRST)->scope.virtual_world = 0;
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(FIRST), the(SEMI)), REASON_NONE);
    ck_assert_uint_eq(vehicle_attach_trailer(shard, the(SECOND), the(SEMI)), REASON_TOWS);
    stage_pump(stage);
    hitched(FIRST, SEMI);
    ck_assert_uint_eq(events.count, 0);
}
END_TEST

START_TEST(v_tow_26_the_gamemode_unhitches)
{
    hitches(FIRST, SEMI);
    events.count = 0;
    ck_assert_uint_eq(vehicle_detach_trailer(stage->shard, the(FIRST)), REASON_NONE);
    ck_assert_uint_eq(vehicle_detach_trailer(stage->shard, the(FIRST)), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(link_take_trailer(watcher).tractor_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
    ck_assert_uint_eq(events.count, 0);
}
END_TEST

START_TEST(v_tow_27_who_controls_the_tractor_syncs_the_trailer)
{
    link_put(stage, the(FIRST), 8, 0); /* beside the watcher */
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert_uint_eq(the(FIRST)->syncer, link_slot(stage, driver));
    hitched(FIRST, SEMI);
}
END_TEST

static void is_loose(size_t trailer, size_t tractor)
{
    if (the(trailer) != NULL)
        ck_assert_uint_eq(the(trailer)->links.tractor_id, WIRE_NONE);
    if (the(tractor) != NULL)
        ck_assert_uint_eq(the(tractor)->links.trailer_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_trailer(watcher).tractor_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 0);
    ck_assert_uint_eq(event_log_count(&events, "trailer_detach"), 0);
}

START_TEST(v_tow_28_a_driver_who_gets_in_unhitches_the_trailer)
{
    link_model(the(SEMI), 525);
    hitches(CAR, SEMI);
    stage_enter(stage, watcher, the(CAR)->id, 1);
    hitched(CAR, SEMI); /* a passenger does not */
    stage_exit(stage, watcher, the(CAR)->id);
    stage_enter(stage, watcher, the(CAR)->id, 0);
    is_loose(CAR, SEMI);
}
END_TEST

START_TEST(v_tow_28_a_driver_who_gets_into_the_tractor_changes_no_hitch)
{
    hitches(FIRST, SEMI);
    stage_exit(stage, driver, the(SEMI)->id);
    stage_enter(stage, watcher, the(SEMI)->id, 0);
    hitched(FIRST, SEMI);
    ck_assert_uint_eq(the(FIRST)->syncer, link_slot(stage, watcher));
}
END_TEST

START_TEST(v_tow_29_a_wreck_of_either_unhitches)
{
    make_chain(2);
    link_wreck(stage, the(SECOND));
    is_loose(SECOND, FIRST);
    hitched(FIRST, SEMI);
    link_wreck(stage, the(SEMI));
    is_loose(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_29_a_wreck_in_the_middle_of_a_chain_leaves_both_ends)
{
    make_chain(2);
    link_wreck(stage, the(FIRST));
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
    ck_assert_uint_eq(the(SECOND)->links.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(stage_count(watcher, PACKET_VEHICLE_TRAILER), 2);
}
END_TEST

START_TEST(v_tow_30_a_respawn_of_either_unhitches)
{
    make_chain(2);
    vehicle_respawn(stage->shard, the(SECOND));
    stage_pump(stage);
    is_loose(SECOND, FIRST);
    vehicle_respawn(stage->shard, the(SEMI));
    stage_pump(stage);
    is_loose(FIRST, SEMI);
}
END_TEST

START_TEST(v_tow_30_the_removal_of_either_unhitches)
{
    make_chain(2);
    vehicle_destroy(stage->shard, the(SEMI));
    stage_pump(stage);
    is_loose(FIRST, SEMI);
    vehicle_destroy(stage->shard, the(SECOND));
    stage_pump(stage);
    is_loose(SECOND, FIRST);
}
END_TEST

START_TEST(v_tow_19_what_is_put_or_frozen_leaves_both_hitches)
{
    static const float on_its_roof[] = { 1, 0, 0, 0 };

    for (int way = 0; way < 3; way++) {
        make_chain(2);
        if (way == 0)
            ck_assert_int_eq(vehicle_set_position(stage->shard, the(FIRST), the(FIRST)->pos), REASON_NONE);
        else if (way == 1)
            ck_assert_int_eq(vehicle_set_rotation(stage->shard, the(FIRST), on_its_roof), REASON_NONE);
        else
            ck_assert_int_eq(vehicle_set_frozen(stage->shard, the(FIRST), true), REASON_NONE);
        stage_pump(stage);
        ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
        ck_assert_uint_eq(the(SECOND)->links.tractor_id, WIRE_NONE);
    }
}
END_TEST

START_TEST(v_tow_19_what_is_pushed_spun_or_set_free_stays_hitched)
{
    static const float slow[] = { 1, 0, 0 };

    make_chain(2);
    vehicle_set_velocity(stage->shard, the(FIRST), slow);
    vehicle_set_turn_velocity(stage->shard, the(FIRST), slow);
    vehicle_set_frozen(stage->shard, the(FIRST), false);
    stage_pump(stage);
    hitched(FIRST, SEMI);
    hitched(SECOND, FIRST);
}
END_TEST

START_TEST(a_vehicle_that_goes_to_another_scope_leaves_its_tractor_and_takes_its_trailers)
{
    make_chain(3);
    vehicle_set_scope(stage->shard, the(FIRST), (struct scope){ .interior = 1 });
    stage_pump(stage);
    ck_assert_uint_eq(the(SEMI)->links.trailer_id, WIRE_NONE);
    hitched(SECOND, FIRST);
    hitched(THIRD, SECOND);
}
END_TEST

/* ---- VehicleTrailer */

START_TEST(v_trailer_1_4_every_change_goes_to_everyone_who_sees_the_trailer)
{
    struct stage_client *far = stage_spawn(stage, 4, 180, 0);
    struct stage_client *away = stage_spawn(stage, 5, 700, 0);
    struct wire_vehicle_trailer told;

    stage_run(stage, 200);
    stage_forget(stage);
    link_tow(stage, driver, the(FIRST), the(SEMI));
    told = link_take_trailer(driver);
    ck_assert_uint_eq(told.trailer_id, the(FIRST)->id);
    ck_assert_uint_eq(told.tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(link_take_trailer(watcher).tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(link_take_trailer(far).tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(stage_count(away, PACKET_VEHICLE_TRAILER), 0);
    link_tow(stage, driver, the(FIRST), NULL);
    ck_assert_uint_eq(link_take_trailer(driver).tractor_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_trailer(far).tractor_id, WIRE_NONE);
}
END_TEST

START_TEST(v_trailer_2_a_refusal_is_told_to_the_sender_alone)
{
    hitches(FIRST, SEMI);
    refused(driver, SECOND, SEMI, REASON_TOWS);
    refused(watcher, SECOND, FIRST, REASON_NOT_CONTROLLING);
}
END_TEST

START_TEST(v_trailer_3_only_the_gamemodes_hitch_places_the_trailer)
{
    link_tow(stage, driver, the(FIRST), the(SEMI));
    ck_assert_uint_eq(link_take_trailer(watcher).place, 0);
    vehicle_detach_trailer(stage->shard, the(FIRST));
    stage_pump(stage);
    ck_assert_uint_eq(link_take_trailer(watcher).place, 0);
    vehicle_attach_trailer(stage->shard, the(FIRST), the(SEMI));
    stage_pump(stage);
    ck_assert_uint_eq(link_take_trailer(watcher).place, 1);
    stage_forget(stage);
    link_send_tow(stage, driver,
                  (struct wire_vehicle_tow){
                      .trailer_id = the(FIRST)->id, .trailer_epoch = 9, .tractor_id = the(SEMI)->id });
    ck_assert_uint_eq(link_take_trailer(driver).place, 0); /* an answer places nothing */
}
END_TEST

START_TEST(a_show_names_the_tractor_also_to_who_does_not_see_it)
{
    struct stage_client *late;
    struct wire_vehicle_sync show;

    link_put(stage, the(SEMI), -15, 0);
    hitches(FIRST, SEMI);
    late = stage_spawn(stage, 4, 195, 0); /* 189 m from the trailer, 210 m from the semi */
    ck_assert(!stage_sees_vehicle(late, the(SEMI)->id));
    show = link_take_show(late, the(FIRST)->id);
    ck_assert_uint_eq(show.tractor_id, the(SEMI)->id);
    ck_assert_uint_eq(show.lifter_id, WIRE_NONE);
    ck_assert_uint_eq(link_take_show(stage_spawn(stage, 5, 3, 0), the(SEMI)->id).tractor_id, WIRE_NONE);
}
END_TEST

Suite *vehicle_hitch_suite(void)
{
    Suite *suite = suite_create("vehicle_hitch");
    TCase *tcase = tcase_create("hitches");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_tow_1_there_is_no_trailer_of_all_ones);
    tcase_add_test(tcase, v_tow_2_only_who_is_alive_hitches);
    tcase_add_test(tcase, v_tow_3_only_who_controls_the_tractor_hitches);
    tcase_add_test(tcase, v_tow_3_the_syncer_of_an_empty_tractor_controls_it);
    tcase_add_test(tcase, v_tow_3_a_paused_driver_does_not_control_the_tractor);
    tcase_add_test(tcase, v_tow_4_both_epochs_must_be_the_current_ones);
    tcase_add_test(tcase, v_tow_5_a_wreck_is_neither_trailer_nor_tractor);
    tcase_add_test(tcase, v_tow_6_both_are_streamed_to_the_sender);
    tcase_add_test(tcase, v_tow_7_both_are_in_the_senders_scope);
    tcase_add_test(tcase, v_tow_8_a_driven_vehicle_is_no_trailer);
    tcase_add_test(tcase, v_tow_9_what_hangs_on_something_is_no_trailer);
    tcase_add_test(tcase, v_tow_10_a_tractor_tows_one);
    tcase_add_test(tcase, v_tow_11_a_chain_has_no_loop);
    tcase_add_test(tcase, v_tow_11_a_winch_closes_no_loop_either);
    tcase_add_test(tcase, v_tow_12_a_chain_has_4_links_and_no_fifth);
    tcase_add_test(tcase, v_tow_12_two_chains_make_no_chain_of_5);
    tcase_add_test(tcase, v_tow_13_a_tow_truck_takes_all_but_trailers_motorbikes_and_boats);
    tcase_add_test(tcase, v_tow_14_a_tractor_takes_a_farm_trailer_as_well);
    tcase_add_test(tcase, v_tow_15_semis_and_baggage_trailers_take_trailers);
    tcase_add_test(tcase, v_tow_16_a_utility_van_takes_a_street_cleaner);
    tcase_add_test(tcase, v_tow_17_baggage_and_tug_take_what_stands_on_an_airport);
    tcase_add_test(tcase, v_tow_13_14_15_16_17_no_other_model_tows);
    tcase_add_test(tcase, v_tow_18_within_25_m_by_the_servers_positions);
    tcase_add_test(tcase, v_tow_19_nothing_frozen_is_hitched);
    tcase_add_test(tcase, v_tow_20_the_gamemode_is_asked);
    tcase_add_test(tcase, v_tow_20_a_handler_refuses);
    tcase_add_test(tcase, v_tow_20_a_trailer_that_the_handler_destroyed_is_not_hitched);
    tcase_add_test(tcase, v_tow_20_a_tractor_that_the_handler_destroyed_tows_nothing);
    tcase_add_test(tcase, v_tow_20_everything_is_checked_again_after_the_handlers);
    tcase_add_test(tcase, v_tow_20_a_handler_may_hitch_the_same_itself);
    tcase_add_test(tcase, v_tow_21_only_who_controls_the_tractor_unhitches);
    tcase_add_test(tcase, v_tow_22_an_unhitch_is_of_the_trailers_epoch);
    tcase_add_test(tcase, v_tow_23_an_unhitch_is_told_to_the_gamemode);
    tcase_add_test(tcase, v_tow_23_the_handler_of_an_unhitch_may_destroy_both);
    tcase_add_test(tcase, v_tow_24_the_same_again_changes_nothing);
    tcase_add_test(tcase, v_tow_24_25_the_same_of_a_tractors_former_life_is_answered);
    tcase_add_test(tcase, v_tow_25_a_vehicle_that_nobody_knows_hangs_on_nothing);
    tcase_add_test(tcase, v_tow_25_31_over_the_limit_of_events_the_sender_is_told_the_servers_hitch);
    tcase_add_test(tcase, v_limit_4_a_dropped_tow_is_answered_and_a_dropped_key_or_entry_is_not);
    tcase_add_test(tcase, v_tow_26_the_gamemode_hitches_by_the_same_checks_but_the_players);
    tcase_add_test(tcase, v_tow_26_the_gamemode_unhitches);
    tcase_add_test(tcase, v_tow_27_who_controls_the_tractor_syncs_the_trailer);
    tcase_add_test(tcase, v_tow_28_a_driver_who_gets_in_unhitches_the_trailer);
    tcase_add_test(tcase, v_tow_28_a_driver_who_gets_into_the_tractor_changes_no_hitch);
    tcase_add_test(tcase, v_tow_29_a_wreck_of_either_unhitches);
    tcase_add_test(tcase, v_tow_29_a_wreck_in_the_middle_of_a_chain_leaves_both_ends);
    tcase_add_test(tcase, v_tow_30_a_respawn_of_either_unhitches);
    tcase_add_test(tcase, v_tow_30_the_removal_of_either_unhitches);
    tcase_add_test(tcase, v_tow_19_what_is_put_or_frozen_leaves_both_hitches);
    tcase_add_test(tcase, v_tow_19_what_is_pushed_spun_or_set_free_stays_hitched);
    tcase_add_test(tcase, a_vehicle_that_goes_to_another_scope_leaves_its_tractor_and_takes_its_trailers);
    tcase_add_test(tcase, v_trailer_1_4_every_change_goes_to_everyone_who_sees_the_trailer);
    tcase_add_test(tcase, v_trailer_2_a_refusal_is_told_to_the_sender_alone);
    tcase_add_test(tcase, v_trailer_3_only_the_gamemodes_hitch_places_the_trailer);
    tcase_add_test(tcase, a_show_names_the_tractor_also_to_who_does_not_see_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
