#include "shard/script/errors.h"

#include "common/log.h"
#include "shard/script/state.h"

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static void flush(struct resource *resource)
{
    struct errors *errors = &resource->errors;
    uint32_t repeats = errors->others;

    for (uint32_t i = 0; i < errors->kinds_count; i++)
        repeats += errors->kinds[i].repeats;
    if (repeats > 0)
        LOG(ERROR, "resource_errors_repeated", KV("resource", resource->name), KV("count", repeats));
    errors->kinds_count = 0;
    errors->others = 0;
}

void errors_log(struct resource *resource, const char *what, const char *error, const char *trace)
{
    struct errors *errors = &resource->errors;
    uint64_t hash = hash_text(hash_text(UINT64_C(0xcbf29ce484222325), what), error);

    errors_tick(resource, resource->script->shard->now_ms);
    for (uint32_t i = 0; i < errors->kinds_count; i++) {
        if (errors->kinds[i].hash == hash) {
            errors->kinds[i].repeats++;
            return;
        }
    }
    if (errors->kinds_count == ERRORS_KINDS_MAX) {
        errors->others++;
        return;
    }
    if (errors->kinds_count == 0)
        errors->since_ms = resource->script->shard->now_ms;
    errors->kinds[errors->kinds_count].hash = hash;
    errors->kinds[errors->kinds_count].repeats = 0;
    errors->kinds_count++;
    LOG(ERROR, "resource_call_failed", KV("resource", resource->name), KV("handler", what),
        KV("error", error), KV("trace", trace));
}

void errors_tick(struct resource *resource, uint64_t now_ms)
{
    if (resource->errors.kinds_count > 0 && now_ms - resource->errors.since_ms >= ERRORS_WINDOW_MS)
        flush(resource);
}
