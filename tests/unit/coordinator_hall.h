/* coordinator_hall.h - a coordinator to test with: its gateways, its shards and its Redis are the test's,
 * and so is the time.
 *
 * Redis is a few tables in memory that do what store.c has the real one do, and can be away, slow, restored
 * or wrong. It outlives the coordinator. What the coordinator tells its peers stays in its outbox until
 * hall_forget. */
#ifndef DLMP_TESTS_UNIT_COORDINATOR_HALL_H
#define DLMP_TESTS_UNIT_COORDINATOR_HALL_H

#include <check.h>

#include "coordinator/core.h"

enum { HALL_TICKETS = 64, HALL_BANS = 64, HALL_GAME = 2048, HALL_KEYS = 16 };

struct hall_redis {
    bool is_up;    /* the coordinator is connected */
    bool is_slow;  /* it answers nothing for now */
    bool is_wrong; /* it refuses every command */
    uint64_t counters[STORAGE_COUNTERS];
    struct stored_player *players; /* by id; token 0: none */
    struct stored_slot slots[8];   /* fence 0: none */
    struct stored_process processes[16];
    size_t processes_count;
    struct stored_wish wishes[16];
    size_t wishes_count;
    struct stored_ban bans[STORAGE_LISTS][HALL_BANS];
    size_t bans_count[STORAGE_LISTS];
    struct hall_ticket {
        uint8_t id[STORAGE_TICKET_SIZE];
        struct member_ref user;
    } tickets[HALL_TICKETS];
    size_t tickets_count;
    struct stored_game *game; /* settings, teams and revisions */
    size_t game_count;
    struct hall_kv {
        char key[64]; /* "resource:key" */
        struct kv_value value;
        uint8_t bytes[64];
    } kv[HALL_KEYS];
    size_t kv_count;
    uint64_t commands[STORAGE_KINDS]; /* how many of each kind */
};

struct hall {
    struct coordinator *coordinator;
    struct coordinator_config config;
    struct cluster_settings settings;
    struct hall_redis redis;
    uint64_t now_ms;
    uint64_t request; /* the last one's number */
};

/* Peers of the usual cluster. */
enum { HALL_GATEWAY_1 = 1, HALL_GATEWAY_2 = 2, HALL_SHARD_1 = 11, HALL_SHARD_2 = 12 };

/* A coordinator with nobody around it and its Redis away. */
void hall_start_alone(struct hall *hall);
/* Two gateways, two shards, two slots, one spawn in each, Redis: clients can join. */
void hall_start(struct hall *hall);
void hall_stop(struct hall *hall);
/* The coordinator dies and another one starts: Redis stays, its link and all peers do not. */
void hall_restart(struct hall *hall);

/* Answers commands until there are none. */
void hall_pump(struct hall *hall);
void hall_redis_up(struct hall *hall);
void hall_redis_down(struct hall *hall);
/* Time passes, in the steps that coordinator_wakes_at asks for. */
void hall_pass(struct hall *hall, uint64_t ms);
void hall_forget(struct hall *hall);

void hall_gateway_up(struct hall *hall, uint16_t peer, const char *name, uint64_t boot);
/* Up, and it has reported. */
void hall_shard_up(struct hall *hall, uint16_t peer, const char *name, uint64_t boot);
void hall_down(struct hall *hall, uint16_t peer);
void hall_item(struct hall *hall, uint16_t peer, const Bus__Item *item);
void hall_shard_state(struct hall *hall, uint16_t peer, uint64_t highest_token, uint32_t highest_vehicle);

struct hall_player {
    struct member_ref ref;
    const char *name;
};
/* A gateway's state with these players, all from 10.0.0.1 on shard-1. */
void hall_gateway_state(struct hall *hall, uint16_t peer, const struct hall_player *players, size_t count);

/* An attempt that is in order, for the test to change. */
Bus__JoinRequest hall_request(struct hall *hall, const char *name, const char *ip);
void hall_ask(struct hall *hall, uint16_t peer, const Bus__JoinRequest *request);
/* Asks, and gives the answer; NULL: none yet. */
const Bus__JoinAnswer *hall_try(struct hall *hall, uint16_t peer, const Bus__JoinRequest *request);
/* Gets in. */
struct member_ref hall_join(struct hall *hall, uint16_t peer, const char *name, const char *ip);
void hall_leave(struct hall *hall, uint16_t peer, struct member_ref ref, uint32_t reason);
void hall_displaced(struct hall *hall, uint16_t peer, struct member_ref ref, bool gone);
void hall_ticket(struct hall *hall, uint16_t peer, struct member_ref ref, uint8_t ticket,
                 uint64_t account_id);

/* What is stored of a setting, by the field that Redis has; NULL: nothing. */
const struct stored_game *hall_stored_game(const struct hall *hall, const char *field);

/* The last item of this case for the peer; NULL: none. */
const Bus__Item *hall_last(const struct hall *hall, uint16_t peer, Bus__Item__ItemCase item_case);
size_t hall_count(const struct hall *hall, uint16_t peer, Bus__Item__ItemCase item_case);
const Bus__JoinAnswer *hall_answer(const struct hall *hall, uint16_t peer, uint64_t request);
/* The owner of the slot by the last map that shard-1's peer was told; "" nobody. */
const char *hall_owner(const struct hall *hall, uint32_t slot);
uint64_t hall_fence(const struct hall *hall, uint32_t slot);

#endif
