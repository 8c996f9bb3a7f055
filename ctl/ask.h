/* ask.h - what the commands that ask the coordinator have in common: its address, and what it answers.
 *
 * The address is --admin's, or $DLMPCTL_ADMIN's, or http://127.0.0.1:8080. */
#ifndef DLMP_CTL_ASK_H
#define DLMP_CTL_ASK_H

#include <stdbool.h>

#include "ctl/admin.h"

struct json_object; /* json-c's */

struct ask {
    const char *command;
    const char *url;
    bool as_json;
    const char *lasting; /* --for's value; NULL: for ever */
    char **operands;
    int operands_count;
};

enum { ASK_HAS_JSON = 1, ASK_HAS_FOR = 2 };

/* The command's name is argv[0]. The status to exit with, TOOL_OK: go on. */
int ask_parse(struct ask *ask, int argc, char **argv, unsigned options, int operands_min, int operands_max);

/* Asks, and hands the answer over, an object to be freed with json_object_put. A body (NULL: none) is sent
 * with a POST. The status to exit with; what went wrong was said. */
int ask_coordinator(const struct ask *ask, const char *path, struct json_object *body,
                    struct json_object **answer);

/* Members of an object; of whatever it is: "", 0, false, NULL when it has no such. Borrowed. */
const char *ask_text(struct json_object *object, const char *key);
double ask_real(struct json_object *object, const char *key);
bool ask_is_true(struct json_object *object, const char *key);
struct json_object *ask_member(struct json_object *object, const char *key);
struct json_object *ask_list(struct json_object *object, const char *key);

/* As a text of several lines on stdout. */
void ask_print_json(struct json_object *object);

#endif
