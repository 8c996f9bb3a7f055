#include "ctl/admin.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { PORT_STANDARD = 8080 };

struct admin_request {
    struct bufferevent *buffer;
    void (*done)(void *arg, const struct admin_answer *answer);
    void *arg;
};

int admin_parse(struct admin *admin, const char *url)
{
    static const char scheme[] = "http://";
    char whole[ADMIN_URL_SIZE + sizeof scheme];
    bool has_scheme = strncasecmp(url, scheme, sizeof scheme - 1) == 0;
    struct evhttp_uri *uri = NULL;
    const char *host;
    int port;
    int result = -1;

    if (strlen(url) >= ADMIN_URL_SIZE)
        return -1;
    (void)snprintf(whole, sizeof whole, "%s%s", has_scheme ? "" : scheme, url);
    uri = evhttp_uri_parse(whole);
    host = uri == NULL ? NULL : evhttp_uri_get_host(uri);
    if (host != NULL && host[0] != '\0' && evhttp_uri_get_query(uri) == NULL &&
        strspn(evhttp_uri_get_path(uri), "/") == strlen(evhttp_uri_get_path(uri))) {
        size_t size = strlen(host);
        bool is_ipv6 = host[0] == '[' && host[size - 1] == ']'; /* connect takes it without them */

        port = evhttp_uri_get_port(uri);
        (void)snprintf(admin->host, sizeof admin->host, "%.*s", (int)(is_ipv6 ? size - 2 : size),
                       is_ipv6 ? host + 1 : host);
        admin->port = (unsigned short)(port < 0 ? PORT_STANDARD : port);
        result = port == 0 || port > 65535 ? -1 : 0;
    }
    if (uri != NULL)
        evhttp_uri_free(uri);
    return result;
}

/* ---- the answer */

/* The value of a header, NULL when it is not there. `head` ends with an empty line. */
static const char *find_header(const char *head, const char *name)
{
    size_t size = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, size) == 0 && line[size] == ':')
            return line + size + 1 + strspn(line + size + 1, " ");
    }
    return NULL;
}

/* The connection has ended: is this a whole answer? */
static struct admin_answer read_answer(const char *text, size_t size)
{
    static const char start[] = "HTTP/1.";
    struct admin_answer answer = { .body = "" };
    const char *end = strstr(text, "\r\n\r\n");
    const char *length;
    size_t body_size;

    if (strncmp(text, start, sizeof start - 1) != 0 || end == NULL)
        return answer;
    body_size = size - (size_t)(end + 4 - text);
    length = find_header(text, "Content-Length");
    if (length != NULL && length < end && strtoull(length, NULL, 10) != body_size)
        return answer;
    answer.status = (int)strtol(text + strcspn(text, " "), NULL, 10);
    answer.body = end + 4;
    answer.size = body_size;
    return answer;
}

/* ---- on a loop */

void admin_cancel(struct admin_request **request)
{
    if (*request == NULL)
        return;
    bufferevent_free((*request)->buffer);
    free(*request);
    *request = NULL;
}

static void finish(struct admin_request *request, bool is_whole)
{
    struct evbuffer *input = bufferevent_get_input(request->buffer);
    struct admin_answer answer = { .body = "" };
    size_t size = evbuffer_get_length(input);
    char *text = malloc(size + 1);

    if (is_whole && text != NULL && evbuffer_copyout(input, text, size) == (ev_ssize_t)size) {
        text[size] = '\0';
        answer = read_answer(text, size);
    }
    request->done(request->arg, &answer);
    free(text);
    admin_cancel(&request);
}

static void on_event(struct bufferevent *buffer, short what, void *arg)
{
    (void)buffer;
    if ((what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT)) != 0)
        finish(arg, (what & BEV_EVENT_EOF) != 0);
}

static void on_read(struct bufferevent *buffer, void *arg)
{
    if (evbuffer_get_length(bufferevent_get_input(buffer)) > ADMIN_ANSWER_MAX)
        finish(arg, false);
}

static void put_request(struct bufferevent *buffer, const struct admin *admin, const char *path,
                        const char *body)
{
    struct evbuffer *output = bufferevent_get_output(buffer);

    (void)evbuffer_add_printf(output, "%s %s HTTP/1.1\r\nConnection: close\r\n",
                              body == NULL ? "GET" : "POST", path);
    (void)evbuffer_add_printf(output,
                              strchr(admin->host, ':') != NULL ? "Host: [%s]:%u\r\n" : "Host: %s:%u\r\n",
                              admin->host, (unsigned)admin->port);
    if (body != NULL)
        (void)evbuffer_add_printf(output, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                                  strlen(body));
    (void)evbuffer_add_printf(output, "\r\n%s", body == NULL ? "" : body);
}

struct admin_request *admin_start(struct event_base *base, const struct admin *admin, const char *path,
                                  const char *body,
                                  void (*done)(void *arg, const struct admin_answer *answer), void *arg)
{
    const struct timeval timeout = { ADMIN_TIMEOUT_MS / 1000, 0 };
    struct admin_request *request = calloc(1, sizeof *request);

    if (request == NULL)
        return NULL;
    *request = (struct admin_request){
        .buffer = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS),
        .done = done,
        .arg = arg,
    };
    if (request->buffer == NULL) {
        free(request);
        return NULL;
    }
    bufferevent_setcb(request->buffer, on_read, NULL, on_event, request);
    put_request(request->buffer, admin, path, body);
    if (bufferevent_set_timeouts(request->buffer, &timeout, &timeout) != 0 ||
        bufferevent_enable(request->buffer, EV_READ | EV_WRITE) != 0 ||
        bufferevent_socket_connect_hostname(request->buffer, NULL, AF_UNSPEC, admin->host, admin->port) !=
            0) {
        admin_cancel(&request);
        return NULL;
    }
    return request;
}

/* ---- waiting */

struct asked {
    int status;
    char *body;
};

static void on_asked(void *arg, const struct admin_answer *answer)
{
    struct asked *asked = arg;

    asked->body = malloc(answer->size + 1);
    if (asked->body == NULL)
        return;
    memcpy(asked->body, answer->body, answer->size);
    asked->body[answer->size] = '\0';
    asked->status = answer->status;
}

int admin_ask(const struct admin *admin, const char *path, const char *body, char **answer)
{
    struct event_base *base = event_base_new();
    struct asked asked = { 0 };

    if (base != NULL && admin_start(base, admin, path, body, on_asked, &asked) != NULL)
        (void)event_base_dispatch(base);
    if (base != NULL)
        event_base_free(base);
    *answer = asked.body;
    return asked.status;
}
