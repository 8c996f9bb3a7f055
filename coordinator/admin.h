/* admin.h - what an operator's tools ask the coordinator over HTTP, beside what every process answers
 * (common/http.h).
 *
 *     GET  /api/status      the cluster: processes, shards, gateways, Redis, the map
 *     GET  /api/players     everybody who is here
 *     GET  /api/bans        the ban list and the allow list
 *     POST /api/kick        {"player": 17} or {"name": "Alice"}, and perhaps "text"
 *     POST /api/ban         {"address": "10.0.0.0/8"}, {"name": "Alice"} or {"account": 17}, and perhaps
 *                           "seconds" and "text"
 *     POST /api/unban       the same subject
 *     POST /api/allow       as ban, for the allow list
 *     POST /api/disallow    as unban
 *     POST /api/say         {"text": "Restart in 5 minutes."}
 *     GET  /api/resources   the gamemode's resources on each shard, and what operators wished of them
 *     POST /api/resource    {"op": "reload", "name": "race"}; start, stop, restart or reload. Answers at once
 *                           with the order's number: {"order": 17}
 *     GET  /api/orders/17   what each shard has answered to it
 *
 * A body is one JSON object of exactly these keys; anything else is refused and changes nothing. */
#ifndef DLMP_COORDINATOR_ADMIN_H
#define DLMP_COORDINATOR_ADMIN_H

#include <stdint.h>

#include "common/http.h"
#include "coordinator/core.h"

/* NULL: it cannot listen there; that was logged. The coordinator must outlive it. */
struct http *coordinator_admin_open(const char *address, uint16_t port, struct coordinator *coordinator,
                                    struct event_base *base);

#endif
