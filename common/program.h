/* program.h - what the processes of a cluster share: command line, settings, log, signals and the loop.
 *
 * A process describes itself and hands over; what it does is in the functions it names. The first SIGTERM
 * or SIGINT drains, for as long as the process asks at most; the second stops at once. */
#ifndef DLMP_COMMON_PROGRAM_H
#define DLMP_COMMON_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/config.h"

enum program_exit { PROGRAM_STOPPED, PROGRAM_FAILED, PROGRAM_USAGE, PROGRAM_MISSING };

enum {
    PROGRAM_LOG_TICK_MS = 1000,
    PROGRAM_FILES_MIN = 64, /* ours: open files of a process with a few peers */
};

struct event_base; /* libevent's */

/* The settings that every process has: these are the first of its own. */
struct program_options {
    char *name;
    int64_t log_level; /* enum log_level */
    int64_t log_format;
};

/* Rows of the table for log_level and log_format. */
extern const char *const program_log_levels[];
extern const char *const program_log_formats[];

struct program {
    const char *name;  /* "dlmp-shard" */
    const char *about; /* one sentence */
    const char
        *stopping; /* what the first signal does, as a sentence's end: "lets its players go and stops" */
    const struct config_spec *spec;
    void *options; /* begins with struct program_options */
    /* What is wrong beyond the table is written to `errors`; the number of lines is returned. */
    size_t (*check)(const void *options, FILE *errors);

    void *app;
    /* PROGRAM_STOPPED: it runs. Otherwise how to end; a sentence that says why was written to stderr. */
    enum program_exit (*open)(void *app, struct event_base *base, uint64_t boot);
    uint64_t (*wakes_at)(const void *app);
    void (*run)(void *app, uint64_t now_ms); /* once a loop iteration, after what arrived */
    void (*drain)(void *app, uint64_t now_ms);
    bool (*is_drained)(const void *app);
    void (*close)(void *app); /* accepts what was opened in part */
    uint32_t drain_ms;
};

/* An admin address that others than this machine may reach must be asked for: the HTTP has no passwords.
 * What is wrong is written to `errors`; the number of lines is returned. */
size_t program_check_admin(const char *listen, bool is_open, FILE *errors);

/* Parses, loads, opens, loops, closes. Returns the exit status. */
int program_main(const struct program *program, int argc, char **argv);

#endif
