#include "common/http.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/address.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/metrics.h"

enum {
    SWEEP_MS = 250,    /* ours: how late a timeout may come, and a freed place be noticed */
    BACKLOG = 1024,    /* ours: a flood waits in the kernel for its refusal */
    REFUSALS_MAX = 16, /* ours: in a row, then the game has its turn */
    REST_MS = 10,      /* ours: until there may be more of them */
    FAIL_MAX = 512,    /* ours: bytes of an error's text */
    READ_AHEAD_MAX = HTTP_HEAD_MAX + HTTP_BODY_MAX,
};

static const char content_type_json[] = "application/json";

/* A connection that evhttp serves. evhttp has no cap and tells nobody when a connection ends: we hold a
 * reference to each one's buffer, which closes its socket with the last reference, and ask now and then
 * whether ours is the last. */
struct connection {
    struct bufferevent *buffer;
    uint64_t opened_ms;
    bool is_asked; /* its request has come */
};

struct http {
    struct http_config config;
    struct http_stats stats;
    struct event_base *base;
    struct evhttp *server;
    struct evconnlistener *door;    /* takes connections while there is room */
    struct evconnlistener *refusal; /* takes those on the same socket that are too many */
    struct event *sweep;
    struct event *rest; /* after refusals_in_row */
    unsigned refusals_in_row;
    struct connection *connections; /* connections_max; the first stats.connections of them */
};

/* ---- connections ---- */

static bool is_open(const struct connection *connection)
{
    if (bufferevent_decref(connection->buffer) != 0)
        return false;
    bufferevent_incref(connection->buffer);
    return true;
}

static void forget_closed(struct http *http)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < http->stats.connections; i++) {
        if (is_open(&http->connections[i]))
            http->connections[kept++] = http->connections[i];
    }
    http->stats.connections = kept;
}

static void open_or_refuse(struct http *http)
{
    if (http->stats.connections < http->config.connections_max) {
        evconnlistener_disable(http->refusal);
        evconnlistener_enable(http->door);
    } else {
        evconnlistener_disable(http->door);
        if (http->refusals_in_row < REFUSALS_MAX)
            evconnlistener_enable(http->refusal);
    }
}

/* evhttp has accepted a connection, and asks for the buffer that it is to use. */
static struct bufferevent *on_accepted(struct event_base *base, void *arg)
{
    struct http *http = arg;
    struct bufferevent *buffer = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);

    assert(http->stats.connections < http->config.connections_max);
    if (buffer == NULL)
        return NULL; /* evhttp tries for itself, and gives the connection up */
    bufferevent_setwatermark(buffer, EV_READ, 0, READ_AHEAD_MAX);
    bufferevent_incref(buffer);
    http->connections[http->stats.connections++] = (struct connection){ buffer, clock_ms(), false };
    if (http->stats.connections == http->config.connections_max) {
        forget_closed(http);
        open_or_refuse(http);
    }
    return buffer;
}

static void on_too_many(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from, int size,
                        void *arg)
{
    struct http *http = arg;

    (void)listener;
    (void)from;
    (void)size;
    close(fd);
    http->stats.refused++;
    if (++http->refusals_in_row >= REFUSALS_MAX) { /* or a flood would keep us here as long as it lasts */
        evconnlistener_disable(http->refusal);
        (void)event_add(http->rest, &(const struct timeval){ 0, REST_MS * 1000 });
    } else {
        forget_closed(http);
        open_or_refuse(http);
    }
}

static void on_rested(evutil_socket_t fd, short what, void *arg)
{
    struct http *http = arg;

    (void)fd;
    (void)what;
    http->refusals_in_row = 0;
    forget_closed(http);
    open_or_refuse(http);
}

/* No more files, perhaps: the listener would be called again and again. The sweep enables it again. */
static void on_accept_failed(struct evconnlistener *listener, void *arg)
{
    (void)arg;
    LOG(WARN, "http_accept_failed", KV("err", strerror(errno)));
    evconnlistener_disable(listener);
}

static void on_sweep(evutil_socket_t fd, short what, void *arg)
{
    struct http *http = arg;
    uint64_t now_ms = clock_ms();

    (void)fd;
    (void)what;
    forget_closed(http);
    for (uint64_t i = 0; i < http->stats.connections; i++) {
        struct connection *connection = &http->connections[i];

        if (!connection->is_asked && now_ms - connection->opened_ms >= http->config.request_ms) {
            connection->is_asked = true;
            http->stats.timeouts++;
            (void)shutdown(bufferevent_getfd(connection->buffer), SHUT_RDWR); /* evhttp sees its end */
        }
    }
    open_or_refuse(http);
}

/* ---- answers ---- */

void http_put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < ' ' || *at == 0x7F)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

void http_fail(struct http_reply *reply, int status, const char *format, ...)
{
    char text[FAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reply->status = status;
    reply->content_type = content_type_json;
    rewind(reply->body);
    fputs("{\"error\":", reply->body);
    http_put_text(reply->body, text);
    fputs("}\n", reply->body);
}

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 400, "Bad Request" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 409, "Conflict" },
        { 415, "Unsupported Media Type" },
        { 503, "Service Unavailable" },
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].status == status)
            return texts[i].text;
    }
    return status < 400 ? "Done" : "Refused";
}

static void handle_health(void *context, const struct http_request *request, struct http_reply *reply)
{
    (void)context;
    (void)request;
    fputs("{\"alive\":true}\n", reply->body);
}

static void handle_ready(void *context, const struct http_request *request, struct http_reply *reply)
{
    const struct http *http = context;
    char *why = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&why, &size);
    bool is_ready;

    (void)request;
    if (out == NULL) {
        http_fail(reply, 503, "no memory");
        return;
    }
    is_ready = http->config.is_ready == NULL || http->config.is_ready(http->config.context, out);
    if (fclose(out) != 0)
        http_fail(reply, 503, "no memory");
    else if (is_ready)
        fputs("{\"ready\":true}\n", reply->body);
    else
        http_fail(reply, 503, "%s", why);
    free(why);
}

static void handle_metrics(void *context, const struct http_request *request, struct http_reply *reply)
{
    static const struct metric table[] = {
        { "dlmp_admin_connections", GAUGE, "Connections to this server that are open.",
          offsetof(struct http_stats, connections), METRIC_U64, NULL },
        { "dlmp_admin_requests_total", COUNTER, "Requests to this server.",
          offsetof(struct http_stats, requests), METRIC_U64, NULL },
        { "dlmp_admin_refused_total", COUNTER, "Connections to this server that were too many.",
          offsetof(struct http_stats, refused), METRIC_U64, NULL },
        { "dlmp_admin_timeouts_total", COUNTER, "Connections to this server without a request in time.",
          offsetof(struct http_stats, timeouts), METRIC_U64, NULL },
        { .name = NULL },
    };
    const struct http *http = context;

    (void)request;
    reply->content_type = METRICS_CONTENT_TYPE;
    metrics_print_process(reply->body);
    metrics_print(table, &http->stats, reply->body);
    if (http->config.print_metrics != NULL)
        http->config.print_metrics(http->config.context, reply->body);
}

static const struct http_route own_routes[] = {
    { HTTP_GET, "/healthz", handle_health },
    { HTTP_GET, "/readyz", handle_ready },
    { HTTP_GET, "/metrics", handle_metrics },
    { .path = NULL },
};

/* ---- requests ---- */

static const struct {
    const char *name;
    enum evhttp_cmd_type command;
} methods[HTTP_METHODS] = {
    [HTTP_GET] = { "GET, HEAD", EVHTTP_REQ_GET },
    [HTTP_POST] = { "POST", EVHTTP_REQ_POST },
    [HTTP_PUT] = { "PUT", EVHTTP_REQ_PUT },
    [HTTP_DELETE] = { "DELETE", EVHTTP_REQ_DELETE },
};

/* HTTP_METHODS: none of ours. */
static enum http_method method_of(enum evhttp_cmd_type command)
{
    enum http_method method = HTTP_GET;

    if (command == EVHTTP_REQ_HEAD)
        return HTTP_GET;
    while (method < HTTP_METHODS && methods[method].command != command)
        method++;
    return method;
}

/* What follows the route's path up to its star, "" for a route without one; NULL: another path. */
static const char *match(const struct http_route *route, const char *path)
{
    size_t size = strlen(route->path);

    if (size > 0 && route->path[size - 1] == '*')
        return strncmp(route->path, path, size - 1) == 0 ? path + size - 1 : NULL;
    return strcmp(route->path, path) == 0 ? "" : NULL;
}

/* The route of this path and method; `allowed` counts the methods that the path has otherwise. */
static const struct http_route *find_route(const struct http_route *routes, struct http_request *request,
                                           bool allowed[HTTP_METHODS])
{
    for (const struct http_route *route = routes; route != NULL && route->path != NULL; route++) {
        const char *rest = match(route, request->path);

        if (rest == NULL)
            continue;
        if (route->method == request->method) {
            request->rest = rest;
            return route;
        }
        allowed[route->method] = true;
    }
    return NULL;
}

static void fail_method(struct evkeyvalq *headers, const bool allowed[HTTP_METHODS], struct http_reply *reply)
{
    char list[64] = "";
    size_t size = 0;

    for (size_t i = 0; i < HTTP_METHODS; i++) {
        if (allowed[i])
            size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size > 0 ? ", " : "",
                                     methods[i].name);
    }
    if (size == 0) {
        http_fail(reply, 404, "there is nothing at this path");
        return;
    }
    (void)evhttp_add_header(headers, "Allow", list);
    http_fail(reply, 405, "this path takes %s", list);
}

/* "127.0.0.1:8080", "[::1]", "localhost", "coordinator:8080": no name that a stranger can have registered. */
static bool is_own_host(const char *host)
{
    struct address address;
    char name[256];
    size_t size = host[0] == '[' ? strcspn(host, "]") : strcspn(host, ":");

    if (host[0] == '[') {
        host++;
        size--;
    }
    if (size == 0 || size >= sizeof name)
        return false;
    memcpy(name, host, size);
    name[size] = '\0';
    return address_parse(&address, name, 0) || strchr(name, '.') == NULL;
}

static bool is_json(const char *content_type)
{
    size_t size = sizeof content_type_json - 1;

    return content_type != NULL && strncasecmp(content_type, content_type_json, size) == 0 &&
           (content_type[size] == '\0' || content_type[size] == ';' || content_type[size] == ' ');
}

/* May a page of a stranger have sent this, through the browser of an operator? */
static bool is_trusted(struct evhttp_request *request, struct http_reply *reply)
{
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *host = evhttp_find_header(headers, "Host");

    if (!is_json(evhttp_find_header(headers, "Content-Type"))) {
        http_fail(reply, 415, "a request that changes something takes a body of %s", content_type_json);
        return false;
    }
    if (host == NULL || !is_own_host(host)) {
        http_fail(reply, 403, "a request that changes something names this server by its address");
        return false;
    }
    return true;
}

static void answer(struct http *http, struct evhttp_request *from, struct http_reply *reply)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(from);
    struct evbuffer *input = evhttp_request_get_input_buffer(from);
    char *address = NULL;
    uint16_t port = 0;
    struct http_request request = {
        .method = method_of(evhttp_request_get_command(from)),
        .path = uri == NULL ? NULL : evhttp_uri_get_path(uri),
        .query = uri == NULL ? NULL : evhttp_uri_get_query(uri),
        .rest = "",
    };
    bool allowed[HTTP_METHODS] = { false };
    void *context = http;
    const struct http_route *route;

    if (request.path == NULL)
        request.path = "";
    if (request.query == NULL)
        request.query = "";
    evhttp_connection_get_peer(evhttp_request_get_connection(from), &address, &port);
    request.from = address == NULL ? "" : address;
    request.body.size = evbuffer_get_length(input);
    if (evbuffer_add(input, "", 1) != 0 || (request.body.data = evbuffer_pullup(input, -1)) == NULL) {
        http_fail(reply, 503, "no memory");
        return;
    }
    route = find_route(own_routes, &request, allowed);
    if (route == NULL) {
        context = http->config.context;
        route = find_route(http->config.routes, &request, allowed);
    }
    if (route == NULL)
        fail_method(evhttp_request_get_output_headers(from), allowed, reply);
    else if (request.method == HTTP_GET || is_trusted(from, reply))
        route->handle(context, &request, reply);
}

static void note_asked(struct http *http, struct evhttp_request *request)
{
    struct evhttp_connection *from = evhttp_request_get_connection(request);
    const struct bufferevent *buffer = evhttp_connection_get_bufferevent(from);

    http->stats.requests++;
    for (uint64_t i = 0; i < http->stats.connections; i++) {
        if (http->connections[i].buffer == buffer)
            http->connections[i].is_asked = true;
    }
}

static void send_reply(struct evhttp_request *request, const struct http_reply *reply, const char *body,
                       size_t size)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    struct evbuffer *output = evbuffer_new();

    (void)evhttp_add_header(headers, "Content-Type", reply->content_type);
    (void)evhttp_add_header(headers, "Cache-Control", "no-store");
    (void)evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
    (void)evhttp_add_header(headers, "Connection", "close");
    if (output != NULL && evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
        (void)evbuffer_add(output, body, size);
    evhttp_send_reply(request, reply->status, status_text(reply->status), output);
    if (output != NULL)
        evbuffer_free(output);
}

static void on_request(struct evhttp_request *request, void *arg)
{
    struct http *http = arg;
    char *body = NULL;
    size_t size = 0;
    struct http_reply reply = { .status = 200, .content_type = content_type_json };

    note_asked(http, request);
    reply.body = open_memstream(&body, &size);
    if (reply.body != NULL) {
        answer(http, request, &reply);
        if (fclose(reply.body) == 0) {
            send_reply(request, &reply, body, size);
            free(body);
            return;
        }
    }
    free(body);
    evhttp_send_error(request, HTTP_SERVUNAVAIL, NULL);
}

/* ---- opening and closing ---- */

static struct evconnlistener *listen_on(const struct http_config *config, struct event_base *base)
{
    const unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE;
    struct sockaddr_storage to;
    struct address address;
    socklen_t size;

    errno = EINVAL;
    if (!address_parse(&address, config->address, config->port))
        return NULL;
    size = address_to_sockaddr(&address, strchr(config->address, ':') == NULL ? AF_INET : AF_INET6, &to);
    return evconnlistener_new_bind(base, NULL, NULL, flags, BACKLOG, (struct sockaddr *)&to, (int)size);
}

static int start_server(struct http *http)
{
    const struct timeval timeout = { http->config.request_ms / 1000, http->config.request_ms % 1000 * 1000 };
    const struct timeval sweep = { 0, SWEEP_MS * 1000 };

    http->server = evhttp_new(http->base);
    if (http->server == NULL)
        return -1;
    if (evhttp_bind_listener(http->server, http->door) == NULL) {
        evhttp_free(http->server);
        http->server = NULL;
        return -1;
    }
    http->connections = calloc(http->config.connections_max, sizeof *http->connections);
    http->sweep = event_new(http->base, -1, EV_PERSIST, on_sweep, http);
    http->rest = event_new(http->base, -1, 0, on_rested, http);
    http->refusal = evconnlistener_new(http->base, on_too_many, http, LEV_OPT_DISABLED, 0,
                                       evconnlistener_get_fd(http->door));
    if (http->connections == NULL || http->sweep == NULL || http->rest == NULL || http->refusal == NULL ||
        event_add(http->sweep, &sweep) != 0)
        return -1;
    evhttp_set_allowed_methods(http->server, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST |
                                                 EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                                                 EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH);
    evhttp_set_max_headers_size(http->server, HTTP_HEAD_MAX);
    evhttp_set_max_body_size(http->server, HTTP_BODY_MAX);
    evhttp_set_timeout_tv(http->server, &timeout);
    evhttp_set_bevcb(http->server, on_accepted, http);
    evhttp_set_gencb(http->server, on_request, http);
    evconnlistener_set_error_cb(http->door, on_accept_failed);
    evconnlistener_set_error_cb(http->refusal, on_accept_failed);
    return 0;
}

struct http *http_open(const struct http_config *config, struct event_base *base)
{
    struct http *http = calloc(1, sizeof *http);

    if (http == NULL)
        return NULL;
    http->config = *config;
    http->base = base;
    if (http->config.connections_max == 0)
        http->config.connections_max = HTTP_CONNECTIONS_MAX;
    if (http->config.request_ms == 0)
        http->config.request_ms = HTTP_REQUEST_MS;
    http->door = listen_on(config, base);
    if (http->door == NULL || start_server(http) != 0) {
        int why = errno;

        LOG(ERROR, "http_listen_failed", KV("address", config->address), KV("port", config->port),
            KV("err", strerror(why)));
        http_close(&http);
        errno = why;
        return NULL;
    }
    LOG(INFO, "http_listening", KV("address", config->address), KV("port", http_port(http)));
    return http;
}

void http_close(struct http **http)
{
    struct http *closing = *http;

    if (closing == NULL)
        return;
    *http = NULL;
    if (closing->refusal != NULL)
        evconnlistener_free(closing->refusal);
    if (closing->sweep != NULL)
        event_free(closing->sweep);
    if (closing->rest != NULL)
        event_free(closing->rest);
    if (closing->server != NULL)
        evhttp_free(closing->server); /* and the door */
    else if (closing->door != NULL)
        evconnlistener_free(closing->door);
    for (uint64_t i = 0; i < closing->stats.connections; i++)
        (void)bufferevent_decref(closing->connections[i].buffer);
    free(closing->connections);
    free(closing);
}

uint16_t http_port(const struct http *http)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    struct address address = { 0 };

    if (getsockname(evconnlistener_get_fd(http->door), (struct sockaddr *)&bound, &size) == 0)
        (void)address_from_sockaddr(&address, &bound);
    return address.port;
}

const struct http_stats *http_stats(const struct http *http)
{
    return &http->stats;
}
