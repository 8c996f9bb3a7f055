/* lanes.h - how anything is sent: to a player, to an entity's observers, to everyone.
 *
 * All packets go through here, for this is where lanes are counted. The gateway gives events their ids;
 * the shard counts how many it has sent a player less how many were acked, and refuses droppable ones at
 * 256 itself, since it must know whether one was queued: what follows a show goes out only with the show.
 *
 * An entity's observers are a group: each gateway has its own part of them, changed by deltas that stand
 * in the outbox before the packet that needs them. Players whose gateway is down are sent nothing.
 *
 * Spec: Protocol, "Reliable event lane"; design.md, "The bus". */
#ifndef DLMP_SHARD_LANES_H
#define DLMP_SHARD_LANES_H

#include "shard/shard.h"

enum {
    LANE_DROPPABLE_MAX = 256, /* Protocol, "Reliable event lane" */
    LANE_SHOWS_MAX = 128,     /* Player, Streaming: new shows begin only below it */
};

/* Is there anybody to send it to? */
bool lane_is_reachable(const struct shard *shard, const struct player *player);
/* May a new show begin? */
bool lane_takes_shows(const struct shard *shard, const struct player *player);
/* Would a droppable event be queued? */
bool lane_takes_droppable(const struct shard *shard, const struct player *player);

/* What the gateway has reported. */
void lane_on_acked(struct lane *lane, uint32_t event_id);

/* False: refused, it will not arrive. A critical one is refused only if the player cannot be reached. */
bool send_unreliable(struct shard *shard, struct player *player, const uint8_t *packet, size_t size);
bool send_droppable(struct shard *shard, struct player *player, const uint8_t *packet, size_t size);
bool send_critical(struct shard *shard, struct player *player, const uint8_t *packet, size_t size);

/* To all observers. `except`: an observer that is left out, or NULL. */
void send_group_unreliable(struct shard *shard, struct group *group, const struct player *except,
                           const uint8_t *packet, size_t size);
/* An action of the sender: its teammates are told that they are (Combat, "Damage groups and relations"). */
void send_group_relay(struct shard *shard, struct group *group, const struct player *sender,
                      const struct player *except, const uint8_t *packet, size_t size);
/* Likewise, with a block of its own for some: `fill` says what the observer gets at the block's place.
 * False: what the packet has. */
struct send_block {
    bool (*fill)(void *context, const struct player *observer, uint8_t *block);
    void *context;
    size_t size;
};
void send_group_relay_each(struct shard *shard, struct group *group, const struct player *sender,
                           const uint8_t *packet, size_t size, const struct send_block *block);
void send_group_critical(struct shard *shard, struct group *group, const uint8_t *packet, size_t size);
void send_group_critical_except(struct shard *shard, struct group *group, const struct player *except,
                                const uint8_t *packet, size_t size);
/* To all whose lane takes it. */
void send_group_droppable(struct shard *shard, struct group *group, const uint8_t *packet, size_t size);

void group_add(struct shard *shard, struct group *group, const struct player *player);
void group_remove(struct shard *shard, struct group *group, const struct player *player);
/* The entity is gone: all gateways forget the group. */
void group_clear(struct shard *shard, struct group *group);
/* A gateway has come back: it gets the group anew. */
/* The gateway forgets every group that it was told of. */
void group_reset_all(struct shard *shard, unsigned gateway);
void group_resend(struct shard *shard, const struct group *group, unsigned gateway);

#endif
