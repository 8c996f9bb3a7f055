#include <netinet/in.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/bench/relay.h"

/* linux/udp.h; older C libraries do not have it. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum {
    BATCH = 64,               /* datagrams a receive, messages a send */
    ROUNDS_MAX = 8,           /* receives a loop iteration, as the gateway's */
    RUN_MAX = 64,             /* datagrams a send with UDP_SEGMENT */
    WINDOW_FRAMES_MAX = 4096, /* a full one is sent early */
};

/* A frame of the window that is open, and who sent it. */
struct held {
    uint32_t size;
    uint8_t data[RELAY_FRAME_SIZE_MAX];
};

struct server {
    const struct relay_options *options;
    struct relay_meter *meter;
    struct relay_counts counts;
    int fd;
    int epoll_fd;
    struct sockaddr_in addresses[RELAY_CLIENTS_MAX]; /* sin_port 0: not heard of yet */
    uint32_t joined;

    struct mmsghdr in_messages[BATCH];
    struct iovec in_parts[BATCH];
    struct sockaddr_in in_from[BATCH];
    uint8_t in[BATCH][2048];

    struct mmsghdr out_messages[BATCH];
    unsigned out_count;

    uint64_t window_ends_ns; /* 0: closed */
    struct held *held;
    uint32_t held_count;
    uint16_t (*queues)[WINDOW_FRAMES_MAX]; /* of each client, indices into held */
    uint16_t queued[RELAY_CLIENTS_MAX];
};

static int listen_on_loopback(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0)
        return -1;
    relay_set_buffers(fd);
    return fd;
}

/* ---- at once */

static void send_messages(struct server *server)
{
    unsigned done = 0;

    while (done < server->out_count) {
        int count = sendmmsg(server->fd, server->out_messages + done, server->out_count - done, MSG_DONTWAIT);

        server->counts.sends++;
        if (count > 0) {
            server->counts.relayed += (uint64_t)count;
            done += (unsigned)count;
        } else {
            server->counts.refused++;
            done++;
        }
    }
    server->out_count = 0;
}

static void relay_at_once(struct server *server, uint32_t sender, const uint8_t *frame, size_t size)
{
    struct iovec part = { .iov_base = (void *)frame, .iov_len = size };

    for (uint32_t i = 1; i <= server->options->near; i++) {
        uint32_t to = (sender + i) % server->options->clients;

        if (server->addresses[to].sin_port == 0)
            continue;
        server->out_messages[server->out_count++].msg_hdr =
            (struct msghdr){ .msg_name = &server->addresses[to],
                             .msg_namelen = sizeof server->addresses[to],
                             .msg_iov = &part,
                             .msg_iovlen = 1 };
        if (server->out_count == BATCH)
            send_messages(server);
    }
    send_messages(server);
}

/* ---- with a window */

static void send_run(struct server *server, uint32_t to, struct iovec *parts, size_t count)
{
    _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
    struct msghdr message = { .msg_name = &server->addresses[to],
                              .msg_namelen = sizeof server->addresses[to],
                              .msg_iov = parts,
                              .msg_iovlen = count };
    uint16_t size = (uint16_t)parts[0].iov_len;

    if (count > 1) {
        struct cmsghdr *part = (struct cmsghdr *)control;

        message.msg_control = control;
        message.msg_controllen = sizeof control;
        part->cmsg_level = IPPROTO_UDP;
        part->cmsg_type = UDP_SEGMENT;
        part->cmsg_len = CMSG_LEN(sizeof size);
        memcpy(CMSG_DATA(part), &size, sizeof size);
    }
    server->counts.sends++;
    if (sendmsg(server->fd, &message, MSG_DONTWAIT) >= 0)
        server->counts.relayed += count;
    else
        server->counts.refused += count;
}

/* What one client gets, a run for each length that occurs. */
static void send_queue(struct server *server, uint32_t to)
{
    struct iovec parts[2][RUN_MAX];
    size_t counts[2] = { 0 };

    for (uint32_t i = 0; i < server->queued[to]; i++) {
        struct held *held = &server->held[server->queues[to][i]];
        size_t kind = held->size == RELAY_FRAME_SIZE_MAX;

        parts[kind][counts[kind]++] = (struct iovec){ .iov_base = held->data, .iov_len = held->size };
        if (counts[kind] == RUN_MAX) {
            send_run(server, to, parts[kind], RUN_MAX);
            counts[kind] = 0;
        }
    }
    for (size_t kind = 0; kind < 2; kind++) {
        if (counts[kind] > 0)
            send_run(server, to, parts[kind], counts[kind]);
    }
    server->queued[to] = 0;
}

static void close_window(struct server *server)
{
    for (uint32_t to = 0; to < server->options->clients; to++) {
        if (server->queued[to] > 0)
            send_queue(server, to);
    }
    server->held_count = 0;
    server->window_ends_ns = 0;
}

static void relay_later(struct server *server, uint32_t sender, const uint8_t *frame, size_t size)
{
    struct held *held = &server->held[server->held_count];

    held->size = (uint32_t)size;
    memcpy(held->data, frame, size);
    for (uint32_t i = 1; i <= server->options->near; i++) {
        uint32_t to = (sender + i) % server->options->clients;

        if (server->addresses[to].sin_port != 0)
            server->queues[to][server->queued[to]++] = (uint16_t)server->held_count;
    }
    server->held_count++;
    if (server->window_ends_ns == 0)
        server->window_ends_ns = clock_ns() + (uint64_t)server->options->window_us * 1000;
    if (server->held_count == WINDOW_FRAMES_MAX)
        close_window(server);
}

/* ---- receiving */

static bool is_from(const struct server *server, uint32_t client, const struct sockaddr_in *from)
{
    return server->addresses[client].sin_port == from->sin_port &&
           server->addresses[client].sin_addr.s_addr == from->sin_addr.s_addr;
}

static void admit(struct server *server, uint32_t client, const struct sockaddr_in *from)
{
    server->addresses[client] = *from;
    atomic_store(&server->meter->joined, ++server->joined);
}

/* Clients that are dlmp-bots. */
static void answer(struct server *server, const struct sockaddr_in *from, const uint8_t *data, size_t size)
{
    struct relay_answers answers;
    uint32_t client = 0;

    while (client < server->joined && !is_from(server, client, from))
        client++;
    if (client == server->options->clients)
        return;
    if (client == server->joined)
        admit(server, client, from);
    if (relay_host_answer(client, data, size, &answers) == RELAY_LEAVES)
        server->addresses[client].sin_port = 0;
    for (size_t i = 0; i < answers.count; i++) {
        (void)sendto(server->fd, answers.list[i].data, answers.list[i].size, MSG_DONTWAIT,
                     (const struct sockaddr *)from, sizeof *from); /* a lost one is asked for again */
    }
}

static void take_datagram(struct server *server, const struct sockaddr_in *from, const uint8_t *data,
                          size_t size)
{
    uint8_t frame[RELAY_FRAME_SIZE_MAX];
    size_t frame_size;
    uint32_t sender;

    if (!relay_frame_sender(server->options, data, size, &sender)) {
        if (server->options->port != 0)
            answer(server, from, data, size);
        return;
    }
    if (server->addresses[sender].sin_port == 0)
        admit(server, sender, from);
    if (!is_from(server, sender, from))
        return;
    server->counts.received++;
    frame_size = relay_frame_relayed(data, size, sender, frame);
    if (server->held != NULL)
        relay_later(server, sender, frame, frame_size);
    else
        relay_at_once(server, sender, frame, frame_size);
}

static void receive(struct server *server)
{
    int count;

    for (int round = 0; round < ROUNDS_MAX; round++) {
        for (size_t i = 0; i < BATCH; i++) {
            server->in_parts[i] =
                (struct iovec){ .iov_base = server->in[i], .iov_len = sizeof server->in[i] };
            server->in_messages[i].msg_hdr = (struct msghdr){ .msg_name = &server->in_from[i],
                                                              .msg_namelen = sizeof server->in_from[i],
                                                              .msg_iov = &server->in_parts[i],
                                                              .msg_iovlen = 1 };
        }
        count = recvmmsg(server->fd, server->in_messages, BATCH, MSG_DONTWAIT, NULL);
        for (int i = 0; i < count; i++)
            take_datagram(server, &server->in_from[i], server->in[i], server->in_messages[i].msg_len);
        if (count < BATCH)
            break;
    }
}

static void server_fini(struct server *server)
{
    free(server->held);
    free(server->queues);
    if (server->fd >= 0)
        (void)close(server->fd);
    if (server->epoll_fd >= 0)
        (void)close(server->epoll_fd);
    free(server);
}

static struct server *server_new(const struct relay_options *options, struct relay_meter *meter)
{
    struct server *server = calloc(1, sizeof *server);

    if (server == NULL)
        return NULL;
    server->options = options;
    server->meter = meter;
    server->fd = listen_on_loopback(options->port);
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (server->fd < 0 || server->epoll_fd < 0 || relay_watch(server->epoll_fd, server->fd, 0) != 0)
        goto fail;
    if (options->mode == RELAY_SEGMENT) {
        server->held = calloc(WINDOW_FRAMES_MAX, sizeof *server->held);
        server->queues = calloc(options->clients, sizeof *server->queues);
        if (server->held == NULL || server->queues == NULL)
            goto fail;
    }
    return server;

fail:
    server_fini(server);
    return NULL;
}

static void serve_once(struct server *server)
{
    struct epoll_event event;
    struct timespec wait = relay_until(server->window_ends_ns);

    if (epoll_pwait2(server->epoll_fd, &event, 1, &wait, NULL) > 0)
        receive(server);
    if (server->window_ends_ns != 0 && clock_ns() >= server->window_ends_ns)
        close_window(server);
}

int relay_plain_serve(const struct relay_options *options, struct relay_meter *meter)
{
    struct server *server = server_new(options, meter);
    struct sockaddr_in bound = { 0 };
    socklen_t length = sizeof bound;

    if (server == NULL)
        return -1;
    if (getsockname(server->fd, (struct sockaddr *)&bound, &length) != 0) {
        server_fini(server);
        return -1;
    }
    atomic_store(&meter->port, ntohs(bound.sin_port));
    while (relay_meter_goes_on(meter, &server->counts))
        serve_once(server);
    server_fini(server);
    return 0;
}

static volatile sig_atomic_t host_is_asked;
static volatile sig_atomic_t host_is_stopped;

static void on_host_signal(int number)
{
    if (number == SIGUSR1)
        host_is_asked = 1;
    else
        host_is_stopped = 1;
}

static void host_print(const struct server *server)
{
    struct relay_usage usage;

    relay_usage_take(&usage, &server->counts);
    printf("{\"received\":%ju,\"relayed\":%ju,\"refused\":%ju,\"cpu_ns\":%ju}\n",
           (uintmax_t)usage.counts.received, (uintmax_t)usage.counts.relayed, (uintmax_t)usage.counts.refused,
           (uintmax_t)(usage.user_ns + usage.system_ns));
    (void)fflush(stdout);
}

int relay_plain_host(const struct relay_options *options)
{
    const struct sigaction action = { .sa_handler = on_host_signal };
    struct relay_meter meter = { 0 };
    struct server *server;

    if (sigaction(SIGUSR1, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0 ||
        sigaction(SIGINT, &action, NULL) != 0)
        return -1;
    server = server_new(options, &meter);
    if (server == NULL)
        return -1;
    printf("ready\n");
    (void)fflush(stdout);
    while (!host_is_stopped) {
        serve_once(server);
        if (host_is_asked) {
            host_is_asked = 0;
            host_print(server);
        }
    }
    server_fini(server);
    return 0;
}
