#include "gateway/metrics.h"

#include "gateway/core.h"
#include "gateway/session.h"

static const char *reason_label(size_t index)
{
    return index != REASON_NONE ? reason_name((enum reason)index) : NULL;
}

static const char *limit_label(size_t index)
{
    return limit_name((enum limit)index);
}

static const char *in_label(size_t index)
{
    return wire_packets[index]->direction == WIRE_C2S ? wire_packets[index]->layout->name : NULL;
}

static const char *out_label(size_t index)
{
    return wire_packets[index]->direction == WIRE_S2C ? wire_packets[index]->layout->name : NULL;
}

/* As the Connection page names the reasons of PlayerLeave and ConnectReject. */
static const char *leave_label(size_t index)
{
    static const char *const names[LEAVE_REASONS] = {
        [LEAVE_QUIT] = "quit",     [LEAVE_TIMEOUT] = "timeout", [LEAVE_KICKED] = "kicked",
        [LEAVE_BANNED] = "banned", [LEAVE_SERVER] = "server",
    };

    return names[index];
}

static const char *reject_label(size_t index)
{
    static const char *const names[] = {
        NULL,
        "full",
        "banned",
        "bad_name",
        "name_taken",
        "wrong_password",
        "account_required",
        "not_on_allow_list",
        "shutting_down",
        "too_many_from_address",
        "no_world",
    };

    return names[index];
}

#define FIELD(name) offsetof(struct gateway_stats, name)
#define COUNT(name) (sizeof((struct gateway_stats){ 0 }.name) / sizeof(uint64_t))

static const struct metric_label by_reason = { "reason", COUNT(drops), reason_label };
static const struct metric_label by_limit = { "limit", COUNT(observed), limit_label };
static const struct metric_label by_packet_in = { "packet", COUNT(packets_in), in_label };
static const struct metric_label by_packet_out = { "packet", COUNT(packets_out), out_label };
static const struct metric_label by_leave = { "reason", COUNT(sessions_closed), leave_label };
static const struct metric_label by_reject = { "reason", COUNT(rejects), reject_label };

/* clang-format off */
const struct metric gateway_metrics[] = {
    { "dlmp_gateway_sessions", GAUGE, "Connections that are open.",
      FIELD(sessions), METRIC_U64, NULL },
    { "dlmp_gateway_datagrams_in_total", COUNTER, "Datagrams received.",
      FIELD(datagrams_in), METRIC_U64, NULL },
    { "dlmp_gateway_in_bytes_total", COUNTER, "Bytes of datagrams received.",
      FIELD(bytes_in), METRIC_U64, NULL },
    { "dlmp_gateway_datagrams_out_total", COUNTER, "Datagrams given to the socket.",
      FIELD(datagrams_out), METRIC_U64, NULL },
    { "dlmp_gateway_out_bytes_total", COUNTER, "Bytes of datagrams given to the socket.",
      FIELD(bytes_out), METRIC_U64, NULL },
    { "dlmp_gateway_packets_in_total", COUNTER, "Packets received, by what they claim to be.",
      FIELD(packets_in), METRIC_U64, &by_packet_in },
    { "dlmp_gateway_packets_out_total", COUNTER, "Packets sent, by kind.",
      FIELD(packets_out), METRIC_U64, &by_packet_out },
    { "dlmp_gateway_drops_total", COUNTER, "What did not take its way, by reason.",
      FIELD(drops), METRIC_U64, &by_reason },
    { "dlmp_gateway_observed_total", COUNTER, "What an observed limit would have dropped.",
      FIELD(observed), METRIC_U64, &by_limit },
    { "dlmp_gateway_sessions_opened_total", COUNTER, "Connections opened.",
      FIELD(sessions_opened), METRIC_U64, NULL },
    { "dlmp_gateway_sessions_closed_total", COUNTER, "Connections closed, by PlayerLeave's reason.",
      FIELD(sessions_closed), METRIC_U64, &by_leave },
    { "dlmp_gateway_rejects_total", COUNTER, "Attempts refused, by ConnectReject's reason.",
      FIELD(rejects), METRIC_U64, &by_reject },
    { "dlmp_gateway_resends_total", COUNTER, "Events sent again.",
      FIELD(resends), METRIC_U64, NULL },
    { "dlmp_gateway_migrations_total", COUNTER, "Connections that changed their address.",
      FIELD(migrations), METRIC_U64, NULL },
    { "dlmp_gateway_stalled_seconds_total", COUNTER, "Time in which the socket was not read.",
      FIELD(stalled_ms), METRIC_MS, NULL },
    { .name = NULL },
};
/* clang-format on */
