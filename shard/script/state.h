/* state.h - what the resources of a shard have in common, for the modules of the runtime. */
#ifndef DLMP_SHARD_SCRIPT_STATE_H
#define DLMP_SHARD_SCRIPT_STATE_H

#include "shard/event.h"
#include "shard/script/cluster.h"
#include "shard/script/known.h"
#include "shard/script/resource.h"
#include "shard/script/timers.h"
#include "shard/shard.h"

struct script {
    struct shard *shard;
    struct script_config config; /* its folder and off_file are the two below */
    char *folder;
    char *off_file;
    uint64_t started_at_ms;

    struct resource *resources[SCRIPT_RESOURCES_MAX]; /* in the order of their start */
    size_t resources_count;
    struct known known;
    uint16_t last_number;
    uint32_t last_listener; /* ids of listeners and timers are never used twice */
    struct timers timers;
    struct script_asks asks;

    struct call *call; /* the innermost that is under way */
    uint32_t depth;    /* of calls within calls */
    uint32_t busy;     /* loops over resources under way: nobody is taken out of the list meanwhile */
    struct budget budget;
    struct said said; /* by all of them, to anybody */
    struct script_watch watch;
    struct script_stats stats;
};

/* Whoever has asked to be stopped or restarted is, unless a call or a loop is under way. */
void script_settle(struct script *script);
/* Handlers have come or gone: the shard raises what somebody listens to. */
void script_update_heard(struct script *script, enum event event);

#endif
