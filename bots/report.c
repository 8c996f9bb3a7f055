#include "bots/report.h"

#include <inttypes.h>
#include <string.h>

/* Connection: ConnectReject, PlayerLeave. */
static const char *const reject_names[REPORT_REJECTS] = {
    NULL,
    "full",
    "banned",
    "bad_name",
    "name_taken",
    "wrong_password",
    "account_required",
    "not_allowed",
    "shutting_down",
    "too_many_from_address",
    "no_world",
};
static const char *const leave_names[REPORT_LEAVES] = { NULL, NULL, "kicked", "banned", "server" };

static uint64_t violations_of(const struct report *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < VIOLATIONS; i++)
        sum += report->violations[i];
    return sum;
}

static uint64_t sum_of(const uint64_t *counts, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static uint64_t ends_of(const struct report *report)
{
    return sum_of(report->kicked, REPORT_LEAVES) + report->silence;
}

enum report_verdict report_verdict(const struct report *report)
{
    if (violations_of(report) > 0)
        return REPORT_VIOLATIONS;
    if (!report->allows_rejects && (report->opened < report->bots || ends_of(report) > 0 ||
                                    report->no_answer > 0 || sum_of(report->rejected, REPORT_REJECTS) > 0))
        return REPORT_INCOMPLETE;
    return REPORT_OK;
}

static const char *verdict_name(enum report_verdict verdict)
{
    switch (verdict) {
    case REPORT_OK:
        return "ok";
    case REPORT_VIOLATIONS:
        return "violations";
    case REPORT_INCOMPLETE:
        break;
    }
    return "incomplete";
}

static double per_second(uint64_t count, uint64_t ms)
{
    return ms > 0 ? (double)count * 1000.0 / (double)ms : 0.0;
}

static double seconds(uint64_t ms)
{
    return (double)ms / 1000.0;
}

static double milliseconds(uint64_t us)
{
    return (double)us / 1000.0;
}

/* ---- the table */

static void print_count(FILE *out, const char *name, uint64_t count)
{
    (void)fprintf(out, "  %-24s %12" PRIu64 "\n", name, count);
}

static void print_reasons(FILE *out, const char *title, const char *const *names, const uint64_t *counts,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (counts[i] > 0)
            (void)fprintf(out, "  %s %-*s %12" PRIu64 "\n", title, (int)(23 - strlen(title)), names[i],
                          counts[i]);
    }
}

static void print_connections(const struct report *report, FILE *out)
{
    (void)fprintf(out, "connections\n");
    (void)fprintf(out, "  %-24s %12" PRIu32 " of %" PRIu32 "\n", "connected", report->opened, report->bots);
    print_count(out, "spawned", report->spawned);
    if (report->joins > report->opened)
        print_count(out, "joins", report->joins);
    print_reasons(out, "rejected", reject_names, report->rejected, REPORT_REJECTS);
    print_reasons(out, "ended", leave_names, report->kicked, REPORT_LEAVES);
    if (report->no_answer > 0)
        print_count(out, "no answer", report->no_answer);
    if (report->silence > 0)
        print_count(out, "ended by silence", report->silence);
}

static void print_packets(const struct report *report, FILE *out)
{
    (void)fprintf(out, "packets                              in          out\n");
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        uint64_t in = report->stats.packets_in[i];
        uint64_t sent = report->stats.packets_out[i];

        if (in > 0 || sent > 0)
            (void)fprintf(out, "  %-24s %12" PRIu64 " %12" PRIu64 "\n", wire_packets[i]->layout->name, in,
                          sent);
    }
}

static void print_lanes(const struct report *report, FILE *out)
{
    (void)fprintf(out, "lanes\n");
    print_count(out, "events in", report->stats.events_in);
    print_count(out, "repeated", report->stats.duplicates);
    print_count(out, "ahead of a gap", report->stats.ahead);
    print_count(out, "events out", report->stats.events_out);
    print_count(out, "sent again", report->stats.resends);
    print_count(out, "frames not newer", report->stats.stale);
    print_count(out, "frames of who left", report->stats.stragglers);
    print_count(out, "dropped by our sockets", report->receive_drops);
    if (report->lost > 0)
        print_count(out, "lost on purpose", report->lost);
    if (report->send_errors > 0)
        print_count(out, "not sent", report->send_errors);
}

/* What was asked of the server, and what came of it; the rest still waits for its answer. */
static void print_asks(const struct report *report, FILE *out)
{
    const struct client_stats *stats = &report->stats;

    if (sum_of(stats->asked, CLIENT_ASKS) + stats->driven_frames + stats->synced_frames == 0)
        return;
    (void)fprintf(out, "vehicles                          asked     accepted      refused\n");
    for (int ask = 0; ask < CLIENT_ASKS; ask++) {
        if (stats->asked[ask] > 0)
            (void)fprintf(out, "  %-24s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
                          client_ask_name((enum client_ask)ask), stats->asked[ask], stats->accepted[ask],
                          stats->refused[ask]);
    }
    print_count(out, "frames of driven ones", stats->driven_frames);
    print_count(out, "frames of synced ones", stats->synced_frames);
    if (stats->salvos + stats->salvos_heard > 0)
        (void)fprintf(out, "  %-24s %12" PRIu64 " fired %6" PRIu64 " heard by others\n", "salvos",
                      stats->salvos, stats->salvos_heard);
}

/* "walk", or "tow=2,heli=1". */
static void print_behaviours(const struct report *report, FILE *out)
{
    const char *comma = "";
    int kinds = 0;

    for (int kind = 0; kind < BEHAVIOUR_KINDS; kind++)
        kinds += report->shares[kind] > 0;
    for (int kind = 0; kind < BEHAVIOUR_KINDS; kind++) {
        if (report->shares[kind] == 0)
            continue;
        (void)fprintf(out, "%s%s", comma, behaviour_name((enum behaviour_kind)kind));
        if (kinds > 1)
            (void)fprintf(out, "=%" PRIu32, report->shares[kind]);
        comma = ",";
    }
}

static void print_measured(const struct report *report, FILE *out)
{
    uint64_t ms = report->measured_ms;

    if (report->measured_from_unix_ms == 0) {
        (void)fprintf(out, "measured                      nothing: the bots never were all there\n");
        return;
    }
    (void)fprintf(out, "measured %.1f s%s\n", seconds(ms),
                  report->is_unsettled ? ", some not at their homes" : "");
    (void)fprintf(out, "  %-24s %12.0f in %12.0f out\n", "datagrams a second",
                  per_second(report->datagrams_in, ms), per_second(report->datagrams_out, ms));
    (void)fprintf(out, "  %-24s %12.0f in %12.0f out\n", "kB a second",
                  per_second(report->bytes_in, ms) / 1000.0, per_second(report->bytes_out, ms) / 1000.0);
    (void)fprintf(out, "  %-24s %12.0f players %7.0f vehicles\n", "relays a second",
                  per_second(report->player_relays, ms), per_second(report->vehicle_relays, ms));
    (void)fprintf(out, "  %-24s %12.1f\n", "players seen by a bot", report->neighbours);
    (void)fprintf(out, "  %-24s %12.2f p50 %8.2f p99 %8.2f max, of %" PRIu64 "\n", "relay latency, ms",
                  milliseconds(report->latency_p50_us), milliseconds(report->latency_p99_us),
                  milliseconds(report->latency_max_us), report->latency_samples);
    print_count(out, "relayed too late", report->unmatched);
    print_count(out, "relayed held in place", report->held);
}

static void print_violations(const struct report *report, FILE *out)
{
    (void)fprintf(out, "violations %" PRIu64 ", of %" PRIu64 " views compared\n", violations_of(report),
                  report->views);
    if (report->late_sweeps > 0)
        print_count(out, "too late to compare", report->late_sweeps);
    for (int i = 0; i < VIOLATIONS; i++) {
        if (report->violations[i] > 0)
            (void)fprintf(out, "  %-24s %12" PRIu64 "  %s\n", violation_name((enum violation)i),
                          report->violations[i], violation_says((enum violation)i));
    }
    for (uint32_t i = 0; i < report->notes_count; i++)
        (void)fprintf(out, "    %s\n", report->notes[i]);
}

void report_print(const struct report *report, FILE *out)
{
    (void)fprintf(out, "%" PRIu32 " bots, ", report->bots);
    print_behaviours(report, out);
    (void)fprintf(out, ", spread %s, seed %" PRIu64 ", %.1f s%s\n", report->spread, report->seed,
                  seconds(report->run_ms), report->was_stopped ? ", stopped early" : "");
    print_connections(report, out);
    print_packets(report, out);
    print_lanes(report, out);
    print_asks(report, out);
    print_measured(report, out);
    print_violations(report, out);
    (void)fprintf(out, "verdict: %s\n", verdict_name(report_verdict(report)));
}

/* ---- JSON; every text in it is one of ours, but for names, which hold nothing to escape */

static void json_reasons(FILE *out, const char *key, const char *const *names, const uint64_t *counts,
                         size_t count)
{
    const char *comma = "";

    (void)fprintf(out, "\"%s\": {", key);
    for (size_t i = 0; i < count; i++) {
        if (names[i] == NULL)
            continue;
        (void)fprintf(out, "%s\"%s\": %" PRIu64, comma, names[i], counts[i]);
        comma = ", ";
    }
    (void)fprintf(out, "}");
}

static void json_packets(FILE *out, const char *key, const uint64_t *counts)
{
    const char *comma = "";

    (void)fprintf(out, "  \"%s\": {", key);
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        if (counts[i] == 0)
            continue;
        (void)fprintf(out, "%s\"%s\": %" PRIu64, comma, wire_packets[i]->layout->name, counts[i]);
        comma = ", ";
    }
    (void)fprintf(out, "},\n");
}

static void json_connections(const struct report *report, FILE *out)
{
    (void)fprintf(out,
                  "  \"connections\": {\"connected\": %" PRIu32 ", \"spawned\": %" PRIu32
                  ", \"joins\": %" PRIu64 ", ",
                  report->opened, report->spawned, report->joins);
    json_reasons(out, "rejected", reject_names, report->rejected, REPORT_REJECTS);
    (void)fprintf(out, ", ");
    json_reasons(out, "kicked", leave_names, report->kicked, REPORT_LEAVES);
    (void)fprintf(out, ", \"no_answer\": %" PRIu64 ", \"silence\": %" PRIu64 "},\n", report->no_answer,
                  report->silence);
}

static void json_lanes(const struct report *report, FILE *out)
{
    const struct client_stats *stats = &report->stats;

    (void)fprintf(out,
                  "  \"lanes\": {\"events_in\": %" PRIu64 ", \"duplicates\": %" PRIu64 ", \"ahead\": %" PRIu64
                  ", \"events_out\": %" PRIu64 ", \"resends\": %" PRIu64 ", \"stale_frames\": %" PRIu64
                  ", \"stragglers\": %" PRIu64 "},\n",
                  stats->events_in, stats->duplicates, stats->ahead, stats->events_out, stats->resends,
                  stats->stale, stats->stragglers);
    (void)fprintf(out,
                  "  \"sockets\": {\"receive_drops\": %" PRIu64 ", \"lost_on_purpose\": %" PRIu64
                  ", \"send_errors\": %" PRIu64 "},\n",
                  report->receive_drops, report->lost, report->send_errors);
}

static void json_asks(const struct report *report, FILE *out)
{
    const struct client_stats *stats = &report->stats;

    (void)fprintf(out, "  \"vehicles\": {");
    for (int ask = 0; ask < CLIENT_ASKS; ask++)
        (void)fprintf(
            out, "\"%s\": {\"asked\": %" PRIu64 ", \"accepted\": %" PRIu64 ", \"refused\": %" PRIu64 "}, ",
            client_ask_name((enum client_ask)ask), stats->asked[ask], stats->accepted[ask],
            stats->refused[ask]);
    (void)fprintf(out,
                  "\"driven_frames\": %" PRIu64 ", \"synced_frames\": %" PRIu64 ", \"salvos\": %" PRIu64
                  ", \"salvos_heard\": %" PRIu64 "},\n",
                  stats->driven_frames, stats->synced_frames, stats->salvos, stats->salvos_heard);
}

static void json_measured(const struct report *report, FILE *out)
{
    (void)fprintf(out,
                  "  \"measured\": {\"seconds\": %.3f, \"from_unix_ms\": %" PRIu64
                  ", \"to_unix_ms\": %" PRIu64 ", \"settled\": %s, \"datagrams_in\": %" PRIu64
                  ", \"datagrams_out\": %" PRIu64 ", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64
                  ", \"player_relays\": %" PRIu64 ", \"vehicle_relays\": %" PRIu64
                  ", \"neighbours\": %.2f},\n",
                  seconds(report->measured_ms), report->measured_from_unix_ms, report->measured_to_unix_ms,
                  report->is_unsettled ? "false" : "true", report->datagrams_in, report->datagrams_out,
                  report->bytes_in, report->bytes_out, report->player_relays, report->vehicle_relays,
                  report->neighbours);
    (void)fprintf(out,
                  "  \"latency_us\": {\"samples\": %" PRIu64 ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64
                  ", \"max\": %" PRIu64 ", \"unmatched\": %" PRIu64 ", \"held\": %" PRIu64 "},\n",
                  report->latency_samples, report->latency_p50_us, report->latency_p99_us,
                  report->latency_max_us, report->unmatched, report->held);
}

static void json_violations(const struct report *report, FILE *out)
{
    (void)fprintf(out, "  \"violations\": {");
    for (int i = 0; i < VIOLATIONS; i++)
        (void)fprintf(out, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", violation_name((enum violation)i),
                      report->violations[i]);
    (void)fprintf(out, "},\n  \"notes\": [");
    for (uint32_t i = 0; i < report->notes_count; i++)
        (void)fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", report->notes[i]);
    (void)fprintf(out, "],\n");
}

void report_print_json(const struct report *report, FILE *out)
{
    (void)fprintf(out, "{\n  \"bots\": %" PRIu32 ", \"behaviour\": \"", report->bots);
    print_behaviours(report, out);
    (void)fprintf(out, "\", \"spread\": \"%s\", \"seed\": %" PRIu64 ", \"seconds\": %.3f, \"stopped\": %s,\n",
                  report->spread, report->seed, seconds(report->run_ms),
                  report->was_stopped ? "true" : "false");
    json_connections(report, out);
    json_packets(out, "packets_in", report->stats.packets_in);
    json_packets(out, "packets_out", report->stats.packets_out);
    json_lanes(report, out);
    json_asks(report, out);
    json_measured(report, out);
    (void)fprintf(out, "  \"views_compared\": %" PRIu64 ", \"late_sweeps\": %" PRIu64 ",\n", report->views,
                  report->late_sweeps);
    json_violations(report, out);
    (void)fprintf(out, "  \"verdict\": \"%s\"\n}\n", verdict_name(report_verdict(report)));
}

/* ---- the line */

void report_print_status(const struct report *report, const struct report *before, uint64_t passed_ms,
                         FILE *out)
{
    uint64_t in =
        sum_of(report->stats.packets_in, WIRE_PACKETS) - sum_of(before->stats.packets_in, WIRE_PACKETS);
    uint64_t sent =
        sum_of(report->stats.packets_out, WIRE_PACKETS) - sum_of(before->stats.packets_out, WIRE_PACKETS);
    uint64_t rejected = sum_of(report->rejected, REPORT_REJECTS) + report->no_answer;

    (void)fprintf(out, "%5.0f s %-9s %" PRIu32 "/%" PRIu32 " connected, %" PRIu32 " in the world",
                  seconds(report->run_ms), report->phase, report->open, report->bots, report->in_world);
    if (rejected > 0)
        (void)fprintf(out, ", %" PRIu64 " turned away", rejected);
    if (ends_of(report) > 0)
        (void)fprintf(out, ", %" PRIu64 " lost", ends_of(report));
    (void)fprintf(out, "; %.0f/s in, %.0f/s out", per_second(in, passed_ms), per_second(sent, passed_ms));
    if (report->latency_samples > 0)
        (void)fprintf(out, "; relay p50 %.1f ms p99 %.1f ms", milliseconds(report->latency_p50_us),
                      milliseconds(report->latency_p99_us));
    (void)fprintf(out, "; %" PRIu64 " violations", violations_of(report));
}
