/* flood.h - a handshake flood: nothing but hellos without a cookie, from as many addresses and ports as asked
 * for.
 *
 * Towards 127.0.0.0/8 one socket speaks for many addresses, as a spoofer does. What comes back is counted: a
 * server that answers more bytes than it is sent makes itself a weapon, and that is a failure.
 *
 * Spec: Connection, Opening a connection. */
#ifndef DLMP_BOTS_FLOOD_H
#define DLMP_BOTS_FLOOD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flood_config {
    const char *servers; /* the first one is meant */
    double per_s;
    uint32_t sources;
    uint64_t time_ms;
    uint64_t seed;
    const char *name;
};

struct flood_result {
    uint64_t ms;
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t not_sent;
    uint64_t answers;
    uint64_t answer_bytes;
    uint32_t sources;
};

/* -1, with the reason in `why`: something needed is not there. SIGINT and SIGTERM end it early. */
int flood_run(const struct flood_config *config, struct flood_result *result, char *why, size_t why_size);
void flood_print(const struct flood_result *result, FILE *out);
void flood_print_json(const struct flood_result *result, FILE *out);

#endif
