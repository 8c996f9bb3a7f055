/* vehicle_seat.h - who sits where, and who is told.
 *
 * A seat changes at once, and with it what all observers are told. What the gamemode is told of it
 * (player_enter_vehicle, player_exit_vehicle) waits in a queue until whoever changed the seat is done: a
 * handler may do anything, and nobody wants that in the middle of a death or a respawn. The queue is emptied
 * by vehicle_raise_seats, at the latest when the input has been handled.
 *
 * Spec: Vehicles: VehicleOccupancy; VehicleSync, Trains. */
#ifndef DLMP_SHARD_VEHICLE_SEAT_H
#define DLMP_SHARD_VEHICLE_SEAT_H

#include "shard/shard.h"

#define TRAIN_CARRIAGE_M 25.0f /* Vehicles: VehicleEnter: for every carriage up to the seat's */

/* One who gets in adds so much to the queue: its own exit, that of the driver it jacks, and its entry. All
 * else adds an exit for each player who sits somewhere. */
enum { SEAT_NEWS_OF_ONE = 3 };

enum seat_way { SEAT_ENTERED, SEAT_WARPED };

/* Gives the player the seat. Whoever has it is jacked; a seat of its own elsewhere it leaves first. Both must
 * be in the same scope, or the player on its way into the vehicle's (vehicle_put.h). */
void vehicle_seat_player(struct shard *shard, struct player *player, struct vehicle *vehicle, uint8_t seat,
                         enum seat_way way);
/* Frees the player's seat, if it has one, and tells everyone the vehicle is streamed to. */
void vehicle_unseat(struct shard *shard, struct player *player);
/* Likewise for all who sit in it. */
void vehicle_unseat_all(struct shard *shard, struct vehicle *vehicle);
/* Without a word, to the gamemode neither: the player is leaving, and PlayerLeave says so. */
void vehicle_unseat_silently(struct shard *shard, struct player *player);
/* Tells the gamemode who got in and out since the last time, in that order. Anything may be different
 * afterwards. */
void vehicle_raise_seats(struct shard *shard);

/* How much farther from the vehicle's position the seat is than the locomotive, in a train. */
float vehicle_seat_distance(const struct model *model, uint8_t seat);
/* To one observer: who sits there. */
void vehicle_send_seated(struct shard *shard, struct player *observer, const struct vehicle *vehicle,
                         uint8_t seat);
/* To the requester alone: it does not get the seat. There need not be such a vehicle. */
void vehicle_send_deny(struct shard *shard, struct player *player, uint32_t vehicle_id, uint8_t seat);

#endif
