/* settings.h - the settings file of a child: keys with values, written as YAML.
 *
 * Which keys a program has, and what is right for them, the program alone knows: `--check-config` tells. */
#ifndef DLMP_CTL_SETTINGS_H
#define DLMP_CTL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    SETTINGS_MAX = 64, /* ours: settings of a file */
    SETTINGS_KEY_SIZE = 64,
};

struct settings {
    struct setting {
        char key[SETTINGS_KEY_SIZE]; /* "udp.port" */
        char *value;
        bool is_list; /* the value is YAML: its items, a line each */
    } items[SETTINGS_MAX];
    size_t count;
};

void settings_init(struct settings *settings);
void settings_fini(struct settings *settings);

/* Sets it, or sets it anew. False: the key is too long, there are too many, or no memory. */
bool settings_set(struct settings *settings, const char *key, const char *value);
__attribute__((format(printf, 3, 4))) bool settings_set_to(struct settings *settings, const char *key,
                                                           const char *format, ...);
/* The items are lines of YAML as they stand below the key: "  - { model: 411 }\n". */
bool settings_set_list(struct settings *settings, const char *key, const char *items);

/* The file, section by section. */
void settings_print(struct settings *settings, FILE *out);
/* -1: errno says why. Nobody else can read it. */
int settings_write(struct settings *settings, const char *path);

/* Any text as a YAML scalar that reads back as the same text. */
void settings_put_scalar(FILE *out, const char *text);

/* Does a program that printed this for `--check-config` have the key? */
bool settings_listing_has(const char *listing, const char *key);

#endif
