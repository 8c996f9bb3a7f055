/* metrics.h - the coordinator's counts as Prometheus reads them. */
#ifndef DLMP_COORDINATOR_METRICS_H
#define DLMP_COORDINATOR_METRICS_H

#include <stdio.h>

#include "coordinator/core.h"

void coordinator_metrics_print(const struct coordinator_stats *stats, FILE *out);

#endif
