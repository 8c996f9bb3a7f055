/* list.h - the players of the whole cluster, as every player's list shows them: entries, and who has left.
 *
 * The coordinator tells who is there and who has left, in one order for all shards. Of each player the
 * shard keeps which entries and which leaves it has not been told yet, a bit each, and tells them as the
 * lane allows: a new connection as many entries at once as keep it below 128 unacked events, then at most
 * 32 a tick; leaves below 256, first those of players it is shown, for the end of a gateway must not
 * overflow every lane.
 *
 * An id that is given to somebody new while a leave of its last owner is still to be told: the leave goes
 * out at once.
 *
 * Spec: Chat, PlayerListEntry; Connection, "Disconnect". */
#ifndef DLMP_SHARD_LIST_H
#define DLMP_SHARD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/bus.pb-c.h"
#include "shard/world.h"

struct shard;

enum {
    LIST_ENTRIES_A_TICK = 32, /* Chat: PlayerListEntry */
    LIST_PING_STEP_MS = 10,   /* likewise: a change of ping alone counts from there on */
    LIST_PING_ROUND_MS = 5,
    LIST_PING_EVERY_MS = 250, /* likewise: at most 4 a second, in turn */

    /* Ours: of all players, in turn. Each of thousands is told of thousands; 32 for each would take longer
     * than a tick is, and a shard that says nothing for 2 s is dead. */
    LIST_ENTRIES_IN_ALL = 8192,
};

struct list {
    struct listing {
        uint32_t token;      /* 0: nobody has the id */
        bool is_told;        /* since it began anew */
        uint32_t left_token; /* of its last owner; 0: there was none */
        uint8_t left_reason;
        uint16_t ping;
        uint32_t gone_token; /* of who had it on this shard last and left */
        uint32_t gone_seq;   /* its last frame */
        char name[PLAYER_NAME_MAX + 1];
    } * listings; /* by player id */
    uint32_t capacity;
    bool is_whole;      /* the coordinator has told of everybody since it began */
    uint32_t end;       /* no id at or above it was ever used */
    uint32_t ping_next; /* whose ping is looked at next */
    uint64_t ping_at_ms;
    uint32_t tell_next; /* of everyone: whose turn it is at the next tick */
};

/* -1: no memory; it may be closed as any other. */
int list_init(struct list *list, uint32_t capacity);
void list_fini(struct list *list);

/* From the coordinator. Where it begins anew it tells of everybody who is here, and not of who has left
 * meanwhile: those are the ones that it has not named once its map is whole. */
void list_on_begin(struct list *list);
void list_on_whole(struct shard *shard);
void list_on_listed(struct shard *shard, const Bus__PlayerListed *listed);
/* The coordinator has said that this player has left, or that a later one of its id has. */
bool list_has_left(const struct list *list, struct player_ref ref);
void list_on_left(struct shard *shard, const Bus__PlayerLeft *left);

/* A new connection: owes it everybody, and tells it as many as go at once. */
void list_greet(struct shard *shard, struct player *player);
/* The player is about to go: whoever is shown it will be told of its leave before others. */
void list_note_gone(struct shard *shard, const struct player *player);
/* Hides from it whoever left while it was shown, without the coordinator's word yet: a scope change does not
 * wait for that. True: as many as there were. */
bool list_hide_gone(struct shard *shard, struct player *player);
/* Does the player still have to be told that the one who had the id is gone, by a hide? Of no such one. */
bool list_owes_hide(const struct list *list, const struct player *player, uint32_t id,
                    struct owed_hide *hide);
/* Tells it what leaves its lane takes. True: none is owed of anybody whom it is still shown. */
bool list_tell_leaves(struct shard *shard, struct player *player);
void list_tick(struct shard *shard, uint64_t now_ms);

/* RGBA of a name, by the player's id. */
uint32_t list_color(uint32_t player_id);

#endif
