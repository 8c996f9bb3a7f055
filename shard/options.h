/* options.h - the settings of a shard process: its table for common/config.h. */
#ifndef DLMP_SHARD_OPTIONS_H
#define DLMP_SHARD_OPTIONS_H

#include "common/program.h"
#include "shard/core.h"
#include "shard/script/script.h"

struct options {
    struct program_options process;

    char *bus_endpoint;
    char *bus_coordinator;
    char *bus_server_key;
    char *bus_server_secret_key;
    char *bus_secret_key;
    char **bus_client_keys;
    size_t bus_client_keys_count;

    char *admin_listen;
    int64_t admin_port;
    bool admin_open;

    int64_t players_max;
    int64_t vehicles_max;
    int64_t player_ids_max;
    bool jacking;
    struct shard_vehicle *vehicles;
    size_t vehicles_count;

    char *resources_folder;
    char **resources_start;
    size_t resources_start_count;
    char *resources_off_file;
    int64_t resources_memory_mib;
    int64_t resources_call_ms;
    int64_t resources_budget_ms;
    int64_t resources_budget_total_ms;
};

extern const struct config_spec shard_options;

/* What the core is given; it borrows from the options. */
struct shard_config shard_options_config(const struct options *options);

/* What the gamemode is given, clock and time aside; likewise. */
struct script_config shard_options_script(const struct options *options);

/* What is wrong with them together, one a line, is written to `errors`; the number of lines is returned. */
size_t shard_options_check(const void *settings, FILE *errors);

#endif
