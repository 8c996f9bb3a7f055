#include "gateway/net.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"

/* linux/udp.h; older C libraries do not have them. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum {
    NET_BATCH = 64,             /* ours: datagrams, or trains, a receive; messages a send */
    NET_ROUNDS_MAX = 8,         /* ours: receives a loop iteration, so that the bus gets its turn */
    NET_TRAIN_SIZE = 64 * 1024, /* the largest that UDP_GRO joins */
    NET_DATAGRAM_SIZE = 2048,   /* ours: enough to see that a datagram is longer than a packet */
    US_PER_S = 1000 * 1000,
    NET_BUFFER_SIZE = 8 * 1024 * 1024, /* ours: a second of a full gateway's datagrams */
};

struct net {
    struct gateway *gateway;
    int fd;
    int family;
    uint16_t port;
    uint32_t window_us;
    bool has_batches; /* recvmmsg and sendmmsg */
    bool has_segment;
    bool has_gro;
    struct event *readable;
    /* A timer of its own: libevent's go by a coarse clock, whose ticks are as long as the window. */
    int window_fd;
    struct event *window;
    uint64_t window_ends_us; /* 0: not waiting */
    struct net_stats stats;

    size_t in_size; /* of each of the buffers */
    uint8_t *in;
    struct mmsghdr in_messages[NET_BATCH];
    struct iovec in_parts[NET_BATCH];
    struct sockaddr_storage in_from[NET_BATCH];
    _Alignas(struct cmsghdr) uint8_t in_control[NET_BATCH][CMSG_SPACE(sizeof(int))];

    unsigned out_count; /* messages that wait for a full batch */
    struct mmsghdr out_messages[NET_BATCH];
    struct iovec out_parts[NET_BATCH];
    struct sockaddr_storage out_to[NET_BATCH];
    struct address out_last; /* whom the last of them is for */
};

/* ---- receiving */

static void prepare_receive(struct net *net, size_t i)
{
    net->in_parts[i] = (struct iovec){ .iov_base = net->in + i * net->in_size, .iov_len = net->in_size };
    net->in_messages[i].msg_hdr = (struct msghdr){ .msg_name = &net->in_from[i],
                                                   .msg_namelen = sizeof net->in_from[i],
                                                   .msg_iov = &net->in_parts[i],
                                                   .msg_iovlen = 1,
                                                   .msg_control = net->in_control[i],
                                                   .msg_controllen = sizeof net->in_control[i] };
}

/* How many messages have arrived; 0: none are left. */
static size_t receive(struct net *net)
{
    ssize_t size;

    net->stats.receives++;
    if (net->has_batches) {
        int count;

        for (size_t i = 0; i < NET_BATCH; i++)
            prepare_receive(net, i);
        count = recvmmsg(net->fd, net->in_messages, NET_BATCH, MSG_DONTWAIT, NULL);
        if (count >= 0 || errno != ENOSYS)
            return count > 0 ? (size_t)count : 0;
        net->has_batches = false;
    }
    prepare_receive(net, 0);
    size = recvmsg(net->fd, &net->in_messages[0].msg_hdr, MSG_DONTWAIT);
    if (size < 0)
        return 0;
    net->in_messages[0].msg_len = (unsigned)size;
    return 1;
}

/* Of a train of datagrams the length of each but the last; 0: it is a single one. */
static size_t segment_size(struct msghdr *message)
{
    int size = 0;

    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == IPPROTO_UDP && part->cmsg_type == UDP_GRO)
            memcpy(&size, CMSG_DATA(part), sizeof size);
    }
    return size > 0 ? (size_t)size : 0;
}

static void take_message(struct net *net, size_t i, uint64_t now_ms)
{
    struct span left = { net->in_parts[i].iov_base, net->in_messages[i].msg_len };
    size_t segment = segment_size(&net->in_messages[i].msg_hdr);
    struct address from;

    if (!address_from_sockaddr(&from, &net->in_from[i]))
        return;
    do {
        size_t size = segment > 0 && segment < left.size ? segment : left.size;

        gateway_on_datagram(net->gateway, now_ms, &from, (struct span){ left.data, size });
        left.data += size;
        left.size -= size;
    } while (left.size > 0);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct net *net = arg;
    uint64_t now_ms = clock_ms();
    size_t most = NET_BATCH;

    (void)fd;
    (void)what;
    for (int round = 0; round < NET_ROUNDS_MAX; round++) {
        size_t count = receive(net);

        for (size_t i = 0; i < count; i++)
            take_message(net, i, now_ms);
        if (!net->has_batches)
            most = 1;
        if (count < most)
            break;
    }
}

/* ---- sending */

/* What became of a send. */
enum sent { SENT, SENT_NOT, SOCKET_IS_FULL };

static enum sent judge_error(struct net *net, uint64_t datagrams)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
        return SOCKET_IS_FULL;
    /* An address that cannot be reached, a route that is gone, an ICMP error of an earlier datagram: this
     * one's loss. */
    gateway_count_unsent(net->gateway, REASON_SOCKET_ERROR, datagrams);
    return SENT_NOT;
}

/* Sends the messages that wait. False: the socket takes no more, and they are lost. */
static bool send_waiting(struct net *net)
{
    unsigned done = 0;

    while (done < net->out_count) {
        int count = 1;

        net->stats.sends++;
        if (net->has_batches)
            count = sendmmsg(net->fd, net->out_messages + done, net->out_count - done, MSG_DONTWAIT);
        else if (sendmsg(net->fd, &net->out_messages[done].msg_hdr, MSG_DONTWAIT) < 0)
            count = -1;
        if (count > 0) {
            done += (unsigned)count;
        } else if (net->has_batches && errno == ENOSYS) {
            net->has_batches = false;
        } else if (judge_error(net, 1) == SOCKET_IS_FULL) {
            gateway_count_unsent(net->gateway, REASON_SOCKET_FULL, net->out_count - done);
            net->out_count = 0;
            return false;
        } else {
            done++;
        }
    }
    net->out_count = 0;
    return true;
}

static bool send_later(struct net *net, const struct address *to, const uint8_t *data, size_t size)
{
    unsigned i;

    if (net->out_count == NET_BATCH && !send_waiting(net))
        return false;
    i = net->out_count++;
    net->out_parts[i] = (struct iovec){ .iov_base = (void *)data, .iov_len = size };
    net->out_messages[i].msg_hdr =
        (struct msghdr){ .msg_name = &net->out_to[i],
                         .msg_namelen = address_to_sockaddr(to, net->family, &net->out_to[i]),
                         .msg_iov = &net->out_parts[i],
                         .msg_iovlen = 1 };
    net->out_last = *to;
    return true;
}

/* One send that the kernel cuts into datagrams. SENT_NOT: it does not do that, or not for these. */
static enum sent send_segmented(struct net *net, const struct egress_run *run)
{
    struct sockaddr_storage to;
    struct iovec parts[EGRESS_RUN_MAX];
    _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
    struct msghdr message = { .msg_name = &to,
                              .msg_namelen = address_to_sockaddr(&run->to, net->family, &to),
                              .msg_iov = parts,
                              .msg_iovlen = run->count,
                              .msg_control = control,
                              .msg_controllen = sizeof control };
    struct cmsghdr *part = CMSG_FIRSTHDR(&message);
    uint16_t size = (uint16_t)run->size;

    part->cmsg_level = IPPROTO_UDP;
    part->cmsg_type = UDP_SEGMENT;
    part->cmsg_len = CMSG_LEN(sizeof size);
    memcpy(CMSG_DATA(part), &size, sizeof size);
    for (size_t i = 0; i < run->count; i++)
        parts[i] = (struct iovec){ .iov_base = (void *)run->data[i], .iov_len = run->size };
    net->stats.sends++;
    if (sendmsg(net->fd, &message, MSG_DONTWAIT) >= 0) {
        net->stats.segmented += run->count;
        return SENT;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
        return SOCKET_IS_FULL;
    /* The device cannot. Any other error, EINVAL of a narrow path say, is this recipient's alone. */
    if (errno == EIO || errno == EOPNOTSUPP || errno == ENOPROTOOPT) {
        LOG(WARN, "segmentation_unavailable", KV("err", strerror(errno)));
        net->has_segment = false;
    }
    return SENT_NOT;
}

/* False: the socket takes no more. */
static bool send_run(struct net *net, const struct egress_run *run)
{
    if (run->count > 1 && net->has_segment) {
        enum sent sent;

        /* What waits for the same recipient goes first: it may be of the lane, as these may. */
        if (net->out_count > 0 && address_equal(&net->out_last, &run->to) && !send_waiting(net))
            return false;
        sent = send_segmented(net, run);
        if (sent == SOCKET_IS_FULL)
            gateway_count_unsent(net->gateway, REASON_SOCKET_FULL, run->count);
        if (sent != SENT_NOT)
            return sent == SENT;
    }
    for (size_t i = 0; i < run->count; i++) {
        if (!send_later(net, &run->to, run->data[i], run->size)) {
            gateway_count_unsent(net->gateway, REASON_SOCKET_FULL, run->count - i);
            return false;
        }
    }
    return true;
}

static void send_all(struct net *net, struct egress *egress)
{
    struct egress_run run;
    bool takes = true;

    while (egress_take(egress, &run)) {
        if (takes)
            takes = send_run(net, &run);
        else
            gateway_count_unsent(net->gateway, REASON_SOCKET_FULL, run.count);
    }
    if (takes)
        (void)send_waiting(net); /* what it could not send it has counted */
    egress_clear(egress);
}

/* Wakes the loop when the window ends. */
static bool set_window(struct net *net, uint64_t ends_us)
{
    const struct itimerspec ends = { .it_value = { .tv_sec = (time_t)(ends_us / US_PER_S),
                                                   .tv_nsec = (long)(ends_us % US_PER_S) * 1000 } };

    return timerfd_settime(net->window_fd, TFD_TIMER_ABSTIME, &ends, NULL) == 0;
}

void net_flush(struct net *net)
{
    struct egress *egress = gateway_take_egress(net->gateway);
    uint64_t now_us;

    if (!egress_is_pending(egress))
        return;
    now_us = clock_us();
    if (net->window_ends_us == 0 && net->window_us > 0 && egress_is_worth_waiting(egress, net->window_us) &&
        set_window(net, now_us + net->window_us)) {
        net->window_ends_us = now_us + net->window_us;
        net->stats.windows++;
    }
    if (now_us < net->window_ends_us)
        return;
    net->window_ends_us = 0;
    send_all(net, egress);
}

/* Only wakes the loop: net_flush sends at the end of this iteration. */
static void on_window(evutil_socket_t fd, short what, void *arg)
{
    uint64_t times;

    (void)what;
    (void)arg;
    if (read(fd, &times, sizeof times) < 0 && errno != EAGAIN)
        LOG(ERROR, "window_timer_failed", KV("err", strerror(errno)));
}

/* ---- the socket */

/* As large as the system lets it be. */
static void set_buffer(int fd, int force_option, int option)
{
    int size = NET_BUFFER_SIZE;

    if (setsockopt(fd, SOL_SOCKET, force_option, &size, sizeof size) != 0 &&
        setsockopt(fd, SOL_SOCKET, option, &size, sizeof size) != 0)
        LOG(WARN, "socket_buffer_refused", KV("bytes", size), KV("err", strerror(errno)));
}

static int buffer_size(int fd, int option)
{
    int size = 0;
    socklen_t length = sizeof size;

    if (getsockopt(fd, SOL_SOCKET, option, &size, &length) != 0)
        return 0;
    return size;
}

static bool has_option(int fd, int option)
{
    int value = 0;
    socklen_t length = sizeof value;

    return getsockopt(fd, IPPROTO_UDP, option, &value, &length) == 0;
}

static bool open_socket(struct net *net, const struct net_config *config)
{
    struct address address;
    struct sockaddr_storage bound;
    socklen_t length;
    int on = 1;
    int off = 0;

    if (!address_parse(&address, config->address, config->port)) {
        LOG(ERROR, "udp_open_failed", KV("address", config->address),
            KV("err", "not an IPv4 or IPv6 address"));
        return false;
    }
    net->family = address_is_ipv4(&address) ? AF_INET : AF_INET6;
    net->fd = socket(net->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (net->fd < 0)
        goto fail;
    if (net->family == AF_INET6 && setsockopt(net->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)
        goto fail;
    length = address_to_sockaddr(&address, net->family, &bound);
    if (bind(net->fd, (struct sockaddr *)&bound, length) != 0)
        goto fail;
    length = sizeof bound;
    if (getsockname(net->fd, (struct sockaddr *)&bound, &length) != 0 ||
        !address_from_sockaddr(&address, &bound))
        goto fail;
    net->port = address.port;
    set_buffer(net->fd, SO_RCVBUFFORCE, SO_RCVBUF);
    set_buffer(net->fd, SO_SNDBUFFORCE, SO_SNDBUF);
    if (!config->plain) {
        net->has_segment = has_option(net->fd, UDP_SEGMENT);
        net->has_gro = setsockopt(net->fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0;
    }
    LOG(INFO, "udp_opened", KV("address", config->address), KV("port", net->port),
        KV("receive_bytes", buffer_size(net->fd, SO_RCVBUF)),
        KV("send_bytes", buffer_size(net->fd, SO_SNDBUF)), KV("segment", net->has_segment),
        KV("gro", net->has_gro));
    return true;

fail:
    LOG(ERROR, "udp_open_failed", KV("address", config->address), KV("port", config->port),
        KV("err", strerror(errno)));
    return false;
}

struct net *net_open(const struct net_config *config, struct gateway *gateway, struct event_base *base)
{
    struct net *net = calloc(1, sizeof *net);

    if (net == NULL)
        return NULL;
    net->fd = -1;
    net->window_fd = -1;
    net->gateway = gateway;
    net->window_us = config->window_us;
    net->has_batches = !config->plain;
    if (!open_socket(net, config))
        goto fail;
    net->in_size = net->has_gro ? NET_TRAIN_SIZE : NET_DATAGRAM_SIZE;
    net->in = malloc(NET_BATCH * net->in_size);
    net->readable = event_new(base, net->fd, EV_READ | EV_PERSIST, on_readable, net);
    net->window_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (net->window_fd >= 0)
        net->window = event_new(base, net->window_fd, EV_READ | EV_PERSIST, on_window, net);
    if (net->in == NULL || net->readable == NULL || net->window == NULL ||
        event_add(net->readable, NULL) != 0 || event_add(net->window, NULL) != 0)
        goto fail;
    return net;

fail:
    net_close(&net);
    return NULL;
}

void net_close(struct net **net)
{
    struct net *closed = *net;

    if (closed == NULL)
        return;
    *net = NULL;
    if (closed->readable != NULL)
        event_free(closed->readable);
    if (closed->window != NULL)
        event_free(closed->window);
    if (closed->window_fd >= 0)
        (void)close(closed->window_fd);
    if (closed->fd >= 0)
        (void)close(closed->fd);
    free(closed->in);
    free(closed);
}

uint16_t net_port(const struct net *net)
{
    return net->port;
}

const struct net_stats *net_stats(const struct net *net)
{
    return &net->stats;
}
