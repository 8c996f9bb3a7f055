/* options.h - the command line of dlmpctl up. */
#ifndef DLMP_CTL_OPTIONS_H
#define DLMP_CTL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum {
    OPTIONS_SHARDS_MAX = 64,    /* ours: more than one machine has use for */
    OPTIONS_GATEWAYS_MAX = 64,  /* ours */
    OPTIONS_SETS_MAX = 64,      /* ours */
    OPTIONS_RESOURCES_MAX = 64, /* as dlmp-shard takes them */
    OPTIONS_BOTS_MAX = 60000,   /* as dlmp-bots takes them */
};

struct up_options {
    unsigned shards;
    unsigned gateways;
    unsigned bots;
    uint16_t port; /* 0: any free ones */
    uint16_t admin_port;
    const char *state;     /* NULL: a private folder */
    const char *world;     /* NULL: none */
    const char *resources; /* NULL: none; the folder */
    const char *resource_names[OPTIONS_RESOURCES_MAX];
    size_t resource_names_count;
    const char *sets[OPTIONS_SETS_MAX]; /* "key=value" */
    size_t sets_count;
};

/* Borrows from argv. The status to exit with, TOOL_OK: go on. */
int up_options_parse(struct up_options *options, int argc, char **argv);

#endif
