/* violation.h - what a correct server never does, as a client or all of them together can see it.
 *
 * What a client may see on a bad line is none of it: an event ahead of a gap, a repeat, a straggler of an
 * earlier player. */
#ifndef DLMP_BOTS_VIOLATION_H
#define DLMP_BOTS_VIOLATION_H

enum violation {
    /* One client sees these (client.h). */
    VIOLATION_MALFORMED,
    VIOLATION_EVENT_ZERO,
    VIOLATION_EVENT_CHANGED,
    VIOLATION_EVENT_OVERRUN,
    VIOLATION_ACK_AHEAD,
    VIOLATION_HELLO_CHANGED,
    VIOLATION_OWN_FRAME,
    VIOLATION_LEFT_PLAYER,
    VIOLATION_UNKNOWN_VEHICLE,
    VIOLATION_SHOWN_TWICE,
    VIOLATION_BARRIER,
    VIOLATION_REVISION_BACK,
    VIOLATION_OLD_SERIAL,
    VIOLATION_UNSHOWN_FRAME,
    VIOLATION_REFUSED,
    VIOLATION_KEPT_SEAT,
    /* These take the truth about several of them (check.h). */
    VIOLATION_UNSEEN_PLAYER,
    VIOLATION_FAR_PLAYER,
    VIOLATION_STALE_PLAYER,
    VIOLATION_MISPLACED_PLAYER,
    VIOLATION_GONE_PLAYER,
    VIOLATION_OLD_GENERATION,
    VIOLATION_SAME_PLAYER,
    VIOLATION_UNSEEN_VEHICLE,
    VIOLATION_FAR_VEHICLE,
    VIOLATION_MISPLACED_VEHICLE,
    VIOLATIONS,
};

/* "event_changed": a fixed word for counters; and a sentence for people. */
const char *violation_name(enum violation violation);
const char *violation_says(enum violation violation);

#endif
