/* options.h - the settings of a gateway process: its table for common/config.h. */
#ifndef DLMP_GATEWAY_OPTIONS_H
#define DLMP_GATEWAY_OPTIONS_H

#include "common/program.h"

struct options {
    struct program_options process;

    char *udp_address;
    int64_t udp_port;
    int64_t sessions_max;
    int64_t ingress_window_us;
    int64_t egress_window_us;
    bool egress_plain;

    char *bus_coordinator;
    char *bus_server_key;
    char *bus_secret_key;

    char *admin_listen;
    int64_t admin_port;
    bool admin_open;
};

extern const struct config_spec gateway_options;

/* What is wrong with them together, one a line, is written to `errors`; the number of lines is returned. */
size_t gateway_options_check(const void *settings, FILE *errors);

#endif
