/* status.h - what the coordinator knows, as JSON for operators and their tools.
 *
 * Boot ids are texts of hexadecimal digits: they are 64 bits, and most readers of JSON keep 53. Whatever is
 * not known is null. */
#ifndef DLMP_COORDINATOR_STATUS_H
#define DLMP_COORDINATOR_STATUS_H

#include <stdio.h>

#include "coordinator/core.h"

/* The processes, the shards with their slots, the gateways with their rates, Redis, the map. */
void status_print(struct coordinator *coordinator, FILE *out);
/* Everybody who is here, by id. */
void status_print_players(const struct coordinator *coordinator, FILE *out);
/* The ban list and the allow list. */
void status_print_lists(const struct coordinator *coordinator, FILE *out);

#endif
