/* net.h - the gateway's UDP socket.
 *
 * Receives in batches, and whole trains of datagrams where the kernel joins them (UDP_GRO). Sends what the
 * core left in its egress: a run of equally long datagrams as one send that the kernel cuts (UDP_SEGMENT),
 * the rest in batches. Where the kernel lacks one of these, plainer calls do.
 *
 * When several datagrams for each recipient can be expected within a few milliseconds, they are waited for:
 * one send for ten datagrams costs a fifth of ten. What arrives waits, unread, until about ten for each
 * recipient have come: one message crosses the bus and one answer comes back for all of it. Waiting only
 * before the send would leave a wake-up of every thread on the way to each. Where what is to be sent comes in
 * many bursts all the same, from the rounds of other gateways, sending waits as well. Either window opens
 * with the first datagram that waits.
 *
 * A datagram that the socket does not take is dropped and counted: frames are old by the next loop iteration,
 * and events stay in their lanes. */
#ifndef DLMP_GATEWAY_NET_H
#define DLMP_GATEWAY_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "gateway/core.h"

struct net_config {
    const char *address; /* to listen on: "0.0.0.0", "::" (IPv4 as well), "127.0.0.1" */
    uint16_t port;       /* 0: any */
    uint32_t reading_us; /* the longest that what arrives waits for more; 0: never */
    uint32_t sending_us; /* the longest that what is sent waits for more; 0: never */
    bool plain;          /* only calls that send or receive one datagram */
};

struct net_stats {
    uint64_t receives; /* system calls */
    uint64_t sends;
    uint64_t segmented; /* datagrams sent with UDP_SEGMENT */
    uint64_t windows;   /* times that receiving or sending waited */
};

struct net;
struct event_base; /* libevent's */

/* Reads from the event base's next loop on, and hands what it reads to the gateway. NULL: the address cannot
 * be listened on; that was logged. */
struct net *net_open(const struct net_config *config, struct gateway *gateway, struct event_base *base);
void net_close(struct net **net);

uint16_t net_port(const struct net *net);

/* Once a loop iteration: sends what the gateway has to send, or waits with it. */
void net_flush(struct net *net);

const struct net_stats *net_stats(const struct net *net);

#endif
