/* scripts.c - what gamemodes have their shard ask for: events for all shards, and bans. */
#include <string.h>

#include "common/log.h"
#include "common/text.h"
#include "coordinator/state.h"

enum cause_news cause_take(struct coordinator *coordinator, const Bus__Cause *cause)
{
    struct member *member;

    if (cause == NULL || cause->player == NULL)
        return CAUSE_IS_NEW;
    member = directory_find(&coordinator->directory,
                            (struct member_ref){ cause->player->id, cause->player->token });
    if (member == NULL)
        return CAUSE_IS_NEW;
    if (cause->number < member->asked_number ||
        (cause->number == member->asked_number && cause->index <= member->asked_index))
        return CAUSE_IS_REPEATED;
    member->asked_number = cause->number;
    member->asked_index = cause->index;
    return CAUSE_IS_NEW;
}

void scripts_on_event(struct coordinator *coordinator, const Bus__ScriptEvent *event)
{
    struct outbox *outbox = &coordinator->outbox;
    Bus__Item item = BUS__ITEM__INIT;

    if (!game_resource_is_valid(event->resource) || !game_event_name_is_valid(event->name) ||
        event->arguments.len > GAME_EVENT_SIZE_MAX) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    if (cause_take(coordinator, event->cause) == CAUSE_IS_REPEATED) {
        coordinator_drop(coordinator, REASON_ITEM_REPEATED);
        return;
    }
    item.script_event = outbox_alloc(outbox, sizeof *item.script_event);
    bus__script_event__init(item.script_event);
    item.script_event->resource = outbox_text(outbox, event->resource);
    item.script_event->name = outbox_text(outbox, event->name);
    item.script_event->arguments = outbox_bytes(outbox, event->arguments.data, event->arguments.len);
    item.item_case = BUS__ITEM__ITEM_SCRIPT_EVENT;
    tell_everybody(coordinator, &item, false);
    coordinator->stats.script_events++;
}

static void ban_subject(struct coordinator *coordinator, const struct ban_subject *subject,
                        const Bus__Ban *ban)
{
    uint64_t left_ms = ban->seconds == 0 ? BAN_FOREVER : ban->seconds * 1000;
    enum coordinator_done done =
        coordinator_list_add(coordinator, coordinator->now_ms, STORAGE_BANNED, subject, left_ms, ban->text);

    if (done != COORDINATOR_DONE)
        LOG(ERROR, "ban_failed", KV("resource", ban->resource), KV("result", (int)done));
}

static bool ban_is_valid(const Bus__Ban *ban)
{
    struct span text = { (const uint8_t *)ban->text, strlen(ban->text) };

    return ban->player != NULL && game_resource_is_valid(ban->resource) && text.size < BAN_TEXT_SIZE &&
           text_is_plain(text) && ban->seconds <= GAME_BAN_SECONDS_MAX;
}

void scripts_on_ban(struct coordinator *coordinator, uint16_t shard, const Bus__Ban *ban)
{
    struct member *member;

    if (!ban_is_valid(ban)) {
        coordinator_drop(coordinator, REASON_BUS_MALFORMED);
        return;
    }
    member =
        directory_find(&coordinator->directory, (struct member_ref){ ban->player->id, ban->player->token });
    if (member == NULL || member->shard != shard) {
        coordinator_drop(coordinator, member == NULL ? REASON_BUS_STALE : REASON_BUS_FORBIDDEN);
        return;
    }
    if (cause_take(coordinator, ban->cause) == CAUSE_IS_REPEATED) {
        coordinator_drop(coordinator, REASON_ITEM_REPEATED);
        return;
    }
    LOG(INFO, "player_banned", KV("player", member->ref.id), KV("name", member->name),
        KV("resource", ban->resource), KV("text", ban->text));

    /* The first of them may end the player. */
    struct ban_subject address = { .kind = BAN_ADDRESS };
    struct ban_subject name;
    struct ban_subject account;
    bool has_name = ban_subject_of_name(&name, member->name);
    bool has_account = member->account_id != 0 && ban_subject_of_account(&account, member->account_id);

    ban_subject_of_source(&address, member->ip);
    ban_subject(coordinator, &address, ban);
    if (has_name)
        ban_subject(coordinator, &name, ban);
    if (has_account)
        ban_subject(coordinator, &account, ban);
}
