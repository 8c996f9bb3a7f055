/* family.h - the running processes of a plan: started, listened to, started again, ended.
 *
 * A process that dies is started again, after a pause that doubles each time; one that has lived for a while
 * begins anew with the shortest. Until family_settled it is another matter: a process that cannot be started
 * then will not be later, and the family gives up.
 *
 * They end by role, the last started first: those of a role get SIGTERM and some time, then SIGKILL. All of
 * it takes less than 5 s. */
#ifndef DLMP_CTL_FAMILY_H
#define DLMP_CTL_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/lines.h"
#include "ctl/plan.h"

enum {
    FAMILY_STARTS_MAX = 3,          /* ours: tries of a process while the family is not settled */
    FAMILY_PAUSE_MS = 250,          /* ours: before the first restart */
    FAMILY_PAUSE_MAX_MS = 8 * 1000, /* ours */
    FAMILY_STABLE_MS = 30 * 1000,   /* ours: who has lived so long begins anew */
};

struct family;
struct event_base; /* libevent's */

/* Borrows all three. NULL: no memory. */
struct family *family_new(const struct plan *plan, struct lines *lines, struct event_base *base);
/* Kills whoever is there still. */
void family_free(struct family **family);

void family_start(struct family *family, enum role role);
/* All are there: from here on nothing is given up. */
void family_settled(struct family *family);
/* Why the family has given up; NULL: it has not. */
const char *family_failure(const struct family *family);

/* On SIGCHLD. */
void family_reap(struct family *family);
/* Every 50 ms or so. */
void family_tick(struct family *family);

void family_end(struct family *family);
/* At once. */
void family_kill(struct family *family);
bool family_is_gone(const struct family *family);

/* A line of dlmpctl itself, among theirs. */
__attribute__((format(printf, 2, 3))) void family_say(struct family *family, const char *format, ...);

#endif
