/* The examples of deploy/resources through clients of the game, and what a gamemode that hangs costs them. */
#include <stdarg.h>
#include <stdio.h>

#include "tests/cluster/scene.h"
#include "tests/cluster/suites.h"

enum { CAR = 411 };

static void type(struct resident *who, const char *line)
{
    ck_assert(client_command(&who->client, clock_ms(), line));
}

static __attribute__((format(printf, 3, 4))) const char *write_line(char *line, size_t size,
                                                                    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(line, size, format, arguments);
    va_end(arguments);
    return line;
}

/* Writes into an array. */
#define LINE(line, ...) write_line(line, sizeof(line), __VA_ARGS__)

static bool stands_at(const struct resident *who, float x, float y)
{
    return who->client.frame.pos[0] == x && who->client.frame.pos[1] == y;
}

/* ---- freeroam */

START_TEST(freeroam_makes_a_vehicle_that_everyone_sees_and_that_goes_with_its_maker)
{
    uint32_t car;

    (void)town_read(anna, "Welcome, ");
    type(anna, "v 451");
    (void)town_read(anna, "There it is.");
    car = town_vehicle_at(boris, 0, 5);
    ck_assert_uint_eq(town_vehicle(boris, car)->model, 451);
    TOWN_UNTIL(town_vehicle(anna, car) != NULL);
    scene_enter(anna, car, 0);
    TOWN_UNTIL(town_sees_seated(boris, car, 0, anna));
    type(anna, "color 3 1");
    ck_assert_uint_eq(town_take(boris, PACKET_VEHICLE_COLORS)->vehicle_colors.color1, 3);
    (void)town_read(anna, "Painted.");
    type(anna, "repair");
    ck_assert_float_eq(town_take(boris, PACKET_VEHICLE_HEALTH)->vehicle_health.health, 1000);
    (void)town_read(anna, "As new.");
    town_leave(anna);
    TOWN_UNTIL(town_vehicle(boris, car) == NULL);
}
END_TEST

START_TEST(freeroam_takes_a_player_to_a_place_and_to_another_player)
{
    char line[32];

    type(anna, "tp 600 -700 13");
    (void)town_read(anna, "Here you are.");
    TOWN_UNTIL(stands_at(anna, 600, -700));
    TOWN_UNTIL(!client_sees(&boris->client, anna->client.player_id, anna->client.player_token));
    type(boris, LINE(line, "tp %u", anna->client.player_id));
    TOWN_UNTIL(stands_at(boris, 600, -698)); /* in front of her */
    TOWN_UNTIL(client_sees(&boris->client, anna->client.player_id, anna->client.player_token));
    type(anna, "tp nowhere");
    (void)town_read(anna, "Usage: /tp");
}
END_TEST

START_TEST(freeroam_changes_a_character_for_everyone)
{
    struct wire_set_skin skin;

    type(anna, "skin 107");
    (void)town_read(anna, "That suits you.");
    skin = town_take(boris, PACKET_SET_SKIN)->set_skin;
    ck_assert_uint_eq(skin.player_token, anna->client.player_token);
    ck_assert_uint_eq(skin.skin, 107);
}
END_TEST

/* ---- race */

/* A car that has burnt for four seconds explodes, and takes nobody any more. */
static void burn_down(uint32_t car, struct resident *driver, struct resident *other)
{
    struct wire_vehicle_explode report = { .vehicle_id = car };
    uint64_t since_ms;

    scene_enter(driver, car, 0);
    TOWN_UNTIL(town_sees_seated(driver, car, 0, driver) && town_sees_seated(other, car, 0, driver));
    report.epoch = scene_copy(driver, car)->epoch;
    scene_copy(driver, car)->health = 200;
    TOWN_UNTIL(town_vehicle(other, car)->health == 200);
    scene_say(driver, &wire_vehicle_explode_packet, &report); /* too early */
    since_ms = clock_ms();
    TOWN_UNTIL(clock_ms() > since_ms + 4100);
    ck_assert_uint_eq(town_count(other, PACKET_VEHICLE_DEATH), 0);
    scene_say(driver, &wire_vehicle_explode_packet, &report);
    ck_assert_uint_eq(town_take(other, PACKET_VEHICLE_DEATH)->vehicle_death.cause, 0);
    TOWN_UNTIL(town_vehicle(other, car)->is_wrecked);
    scene_enter(other, car, 1);
    TOWN_UNTIL(other->client.denied == 1);
}

/* Two that have to wait, side by side. */
START_TEST(v_expl_3_8_a_car_burns_down_while_a_race_counts_down_and_goes_to_its_finish)
{
    char line[64];
    uint32_t burning = scene_make(CAR, 0, 4);
    struct resident *clara = scene_join("clara", burning);
    struct resident *dora = scene_join("dora", burning);
    uint32_t car;

    type(anna, "race");
    TOWN_UNTIL(client_drives(&anna->client) && anna->client.is_frozen);
    type(boris, "race");
    TOWN_UNTIL(client_drives(&boris->client) && boris->client.is_frozen);
    (void)town_read(boris, LINE(line, "{4080FF}%s{FFFFFF} races for Blue.", boris->client.name));
    car = anna->client.frame.vehicle_id;
    TOWN_UNTIL(town_sees_seated(boris, car, 0, anna));
    type(anna, "race");
    (void)town_read(anna, "You are in it already.");
    burn_down(burning, clara, dora);
    (void)town_read(anna, "3 "); /* of ten seconds */
    (void)town_read(anna, "{40FF40}Go!");
    TOWN_UNTIL(!anna->client.is_frozen && !boris->client.is_frozen);
    client_drive(&anna->client, (const float[]){ 836, -1830, 12.5F }, 90, 30, 0);
    (void)town_read(anna, LINE(line, "{FF4040}%s{FFFFFF} is number 1: ", anna->client.name));
    (void)town_read(boris, LINE(line, "{FFCC00}%s has set a new best time: ", anna->client.name));
    TOWN_UNTIL(anna->client.frame.vehicle_id == WIRE_NONE && town_vehicle(anna, car) == NULL);
    type(boris, "leave");
    (void)town_read(boris, "You are out.");
    TOWN_UNTIL(boris->client.frame.vehicle_id == WIRE_NONE);
}
END_TEST

/* ---- admin */

START_TEST(admin_sends_a_player_away_for_those_it_knows_and_for_nobody_else)
{
    struct resident *mallory = town_join_from("mallory", "127.0.0.2");
    char line[64];
    uint32_t id = boris->client.player_id;

    type(mallory, LINE(line, "kick %u Because.", id));
    (void)town_read(mallory, "Unknown command.");
    type(anna, LINE(line, "kick %u Enough.", id));
    (void)town_read(anna, LINE(line, "%s has been sent away.", boris->client.name));
    TOWN_UNTIL(boris->client.end == CLIENT_END_KICKED);
    ck_assert_uint_eq(town_take(mallory, PACKET_PLAYER_LEAVE)->player_leave.player_id, id);
    ck_assert_uint_eq(town_count(boris, PACKET_KICK_NOTIFY), 1);
}
END_TEST

START_TEST(admin_speaks_to_all_takes_the_word_from_one_and_looks_over_its_shoulder)
{
    char line[64];

    type(anna, "say Hello.");
    (void)town_read(boris, LINE(line, "{FFCC00}%s: {FFFFFF}Hello.", anna->client.name));
    type(anna, LINE(line, "mute %u", boris->client.player_id));
    (void)town_read(anna, LINE(line, "%s is muted.", boris->client.name));
    ck_assert(client_chat(&boris->client, clock_ms(), "Hear me."));
    ck_assert(client_chat(&boris->client, clock_ms(), "Hear me!"));
    type(boris, "help");
    (void)town_read(boris, "/color"); /* so both were taken in */
    ck_assert_uint_eq(town_count(anna, PACKET_CHAT_MESSAGE), 0);
    type(anna, LINE(line, "spec %u", boris->client.player_id));
    (void)town_read(anna, "Watching ");
    (void)town_take(anna, PACKET_SET_CAMERA);
    TOWN_UNTIL(anna->client.is_frozen);
    type(anna, "spec");
    TOWN_UNTIL(!anna->client.is_frozen && stands_at(anna, 0, 0));
}
END_TEST

/* ---- hang */

enum { HANGS = 6, STEPS_EACH = 8, SLOW_MS = 500 };

START_TEST(a_handler_that_never_ends_takes_the_game_from_nobody)
{
    uint32_t car = scene_make(CAR, 0, 4);
    struct resident *clara = scene_join("clara", car);
    int slow = 0;

    scene_sit(anna, car, 0);
    for (int i = 1; i <= STEPS_EACH * HANGS; i++) {
        uint64_t since_ms = clock_ms();

        if (i % STEPS_EACH == 1)
            type(clara, i % (2 * STEPS_EACH) == 1 ? "hang" : "hang twice");
        scene_drive(anna, 0, 4 + (float)i);
        TOWN_UNTIL(scene_sees_at(boris, car, 0, 4 + (float)i));
        slow += clock_ms() - since_ms > SLOW_MS;
    }
    ck_assert_int_le(slow, HANGS); /* each is stopped after a while, and those between cost nothing */
    scene_drive(anna, 0, 400);     /* ticks hide what has left */
    TOWN_UNTIL(town_vehicle(boris, car) == NULL);
    scene_do(boris, "dlmp.set_vehicle_engine v%u true", car); /* other gamemodes go on */
}
END_TEST

Suite *gamemodes_suite(void)
{
    Suite *suite = suite_create("gamemodes");
    TCase *tcase = scene_case();

    tcase_add_test(tcase, freeroam_makes_a_vehicle_that_everyone_sees_and_that_goes_with_its_maker);
    tcase_add_test(tcase, freeroam_takes_a_player_to_a_place_and_to_another_player);
    tcase_add_test(tcase, freeroam_changes_a_character_for_everyone);
    tcase_add_test(tcase, v_expl_3_8_a_car_burns_down_while_a_race_counts_down_and_goes_to_its_finish);
    tcase_add_test(tcase, admin_sends_a_player_away_for_those_it_knows_and_for_nobody_else);
    tcase_add_test(tcase, admin_speaks_to_all_takes_the_word_from_one_and_looks_over_its_shoulder);
    tcase_add_test(tcase, a_handler_that_never_ends_takes_the_game_from_nobody);
    suite_add_tcase(suite, tcase);
    return suite;
}
