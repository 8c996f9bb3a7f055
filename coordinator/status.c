#include "coordinator/status.h"

#include <assert.h>
#include <json-c/json.h>
#include <string.h>

#include "common/address.h"
#include "coordinator/state.h"

enum { MS_PER_S = 1000 };

/* ---- JSON ---- */

/* The object takes the value. json-c returns NULL for want of memory alone, and NULL is JSON's null. */
static void put(struct json_object *object, const char *key, struct json_object *value)
{
    (void)json_object_object_add(object, key, value);
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
    put(object, key, json_object_new_string(text));
}

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
    put(object, key, json_object_new_uint64(number));
}

static void put_bool(struct json_object *object, const char *key, bool value)
{
    put(object, key, json_object_new_boolean(value));
}

/* Three digits after the point are more than anybody reads. */
static void put_real(struct json_object *object, const char *key, double number)
{
    char text[64];

    (void)snprintf(text, sizeof text, "%.3f", number);
    put(object, key, json_object_new_double_s(number, text));
}

static void append(struct json_object *array, struct json_object *value)
{
    (void)json_object_array_add(array, value);
}

static void print(struct json_object *object, FILE *out)
{
    (void)fputs(
        json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), out);
    (void)fputc('\n', out);
    json_object_put(object);
}

/* ---- processes ---- */

static struct json_object *process_head(const char *role, const char *name, uint32_t pid, uint64_t boot,
                                        const char *state, uint64_t since_s)
{
    struct json_object *object = json_object_new_object();
    char text[17];

    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)boot);
    put_text(object, "role", role);
    put_text(object, "name", name);
    put_number(object, "pid", pid);
    put_text(object, "boot", text);
    put_text(object, "state", state);
    put_number(object, "since_s", since_s);
    return object;
}

static uint64_t age_s(const struct coordinator *coordinator, uint64_t since_ms)
{
    return (coordinator->now_ms - since_ms) / MS_PER_S;
}

static struct json_object *processes(const struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;
    struct json_object *array = json_object_new_array();

    append(array, process_head("coordinator", coordinator->name, coordinator->pid, coordinator->boot,
                               coordinator_unready(coordinator) == NULL ? "up" : "not ready",
                               age_s(coordinator, coordinator->started_ms)));
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        const struct process *process = &registry->processes[i];

        append(array, process_head(process->role == BUS__ROLE__ROLE_SHARD ? "shard" : "gateway",
                                   process->name, process->pid, process->boot, process_state_name(process),
                                   age_s(coordinator, process->since_ms)));
    }
    return array;
}

static struct json_object *slots_of(const struct coordinator *coordinator, uint16_t shard)
{
    struct json_object *array = json_object_new_array();

    for (uint32_t i = 0; i < coordinator->ownership.count; i++) {
        if (coordinator->ownership.slots[i].owner == shard)
            append(array, json_object_new_uint64(i));
    }
    return array;
}

static struct json_object *shard(const struct coordinator *coordinator, uint16_t place)
{
    const struct process *process = &coordinator->registry.processes[place];
    struct json_object *object = json_object_new_object();

    put_text(object, "name", process->name);
    put_text(object, "state", process_state_name(process));
    put_text(object, "endpoint", process->endpoint);
    put(object, "slots", slots_of(coordinator, place));
    put_number(object, "players", process->players);
    put_number(object, "vehicles", process->vehicles);
    put_real(object, "tick_ms", (double)process->tick_ms);
    return object;
}

static struct json_object *gateway(const struct process *process)
{
    struct json_object *object = json_object_new_object();

    put_text(object, "name", process->name);
    put_text(object, "state", process_state_name(process));
    put_text(object, "endpoint", process->endpoint);
    put_number(object, "connections", process->connections);
    put_number(object, "players", process->members);
    put_real(object, "packets_in_per_s", process->rate_in);
    put_real(object, "packets_out_per_s", process->rate_out);
    put_bool(object, "draining", process->is_draining);
    return object;
}

static struct json_object *all_of(const struct coordinator *coordinator, Bus__Role role)
{
    const struct registry *registry = &coordinator->registry;
    struct json_object *array = json_object_new_array();

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        if (registry->processes[i].role == role)
            append(array,
                   role == BUS__ROLE__ROLE_SHARD ? shard(coordinator, i) : gateway(&registry->processes[i]));
    }
    return array;
}

/* ---- the rest ---- */

static struct json_object *redis(const struct coordinator *coordinator)
{
    struct json_object *object = json_object_new_object();
    const char *error = coordinator_store_error(coordinator);

    put_bool(object, "connected", coordinator->storage.is_connected);
    put_number(object, "since_s", age_s(coordinator, coordinator->store_since_ms));
    put_bool(object, "loaded", coordinator->is_loaded);
    put_number(object, "waiting", coordinator->storage.queue.count);
    put_number(object, "unsaved", coordinator->unsaved);
    put_number(object, "tokens_left", counter_left(&coordinator->counters[STORAGE_TOKENS]));
    put(object, "error", error[0] == '\0' ? NULL : json_object_new_string(error));
    return object;
}

static const char *name_of(const struct coordinator *coordinator, uint16_t place)
{
    return place == PROCESS_NONE ? "" : coordinator->registry.processes[place].name;
}

static struct json_object *name_or_null(const struct coordinator *coordinator, uint16_t place)
{
    return place == PROCESS_NONE ? NULL : json_object_new_string(name_of(coordinator, place));
}

static struct json_object *map(const struct coordinator *coordinator)
{
    struct json_object *object = json_object_new_object();
    struct json_object *slots = json_object_new_array();

    put_number(object, "revision", coordinator->map_revision);
    for (uint32_t i = 0; i < coordinator->ownership.count; i++) {
        const struct slot *slot = &coordinator->ownership.slots[i];
        struct json_object *entry = json_object_new_object();

        put_number(entry, "slot", i);
        put(entry, "shard", name_or_null(coordinator, slot->owner));
        put_number(entry, "fence", slot->fence);
        append(slots, entry);
    }
    put(object, "slots", slots);
    return object;
}

void status_print(struct coordinator *coordinator, FILE *out)
{
    struct json_object *object = json_object_new_object();
    const char *unready = coordinator_unready(coordinator);

    put_bool(object, "ready", unready == NULL);
    put(object, "unready", unready == NULL ? NULL : json_object_new_string(unready));
    put_text(object, "server_name", coordinator->settings->name);
    put_number(object, "players", coordinator->directory.count);
    put_number(object, "max_players", (uint64_t)coordinator->settings->max_players);
    put_number(object, "waiting", coordinator->waiting_count);
    put(object, "processes", processes(coordinator));
    put(object, "shards", all_of(coordinator, BUS__ROLE__ROLE_SHARD));
    put(object, "gateways", all_of(coordinator, BUS__ROLE__ROLE_GATEWAY));
    put(object, "redis", redis(coordinator));
    put(object, "map", map(coordinator));
    print(object, out);
}

static struct json_object *address_text(const uint8_t ip[16])
{
    struct ban_subject subject = { .kind = BAN_ADDRESS, .bits = BAN_BITS_MAX };
    char text[BAN_SUBJECT_TEXT_SIZE];

    memcpy(subject.ip, ip, sizeof subject.ip);
    return json_object_new_string(strchr(ban_subject_format(&subject, text), ' ') + 1);
}

static struct json_object *player(const struct coordinator *coordinator, const struct member *member)
{
    struct json_object *object = json_object_new_object();
    bool has_account = member->account_id != 0;

    put_number(object, "id", member->ref.id);
    put_number(object, "token", member->ref.token);
    put_text(object, "name", member->name);
    put(object, "gateway", name_or_null(coordinator, member->gateway));
    put(object, "shard", name_or_null(coordinator, member->shard));
    put(object, "address", address_text(member->ip));
    put_number(object, "rtt_ms", member->rtt_ms);
    put_number(object, "connected_s", age_s(coordinator, member->since_ms));
    put(object, "account_id", has_account ? json_object_new_uint64(member->account_id) : NULL);
    put(object, "account_name", has_account ? json_object_new_string(member->account_name) : NULL);
    return object;
}

void status_print_players(const struct coordinator *coordinator, FILE *out)
{
    const struct directory *directory = &coordinator->directory;
    struct json_object *object = json_object_new_object();
    struct json_object *array = json_object_new_array();

    for (const struct member *member = directory_next(directory, 0); member != NULL;
         member = directory_next(directory, member->ref.id + 1))
        append(array, player(coordinator, member));
    put(object, "players", array);
    print(object, out);
}

static struct json_object *entries_of(const struct coordinator *coordinator, enum storage_list list)
{
    const struct ban_list *entries = &coordinator->lists[list];
    struct json_object *array = json_object_new_array();
    const struct ban *ban;

    for (uint32_t at = 0; (ban = ban_list_next(entries, &at)) != NULL; at++) {
        struct json_object *entry = json_object_new_object();
        char subject[BAN_SUBJECT_TEXT_SIZE];
        bool has_end = ban->expires_ms != BAN_FOREVER;
        uint64_t left_ms =
            has_end && ban->expires_ms > coordinator->now_ms ? ban->expires_ms - coordinator->now_ms : 0;

        put_text(entry, "subject", ban_subject_format(&ban->subject, subject));
        put_text(entry, "text", ban->text);
        put(entry, "seconds_left",
            has_end ? json_object_new_uint64((left_ms + MS_PER_S - 1) / MS_PER_S) : NULL);
        put_bool(entry, "fixed", ban->is_fixed);
        append(array, entry);
    }
    return array;
}

void status_print_lists(const struct coordinator *coordinator, FILE *out)
{
    struct json_object *object = json_object_new_object();

    put_bool(object, "allow_list", coordinator->settings->allow_list);
    put(object, "banned", entries_of(coordinator, STORAGE_BANNED));
    put(object, "allowed", entries_of(coordinator, STORAGE_ALLOWED));
    print(object, out);
}
