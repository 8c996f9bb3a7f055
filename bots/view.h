/* view.h - what a client holds of the world around it: other players and vehicles.
 *
 * The rules of the receiver and nothing else: which frame is newer, which generation of an id lives, what a
 * show, a hide, a seat change or a leave changes. Whether something is shown at all is the server's to
 * decide; what a correct server never says is answered with false, and nothing is changed then.
 *
 * A player's entry stays for good, since it holds the tombstone; a vehicle's goes when room is needed and it
 * is hidden.
 *
 * What the server counts upwards for a vehicle (its life, its relay serial, the revisions of its commands)
 * never goes back: where it does, that is counted, and the copy takes it all the same.
 *
 * view.c has players, and where vehicles are; view_vehicle.c has what else is told of a vehicle.
 *
 * Spec: Protocol, "Sequence and generation"; Player, Streaming; Vehicles: all packets of the server. */
#ifndef DLMP_BOTS_VIEW_H
#define DLMP_BOTS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "bots/ids.h"
#include "gen/wire.h"

enum { VIEW_SEATS = 32 }; /* Player: Frame.seat has no more */

enum {
    VIEW_EXIT = 0,
    VIEW_ENTER = 1,
    VIEW_WARP = 2,
    VIEW_DENY = 3,
    VIEW_JACKED = 4
}; /* VehicleOccupancy.kind */

struct view_player {
    uint32_t id;
    uint32_t generation; /* 0: nobody lives under this id, as far as told */
    uint32_t tombstone;  /* 0: nobody has just left */
    uint32_t last_seq;
    bool has_seq;
    bool is_shown;
    bool is_told; /* PlayerSpawned of this show has come: it is no frame that has overtaken its events */
    bool is_wasted;
    float pos[3];
    uint64_t framed_ms; /* when its last frame came */
};

/* Of the gamemode's commands for a vehicle. */
struct view_revisions {
    uint16_t health;
    uint16_t damage;
    uint16_t siren;
    uint16_t pose;
};

/* VehicleTuning and VehicleHandling, as far as they are about the vehicle. */
struct view_tuning {
    uint16_t components[17];
    uint8_t paintjob;
    uint8_t plate[8];
    uint8_t dirt;
    uint8_t flags;
    uint8_t nitro;
};

struct view_handling {
    uint32_t mask;
    float values[21];
};

struct view_vehicle {
    uint32_t id;
    bool is_shown;
    bool is_wrecked;
    bool is_frozen;
    bool is_synced; /* by this client */
    bool has_frame; /* since it was last hidden */
    bool is_drowned;
    bool has_damaged;  /* this client has reported damage, and has not been told what became of it */
    bool is_clockwise; /* a train */
    bool is_derailed;
    bool was_shown; /* once: what the lane has told of its counters is below, also while it is hidden */
    uint8_t told_epoch;
    uint32_t told_seq; /* the relay serial of the last show or transform */
    struct view_revisions told;
    struct view_revisions framed; /* what a newer frame has to have at least; frames carry no damage's */
    uint8_t frame_epoch;
    uint8_t epoch;
    uint16_t model;
    uint16_t params; /* as VehicleParams */
    uint16_t health_rev;
    uint16_t siren_rev;
    uint16_t pose_rev;
    uint16_t damage_rev;
    uint8_t doors; /* open by the last command, a bit each */
    uint8_t color1;
    uint8_t color2;
    uint32_t tractor_id; /* WIRE_NONE: none */
    uint32_t lifter_id;
    struct wire_vehicle_damage_status damage;
    struct view_tuning tuning;
    struct view_handling handling;
    uint32_t mark;      /* the newest relay serial seen */
    uint64_t framed_ms; /* when the last frame came that was applied; 0: none since it is shown */
    uint64_t early_ms;  /* when frames of a hidden one, or one never shown, began to come; 0: none has */
    float pos[3];
    float rot[4];
    float health;
    uint64_t sync_until_ms;
    struct view_seat {
        uint32_t player_id;
        uint32_t player_token; /* 0: nobody sits here */
    } seats[VIEW_SEATS];
};

struct view {
    struct view_player *players;
    uint32_t players_count;
    uint32_t players_capacity;
    struct ids player_ids;
    struct view_vehicle *vehicles;
    uint32_t vehicles_count;
    uint32_t vehicles_capacity;
    struct ids vehicle_ids;
    uint64_t gone_back; /* times that a counter of a vehicle did */
};

enum view_verdict {
    VIEW_APPLIED,
    VIEW_BEGUN,     /* applied, and the first since it is shown: the server had it already */
    VIEW_STALE,     /* not newer than what is there */
    VIEW_STRAGGLER, /* of a player who has left, or of an earlier owner of the id */
};

/* One of zeros is empty. */
void view_fini(struct view *view);
/* A new connection: everything told on an earlier one is forgotten. */
void view_clear(struct view *view);

/* NULL: nothing is known of it. Borrowed until the next call that changes the view. */
struct view_player *view_player(const struct view *view, uint32_t id);
/* NULL: there is none, or it is hidden. */
struct view_vehicle *view_vehicle(const struct view *view, uint32_t id);
/* Likewise one that is hidden, or not shown yet. */
struct view_vehicle *view_known_vehicle(const struct view *view, uint32_t id);
/* Whether this generation of the player is shown. */
bool view_shows_player(const struct view *view, uint32_t id, uint32_t token);

/* ---- players */

enum view_verdict view_on_player_frame(struct view *view, uint64_t now_ms,
                                       const struct wire_remote_player_sync *sync);
/* An event of the lane names the player. False: its leave came before. */
bool view_on_player_event(const struct view *view, uint32_t id, uint32_t token);
/* Likewise, and it comes alive: its generation is known before its first frame. */
bool view_on_player_spawned(struct view *view, uint32_t id, uint32_t token);
void view_on_player_wasted(struct view *view, uint32_t id, uint32_t token);
void view_on_player_stream_out(struct view *view, const struct wire_player_stream_out *out);
void view_on_player_leave(struct view *view, const struct wire_player_leave *leave);

/* ---- vehicles */

/* False: a show of what is shown in the same life, or a hide of what is not. The show is applied all the
 * same. */
bool view_on_vehicle_sync(struct view *view, const struct wire_vehicle_sync *sync);
enum view_verdict view_on_vehicle_frame(struct view *view, uint64_t now_ms,
                                        const struct wire_remote_vehicle_frame *frame);
/* The vehicle must be shown for these; false: it is not. */
bool view_on_vehicle_occupancy(struct view *view, const struct wire_vehicle_occupancy *occupancy);
bool view_on_vehicle_transform(struct view *view, const struct wire_vehicle_transform *transform);
bool view_on_vehicle_damage(struct view *view, const struct wire_remote_vehicle_damage *damage);
bool view_on_vehicle_tuning(struct view *view, const struct wire_vehicle_tuning *tuning);
bool view_on_vehicle_handling(struct view *view, const struct wire_vehicle_handling *handling);
bool view_on_vehicle_colors(struct view *view, const struct wire_vehicle_colors *colors);
bool view_on_vehicle_trailer(struct view *view, const struct wire_vehicle_trailer *trailer);
bool view_on_vehicle_lift(struct view *view, const struct wire_vehicle_lift *lift);
bool view_on_train_state(struct view *view, const struct wire_train_state *state);
bool view_on_vehicle_health(struct view *view, const struct wire_vehicle_health *health);
bool view_on_vehicle_params(struct view *view, const struct wire_vehicle_params *params);
bool view_on_vehicle_death(struct view *view, const struct wire_vehicle_death *death);

/* The vehicle's counters are told: which of them would go back is counted, and they are what is told. */
void view_tell(struct view *view, struct view_vehicle *vehicle, uint8_t epoch, uint32_t relay_seq,
               struct view_revisions revisions);
/* What a vehicle is that nobody has tuned. */
struct view_tuning view_no_tuning(void);

bool view_same_place(const float a[3], const float b[3]);

/* The level rotation at a heading, as a show places a vehicle. */
void view_level_rotation(float heading_deg, float rot[4]);

#endif
