/* storage.h - what the coordinator has Redis keep, and what it is told in return.
 *
 * The core's memory is the truth, Redis what a restart finds again. So what waits to be stored is a queue
 * of names (this player, that ban), and what is stored is its state when its turn comes. Nothing waits
 * while Redis is away: when it is back everything is loaded, compared, and what differs is written. The
 * same is done when the queue has overflowed or a write was refused, so no failure of Redis takes more
 * memory than the state itself.
 *
 * A driver takes commands in order, may have many under way, and hands back the results in the same order. */
#ifndef DLMP_COORDINATOR_STORAGE_H
#define DLMP_COORDINATOR_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "common/pool.h"
#include "common/ring.h"
#include "coordinator/bans.h"
#include "coordinator/directory.h"
#include "coordinator/registry.h"
#include "proto/game.h"

enum {
    STORAGE_QUEUE_MAX = 65536, /* ours: what a second of Redis takes */
    STORAGE_TICKET_SIZE = 16,  /* of AuthAssertion's ticket_id */
};

/* Redis counts in 64 bits, its scripts in doubles. */
#define STORAGE_NUMBER_MAX ((UINT64_C(1) << 53) - 1)

enum storage_counter { STORAGE_TOKENS, STORAGE_VEHICLES, STORAGE_REVISIONS, STORAGE_COUNTERS };
enum storage_list { STORAGE_BANNED, STORAGE_ALLOWED, STORAGE_LISTS };

/* ---- what is stored */

struct stored_player {
    struct member_ref ref;
    uint64_t fence;
    char gateway[PROCESS_NAME_SIZE];
    char shard[PROCESS_NAME_SIZE];
    uint8_t ip[16];
    uint64_t account_id;
    char name[DIRECTORY_NAME_SIZE];
};

struct stored_slot {
    uint32_t slot;
    uint64_t fence;
    char shard[PROCESS_NAME_SIZE];
    uint64_t boot;
};

struct stored_process {
    char name[PROCESS_NAME_SIZE];
    Bus__Role role;
    uint64_t boot;
};

struct stored_ban {
    struct ban_subject subject;
    uint64_t left_ms; /* until it ends, or BAN_FOREVER */
    char text[BAN_TEXT_SIZE];
};

/* One of the settings of the game, a team, or how far the count of their changes has come. */
struct stored_game {
    enum stored_game_what {
        STORED_CHANGE,
        STORED_TEAM,
        STORED_REVISION,
        STORED_WEAPON_REVISION,
        STORED_RELATION_REVISION,
    } what;
    struct game_change change;
    uint64_t age_ms; /* of a time of day */
    struct game_team team;
    uint64_t number; /* of a revision */
};

/* What an operator wants of a resource, also on shards that come later. */
struct stored_wish {
    char name[GAME_RESOURCE_MAX + 1];
    bool runs;
};

/* ---- commands and results */

enum storage_kind {
    STORAGE_LOAD,    /* everything */
    STORAGE_RESERVE, /* a block of a counter, above `floor` */
    STORAGE_PLAYER,
    STORAGE_PROCESS,
    STORAGE_SLOT, /* a new owner; only over a lower fence */
    STORAGE_BAN,
    STORAGE_TICKET, /* used by this player, unless somebody else has used it */
    STORAGE_GAME,   /* settings of the game, with their revision, at once */
    STORAGE_WISH,
    STORAGE_KV, /* what a resource has asked for */
    STORAGE_KINDS,
};

struct storage_command {
    enum storage_kind kind;
    bool is_delete; /* of a player, process, ban or wish: only its name counts */
    union {
        struct storage_reserve {
            enum storage_counter counter;
            uint64_t floor;
            uint64_t count;
        } reserve;
        struct stored_player player;
        struct stored_process process;
        struct stored_wish wish;
        struct stored_slot slot;
        struct storage_ban {
            enum storage_list list;
            struct stored_ban ban;
        } ban;
        struct storage_ticket {
            uint8_t id[STORAGE_TICKET_SIZE];
            struct member_ref user;
            uint64_t valid_ms;
        } ticket;
        struct storage_game {
            const struct stored_game *entries; /* borrowed until the next command is taken */
            size_t count;
            bool is_all; /* nothing else is to be there */
        } game;
        struct storage_kv {
            Bus__KvAsk__Op op;
            const char *resource; /* borrowed until its result */
            struct span key;
            struct kv_value value;
        } kv;
    };
};

struct storage_loaded {
    uint64_t counters[STORAGE_COUNTERS];
    const struct stored_player *players;
    size_t players_count;
    const struct stored_slot *slots;
    size_t slots_count;
    const struct stored_process *processes;
    size_t processes_count;
    const struct stored_ban *bans[STORAGE_LISTS];
    size_t bans_count[STORAGE_LISTS];
    const struct stored_game *game;
    size_t game_count;
    const struct stored_wish *wishes;
    size_t wishes_count;
    size_t unreadable; /* values that were left out, each named in the log */
};

struct storage_result {
    bool is_ok;
    bool is_again;     /* not ok, and to be tried again at once */
    const char *error; /* not ok: what was wrong, with the key */
    uint64_t number;   /* the block's first; the fence that is there now; 1 the ticket is the user's, 0 not */
    const struct storage_loaded *loaded;
    bool has_value; /* of a resource's key */
    struct kv_value value;
};

/* ---- the queue */

struct storage_key {
    enum storage_kind kind;
    union {
        enum storage_counter counter;
        uint32_t player_id;
        char process[PROCESS_NAME_SIZE];
        char resource[GAME_RESOURCE_MAX + 1];
        struct storage_slot_key {
            uint32_t slot;
            uint64_t fence;
        } slot;
        struct storage_ban_key {
            enum storage_list list;
            struct ban_subject subject;
        } ban;
        uint8_t ticket[STORAGE_TICKET_SIZE];
        struct storage_game_key {
            enum { STORAGE_GAME_CHANGE, STORAGE_GAME_TEAM, STORAGE_GAME_ALL } which;
            struct game_change change; /* its name counts */
            uint32_t team;
        } game;
        struct pool_ref kv;
    };
};

struct storage {
    struct ring queue; /* of keys; the first `taken` are under way */
    size_t taken;
    bool is_connected;
    bool has_overflowed;
};

/* -1: no memory. */
int storage_init(struct storage *storage);
void storage_fini(struct storage *storage);

/* False: Redis is away, or the queue is full, and then all is to be compared once it has emptied. */
bool storage_push(struct storage *storage, const struct storage_key *key);
/* The next key to take; NULL: none. */
const struct storage_key *storage_take(struct storage *storage);
/* The oldest that was taken; NULL: none. Gone with storage_done. */
const struct storage_key *storage_taken(const struct storage *storage);
void storage_done(struct storage *storage);
/* Whatever waits or is under way, oldest first, when Redis goes away; NULL: no more. */
const struct storage_key *storage_drop(struct storage *storage);

#endif
