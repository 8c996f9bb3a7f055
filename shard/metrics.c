#include "shard/metrics.h"

#include "shard/core.h"

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
