#include "bots/behaviour.h"

#include <math.h>
#include <string.h>

#include "tests/unit/bots_rig.h"
#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

static struct bots_rig rig;
static struct behaviour behaviour;
static float fastest; /* m/s, from one frame to the next */

static void start(enum behaviour_kind kind, uint32_t chat_every_ms)
{
    bots_rig_spawn(&rig);
    behaviour_init(&behaviour, kind, 1, chat_every_ms);
    fastest = 0;
}

static void teardown(void)
{
    bots_rig_stop(&rig);
}

static float distance(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The server acks all, and says nothing else. */
static void live(uint64_t ms)
{
    for (uint64_t end_ms = rig.now_ms + ms; rig.now_ms < end_ms; rig.now_ms++) {
        uint64_t framed_ms = rig.client.framed_ms;
        float before[3];

        rig.client.heard_ms = rig.now_ms;
        (void)events_out_ack(&rig.client.out, rig.client.out.last_id);
        memcpy(before, rig.client.frame.pos, sizeof before);
        if (rig.now_ms >= behaviour_wakes_at(&behaviour, &rig.client))
            behaviour_tick(&behaviour, &rig.client, rig.now_ms);
        if (framed_ms > 0)
            fastest = fmaxf(fastest,
                            distance(before, rig.client.frame.pos) * 1000 / (float)(rig.now_ms - framed_ms));
        if (rig.now_ms >= client_wakes_at(&rig.client))
            client_tick(&rig.client, rig.now_ms);
        if (rig.sent_count > BOTS_RIG_SENT_MAX / 2)
            bots_rig_forget(&rig);
    }
}

START_TEST(a_walker_is_always_on_its_feet_around_its_home)
{
    const float origin[3] = { 0 };

    start(BEHAVIOUR_WALK, 0);
    for (int i = 0; i < 20; i++) {
        bots_rig_forget(&rig);
        live(1000);
        ck_assert_uint_ge(bots_rig_count(&rig, &wire_player_sync_packet), 29);
        ck_assert_float_le(distance(rig.client.frame.pos, origin), BEHAVIOUR_RADIUS_M + 1);
    }
    ck_assert_float_le(fastest, 10);
    ck_assert(behaviour.is_settled);
}
END_TEST

START_TEST(one_with_a_home_goes_there_within_the_servers_limits)
{
    const float home[3] = { 900, -1200, 20 };

    start(BEHAVIOUR_IDLE, 0);
    live(100);
    behaviour_set_home(&behaviour, home);
    live(29 * 1000);
    ck_assert(!behaviour.is_settled);
    live(3 * 1000);
    ck_assert(behaviour.is_settled);
    ck_assert_float_le(distance(rig.client.frame.pos, home), 0.01f);
    ck_assert_float_le(fastest, 60);
}
END_TEST

START_TEST(an_idler_sends_heartbeats_alone)
{
    start(BEHAVIOUR_IDLE, 0);
    live(1000);
    bots_rig_forget(&rig);
    live(10 * 1000);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_player_sync_packet), 101);
    ck_assert_uint_eq(rig.sent_count, bots_rig_count(&rig, &wire_player_sync_packet));
    ck_assert_uint_eq(behaviour_wakes_at(&behaviour, &rig.client), UINT64_MAX);
}
END_TEST

static void show_vehicle(uint32_t id, float x)
{
    struct wire_vehicle_sync sync = bots_rig_show(id, 1, x);

    bots_rig_event(&rig, &wire_vehicle_sync_packet, &sync);
}

static void answer(uint8_t kind)
{
    struct wire_vehicle_enter enter;

    bots_rig_last(&rig, &wire_vehicle_enter_packet, &enter);
    bots_rig_event(&rig, &wire_vehicle_occupancy_packet,
                   &(struct wire_vehicle_occupancy){ .vehicle_id = enter.vehicle_id,
                                                     .player_id = BOTS_RIG_ID,
                                                     .player_token = BOTS_RIG_TOKEN,
                                                     .seat = enter.seat,
                                                     .kind = kind });
}

static bool live_until_sent(const struct wire_packet *packet, int seconds)
{
    bots_rig_forget(&rig);
    for (int i = 0; i < seconds * 10 && bots_rig_count(&rig, packet) == 0; i++)
        live(100);
    return bots_rig_count(&rig, packet) > 0;
}

START_TEST(a_driver_goes_to_the_nearest_free_car_and_drives_a_loop_back_to_its_start)
{
    struct wire_vehicle_enter enter;
    const float begin[3] = { 30, 0, 0 };

    start(BEHAVIOUR_DRIVE, 0);
    show_vehicle(8, 60);
    show_vehicle(9, 30);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    bots_rig_last(&rig, &wire_vehicle_enter_packet, &enter);
    ck_assert_uint_eq(enter.vehicle_id, 9);
    ck_assert_uint_eq(enter.seat, 0);
    ck_assert_float_le(distance(rig.client.frame.pos, begin), 15);
    answer(VIEW_ENTER);
    fastest = 0;
    live(3000);
    ck_assert_float_gt(distance(rig.client.frame.pos, begin), 5);
    ck_assert_float_le(fastest, 17);
    ck_assert(live_until_sent(&wire_vehicle_exit_packet, 120));
    ck_assert_float_le(distance(rig.client.frame.pos, begin), 10);
}
END_TEST

START_TEST(a_driver_stays_within_range_of_where_it_got_in)
{
    const float begin[3] = { 4, 0, 0 };

    start(BEHAVIOUR_DRIVE, 0);
    show_vehicle(9, 4);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    answer(VIEW_ENTER);
    for (int i = 0; i < 300 && client_drives(&rig.client); i++) {
        live(100);
        ck_assert_float_le(distance(rig.client.frame.pos, begin), 65);
    }
}
END_TEST

START_TEST(one_who_is_denied_walks_on)
{
    start(BEHAVIOUR_DRIVE, 0);
    show_vehicle(9, 4);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    answer(VIEW_DENY);
    live(200);
    ck_assert_int_ne(behaviour.activity, ACTIVITY_ASKING);
    ck_assert_ptr_null(client_vehicle(&rig.client));
}
END_TEST

START_TEST(trains_wrecks_locked_and_taken_cars_are_left_alone)
{
    struct wire_vehicle_sync train = bots_rig_show(1, 1, 4);
    struct wire_vehicle_sync wreck = bots_rig_show(2, 1, 4);
    struct wire_vehicle_sync locked = bots_rig_show(3, 1, 4);

    start(BEHAVIOUR_DRIVE, 0);
    train.model = 538;
    wreck.flags = 1;
    locked.params = 4;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &train);
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &wreck);
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &locked);
    show_vehicle(4, 4);
    bots_rig_event(&rig, &wire_vehicle_occupancy_packet,
                   &(struct wire_vehicle_occupancy){
                       .vehicle_id = 4, .player_id = 3, .player_token = 30, .kind = VIEW_WARP });
    ck_assert(!live_until_sent(&wire_vehicle_enter_packet, 30));
}
END_TEST

START_TEST(chat_comes_at_its_rate_and_never_when_it_is_off)
{
    start(BEHAVIOUR_WALK, 2000);
    live(60 * 1000);
    ck_assert_uint_ge(rig.client.stats.packets_out[WIRE_INDEX_CLIENT_CHAT] +
                          rig.client.stats.packets_out[WIRE_INDEX_CLIENT_COMMAND],
                      20);
    ck_assert_uint_le(rig.client.stats.packets_out[WIRE_INDEX_CLIENT_CHAT] +
                          rig.client.stats.packets_out[WIRE_INDEX_CLIENT_COMMAND],
                      60);
    bots_rig_stop(&rig);
    start(BEHAVIOUR_WALK, 0);
    live(60 * 1000);
    ck_assert_uint_eq(rig.client.stats.packets_out[WIRE_INDEX_CLIENT_CHAT], 0);
}
END_TEST

START_TEST(the_mixed_die_now_and_then)
{
    start(BEHAVIOUR_MIXED, 0);
    live(250 * 1000);
    ck_assert_uint_eq(rig.client.stats.packets_out[WIRE_INDEX_DEATH_REPORT], 1);
    ck_assert_int_eq(rig.client.state, CLIENT_DEAD);
}
END_TEST

START_TEST(a_new_life_goes_home)
{
    const float home[3] = { 0 };

    start(BEHAVIOUR_WALK, 0);
    live(1000);
    bots_rig_event(&rig, &wire_respawn_player_packet,
                   &(struct wire_respawn_player){ .life = 2, .pos = { 500, 0, 0 } });
    live(5000);
    ck_assert_float_gt(distance(rig.client.frame.pos, home), 100);
    live(10 * 1000);
    ck_assert_float_le(distance(rig.client.frame.pos, home), BEHAVIOUR_RADIUS_M + 1);
}
END_TEST

/* Valid packets of all kinds and values, events in order. */
START_TEST(a_bot_outlives_whatever_a_server_says)
{
    enum { PACKETS = 8000 };
    struct arena arena;
    struct rng rng;

    rng_init_seeded(&rng, test_seed());
    arena_init(&arena, 4096, 1 << 20);
    start((enum behaviour_kind)_i, 1000);
    for (int i = 0; i < PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[rng_below(&rng, WIRE_PACKETS)];
        union wire_any value;

        if (packet->direction != WIRE_S2C || packet->id == PACKET_KICK_NOTIFY)
            continue;
        arena_reset(&arena);
        (void)random_packet(&rng, packet, &value, &arena);
        if (packet->lane == WIRE_RELIABLE)
            bots_rig_event(&rig, packet, &value);
        else
            bots_rig_say(&rig, packet, &value);
        live(rng_below(&rng, 20));
        ck_assert(client_is_open(&rig.client));
    }
    ck_assert_uint_eq(rig.client.stats.violations[VIOLATION_MALFORMED], 0);
    arena_fini(&arena);
}
END_TEST

/* ---- with vehicles of all kinds */

static void show_model(uint32_t id, uint16_t model, uint16_t params, float x)
{
    struct wire_vehicle_sync sync = bots_rig_show(id, 1, x);

    sync.model = model;
    sync.params = params;
    bots_rig_event(&rig, &wire_vehicle_sync_packet, &sync);
}

static void link_up(uint32_t trailer_id, uint32_t tractor_id)
{
    bots_rig_event(&rig, &wire_vehicle_trailer_packet,
                   &(struct wire_vehicle_trailer){ .trailer_id = trailer_id, .tractor_id = tractor_id });
}

START_TEST(one_who_tows_hauls_a_car_around_and_lets_it_go)
{
    struct wire_vehicle_tow tow;

    start(BEHAVIOUR_TOW, 0);
    show_model(8, 411, 0, 5);
    show_model(9, 525, 0, 20);
    show_model(7, 441, 0, 21); /* an RC is no load */
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    answer(VIEW_ENTER);
    ck_assert(live_until_sent(&wire_vehicle_tow_packet, 30));
    bots_rig_last(&rig, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(tow.trailer_id, 8);
    ck_assert_uint_eq(tow.tractor_id, 9);
    link_up(8, 9);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 8, .active = 1 });
    live(5000);
    ck_assert_float_le(distance(view_vehicle(&rig.client.view, 8)->pos, rig.client.drive.pos), 10);
    ck_assert(live_until_sent(&wire_vehicle_tow_packet, 60));
    bots_rig_last(&rig, &wire_vehicle_tow_packet, &tow);
    ck_assert_uint_eq(tow.tractor_id, WIRE_NONE);
    link_up(8, WIRE_NONE);
    ck_assert(live_until_sent(&wire_vehicle_exit_packet, 10));
}
END_TEST

START_TEST(a_pilot_lifts_a_car_with_its_magnet)
{
    struct wire_vehicle_enter enter;
    struct wire_vehicle_winch winch;

    start(BEHAVIOUR_HELI, 0);
    show_model(7, 487, 0, 4); /* without a magnet */
    show_model(8, 411, 0, 30);
    show_model(9, 487, 1 << 3, 20);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    bots_rig_last(&rig, &wire_vehicle_enter_packet, &enter);
    ck_assert_uint_eq(enter.vehicle_id, 9);
    answer(VIEW_ENTER);
    ck_assert(live_until_sent(&wire_vehicle_winch_packet, 30));
    bots_rig_last(&rig, &wire_vehicle_winch_packet, &winch);
    ck_assert_uint_eq(winch.vehicle_id, 8);
    ck_assert_uint_eq(winch.heli_id, 9);
}
END_TEST

START_TEST(an_engine_driver_says_how_far_along_its_track_it_is)
{
    struct wire_vehicle_frame frame;

    start(BEHAVIOUR_TRAIN, 0);
    show_model(8, 411, 0, 4);
    show_model(9, 449, 0, 10);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    answer(VIEW_ENTER);
    live(3000);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_uint_eq(frame.vehicle_id, 9);
    ck_assert_float_gt(frame.state.rail, 10);
    ck_assert_float_gt(frame.state.rail_speed, 0.1f);
    ck_assert_float_lt(frame.state.rail_speed, 0.9f);
}
END_TEST

START_TEST(an_RC_is_taken_by_key_driven_and_given_back)
{
    struct wire_vehicle_remote_enter enter;

    start(BEHAVIOUR_RC, 0);
    show_model(8, 411, 0, 4);
    show_model(9, 564, 0, 10);
    ck_assert(live_until_sent(&wire_vehicle_remote_enter_packet, 30));
    bots_rig_last(&rig, &wire_vehicle_remote_enter_packet, &enter);
    ck_assert_uint_eq(enter.vehicle_id, 9);
    bots_rig_event(&rig, &wire_vehicle_remote_packet, &(struct wire_vehicle_remote){ .vehicle_id = 9 });
    ck_assert(live_until_sent(&wire_vehicle_shot_packet, 10));
    ck_assert(live_until_sent(&wire_vehicle_remote_exit_packet, 60));
}
END_TEST

START_TEST(a_gunner_fires_no_faster_than_its_gun)
{
    start(BEHAVIOUR_GUNNER, 0);
    show_model(8, 411, 0, 4);
    show_model(9, 432, 0, 10);
    ck_assert(live_until_sent(&wire_vehicle_enter_packet, 30));
    answer(VIEW_ENTER);
    live(500);
    bots_rig_forget(&rig);
    live(5000);
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_vehicle_shot_packet), 4);
    ck_assert_uint_le(bots_rig_count(&rig, &wire_vehicle_shot_packet), 6);
}
END_TEST

START_TEST(traffic_rolls_what_it_syncs_and_boards_nothing)
{
    struct wire_vehicle_frame frame;

    start(BEHAVIOUR_TRAFFIC, 0);
    show_model(8, 411, 0, 10);
    bots_rig_event(&rig, &wire_vehicle_syncer_packet,
                   &(struct wire_vehicle_syncer){ .vehicle_id = 8, .active = 1 });
    bots_rig_forget(&rig);
    live(8000);
    ck_assert_uint_ge(bots_rig_count(&rig, &wire_vehicle_frame_packet), 20);
    ck_assert_uint_eq(bots_rig_count(&rig, &wire_vehicle_enter_packet), 0);
    bots_rig_last(&rig, &wire_vehicle_frame_packet, &frame);
    ck_assert_uint_eq(frame.vehicle_id, 8);
    ck_assert_float_le(fabsf(frame.state.pos[0] - 10), 3);
}
END_TEST

START_TEST(kinds_are_dealt_by_their_shares)
{
    const uint32_t shares[BEHAVIOUR_KINDS] = { [BEHAVIOUR_WALK] = 2, [BEHAVIOUR_TOW] = 1 };
    uint32_t dealt[BEHAVIOUR_KINDS] = { 0 };

    for (uint32_t i = 1; i <= 30; i++) {
        (void)behaviour_deal(shares, dealt);
        ck_assert_uint_le(dealt[BEHAVIOUR_TOW] * 3, i + 2);
        ck_assert_uint_ge(dealt[BEHAVIOUR_TOW] * 3 + 3, i);
    }
    ck_assert_uint_eq(dealt[BEHAVIOUR_WALK], 20);
    ck_assert_uint_eq(dealt[BEHAVIOUR_TOW], 10);
}
END_TEST

START_TEST(kinds_have_names)
{
    for (int i = 0; i < BEHAVIOUR_KINDS; i++) {
        enum behaviour_kind kind = BEHAVIOUR_KINDS;

        ck_assert(behaviour_parse(behaviour_name((enum behaviour_kind)i), &kind));
        ck_assert_int_eq(kind, i);
        ck_assert(!behaviour_parse("flies", &kind));
    }
}
END_TEST

Suite *behaviour_suite(void)
{
    Suite *suite = suite_create("behaviour");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, teardown);
    tcase_add_test(all, a_walker_is_always_on_its_feet_around_its_home);
    tcase_add_test(all, one_with_a_home_goes_there_within_the_servers_limits);
    tcase_add_test(all, an_idler_sends_heartbeats_alone);
    tcase_add_test(all, a_driver_goes_to_the_nearest_free_car_and_drives_a_loop_back_to_its_start);
    tcase_add_test(all, a_driver_stays_within_range_of_where_it_got_in);
    tcase_add_test(all, one_who_is_denied_walks_on);
    tcase_add_test(all, trains_wrecks_locked_and_taken_cars_are_left_alone);
    tcase_add_test(all, chat_comes_at_its_rate_and_never_when_it_is_off);
    tcase_add_test(all, the_mixed_die_now_and_then);
    tcase_add_test(all, a_new_life_goes_home);
    tcase_add_test(all, one_who_tows_hauls_a_car_around_and_lets_it_go);
    tcase_add_test(all, a_pilot_lifts_a_car_with_its_magnet);
    tcase_add_test(all, an_engine_driver_says_how_far_along_its_track_it_is);
    tcase_add_test(all, an_RC_is_taken_by_key_driven_and_given_back);
    tcase_add_test(all, a_gunner_fires_no_faster_than_its_gun);
    tcase_add_test(all, traffic_rolls_what_it_syncs_and_boards_nothing);
    suite_add_tcase(suite, all);

    TCase *any = tcase_create("any");

    tcase_add_unchecked_fixture(any, samples_load, samples_free);
    tcase_add_checked_fixture(any, NULL, teardown);
    tcase_set_timeout(any, 60);
    tcase_add_loop_test(any, a_bot_outlives_whatever_a_server_says, BEHAVIOUR_DRIVE, BEHAVIOUR_KINDS);
    suite_add_tcase(suite, any);

    TCase *names = tcase_create("names");

    tcase_add_test(names, kinds_have_names);
    tcase_add_test(names, kinds_are_dealt_by_their_shares);
    suite_add_tcase(suite, names);
    return suite;
}
