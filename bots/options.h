/* options.h - the command line of dlmp-bots. */
#ifndef DLMP_BOTS_OPTIONS_H
#define DLMP_BOTS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bots/swarm.h"

/* Ours. */
enum { OPTIONS_BOTS_MAX = 60 * 1000, OPTIONS_ADDRESSES_MAX = 60 * 1000, OPTIONS_PER_ADDRESS = 8 };

struct options {
    const char *servers; /* HOST:PORT, several with commas */
    uint32_t addresses;  /* local ones; 0: as many as the server's limit of OPTIONS_PER_ADDRESS asks for */
    double loss;
    const char *json; /* a file, "-" for standard output; NULL: none */
    bool wants_flood;
    double flood_per_s;
    uint32_t flood_sources;
    struct swarm_config swarm;
};

enum options_verdict { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_WRONG };

/* Borrows from argv. What is wrong is said to `complaints` in one line. */
enum options_verdict options_parse(struct options *options, int argc, char **argv, FILE *complaints);
void options_print_help(FILE *out);

#endif
