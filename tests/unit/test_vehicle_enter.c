#include <math.h>

#include "shard/player_place.h"
#include "shard/vehicle_enter.h"
#include "shard/vehicle_life.h"
#include "shard/vehicle_put.h"
#include "shard/vehicle_seat.h"
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

static enum reason check(struct stage_client *client, const struct vehicle *vehicle, uint8_t seat)
{
    return vehicle_enter_check(seats.stage->shard, stage_player(seats.stage, client), vehicle, seat);
}

/* Up to that distance along x, and no float farther. */
static void range_is(const struct vehicle *vehicle, uint8_t seat, float range)
{
    seats_set_pos(&seats, seats.driver, vehicle->pos[0] + range, vehicle->pos[1], vehicle->pos[2]);
    ck_assert_uint_eq(check(seats.driver, vehicle, seat), REASON_NONE);
    seats_set_pos(&seats, seats.driver, nextafterf(vehicle->pos[0] + range, INFINITY), vehicle->pos[1],
                  vehicle->pos[2]);
    ck_assert_uint_eq(check(seats.driver, vehicle, seat), REASON_OUT_OF_RANGE);
}

/* The driver stands at the train. */
static struct vehicle *at_the_train(void)
{
    struct vehicle *train = seats_vehicle(&seats, SEATS_TRAIN);
    struct place there = { .pos = { train->pos[0], train->pos[1], 10 } };

    ck_assert_uint_eq(player_teleport(seats.stage->shard, stage_player(seats.stage, seats.driver),
                                      seats.stage->now_ms, &there),
                      REASON_NONE);
    seats_handled(&seats);
    stage_run(seats.stage, 100);
    stage_forget(seats.stage);
    return train;
}

/* ---- conditions */

START_TEST(v_enter_1_a_vehicle_that_is_not_streamed_takes_nobody)
{
    seats_deny_is(&seats, seats.driver, seats_vehicle(&seats, SEATS_FAR_CAR)->id, 0, REASON_NOT_STREAMED);
    seats_enters(&seats, seats.driver, seats.car->id, 0);
}
END_TEST

START_TEST(v_enter_1_an_unknown_vehicle_takes_nobody)
{
    seats_deny_is(&seats, seats.driver, 999999, 2, REASON_NO_VEHICLE);
}
END_TEST

START_TEST(v_enter_2_another_virtual_world_or_interior_is_refused_while_the_set_lags)
{
    seats.car->scope.virtual_world = 2;
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_OTHER_SCOPE);
    seats.car->scope.virtual_world = 0;
    seats.car->scope.interior = 1;
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_OTHER_SCOPE);
    seats.car->scope.interior = 0;
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_NONE);
}
END_TEST

START_TEST(v_enter_3_the_dead_are_denied)
{
    stage_die(seats.stage, seats.driver);
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_NOT_ALIVE);
}
END_TEST

START_TEST(v_enter_4_who_has_not_spawned_is_denied)
{
    struct stage_client *client = stage_join(seats.stage, 5, 2, 0);

    seats_deny_is(&seats, client, seats.car->id, 0, REASON_NOT_SPAWNED);
}
END_TEST

START_TEST(v_enter_5_a_frozen_player_is_denied)
{
    stage_player(seats.stage, seats.driver)->frozen = true;
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_FROZEN);
    stage_player(seats.stage, seats.driver)->frozen = false;
    seats_enters(&seats, seats.driver, seats.car->id, 0);
}
END_TEST

START_TEST(v_enter_6_from_fifteen_m_away_but_no_farther)
{
    range_is(seats.car, 0, 15);
    range_is(seats.car, 1, 15);
}
END_TEST

START_TEST(v_enter_6_the_height_counts)
{
    seats_set_pos(&seats, seats.driver, 0, 0, seats.car->pos[2] + 15);
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_NONE);
    seats_set_pos(&seats, seats.driver, 0, 0, nextafterf(seats.car->pos[2] + 15, INFINITY));
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_OUT_OF_RANGE);
}
END_TEST

START_TEST(v_enter_6_the_vehicles_position_is_the_servers)
{
    seats.car->pos[0] = 100;
    ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_OUT_OF_RANGE);
}
END_TEST

START_TEST(v_enter_7_each_carriage_up_to_the_seats_adds_twenty_five_m)
{
    static const struct {
        uint8_t seat;
        float range;
    } cases[] = {
        { 0, 15 }, { 5, 15 }, { 6, 40 }, { 10, 40 }, { 11, 65 }, { 15, 65 }, { 16, 90 }, { 20, 90 }
    };
    struct vehicle *train = at_the_train();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        range_is(train, cases[i].seat, cases[i].range);
}
END_TEST

START_TEST(v_enter_7_a_tram_has_no_carriages)
{
    const struct model *tram = model_find(449);

    ck_assert_float_eq(vehicle_seat_distance(tram, 5), 0);
    ck_assert_uint_eq(tram->seats, 6);
}
END_TEST

START_TEST(v_enter_8_a_seat_that_the_model_does_not_have_is_denied)
{
    seats_deny_is(&seats, seats.driver, seats.car->id, 2, REASON_NO_SEAT);
    seats_deny_is(&seats, seats.driver, seats.car->id, 255, REASON_NO_SEAT);
    seats_enters(&seats, seats.driver, seats.car->id, 1);
}
END_TEST

START_TEST(v_enter_8_every_model_has_its_seats)
{
    static const struct {
        uint16_t model;
        uint8_t seats;
    } cases[] = { { 411, 2 }, { 405, 4 }, { 462, 2 }, { 430, 1 }, { 432, 1 }, { 425, 1 }, { 537, 21 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        seats.car->model = model_find(cases[i].model);
        for (unsigned seat = 0; seat < 30; seat++)
            ck_assert_msg((check(seats.driver, seats.car, (uint8_t)seat) == REASON_NONE) ==
                              (seat < cases[i].seats),
                          "model %u, seat %u", cases[i].model, seat);
    }
}
END_TEST

START_TEST(v_enter_9_rc_models_have_no_seat_at_all)
{
    static const uint16_t models[] = { 441, 464, 465, 501, 564, 594 };

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        seats.car->model = model_find(models[i]);
        ck_assert_uint_eq(seats.car->model->vehicle_class, MODEL_RC);
        ck_assert_uint_eq(check(seats.driver, seats.car, 0), REASON_NO_SEAT);
    }
}
END_TEST

START_TEST(v_enter_10_a_taken_seat_is_denied)
{
    stage_enter(seats.stage, seats.watcher, seats.car->id, 1);
    seats_deny_is(&seats, seats.driver, seats.car->id, 1, REASON_SEAT_TAKEN);
    stage_exit(seats.stage, seats.watcher, seats.car->id);
    seats_enters(&seats, seats.driver, seats.car->id, 1);
}
END_TEST

START_TEST(v_enter_10_ones_own_seat_is_taken)
{
    seats_drive(&seats);
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_SEAT_TAKEN);
}
END_TEST

START_TEST(v_enter_11_who_sits_in_another_vehicle_is_denied)
{
    seats_drive(&seats);
    seats.car->pos[1] = 10; /* so that both are near */
    seats_deny_is(&seats, seats.driver, seats_vehicle(&seats, SEATS_RC)->id, 0, REASON_NO_SEAT);
    seats_set_pos(&seats, seats.driver, 0, 15, 10);
    seats_deny_is(&seats, seats.driver, seats_vehicle(&seats, SEATS_OTHER_CAR)->id, 0,
                  REASON_SEATED_ELSEWHERE);
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->seat, 0);
}
END_TEST

START_TEST(v_enter_11_another_seat_of_the_same_vehicle_is_taken_after_leaving_the_first)
{
    seats_drive(&seats);
    stage_enter(seats.stage, seats.driver, seats.car->id, 1);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_ENTER);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
    ck_assert_uint_ne(seats.car->seats[1], SLOT_NONE);
}
END_TEST

START_TEST(v_enter_12_a_derailed_train_takes_nobody)
{
    struct vehicle *train = at_the_train();

    train->derailed = true;
    seats_deny_is(&seats, seats.driver, train->id, 1, REASON_DERAILED);
    train->derailed = false;
    seats_enters(&seats, seats.driver, train->id, 1);
}
END_TEST

START_TEST(v_enter_12_a_gamemode_seats_players_in_a_derailed_train)
{
    struct vehicle *train = seats_vehicle(&seats, SEATS_TRAIN);

    train->derailed = true;
    ck_assert_uint_eq(
        vehicle_put_player(seats.stage->shard, stage_player(seats.stage, seats.driver), train, 1),
        REASON_NONE);
    seats_handled(&seats);
}
END_TEST

START_TEST(v_enter_13_a_wreck_takes_nobody)
{
    seats.car->wrecked = true;
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_WRECKED);
}
END_TEST

START_TEST(v_enter_14_a_locked_vehicle_takes_nobody)
{
    seats.car->params.locked = true;
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_LOCKED);
    seats_deny_is(&seats, seats.driver, seats.car->id, 1, REASON_LOCKED);
    seats.car->params.locked = false;
    seats_enters(&seats, seats.driver, seats.car->id, 0);
}
END_TEST

/* ---- answers */

START_TEST(v_enter_15_a_refusal_is_a_deny_to_the_sender_alone)
{
    stage_enter(seats.stage, seats.driver, seats.car->id, 7);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_DENY);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

START_TEST(v_enter_16_the_gamemode_is_asked_with_vehicle_player_and_seat)
{
    const struct ear_event *asked;

    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats_enters(&seats, seats.driver, seats.car->id, 1);
    asked = ear_first(&seats.ear, EVENT_VEHICLE_START_ENTER);
    ck_assert_uint_eq(asked->count, 4);
    ck_assert_uint_eq(asked->arguments[0].vehicle, seats.car->id);
    ck_assert_uint_eq(asked->arguments[1].player.id, seats.driver->id);
    ck_assert_uint_eq(asked->arguments[1].player.token, seats.driver->token);
    ck_assert_int_eq(asked->arguments[2].integer, 1);
    ck_assert_int_eq(asked->arguments[3].kind, EVENT_NIL);
}
END_TEST

START_TEST(v_enter_16_false_from_a_handler_is_a_deny)
{
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats.ear.refused = EVENT_VEHICLE_START_ENTER;
    seats_deny_is(&seats, seats.driver, seats.car->id, 0, REASON_HANDLER);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
}
END_TEST

START_TEST(v_enter_16_a_request_that_fails_a_check_asks_nobody)
{
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats_deny_is(&seats, seats.driver, seats.car->id, 9, REASON_NO_SEAT);
    ck_assert_uint_eq(seats.ear.count, 0);
}
END_TEST

/* ---- what a handler may do meanwhile */

static void deny_after(void (*act)(struct ear *, const struct event_value *), enum reason why)
{
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats.ear.acts_on = EVENT_VEHICLE_START_ENTER;
    seats.ear.act = act;
    seats.ear.client = seats.driver;
    stage_forget(seats.stage);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(stage_reason(seats.stage, why), 1);

    struct wire_vehicle_occupancy last = { .kind = KIND_NONE };

    while (stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY) > 0)
        last = seats_take_occupancy(seats.driver);
    ck_assert_uint_eq(last.kind, KIND_DENY);
}

static void destroy(struct ear *ear, const struct event_value *arguments)
{
    vehicle_destroy(ear->stage->shard, world_vehicle(&ear->stage->shard->world, arguments[0].vehicle));
}

START_TEST(v_enter_17_a_vehicle_that_a_handler_destroys_is_a_deny)
{
    deny_after(destroy, REASON_NO_VEHICLE);
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

static void replace(struct ear *ear, const struct event_value *arguments)
{
    struct shard_vehicle what = stage_car(411, 0, 0);
    struct vehicle *made;

    destroy(ear, arguments);
    ck_assert_uint_eq(vehicle_create_owned(ear->stage->shard, 1, &what, &made), REASON_NONE);
}

START_TEST(v_enter_17_another_vehicle_in_its_memory_is_not_it)
{
    deny_after(replace, REASON_NO_VEHICLE);
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

static void next_epoch(struct ear *ear, const struct event_value *arguments)
{
    world_vehicle(&ear->stage->shard->world, arguments[0].vehicle)->epoch++;
}

START_TEST(v_enter_17_a_respawn_meanwhile_is_a_deny)
{
    deny_after(next_epoch, REASON_OLD_EPOCH);
}
END_TEST

START_TEST(v_enter_17_a_respawn_meanwhile_is_a_deny_across_the_wrap_of_the_epoch)
{
    seats.car->epoch = UINT8_MAX;
    deny_after(next_epoch, REASON_OLD_EPOCH);
    ck_assert_uint_eq(seats.car->epoch, 0);
}
END_TEST

static void take_the_seat(struct ear *ear, const struct event_value *arguments)
{
    struct vehicle *vehicle = world_vehicle(&ear->stage->shard->world, arguments[0].vehicle);

    ck_assert_uint_eq(vehicle_put_player(ear->stage->shard, stage_player(ear->stage, ear->client), vehicle,
                                         (uint8_t)arguments[2].integer),
                      REASON_NONE);
}

START_TEST(v_enter_17_a_seat_that_was_taken_meanwhile_is_a_deny)
{
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats.ear.acts_on = EVENT_VEHICLE_START_ENTER;
    seats.ear.act = take_the_seat;
    seats.ear.client = seats.watcher;
    stage_enter(seats.stage, seats.driver, seats.car->id, 1);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_DENY);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_SEAT_TAKEN), 1);
}
END_TEST

START_TEST(v_enter_17_a_requester_that_a_handler_seats_itself_stays_seated)
{
    deny_after(take_the_seat, REASON_SEAT_TAKEN);
    ck_assert_uint_ne(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

static void warp_away(struct ear *ear, const struct event_value *arguments)
{
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 5, 5, 10 } };

    (void)arguments;
    ck_assert_uint_eq(
        player_teleport(ear->stage->shard, stage_player(ear->stage, ear->client), ear->stage->now_ms, &there),
        REASON_NONE);
}

START_TEST(v_enter_17_a_player_that_a_handler_moves_away_is_denied)
{
    deny_after(warp_away, REASON_NOT_STREAMED);
}
END_TEST

static void freeze(struct ear *ear, const struct event_value *arguments)
{
    (void)arguments;
    stage_player(ear->stage, ear->client)->frozen = true;
}

START_TEST(v_enter_17_a_player_that_a_handler_freezes_is_denied)
{
    deny_after(freeze, REASON_FROZEN);
}
END_TEST

static void lock(struct ear *ear, const struct event_value *arguments)
{
    world_vehicle(&ear->stage->shard->world, arguments[0].vehicle)->params.locked = true;
}

START_TEST(v_enter_17_a_vehicle_that_a_handler_locks_is_a_deny)
{
    deny_after(lock, REASON_LOCKED);
}
END_TEST

/* ---- accepted */

START_TEST(v_enter_18_an_entry_is_told_to_everyone_the_vehicle_is_streamed_to)
{
    struct stage_client *near = stage_spawn(seats.stage, 4, 150, 0);
    struct stage_client *far = stage_spawn(seats.stage, 5, 700, 0);
    struct wire_vehicle_occupancy occupancy;

    seats_enters(&seats, seats.driver, seats.car->id, 0);
    occupancy = seats_take_occupancy(near);
    ck_assert_uint_eq(occupancy.kind, KIND_ENTER);
    ck_assert_uint_eq(occupancy.vehicle_id, seats.car->id);
    ck_assert_uint_eq(occupancy.player_id, seats.driver->id);
    ck_assert_uint_eq(occupancy.seat, 0);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_ENTER);
    ck_assert_uint_eq(stage_count(far, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

START_TEST(v_enter_19_an_accepted_entry_is_told_to_the_gamemode)
{
    const struct ear_event *told;

    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    seats_enters(&seats, seats.driver, seats.car->id, 1);
    ck_assert_uint_eq(seats.ear.count, 1);
    told = ear_first(&seats.ear, EVENT_PLAYER_ENTER_VEHICLE);
    ck_assert_uint_eq(told->arguments[0].player.id, seats.driver->id);
    ck_assert_uint_eq(told->arguments[1].vehicle, seats.car->id);
    ck_assert_int_eq(told->arguments[2].integer, 1);
}
END_TEST

START_TEST(v_enter_19_a_refused_entry_is_not)
{
    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    seats_deny_is(&seats, seats.driver, seats.car->id, 9, REASON_NO_SEAT);
    ck_assert_uint_eq(seats.ear.count, 0);
}
END_TEST

static void destroy_entered(struct ear *ear, const struct event_value *arguments)
{
    vehicle_destroy(ear->stage->shard, world_vehicle(&ear->stage->shard->world, arguments[1].vehicle));
}

START_TEST(v_enter_19_the_handler_may_destroy_the_vehicle)
{
    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    seats.ear.acts_on = EVENT_PLAYER_ENTER_VEHICLE;
    seats.ear.act = destroy_entered;
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_ENTER);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_PLAYER_EXIT_VEHICLE), 1);
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(v_enter_21_requests_count_against_the_limit_of_vehicle_events)
{
    for (int i = 0; i < 30; i++)
        stage_enter(seats.stage, seats.driver, 999999, 0);
    stage_forget(seats.stage);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
}
END_TEST

/* ---- jacking */

START_TEST(v_jack_1_a_request_for_the_wheel_that_another_player_has_is_a_jack)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_JACK);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_VEHICLE_JACK), 1);
}
END_TEST

START_TEST(v_jack_1_a_passenger_is_nobodys_to_jack)
{
    stage_enter(seats.stage, seats.driver, seats.car->id, 1);
    seats_deny_is(&seats, seats.watcher, seats.car->id, 1, REASON_SEAT_TAKEN);
}
END_TEST

START_TEST(v_jack_2_nobody_jacks_when_jacking_is_off)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    seats.stage->shard->config.jacking = false;
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_JACKING_OFF);
    ck_assert_uint_eq(seats.ear.count, 0);
    seats_enters(&seats, seats.watcher, seats.car->id, 1); /* which is no jack */
}
END_TEST

START_TEST(v_jack_3_a_jacker_must_pass_the_checks_of_any_entry)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    stage_player(seats.stage, seats.watcher)->frozen = true;
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_FROZEN);
    stage_player(seats.stage, seats.watcher)->frozen = false;
    seats.car->params.locked = true;
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_LOCKED);
    seats.car->params.locked = false;
    seats_set_pos(&seats, seats.watcher, nextafterf(15, 16), 0, 10);
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_OUT_OF_RANGE);
    ck_assert_uint_eq(seats.ear.count, 0);
}
END_TEST

START_TEST(v_jack_4_both_events_are_asked_in_order_with_the_driver)
{
    const struct ear_event *start;
    const struct ear_event *jack;

    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    ear_listen(&seats, EVENT_VEHICLE_JACK);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    ck_assert_uint_eq(seats.ear.count, 2);
    start = &seats.ear.events[0];
    jack = &seats.ear.events[1];
    ck_assert_int_eq(start->event, EVENT_VEHICLE_START_ENTER);
    ck_assert_uint_eq(start->arguments[1].player.id, seats.watcher->id);
    ck_assert_uint_eq(start->arguments[3].player.id, seats.driver->id);
    ck_assert_int_eq(jack->event, EVENT_VEHICLE_JACK);
    ck_assert_uint_eq(jack->arguments[0].vehicle, seats.car->id);
    ck_assert_uint_eq(jack->arguments[1].player.id, seats.watcher->id);
    ck_assert_uint_eq(jack->arguments[2].player.id, seats.driver->id);
}
END_TEST

START_TEST(v_jack_4_false_from_either_event_is_a_deny)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    ear_listen(&seats, EVENT_VEHICLE_JACK);
    seats.ear.refused = EVENT_VEHICLE_START_ENTER;
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_HANDLER);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_VEHICLE_JACK), 0);
    seats.ear.refused = EVENT_VEHICLE_JACK;
    seats_deny_is(&seats, seats.watcher, seats.car->id, 0, REASON_HANDLER);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_VEHICLE_JACK), 1);
    ck_assert_uint_eq(seats.car->seats[0],
                      world_player_slot(&seats.stage->shard->world, stage_player(seats.stage, seats.driver)));
}
END_TEST

START_TEST(v_jack_5_the_driver_is_jacked_and_the_jacker_enters)
{
    struct stage_client *clients[] = { seats.driver, seats.watcher };

    seats_drive(&seats);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    for (size_t i = 0; i < 2; i++) {
        struct wire_vehicle_occupancy jacked = seats_take_occupancy(clients[i]);
        struct wire_vehicle_occupancy entered = seats_take_occupancy(clients[i]);

        ck_assert_uint_eq(jacked.kind, KIND_JACKED);
        ck_assert_uint_eq(jacked.player_id, seats.driver->id);
        ck_assert_uint_eq(jacked.player_token, seats.driver->token);
        ck_assert_uint_eq(entered.kind, KIND_ENTER);
        ck_assert_uint_eq(entered.player_id, seats.watcher->id);
        ck_assert_uint_eq(seats_take_occupancy(clients[i]).kind, KIND_NONE);
    }
    ck_assert_uint_eq(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(v_jack_5_the_gamemode_hears_of_the_exit_before_the_entry)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    ck_assert_uint_eq(seats.ear.count, 2);
    ck_assert_int_eq(seats.ear.events[0].event, EVENT_PLAYER_EXIT_VEHICLE);
    ck_assert_uint_eq(seats.ear.events[0].arguments[0].player.id, seats.driver->id);
    ck_assert_int_eq(seats.ear.events[1].event, EVENT_PLAYER_ENTER_VEHICLE);
    ck_assert_uint_eq(seats.ear.events[1].arguments[0].player.id, seats.watcher->id);
}
END_TEST

/* What the handler of one of the two events does to the wheel; then what the watcher is told last. */
static uint8_t jack_after(enum event event, void (*act)(struct ear *, const struct event_value *))
{
    struct wire_vehicle_occupancy last = { .kind = KIND_NONE };

    seats_drive(&seats);
    ear_listen(&seats, EVENT_VEHICLE_START_ENTER);
    ear_listen(&seats, EVENT_VEHICLE_JACK);
    seats.ear.acts_on = event;
    seats.ear.act = act;
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    while (stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY) > 0) {
        last = seats_take_occupancy(seats.watcher);
        ck_assert_uint_ne(last.kind, KIND_JACKED);
    }
    return last.kind;
}

static void change_driver(struct ear *ear, const struct event_value *arguments)
{
    struct vehicle *vehicle = world_vehicle(&ear->stage->shard->world, arguments[0].vehicle);

    vehicle_remove_player(ear->stage->shard, world_player_at(&ear->stage->shard->world, vehicle->seats[0]));
    ck_assert_uint_eq(
        vehicle_put_player(ear->stage->shard, stage_player(ear->stage, ear->client), vehicle, 0),
        REASON_NONE);
}

START_TEST(v_jack_6_a_driver_who_has_changed_is_a_deny)
{
    seats.ear.client = stage_spawn(seats.stage, 4, 3, 3);
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_JACK, change_driver), KIND_DENY);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_SEAT_TAKEN), 1);
}
END_TEST

START_TEST(v_jack_6_who_is_not_the_driver_any_more_is_not_asked_about)
{
    seats.ear.client = stage_spawn(seats.stage, 4, 3, 3);
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_START_ENTER, change_driver), KIND_DENY);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_VEHICLE_JACK), 0);
}
END_TEST

static void free_wheel(struct ear *ear, const struct event_value *arguments)
{
    struct world *world = &ear->stage->shard->world;

    vehicle_remove_player(ear->stage->shard,
                          world_player_at(world, world_vehicle(world, arguments[0].vehicle)->seats[0]));
}

START_TEST(v_jack_7_a_wheel_that_has_become_free_is_a_plain_enter)
{
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_START_ENTER, free_wheel), KIND_ENTER);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_VEHICLE_JACK), 0);
}
END_TEST

START_TEST(v_jack_7_so_is_one_that_becomes_free_within_the_second_event)
{
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_JACK, free_wheel), KIND_ENTER);
}
END_TEST

static void jacking_off(struct ear *ear, const struct event_value *arguments)
{
    (void)arguments;
    ear->stage->shard->config.jacking = false;
}

START_TEST(v_enter_17_jacking_that_is_switched_off_meanwhile_is_a_deny)
{
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_JACK, jacking_off), KIND_DENY);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_JACKING_OFF), 1);
}
END_TEST

START_TEST(v_enter_17_a_vehicle_that_is_destroyed_within_the_second_event_is_a_deny)
{
    ck_assert_uint_eq(jack_after(EVENT_VEHICLE_JACK, destroy), KIND_DENY);
}
END_TEST

/* ---- getting out */

START_TEST(v_exit_1_an_exit_counts_only_for_the_vehicle_one_sits_in)
{
    seats_drive(&seats);
    stage_exit(seats.stage, seats.driver, seats.car->id + 1);
    stage_exit(seats.stage, seats.watcher, seats.car->id);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_SEAT_NOT_HELD), 2);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_ne(seats.car->seats[0], SLOT_NONE);
}
END_TEST

START_TEST(v_exit_1_a_repeated_exit_changes_nothing)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    stage_forget(seats.stage);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_eq(seats.ear.count, 1);
}
END_TEST

START_TEST(v_exit_2_an_entry_under_way_is_cancelled)
{
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    stage_walk(seats.stage, seats.driver, 1.5f, 0); /* still on its way to the door */
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_ENTER);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    seats_enters(&seats, seats.watcher, seats.car->id, 0);
}
END_TEST

START_TEST(v_exit_3_the_freed_seat_is_told_to_everyone_the_vehicle_is_streamed_to)
{
    struct wire_vehicle_occupancy occupancy;

    seats_drive(&seats);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    occupancy = seats_take_occupancy(seats.watcher);
    ck_assert_uint_eq(occupancy.kind, KIND_EXIT);
    ck_assert_uint_eq(occupancy.player_id, seats.driver->id);
    ck_assert_uint_eq(occupancy.seat, 0);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_EXIT);
}
END_TEST

START_TEST(v_exit_4_the_freed_seat_is_told_to_the_gamemode)
{
    const struct ear_event *told;

    stage_enter(seats.stage, seats.driver, seats.car->id, 1);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    told = ear_first(&seats.ear, EVENT_PLAYER_EXIT_VEHICLE);
    ck_assert_uint_eq(told->arguments[0].player.id, seats.driver->id);
    ck_assert_uint_eq(told->arguments[1].vehicle, seats.car->id);
    ck_assert_int_eq(told->arguments[2].integer, 1);
}
END_TEST

START_TEST(v_exit_4_a_death_frees_the_seat_once_it_is_done)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    stage_die(seats.stage, seats.driver);
    ck_assert_uint_eq(seats.ear.count, 1);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
}
END_TEST

static void seat_again(struct ear *ear, const struct event_value *arguments)
{
    struct world *world = &ear->stage->shard->world;

    ck_assert_uint_eq(vehicle_put_player(ear->stage->shard, stage_player(ear->stage, ear->client),
                                         world_vehicle(world, arguments[1].vehicle), 0),
                      REASON_NONE);
}

START_TEST(v_exit_4_the_handler_may_put_the_player_back)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    seats.ear.acts_on = EVENT_PLAYER_EXIT_VEHICLE;
    seats.ear.act = seat_again;
    seats.ear.client = seats.driver;
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_WARP);
    ck_assert_uint_eq(ear_count(&seats.ear, EVENT_PLAYER_ENTER_VEHICLE), 1);
    ck_assert_uint_ne(stage_player(seats.stage, seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(v_exit_5_a_lock_keeps_nobody_in)
{
    seats_drive(&seats);
    seats.car->params.locked = true;
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
}
END_TEST

START_TEST(v_exit_6_exits_count_against_the_limit_of_vehicle_events)
{
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    for (int i = 0; i < 29; i++)
        stage_exit(seats.stage, seats.driver, 999999);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    ck_assert_uint_ne(seats.car->seats[0], SLOT_NONE);
}
END_TEST

/* ---- the limit of vehicle events */

START_TEST(v_limit_1_entries_and_exits_share_one_limit)
{
    for (int i = 0; i < 15; i++) {
        stage_enter(seats.stage, seats.driver, 999999, 0);
        stage_exit(seats.stage, seats.driver, 999999);
    }
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 0);
    stage_exit(seats.stage, seats.driver, 999999);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    stage_exit(seats.stage, seats.watcher, 999999); /* a connection has its own */
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
}
END_TEST

START_TEST(v_limit_2_thirty_at_once_and_fifteen_a_second)
{
    uint64_t over;

    for (int i = 0; i < 31; i++)
        stage_exit(seats.stage, seats.driver, 999999);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 1);
    seats.stage->now_ms += 66; /* 0.99 of one */
    stage_exit(seats.stage, seats.driver, 999999);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 2);
    seats.stage->now_ms += 1;
    stage_exit(seats.stage, seats.driver, 999999);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 2);
    seats.stage->now_ms += 60000; /* never more than thirty */
    over = stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS);
    for (int i = 0; i < 31; i++)
        stage_exit(seats.stage, seats.driver, 999999);
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), over + 1);
}
END_TEST

START_TEST(v_limit_3_an_entry_past_it_gets_no_answer_and_counts_as_handled)
{
    uint64_t last;

    for (int i = 0; i < 30; i++)
        stage_exit(seats.stage, seats.driver, 999999);
    stage_forget(seats.stage);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY), 0);
    last = stage_player(seats.stage, seats.driver)->last_item;
    ck_assert_uint_eq(last, seats.driver->item);
}
END_TEST

START_TEST(v_limit_4_a_hitch_or_a_winch_past_it_is_answered_with_the_servers_state)
{
    struct wire_vehicle_tow tow = { .trailer_id = seats.car->id,
                                    .tractor_id = seats_vehicle(&seats, SEATS_OTHER_CAR)->id };
    struct wire_vehicle_winch winch = { .vehicle_id = seats.car->id, .heli_id = tow.tractor_id };
    uint8_t packet[WIRE_PACKET_SIZE_MAX];

    for (int i = 0; i < 30; i++)
        stage_exit(seats.stage, seats.driver, 999999);
    stage_forget(seats.stage);
    stage_send(seats.stage, seats.driver, packet, wire_vehicle_tow_put(&tow, packet, sizeof packet));
    stage_send(seats.stage, seats.driver, packet, wire_vehicle_winch_put(&winch, packet, sizeof packet));
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 2);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_TRAILER), 1);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_LIFT), 1);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(seats.driver->log_count, 2);
}
END_TEST

START_TEST(v_limit_5_an_explosion_is_not_under_it)
{
    struct wire_vehicle_explode explode = { .vehicle_id = 999999, .attacker_id = WIRE_NONE };
    uint8_t packet[WIRE_VEHICLE_EXPLODE_SIZE];

    for (int i = 0; i < 40; i++)
        stage_send(seats.stage, seats.driver, packet,
                   wire_vehicle_explode_put(&explode, packet, sizeof packet));
    ck_assert_uint_eq(stage_reason(seats.stage, REASON_LIMIT_VEHICLE_EVENTS), 0);
    seats_enters(&seats, seats.driver, seats.car->id, 0);
}
END_TEST

Suite *vehicle_enter_suite(void)
{
    Suite *suite = suite_create("vehicle_enter");
    TCase *tcase = tcase_create("entries");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_enter_1_a_vehicle_that_is_not_streamed_takes_nobody);
    tcase_add_test(tcase, v_enter_1_an_unknown_vehicle_takes_nobody);
    tcase_add_test(tcase, v_enter_2_another_virtual_world_or_interior_is_refused_while_the_set_lags);
    tcase_add_test(tcase, v_enter_3_the_dead_are_denied);
    tcase_add_test(tcase, v_enter_4_who_has_not_spawned_is_denied);
    tcase_add_test(tcase, v_enter_5_a_frozen_player_is_denied);
    tcase_add_test(tcase, v_enter_6_from_fifteen_m_away_but_no_farther);
    tcase_add_test(tcase, v_enter_6_the_height_counts);
    tcase_add_test(tcase, v_enter_6_the_vehicles_position_is_the_servers);
    tcase_add_test(tcase, v_enter_7_each_carriage_up_to_the_seats_adds_twenty_five_m);
    tcase_add_test(tcase, v_enter_7_a_tram_has_no_carriages);
    tcase_add_test(tcase, v_enter_8_a_seat_that_the_model_does_not_have_is_denied);
    tcase_add_test(tcase, v_enter_8_every_model_has_its_seats);
    tcase_add_test(tcase, v_enter_9_rc_models_have_no_seat_at_all);
    tcase_add_test(tcase, v_enter_10_a_taken_seat_is_denied);
    tcase_add_test(tcase, v_enter_10_ones_own_seat_is_taken);
    tcase_add_test(tcase, v_enter_11_who_sits_in_another_vehicle_is_denied);
    tcase_add_test(tcase, v_enter_11_another_seat_of_the_same_vehicle_is_taken_after_leaving_the_first);
    tcase_add_test(tcase, v_enter_12_a_derailed_train_takes_nobody);
    tcase_add_test(tcase, v_enter_12_a_gamemode_seats_players_in_a_derailed_train);
    tcase_add_test(tcase, v_enter_13_a_wreck_takes_nobody);
    tcase_add_test(tcase, v_enter_14_a_locked_vehicle_takes_nobody);
    tcase_add_test(tcase, v_enter_15_a_refusal_is_a_deny_to_the_sender_alone);
    tcase_add_test(tcase, v_enter_16_the_gamemode_is_asked_with_vehicle_player_and_seat);
    tcase_add_test(tcase, v_enter_16_false_from_a_handler_is_a_deny);
    tcase_add_test(tcase, v_enter_16_a_request_that_fails_a_check_asks_nobody);
    tcase_add_test(tcase, v_enter_17_a_vehicle_that_a_handler_destroys_is_a_deny);
    tcase_add_test(tcase, v_enter_17_another_vehicle_in_its_memory_is_not_it);
    tcase_add_test(tcase, v_enter_17_a_respawn_meanwhile_is_a_deny);
    tcase_add_test(tcase, v_enter_17_a_respawn_meanwhile_is_a_deny_across_the_wrap_of_the_epoch);
    tcase_add_test(tcase, v_enter_17_a_seat_that_was_taken_meanwhile_is_a_deny);
    tcase_add_test(tcase, v_enter_17_a_requester_that_a_handler_seats_itself_stays_seated);
    tcase_add_test(tcase, v_enter_17_a_player_that_a_handler_moves_away_is_denied);
    tcase_add_test(tcase, v_enter_17_a_player_that_a_handler_freezes_is_denied);
    tcase_add_test(tcase, v_enter_17_a_vehicle_that_a_handler_locks_is_a_deny);
    tcase_add_test(tcase, v_enter_18_an_entry_is_told_to_everyone_the_vehicle_is_streamed_to);
    tcase_add_test(tcase, v_enter_19_an_accepted_entry_is_told_to_the_gamemode);
    tcase_add_test(tcase, v_enter_19_a_refused_entry_is_not);
    tcase_add_test(tcase, v_enter_19_the_handler_may_destroy_the_vehicle);
    tcase_add_test(tcase, v_enter_21_requests_count_against_the_limit_of_vehicle_events);
    tcase_add_test(tcase, v_jack_1_a_request_for_the_wheel_that_another_player_has_is_a_jack);
    tcase_add_test(tcase, v_jack_1_a_passenger_is_nobodys_to_jack);
    tcase_add_test(tcase, v_jack_2_nobody_jacks_when_jacking_is_off);
    tcase_add_test(tcase, v_jack_3_a_jacker_must_pass_the_checks_of_any_entry);
    tcase_add_test(tcase, v_jack_4_both_events_are_asked_in_order_with_the_driver);
    tcase_add_test(tcase, v_jack_4_false_from_either_event_is_a_deny);
    tcase_add_test(tcase, v_jack_5_the_driver_is_jacked_and_the_jacker_enters);
    tcase_add_test(tcase, v_jack_5_the_gamemode_hears_of_the_exit_before_the_entry);
    tcase_add_test(tcase, v_jack_6_a_driver_who_has_changed_is_a_deny);
    tcase_add_test(tcase, v_jack_6_who_is_not_the_driver_any_more_is_not_asked_about);
    tcase_add_test(tcase, v_jack_7_a_wheel_that_has_become_free_is_a_plain_enter);
    tcase_add_test(tcase, v_jack_7_so_is_one_that_becomes_free_within_the_second_event);
    tcase_add_test(tcase, v_enter_17_jacking_that_is_switched_off_meanwhile_is_a_deny);
    tcase_add_test(tcase, v_enter_17_a_vehicle_that_is_destroyed_within_the_second_event_is_a_deny);
    tcase_add_test(tcase, v_exit_1_an_exit_counts_only_for_the_vehicle_one_sits_in);
    tcase_add_test(tcase, v_exit_1_a_repeated_exit_changes_nothing);
    tcase_add_test(tcase, v_exit_2_an_entry_under_way_is_cancelled);
    tcase_add_test(tcase, v_exit_3_the_freed_seat_is_told_to_everyone_the_vehicle_is_streamed_to);
    tcase_add_test(tcase, v_exit_4_the_freed_seat_is_told_to_the_gamemode);
    tcase_add_test(tcase, v_exit_4_a_death_frees_the_seat_once_it_is_done);
    tcase_add_test(tcase, v_exit_4_the_handler_may_put_the_player_back);
    tcase_add_test(tcase, v_exit_5_a_lock_keeps_nobody_in);
    tcase_add_test(tcase, v_exit_6_exits_count_against_the_limit_of_vehicle_events);
    tcase_add_test(tcase, v_limit_1_entries_and_exits_share_one_limit);
    tcase_add_test(tcase, v_limit_2_thirty_at_once_and_fifteen_a_second);
    tcase_add_test(tcase, v_limit_3_an_entry_past_it_gets_no_answer_and_counts_as_handled);
    tcase_add_test(tcase, v_limit_4_a_hitch_or_a_winch_past_it_is_answered_with_the_servers_state);
    tcase_add_test(tcase, v_limit_5_an_explosion_is_not_under_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
