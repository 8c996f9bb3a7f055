/* http.h - the HTTP server that every process has for operators and Prometheus.
 *
 * It stands beside the game in the same loop, so it is kept small: a cap on connections, of which the one too
 * many is accepted and closed at once; one request a connection; limits on the time and the bytes that a
 * request may take. A handler writes its answer at once, from memory.
 *
 * /healthz says that the process is alive, /readyz whether it can do its work, /metrics what it counts; the
 * rest are the process' own routes. Whatever goes wrong is answered with {"error":"…"}.
 *
 * There are no passwords here: who may connect may do everything, so the address is one that only operators
 * reach. What their browsers are talked into by other people's pages is refused: a request that changes
 * something must carry JSON, which a foreign page cannot send unasked, and must name this server by address,
 * by "localhost" or by a plain host name, which no stranger's domain is. */
#ifndef DLMP_COMMON_HTTP_H
#define DLMP_COMMON_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cursor.h"

enum {
    HTTP_CONNECTIONS_MAX = 64,  /* ours: a few people and Prometheus */
    HTTP_REQUEST_MS = 5 * 1000, /* ours: until the request is there, and for each wait of the answer */
    HTTP_HEAD_MAX = 8 * 1024,   /* ours: bytes of the request line and the headers */
    HTTP_BODY_MAX = 64 * 1024,  /* ours */
    HTTP_ROUTES_MAX = 64,       /* ours */
};

enum http_method { HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_METHODS };

/* Borrowed for the call. */
struct http_request {
    enum http_method method; /* a HEAD comes as a GET */
    const char *path;
    const char *rest;  /* of the path, where the route's ends in a star; as it was sent */
    const char *query; /* after the question mark; "" */
    const char *from;  /* the client's address, for the log */
    struct span body;  /* with a terminator after it */
};

struct http_reply {
    int status;               /* 200 */
    const char *content_type; /* application/json; a literal */
    FILE *body;
};

struct http_route {
    enum http_method method;
    const char *path; /* "/api/status", or "/api/players/" and a star for all that begin with it */
    void (*handle)(void *context, const struct http_request *request, struct http_reply *reply);
};

struct http_config {
    const char *address; /* to listen on: "127.0.0.1", "::1" */
    uint16_t port;       /* 0: any */
    void *context;       /* of the functions */
    /* False: what is missing is written to `why`. NULL: always ready. */
    bool (*is_ready)(void *context, FILE *why);
    /* NULL: none of its own. */
    void (*print_metrics)(void *context, FILE *out);
    const struct http_route *routes; /* borrowed; ends with a NULL path. NULL: none */
    uint32_t connections_max;        /* 0: HTTP_CONNECTIONS_MAX */
    uint32_t request_ms;             /* 0: HTTP_REQUEST_MS */
};

struct http_stats {
    uint64_t connections; /* that are open now */
    uint64_t requests;
    uint64_t refused;  /* connections over the cap */
    uint64_t timeouts; /* connections whose request did not come in time */
};

struct http;
struct event_base; /* libevent's */

/* NULL: it cannot listen there; that was logged, and errno says why. */
struct http *http_open(const struct http_config *config, struct event_base *base);
void http_close(struct http **http);

uint16_t http_port(const struct http *http);
const struct http_stats *http_stats(const struct http *http);

/* Makes the answer an error: {"error":"…"}, instead of what was written before. */
__attribute__((format(printf, 3, 4))) void http_fail(struct http_reply *reply, int status, const char *format,
                                                     ...);

/* A text as JSON has it, with its quotes. */
void http_put_text(FILE *out, const char *text);

#endif
