/* player_set.h - what a gamemode sets on a player, and asks of it.
 *
 * The functions of the gamemode API behind `player:set_…`: each checks its values, remembers them and tells
 * who is to know (player_state.h). REASON_OUT_OF_BOUNDS: the packet has no such value; nothing has changed
 * and nothing was sent.
 *
 * Spec: Player, "Server-applied state"; gamemode API, Players. */
#ifndef DLMP_SHARD_PLAYER_SET_H
#define DLMP_SHARD_PLAYER_SET_H

#include "common/address.h"
#include "shard/shard.h"

#define PLAYER_STEPS_PER_S 50.0f /* index page: the physics step is 1/50 s */

enum reason player_set_skin(struct shard *shard, struct player *player, int64_t skin);
enum reason player_set_skill(struct shard *shard, struct player *player, int64_t weapon, int64_t level);
enum reason player_set_money(struct shard *shard, struct player *player, int64_t money);
enum reason player_set_wanted(struct shard *shard, struct player *player, int64_t level);
enum reason player_set_walking_style(struct shard *shard, struct player *player, int64_t style);
enum reason player_set_fighting_style(struct shard *shard, struct player *player, int64_t style);
enum reason player_set_headless(struct shard *shard, struct player *player, bool headless);
enum reason player_set_on_fire(struct shard *shard, struct player *player, bool on_fire);
enum reason player_set_special_action(struct shard *shard, struct player *player, int64_t action);
enum reason player_set_frozen(struct shard *shard, struct player *player, bool frozen);
enum reason player_set_gravity(struct shard *shard, struct player *player, float gravity);
enum reason player_set_drunk_level(struct shard *shard, struct player *player, int64_t level);
/* m/s. Not remembered: the next frame says what came of it. */
enum reason player_set_velocity(struct shard *shard, struct player *player, const float velocity[3]);
enum reason player_set_muted(struct shard *shard, struct player *player, bool muted);

/* 1 to 64 of them; those that are left out stay. */
enum reason player_set_stats(struct shard *shard, struct player *player, const struct wire_player_stat *stats,
                             size_t count);
/* NULL: none. `active` need not be set. */
enum reason player_set_world_bounds(struct shard *shard, struct player *player,
                                    const struct world_bounds *bounds);
/* NULL: the player has its camera back. `active` need not be set. */
enum reason player_set_camera(struct shard *shard, struct player *player, const struct player_camera *camera);

struct animation_request {
    struct span library;
    struct span name;
    float speed;
    bool loop;
    bool keep_x;
    bool keep_y;
    bool freeze;
    int64_t time_ms; /* 0: until it ends */
};

enum reason player_apply_animation(struct shard *shard, struct player *player,
                                   const struct animation_request *request);
enum reason player_clear_animations(struct shard *shard, struct player *player);
enum reason player_set_animation_progress(struct shard *shard, struct player *player, float progress);
enum reason player_set_animation_speed(struct shard *shard, struct player *player, float speed);

/* What is a plain field of struct player is not here: `place`, `rtt_ms`, `paused`, `frozen`, `set.money`… */

/* In its life, alive or dead: between grants and their first frames it is not. */
bool player_has_spawned(const struct player *player);
/* What the last frame of this life says; zeros before it. m/s. */
void player_velocity(const struct player *player, float velocity[3]);
uint8_t player_weapon(const struct player *player);
/* -1: the weapon has no skill. */
int32_t player_skill(const struct player *player, int64_t weapon);
/* Without the port. Not for logs. Returns `text`. */
char *player_ip(const struct player *player, char text[ADDRESS_TEXT_SIZE]);
/* NULL: on foot. */
struct vehicle *player_vehicle(const struct shard *shard, const struct player *player);

#endif
