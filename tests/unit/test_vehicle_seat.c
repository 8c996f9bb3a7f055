#include <math.h>
#include <string.h>

#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/vehicle_hitch.h"
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

static struct player *player_of(const struct stage_client *client)
{
    return stage_player(seats.stage, client);
}

static enum reason put(struct stage_client *client, struct vehicle *vehicle, uint8_t seat)
{
    enum reason refused = vehicle_put_player(seats.stage->shard, player_of(client), vehicle, seat);

    seats_handled(&seats);
    return refused;
}

static enum reason set_scope(struct vehicle *vehicle, uint32_t virtual_world, uint8_t interior)
{
    enum reason refused = vehicle_set_scope(
        seats.stage->shard, vehicle, (struct scope){ .virtual_world = virtual_world, .interior = interior });

    seats_handled(&seats);
    return refused;
}

/* ---- what is told of seats */

START_TEST(v_occ_1_a_seat_is_told_with_the_players_generation)
{
    stage_gone(seats.stage, seats.driver);
    seats.driver = stage_spawn(seats.stage, 2, 2, 0); /* the id again, a new generation */
    stage_forget(seats.stage);
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).player_token, seats.driver->token);
}
END_TEST

START_TEST(v_occ_2_a_death_is_an_exit)
{
    seats_drive(&seats);
    stage_die(seats.stage, seats.driver);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
}
END_TEST

START_TEST(v_occ_2_a_gamemode_that_removes_the_player_is_an_exit)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    ck_assert_uint_eq(vehicle_remove_player(seats.stage->shard, player_of(seats.driver)), REASON_NONE);
    seats_handled(&seats);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_EXIT);
    ck_assert_uint_eq(seats.ear.count, 1);
}
END_TEST

START_TEST(v_occ_2_who_sits_nowhere_is_removed_from_nothing)
{
    ck_assert_uint_eq(vehicle_remove_player(seats.stage->shard, player_of(seats.driver)),
                      REASON_SEAT_NOT_HELD);
}
END_TEST

START_TEST(v_occ_2_a_teleport_is_an_exit_before_it)
{
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 5, 5, 10 } };

    seats_drive(&seats);
    player_teleport(seats.stage->shard, player_of(seats.driver), seats.stage->now_ms, &there);
    seats_handled(&seats);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert(!stage_sees_vehicle(seats.driver, seats.car->id));
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_VEHICLE_OCCUPANCY),
                      stage_order(seats.driver, PACKET_SCOPE_CHANGED));
}
END_TEST

START_TEST(v_occ_3_only_a_players_own_request_is_an_enter)
{
    seats_enters(&seats, seats.driver, seats.car->id, 0);
    ck_assert_uint_eq(put(seats.watcher, seats.car, 1), REASON_NONE);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
}
END_TEST

START_TEST(v_occ_4_a_new_recipient_is_told_of_each_seat_by_a_warp)
{
    struct stage_client *late;
    struct wire_vehicle_occupancy seated;

    seats_drive(&seats);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 1);
    late = stage_spawn(seats.stage, 5, 20, 0);
    for (uint8_t seat = 0; seat < 2; seat++) {
        seated = seats_take_occupancy(late);
        ck_assert_uint_eq(seated.kind, KIND_WARP);
        ck_assert_uint_eq(seated.seat, seat);
        ck_assert_uint_eq(seated.player_id, seat == 0 ? seats.driver->id : seats.watcher->id);
    }
    ck_assert_uint_eq(seats_take_occupancy(late).kind, KIND_NONE);
}
END_TEST

START_TEST(v_occ_5_a_deny_is_only_the_requesters)
{
    seats_drive(&seats);
    seats_deny_is(&seats, seats.watcher, seats.car->id, 5, REASON_NO_SEAT);
}
END_TEST

START_TEST(v_occ_6_the_previous_driver_is_jacked_before_the_jacker_enters)
{
    seats_drive(&seats);
    stage_enter(seats.stage, seats.watcher, seats.car->id, 0);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_JACKED);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_ENTER);
}
END_TEST

START_TEST(v_occ_8_while_the_vehicle_is_hidden_its_seats_are_not_told)
{
    struct stage_client *far = stage_spawn(seats.stage, 5, 500, 0);

    seats_drive(&seats);
    stage_exit(seats.stage, seats.driver, seats.car->id);
    ck_assert_uint_eq(stage_count(far, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 1);
}
END_TEST

START_TEST(v_occ_9_a_disconnect_frees_the_seat_without_a_word)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    stage_gone(seats.stage, seats.driver);
    ck_assert_uint_eq(seats.car->seats[0], SLOT_NONE);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert_uint_eq(seats.ear.count, 0);
}
END_TEST

START_TEST(v_occ_10_a_seat_change_goes_out_even_when_no_droppable_event_does)
{
    struct player *watcher = player_of(seats.watcher);
    const struct stage_packet *packet;

    seats.watcher->silent = true;
    watcher->lane.sent = watcher->lane.acked + LANE_DROPPABLE_MAX;
    ck_assert(!lane_takes_droppable(seats.stage->shard, watcher));
    stage_enter(seats.stage, seats.driver, seats.car->id, 0);
    packet = stage_take(seats.watcher, PACKET_VEHICLE_OCCUPANCY);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
}
END_TEST

/* ---- the gamemode seats players */

START_TEST(v_enter_20_a_gamemode_seats_by_a_warp)
{
    struct wire_vehicle_occupancy seated;

    ck_assert_uint_eq(put(seats.driver, seats.car, 1), REASON_NONE);
    seated = seats_take_occupancy(seats.watcher);
    ck_assert_uint_eq(seated.kind, KIND_WARP);
    ck_assert_uint_eq(seated.seat, 1);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_NONE);
}
END_TEST

START_TEST(v_enter_20_the_lock_does_not_matter)
{
    seats.car->params.locked = true;
    ck_assert_uint_eq(put(seats.driver, seats.car, 0), REASON_NONE);
}
END_TEST

START_TEST(v_enter_20_neither_does_a_freeze_nor_the_distance)
{
    player_of(seats.driver)->frozen = true;
    ck_assert_uint_eq(put(seats.driver, seats_vehicle(&seats, SEATS_FAR_CAR), 0), REASON_NONE);
}
END_TEST

START_TEST(a_gamemode_seats_nobody_where_there_is_no_place)
{
    struct stage_client *unborn = stage_join(seats.stage, 5, 2, 0);

    ck_assert_uint_eq(put(seats.driver, seats.car, 2), REASON_NO_SEAT);
    ck_assert_uint_eq(put(unborn, seats.car, 0), REASON_NOT_ALIVE);
    ck_assert_uint_eq(put(seats.watcher, seats.car, 0), REASON_NONE);
    ck_assert_uint_eq(put(seats.driver, seats.car, 0), REASON_SEAT_TAKEN);
    stage_die(seats.stage, seats.driver);
    ck_assert_uint_eq(put(seats.driver, seats.car, 1), REASON_NOT_ALIVE);
    seats.car->wrecked = true;
    ck_assert_uint_eq(put(seats.watcher, seats.car, 1), REASON_WRECKED);
}
END_TEST

START_TEST(who_is_put_where_it_sits_stays_there_without_a_word)
{
    seats_drive(&seats);
    ck_assert_uint_eq(put(seats.driver, seats.car, 0), REASON_NONE);
    ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_OCCUPANCY), 0);
}
END_TEST

START_TEST(who_is_put_into_another_vehicle_leaves_the_first)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_PLAYER_ENTER_VEHICLE);
    ear_listen(&seats, EVENT_PLAYER_EXIT_VEHICLE);
    ck_assert_uint_eq(put(seats.driver, seats_vehicle(&seats, SEATS_OTHER_CAR), 0), REASON_NONE);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_EXIT);
    ck_assert_uint_eq(seats_take_occupancy(seats.watcher).kind, KIND_WARP);
    ck_assert_int_eq(seats.ear.events[0].event, EVENT_PLAYER_EXIT_VEHICLE);
    ck_assert_uint_eq(seats.ear.events[0].arguments[1].vehicle, seats.car->id);
    ck_assert_int_eq(seats.ear.events[1].event, EVENT_PLAYER_ENTER_VEHICLE);
}
END_TEST

/* Trap 19: seated in a vehicle that is not yet shown, nothing happens. */
START_TEST(who_is_put_into_a_far_vehicle_is_shown_it_first)
{
    struct vehicle *far = seats_vehicle(&seats, SEATS_FAR_CAR);
    struct stage_client *there = stage_spawn(seats.stage, 9, far->pos[0] + 5, far->pos[1]);
    struct wire_vehicle_sync show;

    stage_run(seats.stage, 500);
    ck_assert_uint_eq(put(seats.driver, far, 0), REASON_NONE);
    ck_assert(stage_sees_player(there, seats.driver)); /* at once */
    ck_assert_uint_eq(player_of(seats.driver)->placed_at_ms, seats.stage->shard->now_ms);
    show = seats_take_sync(seats.driver, far->id);
    ck_assert_uint_eq(show.active, 1);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_NONE);
    ck_assert_float_eq(player_of(seats.driver)->place.pos[0], 1000);
    ck_assert(!stage_sees_vehicle(seats.driver, seats.car->id));
}
END_TEST

START_TEST(on_a_full_lane_the_show_waits_and_the_seat_with_it)
{
    struct vehicle *far = seats_vehicle(&seats, SEATS_FAR_CAR);
    struct player *driver = player_of(seats.driver);

    seats.driver->silent = true;
    driver->lane.sent = driver->lane.acked + LANE_DROPPABLE_MAX;
    ck_assert_uint_eq(put(seats.driver, far, 0), REASON_NONE);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY), 0);
    driver->lane.acked = driver->lane.sent;
    stage_run(seats.stage, 100);
    ck_assert(stage_sees_vehicle(seats.driver, far->id));
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
}
END_TEST

START_TEST(the_show_of_ones_own_vehicle_does_not_wait_for_others)
{
    struct vehicle *far = seats_vehicle(&seats, SEATS_FAR_CAR);
    struct player *driver = player_of(seats.driver);

    seats.driver->silent = true;
    driver->lane.sent = driver->lane.acked + LANE_SHOWS_MAX;
    ck_assert_uint_eq(put(seats.driver, far, 0), REASON_NONE);
    ck_assert(stage_sees_vehicle(seats.driver, far->id));
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
}
END_TEST

START_TEST(frames_from_before_a_warp_are_no_violation)
{
    ck_assert_uint_eq(put(seats.driver, seats_vehicle(&seats, SEATS_FAR_CAR), 0), REASON_NONE);
    for (int i = 0; i < 25; i++)
        stage_walk(seats.stage, seats.driver, 2, 0);
    ck_assert_uint_eq(player_of(seats.driver)->movement_strikes, 0);
    ck_assert_float_eq(player_of(seats.driver)->place.pos[0], 1000);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_TELEPORT_PLAYER), 0);
}
END_TEST

START_TEST(who_is_put_into_a_vehicle_of_another_scope_is_moved_there)
{
    struct vehicle *there = seats_vehicle(&seats, SEATS_FAR_CAR);

    ck_assert_uint_eq(set_scope(there, 2, 3), REASON_NONE);
    stage_forget(seats.stage);
    ck_assert_uint_eq(put(seats.driver, there, 0), REASON_NONE);
    ck_assert_uint_eq(player_of(seats.driver)->place.scope.virtual_world, 2);
    ck_assert_uint_eq(player_of(seats.driver)->place.scope.interior, 3);
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_TELEPORT_PLAYER),
                      stage_order(seats.driver, PACKET_SCOPE_CHANGED));
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_SCOPE_CHANGED),
                      stage_order(seats.driver, PACKET_VEHICLE_OCCUPANCY));
    ck_assert_uint_eq(seats_take_occupancy(seats.driver).kind, KIND_WARP);
    ck_assert(stage_sees_vehicle(seats.driver, there->id));
    ck_assert(!stage_sees_player(seats.watcher, seats.driver));
}
END_TEST

START_TEST(a_full_lane_delays_the_move_and_the_seat_not_the_order)
{
    struct vehicle *there = seats_vehicle(&seats, SEATS_FAR_CAR);
    struct player *driver = player_of(seats.driver);

    ck_assert_uint_eq(set_scope(there, 2, 0), REASON_NONE);
    stage_forget(seats.stage);
    seats.driver->silent = true;
    driver->lane.sent = driver->lane.acked + LANE_DROPPABLE_MAX;
    ck_assert_uint_eq(put(seats.driver, there, 0), REASON_NONE);
    ck_assert(driver->barrier.pending);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY), 0);
    driver->lane.acked = driver->lane.sent;
    stage_run(seats.stage, 100);
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_SCOPE_CHANGED),
                      stage_order(seats.driver, PACKET_VEHICLE_OCCUPANCY));
    ck_assert(stage_sees_vehicle(seats.driver, there->id));
}
END_TEST

/* ---- vehicles that change their scope */

/* Trap 20: the world changes while driving, and the car stays visible. */
START_TEST(a_vehicle_takes_its_occupants_along_and_stays_shown_to_them)
{
    struct stage_client *passenger = stage_spawn(seats.stage, 5, 3, 3);

    seats_drive(&seats);
    stage_enter(seats.stage, passenger, seats.car->id, 1);
    stage_run(seats.stage, 100);
    stage_forget(seats.stage);
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    ck_assert_uint_eq(player_of(seats.driver)->place.scope.virtual_world, 2);
    ck_assert_uint_eq(player_of(passenger)->place.scope.virtual_world, 2);
    ck_assert_uint_eq(player_of(seats.driver)->seat, 0);
    ck_assert_uint_eq(player_of(passenger)->seat, 1);
    ck_assert(stage_sees_vehicle(seats.driver, seats.car->id));
    ck_assert(stage_sees_vehicle(passenger, seats.car->id));
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_SCOPE_CHANGED), 1);
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_TELEPORT_PLAYER), 0); /* neither place nor interior */
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_VEHICLE_OCCUPANCY), 0);
    ck_assert(stage_sees_player(seats.driver, passenger));
    ck_assert(stage_sees_player(passenger, seats.driver));
}
END_TEST

START_TEST(those_who_stay_behind_are_hidden_the_vehicle_and_those_who_left)
{
    seats_drive(&seats);
    stage_run(seats.stage, 100);
    stage_forget(seats.stage);
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    ck_assert(!stage_sees_vehicle(seats.watcher, seats.car->id));
    ck_assert(!stage_sees_player(seats.watcher, seats.driver));
    ck_assert_uint_eq(seats_take_sync(seats.watcher, seats.car->id).active, 0);
    ck_assert(!stage_sees_vehicle(seats.driver, seats_vehicle(&seats, SEATS_OTHER_CAR)->id));
}
END_TEST

/* A tow truck with a towed car and somebody in that, or a helicopter with a car on its magnet. */
static struct vehicle *tow(struct stage_client *passenger)
{
    struct vehicle *towed = seats_vehicle(&seats, SEATS_OTHER_CAR);

    seats.car->model = model_find(525);
    ck_assert_uint_eq(vehicle_attach_trailer(seats.stage->shard, towed, seats.car), REASON_NONE);
    ck_assert_uint_eq(put(passenger, towed, 1), REASON_NONE);
    return towed;
}

static struct vehicle *lift(void)
{
    struct vehicle *load = seats_vehicle(&seats, SEATS_OTHER_CAR);
    struct wire_vehicle_winch winch = { .vehicle_id = load->id, .heli_id = seats.car->id };
    uint8_t packet[WIRE_VEHICLE_WINCH_SIZE];

    seats.car->model = model_find(487);
    ck_assert_uint_eq(vehicle_set_winch(seats.stage->shard, seats.car, WINCH_MAGNET), REASON_NONE);
    stage_send(seats.stage, seats.driver, packet, wire_vehicle_winch_put(&winch, packet, sizeof packet));
    ck_assert_uint_eq(load->links.lifter_id, seats.car->id);
    return load;
}

/* There and back, four times; each time the watcher, who stays, has one hide or one show of both. */
static void both_go_there_and_back(struct vehicle *hanging)
{
    stage_run(seats.stage, 200);
    for (int i = 0; i < 4; i++) {
        bool away = i % 2 == 0;

        stage_forget(seats.stage);
        ck_assert_uint_eq(set_scope(seats.car, away ? 2 : 0, 0), REASON_NONE);
        ck_assert(scope_equal(hanging->scope, seats.car->scope));
        stage_run(seats.stage, 200);
        ck_assert(stage_sees_vehicle(seats.driver, seats.car->id));
        ck_assert(stage_sees_vehicle(seats.driver, hanging->id));
        ck_assert_int_eq(stage_sees_vehicle(seats.watcher, seats.car->id), !away);
        ck_assert_int_eq(stage_sees_vehicle(seats.watcher, hanging->id), !away);
        ck_assert_uint_eq(seats_take_sync(seats.watcher, hanging->id).active, !away);
        ck_assert_uint_eq(stage_count(seats.driver, PACKET_SCOPE_CHANGED), 1);
    }
}

/* Trap 20: the world changes while driving, and the trailer stays behind. */
START_TEST(what_a_vehicle_tows_goes_along_with_whoever_sits_in_it)
{
    struct stage_client *passenger = stage_spawn(seats.stage, 5, 3, 3);
    struct vehicle *towed;

    seats_drive(&seats);
    towed = tow(passenger);
    both_go_there_and_back(towed);
    ck_assert_uint_eq(towed->links.tractor_id, seats.car->id);
    ck_assert_uint_eq(player_of(passenger)->seat, 1);
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    ck_assert_uint_eq(player_of(passenger)->place.scope.virtual_world, 2);
    ck_assert(stage_sees_vehicle(passenger, seats.car->id));
}
END_TEST

START_TEST(what_hangs_on_a_helicopter_goes_along)
{
    struct vehicle *load;

    seats_drive(&seats);
    load = lift();
    both_go_there_and_back(load);
    ck_assert_uint_eq(load->links.lifter_id, seats.car->id);
}
END_TEST

START_TEST(a_trailer_that_goes_alone_is_unhitched_first)
{
    struct stage_client *passenger = stage_spawn(seats.stage, 5, 3, 3);
    struct vehicle *towed;

    seats_drive(&seats);
    towed = tow(passenger);
    ck_assert_uint_eq(set_scope(towed, 2, 0), REASON_NONE);
    ck_assert_uint_eq(towed->links.tractor_id, WIRE_NONE);
    ck_assert_uint_eq(seats.car->links.trailer_id, WIRE_NONE);
    ck_assert_uint_eq(seats.car->scope.virtual_world, 0);
    ck_assert_uint_eq(player_of(passenger)->place.scope.virtual_world, 2);
}
END_TEST

static void destroy_all(struct ear *ear, const struct event_value *arguments)
{
    (void)arguments;
    vehicle_destroy(ear->stage->shard, stage_vehicle(ear->stage, SEATS_CAR));
}

/* A car in a scope that the gamemode has not heard of. */
static struct vehicle *car_of_a_new_scope(void)
{
    struct vehicle *car = seats.car;
    struct world *world = &seats.stage->shard->world;

    car->scope.virtual_world = 6;
    grid_put(&world->vehicle_grid, world_vehicle_slot(world, car), car->scope, car->pos);
    ear_listen(&seats, EVENT_SCOPE_START);
    seats.ear.acts_on = EVENT_SCOPE_START;
    return car;
}

static void wreck(struct ear *ear, const struct event_value *arguments)
{
    (void)arguments;
    stage_vehicle(ear->stage, SEATS_CAR)->wrecked = true;
}

START_TEST(what_a_handler_of_the_new_scope_did_to_it_seats_nobody)
{
    struct vehicle *car = car_of_a_new_scope();

    seats.ear.act = wreck;
    ck_assert_uint_eq(put(seats.driver, car, 0), REASON_WRECKED);
    ck_assert_uint_eq(player_of(seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(a_handler_of_the_new_scope_may_destroy_what_a_player_is_put_into)
{
    struct vehicle *car = car_of_a_new_scope();

    seats.ear.act = destroy_all;
    ck_assert_uint_eq(put(seats.driver, car, 0), REASON_NO_VEHICLE);
    ck_assert_uint_eq(player_of(seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(a_trailer_that_goes_where_it_is_stays_hitched)
{
    struct vehicle *towed;

    seats_drive(&seats);
    towed = tow(seats.watcher);
    ck_assert_uint_eq(set_scope(towed, 0, 0), REASON_NONE);
    ck_assert_uint_eq(towed->links.tractor_id, seats.car->id);
}
END_TEST

START_TEST(a_handler_of_the_new_scope_may_destroy_the_vehicle)
{
    seats_drive(&seats);
    ear_listen(&seats, EVENT_SCOPE_START);
    seats.ear.acts_on = EVENT_SCOPE_START;
    seats.ear.act = destroy_all;
    ck_assert_uint_eq(set_scope(seats.car, 6, 0), REASON_NO_VEHICLE);
    ck_assert_uint_eq(player_of(seats.driver)->place.scope.virtual_world, 0);
}
END_TEST

START_TEST(a_handler_of_the_first_who_comes_along_may_destroy_the_vehicle)
{
    struct stage_client *passenger = stage_spawn(seats.stage, 5, 3, 3);

    seats_drive(&seats);
    ck_assert_uint_eq(put(passenger, seats.car, 1), REASON_NONE);
    ear_listen(&seats, EVENT_PLAYER_SCOPE);
    seats.ear.acts_on = EVENT_PLAYER_SCOPE;
    seats.ear.act = destroy_all;
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    ck_assert_uint_eq(player_of(seats.driver)->place.scope.virtual_world, 2);
    ck_assert_uint_eq(player_of(passenger)->place.scope.virtual_world, 0); /* it sat in nothing by then */
    ck_assert_uint_eq(player_of(passenger)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(a_vehicle_goes_there_and_back_with_exact_hides_and_shows)
{
    struct stage_client *there = stage_spawn(seats.stage, 6, 4, 4);
    struct place other = { .scope = { .virtual_world = 2 }, .pos = { 4, 4, 10 } };

    player_teleport(seats.stage->shard, player_of(there), seats.stage->now_ms, &other);
    seats_handled(&seats);
    seats_drive(&seats);
    stage_run(seats.stage, 100);
    for (int i = 0; i < 4; i++) {
        bool away = i % 2 == 0;

        stage_forget(seats.stage);
        ck_assert_uint_eq(set_scope(seats.car, away ? 2 : 0, 0), REASON_NONE);
        stage_run(seats.stage, 100);
        ck_assert_int_eq(stage_sees_vehicle(there, seats.car->id), away);
        ck_assert_int_eq(stage_sees_vehicle(seats.watcher, seats.car->id), !away);
        ck_assert_int_eq(stage_sees_player(there, seats.driver), away);
        ck_assert_int_eq(stage_sees_player(seats.watcher, seats.driver), !away);
        ck_assert_uint_eq(stage_count(there, PACKET_VEHICLE_SYNC), 1);
        ck_assert_uint_eq(stage_count(there, PACKET_VEHICLE_OCCUPANCY), away ? 1 : 0);
        ck_assert_uint_eq(stage_count(seats.watcher, PACKET_VEHICLE_SYNC), 1);
        ck_assert_uint_eq(stage_count(seats.driver, PACKET_SCOPE_CHANGED), 1);
    }
}
END_TEST

START_TEST(the_driver_of_a_vehicle_that_changed_its_scope_goes_on_driving_it)
{
    struct wire_vehicle_frame frame;
    uint32_t serial = seats.car->relay_seq;

    seats_drive(&seats);
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    frame = stage_frame(seats.stage, seats.driver, seats.car);
    stage_send_frame(seats.stage, seats.driver, &frame);
    ck_assert_uint_eq(seats.car->relay_seq, serial + 1);
}
END_TEST

START_TEST(another_interior_is_told_by_a_teleport)
{
    seats_drive(&seats);
    ck_assert_uint_eq(set_scope(seats.car, 0, 7), REASON_NONE);
    ck_assert_uint_lt(stage_order(seats.driver, PACKET_TELEPORT_PLAYER),
                      stage_order(seats.driver, PACKET_SCOPE_CHANGED));
    ck_assert_uint_ne(player_of(seats.driver)->vehicle, SLOT_NONE);
}
END_TEST

START_TEST(a_scope_of_another_shard_is_refused)
{
    seats_drive(&seats);
    ck_assert_uint_eq(set_scope(seats.car, 1, 0), REASON_OTHER_SHARD);
    ck_assert_uint_eq(seats.car->scope.virtual_world, 0);
    ck_assert_uint_eq(set_scope(seats.car, 0, 0), REASON_NONE); /* where it is */
    ck_assert_uint_eq(stage_count(seats.driver, PACKET_SCOPE_CHANGED), 0);
}
END_TEST

START_TEST(a_syncer_that_stays_behind_syncs_no_more)
{
    stage_run(seats.stage, 200);
    ck_assert_uint_ne(seats.car->syncer, SLOT_NONE);
    ck_assert_uint_eq(set_scope(seats.car, 2, 0), REASON_NONE);
    stage_run(seats.stage, 100);
    ck_assert_uint_eq(seats.car->syncer, SLOT_NONE);
}
END_TEST

Suite *vehicle_seat_suite(void)
{
    Suite *suite = suite_create("vehicle_seat");
    TCase *tcase = tcase_create("seats");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_occ_1_a_seat_is_told_with_the_players_generation);
    tcase_add_test(tcase, v_occ_2_a_death_is_an_exit);
    tcase_add_test(tcase, v_occ_2_a_gamemode_that_removes_the_player_is_an_exit);
    tcase_add_test(tcase, v_occ_2_who_sits_nowhere_is_removed_from_nothing);
    tcase_add_test(tcase, v_occ_2_a_teleport_is_an_exit_before_it);
    tcase_add_test(tcase, v_occ_3_only_a_players_own_request_is_an_enter);
    tcase_add_test(tcase, v_occ_4_a_new_recipient_is_told_of_each_seat_by_a_warp);
    tcase_add_test(tcase, v_occ_5_a_deny_is_only_the_requesters);
    tcase_add_test(tcase, v_occ_6_the_previous_driver_is_jacked_before_the_jacker_enters);
    tcase_add_test(tcase, v_occ_8_while_the_vehicle_is_hidden_its_seats_are_not_told);
    tcase_add_test(tcase, v_occ_9_a_disconnect_frees_the_seat_without_a_word);
    tcase_add_test(tcase, v_occ_10_a_seat_change_goes_out_even_when_no_droppable_event_does);
    tcase_add_test(tcase, v_enter_20_a_gamemode_seats_by_a_warp);
    tcase_add_test(tcase, v_enter_20_the_lock_does_not_matter);
    tcase_add_test(tcase, v_enter_20_neither_does_a_freeze_nor_the_distance);
    tcase_add_test(tcase, a_gamemode_seats_nobody_where_there_is_no_place);
    tcase_add_test(tcase, who_is_put_where_it_sits_stays_there_without_a_word);
    tcase_add_test(tcase, who_is_put_into_another_vehicle_leaves_the_first);
    tcase_add_test(tcase, who_is_put_into_a_far_vehicle_is_shown_it_first);
    tcase_add_test(tcase, on_a_full_lane_the_show_waits_and_the_seat_with_it);
    tcase_add_test(tcase, the_show_of_ones_own_vehicle_does_not_wait_for_others);
    tcase_add_test(tcase, frames_from_before_a_warp_are_no_violation);
    tcase_add_test(tcase, who_is_put_into_a_vehicle_of_another_scope_is_moved_there);
    tcase_add_test(tcase, a_full_lane_delays_the_move_and_the_seat_not_the_order);
    tcase_add_test(tcase, a_vehicle_takes_its_occupants_along_and_stays_shown_to_them);
    tcase_add_test(tcase, those_who_stay_behind_are_hidden_the_vehicle_and_those_who_left);
    tcase_add_test(tcase, what_a_vehicle_tows_goes_along_with_whoever_sits_in_it);
    tcase_add_test(tcase, what_hangs_on_a_helicopter_goes_along);
    tcase_add_test(tcase, a_trailer_that_goes_alone_is_unhitched_first);
    tcase_add_test(tcase, what_a_handler_of_the_new_scope_did_to_it_seats_nobody);
    tcase_add_test(tcase, a_handler_of_the_new_scope_may_destroy_what_a_player_is_put_into);
    tcase_add_test(tcase, a_trailer_that_goes_where_it_is_stays_hitched);
    tcase_add_test(tcase, a_handler_of_the_new_scope_may_destroy_the_vehicle);
    tcase_add_test(tcase, a_handler_of_the_first_who_comes_along_may_destroy_the_vehicle);
    tcase_add_test(tcase, a_vehicle_goes_there_and_back_with_exact_hides_and_shows);
    tcase_add_test(tcase, the_driver_of_a_vehicle_that_changed_its_scope_goes_on_driving_it);
    tcase_add_test(tcase, another_interior_is_told_by_a_teleport);
    tcase_add_test(tcase, a_scope_of_another_shard_is_refused);
    tcase_add_test(tcase, a_syncer_that_stays_behind_syncs_no_more);
    suite_add_tcase(suite, tcase);
    return suite;
}
