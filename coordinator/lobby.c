#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "coordinator/state.h"

/* ---- answers ---- */

static Bus__JoinAnswer *answer(struct coordinator *coordinator, uint16_t gateway, uint64_t number)
{
    Bus__Item *item = tell(coordinator, gateway);
    Bus__JoinAnswer *message;

    if (item == NULL)
        return NULL;
    message = outbox_alloc(&coordinator->outbox, sizeof *message);
    bus__join_answer__init(message);
    message->request = number;
    item->join_answer = message;
    item->item_case = BUS__ITEM__ITEM_JOIN_ANSWER;
    return message;
}

static void refuse(struct coordinator *coordinator, const struct waiting *waiting,
                   const struct join_verdict *verdict)
{
    Bus__JoinAnswer *message = answer(coordinator, waiting->gateway, waiting->number);

    coordinator->stats.joins[verdict->answer]++;
    LOG(INFO, "join_refused", KV("name", waiting->request.name), KV("reason", (int)verdict->answer));
    if (message == NULL)
        return;
    message->reject = verdict->answer;
    message->detail = outbox_text(&coordinator->outbox, verdict->detail);
}

static Bus__Spawn *spawn_message(struct coordinator *coordinator, const struct coordinator_spawn *spawn)
{
    Bus__Spawn *message = outbox_alloc(&coordinator->outbox, sizeof *message);

    bus__spawn__init(message);
    message->scope = outbox_alloc(&coordinator->outbox, sizeof *message->scope);
    bus__scope__init(message->scope);
    message->scope->virtual_world = (uint32_t)spawn->virtual_world;
    message->scope->interior = (uint32_t)spawn->interior;
    message->x = (float)spawn->x;
    message->y = (float)spawn->y;
    message->z = (float)spawn->z;
    message->heading = (float)spawn->heading;
    message->skin = (uint32_t)spawn->skin;
    return message;
}

/* ---- worlds ---- */

static uint16_t taker_of(const struct coordinator *coordinator, const struct coordinator_spawn *spawn)
{
    uint32_t slot = ownership_slot_of(&coordinator->ownership, (uint32_t)spawn->virtual_world);

    return ownership_taker(&coordinator->ownership, slot);
}

static enum join_world world_of(const struct coordinator *coordinator)
{
    const struct registry *registry = &coordinator->registry;

    for (size_t i = 0; i < coordinator->spawns_count; i++) {
        if (taker_of(coordinator, &coordinator->spawns[i]) != PROCESS_NONE)
            return JOIN_WORLD_READY;
    }
    for (uint16_t i = registry_next(registry, 0); i != PROCESS_NONE;
         i = registry_next(registry, (uint16_t)(i + 1))) {
        if (registry->processes[i].role == BUS__ROLE__ROLE_SHARD &&
            registry->processes[i].state == PROCESS_UP)
            return JOIN_WORLD_SOON;
    }
    return JOIN_WORLD_NONE;
}

/* The next spawn in turn whose world has an owner. */
static const struct coordinator_spawn *next_spawn(struct coordinator *coordinator)
{
    for (size_t i = 0; i < coordinator->spawns_count; i++) {
        size_t index = (coordinator->next_spawn + i) % coordinator->spawns_count;

        if (taker_of(coordinator, &coordinator->spawns[index]) == PROCESS_NONE)
            continue;
        coordinator->next_spawn = (index + 1) % coordinator->spawns_count;
        return &coordinator->spawns[index];
    }
    return NULL;
}

/* ---- decisions ---- */

/* The answer comes first, then that the replaced connection has left, then that this one is here: for its
 * gateway the answer itself ends the old connection. False: no token or no id is free. */
static bool accept(struct coordinator *coordinator, const struct waiting *waiting,
                   const struct join_verdict *verdict)
{
    const struct join_request *request = &waiting->request;
    struct member *replaced = directory_find(&coordinator->directory, request->replaces);
    const struct coordinator_spawn *spawn;
    Bus__JoinAnswer *message;
    struct member *member;
    uint64_t token = 0;

    if (directory_has_room(&coordinator->directory))
        token = counter_take(&coordinator->counters[STORAGE_TOKENS], 1);
    if (token == 0)
        return false;
    if (replaced != NULL)
        people_drop(coordinator, replaced, LEFT_QUIT);
    spawn = next_spawn(coordinator);
    assert(spawn != NULL);
    member =
        people_add(coordinator, (uint32_t)token, request, waiting->gateway, taker_of(coordinator, spawn));
    message = member == NULL ? NULL : answer(coordinator, waiting->gateway, waiting->number);
    if (message != NULL) {
        message->player = tell_player(coordinator, member->ref);
        message->fence = member->fence;
        message->shard = outbox_text(&coordinator->outbox, process_at(coordinator, member->shard)->name);
        message->spawn = spawn_message(coordinator, spawn);
    }
    if (replaced != NULL)
        tell_left(coordinator, request->replaces, LEFT_QUIT);
    if (member == NULL)
        return false;
    member->is_account_due = verdict->is_account_due;
    tell_listed(coordinator, member);
    coordinator->stats.joins[JOIN_ACCEPTED]++;
    LOG(INFO, "player_joined", KV("player", member->ref.id), KV("generation", member->ref.token),
        KV("name", member->name), KV("gateway", process_at(coordinator, member->gateway)->name),
        KV("shard", process_at(coordinator, member->shard)->name));
    return true;
}

/* Asks the gateway of the name's holder whether it is silent. One whose gateway is not heard is. */
static void ask_holder(struct coordinator *coordinator, struct waiting *waiting, struct member_ref holder)
{
    struct member *member = directory_find(&coordinator->directory, holder);
    Bus__Item *item;

    assert(member != NULL);
    item = tell(coordinator, member->gateway);
    if (item == NULL) {
        coordinator->stats.displaced++;
        people_remove(coordinator, member, LEFT_TIMEOUT);
        waiting->request.holder_is_asked = true;
        return;
    }
    item->displace = outbox_alloc(&coordinator->outbox, sizeof *item->displace);
    bus__displace__init(item->displace);
    item->displace->player = tell_player(coordinator, holder);
    item->displace->silent_ms = HOLDER_SILENT_MS;
    item->displace->request = waiting->number;
    item->item_case = BUS__ITEM__ITEM_DISPLACE;
    waiting->holder = holder;
    waiting->holder_until_ms = coordinator->now_ms + HOLDER_ANSWER_MS;
}

/* False: it waits on. */
static bool decide(struct coordinator *coordinator, struct waiting *waiting)
{
    const struct join_scene scene = { .directory = &coordinator->directory,
                                      .banned = &coordinator->lists[STORAGE_BANNED],
                                      .allowed = &coordinator->lists[STORAGE_ALLOWED],
                                      .settings = coordinator->settings,
                                      .world = world_of(coordinator),
                                      .now_ms = coordinator->now_ms };
    struct join_verdict verdict;

    if (coordinator->phase != PHASE_SERVING)
        return false;
    if (waiting->holder.token != 0) {
        if (coordinator->now_ms < waiting->holder_until_ms)
            return false;
        waiting->request.holder_is_asked = true;
        waiting->holder = (struct member_ref){ 0 };
    }
    verdict = join_decide(&scene, &waiting->request);
    if (verdict.answer == JOIN_ASK_HOLDER) {
        ask_holder(coordinator, waiting, verdict.holder);
        if (waiting->holder.token != 0)
            return false;
        verdict = join_decide(&scene, &waiting->request);
    }
    if (verdict.answer == JOIN_WAIT)
        return false;
    if (verdict.answer == JOIN_ACCEPTED)
        return accept(coordinator, waiting, &verdict);
    refuse(coordinator, waiting, &verdict);
    return true;
}

/* ---- what comes in ---- */

static bool read_request(const Bus__JoinRequest *from, struct join_request *request)
{
    size_t size = strlen(from->name);

    *request = (struct join_request){ .name_is_valid = from->name_valid,
                                      .password_is_valid = from->password_valid,
                                      .has_auth = from->has_auth };
    if (from->address.len != sizeof request->ip)
        return false;
    memcpy(request->ip, from->address.data, sizeof request->ip);
    if (size > 0 && size < sizeof request->name)
        memcpy(request->name, from->name, size);
    else if (from->name_valid)
        return false;
    if (from->replaces != NULL)
        request->replaces = (struct member_ref){ from->replaces->id, from->replaces->token };
    return true;
}

void lobby_on_request(struct coordinator *coordinator, uint16_t gateway, const Bus__JoinRequest *request)
{
    struct waiting waiting = { .gateway = gateway, .number = request->request };
    const struct member *replaced;

    if (!read_request(request, &waiting.request)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    replaced = directory_find(&coordinator->directory, waiting.request.replaces);
    if (replaced != NULL && replaced->gateway != gateway) {
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
        return;
    }
    waiting.until_ms = coordinator->now_ms + WAITING_MS;
    if (decide(coordinator, &waiting))
        return;
    if (coordinator->waiting_count == WAITING_MAX) {
        coordinator_drop(coordinator, REASON_TABLE_FULL);
        return;
    }
    coordinator->waiting[coordinator->waiting_count++] = waiting;
}

void lobby_on_displaced(struct coordinator *coordinator, uint16_t gateway, const Bus__Displaced *displaced)
{
    struct member_ref holder;
    struct member *member;

    if (displaced->player == NULL) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    holder = (struct member_ref){ displaced->player->id, displaced->player->token };
    member = directory_find(&coordinator->directory, holder);
    if (member != NULL && member->gateway != gateway) {
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
        return;
    }
    if (displaced->gone)
        coordinator->stats.displaced++;
    if (displaced->gone && member != NULL)
        people_remove(coordinator, member, LEFT_TIMEOUT);
    for (size_t i = 0; i < coordinator->waiting_count; i++) {
        struct waiting *waiting = &coordinator->waiting[i];

        if (waiting->holder.id == holder.id && waiting->holder.token == holder.token)
            waiting->holder_until_ms = coordinator->now_ms;
    }
    coordinator->is_waiting_due = true;
}

void lobby_forget_gateway(struct coordinator *coordinator, uint16_t gateway)
{
    size_t kept = 0;

    for (size_t i = 0; i < coordinator->waiting_count; i++) {
        if (coordinator->waiting[i].gateway != gateway)
            coordinator->waiting[kept++] = coordinator->waiting[i];
    }
    coordinator->waiting_count = kept;
}

void lobby_run(struct coordinator *coordinator)
{
    size_t kept = 0;

    coordinator->is_waiting_due = false;
    for (size_t i = 0; i < coordinator->waiting_count; i++) {
        struct waiting waiting = coordinator->waiting[i];

        if (coordinator->now_ms >= waiting.until_ms)
            coordinator_drop(coordinator, REASON_JOIN_TIMEOUT);
        else if (!decide(coordinator, &waiting))
            coordinator->waiting[kept++] = waiting;
    }
    coordinator->waiting_count = kept;
}
