/* orders.h - what operators want of resources, and how these stand.
 *
 * An order comes from the coordinator and is carried out at once; the answer says whether it was, and how all
 * resources stand then. What operators wished before this shard came is told anew by every coordinator and
 * changes nothing that is so already; what the watchdog has turned off it leaves off. */
#ifndef DLMP_SHARD_SCRIPT_ORDERS_H
#define DLMP_SHARD_SCRIPT_ORDERS_H

#include "gen/bus.pb-c.h"

struct script;

void orders_on_order(struct script *script, const Bus__ResourceOrder *order);
/* Tells a coordinator that has just come. */
void orders_report(struct script *script);

#endif
