/* metrics.h - a struct of counts as Prometheus text.
 *
 * A core increments plain fields. A table names them, a row each, and the shell prints the table over the
 * struct when it is asked for /metrics:
 *
 *     { "dlmp_gateway_drops_total", COUNTER, "Datagrams dropped, by reason.",
 *       offsetof(struct gateway_stats, drops), METRIC_U64, &by_reason },
 *
 * A row with a label stands for an array of one field for each of a fixed set of names; ids and names of
 * players are never labels. Units are base units: a field in milliseconds is printed as seconds. */
#ifndef DLMP_COMMON_METRICS_H
#define DLMP_COMMON_METRICS_H

#include <stddef.h>
#include <stdio.h>

enum metric_kind { COUNTER, GAUGE };

enum metric_type {
    METRIC_U32,
    METRIC_U64,
    METRIC_F32,
    METRIC_F64,
    METRIC_MS,     /* uint64_t milliseconds, printed as seconds */
    METRIC_US,     /* uint64_t microseconds, printed as seconds */
    METRIC_F32_MS, /* float milliseconds, printed as seconds */
};

struct metric_label {
    const char *key; /* "reason" */
    size_t count;    /* of the array */
    /* "malformed_short"; NULL: this one is not printed. Two may not have the same name. */
    const char *(*name)(size_t index);
};

/* A table ends with a NULL name. */
struct metric {
    const char *name; /* ends in _total if it is a counter, and only then */
    enum metric_kind kind;
    const char *help;
    size_t offset; /* of the field, or of the array's first */
    enum metric_type type;
    const struct metric_label *label; /* NULL: one value */
};

/* What the body is, for whoever sends it. */
#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Stops the process when the table breaks a rule of this header. */
void metrics_print(const struct metric *table, const void *stats, FILE *out);

/* What every process has, by Prometheus' own names: CPU time, memory, open files. */
void metrics_print_process(FILE *out);

#endif
