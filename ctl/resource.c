#include "ctl/resource.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/text.h"
#include "common/tool.h"
#include "ctl/ask.h"
#include "ctl/table.h"

enum {
    NAME_MAX_SIZE = 48, /* of a resource */
    ANSWER_MS = 5000,   /* ours: how long the shards have */
    LOOK_MS = 50,       /* ours: how often the coordinator is asked meanwhile */
    NS_PER_MS = 1000000,
};

/* clang-format off */
static const struct table_column state_columns[] = {
    { "SHARD", "shard", TABLE_TEXT },
    { "RESOURCE", "name", TABLE_TEXT },
    { "STATE", "state", TABLE_TEXT },
    { "WHY", "error", TABLE_TEXT },
    { .head = NULL },
};
static const struct table_column wish_columns[] = {
    { "ORDERED", "name", TABLE_TEXT },
    { "WISH", "wish", TABLE_TEXT },
    { .head = NULL },
};
static const struct table_column answer_columns[] = {
    { "SHARD", "shard", TABLE_TEXT },
    { "ANSWER", "state", TABLE_TEXT },
    { "WHY", "error", TABLE_TEXT },
    { .head = NULL },
};
/* clang-format on */

/* ---- how they stand */

static bool has_entries(struct json_object *list)
{
    return list != NULL && json_object_array_length(list) > 0;
}

static int list(const struct ask *ask)
{
    struct json_object *answer;
    int status;

    if (ask->operands_count > 1)
        return tool_fail_usage(ask->command, "unexpected '%s'", ask->operands[1]);
    status = ask_coordinator(ask, "/api/resources", NULL, &answer);
    if (status != TOOL_OK)
        return status;
    if (ask->as_json) {
        ask_print_json(answer);
    } else {
        table_print_list(state_columns, ask_list(answer, "resources"), stdout);
        if (has_entries(ask_list(answer, "wishes"))) {
            fputc('\n', stdout);
            table_print_list(wish_columns, ask_list(answer, "wishes"), stdout);
        }
    }
    json_object_put(answer);
    return TOOL_OK;
}

/* ---- orders */

/* Asks until all shards have answered or the time is up. */
static int wait_for_answers(const struct ask *ask, uint64_t order, struct json_object **answer)
{
    const struct timespec pause = { .tv_nsec = LOOK_MS * NS_PER_MS };
    char path[64];

    (void)snprintf(path, sizeof path, "/api/orders/%llu", (unsigned long long)order);
    for (int passed_ms = 0;; passed_ms += LOOK_MS) {
        int status = ask_coordinator(ask, path, NULL, answer);

        if (status != TOOL_OK || ask_is_true(*answer, "done") || passed_ms >= ANSWER_MS)
            return status;
        json_object_put(*answer);
        (void)nanosleep(&pause, NULL);
    }
}

static int show_answers(const struct ask *ask, struct json_object *answer)
{
    bool is_ok = ask_is_true(answer, "ok");

    if (ask->as_json)
        ask_print_json(answer);
    else
        table_print_list(answer_columns, ask_list(answer, "shards"), stdout);
    return is_ok ? TOOL_OK : TOOL_FAILED;
}

static int order(const struct ask *ask, const char *name)
{
    struct json_object *body = json_object_new_object();
    struct json_object *answer;
    uint64_t number = 0;
    int status;

    (void)json_object_object_add(body, "op", json_object_new_string(ask->operands[0]));
    (void)json_object_object_add(body, "name", json_object_new_string(name));
    status = ask_coordinator(ask, "/api/resource", body, &answer);
    json_object_put(body);
    if (status != TOOL_OK)
        return status;
    number = json_object_get_uint64(ask_member(answer, "order"));
    json_object_put(answer);
    status = wait_for_answers(ask, number, &answer);
    if (status != TOOL_OK)
        return status;
    status = show_answers(ask, answer);
    json_object_put(answer);
    return status;
}

int resource_run(int argc, char **argv)
{
    static const char *const ops[] = { "start", "stop", "restart", "reload" };
    struct ask ask;
    int status = ask_parse(&ask, argc, argv, ASK_HAS_JSON, 1, 2);

    if (status != TOOL_OK)
        return status;
    if (strcmp(ask.operands[0], "list") == 0)
        return list(&ask);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ask.operands[0], ops[i]) != 0)
            continue;
        if (ask.operands_count < 2)
            return tool_fail_usage(ask.command, "%s: the name of a resource is missing", ops[i]);

        struct span name = { (const uint8_t *)ask.operands[1], strlen(ask.operands[1]) };

        if (name.size == 0 || name.size > NAME_MAX_SIZE || !text_is_resource(name))
            return tool_fail_usage(ask.command, "'%s' is no name of a resource", ask.operands[1]);
        return order(&ask, ask.operands[1]);
    }
    return tool_fail_usage(ask.command, "expected list, start, stop, restart or reload, not '%s'",
                           ask.operands[0]);
}
