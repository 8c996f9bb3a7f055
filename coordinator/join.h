/* join.h - may this client come in: the one place that decides it.
 *
 * A pure function of the request and of what the cluster knows, in the page's order. It changes nothing: a
 * connection that would be replaced lives on after a refusal.
 *
 * Spec: Connection, "Opening a connection", 4. */
#ifndef DLMP_COORDINATOR_JOIN_H
#define DLMP_COORDINATOR_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/bans.h"
#include "coordinator/directory.h"
#include "coordinator/settings.h"

/* The first eleven are those of ConnectReject.reason, and accepted. */
enum join_answer {
    JOIN_ACCEPTED = 0,
    JOIN_FULL = 1,
    JOIN_BANNED = 2,
    JOIN_BAD_NAME = 3,
    JOIN_NAME_TAKEN = 4,
    JOIN_WRONG_PASSWORD = 5,
    JOIN_ACCOUNT_REQUIRED = 6,
    JOIN_NOT_ALLOWED = 7,
    JOIN_SHUTTING_DOWN = 8,
    JOIN_TOO_MANY = 9,
    JOIN_NO_WORLD = 10,
    JOIN_REASONS = 11,

    JOIN_WAIT,       /* a world is about to be there */
    JOIN_ASK_HOLDER, /* but for the name's holder, from the same address, it could: is that one silent? */
};

enum join_world { JOIN_WORLD_NONE, JOIN_WORLD_SOON, JOIN_WORLD_READY };

struct join_request {
    uint8_t ip[16];
    char name[DIRECTORY_NAME_SIZE]; /* empty: not valid anyway */
    bool name_is_valid;
    bool password_is_valid;
    bool has_auth;
    struct member_ref replaces; /* token 0: nobody */
    bool holder_is_asked;       /* who held the name then is gone, or not silent: do not ask again */
};

struct join_scene {
    const struct directory *directory;
    const struct ban_list *banned;
    const struct ban_list *allowed;
    const struct cluster_settings *settings;
    enum join_world world; /* is there a shard that can take a player */
    uint64_t now_ms;
};

struct join_verdict {
    enum join_answer answer;
    const char *detail;       /* for the player; borrowed, never NULL */
    struct member_ref holder; /* of JOIN_ASK_HOLDER */
    bool is_account_due;      /* accepted on its word that an account on the allow list follows */
};

struct join_verdict join_decide(const struct join_scene *scene, const struct join_request *request);

#endif
