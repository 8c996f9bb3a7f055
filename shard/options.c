#include "shard/options.h"

#include <unistd.h>

#include "proto/link.h"

#define AT(field) offsetof(struct options, field)

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): what stands in an initializer cannot all be in parentheses */
#define VEHICLE(name, what, value, low, high, text)                                                      \
    { .key = #name, .type = what, .offset = offsetof(struct shard_vehicle, name), .standard = value, \
      .min = low, .max = high, .doc = text }

static const struct config_option vehicle_options[] = {
    VEHICLE(model, CONFIG_INT, NULL, 400, 611, "of the game"),
    VEHICLE(x, CONFIG_REAL, NULL, -6000, 6000, "m"),
    VEHICLE(y, CONFIG_REAL, NULL, -6000, 6000, "m"),
    VEHICLE(z, CONFIG_REAL, NULL, -200, 4000, "m"),
    VEHICLE(heading, CONFIG_REAL, "0", -360, 360, "degrees"),
    VEHICLE(color1, CONFIG_INT, "0", 0, 127, "primary"),
    VEHICLE(color2, CONFIG_INT, "0", 0, 127, "secondary"),
    VEHICLE(virtual_world, CONFIG_INT, "0", 0, UINT32_MAX, "of the scope"),
    VEHICLE(interior, CONFIG_INT, "0", 0, 255, "of the scope"),
    VEHICLE(engine, CONFIG_BOOL, "true", 0, 0, "runs"),
    { .key = NULL },
};

static const struct config_option key_options[] = {
    { .key = "", .type = CONFIG_TEXT, .min = 40, .max = 40, .doc = "" },
    { .key = NULL },
};

static const struct config_option resource_options[] = {
    { .key = "", .type = CONFIG_TEXT, .min = 1, .max = SCRIPT_NAME_MAX, .doc = "" },
    { .key = NULL },
};

static const struct config_option option_table[] = {
    { .key = "name", .type = CONFIG_TEXT, .offset = AT(process.name), .standard = "shard-1", .min = 1,
      .max = 63,
      .doc = "of this process on the bus and in the logs" },

    { .key = "bus.endpoint", .type = CONFIG_TEXT, .offset = AT(bus_endpoint),
      .standard = "tcp://127.0.0.1:7701",
      .min = 1, .max = 127, .doc = "where gateways find it" },
    { .key = "bus.coordinator", .type = CONFIG_TEXT, .offset = AT(bus_coordinator),
      .standard = "tcp://127.0.0.1:7700",
      .min = 1, .max = 127, .doc = "where the coordinator is" },
    { .key = "bus.curve.server_key", .type = CONFIG_TEXT, .offset = AT(bus_server_key), .standard = "",
      .max = 40,
      .doc = "Z85 public key of the cluster; with it the bus is encrypted" },
    { .key = "bus.curve.server_secret_key", .type = CONFIG_SECRET, .offset = AT(bus_server_secret_key),
      .standard = "",
      .max = 40, .doc = "Z85, of the cluster" },
    { .key = "bus.curve.secret_key", .type = CONFIG_SECRET, .offset = AT(bus_secret_key), .standard = "",
      .max = 40,
      .doc = "Z85, of this process" },
    { .key = "bus.curve.client_keys", .type = CONFIG_LIST, .offset = AT(bus_client_keys), .standard = "",
      .max = 256,
      .item = key_options, .item_size = sizeof(char *), .count_offset = AT(bus_client_keys_count),
      .doc = "Z85 public keys of the processes that may connect" },

    { .key = "admin.listen", .type = CONFIG_TEXT, .offset = AT(admin_listen), .standard = "127.0.0.1",
      .min = 1, .max = 45,
      .doc = "address of /metrics, /healthz and /readyz" },
    { .key = "admin.port", .type = CONFIG_INT, .offset = AT(admin_port), .standard = "8081", .min = 0,
      .max = 65535,
      .doc = "its port; 0: any that is free" },
    { .key = "admin.open", .type = CONFIG_BOOL, .offset = AT(admin_open), .standard = "false",
      .doc = "listen where others than this machine may reach it: it has no password" },

    { .key = "players_max", .type = CONFIG_INT, .offset = AT(players_max), .standard = "2000", .min = 1,
      .max = 16384,
      .doc = "of this shard" },
    { .key = "vehicles_max", .type = CONFIG_INT, .offset = AT(vehicles_max), .standard = "8000", .min = 1,
      .max = 32768,
      .doc = "of this shard" },
    { .key = "player_ids_max", .type = CONFIG_INT, .offset = AT(player_ids_max), .standard = "65536",
      .min = 1,
      .max = 100000, .doc = "of the whole cluster: no player's id is as high" },
    { .key = "jacking", .type = CONFIG_BOOL, .offset = AT(jacking), .standard = "true",
      .doc = "players may take the wheel from each other" },
    { .key = "vehicles", .type = CONFIG_LIST, .offset = AT(vehicles), .standard = "", .max = 32768,
      .item = vehicle_options, .item_size = sizeof(struct shard_vehicle), .count_offset = AT(vehicles_count),
      .doc = "of the world; those whose scope the shard owns are there" },

    { .key = "resources.folder", .type = CONFIG_TEXT, .offset = AT(resources_folder), .standard = "",
      .max = 1023, .doc = "has a folder with a main.lua for each resource" },
    { .key = "resources.start", .type = CONFIG_LIST, .offset = AT(resources_start), .standard = "",
      .max = SCRIPT_RESOURCES_MAX, .item = resource_options, .item_size = sizeof(char *),
      .count_offset = AT(resources_start_count), .doc = "names of the resources to start, in order" },
    { .key = "resources.off_file", .type = CONFIG_TEXT, .offset = AT(resources_off_file), .standard = "",
      .max = 1023,
      .doc = "names those that are not started, a line each; the watchdog adds what hung the shard; "
             "empty: neither" },
    { .key = "resources.memory_mib", .type = CONFIG_INT, .offset = AT(resources_memory_mib), .standard = "64",
      .min = 1, .max = 1024, .doc = "of each, MiB" },
    { .key = "resources.call_ms", .type = CONFIG_INT, .offset = AT(resources_call_ms), .standard = "200",
      .min = 10, .max = 500, .doc = "the longest that one call may run" },
    { .key = "resources.budget_ms", .type = CONFIG_INT, .offset = AT(resources_budget_ms), .standard = "250",
      .min = 10, .max = 1000, .doc = "of each second a resource" },
    { .key = "resources.budget_total_ms", .type = CONFIG_INT, .offset = AT(resources_budget_total_ms),
      .standard = "600", .min = 10, .max = 1000, .doc = "of each second all of them together" },

    { .key = "log.level", .type = CONFIG_CHOICE, .offset = AT(process.log_level), .standard = "info",
      .choices = program_log_levels, .doc = "the least that is written" },
    { .key = "log.format", .type = CONFIG_CHOICE, .offset = AT(process.log_format), .standard = "logfmt",
      .choices = program_log_formats, .doc = "for people, or a JSON object a line" },
    { .key = NULL },
};
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

const struct config_spec shard_options = { "shard", option_table };

struct shard_config shard_options_config(const struct options *options)
{
    return (struct shard_config){ .name = options->process.name,
                                  .bus_endpoint = options->bus_endpoint,
                                  .pid = (uint32_t)getpid(),
                                  .players_max = (uint32_t)options->players_max,
                                  .vehicles_max = (uint32_t)options->vehicles_max,
                                  .player_ids_max = (uint32_t)options->player_ids_max,
                                  .jacking = options->jacking,
                                  .vehicles = options->vehicles,
                                  .vehicles_count = options->vehicles_count };
}

struct script_config shard_options_script(const struct options *options)
{
    return (struct script_config){ .folder = options->resources_folder,
                                   .start = (const char *const *)options->resources_start,
                                   .start_count = options->resources_start_count,
                                   .off_file = options->resources_off_file,
                                   .memory_max = (size_t)options->resources_memory_mib << 20,
                                   .call_ms = (uint32_t)options->resources_call_ms,
                                   .budget_ms = (uint32_t)options->resources_budget_ms,
                                   .budget_total_ms = (uint32_t)options->resources_budget_total_ms };
}

size_t shard_options_check(const void *settings, FILE *errors)
{
    const struct options *options = settings;
    const struct shard_config config = shard_options_config(options);
    size_t wrong = program_check_admin(options->admin_listen, options->admin_open, errors);

    if (!link_name_is_valid(options->process.name)) {
        fputs("name: expected letters, digits, '.', '_' and '-'\n", errors);
        wrong++;
    }
    if (options->resources_start_count > 0 && options->resources_folder[0] == '\0') {
        fputs("resources.start: needs resources.folder\n", errors);
        wrong++;
    }
    return wrong + shard_config_check(&config, errors);
}
