#include "shard/team.h"

#include <string.h>

#include "shard/lanes.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static const char resource[] = "freeroam";

static void setup(void)
{
    static struct shard_vehicle car;

    car = stage_car(411, 2, 0);
    stage = stage_new(&car, 1);
}

static void teardown(void)
{
    stage_free(stage);
}

static uint16_t make(const char *name)
{
    uint16_t team;

    ck_assert_int_eq(team_create(stage->shard, resource, name, &team), REASON_NONE);
    stage_pump(stage);
    return team;
}

static void set_fire(uint16_t team, bool on)
{
    ck_assert_int_eq(team_set_friendly_fire(stage->shard, team, on), REASON_NONE);
    stage_pump(stage);
}

static uint32_t revision(void)
{
    return stage->shard->teams.relation_revision;
}

static void put_in(struct stage_client *client, uint16_t team)
{
    ck_assert_int_eq(player_set_team(stage->shard, stage_player(stage, client), team), REASON_NONE);
}

static struct wire_remote_player_sync last_frame(struct stage_client *client)
{
    const struct stage_packet *packet = NULL;
    struct wire_remote_player_sync frame;
    struct wire_error error;

    for (const struct stage_packet *next; (next = stage_take(client, PACKET_REMOTE_PLAYER_SYNC)) != NULL;)
        packet = next;
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_player_sync_decode(&frame, packet->bytes, packet->size, &error));
    return frame;
}

START_TEST(a_team_is_there_at_once_and_has_its_id_when_the_coordinator_gave_it)
{
    uint16_t team;

    stage->grants = false;
    team = make("Police");
    ck_assert_uint_ne(team, TEAM_NONE);
    ck_assert_uint_eq(team_get(stage->shard, team)->id, 0);
    stage->grants = true;
    ck_assert_uint_eq(make("Police"), team);
    ck_assert_uint_ne(make("Thieves"), team);
    ck_assert_uint_ne(team_get(stage->shard, team)->id + team_get(stage->shard, (uint16_t)(team + 1))->id, 0);
}
END_TEST

START_TEST(a_team_of_another_resource_is_another_team)
{
    uint16_t other;
    uint16_t team = make("Police");

    ck_assert_int_eq(team_create(stage->shard, "race", "Police", &other), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_ne(team, other);
}
END_TEST

START_TEST(a_team_needs_a_name)
{
    char name[GAME_TEAM_NAME_MAX + 2];
    uint16_t team;

    ck_assert_int_eq(team_create(stage->shard, resource, "", &team), REASON_BAD_NAME);
    ck_assert_int_eq(team_create(stage->shard, resource, "a\nb", &team), REASON_BAD_NAME);
    memset(name, 'a', sizeof name);
    name[GAME_TEAM_NAME_MAX + 1] = '\0';
    ck_assert_int_eq(team_create(stage->shard, resource, name, &team), REASON_BAD_NAME);
    name[GAME_TEAM_NAME_MAX] = '\0';
    ck_assert_int_eq(team_create(stage->shard, resource, name, &team), REASON_NONE);
    stage_pump(stage);
}
END_TEST

START_TEST(the_table_of_teams_has_an_end)
{
    uint16_t team;
    char name[16];

    for (int i = 0; i < GAME_TEAMS_MAX; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        (void)make(name);
    }
    ck_assert_int_eq(team_create(stage->shard, resource, "more", &team), REASON_TABLE_FULL);
    ck_assert_int_eq(team_create(stage->shard, resource, "0", &team), REASON_NONE);
}
END_TEST

START_TEST(only_a_team_whose_friendly_fire_is_off_makes_teammates)
{
    struct stage_client *one = stage_spawn(stage, 1, 0, 0);
    struct stage_client *two = stage_spawn(stage, 2, 3, 0);
    uint16_t team = make("Police");

    put_in(one, team);
    put_in(two, team);
    ck_assert(!team_are_mates(stage->shard, stage_player(stage, one), stage_player(stage, two)));
    ck_assert_uint_eq(revision(), 0);
    set_fire(team, false);
    ck_assert(team_are_mates(stage->shard, stage_player(stage, one), stage_player(stage, two)));
    ck_assert(!team_are_mates(stage->shard, stage_player(stage, one), stage_player(stage, one)));
    ck_assert_uint_eq(revision(), 1);
    set_fire(team, true);
    ck_assert(!team_are_mates(stage->shard, stage_player(stage, one), stage_player(stage, two)));
    ck_assert_uint_eq(revision(), 2);
}
END_TEST

START_TEST(a_change_of_a_group_is_one_more_revision_and_nothing_is_sent)
{
    struct stage_client *one = stage_spawn(stage, 1, 0, 0);
    uint16_t on = make("On");
    uint16_t off = make("Off");
    uint32_t before;

    set_fire(off, false);
    stage_forget(stage);
    before = revision();
    put_in(one, on); /* no group before, none now */
    ck_assert_uint_eq(revision(), before);
    put_in(one, off);
    ck_assert_uint_eq(revision(), before + 1);
    put_in(one, off);
    ck_assert_uint_eq(revision(), before + 1);
    put_in(one, TEAM_NONE);
    ck_assert_uint_eq(revision(), before + 2);
    ck_assert_int_eq(player_set_team(stage->shard, stage_player(stage, one), 99), REASON_NO_TEAM);
    ck_assert_int_eq(team_set_friendly_fire(stage->shard, 99, true), REASON_NO_TEAM);
    stage_pump(stage);
    ck_assert_uint_eq(one->log_count, 0);
}
END_TEST

START_TEST(a_frame_tells_each_recipient_whether_the_sender_is_its_teammate)
{
    struct stage_client *sender = stage_spawn(stage, 1, 0, 0);
    struct stage_client *mate = stage_spawn(stage, 2, 3, 0);
    struct stage_client *mate_elsewhere = stage_spawn(stage, 3, 4, 0); /* of the other gateway */
    struct stage_client *foe = stage_spawn(stage, 4, 5, 0);
    uint16_t team = make("Police");

    set_fire(team, false);
    put_in(sender, team);
    put_in(mate, team);
    put_in(mate_elsewhere, team);
    stage_run(stage, 300);
    stage_walk(stage, sender, 1, 0);
    ck_assert_uint_eq(last_frame(mate).teammate, 1);
    ck_assert_uint_eq(last_frame(mate_elsewhere).teammate, 1);
    ck_assert_uint_eq(last_frame(foe).teammate, 0);
    put_in(mate, TEAM_NONE);
    stage_walk(stage, sender, 1, 1);
    ck_assert_uint_eq(last_frame(mate).teammate, 0);
    stage_walk(stage, sender, 1, 2);
    ck_assert_uint_eq(last_frame(mate_elsewhere).relation_rev, revision());
}
END_TEST

START_TEST(the_first_frame_of_a_show_has_the_relation_of_now)
{
    struct stage_client *sender = stage_spawn(stage, 1, 0, 0);
    struct stage_client *mate = stage_spawn(stage, 2, 1000, 0);
    uint16_t team = make("Police");

    set_fire(team, false);
    put_in(sender, team);
    put_in(mate, team);
    stage_forget(stage);
    struct place place = stage_player(stage, sender)->place;

    stage_player(stage, mate)->place.pos[0] = place.pos[0] + 10;
    stage_walk(stage, mate, 10, 0);
    stage_run(stage, 300);
    ck_assert(stage_sees_player(mate, sender));
    struct wire_remote_player_sync frame = last_frame(mate);

    ck_assert_uint_eq(frame.teammate, 1);
    ck_assert_uint_eq(frame.relation_rev, revision());
}
END_TEST

START_TEST(a_vehicles_frame_tells_of_its_driver)
{
    struct stage_client *driver = stage_spawn(stage, 1, 0, 0);
    struct stage_client *mate = stage_spawn(stage, 2, 3, 0);
    uint16_t team = make("Police");
    const struct vehicle *car;
    const struct stage_packet *packet;
    struct wire_vehicle_frame frame;
    struct wire_remote_vehicle_frame relayed;
    struct wire_error error;

    set_fire(team, false);
    put_in(driver, team);
    put_in(mate, team);
    stage_run(stage, 300);
    car = stage_vehicle(stage, 0);
    stage_enter(stage, driver, car->id, 0);
    frame = stage_frame(stage, driver, car);
    stage_send_frame(stage, driver, &frame);
    packet = stage_take(mate, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&relayed, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(relayed.teammate, 1);
    ck_assert_uint_eq(relayed.relation_rev, revision());
}
END_TEST

/* What is no action of a player is nobody's friendly fire. */
START_TEST(a_packet_without_a_sender_names_no_teammates)
{
    struct stage_client *sender = stage_spawn(stage, 1, 0, 0);
    struct stage_client *mate = stage_spawn(stage, 2, 3, 0);
    uint16_t team = make("Police");
    struct player *player = stage_player(stage, sender);

    set_fire(team, false);
    put_in(sender, team);
    put_in(mate, team);
    stage_run(stage, 300);
    stage_forget(stage);
    send_group_unreliable(stage->shard, &player->observers, NULL, player->relay, sizeof player->relay);
    stage_pump(stage);
    ck_assert_uint_eq(last_frame(mate).teammate, 0);
}
END_TEST

START_TEST(no_older_relation_revision_holds_across_the_wrap)
{
    stage->shard->teams.relation_revision = UINT32_MAX;
    team_see_revision(stage->shard, UINT32_MAX - 5);
    ck_assert_uint_eq(revision(), UINT32_MAX);
    team_see_revision(stage->shard, 2);
    ck_assert_uint_eq(revision(), 2);
    stage->shard->teams.relation_revision = UINT32_MAX;

    uint16_t team = make("Police");

    set_fire(team, false);
    ck_assert_uint_eq(revision(), 0);
}
END_TEST

START_TEST(the_teams_of_a_stopped_resource_are_empty)
{
    struct stage_client *one = stage_spawn(stage, 1, 0, 0);
    uint16_t team = make("Police");

    put_in(one, team);
    team_empty_all_of(stage->shard, "race");
    ck_assert_uint_eq(stage_player(stage, one)->team, team);
    team_empty_all_of(stage->shard, resource);
    ck_assert_uint_eq(stage_player(stage, one)->team, TEAM_NONE);
}
END_TEST

/* Redis was lost, and the coordinator with it. */
START_TEST(teams_that_the_coordinator_has_lost_are_made_again)
{
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;
    uint16_t team = make("Police");

    set_fire(team, false);
    stage_coordinator_down(stage);
    stage_coordinator_up(stage);
    update.whole = true;
    stage_game_update(stage, &update);
    ck_assert(!team_get(stage->shard, team)->friendly_fire_off);
    ck_assert_uint_eq(revision(), 2);
    ck_assert_str_eq(stage_asked(stage, BUS__ITEM__ITEM_GAME_ASK)->game_ask->team->name, "Police");
    ck_assert(stage_asked(stage, BUS__ITEM__ITEM_GAME_ASK)->game_ask->makes);
    ck_assert_uint_ne(team_get(stage->shard, team)->id, 0);
}
END_TEST

Suite *shard_team_suite(void)
{
    Suite *suite = suite_create("shard_team");
    TCase *tcase = tcase_create("team");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_team_is_there_at_once_and_has_its_id_when_the_coordinator_gave_it);
    tcase_add_test(tcase, a_team_of_another_resource_is_another_team);
    tcase_add_test(tcase, a_team_needs_a_name);
    tcase_add_test(tcase, the_table_of_teams_has_an_end);
    tcase_add_test(tcase, only_a_team_whose_friendly_fire_is_off_makes_teammates);
    tcase_add_test(tcase, a_change_of_a_group_is_one_more_revision_and_nothing_is_sent);
    tcase_add_test(tcase, a_frame_tells_each_recipient_whether_the_sender_is_its_teammate);
    tcase_add_test(tcase, the_first_frame_of_a_show_has_the_relation_of_now);
    tcase_add_test(tcase, a_vehicles_frame_tells_of_its_driver);
    tcase_add_test(tcase, a_packet_without_a_sender_names_no_teammates);
    tcase_add_test(tcase, no_older_relation_revision_holds_across_the_wrap);
    tcase_add_test(tcase, the_teams_of_a_stopped_resource_are_empty);
    tcase_add_test(tcase, teams_that_the_coordinator_has_lost_are_made_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
