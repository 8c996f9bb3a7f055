#include "shard/metrics.h"

#include "shard/core.h"
#include "shard/script/script.h"

static const char *reason_label(size_t index)
{
    return index != REASON_NONE ? reason_name((enum reason)index) : NULL;
}

static const struct metric_label by_reason = { "reason", REASON_COUNT, reason_label };

#define FIELD(name) offsetof(struct shard_stats, name)

const struct metric shard_metrics[] = {
    { "dlmp_shard_players", GAUGE, "Players in its worlds.", FIELD(players), METRIC_U32, NULL },
    { "dlmp_shard_vehicles", GAUGE, "Vehicles in its worlds.", FIELD(vehicles), METRIC_U32, NULL },
    { "dlmp_shard_slots", GAUGE, "Slots of worlds that it owns.", FIELD(slots), METRIC_U32, NULL },
    { "dlmp_shard_frames_total", COUNTER, "Frames of players and vehicles that were accepted.",
      FIELD(frames_accepted), METRIC_U64, NULL },
    { "dlmp_shard_refusals_total", COUNTER, "What was dropped, refused, held or rewritten, by reason.",
      FIELD(reasons), METRIC_U64, &by_reason },
    { .name = NULL },
};

#define SCRIPT(name) offsetof(struct script_stats, name)

const struct metric script_metrics[] = {
    { "dlmp_shard_script_resources", GAUGE, "Resources that run.", SCRIPT(resources), METRIC_U32, NULL },
    { "dlmp_shard_script_memory_bytes", GAUGE, "Memory of all resources.", SCRIPT(memory_bytes), METRIC_U64,
      NULL },
    { "dlmp_shard_script_timers", GAUGE, "Timers of all resources.", SCRIPT(timers), METRIC_U32, NULL },
    { "dlmp_shard_script_calls_total", COUNTER, "Calls into resources.", SCRIPT(calls), METRIC_U64, NULL },
    { "dlmp_shard_script_call_seconds_total", COUNTER, "Time that resources have used.", SCRIPT(call_us),
      METRIC_US, NULL },
    { "dlmp_shard_script_errors_total", COUNTER, "Calls that ended with an error or were refused.",
      SCRIPT(errors), METRIC_U64, NULL },
    { "dlmp_shard_script_over_time_total", COUNTER, "Calls stopped at the limit of a call.",
      SCRIPT(over_time), METRIC_U64, NULL },
    { "dlmp_shard_script_over_budget_total", COUNTER,
      "Calls stopped or refused since the second's budget was used up.", SCRIPT(over_budget), METRIC_U64,
      NULL },
    { "dlmp_shard_script_over_memory_total", COUNTER, "Calls stopped at the limit of memory.",
      SCRIPT(over_memory), METRIC_U64, NULL },
    { "dlmp_shard_script_over_said_total", COUNTER,
      "Calls stopped or refused since resources have said too much in this second.", SCRIPT(over_said),
      METRIC_U64, NULL },
    { "dlmp_shard_script_too_deep_total", COUNTER, "Calls refused since too many were within each other.",
      SCRIPT(too_deep), METRIC_U64, NULL },
    { .name = NULL },
};
