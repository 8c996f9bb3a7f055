/* stream.h - who is shown what.
 *
 * An observer's set is computed anew every streaming tick, and at once after a spawn, a teleport, a scope
 * change or a change of seats: what it should be shown is looked up in the grids and compared with what it
 * has been shown. First come the hides; then new shows begin, nearest first, only while the lane has fewer
 * than 128 unacked events (the vehicle one sits in aside). What did not fit is found missing again by the
 * next tick. A hide that does not fit either is owed (world.h) and goes out as the lane empties.
 *
 * Both sides of a pair of players see it at the same moment: `stream_update` brings what an observer is
 * shown up to date, `stream_update_subject` who is shown a player.
 *
 * Spec: Player, "Streaming", "Scope changes"; Vehicles: VehicleSync, Streaming. */
#ifndef DLMP_SHARD_STREAM_H
#define DLMP_SHARD_STREAM_H

#include "shard/shard.h"

#define STREAM_RANGE_M 200.0f /* Player, Streaming; Vehicles: VehicleSync */

/* One that is to be shown. */
struct stream_show {
    float distance_squared;
    enum entity_kind kind;
    uint16_t slot;
};

/* Puts the player where it can be found, or takes it away, by its state. To be called when the state or
 * place changes. */
void stream_place_player(struct shard *shard, const struct player *player);

void stream_update(struct shard *shard, struct player *observer);
void stream_update_subject(struct shard *shard, struct player *subject);
/* A vehicle has been put somewhere else: who is shown it follows at once. */
void stream_update_vehicle(struct shard *shard, struct vehicle *vehicle);
/* Shows the vehicle anew to everyone it is shown to: a respawn. Who cannot be told now is hidden it, and
 * shown it by a later tick. */
void stream_show_again(struct shard *shard, struct vehicle *vehicle);
/* All observers, and the syncers of all vehicles. */
void stream_tick(struct shard *shard);

/* Sends owed hides while the lane takes them. True: none is owed any more. */
bool stream_send_owed(struct shard *shard, struct player *observer);

/* Hides everything from the player and the player from everybody, but for its own vehicle and those that are
 * in that scope already with it: it is on its way there, and they come along. */
void stream_hide_all(struct shard *shard, struct player *player, struct scope to);
/* Hides everything from the player, to be shown anew: it has been out of reach. */
void stream_start_again(struct shard *shard, struct player *player);
/* Out of everybody's sets and groups without a packet: the player is leaving, and PlayerLeave says so. */
void stream_forget_player(struct shard *shard, struct player *player);
/* Hides a vehicle that is about to be removed. */
void stream_hide_vehicle(struct shard *shard, struct vehicle *vehicle);
/* The vehicle is in another scope now: hides it from all but those who sit in a vehicle of that scope. */
void stream_hide_left_behind(struct shard *shard, struct vehicle *vehicle);

bool stream_has_vehicle(const struct shard *shard, const struct player *player,
                        const struct vehicle *vehicle);

#endif
