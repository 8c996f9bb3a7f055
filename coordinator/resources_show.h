/* resources_show.h - orders for resources and how these stand, as an operator's tools read them. */
#ifndef DLMP_COORDINATOR_RESOURCES_SHOW_H
#define DLMP_COORDINATOR_RESOURCES_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct coordinator;

/* {"resources":[{"shard","name","state","error"}],"wishes":[{"name","wish"}]} */
void resources_show(const struct coordinator *coordinator, FILE *out);
/* {"order","op","resource","done","ok","shards":[{"shard","state","error"}]}. False: there is none. */
bool resources_show_order(const struct coordinator *coordinator, uint64_t number, FILE *out);

#endif
