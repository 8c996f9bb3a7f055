/* world.h - the players and vehicles of a shard's scopes, who is shown what, and where everything is.
 *
 * All tables are made at start at their configured size; players and vehicles are named by their slot in
 * them within one call, and by id (and token) across calls. A scope is only a value: it costs nothing
 * until somebody is in it.
 *
 * Who is shown what is kept on both sides: each player has the sorted slots of what its client has been
 * shown, and each entity has its observers as a group (lanes.h). A hide that the lane had no room for is
 * owed: its entity is out of both already, so nothing of it is sent any more, and it is not shown again
 * before the hide went out. */
#ifndef DLMP_SHARD_WORLD_H
#define DLMP_SHARD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/pool.h"
#include "gen/wire.h"
#include "shard/account.h"
#include "shard/bucket.h"
#include "shard/combat_causes.h"
#include "shard/combat_rays.h"
#include "shard/combat_rewind.h"
#include "shard/grid.h"
#include "shard/idmap.h"
#include "shard/notes.h"
#include "shard/player_state.h"
#include "shard/sky.h"
#include "shard/tables/models.h"
#include "shard/vehicle_damage.h"
#include "shard/vehicle_handling.h"
#include "shard/vehicle_health.h"
#include "shard/vehicle_links.h"
#include "shard/vehicle_nitro.h"
#include "shard/vehicle_params.h"
#include "shard/vehicle_remote.h"
#include "shard/vehicle_train.h"
#include "shard/vehicle_tuning.h"

enum {
    WORLD_PLAYERS_MAX = 16384,     /* ours: slots are uint16_t, and a shard is one core */
    WORLD_VEHICLES_MAX = 32768,    /* ours: likewise */
    WORLD_PLAYER_IDS_MAX = 100000, /* ours: ids are the lowest free ones, so this is the cluster's size */
    WORLD_GATEWAYS_MAX = 32,       /* ours: a bit each in group.gateways */
    PLAYER_NAME_MAX = 72,          /* Chat: ChatMessage.name */
    PLAYER_MARKS = 64,           /* ours: a client syncs eight vehicles and drives one; see vehicle_frame.h */
    VEHICLE_SHOOTERS = 8,        /* ours: of more, the one that shot longest ago is forgotten */
    PLAYER_OWED_HIDES_MAX = 512, /* ours: a client that owes more is disconnected by the lane's limit soon */
};

/* No slot: of a vehicle for somebody on foot, of a player for a free seat. */
enum { SLOT_NONE = 0xFFFF };

struct player_ref {
    uint32_t id;
    uint32_t token;
};

struct place {
    struct scope scope;
    float pos[3];
    float heading;
};

/* The S→C lane of a player, counted: events sent, less the highest that the gateway has reported as acked. */
struct lane {
    uint32_t sent;
    uint32_t acked;
};

/* An entity's observers, which the gateways have as a group. Counted by gateway, so that those without one
 * are left out. */
struct group {
    uint64_t id; /* kind << 32 | entity id */
    uint16_t *observers;
    uint16_t count;
    uint32_t gateways; /* a bit for each that has members */
    uint16_t members[WORLD_GATEWAYS_MAX];
};

/* Slots, sorted. */
struct slot_set {
    uint16_t *slots;
    uint16_t count;
    uint16_t capacity;
};

enum entity_kind { ENTITY_PLAYER = 1, ENTITY_VEHICLE = 2, ENTITY_EVERYONE = 3 };

struct owed_hide {
    enum entity_kind kind;
    uint32_t id;
    uint32_t token;    /* of a player */
    uint32_t last_seq; /* of a player: of the last frame that was relayed */
    bool synced; /* of a vehicle: the observer was its syncer, and has not been told that it is no more */
};

/* connected: has had no spawn grant; granted: has not sent the first frame of the life yet. */
enum life { LIFE_CONNECTED, LIFE_GRANTED, LIFE_ALIVE, LIFE_DEAD };

/* What a scope change or a respawn still has to tell, once the last hide of the old scope is out. */
struct barrier {
    bool pending;
    bool grant;    /* RespawnPlayer */
    bool teleport; /* TeleportPlayer */
    bool scope;    /* ScopeChanged */
};

/* What the frames of one vehicle from this connection have come to. */
struct frame_mark {
    uint32_t vehicle_id;
    uint32_t seq; /* of the last accepted one */
    struct bucket driven;
    struct bucket synced;
};

struct player {
    struct player_ref ref;
    uint64_t fence;
    uint8_t gateway;
    struct lane lane;
    uint64_t last_item; /* number of the last reliable item that was applied */
    uint32_t rtt_ms;
    char name[PLAYER_NAME_MAX + 1];
    uint8_t ip[16]; /* as struct address has it */
    struct player_account account;
    struct player_sky sky;
    uint16_t team; /* team.h */

    struct notes notes;
    struct player_state set; /* by the gamemode */
    struct player_stats stats;
    uint32_t fields_owed;  /* bits by enum player_field: not told to the player yet */
    uint64_t *skills_owed; /* bits by slot: PlayerSkills of others that it has not been told yet */
    uint32_t skills_owed_count;

    struct place spawn; /* of the next grant */
    enum life state;
    bool framed; /* this life has had a frame: there is one to show */
    uint8_t life;
    bool respawns;         /* it has had SpawnPlayer: from then on RespawnPlayer */
    uint64_t asks_from_ms; /* when it may ask for a spawn or respawn (again) */
    uint16_t pose_rev;
    uint16_t weapon_rev;
    struct player_ref killer; /* of the death; id WIRE_NONE: nobody */
    uint8_t death_weapon;
    uint16_t death_pose[3]; /* weapon, animation group and animation of the DeathReport */

    struct place place;       /* the last accepted position */
    uint64_t placed_at_ms;    /* when it was accepted */
    uint8_t movement_strikes; /* movement violations in a row */
    bool paused;
    bool frozen; /* Player: SetFrozen */
    bool has_seq;
    uint32_t seq;
    uint8_t relay[WIRE_REMOTE_PLAYER_SYNC_SIZE]; /* the last frame as it was relayed */
    struct barrier barrier;

    uint16_t vehicle; /* slot */
    uint8_t seat;
    uint32_t remote_id; /* of the RC that the player drives; WIRE_NONE: none */

    struct slot_set shown_players;
    struct slot_set shown_vehicles;
    struct owed_hide *owed_hides;
    uint16_t owed_hides_count;
    struct group observers;

    struct combat_rays rays;
    struct combat_causes causes;
    struct combat_path path; /* on foot */
    uint32_t shot_order;     /* of the last accepted ray; VehicleShot and WeaponShot share it */
    bool has_shot;           /* from a vehicle */
    uint64_t shot_at_ms;
    bool has_props_rev;
    uint32_t props_rev;            /* of the last accepted shot or gun volley (weapon_tables.h) */
    struct player_ref exploded_by; /* the killer of the vehicle it sat in; token 0: nobody */
    uint64_t exploded_at_ms;

    struct bucket chat;
    struct bucket commands;
    struct bucket vehicle_events;
    struct bucket frames; /* of all its vehicles together */
    struct bucket siren;
    bool too_fast_told;
    uint64_t too_fast_told_at_ms;
    struct frame_mark marks[PLAYER_MARKS];
    uint8_t marks_count;
    bool has_old_marks;
    uint32_t old_marks_seq; /* the newest seq of the marks that had to go */

    uint64_t *entries_owed; /* bits by player id: list entries not sent yet */
    uint64_t *leaves_owed;  /* PlayerLeave not sent yet */
    uint64_t *leaves_shown; /* who has left while it was shown: theirs go first */
    uint32_t entries_owed_count;
    uint32_t leaves_owed_count;
};

/* Whose shot has passed a vehicle; `at_ms` 0: nobody's. */
struct vehicle_shooter {
    struct player_ref ref;
    uint64_t at_ms;
};

struct vehicle {
    uint32_t id;
    struct notes notes;
    const struct model *model;
    struct scope scope;
    struct place spawn;
    uint8_t color1;
    uint8_t color2;
    uint8_t epoch;
    uint32_t relay_seq;
    uint16_t pose_rev;

    float pos[3];
    float rot[4];
    float move_speed[3];
    float turn_speed[3];
    struct combat_path path;
    struct vehicle_health health;
    struct vehicle_shooter shooters[VEHICLE_SHOOTERS]; /* whose shots have passed it */
    struct vehicle_damage damage;
    uint16_t damage_rev;
    bool wrecked;
    bool drowned;   /* only of a wreck */
    bool frozen;    /* Vehicles: VehicleTransform, Freezing */
    bool derailed;  /* of a train */
    bool clockwise; /* of a train: faces along the track */
    bool leaving;   /* it is being destroyed: nobody gets in any more */
    uint16_t owner; /* number of the resource that made it; 0: the configuration */
    bool searchlight;
    uint16_t part;         /* as it was relayed last */
    uint16_t part_wanted;  /* the pilot's */
    uint64_t part_paid_ms; /* the part has moved as far as the time up to here allows */

    struct vehicle_params params;
    struct vehicle_tuning tuning;
    struct vehicle_nitro nitro;
    struct vehicle_hydraulics hydraulics;
    struct vehicle_handling handling;

    uint16_t seats[MODEL_SEATS_MAX]; /* player slots */
    struct vehicle_links links;
    struct vehicle_remote remote;
    struct vehicle_train train;
    uint16_t syncer;               /* player slot */
    bool syncer_due;               /* a seat or an observer has changed: the syncer is to be chosen again */
    bool syncer_news;              /* it is not the one that the gamemode was told last */
    struct player_ref syncer_told; /* that one; token 0: none */
    struct group observers;
};

struct world {
    struct pool players;    /* struct player */
    struct pool vehicles;   /* struct vehicle */
    uint16_t *player_slots; /* by player id */
    uint32_t player_ids;
    struct idmap vehicle_slots;
    struct grid player_grid; /* the players that can be shown */
    struct grid vehicle_grid;
    struct group everyone;
    uint32_t highest_token;
    uint32_t highest_vehicle_id;

    /* Memory of the tables' rows: a row a slot. */
    uint16_t *player_rows;
    uint16_t *vehicle_rows;
    uint64_t *list_rows;
    uint64_t *skills_rows;
    struct owed_hide *owed_rows;
};

struct world_size {
    uint32_t players;
    uint32_t vehicles;
    uint32_t player_ids;
};

/* -1: no memory; it may be closed as any other. */
int world_init(struct world *world, struct world_size size);
void world_fini(struct world *world);

/* NULL: the table is full, or the id is none that this world can have. The player must not be there
 * already. */
struct player *world_add_player(struct world *world, struct player_ref ref);
/* It must be in no group, no seat, no grid and nobody's set. */
void world_remove_player(struct world *world, struct player *player);
/* NULL: it is not here, or somebody else has the id now. */
struct player *world_player(const struct world *world, struct player_ref ref);
/* Whoever has the id now. */
struct player *world_player_by_id(const struct world *world, uint32_t id);
struct player *world_player_at(const struct world *world, uint32_t slot);
uint16_t world_player_slot(const struct world *world, const struct player *player);

/* NULL: the table is full. */
struct vehicle *world_add_vehicle(struct world *world, uint32_t id);
void world_remove_vehicle(struct world *world, struct vehicle *vehicle);
struct vehicle *world_vehicle(const struct world *world, uint32_t id);
struct vehicle *world_vehicle_at(const struct world *world, uint32_t slot);
uint16_t world_vehicle_slot(const struct world *world, const struct vehicle *vehicle);

bool slot_set_has(const struct slot_set *set, uint16_t slot);
void slot_set_add(struct slot_set *set, uint16_t slot);
/* False: it was not there. */
bool slot_set_remove(struct slot_set *set, uint16_t slot);

static inline uint32_t lane_unacked(const struct lane *lane)
{
    int32_t unacked = (int32_t)(lane->sent - lane->acked);

    return unacked > 0 ? (uint32_t)unacked : 0;
}

static inline bool player_is_alive(const struct player *player)
{
    return player->state == LIFE_ALIVE;
}

/* Has spawned in this life, dead or alive, and is not between two scopes: can be shown, and is shown
 * others. */
static inline bool player_is_spawned(const struct player *player)
{
    return player->framed && !player->barrier.pending;
}

/* A driver who is paused or frozen does not count: the vehicle has a syncer (Vehicles: VehicleSyncer). */
static inline bool player_counts(const struct player *player)
{
    return !player->paused && !player->frozen;
}

/* In the seat of somebody who plays: what only a live pilot may do. */
static inline bool player_is_pilot_of(const struct player *player, uint16_t player_slot,
                                      const struct vehicle *vehicle)
{
    return vehicle->seats[0] == player_slot && player_is_alive(player) && !player->paused;
}

/* Walks everything and asserts what must hold. For tests and the simulator. */
void world_check(const struct world *world);

#endif
