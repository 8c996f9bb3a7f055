/* script_lab.h - a shard with resources to test: their files are written to a folder of the test's own.
 *
 * Time stands still unless a test moves it; what a script logs is kept, to be looked for. */
#ifndef DLMP_TESTS_UNIT_SCRIPT_LAB_H
#define DLMP_TESTS_UNIT_SCRIPT_LAB_H

#include <check.h>

#include "shard/script/script.h"
#include "shard/script/state.h"
#include "tests/unit/shard_stage.h"

struct script_lab {
    struct stage *stage;
    struct script *script;
    char folder[64];
    int log; /* a file that the log goes to */
};

/* No resource runs yet. */
struct script_lab *lab_new(void);
/* With limits; zeros are the defaults. */
struct script_lab *lab_new_with(const struct script_config *config);
void lab_free(struct script_lab *lab);

/* Moves the clock that calls are measured with; a script can, too: spend_ms(n). */
void lab_spend_ms(uint64_t ms);

void lab_write(struct script_lab *lab, const char *resource, const char *file, const char *text);
/* Writes main.lua and starts it. */
void lab_start(struct script_lab *lab, const char *resource, const char *main);
/* It must fail, with an error that has this in it. */
void lab_start_fails(struct script_lab *lab, const char *resource, const char *main, const char *error);
/* Runs ticks for so long. */
void lab_run(struct script_lab *lab, uint64_t ms);

/* What the log has had since it was asked for the last time. Borrowed until then. */
const char *lab_log(struct script_lab *lab);
void lab_logs(struct script_lab *lab, const char *part);

/* Runs main as a resource that is stopped again; it must go through without an error. */
void lab_passes(struct script_lab *lab, const char *main);

#endif
