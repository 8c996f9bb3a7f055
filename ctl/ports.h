/* ports.h - finding out, before anything is started, whether the ports of a cluster are free.
 *
 * A port is held until ports_release, so that two processes are not given the same one. */
#ifndef DLMP_CTL_PORTS_H
#define DLMP_CTL_PORTS_H

#include <stdint.h>

enum { PORTS_MAX = 256 };

enum ports_kind { PORTS_UDP, PORTS_TCP };

struct ports {
    int held[PORTS_MAX];
    int count;
};

/* Holds the port, or any free one for 0. The port; 0: errno says why not. */
uint16_t ports_hold(struct ports *ports, enum ports_kind kind, const char *address, uint16_t port);
void ports_release(struct ports *ports);

#endif
