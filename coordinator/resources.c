#include "coordinator/resources.h"

#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/text.h"
#include "coordinator/state.h"

static const char *const op_names[] = {
    [BUS__RESOURCE_ORDER__OP__OP_START] = "start",
    [BUS__RESOURCE_ORDER__OP__OP_STOP] = "stop",
    [BUS__RESOURCE_ORDER__OP__OP_RESTART] = "restart",
    [BUS__RESOURCE_ORDER__OP__OP_RELOAD] = "reload",
};

Bus__ResourceOrder__Op coordinator_order_find(const char *op)
{
    for (size_t i = BUS__RESOURCE_ORDER__OP__OP_START; i < sizeof op_names / sizeof op_names[0]; i++) {
        if (strcmp(op_names[i], op) == 0)
            return (Bus__ResourceOrder__Op)i;
    }
    return BUS__RESOURCE_ORDER__OP__OP_NONE;
}

const char *coordinator_order_name(Bus__ResourceOrder__Op op)
{
    return op_names[op];
}

static void forget_order(struct resource_order *order)
{
    free(order->answers);
    *order = (struct resource_order){ 0 };
}

void resources_fini(struct resources *resources)
{
    for (size_t i = 0; i < RESOURCES_ORDERS_MAX; i++)
        forget_order(&resources->orders[i]);
    for (size_t i = 0; i < PROCESSES_MAX; i++)
        free(resources->reports[i]);
}

/* ---- wishes ---- */

static struct resource_wish *find_wish(struct resources *resources, const char *name)
{
    for (size_t i = 0; i < resources->wishes_count; i++) {
        if (strcmp(resources->wishes[i].name, name) == 0)
            return &resources->wishes[i];
    }
    return NULL;
}

static struct resource_wish *add_wish(struct resources *resources, const char *name)
{
    struct resource_wish *wish;

    if (resources->wishes_count == RESOURCES_WISHES_MAX)
        return NULL;
    wish = &resources->wishes[resources->wishes_count++];
    *wish = (struct resource_wish){ 0 };
    memcpy(wish->name, name, strlen(name) + 1);
    return wish;
}

static void tell_order(struct coordinator *coordinator, uint16_t shard, uint64_t number,
                       Bus__ResourceOrder__Op op, const char *name)
{
    struct outbox *outbox = &coordinator->outbox;
    Bus__Item *item = tell(coordinator, shard);

    if (item == NULL)
        return;
    item->resource_order = outbox_alloc(outbox, sizeof *item->resource_order);
    bus__resource_order__init(item->resource_order);
    item->resource_order->number = number;
    item->resource_order->op = op;
    item->resource_order->resource = outbox_text(outbox, name);
    item->item_case = BUS__ITEM__ITEM_RESOURCE_ORDER;
}

static void tell_wish(struct coordinator *coordinator, uint16_t shard, const struct resource_wish *wish)
{
    tell_order(coordinator, shard, 0,
               wish->runs ? BUS__RESOURCE_ORDER__OP__OP_START : BUS__RESOURCE_ORDER__OP__OP_STOP, wish->name);
}

static bool was_asked(const struct resource_order *order, uint16_t shard, uint64_t boot)
{
    for (size_t i = 0; i < order->answers_count; i++) {
        if (order->answers[i].shard == shard && order->answers[i].boot == boot)
            return true;
    }
    return false;
}

/* Whether the shard has been ordered otherwise since, and only the answer is not here yet. */
static bool is_overtaken(const struct coordinator *coordinator, const struct resource_wish *wish,
                         uint16_t shard)
{
    const struct resource_order *orders = coordinator->resources.orders;

    for (size_t i = 0; i < RESOURCES_ORDERS_MAX; i++) {
        if (orders[i].number > wish->order && strcmp(orders[i].name, wish->name) == 0 &&
            was_asked(&orders[i], shard, coordinator->registry.processes[shard].boot))
            return true;
    }
    return false;
}

void resources_tell_all(struct coordinator *coordinator, uint16_t shard)
{
    const struct resources *resources = &coordinator->resources;

    for (size_t i = 0; i < resources->wishes_count; i++) {
        if (!is_overtaken(coordinator, &resources->wishes[i], shard))
            tell_wish(coordinator, shard, &resources->wishes[i]);
    }
}

/* Who came between the order and the wish has heard of neither. */
static void tell_newcomers(struct coordinator *coordinator, const struct resource_order *order,
                           const struct resource_wish *wish)
{
    const struct registry *registry = &coordinator->registry;

    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        if (registry->processes[i].role == BUS__ROLE__ROLE_SHARD &&
            !was_asked(order, i, registry->processes[i].boot))
            tell_wish(coordinator, i, wish);
    }
}

/* A shard has done it: so it is to be from now on, unless something else was wished since. */
static void note_wish(struct coordinator *coordinator, const struct resource_order *order)
{
    bool runs = order->op == BUS__RESOURCE_ORDER__OP__OP_START;
    struct resource_wish *wish = find_wish(&coordinator->resources, order->name);
    bool is_new = wish == NULL;

    if (!runs && order->op != BUS__RESOURCE_ORDER__OP__OP_STOP)
        return;
    if (is_new)
        wish = add_wish(&coordinator->resources, order->name);
    if (wish == NULL) {
        LOG(ERROR, "wish_left_out", KV("resource", order->name)); /* there was room when it was ordered */
        return;
    }
    if (wish->order >= order->number)
        return;
    wish->order = order->number;
    if (!is_new && wish->runs == runs)
        return;
    wish->runs = runs;
    tell_newcomers(coordinator, order, wish);
    save_wish(coordinator, wish->name);
}

/* ---- orders ---- */

const struct resource_order *resources_find_order(const struct resources *resources, uint64_t number)
{
    const struct resource_order *order = &resources->orders[number % RESOURCES_ORDERS_MAX];

    return number != 0 && order->number == number ? order : NULL;
}

/* A place for each shard that is up. False: there is none, or no memory. */
static bool ask_shards(struct coordinator *coordinator, struct resource_order *order)
{
    const struct registry *registry = &coordinator->registry;

    order->answers = calloc(PROCESSES_MAX, sizeof order->answers[0]);
    if (order->answers == NULL)
        return false;
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        const struct process *process = &registry->processes[i];

        if (process->role != BUS__ROLE__ROLE_SHARD || process->state != PROCESS_UP)
            continue;
        order->answers[order->answers_count++] =
            (struct resource_answer){ .shard = i, .boot = process->boot };
        tell_order(coordinator, i, order->number, order->op, order->name);
    }
    return order->answers_count > 0;
}

enum coordinator_done coordinator_order(struct coordinator *coordinator, uint64_t now_ms,
                                        Bus__ResourceOrder__Op op, const char *resource, uint64_t *number)
{
    struct resources *resources = &coordinator->resources;
    struct resource_order *order;

    coordinator_set_now(coordinator, now_ms);
    if (op == BUS__RESOURCE_ORDER__OP__OP_NONE || !game_resource_is_valid(resource))
        return COORDINATOR_BAD_NAME;
    if (coordinator->settings_revision == 0)
        return COORDINATOR_NOT_READY; /* shards are told nothing yet */
    if (resources->wishes_count == RESOURCES_WISHES_MAX && find_wish(resources, resource) == NULL)
        return COORDINATOR_FULL;
    *number = ++resources->last_order;
    order = &resources->orders[*number % RESOURCES_ORDERS_MAX];
    forget_order(order);
    *order = (struct resource_order){ .number = *number, .op = op };
    memcpy(order->name, resource, strlen(resource) + 1);
    if (!ask_shards(coordinator, order)) {
        forget_order(order);
        return COORDINATOR_NO_SHARD;
    }
    LOG(INFO, "resource_ordered", KV("resource", resource), KV("op", op_names[op]), KV("order", *number),
        KV("shards", order->answers_count));
    return COORDINATOR_DONE;
}

/* NULL: the shard was not asked, or has answered. */
static struct resource_answer *awaited_of(struct resource_order *order, uint16_t shard, uint64_t boot)
{
    for (size_t i = 0; i < order->answers_count; i++) {
        struct resource_answer *answer = &order->answers[i];

        if (answer->shard == shard && answer->boot == boot && answer->state == ANSWER_AWAITED)
            return answer;
    }
    return NULL;
}

static void take_answer(struct coordinator *coordinator, uint16_t shard, const Bus__ResourceReport *report)
{
    struct resource_order *order = &coordinator->resources.orders[report->number % RESOURCES_ORDERS_MAX];
    struct resource_answer *answer = NULL;

    if (order->number == report->number)
        answer = awaited_of(order, shard, process_at(coordinator, shard)->boot);
    if (answer == NULL) {
        coordinator_drop(coordinator, REASON_BUS_STALE);
        return;
    }
    answer->state = report->refused ? ANSWER_REFUSED : ANSWER_DONE;
    memcpy(answer->error, report->error, strlen(report->error) + 1);
    if (!report->refused)
        note_wish(coordinator, order);
}

/* ---- how they stand ---- */

static bool sentence_is_valid(const char *text)
{
    struct span span = { (const uint8_t *)text, strlen(text) };

    return span.size <= GAME_RESOURCE_ERROR_MAX && text_is_plain(span);
}

static bool state_is_valid(const Bus__ResourceState *state)
{
    return state != NULL && game_resource_is_valid(state->name) && sentence_is_valid(state->error) &&
           state->stands >= BUS__RESOURCE_STATE__STANDS__RUNNING &&
           state->stands <= BUS__RESOURCE_STATE__STANDS__OFF;
}

static bool report_is_valid(const Bus__ResourceReport *report)
{
    if (report->n_resources > GAME_RESOURCES_MAX || !sentence_is_valid(report->error) ||
        (report->refused ? report->number == 0 && report->error[0] == '\0' : report->error[0] != '\0'))
        return false;
    for (size_t i = 0; i < report->n_resources; i++) {
        if (!state_is_valid(report->resources[i]))
            return false;
    }
    return true;
}

void resources_on_report(struct coordinator *coordinator, uint16_t shard, const Bus__ResourceReport *from)
{
    struct resource_report **place = &coordinator->resources.reports[shard];
    struct resource_report *report;

    if (!report_is_valid(from)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    if (from->number != 0)
        take_answer(coordinator, shard, from);
    report = calloc(1, sizeof *report + from->n_resources * sizeof report->resources[0]);
    if (report == NULL) {
        coordinator_drop(coordinator, REASON_TABLE_FULL);
        return;
    }
    report->boot = process_at(coordinator, shard)->boot;
    for (size_t i = 0; i < from->n_resources; i++) {
        struct resource_state *state = &report->resources[report->count++];

        memcpy(state->name, from->resources[i]->name, strlen(from->resources[i]->name) + 1);
        memcpy(state->error, from->resources[i]->error, strlen(from->resources[i]->error) + 1);
        state->stands = from->resources[i]->stands;
    }
    free(*place);
    *place = report;
}

const struct resource_report *resources_report_of(const struct coordinator *coordinator, uint16_t shard)
{
    const struct process *process = &coordinator->registry.processes[shard];
    const struct resource_report *report = coordinator->resources.reports[shard];

    return report != NULL && process->role == BUS__ROLE__ROLE_SHARD && process->state == PROCESS_UP &&
                   process->boot == report->boot
               ? report
               : NULL;
}

/* ---- Redis ---- */

bool resources_fill(const struct coordinator *coordinator, const char *name, struct stored_wish *stored)
{
    const struct resources *resources = &coordinator->resources;

    memcpy(stored->name, name, strlen(name) + 1);
    for (size_t i = 0; i < resources->wishes_count; i++) {
        if (strcmp(resources->wishes[i].name, name) == 0) {
            stored->runs = resources->wishes[i].runs;
            return true;
        }
    }
    return false;
}

void resources_restore(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    for (size_t i = 0; i < loaded->wishes_count; i++) {
        struct resource_wish *wish = add_wish(&coordinator->resources, loaded->wishes[i].name);

        if (wish == NULL)
            LOG(WARN, "wish_left_out", KV("resource", (const char *)loaded->wishes[i].name));
        else
            wish->runs = loaded->wishes[i].runs;
    }
}

void resources_compare(struct coordinator *coordinator, const struct storage_loaded *loaded)
{
    struct resources *resources = &coordinator->resources;

    for (size_t i = 0; i < loaded->wishes_count; i++) {
        struct resource_wish *wish = find_wish(resources, loaded->wishes[i].name);

        if (wish == NULL)
            save_wish(coordinator, loaded->wishes[i].name);
        else if (wish->runs == loaded->wishes[i].runs)
            wish->compared = coordinator->compares;
    }
    for (size_t i = 0; i < resources->wishes_count; i++) {
        if (resources->wishes[i].compared != coordinator->compares)
            save_wish(coordinator, resources->wishes[i].name);
    }
}
