/* watchdog.h - ends the process when a script has the shard's thread and does not give it back.
 *
 * The limits of script/call.h stop what they can see. What they cannot would hold the shard until the bus
 * takes it for dead, and again after each restart. So while a call lasts, a timer of the thread's own CPU
 * time looks in; when the same call has gone on for too long, it writes the resource's name into a file,
 * whose resources are not started again (script_config.off_file), and aborts.
 *
 * A part of the shell: signals are the process', so there is one watchdog in it. */
#ifndef DLMP_SHARD_WATCHDOG_H
#define DLMP_SHARD_WATCHDOG_H

#include <stdint.h>

#include "shard/script/script.h"

enum {
    WATCHDOG_MS = 1500, /* ours: the bus takes 2 s for a death */
    WATCHDOG_LOOKS = 6, /* ours: in that time */
};

/* Of the thread that calls it. Borrows what is watched; `file` is copied. -1: errno says why. */
int watchdog_start(const struct script_watch *watch, const char *file, uint32_t limit_ms);
void watchdog_stop(void);

#endif
