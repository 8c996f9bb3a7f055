/* vehicle_links.h - what hangs on what: trailers on tractors, loads on the winches of helicopters.
 *
 * A vehicle hangs on at most one other and at most one hangs on it, so links make chains. A chain has no loop
 * and at most VEHICLE_CHAIN_MAX links; whatever of it is asked for is found in so many steps.
 *
 * A link is told to the observers of what hangs; its other end is only named there. Both ends are changed
 * together, by vehicle_hitch.c and vehicle_winch.c alone.
 *
 * Spec: Vehicles: VehicleTow, VehicleWinch. */
#ifndef DLMP_SHARD_VEHICLE_LINKS_H
#define DLMP_SHARD_VEHICLE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Vehicles: VehicleTow: a tractor and four behind it (RULES.md, D-20). */
enum { VEHICLE_CHAIN_MAX = 4 };

/* Of a vehicle: ids; WIRE_NONE: none. */
struct vehicle_links {
    uint32_t tractor_id;
    uint32_t trailer_id;
    uint32_t lifter_id;
    uint32_t load_id;
};

/* What happens to a vehicle that its links may not outlive. */
enum links_why {
    LINKS_DRIVEN,    /* a driver got in: it is no trailer any more */
    LINKS_OCCUPIED,  /* somebody got into any seat: it is no load any more */
    LINKS_REMOTE,    /* somebody drives it remotely: it is neither */
    LINKS_WINCH,     /* its winch was removed or changed: it carries nothing any more */
    LINKS_SCOPE,     /* it goes to another scope, with all that hangs on it: it hangs on nothing any more */
    LINKS_TRANSFORM, /* it is put, turned or frozen: both ends of everything */
    LINKS_WRECK,     /* likewise, and from here on nobody drives it remotely */
    LINKS_RESPAWN,
    LINKS_REMOVAL,
};

struct shard;
struct world;
struct vehicle;

/* NULL: none. */
struct vehicle *vehicle_tractor(const struct world *world, const struct vehicle *vehicle);
struct vehicle *vehicle_trailer(const struct world *world, const struct vehicle *vehicle);
struct vehicle *vehicle_lifter(const struct world *world, const struct vehicle *vehicle);
struct vehicle *vehicle_load(const struct world *world, const struct vehicle *vehicle);

/* What the vehicle hangs on, be it tractor or helicopter, and what hangs on it. NULL: nothing. */
struct vehicle *vehicle_holder(const struct world *world, const struct vehicle *vehicle);
struct vehicle *vehicle_hanging(const struct world *world, const struct vehicle *vehicle);
bool vehicle_is_hitched(const struct vehicle *vehicle); /* at either end */

/* The end of the chain that hangs on nothing; a vehicle without links is its own. */
struct vehicle *vehicle_chain_top(const struct world *world, struct vehicle *vehicle);
/* All that hangs on the vehicle, nearest first. */
size_t vehicle_chain_below(const struct world *world, const struct vehicle *vehicle,
                           struct vehicle *below[VEHICLE_CHAIN_MAX]);
/* What a new link between the two would make of their chains. */
bool vehicle_chain_would_loop(const struct world *world, const struct vehicle *holder,
                              const struct vehicle *hanging);
bool vehicle_chain_would_fit(const struct world *world, const struct vehicle *holder,
                             const struct vehicle *hanging);

/* The server undoes by itself, without resource events, the links that the vehicle may not keep, and tells
 * whoever sees what hung. To be called by whoever does what the reason says. */
void vehicle_links_release(struct shard *shard, struct vehicle *vehicle, enum links_why why);

/* Of a vehicle that has just come into the world. */
void vehicle_links_init(struct vehicle_links *links);
/* Asserts what must hold. For world_check. */
void vehicle_links_check(const struct world *world, const struct vehicle *vehicle);

#endif
