/* redis.h - the coordinator's Redis in the simulator: tables in memory that outlive the coordinator.
 *
 * It does what store.c has the real one do, each command a seeded moment after it was taken, and in order. It
 * can be away for a while: what was under way is then carried out up to a seeded point, and its results are
 * lost. So are those of a coordinator that has died. */
#ifndef DLMP_TESTS_SIM_REDIS_H
#define DLMP_TESTS_SIM_REDIS_H

#include "common/random.h"
#include "coordinator/core.h"
#include "coordinator/record.h"

enum { REDIS_SLOTS = 16, REDIS_PROCESSES = 32, REDIS_BANS = 32, REDIS_DELAY_MAX_MS = 5 };

struct redis {
    struct rng *rng;
    bool is_connected; /* the coordinator is */
    uint64_t away_until_ms;

    uint64_t counters[STORAGE_COUNTERS];
    struct stored_player *players; /* by id; token 0: none */
    uint32_t players_end;
    struct stored_slot slots[REDIS_SLOTS]; /* fence 0: none */
    struct stored_process processes[REDIS_PROCESSES];
    size_t processes_count;
    struct stored_ban bans[STORAGE_LISTS][REDIS_BANS];
    size_t bans_count[STORAGE_LISTS];
    struct record *game; /* a hash: each field once */
    size_t game_count;

    /* Commands under way, a ring. */
    struct redis_command {
        struct storage_command command;
        struct record *game; /* what a command of settings writes */
        size_t game_count;
        uint64_t due_ms;
    } * commands;
    size_t first;
    size_t count;
};

void redis_init(struct redis *redis, struct rng *rng);
void redis_fini(struct redis *redis);

/* Takes what the coordinator has for it, and hands back the results that are due. */
void redis_run(struct redis *redis, uint64_t now_ms, struct coordinator *coordinator);
uint64_t redis_wakes_at(const struct redis *redis);

/* Nobody reaches it until then. */
void redis_cut(struct redis *redis, uint64_t now_ms, uint64_t until_ms, struct coordinator *coordinator);
/* The coordinator has died. */
void redis_hang_up(struct redis *redis);

/* Players of the table. */
uint32_t redis_players(const struct redis *redis);

#endif
