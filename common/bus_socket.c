#include "common/bus_socket.h"

#include <errno.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool receive_frame(void *zmq, zmq_msg_t *frame)
{
    int size;

    do
        size = zmq_msg_recv(frame, zmq, ZMQ_DONTWAIT);
    while (size < 0 && zmq_errno() == EINTR);
    return size >= 0;
}

/* 0: there is no message. */
static size_t receive_frames(void *zmq, zmq_msg_t frames[BUS_FRAMES_MAX])
{
    zmq_msg_t surplus;
    size_t count = 0;
    bool has_more;

    do {
        zmq_msg_t *frame = count < BUS_FRAMES_MAX ? &frames[count] : &surplus;

        (void)zmq_msg_init(frame);
        if (!receive_frame(zmq, frame)) {
            (void)zmq_msg_close(frame);
            return count;
        }
        has_more = zmq_msg_more(frame) != 0;
        if (frame == &surplus)
            (void)zmq_msg_close(frame);
        count++;
    } while (has_more);
    return count;
}

/* ZMQ_FD is edge-triggered: read until there is nothing, or the rest waits for the next message to arrive.
 * The socket may be closed by what takes a message. */
void bus_socket_pump(struct bus_socket *socket)
{
    zmq_msg_t frames[BUS_FRAMES_MAX];

    for (size_t i = 0; i < BUS_PUMP_MESSAGES_MAX; i++) {
        size_t count = socket->zmq != NULL ? receive_frames(socket->zmq, frames) : 0;

        if (count == 0)
            return;
        socket->take(socket->context, frames, count);
        for (size_t j = 0; j < count && j < BUS_FRAMES_MAX; j++)
            (void)zmq_msg_close(&frames[j]);
    }
    if (socket->event != NULL)
        event_active(socket->event, EV_READ, 0);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    bus_socket_pump(context);
}

bool bus_socket_open(struct bus_socket *socket, void *zmq, struct event_base *base, int type,
                     void (*take)(void *context, zmq_msg_t *frames, size_t count), void *context)
{
    int fd;
    size_t size = sizeof fd;

    *socket = (struct bus_socket){ .zmq = zmq_socket(zmq, type), .take = take, .context = context };
    if (socket->zmq == NULL || !bus_socket_set_int(socket, ZMQ_LINGER, 0) ||
        zmq_getsockopt(socket->zmq, ZMQ_FD, &fd, &size) != 0)
        return false;
    socket->event = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, socket);
    return socket->event != NULL && event_add(socket->event, NULL) == 0;
}

void bus_socket_close(struct bus_socket *socket)
{
    if (socket->event != NULL)
        event_free(socket->event);
    if (socket->zmq != NULL)
        (void)zmq_close(socket->zmq);
    *socket = (struct bus_socket){ 0 };
}

bool bus_socket_set_int(struct bus_socket *socket, int option, int value)
{
    return zmq_setsockopt(socket->zmq, option, &value, sizeof value) == 0;
}

bool bus_socket_set_text(struct bus_socket *socket, int option, const char *text)
{
    return zmq_setsockopt(socket->zmq, option, text, strlen(text)) == 0;
}

bool bus_socket_send(struct bus_socket *socket, struct span frame, bool more_follow)
{
    int sent;

    if (socket->zmq == NULL)
        return false;
    socket->is_touched = true;
    do
        sent = zmq_send(socket->zmq, frame.data, frame.size, ZMQ_DONTWAIT | (more_follow ? ZMQ_SNDMORE : 0));
    while (sent < 0 && zmq_errno() == EINTR);
    return sent >= 0;
}

void bus_socket_look_again(struct bus_socket *socket)
{
    int events = 0;
    size_t size = sizeof events;

    if (!socket->is_touched || socket->zmq == NULL)
        return;
    socket->is_touched = false;
    if (zmq_getsockopt(socket->zmq, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLIN) != 0)
        event_active(socket->event, EV_READ, 0);
}

struct span bus_frame(zmq_msg_t *frame)
{
    return (struct span){ .data = zmq_msg_data(frame), .size = zmq_msg_size(frame) };
}

bool bus_fail(char error[BUS_ERROR_SIZE], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(error, BUS_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}
