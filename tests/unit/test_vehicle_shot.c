#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/log.h"
#include "shard/player_place.h"
#include "shard/vehicle_remote.h"
#include "shard/vehicle_shot.h"
#include "tests/unit/suites.h"
#include "tests/unit/vehicle_scene.h"

static struct scene scene;

static void setup(void)
{
    scene = scene_open(425);
}

static void reopen(uint16_t model)
{
    scene_close(&scene);
    scene = scene_open(model);
}

static void teardown(void)
{
    scene_close(&scene);
}

static struct wire_vehicle_shot salvo(uint32_t order, uint8_t count, float length)
{
    struct wire_vehicle_shot shot = { .order = order, .vehicle_id = scene.vehicle->id, .count = count };

    for (uint8_t i = 0; i < count; i++) {
        shot.rays[i].start_x = scene.vehicle->pos[0];
        shot.rays[i].start_y = scene.vehicle->pos[1];
        shot.rays[i].start_z = scene.vehicle->pos[2];
        shot.rays[i].end_x = shot.rays[i].start_x;
        shot.rays[i].end_y = shot.rays[i].start_y + length;
        shot.rays[i].end_z = shot.rays[i].start_z;
    }
    return shot;
}

/* Whether the watcher is relayed it. */
static bool fires(const struct wire_vehicle_shot *shot)
{
    size_t before = stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_SHOT);

    stage_shoot(scene.stage, scene.driver, shot);
    return stage_count(scene.watcher, PACKET_REMOTE_VEHICLE_SHOT) > before;
}

START_TEST(v_shot_1_only_the_live_driver_fires)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    stage_shoot(scene.stage, scene.watcher, &shot);
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_NOT_CONTROLLING), 1);
    ck_assert(fires(&shot));
    shot = salvo(2, 1, 50);
    scene.stage->now_ms += 100;
    stage_die(scene.stage, scene.driver);
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_4_a_wreck_does_not_fire)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    scene.vehicle->wrecked = true;
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_5_a_model_without_a_weapon_does_not_fire)
{
    struct wire_vehicle_shot shot;

    reopen(487);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_WRONG_MODEL), 1);
}
END_TEST

START_TEST(v_shot_6_7_8_9_10_11_12_each_model_has_its_weapon_rays_and_interval)
{
    static const struct vehicle_gun guns[] = {
        { 425, 1, 38, 60, 0 },   { 447, 1, 31, 40, 0 }, { 476, 2, 31, 80, 0 }, { 430, 2, 52, 150, 90 },
        { 432, 1, 51, 800, 90 }, { 464, 1, 31, 40, 0 }, { 564, 1, 38, 60, 0 },
    };
    size_t found = 0;

    for (uint32_t id = MODEL_MIN; id <= MODEL_MAX; id++)
        found += vehicle_gun_of(model_find(id)) != NULL;
    ck_assert_uint_eq(found, sizeof guns / sizeof guns[0]);
    for (size_t i = 0; i < found; i++) {
        const struct vehicle_gun *gun = vehicle_gun_of(model_find(guns[i].model));

        ck_assert_ptr_nonnull(gun);
        ck_assert_uint_eq(gun->rays, guns[i].rays);
        ck_assert_uint_eq(gun->weapon, guns[i].weapon);
        ck_assert_uint_eq(gun->interval_ms, guns[i].interval_ms);
    }
}
END_TEST

START_TEST(v_shot_5_the_count_is_the_weapons)
{
    struct wire_vehicle_shot shot;

    shot = salvo(1, 2, 50);
    ck_assert(!fires(&shot));
    reopen(476);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    shot = salvo(1, 2, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_13_every_ray_starts_within_25_of_the_vehicle)
{
    struct wire_vehicle_shot shot;

    reopen(476);
    shot = salvo(1, 2, 10);
    shot.rays[1].start_x += nextafterf(25, 26);
    ck_assert(!fires(&shot));
    shot.rays[1].start_x = scene.vehicle->pos[0] + 25;
    shot.rays[1].end_x = shot.rays[1].start_x;
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_14_15_a_ray_is_no_longer_than_the_weapon_reaches)
{
    static const uint16_t models[] = { 425, 447, 476, 430, 432 };

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const struct vehicle_gun *gun = vehicle_gun_of(model_find(models[i]));
        struct wire_vehicle_shot shot;

        reopen(models[i]);
        shot = salvo(1, gun->rays, nextafterf(gun->length_m, 1000));
        ck_assert(!fires(&shot));
        shot = salvo(1, gun->rays, gun->length_m);
        ck_assert(fires(&shot));
    }
}
END_TEST

START_TEST(v_shot_16_17_the_order_grows_past_the_last_ray)
{
    struct wire_vehicle_shot shot;

    reopen(476);
    shot = salvo(5, 2, 50);
    ck_assert(fires(&shot));
    scene.stage->now_ms += 100;
    shot = salvo(6, 2, 50);
    ck_assert(!fires(&shot));
    shot = salvo(7, 2, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_16_the_order_does_not_come_round)
{
    struct wire_vehicle_shot shot = salvo(UINT32_MAX, 1, 50);

    ck_assert(fires(&shot));
    scene.stage->now_ms += 100;
    shot = salvo(0, 1, 50);
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_17_a_salvo_whose_last_ray_would_come_round_is_refused)
{
    struct wire_vehicle_shot shot;

    reopen(476);
    shot = salvo(UINT32_MAX, 2, 50);
    ck_assert(!fires(&shot));
    shot = salvo(UINT32_MAX - 1, 2, 50);
    ck_assert(fires(&shot));
    scene.stage->now_ms += 100;
    shot = salvo(5, 2, 50);
    ck_assert(!fires(&shot));
}
END_TEST

START_TEST(v_shot_18_at_least_half_the_interval_lies_between)
{
    struct wire_vehicle_shot shot;

    reopen(432);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
    scene.stage->now_ms += 399;
    shot = salvo(2, 1, 50);
    ck_assert(!fires(&shot));
    scene.stage->now_ms += 1;
    ck_assert(fires(&shot));
}
END_TEST

/* It was counted, and nobody who reads the log was told. */
START_TEST(v_shot_20_a_refused_salvo_is_a_warning_in_the_log)
{
    const struct wire_vehicle_shot shot = salvo(1, 2, 50);
    char text[512] = "";
    int fd = memfd_create("log", MFD_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(log_open(&(struct log_config){ .process = "test", .fd = fd }), 0);
    ck_assert(!fires(&shot));
    log_close();
    ck_assert_int_gt(pread(fd, text, sizeof text - 1, 0), 0);
    ck_assert_ptr_nonnull(strstr(text, " warn test vehicle_shot_refused "));
    ck_assert_ptr_nonnull(strstr(text, "reason=wrong_model"));
    ck_assert_int_eq(close(fd), 0);
}
END_TEST

START_TEST(v_shot_20_21_a_malformed_salvo_is_dropped_and_counted)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    shot.rays[1].end_z = 1;
    ck_assert(!fires(&shot));
    shot = salvo(1, 1, NAN);
    ck_assert(!fires(&shot));
    shot = salvo(1, 1, 50);
    shot.count = 3;
    ck_assert(!fires(&shot));
    ck_assert(stage_reason(scene.stage, REASON_MALFORMED_NOT_FINITE) == 1);
}
END_TEST

START_TEST(v_shot_22_the_rays_are_remembered_with_the_hits_weapon)
{
    const struct player *driver;
    struct wire_vehicle_shot shot;

    reopen(476);
    driver = stage_player(scene.stage, scene.driver);
    shot = salvo(8, 2, 50);
    ck_assert(fires(&shot));
    ck_assert_ptr_nonnull(combat_rays_find(&driver->rays, scene.stage->now_ms, 31, 8));
    ck_assert_ptr_nonnull(combat_rays_find(&driver->rays, scene.stage->now_ms + 500, 31, 9));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms + 501, 31, 9));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms, 38, 9));
}
END_TEST

START_TEST(v_shot_23_the_rays_count_as_shots_passing_by_vehicles)
{
    struct wire_vehicle_shot shot = salvo(1, 1, 50);

    ck_assert(fires(&shot));
    ck_assert_uint_eq(scene.vehicle->shooters[0].ref.id, scene.driver->id);
}
END_TEST

START_TEST(v_shot_24_the_cannons_ray_is_a_cause_along_its_whole_length)
{
    const struct cause_place at_the_end = { .pos = { 0, 90 + 30, 10 }, .vehicle_id = WIRE_NONE };
    const struct cause_place beyond = { .pos = { 0, nextafterf(90 + 30, 200), 10 }, .vehicle_id = WIRE_NONE };
    const struct player *driver;
    struct wire_vehicle_shot shot;

    reopen(432);
    driver = stage_player(scene.stage, scene.driver);
    shot = salvo(1, 1, 90);
    ck_assert(fires(&shot));
    ck_assert_ptr_nonnull(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 1000, EFFECT_EXPLOSION, &at_the_end));
    ck_assert_ptr_null(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 1001, EFFECT_EXPLOSION, &at_the_end));
    ck_assert_ptr_null(combat_causes_find(&driver->causes, scene.stage->now_ms, EFFECT_EXPLOSION, &beyond));
    ck_assert_ptr_nonnull(
        combat_causes_find(&driver->causes, scene.stage->now_ms + 65000, EFFECT_FIRE, &at_the_end));
    ck_assert_ptr_null(combat_rays_find(&driver->rays, scene.stage->now_ms, 51, 1));
}
END_TEST

static struct wire_remote_vehicle_shot take_relayed_by(struct stage_client *client)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_REMOTE_VEHICLE_SHOT);

    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__UNRELIABLE);
    ck_assert(wire_remote_vehicle_shot_decode(&remote, packet->bytes, packet->size, &error));
    return remote;
}

static struct wire_remote_vehicle_shot take_relayed(void)
{
    return take_relayed_by(scene.watcher);
}

START_TEST(v_shot_26_it_is_relayed_to_whom_the_shooter_is_shown)
{
    struct wire_remote_vehicle_shot remote;
    struct stage_client *far = stage_spawn(scene.stage, 9, 3000, 0);
    struct wire_vehicle_shot shot = salvo(12, 1, 50);

    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.id, scene.driver->id);
    ck_assert_uint_eq(remote.player_token, scene.driver->token);
    ck_assert_uint_eq(remote.vehicle_id, scene.vehicle->id);
    ck_assert_uint_eq(stage_count(far, PACKET_REMOTE_VEHICLE_SHOT), 0);
    ck_assert_uint_eq(stage_count(scene.driver, PACKET_REMOTE_VEHICLE_SHOT), 0);
}
END_TEST

START_TEST(v_rshot_1_order_count_rays_and_props_rev_are_relayed_as_they_came)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_vehicle_shot shot;

    reopen(476); /* of two rays */
    shot = salvo(12, 2, 50);
    shot.rays[1].start_x += 1;
    shot.rays[1].end_z += 2;
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.order, 12);
    ck_assert_uint_eq(remote.count, 2);
    ck_assert_mem_eq(&remote.rays, &shot.rays, sizeof shot.rays);
    ck_assert_uint_eq(remote.props_rev, shot.props_rev);
}
END_TEST

/* The client's frames come 100 ms apart; its round trip is 0. */
static void walk_watcher(float x, float y)
{
    struct place place = stage_player(scene.stage, scene.watcher)->place;

    place.pos[0] = x - 1;
    place.pos[1] = y;
    ck_assert_int_eq(
        player_teleport(scene.shard, stage_player(scene.stage, scene.watcher), scene.stage->now_ms, &place),
        REASON_NONE);
    stage_pump(scene.stage);
    scene.stage->now_ms += 100;
    stage_walk(scene.stage, scene.watcher, x, y);
    stage_forget(scene.stage);
}

START_TEST(v_rshot_2_each_recipient_has_its_own_rewind)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_vehicle_shot shot = salvo(1, 1, 50);
    struct stage_client *aside = stage_spawn(scene.stage, 9, 30, 0);

    walk_watcher(1, 40);
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.rewind.rewound, 1);
    ck_assert_float_eq(remote.rewind.x, 1);
    ck_assert_float_eq(remote.rewind.y, 40);
    ck_assert_uint_eq(remote.rewind.vehicle_id, 0);
    remote = take_relayed_by(aside);
    ck_assert_uint_eq(remote.rewind.rewound, 0);
}
END_TEST

START_TEST(v_rshot_3_the_cannon_is_never_rewound)
{
    struct wire_remote_vehicle_shot remote;
    struct wire_vehicle_shot shot;

    reopen(432);
    walk_watcher(1, 40); /* right where it hits */
    shot = salvo(1, 1, 90);
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.rewind.rewound, 0);
    ck_assert_uint_eq(remote.rewind.vehicle_id, 0);
    ck_assert_float_eq(remote.rewind.x, 0);
}
END_TEST

static void take_rc(uint16_t model, bool detonation)
{
    reopen(model);
    ck_assert_int_eq(
        vehicle_set_remote(scene.shard, stage_player(scene.stage, scene.driver), scene.vehicle, detonation),
        REASON_NONE);
    stage_run(scene.stage, 100);
}

START_TEST(v_shot_2_an_rc_is_fired_by_who_drives_it)
{
    struct wire_vehicle_shot shot;

    reopen(464);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    take_rc(464, false);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_3_an_rc_tiger_with_detonation_on_does_not_fire)
{
    struct wire_vehicle_shot shot;

    take_rc(564, true);
    shot = salvo(1, 1, 50);
    ck_assert(!fires(&shot));
    take_rc(464, true);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
    take_rc(564, false);
    shot = salvo(1, 1, 50);
    ck_assert(fires(&shot));
}
END_TEST

/* ---- weapon properties */

enum { RANGE = 1, STD = 1 };

static void set_range(uint32_t weapon, double range)
{
    ck_assert_int_eq(settings_set_weapon_property(scene.shard, "freeroam", weapon, STD, RANGE, &range),
                     REASON_NONE);
    stage_pump(scene.stage);
}

/* The next salvo of one ray, fired with the properties of the revision. */
static bool fires_with(uint16_t props_rev, float length)
{
    struct wire_vehicle_shot shot = salvo(stage_player(scene.stage, scene.driver)->shot_order + 1, 1, length);

    shot.props_rev = props_rev;
    scene.stage->now_ms += 100;
    return fires(&shot);
}

START_TEST(v_shot_19_the_revision_is_the_present_one_or_was_replaced_at_most_5_s_ago)
{
    ck_assert(fires_with(0, 50));
    set_range(38, 150);
    scene.stage->now_ms += WEAPON_TABLE_AGE_MS - 100;
    ck_assert(fires_with(0, 50));
    scene.stage->now_ms -= 99;
    ck_assert(!fires_with(0, 50));
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_OLD_PROPS_REV), 1);
    ck_assert(!fires_with(2, 50));
    ck_assert(!fires_with(UINT16_MAX, 50));
    ck_assert(fires_with(1, 50));
}
END_TEST

START_TEST(v_shot_19_the_revision_is_not_older_than_that_of_the_last_accepted_salvo)
{
    set_range(38, 150);
    set_range(38, 120);
    ck_assert(fires_with(0, 50));
    ck_assert(fires_with(1, 50));
    ck_assert(!fires_with(0, 50));
    ck_assert(fires_with(2, 50));
    ck_assert(!fires_with(1, 50));
    ck_assert(fires_with(2, 50));
}
END_TEST

START_TEST(v_shot_19_the_revision_comes_round)
{
    scene.shard->settings.now.weapon_revision = UINT16_MAX;
    ck_assert(!fires_with(0, 50));
    ck_assert(fires_with(UINT16_MAX, 50));
    set_range(38, 150);
    ck_assert(fires_with(UINT16_MAX, 50));
    ck_assert(fires_with(0, 50));
    ck_assert(!fires_with(UINT16_MAX, 50));
    set_range(38, 120);
    ck_assert(fires_with(0, 50));
    ck_assert(fires_with(1, 50));
}
END_TEST

START_TEST(v_shot_19_a_revision_that_is_not_in_force_any_more_holds_nobody)
{
    stage_player(scene.stage, scene.driver)->has_props_rev = true; /* 65536 revisions ago */
    scene.shard->settings.now.weapon_revision = UINT16_MAX;
    set_range(38, 150);
    ck_assert(fires_with(UINT16_MAX, 50));
}
END_TEST

START_TEST(v_shot_19_the_cannons_revision_is_not_checked)
{
    reopen(432);
    scene.stage->now_ms += 800;
    ck_assert(fires_with(4711, 50));
    ck_assert_uint_eq(stage_reason(scene.stage, REASON_OLD_PROPS_REV), 0);
    ck_assert(!stage_player(scene.stage, scene.driver)->has_props_rev);
}
END_TEST

START_TEST(v_shot_14_the_length_is_scaled_by_the_range_of_the_salvos_revision)
{
    const float game = vehicle_gun_of(model_find(425))->length_m;

    set_range(38, 150);
    ck_assert(!fires_with(0, nextafterf(game, 1000)));
    ck_assert(fires_with(0, game));
    ck_assert(!fires_with(1, nextafterf(2 * game, 1000)));
    ck_assert(fires_with(1, 2 * game));
    set_range(38, 37.5);
    ck_assert(fires_with(1, 2 * game));
    ck_assert(!fires_with(2, nextafterf(game / 2, 1000)));
    ck_assert(fires_with(2, game / 2));
}
END_TEST

START_TEST(v_shot_14_the_range_of_another_weapon_changes_nothing)
{
    const float game = vehicle_gun_of(model_find(425))->length_m;

    set_range(31, 10);
    ck_assert(fires_with(1, game));
    ck_assert(!fires_with(1, nextafterf(game, 1000)));
}
END_TEST

START_TEST(v_shot_15_the_predator_has_no_range_of_the_gamemodes)
{
    struct wire_vehicle_shot shot;

    reopen(430);
    set_range(31, 300);
    set_range(38, 300);
    shot = salvo(1, 2, nextafterf(90, 100));
    shot.props_rev = 2;
    ck_assert(!fires(&shot));
    shot = salvo(1, 2, 90);
    shot.props_rev = 2;
    ck_assert(fires(&shot));
}
END_TEST

START_TEST(v_shot_25_weapons_that_are_not_allowed_do_not_concern_vehicles)
{
    for (uint32_t weapon = 1; weapon <= GAME_WEAPON_MAX; weapon++) {
        (void)settings_set_weapon_allowed(scene.shard, "freeroam", weapon, false);
        stage_pump(scene.stage);
    }
    ck_assert(!settings_weapon_is_allowed(scene.shard, 38));
    ck_assert(fires_with(0, 50));
}
END_TEST

START_TEST(v_shot_20_a_refusal_is_a_line_of_the_log)
{
    char line[LOG_LINE_MAX] = { 0 };
    FILE *file = tmpfile();
    struct log_config config = { .process = "shard-1" };

    ck_assert_ptr_nonnull(file);
    config.fd = fileno(file);
    ck_assert_int_eq(log_open(&config), 0);
    (void)fires_with(4711, 50);
    log_close();
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_ptr_nonnull(strstr(line, "warn shard-1 vehicle_shot_refused player=2"));
    ck_assert_ptr_nonnull(strstr(line, "reason=old_props_rev"));
    ck_assert_int_eq(fclose(file), 0);
}
END_TEST

/* ---- teammates */

START_TEST(v_rshot_4_each_recipient_has_its_own_relation_to_the_shooter)
{
    struct stage_client *other = stage_spawn(scene.stage, 5, 4, 0);
    struct wire_vehicle_shot shot = salvo(1, 1, 50);
    struct wire_remote_vehicle_shot remote;
    struct wire_error error;
    const struct stage_packet *packet;
    uint16_t team;

    ck_assert_int_eq(team_create(scene.shard, "freeroam", "Police", &team), REASON_NONE);
    stage_pump(scene.stage);
    ck_assert_int_eq(team_set_friendly_fire(scene.shard, team, false), REASON_NONE);
    stage_pump(scene.stage);
    ck_assert_int_eq(player_set_team(scene.shard, stage_player(scene.stage, scene.driver), team),
                     REASON_NONE);
    ck_assert_int_eq(player_set_team(scene.shard, stage_player(scene.stage, other), team), REASON_NONE);
    ck_assert(fires(&shot));
    remote = take_relayed();
    ck_assert_uint_eq(remote.teammate, 0);
    ck_assert_uint_ne(remote.relation_rev, 0);
    ck_assert_uint_eq(remote.relation_rev, scene.shard->teams.relation_revision);
    packet = stage_take(other, PACKET_REMOTE_VEHICLE_SHOT);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_shot_decode(&remote, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(remote.teammate, 1);
    ck_assert_uint_eq(remote.relation_rev, scene.shard->teams.relation_revision);
}
END_TEST

Suite *vehicle_shot_suite(void)
{
    Suite *suite = suite_create("vehicle_shot");
    TCase *tcase = tcase_create("shot");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, v_shot_1_only_the_live_driver_fires);
    tcase_add_test(tcase, v_shot_4_a_wreck_does_not_fire);
    tcase_add_test(tcase, v_shot_5_a_model_without_a_weapon_does_not_fire);
    tcase_add_test(tcase, v_shot_6_7_8_9_10_11_12_each_model_has_its_weapon_rays_and_interval);
    tcase_add_test(tcase, v_shot_5_the_count_is_the_weapons);
    tcase_add_test(tcase, v_shot_13_every_ray_starts_within_25_of_the_vehicle);
    tcase_add_test(tcase, v_shot_14_15_a_ray_is_no_longer_than_the_weapon_reaches);
    tcase_add_test(tcase, v_shot_16_17_the_order_grows_past_the_last_ray);
    tcase_add_test(tcase, v_shot_16_the_order_does_not_come_round);
    tcase_add_test(tcase, v_shot_17_a_salvo_whose_last_ray_would_come_round_is_refused);
    tcase_add_test(tcase, v_shot_18_at_least_half_the_interval_lies_between);
    tcase_add_test(tcase, v_shot_20_a_refused_salvo_is_a_warning_in_the_log);
    tcase_add_test(tcase, v_shot_20_21_a_malformed_salvo_is_dropped_and_counted);
    tcase_add_test(tcase, v_shot_22_the_rays_are_remembered_with_the_hits_weapon);
    tcase_add_test(tcase, v_shot_23_the_rays_count_as_shots_passing_by_vehicles);
    tcase_add_test(tcase, v_shot_24_the_cannons_ray_is_a_cause_along_its_whole_length);
    tcase_add_test(tcase, v_shot_26_it_is_relayed_to_whom_the_shooter_is_shown);
    tcase_add_test(tcase, v_rshot_1_order_count_rays_and_props_rev_are_relayed_as_they_came);
    tcase_add_test(tcase, v_rshot_2_each_recipient_has_its_own_rewind);
    tcase_add_test(tcase, v_rshot_3_the_cannon_is_never_rewound);
    tcase_add_test(tcase, v_shot_2_an_rc_is_fired_by_who_drives_it);
    tcase_add_test(tcase, v_shot_3_an_rc_tiger_with_detonation_on_does_not_fire);
    tcase_add_test(tcase, v_shot_19_the_revision_is_the_present_one_or_was_replaced_at_most_5_s_ago);
    tcase_add_test(tcase, v_shot_19_the_revision_is_not_older_than_that_of_the_last_accepted_salvo);
    tcase_add_test(tcase, v_shot_19_the_revision_comes_round);
    tcase_add_test(tcase, v_shot_19_a_revision_that_is_not_in_force_any_more_holds_nobody);
    tcase_add_test(tcase, v_shot_19_the_cannons_revision_is_not_checked);
    tcase_add_test(tcase, v_shot_14_the_length_is_scaled_by_the_range_of_the_salvos_revision);
    tcase_add_test(tcase, v_shot_14_the_range_of_another_weapon_changes_nothing);
    tcase_add_test(tcase, v_shot_15_the_predator_has_no_range_of_the_gamemodes);
    tcase_add_test(tcase, v_shot_25_weapons_that_are_not_allowed_do_not_concern_vehicles);
    tcase_add_test(tcase, v_shot_20_a_refusal_is_a_line_of_the_log);
    tcase_add_test(tcase, v_rshot_4_each_recipient_has_its_own_relation_to_the_shooter);
    suite_add_tcase(suite, tcase);
    return suite;
}
