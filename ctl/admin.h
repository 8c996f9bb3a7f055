/* admin.h - asking a process' admin server.
 *
 * Either beside other things on an event loop, or at once and waiting for the answer. */
#ifndef DLMP_CTL_ADMIN_H
#define DLMP_CTL_ADMIN_H

#include <stddef.h>

enum {
    ADMIN_TIMEOUT_MS = 5000,     /* ours */
    ADMIN_ANSWER_MAX = 64 << 20, /* ours: bytes; a line for each of 100,000 players is less */
    ADMIN_URL_SIZE = 256,
};

#define ADMIN_URL "http://127.0.0.1:8080"

/* Where to ask; parsed from "http://127.0.0.1:8080", "http://[::1]:8080" or "localhost". */
struct admin {
    char host[ADMIN_URL_SIZE];
    unsigned short port;
};

/* -1: no such address. */
int admin_parse(struct admin *admin, const char *url);

struct admin_answer {
    int status;       /* 0: nobody has answered */
    const char *body; /* with a terminator after it; never NULL */
    size_t size;
};

struct admin_request;
struct event_base; /* libevent's */

/* Asks. `done` borrows the answer; it is called once, from the loop, and the request is gone with it, or it
 * is cancelled before. A body (NULL: a GET) is JSON. NULL: it cannot be asked. */
struct admin_request *admin_start(struct event_base *base, const struct admin *admin, const char *path,
                                  const char *body,
                                  void (*done)(void *arg, const struct admin_answer *answer), void *arg);
void admin_cancel(struct admin_request **request);

/* Asks and waits. The answer is to be freed, and may be NULL. Status 0: nobody has answered. */
int admin_ask(const struct admin *admin, const char *path, const char *body, char **answer);

#endif
