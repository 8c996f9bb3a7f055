#include "bots/net.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bots/options.h"
#include "bots/resolve.h"
#include "common/clock.h"
#include "common/random.h"

/* Ours. */
enum {
    BATCH = 32,                  /* datagrams a call */
    ROUNDS = 4,                  /* calls a readable socket gets before the others have their turn */
    RECEIVE_BUFFER = 512 * 1024, /* a crowd's frames of some 100 ms */
    FILES_BESIDES = 64,          /* open files that are no bot's */
    LOCAL_BLOCK = 1,             /* 127.1.x.y */
};

/* The time of receipt, and how many the socket has dropped. */
#define CONTROL_SIZE (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t)))

struct sockets_bot {
    struct sockets *net;
    struct event *event;
    uint32_t number;
    uint32_t dropped; /* of this socket, as the kernel counts them */
    int fd;
};

struct sockets {
    struct sockets_config config;
    struct endpoint servers[RESOLVE_MAX];
    size_t servers_count;
    uint32_t addresses;
    struct sockets_bot *bots;
    struct rng rng;
    struct event_base *base;
    struct event *timer;
    struct event *second;
    struct event *signals[2];
    struct swarm *swarm;
    const struct sockets_hooks *hooks;
    enum swarm_phase phase;
    uint64_t armed_ms; /* what the timer waits for */
    uint64_t dropped;  /* by sockets that are closed, or noticed so far */
    uint64_t lost;
    uint64_t send_errors;
    struct mmsghdr messages[BATCH];
    struct iovec vectors[BATCH];
    uint8_t data[BATCH]
                [WIRE_PACKET_SIZE_MAX + 1]; /* a byte more than any packet, to see that one is too long */
    _Alignas(struct cmsghdr) uint8_t control[BATCH][CONTROL_SIZE];
};

static uint64_t ns_of(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t stamp_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now); /* lint-ok: the clock of the kernel's receive stamps */
    return ns_of(now);
}

/* ---- sockets */

/* -1, errno says why. */
static int open_socket(const struct sockets *net, uint32_t number)
{
    const struct endpoint *server = &net->servers[number % net->servers_count];
    const int on = 1;
    const int buffer = RECEIVE_BUFFER;
    int fd = socket(server->address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    /* Without these a bot knows less, and plays all the same. */
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    (void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    if (net->addresses > 1) {
        struct endpoint local = resolve_local(LOCAL_BLOCK, number % net->addresses);

        if (bind(fd, (const struct sockaddr *)&local.address, local.size) != 0)
            goto fail;
    }
    if (connect(fd, (const struct sockaddr *)&server->address, server->size) != 0)
        goto fail;
    return fd;

fail:
    (void)close(fd);
    return -1;
}

static void on_readable(evutil_socket_t fd, short what, void *arg);

static int open_bot(struct sockets *net, uint32_t number)
{
    struct sockets_bot *bot = &net->bots[number];

    *bot = (struct sockets_bot){ .net = net, .number = number, .fd = open_socket(net, number) };
    if (bot->fd < 0)
        return -1;
    bot->event = event_new(net->base, bot->fd, EV_READ | EV_PERSIST, on_readable, bot);
    return bot->event != NULL && event_add(bot->event, NULL) == 0 ? 0 : -1;
}

static void close_bot(struct sockets_bot *bot)
{
    if (bot->event != NULL)
        event_free(bot->event);
    bot->event = NULL;
    if (bot->fd >= 0)
        (void)close(bot->fd);
    bot->fd = -1;
}

/* ---- receiving */

static void arm(struct sockets *net, uint64_t now_ms)
{
    uint64_t wakes_ms = swarm_wakes_at(net->swarm);
    uint64_t wait_ms = wakes_ms > now_ms ? wakes_ms - now_ms : 0;
    struct timeval wait;

    if (wakes_ms == net->armed_ms || wakes_ms == UINT64_MAX)
        return;
    net->armed_ms = wakes_ms;
    wait.tv_sec = (time_t)(wait_ms / 1000);
    wait.tv_usec = (suseconds_t)(wait_ms % 1000 * 1000);
    (void)evtimer_add(net->timer, &wait);
}

static size_t receive_batch(struct sockets *net, int fd)
{
    int count;

    for (size_t i = 0; i < BATCH; i++) {
        net->vectors[i] = (struct iovec){ net->data[i], sizeof net->data[i] };
        net->messages[i].msg_hdr = (struct msghdr){
            .msg_iov = &net->vectors[i],
            .msg_iovlen = 1,
            .msg_control = net->control[i],
            .msg_controllen = sizeof net->control[i],
        };
    }
    count = recvmmsg(fd, net->messages, BATCH, MSG_DONTWAIT, NULL);
    return count > 0 ? (size_t)count
                     : 0; /* an error is an ICMP answer to an earlier datagram: nobody listens there */
}

/* The stamp, 0 when there is none. */
static uint64_t read_control(struct sockets *net, struct sockets_bot *bot, struct msghdr *message)
{
    uint64_t stamp = 0;

    for (struct cmsghdr *item = CMSG_FIRSTHDR(message); item != NULL; item = CMSG_NXTHDR(message, item)) {
        if (item->cmsg_level != SOL_SOCKET)
            continue;
        if (item->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec time;

            memcpy(&time, CMSG_DATA(item), sizeof time);
            stamp = ns_of(time);
        } else if (item->cmsg_type == SO_RXQ_OVFL) {
            uint32_t dropped;

            memcpy(&dropped, CMSG_DATA(item), sizeof dropped);
            net->dropped += dropped - bot->dropped;
            bot->dropped = dropped;
        }
    }
    return stamp;
}

static bool is_lost(struct sockets *net)
{
    if (net->config.loss <= 0.0 || !rng_chance(&net->rng, net->config.loss))
        return false;
    net->lost++;
    return true;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct sockets_bot *bot = arg;
    struct sockets *net = bot->net;
    uint64_t now_ms = clock_ms();

    (void)what;
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = receive_batch(net, fd);

        for (size_t i = 0; i < count; i++) {
            struct span datagram = { net->data[i], net->messages[i].msg_len };
            uint64_t stamp = read_control(net, bot, &net->messages[i].msg_hdr);

            if (!is_lost(net))
                swarm_on_datagram(net->swarm, now_ms, bot->number, datagram, stamp);
        }
        if (count < BATCH)
            break;
    }
    swarm_flush(net->swarm, now_ms, bot->number);
    arm(net, now_ms);
}

/* ---- sending */

static uint64_t sockets_send(void *context, uint32_t number, struct span datagram)
{
    struct sockets *net = context;
    int fd = net->bots[number].fd;
    uint64_t stamp;

    if (is_lost(net))
        return 0;
    stamp = stamp_ns();
    if (send(fd, datagram.data, datagram.size, MSG_DONTWAIT) >= 0)
        return stamp;
    /* The error of an earlier datagram, told now: this one has not been tried. */
    if (errno == ECONNREFUSED && send(fd, datagram.data, datagram.size, MSG_DONTWAIT) >= 0)
        return stamp;
    net->send_errors++;
    return 0;
}

static void sockets_reopen(void *context, uint32_t number)
{
    struct sockets *net = context;

    close_bot(&net->bots[number]);
    if (open_bot(net, number) != 0)
        net->send_errors++; /* its hellos will get no answer */
}

struct swarm_io sockets_io(struct sockets *net)
{
    return (struct swarm_io){ .context = net, .send = sockets_send, .reopen = sockets_reopen };
}

/* ---- opening and closing */

static bool raise_file_limit(uint32_t bots, char *why, size_t why_size)
{
    rlim_t needed = (rlim_t)bots + FILES_BESIDES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    limit.rlim_cur = needed;
    if (limit.rlim_max < needed)
        limit.rlim_max = needed;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return true;
    (void)snprintf(why, why_size,
                   "%u bots need %llu open files, and the limit is lower: raise it (ulimit -n)", bots,
                   (unsigned long long)needed);
    return false;
}

static uint32_t choose_addresses(const struct sockets *net)
{
    if (net->config.addresses > 0)
        return net->config.addresses;
    if (!resolve_is_loopback4(&net->servers[0]))
        return 1;
    return (net->config.bots + OPTIONS_PER_ADDRESS - 1) / OPTIONS_PER_ADDRESS;
}

bool sockets_keep_order(const struct sockets *net)
{
    for (size_t i = 0; i < net->servers_count; i++) {
        if (!resolve_is_loopback4(&net->servers[i]))
            return false;
    }
    return net->config.loss == 0.0;
}

static bool open_sockets(struct sockets *net, char *why, size_t why_size)
{
    for (uint32_t i = 0; i < net->config.bots; i++)
        net->bots[i].fd = -1;
    for (size_t i = 0; net->addresses > 1 && i < net->servers_count; i++) {
        if (!resolve_is_loopback4(&net->servers[i])) {
            (void)snprintf(why, why_size, "several --addresses need a server in 127.0.0.0/8");
            return false;
        }
    }
    for (uint32_t i = 0; i < net->config.bots; i++) {
        if (open_bot(net, i) != 0) {
            (void)snprintf(why, why_size, "no socket for bot %u: %s", i + 1, strerror(errno));
            return false;
        }
    }
    return true;
}

struct sockets *sockets_open(const struct sockets_config *config, char *why, size_t why_size)
{
    struct event_config *wanted = event_config_new();
    struct sockets *net = calloc(1, sizeof *net);

    if (net == NULL || wanted == NULL)
        abort();
    (void)event_config_set_flag(wanted, EVENT_BASE_FLAG_PRECISE_TIMER);
    net->config = *config;
    net->armed_ms = UINT64_MAX;
    rng_init_seeded(&net->rng, config->seed);
    net->base = event_base_new_with_config(wanted);
    event_config_free(wanted);
    net->bots = calloc(config->bots, sizeof *net->bots);
    if (net->base == NULL || net->bots == NULL)
        abort();
    net->servers_count = resolve_list(config->servers, net->servers, why, why_size);
    if (net->servers_count == 0)
        goto fail;
    net->addresses = choose_addresses(net);
    if (!raise_file_limit(config->bots, why, why_size) || !open_sockets(net, why, why_size))
        goto fail;
    return net;

fail:
    sockets_close(&net);
    return NULL;
}

void sockets_close(struct sockets **net)
{
    if (*net == NULL)
        return;
    for (uint32_t i = 0; i < (*net)->config.bots; i++) {
        if ((*net)->bots[i].net != NULL)
            close_bot(&(*net)->bots[i]);
    }
    event_base_free((*net)->base);
    free((*net)->bots);
    free(*net);
    *net = NULL;
}

/* ---- the loop */

static void notice_phase(struct sockets *net, uint64_t now_ms)
{
    enum swarm_phase phase = swarm_phase(net->swarm);

    if (phase != net->phase) {
        net->phase = phase;
        net->hooks->on_phase(net->hooks->context, now_ms, phase);
    }
    if (phase == SWARM_DONE)
        (void)event_base_loopbreak(net->base);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct sockets *net = arg;
    uint64_t now_ms = clock_ms();

    (void)fd;
    (void)what;
    net->armed_ms = UINT64_MAX;
    swarm_tick(net->swarm, now_ms);
    notice_phase(net, now_ms);
    arm(net, now_ms);
}

static void on_second(evutil_socket_t fd, short what, void *arg)
{
    struct sockets *net = arg;

    (void)fd;
    (void)what;
    net->hooks->on_second(net->hooks->context, clock_ms());
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
    struct sockets *net = arg;
    uint64_t now_ms = clock_ms();

    (void)number;
    (void)what;
    if (swarm_phase(net->swarm) >= SWARM_LEAVING)
        (void)event_base_loopbreak(net->base);
    swarm_stop(net->swarm, now_ms);
    notice_phase(net, now_ms);
    net->armed_ms = UINT64_MAX;
    arm(net, now_ms);
}

void sockets_run(struct sockets *net, struct swarm *swarm, const struct sockets_hooks *hooks)
{
    const struct timeval second = { .tv_sec = 1 };

    net->swarm = swarm;
    net->hooks = hooks;
    net->phase = swarm_phase(swarm);
    net->timer = evtimer_new(net->base, on_timer, net);
    net->second = event_new(net->base, -1, EV_PERSIST, on_second, net);
    net->signals[0] = evsignal_new(net->base, SIGINT, on_signal, net);
    net->signals[1] = evsignal_new(net->base, SIGTERM, on_signal, net);
    if (net->timer == NULL || net->second == NULL || net->signals[0] == NULL || net->signals[1] == NULL)
        abort();
    (void)event_add(net->second, &second);
    (void)event_add(net->signals[0], NULL);
    (void)event_add(net->signals[1], NULL);
    arm(net, clock_ms());
    (void)event_base_dispatch(net->base);
    event_free(net->timer);
    event_free(net->second);
    event_free(net->signals[0]);
    event_free(net->signals[1]);
}

void sockets_report(const struct sockets *net, struct report *report)
{
    report->receive_drops = net->dropped;
    report->lost = net->lost;
    report->send_errors = net->send_errors;
}
