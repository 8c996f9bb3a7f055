/* bus_socket.h - a ZeroMQ socket in libevent's loop.
 *
 * Each message that arrives is handed over whole, as its frames. Nothing here waits. */
#ifndef DLMP_COMMON_BUS_SOCKET_H
#define DLMP_COMMON_BUS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <zmq.h>

#include "common/cursor.h"

struct event;
struct event_base;

/* Ours. */
enum {
    BUS_FRAMES_MAX = 8,          /* 7 are the most that anybody wants (bus_keys.c) */
    BUS_PUMP_MESSAGES_MAX = 512, /* then others of the loop have their turn */
    BUS_ERROR_SIZE = 512,
};

struct bus_socket {
    void *zmq; /* NULL: not open */
    struct event *event;
    /* The frames stay the socket's. Those beyond the last of BUS_FRAMES_MAX are counted, but not there. */
    void (*take)(void *context, zmq_msg_t *frames, size_t count);
    void *context;
    bool is_touched; /* sent on since the last look at its events */
};

/* False: not all of it could be opened; zmq_errno or errno says why, and it must be closed. */
bool bus_socket_open(struct bus_socket *socket, void *zmq, struct event_base *base, int type,
                     void (*take)(void *context, zmq_msg_t *frames, size_t count), void *context);
void bus_socket_close(struct bus_socket *socket);

bool bus_socket_set_int(struct bus_socket *socket, int option, int value);
bool bus_socket_set_text(struct bus_socket *socket, int option, const char *text);

/* Takes what has arrived; of a socket that is not open, nothing. The loop does so when something arrives.
 * It must be called now and then as well: libzmq frees what closed connections held only when somebody
 * calls it. */
void bus_socket_pump(struct bus_socket *socket);

/* False: it is not open, or libzmq takes nothing now. */
bool bus_socket_send(struct bus_socket *socket, struct span frame, bool more_follow);
/* After the last of what was sent in an iteration of the loop. Sending takes notice of what has arrived,
 * which is then not signalled any more. */
void bus_socket_look_again(struct bus_socket *socket);

struct span bus_frame(zmq_msg_t *frame);

/* Writes the sentence that tells a person why; returns false. */
bool bus_fail(char error[BUS_ERROR_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
