#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/vehicle_fields.h"
#include "shard/vehicle_frame.h"
#include "shard/vehicle_syncer.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

enum { CAR = 0 };

static struct stage *stage;

static void setup(void)
{
    struct shard_vehicle vehicles[] = { stage_car(411, 0, 0), stage_car(537, 0, 300),
                                        stage_car(411, 1000, 1000), stage_car(441, 0, 5) };

    stage = stage_new(vehicles, sizeof vehicles / sizeof vehicles[0]);
}

static void teardown(void)
{
    stage_free(stage);
}

static struct wire_remote_vehicle_frame take_frame(struct stage_client *client)
{
    struct wire_remote_vehicle_frame frame = { 0 };
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_REMOTE_VEHICLE_FRAME);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&frame, packet->bytes, packet->size, &error));
    return frame;
}

/* A driver in a car of that model, and somebody who watches. */
struct scene {
    struct stage_client *driver;
    struct stage_client *watcher;
    struct vehicle *vehicle;
};

static struct scene scene_of(uint16_t model)
{
    struct scene scene = { .driver = stage_spawn(stage, 2, 2, 0), .watcher = stage_spawn(stage, 3, 8, 0) };

    scene.vehicle = stage_vehicle(stage, CAR);
    scene.vehicle->model = model_find(model);
    vehicle_params_init(scene.vehicle, false);
    stage_enter(stage, scene.driver, scene.vehicle->id, 0);
    ck_assert_uint_ne(scene.vehicle->seats[0], SLOT_NONE);
    stage_forget(stage);
    return scene;
}

/* The server's relay of an honest frame that was changed. */
static struct wire_vehicle_state relayed(struct scene *scene, struct wire_vehicle_frame frame)
{
    stage_send_frame(stage, scene->driver, &frame);
    return take_frame(scene->watcher).state;
}

static void pause_player(struct stage_client *client, bool paused)
{
    struct wire_player_sync sync = stage_sync(client);

    sync.frame.flags = paused ? 8 : 0;
    stage_send_sync(stage, client, &sync);
}

START_TEST(a_seated_player_must_be_within_60_m_of_its_vehicle)
{
    struct scene scene = scene_of(411);
    struct wire_player_sync sync = stage_sync(scene.driver);

    sync.frame.vehicle_id = scene.vehicle->id;
    sync.frame.pos[0] = 60;
    sync.frame.pos[1] = 0;
    stage_send_sync(stage, scene.driver, &sync);
    ck_assert_float_eq(stage_player(stage, scene.driver)->place.pos[0], 60);
    sync.seq = ++scene.driver->seq;
    sync.frame.pos[0] = nextafterf(60, 100);
    stage_send_sync(stage, scene.driver, &sync);
    ck_assert_uint_eq(stage_reason(stage, REASON_VEHICLE_TOO_FAR), 1);
    ck_assert_uint_eq(stage_count(scene.watcher, PACKET_REMOTE_PLAYER_SYNC), 1);
}
END_TEST

/* ---- frames */

static void frame_is_refused(struct stage_client *client, const struct wire_vehicle_frame *frame,
                             enum reason why)
{
    uint64_t counted = stage_reason(stage, why);
    uint64_t accepted = shard_stats(stage->shard)->frames_accepted;

    stage_send_frame(stage, client, frame);
    ck_assert_msg(stage_reason(stage, why) == counted + 1, "not refused: %s", reason_name(why));
    ck_assert_uint_eq(shard_stats(stage->shard)->frames_accepted, accepted);
}

static uint64_t send_frames(struct stage_client *client, const struct vehicle *vehicle, int count)
{
    uint64_t before = shard_stats(stage->shard)->frames_accepted;

    for (int i = 0; i < count; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, client, vehicle);

        stage_send_frame(stage, client, &frame);
    }
    return shard_stats(stage->shard)->frames_accepted - before;
}

/* ---- what is rewritten */

START_TEST(values_that_are_the_servers_are_rewritten)
{
    struct scene scene = scene_of(411);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.health = 1500;
    frame.state.health_rev = 9;
    frame.state.siren_rev = 8;
    frame.state.nitro = -0.5f;
    frame.state.hydraulics = 60;
    frame.state.hydraulic_lr = 5;
    frame.state.hydraulic_ud = -5;
    frame.state.rope = 0.5f;
    frame.state.rail = 10;
    frame.state.rail_speed = 1;
    frame.state.track = 2;
    frame.state.turret_yaw = 1;
    frame.state.turret_pitch = 1;
    frame.state.part = 100;
    frame.state.flags = 0xFF;
    state = relayed(&scene, frame);
    ck_assert_float_eq(state.health, 1000);
    ck_assert_uint_eq(state.health_rev, 0);
    ck_assert_uint_eq(state.siren_rev, 0);
    ck_assert_float_eq(state.nitro, 1);
    ck_assert_uint_eq(state.hydraulics, 0);
    ck_assert_int_eq(state.hydraulic_lr, 0);
    ck_assert_int_eq(state.hydraulic_ud, 0);
    ck_assert_float_eq(state.rope, 0);
    ck_assert_float_eq(state.rail, 0);
    ck_assert_float_eq(state.rail_speed, 0);
    ck_assert_uint_eq(state.track, 0);
    ck_assert_float_eq(state.turret_yaw, 0);
    ck_assert_float_eq(state.turret_pitch, 0);
    ck_assert_uint_eq(state.part, 0);
    ck_assert_uint_eq(state.flags, 0x0B); /* handbrake, horn, hop */
}
END_TEST

START_TEST(turrets_and_water_cannons_stay_where_the_model_has_them)
{
    static const struct {
        uint16_t model;
        bool turret, cannon;
    } cases[] = { { 432, true, false }, { 407, true, true }, { 601, true, true }, { 544, false, false } };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;
        struct wire_vehicle_state state;

        scene.vehicle->model = model_find(cases[i].model);
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.flags = 1 << 4;
        frame.state.turret_yaw = 1;
        frame.state.turret_pitch = 0.5f;
        state = relayed(&scene, frame);
        ck_assert_float_eq(state.turret_yaw, cases[i].turret ? 1 : 0);
        ck_assert_float_eq(state.turret_pitch, cases[i].turret ? 0.5f : 0);
        ck_assert_uint_eq(state.flags, cases[i].cannon ? 1 << 4 : 0);
    }
}
END_TEST

START_TEST(a_train_keeps_its_rails)
{
    struct scene scene = scene_of(537);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.rail = 10;
    frame.state.rail_speed = 1.5f;
    frame.state.track = 2;
    state = relayed(&scene, frame);
    ck_assert_float_eq(state.rail, 10);
    ck_assert_float_eq(state.rail_speed, 1.5f);
    ck_assert_uint_eq(state.track, 2);
}
END_TEST

START_TEST(parts_are_clamped_by_the_model)
{
    static const struct {
        uint16_t model, most;
    } cases[] = { { 520, 5000 }, { 525, 20000 }, { 531, 20000 }, { 411, 0 } };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;

        scene.vehicle->model = model_find(cases[i].model);
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.part = 20000;
        ck_assert_uint_eq(relayed(&scene, frame).part, cases[i].most);
        ck_assert_uint_eq(scene.vehicle->part, cases[i].most);
        stage->now_ms += 1000;
    }
}
END_TEST

START_TEST(slow_parts_move_at_the_games_rate_with_half_a_second_of_margin)
{
    static const struct {
        uint16_t model;
        uint16_t from, to;
        uint16_t at_once, after_100_ms, after_a_minute;
    } cases[] = {
        { 406, 0, 2500, 250, 300, 550 },  { 443, 2500, 0, 2250, 2200, 1950 },
        { 486, 0, 20000, 250, 300, 550 }, { 592, 0, 100, 100, 100, 100 },
        { 530, 0, 2500, 250, 300, 550 },  { 530, 2500, 0, 2000, 1900, 1400 },
    };
    struct scene scene = scene_of(411);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_vehicle_frame frame;

        stage->now_ms += 60000;
        scene.vehicle->model = model_find(cases[i].model);
        scene.vehicle->part = cases[i].from;
        frame = stage_frame(stage, scene.driver, scene.vehicle);
        frame.state.part = cases[i].to;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].at_once, "case %zu: at once", i);
        stage->now_ms += 100;
        frame.seq = ++scene.driver->vehicle_seq;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].after_100_ms, "case %zu: after 100 ms", i);
        stage->now_ms += 60000;
        frame.seq = ++scene.driver->vehicle_seq;
        ck_assert_msg(relayed(&scene, frame).part == cases[i].after_a_minute, "case %zu: after a minute", i);
    }
}
END_TEST

START_TEST(a_syncers_frame_carries_the_servers_values_and_lets_a_part_catch_up)
{
    struct scene scene = scene_of(406);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
    struct wire_vehicle_state state;

    frame.state.part = 1000;
    ck_assert_uint_eq(relayed(&scene, frame).part, 250);
    pause_player(scene.driver, true);
    ck_assert_uint_eq(scene.vehicle->syncer,
                      world_player_slot(&stage->shard->world, stage_player(stage, scene.watcher)));
    stage->now_ms += 100;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    frame.state.part = 0;
    frame.state.flags = 1 << 2;
    stage_send_frame(stage, scene.watcher, &frame);
    state = take_frame(scene.driver).state;
    ck_assert_uint_eq(state.part, 300);
    ck_assert_uint_eq(state.flags, 0);
}
END_TEST

START_TEST(the_boom_of_a_tow_truck_moves_for_its_syncer)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct stage_client *watcher = stage_spawn(stage, 3, 8, 0);
    struct wire_vehicle_frame frame;

    stage_run(stage, 100);
    stage_vehicle(stage, CAR)->model = model_find(525);
    frame = stage_frame(stage, client, stage_vehicle(stage, CAR));
    frame.state.part = 15000;
    stage_send_frame(stage, client, &frame);
    ck_assert_uint_eq(take_frame(watcher).state.part, 15000);
}
END_TEST

START_TEST(the_siren_is_the_pilots_and_switches_4_times_a_second)
{
    struct scene scene = scene_of(596);
    bool wanted = false;
    unsigned switched = 0;

    for (int i = 0; i < 6; i++) {
        struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);
        bool before = scene.vehicle->params.siren;

        wanted = !before;
        frame.state.flags = wanted ? 1 << 2 : 0;
        relayed(&scene, frame);
        switched += scene.vehicle->params.siren != before;
    }
    ck_assert_uint_eq(switched, 2);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_SIREN), 4);
    stage->now_ms += 250;

    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 2;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 2);
    stage->now_ms += 1000;
    frame.seq = ++scene.driver->vehicle_seq;
    frame.state.flags = 0;
    frame.state.siren_rev = 1; /* not the current revision */
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 2);
}
END_TEST

START_TEST(a_model_without_a_siren_stays_silent)
{
    struct scene scene = scene_of(432);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 2;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 0);
}
END_TEST

START_TEST(the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it)
{
    struct scene scene = scene_of(497);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 6;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 6);
    pause_player(scene.driver, true);
    stage->now_ms += 200;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    stage_send_frame(stage, scene.watcher, &frame);
    ck_assert_uint_eq(take_frame(scene.driver).state.flags, 1 << 6);
    frame = stage_frame(stage, scene.driver, scene.vehicle); /* a paused pilot's own */
    ck_assert_uint_eq(relayed(&scene, frame).flags, 1 << 6);
    stage_exit(stage, scene.driver, scene.vehicle->id);
    stage->now_ms += 200;
    frame = stage_frame(stage, scene.watcher, scene.vehicle);
    frame.state.flags = 1 << 6;
    stage_send_frame(stage, scene.watcher, &frame);
    ck_assert_uint_eq(take_frame(scene.driver).state.flags, 0);
}
END_TEST

START_TEST(only_a_police_maverick_has_a_searchlight)
{
    struct scene scene = scene_of(487);
    struct wire_vehicle_frame frame = stage_frame(stage, scene.driver, scene.vehicle);

    frame.state.flags = 1 << 6;
    ck_assert_uint_eq(relayed(&scene, frame).flags, 0);
}
END_TEST

/* ---- syncers */

static uint16_t slot_of(struct stage_client *client)
{
    return world_player_slot(&stage->shard->world, stage_player(stage, client));
}

static struct wire_vehicle_syncer take_syncer(struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_syncer syncer = { .active = 99 };
    struct wire_error error;
    const struct stage_packet *packet;

    while ((packet = stage_take(client, PACKET_VEHICLE_SYNCER)) != NULL) {
        ck_assert(wire_vehicle_syncer_decode(&syncer, packet->bytes, packet->size, &error));
        if (syncer.vehicle_id == vehicle_id)
            return syncer;
    }
    return (struct wire_vehicle_syncer){ .active = 99 };
}

START_TEST(the_nearest_player_within_130_m_is_told_to_sync)
{
    struct stage_client *far = stage_spawn(stage, 2, 130, 0);
    struct stage_client *near;
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(far));
    ck_assert_uint_eq(take_syncer(far, car->id).active, 1);
    near = stage_spawn(stage, 3, 20, 0);
    stage_run(stage, 100);
    /* 130 m is close enough to be chosen, but to stay one must be closer. */
    ck_assert_uint_eq(car->syncer, slot_of(near));
    ck_assert_uint_eq(take_syncer(far, car->id).active, 0);
    ck_assert_uint_eq(take_syncer(near, car->id).active, 1);
}
END_TEST

START_TEST(the_previous_syncer_stays_while_it_is_closer_than_130_m)
{
    struct stage_client *first = stage_spawn(stage, 2, 100, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    stage_spawn(stage, 3, 5, 0);
    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(first));
    stage_run(stage, 2000);
    stage_walk(stage, first, nextafterf(130, 0), 0);
    stage_run(stage, 100);
    ck_assert_uint_eq(car->syncer, slot_of(first));
    stage_walk(stage, first, 130, 0);
    stage_run(stage, 100);
    ck_assert_uint_ne(car->syncer, slot_of(first));
}
END_TEST

START_TEST(nobody_farther_than_130_m_syncs)
{
    struct stage_client *client = stage_spawn(stage, 2, nextafterf(130, 200), 0);

    stage_run(stage, 100);
    ck_assert(stage_sees_vehicle(client, stage_vehicle(stage, CAR)->id));
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
}
END_TEST

START_TEST(a_driver_ends_the_sync_and_a_passenger_takes_it_over)
{
    struct stage_client *driver = stage_spawn(stage, 2, 2, 0);
    struct stage_client *passenger = stage_spawn(stage, 3, 10, 0);
    struct stage_client *near = stage_spawn(stage, 4, 1, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);

    stage_run(stage, 100);
    stage_enter(stage, driver, car->id, 0);
    ck_assert_uint_eq(car->syncer, SLOT_NONE);
    stage_enter(stage, passenger, car->id, 1);
    stage_forget(stage);
    stage_exit(stage, driver, car->id);
    ck_assert_uint_eq(car->syncer, slot_of(passenger));
    ck_assert_uint_eq(take_syncer(passenger, car->id).active, 1);
    stage_exit(stage, passenger, car->id);
    ck_assert_uint_eq(car->syncer, slot_of(passenger)); /* the previous one */
    stage_enter(stage, near, car->id, 0);
    ck_assert_uint_eq(take_syncer(passenger, car->id).active, 0);
}
END_TEST

START_TEST(a_paused_driver_does_not_count_and_takes_over_after_the_pause)
{
    struct scene scene = scene_of(411);

    pause_player(scene.driver, true);
    ck_assert_uint_eq(scene.vehicle->syncer, slot_of(scene.watcher));
    ck_assert_uint_eq(take_syncer(scene.watcher, scene.vehicle->id).active, 1);
    ck_assert_uint_eq(send_frames(scene.watcher, scene.vehicle, 1), 1);
    ck_assert_uint_eq(send_frames(scene.driver, scene.vehicle, 1), 1); /* by the letter */
    pause_player(scene.driver, false);
    ck_assert_uint_eq(scene.vehicle->syncer, SLOT_NONE);
    ck_assert_uint_eq(take_syncer(scene.watcher, scene.vehicle->id).active, 0);
    ck_assert_uint_eq(send_frames(scene.watcher, scene.vehicle, 1), 0);
}
END_TEST

START_TEST(the_paused_and_the_dead_never_sync)
{
    struct stage_client *paused = stage_spawn(stage, 2, 1, 0);
    struct stage_client *dead = stage_spawn(stage, 3, 2, 0);

    stage_run(stage, 100);
    pause_player(paused, true);
    stage_die(stage, dead);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
    ck_assert_uint_eq(send_frames(dead, stage_vehicle(stage, CAR), 1), 0);
    pause_player(paused, false);
    stage_run(stage, 100);
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, slot_of(paused));
}
END_TEST

START_TEST(a_syncer_that_loses_sight_of_the_vehicle_is_told_before_the_hide)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct place away = { .pos = { 3000, 0, 10 } };

    stage_run(stage, 100);
    stage_forget(stage);
    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &away);
    stage_pump(stage);
    ck_assert_uint_eq(take_syncer(client, stage_vehicle(stage, CAR)->id).active, 0);
    ck_assert_uint_lt(stage_order(client, PACKET_VEHICLE_SYNCER), stage_order(client, PACKET_VEHICLE_SYNC));
    ck_assert_uint_eq(stage_vehicle(stage, CAR)->syncer, SLOT_NONE);
}
END_TEST

/* A stricter rule elsewhere left cars without a syncer under the map for ever. */
START_TEST(a_vehicle_that_fell_out_of_everyones_reach_is_put_back)
{
    struct stage_client *client = stage_spawn(stage, 2, 2, 0);
    struct vehicle *car = stage_vehicle(stage, CAR);
    struct wire_vehicle_frame frame;
    struct wire_vehicle_sync show;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_run(stage, 100);
    frame = stage_frame(stage, client, car);
    frame.state.pos[2] = -199;
    frame.state.move_speed[2] = -1;
    stage_send_frame(stage, client, &frame);
    stage_forget(stage);
    stage_run(stage, 200);
    ck_assert_float_eq(car->pos[2], 10);
    ck_assert_float_eq(car->move_speed[2], 0);
    ck_assert_uint_eq(car->pose_rev, 1);
    packet = stage_take(client, PACKET_VEHICLE_SYNC); /* hidden: it was out of range */
    ck_assert_ptr_nonnull(packet);
    packet = stage_take(client, PACKET_VEHICLE_SYNC);
    ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(show.active, 1);
    ck_assert_float_eq(show.z, 10);
    ck_assert_uint_eq(show.pose_rev, 1);
    ck_assert_uint_eq(car->syncer, slot_of(client));
    frame.seq = ++client->vehicle_seq; /* what its copy still sent does not take it back */
    frame_is_refused(client, &frame, REASON_OLD_POSE_REV);
}
END_TEST

Suite *shard_vehicle_suite(void)
{
    Suite *suite = suite_create("shard_vehicle");
    TCase *tcase = tcase_create("vehicles");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_seated_player_must_be_within_60_m_of_its_vehicle);
    tcase_add_test(tcase, values_that_are_the_servers_are_rewritten);
    tcase_add_test(tcase, turrets_and_water_cannons_stay_where_the_model_has_them);
    tcase_add_test(tcase, a_train_keeps_its_rails);
    tcase_add_test(tcase, parts_are_clamped_by_the_model);
    tcase_add_test(tcase, slow_parts_move_at_the_games_rate_with_half_a_second_of_margin);
    tcase_add_test(tcase, a_syncers_frame_carries_the_servers_values_and_lets_a_part_catch_up);
    tcase_add_test(tcase, the_boom_of_a_tow_truck_moves_for_its_syncer);
    tcase_add_test(tcase, the_siren_is_the_pilots_and_switches_4_times_a_second);
    tcase_add_test(tcase, a_model_without_a_siren_stays_silent);
    tcase_add_test(tcase, the_searchlight_stays_with_a_paused_pilot_and_goes_out_with_it);
    tcase_add_test(tcase, only_a_police_maverick_has_a_searchlight);
    tcase_add_test(tcase, the_nearest_player_within_130_m_is_told_to_sync);
    tcase_add_test(tcase, the_previous_syncer_stays_while_it_is_closer_than_130_m);
    tcase_add_test(tcase, nobody_farther_than_130_m_syncs);
    tcase_add_test(tcase, a_driver_ends_the_sync_and_a_passenger_takes_it_over);
    tcase_add_test(tcase, a_paused_driver_does_not_count_and_takes_over_after_the_pause);
    tcase_add_test(tcase, the_paused_and_the_dead_never_sync);
    tcase_add_test(tcase, a_syncer_that_loses_sight_of_the_vehicle_is_told_before_the_hide);
    tcase_add_test(tcase, a_vehicle_that_fell_out_of_everyones_reach_is_put_back);
    suite_add_tcase(suite, tcase);
    return suite;
}
