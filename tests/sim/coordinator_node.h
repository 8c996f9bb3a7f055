/* coordinator_node.h - who hands out ids and slots in the simulated cluster: a stand-in with the
 * coordinator's bus face.
 *
 * It does what gateways and shards need of a coordinator while nobody dies: the map, the settings, joins,
 * the list of players, vehicle ids and broadcasts in one order. It stores nothing and refuses nobody. */
#ifndef DLMP_TESTS_SIM_COORDINATOR_NODE_H
#define DLMP_TESTS_SIM_COORDINATOR_NODE_H

#include "tests/sim/node.h"

struct coordinator_node;

struct coordinator_node *coordinator_node_new(uint32_t slots);
void coordinator_node_free(struct coordinator_node **node);
const struct core_face *coordinator_node_face(void);

#endif
