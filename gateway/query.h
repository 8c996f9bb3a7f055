/* query.h - the answers to the server query (0xFF): stateless, and never longer than the request.
 *
 * Spec: Connection, "Server query". */
#ifndef DLMP_GATEWAY_QUERY_H
#define DLMP_GATEWAY_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "gateway/roster.h"
#include "gateway/session.h"
#include "gateway/settings.h"
#include "gen/wire.h"

enum { QUERY_ANSWER_MAX = WIRE_QUERY_REQUEST_SIZE };

/* What the answers are made of. */
struct query_source {
    const struct settings *settings;
    const struct roster *roster;
    const struct sessions *sessions; /* know the round trips of their own players */
};

/* Bytes of the answer. */
size_t query_answer(const struct query_source *source, const struct wire_query_request *request,
                    uint8_t answer[QUERY_ANSWER_MAX]);

#endif
