/* report.h - what a run of bots has found: as a table for people, as JSON for programs, as one line while it
 * runs.
 *
 * Plain data and its printers. The verdict is here as well: what makes a run a failure is one rule. */
#ifndef DLMP_BOTS_REPORT_H
#define DLMP_BOTS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bots/behaviour.h"
#include "bots/check.h"
#include "bots/client.h"

enum { REPORT_REJECTS = 11, REPORT_LEAVES = 5 }; /* ConnectReject.reason 1..=10; PlayerLeave.reason 0..=4 */

struct report {
    /* The run. */
    uint64_t seed;
    uint32_t bots;
    uint32_t shares[BEHAVIOUR_KINDS]; /* of each behaviour */
    const char *spread;
    const char *phase;
    uint64_t run_ms;
    uint64_t measured_ms;
    uint64_t measured_from_unix_ms; /* 0: it never came to that */
    uint64_t measured_to_unix_ms;
    bool was_stopped;  /* before its time */
    bool is_unsettled; /* some never reached their homes */
    bool allows_rejects;

    /* Connections. */
    uint32_t open;     /* now */
    uint32_t in_world; /* now */
    uint32_t opened;   /* bots that have been connected at least once */
    uint32_t spawned;  /* bots that have been in the world at least once */
    uint64_t joins;    /* ServerHellos, those of bots that came back included */
    uint64_t rejected[REPORT_REJECTS];
    uint64_t kicked[REPORT_LEAVES];
    uint64_t no_answer;
    uint64_t silence;

    struct client_stats stats;
    uint64_t receive_drops; /* datagrams that our own sockets had no room for */
    uint64_t lost;          /* on purpose */
    uint64_t send_errors;

    /* Of the measured time. */
    uint64_t datagrams_in;
    uint64_t datagrams_out;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t player_relays;  /* RemotePlayerSync */
    uint64_t vehicle_relays; /* RemoteVehicleFrame */
    double neighbours;       /* players that a bot sees, on average */
    uint64_t latency_samples;
    uint64_t latency_p50_us;
    uint64_t latency_p99_us;
    uint64_t latency_max_us;
    uint64_t unmatched;
    uint64_t held;

    uint64_t views;
    uint64_t late_sweeps; /* looks at all views that had to be left out: the server was too late for them */
    uint64_t violations[VIOLATIONS];
    const char (*notes)[CHECK_NOTE_SIZE];
    uint32_t notes_count;
};

enum report_verdict {
    REPORT_OK,
    REPORT_VIOLATIONS,
    REPORT_INCOMPLETE, /* somebody was not let in, or did not stay */
};

enum report_verdict report_verdict(const struct report *report);

void report_print(const struct report *report, FILE *out);
void report_print_json(const struct report *report, FILE *out);

/* Without a line end. `before` is the report that was made `passed_ms` earlier: rates are of the time
 * between. */
void report_print_status(const struct report *report, const struct report *before, uint64_t passed_ms,
                         FILE *out);

#endif
