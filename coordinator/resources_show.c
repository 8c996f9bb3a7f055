#include "coordinator/resources_show.h"

#include <json-c/json.h>

#include "coordinator/state.h"

static void put(struct json_object *object, const char *key, struct json_object *value)
{
    (void)json_object_object_add(object, key, value);
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
    put(object, key, json_object_new_string(text));
}

static void print(struct json_object *object, FILE *out)
{
    (void)fputs(
        json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), out);
    (void)fputc('\n', out);
    json_object_put(object);
}

/* ---- how they stand ---- */

static const char *state_name(Bus__ResourceState__Stands stands)
{
    switch (stands) {
    case BUS__RESOURCE_STATE__STANDS__RUNNING:
        return "running";
    case BUS__RESOURCE_STATE__STANDS__STOPPED:
        return "stopped";
    case BUS__RESOURCE_STATE__STANDS__FAILED:
        return "failed";
    case BUS__RESOURCE_STATE__STANDS__OFF:
        return "off by the watchdog";
    default:
        return "";
    }
}

static void put_report(struct json_object *list, const char *shard, const struct resource_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct resource_state *state = &report->resources[i];
        struct json_object *entry = json_object_new_object();

        put_text(entry, "shard", shard);
        put_text(entry, "name", state->name);
        put_text(entry, "state", state_name(state->stands));
        put_text(entry, "error", state->error);
        (void)json_object_array_add(list, entry);
    }
}

void resources_show(const struct coordinator *coordinator, FILE *out)
{
    const struct registry *registry = &coordinator->registry;
    const struct resources *resources = &coordinator->resources;
    struct json_object *object = json_object_new_object();
    struct json_object *list = json_object_new_array();
    struct json_object *wishes = json_object_new_array();

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        const struct resource_report *report = resources_report_of(coordinator, i);

        if (report != NULL)
            put_report(list, registry->processes[i].name, report);
    }
    for (size_t i = 0; i < resources->wishes_count; i++) {
        struct json_object *entry = json_object_new_object();

        put_text(entry, "name", resources->wishes[i].name);
        put_text(entry, "wish", resources->wishes[i].runs ? "start" : "stop");
        (void)json_object_array_add(wishes, entry);
    }
    put(object, "resources", list);
    put(object, "wishes", wishes);
    print(object, out);
}

/* ---- an order ---- */

/* One that has gone away is not waited for. */
static bool is_gone(const struct coordinator *coordinator, const struct resource_answer *answer)
{
    const struct process *shard = &coordinator->registry.processes[answer->shard];

    return answer->state == ANSWER_AWAITED && (shard->state != PROCESS_UP || shard->boot != answer->boot);
}

static const char *answer_name(const struct coordinator *coordinator, const struct resource_answer *answer)
{
    static const char *const names[] = {
        [ANSWER_AWAITED] = "awaited", [ANSWER_DONE] = "done", [ANSWER_REFUSED] = "failed"
    };

    return is_gone(coordinator, answer) ? "gone" : names[answer->state];
}

bool resources_show_order(const struct coordinator *coordinator, uint64_t number, FILE *out)
{
    const struct resource_order *order = resources_find_order(&coordinator->resources, number);
    struct json_object *object;
    struct json_object *list;
    bool is_over = true;
    bool is_ok = true;

    if (order == NULL)
        return false;
    object = json_object_new_object();
    list = json_object_new_array();
    for (size_t i = 0; i < order->answers_count; i++) {
        const struct resource_answer *answer = &order->answers[i];
        struct json_object *entry = json_object_new_object();

        is_over = is_over && (answer->state != ANSWER_AWAITED || is_gone(coordinator, answer));
        is_ok = is_ok && answer->state == ANSWER_DONE;
        put_text(entry, "shard", coordinator->registry.processes[answer->shard].name);
        put_text(entry, "state", answer_name(coordinator, answer));
        put_text(entry, "error", answer->error);
        (void)json_object_array_add(list, entry);
    }
    put(object, "order", json_object_new_uint64(number));
    put_text(object, "op", coordinator_order_name(order->op));
    put_text(object, "resource", order->name);
    put(object, "done", json_object_new_boolean(is_over));
    put(object, "ok", json_object_new_boolean(is_ok));
    put(object, "shards", list);
    print(object, out);
    return true;
}
