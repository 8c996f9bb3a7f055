#include "coordinator/bans.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "common/cursor.h"
#include "common/text.h"
#include "coordinator/number.h"

enum { IPV4_BITS = 32, IPV4_AT_BITS = BAN_BITS_MAX - IPV4_BITS };

/* ---- subjects ---- */

static void clear_after(uint8_t ip[16], uint32_t bits)
{
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t kept = bits <= i * 8 ? 0 : bits - i * 8;

        if (kept < 8)
            ip[i] = (uint8_t)(ip[i] & ~(0xFF >> kept));
    }
}

static void subject_of_prefix(struct ban_subject *subject, const uint8_t ip[16], uint32_t bits)
{
    *subject = (struct ban_subject){ .kind = BAN_ADDRESS, .bits = bits };
    memcpy(subject->ip, ip, sizeof subject->ip);
    clear_after(subject->ip, bits);
}

static struct span text_span(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

bool ban_subject_of_network(struct ban_subject *subject, const char *text)
{
    const char *slash = strchr(text, '/');
    size_t size = slash != NULL ? (size_t)(slash - text) : strlen(text);
    char ip[BAN_SUBJECT_TEXT_SIZE];
    struct address address;
    uint64_t bits;

    if (size >= sizeof ip)
        return false;
    memcpy(ip, text, size);
    ip[size] = '\0';
    if (!address_parse(&address, ip, 0))
        return false;

    /* What is written with dots has 32 bits, however it is kept. */
    uint64_t width = strchr(ip, ':') == NULL ? IPV4_BITS : BAN_BITS_MAX;

    bits = width;
    if (slash != NULL && !number_read(text_span(slash + 1), width, &bits))
        return false;
    subject_of_prefix(subject, address.ip, (uint32_t)(BAN_BITS_MAX - width + bits));
    return true;
}

void ban_subject_of_source(struct ban_subject *subject, const uint8_t ip[16])
{
    static const uint8_t mapped[12] = { [10] = 0xFF, [11] = 0xFF };

    subject_of_prefix(subject, ip, memcmp(ip, mapped, sizeof mapped) == 0 ? BAN_BITS_MAX : BAN_BITS_MAX / 2);
}

bool ban_subject_of_name(struct ban_subject *subject, const char *name)
{
    size_t size = strlen(name);

    *subject = (struct ban_subject){ .kind = BAN_NAME };
    if (size == 0 || size >= sizeof subject->name || !text_is_chars((const uint8_t *)name, size, "!-~"))
        return false;
    for (size_t i = 0; i < size; i++)
        subject->name[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    return true;
}

bool ban_subject_of_account(struct ban_subject *subject, uint64_t account_id)
{
    *subject = (struct ban_subject){ .kind = BAN_ACCOUNT, .account_id = account_id };
    return account_id != 0;
}

static void format_network(const struct ban_subject *subject, char *text)
{
    struct address address = { .port = 0 };
    char full[ADDRESS_TEXT_SIZE];
    char *ip = full;
    uint32_t bits = subject->bits;
    uint32_t width = BAN_BITS_MAX;
    char *end;

    memcpy(address.ip, subject->ip, sizeof address.ip);
    end = strrchr(address_format(&address, full), ':'); /* the port is not a network's */
    if (address_is_ipv4(&address) && bits >= IPV4_AT_BITS) {
        bits -= IPV4_AT_BITS;
        width = IPV4_BITS;
    } else {
        ip++;
        end--;
    }
    if (bits == width)
        (void)snprintf(text, BAN_SUBJECT_TEXT_SIZE, "address %.*s", (int)(end - ip), ip);
    else
        (void)snprintf(text, BAN_SUBJECT_TEXT_SIZE, "address %.*s/%u", (int)(end - ip), ip, bits);
}

char *ban_subject_format(const struct ban_subject *subject, char text[BAN_SUBJECT_TEXT_SIZE])
{
    switch (subject->kind) {
    case BAN_ADDRESS:
        format_network(subject, text);
        break;
    case BAN_NAME:
        (void)snprintf(text, BAN_SUBJECT_TEXT_SIZE, "name %s", subject->name);
        break;
    case BAN_ACCOUNT:
        (void)snprintf(text, BAN_SUBJECT_TEXT_SIZE, "account %llu", (unsigned long long)subject->account_id);
        break;
    case BAN_NONE:
        text[0] = '\0';
        break;
    }
    return text;
}

bool ban_subject_read(struct ban_subject *subject, const char *text)
{
    uint64_t account_id;

    if (strncmp(text, "address ", 8) == 0)
        return ban_subject_of_network(subject, text + 8);
    if (strncmp(text, "name ", 5) == 0)
        return ban_subject_of_name(subject, text + 5);
    if (strncmp(text, "account ", 8) == 0)
        return number_read(text_span(text + 8), UINT64_MAX, &account_id) &&
               ban_subject_of_account(subject, account_id);
    return ban_subject_of_network(subject, text);
}

/* ---- the list ---- */

static bool has_subject(const void *item, const void *key)
{
    const struct ban *ban = item;

    return memcmp(&ban->subject, key, sizeof ban->subject) == 0;
}

void ban_list_init(struct ban_list *list)
{
    *list = (struct ban_list){ 0 };
    table_init(&list->entries, has_subject);
}

void ban_list_fini(struct ban_list *list)
{
    struct ban *ban;

    for (uint32_t at = 0; (ban = ban_list_next(list, &at)) != NULL; at++)
        free(ban);
    table_fini(&list->entries);
}

struct ban *ban_list_find(const struct ban_list *list, const struct ban_subject *subject)
{
    return table_find(&list->entries, subject, sizeof *subject);
}

static struct ban *insert(struct ban_list *list, const struct ban_subject *subject)
{
    struct ban *ban = list->entries.count < BANS_MAX ? calloc(1, sizeof *ban) : NULL;

    if (ban == NULL)
        return NULL;
    ban->subject = *subject;
    if (!table_put(&list->entries, subject, sizeof *subject, ban)) {
        free(ban);
        return NULL;
    }
    list->accounts += subject->kind == BAN_ACCOUNT;
    if (subject->kind == BAN_ADDRESS)
        list->prefixes[subject->bits]++;
    return ban;
}

struct ban *ban_list_add(struct ban_list *list, const struct ban_subject *subject, uint64_t expires_ms,
                         const char *text)
{
    struct ban *ban = ban_list_find(list, subject);

    assert(subject->kind != BAN_NONE && subject->bits <= BAN_BITS_MAX);
    if (ban == NULL)
        ban = insert(list, subject);
    if (ban == NULL || ban->is_fixed)
        return NULL;
    ban->expires_ms = expires_ms;
    (void)snprintf(ban->text, sizeof ban->text, "%s", text);
    return ban;
}

void ban_list_remove(struct ban_list *list, struct ban *ban)
{
    list->accounts -= ban->subject.kind == BAN_ACCOUNT;
    if (ban->subject.kind == BAN_ADDRESS)
        list->prefixes[ban->subject.bits]--;
    table_remove(&list->entries, &ban->subject, sizeof ban->subject);
    free(ban);
}

/* ---- questions ---- */

static const struct ban *match(const struct ban_list *list, const struct ban_subject *subject,
                               uint64_t now_ms)
{
    const struct ban *ban = ban_list_find(list, subject);

    return ban != NULL && now_ms < ban->expires_ms ? ban : NULL;
}

const struct ban *ban_list_match_address(const struct ban_list *list, const uint8_t ip[16], uint64_t now_ms)
{
    const struct ban *ban = NULL;
    struct ban_subject subject;

    for (uint32_t bits = BAN_BITS_MAX + 1; bits-- > 0 && ban == NULL;) {
        if (list->prefixes[bits] == 0)
            continue;
        subject_of_prefix(&subject, ip, bits);
        ban = match(list, &subject, now_ms);
    }
    return ban;
}

const struct ban *ban_list_match_name(const struct ban_list *list, const char *name, uint64_t now_ms)
{
    struct ban_subject subject;

    return ban_subject_of_name(&subject, name) ? match(list, &subject, now_ms) : NULL;
}

const struct ban *ban_list_match_account(const struct ban_list *list, uint64_t account_id, uint64_t now_ms)
{
    struct ban_subject subject;

    return ban_subject_of_account(&subject, account_id) ? match(list, &subject, now_ms) : NULL;
}

struct ban *ban_list_next(const struct ban_list *list, uint32_t *at)
{
    return table_next(&list->entries, at);
}

uint32_t ban_list_count(const struct ban_list *list)
{
    return list->entries.count;
}
