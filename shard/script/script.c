#include "shard/script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "proto/game.h"
#include "shard/script/off.h"
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
    if (resource == NULL)
        LOG(ERROR, "resource_start_failed", KV("resource", name), KV("error", (const char *)error));
    return resource;
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

    resource->wish = RESOURCE_STAYS;
    script->resources_count--;
    for (size_t i = at; i < script->resources_count; i++)
        script->resources[i] = script->resources[i + 1];
    script->busy++;
    resource_free(&resource);
    script->busy--;
    update_all_heard(script);
}

static void carry_out(struct script *script, size_t at)
{
    struct resource *resource = script->resources[at];
    enum resource_wish wish = resource->wish;
    char name[SCRIPT_NAME_MAX + 1];
    char error[SCRIPT_ERROR_SIZE];
    struct resource *next = NULL;

    memcpy(name, resource->name, sizeof name);
    resource->wish = RESOURCE_STAYS;
    if (wish == RESOURCE_RELOADS) {
        next = open_resource(script, name, error);
        if (next == NULL)
            return;
    }
    close_at(script, at);
    if (wish == RESOURCE_RESTARTS)
        next = open_resource(script, name, error);
    if (next == NULL)
        return;
    put_at(script, at, next);
    update_all_heard(script);
}

void script_settle(struct script *script)
{
    if (script->busy > 0 || script->depth > 0)
        return;
    for (size_t i = 0; i < script->resources_count; i++) {
        listeners_tidy(script->resources[i]);
        if (script->resources[i]->wish != RESOURCE_STAYS)
            carry_out(script, i);
    }
}

static int wish(struct script *script, const char *name, enum resource_wish wish,
                char error[SCRIPT_ERROR_SIZE])
{
    size_t at = find(script, name);

    if (at == script->resources_count) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "it does not run");
        return -1;
    }
    script->resources[at]->wish = wish;
    script_settle(script);
    return 0;
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
    shard_set_hooks(
        shard, &(struct event_hooks){
                   .context = script, .raise = raise_event, .on_broadcast = on_broadcast, .on_kv = on_kv });
    for (size_t i = 0; i < config->start_count; i++) {
        if (off_names(script->off_file, config->start[i]))
            LOG(ERROR, "resource_is_off", KV("resource", config->start[i]), KV("file", config->off_file));
        else
            (void)script_start(script, config->start[i], error);
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
