/* couplings.h - what the game itself hitches to what, and what its magnets take.
 *
 * Spec: Vehicles: VehicleTow, VehicleWinch. */
#ifndef DLMP_SHARD_TABLES_COUPLINGS_H
#define DLMP_SHARD_TABLES_COUPLINGS_H

#include "shard/tables/models.h"

/* The winch that a gamemode has given a helicopter. */
enum winch { WINCH_NONE, WINCH_MAGNET, WINCH_SMALL_MAGNET };

bool coupling_hitches(const struct model *tractor, const struct model *trailer);
bool coupling_lifts(enum winch winch, const struct model *load);

#endif
