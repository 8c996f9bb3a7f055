/* bans.h - who may not come in, and who may.
 *
 * A list of subjects: networks (an address is one of a single member), player names and accounts, each with
 * an end and a text. The ban list is one, the allow list another. Names count without regard to case.
 *
 * Finding an address costs one look for each prefix length that is in use, not one for each entry.
 *
 * Spec: Connection, "Opening a connection", 4. */
#ifndef DLMP_COORDINATOR_BANS_H
#define DLMP_COORDINATOR_BANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/table.h"

enum {
    BANS_MAX = 65536,    /* ours: entries of a list */
    BAN_NAME_SIZE = 40,  /* longer than any player's name, and leaves ban_subject without padding */
    BAN_TEXT_SIZE = 128, /* as ConnectReject.detail and its terminator */
    BAN_SUBJECT_TEXT_SIZE = 64,
    BAN_BITS_MAX = 128,
};

#define BAN_FOREVER UINT64_MAX

enum ban_kind { BAN_NONE, BAN_ADDRESS, BAN_NAME, BAN_ACCOUNT };

/* What is not of its kind is zeros: two equal subjects have equal bytes. */
struct ban_subject {
    enum ban_kind kind;
    uint32_t bits;            /* of the network's prefix; an IPv4 address is a mapped one of 128 */
    uint8_t ip[16];           /* the rest is zeros */
    char name[BAN_NAME_SIZE]; /* in small letters */
    uint64_t account_id;
};
_Static_assert(sizeof(struct ban_subject) == 24 + BAN_NAME_SIZE + 8, "it is a key, byte by byte");

/* "10.1.2.3", "10.0.0.0/8", "2001:db8::/32"; bits after the prefix are cleared. False: no network. */
bool ban_subject_of_network(struct ban_subject *subject, const char *text);
/* Where a connection comes from: an IPv4 address, or the /64 of an IPv6 one. */
void ban_subject_of_source(struct ban_subject *subject, const uint8_t ip[16]);
/* False: longer than any name, or has what no name has. */
bool ban_subject_of_name(struct ban_subject *subject, const char *name);
bool ban_subject_of_account(struct ban_subject *subject, uint64_t account_id);
/* "address 10.0.0.0/8", "name alice", "account 17": the same for the same subject, and read back by
 * ban_subject_read. */
char *ban_subject_format(const struct ban_subject *subject, char text[BAN_SUBJECT_TEXT_SIZE]);
/* As written by ban_subject_format; a network alone will do. */
bool ban_subject_read(struct ban_subject *subject, const char *text);

struct ban_list {
    struct table entries;
    uint32_t prefixes[BAN_BITS_MAX + 1]; /* entries that have so many bits */
    uint32_t accounts;
};

struct ban {
    struct ban_subject subject;
    uint64_t expires_ms; /* or BAN_FOREVER */
    bool is_fixed;       /* from the settings file: not stored, not to be removed */
    char text[BAN_TEXT_SIZE];
    uint64_t compared; /* the comparison with Redis that saw it last */
};

void ban_list_init(struct ban_list *list);
void ban_list_fini(struct ban_list *list);

/* Adds it, or changes the end and text of the one with the same subject; NULL: the list is full, or it is a
 * fixed one. */
struct ban *ban_list_add(struct ban_list *list, const struct ban_subject *subject, uint64_t expires_ms,
                         const char *text);
struct ban *ban_list_find(const struct ban_list *list, const struct ban_subject *subject);
void ban_list_remove(struct ban_list *list, struct ban *ban);

/* The entry that holds for this address, name or account now; NULL: none. Expired ones do not hold. */
const struct ban *ban_list_match_address(const struct ban_list *list, const uint8_t ip[16], uint64_t now_ms);
const struct ban *ban_list_match_name(const struct ban_list *list, const char *name, uint64_t now_ms);
const struct ban *ban_list_match_account(const struct ban_list *list, uint64_t account_id, uint64_t now_ms);

/* The next one at `at` or after it, as table_next. */
struct ban *ban_list_next(const struct ban_list *list, uint32_t *at);
uint32_t ban_list_count(const struct ban_list *list);

#endif
