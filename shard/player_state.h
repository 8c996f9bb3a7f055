/* player_state.h - what the server has made of a player: skin, money, animation, camera and the like.
 *
 * Each value is a field with its packet. Setting one (player_set.h) remembers it and tells the player, of
 * some fields its observers too; new observers are given what is not the default with the show. A field that
 * the lane refused, because a droppable one found it full or the gateway was away, is owed: it goes out as
 * it is by then as soon as there is room. What an observer is owed of somebody else can only be its skills,
 * the one droppable field that observers see.
 *
 * Nothing here ends with a life but an animation: a respawn resets what the Player page says, no more.
 * `frozen` is part of it too, and stands in struct player, where vehicles look for it.
 *
 * Spec: Player, "Server-applied state", "Streaming". */
#ifndef DLMP_SHARD_PLAYER_STATE_H
#define DLMP_SHARD_PLAYER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"

enum {
    PLAYER_SKILL_FIRST = 22, /* Player: PlayerSkills: weapons 22..=32 */
    PLAYER_SKILLS = 11,
    PLAYER_SKILL_DEFAULT = 999, /* gamemode API, Players */
    PLAYER_FIGHTING_DEFAULT = 4,
    PLAYER_STATS = 343, /* Player: PlayerStat.stat is 0..=342 */
    PLAYER_STAT_WORDS = (PLAYER_STATS + 63) / 64,
    PLAYER_STATS_AT_ONCE = 64,  /* Player: SetPlayerStats */
    ANIMATION_LIBRARY_MAX = 23, /* Player: ApplyAnimation */
    ANIMATION_NAME_MAX = 24,
    /* Ours: how long an animation that only its client knows the length of counts as running for new
     * observers. */
    ANIMATION_ONCE_MS = 10000,
};
#define PLAYER_GRAVITY_DEFAULT 0.008f /* Player: SetGravity */

/* Each is a packet, or a pair of them that undo each other. */
enum player_field {
    FIELD_SKIN,
    FIELD_SKILLS,
    FIELD_FIGHTING_STYLE,
    FIELD_WALKING_STYLE,
    FIELD_HEADLESS,
    FIELD_ANIMATION, /* ApplyAnimation or ClearAnimations */
    FIELD_ANIMATION_SPEED,
    FIELD_ANIMATION_PROGRESS,
    FIELD_WANTED,
    FIELD_MONEY,
    FIELD_ON_FIRE,
    FIELD_SPECIAL_ACTION,
    FIELD_FROZEN,
    FIELD_GRAVITY,
    FIELD_DRUNK_LEVEL,
    FIELD_STATS,
    FIELD_WORLD_BOUNDS,
    FIELD_CAMERA,
    FIELD_COUNT
};

struct player_animation {
    bool applied; /* and neither cleared nor ended with a life */
    uint8_t library_size;
    uint8_t name_size;
    char library[ANIMATION_LIBRARY_MAX];
    char name[ANIMATION_NAME_MAX];
    uint8_t flags; /* as on the wire */
    float speed;
    float progress;   /* as it was set last; says something only while the speed is 0 */
    uint32_t time_ms; /* 0: until it ends */
    uint64_t applied_at_ms;
};

struct player_camera {
    bool active;
    float pos[3];
    float target[3];
    uint32_t move_ms;
};

struct world_bounds {
    bool active;
    float min_x;
    float min_y;
    float max_x;
    float max_y;
};

struct player_state {
    uint16_t skin;
    uint16_t life_skin;  /* of this life's grant: what PlayerSpawned says */
    uint16_t spawn_skin; /* of the next grant */
    uint16_t skills[PLAYER_SKILLS];
    uint8_t fighting_style;
    uint16_t walking_style;
    bool headless;
    struct player_animation animation;
    uint8_t wanted;
    int32_t money;
    bool on_fire;
    uint8_t special_action;
    float gravity;
    uint16_t drunk_level;
    bool muted; /* Chat: ClientChat; nobody is told */
    struct world_bounds bounds;
    struct player_camera camera;
};

/* The game's own numbers of a player, as far as the gamemode has set them. */
struct player_stats {
    float values[PLAYER_STATS];
    uint64_t set[PLAYER_STAT_WORDS];  /* bits: the gamemode has set it */
    uint64_t owed[PLAYER_STAT_WORDS]; /* bits: and the player has not been told */
};

struct player;
struct shard;

void player_state_init(struct player_state *state, uint16_t skin);
/* A life begins: its grant has the skin, and no animation runs. */
void player_state_start_life(struct player_state *state);

/* The field becomes what it is in `next`, and is told. REASON_OUT_OF_BOUNDS: the layout has no such value,
 * and nothing has changed. */
enum reason player_state_change(struct shard *shard, struct player *player, const struct player_state *next,
                                enum player_field field);
/* Does every layout have what the player's state says? Of one that comes from elsewhere. */
bool player_state_is_valid(const struct shard *shard, const struct player *player);
/* Tells the field as it is. */
void player_state_tell(struct shard *shard, struct player *player, enum player_field field);
/* Tells what is owed, as far as the lane takes it. */
void player_state_send_owed(struct shard *shard, struct player *player);

/* To a new observer, after PlayerSpawned: what is not the default. */
void player_state_show(struct shard *shard, struct player *observer, const struct player *subject);
/* The player in the slot is shown to the observer no more: nothing of it is owed. */
void player_state_forget(struct player *observer, uint16_t subject_slot);

#endif
