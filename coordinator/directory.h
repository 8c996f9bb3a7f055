/* directory.h - the players of the whole cluster: who has which id and which name, and where.
 *
 * An id is the lowest free one, and is not given out again for 5 s after its player has left. An id alone
 * may already be somebody else's, so a player is named by id and token together. Names are found without
 * regard to case, and connections are counted by address.
 *
 * Spec: Connection, "Opening a connection" and "Disconnect". */
#ifndef DLMP_COORDINATOR_DIRECTORY_H
#define DLMP_COORDINATOR_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/table.h"

enum {
    DIRECTORY_IDS =
        1 << 17, /* ours: twice as many as ServerHello.max_players can say, half of them cooling */
    DIRECTORY_COOL_MS = 5000, /* Connection, "Disconnect" */
    DIRECTORY_NAME_SIZE = 25, /* as ClientHello.name and its terminator */
    DIRECTORY_ACCOUNT_SIZE = 33,
};

#define DIRECTORY_NONE UINT32_MAX

struct member_ref {
    uint32_t id;
    uint32_t token; /* never 0 */
};

/* A player of the cluster. */
struct member {
    struct member_ref ref;
    char name[DIRECTORY_NAME_SIZE];
    char key[DIRECTORY_NAME_SIZE]; /* the name in small letters */
    uint8_t ip[16];
    uint64_t fence;
    uint16_t gateway; /* in the registry */
    uint16_t shard;
    uint64_t since_ms; /* when it came in, or was taken over from what others knew */
    bool is_confirmed; /* not only Redis knows it */
    uint64_t compared; /* the comparison with Redis that saw it last */
    uint64_t heard_of; /* the gateway's state that named it last */
    uint32_t rtt_ms;
    uint64_t account_id; /* 0: none */
    char account_name[DIRECTORY_ACCOUNT_SIZE];
    uint64_t asked_number; /* of its last item that made a shard ask for something */
    uint32_t asked_index;  /* and which of the things this was */
    bool is_account_due;   /* came in on its word that an account on the allow list follows */

    enum member_state { MEMBER_FREE, MEMBER_HERE, MEMBER_COOLING } state; /* of the id */
    uint64_t free_at_ms;
    uint32_t next_cooling;
};

struct directory {
    struct member *members; /* by id */
    struct table names;     /* of those who are here */
    struct table addresses; /* counts of connections */
    uint64_t *taken;        /* a bit an id: here or cooling */
    uint32_t lowest;        /* no id below it is free */
    uint32_t count;
    uint32_t first_cooling; /* oldest first; DIRECTORY_NONE: none */
    uint32_t last_cooling;
};

/* -1: no memory. */
int directory_init(struct directory *directory);
void directory_fini(struct directory *directory);

/* An id is free. */
bool directory_has_room(struct directory *directory);
/* Takes the lowest free id. NULL: there is none, or the name is taken. The name has 1 to 24 bytes. */
struct member *directory_add(struct directory *directory, uint32_t token, const char *name,
                             const uint8_t ip[16]);
/* A player that was here before this directory was, though its id be cooling. NULL: id or name is taken, or
 * cannot be. */
struct member *directory_restore(struct directory *directory, struct member_ref ref, const char *name,
                                 const uint8_t ip[16]);
/* The name is free at once, the id DIRECTORY_COOL_MS later. */
void directory_remove(struct directory *directory, struct member *member, uint64_t now_ms);
/* An id that has cooled by now and is free from here on; DIRECTORY_NONE: no more. */
uint32_t directory_release(struct directory *directory, uint64_t now_ms);

/* NULL: is not here. */
struct member *directory_find(const struct directory *directory, struct member_ref ref);
struct member *directory_find_id(const struct directory *directory, uint32_t id);
struct member *directory_find_name(const struct directory *directory, const char *name);
/* This player has left, and its id is still cooling. */
bool directory_is_cooling(const struct directory *directory, struct member_ref ref);
/* How many are here from this address; of IPv6 a /64 is one. */
uint32_t directory_count_from(const struct directory *directory, const uint8_t ip[16]);
bool directory_same_source(const uint8_t a[16], const uint8_t b[16]);
/* The next one here whose id is not below `id`; NULL: none. */
struct member *directory_next(const struct directory *directory, uint32_t id);

/* Asserts what must hold. */
void directory_check(const struct directory *directory);

#endif
