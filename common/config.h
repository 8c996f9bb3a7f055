/* config.h - the settings of a process: one YAML file, environment variables over it, defaults below it.
 *
 * A process describes its settings once, in a table. From the table come the reading and checking of the
 * file, the names of the environment variables, what `--check-config` prints, and the example file.
 * Everything that is wrong is told at once, each with file, line and key: an unknown key, a key given twice,
 * a value out of its range. A setting that was misspelled never falls back to its default in silence.
 *
 * The key udp.port of a gateway is DLMP_GATEWAY_UDP_PORT in the environment. A list is set in the file. */
#ifndef DLMP_COMMON_CONFIG_H
#define DLMP_COMMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    CONFIG_FILE_MAX = 1 << 20, /* ours: bytes of a file */
    CONFIG_KEY_MAX = 64,       /* ours: bytes of a whole key */
    CONFIG_OPTIONS_MAX = 128,  /* ours: settings of a process */
};

enum config_type {
    CONFIG_BOOL,   /* bool */
    CONFIG_INT,    /* int64_t */
    CONFIG_REAL,   /* double */
    CONFIG_TEXT,   /* char *; min and max are its bytes */
    CONFIG_SECRET, /* char *; never printed */
    CONFIG_CHOICE, /* int64_t: the index in `choices` */
    CONFIG_LIST,   /* an array of the item's struct, and a size_t count */
};

struct config_option {
    const char *key; /* "udp.port"; of a list's item: one word, or "" when the items are plain values */
    enum config_type type;
    size_t offset;        /* in the settings, or in the item */
    const char *standard; /* the default, as it would be written; NULL: it must be set */
    double min;           /* inclusive, of numbers; of texts and lists the size */
    double max;
    const char *doc;                  /* one line: meaning and unit */
    const char *const *choices;       /* ends with NULL */
    const struct config_option *item; /* of a list: what an item has; ends with a NULL key */
    size_t item_size;
    size_t count_offset;
};

struct config_spec {
    const char *process;                 /* "gateway": the part of the variables' names */
    const struct config_option *options; /* ends with a NULL key */
};

struct config;

/* Reads `path` (NULL: no file) and the environment into the settings. Errors go to `errors`, one a line, and
 * NULL is returned. The texts and lists in the settings are the config's: they live until config_free. */
struct config *config_load(const struct config_spec *spec, const char *path, char *const *environment,
                           void *settings, FILE *errors);
void config_free(struct config **config);

/* What --check-config prints: every setting, its value, where it came from. Secrets are "set" or "empty". */
void config_print(const struct config *config, const void *settings, FILE *out);

/* A commented file with every setting at its default. */
void config_print_example(const struct config_spec *spec, FILE *out);

#endif
