/* window.h - a wait of a few milliseconds in libevent's loop.
 *
 * libevent's own timers go by a coarse clock, whose ticks are as long as such a wait; this one has a timer of
 * the kernel. While the window is open its end wakes the loop; it does nothing else then but to call back. */
#ifndef DLMP_COMMON_WINDOW_H
#define DLMP_COMMON_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct event_base; /* libevent's */
struct event;

struct window {
    int fd; /* -1: none */
    struct event *event;
    uint64_t ends_us; /* of clock_us */
    void (*on_end)(void *context);
    void *context;
};

/* `on_end` may be NULL: the end only wakes the loop. False: the system has no timer left; window_fini is due
 * all the same. */
bool window_init(struct window *window, struct event_base *base, void (*on_end)(void *context),
                 void *context);
void window_fini(struct window *window);

/* From now on for so long; one that is open ends later. False: the system refuses to wait. */
bool window_open(struct window *window, uint64_t now_us, uint32_t length_us);
bool window_is_open(const struct window *window, uint64_t now_us);

#endif
