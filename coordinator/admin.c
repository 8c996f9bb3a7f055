#include "coordinator/admin.h"

#include <json-c/json.h>
#include <string.h>

#include "common/clock.h"
#include "coordinator/metrics.h"
#include "coordinator/number.h"
#include "coordinator/resources_show.h"
#include "coordinator/status.h"
#include "proto/document.h"

enum { TEXT_SIZE = 1024, SECONDS_MAX = 20 * 366 * 24 * 3600 };

/* ---- bodies ---- */

/* What a body may hold: each key at most once, and read into its place when it is there. */
struct body {
    bool has_player;
    uint64_t player;
    const char *name; /* NULL: not there; borrowed of the document */
    const char *address;
    bool has_account;
    uint64_t account;
    bool has_seconds;
    uint64_t seconds;
    const char *text;
    const char *op;
};

enum key {
    KEY_PLAYER = 1,
    KEY_NAME = 2,
    KEY_ADDRESS = 4,
    KEY_ACCOUNT = 8,
    KEY_SECONDS = 16,
    KEY_TEXT = 32,
    KEY_OP = 64
};

enum {
    KEYS_OF_KICK = KEY_PLAYER | KEY_NAME | KEY_TEXT,
    KEYS_OF_SUBJECT = KEY_ADDRESS | KEY_NAME | KEY_ACCOUNT
};

static bool read_text(struct http_reply *reply, const char *key, struct json_object *value, const char **text)
{
    if (!json_object_is_type(value, json_type_string) ||
        strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value)) {
        http_fail(reply, 400, "%s: expected a text without zero bytes", key);
        return false;
    }
    *text = json_object_get_string(value);
    return true;
}

static bool read_number(struct http_reply *reply, const char *key, struct json_object *value, uint64_t max,
                        uint64_t *number)
{
    bool is_number = json_object_is_type(value, json_type_int) &&
                     (json_object_get_int64(value) >= 0 || json_object_get_uint64(value) > INT64_MAX);

    *number = is_number ? json_object_get_uint64(value) : 0;
    if (is_number && *number <= max)
        return true;
    http_fail(reply, 400, "%s: expected a whole number 0..=%ju", key, (uintmax_t)max);
    return false;
}

static bool read_member(struct http_reply *reply, const char *key, struct json_object *value,
                        unsigned allowed, struct body *body)
{
    if (strcmp(key, "player") == 0 && (allowed & KEY_PLAYER) != 0) {
        body->has_player = true;
        return read_number(reply, key, value, DIRECTORY_IDS - 1, &body->player);
    }
    if (strcmp(key, "account") == 0 && (allowed & KEY_ACCOUNT) != 0) {
        body->has_account = true;
        return read_number(reply, key, value, UINT64_MAX, &body->account);
    }
    if (strcmp(key, "seconds") == 0 && (allowed & KEY_SECONDS) != 0) {
        body->has_seconds = true;
        return read_number(reply, key, value, SECONDS_MAX, &body->seconds);
    }
    if (strcmp(key, "name") == 0 && (allowed & KEY_NAME) != 0)
        return read_text(reply, key, value, &body->name);
    if (strcmp(key, "address") == 0 && (allowed & KEY_ADDRESS) != 0)
        return read_text(reply, key, value, &body->address);
    if (strcmp(key, "text") == 0 && (allowed & KEY_TEXT) != 0)
        return read_text(reply, key, value, &body->text);
    if (strcmp(key, "op") == 0 && (allowed & KEY_OP) != 0)
        return read_text(reply, key, value, &body->op);
    http_fail(reply, 400, "%.60s: unknown key", key);
    return false;
}

/* The document, which the texts of the body live in, for the caller to put. NULL: that was answered. */
static struct json_object *read_body(const struct http_request *request, struct http_reply *reply,
                                     unsigned allowed, struct body *body)
{
    char message[TEXT_SIZE];
    struct json_object *document = document_read(request->body, message, sizeof message);
    bool is_good = true;

    *body = (struct body){ 0 };
    if (document == NULL) {
        http_fail(reply, 400, "the body: %s", message);
        return NULL;
    }
    json_object_object_foreach(document, key, value)
    {
        is_good = is_good && read_member(reply, key, value, allowed, body);
    }
    if (is_good)
        return document;
    json_object_put(document);
    return NULL;
}

/* ---- answers ---- */

static void answer(struct http_reply *reply, enum coordinator_done done)
{
    switch (done) {
    case COORDINATOR_DONE:
        (void)fputs("{\"ok\":true}\n", reply->body);
        break;
    case COORDINATOR_NOT_FOUND:
        http_fail(reply, 404, "there is no such player or entry");
        break;
    case COORDINATOR_FULL:
        http_fail(reply, 409, "the list is full");
        break;
    case COORDINATOR_FIXED:
        http_fail(reply, 409, "the entry is in the settings file, and is changed there");
        break;
    case COORDINATOR_BAD_TEXT:
        http_fail(reply, 400, "text: too long, empty where it must not be, or with control characters");
        break;
    case COORDINATOR_BAD_NAME:
        http_fail(reply, 400,
                  "expected start, stop, restart or reload, and a name of small letters, digits, _ and -");
        break;
    case COORDINATOR_NO_SHARD:
        http_fail(reply, 409, "no shard is up");
        break;
    case COORDINATOR_NOT_READY:
        http_fail(reply, 503, "nothing has been loaded from Redis yet");
        break;
    }
}

static void get_status(void *context, const struct http_request *request, struct http_reply *reply)
{
    (void)request;
    status_print(context, reply->body);
}

static void get_players(void *context, const struct http_request *request, struct http_reply *reply)
{
    (void)request;
    status_print_players(context, reply->body);
}

static void get_bans(void *context, const struct http_request *request, struct http_reply *reply)
{
    (void)request;
    status_print_lists(context, reply->body);
}

/* ---- players ---- */

static void kick(struct coordinator *coordinator, const struct body *body, struct http_reply *reply)
{
    struct member_ref ref = { .id = (uint32_t)body->player };
    const char *text = body->text == NULL ? "" : body->text;

    if (body->has_player == (body->name != NULL)) {
        http_fail(reply, 400, "expected either player or name");
        return;
    }
    if (body->name != NULL) {
        const struct member *member = coordinator_find(coordinator, body->name);

        if (member == NULL) {
            answer(reply, COORDINATOR_NOT_FOUND);
            return;
        }
        ref = member->ref;
    }
    answer(reply, coordinator_kick(coordinator, clock_ms(), ref, text));
}

static void post_kick(void *context, const struct http_request *request, struct http_reply *reply)
{
    struct body body;
    struct json_object *document = read_body(request, reply, KEYS_OF_KICK, &body);

    if (document == NULL)
        return;
    kick(context, &body, reply);
    json_object_put(document);
}

static void post_say(void *context, const struct http_request *request, struct http_reply *reply)
{
    struct body body;
    struct json_object *document = read_body(request, reply, KEY_TEXT, &body);

    if (document == NULL)
        return;
    answer(reply, body.text == NULL ? COORDINATOR_BAD_TEXT : coordinator_say(context, clock_ms(), body.text));
    json_object_put(document);
}

/* ---- lists ---- */

/* False: that was answered. */
static bool read_subject(const struct body *body, struct http_reply *reply, struct ban_subject *subject)
{
    int count = (body->address != NULL) + (body->name != NULL) + body->has_account;
    bool is_good = false;

    if (count != 1) {
        http_fail(reply, 400, "expected one of address, name and account");
        return false;
    }
    if (body->address != NULL)
        is_good = ban_subject_of_network(subject, body->address);
    else if (body->name != NULL)
        is_good = ban_subject_of_name(subject, body->name);
    else
        is_good = ban_subject_of_account(subject, body->account);
    if (!is_good)
        http_fail(reply, 400,
                  "expected an address, a network, a name that a player can have, or an account but 0");
    return is_good;
}

static void add_entry(struct coordinator *coordinator, const struct http_request *request,
                      struct http_reply *reply, enum storage_list list)
{
    struct body body;
    struct json_object *document = read_body(request, reply, KEYS_OF_SUBJECT | KEY_SECONDS | KEY_TEXT, &body);
    struct ban_subject subject;

    if (document == NULL)
        return;
    if (body.has_seconds && body.seconds == 0)
        http_fail(reply, 400, "seconds: expected at least 1; without it there is no end");
    else if (read_subject(&body, reply, &subject))
        answer(reply, coordinator_list_add(coordinator, clock_ms(), list, &subject,
                                           body.has_seconds ? body.seconds * 1000 : BAN_FOREVER,
                                           body.text == NULL ? "" : body.text));
    json_object_put(document);
}

static void remove_entry(struct coordinator *coordinator, const struct http_request *request,
                         struct http_reply *reply, enum storage_list list)
{
    struct body body;
    struct json_object *document = read_body(request, reply, KEYS_OF_SUBJECT, &body);
    struct ban_subject subject;

    if (document == NULL)
        return;
    if (read_subject(&body, reply, &subject))
        answer(reply, coordinator_list_remove(coordinator, clock_ms(), list, &subject));
    json_object_put(document);
}

static void post_ban(void *context, const struct http_request *request, struct http_reply *reply)
{
    add_entry(context, request, reply, STORAGE_BANNED);
}

static void post_unban(void *context, const struct http_request *request, struct http_reply *reply)
{
    remove_entry(context, request, reply, STORAGE_BANNED);
}

static void post_allow(void *context, const struct http_request *request, struct http_reply *reply)
{
    add_entry(context, request, reply, STORAGE_ALLOWED);
}

static void post_disallow(void *context, const struct http_request *request, struct http_reply *reply)
{
    remove_entry(context, request, reply, STORAGE_ALLOWED);
}

/* ---- resources ---- */

static void get_resources(void *context, const struct http_request *request, struct http_reply *reply)
{
    (void)request;
    resources_show(context, reply->body);
}

static void post_resource(void *context, const struct http_request *request, struct http_reply *reply)
{
    struct body body;
    struct json_object *document = read_body(request, reply, KEY_OP | KEY_NAME, &body);
    enum coordinator_done done = COORDINATOR_BAD_NAME;
    uint64_t number = 0;

    if (document == NULL)
        return;
    if (body.op != NULL && body.name != NULL)
        done = coordinator_order(context, clock_ms(), coordinator_order_find(body.op), body.name, &number);
    if (done == COORDINATOR_DONE)
        (void)fprintf(reply->body, "{\"order\":%ju}\n", (uintmax_t)number);
    else
        answer(reply, done);
    json_object_put(document);
}

static void get_order(void *context, const struct http_request *request, struct http_reply *reply)
{
    struct span rest = { (const uint8_t *)request->rest, strlen(request->rest) };
    uint64_t number;

    if (!number_read(rest, UINT64_MAX, &number) || !resources_show_order(context, number, reply->body))
        http_fail(reply, 404, "there is no such order, or it was long ago");
}

/* ---- the server ---- */

static bool is_ready(void *context, FILE *why)
{
    const char *unready = coordinator_unready(context);

    if (unready != NULL)
        (void)fputs(unready, why);
    return unready == NULL;
}

static void print_metrics(void *context, FILE *out)
{
    coordinator_metrics_print(coordinator_stats(context), out);
}

/* clang-format off */
static const struct http_route routes[] = {
    { HTTP_GET,  "/api/status",   get_status    },
    { HTTP_GET,  "/api/players",  get_players   },
    { HTTP_GET,  "/api/bans",     get_bans      },
    { HTTP_POST, "/api/kick",     post_kick     },
    { HTTP_POST, "/api/ban",      post_ban      },
    { HTTP_POST, "/api/unban",    post_unban    },
    { HTTP_POST, "/api/allow",    post_allow    },
    { HTTP_POST, "/api/disallow", post_disallow },
    { HTTP_POST, "/api/say",      post_say      },
    { HTTP_GET,  "/api/resources", get_resources },
    { HTTP_POST, "/api/resource", post_resource },
    { HTTP_GET,  "/api/orders/*", get_order     },
    { .path = NULL },
};
/* clang-format on */

struct http *coordinator_admin_open(const char *address, uint16_t port, struct coordinator *coordinator,
                                    struct event_base *base)
{
    const struct http_config config = { .address = address,
                                        .port = port,
                                        .context = coordinator,
                                        .is_ready = is_ready,
                                        .print_metrics = print_metrics,
                                        .routes = routes };

    return http_open(&config, base);
}
