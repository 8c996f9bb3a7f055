#include "shard/ask.h"

#include <assert.h>
#include <string.h>

#include "common/text.h"
#include "shard/shard.h"

enum { KICK_BY_SERVER = 4 }; /* Connection, "Disconnect" */

struct kv_pending {
    bool is_answered;
};

int asking_init(struct asking *asking)
{
    *asking = (struct asking){ .kv_first = 1 };
    return ring_init(&asking->kv, sizeof(struct kv_pending), ASK_KV_MAX);
}

void asking_fini(struct asking *asking)
{
    ring_fini(&asking->kv);
}

/* ---- why ---- */

void asking_begin(struct asking *asking, struct player_ref player, uint64_t number)
{
    asking->player = player;
    asking->number = number;
    asking->index = 0;
}

void asking_end(struct asking *asking)
{
    asking->player = (struct player_ref){ 0 };
}

static Bus__Player *player_message(struct outbox *outbox, struct player_ref ref)
{
    Bus__Player *player = outbox_alloc(outbox, sizeof *player);

    bus__player__init(player);
    player->id = ref.id;
    player->token = ref.token;
    return player;
}

Bus__Cause *asking_cause(struct shard *shard)
{
    struct asking *asking = &shard->asking;
    Bus__Cause *cause;

    if (asking->player.token == 0)
        return NULL;
    cause = outbox_alloc(&shard->outbox, sizeof *cause);
    bus__cause__init(cause);
    cause->player = player_message(&shard->outbox, asking->player);
    cause->number = asking->number;
    cause->index = ++asking->index;
    return cause;
}

/* ---- events of resources ---- */

enum reason ask_broadcast(struct shard *shard, const char *resource, const char *name, struct span arguments)
{
    struct outbox *outbox = &shard->outbox;
    Bus__ScriptEvent *event;
    Bus__Item *item;

    assert(game_resource_is_valid(resource));
    if (!game_event_name_is_valid(name))
        return REASON_BAD_NAME;
    if (arguments.size > GAME_EVENT_SIZE_MAX)
        return REASON_TOO_LARGE;
    if (shard->coordinator == PEER_NONE)
        return REASON_NO_COORDINATOR;
    event = outbox_alloc(outbox, sizeof *event);
    bus__script_event__init(event);
    event->resource = outbox_text(outbox, resource);
    event->name = outbox_text(outbox, name);
    event->arguments = outbox_bytes(outbox, arguments.data, arguments.size);
    event->cause = asking_cause(shard);
    item = outbox_add(outbox, shard->coordinator);
    item->item_case = BUS__ITEM__ITEM_SCRIPT_EVENT;
    item->script_event = event;
    return REASON_NONE;
}

void ask_on_event(struct shard *shard, const Bus__ScriptEvent *event)
{
    if (!game_resource_is_valid(event->resource) || !game_event_name_is_valid(event->name) ||
        event->arguments.len > GAME_EVENT_SIZE_MAX) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    if (shard->hooks.on_broadcast != NULL)
        shard->hooks.on_broadcast(shard->hooks.context, event->resource, event->name,
                                  (struct span){ event->arguments.data, event->arguments.len });
}

/* ---- storage ---- */

/* `value` NULL: the operation takes none. */
static enum reason ask_kv(struct shard *shard, const char *resource, Bus__KvAsk__Op op, struct span key,
                          const struct kv_value *value, uint64_t *request)
{
    struct asking *asking = &shard->asking;
    struct outbox *outbox = &shard->outbox;
    Bus__KvAsk *ask;
    Bus__Item *item;

    assert(game_resource_is_valid(resource));
    if (key.size == 0 || key.size > GAME_KV_KEY_MAX)
        return REASON_BAD_NAME;
    if (value != NULL && !value->is_number && value->bytes.size > GAME_KV_VALUE_MAX)
        return REASON_TOO_LARGE;
    if (shard->coordinator == PEER_NONE)
        return REASON_NO_COORDINATOR;
    if (ring_push(&asking->kv) == NULL)
        return REASON_TABLE_FULL;
    *request = asking->kv_first + asking->kv.count - 1;
    ask = outbox_alloc(outbox, sizeof *ask);
    bus__kv_ask__init(ask);
    ask->request = *request;
    ask->resource = outbox_text(outbox, resource);
    ask->op = op;
    ask->key = outbox_bytes(outbox, key.data, key.size);
    ask->value = value == NULL ? NULL : kv_value_message(value, outbox);
    ask->cause = asking_cause(shard);
    item = outbox_add(outbox, shard->coordinator);
    item->item_case = BUS__ITEM__ITEM_KV_ASK;
    item->kv_ask = ask;
    return REASON_NONE;
}

enum reason ask_kv_get(struct shard *shard, const char *resource, struct span key, uint64_t *request)
{
    return ask_kv(shard, resource, BUS__KV_ASK__OP__OP_GET, key, NULL, request);
}

enum reason ask_kv_set(struct shard *shard, const char *resource, struct span key,
                       const struct kv_value *value, uint64_t *request)
{
    return ask_kv(shard, resource, BUS__KV_ASK__OP__OP_SET, key, value, request);
}

enum reason ask_kv_incr(struct shard *shard, const char *resource, struct span key, int64_t by,
                        uint64_t *request)
{
    const struct kv_value value = { .is_number = true, .number = by };

    return ask_kv(shard, resource, BUS__KV_ASK__OP__OP_INCR, key, &value, request);
}

enum reason ask_kv_del(struct shard *shard, const char *resource, struct span key, uint64_t *request)
{
    return ask_kv(shard, resource, BUS__KV_ASK__OP__OP_DEL, key, NULL, request);
}

static void pop_answered(struct asking *asking)
{
    const struct kv_pending *oldest = ring_oldest(&asking->kv);

    while (oldest != NULL && oldest->is_answered) {
        ring_pop(&asking->kv);
        asking->kv_first++;
        oldest = ring_oldest(&asking->kv);
    }
}

static void tell_kv(struct shard *shard, uint64_t request, const struct kv_result *result)
{
    if (shard->hooks.on_kv != NULL)
        shard->hooks.on_kv(shard->hooks.context, request, result);
}

void ask_on_kv(struct shard *shard, const Bus__KvAnswer *answer)
{
    struct asking *asking = &shard->asking;
    struct kv_result result = { .is_ok = answer->ok, .has_value = answer->value != NULL };
    struct kv_pending *pending;

    if (answer->value != NULL && (!answer->ok || !kv_value_read(&result.value, answer->value))) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    pending =
        answer->request < asking->kv_first ? NULL : ring_at(&asking->kv, answer->request - asking->kv_first);
    if (pending == NULL || pending->is_answered) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    pending->is_answered = true;
    pop_answered(asking);
    tell_kv(shard, answer->request, &result);
}

void ask_on_coordinator_lost(struct shard *shard)
{
    struct asking *asking = &shard->asking;
    const struct kv_result failed = { 0 };

    assert(shard->coordinator == PEER_NONE); /* so whoever is told asks for nothing more */
    while (asking->kv.count > 0) {
        const struct kv_pending *oldest = ring_oldest(&asking->kv);
        bool is_answered = oldest->is_answered;
        uint64_t request = asking->kv_first++;

        ring_pop(&asking->kv);
        if (!is_answered)
            tell_kv(shard, request, &failed);
    }
}

/* ---- players ---- */

static bool text_fits(const char *text)
{
    struct span span = { (const uint8_t *)text, strlen(text) };

    return span.size <= ASK_KICK_TEXT_MAX && text_is_plain(span);
}

static void send_kick(struct shard *shard, uint8_t gateway, struct player_ref ref, uint32_t reason,
                      const char *text)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Item *item = outbox_add(outbox, shard->gateways[gateway].peer);
    Bus__Kick *kick = outbox_alloc(outbox, sizeof *kick);

    bus__kick__init(kick);
    kick->player = player_message(outbox, ref);
    kick->reason = reason;
    kick->text = outbox_text(outbox, text);
    item->item_case = BUS__ITEM__ITEM_KICK;
    item->kick = kick;
}

void player_send_away(struct shard *shard, uint8_t gateway, struct player_ref ref, const char *text)
{
    send_kick(shard, gateway, ref, KICK_BY_SERVER, text);
}

enum reason player_kick(struct shard *shard, const struct player *player, enum kick_reason reason,
                        const char *text)
{
    assert(reason == KICK_KICKED || reason == KICK_BANNED);
    if (!text_fits(text))
        return REASON_BAD_TEXT;
    if (!shard->gateways[player->gateway].up)
        return REASON_RECIPIENT_GONE;
    send_kick(shard, player->gateway, player->ref, reason, text);
    return REASON_NONE;
}

enum reason player_ban(struct shard *shard, const char *resource, const struct player *player,
                       const char *text, uint64_t seconds)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Ban *ban;
    Bus__Item *item;

    assert(game_resource_is_valid(resource));
    if (!text_fits(text))
        return REASON_BAD_TEXT;
    if (seconds > GAME_BAN_SECONDS_MAX)
        return REASON_OUT_OF_BOUNDS;
    if (shard->coordinator == PEER_NONE)
        return REASON_NO_COORDINATOR;
    ban = outbox_alloc(outbox, sizeof *ban);
    bus__ban__init(ban);
    ban->player = player_message(outbox, player->ref);
    ban->resource = outbox_text(outbox, resource);
    ban->text = outbox_text(outbox, text);
    ban->seconds = seconds;
    ban->cause = asking_cause(shard);
    item = outbox_add(outbox, shard->coordinator);
    item->item_case = BUS__ITEM__ITEM_BAN;
    item->ban = ban;
    return REASON_NONE;
}
