#include <string.h>

#include "shard/chat.h"
#include "shard/lanes.h"
#include "shard/player_set.h"
#include "tests/unit/event_log.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static struct event_log events;
static struct stage_client *client;
static struct player *player;

static void setup(void)
{
    stage = stage_new(NULL, 0);
    client = stage_join(stage, 1, 0, 0);
    player = stage_player(stage, client);
    event_log_open(&events, stage->shard);
}

static void teardown(void)
{
    stage_free(stage);
}

static void refuse(enum event event)
{
    events.refuses |= UINT64_C(1) << event;
}

static struct span span_of(const char *text)
{
    return (struct span){ .data = (const uint8_t *)text, .size = strlen(text) };
}

/* The next ServerMessage says that. */
static void message_is(const char *text, uint32_t color)
{
    struct wire_server_message message;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_SERVER_MESSAGE);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_server_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.color, color);
    ck_assert_uint_eq(message.text.size, strlen(text));
    ck_assert_mem_eq(message.text.data, text, message.text.size);
}

/* ---- ClientChat */

START_TEST(a_handler_hears_a_line_without_codes_and_outer_spaces)
{
    stage_chat(stage, client, "  {FF0000}hi {{00FF00}00FF00}all {x} ");
    ck_assert_str_eq(event_log_last(&events), "player_chat 1 'hi all {x}'");
    ck_assert_uint_eq(stage->broadcasts, 1);
}
END_TEST

START_TEST(a_refused_line_goes_to_nobody)
{
    refuse(EVENT_PLAYER_CHAT);
    stage_chat(stage, client, "hi");
    ck_assert_uint_eq(stage->broadcasts, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_HANDLER), 1);
}
END_TEST

START_TEST(a_muted_player_is_heard_by_nobody_and_still_gives_commands)
{
    player_set_muted(stage->shard, player, true);
    stage_chat(stage, client, "hi");
    ck_assert_uint_eq(stage_reason(stage, REASON_MUTED), 1);
    ck_assert_uint_eq(stage->broadcasts, 0);
    ck_assert_uint_eq(events.count, 0);
    stage_command(stage, client, "help");
    ck_assert_uint_eq(event_log_count(&events, "player_command"), 1);
    player_set_muted(stage->shard, player, false);
    stage_chat(stage, client, "hi");
    ck_assert_uint_eq(stage->broadcasts, 1);
}
END_TEST

START_TEST(a_line_of_nothing_asks_no_handler)
{
    stage_chat(stage, client, " {FF0000} ");
    ck_assert_uint_eq(events.count, 0);
}
END_TEST

START_TEST(a_line_over_the_limit_asks_no_handler)
{
    for (int i = 0; i < 5; i++)
        stage_chat(stage, client, "hi");
    ck_assert_uint_eq(event_log_count(&events, "player_chat"), 4);
}
END_TEST

START_TEST(the_longest_line_reaches_the_handler_whole)
{
    char text[256];

    memset(text, 'x', sizeof text - 1);
    text[255] = 0;
    stage_chat(stage, client, text);
    ck_assert_uint_eq(strlen(event_log_last(&events)), strlen("player_chat 1 ''") + 255);
}
END_TEST

/* ---- ClientCommand */

START_TEST(a_command_is_split_at_the_first_spaces)
{
    static const struct {
        const char *typed, *heard;
    } cases[] = {
        { "give 31 500", "player_command 1 'give' '31 500'" },
        { "GiVe   31  500  ", "player_command 1 'give' '31  500'" },
        { "help", "player_command 1 'help' ''" },
        { "help   ", "player_command 1 'help' ''" },
        { "say {FF0000}Hi", "player_command 1 'say' '{FF0000}Hi'" },
        { "\xC3\x84sk A", "player_command 1 '\xC3\x84sk' 'A'" }, /* only ASCII letters are lowered */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stage_command(stage, client, cases[i].typed);
        ck_assert_str_eq(event_log_last(&events), cases[i].heard);
    }
}
END_TEST

START_TEST(a_command_that_no_handler_takes_is_unknown)
{
    stage_command(stage, client, "fly");
    message_is("Unknown command.", 0xFFFFFFFF);
}
END_TEST

START_TEST(a_command_that_a_handler_takes_gets_no_answer)
{
    refuse(EVENT_PLAYER_COMMAND);
    stage_command(stage, client, "fly");
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 0);
}
END_TEST

START_TEST(the_longest_command_reaches_the_handler_whole)
{
    char text[256];

    memset(text, 'X', sizeof text - 1);
    text[255] = 0;
    stage_command(stage, client, text);
    ck_assert_uint_eq(strlen(event_log_last(&events)), strlen("player_command 1 '' ''") + 255);
}
END_TEST

/* ---- ServerMessage */

START_TEST(a_message_has_its_color)
{
    ck_assert_uint_eq(player_message(stage->shard, player, span_of("{FF0000}hi"), 0x11223344), REASON_NONE);
    stage_pump(stage);
    message_is("{FF0000}hi", 0x11223344);
}
END_TEST

START_TEST(a_message_is_split_at_the_last_space_before_the_limit)
{
    char text[1100];
    char first[513];

    memset(text, 'a', sizeof text);
    text[100] = ' ';
    text[512] = ' '; /* 512 bytes fit before it */
    text[513 + 511] = ' ';
    text[1099] = 0;
    memcpy(first, text, 512);
    first[512] = 0;
    ck_assert_uint_eq(player_message(stage->shard, player, span_of(text), CHAT_WHITE), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 3);
    message_is(first, CHAT_WHITE);
    first[511] = 0;
    first[100] = 'a';
    message_is(first, CHAT_WHITE);
    message_is(text + 1025, CHAT_WHITE);
}
END_TEST

START_TEST(a_piece_ends_where_it_may)
{
    char text[1024];

    memset(text, 'a', sizeof text);
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 512 }), 512);
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 513 }), 512);
    text[511] = ' ';
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 513 }), 511);
    text[511] = 'a';
    text[0] = ' '; /* no end: nothing would be before it */
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 513 }), 512);
    text[0] = 'a';
    text[513] = ' '; /* one too far */
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 1024 }), 512);
}
END_TEST

START_TEST(a_long_word_is_cut_between_two_characters)
{
    char text[1030];

    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "\xE2\x82\xAC", 3); /* 3 does not divide 512 */
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 1029 }), 510);
    for (size_t i = 0; i + 4 < sizeof text; i += 4)
        memcpy(text + i, "\xF0\x9F\x98\x80", 4);
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 1028 }), 512);
    text[0] = 'a';
    memcpy(text + 1, "\xC3\xA4", 2);
    for (size_t i = 3; i + 4 < sizeof text; i += 4)
        memcpy(text + i, "\xF0\x9F\x98\x80", 4);
    ck_assert_uint_eq(chat_piece((struct span){ (const uint8_t *)text, 1027 }), 511);
}
END_TEST

START_TEST(a_text_that_is_no_message_is_refused)
{
    static char text[CHAT_MESSAGE_TOTAL_MAX + 1];
    struct span longest = { .data = (const uint8_t *)text, .size = CHAT_MESSAGE_TOTAL_MAX };
    struct span too_long = { .data = (const uint8_t *)text, .size = CHAT_MESSAGE_TOTAL_MAX + 1 };

    memset(text, 'a', sizeof text);
    ck_assert_uint_eq(player_message(stage->shard, player, span_of(""), 0), REASON_EMPTY_LINE);
    ck_assert_uint_eq(player_message(stage->shard, player, span_of("a\nb"), 0), REASON_BAD_TEXT);
    ck_assert_uint_eq(player_message(stage->shard, player, span_of("\x7F"), 0), REASON_BAD_TEXT);
    ck_assert_uint_eq(player_message(stage->shard, player, span_of("\xC3"), 0), REASON_BAD_TEXT);
    ck_assert_uint_eq(player_message(stage->shard, player, (struct span){ (const uint8_t *)"a\0b", 3 }, 0),
                      REASON_BAD_TEXT);
    ck_assert_uint_eq(player_message(stage->shard, player, too_long, 0), REASON_TEXT_TOO_LONG);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 0);
    ck_assert_uint_eq(player_message(stage->shard, player, longest, 0), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 16);
}
END_TEST

START_TEST(spaces_alone_end_too)
{
    static char text[1500];

    memset(text, ' ', sizeof text);
    ck_assert_uint_eq(player_message(stage->shard, player, (struct span){ (const uint8_t *)text, 1500 }, 0),
                      REASON_NONE);
}
END_TEST

START_TEST(a_message_to_a_full_lane_is_lost)
{
    client->silent = true;
    while (lane_takes_droppable(stage->shard, player))
        player_set_money(stage->shard, player, 1);
    ck_assert_uint_eq(player_message(stage->shard, player, span_of("hi"), 0), REASON_NONE);
    stage_pump(stage);
    stage_ack(stage, client);
    stage_run(stage, 1000);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 0);
}
END_TEST

START_TEST(a_message_to_all_goes_by_the_coordinator_in_as_many_pieces)
{
    static char text[600];

    memset(text, 'a', sizeof text - 1);
    ck_assert_uint_eq(chat_message_all(stage->shard, span_of(text), 5), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage->broadcasts, 2);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 2);
    ck_assert_uint_eq(chat_message_all(stage->shard, span_of(""), 5), REASON_EMPTY_LINE);
}
END_TEST

/* ---- ChatMessage by a gamemode */

START_TEST(a_line_in_the_name_of_a_player_goes_to_one_or_to_all_of_the_shard)
{
    struct stage_client *other = stage_join(stage, 2, 0, 0);
    struct wire_chat_message message;
    struct wire_error error;
    const struct stage_packet *packet;

    ck_assert_uint_eq(chat_say(stage->shard, player, stage_player(stage, other), span_of("{FF0000}hi")),
                      REASON_NONE);
    stage_pump(stage);
    packet = stage_take(client, PACKET_CHAT_MESSAGE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_chat_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.player_id, 2);
    ck_assert_uint_eq(message.player_token, other->token);
    ck_assert_mem_eq(message.name.data, "player_2", 8);
    ck_assert_uint_eq(message.text.size, 10); /* a gamemode's text may have codes */
    ck_assert_uint_eq(stage_count(other, PACKET_CHAT_MESSAGE), 0);
    chat_say(stage->shard, NULL, player, span_of("hi"));
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_CHAT_MESSAGE), 1);
    ck_assert_uint_eq(stage_count(other, PACKET_CHAT_MESSAGE), 1);
    ck_assert_uint_eq(stage->broadcasts, 0);
}
END_TEST

START_TEST(a_line_too_long_is_refused_and_never_cut)
{
    char text[257];

    memset(text, 'a', sizeof text);
    ck_assert_uint_eq(chat_say(stage->shard, NULL, player, (struct span){ (const uint8_t *)text, 255 }),
                      REASON_NONE);
    ck_assert_uint_eq(chat_say(stage->shard, NULL, player, (struct span){ (const uint8_t *)text, 256 }),
                      REASON_TEXT_TOO_LONG);
    ck_assert_uint_eq(chat_say(stage->shard, NULL, player, span_of("")), REASON_EMPTY_LINE);
    ck_assert_uint_eq(chat_say(stage->shard, NULL, player, span_of("a\tb")), REASON_BAD_TEXT);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_CHAT_MESSAGE), 1);
}
END_TEST

Suite *player_chat_suite(void)
{
    Suite *suite = suite_create("player_chat");
    TCase *tcase = tcase_create("player_chat");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_handler_hears_a_line_without_codes_and_outer_spaces);
    tcase_add_test(tcase, a_refused_line_goes_to_nobody);
    tcase_add_test(tcase, a_muted_player_is_heard_by_nobody_and_still_gives_commands);
    tcase_add_test(tcase, a_line_of_nothing_asks_no_handler);
    tcase_add_test(tcase, a_line_over_the_limit_asks_no_handler);
    tcase_add_test(tcase, the_longest_line_reaches_the_handler_whole);
    tcase_add_test(tcase, a_command_is_split_at_the_first_spaces);
    tcase_add_test(tcase, a_command_that_no_handler_takes_is_unknown);
    tcase_add_test(tcase, a_command_that_a_handler_takes_gets_no_answer);
    tcase_add_test(tcase, the_longest_command_reaches_the_handler_whole);
    tcase_add_test(tcase, a_message_has_its_color);
    tcase_add_test(tcase, a_message_is_split_at_the_last_space_before_the_limit);
    tcase_add_test(tcase, a_piece_ends_where_it_may);
    tcase_add_test(tcase, a_long_word_is_cut_between_two_characters);
    tcase_add_test(tcase, a_text_that_is_no_message_is_refused);
    tcase_add_test(tcase, spaces_alone_end_too);
    tcase_add_test(tcase, a_message_to_a_full_lane_is_lost);
    tcase_add_test(tcase, a_message_to_all_goes_by_the_coordinator_in_as_many_pieces);
    tcase_add_test(tcase, a_line_in_the_name_of_a_player_goes_to_one_or_to_all_of_the_shard);
    tcase_add_test(tcase, a_line_too_long_is_refused_and_never_cut);
    return suite;
}
