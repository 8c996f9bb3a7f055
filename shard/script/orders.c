#include "shard/script/orders.h"

#include <stdio.h>

#include "common/log.h"
#include "proto/link.h"
#include "shard/script/off.h"
#include "shard/script/state.h"

/* ---- telling ---- */

static Bus__ResourceState__Stands stands(const struct script *script, const struct known_resource *known)
{
    if (script_runs(script, known->name))
        return BUS__RESOURCE_STATE__STANDS__RUNNING;
    if (off_names(script->off_file, known->name))
        return BUS__RESOURCE_STATE__STANDS__OFF;
    return known->error[0] != '\0' ? BUS__RESOURCE_STATE__STANDS__FAILED
                                   : BUS__RESOURCE_STATE__STANDS__STOPPED;
}

static Bus__ResourceState *state_message(struct script *script, const struct known_resource *known)
{
    struct outbox *outbox = &script->shard->outbox;
    Bus__ResourceState *state = outbox_alloc(outbox, sizeof *state);

    bus__resource_state__init(state);
    state->name = outbox_text(outbox, known->name);
    state->stands = stands(script, known);
    state->error = outbox_text(outbox, known->error);
    return state;
}

/* `error` NULL: nothing was refused. */
static void report(struct script *script, uint64_t number, const char *error)
{
    const struct known *known = &script->known;
    struct outbox *outbox = &script->shard->outbox;
    Bus__ResourceReport *report;
    Bus__Item *item;

    if (script->shard->coordinator == PEER_NONE)
        return;
    report = outbox_alloc(outbox, sizeof *report);
    bus__resource_report__init(report);
    report->number = number;
    report->refused = error != NULL;
    if (error != NULL)
        report->error = outbox_text(outbox, error);
    report->resources = outbox_alloc(outbox, (known->count + 1) * sizeof(Bus__ResourceState *));
    for (size_t i = 0; i < known->count; i++)
        report->resources[report->n_resources++] = state_message(script, &known->resources[i]);
    item = outbox_add(outbox, script->shard->coordinator);
    item->item_case = BUS__ITEM__ITEM_RESOURCE_REPORT;
    item->resource_report = report;
}

void orders_report(struct script *script)
{
    report(script, 0, NULL);
}

/* ---- carrying out ---- */

/* One that is known and does not run has been stopped by that: it is not held to have failed any more. */
static int stop(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE])
{
    if (script_runs(script, name))
        return script_stop(script, name, error);
    if (known_find(&script->known, name) == NULL) {
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "it does not run");
        return -1;
    }
    known_note(script, name, "");
    return 0;
}

static int carry_out(struct script *script, const Bus__ResourceOrder *order, char error[SCRIPT_ERROR_SIZE])
{
    switch (order->op) {
    case BUS__RESOURCE_ORDER__OP__OP_START:
        return script_start(script, order->resource, error);
    case BUS__RESOURCE_ORDER__OP__OP_STOP:
        return stop(script, order->resource, error);
    case BUS__RESOURCE_ORDER__OP__OP_RESTART:
        return script_restart(script, order->resource, error);
    case BUS__RESOURCE_ORDER__OP__OP_RELOAD:
        return script_reload(script, order->resource, error);
    default:
        (void)snprintf(error, SCRIPT_ERROR_SIZE, "no order");
        return -1;
    }
}

/* Is there something left to do of what was wished before the shard came? */
static bool is_missing(const struct script *script, const Bus__ResourceOrder *order)
{
    if (order->op == BUS__RESOURCE_ORDER__OP__OP_STOP)
        return script_runs(script, order->resource);
    return !script_runs(script, order->resource) && !off_names(script->off_file, order->resource);
}

void orders_on_order(struct script *script, const Bus__ResourceOrder *order)
{
    char error[SCRIPT_ERROR_SIZE];
    char clean[SCRIPT_ERROR_SIZE];
    int result;

    if (order->number == 0 && !is_missing(script, order))
        return;
    LOG(INFO, "resource_ordered", KV("resource", (const char *)order->resource), KV("op", (int)order->op),
        KV("order", order->number));
    result = carry_out(script, order, error);
    if (result != 0)
        known_clean(clean, error);
    report(script, order->number, result != 0 ? clean : NULL);
}
