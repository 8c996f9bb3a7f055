#include "coordinator/kv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "coordinator/state.h"

int kv_open(struct kv *kv)
{
    return pool_init(&kv->asks, sizeof(struct kv_ask), KV_WAITING_MAX);
}

void kv_close(struct kv *kv)
{
    for (uint32_t i = pool_next(&kv->asks, 0); i != POOL_END; i = pool_next(&kv->asks, i + 1)) {
        struct kv_ask *ask = pool_at(&kv->asks, i);

        free(ask->bytes);
    }
    pool_fini(&kv->asks);
}

/* ---- answers ---- */

/* `value` NULL: there is none. */
static void answer(struct coordinator *coordinator, uint16_t shard, uint64_t request, bool is_ok,
                   const struct kv_value *value)
{
    Bus__Item *item = tell(coordinator, shard);

    if (item == NULL)
        return;
    item->kv_answer = outbox_alloc(&coordinator->outbox, sizeof *item->kv_answer);
    bus__kv_answer__init(item->kv_answer);
    item->kv_answer->request = request;
    item->kv_answer->ok = is_ok;
    if (value != NULL)
        item->kv_answer->value = kv_value_message(value, &coordinator->outbox);
    item->item_case = BUS__ITEM__ITEM_KV_ANSWER;
}

/* ---- asking ---- */

static bool value_is_valid(const Bus__KvAsk *ask)
{
    struct kv_value value;

    switch (ask->op) {
    case BUS__KV_ASK__OP__OP_GET:
    case BUS__KV_ASK__OP__OP_DEL:
        return ask->value == NULL;
    case BUS__KV_ASK__OP__OP_SET:
        return ask->value != NULL && kv_value_read(&value, ask->value);
    case BUS__KV_ASK__OP__OP_INCR:
        return ask->value != NULL && kv_value_read(&value, ask->value) && value.is_number;
    default:
        return false;
    }
}

static bool ask_is_valid(const Bus__KvAsk *ask)
{
    return ask->request != 0 && game_resource_is_valid(ask->resource) && ask->key.len > 0 &&
           ask->key.len <= GAME_KV_KEY_MAX && value_is_valid(ask);
}

/* NULL: no room. */
static struct kv_ask *note(struct coordinator *coordinator, uint16_t shard, const Bus__KvAsk *from,
                           struct pool_ref *ref)
{
    struct kv_ask *ask = pool_take(&coordinator->kv.asks, ref);

    if (ask == NULL)
        return NULL;
    *ask = (struct kv_ask){ .shard = shard,
                            .boot = process_at(coordinator, shard)->boot,
                            .request = from->request,
                            .op = from->op,
                            .key_size = from->key.len };
    if (from->value != NULL)
        (void)kv_value_read(&ask->value, from->value); /* it has been before */
    ask->bytes = malloc(from->key.len + ask->value.bytes.size);
    if (ask->bytes == NULL) {
        pool_release(&coordinator->kv.asks, *ref);
        return NULL;
    }
    memcpy(ask->resource, from->resource, strlen(from->resource) + 1);
    memcpy(ask->bytes, from->key.data, from->key.len);
    if (ask->value.bytes.size > 0)
        memcpy(ask->bytes + from->key.len, ask->value.bytes.data, ask->value.bytes.size);
    ask->value.bytes.data = ask->bytes + from->key.len;
    return ask;
}

static void forget(struct coordinator *coordinator, struct pool_ref ref)
{
    struct kv_ask *ask = pool_get(&coordinator->kv.asks, ref);

    assert(ask != NULL);
    free(ask->bytes);
    pool_release(&coordinator->kv.asks, ref);
}

void kv_on_ask(struct coordinator *coordinator, uint16_t shard, const Bus__KvAsk *from)
{
    enum cause_news cause;
    struct pool_ref ref;
    struct kv_ask *ask;

    if (!ask_is_valid(from)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    cause = cause_take(coordinator, from->cause);
    coordinator->stats.kv_asks++;
    if (cause == CAUSE_IS_REPEATED &&
        (from->op == BUS__KV_ASK__OP__OP_SET || from->op == BUS__KV_ASK__OP__OP_DEL)) {
        answer(coordinator, shard, from->request, true, NULL);
        return;
    }
    ask = note(coordinator, shard, from, &ref);
    if (ask == NULL) {
        coordinator_drop(coordinator, REASON_TABLE_FULL);
        answer(coordinator, shard, from->request, false, NULL);
        return;
    }
    /* What was added is not added again; how much it has become is looked up. */
    if (cause == CAUSE_IS_REPEATED)
        ask->op = BUS__KV_ASK__OP__OP_GET;
    if (save_kv(coordinator, ref))
        return;
    forget(coordinator, ref);
    answer(coordinator, shard, from->request, false, NULL);
}

/* ---- Redis ---- */

void kv_fill(struct coordinator *coordinator, struct pool_ref ref, struct storage_kv *command)
{
    const struct kv_ask *ask = pool_get(&coordinator->kv.asks, ref);

    assert(ask != NULL);
    *command = (struct storage_kv){
        .op = ask->op, .resource = ask->resource, .key = { ask->bytes, ask->key_size }, .value = ask->value
    };
}

void kv_on_result(struct coordinator *coordinator, struct pool_ref ref, const struct storage_result *result)
{
    const struct kv_ask *ask = pool_get(&coordinator->kv.asks, ref);
    bool is_ok = result != NULL && result->is_ok;

    assert(ask != NULL);
    if (result != NULL && !result->is_ok)
        LOG(WARN, "kv_failed", KV("resource", ask->resource), KV("err", result->error));
    if (process_at(coordinator, ask->shard)->boot == ask->boot)
        answer(coordinator, ask->shard, ask->request, is_ok,
               is_ok && result->has_value ? &result->value : NULL);
    forget(coordinator, ref);
}
