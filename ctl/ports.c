#include "ctl/ports.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/address.h"

/* As the servers bind: one of TCP may find connections of the last run that are still closing. */
static int bind_to(int fd, enum ports_kind kind, const struct sockaddr_storage *to, socklen_t size)
{
    const int on = 1;

    if (kind == PORTS_TCP && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        return -1;
    return bind(fd, (const struct sockaddr *)to, size);
}

static uint16_t bound_port(int fd)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    struct address address;

    if (getsockname(fd, (struct sockaddr *)&bound, &size) != 0 || !address_from_sockaddr(&address, &bound))
        return 0;
    return address.port;
}

uint16_t ports_hold(struct ports *ports, enum ports_kind kind, const char *address, uint16_t port)
{
    int family = strchr(address, ':') == NULL ? AF_INET : AF_INET6;
    struct sockaddr_storage to;
    struct address parsed;
    socklen_t size;
    int error;
    int fd;

    errno = EINVAL;
    if (ports->count == PORTS_MAX || !address_parse(&parsed, address, port))
        return 0;
    size = address_to_sockaddr(&parsed, family, &to);
    fd = socket(family, (kind == PORTS_UDP ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    /* A server on the port is noticed when it is listened on, if not before. */
    if (bind_to(fd, kind, &to, size) == 0 && (kind == PORTS_UDP || listen(fd, 1) == 0)) {
        ports->held[ports->count++] = fd;
        return bound_port(fd);
    }
    error = errno;
    close(fd);
    errno = error;
    return 0;
}

void ports_release(struct ports *ports)
{
    while (ports->count > 0)
        close(ports->held[--ports->count]);
}
