/* shard_stage.h - a shard to test: its core, driven by bus items on virtual time.
 *
 * The stage plays the coordinator, two gateways and their clients. It keeps each gateway's groups and each
 * client's view as the items in the outbox make them, acks what clients receive, and after every step
 * walks the shard's world (world_check) and requires of each view what a client relies on: a frame only of
 * what has been shown, seats only in shown vehicles, nothing of one scope after the barrier of the next,
 * events only to recipients that exist. */
#ifndef DLMP_TESTS_UNIT_SHARD_STAGE_H
#define DLMP_TESTS_UNIT_SHARD_STAGE_H

#include <check.h>

#include "gen/wire.h"
#include "shard/shard.h"

enum {
    STAGE_GATEWAYS = 2,
    STAGE_CLIENTS = 400,
    STAGE_LOG = 4096,
    STAGE_SHOWN = 512,
    STAGE_PEER_COORDINATOR = 7, /* peers are any numbers */
    STAGE_PEER_GATEWAY = 20,    /* and the next */
    STAGE_GREETING = 3,         /* events of every new connection: RunClock, SetTime, SetWeather */
    STAGE_ASKED = 64,
};

#define STAGE_START_MS UINT64_C(1000000)

struct stage_packet {
    bool taken;
    Bus__Send__Class delivery;
    uint16_t size;
    uint8_t bytes[600];
};

struct stage_client {
    struct stage *stage;
    bool used;
    uint8_t gateway;
    uint32_t id;
    uint32_t token;
    uint64_t fence;
    uint64_t item;     /* number of its last reliable item */
    uint32_t received; /* events */
    uint32_t acked;
    bool silent; /* it acks nothing */
    uint32_t rtt_ms;
    bool kicked;

    /* What the client knows from the server. */
    uint8_t life;
    uint16_t pose_rev;
    float pos[3];
    uint32_t seq;
    uint32_t vehicle_seq;
    uint32_t players[STAGE_SHOWN]; /* shown: ids */
    size_t players_count;
    uint32_t player_tokens[STAGE_CLIENTS]; /* by id, of those */
    uint32_t vehicles[STAGE_SHOWN];
    size_t vehicles_count;
    bool seated;

    struct stage_packet *log; /* what it has received and no test has taken */
    size_t log_count;
};

struct stage {
    struct shard *shard;
    uint64_t now_ms;
    uint32_t next_id; /* of vehicles, for the lease */
    bool leases;      /* answers the shard's IdLease */
    uint32_t leases_asked;
    uint64_t map_revision;
    struct scope spawns[4]; /* what the map says of where players start */
    size_t spawns_count;
    bool whole; /* its maps say that all players have been listed */
    uint32_t broadcasts;
    float reported_tick_ms; /* of the last ShardState */
    uint32_t sends;         /* Send items of the last pump */
    bool grants;            /* settings of the game that the shard asks for: by default */
    uint64_t game_revision;
    uint32_t game_teams;
    Bus__Item *asked[STAGE_ASKED]; /* what gamemodes have asked the coordinator for, the last ones */
    uint32_t asked_count;          /* of all */
    struct stage_client clients[STAGE_CLIENTS];
    struct stage_group {
        uint64_t id;
        uint32_t members[STAGE_CLIENTS];
        size_t count;
    } * groups[STAGE_GATEWAYS];
    size_t groups_count[STAGE_GATEWAYS];
};

/* The shard owns all scopes of even virtual worlds: slot 0 of two. */
struct stage *stage_new(const struct shard_vehicle *vehicles, size_t count);
/* With other sizes: players, and ids of players. */
struct stage *stage_new_sized(const struct shard_vehicle *vehicles, size_t count, uint32_t players,
                              uint32_t ids, bool jacking);
void stage_free(struct stage *stage);

struct shard_vehicle stage_car(uint16_t model, double x, double y);

/* Handing the shard an item; then whatever came of it is delivered. */
void stage_item(struct stage *stage, uint16_t peer, Bus__Item *item);
void stage_pump(struct stage *stage);
/* Time passes, in ticks. */
void stage_run(struct stage *stage, uint64_t ms);
void stage_gateway_up(struct stage *stage, uint8_t gateway, uint64_t boot);
void stage_gateway_down(struct stage *stage, uint8_t gateway);
/* A map with so many slots; `owned`: a bit for each of the shard's. */
void stage_map(struct stage *stage, size_t slots, uint32_t owned, uint64_t fence);
/* An update of the settings of the game; its revision is the next one. */
void stage_game_update(struct stage *stage, Bus__GameUpdate *update);
void stage_game_answer(struct stage *stage, uint64_t request, bool refused);
/* The last item of the case that the coordinator was asked; NULL: there was none. */
const Bus__Item *stage_asked(const struct stage *stage, Bus__Item__ItemCase item_case);
/* The coordinator goes; another one comes, and tells nothing yet. */
void stage_coordinator_down(struct stage *stage);
void stage_coordinator_up(struct stage *stage);
/* The gateway says that the player has proven an account. */
void stage_auth(struct stage *stage, struct stage_client *client, uint64_t account_id, const char *name);
void stage_listed(struct stage *stage, uint32_t id, uint32_t token, const char *name);
void stage_left(struct stage *stage, uint32_t id, uint32_t token, uint32_t reason);

/* Token 1000 + id, 1000 more for each time it joins again; in virtual world 0 at (x, y, 10); the gateway
 * is id modulo 2. */
struct stage_client *stage_join(struct stage *stage, uint32_t id, float x, float y);
/* Joins, asks for the spawn and sends the first frame. */
struct stage_client *stage_spawn(struct stage *stage, uint32_t id, float x, float y);
void stage_gone(struct stage *stage, struct stage_client *client);
void stage_gone_for(struct stage *stage, struct stage_client *client, uint32_t reason);

/* A packet whole; its token and event_id do not matter. */
void stage_send(struct stage *stage, struct stage_client *client, const uint8_t *packet, size_t size);
void stage_request_spawn(struct stage *stage, struct stage_client *client);
void stage_die(struct stage *stage, struct stage_client *client);
void stage_request_respawn(struct stage *stage, struct stage_client *client);
/* The frame that an honest client would send: on foot, at its position. */
struct wire_player_sync stage_sync(struct stage_client *client);
void stage_send_sync(struct stage *stage, struct stage_client *client, const struct wire_player_sync *sync);
/* An honest frame from there. */
void stage_walk(struct stage *stage, struct stage_client *client, float x, float y);
void stage_enter(struct stage *stage, struct stage_client *client, uint32_t vehicle_id, uint8_t seat);
void stage_exit(struct stage *stage, struct stage_client *client, uint32_t vehicle_id);
/* An honest frame of a vehicle as the shard has it. */
struct wire_vehicle_frame stage_frame(struct stage *stage, struct stage_client *client,
                                      const struct vehicle *vehicle);
void stage_send_frame(struct stage *stage, struct stage_client *client,
                      const struct wire_vehicle_frame *frame);
void stage_control(struct stage *stage, struct stage_client *client, uint32_t vehicle_id, uint8_t control,
                   bool on);
void stage_damage(struct stage *stage, struct stage_client *client, const struct wire_vehicle_damage *damage);
void stage_explode(struct stage *stage, struct stage_client *client,
                   const struct wire_vehicle_explode *explode);
void stage_shoot(struct stage *stage, struct stage_client *client, const struct wire_vehicle_shot *shot);
void stage_chat(struct stage *stage, struct stage_client *client, const char *text);
void stage_command(struct stage *stage, struct stage_client *client, const char *text);
void stage_ack(struct stage *stage, struct stage_client *client);

/* The oldest packet with the id that no test has taken; NULL: there is none. */
const struct stage_packet *stage_take(struct stage_client *client, uint8_t id);
/* How many there are, without taking them. */
size_t stage_count(const struct stage_client *client, uint8_t id);
void stage_forget(struct stage *stage);
/* Its place among what the client has received, SIZE_MAX when there is none. */
size_t stage_order(const struct stage_client *client, uint8_t id);

struct player *stage_player(struct stage *stage, const struct stage_client *client);
struct vehicle *stage_vehicle(struct stage *stage, size_t index);
bool stage_sees_player(const struct stage_client *client, const struct stage_client *other);
bool stage_sees_vehicle(const struct stage_client *client, uint32_t vehicle_id);
uint64_t stage_reason(const struct stage *stage, enum reason reason);

#endif
