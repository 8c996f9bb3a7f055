#include "shard/ask.h"

#include <string.h>

#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static const char resource[] = "freeroam";

static struct heard {
    size_t events;
    char name[GAME_EVENT_NAME_MAX + 1];
    uint8_t bytes[64];
    size_t size;
    size_t answers;
    uint64_t request;
    struct kv_result result;
    size_t raised;
    enum event event;
    bool asks_again;
    enum reason asked_again;
} heard;

static void on_broadcast(void *context, const char *who, const char *name, struct span arguments)
{
    (void)context;
    ck_assert_str_eq(who, resource);
    (void)snprintf(heard.name, sizeof heard.name, "%s", name);
    ck_assert_uint_le(arguments.size, sizeof heard.bytes);
    if (arguments.size > 0)
        memcpy(heard.bytes, arguments.data, arguments.size);
    heard.size = arguments.size;
    heard.events++;
}

static struct span key(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static void on_kv(void *context, uint64_t request, const struct kv_result *result)
{
    uint64_t next;

    (void)context;
    heard.answers++;
    heard.request = request;
    heard.result = *result;
    if (heard.asks_again)
        heard.asked_again = ask_kv_get(stage->shard, resource, key("again"), &next);
}

/* A handler that asks for two things. */
static bool on_raise(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    (void)context;
    (void)arguments;
    (void)count;
    heard.raised++;
    heard.event = event;
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "first", (struct span){ 0 }), REASON_NONE);
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "second", (struct span){ 0 }), REASON_NONE);
    return true;
}

static void setup(void)
{
    const struct event_hooks hooks = { .raise = on_raise, .on_broadcast = on_broadcast, .on_kv = on_kv };

    heard = (struct heard){ 0 };
    stage = stage_new(NULL, 0);
    shard_set_hooks(stage->shard, &hooks);
}

static void teardown(void)
{
    stage_free(stage);
}

/* ---- events of resources */

START_TEST(an_event_goes_to_the_coordinator_and_comes_back_to_all)
{
    const Bus__ScriptEvent *asked;
    Bus__Item item = BUS__ITEM__INIT;

    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "over", key("abc")), REASON_NONE);
    stage_pump(stage);
    asked = stage_asked(stage, BUS__ITEM__ITEM_SCRIPT_EVENT)->script_event;
    ck_assert_str_eq(asked->resource, resource);
    ck_assert_ptr_null(asked->cause);
    item.item_case = BUS__ITEM__ITEM_SCRIPT_EVENT;
    item.script_event = (Bus__ScriptEvent *)asked;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(heard.events, 1);
    ck_assert_str_eq(heard.name, "over");
    ck_assert_mem_eq(heard.bytes, "abc", 3);
}
END_TEST

START_TEST(an_event_has_its_limits)
{
    static uint8_t bytes[GAME_EVENT_SIZE_MAX + 1];

    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "", key("")), REASON_BAD_NAME);
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "a", (struct span){ bytes, sizeof bytes }),
                     REASON_TOO_LARGE);
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "a", (struct span){ bytes, sizeof bytes - 1 }),
                     REASON_NONE);
    stage_pump(stage);
    stage_coordinator_down(stage);
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "a", key("")), REASON_NO_COORDINATOR);
}
END_TEST

START_TEST(a_malformed_event_is_raised_nowhere)
{
    Bus__ScriptEvent event = BUS__SCRIPT_EVENT__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_SCRIPT_EVENT;
    item.script_event = &event;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
    stage_item(stage, STAGE_PEER_GATEWAY, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_FORBIDDEN), 1);
    ck_assert_uint_eq(heard.events, 0);
}
END_TEST

START_TEST(what_an_item_makes_a_shard_ask_carries_its_number_and_an_index)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    const Bus__Cause *cause;

    event_listen(stage->shard, EVENT_PLAYER_AUTH, true);
    stage_auth(stage, client, 17, "Alice");
    ck_assert_uint_eq(heard.raised, 1);
    cause = stage_asked(stage, BUS__ITEM__ITEM_SCRIPT_EVENT)->script_event->cause;
    ck_assert_uint_eq(cause->player->id, client->id);
    ck_assert_uint_eq(cause->player->token, client->token);
    ck_assert_uint_eq(cause->number, client->item);
    ck_assert_uint_eq(cause->index, 2);

    /* And nothing after it does. */
    ck_assert_int_eq(ask_broadcast(stage->shard, resource, "timer", key("")), REASON_NONE);
    stage_pump(stage);
    ck_assert_ptr_null(stage_asked(stage, BUS__ITEM__ITEM_SCRIPT_EVENT)->script_event->cause);
}
END_TEST

/* ---- storage */

static void answer(uint64_t request, bool ok, Bus__KvValue *value)
{
    Bus__KvAnswer message = BUS__KV_ANSWER__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    message.request = request;
    message.ok = ok;
    message.value = value;
    item.item_case = BUS__ITEM__ITEM_KV_ANSWER;
    item.kv_answer = &message;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

static uint64_t get(const char *name)
{
    uint64_t request;

    ck_assert_int_eq(ask_kv_get(stage->shard, resource, key(name), &request), REASON_NONE);
    stage_pump(stage);
    return request;
}

START_TEST(an_answer_comes_under_the_number_of_what_was_asked)
{
    Bus__KvValue value = BUS__KV_VALUE__INIT;
    uint64_t first = get("a");
    uint64_t second = get("b");

    value.value_case = BUS__KV_VALUE__VALUE_NUMBER;
    value.number = -3;
    answer(second, true, &value);
    ck_assert_uint_eq(heard.request, second);
    ck_assert(heard.result.is_ok && heard.result.has_value && heard.result.value.is_number);
    ck_assert_int_eq(heard.result.value.number, -3);
    answer(first, true, NULL);
    ck_assert_uint_eq(heard.request, first);
    ck_assert(heard.result.is_ok && !heard.result.has_value);
    answer(first, true, NULL);
    answer(second, true, NULL);
    answer(second + 1, true, NULL);
    answer(0, true, NULL);
    ck_assert_uint_eq(heard.answers, 2);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 4);
}
END_TEST

START_TEST(what_is_asked_of_the_storage_goes_as_it_is)
{
    struct kv_value value = { .bytes = key("text") };
    const Bus__KvAsk *ask;
    uint64_t request;

    ck_assert_int_eq(ask_kv_set(stage->shard, resource, key("k"), &value, &request), REASON_NONE);
    stage_pump(stage);
    ask = stage_asked(stage, BUS__ITEM__ITEM_KV_ASK)->kv_ask;
    ck_assert_int_eq(ask->op, BUS__KV_ASK__OP__OP_SET);
    ck_assert_uint_eq(ask->request, request);
    ck_assert_mem_eq(ask->value->bytes.data, "text", 4);
    ck_assert_int_eq(ask_kv_incr(stage->shard, resource, key("k"), INT64_MIN, &request), REASON_NONE);
    stage_pump(stage);
    ck_assert_int_eq(stage_asked(stage, BUS__ITEM__ITEM_KV_ASK)->kv_ask->value->number, INT64_MIN);
    ck_assert_int_eq(ask_kv_del(stage->shard, resource, key("k"), &request), REASON_NONE);
    stage_pump(stage);
    ck_assert_ptr_null(stage_asked(stage, BUS__ITEM__ITEM_KV_ASK)->kv_ask->value);
}
END_TEST

START_TEST(keys_and_values_have_their_limits)
{
    static uint8_t bytes[GAME_KV_VALUE_MAX + 1];
    struct kv_value value = { .bytes = { bytes, GAME_KV_VALUE_MAX } };
    uint64_t request;

    ck_assert_int_eq(ask_kv_get(stage->shard, resource, key(""), &request), REASON_BAD_NAME);
    ck_assert_int_eq(
        ask_kv_get(stage->shard, resource, (struct span){ bytes, GAME_KV_KEY_MAX + 1 }, &request),
        REASON_BAD_NAME);
    ck_assert_int_eq(ask_kv_get(stage->shard, resource, (struct span){ bytes, GAME_KV_KEY_MAX }, &request),
                     REASON_NONE);
    ck_assert_int_eq(ask_kv_set(stage->shard, resource, key("k"), &value, &request), REASON_NONE);
    value.bytes.size++;
    ck_assert_int_eq(ask_kv_set(stage->shard, resource, key("k"), &value, &request), REASON_TOO_LARGE);
    stage_pump(stage);
}
END_TEST

START_TEST(a_malformed_answer_is_dropped)
{
    static uint8_t bytes[GAME_KV_VALUE_MAX + 1];
    Bus__KvValue value = BUS__KV_VALUE__INIT;
    uint64_t request = get("a");

    answer(request, true, &value);
    value.value_case = BUS__KV_VALUE__VALUE_BYTES;
    value.bytes = (ProtobufCBinaryData){ sizeof bytes, bytes };
    answer(request, true, &value);
    value.bytes.len = 1;
    answer(request, false, &value);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 3);
    ck_assert_uint_eq(heard.answers, 0);
}
END_TEST

START_TEST(what_is_open_when_the_coordinator_goes_could_not_be_done)
{
    uint64_t request = get("a");

    (void)get("b");
    heard.asks_again = true;
    stage_coordinator_down(stage);
    ck_assert_uint_eq(heard.answers, 2);
    ck_assert(!heard.result.is_ok);
    ck_assert_int_eq(heard.asked_again, REASON_NO_COORDINATOR);
    stage_coordinator_up(stage);
    answer(request, true, NULL);
    ck_assert_uint_eq(heard.answers, 2);
}
END_TEST

START_TEST(what_may_be_open_has_an_end)
{
    uint64_t request;

    for (int i = 0; i < ASK_KV_MAX; i++)
        (void)get("a");
    ck_assert_int_eq(ask_kv_get(stage->shard, resource, key("a"), &request), REASON_TABLE_FULL);
    answer(1, true, NULL);
    ck_assert_int_eq(ask_kv_get(stage->shard, resource, key("a"), &request), REASON_NONE);
    ck_assert_uint_eq(request, ASK_KV_MAX + 1);
    stage_pump(stage);
}
END_TEST

/* ---- players */

START_TEST(a_kick_goes_to_the_players_gateway)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    ck_assert_int_eq(player_kick(stage->shard, stage_player(stage, client), KICK_KICKED, "Bye."),
                     REASON_NONE);
    stage_pump(stage);
    ck_assert(client->kicked);
    stage_gateway_down(stage, client->gateway);
    ck_assert_int_eq(player_kick(stage->shard, stage_player(stage, client), KICK_BANNED, "Bye."),
                     REASON_RECIPIENT_GONE);
}
END_TEST

START_TEST(a_ban_goes_to_the_coordinator)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    const Bus__Ban *ban;

    ck_assert_int_eq(player_ban(stage->shard, resource, stage_player(stage, client), "Cheating.", 60),
                     REASON_NONE);
    stage_pump(stage);
    ban = stage_asked(stage, BUS__ITEM__ITEM_BAN)->ban;
    ck_assert_uint_eq(ban->player->token, client->token);
    ck_assert_str_eq(ban->text, "Cheating.");
    ck_assert_uint_eq(ban->seconds, 60);
    stage_coordinator_down(stage);
    ck_assert_int_eq(player_ban(stage->shard, resource, stage_player(stage, client), "", 0),
                     REASON_NO_COORDINATOR);
}
END_TEST

START_TEST(texts_and_times_of_kicks_and_bans_have_their_limits)
{
    const struct player *player = stage_player(stage, stage_join(stage, 1, 0, 0));
    char text[ASK_KICK_TEXT_MAX + 2];

    memset(text, 'a', sizeof text);
    text[ASK_KICK_TEXT_MAX + 1] = '\0';
    ck_assert_int_eq(player_kick(stage->shard, player, KICK_KICKED, text), REASON_BAD_TEXT);
    ck_assert_int_eq(player_ban(stage->shard, resource, player, text, 0), REASON_BAD_TEXT);
    ck_assert_int_eq(player_kick(stage->shard, player, KICK_KICKED, "a\nb"), REASON_BAD_TEXT);
    ck_assert_int_eq(player_ban(stage->shard, resource, player, "\xff", 0), REASON_BAD_TEXT);
    ck_assert_int_eq(player_ban(stage->shard, resource, player, "", GAME_BAN_SECONDS_MAX + 1),
                     REASON_OUT_OF_BOUNDS);
    text[ASK_KICK_TEXT_MAX] = '\0';
    ck_assert_int_eq(player_ban(stage->shard, resource, player, text, GAME_BAN_SECONDS_MAX), REASON_NONE);
    ck_assert_int_eq(player_kick(stage->shard, player, KICK_KICKED, text), REASON_NONE);
    stage_pump(stage);
}
END_TEST

/* ---- accounts */

START_TEST(a_proven_account_is_the_players_and_is_told)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    event_listen(stage->shard, EVENT_PLAYER_AUTH, true);
    stage_auth(stage, client, 17, "Alice");
    ck_assert_uint_eq(stage_player(stage, client)->account.id, 17);
    ck_assert_str_eq(stage_player(stage, client)->account.name, "Alice");
    ck_assert_int_eq(heard.event, EVENT_PLAYER_AUTH);
}
END_TEST

START_TEST(an_account_that_is_none_is_malformed)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_auth(stage, client, 0, "Alice");
    stage_auth(stage, client, 17, "");
    stage_auth(stage, client, 17, "\xff");
    stage_auth(stage, client, 17, "123456789012345678901234567890123");
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 4);
    ck_assert_uint_eq(stage_player(stage, client)->account.id, 0);
    client->item--;
    stage_auth(stage, client, 17, "Alice"); /* an item that was applied before */
    ck_assert_uint_eq(stage_reason(stage, REASON_ITEM_REPEATED), 1);
    stage_auth(stage, client, 17, "12345678901234567890123456789012");
    ck_assert_uint_eq(stage_player(stage, client)->account.id, 17);
}
END_TEST

START_TEST(with_accounts_required_nobody_spawns_before_it_has_one)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    Bus__ClusterSettings settings = BUS__CLUSTER_SETTINGS__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    settings.require_account = true;
    item.item_case = BUS__ITEM__ITEM_SETTINGS;
    item.settings = &settings;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_AUTHENTICATED), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 0);
    stage_auth(stage, client, 17, "Alice");
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 1);
}
END_TEST

Suite *shard_ask_suite(void)
{
    Suite *suite = suite_create("shard_ask");
    TCase *tcase = tcase_create("ask");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_event_goes_to_the_coordinator_and_comes_back_to_all);
    tcase_add_test(tcase, an_event_has_its_limits);
    tcase_add_test(tcase, a_malformed_event_is_raised_nowhere);
    tcase_add_test(tcase, what_an_item_makes_a_shard_ask_carries_its_number_and_an_index);
    tcase_add_test(tcase, an_answer_comes_under_the_number_of_what_was_asked);
    tcase_add_test(tcase, what_is_asked_of_the_storage_goes_as_it_is);
    tcase_add_test(tcase, keys_and_values_have_their_limits);
    tcase_add_test(tcase, a_malformed_answer_is_dropped);
    tcase_add_test(tcase, what_is_open_when_the_coordinator_goes_could_not_be_done);
    tcase_add_test(tcase, what_may_be_open_has_an_end);
    tcase_add_test(tcase, a_kick_goes_to_the_players_gateway);
    tcase_add_test(tcase, a_ban_goes_to_the_coordinator);
    tcase_add_test(tcase, texts_and_times_of_kicks_and_bans_have_their_limits);
    tcase_add_test(tcase, a_proven_account_is_the_players_and_is_told);
    tcase_add_test(tcase, an_account_that_is_none_is_malformed);
    tcase_add_test(tcase, with_accounts_required_nobody_spawns_before_it_has_one);
    suite_add_tcase(suite, tcase);
    return suite;
}
