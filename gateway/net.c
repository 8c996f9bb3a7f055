#include "gateway/net.h"

#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/window.h"

/* linux/udp.h; older C libraries do not have them. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum {
    NET_BATCH = 64,                    /* ours: datagrams, or trains, a receive; messages a send */
    NET_ROUNDS_MAX = 8,                /* ours: receives a loop iteration, so that the bus gets its turn */
    NET_TRAIN_SIZE = 64 * 1024,        /* the largest that UDP_GRO joins */
    NET_DATAGRAM_SIZE = 2048,          /* ours: enough to see that a datagram is longer than a packet */
    NET_BUFFER_SIZE = 8 * 1024 * 1024, /* ours: a second of a full gateway's datagrams */
};

struct net {
    struct gateway *gateway;
    int fd;
    int family;
    uint16_t port;
    uint32_t reading_us; /* the longest windows */
    uint32_t sending_us;
    bool has_batches; /* recvmmsg and sendmmsg */
    bool has_segment;
    bool has_gro;
    struct event *readable; /* not added while `reading` is open */
    struct window reading;
    struct window sending;
    bool is_waiting; /* what is to be sent has had its window */
    bool is_flooded; /* the last time there was more to read than a batch, or than was read */
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

static void receive_all(struct net *net)
{
    uint64_t now_ms = clock_ms();
    size_t most = NET_BATCH;
    size_t total = 0;
    bool may_be_more = true;

    for (int round = 0; may_be_more && round < NET_ROUNDS_MAX; round++) {
        size_t count = receive(net);

        for (size_t i = 0; i < count; i++)
            take_message(net, i, now_ms);
        total += count;
        if (!net->has_batches)
            most = 1;
        may_be_more = count == most;
    }
    net->is_flooded = may_be_more || total > NET_BATCH;
}

/* Where what arrives is worth waiting for, so it is before it has cost anything: a datagram that is read at
 * once wakes this process, libzmq's threads and the shard's, twice each, whatever it brings. Under a flood
 * the loop is late enough by itself, and the socket's buffer would not hold more. */
static bool hold(struct net *net)
{
    uint32_t length_us = egress_gathers_in_us(gateway_take_egress(net->gateway));

    if (length_us > net->reading_us)
        length_us = net->reading_us;
    if (length_us == 0 || net->is_flooded || !window_open(&net->reading, clock_us(), length_us))
        return false;
    if (event_del(net->readable) != 0)
        return false;
    net->stats.windows++;
    return true;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct net *net = arg;

    (void)fd;
    (void)what;
    if (!hold(net))
        receive_all(net);
}

static void on_reading_end(void *context)
{
    struct net *net = context;

    receive_all(net);
    if (event_add(net->readable, NULL) != 0)
        LOG(ERROR, "udp_event_failed", KV("err", strerror(errno)));
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

void net_flush(struct net *net)
{
    struct egress *egress = gateway_take_egress(net->gateway);
    uint64_t now_us;

    if (!egress_is_pending(egress))
        return;
    now_us = clock_us();
    egress_end_burst(egress);
    if (!net->is_waiting && egress_is_scattered(egress, net->sending_us) &&
        window_open(&net->sending, now_us, net->sending_us)) {
        net->is_waiting = true;
        net->stats.windows++;
    }
    if (window_is_open(&net->sending, now_us))
        return;
    net->is_waiting = false;
    send_all(net, egress);
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
    int why;

    if (!address_parse(&address, config->address, config->port)) {
        LOG(ERROR, "udp_open_failed", KV("address", config->address),
            KV("err", "not an IPv4 or IPv6 address"));
        errno = EINVAL;
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
    why = errno;
    LOG(ERROR, "udp_open_failed", KV("address", config->address), KV("port", config->port),
        KV("err", strerror(why)));
    errno = why;
    return false;
}

struct net *net_open(const struct net_config *config, struct gateway *gateway, struct event_base *base)
{
    struct net *net = calloc(1, sizeof *net);
    bool has_windows;

    if (net == NULL)
        return NULL;
    net->fd = -1;
    net->gateway = gateway;
    net->reading_us = config->reading_us;
    net->sending_us = config->sending_us;
    net->has_batches = !config->plain;
    has_windows = window_init(&net->reading, base, on_reading_end, net);
    has_windows = window_init(&net->sending, base, NULL, NULL) && has_windows;
    if (!has_windows || !open_socket(net, config))
        goto fail;
    net->in_size = net->has_gro ? NET_TRAIN_SIZE : NET_DATAGRAM_SIZE;
    net->in = malloc(NET_BATCH * net->in_size);
    net->readable = event_new(base, net->fd, EV_READ | EV_PERSIST, on_readable, net);
    if (net->in == NULL || net->readable == NULL || event_add(net->readable, NULL) != 0)
        goto fail;
    return net;

fail:
    net_close(&net);
    return NULL;
}

void net_close(struct net **net)
{
    struct net *closed = *net;
    int why = errno; /* of net_open's failure */

    if (closed == NULL)
        return;
    *net = NULL;
    if (closed->readable != NULL)
        event_free(closed->readable);
    window_fini(&closed->reading);
    window_fini(&closed->sending);
    if (closed->fd >= 0)
        (void)close(closed->fd);
    free(closed->in);
    free(closed);
    errno = why;
}

uint16_t net_port(const struct net *net)
{
    return net->port;
}

const struct net_stats *net_stats(const struct net *net)
{
    return &net->stats;
}
