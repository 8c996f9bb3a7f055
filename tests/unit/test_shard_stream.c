#include <math.h>
#include <string.h>

#include "common/random.h"
#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/stream.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;

static void setup(void)
{
    stage = stage_new(NULL, 0);
}

static void teardown(void)
{
    stage_free(stage);
}

static void stage_with_cars(size_t count, double step)
{
    static struct shard_vehicle cars[400];

    for (size_t i = 0; i < count; i++)
        cars[i] = stage_car(411, (double)i * step, 0);
    stage_free(stage);
    stage = stage_new(cars, count);
}

static void teleport(struct stage_client *client, float x, float y, uint32_t virtual_world)
{
    struct place to = { .scope = { .virtual_world = virtual_world }, .pos = { x, y, 10 } };

    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &to),
                      REASON_NONE);
    stage_pump(stage);
}

/* ---- players */

START_TEST(players_are_shown_to_each_other_right_after_a_spawn)
{
    struct stage_client *first = stage_spawn(stage, 1, 0, 0);
    struct stage_client *second = stage_spawn(stage, 2, 200, 0);

    ck_assert(stage_sees_player(first, second) && stage_sees_player(second, first));
    ck_assert_uint_eq(stage_count(first, PACKET_PLAYER_SPAWNED), 1);
    ck_assert_uint_eq(stage_count(first, PACKET_REMOTE_PLAYER_SYNC),
                      1); /* the first frame comes right with it */
}
END_TEST

START_TEST(players_are_shown_within_200_m)
{
    struct stage_client *first = stage_spawn(stage, 1, 0, 0);
    struct stage_client *second = stage_spawn(stage, 2, nextafterf(200, 300), 0);

    ck_assert(!stage_sees_player(first, second) && !stage_sees_player(second, first));
    stage_walk(stage, second, 200, 0);
    ck_assert(!stage_sees_player(first, second)); /* a move waits for the tick */
    stage_run(stage, 100);
    ck_assert(stage_sees_player(first, second) && stage_sees_player(second, first));
    stage_walk(stage, second, nextafterf(200, 300), 0);
    stage_run(stage, 100);
    ck_assert(!stage_sees_player(first, second) && !stage_sees_player(second, first));
}
END_TEST

START_TEST(who_has_not_spawned_is_shown_to_nobody_and_sees_nobody)
{
    struct stage_client *first = stage_spawn(stage, 1, 0, 0);
    struct stage_client *second = stage_join(stage, 2, 5, 0);

    stage_run(stage, 300);
    ck_assert(!stage_sees_player(first, second) && !stage_sees_player(second, first));
    stage_request_spawn(stage, second);
    stage_run(stage, 300);
    ck_assert(!stage_sees_player(first, second) && !stage_sees_player(second, first));
}
END_TEST

START_TEST(a_new_observer_is_told_of_a_death)
{
    struct stage_client *dead = stage_spawn(stage, 1, 0, 0);
    struct stage_client *late;

    stage_die(stage, dead);
    late = stage_spawn(stage, 2, 5, 0);
    ck_assert_uint_eq(stage_count(late, PACKET_PLAYER_WASTED), 1);
    ck_assert_uint_lt(stage_order(late, PACKET_PLAYER_SPAWNED), stage_order(late, PACKET_PLAYER_WASTED));
    ck_assert_uint_lt(stage_order(late, PACKET_PLAYER_WASTED), stage_order(late, PACKET_REMOTE_PLAYER_SYNC));
}
END_TEST

START_TEST(a_stream_out_names_the_last_frame_that_was_relayed)
{
    struct stage_client *subject = stage_spawn(stage, 1, 0, 0);
    struct stage_client *observer = stage_spawn(stage, 2, 150, 0);
    struct wire_player_stream_out out;
    struct wire_error error;
    const struct stage_packet *packet;

    subject->seq = 4711;
    stage_walk(stage, subject, 1, 0);
    teleport(observer, 2000, 0, 0);
    packet = stage_take(observer, PACKET_PLAYER_STREAM_OUT);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_stream_out_decode(&out, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(out.player_id, subject->id);
    ck_assert_uint_eq(out.player_token, subject->token);
    ck_assert_uint_eq(out.last_seq, 4712);
}
END_TEST

START_TEST(scopes_do_not_see_each_other)
{
    struct stage_client *first = stage_spawn(stage, 1, 0, 0);
    struct stage_client *second = stage_spawn(stage, 2, 5, 0);

    teleport(second, 5, 0, 2);
    stage_run(stage, 300);
    ck_assert(!stage_sees_player(first, second) && !stage_sees_player(second, first));
    teleport(first, 0, 0, 2);
    ck_assert(stage_sees_player(first, second) && stage_sees_player(second, first));
}
END_TEST

/* ---- vehicles */

START_TEST(vehicles_are_shown_from_the_join_on)
{
    stage_with_cars(3, 200);

    struct stage_client *client = stage_join(stage, 1, 0, 0);

    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, 0)->id));
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, 1)->id)); /* exactly 200 m */
    ck_assert(!stage_sees_vehicle(client, stage_vehicle(stage, 2)->id));
}
END_TEST

START_TEST(a_vehicle_is_always_shown_to_its_occupants)
{
    stage_with_cars(1, 0);

    struct stage_client *client = stage_spawn(stage, 1, 0, 0);

    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    stage_player(stage, client)->place.pos[0] = 500;
    stream_place_player(stage->shard, stage_player(stage, client));
    stage_run(stage, 300);
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, 0)->id));
    stage_exit(stage, client, stage_vehicle(stage, 0)->id);
    ck_assert(!stage_sees_vehicle(client, stage_vehicle(stage, 0)->id));
}
END_TEST

/* ---- lanes */

START_TEST(new_shows_begin_only_below_128_unacked_and_the_nearest_first)
{
    stage_with_cars(150, 1);

    struct stage_client *client = stage_join(stage, 1, 0, 0);

    client->silent = true;
    stage_run(stage, 1000);
    ck_assert_uint_eq(client->vehicles_count, LANE_SHOWS_MAX - STAGE_GREETING);
    for (size_t i = 0; i < LANE_SHOWS_MAX - STAGE_GREETING; i++)
        ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, i)->id));
    client->silent = false;
    stage_run(stage, 300);
    ck_assert_uint_eq(client->vehicles_count, 150);
}
END_TEST

START_TEST(droppable_events_are_refused_at_256_and_critical_ones_are_not)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);
    struct wire_server_message message = { .text = { .data = (const uint8_t *)"x", .size = 1 } };
    struct wire_set_frozen frozen = { .frozen = 1 };
    uint8_t droppable[32];
    uint8_t critical[WIRE_SET_FROZEN_SIZE];
    size_t size = wire_server_message_put(&message, droppable, sizeof droppable);

    wire_set_frozen_put(&frozen, critical, sizeof critical);
    client->silent = true;
    for (int i = 0; i < LANE_DROPPABLE_MAX - STAGE_GREETING; i++)
        ck_assert(send_droppable(stage->shard, player, droppable, size));
    ck_assert(!send_droppable(stage->shard, player, droppable, size));
    ck_assert(send_critical(stage->shard, player, critical, sizeof critical));
    stage_pump(stage);
    ck_assert_uint_eq(client->received, 257);
    ck_assert_uint_eq(lane_unacked(&player->lane), 257);
    stage_ack(stage, client);
    ck_assert_uint_eq(lane_unacked(&player->lane), 0);
    ck_assert(send_droppable(stage->shard, player, droppable, size));
    stage_pump(stage);
}
END_TEST

START_TEST(the_count_of_a_lane_goes_across_the_wrap_and_never_below_0)
{
    struct lane lane = { .sent = 3, .acked = UINT32_MAX };

    ck_assert_uint_eq(lane_unacked(&lane), 4);
    lane_on_acked(&lane, UINT32_MAX - 5); /* an old report */
    ck_assert_uint_eq(lane_unacked(&lane), 4);
    lane_on_acked(&lane, 2);
    ck_assert_uint_eq(lane_unacked(&lane), 1);
    lane_on_acked(&lane, 9); /* events of the gateway's own */
    ck_assert_uint_eq(lane_unacked(&lane), 0);
}
END_TEST

/* Vehicle hides are refused at 256: they are owed, nothing more is heard of the vehicle, and the barrier
 * waits for them. */
START_TEST(a_barrier_waits_for_the_last_hide)
{
    stage_with_cars(100, 1);

    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct stage_client *other = stage_spawn(stage, 2, 3, 0);
    struct player *player = stage_player(stage, client);

    stage_run(stage, 500);
    ck_assert_uint_eq(client->vehicles_count, 100);
    client->silent = true;
    stage_forget(stage);
    player->lane.sent += 200; /* as if 200 chat lines were on their way */
    client->received += 200;
    teleport(client, 5, 0, 2);
    ck_assert(player->barrier.pending);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
    ck_assert(!stage_sees_player(other, client));
    stage_run(stage, 500);
    ck_assert(player->barrier.pending);
    ck_assert_uint_ge(lane_unacked(&player->lane),
                      LANE_DROPPABLE_MAX - 1); /* a synced vehicle's is two events */
    ck_assert_uint_le(lane_unacked(&player->lane), LANE_DROPPABLE_MAX);
    ck_assert_uint_gt(client->vehicles_count, 0);
    stage_ack(stage, client);
    ck_assert(!player->barrier.pending);
    ck_assert_uint_eq(client->vehicles_count, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 1);
}
END_TEST

START_TEST(an_owed_hide_goes_out_before_a_new_show)
{
    stage_with_cars(1, 0);

    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);

    stage_run(stage, 200);
    client->silent = true;
    stage_forget(stage);
    player->lane.sent += LANE_DROPPABLE_MAX;
    client->received += LANE_DROPPABLE_MAX;
    teleport(client, 1000, 0, 0);
    ck_assert_uint_eq(player->owed_hides_count, 1);
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, 0)->id));
    teleport(client, 0, 0, 0);
    stage_run(stage, 300);
    ck_assert_uint_eq(stage_count(client, PACKET_VEHICLE_SYNC), 0);
    stage_ack(stage, client);
    stage_run(stage, 200);
    ck_assert_uint_eq(stage_count(client, PACKET_VEHICLE_SYNC), 2); /* the hide, then the show */
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, 0)->id));
}
END_TEST

/* ---- a crowd at random */

static void step_of_a_crowd(struct rng *rng)
{
    uint32_t id = (uint32_t)rng_below(rng, 40);
    struct stage_client *client = &stage->clients[id];
    uint32_t car = stage_vehicle(stage, rng_below(rng, 30))->id;

    if (!client->used) {
        stage_spawn(stage, id, rng_unit(rng) * 600, rng_unit(rng) * 600);
        return;
    }
    switch (rng_below(rng, 12)) {
    case 0:
        if (rng_chance(rng, 0.2)) {
            stage_gone(stage, client);
            stage_left(stage, id, client->token, 0);
        }
        break;
    case 1:
        stage_die(stage, client);
        break;
    case 2:
        stage_request_respawn(stage, client);
        break;
    case 3:
        if (stage_player(stage, client)->state != LIFE_CONNECTED)
            teleport(client, rng_unit(rng) * 600, rng_unit(rng) * 600, rng_chance(rng, 0.5) ? 0 : 2);
        break;
    case 4:
        stage_enter(stage, client, car, (uint8_t)rng_below(rng, 3));
        break;
    case 5:
        stage_exit(stage, client, car);
        break;
    case 6:
        client->silent = !client->silent;
        break;
    default:
        stage_walk(stage, client, client->pos[0] + rng_unit(rng) * 6 - 3,
                   client->pos[1] + rng_unit(rng) * 6 - 3);
    }
}

/* Once it is quiet, everybody sees exactly who is within 200 m in the same scope. */
static void views_are_right(void)
{
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++) {
            struct stage_client *a = &stage->clients[i];
            struct stage_client *b = &stage->clients[j];

            if (!a->used || !b->used || i == j)
                continue;

            const struct player *pa = stage_player(stage, a);
            const struct player *pb = stage_player(stage, b);
            bool expected = player_is_spawned(pa) && player_is_spawned(pb) &&
                            scope_equal(pa->place.scope, pb->place.scope) &&
                            within(pa->place.pos, pb->place.pos, 200);

            if (stage_sees_player(a, b) != expected)
                ck_abort_msg("player %zu of %zu: %d", j, i, expected);
        }
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 30; j++) {
            struct stage_client *client = &stage->clients[i];
            const struct vehicle *vehicle = stage_vehicle(stage, j);

            if (!client->used)
                continue;

            const struct player *player = stage_player(stage, client);
            bool expected = scope_equal(player->place.scope, vehicle->scope) &&
                            within(player->place.pos, vehicle->pos, 200);

            if (stage_sees_vehicle(client, vehicle->id) != expected)
                ck_abort_msg("vehicle %zu of %zu: %d", j, i, expected);
        }
}

START_TEST(a_crowd_that_comes_to_rest_sees_what_is_there)
{
    struct rng rng;

    stage_with_cars(30, 20);
    rng_init_seeded(&rng, (uint64_t)_i + 1);
    for (int step = 0; step < 1500; step++) {
        step_of_a_crowd(&rng);
        if (rng_chance(&rng, 0.1))
            stage_run(stage, 100);
    }
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        stage->clients[i].silent = false;
    stage_run(stage, 2000);
    views_are_right();
}
END_TEST

Suite *shard_stream_suite(void)
{
    Suite *suite = suite_create("shard_stream");
    TCase *tcase = tcase_create("streaming");
    TCase *crowd = tcase_create("crowd");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, players_are_shown_to_each_other_right_after_a_spawn);
    tcase_add_test(tcase, players_are_shown_within_200_m);
    tcase_add_test(tcase, who_has_not_spawned_is_shown_to_nobody_and_sees_nobody);
    tcase_add_test(tcase, a_new_observer_is_told_of_a_death);
    tcase_add_test(tcase, a_stream_out_names_the_last_frame_that_was_relayed);
    tcase_add_test(tcase, scopes_do_not_see_each_other);
    tcase_add_test(tcase, vehicles_are_shown_from_the_join_on);
    tcase_add_test(tcase, a_vehicle_is_always_shown_to_its_occupants);
    tcase_add_test(tcase, new_shows_begin_only_below_128_unacked_and_the_nearest_first);
    tcase_add_test(tcase, droppable_events_are_refused_at_256_and_critical_ones_are_not);
    tcase_add_test(tcase, the_count_of_a_lane_goes_across_the_wrap_and_never_below_0);
    tcase_add_test(tcase, a_barrier_waits_for_the_last_hide);
    tcase_add_test(tcase, an_owed_hide_goes_out_before_a_new_show);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(crowd, setup, teardown);
    tcase_set_timeout(crowd, 60);
    tcase_add_loop_test(crowd, a_crowd_that_comes_to_rest_sees_what_is_there, 0, 6);
    suite_add_tcase(suite, crowd);
    return suite;
}
