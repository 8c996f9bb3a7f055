#include "coordinator/options.h"

#include <string.h>

#include "common/text.h"
#include "coordinator/ownership.h"
#include "coordinator/store.h"

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): what stands in an initializer cannot all be in parentheses */
#define SPAWN(name, what, value, low, high, text)                                                       \
    { .key = #name, .type = what, .offset = offsetof(struct coordinator_spawn, name), .standard = value, \
      .min = low, .max = high, .doc = text }

static const struct config_option spawn_options[] = {
    SPAWN(x, CONFIG_REAL, NULL, -6000, 6000, "m"),
    SPAWN(y, CONFIG_REAL, NULL, -6000, 6000, "m"),
    SPAWN(z, CONFIG_REAL, NULL, -200, 4000, "m"),
    SPAWN(heading, CONFIG_REAL, "0", -360, 360, "degrees"),
    SPAWN(skin, CONFIG_INT, "0", 0, 311, "of the player"),
    SPAWN(virtual_world, CONFIG_INT, "0", 0, UINT32_MAX, "of the scope"),
    SPAWN(interior, CONFIG_INT, "0", 0, 255, "of the scope"),
    { .key = NULL },
};

static const struct config_option text_options[] = {
    { .key = "", .type = CONFIG_TEXT, .min = 1, .max = 128, .doc = "" },
    { .key = NULL },
};

static const struct config_option rule_options[] = {
    { .key = "key", .type = CONFIG_TEXT, .offset = offsetof(struct cluster_rule, key), .min = 1, .max = 32,
      .doc = "" },
    { .key = "value", .type = CONFIG_TEXT, .offset = offsetof(struct cluster_rule, value), .standard = "",
      .max = 64, .doc = "" },
    { .key = NULL },
};

#define AT(field) offsetof(struct options, field)
#define TEXT(name, field, value, low, high, text)                                                  \
    { .key = name, .type = CONFIG_TEXT, .offset = AT(field), .standard = value, .min = low, .max = high, \
      .doc = text }
#define SECRET(name, field, high, text) \
    { .key = name, .type = CONFIG_SECRET, .offset = AT(field), .standard = "", .max = high, .doc = text }
#define INT(name, field, value, low, high, text)                                                        \
    { .key = name, .type = CONFIG_INT, .offset = AT(field), .standard = value, .min = low, .max = high, \
      .doc = text }
#define BOOL(name, field, text) \
    { .key = name, .type = CONFIG_BOOL, .offset = AT(field), .standard = "false", .doc = text }
#define CHOICE(name, field, value, list, text)                                                       \
    { .key = name, .type = CONFIG_CHOICE, .offset = AT(field), .standard = value, .choices = list, \
      .doc = text }
#define LIST(name, field, high, items, size, text)                                                      \
    { .key = name, .type = CONFIG_LIST, .offset = AT(field), .standard = "", .max = high, .item = items, \
      .item_size = size, .count_offset = AT(field##_count), .doc = text }

/* A row of the rate limits, with the page's numbers. */
#define LIMIT(index, name, rate_value, burst_value)                                                  \
    { .key = "limits." name ".rate", .type = CONFIG_REAL, .offset = AT(cluster.limits[index].rate), \
      .standard = rate_value, .max = 1e6, .doc = "a second" },                                       \
    { .key = "limits." name ".burst", .type = CONFIG_REAL, .offset = AT(cluster.limits[index].burst), \
      .standard = burst_value, .max = 1e6, .doc = "at once" },                                       \
    CHOICE("limits." name ".mode", cluster.limits[index].mode, "enforce", cluster_limit_modes,      \
           "enforce, observe (only count) or off")

static const struct config_option option_table[] = {
    TEXT("name", process.name, "coordinator", 1, 63, "of this process on the bus and in the logs"),
    TEXT("bus.endpoint", bus_endpoint, "tcp://127.0.0.1:7700", 1, 127, "where gateways and shards find it"),
    SECRET("bus.curve.server_secret_key", bus_server_secret_key, 40, "Z85; with it the bus is encrypted"),
    LIST("bus.curve.client_keys", bus_client_keys, 256, text_options, sizeof(char *),
         "Z85 public keys of the processes that may connect"),

    TEXT("redis.socket", redis_socket, "", 0, 107, "path of a unix socket; empty: host and port instead"),
    TEXT("redis.host", redis_host, "127.0.0.1", 1, 255, "address or name"),
    INT("redis.port", redis_port, "6379", 1, 65535, "TCP"),
    SECRET("redis.password", redis_password, 255, "empty: none"),
    TEXT("redis.prefix", redis_prefix, "dlmp", 1, STORE_PREFIX_MAX, "of every key; a cluster has its own"),

    TEXT("admin.listen", admin_listen, "127.0.0.1", 1, 45, "address of the operators' HTTP"),
    INT("admin.port", admin_port, "8080", 0, 65535, "its port; 0: any that is free"),
    BOOL("admin.open", admin_open, "listen where others than this machine may reach it: it has no password"),

    INT("cluster.shards", shards, "2", 1, SLOTS_MAX, "slots of worlds: as many as there are to be shards"),
    LIST("spawns", spawns, COORDINATOR_SPAWNS_MAX, spawn_options, sizeof(struct coordinator_spawn),
         "where players start, in turn; none: one at the origin"),

    TEXT("server.name", cluster.name, "DarqlineMP server", 1, 64, "as clients see it"),
    TEXT("server.gamemode", cluster.gamemode, "", 0, 32, "for the server query"),
    TEXT("server.language", cluster.language, "", 0, 16, "for the server query"),
    SECRET("server.password", cluster.password, 63, "that clients need; empty: none"),
    INT("server.max_players", cluster.max_players, "1000", 1, 65535, "of the whole cluster"),
    INT("server.heartbeat_ms", cluster.heartbeat_ms, "100", 20, 1000, "longest time between two PlayerSync"),
    BOOL("server.require_account", cluster.require_account, "nobody comes in without an account ticket"),
    BOOL("server.shutting_down", cluster.shutting_down, "nobody comes in at all"),
    LIST("server.rules", cluster.rules, CLUSTER_RULES_MAX, rule_options, sizeof(struct cluster_rule),
         "key and value, for the server query"),
    LIST("auth.public_keys", cluster.public_keys, CLUSTER_KEYS_MAX, text_options, sizeof(char *),
         "Ed25519 public keys of the account service, hex"),
    INT("auth.cluster_id", cluster.cluster_id, "0", 0, 9007199254740991, "that tickets name"),
    BOOL("allow_list.enabled", cluster.allow_list, "only who is on the allow list comes in"),
    LIST("allow_list.entries", cluster.allowed, CLUSTER_ALLOWED_MAX, text_options, sizeof(char *),
         "networks, \"name NAME\", \"account ID\"; more of them can be added while it runs"),

    INT("limits.connections_per_address", cluster.connections_per_address, "8", 1, 65535,
        "of the whole cluster; of IPv6 a /64 is one address"),
    LIMIT(0, "datagrams", "400", "200"),
    LIMIT(1, "player_sync", "40", "20"),
    LIMIT(2, "vehicle_frame", "125", "63"),
    LIMIT(3, "shots", "80", "40"),
    LIMIT(4, "damage_report", "100", "50"),
    LIMIT(5, "reliable", "60", "60"),
    LIMIT(6, "acks", "150", "150"),
    LIMIT(7, "hello", "10", "20"),
    LIMIT(8, "query", "5", "10"),
    LIMIT(9, "challenges", "20000", "20000"),
    LIMIT(10, "queries", "1000", "1000"),

    CHOICE("log.level", process.log_level, "info", program_log_levels, "the least that is written"),
    CHOICE("log.format", process.log_format, "logfmt", program_log_formats,
           "for people, or a JSON object a line"),
    { .key = NULL },
};
/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

const struct config_spec coordinator_options = { "coordinator", option_table };

size_t coordinator_options_check(const struct options *options, FILE *errors)
{
    size_t wrong = cluster_settings_check(&options->cluster, errors) +
                   program_check_admin(options->admin_listen, options->admin_open, errors);
    struct span prefix = { (const uint8_t *)options->redis_prefix, strlen(options->redis_prefix) };

    if (!process_name_is_valid(options->process.name)) {
        fputs("name: expected letters, digits, '.', '_' and '-'\n", errors);
        wrong++;
    }
    if (!text_is_chars(prefix.data, prefix.size, "!-~")) {
        fputs("redis.prefix: expected printable ASCII without spaces\n", errors);
        wrong++;
    }
    return wrong;
}
