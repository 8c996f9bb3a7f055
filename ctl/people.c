#include "ctl/people.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/tool.h"
#include "ctl/ask.h"
#include "ctl/table.h"

/* clang-format off */
static const struct table_column player_columns[] = {
    { "ID", "id", TABLE_NUMBER },
    { "NAME", "name", TABLE_TEXT },
    { "GATEWAY", "gateway", TABLE_TEXT },
    { "SHARD", "shard", TABLE_TEXT },
    { "RTT MS", "rtt_ms", TABLE_NUMBER },
    { "HERE S", "connected_s", TABLE_NUMBER },
    { "ADDRESS", "address", TABLE_TEXT },
    { "ACCOUNT", "account_name", TABLE_TEXT },
    { .head = NULL },
};
static const struct table_column ban_columns[] = {
    { "BANNED", "subject", TABLE_TEXT },
    { "SECONDS LEFT", "seconds_left", TABLE_TEXT },
    { "WHY", "text", TABLE_TEXT },
    { .head = NULL },
};
static const struct table_column allowed_columns[] = {
    { "ALLOWED", "subject", TABLE_TEXT },
    { "SECONDS LEFT", "seconds_left", TABLE_TEXT },
    { "WHY", "text", TABLE_TEXT },
    { .head = NULL },
};
/* clang-format on */

/* The answer to a question without a body, for people or as it is. */
static int show(int argc, char **argv, const char *path, void (*print)(struct json_object *answer))
{
    struct ask ask;
    struct json_object *answer;
    int status = ask_parse(&ask, argc, argv, ASK_HAS_JSON, 0, 0);

    if (status == TOOL_OK)
        status = ask_coordinator(&ask, path, NULL, &answer);
    if (status != TOOL_OK)
        return status;
    if (ask.as_json)
        ask_print_json(answer);
    else
        print(answer);
    json_object_put(answer);
    return TOOL_OK;
}

static void print_players(struct json_object *answer)
{
    table_print_list(player_columns, ask_list(answer, "players"), stdout);
}

int players_run(int argc, char **argv)
{
    return show(argc, argv, "/api/players", print_players);
}

static void print_lists(struct json_object *answer)
{
    table_print_list(ban_columns, ask_list(answer, "banned"), stdout);
    fputc('\n', stdout);
    table_print_list(allowed_columns, ask_list(answer, "allowed"), stdout);
    if (!ask_is_true(answer, "allow_list"))
        puts("(the allow list is off: everybody may come in)");
}

int bans_run(int argc, char **argv)
{
    return show(argc, argv, "/api/bans", print_lists);
}

/* ---- orders */

/* Sends the order, and gives up its body. */
static int order(const struct ask *ask, const char *path, struct json_object *body)
{
    struct json_object *answer;
    int status = ask_coordinator(ask, path, body, &answer);

    json_object_put(body);
    json_object_put(answer);
    return status;
}

static void add_text(struct json_object *body, const char *key, const char *text)
{
    (void)json_object_object_add(body, key, json_object_new_string(text));
}

/* The same with the text that may follow the first operands. */
static int order_with_text(const struct ask *ask, const char *path, struct json_object *body, int taken)
{
    if (ask->operands_count > taken + 1) {
        json_object_put(body);
        return tool_fail_usage(ask->command, "unexpected '%s'", ask->operands[taken + 1]);
    }
    if (ask->operands_count > taken)
        add_text(body, "text", ask->operands[taken]);
    return order(ask, path, body);
}

int kick_run(int argc, char **argv)
{
    struct ask ask;
    struct json_object *body;
    uint64_t id;
    int taken = 1;
    int status = ask_parse(&ask, argc, argv, 0, 1, 3);

    if (status != TOOL_OK)
        return status;
    body = json_object_new_object();
    if (ask.operands_count > 1 && strcmp(ask.operands[0], "name") == 0) {
        add_text(body, "name", ask.operands[1]);
        taken = 2;
    } else if (tool_number(ask.operands[0], 0, UINT32_MAX, &id)) {
        (void)json_object_object_add(body, "player", json_object_new_uint64(id));
    } else {
        json_object_put(body);
        return tool_fail_usage(ask.command, "'%s' is no player's id: `dlmpctl players` lists them",
                               ask.operands[0]);
    }
    return order_with_text(&ask, "/api/kick", body, taken);
}

/* ---- lists */

/* "90s", "30m", "2h", "7d" in seconds; 0: it is none of these. */
static uint64_t read_duration(const char *text)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 60 * 60 }, { 'd', 24 * 60 * 60 } };
    enum { NUMBER_MAX = 100000, DIGITS_MAX = 6 };
    char number[DIGITS_MAX + 1];
    size_t size = strspn(text, "0123456789");
    uint64_t value;

    if (size > DIGITS_MAX || text[size] == '\0' || text[size + 1] != '\0')
        return 0;
    memcpy(number, text, size);
    number[size] = '\0';
    if (!tool_number(number, 1, NUMBER_MAX, &value))
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (units[i].unit == text[size])
            return value * units[i].seconds;
    }
    return 0;
}

/* `10.0.0.0/8`, `name alice`, `account 17`: how many operands it takes is returned, 0 when it is none. */
static int add_subject(struct json_object *body, char **operands, int count)
{
    uint64_t account;

    if (count > 1 && strcmp(operands[0], "name") == 0) {
        add_text(body, "name", operands[1]);
        return 2;
    }
    if (count > 1 && strcmp(operands[0], "account") == 0) {
        if (!tool_number(operands[1], 1, UINT64_MAX, &account))
            return 0;
        (void)json_object_object_add(body, "account", json_object_new_uint64(account));
        return 2;
    }
    add_text(body, "address", operands[0]);
    return 1;
}

static int change_list(int argc, char **argv, const char *path, bool is_addition)
{
    struct ask ask;
    struct json_object *body;
    int taken;
    int status = ask_parse(&ask, argc, argv, is_addition ? ASK_HAS_FOR : 0, 1, is_addition ? 3 : 2);
    uint64_t seconds = 0;

    if (status != TOOL_OK)
        return status;
    if (ask.lasting != NULL)
        seconds = read_duration(ask.lasting);
    if (ask.lasting != NULL && seconds == 0)
        return tool_fail_usage(ask.command, "--for: expected a time like 90s, 30m, 2h or 7d, not '%s'",
                               ask.lasting);
    body = json_object_new_object();
    taken = add_subject(body, ask.operands, ask.operands_count);
    if (taken == 0 || (!is_addition && ask.operands_count > taken)) {
        json_object_put(body);
        return taken == 0 ? tool_fail_usage(ask.command, "'%s' is no account's id", ask.operands[1])
                          : tool_fail_usage(ask.command, "unexpected '%s'", ask.operands[taken]);
    }
    if (seconds > 0)
        (void)json_object_object_add(body, "seconds", json_object_new_uint64(seconds));
    return order_with_text(&ask, path, body, taken);
}

int ban_run(int argc, char **argv)
{
    return change_list(argc, argv, "/api/ban", true);
}

int unban_run(int argc, char **argv)
{
    return change_list(argc, argv, "/api/unban", false);
}

int allow_run(int argc, char **argv)
{
    return change_list(argc, argv, "/api/allow", true);
}

int disallow_run(int argc, char **argv)
{
    return change_list(argc, argv, "/api/disallow", false);
}

int say_run(int argc, char **argv)
{
    struct ask ask;
    struct json_object *body;
    int status = ask_parse(&ask, argc, argv, 0, 1, 1);

    if (status != TOOL_OK)
        return status;
    body = json_object_new_object();
    add_text(body, "text", ask.operands[0]);
    return order(&ask, "/api/say", body);
}
