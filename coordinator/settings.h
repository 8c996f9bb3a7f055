/* settings.h - the settings of the whole cluster: what the coordinator's file says, and every gateway and
 * shard is told.
 *
 * Spec: Connection, "Configuration keys of this page" and "Rate limits". */
#ifndef DLMP_COORDINATOR_SETTINGS_H
#define DLMP_COORDINATOR_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/outbox.h"

enum {
    CLUSTER_KEY_SIZE = 32,  /* of an Ed25519 public key */
    CLUSTER_KEYS_MAX = 16,  /* ours: an operator that changes its key has two */
    CLUSTER_RULES_MAX = 64, /* ours */
    CLUSTER_LIMITS = 11,
    CLUSTER_ALLOWED_MAX = 4096, /* ours: who has more of them stores them in Redis */
};

/* The rows of the rate limits, in the order of cluster_settings.limits. */
extern const char *const cluster_limit_names[CLUSTER_LIMITS];
/* "enforce", "observe", "off"; ends with NULL. */
extern const char *const cluster_limit_modes[];

struct cluster_rule {
    char *key;
    char *value;
};

/* As common/config.h reads them; texts and lists are borrowed for the coordinator's life. */
struct cluster_settings {
    char *name;
    char *gamemode;
    char *language;
    char *password;
    int64_t max_players;
    int64_t heartbeat_ms;
    bool require_account;
    bool shutting_down;
    struct cluster_rule *rules; /* of the server query */
    size_t rules_count;
    char **public_keys; /* hex */
    size_t public_keys_count;
    int64_t cluster_id;
    bool allow_list;
    char **allowed; /* as ban_subject_read takes them */
    size_t allowed_count;
    int64_t connections_per_address;
    struct cluster_limit {
        double rate;
        double burst;
        int64_t mode; /* in cluster_limit_modes */
    } limits[CLUSTER_LIMITS];
};

/* What is wrong with them beyond the ranges of the single values, one a line, is written to `errors`; the
 * number of lines is returned. */
size_t cluster_settings_check(const struct cluster_settings *settings, FILE *errors);

/* The message for gateways and shards, in the outbox. The settings must have passed the check. */
Bus__ClusterSettings *cluster_settings_message(const struct cluster_settings *settings, uint64_t revision,
                                               struct outbox *outbox);

#endif
