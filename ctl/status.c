#include "ctl/status.h"

#include <json-c/json.h>
#include <stdio.h>

#include "common/tool.h"
#include "ctl/ask.h"
#include "ctl/table.h"

/* clang-format off */
static const struct table_column process_columns[] = {
    { "PROCESS", "name", TABLE_TEXT },
    { "ROLE", "role", TABLE_TEXT },
    { "PID", "pid", TABLE_NUMBER },
    { "STATE", "state", TABLE_TEXT },
    { "UP S", "since_s", TABLE_NUMBER },
    { "BOOT", "boot", TABLE_TEXT },
    { .head = NULL },
};
static const struct table_column shard_columns[] = {
    { "SHARD", "name", TABLE_TEXT },
    { "STATE", "state", TABLE_TEXT },
    { "SLOTS", "slots", TABLE_TEXT },
    { "PLAYERS", "players", TABLE_NUMBER },
    { "VEHICLES", "vehicles", TABLE_NUMBER },
    { "TICK MS", "tick_ms", TABLE_REAL },
    { .head = NULL },
};
static const struct table_column gateway_columns[] = {
    { "GATEWAY", "name", TABLE_TEXT },
    { "STATE", "state", TABLE_TEXT },
    { "ENDPOINT", "endpoint", TABLE_TEXT },
    { "CONNECTIONS", "connections", TABLE_NUMBER },
    { "IN/S", "packets_in_per_s", TABLE_NUMBER },
    { "OUT/S", "packets_out_per_s", TABLE_NUMBER },
    { .head = NULL },
};
/* clang-format on */

static void print_redis(struct json_object *redis)
{
    const char *error = ask_text(redis, "error");

    if (ask_is_true(redis, "connected"))
        fputs("connected", stdout);
    else
        printf("away for %.0f s%s%s", ask_real(redis, "since_s"), error[0] != '\0' ? ": " : "", error);
}

static void print_status(struct json_object *status)
{
    const char *unready = ask_text(status, "unready");

    printf("cluster   %s%s\n", ask_is_true(status, "ready") ? "ready" : "not ready: ", unready);
    printf("players   %.0f of %.0f\n", ask_real(status, "players"), ask_real(status, "max_players"));
    fputs("redis     ", stdout);
    print_redis(ask_member(status, "redis"));
    printf("\nmap       revision %.0f\n\n", ask_real(ask_member(status, "map"), "revision"));
    table_print_list(process_columns, ask_list(status, "processes"), stdout);
    fputc('\n', stdout);
    table_print_list(shard_columns, ask_list(status, "shards"), stdout);
    fputc('\n', stdout);
    table_print_list(gateway_columns, ask_list(status, "gateways"), stdout);
}

int status_run(int argc, char **argv)
{
    struct ask ask;
    struct json_object *status;
    int result;

    result = ask_parse(&ask, argc, argv, ASK_HAS_JSON, 0, 0);
    if (result == TOOL_OK)
        result = ask_coordinator(&ask, "/api/status", NULL, &status);
    if (result != TOOL_OK)
        return result;
    if (ask.as_json)
        ask_print_json(status);
    else
        print_status(status);
    json_object_put(status);
    return TOOL_OK;
}
