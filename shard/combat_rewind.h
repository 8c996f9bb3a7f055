/* combat_rewind.h - where a body or a vehicle was a moment ago: what a shooter saw when it fired.
 *
 * A path is the last accepted frames, as many as the longest rewind needs. It ends with every command of the
 * server that moves or holds what it is of, and begins anew with the first frame that has taken the command.
 * It is no part of a record: after a move it fills within half a second.
 *
 * Ours, where the page leaves it open: the velocity after the last frame is that between the last two;
 * before the first frame of a path there is no rewind; of two rays the nearer one counts.
 *
 * Spec: Combat: RemoteWeaponShot, ShotRewind. */
#ifndef DLMP_SHARD_COMBAT_REWIND_H
#define DLMP_SHARD_COMBAT_REWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COMBAT_REWIND_MAX_MS = 400, /* ShotRewind: at most so far back */
    COMBAT_AHEAD_MAX_MS = 150,  /* likewise: after the last frame */
    COMBAT_PATH_STEPS = 32,     /* ours: more frames than a client may send in 400 ms */
};

struct combat_step {
    uint64_t at_ms;
    float pos[3];
    float rot[4];
};

struct combat_path {
    struct combat_step ring[COMBAT_PATH_STEPS];
    uint8_t next;
    uint8_t count;
};

struct combat_ray;
struct player;
struct shard;
struct wire_shot_rewind;

/* An accepted frame. `rot` NULL: of a body, which has none. */
void combat_path_add(struct combat_path *path, uint64_t at_ms, const float pos[3], const float rot[4]);
void combat_path_restart(struct combat_path *path);
/* False: the path does not reach back so far. */
bool combat_path_at(const struct combat_path *path, uint64_t at_ms, float pos[3], float rot[4]);

/* Where the recipient was when the shooter saw it. False: none, and the block is zeros. */
bool combat_rewind_find(const struct shard *shard, const struct player *shooter,
                        const struct player *recipient, const struct combat_ray *rays, size_t rays_count,
                        struct wire_shot_rewind *rewind);

#endif
