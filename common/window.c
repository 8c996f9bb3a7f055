#include "common/window.h"

#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/log.h"

enum { US_PER_S = 1000 * 1000 };

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    const struct window *window = arg;
    uint64_t times;

    (void)what;
    if (read(fd, &times, sizeof times) < 0) {
        /* EAGAIN: the window was opened anew in the same moment. */
        if (errno != EAGAIN)
            LOG(ERROR, "window_timer_failed", KV("err", strerror(errno)));
    } else if (window->on_end != NULL) {
        window->on_end(window->context);
    }
}

bool window_init(struct window *window, struct event_base *base, void (*on_end)(void *context), void *context)
{
    *window = (struct window){ .on_end = on_end, .context = context };
    window->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (window->fd < 0)
        return false;
    window->event = event_new(base, window->fd, EV_READ | EV_PERSIST, on_timer, window);
    return window->event != NULL && event_add(window->event, NULL) == 0;
}

void window_fini(struct window *window)
{
    if (window->event != NULL)
        event_free(window->event);
    if (window->fd >= 0)
        (void)close(window->fd);
    window->event = NULL;
    window->fd = -1;
}

bool window_open(struct window *window, uint64_t now_us, uint32_t length_us)
{
    uint64_t ends_us = now_us + length_us;
    const struct itimerspec ends = { .it_value = { .tv_sec = (time_t)(ends_us / US_PER_S),
                                                   .tv_nsec = (long)(ends_us % US_PER_S) * 1000 } };

    if (timerfd_settime(window->fd, TFD_TIMER_ABSTIME, &ends, NULL) != 0)
        return false;
    window->ends_us = ends_us;
    return true;
}

bool window_is_open(const struct window *window, uint64_t now_us)
{
    return now_us < window->ends_us;
}
