/* script.h - the gamemode: resources in Lua, and what the shard asks and tells them.
 *
 * A resource is a folder with a main.lua and has a Lua state of its own (resource.h): what one breaks is its
 * own. Here is what they have in common: they are started, stopped and found by name, the shard's events go
 * to their handlers, their timers come due, and together they may not use more time than the shard can spare
 * (call.h).
 *
 * Like the rest of the core it has no clock of its own: how long a call takes is measured with the functions
 * that the shell hands in, so that a test can play the time. Its one way to the outside are the files of the
 * resources themselves (files.h).
 *
 * Spec: gamemode API, Resources. */
#ifndef DLMP_SHARD_SCRIPT_SCRIPT_H
#define DLMP_SHARD_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shard;
struct script;

enum {
    SCRIPT_RESOURCES_MAX = 64,    /* ours */
    SCRIPT_NAME_MAX = 48,         /* Resource files and views: bytes of a resource's name */
    SCRIPT_ERROR_SIZE = 512,      /* ours: bytes of a sentence that says why not */
    SCRIPT_MEMORY_MAX = 64 << 20, /* gamemode API, Resources: bytes of a resource */
    SCRIPT_CALL_MS = 200,         /* gamemode API, Resources */
    SCRIPT_BUDGET_MS = 250,       /* ours: of each second a resource */
    SCRIPT_BUDGET_TOTAL_MS = 600, /* ours: of each second all of them: the bus takes 2 s for a death */
    SCRIPT_BUDGET_WINDOW_MS = 1000,
};

/* Counts of microseconds, from any moment. */
struct script_clock {
    uint64_t (*wall_us)(void); /* cheap: read at each call's start and end */
    uint64_t (*cpu_us)(void);  /* of this thread: time in which others ran is nobody's fault. NULL: wall_us */
};

/* Zeros are the defaults above. Texts are copied. */
struct script_config {
    const char *folder;       /* has a folder for each resource */
    const char *const *start; /* the names of the resources to start, in order */
    size_t start_count;
    const char *off_file; /* names those that must not start, a line each; "" or NULL: there is none */
    struct script_clock clock;
    uint64_t now_ms; /* when the shard starts, on its clock */
    size_t memory_max;
    uint32_t call_ms;
    uint32_t budget_ms;
    uint32_t budget_total_ms;
};

/* Totals over all resources: names are never labels. */
struct script_stats {
    uint32_t resources;    /* that run */
    uint64_t memory_bytes; /* of their Lua states */
    uint32_t timers;
    uint64_t calls;
    uint64_t call_us;
    uint64_t errors;      /* calls that ended with one, the following included */
    uint64_t over_time;   /* stopped at the limit of a call */
    uint64_t over_budget; /* stopped or refused since the second's budget was used up */
    uint64_t over_memory;
    uint64_t over_said; /* stopped, or refused to tell everybody, since too much was said (said.h) */
    uint64_t too_deep;  /* refused: events within events within events… */
};

/* Which call is under way, for whoever looks in from a signal handler (watchdog.h). */
struct script_watch {
    const char *volatile resource; /* NULL: none */
    volatile uint32_t turn;        /* changes with each call's start and end */
};

/* Starts the resources of the configuration; one that cannot start is logged and left out. Installs itself as
 * the shard's hooks. NULL: no memory. */
struct script *script_new(struct shard *shard, const struct script_config *config);
/* Stops all resources, the last first. The shard must still be there. */
void script_free(struct script **where);

/* -1: `error` says why. Stopping a resource from within one of its own calls is carried out when that call
 * has returned; `restart` and `reload` likewise, and what goes wrong is only logged then. A reload starts the
 * new state first, and keeps the old one if that fails to load. Whoever is started, in any of these ways,
 * hears alone of each scope that has started before: for it they are empty. */
int script_start(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE]);
int script_stop(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE]);
int script_restart(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE]);
int script_reload(struct script *script, const char *name, char error[SCRIPT_ERROR_SIZE]);

/* Runs the timers that are due. */
void script_tick(struct script *script, uint64_t now_ms);
uint64_t script_wakes_at(const struct script *script);

const struct script_stats *script_stats(struct script *script);
const struct script_watch *script_watch(const struct script *script);
/* Whether a resource of that name runs. */
bool script_runs(const struct script *script, const char *name);

#endif
