/* resolve.h - addresses of servers as people write them, and addresses of our own to reach them from. */
#ifndef DLMP_BOTS_RESOLVE_H
#define DLMP_BOTS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

struct endpoint {
    struct sockaddr_storage address;
    socklen_t size;
};

enum { RESOLVE_MAX = 64 }; /* ours: servers in one list */

/* "HOST:PORT,[::1]:7778,…". How many there are, 0 with the reason in `why`. */
size_t resolve_list(const char *list, struct endpoint endpoints[RESOLVE_MAX], char *why, size_t why_size);
/* 127.0.0.0/8, where all addresses are this machine's. */
bool resolve_is_loopback4(const struct endpoint *endpoint);
/* The n-th local address of a block within 127.0.0.0/8, with a port for the kernel to choose; n below
 * 60000. */
struct endpoint resolve_local(uint8_t block, uint32_t n);

#endif
