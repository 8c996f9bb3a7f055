#include "bots/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum { ENTRY_MAX = 300 }; /* a host name of 255, brackets and a port */

static bool split(char *entry, char **host, char **port)
{
    char *colon = strrchr(entry, ':');

    if (colon == NULL || colon == entry || colon[1] == '\0' ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return false;
    *colon = '\0';
    *port = colon + 1;
    *host = entry;
    if (entry[0] == '[' && colon[-1] == ']') {
        colon[-1] = '\0';
        *host = entry + 1;
    }
    return true;
}

static bool resolve_one(char *entry, struct endpoint *endpoint, char *why, size_t why_size)
{
    const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_DGRAM,
                                    .ai_flags = AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    char *host;
    char *port;
    int status;

    if (!split(entry, &host, &port)) {
        (void)snprintf(why, why_size, "'%s' is no HOST:PORT", entry);
        return false;
    }
    status = getaddrinfo(host, port, &hints, &found);
    if (status != 0) {
        (void)snprintf(why, why_size, "there is no server '%s': %s", host, gai_strerror(status));
        return false;
    }
    memcpy(&endpoint->address, found->ai_addr, found->ai_addrlen);
    endpoint->size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

size_t resolve_list(const char *list, struct endpoint endpoints[RESOLVE_MAX], char *why, size_t why_size)
{
    size_t count = 0;

    for (const char *at = list;; at++) {
        size_t size = strcspn(at, ",");
        char entry[ENTRY_MAX];

        if (size >= sizeof entry || count == RESOLVE_MAX) {
            (void)snprintf(why, why_size, "--server names too much");
            return 0;
        }
        memcpy(entry, at, size);
        entry[size] = '\0';
        if (!resolve_one(entry, &endpoints[count], why, why_size))
            return 0;
        count++;
        at += size;
        if (*at == '\0')
            return count;
    }
}

bool resolve_is_loopback4(const struct endpoint *endpoint)
{
    struct sockaddr_in address;

    if (endpoint->address.ss_family != AF_INET)
        return false;
    memcpy(&address, &endpoint->address, sizeof address);
    return ntohl(address.sin_addr.s_addr) >> 24 == 127;
}

struct endpoint resolve_local(uint8_t block, uint32_t n)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    struct endpoint endpoint = { .size = sizeof address };

    address.sin_addr.s_addr =
        htonl(UINT32_C(127) << 24 | (uint32_t)block << 16 | n / 250 << 8 | (n % 250 + 1));
    memcpy(&endpoint.address, &address, sizeof address);
    return endpoint;
}
