#include "shard/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000, MS_PER_S = 1000 };

/* A signal handler is handed nothing. */
static struct {
    const struct script_watch *watch;
    char file[4096];
    timer_t timer;
    bool runs;
    uint32_t turn; /* of the call that was under way at the last look */
    uint32_t looks;
} dog;

/* Only calls that a signal handler may make. */
static void note(const char *resource)
{
    int fd = open(dog.file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    size_t size = 0;

    if (fd < 0)
        return;
    while (resource[size] != '\0')
        size++;
    if (write(fd, resource, size) < 0 || write(fd, "\n", 1) < 0 || fsync(fd) != 0)
        return;
    (void)close(fd);
}

static void on_look(int number)
{
    const char *resource = dog.watch->resource;

    (void)number;
    if (resource == NULL || dog.watch->turn != dog.turn) {
        dog.turn = dog.watch->turn;
        dog.looks = 0;
        return;
    }
    if (++dog.looks < WATCHDOG_LOOKS)
        return;
    note(resource);
    abort();
}

int watchdog_start(const struct script_watch *watch, const char *file, uint32_t limit_ms)
{
    const struct sigaction action = { .sa_handler = on_look, .sa_flags = SA_RESTART };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
    uint32_t look_ms = limit_ms / WATCHDOG_LOOKS;
    const struct timespec pause = { .tv_sec = look_ms / MS_PER_S,
                                    .tv_nsec = (long)(look_ms % MS_PER_S) * NS_PER_MS };
    const struct itimerspec times = { .it_interval = pause, .it_value = pause };
    size_t size = strlen(file);

    if (size >= sizeof dog.file) {
        errno = ENAMETOOLONG;
        return -1;
    }
    dog.watch = watch;
    dog.looks = 0;
    memcpy(dog.file, file, size + 1);
    if (sigaction(SIGPROF, &action, NULL) != 0 ||
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &dog.timer) != 0)
        return -1;
    dog.runs = true;
    return timer_settime(dog.timer, 0, &times, NULL);
}

void watchdog_stop(void)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };

    if (!dog.runs)
        return;
    dog.runs = false;
    (void)timer_delete(dog.timer);
    (void)sigaction(SIGPROF, &ignore, NULL);
}
