#include <string.h>

#include "shard/player_place.h"
#include "shard/player_set.h"
#include "shard/player_spawn.h"
#include "shard/player_sync.h"
#include "tests/unit/event_log.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static struct event_log events;

static void setup(void)
{
    struct shard_vehicle car = stage_car(411, 5, 0);

    stage = stage_new(&car, 1);
    event_log_open(&events, stage->shard);
}

static void teardown(void)
{
    stage_free(stage);
}

/* Something that a handler does; `subject` is whom it is done to. */
static struct stage_client *subject;
static char noted[256];

/* ---- coming */

START_TEST(a_join_is_a_connect_before_any_spawn)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);

    ck_assert_str_eq(event_log_last(&events), "player_connect 3");
    stage_request_spawn(stage, client);
    ck_assert_str_eq(event_log_last(&events), "player_request_spawn 3");
    ck_assert_uint_eq(event_log_count(&events, "player_connect"), 1);
}
END_TEST

static void greet(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_CONNECT)
        player_set_money(stage->shard, world_player_by_id(&stage->shard->world, 3), 500);
}

START_TEST(what_a_handler_of_the_connect_sends_comes_before_the_player_list)
{
    struct stage_client *client;

    stage_listed(stage, 9, 900, "somebody");
    events.then = greet;
    client = stage_join(stage, 3, 0, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_LIST_ENTRY), 1);
    ck_assert_uint_lt(stage_order(client, PACKET_SET_MONEY), stage_order(client, PACKET_PLAYER_LIST_ENTRY));
}
END_TEST

static void spawn_at_once(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_CONNECT)
        player_spawn(stage->shard, world_player_by_id(&stage->shard->world, 3));
}

START_TEST(a_handler_of_the_connect_may_spawn_the_player)
{
    struct stage_client *client;

    events.then = spawn_at_once;
    client = stage_join(stage, 3, 0, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 1);
    stage_walk(stage, client, 0, 0);
    ck_assert_str_eq(event_log_last(&events), "player_spawn 3");
}
END_TEST

START_TEST(a_join_that_is_turned_away_is_no_connect)
{
    stage_free(stage);
    stage = stage_new_sized(NULL, 0, 1, 10, true);
    event_log_open(&events, stage->shard);
    stage_join(stage, 1, 0, 0);
    stage_join(stage, 2, 0, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_connect"), 1);
}
END_TEST

/* ---- lives */

START_TEST(the_first_frame_of_each_life_is_a_spawn)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);

    stage_request_spawn(stage, client);
    ck_assert_uint_eq(event_log_count(&events, "player_spawn"), 0);
    ck_assert(!player_has_spawned(stage_player(stage, client)));
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_spawn 3"), 1);
    ck_assert(player_has_spawned(stage_player(stage, client)));
    stage_walk(stage, client, 1, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_spawn"), 1);
    player_spawn(stage->shard, stage_player(stage, client));
    stage_pump(stage);
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_spawn 3"), 2);
}
END_TEST

START_TEST(a_life_that_ended_before_its_first_frame_is_a_death_and_no_spawn)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);

    stage_request_spawn(stage, client);
    stage_die(stage, client);
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_spawn"), 0);
    ck_assert_uint_eq(event_log_count(&events, "player_death 3 nil 54"), 1);
}
END_TEST

START_TEST(a_death_is_told_once_a_life)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_die(stage, client);
    ck_assert_str_eq(event_log_last(&events), "player_death 3 nil 54");
    stage_die(stage, client);
    ck_assert_uint_eq(event_log_count(&events, "player_death"), 1);
}
END_TEST

START_TEST(a_request_of_somebody_who_is_spawned_or_alive_asks_nobody)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_request_spawn(stage, client);
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(event_log_count(&events, "player_request_spawn"), 1);
    ck_assert_uint_eq(event_log_count(&events, "player_request_respawn"), 0);
}
END_TEST

/* ---- moving */

START_TEST(a_move_that_nobody_can_make_is_a_violation_with_its_distance)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_walk(stage, client, 4, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_movement_violation"), 0);
    stage_walk(stage, client, 54, 0);
    ck_assert_str_eq(event_log_last(&events), "player_movement_violation 3 50");
}
END_TEST

START_TEST(the_20th_violation_in_a_row_is_told_before_the_player_is_put_back)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    for (int i = 0; i < PLAYER_STRIKES_MAX; i++) {
        ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
        stage_walk(stage, client, 100, 0);
    }
    ck_assert_uint_eq(event_log_count(&events, "player_movement_violation"), PLAYER_STRIKES_MAX);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 1);
}
END_TEST

static void forgive(void *context, enum event event)
{
    struct player *player = stage_player(stage, subject);
    struct place there = { .pos = { 100, 0, 10 } };

    (void)context;
    if (event == EVENT_PLAYER_MOVEMENT_VIOLATION && player->movement_strikes == PLAYER_STRIKES_MAX)
        player_teleport(stage->shard, player, stage->now_ms, &there);
}

START_TEST(a_handler_of_the_violation_may_move_the_player_instead)
{
    subject = stage_spawn(stage, 3, 0, 0);
    events.then = forgive;
    for (int i = 0; i < PLAYER_STRIKES_MAX; i++)
        stage_walk(stage, subject, 100, 0);
    ck_assert_uint_eq(stage_count(subject, PACKET_TELEPORT_PLAYER), 1);
    ck_assert_float_eq(stage_player(stage, subject)->place.pos[0], 100);
}
END_TEST

START_TEST(the_dead_do_not_violate)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_die(stage, client);
    stage_walk(stage, client, 100, 0);
    ck_assert_uint_eq(event_log_count(&events, "player_movement_violation"), 0);
}
END_TEST

/* ---- leaving */

START_TEST(each_reason_of_a_leave_has_its_word)
{
    static const char *const words[] = { "quit", "timeout", "kicked", "banned", "server" };

    for (uint32_t reason = 0; reason < 5; reason++) {
        char line[64];

        stage_gone_for(stage, stage_spawn(stage, 3, 0, 0), reason);
        (void)snprintf(line, sizeof line, "player_disconnect 3 '%s'", words[reason]);
        ck_assert_str_eq(event_log_last(&events), line);
    }
}
END_TEST

START_TEST(a_leave_for_no_reason_there_is_is_one_all_the_same)
{
    stage_gone_for(stage, stage_spawn(stage, 3, 0, 0), 5);
    ck_assert_str_eq(event_log_last(&events), "player_disconnect 3 'server'");
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
}
END_TEST

START_TEST(what_the_coordinator_says_of_a_leave_is_told_once)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    client->used = false;
    stage_left(stage, 3, client->token, 2);
    ck_assert_str_eq(event_log_last(&events), "player_disconnect 3 'kicked'");
    stage_gone_for(stage, client, 2);
    ck_assert_uint_eq(event_log_count(&events, "player_disconnect"), 1);
}
END_TEST

START_TEST(the_players_of_a_dead_gateway_time_out)
{
    stage_spawn(stage, 3, 0, 0);
    stage_spawn(stage, 4, 0, 0);
    stage_gateway_down(stage, 1);
    stage_run(stage, SHARD_GATEWAY_GRACE_MS);
    stage_run(stage, SHARD_TICK_MS);
    ck_assert_uint_eq(event_log_count(&events, "player_disconnect 3 'timeout'"), 1);
    ck_assert_uint_eq(event_log_count(&events, "player_disconnect"), 1);
}
END_TEST

START_TEST(who_goes_with_the_slot_has_not_disconnected)
{
    stage_spawn(stage, 3, 0, 0);
    stage_map(stage, 2, 0, 2);
    ck_assert_uint_eq(event_log_count(&events, "player_disconnect"), 0);
}
END_TEST

/* A handler that does with the one who leaves whatever it can. */
static void last_wishes(void *context, enum event event)
{
    struct player *player;
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 100, 0, 10 } };

    (void)context;
    if (event != EVENT_PLAYER_DISCONNECT)
        return;
    player = world_player_by_id(&stage->shard->world, 3);
    ck_assert_ptr_nonnull(player);
    (void)snprintf(noted, sizeof noted, "%s at %g", player->name, (double)player->place.pos[0]);
    ck_assert_ptr_null(player_vehicle(stage->shard, player)); /* its seat is free already */
    player_set_money(stage->shard, player, 0);
    player_set_skill(stage->shard, player, 22, 0);
    player_teleport(stage->shard, player, stage->now_ms, &there);
    player_spawn(stage->shard, player);
}

START_TEST(a_handler_of_the_disconnect_still_has_the_player)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *other = stage_spawn(stage, 4, 10, 0);

    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    stage_walk(stage, client, 2, 0);
    events.then = last_wishes;
    stage_gone(stage, client);
    ck_assert_str_eq(noted, "player_3 at 2");
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 3));
    ck_assert_uint_eq(stage_vehicle(stage, 0)->seats[0], SLOT_NONE);
    stage_run(stage, 1000);
    ck_assert(!stage_sees_player(other, client));
}
END_TEST

/* ---- time */

static uint64_t ticks;
static int64_t ticked_ms;

static bool on_tick(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    (void)context;
    ck_assert_int_eq(event, EVENT_TICK);
    ck_assert_uint_eq(count, 1);
    ticks++;
    ticked_ms += arguments[0].integer;
    return true;
}

START_TEST(a_tick_says_how_much_time_has_passed)
{
    const struct event_hooks hooks = { .raise = on_tick };

    stage_free(stage);
    stage = stage_new(NULL, 0);
    shard_set_hooks(stage->shard, &hooks);
    event_listen(stage->shard, EVENT_TICK, true);
    ticks = 0;
    ticked_ms = 0;
    stage_run(stage, 1000);
    ck_assert_uint_eq(ticks, 10);
    ck_assert_int_eq(ticked_ms, 1000);
    stage->now_ms += 730;
    shard_tick(stage->shard, stage->now_ms); /* slept too long */
    ck_assert_uint_eq(ticks, 11);
    ck_assert_int_eq(ticked_ms, 1730);
}
END_TEST

/* ---- frozen */

START_TEST(a_frozen_player_takes_no_seat)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);

    player_set_frozen(stage->shard, player, true);
    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    ck_assert_ptr_null(player_vehicle(stage->shard, player));
    ck_assert_uint_eq(stage_reason(stage, REASON_FROZEN), 1);
    player_set_frozen(stage->shard, player, false);
    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    ck_assert_ptr_nonnull(player_vehicle(stage->shard, player));
}
END_TEST

START_TEST(a_driver_who_is_frozen_leaves_the_vehicle_to_a_syncer)
{
    struct stage_client *driver = stage_spawn(stage, 3, 0, 0);
    struct stage_client *other = stage_spawn(stage, 4, 10, 0);
    struct vehicle *vehicle = stage_vehicle(stage, 0);

    stage_enter(stage, driver, vehicle->id, 0);
    stage_run(stage, 1000);
    ck_assert_uint_eq(vehicle->seats[0],
                      world_player_slot(&stage->shard->world, stage_player(stage, driver)));
    ck_assert_uint_eq(vehicle->syncer, SLOT_NONE);
    player_set_frozen(stage->shard, stage_player(stage, driver), true);
    stage_run(stage, 1000);
    ck_assert_uint_eq(vehicle->syncer, world_player_slot(&stage->shard->world, stage_player(stage, other)));
}
END_TEST

Suite *player_event_suite(void)
{
    Suite *suite = suite_create("player_event");
    TCase *tcase = tcase_create("player_event");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_join_is_a_connect_before_any_spawn);
    tcase_add_test(tcase, what_a_handler_of_the_connect_sends_comes_before_the_player_list);
    tcase_add_test(tcase, a_handler_of_the_connect_may_spawn_the_player);
    tcase_add_test(tcase, a_join_that_is_turned_away_is_no_connect);
    tcase_add_test(tcase, the_first_frame_of_each_life_is_a_spawn);
    tcase_add_test(tcase, a_life_that_ended_before_its_first_frame_is_a_death_and_no_spawn);
    tcase_add_test(tcase, a_death_is_told_once_a_life);
    tcase_add_test(tcase, a_request_of_somebody_who_is_spawned_or_alive_asks_nobody);
    tcase_add_test(tcase, a_move_that_nobody_can_make_is_a_violation_with_its_distance);
    tcase_add_test(tcase, the_20th_violation_in_a_row_is_told_before_the_player_is_put_back);
    tcase_add_test(tcase, a_handler_of_the_violation_may_move_the_player_instead);
    tcase_add_test(tcase, the_dead_do_not_violate);
    tcase_add_test(tcase, each_reason_of_a_leave_has_its_word);
    tcase_add_test(tcase, a_leave_for_no_reason_there_is_is_one_all_the_same);
    tcase_add_test(tcase, what_the_coordinator_says_of_a_leave_is_told_once);
    tcase_add_test(tcase, the_players_of_a_dead_gateway_time_out);
    tcase_add_test(tcase, who_goes_with_the_slot_has_not_disconnected);
    tcase_add_test(tcase, a_handler_of_the_disconnect_still_has_the_player);
    tcase_add_test(tcase, a_tick_says_how_much_time_has_passed);
    tcase_add_test(tcase, a_frozen_player_takes_no_seat);
    tcase_add_test(tcase, a_driver_who_is_frozen_leaves_the_vehicle_to_a_syncer);
    return suite;
}
