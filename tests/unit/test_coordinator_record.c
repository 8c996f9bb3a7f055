#include "coordinator/record.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "tests/unit/suites.h"

static struct record record;

static struct span text(const char *value)
{
    return (struct span){ (const uint8_t *)value, strlen(value) };
}

START_TEST(a_player_is_written_for_people_and_reads_back)
{
    struct stored_player player = { .ref = { 17, 1047 },
                                    .fence = 3,
                                    .gateway = "gateway-1",
                                    .shard = "shard-2",
                                    .ip = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 203, 0, 113, 7 },
                                    .account_id = 9,
                                    .name = "Alice[1]$" };
    struct stored_player again;

    record_write_player(&record, &player);
    ck_assert_str_eq(record.field, "17");
    ck_assert_str_eq(record.value, "1047 3 gateway-1 shard-2 203.0.113.7 9 Alice[1]$");
    ck_assert(record_read_player(&again, text(record.field), text(record.value)));
    ck_assert_uint_eq(again.ref.id, 17);
    ck_assert_uint_eq(again.ref.token, 1047);
    ck_assert_uint_eq(again.fence, 3);
    ck_assert_str_eq(again.gateway, "gateway-1");
    ck_assert_str_eq(again.shard, "shard-2");
    ck_assert_mem_eq(again.ip, player.ip, sizeof again.ip);
    ck_assert_uint_eq(again.account_id, 9);
    ck_assert_str_eq(again.name, "Alice[1]$");
}
END_TEST

START_TEST(a_player_without_a_shard_reads_back)
{
    struct stored_player player = {
        .ref = { 1, 2 }, .gateway = "g", .ip = { 0x20, 1, 0xd, 0xb8 }, .name = "a"
    };
    struct stored_player again;

    record_write_player(&record, &player);
    ck_assert_str_eq(record.value, "2 0 g - 2001:db8:: 0 a");
    ck_assert(record_read_player(&again, text(record.field), text(record.value)));
    ck_assert_str_eq(again.shard, "");
    ck_assert_mem_eq(again.ip, player.ip, sizeof again.ip);
}
END_TEST

START_TEST(a_slot_is_written_for_people_and_reads_back)
{
    struct stored_slot slot = { .slot = 1, .fence = 9007199254740991, .shard = "shard-2", .boot = 0xABCDEF };
    struct stored_slot again;

    record_write_slot(&record, &slot);
    ck_assert_str_eq(record.field, "1");
    ck_assert_str_eq(record.value, "9007199254740991 shard-2 0000000000abcdef");
    ck_assert(record_read_slot(&again, text(record.field), text(record.value)));
    ck_assert_uint_eq(again.slot, 1);
    ck_assert_uint_eq(again.fence, slot.fence);
    ck_assert_str_eq(again.shard, "shard-2");
    ck_assert_uint_eq(again.boot, 0xABCDEF);
}
END_TEST

START_TEST(a_process_is_written_for_people_and_reads_back)
{
    struct stored_process process = { .name = "gateway-1",
                                      .role = BUS__ROLE__ROLE_GATEWAY,
                                      .boot = UINT64_MAX };
    struct stored_process again;

    record_write_process(&record, &process);
    ck_assert_str_eq(record.field, "gateway-1");
    ck_assert_str_eq(record.value, "gateway ffffffffffffffff");
    ck_assert(record_read_process(&again, text(record.field), text(record.value)));
    ck_assert_str_eq(again.name, "gateway-1");
    ck_assert_int_eq(again.role, BUS__ROLE__ROLE_GATEWAY);
    ck_assert_uint_eq(again.boot, UINT64_MAX);
}
END_TEST

START_TEST(a_wish_is_written_for_people_and_reads_back)
{
    struct stored_wish wish = { .name = "race-2", .runs = true };
    struct stored_wish again;
    static const struct {
        const char *field;
        const char *value;
    } bad[] = { { "race", "run" },
                { "race", "" },
                { "race", "start start" },
                { "race", "start " },
                { "Race", "stop" },
                { "../race", "stop" },
                { "", "stop" },
                { "a234567890123456789012345678901234567890123456789", "stop" } };

    record_write_wish(&record, &wish);
    ck_assert_str_eq(record.field, "race-2");
    ck_assert_str_eq(record.value, "start");
    ck_assert(record_read_wish(&again, text(record.field), text(record.value)));
    ck_assert(again.runs);
    ck_assert_str_eq(again.name, "race-2");
    wish.runs = false;
    record_write_wish(&record, &wish);
    ck_assert_str_eq(record.value, "stop");
    ck_assert(record_read_wish(&again, text(record.field), text(record.value)));
    ck_assert(!again.runs);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!record_read_wish(&again, text(bad[i].field), text(bad[i].value)), "%s: %s",
                      bad[i].field, bad[i].value);
}
END_TEST

START_TEST(a_bans_end_is_kept_by_the_wall_clock)
{
    struct stored_ban ban = { .left_ms = 60000, .text = "Cheating, twice." };
    struct stored_ban again;

    ck_assert(ban_subject_read(&ban.subject, "10.0.0.0/8"));
    record_write_ban(&record, &ban, 1000);
    ck_assert_str_eq(record.field, "address 10.0.0.0/8");
    ck_assert_str_eq(record.value, "61000 Cheating, twice.");
    ck_assert(record_read_ban(&again, text(record.field), text(record.value), 51000));
    ck_assert_uint_eq(again.left_ms, 10000);
    ck_assert_str_eq(again.text, "Cheating, twice.");
    ck_assert_mem_eq(&again.subject, &ban.subject, sizeof ban.subject);
    ck_assert(record_read_ban(&again, text(record.field), text(record.value), 61001));
    ck_assert_uint_eq(again.left_ms, 0);
}
END_TEST

START_TEST(a_ban_for_ever_has_no_end)
{
    struct stored_ban ban = { .left_ms = BAN_FOREVER };
    struct stored_ban again;

    ck_assert(ban_subject_read(&ban.subject, "name Bob"));
    record_write_ban(&record, &ban, 1000);
    ck_assert_str_eq(record.value, "0 ");
    ck_assert(record_read_ban(&again, text(record.field), text(record.value), 5000));
    ck_assert_uint_eq(again.left_ms, BAN_FOREVER);
}
END_TEST

static const char *const no_players[][2] = {
    { "x", "1 1 g s 10.0.0.1 0 a" },
    { "-1", "1 1 g s 10.0.0.1 0 a" },
    { "131072", "1 1 g s 10.0.0.1 0 a" },
    { "01", "1 1 g s 10.0.0.1 0 a" },
    { "1", "" },
    { "1", "0 1 g s 10.0.0.1 0 a" },
    { "1", "4294967296 1 g s 10.0.0.1 0 a" },
    { "1", "1 9007199254740992 g s 10.0.0.1 0 a" },
    { "1", "1 1 g s 10.0.0.1 0" },
    { "1", "1 1 g s 10.0.0.1 0 " },
    { "1", "1 1 g s 10.0.0.1 0 a " },
    { "1", "1 1 g s 10.0.0.1 0 a b" },
    { "1", "1 1 g s 10.0.0.1/8 0 a" },
    { "1", "1 1 g s nowhere 0 a" },
    { "1", "1 1 g s 10.0.0.1 -1 a" },
    { "1", "1 1  g s 10.0.0.1 0 a" },
    { "1", "1 1 g! s 10.0.0.1 0 a" },
    { "1", "1 1 g s 10.0.0.1 0 a_name_of_twenty_five_byte" },
    { "1", "1 1 g s 10.0.0.1 0 \xC3\xA4" },
    { "1", "1\n1 g s 10.0.0.1 0 a" },
};

START_TEST(what_is_no_player_is_refused)
{
    struct stored_player player;

    ck_assert(!record_read_player(&player, text(no_players[_i][0]), text(no_players[_i][1])));
}
END_TEST

static const char *const no_slots[][2] = {
    { "x", "1 s 0000000000000001" },
    { "1", "1 s 000000000000001" },
    { "1", "1 s 00000000000000001" },
    { "1", "1 s 000000000000000G" },
    { "1", "1 s 000000000000000A" },
    { "1", "-1 s 0000000000000001" },
    { "1", "1e3 s 0000000000000001" },
    { "1", "9007199254740992 s 0000000000000001" },
    { "1", "1 s" },
    { "1", "1 s 0000000000000001 x" },
    { "4294967296", "1 s 0000000000000001" },
};

START_TEST(what_is_no_slot_is_refused)
{
    struct stored_slot slot;

    ck_assert(!record_read_slot(&slot, text(no_slots[_i][0]), text(no_slots[_i][1])));
}
END_TEST

static const char *const no_bans[][2] = {
    { "10.0.0.1", "0 " },
    { "address 10.0.0.1/8", "0 " },
    { "name BOB", "0 " },
    { "name ", "0 " },
    { "", "0 " },
    { "name bob", "" },
    { "name bob", "0" },
    { "name bob", "x why" },
    { "name bob", "-5 why" },
    { "name bob", "9007199254740992 why" },
    { "name bob", "0 a\nb" },
    { "name bob", "0 \xFF" },
};

START_TEST(what_is_no_ban_is_refused)
{
    struct stored_ban ban;

    ck_assert(!record_read_ban(&ban, text(no_bans[_i][0]), text(no_bans[_i][1]), 0));
}
END_TEST

/* One of each kind of what dlmp:game holds; the time was written 5000 ms ago. */
static const struct game_record_case {
    const char *field;
    const char *value;
} game_records[] = {
    { "driveby 28", "100" },
    { "multiplier 51", "0.5" },
    { "multiplier 0", "0.100000001" },
    { "property 24 std clip", "14" },
    { "property 38 std heavy", "1" },
    { "property 22 poor fire_loop_start", "-" },
    { "allowed 38", "0" },
    { "jacking", "1" },
    { "jacking", "-" },
    { "clock", "1000" },
    { "clock", "-" },
    { "time", "43200000 95000" },
    { "weather", "8 5000" },
    { "weather fog_start", "-100" },
    { "weather wind_y", "-" },
    { "team 3", "off freeroam Police of Los Santos" },
    { "team 4", "on race a" },
    { "revision", "9007199254740991" },
    { "weapon_revision", "4294967295" },
    { "relation_revision", "0" },
};

START_TEST(settings_of_the_game_are_written_for_people_and_read_back)
{
    const struct game_record_case *row = &game_records[_i];
    struct stored_game game;

    ck_assert(record_read_game(&game, text(row->field), text(row->value), 100000));
    record_write_game(&record, &game, 100000);
    ck_assert_str_eq(record.field, row->field);
    ck_assert_str_eq(record.value, row->value);
    if (game.what == STORED_CHANGE && game.change.kind == GAME_TIME)
        ck_assert_uint_eq(game.age_ms, 5000);
}
END_TEST

static const struct game_record_case no_game_records[] = {
    { "", "1" },
    { "driveby", "1" },
    { "driveby 28 ", "1" },
    { "driveby 028", "1" },
    { "driveby 256", "1" },
    { "driveby 28", "" },
    { "driveby 28", "nan" },
    { "driveby 28", "inf" },
    { "driveby 28", "1e999" },
    { "driveby 28", "0x10" },
    { "driveby 28", "100.0" },
    { "driveby 28", " 100" },
    { "driveby 28", "100 " },
    { "driveby 28", "-" },
    { "multiplier 51", "0.1000000000000001" },
    { "property 24 std", "1" },
    { "property 24 best clip", "1" },
    { "property 24 std Clip", "1" },
    { "property 24 std clip clip", "1" },
    { "clock", "- -" },
    { "time", "86400000 1" },
    { "time", "1" },
    { "time", "-" },
    { "weather", "8" },
    { "weather", "256 0" },
    { "weather snow", "1" },
    { "team 0", "on race a" },
    { "team 4294967296", "on race a" },
    { "team 1", "maybe race a" },
    { "team 1", "on race" },
    { "team 1", "on race " },
    { "team 1", "on Race a" },
    { "team 1", "on race a\nb" },
    { "team 1", "on race 123456789012345678901234567890123" },
    { "revision", "9007199254740992" },
    { "revision", "-1" },
    { "weapon_revision", "4294967296" },
    { "revisions", "1" },
};

START_TEST(what_is_no_setting_of_the_game_is_refused)
{
    const struct game_record_case *row = &no_game_records[_i];
    struct stored_game game;

    ck_assert_msg(!record_read_game(&game, text(row->field), text(row->value), 0), "%s: %s", row->field,
                  row->value);
}
END_TEST

static uint8_t kv_text[RECORD_KV_SIZE];

START_TEST(a_resources_number_is_digits_and_all_else_has_a_colon)
{
    static const int64_t numbers[] = { 0, 1, -1, INT64_MAX, INT64_MIN };
    struct kv_value value = { .bytes = { (const uint8_t *)"a\0b", 3 } };
    struct kv_value again;
    size_t size = record_write_kv(&value, kv_text);

    ck_assert_uint_eq(size, 4);
    ck_assert_uint_eq(kv_text[0], ':');
    ck_assert(record_read_kv(&again, (struct span){ kv_text, size }));
    ck_assert(!again.is_number);
    ck_assert_mem_eq(again.bytes.data, "a\0b", 3);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        value = (struct kv_value){ .is_number = true, .number = numbers[i] };
        size = record_write_kv(&value, kv_text);
        ck_assert(record_read_kv(&again, (struct span){ kv_text, size }));
        ck_assert(again.is_number);
        ck_assert_int_eq(again.number, numbers[i]);
    }
}
END_TEST

START_TEST(a_value_that_is_no_resources_is_refused)
{
    static const char *const values[] = {
        "", "-", "-0", "01", "1 ", "1a", "a", "+1", "1.5", "9223372036854775808", "-9223372036854775809"
    };
    struct kv_value value;

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        ck_assert_msg(!record_read_kv(&value, text(values[i])), "%s", values[i]);
    kv_text[0] = ':';
    ck_assert(record_read_kv(&value, (struct span){ kv_text, GAME_KV_VALUE_MAX + 1 }));
    ck_assert_uint_eq(value.bytes.size, GAME_KV_VALUE_MAX);
}
END_TEST

START_TEST(a_ban_with_a_text_that_is_too_long_is_refused)
{
    char value[200] = "0 ";
    struct stored_ban ban;

    memset(value + 2, 'a', BAN_TEXT_SIZE);
    ck_assert(!record_read_ban(&ban, text("name bob"), text(value), 0));
    value[2 + BAN_TEXT_SIZE - 1] = '\0';
    ck_assert(record_read_ban(&ban, text("name bob"), text(value), 0));
}
END_TEST

/* Whatever bytes Redis holds, and however they are cut: no reader reads past them. */
START_TEST(any_bytes_are_read_safely)
{
    static const char pieces[] = "0123456789 abcdefg-:./[]\xFF\n\0name address account";
    struct rng rng;

    rng_init_seeded(&rng, 3);
    for (int i = 0; i < 20000; i++) {
        size_t field_size = rng_below(&rng, 24);
        size_t value_size = rng_below(&rng, 80);
        uint8_t *field = malloc(field_size > 0 ? field_size : 1);
        uint8_t *value = malloc(value_size > 0 ? value_size : 1);
        struct stored_player player;
        struct stored_slot slot;
        struct stored_process process;
        struct stored_ban ban;
        struct stored_game game;
        struct stored_wish wish;

        ck_assert_ptr_nonnull(field);
        ck_assert_ptr_nonnull(value);
        for (size_t b = 0; b < field_size; b++)
            field[b] = (uint8_t)pieces[rng_below(&rng, sizeof pieces)];
        for (size_t b = 0; b < value_size; b++)
            value[b] = (uint8_t)pieces[rng_below(&rng, sizeof pieces)];
        (void)record_read_player(&player, (struct span){ field, field_size },
                                 (struct span){ value, value_size });
        (void)record_read_slot(&slot, (struct span){ field, field_size }, (struct span){ value, value_size });
        (void)record_read_process(&process, (struct span){ field, field_size },
                                  (struct span){ value, value_size });
        (void)record_read_ban(&ban, (struct span){ field, field_size }, (struct span){ value, value_size },
                              0);
        (void)record_read_game(&game, (struct span){ field, field_size }, (struct span){ value, value_size },
                               0);
        (void)record_read_wish(&wish, (struct span){ field, field_size }, (struct span){ value, value_size });
        free(field);
        free(value);
    }
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

Suite *coordinator_record_suite(void)
{
    Suite *suite = suite_create("coordinator_record");
    TCase *tcase = tcase_create("record");

    tcase_add_test(tcase, a_player_is_written_for_people_and_reads_back);
    tcase_add_test(tcase, a_player_without_a_shard_reads_back);
    tcase_add_test(tcase, a_slot_is_written_for_people_and_reads_back);
    tcase_add_test(tcase, a_wish_is_written_for_people_and_reads_back);
    tcase_add_test(tcase, a_process_is_written_for_people_and_reads_back);
    tcase_add_test(tcase, a_bans_end_is_kept_by_the_wall_clock);
    tcase_add_test(tcase, a_ban_for_ever_has_no_end);
    tcase_add_loop_test(tcase, what_is_no_player_is_refused, 0, COUNT(no_players));
    tcase_add_loop_test(tcase, what_is_no_slot_is_refused, 0, COUNT(no_slots));
    tcase_add_loop_test(tcase, what_is_no_ban_is_refused, 0, COUNT(no_bans));
    tcase_add_test(tcase, a_ban_with_a_text_that_is_too_long_is_refused);
    tcase_add_loop_test(tcase, settings_of_the_game_are_written_for_people_and_read_back, 0,
                        COUNT(game_records));
    tcase_add_loop_test(tcase, what_is_no_setting_of_the_game_is_refused, 0, COUNT(no_game_records));
    tcase_add_test(tcase, a_resources_number_is_digits_and_all_else_has_a_colon);
    tcase_add_test(tcase, a_value_that_is_no_resources_is_refused);
    tcase_add_test(tcase, any_bytes_are_read_safely);
    suite_add_tcase(suite, tcase);
    return suite;
}
