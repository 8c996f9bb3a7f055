#include "shard/script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "proto/game.h"
#include "shard/script/off.h"
#include "shard/script/orders.h"
#include "shard/script/state.h"

/* ---- events */

void script_update_heard(struct script *script, enum event event)
{
    uint64_t heard = 0;

    for (size_t i = 0; i < script->resources_count; i++)
        heard |= script->resources[i]->listeners.heard;
    event_listen(script->shard, event, (heard >> event & 1) != 0);
}

static bool raise_event(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    struct script *script = context;
    bool goes_on = true;

    script->busy++;
    for (size_t i = 0; goes_on && i < script->resources_count; i++) {
        struct resource *resource = script->resources[i];

        if ((resource->listeners.heard >> event & 1) != 0)
            goes_on = listeners_raise(resource, event, arguments, count);
    }
    script->busy--;
    script_settle(script);
    return goes_on;
}

static void on_broadcast(void *context, const char *resource, const char *name, struct span arguments)
{
    script_on_broadcast(context, resource, name, arguments);
}

static void on_kv(void *context, uint64_t request, const struct kv_result *result)
{
    script_on_kv(context, request, result);
}

static void on_order(void *context, const Bus__ResourceOrder *order)
{
    orders_on_order(context, order);
}

static void on_coordinator(void *context)
{
    orders_report(context);
}

/* ---- resources */

static size_t find(const struct script *script, const char *name)
{
    size_t i = 0;

    while (i < script->resources_count && strcmp(script->resources[i]->name, name) != 0)
        i++;
    return i;
}

bool script_runs(const struct script *script, const char *name)
{
    return find(script, name) < script->resources_count;
}

static uint16_t next_number(struct script *script)
{
    bool used;

    do {
        used = ++script->last_number == RESOURCE_NOBODY;
        for (size_t i = 0; i < script->resources_count; i++)
            used |= script->resources[i]->number == script->last_number;
    } while (used);
    return script->last_number;
}

static void update_all_heard(struct script *script)
{
    for (enum event event = 0; event < EVENT_COUNT; event++)
        script_update_heard(script, event);
    script->stats.resources = (uint32_t)script->resources_count;
}

static struct resource *open_resource(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    struct resource *resource;

    script->budget.used_us = 0; /* it starts whatever the others have used */
    script->busy++;
    resource = resource_new(script, name, next_number(script), error);
    script->busy--;
    known_note(script, name, resource == NULL ? error : "");
    if (resource == NULL)
        LOG(ERROR, "resource_start_failed", KV("resource", name), KV("error", (const char *)error));
    return resource;
}

/* One that comes later than the shard's scopes makes their content now. Those that its handlers start
 * meanwhile it hears of as everybody does. */
static void start_scopes(struct script *script, struct resource *resource)
{
    const struct scopes *scopes = &script->shard->scopes;
    size_t count = (resource->listeners.heard >> EVENT_SCOPE_START & 1) != 0 ? scopes->count : 0;
    struct scope *started = count > 0 ? malloc(count * sizeof *started) : NULL;

    if (started == NULL) {
        if (count > 0)
            LOG(ERROR, "resource_without_scopes", KV("resource", (const char *)resource->name));
        return;
    }
    memcpy(started, scopes->started, count * sizeof *started);
    script->busy++;
    for (size_t i = 0; i < count && resource->wish == RESOURCE_STAYS; i++) {
        const struct event_value arguments[] = { event_integer(started[i].virtual_world),
                                                 event_integer(started[i].interior) };

        (void)listeners_raise(resource, EVENT_SCOPE_START, arguments, sizeof arguments / sizeof arguments[0]);
    }
    script->busy--;
    free(started);
}

int script_start(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    struct resource *resource;

    if (!game_resource_is_valid(name)) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "no name of a resource");
        return -1;
    }
    if (script_runs(script, name)) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "it runs already");
        return -1;
    }
    if (script->resources_count == SCRIPT_RESOURCES_MAX) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "%d resources run already", SCRIPT_RESOURCES_MAX);
        return -1;
    }
    resource = open_resource(script, name, error);
    if (resource == NULL)
        return -1;
    script->resources[script->resources_count++] = resource;
    update_all_heard(script);
    start_scopes(script, resource);
    if (off_names(script->off_file, name) && !off_remove(script->off_file, name))
        LOG(WARN, "resource_stays_off", KV("resource", name), KV("file", (const char *)script->off_file));
    script_settle(script);
    return 0;
}

static void put_at(struct script *script, size_t at, struct resource *resource)
{
    for (size_t i = script->resources_count++; i > at; i--)
        script->resources[i] = script->resources[i - 1];
    script->resources[at] = resource;
}

static void close_at(struct script *script, size_t at)
{
    struct resource *resource = script->resources[at];

    known_note(script, resource->name, "");
    resource->wish = RESOURCE_STAYS;
    script->resources_count--;
    for (size_t i = at; i < script->resources_count; i++)
        script->resources[i] = script->resources[i + 1];
    script->busy++;
    resource_free(&resource);
    script->busy--;
    update_all_heard(script);
}

/* -1: `error` says why it is not what was wished. */
static int carry_out(struct script *script, size_t at, char error[SCRIPT_ERROR_SIZE])
{
    struct resource *resource = script->resources[at];
    enum resource_wish wish = resource->wish;
    char name[SCRIPT_NAME_MAX + 1];
    struct resource *next = NULL;

    memcpy(name, resource->name, sizeof name);
    resource->wish = RESOURCE_STAYS;
    if (wish == RESOURCE_RELOADS) {
        next = open_resource(script, name, error);
        if (next == NULL)
            return -1;
    }
    close_at(script, at);
    if (wish == RESOURCE_STOPS)
        return 0;
    if (wish == RESOURCE_RESTARTS)
        next = open_resource(script, name, error);
    if (next == NULL)
        return -1;
    put_at(script, at, next);
    update_all_heard(script);
    start_scopes(script, next);
    return 0;
}

static bool is_under_way(const struct script *script)
{
    return script->busy > 0 || script->depth > 0;
}

void script_settle(struct script *script)
{
    char error[SCRIPT_ERROR_SIZE]; /* has been logged */

    if (is_under_way(script))
        return;
    for (size_t i = 0; i < script->resources_count; i++) {
        listeners_tidy(script->resources[i]);
        if (script->resources[i]->wish != RESOURCE_STAYS)
            (void)carry_out(script, i, error);
    }
}

static int wish(struct script *script, const char *name, enum resource_wish wish,
                char error[SCRIPT_ERROR_SIZE])
{
    size_t at = find(script, name);
    int result;

    if (at == script->resources_count) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "it does not run");
        return -1;
    }
    script->resources[at]->wish = wish;
    if (is_under_way(script))
        return 0;
    result = carry_out(script, at, error);
    script_settle(script);
    return result;
}

int script_stop(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    return wish(script, name, RESOURCE_STOPS, error);
}

int script_restart(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    return wish(script, name, RESOURCE_RESTARTS, error);
}

int script_reload(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    return wish(script, name, RESOURCE_RELOADS, error);
}

/* ---- time */

void script_tick(struct script *script, uint64_t now_ms)
{
    script->shard->now_ms = now_ms;
    script->busy++;
    timers_run(script, now_ms);
    script->busy--;
    shard_settle(script->shard);
    for (size_t i = 0; i < script->resources_count; i++)
        errors_tick(script->resources[i], now_ms);
    script_settle(script);
}

uint64_t script_wakes_at(const struct script *script)
{
    return timers_due_at(&script->timers);
}

const struct script_stats *script_stats(struct script *script)
{
    script->stats.timers = (uint32_t)script->timers.count;
    return &script->stats;
}

const struct script_watch *script_watch(const struct script *script)
{
    return &script->watch;
}

/* ---- life */

static void take_defaults(struct script_config *config)
{
    if (config->memory_max == 0)
        config->memory_max = SCRIPT_MEMORY_MAX;
    if (config->call_ms == 0)
        config->call_ms = SCRIPT_CALL_MS;
    if (config->budget_ms == 0)
        config->budget_ms = SCRIPT_BUDGET_MS;
    if (config->budget_total_ms == 0)
        config->budget_total_ms = SCRIPT_BUDGET_TOTAL_MS;
}

struct script *script_new(struct shard *shard, const struct script_config *config)
{
    struct script *script = calloc(1, sizeof *script);
    char error[SCRIPT_ERROR_SIZE];

    if (script == NULL)
        return NULL;
    script->shard = shard;
    script->config = *config;
    take_defaults(&script->config);
    script->folder = strdup(config->folder != NULL ? config->folder : "");
    script->off_file = strdup(config->off_file != NULL ? config->off_file : "");
    if (script->folder == NULL || script->off_file == NULL) {
        script_free(&script);
        return NULL;
    }
    script->started_at_ms = config->now_ms;
    shard->now_ms = config->now_ms;
    shard_set_hooks(shard, &(struct event_hooks){ .context = script,
                                                  .raise = raise_event,
                                                  .on_broadcast = on_broadcast,
                                                  .on_kv = on_kv,
                                                  .on_order = on_order,
                                                  .on_coordinator = on_coordinator });
    for (size_t i = 0; i < config->start_count; i++) {
        if (!off_names(script->off_file, config->start[i])) {
            (void)script_start(script, config->start[i], error);
            continue;
        }
        LOG(ERROR, "resource_is_off", KV("resource", config->start[i]), KV("file", config->off_file));
        if (game_resource_is_valid(config->start[i]))
            known_note(script, config->start[i], "");
    }
    return script;
}

void script_free(struct script **where)
{
    struct script *script = *where;

    *where = NULL;
    if (script == NULL)
        return;
    while (script->resources_count > 0)
        close_at(script, script->resources_count - 1);
    shard_set_hooks(script->shard, &(struct event_hooks){ 0 });
    timers_fini(&script->timers);
    script_fini(&script->asks);
    free(script->folder);
    free(script->off_file);
    free(script);
}
