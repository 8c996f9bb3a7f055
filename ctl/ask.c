#include "ctl/ask.h"

#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/tool.h"

enum { STATUS_OK = 200, STATUS_NOT_FOUND = 404 };

int ask_parse(struct ask *ask, int argc, char **argv, unsigned options, int operands_min, int operands_max)
{
    static const struct option long_options[] = {
        { "admin", required_argument, NULL, 'a' },
        { "json", no_argument, NULL, ASK_HAS_JSON },
        { "for", required_argument, NULL, ASK_HAS_FOR },
        { 0 },
    };
    const char *url = getenv("DLMPCTL_ADMIN");
    int option;

    *ask = (struct ask){ .command = argv[0], .url = url != NULL && url[0] != '\0' ? url : ADMIN_URL };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (option == ':')
            return tool_fail_usage(ask->command, "%s needs a value", argv[optind - 1]);
        if (option == '?' || (option != 'a' && (options & (unsigned)option) == 0))
            return tool_fail_usage(ask->command, "unknown option '%s'", argv[optind - 1]);
        if (option == 'a')
            ask->url = optarg;
        else if (option == ASK_HAS_FOR)
            ask->lasting = optarg;
        else
            ask->as_json = true;
    }
    ask->operands = argv + optind;
    ask->operands_count = argc - optind;
    if (ask->operands_count < operands_min)
        return tool_fail_usage(ask->command, "something is missing");
    if (ask->operands_count > operands_max)
        return tool_fail_usage(ask->command, "unexpected '%s'", ask->operands[operands_max]);
    return TOOL_OK;
}

/* {"error":"…"}: what the coordinator says about it. */
static int fail_with(const struct ask *ask, int status, struct json_object *answer)
{
    const char *error = ask_text(answer, "error");

    if (error[0] != '\0')
        return tool_fail("%s: %s", ask->command, error);
    if (status == STATUS_NOT_FOUND)
        return tool_fail("what answers at %s is no coordinator", ask->url);
    return tool_fail("%s: the coordinator at %s answers with HTTP status %d", ask->command, ask->url, status);
}

int ask_coordinator(const struct ask *ask, const char *path, struct json_object *body,
                    struct json_object **answer)
{
    struct admin admin;
    char *text = NULL;
    int status;
    int result = TOOL_OK;

    *answer = NULL;
    if (admin_parse(&admin, ask->url) != 0)
        return tool_fail_usage(ask->command, "'%s' is no address like %s", ask->url, ADMIN_URL);
    status = admin_ask(&admin, path, body == NULL ? NULL : json_object_to_json_string(body), &text);
    if (status == 0) {
        free(text);
        (void)tool_fail("no coordinator answers at %s: is the cluster running? `dlmpctl up` starts one",
                        ask->url);
        return TOOL_MISSING;
    }
    if (text != NULL)
        *answer = json_tokener_parse(text);
    free(text);
    if (status != STATUS_OK)
        result = fail_with(ask, status, *answer);
    else if (!json_object_is_type(*answer, json_type_object))
        result = tool_fail("what answers at %s is no coordinator", ask->url);
    if (result != TOOL_OK) {
        json_object_put(*answer);
        *answer = NULL;
    }
    return result;
}

struct json_object *ask_member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;

    if (json_object_is_type(object, json_type_object))
        (void)json_object_object_get_ex(object, key, &value);
    return value;
}

const char *ask_text(struct json_object *object, const char *key)
{
    struct json_object *value = ask_member(object, key);

    return value == NULL ? "" : json_object_get_string(value);
}

double ask_real(struct json_object *object, const char *key)
{
    return json_object_get_double(ask_member(object, key));
}

bool ask_is_true(struct json_object *object, const char *key)
{
    return json_object_get_boolean(ask_member(object, key));
}

struct json_object *ask_list(struct json_object *object, const char *key)
{
    struct json_object *value = ask_member(object, key);

    return json_object_is_type(value, json_type_array) ? value : NULL;
}

void ask_print_json(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
}
