/* state.h - what the files of the coordinator's core share: its state, and the functions that they call of
 * each other. */
#ifndef DLMP_COORDINATOR_STATE_H
#define DLMP_COORDINATOR_STATE_H

#include "coordinator/core.h"
#include "coordinator/counter.h"
#include "coordinator/game.h"
#include "coordinator/kv.h"
#include "coordinator/ownership.h"
#include "coordinator/resources.h"
#include "coordinator/tickets.h"

enum {
    WAITING_MAX = 16384,         /* ours: attempts; all players of a large cluster that come back at once */
    WAITING_MS = 5000,           /* as long as a gateway waits for the answer */
    HOLDER_SILENT_MS = 2000,     /* Connection, "Opening a connection", 4 */
    HOLDER_ANSWER_MS = 2000,     /* ours: a gateway that lives answers within a heartbeat or two */
    UNCLAIMED_MS = 10 * 1000,    /* ours: a player whom its gateway does not name for so long is not there */
    MAP_PLAYERS_MS = 1000,       /* ours: how often the count of players alone makes a new map */
    STORE_RETRY_MS = 5000,       /* ours: after Redis has refused something */
    BAN_END_TOLERANCE_MS = 1000, /* ours */
    TOKEN_BLOCK = 1024,          /* design.md, "Identity and time" */
    VEHICLE_LEASE = 1024,        /* the same */
    VEHICLE_BLOCK = 16 * VEHICLE_LEASE, /* ours: leases that go on while Redis is away */
    REVISION_BLOCK = 1 << 20,           /* ours: a map a second for twelve days */
};

enum leave_reason { LEFT_QUIT, LEFT_TIMEOUT, LEFT_KICKED, LEFT_BANNED, LEFT_SERVER, LEFT_REASONS };

/* LOADING: Redis has not been there yet, nothing is handed out. SETTLING: it has; others are still waited
 * for. */
enum phase { PHASE_LOADING, PHASE_SETTLING, PHASE_SERVING };

/* An attempt that is not decided yet. */
struct waiting {
    uint16_t gateway; /* in the registry */
    uint64_t number;  /* the gateway's */
    struct join_request request;
    uint64_t until_ms;
    struct member_ref holder; /* token 0: nobody is being asked */
    uint64_t holder_until_ms;
};

struct coordinator {
    char name[PROCESS_NAME_SIZE];
    uint32_t pid;
    uint64_t boot;
    struct coordinator_spawn *spawns;
    size_t spawns_count;
    size_t next_spawn;
    const struct cluster_settings *settings;

    uint64_t now_ms;
    uint64_t started_ms;
    uint64_t back_ms; /* when it was last stopped for long enough for its peers to give it up; 0 never */
    enum phase phase;
    uint64_t next_tick_ms;

    struct directory directory;
    struct registry registry;
    struct ownership ownership;
    struct ban_list lists[STORAGE_LISTS];
    struct counter counters[STORAGE_COUNTERS];
    struct tickets tickets;
    struct waiting *waiting;
    size_t waiting_count;
    bool is_waiting_due; /* something that attempts wait for has come */
    uint64_t states;     /* of gateways, counted: which of them named a player last */

    uint64_t map_revision;
    bool is_map_due;
    uint64_t map_ms; /* when the last one was published */
    uint32_t map_players;
    uint64_t settings_revision; /* 0: not known yet */
    struct game game;
    struct kv kv;
    struct resources resources;
    bool is_renewal_due; /* somebody has seen higher revisions: everything is told anew above them */
    uint64_t expire_ms;  /* when bans and tickets are looked through next */

    struct storage storage;
    bool is_loaded;
    uint64_t store_since_ms; /* since when it is connected, or away */
    uint64_t load_at_ms;     /* when all is to be loaded and compared again; UINT64_MAX: not */
    uint64_t reserve_at_ms;  /* not before, after a refusal */
    uint64_t compares;       /* of Redis with the memory, counted */
    uint64_t unsaved;        /* changes that Redis has missed since it went away */
    char store_error[256];   /* the last one; "": none since all was in order */

    struct outbox outbox;
    struct coordinator_stats stats;
};

static inline struct process *process_at(struct coordinator *coordinator, uint16_t place)
{
    return &coordinator->registry.processes[place];
}

/* ---- core.c */

/* Somebody has this revision: ours must become higher. */
void coordinator_see_revision(struct coordinator *coordinator, uint64_t revision);
void coordinator_drop(struct coordinator *coordinator, enum reason reason);
/* Before and after every input. */
void coordinator_set_now(struct coordinator *coordinator, uint64_t now_ms);
void coordinator_finish(struct coordinator *coordinator);

/* ---- telling.c: what others are told */

/* An item for the process, if it is up; NULL: it is not. */
Bus__Item *tell(struct coordinator *coordinator, uint16_t place);
Bus__Player *tell_player(struct coordinator *coordinator, struct member_ref ref);
void tell_kick(struct coordinator *coordinator, uint16_t gateway, struct member_ref ref,
               enum leave_reason reason, const char *text);
/* The same item for every process that is up; its parts are shared. */
void tell_everybody(struct coordinator *coordinator, const Bus__Item *what, bool gateways_too);
void tell_listed(struct coordinator *coordinator, const struct member *member);
void tell_left(struct coordinator *coordinator, struct member_ref ref, enum leave_reason reason);
void tell_broadcast(struct coordinator *coordinator, struct span packet, Bus__Send__Class delivery);
/* The settings and the players, for a process that has just come up; the map is due then anyway. Does
 * nothing before there is a revision for it. */
void tell_all(struct coordinator *coordinator, uint16_t place);
/* The map, when it is due. */
void tell_map(struct coordinator *coordinator);

/* ---- people.c: how players come and go */

struct member *people_add(struct coordinator *coordinator, uint32_t token, const struct join_request *request,
                          uint16_t gateway, uint16_t shard);
/* Without a word to the others: the caller tells them. */
void people_drop(struct coordinator *coordinator, struct member *member, enum leave_reason reason);
void people_remove(struct coordinator *coordinator, struct member *member, enum leave_reason reason);
void people_remove_all_of(struct coordinator *coordinator, uint16_t gateway, enum leave_reason reason);
/* The shard is dead: its gateways send them away. */
void people_kick_all_on(struct coordinator *coordinator, uint16_t shard);
/* One whom Redis knows. */
void people_restore(struct coordinator *coordinator, const struct stored_player *stored);
/* What a gateway says of itself and of the players it has. */
void people_on_gateway_state(struct coordinator *coordinator, uint16_t gateway,
                             const Bus__GatewayState *state);
void people_on_ticket_use(struct coordinator *coordinator, uint16_t gateway, const Bus__TicketUse *use);
/* Redis has decided, or has gone away before it did. */
void people_on_ticket(struct coordinator *coordinator, const uint8_t id[STORAGE_TICKET_SIZE],
                      bool is_accepted, bool is_stored);

/* ---- lobby.c: how attempts are decided */

void lobby_on_request(struct coordinator *coordinator, uint16_t gateway, const Bus__JoinRequest *request);
void lobby_on_displaced(struct coordinator *coordinator, uint16_t gateway, const Bus__Displaced *displaced);
void lobby_forget_gateway(struct coordinator *coordinator, uint16_t gateway);
/* Decides whatever can be decided by now. */
void lobby_run(struct coordinator *coordinator);

/* ---- scripts.c: what gamemodes have their shard ask for */

enum cause_news { CAUSE_IS_NEW, CAUSE_IS_REPEATED };

/* Whether it was carried out before; from now on it was. NULL: nothing that could come twice. */
enum cause_news cause_take(struct coordinator *coordinator, const Bus__Cause *cause);
void scripts_on_event(struct coordinator *coordinator, const Bus__ScriptEvent *event);
void scripts_on_ban(struct coordinator *coordinator, uint16_t shard, const Bus__Ban *ban);

/* ---- saving.c: what Redis is to keep */

/* What waits to be stored, by name. Redis being away is no failure: all is compared when it is back. */
void save_player(struct coordinator *coordinator, uint32_t id);
void save_process(struct coordinator *coordinator, const char *name);
void save_ban(struct coordinator *coordinator, enum storage_list list, const struct ban_subject *subject);
void save_game(struct coordinator *coordinator, const struct storage_game_key *game);
void save_wish(struct coordinator *coordinator, const char *resource);
/* False: Redis is away. */
bool save_kv(struct coordinator *coordinator, struct pool_ref ref);
bool save_slot(struct coordinator *coordinator, uint32_t slot, uint64_t fence);
bool save_ticket(struct coordinator *coordinator, const uint8_t id[STORAGE_TICKET_SIZE]);
void saving_on_up(struct coordinator *coordinator);
void saving_on_down(struct coordinator *coordinator);
/* A claim that Redis could not be asked for: it holds. */
void saving_on_slot_unsaved(struct coordinator *coordinator, uint32_t slot, uint64_t fence);
void saving_on_result(struct coordinator *coordinator, const struct storage_result *result);
/* Blocks of numbers that will be needed, and whatever else is due with Redis. */
void saving_run(struct coordinator *coordinator);

#endif
