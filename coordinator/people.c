#include <assert.h>
#include <string.h>

#include "common/log.h"
#include "common/text.h"
#include "coordinator/state.h"

enum { IP_SIZE = 16 };

/* ---- coming ---- */

static void set_places(struct coordinator *coordinator, struct member *member, uint16_t gateway,
                       uint16_t shard)
{
    member->gateway = gateway;
    member->shard = shard;
    process_at(coordinator, gateway)->members++;
    if (shard != PROCESS_NONE)
        process_at(coordinator, shard)->members++;
}

struct member *people_add(struct coordinator *coordinator, uint32_t token, const struct join_request *request,
                          uint16_t gateway, uint16_t shard)
{
    struct member *member = directory_add(&coordinator->directory, token, request->name, request->ip);

    if (member == NULL)
        return NULL;
    member->fence = 1;
    member->since_ms = coordinator->now_ms;
    member->is_confirmed = true;
    set_places(coordinator, member, gateway, shard);
    save_player(coordinator, member->ref.id);
    return member;
}

/* ---- going ---- */

void people_drop(struct coordinator *coordinator, struct member *member, enum leave_reason reason)
{
    LOG(INFO, "player_left", KV("player", member->ref.id), KV("generation", member->ref.token),
        KV("name", member->name), KV("reason", (int)reason));
    process_at(coordinator, member->gateway)->members--;
    if (member->shard != PROCESS_NONE)
        process_at(coordinator, member->shard)->members--;
    coordinator->stats.leaves[reason]++;
    directory_remove(&coordinator->directory, member, coordinator->now_ms);
    /* What is stored of it is deleted when its id is free: a coordinator that starts meanwhile lets the id
     * cool too. */
}

void people_remove(struct coordinator *coordinator, struct member *member, enum leave_reason reason)
{
    struct member_ref ref = member->ref;

    people_drop(coordinator, member, reason);
    tell_left(coordinator, ref, reason);
}

void people_remove_all_of(struct coordinator *coordinator, uint16_t gateway, enum leave_reason reason)
{
    for (struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        if (member->gateway == gateway)
            people_remove(coordinator, member, reason);
    }
}

void people_kick_all_on(struct coordinator *coordinator, uint16_t shard)
{
    for (const struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        if (member->shard == shard)
            tell_kick(coordinator, member->gateway, member->ref, LEFT_SERVER,
                      "The world you were in has gone down.");
    }
}

/* ---- taken over ---- */

static uint16_t shard_named(struct coordinator *coordinator, const char *name)
{
    return process_name_is_valid(name) ? registry_place(&coordinator->registry, BUS__ROLE__ROLE_SHARD, name)
                                       : PROCESS_NONE;
}

/* The place of a gateway that only Redis has told of, which may still come. PROCESS_NONE: no room. */
static uint16_t gateway_named(struct coordinator *coordinator, const char *name)
{
    uint16_t place = process_name_is_valid(name)
                         ? registry_place(&coordinator->registry, BUS__ROLE__ROLE_GATEWAY, name)
                         : PROCESS_NONE;

    if (place != PROCESS_NONE && process_at(coordinator, place)->state == PROCESS_GONE) {
        struct process *gateway = process_at(coordinator, place);

        gateway->state = PROCESS_LOST;
        gateway->is_remembered = true;
        gateway->since_ms = coordinator->now_ms;
    }
    return place;
}

void people_restore(struct coordinator *coordinator, const struct stored_player *stored)
{
    struct member *member = directory_find(&coordinator->directory, stored->ref);
    uint16_t gateway;

    /* What a gateway has said of its players is newer; their accounts it does not tell. */
    if (member != NULL)
        member->account_id = stored->account_id;
    if (directory_find_id(&coordinator->directory, stored->ref.id) != NULL)
        return;
    /* Of one who left and came back both may be stored, since the id of the first was cooling. */
    member = directory_find_name(&coordinator->directory, stored->name);
    if (member != NULL && !member->is_confirmed && member->ref.token < stored->ref.token)
        people_remove(coordinator, member, LEFT_TIMEOUT);
    gateway = gateway_named(coordinator, stored->gateway);
    if (gateway == PROCESS_NONE)
        return;
    member = directory_restore(&coordinator->directory, stored->ref, stored->name, stored->ip);
    if (member == NULL)
        return;
    member->fence = stored->fence;
    member->since_ms = coordinator->now_ms;
    member->account_id = stored->account_id;
    set_places(coordinator, member, gateway, shard_named(coordinator, stored->shard));
    if (process_at(coordinator, gateway)->state == PROCESS_UP &&
        process_at(coordinator, gateway)->has_reported)
        people_remove(coordinator, member, LEFT_TIMEOUT);
}

/* What a gateway says of one of its players is a player, and could be here. */
static bool state_is_valid(const Bus__GatewayPlayer *player)
{
    return player != NULL && player->player != NULL && player->player->id < DIRECTORY_IDS &&
           player->player->token != 0 && player->name[0] != '\0' &&
           strlen(player->name) < DIRECTORY_NAME_SIZE &&
           text_is_chars((const uint8_t *)player->name, strlen(player->name), "!-~") &&
           player->address.len == IP_SIZE && player->fence <= STORAGE_NUMBER_MAX;
}

/* Only Redis knows it, and its gateway has not confirmed it: it gives way. */
static void give_way(struct coordinator *coordinator, struct member *member)
{
    if (member != NULL && !member->is_confirmed)
        people_remove(coordinator, member, LEFT_TIMEOUT);
}

static struct member *adopt(struct coordinator *coordinator, uint16_t gateway,
                            const Bus__GatewayPlayer *player)
{
    struct directory *directory = &coordinator->directory;
    struct member_ref ref = { player->player->id, player->player->token };
    struct member *member;

    give_way(coordinator, directory_find_name(directory, player->name));
    give_way(coordinator, directory_find_id(directory, ref.id));
    member = directory_restore(directory, ref, player->name, player->address.data);
    if (member == NULL)
        return NULL;
    member->fence = player->fence;
    member->since_ms = coordinator->now_ms;
    set_places(coordinator, member, gateway, shard_named(coordinator, player->shard));
    save_player(coordinator, ref.id);
    tell_listed(coordinator, member);
    LOG(INFO, "player_adopted", KV("player", ref.id), KV("generation", ref.token), KV("name", member->name));
    return member;
}

static void on_gateway_player(struct coordinator *coordinator, uint16_t gateway,
                              const Bus__GatewayPlayer *player)
{
    struct member_ref ref;
    struct member *member;

    if (!state_is_valid(player)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    ref = (struct member_ref){ player->player->id, player->player->token };
    counter_see(&coordinator->counters[STORAGE_TOKENS], ref.token);
    member = directory_find(&coordinator->directory, ref);
    if (member == NULL && directory_is_cooling(&coordinator->directory, ref))
        return; /* its gateway is about to hear that it has left */
    if (member == NULL && coordinator->phase != PHASE_SERVING)
        member = adopt(coordinator, gateway, player);
    if (member == NULL) {
        tell_kick(coordinator, gateway, ref, LEFT_SERVER, "The server has lost your connection.");
        return;
    }
    if (member->gateway != gateway) {
        coordinator_drop(coordinator, REASON_BUS_FORBIDDEN);
        return;
    }
    member->is_confirmed = true;
    member->heard_of = coordinator->states;
    member->rtt_ms = player->rtt_ms;
}

/* Who is at this gateway by our account but not by its own. A player that was let in a moment ago may not
 * have reached it yet. */
static void remove_unclaimed(struct coordinator *coordinator, uint16_t gateway, bool is_first)
{
    uint64_t up_ms = process_at(coordinator, gateway)->since_ms;

    for (struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        if (member->gateway != gateway || member->heard_of == coordinator->states)
            continue;
        if (!member->is_confirmed || (is_first && member->since_ms < up_ms) ||
            coordinator->now_ms - member->since_ms >= UNCLAIMED_MS)
            people_remove(coordinator, member, LEFT_TIMEOUT);
    }
}

static void note_rates(struct coordinator *coordinator, struct process *gateway,
                       const Bus__GatewayState *state)
{
    double seconds = (double)(coordinator->now_ms - gateway->reported_ms) / 1000;

    gateway->rate_in = 0;
    gateway->rate_out = 0;
    if (gateway->has_reported && seconds > 0) {
        if (state->packets_in >= gateway->packets_in)
            gateway->rate_in = (double)(state->packets_in - gateway->packets_in) / seconds;
        if (state->packets_out >= gateway->packets_out)
            gateway->rate_out = (double)(state->packets_out - gateway->packets_out) / seconds;
    }
    gateway->packets_in = state->packets_in;
    gateway->packets_out = state->packets_out;
}

void people_on_gateway_state(struct coordinator *coordinator, uint16_t gateway,
                             const Bus__GatewayState *state)
{
    struct process *process = process_at(coordinator, gateway);
    bool is_first = !process->has_reported;

    if (!process_endpoint_is_valid(state->endpoint)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    note_rates(coordinator, process, state);
    process->has_reported = true;
    process->reported_ms = coordinator->now_ms;
    process->pid = state->pid;
    process->connections = state->connections;
    process->is_draining = state->draining;
    process_set_endpoint(process, state->endpoint);
    if (state->highest_revision <= STORAGE_NUMBER_MAX / 2)
        coordinator_see_revision(coordinator, state->highest_revision);
    coordinator->states++;
    for (size_t i = 0; i < state->n_players; i++)
        on_gateway_player(coordinator, gateway, state->players[i]);
    if (is_first || state->n_players == state->connections)
        remove_unclaimed(coordinator, gateway, is_first);
}

/* ---- accounts ---- */

static void answer_ticket(struct coordinator *coordinator, const struct used_ticket *ticket, bool is_accepted)
{
    const struct member *member = directory_find(&coordinator->directory, ticket->user);
    Bus__Item *item = member == NULL ? NULL : tell(coordinator, member->gateway);

    if (is_accepted)
        coordinator->stats.tickets_accepted++;
    else
        coordinator->stats.tickets_refused++;
    if (item == NULL)
        return;
    item->ticket_answer = outbox_alloc(&coordinator->outbox, sizeof *item->ticket_answer);
    bus__ticket_answer__init(item->ticket_answer);
    item->ticket_answer->request = ticket->request;
    item->ticket_answer->player = tell_player(coordinator, ticket->user);
    item->ticket_answer->accepted = is_accepted;
    item->item_case = BUS__ITEM__ITEM_TICKET_ANSWER;
}

/* The ticket is good. Whether the account may play is another question; who may not is told why before the
 * answer. */
static bool admit_account(struct coordinator *coordinator, const struct used_ticket *ticket)
{
    struct member *member = directory_find(&coordinator->directory, ticket->user);
    const struct ban *ban =
        ban_list_match_account(&coordinator->lists[STORAGE_BANNED], ticket->account_id, coordinator->now_ms);

    if (member == NULL)
        return false;
    if (ban != NULL) {
        tell_kick(coordinator, member->gateway, member->ref, LEFT_BANNED, ban->text);
        return false;
    }
    if (member->is_account_due && ban_list_match_account(&coordinator->lists[STORAGE_ALLOWED],
                                                         ticket->account_id, coordinator->now_ms) == NULL) {
        tell_kick(coordinator, member->gateway, member->ref, LEFT_KICKED, "You are not on the allow list.");
        return false;
    }
    member->is_account_due = false;
    member->account_id = ticket->account_id;
    memcpy(member->account_name, ticket->account_name, sizeof member->account_name);
    save_player(coordinator, member->ref.id);
    return true;
}

void people_on_ticket(struct coordinator *coordinator, const uint8_t id[STORAGE_TICKET_SIZE],
                      bool is_accepted, bool is_stored)
{
    struct used_ticket *ticket = tickets_find(&coordinator->tickets, id);
    const struct member *member;

    if (ticket == NULL)
        return;
    ticket->is_stored = is_stored;
    member = directory_find(&coordinator->directory, ticket->user);
    if (ticket->request != 0)
        answer_ticket(coordinator, ticket, is_accepted && admit_account(coordinator, ticket));
    else if (!is_accepted && member != NULL) /* it was taken on trust while Redis was away */
        tell_kick(coordinator, member->gateway, member->ref, LEFT_KICKED, "authentication failed");
    ticket->request = 0;
    if (!is_accepted)
        tickets_remove(&coordinator->tickets, ticket);
}

static bool use_is_valid(const Bus__TicketUse *use)
{
    struct span account_name = { (const uint8_t *)use->account_name, strlen(use->account_name) };

    return use->player != NULL && use->request != 0 && use->ticket_id.len == STORAGE_TICKET_SIZE &&
           use->valid_ms > 0 && use->valid_ms <= TICKET_LIFE_MAX_MS && use->account_id != 0 &&
           account_name.size < DIRECTORY_ACCOUNT_SIZE && text_is_plain(account_name);
}

static struct used_ticket *note_use(struct coordinator *coordinator, const struct member *member,
                                    const Bus__TicketUse *use)
{
    struct used_ticket *ticket = tickets_add(&coordinator->tickets, use->ticket_id.data);

    if (ticket == NULL)
        return NULL;
    ticket->user = member->ref;
    ticket->account_id = use->account_id;
    memcpy(ticket->account_name, use->account_name, strlen(use->account_name) + 1);
    ticket->expires_ms = coordinator->now_ms + use->valid_ms;
    return ticket;
}

void people_on_ticket_use(struct coordinator *coordinator, uint16_t gateway, const Bus__TicketUse *use)
{
    struct used_ticket *ticket;
    const struct member *member;
    bool is_new;

    if (!use_is_valid(use)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    member =
        directory_find(&coordinator->directory, (struct member_ref){ use->player->id, use->player->token });
    if (member == NULL || member->gateway != gateway) {
        coordinator_drop(coordinator, member == NULL ? REASON_BUS_STALE : REASON_BUS_FORBIDDEN);
        return;
    }
    ticket = tickets_find(&coordinator->tickets, use->ticket_id.data);
    is_new = ticket == NULL;
    if (is_new)
        ticket = note_use(coordinator, member, use);
    if (ticket == NULL || ticket->user.id != member->ref.id || ticket->user.token != member->ref.token) {
        coordinator_drop(coordinator, ticket == NULL ? REASON_TABLE_FULL : REASON_TICKET_REUSED);
        answer_ticket(coordinator, &(struct used_ticket){ .user = member->ref, .request = use->request },
                      false);
        return;
    }
    bool is_decided = !is_new && ticket->request == 0;

    ticket->request = use->request;
    if (is_decided)
        people_on_ticket(coordinator, ticket->id, true, ticket->is_stored);
    else if (is_new && !save_ticket(coordinator, ticket->id) && coordinator->is_loaded)
        people_on_ticket(coordinator, ticket->id, true, false);
}
