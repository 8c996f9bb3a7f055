/* metrics.h - what Prometheus calls the gateway's counts. */
#ifndef DLMP_GATEWAY_METRICS_H
#define DLMP_GATEWAY_METRICS_H

#include "common/metrics.h"

/* Over struct gateway_stats. */
extern const struct metric gateway_metrics[];

#endif
