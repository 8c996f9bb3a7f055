/* metrics.h - what Prometheus calls the shard's counts. */
#ifndef DLMP_SHARD_METRICS_H
#define DLMP_SHARD_METRICS_H

#include "common/metrics.h"

/* Over struct shard_stats. */
extern const struct metric shard_metrics[];
/* Over struct script_stats. */
extern const struct metric script_metrics[];

#endif
