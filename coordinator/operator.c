#include <string.h>

#include "common/log.h"
#include "common/text.h"
#include "coordinator/state.h"
#include "gen/wire.h"

static const uint32_t say_color = 0xFFFFFFFF; /* Chat, ServerMessage: white by default */

static bool text_fits(const char *text, size_t max)
{
    struct span span = { (const uint8_t *)text, strlen(text) };

    return span.size <= max && text_is_plain(span);
}

/* Its gateway ends the connection and says so. One whose gateway is not heard is gone at once: should the
 * gateway come back with it, it is told that it has lost it. */
static void send_away(struct coordinator *coordinator, struct member *member, enum leave_reason reason,
                      const char *text)
{
    if (process_at(coordinator, member->gateway)->state == PROCESS_UP)
        tell_kick(coordinator, member->gateway, member->ref, reason, text);
    else
        people_remove(coordinator, member, reason);
}

enum coordinator_done coordinator_kick(struct coordinator *coordinator, uint64_t now_ms,
                                       struct member_ref ref, const char *text)
{
    struct member *member = directory_find_id(&coordinator->directory, ref.id);

    coordinator_set_now(coordinator, now_ms);
    if (!text_fits(text, COORDINATOR_KICK_MAX))
        return COORDINATOR_BAD_TEXT;
    if (member == NULL || (ref.token != 0 && ref.token != member->ref.token))
        return COORDINATOR_NOT_FOUND;
    LOG(INFO, "player_kicked", KV("player", member->ref.id), KV("name", member->name), KV("text", text));
    send_away(coordinator, member, LEFT_KICKED, text);
    return COORDINATOR_DONE;
}

/* Who is here and is not welcome any more. */
static void kick_banned(struct coordinator *coordinator)
{
    const struct ban_list *banned = &coordinator->lists[STORAGE_BANNED];

    for (struct member *member = directory_next(&coordinator->directory, 0); member != NULL;
         member = directory_next(&coordinator->directory, member->ref.id + 1)) {
        const struct ban *ban = ban_list_match_address(banned, member->ip, coordinator->now_ms);

        if (ban == NULL)
            ban = ban_list_match_name(banned, member->name, coordinator->now_ms);
        if (ban == NULL && member->account_id != 0)
            ban = ban_list_match_account(banned, member->account_id, coordinator->now_ms);
        if (ban != NULL)
            send_away(coordinator, member, LEFT_BANNED, ban->text);
    }
}

enum coordinator_done coordinator_list_add(struct coordinator *coordinator, uint64_t now_ms,
                                           enum storage_list list, const struct ban_subject *subject,
                                           uint64_t left_ms, const char *text)
{
    struct ban_list *entries = &coordinator->lists[list];
    const struct ban *entry = ban_list_find(entries, subject);
    uint64_t expires_ms = BAN_FOREVER;
    char name[BAN_SUBJECT_TEXT_SIZE];

    coordinator_set_now(coordinator, now_ms);
    if (left_ms < BAN_FOREVER - coordinator->now_ms)
        expires_ms = coordinator->now_ms + left_ms;
    if (!text_fits(text, BAN_TEXT_SIZE - 1))
        return COORDINATOR_BAD_TEXT;
    if (entry != NULL && entry->is_fixed)
        return COORDINATOR_FIXED;
    if (ban_list_add(entries, subject, expires_ms, text) == NULL)
        return COORDINATOR_FULL;
    LOG(INFO, "list_entry_added", KV("list", list == STORAGE_BANNED ? "banned" : "allowed"),
        KV("subject", ban_subject_format(subject, name)), KV("text", text));
    save_ban(coordinator, list, subject);
    if (list == STORAGE_BANNED)
        kick_banned(coordinator);
    coordinator_finish(coordinator);
    return COORDINATOR_DONE;
}

enum coordinator_done coordinator_list_remove(struct coordinator *coordinator, uint64_t now_ms,
                                              enum storage_list list, const struct ban_subject *subject)
{
    struct ban *entry = ban_list_find(&coordinator->lists[list], subject);
    char name[BAN_SUBJECT_TEXT_SIZE];

    coordinator_set_now(coordinator, now_ms);
    if (entry == NULL)
        return COORDINATOR_NOT_FOUND;
    if (entry->is_fixed)
        return COORDINATOR_FIXED;
    LOG(INFO, "list_entry_removed", KV("list", list == STORAGE_BANNED ? "banned" : "allowed"),
        KV("subject", ban_subject_format(subject, name)));
    ban_list_remove(&coordinator->lists[list], entry);
    save_ban(coordinator, list, subject);
    coordinator_finish(coordinator);
    return COORDINATOR_DONE;
}

enum coordinator_done coordinator_say(struct coordinator *coordinator, uint64_t now_ms, const char *text)
{
    struct wire_server_message message = { .color = say_color,
                                           .text = { (const uint8_t *)text, strlen(text) } };
    uint8_t packet[WIRE_SERVER_MESSAGE_SIZE_MAX];
    struct wire_error error;
    size_t size;

    coordinator_set_now(coordinator, now_ms);
    if (text[0] == '\0' || !text_fits(text, COORDINATOR_SAY_MAX))
        return COORDINATOR_BAD_TEXT;
    size = wire_server_message_encode(&message, packet, sizeof packet, &error);
    if (size == 0)
        return COORDINATOR_BAD_TEXT;
    tell_broadcast(coordinator, (struct span){ packet, size }, BUS__SEND__CLASS__DROPPABLE);
    return COORDINATOR_DONE;
}

const struct member *coordinator_find(const struct coordinator *coordinator, const char *name)
{
    return directory_find_name(&coordinator->directory, name);
}
