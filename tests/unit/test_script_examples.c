#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/script_lab.h"
#include "tests/unit/suites.h"

/* The resources of deploy/resources/, as they are. */

static struct script_lab *lab;
static struct stage *stage;

static void setup(void)
{
    lab = lab_new();
    stage = lab->stage;
}

static void teardown(void)
{
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
    lab_free(lab);
}

static void start(const char *name)
{
    char here[PATH_MAX];
    char from[PATH_MAX + 64];
    char to[PATH_MAX];
    char error[SCRIPT_ERROR_SIZE] = "";

    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    (void)snprintf(from, sizeof from, "%s/deploy/resources/%s", here, name);
    (void)snprintf(to, sizeof to, "%s/%s", lab->folder, name);
    ck_assert_int_eq(symlink(from, to), 0);
    ck_assert_msg(script_start(lab->script, name, error) == 0, "%s", error);
}

/* The player's command, and the first line it is answered with. */
static void command(struct stage_client *client, const char *line, const char *answer)
{
    struct wire_server_message message;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_forget(stage);
    lab_run(lab, 1000); /* the limit of commands */
    stage_command(stage, client, line);
    packet = stage_take(client, PACKET_SERVER_MESSAGE);
    ck_assert_msg(packet != NULL, "/%s: no answer", line);
    ck_assert(wire_server_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_msg(memmem(message.text.data, message.text.size, answer, strlen(answer)) != NULL, "/%s: %.*s",
                  line, (int)message.text.size, (const char *)message.text.data);
}

static void start_scope(void)
{
    (void)EVENT_RAISE(stage->shard, EVENT_SCOPE_START, event_integer(0), event_integer(0));
}

static uint32_t vehicles(void)
{
    return stage->shard->world.vehicles.count;
}

START_TEST(freeroam_fills_the_scopes_that_start)
{
    start("freeroam");
    start_scope();
    ck_assert_uint_eq(vehicles(), 15);
}
END_TEST

START_TEST(freeroam_gives_three_vehicles_and_takes_them_back_when_their_player_leaves)
{
    struct stage_client *client;
    uint32_t before;

    start("freeroam");
    client = stage_spawn(stage, 2, 0, 0);
    before = vehicles();
    command(client, "v 411", "There it is.");
    command(client, "v 522", "There it is.");
    command(client, "v", "There it is.");
    command(client, "v 400", "There it is.");
    ck_assert_uint_eq(vehicles(), before + 3);
    command(client, "v 12", "model must be from 400 to 611");
    command(client, "v 570", "no vehicle can be made of the model");
    stage_gone(stage, client);
    ck_assert_uint_eq(vehicles(), before);
}
END_TEST

START_TEST(freeroam_changes_skin_and_place)
{
    struct stage_client *client;
    const struct player *player;

    start("freeroam");
    client = stage_spawn(stage, 2, 0, 0);
    (void)stage_spawn(stage, 3, 100, 100);
    player = stage_player(stage, client);
    command(client, "skin 107", "That suits you.");
    ck_assert_uint_eq(player->set.skin, 107);
    command(client, "skin 312", "skin must be from 0 to 311");
    command(client, "tp 2495.5 -1687 13", "Here you are.");
    ck_assert_float_eq(player->place.pos[0], 2495.5f);
    command(client, "tp 3", "Here you are.");
    ck_assert_float_eq(player->place.pos[0], 100);
    command(client, "tp", "Usage");
    command(client, "tp 7000 0 0", "x must be from -6000 to 6000 m");
    command(client, "help", "/help  /");
    command(client, "nothing", "Unknown command.");
}
END_TEST

START_TEST(admin_answers_only_admins)
{
    struct stage_client *client;

    start("admin");
    client = stage_spawn(stage, 2, 0, 0);
    (void)stage_spawn(stage, 3, 100, 100);
    command(client, "kick 3 why", "Unknown command.");
    ck_assert(!stage->clients[3].kicked);
}
END_TEST

START_TEST(admin_sends_away_bans_mutes_and_watches)
{
    struct stage_client *admin;
    struct stage_client *other;

    start("admin");
    admin = stage_spawn(stage, 2, 0, 0);
    other = stage_spawn(stage, 3, 100, 100);
    memcpy(stage_player(stage, admin)->ip, (const uint8_t[16]){ [10] = 0xFF, 0xFF, 127, 0, 0, 1 }, 16);
    command(admin, "mute 3", "is muted.");
    command(admin, "unmute 3", "may speak again.");
    command(admin, "spec 3", "Watching");
    lab_run(lab, 1000);
    ck_assert_uint_gt(stage_count(admin, PACKET_SET_CAMERA), 0);
    ck_assert(stage_player(stage, admin)->frozen);
    lab_run(lab, 1000);
    stage_command(stage, admin, "spec");
    ck_assert(!stage_player(stage, admin)->frozen);
    command(admin, "kick 9", "Usage");
    command(admin, "ban 3 60 bye", "is banned for 60 s."); /* the coordinator's to carry out */
    command(admin, "kick 3 bye", "has been sent away.");
    ck_assert(other->kicked);
}
END_TEST

/* Sits at the finish, as a client that has driven there says. */
static void arrive(struct stage_client *client)
{
    struct vehicle *vehicle = world_vehicle_at(&stage->shard->world, stage_player(stage, client)->vehicle);
    const float finish[3] = { 836, -1830, 12.5f };
    struct wire_player_sync sync = stage_sync(client);

    memcpy(vehicle->pos, finish, sizeof finish);
    memcpy(sync.frame.pos, finish, sizeof finish);
    sync.frame.vehicle_id = vehicle->id;
    stage_send_sync(stage, client, &sync);
}

START_TEST(race_starts_ends_and_gives_back_what_it_took)
{
    struct stage_client *first;
    struct stage_client *second;

    start("race");
    first = stage_spawn(stage, 2, 0, 0);
    second = stage_spawn(stage, 3, 10, 0);
    command(first, "race", "races for Red.");
    command(second, "race", "races for Blue.");
    command(second, "race", "You are in it already.");
    ck_assert_uint_eq(vehicles(), 2);
    ck_assert(stage_player(stage, first)->frozen);
    lab_run(lab, 12000);
    ck_assert(!stage_player(stage, first)->frozen);
    arrive(first);
    lab_run(lab, 200);
    ck_assert_uint_eq(stage_player(stage, first)->team, 0);
    ck_assert_uint_eq(vehicles(), 1);
    command(second, "leave", "You are out.");
    lab_run(lab, 200);
    ck_assert_uint_eq(vehicles(), 0);
    command(first, "race", "races for Red.");
    stage_gone(stage, first);
    ck_assert_uint_eq(vehicles(), 0);
}
END_TEST

Suite *script_examples_suite(void)
{
    Suite *suite = suite_create("script_examples");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, freeroam_fills_the_scopes_that_start);
    tcase_add_test(tcase, freeroam_gives_three_vehicles_and_takes_them_back_when_their_player_leaves);
    tcase_add_test(tcase, freeroam_changes_skin_and_place);
    tcase_add_test(tcase, admin_answers_only_admins);
    tcase_add_test(tcase, admin_sends_away_bans_mutes_and_watches);
    tcase_add_test(tcase, race_starts_ends_and_gives_back_what_it_took);
    suite_add_tcase(suite, tcase);
    return suite;
}
