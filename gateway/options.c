#include "gateway/options.h"

#include "proto/link.h"

#define AT(field) offsetof(struct options, field)

/* clang-format off */
static const struct config_option option_table[] = {
    { .key = "name", .type = CONFIG_TEXT, .offset = AT(process.name), .standard = "gateway-1", .min = 1,
      .max = 63,
      .doc = "of this process on the bus and in the logs" },

    { .key = "udp.address", .type = CONFIG_TEXT, .offset = AT(udp_address), .standard = "0.0.0.0", .min = 1,
      .max = 45,
      .doc = "to listen on for clients; \"::\" is IPv4 and IPv6" },
    { .key = "udp.port", .type = CONFIG_INT, .offset = AT(udp_port), .standard = "7777", .min = 0,
      .max = 65535,
      .doc = "where clients connect; 0: any that is free" },
    { .key = "sessions_max", .type = CONFIG_INT, .offset = AT(sessions_max), .standard = "10000", .min = 1,
      .max = 100000,
      .doc = "connections of this process at a time" },
    { .key = "ingress.window_us", .type = CONFIG_INT, .offset = AT(ingress_window_us), .standard = "8000",
      .min = 0, .max = 50000,
      .doc = "longest time that what clients send waits to be read together, where many are near; 0: never" },
    { .key = "egress.window_us", .type = CONFIG_INT, .offset = AT(egress_window_us), .standard = "5000",
      .min = 0,
      .max = 50000, .doc = "longest time that datagrams wait to be sent together; 0: never" },
    { .key = "egress.plain", .type = CONFIG_BOOL, .offset = AT(egress_plain), .standard = "false",
      .doc = "only system calls that send and receive one datagram" },

    { .key = "bus.coordinator", .type = CONFIG_TEXT, .offset = AT(bus_coordinator),
      .standard = "tcp://127.0.0.1:7700",
      .min = 1, .max = 127, .doc = "where the coordinator is" },
    { .key = "bus.curve.server_key", .type = CONFIG_TEXT, .offset = AT(bus_server_key), .standard = "",
      .max = 40,
      .doc = "Z85 public key of the cluster; with it the bus is encrypted" },
    { .key = "bus.curve.secret_key", .type = CONFIG_SECRET, .offset = AT(bus_secret_key), .standard = "",
      .max = 40,
      .doc = "Z85, of this process" },

    { .key = "admin.listen", .type = CONFIG_TEXT, .offset = AT(admin_listen), .standard = "127.0.0.1",
      .min = 1, .max = 45,
      .doc = "address of /metrics, /healthz and /readyz" },
    { .key = "admin.port", .type = CONFIG_INT, .offset = AT(admin_port), .standard = "8082", .min = 0,
      .max = 65535,
      .doc = "its port; 0: any that is free" },
    { .key = "admin.open", .type = CONFIG_BOOL, .offset = AT(admin_open), .standard = "false",
      .doc = "listen where others than this machine may reach it: it has no password" },

    { .key = "log.level", .type = CONFIG_CHOICE, .offset = AT(process.log_level), .standard = "info",
      .choices = program_log_levels, .doc = "the least that is written" },
    { .key = "log.format", .type = CONFIG_CHOICE, .offset = AT(process.log_format), .standard = "logfmt",
      .choices = program_log_formats, .doc = "for people, or a JSON object a line" },
    { .key = NULL },
};
/* clang-format on */

const struct config_spec gateway_options = { "gateway", option_table };

size_t gateway_options_check(const void *settings, FILE *errors)
{
    const struct options *options = settings;
    size_t wrong = program_check_admin(options->admin_listen, options->admin_open, errors);

    if (!link_name_is_valid(options->process.name)) {
        fputs("name: expected letters, digits, '.', '_' and '-'\n", errors);
        wrong++;
    }
    return wrong;
}
