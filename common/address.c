#include "common/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "common/cursor.h"

enum { IPV4_AT = 12 }; /* where the IPv4 address lies in a mapped one */

static const uint8_t mapped_prefix[IPV4_AT] = { [10] = 0xFF, [11] = 0xFF };

_Static_assert(ADDRESS_TEXT_SIZE >= INET6_ADDRSTRLEN + sizeof "[]:65535" - 1, "the longest text fits");

bool address_same_ip(const struct address *a, const struct address *b)
{
    return memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool address_equal(const struct address *a, const struct address *b)
{
    return a->port == b->port && address_same_ip(a, b);
}

bool address_is_ipv4(const struct address *address)
{
    return memcmp(address->ip, mapped_prefix, sizeof mapped_prefix) == 0;
}

/* SipHash: senders choose their ports and often their addresses, but without the key nobody can choose those
 * that meet in one bucket. */
uint32_t address_hash(const struct address *address, uint64_t key)
{
    uint8_t message[sizeof address->ip + 2];
    uint8_t long_key[crypto_shorthash_KEYBYTES];
    uint8_t hash[crypto_shorthash_BYTES];

    memcpy(message, address->ip, sizeof address->ip);
    store_u16(message + sizeof address->ip, address->port);
    store_u64(long_key, key);
    store_u64(long_key + 8, ~key);
    (void)crypto_shorthash(hash, message, sizeof message, long_key);
    return load_u32(hash);
}

bool address_from_sockaddr(struct address *address, const struct sockaddr_storage *from)
{
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)from;

        memcpy(address->ip, mapped_prefix, sizeof mapped_prefix);
        memcpy(address->ip + IPV4_AT, &in->sin_addr, sizeof in->sin_addr);
        address->port = ntohs(in->sin_port);
        return true;
    }
    if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

        memcpy(address->ip, &in6->sin6_addr, sizeof address->ip);
        address->port = ntohs(in6->sin6_port);
        return true;
    }
    return false;
}

socklen_t address_to_sockaddr(const struct address *address, int family, struct sockaddr_storage *to)
{
    *to = (struct sockaddr_storage){ 0 };
    if (family == AF_INET && address_is_ipv4(address)) {
        struct sockaddr_in *in = (struct sockaddr_in *)to;

        in->sin_family = AF_INET;
        in->sin_port = htons(address->port);
        memcpy(&in->sin_addr, address->ip + IPV4_AT, sizeof in->sin_addr);
        return sizeof *in;
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;

    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(address->port);
    memcpy(&in6->sin6_addr, address->ip, sizeof address->ip);
    return sizeof *in6;
}

static const char *write_ip(const struct address *address, char text[INET6_ADDRSTRLEN])
{
    const char *written = address_is_ipv4(address)
                              ? inet_ntop(AF_INET, address->ip + IPV4_AT, text, INET6_ADDRSTRLEN)
                              : inet_ntop(AF_INET6, address->ip, text, INET6_ADDRSTRLEN);

    assert(written != NULL);
    return written;
}

char *address_format(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    char ip[INET6_ADDRSTRLEN];

    (void)snprintf(text, ADDRESS_TEXT_SIZE, address_is_ipv4(address) ? "%s:%u" : "[%s]:%u",
                   write_ip(address, ip), (unsigned)address->port);
    return text;
}

char *address_format_ip(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    char ip[INET6_ADDRSTRLEN];

    (void)snprintf(text, ADDRESS_TEXT_SIZE, "%s", write_ip(address, ip));
    return text;
}

bool address_parse(struct address *address, const char *text, uint16_t port)
{
    struct address parsed = { .port = port };

    if (inet_pton(AF_INET, text, parsed.ip + IPV4_AT) == 1)
        memcpy(parsed.ip, mapped_prefix, sizeof mapped_prefix);
    else if (inet_pton(AF_INET6, text, parsed.ip) != 1)
        return false;
    *address = parsed;
    return true;
}
