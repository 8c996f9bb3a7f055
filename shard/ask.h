/* ask.h - what gamemodes have their shard ask of the coordinator: events for all shards, storage, bans; and
 * of a gateway: kicks.
 *
 * What a player's reliable item makes a shard ask carries the item's number and which of the things it asked
 * for this is, so that an item that is replayed after the shard has died asks for nothing twice. Nothing here
 * waits: answers come through the hooks (event.h), also when the coordinator goes away.
 *
 * Spec: gamemode API, broadcast, kv_…, kick, ban; design.md, "Streaming and checkpoints". */
#ifndef DLMP_SHARD_ASK_H
#define DLMP_SHARD_ASK_H

#include "common/cursor.h"
#include "common/reason.h"
#include "common/ring.h"
#include "gen/bus.pb-c.h"
#include "proto/game.h"
#include "shard/world.h"

struct shard;

enum {
    ASK_KV_MAX = 1024,       /* ours: what may be asked and not answered yet */
    ASK_KICK_TEXT_MAX = 127, /* Connection: KickNotify */
};

/* Connection, "Disconnect": what a gamemode may send a player away with. */
enum kick_reason { KICK_KICKED = 2, KICK_BANNED = 3 };

struct asking {
    struct player_ref player; /* of the item that is being handled; token 0: none is */
    uint64_t number;
    uint32_t index;
    struct ring kv; /* of answers that are awaited, a number after the other */
    uint64_t kv_first;
};

/* -1: no memory. */
int asking_init(struct asking *asking);
void asking_fini(struct asking *asking);

/* From here on things are asked for because of this item; and because of none. */
void asking_begin(struct asking *asking, struct player_ref player, uint64_t number);
void asking_end(struct asking *asking);
/* The item's number, for something that must not be done twice; NULL: no item made it. */
Bus__Cause *asking_cause(struct shard *shard);

/* ---- an event of the resource itself, on every shard */

enum reason ask_broadcast(struct shard *shard, const char *resource, const char *name, struct span arguments);
void ask_on_event(struct shard *shard, const Bus__ScriptEvent *event);

/* ---- storage */

struct kv_result {
    bool is_ok;
    bool has_value; /* of a get, if there is one; of an incr the new one */
    struct kv_value value;
};

/* `request`: the number under which the answer comes. */
enum reason ask_kv_get(struct shard *shard, const char *resource, struct span key, uint64_t *request);
enum reason ask_kv_set(struct shard *shard, const char *resource, struct span key,
                       const struct kv_value *value, uint64_t *request);
enum reason ask_kv_incr(struct shard *shard, const char *resource, struct span key, int64_t by,
                        uint64_t *request);
enum reason ask_kv_del(struct shard *shard, const char *resource, struct span key, uint64_t *request);
void ask_on_kv(struct shard *shard, const Bus__KvAnswer *answer);
/* The coordinator is another one, or gone: what was asked of it is answered that it could not be done. */
void ask_on_coordinator_lost(struct shard *shard);

/* ---- players */

/* The gateway sends it away, once it has told it why. */
enum reason player_kick(struct shard *shard, const struct player *player, enum kick_reason reason,
                        const char *text);
/* Its address, name and account may not come in for so long; 0: for good. */
enum reason player_ban(struct shard *shard, const char *resource, const struct player *player,
                       const char *text, uint64_t seconds);
/* Has the gateway end a connection that this shard cannot serve: its client must not wait for ever. */
void player_send_away(struct shard *shard, uint8_t gateway, struct player_ref ref, const char *text);

#endif
