#include "shard/player_spawn.h"

#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/player_show.h"
#include "shard/stream.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_seat.h"

/* Combat: the weapon of a death by an explosion, and of one that nothing is known of. */
enum { WEAPON_EXPLOSION = 51, DEATH_WITHOUT_CAUSE = 54 };

/* A new life, from the place that the player was given at its join. */
static void grant(struct shard *shard, struct player *player, uint64_t now_ms)
{
    player->respawns = player->state == LIFE_DEAD;
    player->life = player->life == UINT8_MAX ? 1 : (uint8_t)(player->life + 1);
    player->weapon_rev++;
    player->state = LIFE_GRANTED;
    player->framed = false;
    player_put(shard, player, now_ms, PLACE_GRANT, &player->spawn);
}

void on_request_spawn(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_request_spawn request;
    struct wire_error error;

    if (!wire_request_spawn_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    if (player->state != LIFE_CONNECTED) {
        shard_count(shard, REASON_ALREADY_SPAWNED);
        return;
    }
    grant(shard, player, now_ms);
}

/* Alive or about to be: the frame that starts the life may be lost, the report cannot. */
static enum reason death_report_check(const struct player *player, const struct wire_death_report *report)
{
    if (player->state == LIFE_CONNECTED)
        return REASON_NOT_SPAWNED;
    if (report->life != player->life || player->barrier.grant)
        return REASON_OLD_LIFE;
    if (player->state == LIFE_DEAD)
        return REASON_NOT_ALIVE;
    return REASON_NONE;
}

void on_death_report(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_death_report report;
    struct wire_error error;

    if (!wire_death_report_decode(&report, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    enum reason refused = death_report_check(player, &report);
    const struct player *killer;

    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    player->state = LIFE_DEAD;
    player->died_at_ms = now_ms;
    player->death_pose[0] = report.pose_weapon;
    player->death_pose[1] = report.pose_anim_group;
    player->death_pose[2] = report.pose_anim;
    killer = vehicle_killer_of(shard, player, now_ms);
    player->killer = killer != NULL ? killer->ref : (struct player_ref){ .id = WIRE_NONE };
    player->death_weapon = killer != NULL ? WEAPON_EXPLOSION : DEATH_WITHOUT_CAUSE;
    vehicle_killer_forget(player);
    vehicle_unseat(shard, player);
    vehicle_remote_release(shard, player, REMOTE_DEATH);
    player_send_wasted(shard, player);
    stream_update(shard, player);
}

static enum reason respawn_check(const struct player *player, uint64_t now_ms)
{
    if (player->state != LIFE_DEAD)
        return REASON_NOT_DEAD;
    if (now_ms - player->died_at_ms < PLAYER_RESPAWN_AFTER_MS)
        return REASON_TOO_EARLY;
    return REASON_NONE;
}

void on_respawn_request(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_respawn_request request;
    struct wire_error error;

    if (!wire_respawn_request_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    enum reason refused = respawn_check(player, now_ms);

    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    grant(shard, player, now_ms);
}
