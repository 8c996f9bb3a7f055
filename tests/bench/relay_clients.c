#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "common/clock.h"
#include "tests/bench/relay.h"

enum {
    BATCH = 64, /* datagrams a receive */
    EVENTS_MAX = 256,
};

struct clients {
    struct relay_crowd *crowd;
    int epoll_fd;
    int fds[RELAY_CLIENTS_MAX];
    struct mmsghdr messages[BATCH];
    struct iovec parts[BATCH];
    uint8_t data[BATCH][2048];
    _Alignas(struct cmsghdr) uint8_t control[BATCH][CMSG_SPACE(sizeof(struct timespec))];
};

static int open_client(uint32_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int on = 1;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
        return -1;
    relay_set_buffers(fd);
    return fd;
}

/* When the kernel received it. */
static uint64_t stamp_ns(struct msghdr *message)
{
    struct timespec stamp = { 0 };

    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_TIMESTAMPNS)
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    }
    return (uint64_t)stamp.tv_sec * 1000000000 + (uint64_t)stamp.tv_nsec;
}

/* Once a readable; what has come meanwhile makes the next one. */
static void client_receive(struct clients *clients, int fd)
{
    int count;

    for (size_t i = 0; i < BATCH; i++) {
        clients->parts[i] =
            (struct iovec){ .iov_base = clients->data[i], .iov_len = sizeof clients->data[i] };
        clients->messages[i].msg_hdr = (struct msghdr){ .msg_iov = &clients->parts[i],
                                                        .msg_iovlen = 1,
                                                        .msg_control = clients->control[i],
                                                        .msg_controllen = sizeof clients->control[i] };
    }
    count = recvmmsg(fd, clients->messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) {
        relay_crowd_heard(clients->crowd, clients->data[i], clients->messages[i].msg_len,
                          stamp_ns(&clients->messages[i].msg_hdr));
    }
}

/* False: nothing came until then. */
static bool wait_and_receive(struct clients *clients, uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MAX];
    struct timespec wait = relay_until(until_ns);
    int count = epoll_pwait2(clients->epoll_fd, events, EVENTS_MAX, &wait, NULL);

    for (int i = 0; i < count; i++)
        client_receive(clients, clients->fds[events[i].data.u32]);
    return count > 0;
}

static int open_clients(struct clients *clients)
{
    uint32_t count = clients->crowd->options->clients;
    uint32_t port = atomic_load(&clients->crowd->meter->port);

    clients->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (clients->epoll_fd < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        clients->fds[i] = open_client(port);
        if (clients->fds[i] < 0 || relay_watch(clients->epoll_fd, clients->fds[i], i) != 0)
            return -1;
    }
    return 0;
}

/* The sockets end with the process. */
int relay_plain_clients(struct relay_crowd *crowd)
{
    static struct clients clients;
    uint8_t frame[RELAY_FRAME_SIZE_MAX];
    size_t size;
    uint32_t client;
    uint64_t now_ns;

    clients.crowd = crowd;
    if (open_clients(&clients) != 0)
        return -1;
    do {
        (void)wait_and_receive(&clients, relay_crowd_wakes_at_ns(crowd));
        now_ns = clock_ns();
        while (relay_crowd_due(crowd, now_ns, &client, frame, &size))
            (void)send(clients.fds[client], frame, size, MSG_DONTWAIT); /* a lost one is a lost one */
    } while (relay_crowd_goes_on(crowd, now_ns));
    while (wait_and_receive(&clients, clock_ns() + RELAY_QUIET_MS * 1000000ULL))
        ;
    return 0;
}
