#include <string.h>

#include "shard/chat.h"
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

static void message_is(struct stage_client *client, const char *text)
{
    struct wire_server_message message;
    struct wire_error error;
    const struct stage_packet *packet = stage_take(client, PACKET_SERVER_MESSAGE);

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_server_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.color, 0xFFFFFFFF);
    ck_assert_uint_eq(message.text.size, strlen(text));
    ck_assert_mem_eq(message.text.data, text, message.text.size);
}

START_TEST(a_line_goes_to_everybody_by_the_coordinator)
{
    struct stage_client *speaker = stage_join(stage, 1, 0, 0); /* nobody need have spawned */
    struct stage_client *other = stage_spawn(stage, 2, 3000, 0);
    struct wire_chat_message message;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_chat(stage, speaker, " hi {FF0000}all {brace} ");
    ck_assert_uint_eq(stage->broadcasts, 1);
    ck_assert_uint_eq(stage_count(speaker, PACKET_CHAT_MESSAGE), 1);
    packet = stage_take(other, PACKET_CHAT_MESSAGE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_chat_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.player_id, 1);
    ck_assert_uint_eq(message.player_token, speaker->token);
    ck_assert_uint_eq(message.name_color, list_color(1));
    ck_assert_mem_eq(message.name.data, "player_1", 8);
    ck_assert_uint_eq(message.text.size, strlen("hi all {brace}"));
    ck_assert_mem_eq(message.text.data, "hi all {brace}", message.text.size);
}
END_TEST

START_TEST(codes_and_outer_spaces_are_removed_until_none_is_left)
{
    static const struct {
        const char *typed, *left;
    } cases[] = {
        { "plain", "plain" },
        { "{ff00Aa}red", "red" },
        { "{{FF0000}FF0000}x", "x" },
        { "{FF{00FF00}00{00FF00}00}y", "y" },
        { "{FF00}", "{FF00}" },
        { "{GG0000}", "{GG0000}" },
        { "a{FF0000}", "a" },
        { "  a  b  ", "a  b" },
        { " {FF0000} ", "" },
        { "{FF0000", "{FF0000" },
        { "   ", "" },
        { "}{", "}{" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t text[CHAT_TEXT_MAX];
        size_t size = strlen(cases[i].typed);

        memcpy(text, cases[i].typed, size);
        size = chat_clean(text, size);
        ck_assert_msg(size == strlen(cases[i].left) && memcmp(text, cases[i].left, size) == 0, "'%s'",
                      cases[i].typed);
    }
}
END_TEST

START_TEST(a_line_of_which_nothing_is_left_is_dropped)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_chat(stage, client, " {FF0000} ");
    ck_assert_uint_eq(stage->broadcasts, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_EMPTY_LINE), 1);
}
END_TEST

START_TEST(a_line_of_255_bytes_is_the_longest)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    char text[257];

    memset(text, 'x', sizeof text);
    text[255] = 0;
    stage_chat(stage, client, text);
    ck_assert_uint_eq(stage_count(client, PACKET_CHAT_MESSAGE), 1);
}
END_TEST

START_TEST(four_lines_at_once_and_two_a_second)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    for (int i = 0; i < 6; i++)
        stage_chat(stage, client, "x");
    ck_assert_uint_eq(stage->broadcasts, 4);
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_CHAT), 2);
    message_is(client, "You are sending too fast.");
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 0); /* once in 5 s */
    stage->now_ms += 499;
    stage_chat(stage, client, "x");
    ck_assert_uint_eq(stage->broadcasts, 4);
    stage->now_ms += 1;
    stage_chat(stage, client, "x");
    ck_assert_uint_eq(stage->broadcasts, 5);
    stage->now_ms += 4499;
    for (int i = 0; i < 5; i++)
        stage_chat(stage, client, "x");
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 0);
    stage->now_ms += 1;
    stage_chat(stage, client, "x");
    message_is(client, "You are sending too fast.");
}
END_TEST

START_TEST(a_command_that_nobody_takes_is_unknown)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct stage_client *other = stage_join(stage, 2, 0, 0);

    stage_command(stage, client, "give 31 500");
    message_is(client, "Unknown command.");
    ck_assert_uint_eq(stage_count(other, PACKET_SERVER_MESSAGE), 0);
    ck_assert_uint_eq(stage->broadcasts, 0);
}
END_TEST

START_TEST(eight_commands_at_once_and_four_a_second)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    for (int i = 0; i < 10; i++)
        stage_command(stage, client, "x");
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_COMMANDS), 2);
    ck_assert_uint_eq(stage_count(client, PACKET_SERVER_MESSAGE), 9);
    stage->now_ms += 250;
    stage_command(stage, client, "x");
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_COMMANDS), 2);
    stage_command(stage, client, "x");
    ck_assert_uint_eq(stage_reason(stage, REASON_LIMIT_COMMANDS), 3);
}
END_TEST

START_TEST(a_line_is_lost_for_those_whose_lane_is_full)
{
    struct stage_client *speaker = stage_join(stage, 0, 0, 0);
    struct stage_client *slow = stage_join(stage, 2, 0, 0); /* at the same gateway */
    struct stage_client *other = stage_join(stage, 4, 0, 0);

    slow->silent = true;
    stage_player(stage, slow)->lane.sent += 256;
    slow->received += 256;
    stage_chat(stage, speaker, "x");
    ck_assert_uint_eq(stage_count(slow, PACKET_CHAT_MESSAGE), 0);
    ck_assert_uint_eq(stage_count(other, PACKET_CHAT_MESSAGE), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_LANE_DROPPABLE), 1);
    stage_ack(stage, slow);
    stage_chat(stage, speaker, "x");
    ck_assert_uint_eq(stage_count(slow, PACKET_CHAT_MESSAGE), 1);
}
END_TEST

START_TEST(without_a_coordinator_lines_are_dropped_and_counted)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    shard_peer_down(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR);
    stage_chat(stage, client, "x");
    ck_assert_uint_eq(stage->broadcasts, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_NO_COORDINATOR), 1);
}
END_TEST

START_TEST(a_broadcast_that_is_no_packet_goes_to_nobody)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    Bus__Broadcast line = BUS__BROADCAST__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    uint8_t bytes[] = { PACKET_CHAT_MESSAGE, 0, 0 };
    uint8_t unreliable[WIRE_REMOTE_PLAYER_SYNC_SIZE] = { PACKET_REMOTE_PLAYER_SYNC };

    item.item_case = BUS__ITEM__ITEM_BROADCAST;
    item.broadcast = &line;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    line.packet.data = bytes;
    line.packet.len = sizeof bytes;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    line.packet.data = unreliable;
    line.packet.len = sizeof unreliable;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 3);
    ck_assert_uint_eq(client->received, STAGE_GREETING);
}
END_TEST

Suite *shard_chat_suite(void)
{
    Suite *suite = suite_create("shard_chat");
    TCase *tcase = tcase_create("chat");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_line_goes_to_everybody_by_the_coordinator);
    tcase_add_test(tcase, codes_and_outer_spaces_are_removed_until_none_is_left);
    tcase_add_test(tcase, a_line_of_which_nothing_is_left_is_dropped);
    tcase_add_test(tcase, a_line_of_255_bytes_is_the_longest);
    tcase_add_test(tcase, four_lines_at_once_and_two_a_second);
    tcase_add_test(tcase, a_command_that_nobody_takes_is_unknown);
    tcase_add_test(tcase, eight_commands_at_once_and_four_a_second);
    tcase_add_test(tcase, a_line_is_lost_for_those_whose_lane_is_full);
    tcase_add_test(tcase, without_a_coordinator_lines_are_dropped_and_counted);
    tcase_add_test(tcase, a_broadcast_that_is_no_packet_goes_to_nobody);
    suite_add_tcase(suite, tcase);
    return suite;
}
