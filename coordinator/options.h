/* options.h - the settings of a coordinator process: its table for common/config.h, and what is wrong
 * beyond it.
 *
 * The keys are those of Connection, "Configuration keys of this page", and of the process itself. */
#ifndef DLMP_COORDINATOR_OPTIONS_H
#define DLMP_COORDINATOR_OPTIONS_H

#include <stdio.h>

#include "common/program.h"
#include "coordinator/core.h"

struct options {
    struct program_options process;

    char *bus_endpoint;
    char *bus_server_secret_key;
    char **bus_client_keys;
    size_t bus_client_keys_count;

    char *redis_socket;
    char *redis_host;
    int64_t redis_port;
    char *redis_password;
    char *redis_prefix;

    char *admin_listen;
    int64_t admin_port;
    bool admin_open;

    int64_t shards;
    struct coordinator_spawn *spawns;
    size_t spawns_count;
    struct cluster_settings cluster;
};

extern const struct config_spec coordinator_options;

/* What is wrong with them together, one a line, is written to `errors`; the number of lines is returned. */
size_t coordinator_options_check(const struct options *options, FILE *errors);

#endif
