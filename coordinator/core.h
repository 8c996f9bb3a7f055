/* core.h - the coordinator: who plays in the cluster, and who owns what.
 *
 * It lets players in, with an id and a token of the whole cluster, keeps the directory of them, gives the
 * slots of worlds to shards under fences, leases vehicle ids, and tells everybody the map and the settings.
 * What it must find again it has Redis keep; while Redis is away it goes on from memory and from the blocks
 * of numbers it has reserved. After its own start it hands nothing out before it has loaded, and has heard
 * all that it knows of or waited 2 s.
 *
 * A core: it has no socket, no clock, no Redis and no thread. Whoever drives it (main.c, the simulator)
 * hands it the bus and the results of storage.h's commands, takes what it leaves in its outbox and its
 * commands after each round, and calls coordinator_tick no later than coordinator_wakes_at says.
 *
 * Where to read on: join.h (who may come in), directory.h, ownership.h, then people.c and saving.c.
 *
 * Spec: design.md, "Identity and time" and "Ownership and fences"; Connection, "Opening a connection", 4. */
#ifndef DLMP_COORDINATOR_CORE_H
#define DLMP_COORDINATOR_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"
#include "coordinator/join.h"
#include "coordinator/settings.h"
#include "coordinator/storage.h"
#include "proto/outbox.h"

enum {
    COORDINATOR_SETTLE_MS = 2000, /* design.md: how long a new leader waits for those it does not hear */
    COORDINATOR_STALL_MS = 5000,  /* ours: not called for so long, its peers may have given it up */
    COORDINATOR_TICK_MS = 100,    /* ours */
    COORDINATOR_SPAWNS_MAX = 256, /* ours */
    COORDINATOR_SAY_MAX = 512,    /* of ServerMessage.text */
    COORDINATOR_KICK_MAX = 127,   /* of KickNotify.text */
};

struct coordinator;

/* Where a player starts. */
struct coordinator_spawn {
    double x;
    double y;
    double z;
    double heading; /* degrees */
    int64_t skin;
    int64_t virtual_world;
    int64_t interior;
};

struct coordinator_config {
    const char *name; /* of the process, for people; copied */
    uint32_t pid;     /* for people */
    uint64_t boot;    /* for people */
    uint32_t slots;
    const struct coordinator_spawn *spawns; /* handed out in turn; copied. None: one at the origin */
    size_t spawns_count;
    const struct cluster_settings *settings; /* must have passed cluster_settings_check; borrowed */
};

/* Counts since the start, and how it stands. */
struct coordinator_stats {
    uint64_t players;
    uint64_t gateways; /* that are up */
    uint64_t shards;
    uint64_t waiting; /* attempts that are not decided yet */
    uint64_t bans;
    uint64_t tokens_left; /* of the reserved blocks */
    uint64_t store_is_connected;
    uint64_t store_waiting; /* commands */
    uint64_t is_ready;

    uint64_t joins[JOIN_REASONS]; /* decided, by ConnectReject.reason; 0 accepted */
    uint64_t leaves[5];           /* by PlayerLeave.reason */
    uint64_t displaced;           /* silent holders of a name */
    uint64_t kicks;
    uint64_t tickets_accepted;
    uint64_t tickets_refused;
    uint64_t broadcasts;
    uint64_t game_changes;  /* published */
    uint64_t script_events; /* of resources, for all shards */
    uint64_t kv_asks;
    uint64_t maps; /* published */
    uint64_t vehicle_ids;
    uint64_t slot_changes;
    uint64_t store_commands;
    uint64_t store_errors;
    uint64_t store_losses;     /* times that Redis went away */
    uint64_t store_unreadable; /* values */
    uint64_t drops[REASON_COUNT];
};

/* NULL: no memory. */
struct coordinator *coordinator_new(const struct coordinator_config *config, uint64_t now_ms);
void coordinator_free(struct coordinator **coordinator);

/* ---- the bus */

void coordinator_peer_up(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer, Bus__Role role,
                         const char *name, uint64_t boot);
void coordinator_peer_down(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer);
void coordinator_on_item(struct coordinator *coordinator, uint64_t now_ms, uint16_t peer,
                         const Bus__Item *item);
/* What is to be told since the last time. The driver hands the items to the peers' links, then calls
 * outbox_clear. */
struct outbox *coordinator_outbox(struct coordinator *coordinator);

/* ---- Redis */

void coordinator_store_up(struct coordinator *coordinator, uint64_t now_ms);
void coordinator_store_down(struct coordinator *coordinator, uint64_t now_ms);
/* The next command. False: none. Nothing is to be taken while Redis is away. */
bool coordinator_take_command(struct coordinator *coordinator, uint64_t now_ms,
                              struct storage_command *command);
/* The result of the oldest command that was taken and has none yet. */
void coordinator_on_store(struct coordinator *coordinator, uint64_t now_ms,
                          const struct storage_result *result);

/* ---- time */

void coordinator_tick(struct coordinator *coordinator, uint64_t now_ms);
uint64_t coordinator_wakes_at(const struct coordinator *coordinator);

/* ---- the operator's side */

enum coordinator_done {
    COORDINATOR_DONE,
    COORDINATOR_NOT_FOUND,
    COORDINATOR_FULL,     /* the list */
    COORDINATOR_FIXED,    /* an entry of the settings file */
    COORDINATOR_BAD_TEXT, /* too long, or with control characters */
    COORDINATOR_BAD_NAME, /* no resource can have it, or it is no order */
    COORDINATOR_NO_SHARD, /* nobody to be ordered */
    COORDINATOR_NOT_READY,
};

/* Sends the player away with reason 2. A token of 0: whoever has the id. */
enum coordinator_done coordinator_kick(struct coordinator *coordinator, uint64_t now_ms,
                                       struct member_ref ref, const char *text);
/* Who is here and is banned now is sent away with reason 3. The ban lasts `left_ms`, or BAN_FOREVER. */
enum coordinator_done coordinator_list_add(struct coordinator *coordinator, uint64_t now_ms,
                                           enum storage_list list, const struct ban_subject *subject,
                                           uint64_t left_ms, const char *text);
enum coordinator_done coordinator_list_remove(struct coordinator *coordinator, uint64_t now_ms,
                                              enum storage_list list, const struct ban_subject *subject);
/* A line of chat for every player of the cluster. */
enum coordinator_done coordinator_say(struct coordinator *coordinator, uint64_t now_ms, const char *text);
/* Has every shard that is up start, stop, restart or reload a resource (resources.h); `number` is what their
 * answers are found by. */
enum coordinator_done coordinator_order(struct coordinator *coordinator, uint64_t now_ms,
                                        Bus__ResourceOrder__Op op, const char *resource, uint64_t *number);
/* "start", "stop", "restart", "reload"; OP_NONE: it is none of these. */
Bus__ResourceOrder__Op coordinator_order_find(const char *op);
const char *coordinator_order_name(Bus__ResourceOrder__Op op);
/* NULL: nobody has this name. */
const struct member *coordinator_find(const struct coordinator *coordinator, const char *name);

/* As of now. Borrowed until the next call. */
const struct coordinator_stats *coordinator_stats(struct coordinator *coordinator);
/* Clients can join: it has loaded, has numbers to hand out, and there are a gateway and an owner of every
 * world. NULL: yes; otherwise what is missing, for people. */
const char *coordinator_unready(const struct coordinator *coordinator);

/* What Redis last had against a command, or held that is not ours, with the key; "": nothing since all was
 * in order. */
const char *coordinator_store_error(const struct coordinator *coordinator);

/* Asserts what must hold. */
void coordinator_check(const struct coordinator *coordinator);

#endif
