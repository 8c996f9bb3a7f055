/* store.h - the coordinator's Redis: the shell that carries storage.h's commands to it and the results
 * back.
 *
 * Everything is asynchronous and pipelined. Redis may be away, slow, hang, refuse, restart, or hold what is
 * not ours: it is connected to again and again, with a pause that grows to STORE_PAUSE_MAX_MS; what has not
 * answered for STORE_ANSWER_MS counts as away; every reply is checked for its type and its value, and what
 * is wrong with one is told with the name of the key.
 *
 * docs/redis.md lists the keys. */
#ifndef DLMP_COORDINATOR_STORE_H
#define DLMP_COORDINATOR_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/core.h"

enum {
    STORE_PAUSE_MIN_MS = 100,  /* ours */
    STORE_PAUSE_MAX_MS = 5000, /* ours */
    STORE_ANSWER_MS = 3000,    /* ours: for connecting as well */
    STORE_PIPELINE_MAX = 1024, /* ours: commands under way */
    STORE_PREFIX_MAX = 32,     /* bytes */
};

struct store;
struct event_base; /* libevent's */

struct store_config {
    const char *socket; /* path of a unix socket; "": host and port instead */
    const char *host;
    uint16_t port;
    const char *password; /* "": none */
    const char *prefix;   /* of every key: "dlmp" of "dlmp:tokens" */
};

/* All is copied; the coordinator stays the caller's, and must outlive the store. NULL: no memory. */
struct store *store_open(const struct store_config *config, struct event_base *base,
                         struct coordinator *coordinator);
void store_close(struct store **store);

/* Sends what the coordinator has to say, connects anew when it is time, gives up on what does not answer.
 * To be called after each loop iteration, and at least every COORDINATOR_TICK_MS. */
void store_run(struct store *store, uint64_t now_ms);

#endif
