/* address.h - where a datagram came from: an IPv6 address, or an IPv4 one mapped into it, and a port.
 *
 * One fixed form for both families, so that it can be a table's key and travel on the bus as it is. */
#ifndef DLMP_COMMON_ADDRESS_H
#define DLMP_COMMON_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct address {
    uint8_t ip[16]; /* ::ffff:a.b.c.d for IPv4 */
    uint16_t port;  /* host order */
};

enum { ADDRESS_TEXT_SIZE = 56 }; /* "[…]:65535" and its terminator */

bool address_equal(const struct address *a, const struct address *b);
bool address_same_ip(const struct address *a, const struct address *b);
bool address_is_ipv4(const struct address *address);
uint32_t address_hash(const struct address *address, uint64_t key);

/* False: neither IPv4 nor IPv6. */
bool address_from_sockaddr(struct address *address, const struct sockaddr_storage *from);
/* As IPv4 where it is one and `family` is AF_INET, otherwise as IPv6. Returns the size written. */
socklen_t address_to_sockaddr(const struct address *address, int family, struct sockaddr_storage *to);

/* "127.0.0.1:7777", "[::1]:7777". Returns `text`. */
char *address_format(const struct address *address, char text[ADDRESS_TEXT_SIZE]);
/* Without the port: "127.0.0.1", "::1". Returns `text`. */
char *address_format_ip(const struct address *address, char text[ADDRESS_TEXT_SIZE]);
/* "127.0.0.1", "::1"; the port is set to `port`. False: no address. */
bool address_parse(struct address *address, const char *text, uint16_t port);

#endif
