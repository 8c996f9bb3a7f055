/* admin.h - what an operator's tools ask a gateway over HTTP, beside what every process answers
 * (common/http.h).
 *
 *     GET /api/refusals/17    the last packets of player 17 that did not take their way: age, packet id,
 * reason */
#ifndef DLMP_GATEWAY_ADMIN_H
#define DLMP_GATEWAY_ADMIN_H

#include <stdint.h>

#include "common/http.h"
#include "gateway/core.h"
#include "gateway/net.h"

/* What it tells about; both must outlive it. */
struct gateway_admin {
    const struct gateway *gateway;
    const struct net *net;
};

/* NULL: it cannot listen there; that was logged, and errno says why. */
struct http *gateway_admin_open(const char *address, uint16_t port, struct gateway_admin *admin,
                                struct event_base *base);

#endif
