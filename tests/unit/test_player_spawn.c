#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/player_set.h"
#include "shard/player_spawn.h"
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

static struct wire_spawn_player granted(struct stage_client *client, uint8_t id)
{
    const struct stage_packet *packet = stage_take(client, id);
    union wire_any any;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert_ptr_nonnull(wire_decode(WIRE_S2C, packet->bytes, packet->size, &any, &error));
    return any.spawn_player;
}

static struct wire_teleport_player teleported(struct stage_client *client)
{
    const struct stage_packet *packet = stage_take(client, PACKET_TELEPORT_PLAYER);
    struct wire_teleport_player teleport;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_teleport_player_decode(&teleport, packet->bytes, packet->size, &error));
    return teleport;
}

static void refuse(enum event event, bool refuses)
{
    uint64_t bit = UINT64_C(1) << event;

    events.refuses = refuses ? events.refuses | bit : events.refuses & ~bit;
}

/* ---- spawn info and spawn() */

START_TEST(a_spawn_goes_where_the_spawn_info_says)
{
    struct stage_client *client = stage_join(stage, 3, 100, 200);
    struct player *player = stage_player(stage, client);
    struct spawn_info info = player_spawn_info(player);
    struct wire_spawn_player grant;

    ck_assert_float_eq(info.place.pos[0], 100);
    info.place.pos[1] = -300;
    info.skin = 311;
    ck_assert_uint_eq(player_set_spawn_info(stage->shard, player, &info), REASON_NONE);
    stage_request_spawn(stage, client);
    grant = granted(client, PACKET_SPAWN_PLAYER);
    ck_assert_float_eq(grant.pos[0], 100); /* what is left out keeps its value */
    ck_assert_float_eq(grant.pos[1], -300);
    ck_assert_uint_eq(grant.skin, 311);
    ck_assert_uint_eq(player->set.skin, 311);
}
END_TEST

START_TEST(a_spawn_info_that_is_no_place_is_refused)
{
    struct player *player = stage_player(stage, stage_join(stage, 3, 100, 200));
    static const struct {
        const char *what;
        float x, z, heading;
        uint16_t skin;
        enum reason reason;
    } cases[] = {
        { "at the bounds", 6000, 4000, 360, 311, REASON_NONE },
        { "x", 6000.001F, 0, 0, 0, REASON_OUT_OF_BOUNDS },
        { "z", 0, -200.1F, 0, 0, REASON_OUT_OF_BOUNDS },
        { "z", 0, NAN, 0, 0, REASON_OUT_OF_BOUNDS },
        { "heading", 0, 0, 360.1F, 0, REASON_OUT_OF_BOUNDS },
        { "heading", 0, 0, INFINITY, 0, REASON_OUT_OF_BOUNDS },
        { "skin", 0, 0, 0, 312, REASON_OUT_OF_BOUNDS },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spawn_info info = {
            .place = { .pos = { cases[i].x, 0, cases[i].z }, .heading = cases[i].heading },
            .skin = cases[i].skin,
        };

        ck_assert_msg(player_set_spawn_info(stage->shard, player, &info) == cases[i].reason, "%s",
                      cases[i].what);
    }
    ck_assert_float_eq(player_spawn_info(player).place.pos[0], 6000);
}
END_TEST

START_TEST(spawn_grants_at_once_and_from_the_second_time_on_a_respawn)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);

    ck_assert_uint_eq(player_spawn(stage->shard, player), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(granted(client, PACKET_SPAWN_PLAYER).life, 1);
    stage_request_spawn(stage, client); /* has one */
    ck_assert_uint_eq(stage_reason(stage, REASON_ALREADY_SPAWNED), 1);
    player_spawn(stage->shard, player); /* before the first frame */
    stage_pump(stage);
    ck_assert_uint_eq(granted(client, PACKET_RESPAWN_PLAYER).life, 2);
    stage_walk(stage, client, 0, 0);
    player_spawn(stage->shard, player); /* alive */
    stage_pump(stage);
    ck_assert_uint_eq(granted(client, PACKET_RESPAWN_PLAYER).life, 3);
    stage_walk(stage, client, 0, 0);
    stage_die(stage, client);
    player_spawn(stage->shard, player); /* dead, and not for a second */
    stage_pump(stage);
    ck_assert_uint_eq(granted(client, PACKET_RESPAWN_PLAYER).life, 4);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 0);
}
END_TEST

START_TEST(two_grants_behind_an_absent_gateway_are_one_and_a_SpawnPlayer)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);

    stage_gateway_down(stage, client->gateway);
    player_spawn(stage->shard, player);
    player_spawn(stage->shard, player);
    stage_gateway_up(stage, client->gateway, 1);
    stage_run(stage, 100);
    ck_assert_uint_eq(granted(client, PACKET_SPAWN_PLAYER).life, 2);
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 0);
}
END_TEST

START_TEST(a_grant_raises_life_and_revisions_across_their_wraps)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);
    struct wire_spawn_player grant;

    player->life = 255;
    player->pose_rev = UINT16_MAX;
    player->weapon_rev = UINT16_MAX;
    player_spawn(stage->shard, player);
    stage_pump(stage);
    grant = granted(client, PACKET_RESPAWN_PLAYER);
    ck_assert_uint_eq(grant.life, 1);
    ck_assert_uint_eq(grant.pose_rev, 0);
    ck_assert_uint_eq(grant.weapon_rev, 0);
    stage_walk(stage, client, 3, 0);
    ck_assert_uint_eq(player->state, LIFE_ALIVE);
    ck_assert_float_eq(player->place.pos[0], 3);
}
END_TEST

START_TEST(a_seated_player_leaves_its_seat_for_a_spawn)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct vehicle *vehicle = stage_vehicle(stage, 0);

    stage_enter(stage, client, vehicle->id, 0);
    ck_assert_ptr_eq(player_vehicle(stage->shard, stage_player(stage, client)), vehicle);
    player_spawn(stage->shard, stage_player(stage, client));
    stage_pump(stage);
    ck_assert_ptr_null(player_vehicle(stage->shard, stage_player(stage, client)));
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 1);
}
END_TEST

START_TEST(a_spawn_into_a_scope_of_another_shard_is_refused)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);
    struct spawn_info info = player_spawn_info(player);

    info.place.scope.virtual_world = 1;
    ck_assert_uint_eq(player_set_spawn_info(stage->shard, player, &info), REASON_NONE);
    ck_assert_uint_eq(player_spawn(stage->shard, player), REASON_OTHER_SHARD);
    ck_assert_uint_eq(player->life, 1);
    ck_assert_uint_eq(player->state, LIFE_ALIVE);
    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_OTHER_SHARD), 1);
    ck_assert_uint_eq(player->state, LIFE_DEAD);
}
END_TEST

START_TEST(a_respawn_into_another_scope_sends_ScopeChanged_on_the_grant)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);
    struct spawn_info info = player_spawn_info(player);

    info.place.scope = (struct scope){ .virtual_world = 2, .interior = 7 };
    player_set_spawn_info(stage->shard, player, &info);
    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_forget(stage);
    stage_request_respawn(stage, client);
    ck_assert_uint_lt(stage_order(client, PACKET_RESPAWN_PLAYER), stage_order(client, PACKET_SCOPE_CHANGED));
    ck_assert_uint_eq(granted(client, PACKET_RESPAWN_PLAYER).interior, 7);
    ck_assert_str_eq(event_log_last(&events), "player_scope 3 2 7 0 0");
}
END_TEST

/* ---- requests */

START_TEST(a_refused_spawn_may_be_asked_for_again_after_1_s)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);

    refuse(EVENT_PLAYER_REQUEST_SPAWN, true);
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_HANDLER), 1);
    refuse(EVENT_PLAYER_REQUEST_SPAWN, false);
    stage->now_ms += 999;
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_TOO_EARLY), 1);
    ck_assert_uint_eq(event_log_count(&events, "player_request_spawn 3"), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 0);
    stage->now_ms += 1;
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 1);
}
END_TEST

START_TEST(a_refused_respawn_may_be_asked_for_again_after_1_s)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_die(stage, client);
    stage->now_ms += 999;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_TOO_EARLY), 1);
    ck_assert_uint_eq(event_log_count(&events, "player_request_respawn"), 0);
    refuse(EVENT_PLAYER_REQUEST_RESPAWN, true);
    stage->now_ms += 1;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(event_log_count(&events, "player_request_respawn 3"), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_HANDLER), 1);
    refuse(EVENT_PLAYER_REQUEST_RESPAWN, false);
    stage->now_ms += 999;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_TOO_EARLY), 2);
    stage->now_ms += 1;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 1);
}
END_TEST

START_TEST(an_early_request_does_not_put_off_the_next)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_die(stage, client);
    stage->now_ms += 900;
    stage_request_respawn(stage, client);
    stage->now_ms += 100;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 1);
}
END_TEST

static struct stage_client *spawned_in_handler;

static void spawn_it(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_PLAYER_REQUEST_SPAWN || event == EVENT_PLAYER_DEATH)
        player_spawn(stage->shard, stage_player(stage, spawned_in_handler));
}

START_TEST(a_handler_that_spawns_the_player_itself_has_answered_the_request)
{
    spawned_in_handler = stage_join(stage, 3, 0, 0);
    events.then = spawn_it;
    refuse(EVENT_PLAYER_REQUEST_SPAWN, true);
    stage_request_spawn(stage, spawned_in_handler);
    ck_assert_uint_eq(stage_count(spawned_in_handler, PACKET_SPAWN_PLAYER), 1);
    ck_assert_uint_eq(stage_player(stage, spawned_in_handler)->life, 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_HANDLER), 0);
}
END_TEST

START_TEST(a_handler_of_the_death_may_spawn_the_player)
{
    struct vehicle *vehicle = stage_vehicle(stage, 0);

    spawned_in_handler = stage_spawn(stage, 3, 0, 0);
    stage_enter(stage, spawned_in_handler, vehicle->id, 0);
    events.then = spawn_it;
    stage_die(stage, spawned_in_handler);
    ck_assert_uint_eq(stage_player(stage, spawned_in_handler)->state, LIFE_GRANTED);
    stage_walk(stage, spawned_in_handler, 0, 0);
    ck_assert_uint_eq(stage_player(stage, spawned_in_handler)->state, LIFE_ALIVE);
}
END_TEST

/* ---- teleports */

START_TEST(what_a_teleport_leaves_out_keeps_its_present_value)
{
    struct stage_client *client = stage_spawn(stage, 3, 40, 50);
    struct player *player = stage_player(stage, client);
    struct place to = player->place;
    struct wire_teleport_player teleport;

    to.pos[2] = 500;
    ck_assert_uint_eq(player_teleport(stage->shard, player, stage->now_ms, &to), REASON_NONE);
    stage_pump(stage);
    teleport = teleported(client);
    ck_assert_float_eq(teleport.pos[0], 40);
    ck_assert_float_eq(teleport.pos[2], 500);
    ck_assert_uint_eq(teleport.pose_rev, 2);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 0);
    ck_assert_uint_eq(event_log_count(&events, "player_scope"), 0);
}
END_TEST

START_TEST(pose_rev_goes_on_with_0_after_65535)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);
    struct place to = player->place;
    struct wire_player_sync sync;

    player->pose_rev = UINT16_MAX;
    client->pose_rev = UINT16_MAX;
    sync = stage_sync(client);
    to.pos[0] = 1000;
    player_teleport(stage->shard, player, stage->now_ms, &to);
    stage_pump(stage);
    ck_assert_uint_eq(teleported(client).pose_rev, 0);
    stage_send_sync(stage, client, &sync); /* from before it */
    ck_assert_float_eq(player->place.pos[0], 1000);
    ck_assert_uint_eq(stage_reason(stage, REASON_OLD_POSE_REV), 1);
    stage_walk(stage, client, 1001, 0);
    ck_assert_float_eq(player->place.pos[0], 1001);
}
END_TEST

START_TEST(a_change_of_virtual_world_alone_is_no_teleport)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);

    ck_assert_uint_eq(player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 4 }),
                      REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 1);
    ck_assert_uint_eq(player->pose_rev, 1);
    ck_assert_str_eq(event_log_last(&events), "player_scope 3 4 0 0 0");
    player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 4, .interior = 5 });
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 1);
    ck_assert_str_eq(event_log_last(&events), "player_scope 3 4 5 4 0");
}
END_TEST

START_TEST(the_scope_it_has_already_leaves_the_player_in_its_seat)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct player *player = stage_player(stage, client);

    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    stage_forget(stage);
    ck_assert_uint_eq(player_set_scope(stage->shard, player, (struct scope){ 0 }), REASON_NONE);
    stage_pump(stage);
    ck_assert_ptr_nonnull(player_vehicle(stage->shard, player));
    ck_assert_uint_eq(client->log_count, 0);
    player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 2 });
    stage_pump(stage);
    ck_assert_ptr_null(player_vehicle(stage->shard, player));
    ck_assert_uint_lt(stage_order(client, PACKET_VEHICLE_OCCUPANCY),
                      stage_order(client, PACKET_SCOPE_CHANGED));
}
END_TEST

START_TEST(a_scope_of_another_shard_and_somebody_not_spawned_are_refused)
{
    struct player *player = stage_player(stage, stage_spawn(stage, 3, 0, 0));
    struct player *waiting = stage_player(stage, stage_join(stage, 4, 0, 0));

    ck_assert_uint_eq(player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 1 }),
                      REASON_OTHER_SHARD);
    ck_assert_uint_eq(player_set_scope(stage->shard, waiting, (struct scope){ .virtual_world = 2 }),
                      REASON_NOT_SPAWNED);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 1"), 0);
}
END_TEST

/* Of one whose gateway does not answer, the teleport waited while others still saw the player where it
 * was. */
START_TEST(whom_a_teleport_cannot_reach_is_seen_by_nobody_until_it_can)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *viewer = stage_spawn(stage, 4, 10, 0);
    struct place to = stage_player(stage, client)->place;

    stage_run(stage, 200);
    ck_assert(stage_sees_player(viewer, client));
    stage_gateway_down(stage, client->gateway);
    to.pos[0] += 5;
    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &to),
                      REASON_NONE);
    stage_pump(stage);
    shard_check(stage->shard);
    ck_assert(!stage_sees_player(viewer, client));
    stage_run(stage, 200);
    shard_check(stage->shard);
}
END_TEST

Suite *player_spawn_suite(void)
{
    Suite *suite = suite_create("player_spawn");
    TCase *tcase = tcase_create("player_spawn");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_spawn_goes_where_the_spawn_info_says);
    tcase_add_test(tcase, a_spawn_info_that_is_no_place_is_refused);
    tcase_add_test(tcase, spawn_grants_at_once_and_from_the_second_time_on_a_respawn);
    tcase_add_test(tcase, two_grants_behind_an_absent_gateway_are_one_and_a_SpawnPlayer);
    tcase_add_test(tcase, a_grant_raises_life_and_revisions_across_their_wraps);
    tcase_add_test(tcase, a_seated_player_leaves_its_seat_for_a_spawn);
    tcase_add_test(tcase, a_spawn_into_a_scope_of_another_shard_is_refused);
    tcase_add_test(tcase, a_respawn_into_another_scope_sends_ScopeChanged_on_the_grant);
    tcase_add_test(tcase, a_refused_spawn_may_be_asked_for_again_after_1_s);
    tcase_add_test(tcase, a_refused_respawn_may_be_asked_for_again_after_1_s);
    tcase_add_test(tcase, an_early_request_does_not_put_off_the_next);
    tcase_add_test(tcase, a_handler_that_spawns_the_player_itself_has_answered_the_request);
    tcase_add_test(tcase, a_handler_of_the_death_may_spawn_the_player);
    tcase_add_test(tcase, what_a_teleport_leaves_out_keeps_its_present_value);
    tcase_add_test(tcase, pose_rev_goes_on_with_0_after_65535);
    tcase_add_test(tcase, a_change_of_virtual_world_alone_is_no_teleport);
    tcase_add_test(tcase, the_scope_it_has_already_leaves_the_player_in_its_seat);
    tcase_add_test(tcase, a_scope_of_another_shard_and_somebody_not_spawned_are_refused);
    tcase_add_test(tcase, whom_a_teleport_cannot_reach_is_seen_by_nobody_until_it_can);
    return suite;
}
