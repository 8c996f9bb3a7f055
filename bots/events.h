/* events.h - the reliable event lane as a client keeps it: its own events out, the server's in.
 *
 * Go-Back-N with a cumulative ack, both ways. Neither side reads a clock or sends: they are told the time,
 * and hand out what is due. Besides the page's rules the receiver remembers what each of the last numbers
 * stood for, so that a number that a server uses twice does not pass for a repeat.
 *
 * Spec: Protocol, "Reliable event lane". */
#ifndef DLMP_BOTS_EVENTS_H
#define DLMP_BOTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"

/* Protocol: the resend timing, which we take over from the server, and how much a server may have unacked. */
enum { EVENTS_RTO_MS = 250, EVENTS_CHECK_MS = 100, EVENTS_RESENDS_MAX = 32, EVENTS_UNACKED_MAX = 512 };
/* Ours: a client that waits for more acks than that has nothing sensible to add; the longest event a client
 * sends. */
enum { EVENTS_OUT_MAX = 64, EVENTS_OUT_SIZE_MAX = 320 };

/* ---- client to server */

struct events_out_item {
    uint32_t event_id;
    uint16_t size;
    uint64_t sent_ms;
    uint8_t data[EVENTS_OUT_SIZE_MAX];
};

struct events_out {
    struct events_out_item *items; /* oldest first */
    uint32_t count;
    uint32_t capacity;
    uint32_t last_id;  /* of the last event queued; 0: none */
    uint64_t check_ms; /* no resends before */
};

enum events_ack { EVENTS_ACK_MOVED, EVENTS_ACK_OLD, EVENTS_ACK_AHEAD };

/* One of zeros is empty. */
void events_out_fini(struct events_out *out);
/* A new connection: numbers start again at 1. */
void events_out_clear(struct events_out *out);

bool events_out_has_room(const struct events_out *out);
/* Keeps a copy of the packet, which carries the number last_id + 1 and is sent right away; there must be
 * room. */
void events_out_push(struct events_out *out, uint64_t now_ms, struct span packet);
enum events_ack events_out_ack(struct events_out *out, uint32_t event_id);
/* What to send again now, oldest first. Borrowed until the next call. */
size_t events_out_due(struct events_out *out, uint64_t now_ms,
                      const struct events_out_item *due[EVENTS_RESENDS_MAX]);
/* UINT64_MAX: nothing waits. */
uint64_t events_out_wakes_at(const struct events_out *out);

/* ---- server to client */

enum events_receipt {
    EVENTS_NEXT,     /* to be delivered: it counts as delivered from now on */
    EVENTS_REPEATED, /* discarded */
    EVENTS_AHEAD,    /* discarded: something before it is missing */
    EVENTS_CHANGED,  /* discarded: the number has been delivered with other bytes */
    EVENTS_OVERRUN,  /* discarded: ahead by more than the server may have unacked */
    EVENTS_ZERO,     /* discarded: there is no such number */
};

struct events_in {
    uint32_t delivered_id;             /* what each ack carries */
    uint32_t sums[EVENTS_UNACKED_MAX]; /* of the last delivered, by number */
};

enum events_receipt events_in_take(struct events_in *in, uint32_t event_id, struct span packet);

#endif
